/* PAI 2020 (cluster-trace-gpu-v2020): the job table and the task table, joined on job_name. Both come without a header
 * (a header line is passed over):
 *   job:  job_name,inst_id,user,status,start_time,end_time         start_time is the submission
 *   task: job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type
 * in seconds from an unknown zero that keeps weekday and hour (UTC+8); plan_cpu and plan_gpu in percent of one an
 * instance, plan_mem in GiB an instance. A job asks for the sum of its tasks and runs from the earliest start of a task
 * to the latest end. When every GPU instance asks for the same part of a GPU, the job is so many shared GPUs; otherwise
 * its amount is rounded up to whole GPUs. */
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"
#include "reader.h"

enum { J_NAME, J_INST, J_USER, J_STATUS, J_START, J_END, J_COLUMNS };
enum { T_JOB, T_TASK, T_INST, T_STATUS, T_START, T_END, T_CPU, T_MEM, T_GPU, T_TYPE, T_COLUMNS };

struct tasks {          /* of one job, added up */
    gy_time start, end; /* GY_NONE where no task has it */
    uint64_t cpu_milli, mem_mib, gpu_milli;
    uint64_t instances; /* that ask for a GPU */
    uint32_t share;     /* milli-GPU of each of them when all ask for the same, else 0 */
    gy_str gpu_type;
    bool open, mixed_types, senseless; /* open: a task that has no end */
};

struct pai {
    struct gy_strings *names; /* of jobs, apart from the trace's table */
    GY_VEC(struct tasks) tasks;
    struct gy_map by_name; /* name to index of tasks */
    struct gy_csv *task_csv;
};

static bool is_status(const char *text, size_t len)
{
    static const char *const words[] = {"Terminated", "Running", "Failed", "Waiting"};

    for (size_t i = 0; i < GY_COUNT(words); i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
            return true;
    return false;
}

/* Six fields, the fourth a status. */
static int sniff(const char *bytes, size_t n, const char *file_name)
{
    const char *comma[6];
    size_t commas = 0;
    static const char *const names[] = {"job_name", "inst_id", "user", "status", "start_time", "end_time"};

    (void)file_name;
    if (gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)))
        return 100;
    for (size_t i = 0; i < n && bytes[i] != '\n'; i++)
        if (bytes[i] == ',' && commas < 6)
            comma[commas++] = bytes + i;
    return commas == 5 && is_status(comma[2] + 1, (size_t)(comma[3] - comma[2] - 1)) ? 90 : 0;
}

/* A number in units of scale; 0 where nothing is given. false when it is not a number from 0. */
static bool part(const struct gy_csv *csv, int column, int64_t scale, uint64_t *out)
{
    struct gy_field f = gy_csv_field(csv, (size_t)column);
    gy_time t = 0;

    if (!gy_field_none(f) && (!gy_time_parse_in(f.at, f.len, scale, &t) || t < 0))
        return false;
    *out = (uint64_t)t;
    return true;
}

static bool add_amount(struct tasks *t, uint64_t inst, uint64_t cpu, uint64_t mem, uint64_t gpu)
{
    const uint64_t most = (uint64_t)1 << 50;

    if (inst > GY_TRACE_GPUS_MAX || cpu > most || mem > most || gpu > (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI)
        return false;
    t->cpu_milli += inst * cpu > most ? most : inst * cpu;
    t->mem_mib += inst * mem > most ? most : inst * mem;
    t->gpu_milli += inst * gpu;
    if (gpu > 0 && inst > 0) {
        t->share = t->instances == 0 || t->share == gpu ? (uint32_t)gpu : 0;
        t->instances += inst;
    }
    return t->cpu_milli <= most && t->mem_mib <= most && t->gpu_milli <= (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI;
}

static bool widen(struct tasks *t, const struct gy_csv *csv)
{
    struct gy_field from = gy_csv_field(csv, T_START), to = gy_csv_field(csv, T_END);
    gy_time start, end;

    if (gy_field_none(from)) {
        t->open = true;
        return true;
    }
    if (!gy_time_parse(from.at, from.len, &start) || start < 0)
        return false;
    if (t->start == GY_NONE || start < t->start)
        t->start = start;
    if (gy_field_none(to)) {
        t->open = true;
        return true;
    }
    if (!gy_time_parse(to.at, to.len, &end) || end < start)
        return false;
    if (t->end == GY_NONE || end > t->end)
        t->end = end;
    return true;
}

static struct tasks *tasks_of(struct pai *p, struct gy_field name, struct gy_error *err)
{
    gy_str id = gy_strings_add(p->names, name.at, name.len);
    uint64_t at;

    if (id != GY_STR_FAIL && gy_map_get(&p->by_name, id, &at))
        return &p->tasks.at[at];
    struct tasks fresh = {.start = GY_NONE, .end = GY_NONE};
    if (id == GY_STR_FAIL || !gy_map_put(&p->by_name, id, p->tasks.n) || !gy_vec_push(&p->tasks, fresh)) {
        gy_nomem(err);
        return NULL;
    }
    return &p->tasks.at[p->tasks.n - 1];
}

/* One task row into its job's sum; a row that makes no sense marks the job, which is then skipped. */
static int add_task(struct gy_reader *r, struct pai *p, struct gy_error *err)
{
    const struct gy_csv *csv = p->task_csv;
    uint64_t inst = 1, cpu, mem, gpu;
    struct tasks *t = tasks_of(p, gy_csv_field(csv, T_JOB), err);

    if (t == NULL)
        return -1;
    if (!gy_field_none(gy_csv_field(csv, T_INST)) && !part(csv, T_INST, 1, &inst))
        t->senseless = true;
    if (!part(csv, T_CPU, 10, &cpu) || !part(csv, T_MEM, 1024, &mem) || !part(csv, T_GPU, 10, &gpu) || !widen(t, csv) ||
        t->senseless || !add_amount(t, inst, cpu, mem, gpu)) {
        t->senseless = true;
        return 0;
    }
    gy_str type = gpu > 0 ? gy_row_text(r, gy_csv_field(csv, T_TYPE)) : 0;
    t->mixed_types |= type != 0 && t->gpu_type != 0 && t->gpu_type != type;
    if (t->gpu_type == 0)
        t->gpu_type = type;
    return 0;
}

static int read_tasks(struct gy_reader *r, struct pai *p, struct gy_error *err)
{
    int got;

    while ((got = gy_csv_next(p->task_csv, err)) != 0) {
        if (got < 0)
            return -1;
        r->line = 0;
        if (got == 2 || gy_csv_fields(p->task_csv) < T_COLUMNS) {
            char line[32];
            int n = snprintf(line, sizeof line, "task table, line %llu", (unsigned long long)gy_csv_line(p->task_csv));
            gy_row_note(r, NULL, "a row of the task table that cannot be read", (struct gy_field){line, (size_t)n});
            continue;
        }
        if (strcmp(gy_csv_field(p->task_csv, T_JOB).at, "job_name") != 0 && add_task(r, p, err) < 0)
            return -1;
    }
    return 0;
}

static int open_tables(struct gy_reader *r, struct gy_error *err)
{
    struct pai *p = calloc(1, sizeof *p);

    r->state = p;
    r->has_ids = true;
    if (p == NULL || (p->names = gy_strings_new()) == NULL)
        return gy_nomem(err);
    if (r->second == NULL) {
        gy_fail(err, GY_EINPUT, gy_input_name(r->in), "the PAI 2020 job table needs its task table beside it");
        return gy_hint(err, "give pai_task_table.csv as \"second_path\": the tasks hold the GPUs");
    }
    p->task_csv = gy_csv_new(r->second, ',', err);
    if (p->task_csv == NULL || read_tasks(r, p, err) < 0)
        return -1;
    return gy_row_csv_open(r, ',', false, err);
}

static void amounts(struct gy_reader *r, const struct tasks *t, struct gy_job_rec *rec)
{
    rec->cpu_milli = t->cpu_milli;
    rec->mem_mib = t->mem_mib;
    rec->gpu_type = t->gpu_type;
    if (t->mixed_types)
        gy_row_note(r, "gpu_type", "tasks of one job ask for different types: the first is used", GY_NO_FIELD);
    if (t->share > 0 && t->share < GY_MILLI) {
        rec->gpus = (uint32_t)t->instances;
        rec->gpu_milli = t->share;
    } else {
        uint64_t whole = (t->gpu_milli + GY_MILLI - 1) / GY_MILLI;
        if (t->gpu_milli % GY_MILLI != 0)
            gy_row_note(r, "plan_gpu", "unequal parts of GPUs in one job: rounded up to whole GPUs", GY_NO_FIELD);
        rec->gpus = (uint32_t)whole;
    }
}

static int row(struct gy_reader *r, struct pai *p, struct gy_job_rec *rec)
{
    struct gy_field name = gy_csv_field(r->csv, J_NAME), status = gy_csv_field(r->csv, J_STATUS);
    uint64_t at;

    if (gy_csv_fields(r->csv) < J_COLUMNS)
        return gy_row_skip(r, NULL, "fewer than 6 fields", GY_NO_FIELD);
    if (!gy_row_id(r, "job_name", name, rec) ||
        !gy_row_time(r, "start_time", gy_csv_field(r->csv, J_START), GY_SECOND, &rec->submit))
        return GY_ROW_SKIPPED;
    gy_str id = gy_strings_find(p->names, name.at, name.len);
    if (id == GY_STR_FAIL || !gy_map_get(&p->by_name, id, &at))
        return gy_row_skip(r, "job_name", "no row in the task table", name);
    const struct tasks *t = &p->tasks.at[at];
    if (t->senseless)
        return gy_row_skip(r, NULL, "a task row that makes no sense", name);
    if (t->start == GY_NONE)
        return gy_row_skip(r, "status", "never started: its run time is not known", status);
    if (t->end == GY_NONE || (t->open && strcmp(status.at, "Running") == 0))
        return gy_row_skip(r, "status", "still running at the end of the trace", status);
    if (!gy_row_span(r, "end_time", t->start, t->end, &rec->duration) || !gy_row_state(r, "status", status, rec))
        return GY_ROW_SKIPPED;
    amounts(r, t, rec);
    rec->user = gy_row_text(r, gy_csv_field(r->csv, J_USER));
    return 1;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    int got = gy_row_csv(r, 0, err);

    if (got == 1 && strcmp(gy_csv_field(r->csv, J_NAME).at, "job_name") == 0)
        got = gy_row_csv(r, 0, err);
    return got == 1 ? row(r, r->state, rec) : got;
}

static void close_tables(struct gy_reader *r)
{
    struct pai *p = r->state;

    if (p != NULL) {
        gy_strings_free(p->names);
        gy_vec_free(&p->tasks);
        gy_map_free(&p->by_name);
        gy_csv_free(p->task_csv);
    }
    free(p);
}

const struct gy_reader_type gy_read_pai2020 = {
    .name = "pai2020",
    .summary = "PAI 2020 job table, with the task table as second file",
    .sniff = sniff,
    .open = open_tables,
    .next = next,
    .close = close_tables,
};
