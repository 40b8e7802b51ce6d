/* The profile's steps: building them, and giving and taking. Not the search (profile_search.c). */
#include "gy_profile.h"
#include <string.h>

#define UNMODELLED (INT64_MAX / 4)

int gy_profile_init(struct gy_profile *p, const struct gy_view *v, struct gy_error *err)
{
    const uint32_t n = gy_cluster_nodes(v->cluster);
    const struct gy_line none = {0};
    p->c = v->cluster;
    p->nodes = n;
    p->levels = 1;
    p->blocks = (n + GY_PROFILE_BLOCK - 1) / GY_PROFILE_BLOCK;
    for (uint32_t k = 0; k < gy_cluster_classes(p->c); k++) {
        const uint32_t gpus = gy_cluster_class(p->c, k)->like.gpus + 1;
        p->levels = gpus > p->levels ? gpus : p->levels;
    }
    p->levels = p->levels < GY_PROFILE_LEVELS + 1 ? p->levels : GY_PROFILE_LEVELS + 1;
    if (!gy_vec_reserve(&p->line, n) || !gy_vec_reserve(&p->klass, n) || !gy_vec_reserve(&p->up, n) ||
        !gy_vec_reserve(&p->full, n) || !gy_vec_reserve(&p->rest, n) || !gy_vec_reserve(&p->scratch, n) ||
        !gy_vec_reserve(&p->first, (size_t)n * p->levels) || !gy_vec_reserve(&p->low, (size_t)p->blocks * p->levels) ||
        !gy_vec_reserve(&p->eligible, gy_cluster_classes(p->c) + 1))
        return gy_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        p->line.at[p->line.n++] = none;
        p->klass.at[i] = gy_cluster_node(p->c, (gy_node_id){i})->klass;
    }
    return gy_profile_reset(p, v) ? 0 : gy_nomem(err);
}

void gy_profile_free(struct gy_profile *p)
{
    for (size_t i = 0; i < p->line.n; i++)
        gy_vec_free(&p->line.at[i].steps);
    gy_vec_free(&p->line);
    gy_vec_free(&p->first);
    gy_vec_free(&p->klass);
    gy_vec_free(&p->up);
    gy_vec_free(&p->eligible);
    gy_vec_free(&p->full);
    gy_vec_free(&p->rest);
    gy_vec_free(&p->low);
    gy_vec_free(&p->scratch);
}

static inline void set_first(struct gy_profile *p, gy_node_id n, uint32_t level, gy_time t)
{
    gy_time *low = &p->low.at[(size_t)level * p->blocks + n.i / GY_PROFILE_BLOCK];
    p->first.at[(size_t)level * p->nodes + n.i] = t;
    *low = t < *low ? t : *low;
}

static void refresh(struct gy_profile *p, gy_node_id n)
{
    const struct gy_line *l = &p->line.at[n.i];
    uint32_t level = 0;
    for (size_t i = 0; i < l->steps.n && level < p->levels; i++)
        for (; level < p->levels && (int32_t)level <= l->steps.at[i].gpus; level++)
            set_first(p, n, level, l->steps.at[i].at);
    for (; level < p->levels; level++)
        set_first(p, n, level, GY_NEVER);
}

bool gy_profile_reset(struct gy_profile *p, const struct gy_view *v)
{
    p->now = v->now;
    for (size_t i = 0; i < (size_t)p->blocks * p->levels; i++)
        p->low.at[i] = GY_NEVER;
    for (uint32_t i = 0; i < p->nodes; i++) {
        const struct gy_node *n = gy_cluster_node(p->c, (gy_node_id){i});
        struct gy_step s = {.at = INT64_MIN, .cpu_milli = -1, .mem_mib = -1, .gpus = -1, .shares = 1};
        if (n->state == GY_NODE_UP)
            s = (struct gy_step){.at = INT64_MIN,
                                 .cpu_milli = n->cpu_free == UINT64_MAX ? UNMODELLED : (int64_t)n->cpu_free,
                                 .mem_mib = n->mem_free == UINT64_MAX ? UNMODELLED : (int64_t)n->mem_free,
                                 .gpus = (int32_t)n->free_gpus,
                                 .shares = (int32_t)n->jobs};
        p->up.at[i] = n->state == GY_NODE_UP;
        p->line.at[i].steps.n = 0;
        if (!gy_vec_push(&p->line.at[i].steps, s))
            return false;
        refresh(p, (gy_node_id){i});
    }
    return true;
}

/* Opens a step at time t, equal to the one that held then; returns its index. There is room for it. */
static size_t cut(struct gy_line *l, gy_time t)
{
    size_t i = l->steps.n;
    while (i > 0 && l->steps.at[i - 1].at > t)
        i--;
    if (i > 0 && l->steps.at[i - 1].at == t)
        return i - 1;
    memmove(&l->steps.at[i + 1], &l->steps.at[i], (l->steps.n - i) * sizeof *l->steps.at);
    l->steps.n++;
    l->steps.at[i] = l->steps.at[i - 1]; /* the first step is older than every t */
    l->steps.at[i].at = t;
    return i;
}

/* Drops the step at index i when it repeats the one before. */
static void join(struct gy_line *l, size_t i)
{
    if (i == 0 || i >= l->steps.n)
        return;
    const struct gy_step *a = &l->steps.at[i - 1], *b = &l->steps.at[i];
    if (a->gpus != b->gpus || a->shares != b->shares || a->cpu_milli != b->cpu_milli || a->mem_mib != b->mem_mib)
        return;
    l->steps.n--;
    memmove(&l->steps.at[i], &l->steps.at[i + 1], (l->steps.n - i) * sizeof *l->steps.at);
}

static void drop_past(struct gy_line *l, gy_time now)
{
    size_t k = 0;
    while (k + 1 < l->steps.n && l->steps.at[k + 1].at <= now)
        k++;
    if (k == 0)
        return;
    l->steps.n -= k;
    memmove(l->steps.at, &l->steps.at[k], l->steps.n * sizeof *l->steps.at);
    l->steps.at[0].at = INT64_MIN;
}

bool gy_profile_add(struct gy_profile *p, const struct gy_amount *a, gy_time from, gy_time to, int sign)
{
    struct gy_line *l = &p->line.at[a->node.i];
    if (from >= to || gy_cluster_node(p->c, a->node)->state != GY_NODE_UP)
        return true;
    if (!gy_vec_reserve(&l->steps, l->steps.n + 2))
        return false;
    const size_t begin = cut(l, from);
    const size_t end = to == GY_NEVER ? l->steps.n : cut(l, to);
    for (size_t i = begin; i < end; i++) {
        l->steps.at[i].gpus += sign * a->gpus;
        l->steps.at[i].shares -= sign * a->shares;
        l->steps.at[i].cpu_milli += sign * a->cpu_milli;
        l->steps.at[i].mem_mib += sign * a->mem_mib;
    }
    join(l, end);
    join(l, begin);
    drop_past(l, p->now); /* also the step that ended just now: it would look like room */
    refresh(p, a->node);
    return true;
}
