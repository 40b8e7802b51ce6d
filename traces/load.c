/* The loader: reads all rows by the reader of choose.c into the table and drops repeated ids; settle.c does what needs
 * all rows at once. Not a parser of anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "loading.h"

struct gy_field gy_load_id(const struct gy_loading *l, uint32_t row, char *buf)
{
    const struct gy_job_rec *j = &l->r.t->jobs.at[row];

    if (j->name != 0)
        return (struct gy_field){gy_strings_text(l->r.t->strings, j->name), gy_strings_len(l->r.t->strings, j->name)};
    return (struct gy_field){buf, (size_t)snprintf(buf, 24, "%llu", (unsigned long long)j->number)};
}

uint32_t gy_load_find(const struct gy_loading *l, const char *id, size_t len)
{
    uint64_t number = 0, row;
    bool digits = len > 0 && len <= 18 && (len == 1 || id[0] != '0');

    for (size_t i = 0; digits && i < len; i++) {
        digits = id[i] >= '0' && id[i] <= '9';
        number = number * 10 + (uint64_t)(id[i] - '0');
    }
    if (digits)
        return gy_map_get(&l->numbers, number, &row) ? (uint32_t)row : UINT32_MAX;
    gy_str name = gy_strings_find(l->r.t->strings, id, len);
    return name != GY_STR_FAIL && gy_map_get(&l->names, name, &row) ? (uint32_t)row : UINT32_MAX;
}

int gy_load_drop(struct gy_loading *l, uint32_t row, const char *column, const char *why, bool bad,
                 struct gy_error *err)
{
    char place[512], buf[24];
    struct gy_field id = gy_load_id(l, row, buf);

    l->dropped.at[row] = 1;
    gy_skip_count(&l->r, &l->r.t->skips, column, why, l->line.at[row], id);
    if (!bad || !l->r.o->strict)
        return 0;
    gy_row_place(&l->r, l->line.at[row], place, sizeof place);
    return gy_fail(err, GY_EINPUT, place, "%s%s%s: job \"%s\"", column != NULL ? column : "",
                   column != NULL ? ": " : "", why, id.at);
}

/* Looks the record over for what no job can be, whatever the format. NULL when it is fine. */
static const char *impossible(const struct gy_job_rec *j)
{
    if (j->gpus > GY_TRACE_GPUS_MAX || j->nodes > GY_TRACE_GPUS_MAX)
        return "asks for more than a million GPUs or nodes";
    if (j->gpu_milli == 0 || j->gpu_milli > GY_MILLI)
        return "a share of a GPU outside 0.001 to 1";
    if (j->max_gpus != 0 && j->max_gpus < j->min_gpus)
        return "max_gpus below min_gpus";
    return NULL;
}

static void tidy(struct gy_loading *l, struct gy_job_rec *j)
{
    if (j->limit != GY_NONE && j->limit <= 0) {
        j->limit = GY_NONE;
        gy_row_note(&l->r, "limit", "not above 0, taken as none", GY_NO_FIELD);
    }
    if (j->gpus > 0 && j->nodes > j->gpus) {
        j->nodes = 0;
        gy_row_note(&l->r, "nodes", "more nodes than GPUs: number of nodes left open", GY_NO_FIELD);
    }
    if (j->idle_tail != GY_NONE && j->idle_tail > j->duration) {
        j->idle_tail = j->duration;
        gy_row_note(&l->r, "idle_tail", "longer than the job: cut to its run time", GY_NO_FIELD);
    }
    if (j->limit == GY_NONE && l->r.o->limit_factor > 0 && j->duration != GY_NEVER) {
        double limit = nearbyint((double)j->duration * l->r.o->limit_factor);
        j->limit = limit >= (double)GY_TIME_MAX ? GY_TIME_MAX : (gy_time)limit;
        if (j->limit < GY_SECOND)
            j->limit = GY_SECOND;
    }
}

static int keep_depends(struct gy_loading *l, uint32_t row, struct gy_error *err)
{
    struct gy_dep_text d = {row, NULL, l->r.depends_len};

    d.text = gy_arena_strndup(&l->texts, l->r.depends, l->r.depends_len);
    if (d.text == NULL || !gy_vec_push(&l->dep_texts, d))
        return gy_nomem(err);
    return 0;
}

int gy_load_index(struct gy_loading *l, struct gy_error *err)
{
    const struct gy_trace *t = l->r.t;

    if (l->indexed)
        return 0;
    l->indexed = true;
    for (size_t i = 0; i < t->jobs.n; i++)
        if (t->jobs.at[i].name == 0 && !gy_map_put(&l->numbers, t->jobs.at[i].number, i))
            return gy_nomem(err);
    return 0;
}

/* Whether the row of this id, which is to become row `row`, is the first of it. */
static int first_of_id(struct gy_loading *l, const struct gy_job_rec *j, uint32_t row, bool *first,
                       struct gy_error *err)
{
    struct gy_map *map = j->name != 0 ? &l->names : &l->numbers;
    uint64_t key = j->name != 0 ? j->name : j->number, had;

    *first = true;
    if (j->name == 0 && !l->indexed) {
        bool ascends = l->r.t->jobs.n == 0 || j->number > l->last_number;
        l->last_number = j->number;
        if (ascends)
            return 0;
        if (gy_load_index(l, err) < 0)
            return -1;
    }
    *first = !gy_map_get(map, key, &had);
    return !*first || gy_map_put(map, key, row) ? 0 : gy_nomem(err);
}

/* Puts the record into the table; a repeated id drops the later row. */
static int add(struct gy_loading *l, const struct gy_job_rec *j, struct gy_error *err)
{
    struct gy_trace *t = l->r.t;
    uint32_t row = (uint32_t)t->jobs.n;

    if (t->jobs.n >= GY_TRACE_ROWS_MAX)
        return gy_fail(err, GY_EINPUT, gy_input_name(l->r.in), "more than %u rows", GY_TRACE_ROWS_MAX);
    bool first = true;
    if (l->r.has_ids && first_of_id(l, j, row, &first, err) < 0)
        return -1;
    if (!gy_vec_push(&t->jobs, *j) || !gy_vec_push(&l->line, l->r.line) || !gy_vec_push(&l->dropped, 0))
        return gy_nomem(err);
    for (size_t i = 0; i < t->extra_names.n; i++)
        if (!gy_vec_push(&t->extra, l->r.extra[i]))
            return gy_nomem(err);
    if (!first)
        return gy_load_drop(l, row, "job_id", "repeated; the first row of that id is kept", true, err);
    return l->r.depends_len > 0 ? keep_depends(l, row, err) : 0;
}

static int read_rows(struct gy_loading *l, struct gy_error *err)
{
    struct gy_job_rec rec;

    for (;;) {
        gy_row_init(&rec);
        l->r.depends_len = 0;
        int got = l->type->next(&l->r, &rec, err);
        if (got < 0)
            return -1;
        if (got == 1) {
            const char *why = impossible(&rec);
            if (why != NULL)
                got = gy_row_skip(&l->r, NULL, why, GY_NO_FIELD);
            else
                tidy(l, &rec);
        }
        if (l->r.nomem)
            return gy_nomem(err);
        if (l->r.strict_hit) {
            *err = l->r.strict;
            return -1;
        }
        if (got == 0)
            return 0;
        if (got != 1)
            continue;
        l->r.t->rows_read++;
        if (add(l, &rec, err) < 0)
            return -1;
    }
}

static int load(struct gy_loading *l, struct gy_error *err)
{
    const struct gy_trace_options *o = l->r.o;
    struct gy_trace *t = l->r.t;

    l->type = gy_load_choose(o, l->r.in, err);
    if (l->type == NULL)
        return -1;
    t->format = l->type->name;
    int done = l->type->open(&l->r, err);
    if (done == 0)
        done = read_rows(l, err);
    if (l->type->close != NULL)
        l->type->close(&l->r);
    gy_csv_free(l->r.csv);
    if (done < 0)
        return -1;
    gy_input_sha256(l->r.in, t->sha256);
    if (l->r.second != NULL)
        gy_input_sha256(l->r.second, t->second_sha256);
    return gy_load_settle(l, err);
}

static void loading_free(struct gy_loading *l)
{
    gy_vec_free(&l->line);
    gy_vec_free(&l->dropped);
    gy_vec_free(&l->dep_texts);
    gy_vec_free(&l->edges);
    gy_arena_free(&l->texts);
    gy_map_free(&l->numbers);
    gy_map_free(&l->names);
}

int gy_trace_load_input(const struct gy_trace_options *o, struct gy_input *in, struct gy_input *second,
                        struct gy_strings *strings, struct gy_trace **out, struct gy_error *err)
{
    struct gy_trace *t = calloc(1, sizeof *t);

    *out = NULL;
    if (t == NULL)
        return gy_nomem(err);
    t->owns_strings = strings == NULL;
    t->strings = strings != NULL ? strings : gy_strings_new();
    if (t->strings == NULL) {
        gy_trace_free(t);
        return gy_nomem(err);
    }
    struct gy_loading l = {.r = {.o = o, .in = in, .second = second, .t = t}};
    int done = load(&l, err);
    loading_free(&l);
    if (done < 0) {
        gy_trace_free(t);
        return -1;
    }
    *out = t;
    return 0;
}

/* Beside "…job_table…" (PAI 2020), the path of the file called the same with "task_table", where there is one. */
static bool find_second(const char *path, char *buf, size_t size)
{
    const char *folder_end = strrchr(path, '/');
    const char *at = strstr(folder_end != NULL ? folder_end : path, "job_table");

    if (at == NULL)
        return false;
    int n = snprintf(buf, size, "%.*stask%s", (int)(at - path), path, at + 3);
    return n > 0 && (size_t)n < size && access(buf, R_OK) == 0;
}

int gy_trace_load(const struct gy_trace_options *o, struct gy_strings *strings, struct gy_trace **out,
                  struct gy_error *err)
{
    struct gy_input *in = gy_input_open(o->path, err), *second = NULL;
    const char *second_path = o->second_path;
    char beside[4096];
    int done = -1;

    *out = NULL;
    if (in == NULL)
        return -1;
    if (second_path == NULL && find_second(o->path, beside, sizeof beside))
        second_path = beside;
    if (second_path != NULL)
        second = gy_input_open(second_path, err);
    if (second_path == NULL || second != NULL)
        done = gy_trace_load_input(o, in, second, strings, out, err);
    gy_input_close(in);
    if (second != NULL)
        gy_input_close(second);
    return done;
}

void gy_trace_free(struct gy_trace *t)
{
    if (t == NULL)
        return;
    if (t->owns_strings)
        gy_strings_free(t->strings);
    gy_vec_free(&t->jobs);
    gy_vec_free(&t->deps);
    gy_vec_free(&t->extra_names);
    gy_vec_free(&t->extra);
    gy_vec_free(&t->skips);
    gy_vec_free(&t->notes);
    gy_arena_free(&t->texts);
    free(t);
}
