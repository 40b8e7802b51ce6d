/* The ledger: what every live job holds and has had, and the cluster's GPU-time, kept event by event in integers. The
 * one place that interprets events; families and files read it. Not a metric. */
#ifndef GY_LEDGER_H
#define GY_LEDGER_H
#include "gy_account.h"
#include "gy_heap.h"
#include "gy_vec.h"

struct gy_held { /* a share without its CPUs and memory */
    gy_node_id node;
    uint32_t group, gpu_milli;
    uint64_t mask;
};
struct gy_holding {
    const struct gy_held *at;
    uint32_t n;
};

enum gy_place { /* of a live job */
                GY_GONE,
                GY_AT_REST, /* not eligible: waits for other jobs' ends, a place in its array, or a delay after
                               preemption */
                GY_IN_QUEUE,
                GY_ON_GPUS
};

/* One live job, parallel to the engine's rows. */
struct gy_life {
    gy_time since;                    /* of the present holding; GY_NONE while it holds nothing */
    gy_time first_start;              /* GY_NONE before */
    gy_time idle_since;               /* its GPUs are in their idle tail since then, GY_NONE: not */
    gy_time run;                      /* wall time of closed holdings */
    int64_t milli;                    /* GPUs held now */
    gy_gpu_time gpu_time, idle, lost; /* of closed holdings */
    struct gy_held one, *many;        /* the last placement: one when n_held is 1 */
    double usd;                       /* of closed holdings, at the ledger's prices; 0 without */
    uint32_t n_held, cap_many;
    uint32_t idle_event;
    uint32_t resizes;
    uint8_t reason; /* enum gy_reason last seen while pending */
    uint8_t place;  /* enum gy_place */
    bool live;
};

struct gy_ledger {
    const double *prices; /* USD a GPU-hour, of each node; NULL: none. Borrowed */
    bool open, closed;    /* the window: open since the first submit, closed by the end of the run */
    bool any_end;
    gy_time start, now, last_submit; /* once open */
    gy_time last_end;                /* once any_end */
    struct gy_totals totals;
    int64_t idle_now;              /* GPUs held in an idle tail */
    int64_t asked_pending;         /* GPUs asked for by jobs in the queue (eligible, not running) */
    int64_t asked_for[GY_R_COUNT]; /* the same by reason; GY_R_NONE where the policy tells none */
    int64_t asked_at_rest;         /* by jobs not eligible */
    uint32_t pending, running;
    gy_gpu_time total, down, allocated, free, idle, lost; /* integrals to now */
    gy_gpu_time offered; /* GPU-time asked for by the jobs submitted, at rate 1, rejected ones left out */
    gy_gpu_time available_at_last_submit;
    uint64_t submitted, ended_as[GY_REJECTED + 1], left_running, left_pending;
    uint64_t preemptions, restarts, resizes;
    struct gy_holding released, taken; /* by the event being told */
    int queued;                        /* 1: the event put its job into the queue, −1: took it out */
    GY_VEC(struct gy_life) lives;
    GY_VEC(struct gy_held) old; /* what released points into after a resize */
    struct gy_heap idle_starts;
};

/* A job that has left, or is left at the end of the run. Valid during the call. */
struct gy_leave {
    const struct gy_job *job;
    const struct gy_life *life;
    enum gy_job_state state;
    const char *note; /* text of a rejection, or NULL */
    gy_time end;      /* GY_NONE for jobs left pending or running */
    gy_time wait;     /* first start − eligible; GY_NONE when it never started */
};

/* Takes in one event. -1: out of memory. */
int gy_ledger_event(struct gy_ledger *l, const struct gy_event *e, struct gy_error *err);
/* After END and LEFT: the job's closed account; then forget it. */
struct gy_leave gy_ledger_leave(const struct gy_ledger *l, const struct gy_event *e);
void gy_ledger_forget(struct gy_ledger *l, gy_job_id id);
void gy_ledger_free(struct gy_ledger *l);
const struct gy_life *gy_ledger_life(const struct gy_ledger *l, gy_job_id id);
struct gy_holding gy_life_holding(const struct gy_life *life); /* present, or last */
#endif
