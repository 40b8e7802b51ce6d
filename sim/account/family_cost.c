/* cost_usd.*: what the cluster costs and who had it for how long. Every GPU that is part of the cluster costs its price
 * whether it is used, idle, drained or down; an absent one costs nothing. A team pays for the GPU-time that its jobs
 * held (a fraction of a GPU: that fraction), and what nobody held is idle, so teams and idle add up to the total.
 * GPU-time is kept in integers, apart by price, and turned into money once, at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "family.h"
#include "gy_hash.h"

struct held { /* of one team at one price */
    int64_t milli;
    gy_time since;
    gy_gpu_time time;
};
struct cost {
    const struct gy_account_options *options;
    GY_VEC(double) price;     /* distinct prices, in the order of nodes */
    GY_VEC(uint32_t) of_node; /* index into price */
    GY_VEC(uint8_t) absent;
    GY_VEC(int64_t) present; /* by price: GPUs in the cluster, in thousandths */
    GY_VEC(gy_gpu_time) total;
    GY_VEC(gy_str) teams;
    struct gy_map by_team;
    GY_VEC(struct held) held; /* team after team, one a price */
};

static bool price_of(struct cost *c, double price, uint32_t *at)
{
    for (*at = 0; *at < c->price.n; ++*at)
        if (c->price.at[*at] == price)
            return true;
    return gy_vec_push(&c->price, price) && gy_vec_push(&c->present, 0) && gy_vec_push(&c->total, 0);
}

static int init(void *self, const struct gy_account_options *o, struct gy_error *err)
{
    struct cost *c = self;

    c->options = o;
    for (size_t i = 0; o->prices && i < o->cluster->nodes.n; i++) {
        const struct gy_node_spec *node = &o->cluster->nodes.at[i];
        uint32_t at;
        if (!price_of(c, o->prices[i], &at) || !gy_vec_push(&c->of_node, at) || !gy_vec_push(&c->absent, node->absent))
            return gy_nomem(err);
        c->present.at[at] += node->absent ? 0 : (int64_t)node->gpus * GY_MILLI;
    }
    return 0;
}

static void fini(void *self)
{
    struct cost *c = self;

    gy_vec_free(&c->price);
    gy_vec_free(&c->of_node);
    gy_vec_free(&c->absent);
    gy_vec_free(&c->present);
    gy_vec_free(&c->total);
    gy_vec_free(&c->teams);
    gy_vec_free(&c->held);
    gy_map_free(&c->by_team);
}

static void advance(void *self, const struct gy_ledger *l, gy_time to)
{
    struct cost *c = self;

    for (size_t p = 0; p < c->price.n; p++)
        c->total.at[p] += (gy_gpu_time)c->present.at[p] * (to - l->now);
}

static struct held *held_by(struct cost *c, gy_str team, struct gy_error *err)
{
    uint64_t at;

    if (gy_map_get(&c->by_team, team, &at))
        return &c->held.at[at * c->price.n];
    at = c->teams.n;
    if (!gy_vec_push(&c->teams, team) || !gy_map_put(&c->by_team, team, at))
        return gy_nomem(err), NULL;
    for (size_t p = 0; p < c->price.n; p++)
        if (!gy_vec_push(&c->held, (struct held){0}))
            return gy_nomem(err), NULL;
    return &c->held.at[at * c->price.n];
}

static void change(const struct cost *c, struct held *of, struct gy_holding shares, int sign, gy_time now)
{
    for (uint32_t i = 0; i < shares.n; i++) {
        const struct gy_held *s = &shares.at[i];
        struct held *h = &of[c->of_node.at[s->node.i]];
        h->time += (gy_gpu_time)h->milli * (now - h->since);
        h->since = now;
        h->milli += sign * (int64_t)__builtin_popcountll(s->mask) * s->gpu_milli;
    }
}

static int on_event(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct cost *c = self;

    (void)v;
    if (c->price.n == 0)
        return 0;
    if (e->kind == GY_E_NODE) {
        if (e->node.i >= c->of_node.n)
            return 0;
        const int64_t gpus = (int64_t)c->options->cluster->nodes.at[e->node.i].gpus * GY_MILLI;
        const bool absent = e->node_state == GY_NODE_ABSENT;
        c->present.at[c->of_node.at[e->node.i]] += gpus * (c->absent.at[e->node.i] - absent);
        c->absent.at[e->node.i] = absent;
        return 0;
    }
    struct held *of = held_by(c, e->job->rec.team, err);
    if (!of)
        return -1;
    change(c, of, l->released, -1, e->time);
    change(c, of, l->taken, 1, e->time);
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const gy_str x = *(const gy_str *)a, y = *(const gy_str *)b;
    return (x > y) - (x < y);
}

/* What a team's jobs held, and takes it from what is left as idle. */
static double charge(struct cost *c, gy_str team, gy_time end, gy_gpu_time *left)
{
    double usd = 0;
    uint64_t at = 0;

    gy_map_get(&c->by_team, team, &at);
    for (size_t p = 0; p < c->price.n; p++) {
        const struct held *h = &c->held.at[at * c->price.n + p];
        const gy_gpu_time time = h->time + (gy_gpu_time)h->milli * (end - h->since);
        usd += gy_gpu_hours(time) * c->price.at[p];
        left[p] -= time;
    }
    return usd;
}

static void emit(void *self, const struct gy_closing *closing, struct gy_metrics *m)
{
    struct cost *c = self;
    const gy_time end = closing->ledger->now;
    double idle = 0, used = 0, total = 0;
    gy_gpu_time *left = malloc((c->price.n + 1) * sizeof *left);
    double *usd = malloc((c->teams.n + 1) * sizeof *usd);
    gy_str *teams = malloc((c->teams.n + 1) * sizeof *teams);

    if (!left || !usd || !teams)
        m->nomem = true;
    for (size_t p = 0; left && p < c->price.n; p++)
        left[p] = c->total.at[p];
    if (!m->nomem && c->price.n > 0) {
        if (c->teams.n > 0)
            memcpy(teams, c->teams.at, c->teams.n * sizeof *teams);
        qsort(teams, c->teams.n, sizeof *teams, by_id);
        for (size_t i = 0; i < c->teams.n; i++)
            used += usd[i] = charge(c, teams[i], end, left);
        for (size_t p = 0; p < c->price.n; p++)
            idle += gy_gpu_hours(left[p]) * c->price.at[p];
        total = used + idle;
        gy_metrics_put(m, "cost_usd.total", total);
        gy_metrics_put(m, "cost_usd.idle", idle);
        gy_metrics_put(m, "cost_usd.per_job.mean",
                       closing->crowd->records.n > 0 ? used / (double)closing->crowd->records.n : NAN);
        for (size_t i = 0; i < c->teams.n; i++)
            gy_metrics_put_keyed(m, "cost_usd.per_team", gy_strings_text(c->options->strings, teams[i]), usd[i]);
    }
    free(left);
    free(usd);
    free(teams);
}

const struct gy_family_type gy_family_cost = {.name = "cost",
                                              .state_size = sizeof(struct cost),
                                              .init = init,
                                              .advance = advance,
                                              .on_event = on_event,
                                              .kinds = 1u << GY_E_START | 1u << GY_E_PREEMPT | 1u << GY_E_RESIZE |
                                                       1u << GY_E_END | 1u << GY_E_NODE,
                                              .emit = emit,
                                              .fini = fini};

double gy_cost_now(const void *state)
{
    const struct cost *c = state;
    double usd = 0;

    for (size_t p = 0; p < c->price.n; p++)
        usd += (double)c->present.at[p] / GY_MILLI * c->price.at[p];
    return c->price.n > 0 ? usd : NAN;
}
