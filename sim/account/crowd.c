/* Cohorts and records. Not the choice of groups (groups.c) and not the files. */
#include "crowd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int counted_as(enum gy_job_state s)
{
    switch (s) {
    case GY_COMPLETED:
        return GY_N_COMPLETED;
    case GY_CANCELLED:
        return GY_N_CANCELLED;
    case GY_TIMEOUT:
        return GY_N_TIMEOUT;
    case GY_PENDING:
    case GY_SUSPENDED:
        return GY_N_PENDING;
    case GY_RUNNING:
        return GY_N_RUNNING;
    default: /* failed, node_fail, rejected */
        return GY_N_FAILED;
    }
}

/* The GPU type it ran on (that of its first node), else the one it asked for. */
static gy_str type_of(const struct gy_crowd *c, const struct gy_leave *leave)
{
    const struct gy_holding h = gy_life_holding(leave->life);

    if (h.n && leave->job->rec.gpus && h.at[0].node.i < c->cluster->nodes.n)
        return c->cluster->nodes.at[h.at[0].node.i].gpu_type;
    return leave->job->rec.gpu_type;
}

static uint64_t hash(const struct gy_cohort *c)
{
    uint64_t h = gy_hash_mix((uint64_t)c->team << 32 | c->user);
    h = gy_hash_mix(h ^ ((uint64_t)c->partition << 32 | c->gpu_type));
    return gy_hash_mix(h ^ (uint64_t)c->milli);
}

static bool same(const struct gy_cohort *a, const struct gy_cohort *b)
{
    return a->team == b->team && a->user == b->user && a->partition == b->partition && a->gpu_type == b->gpu_type &&
           a->milli == b->milli;
}

/* The cohort's index, UINT32_MAX when there is none yet; *h and *first: its hash and the first cohort of that. */
static uint32_t find_cohort(const struct gy_crowd *c, const struct gy_cohort *like, uint64_t *h, uint32_t *first)
{
    uint64_t at = UINT32_MAX;

    *h = hash(like);
    gy_map_get(&c->by_hash, *h, &at);
    *first = (uint32_t)at;
    for (uint32_t i = *first; i != UINT32_MAX; i = c->cohorts.at[i].next)
        if (same(&c->cohorts.at[i], like))
            return i;
    return UINT32_MAX;
}

/* The cohort's index, made if new; UINT32_MAX when out of memory. */
static uint32_t cohort_of(struct gy_crowd *c, struct gy_cohort like)
{
    uint32_t first, i;
    uint64_t h, known;

    uint32_t *recent = &c->recent[hash(&like) >> 52];
    if (*recent && same(&c->cohorts.at[*recent - 1], &like))
        return *recent - 1;
    if ((i = find_cohort(c, &like, &h, &first)) != UINT32_MAX) {
        *recent = i + 1;
        return i;
    }
    if (!gy_map_get(&c->users, like.user, &known)) {
        if (c->users.n < GY_USERS_MAX) {
            if (!gy_map_put(&c->users, like.user, 1))
                return UINT32_MAX;
        } else {
            like.user = GY_STR_FAIL;
            if ((i = find_cohort(c, &like, &h, &first)) != UINT32_MAX)
                return i;
        }
    }
    like.next = first;
    i = (uint32_t)c->cohorts.n;
    return gy_vec_push(&c->cohorts, like) && gy_map_put(&c->by_hash, h, i) ? i : UINT32_MAX;
}

static int add_record(struct gy_crowd *c, const struct gy_leave *leave, uint32_t cohort, struct gy_error *err)
{
    const struct gy_life *life = leave->life;
    struct gy_record r = {.wait = leave->wait, .run = -1, .cohort = cohort};

    if (leave->end != GY_NONE) {
        struct gy_record_extra x = {.before = leave->job->eligible - leave->job->rec.submit,
                                    .gap = leave->end - life->first_start - life->run,
                                    .kept = 1};
        r.run = life->run;
        if (life->lost > 0 && life->gpu_time > 0)
            x.kept = life->lost < life->gpu_time ? (double)(life->gpu_time - life->lost) / (double)life->gpu_time : 0;
        if (x.before != 0 || x.gap != 0 || x.kept < 1) {
            if (!gy_vec_push(&c->extras, x))
                return gy_nomem(err);
            r.extra = (uint32_t)c->extras.n;
        }
    }
    return gy_vec_push(&c->records, r) ? 0 : gy_nomem(err);
}

int gy_crowd_add(struct gy_crowd *c, const struct gy_leave *leave, struct gy_error *err)
{
    const struct gy_job_rec *r = &leave->job->rec;
    struct gy_cohort like = {.team = r->team, .milli = gy_job_gpu_milli(r)};

    if (c->groups) {
        like.user = r->user;
        like.partition = r->partition;
        like.gpu_type = type_of(c, leave);
    }
    const uint32_t i = cohort_of(c, like);
    if (i == UINT32_MAX)
        return gy_nomem(err);
    struct gy_cohort *cohort = &c->cohorts.at[i];
    cohort->jobs[GY_N_SUBMITTED]++;
    cohort->jobs[counted_as(leave->state)]++;
    cohort->allocated += leave->life->gpu_time;
    cohort->idle += leave->life->idle;
    cohort->lost += leave->life->lost;
    return leave->wait == GY_NONE ? 0 : add_record(c, leave, i, err);
}

void gy_crowd_free(struct gy_crowd *c)
{
    gy_map_free(&c->by_hash);
    gy_map_free(&c->users);
    gy_vec_free(&c->cohorts);
    gy_vec_free(&c->records);
    gy_vec_free(&c->extras);
}

static int by_id(const void *a, const void *b)
{
    const gy_str x = *(const gy_str *)a, y = *(const gy_str *)b;
    return (x > y) - (x < y);
}

uint32_t gy_crowd_teams(const struct gy_crowd *c)
{
    uint32_t n = 0, distinct = 0;
    gy_str *team = malloc((c->cohorts.n + 1) * sizeof *team);

    if (!team)
        return UINT32_MAX;
    for (size_t i = 0; i < c->cohorts.n; i++)
        if (c->cohorts.at[i].milli > 0)
            team[n++] = c->cohorts.at[i].team;
    qsort(team, n, sizeof *team, by_id);
    for (uint32_t i = 0; i < n; i++)
        distinct += i == 0 || team[i] != team[i - 1];
    free(team);
    return distinct;
}

/* The record's value of the quantity; NaN where it has none. Times in seconds. */
static double value_of(const struct gy_crowd *c, const struct gy_record *r, enum gy_quantity q, double part_of_gpu)
{
    static const struct gy_record_extra plain = {0, 0, 1};
    const struct gy_record_extra *x = r->extra ? &c->extras.at[r->extra - 1] : &plain;

    if (q == GY_Q_WAIT)
        return gy_time_to_s(r->wait);
    if (r->run < 0)
        return NAN;
    const gy_time there = r->wait + r->run + x->gap; /* end − eligible */
    const double run = (double)r->run;
    switch (q) {
    case GY_Q_JCT:
        return gy_time_to_s(there + x->before);
    case GY_Q_SLOWDOWN:
        return r->run > 0 ? (double)there / run : NAN;
    case GY_Q_BOUNDED:
        return fmax(1, (double)there / (double)(r->run > 10 * GY_SECOND ? r->run : 10 * GY_SECOND));
    case GY_Q_ETTR:
        return r->run + x->gap > 0 ? run * x->kept / (double)(r->run + x->gap) : NAN;
    case GY_Q_FTF: {
        const double needed =
            (double)c->cohorts.at[r->cohort].milli * part_of_gpu; /* of its team's part of the cluster */
        return r->run > 0 && needed > 0 ? (double)(there + x->before) / (run * fmax(1, needed)) : NAN;
    }
    default:
        return NAN;
    }
}

/* Fills the items and counts them by cohort; returns how many. */
static size_t fill(const struct gy_crowd *c, enum gy_quantity q, double part_of_gpu, struct gy_rank_item *items,
                   uint32_t *counts)
{
    size_t n = 0;

    memset(counts, 0, c->cohorts.n * sizeof *counts);
    for (size_t i = 0; i < c->records.n; i++) {
        const struct gy_record *r = &c->records.at[i];
        const double v = value_of(c, r, q, part_of_gpu);
        if (isnan(v))
            continue;
        items[n++] = gy_rank_item_of(v, r->cohort);
        counts[r->cohort]++;
    }
    return n;
}

static void rank_division(const struct gy_rank_item *items, size_t n, const struct gy_crowd *c, const uint32_t *counts,
                          const struct gy_division *d)
{
    for (uint32_t g = 0; g < d->n_groups; g++)
        d->rankers[g] = (struct gy_ranker){0};
    for (size_t i = 0; i < c->cohorts.n; i++)
        d->rankers[d->group_of ? d->group_of[i] : 0].n += counts[i];
    for (uint32_t g = 0; g < d->n_groups; g++)
        gy_ranker_start(&d->rankers[g], d->rankers[g].n);
    if (!d->group_of)
        for (size_t i = 0; i < n; i++)
            gy_ranker_add(&d->rankers[0], gy_rank_item_value(&items[i]));
    else
        for (size_t i = 0; i < n; i++)
            gy_ranker_add(&d->rankers[d->group_of[items[i].of]], gy_rank_item_value(&items[i]));
}

void gy_crowd_rank(const struct gy_crowd *c, enum gy_quantity q, double mean_gpus, uint32_t teams,
                   struct gy_rank_item *items, uint32_t *counts, const struct gy_division *divisions, size_t n)
{
    const double part_of_gpu = mean_gpus > 0 ? (double)teams / (GY_MILLI * mean_gpus) : 0;
    const size_t n_items = fill(c, q, part_of_gpu, items, counts);

    gy_rank_sort(items, n_items);
    for (size_t d = 0; d < n; d++)
        rank_division(items, n_items, c, counts, &divisions[d]);
}
