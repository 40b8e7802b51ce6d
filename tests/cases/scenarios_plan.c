/* Plans whose answer is known: M/M/c by Erlang's C formula, rigid jobs under a deadline by counting, the cheapest mix
 * of two GPU types by trying every mix on paper; goals that pull apart, and goals that nothing meets. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_planner.h"
#include "gy_stream.h"

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/gy-plan-XXXXXX");
    cr_assert(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

static FILE *file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    cr_assert(f);
    return f;
}

struct asked {
    struct gy_study *study;
    struct gy_planner *plan;
};

static struct asked ask(const char *study)
{
    struct gy_diags diags = {0};
    struct gy_error err = {0};
    const struct gy_plan_options o = {.threads = 2};
    char path[128];
    FILE *f = file("study.json");
    fputs(study, f);
    fclose(f);
    snprintf(path, sizeof path, "%s/study.json", folder);
    static char kept[128]; /* a study keeps the path */
    snprintf(kept, sizeof kept, "%s", path);
    struct asked a = {.study = gy_study_load(kept, NULL, &diags)};
    cr_assert(a.study, "%s: %s", diags.at[0].place, diags.at[0].what);
    a.plan = gy_planner_new(a.study, &diags);
    cr_assert(a.plan, "%s: %s", diags.at[0].place, diags.at[0].what);
    cr_assert_eq(gy_planner_search(a.plan, &o, &err), 0, "%s: %s", err.place, err.what);
    return a;
}

static double answer(const struct asked *a, size_t d)
{
    uint32_t index[GY_PLAN_DIMENSIONS];
    cr_assert_geq(a->plan->best, 0);
    gy_planner_indices(a->plan, a->plan->trials.at[a->plan->best].at, index);
    return gy_vary_value(&a->plan->vary.at[d], index[d]);
}

static void done(struct asked *a)
{
    gy_planner_free(a->plan);
    gy_study_free(a->study);
}

/* Erlang C by the recursion of Erlang B. */
static double wait_quantile(unsigned servers, double load, double service, double q)
{
    double b = 1;
    for (unsigned k = 1; k <= servers; k++)
        b = load * b / (k + load * b);
    if (load >= servers)
        return INFINITY;
    const double c = servers * b / (servers - load * (1 - b));
    return fmax(0, log(c / (1 - q)) / ((servers - load) / service));
}

static void poisson_trace(uint64_t seed, double load, double service, unsigned jobs)
{
    char name[32];
    struct gy_stream arrivals, services;
    double at = 0;
    snprintf(name, sizeof name, "mmc-%llu.csv", (unsigned long long)seed);
    FILE *f = file(name);
    cr_assert(gy_stream_init(&arrivals, seed, "arrivals") && gy_stream_init(&services, seed, "services"));
    fputs("job_id,submit_s,duration_s,gpus\n", f);
    for (unsigned i = 0; i < jobs; i++) {
        at += gy_stream_exponential(&arrivals, service / load);
        fprintf(f, "%u,%.9f,%.9f,1\n", i, at, gy_stream_exponential(&services, service));
    }
    gy_stream_free(&arrivals);
    gy_stream_free(&services);
    fclose(f);
}

static void erlang(double load, double target, unsigned jobs)
{
    char study[1024];
    unsigned least = 1;
    make_folder();
    for (uint64_t seed = 1; seed <= 4; seed++)
        poisson_trace(seed, load, 100, jobs);
    while (wait_quantile(least, load, 100, 0.95) > target)
        least++;
    /* Far enough from the neighbours that sampling cannot turn the answer. */
    cr_assert_lt(wait_quantile(least, load, 100, 0.95), 0.8 * target);
    cr_assert_gt(wait_quantile(least - 1, load, 100, 0.95), 1.2 * target);
    snprintf(study, sizeof study,
             "{\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 1}]}, \"trace\": {\"path\": \"mmc-{seed}.csv\"}},"
             " \"seeds\": [1, 2, 3, 4], \"vary\": {\"/cluster/nodes/0/gpus\": {\"min\": 1, \"max\": 60}},"
             " \"goal\": [{\"metric\": \"wait_s.p95\", \"max\": %g}]}",
             target);
    struct asked a = ask(study);
    cr_expect_eq(answer(&a, 0), least, "load %g: found %g, Erlang says %u", load, answer(&a, 0), least);
    cr_expect(a.plan->proven && !a.plan->not_monotone);
    cr_expect_leq(a.plan->trials.n, 10); /* of 60: it brackets */
    const struct gy_trial *t = &a.plan->trials.at[a.plan->best];
    cr_expect_float_eq(t->goal[0].mean, wait_quantile(least, load, 100, 0.95), 0.25 * target);
    cr_expect(t->goal[0].half > 0);
    done(&a);
    remove_folder();
}

Test(scenarios_plan, least_servers_of_a_queue_are_those_of_erlang)
{
    erlang(8, 75, 20000);
    erlang(2, 100, 20000);
    erlang(0.5, 200, 10000);
}

/* 37 jobs of 2 nodes and 100 s: floor(n / 2) at a time, so ceil(37 / floor(n / 2)) × 100 s. */
static double makespan(unsigned nodes)
{
    const unsigned side_by_side = nodes / 2;
    return side_by_side ? 100.0 * ((37 + side_by_side - 1) / side_by_side) : INFINITY;
}

Test(scenarios_plan, least_nodes_for_a_deadline_with_rigid_jobs)
{
    make_folder();
    FILE *f = file("rigid.csv");
    fputs("job_id,submit_s,duration_s,gpus,nodes\n", f);
    for (int i = 0; i < 37; i++)
        fprintf(f, "%d,0,100,16,2\n", i);
    fclose(f);
    for (int deadline = 100; deadline <= 3700; deadline += 300) {
        char study[512];
        unsigned least = 1;
        while (makespan(least) > deadline)
            least++;
        snprintf(study, sizeof study,
                 "{\"base\": {\"cluster\": {\"nodes\": [{\"count\": 1, \"gpus\": 8}]}, \"trace\": {\"path\": "
                 "\"rigid.csv\"}},"
                 " \"vary\": {\"/cluster/nodes/0/count\": {\"min\": 1, \"max\": 100}},"
                 " \"goal\": [{\"metric\": \"makespan_s\", \"max\": %d}]}",
                 deadline);
        struct asked a = ask(study);
        cr_expect_eq(answer(&a, 0), least, "deadline %d: found %g, counting says %u", deadline, answer(&a, 0), least);
        done(&a);
    }
    remove_folder();
}

/* 10 jobs want type A, 4 type B, 7 take either, each one GPU for 100 s; all are to end by 100 s, so each needs a GPU.
 */
Test(scenarios_plan, cheapest_mix_of_two_gpu_types)
{
    static const double prices[][2] = {{2, 3}, {3, 2}, {2, 2.5}, {1, 9}};
    make_folder();
    FILE *f = file("mix.csv");
    fputs("job_id,submit_s,duration_s,gpus,gpu_type\n", f);
    for (int i = 0; i < 21; i++)
        fprintf(f, "%d,0,100,1,%s\n", i, i < 10 ? "A" : i < 14 ? "B" : "");
    fclose(f);
    for (size_t k = 0; k < sizeof prices / sizeof *prices; k++) {
        char study[1024];
        double least = INFINITY;
        for (int x = 0; x <= 14; x++)
            for (int y = 0; y <= 16; y++)
                if (x >= 10 && y >= 4 && x + y >= 21)
                    least = fmin(least, x * prices[k][0] + y * prices[k][1]);
        snprintf(
            study, sizeof study,
            "{\"base\": {\"cluster\": {\"nodes\": [{\"name\": \"a\", \"count\": 1, \"gpus\": 1, \"gpu_type\": \"A\"},"
            " {\"name\": \"b\", \"count\": 1, \"gpus\": 1, \"gpu_type\": \"B\"}]}, \"trace\": {\"path\": \"mix.csv\"},"
            " \"prices\": {\"A\": %g, \"B\": %g}}, \"minimize\": \"cost\", \"vary\": {"
            "\"/cluster/nodes/0/count\": {\"min\": 0, \"max\": 14}, \"/cluster/nodes/1/count\": {\"min\": 0, \"max\": "
            "16}},"
            " \"goal\": [{\"metric\": \"makespan_s\", \"max\": 100}]}",
            prices[k][0], prices[k][1]);
        struct asked a = ask(study);
        const struct gy_trial *t = &a.plan->trials.at[a.plan->best];
        cr_expect_float_eq(t->objective, least, 1e-9, "found %g, the least is %g", t->objective, least);
        cr_expect_float_eq(answer(&a, 0) * prices[k][0] + answer(&a, 1) * prices[k][1], least, 1e-9);
        cr_expect(a.plan->proven);
        cr_expect_lt(a.plan->trials.n, 60); /* of 255 */
        done(&a);
    }
    remove_folder();
}

/* One job of 8 GPUs and one of 1 on nodes of 8: busy (900) / (n × 800). */
Test(scenarios_plan, goals_that_pull_apart)
{
    static const struct {
        double utilisation;
        int nodes; /* 0: none */
    } cases[] = {{0.5, 2}, {0.56, 2}, {0.57, 0}, {0.2, 2}};
    make_folder();
    FILE *f = file("two.csv");
    fputs("job_id,submit_s,duration_s,gpus\na,0,100,8\nb,0,100,1\n", f);
    fclose(f);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char study[512];
        snprintf(study, sizeof study,
                 "{\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 8}]}, \"trace\": {\"path\": \"two.csv\"}},"
                 " \"vary\": {\"/cluster/nodes/0/count\": {\"min\": 1, \"max\": 40}}, \"goal\": ["
                 "{\"metric\": \"wait_s.max\", \"max\": 0}, {\"metric\": \"utilization.allocated\", \"min\": %g}]}",
                 cases[k].utilisation);
        struct asked a = ask(study);
        if (cases[k].nodes > 0)
            cr_expect_eq(answer(&a, 0), cases[k].nodes);
        else
            cr_expect(a.plan->best < 0 && a.plan->pulls_down[1] && !a.plan->pulls_down[0]);
        cr_expect_lt(a.plan->trials.n, 12);
        done(&a);
    }
    remove_folder();
}

/* A cluster that turns the wide job away has short waits: it is no answer. */
Test(scenarios_plan, turning_jobs_away_is_no_answer)
{
    make_folder();
    FILE *f = file("two.csv");
    fputs("job_id,submit_s,duration_s,gpus\na,0,100,8\nb,0,100,1\n", f);
    fclose(f);
    struct asked a = ask("{\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 8}]}, \"trace\": {\"path\": \"two.csv\"}},"
                         " \"vary\": {\"/cluster/nodes/0/gpus\": {\"min\": 1, \"max\": 40}},"
                         " \"goal\": [{\"metric\": \"wait_s.max\", \"max\": 1000}]}");
    cr_expect_eq(answer(&a, 0), 8);
    done(&a);
    a = ask("{\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 8}]}, \"trace\": {\"path\": \"two.csv\"}},"
            " \"vary\": {\"/cluster/nodes/0/gpus\": {\"min\": 1, \"max\": 40}},"
            " \"goal\": [{\"metric\": \"makespan_s\", \"max\": 99}, {\"metric\": \"wait_s.max\", \"max\": 0}]}");
    cr_expect_lt(a.plan->best, 0);
    const struct gy_trial *closest = &a.plan->trials.at[a.plan->closest];
    cr_expect(!closest->goal[0].met && closest->goal[1].met);
    done(&a);
    remove_folder();
}

/* What is minimised is a metric: all settings are tried, or, where that is too much, the neighbourhood of the best. */
Test(scenarios_plan, a_metric_is_minimised)
{
    make_folder();
    FILE *f = file("rigid.csv");
    fputs("job_id,submit_s,duration_s,gpus\n", f);
    for (int i = 0; i < 12; i++)
        fprintf(f, "%d,0,100,1\n", i);
    fclose(f);
    for (int most = 20; most <= 200; most += 180) {
        char study[700];
        snprintf(study, sizeof study,
                 "{\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 1, \"gpu_type\": \"A\"}]}, \"prices\": {\"*\": 36},"
                 " \"trace\": {\"path\": \"rigid.csv\"}}, \"max_settings\": %d, \"minimize\": \"cost_usd.total\","
                 " \"vary\": {\"/cluster/nodes/0/gpus\": {\"min\": 5, \"max\": 30}},"
                 " \"goal\": [{\"metric\": \"makespan_s\", \"max\": 250}]}",
                 most);
        struct asked a = ask(study); /* 6 GPUs for 200 s or 12 for 100 s cost 12 USD; 6 is the smaller */
        if (most == 200)
            cr_expect_eq(answer(&a, 0), 6);
        cr_expect_float_eq(a.plan->trials.at[a.plan->best].objective, 12, 1e-9);
        cr_expect_eq(a.plan->proven, most == 200);
        done(&a);
    }
    remove_folder();
}
