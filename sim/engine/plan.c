/* The plan: every decision of a policy is checked here before it happens. */
#include "engine_internal.h"

static struct sim *sim_of(struct gy_plan *p)
{
    return (struct sim *)p;
}

static int refuse(struct sim *s, gy_job_id id, const char *what)
{
    char buf[24];
    const char *name = id.i < s->jobs.n ? gy_job_rec_id(&sim_job(s, id)->rec, s->view.strings, buf) : "?";
    const struct gy_error inner = *s->err;
    return gy_fail(s->err, GY_EINTERNAL, NULL, "policy %s: %s job %s refused at %.9g s%s%s", s->config->policy->name,
                   what, name, gy_time_to_s(s->view.now), inner.code ? ": " : "", inner.code ? inner.what : "");
}

static bool live(const struct sim *s, gy_job_id id)
{
    return id.i < s->jobs.n && s->jobs.at[id.i].generation % 2 == 0;
}

static bool in_queue(const struct sim *s, gy_job_id id)
{
    return s->jobs.at[id.i].in_queue;
}

/* Whether the shares amount to what the job asks for. */
static bool amounts_match(const struct gy_job_rec *r, const struct gy_share *shares, size_t n)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < n; i++) {
        if (shares[i].mask && shares[i].gpu_milli != r->gpu_milli)
            return false;
        gpus += (uint64_t)__builtin_popcountll(shares[i].mask);
    }
    return n > 0 && (r->exclusive ? gpus >= r->gpus : gpus == r->gpus);
}

static int plan_start(struct gy_plan *p, gy_job_id id, const struct gy_share *shares, size_t n)
{
    struct sim *s = sim_of(p);
    if (!live(s, id) || !in_queue(s, id))
        return refuse(s, id, "starting a job that is not in the queue,");
    if (!amounts_match(&sim_job(s, id)->rec, shares, n))
        return refuse(s, id, "a placement of another size than asked for,");
    if (gy_cluster_check(s->cluster, shares, n, s->err))
        return refuse(s, id, "the placement of");
    if (job_start(s, id, shares, n))
        return -1;
    return gy_cluster_ok(s->cluster) ? 0 : gy_nomem(s->err);
}

static int plan_preempt(struct gy_plan *p, gy_job_id id, enum gy_preempt_mode mode)
{
    struct sim *s = sim_of(p);
    if (!live(s, id) || sim_job(s, id)->state != GY_RUNNING)
        return refuse(s, id, "preempting a job that does not run,");
    if (mode == GY_PREEMPT_CANCEL)
        return job_end(s, id, GY_CANCELLED, "preempted");
    return job_requeue(s, id, mode == GY_PREEMPT_SUSPEND, mode == GY_PREEMPT_SUSPEND ? "suspended" : "preempted");
}

/* Moving keeps the size: how a job's speed follows its size needs a model, which rigid jobs do not have. */
static int plan_move(struct gy_plan *p, gy_job_id id, const struct gy_share *shares, size_t n)
{
    struct sim *s = sim_of(p);
    if (!live(s, id) || sim_job(s, id)->state != GY_RUNNING)
        return refuse(s, id, "moving a job that does not run,");
    struct gy_job *j = sim_job(s, id);
    if (!amounts_match(&j->rec, shares, n))
        return refuse(s, id, "a move to another size of");
    struct gy_share *own = shares_new(s, n);
    if (!own)
        return gy_nomem(s->err);
    job_progress(j, s->view.now);
    gy_cluster_release(s->cluster, j->shares, j->n_shares);
    if (gy_cluster_check(s->cluster, shares, n, s->err)) {
        gy_cluster_book(s->cluster, j->shares, j->n_shares);
        shares_free(s, own, n);
        return refuse(s, id, "the new placement of");
    }
    for (size_t i = 0; i < n; i++)
        own[i] = shares[i];
    gy_cluster_book(s->cluster, own, n);
    if (rates_stopped(s, id))
        return -1;
    shares_free(s, j->shares, j->n_shares);
    j->shares = own;
    j->n_shares = (uint32_t)n;
    s->effects++;
    if (rates_moved(s, id) || sim_emit_job(s, GY_E_RESIZE, id, "moved"))
        return -1;
    return sim_tell(s, GY_C_RESIZED, id, GY_NODE_NONE);
}

static int plan_reject(struct gy_plan *p, gy_job_id id, const char *why)
{
    struct sim *s = sim_of(p);
    if (!live(s, id) || !in_queue(s, id))
        return refuse(s, id, "rejecting a job that is not in the queue,");
    return job_end(s, id, GY_REJECTED, why);
}

static void plan_reserve(struct gy_plan *p, gy_job_id id, gy_time start)
{
    struct sim *s = sim_of(p);
    if (!s->config->report_holds || !live(s, id))
        return;
    struct gy_event e = {.kind = GY_E_RESERVE, .id = id, .job = sim_job(s, id), .node = GY_NODE_NONE, .at = start};
    sim_emit(s, &e); /* a failing observer shows again at the next event */
}

static void plan_hold(struct gy_plan *p, gy_job_id id, enum gy_reason reason)
{
    struct sim *s = sim_of(p);
    if (!live(s, id) || sim_job(s, id)->reason == reason)
        return;
    sim_job(s, id)->reason = (uint8_t)reason;
    if (s->config->report_holds)
        sim_emit_job(s, GY_E_HOLD, id, gy_reason_text(reason));
}

static void plan_wake(struct gy_plan *p, gy_time at)
{
    struct sim *s = sim_of(p);
    if (at <= s->view.now || at == GY_NEVER || at == s->last_wake)
        return;
    if (gy_heap_push(&s->heap, at, CLS_TIMER, 0) != GY_HEAP_NONE) {
        s->last_wake = at;
        s->timers++;
    }
}

const struct gy_plan_ops sim_plan_ops = {
    .start = plan_start,
    .preempt = plan_preempt,
    .move = plan_move,
    .reject = plan_reject,
    .reserve = plan_reserve,
    .hold = plan_hold,
    .wake = plan_wake,
};
