/* The small cases whose answers are known by hand: backfill, starvation, equal times, limits that are wrong. */
#include "../sched_bed.h"

static void expect(const struct sb *b, const char *what, const double *start_s)
{
    for (size_t i = 0; i < b->jobs.n; i++)
        cr_expect_eq(b->run[i].start, gy_time_from_s(start_s[i]), "%s: job %zu starts at %.9g, not %.9g", what, i,
                     gy_time_to_s(b->run[i].start), start_s[i]);
}

/* A B C D on nodes of `gpus` GPUs that are asked for whole. */
static void backfill_case(struct sb *b, uint32_t gpus)
{
    const struct {
        uint32_t nodes;
        gy_time run, at;
    } job[] = {{2, 100, 0}, {4, 100, 1}, {2, 90, 2}, {2, 150, 3}};
    sb_init(b);
    for (int i = 0; i < 4; i++)
        sb_node(b, gpus);
    for (int i = 0; i < 4; i++) {
        struct gy_job_rec *r = sb_job(b, job[i].at * S, job[i].run * S, job[i].run * S, job[i].nodes * gpus);
        r->nodes = job[i].nodes;
    }
}

Test(cases, strict_order)
{
    for (uint32_t gpus = 1; gpus <= 8; gpus *= 2) {
        struct sb b;
        backfill_case(&b, gpus);
        sb_composed(&b, "fifo", "strict", "none", "first");
        expect(&b, "strict", (double[]){0, 100, 200, 200});
        sb_free(&b);
    }
}

Test(cases, without_a_reservation)
{
    struct sb b;
    backfill_case(&b, 8);
    sb_composed(&b, "fifo", "best-effort", "none", "pack");
    expect(&b, "best-effort", (double[]){0, 242, 2, 92});
    sb_free(&b);
}

Test(cases, easy)
{
    for (uint32_t gpus = 1; gpus <= 8; gpus *= 2) {
        struct sb b;
        backfill_case(&b, gpus);
        sb_composed(&b, "fifo", "strict", "easy", "pack");
        expect(&b, "easy", (double[]){0, 100, 2, 200});
        sb_free(&b);
    }
}

/* D must wait for C's and B's reservations: with B planned at 100 on all nodes, nothing longer than C fits before 200.
 */
Test(cases, conservative)
{
    for (uint32_t gpus = 1; gpus <= 8; gpus *= 2) {
        struct sb b;
        backfill_case(&b, gpus);
        sb_composed(&b, "fifo", "strict", "conservative", "pack");
        expect(&b, "conservative", (double[]){0, 100, 2, 200});
        sb_free(&b);
    }
}

/* S0 S1 L and ten small jobs on one node of eight. */
static void starvation_case(struct sb *b)
{
    sb_init(b);
    sb_node(b, 8);
    sb_job(b, 0, 100 * S, 100 * S, 4);
    sb_job(b, 0, 50 * S, 50 * S, 4);
    sb_job(b, 10 * S, 50 * S, 50 * S, 8);
    for (gy_time t = 40; t <= 490; t += 50)
        sb_job(b, t * S, 100 * S, 100 * S, 4);
}

static double mean_small_wait(const struct sb *b)
{
    double sum = 0;
    for (size_t i = 3; i < b->jobs.n; i++)
        sum += gy_time_to_s(b->run[i].start - b->jobs.at[i].submit);
    return sum / 10;
}

Test(cases, starvation)
{
    struct sb b;
    starvation_case(&b);
    sb_composed(&b, "fifo", "best-effort", "none", "first");
    cr_expect_eq(b.run[2].start - b.jobs.at[2].submit, 590 * S);
    cr_expect_float_eq(mean_small_wait(&b), 10, 1e-9);
    cr_expect_eq(b.result.last_end, 650 * S);
    sb_composed(&b, "fifo", "strict", "none", "first");
    cr_expect_eq(b.run[2].start - b.jobs.at[2].submit, 90 * S);
    cr_expect_float_eq(mean_small_wait(&b), 85, 1e-9);
    cr_expect_eq(b.result.last_end, 650 * S);
    sb_composed(&b, "fifo", "strict", "easy", "first");
    cr_expect_eq(b.run[2].start - b.jobs.at[2].submit, 90 * S);
    cr_expect_float_eq(mean_small_wait(&b), 85, 1e-9);
    sb_free(&b);
}
