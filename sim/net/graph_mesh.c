/* Dragonfly and torus. Dragonfly: groups of a routers, all joined to all within a group; every router has p nodes and h
 * links to other groups; the a·h global links of a group go round-robin over the other groups, as many to each (Kim,
 * Dally, Scott and Abts, ISCA 2008; balanced: a = 2p = 2h). Torus: a router a node, joined to both neighbours in each
 * dimension (to one where the dimension is 2). */
#include <stdlib.h>
#include "graph_build.h"

static int attach_all(struct build *b, uint32_t routers, uint32_t per_router, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;

    if (!build_switches(b, routers, 0, &b->first_leaf))
        return gy_nomem(err);
    for (uint32_t n = 0; n < f->nodes; n++)
        for (uint32_t i = 0; i < f->nics_per_node; i++)
            if (!gy_graph_join(b->g, b->g->nic[(size_t)n * f->nics_per_node + i], b->first_leaf + n / per_router,
                               f->nic_rate, f->nic_latency))
                return gy_nomem(err);
    return 0;
}

static bool join_groups(struct build *b, uint32_t groups, uint32_t a, uint32_t h, uint32_t links)
{
    uint32_t *used = calloc(groups, sizeof *used);
    bool ok = used;

    for (uint32_t i = 0; ok && i < groups; i++)
        for (uint32_t j = i + 1; ok && j < groups; j++)
            for (uint32_t k = 0; ok && k < links; k++) {
                uint32_t from = i * a + used[i]++ / h, to = j * a + used[j]++ / h;
                ok = gy_graph_join(b->g, b->first_leaf + from, b->first_leaf + to, b->f->link_rate,
                                   b->f->switch_latency);
            }
    free(used);
    return ok;
}

int build_dragonfly(struct build *b, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;
    uint32_t p = f->nodes_per_router, a = f->routers_per_group ? f->routers_per_group : 2 * p;
    uint32_t h = f->global_links ? f->global_links : p;

    if (p == 0 || a == 0 || p > 4096 || a > 4096 || h > 4096)
        return gy_fail(err, GY_EINPUT, NULL,
                       "a dragonfly needs nodes_per_router (and routers_per_group, global_links) in 1 to 4096");
    uint32_t groups = (uint32_t)(((uint64_t)f->nodes + (uint64_t)a * p - 1) / ((uint64_t)a * p));
    if (groups > a * h + 1)
        return gy_fail(err, GY_EINPUT, NULL, "%u nodes need %u groups; %u routers with %u global links join at most %u",
                       f->nodes, groups, a, h, a * h + 1);
    if (attach_all(b, groups * a, p, err))
        return -1;
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t i = 0; i < a; i++)
            for (uint32_t j = i + 1; j < a; j++)
                if (!gy_graph_join(b->g, b->first_leaf + g * a + i, b->first_leaf + g * a + j, f->link_rate,
                                   f->switch_latency))
                    return gy_nomem(err);
    return groups == 1 || join_groups(b, groups, a, h, a * h / (groups - 1)) ? 0 : gy_nomem(err);
}

int build_torus(struct build *b, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;
    uint32_t dim[3], stride = 1;
    uint64_t routers = 1;

    for (int d = 0; d < 3; d++) {
        dim[d] = f->dim[d] ? f->dim[d] : 1;
        routers *= dim[d];
        if (routers > 50000000u)
            return gy_fail(err, GY_EINPUT, NULL, "a torus of more than 50000000 routers");
    }
    if (routers < f->nodes)
        return gy_fail(err, GY_EINPUT, NULL, "a torus of %u × %u × %u has no room for %u nodes", dim[0], dim[1], dim[2],
                       f->nodes);
    b->g->in_order = true;
    if (attach_all(b, (uint32_t)routers, 1, err))
        return -1;
    for (int d = 0; d < 3; stride *= dim[d++]) /* one dimension after another: so are the links of each router */
        for (uint32_t i = 0; i < routers && dim[d] > 1; i++) {
            uint32_t at = i / stride % dim[d], next = at + 1 < dim[d] ? i + stride : i - at * stride;
            if (dim[d] == 2 && at == 1)
                continue;
            if (!gy_graph_join(b->g, b->first_leaf + i, b->first_leaf + next, f->link_rate, f->switch_latency))
                return gy_nomem(err);
        }
    return 0;
}
