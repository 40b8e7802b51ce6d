/* The main pass: jobs in order start if they fit now. The first of a partition that does not blocks its nodes for every
 * later job; under sched/builtin it ends the pass. */
#include "slurm_internal.h"

void gy_slurm_main_begin(struct gy_slurm_pass *p)
{
    set_copy(p->w->open, p->s->up, p->w->words);
    p->tested = p->started = 0;
}

/* Nodes for the job that no job before it blocks; *cut: some of its nodes are blocked. */
static uint32_t open_nodes(struct gy_slurm_pass *p, const struct gy_slurm_job *j, bool *cut)
{
    struct gy_slurm_scratch *w = p->w;
    uint32_t n = 0;
    for (uint32_t k = 0; k < w->words; k++) {
        const uint64_t mine = j->allowed ? p->s->up[k] & j->allowed[k] : p->s->up[k];
        w->usable[k] = w->open[k] & mine;
        *cut = *cut || w->usable[k] != mine;
        n += (uint32_t)__builtin_popcountll(w->usable[k]);
    }
    return n;
}

/* Takes the job's nodes away from later jobs; whether any are left. */
static bool block(struct gy_slurm_pass *p, const struct gy_slurm_job *j)
{
    uint64_t left = 0;
    for (uint32_t k = 0; k < p->w->words; k++)
        left |= p->w->open[k] &= j->allowed ? ~j->allowed[k] : 0;
    return left != 0;
}

enum gy_slurm_step gy_slurm_main_job(struct gy_slurm_pass *p, const struct gy_slurm_job *j)
{
    struct gy_slurm_answer a = {.job = j, .start_s = p->now, .end_s = p->now + j->limit_s, .nodes = p->w->out};
    bool cut = false;
    p->tested++;
    if (open_nodes(p, j, &cut) >= j->nodes + j->has_rest &&
        gy_slurm_pick(p->w, p->c, p->s->free, p->s->jobs, j, p->w->usable, p->now, p->w->out, &a.rest_node)) {
        a.word = GY_SLURM_START;
        if (!p->sink.tell(p->sink.ctx, &a))
            return GY_SLURM_NEXT;
        p->started++;
        return slurm_book(p->s, j, p->w->out, a.rest_node, a.end_s) ? GY_SLURM_NEXT : GY_SLURM_NO_MEMORY;
    }
    a.word = cut ? GY_SLURM_BEHIND : GY_SLURM_BLOCKED;
    p->sink.tell(p->sink.ctx, &a);
    return !p->strict && block(p, j) ? GY_SLURM_NEXT : GY_SLURM_LAST;
}
