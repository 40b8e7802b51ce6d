/* Acme's converted_kalos_trace.csv: large language model jobs with iterations in place of a duration. The run time is
 * num_iteration × (iteration_computing_time + iteration_networking_time); gpu_workers are GPUs in total, and their CPUs
 * are cpu_per_gpu_worker each. Values such as 62 or 127 GPUs are the file's own. */
#include "reader.h"

enum { ID, ARRIVAL, ITERATIONS, COMPUTE, NETWORK, GPUS, CPUS, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "arrival_time", "num_iteration", "iteration_computing_time",
                                        "gpu_workers"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {
        "job_id",      "arrival_time",       "num_iteration", "iteration_computing_time", "iteration_networking_time",
        "gpu_workers", "?cpu_per_gpu_worker"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);
    gy_time compute, network;
    uint32_t iterations;
    uint64_t cpus = 0;

    if (got != 1)
        return got;
    struct gy_field f = gy_row_field(r, column[CPUS]);
    if (!gy_row_id(r, "job_id", gy_row_field(r, column[ID]), rec) ||
        !gy_row_time(r, "arrival_time", gy_row_field(r, column[ARRIVAL]), GY_SECOND, &rec->submit) ||
        !gy_row_count(r, "num_iteration", gy_row_field(r, column[ITERATIONS]), UINT32_MAX, &iterations) ||
        !gy_row_time(r, "iteration_computing_time", gy_row_field(r, column[COMPUTE]), GY_SECOND, &compute) ||
        !gy_row_time(r, "iteration_networking_time", gy_row_field(r, column[NETWORK]), GY_SECOND, &network) ||
        !gy_row_count(r, "gpu_workers", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        (!gy_field_none(f) && !gy_row_scaled(r, "cpu_per_gpu_worker", f, 1000, &cpus)))
        return GY_ROW_SKIPPED;
    __int128 run = (__int128)iterations * ((__int128)compute + network);
    if (run > GY_TIME_MAX || cpus > (uint64_t)1 << 40)
        return gy_row_skip(r, "num_iteration", "too large", gy_row_field(r, column[ITERATIONS]));
    rec->duration = (gy_time)run;
    rec->cpu_milli = cpus * rec->gpus;
    return 1;
}

const struct gy_reader_type gy_read_acme_kalos = {
    .name = "acme-kalos",
    .summary = "Acme converted_kalos_trace.csv",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
