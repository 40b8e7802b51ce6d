/* Placement "topology": CASES.md 8(a) and 8(b)'s greedy form on leaves of one-GPU nodes, and neighbours. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_registry.h"

struct bed {
    struct gy_cluster_spec spec;
    struct gy_cluster *c;
    struct gy_placer placer;
    struct gy_placement out;
    uint32_t classes[4];
    struct gy_shape shape;
};

/* free[l] free nodes on leaf l. */
static void setup(struct bed *b, const uint32_t *room, size_t leaves)
{
    struct gy_error err;
    const struct gy_view view = {.seed = 1};
    memset(b, 0, sizeof *b);
    for (uint32_t l = 0; l < leaves; l++)
        for (uint32_t i = 0; i < room[l]; i++) {
            const struct gy_node_spec s = {.gpus = 1, .speed = 1, .leaf = l};
            cr_assert(gy_vec_push(&b->spec.nodes, s));
        }
    b->c = gy_cluster_new(&b->spec, &err);
    cr_assert(gy_placer_init(&b->placer, &gy_place_topology, &view));
    b->shape = (struct gy_shape){.gpus = 1, .classes = b->classes, .n_classes = 1};
}

static void teardown(struct bed *b)
{
    gy_placer_free(&b->placer);
    gy_vec_free(&b->out.shares);
    gy_cluster_free(b->c);
    gy_cluster_spec_free(&b->spec);
}

static bool place(struct bed *b, uint32_t nodes, uint32_t *on_leaf)
{
    const struct gy_place_request req = {.shape = &b->shape};
    enum gy_reason why;
    b->shape.full_nodes = nodes;
    b->shape.total_gpus = nodes;
    if (!gy_place_topology.choose(&b->placer, b->c, &req, &b->out, &why))
        return false;
    for (size_t i = 0; i < b->out.shares.n; i++)
        on_leaf[b->spec.nodes.at[b->out.shares.at[i].node.i].leaf]++;
    return true;
}

#define expect(n, ...)                                                                                                 \
    do {                                                                                                               \
        uint32_t got[8] = {0};                                                                                         \
        const uint32_t want[8] = {__VA_ARGS__};                                                                        \
        cr_assert(place(&b, (n), got));                                                                                \
        cr_assert_arr_eq(got, want, sizeof want);                                                                      \
    } while (0)

Test(sched, topology_takes_the_fewest_leaves)
{
    struct bed b;
    setup(&b, (const uint32_t[]){3, 3, 2, 1}, 4);
    expect(7, 3, 3, 0, 1); /* CASES 8(a) */
    expect(2, 0, 0, 2, 0); /* the fullest leaf that holds it */
    expect(3, 3, 0, 0, 0);
    expect(5, 3, 0, 2, 0);
    expect(9, 3, 3, 2, 1);
    uint32_t none[8];
    cr_assert_not(place(&b, 10, none));
    teardown(&b);
    setup(&b, (const uint32_t[]){10, 10}, 2);
    expect(12, 10, 2); /* CASES 8(b), greedy */
    teardown(&b);
}
