/* The link graph of a cluster: GPUs, NICs, hosts and switches joined by directed links, and routes over it.
 *
 * Const after building; may be shared between simulations. What a run changes (links down or degraded) and what it has
 * found out (distances) lives in a router, one a simulation. Building is O(vertices + links); a fabric of 100,000 GPUs
 * takes some tens of milliseconds and about 50 bytes a directed link.
 *
 * Links come in pairs: link 2i runs one way, 2i+1 the other; gy_link_back names the other. Routes are shortest paths
 * over switches (in a fat-tree: up and down; in a dragonfly: minimal; in a torus: dimension order), and of equally
 * short next hops one is chosen: deterministic  by the destination's number: number mod choices, the quotient goes to
 * the next hop (destination-mod-k) ecmp           by a draw from a seeded stream, a draw a hop, a route a queue pair
 *   adaptive       the least loaded relative to its capacity now, ties to the lowest id */
#ifndef GY_GRAPH_H
#define GY_GRAPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_str.h"
#include "gy_stream.h"
#include "gy_time.h"
#include "gy_vec.h"

#define GY_GRAPH_NONE UINT32_MAX

enum gy_vertex_kind { GY_V_GPU, GY_V_NIC, GY_V_HOST, GY_V_SWITCH, GY_V_NVSWITCH };

struct gy_vertex {
    uint8_t kind;
    uint8_t tier;   /* of a switch: 0 has hosts, then up */
    uint16_t index; /* of a GPU or NIC in its node */
    uint32_t node;  /* GPU, NIC, host: its node; switch: its ordinal among switches; NVSwitch: its domain */
    gy_str name;    /* in the graph's strings, 0: named by kind and number */
};

struct gy_edge {
    uint32_t from, to;
    double capacity; /* bytes per second */
    gy_time latency;
};

struct gy_graph {
    GY_VEC(struct gy_vertex) vertices;
    GY_VEC(struct gy_edge) links;
    uint32_t *out_first,
        *out; /* links that leave vertex v: out[out_first[v] … out_first[v+1]) in the order of adding */
    uint32_t nodes, gpus_per_node, nics_per_node; /* regular fabrics; imported ones have 0 GPUs and NICs a node */
    uint32_t switches, leaves;                    /* ordinals of leaves come first */
    uint32_t tier_first[3];                       /* ordinal of the first leaf, spine, core; for names */
    uint32_t *host, *nic, *gpu; /* vertex ids by node, node·nics_per_node + i, node·gpus_per_node + i; may be NULL */
    struct gy_strings *strings; /* NULL: no names; owned */
    const char *(*node_name)(void *ctx, uint32_t node); /* what nodes are called; NULL: "node3" */
    void *node_name_ctx;                                /* borrowed */
    bool in_order;                                      /* take the first of equal hops (dimension order) */
    bool rail_forwarding;                               /* reach another rail by NVLink within the source node */
};

/* By hand: add, then finish. The graph must be zeroed at first. False when out of memory. */
bool gy_graph_vertex(struct gy_graph *g, enum gy_vertex_kind kind, uint32_t node, uint32_t *id);
bool gy_graph_join(struct gy_graph *g, uint32_t a, uint32_t b, double capacity, gy_time latency); /* both directions */
bool gy_graph_finish(struct gy_graph *g);
void gy_graph_free(struct gy_graph *g);

static inline uint32_t gy_link_back(uint32_t link)
{
    return link ^ 1;
}
/* "leaf3", "spine0", "node12/gpu3", "node12/nic0", or the imported name; buf ≥ 64 bytes is always enough for the
 * former. */
const char *gy_graph_name(const struct gy_graph *g, uint32_t vertex, char *buf, size_t size);
/* Leaf switch ordinal of a node (of its first NIC), GY_GRAPH_NONE without one: the topology domain for placement. */
uint32_t gy_graph_leaf(const struct gy_graph *g, uint32_t node);

enum gy_graph_type {
    GY_GRAPH_SWITCH,    /* one switch for all */
    GY_GRAPH_FAT_TREE,  /* leaves, spines, and with 3 levels pods and cores */
    GY_GRAPH_RAIL,      /* NIC r of every node of a pod on one leaf; leaves joined by spines */
    GY_GRAPH_DRAGONFLY, /* groups of all-to-all routers, all groups joined */
    GY_GRAPH_TORUS,     /* 1 to 3 dimensions, one router a node */
    GY_GRAPH_NVLINK     /* NVLink domains only, nothing between them */
};
struct gy_graph_plan {
    enum gy_graph_type type;
    uint32_t nodes, gpus_per_node, nics_per_node; /* gpus 0: NICs are the end points; nics ≥ 1 except for NVLINK */
    uint32_t nodes_per_domain;                    /* of one NVLink domain; 0 is 1 (NVL72 of 4-GPU nodes: 18) */
    double nic_rate, pcie_rate, nvlink_rate; /* bytes/s a direction; pcie 0: as the NIC; nvlink 0: PCIe in the node */
    gy_time nic_latency, switch_latency, nvlink_latency; /* of NIC–leaf, switch–switch, GPU–NVSwitch links */
    uint32_t nodes_per_leaf; /* fat-tree (0: as the radix gives); rail: nodes of a pod (0: radix/2 or all) */
    uint32_t radix;          /* ports of a switch, 0: as many as needed */
    uint32_t levels;         /* fat-tree 2 or 3; 0 is 2 */
    uint32_t leaves_per_pod; /* 3 levels; 0: radix/2, or the square root of the leaves */
    double oversubscription; /* leaf: rate to nodes / rate up; 0 is 1 */
    double link_rate;        /* between switches, a link; 0: as the NIC. Uplinks share the exact total evenly */
    uint32_t routers_per_group, nodes_per_router, global_links; /* dragonfly a, p, h; given p alone: a = 2p, h = p */
    uint32_t dim[3]; /* torus; zeros at the end are left out; their product ≥ nodes */
    bool rail_forwarding;
};
int gy_graph_build(struct gy_graph *g, const struct gy_graph_plan *fabric, struct gy_error *err);

struct gy_router;
struct gy_router *gy_router_new(const struct gy_graph *g); /* borrows; NULL when out of memory */
void gy_router_free(struct gy_router *r);
/* One direction of a link: down, degraded to factor × capacity, or restored (1). Routes found later go around links
 * that are down; degraded ones stay in use. O(1), and the distances are found again when needed. */
void gy_router_set_factor(struct gy_router *r, uint32_t link, double factor); /* 0: down */
double gy_router_capacity(const struct gy_router *r, uint32_t link);          /* bytes/s now */

enum gy_route_rule { GY_ROUTE_DETERMINISTIC, GY_ROUTE_ECMP, GY_ROUTE_ADAPTIVE };
struct gy_route_how {
    enum gy_route_rule rule;
    struct gy_stream *stream; /* ECMP */
    const double *load;       /* adaptive: bytes/s of every link now */
};
struct gy_path {
    GY_VEC(uint32_t) links;
    gy_time latency;
};
enum gy_route_result { GY_ROUTE_OK, GY_ROUTE_UNREACHABLE, GY_ROUTE_NOMEM };
/* The links from one end point (GPU, NIC or host) to another, into path (emptied first). O(hops · ports) after a first
 * O(switch links) a destination switch. */
enum gy_route_result gy_router_route(struct gy_router *r, uint32_t from, uint32_t to, const struct gy_route_how *how,
                                     struct gy_path *path);

/* Bytes that one ring all-reduce of `bytes` puts on each link: the nodes in ring order, every hop carries
 * 2(n-1)/n·bytes, shared evenly by the rails (NICs of equal index) of both nodes. Adds to bytes_on, one entry a link. n
 * ≤ 1 adds nothing. */
enum gy_route_result gy_ring_loads(struct gy_router *r, const uint32_t *nodes, size_t n, double bytes,
                                   const struct gy_route_how *how, double *bytes_on);
#endif
