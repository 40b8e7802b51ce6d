/* EASY and conservative backfill on logs of real and modelled machines: EASY against the textbook's rule written with
 * counts of processors only, every start equal; what was promised is kept; no node is ever used twice. */
#include "../sched_bed.h"
#include "gy_trace.h"

#define DATA GY_SOURCE_DIR "/../shared/data/traces/swf/"

/* The textbook: s is when the head fits by the limits of running jobs, extra what is free then beside it; a job behind
 * may start if it ends by s or takes no more than extra. */
static int by_time(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int count_start(const struct gy_view *v, struct gy_plan *plan, uint32_t row)
{
    static struct gy_share out[1024];
    uint32_t n = 0;
    for (uint32_t i = 0; i < gy_cluster_nodes(v->cluster) && n < v->jobs[row].rec.gpus; i++)
        if (gy_cluster_node(v->cluster, (gy_node_id){i})->free_gpus)
            out[n++] = (struct gy_share){.node = {i}, .mask = 1, .gpu_milli = GY_MILLI};
    return gy_plan_start(plan, (gy_job_id){row}, out, n);
}

static int count_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    static int64_t ends[4096][2];
    int64_t free = gy_cluster_totals(v->cluster).free / GY_MILLI, shadow = GY_NONE, extra = 0;
    (void)self;
    for (uint32_t row = v->pending_first, next; row != UINT32_MAX; row = next) {
        const struct gy_job *j = &v->jobs[row];
        const int64_t want = j->rec.gpus, end = v->now + gy_job_estimate(j);
        next = j->next;
        if (shadow == GY_NONE ? want <= free : want <= free && (end <= shadow || want <= extra)) {
            extra -= shadow != GY_NONE && end > shadow ? want : 0;
            free -= want;
            if (count_start(v, plan, row))
                return -1;
            continue;
        }
        if (shadow != GY_NONE)
            continue;
        size_t n = 0;
        for (uint32_t i = 0; i < v->job_rows; i++)
            if (v->jobs[i].generation % 2 == 0 && v->jobs[i].state == GY_RUNNING) {
                ends[n][0] = v->jobs[i].expected_end;
                ends[n++][1] = v->jobs[i].rec.gpus;
            }
        qsort(ends, n, sizeof *ends, by_time);
        extra = free - want;
        for (size_t i = 0; i < n && (extra < 0 || ends[i][0] == shadow); i++) {
            shadow = ends[i][0];
            extra += ends[i][1];
        }
    }
    return 0;
}

static const struct gy_policy_type count_policy = {
    .name = "textbook", .summary = "", .state_size = 1, .decide = count_decide};

static struct gy_trace *load(struct sb *b, const char *name, uint32_t hosts, double limit_factor)
{
    const struct gy_trace_options o = {.path = name, .from = GY_NONE, .to = GY_NONE, .limit_factor = limit_factor};
    struct gy_trace *t = NULL;
    FILE *f = fopen(name, "r");
    if (!f) {
        fprintf(stderr, "SKIP: %s is not there\n", name);
        return NULL;
    }
    fclose(f);
    sb_init(b);
    cr_assert_eq(gy_trace_load(&o, b->strings, &t, &b->err), 0, "%s", b->err.what);
    for (uint32_t i = 0; i < hosts; i++)
        sb_node(b, 1);
    for (size_t i = 0; i < t->jobs.n && i < 4000; i++)
        cr_assert(gy_vec_push(&b->jobs, t->jobs.at[i]));
    return t;
}

struct use {
    gy_time start, end;
    uint32_t node;
};

static int by_node_and_time(const void *pa, const void *pb)
{
    const struct use *a = pa, *b = pb;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : a->end < b->end ? -1 : a->end > b->end;
}

/* Hosts of one GPU: no two jobs overlap on one. */
static void expect_capacity(const struct sb *b)
{
    GY_VEC(struct use) u = {0};
    for (size_t i = 0; i < b->jobs.n; i++)
        for (size_t k = 0; k < b->run[i].shares.n; k++) {
            const struct use one = {b->run[i].start, b->run[i].end, b->run[i].shares.at[k].node.i};
            cr_assert(gy_vec_push(&u, one));
        }
    qsort(u.at, u.n, sizeof *u.at, by_node_and_time);
    for (size_t i = 1; i < u.n; i++)
        cr_assert(u.at[i].node != u.at[i - 1].node || u.at[i].start >= u.at[i - 1].end, "node %u is used twice at %g",
                  u.at[i].node, gy_time_to_s(u.at[i].start));
    gy_vec_free(&u);
}

/* Limits are upper bounds here, so no promise may be broken: a job starts no later than it was ever told. */
static size_t expect_promises(const struct sb *b, const char *what)
{
    size_t told = 0;
    for (size_t i = 0; i < b->jobs.n; i++) {
        const struct sb_run *r = &b->run[i];
        told += r->first_told != GY_NONE;
        cr_assert(r->first_told == GY_NONE || (r->start <= r->first_told && r->start <= r->last_told),
                  "%s: job %zu starts at %g after it was promised %g", what, i, gy_time_to_s(r->start),
                  gy_time_to_s(r->first_told));
    }
    return told;
}

static void check_log(const char *name, uint32_t hosts, double limit_factor, int64_t least_depth)
{
    struct sb b, count;
    struct gy_trace *t = load(&b, name, hosts, limit_factor), *u = t ? load(&count, name, hosts, limit_factor) : NULL;
    if (!t)
        return;
    sb_composed(&b, "fifo", "strict", "easy", "first");
    sb_run(&count, &count_policy, NULL);
    for (size_t i = 0; i < b.jobs.n; i++)
        cr_assert_eq(b.run[i].start, count.run[i].start, "easy: job %zu starts at %g, by the textbook at %g", i,
                     gy_time_to_s(b.run[i].start), gy_time_to_s(count.run[i].start));
    cr_expect_gt(expect_promises(&b, "easy"), 100);
    expect_capacity(&b);
    for (int64_t depth = least_depth; depth <= 50; depth += 50) {
        struct gy_sched_params p = sb_params("fifo", "strict", "conservative", "first");
        p.depth = depth;
        sb_run(&b, &gy_policy_composed, &p);
        cr_expect_gt(expect_promises(&b, "conservative"), 100);
        expect_capacity(&b);
    }
    gy_trace_free(t);
    gy_trace_free(u);
    b.jobs.n = count.jobs.n = 0;
    sb_free(&b);
    sb_free(&count);
}

Test(logs, lublin)
{
    check_log(DATA "lublin_256.swf", 256, 2.5, 50); /* its queue grows long */
}

Test(logs, hpc2n)
{
    check_log(DATA "hpc2n_alea_subset.swf", 240, 0, 0);
}
