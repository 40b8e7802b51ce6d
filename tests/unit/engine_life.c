/* The life cycle, each path by hand: limits, dependencies, arrays, cancellation, failures, requeue with checkpoints. */
#include "engine_bed.h"

Test(engine, equal_times_and_zero_lengths)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 100, 4);
    bed_job(&b, "b", 100, 0, 4); /* arrives when a ends: starts at once, ends at once */
    bed_job(&b, "c", 100, 5, 4);
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|end a completed 100|start b 100|end b completed 100|start c 100|end c completed 105|");
    bed_free(&b);
}

Test(engine, limits_kill_what_outlives_them)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 100, 1)->limit = 60 * S;
    bed_job(&b, "b", 0, 60, 1)->limit = 60 * S; /* exactly at its limit: it is done */
    bed_job(&b, "c", 0, 10, 1)->limit = 60 * S;
    b.rec[2].end_state = GY_FAILED;
    cr_assert_str_eq(bed_run(&b), "start a 0|start b 0|start c 0|end c failed 10|end a timeout 60|end b completed 60|");
    bed_free(&b);
}

Test(engine, rejects_what_never_fits_and_goes_on)
{
    struct bed b;
    bed_init(&b, 2, 4);
    bed_job(&b, "a", 0, 10, 9);
    bed_job(&b, "b", 0, 10, 8);
    bed_job(&b, "c", 1, 10, 2)->gpus_per_node = 1;
    bed_job(&b, "d", 1, 10, 3)->gpus_per_node = 1;
    bed_job(&b, "e", 1, 10, 0);
    cr_assert_str_eq(bed_run(&b),
                     "end a rejected 0|start b 0|end d rejected 1|end b completed 10|start c 10|start e 10|"
                     "end c completed 20|end e completed 20|");
    bed_free(&b);
}

Test(engine, cancelled_while_pending)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 100, 4);
    bed_job(&b, "b", 1, 100, 4)->cancel = 50 * S;
    bed_job(&b, "c", 2, 10, 4)->cancel = 100 * S; /* a place is free at 100, but the end comes before the pass */
    bed_job(&b, "d", 3, 10, 4)->cancel = 150 * S; /* runs by then */
    cr_assert_str_eq(bed_run(&b), "start a 0|end b cancelled 50|end a completed 100|end c cancelled 100|start d 100|"
                                  "end d completed 110|");
    bed_free(&b);
}

Test(engine, dependencies)
{
    struct bed b;
    bed_init(&b, 1, 8);
    bed_job(&b, "a", 0, 10, 1);
    bed_job(&b, "f", 0, 20, 1)->end_state = GY_FAILED;
    bed_depend(&b, bed_job(&b, "ok", 0, 5, 1), 0, GY_DEP_AFTEROK);
    bed_depend(&b, bed_job(&b, "never", 0, 5, 1), 1, GY_DEP_AFTEROK);
    bed_depend(&b, bed_job(&b, "any", 0, 5, 1), 1, GY_DEP_AFTERANY);
    struct gy_job_rec *both = bed_job(&b, "both", 0, 5, 1);
    bed_depend(&b, both, 0, GY_DEP_AFTEROK);
    bed_depend(&b, both, 1, GY_DEP_AFTERNOTOK);
    bed_depend(&b, bed_job(&b, "late", 30, 5, 1), 0, GY_DEP_AFTEROK); /* a ended long ago */
    bed_depend(&b, bed_job(&b, "late_never", 30, 5, 1), 1, GY_DEP_AFTEROK);
    bed_depend(&b, bed_job(&b, "unknown", 30, 5, 1), UINT32_MAX, GY_DEP_AFTEROK);
    bed_depend(&b, bed_job(&b, "chain", 30, 5, 1), 3, GY_DEP_AFTERANY); /* of a cancelled job */
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|start f 0|end a completed 10|start ok 10|end ok completed 15|end f failed 20|"
                     "end never cancelled 20|start any 20|start both 20|end any completed 25|end both completed 25|"
                     "end late_never cancelled 30|start late 30|start unknown 30|start chain 30|"
                     "end late completed 35|end unknown completed 35|end chain completed 35|");
    cr_assert_not(b.result.deadlock);
    bed_free(&b);
}

Test(engine, after_means_after_the_start)
{
    struct bed b;
    bed_init(&b, 1, 2);
    bed_job(&b, "a", 0, 50, 1);
    bed_depend(&b, bed_job(&b, "b", 0, 5, 1), 0, GY_DEP_AFTER);
    cr_assert_str_eq(bed_run(&b), "start a 0|start b 0|end b completed 5|end a completed 50|");
    bed_free(&b);
}

Test(engine, array_throttle)
{
    struct bed b;
    bed_init(&b, 1, 8);
    for (int i = 0; i < 5; i++) {
        char name[3] = {'t', (char)('0' + i), 0};
        struct gy_job_rec *r = bed_job(&b, name, 0, 10, 1);
        r->array = gy_strings_add(b.strings, "arr", 3);
        r->array_limit = 2;
    }
    b.rec[2].cancel = 5 * S;
    cr_assert_str_eq(bed_run(&b), "start t0 0|start t1 0|end t2 cancelled 5|end t0 completed 10|end t1 completed 10|"
                                  "start t3 10|start t4 10|end t3 completed 20|end t4 completed 20|");
    bed_free(&b);
}

static void change(struct bed *b, double at_s, uint32_t node, enum gy_node_state state)
{
    const struct gy_capacity_event e = {gy_time_from_s(at_s), {node}, state};
    cr_assert(gy_vec_push(&b->spec.events, e));
}

Test(engine, node_failure_ends_or_requeues)
{
    struct bed b;
    bed_init(&b, 2, 4);
    bed_job(&b, "a", 0, 100, 8);
    bed_job(&b, "b", 0, 10, 4);
    change(&b, 40, 1, GY_NODE_DOWN);
    change(&b, 70, 1, GY_NODE_UP);
    cr_assert_str_eq(bed_run(&b), "start a 0|end a node_fail 40|node - 40|start b 40|end b completed 50|");
    b.config.requeue_on_failure = true;
    cr_assert_str_eq(bed_run(&b), "start a 0|preempt a 40|node - 40|start b 40|end b completed 50|node - 70|start a 70|"
                                  "end a completed 170|");
    b.rec[0].checkpoint = 15 * S; /* 30 of 40 kept */
    cr_assert_str_eq(bed_run(&b), "start a 0|preempt a 40|node - 40|start b 40|end b completed 50|node - 70|start a 70|"
                                  "end a completed 140|");
    b.config.requeue_delay = 60 * S;
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|preempt a 40|node - 40|start b 40|end b completed 50|node - 70|start a 100|"
                     "end a completed 170|");
    bed_free(&b);
}

Test(engine, drain_lets_jobs_finish_and_absent_nodes_join)
{
    struct bed b;
    bed_init(&b, 2, 4);
    b.spec.nodes.at[1].absent = true;
    bed_job(&b, "a", 0, 30, 4);
    bed_job(&b, "b", 0, 30, 8);
    change(&b, 10, 0, GY_NODE_DRAINED);
    change(&b, 50, 0, GY_NODE_UP);
    change(&b, 60, 1, GY_NODE_UP);
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|node - 10|end a completed 30|node - 50|node - 60|start b 60|end b completed 90|");
    bed_free(&b);
}

Test(engine, stop_counts_what_is_left)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 100, 4);
    bed_job(&b, "b", 10, 100, 4);
    bed_job(&b, "c", 200, 100, 4);
    b.config.stop_at = 50 * S;
    cr_assert_str_eq(bed_run(&b), "start a 0|left a running 50|left b pending 50|");
    cr_assert_eq(b.result.end, 50 * S);
    bed_free(&b);
}

Test(engine, nothing_can_change_any_more)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 10, 4);
    bed_job(&b, "b", 5, 10, 4);
    change(&b, 8, 0, GY_NODE_DRAINED);
    cr_assert_str_eq(bed_run(&b), "start a 0|node - 8|end a completed 10|left b pending 10|");
    cr_assert(b.result.deadlock);
    bed_free(&b);
}

Test(engine, samples_come_after_the_pass_and_between_events)
{
    struct bed b;
    bed_init(&b, 1, 4);
    bed_job(&b, "a", 0, 25, 4);
    b.config.sample_every = 10 * S;
    cr_assert_str_eq(bed_run(&b), "start a 0|sample - 0|sample - 10|sample - 20|end a completed 25|");
    bed_free(&b);
}

Test(engine, slow_gpus_take_longer)
{
    struct bed b;
    bed_init(&b, 2, 1);
    b.spec.nodes.at[1].speed = 0.4;
    bed_job(&b, "a", 0, 10, 1);
    bed_job(&b, "b", 0, 10, 1);
    bed_job(&b, "c", 0, 10, 2); /* the slowest GPU sets the pace */
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|start b 0|end a completed 10|end b completed 25|start c 25|end c completed 50|");
    bed_free(&b);
}

Test(engine, an_empty_trace_is_a_run)
{
    struct bed b;
    bed_init(&b, 1, 1);
    cr_assert_str_eq(bed_run(&b), "");
    cr_assert_eq(b.result.end, GY_NONE);
    bed_free(&b);
}

static int bad_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    (void)self;
    const struct gy_share twice = {.node = {0}, .mask = 1, .gpu_milli = GY_MILLI};
    while (v->pending_first != UINT32_MAX)
        if (gy_plan_start(plan, (gy_job_id){v->pending_first}, &twice, 1))
            return -1;
    return 0;
}

Test(engine, refuses_an_illegal_decision_loudly)
{
    const struct gy_policy_type bad = {.name = "bad", .decide = bad_decide};
    struct bed b;
    bed_init(&b, 1, 2);
    b.config.policy = &bad;
    bed_job(&b, "a", 0, 10, 1);
    bed_job(&b, "b", 0, 10, 1);
    cr_assert_not_null(strstr(bed_run(&b), "policy bad: the placement of job b refused at 0 s"));
    cr_assert_eq(b.err.code, GY_EINTERNAL);
    bed_free(&b);
}

Test(engine, the_same_run_has_the_same_digest)
{
    struct bed b;
    bed_init(&b, 3, 4);
    for (int i = 0; i < 40; i++)
        bed_job(&b, (char[]){(char)('A' + i), 0}, i * 3, 17 + (i * 37) % 50, (uint32_t)(1 + i % 4));
    bed_run(&b);
    const uint64_t digest = b.result.digest;
    bed_run(&b);
    cr_assert_eq(b.result.digest, digest);
    b.rec[7].duration++;
    bed_run(&b);
    cr_assert_neq(b.result.digest, digest);
    bed_free(&b);
}

/* A rate model in which running jobs share one unit of speed. */
struct sharing {
    gy_job_id job[16];
    struct gy_rate_change change[16];
    size_t n;
};

static int sharing_started(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct sharing *m = self;
    (void)now, (void)job, (void)err;
    m->job[m->n++] = id;
    return 0;
}

static int sharing_stopped(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct sharing *m = self;
    (void)now, (void)job, (void)err;
    for (size_t i = 0; i < m->n; i++)
        if (m->job[i].i == id.i)
            m->job[i--] = m->job[--m->n];
    return 0;
}

static int sharing_settle(void *self, gy_time now, const struct gy_rate_change **changes, size_t *n, gy_time *wake,
                          struct gy_error *err)
{
    struct sharing *m = self;
    (void)now, (void)wake, (void)err;
    for (size_t i = 0; i < m->n; i++)
        m->change[i] = (struct gy_rate_change){.job = m->job[i], .factor = 1.0 / (double)m->n};
    *changes = m->change;
    *n = m->n;
    return 0;
}

Test(engine, time_slicing_by_a_rate_model)
{
    /* CASES 9: solo times 100 and 50, started together on one shared unit, end at 150 and 100. */
    struct sharing m = {.n = 0};
    const struct gy_rates rates = {&m, sharing_started, sharing_stopped, sharing_settle};
    struct bed b;
    bed_init(&b, 1, 8);
    b.config.rates = &rates;
    bed_job(&b, "a", 0, 100, 1);
    bed_job(&b, "b", 0, 50, 1);
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|start b 0|rate a 0|rate b 0|end b completed 100|rate a 100|end a completed 150|");
    b.rec[0].limit = 120 * S; /* the limit is wall-clock time */
    cr_assert_str_eq(bed_run(&b),
                     "start a 0|start b 0|rate a 0|rate b 0|end b completed 100|rate a 100|end a timeout 120|");
    bed_free(&b);
}
