/* Summaries by team, user, partition, GPU type and job size: which cohorts make which group, and the groups' numbers.
 */
#include "family.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES 14
static const char *const size_names[SIZES] = {"0",     "<1",    "1",      "2",       "3-4",     "5-8",      "9-16",
                                              "17-32", "33-64", "65-128", "129-256", "257-512", "513-1024", "1025+"};

struct division {
    uint32_t *group_of; /* by cohort */
    struct gy_ranker *rankers;
    struct gy_group *groups;
    uint32_t n_groups; /* with others */
    struct gy_grouping out;
};
struct gy_groups {
    struct division by[GY_BY_COUNT];
};

static uint32_t size_class(int64_t milli)
{
    if (milli == 0)
        return 0;
    if (milli < GY_MILLI)
        return 1;
    uint32_t c = 2;
    for (int64_t most = GY_MILLI; most < milli && c < SIZES - 1; most *= 2)
        c++;
    return c;
}

/* What a cohort is grouped by, as a number. */
static uint32_t key_of(const struct gy_cohort *c, enum gy_group_by by)
{
    const uint32_t key[GY_BY_COUNT] = {c->team, c->user, c->partition, c->gpu_type, size_class(c->milli)};
    return key[by];
}

struct candidate {
    uint32_t key;
    const char *name;
    gy_gpu_time allocated;
};

static int by_key(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static int by_use(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->allocated != y->allocated ? (x->allocated < y->allocated ? 1 : -1) : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct candidate *)a)->name, ((const struct candidate *)b)->name);
}

/* Distinct keys with their names and GPU-time; the count of those that are kept apart in *kept, of all in *n, the kept
 * ones first and in order of output. Users that the crowd no longer told apart are never kept. */
static struct candidate *candidates(const struct gy_crowd *c, const struct gy_strings *strings, enum gy_group_by by,
                                    uint32_t *kept, uint32_t *n)
{
    struct candidate *all = malloc((c->cohorts.n + 1) * sizeof *all);
    uint32_t unnamed = 0;

    *n = 0;
    if (!all)
        return NULL;
    for (size_t i = 0; i < c->cohorts.n; i++)
        all[i] = (struct candidate){key_of(&c->cohorts.at[i], by), NULL, c->cohorts.at[i].allocated};
    qsort(all, c->cohorts.n, sizeof *all, by_key);
    for (size_t i = 0; i < c->cohorts.n; i++) {
        if (*n && all[*n - 1].key == all[i].key)
            all[*n - 1].allocated += all[i].allocated;
        else
            all[(*n)++] = all[i];
    }
    if (by == GY_BY_SIZE) { /* already in order */
        for (uint32_t i = 0; i < *n; i++)
            all[i].name = size_names[all[i].key];
        *kept = *n;
        return all;
    }
    if (*n && all[*n - 1].key == GY_STR_FAIL)
        unnamed = 1;
    for (uint32_t i = 0; i < *n - unnamed; i++)
        all[i].name = gy_strings_text(strings, all[i].key);
    *kept = *n - unnamed;
    if (*kept > GY_GROUPS_MAX) {
        qsort(all, *kept, sizeof *all, by_use);
        *kept = GY_GROUPS_MAX;
    }
    qsort(all, *kept, sizeof *all, by_name);
    return all;
}

static int divide(struct division *d, const struct gy_crowd *c, const struct gy_strings *strings, enum gy_group_by by)
{
    uint32_t n, kept, most = 0;
    struct candidate *all = candidates(c, strings, by, &kept, &n);

    if (!all)
        return -1;
    d->n_groups = kept + (n > kept);
    d->out.n = kept;
    d->out.n_others = n - kept;
    d->groups = calloc(d->n_groups + 1, sizeof *d->groups);
    d->rankers = calloc(d->n_groups + 1, sizeof *d->rankers);
    d->group_of = malloc((c->cohorts.n + 1) * sizeof *d->group_of);
    for (uint32_t i = 0; i < kept; i++)
        most = all[i].key > most ? all[i].key : most;
    uint32_t *group_of_key = malloc(((size_t)most + 1) * sizeof *group_of_key);
    if (!d->groups || !d->rankers || !d->group_of || !group_of_key) {
        free(all);
        free(group_of_key);
        return -1;
    }
    memset(group_of_key, 0xff, ((size_t)most + 1) * sizeof *group_of_key);
    for (uint32_t i = 0; i < kept; i++) {
        group_of_key[all[i].key] = i;
        d->groups[i].name = all[i].name;
    }
    for (size_t i = 0; i < c->cohorts.n; i++) {
        const uint32_t key = key_of(&c->cohorts.at[i], by);
        d->group_of[i] = key <= most && group_of_key[key] != UINT32_MAX ? group_of_key[key] : kept;
    }
    if (n > kept) {
        d->groups[kept].name = "(others)";
        d->out.others = &d->groups[kept];
    }
    d->out.at = d->groups;
    free(all);
    free(group_of_key);
    return 0;
}

struct gy_groups *gy_groups_new(const struct gy_crowd *c, const struct gy_strings *strings, struct gy_error *err)
{
    struct gy_groups *g = calloc(1, sizeof *g);

    for (int by = 0; g && by < GY_BY_COUNT; by++)
        if (divide(&g->by[by], c, strings, (enum gy_group_by)by)) {
            gy_groups_free(g);
            g = NULL;
        }
    if (!g)
        gy_nomem(err);
    return g;
}

void gy_groups_free(struct gy_groups *g)
{
    for (int by = 0; g && by < GY_BY_COUNT; by++) {
        free(g->by[by].groups);
        free(g->by[by].rankers);
        free(g->by[by].group_of);
    }
    free(g);
}

size_t gy_groups_divisions(struct gy_groups *g, struct gy_division *out)
{
    for (int by = 0; by < GY_BY_COUNT; by++)
        out[by] = (struct gy_division){g->by[by].group_of, g->by[by].n_groups, g->by[by].rankers};
    return GY_BY_COUNT;
}

void gy_groups_take(struct gy_groups *g, enum gy_quantity q)
{
    for (int by = 0; by < GY_BY_COUNT; by++)
        for (uint32_t i = 0; i < g->by[by].n_groups; i++) {
            struct gy_group *to = &g->by[by].groups[i];
            struct gy_spread *spread = q == GY_Q_WAIT       ? &to->wait_s
                                       : q == GY_Q_JCT      ? &to->jct_s
                                       : q == GY_Q_SLOWDOWN ? &to->slowdown
                                       : q == GY_Q_BOUNDED  ? &to->bounded_slowdown
                                                            : NULL;
            if (spread)
                *spread = gy_ranker_spread(&g->by[by].rankers[i]);
        }
}

int gy_groups_finish(struct gy_groups *g, const struct gy_crowd *c, struct gy_error *err)
{
    for (int by = 0; by < GY_BY_COUNT; by++) {
        struct division *d = &g->by[by];
        gy_gpu_time(*time)[3] = calloc(d->n_groups + 1, sizeof *time);
        if (!time)
            return gy_nomem(err);
        for (size_t i = 0; i < c->cohorts.n; i++) {
            const struct gy_cohort *from = &c->cohorts.at[i];
            struct gy_group *to = &d->groups[d->group_of[i]];
            for (int s = 0; s < GY_N_STATES; s++)
                to->jobs[s] += from->jobs[s];
            time[d->group_of[i]][0] += from->allocated;
            time[d->group_of[i]][1] += from->idle;
            time[d->group_of[i]][2] += from->lost;
        }
        for (uint32_t i = 0; i < d->n_groups; i++) {
            d->groups[i].allocated = gy_gpu_hours(time[i][0]);
            d->groups[i].busy = gy_gpu_hours(time[i][0] - time[i][1] - time[i][2]);
            d->groups[i].idle_held = gy_gpu_hours(time[i][1]);
            d->groups[i].lost = gy_gpu_hours(time[i][2]);
        }
        free(time);
    }
    return 0;
}

const struct gy_grouping *gy_groups_at(const struct gy_groups *g, enum gy_group_by by)
{
    return &g->by[by].out;
}

const char *gy_group_by_name(enum gy_group_by by)
{
    static const char *const name[GY_BY_COUNT] = {"team", "user", "partition", "gpu_type", "job_size_class"};
    return name[by];
}

bool gy_group_metric(const struct gy_group *g, size_t i, const char **name, double *value)
{
#define JOBS(part, index)                                                                                              \
    {                                                                                                                  \
        "jobs." part, 0, index                                                                                         \
    }
#define SPREAD(part, member)                                                                                           \
    {part ".mean", offsetof(struct gy_group, member.mean), -1},                                                        \
        {part ".p50", offsetof(struct gy_group, member.p50), -1},                                                      \
        {part ".p90", offsetof(struct gy_group, member.p90), -1},                                                      \
        {part ".p95", offsetof(struct gy_group, member.p95), -1},                                                      \
        {part ".p99", offsetof(struct gy_group, member.p99), -1},                                                      \
    {                                                                                                                  \
        part ".max", offsetof(struct gy_group, member.max), -1                                                         \
    }
    static const struct {
        const char *name;
        size_t offset;
        int jobs; /* index into jobs, −1: a double at offset */
    } rows[] = {
        JOBS("submitted", GY_N_SUBMITTED),
        JOBS("completed", GY_N_COMPLETED),
        JOBS("failed", GY_N_FAILED),
        JOBS("cancelled", GY_N_CANCELLED),
        JOBS("timeout", GY_N_TIMEOUT),
        JOBS("pending", GY_N_PENDING),
        JOBS("running", GY_N_RUNNING),
        SPREAD("jct_s", jct_s),
        SPREAD("wait_s", wait_s),
        SPREAD("slowdown", slowdown),
        SPREAD("bounded_slowdown", bounded_slowdown),
        {"gpu_hours.allocated", offsetof(struct gy_group, allocated), -1},
        {"gpu_hours.busy", offsetof(struct gy_group, busy), -1},
        {"gpu_hours.idle_held", offsetof(struct gy_group, idle_held), -1},
        {"gpu_hours.lost", offsetof(struct gy_group, lost), -1},
    };
    if (i >= sizeof rows / sizeof *rows)
        return false;
    *name = rows[i].name;
    if (rows[i].jobs >= 0)
        *value = (double)g->jobs[rows[i].jobs];
    else
        memcpy(value, (const char *)g + rows[i].offset, sizeof *value);
    return true;
}
