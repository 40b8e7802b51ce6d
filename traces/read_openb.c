/* Alibaba openb pods (cluster-trace-gpu-v2023): name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,
 * creation_time,deletion_time,scheduled_time, in seconds from the trace's zero. The run time is deletion - scheduled.
 * A pod that was never scheduled (Pending) is cancelled at its deletion if it still waits then; should it start before,
 * it runs for deletion - creation, the only length that is known of it.
 * Lists with the first five columns only (multigpu*) have no times: row i arrives at second i and never ends. */
#include <string.h>
#include "reader.h"

enum { NAME, CPU, MEM, GPUS, MILLI, SPEC, QOS, PHASE, CREATION, DELETION, SCHEDULED, COLUMNS };

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    static const char *const names[] = {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"};

    (void)file_name;
    return gy_sniff_columns(bytes, n, ',', names, GY_COUNT(names)) ? 100 : 0;
}

static int open_table(struct gy_reader *r, struct gy_error *err)
{
    static const char *const names[COLUMNS] = {"name",           "cpu_milli",      "memory_mib",     "num_gpu",
                                               "gpu_milli",      "?gpu_spec",      "?qos",           "?pod_phase",
                                               "?creation_time", "?deletion_time", "?scheduled_time"};

    r->has_ids = true;
    if (gy_row_table_open(r, names, COLUMNS, err) < 0)
        return -1;
    int *column = r->state;
    if (column[CREATION] >= 0 && column[DELETION] < 0)
        return gy_row_columns(r, &(const char *){"deletion_time"}, 1, &column[DELETION], err);
    return 0;
}

static bool resources(struct gy_reader *r, const int *column, struct gy_job_rec *rec)
{
    uint32_t milli;
    struct gy_field f = gy_row_field(r, column[MILLI]);

    if (!gy_row_scaled(r, "cpu_milli", gy_row_field(r, column[CPU]), 1, &rec->cpu_milli) ||
        !gy_row_scaled(r, "memory_mib", gy_row_field(r, column[MEM]), 1, &rec->mem_mib) ||
        !gy_row_count(r, "num_gpu", gy_row_field(r, column[GPUS]), GY_TRACE_GPUS_MAX, &rec->gpus) ||
        !gy_row_count(r, "gpu_milli", f, GY_MILLI, &milli))
        return false;
    if (rec->gpus == 0)
        return true;
    if (milli == 0) {
        gy_row_skip(r, "gpu_milli", "0 of each of its GPUs", f);
        return false;
    }
    rec->gpu_milli = milli;
    rec->nodes = 1; /* a pod lives on one node */
    return true;
}

/* Alternatives joined by '|', each once. */
static gy_str gpu_spec(struct gy_reader *r, struct gy_field f)
{
    char text[512];
    size_t n = 0;

    if (memchr(f.at, '|', f.len) == NULL || f.len >= sizeof text)
        return gy_row_text(r, f);
    for (const char *at = f.at, *end = f.at + f.len; at < end;) {
        const char *bar = memchr(at, '|', (size_t)(end - at));
        size_t len = (size_t)((bar != NULL ? bar : end) - at);
        bool seen = len == 0;
        for (const char *had = text; !seen && had < text + n; had += strcspn(had, "|") + 1)
            seen = strcspn(had, "|") == len && memcmp(had, at, len) == 0;
        if (!seen) {
            memcpy(text + n, at, len);
            n += len;
            text[n++] = '|';
        }
        text[n] = '\0';
        at += len + 1;
    }
    return gy_row_text(r, (struct gy_field){text, n > 0 ? n - 1 : 0});
}

static bool times(struct gy_reader *r, const int *column, struct gy_job_rec *rec)
{
    struct gy_field scheduled = gy_row_field(r, column[SCHEDULED]), phase = gy_row_field(r, column[PHASE]);
    gy_time start, deletion;

    if (column[CREATION] < 0) {
        rec->submit = (gy_time)r->t->rows_read * GY_SECOND;
        rec->duration = GY_NEVER;
        gy_row_note(r, NULL, "no times in this list: pods arrive one a second and never end", GY_NO_FIELD);
        return true;
    }
    if (!gy_row_time(r, "creation_time", gy_row_field(r, column[CREATION]), GY_SECOND, &rec->submit) ||
        !gy_row_time(r, "deletion_time", gy_row_field(r, column[DELETION]), GY_SECOND, &deletion))
        return false;
    start = rec->submit;
    if (scheduled.len > 0 && !gy_row_time(r, "scheduled_time", scheduled, GY_SECOND, &start))
        return false;
    if (!gy_row_span(r, "deletion_time", start, deletion, &rec->duration))
        return false;
    if (scheduled.len == 0) {
        rec->cancel = deletion;
        rec->end_state = GY_CANCELLED;
        gy_row_note(r, "scheduled_time", "never scheduled: cancelled at deletion_time if still pending then",
                    GY_NO_FIELD);
    } else if (strcmp(phase.at, "Failed") == 0) {
        rec->end_state = GY_FAILED;
    }
    return true;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    const int *column = r->state;
    int got = gy_row_csv(r, gy_csv_columns(r->csv), err);

    if (got != 1)
        return got;
    if (!gy_row_id(r, "name", gy_row_field(r, column[NAME]), rec) || !resources(r, column, rec) ||
        !times(r, column, rec))
        return GY_ROW_SKIPPED;
    rec->gpu_type = gpu_spec(r, gy_row_field(r, column[SPEC]));
    rec->qos = gy_row_text(r, gy_row_field(r, column[QOS]));
    return 1;
}

const struct gy_reader_type gy_read_openb = {
    .name = "openb",
    .summary = "Alibaba openb pod list (cluster-trace-gpu-v2023), with or without times",
    .sniff = sniff,
    .open = open_table,
    .next = next,
    .close = gy_row_table_close,
};
