/* The life cycle of a job: arrives, becomes eligible, starts, progresses, is requeued or suspended, ends.
 * Progress is work × rate; a rigid job on nodes of speed 1 runs its recorded time to the nanosecond. */
#include "engine_internal.h"
#include <math.h>
#include <string.h>

/* The slowest GPU sets the pace. */
double job_speed(const struct sim *s, const struct gy_share *shares, size_t n)
{
    const struct gy_cluster_spec *spec = s->config->cluster;
    double rate = 0;
    for (size_t i = 0; i < n; i++) {
        const double speed = spec->nodes.at[shares[i].node.i].speed;
        if (i == 0 || speed < rate)
            rate = speed;
    }
    return rate > 0 ? rate : 1.0;
}

static gy_time wall_for(gy_time work, double rate)
{
    if (rate == 1.0)
        return work;
    if (rate <= 0)
        return work > 0 ? GY_NEVER : 0;
    const double wall = ceil((double)work / rate);
    return wall >= (double)GY_TIME_MAX ? GY_TIME_MAX : (gy_time)wall;
}

void job_progress(struct gy_job *j, gy_time now)
{
    const gy_time wall = now - j->updated;
    if (wall <= 0)
        return;
    gy_time work = wall;
    if (j->rate != 1.0)
        work = (gy_time)((double)wall * j->rate + 0.5);
    j->work_left = work >= j->work_left ? 0 : j->work_left - work;
    j->served += wall;
    const __int128 attained = (__int128)wall * gy_job_gpu_milli(&j->rec) / GY_MILLI + j->attained;
    j->attained = attained > INT64_MAX ? INT64_MAX : (gy_time)attained;
    j->updated = now;
}

static int schedule(struct sim *s, gy_time at, uint8_t cls, uint64_t payload, uint32_t *handle)
{
    *handle = gy_heap_push(&s->heap, at, cls, payload);
    return *handle == GY_HEAP_NONE ? gy_nomem(s->err) : 0;
}

static void unschedule(struct sim *s, struct gy_job *j)
{
    if (j->end_handle != GY_HEAP_NONE)
        gy_heap_cancel(&s->heap, j->end_handle);
    j->end_handle = GY_HEAP_NONE;
}

int job_enqueue(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    j->queued = s->view.now;
    pending_add(s, id);
    if (sim_emit_job(s, GY_E_ELIGIBLE, id, NULL))
        return -1;
    return sim_tell(s, GY_C_ELIGIBLE, id, GY_NODE_NONE);
}

int job_arrive(struct sim *s, const struct gy_job_rec *rec)
{
    const gy_job_id id = row_new(s);
    if (id.i == GY_JOB_NONE.i)
        return gy_nomem(s->err);
    struct gy_job *j = sim_job(s, id);
    j->rec = *rec;
    j->state = GY_PENDING;
    j->eligible = j->queued = rec->submit;
    j->work_left = rec->duration;
    j->rate = 1.0;
    j->shape = gy_shapes_of(s->shapes, rec);
    if (j->shape == UINT32_MAX)
        return gy_nomem(s->err);
    s->arrived++;
    if (sim_emit_job(s, GY_E_SUBMIT, id, NULL))
        return -1;
    const char *never = gy_shape_at(s->shapes, j->shape)->never;
    if (never)
        return job_end(s, id, GY_REJECTED, never);
    if (rec->cancel != GY_NONE &&
        schedule(s, rec->cancel > s->view.now ? rec->cancel : s->view.now, CLS_ARRIVAL, id.i, &j->end_handle))
        return -1;
    bool never_satisfied = false, waits = false;
    if (rec->dep_n && depend_arrive(s, id, &never_satisfied))
        return -1;
    if (never_satisfied)
        return job_end(s, id, GY_CANCELLED, "a job it depends on did not end as it should");
    if (sim_job(s, id)->waiting_on > 0) {
        sim_job(s, id)->reason = GY_R_DEPENDENCY;
        return 0;
    }
    if (array_enter(s, id, &waits))
        return -1;
    return waits ? 0 : job_enqueue(s, id);
}

int job_start(struct sim *s, gy_job_id id, const struct gy_share *shares, size_t n)
{
    struct gy_job *j = sim_job(s, id);
    struct gy_share *own = shares_new(s, n);
    if (!own)
        return gy_nomem(s->err);
    memcpy(own, shares, n * sizeof *own);
    gy_cluster_book(s->cluster, own, n);
    unschedule(s, j);
    pending_remove(s, id);
    const gy_time now = s->view.now;
    j->shares = own;
    j->n_shares = (uint32_t)n;
    j->state = GY_RUNNING;
    j->start = j->updated = now;
    const bool first = j->first_start == GY_NONE;
    if (first)
        j->first_start = now;
    else
        j->restarts++;
    j->speed = j->rate = job_speed(s, shares, n);
    j->factor = 1.0;
    j->expected_end = gy_time_add(now, j->rec.limit != GY_NONE ? j->rec.limit : wall_for(j->work_left, j->rate));
    const gy_time end = job_end_time(j, now);
    s->view.running++;
    s->effects++;
    if (schedule(s, end, CLS_END, id.i, &j->end_handle) || sim_emit_job(s, GY_E_START, id, NULL) ||
        sim_tell(s, GY_C_STARTED, id, GY_NODE_NONE) || rates_started(s, id))
        return -1;
    return first && j->rec.depended_on ? depend_started(s, &sim_job(s, id)->rec) : 0;
}

gy_time job_end_time(const struct gy_job *j, gy_time now)
{
    const gy_time end = gy_time_add(now, wall_for(j->work_left, j->rate));
    const gy_time limit = j->rec.limit != GY_NONE ? gy_time_add(j->start, j->rec.limit) : GY_NEVER;
    return end < limit ? end : limit;
}

/* Stops a running job: progress to now, resources back. The shares stay readable until they are freed by the caller. */
static int stop_running(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    job_progress(j, s->view.now);
    gy_cluster_release(s->cluster, j->shares, j->n_shares);
    s->view.running--;
    s->effects++;
    return rates_stopped(s, id);
}

static void drop_shares(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    shares_free(s, j->shares, j->n_shares);
    j->shares = NULL;
    j->n_shares = 0;
}

int job_end_event(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    j->end_handle = GY_HEAP_NONE;
    job_progress(j, s->view.now);
    if (j->work_left > 0)
        return job_end(s, id, GY_TIMEOUT, "reached its time limit");
    return job_end(s, id, (enum gy_job_state)j->rec.end_state, NULL);
}

/* Work since the last checkpoint (or since the beginning) is lost; returns it in ns at rate 1. */
static gy_time lose_work(struct gy_job *j)
{
    const gy_time done = j->rec.duration - j->work_left;
    gy_time kept = 0;
    if (j->rec.checkpoint != GY_NONE && j->rec.checkpoint > 0)
        kept = done / j->rec.checkpoint * j->rec.checkpoint;
    if (kept < j->work_kept)
        kept = j->work_kept;
    j->work_kept = kept;
    j->work_left = j->rec.duration - kept;
    return done - kept;
}

int job_requeue(struct sim *s, gy_job_id id, bool suspend, const char *note)
{
    struct gy_job *j = sim_job(s, id);
    if (stop_running(s, id))
        return -1;
    unschedule(s, j);
    struct gy_event e = {.kind = GY_E_PREEMPT,
                         .id = id,
                         .job = j,
                         .shares = j->shares,
                         .n_shares = j->n_shares,
                         .node = GY_NODE_NONE,
                         .note = note};
    j->state = suspend ? GY_SUSPENDED : GY_PENDING;
    j->preemptions++;
    if (!suspend) {
        const gy_time lost = lose_work(j);
        e.lost_ns_milli = (__int128)wall_for(lost, j->rate) * gy_job_gpu_milli(&j->rec);
        j->lost_ns_milli += e.lost_ns_milli;
    }
    if (sim_emit(s, &e))
        return -1;
    if (sim_tell(s, GY_C_STOPPED, id, GY_NODE_NONE))
        return -1;
    drop_shares(s, id);
    if (s->config->requeue_delay > 0 && !suspend) {
        j->reason = GY_R_BACKOFF;
        return schedule(s, gy_time_add(s->view.now, s->config->requeue_delay), CLS_ARRIVAL, id.i | UINT64_C(1) << 32,
                        &sim_job(s, id)->end_handle);
    }
    return job_enqueue(s, id);
}

int job_end(struct sim *s, gy_job_id id, enum gy_job_state state, const char *note)
{
    struct gy_job *j = sim_job(s, id);
    const bool held = j->shares != NULL;
    const bool queued = j->in_queue;
    unschedule(s, j);
    if (held && stop_running(s, id))
        return -1;
    if (queued)
        pending_remove(s, id);
    else if (!held && j->reason == GY_R_ARRAY)
        array_forget(s, id);
    j->state = (uint8_t)state;
    struct gy_event e = {.kind = GY_E_END,
                         .id = id,
                         .job = j,
                         .shares = j->shares,
                         .n_shares = j->n_shares,
                         .node = GY_NODE_NONE,
                         .note = note};
    if (state == GY_NODE_FAIL && held) {
        const gy_time lost = lose_work(j);
        e.lost_ns_milli = (__int128)wall_for(lost, j->rate) * gy_job_gpu_milli(&j->rec);
        j->lost_ns_milli += e.lost_ns_milli;
    }
    s->ended++;
    s->effects++;
    s->result->last_end = s->view.now;
    if (sim_emit(s, &e))
        return -1;
    const struct gy_job_rec rec = j->rec; /* the row may move while others are told */
    const bool told = held || queued;
    if (told && sim_tell(s, held ? GY_C_STOPPED : GY_C_GONE, id, GY_NODE_NONE))
        return -1;
    drop_shares(s, id);
    if (!told || !s->in_decide)
        row_free(s, id);
    if (rec.depended_on && depend_ended(s, &rec, state))
        return -1;
    return told && rec.array_limit ? array_leave(s, &rec) : 0;
}
