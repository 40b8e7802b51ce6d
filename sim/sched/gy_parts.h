/* Parts that policies are composed of: queue orders, placements, backfills. A part is a const type in a file of its own
 * (order_*.c, place_*.c, backfill_*.c) and one line in registry.c. */
#ifndef GY_PARTS_H
#define GY_PARTS_H
#include "gy_policy.h"

/* A queue order: smaller keys go first, ties by time queued, then by row of the trace. */
struct gy_order_type {
    const char *name, *summary;
    double (*key)(const struct gy_view *view, const struct gy_job *job);
};
extern const struct gy_order_type *const gy_orders[];

/* A placement: chooses nodes and GPUs for a shape on what is free now. */
struct gy_place_request {
    const struct gy_shape *shape;
    /* Optional: refuses a node for this request (backfill's reservations). gpus is what would be taken there. */
    bool (*allowed)(void *ctx, gy_node_id node, uint32_t gpus);
    void *ctx;
};
struct gy_placement { /* grows as needed; reused between calls */
    GY_VEC(struct gy_share) shares;
};
struct gy_placer {
    const struct gy_place_type *type;
    struct gy_stream stream; /* for random placements */
};
struct gy_place_type {
    const char *name, *summary;
    /* True and out filled, or false and *why set. */
    bool (*choose)(struct gy_placer *self, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why);
};
extern const struct gy_place_type *const gy_places[];

/* Whether the shape could fit now as far as counts by level tell: false is certain, true is likely. O(classes). */
bool gy_shape_may_fit(const struct gy_cluster *c, const struct gy_shape *s);
#endif
