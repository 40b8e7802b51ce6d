/* Philly as one row a job: timestamp,duration,num_gpus,gpu_time,cluster (the derived CSV of the Sia artifact). Naive
 * Pacific times, not in order; no id, so the row number is the id; cluster is the virtual cluster, which is the team.
 */
#include "reader.h"

enum { TIMESTAMP, DURATION, GPUS, CLUSTER, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"timestamp", "duration", "num_gpus", "gpu_time", "cluster"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"timestamp", "duration", "num_gpus", "?cluster"};

    return gy_row_table_open(r, names, COLUMNS, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    rec->number = r->t->rows_read + 1;
    if (!gy_row_calendar(r, "timestamp", gy_row_field(r, column[TIMESTAMP]), &rec->submit) ||
        !gy_row_time(r, "duration", gy_row_field(r, column[DURATION]), GY_SECOND, &rec->duration) ||
        !gy_row_count(r, "num_gpus", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus))
        return GY_ROW_SKIPPED;
    rec->team = gy_row_text(r, gy_row_field(r, column[CLUSTER]));
    return 1;
}

const struct gy_reader_type gy_read_philly = {
    .name = "philly",
    .summary = "Philly, one row a job: timestamp,duration,num_gpus,gpu_time,cluster",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
