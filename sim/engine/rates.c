/* Rates that change while jobs run: asks the rate model once an instant and moves the ends of the jobs it names. */
#include "engine_internal.h"

int rates_started(struct sim *s, gy_job_id id)
{
    const struct gy_rates *r = s->config->rates;
    s->unsettled = true;
    return r ? r->started(r->self, s->view.now, id, sim_job(s, id), s->err) : 0;
}

int rates_stopped(struct sim *s, gy_job_id id)
{
    const struct gy_rates *r = s->config->rates;
    s->unsettled = true;
    return r ? r->stopped(r->self, s->view.now, id, sim_job(s, id), s->err) : 0;
}

static void new_rate(struct sim *s, struct gy_job *j, double rate)
{
    job_progress(j, s->view.now);
    j->rate = rate;
    if (j->end_handle != GY_HEAP_NONE)
        gy_heap_move(&s->heap, j->end_handle, job_end_time(j, s->view.now));
}

int rates_moved(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    j->speed = job_speed(s, j->shares, j->n_shares);
    new_rate(s, j, j->speed * j->factor);
    return rates_started(s, id);
}

static int apply(struct sim *s, const struct gy_rate_change *c)
{
    if (c->job.i >= s->jobs.n || sim_job(s, c->job)->state != GY_RUNNING || !(c->factor >= 0))
        return gy_fail(s->err, GY_EINTERNAL, NULL, "the rate model names a job that does not run, or a rate below 0");
    struct gy_job *j = sim_job(s, c->job);
    if (c->factor == j->factor)
        return 0;
    j->factor = c->factor;
    new_rate(s, j, j->speed * c->factor);
    return sim_emit_job(s, GY_E_RATE, c->job, c->why);
}

int rates_settle(struct sim *s)
{
    const struct gy_rates *r = s->config->rates;
    if (!r || !s->unsettled)
        return 0;
    s->unsettled = false;
    const struct gy_rate_change *changes = NULL;
    size_t n = 0;
    gy_time wake = GY_NEVER;
    if (r->settle(r->self, s->view.now, &changes, &n, &wake, s->err))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (apply(s, &changes[i]))
            return -1;
    if (wake == GY_NEVER || wake <= s->view.now)
        return 0;
    if (gy_heap_push(&s->heap, wake, CLS_RATES, 0) == GY_HEAP_NONE)
        return gy_nomem(s->err);
    s->timers++;
    return 0;
}
