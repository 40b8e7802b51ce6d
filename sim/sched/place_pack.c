/* Placement "pack": best fit. Nodes with the fewest free GPUs that still hold the job, ties to the lowest id; fractions
 * go to the fullest partly taken GPU that has room, else to a whole one on the node with the fewest free. */
#include "gy_place.h"

/* The partly taken GPU with the least (widest: most) room that holds the shape, over its classes. */
static bool best_shared(const struct gy_cluster *c, const struct gy_shape *s, gy_node_id *node, uint32_t *gpu)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < s->n_classes; i++) {
        gy_node_id n;
        uint32_t g;
        if (!gy_cluster_next_shared(c, s->classes[i], s->fraction, s->cpu_milli, s->mem_mib, false, &n, &g))
            continue;
        const uint32_t room = gy_cluster_gpu_free_milli(c, n, g);
        if (room < least || (room == least && n.i < node->i)) {
            least = room;
            *node = n;
            *gpu = g;
        }
    }
    return least != UINT32_MAX;
}

static bool choose(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why)
{
    const struct gy_shape *s = req->shape;
    if (s->fraction_gpus != 1 || s->exclusive)
        return gy_place_in_order(p, c, req, GY_WALK_UP, out, why);
    gy_node_id node = GY_NODE_NONE;
    uint32_t gpu = 0;
    out->shares.n = 0;
    out->nomem = false;
    const bool shared = best_shared(c, s, &node, &gpu);
    if (shared && gy_place_take_gpu(node, gpu, s, req, out))
        return true;
    if (shared && !out->nomem) /* refused: any other will do, by node */
        return gy_place_in_order(p, c, req, GY_WALK_UP, out, why);
    struct gy_walk w;
    const struct gy_need need = gy_need_full(s);
    gy_walk_start(&w, p, c, s, GY_WALK_UP, 1, s->cpu_milli, s->mem_mib);
    bool found = false;
    for (gy_node_id n; !found && !out->nomem && (n = gy_walk_next(&w)).i != UINT32_MAX;)
        found = gy_place_take(c, n, &need, req, out);
    out->nomem = out->nomem || w.nomem;
    return gy_place_done(c, s, out, found, why);
}

const struct gy_place_type gy_place_pack = {"pack", "best fit: the node with the fewest free GPUs that holds the job",
                                            choose};
