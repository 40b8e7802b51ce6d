/* EASY backfill. The head of the queue that does not fit gets a shadow time: the earliest at which it fits if running
 * jobs end as their limits say. A job behind it may start now if it ends by then, or if the head still fits at that
 * time with it there. On hosts of one GPU the latter is the textbook's n ≤ extra (Lifka 1995; Mu'alem and Feitelson
 * 2001); on nodes with several, and with CPUs, memory and fractions, nodes are counted that can hold the head. Jobs
 * without a limit count with their duration. While nothing was freed, the head is the same and its time stands, only
 * jobs that came since the last pass are looked at: no other could start, for less room is left and the time is nearer.
 *
 * "easy-batsched" is the variant of Batsim's scheduler (easy_bf): the reservation names nodes, the lowest ids free at
 * the shadow time, and jobs that end later stay off them; it is made anew when the head changes or something was freed;
 * otherwise only new arrivals are tried; jobs without a limit are rejected. */
#include <string.h>
#include "gy_sched.h"
#include "gy_shadow.h"

struct named { /* what the reservation wants of a node */
    struct gy_holds want;
    uint32_t stamp; /* valid when the easy's */
};

struct easy {
    struct gy_ends ends;
    struct gy_shadow shadow;
    bool blocked;
    uint32_t head;         /* trace row of the head that waits, if blocked */
    gy_time told;          /* the reservation last told for it */
    gy_time at;            /* the shadow time of the last pass */
    struct gy_holds slack; /* nodes that one candidate may still take from the head */
    bool refused;
    bool named;                /* easy-batsched */
    GY_VEC(struct named) node; /* by node, when named */
    uint32_t stamp;
};

static void easy_fini(void *self)
{
    struct easy *e = self;
    gy_ends_free(&e->ends);
    gy_shadow_free(&e->shadow);
    gy_vec_free(&e->node);
}

static int named_init(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_error *err)
{
    struct easy *e = self;
    const uint32_t n = gy_cluster_nodes(v->cluster);
    (void)s;
    e->named = true;
    if (!gy_vec_reserve(&e->node, n))
        return gy_nomem(err);
    memset(e->node.at, 0, n * sizeof *e->node.at);
    e->node.n = n;
    return 0;
}

static int easy_on_event(void *self, struct gy_sched *s, const struct gy_view *v, const struct gy_policy_event *ev)
{
    struct easy *e = self;
    (void)s;
    switch (ev->change) {
    case GY_C_ELIGIBLE:
        if (!gy_shape_at(v->shapes, gy_view_job(v, ev->job)->shape)->fraction)
            return 0;
        return gy_shadow_by_gpu(&e->shadow, v) ? 0 : -1;
    case GY_C_STARTED: /* by somebody else: own starts are in already */
        if (gy_ends_has(&e->ends, ev->job))
            return 0;
        gy_shadow_forget(&e->shadow);
        return gy_ends_add(&e->ends, v, ev->job) ? 0 : -1;
    case GY_C_STOPPED:
        if (gy_ends_has(&e->ends, ev->job))
            gy_shadow_stopped(&e->shadow, v, ev->job);
        gy_ends_remove(&e->ends, ev->job);
        return 0;
    case GY_C_RESIZED:
    case GY_C_CAPACITY:
        gy_shadow_forget(&e->shadow);
        return 0;
    default:
        return 0;
    }
}

/* Starts a job on the chosen placement and takes note. */
static int start(struct easy *e, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id job)
{
    if (gy_sched_start(s, plan, job) || !gy_ends_add(&e->ends, v, job))
        return -1;
    gy_shadow_started(&e->shadow, v, job);
    return 0;
}

/* Starts heads until one does not fit. */
static int run_heads(struct easy *e, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan,
                     enum gy_reason *why)
{
    for (gy_job_id job; (job = gy_queue_head(&s->queue)).i != UINT32_MAX;) {
        const struct gy_place_request req = {.shape = gy_shape_at(v->shapes, gy_view_job(v, job)->shape)};
        const int found = gy_sched_place(s, v, &req, why);
        if (found <= 0)
            return found;
        if (gy_view_job(v, job)->rec.row == e->shadow.row)
            gy_shadow_forget(&e->shadow);
        if (start(e, s, v, plan, job))
            return -1;
        gy_queue_remove(&s->queue, job);
    }
    return 0;
}

/* Grants a node while the head would still fit at its time, counting what was granted before in this choice. */
static bool leaves_head(void *ctx, const struct gy_share *shares, size_t n)
{
    struct easy *e = ctx;
    const struct gy_holds with = gy_shadow_node(&e->shadow, shares[0].node);
    const struct gy_holds without = gy_shadow_without(&e->shadow, shares, n);
    const struct gy_holds loss = {with.full - without.full, with.rest - without.rest};
    if ((loss.full > 0 && loss.full > e->slack.full) || (loss.rest > 0 && loss.rest > e->slack.rest)) {
        e->refused = true;
        return false;
    }
    e->slack.full -= loss.full;
    e->slack.rest -= loss.rest;
    return true;
}

/* Names the nodes of the reservation: the lowest ids that can hold the head at its time. */
static void name_nodes(struct easy *e)
{
    const struct gy_shape *shape = e->shadow.shape;
    int64_t full = shape->any_split ? shape->gpus : shape->full_nodes, rest = shape->rest > 0;
    e->stamp++;
    for (uint32_t i = 0; i < e->node.n && (full > 0 || rest > 0); i++) {
        const struct gy_holds h = gy_shadow_node(&e->shadow, (gy_node_id){i});
        const int64_t take = h.full < full ? h.full : full;
        const bool as_rest = take == 0 && full == 0 && h.rest > 0;
        if (take == 0 && !as_rest)
            continue;
        e->node.at[i] = (struct named){{take, as_rest}, e->stamp};
        full -= take;
        rest -= as_rest;
    }
}

/* Grants a node unless the reservation names it and needs what would be taken. */
static bool leaves_named(void *ctx, const struct gy_share *shares, size_t n)
{
    struct easy *e = ctx;
    const struct named *named = &e->node.at[shares[0].node.i];
    if (named->stamp != e->stamp)
        return true;
    const struct gy_holds without = gy_shadow_without(&e->shadow, shares, n);
    if (without.full >= named->want.full && without.rest >= named->want.rest)
        return true;
    e->refused = true;
    return false;
}

/* Tries a job behind the head. 1: started; 0: not, and its lane's mode says what may still; -1: failed. */
static int try_job(struct easy *e, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id job,
                   uint32_t lane, gy_time estimate)
{
    const bool in_time = gy_time_add(v->now, estimate) <= e->shadow.at;
    struct gy_place_request req = {.shape = gy_shape_at(v->shapes, lane)};
    enum gy_reason why = GY_R_RESOURCES;
    e->refused = false;
    if (!in_time) {
        req.allowed = e->named ? leaves_named : leaves_head;
        req.ctx = e;
        e->slack =
            (struct gy_holds){e->shadow.holds.full - e->shadow.need.full, e->shadow.holds.rest - e->shadow.need.rest};
    }
    const int found = gy_sched_place(s, v, &req, &why);
    if (found < 0)
        return -1;
    if (found == 0) {
        gy_queue_set_mode(&s->queue, lane, e->refused ? GY_LANE_SHORT : GY_LANE_CLOSED,
                          e->refused ? GY_R_RESERVED : why);
        return 0;
    }
    return start(e, s, v, plan, job) ? -1 : 1;
}

/* The longest estimate that ends by the shadow time. */
static gy_time room_before(const struct easy *e, const struct gy_view *v)
{
    return e->shadow.at == GY_NEVER ? GY_NEVER : e->shadow.at - v->now;
}

#define WORTH_ASKING 4 /* lanes */

/* Asks for a whole group at once whether a job that ends after the shadow time may start, by the least CPUs and memory
 * that any of its lanes needs: if not, no lane of it need be asked. Jobs of one node only, where less is always easier.
 */
static int ask_group(struct easy *e, struct gy_sched *s, const struct gy_view *v, const struct gy_lane_group *g)
{
    struct gy_shape least = *gy_shape_at(v->shapes, g->like);
    if (g->open < WORTH_ASKING || least.full_nodes != 1 || least.rest || least.any_split ||
        !gy_shape_may_fit(v->cluster, &least))
        return 0;
    least.cpu_milli = least.mem_mib = UINT64_MAX;
    for (uint32_t i = 0; i < g->open; i++) {
        least.cpu_milli = g->lanes.at[i].cpu_milli < least.cpu_milli ? g->lanes.at[i].cpu_milli : least.cpu_milli;
        least.mem_mib = g->lanes.at[i].mem_mib < least.mem_mib ? g->lanes.at[i].mem_mib : least.mem_mib;
    }
    const struct gy_place_request req = {.shape = &least, .allowed = leaves_head, .ctx = e};
    e->refused = false;
    e->slack =
        (struct gy_holds){e->shadow.holds.full - e->shadow.need.full, e->shadow.holds.rest - e->shadow.need.rest};
    const int found = gy_sched_place(s, v, &req, NULL);
    for (uint32_t i = 0; found == 0 && e->refused && i < g->open; i++)
        gy_queue_set_mode(&s->queue, g->lanes.at[i].lane, GY_LANE_SHORT, GY_R_RESERVED);
    return found < 0 ? -1 : 0;
}

static int scan_all(struct easy *e, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id head,
                    enum gy_reason why)
{
    s->queue.round++;
    gy_queue_set_mode(&s->queue, s->queue.rows.at[head.i].lane, GY_LANE_CLOSED, why);
    gy_sched_reopen(s, v);
    for (size_t i = 0; !e->named && e->shadow.at != GY_NEVER && i < s->queue.groups.n; i++)
        if (ask_group(e, s, v, &s->queue.groups.at[i]))
            return -1;
    if (gy_sched_scan(s, v, room_before(e, v)))
        return -1;
    while (s->scan.heap.n > 0) {
        const struct gy_scan_lane at = s->scan.heap.at[0];
        if (gy_sched_gone(s, v, at.lane)) {
            gy_scan_drop(&s->scan);
            continue;
        }
        const enum gy_lane_mode mode = gy_queue_mode(&s->queue, at.lane);
        const int started = try_job(e, s, v, plan, (gy_job_id){at.item.job}, at.lane, at.estimate);
        if (started < 0)
            return -1;
        if (started)
            gy_scan_take(&s->scan, mode == GY_LANE_SHORT ? room_before(e, v) : GY_NEVER);
        else if (gy_queue_mode(&s->queue, at.lane) == GY_LANE_SHORT && mode == GY_LANE_OPEN)
            gy_scan_next(&s->scan, room_before(e, v));
        else
            gy_scan_drop(&s->scan);
    }
    return 0;
}

/* Jobs that came since the last pass: tried unless a whole scan was made, and told why they wait. */
static int fresh_jobs(struct easy *e, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, gy_job_id head,
                      bool scanned)
{
    for (size_t i = 0; i < s->fresh.n; i++) {
        const gy_job_id job = {s->fresh.at[i].job};
        if (!gy_queue_has(&s->queue, job) || job.i == head.i)
            continue;
        const uint32_t lane = s->queue.rows.at[job.i].lane;
        const gy_time estimate = gy_job_estimate(gy_view_job(v, job));
        const enum gy_lane_mode mode = gy_queue_mode(&s->queue, lane);
        if (!scanned && (mode == GY_LANE_OPEN || (mode == GY_LANE_SHORT && estimate <= room_before(e, v)))) {
            const int started = try_job(e, s, v, plan, job, lane, estimate);
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

static void tell_head(struct easy *e, const struct gy_view *v, struct gy_plan *plan, gy_job_id head, enum gy_reason why)
{
    gy_sched_hold(v, plan, head, why);
    if (e->shadow.at != e->told && e->shadow.at != GY_NEVER)
        gy_plan_reserve(plan, head, e->shadow.at);
    e->told = e->shadow.at;
}

/* Brings the reservation of the head up to date. anew: the head changed or something was freed. */
static int reserve(struct easy *e, const struct gy_view *v, gy_job_id head, bool anew)
{
    if (e->named && !anew && e->shadow.shape && e->shadow.at >= v->now)
        return 0;
    if (e->shadow.shape && e->shadow.row == e->head)
        gy_shadow_settle(&e->shadow, v);
    else if (gy_shadow_set(&e->shadow, v, &e->ends, head))
        return -1;
    if (e->named)
        name_nodes(e);
    return 0;
}

static int reject_unlimited(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    for (size_t i = 0; i < s->fresh.n; i++) {
        const gy_job_id job = {s->fresh.at[i].job};
        if (!gy_queue_has(&s->queue, job) || gy_view_job(v, job)->rec.limit != GY_NONE)
            continue;
        gy_queue_remove(&s->queue, job);
        if (gy_plan_reject(plan, job, "backfill easy-batsched needs a time limit and the job has none"))
            return -1;
    }
    return 0;
}

static int easy_pass(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    struct easy *e = self;
    enum gy_reason why = GY_R_RESOURCES;
    if (e->named && reject_unlimited(s, v, plan))
        return -1;
    const bool freed = !s->passed || s->freed != gy_cluster_freed(v->cluster);
    gy_job_id head = gy_queue_head(&s->queue);
    bool same = e->blocked && head.i != UINT32_MAX && s->queue.heads.at[0].item.row == e->head;
    if (!same || freed) {
        if (run_heads(e, s, v, plan, &why))
            return -1;
        head = gy_queue_head(&s->queue);
        e->blocked = head.i != UINT32_MAX;
        if (!e->blocked)
            return 0;
        same = same && s->queue.heads.at[0].item.row == e->head;
    }
    e->head = s->queue.heads.at[0].item.row;
    if (reserve(e, v, head, freed || !same))
        return -1;
    const bool changed = !same || e->shadow.at != e->at;
    const bool all = freed || (changed && !e->named);
    e->at = e->shadow.at;
    if (!same)
        e->told = GY_NONE;
    if (all || changed)
        tell_head(e, v, plan, head, why);
    if (changed)
        s->queue.round++; /* what lanes were found to allow held for another reservation */
    if (all && scan_all(e, s, v, plan, head, why))
        return -1;
    return fresh_jobs(e, s, v, plan, head, all);
}

const struct gy_backfill_type gy_backfill_easy = {.name = "easy",
                                                  .summary = "jobs may overtake the head if it is not delayed by them",
                                                  .state_size = sizeof(struct easy),
                                                  .fini = easy_fini,
                                                  .on_event = easy_on_event,
                                                  .pass = easy_pass};
const struct gy_backfill_type gy_backfill_easy_batsched = {
    .name = "easy-batsched",
    .summary = "EASY as Batsim's scheduler has it: the head's reservation names its nodes",
    .state_size = sizeof(struct easy),
    .init = named_init,
    .fini = easy_fini,
    .on_event = easy_on_event,
    .pass = easy_pass};
