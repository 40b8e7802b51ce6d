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

bool gy_profile_has(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time at, gy_time length)
{
    const struct gy_line *l = &p->line.at[n.i];
    const gy_time end = gy_time_add(at, length);
    size_t i = step_at(l, at);
    do
        if (!step_has(&l->steps.at[i], need))
            return false;
    while (++i < l->steps.n && l->steps.at[i].at < end);
    return true;
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

static gy_time earliest_one(struct gy_profile *p, const struct gy_need *need, gy_time length, gy_time before,
                            gy_amounts *out, bool *nomem)
{
    gy_node_id node = GY_NODE_NONE;
    for (uint32_t i = 0; i < p->nodes && before > p->now; i++) {
        if (gy_profile_first(p, (gy_node_id){i}, need->gpus) >= before || !p->eligible.at[p->klass.at[i]])
            continue;
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

/* The k-th smallest (from 1) of n values, which it reorders. */
static gy_time kth(gy_time *at, uint32_t n, uint32_t k)
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

/* Brings earliest starts not before `from` up to date; returns the k-th smallest. */
static gy_time update(struct gy_profile *p, gy_time *start, const struct gy_need *need, gy_time length, gy_time from,
                      gy_time before, uint32_t k)
{
    for (uint32_t i = 0; i < p->nodes; i++) {
        if (start[i] < from) /* GY_NEVER stays: there is none before `before` */
            start[i] = on_node_from(p, (gy_node_id){i}, need, length, from, before);
        p->scratch.at[i] = start[i];
    }
    return k <= p->nodes ? kth(p->scratch.at, p->nodes, k) : GY_NEVER;
}

static bool name_nodes(struct gy_profile *p, const struct gy_need *full, uint32_t n, const struct gy_need *rest,
                       gy_time t, gy_amounts *out)
{
    out->n = 0;
    for (uint32_t i = 0; i < p->nodes && out->n < n; i++)
        if (p->full.at[i] == t) {
            const struct gy_amount a = gy_profile_amount(p, (gy_node_id){i}, full);
            if (!gy_vec_push(out, a))
                return false;
        }
    for (uint32_t i = 0, k = 0; rest && i < p->nodes; i++) {
        if (k < n && out->at[k].node.i == i) {
            k++;
            continue;
        }
        if (p->rest.at[i] == t) {
            const struct gy_amount a = gy_profile_amount(p, (gy_node_id){i}, rest);
            return gy_vec_push(out, a);
        }
    }
    return true;
}

/* Several nodes at once: the time goes up to where enough nodes could start one by one, until they can together. */
static gy_time earliest_gang(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time before,
                             gy_amounts *out, bool *nomem)
{
    const struct gy_need full = gy_need_full(s), rest = gy_need_rest(s);
    gy_time t = p->now;
    for (uint32_t i = 0; i < p->nodes; i++)
        p->full.at[i] = p->rest.at[i] = p->eligible.at[p->klass.at[i]] ? INT64_MIN : GY_NEVER;
    for (;;) {
        gy_time next = update(p, p->full.at, &full, length, t, before, s->full_nodes);
        if (s->rest && next < before) {
            const gy_time other = update(p, p->rest.at, &rest, length, t, before, s->full_nodes + 1);
            next = other > next ? other : next;
        }
        if (next >= before)
            return GY_NEVER;
        if (next == t)
            break;
        t = next;
    }
    if (name_nodes(p, &full, s->full_nodes, s->rest ? &rest : NULL, t, out))
        return t;
    *nomem = true;
    return GY_NEVER;
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

static gy_time earliest_split(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time before,
                              gy_amounts *out, bool *nomem)
{
    for (gy_time t = p->now, next; t < before; t = next) {
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

gy_time gy_profile_earliest(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time before,
                            gy_amounts *out, bool *nomem)
{
    mark_eligible(p, s);
    if (s->any_split)
        return earliest_split(p, s, length, before, out, nomem);
    if (s->full_nodes == 1 && s->rest == 0) {
        const struct gy_need need = gy_profile_need(s);
        return earliest_one(p, &need, length, before, out, nomem);
    }
    return earliest_gang(p, s, length, before, out, nomem);
}
