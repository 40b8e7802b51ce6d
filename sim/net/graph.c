/* The link graph as data: vertices, pairs of links, who leaves where, names. Builders are graph_build.c and
 * graph_fabric.c, routes graph_route.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_graph.h"
#include "gy_hostlist.h"

bool gy_graph_vertex(struct gy_graph *g, enum gy_vertex_kind kind, uint32_t node, uint32_t *id)
{
    if (g->vertices.n >= GY_GRAPH_NONE ||
        !gy_vec_push(&g->vertices, ((struct gy_vertex){.kind = (uint8_t)kind, .node = node})))
        return false;
    *id = (uint32_t)(g->vertices.n - 1);
    return true;
}

bool gy_graph_join(struct gy_graph *g, uint32_t a, uint32_t b, double capacity, gy_time latency)
{
    return g->links.n < GY_GRAPH_NONE - 1 && gy_vec_push(&g->links, ((struct gy_edge){a, b, capacity, latency})) &&
           gy_vec_push(&g->links, ((struct gy_edge){b, a, capacity, latency}));
}

bool gy_graph_finish(struct gy_graph *g)
{
    size_t n = g->vertices.n;
    uint32_t *first = calloc(n + 2, sizeof *first), *out = malloc((g->links.n + 1) * sizeof *out);

    free(g->out_first);
    free(g->out);
    g->out_first = first;
    g->out = out;
    if (!first || !out)
        return false;
    for (size_t i = 0; i < g->links.n; i++)
        first[g->links.at[i].from + 2]++;
    for (size_t v = 0; v < n; v++)
        first[v + 2] += first[v + 1];
    for (size_t i = 0; i < g->links.n; i++)
        out[first[g->links.at[i].from + 1]++] = (uint32_t)i;
    return true;
}

void gy_graph_free(struct gy_graph *g)
{
    gy_vec_free(&g->vertices);
    gy_vec_free(&g->links);
    free(g->out_first);
    free(g->out);
    free(g->host);
    free(g->nic);
    free(g->gpu);
    gy_strings_free(g->strings);
    *g = (struct gy_graph){0};
}

const char *gy_graph_name(const struct gy_graph *g, uint32_t vertex, char *buf, size_t size)
{
    static const char *const tier[] = {"leaf", "spine", "core"};
    const struct gy_vertex *v = &g->vertices.at[vertex];

    if (v->name && g->strings) {
        snprintf(buf, size, "%s", gy_strings_text(g->strings, v->name));
        return buf;
    }
    uint8_t t = v->tier > 2 ? 2 : v->tier;
    char node[GY_HOST_NAME_MAX + 1];
    if (g->node_name && v->kind != GY_V_SWITCH && v->kind != GY_V_NVSWITCH)
        snprintf(node, sizeof node, "%s", g->node_name(g->node_name_ctx, v->node));
    else
        snprintf(node, sizeof node, "node%u", v->node);
    switch (v->kind) {
    case GY_V_GPU:
        snprintf(buf, size, "%s/gpu%u", node, v->index);
        break;
    case GY_V_NIC:
        snprintf(buf, size, "%s/nic%u", node, v->index);
        break;
    case GY_V_HOST:
        snprintf(buf, size, "%s", node);
        break;
    case GY_V_NVSWITCH:
        snprintf(buf, size, "nvlink%u", v->node);
        break;
    default:
        snprintf(buf, size, "%s%u", tier[t], v->node - g->tier_first[t]);
    }
    return buf;
}

uint32_t gy_graph_leaf(const struct gy_graph *g, uint32_t node)
{
    uint32_t v = g->nic && g->nics_per_node ? g->nic[(size_t)node * g->nics_per_node]
                 : g->host                  ? g->host[node]
                                            : GY_GRAPH_NONE;

    for (uint32_t i = v == GY_GRAPH_NONE ? 0 : g->out_first[v]; v != GY_GRAPH_NONE && i < g->out_first[v + 1]; i++) {
        const struct gy_vertex *to = &g->vertices.at[g->links.at[g->out[i]].to];
        if (to->kind == GY_V_SWITCH)
            return to->node;
    }
    return GY_GRAPH_NONE;
}
