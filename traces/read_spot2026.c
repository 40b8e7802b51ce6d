/* Alibaba's spot GPU jobs (2026):
 * job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration, job_type. CPUs and GPUs are
 * a worker's; seconds from the trace's zero; job_type is HP (high priority) or Spot. */
#include "reader.h"

enum { NAME, ORGANIZATION, MODEL, CPUS, GPUS, WORKERS, SUBMIT, DURATION, TYPE, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_name",   "gpu_model",   "gpu_request",
                                        "worker_num", "submit_time", "duration"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"job_name",     "?organization", "?gpu_model",
                                               "?cpu_request", "gpu_request",   "worker_num",
                                               "submit_time",  "duration",      "?job_type"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static bool resources(struct gy_reader *r, const int *column, struct gy_job_rec *rec)
{
    struct gy_field cpus = gy_row_field(r, column[CPUS]), gpus = gy_row_field(r, column[GPUS]);
    uint64_t milli, cpu_milli = 0;
    uint32_t workers;

    if (!gy_row_scaled(r, "gpu_request", gpus, 1000, &milli) ||
        !gy_row_count(r, "worker_num", gy_row_field(r, column[WORKERS]), GY_TRACE_GPUS_MAX, &workers) ||
        (!gy_field_none(cpus) && !gy_row_scaled(r, "cpu_request", cpus, 1000, &cpu_milli)))
        return false;
    if (milli > (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI || cpu_milli > (uint64_t)1 << 40 ||
        milli * workers > (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI) {
        gy_row_skip(r, "gpu_request", "too large", gpus);
        return false;
    }
    rec->cpu_milli = cpu_milli * workers;
    if (milli > 0 && milli < GY_MILLI) { /* the same part of a GPU for each worker */
        rec->gpus = workers;
        rec->gpu_milli = (uint32_t)milli;
    } else {
        gy_row_gpus(r, "gpu_request", milli * workers, rec);
    }
    return true;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    if (!gy_row_id(r, "job_name", gy_row_field(r, column[NAME]), rec) || !resources(r, column, rec) ||
        !gy_row_time(r, "submit_time", gy_row_field(r, column[SUBMIT]), GY_SECOND, &rec->submit) ||
        !gy_row_time(r, "duration", gy_row_field(r, column[DURATION]), GY_SECOND, &rec->duration))
        return GY_ROW_SKIPPED;
    rec->team = gy_row_text(r, gy_row_field(r, column[ORGANIZATION]));
    rec->qos = gy_row_text(r, gy_row_field(r, column[TYPE]));
    rec->gpu_type = rec->gpus > 0 ? gy_row_text(r, gy_row_field(r, column[MODEL])) : 0;
    return 1;
}

const struct gy_reader_type gy_read_spot2026 = {
    .name = "spot2026",
    .summary = "Alibaba spot GPU jobs (cluster-trace-v2026-spot-gpu)",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
