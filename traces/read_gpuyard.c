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

/* Names that are not ours are told once: they may be misspelt. */
static void note_unknown(struct gy_reader *r)
{
    for (size_t i = 0; i < gy_csv_columns(r->csv); i++) {
        const char *name = gy_csv_column_name(r->csv, i);
        bool known = false;
        for (int c = 0; c < GY_C_START && !known; c++)
            known = strcasecmp(gy_column_name[c], name) == 0;
        if (known)
            continue;
        r->line = gy_csv_line(r->csv);
        if (strlen(name) < 32 && gy_nearest(name, gy_column_name, GY_C_START) != NULL)
            gy_row_note(r, NULL, "column ignored, though its name is near to a known one", gy_field_of(name));
        else
            gy_row_note(r, NULL, "column not known, ignored", gy_field_of(name));
    }
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const int required[] = {GY_C_JOB_ID, GY_C_SUBMIT, GY_C_DURATION, GY_C_GPUS};
    struct gy_mapped *m = calloc(1, sizeof *m);

    r->state = m;
    if (m == NULL)
        return gy_nomem(err);
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
    note_unknown(r);
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

const struct gy_reader_type gy_read_gpuyard = {
    .name = "gpuyard",
    .summary = "gpuyard's CSV: job_id, submit_s, duration_s, gpus and optional columns",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = close_table,
};
