/* The event loop: the world moves, then the policy thinks once, then the sinks listen. What happens to a job is in
 * life.c, what a policy may do in plan.c. */
#include "engine_internal.h"
#include <string.h>

static int fetch_arrival(struct sim *s)
{
    const gy_time before = s->has_next ? s->next.submit : GY_NONE;
    const int rc = s->config->source.next(s->config->source.self, &s->next, s->err);
    if (rc < 0)
        return -1;
    s->has_next = rc > 0;
    if (s->has_next && s->next.submit < before)
        return gy_fail(s->err, GY_EINTERNAL, NULL, "the job source is not in order of submit time");
    return 0;
}

static int heap_event(struct sim *s, const struct gy_heap_event *e)
{
    const gy_job_id id = {(uint32_t)e->payload};
    s->result->events++;
    switch (e->cls) {
    case CLS_END:
        return job_end_event(s, id);
    case CLS_ARRIVAL: {
        struct gy_job *j = sim_job(s, id);
        j->end_handle = GY_HEAP_NONE;
        if (e->payload >> 32) {
            j->reason = GY_R_NONE;
            return job_enqueue(s, id);
        }
        return job_end(s, id, GY_CANCELLED, "cancelled while pending");
    }
    case CLS_RATES:
        s->timers--;
        s->unsettled = true;
        return 0;
    default: /* CLS_TIMER */
        s->timers--;
        return sim_tell(s, GY_C_WAKE, GY_JOB_NONE, GY_NODE_NONE);
    }
}

/* Heap events of this instant up to a class. */
static int drain_heap(struct sim *s, uint8_t up_to)
{
    struct gy_heap_event e;
    while (gy_heap_peek(&s->heap, &e) && e.time == s->view.now && e.cls <= up_to) {
        gy_heap_pop(&s->heap, &e);
        if (heap_event(s, &e))
            return -1;
    }
    return 0;
}

static int world_moves(struct sim *s)
{
    if (drain_heap(s, CLS_END))
        return -1;
    while (s->next_change < s->changes.n && s->changes.at[s->next_change].time <= s->view.now) {
        s->result->events++;
        if (capacity_apply(s, &s->changes.at[s->next_change++]))
            return -1;
    }
    while (s->has_next && s->next.submit == s->view.now) {
        s->result->events++;
        if (job_arrive(s, &s->next) || fetch_arrival(s))
            return -1;
    }
    return drain_heap(s, CLS_RATES);
}

static int policy_thinks(struct sim *s)
{
    if (!s->dirty)
        return 0;
    s->dirty = false;
    if (s->view.pending == 0 && !s->config->policy->always)
        return 0;
    const uint64_t effects = s->effects;
    s->result->passes++;
    s->in_decide = true;
    const int rc = s->config->policy->decide(s->policy_state, &s->view, &s->plan);
    s->in_decide = false;
    if (rc)
        return s->err->code ? -1 : gy_nomem(s->err);
    if (sim_tell_later(s))
        return -1;
    s->dirty = false; /* what the policy did itself needs no second pass */
    s->idle_passes = s->effects == effects ? s->idle_passes + 1 : 0;
    return 0;
}

enum { SAMPLES_MAX = 10000000 };

static int sample(struct sim *s, gy_time at)
{
    const gy_time now = s->view.now;
    s->view.now = at;
    struct gy_event e = {.kind = GY_E_SAMPLE, .id = GY_JOB_NONE, .node = GY_NODE_NONE};
    const int rc = sim_emit(s, &e);
    s->view.now = now;
    s->next_sample = gy_time_add(at, s->config->sample_every);
    return rc;
}

static bool asked_to_stop(struct sim *s)
{
    const struct gy_sim_config *c = s->config;
    if (c->progress)
        c->progress(c->progress_ctx, s->view.now, s->arrived, s->ended);
    return c->stop_flag && *c->stop_flag;
}

/* The samples before t, between which nothing happens; a short period makes very many of them, so a stop that was
 * asked for is looked at here too: 1, the time is then that of the last sample. */
static int samples_before(struct sim *s, gy_time t)
{
    for (uint32_t turn = 1; s->next_sample < t; turn++) {
        const gy_time at = s->next_sample;
        if (++s->samples > SAMPLES_MAX)
            return gy_fail(s->err, GY_EINPUT, NULL,
                           "more than %d samples of one run; ask for a longer period (output.timeline_s)", SAMPLES_MAX);
        if (sample(s, at))
            return -1;
        if (turn % 4096 == 0 && asked_to_stop(s)) {
            s->view.now = at;
            s->result->partial = true;
            return 1;
        }
    }
    return 0;
}

static gy_time next_time(const struct sim *s)
{
    struct gy_heap_event e;
    gy_time t = GY_NEVER;
    if (gy_heap_peek(&s->heap, &e))
        t = e.time;
    if (s->has_next && s->next.submit < t)
        t = s->next.submit;
    /* Capacity changes matter only while jobs are, or are to come. */
    if (s->next_change < s->changes.n && s->changes.at[s->next_change].time < t &&
        (t != GY_NEVER || s->view.pending > 0 || s->config->stop_at != GY_NEVER))
        t = s->changes.at[s->next_change].time;
    return t;
}

/* Only timers are left and passes change nothing any more: nothing ever will. */
static bool stuck(const struct sim *s)
{
    return s->idle_passes > 10000 && s->heap.n == s->timers && !s->has_next && s->next_change == s->changes.n;
}

/* 1: asked to stop on the way there. */
static int one_instant(struct sim *s, gy_time t)
{
    const int on_the_way = samples_before(s, t);
    if (on_the_way)
        return on_the_way;
    s->view.now = t;
    if (world_moves(s) || policy_thinks(s) || rates_settle(s))
        return -1;
    if (s->next_sample == t && next_time(s) != t)
        return sample(s, t);
    return 0;
}

static int loop(struct sim *s)
{
    for (uint32_t turn = 1;; turn++) {
        if (!s->has_next && s->ended == s->arrived && s->config->stop_at == GY_NEVER)
            break; /* what a policy's timers wait for no longer matters, and must not make the run longer */
        const gy_time t = next_time(s);
        if (t == GY_NEVER || t > s->config->stop_at)
            break;
        const int rc = one_instant(s, t);
        if (rc < 0)
            return -1;
        if (rc > 0 || stuck(s))
            break;
        if (turn % 4096 == 0 && asked_to_stop(s)) {
            s->result->partial = true;
            break;
        }
    }
    return 0;
}

/* Told last: the end of the run, then every job that is still here, in order of rows. */
static int finish(struct sim *s)
{
    struct gy_sim_result *r = s->result;
    const bool stopped = s->config->stop_at != GY_NEVER && !r->partial;
    if (stopped && s->arrived > 0 && s->view.now < s->config->stop_at) {
        const int rc = samples_before(s, gy_time_add(s->config->stop_at, 1));
        if (rc < 0)
            return -1;
        if (rc == 0)
            s->view.now = s->config->stop_at;
    }
    r->deadlock = !r->partial && !stopped && s->ended + s->view.running < s->arrived; /* jobs may run for ever */
    r->end = s->arrived ? s->view.now : GY_NONE;
    for (uint32_t i = 0; i < s->jobs.n; i++)
        if (s->jobs.at[i].generation % 2 == 0 && s->jobs.at[i].state == GY_RUNNING)
            job_progress(&s->jobs.at[i], s->view.now);
    struct gy_event e = {.kind = GY_E_FINISH, .id = GY_JOB_NONE, .node = GY_NODE_NONE};
    if (sim_emit(s, &e))
        return -1;
    for (uint32_t i = 0; i < s->jobs.n; i++)
        if (s->jobs.at[i].generation % 2 == 0 && sim_emit_job(s, GY_E_LEFT, (gy_job_id){i}, NULL))
            return -1;
    return 0;
}

static int setup(struct sim *s)
{
    const struct gy_sim_config *c = s->config;
    s->plan.ops = &sim_plan_ops;
    s->pending_last = s->view.pending_first = ROW_NONE;
    s->next_sample = GY_NEVER;
    s->last_wake = GY_NONE;
    *s->result = (struct gy_sim_result){.first_submit = GY_NONE, .last_end = GY_NONE, .end = GY_NONE};
    if (!(s->cluster = gy_cluster_new(c->cluster, s->err)))
        return -1;
    if (!(s->shapes = gy_shapes_new(s->cluster, c->any_split)) ||
        !(s->policy_state = calloc(1, c->policy->state_size ? c->policy->state_size : 1)))
        return gy_nomem(s->err);
    s->view.cluster = s->cluster;
    s->view.shapes = s->shapes;
    s->view.strings = c->source.strings;
    s->view.seed = c->seed;
    if (capacity_prepare(s) || fetch_arrival(s))
        return -1;
    if (s->has_next) {
        s->result->first_submit = s->view.now = s->next.submit;
        if (c->sample_every != GY_NEVER && c->sample_every > 0)
            s->next_sample = s->next.submit;
    }
    s->policy_ready = true;
    return c->policy->init ? c->policy->init(s->policy_state, c->policy_params, &s->view, s->err) : 0;
}

static void teardown(struct sim *s)
{
    if (s->policy_ready && s->config->policy->fini)
        s->config->policy->fini(s->policy_state);
    free(s->policy_state);
    gy_shapes_free(s->shapes);
    gy_cluster_free(s->cluster);
    gy_heap_free(&s->heap);
    gy_vec_free(&s->jobs);
    gy_vec_free(&s->free_rows);
    gy_vec_free(&s->notices);
    gy_vec_free(&s->changes);
    gy_vec_free(&s->waiters);
    gy_vec_free(&s->groups);
    gy_map_free(&s->outcome);
    gy_map_free(&s->waiting);
    gy_map_free(&s->arrays);
    gy_arena_free(&s->share_arena);
}

int gy_sim_run(const struct gy_sim_config *config, const struct gy_observer *observers, size_t n_observers,
               struct gy_sim_result *result, struct gy_error *err)
{
    struct sim s = {.config = config, .observers = observers, .n_observers = n_observers, .result = result, .err = err};
    err->code = GY_OK;
    int rc = setup(&s);
    if (rc == 0)
        rc = loop(&s);
    if (rc == 0)
        rc = finish(&s);
    teardown(&s);
    return rc;
}
