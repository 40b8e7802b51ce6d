/* No backfill: strict queueing stops at the first job that does not fit; best-effort goes on behind it, without any
 * reservation, so large jobs may starve. */
#include "gy_sched.h"

struct none {
    struct gy_item head; /* the head that did not fit at the last pass, if blocked */
    bool blocked;
};

/* Gives jobs that came since the last pass and wait the reason that jobs ahead of them wait. */
static void hold_fresh(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id head)
{
    for (size_t i = 0; i < s->fresh.n; i++) {
        const gy_job_id job = {s->fresh.at[i].job};
        if (job.i != head.i && gy_queue_has(&s->queue, job))
            gy_sched_hold(v, plan, job, GY_R_PRIORITY);
    }
}

static int pass_strict(struct none *n, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    gy_job_id head = gy_queue_head(&s->queue);
    const bool same = n->blocked && head.i != UINT32_MAX && s->queue.heads.at[0].item.row == n->head.row;
    if (!same || s->freed != gy_cluster_freed(v->cluster)) {
        enum gy_reason why = GY_R_RESOURCES;
        if (gy_sched_run_heads(s, v, plan, &why))
            return -1;
        head = gy_queue_head(&s->queue);
        n->blocked = head.i != UINT32_MAX;
        if (n->blocked) {
            n->head = s->queue.heads.at[0].item;
            gy_sched_hold(v, plan, head, why);
        }
    }
    hold_fresh(s, v, plan, head);
    return 0;
}

/* Tries a job; a lane that does not fit is closed. 1: started, 0: not, -1: failed. */
static int try_job(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id job, uint32_t lane)
{
    const struct gy_place_request req = {.shape = gy_shape_at(v->shapes, lane)};
    enum gy_reason why = GY_R_RESOURCES;
    const int found = gy_sched_place(s, v, &req, &why);
    if (found == 0)
        gy_queue_set_mode(&s->queue, lane, GY_LANE_CLOSED, why);
    if (found <= 0)
        return found;
    return gy_sched_start(s, plan, job) ? -1 : 1;
}

static int scan_all(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    s->queue.round++;
    if (gy_sched_scan(s, v, GY_NEVER))
        return -1;
    while (s->scan.heap.n > 0) {
        const struct gy_scan_lane *at = &s->scan.heap.at[0];
        if (gy_sched_gone(s, v, at->lane)) {
            gy_scan_drop(&s->scan);
            continue;
        }
        const int started = try_job(s, v, plan, (gy_job_id){at->item.job}, at->lane);
        if (started < 0)
            return -1;
        if (started)
            gy_scan_take(&s->scan, GY_NEVER);
        else
            gy_scan_drop(&s->scan);
    }
    return 0;
}

static int pass_best_effort(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    const bool all = !s->passed || s->freed != gy_cluster_freed(v->cluster);
    if (all && scan_all(s, v, plan))
        return -1;
    for (size_t i = 0; i < s->fresh.n; i++) {
        const gy_job_id job = {s->fresh.at[i].job};
        if (!gy_queue_has(&s->queue, job))
            continue;
        const uint32_t lane = s->queue.rows.at[job.i].lane;
        if (!all && gy_queue_mode(&s->queue, lane) == GY_LANE_OPEN) {
            const int started = try_job(s, v, plan, job, lane);
            if (started < 0)
                return -1;
            if (started) {
                gy_queue_remove(&s->queue, job);
                continue;
            }
        }
        gy_sched_hold(v, plan, job, gy_sched_lane_why(s, v, lane));
    }
    return 0;
}

static int pass(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    return s->best_effort ? pass_best_effort(s, v, plan) : pass_strict(self, s, v, plan);
}

const struct gy_backfill_type gy_backfill_none = {
    .name = "none", .summary = "nothing is planned ahead", .state_size = sizeof(struct none), .pass = pass};
