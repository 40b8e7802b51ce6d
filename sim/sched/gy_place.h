/* What the placements share: walks over nodes with room, and taking GPUs on a node. Internal to sim/sched. */
#ifndef GY_PLACE_H
#define GY_PLACE_H
#include "gy_parts.h"

/* The need on one node. */
struct gy_need {
    uint32_t gpus;     /* wholly free GPUs */
    uint32_t fraction; /* or: milli-GPU on fraction_gpus GPUs */
    uint32_t fraction_gpus;
    bool exclusive, widest; /* widest: fractions go to the GPUs with most room, else least */
    uint64_t cpu_milli, mem_mib;
};

/* Which node comes next: all levels lowest id first; or level by level, upwards or downwards, ids ascending in each. */
enum gy_walk_order { GY_WALK_ID, GY_WALK_UP, GY_WALK_DOWN };

struct gy_walk {
    struct gy_placer *p;
    const struct gy_cluster *c;
    const struct gy_shape *s;
    enum gy_walk_order order;
    uint32_t low, high; /* levels; level: the present one */
    uint32_t level;
    uint64_t cpu_milli, mem_mib;
    bool nomem;
};
/* Walks over nodes of the shape's classes that are up and have at least low free GPUs and the CPUs and memory. Uses the
 * placer's cursors: one walk at a time. */
void gy_walk_start(struct gy_walk *w, struct gy_placer *p, const struct gy_cluster *c, const struct gy_shape *s,
                   enum gy_walk_order order, uint32_t low, uint64_t cpu_milli, uint64_t mem_mib);
gy_node_id gy_walk_next(struct gy_walk *w); /* GY_NODE_NONE at the end */

/* Adds shares for the need on the node: the lowest free GPUs; for fractions the fullest that have room (widest: the
 * emptiest), ties to the lowest. False when it does not fit there, the request refuses it, or memory ran out. */
bool gy_place_take(const struct gy_cluster *c, gy_node_id n, const struct gy_need *need,
                   const struct gy_place_request *req, struct gy_placement *out);
/* Adds a share of a fraction of one given GPU. */
bool gy_place_take_gpu(gy_node_id n, uint32_t gpu, const struct gy_shape *s, const struct gy_place_request *req,
                       struct gy_placement *out);

/* A source of nodes: a walk, or the list in p->nodes. */
struct gy_nodes {
    struct gy_walk walk;
    struct gy_placer *p;
    bool listed;
    size_t at;
};
void gy_nodes_start(struct gy_nodes *n, const struct gy_cluster *c, const struct gy_shape *s, enum gy_walk_order order,
                    const struct gy_need *need);
gy_node_id gy_nodes_next(struct gy_nodes *n);
/* Begins a choice: p->stamp.at[node] == p->choice then marks a node as taken in it. False when out of memory. */
bool gy_placer_stamps(struct gy_placer *p, const struct gy_cluster *c);

/* Any amounts on any nodes. In order of id, or of the list: each node as far as it goes. Up (pack): as few nodes as
 * possible, the last one by best fit. Down (spread): even amounts; where nodes may be
 * refused, the emptiest node first as far as it goes. */
bool gy_place_split(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                    enum gy_walk_order order, struct gy_placement *out);

/* A placement that takes nodes in a walk's order. */
bool gy_place_in_order(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                       enum gy_walk_order order, struct gy_placement *out, enum gy_reason *why);
/* The nodes listed in p->nodes, in that order. */
bool gy_place_listed(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                     struct gy_placement *out, enum gy_reason *why);
/* Sorts the shares and returns true; or empties out, sets *why (may be NULL) and returns false. */
bool gy_place_done(const struct gy_cluster *c, const struct gy_shape *s, struct gy_placement *out, bool found,
                   enum gy_reason *why);
struct gy_need gy_need_full(const struct gy_shape *s);
struct gy_need gy_need_rest(const struct gy_shape *s);
#endif
