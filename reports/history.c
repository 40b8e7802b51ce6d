/* Jobs and stays of a run, from jobs.csv and, where it is there, events.jsonl. */
#include "gy_history.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_json.h"

enum {
    J_ID,
    J_USER,
    J_TEAM,
    J_PARTITION,
    J_GPUS,
    J_NODES,
    J_SUBMIT,
    J_ELIGIBLE,
    J_START,
    J_END,
    J_STATE,
    J_WAIT,
    J_RUN,
    J_SLOWDOWN,
    J_PREEMPTIONS,
    J_RESTARTS,
    J_GPU_SECONDS,
    J_LOST,
    J_COST,
    J_ENERGY,
    J_PLACEMENT,
    J_REASON,
    J_N
};
static const char *const job_columns[J_N] = {
    "job_id",   "user",       "team",        "partition", "gpus",        "nodes",
    "submit_s", "eligible_s", "start_s",     "end_s",     "state",       "wait_s",
    "run_s",    "slowdown",   "preemptions", "restarts",  "gpu_seconds", "lost_gpu_seconds",
    "cost_usd", "energy_j",   "placement",   "reason"};

const char *gy_history_path(const struct gy_run *run, const char *name, char *buf, size_t size)
{
    snprintf(buf, size, "%s/%s", run->path, name);
    return buf;
}

bool gy_history_has(const struct gy_run *run, const char *name)
{
    char path[4096];
    return access(gy_history_path(run, name, path, sizeof path), R_OK) == 0;
}

static const char *keep(struct gy_history *h, const char *text)
{
    const gy_str s = gy_strings_add(h->texts, text, strlen(text));
    return s == GY_STR_FAIL ? NULL : gy_strings_text(h->texts, s);
}

static gy_time time_of(const char *text)
{
    gy_time t;
    return gy_time_parse(text, strlen(text), &t) ? t : GY_NONE;
}

static double number_of(const char *text)
{
    char *end;
    const double v = strtod(text, &end);
    return *text && !*end ? v : NAN;
}

static int add_job(void *ctx, const char *const *f, struct gy_error *err)
{
    struct gy_history *h = ctx;
    struct gy_past_job j = {.gpus = number_of(f[J_GPUS]),
                            .slowdown = number_of(f[J_SLOWDOWN]),
                            .nodes = (uint32_t)strtoul(f[J_NODES], NULL, 10),
                            .preemptions = (uint32_t)strtoul(f[J_PREEMPTIONS], NULL, 10),
                            .restarts = (uint32_t)strtoul(f[J_RESTARTS], NULL, 10)};
    const char **text[] = {
        &j.id,   &j.user,   &j.team,      &j.partition, &j.state, &j.gpu_seconds, &j.lost_gpu_seconds,
        &j.cost, &j.energy, &j.placement, &j.reason};
    static const int column[] = {J_ID,   J_USER, J_TEAM,   J_PARTITION, J_STATE, J_GPU_SECONDS,
                                 J_LOST, J_COST, J_ENERGY, J_PLACEMENT, J_REASON};
    gy_time *const when[] = {&j.submit, &j.eligible, &j.start, &j.end, &j.wait, &j.run};
    static const int when_column[] = {J_SUBMIT, J_ELIGIBLE, J_START, J_END, J_WAIT, J_RUN};

    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!(*text[i] = keep(h, f[column[i]])))
            return gy_nomem(err);
    for (size_t i = 0; i < sizeof when / sizeof *when; i++)
        *when[i] = time_of(f[when_column[i]]);
    return gy_vec_push(&h->jobs, j) ? 0 : gy_nomem(err);
}

static int by_submit(const void *a, const void *b)
{
    const struct gy_past_job *x = a, *y = b;
    return x->submit != y->submit ? (x->submit < y->submit ? -1 : 1) : strcmp(x->id, y->id);
}

static int by_from(const void *a, const void *b)
{
    const struct gy_stay *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->job != y->job ? (x->job < y->job ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static uint64_t key_of(const char *id)
{
    return gy_hash_bytes(id, strlen(id));
}

size_t gy_history_find(const struct gy_history *h, const char *id)
{
    uint64_t at;
    if (gy_map_get(&h->by_id, key_of(id), &at) && strcmp(h->jobs.at[at].id, id) == 0)
        return at;
    for (size_t i = 0; i < h->jobs.n; i++)
        if (strcmp(h->jobs.at[i].id, id) == 0)
            return i;
    return SIZE_MAX;
}

static int index_jobs(struct gy_history *h, struct gy_error *err)
{
    uint64_t known;
    if (h->jobs.n > 1)
        qsort(h->jobs.at, h->jobs.n, sizeof *h->jobs.at, by_submit);
    for (size_t i = 0; i < h->jobs.n; i++) {
        const uint64_t key = key_of(h->jobs.at[i].id);
        if (!gy_map_get(&h->by_id, key, &known) && !gy_map_put(&h->by_id, key, i))
            return gy_nomem(err);
    }
    return 0;
}

/* ---- stays from jobs.csv */

static int stays_of_jobs(struct gy_history *h, struct gy_error *err)
{
    for (size_t i = 0; i < h->jobs.n; i++) {
        const struct gy_past_job *j = &h->jobs.at[i];
        const bool moved = j->preemptions > 0 || j->restarts > 0;
        struct gy_stay s = {.job = (uint32_t)i,
                            .from = j->start,
                            .to = j->end == GY_NONE ? h->end : j->end,
                            .placement = j->placement,
                            .how = j->end == GY_NONE ? GY_STAY_LEFT : GY_STAY_END};
        if (j->start == GY_NONE || !*j->placement)
            continue;
        if (moved) {
            h->unknown++;
            if (j->run != GY_NONE && s.to - j->run > s.from)
                s.from = s.to - j->run;
        }
        if (strcmp(j->state, "suspended") == 0 || strcmp(j->state, "pending") == 0)
            continue; /* it holds nothing at the end, and when it did is not told */
        if (!gy_vec_push(&h->stays, s))
            return gy_nomem(err);
    }
    return 0;
}

/* ---- stays from events.jsonl */

struct from_events {
    struct gy_history *h;
    GY_VEC(struct gy_stay) open; /* a row a job; from GY_NONE: holds nothing */
};

static gy_time event_time(const struct gy_json *v)
{
    const double s = gy_json_number(v);
    return isnan(s) ? GY_NONE : gy_time_from_s(s);
}

static int close_stay(struct from_events *x, size_t job, gy_time at, enum gy_stay_end how, struct gy_error *err)
{
    struct gy_stay *s = &x->open.at[job];

    if (s->from == GY_NONE)
        return 0;
    s->to = at;
    s->how = how;
    if (!gy_vec_push(&x->h->stays, *s))
        return gy_nomem(err);
    s->from = GY_NONE;
    return 0;
}

static int open_stay(struct from_events *x, size_t job, gy_time at, const struct gy_json *item, struct gy_error *err)
{
    const char *placement = gy_json_string(gy_json_get(item, "placement"));
    struct gy_stay s = {.job = (uint32_t)job, .from = at, .placement = keep(x->h, placement ? placement : "")};

    if (!s.placement)
        return gy_nomem(err);
    x->open.at[job] = s;
    return 0;
}

static int add_change(struct gy_history *h, gy_time at, const struct gy_json *item, struct gy_error *err)
{
    const char *node = gy_json_string(gy_json_get(item, "node")), *state = gy_json_string(gy_json_get(item, "state"));
    struct gy_node_change c = {.at = at, .node = keep(h, node ? node : ""), .state = keep(h, state ? state : "")};
    return c.node && c.state && gy_vec_push(&h->changes, c) ? 0 : gy_nomem(err);
}

static int on_line(void *ctx, const struct gy_json *item, size_t line)
{
    struct from_events *x = ctx;
    struct gy_error err = {0};
    const char *kind = gy_json_string(gy_json_get(item, "event")), *id = gy_json_string(gy_json_get(item, "job_id"));
    const gy_time at = event_time(gy_json_get(item, "time_s"));

    (void)line;
    if (!kind || at == GY_NONE)
        return 0;
    if (strcmp(kind, "node") == 0)
        return add_change(x->h, at, item, &err);
    const bool start = strcmp(kind, "start") == 0, resize = strcmp(kind, "resize") == 0, end = strcmp(kind, "end") == 0;
    const bool preempt = strcmp(kind, "preempt") == 0, left = strcmp(kind, "left") == 0;
    if (!id || !(start || resize || end || preempt || left))
        return 0;
    const size_t job = gy_history_find(x->h, id);
    if (job == SIZE_MAX)
        return 0;
    const enum gy_stay_end how = resize    ? GY_STAY_RESIZE
                                 : preempt ? GY_STAY_PREEMPT
                                 : left    ? GY_STAY_LEFT
                                           : GY_STAY_END;
    if (!start && close_stay(x, job, at, how, &err))
        return -1;
    return start || resize ? open_stay(x, job, at, item, &err) : 0;
}

static int stays_of_events(struct gy_history *h, const char *path, struct gy_error *err)
{
    struct from_events x = {.h = h};
    struct gy_input *in = gy_input_open(path, err);
    int rc = in ? 0 : -1;

    if (rc == 0 && !gy_vec_reserve(&x.open, h->jobs.n + 1))
        rc = gy_nomem(err);
    for (size_t i = 0; rc == 0 && i < h->jobs.n; i++)
        x.open.at[x.open.n++] = (struct gy_stay){.from = GY_NONE};
    if (rc == 0)
        rc = gy_json_lines(in, on_line, &x, err);
    if (rc != 0 && err->code == GY_OK)
        rc = gy_nomem(err);
    for (size_t i = 0; rc == 0 && i < x.open.n; i++)
        rc = close_stay(&x, i, h->end, GY_STAY_LEFT, err);
    gy_input_close(in);
    gy_vec_free(&x.open);
    return rc;
}

int gy_history_load(const struct gy_run *run, struct gy_history *h, struct gy_error *err)
{
    char path[4096];

    *h = (struct gy_history){.texts = gy_strings_new(),
                             .end = event_time(gy_json_get(gy_json_root(run->manifest), "end_s"))};
    if (!h->texts)
        return gy_nomem(err);
    if (!gy_history_has(run, "jobs.csv")) {
        gy_fail(err, GY_EINPUT, run->path, "this run has no jobs.csv");
        gy_hint(err, "run it again with --set output.jobs=true");
        gy_history_free(h);
        return -1;
    }
    h->has_events_file = gy_history_has(run, "events.jsonl");
    int rc = gy_rows_read(gy_history_path(run, "jobs.csv", path, sizeof path), job_columns, J_N, add_job, h, err);
    if (rc == 0)
        rc = index_jobs(h, err);
    if (rc == 0 && h->has_events_file)
        rc = stays_of_events(h, gy_history_path(run, "events.jsonl", path, sizeof path), err);
    else if (rc == 0)
        rc = stays_of_jobs(h, err);
    h->from_events = h->has_events_file;
    if (rc == 0 && h->stays.n > 1)
        qsort(h->stays.at, h->stays.n, sizeof *h->stays.at, by_from);
    if (rc != 0)
        gy_history_free(h);
    return rc;
}

void gy_history_free(struct gy_history *h)
{
    gy_vec_free(&h->jobs);
    gy_vec_free(&h->stays);
    gy_vec_free(&h->changes);
    gy_map_free(&h->by_id);
    gy_arena_free(&h->arena);
    gy_strings_free(h->texts);
    *h = (struct gy_history){0};
}

static bool read_gpu(const char **p, const char *end, uint32_t *out)
{
    uint64_t v = 0;
    const char *at = *p;

    for (; at < end && *at >= '0' && *at <= '9' && v < 10000000; at++)
        v = v * 10 + (uint64_t)(*at - '0');
    *out = (uint32_t)v;
    const bool any = at > *p;
    *p = at;
    return any;
}

void gy_placement_each(const char *placement,
                       void (*fn)(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli),
                       void *ctx)
{
    for (const char *part = placement; *part;) {
        const char *end = part + strcspn(part, ";"), *colon = memchr(part, ':', (size_t)(end - part));
        const char *at = colon ? memchr(colon, '@', (size_t)(end - colon)) : NULL;
        const uint32_t milli = at ? (uint32_t)strtoul(at + 1, NULL, 10) : 1000;
        const char *stop = at ? at : end, *p = colon ? colon + 1 : end;
        uint32_t low, high;
        if (!colon && end > part)
            fn(ctx, part, (size_t)(end - part), 0, 0, 0);
        while (p < stop && read_gpu(&p, stop, &low)) {
            high = low;
            if (p < stop && *p == '-' && (p++, !read_gpu(&p, stop, &high)))
                return;
            if (high < low)
                return;
            fn(ctx, part, (size_t)(colon - part), low, high + 1, milli);
            if (p < stop && *p == ',')
                p++;
        }
        part = *end ? end + 1 : end;
    }
}
