/* The small cases of preemption, limits and backfill whose answers are known by hand, under the policy "slurm" in its
 * ideal cycle, and the cost of a long queue. */
#include <time.h>
#include "../sched_bed.h"
#include "slurm_policy.h"

static struct slurm_params ideal(void)
{
    return (struct slurm_params){.cycle = SLURM_CYCLE_IDEAL,
                                 .batch_sched_delay = 3 * S,
                                 .sched_interval = 60 * S,
                                 .main_tick = S,
                                 .bf_interval = 30 * S,
                                 .bf_window = 86400 * S,
                                 .bf_resolution = S,
                                 .kill_wait = 30 * S,
                                 .default_limit = 31536000 * S,
                                 .bf_max_job_test = 100,
                                 .default_queue_depth = 100,
                                 .calc_period = 300 * S,
                                 .max_age = 604800 * S,
                                 .half_life = 604800 * S,
                                 .dampening = 1,
                                 .bill_cpu = 1};
}

static gy_str word(struct sb *b, const char *text)
{
    return gy_strings_add(b->strings, text, strlen(text));
}

Test(slurm_cases, backfill)
{
    const struct {
        uint32_t nodes;
        gy_time run, at;
    } job[] = {{2, 100, 0}, {4, 100, 1}, {2, 90, 2}, {2, 150, 3}};
    const double want[] = {0, 100, 2, 200};
    struct slurm_params p = ideal();
    struct sb b;
    sb_init(&b);
    for (int i = 0; i < 4; i++)
        sb_node(&b, 8);
    for (int i = 0; i < 4; i++)
        sb_job(&b, job[i].at * S, job[i].run * S, job[i].run * S, job[i].nodes * 8)->nodes = job[i].nodes;
    sb_run(&b, &gy_policy_slurm, &p);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(b.run[i].start, gy_time_from_s(want[i]), "job %d starts at %.9g", i, gy_time_to_s(b.run[i].start));
    sb_free(&b);
}

/* Backfill plans by the limit, the job ends at its run time: D may not start beside A though A will end early. */
Test(slurm_cases, limit_and_run_time_differ)
{
    struct slurm_params p = ideal();
    struct sb b;
    sb_init(&b);
    sb_node(&b, 4);
    sb_job(&b, 0, 50 * S, 100 * S, 2);      /* A: done at 50, planned to 100 */
    sb_job(&b, 1 * S, 10 * S, 10 * S, 4);   /* B: promised 100, starts at 50 */
    sb_job(&b, 2 * S, 200 * S, 60 * S, 2);  /* C: fits before 100, killed at its limit */
    sb_job(&b, 3 * S, 10 * S, 3600 * S, 2); /* D: would delay B */
    sb_run(&b, &gy_policy_slurm, &p);
    cr_expect_eq(b.run[2].start, 2 * S);
    cr_expect_eq(b.run[2].end, 62 * S);
    cr_expect_eq(b.run[2].state, GY_TIMEOUT);
    cr_expect_eq(b.run[1].start, 62 * S, "B at %.9g", gy_time_to_s(b.run[1].start));
    cr_expect_eq(b.run[3].start, 72 * S, "D at %.9g", gy_time_to_s(b.run[3].start));
    sb_free(&b);
}

struct preempt {
    gy_time grace, high, low_end;
    int mode;
};

static void preempt_case(const struct preempt *c)
{
    struct slurm_partition_param parts[] = {{"low", 1, 1, c->mode, c->grace}, {"high", 10, 1, SLURM_OFF, 0}};
    struct slurm_params p = ideal();
    struct sb b;
    p.preempt = SLURM_PREEMPT_PARTITION;
    p.partitions = (struct gy_list){parts, 2};
    sb_init(&b);
    sb_node(&b, 8);
    struct gy_job_rec *low = sb_job(&b, 0, 1000 * S, GY_NONE, 8);
    low->checkpoint = 300 * S;
    low->partition = word(&b, "low");
    sb_job(&b, 500 * S, 200 * S, GY_NONE, 8)->partition = word(&b, "high");
    sb_run(&b, &gy_policy_slurm, &p);
    cr_expect_eq(b.run[1].start, c->high * S, "high starts at %.9g", gy_time_to_s(b.run[1].start));
    cr_expect_eq(b.run[0].end, c->low_end * S, "low ends at %.9g", gy_time_to_s(b.run[0].end));
    cr_expect_eq(b.run[0].state, c->mode == SLURM_CANCEL ? GY_CANCELLED : GY_COMPLETED);
    sb_free(&b);
}

Test(slurm_cases, preempt_grace_requeue)
{
    preempt_case(&(struct preempt){120 * S, 620, 1220, SLURM_REQUEUE});
    preempt_case(&(struct preempt){0, 500, 1400, SLURM_REQUEUE});
    preempt_case(&(struct preempt){0, 500, 500, SLURM_CANCEL}); /* never comes back */
    preempt_case(&(struct preempt){0, 500, 1200, SLURM_SUSPEND});
}

/* Preemptible jobs of 2, 4 and 8 nodes: for a job of 8 nodes only the one of 8 goes. */
Test(slurm_cases, preempt_only_what_is_needed)
{
    struct slurm_partition_param parts[] = {{"low", 1, 1, SLURM_REQUEUE, 0}, {"high", 10, 1, SLURM_OFF, 0}};
    struct slurm_params p = ideal();
    struct sb b;
    p.preempt = SLURM_PREEMPT_PARTITION;
    p.partitions = (struct gy_list){parts, 2};
    sb_init(&b);
    for (int i = 0; i < 14; i++)
        sb_node(&b, 8);
    for (uint32_t n = 2; n <= 8; n *= 2) {
        struct gy_job_rec *r = sb_job(&b, 0, 1000 * S, GY_NONE, 8 * n);
        r->nodes = n;
        r->partition = word(&b, "low");
    }
    struct gy_job_rec *high = sb_job(&b, 100 * S, 50 * S, GY_NONE, 64);
    high->nodes = 8;
    high->partition = word(&b, "high");
    sb_run(&b, &gy_policy_slurm, &p);
    cr_expect_eq(b.run[3].start, 100 * S);
    cr_expect_eq(b.run[0].end, 1000 * S);
    cr_expect_eq(b.run[1].end, 1000 * S);
    cr_expect_eq(b.run[2].end, 1150 * S);
    sb_free(&b);
}

/* Six GPUs of each of four nodes are out of reach: eight scattered ones are not taken for a job of one node. */
Test(slurm_cases, preempt_nothing_in_vain)
{
    struct slurm_partition_param parts[] = {{"low", 1, 1, SLURM_REQUEUE, 0}, {"high", 10, 1, SLURM_OFF, 0}};
    struct slurm_params p = ideal();
    struct sb b;
    p.preempt = SLURM_PREEMPT_PARTITION;
    p.partitions = (struct gy_list){parts, 2};
    sb_init(&b);
    for (int i = 0; i < 4; i++)
        sb_node(&b, 8);
    for (int i = 0; i < 4; i++) {
        sb_job(&b, 0, 1000 * S, GY_NONE, 6)->partition = word(&b, "high");
        sb_job(&b, 0, 1000 * S, GY_NONE, 2)->partition = word(&b, "low");
    }
    struct gy_job_rec *high = sb_job(&b, 100 * S, 50 * S, GY_NONE, 8);
    high->nodes = 1;
    high->partition = word(&b, "high");
    sb_run(&b, &gy_policy_slurm, &p);
    for (int i = 0; i < 8; i++)
        cr_expect_eq(b.run[i].end, 1000 * S, "job %d ends at %.9g", i, gy_time_to_s(b.run[i].end));
    cr_expect_eq(b.run[8].start, 1000 * S);
    sb_free(&b);
}

/* A user at the limit does not block others, and goes on when a job of the user's ends. */
Test(slurm_cases, limits_do_not_block)
{
    struct slurm_limit_param limits[] = {{NULL, NULL, NULL, NULL, true, -1, 2}};
    struct slurm_params p = ideal();
    struct sb b;
    p.limits = (struct gy_list){limits, 1};
    sb_init(&b);
    sb_node(&b, 8);
    for (int i = 0; i < 3; i++)
        sb_job(&b, i * S, 100 * S, 100 * S, 2)->user = word(&b, i < 2 ? "ann" : "bob");
    sb_run(&b, &gy_policy_slurm, &p);
    cr_expect_eq(b.run[0].start, 0);
    cr_expect_eq(b.run[1].start, 100 * S);
    cr_expect_eq(b.run[2].start, 2 * S);
    sb_free(&b);
}

static double seconds_with(uint32_t pending, uint64_t *passes)
{
    struct slurm_params p = ideal();
    struct sb b;
    p.cycle = SLURM_CYCLE_SLURM;
    sb_init(&b);
    for (int i = 0; i < 16; i++)
        sb_node(&b, 8);
    for (uint32_t i = 0; i < pending; i++)
        sb_job(&b, 0, (100 + i % 7) * S, 3600 * S, 1 + i % 8);
    b.config.stop_at = 3600 * S;
    const clock_t from = clock();
    sb_run(&b, &gy_policy_slurm, &p);
    const double took = (double)(clock() - from) / CLOCKS_PER_SEC;
    *passes = b.result.passes;
    sb_free(&b);
    return took;
}

/* A hundred thousand pending jobs cost what bf_max_job_test says and a sort, not a hundred times a thousand. */
Test(slurm_cases, a_long_queue_is_bounded)
{
    uint64_t few, many;
    const double a = seconds_with(5000, &few), b = seconds_with(100000, &many);
    fprintf(stderr, "an hour with 5,000 pending: %.3f s, %lu passes; with 100,000: %.3f s, %lu passes\n", a,
            (unsigned long)few, b, (unsigned long)many);
    cr_expect_lt(b, 10 * a + 2);
}
