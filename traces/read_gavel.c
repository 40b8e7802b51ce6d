/* Gavel's traces: tab separated, no header; 7 columns (job type, command, steps argument, needs data, total steps,
 * arrival, scale factor), 10 (… command, working directory, …, total steps, scale factor, priority weight, SLO,
 * arrival) or, in Shockwave, 12 (… scale factor, mode, priority weight, SLO, duration, arrival). Seconds; no id.
 *
 * Only the last has a duration. For the others the second file is a table of measured throughputs, {"v100": {"('type',
 * scale)": {"null": steps a second, …}}}: the run time is total steps / throughput on a V100, which is the reference
 * there. A type and scale that nobody measured has no run time, and the row is skipped. */
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define FILE_MAX ((size_t)1 << 25)

struct layout { /* where the columns are */
    size_t columns;
    int steps, scale, arrival, duration, priority;
};
static const struct layout layouts[] = {{7, 4, 6, 5, -1, -1}, {10, 5, 6, 9, -1, 7}, {12, 5, 6, 11, 10, 8}};

struct gavel {
    struct gy_json_doc *doc;
    struct gy_strings *keys; /* of the table */
    GY_VEC(double) rate;     /* by key: steps a second of the job alone on V100s */
    bool given;
};

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    size_t tabs = 0;
    const char *newline = memchr(bytes, '\n', n);
    size_t len = newline != NULL ? (size_t)(newline - bytes) : n;

    (void)file_name;
    for (size_t i = 0; i < len; i++)
        tabs += bytes[i] == '\t';
    if (tabs != 6 && tabs != 9 && tabs != 11)
        return 0;
    return memmem(bytes, len, "python", 6) != NULL || memmem(bytes, len, "(batch size", 11) != NULL ? 90 : 0;
}

static int read_table(struct gy_reader *r, struct gavel *g, struct gy_error *err)
{
    size_t len;
    char *text = gy_input_slurp(r->second, FILE_MAX, &len, err);

    if (text == NULL)
        return -1;
    g->doc = gy_json_parse(gy_input_name(r->second), text, len, err);
    free(text);
    if (g->doc == NULL)
        return -1;
    const struct gy_json *v100 = gy_json_get(gy_json_root(g->doc), "v100");
    if (v100 == NULL || gy_json_type(v100) != GY_J_OBJECT)
        return gy_fail(err, GY_EINPUT, gy_input_name(r->second), "/v100: an object of throughputs was expected");
    g->keys = gy_strings_new();
    if (g->keys == NULL || !gy_vec_push(&g->rate, 0))
        return gy_nomem(err);
    for (const struct gy_json *v = gy_json_first(v100); v != NULL; v = gy_json_next(v)) {
        double rate = gy_json_number(gy_json_get(v, "null"));
        gy_str key = gy_strings_add(g->keys, gy_json_key(v), strlen(gy_json_key(v)));
        if (key == GY_STR_FAIL || (key == g->rate.n && !gy_vec_push(&g->rate, rate > 0 ? rate : 0)))
            return gy_nomem(err);
    }
    g->given = true;
    return 0;
}

static int open_trace(struct gy_reader *r, struct gy_error *err)
{
    struct gavel *g = calloc(1, sizeof *g);

    r->state = g;
    if (g == NULL)
        return gy_nomem(err);
    if (r->second != NULL && read_table(r, g, err) < 0)
        return -1;
    return gy_row_csv_open(r, '\t', false, err);
}

/* Steps a second of the job alone on V100s, 0 when it was not measured. */
static double throughput(const struct gavel *g, const char *type, uint32_t scale)
{
    char key[256];

    if (strlen(type) > sizeof key - 32)
        return 0;
    int len = snprintf(key, sizeof key, "('%s', %u)", type, scale);
    gy_str at = gy_strings_find(g->keys, key, (size_t)len);
    if (at == GY_STR_FAIL && scale == 1)
        at = gy_strings_find(g->keys, type, strlen(type));
    return at == GY_STR_FAIL ? 0 : g->rate.at[at];
}

static bool run_time(struct gy_reader *r, const struct gavel *g, const struct layout *l, struct gy_job_rec *rec)
{
    struct gy_field type = gy_csv_field(r->csv, 0);
    gy_time steps;

    if (l->duration >= 0)
        return gy_row_time(r, "duration", gy_csv_field(r->csv, (size_t)l->duration), GY_SECOND, &rec->duration);
    if (!gy_row_time(r, "total steps", gy_csv_field(r->csv, (size_t)l->steps), 1, &steps))
        return false;
    double rate = throughput(g, type.at, rec->gpus), s = rate > 0 ? (double)steps / rate : 0;
    if (rate > 0 && s < (double)(GY_TIME_MAX / GY_SECOND)) {
        rec->duration = gy_time_from_s(s);
        return true;
    }
    gy_row_skip(r, "throughput", rate > 0 ? "run time too large" : "not measured for this type and number of GPUs",
                type);
    return false;
}

static int no_throughputs(struct gy_reader *r, struct gy_error *err)
{
    gy_fail(err, GY_EINPUT, gy_input_name(r->in), "a Gavel trace of this kind gives steps, not durations");
    return gy_hint(err, "give a throughput table (…_throughputs.json of Gavel) as the second file");
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const struct gavel *g = r->state;
    const struct layout *l = NULL;
    int got = gy_row_csv(r, 0, err);
    uint32_t weight = 0;

    if (got != 1)
        return got;
    for (size_t i = 0; i < GY_COUNT(layouts); i++)
        if (layouts[i].columns == gy_csv_fields(r->csv))
            l = &layouts[i];
    if (l == NULL)
        return gy_row_skip(r, NULL, "not 7, 10 or 12 columns", GY_NO_FIELD);
    if (l->duration < 0 && !g->given)
        return no_throughputs(r, err);
    rec->number = r->t->rows_read + 1;
    if (!gy_row_count(r, "scale factor", gy_csv_field(r->csv, (size_t)l->scale), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        !gy_row_time(r, "arrival", gy_csv_field(r->csv, (size_t)l->arrival), GY_SECOND, &rec->submit) ||
        !run_time(r, g, l, rec))
        return GY_ROW_SKIPPED;
    struct gy_field f = gy_csv_field(r->csv, l->priority < 0 ? SIZE_MAX : (size_t)l->priority);
    if (f.len > 0 && !gy_row_count(r, "priority weight", f, INT32_MAX, &weight))
        return GY_ROW_SKIPPED;
    rec->priority = (int32_t)weight;
    rec->workload = gy_row_text(r, gy_csv_field(r->csv, 0));
    return 1;
}

static void close_trace(struct gy_reader *r)
{
    struct gavel *g = r->state;

    if (g != NULL) {
        gy_json_free(g->doc);
        gy_strings_free(g->keys);
        gy_vec_free(&g->rate);
    }
    free(g);
}

const struct gy_reader_type gy_read_gavel = {
    .name = "gavel",
    .summary = "Gavel and Shockwave traces; throughput table as second file where there is no duration",
    .sniff = sniff,
    .open = open_trace,
    .next = next,
    .close = close_trace,
};
