/* Conservative backfill. Jobs at the front of the queue hold reservations: the earliest time, on named nodes, at which
 * each fits around running jobs and all other reservations. A new job takes the earliest hole; when something is given
 * back before it was expected, each reserved job in queue order is taken out and put back at its earliest time, the
 * others kept where they are (as Batsim's scheduler does; Mu'alem and Feitelson 2001). No reserved job is ever delayed
 * by a later one. A job keeps its nodes unless it can start earlier; when it starts, the placement chooses among all
 * nodes that it can have for its whole length.
 *
 * `depth` jobs hold reservations; those behind them hold none and start when they delay none of these. depth 1 is EASY
 * with named nodes, 0 is textbook conservative.
 *
 * Only what can have become better is looked at again: a job is tested on nodes where something was freed since its
 * last test, and only when the node has as many GPUs free before the job's planned start. Jobs that run longer than
 * expected are expected to run as long again as they are late, a minute at least, and all is planned anew. */
#include "gy_conservative.h"
#include <string.h>

static int cons_init(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_error *err)
{
    struct gy_conservative *c = self;
    const gy_holders none = {0};
    (void)s;
    c->woken = GY_NEVER;
    if (gy_profile_init(&c->profile, v, err))
        return -1;
    for (uint32_t i = 0; i < c->profile.nodes; i++)
        if (!gy_vec_push(&c->holders, none) || !gy_vec_push(&c->freed_at, UINT32_MAX))
            return gy_nomem(err);
    return 0;
}

static void cons_fini(void *self)
{
    gy_cons_free(self);
}

/* Gives a reservation back, which others may use from now on, and the job's place. */
static bool withdraw(struct gy_conservative *c, gy_job_id job)
{
    const struct gy_reserved *r = &c->rows.at[job.i];
    if (!gy_cons_lift(c, r))
        return false;
    gy_cons_unlist(c, r);
    for (size_t i = 0; i < r->nodes.n; i++)
        if (!gy_cons_note_freed(c, r->nodes.at[i].node))
            return false;
    gy_cons_leave(c, job);
    return true;
}

static int cons_on_event(void *self, struct gy_sched *s, const struct gy_view *v, const struct gy_policy_event *e)
{
    struct gy_conservative *c = self;
    (void)s;
    c->profile.now = v->now;
    switch (e->change) {
    case GY_C_GONE:
        if (!gy_cons_has(c, e->job))
            return 0;
        c->compress = true;
        return withdraw(c, e->job) ? 0 : -1;
    case GY_C_STARTED: /* by somebody else: own starts are in already */
        if (gy_ends_has(&c->ends, e->job))
            return 0;
        if (gy_cons_has(c, e->job) && !withdraw(c, e->job))
            return -1;
        return gy_cons_started(c, v, e->job) ? 0 : -1;
    case GY_C_STOPPED:
        return gy_cons_stopped(c, v, e->job) ? 0 : -1;
    case GY_C_CAPACITY:
        if ((gy_cluster_node(v->cluster, e->node)->state == GY_NODE_UP) != c->profile.up.at[e->node.i])
            c->rebuild = true;
        return 0;
    case GY_C_RESIZED:
        c->rebuild = true;
        return 0;
    default:
        return 0;
    }
}

struct guard {
    const struct gy_conservative *c;
    gy_time length, longest; /* longest: until when a refused node could have been had */
    bool exclusive, refused;
};

static bool leaves_reservations(void *ctx, const struct gy_share *shares, size_t n)
{
    struct guard *g = ctx;
    const gy_time until = gy_cons_window(g->c, shares, n, g->exclusive, g->length);
    if (until == GY_NEVER || (until >= gy_time_add(g->c->profile.now, g->length) && until > g->c->profile.now))
        return true;
    g->refused = true;
    g->longest = until > g->longest ? until : g->longest;
    return false;
}

struct pass { /* one call of decide */
    struct gy_conservative *c;
    struct gy_sched *s;
    const struct gy_view *v;
    struct gy_plan *plan;
};

struct tried {
    bool refused;    /* there was room now, but not for the whole length */
    gy_time longest; /* then: jobs of the shape that are longer than this do not fit now */
    enum gy_reason why;
};

/* Starts a job that holds no reservation now, if it can have its nodes for its whole length. 1: yes, 0: no, -1: failed.
 */
static int try_now(const struct pass *p, gy_job_id job, uint32_t lane, gy_time estimate, struct tried *tried)
{
    const struct gy_shape *shape = gy_shape_at(p->v->shapes, lane);
    struct guard guard = {.c = p->c, .length = estimate, .longest = p->v->now, .exclusive = shape->exclusive};
    const struct gy_place_request req = {.shape = shape, .allowed = leaves_reservations, .ctx = &guard};
    tried->why = GY_R_RESOURCES;
    const int found = gy_sched_place(p->s, p->v, &req, &tried->why);
    tried->refused = guard.refused;
    tried->longest = shape->fraction_gpus > 1 ? estimate - 1 : guard.longest - p->v->now; /* no parts of several GPUs */
    if (found <= 0)
        return found;
    return gy_sched_start(p->s, p->plan, job) || !gy_cons_started(p->c, p->v, job) ? -1 : 1;
}

/* The same for a reserved job that is out of the profile; a lane that does not fit at all is closed. */
static int try_reserved(const struct pass *p, gy_job_id job)
{
    struct gy_reserved *r = &p->c->rows.at[job.i];
    struct tried tried;
    if (gy_queue_mode(&p->s->queue, r->lane) == GY_LANE_CLOSED)
        return 0;
    const int started = try_now(p, job, r->lane, r->estimate, &tried);
    if (started == 0 && !tried.refused)
        gy_queue_set_mode(&p->s->queue, r->lane, GY_LANE_CLOSED, tried.why);
    if (started == 1) {
        gy_cons_unlist(p->c, r);
        gy_cons_leave(p->c, job);
    }
    return started;
}

static int settle(const struct pass *p, gy_job_id job, gy_time start, const gy_amounts *nodes)
{
    const gy_time before = p->c->rows.at[job.i].start;
    if (!gy_cons_reserve(p->c, job, start, nodes))
        return -1;
    if (start != before && start != GY_NEVER)
        gy_plan_reserve(p->plan, job, start);
    return 0;
}

/* Finds the first place of a reserved job that has none. 1: it started; 0; -1: failed. */
static int fit_anew(const struct pass *p, gy_job_id job)
{
    struct gy_conservative *c = p->c;
    const struct gy_reserved *r = &c->rows.at[job.i];
    const struct gy_shape *shape = gy_shape_at(p->v->shapes, r->lane);
    bool nomem = false;
    int started = 0;
    if (shape->fraction) /* the profile knows no parts of GPUs */
        started = try_reserved(p, job);
    if (started)
        return started;
    const gy_time start = gy_profile_earliest(&c->profile, shape, r->estimate, p->v->now, GY_NEVER, &c->found, &nomem);
    if (nomem)
        return -1;
    if (start <= p->v->now && !shape->fraction)
        started = try_reserved(p, job);
    if (started)
        return started;
    return settle(p, job, start, &c->found);
}

static bool note_old_nodes(struct gy_conservative *c, gy_job_id job)
{
    for (size_t i = 0; i < c->rows.at[job.i].nodes.n; i++)
        if (!gy_cons_note_freed(c, c->rows.at[job.i].nodes.at[i].node))
            return false;
    return true;
}

/* A job that is lifted out of the profile, after something was freed: starts, or says when it could start earlier than
 * planned (GY_NEVER: not), on c->found. 1: it started; 0; -1: failed. */
static int look_again(const struct pass *p, gy_job_id job, const struct gy_shape *shape, gy_time *start)
{
    struct gy_conservative *c = p->c;
    const struct gy_reserved *r = &c->rows.at[job.i];
    bool nomem = false;
    int started = shape->fraction ? try_reserved(p, job) : 0;
    if (started)
        return started;
    *start = gy_cons_improve(c, r, shape, &nomem);
    if (nomem)
        return -1;
    return *start <= p->v->now && !shape->fraction ? try_reserved(p, job) : 0;
}

/* The same for one whose time has come: if something else is there, it is planned anew. */
static int look_due(const struct pass *p, gy_job_id job, const struct gy_shape *shape, gy_time *start)
{
    struct gy_conservative *c = p->c;
    bool nomem = false;
    const int started = try_reserved(p, job);
    if (started)
        return started;
    *start =
        gy_profile_earliest(&c->profile, shape, c->rows.at[job.i].estimate, p->v->now, GY_NEVER, &c->found, &nomem);
    return nomem ? -1 : 0;
}

/* A reserved job moves to its earliest time, the others kept. 1: it started; 0; -1: failed. */
static int move_earlier(const struct pass *p, gy_job_id job)
{
    struct gy_conservative *c = p->c;
    struct gy_reserved *r = &c->rows.at[job.i];
    const struct gy_shape *shape = gy_shape_at(p->v->shapes, r->lane);
    const bool due = r->start <= p->v->now;
    const bool part = shape->fraction && gy_queue_mode(&p->s->queue, r->lane) != GY_LANE_CLOSED;
    if (!due && !part && !gy_cons_may_improve(c, r, shape)) {
        r->tested = c->clock;
        return 0;
    }
    gy_time start = GY_NEVER;
    if (!gy_cons_lift(c, r))
        return -1;
    const int started = due ? look_due(p, job, shape, &start) : look_again(p, job, shape, &start);
    if (started < 0)
        return -1;
    if (!started && !due && start == GY_NEVER) { /* no better: back where it was */
        r->tested = c->clock;
        return gy_cons_put_back(c, r) ? 0 : -1;
    }
    gy_cons_unlist(c, r);
    if (!note_old_nodes(c, job))
        return -1;
    return started ? 1 : settle(p, job, start, &c->found);
}

/* Plans all reservations from nothing. */
static int plan_anew(const struct pass *p)
{
    struct gy_conservative *c = p->c;
    for (size_t i = 0; i < c->order.n; i++) {
        struct gy_reserved *r = &c->rows.at[c->order.at[i].job];
        r->start = GY_NEVER;
        r->nodes.n = 0;
    }
    gy_blist_free(&c->starts);
    if (!gy_cons_running(c, p->v))
        return -1;
    for (size_t i = 0; i < c->order.n;) {
        const int started = fit_anew(p, (gy_job_id){c->order.at[i].job});
        if (started < 0)
            return -1;
        i += !started;
    }
    return 0;
}

/* Every reserved job in order. */
static int compress(const struct pass *p)
{
    struct gy_conservative *c = p->c;
    gy_cons_trim_freed(c);
    c->pass_clock = c->clock;
    for (size_t i = 0; i < c->order.n;) {
        const int started = move_earlier(p, (gy_job_id){c->order.at[i].job});
        if (started < 0)
            return -1;
        i += !started;
    }
    return 0;
}

static int by_order(const void *a, const void *b)
{
    return gy_item_before(a, b) ? -1 : gy_item_before(b, a);
}

/* Reservations whose time has come though nothing was given back. */
static int run_due(const struct pass *p)
{
    struct gy_conservative *c = p->c;
    struct gy_item item;
    GY_VEC(struct gy_item) due = {0};
    int rc = 0;
    for (struct gy_blist_pos pos = gy_blist_begin(&c->starts);
         rc == 0 && gy_blist_get(&c->starts, pos, &item, NULL) && item.major <= p->v->now;
         pos = gy_blist_after(&c->starts, pos))
        if (!gy_vec_push(&due, c->rows.at[item.job].item))
            rc = -1;
    if (due.n > 1)
        qsort(due.at, due.n, sizeof *due.at, by_order);
    for (size_t i = 0; i < due.n && rc == 0; i++)
        rc = move_earlier(p, (gy_job_id){due.at[i].job}) < 0 ? -1 : 0;
    gy_vec_free(&due);
    return rc;
}

/* The last reserved job gives way to one that is before it in the queue. */
static int displace_last(const struct pass *p)
{
    const gy_job_id last = {p->c->order.at[p->c->order.n - 1].job};
    const struct gy_job *j = gy_view_job(p->v, last);
    if (!withdraw(p->c, last))
        return -1;
    return gy_queue_push(&p->s->queue, p->v, last, p->s->order->key(p->v, j), gy_job_estimate(j)) ? 0 : -1;
}

/* Gives reservations to the first jobs of the queue that have none, up to the depth. */
static int refill(const struct pass *p)
{
    struct gy_conservative *c = p->c;
    struct gy_queue *q = &p->s->queue;
    while (q->n > 0) {
        const struct gy_item *head = &q->heads.at[0].item;
        if (c->order.n >= p->s->depth) {
            if (!gy_item_before(head, &c->order.at[c->order.n - 1]))
                return 0;
            if (displace_last(p))
                return -1;
        }
        const gy_job_id job = gy_queue_head(q);
        const struct gy_queued queued = q->rows.at[job.i];
        gy_queue_remove(q, job);
        if (!gy_cons_enter(c, &queued, job, gy_job_estimate(gy_view_job(p->v, job))))
            return -1;
        const int started = fit_anew(p, job);
        if (started < 0)
            return -1;
        if (!started)
            gy_sched_hold(p->v, p->plan, job,
                          gy_shape_may_fit(p->v->cluster, gy_shape_at(p->v->shapes, queued.lane))
                              ? GY_R_RESERVED
                              : gy_shape_why_not(p->v->cluster, gy_shape_at(p->v->shapes, queued.lane)));
    }
    return 0;
}

#define WORTH_ASKING 4 /* lanes */

/* Asks for a whole group at once how long a job could be held now, by the least CPUs and memory that any of its lanes
 * needs: jobs that are longer need not be asked. One node and no parts of several GPUs, where less is always easier. */
static int ask_group(const struct pass *p, const struct gy_lane_group *g, gy_time *longest)
{
    struct gy_shape least = *gy_shape_at(p->v->shapes, g->like);
    *longest = GY_NEVER;
    if (g->open < WORTH_ASKING || least.full_nodes != 1 || least.rest || least.any_split || least.fraction_gpus > 1)
        return 0;
    least.cpu_milli = least.mem_mib = UINT64_MAX;
    for (uint32_t i = 0; i < g->open; i++) {
        least.cpu_milli = g->lanes.at[i].cpu_milli < least.cpu_milli ? g->lanes.at[i].cpu_milli : least.cpu_milli;
        least.mem_mib = g->lanes.at[i].mem_mib < least.mem_mib ? g->lanes.at[i].mem_mib : least.mem_mib;
    }
    struct guard guard = {.c = p->c, .length = GY_NEVER, .longest = p->v->now, .exclusive = least.exclusive};
    const struct gy_place_request req = {.shape = &least, .allowed = leaves_reservations, .ctx = &guard};
    const int found = gy_sched_place(p->s, p->v, &req, NULL);
    if (found == 0 && guard.refused)
        *longest = guard.longest - p->v->now;
    return found < 0 ? -1 : 0;
}

/* Opens the scan over lanes that may fit, with what asking their groups told. */
static int scan_groups(const struct pass *p)
{
    struct gy_queue *q = &p->s->queue;
    gy_scan_clear(&p->s->scan, q);
    gy_sched_reopen(p->s, p->v);
    for (size_t i = 0; i < q->groups.n; i++) {
        const struct gy_lane_group *g = &q->groups.at[i];
        gy_time longest;
        if (g->open == 0 || !gy_shape_may_fit(p->v->cluster, gy_shape_at(p->v->shapes, g->like)))
            continue;
        if (ask_group(p, g, &longest))
            return -1;
        for (uint32_t k = 0; k < g->open; k++) {
            if (longest != GY_NEVER)
                gy_queue_set_mode(q, g->lanes.at[k].lane, GY_LANE_SHORT, GY_R_RESERVED);
            if (!gy_scan_add(&p->s->scan, g->lanes.at[k].lane, longest))
                return -1;
        }
    }
    return 0;
}

/* Jobs without reservations, which may start where they delay none. */
static int backfill_all(const struct pass *p)
{
    struct gy_scan *scan = &p->s->scan;
    if (scan_groups(p))
        return -1;
    while (scan->heap.n > 0) {
        const struct gy_scan_lane at = scan->heap.at[0];
        if (gy_sched_gone(p->s, p->v, at.lane)) {
            gy_scan_drop(scan);
            continue;
        }
        struct tried tried;
        const int started = try_now(p, (gy_job_id){at.item.job}, at.lane, at.estimate, &tried);
        if (started < 0)
            return -1;
        if (started) {
            gy_scan_take(scan, GY_NEVER);
        } else if (tried.refused) { /* shorter ones may do */
            gy_queue_set_mode(&p->s->queue, at.lane, GY_LANE_SHORT, GY_R_RESERVED);
            gy_scan_next(scan, tried.longest);
        } else {
            gy_queue_set_mode(&p->s->queue, at.lane, GY_LANE_CLOSED, tried.why);
            gy_scan_drop(scan);
        }
    }
    return 0;
}

static int backfill_fresh(const struct pass *p, bool scanned)
{
    struct gy_queue *q = &p->s->queue;
    for (size_t i = 0; i < p->s->fresh.n; i++) {
        const gy_job_id job = {p->s->fresh.at[i].job};
        if (!gy_queue_has(q, job))
            continue;
        const uint32_t lane = q->rows.at[job.i].lane;
        if (!scanned && gy_queue_mode(q, lane) != GY_LANE_CLOSED) {
            struct tried tried;
            const int started = try_now(p, job, lane, gy_job_estimate(gy_view_job(p->v, job)), &tried);
            if (started < 0)
                return -1;
            if (started) {
                gy_queue_remove(q, job);
                continue;
            }
            gy_queue_set_mode(q, lane, tried.refused ? GY_LANE_SHORT : GY_LANE_CLOSED,
                              tried.refused ? GY_R_RESERVED : tried.why);
        }
        gy_sched_hold(p->v, p->plan, job, gy_sched_lane_why(p->s, p->v, lane));
    }
    return 0;
}

/* Asks to be called when the next reservation is due, for nothing else may happen then. */
static void ask_wake(const struct pass *p)
{
    struct gy_item item;
    const struct gy_item now = {p->v->now, INT64_MAX, UINT32_MAX, 0};
    if (!gy_blist_get(&p->c->starts, gy_blist_lower(&p->c->starts, &now), &item, NULL) || item.major == p->c->woken)
        return;
    p->c->woken = item.major;
    gy_plan_wake(p->plan, item.major);
}

static int cons_pass(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan)
{
    struct gy_conservative *c = self;
    const struct pass p = {c, s, v, plan};
    bool overdue;
    c->profile.now = v->now;
    if (!gy_cons_overdue(c, v, &overdue))
        return -1;
    const bool anew = c->rebuild || overdue, whole = anew || c->compress;
    c->rebuild = c->compress = false;
    if (whole) {
        s->queue.round++;
        gy_sched_reopen(s, v);
    }
    if (anew ? plan_anew(&p) : whole ? compress(&p) : run_due(&p))
        return -1;
    if (refill(&p) || (whole && s->queue.n > 0 && backfill_all(&p)) || backfill_fresh(&p, whole))
        return -1;
    ask_wake(&p);
    return 0;
}

const struct gy_backfill_type gy_backfill_conservative = {
    .name = "conservative",
    .summary = "jobs at the front of the queue hold reservations that nobody behind them delays",
    .state_size = sizeof(struct gy_conservative),
    .init = cons_init,
    .fini = cons_fini,
    .on_event = cons_on_event,
    .pass = cons_pass};
