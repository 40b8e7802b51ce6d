/* The queue of the policy "slurm": one sorted array; jobs that left stay in it until they are many. */
#include <stdlib.h>
#include "slurm_policy.h"

struct slurm_known *slurm_known_of(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    const struct slurm_known none = {.row = UINT32_MAX, .fair = UINT32_MAX, .user = UINT32_MAX, .dying = GY_NONE};
    while (s->known.n <= job.i)
        if (!gy_vec_push(&s->known, none))
            return NULL;
    struct slurm_known *k = &s->known.at[job.i];
    const uint32_t row = gy_view_job(v, job)->rec.row;
    if (k->row != row) {
        *k = none;
        k->row = row;
    }
    return k;
}

static int compare(const void *x, const void *y)
{
    const struct slurm_entry *a = x, *b = y;
    if (a->tier != b->tier)
        return a->tier > b->tier ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

bool slurm_queue_add(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    struct slurm_known *k = slurm_known_of(s, v, job);
    if (!k)
        return false;
    const struct gy_job *j = gy_view_job(v, job);
    k->pending = true;
    k->running = false;
    const struct slurm_entry e = {slurm_tier_of(s, v, j), slurm_priority_of(s, v, job), j->rec.row, job};
    return gy_vec_push(&s->fresh, e);
}

bool slurm_queue_live(const struct slurm *s, const struct gy_view *v, const struct slurm_entry *e)
{
    (void)v;
    const struct slurm_known *k = &s->known.at[e->job.i];
    return k->row == e->row && k->pending;
}

static void sweep(struct slurm *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->queue.n; i++)
        if (slurm_queue_live(s, NULL, &s->queue.at[i]))
            s->queue.at[kept++] = s->queue.at[i];
    s->queue.n = kept;
    s->gone = 0;
}

bool slurm_queue_ready(struct slurm *s)
{
    if (s->gone > 64 && s->gone > s->queue.n / 2)
        sweep(s);
    if (s->fresh.n == 0)
        return true;
    qsort(s->fresh.at, s->fresh.n, sizeof *s->fresh.at, compare);
    if (!gy_vec_reserve(&s->queue, s->queue.n + s->fresh.n))
        return false;
    size_t to = s->queue.n + s->fresh.n, from = s->queue.n, k = s->fresh.n;
    while (k > 0) { /* merged from the end */
        const bool older = from > 0 && compare(&s->queue.at[from - 1], &s->fresh.at[k - 1]) > 0;
        s->queue.at[--to] = older ? s->queue.at[--from] : s->fresh.at[--k];
    }
    s->queue.n += s->fresh.n;
    gy_vec_clear(&s->fresh);
    return true;
}

void slurm_queue_sort(struct slurm *s, const struct gy_view *v)
{
    sweep(s);
    for (size_t i = 0; i < s->queue.n; i++)
        s->queue.at[i].priority = slurm_priority_of(s, v, s->queue.at[i].job);
    qsort(s->queue.at, s->queue.n, sizeof *s->queue.at, compare);
}
