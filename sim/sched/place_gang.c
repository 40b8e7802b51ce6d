/* Gangs over several nodes, for every placement: full nodes in the order given, then the node of the rest. Not the
 * order itself (place_*.c), nor jobs that may be split in any way (place_split.c). */
#include "gy_place.h"

void gy_nodes_start(struct gy_nodes *n, const struct gy_cluster *c, const struct gy_shape *s, enum gy_walk_order order,
                    const struct gy_need *need)
{
    n->at = 0;
    if (!n->listed)
        gy_walk_start(&n->walk, n->p, c, s, order, need->gpus, need->cpu_milli, need->mem_mib);
}

gy_node_id gy_nodes_next(struct gy_nodes *n)
{
    if (!n->listed)
        return gy_walk_next(&n->walk);
    return n->at < n->p->nodes.n ? (gy_node_id){n->p->nodes.at[n->at++]} : GY_NODE_NONE;
}

bool gy_placer_stamps(struct gy_placer *p, const struct gy_cluster *c)
{
    const uint32_t n = gy_cluster_nodes(c);
    if (p->stamp.n == n && p->choice < UINT32_MAX) {
        p->choice++;
        return true;
    }
    if (!gy_vec_reserve(&p->stamp, n))
        return false;
    for (p->stamp.n = 0; p->stamp.n < n; p->stamp.n++)
        p->stamp.at[p->stamp.n] = 0;
    p->choice = 1;
    return true;
}

/* Takes nodes for the need until there are want of them; nodes taken before in this choice are passed over. */
static bool take_nodes(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                       enum gy_walk_order order, const struct gy_need *need, uint32_t want, bool many,
                       struct gy_placement *out)
{
    gy_nodes_start(from, c, req->shape, order, need);
    while (want > 0) {
        const gy_node_id n = gy_nodes_next(from);
        if (n.i == UINT32_MAX)
            break;
        if (many && from->p->stamp.at[n.i] == from->p->choice)
            continue;
        if (!gy_place_take(c, n, need, req, out))
            continue;
        if (many)
            from->p->stamp.at[n.i] = from->p->choice;
        want--;
    }
    out->nomem = out->nomem || (!from->listed && from->walk.nomem);
    return want == 0;
}

static bool place(struct gy_nodes *from, const struct gy_cluster *c, const struct gy_place_request *req,
                  enum gy_walk_order order, struct gy_placement *out, enum gy_reason *why)
{
    const struct gy_shape *s = req->shape;
    out->shares.n = 0;
    out->nomem = false;
    if (s->any_split)
        return gy_place_done(c, s, out, gy_place_split(from, c, req, order, out), why);
    struct gy_need need = gy_need_full(s);
    need.widest = order == GY_WALK_DOWN;
    const bool many = s->rest > 0;
    if (many && !gy_placer_stamps(from->p, c)) {
        out->nomem = true;
        return gy_place_done(c, s, out, false, why);
    }
    bool found = take_nodes(from, c, req, order, &need, s->full_nodes, many, out);
    if (found && s->rest > 0) {
        need = gy_need_rest(s);
        found = take_nodes(from, c, req, order, &need, 1, many, out);
    }
    return gy_place_done(c, s, out, found, why);
}

bool gy_place_in_order(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                       enum gy_walk_order order, struct gy_placement *out, enum gy_reason *why)
{
    struct gy_nodes from = {.p = p};
    return place(&from, c, req, order, out, why);
}

bool gy_place_listed(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                     struct gy_placement *out, enum gy_reason *why)
{
    struct gy_nodes from = {.p = p, .listed = true};
    return place(&from, c, req, GY_WALK_ID, out, why);
}
