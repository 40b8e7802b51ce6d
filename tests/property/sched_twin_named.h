/* The twin of easy-batsched: the head's reservation with its named nodes is remembered, all else is worked out anew. */
#ifndef SCHED_TWIN_NAMED_H
#define SCHED_TWIN_NAMED_H
#include "sched_twin.h"

struct tn {
    const struct twin *t;
    uint64_t freed;
    bool passed, blocked, seen[TWIN_JOBS];
    uint32_t head; /* trace row */
    gy_time at;
    const struct gy_shape *shape;
    int64_t full[TWIN_NODES]; /* what the reservation wants of each node */
    bool rest[TWIN_NODES];
    const struct gy_view *v;
};

/* The world at the reservation's time, by who runs now. */
static inline void tn_world(const struct tn *c, struct twin_world *w)
{
    twin_copy(c->v, w);
    for (uint32_t i = 0; i < c->v->job_rows; i++) {
        const struct gy_job *j = &c->v->jobs[i];
        if (j->generation % 2 == 0 && j->state == GY_RUNNING && j->expected_end <= c->at)
            twin_add(w, j->shares, j->n_shares, 1);
    }
}

static inline int64_t tn_full(const struct tn *c, const struct twin_world *w, uint32_t i)
{
    return c->shape->any_split ? twin_split_gpus(c->v, w, c->shape, i) : twin_holds(c->v, w, c->shape, i, false);
}

static inline void tn_name(struct tn *c)
{
    struct twin_world w;
    int64_t full = c->shape->any_split ? c->shape->gpus : c->shape->full_nodes;
    bool rest = c->shape->rest > 0;
    tn_world(c, &w);
    for (uint32_t i = 0; i < w.n; i++) {
        const int64_t have = tn_full(c, &w, i);
        c->full[i] = have < full ? have : full;
        c->rest[i] = c->full[i] == 0 && full == 0 && rest && twin_holds(c->v, &w, c->shape, i, true);
        full -= c->full[i];
        rest = rest && !c->rest[i];
    }
}

static inline bool tn_grants(void *ctx, const struct gy_share *s)
{
    const struct tn *c = ctx;
    struct twin_world w;
    tn_world(c, &w);
    twin_add(&w, s, 1, -1);
    return tn_full(c, &w, s->node.i) >= c->full[s->node.i] &&
           (!c->rest[s->node.i] || twin_holds(c->v, &w, c->shape, s->node.i, true));
}

/* 1: started, 0: no, -1: failed. */
static inline int tn_try(struct tn *c, struct gy_plan *plan, uint32_t row, bool guarded)
{
    const struct gy_job *j = &c->v->jobs[row];
    struct twin_world now;
    struct gy_share out[TWIN_NODES];
    struct twin_guard guard = {.grants = tn_grants, .ctx = c};
    twin_copy(c->v, &now);
    const bool late = guarded && gy_time_add(c->v->now, gy_job_estimate(j)) > c->at;
    const size_t n =
        twin_place(c->v, &now, gy_shape_at(c->v->shapes, j->shape), c->t->place, late ? &guard : NULL, out);
    if (n == 0)
        return 0;
    return gy_plan_start(plan, (gy_job_id){row}, out, n) ? -1 : 1;
}

static inline int tn_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    struct tn *c = self;
    uint32_t queue[TWIN_JOBS];
    uint32_t n = twin_queue(v, c->t->order, queue), i = 0;
    for (uint32_t k = 0; k < n; k++)
        if (v->jobs[queue[k]].rec.limit == GY_NONE && gy_plan_reject(plan, (gy_job_id){queue[k]}, "no limit"))
            return -1;
    n = twin_queue(v, c->t->order, queue);
    const bool freed = !c->passed || c->freed != gy_cluster_freed(v->cluster);
    c->v = v;
    c->passed = true;
    c->freed = gy_cluster_freed(v->cluster);
    bool same = c->blocked && n > 0 && v->jobs[queue[0]].rec.row == c->head;
    for (int started = 1; (!same || freed) && i < n && started > 0;) {
        started = tn_try(c, plan, queue[i], false);
        if (started < 0)
            return -1;
        i += started > 0;
    }
    c->blocked = i < n;
    if (!c->blocked)
        return 0;
    same = same && v->jobs[queue[i]].rec.row == c->head;
    c->head = v->jobs[queue[i]].rec.row;
    c->shape = gy_shape_at(v->shapes, v->jobs[queue[i]].shape);
    if (!same || freed || c->at < v->now) {
        struct twin_world w;
        c->at = twin_shadow(v, c->shape, &w);
        tn_name(c);
    }
    for (uint32_t k = i + 1; k < n; k++)
        if ((freed || !c->seen[v->jobs[queue[k]].rec.row]) && tn_try(c, plan, queue[k], true) < 0)
            return -1;
    for (uint32_t k = 0; k < n; k++)
        c->seen[v->jobs[queue[k]].rec.row] = true;
    return 0;
}

static const struct gy_policy_type tn_policy = {
    .name = "twin", .summary = "", .state_size = sizeof(struct tn), .init = twin_init, .decide = tn_decide};
#endif
