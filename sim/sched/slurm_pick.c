/* Node choice: the smallest sufficient run of consecutive node indices, lowest index inside it; with a topology the
 * smallest sufficient leaf; with CR_LLN the nodes with the most free CPUs. Free GPUs only decide whether a node can
 * hold the job, never which is better. */
#include "slurm_internal.h"

/* Moves the lowest n of nodes in [from, to] from left to out; returns how many there were. */
static uint32_t move_lowest(struct gy_slurm_scratch *w, uint32_t from, uint32_t to, uint32_t n, uint64_t *out)
{
    uint32_t moved = 0;
    for (uint32_t i = set_next(w->left, w->words, from); i <= to && moved < n; i = set_next(w->left, w->words, i + 1)) {
        if (i == UINT32_MAX)
            break;
        set_drop(w->left, i);
        set_put(out, i);
        moved++;
    }
    return moved;
}

/* Better: sufficient before not; the smaller of sufficient ones, the larger of others; the first of equals. */
static bool better(uint32_t size, uint32_t best, uint32_t need)
{
    if (best == 0)
        return size > 0;
    if ((size >= need) != (best >= need))
        return size >= need;
    return size >= need ? size < best : size > best;
}

static bool pick_runs(struct gy_slurm_scratch *w, uint32_t need, uint64_t *out)
{
    while (need > 0) {
        uint32_t best = 0, best_from = 0, best_to = 0;
        for (uint32_t i = set_next(w->left, w->words, 0); i != UINT32_MAX;) {
            uint32_t to = i;
            while (to + 1 < w->nodes && set_has(w->left, to + 1))
                to++;
            if (better(to - i + 1, best, need)) {
                best = to - i + 1;
                best_from = i;
                best_to = to;
            }
            i = set_next(w->left, w->words, to + 1);
        }
        if (best == 0)
            return false;
        need -= move_lowest(w, best_from, best_to, need, out);
    }
    return true;
}

static uint32_t switch_count(const struct gy_slurm_scratch *w, const struct gy_slurm_switch *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += set_has(w->left, s->nodes[i]);
    return n;
}

static uint32_t move_switch(struct gy_slurm_scratch *w, const struct gy_slurm_switch *s, uint32_t n, uint64_t *out)
{
    uint32_t moved = 0;
    for (uint32_t i = 0; i < s->n && moved < n; i++)
        if (set_has(w->left, s->nodes[i])) {
            set_drop(w->left, s->nodes[i]);
            set_put(out, s->nodes[i]);
            moved++;
        }
    return moved;
}

/* The lowest switch that holds enough, the tightest of its level; then its leaves by the same rule as runs. */
static bool pick_topo(struct gy_slurm_scratch *w, const struct gy_slurm_topo *t, uint32_t need, uint32_t max_leaves,
                      uint64_t *out)
{
    const struct gy_slurm_switch *top = NULL;
    uint32_t top_count = 0;
    for (size_t k = 0; k < t->switches.n; k++) {
        const struct gy_slurm_switch *s = &t->switches.at[k];
        if (top && s->level > top->level)
            break;
        const uint32_t n = switch_count(w, s);
        if (n >= need && (!top || n < top_count)) {
            top = s;
            top_count = n;
        }
    }
    if (!top)
        return false;
    set_clear(w->up, w->words);
    for (uint32_t i = 0; i < top->n; i++)
        set_put(w->up, top->nodes[i]);
    for (uint32_t k = 0; k < w->words; k++)
        w->left[k] &= w->up[k];
    for (uint32_t leaves = 0; need > 0; leaves++) {
        const struct gy_slurm_switch *best = NULL;
        uint32_t best_count = 0;
        for (size_t k = 0; k < t->switches.n && t->switches.at[k].level == 0; k++) {
            const uint32_t n = switch_count(w, &t->switches.at[k]);
            if (better(n, best_count, need)) {
                best = &t->switches.at[k];
                best_count = n;
            }
        }
        if (!best || (max_leaves && leaves == max_leaves))
            return false;
        need -= move_switch(w, best, need, out);
    }
    return true;
}

static bool pick_lln(struct gy_slurm_scratch *w, const struct gy_slurm_amount *free, uint32_t need, uint64_t *out)
{
    for (; need > 0; need--) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = set_next(w->left, w->words, 0); i != UINT32_MAX; i = set_next(w->left, w->words, i + 1))
            if (best == UINT32_MAX || free[i].cpu_milli > free[best].cpu_milli)
                best = i;
        if (best == UINT32_MAX)
            return false;
        set_drop(w->left, best);
        set_put(out, best);
    }
    return true;
}

static bool pick_full(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_amount *free,
                      const struct gy_slurm_job *j, int64_t now_s, uint32_t need, uint64_t *out)
{
    if (c->lln)
        return pick_lln(w, free, need, out);
    if (!c->topo)
        return pick_runs(w, need, out);
    const bool waits = j->switches > 0 && now_s - j->submit_s < j->switch_wait_s;
    return pick_topo(w, c->topo, need, waits ? j->switches : 0, out);
}

bool slurm_pick_fit(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_amount *free,
                    const struct gy_slurm_job *j, int64_t now_s, uint64_t *out, uint32_t *rest_node)
{
    *rest_node = UINT32_MAX;
    set_clear(out, w->words);
    set_copy(w->left, w->fit, w->words);
    if (!pick_full(w, c, free, j, now_s, j->nodes, out))
        return false;
    if (!j->has_rest)
        return true;
    for (uint32_t k = 0; k < w->words; k++)
        w->left[k] = w->fit_rest[k] & ~out[k];
    uint32_t near = set_next(out, w->words, 0);
    near =
        near == UINT32_MAX ? near : set_next(w->left, w->words, near); /* behind its other nodes where there is one */
    *rest_node = near != UINT32_MAX ? near : set_next(w->left, w->words, 0);
    if (*rest_node == UINT32_MAX)
        return false;
    set_put(out, *rest_node);
    return true;
}

bool gy_slurm_pick(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_amount *free,
                   const uint32_t *jobs, const struct gy_slurm_job *j, const uint64_t *usable, int64_t now_s,
                   uint64_t *out, uint32_t *rest_node)
{
    uint32_t n = 0;
    set_clear(w->fit, w->words);
    set_clear(w->fit_rest, w->words);
    for (uint32_t i = set_next(usable, w->words, 0); i != UINT32_MAX; i = set_next(usable, w->words, i + 1)) {
        if (slurm_node_fits(free, jobs, j, &j->amount, i)) {
            set_put(w->fit, i);
            n++;
        }
        if (j->has_rest && slurm_node_fits(free, jobs, j, &j->rest, i))
            set_put(w->fit_rest, i);
    }
    return n >= j->nodes && slurm_pick_fit(w, c, free, j, now_s, out, rest_node);
}
