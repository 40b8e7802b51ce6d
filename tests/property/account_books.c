/* Random event streams against a naive twin: GPU-time is conserved to the nanosecond, job counts add up, every
 * statistic equals the one of a plain sorted sample, and fragmentation equals its definition summed over all nodes and
 * jobs. */
#include "../unit/account_feed.h"
#include "gy_quantile.h"
#include "gy_stream.h"

#define NODES 6
#define JOBS  400

struct twin {
    struct feed *f;
    struct gy_stream rng;
    double now;
    uint32_t submitted;
    bool gone[JOBS];
    gy_gpu_time held[JOBS], lost[JOBS], idle[JOBS]; /* of each job */
    double started[JOBS], run[JOBS];                /* of the present run; so far */
    double idle_from[JOBS];
    gy_gpu_time total, down, allocated, free;
    double unusable, free_time; /* fragmentation's two integrals, in thousandths × s */
    struct gy_sample wait, jct, slowdown;
};

static uint64_t below(struct twin *t, uint64_t n)
{
    return gy_stream_below(&t->rng, n);
}

static int64_t milli_of(const struct gy_job *j)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < j->n_shares; i++)
        sum += (int64_t)__builtin_popcountll(j->shares[i].mask) * j->shares[i].gpu_milli;
    return sum;
}

/* Free thousandths of the GPUs of a node that a demand (whole GPUs, or a fraction when milli < 1000) cannot use. */
static int64_t unusable_on(const struct feed *f, uint32_t node, uint32_t whole, uint32_t milli)
{
    const struct gy_node *n = gy_cluster_node(f->cluster, (gy_node_id){node});
    int64_t sum = 0;
    uint32_t free_gpus = 0;
    for (uint32_t g = 0; g < n->gpus; g++) {
        const uint32_t room = gy_cluster_gpu_free_milli(f->cluster, (gy_node_id){node}, g);
        free_gpus += room == 1000;
        if (room < 1000 && (milli == 1000 || room < milli))
            sum += room;
    }
    return sum + (milli == 1000 && free_gpus < whole ? free_gpus * 1000 : 0);
}

static double unusable(const struct twin *t)
{
    const struct feed *f = t->f;
    double sum = 0;
    int64_t mix = 0;
    for (uint32_t i = 0; i < t->submitted; i++) { /* all are among the latest 1000, and once more while in the queue */
        const struct gy_job *j = &f->job[i];
        const int count = 1 + (!t->gone[i] && j->state != GY_RUNNING);
        if (j->rec.gpus == 0)
            continue;
        mix += count;
        for (uint32_t n = 0; n < NODES; n++)
            if (gy_cluster_node(f->cluster, (gy_node_id){n})->state == GY_NODE_UP)
                sum += (double)(count * unusable_on(f, n, j->rec.gpus < 72 ? j->rec.gpus : 72, j->rec.gpu_milli));
    }
    return mix ? sum / (double)mix : 0;
}

/* Time goes on by dt seconds: everything by definition, before anything changes. */
static void pass(struct twin *t, double dt)
{
    const gy_gpu_time ns = gy_time_from_s(dt);
    const struct gy_totals x = gy_cluster_totals(t->f->cluster);
    if (t->submitted && dt > 0) {
        t->total += ns * x.total;
        t->down += ns * x.down;
        t->allocated += ns * x.allocated;
        t->free += ns * x.free;
        t->unusable += unusable(t) * dt;
        t->free_time += (double)x.free * dt;
    }
    t->now += dt;
}

static void stop_holding(struct twin *t, uint32_t i)
{
    const double from = t->idle_from[i] > t->started[i] ? t->idle_from[i] : t->started[i];
    t->held[i] += (gy_gpu_time)milli_of(&t->f->job[i]) * gy_time_from_s(t->now - t->started[i]);
    if (t->now > from)
        t->idle[i] += (gy_gpu_time)milli_of(&t->f->job[i]) * gy_time_from_s(t->now - from);
    t->run[i] += t->now - t->started[i];
}

/* A placement on one node that is up, by lot; 0 shares when there is none. */
static uint32_t place(struct twin *t, const struct gy_job *j, struct gy_share *out)
{
    const uint32_t first = (uint32_t)below(t, NODES);
    uint32_t n = 0;
    for (uint32_t k = 0; k < NODES; k++) {
        const gy_node_id id = {(first + k) % NODES};
        const struct gy_node *node = gy_cluster_node(t->f->cluster, id);
        uint32_t want = j->rec.gpus;
        if (node->state != GY_NODE_UP)
            continue;
        for (uint32_t g = 0; j->rec.gpu_milli < 1000 && g < node->gpus; g++)
            if (gy_cluster_gpu_free_milli(t->f->cluster, id, g) >= j->rec.gpu_milli) {
                out[0] = (struct gy_share){
                    .node = id, .group = g / 64, .mask = (uint64_t)1 << g % 64, .gpu_milli = j->rec.gpu_milli};
                return 1;
            }
        if (j->rec.gpu_milli < 1000 || node->free_gpus < want)
            continue;
        for (uint32_t group = 0; want && group * 64 < node->gpus; group++) {
            uint64_t mask = 0, left = gy_cluster_free_mask(t->f->cluster, id, group);
            for (; left && want; left &= left - 1, want--)
                mask |= left & -left;
            if (mask)
                out[n++] = (struct gy_share){.node = id, .group = group, .mask = mask, .gpu_milli = 1000};
        }
        if (j->rec.gpus == 0)
            out[n++] = (struct gy_share){.node = id, .gpu_milli = 1000};
        return n;
    }
    return 0;
}

static void submit(struct twin *t)
{
    static const uint32_t sizes[] = {0, 1, 1, 1, 2, 3, 4, 8, 8, 70};
    static const uint32_t fractions[] = {1, 250, 333, 500, 999};
    const uint32_t i = t->submitted;
    const bool fraction = below(t, 4) == 0;
    struct gy_job *j = feed_job(t->f, i, t->now, (double)(1 + below(t, 300)), fraction ? 1 : sizes[below(t, 10)],
                                fraction ? fractions[below(t, 5)] : 1000);
    char name[16];
    snprintf(name, sizeof name, "team%d", (int)below(t, 3));
    j->rec.team = feed_name(t->f, name);
    if (below(t, 3) == 0)
        j->rec.idle_tail = (gy_time)below(t, 400) * S;
    t->submitted++;
    feed_submit(t->f, i);
    if (below(t, 2)) {
        j->reason = (uint8_t)below(t, GY_R_COUNT);
        feed_event(t->f, (struct gy_event){.kind = GY_E_HOLD, .id = {i}, .job = j}, t->now);
    }
}

static void start(struct twin *t, uint32_t i)
{
    struct gy_job *j = &t->f->job[i];
    struct gy_share shares[2];
    const uint32_t n = place(t, j, shares);
    if (n == 0)
        return;
    if (j->first_start == GY_NONE)
        gy_sample_add(&t->wait, t->now - gy_time_to_s(j->eligible));
    t->started[i] = t->now;
    t->idle_from[i] = j->rec.idle_tail == GY_NONE || j->rec.idle_tail == 0
                          ? INFINITY
                          : t->now + fmax(0, gy_time_to_s(j->work_left - j->rec.idle_tail));
    feed_start_on(t->f, i, t->now, shares, n);
}

static void end(struct twin *t, uint32_t i)
{
    static const enum gy_job_state as[] = {GY_COMPLETED, GY_FAILED, GY_CANCELLED, GY_TIMEOUT, GY_NODE_FAIL};
    struct gy_job *j = &t->f->job[i];
    const bool held = j->state == GY_RUNNING;
    if (held)
        stop_holding(t, i);
    if (j->first_start != GY_NONE) {
        gy_sample_add(&t->jct, t->now - gy_time_to_s(j->rec.submit));
        if (t->run[i] > 0)
            gy_sample_add(&t->slowdown, (t->now - gy_time_to_s(j->eligible)) / t->run[i]);
    }
    feed_end(t->f, i, t->now, j->first_start == GY_NONE ? GY_CANCELLED : as[below(t, 5)], 0, NULL);
    t->gone[i] = true;
}

static void preempt(struct twin *t, uint32_t i)
{
    struct gy_job *j = &t->f->job[i];
    const bool suspend = below(t, 2);
    stop_holding(t, i);
    const gy_gpu_time room = t->held[i] - t->lost[i];
    const gy_gpu_time lost = suspend ? 0 : room / (1 + (gy_gpu_time)below(t, 4));
    const gy_gpu_time both = lost < t->idle[i] ? lost : t->idle[i];
    t->lost[i] += lost;
    t->idle[i] -= both;
    feed_preempt(t->f, i, t->now, lost, suspend);
    (void)j;
}

static void move(struct twin *t, uint32_t i)
{
    struct gy_job *j = &t->f->job[i];
    struct gy_share shares[2];
    const uint32_t n = place(t, j, shares);
    if (n == 0)
        return;
    stop_holding(t, i);
    const gy_time left = j->work_left - gy_time_from_s(t->now - t->started[i]);
    j->work_left = left > 0 ? left : 0;
    t->started[i] = t->now;
    feed_move(t->f, i, t->now, shares, n);
}

static void change_node(struct twin *t)
{
    const uint32_t node = (uint32_t)below(t, NODES);
    const enum gy_node_state to = (enum gy_node_state)below(t, 4);
    const bool gone = to == GY_NODE_DOWN || to == GY_NODE_ABSENT;
    for (uint32_t i = 0; gone && i < t->submitted; i++) {
        const struct gy_job *j = &t->f->job[i];
        if (!t->gone[i] && j->state == GY_RUNNING && j->n_shares && j->shares[0].node.i == node)
            preempt(t, i);
    }
    feed_node_state(t->f, t->now, node, to);
}

static void one_change(struct twin *t)
{
    const uint64_t kind = below(t, 100);
    if (kind < 30 && t->submitted < JOBS) {
        submit(t);
        return;
    }
    if (kind < 34) {
        change_node(t);
        return;
    }
    for (int tries = 0; t->submitted && tries < 20; tries++) {
        const uint32_t i = (uint32_t)below(t, t->submitted);
        const struct gy_job *j = &t->f->job[i];
        if (t->gone[i])
            continue;
        if (j->state != GY_RUNNING && kind < 70)
            start(t, i);
        else if (j->state == GY_RUNNING && kind < 76)
            move(t, i);
        else if (j->state == GY_RUNNING && kind < 82)
            preempt(t, i);
        else if (j->state == GY_RUNNING || kind > 97)
            end(t, i);
        else
            continue;
        return;
    }
}

static void near(double found, double want, const char *what, uint64_t seed)
{
    cr_assert((isnan(found) && isnan(want)) || fabs(found - want) <= 1e-9 * fmax(1, fabs(want)),
              "seed %llu: %s is %.17g, not %.17g", (unsigned long long)seed, what, found, want);
}

static void check_books(struct twin *t, uint64_t seed)
{
    gy_gpu_time held = 0, lost = 0, idle = 0;
    struct gy_books b;
    gy_account_books(t->f->account, &b);
    for (uint32_t i = 0; i < t->submitted; i++) {
        held += t->held[i];
        lost += t->lost[i];
        idle += t->idle[i];
    }
    cr_assert(b.total == b.allocated + b.free + b.down && b.allocated == b.busy + b.idle_held + b.lost, "seed %llu",
              (unsigned long long)seed);
    cr_assert(b.total == t->total && b.down == t->down && b.allocated == t->allocated && b.free == t->free, "seed %llu",
              (unsigned long long)seed);
    cr_assert(b.allocated == held && b.lost == lost && b.idle_held == idle && b.busy >= 0, "seed %llu",
              (unsigned long long)seed);
}

/* Every unused GPU-hour has one cause. */
static void check_causes(struct twin *t, uint64_t seed)
{
    size_t n;
    double sum = 0;
    const struct gy_metric *m = gy_account_metrics(t->f->account, &n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(m[i].name, "unused_gpu_hours.", 17) == 0)
            sum += m[i].value;
    near(sum, feed_metric(t->f, "gpu_hours.free") + feed_metric(t->f, "gpu_hours.down"), "unused_gpu_hours", seed);
}

static void check_groups(struct twin *t, uint64_t seed)
{
    for (int by = 0; by < GY_BY_COUNT; by++) {
        const struct gy_grouping *g = gy_account_groups(t->f->account, (enum gy_group_by)by);
        uint64_t jobs[GY_N_STATES] = {0}, waits = 0;
        double allocated = 0;
        for (size_t i = 0; i < g->n; i++) {
            uint64_t sum = 0;
            for (int s = 0; s < GY_N_STATES; s++) {
                jobs[s] += g->at[i].jobs[s];
                sum += s == GY_N_SUBMITTED ? 0 : g->at[i].jobs[s];
            }
            cr_assert_eq(sum, g->at[i].jobs[GY_N_SUBMITTED]);
            waits += g->at[i].wait_s.n;
            allocated += g->at[i].allocated;
        }
        static const char *const names[] = {"jobs.submitted", "jobs.completed", "jobs.failed", "jobs.cancelled",
                                            "jobs.timeout",   "jobs.pending",   "jobs.running"};
        for (int s = 0; s < GY_N_STATES; s++)
            near((double)jobs[s], feed_metric(t->f, names[s]), names[s], seed);
        cr_assert_eq(waits, t->wait.n);
        near(allocated, feed_metric(t->f, "gpu_hours.allocated"), "gpu_hours.allocated", seed);
    }
}

static void check_sample(struct twin *t, const char *name, struct gy_sample *s, uint64_t seed)
{
    static const struct {
        const char *part;
        double q;
    } parts[] = {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};
    char full[64];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(full, sizeof full, "%s.%s", name, parts[i].part);
        near(feed_metric(t->f, full), gy_sample_quantile(s, parts[i].q), full, seed);
    }
    snprintf(full, sizeof full, "%s.mean", name);
    near(feed_metric(t->f, full), gy_sample_mean(s), full, seed);
}

static void one_stream(uint64_t seed)
{
    struct twin *t = calloc(1, sizeof *t);
    static const uint32_t gpus[NODES] = {0, 1, 4, 8, 8, 72};
    uint32_t left[JOBS], n_left = 0;

    cr_assert(t && gy_stream_init(&t->rng, seed, "account"));
    t->f = feed_new(0, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        feed_node(t->f, name, i % 2 ? "A" : "B", gpus[i]);
    }
    t->f->spec.nodes.at[3].absent = seed % 2;
    feed_open(t->f, NULL, 0);
    for (int k = 0; k < 1500; k++) {
        pass(t, (double)below(t, 3) * (double)below(t, 40));
        one_change(t);
    }
    pass(t, 17);
    for (uint32_t i = 0; i < t->submitted; i++)
        if (!t->gone[i]) {
            if (t->f->job[i].state == GY_RUNNING)
                stop_holding(t, i);
            left[n_left++] = i;
        }
    feed_finish(t->f, t->now, left, n_left);
    check_books(t, seed);
    check_causes(t, seed);
    check_groups(t, seed);
    check_sample(t, "wait_s", &t->wait, seed);
    check_sample(t, "jct_s", &t->jct, seed);
    check_sample(t, "slowdown", &t->slowdown, seed);
    near(feed_metric(t->f, "fragmentation.mean"), t->free_time > 0 ? t->unusable / t->free_time : NAN,
         "fragmentation.mean", seed);
    feed_free(t->f);
    gy_stream_free(&t->rng);
    gy_sample_free(&t->wait);
    gy_sample_free(&t->jct);
    gy_sample_free(&t->slowdown);
    free(t);
}

Test(account, random_streams_balance)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        one_stream(seed);
}
