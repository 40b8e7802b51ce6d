/* Routes: shortest paths over switches that are up, with the choice of equal hops that the caller asks for. */
#include <stdlib.h>
#include <string.h>
#include "gy_graph.h"

#define FAR UINT16_MAX

struct gy_router {
    const struct gy_graph *g;
    double *factor;     /* a directed link */
    uint16_t **dist;    /* by destination switch ordinal: hops from every switch ordinal; NULL until asked for */
    uint32_t *by_order; /* vertex of a switch ordinal */
    uint32_t *queue;    /* of the search */
};

struct gy_router *gy_router_new(const struct gy_graph *g)
{
    struct gy_router *r = calloc(1, sizeof *r);

    if (!r)
        return NULL;
    r->g = g;
    r->factor = malloc((g->links.n + 1) * sizeof *r->factor);
    r->dist = calloc(g->switches + 1, sizeof *r->dist);
    r->by_order = calloc(g->switches + 1, sizeof *r->by_order);
    r->queue = calloc(g->switches + 1, sizeof *r->queue);
    if (!r->factor || !r->dist || !r->by_order || !r->queue) {
        gy_router_free(r);
        return NULL;
    }
    for (size_t i = 0; i < g->links.n; i++)
        r->factor[i] = 1;
    for (uint32_t v = 0; v < g->vertices.n; v++)
        if (g->vertices.at[v].kind == GY_V_SWITCH)
            r->by_order[g->vertices.at[v].node] = v;
    return r;
}

static void forget(struct gy_router *r)
{
    for (uint32_t i = 0; i < r->g->switches; i++) {
        free(r->dist[i]);
        r->dist[i] = NULL;
    }
}

void gy_router_free(struct gy_router *r)
{
    if (!r)
        return;
    if (r->dist)
        forget(r);
    free(r->factor);
    free(r->dist);
    free(r->by_order);
    free(r->queue);
    free(r);
}

void gy_router_set_factor(struct gy_router *r, uint32_t link, double factor)
{
    const struct gy_edge *e = &r->g->links.at[link];
    bool was_up = r->factor[link] > 0, is_up = factor > 0;

    r->factor[link] = factor;
    if (was_up != is_up && r->g->vertices.at[e->from].kind == GY_V_SWITCH &&
        r->g->vertices.at[e->to].kind == GY_V_SWITCH)
        forget(r);
}

double gy_router_capacity(const struct gy_router *r, uint32_t link)
{
    return r->g->links.at[link].capacity * r->factor[link];
}

/* Hops to destination switch `to` (an ordinal) from every switch, by a search backwards over links that are up. */
static const uint16_t *distances(struct gy_router *r, uint32_t to)
{
    const struct gy_graph *g = r->g;
    uint16_t *d = r->dist[to];
    uint32_t head = 0, tail = 0;

    if (d)
        return d;
    d = r->dist[to] = malloc(g->switches * sizeof *d);
    if (!d)
        return NULL;
    memset(d, 0xff, g->switches * sizeof *d);
    d[to] = 0;
    r->queue[tail++] = to;
    while (head < tail) {
        uint32_t at = r->queue[head++], v = r->by_order[at];
        for (uint32_t i = g->out_first[v]; i < g->out_first[v + 1]; i++) {
            uint32_t link = g->out[i];
            const struct gy_vertex *from = &g->vertices.at[g->links.at[link].to];
            if (from->kind != GY_V_SWITCH || d[from->node] != FAR || r->factor[gy_link_back(link)] <= 0)
                continue;
            d[from->node] = (uint16_t)(d[at] + 1);
            r->queue[tail++] = from->node;
        }
    }
    return d;
}

static bool step(struct gy_router *r, uint32_t link, struct gy_path *p)
{
    p->latency += r->g->links.at[link].latency;
    return gy_vec_push(&p->links, link);
}

static bool leads_nearer(const struct gy_router *r, uint32_t link, const uint16_t *d, uint16_t now)
{
    const struct gy_vertex *to = &r->g->vertices.at[r->g->links.at[link].to];

    return to->kind == GY_V_SWITCH && r->factor[link] > 0 && d[to->node] + 1 == now;
}

/* One of the links out of switch vertex v that lead nearer by d; GY_GRAPH_NONE when there is none. */
static uint32_t next_hop(struct gy_router *r, uint32_t v, const uint16_t *d, const struct gy_route_how *how,
                         uint32_t *key)
{
    const struct gy_graph *g = r->g;
    uint16_t now = d[g->vertices.at[v].node];
    uint32_t n = 0, pick = 0, best = GY_GRAPH_NONE;

    for (uint32_t i = g->out_first[v]; i < g->out_first[v + 1]; i++) {
        uint32_t link = g->out[i];
        if (!leads_nearer(r, link, d, now))
            continue;
        n++;
        if (how->rule == GY_ROUTE_ADAPTIVE && best != GY_GRAPH_NONE &&
            how->load[link] / gy_router_capacity(r, link) >= how->load[best] / gy_router_capacity(r, best))
            continue;
        if (how->rule == GY_ROUTE_ADAPTIVE || best == GY_GRAPH_NONE)
            best = link;
    }
    if (n <= 1 || how->rule == GY_ROUTE_ADAPTIVE || (how->rule == GY_ROUTE_DETERMINISTIC && g->in_order))
        return best;
    if (how->rule == GY_ROUTE_ECMP) {
        pick = (uint32_t)gy_stream_below(how->stream, n);
    } else {
        pick = *key % n;
        *key /= n;
    }
    for (uint32_t i = g->out_first[v]; i < g->out_first[v + 1]; i++)
        if (leads_nearer(r, g->out[i], d, now) && pick-- == 0)
            return g->out[i];
    return GY_GRAPH_NONE;
}

/* The pair of ports (a link to a switch at `from`, one at `to`) with the fewest hops between; of equal ones the first
 * that keeps the rail (same place among the ports), then the first. */
static bool ports(struct gy_router *r, uint32_t from, uint32_t to, uint32_t *up, uint32_t *down)
{
    const struct gy_graph *g = r->g;
    uint32_t best = UINT32_MAX;

    for (uint32_t j = g->out_first[to]; j < g->out_first[to + 1]; j++) {
        uint32_t in = gy_link_back(g->out[j]);
        const struct gy_vertex *last = &g->vertices.at[g->links.at[in].from];
        const uint16_t *d = last->kind == GY_V_SWITCH && r->factor[in] > 0 ? distances(r, last->node) : NULL;
        for (uint32_t i = g->out_first[from]; d && i < g->out_first[from + 1]; i++) {
            const struct gy_vertex *first = &g->vertices.at[g->links.at[g->out[i]].to];
            if (first->kind != GY_V_SWITCH || r->factor[g->out[i]] <= 0 || d[first->node] == FAR)
                continue;
            uint32_t cost = 2u * d[first->node] + (i - g->out_first[from] != j - g->out_first[to]);
            if (cost >= best)
                continue;
            best = cost;
            *up = g->out[i];
            *down = in;
        }
    }
    return best != UINT32_MAX;
}

static enum gy_route_result over_switches(struct gy_router *r, uint32_t from, uint32_t to,
                                          const struct gy_route_how *how, struct gy_path *p)
{
    const struct gy_graph *g = r->g;
    uint32_t up = 0, down = 0, key;

    if (!ports(r, from, to, &up, &down))
        return GY_ROUTE_UNREACHABLE;
    uint32_t at = g->links.at[up].to, last = g->links.at[down].from;
    const uint16_t *d = distances(r, g->vertices.at[last].node);
    key = g->vertices.at[to].kind == GY_V_NIC ? g->vertices.at[to].node * g->nics_per_node + g->vertices.at[to].index
                                              : g->vertices.at[to].node;
    if (!d || !step(r, up, p))
        return GY_ROUTE_NOMEM;
    while (at != last) {
        uint32_t hop = next_hop(r, at, d, how, &key);
        if (hop == GY_GRAPH_NONE)
            return GY_ROUTE_UNREACHABLE;
        if (!step(r, hop, p))
            return GY_ROUTE_NOMEM;
        at = g->links.at[hop].to;
    }
    return step(r, down, p) ? GY_ROUTE_OK : GY_ROUTE_NOMEM;
}

/* The link from a to its neighbour b that is up. */
static uint32_t link_between(const struct gy_router *r, uint32_t a, uint32_t b)
{
    const struct gy_graph *g = r->g;

    for (uint32_t i = g->out_first[a]; i < g->out_first[a + 1]; i++)
        if (g->links.at[g->out[i]].to == b && r->factor[g->out[i]] > 0)
            return g->out[i];
    return GY_GRAPH_NONE;
}

/* A GPU's link to the switch within its node or domain. */
static uint32_t inner_link(const struct gy_router *r, uint32_t gpu)
{
    const struct gy_graph *g = r->g;

    for (uint32_t i = g->out_first[gpu]; i < g->out_first[gpu + 1]; i++)
        if (g->vertices.at[g->links.at[g->out[i]].to].kind == GY_V_NVSWITCH && r->factor[g->out[i]] > 0)
            return g->out[i];
    return GY_GRAPH_NONE;
}

/* From GPU to GPU over the switch of their node or domain; unreachable when they share none. */
static enum gy_route_result inside(struct gy_router *r, uint32_t from, uint32_t to, struct gy_path *p)
{
    uint32_t a = inner_link(r, from), b = inner_link(r, to);

    if (a == GY_GRAPH_NONE || b == GY_GRAPH_NONE || r->g->links.at[a].to != r->g->links.at[b].to ||
        r->factor[gy_link_back(b)] <= 0)
        return GY_ROUTE_UNREACHABLE;
    return step(r, a, p) && step(r, gy_link_back(b), p) ? GY_ROUTE_OK : GY_ROUTE_NOMEM;
}

static uint32_t nic_of(const struct gy_graph *g, uint32_t gpu)
{
    const struct gy_vertex *v = &g->vertices.at[gpu];

    if (v->kind != GY_V_GPU)
        return gpu;
    if (!g->nics_per_node)
        return GY_GRAPH_NONE;
    return g->nic[(size_t)v->node * g->nics_per_node + (size_t)v->index * g->nics_per_node / g->gpus_per_node];
}

/* With rail forwarding the data first goes to the GPU of the own node that is on the destination's rail. */
static enum gy_route_result forward_rail(struct gy_router *r, uint32_t *from, uint32_t to_nic, struct gy_path *p)
{
    const struct gy_graph *g = r->g;
    const struct gy_vertex *v = &g->vertices.at[*from];
    uint32_t rail = g->vertices.at[to_nic].index, nics = g->nics_per_node;

    if (!g->rail_forwarding || v->kind != GY_V_GPU || g->vertices.at[nic_of(g, *from)].index == rail)
        return GY_ROUTE_OK;
    uint32_t peer = g->gpu[(size_t)v->node * g->gpus_per_node + ((size_t)rail * g->gpus_per_node + nics - 1) / nics];
    enum gy_route_result done = inside(r, *from, peer, p);
    *from = done == GY_ROUTE_OK ? peer : *from;
    return done == GY_ROUTE_NOMEM ? done : GY_ROUTE_OK; /* without NVLink the spine does it */
}

static enum gy_route_result between_nodes(struct gy_router *r, uint32_t from, uint32_t to,
                                          const struct gy_route_how *how, struct gy_path *p)
{
    uint32_t in = nic_of(r->g, to), link;

    if (in == GY_GRAPH_NONE || forward_rail(r, &from, in, p) != GY_ROUTE_OK)
        return in == GY_GRAPH_NONE ? GY_ROUTE_UNREACHABLE : GY_ROUTE_NOMEM;
    uint32_t out = nic_of(r->g, from);
    if (out == GY_GRAPH_NONE)
        return GY_ROUTE_UNREACHABLE;
    if (out != from) {
        link = link_between(r, from, out);
        if (link == GY_GRAPH_NONE)
            return GY_ROUTE_UNREACHABLE;
        if (!step(r, link, p))
            return GY_ROUTE_NOMEM;
    }
    enum gy_route_result done = out == in ? GY_ROUTE_OK : over_switches(r, out, in, how, p);
    if (done != GY_ROUTE_OK || in == to)
        return done;
    link = link_between(r, in, to);
    if (link == GY_GRAPH_NONE)
        return GY_ROUTE_UNREACHABLE;
    return step(r, link, p) ? GY_ROUTE_OK : GY_ROUTE_NOMEM;
}

enum gy_route_result gy_router_route(struct gy_router *r, uint32_t from, uint32_t to, const struct gy_route_how *how,
                                     struct gy_path *path)
{
    const struct gy_vertex *v = r->g->vertices.at;

    gy_vec_clear(&path->links);
    path->latency = 0;
    if (from == to)
        return GY_ROUTE_OK;
    if (v[from].kind == GY_V_GPU && v[to].kind == GY_V_GPU) {
        enum gy_route_result done = inside(r, from, to, path);
        if (done != GY_ROUTE_UNREACHABLE)
            return done;
        gy_vec_clear(&path->links);
    }
    return between_nodes(r, from, to, how, path);
}

enum gy_route_result gy_ring_loads(struct gy_router *r, const uint32_t *nodes, size_t n, double bytes,
                                   const struct gy_route_how *how, double *bytes_on)
{
    const struct gy_graph *g = r->g;
    uint32_t rails = g->nics_per_node ? g->nics_per_node : 1;
    double share = n > 1 ? 2.0 * (double)(n - 1) / (double)n * bytes / rails : 0;
    enum gy_route_result done = GY_ROUTE_OK;
    struct gy_path path = {0};

    for (size_t i = 0; n > 1 && i < n && done == GY_ROUTE_OK; i++) {
        uint32_t a = nodes[i], b = nodes[(i + 1) % n];
        for (uint32_t k = 0; k < rails && done == GY_ROUTE_OK; k++) {
            const uint32_t *at = g->nics_per_node ? g->nic : g->host;
            done = gy_router_route(r, at[(size_t)a * rails + k], at[(size_t)b * rails + k], how, &path);
            for (size_t l = 0; done == GY_ROUTE_OK && l < path.links.n; l++)
                bytes_on[path.links.at[l]] += share;
        }
    }
    gy_vec_free(&path.links);
    return done;
}
