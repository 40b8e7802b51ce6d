/* CASES.md 8(c): 2 leaves of 4 nodes, NIC and leaf uplink 50 GB/s, two jobs of 4 nodes, 1 s of compute and then a ring
 * all-reduce of 16 GB: 1.48 s a step each in a leaf of its own, 1.96 split 2 + 2, 2.92 interleaved. By rates (fluid)
 * and by flows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_flows.h"
#include "gy_graph.h"
#include "gy_solver.h"

static const struct gy_route_how plain = {.rule = GY_ROUTE_DETERMINISTIC};

static const struct {
    uint32_t job[2][4];
    double step_s;
} cases[] = {
    {{{0, 1, 2, 3}, {4, 5, 6, 7}}, 1.48},
    {{{0, 1, 4, 5}, {2, 3, 6, 7}}, 1.96},
    {{{0, 4, 1, 5}, {2, 6, 3, 7}}, 2.92},
};

static void build(struct gy_graph *g, double oversubscription)
{
    const struct gy_graph_plan f = {.type = GY_GRAPH_FAT_TREE,
                                    .nodes = 8,
                                    .nics_per_node = 1,
                                    .nic_rate = 50e9,
                                    .nodes_per_leaf = 4,
                                    .oversubscription = oversubscription};
    struct gy_error err = {0};
    cr_assert_eq(gy_graph_build(g, &f, &err), 0, "%s", err.what);
}

/* A variable a job: its rate is all-reduces a second, its coefficient on a link the bytes of one all-reduce there. */
static double fluid_step(const struct gy_graph *g, const uint32_t job[2][4], int jobs)
{
    struct gy_router *r = gy_router_new(g);
    struct gy_solver *s = gy_solver_new();
    uint32_t *id = calloc(g->links.n, sizeof *id), var[2];
    double slowest = INFINITY;

    for (uint32_t l = 0; l < g->links.n; l++)
        cr_assert(gy_solver_add_link(s, g->links.at[l].capacity, &id[l]));
    for (int j = 0; j < jobs; j++) {
        double *bytes = calloc(g->links.n, sizeof *bytes);
        cr_assert_eq(gy_ring_loads(r, job[j], 4, 16e9, &plain, bytes), GY_ROUTE_OK);
        cr_assert(gy_solver_add_var(s, 1, INFINITY, id, bytes, g->links.n, &var[j]));
        free(bytes);
    }
    cr_assert(gy_solver_solve(s));
    for (int j = 0; j < jobs; j++)
        slowest = fmin(slowest, gy_solver_rate(s, var[j]));
    free(id);
    gy_solver_free(s);
    gy_router_free(r);
    return 1 + 1 / slowest;
}

/* Flows of 2·3/4·16 GB from each node to the next in its ring, all from 1 s on. */
static double flow_step(const struct gy_graph *g, const uint32_t job[2][4], int jobs)
{
    struct gy_router *r = gy_router_new(g);
    struct gy_flow_link *links = calloc(g->links.n, sizeof *links);
    double last = 0;
    size_t n;

    for (size_t l = 0; l < g->links.n; l++)
        links[l] = (struct gy_flow_link){g->links.at[l].capacity, g->links.at[l].latency};
    struct gy_flows *f = gy_flows_new(links, (uint32_t)g->links.n);
    for (int j = 0; j < jobs; j++)
        for (int i = 0; i < 4; i++) {
            struct gy_path p = {0};
            cr_assert_eq(gy_router_route(r, g->nic[job[j][i]], g->nic[job[j][(i + 1) % 4]], &plain, &p), GY_ROUTE_OK);
            cr_assert(gy_flows_start(f, GY_SECOND, 24e9, p.links.at, p.links.n, 1, INFINITY, 0));
            gy_vec_free(&p.links);
        }
    cr_assert(gy_flows_advance(f, GY_NEVER, false));
    const struct gy_flow_end *e = gy_flows_ended(f, &n);
    cr_assert_eq(n, (size_t)jobs * 4);
    for (size_t i = 0; i < n; i++)
        last = fmax(last, (double)e[i].end * 1e-9 + e[i].past_s);
    gy_flows_free(f);
    gy_router_free(r);
    free(links);
    return last;
}

Test(net_two_jobs, as_in_the_case)
{
    struct gy_graph g;

    build(&g, 4);
    cr_assert_eq(g.switches, 3); /* one uplink a leaf: one spine */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_float_eq(fluid_step(&g, cases[i].job, 2), cases[i].step_s, 1e-12);
        cr_assert_float_eq(flow_step(&g, cases[i].job, 2), cases[i].step_s, 1e-12);
    }
    gy_graph_free(&g);
}

/* Neighbours: one job alone is slowed only where its own ring crosses twice; without oversubscription nobody is. */
Test(net_two_jobs, alone_and_with_enough_uplinks)
{
    struct gy_graph g;
    const double alone[] = {1.48, 1.48, 1.96};

    build(&g, 4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_float_eq(fluid_step(&g, cases[i].job, 1), alone[i], 1e-12);
        cr_assert_float_eq(flow_step(&g, cases[i].job, 1), alone[i], 1e-12);
    }
    gy_graph_free(&g);
    build(&g, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_float_eq(fluid_step(&g, cases[i].job, 2), flow_step(&g, cases[i].job, 2), 1e-12);
        cr_assert(fluid_step(&g, cases[i].job, 2) <= cases[i].step_s);
    }
    gy_graph_free(&g);
}

Test(net_two_jobs, a_ring_of_one_sends_nothing)
{
    struct gy_graph g;
    double bytes[64] = {0};
    uint32_t node = 3;

    build(&g, 4);
    struct gy_router *r = gy_router_new(&g);
    cr_assert_eq(gy_ring_loads(r, &node, 1, 16e9, &plain, bytes), GY_ROUTE_OK);
    for (size_t i = 0; i < g.links.n; i++)
        cr_assert_eq(bytes[i], 0);
    gy_router_free(r);
    gy_graph_free(&g);
}
