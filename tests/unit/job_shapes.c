/* How requests become shapes: cuts over nodes, classes, and why something can never fit. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_job.h"

static struct gy_strings *strings;
static struct gy_cluster_spec spec;
static struct gy_cluster *cluster;
static struct gy_shapes *shapes;

static gy_str text(const char *t)
{
    return gy_strings_add(strings, t, strlen(t));
}

static void add_nodes(uint32_t n, uint32_t gpus, const char *type, uint64_t partitions)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct gy_node_spec s = {.gpus = gpus,
                                       .gpu_type = text(type),
                                       .partitions = partitions,
                                       .cpu_milli = 64000,
                                       .mem_mib = 1000,
                                       .speed = 1,
                                       .labels = gpus == 8 ? 1 : 0};
        cr_assert(gy_vec_push(&spec.nodes, s));
    }
}

static void setup(void)
{
    struct gy_error err;
    strings = gy_strings_new();
    spec = (struct gy_cluster_spec){.strings = strings};
    struct gy_label_set none = {0}, fast = {calloc(2, sizeof(gy_str)), 2};
    fast.at[0] = text("ib");
    fast.at[1] = text("zone=a");
    cr_assert(gy_vec_push(&spec.label_sets, none) && gy_vec_push(&spec.label_sets, fast));
    cr_assert(gy_vec_push(&spec.partitions, text("batch")) && gy_vec_push(&spec.partitions, text("debug")));
    add_nodes(3, 2, "P40", 2);
    add_nodes(2, 8, "V100", 1);
    cluster = gy_cluster_new(&spec, &err);
    shapes = gy_shapes_new(cluster, false);
}

static void teardown(void)
{
    gy_shapes_free(shapes);
    gy_cluster_free(cluster);
    gy_cluster_spec_free(&spec);
    gy_strings_free(strings);
}

TestSuite(job, .init = setup, .fini = teardown);

static const struct gy_shape *shape(struct gy_job_rec r)
{
    if (r.gpu_milli == 0)
        r.gpu_milli = GY_MILLI;
    return gy_shape_at(shapes, gy_shapes_of(shapes, &r));
}

#define expect_cut(s, g, full, r)                                                                                      \
    do {                                                                                                               \
        const struct gy_shape *x = (s);                                                                                \
        cr_assert_null(x->never);                                                                                      \
        cr_assert_not(x->any_split);                                                                                   \
        cr_assert_eq(x->gpus, (uint32_t)(g));                                                                          \
        cr_assert_eq(x->full_nodes, (uint32_t)(full));                                                                 \
        cr_assert_eq(x->rest, (uint32_t)(r));                                                                          \
    } while (0)

Test(job, cuts)
{
    expect_cut(shape((struct gy_job_rec){.gpus = 3}), 3, 1, 0);
    expect_cut(shape((struct gy_job_rec){.gpus = 8}), 8, 1, 0);
    expect_cut(shape((struct gy_job_rec){.gpus = 10}), 8, 1, 2);
    expect_cut(shape((struct gy_job_rec){.gpus = 16}), 8, 2, 0);
    expect_cut(shape((struct gy_job_rec){.gpus = 5, .nodes = 3}), 2, 2, 1);
    const struct gy_shape *all =
        shape((struct gy_job_rec){.gpus = 22}); /* no even cut holds it; all GPUs together do */
    cr_assert(all->any_split && all->gpus == 22 && !all->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 23})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 9, .gpus_per_node = 9})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 24, .nodes = 3})->never);
    cr_assert_null(shape((struct gy_job_rec){.gpus = 5, .gpus_per_node = 1})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 6, .gpus_per_node = 1})->never);
}

Test(job, constraints)
{
    cr_assert_eq(shape((struct gy_job_rec){.gpus = 1, .gpu_type = text("V100")})->n_classes, 1);
    cr_assert_eq(shape((struct gy_job_rec){.gpus = 1, .gpu_type = text("V100|P40|V100")})->n_classes, 2);
    cr_assert_str_eq(shape((struct gy_job_rec){.gpus = 1, .gpu_type = text("V1")})->never, "no node has its GPU type");
    cr_assert_eq(shape((struct gy_job_rec){.gpus = 0, .gpu_type = text("V1")})->n_classes, 2);
    cr_assert_str_eq(shape((struct gy_job_rec){.gpus = 1, .partition = text("gpu")})->never,
                     "no node is in its partition");
    cr_assert_eq(shape((struct gy_job_rec){.gpus = 1, .partition = text("gpu,debug")})->n_classes, 1);
    cr_assert_null(shape((struct gy_job_rec){.gpus = 1, .constraint = text("zone=a&ib")})->never);
    cr_assert_null(shape((struct gy_job_rec){.gpus = 1, .constraint = text("zone=b|zone=a")})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 1, .constraint = text("zone=b&ib")})->never);
    cr_assert_str_eq(shape((struct gy_job_rec){.gpus = 1, .partition = text("debug"), .gpu_type = text("V100")})->never,
                     "no node has its partition, GPU type and labels together");
}

Test(job, cpus_and_fractions)
{
    cr_assert_null(shape((struct gy_job_rec){.gpus = 0, .cpu_milli = 64000})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 0, .cpu_milli = 64001})->never);
    cr_assert_not_null(shape((struct gy_job_rec){.gpus = 1, .mem_mib = 1001})->never);
    const struct gy_shape *s = shape((struct gy_job_rec){.gpus = 10, .cpu_milli = 10000});
    cr_assert_eq(s->cpu_milli, 8000);
    cr_assert_eq(s->rest_cpu_milli, 2000);
    const struct gy_shape *f = shape((struct gy_job_rec){.gpus = 1, .gpu_milli = 460});
    cr_assert(f->fraction == 460 && f->fraction_gpus == 1 && f->gpus == 0 && f->full_nodes == 1);
}

Test(job, equal_requests_share_a_shape)
{
    const struct gy_job_rec a = {.gpus = 4, .gpu_milli = 1000, .user = 1},
                            b = {.gpus = 4, .gpu_milli = 1000, .user = 2};
    cr_assert_eq(gy_shapes_of(shapes, &a), gy_shapes_of(shapes, &b));
    for (uint32_t i = 0; i < 5000; i++) {
        const struct gy_job_rec r = {.gpus = 1, .gpu_milli = 1000, .cpu_milli = i};
        cr_assert_eq(gy_shapes_of(shapes, &r), gy_shapes_of(shapes, &r));
    }
    cr_assert_eq(gy_shapes_count(shapes), 5001);
}
