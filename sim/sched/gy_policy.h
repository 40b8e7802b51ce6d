/* The scheduling policy interface: a policy decides, never acts. It reads the view, writes the plan; the engine checks
 * every entry before it happens and refuses an illegal one loudly. Called once an instant, after the world has moved.
 */
#ifndef GY_POLICY_H
#define GY_POLICY_H
#include "gy_cluster.h"
#include "gy_error.h"
#include "gy_job.h"
#include "gy_param.h"
#include "gy_stream.h"

/* Read-only for policies. Pointers stay valid during one call; job rows move only between calls. */
struct gy_view {
    gy_time now;
    const struct gy_cluster *cluster;
    const struct gy_shapes *shapes;
    const struct gy_strings *strings;
    const struct gy_job *jobs; /* table of live rows, indexed by gy_job_id.i */
    uint32_t job_rows;         /* its size; rows not in use have generation odd */
    uint32_t pending_first; /* head of the pending list (row index, UINT32_MAX: empty), by time queued; follow .next */
    uint32_t pending, running; /* jobs in these states */
    uint64_t seed;             /* for a policy's own gy_stream */
};
static inline const struct gy_job *gy_view_job(const struct gy_view *v, gy_job_id id)
{
    return &v->jobs[id.i];
}

/* What a policy is told, before decide, in order. */
enum gy_change {
    GY_C_ELIGIBLE, /* job entered the queue (arrived, its dependencies ended, was preempted or released) */
    GY_C_GONE,     /* job left the queue without starting (cancelled, rejected) */
    GY_C_STARTED,  /* job started; also told for the policy's own decisions, after decide */
    GY_C_STOPPED,  /* a running job gave its resources back: ended, preempted, failed; its last shares are still in its
                    * row, unless a decision of the policy itself stopped it */
    GY_C_RESIZED,  /* a running job's shares changed */
    GY_C_CAPACITY, /* a node changed state; job is GY_JOB_NONE */
    GY_C_WAKE      /* a time asked for by gy_plan_wake has come */
};
struct gy_policy_event {
    enum gy_change change;
    gy_job_id job;   /* its row is still valid during the call */
    gy_node_id node; /* for GY_C_CAPACITY */
};

enum gy_preempt_mode { GY_PREEMPT_REQUEUE, GY_PREEMPT_CANCEL, GY_PREEMPT_SUSPEND };

/* The plan. Each call is checked at once and, when legal, booked at once, so the view's free capacity is always true;
 * what it causes (events, states) happens after decide returned, in the order of the calls. Return 0, or -1 when
 * refused: a refusal ends the run with an internal error that names the policy. */
struct gy_plan;
struct gy_plan_ops {
    int (*start)(struct gy_plan *p, gy_job_id job, const struct gy_share *shares, size_t n);
    int (*preempt)(struct gy_plan *p, gy_job_id job, enum gy_preempt_mode mode);
    int (*move)(struct gy_plan *p, gy_job_id job, const struct gy_share *shares, size_t n); /* resize or migrate */
    int (*reject)(struct gy_plan *p, gy_job_id job, const char *why); /* ends it as rejected; why is a static text */
    void (*reserve)(struct gy_plan *p, gy_job_id job, gy_time start); /* tells observers; books nothing */
    void (*hold)(struct gy_plan *p, gy_job_id job, enum gy_reason reason);
    void (*wake)(struct gy_plan *p, gy_time at); /* decide is called then even if nothing else happens */
};
struct gy_plan {
    const struct gy_plan_ops *ops;
};
#define gy_plan_start(p, job, shares, n) ((p)->ops->start((p), (job), (shares), (n)))
#define gy_plan_preempt(p, job, mode)    ((p)->ops->preempt((p), (job), (mode)))
#define gy_plan_move(p, job, shares, n)  ((p)->ops->move((p), (job), (shares), (n)))
#define gy_plan_reject(p, job, why)      ((p)->ops->reject((p), (job), (why)))
#define gy_plan_reserve(p, job, at)      ((p)->ops->reserve((p), (job), (at)))
#define gy_plan_hold(p, job, reason)     ((p)->ops->hold((p), (job), (reason)))
#define gy_plan_wake(p, at)              ((p)->ops->wake((p), (at)))

struct gy_policy_type {
    const char *name;              /* as written in a scenario's scheduler.preset */
    const char *summary;           /* one line for `policies list` */
    size_t state_size;             /* zeroed by the engine, one per simulation */
    size_t params_size;            /* struct that params fill */
    const struct gy_param *params; /* ends with a NULL name */
    int (*init)(void *self, const void *params, const struct gy_view *view, struct gy_error *err);
    void (*fini)(
        void *self); /* optional; frees what init and later calls took; called once, also after a failed init */
    int (*on_event)(void *self, const struct gy_view *view,
                    const struct gy_policy_event *e); /* optional; -1: out of memory */
    const char *const *not_modelled; /* NULL-ended: what it leaves out of the system that it is named after, for the
                                        manifest; NULL: nothing */
    bool always; /* decide is wanted also while no job is pending: policies that move or preempt running jobs */
    int (*decide)(void *self, const struct gy_view *view,
                  struct gy_plan *plan); /* -1: a plan call was refused or no memory */
};

/* Every policy that is built in, NULL-ended: one line each in registry.c. */
extern const struct gy_policy_type *const gy_policies[];
const struct gy_policy_type *gy_policy_find(const char *name); /* NULL when unknown */

/* Remaining time as schedulers may know it: limit if given, else duration. */
gy_time gy_job_estimate(const struct gy_job *j);
#endif
