/* What the placements share: walks over nodes with room in some order, taking GPUs on a node, gangs node by node. Not a
 * placement itself. */
#include "gy_place.h"
#include <stdlib.h>
#include <string.h>

#define NODE_WORDS (GY_MAX_NODE_GPUS / 64)

bool gy_placer_init(struct gy_placer *p, const struct gy_place_type *type, const struct gy_view *v)
{
    p->type = type;
    return gy_stream_init(&p->stream, v->seed, "placement");
}

void gy_placer_free(struct gy_placer *p)
{
    gy_stream_free(&p->stream);
    gy_vec_free(&p->cursors);
    gy_vec_free(&p->nodes);
    gy_vec_free(&p->stamp);
}

/* Puts a cursor on the first node of each class of the shape at the walk's levels. */
static void load(struct gy_walk *w, uint32_t low, uint32_t high)
{
    w->p->cursors.n = 0;
    for (uint32_t i = 0; i < w->s->n_classes; i++) {
        const uint32_t k = w->s->classes[i];
        if (gy_cluster_count(w->c, k, low) == 0)
            continue;
        for (uint32_t level = low; level <= high && gy_cluster_count(w->c, k, level); level++) {
            if (gy_cluster_count_exact(w->c, k, level) == 0)
                continue;
            const gy_node_id n = gy_cluster_next(w->c, k, level, (gy_node_id){0}, w->cpu_milli, w->mem_mib);
            const struct gy_place_cursor cursor = {k, level, n, false};
            if (n.i != UINT32_MAX && !gy_vec_push(&w->p->cursors, cursor))
                w->nomem = true;
        }
    }
}

void gy_walk_start(struct gy_walk *w, struct gy_placer *p, const struct gy_cluster *c, const struct gy_shape *s,
                   enum gy_walk_order order, uint32_t low, uint64_t cpu_milli, uint64_t mem_mib)
{
    *w = (struct gy_walk){
        .p = p, .c = c, .s = s, .order = order, .low = low, .cpu_milli = cpu_milli, .mem_mib = mem_mib};
    for (uint32_t i = 0; i < s->n_classes; i++) {
        const uint32_t gpus = gy_cluster_class(c, s->classes[i])->like.gpus;
        w->high = gpus > w->high ? gpus : w->high;
    }
    w->level = order == GY_WALK_DOWN ? w->high : low;
    p->cursors.n = 0;
    if (w->high < low)
        return;
    if (order == GY_WALK_ID)
        load(w, low, w->high);
    else
        load(w, w->level, w->level);
}

/* Loads the next level that has nodes; false when there is none. */
static bool next_level(struct gy_walk *w)
{
    while (w->p->cursors.n == 0 && w->order != GY_WALK_ID) {
        if (w->order == GY_WALK_UP ? w->level >= w->high : w->level <= w->low)
            return false;
        w->level = w->order == GY_WALK_UP ? w->level + 1 : w->level - 1;
        load(w, w->level, w->level);
    }
    return w->p->cursors.n > 0;
}

/* Moves a cursor whose node was given on to the next one; drops it at the end of its class. */
static void advance(struct gy_walk *w, size_t i)
{
    struct gy_place_cursor *at = &w->p->cursors.at[i];
    at->given = false;
    at->node = gy_cluster_next(w->c, at->klass, at->level, (gy_node_id){at->node.i + 1}, w->cpu_milli, w->mem_mib);
    if (at->node.i == UINT32_MAX)
        *at = w->p->cursors.at[--w->p->cursors.n];
}

gy_node_id gy_walk_next(struct gy_walk *w)
{
    for (size_t i = w->p->cursors.n; i-- > 0;)
        if (w->p->cursors.at[i].given)
            advance(w, i);
    if (w->nomem || !next_level(w))
        return GY_NODE_NONE;
    struct gy_place_cursor *at = w->p->cursors.at;
    size_t least = 0;
    for (size_t i = 1; i < w->p->cursors.n; i++)
        least = at[i].node.i < at[least].node.i ? i : least;
    at[least].given = true;
    return at[least].node;
}

/* The lowest bits of the mask, as many as wanted or there are; takes them off the wanted. */
static uint64_t lowest_bits(uint64_t mask, uint32_t *wanted)
{
    uint64_t rest = mask;
    while (*wanted > 0 && rest) {
        rest &= rest - 1;
        --*wanted;
    }
    return mask & ~rest;
}

static bool push(struct gy_placement *out, const struct gy_share *s)
{
    if (gy_vec_push(&out->shares, *s))
        return true;
    out->nomem = true;
    return false;
}

/* Adds the shares of the node, one for each group that has GPUs in take; CPUs and memory go with the first. */
static bool add_shares(gy_node_id n, uint32_t words, const uint64_t *take, struct gy_share with,
                       const struct gy_place_request *req, struct gy_placement *out)
{
    const size_t before = out->shares.n;
    with.node = n;
    for (uint32_t g = 0; g < words; g++) {
        if (take[g] == 0)
            continue;
        with.group = g;
        with.mask = take[g];
        if (!push(out, &with))
            return false;
        with.cpu_milli = 0;
        with.mem_mib = 0;
    }
    if (out->shares.n == before) { /* CPUs only */
        with.group = 0;
        with.mask = 0;
        if (!push(out, &with))
            return false;
    }
    if (!req->allowed || req->allowed(req->ctx, &out->shares.at[before], out->shares.n - before))
        return true;
    out->shares.n = before;
    return false;
}

/* Marks fraction_gpus GPUs of the node that have room, the fullest or the emptiest first. */
static bool pick_fraction(const struct gy_cluster *c, gy_node_id n, const struct gy_need *need, uint64_t *take)
{
    const struct gy_node *node = gy_cluster_node(c, n);
    if (node->free_gpus + node->shared_gpus < need->fraction_gpus)
        return false;
    for (uint32_t k = 0; k < need->fraction_gpus; k++) {
        uint32_t best = UINT32_MAX, best_room = 0;
        for (uint32_t g = 0; g < node->gpus; g++) {
            const uint32_t room = gy_cluster_gpu_free_milli(c, n, g);
            if (room < need->fraction || (take[g / 64] >> (g % 64) & 1))
                continue;
            if (best == UINT32_MAX || (need->widest ? room > best_room : room < best_room)) {
                best = g;
                best_room = room;
            }
        }
        if (best == UINT32_MAX)
            return false;
        take[best / 64] |= UINT64_C(1) << (best % 64);
    }
    return true;
}

static void pick_whole(const struct gy_cluster *c, gy_node_id n, uint32_t gpus, uint32_t words, uint64_t *take)
{
    for (uint32_t g = 0; g < words && gpus > 0; g++) {
        const uint64_t free = gy_cluster_free_mask(c, n, g);
        take[g] = lowest_bits(free, &gpus);
    }
}

bool gy_place_take(const struct gy_cluster *c, gy_node_id n, const struct gy_need *need,
                   const struct gy_place_request *req, struct gy_placement *out)
{
    const struct gy_node *node = gy_cluster_node(c, n);
    const uint32_t words = (node->gpus + 63) / 64;
    uint64_t take[NODE_WORDS];
    struct gy_share with = {.gpu_milli = GY_MILLI, .cpu_milli = (uint32_t)need->cpu_milli, .mem_mib = need->mem_mib};
    if (node->cpu_free < need->cpu_milli || node->mem_free < need->mem_mib || need->cpu_milli > UINT32_MAX)
        return false;
    memset(take, 0, words * sizeof *take);
    if (need->exclusive) {
        const struct gy_node_spec *spec = &gy_cluster_spec(c)->nodes.at[n.i];
        if (node->jobs > 0 || node->free_gpus < node->gpus || node->gpus < need->gpus ||
            node->gpus < need->fraction_gpus)
            return false;
        pick_whole(c, n, node->gpus, words, take);
        with.gpu_milli = need->fraction ? need->fraction : GY_MILLI;
        with.cpu_milli = spec->cpu_milli ? (uint32_t)spec->cpu_milli : with.cpu_milli;
        with.mem_mib = spec->mem_mib ? spec->mem_mib : with.mem_mib;
    } else if (need->fraction) {
        with.gpu_milli = need->fraction;
        if (!pick_fraction(c, n, need, take))
            return false;
    } else {
        if (node->free_gpus < need->gpus)
            return false;
        pick_whole(c, n, need->gpus, words, take);
    }
    return add_shares(n, words, take, with, req, out);
}

bool gy_place_take_gpu(gy_node_id n, uint32_t gpu, const struct gy_shape *s, const struct gy_place_request *req,
                       struct gy_placement *out)
{
    uint64_t take[NODE_WORDS] = {0};
    const struct gy_share with = {.gpu_milli = s->fraction, .cpu_milli = (uint32_t)s->cpu_milli, .mem_mib = s->mem_mib};
    take[gpu / 64] = UINT64_C(1) << (gpu % 64);
    return add_shares(n, gpu / 64 + 1, take, with, req, out);
}

struct gy_need gy_need_full(const struct gy_shape *s)
{
    return (struct gy_need){.gpus = s->gpus,
                            .fraction = s->fraction,
                            .fraction_gpus = s->fraction_gpus,
                            .exclusive = s->exclusive,
                            .cpu_milli = s->cpu_milli,
                            .mem_mib = s->mem_mib};
}

struct gy_need gy_need_rest(const struct gy_shape *s)
{
    return (struct gy_need){
        .gpus = s->rest, .exclusive = s->exclusive, .cpu_milli = s->rest_cpu_milli, .mem_mib = s->rest_mem_mib};
}

static int by_node_and_group(const void *pa, const void *pb)
{
    const struct gy_share *a = pa, *b = pb;
    if (a->node.i != b->node.i)
        return a->node.i < b->node.i ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

bool gy_place_done(const struct gy_cluster *c, const struct gy_shape *s, struct gy_placement *out, bool found,
                   enum gy_reason *why)
{
    if (found) {
        bool sorted = true;
        for (size_t i = 1; i < out->shares.n && sorted; i++)
            sorted = by_node_and_group(&out->shares.at[i - 1], &out->shares.at[i]) < 0;
        if (!sorted)
            qsort(out->shares.at, out->shares.n, sizeof *out->shares.at, by_node_and_group);
        return true;
    }
    out->shares.n = 0;
    if (why)
        *why = gy_shape_why_not(c, s);
    return false;
}
