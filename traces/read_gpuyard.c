/* gpuyard's own CSV trace: the columns of the contract by their names, in any order. */
#include <stdlib.h>
#include <string.h>
#include "mapped.h"

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "submit_s", "duration_s", "gpus"};
    static const char *const some[] = {"job_id", "submit_s"};

    (void)file_name;
    if (gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)))
        return 100;
    return gy_sniff_columns(bytes, n, ',', some, 2) || gy_sniff_columns(bytes, n, ',', some + 1, 1) ? 60 : 0;
}

struct table {
    struct gy_mapped mapped;
    int extra_at[GY_TRACE_EXTRA_MAX]; /* columns that are not ours */
    gy_str extra[GY_TRACE_EXTRA_MAX]; /* their values in the row at hand */
};

static bool ours(const char *name)
{
    for (int c = 0; c < GY_C_START; c++)
        if (strcasecmp(gy_column_name[c], name) == 0)
            return true;
    return false;
}

/* Columns that are not ours are told once, since they may be misspelt, and carried through. */
static int take_extra(struct gy_reader *r, struct table *table, struct gy_error *err)
{
    r->line = gy_csv_line(r->csv);
    r->extra = table->extra;
    for (size_t i = 0; i < gy_csv_columns(r->csv); i++) {
        const char *name = gy_csv_column_name(r->csv, i);
        size_t n = r->t->extra_names.n;
        if (ours(name))
            continue;
        bool near = strlen(name) < 32 && gy_nearest(name, gy_column_name, GY_C_START) != NULL;
        gy_row_note(r, NULL,
                    n == GY_TRACE_EXTRA_MAX ? "column not known, left out: too many such"
                    : near                  ? "column not known, though its name is near to one that is; kept, not used"
                                            : "column not known; kept, not used",
                    gy_field_of(name));
        if (n == GY_TRACE_EXTRA_MAX)
            continue;
        char *copy = gy_arena_strndup(&r->t->texts, name, strlen(name));
        if (copy == NULL || !gy_vec_push(&r->t->extra_names, copy))
            return gy_nomem(err);
        table->extra_at[n] = (int)i;
    }
    return 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const int required[] = {GY_C_JOB_ID, GY_C_SUBMIT, GY_C_DURATION, GY_C_GPUS};
    struct table *table = calloc(1, sizeof *table);

    r->state = table;
    if (table == NULL)
        return gy_nomem(err);
    struct gy_mapped *m = &table->mapped;
    gy_mapped_init(m, GY_CLOCK_SECONDS);
    if (gy_row_csv_open(r, ',', true, err) < 0)
        return -1;
    for (size_t i = 0; i < GY_COUNT(required); i++)
        if (gy_row_columns(r, &gy_column_name[required[i]], 1, &m->of[required[i]].at, err) < 0)
            return -1;
    for (int c = 0; c < GY_C_START; c++)
        m->of[c].at = gy_csv_column(r->csv, gy_column_name[c]);
    m->columns = gy_csv_columns(r->csv);
    r->has_ids = true;
    return take_extra(r, table, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    struct table *table = r->state;
    int got = gy_mapped_next(r, &table->mapped, rec, err);

    for (size_t i = 0; got == 1 && i < r->t->extra_names.n; i++) {
        struct gy_field f = gy_row_field(r, table->extra_at[i]);
        table->extra[i] = gy_strings_add(r->t->strings, f.at, f.len);
        r->nomem |= table->extra[i] == GY_STR_FAIL;
    }
    return got;
}

static void close_table(struct gy_reader *r)
{
    free(r->state);
}

const struct gy_reader_type gy_read_gpuyard = {
    .name = "gpuyard",
    .summary = "gpuyard's CSV: job_id, submit_s, duration_s, gpus and optional columns",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = close_table,
};
