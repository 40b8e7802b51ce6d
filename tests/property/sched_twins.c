/* The composed policy against twins that recompute everything: every start time and every GPU equal. */
#include "sched_random.h"
#include "sched_twin.h"
#include "sched_twin_conservative.h"
#include "sched_twin_named.h"

#define INSTANCES 1500

static void print_job(const struct sb *b, size_t i)
{
    const struct gy_job_rec *j = &b->jobs.at[i];
    fprintf(stderr, "  job %zu t%g run %g limit %g gpus %u x %u nodes %u cpus %g%s\n", i, gy_time_to_s(j->submit),
            gy_time_to_s(j->duration), gy_time_to_s(j->limit), j->gpus, j->gpu_milli, j->nodes,
            (double)j->cpu_milli / 1000, j->exclusive ? " exclusive" : "");
}

static bool same_shares(const struct sb_run *a, const struct sb_run *b)
{
    bool same = a->shares.n == b->shares.n;
    for (size_t i = 0; same && i < a->shares.n; i++)
        same = a->shares.at[i].node.i == b->shares.at[i].node.i && a->shares.at[i].mask == b->shares.at[i].mask &&
               a->shares.at[i].cpu_milli == b->shares.at[i].cpu_milli;
    return same;
}

/* Runs both on the same instance. */
static bool equal(uint64_t seed, unsigned with, enum twin_mode mode, const char *order, enum twin_place place,
                  uint64_t depth)
{
    static const char *const places[] = {"first", "pack", "spread"}, *const fills[] = {"none", "none", "easy",
                                                                                       "conservative", "easy-batsched"};
    struct sb a, b;
    struct r_rates rates = {0};
    const struct gy_rates model = {&rates, r_started, r_stopped, r_settle};
    struct gy_sched_params p =
        sb_params(order, mode == TWIN_BEST ? "best-effort" : "strict", fills[mode], places[place]);
    const struct twin t = {mode, place, gy_orders[p.order], depth};
    p.depth = (int64_t)depth;
    r_instance(&a, seed, with);
    r_instance(&b, seed, with);
    a.config.rates = b.config.rates = with & R_RATES ? &model : NULL;
    sb_run(&a, &gy_policy_composed, &p);
    rates.changes.n = 0;
    sb_run(&b, mode == TWIN_CONSERVATIVE ? &tc_policy : mode == TWIN_NAMED ? &tn_policy : &twin_policy, &t);
    bool same = true;
    for (size_t i = 0; i < a.jobs.n && same; i++) {
        same = a.run[i].start == b.run[i].start && same_shares(&a.run[i], &b.run[i]);
        if (!same) {
            fprintf(stderr,
                    "seed %lu with %u mode %d depth %lu order %s place %s: job %zu starts at %g on node %d, twin %g on "
                    "%d\n",
                    seed, with, mode, depth, order, places[place], i, gy_time_to_s(a.run[i].start),
                    a.run[i].shares.n ? (int)a.run[i].shares.at[0].node.i : -1, gy_time_to_s(b.run[i].start),
                    b.run[i].shares.n ? (int)b.run[i].shares.at[0].node.i : -1);
            for (size_t k = 0; k <= i && i < 20; k++)
                print_job(&a, k);
        }
    }
    gy_vec_free(&rates.changes);
    sb_free(&a);
    sb_free(&b);
    return same;
}

static void compare(enum twin_mode mode, uint64_t salt, unsigned without, int instances)
{
    static const char *const orders[] = {"fifo", "fifo", "sjf", "ljf", "smallest", "largest", "priority"};
    struct gy_stream r;
    cr_assert(gy_stream_init(&r, salt, "sched twins"));
    for (uint64_t i = 0; i < (uint64_t)instances; i++) {
        const unsigned with = i % 3 == 0   ? R_ONE_GPU | R_LIMITS
                              : i % 3 == 1 ? R_LIMITS | R_PRIORITY
                                           : r_below(&r, R_ALL + 1) & ~without;
        const char *order = orders[r_below(&r, 7)];
        const enum twin_place place = (enum twin_place)r_below(&r, 3);
        const uint64_t depth = r_below(&r, 2) ? 0 : 1 + r_below(&r, 4);
        if (!equal(salt + i, with, mode, order, place, depth)) {
            cr_expect(false, "differs");
            break;
        }
    }
    gy_stream_free(&r);
}

Test(twins, strict)
{
    compare(TWIN_STRICT, 1000000, 0, INSTANCES);
}

Test(twins, best_effort)
{
    compare(TWIN_BEST, 2000000, 0, INSTANCES);
}

Test(twins, easy)
{
    compare(TWIN_EASY, 3000000, 0, INSTANCES);
}

/* Not with changing rates: how late jobs are planned for is another rule there. */
Test(twins, conservative)
{
    compare(TWIN_CONSERVATIVE, 4000000, R_RATES, INSTANCES / 5);
}

/* As above; and not with nodes that come and go, where the reservation is made anew at other times. */
Test(twins, easy_batsched)
{
    compare(TWIN_NAMED, 5000000, R_RATES | R_CAPACITY, INSTANCES);
}
