/* The capacity index against a twin that scans everything: random bookings, releases, state changes, queries. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "gy_cluster.h"

#define NODES 40

static uint64_t rng = 88172645463325252u;
static uint32_t draw(uint32_t n)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng % n);
}

struct held {
    struct gy_share share;
    bool used;
};

static bool node_fits(const struct gy_cluster *c, uint32_t i, uint32_t klass, uint32_t level, uint64_t cpu,
                      uint64_t mem)
{
    const struct gy_node *n = gy_cluster_node(c, (gy_node_id){i});
    return n->klass == klass && n->state == GY_NODE_UP && n->free_gpus == level && n->cpu_free >= cpu &&
           n->mem_free >= mem;
}

static void check_queries(const struct gy_cluster *c)
{
    const uint32_t klass = draw(gy_cluster_classes(c)), level = draw(9), from = draw(NODES);
    const uint64_t cpu = draw(3) ? draw(70) * 1000 : 0, mem = draw(3) ? draw(600) : 0;
    gy_node_id want = GY_NODE_NONE;
    uint32_t at_least = 0;
    for (uint32_t i = NODES; i-- > 0;) {
        if (i >= from && node_fits(c, i, klass, level, cpu, mem))
            want = (gy_node_id){i};
        const struct gy_node *n = gy_cluster_node(c, (gy_node_id){i});
        at_least += n->klass == klass && n->state == GY_NODE_UP && n->free_gpus >= level;
    }
    cr_assert_eq(gy_cluster_next(c, klass, level, (gy_node_id){from}, cpu, mem).i, want.i);
    cr_assert_eq(gy_cluster_count(c, klass, level), at_least);
}

static void check_shared(const struct gy_cluster *c)
{
    const uint32_t klass = draw(gy_cluster_classes(c)), milli = 1 + draw(999);
    const bool widest = draw(2);
    const uint64_t cpu = draw(40) * 1000;
    uint32_t best = 0, best_node = UINT32_MAX, best_gpu = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const struct gy_node *n = gy_cluster_node(c, (gy_node_id){i});
        for (uint32_t g = 0; n->klass == klass && n->state == GY_NODE_UP && n->cpu_free >= cpu && g < n->gpus; g++) {
            const uint32_t room = gy_cluster_gpu_free_milli(c, (gy_node_id){i}, g);
            if (room == GY_MILLI || room < milli)
                continue;
            if (best_node == UINT32_MAX || (widest ? room > best : room < best)) {
                best = room;
                best_node = i;
                best_gpu = g;
            }
        }
    }
    gy_node_id node = GY_NODE_NONE;
    uint32_t gpu = 0;
    const bool found = gy_cluster_next_shared(c, klass, milli, cpu, 0, widest, &node, &gpu);
    cr_assert_eq(found, best_node != UINT32_MAX);
    if (found) {
        cr_assert_eq(node.i, best_node);
        cr_assert_eq(gpu, best_gpu);
    }
}

static void check_totals(const struct gy_cluster *c)
{
    struct gy_totals want = {0};
    for (uint32_t i = 0; i < NODES; i++) {
        const struct gy_node *n = gy_cluster_node(c, (gy_node_id){i});
        int64_t idle = 0;
        for (uint32_t g = 0; g < n->gpus; g++)
            idle += gy_cluster_gpu_free_milli(c, (gy_node_id){i}, g);
        if (n->state == GY_NODE_ABSENT)
            continue;
        want.total += n->gpus * (int64_t)GY_MILLI;
        want.allocated += n->gpus * (int64_t)GY_MILLI - idle;
        *(n->state == GY_NODE_UP ? &want.free : &want.down) += idle;
    }
    const struct gy_totals got = gy_cluster_totals(c);
    cr_assert_eq(got.total, want.total);
    cr_assert_eq(got.allocated, want.allocated);
    cr_assert_eq(got.free, want.free);
    cr_assert_eq(got.down, want.down);
}

static struct gy_share random_share(const struct gy_cluster *c)
{
    const gy_node_id id = {draw(NODES)};
    const struct gy_node *n = gy_cluster_node(c, id);
    struct gy_share s = {.node = id, .gpu_milli = GY_MILLI, .cpu_milli = draw(8) * 1000, .mem_mib = draw(60)};
    const uint32_t kind = draw(3);
    if (kind == 0 && n->gpus) {
        s.gpu_milli = 100 + draw(800);
        s.mask = UINT64_C(1) << draw(n->gpus);
    } else if (kind == 1) {
        uint64_t free_mask = n->gpus ? gy_cluster_free_mask(c, id, 0) : 0;
        for (uint32_t want = 1 + draw(4); want && free_mask; want--, free_mask &= free_mask - 1)
            s.mask |= free_mask & -free_mask;
    }
    return s;
}

Test(cluster, index_equals_a_scan)
{
    struct gy_error err = {0};
    struct gy_cluster_spec spec = {0};
    for (uint32_t i = 0; i < NODES; i++) {
        struct gy_node_spec s = {.gpus = i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 0, .partitions = 1, .speed = 1};
        s.cpu_milli = i % 2 ? 64000 : 0;
        s.mem_mib = i % 5 ? 512 : 0;
        s.absent = i == 7;
        cr_assert(gy_vec_push(&spec.nodes, s));
    }
    struct gy_cluster *c = gy_cluster_new(&spec, &err);
    cr_assert_not_null(c);
    struct held held[64] = {0};
    uint64_t freed = gy_cluster_freed(c);
    for (int step = 0; step < 60000; step++) {
        struct held *h = &held[draw(64)];
        if (draw(50) == 0) {
            const gy_node_id id = {draw(NODES)};
            gy_cluster_set_state(c, id, (enum gy_node_state)(draw(3) ? GY_NODE_UP : draw(3)));
        } else if (h->used) {
            gy_cluster_release(c, &h->share, 1);
            h->used = false;
        } else {
            h->share = random_share(c);
            h->used = gy_cluster_check(c, &h->share, 1, &err) == 0;
            if (h->used)
                gy_cluster_book(c, &h->share, 1);
        }
        check_queries(c);
        check_shared(c);
        if (step % 64 == 0)
            check_totals(c);
    }
    cr_assert_gt(gy_cluster_freed(c), freed);
    cr_assert(gy_cluster_ok(c));
    gy_cluster_free(c);
    gy_cluster_spec_free(&spec);
}

Test(cluster, refuses_what_does_not_fit)
{
    struct gy_error err = {0};
    struct gy_cluster_spec spec = {0};
    const struct gy_node_spec s = {.gpus = 70, .cpu_milli = 8000, .mem_mib = 100, .speed = 1};
    cr_assert(gy_vec_push(&spec.nodes, s));
    struct gy_cluster *c = gy_cluster_new(&spec, &err);
    const struct gy_share two[] = {{.group = 0, .mask = ~UINT64_C(0), .gpu_milli = 1000, .cpu_milli = 5000},
                                   {.group = 1, .mask = 63, .gpu_milli = 1000, .cpu_milli = 3000}};
    cr_assert_eq(gy_cluster_check(c, two, 2, &err), 0);
    const struct gy_share cpus[] = {two[0], {.group = 1, .mask = 63, .gpu_milli = 1000, .cpu_milli = 3001}};
    cr_assert_eq(gy_cluster_check(c, cpus, 2, &err), -1, "CPUs of one node add up over its groups");
    const struct gy_share past = {.group = 1, .mask = 64, .gpu_milli = 1000};
    cr_assert_eq(gy_cluster_check(c, &past, 1, &err), -1);
    const struct gy_share unordered[] = {two[1], two[0]};
    cr_assert_eq(gy_cluster_check(c, unordered, 2, &err), -1);
    gy_cluster_book(c, two, 2);
    cr_assert_eq(gy_cluster_totals(c).allocated, 70000);
    cr_assert_eq(gy_cluster_check(c, &two[1], 1, &err), -1);
    gy_cluster_release(c, two, 2);
    cr_assert_eq(gy_cluster_totals(c).free, 70000);
    gy_cluster_free(c);
    gy_cluster_spec_free(&spec);
}
