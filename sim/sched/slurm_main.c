/* The main pass: jobs in order start if they fit now. The first of a partition that does not blocks its nodes for every
 * later job; under sched/builtin it ends the pass. */
#include "slurm_internal.h"

uint32_t gy_slurm_main(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, struct gy_slurm_state *s,
                       const struct gy_slurm_job *jobs, uint32_t n, int64_t now_s, bool strict,
                       struct gy_slurm_sink sink)
{
    uint64_t *open = w->map.sets.n >= w->words ? w->map.sets.at : NULL;
    if (!open) {
        if (!gy_vec_reserve(&w->map.sets, w->words))
            return UINT32_MAX;
        w->map.sets.n = w->words;
        open = w->map.sets.at;
    }
    set_copy(open, s->up, w->words);
    uint32_t i = 0;
    for (; i < n; i++) {
        const struct gy_slurm_job *j = &jobs[i];
        uint32_t left = 0, rest = UINT32_MAX;
        bool cut = false; /* some node of the job's was taken out */
        for (uint32_t k = 0; k < w->words; k++) {
            const uint64_t mine = j->allowed ? s->up[k] & j->allowed[k] : s->up[k];
            w->usable[k] = open[k] & mine;
            cut = cut || w->usable[k] != mine;
            left += (uint32_t)__builtin_popcountll(w->usable[k]);
        }
        struct gy_slurm_answer a = {.at = i, .start_s = now_s, .end_s = now_s + j->limit_s, .nodes = w->out};
        if (left >= j->nodes + j->has_rest &&
            gy_slurm_pick(w, c, s, s->free, s->jobs, j, w->usable, now_s, w->out, &rest)) {
            a.word = GY_SLURM_START;
            a.rest_node = rest;
            if (sink.tell(sink.ctx, &a) && !slurm_book(s, j, w->out, rest, a.end_s))
                return UINT32_MAX;
            continue;
        }
        a.word = cut ? GY_SLURM_BEHIND : GY_SLURM_BLOCKED;
        sink.tell(sink.ctx, &a);
        if (strict)
            return i + 1;
        for (uint32_t k = 0; k < w->words; k++)
            open[k] &= j->allowed ? ~j->allowed[k] : 0;
    }
    return i;
}
