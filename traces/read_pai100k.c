/* PAI's pai_job_*_100K.csv, the job lists of its published simulator: job_id, num_gpu and num_cpu (of the whole job, in
 * fractions, as that simulator takes them), num_inst, submit_time, duration, user, maybe gpu_type. Duration 0 is read
 * as 1 s, as there. Estimates of duration are not read. */
#include "reader.h"

enum { ID, GPUS, CPUS, SUBMIT, DURATION, USER, TYPE, GROUP, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "num_gpu", "num_cpu", "num_inst", "submit_time", "duration"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"job_id",   "num_gpu", "?num_cpu",  "submit_time",
                                               "duration", "?user",   "?gpu_type", "?group"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);
    uint64_t milli = 0;

    if (got != 1)
        return got;
    struct gy_field gpus = gy_row_field(r, column[GPUS]), cpus = gy_row_field(r, column[CPUS]);
    if (!gy_row_id(r, "job_id", gy_row_field(r, column[ID]), rec) ||
        !gy_row_time(r, "submit_time", gy_row_field(r, column[SUBMIT]), GY_SECOND, &rec->submit) ||
        !gy_row_time(r, "duration", gy_row_field(r, column[DURATION]), GY_SECOND, &rec->duration) ||
        (!gy_field_none(gpus) && !gy_row_scaled(r, "num_gpu", gpus, 1000, &milli)) ||
        (!gy_field_none(cpus) && !gy_row_scaled(r, "num_cpu", cpus, 1000, &rec->cpu_milli)))
        return GY_ROW_SKIPPED;
    if (milli > (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI)
        return gy_row_skip(r, "num_gpu", "too large", gpus);
    gy_row_gpus(r, "num_gpu", milli, rec);
    if (rec->duration == 0) {
        rec->duration = GY_SECOND;
        gy_row_note(r, "duration", "0, read as 1 s", GY_NO_FIELD);
    }
    rec->user = gy_row_text(r, gy_row_field(r, column[USER]));
    rec->team = gy_row_text(r, gy_row_field(r, column[GROUP]));
    rec->gpu_type = rec->gpus > 0 ? gy_row_text(r, gy_row_field(r, column[TYPE])) : 0;
    return 1;
}

const struct gy_reader_type gy_read_pai100k = {
    .name = "pai-100k",
    .summary = "PAI 2020 job lists of its simulator (pai_job_*_100K.csv)",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
