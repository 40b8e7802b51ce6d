/* The policy "slurm": parameters, life and events. What it reproduces and what it does not is in SLURM.md. */
#include <stdlib.h>
#include "gy_registry.h"
#include "slurm_policy.h"

#define P(member) offsetof(struct slurm_params, member)
#define ROW(key, kind, field, dflt, text, src)                                                                         \
    {                                                                                                                  \
        .name = key, .type = kind, .offset = P(field), .preset = dflt, .help = text, .source = src                     \
    }
#define TIME(key, field, dflt, low, text)                                                                              \
    {                                                                                                                  \
        .name = key, .type = GY_P_TIME, .offset = P(field), .unit = GY_U_TIME, .preset = dflt, .min = low,             \
        .max = 4.6e9, .help = text, .source = "slurm.conf"                                                             \
    }
#define COUNT(key, field, dflt, text)                                                                                  \
    {                                                                                                                  \
        .name = key, .type = GY_P_INT, .offset = P(field), .preset = dflt, .min = 0, .max = 4294967295.0,              \
        .help = text, .source = "slurm.conf, SchedulerParameters"                                                      \
    }
#define WEIGHT(key, field, text)                                                                                       \
    {                                                                                                                  \
        .name = key, .type = GY_P_REAL, .offset = P(field), .preset = "0", .min = 0, .max = 1e12, .help = text,        \
        .source = "slurm.conf, PriorityWeight…"                                                                      \
    }
#define CHOICE(key, field, dflt, of, text)                                                                             \
    {                                                                                                                  \
        .name = key, .type = GY_P_CHOICE, .offset = P(field), .preset = dflt, .choices = of, .help = text,             \
        .source = "slurm.conf"                                                                                         \
    }
#define MODES "off|requeue|cancel|suspend"

#define A(type, member) offsetof(struct type, member)
static const struct gy_param partition_rows[] = {
    {.name = "name",
     .type = GY_P_TEXT,
     .offset = A(slurm_partition_param, name),
     .help = "As jobs name it",
     .source = ""},
    {.name = "tier",
     .type = GY_P_INT,
     .offset = A(slurm_partition_param, tier),
     .preset = "1",
     .min = 0,
     .max = 65535,
     .help = "PriorityTier: jobs of a higher tier come first, and may preempt",
     .source = "slurm.conf"},
    {.name = "job_factor",
     .type = GY_P_REAL,
     .offset = A(slurm_partition_param, job_factor),
     .preset = "1",
     .min = 0,
     .max = 65535,
     .help = "PriorityJobFactor",
     .source = "slurm.conf"},
    {.name = "preempt_mode",
     .type = GY_P_CHOICE,
     .offset = A(slurm_partition_param, preempt_mode),
     .preset = "\"requeue\"",
     .choices = MODES,
     .help = "What happens to its jobs when preempted",
     .source = "slurm.conf"},
    {.name = "grace_s",
     .type = GY_P_TIME,
     .offset = A(slurm_partition_param, grace),
     .unit = GY_U_TIME,
     .preset = "0",
     .min = 0,
     .max = 1e9,
     .help = "GraceTime",
     .source = "slurm.conf"},
    {.name = NULL}};
static const struct gy_param qos_rows[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = A(slurm_qos_param, name), .help = "As jobs name it", .source = ""},
    {.name = "priority",
     .type = GY_P_REAL,
     .offset = A(slurm_qos_param, priority),
     .preset = "0",
     .min = 0,
     .max = 1e9,
     .help = "Its priority, as a factor and for preemption",
     .source = "sacctmgr"},
    {.name = "preempt_mode",
     .type = GY_P_CHOICE,
     .offset = A(slurm_qos_param, preempt_mode),
     .preset = "\"requeue\"",
     .choices = MODES,
     .help = "What happens to its jobs when preempted",
     .source = "sacctmgr"},
    {.name = "grace_s",
     .type = GY_P_TIME,
     .offset = A(slurm_qos_param, grace),
     .unit = GY_U_TIME,
     .preset = "0",
     .min = 0,
     .max = 1e9,
     .help = "GraceTime",
     .source = "sacctmgr"},
    {.name = NULL}};
static const struct gy_param user_rows[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = A(slurm_user_param, name), .help = "The user", .source = ""},
    {.name = "shares",
     .type = GY_P_INT,
     .offset = A(slurm_user_param, shares),
     .preset = "1",
     .min = 0,
     .max = 1e9,
     .help = "Fairshare",
     .source = "sacctmgr"},
    {.name = NULL}};
static const struct gy_param account_rows[] = {{.name = "name",
                                                .type = GY_P_TEXT,
                                                .offset = A(slurm_account_param, name),
                                                .help = "The account: a job's team",
                                                .source = ""},
                                               {.name = "parent",
                                                .type = GY_P_TEXT,
                                                .offset = A(slurm_account_param, parent),
                                                .preset = "null",
                                                .help = "The account above, listed earlier; absent: the root",
                                                .source = "sacctmgr"},
                                               {.name = "shares",
                                                .type = GY_P_INT,
                                                .offset = A(slurm_account_param, shares),
                                                .preset = "1",
                                                .min = 0,
                                                .max = 1e9,
                                                .help = "Fairshare",
                                                .source = "sacctmgr"},
                                               {.name = "users",
                                                .type = GY_P_LIST,
                                                .offset = A(slurm_account_param, users),
                                                .preset = "[]",
                                                .fields = user_rows,
                                                .item_size = sizeof(struct slurm_user_param),
                                                .help = "Its users; others get one share",
                                                .source = "sacctmgr"},
                                               {.name = NULL}};
static const struct gy_param limit_rows[] = {
    {.name = "user",
     .type = GY_P_TEXT,
     .offset = A(slurm_limit_param, user),
     .preset = "null",
     .help = "Only jobs of this user",
     .source = "sacctmgr"},
    {.name = "account",
     .type = GY_P_TEXT,
     .offset = A(slurm_limit_param, account),
     .preset = "null",
     .help = "Only jobs of this account",
     .source = "sacctmgr"},
    {.name = "qos",
     .type = GY_P_TEXT,
     .offset = A(slurm_limit_param, qos),
     .preset = "null",
     .help = "Only jobs of this QOS",
     .source = "sacctmgr"},
    {.name = "partition",
     .type = GY_P_TEXT,
     .offset = A(slurm_limit_param, partition),
     .preset = "null",
     .help = "Only jobs of this partition",
     .source = "sacctmgr"},
    {.name = "per_user",
     .type = GY_P_BOOL,
     .offset = A(slurm_limit_param, per_user),
     .preset = "false",
     .help = "For each user apart (MaxJobsPU, MaxTRESPU) instead of together (GrpJobs, GrpTRES)",
     .source = "sacctmgr"},
    {.name = "max_jobs",
     .type = GY_P_INT,
     .offset = A(slurm_limit_param, max_jobs),
     .preset = "-1",
     .min = -1,
     .max = 1e9,
     .help = "Running jobs at once; -1 none",
     .source = "sacctmgr"},
    {.name = "max_gpus",
     .type = GY_P_INT,
     .offset = A(slurm_limit_param, max_gpus),
     .preset = "-1",
     .min = -1,
     .max = 1e9,
     .help = "GPUs of running jobs; -1 none",
     .source = "sacctmgr"},
    {.name = NULL}};
#define LIST(key, field, rows, item, text)                                                                             \
    {                                                                                                                  \
        .name = key, .type = GY_P_LIST, .offset = P(field), .preset = "[]", .fields = rows,                            \
        .item_size = sizeof(struct item), .help = text, .source = "slurm.conf, sacctmgr"                               \
    }

static const struct gy_param params[] = {
    CHOICE("cycle", cycle, "\"slurm\"", "slurm|ideal", "Passes at real cadences, or at every event"),
    CHOICE("scheduler", scheduler, "\"backfill\"", "backfill|builtin", "SchedulerType"),
    CHOICE("select", select, "\"cons_tres\"", "cons_tres|lln", "lln: CR_LLN, least loaded nodes by free CPUs"),
    CHOICE("topology", topology, "\"none\"", "none|tree", "tree: nodes on one leaf switch are kept together"),
    TIME("batch_sched_delay_s", batch_sched_delay, "3", 0, "At least this between two main passes"),
    TIME("sched_interval_s", sched_interval, "60", 1, "A main pass over the whole queue this often"),
    TIME("main_tick_s", main_tick, "1", 0.001, "The main pass is thought of this often"),
    TIME("main_phase_s", main_phase, "0", 0, "The main pass's one-second tick, in trace time"),
    COUNT("default_queue_depth", default_queue_depth, "100", "Jobs looked at by a main pass that is not full; 0 all"),
    TIME("bf_interval_s", bf_interval, "30", 1, "Between two backfill passes"),
    TIME("bf_phase_s", bf_phase, "0", 0, "A tick of the backfill pass, in trace time"),
    TIME("bf_window_s", bf_window, "86400", 1, "How far ahead backfill plans; longer jobs behind others may starve"),
    TIME("bf_resolution_s", bf_resolution, "60", 1, "Promises are rounded down to it"),
    COUNT("bf_max_job_test", bf_max_job_test, "100", "Jobs looked at by a backfill pass; 0 all"),
    COUNT("bf_max_job_user", bf_max_job_user, "0", "Of them a user; 0 all"),
    COUNT("bf_max_job_start", bf_max_job_start, "0", "Started by one backfill pass; 0 all"),
    TIME("epoch_phase_s", epoch_phase, "0", 0,
         "The controller's absolute time at trace time 0; end times are grouped by it"),
    TIME("kill_wait_s", kill_wait, "30", 0, "A job past its limit is expected to be gone after this"),
    TIME("default_limit_s", default_limit, "31536000", 1, "Time limit of jobs that have none"),
    CHOICE("priority", priority, "\"basic\"", "basic|multifactor", "PriorityType"),
    TIME("priority_calc_period_s", calc_period, "300", 1, "PriorityCalcPeriod: age and usage move at its ticks only"),
    TIME("priority_phase_s", priority_phase, "0", 0, "A tick of it, in trace time"),
    WEIGHT("weight_age", weight_age, "Weight of the waiting time"),
    TIME("max_age_s", max_age, "604800", 0, "Waiting time at which the age factor is 1"),
    WEIGHT("weight_fairshare", weight_fairshare, "Weight of the fair-share factor"),
    WEIGHT("weight_job_size", weight_job_size, "Weight of the job size: half nodes, half CPUs"),
    ROW("favor_small", GY_P_BOOL, favor_small, "false", "PriorityFavorSmall", "slurm.conf"),
    WEIGHT("weight_partition", weight_partition, "Weight of the partition's factor"),
    WEIGHT("weight_qos", weight_qos, "Weight of the QOS's priority"),
    WEIGHT("weight_gpu", weight_gpu, "Weight of the job's share of all GPUs (PriorityWeightTRES)"),
    CHOICE("fairshare", fairshare, "\"fair-tree\"", "fair-tree|classic", "How usage becomes a factor"),
    TIME("half_life_s", half_life, "604800", 0, "PriorityDecayHalfLife; 0: usage never decays"),
    ROW("dampening", GY_P_REAL, dampening, "1", "FairShareDampeningFactor, classic only", "slurm.conf"),
    ROW("bill_gpu", GY_P_REAL, bill_gpu, "0", "TRESBillingWeights: a GPU", "slurm.conf"),
    ROW("bill_cpu", GY_P_REAL, bill_cpu, "1", "TRESBillingWeights: a CPU", "slurm.conf"),
    ROW("charge_at_end", GY_P_BOOL, charge_at_end, "true",
        "AccountingStorageEnforce has limits: without, a job's time since the last tick is never charged",
        "slurm.conf"),
    CHOICE("preempt", preempt, "\"none\"", "none|partition_prio|qos", "PreemptType"),
    TIME("preempt_exempt_s", preempt_exempt, "0", 0, "PreemptExemptTime"),
    LIST("partitions", partitions, partition_rows, slurm_partition_param, "What slurm.conf says of partitions"),
    LIST("qos", qos, qos_rows, slurm_qos_param, "Qualities of service"),
    LIST("accounts", accounts, account_rows, slurm_account_param, "The account tree, parents first"),
    LIST("limits", limits, limit_rows, slurm_limit_param, "Limits on running jobs"),
    {.name = NULL}};

static void set_caps(struct slurm *s, const struct gy_view *v)
{
    for (uint32_t i = 0; i < s->state.nodes; i++) {
        const struct gy_node_spec *n = &gy_cluster_spec(v->cluster)->nodes.at[i];
        s->state.cap[i] = (struct gy_slurm_amount){n->gpus, n->cpu_milli ? n->cpu_milli : UINT64_MAX,
                                                   n->mem_mib ? n->mem_mib : UINT64_MAX};
    }
}

static bool add_switch(struct slurm *s, const struct gy_view *v, uint32_t level, uint32_t leaf)
{
    struct gy_slurm_switch w = {.level = level};
    w.nodes = malloc((s->state.nodes + 1u) * sizeof *w.nodes);
    if (!w.nodes)
        return false;
    for (uint32_t i = 0; i < s->state.nodes; i++)
        if (level > 0 || gy_cluster_spec(v->cluster)->nodes.at[i].leaf == leaf)
            w.nodes[w.n++] = i;
    if (w.n > 0 && gy_vec_push(&s->topo.switches, w))
        return true;
    free(w.nodes);
    return w.n == 0;
}

/* Leaves as the cluster names them, under one common switch. */
static bool set_topology(struct slurm *s, const struct gy_view *v)
{
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < s->state.nodes; i++) {
        const uint32_t leaf = gy_cluster_spec(v->cluster)->nodes.at[i].leaf;
        if (leaf != UINT32_MAX && leaf >= leaves)
            leaves = leaf + 1;
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
        if (!add_switch(s, v, 0, leaf))
            return false;
    return add_switch(s, v, 0, UINT32_MAX) && add_switch(s, v, 1, 0);
}

static int init(void *self, const void *parameters, const struct gy_view *v, struct gy_error *err)
{
    struct slurm *s = self;
    s->p = *(const struct slurm_params *)parameters;
    s->last_main = s->last_full = s->last_bf = s->last_tick = s->asked = s->changed = GY_NONE;
    s->stale = true;
    s->config = (struct gy_slurm_config){.bf_window_s = s->p.bf_window / GY_SECOND,
                                         .bf_resolution_s = s->p.bf_resolution / GY_SECOND,
                                         .bf_max_job_test = (uint32_t)s->p.bf_max_job_test,
                                         .bf_max_job_user = (uint32_t)s->p.bf_max_job_user,
                                         .bf_max_job_start = (uint32_t)s->p.bf_max_job_start,
                                         .kill_wait_s = s->p.kill_wait / GY_SECOND,
                                         .phase_s = s->p.epoch_phase / GY_SECOND,
                                         .lln = s->p.select == SLURM_LLN};
    const uint32_t nodes = gy_cluster_nodes(v->cluster);
    if (!gy_slurm_state_init(&s->state, nodes) || !(s->scratch = gy_slurm_scratch_new(nodes)))
        return gy_nomem(err);
    set_caps(s, v);
    if (s->p.topology == SLURM_TOPO_TREE) {
        if (!set_topology(s, v))
            return gy_nomem(err);
        s->config.topo = &s->topo;
    }
    return slurm_priority_init(s, v, err);
}

static void fini(void *self)
{
    struct slurm *s = self;
    gy_slurm_state_free(&s->state);
    gy_slurm_scratch_free(s->scratch);
    for (size_t i = 0; i < s->topo.switches.n; i++)
        free(s->topo.switches.at[i].nodes);
    gy_vec_free(&s->topo.switches);
    for (size_t i = 0; i < s->shapes.n; i++)
        free(s->shapes.at[i].allowed);
    gy_vec_free(&s->shapes);
    gy_vec_free(&s->queue);
    gy_vec_free(&s->fresh);
    gy_vec_free(&s->known);
    gy_vec_free(&s->running);
    gy_vec_free(&s->use);
    gy_fair_free(&s->fair);
    gy_map_free(&s->fair_of);
    gy_map_free(&s->user_of);
    gy_map_free(&s->used);
}

static bool number_user(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    struct slurm_known *k = slurm_known_of(s, v, job);
    uint64_t n = s->users;
    const gy_str user = gy_view_job(v, job)->rec.user;
    if (!k)
        return false;
    if (!gy_map_get(&s->user_of, user, &n)) {
        if (!gy_map_put(&s->user_of, user, n))
            return false;
        s->users++;
    }
    k->user = (uint32_t)n;
    return true;
}

static bool add_running(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    const gy_time limit = j->rec.limit != GY_NONE ? j->rec.limit : s->p.default_limit;
    const struct slurm_running r = {slurm_seconds(j->start) + (limit + GY_SECOND - 1) / GY_SECOND, j->rec.row, job};
    struct slurm_known *k = slurm_known_of(s, v, job);
    if (!k || !gy_vec_push(&s->running, r))
        return false;
    *k = (struct slurm_known){
        .row = k->row, .running = true, .fair = k->fair, .user = k->user, .charged = GY_NONE, .dying = GY_NONE};
    size_t low = 0, high = s->running.n - 1;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        const struct slurm_running *m = &s->running.at[mid];
        if (m->end_s < r.end_s || (m->end_s == r.end_s && m->row < r.row))
            low = mid + 1;
        else
            high = mid;
    }
    memmove(&s->running.at[low + 1], &s->running.at[low], (s->running.n - 1 - low) * sizeof r);
    s->running.at[low] = r;
    return true;
}

static bool drop_running(struct slurm *s, const struct gy_view *v, gy_job_id job)
{
    struct slurm_known *k = slurm_known_of(s, v, job);
    if (!k || !k->running)
        return k != NULL; /* a victim of its own */
    k->running = false;
    k->dying = GY_NONE;
    for (size_t i = 0; i < s->running.n; i++)
        if (s->running.at[i].job.i == job.i) {
            memmove(&s->running.at[i], &s->running.at[i + 1], (--s->running.n - i) * sizeof s->running.at[0]);
            break;
        }
    return slurm_charge_end(s, v, job) && slurm_limits_take(s, v, gy_view_job(v, job), true);
}

static int on_event(void *self, const struct gy_view *v, const struct gy_policy_event *e)
{
    struct slurm *s = self;
    s->view = v;
    bool ok = true;
    switch (e->change) {
    case GY_C_ELIGIBLE:
        ok = number_user(s, v, e->job) && slurm_queue_add(s, v, e->job);
        break;
    case GY_C_GONE: {
        struct slurm_known *k = slurm_known_of(s, v, e->job);
        ok = k != NULL;
        if (k && k->pending) {
            k->pending = false;
            s->gone++;
        }
        return ok ? 0 : -1;
    }
    case GY_C_STARTED:
        s->stale = true;
        return add_running(s, v, e->job) ? 0 : -1;
    case GY_C_STOPPED:
        s->stale = true;
        ok = drop_running(s, v, e->job);
        break;
    case GY_C_CAPACITY:
        s->stale = true;
        break;
    default:
        return 0;
    }
    slurm_dirty(s, v->now);
    return ok ? 0 : -1;
}

/* As SLURM.md says at length. */
static const char *const not_modelled[] = {"slurm: completing nodes and KillWait",
                                           "slurm: the 30 s check of time limits",
                                           "slurm: --switches of jobs, job-level --gpus over uneven nodes",
                                           "slurm: core affinity of GPUs, node weights",
                                           "slurm: reservations, licences, several partitions a job",
                                           "slurm: gang scheduling, signals, QOS preempt lists",
                                           NULL};

const struct gy_policy_type gy_policy_slurm = {.name = "slurm",
                                               .not_modelled = not_modelled,
                                               .summary = "Slurm as recorded: main and backfill passes, priority, "
                                                          "fair share, limits, preemption",
                                               .state_size = sizeof(struct slurm),
                                               .params_size = sizeof(struct slurm_params),
                                               .params = params,
                                               .init = init,
                                               .fini = fini,
                                               .on_event = on_event,
                                               .decide = slurm_decide};
