/* The table as gpuyard CSV. Optional columns that no job uses are left out, so that small traces stay readable. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "gy_file.h"
#include "mapped.h"

/* Columns that are a plain member of the record: texts, counts (0: not given), times (GY_NONE: not given). */
enum member_kind { M_TEXT, M_COUNT, M_TIME };
struct member {
    uint8_t column, kind;
    size_t offset;
};
#define AT(m) offsetof(struct gy_job_rec, m)
static const struct member members[] = {
    {GY_C_SUBMIT, M_TIME, AT(submit)},
    {GY_C_LIMIT, M_TIME, AT(limit)},
    {GY_C_CHECKPOINT, M_TIME, AT(checkpoint)},
    {GY_C_IDLE_TAIL, M_TIME, AT(idle_tail)},
    {GY_C_CANCEL, M_TIME, AT(cancel)},
    {GY_C_NODES, M_COUNT, AT(nodes)},
    {GY_C_PER_NODE, M_COUNT, AT(gpus_per_node)},
    {GY_C_MIN_GPUS, M_COUNT, AT(min_gpus)},
    {GY_C_MAX_GPUS, M_COUNT, AT(max_gpus)},
    {GY_C_ARRAY_LIMIT, M_COUNT, AT(array_limit)},
    {GY_C_GPU_TYPE, M_TEXT, AT(gpu_type)},
    {GY_C_MIG, M_TEXT, AT(mig_profile)},
    {GY_C_USER, M_TEXT, AT(user)},
    {GY_C_TEAM, M_TEXT, AT(team)},
    {GY_C_PARTITION, M_TEXT, AT(partition)},
    {GY_C_QOS, M_TEXT, AT(qos)},
    {GY_C_WORKLOAD, M_TEXT, AT(workload)},
    {GY_C_ARRAY, M_TEXT, AT(array)},
    {GY_C_GANG, M_TEXT, AT(gang)},
    {GY_C_CONSTRAINT, M_TEXT, AT(constraint)},
};

static const struct member *member_of(int column)
{
    for (size_t i = 0; i < GY_COUNT(members); i++)
        if (members[i].column == column)
            return &members[i];
    return NULL;
}

static const void *value(const struct gy_job_rec *j, const struct member *m)
{
    return (const char *)j + m->offset;
}

static bool used(const struct gy_job_rec *j, int column)
{
    const struct member *m = member_of(column);

    if (m != NULL && m->kind == M_TIME)
        return *(const gy_time *)value(j, m) != GY_NONE;
    if (m != NULL) /* counts and texts are both 32-bit, 0 when not given */
        return *(const uint32_t *)value(j, m) != 0;
    switch (column) {
    case GY_C_FRACTION:
        return j->gpu_milli != GY_MILLI;
    case GY_C_CPUS:
        return j->cpu_milli != 0;
    case GY_C_MEM:
        return j->mem_mib != 0;
    case GY_C_PRIORITY:
        return j->priority != 0;
    case GY_C_STATE:
        return j->end_state != GY_COMPLETED;
    case GY_C_DEPENDS:
        return j->dep_n != 0;
    default:
        return true; /* the required ones */
    }
}

/* Thousandths as an exact decimal, nothing for 0; a time in ms prints just so. */
static void thousandths(struct gy_writer *w, uint64_t n)
{
    if (n != 0 && n <= (uint64_t)GY_TIME_MAX / 1000000)
        gy_writer_time(w, (int64_t)n * 1000000);
}

/* MiB as GiB to nine decimals, rounded down: reading rounds up to a whole MiB, which gives the same back. */
static void memory(struct gy_writer *w, uint64_t mib)
{
    if (mib != 0 && mib / 1024 <= (uint64_t)(GY_TIME_MAX / GY_SECOND))
        gy_writer_time(w, (int64_t)(mib / 1024) * GY_SECOND + (int64_t)(mib % 1024 * 9765625 / 10));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Blanks at the ends are cut off from unquoted fields, so such a text is quoted too. */
static void quoted(struct gy_writer *w, const char *at, size_t len)
{
    if (len == 0)
        return;
    if (!is_blank(at[0]) && !is_blank(at[len - 1]) && strchr(at, '\r') == NULL) {
        gy_writer_csv(w, at);
        return;
    }
    gy_writer_text(w, "\"");
    for (; *at != '\0'; at++)
        gy_writer_text(w, *at == '"' ? "\"\"" : (const char[]){*at, '\0'});
    gy_writer_text(w, "\"");
}

static void text(const struct gy_trace *t, struct gy_writer *w, gy_str s)
{
    if (s != 0)
        quoted(w, gy_strings_text(t->strings, s), gy_strings_len(t->strings, s));
}

static void id(const struct gy_trace *t, struct gy_writer *w, const struct gy_job_rec *j)
{
    if (j->name != 0)
        text(t, w, j->name);
    else
        gy_writer_printf(w, "%" PRIu64, j->number);
}

/* "afterok:12;afterany:14"; a job that is not in the trace is left out, since it holds. */
static void depends(const struct gy_trace *t, struct gy_writer *w, const struct gy_job_rec *j)
{
    static const char *const kinds[] = {"afterok", "afterany", "afternotok", "after"};
    const char *between = "";

    for (uint32_t i = 0; i < j->dep_n; i++) {
        const struct gy_dep *d = &t->deps.at[j->dep_first + i];
        if (d->row == UINT32_MAX)
            continue;
        gy_writer_printf(w, "%s%s:", between, kinds[d->kind]);
        id(t, w, &t->jobs.at[d->row]);
        between = ";";
    }
}

static void member(const struct gy_trace *t, struct gy_writer *w, const struct gy_job_rec *j, const struct member *m)
{
    if (m->kind == M_TIME)
        gy_writer_time(w, *(const gy_time *)value(j, m));
    else if (m->kind == M_TEXT)
        text(t, w, *(const gy_str *)value(j, m));
    else if (*(const uint32_t *)value(j, m) != 0)
        gy_writer_printf(w, "%" PRIu32, *(const uint32_t *)value(j, m));
}

static void field(const struct gy_trace *t, struct gy_writer *w, const struct gy_job_rec *j, int column)
{
    switch (column) {
    case GY_C_JOB_ID:
        id(t, w, j);
        break;
    case GY_C_DURATION:
        if (j->duration == GY_NEVER)
            gy_writer_text(w, "inf");
        else
            gy_writer_time(w, j->duration);
        break;
    case GY_C_GPUS:
        gy_writer_printf(w, "%" PRIu32, j->gpus);
        break;
    case GY_C_FRACTION:
        thousandths(w, j->gpu_milli == GY_MILLI ? 0 : j->gpu_milli);
        break;
    case GY_C_CPUS:
        thousandths(w, j->cpu_milli);
        break;
    case GY_C_MEM:
        memory(w, j->mem_mib);
        break;
    case GY_C_PRIORITY:
        gy_writer_printf(w, "%" PRId32, j->priority);
        break;
    case GY_C_STATE:
        gy_writer_text(w, gy_job_state_name((enum gy_job_state)j->end_state));
        break;
    case GY_C_DEPENDS:
        depends(t, w, j);
        break;
    default:
        member(t, w, j, member_of(column));
        break;
    }
}

static void header(const struct gy_trace *t, struct gy_writer *w, const bool *want)
{
    for (int c = 0; c < GY_C_START; c++)
        if (want[c])
            gy_writer_printf(w, "%s%s", c > 0 ? "," : "", gy_column_name[c]);
    for (size_t k = 0; k < t->extra_names.n; k++) {
        gy_writer_text(w, ",");
        quoted(w, t->extra_names.at[k], strlen(t->extra_names.at[k]));
    }
    gy_writer_text(w, "\n");
}

void gy_trace_write_csv(const struct gy_trace *t, struct gy_writer *w)
{
    bool want[GY_C_COUNT] = {false};
    size_t width = t->extra_names.n;

    for (int c = 0; c < GY_C_START; c++)
        for (size_t i = 0; i < t->jobs.n && !want[c]; i++)
            want[c] = used(&t->jobs.at[i], c);
    want[GY_C_JOB_ID] = want[GY_C_SUBMIT] = want[GY_C_DURATION] = want[GY_C_GPUS] = true;
    header(t, w, want);
    for (size_t i = 0; i < t->jobs.n; i++) {
        for (int c = 0; c < GY_C_START; c++) {
            if (!want[c])
                continue;
            if (c > 0)
                gy_writer_text(w, ",");
            field(t, w, &t->jobs.at[i], c);
        }
        for (size_t k = 0; k < width; k++) {
            gy_writer_text(w, ",");
            text(t, w, t->extra.at[i * width + k]);
        }
        gy_writer_text(w, "\n");
    }
}
