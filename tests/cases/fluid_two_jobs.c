/* CASES.md 8(c) on the engine: two 4-node jobs of 100 recorded steps, 1 s of compute and a ring all-reduce of 16 GB
 * over 50 GB/s NICs and leaf uplinks. At the reference placement a step takes 1.48 s; over split leaves 1.96,
 * interleaved 2.92. */
#include <math.h>
#include "../unit/engine_bed.h"
#include "gy_fluid.h"

static const struct gy_profile profile = {"ring", 1.0, 16e9, 1.0};

static const struct gy_profile *profile_of(void *ctx, const struct gy_job_rec *rec)
{
    (void)ctx;
    (void)rec;
    return &profile;
}

/* Node n of the cluster is where[n] of the fabric: the graph's host tables are permuted. */
static void run(const uint32_t *where, double recorded_s, double want_s, double *hottest)
{
    const struct gy_graph_plan plan = {.type = GY_GRAPH_FAT_TREE,
                                       .nodes = 8,
                                       .nics_per_node = 1,
                                       .nic_rate = 50e9,
                                       .nodes_per_leaf = 4,
                                       .oversubscription = 4};
    struct gy_graph g = {0};
    struct bed b;
    uint32_t nic[8];
    bed_init(&b, 8, 1);
    cr_assert_eq(gy_graph_build(&g, &plan, &b.err), 0, "%s", b.err.what);
    memcpy(nic, g.nic, sizeof nic);
    for (int i = 0; i < 8; i++)
        g.nic[i] = nic[where[i]];
    const struct gy_fluid_config config = {.graph = &g, .profile_of = profile_of};
    struct gy_fluid *f = gy_fluid_new(&config, &b.err);
    const struct gy_rates rates = gy_fluid_rates(f);
    b.config.rates = &rates;
    bed_job(&b, "a", 0, recorded_s, 4)->gpus_per_node = 1;
    bed_job(&b, "b", 0, recorded_s, 4)->gpus_per_node = 1;
    bed_run(&b);
    cr_assert_float_eq(gy_time_to_s(b.result.end), want_s, 1e-6, "%s", b.log);
    *hottest = 0;
    for (uint32_t l = 0; l < g.links.n; l++)
        *hottest = fmax(*hottest, gy_fluid_link_bytes(f, l) / (g.links.at[l].capacity * want_s));
    gy_fluid_free(f);
    gy_graph_free(&g);
    bed_free(&b);
}

Test(fluid, two_jobs_on_two_leaves)
{
    static const uint32_t apart[] = {0, 1, 2, 3, 4, 5, 6, 7}, split[] = {0, 1, 4, 5, 2, 3, 6, 7},
                          interleaved[] = {0, 4, 1, 5, 2, 6, 3, 7};
    double hottest;
    run(apart, 148, 148, &hottest);
    cr_assert_float_eq(hottest, 0.48 / 1.48, 1e-6, "a NIC sends 24 GB at 50 GB/s in every step");
    run(split, 148, 196, &hottest);
    cr_assert_float_eq(hottest, 0.96 / 1.96, 1e-6, "both jobs' 24 GB cross an uplink in every step");
    run(interleaved, 148, 292, &hottest);
    cr_assert_float_eq(hottest, 1.92 / 2.92, 1e-6);
}

Test(fluid, overlap_by_a_p_norm)
{
    struct gy_profile p = {"", 3, 4e9, 2};
    cr_assert_float_eq(gy_profile_step_s(&p, 4), 5, 1e-12);
    p.gamma = 1;
    cr_assert_float_eq(gy_profile_step_s(&p, 4), 7, 1e-12);
    p.gamma = 10;
    cr_assert_float_eq(gy_profile_step_s(&p, 4), 4 * pow(1 + pow(0.75, 10), 0.1), 1e-12);
    cr_assert_float_eq(gy_profile_step_s(&p, 0), 3, 1e-12);
}

/* b comes when a has run 49 of 148 s, and leaves before a: a is slowed only in between. Uplinks are 50 GB/s. */
Test(fluid, contention_comes_and_goes)
{
    const struct gy_graph_plan plan = {.type = GY_GRAPH_FAT_TREE,
                                       .nodes = 8,
                                       .nics_per_node = 1,
                                       .nic_rate = 50e9,
                                       .nodes_per_leaf = 4,
                                       .oversubscription = 4};
    struct gy_graph g = {0};
    struct bed b;
    bed_init(&b, 8, 1);
    cr_assert_eq(gy_graph_build(&g, &plan, &b.err), 0);
    uint32_t nic[8];
    static const uint32_t split[] = {0, 1, 4, 5, 2, 3, 6, 7};
    memcpy(nic, g.nic, sizeof nic);
    for (int i = 0; i < 8; i++)
        g.nic[i] = nic[split[i]];
    const struct gy_fluid_config config = {.graph = &g, .profile_of = profile_of};
    struct gy_fluid *f = gy_fluid_new(&config, &b.err);
    const struct gy_rates rates = gy_fluid_rates(f);
    b.config.rates = &rates;
    bed_job(&b, "a", 0, 148, 4)->gpus_per_node = 1;
    bed_job(&b, "b", 49, 37, 4)->gpus_per_node = 1; /* 37 s of work at 1.48 of 1.96: 49 s */
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|start b 49|rate b 49|rate a 49|end b completed 98|rate a 98|end a completed 160|");
    gy_fluid_free(f);
    gy_graph_free(&g);
    bed_free(&b);
}
