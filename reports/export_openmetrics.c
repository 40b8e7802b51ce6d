/* OpenMetrics text: one gauge a metric in base units, groups and statistics as labels, "# EOF" at the end. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_export.h"
#include "gy_file.h"
#include "gy_json.h"

static const char *const groups[] = {"team", "user", "partition", "gpu_type", "job_size_class"};
static const char *const statistics[] = {"mean", "p50", "p90", "p95", "p99", "max"};
static const struct {
    const char *from, *to, *unit; /* the end of a name, and the base unit that it becomes */
    double by;
} units[] = {
    {"_s", "_seconds", "seconds", 1},
    {"gpu_hours", "gpu_seconds", "seconds", 3600},
    {"_j", "_joules", "joules", 1},
    {"_w", "_watts", "watts", 1},
    {"cost_usd", "cost_usd", "usd", 1},
    {"carbon_kg", "carbon_grams", "grams", 1000},
    {"utilization", "utilization_ratio", "ratio", 1},
    {"fragmentation", "fragmentation_ratio", "ratio", 1},
};

struct sample {
    const char *family, *unit, *statistic, *part, *group, *member;
    double value, by;
    size_t order;
};

struct out {
    const struct gy_run *run;
    GY_VEC(struct sample) samples;
    struct gy_arena arena;
};

static bool is_statistic(const char *s)
{
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (strcmp(statistics[i], s) == 0)
            return true;
    return false;
}

/* "wait_s" becomes gpuyard_wait_seconds. */
static const char *family_of(struct out *x, const char *name, struct sample *s)
{
    const size_t len = strlen(name);
    char *out = NULL;

    s->by = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units && !out; i++) {
        const size_t n = strlen(units[i].from);
        if (len < n || strcmp(name + len - n, units[i].from) != 0)
            continue;
        s->unit = units[i].unit;
        s->by = units[i].by;
        out = gy_arena_printf(&x->arena, "gpuyard_%.*s%s", (int)(len - n), name, units[i].to);
    }
    if (!out)
        out = gy_arena_printf(&x->arena, "gpuyard_%s", name);
    for (char *p = out; p && *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    return out;
}

/* The group's name stands between the first dot and the metric, and may hold dots: the metric is what the whole cluster
 * has a metric of too. */
static bool split_group(struct out *x, const char **name, struct sample *s)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const size_t n = strlen(groups[i]);
        if (strncmp(*name, groups[i], n) != 0 || (*name)[n] != '.')
            continue;
        for (const char *p = *name + n + 1; *p; p++) {
            if (*p != '.' || !gy_run_metric(x->run, p + 1))
                continue;
            s->group = groups[i];
            s->member = gy_arena_strndup(&x->arena, *name + n + 1, (size_t)(p - *name) - n - 1);
            *name = p + 1;
            return s->member != NULL;
        }
        return false;
    }
    return true;
}

static int add(struct out *x, const struct gy_run_metric *m, struct gy_error *err)
{
    struct sample s = {.value = m->value, .order = x->samples.n};
    const char *name = m->name;

    if (m->group && !split_group(x, &name, &s))
        return 0;
    if (m->word || isnan(m->value))
        return 0;
    char *base = gy_arena_strndup(&x->arena, name, strlen(name));
    if (!base)
        return gy_nomem(err);
    char *dot = strrchr(base, '.');
    if (dot && is_statistic(dot + 1)) {
        s.statistic = dot + 1;
        *dot = '\0';
    } else if (dot && strchr(base, '.') == dot) { /* jobs.completed, gpu_hours.free */
        s.part = dot + 1;
        *dot = '\0';
    }
    s.family = family_of(x, base, &s);
    return s.family && gy_vec_push(&x->samples, s) ? 0 : gy_nomem(err);
}

static int by_family(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    const int c = strcmp(x->family, y->family);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

static void put_label(struct gy_writer *to, const char *key, const char *value, bool *first)
{
    if (!value)
        return;
    gy_writer_printf(to, "%s%s=\"", *first ? "{" : ",", key);
    *first = false;
    for (const char *p = value; *p; p++) {
        if (*p == '\\' || *p == '"')
            gy_writer_put(to, "\\", 1);
        if (*p == '\n')
            gy_writer_text(to, "\\n");
        else
            gy_writer_put(to, p, 1);
    }
    gy_writer_put(to, "\"", 1);
}

static void put_sample(struct gy_writer *to, const struct out *x, const struct sample *s)
{
    bool first = true;
    char number[40];

    gy_writer_text(to, s->family);
    put_label(to, "run", x->run->label, &first);
    put_label(to, "part", s->part, &first);
    put_label(to, "statistic", s->statistic, &first);
    if (s->group)
        put_label(to, s->group, s->member, &first);
    gy_number_print(s->value * s->by, number);
    gy_writer_printf(to, "} %s\n", number);
}

static int write_openmetrics(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct out x = {.run = run};
    struct gy_writer *to = gy_writer_open(path, err);
    int rc = to ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < run->metrics.n; i++)
        rc = add(&x, &run->metrics.at[i], err);
    if (rc == 0 && x.samples.n > 1)
        qsort(x.samples.at, x.samples.n, sizeof *x.samples.at, by_family);
    for (size_t i = 0; rc == 0 && i < x.samples.n; i++) {
        const struct sample *s = &x.samples.at[i];
        const char *unit = s->unit;
        const size_t len = strlen(s->family), n = unit ? strlen(unit) : 0;
        if (i == 0 || strcmp(s->family, x.samples.at[i - 1].family) != 0) {
            gy_writer_printf(to, "# TYPE %s gauge\n", s->family);
            if (unit && len > n && strcmp(s->family + len - n, unit) == 0)
                gy_writer_printf(to, "# UNIT %s %s\n", s->family, unit);
        }
        put_sample(to, &x, s);
    }
    if (rc == 0) {
        gy_writer_text(to, "# EOF\n");
        rc = gy_writer_commit(to, err);
    } else {
        gy_writer_abandon(to);
    }
    gy_vec_free(&x.samples);
    gy_arena_free(&x.arena);
    return rc;
}

const struct gy_export_type gy_export_openmetrics = {
    .name = "openmetrics", .summary = "The metrics as OpenMetrics text", .suffix = ".txt", .write = write_openmetrics};
