/* Placement "random": nodes drawn uniformly among those with room, from the seeded stream "placement"; the lowest free
 * GPUs on them. */
#include "gy_place.h"

/* Fills p->nodes with the nodes that hold the need. */
static bool list_fitting(struct gy_placer *p, const struct gy_cluster *c, const struct gy_shape *s)
{
    const uint32_t low = s->any_split ? 1 : s->rest ? s->rest : s->gpus;
    struct gy_walk w;
    p->nodes.n = 0;
    gy_walk_start(&w, p, c, s, GY_WALK_ID, low, s->rest ? s->rest_cpu_milli : s->cpu_milli,
                  s->rest ? s->rest_mem_mib : s->mem_mib);
    for (gy_node_id n; (n = gy_walk_next(&w)).i != UINT32_MAX;)
        if (!gy_vec_push(&p->nodes, n.i))
            return false;
    return !w.nomem;
}

static bool choose(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why)
{
    const struct gy_shape *s = req->shape;
    if (!gy_shape_may_fit(c, s)) {
        out->nomem = false;
        return gy_place_done(c, s, out, false, why);
    }
    if (!list_fitting(p, c, s)) {
        out->nomem = true;
        return gy_place_done(c, s, out, false, why);
    }
    for (size_t i = p->nodes.n; i > 1; i--) {
        const size_t k = gy_stream_below(&p->stream, i);
        const uint32_t swap = p->nodes.at[i - 1];
        p->nodes.at[i - 1] = p->nodes.at[k];
        p->nodes.at[k] = swap;
    }
    return gy_place_listed(p, c, req, out, why);
}

const struct gy_place_type gy_place_random = {"random", "nodes drawn uniformly among those with room", choose};
