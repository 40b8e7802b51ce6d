/* Speed of flows and of the solver: random flows to completion on a star and on fat-trees of 32 leaves and 1,024 hosts,
 * all from 0 on; and one change among them. Prints CPU seconds, growth over half as many, and what a change touches.
 * bench_flows [LARGEST [star|fat|fat2]]: numbers of flows from 1,000 on, doubled up to LARGEST. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gy_flows.h"
#include "gy_graph.h"
#include "gy_solver.h"
#include "gy_stream.h"

#define HOSTS 1024

static double cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct load {
    struct gy_flow_link *links;
    uint32_t n_links;
    struct gy_flow *flows;
    size_t n;
    GY_VEC(uint32_t) path;
};

static struct gy_graph fabric(const char *kind)
{
    struct gy_graph_plan f = {
        .type = GY_GRAPH_FAT_TREE, .nodes = HOSTS, .nics_per_node = 1, .nic_rate = 12.5e9, .nodes_per_leaf = 32};
    struct gy_error err = {0};
    struct gy_graph g;

    if (!strcmp(kind, "star"))
        f.type = GY_GRAPH_SWITCH;
    f.oversubscription = !strcmp(kind, "fat2") ? 2 : 1;
    if (gy_graph_build(&g, &f, &err)) {
        fprintf(stderr, "%s\n", err.what);
        exit(3);
    }
    return g;
}

/* Pairs at random, sizes log-uniform from 1 MB to 1 GB, routes by ECMP. */
static void make(struct load *w, const struct gy_graph *g, size_t n)
{
    struct gy_router *r = gy_router_new(g);
    struct gy_path p = {0};
    struct gy_stream pairs, ecmp;
    const struct gy_route_how how = {.rule = GY_ROUTE_ECMP, .stream = &ecmp};

    gy_stream_init(&pairs, 1, "pairs");
    gy_stream_init(&ecmp, 1, "ecmp");
    *w = (struct load){.n = n, .n_links = (uint32_t)g->links.n};
    w->links = calloc(w->n_links, sizeof *w->links);
    w->flows = calloc(n, sizeof *w->flows);
    for (uint32_t i = 0; i < w->n_links; i++)
        w->links[i].capacity = g->links.at[i].capacity;
    for (size_t i = 0; i < n; i++) {
        uint64_t a = gy_stream_below(&pairs, HOSTS), b = gy_stream_below(&pairs, HOSTS - 1);
        gy_router_route(r, g->nic[a], g->nic[b + (b >= a)], &how, &p);
        w->flows[i] =
            (struct gy_flow){0, floor(1e6 * pow(1000, gy_stream_uniform(&pairs))), w->path.n, (uint32_t)p.links.n};
        for (size_t k = 0; k < p.links.n; k++)
            gy_vec_push(&w->path, p.links.at[k]);
    }
    gy_vec_free(&p.links);
    gy_stream_free(&pairs);
    gy_stream_free(&ecmp);
    gy_router_free(r);
}

static void unmake(struct load *w)
{
    free(w->links);
    free(w->flows);
    gy_vec_free(&w->path);
}

/* All flows at once, solved from nothing, then taken away and brought back one after another. */
static void one_change(const struct load *w)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t *var = calloc(w->n, sizeof *var), id;
    size_t touched = 0, links = 0, changed = 0, n, changes = w->n < 500 ? w->n : 500;

    for (uint32_t i = 0; i < w->n_links; i++)
        gy_solver_add_link(s, w->links[i].capacity, &id);
    for (size_t i = 0; i < w->n; i++)
        gy_solver_add_var(s, 1, INFINITY, w->path.at + w->flows[i].first, NULL, w->flows[i].n, &var[i]);
    double t = cpu_s();
    gy_solver_solve(s);
    double full = cpu_s() - t;
    t = cpu_s();
    for (size_t i = 0; i < changes; i++) {
        gy_solver_remove_var(s, var[i]);
        gy_solver_solve(s);
        gy_solver_touched(s, &n);
        touched += n;
        gy_solver_changed_links(s, &n);
        links += n;
        gy_solver_changed(s, &n);
        changed += n;
        gy_solver_add_var(s, 1, INFINITY, w->path.at + w->flows[i].first, NULL, w->flows[i].n, &var[i]);
        gy_solver_solve(s);
    }
    double each = (cpu_s() - t) / (double)(2 * changes);
    printf("  %zu flows at once: full solve %.3f ms (%.0f ns a use); a change %.1f us, %.0f rates of %zu, %.0f links "
           "anew, %.0f touched\n",
           w->n, 1e3 * full, 1e9 * full / (double)w->path.n, 1e6 * each, (double)changed / (double)changes, w->n,
           (double)links / (double)changes, (double)touched / (double)changes);
    free(var);
    gy_solver_free(s);
}

static void series(const char *kind, size_t largest)
{
    struct gy_graph g = fabric(kind);
    double before = 0;

    printf("%s\n", !strcmp(kind, "star") ? "star" : !strcmp(kind, "fat") ? "fat-tree 1:1" : "fat-tree 2:1");
    for (size_t n = 1000; n <= largest; n *= 2) {
        struct gy_flows_result r;
        struct gy_error err = {0};
        struct load w;
        make(&w, &g, n);
        double t = cpu_s();
        if (gy_flows_replay(w.links, w.n_links, w.flows, w.n, w.path.at, &r, &err))
            exit(3);
        t = cpu_s() - t;
        printf("  %7zu flows to completion: %8.3f s CPU, %zu instants", n, t, (size_t)r.events);
        printf(before > 0 ? ", x %.1f\n" : "\n", t / before);
        before = t;
        one_change(&w);
        gy_flows_result_free(&r);
        unmake(&w);
        fflush(stdout);
    }
    gy_graph_free(&g);
}

int main(int argc, char **argv)
{
    size_t largest = argc > 1 ? strtoul(argv[1], NULL, 10) : 16000;
    const char *const kinds[] = {"star", "fat", "fat2"};

    for (int i = 0; i < 3; i++)
        if (argc < 3 || !strcmp(argv[2], kinds[i]))
            series(kinds[i], largest);
    return 0;
}
