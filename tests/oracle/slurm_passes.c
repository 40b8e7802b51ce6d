/* Pass by pass against recordings of Slurm 22.05.8: what was running and the queue's order in, starts and plans out.
 * Every recorded backfill pass is put before the pass function, and every row of its plan must come out again. */
#include "../slurm_record.h"
#include "gy_slurm.h"

struct job {
    char name[REC_NAME];
    struct gy_slurm_job ask;
    bool usable; /* asks in columns, not in words of sbatch */
    bool pending, running;
    int64_t start_s;
    uint64_t nodes;
};
struct bed {
    const char *folder;
    struct rec_table jobs, expected, events, plan;
    struct job *job;
    size_t n;
    size_t row; /* in plan */
    struct gy_slurm_state state;
    struct gy_slurm_scratch *scratch;
    struct gy_slurm_config config;
    struct gy_slurm_job queue[256];
    size_t queued;
    size_t end; /* of the pass's rows in plan */
    bool equal;
    char why[300];
    size_t passes, good, rows, good_rows;
};

static struct job *find(struct bed *b, const char *name)
{
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->job[i].name, name) == 0)
            return &b->job[i];
    return NULL;
}

static void read_switches(const char *extra, struct gy_slurm_job *ask)
{
    const char *s = strstr(extra, "--switches=");
    if (!s)
        return;
    char *stop;
    ask->switches = (uint32_t)strtoul(s + 11, &stop, 10);
    ask->switch_wait_s = 300;
    if (*stop == '@') {
        const int64_t minutes = strtol(stop + 1, &stop, 10);
        ask->switch_wait_s = minutes * 60 + (*stop == ':' ? strtol(stop + 1, NULL, 10) : 0);
    }
}

static void read_jobs(struct bed *b)
{
    b->n = b->jobs.rows.n;
    b->job = calloc(b->n, sizeof *b->job);
    for (size_t i = 0; i < b->n; i++) {
        struct job *j = &b->job[i];
        snprintf(j->name, sizeof j->name, "%s", rec_at(&b->jobs, i, "name"));
        const char *extra = rec_at(&b->jobs, i, "extra");
        j->ask = (struct gy_slurm_job){
            .id = (uint32_t)i,
            .nodes = (uint32_t)atoi(rec_at(&b->jobs, i, "nodes")),
            .amount = {.gpus = (uint32_t)atoi(rec_at(&b->jobs, i, "gpus_per_node")),
                       .cpu_milli = 1000 * strtoull(rec_at(&b->jobs, i, "cpus_per_node"), NULL, 10)},
            .limit_s = 60 * atoi(rec_at(&b->jobs, i, "limit_min"))};
        j->usable = j->ask.nodes > 0;
        read_switches(extra, &j->ask);
        for (size_t k = 0; k < b->expected.rows.n; k++)
            if (strcmp(rec_at(&b->expected, k, "name"), j->name) == 0)
                j->ask.submit_s = strtol(rec_at(&b->expected, k, "submit_s"), NULL, 10);
    }
}

static int64_t seconds(const char *text, double later)
{
    const double t = strtod(text, NULL) + later;
    const int64_t whole = (int64_t)t;
    return t < 0 && (double)whole != t ? whole - 1 : whole;
}

static void set_state(struct bed *b)
{
    gy_slurm_state_reset(&b->state);
    for (size_t i = 0; i < b->n; i++) {
        const struct job *j = &b->job[i];
        if (!j->running)
            continue;
        struct gy_slurm_hold holds[64];
        uint32_t n = 0;
        for (uint32_t k = 0; k < 64; k++)
            if (j->nodes >> k & 1)
                holds[n++] = (struct gy_slurm_hold){.node = k, .amount = j->ask.amount};
        cr_assert(gy_slurm_state_add(&b->state, j->ask.id, j->start_s + j->ask.limit_s, holds, n));
    }
}

static bool compare(void *ctx, const struct gy_slurm_answer *a)
{
    struct bed *b = ctx;
    static const char *const words[] = {"start", "plan", "overlap"};
    if (a->word > GY_SLURM_OVERLAP)
        return true;
    const char *name = b->job[a->job->id].name;
    if (!b->equal)
        return true;
    if (b->row == b->end) {
        snprintf(b->why, sizeof b->why, "%s %s [%ld] is not recorded", words[a->word], name, (long)a->start_s);
        b->equal = false;
        return true;
    }
    const size_t r = b->row++;
    const struct rec_table *t = &b->plan;
    bool same = strcmp(words[a->word], rec_at(t, r, "kind")) == 0 && strcmp(name, rec_at(t, r, "name")) == 0;
    if (a->word != GY_SLURM_START)
        same = same && a->start_s == strtol(rec_at(t, r, "start_s"), NULL, 10);
    if (a->word == GY_SLURM_PLAN)
        same = same && a->end_s == strtol(rec_at(t, r, "end_s"), NULL, 10);
    if (a->word != GY_SLURM_OVERLAP)
        same = same && a->nodes[0] == rec_nodes(rec_at(t, r, "nodes_or_note"));
    b->good_rows += same;
    if (!same) {
        snprintf(b->why, sizeof b->why, "recorded %s %s %s-%s %s; found %s %s %ld-%ld on %lx", rec_at(t, r, "kind"),
                 rec_at(t, r, "name"), rec_at(t, r, "start_s"), rec_at(t, r, "end_s"), rec_at(t, r, "nodes_or_note"),
                 words[a->word], name, (long)a->start_s, (long)a->end_s, (unsigned long)a->nodes[0]);
        b->equal = false;
    }
    return true;
}

static void one_pass(struct bed *b, const char *at)
{
    while (b->row < b->plan.rows.n && strtod(rec_at(&b->plan, b->row, "cycle_s"), NULL) < strtod(at, NULL))
        b->row++;
    size_t end = b->row;
    b->queued = 0;
    while (end < b->plan.rows.n && strcmp(rec_at(&b->plan, end, "cycle_s"), at) == 0) {
        struct job *j = find(b, rec_at(&b->plan, end, "name"));
        if (!j || !j->usable)
            return;
        if (b->queued == 0 || b->queue[b->queued - 1].id != j->ask.id)
            b->queue[b->queued++] = j->ask;
        end++;
    }
    if (b->queued == 0)
        return;
    set_state(b);
    b->end = end;
    const size_t rows = end - b->row;
    b->equal = true;
    b->why[0] = '\0';
    const int64_t now = seconds(at, REC_CLOCK_S);
    struct gy_slurm_pass p = {.w = b->scratch, .c = &b->config, .s = &b->state, .now = now, .sink = {compare, b}};
    cr_assert(gy_slurm_backfill_begin(&p));
    for (size_t i = 0; i < b->queued; i++)
        cr_assert_neq(gy_slurm_backfill_job(&p, &b->queue[i]), GY_SLURM_NO_MEMORY);
    if (b->equal && b->row != end) {
        b->equal = false;
        snprintf(b->why, sizeof b->why, "recorded %s of %s is missing", rec_at(&b->plan, b->row, "kind"),
                 rec_at(&b->plan, b->row, "name"));
    }
    b->row = end;
    b->passes++;
    b->rows += rows;
    b->good += b->equal;
    if (!b->equal)
        fprintf(stderr, "  %s at %s: %s\n", b->folder, at, b->why);
}

static void replay(struct bed *b)
{
    for (size_t i = 0; i < b->events.rows.n; i++) {
        const char *kind = rec_at(&b->events, i, "event");
        if (strcmp(kind, "bf_begin") == 0) {
            one_pass(b, rec_at(&b->events, i, "t_s"));
            continue;
        }
        struct job *j = find(b, rec_at(&b->events, i, "job_or_node"));
        if (!j)
            continue;
        if (strncmp(kind, "start_", 6) == 0) {
            j->running = true;
            j->start_s = seconds(rec_at(&b->events, i, "t_s"), 0);
            j->nodes = rec_nodes(rec_at(&b->events, i, "info"));
        } else if (strcmp(kind, "done") == 0) {
            j->running = false;
        }
    }
}

struct folder {
    const char *name;
    uint32_t nodes;
    int64_t resolution;
    bool topo, lln;
    int64_t phase_s;
};

static struct gy_slurm_topo two_leaves(uint32_t *nodes)
{
    struct gy_slurm_topo t = {0};
    for (uint32_t i = 0; i < 8; i++)
        nodes[i] = i;
    const struct gy_slurm_switch a = {0, nodes, 4}, b = {0, nodes + 4, 4}, top = {1, nodes, 8};
    cr_assert(gy_vec_push(&t.switches, a) && gy_vec_push(&t.switches, b) && gy_vec_push(&t.switches, top));
    return t;
}

static double share_equal(const struct folder *f)
{
    struct bed b = {.folder = f->name};
    uint32_t nodes[8];
    struct gy_slurm_topo topo = two_leaves(nodes);
    rec_read(&b.jobs, f->name, "jobs.csv");
    rec_read(&b.expected, f->name, "expected.csv");
    rec_read(&b.events, f->name, "events.csv");
    rec_read(&b.plan, f->name, "bf_plan.csv");
    read_jobs(&b);
    b.config = (struct gy_slurm_config){.bf_window_s = 86400,
                                        .bf_resolution_s = f->resolution,
                                        .bf_max_job_test = 100,
                                        .kill_wait_s = 30,
                                        .phase_s = f->phase_s,
                                        .lln = f->lln,
                                        .topo = f->topo ? &topo : NULL};
    cr_assert(gy_slurm_state_init(&b.state, f->nodes));
    for (uint32_t i = 0; i < f->nodes; i++)
        b.state.cap[i] = (struct gy_slurm_amount){8, 16000, UINT64_MAX};
    b.scratch = gy_slurm_scratch_new(f->nodes);
    cr_assert_not_null(b.scratch);
    replay(&b);
    fprintf(stderr, "%-20s %zu of %zu passes equal, %zu of %zu rows\n", f->name, b.good, b.passes, b.good_rows, b.rows);
    const double share = (double)b.good / (double)b.passes;
    gy_slurm_scratch_free(b.scratch);
    gy_slurm_state_free(&b.state);
    gy_vec_free(&topo.switches);
    rec_free(&b.jobs);
    rec_free(&b.expected);
    rec_free(&b.events);
    rec_free(&b.plan);
    free(b.job);
    return share;
}

/* phase_s was found from the recordings: the only values that reproduce them, modulo the windows they are used with. */
static const struct folder folders[] = {
    {"s2_bf_accurate_a", 4, 1, false, false, 19}, {"s2_bf_accurate_b", 4, 1, false, false, 9},
    {"s2_bf_loose_a", 4, 60, false, false, 58},   {"s3_multifactor", 4, 1, false, false, 28},
    {"s4_fairtree", 4, 1, false, false, 8},       {"s4_fairtree_limits", 4, 1, false, false, 28},
    {"s6_topo_best_a", 8, 1, true, false, 19},    {"s6_topo_best_b", 8, 1, true, false, 4},
    {"s6_topo_pack_a", 8, 1, true, false, 29},    {"s6_topo_lln_a", 8, 1, true, true, 29},
};

Test(slurm_passes, plans_equal)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        if (!rec_have(folders[i].name))
            continue;
        const double share = share_equal(&folders[i]);
        cr_expect_geq(share, 0.99, "%s: %.4f of the passes", folders[i].name, share);
    }
}
