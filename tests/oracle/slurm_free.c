/* The policy "slurm" running free on the recorded job lists: only the jobs and the phases of the two loops go in. Order
 * of starts and node sets must be those of the real controller; start times within what its README allows. */
#include <math.h>
#include "../sched_bed.h"
#include "../slurm_record.h"
#include "slurm_policy.h"

struct first {
    double start;
    uint64_t nodes, gpus; /* bits: node; node * 8 + index */
};

static struct slurm_params defaults(void)
{
    return (struct slurm_params){.batch_sched_delay = 3 * S,
                                 .sched_interval = 60 * S,
                                 .main_tick = S,
                                 .bf_interval = 2 * S,
                                 .bf_window = 86400 * S,
                                 .bf_resolution = S,
                                 .kill_wait = 30 * S,
                                 .default_limit = 31536000 * S,
                                 .bf_max_job_test = 100,
                                 .default_queue_depth = 100,
                                 .calc_period = 60 * S,
                                 .max_age = 300 * S,
                                 .half_life = 180 * S,
                                 .dampening = 1,
                                 .bill_cpu = 1};
}

static uint64_t gpu_bits(const char *text)
{
    uint64_t all = 0; /* "n1:0-3" or "n[1-2]:0-7,n3:1", nodes up to 8 */
    for (const char *p = text; *p;) {
        const char *colon = strchr(p, ':');
        char list[64];
        snprintf(list, sizeof list, "%.*s", (int)(colon - p), p);
        const uint64_t nodes = rec_nodes(list);
        uint64_t gpus = 0;
        for (p = colon + 1; *p >= '0' && *p <= '9';) {
            char *stop;
            unsigned long a = strtoul(p, &stop, 10), b = a;
            if (*stop == '-')
                b = strtoul(stop + 1, &stop, 10);
            for (; a <= b; a++)
                gpus |= UINT64_C(1) << a;
            p = *stop == ',' ? stop + 1 : stop;
        }
        while (*p == ' ' || *p == ',')
            p++;
        for (uint32_t n = 0; n < 8; n++)
            if (nodes >> n & 1)
                all |= gpus << (8 * n);
    }
    return all;
}

static size_t row_of(const struct rec_table *t, const char *name)
{
    for (size_t i = 0; i < t->rows.n; i++)
        if (strcmp(rec_at(t, i, "name"), name) == 0)
            return i;
    cr_assert_fail("%s is not there", name);
    return 0;
}

/* Run times are the recorded ones: what the controller adds to a job's own time is no matter of the schedule. */
static void add_jobs(struct sb *b, const struct rec_table *jobs, const struct rec_table *expected)
{
    for (size_t i = 0; i < jobs->rows.n; i++) {
        const uint32_t nodes = (uint32_t)atoi(rec_at(jobs, i, "nodes"));
        const size_t e = row_of(expected, rec_at(jobs, i, "name"));
        const double run = atof(rec_at(expected, e, "end_ms")) - atof(rec_at(expected, e, "start_ms"));
        const uint32_t gpus = (uint32_t)atoi(rec_at(jobs, i, "gpus_per_node"));
        struct gy_job_rec *r = sb_job(b, gy_time_from_s(atof(rec_at(expected, e, "submit_ms"))), gy_time_from_s(run),
                                      60 * atol(rec_at(jobs, i, "limit_min")) * S, nodes * gpus);
        r->nodes = nodes;
        r->gpus_per_node = gpus;
        r->priority = -atoi(rec_at(jobs, i, "nice"));
        r->partition = gy_strings_add(b->strings, rec_at(jobs, i, "partition"), strlen(rec_at(jobs, i, "partition")));
        r->user = gy_strings_add(b->strings, rec_at(jobs, i, "user"), strlen(rec_at(jobs, i, "user")));
        r->team = gy_strings_add(b->strings, rec_at(jobs, i, "account"), strlen(rec_at(jobs, i, "account")));
        r->cpu_milli = 1000 * nodes * strtoull(rec_at(jobs, i, "cpus_per_node"), NULL, 10);
    }
}

struct outcome {
    size_t jobs, in_order, same_nodes, same_gpus;
    double worst, mean;
};

/* Compares with a recording; the k-th start of one should be the k-th of the other. */
static struct outcome compare(const struct sb *b, const struct rec_table *jobs, const struct rec_table *expected)
{
    struct outcome o = {.jobs = expected->rows.n};
    for (size_t k = 0; k < expected->rows.n; k++) {
        const size_t i = row_of(jobs, rec_at(expected, k, "name"));
        const struct sb_run *r = &b->run[i];
        const double want = atof(rec_at(expected, k, "start_ms")), dt = fabs(gy_time_to_s(r->start) - want);
        uint64_t nodes = 0, gpus = 0;
        for (size_t s = 0; s < r->shares.n; s++) {
            nodes |= UINT64_C(1) << r->shares.at[s].node.i;
            gpus |= r->shares.at[s].mask << (8 * r->shares.at[s].node.i);
        }
        bool ordered = true; /* nothing that was recorded later starts earlier here */
        for (size_t m = k + 1; m < expected->rows.n; m++) {
            const gy_time other = b->run[row_of(jobs, rec_at(expected, m, "name"))].start;
            if (other < r->start)
                ordered = false;
        }
        o.in_order += ordered;
        o.same_nodes += nodes == rec_nodes(rec_at(expected, k, "nodes"));
        o.same_gpus += gpus == gpu_bits(rec_at(expected, k, "gpu_idx"));
        o.worst = fmax(o.worst, dt);
        o.mean += dt / (double)o.jobs;
        if (getenv("SLURM_SHOW"))
            fprintf(stderr, "%s recorded %.3f on %s, found %.3f on %lx\n", rec_at(expected, k, "name"), want,
                    rec_at(expected, k, "nodes"), gy_time_to_s(r->start), (unsigned long)nodes);
    }
    return o;
}

static struct outcome run_free(const char *folder, const struct slurm_params *p)
{
    struct rec_table jobs, expected;
    struct sb b;
    rec_read(&jobs, folder, "jobs.csv");
    rec_read(&expected, folder, "expected.csv");
    sb_init(&b);
    for (int i = 0; i < 4; i++)
        sb_node(&b, 8)->cpu_milli = 16000;
    add_jobs(&b, &jobs, &expected);
    sb_run(&b, &gy_policy_slurm, p);
    const struct outcome o = compare(&b, &jobs, &expected);
    fprintf(stderr, "%-20s free: %zu of %zu in order, %zu node sets, %zu GPU sets, starts mean %.2f worst %.2f s\n",
            folder, o.in_order, o.jobs, o.same_nodes, o.same_gpus, o.mean, o.worst);
    sb_free(&b);
    rec_free(&jobs);
    rec_free(&expected);
    return o;
}

/* The recorded times of one kind of pass: when the two loops turn is an input, what they do is not. */
static const gy_time *cadence(const char *folder, const char *kind, size_t *n)
{
    struct rec_table events;
    GY_VEC(gy_time) at = {0};
    rec_read(&events, folder, "events.csv");
    for (size_t i = 0; i < events.rows.n; i++)
        if (strcmp(rec_at(&events, i, "event"), kind) == 0)
            cr_assert(gy_vec_push(&at, gy_time_from_s(atof(rec_at(&events, i, "t_s")) + REC_CLOCK_S)));
    rec_free(&events);
    *n = at.n;
    return at.at;
}

static void forget(struct slurm_params *p)
{
    free((void *)(uintptr_t)p->main_ticks);
    free((void *)(uintptr_t)p->bf_ticks);
}

Test(slurm_free, fifo)
{
    if (!rec_have("s1_fifo"))
        return;
    struct slurm_params p = defaults();
    p.scheduler = SLURM_BUILTIN;
    p.main_ticks = cadence("s1_fifo", "sched_cycle", &p.n_main_ticks);
    const struct outcome o = run_free("s1_fifo", &p);
    cr_expect_eq(o.in_order, o.jobs);
    cr_expect_eq(o.same_nodes, o.jobs);
    cr_expect_eq(o.same_gpus, o.jobs);
    cr_expect_lt(o.worst, 5.0);
    forget(&p);
}

static void backfill(const char *folder, int64_t resolution, int64_t epoch)
{
    if (!rec_have(folder))
        return;
    struct slurm_params p = defaults();
    p.main_ticks = cadence(folder, "sched_cycle", &p.n_main_ticks);
    p.bf_ticks = cadence(folder, "bf_begin", &p.n_bf_ticks);
    p.bf_resolution = resolution * S;
    p.epoch_phase = epoch * S;
    const struct outcome o = run_free(folder, &p);
    cr_expect_eq(o.in_order, o.jobs);
    cr_expect_eq(o.same_nodes, o.jobs);
    cr_expect_eq(o.same_gpus, o.jobs);
    cr_expect_lt(o.worst, 5.0);
    forget(&p);
}

Test(slurm_free, backfill_accurate_a)
{
    backfill("s2_bf_accurate_a", 1, 19);
}

Test(slurm_free, backfill_accurate_b)
{
    backfill("s2_bf_accurate_b", 1, 9);
}

Test(slurm_free, backfill_loose)
{
    backfill("s2_bf_loose_a", 60, 58);
}

/* Priority of age, job size, partition and nice over three partitions of the same nodes. */
Test(slurm_free, multifactor)
{
    if (!rec_have("s3_multifactor"))
        return;
    struct slurm_partition_param parts[] = {{"gold", 1, 100, 0, 0}, {"silver", 1, 50, 0, 0}, {"bronze", 1, 10, 0, 0}};
    struct slurm_params p = defaults();
    p.priority = SLURM_MULTIFACTOR;
    p.priority_phase = 55 * S + S / 2;
    p.weight_age = 1000;
    p.weight_job_size = 2000;
    p.weight_partition = 1500;
    p.partitions = (struct gy_list){parts, 3};
    p.epoch_phase = 28 * S;
    p.main_ticks = cadence("s3_multifactor", "sched_cycle", &p.n_main_ticks);
    p.bf_ticks = cadence("s3_multifactor", "bf_begin", &p.n_bf_ticks);
    const struct outcome o = run_free("s3_multifactor", &p);
    cr_expect_eq(o.in_order, o.jobs);
    cr_expect_eq(o.same_nodes, o.jobs);
    cr_expect_eq(o.same_gpus, o.jobs);
    forget(&p);
}

/* Fair Tree with an account tree: who comes first hangs on what everybody used so far. */
static struct outcome fair_tree(const char *folder, double tick, int64_t epoch, bool limits)
{
    static struct slurm_user_param nlp[] = {{"alice", 3}, {"bob", 1}}, vision[] = {{"carol", 1}}, ads[] = {{"dave", 1}},
                                   infra[] = {{"erin", 2}, {"frank", 1}};
    static struct slurm_account_param tree[] = {
        {"research", NULL, 60, {NULL, 0}},       {"prod", NULL, 30, {NULL, 0}}, {"nlp", "research", 20, {nlp, 2}},
        {"vision", "research", 10, {vision, 1}}, {"ads", "prod", 1, {ads, 1}},  {"infra", "prod", 3, {infra, 2}}};
    struct slurm_params p = defaults();
    p.priority = SLURM_MULTIFACTOR;
    p.priority_phase = gy_time_from_s(tick);
    p.weight_fairshare = 100000;
    p.weight_age = 100;
    p.max_age = 3600 * S;
    p.bill_gpu = 1;
    p.bill_cpu = 0;
    p.charge_at_end = limits;
    p.accounts = (struct gy_list){tree, 6};
    p.epoch_phase = epoch * S;
    p.main_ticks = cadence(folder, "sched_cycle", &p.n_main_ticks);
    p.bf_ticks = cadence(folder, "bf_begin", &p.n_bf_ticks);
    const struct outcome o = run_free(folder, &p);
    forget(&p);
    return o;
}

Test(slurm_free, fairtree)
{
    if (!rec_have("s4_fairtree"))
        return;
    const struct outcome o = fair_tree("s4_fairtree", 55.45, 8, false);
    cr_expect_eq(o.in_order, o.jobs);
    cr_expect_eq(o.same_nodes, o.jobs);
    cr_expect_eq(o.same_gpus, o.jobs);
}

/* Parts from the recording at 60 s, where a job waited for a node that was still completing; only the books are held.
 */
Test(slurm_free, fairtree_with_limits)
{
    if (!rec_have("s4_fairtree_limits"))
        return;
    const struct outcome o = fair_tree("s4_fairtree_limits", 55.38, 28, true);
    cr_expect_eq(o.jobs, 84);
    cr_expect_lt(o.mean, 60.0);
}
