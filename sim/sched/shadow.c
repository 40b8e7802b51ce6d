/* The shadow of a waiting job. The overlay is what ends until the cursor give back; holds counts nodes with it applied.
 */
#include "gy_shadow.h"
#include <string.h>

void gy_shadow_free(struct gy_shadow *s)
{
    gy_vec_free(&s->room);
    gy_vec_free(&s->gpu_milli);
    gy_vec_free(&s->eligible);
}

static int16_t *gpus_of(const struct gy_shadow *s, gy_node_id n)
{
    return &s->gpu_milli.at[gy_cluster_node(s->c, n)->first_gpu];
}

/* The node's overlay, emptied when it is of an earlier epoch. */
static struct gy_room *room_of(struct gy_shadow *s, gy_node_id n)
{
    struct gy_room *r = &s->room.at[n.i];
    if (r->epoch != s->epoch) {
        *r = (struct gy_room){.epoch = s->epoch};
        if (s->by_gpu)
            memset(gpus_of(s, n), 0, gy_cluster_node(s->c, n)->gpus * sizeof(int16_t));
    }
    return r;
}

static void overlay(struct gy_shadow *s, const struct gy_share *share, int sign)
{
    struct gy_room *r = room_of(s, share->node);
    if (share->gpu_milli == GY_MILLI)
        r->gpus += sign * __builtin_popcountll(share->mask);
    r->jobs += sign;
    r->cpu_milli += sign * (int64_t)share->cpu_milli;
    r->mem_mib += sign * (int64_t)share->mem_mib;
    if (!s->by_gpu)
        return;
    int16_t *gpu = gpus_of(s, share->node) + share->group * 64;
    for (uint64_t m = share->mask; m; m &= m - 1)
        gpu[__builtin_ctzll(m)] = (int16_t)(gpu[__builtin_ctzll(m)] + sign * (int)share->gpu_milli);
}

/* GPUs of the node with so much room at the shadow time. */
static uint32_t gpus_with_room(const struct gy_shadow *s, gy_node_id n, const struct gy_room *r, uint32_t milli)
{
    const struct gy_node *node = gy_cluster_node(s->c, n);
    uint32_t count = 0;
    for (uint32_t g = 0; g < node->gpus; g++)
        count += (int)gy_cluster_gpu_free_milli(s->c, n, g) + (r ? gpus_of(s, n)[g] : 0) >= (int)milli;
    return count;
}

static bool enough(uint64_t free, int64_t back, uint64_t need)
{
    return free == UINT64_MAX || (int64_t)free + back >= (int64_t)need;
}

static int64_t times(uint64_t free, int64_t back, uint64_t need, int64_t most)
{
    if (free == UINT64_MAX || need == 0)
        return most;
    const int64_t n = ((int64_t)free + back) / (int64_t)need;
    return n < 0 ? 0 : n < most ? n : most;
}

struct gy_holds gy_shadow_node(const struct gy_shadow *s, gy_node_id n)
{
    const struct gy_node *node = gy_cluster_node(s->c, n);
    const struct gy_shape *shape = s->shape;
    const struct gy_room *r = s->room.at[n.i].epoch == s->epoch ? &s->room.at[n.i] : NULL;
    const int64_t cpu = r ? r->cpu_milli : 0, mem = r ? r->mem_mib : 0;
    if (node->state != GY_NODE_UP || !s->eligible.at[node->klass] ||
        (shape->exclusive && (int64_t)node->jobs != (r ? r->jobs : 0)))
        return (struct gy_holds){0, 0};
    if (shape->fraction)
        return (struct gy_holds){gpus_with_room(s, n, r, shape->fraction) >= shape->fraction_gpus &&
                                     enough(node->cpu_free, cpu, shape->cpu_milli) &&
                                     enough(node->mem_free, mem, shape->mem_mib),
                                 0};
    const int64_t gpus =
        s->by_gpu ? (int64_t)gpus_with_room(s, n, r, GY_MILLI) : (int64_t)node->free_gpus + (r ? r->gpus : 0);
    if (shape->any_split)
        return (struct gy_holds){
            times(node->cpu_free, cpu, shape->cpu_milli, times(node->mem_free, mem, shape->mem_mib, gpus)), 0};
    return (struct gy_holds){gpus >= shape->gpus && enough(node->cpu_free, cpu, shape->cpu_milli) &&
                                 enough(node->mem_free, mem, shape->mem_mib),
                             shape->rest && gpus >= shape->rest && enough(node->cpu_free, cpu, shape->rest_cpu_milli) &&
                                 enough(node->mem_free, mem, shape->rest_mem_mib)};
}

/* The overlay changes, and what nodes hold with it. */
static void shift(struct gy_shadow *s, const struct gy_share *shares, size_t n, int sign)
{
    for (size_t i = 0; i < n; i++) {
        const struct gy_holds before = gy_shadow_node(s, shares[i].node);
        overlay(s, &shares[i], sign);
        const struct gy_holds after = gy_shadow_node(s, shares[i].node);
        s->holds.full += after.full - before.full;
        s->holds.rest += after.rest - before.rest;
    }
}

static void overlay_all(struct gy_shadow *s, const struct gy_share *shares, size_t n, int sign)
{
    for (size_t i = 0; i < n; i++)
        overlay(s, &shares[i], sign);
}

struct gy_holds gy_shadow_without(struct gy_shadow *s, const struct gy_share *shares, size_t n)
{
    overlay_all(s, shares, n, -1);
    const struct gy_holds h = gy_shadow_node(s, shares[0].node);
    overlay_all(s, shares, n, 1);
    return h;
}

bool gy_shadow_by_gpu(struct gy_shadow *s, const struct gy_view *v)
{
    size_t gpus = 0;
    if (s->by_gpu)
        return true;
    for (uint32_t i = 0; i < gy_cluster_nodes(v->cluster); i++)
        gpus += gy_cluster_node(v->cluster, (gy_node_id){i})->gpus;
    if (!gy_vec_reserve(&s->gpu_milli, gpus + 1))
        return false;
    s->by_gpu = true;
    gy_shadow_forget(s);
    return true;
}

static bool ready(struct gy_shadow *s)
{
    const uint32_t n = gy_cluster_nodes(s->c), classes = gy_cluster_classes(s->c);
    if (s->room.n == n)
        return true;
    if (!gy_vec_reserve(&s->room, n) || !gy_vec_reserve(&s->eligible, classes + 1))
        return false;
    memset(s->room.at, 0, n * sizeof *s->room.at);
    s->room.n = n;
    s->eligible.n = classes;
    return true;
}

/* What free nodes hold now, with an empty overlay. Where levels do not tell, nodes at them are looked at one by one. */
static void count_now(struct gy_shadow *s)
{
    const struct gy_shape *shape = s->shape;
    const bool by_level = shape->cpu_milli == 0 && shape->mem_mib == 0 && !shape->exclusive;
    const uint32_t low = shape->any_split ? 1 : shape->fraction ? 0 : shape->rest ? shape->rest : shape->gpus;
    s->holds = (struct gy_holds){0, 0};
    for (uint32_t i = 0; i < shape->n_classes; i++) {
        const uint32_t k = shape->classes[i], gpus = gy_cluster_class(s->c, k)->like.gpus;
        if (shape->fraction) /* one node, which does not fit now: none does */
            continue;
        if (by_level && !shape->any_split) {
            s->holds.full += gy_cluster_count(s->c, k, shape->gpus);
            s->holds.rest += shape->rest ? gy_cluster_count(s->c, k, shape->rest) : 0;
            continue;
        }
        for (uint32_t level = low; level <= gpus && gy_cluster_count(s->c, k, level); level++)
            for (gy_node_id n = gy_cluster_next(s->c, k, level, (gy_node_id){0}, 0, 0); n.i != UINT32_MAX;
                 n = gy_cluster_next(s->c, k, level, (gy_node_id){n.i + 1}, 0, 0)) {
                const struct gy_holds h = gy_shadow_node(s, n);
                s->holds.full += h.full;
                s->holds.rest += h.rest;
            }
    }
}

/* Applies or undoes all ends in (from, to]. */
static void apply(struct gy_shadow *s, const struct gy_view *v, gy_time from, gy_time to, int sign)
{
    struct gy_item item;
    const struct gy_item after = {from, INT64_MAX, UINT32_MAX, 0};
    struct gy_blist_pos pos = gy_blist_lower(&s->ends->list, &after);
    for (; gy_blist_get(&s->ends->list, pos, &item, NULL) && item.major <= to;
         pos = gy_blist_after(&s->ends->list, pos)) {
        const struct gy_job *j = gy_view_job(v, (gy_job_id){item.job});
        shift(s, j->shares, j->n_shares, sign);
    }
}

static void forwards(struct gy_shadow *s, const struct gy_view *v)
{
    struct gy_item item;
    const struct gy_item after = {s->cursor, INT64_MAX, UINT32_MAX, 0};
    struct gy_blist_pos pos = gy_blist_lower(&s->ends->list, &after);
    while (gy_blist_get(&s->ends->list, pos, &item, NULL) && (!gy_shadow_fits(s) || item.major == s->cursor)) {
        const struct gy_job *j = gy_view_job(v, (gy_job_id){item.job});
        shift(s, j->shares, j->n_shares, 1);
        s->cursor = item.major;
        pos = gy_blist_after(&s->ends->list, pos);
    }
}

static void backwards(struct gy_shadow *s, const struct gy_view *v)
{
    while (s->cursor > v->now) {
        const struct gy_item first = {s->cursor, INT64_MIN, 0, 0};
        struct gy_blist_pos pos = gy_blist_lower(&s->ends->list, &first);
        struct gy_item item;
        gy_time before = v->now;
        if (gy_blist_back(&s->ends->list, &pos) && gy_blist_get(&s->ends->list, pos, &item, NULL) &&
            item.major > before)
            before = item.major;
        apply(s, v, before, s->cursor, -1);
        if (!gy_shadow_fits(s)) {
            apply(s, v, before, s->cursor, 1);
            return;
        }
        s->cursor = before;
    }
}

void gy_shadow_settle(struct gy_shadow *s, const struct gy_view *v)
{
    if (s->cursor < v->now) {
        apply(s, v, s->cursor, v->now, 1);
        s->cursor = v->now;
    }
    if (!gy_shadow_fits(s))
        forwards(s, v);
    else if (s->earlier)
        backwards(s, v);
    s->earlier = false;
    s->at = gy_shadow_fits(s) ? s->cursor : GY_NEVER;
}

int gy_shadow_set(struct gy_shadow *s, const struct gy_view *v, struct gy_ends *ends, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    s->c = v->cluster;
    s->ends = ends;
    s->shape = gy_shape_at(v->shapes, j->shape);
    s->row = j->rec.row;
    if (!ready(s))
        return -1;
    if (++s->epoch == 0) { /* wrapped: no old stamp may look valid */
        memset(s->room.at, 0, s->room.n * sizeof *s->room.at);
        s->epoch = 1;
    }
    memset(s->eligible.at, 0, s->eligible.n);
    for (uint32_t i = 0; i < s->shape->n_classes; i++)
        s->eligible.at[s->shape->classes[i]] = 1;
    s->need = (struct gy_holds){s->shape->any_split ? s->shape->gpus : s->shape->full_nodes,
                                s->shape->rest ? (int64_t)s->shape->full_nodes + 1 : 0};
    s->cursor = INT64_MIN;
    s->earlier = false;
    count_now(s);
    gy_shadow_settle(s, v);
    return 0;
}

void gy_shadow_started(struct gy_shadow *s, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (!s->shape)
        return;
    overlay_all(s, j->shares, j->n_shares, 1);
    if (j->expected_end > s->cursor)
        shift(s, j->shares, j->n_shares, -1);
}

void gy_shadow_stopped(struct gy_shadow *s, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (!s->shape)
        return;
    if (j->n_shares == 0) { /* gone already */
        gy_shadow_forget(s);
        return;
    }
    overlay_all(s, j->shares, j->n_shares, -1);
    const gy_time expected = s->ends->rows.at[job.i].item.major;
    if (expected > s->cursor)
        shift(s, j->shares, j->n_shares, 1);
    s->earlier = s->earlier || expected != v->now;
}
