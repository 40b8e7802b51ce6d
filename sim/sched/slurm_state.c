/* The cluster as a Slurm pass sees it, and the scratch buffers of passes. */
#include <stdlib.h>
#include "slurm_internal.h"

bool gy_slurm_state_init(struct gy_slurm_state *s, uint32_t nodes)
{
    *s = (struct gy_slurm_state){.nodes = nodes, .words = (nodes + 63) / 64};
    s->cap = calloc(nodes + 1u, sizeof *s->cap);
    s->free = calloc(nodes + 1u, sizeof *s->free);
    s->jobs = calloc(nodes + 1u, sizeof *s->jobs);
    s->up = calloc(s->words + 1u, sizeof *s->up);
    if (!s->cap || !s->free || !s->jobs || !s->up)
        return false;
    for (uint32_t i = 0; i < nodes; i++)
        set_put(s->up, i);
    return true;
}

void gy_slurm_state_free(struct gy_slurm_state *s)
{
    free(s->cap);
    free(s->free);
    free(s->jobs);
    free(s->up);
    gy_vec_free(&s->runs);
    gy_vec_free(&s->holds);
}

void gy_slurm_state_reset(struct gy_slurm_state *s)
{
    memcpy(s->free, s->cap, s->nodes * sizeof *s->free);
    memset(s->jobs, 0, s->nodes * sizeof *s->jobs);
    gy_vec_clear(&s->runs);
    gy_vec_clear(&s->holds);
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? a : a > b ? a - b : 0;
}

void slurm_take(struct gy_slurm_amount *free, const struct gy_slurm_amount *a)
{
    free->gpus = free->gpus > a->gpus ? free->gpus - a->gpus : 0;
    free->cpu_milli = less(free->cpu_milli, a->cpu_milli);
    free->mem_mib = less(free->mem_mib, a->mem_mib);
}

void slurm_give(struct gy_slurm_amount *free, const struct gy_slurm_amount *a)
{
    free->gpus += a->gpus;
    if (free->cpu_milli != UINT64_MAX)
        free->cpu_milli += a->cpu_milli;
    if (free->mem_mib != UINT64_MAX)
        free->mem_mib += a->mem_mib;
}

bool gy_slurm_state_add(struct gy_slurm_state *s, uint32_t id, int64_t end_s, const struct gy_slurm_hold *holds,
                        uint32_t n)
{
    struct gy_slurm_run run = {.id = id, .end_s = end_s, .first = (uint32_t)s->holds.n, .n = n};
    if (!gy_vec_push(&s->runs, run) || !gy_vec_reserve(&s->holds, s->holds.n + n))
        return false;
    size_t i = s->runs.n - 1;
    for (; i > 0; i--) {
        const struct gy_slurm_run *r = &s->runs.at[i - 1];
        if (r->end_s < end_s || (r->end_s == end_s && r->id < id))
            break;
        s->runs.at[i] = *r;
    }
    s->runs.at[i] = run;
    for (uint32_t k = 0; k < n; k++) {
        s->holds.at[s->holds.n++] = holds[k];
        slurm_take(&s->free[holds[k].node], &holds[k].amount);
        s->jobs[holds[k].node]++;
    }
    return true;
}

bool slurm_book(struct gy_slurm_state *s, const struct gy_slurm_job *j, const uint64_t *nodes, uint32_t rest_node,
                int64_t end_s)
{
    GY_VEC(struct gy_slurm_hold) holds = {0};
    bool ok = true;
    for (uint32_t i = set_next(nodes, s->words, 0); ok && i != UINT32_MAX; i = set_next(nodes, s->words, i + 1)) {
        struct gy_slurm_hold h = {.node = i, .amount = i == rest_node ? j->rest : j->amount};
        if (j->exclusive)
            h.amount = s->cap[i];
        ok = gy_vec_push(&holds, h);
    }
    ok = ok && gy_slurm_state_add(s, j->id, end_s, holds.at, (uint32_t)holds.n);
    gy_vec_free(&holds);
    return ok;
}

struct gy_slurm_scratch *gy_slurm_scratch_new(uint32_t nodes)
{
    struct gy_slurm_scratch *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->nodes = nodes;
    w->words = (nodes + 63) / 64;
    uint64_t **sets[] = {&w->fit, &w->fit_rest, &w->left, &w->out, &w->usable, &w->up, &w->before, &w->mine, &w->open};
    bool ok = true;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        ok = (*sets[i] = calloc(w->words + 1u, sizeof **sets[i])) && ok;
    w->free = calloc(nodes + 1u, sizeof *w->free);
    w->jobs = calloc(nodes + 1u, sizeof *w->jobs);
    if (ok && w->free && w->jobs)
        return w;
    gy_slurm_scratch_free(w);
    return NULL;
}

void gy_slurm_scratch_free(struct gy_slurm_scratch *w)
{
    if (!w)
        return;
    uint64_t *sets[] = {w->fit, w->fit_rest, w->left, w->out, w->usable, w->up, w->before, w->mine, w->open};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        free(sets[i]);
    free(w->free);
    free(w->jobs);
    gy_vec_free(&w->tested);
    gy_vec_free(&w->kept);
    gy_vec_free(&w->kept_sets);
    slurm_map_free(&w->map);
    free(w);
}
