/* Batsim's results: _jobs.csv (a row a job that ran) and _schedule.csv (one row of totals). A resource is a GPU; they
 * are numbered over the scenario's nodes in order. Columns that need a model this run has not (energy, sleeping) are -1
 * or 0 as Batsim itself writes them without one. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_export.h"
#include "gy_file.h"
#include "occupancy.h"

struct numbers { /* of GPUs */
    struct gy_occupancy o;
    GY_VEC(uint32_t) first; /* a node's first */
};

struct intervals {
    const struct numbers *n;
    GY_VEC(uint64_t) at; /* low << 32 | high, both inside */
    bool failed;
};

static int number_gpus(const struct gy_run *run, const struct gy_history *h, struct numbers *n, struct gy_error *err)
{
    uint32_t next = 0;

    if (gy_occupancy_open(run, h, &n->o, err))
        return -1;
    for (size_t i = 0; i < n->o.nodes.n; i++) {
        if (!gy_vec_push(&n->first, next))
            return gy_nomem(err);
        next += n->o.nodes.at[i].gpus;
    }
    return 0;
}

static void add_part(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct intervals *x = ctx;
    const gy_str s = gy_strings_find(x->n->o.names, node, len);
    uint64_t at;

    (void)milli;
    if (s == GY_STR_FAIL || !gy_map_get(&x->n->o.by_name, s, &at) || high == low)
        return;
    const uint64_t first = x->n->first.at[at];
    x->failed |= !gy_vec_push(&x->at, (first + low) << 32 | (first + high - 1));
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void put_resources(struct gy_writer *to, struct intervals *x, const char *placement)
{
    gy_vec_clear(&x->at);
    gy_placement_each(placement, add_part, x);
    if (x->at.n > 1)
        qsort(x->at.at, x->at.n, sizeof *x->at.at, by_value);
    for (size_t i = 0; i < x->at.n;) {
        const uint32_t low = (uint32_t)(x->at.at[i] >> 32);
        uint32_t high = (uint32_t)x->at.at[i];
        const bool first = i == 0;
        for (i++; i < x->at.n && (x->at.at[i] >> 32) <= (uint64_t)high + 1; i++)
            high = (uint32_t)x->at.at[i] > high ? (uint32_t)x->at.at[i] : high;
        gy_writer_printf(to, low == high ? "%s%" PRIu32 : "%s%" PRIu32 "-%" PRIu32, first ? "" : " ", low, high);
    }
}

static const char *state_of(const char *state)
{
    if (strcmp(state, "completed") == 0)
        return "COMPLETED_SUCCESSFULLY";
    if (strcmp(state, "timeout") == 0)
        return "COMPLETED_WALLTIME_REACHED";
    if (strcmp(state, "rejected") == 0)
        return "REJECTED";
    return strcmp(state, "cancelled") == 0 || strcmp(state, "node_fail") == 0 ? "COMPLETED_KILLED" : "COMPLETED_FAILED";
}

static bool ended(const struct gy_past_job *j)
{
    return j->start != GY_NONE && j->end != GY_NONE;
}

static void put_seconds(struct gy_writer *to, gy_time t)
{
    const int64_t size = t < 0 ? -t : t, micro = size / 1000 + (size % 1000 >= 500);
    gy_writer_printf(to, ",%s%" PRId64 ".%06" PRId64, t < 0 ? "-" : "", micro / 1000000, micro % 1000000);
}

static void put_job(struct gy_writer *to, const struct gy_past_job *j, struct intervals *x)
{
    const gy_time turnaround = j->end - j->submit, took = j->end - j->start;
    char gpus[40];

    gy_writer_csv(to, j->id);
    gy_number_print(isnan(j->gpus) ? 0 : ceil(j->gpus), gpus);
    gy_writer_printf(to, ",gpuyard,delay_%" PRId64, took / GY_SECOND);
    put_seconds(to, j->submit);
    gy_writer_printf(to, ",%s,-1,%d,%s", gpus, strcmp(j->state, "completed") == 0, state_of(j->state));
    put_seconds(to, j->start);
    put_seconds(to, took);
    put_seconds(to, j->end);
    put_seconds(to, j->start - j->submit);
    put_seconds(to, turnaround);
    gy_writer_put(to, ",", 1);
    gy_writer_csv_number(to, took > 0 ? rint((double)turnaround / (double)took * 1e6) / 1e6 : 1);
    gy_writer_put(to, ",", 1);
    put_resources(to, x, j->placement);
    gy_writer_text(to, ",-1.000000,\"\"\n");
}

static int write_jobs(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_history h;
    struct numbers n = {0};
    struct gy_writer *to = NULL;

    if (gy_history_load(run, &h, err))
        return -1;
    struct intervals x = {.n = &n};
    int rc = number_gpus(run, &h, &n, err);
    if (rc == 0 && !(to = gy_writer_open(path, err)))
        rc = -1;
    if (rc == 0)
        gy_writer_text(
            to, "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
                "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
                "allocated_resources,consumed_energy,metadata\n");
    for (size_t i = 0; rc == 0 && i < h.jobs.n; i++)
        if (ended(&h.jobs.at[i]))
            put_job(to, &h.jobs.at[i], &x);
    if (rc == 0)
        rc = x.failed ? gy_nomem(err) : gy_writer_commit(to, err);
    else
        gy_writer_abandon(to);
    gy_vec_free(&x.at);
    gy_vec_free(&n.first);
    gy_occupancy_close(&n.o);
    gy_history_free(&h);
    return rc;
}

struct totals {
    size_t jobs, finished, success, killed;
    double makespan, max_wait, sum_wait, max_turnaround, sum_turnaround, max_slowdown, sum_slowdown, computing;
};

static void count(struct totals *t, const struct gy_past_job *j)
{
    t->jobs++;
    if (!ended(j))
        return;
    const double wait = gy_time_to_s(j->start - j->submit), turnaround = gy_time_to_s(j->end - j->submit);
    const double took = gy_time_to_s(j->end - j->start), slowdown = took > 0 ? turnaround / took : 1;
    t->finished++;
    t->success += strcmp(j->state, "completed") == 0;
    t->killed +=
        strcmp(j->state, "timeout") == 0 || strcmp(j->state, "cancelled") == 0 || strcmp(j->state, "node_fail") == 0;
    t->makespan = fmax(t->makespan, gy_time_to_s(j->end));
    t->max_wait = fmax(t->max_wait, wait);
    t->sum_wait += wait;
    t->max_turnaround = fmax(t->max_turnaround, turnaround);
    t->sum_turnaround += turnaround;
    t->max_slowdown = fmax(t->max_slowdown, slowdown);
    t->sum_slowdown += slowdown;
    t->computing += strtod(j->gpu_seconds, NULL);
}

static int write_schedule(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_history h;
    struct numbers n = {0};
    struct totals t = {0};
    struct gy_writer *to = NULL;

    if (gy_history_load(run, &h, err))
        return -1;
    int rc = number_gpus(run, &h, &n, err);
    if (rc == 0 && !(to = gy_writer_open(path, err)))
        rc = -1;
    for (size_t i = 0; i < h.jobs.n; i++)
        count(&t, &h.jobs.at[i]);
    if (rc == 0) {
        const double f = t.finished ? (double)t.finished : 1;
        uint64_t gpus = 0;
        for (size_t i = 0; i < n.o.nodes.n; i++)
            gpus += n.o.nodes.at[i].gpus;
        gy_writer_text(
            to, "makespan,max_slowdown,max_turnaround_time,max_waiting_time,mean_slowdown,mean_turnaround_time,"
                "mean_waiting_time,nb_computing_machines,nb_jobs,nb_jobs_finished,nb_jobs_killed,nb_jobs_success,"
                "success_rate,time_computing,time_idle\n");
        gy_writer_printf(to, "%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%" PRIu64 ",%zu,%zu,%zu,%zu,%.6f,%.6f,%.6f\n",
                         t.makespan, t.max_slowdown, t.max_turnaround, t.max_wait, t.sum_slowdown / f,
                         t.sum_turnaround / f, t.sum_wait / f, gpus, t.jobs, t.finished, t.killed, t.success,
                         (double)t.success / (t.jobs ? (double)t.jobs : 1), t.computing,
                         fmax(0, t.makespan * (double)gpus - t.computing));
        rc = gy_writer_commit(to, err);
    }
    gy_vec_free(&n.first);
    gy_occupancy_close(&n.o);
    gy_history_free(&h);
    return rc;
}

const struct gy_export_type gy_export_batsim_jobs = {
    .name = "batsim", .summary = "Batsim's _jobs.csv", .suffix = "_jobs.csv", .write = write_jobs};
const struct gy_export_type gy_export_batsim_schedule = {
    .name = "batsim-schedule", .summary = "Batsim's _schedule.csv", .suffix = "_schedule.csv", .write = write_schedule};
