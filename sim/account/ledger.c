/* The ledger's bookkeeping. Not statistics: those are made of it at the end. */
#include "ledger.h"
#include <math.h>
#include <string.h>

static void step(struct gy_ledger *l, gy_time to)
{
    const gy_gpu_time dt = to - l->now;
    l->total += dt * l->totals.total;
    l->down += dt * l->totals.down;
    l->allocated += dt * l->totals.allocated;
    l->free += dt * l->totals.free;
    l->idle += dt * l->idle_now;
    l->now = to;
}

/* Integrates up to the time, letting idle tails begin on the way. */
static void advance(struct gy_ledger *l, gy_time to)
{
    struct gy_heap_event next;

    if (!l->open || l->closed)
        return;
    while (gy_heap_peek(&l->idle_starts, &next) && next.time <= to) {
        gy_heap_pop(&l->idle_starts, &next);
        if (next.time > l->now)
            step(l, next.time);
        struct gy_life *life = &l->lives.at[next.payload];
        life->idle_event = GY_HEAP_NONE;
        life->idle_since = next.time;
        l->idle_now += life->milli;
    }
    if (to > l->now)
        step(l, to);
}

/* When the job's idle tail begins if nothing changes; GY_NEVER without one. */
static gy_time idle_start(const struct gy_job *j, gy_time now)
{
    if (j->rec.idle_tail == GY_NONE || j->rec.idle_tail <= 0)
        return GY_NEVER;
    const gy_time base = j->updated == GY_NONE ? now : j->updated, left = j->work_left - j->rec.idle_tail;
    if (left <= 0)
        return now;
    if (!(j->rate > 0))
        return GY_NEVER;
    const double wall = ceil((double)left / j->rate);
    const gy_time at = gy_time_add(base, j->rate == 1 ? left : wall >= 9e18 ? GY_NEVER : (gy_time)wall);
    return at < now ? now : at;
}

static int plan_idle(struct gy_ledger *l, uint32_t row, const struct gy_job *j, gy_time now, struct gy_error *err)
{
    struct gy_life *life = &l->lives.at[row];
    const gy_time at = idle_start(j, now);

    if (life->idle_event != GY_HEAP_NONE)
        gy_heap_cancel(&l->idle_starts, life->idle_event);
    life->idle_event = GY_HEAP_NONE;
    if (at == GY_NEVER || life->idle_since != GY_NONE)
        return 0;
    life->idle_event = gy_heap_push(&l->idle_starts, at, 0, row);
    return life->idle_event == GY_HEAP_NONE ? gy_nomem(err) : 0;
}

static int hold(struct gy_ledger *l, struct gy_life *life, const struct gy_event *e, struct gy_error *err)
{
    if (e->n_shares > 1 && e->n_shares > life->cap_many) {
        struct gy_held *more = realloc(life->many, e->n_shares * sizeof *more);
        if (!more)
            return gy_nomem(err);
        life->many = more;
        life->cap_many = e->n_shares;
    }
    struct gy_held *at = e->n_shares > 1 ? life->many : &life->one;
    life->milli = 0;
    for (uint32_t i = 0; i < e->n_shares; i++) {
        const struct gy_share *s = &e->shares[i];
        at[i] = (struct gy_held){.node = s->node, .group = s->group, .gpu_milli = s->gpu_milli, .mask = s->mask};
        life->milli += (int64_t)__builtin_popcountll(s->mask) * s->gpu_milli;
    }
    life->n_held = e->n_shares;
    life->since = e->time;
    l->taken = gy_life_holding(life);
    return 0;
}

/* What the present holding cost until the time. */
static double cost_of(const struct gy_ledger *l, const struct gy_life *life, gy_time time)
{
    const struct gy_holding held = gy_life_holding(life);
    double usd = 0;

    for (uint32_t i = 0; i < held.n; i++) {
        const struct gy_held *h = &held.at[i];
        const int64_t milli = (int64_t)__builtin_popcountll(h->mask) * h->gpu_milli;
        usd += gy_gpu_hours((gy_gpu_time)milli * (time - life->since)) * l->prices[h->node.i];
    }
    return usd;
}

/* Ends the present holding at the time. */
static void let_go(struct gy_ledger *l, struct gy_life *life, gy_time time)
{
    if (life->since == GY_NONE)
        return;
    if (l->prices)
        life->usd += cost_of(l, life, time);
    life->run += time - life->since;
    life->gpu_time += (gy_gpu_time)life->milli * (time - life->since);
    if (life->idle_since != GY_NONE) {
        life->idle += (gy_gpu_time)life->milli * (time - life->idle_since);
        l->idle_now -= life->milli;
    }
    if (life->idle_event != GY_HEAP_NONE)
        gy_heap_cancel(&l->idle_starts, life->idle_event);
    life->idle_event = GY_HEAP_NONE;
    life->since = life->idle_since = GY_NONE;
    l->released = gy_life_holding(life);
    life->milli = 0;
}

/* Lost work is the latest, and an idle tail is at the end of the work, so what is lost of it was idle first. */
static void lose(struct gy_ledger *l, struct gy_life *life, gy_gpu_time lost)
{
    if (lost <= 0)
        return;
    const gy_gpu_time both = lost < life->idle ? lost : life->idle;
    life->idle -= both;
    l->idle -= both;
    life->lost += lost;
    l->lost += lost;
}

/* What the job asks for enters (sign 1) or leaves (−1) the count of where it is. */
static void count_asked(struct gy_ledger *l, const struct gy_life *life, const struct gy_job *j, int sign)
{
    const int64_t asked = sign * gy_job_gpu_milli(&j->rec);

    if (life->place == GY_AT_REST)
        l->asked_at_rest += asked;
    if (life->place != GY_IN_QUEUE)
        return;
    l->asked_pending += asked;
    l->asked_for[life->reason] += asked;
}

static void set_place(struct gy_ledger *l, struct gy_life *life, const struct gy_job *j, enum gy_place place)
{
    if ((life->place == GY_IN_QUEUE) != (place == GY_IN_QUEUE))
        l->queued = place == GY_IN_QUEUE ? 1 : -1;
    count_asked(l, life, j, -1);
    life->place = (uint8_t)place;
    count_asked(l, life, j, 1);
}

static void set_reason(struct gy_ledger *l, struct gy_life *life, const struct gy_job *j)
{
    if (j->reason == life->reason || j->reason >= GY_R_COUNT)
        return;
    count_asked(l, life, j, -1);
    life->reason = j->reason;
    count_asked(l, life, j, 1);
}

static gy_gpu_time work_asked(const struct gy_job_rec *r)
{
    gy_time run = r->duration < 0 ? 0 : r->duration;
    if (r->limit != GY_NONE && r->limit >= 0 && r->limit < run)
        run = r->limit;
    return (gy_gpu_time)gy_job_gpu_milli(r) * run;
}

static int submit(struct gy_ledger *l, const struct gy_event *e, struct gy_error *err)
{
    const uint32_t row = e->id.i;

    if (row >= l->lives.n) {
        if (!gy_vec_reserve(&l->lives, (size_t)row + 1))
            return gy_nomem(err);
        memset(&l->lives.at[l->lives.n], 0, ((size_t)row + 1 - l->lives.n) * sizeof *l->lives.at);
        l->lives.n = (size_t)row + 1;
    }
    if (!l->open) {
        l->open = true;
        l->start = l->now = e->time;
    }
    l->last_submit = e->time;
    l->available_at_last_submit = l->total - l->down;
    l->submitted++;
    l->offered += work_asked(&e->job->rec);
    if (l->lives.at[row].live)
        gy_ledger_forget(l, e->id);
    l->lives.at[row] = (struct gy_life){
        .since = GY_NONE, .first_start = GY_NONE, .idle_since = GY_NONE, .idle_event = GY_HEAP_NONE, .live = true};
    set_place(l, &l->lives.at[row], e->job, GY_AT_REST);
    return 0;
}

/* The events of a job that is known. */
static int job_event(struct gy_ledger *l, const struct gy_event *e, struct gy_error *err)
{
    struct gy_life *life = &l->lives.at[e->id.i];

    if (e->job->reason != GY_R_NONE || e->kind == GY_E_ELIGIBLE)
        set_reason(l, life, e->job);
    switch (e->kind) {
    case GY_E_ELIGIBLE:
        set_place(l, life, e->job, GY_IN_QUEUE);
        return 0;
    case GY_E_START:
        if (life->first_start == GY_NONE)
            life->first_start = e->time;
        set_place(l, life, e->job, GY_ON_GPUS);
        return hold(l, life, e, err) ? -1 : plan_idle(l, e->id.i, e->job, e->time, err);
    case GY_E_RESIZE: {
        const struct gy_holding before = gy_life_holding(life);
        let_go(l, life, e->time);
        if (!gy_vec_reserve(&l->old, before.n))
            return gy_nomem(err);
        if (before.n)
            memcpy(l->old.at, before.at, before.n * sizeof *before.at);
        l->released = (struct gy_holding){l->old.at, before.n};
        life->resizes++;
        l->resizes++;
        return hold(l, life, e, err) ? -1 : plan_idle(l, e->id.i, e->job, e->time, err);
    }
    case GY_E_RATE:
        return life->since == GY_NONE ? 0 : plan_idle(l, e->id.i, e->job, e->time, err);
    case GY_E_PREEMPT:
        let_go(l, life, e->time);
        lose(l, life, e->lost_ns_milli);
        set_place(l, life, e->job, GY_AT_REST); /* until it is eligible again, which is an event of its own */
        return 0;
    case GY_E_END:
    case GY_E_LEFT:
        let_go(l, life, l->closed && e->kind == GY_E_LEFT ? l->now : e->time);
        lose(l, life, e->lost_ns_milli);
        set_place(l, life, e->job, GY_GONE);
        return 0;
    default:
        return 0;
    }
}

static void count_leave(struct gy_ledger *l, const struct gy_event *e)
{
    const uint8_t state = e->job->state;

    l->preemptions += e->job->preemptions;
    l->restarts += e->job->restarts;
    if (e->kind == GY_E_LEFT) {
        l->left_running += state == GY_RUNNING;
        l->left_pending += state != GY_RUNNING;
        return;
    }
    if (state <= GY_REJECTED)
        l->ended_as[state]++;
    if (state == GY_REJECTED)
        l->offered -= work_asked(&e->job->rec);
    l->last_end = e->time;
    l->any_end = true;
}

int gy_ledger_event(struct gy_ledger *l, const struct gy_event *e, struct gy_error *err)
{
    l->released = l->taken = (struct gy_holding){0};
    l->queued = 0;
    advance(l, e->time);
    if (e->kind == GY_E_SUBMIT && submit(l, e, err))
        return -1;
    if (e->kind != GY_E_SUBMIT && e->job && e->id.i < l->lives.n && l->lives.at[e->id.i].live) {
        if (job_event(l, e, err))
            return -1;
        if (e->kind == GY_E_END || e->kind == GY_E_LEFT)
            count_leave(l, e);
    }
    if (e->kind == GY_E_FINISH)
        l->closed = true;
    l->totals = e->totals;
    l->pending = e->pending;
    l->running = e->running;
    return 0;
}

struct gy_leave gy_ledger_leave(const struct gy_ledger *l, const struct gy_event *e)
{
    const struct gy_life *life = &l->lives.at[e->id.i];
    return (struct gy_leave){
        .job = e->job,
        .life = life,
        .state = e->job->state,
        .note = e->note,
        .end = e->kind == GY_E_END ? e->time : GY_NONE,
        .wait = life->first_start == GY_NONE ? GY_NONE : life->first_start - e->job->eligible,
    };
}

const struct gy_life *gy_ledger_life(const struct gy_ledger *l, gy_job_id id)
{
    return id.i < l->lives.n && l->lives.at[id.i].live ? &l->lives.at[id.i] : NULL;
}

struct gy_holding gy_life_holding(const struct gy_life *life)
{
    return (struct gy_holding){life->n_held > 1 ? life->many : &life->one, life->n_held};
}

void gy_ledger_forget(struct gy_ledger *l, gy_job_id id)
{
    struct gy_life *life = &l->lives.at[id.i];
    free(life->many);
    life->many = NULL;
    life->live = false;
}

void gy_ledger_free(struct gy_ledger *l)
{
    for (size_t i = 0; i < l->lives.n; i++)
        if (l->lives.at[i].live)
            free(l->lives.at[i].many);
    gy_vec_free(&l->lives);
    gy_vec_free(&l->old);
    gy_heap_free(&l->idle_starts);
}
