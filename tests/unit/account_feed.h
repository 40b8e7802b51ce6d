/* A hand-driven event stream: the test says what happens and when; the cluster's own index keeps the totals. No engine,
 * no policy: shapes are absent from the view. */
#ifndef ACCOUNT_FEED_H
#define ACCOUNT_FEED_H
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_account.h"
#include "gy_file.h"
#include "gy_json.h"

#define S GY_SECOND

struct feed {
    struct gy_strings *strings;
    struct gy_cluster_spec spec;
    struct gy_cluster *cluster;
    struct gy_job job[4096];
    struct gy_view view;
    struct gy_account *account;
    struct gy_observer to;
    struct gy_sim_result result;
    struct gy_error err;
    uint32_t pending, running;
};

static inline gy_str feed_name(struct feed *f, const char *text)
{
    return gy_strings_add(f->strings, text, strlen(text));
}

static inline void feed_node(struct feed *f, const char *name, const char *type, uint32_t gpus)
{
    const struct gy_node_spec s = {.name = feed_name(f, name),
                                   .gpu_type = feed_name(f, type),
                                   .gpus = gpus,
                                   .speed = 1,
                                   .hardware = UINT32_MAX,
                                   .leaf = UINT32_MAX};
    cr_assert(gy_vec_push(&f->spec.nodes, s));
}

/* Nodes n0 … of so many GPUs of type "G". */
static inline struct feed *feed_new(uint32_t nodes, uint32_t gpus)
{
    struct feed *f = calloc(1, sizeof *f);
    cr_assert(f);
    f->strings = gy_strings_new();
    f->spec.strings = f->strings;
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        feed_node(f, name, "G", gpus);
    }
    return f;
}

/* After the nodes are made. */
static inline void feed_open(struct feed *f, const struct gy_entitlement *entitled, size_t n)
{
    f->cluster = gy_cluster_new(&f->spec, &f->err);
    cr_assert(f->cluster, "%s", f->err.what);
    f->view = (struct gy_view){.cluster = f->cluster, .strings = f->strings, .jobs = f->job, .job_rows = 4096};
    const struct gy_account_options o = {
        .cluster = &f->spec, .strings = f->strings, .groups = true, .entitlements = entitled, .n_entitlements = n};
    f->account = gy_account_new(&o, &f->err);
    cr_assert(f->account);
    f->to = gy_account_observer(f->account);
}

static inline void feed_event(struct feed *f, struct gy_event e, double at_s)
{
    e.time = f->view.now = gy_time_from_s(at_s);
    e.totals = gy_cluster_totals(f->cluster);
    e.pending = f->pending;
    e.running = f->running;
    cr_assert_eq(f->to.on_event(f->to.self, &f->view, &e, &f->err), 0, "%s", f->err.what);
}

/* A job in a row; gpus of gpu_milli each. The record may be changed before feed_submit. */
static inline struct gy_job *feed_job(struct feed *f, uint32_t row, double submit_s, double run_s, uint32_t gpus,
                                      uint32_t milli)
{
    struct gy_job *j = &f->job[row];
    cr_assert(row < 4096);
    *j = (struct gy_job){.rec = {.submit = gy_time_from_s(submit_s),
                                 .duration = gy_time_from_s(run_s),
                                 .limit = GY_NONE,
                                 .cancel = GY_NONE,
                                 .checkpoint = GY_NONE,
                                 .idle_tail = GY_NONE,
                                 .number = row,
                                 .gpus = gpus,
                                 .gpu_milli = milli,
                                 .end_state = GY_COMPLETED},
                         .eligible = gy_time_from_s(submit_s),
                         .queued = gy_time_from_s(submit_s),
                         .first_start = GY_NONE,
                         .rate = 1};
    j->work_left = j->rec.duration;
    return j;
}

static inline void feed_submit(struct feed *f, uint32_t row)
{
    const double at = gy_time_to_s(f->job[row].rec.submit);
    feed_event(f, (struct gy_event){.kind = GY_E_SUBMIT, .id = {row}, .job = &f->job[row]}, at);
    f->pending++;
    feed_event(f, (struct gy_event){.kind = GY_E_ELIGIBLE, .id = {row}, .job = &f->job[row]}, at);
}

static inline void feed_shares(struct feed *f, uint32_t row, double at_s, enum gy_event_kind kind,
                               const struct gy_share *s, uint32_t n)
{
    struct gy_job *j = &f->job[row];
    gy_cluster_book(f->cluster, s, n);
    j->shares = realloc(j->shares, (n ? n : 1) * sizeof *s);
    for (uint32_t i = 0; i < n; i++)
        j->shares[i] = s[i];
    j->n_shares = n;
    j->updated = gy_time_from_s(at_s);
    feed_event(f, (struct gy_event){.kind = kind, .id = {row}, .job = j, .shares = j->shares, .n_shares = n}, at_s);
}

static inline void feed_start_on(struct feed *f, uint32_t row, double at_s, const struct gy_share *s, uint32_t n)
{
    struct gy_job *j = &f->job[row];
    j->state = GY_RUNNING;
    j->start = gy_time_from_s(at_s);
    if (j->first_start == GY_NONE)
        j->first_start = j->start;
    else
        j->restarts++;
    f->pending--;
    f->running++;
    feed_shares(f, row, at_s, GY_E_START, s, n);
}

/* On one node, the GPUs of mask. */
static inline void feed_start(struct feed *f, uint32_t row, double at_s, uint32_t node, uint64_t mask)
{
    const struct gy_share s = {.node = {node}, .mask = mask, .gpu_milli = f->job[row].rec.gpu_milli};
    feed_start_on(f, row, at_s, &s, 1);
}

static inline void feed_release(struct feed *f, struct gy_job *j, double at_s)
{
    gy_cluster_release(f->cluster, j->shares, j->n_shares);
    const gy_time wall = gy_time_from_s(at_s) - j->updated;
    j->work_left = j->work_left > wall ? j->work_left - wall : 0;
    f->running--;
}

static inline void feed_preempt(struct feed *f, uint32_t row, double at_s, __int128 lost, bool suspend)
{
    struct gy_job *j = &f->job[row];
    feed_release(f, j, at_s);
    j->state = suspend ? GY_SUSPENDED : GY_PENDING;
    j->preemptions++;
    if (!suspend)
        j->work_left = j->rec.duration;
    feed_event(f,
               (struct gy_event){.kind = GY_E_PREEMPT,
                                 .id = {row},
                                 .job = j,
                                 .shares = j->shares,
                                 .n_shares = j->n_shares,
                                 .lost_ns_milli = lost},
               at_s);
    f->pending++;
    feed_event(f, (struct gy_event){.kind = GY_E_ELIGIBLE, .id = {row}, .job = j}, at_s);
}

static inline void feed_move(struct feed *f, uint32_t row, double at_s, const struct gy_share *s, uint32_t n)
{
    gy_cluster_release(f->cluster, f->job[row].shares, f->job[row].n_shares);
    feed_shares(f, row, at_s, GY_E_RESIZE, s, n);
}

/* Ends a job in any state; lost: GPU-time of work lost. */
static inline void feed_end(struct feed *f, uint32_t row, double at_s, enum gy_job_state state, __int128 lost,
                            const char *note)
{
    struct gy_job *j = &f->job[row];
    const bool held = j->state == GY_RUNNING;
    if (held)
        feed_release(f, j, at_s);
    else
        f->pending--;
    j->state = (uint8_t)state;
    feed_event(f,
               (struct gy_event){.kind = GY_E_END,
                                 .id = {row},
                                 .job = j,
                                 .shares = held ? j->shares : NULL,
                                 .n_shares = held ? j->n_shares : 0,
                                 .lost_ns_milli = lost,
                                 .note = note},
               at_s);
    free(j->shares);
    j->shares = NULL;
    j->n_shares = 0;
    f->result.last_end = gy_time_from_s(at_s);
}

static inline void feed_node_state(struct feed *f, double at_s, uint32_t node, enum gy_node_state state)
{
    gy_cluster_set_state(f->cluster, (gy_node_id){node}, state);
    feed_event(f, (struct gy_event){.kind = GY_E_NODE, .id = GY_JOB_NONE, .node = {node}, .node_state = state}, at_s);
}

/* Ends the run; left: rows that are still there. */
static inline void feed_finish(struct feed *f, double at_s, const uint32_t *left, size_t n)
{
    feed_event(f, (struct gy_event){.kind = GY_E_FINISH, .id = GY_JOB_NONE}, at_s);
    for (size_t i = 0; i < n; i++)
        feed_event(f,
                   (struct gy_event){.kind = GY_E_LEFT,
                                     .id = {left[i]},
                                     .job = &f->job[left[i]],
                                     .shares = f->job[left[i]].shares,
                                     .n_shares = f->job[left[i]].n_shares},
                   at_s);
    f->result.end = gy_time_from_s(at_s);
    cr_assert_eq(gy_account_finish(f->account, &f->result, &f->err), 0, "%s", f->err.what);
}

static inline double feed_metric(struct feed *f, const char *name)
{
    struct gy_metric m;
    cr_assert(gy_account_metric(f->account, name, &m), "no metric %s", name);
    return m.value;
}
#define expect(f, name, want) expect_near((f), (name), (want), __LINE__)
static inline void expect_near(struct feed *f, const char *name, double want, int line)
{
    const double found = feed_metric(f, name);
    if (isnan(want))
        cr_assert(isnan(found), "line %d: %s is %.17g, not NaN", line, name, found);
    else
        cr_assert(fabs(found - want) <= 1e-12 * fmax(1, fabs(want)), "line %d: %s is %.17g, not %.17g", line, name,
                  found, want);
}

static inline void feed_free(struct feed *f)
{
    for (size_t i = 0; i < 4096; i++)
        free(f->job[i].shares);
    gy_account_free(f->account);
    gy_cluster_free(f->cluster);
    gy_cluster_spec_free(&f->spec);
    gy_strings_free(f->strings);
    free(f);
}
#endif
