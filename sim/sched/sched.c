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

int gy_sched_scan(struct gy_sched *s, const struct gy_view *v, gy_time max)
{
    struct gy_queue *q = &s->queue;
    gy_scan_clear(&s->scan, q);
    for (size_t g = 0; g < q->groups.n; g++) {
        const struct gy_group *group = &q->groups.at[g];
        if (group->lanes.n == 0 || !gy_shape_may_fit(v->cluster, gy_shape_at(v->shapes, group->like)))
            continue;
        for (size_t i = 0; i < group->lanes.n; i++) {
            const enum gy_lane_mode mode = gy_queue_mode(q, group->lanes.at[i]);
            if (mode != GY_LANE_CLOSED &&
                !gy_scan_add(&s->scan, group->lanes.at[i], mode == GY_LANE_SHORT ? max : GY_NEVER))
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
