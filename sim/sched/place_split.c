/* Jobs that may be split over nodes in any amounts. */
#include "gy_place.h"

/* Takes as many GPUs on the node as are left to take, fit, and are allowed. */
static uint32_t take_some(const struct gy_cluster *c, gy_node_id n, const struct gy_place_request *req, uint32_t left,
                          struct gy_placement *out)
{
    const struct gy_shape *s = req->shape;
    const struct gy_node *node = gy_cluster_node(c, n);
    uint64_t k = node->free_gpus < left ? node->free_gpus : left;
    if (s->cpu_milli && node->cpu_free / s->cpu_milli < k)
        k = node->cpu_free / s->cpu_milli;
    if (s->mem_mib && node->mem_free / s->mem_mib < k)
        k = node->mem_free / s->mem_mib;
    for (; k > 0; k--) {
        const struct gy_need need = {
            .gpus = (uint32_t)k, .exclusive = s->exclusive, .cpu_milli = s->cpu_milli * k, .mem_mib = s->mem_mib * k};
        if (gy_place_take(c, n, &need, req, out))
            return (uint32_t)k;
    }
    return 0;
}

/* Any amounts on any nodes: nodes in the given order, each as far as it goes. */
static bool split_any(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                      enum gy_walk_order order, struct gy_placement *out)
{
    const struct gy_need one = {.gpus = 1, .cpu_milli = req->shape->cpu_milli, .mem_mib = req->shape->mem_mib};
    uint32_t left = req->shape->gpus;
    gy_nodes_start(from, c, req->shape, order, &one);
    while (left > 0) {
        const gy_node_id n = gy_nodes_next(from);
        if (n.i == UINT32_MAX)
            break;
        left -= take_some(c, n, req, left, out);
    }
    return left == 0;
}

static bool done_before(const struct gy_placer *p, gy_node_id n)
{
    return p->stamp.at[n.i] == p->choice;
}

/* One more node for all that is left, best fit. */
static bool finish(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req, uint32_t left,
                   struct gy_placement *out)
{
    const struct gy_shape *s = req->shape;
    const struct gy_need need = {
        .gpus = left, .exclusive = s->exclusive, .cpu_milli = s->cpu_milli * left, .mem_mib = s->mem_mib * left};
    gy_nodes_start(from, c, s, GY_WALK_UP, &need);
    for (gy_node_id n = gy_nodes_next(from); n.i != UINT32_MAX; n = gy_nodes_next(from))
        if (!done_before(from->p, n) && gy_place_take(c, n, &need, req, out))
            return true;
    return false;
}

/* As few nodes as possible: the emptiest first, the last one by best fit. */
static bool split_pack(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                       struct gy_placement *out)
{
    const struct gy_need one = {.gpus = 1, .cpu_milli = req->shape->cpu_milli, .mem_mib = req->shape->mem_mib};
    uint32_t left = req->shape->gpus, failed = UINT32_MAX;
    gy_nodes_start(from, c, req->shape, GY_WALK_DOWN, &one);
    while (left > 0) {
        const gy_node_id n = gy_nodes_next(from);
        if (n.i == UINT32_MAX)
            return false;
        if (done_before(from->p, n))
            continue;
        if (gy_cluster_node(c, n)->free_gpus >= left && left < failed) {
            if (finish(from, c, req, left, out))
                return true;
            failed = left;
            gy_nodes_start(from, c, req->shape, GY_WALK_DOWN, &one);
            continue;
        }
        left -= take_some(c, n, req, left, out);
        from->p->stamp.at[n.i] = from->p->choice;
    }
    return true;
}

/* A GPU a node in turn, the emptiest nodes first: amounts first, then the shares. */
static bool split_spread(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                         struct gy_placement *out)
{
    const struct gy_shape *s = req->shape;
    const struct gy_need one = {.gpus = 1, .cpu_milli = s->cpu_milli, .mem_mib = s->mem_mib};
    uint32_t n = 0, left = s->gpus;
    gy_nodes_start(from, c, s, GY_WALK_DOWN, &one);
    from->p->nodes.n = 0;
    for (gy_node_id id; n < s->gpus && (id = gy_nodes_next(from)).i != UINT32_MAX; n++)
        if (!gy_vec_push(&from->p->nodes, id.i))
            return !(out->nomem = true);
    uint64_t behind = 0; /* free GPUs of the nodes not yet asked */
    for (uint32_t i = 0; i < n; i++)
        behind += gy_cluster_node(c, (gy_node_id){from->p->nodes.at[i]})->free_gpus;
    for (uint32_t i = 0; i < n && left > 0; i++) {
        const gy_node_id id = {from->p->nodes.at[i]};
        behind -= gy_cluster_node(c, id)->free_gpus;
        const uint32_t fair = (left + (n - i) - 1) / (n - i); /* what those behind cannot take falls to this one */
        left -= take_some(c, id, req, left - fair > behind ? left - (uint32_t)behind : fair, out);
    }
    return left == 0;
}

bool gy_place_split(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                    enum gy_walk_order order, struct gy_placement *out)
{
    if (from->listed || order == GY_WALK_ID || (order == GY_WALK_DOWN && req->allowed))
        return split_any(from, c, req, order, out);
    if (order == GY_WALK_DOWN)
        return split_spread(from, c, req, out) || (out->shares.n = 0, split_any(from, c, req, order, out));
    if (!gy_placer_stamps(from->p, c))
        return !(out->nomem = true);
    return split_pack(from, c, req, out);
}
