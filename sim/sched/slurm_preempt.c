/* Preemption of the policy "slurm": by partition tier or by QOS priority, modes requeue, cancel and suspend, with a
 * grace. Victims are taken lowest tier first, then fewest nodes, until the job fits; then those that are not needed are
 * let go again, so that nothing dies in vain. A victim in its grace is not forgotten: while those that are dying
 * suffice, no more are taken. */
#include <stdlib.h>
#include "slurm_policy.h"

struct victim {
    int64_t rank; /* tier or QOS priority */
    uint32_t nodes, row;
    size_t at; /* index in s->running */
    const struct gy_slurm_run *run;
    bool dying, spared;
};

static int by_rank(const void *x, const void *y)
{
    const struct victim *a = x, *b = y;
    if (a->dying != b->dying)
        return a->dying ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes < b->nodes ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int64_t rank_of(const struct slurm *s, const struct gy_job *j, int *mode, gy_time *grace)
{
    if (s->p.preempt == SLURM_PREEMPT_PARTITION) {
        const struct slurm_partition_param *p = slurm_partition_of(s, s->view, j->rec.partition);
        *mode = p ? p->preempt_mode : SLURM_OFF;
        *grace = p ? p->grace : 0;
        return p ? p->tier : 1;
    }
    const struct slurm_qos_param *q = slurm_qos_of(s, s->view, j->rec.qos);
    *mode = q ? q->preempt_mode : SLURM_OFF;
    *grace = q ? q->grace : 0;
    return q ? (int64_t)q->priority : 0;
}

static const struct gy_slurm_run *run_of(const struct slurm *s, uint32_t row)
{
    for (size_t i = 0; i < s->state.runs.n; i++)
        if (s->state.runs.at[i].id == row)
            return &s->state.runs.at[i];
    return NULL;
}

static size_t find_victims(struct slurm *s, int64_t rank, const struct gy_slurm_job *ask, struct victim *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->running.n; i++) {
        const struct slurm_running *r = &s->running.at[i];
        const struct gy_job *j = gy_view_job(s->view, r->job);
        const struct slurm_known *k = &s->known.at[r->job.i];
        int mode;
        gy_time grace;
        struct victim x = {.rank = rank_of(s, j, &mode, &grace), .row = r->row, .at = i, .dying = k->dying != GY_NONE};
        if (!x.dying && (x.rank >= rank || mode == SLURM_OFF || s->view->now < j->start + s->p.preempt_exempt))
            continue;
        if (!(x.run = run_of(s, r->row)))
            continue;
        bool useful = false;
        for (uint32_t h = 0; h < x.run->n && !useful; h++)
            useful = !ask->allowed || set_has(ask->allowed, s->state.holds.at[x.run->first + h].node);
        x.nodes = x.run->n;
        if (useful)
            out[n++] = x;
    }
    qsort(out, n, sizeof *out, by_rank);
    return n;
}

static void shift(struct slurm *s, const struct victim *x, bool take)
{
    struct gy_slurm_scratch *w = s->scratch;
    for (uint32_t h = 0; h < x->run->n; h++) {
        const struct gy_slurm_hold *hold = &s->state.holds.at[x->run->first + h];
        if (take)
            slurm_take(&w->free[hold->node], &hold->amount);
        else
            slurm_give(&w->free[hold->node], &hold->amount);
        w->jobs[hold->node] += take ? 1 : UINT32_MAX;
    }
}

static bool fits(struct slurm *s, const struct gy_slurm_job *ask)
{
    struct gy_slurm_scratch *w = s->scratch;
    uint32_t rest;
    for (uint32_t k = 0; k < w->words; k++)
        w->usable[k] = ask->allowed ? s->state.up[k] & ask->allowed[k] : s->state.up[k];
    return gy_slurm_pick(w, &s->config, w->free, w->jobs, ask, w->usable, slurm_seconds(s->view->now), w->out, &rest);
}

/* How many of the victims in order make room, with those spared that need not go; 0: even all do not. */
static size_t choose(struct slurm *s, const struct gy_slurm_job *ask, struct victim *x, size_t n)
{
    struct gy_slurm_scratch *w = s->scratch;
    memcpy(w->free, s->state.free, s->state.nodes * sizeof *w->free);
    memcpy(w->jobs, s->state.jobs, s->state.nodes * sizeof *w->jobs);
    size_t gone = 0;
    for (; gone < n; gone++) {
        shift(s, &x[gone], false);
        if (fits(s, ask))
            break;
    }
    if (gone == n)
        return 0;
    for (size_t i = 0; i < gone; i++) {
        if (x[i].dying)
            continue;
        shift(s, &x[i], true);
        x[i].spared = fits(s, ask);
        if (!x[i].spared)
            shift(s, &x[i], false);
    }
    return gone + 1;
}

static enum gy_preempt_mode engine_mode(int mode)
{
    return mode == SLURM_CANCEL ? GY_PREEMPT_CANCEL : mode == SLURM_SUSPEND ? GY_PREEMPT_SUSPEND : GY_PREEMPT_REQUEUE;
}

static void kill_now(struct slurm *s, gy_job_id job, int mode)
{
    for (size_t i = 0; i < s->running.n; i++)
        if (s->running.at[i].job.i == job.i) {
            memmove(&s->running.at[i], &s->running.at[i + 1], (--s->running.n - i) * sizeof s->running.at[0]);
            break;
        }
    const struct gy_job *j = gy_view_job(s->view, job);
    if (!slurm_charge_end(s, s->view, job) || !slurm_limits_take(s, s->view, j, true))
        s->no_memory = true;
    s->known.at[job.i].running = false;
    s->known.at[job.i].dying = GY_NONE;
    s->rc = s->rc ? s->rc : gy_plan_preempt(s->plan, job, engine_mode(mode));
    s->stale = s->main_dirty = s->bf_dirty = true;
}

bool slurm_preempt_for(struct slurm *s, gy_job_id job, const struct gy_slurm_job *ask)
{
    int mode;
    gy_time grace;
    const int64_t rank = rank_of(s, gy_view_job(s->view, job), &mode, &grace);
    struct victim *x = calloc(s->running.n + 1, sizeof *x);
    if (!x) {
        s->no_memory = true;
        return false;
    }
    const size_t n = choose(s, ask, x, find_victims(s, rank, ask, x));
    bool killed = false;
    for (size_t i = 0; i < n; i++)
        x[i].at = s->running.at[x[i].at].job.i; /* kill_now moves the list */
    for (size_t i = 0; i < n && s->rc == 0; i++) {
        const gy_job_id id = {(uint32_t)x[i].at};
        if (x[i].spared || x[i].dying)
            continue;
        rank_of(s, gy_view_job(s->view, id), &mode, &grace);
        if (grace > 0) {
            s->known.at[id.i].dying = gy_time_add(s->view->now, grace);
            s->known.at[id.i].die_mode = (uint8_t)mode;
            continue;
        }
        kill_now(s, id, mode);
        killed = true;
    }
    free(x);
    return killed;
}

int slurm_preempt_due(struct slurm *s)
{
    for (size_t i = 0; i < s->running.n && s->rc == 0;) {
        const gy_job_id job = s->running.at[i].job;
        const struct slurm_known *k = &s->known.at[job.i];
        if (k->dying == GY_NONE || k->dying > s->view->now)
            i++;
        else
            kill_now(s, job, k->die_mode);
    }
    return s->rc;
}

gy_time slurm_preempt_next(const struct slurm *s)
{
    gy_time next = GY_NEVER;
    for (size_t i = 0; i < s->running.n; i++) {
        const gy_time t = s->known.at[s->running.at[i].job.i].dying;
        if (t != GY_NONE && t < next)
            next = t;
    }
    return next;
}
