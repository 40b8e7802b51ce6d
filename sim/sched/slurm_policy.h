/* The policy "slurm": its parameters and state, shared by its files. Internal to sim/sched.
 *
 * slurm.c          parameters, life, events
 * slurm_queue.c    pending jobs in order of (tier, priority, row)
 * slurm_priority.c multifactor priority, fair share, ticks
 * slurm_limits.c   limits a user, account or QOS
 * slurm_cycle.c    when passes run, and their answers turned into plan calls */
#ifndef SLURM_POLICY_H
#define SLURM_POLICY_H
#include "gy_fair.h"
#include "gy_hash.h"
#include "gy_policy.h"
#include "slurm_internal.h"

struct slurm_partition_param {
    const char *name;
    int64_t tier;
    double job_factor;
    int preempt_mode; /* slurm_preempt_modes */
    gy_time grace;
};
struct slurm_qos_param {
    const char *name;
    double priority;
    int preempt_mode;
    gy_time grace;
};
struct slurm_account_param {
    const char *name, *parent;
    int64_t shares;
    struct gy_list users; /* slurm_user_param */
};
struct slurm_user_param {
    const char *name;
    int64_t shares;
};
struct slurm_limit_param {
    const char *user, *account, *qos, *partition;
    bool per_user;
    int64_t max_jobs, max_gpus; /* -1: none */
};
struct slurm_params {
    int cycle, scheduler, priority, fairshare, select, topology, preempt;
    gy_time batch_sched_delay, sched_interval, main_tick, bf_interval, bf_window, bf_resolution, bf_phase, main_phase,
        epoch_phase;
    gy_time kill_wait, default_limit;
    int64_t bf_max_job_test, bf_max_job_user, bf_max_job_start, default_queue_depth;
    gy_time calc_period, priority_phase, max_age, half_life;
    double weight_age, weight_fairshare, weight_job_size, weight_partition, weight_qos, weight_gpu;
    bool favor_small, charge_at_end;
    double bill_gpu, bill_cpu, dampening;
    gy_time preempt_exempt;
    struct gy_list partitions, qos, accounts, limits;
    /* Recorded times of passes, ascending; in no scenario, for replays. Behind the last the cadences go on. */
    const gy_time *main_ticks, *bf_ticks;
    size_t n_main_ticks, n_bf_ticks;
};
enum { SLURM_CYCLE_SLURM, SLURM_CYCLE_IDEAL };
enum { SLURM_BACKFILL, SLURM_BUILTIN };
enum { SLURM_BASIC, SLURM_MULTIFACTOR };
enum { SLURM_FAIR_TREE, SLURM_FAIR_CLASSIC };
enum { SLURM_CONS_TRES, SLURM_LLN };
enum { SLURM_TOPO_NONE, SLURM_TOPO_TREE };
enum { SLURM_PREEMPT_NONE, SLURM_PREEMPT_PARTITION, SLURM_PREEMPT_QOS };
enum { SLURM_OFF, SLURM_REQUEUE, SLURM_CANCEL, SLURM_SUSPEND };

struct slurm_entry { /* of the queue; larger tier, larger priority, smaller row first */
    int64_t tier;
    double priority;
    uint32_t row;
    gy_job_id job;
};
struct slurm_known { /* of a live row; index gy_job_id.i */
    uint32_t row;    /* of the trace, to tell a reused row */
    bool pending, running;
    uint32_t fair;   /* its user's node, UINT32_MAX not looked up */
    uint32_t user;   /* dense number of its user */
    gy_time charged; /* usage is charged up to here */
    gy_time dying;   /* its grace ends then; GY_NONE */
    uint8_t die_mode;
};
struct slurm_running {
    int64_t end_s;
    uint32_t row;
    gy_job_id job;
};
struct slurm_shape { /* what a shape asks, with its set of nodes */
    bool known, ok;
    struct gy_slurm_job ask;
    uint64_t *allowed;
};

struct slurm {
    struct slurm_params p;
    struct gy_slurm_config config;
    struct gy_slurm_topo topo;
    struct gy_slurm_state state;
    struct gy_slurm_scratch *scratch;
    GY_VEC(struct slurm_entry) queue; /* sorted; with entries of jobs that have left */
    GY_VEC(struct slurm_entry) fresh; /* not yet in the queue */
    size_t gone;                      /* entries of the queue that have left */
    GY_VEC(struct slurm_known) known;
    GY_VEC(struct slurm_running) running; /* ascending (end_s, row) */
    GY_VEC(struct slurm_shape) shapes;
    struct gy_fair fair;
    struct gy_map fair_of, user_of, used; /* (account, user) → node; user → number; (limit, user) → slot of use */
    GY_VEC(uint64_t) use;                 /* two a slot: jobs, GPUs */
    uint32_t users;
    uint64_t total_cpu_milli;
    gy_time last_main, last_full, last_bf, last_tick, next_tick, asked, dirty_since, bf_dirty_since, changed;
    bool main_dirty, bf_dirty;
    bool main_full_only; /* what is left to do waits for a full pass */
    bool preempted;      /* the pass killed something: it begins anew */
    bool stale;          /* the state must be built anew */
    bool no_memory;
    const struct gy_view *view; /* during decide */
    struct gy_plan *plan;
    int rc; /* of plan calls */
};

/* slurm_queue.c */
bool slurm_queue_add(struct slurm *s, const struct gy_view *v, gy_job_id job);
bool slurm_queue_ready(struct slurm *s); /* fresh entries go in, left ones out when many */
bool slurm_queue_live(const struct slurm *s, const struct gy_view *v, const struct slurm_entry *e);
void slurm_queue_sort(struct slurm *s, const struct gy_view *v); /* after priorities changed */
struct slurm_known *slurm_known_of(struct slurm *s, const struct gy_view *v, gy_job_id job); /* NULL: no memory */
/* slurm_priority.c */
int slurm_priority_init(struct slurm *s, const struct gy_view *v, struct gy_error *err);
double slurm_priority_of(struct slurm *s, const struct gy_view *v, gy_job_id job);
int64_t slurm_tier_of(const struct slurm *s, const struct gy_view *v, const struct gy_job *j);
bool slurm_tick(struct slurm *s, const struct gy_view *v); /* charges usage, decays it, ranks users */
bool slurm_charge_end(struct slurm *s, const struct gy_view *v, gy_job_id job);
const struct slurm_partition_param *slurm_partition_of(const struct slurm *s, const struct gy_view *v, gy_str name);
const struct slurm_qos_param *slurm_qos_of(const struct slurm *s, const struct gy_view *v, gy_str name);
/* slurm_limits.c */
bool slurm_limits_allow(struct slurm *s, const struct gy_view *v, const struct gy_job *j);
bool slurm_limits_take(struct slurm *s, const struct gy_view *v, const struct gy_job *j, bool give); /* false: memory */
/* slurm_ask.c */
const struct gy_slurm_job *slurm_ask_of(struct slurm *s, const struct gy_view *v, gy_job_id job,
                                        struct gy_slurm_job *buf);
bool slurm_state_build(struct slurm *s, const struct gy_view *v);
/* The shares of a job on the chosen nodes, lowest free GPUs first, appended to out. */
struct slurm_shares {
    GY_VEC(struct gy_share) at;
};
bool slurm_shares_on(const struct gy_view *v, const struct gy_job *j, const struct gy_slurm_answer *a,
                     struct slurm_shares *out);
/* slurm_preempt.c: victims for a job that found no room; true when something was done for it. */
bool slurm_preempt_for(struct slurm *s, gy_job_id job, const struct gy_slurm_job *ask);
int slurm_preempt_due(struct slurm *s); /* graces that have ended; -1: plan refused */
gy_time slurm_preempt_next(const struct slurm *s);
/* slurm_cycle.c */
void slurm_dirty(struct slurm *s, gy_time now); /* something changed: passes are due */
int slurm_decide(void *self, const struct gy_view *v, struct gy_plan *plan);
static inline int64_t slurm_seconds(gy_time t)
{
    return t >= 0 ? t / GY_SECOND : -((-t + GY_SECOND - 1) / GY_SECOND);
}
#endif
