/* Placement "spread": worst fit. Nodes with the most free GPUs, ties to the lowest id; fractions go to a wholly free
 * GPU on the node with the most, else to the emptiest partly taken one. */
#include "gy_place.h"

static bool choose(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why)
{
    const struct gy_shape *s = req->shape;
    if (s->fraction_gpus != 1 || s->exclusive || req->allowed)
        return gy_place_in_order(p, c, req, GY_WALK_DOWN, out, why);
    for (uint32_t i = 0; i < s->n_classes; i++)
        if (gy_cluster_count(c, s->classes[i], 1) > 0)
            return gy_place_in_order(p, c, req, GY_WALK_DOWN, out, why);
    gy_node_id node = GY_NODE_NONE;
    uint32_t gpu = 0, most = 0;
    for (uint32_t i = 0; i < s->n_classes; i++) {
        gy_node_id n;
        uint32_t g;
        if (!gy_cluster_next_shared(c, s->classes[i], s->fraction, s->cpu_milli, s->mem_mib, true, &n, &g))
            continue;
        const uint32_t room = gy_cluster_gpu_free_milli(c, n, g);
        if (room > most || (room == most && n.i < node.i)) {
            most = room;
            node = n;
            gpu = g;
        }
    }
    out->shares.n = 0;
    out->nomem = false;
    return gy_place_done(c, s, out, most > 0 && gy_place_take_gpu(node, gpu, s, req, out), why);
}

const struct gy_place_type gy_place_spread = {"spread", "worst fit: the node with the most free GPUs", choose};
