/* The search in the profile: when a job could start, and where. Changes no step. */
#include "gy_profile.h"
#include <string.h>

static inline bool step_has(const struct gy_step *s, const struct gy_need *need)
{
    return s->gpus >= (int32_t)need->gpus && s->cpu_milli >= (int64_t)need->cpu_milli &&
           s->mem_mib >= (int64_t)need->mem_mib && (!need->exclusive || s->shares == 0);
}

/* The step that holds at time t. */
static inline size_t step_at(const struct gy_line *l, gy_time t)
{
    size_t i = 0;
    while (i + 1 < l->steps.n && l->steps.at[i + 1].at <= t)
        i++;
    return i;
}

gy_time gy_profile_until(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time at)
{
    const struct gy_line *l = &p->line.at[n.i];
    size_t i = step_at(l, at);
    if (!step_has(&l->steps.at[i], need))
        return at;
    while (++i < l->steps.n)
        if (!step_has(&l->steps.at[i], need))
            return l->steps.at[i].at;
    return GY_NEVER;
}

static gy_time on_node_from(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time length,
                            gy_time from, gy_time before)
{
    const struct gy_line *l = &p->line.at[n.i];
    gy_time start = from;
    for (size_t i = step_at(l, from); start < before; i++) {
        const gy_time until = i + 1 < l->steps.n ? l->steps.at[i + 1].at : GY_NEVER;
        if (!step_has(&l->steps.at[i], need))
            start = until;
        else if (until == GY_NEVER || until >= gy_time_add(start, length))
            return start;
        if (until == GY_NEVER)
            break;
    }
    return GY_NEVER;
}

gy_time gy_profile_on_node(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time length,
                           gy_time before)
{
    return on_node_from(p, n, need, length, p->now, before);
}

bool gy_profile_starts(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time length,
                       gy_time before, gy_time *first, gy_time *last)
{
    bool found = false;
    for (gy_time t = p->now; (t = on_node_from(p, n, need, length, t, before)) < before;) {
        const gy_time until = gy_profile_until(p, n, need, t);
        const gy_time end = until == GY_NEVER ? before : until - (length > 0 ? length - 1 : 0);
        *first = found ? *first : t;
        *last = (end < before ? end : before) - 1;
        found = true;
        if (until == GY_NEVER)
            break;
        t = until;
    }
    return found;
}

struct gy_need gy_profile_need(const struct gy_shape *s)
{
    struct gy_need need = gy_need_full(s);
    if (s->fraction)
        need.gpus = s->fraction_gpus;
    return need;
}

struct gy_amount gy_profile_amount(const struct gy_profile *p, gy_node_id n, const struct gy_need *need)
{
    struct gy_amount a = {n, (int32_t)need->gpus, 1, (int64_t)need->cpu_milli, (int64_t)need->mem_mib};
    if (need->exclusive) { /* all of it, and one GPU more: then not even a job that asks for nothing fits beside it */
        const struct gy_node_spec *spec = &gy_cluster_spec(p->c)->nodes.at[n.i];
        a.gpus = (int32_t)spec->gpus + 1;
        a.cpu_milli = spec->cpu_milli ? (int64_t)spec->cpu_milli : a.cpu_milli;
        a.mem_mib = spec->mem_mib ? (int64_t)spec->mem_mib : a.mem_mib;
    }
    return a;
}

static void mark_eligible(struct gy_profile *p, const struct gy_shape *s)
{
    memset(p->eligible.at, 0, gy_cluster_classes(p->c));
    for (uint32_t i = 0; i < s->n_classes; i++)
        p->eligible.at[s->classes[i]] = 1;
}

/* A walk over the nodes whose first time for so many GPUs is before a time that may come down meanwhile. */
struct early {
    uint32_t level, block, node, end;
    gy_time least; /* in the block */
};

static uint32_t early_next(struct gy_profile *p, struct early *e, gy_time before)
{
    const gy_time *first = &p->first.at[(size_t)e->level * p->nodes];
    gy_time *low = &p->low.at[(size_t)e->level * p->blocks];
    for (;;) {
        for (; e->node < e->end; e->node++) {
            e->least = first[e->node] < e->least ? first[e->node] : e->least;
            if (first[e->node] < before && p->eligible.at[p->klass.at[e->node]])
                return e->node++;
        }
        if (e->end > 0)
            low[e->block++] = e->least; /* the bound is true again */
        while (e->block < p->blocks && low[e->block] >= before)
            e->block++;
        if (e->block >= p->blocks)
            return UINT32_MAX;
        e->node = e->block * GY_PROFILE_BLOCK;
        e->end = e->node + GY_PROFILE_BLOCK < p->nodes ? e->node + GY_PROFILE_BLOCK : p->nodes;
        e->least = GY_NEVER;
    }
}

static gy_time earliest_one(struct gy_profile *p, const struct gy_need *need, gy_time length, gy_time before,
                            gy_amounts *out, bool *nomem)
{
    struct early e = {.level = need->gpus < p->levels ? need->gpus : p->levels - 1};
    gy_node_id node = GY_NODE_NONE;
    for (uint32_t i; before > p->now && (i = early_next(p, &e, before)) != UINT32_MAX;) {
        const gy_time t = gy_profile_on_node(p, (gy_node_id){i}, need, length, before);
        if (t < before) {
            before = t;
            node.i = i;
        }
    }
    if (node.i == UINT32_MAX)
        return GY_NEVER;
    out->n = 0;
    const struct gy_amount a = gy_profile_amount(p, node, need);
    if (!gy_vec_push(out, a)) {
        *nomem = true;
        return GY_NEVER;
    }
    return before;
}

#define FEW 16

/* The k-th smallest (from 1) of the starts, k ≤ FEW: one pass over them. */
static gy_time kth_few(const gy_starts *s, uint32_t k)
{
    gy_time least[FEW];
    uint32_t have = 0;
    for (size_t i = 0; i < s->n; i++) {
        const gy_time t = s->at[i].at;
        if (have == k && t >= least[k - 1])
            continue;
        uint32_t j = have < k ? have++ : k - 1;
        for (; j > 0 && least[j - 1] > t; j--)
            least[j] = least[j - 1];
        least[j] = t;
    }
    return have == k ? least[k - 1] : GY_NEVER;
}

/* The same of n values for any k; reorders them. */
static gy_time kth_many(gy_time *at, uint32_t n, uint32_t k)
{
    uint32_t lo = 0, hi = n;
    while (hi - lo > 1) {
        const gy_time pivot = at[lo + (hi - 1 - lo) / 2];
        uint32_t i = lo, j = hi - 1;
        for (;; i++, j--) {
            while (at[i] < pivot)
                i++;
            while (at[j] > pivot)
                j--;
            if (i >= j)
                break;
            const gy_time swap = at[i];
            at[i] = at[j];
            at[j] = swap;
        }
        if (k - 1 <= j)
            hi = j + 1;
        else
            lo = j + 1;
    }
    return at[lo];
}

static gy_time kth(struct gy_profile *p, const gy_starts *s, uint32_t k)
{
    if (k > s->n)
        return GY_NEVER;
    if (k <= FEW)
        return kth_few(s, k);
    for (size_t i = 0; i < s->n; i++)
        p->scratch.at[i] = s->at[i].at;
    return kth_many(p->scratch.at, (uint32_t)s->n, k);
}

/* The nodes that may start before `before`, and bounds of their starts. There is room for all nodes. */
static void bounds(struct gy_profile *p, gy_starts *s, uint32_t gpus, gy_time from, gy_time before)
{
    struct early e = {.level = gpus < p->levels ? gpus : p->levels - 1};
    s->n = 0;
    for (uint32_t i; (i = early_next(p, &e, before)) != UINT32_MAX;) {
        const gy_time t = gy_profile_first(p, (gy_node_id){i}, gpus);
        s->at[s->n++] = (struct gy_start){i, false, t > from ? t : from};
    }
}

/* Makes the starts up to t true ones, at t or later, until as many nodes as wanted can start at t; whether there are.
 */
static bool make_true(struct gy_profile *p, gy_starts *s, const struct gy_need *need, gy_time length, gy_time t,
                      gy_time before, uint32_t wanted)
{
    for (size_t i = 0; i < s->n; i++) {
        struct gy_start *n = &s->at[i];
        if (n->at > t)
            continue;
        if (n->at < t || !n->known) {
            n->at = on_node_from(p, (gy_node_id){n->node}, need, length, t, before);
            n->known = true;
        }
        if (n->at == t && --wanted == 0)
            return true;
    }
    return false;
}

static bool name_nodes(const struct gy_profile *p, const struct gy_need *full, uint32_t n, const struct gy_need *rest,
                       gy_time t, gy_amounts *out)
{
    out->n = 0;
    for (size_t i = 0; i < p->full.n && out->n < n; i++)
        if (p->full.at[i].at == t) {
            const struct gy_amount a = gy_profile_amount(p, (gy_node_id){p->full.at[i].node}, full);
            if (!gy_vec_push(out, a))
                return false;
        }
    for (size_t i = 0, k = 0; rest && i < p->rest.n; i++) {
        while (k < n && out->at[k].node.i < p->rest.at[i].node)
            k++;
        if ((k < n && out->at[k].node.i == p->rest.at[i].node) || p->rest.at[i].at != t)
            continue;
        const struct gy_amount a = gy_profile_amount(p, (gy_node_id){p->rest.at[i].node}, rest);
        return gy_vec_push(out, a);
    }
    return true;
}

/* Several nodes at once: the time goes up to where enough nodes could start one by one, until they can together. */
static gy_time earliest_gang(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time from,
                             gy_time before, gy_amounts *out, bool *nomem)
{
    const struct gy_need full = gy_need_full(s), rest = gy_need_rest(s);
    bounds(p, &p->full, full.gpus, from, before);
    if (s->rest)
        bounds(p, &p->rest, rest.gpus, from, before);
    for (gy_time t = from;;) {
        const gy_time a = kth(p, &p->full, s->full_nodes), b = s->rest ? kth(p, &p->rest, s->full_nodes + 1) : t;
        t = a > t ? a : t;
        t = b > t ? b : t;
        if (t >= before)
            return GY_NEVER;
        if (make_true(p, &p->full, &full, length, t, before, s->full_nodes) &&
            (!s->rest || make_true(p, &p->rest, &rest, length, t, before, s->full_nodes + 1))) {
            *nomem = !name_nodes(p, &full, s->full_nodes, s->rest ? &rest : NULL, t, out);
            return *nomem ? GY_NEVER : t;
        }
    }
}

/* Most GPUs that a job split in any way could use on the node from t on; *rise: when that may become more. */
static uint32_t usable(const struct gy_profile *p, const struct gy_shape *s, uint32_t i, gy_time t, gy_time length,
                       gy_time *rise)
{
    const struct gy_line *l = &p->line.at[i];
    const gy_time end = gy_time_add(t, length);
    int64_t least = INT32_MAX;
    size_t k = step_at(l, t);
    do {
        const struct gy_step *st = &l->steps.at[k];
        int64_t n = s->exclusive && st->shares > 0 ? 0 : st->gpus > 0 ? st->gpus : 0;
        if (s->cpu_milli && st->cpu_milli / (int64_t)s->cpu_milli < n)
            n = st->cpu_milli < 0 ? 0 : st->cpu_milli / (int64_t)s->cpu_milli;
        if (s->mem_mib && st->mem_mib / (int64_t)s->mem_mib < n)
            n = st->mem_mib < 0 ? 0 : st->mem_mib / (int64_t)s->mem_mib;
        least = n < least ? n : least;
        k++;
        if (n == least && k < l->steps.n) /* no more before the last of the least steps is over */
            *rise = l->steps.at[k].at;
    } while (k < l->steps.n && l->steps.at[k].at < end);
    return (uint32_t)least;
}

static gy_time earliest_split(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time from,
                              gy_time before, gy_amounts *out, bool *nomem)
{
    for (gy_time t = from, next; t < before; t = next) {
        uint32_t left = s->gpus;
        next = GY_NEVER;
        out->n = 0;
        for (uint32_t i = 0; i < p->nodes && left > 0; i++) {
            if (!p->eligible.at[p->klass.at[i]])
                continue;
            gy_time rise = GY_NEVER;
            const uint32_t n = usable(p, s, i, t, length, &rise), k = n < left ? n : left;
            next = rise < next ? rise : next;
            if (k == 0)
                continue;
            const struct gy_need need = {
                .gpus = k, .exclusive = s->exclusive, .cpu_milli = s->cpu_milli * k, .mem_mib = s->mem_mib * k};
            const struct gy_amount a = gy_profile_amount(p, (gy_node_id){i}, &need);
            if (!gy_vec_push(out, a)) {
                *nomem = true;
                return GY_NEVER;
            }
            left -= k;
        }
        if (left == 0)
            return t;
    }
    return GY_NEVER;
}

gy_time gy_profile_earliest(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time from,
                            gy_time before, gy_amounts *out, bool *nomem)
{
    mark_eligible(p, s);
    if (s->any_split)
        return earliest_split(p, s, length, from, before, out, nomem);
    if (s->full_nodes == 1 && s->rest == 0) {
        const struct gy_need need = gy_profile_need(s);
        return earliest_one(p, &need, length, before, out, nomem);
    }
    return earliest_gang(p, s, length, from, before, out, nomem);
}
