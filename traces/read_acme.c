/* Acme trace_seren.csv and trace_kalos.csv: Helios' columns without the virtual cluster, with a type, and times with a
 * zone. Kalos adds memory a pod, fail_time and stop_time, and its duration column holds the queue too: the run time
 * here is end - start for both. The type (Pretrain, Evaluation, …) is the workload. */
#include "reader.h"

enum { ID, USER, GPUS, CPUS, NODES, TYPE, STATE, SUBMIT, START, END, POD_MEM, FAIL, STOP, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "node_num", "gpu_num", "type", "submit_time", "gpu_time"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {
        "job_id",      "?user",      "gpu_num",  "?cpu_num",        "?node_num",  "?type",     "?state",
        "submit_time", "start_time", "end_time", "?mem_per_pod_GB", "?fail_time", "?stop_time"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static bool resources(struct gy_reader *r, const int *column, struct gy_job_rec *rec)
{
    struct gy_field cpus = gy_row_field(r, column[CPUS]), nodes = gy_row_field(r, column[NODES]),
                    mem = gy_row_field(r, column[POD_MEM]);
    uint64_t pod_mib = 0;

    if (!gy_row_count(r, "gpu_num", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        (!gy_field_none(cpus) && !gy_row_scaled(r, "cpu_num", cpus, 1000, &rec->cpu_milli)) ||
        (!gy_field_none(nodes) && !gy_row_count(r, "node_num", nodes, GY_TRACE_GPUS_MAX, &rec->nodes)) ||
        (!gy_field_none(mem) && !gy_row_scaled(r, "mem_per_pod_GB", mem, 1024, &pod_mib)))
        return false;
    if (pod_mib > (uint64_t)1 << 40) {
        gy_row_skip(r, "mem_per_pod_GB", "too large", mem);
        return false;
    }
    rec->mem_mib = pod_mib * (rec->nodes > 0 ? rec->nodes : 1);
    return true;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    struct gy_field end = gy_row_field(r, column[END]);
    if (gy_field_none(end))
        end = gy_row_field(r, column[STOP]);
    if (gy_field_none(end))
        end = gy_row_field(r, column[FAIL]);
    if (!gy_row_id(r, "job_id", gy_row_field(r, column[ID]), rec) || !resources(r, column, rec) ||
        !gy_row_state(r, "state", gy_row_field(r, column[STATE]), rec) ||
        !gy_row_lifetime(r, gy_row_field(r, column[SUBMIT]), gy_row_field(r, column[START]), end, rec))
        return GY_ROW_SKIPPED;
    rec->user = gy_row_text(r, gy_row_field(r, column[USER]));
    rec->workload = gy_row_text(r, gy_row_field(r, column[TYPE]));
    return 1;
}

const struct gy_reader_type gy_read_acme = {
    .name = "acme",
    .summary = "Acme trace_seren.csv and trace_kalos.csv",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
