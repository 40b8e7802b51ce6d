/* Helios cluster_log.csv: job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue.
 * Naive local times; the run time is end - start, which the duration column repeats. The virtual cluster is the team.
 * More than half of the jobs ask for no GPU. */
#include "reader.h"

enum { ID, USER, VC, GPUS, CPUS, NODES, STATE, SUBMIT, START, END, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"job_id", "vc", "gpu_num", "cpu_num", "submit_time", "end_time"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"job_id",    "?user",  "?vc",         "gpu_num",    "?cpu_num",
                                               "?node_num", "?state", "submit_time", "start_time", "end_time"};

    r->has_ids = true;
    return gy_row_table_open(r, names, COLUMNS, err);
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    struct gy_field cpus = gy_row_field(r, column[CPUS]), nodes = gy_row_field(r, column[NODES]);
    if (!gy_row_id(r, "job_id", gy_row_field(r, column[ID]), rec) ||
        !gy_row_count(r, "gpu_num", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        (!gy_field_none(cpus) && !gy_row_scaled(r, "cpu_num", cpus, 1000, &rec->cpu_milli)) ||
        (!gy_field_none(nodes) && !gy_row_count(r, "node_num", nodes, GY_TRACE_GPUS_MAX, &rec->nodes)) ||
        !gy_row_state(r, "state", gy_row_field(r, column[STATE]), rec) ||
        !gy_row_lifetime(r, gy_row_field(r, column[SUBMIT]), gy_row_field(r, column[START]),
                         gy_row_field(r, column[END]), rec))
        return GY_ROW_SKIPPED;
    rec->user = gy_row_text(r, gy_row_field(r, column[USER]));
    rec->team = gy_row_text(r, gy_row_field(r, column[VC]));
    return 1;
}

const struct gy_reader_type gy_read_helios = {
    .name = "helios",
    .summary = "Helios cluster_log.csv",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
