/* unused_gpu_hours.*: the GPU-hours that no job held, divided by cause. They add up to gpu_hours.free + gpu_hours.down.
 *
 * failed and drained: on nodes that are down, and free on drained ones. Of what was free, as much as jobs in the queue
 * ask for was blocked; of the rest, as much as jobs ask for that are not eligible yet (not_eligible); the remainder had
 * no_work. What is blocked is divided between the reasons that the policy told, in proportion to the GPUs asked for by
 * the jobs that have each. Jobs that only wait behind others (priority) or have no reason (waiting) count when no job
 * has one of its own. All in integers; what a division leaves over goes to the last reason. */
#include <stdio.h>
#include "family.h"

struct unused {
    const struct gy_cluster_spec *spec;
    GY_VEC(uint8_t) state; /* of the nodes */
    int64_t failed_gpus;   /* GPUs of nodes that are down */
    gy_gpu_time failed, drained, no_work, not_eligible, blocked[GY_R_COUNT];
};

static int init(void *self, const struct gy_account_options *o, struct gy_error *err)
{
    struct unused *u = self;

    u->spec = o->cluster;
    if (!gy_vec_reserve(&u->state, o->cluster->nodes.n))
        return gy_nomem(err);
    for (size_t i = 0; i < o->cluster->nodes.n; i++)
        u->state.at[u->state.n++] = o->cluster->nodes.at[i].absent ? GY_NODE_ABSENT : GY_NODE_UP;
    return 0;
}

static void fini(void *self)
{
    gy_vec_free(&((struct unused *)self)->state);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Divides an amount of GPUs between reasons; the parts add up to it. */
static void divide(struct unused *u, const struct gy_ledger *l, int64_t amount, gy_gpu_time dt)
{
    int64_t pool = l->asked_pending - l->asked_for[GY_R_NONE] - l->asked_for[GY_R_PRIORITY], left = amount;
    const bool own = pool > 0;
    int last = GY_R_NONE;

    if (!own)
        pool = l->asked_pending;
    for (int r = 0; amount > 0 && r < GY_R_COUNT; r++) {
        if (l->asked_for[r] <= 0 || own == (r == GY_R_NONE || r == GY_R_PRIORITY))
            continue;
        const int64_t part = (int64_t)((__int128)amount * l->asked_for[r] / pool);
        u->blocked[r] += dt * part;
        left -= part;
        last = r;
    }
    u->blocked[last] += dt * left;
}

static void advance(void *self, const struct gy_ledger *l, gy_time to)
{
    struct unused *u = self;
    const gy_gpu_time dt = to - l->now;
    const int64_t blocked = smaller(l->totals.free, l->asked_pending);
    const int64_t not_eligible = smaller(l->totals.free - blocked, l->asked_at_rest);

    u->failed += dt * u->failed_gpus;
    u->drained += dt * (l->totals.down - u->failed_gpus);
    divide(u, l, blocked, dt);
    u->not_eligible += dt * not_eligible;
    u->no_work += dt * (l->totals.free - blocked - not_eligible);
}

static int on_event(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct unused *u = self;

    (void)l;
    (void)v;
    (void)err;
    if (e->node.i < u->state.n) {
        const int64_t gpus = (int64_t)u->spec->nodes.at[e->node.i].gpus * GY_MILLI;
        u->failed_gpus += gpus * ((e->node_state == GY_NODE_DOWN) - (u->state.at[e->node.i] == GY_NODE_DOWN));
        u->state.at[e->node.i] = (uint8_t)e->node_state;
    }
    return 0;
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct unused *u = self;
    char name[64];

    if (!c->ledger->open)
        return;
    gy_metrics_put(m, "unused_gpu_hours.no_work", gy_gpu_hours(u->no_work));
    gy_metrics_put(m, "unused_gpu_hours.not_eligible", gy_gpu_hours(u->not_eligible));
    for (int r = 0; r < GY_R_COUNT; r++) {
        snprintf(name, sizeof name, "unused_gpu_hours.%s",
                 r == GY_R_NONE ? "waiting" : gy_reason_name((enum gy_reason)r));
        if (u->blocked[r] > 0)
            gy_metrics_put(m, name, gy_gpu_hours(u->blocked[r]));
    }
    gy_metrics_put(m, "unused_gpu_hours.drained", gy_gpu_hours(u->drained));
    gy_metrics_put(m, "unused_gpu_hours.failed", gy_gpu_hours(u->failed));
}

const struct gy_family_type gy_family_unused = {.name = "unused",
                                                .state_size = sizeof(struct unused),
                                                .init = init,
                                                .advance = advance,
                                                .on_event = on_event,
                                                .kinds = 1u << GY_E_NODE,
                                                .emit = emit,
                                                .fini = fini};
