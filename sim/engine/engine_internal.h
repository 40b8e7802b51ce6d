/* The engine's insides, shared by the files of sim/engine alone. */
#ifndef ENGINE_INTERNAL_H
#define ENGINE_INTERNAL_H
#include "gy_engine.h"
#include "gy_hash.h"
#include "gy_heap.h"

enum event_class { CLS_END, CLS_REPAIR, CLS_FAIL, CLS_CAPACITY, CLS_ARRIVAL, CLS_TIMER, CLS_RATES };

#define ROW_NONE UINT32_MAX

struct notice { /* for the policy, kept until decide has returned */
    enum gy_change change;
    gy_job_id job;
    uint32_t generation;
};

struct waiter { /* a job that waits for a record's end; a list per record */
    gy_job_id job;
    uint32_t generation;
    uint32_t next;
    uint8_t kind;
};

struct array_group {     /* a job array with a throttle */
    uint32_t active;     /* tasks in the queue or running */
    uint32_t head, tail; /* tasks that wait for a place, linked by gy_job.next */
};

struct capacity_change {
    gy_time time;
    gy_node_id node;
    uint8_t state, cls;
};

struct share_block {
    struct share_block *next;
};

struct sim {
    struct gy_plan plan; /* first: plan operations get their sim back from it */
    const struct gy_sim_config *config;
    const struct gy_observer *observers;
    size_t n_observers;
    struct gy_sim_result *result;
    struct gy_error *err;

    struct gy_cluster *cluster;
    struct gy_shapes *shapes;
    struct gy_heap heap;
    GY_VEC(struct gy_job) jobs;
    GY_VEC(uint32_t) free_rows;
    struct gy_view view;
    uint32_t pending_last;
    void *policy_state;
    bool policy_ready, in_decide;
    GY_VEC(struct notice) notices;

    struct gy_job_rec next; /* the arrival not yet due */
    bool has_next;
    uint64_t arrived, ended;
    GY_VEC(struct capacity_change) changes;
    size_t next_change;
    gy_time next_sample;
    uint64_t samples;
    gy_time last_wake;
    uint32_t timers;      /* wake events in the heap */
    bool dirty;           /* something happened since the last pass */
    bool unsettled;       /* something started or stopped since the rate model was asked */
    uint32_t idle_passes; /* passes in a row with no effect while only timers were left */
    uint64_t effects;     /* starts, stops, moves and rejections */

    struct gy_map outcome; /* trace row -> end state, for records that others wait for */
    struct gy_map waiting; /* trace row -> first waiter */
    GY_VEC(struct waiter) waiters;
    struct gy_map arrays; /* array name -> group */
    GY_VEC(struct array_group) groups;

    struct gy_arena share_arena;
    struct share_block *share_pool[32]; /* free blocks of 2^i shares */
};

/* emit.c */
int sim_emit(struct sim *s, struct gy_event *e); /* fills time, totals and counts */
int sim_emit_job(struct sim *s, enum gy_event_kind kind, gy_job_id id, const char *note);
int sim_tell(struct sim *s, enum gy_change change, gy_job_id job,
             gy_node_id node);     /* the policy, at once or after decide */
int sim_tell_later(struct sim *s); /* hands over the notices kept during decide */

/* rows.c: the table of live jobs, the pending list, memory for shares */
gy_job_id row_new(struct sim *s); /* GY_JOB_NONE when out of memory */
void row_free(struct sim *s, gy_job_id id);
void pending_add(struct sim *s, gy_job_id id);
void pending_remove(struct sim *s, gy_job_id id);
struct gy_share *shares_new(struct sim *s, size_t n);
void shares_free(struct sim *s, struct gy_share *shares, size_t n);

/* life.c: the life cycle */
int job_arrive(struct sim *s, const struct gy_job_rec *rec);
int job_enqueue(struct sim *s, gy_job_id id); /* it may start from now on */
int job_start(struct sim *s, gy_job_id id, const struct gy_share *shares, size_t n);
int job_end_event(struct sim *s, gy_job_id id); /* its end event has come */
int job_requeue(struct sim *s, gy_job_id id, bool suspend, const char *note);
/* Ends it in any state; gives shares back when it holds any. */
int job_end(struct sim *s, gy_job_id id, enum gy_job_state state, const char *note);
double job_speed(const struct sim *s, const struct gy_share *shares, size_t n); /* of the slowest GPU */
void job_progress(struct gy_job *j, gy_time now); /* brings work_left, served and attained up to now */

/* depend.c: dependencies and array throttles */
int depend_arrive(struct sim *s, gy_job_id id, bool *never);
int depend_ended(struct sim *s, const struct gy_job_rec *rec, enum gy_job_state state);
int depend_started(struct sim *s, const struct gy_job_rec *rec);
int array_enter(struct sim *s, gy_job_id id, bool *waits);
int array_leave(struct sim *s, const struct gy_job_rec *rec);
void array_forget(struct sim *s, gy_job_id id); /* cancelled while it waited for a place */

/* capacity.c */
int capacity_prepare(struct sim *s);
int capacity_apply(struct sim *s, const struct capacity_change *c);

/* rates.c */
int rates_started(struct sim *s, gy_job_id id);
int rates_stopped(struct sim *s, gy_job_id id);
int rates_moved(struct sim *s, gy_job_id id); /* new shares: new speed, new end */
int rates_settle(struct sim *s);
gy_time job_end_time(const struct gy_job *j, gy_time now); /* natural end or limit, whichever comes first */

/* plan.c */
extern const struct gy_plan_ops sim_plan_ops;

static inline struct gy_job *sim_job(struct sim *s, gy_job_id id)
{
    return &s->jobs.at[id.i];
}
#endif
