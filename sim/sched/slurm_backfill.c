/* The backfill pass: every job in order starts now, or is promised whole nodes from the earliest time the coarse search
 * finds. A job that starts is seen by later ones as running; only plans go into the map of promises. */
#include "slurm_internal.h"

static int64_t round_down(const struct gy_slurm_pass *p, int64_t t)
{
    const int64_t r = p->c->bf_resolution_s > 0 ? p->c->bf_resolution_s : 1;
    return (t + p->c->phase_s) / r * r - p->c->phase_s;
}

static bool tell(const struct gy_slurm_pass *p, enum gy_slurm_word word, const struct gy_slurm_job *j, int64_t start,
                 int64_t end, uint32_t rest)
{
    const struct gy_slurm_answer a = {
        .word = word, .job = j, .start_s = start, .end_s = end, .nodes = p->w->out, .rest_node = rest};
    return p->sink.tell(p->sink.ctx, &a);
}

/* Nodes the job may use over [from, from + limit]; *later is the next change of the map. */
static uint32_t usable_nodes(const struct gy_slurm_pass *p, const struct gy_slurm_job *j, int64_t from, int64_t *later)
{
    uint64_t *mine = p->w->mine;
    set_copy(mine, p->s->up, p->w->words);
    if (j->allowed)
        for (uint32_t k = 0; k < p->w->words; k++)
            mine[k] &= j->allowed[k];
    *later = slurm_map_over(&p->w->map, from, from + j->limit_s, mine, p->w->usable);
    return set_count(p->w->usable, p->w->words);
}

static bool same_as_before(const struct gy_slurm_pass *p)
{
    return memcmp(p->w->before, p->w->usable, p->w->words * sizeof *p->w->usable) == 0;
}

struct search {
    const struct gy_slurm_job *job;
    int64_t from, later;
    bool overlapped; /* the last look found a plan that overlapped a promise */
};

/* Too few nodes from this time on: whether to look again later. Given up, as recorded, when the nodes are the very ones
 * that were too few right after an overlap, over the whole of the job's time. */
static bool look_again(struct gy_slurm_pass *p, struct search *s)
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
static bool promise(struct gy_slurm_pass *p, const struct search *s, int64_t start, uint32_t rest, bool *no_memory)
{
    const int64_t end = start + s->job->limit_s;
    const int64_t from = round_down(p, start), to = round_down(p, end);
    if (slurm_map_overlaps(&p->w->map, from, to, p->w->out)) {
        tell(p, GY_SLURM_OVERLAP, s->job, from, to, rest);
        return false;
    }
    tell(p, GY_SLURM_PLAN, s->job, start, to, rest);
    *no_memory = !slurm_map_promise(&p->w->map, from, to, p->w->out);
    return true;
}

static enum gy_slurm_step start_now(struct gy_slurm_pass *p, const struct gy_slurm_job *j, uint32_t rest)
{
    const int64_t end = p->now + j->limit_s;
    if (!tell(p, GY_SLURM_START, j, p->now, end, rest))
        return GY_SLURM_NEXT;
    gy_vec_clear(&p->w->kept); /* what was found before no longer holds */
    if (!slurm_book(p->s, j, p->w->out, rest, end))
        return GY_SLURM_NO_MEMORY;
    return ++p->started == p->c->bf_max_job_start ? GY_SLURM_LAST : GY_SLURM_NEXT;
}

static enum gy_slurm_step one_job(struct gy_slurm_pass *p, const struct gy_slurm_job *j)
{
    struct search s = {.job = j, .from = p->now};
    set_clear(p->w->before, p->w->words);
    for (;; s.from = s.later) {
        uint32_t rest;
        if (usable_nodes(p, j, s.from, &s.later) < j->nodes + j->has_rest) {
            if (look_again(p, &s))
                continue;
            break;
        }
        int64_t start = slurm_will_run_kept(p, j, &rest);
        start = start < s.from ? s.from : start;
        if (start <= p->now)
            return start_now(p, j, rest);
        if (s.later > s.from && start > s.later) /* an earlier time may do */
            continue;
        if (start > p->now + p->c->bf_window_s)
            break;
        bool no_memory = false;
        if (promise(p, &s, start, rest, &no_memory))
            return no_memory ? GY_SLURM_NO_MEMORY : GY_SLURM_NEXT;
        s.overlapped = true;
        if (start > s.from)
            s.later = start;
        if (s.later <= s.from)
            break;
    }
    tell(p, GY_SLURM_NEVER, j, 0, 0, UINT32_MAX);
    return GY_SLURM_NEXT;
}

/* 1: its user has a turn left; 0: not; -1: no memory. */
static int user_has_turn(struct gy_slurm_pass *p, uint32_t user)
{
    if (!p->c->bf_max_job_user)
        return 1;
    while (p->w->tested.n <= user)
        if (!gy_vec_push(&p->w->tested, 0u))
            return -1;
    return p->w->tested.at[user]++ < p->c->bf_max_job_user;
}

bool gy_slurm_backfill_begin(struct gy_slurm_pass *p)
{
    p->tested = p->started = 0;
    gy_vec_clear(&p->w->tested);
    gy_vec_clear(&p->w->kept);
    return slurm_map_reset(&p->w->map, p->w->words, p->now, p->now + p->c->bf_window_s, p->s->up);
}

enum gy_slurm_step gy_slurm_backfill_job(struct gy_slurm_pass *p, const struct gy_slurm_job *j)
{
    if (p->c->bf_max_job_test && p->tested == p->c->bf_max_job_test)
        return GY_SLURM_LAST;
    const int turn = user_has_turn(p, j->user);
    if (turn <= 0)
        return turn < 0 ? GY_SLURM_NO_MEMORY : GY_SLURM_NEXT;
    p->tested++;
    return one_job(p, j);
}
