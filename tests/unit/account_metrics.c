/* Metrics of hand-made event streams against answers found by hand, with CASES.md 2, 13 and 14 among them. */
#include "account_feed.h"
#include "series.h"

/* CASES.md 2 under best-effort FIFO: one 8-GPU node; S0(4,100,t0) S1(4,50,t0) L(8,50,t10) and ten (4,100) at 40, 90 …
 * 490. Each small job starts on arrival but for the wait behind the two before it; L starts last. */
static void starvation(bool strict)
{
    struct feed *f = feed_new(1, 8);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 4, 1000);
    feed_job(f, 1, 0, 50, 4, 1000);
    feed_job(f, 2, 10, 50, 8, 1000);
    for (uint32_t i = 0; i < 10; i++)
        feed_job(f, 3 + i, 40 + 50 * i, 100, 4, 1000);
    feed_submit(f, 0);
    feed_submit(f, 1);
    feed_start(f, 0, 0, 0, 0x0f);
    feed_start(f, 1, 0, 0, 0xf0);
    feed_submit(f, 2);
    feed_submit(f, 3);
    feed_end(f, 1, 50, GY_COMPLETED, 0, NULL);
    if (!strict) { /* small job k (from 0) runs [50 + 50k, 150 + 50k), L [600, 650) */
        for (uint32_t k = 0; k < 10; k++) {
            feed_start(f, 3 + k, 50 + 50 * k, 0, k % 2 ? 0x0f : 0xf0);
            if (k < 9)
                feed_submit(f, 4 + k);
            feed_end(f, k == 0 ? 0 : 2 + k, 100 + 50 * k, GY_COMPLETED, 0, NULL);
        }
        feed_end(f, 12, 600, GY_COMPLETED, 0, NULL);
        feed_start(f, 2, 600, 0, 0xff);
        feed_end(f, 2, 650, GY_COMPLETED, 0, NULL);
    } else { /* L [100, 150); then pairs */
        feed_submit(f, 4);
        feed_end(f, 0, 100, GY_COMPLETED, 0, NULL);
        feed_start(f, 2, 100, 0, 0xff);
        feed_submit(f, 5);
        feed_end(f, 2, 150, GY_COMPLETED, 0, NULL);
        uint32_t next = 6;
        for (uint32_t p = 0; p < 5; p++) {
            feed_start(f, 3 + 2 * p, 150 + 100 * p, 0, 0x0f);
            feed_start(f, 4 + 2 * p, 150 + 100 * p, 0, 0xf0);
            for (int k = 0; k < 2 && next <= 12; k++)
                feed_submit(f, next++);
            feed_end(f, 3 + 2 * p, 250 + 100 * p, GY_COMPLETED, 0, NULL);
            feed_end(f, 4 + 2 * p, 250 + 100 * p, GY_COMPLETED, 0, NULL);
        }
    }
    feed_finish(f, 650, NULL, 0);
    expect(f, "makespan_s", 650);
    expect(f, "utilization.allocated", 5000.0 / 5200);
    expect(f, "utilization.busy", 5000.0 / 5200);
    expect(f, "utilization.goodput", 5000.0 / 5200);
    expect(f, "utilization.down", 0);
    expect(f, "gpu_hours.allocated", 5000.0 / 3600);
    expect(f, "gpu_hours.free", 200.0 / 3600);
    expect(f, "jobs.submitted", 13);
    expect(f, "jobs.completed", 13);
    expect(f, "wait_s.max", strict ? 110 : 590);
    expect(f, "job_size_class.5-8.wait_s.mean", strict ? 90 : 590);
    expect(f, "job_size_class.3-4.wait_s.mean", strict ? 850.0 / 12 : 100.0 / 12); /* S0 and S1 wait 0 */
    expect(f, "job_size_class.3-4.jobs.submitted", 12);
    expect(f, "job_size_class.5-8.gpu_hours.allocated", 400.0 / 3600);
    expect(f, "job_size_class.5-8.slowdown.max", (strict ? 90.0 + 50 : 590 + 50) / 50);
    expect(f, "jct_s.max", strict ? 210 : 640);
    expect(f, "fairness.jain", 1);
    expect(f, "ettr.mean", 1);
    feed_free(f);
}

Test(account, starvation_best_effort)
{
    starvation(false);
}

Test(account, starvation_strict)
{
    starvation(true);
}

/* CASES.md 13: a ends and b starts at the same instant on the same GPUs; intervals are [start, end). */
Test(account, intervals_are_half_open)
{
    struct feed *f = feed_new(1, 4);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 5, 10, 4, 1000);
    feed_job(f, 1, 15, 10, 4, 1000);
    feed_submit(f, 0);
    feed_start(f, 0, 5, 0, 0xf);
    feed_end(f, 0, 15, GY_COMPLETED, 0, NULL);
    feed_submit(f, 1);
    feed_start(f, 1, 15, 0, 0xf);
    feed_end(f, 1, 25, GY_COMPLETED, 0, NULL);
    feed_finish(f, 25, NULL, 0);
    struct gy_books b;
    gy_account_books(f->account, &b);
    cr_assert(b.allocated == (gy_gpu_time)80 * S * 1000 && b.free == 0 && b.start == 5 * S && b.end == 25 * S);
    expect(f, "utilization.allocated", 1);
    expect(f, "wait_s.max", 0);
    expect(f, "fragmentation.mean", NAN); /* nothing was ever free */
    feed_free(f);
}

/* CASES.md 14: four pods of a quarter GPU for an hour are one GPU-hour. */
Test(account, quarters_make_an_hour)
{
    struct feed *f = feed_new(1, 1);
    feed_open(f, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        feed_job(f, i, 0, 3600, 1, 250);
        feed_submit(f, i);
        feed_start(f, i, 0, 0, 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        feed_end(f, i, 3600, GY_COMPLETED, 0, NULL);
    feed_finish(f, 3600, NULL, 0);
    struct gy_books b;
    gy_account_books(f->account, &b);
    cr_assert(b.allocated == (gy_gpu_time)3600 * S * 1000);
    expect(f, "gpu_hours.allocated", 1);
    expect(f, "gpu_hours.total", 1);
    expect(f, "job_size_class.<1.gpu_hours.allocated", 1);
    expect(f, "job_size_class.<1.jobs.completed", 4);
    expect(f, "gpu_type.G.gpu_hours.busy", 1);
    feed_free(f);
}

/* Idle tail, lost work, preemption, requeue and suspension on one 2-GPU node; node 1 is down for a while. */
Test(account, idle_lost_and_down)
{
    struct feed *f = feed_new(2, 2);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 2, 1000)->rec.idle_tail = 30 * S;
    feed_submit(f, 0);
    feed_start(f, 0, 0, 0, 3);
    feed_node_state(f, 10, 1, GY_NODE_DOWN);
    /* At 80 the last 10 s were idle; 40 s of work are lost: of the 80 s × 2 GPUs 40 × 2 were kept. */
    feed_preempt(f, 0, 80, (__int128)40 * S * 2000, false);
    feed_start(f, 0, 90, 0, 3); /* anew: idle from 160 to 190 */
    feed_node_state(f, 110, 1, GY_NODE_UP);
    feed_end(f, 0, 190, GY_COMPLETED, 0, NULL);
    feed_finish(f, 200, NULL, 0);
    struct gy_books b;
    gy_account_books(f->account, &b);
    const gy_gpu_time gpu_s = (gy_gpu_time)S * 1000;
    cr_assert(b.total == 800 * gpu_s);
    cr_assert(b.down == 200 * gpu_s);
    cr_assert(b.allocated == 360 * gpu_s);
    cr_assert(b.free == 240 * gpu_s);
    cr_assert(b.lost == 80 * gpu_s);
    cr_assert(b.idle_held == 60 * gpu_s); /* the idle 10 s of the first run went with what was lost */
    cr_assert(b.busy == 220 * gpu_s);
    expect(f, "utilization.allocated", 360.0 / 600);
    expect(f, "utilization.busy", 300.0 / 600);
    expect(f, "utilization.goodput", 220.0 / 600);
    expect(f, "utilization.down", 0.25);
    expect(f, "preemptions", 1);
    expect(f, "restarts", 1);
    expect(f, "jct_s.mean", 190);
    expect(f, "wait_s.mean", 0);
    expect(f, "slowdown.mean", 190.0 / 180);
    expect(f, "ettr.mean", (180 * (280.0 / 360)) / 190);
    expect(f, "makespan_s", 190);
    expect(f, "job_size_class.2.gpu_hours.lost", 80.0 / 3600);
    feed_free(f);
}

/* A job's rate halves: its idle tail begins when 30 s of work are left, not 30 s before its end at rate 1. */
Test(account, idle_tail_follows_the_rate)
{
    struct feed *f = feed_new(1, 1);
    feed_open(f, NULL, 0);
    struct gy_job *j = feed_job(f, 0, 0, 100, 1, 1000);
    j->rec.idle_tail = 30 * S;
    feed_submit(f, 0);
    feed_start(f, 0, 0, 0, 1);
    j->work_left = 60 * S;
    j->updated = 40 * S;
    j->rate = 0.5;
    feed_event(f, (struct gy_event){.kind = GY_E_RATE, .id = {0}, .job = j}, 40); /* 30 left at 100, ends at 160 */
    feed_end(f, 0, 160, GY_COMPLETED, 0, NULL);
    feed_finish(f, 160, NULL, 0);
    expect(f, "gpu_hours.idle_held", 60.0 / 3600);
    expect(f, "gpu_hours.busy", 100.0 / 3600);
    feed_free(f);
}

/* Every end state once; states add up; who waits and who does not. */
Test(account, states_add_up)
{
    static const enum gy_job_state as[] = {GY_COMPLETED, GY_FAILED, GY_CANCELLED, GY_TIMEOUT, GY_NODE_FAIL};
    struct feed *f = feed_new(1, 8);
    feed_open(f, NULL, 0);
    for (uint32_t i = 0; i < 5; i++) {
        feed_job(f, i, 0, 10, 1, 1000);
        feed_submit(f, i);
        feed_start(f, i, i, 0, (uint64_t)1 << i);
    }
    for (uint32_t i = 0; i < 5; i++)
        feed_end(f, i, 10 + i, as[i], 0, NULL);
    feed_job(f, 5, 20, 10, 1, 1000); /* cancelled while pending */
    feed_submit(f, 5);
    feed_end(f, 5, 25, GY_CANCELLED, 0, NULL);
    feed_job(f, 6, 30, 10, 99, 1000);
    feed_submit(f, 6);
    feed_end(f, 6, 30, GY_REJECTED, 0, "asks for more GPUs than there are");
    feed_job(f, 7, 31, 0, 1, 1000); /* runs for no time at all */
    feed_submit(f, 7);
    feed_start(f, 7, 33, 0, 1);
    feed_end(f, 7, 33, GY_COMPLETED, 0, NULL);
    feed_job(f, 8, 40, 100, 1, 1000);
    feed_submit(f, 8);
    feed_start(f, 8, 44, 0, 1);
    feed_job(f, 9, 50, 100, 8, 1000);
    feed_submit(f, 9);
    feed_finish(f, 60, (uint32_t[]){8, 9}, 2);
    expect(f, "jobs.submitted", 10);
    expect(f, "jobs.completed", 2);
    expect(f, "jobs.failed", 3);
    expect(f, "jobs.cancelled", 2);
    expect(f, "jobs.timeout", 1);
    expect(f, "jobs.pending", 1);
    expect(f, "jobs.running", 1);
    expect(f, "rejected", 1);
    expect(f, "node_fail", 1);
    expect(f, "wait_s.mean", (0 + 1 + 2 + 3 + 4 + 2 + 4) / 7.0); /* all that started */
    expect(f, "jct_s.mean", (10 + 11 + 12 + 13 + 14 + 2) / 6.0); /* all that started and ended */
    expect(f, "slowdown.mean",
           (10.0 / 10 + 11.0 / 10 + 12.0 / 10 + 13.0 / 10 + 14.0 / 10) / 5); /* without the zero run */
    expect(f, "bounded_slowdown.mean", (1 + 1.1 + 1.2 + 1.3 + 1.4 + 1) / 6.0);
    expect(f, "gpu_hours.allocated", (50 + 16) / 3600.0);
    expect(f, "makespan_s", 33);
    feed_free(f);
}

Test(account, nothing_at_all)
{
    struct feed *f = feed_new(1, 8);
    feed_open(f, NULL, 0);
    feed_finish(f, 0, NULL, 0);
    expect(f, "jobs.submitted", 0);
    expect(f, "makespan_s", NAN);
    expect(f, "wait_s.p95", NAN);
    expect(f, "utilization.allocated", NAN);
    expect(f, "gpu_hours.total", 0);
    feed_free(f);
}

/* Two teams, one entitled to three times the other's share. */
Test(account, fairness_by_entitlement)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        struct feed *f = feed_new(1, 4);
        const struct gy_entitlement entitled[] = {{feed_name(f, "a"), 3}};
        feed_open(f, entitled, weighted ? 1 : 0);
        feed_job(f, 0, 0, 100, 3, 1000)->rec.team = feed_name(f, "a");
        feed_job(f, 1, 0, 100, 1, 1000)->rec.team = feed_name(f, "b");
        feed_job(f, 2, 0, 100, 0, 1000)->rec.team = feed_name(f, "cpu only"); /* not in it */
        for (uint32_t i = 0; i < 3; i++)
            feed_submit(f, i);
        feed_start(f, 0, 0, 0, 7);
        feed_start(f, 1, 20, 0, 8);
        feed_start_on(f, 2, 0, NULL, 0);
        feed_end(f, 0, 100, GY_COMPLETED, 0, NULL);
        feed_end(f, 2, 100, GY_COMPLETED, 0, NULL);
        feed_end(f, 1, 120, GY_COMPLETED, 0, NULL);
        feed_finish(f, 120, NULL, 0);
        const double xa = weighted ? 100 : 300, xb = 100;
        expect(f, "fairness.jain", (xa + xb) * (xa + xb) / (2 * (xa * xa + xb * xb)));
        /* N = 2 teams of 4 GPUs: 3 GPUs alone on half of them take 1.5 times as long, 1 GPU no longer. */
        expect(f, "fairness.ftf.mean", (100 / (100 * 1.5) + 120.0 / 100) / 2);
        expect(f, "fairness.ftf.max", 1.2);
        expect(f, "team.cpu only.jobs.completed", 1);
        expect(f, "team.cpu only.gpu_hours.allocated", 0);
        feed_free(f);
    }
}

/* FGD's expected unusable free GPUs: node of 4 with 1 free, node of 4 with 4 free; mix of one 1-GPU, one 2-GPU and one
 * 4-GPU job. Free 5; the 2- and the 4-GPU job cannot use the single one: unusable = 1 × 2/3, part of free 2/15. */
Test(account, fragmentation_by_hand)
{
    struct feed *f = feed_new(2, 4);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 1, 1000);
    feed_job(f, 1, 0, 100, 2, 1000);
    feed_job(f, 2, 0, 100, 4, 1000);
    for (uint32_t i = 0; i < 3; i++)
        feed_submit(f, i);
    feed_start(f, 0, 0, 0, 1);
    feed_start(f, 1, 0, 0, 6);
    feed_start(f, 2, 0, 1, 15);
    feed_end(f, 2, 100, GY_COMPLETED, 0, NULL); /* until here: free 1, unusable 2/3 */
    feed_end(f, 0, 200, GY_COMPLETED, 0, NULL); /* until here: free 1 + 4, unusable 2/3 */
    feed_end(f, 1, 200, GY_COMPLETED, 0, NULL);
    feed_finish(f, 300, NULL, 0); /* until here: free 8, all usable */
    expect(f, "fragmentation.mean", (100 * 2.0 / 3 + 100 * 2.0 / 3) / (100 * 1 + 100 * 5 + 100 * 8));
    feed_free(f);
}

/* Fractions: two GPUs, one with 0.7 taken. Mix: 0.7, 0.2 and 1 GPU (pending). The 0.3 left serve the 0.2 alone; the
 * whole GPU serves all. While the job is in the queue it counts in the queue and among the latest submitted. */
Test(account, fragmentation_of_fractions)
{
    struct feed *f = feed_new(1, 2);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 1, 700);
    feed_job(f, 1, 0, 100, 1, 200);
    feed_job(f, 2, 0, 100, 1, 1000);
    for (uint32_t i = 0; i < 3; i++)
        feed_submit(f, i);
    feed_start(f, 0, 0, 0, 1);
    feed_end(f, 1, 10, GY_CANCELLED, 0, NULL);  /* to 10: mix 0.7, 0.2 ×2, 1 ×2: unusable 0.3 × 3/5 of 1.3 free */
    feed_end(f, 2, 20, GY_CANCELLED, 0, NULL);  /* to 20: mix 0.7, 0.2, 1 ×2: 0.3 × 3/4 */
    feed_end(f, 0, 100, GY_COMPLETED, 0, NULL); /* to 100: mix 0.7, 0.2, 1: 0.3 × 2/3 */
    feed_finish(f, 100, NULL, 0);
    expect(f, "fragmentation.mean", 0.3 * (10 * 3.0 / 5 + 10 * 3.0 / 4 + 80 * 2.0 / 3) / (1.3 * 100));
    feed_free(f);
}

/* Moves: what was held is given back first. */
Test(account, moves_keep_the_books)
{
    struct feed *f = feed_new(2, 4);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 4, 1000);
    feed_submit(f, 0);
    const struct gy_share both[] = {{.node = {0}, .mask = 3, .gpu_milli = 1000},
                                    {.node = {1}, .mask = 3, .gpu_milli = 1000}};
    const struct gy_share one = {.node = {1}, .mask = 15, .gpu_milli = 1000};
    feed_start_on(f, 0, 0, both, 2);
    feed_move(f, 0, 50, &one, 1); /* to 50: 2 + 2 free, which a 4-GPU job cannot use; then 4, which it can */
    feed_end(f, 0, 100, GY_COMPLETED, 0, NULL);
    feed_finish(f, 100, NULL, 0);
    expect(f, "resizes", 1);
    expect(f, "gpu_hours.allocated", 400.0 / 3600);
    expect(f, "fragmentation.mean", 0.5);
    expect(f, "slowdown.mean", 1);
    feed_free(f);
}

/* 8 GPUs: 4 held from 0 to 100. A job of 6 waits for resources and one of 2 behind it (of 4 free all are blocked by the
 * first); then the 6 is cancelled at 50, the 2 is left with no reason of its own, and 2 have no work. From 60 on a job
 * that waits for another's end asks for 1. Node 1 of 2 GPUs is drained from 0 to 40 and down from 40 to 100. */
Test(account, unused_hours_have_causes)
{
    struct feed *f = feed_new(1, 8);
    feed_node(f, "n1", "G", 2);
    feed_open(f, NULL, 0);
    feed_job(f, 0, 0, 100, 4, 1000);
    feed_submit(f, 0);
    feed_start(f, 0, 0, 0, 0x0f);
    feed_node_state(f, 0, 1, GY_NODE_DRAINED);
    for (uint32_t i = 1; i < 3; i++) {
        feed_job(f, i, 0, 100, i == 1 ? 6 : 2, 1000);
        feed_submit(f, i);
        f->job[i].reason = i == 1 ? GY_R_RESOURCES : GY_R_PRIORITY;
        feed_event(f, (struct gy_event){.kind = GY_E_HOLD, .id = {i}, .job = &f->job[i]}, 0);
    }
    feed_node_state(f, 40, 1, GY_NODE_DOWN);
    feed_end(f, 1, 50, GY_CANCELLED, 0, NULL);
    feed_job(f, 3, 60, 10, 1, 1000);
    feed_event(f, (struct gy_event){.kind = GY_E_SUBMIT, .id = {3}, .job = &f->job[3]}, 60);
    f->pending++; /* the feed's count, for the end */
    feed_end(f, 0, 100, GY_COMPLETED, 0, NULL);
    feed_end(f, 2, 100, GY_CANCELLED, 0, NULL);
    feed_end(f, 3, 100, GY_CANCELLED, 0, NULL);
    feed_finish(f, 100, NULL, 0);
    expect(f, "unused_gpu_hours.resources", 4 * 50 / 3600.0);
    expect(f, "unused_gpu_hours.priority", 2 * 50 / 3600.0);
    expect(f, "unused_gpu_hours.not_eligible", 1 * 40 / 3600.0);
    expect(f, "unused_gpu_hours.no_work", (2 * 10 + 1 * 40) / 3600.0);
    expect(f, "unused_gpu_hours.drained", 2 * 40 / 3600.0);
    expect(f, "unused_gpu_hours.failed", 2 * 60 / 3600.0);
    struct gy_metric m;
    cr_assert(!gy_account_metric(f->account, "unused_gpu_hours.waiting", &m), "causes that never were are absent");
    feed_free(f);
}

static const char *steady(struct feed *f)
{
    struct gy_metric m;
    cr_assert(gy_account_metric(f->account, "steady_state", &m));
    return m.word;
}

/* One GPU; n jobs of run_s, one every 10 s, served in order. */
static struct feed *queue_of(uint32_t n, double run_s)
{
    struct feed *f = feed_new(1, 1);
    uint32_t submitted = 0, started = 0;
    double now = 0;
    feed_open(f, NULL, 0);
    for (uint32_t i = 0; i < n; i++)
        feed_job(f, i, 10 * i, run_s, 1, 1000);
    while (started < n) {
        if (now < 10 * started)
            now = 10 * started;
        while (submitted < n && 10 * submitted <= now)
            feed_submit(f, submitted++);
        feed_start(f, started, now, 0, 1);
        const double end = now + run_s;
        while (submitted < n && 10 * submitted < end)
            feed_submit(f, submitted++);
        feed_end(f, started++, end, GY_COMPLETED, 0, NULL);
        now = end;
    }
    feed_finish(f, now, NULL, 0);
    return f;
}

Test(account, steady_state)
{
    struct feed *f = queue_of(400, 9);
    cr_assert_str_eq(steady(f), "stable");
    expect(f, "offered_load", 400 * 9 / 3990.0);
    feed_free(f);
    f = queue_of(400, 20);
    cr_assert_str_eq(steady(f), "overloaded");
    feed_free(f);
}

/* The series against the sum itself, as its marks thin out: exact at marks and the end, between at most a mark's width
 * off. */
Test(account, series_keep_the_integral)
{
    struct gy_series s = {0};
    double sum = 0;
    gy_time at = 5 * S;
    for (int i = 0; i < 5000; i++) {
        const int64_t value = i * 7919 % 1000;
        const gy_time to = at + (i % 13 + 1) * S / 2;
        gy_series_add(&s, value, at, to);
        sum += (double)value * (double)(to - at);
        at = to;
        cr_assert_eq((double)s.area, sum);
        cr_assert_eq(gy_series_area(&s, (double)(at - 5 * S)), sum);
    }
    cr_assert(s.n > GY_SERIES_MARKS / 2 - 1 && s.n <= GY_SERIES_MARKS && s.start == 5 * S);
    for (uint32_t k = 0; k < s.n; k++)
        cr_assert_eq(gy_series_area(&s, (double)k * (double)s.width), (double)s.mark[k]);
}

/* A queue that grows although the load is below 1: nothing is started while it could be. */
Test(account, backlogged)
{
    struct feed *f = feed_new(1, 8);
    feed_open(f, NULL, 0);
    uint32_t left[100];
    for (uint32_t i = 0; i < 100; i++) {
        feed_job(f, i, 10 * i, 10, 2, 1000);
        feed_submit(f, i);
        left[i] = i;
    }
    feed_finish(f, 1000, left, 100);
    cr_assert_str_eq(steady(f), "backlogged");
    expect(f, "offered_load", 2000.0 / (8 * 990));
    expect(f, "jobs.pending", 100);
    feed_free(f);
}
