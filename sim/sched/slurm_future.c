/* When a job can run: now, or after running jobs are taken away in groups by their expected ends. Only the coarse
 * search that the backfill pass uses; nothing is booked. */
#include "slurm_internal.h"

enum { WINDOW_S = 30, MAX_GROUP = 200, MAX_KEPT = 256 };

struct future {
    struct gy_slurm_scratch *w;
    const struct gy_slurm_config *c;
    const struct gy_slurm_state *s;
    const struct gy_slurm_job *j;
    const uint64_t *usable;
    uint32_t fit; /* nodes in w->fit */
};

static bool on_usable(const struct future *f, const struct gy_slurm_run *r)
{
    for (uint32_t k = 0; k < r->n; k++)
        if (set_has(f->usable, f->s->holds.at[r->first + k].node))
            return true;
    return false;
}

static void look_at(struct future *f, uint32_t i)
{
    struct gy_slurm_scratch *w = f->w;
    if (!set_has(f->usable, i))
        return;
    if (!set_has(w->fit, i) && slurm_node_fits(w->free, w->jobs, f->j, &f->j->amount, i)) {
        set_put(w->fit, i);
        f->fit++;
    }
    if (f->j->has_rest && slurm_node_fits(w->free, w->jobs, f->j, &f->j->rest, i))
        set_put(w->fit_rest, i);
}

static void take_away(struct future *f, const struct gy_slurm_run *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        const struct gy_slurm_hold *h = &f->s->holds.at[r->first + k];
        slurm_give(&f->w->free[h->node], &h->amount);
        f->w->jobs[h->node]--;
        look_at(f, h->node);
    }
}

/* A job past its limit goes when it has been killed. */
static int64_t end_of(const struct gy_slurm_config *c, const struct gy_slurm_run *last, int64_t now_s)
{
    if (last->end_s > now_s)
        return last->end_s;
    const int64_t killed = last->end_s + c->kill_wait_s;
    return killed > now_s ? killed : now_s + 1;
}

/* The next window barrier after t, in the controller's absolute time. */
static int64_t barrier_after(const struct future *f, int64_t t)
{
    return (t + f->c->phase_s) / WINDOW_S * WINDOW_S + WINDOW_S - f->c->phase_s;
}

/* Takes away the next group from *at on; the last of it, or NULL when none is left. The first end of all sets the
 * barrier; a group ends before the first job behind the window, which is looked at only after one that matters. */
static const struct gy_slurm_run *next_group(struct future *f, size_t *at, int64_t *barrier, int64_t window)
{
    const struct gy_slurm_run *runs = f->s->runs.at, *last = NULL;
    uint32_t taken = 0;
    while (*at < f->s->runs.n) {
        const struct gy_slurm_run *r = &runs[(*at)++];
        if (!on_usable(f, r))
            continue;
        if (*barrier == GY_SLURM_MAX_S)
            *barrier = barrier_after(f, r->end_s);
        last = r;
        take_away(f, r);
        if (++taken > MAX_GROUP || *at == f->s->runs.n || runs[*at].end_s > *barrier + window)
            break;
    }
    return last;
}

int64_t gy_slurm_will_run(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_state *s,
                          const struct gy_slurm_job *j, const uint64_t *usable, int64_t now_s, uint64_t *out,
                          uint32_t *rest_node)
{
    if (gy_slurm_pick(w, c, s->free, s->jobs, j, usable, now_s, out, rest_node))
        return now_s;
    memcpy(w->free, s->free, s->nodes * sizeof *w->free);
    memcpy(w->jobs, s->jobs, s->nodes * sizeof *w->jobs);
    struct future f = {.w = w, .c = c, .s = s, .j = j, .usable = usable, .fit = set_count(w->fit, w->words)};
    const struct gy_slurm_run *last;
    int64_t barrier = GY_SLURM_MAX_S, window = WINDOW_S;
    for (size_t at = 0; (last = next_group(&f, &at, &barrier, window));) {
        if (f.fit >= j->nodes && slurm_pick_fit(w, c, w->free, j, now_s, out, rest_node))
            return end_of(c, last, now_s);
        do
            window *= 2;
        while (at < s->runs.n && s->runs.at[at].end_s > barrier + window);
    }
    return GY_SLURM_MAX_S;
}

static bool same_amount(const struct gy_slurm_amount *a, const struct gy_slurm_amount *b)
{
    return a->gpus == b->gpus && a->cpu_milli == b->cpu_milli && a->mem_mib == b->mem_mib;
}

static bool same_ask(const struct slurm_kept *k, const struct gy_slurm_job *j)
{
    return k->nodes == j->nodes && k->has_rest == j->has_rest && k->exclusive == j->exclusive &&
           same_amount(&k->amount, &j->amount) && (!j->has_rest || same_amount(&k->rest, &j->rest));
}

int64_t slurm_will_run_kept(struct gy_slurm_pass *p, const struct gy_slurm_job *j, uint32_t *rest_node)
{
    struct gy_slurm_scratch *w = p->w;
    if (j->switches)
        return gy_slurm_will_run(w, p->c, p->s, j, w->usable, p->now, w->out, rest_node);
    for (size_t i = 0; i < w->kept.n; i++) {
        const struct slurm_kept *k = &w->kept.at[i];
        const uint64_t *sets = &w->kept_sets.at[2 * i * w->words];
        if (!same_ask(k, j) || memcmp(sets, w->usable, w->words * sizeof *sets) != 0)
            continue;
        set_copy(w->out, sets + w->words, w->words);
        *rest_node = k->rest_node;
        return k->start;
    }
    struct slurm_kept k = {
        .nodes = j->nodes, .has_rest = j->has_rest, .exclusive = j->exclusive, .amount = j->amount, .rest = j->rest};
    k.start = gy_slurm_will_run(w, p->c, p->s, j, w->usable, p->now, w->out, rest_node);
    k.rest_node = *rest_node;
    if (w->kept.n < MAX_KEPT && gy_vec_reserve(&w->kept_sets, 2 * (w->kept.n + 1) * w->words) &&
        gy_vec_push(&w->kept, k)) {
        uint64_t *sets = &w->kept_sets.at[2 * (w->kept.n - 1) * w->words];
        set_copy(sets, w->usable, w->words);
        set_copy(sets + w->words, w->out, w->words);
    }
    return k.start;
}
