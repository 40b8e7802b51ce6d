/* What the loader does once all rows are read: calendar times become relative to the earliest submit, the window is
 * applied, dependencies become rows (deps.c), and the table is compacted and sorted. */
#include <stdlib.h>
#include <string.h>
#include "loading.h"

static void shift(gy_time *t, gy_time zero)
{
    if (*t != GY_NONE && *t != GY_NEVER)
        *t -= zero;
}

/* Calendar times become relative to the earliest submit. */
static void rebase(struct gy_loading *l)
{
    struct gy_trace *t = l->r.t;
    gy_time zero = GY_NEVER;

    for (size_t i = 0; i < t->jobs.n; i++)
        if (!l->dropped.at[i] && t->jobs.at[i].submit < zero)
            zero = t->jobs.at[i].submit;
    if (!l->r.calendar || zero == GY_NEVER)
        return;
    for (size_t i = 0; i < t->jobs.n; i++) {
        shift(&t->jobs.at[i].submit, zero);
        shift(&t->jobs.at[i].cancel, zero);
    }
    struct gy_datetime d = {zero + l->r.offset_s * GY_SECOND, l->r.zoned, l->r.offset_s};
    gy_datetime_print(&d, t->origin);
}

static int window(struct gy_loading *l, struct gy_error *err)
{
    const struct gy_trace_options *o = l->r.o;
    const struct gy_trace *t = l->r.t;

    for (uint32_t i = 0; i < t->jobs.n; i++) {
        const struct gy_job_rec *j = &t->jobs.at[i];
        const char *why = NULL;
        if (l->dropped.at[i])
            continue;
        if (o->from != GY_NONE && j->submit < o->from)
            why = "before \"from\"";
        else if (o->to != GY_NONE && j->submit >= o->to)
            why = "at or after \"to\"";
        else if (o->gpu_jobs_only && j->gpus == 0)
            why = "asks for no GPU (GPU jobs only)";
        if (why != NULL && gy_load_drop(l, i, NULL, why, false, err) < 0)
            return -1;
    }
    return 0;
}

struct place {
    gy_time submit;
    uint32_t row;
};

static int by_submit(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Puts the n rows at `at` in their order, the extra columns with them. */
static int permute(struct gy_trace *t, const struct place *at, size_t n, struct gy_error *err)
{
    size_t width = t->extra_names.n;
    struct gy_job_rec *jobs = malloc((n + 1) * sizeof *jobs);
    gy_str *extra = malloc((n * width + 1) * sizeof *extra);

    if (jobs == NULL || extra == NULL) {
        free(jobs);
        free(extra);
        return gy_nomem(err);
    }
    for (size_t i = 0; i < n; i++) {
        jobs[i] = t->jobs.at[at[i].row];
        for (size_t k = 0; k < width; k++)
            extra[i * width + k] = t->extra.at[at[i].row * width + k];
    }
    free(t->jobs.at);
    free(t->extra.at);
    t->jobs.at = jobs;
    t->extra.at = extra;
    t->jobs.cap = n + 1;
    t->extra.n = n * width;
    t->extra.cap = n * width + 1;
    return 0;
}

/* Compacts and sorts the table; order[old row] becomes the new row, UINT32_MAX when dropped. */
static int arrange(struct gy_loading *l, uint32_t *order, struct gy_error *err)
{
    struct gy_trace *t = l->r.t;
    struct place *at = malloc((t->jobs.n + 1) * sizeof *at);
    size_t n = 0;

    if (at == NULL)
        return gy_nomem(err);
    for (uint32_t i = 0; i < t->jobs.n; i++) {
        order[i] = UINT32_MAX;
        if (l->dropped.at[i])
            continue;
        at[n] = (struct place){t->jobs.at[i].submit, i};
        t->was_unsorted |= n > 0 && at[n].submit < at[n - 1].submit;
        n++;
    }
    if (t->was_unsorted)
        qsort(at, n, sizeof *at, by_submit);
    if ((t->was_unsorted || n < t->jobs.n) && permute(t, at, n, err) < 0) {
        free(at);
        return -1;
    }
    t->jobs.n = n;
    for (uint32_t i = 0; i < n; i++) {
        order[at[i].row] = i;
        t->jobs.at[i].row = i;
    }
    free(at);
    return 0;
}

/* Edges to the trace's table: a wait for a row that is not kept counts as for one that is not in the trace. */
static int place_deps(struct gy_loading *l, const uint32_t *order, struct gy_error *err)
{
    struct gy_trace *t = l->r.t;

    for (size_t i = 0; i < l->edges.n; i++) {
        const struct gy_dep_edge *e = &l->edges.at[i];
        if (order[e->row] == UINT32_MAX)
            continue;
        struct gy_job_rec *j = &t->jobs.at[order[e->row]];
        uint32_t to = e->to == UINT32_MAX ? UINT32_MAX : order[e->to];
        if (e->to != UINT32_MAX && to == UINT32_MAX)
            gy_skip_count(&l->r, &t->notes, "depends_on", "a job that was not kept; taken as ended well",
                          l->line.at[e->row], GY_NO_FIELD);
        if (j->dep_n == 0)
            j->dep_first = (uint32_t)t->deps.n;
        j->dep_n++;
        if (to != UINT32_MAX)
            t->jobs.at[to].depended_on = true;
        if (!gy_vec_push(&t->deps, ((struct gy_dep){to, e->kind})))
            return gy_nomem(err);
    }
    return 0;
}

static int nothing_kept(const struct gy_loading *l, struct gy_error *err)
{
    const struct gy_trace *t = l->r.t;

    if (t->rows_read == 0) {
        gy_fail(err, GY_EINPUT, gy_input_name(l->r.in), "no job in it: read as format \"%s\", it has no rows",
                t->format);
        return gy_hint(err, "a trace needs at least one job below its header");
    }
    const struct gy_trace_skip *most = &t->skips.at[0];
    for (size_t i = 1; i < t->skips.n; i++)
        if (t->skips.at[i].count > most->count)
            most = &t->skips.at[i];
    gy_fail(err, GY_EINPUT, gy_input_name(l->r.in),
            "none of its %llu rows can be used (read as format \"%s\"); most often: %s (%s)",
            (unsigned long long)t->rows_read, t->format, most->why, most->first);
    return gy_hint(err, "is it the right format? --format names another");
}

int gy_load_settle(struct gy_loading *l, struct gy_error *err)
{
    rebase(l);
    if (window(l, err) < 0 || gy_load_deps(l, err) < 0)
        return -1;
    uint32_t *order = malloc((l->r.t->jobs.n + 1) * sizeof *order);
    if (order == NULL)
        return gy_nomem(err);
    int done = arrange(l, order, err);
    if (done == 0)
        done = place_deps(l, order, err);
    free(order);
    if (done < 0)
        return -1;
    l->r.t->rows_kept = l->r.t->jobs.n;
    if (l->r.nomem)
        return gy_nomem(err);
    return l->r.t->rows_kept == 0 ? nothing_kept(l, err) : 0;
}
