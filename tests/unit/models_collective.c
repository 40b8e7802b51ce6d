/* The collective prior: formulas by hand, invariants over all hardware, odd groups, refusals. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "gy_collective.h"

static struct gy_arena arena;
static struct gy_error err;

static struct gy_coll_query ask(const char *op, const char *hw, const char *fabric, uint32_t nodes, uint32_t gpus)
{
    struct gy_coll_query q = {.op = (enum gy_coll_op)gy_coll_op_of(op),
                              .hw = gy_hw_find(hw, &arena, &err),
                              .fabric = gy_fabric_find(fabric, &arena, &err),
                              .nodes = nodes,
                              .gpus_per_node = gpus};
    cr_assert_not_null(q.hw);
    cr_assert_not_null(q.fabric);
    return q;
}

Test(models_collective, bus_factors)
{
    cr_assert_eq(gy_coll_bus_factor(GY_ALL_REDUCE, 16), 1.875);
    cr_assert_eq(gy_coll_bus_factor(GY_ALL_GATHER, 4), 0.75);
    cr_assert_eq(gy_coll_bus_factor(GY_BROADCAST, 16), 1);
    cr_assert_eq(gy_coll_bus_factor(GY_ALL_REDUCE, 1), 0);
}

Test(models_collective, ring_ll_latency_by_hand)
{
    /* V100, 4 GPUs, one node, LL ring: 6.6 + 2·3·0.6 = 10.2 µs and 8 bytes of wire time. */
    struct gy_coll_query q = ask("all_reduce", "v100-4x", "ib-edr", 1, 4);
    q.algo = GY_ALGO_RING;
    q.proto = GY_PROTO_LL;
    cr_assert_float_eq(gy_coll_prior(&q, 8).time_s * 1e6, 10.2, 0.01);
    /* Two nodes, Intel host: 6.6 + 12·max(0.6, 1) + 2·2.7 = 24 µs. */
    q.nodes = 2;
    cr_assert_float_eq(gy_coll_prior(&q, 8).time_s * 1e6, 24, 0.01);
}

Test(models_collective, tree_latency_by_hand)
{
    /* Four nodes of four: 6.8 + 2·(3·0.6 + 2·5) = 30.4 µs; nccl-tests measured 30.9 on such a cluster. */
    struct gy_coll_query q = ask("all_reduce", "v100-4x", "ib-edr", 4, 4);
    struct gy_coll_result r = gy_coll_prior(&q, 8);
    cr_assert_eq(r.algo, GY_ALGO_TREE);
    cr_assert_float_eq(r.time_s * 1e6, 30.4, 0.01);
}

Test(models_collective, large_ring_is_bound_by_the_nics)
{
    /* 8 × 400 Gbit/s = 400 GB/s, 96 % of it reached: busbw tends to 360 (12 channels of 30, the smaller). */
    struct gy_coll_query q = ask("all_gather", "hgx-h100", "ib-ndr", 4, 8);
    struct gy_coll_result r = gy_coll_prior(&q, 64e9);
    cr_assert_float_eq(r.busbw_gbps, 360, 2);
    q.nic_gbit = 200;
    r = gy_coll_prior(&q, 64e9);
    cr_assert_float_eq(r.busbw_gbps, 192, 1);
    cr_assert_eq(r.bound, GY_BOUND_NIC);
    cr_assert_float_eq(r.nic_bytes, 64e9 * 31 / 32 / 8, 1);
    q.nic_share = 0.5;
    cr_assert_float_eq(gy_coll_prior(&q, 64e9).busbw_gbps, 96, 1);
}

Test(models_collective, two_nodes_of_tree_carry_half)
{
    struct gy_coll_query q = ask("all_reduce", "dgx-a100", "ib-hdr", 2, 8);
    q.algo = GY_ALGO_TREE;
    cr_assert_float_eq(gy_coll_prior(&q, 1e9).nic_bytes, 1e9 / 8, 1); /* S through the NICs of a node */
    q.nodes = 4;
    cr_assert_float_eq(gy_coll_prior(&q, 1e9).nic_bytes, 2e9 / 8, 1);
}

Test(models_collective, rail_hierarchy_formula)
{
    struct gy_coll_query q = ask("all_reduce", "hgx-h100", "ib-ndr", 16, 8);
    q.algo = GY_ALGO_RAIL;
    double s = 1e12, nic = 2.0 * 15 / 16 * s / (8 * 50e9 * 0.96), nv = 2.0 * 7 / 8 * s / 360e9;
    cr_assert_float_eq(gy_coll_prior(&q, s).time_s / fmax(nic, nv), 1, 0.01);
}

/* Every op on every node type, sizes 1 B to 64 GiB: finite, positive, monotone; n = 1 answers; GPU counts 1 to all. */
Test(models_collective, monotone_everywhere)
{
    const struct gy_model_file *f;
    for (size_t i = 0; (f = gy_model_file_at(i)); i++) {
        if (strcmp(f->kind, "hardware"))
            continue;
        const struct gy_hw *hw = gy_hw_find(f->name, &arena, &err);
        const struct gy_fabric *fabric = gy_fabric_find(hw->fabric, &arena, &err);
        for (int op = 0; op < GY_COLL_OPS; op++)
            for (uint32_t nodes = 1; nodes <= 5; nodes += 2)
                for (uint32_t g = 1; g <= hw->gpus.value; g = g < 3 ? g + 1 : g * 2) {
                    struct gy_coll_query q = {.op = op, .hw = hw, .fabric = fabric, .nodes = nodes, .gpus_per_node = g};
                    if (op == GY_SEND_RECV && nodes * g == 1)
                        continue;
                    cr_assert_eq(gy_coll_check(&q, &err), 0, "%s", err.what);
                    double last = 0;
                    for (double s = 1; s < 7e10; s *= 3.7) {
                        struct gy_coll_result r = gy_coll_predict_prior(&q, s);
                        cr_assert(isfinite(r.time_s) && r.time_s >= last, "%s %s %ux%u at %.0f", f->name,
                                  gy_coll_op_name(op), nodes, g, s);
                        last = r.time_s;
                    }
                }
    }
}

Test(models_collective, uneven_groups)
{
    struct gy_coll_query q = ask("all_reduce", "hgx-h100", "ib-ndr", 2, 0);
    uint32_t three_five[2] = {3, 5}, five_three[2] = {5, 3}, four_four[2] = {4, 4};
    q.gpus_of = three_five;
    cr_assert_eq(gy_coll_check(&q, &err), 0);
    struct gy_coll_result a = gy_coll_prior(&q, 1e9);
    cr_assert_eq(a.ranks, 8);
    q.gpus_of = five_three;
    cr_assert_eq(a.time_s, gy_coll_prior(&q, 1e9).time_s);
    q.gpus_of = four_four;
    cr_assert_leq(gy_coll_prior(&q, 1e9).time_s, a.time_s); /* the node of three has three NICs beside its GPUs */
    struct gy_coll_query five = ask("all_reduce", "hgx-h100", "ib-ndr", 5, 8);
    cr_assert_eq(gy_coll_check(&five, &err), 0);
    cr_assert_eq(gy_coll_prior(&five, 1e9).ranks, 40);
    struct gy_coll_query a2a = ask("all_to_all", "hgx-h100", "ib-ndr", 2, 0);
    uint32_t one_seven[2] = {1, 7};
    a2a.gpus_of = one_seven;
    /* The lone GPU sends 7/8 of its bytes through one NIC. */
    cr_assert_float_eq(gy_coll_prior(&a2a, 8e9).nic_bytes, 7e9, 1);
}

Test(models_collective, nvlink_domains)
{
    /* 16 trays of 4 in one NVL72 domain run as one node; 20 trays do not fit and need NICs. */
    struct gy_coll_query q = ask("all_reduce", "gb200", "nvlink-domain", 16, 4);
    struct gy_coll_result r = gy_coll_prior(&q, 8e9);
    cr_assert_eq(r.algo, GY_ALGO_NVLS);
    cr_assert_eq(r.nic_bytes, 0);
    q.nodes = 20;
    cr_assert_gt(gy_coll_prior(&q, 8e9).nic_bytes, 0);
    cr_assert_gt(gy_coll_prior(&q, 8e9).time_s, r.time_s);
}

Test(models_collective, refusals)
{
    struct gy_coll_query q = ask("all_reduce", "dgx-a100", "ib-hdr", 2, 8);
    q.algo = GY_ALGO_NVLS;
    cr_assert_eq(gy_coll_check(&q, &err), -1);
    cr_assert(strstr(err.hint, "NVSwitch"));
    q.algo = GY_ALGO_AUTO;
    q.gpus_per_node = 9;
    cr_assert_eq(gy_coll_check(&q, &err), -1);
    q.gpus_per_node = 8;
    q.nodes = 0;
    cr_assert_eq(gy_coll_check(&q, &err), -1);
    q.nodes = 2;
    q.fabric = NULL;
    cr_assert_eq(gy_coll_check(&q, &err), -1);
    struct gy_coll_query c = ask("all_reduce", "hgx-h100", "ib-ndr", 2, 8);
    c.algo = GY_ALGO_COLLNET;
    cr_assert_eq(gy_coll_check(&c, &err), -1);
    c.fabric = gy_fabric_find("ib-ndr-sharp", &arena, &err);
    cr_assert_eq(gy_coll_check(&c, &err), 0);
}

Test(models_collective, words)
{
    cr_assert_eq(gy_coll_op_of("AllReduce"), GY_ALL_REDUCE);
    cr_assert_eq(gy_coll_op_of("alltoall"), GY_ALL_TO_ALL);
    cr_assert_eq(gy_coll_op_of("all_reduces"), -1);
    cr_assert_eq(gy_coll_algo_of("NVLSTree"), GY_ALGO_NVLSTREE);
    cr_assert_eq(gy_coll_proto_of("LL128"), GY_PROTO_LL128);
}
