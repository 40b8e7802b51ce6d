/* The cluster: nodes with typed GPUs, CPUs and memory, and an index that finds a node with room without scanning all.
 *
 * Two parts. The spec is const after loading. The state (struct gy_cluster) is one simulation's: what is free, which
 * nodes are up, and the index. Nodes with the same GPU count, GPU type, partitions and labels form a class; a request
 * is checked against classes once, then against nodes by level (number of wholly free GPUs).
 *
 * A share is what one job holds on one node, or on one group of 64 GPUs of a node with more than 64. */
#ifndef GY_CLUSTER_H
#define GY_CLUSTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_str.h"
#include "gy_time.h"
#include "gy_vec.h"

typedef struct {
    uint32_t i;
} gy_node_id;
#define GY_NODE_NONE ((gy_node_id){UINT32_MAX})

#define GY_MILLI          1000 /* thousandths of a GPU */
#define GY_MAX_NODE_GPUS  4096
#define GY_MAX_NODES      (1u << 24)
#define GY_MAX_PARTITIONS 64 /* a node's partitions are bits of a 64-bit mask */

struct gy_node_spec {
    gy_str name;
    gy_str gpu_type; /* "" for a node without GPUs or of unnamed type */
    uint32_t gpus;
    uint32_t gpu_mem_mib; /* memory of one GPU, 0 unknown */
    uint64_t cpu_milli;   /* thousandths of a CPU core; 0: CPUs are not modelled on this node */
    uint64_t mem_mib;     /* 0: memory is not modelled on this node */
    uint64_t partitions;  /* bit p: member of partition p of the spec */
    uint32_t labels;      /* index of a label set in the spec, 0 is the empty set */
    uint32_t hardware;    /* index into the model catalogue's nodes, UINT32_MAX none */
    uint32_t leaf;        /* leaf switch (topology domain), UINT32_MAX none */
    double speed;         /* GPU speed relative to the trace's, 1 when unknown */
    bool absent;          /* not part of the cluster at the start; a capacity event brings it */
};

struct gy_label_set { /* sorted "key=value" texts */
    gy_str *at;
    size_t n;
};

enum gy_node_state {
    GY_NODE_UP,
    GY_NODE_DRAINED, /* running jobs go on, nothing new starts; its free GPUs count as down */
    GY_NODE_DOWN,    /* failed or under repair; counts in total */
    GY_NODE_ABSENT   /* not part of the cluster; counts nowhere */
};

struct gy_capacity_event { /* a planned change, sorted by (time, node) */
    gy_time time;
    gy_node_id node;
    enum gy_node_state state;
};

/* Const after loading; owned by whoever built it (gy_cluster_spec_free). */
struct gy_cluster_spec {
    struct gy_strings *strings; /* borrowed: shared with the trace */
    GY_VEC(struct gy_node_spec) nodes;
    GY_VEC(gy_str) partitions;
    GY_VEC(struct gy_label_set) label_sets; /* entry 0 is empty */
    GY_VEC(struct gy_capacity_event) events;
};
void gy_cluster_spec_free(struct gy_cluster_spec *spec);
/* The label set of these "key=value" texts (sorted here), an old one where the last 256 have it. 0, or -1 with err. */
int gy_cluster_label_set(struct gy_cluster_spec *spec, char **texts, size_t n, uint32_t *index, struct gy_error *err);

struct gy_share {
    gy_node_id node;
    uint32_t group;     /* GPUs group*64 … group*64+63 of the node; 0 nearly always */
    uint64_t mask;      /* which of them; 0 for a share of CPUs only */
    uint32_t gpu_milli; /* of each GPU in mask: 1000 whole, less for a fraction */
    uint32_t cpu_milli;
    uint64_t mem_mib;
};

/* Run state of one node; read-only outside sim/cluster. */
struct gy_node {
    uint32_t klass;
    uint32_t gpus,
        free_gpus; /* wholly free GPUs (0 while not up) are in the index; free_gpus counts them in any state */
    uint64_t cpu_free, mem_free; /* milli-cores, MiB; UINT64_MAX where not modelled */
    uint32_t first_gpu;          /* index of its first GPU in gpu_free_milli */
    uint32_t first_word;         /* index of its first word in gpu_free_mask */
    uint32_t shared_gpus;        /* GPUs with a fraction taken */
    uint32_t jobs;               /* shares held here */
    uint8_t state;               /* enum gy_node_state */
};

struct gy_class {
    struct gy_node_spec like; /* a member's spec: gpus, type, partitions, labels are common to all */
    uint32_t nodes;           /* members, whatever their state */
};

struct gy_cluster; /* opaque index; accessors below are cheap */
struct gy_cluster *gy_cluster_new(const struct gy_cluster_spec *spec, struct gy_error *err);
void gy_cluster_free(struct gy_cluster *c);

const struct gy_cluster_spec *gy_cluster_spec(const struct gy_cluster *c);
uint32_t gy_cluster_nodes(const struct gy_cluster *c);
const struct gy_node *gy_cluster_node(const struct gy_cluster *c, gy_node_id n);
uint32_t gy_cluster_gpu_free_milli(const struct gy_cluster *c, gy_node_id n, uint32_t gpu);
uint64_t gy_cluster_free_mask(const struct gy_cluster *c, gy_node_id n, uint32_t group); /* wholly free GPUs */
uint32_t gy_cluster_classes(const struct gy_cluster *c);
const struct gy_class *gy_cluster_class(const struct gy_cluster *c, uint32_t klass);

struct gy_totals { /* GPU amounts in thousandths of a GPU */
    int64_t total; /* of nodes that are not absent */
    int64_t down;  /* GPUs of down nodes, free GPUs of drained nodes */
    int64_t allocated;
    int64_t free; /* total - down - allocated, always */
};
struct gy_totals gy_cluster_totals(const struct gy_cluster *c);

/* Index queries. Levels run from 0 to the class's gpus; only nodes that are up are in the index.
 * next: the node of smallest id ≥ from in the class with exactly `level` wholly free GPUs and at least the given CPUs
 * and memory; GY_NODE_NONE if none. O(log64 n) per candidate passed over; candidates are pre-sorted by CPU room, so
 * passing over is rare. */
gy_node_id gy_cluster_next(const struct gy_cluster *c, uint32_t klass, uint32_t level, gy_node_id from,
                           uint64_t cpu_milli, uint64_t mem_mib);
/* Nodes in the class with at least `level` wholly free GPUs, CPU and memory not looked at. O(1). */
uint32_t gy_cluster_count(const struct gy_cluster *c, uint32_t klass, uint32_t level);
/* Nodes with exactly `level`. O(1). */
uint32_t gy_cluster_count_exact(const struct gy_cluster *c, uint32_t klass, uint32_t level);
/* The best GPU for a fraction among partly taken GPUs of the class: least room ≥ gpu_milli, ties to the lowest node
 * then GPU; false if none. widest: most room instead of least. */
bool gy_cluster_next_shared(const struct gy_cluster *c, uint32_t klass, uint32_t gpu_milli, uint64_t cpu_milli,
                            uint64_t mem_mib, bool widest, gy_node_id *node, uint32_t *gpu);

/* Booking. Shares of one job are sorted by (node, group), each pair once. check: whether they fit now (nodes up, GPUs
 * free); the text of why not goes to err. book and release keep the index; book only after check said yes. */
int gy_cluster_check(const struct gy_cluster *c, const struct gy_share *shares, size_t n, struct gy_error *err);
void gy_cluster_book(struct gy_cluster *c, const struct gy_share *shares, size_t n);
void gy_cluster_release(struct gy_cluster *c, const struct gy_share *shares, size_t n);
void gy_cluster_set_state(struct gy_cluster *c, gy_node_id n, enum gy_node_state state);
/* False once memory ran out while the index grew: the run must end. */
bool gy_cluster_ok(const struct gy_cluster *c);
/* Counts changes that can make something fit: releases and nodes coming up. A pass may be skipped while it stands. */
uint64_t gy_cluster_freed(const struct gy_cluster *c);
/* The node of that name, or GY_NODE_NONE. */
gy_node_id gy_cluster_find(const struct gy_cluster_spec *spec, gy_str name);
#endif
