/* From a row of a mapped CSV to a record. Not the map itself: read_gpuyard.c takes the names as they are, read_csv.c
 * takes them from a scenario. */
#include <string.h>
#include "mapped.h"

const char *const gy_column_name[GY_C_COUNT] = {
#define X(id, name, kind) [GY_C_##id] = name,
    GY_COLUMNS(X)
#undef X
};
const uint8_t gy_column_kind[GY_C_COUNT] = {
#define X(id, name, kind) [GY_C_##id] = GY_K_##kind,
    GY_COLUMNS(X)
#undef X
};

#define MIB ((uint64_t)1 << 20)

void gy_mapped_init(struct gy_mapped *m, enum gy_clock clock)
{
    for (int c = 0; c < GY_C_COUNT; c++) {
        struct gy_map_column *of = &m->of[c];
        *of = (struct gy_map_column){.at = -1, .scale = GY_SECOND, .clock = (uint8_t)clock};
        if (gy_column_kind[c] == GY_K_GPUS || gy_column_kind[c] == GY_K_CPUS)
            of->scale = 1000;
        if (gy_column_kind[c] == GY_K_MEMORY)
            of->scale = 1 << 30;
    }
}

static struct gy_field field(const struct gy_reader *r, const struct gy_mapped *m, int c)
{
    const struct gy_map_column *of = &m->of[c];

    return of->constant != NULL ? gy_field_of(of->constant) : gy_row_field(r, of->at);
}

/* Not given: empty in gpuyard's format; in exports also the words for nothing. */
static bool given(struct gy_field f)
{
    return !gy_field_none(f);
}

static bool looks_like_date(struct gy_field f)
{
    return f.len >= 10 && (f.at[4] == '-' || f.at[4] == '/');
}

/* Dates and seconds from the trace's start cannot stand in one table: they have no common zero. */
static bool one_kind(struct gy_reader *r, struct gy_mapped *m, int c, struct gy_field f, bool calendar)
{
    const uint8_t kind = calendar ? 2 : 1;

    if (m->clock_seen == 0)
        m->clock_seen = kind;
    if (m->clock_seen == kind)
        return true;
    gy_row_skip(r, gy_column_name[c], "a date among seconds, or seconds among dates", f);
    return false;
}

static bool clock_field(struct gy_reader *r, struct gy_mapped *m, int c, gy_time *out)
{
    const struct gy_map_column *of = &m->of[c];
    struct gy_field f = field(r, m, c);

    if (of->clock == GY_CLOCK_DATETIME || (of->clock == GY_CLOCK_AUTO && looks_like_date(f)))
        return one_kind(r, m, c, f, true) && gy_row_calendar(r, gy_column_name[c], f, out);
    if (!gy_row_time(r, gy_column_name[c], f, of->scale, out))
        return false;
    bool epoch = of->clock == GY_CLOCK_EPOCH || (of->clock == GY_CLOCK_AUTO && *out >= GY_UNIX_TIME_MIN);
    if (!one_kind(r, m, c, f, epoch))
        return false;
    if (epoch) {
        r->calendar = true;
        if (!r->any_calendar)
            r->any_calendar = r->zoned = true;
    } else if (*out >= GY_UNIX_TIME_MIN) {
        gy_row_note(r, gy_column_name[c], "looks like Unix time; kept as seconds from the trace's start", f);
    }
    return true;
}

static bool optional_clock(struct gy_reader *r, struct gy_mapped *m, int c, gy_time *out)
{
    return !given(field(r, m, c)) || clock_field(r, m, c, out);
}

static bool optional_time(struct gy_reader *r, const struct gy_mapped *m, int c, gy_time *out)
{
    struct gy_field f = field(r, m, c);

    return !given(f) || gy_row_time(r, gy_column_name[c], f, m->of[c].scale, out);
}

static bool optional_count(struct gy_reader *r, const struct gy_mapped *m, int c, uint32_t *out)
{
    struct gy_field f = field(r, m, c);

    return !given(f) || gy_row_count(r, gy_column_name[c], f, GY_TRACE_GPUS_MAX, out);
}

static bool times(struct gy_reader *r, struct gy_mapped *m, struct gy_job_rec *rec)
{
    gy_time start = GY_NONE, end = GY_NONE;

    if (!clock_field(r, m, GY_C_SUBMIT, &rec->submit) || !optional_clock(r, m, GY_C_CANCEL, &rec->cancel) ||
        !optional_clock(r, m, GY_C_START, &start) || !optional_clock(r, m, GY_C_END, &end) ||
        !optional_time(r, m, GY_C_LIMIT, &rec->limit) || !optional_time(r, m, GY_C_CHECKPOINT, &rec->checkpoint) ||
        !optional_time(r, m, GY_C_IDLE_TAIL, &rec->idle_tail))
        return false;
    struct gy_field duration = field(r, m, GY_C_DURATION);
    if (!given(duration) && start != GY_NONE && end != GY_NONE)
        return gy_row_span(r, "end_s", start, end, &rec->duration);
    if (!given(duration) && start == GY_NONE && end != GY_NONE && end >= rec->submit) { /* never ran */
        rec->duration = 0;
        rec->cancel = end;
        rec->end_state = GY_CANCELLED;
        gy_row_note(r, "start_s", "never started: cancelled at its end time if still pending then", GY_NO_FIELD);
        return true;
    }
    if (duration.len == 3 && strcmp(duration.at, "inf") == 0) {
        rec->duration = GY_NEVER; /* runs until the simulation stops */
        return true;
    }
    return gy_row_time(r, gy_column_name[GY_C_DURATION], duration, m->of[GY_C_DURATION].scale, &rec->duration);
}

static bool gpus(struct gy_reader *r, const struct gy_mapped *m, struct gy_job_rec *rec)
{
    struct gy_field f = field(r, m, GY_C_GPUS), share = field(r, m, GY_C_FRACTION);
    uint64_t milli, fraction;

    if (!gy_row_scaled(r, "gpus", f, m->of[GY_C_GPUS].scale, &milli))
        return false;
    if (milli > (uint64_t)GY_TRACE_GPUS_MAX * GY_MILLI) {
        gy_row_skip(r, "gpus", "too large", f);
        return false;
    }
    if (milli % GY_MILLI != 0 && milli > GY_MILLI) {
        gy_row_skip(r, "gpus", "not a whole number", f);
        return false;
    }
    rec->gpus = (uint32_t)((milli + GY_MILLI - 1) / GY_MILLI);
    if (milli % GY_MILLI != 0)
        rec->gpu_milli = (uint32_t)milli;
    if (!given(share))
        return true;
    if (!gy_row_scaled(r, "gpu_fraction", share, m->of[GY_C_FRACTION].scale, &fraction))
        return false;
    if (fraction < 1 || fraction > GY_MILLI) {
        gy_row_skip(r, "gpu_fraction", "outside 0.001 to 1", share);
        return false;
    }
    if (rec->gpu_milli == GY_MILLI)
        rec->gpu_milli = (uint32_t)fraction;
    return true;
}

static bool resources(struct gy_reader *r, const struct gy_mapped *m, struct gy_job_rec *rec)
{
    struct gy_field cpus = field(r, m, GY_C_CPUS), mem = field(r, m, GY_C_MEM), priority = field(r, m, GY_C_PRIORITY);
    uint64_t bytes = 0;

    if (!gpus(r, m, rec) || !optional_count(r, m, GY_C_NODES, &rec->nodes) ||
        !optional_count(r, m, GY_C_PER_NODE, &rec->gpus_per_node) ||
        !optional_count(r, m, GY_C_MIN_GPUS, &rec->min_gpus) || !optional_count(r, m, GY_C_MAX_GPUS, &rec->max_gpus) ||
        !optional_count(r, m, GY_C_ARRAY_LIMIT, &rec->array_limit))
        return false;
    if (given(cpus) && !gy_row_scaled(r, "cpus", cpus, m->of[GY_C_CPUS].scale, &rec->cpu_milli))
        return false;
    if (given(mem) && !gy_row_scaled(r, "mem_gib", mem, m->of[GY_C_MEM].scale, &bytes))
        return false;
    rec->mem_mib = (bytes + MIB - 1) / MIB;
    return !given(priority) || gy_row_integer(r, "priority", priority, &rec->priority);
}

static void texts(struct gy_reader *r, const struct gy_mapped *m, struct gy_job_rec *rec)
{
    const struct {
        int column;
        gy_str *to;
    } list[] = {
        {GY_C_GPU_TYPE, &rec->gpu_type},   {GY_C_MIG, &rec->mig_profile},
        {GY_C_USER, &rec->user},           {GY_C_TEAM, &rec->team},
        {GY_C_PARTITION, &rec->partition}, {GY_C_QOS, &rec->qos},
        {GY_C_WORKLOAD, &rec->workload},   {GY_C_ARRAY, &rec->array},
        {GY_C_GANG, &rec->gang},           {GY_C_CONSTRAINT, &rec->constraint},
    };

    for (size_t i = 0; i < GY_COUNT(list); i++)
        if (m->of[list[i].column].at >= 0 || m->of[list[i].column].constant != NULL)
            *list[i].to = gy_row_text(r, field(r, m, list[i].column));
}

static bool state(struct gy_reader *r, const struct gy_mapped *m, struct gy_job_rec *rec)
{
    struct gy_field f = field(r, m, GY_C_STATE);
    const struct gy_json *word = m->of[GY_C_STATE].words == NULL ? NULL : gy_json_get(m->of[GY_C_STATE].words, f.at);

    if (word != NULL && gy_json_string(word) != NULL)
        f = gy_field_of(gy_json_string(word));
    return gy_row_state(r, "state", f, rec);
}

int gy_mapped_next(struct gy_reader *r, struct gy_mapped *m, struct gy_job_rec *rec, struct gy_error *err)
{
    int got = gy_row_csv(r, m->columns, err);

    if (got != 1)
        return got;
    if (!r->has_ids)
        rec->number = r->t->rows_read + 1;
    else if (!gy_row_id(r, "job_id", field(r, m, GY_C_JOB_ID), rec))
        return GY_ROW_SKIPPED;
    if (!times(r, m, rec) || !resources(r, m, rec) || !state(r, m, rec))
        return GY_ROW_SKIPPED;
    texts(r, m, rec);
    struct gy_field depends = field(r, m, GY_C_DEPENDS);
    r->depends = depends.at;
    r->depends_len = given(depends) ? depends.len : 0;
    return 1;
}
