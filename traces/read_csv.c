/* Anybody's CSV through a map: {"submit_s": "SubmitTime", "duration_s": {"column": "Minutes", "unit": "min"}, …}. An
 * entry is the name of their column, or an object with "column" (or "value", the same for all rows), "unit", for clock
 * times "time" (seconds, epoch, datetime, auto), for the state "words" ({"theirs": "ours"}). */
#include <stdlib.h>
#include <string.h>
#include "mapped.h"

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    (void)bytes;
    (void)n;
    (void)file_name;
    return 0; /* only by name, or where there is a map */
}

static int wrong(const char *key, struct gy_error *err, const char *what, const char *hint)
{
    char place[256];

    snprintf(place, sizeof place, "/trace/columns%s%.200s", key[0] != '\0' ? "/" : "", key);
    gy_fail(err, GY_EINPUT, place, "%s", what);
    return gy_hint(err, "%s", hint);
}

struct unit {
    const char *name;
    int64_t scale;
};
static const struct unit time_units[] = {{"ns", 1},          {"us", 1000},   {"ms", 1000000}, {"s", GY_SECOND},
                                         {"min", GY_MINUTE}, {"h", GY_HOUR}, {"d", GY_DAY},   {NULL, 0}};
static const struct unit share_units[] = {{"one", 1000}, {"milli", 1}, {"percent", 10}, {NULL, 0}};
static const struct unit memory_units[] = {{"B", 1},     {"KiB", 1 << 10}, {"MiB", 1 << 20},   {"GiB", 1 << 30},
                                           {"kB", 1000}, {"MB", 1000000},  {"GB", 1000000000}, {NULL, 0}};

static int unit(struct gy_map_column *of, int c, const char *name, struct gy_error *err)
{
    const struct unit *list = NULL;
    const char *hint = "this column has no unit";

    switch (gy_column_kind[c]) {
    case GY_K_CLOCK:
    case GY_K_TIME:
        list = time_units;
        hint = "units of time are ns, us, ms, s, min, h, d";
        break;
    case GY_K_GPUS:
    case GY_K_CPUS:
        list = share_units;
        hint = "units of GPUs and CPUs are one, milli, percent";
        break;
    case GY_K_MEMORY:
        list = memory_units;
        hint = "units of memory are B, KiB, MiB, GiB, kB, MB, GB";
        break;
    default:
        break;
    }
    for (; list != NULL && list->name != NULL; list++)
        if (strcmp(list->name, name) == 0) {
            of->scale = list->scale;
            return 0;
        }
    return wrong(gy_column_name[c], err, "unknown unit", hint);
}

static int clock_form(struct gy_map_column *of, int c, const char *name, struct gy_error *err)
{
    static const char *const forms[] = {"seconds", "epoch", "datetime", "auto"};

    for (size_t i = 0; gy_column_kind[c] == GY_K_CLOCK && i < GY_COUNT(forms); i++)
        if (strcmp(forms[i], name) == 0) {
            of->clock = (uint8_t)i;
            return 0;
        }
    return wrong(gy_column_name[c], err, "unknown form of time",
                 "\"time\" is seconds, epoch, datetime or auto, for submit_s, start_s, end_s and cancel_s");
}

/* {"column": …, "unit": …, "time": …, "words": …, "value": …}; *name receives the column. */
static int entry_object(struct gy_map_column *of, int c, const struct gy_json *v, const char **name,
                        struct gy_error *err)
{
    for (const struct gy_json *m = gy_json_first(v); m != NULL; m = gy_json_next(m)) {
        const char *key = gy_json_key(m), *text = gy_json_string(m);
        int done = 0;
        if (strcmp(key, "words") == 0 && c == GY_C_STATE && gy_json_type(m) == GY_J_OBJECT)
            of->words = m;
        else if (text == NULL)
            done = wrong(gy_column_name[c], err, "a member that is not a string or is not known",
                         "known are column, value, unit, time, and for state words; numbers are written as strings");
        else if (strcmp(key, "column") == 0)
            *name = text;
        else if (strcmp(key, "value") == 0)
            of->constant = text;
        else if (strcmp(key, "unit") == 0)
            done = unit(of, c, text, err);
        else if (strcmp(key, "time") == 0)
            done = clock_form(of, c, text, err);
        else
            done = wrong(gy_column_name[c], err, "unknown key",
                         "known are column, value, unit, time, and for state words");
        if (done < 0)
            return -1;
    }
    if ((*name == NULL) == (of->constant == NULL))
        return wrong(gy_column_name[c], err, "needs either \"column\" or \"value\"",
                     "\"column\" is the name in the file's header, \"value\" the same for every row");
    return 0;
}

static int entry(struct gy_reader *r, struct gy_mapped *m, const struct gy_json *v, struct gy_error *err)
{
    const char *key = gy_json_key(v), *name = gy_json_string(v);
    int c = 0;

    while (c < GY_C_COUNT && strcmp(gy_column_name[c], key) != 0)
        c++;
    if (c == GY_C_COUNT) {
        const char *near = gy_nearest(key, gy_column_name, GY_C_COUNT);
        char hint[128];
        snprintf(hint, sizeof hint,
                 near != NULL ? "did you mean \"%s\"?" : "see the columns of the gpuyard trace format%s",
                 near != NULL ? near : "");
        return wrong(key, err, "not a column of the gpuyard trace format", hint);
    }
    if (gy_json_type(v) == GY_J_OBJECT) {
        if (entry_object(&m->of[c], c, v, &name, err) < 0)
            return -1;
    } else if (name == NULL) {
        return wrong(key, err, "neither a column name nor an object", "write the name of the file's column");
    }
    return name == NULL ? 0 : gy_row_columns(r, &name, 1, &m->of[c].at, err);
}

static bool mapped(const struct gy_mapped *m, int c)
{
    return m->of[c].at >= 0 || m->of[c].constant != NULL;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    struct gy_mapped *m = calloc(1, sizeof *m);
    const struct gy_json *columns = r->o->columns;
    const char *bytes;

    r->state = m;
    if (m == NULL)
        return gy_nomem(err);
    if (columns == NULL || gy_json_type(columns) != GY_J_OBJECT)
        return wrong("", err, "the format \"csv\" needs a map of column names",
                     "for example {\"submit_s\": \"SubmitTime\", \"duration_s\": \"Elapsed\", \"gpus\": \"NGPUs\"}");
    gy_mapped_init(m, GY_CLOCK_AUTO);
    err->code = GY_OK;
    size_t n = gy_input_peek(r->in, &bytes, err);
    if (err->code != GY_OK || gy_row_csv_open(r, gy_csv_guess(bytes, n), true, err) < 0)
        return -1;
    for (const struct gy_json *v = gy_json_first(columns); v != NULL; v = gy_json_next(v))
        if (entry(r, m, v, err) < 0)
            return -1;
    if (!mapped(m, GY_C_SUBMIT) || !mapped(m, GY_C_GPUS) || (!mapped(m, GY_C_DURATION) && !mapped(m, GY_C_END)))
        return wrong("", err, "submit_s, gpus, and duration_s (or start_s and end_s) must be mapped",
                     "a constant is written {\"value\": \"1\"}");
    m->columns = gy_csv_columns(r->csv);
    r->has_ids = mapped(m, GY_C_JOB_ID);
    return 0;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    return gy_mapped_next(r, r->state, rec, err);
}

static void close_table(struct gy_reader *r)
{
    free(r->state);
}

const struct gy_reader_type gy_read_csv = {
    .name = "csv",
    .summary = "any delimited text with a header, its columns mapped by \"columns\"",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = close_table,
};
