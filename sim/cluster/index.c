/* The capacity index: nodes of a class by wholly free GPUs, and by the eighth of CPUs and memory that is free; partly
 * taken GPUs by the room on them. Not the booking (cluster.c). */
#include "cluster_internal.h"
#include <stdlib.h>

static uint32_t eighths(uint64_t amount, uint64_t of)
{
    return of == 0 || amount >= of ? SUBLEVELS - 1 : (uint32_t)((__uint128_t)amount * (SUBLEVELS - 1) / of);
}

/* The sublevel of free amounts; for a need, the lowest sublevel that can hold it. */
static uint32_t sublevel(const struct class_index *k, uint64_t cpu, uint64_t mem)
{
    if (k->sublevels == 1)
        return 0;
    const uint32_t a = eighths(cpu, k->pub.like.cpu_milli), b = eighths(mem, k->pub.like.mem_mib);
    return a < b ? a : b;
}

/* A need of nothing must not count as "all free" where CPUs or memory are not modelled. */
static uint32_t lowest_sublevel(const struct class_index *k, uint64_t cpu, uint64_t mem)
{
    if (k->sublevels == 1)
        return 0;
    const uint32_t a = k->pub.like.cpu_milli ? eighths(cpu, k->pub.like.cpu_milli) : SUBLEVELS - 1;
    const uint32_t b = k->pub.like.mem_mib ? eighths(mem, k->pub.like.mem_mib) : SUBLEVELS - 1;
    return a < b ? a : b;
}

static struct gy_bitset *set_of(struct gy_cluster *c, uint32_t n)
{
    struct class_index *k = &c->klass[c->node[n].klass];
    const struct gy_node *node = &c->node[n];
    return &k->by_free[node->free_gpus * k->sublevels + sublevel(k, node->cpu_free, node->mem_free)];
}

void gy_index_erase(struct gy_cluster *c, uint32_t n)
{
    struct class_index *k = &c->klass[c->node[n].klass];
    gy_bitset_erase(set_of(c, n), c->local[n]);
    for (uint32_t level = 0; level <= c->node[n].free_gpus; level++)
        k->at_least[level]--;
}

void gy_index_insert(struct gy_cluster *c, uint32_t n)
{
    struct class_index *k = &c->klass[c->node[n].klass];
    gy_bitset_insert(set_of(c, n), c->local[n]);
    for (uint32_t level = 0; level <= c->node[n].free_gpus; level++)
        k->at_least[level]++;
}

void gy_index_room(struct gy_cluster *c, uint32_t n, uint32_t gpu, uint32_t milli, bool insert)
{
    struct class_index *k = &c->klass[c->node[n].klass];
    if (milli == 0)
        return; /* full: nobody looks for it */
    if (!k->by_room && !(k->by_room = calloc(GY_MILLI, sizeof *k->by_room))) {
        c->nomem = true;
        return;
    }
    struct gy_bitset *b = &k->by_room[milli];
    if (!b->size && !gy_bitset_init(b, k->pub.nodes * k->pub.like.gpus)) {
        c->nomem = true;
        return;
    }
    const uint32_t at = c->local[n] * k->pub.like.gpus + gpu;
    if (insert)
        gy_bitset_insert(b, at);
    else
        gy_bitset_erase(b, at);
    if (b->count)
        gy_bitset_insert(&k->rooms, milli);
    else
        gy_bitset_erase(&k->rooms, milli);
}

static bool has_room(const struct gy_cluster *c, gy_node_id n, uint64_t cpu_milli, uint64_t mem_mib)
{
    return c->node[n.i].cpu_free >= cpu_milli && c->node[n.i].mem_free >= mem_mib;
}

/* Local number of the first member at or after a node id; members are in order of id. */
static uint32_t local_from(const struct class_index *k, gy_node_id from)
{
    uint32_t lo = 0, hi = k->pub.nodes;
    while (lo < hi) {
        const uint32_t mid = lo + (hi - lo) / 2;
        if (k->member[mid].i < from.i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

gy_node_id gy_cluster_next(const struct gy_cluster *c, uint32_t klass, uint32_t level, gy_node_id from,
                           uint64_t cpu_milli, uint64_t mem_mib)
{
    const struct class_index *k = &c->klass[klass];
    if (level > k->pub.like.gpus)
        return GY_NODE_NONE;
    const uint32_t start = from.i == 0 ? 0 : local_from(k, from);
    uint32_t best = GY_BITSET_NONE;
    for (uint32_t s = lowest_sublevel(k, cpu_milli, mem_mib); s < k->sublevels; s++) {
        const struct gy_bitset *b = &k->by_free[level * k->sublevels + s];
        if (b->count == 0)
            continue;
        uint32_t i = gy_bitset_next(b, start);
        while (i < best && !has_room(c, k->member[i], cpu_milli, mem_mib))
            i = gy_bitset_next(b, i + 1);
        if (i < best)
            best = i;
    }
    return best == GY_BITSET_NONE ? GY_NODE_NONE : k->member[best];
}

uint32_t gy_cluster_count(const struct gy_cluster *c, uint32_t klass, uint32_t level)
{
    const struct class_index *k = &c->klass[klass];
    return level > k->pub.like.gpus ? 0 : k->at_least[level];
}

uint32_t gy_cluster_count_exact(const struct gy_cluster *c, uint32_t klass, uint32_t level)
{
    return gy_cluster_count(c, klass, level) - gy_cluster_count(c, klass, level + 1);
}

static bool first_in_room(const struct gy_cluster *c, const struct class_index *k, uint32_t milli, uint64_t cpu_milli,
                          uint64_t mem_mib, gy_node_id *node, uint32_t *gpu)
{
    const struct gy_bitset *b = &k->by_room[milli];
    const uint32_t gpus = k->pub.like.gpus;
    for (uint32_t i = gy_bitset_next(b, 0); i != GY_BITSET_NONE;) {
        const gy_node_id n = k->member[i / gpus];
        if (has_room(c, n, cpu_milli, mem_mib)) {
            *node = n;
            *gpu = i % gpus;
            return true;
        }
        const uint32_t next_node = (i / gpus + 1) * gpus; /* its other GPUs cannot help */
        i = next_node < b->size ? gy_bitset_next(b, next_node) : GY_BITSET_NONE;
    }
    return false;
}

bool gy_cluster_next_shared(const struct gy_cluster *c, uint32_t klass, uint32_t gpu_milli, uint64_t cpu_milli,
                            uint64_t mem_mib, bool widest, gy_node_id *node, uint32_t *gpu)
{
    const struct class_index *k = &c->klass[klass];
    if (!k->by_room)
        return false;
    if (widest) {
        for (uint32_t m = GY_MILLI - 1; m >= gpu_milli && m > 0; m--)
            if (k->by_room[m].count && first_in_room(c, k, m, cpu_milli, mem_mib, node, gpu))
                return true;
        return false;
    }
    for (uint32_t m = gy_bitset_next(&k->rooms, gpu_milli); m != GY_BITSET_NONE; m = gy_bitset_next(&k->rooms, m + 1))
        if (first_in_room(c, k, m, cpu_milli, mem_mib, node, gpu))
            return true;
    return false;
}
