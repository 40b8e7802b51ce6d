/* Placements, reasons, parameters and the edges of the policies. */
#include "../sched_bed.h"

static void one_job(struct sb *b, const char *placement, uint64_t seed)
{
    b->config.seed = seed;
    sb_composed(b, "fifo", "strict", "none", placement);
}

Test(place, random_is_uniform_and_seeded)
{
    struct sb b;
    uint32_t hits[10] = {0};
    sb_init(&b);
    for (int i = 0; i < 10; i++)
        sb_node(&b, 4);
    sb_job(&b, 0, S, GY_NONE, 4);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        one_job(&b, "random", seed);
        hits[b.run[0].shares.at[0].node.i]++;
    }
    for (int i = 0; i < 10; i++)
        cr_expect(hits[i] > 140 && hits[i] < 260, "node %d: %u of 2000", i, hits[i]);
    one_job(&b, "random", 7);
    const uint32_t node = b.run[0].shares.at[0].node.i;
    one_job(&b, "random", 7);
    cr_expect_eq(b.run[0].shares.at[0].node.i, node);
    sb_free(&b);
}

Test(place, pack_and_spread)
{
    struct sb b;
    sb_init(&b);
    sb_node(&b, 8);
    sb_node(&b, 4);
    sb_node(&b, 8);
    sb_job(&b, 0, 9 * S, GY_NONE, 2);
    sb_job(&b, 0, 9 * S, GY_NONE, 3);
    one_job(&b, "pack", 1); /* the fullest that holds it: 4 free, then 8 */
    cr_expect_eq(b.run[0].shares.at[0].node.i, 1);
    cr_expect_eq(b.run[1].shares.at[0].node.i, 0);
    one_job(&b, "spread", 1); /* the emptiest: 8, then the other 8 */
    cr_expect_eq(b.run[0].shares.at[0].node.i, 0);
    cr_expect_eq(b.run[1].shares.at[0].node.i, 2);
    one_job(&b, "first", 1);
    cr_expect_eq(b.run[1].shares.at[0].node.i, 0);
    cr_expect_eq(b.run[1].shares.at[0].mask, 0x1c);
    sb_free(&b);
}

Test(place, nodes_of_more_than_64_gpus)
{
    struct sb b;
    sb_init(&b);
    sb_node(&b, 144);
    sb_job(&b, 0, 9 * S, GY_NONE, 70);
    sb_job(&b, 0, 9 * S, GY_NONE, 74);
    one_job(&b, "pack", 1);
    cr_assert_eq(b.run[0].shares.n, 2);
    cr_expect_eq(b.run[0].shares.at[0].mask, UINT64_MAX);
    cr_expect_eq(b.run[0].shares.at[1].mask, 0x3f);
    cr_assert_eq(b.run[1].shares.n, 2);
    cr_expect_eq(b.run[1].shares.at[0].group, 1);
    cr_expect_eq(b.run[1].shares.at[0].mask, ~UINT64_C(0x3f));
    cr_expect_eq(b.run[1].shares.at[1].mask, 0xffff);
    cr_expect_eq(b.run[1].start, 0);
    sb_free(&b);
}

Test(place, halves_share_a_gpu)
{
    struct sb b;
    sb_init(&b);
    sb_node(&b, 8);
    for (int i = 0; i < 17; i++)
        sb_job(&b, 0, 9 * S, GY_NONE, 1)->gpu_milli = 500;
    one_job(&b, "pack", 1);
    for (int i = 0; i < 16; i++) {
        cr_expect_eq(b.run[i].start, 0);
        cr_expect_eq(b.run[i].shares.at[0].mask, UINT64_C(1) << (i / 2), "two by two");
    }
    cr_expect_eq(b.run[16].start, 9 * S);
    one_job(&b, "spread", 1);
    cr_expect_eq(b.run[1].shares.at[0].mask, 2, "apart while whole GPUs are free");
    sb_free(&b);
}

/* Reasons while pending, as observers hear them in the first seconds. */
static enum gy_reason reasons[16];
static int hear(void *self, const struct gy_view *v, const struct gy_event *e, struct gy_error *err)
{
    (void)self;
    (void)v;
    (void)err;
    if (e->kind == GY_E_HOLD && e->time < 5 * S)
        reasons[e->job->rec.row] = (enum gy_reason)e->job->reason;
    return 0;
}

static void hear_reasons(struct sb *b, const char *queueing, const char *backfill)
{
    const struct gy_sched_params p = sb_params("fifo", queueing, backfill, "first");
    const struct gy_observer o = {b, hear};
    memset(reasons, 0, sizeof reasons);
    b->at = 0;
    b->config.policy = &gy_policy_composed;
    b->config.policy_params = &p;
    b->config.source = (struct gy_source){.self = b, .next = sb_next, .strings = b->strings, .count = b->jobs.n};
    cr_assert_eq(gy_sim_run(&b->config, &o, 1, &b->result, &b->err), 0, "%s", b->err.what);
}

Test(reasons, every_waiting_job_has_one)
{
    struct sb b;
    sb_init(&b);
    for (int i = 0; i < 2; i++)
        sb_node(&b, 4);
    sb_job(&b, 0, 100 * S, 100 * S, 3);              /* node 0 */
    sb_job(&b, 0, 50 * S, 50 * S, 3);                /* node 1: one GPU is left on each */
    sb_job(&b, 1 * S, 10 * S, 10 * S, 2)->nodes = 1; /* 2 are free, on two nodes */
    sb_job(&b, 2 * S, 10 * S, 10 * S, 8);            /* more than are free */
    sb_job(&b, 3 * S, 99 * S, 99 * S, 1);            /* fits now */
    hear_reasons(&b, "strict", "none");
    cr_expect_eq(reasons[2], GY_R_FRAGMENTED);
    cr_expect_eq(reasons[3], GY_R_PRIORITY);
    cr_expect_eq(reasons[4], GY_R_PRIORITY);
    hear_reasons(&b, "best-effort", "none");
    cr_expect_eq(reasons[2], GY_R_FRAGMENTED);
    cr_expect_eq(reasons[3], GY_R_RESOURCES);
    cr_expect_eq(reasons[4], GY_R_NONE, "it started");
    b.jobs.at[2].gpus = 8; /* the head needs all at 100 */
    b.jobs.at[2].nodes = 2;
    b.jobs.at[4].limit = b.jobs.at[4].duration = 99 * S;
    for (int i = 0; i < 2; i++) {
        hear_reasons(&b, "strict", i ? "conservative" : "easy");
        cr_expect_eq(reasons[2], GY_R_RESOURCES);
        cr_expect_eq(reasons[4], GY_R_RESERVED, "it would end at 102");
    }
    sb_free(&b);
}

Test(batsched, rejects_jobs_without_a_limit)
{
    struct sb b;
    sb_init(&b);
    sb_node(&b, 1);
    sb_job(&b, 0, 10 * S, 10 * S, 1);
    sb_job(&b, 1 * S, 10 * S, GY_NONE, 1);
    sb_job(&b, 2 * S, 10 * S, 10 * S, 1);
    sb_composed(&b, "fifo", "strict", "easy-batsched", "first");
    cr_expect_eq(b.run[1].state, GY_REJECTED);
    cr_expect_eq(b.run[1].start, GY_NONE);
    cr_expect_eq(b.run[2].start, 10 * S);
    sb_free(&b);
}

/* While a node is drained no time can be told for a job of two nodes, and nothing holds the other node back for it. */
Test(conservative, plans_anew_when_nodes_change)
{
    struct sb b;
    sb_init(&b);
    for (int i = 0; i < 2; i++)
        sb_node(&b, 1);
    const struct gy_capacity_event down = {10 * S, {1}, GY_NODE_DRAINED}, up = {70 * S, {1}, GY_NODE_UP};
    cr_assert(gy_vec_push(&b.spec.events, down) && gy_vec_push(&b.spec.events, up));
    sb_job(&b, 0, 40 * S, 100 * S, 1);
    sb_job(&b, 0, 60 * S, 60 * S, 1);
    sb_job(&b, 1 * S, 10 * S, 10 * S, 2);
    sb_job(&b, 2 * S, 25 * S, 500 * S, 1);
    sb_job(&b, 3 * S, 500 * S, 500 * S, 1);
    sb_composed(&b, "fifo", "strict", "conservative", "first");
    cr_expect_eq(b.run[2].first_told, 100 * S);
    cr_expect_eq(b.run[3].start, 40 * S);
    cr_expect_eq(b.run[4].start, 65 * S);
    cr_expect_eq(b.run[2].start, 565 * S);
    sb_free(&b);
}

Test(registry, names_are_found)
{
    cr_expect_eq(gy_policy_find("composed"), &gy_policy_composed);
    cr_expect_null(gy_policy_find("no such policy"));
    for (size_t i = 0; gy_policies[i]; i++) {
        cr_expect_eq(gy_policy_find(gy_policies[i]->name), gy_policies[i]);
        cr_expect(gy_policies[i]->params && gy_policies[i]->summary);
    }
    for (size_t i = 0; gy_backfills[i]; i++)
        cr_expect(gy_backfills[i]->name && gy_backfills[i]->summary && gy_backfills[i]->pass);
}
