/* Philly's cluster_job_log: a JSON array of jobs with status, vc, jobid, user, submitted_time and attempts, each
 * attempt with start_time, end_time and detail[{ip, gpus[]}]. Times are naive Pacific ones; null and "None" are no
 * time.
 *
 * The run time replayed is the sum over the attempts, so without the gaps between them, in which the job held nothing;
 * the GPUs are those of the last attempt that names any. A job still running at the end of the log (its last attempt
 * has a start and no end) has no run time, and a job without attempts no number of GPUs: both are skipped, with the
 * reason. The file is streamed; only the records are held, since the JSON layer hands items over by call. */
#include <stdlib.h>
#include <string.h>
#include "reader.h"

struct log {
    GY_VEC(struct gy_job_rec) jobs;
    GY_VEC(uint64_t) line;
    size_t next;
};

static int sniff(const char *bytes, size_t n, const char *file_name)
{
    size_t i = 0;

    (void)file_name;
    while (i < n && (bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\r' || bytes[i] == '\n'))
        i++;
    if (i == n || bytes[i] != '[')
        return 0;
    return memmem(bytes, n, "\"attempts\"", 10) != NULL ? 100 : 20;
}

static struct gy_field text_at(const struct gy_json *v, const char *key)
{
    const char *text = gy_json_string(gy_json_get(v, key));

    return gy_field_of(text != NULL ? text : "");
}

static uint32_t attempt_gpus(const struct gy_json *attempt)
{
    size_t gpus = 0;

    for (const struct gy_json *d = gy_json_first(gy_json_get(attempt, "detail")); d != NULL; d = gy_json_next(d))
        gpus += gy_json_count(gy_json_get(d, "gpus"));
    return gpus < UINT32_MAX ? (uint32_t)gpus : UINT32_MAX;
}

/* Adds the attempt's run time. false: the row was skipped. */
static bool attempt(struct gy_reader *r, const struct gy_json *a, struct gy_job_rec *rec)
{
    struct gy_field from = text_at(a, "start_time"), to = text_at(a, "end_time");
    gy_time start, end, span;
    uint32_t gpus = attempt_gpus(a);

    if (gpus > 0)
        rec->gpus = gpus;
    if (gy_field_none(from)) {
        gy_row_note(r, "start_time", "an attempt that never started: counts nothing", GY_NO_FIELD);
        return true;
    }
    if (gy_field_none(to)) {
        bool last = gy_json_next(a) == NULL;
        if (last)
            gy_row_skip(r, "end_time", "still running at the end of the log", GY_NO_FIELD);
        else
            gy_row_note(r, "end_time", "an attempt without its end: counts nothing", GY_NO_FIELD);
        return !last;
    }
    if (!gy_row_calendar(r, "start_time", from, &start) || !gy_row_calendar(r, "end_time", to, &end) ||
        !gy_row_span(r, "end_time", start, end, &span))
        return false;
    rec->duration = gy_time_add(rec->duration, span);
    return true;
}

static int row(struct gy_reader *r, const struct gy_json *item, struct gy_job_rec *rec)
{
    const struct gy_json *attempts = gy_json_get(item, "attempts");

    if (gy_json_type(item) != GY_J_OBJECT)
        return gy_row_skip(r, NULL, "a job that is not an object", GY_NO_FIELD);
    if (!gy_row_id(r, "jobid", text_at(item, "jobid"), rec) ||
        !gy_row_calendar(r, "submitted_time", text_at(item, "submitted_time"), &rec->submit))
        return GY_ROW_SKIPPED;
    if (attempts == NULL || gy_json_first(attempts) == NULL)
        return gy_row_skip(r, "attempts", "none: it never ran, and its number of GPUs is not known", GY_NO_FIELD);
    rec->duration = 0;
    for (const struct gy_json *a = gy_json_first(attempts); a != NULL; a = gy_json_next(a))
        if (!attempt(r, a, rec))
            return GY_ROW_SKIPPED;
    if (rec->gpus == 0)
        return gy_row_skip(r, "attempts", "no attempt names its GPUs", GY_NO_FIELD);
    gy_row_state(r, "status", text_at(item, "status"), rec);
    rec->team = gy_row_text(r, text_at(item, "vc"));
    rec->user = gy_row_text(r, text_at(item, "user"));
    return 1;
}

static int on_item(void *self, const struct gy_json *item, size_t line)
{
    struct gy_reader *r = self;
    struct log *l = r->state;
    struct gy_job_rec rec;

    gy_row_init(&rec);
    r->line = line;
    int got = row(r, item, &rec);
    if (got == 1 && (!gy_vec_push(&l->jobs, rec) || !gy_vec_push(&l->line, line)))
        r->nomem = true;
    return r->nomem || r->strict_hit;
}

static int open_log(struct gy_reader *r, struct gy_error *err)
{
    r->has_ids = true;
    r->state = calloc(1, sizeof(struct log));
    if (r->state == NULL)
        return gy_nomem(err);
    return gy_json_stream(r->in, NULL, on_item, r, err) < 0 && !r->nomem && !r->strict_hit ? -1 : 0;
}

static int next(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err)
{
    struct log *l = r->state;

    (void)err;
    if (l->next == l->jobs.n)
        return 0;
    r->line = l->line.at[l->next];
    *rec = l->jobs.at[l->next++];
    return 1;
}

static void close_log(struct gy_reader *r)
{
    struct log *l = r->state;

    if (l != NULL) {
        gy_vec_free(&l->jobs);
        gy_vec_free(&l->line);
    }
    free(l);
}

const struct gy_reader_type gy_read_philly_json = {
    .name = "philly-json",
    .summary = "Philly's original cluster_job_log (JSON)",
    .sniff = sniff,
    .open = open_log,
    .next = next,
    .close = close_log,
};
