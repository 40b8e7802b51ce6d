/* Observers: every fact about a run is told once to each, in order. An observer changes nothing. */
#ifndef GY_OBSERVER_H
#define GY_OBSERVER_H
#include "gy_cluster.h"
#include "gy_job.h"
#include "gy_policy.h"

enum gy_event_kind {
#define GY_EVENT_KINDS(X)                                                                                              \
    X(GY_E_SUBMIT, "submit")     /* job entered the system */                                                          \
    X(GY_E_ELIGIBLE, "eligible") /* and may start from now on */                                                       \
    X(GY_E_START, "start")       /* job holds shares from now on */                                                    \
    X(GY_E_PREEMPT, "preempt")   /* it gave them back and is pending, suspended or cancelled; an end follows if so */  \
    X(GY_E_RESIZE, "resize")     /* its shares changed while running */                                                \
    X(GY_E_RATE, "rate")         /* its rate changed */                                                                \
    X(GY_E_END, "end")           /* it left the system, job->state says how; shares, if any, are given back now */     \
    X(GY_E_HOLD, "hold")         /* its reason for being pending changed */                                            \
    X(GY_E_RESERVE, "reserve")   /* the policy plans to start it at `at` */                                            \
    X(GY_E_NODE, "node")         /* a node changed state */                                                            \
    X(GY_E_SAMPLE, "sample")     /* the sampling period has passed; after the pass of that instant */                  \
    X(GY_E_FINISH, "finish") /* the run is over; jobs still pending or running are told after this, by GY_E_LEFT */    \
    X(GY_E_LEFT, "left")     /* a job that is still pending or running at the end, in row order */
#define X(id, name) id,
    GY_EVENT_KINDS(X)
#undef X
};
const char *gy_event_name(enum gy_event_kind k);

struct gy_event {
    enum gy_event_kind kind;
    gy_time time;
    gy_job_id id;             /* GY_JOB_NONE for node and sample events */
    const struct gy_job *job; /* its row: at START after the start, at END with the final state and its last shares */
    const struct gy_share
        *shares; /* START, RESIZE: now held; PREEMPT, END: given back at this instant (n_shares may be 0) */
    uint32_t n_shares;
    gy_node_id node;
    enum gy_node_state node_state;
    gy_time at;                /* RESERVE */
    __int128 lost_ns_milli;    /* PREEMPT, END by failure: GPU-milli·ns of work lost now */
    const char *note;          /* static text or NULL: why */
    struct gy_totals totals;   /* cluster totals after the event's effect */
    uint32_t pending, running; /* jobs in these states after it */
};

struct gy_observer {
    void *self;
    /* -1: the observer failed (cannot write); err filled; ends the run. view is valid during the call. */
    int (*on_event)(void *self, const struct gy_view *view, const struct gy_event *e, struct gy_error *err);
};
#endif
