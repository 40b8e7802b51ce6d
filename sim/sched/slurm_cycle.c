/* When the passes of the policy "slurm" run, and what becomes of their answers. In cycle "slurm" the main pass runs on
 * a one-second tick, at most once per batch_sched_delay, and the backfill pass on the ticks of bf_interval; either is
 * left out while nothing changed. In cycle "ideal" both run at every instant at which something changed. */
#include <stdlib.h>
#include "slurm_policy.h"

enum { MAX_ROUNDS = 64 }; /* of main passes at one instant that preempted something */

static gy_time on_grid(gy_time t, gy_time phase, gy_time step)
{
    const gy_time k = t - phase;
    const gy_time steps = k >= 0 ? (k + step - 1) / step : -(-k / step);
    return phase + steps * step;
}

/* The first recorded time not before t; GY_NONE behind the last. */
static gy_time recorded(const gy_time *ticks, size_t n, gy_time t)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (ticks[mid] < t)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n ? ticks[low] : GY_NONE;
}

static gy_time main_due(const struct slurm *s)
{
    if (!s->main_dirty)
        return GY_NEVER;
    if (s->p.cycle == SLURM_CYCLE_IDEAL)
        return s->view->now;
    gy_time t = s->dirty_since;
    if (s->last_main != GY_NONE && t < s->last_main + s->p.batch_sched_delay && !s->p.n_main_ticks)
        t = s->last_main + s->p.batch_sched_delay;
    if (s->main_full_only && t < s->last_full + s->p.sched_interval)
        t = s->last_full + s->p.sched_interval;
    const gy_time at = recorded(s->p.main_ticks, s->p.n_main_ticks, t);
    return at != GY_NONE ? at : on_grid(t, s->p.main_phase, s->p.main_tick);
}

static gy_time bf_due(const struct slurm *s)
{
    if (!s->bf_dirty || s->p.scheduler == SLURM_BUILTIN)
        return GY_NEVER;
    if (s->p.cycle == SLURM_CYCLE_IDEAL)
        return s->view->now;
    gy_time t = s->bf_dirty_since;
    if (s->last_bf != GY_NONE && t <= s->last_bf)
        t = s->last_bf + 1;
    const gy_time at = recorded(s->p.bf_ticks, s->p.n_bf_ticks, t);
    return at != GY_NONE ? at : on_grid(t, s->p.bf_phase, s->p.bf_interval);
}

static bool start(struct slurm *s, gy_job_id job, const struct gy_slurm_answer *a)
{
    const struct gy_job *j = gy_view_job(s->view, job);
    struct slurm_shares shares = {.at = {.n = 0}};
    if (!slurm_limits_allow(s, s->view, j)) {
        gy_plan_hold(s->plan, job, GY_R_QUOTA);
        return false;
    }
    if (!slurm_shares_on(s->view, j, a, &shares) || !slurm_limits_take(s, s->view, j, false))
        s->no_memory = true;
    else if ((s->rc = gy_plan_start(s->plan, job, shares.at.at, shares.at.n)) == 0) {
        s->known.at[job.i].pending = false;
        s->gone++;
        s->bf_dirty = true;
        s->bf_dirty_since = s->view->now;
    }
    gy_vec_free(&shares.at);
    return s->rc == 0 && !s->no_memory;
}

static bool tell(void *ctx, const struct gy_slurm_answer *a)
{
    struct slurm *s = ctx;
    const gy_job_id job = {a->job->id};
    if (s->rc || s->no_memory)
        return false;
    switch (a->word) {
    case GY_SLURM_START:
        return start(s, job, a);
    case GY_SLURM_PLAN:
        gy_plan_hold(s->plan, job, GY_R_RESOURCES);
        gy_plan_reserve(s->plan, job, a->start_s * GY_SECOND);
        break;
    case GY_SLURM_BLOCKED:
        gy_plan_hold(s->plan, job, GY_R_RESOURCES);
        s->preempted = s->p.preempt != SLURM_PREEMPT_NONE && slurm_preempt_for(s, job, a->job);
        break;
    case GY_SLURM_BEHIND:
        gy_plan_hold(s->plan, job, GY_R_PRIORITY);
        break;
    default:
        break;
    }
    return true;
}

static bool fresh_state(struct slurm *s)
{
    if (!s->stale)
        return true;
    s->stale = false;
    return slurm_state_build(s, s->view);
}

/* The jobs of the queue one by one, those that a limit stops left out, until the pass has enough. False: failed. */
static bool walk(struct slurm *s, struct gy_slurm_pass *p, bool backfill, uint64_t depth, bool *all)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < s->queue.n; i++) {
        const struct slurm_entry e = s->queue.at[i];
        struct gy_slurm_job buf;
        if (!slurm_queue_live(s, s->view, &e))
            continue;
        if (seen++ == depth) {
            *all = false;
            break;
        }
        if (s->p.limits.n && !slurm_limits_allow(s, s->view, gy_view_job(s->view, e.job))) {
            gy_plan_hold(s->plan, e.job, GY_R_QUOTA);
            continue;
        }
        const struct gy_slurm_job *ask = slurm_ask_of(s, s->view, e.job, &buf);
        if (!ask && !s->no_memory) {
            s->rc =
                gy_plan_reject(s->plan, e.job, "the slurm policy places GPUs by the node; this number has no even cut");
            s->known.at[e.job.i].pending = false;
            s->gone++;
            continue;
        }
        const enum gy_slurm_step step = !ask       ? GY_SLURM_NO_MEMORY
                                        : backfill ? gy_slurm_backfill_job(p, ask)
                                                   : gy_slurm_main_job(p, ask);
        if (step == GY_SLURM_NO_MEMORY || s->no_memory || s->rc)
            return false;
        if (step == GY_SLURM_LAST || s->preempted)
            break;
    }
    return s->rc == 0 && !s->no_memory;
}

static struct gy_slurm_pass new_pass(struct slurm *s)
{
    return (struct gy_slurm_pass){.w = s->scratch,
                                  .c = &s->config,
                                  .s = &s->state,
                                  .now = slurm_seconds(s->view->now),
                                  .strict = s->p.scheduler == SLURM_BUILTIN,
                                  .sink = {tell, s}};
}

static bool main_pass(struct slurm *s)
{
    const gy_time now = s->view->now;
    const bool full =
        s->p.cycle == SLURM_CYCLE_IDEAL || s->last_full == GY_NONE || now >= s->last_full + s->p.sched_interval;
    const uint64_t depth = full || s->p.default_queue_depth <= 0 ? UINT64_MAX : (uint64_t)s->p.default_queue_depth;
    bool all = true;
    s->main_dirty = s->main_full_only = false;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        s->preempted = false;
        struct gy_slurm_pass p = new_pass(s);
        if (!fresh_state(s))
            return false;
        gy_slurm_main_begin(&p);
        if (!walk(s, &p, false, depth, &all))
            return false;
        if (!s->preempted)
            break;
    }
    s->last_main = now;
    s->last_full = full ? now : s->last_full;
    if (!all) { /* the rest waits for the next full pass */
        s->main_dirty = s->main_full_only = true;
        s->dirty_since = now;
    }
    return true;
}

static bool backfill_pass(struct slurm *s)
{
    bool all = true;
    struct gy_slurm_pass p = new_pass(s);
    s->bf_dirty = s->preempted = false;
    s->last_bf = s->view->now;
    if (!fresh_state(s) || !gy_slurm_backfill_begin(&p))
        return false;
    return walk(s, &p, true, UINT64_MAX, &all);
}

static bool tick(struct slurm *s)
{
    if (s->p.priority != SLURM_MULTIFACTOR || s->view->now < s->next_tick)
        return true;
    s->next_tick = on_grid(s->view->now + 1, s->p.priority_phase, s->p.calc_period);
    if (!slurm_tick(s, s->view))
        return false;
    slurm_queue_sort(s, s->view);
    slurm_dirty(s, s->view->now);
    return true;
}

void slurm_dirty(struct slurm *s, gy_time now)
{
    if (!s->main_dirty || s->main_full_only)
        s->dirty_since = now;
    if (!s->bf_dirty)
        s->bf_dirty_since = now;
    s->main_dirty = s->bf_dirty = true;
    s->main_full_only = false;
    s->changed = now;
}

static void ask_for_wake(struct slurm *s)
{
    gy_time next = slurm_preempt_next(s);
    const bool waiting = s->view->pending > 0;
    const gy_time due[] = {waiting ? main_due(s) : GY_NEVER, waiting ? bf_due(s) : GY_NEVER,
                           s->p.priority == SLURM_MULTIFACTOR && (waiting || s->running.n) ? s->next_tick : GY_NEVER};
    for (size_t i = 0; i < sizeof due / sizeof *due; i++)
        next = due[i] < next ? due[i] : next;
    if (next == GY_NEVER || (s->asked > s->view->now && s->asked <= next))
        return;
    s->asked = next;
    gy_plan_wake(s->plan, next);
}

/* Passes that were due while nobody waited have happened, and changed nothing. */
static void passed_by(struct slurm *s)
{
    const gy_time now = s->view->now;
    const bool changed = s->changed == now;
    if (main_due(s) < now) {
        s->last_main = main_due(s);
        s->main_dirty = changed;
        s->dirty_since = now;
    }
    if (bf_due(s) < now) {
        s->last_bf = bf_due(s);
        s->bf_dirty = changed;
        s->bf_dirty_since = now;
    }
}

int slurm_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    struct slurm *s = self;
    s->view = v;
    s->plan = plan;
    s->rc = 0;
    if (slurm_preempt_due(s) || !slurm_queue_ready(s) || !tick(s))
        return -1;
    passed_by(s);
    if (main_due(s) <= v->now && !main_pass(s))
        return -1;
    if (bf_due(s) <= v->now && !backfill_pass(s))
        return -1;
    if (s->p.cycle == SLURM_CYCLE_IDEAL)
        s->bf_dirty = false; /* its own starts need no second look */
    ask_for_wake(s);
    return s->rc || s->no_memory ? -1 : 0;
}
