/* Node classes: nodes that no request can tell apart but by what is free on them. Not the index (index.c). */
#include "cluster_internal.h"
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"

static bool same_class(const struct gy_node_spec *a, const struct gy_node_spec *b)
{
    return a->gpus == b->gpus && a->gpu_type == b->gpu_type && a->gpu_mem_mib == b->gpu_mem_mib &&
           a->cpu_milli == b->cpu_milli && a->mem_mib == b->mem_mib && a->partitions == b->partitions &&
           a->labels == b->labels;
}

static uint64_t class_key(const struct gy_node_spec *s)
{
    uint64_t h = gy_hash_mix(s->gpus);
    const uint64_t part[] = {s->gpu_type, s->gpu_mem_mib, s->cpu_milli, s->mem_mib, s->partitions, s->labels};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        h = gy_hash_mix(h ^ part[i]);
    return h;
}

/* The class of a node, made when new. Probes on when two different specs share a hash. */
static int class_of(struct gy_cluster *c, struct gy_map *seen, uint32_t *cap, const struct gy_node_spec *s,
                    uint32_t *out)
{
    uint64_t key = class_key(s), found;
    while (gy_map_get(seen, key, &found)) {
        if (same_class(&c->klass[found].pub.like, s)) {
            *out = (uint32_t)found;
            return 0;
        }
        key = gy_hash_mix(key);
    }
    if (c->classes == *cap) {
        const uint32_t want = *cap ? *cap * 2 : 16;
        struct class_index *grown = realloc(c->klass, want * sizeof *grown);
        if (!grown)
            return -1;
        c->klass = grown;
        *cap = want;
    }
    c->klass[c->classes] = (struct class_index){.pub = {.like = *s}};
    *out = c->classes++;
    return gy_map_put(seen, key, *out) ? 0 : -1;
}

static int class_alloc(struct class_index *k)
{
    const struct gy_node_spec *like = &k->pub.like;
    k->sublevels = like->cpu_milli || like->mem_mib ? SUBLEVELS : 1;
    k->member = malloc(k->pub.nodes * sizeof *k->member);
    k->at_least = calloc(like->gpus + 1, sizeof *k->at_least);
    const size_t sets = (size_t)(like->gpus + 1) * k->sublevels;
    k->by_free = calloc(sets, sizeof *k->by_free);
    if (!k->member || !k->at_least || !k->by_free || !gy_bitset_init(&k->rooms, GY_MILLI))
        return -1;
    for (size_t i = 0; i < sets; i++)
        if (!gy_bitset_init(&k->by_free[i], k->pub.nodes))
            return -1;
    k->pub.nodes = 0; /* counted again as members are listed */
    return 0;
}

int gy_classes_build(struct gy_cluster *c, struct gy_error *err)
{
    struct gy_map seen = {0};
    uint32_t cap = 0;
    int rc = 0;
    for (uint32_t i = 0; i < c->n && rc == 0; i++) {
        rc = class_of(c, &seen, &cap, &c->spec->nodes.at[i], &c->node[i].klass);
        if (rc == 0)
            c->klass[c->node[i].klass].pub.nodes++;
    }
    gy_map_free(&seen);
    for (uint32_t k = 0; k < c->classes && rc == 0; k++)
        rc = class_alloc(&c->klass[k]);
    if (rc)
        return gy_nomem(err);
    for (uint32_t i = 0; i < c->n; i++) {
        struct class_index *k = &c->klass[c->node[i].klass];
        c->local[i] = k->pub.nodes;
        k->member[k->pub.nodes++] = (gy_node_id){i};
    }
    return 0;
}

void gy_classes_free(struct gy_cluster *c)
{
    for (uint32_t i = 0; i < c->classes; i++) {
        struct class_index *k = &c->klass[i];
        if (k->by_free)
            for (size_t s = 0; s < (size_t)(k->pub.like.gpus + 1) * k->sublevels; s++)
                gy_bitset_free(&k->by_free[s]);
        if (k->by_room)
            for (size_t s = 0; s < GY_MILLI; s++)
                gy_bitset_free(&k->by_room[s]);
        gy_bitset_free(&k->rooms);
        free(k->by_free);
        free(k->by_room);
        free(k->member);
        free(k->at_least);
    }
    free(c->klass);
}
