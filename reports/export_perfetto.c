/* The Trace Event format that Perfetto and Chrome read: a process a node, a thread a GPU, a slice a stay of a job,
 * flows from a preemption to the next start, counters from the timeline. Times are microseconds. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_export.h"
#include "gy_file.h"
#include "gy_json.h"

#define LANES 16 /* of one GPU that fractions share; more share the last */

struct lane {
    gy_time busy_until[LANES];
};

struct node {
    const char *name;
    GY_VEC(struct lane) gpus; /* one more for jobs without GPUs, at 0 */
};

struct out {
    struct gy_json_out o;
    const struct gy_history *h;
    struct gy_strings *names;
    struct gy_map at;
    GY_VEC(struct node) nodes;
    const struct gy_stay *stay;
    uint64_t flow_in, flow_out; /* ids, 0: none */
    bool first_part, failed;
};

static void put_us(struct gy_json_out *o, const char *key, gy_time ns)
{
    gy_jo_number(o, key, (double)ns / 1000);
}

static void begin(struct gy_json_out *o, const char *phase, const char *name, int64_t pid, int64_t tid)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "ph", phase);
    gy_jo_string(o, "name", name);
    gy_jo_integer(o, "pid", pid);
    gy_jo_integer(o, "tid", tid);
}

static void put_name(struct gy_json_out *o, const char *what, int64_t pid, int64_t tid, const char *name)
{
    begin(o, "M", what, pid, tid);
    gy_jo_object(o, "args");
    gy_jo_string(o, "name", name);
    gy_jo_end(o, '}');
    gy_jo_end(o, '}');
}

static struct node *node_of(struct out *x, const char *name, size_t len, size_t *index)
{
    const gy_str s = gy_strings_add(x->names, name, len);
    uint64_t at;

    if (s != GY_STR_FAIL && gy_map_get(&x->at, s, &at)) {
        *index = at;
        return &x->nodes.at[at];
    }
    struct node n = {.name = s == GY_STR_FAIL ? NULL : gy_strings_text(x->names, s)};
    if (!n.name || !gy_map_put(&x->at, s, x->nodes.n) || !gy_vec_push(&x->nodes, n))
        return NULL;
    *index = x->nodes.n - 1;
    put_name(&x->o, "process_name", (int64_t)x->nodes.n, 0, n.name);
    return &x->nodes.at[*index];
}

/* The thread of a GPU: fractions that overlap in time get lanes of their own, since slices of one thread must nest. */
static int64_t thread_of(struct out *x, struct node *n, size_t pid, uint32_t gpu)
{
    size_t lane = 0;
    char name[48];

    while (n->gpus.n <= gpu) {
        struct lane none;
        for (size_t i = 0; i < LANES; i++)
            none.busy_until[i] = INT64_MIN;
        if (!gy_vec_push(&n->gpus, none))
            return -1;
    }
    struct lane *l = &n->gpus.at[gpu];
    while (lane + 1 < LANES && l->busy_until[lane] > x->stay->from)
        lane++;
    const int64_t tid = (int64_t)gpu * LANES + (int64_t)lane + 1;
    if (l->busy_until[lane] == INT64_MIN) {
        snprintf(name, sizeof name, gpu == 0 ? "no GPU" : "GPU %" PRIu32, gpu - 1);
        put_name(&x->o, "thread_name", (int64_t)pid, tid, name);
    }
    l->busy_until[lane] = x->stay->to;
    return tid;
}

static void put_flow(struct out *x, const char *phase, uint64_t id, size_t pid, int64_t tid, gy_time at)
{
    begin(&x->o, phase, "requeue", (int64_t)pid, tid);
    gy_jo_string(&x->o, "cat", "preemption");
    gy_jo_integer(&x->o, "id", (int64_t)id);
    if (*phase == 'f')
        gy_jo_string(&x->o, "bp", "e");
    put_us(&x->o, "ts", at);
    gy_jo_end(&x->o, '}');
}

static void put_slice(struct out *x, size_t pid, int64_t tid, uint32_t milli)
{
    static const char *const ends[] = {"ended", "preempted", "moved", "still running"};
    const struct gy_past_job *j = &x->h->jobs.at[x->stay->job];
    struct gy_json_out *o = &x->o;

    begin(o, "X", j->id, (int64_t)pid, tid);
    gy_jo_string(o, "cat", "job");
    put_us(o, "ts", x->stay->from);
    put_us(o, "dur", x->stay->to - x->stay->from);
    gy_jo_object(o, "args");
    gy_jo_string(o, "team", j->team);
    gy_jo_string(o, "user", j->user);
    gy_jo_number(o, "gpus", j->gpus);
    gy_jo_string(o, "state", j->state);
    gy_jo_string(o, "then", ends[x->stay->how]);
    gy_jo_number(o, "waited_s", j->wait == GY_NONE ? NAN : gy_time_to_s(j->wait));
    if (milli && milli != 1000)
        gy_jo_number(o, "fraction", milli / 1000.0);
    gy_jo_end(o, '}');
    gy_jo_end(o, '}');
}

static void put_part(void *ctx, const char *name, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct out *x = ctx;
    size_t at = 0;
    struct node *n = node_of(x, name, len, &at);

    for (uint32_t g = low; n && g < (high > low ? high : low + 1); g++) {
        const int64_t tid = thread_of(x, n, at + 1, high > low ? g + 1 : 0);
        if (tid < 0) {
            x->failed = true;
            return;
        }
        put_slice(x, at + 1, tid, milli);
        if (x->first_part && x->flow_in)
            put_flow(x, "f", x->flow_in, at + 1, tid, x->stay->from);
        if (x->first_part && x->flow_out)
            put_flow(x, "s", x->flow_out, at + 1, tid, x->stay->to);
        x->first_part = false;
    }
    x->failed |= !n;
}

static int put_stays(struct out *x, struct gy_error *err)
{
    GY_VEC(uint64_t) waiting = {0}; /* the flow that a job's next start ends; a row a job */
    uint64_t flows = 0;
    bool good = gy_vec_reserve(&waiting, x->h->jobs.n + 1);

    for (size_t i = 0; good && i < x->h->jobs.n; i++)
        waiting.at[waiting.n++] = 0;
    for (size_t i = 0; good && i < x->h->stays.n && !x->failed; i++) {
        x->stay = &x->h->stays.at[i];
        x->flow_in = waiting.at[x->stay->job];
        x->flow_out = x->stay->how == GY_STAY_PREEMPT || x->stay->how == GY_STAY_RESIZE ? ++flows : 0;
        waiting.at[x->stay->job] = x->flow_out;
        x->first_part = true;
        gy_placement_each(x->stay->placement, put_part, x);
    }
    gy_vec_free(&waiting);
    return good && !x->failed ? 0 : gy_nomem(err);
}

static const char *const sample_columns[] = {"time_s",       "gpus_allocated", "gpus_busy",    "gpus_down",
                                             "jobs_running", "jobs_pending",   "gpus_pending", "fragmentation"};

static int put_sample(void *ctx, const char *const *f, struct gy_error *err)
{
    static const struct {
        const char *name;
        int from, to;
    } counters[] = {{"GPUs", 1, 4}, {"jobs", 4, 6}, {"GPUs waiting", 6, 7}, {"fragmentation", 7, 8}};
    struct gy_json_out *o = &((struct out *)ctx)->o;
    gy_time t;

    (void)err;
    if (!gy_time_parse(f[0], strlen(f[0]), &t))
        return 0;
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        if (!*f[counters[c].from])
            continue;
        begin(o, "C", counters[c].name, 0, 0);
        put_us(o, "ts", t);
        gy_jo_object(o, "args");
        for (int i = counters[c].from; i < counters[c].to; i++)
            if (*f[i])
                gy_jo_number(o, sample_columns[i], strtod(f[i], NULL));
        gy_jo_end(o, '}');
        gy_jo_end(o, '}');
    }
    return 0;
}

static int put_all(struct out *x, const struct gy_run *run, struct gy_error *err)
{
    char path[4096];
    int rc = 0;

    gy_jo_object(&x->o, NULL);
    gy_jo_string(&x->o, "displayTimeUnit", "ms");
    gy_jo_object(&x->o, "otherData");
    gy_jo_string(&x->o, "run", run->label);
    gy_jo_string(&x->o, "generator", "gpuyard " GY_VERSION);
    gy_jo_bool(&x->o, "exact", x->h->from_events || x->h->unknown == 0);
    gy_jo_end(&x->o, '}');
    gy_jo_array(&x->o, "traceEvents");
    put_name(&x->o, "process_name", 0, 0, "cluster");
    if (gy_history_has(run, "timeline.csv"))
        rc = gy_rows_read(gy_history_path(run, "timeline.csv", path, sizeof path), sample_columns,
                          sizeof sample_columns / sizeof *sample_columns, put_sample, x, err);
    if (rc == 0)
        rc = put_stays(x, err);
    gy_jo_end(&x->o, ']');
    gy_jo_end(&x->o, '}');
    return rc;
}

static int write_perfetto(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_history h;
    struct gy_writer *to = NULL;
    int rc = gy_history_load(run, &h, err);

    if (rc != 0)
        return -1;
    struct out x = {.h = &h, .names = gy_strings_new()};
    rc = x.names ? 0 : gy_nomem(err);
    if (rc == 0 && !(to = gy_writer_open(path, err)))
        rc = -1;
    x.o = (struct gy_json_out){.to = to, .compact = true};
    if (rc == 0)
        rc = put_all(&x, run, err);
    if (rc == 0)
        rc = gy_writer_commit(to, err);
    else
        gy_writer_abandon(to);
    for (size_t i = 0; i < x.nodes.n; i++)
        gy_vec_free(&x.nodes.at[i].gpus);
    gy_vec_free(&x.nodes);
    gy_map_free(&x.at);
    gy_strings_free(x.names);
    gy_history_free(&h);
    return rc;
}

const struct gy_export_type gy_export_perfetto = {.name = "perfetto",
                                                  .summary = "Trace Event JSON for ui.perfetto.dev: a track a GPU",
                                                  .suffix = ".json",
                                                  .write = write_perfetto};
