/* Fabrics by their counts, routes by their hops, failures, ECMP, and a fabric of 100,000 GPUs. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "gy_graph.h"

static const struct gy_route_how plain = {.rule = GY_ROUTE_DETERMINISTIC};

static struct gy_graph built(struct gy_graph_plan f)
{
    struct gy_graph g;
    struct gy_error err = {0};
    cr_assert_eq(gy_graph_build(&g, &f, &err), 0, "%s", err.what);
    return g;
}

/* The route is a walk over links that are up; returns its length. */
static size_t hops(struct gy_router *r, const struct gy_graph *g, uint32_t a, uint32_t b,
                   const struct gy_route_how *how, struct gy_path *p)
{
    cr_assert_eq(gy_router_route(r, a, b, how, p), GY_ROUTE_OK);
    for (size_t i = 0; i < p->links.n; i++) {
        cr_assert_eq(g->links.at[p->links.at[i]].from, i ? g->links.at[p->links.at[i - 1]].to : a);
        cr_assert(gy_router_capacity(r, p->links.at[i]) > 0);
    }
    cr_assert(p->links.n == 0 || g->links.at[p->links.at[p->links.n - 1]].to == b);
    return p->links.n;
}

static double rate_between(const struct gy_graph *g, uint8_t tier_from, uint8_t tier_to)
{
    double sum = 0;
    for (size_t i = 0; i < g->links.n; i++) {
        const struct gy_vertex *a = &g->vertices.at[g->links.at[i].from], *b = &g->vertices.at[g->links.at[i].to];
        if (a->kind == GY_V_SWITCH && b->kind == GY_V_SWITCH && a->tier == tier_from && b->tier == tier_to)
            sum += g->links.at[i].capacity;
    }
    return sum;
}

static uint32_t count(const struct gy_graph *g, enum gy_vertex_kind kind, int tier)
{
    uint32_t n = 0;
    for (size_t i = 0; i < g->vertices.n; i++)
        n += g->vertices.at[i].kind == kind && (tier < 0 || g->vertices.at[i].tier == tier);
    return n;
}

Test(net_graph, fat_tree_of_two_levels)
{
    struct gy_graph g = built((struct gy_graph_plan){.type = GY_GRAPH_FAT_TREE,
                                                     .nodes = 1024,
                                                     .nics_per_node = 1,
                                                     .nic_rate = 12.5e9,
                                                     .nodes_per_leaf = 32,
                                                     .oversubscription = 2,
                                                     .switch_latency = 300,
                                                     .nic_latency = 100});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};
    char name[64];

    cr_assert_eq(count(&g, GY_V_SWITCH, 0), 32);
    cr_assert_eq(count(&g, GY_V_SWITCH, 1), 16);
    cr_assert_eq(g.links.n, 2 * (1024 + 32 * 16));
    cr_assert(fabs(rate_between(&g, 0, 1) - 512 * 12.5e9) < 1);
    cr_assert_eq(hops(r, &g, g.nic[0], g.nic[31], &plain, &p), 2);
    cr_assert_eq(p.latency, 200);
    cr_assert_eq(hops(r, &g, g.nic[0], g.nic[1023], &plain, &p), 4);
    cr_assert_eq(p.latency, 800);
    cr_assert_str_eq(gy_graph_name(&g, g.links.at[p.links.at[1]].to, name, sizeof name), "spine15"); /* 1023 mod 16 */
    cr_assert_eq(gy_graph_leaf(&g, 1023), 31);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

/* k pods of k/2 leaves and k/2 spines, (k/2)² cores, k³/4 hosts. */
Test(net_graph, fat_tree_of_three_levels)
{
    struct gy_graph g = built((struct gy_graph_plan){
        .type = GY_GRAPH_FAT_TREE, .nodes = 128, .nics_per_node = 1, .nic_rate = 1, .radix = 8, .levels = 3});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    cr_assert_eq(count(&g, GY_V_SWITCH, 0), 32);
    cr_assert_eq(count(&g, GY_V_SWITCH, 1), 32);
    cr_assert_eq(count(&g, GY_V_SWITCH, 2), 16);
    cr_assert_eq(rate_between(&g, 1, 2), 128);
    cr_assert_eq(hops(r, &g, g.nic[0], g.nic[3], &plain, &p), 2);
    cr_assert_eq(hops(r, &g, g.nic[0], g.nic[15], &plain, &p), 4);
    cr_assert_eq(hops(r, &g, g.nic[0], g.nic[127], &plain, &p), 6);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, rails)
{
    struct gy_graph_plan f = {.type = GY_GRAPH_RAIL,
                              .nodes = 64,
                              .gpus_per_node = 8,
                              .nics_per_node = 8,
                              .nic_rate = 50e9,
                              .nvlink_rate = 450e9,
                              .nodes_per_leaf = 32,
                              .rail_forwarding = true};
    struct gy_graph g = built(f);
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    cr_assert_eq(count(&g, GY_V_SWITCH, 0), 16);
    cr_assert_eq(hops(r, &g, g.gpu[0], g.gpu[7], &plain, &p), 2);              /* NVSwitch */
    cr_assert_eq(hops(r, &g, g.gpu[3], g.gpu[31 * 8 + 3], &plain, &p), 4);     /* NIC, leaf, NIC */
    cr_assert_eq(hops(r, &g, g.gpu[3], g.gpu[32 * 8 + 3], &plain, &p), 6);     /* other pod: over a spine */
    cr_assert_eq(hops(r, &g, g.gpu[3], g.gpu[31 * 8 + 5], &plain, &p), 2 + 4); /* by NVLink to rail 5 first */
    gy_router_free(r);
    gy_graph_free(&g);
    f.rail_forwarding = false;
    g = built(f);
    r = gy_router_new(&g);
    cr_assert_eq(hops(r, &g, g.gpu[3], g.gpu[31 * 8 + 5], &plain, &p), 6); /* leaf 3, spine, leaf 5 */
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, dragonfly_is_at_most_three_hops_wide)
{
    struct gy_graph g = built((struct gy_graph_plan){
        .type = GY_GRAPH_DRAGONFLY, .nodes = 72, .nics_per_node = 1, .nic_rate = 1, .nodes_per_router = 2});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};
    size_t most = 0;

    cr_assert_eq(g.switches, 36); /* p 2, a 4, h 2: 9 groups */
    cr_assert_eq(g.links.n, 2 * (72 + 9 * 6 + 9 * 8 / 2));
    for (uint32_t i = 0; i < 72; i++)
        for (uint32_t j = 0; j < 72; j++) {
            size_t n = hops(r, &g, g.nic[i], g.nic[j], &plain, &p);
            most = n > most ? n : most;
        }
    cr_assert_eq(most, 2 + 3); /* local, global, local */
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, torus_routes_in_dimension_order)
{
    struct gy_graph g = built((struct gy_graph_plan){
        .type = GY_GRAPH_TORUS, .nodes = 40, .nics_per_node = 1, .nic_rate = 1, .dim = {5, 4, 2}});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    cr_assert_eq(g.links.n, 2 * (40 + 40 + 40 + 20));
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t j = 0; j < 40; j++) {
            int x = abs((int)(i % 5) - (int)(j % 5)), y = abs((int)(i / 5 % 4) - (int)(j / 5 % 4)),
                z = i / 20 != j / 20;
            size_t want = (size_t)(x < 5 - x ? x : 5 - x) + (size_t)(y < 4 - y ? y : 4 - y) + (size_t)z;
            cr_assert_eq(hops(r, &g, g.nic[i], g.nic[j], &plain, &p), i == j ? 0 : want + 2);
        }
    hops(r, &g, g.nic[0], g.nic[26], &plain, &p); /* (0,0,0) to (1,1,1): x, y, z */
    cr_assert_eq(g.links.at[p.links.at[1]].to - g.links.at[p.links.at[1]].from, 1);
    cr_assert_eq(g.links.at[p.links.at[2]].to - g.links.at[p.links.at[2]].from, 5);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, nvlink_domain_of_72)
{
    struct gy_graph g = built((struct gy_graph_plan){
        .type = GY_GRAPH_NVLINK, .nodes = 36, .gpus_per_node = 4, .nodes_per_domain = 18, .nvlink_rate = 900e9});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    cr_assert_eq(count(&g, GY_V_NVSWITCH, -1), 2);
    cr_assert_eq(hops(r, &g, g.gpu[0], g.gpu[71], &plain, &p), 2);
    cr_assert_eq(gy_router_route(r, g.gpu[0], g.gpu[72], &plain, &p), GY_ROUTE_UNREACHABLE);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, a_failed_uplink_is_avoided)
{
    struct gy_graph g = built((struct gy_graph_plan){.type = GY_GRAPH_FAT_TREE,
                                                     .nodes = 8,
                                                     .nics_per_node = 1,
                                                     .nic_rate = 4,
                                                     .nodes_per_leaf = 4,
                                                     .oversubscription = 2});
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    hops(r, &g, g.nic[0], g.nic[6], &plain, &p);
    uint32_t first = p.links.at[1];
    gy_router_set_factor(r, first, 0.25);
    cr_assert_eq(gy_router_capacity(r, first), 1); /* degraded: still in use */
    hops(r, &g, g.nic[0], g.nic[6], &plain, &p);
    cr_assert_eq(p.links.at[1], first);
    gy_router_set_factor(r, first, 0);
    hops(r, &g, g.nic[0], g.nic[6], &plain, &p);
    cr_assert_neq(p.links.at[1], first);
    gy_router_set_factor(r, p.links.at[1], 0);
    cr_assert_eq(gy_router_route(r, g.nic[0], g.nic[6], &plain, &p), GY_ROUTE_UNREACHABLE);
    gy_router_set_factor(r, first, 1);
    hops(r, &g, g.nic[0], g.nic[6], &plain, &p);
    cr_assert_eq(p.links.at[1], first);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, ecmp_draws_and_adaptive_looks)
{
    struct gy_graph g = built((struct gy_graph_plan){
        .type = GY_GRAPH_FAT_TREE, .nodes = 64, .nics_per_node = 1, .nic_rate = 1, .nodes_per_leaf = 8});
    struct gy_router *r = gy_router_new(&g);
    struct gy_stream s;
    struct gy_path p = {0};
    uint32_t seen[8] = {0}, order[2][100];
    double *load = calloc(g.links.n, sizeof *load);

    for (int again = 0; again < 2; again++) {
        cr_assert(gy_stream_init(&s, 7, "ecmp"));
        const struct gy_route_how how = {.rule = GY_ROUTE_ECMP, .stream = &s};
        for (int i = 0; i < 100; i++) {
            hops(r, &g, g.nic[0], g.nic[63], &how, &p);
            order[again][i] = p.links.at[1];
            seen[g.vertices.at[g.links.at[p.links.at[1]].to].node - g.leaves]++;
        }
        gy_stream_free(&s);
    }
    cr_assert_arr_eq(order[0], order[1], sizeof order[0]);
    for (int i = 0; i < 8; i++)
        cr_assert(seen[i] > 0);
    const struct gy_route_how how = {.rule = GY_ROUTE_ADAPTIVE, .load = load};
    for (int i = 0; i < 16; i++) { /* each goes where the others did not */
        hops(r, &g, g.nic[0], g.nic[63], &how, &p);
        cr_assert_eq(load[p.links.at[1]], i / 8);
        load[p.links.at[1]]++;
    }
    free(load);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}

Test(net_graph, wrong_fabrics_are_refused)
{
    const struct gy_graph_plan bad[] = {
        {.type = GY_GRAPH_SWITCH, .nodes = 0, .nics_per_node = 1, .nic_rate = 1},
        {.type = GY_GRAPH_SWITCH, .nodes = 4, .nic_rate = 1},
        {.type = GY_GRAPH_FAT_TREE, .nodes = 4, .nics_per_node = 1, .nic_rate = 1},
        {.type = GY_GRAPH_FAT_TREE, .nodes = 4, .nics_per_node = 1, .nic_rate = NAN, .nodes_per_leaf = 2},
        {.type = GY_GRAPH_FAT_TREE, .nodes = 4000, .nics_per_node = 1, .nic_rate = 1, .radix = 8},
        {.type = GY_GRAPH_FAT_TREE, .nodes = 4, .nics_per_node = 1, .nic_rate = 1, .nodes_per_leaf = 2, .levels = 7},
        {.type = GY_GRAPH_TORUS, .nodes = 9, .nics_per_node = 1, .nic_rate = 1, .dim = {2, 4}},
        {.type = GY_GRAPH_DRAGONFLY, .nodes = 73, .nics_per_node = 1, .nic_rate = 1, .nodes_per_router = 2},
        {.type = GY_GRAPH_SWITCH, .nodes = 4000000000u, .nics_per_node = 4, .nic_rate = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gy_graph g;
        struct gy_error err = {0};
        cr_assert_eq(gy_graph_build(&g, &bad[i], &err), -1, "fabric %zu", i);
        cr_assert(err.what[0]);
    }
}

Test(net_graph, a_hundred_thousand_gpus)
{
    clock_t t = clock();
    struct gy_graph g = built((struct gy_graph_plan){.type = GY_GRAPH_FAT_TREE,
                                                     .nodes = 12500,
                                                     .gpus_per_node = 8,
                                                     .nics_per_node = 8,
                                                     .nic_rate = 50e9,
                                                     .nvlink_rate = 450e9,
                                                     .nodes_per_leaf = 4,
                                                     .radix = 64,
                                                     .levels = 3});
    double built_s = (double)(clock() - t) / CLOCKS_PER_SEC;
    struct gy_router *r = gy_router_new(&g);
    struct gy_path p = {0};

    cr_assert_eq(hops(r, &g, g.gpu[0], g.gpu[99999], &plain, &p), 8);
    cr_log_info("%zu vertices, %zu links, built in %.3f s", g.vertices.n, g.links.n, built_s);
    cr_assert(built_s < 1);
    cr_assert_lt(g.links.n * sizeof *g.links.at + g.vertices.n * sizeof *g.vertices.at, (size_t)100000000);
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
}
