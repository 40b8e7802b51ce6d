/* Steps that all backfills share: place, start, run the heads of the queue, open a scan. */
#include "gy_sched.h"

int gy_sched_place(struct gy_sched *s, const struct gy_view *v, const struct gy_place_request *req, enum gy_reason *why)
{
    if (s->placer.type->choose(&s->placer, v->cluster, req, &s->placement, why))
        return 1;
    return s->placement.nomem ? -1 : 0;
}

int gy_sched_start(struct gy_sched *s, struct gy_plan *plan, gy_job_id job)
{
    return gy_plan_start(plan, job, s->placement.shares.at, s->placement.shares.n) ? -1 : 0;
}

void gy_sched_hold(const struct gy_view *v, struct gy_plan *plan, gy_job_id job, enum gy_reason why)
{
    if (gy_view_job(v, job)->reason != why)
        gy_plan_hold(plan, job, why);
}

int gy_sched_run_heads(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, enum gy_reason *why)
{
    for (;;) {
        const gy_job_id job = gy_queue_head(&s->queue);
        if (job.i == UINT32_MAX)
            return 0;
        const struct gy_place_request req = {.shape = gy_shape_at(v->shapes, gy_view_job(v, job)->shape)};
        const int found = gy_sched_place(s, v, &req, why);
        if (found <= 0)
            return found;
        if (gy_sched_start(s, plan, job))
            return -1;
        gy_queue_remove(&s->queue, job);
    }
}

static bool class_eligible(const struct gy_shape *s, uint32_t klass)
{
    for (uint32_t i = 0; i < s->n_classes; i++)
        if (s->classes[i] == klass)
            return true;
    return false;
}

/* Whether the node may take part in a placement, CPUs and memory not looked at. */
static bool node_may_serve(const struct gy_node *n, const struct gy_shape *s)
{
    const uint32_t gpus = s->any_split ? 1 : s->rest ? s->rest : s->gpus;
    if (n->state != GY_NODE_UP || !class_eligible(s, n->klass))
        return false;
    return s->fraction ? n->free_gpus + n->shared_gpus > 0 : n->free_gpus >= gpus;
}

/* A closed lane did not fit at the last pass, so it can only fit with a node on which something was freed since: opens
 * the lanes of the group for which there is one. */
static void reopen_group(struct gy_sched *s, const struct gy_view *v, struct gy_lane_group *g)
{
    const struct gy_shape *like = gy_shape_at(v->shapes, g->like);
    for (size_t f = 0; f < s->nodes_freed.n; f++) {
        const struct gy_node *n = gy_cluster_node(v->cluster, (gy_node_id){s->nodes_freed.at[f]});
        if (!node_may_serve(n, like))
            continue;
        for (uint32_t i = g->open; i < g->lanes.n; i++)
            if (g->lanes.at[i].cpu_milli <= n->cpu_free && g->lanes.at[i].mem_mib <= n->mem_free) {
                s->queue.lanes.at[g->lanes.at[i].lane].reopened = s->queue.round;
                gy_queue_reopen(&s->queue, g->lanes.at[i].lane);
            }
    }
}

bool gy_sched_gone(struct gy_sched *s, const struct gy_view *v, uint32_t lane)
{
    struct gy_lane *l = &s->queue.lanes.at[lane];
    const struct gy_lane_group *g = &s->queue.groups.at[l->group];
    if (l->reopened != s->queue.round || s->any_freed)
        return false;
    const struct gy_lane_need need = g->lanes.at[l->in_group];
    for (size_t f = 0; f < s->nodes_freed.n; f++) {
        const struct gy_node *n = gy_cluster_node(v->cluster, (gy_node_id){s->nodes_freed.at[f]});
        if (need.cpu_milli <= n->cpu_free && need.mem_mib <= n->mem_free &&
            node_may_serve(n, gy_shape_at(v->shapes, lane)))
            return false;
    }
    gy_queue_set_mode(&s->queue, lane, GY_LANE_CLOSED, (enum gy_reason)l->why);
    return true;
}

void gy_sched_reopen(struct gy_sched *s, const struct gy_view *v)
{
    if (!s->passed || s->any_freed)
        gy_queue_reopen_all(&s->queue);
    for (size_t i = 0; i < s->queue.groups.n && s->nodes_freed.n > 0; i++) {
        struct gy_lane_group *g = &s->queue.groups.at[i];
        if (g->open < g->lanes.n && gy_shape_may_fit(v->cluster, gy_shape_at(v->shapes, g->like)))
            reopen_group(s, v, g);
    }
}

int gy_sched_scan(struct gy_sched *s, const struct gy_view *v, gy_time max)
{
    struct gy_queue *q = &s->queue;
    gy_scan_clear(&s->scan, q);
    gy_sched_reopen(s, v);
    for (size_t i = 0; i < q->groups.n; i++) {
        const struct gy_lane_group *g = &q->groups.at[i];
        if (g->open == 0 || !gy_shape_may_fit(v->cluster, gy_shape_at(v->shapes, g->like)))
            continue;
        for (uint32_t k = 0; k < g->open; k++) {
            const uint32_t lane = g->lanes.at[k].lane;
            if (!gy_scan_add(&s->scan, lane, gy_queue_mode(q, lane) == GY_LANE_SHORT ? max : GY_NEVER))
                return -1;
        }
    }
    return 0;
}

enum gy_reason gy_sched_lane_why(struct gy_sched *s, const struct gy_view *v, uint32_t lane)
{
    if (gy_queue_mode(&s->queue, lane) == GY_LANE_OPEN)
        gy_queue_set_mode(&s->queue, lane, GY_LANE_CLOSED, gy_shape_why_not(v->cluster, gy_shape_at(v->shapes, lane)));
    return (enum gy_reason)s->queue.lanes.at[lane].why;
}
