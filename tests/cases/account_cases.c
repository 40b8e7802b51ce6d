/* The account on the real engine and policies: CASES.md 2 (starvation seen only by size class), 13, and a crowd of jobs
 * with failures, limits and dependencies whose books must balance. */
#include <math.h>
#include "../unit/engine_bed.h"
#include "gy_account.h"
#include "gy_bind.h"
#include "gy_stream.h"

static struct gy_account *account_run(struct bed *b)
{
    const struct gy_account_options o = {.cluster = &b->spec, .strings = b->strings, .groups = true};
    struct gy_account *a = gy_account_new(&o, &b->err);
    cr_assert(a);
    b->at = 0;
    b->config.source =
        (struct gy_source){.self = b, .next = bed_next, .deps = b->dep, .strings = b->strings, .count = b->n};
    const struct gy_observer observer = gy_account_observer(a);
    cr_assert_eq(gy_sim_run(&b->config, &observer, 1, &b->result, &b->err), 0, "%s", b->err.what);
    cr_assert_eq(gy_account_finish(a, &b->result, &b->err), 0);
    return a;
}

static double metric(const struct gy_account *a, const char *name)
{
    struct gy_metric m;
    cr_assert(gy_account_metric(a, name, &m), "no metric %s", name);
    return m.value;
}

/* Sets the policy with parameters as a scenario would give them; free() what comes back after the run. */
static void *use_policy(struct bed *b, const char *name, const char *params)
{
    const struct gy_policy_type *type = gy_policy_find(name);
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_diags diags = {0};
    struct gy_json_doc *doc = gy_json_parse("params", params, strlen(params), &b->err);
    cr_assert(type && doc);
    void *out = calloc(1, type->params_size);
    cr_assert_eq(gy_bind(type->params, doc, gy_json_root(doc), "", out, &arena, &diags), 0, "%s", diags.at[0].what);
    gy_json_free(doc);
    gy_arena_free(&arena); /* no texts among these parameters */
    b->config.policy = type;
    b->config.policy_params = out;
    return out;
}

static void starvation(bool best_effort)
{
    struct bed b;
    bed_init(&b, 1, 8);
    void *params = use_policy(&b, "fifo", best_effort ? "{\"queueing\": \"best-effort\"}" : "{}");
    bed_job(&b, "S0", 0, 100, 4);
    bed_job(&b, "S1", 0, 50, 4);
    bed_job(&b, "L", 10, 50, 8);
    for (int i = 0; i < 10; i++)
        bed_job(&b, "s", 40 + 50 * i, 100, 4);
    struct gy_account *a = account_run(&b);
    cr_assert_eq(metric(a, "makespan_s"), 650);
    cr_assert_eq(metric(a, "utilization.allocated"), 5000.0 / 5200);
    cr_assert_eq(metric(a, "job_size_class.5-8.wait_s.max"), best_effort ? 590 : 90);
    cr_assert_float_eq(metric(a, "job_size_class.3-4.wait_s.mean") * 12 / 10, best_effort ? 10 : 85, 1e-9);
    gy_account_free(a);
    free(params);
    bed_free(&b);
}

Test(account_cases, starvation_shows_by_size_alone)
{
    starvation(true);
    starvation(false);
}

Test(account_cases, equal_times)
{
    struct bed b;
    bed_init(&b, 1, 4);
    for (int i = 0; i < 10; i++)
        bed_job(&b, "j", 100 * i, 100, 4);
    struct gy_account *a = account_run(&b);
    cr_assert_eq(metric(a, "utilization.allocated"), 1);
    cr_assert_eq(metric(a, "wait_s.max"), 0);
    cr_assert_eq(metric(a, "gpu_hours.free"), 0);
    gy_account_free(a);
    bed_free(&b);
}

/* Half of the books comes from the cluster's totals, half from what each job held: they must agree. */
static void crowd(uint64_t seed)
{
    struct bed b;
    struct gy_stream rng;
    struct gy_books books;
    double jobs = 0, hours = 0;
    bed_init(&b, 4, 8);
    cr_assert(gy_stream_init(&rng, seed, "crowd"));
    void *params = use_policy(&b, seed % 2 ? "fifo" : "easy", "{}");
    b.config.requeue_on_failure = seed % 3 > 0;
    b.config.requeue_delay = seed % 5 ? 0 : 30 * S;
    b.config.stop_at = seed % 4 ? GY_NEVER : 900 * S;
    double at = 0;
    for (int i = 0; i < 60; i++) {
        at += (double)gy_stream_below(&rng, 30);
        struct gy_job_rec *r =
            bed_job(&b, "j", at, (double)gy_stream_below(&rng, 200), (uint32_t)gy_stream_below(&rng, 12));
        r->limit = gy_stream_below(&rng, 3) ? (gy_time)(1 + gy_stream_below(&rng, 200)) * S : GY_NONE;
        r->checkpoint = gy_stream_below(&rng, 2) ? 20 * S : GY_NONE;
        r->idle_tail = gy_stream_below(&rng, 2) ? (gy_time)gy_stream_below(&rng, 100) * S : GY_NONE;
        r->cancel = gy_stream_below(&rng, 5) ? GY_NONE : r->submit + 60 * S;
        if (i > 0 && gy_stream_below(&rng, 6) == 0)
            bed_depend(&b, r, (uint32_t)gy_stream_below(&rng, (uint64_t)i), GY_DEP_AFTEROK);
    }
    for (int i = 0; i < 6; i++) {
        const struct gy_capacity_event e = {(gy_time)(100 + 130 * i) * S,
                                            {(uint32_t)gy_stream_below(&rng, 4)},
                                            (enum gy_node_state)gy_stream_below(&rng, 4)};
        const struct gy_capacity_event back = {e.time + 50 * S, e.node, GY_NODE_UP};
        cr_assert(gy_vec_push(&b.spec.events, e) && gy_vec_push(&b.spec.events, back));
    }
    struct gy_account *a = account_run(&b);
    gy_account_books(a, &books);
    cr_assert(books.total == books.allocated + books.free + books.down && books.busy >= 0 && books.idle_held >= 0 &&
                  books.lost >= 0 && books.free >= 0,
              "seed %llu", (unsigned long long)seed);
    const struct gy_grouping *g = gy_account_groups(a, GY_BY_SIZE);
    for (size_t i = 0; i < g->n; i++) {
        jobs += (double)g->at[i].jobs[GY_N_SUBMITTED];
        hours += g->at[i].allocated;
    }
    cr_assert(jobs == metric(a, "jobs.submitted") && jobs <= 60);
    cr_assert_float_eq(hours, gy_gpu_hours(books.allocated), 1e-9, "seed %llu", (unsigned long long)seed);
    double sum = 0;
    static const char *const states[] = {"completed", "failed", "cancelled", "timeout", "pending", "running"};
    for (size_t i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "jobs.%s", states[i]);
        sum += metric(a, name);
    }
    cr_assert_eq(sum, jobs);
    gy_account_free(a);
    free(params);
    gy_stream_free(&rng);
    bed_free(&b);
}

Test(account_cases, crowds_balance)
{
    for (uint64_t seed = 1; seed <= 60; seed++)
        crowd(seed);
}
