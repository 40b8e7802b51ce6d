/* The backfill pass: every job in order starts now, or is promised whole nodes from the earliest time the coarse search
 * finds. A job that starts is seen by later ones as running; only plans go into the map of promises. */
#include "slurm_internal.h"

struct pass {
    struct gy_slurm_scratch *w;
    const struct gy_slurm_config *c;
    struct gy_slurm_state *s;
    const struct gy_slurm_job *jobs;
    int64_t now;
    struct gy_slurm_sink sink;
    uint32_t started;
};

enum verdict { DONE, STARTED, NO_MEMORY };

static int64_t round_down(const struct pass *p, int64_t t)
{
    const int64_t r = p->c->bf_resolution_s > 0 ? p->c->bf_resolution_s : 1;
    return (t + p->c->phase_s) / r * r - p->c->phase_s;
}

static bool tell(const struct pass *p, enum gy_slurm_word word, uint32_t at, int64_t start, int64_t end, uint32_t rest)
{
    const struct gy_slurm_answer a = {
        .word = word, .at = at, .start_s = start, .end_s = end, .nodes = p->w->out, .rest_node = rest};
    return p->sink.tell(p->sink.ctx, &a);
}

/* Nodes the job may use over [from, from + limit]; *later is the next change of the map. */
static uint32_t usable_nodes(const struct pass *p, const struct gy_slurm_job *j, int64_t from, int64_t *later)
{
    uint64_t *mine = p->w->mine;
    set_copy(mine, p->s->up, p->w->words);
    if (j->allowed)
        for (uint32_t k = 0; k < p->w->words; k++)
            mine[k] &= j->allowed[k];
    *later = slurm_map_over(&p->w->map, from, from + j->limit_s, mine, p->w->usable);
    return set_count(p->w->usable, p->w->words);
}

static bool same_as_before(const struct pass *p)
{
    return memcmp(p->w->before, p->w->usable, p->w->words * sizeof *p->w->usable) == 0;
}

struct search {
    uint32_t at;
    int64_t from, later;
    bool overlapped; /* the last look found a plan that overlapped a promise */
};

/* Too few nodes from this time on: whether to look again later. Given up, as recorded, when the nodes are the very ones
 * that were too few right after an overlap, over the whole of the job's time. */
static bool look_again(struct pass *p, struct search *s)
{
    if (s->later <= s->from || (set_count(p->w->usable, p->w->words) > 0 && same_as_before(p)))
        return false;
    slurm_map_over(&p->w->map, s->from, s->from, p->w->mine, p->w->before);
    if (!s->overlapped || !same_as_before(p))
        set_clear(p->w->before, p->w->words);
    s->overlapped = false;
    return true;
}

/* Promises the nodes from start on; false when that overlaps an earlier promise. */
static bool promise(struct pass *p, const struct search *s, int64_t start, uint32_t rest, bool *no_memory)
{
    const int64_t end = start + p->jobs[s->at].limit_s;
    const int64_t from = round_down(p, start), to = round_down(p, end);
    if (slurm_map_overlaps(&p->w->map, from, to, p->w->out)) {
        tell(p, GY_SLURM_OVERLAP, s->at, from, to, rest);
        return false;
    }
    tell(p, GY_SLURM_PLAN, s->at, start, to, rest);
    *no_memory = !slurm_map_promise(&p->w->map, from, to, p->w->out);
    return true;
}

static enum verdict start_now(struct pass *p, uint32_t at, uint32_t rest)
{
    const struct gy_slurm_job *j = &p->jobs[at];
    const int64_t end = p->now + j->limit_s;
    if (!tell(p, GY_SLURM_START, at, p->now, end, rest))
        return DONE;
    return slurm_book(p->s, j, p->w->out, rest, end) ? STARTED : NO_MEMORY;
}

static enum verdict one_job(struct pass *p, uint32_t at)
{
    const struct gy_slurm_job *j = &p->jobs[at];
    struct search s = {.at = at, .from = p->now};
    set_clear(p->w->before, p->w->words);
    for (;; s.from = s.later) {
        uint32_t rest;
        if (usable_nodes(p, j, s.from, &s.later) < j->nodes + j->has_rest) {
            if (look_again(p, &s))
                continue;
            break;
        }
        int64_t start = gy_slurm_will_run(p->w, p->c, p->s, j, p->w->usable, p->now, p->w->out, &rest);
        start = start < s.from ? s.from : start;
        if (start <= p->now)
            return start_now(p, at, rest);
        if (s.later > s.from && start > s.later) /* an earlier time may do */
            continue;
        if (start > p->now + p->c->bf_window_s)
            break;
        bool no_memory = false;
        if (promise(p, &s, start, rest, &no_memory))
            return no_memory ? NO_MEMORY : DONE;
        s.overlapped = true;
        if (start > s.from)
            s.later = start;
        if (s.later <= s.from)
            break;
    }
    tell(p, GY_SLURM_NEVER, at, 0, 0, UINT32_MAX);
    return DONE;
}

static bool user_has_turn(struct pass *p, uint32_t user)
{
    if (!p->c->bf_max_job_user)
        return true;
    while (p->w->tested.n <= user)
        if (!gy_vec_push(&p->w->tested, 0u))
            return false;
    return p->w->tested.at[user]++ < p->c->bf_max_job_user;
}

uint32_t gy_slurm_backfill(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, struct gy_slurm_state *s,
                           const struct gy_slurm_job *jobs, uint32_t n, int64_t now_s, struct gy_slurm_sink sink)
{
    struct pass p = {.w = w, .c = c, .s = s, .jobs = jobs, .now = now_s, .sink = sink};
    gy_vec_clear(&w->tested);
    if (!slurm_map_reset(&w->map, w->words, now_s, now_s + c->bf_window_s, s->up))
        return UINT32_MAX;
    uint32_t looked_at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (c->bf_max_job_test && looked_at == c->bf_max_job_test)
            break;
        if (!user_has_turn(&p, jobs[i].user))
            continue;
        looked_at++;
        const enum verdict v = one_job(&p, i);
        if (v == NO_MEMORY)
            return UINT32_MAX;
        if (v == STARTED && ++p.started == c->bf_max_job_start)
            break;
    }
    return looked_at;
}
