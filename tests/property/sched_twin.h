/* Twins of the composed policy, written as plainly as possible: every pass starts from nothing, looks at every node and
 * every job, and copies the whole cluster to ask what would be. Quadratic and slow; for small instances only. */
#ifndef SCHED_TWIN_H
#define SCHED_TWIN_H
#include "../sched_bed.h"

#define TWIN_NODES 32
#define TWIN_GPUS  8
#define TWIN_JOBS  256

enum twin_mode { TWIN_STRICT, TWIN_BEST, TWIN_EASY, TWIN_CONSERVATIVE, TWIN_NAMED };
enum twin_place { TWIN_FIRST, TWIN_PACK, TWIN_SPREAD };
struct twin {
    enum twin_mode mode;
    enum twin_place place;
    const struct gy_order_type *order;
    uint64_t depth; /* of conservative reservations, 0: all */
};

struct twin_node {
    bool usable;
    int milli[TWIN_GPUS], gpus;
    int64_t cpu, mem; /* INT64_MAX: not modelled */
    int jobs;
};
struct twin_world {
    uint32_t n;
    struct twin_node node[TWIN_NODES];
};

static inline void twin_copy(const struct gy_view *v, struct twin_world *w)
{
    w->n = gy_cluster_nodes(v->cluster);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct gy_node *n = gy_cluster_node(v->cluster, (gy_node_id){i});
        struct twin_node *t = &w->node[i];
        *t = (struct twin_node){.usable = n->state == GY_NODE_UP, .gpus = (int)n->gpus, .jobs = (int)n->jobs};
        for (int g = 0; g < t->gpus; g++)
            t->milli[g] = (int)gy_cluster_gpu_free_milli(v->cluster, (gy_node_id){i}, (uint32_t)g);
        t->cpu = n->cpu_free == UINT64_MAX ? INT64_MAX : (int64_t)n->cpu_free;
        t->mem = n->mem_free == UINT64_MAX ? INT64_MAX : (int64_t)n->mem_free;
    }
}

static inline void twin_add(struct twin_world *w, const struct gy_share *s, size_t n, int sign)
{
    for (size_t i = 0; i < n; i++) {
        struct twin_node *t = &w->node[s[i].node.i];
        for (int g = 0; g < t->gpus; g++)
            if (s[i].mask >> g & 1)
                t->milli[g] += sign * (int)s[i].gpu_milli;
        t->cpu = t->cpu == INT64_MAX ? t->cpu : t->cpu + sign * (int64_t)s[i].cpu_milli;
        t->mem = t->mem == INT64_MAX ? t->mem : t->mem + sign * (int64_t)s[i].mem_mib;
        t->jobs -= sign;
    }
}

static inline int twin_free(const struct twin_node *t)
{
    int n = 0;
    for (int g = 0; g < t->gpus; g++)
        n += t->milli[g] == GY_MILLI;
    return n;
}

static inline bool twin_eligible(const struct gy_view *v, const struct gy_shape *s, uint32_t node)
{
    const uint32_t k = gy_cluster_node(v->cluster, (gy_node_id){node})->klass;
    for (uint32_t i = 0; i < s->n_classes; i++)
        if (s->classes[i] == k)
            return true;
    return false;
}

/* Whether the node holds so much; part: 0 full size, 1 the rest. */
static inline bool twin_holds(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s, uint32_t i,
                              bool rest)
{
    const struct twin_node *t = &w->node[i];
    const int64_t cpu = (int64_t)(rest ? s->rest_cpu_milli : s->cpu_milli);
    const int64_t mem = (int64_t)(rest ? s->rest_mem_mib : s->mem_mib);
    if (!t->usable || !twin_eligible(v, s, i) || t->cpu < cpu || t->mem < mem || (s->exclusive && t->jobs > 0))
        return false;
    if (s->exclusive && twin_free(t) < t->gpus)
        return false;
    if (s->fraction) {
        uint32_t room = 0;
        for (int g = 0; g < t->gpus; g++)
            room += t->milli[g] >= (int)s->fraction;
        return room >= s->fraction_gpus;
    }
    return twin_free(t) >= (int)(rest ? s->rest : s->gpus);
}

static inline int64_t twin_split_gpus(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                      uint32_t i)
{
    const struct twin_node *t = &w->node[i];
    int64_t n = t->usable && twin_eligible(v, s, i) ? twin_free(t) : 0;
    if (s->exclusive && (t->jobs > 0 || twin_free(t) < t->gpus))
        return 0;
    while (n > 0 && (t->cpu < n * (int64_t)s->cpu_milli || t->mem < n * (int64_t)s->mem_mib))
        n--;
    return n;
}

static inline bool twin_fits(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s)
{
    uint32_t full = 0, rest = 0;
    int64_t gpus = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        full += twin_holds(v, w, s, i, false);
        rest += s->rest && twin_holds(v, w, s, i, true);
        gpus += s->any_split ? twin_split_gpus(v, w, s, i) : 0;
    }
    if (s->any_split)
        return gpus >= (int64_t)s->gpus;
    return full >= s->full_nodes && (!s->rest || rest > s->full_nodes);
}

/* A guard over a placement: the head must still fit in the world at its time with the shares taken. NULL: none. */
struct twin_guard {
    const struct gy_shape *head;
    struct twin_world *then;
    bool named; /* easy-batsched: the head's own nodes */
    uint32_t nodes[TWIN_NODES];
    uint32_t n_nodes;
    bool (*grants)(void *ctx, const struct gy_share *s); /* instead, when set */
    void *ctx;
};

static inline bool twin_granted(const struct gy_view *v, struct twin_guard *g, const struct gy_share *s)
{
    if (!g)
        return true;
    if (g->grants)
        return g->grants(g->ctx, s);
    twin_add(g->then, s, 1, -1);
    bool ok = true;
    if (!g->named)
        ok = twin_fits(v, g->then, g->head);
    for (uint32_t i = 0; g->named && i < g->n_nodes; i++)
        if (g->nodes[i] == s->node.i)
            ok = twin_holds(v, g->then, g->head, s->node.i, i >= g->head->full_nodes);
    if (!ok)
        twin_add(g->then, s, 1, 1);
    return ok;
}

static inline struct gy_share twin_share(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                         uint32_t i, bool rest, bool widest)
{
    const struct twin_node *t = &w->node[i];
    struct gy_share out = {.node = {i},
                           .gpu_milli = s->fraction ? s->fraction : GY_MILLI,
                           .cpu_milli = (uint32_t)(rest ? s->rest_cpu_milli : s->cpu_milli),
                           .mem_mib = rest ? s->rest_mem_mib : s->mem_mib};
    if (s->exclusive) {
        const struct gy_node_spec *spec = &gy_cluster_spec(v->cluster)->nodes.at[i];
        out.mask = (UINT64_C(1) << t->gpus) - 1;
        out.cpu_milli = spec->cpu_milli ? (uint32_t)spec->cpu_milli : out.cpu_milli;
        out.mem_mib = spec->mem_mib ? spec->mem_mib : out.mem_mib;
        return out;
    }
    for (uint32_t k = 0; k < (s->fraction ? s->fraction_gpus : rest ? s->rest : s->gpus); k++) {
        int best = -1;
        for (int g = 0; g < t->gpus; g++) {
            if ((out.mask >> g & 1) || t->milli[g] < (int)out.gpu_milli)
                continue;
            if (best < 0 || (s->fraction && (widest ? t->milli[g] > t->milli[best] : t->milli[g] < t->milli[best])))
                best = g;
        }
        out.mask |= UINT64_C(1) << best;
    }
    return out;
}

/* Nodes in the placement's order. */
static inline void twin_sort(const struct twin_world *w, enum twin_place place, uint32_t *order)
{
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t k = i;
        for (; k > 0; k--) {
            const int a = twin_free(&w->node[i]), b = twin_free(&w->node[order[k - 1]]);
            if (place == TWIN_FIRST || (place == TWIN_PACK ? a >= b : a <= b))
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

static inline int twin_by_node(const void *a, const void *b)
{
    const struct gy_share *x = a, *y = b;
    return x->node.i < y->node.i ? -1 : 1;
}

/* For pack and spread of one fraction: the GPU that is best in the whole cluster. */
static inline int twin_one_gpu(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                               enum twin_place place, struct gy_share *out)
{
    int best = -1, best_room = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (!twin_holds(v, w, s, i, false))
            continue;
        for (int g = 0; g < w->node[i].gpus; g++) {
            const int room = w->node[i].milli[g];
            if (room < (int)s->fraction || room == GY_MILLI)
                continue;
            if (best < 0 || (place == TWIN_SPREAD ? room > best_room : room < best_room)) {
                best = (int)i;
                best_room = room;
                *out = (struct gy_share){.node = {i},
                                         .mask = UINT64_C(1) << g,
                                         .gpu_milli = s->fraction,
                                         .cpu_milli = (uint32_t)s->cpu_milli,
                                         .mem_mib = s->mem_mib};
            }
        }
    }
    return best;
}

/* Takes up to left GPUs of a node of a job that may be split in any way. */
static inline uint32_t twin_some(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                 uint32_t i, uint32_t left, struct twin_guard *guard, struct gy_share *out)
{
    int64_t k = twin_split_gpus(v, w, s, i);
    for (k = k < left ? k : left; k > 0; k--) {
        struct gy_shape part = *s;
        part.gpus = (uint32_t)k;
        part.cpu_milli *= (uint64_t)k;
        part.mem_mib *= (uint64_t)k;
        *out = twin_share(v, w, &part, i, false, false);
        if (twin_granted(v, guard, out))
            return (uint32_t)k;
    }
    return 0;
}

static inline size_t twin_split_any(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                    const uint32_t *order, struct twin_guard *guard, struct gy_share *out)
{
    uint32_t left = s->gpus;
    size_t n = 0;
    for (uint32_t i = 0; i < w->n && left > 0; i++) {
        const uint32_t k = twin_some(v, w, s, order[i], left, guard, &out[n]);
        n += k > 0;
        left -= k;
    }
    return left ? 0 : n;
}

static inline size_t twin_split_pack(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                     const uint32_t *up, const uint32_t *down, struct twin_guard *guard,
                                     struct gy_share *out)
{
    uint32_t left = s->gpus, failed = UINT32_MAX;
    size_t n = 0;
    bool taken[TWIN_NODES] = {false};
    for (uint32_t i = 0; left > 0; i++) {
        while (i < w->n && (taken[down[i]] || twin_split_gpus(v, w, s, down[i]) == 0))
            i++;
        if (i == w->n)
            return 0;
        if (twin_free(&w->node[down[i]]) >= (int)left && left < failed) {
            for (uint32_t k = 0; k < w->n; k++) {
                struct gy_shape last = *s;
                last.gpus = left;
                last.cpu_milli *= left;
                last.mem_mib *= left;
                if (taken[up[k]] || !twin_holds(v, w, &last, up[k], false))
                    continue;
                out[n] = twin_share(v, w, &last, up[k], false, false);
                if (twin_granted(v, guard, &out[n]))
                    return n + 1;
            }
            failed = left;
        }
        const uint32_t k = twin_some(v, w, s, down[i], left, guard, &out[n]);
        taken[down[i]] = true;
        n += k > 0;
        left -= k;
    }
    return n;
}

static inline size_t twin_split_spread(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                       const uint32_t *down, struct twin_guard *guard, struct gy_share *out)
{
    uint32_t list[TWIN_NODES], m = 0, left = s->gpus;
    size_t n = 0;
    if (guard)
        return twin_split_any(v, w, s, down, guard, out);
    for (uint32_t i = 0; i < w->n && m < s->gpus; i++) {
        const struct twin_node *t = &w->node[down[i]];
        if (t->usable && twin_eligible(v, s, down[i]) && twin_free(t) > 0 && t->cpu >= (int64_t)s->cpu_milli &&
            t->mem >= (int64_t)s->mem_mib)
            list[m++] = down[i];
    }
    for (uint32_t i = 0; i < m && left > 0; i++) {
        uint32_t behind = 0, want = (left + (m - i) - 1) / (m - i);
        for (uint32_t k = i + 1; k < m; k++)
            behind += (uint32_t)twin_free(&w->node[list[k]]);
        if (left - want > behind)
            want = left - behind;
        const uint32_t k = twin_some(v, w, s, list[i], want, guard, &out[n]);
        n += k > 0;
        left -= k;
    }
    return left ? twin_split_any(v, w, s, down, guard, out) : n;
}

static inline void twin_sort(const struct twin_world *w, enum twin_place place, uint32_t *order);

static inline size_t twin_split(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                enum twin_place place, struct twin_guard *guard, struct gy_share *out)
{
    uint32_t id[TWIN_NODES], up[TWIN_NODES], down[TWIN_NODES];
    twin_sort(w, TWIN_FIRST, id);
    twin_sort(w, TWIN_PACK, up);
    twin_sort(w, TWIN_SPREAD, down);
    return place == TWIN_FIRST  ? twin_split_any(v, w, s, id, guard, out)
           : place == TWIN_PACK ? twin_split_pack(v, w, s, up, down, guard, out)
                                : twin_split_spread(v, w, s, down, guard, out);
}

/* The placement. Number of shares, 0: does not fit or is not granted. */
static inline size_t twin_place(const struct gy_view *v, const struct twin_world *w, const struct gy_shape *s,
                                enum twin_place place, struct twin_guard *guard, struct gy_share *out)
{
    uint32_t order[TWIN_NODES];
    struct twin_world then;
    size_t n = 0;
    bool taken[TWIN_NODES] = {false};
    if (guard && guard->then)
        then = *guard->then;
    if (s->any_split) {
        n = twin_split(v, w, s, place, guard, out);
        if (n == 0 && guard && guard->then)
            *guard->then = then;
        qsort(out, n, sizeof *out, twin_by_node);
        return n;
    }
    if (s->fraction_gpus == 1 && !s->exclusive && place == TWIN_PACK && twin_one_gpu(v, w, s, place, out) >= 0 &&
        twin_granted(v, guard, out))
        return 1;
    bool whole = false;
    for (uint32_t i = 0; i < w->n; i++)
        whole = whole || (w->node[i].usable && twin_eligible(v, s, i) && twin_free(&w->node[i]) > 0);
    if (s->fraction_gpus == 1 && !s->exclusive && place == TWIN_SPREAD && !guard && !whole)
        return twin_one_gpu(v, w, s, place, out) >= 0;
    twin_sort(w, place, order);
    for (int part = 0; part < 2; part++) {
        const uint32_t want = part ? (s->rest > 0) : s->full_nodes;
        uint32_t got = 0;
        for (uint32_t i = 0; i < w->n && got < want; i++) {
            if (taken[order[i]] || !twin_holds(v, w, s, order[i], part))
                continue;
            out[n] = twin_share(v, w, s, order[i], part, place == TWIN_SPREAD);
            if (!twin_granted(v, guard, &out[n]))
                continue;
            n++;
            got++;
            taken[order[i]] = true;
        }
        if (got < want) {
            if (guard && guard->then)
                *guard->then = then;
            return 0;
        }
    }
    qsort(out, n, sizeof *out, twin_by_node);
    return n;
}

/* Pending jobs in queue order. */
static inline uint32_t twin_queue(const struct gy_view *v, const struct gy_order_type *order, uint32_t *queue)
{
    uint32_t n = 0;
    for (uint32_t row = v->pending_first; row != UINT32_MAX; row = v->jobs[row].next) {
        const struct gy_job *j = &v->jobs[row];
        uint32_t k = n++;
        for (; k > 0; k--) {
            const struct gy_job *o = &v->jobs[queue[k - 1]];
            const double a = order->key(v, j), b = order->key(v, o);
            if (a != b ? a > b : j->queued != o->queued ? j->queued > o->queued : j->rec.row > o->rec.row)
                break;
            queue[k] = queue[k - 1];
        }
        queue[k] = row;
    }
    return n;
}

/* The world at the earliest time at which the shape fits by the expected ends. */
static inline gy_time twin_shadow(const struct gy_view *v, const struct gy_shape *s, struct twin_world *then)
{
    gy_time at = v->now;
    for (;;) {
        gy_time next = GY_NEVER;
        twin_copy(v, then);
        for (uint32_t i = 0; i < v->job_rows; i++) {
            const struct gy_job *j = &v->jobs[i];
            if (j->generation % 2 || j->state != GY_RUNNING)
                continue;
            if (j->expected_end <= at)
                twin_add(then, j->shares, j->n_shares, 1);
            else if (j->expected_end < next)
                next = j->expected_end;
        }
        if (twin_fits(v, then, s))
            return at;
        if (next == GY_NEVER)
            return GY_NEVER;
        at = next;
    }
}

static inline int twin_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    const struct twin *t = *(const struct twin *const *)self;
    uint32_t queue[TWIN_JOBS];
    const uint32_t n = twin_queue(v, t->order, queue);
    struct twin_world now, then;
    struct gy_share out[TWIN_NODES];
    struct twin_guard guard = {.then = &then};
    gy_time shadow = GY_NONE;
    for (uint32_t i = 0; i < n; i++) {
        const struct gy_job *j = &v->jobs[queue[i]];
        const struct gy_shape *s = gy_shape_at(v->shapes, j->shape);
        twin_copy(v, &now);
        const bool late = shadow != GY_NONE && gy_time_add(v->now, gy_job_estimate(j)) > shadow;
        const size_t k = twin_place(v, &now, s, t->place, late ? &guard : NULL, out);
        if (k > 0) {
            if (gy_plan_start(plan, (gy_job_id){queue[i]}, out, k))
                return -1;
            continue;
        }
        if (t->mode == TWIN_STRICT)
            return 0;
        if (t->mode == TWIN_EASY && shadow == GY_NONE) {
            guard.head = s;
            shadow = twin_shadow(v, s, &then);
        }
    }
    return 0;
}

static inline int twin_init(void *self, const void *params, const struct gy_view *v, struct gy_error *err)
{
    (void)v;
    (void)err;
    *(const void **)self = params;
    return 0;
}

static const struct gy_policy_type twin_policy = {
    .name = "twin", .summary = "", .state_size = sizeof(void *), .init = twin_init, .decide = twin_decide};
#endif
