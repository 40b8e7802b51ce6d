/* The gate's judgement: thresholds and baselines. What it prints is in check_show.c. */
#include "gy_check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_bind.h"
#include "gy_file.h"

void gy_checks_free(struct gy_checks *c)
{
    gy_vec_free(&c->at);
    gy_arena_free(&c->arena);
    *c = (struct gy_checks){0};
}

/* Judges and appends one check whose limits are filled in. */
static int judge(const struct gy_run *run, struct gy_check check, struct gy_checks *out, struct gy_error *err)
{
    const struct gy_run_metric *m = gy_run_metric(run, check.metric);
    check.known = m != NULL;
    check.value = m ? m->value : NAN;
    check.ok = !isnan(check.value) && !(check.value < check.min) && !(check.value > check.max);
    check.metric = gy_arena_strndup(&out->arena, check.metric, strlen(check.metric));
    if (!check.known) {
        const char *near = gy_run_nearest(run, check.metric);
        check.nearest = near ? gy_arena_strndup(&out->arena, near, strlen(near)) : NULL;
    }
    out->failed += !check.ok;
    return check.metric && gy_vec_push(&out->at, check) ? 0 : gy_nomem(err);
}

struct threshold_row {
    const char *metric;
    double min, max;
};
static const struct gy_param threshold_fields[] = {
    {.name = "metric", .type = GY_P_TEXT, .offset = offsetof(struct threshold_row, metric), .help = "dotted name"},
    {.name = "min",
     .type = GY_P_REAL,
     .offset = offsetof(struct threshold_row, min),
     .preset = "null",
     .help = "least"},
    {.name = "max", .type = GY_P_REAL, .offset = offsetof(struct threshold_row, max), .preset = "null", .help = "most"},
    {.name = NULL}};

/* The first error of many, for functions that return one. */
static int first_error(const struct gy_diags *d, struct gy_error *err)
{
    if (d->shown > 0)
        *err = d->at[0];
    else
        gy_nomem(err);
    return -1;
}

static int judge_list(const struct gy_run *run, const struct gy_json_doc *doc, const struct gy_json *list,
                      const char *pointer, struct gy_checks *out, struct gy_error *err)
{
    size_t i = 0;
    for (const struct gy_json *v = gy_json_first(list); v; v = gy_json_next(v), i++) {
        struct threshold_row row = {0};
        struct gy_diags diags = {0};
        char at[128];
        snprintf(at, sizeof at, "%s/%zu", pointer, i);
        if (gy_bind(threshold_fields, doc, v, at, &row, &out->arena, &diags))
            return first_error(&diags, err);
        const struct gy_check check = {
            .kind = GY_CHECK_THRESHOLD, .metric = row.metric, .min = row.min, .max = row.max, .base = NAN};
        if (judge(run, check, out, err))
            return -1;
    }
    return 0;
}

int gy_check_scenario(const struct gy_run *run, struct gy_checks *out, struct gy_error *err)
{
    const struct gy_json *list = gy_json_at(gy_json_root(run->manifest), "/scenario/thresholds");
    return list ? judge_list(run, run->manifest, list, "/scenario/thresholds", out, err) : 0;
}

int gy_check_thresholds(const struct gy_run *run, const char *path, struct gy_checks *out, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_load(path, err);
    if (!doc)
        return -1;
    const struct gy_json *root = gy_json_root(doc);
    const bool wrapped = gy_json_type(root) == GY_J_OBJECT;
    const struct gy_json *list = wrapped ? gy_json_get(root, "thresholds") : root;
    int rc;
    if (!list || gy_json_type(list) != GY_J_ARRAY)
        rc = gy_fail(err, GY_EINPUT, path, "found no list of thresholds; expected [{\"metric\": …, \"max\": …}]");
    else
        rc = judge_list(run, doc, list, wrapped ? "/thresholds" : "", out, err);
    gy_json_free(doc);
    return rc;
}

/* ---- baselines -------------------------------------------------------------------------------------------------- */

enum { BAD_DEFAULT, BAD_INCREASE, BAD_DECREASE, BAD_BOTH };
struct baseline_row {
    double value, absolute, relative;
    int bad;
};
static const struct gy_param baseline_fields[] = {{.name = "value",
                                                   .type = GY_P_REAL,
                                                   .offset = offsetof(struct baseline_row, value),
                                                   .preset = "null",
                                                   .help = "of the run that made the baseline"},
                                                  {.name = "absolute",
                                                   .type = GY_P_REAL,
                                                   .offset = offsetof(struct baseline_row, absolute),
                                                   .preset = "null",
                                                   .min = 0,
                                                   .max = INFINITY,
                                                   .help = "tolerated difference, in the metric's unit"},
                                                  {.name = "relative",
                                                   .type = GY_P_REAL,
                                                   .offset = offsetof(struct baseline_row, relative),
                                                   .unit = GY_U_NONE,
                                                   .preset = "null",
                                                   .min = 0,
                                                   .max = INFINITY,
                                                   .help = "tolerated difference as a part of value"},
                                                  {.name = "bad",
                                                   .type = GY_P_CHOICE,
                                                   .offset = offsetof(struct baseline_row, bad),
                                                   .preset = "\"default\"",
                                                   .choices = "default|increase|decrease|both",
                                                   .help = "which direction fails"},
                                                  {.name = NULL}};

struct baseline_head {
    int64_t format;
    const char *run;
    double relative;
    const struct gy_json *metrics;
};
static const struct gy_param baseline_table[] = {
    {.name = "format",
     .type = GY_P_INT,
     .offset = offsetof(struct baseline_head, format),
     .preset = "1",
     .min = 1,
     .max = 1,
     .help = "of this file"},
    {.name = "run",
     .type = GY_P_TEXT,
     .offset = offsetof(struct baseline_head, run),
     .preset = "null",
     .help = "name of the run that made it"},
    {.name = "relative",
     .type = GY_P_REAL,
     .offset = offsetof(struct baseline_head, relative),
     .preset = "0.05",
     .min = 0,
     .max = INFINITY,
     .help = "tolerance of metrics that name none"},
    {.name = "metrics", .type = GY_P_JSON, .offset = offsetof(struct baseline_head, metrics), .help = "by dotted name"},
    {.name = NULL}};

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Which direction is bad unless the file says so. */
static int polarity(const char *name)
{
    static const char *const more_is_worse[] = {
        "wait_s",           "jct_s",         "slowdown",       "bounded_slowdown",
        "makespan_s",       "cost_usd",      "energy_j",       "carbon_kg",
        "power_w",          "fragmentation", "gpu_hours.lost", "gpu_hours.idle_held",
        "gpu_hours.down",   "preemptions",   "restarts",       "jobs.failed",
        "jobs.timeout",     "jobs.pending",  "rejected",       "node_fail",
        "utilization.down", "network.",      "fairness.ftf"};
    static const char *const less_is_worse[] = {"utilization.", "fairness.jain",          "jobs.completed",
                                                "ettr",         "serving.slo_attainment", "serving.tokens_per_s"};
    for (size_t i = 0; i < sizeof more_is_worse / sizeof *more_is_worse; i++)
        if (begins(name, more_is_worse[i]))
            return BAD_INCREASE;
    for (size_t i = 0; i < sizeof less_is_worse / sizeof *less_is_worse; i++)
        if (begins(name, less_is_worse[i]))
            return BAD_DECREASE;
    return BAD_BOTH;
}

static struct gy_check baseline_check(const char *metric, const struct baseline_row *row, double default_relative)
{
    const double relative = isnan(row->relative) ? (isnan(row->absolute) ? default_relative : 0) : row->relative;
    const double absolute = isnan(row->absolute) ? 0 : row->absolute;
    const double room = fmax(absolute, relative * fabs(row->value));
    const int bad = row->bad == BAD_DEFAULT ? polarity(metric) : row->bad;
    return (struct gy_check){.kind = GY_CHECK_BASELINE,
                             .metric = metric,
                             .base = row->value,
                             .min = bad == BAD_INCREASE ? NAN : row->value - room,
                             .max = bad == BAD_DECREASE ? NAN : row->value + room};
}

static int bind_head(const struct gy_json_doc *doc, struct baseline_head *head, struct gy_arena *arena,
                     struct gy_error *err)
{
    struct gy_diags diags = {0};
    if (gy_bind(baseline_table, doc, gy_json_root(doc), "", head, arena, &diags))
        return first_error(&diags, err);
    if (!head->metrics || gy_json_type(head->metrics) != GY_J_OBJECT)
        return gy_fail(err, GY_EINPUT, gy_json_name(doc), "/metrics: expected an object of metrics by name");
    return 0;
}

static int bind_row(const struct gy_json_doc *doc, const struct gy_json *v, struct baseline_row *row,
                    struct gy_arena *arena, struct gy_error *err)
{
    struct gy_diags diags = {0};
    char at[512];
    snprintf(at, sizeof at, "/metrics/%s", gy_json_key(v));
    return gy_bind(baseline_fields, doc, v, at, row, arena, &diags) ? first_error(&diags, err) : 0;
}

int gy_check_baseline(const struct gy_run *run, const char *path, struct gy_checks *out, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_load(path, err);
    struct baseline_head head = {0};
    if (!doc)
        return -1;
    int rc = bind_head(doc, &head, &out->arena, err);
    for (const struct gy_json *v = rc ? NULL : gy_json_first(head.metrics); v && rc == 0; v = gy_json_next(v)) {
        struct baseline_row row = {0};
        rc = bind_row(doc, v, &row, &out->arena, err);
        if (rc == 0)
            rc = judge(run, baseline_check(gy_json_key(v), &row, head.relative), out, err);
    }
    gy_json_free(doc);
    return rc;
}

/* ---- writing a baseline ------------------------------------------------------------------------------------------ */

static const char *const first_choice[] = {"jobs.submitted",      "jobs.completed",
                                           "jobs.failed",         "jobs.timeout",
                                           "makespan_s",          "utilization.allocated",
                                           "utilization.goodput", "wait_s.mean",
                                           "wait_s.p50",          "wait_s.p95",
                                           "wait_s.p99",          "jct_s.mean",
                                           "jct_s.p95",           "bounded_slowdown.mean",
                                           "fragmentation.mean",  "fairness.jain",
                                           "preemptions",         "gpu_hours.lost",
                                           "cost_usd.total",      "energy_j.total"};

static void write_fresh(const struct gy_run *run, struct gy_json_out *o)
{
    for (size_t i = 0; i < sizeof first_choice / sizeof *first_choice; i++) {
        const struct gy_run_metric *m = gy_run_metric(run, first_choice[i]);
        if (!m || isnan(m->value))
            continue;
        gy_jo_object(o, first_choice[i]);
        gy_jo_number(o, "value", m->value);
        gy_jo_end(o, '}');
    }
}

static void write_again(const struct gy_run *run, const struct gy_json *metrics, struct gy_json_out *o)
{
    for (const struct gy_json *v = gy_json_first(metrics); v; v = gy_json_next(v)) {
        const struct gy_run_metric *m = gy_run_metric(run, gy_json_key(v));
        gy_jo_object(o, gy_json_key(v));
        gy_jo_number(o, "value", m ? m->value : NAN);
        for (const struct gy_json *f = gy_json_first(v); f; f = gy_json_next(f))
            if (strcmp(gy_json_key(f), "value") != 0)
                gy_jo_value(o, gy_json_key(f), f);
        gy_jo_end(o, '}');
    }
}

int gy_check_update(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct baseline_head head = {.relative = 0.05};
    struct gy_json_doc *old = NULL;
    if (access(path, F_OK) == 0 && (!(old = gy_json_load(path, err)) || bind_head(old, &head, &arena, err))) {
        gy_json_free(old);
        gy_arena_free(&arena);
        return -1;
    }
    struct gy_writer *w = gy_writer_open(path, err);
    int rc = -1;
    if (w) {
        struct gy_json_out o = {.to = w};
        gy_jo_object(&o, NULL);
        gy_jo_integer(&o, "format", 1);
        gy_jo_string(&o, "run", run->label);
        gy_jo_number(&o, "relative", head.relative);
        gy_jo_object(&o, "metrics");
        if (old)
            write_again(run, head.metrics, &o);
        else
            write_fresh(run, &o);
        gy_jo_end(&o, '}');
        gy_jo_end(&o, '}');
        rc = gy_writer_commit(w, err);
    }
    gy_json_free(old);
    gy_arena_free(&arena);
    return rc;
}
