/* fragmentation.mean: the part of the free GPUs that the job mix cannot use.
 *
 * After Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent",
 * USENIX ATC 2023, whose measure is the expected amount of free GPU that a task drawn from the workload cannot use.
 * Here only GPU amounts are looked at, not CPUs, memory or types, and jobs without GPUs are left out of the mix. A node
 * with f wholly free GPUs has none for a job that wants more than f on one node; a partly taken GPU has none for a job
 * of whole GPUs, nor for a fraction larger than what is left of it. The mix: the jobs in the queue and the latest 1000
 * submitted, one count each.
 *
 * Kept as one sum over all (demand, node) pairs, which every change of a node's level or of the mix moves by a prefix
 * sum: O(log levels) a change. */
#include "family.h"
#include <math.h>
#include <stdlib.h>
#include "fenwick.h"

#define RECENT 1000

struct demand { /* on one node: whole GPUs, or a fraction of one in thousandths */
    uint32_t whole, fraction;
};

struct node_state {
    uint32_t free, taken_in_part; /* GPUs wholly free, and partly */
    bool up;
};

struct fragmentation {
    const struct gy_cluster_spec *spec;
    struct node_state *node;
    uint32_t largest;                         /* GPUs of the largest node */
    struct gy_map room;                       /* partly taken GPU → thousandths left */
    struct gy_fenwick free_at, want_whole;    /* by level: thousandths free on nodes there; demands for so many */
    struct gy_fenwick room_at, want_fraction; /* by thousandths: what partly taken GPUs have left; demands */
    int64_t free, room_total; /* thousandths on wholly free and on partly taken GPUs of nodes that are up */
    int64_t mix, mix_whole;   /* demands */
    int64_t unusable;         /* Σ over demands of free thousandths that it cannot use */
    struct demand recent[RECENT];
    uint64_t n_recent;
    double sum, sum_lost; /* ∫ unusable / mix dt, compensated */
    gy_gpu_time free_time;
};

static int init(void *self, const struct gy_account_options *o, struct gy_error *err)
{
    struct fragmentation *f = self;
    const size_t n = o->cluster->nodes.n;

    f->spec = o->cluster;
    if (!(f->node = calloc(n ? n : 1, sizeof *f->node)))
        return gy_nomem(err);
    for (size_t i = 0; i < n; i++)
        if (o->cluster->nodes.at[i].gpus > f->largest)
            f->largest = o->cluster->nodes.at[i].gpus;
    f->free_at.n = f->want_whole.n = f->largest + 1;
    f->room_at.n = f->want_fraction.n = GY_MILLI;
    struct gy_fenwick *all[] = {&f->free_at, &f->want_whole, &f->room_at, &f->want_fraction};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(all[i]->at = calloc((size_t)all[i]->n + 1, sizeof *all[i]->at)))
            return gy_nomem(err);
    for (size_t i = 0; i < n; i++) {
        f->node[i] = (struct node_state){o->cluster->nodes.at[i].gpus, 0, !o->cluster->nodes.at[i].absent};
        if (f->node[i].up) {
            gy_fenwick_add(&f->free_at, f->node[i].free, (int64_t)f->node[i].free * GY_MILLI);
            f->free += (int64_t)f->node[i].free * GY_MILLI;
        }
    }
    return 0;
}

static void fini(void *self)
{
    struct fragmentation *f = self;
    free(f->node);
    free(f->free_at.at);
    free(f->want_whole.at);
    free(f->room_at.at);
    free(f->want_fraction.at);
    gy_map_free(&f->room);
}

/* A node's free GPUs enter (sign 1) or leave (−1) the count. */
static void count_level(struct fragmentation *f, uint32_t free, int sign)
{
    const int64_t amount = sign * (int64_t)free * GY_MILLI;
    f->free += amount;
    f->unusable += amount * (f->mix_whole - gy_fenwick_below(&f->want_whole, free + 1)); /* demands > free */
    gy_fenwick_add(&f->free_at, free, amount);
}

/* What is left of a partly taken GPU enters or leaves the count. */
static void count_room(struct fragmentation *f, uint32_t room, int sign)
{
    const int64_t amount = sign * (int64_t)room;
    f->room_total += amount;
    f->unusable += amount * (f->mix - gy_fenwick_below(&f->want_fraction, room + 1)); /* all but fractions ≤ room */
    gy_fenwick_add(&f->room_at, room, amount);
}

static void count_demand(struct fragmentation *f, struct demand d, int sign)
{
    if (d.whole) {
        f->unusable +=
            sign * (gy_fenwick_below(&f->free_at, d.whole > f->largest ? f->largest + 1 : d.whole) + f->room_total);
        if (d.whole <= f->largest)
            gy_fenwick_add(&f->want_whole, d.whole, sign);
        f->mix_whole += sign;
        f->mix += sign;
    } else if (d.fraction) {
        f->unusable += sign * gy_fenwick_below(&f->room_at, d.fraction);
        gy_fenwick_add(&f->want_fraction, d.fraction, sign);
        f->mix += sign;
    }
}

/* A share's GPUs are taken (sign −1) or given back (1). */
static int move_share(struct fragmentation *f, const struct gy_held *h, int sign, struct gy_error *err)
{
    struct node_state *n = &f->node[h->node.i];
    const uint32_t before = n->free;

    if (h->gpu_milli == GY_MILLI)
        n->free += (uint32_t)(sign * __builtin_popcountll(h->mask));
    for (uint64_t mask = h->gpu_milli < GY_MILLI ? h->mask : 0; mask; mask &= mask - 1) {
        const uint32_t gpu = h->group * 64 + (uint32_t)__builtin_ctzll(mask);
        const uint64_t key = (uint64_t)h->node.i << 12 | gpu;
        uint64_t room = GY_MILLI;
        if (gy_map_get(&f->room, key, &room)) {
            if (n->up)
                count_room(f, (uint32_t)room, -1);
            n->taken_in_part--;
        } else {
            n->free--;
        }
        room += (uint64_t)((int64_t)sign * h->gpu_milli);
        if (room == GY_MILLI) {
            gy_map_erase(&f->room, key);
            n->free++;
            continue;
        }
        if (!gy_map_put(&f->room, key, room))
            return gy_nomem(err);
        n->taken_in_part++;
        if (n->up)
            count_room(f, (uint32_t)room, 1);
    }
    if (n->up && n->free != before) {
        count_level(f, before, -1);
        count_level(f, n->free, 1);
    }
    return 0;
}

static void set_up(struct fragmentation *f, uint32_t node, bool up)
{
    struct node_state *n = &f->node[node];
    const int sign = up ? 1 : -1;
    uint64_t room;

    if (n->up == up)
        return;
    n->up = up;
    count_level(f, n->free, sign);
    for (uint32_t g = 0; n->taken_in_part && g < f->spec->nodes.at[node].gpus; g++)
        if (gy_map_get(&f->room, (uint64_t)node << 12 | g, &room))
            count_room(f, (uint32_t)room, sign);
}

/* What the job wants on one node, from its shape if the view has shapes. */
static struct demand demand_of(const struct fragmentation *f, const struct gy_view *v, const struct gy_job *j)
{
    const struct gy_job_rec *r = &j->rec;

    if (r->gpus == 0)
        return (struct demand){0, 0};
    if (r->gpu_milli < GY_MILLI)
        return (struct demand){0, r->gpu_milli};
    if (v->shapes) {
        const struct gy_shape *s = gy_shape_at(v->shapes, j->shape);
        return (struct demand){s->any_split ? 1 : s->gpus ? s->gpus : s->rest, 0};
    }
    if (r->gpus_per_node)
        return (struct demand){r->gpus_per_node, 0};
    if (r->nodes)
        return (struct demand){(r->gpus + r->nodes - 1) / r->nodes, 0};
    return (struct demand){r->gpus < f->largest ? r->gpus : f->largest, 0};
}

static void submit(struct fragmentation *f, struct demand d)
{
    struct demand *slot = &f->recent[f->n_recent % RECENT];

    if (d.whole == 0 && d.fraction == 0)
        return;
    if (f->n_recent >= RECENT)
        count_demand(f, *slot, -1);
    *slot = d;
    count_demand(f, d, 1);
    f->n_recent++;
}

static double unusable_now(const struct fragmentation *f)
{
    return f->mix > 0 ? (double)f->unusable / (double)f->mix : 0;
}

static void advance(void *self, const struct gy_ledger *l, gy_time to)
{
    struct fragmentation *f = self;
    const double x = unusable_now(f) * (double)(to - l->now), next = f->sum + x;

    f->sum_lost += f->sum >= x ? (f->sum - next) + x : (x - next) + f->sum;
    f->sum = next;
    f->free_time += (gy_gpu_time)(f->free + f->room_total) * (to - l->now);
}

static int on_event(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct fragmentation *f = self;

    for (uint32_t i = 0; i < l->released.n; i++)
        if (move_share(f, &l->released.at[i], 1, err))
            return -1;
    for (uint32_t i = 0; i < l->taken.n; i++)
        if (move_share(f, &l->taken.at[i], -1, err))
            return -1;
    if (e->kind == GY_E_NODE && e->node.i < f->spec->nodes.n)
        set_up(f, e->node.i, e->node_state == GY_NODE_UP);
    if (e->kind == GY_E_SUBMIT)
        submit(f, demand_of(f, v, e->job));
    if (l->queued)
        count_demand(f, demand_of(f, v, e->job), l->queued);
    return 0;
}

double gy_fragmentation_now(const void *state)
{
    const struct fragmentation *f = state;
    return f->free + f->room_total > 0 ? unusable_now(f) / (double)(f->free + f->room_total) : NAN;
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct fragmentation *f = self;

    (void)c;
    gy_metrics_put(m, "fragmentation.mean", f->free_time > 0 ? (f->sum + f->sum_lost) / (double)f->free_time : NAN);
}

const struct gy_family_type gy_family_fragmentation = {.name = "fragmentation",
                                                       .state_size = sizeof(struct fragmentation),
                                                       .init = init,
                                                       .advance = advance,
                                                       .on_event = on_event,
                                                       .kinds = 1u << GY_E_SUBMIT | 1u << GY_E_ELIGIBLE |
                                                                1u << GY_E_START | 1u << GY_E_PREEMPT |
                                                                1u << GY_E_RESIZE | 1u << GY_E_END | 1u << GY_E_NODE,
                                                       .emit = emit,
                                                       .fini = fini};
