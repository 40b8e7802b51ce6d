/* A fabric's graph from a topology: hosts become nodes, their adapters' links the nodes' ports, odd adapters stay out.
 * Switches are numbered by tier (leaves first), a tier being the distance to the nearest host. */
#include <stdlib.h>
#include <string.h>
#include "topo.h"

#define FAR UINT32_MAX

struct making {
    const struct gy_topo *t;
    uint32_t *vertex;       /* in the graph, of a host or switch; FAR none */
    uint32_t *tier;         /* of a switch */
    uint32_t *first, *next; /* neighbours among switches: lists of 2·link + side */
    uint32_t *queue;
};

/* The host that a vertex stands for: itself, or an adapter's; FAR none. */
static uint32_t host_of(const struct gy_topo *t, uint32_t v)
{
    const struct gy_topo_vertex *x = &t->vertices.at[v];

    if (x->kind == GY_T_HOST)
        return v;
    return x->kind == GY_T_NIC && !x->odd ? x->parent : FAR;
}

static uint32_t end_of(const struct gy_topo *t, uint32_t v)
{
    return t->vertices.at[v].kind == GY_T_SWITCH ? v : host_of(t, v);
}

/* Tiers by a search from all switches that have a host. */
static void find_tiers(struct making *m)
{
    const struct gy_topo *t = m->t;
    uint32_t head = 0, tail = 0;

    for (size_t i = 0; i < t->vertices.n; i++)
        m->tier[i] = m->first[i] = FAR;
    for (uint32_t i = 0; i < t->links.n; i++) {
        uint32_t v[2] = {t->links.at[i].a, t->links.at[i].b};
        for (int s = 0; s < 2; s++) {
            if (t->vertices.at[v[s]].kind != GY_T_SWITCH)
                continue;
            if (t->vertices.at[v[!s]].kind == GY_T_SWITCH) {
                m->next[2 * i + (uint32_t)s] = m->first[v[s]];
                m->first[v[s]] = 2 * i + (uint32_t)s;
            } else if (host_of(t, v[!s]) != FAR && m->tier[v[s]] == FAR) {
                m->tier[v[s]] = 0;
                m->queue[tail++] = v[s];
            }
        }
    }
    while (head < tail) {
        uint32_t v = m->queue[head++];
        for (uint32_t e = m->first[v]; e != FAR; e = m->next[e]) {
            uint32_t to = e & 1 ? t->links.at[e / 2].a : t->links.at[e / 2].b;
            if (m->tier[to] != FAR)
                continue;
            m->tier[to] = m->tier[v] + 1;
            m->queue[tail++] = to;
        }
    }
    for (uint32_t i = 0; i < t->vertices.n; i++) /* switches that no host reaches come last */
        if (t->vertices.at[i].kind == GY_T_SWITCH && m->tier[i] == FAR) {
            m->tier[i] = 255;
            m->queue[tail++] = i;
        }
}

static bool add_vertex(struct making *m, struct gy_graph *g, uint32_t i, enum gy_vertex_kind kind, uint32_t node)
{
    uint32_t v;

    if (!gy_graph_vertex(g, kind, node, &v))
        return false;
    m->vertex[i] = v;
    const char *name = gy_strings_text(m->t->strings, m->t->vertices.at[i].name);
    gy_str s = gy_strings_add(g->strings, name, strlen(name));
    g->vertices.at[v].name = s;
    return s != GY_STR_FAIL;
}

static bool add_vertices(struct making *m, struct gy_graph *g)
{
    const struct gy_topo *t = m->t;
    size_t switches = gy_topo_count(t, GY_T_SWITCH, false) + gy_topo_count(t, GY_T_SWITCH, true);
    bool ok = true;

    for (uint32_t i = 0; ok && i < t->vertices.n; i++) {
        m->vertex[i] = FAR;
        if (t->vertices.at[i].kind != GY_T_HOST)
            continue;
        ok = add_vertex(m, g, i, GY_V_HOST, g->nodes);
        g->host[g->nodes++] = m->vertex[i];
    }
    for (size_t q = 0; ok && q < switches; q++) { /* the queue is in order of tiers */
        uint32_t i = m->queue[q];
        ok = add_vertex(m, g, i, GY_V_SWITCH, g->switches++);
        g->vertices.at[m->vertex[i]].tier = (uint8_t)(m->tier[i] < 255 ? m->tier[i] : 255);
        g->leaves += m->tier[i] == 0;
    }
    return ok;
}

static bool fill(struct making *m, struct gy_graph *g, double default_rate, gy_time latency)
{
    const struct gy_topo *t = m->t;

    find_tiers(m);
    if (!add_vertices(m, g))
        return false;
    for (size_t i = 0; i < t->links.n; i++) {
        const struct gy_topo_link *l = &t->links.at[i];
        uint32_t a = end_of(t, l->a), b = end_of(t, l->b);
        if (l->via != GY_VIA_NETWORK || a == FAR || b == FAR)
            continue;
        if (!gy_graph_join(g, m->vertex[a], m->vertex[b], l->rate > 0 ? l->rate : default_rate * l->count, latency))
            return false;
    }
    return gy_graph_finish(g);
}

int gy_topo_graph(const struct gy_topo *t, double default_rate, gy_time latency, struct gy_graph *g,
                  struct gy_error *err)
{
    size_t n = t->vertices.n + 1, hosts = gy_topo_count(t, GY_T_HOST, false) + gy_topo_count(t, GY_T_HOST, true);
    struct making m = {.t = t};

    *g = (struct gy_graph){0};
    if (hosts == 0 || gy_topo_count(t, GY_T_SWITCH, false) == 0)
        return gy_fail(err, GY_EINPUT, NULL, "the topology (%s) has no hosts on switches: it tells one node's inside",
                       t->format);
    m.vertex = malloc(n * sizeof *m.vertex);
    m.tier = malloc(n * sizeof *m.tier);
    m.first = malloc(n * sizeof *m.first);
    m.queue = malloc(n * sizeof *m.queue);
    m.next = malloc((2 * t->links.n + 1) * sizeof *m.next);
    g->strings = gy_strings_new();
    g->host = malloc((hosts + 1) * sizeof *g->host);
    bool ok = m.vertex && m.tier && m.first && m.queue && m.next && g->strings && g->host &&
              fill(&m, g, default_rate, latency);
    free(m.vertex);
    free(m.tier);
    free(m.first);
    free(m.queue);
    free(m.next);
    if (ok)
        return 0;
    gy_graph_free(g);
    return gy_nomem(err);
}
