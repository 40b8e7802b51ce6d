/* Parts that policies are composed of: queue orders, placements, backfills. A part is a const type in a file of its own
 * (order_*.c, place_*.c, backfill_*.c) and one line in registry.c. */
#ifndef GY_PARTS_H
#define GY_PARTS_H
#include "gy_policy.h"

/* A queue order: smaller keys go first, ties by time queued, then by row of the trace. The key is taken when the job
 * enters the queue and stands while it waits. */
struct gy_order_type {
    const char *name, *summary;
    double (*key)(const struct gy_view *view, const struct gy_job *job);
};
extern const struct gy_order_type *const gy_orders[];

/* A placement: chooses nodes and GPUs for a shape on what is free now. */
struct gy_place_request {
    const struct gy_shape *shape;
    /* Optional: refuses a node for this request (backfill's reservations). shares is what would be taken there, n > 1
     * only on nodes with more than 64 GPUs. Asked once for each node that is looked at; what it grants is taken, so it
     * may keep count. */
    bool (*allowed)(void *ctx, const struct gy_share *shares, size_t n);
    void *ctx;
};
struct gy_placement {               /* grows as needed; reused between calls */
    GY_VEC(struct gy_share) shares; /* sorted by (node, group) */
    bool nomem;                     /* choose failed for want of memory */
};
struct gy_place_cursor { /* the next node of one class at one level */
    uint32_t klass, level;
    gy_node_id node;
    bool given; /* and the one after it is to be looked for */
};
struct gy_placer {
    const struct gy_place_type *type;
    struct gy_stream stream; /* for random placements: the stream "placement" of the run's seed */
    GY_VEC(struct gy_place_cursor) cursors;
    GY_VEC(uint32_t) nodes;
    GY_VEC(uint32_t) stamp; /* by node: the last choice that took it */
    uint32_t choice;
};
bool gy_placer_init(struct gy_placer *p, const struct gy_place_type *type,
                    const struct gy_view *v); /* false: no memory */
void gy_placer_free(struct gy_placer *p);

struct gy_place_type {
    const char *name, *summary;
    /* True and out filled, or false and *why set. False is certain: no other choice of nodes would do, but for requests
     * with `allowed`, whose answers depend on the nodes taken before. Cost: levels × classes × log64 nodes for each
     * node of the job; placements of fractions that are refused or that ask for several GPUs look at all nodes. */
    bool (*choose)(struct gy_placer *self, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why);
};
extern const struct gy_place_type *const gy_places[];

/* Whether the shape could fit now as far as counts by level tell: false is certain, true is likely. O(classes). */
bool gy_shape_may_fit(const struct gy_cluster *c, const struct gy_shape *s);
/* Why a shape does not fit now: resources, fragmentation or nodes that are down. O(classes × levels). */
enum gy_reason gy_shape_why_not(const struct gy_cluster *c, const struct gy_shape *s);
#endif
