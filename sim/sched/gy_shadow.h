/* Running jobs by the time at which they are expected to end, and the shadow of one waiting job: the earliest time at
 * which it fits if every running job ends when expected. Books nothing.
 *
 * The shadow keeps, for each node, what running jobs give back until the shadow time (the overlay), and how many nodes
 * can then hold the job. Starts and ends change only the nodes that they touch; the time then moves forwards or back
 * over the ends one by one. A job that runs longer than expected counts as ending now. CPUs, memory, fractions of GPUs,
 * whole nodes and jobs that may be split in any way are counted exactly. */
#ifndef GY_SHADOW_H
#define GY_SHADOW_H
#include "gy_blist.h"
#include "gy_policy.h"

struct gy_running {
    struct gy_item item; /* major: expected end */
    bool in;
};
struct gy_ends { /* zeroed: empty */
    struct gy_blist list;
    GY_VEC(struct gy_running) rows; /* by job row */
};
void gy_ends_free(struct gy_ends *e);
bool gy_ends_add(struct gy_ends *e, const struct gy_view *v, gy_job_id job); /* a running job; again: does nothing */
void gy_ends_remove(struct gy_ends *e, gy_job_id job);
static inline bool gy_ends_has(const struct gy_ends *e, gy_job_id job)
{
    return job.i < e->rows.n && e->rows.at[job.i].in;
}

struct gy_room {    /* what comes back on a node until the shadow time */
    uint32_t epoch; /* valid when the shadow's */
    int32_t gpus;   /* taken as a whole */
    int32_t jobs;   /* shares */
    int64_t cpu_milli, mem_mib;
};
struct gy_holds {       /* how much of a job nodes can hold */
    int64_t full, rest; /* nodes for its full size and for its rest; for any split: GPUs, 0 */
};

struct gy_shadow {
    const struct gy_cluster *c;
    struct gy_ends *ends;
    const struct gy_shape *shape; /* NULL: none kept */
    uint32_t row;                 /* trace row of the job */
    gy_time at;                   /* the shadow time; GY_NEVER: running jobs alone do not make room */
    gy_time cursor;               /* ends up to here are in the overlay */
    bool earlier;                 /* room came back before it was expected: the time may move back */
    bool by_gpu;                  /* fractions are about: the overlay is kept for each GPU too */
    uint32_t epoch;
    struct gy_holds holds, need;
    GY_VEC(struct gy_room) room; /* by node */
    GY_VEC(int16_t) gpu_milli;   /* by GPU, when by_gpu */
    GY_VEC(uint8_t) eligible;    /* by class */
};
void gy_shadow_free(struct gy_shadow *s);
static inline void gy_shadow_forget(struct gy_shadow *s)
{
    s->shape = NULL;
}
/* From now on the overlay is kept by GPU, which fractions need: called before the first of them starts. Forgets the
 * shadow. False when out of memory. */
bool gy_shadow_by_gpu(struct gy_shadow *s, const struct gy_view *v);
/* Sets the shadow of a job that does not fit now. -1: out of memory. O(classes + ends until it fits). */
int gy_shadow_set(struct gy_shadow *s, const struct gy_view *v, struct gy_ends *ends, gy_job_id job);
/* Brings `at` up to date after starts, ends and time gone by. */
void gy_shadow_settle(struct gy_shadow *s, const struct gy_view *v);
/* A job has started (already booked and in ends); one has stopped (already released, still in ends). */
void gy_shadow_started(struct gy_shadow *s, const struct gy_view *v, gy_job_id job);
void gy_shadow_stopped(struct gy_shadow *s, const struct gy_view *v, gy_job_id job);

/* What the node holds at the shadow time now, and if the shares (all on that node) were taken for longer. */
struct gy_holds gy_shadow_node(const struct gy_shadow *s, gy_node_id node);
struct gy_holds gy_shadow_without(struct gy_shadow *s, const struct gy_share *shares, size_t n);
static inline bool gy_shadow_fits(const struct gy_shadow *s)
{
    return s->holds.full >= s->need.full && s->holds.rest >= s->need.rest;
}
#endif
