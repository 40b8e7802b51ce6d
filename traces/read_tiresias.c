/* The job lists of DL scheduler studies that give a duration: Tiresias (job_id,num_gpu,submit_time,iterations,
 * model_name,duration,interval) and its kin Chronus and ElasticFlow (…,ddl,…,real_duration,duration,…). Seconds from
 * the trace's zero. The model is the workload; iterations, deadlines and intervals are not used. */
#include "reader.h"

enum { ID, GPUS, SUBMIT, DURATION, MODEL, USER, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "num_gpu", "submit_time", "model_name", "duration"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 90 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"job_id", "num_gpu", "submit_time", "duration", "?model_name", "?user"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    if (!gy_row_id(r, "job_id", gy_row_field(r, column[ID]), rec) ||
        !gy_row_count(r, "num_gpu", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        !gy_row_time(r, "submit_time", gy_row_field(r, column[SUBMIT]), GY_SECOND, &rec->submit) ||
        !gy_row_time(r, "duration", gy_row_field(r, column[DURATION]), GY_SECOND, &rec->duration))
        return GY_ROW_SKIPPED;
    rec->workload = gy_row_text(r, gy_row_field(r, column[MODEL]));
    rec->user = gy_row_text(r, gy_row_field(r, column[USER]));
    return 1;
}

const struct gy_reader_type gy_read_tiresias = {
    .name = "tiresias",
    .summary = "Tiresias, Chronus and ElasticFlow job lists",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
