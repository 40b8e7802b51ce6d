/* The cluster's insides, shared by the files of sim/cluster alone. */
#ifndef CLUSTER_INTERNAL_H
#define CLUSTER_INTERNAL_H
#include "gy_bitset.h"
#include "gy_cluster.h"

#define SUBLEVELS 9 /* eighths of a node's CPUs and memory that are free, whichever is less; 8 is all free */

/* One class's index. Members are numbered 0 … nodes-1 in order of node id. */
struct class_index {
    struct gy_class pub;
    gy_node_id *member;        /* local number -> node */
    struct gy_bitset *by_free; /* [level * sublevels + sublevel], local numbers of nodes that are up */
    uint32_t sublevels;        /* 1 where neither CPUs nor memory are modelled */
    uint32_t *at_least;        /* [level]: nodes that are up with at least so many free GPUs */
    struct gy_bitset
        *by_room; /* [milli]: local node * gpus + gpu of partly taken GPUs with so much room; NULL until used */
    struct gy_bitset rooms; /* which milli have members */
};

struct gy_cluster {
    const struct gy_cluster_spec *spec;
    struct gy_node *node;
    uint32_t *local; /* node -> local number in its class */
    uint32_t n;
    struct class_index *klass;
    uint32_t classes;
    uint16_t *gpu_free_milli;
    uint64_t *gpu_free_mask;
    int64_t *allocated; /* milli-GPU held on each node */
    struct gy_totals totals;
    uint64_t freed;
    bool nomem;
};

static inline uint32_t gy_node_words(uint32_t gpus)
{
    return (gpus + 63) / 64;
}

int gy_classes_build(struct gy_cluster *c, struct gy_error *err); /* classes.c */
void gy_classes_free(struct gy_cluster *c);
/* Takes a node out of, or puts it into, its class's index as it stands now. */
void gy_index_erase(struct gy_cluster *c, uint32_t n);
void gy_index_insert(struct gy_cluster *c, uint32_t n);
/* A partly taken GPU entered or left the class's room index. */
void gy_index_room(struct gy_cluster *c, uint32_t n, uint32_t gpu, uint32_t milli, bool insert);
#endif
