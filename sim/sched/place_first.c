/* Placement "first": the lowest node ids with room, the lowest free GPUs on them. */
#include "gy_place.h"

static bool choose(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why)
{
    return gy_place_in_order(p, c, req, GY_WALK_ID, out, why);
}

const struct gy_place_type gy_place_first = {"first", "the lowest node with room", choose};
