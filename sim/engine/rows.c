/* The table of live jobs, the pending list, and memory for shares. No life cycle here. */
#include "engine_internal.h"
#include <string.h>

gy_job_id row_new(struct sim *s)
{
    uint32_t row;
    if (s->free_rows.n > 0) {
        row = s->free_rows.at[--s->free_rows.n];
    } else {
        if (s->jobs.n >= UINT32_MAX - 1 || !gy_vec_reserve(&s->jobs, s->jobs.n + 1) ||
            !gy_vec_reserve(&s->free_rows, s->jobs.cap))
            return GY_JOB_NONE;
        row = (uint32_t)s->jobs.n++;
        s->jobs.at[row].generation = 1;
        s->view.jobs = s->jobs.at;
        s->view.job_rows = (uint32_t)s->jobs.n;
    }
    struct gy_job *j = &s->jobs.at[row];
    const uint32_t generation = j->generation + 1;
    memset(j, 0, sizeof *j);
    j->generation = generation;
    j->prev = j->next = ROW_NONE;
    j->end_handle = GY_HEAP_NONE;
    j->first_start = GY_NONE;
    return (gy_job_id){row};
}

void row_free(struct sim *s, gy_job_id id)
{
    sim_job(s, id)->generation++;
    s->free_rows.at[s->free_rows.n++] = id.i; /* reserved with the rows */
}

void pending_add(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    j->prev = s->pending_last;
    j->next = ROW_NONE;
    j->in_queue = true;
    if (s->pending_last != ROW_NONE)
        s->jobs.at[s->pending_last].next = id.i;
    else
        s->view.pending_first = id.i;
    s->pending_last = id.i;
    s->view.pending++;
}

void pending_remove(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    if (j->prev != ROW_NONE)
        s->jobs.at[j->prev].next = j->next;
    else
        s->view.pending_first = j->next;
    if (j->next != ROW_NONE)
        s->jobs.at[j->next].prev = j->prev;
    else
        s->pending_last = j->prev;
    j->prev = j->next = ROW_NONE;
    j->in_queue = false;
    s->view.pending--;
}

static unsigned size_class(size_t n)
{
    return n <= 1 ? 0 : 64u - (unsigned)__builtin_clzll((unsigned long long)n - 1);
}

struct gy_share *shares_new(struct sim *s, size_t n)
{
    const unsigned k = size_class(n);
    struct share_block *b = s->share_pool[k];
    if (b) {
        s->share_pool[k] = b->next;
        return (struct gy_share *)b;
    }
    return gy_arena_alloc(&s->share_arena, sizeof(struct gy_share) << k);
}

void shares_free(struct sim *s, struct gy_share *shares, size_t n)
{
    if (!shares)
        return;
    struct share_block *b = (struct share_block *)shares;
    const unsigned k = size_class(n);
    b->next = s->share_pool[k];
    s->share_pool[k] = b;
}
