/* The twin of conservative backfill: no profile is kept. What is free on a node at a time is added up from all running
 * jobs and all reservations whenever it is asked for, and every reserved job is taken out and put back at every chance.
 */
#ifndef SCHED_TWIN_CONSERVATIVE_H
#define SCHED_TWIN_CONSERVATIVE_H
#include "sched_twin.h"

struct tc_job { /* by trace row */
    bool seen, reserved;
    gy_time start, estimate;
    const struct gy_shape *shape;
    struct gy_share part[TWIN_NODES]; /* masks unused; gpu_milli: number of whole GPUs */
    uint32_t n;
};
struct tc {
    const struct twin *t;
    uint64_t depth, freed;
    bool passed;
    uint8_t state[TWIN_NODES];
    struct tc_job job[TWIN_JOBS];
    const struct gy_view *v;
    gy_time length; /* of the window asked for by the guard */
    bool exclusive;
};

static inline bool tc_running(const struct gy_job *j)
{
    return j->generation % 2 == 0 && j->state == GY_RUNNING;
}

struct tc_free {
    int gpus, shares;
    int64_t cpu, mem;
};

/* What is free on the node at the time; fractions: until the last holder's end. */
static inline struct tc_free tc_at(const struct tc *c, uint32_t node, gy_time t)
{
    struct twin_world w;
    twin_copy(c->v, &w);
    struct twin_node *n = &w.node[node];
    for (uint32_t i = 0; i < c->v->job_rows; i++) {
        const struct gy_job *j = &c->v->jobs[i];
        if (tc_running(j) && j->expected_end <= t)
            twin_add(&w, j->shares, j->n_shares, 1);
    }
    struct tc_free f = {twin_free(n), n->jobs, n->cpu, n->mem};
    for (uint32_t r = 0; r < TWIN_JOBS; r++) {
        const struct tc_job *j = &c->job[r];
        if (!j->reserved || t < j->start || t >= gy_time_add(j->start, j->estimate))
            continue;
        for (uint32_t k = 0; k < j->n; k++)
            if (j->part[k].node.i == node) {
                f.gpus -= (int)j->part[k].gpu_milli;
                f.shares++;
                f.cpu = f.cpu == INT64_MAX ? f.cpu : f.cpu - (int64_t)j->part[k].cpu_milli;
                f.mem = f.mem == INT64_MAX ? f.mem : f.mem - (int64_t)j->part[k].mem_mib;
            }
    }
    if (!n->usable)
        f = (struct tc_free){-1, 1, -1, -1};
    return f;
}

static inline bool tc_ok(struct tc_free f, int gpus, int64_t cpu, int64_t mem, bool exclusive)
{
    return f.gpus >= gpus && f.cpu >= cpu && f.mem >= mem && (!exclusive || f.shares == 0);
}

/* All times at which something changes, from now on, ascending. */
static inline uint32_t tc_times(const struct tc *c, gy_time *out)
{
    uint32_t n = 0;
    out[n++] = c->v->now;
    for (uint32_t i = 0; i < c->v->job_rows; i++)
        if (tc_running(&c->v->jobs[i]) && c->v->jobs[i].expected_end > c->v->now)
            out[n++] = c->v->jobs[i].expected_end;
    for (uint32_t r = 0; r < TWIN_JOBS; r++)
        if (c->job[r].reserved && c->job[r].start != GY_NEVER) {
            const gy_time end = gy_time_add(c->job[r].start, c->job[r].estimate);
            if (c->job[r].start > c->v->now)
                out[n++] = c->job[r].start;
            if (end > c->v->now)
                out[n++] = end;
        }
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && out[k] < out[k - 1]; k--) {
            const gy_time swap = out[k];
            out[k] = out[k - 1];
            out[k - 1] = swap;
        }
    return n;
}

static inline bool tc_has(const struct tc *c, uint32_t node, int gpus, int64_t cpu, int64_t mem, bool exclusive,
                          gy_time t, gy_time length)
{
    gy_time times[4 * TWIN_JOBS];
    const uint32_t n = tc_times(c, times);
    bool ok = tc_ok(tc_at(c, node, t), gpus, cpu, mem, exclusive);
    for (uint32_t i = 0; i < n && ok; i++)
        if (times[i] > t && times[i] < gy_time_add(t, length))
            ok = tc_ok(tc_at(c, node, times[i]), gpus, cpu, mem, exclusive);
    return ok;
}

static inline void tc_part(const struct tc *c, struct tc_job *j, uint32_t node, uint32_t gpus, uint64_t cpu,
                           uint64_t mem)
{
    const struct gy_node_spec *spec = &gy_cluster_spec(c->v->cluster)->nodes.at[node];
    if (j->shape->exclusive) {
        gpus = spec->gpus + 1;
        cpu = spec->cpu_milli ? spec->cpu_milli : cpu;
        mem = spec->mem_mib ? spec->mem_mib : mem;
    }
    j->part[j->n++] = (struct gy_share){.node = {node}, .gpu_milli = gpus, .cpu_milli = (uint32_t)cpu, .mem_mib = mem};
}

static inline bool tc_fit_split(const struct tc *c, struct tc_job *j, gy_time t)
{
    const struct gy_shape *s = j->shape;
    uint32_t left = s->gpus;
    for (uint32_t i = 0; i < gy_cluster_nodes(c->v->cluster) && left > 0; i++) {
        uint32_t k = twin_eligible(c->v, s, i) ? left : 0;
        while (k > 0 && !tc_has(c, i, (int)k, (int64_t)(k * s->cpu_milli), (int64_t)(k * s->mem_mib), s->exclusive, t,
                                j->estimate))
            k--;
        if (k > 0)
            tc_part(c, j, i, k, k * s->cpu_milli, k * s->mem_mib);
        left -= k;
    }
    return left == 0;
}

/* Fills the job's parts with the lowest nodes on which it could start at t. */
static inline bool tc_fit_at(const struct tc *c, struct tc_job *j, gy_time t)
{
    const struct gy_shape *s = j->shape;
    uint32_t got = 0;
    bool taken[TWIN_NODES] = {false};
    j->n = 0;
    if (s->any_split)
        return tc_fit_split(c, j, t);
    const int gpus = (int)(s->fraction ? s->fraction_gpus : s->gpus);
    for (uint32_t i = 0; i < gy_cluster_nodes(c->v->cluster) && got < s->full_nodes; i++)
        if (twin_eligible(c->v, s, i) &&
            tc_has(c, i, gpus, (int64_t)s->cpu_milli, (int64_t)s->mem_mib, s->exclusive, t, j->estimate)) {
            tc_part(c, j, i, (uint32_t)gpus, s->cpu_milli, s->mem_mib);
            taken[i] = true;
            got++;
        }
    if (got < s->full_nodes)
        return false;
    for (uint32_t i = 0; s->rest && i < gy_cluster_nodes(c->v->cluster); i++)
        if (!taken[i] && twin_eligible(c->v, s, i) &&
            tc_has(c, i, (int)s->rest, (int64_t)s->rest_cpu_milli, (int64_t)s->rest_mem_mib, s->exclusive, t,
                   j->estimate)) {
            tc_part(c, j, i, s->rest, s->rest_cpu_milli, s->rest_mem_mib);
            return true;
        }
    return s->rest == 0;
}

static inline gy_time tc_earliest(const struct tc *c, struct tc_job *j, gy_time before)
{
    gy_time times[4 * TWIN_JOBS];
    const uint32_t n = tc_times(c, times);
    for (uint32_t i = 0; i < n && times[i] < before; i++)
        if (tc_fit_at(c, j, times[i]))
            return times[i];
    return GY_NEVER;
}

static inline bool tc_grants(void *ctx, const struct gy_share *s)
{
    const struct tc *c = ctx;
    const bool part = s->mask && s->gpu_milli < GY_MILLI;
    const gy_time end = gy_time_add(c->v->now, c->length);
    if (!tc_has(c, s->node.i, part ? 0 : __builtin_popcountll(s->mask), (int64_t)s->cpu_milli, (int64_t)s->mem_mib,
                c->exclusive, c->v->now, c->length))
        return false;
    gy_time from = GY_NEVER;
    int gpus = 0;
    for (uint64_t m = part ? s->mask : 0; m; m &= m - 1) {
        gy_time whole = c->v->now;
        for (uint32_t i = 0; i < c->v->job_rows; i++) {
            const struct gy_job *j = &c->v->jobs[i];
            for (uint32_t k = 0; tc_running(j) && k < j->n_shares; k++)
                if (j->shares[k].node.i == s->node.i && (j->shares[k].mask & m & -m) && j->expected_end > whole)
                    whole = j->expected_end;
        }
        gpus += whole < end;
        from = whole < from ? whole : from;
    }
    return gpus == 0 || tc_has(c, s->node.i, gpus, 0, 0, false, from, end - from);
}

/* 1: started, 0: no, -1: failed. */
static inline int tc_try(struct tc *c, struct gy_plan *plan, uint32_t row, const struct gy_shape *s, gy_time estimate)
{
    struct twin_world now;
    struct gy_share out[TWIN_NODES];
    struct twin_guard guard = {.grants = tc_grants, .ctx = c};
    twin_copy(c->v, &now);
    c->length = estimate;
    c->exclusive = s->exclusive;
    const size_t n = twin_place(c->v, &now, s, c->t->place, &guard, out);
    if (n == 0)
        return 0;
    return gy_plan_start(plan, (gy_job_id){row}, out, n) ? -1 : 1;
}

static inline int tc_fit_anew(struct tc *c, struct gy_plan *plan, uint32_t row)
{
    struct tc_job *j = &c->job[c->v->jobs[row].rec.row];
    int started = 0;
    j->reserved = false;
    if (j->shape->fraction)
        started = tc_try(c, plan, row, j->shape, j->estimate);
    if (started)
        return started;
    j->start = tc_earliest(c, j, GY_NEVER);
    struct tc_job found = *j;
    if (j->start <= c->v->now && !j->shape->fraction)
        started = tc_try(c, plan, row, j->shape, j->estimate);
    *j = found;
    j->reserved = !started;
    return started;
}

static inline int tc_move(struct tc *c, struct gy_plan *plan, uint32_t row)
{
    struct tc_job *j = &c->job[c->v->jobs[row].rec.row], old = *j;
    const bool due = old.start <= c->v->now;
    int started = 0;
    j->reserved = false;
    if (due || j->shape->fraction)
        started = tc_try(c, plan, row, j->shape, j->estimate);
    if (started)
        return started;
    const gy_time t = tc_earliest(c, j, due ? GY_NEVER : old.start);
    if (!due && t <= c->v->now && !j->shape->fraction)
        started = tc_try(c, plan, row, j->shape, j->estimate);
    if (started)
        return started;
    if (t == GY_NEVER && !due)
        *j = old;
    else
        j->start = t;
    j->reserved = true;
    return 0;
}

static inline int tc_rest(struct tc *c, struct gy_plan *plan, bool whole, const uint32_t *queue, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct gy_job *j = &c->v->jobs[queue[i]];
        struct tc_job *t = &c->job[j->rec.row];
        if (j->state != GY_PENDING || t->reserved || (!whole && t->seen))
            continue;
        if (tc_try(c, plan, queue[i], gy_shape_at(c->v->shapes, j->shape), gy_job_estimate(j)) < 0)
            return -1;
    }
    return 0;
}

/* The first of the queue get reservations; one that is overtaken when there are enough loses it. */
static inline int tc_refill(struct tc *c, struct gy_plan *plan, const uint32_t *queue, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct gy_job *j = &c->v->jobs[queue[i]];
        struct tc_job *t = &c->job[j->rec.row];
        uint64_t held = 0;
        uint32_t last = UINT32_MAX;
        for (uint32_t k = 0; k < n; k++)
            if (c->job[c->v->jobs[queue[k]].rec.row].reserved) {
                held++;
                last = k;
            }
        if (j->state != GY_PENDING || t->reserved)
            continue;
        if (held >= c->depth && (last == UINT32_MAX || last < i))
            return 0;
        if (held >= c->depth)
            c->job[c->v->jobs[queue[last]].rec.row].reserved = false;
        t->shape = gy_shape_at(c->v->shapes, j->shape);
        t->estimate = gy_job_estimate(j);
        if (tc_fit_anew(c, plan, queue[i]) < 0)
            return -1;
    }
    return 0;
}

static inline int tc_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    struct tc *c = self;
    uint32_t queue[TWIN_JOBS];
    const uint32_t n = twin_queue(v, c->t->order, queue);
    bool anew = false, whole = gy_cluster_freed(v->cluster) != c->freed, pending[TWIN_JOBS] = {false};
    c->v = v;
    c->freed = gy_cluster_freed(v->cluster);
    for (uint32_t i = 0; i < gy_cluster_nodes(v->cluster); i++) {
        const uint8_t state = gy_cluster_node(v->cluster, (gy_node_id){i})->state == GY_NODE_UP;
        anew = anew || (c->passed && state != c->state[i]) || (!c->passed && !state);
        c->state[i] = state;
    }
    for (uint32_t i = 0; i < n; i++)
        pending[v->jobs[queue[i]].rec.row] = true;
    for (uint32_t r = 0; r < TWIN_JOBS; r++)
        if (c->job[r].reserved && !pending[r]) { /* cancelled */
            c->job[r].reserved = false;
            whole = true;
        }
    if (anew)
        for (uint32_t r = 0; r < TWIN_JOBS; r++)
            c->job[r].start = GY_NEVER;
    bool was[TWIN_JOBS];
    for (uint32_t i = 0; i < n; i++) {
        struct tc_job *j = &c->job[v->jobs[queue[i]].rec.row];
        was[i] = j->reserved;
        if (anew)
            j->reserved = false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct tc_job *j = &c->job[v->jobs[queue[i]].rec.row];
        if (!was[i] || (!anew && !whole && j->start > v->now))
            continue;
        if ((anew ? tc_fit_anew(c, plan, queue[i]) : tc_move(c, plan, queue[i])) < 0)
            return -1;
    }
    if (tc_refill(c, plan, queue, n) || tc_rest(c, plan, whole || anew, queue, n))
        return -1;
    gy_time wake = GY_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        struct tc_job *j = &c->job[v->jobs[queue[i]].rec.row];
        j->seen = true;
        if (j->reserved && j->start > v->now && j->start < wake)
            wake = j->start;
    }
    if (wake != GY_NEVER)
        gy_plan_wake(plan, wake);
    c->passed = true;
    return 0;
}

static inline int tc_init(void *self, const void *params, const struct gy_view *v, struct gy_error *err)
{
    struct tc *c = self;
    (void)v;
    (void)err;
    c->t = params;
    c->depth = c->t->depth ? c->t->depth : UINT64_MAX;
    return 0;
}

static const struct gy_policy_type tc_policy = {
    .name = "twin", .summary = "", .state_size = sizeof(struct tc), .init = tc_init, .decide = tc_decide};
#endif
