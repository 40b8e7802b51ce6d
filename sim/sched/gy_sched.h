/* The composed policy's core, for its backfills: the queue, the placer, and what changed since the last pass. Internal
 * to sim/sched.
 *
 * A pass is incremental: while nothing was freed (gy_cluster_freed), a job that could not start cannot start now, so
 * only jobs that entered the queue since (fresh) are looked at. */
#ifndef GY_SCHED_H
#define GY_SCHED_H
#include "gy_parts.h"
#include "gy_queue.h"

/* The row of `depth` in parameter tables. 50 keeps conservative backfill within ten times FIFO with 10,000 waiting. */
#define GY_SCHED_DEPTH_PARAM                                                                                           \
    {                                                                                                                  \
        .name = "depth", .type = GY_P_INT, .offset = offsetof(struct gy_sched_params, depth), .preset = "50",          \
        .max = 1e9,                                                                                                    \
        .help =                                                                                                        \
            "conservative backfill: jobs at the front of the queue that hold a reservation (0: all); those behind "    \
            "them start only where they delay none of these",                                                          \
        .source = "measured: within 10 x FIFO with 10,000 waiting"                                                     \
    }

struct gy_sched_params {
    int order, queueing, backfill, placement; /* indices into the registry; queueing: 0 strict, 1 best-effort */
    int64_t depth;
};

struct gy_backfill_type;
struct gy_sched {
    const struct gy_order_type *order;
    const struct gy_backfill_type *backfill;
    void *state; /* of the backfill */
    bool best_effort;
    uint64_t depth; /* jobs that hold reservations, UINT64_MAX: all */
    struct gy_placer placer;
    struct gy_placement placement; /* of the last gy_sched_place */
    struct gy_queue queue;
    struct gy_scan scan;
    GY_VEC(struct gy_item) fresh; /* entered the queue since the last pass; may have left it again */
    GY_VEC(uint32_t) nodes_freed; /* nodes on which something was given back since the last pass */
    bool any_freed;               /* or anywhere */
    uint64_t freed;               /* gy_cluster_freed at the last pass */
    bool passed;                  /* there was a pass before */
};

/* A backfill: what happens behind a head of the queue that cannot start. */
struct gy_backfill_type {
    const char *name, *summary;
    size_t state_size;                                                                          /* zeroed */
    int (*init)(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_error *err); /* optional */
    void (*fini)(void *self);                                                                   /* optional */
    /* optional; after the queue took note; -1: out of memory */
    int (*on_event)(void *self, struct gy_sched *s, const struct gy_view *v, const struct gy_policy_event *e);
    /* One pass; s->fresh is sorted in queue order. -1: a plan call was refused or memory ran out. */
    int (*pass)(void *self, struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan);
};
extern const struct gy_backfill_type *const gy_backfills[];

/* Chooses nodes into s->placement. 1: found; 0: does not fit, *why (may be NULL) says why; -1: no memory. */
int gy_sched_place(struct gy_sched *s, const struct gy_view *v, const struct gy_place_request *req,
                   enum gy_reason *why);
/* Starts a job on s->placement; it stays in the queue. -1: refused. */
int gy_sched_start(struct gy_sched *s, struct gy_plan *plan, gy_job_id job);
/* Tells the reason, once as long as it stays the same. */
void gy_sched_hold(const struct gy_view *v, struct gy_plan *plan, gy_job_id job, enum gy_reason why);
/* Tries jobs from the head on until one does not fit. 0: done, *why says why the head that is left waits; -1 as above.
 */
int gy_sched_run_heads(struct gy_sched *s, const struct gy_view *v, struct gy_plan *plan, enum gy_reason *why);
/* Opens lanes again that what was freed since the last pass may hold. O(lanes) where a freed node has GPUs enough. */
void gy_sched_reopen(struct gy_sched *s, const struct gy_view *v);
/* Whether a lane that was opened again in this round has lost what it was opened for: closes it. O(nodes freed). */
bool gy_sched_gone(struct gy_sched *s, const struct gy_view *v, uint32_t lane);
/* Reopens, and starts the scan over all lanes that may fit. In lanes that are SHORT only estimates up to max count. -1:
 * no memory. */
int gy_sched_scan(struct gy_sched *s, const struct gy_view *v, gy_time max);
/* The reason of a lane that is not open, found out and kept when no pass did. */
enum gy_reason gy_sched_lane_why(struct gy_sched *s, const struct gy_view *v, uint32_t lane);

/* The composed policy's functions, for presets, whose parameters are laid out in struct gy_sched_params too. */
int gy_sched_init(void *self, const void *parameters, const struct gy_view *v, struct gy_error *err);
void gy_sched_fini(void *self);
int gy_sched_on_event(void *self, const struct gy_view *v, const struct gy_policy_event *e);
int gy_sched_decide(void *self, const struct gy_view *v, struct gy_plan *plan);
#endif
