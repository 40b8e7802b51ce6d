/* A cluster's graph from a description: end points and what is inside a node here, switches in graph_tree.c and
 * graph_mesh.c. */
#include <math.h>
#include <stdlib.h>
#include "graph_build.h"

#define MAX_ENDS 50000000u /* NICs or GPUs: what 32-bit link ids and a big machine's memory hold */

bool build_switches(struct build *b, uint32_t n, uint8_t tier, uint32_t *first)
{
    *first = (uint32_t)b->g->vertices.n;
    b->g->tier_first[tier] = b->g->switches;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v;
        if (!gy_graph_vertex(b->g, GY_V_SWITCH, b->g->switches++, &v))
            return false;
        b->g->vertices.at[v].tier = tier;
    }
    if (tier == 0)
        b->g->leaves += n;
    return true;
}

static int check(const struct gy_graph_plan *f, struct gy_error *err)
{
    uint64_t gpus = (uint64_t)f->nodes * f->gpus_per_node, nics = (uint64_t)f->nodes * f->nics_per_node;
    const double rates[] = {f->nic_rate, f->pcie_rate, f->nvlink_rate, f->link_rate, f->oversubscription};

    if (f->nodes == 0 || gpus > MAX_ENDS || nics > MAX_ENDS)
        return gy_fail(err, GY_EINPUT, NULL,
                       "a fabric of %u nodes with %u GPUs and %u NICs each; wants 1 to %u of each", f->nodes,
                       f->gpus_per_node, f->nics_per_node, MAX_ENDS);
    if (f->gpus_per_node > UINT16_MAX || f->nics_per_node > UINT16_MAX)
        return gy_fail(err, GY_EINPUT, NULL, "a node has at most %u GPUs and NICs", UINT16_MAX);
    if (f->type != GY_GRAPH_NVLINK && (f->nics_per_node == 0 || !(f->nic_rate > 0)))
        return gy_fail(err, GY_EINPUT, NULL, "a fabric needs NICs with a rate above 0");
    if (f->type == GY_GRAPH_NVLINK && (f->gpus_per_node == 0 || !(f->nvlink_rate > 0)))
        return gy_fail(err, GY_EINPUT, NULL, "an NVLink domain needs GPUs and an NVLink rate above 0");
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (!(rates[i] >= 0 && rates[i] < INFINITY))
            return gy_fail(err, GY_EINPUT, NULL, "%g is no rate and no oversubscription; wants a finite number ≥ 0",
                           rates[i]);
    if (f->nic_latency < 0 || f->switch_latency < 0 || f->nvlink_latency < 0)
        return gy_fail(err, GY_EINPUT, NULL, "a latency is negative");
    return 0;
}

static bool reserve(struct gy_graph *g, const struct gy_graph_plan *f)
{
    size_t gpus = (size_t)f->nodes * f->gpus_per_node, nics = (size_t)f->nodes * f->nics_per_node;

    g->gpu = malloc((gpus + 1) * sizeof *g->gpu);
    g->nic = malloc((nics + 1) * sizeof *g->nic);
    return g->gpu && g->nic && gy_vec_reserve(&g->vertices, gpus + nics + f->nodes + 64) &&
           gy_vec_reserve(&g->links, 4 * gpus + 4 * nics + 64);
}

/* GPUs of the node with their links to `inner` and to their NICs. */
static bool build_gpus(struct build *b, uint32_t node, uint32_t inner)
{
    const struct gy_graph_plan *f = b->f;
    double pcie = f->pcie_rate > 0 ? f->pcie_rate : f->nic_rate;

    for (uint32_t i = 0; i < f->gpus_per_node; i++) {
        uint32_t v;
        if (!gy_graph_vertex(b->g, GY_V_GPU, node, &v))
            return false;
        b->g->vertices.at[v].index = (uint16_t)i;
        b->g->gpu[(size_t)node * f->gpus_per_node + i] = v;
        if (!gy_graph_join(b->g, v, inner, f->nvlink_rate > 0 ? f->nvlink_rate : pcie, f->nvlink_latency))
            return false;
        if (f->nics_per_node == 0)
            continue;
        uint32_t nic = b->g->nic[(size_t)node * f->nics_per_node + (size_t)i * f->nics_per_node / f->gpus_per_node];
        if (!gy_graph_join(b->g, v, nic, pcie, 0))
            return false;
    }
    return true;
}

static bool build_nodes(struct build *b)
{
    const struct gy_graph_plan *f = b->f;
    uint32_t domain = f->nvlink_rate > 0 && f->nodes_per_domain ? f->nodes_per_domain : 1, inner = 0, v;

    for (uint32_t n = 0; n < f->nodes; n++) {
        for (uint32_t i = 0; i < f->nics_per_node; i++) {
            if (!gy_graph_vertex(b->g, GY_V_NIC, n, &v))
                return false;
            b->g->vertices.at[v].index = (uint16_t)i;
            b->g->nic[(size_t)n * f->nics_per_node + i] = v;
        }
        if (f->gpus_per_node && n % domain == 0 && !gy_graph_vertex(b->g, GY_V_NVSWITCH, n / domain, &inner))
            return false;
        if (f->gpus_per_node && !build_gpus(b, n, inner))
            return false;
    }
    return true;
}

static bool attach(struct build *b, uint32_t node, uint32_t nic, uint32_t leaf)
{
    return gy_graph_join(b->g, b->g->nic[(size_t)node * b->f->nics_per_node + nic], b->first_leaf + leaf,
                         b->f->nic_rate, b->f->nic_latency);
}

/* Nodes one after another on leaves; on a rail fabric NIC r of every node of a pod on the pod's leaf r. */
static int build_leaves(struct build *b, uint32_t per_leaf, bool rails, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;
    uint32_t groups = (uint32_t)(((uint64_t)f->nodes + per_leaf - 1) / per_leaf);
    uint64_t leaves = (uint64_t)groups * (rails ? f->nics_per_node : 1),
             ports = (uint64_t)per_leaf * (rails ? 1 : f->nics_per_node);

    if (leaves > MAX_ENDS || ports > MAX_ENDS)
        return gy_fail(err, GY_EINPUT, NULL, "the fabric would need too many leaves or ports");
    if (!build_switches(b, (uint32_t)leaves, 0, &b->first_leaf))
        return gy_nomem(err);
    for (uint32_t n = 0; n < f->nodes; n++)
        for (uint32_t i = 0; i < f->nics_per_node; i++)
            if (!attach(b, n, i, rails ? n / per_leaf * f->nics_per_node + i : n / per_leaf))
                return gy_nomem(err);
    return leaves > 1 ? build_tree(b, (uint32_t)leaves, (uint32_t)ports, err) : 0;
}

static int build_by_type(struct build *b, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;
    uint32_t per_leaf = f->nodes_per_leaf;

    switch (f->type) {
    case GY_GRAPH_SWITCH:
        return build_leaves(b, f->nodes, false, err);
    case GY_GRAPH_FAT_TREE:
        if (per_leaf == 0 && f->radix == 0)
            return gy_fail(err, GY_EINPUT, NULL, "a fat-tree needs nodes_per_leaf or radix");
        if (per_leaf == 0) /* down/up = r in rate; ports are whole */
            per_leaf = (uint32_t)(f->radix * f->oversubscription * f->link_rate /
                                  (f->nic_rate + f->oversubscription * f->link_rate) / f->nics_per_node);
        return build_leaves(b, per_leaf ? per_leaf : 1, false, err);
    case GY_GRAPH_RAIL:
        per_leaf = per_leaf ? per_leaf : f->radix ? f->radix / 2 : f->nodes;
        return build_leaves(b, per_leaf ? per_leaf : 1, true, err);
    case GY_GRAPH_DRAGONFLY:
        return build_dragonfly(b, err);
    case GY_GRAPH_TORUS:
        return build_torus(b, err);
    case GY_GRAPH_NVLINK:
        return 0;
    }
    return gy_fail(err, GY_EINTERNAL, NULL, "no such fabric type");
}

int gy_graph_build(struct gy_graph *g, const struct gy_graph_plan *fabric, struct gy_error *err)
{
    struct gy_graph_plan f = *fabric;
    struct build b = {.g = g, .f = &f};

    *g = (struct gy_graph){0};
    f.oversubscription = f.oversubscription == 0 ? 1 : f.oversubscription;
    f.link_rate = f.link_rate == 0 ? f.nic_rate : f.link_rate;
    if (f.type == GY_GRAPH_NVLINK)
        f.nics_per_node = 0;
    if (check(&f, err))
        return -1;
    g->nodes = f.nodes;
    g->gpus_per_node = f.gpus_per_node;
    g->nics_per_node = f.nics_per_node;
    g->rail_forwarding = f.rail_forwarding;
    if (!reserve(g, &f) || !build_nodes(&b)) {
        gy_graph_free(g);
        return gy_nomem(err);
    }
    if (build_by_type(&b, err)) {
        gy_graph_free(g);
        return -1;
    }
    if (!gy_graph_finish(g)) {
        gy_graph_free(g);
        return gy_nomem(err);
    }
    return 0;
}
