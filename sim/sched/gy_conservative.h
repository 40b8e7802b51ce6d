/* Conservative backfill's insides, shared by backfill_conservative.c (passes), reservations.c (who holds what),
 * improve.c (what could start earlier) and holders.c (what running jobs take out of the profile). */
#ifndef GY_CONSERVATIVE_H
#define GY_CONSERVATIVE_H
#include "gy_profile.h"
#include "gy_sched.h"
#include "gy_shadow.h"

struct gy_reserved { /* by job row */
    bool in;
    struct gy_item item; /* its place in the queue */
    uint32_t lane;
    gy_time estimate, start; /* planned start; GY_NEVER: none can be told (nodes are down) */
    gy_amounts nodes;
    uint64_t tested; /* what was freed up to here has been looked at for it */
};
struct gy_freed { /* the last time something was freed on a node: a count, not a clock */
    uint32_t node;
    uint64_t when;
};
struct gy_holder { /* a running job's part of GPUs */
    uint32_t gpu;  /* index in the cluster */
    uint32_t job;  /* row */
    gy_time until;
};
typedef GY_VEC(struct gy_holder) gy_holders;

struct gy_conservative {
    struct gy_profile profile;
    struct gy_ends ends;             /* of running jobs, as the profile has them */
    GY_VEC(struct gy_reserved) rows; /* by job row */
    GY_VEC(struct gy_item) order;    /* reserved jobs in queue order */
    struct gy_blist starts;          /* reserved jobs by planned start */
    GY_VEC(struct gy_freed) freed;   /* a node is in it once */
    GY_VEC(uint32_t) freed_at;       /* by node: index in freed, UINT32_MAX */
    uint64_t clock, pass_clock;      /* of freed; at the beginning of the last whole pass */
    GY_VEC(gy_holders) holders;      /* by node: fractions */
    gy_amounts found;                /* of the last search */
    gy_time woken;                   /* the wake last asked for */
    bool rebuild;                    /* the profile no longer holds */
    bool compress;                   /* something was freed since the last pass */
};

/* holders.c. All: false when out of memory. */
bool gy_cons_started(struct gy_conservative *c, const struct gy_view *v,
                     gy_job_id job); /* takes it out of the profile */
bool gy_cons_stopped(struct gy_conservative *c, const struct gy_view *v, gy_job_id job);
bool gy_cons_running(struct gy_conservative *c,
                     const struct gy_view *v); /* profile and holders anew from running jobs */
/* Running jobs that should have ended get a later end; true in *any when there were such. */
bool gy_cons_overdue(struct gy_conservative *c, const struct gy_view *v, bool *any);
/* Until when shares on one node could be held from now on without touching the profile's other uses; exact below
 * now + length. */
gy_time gy_cons_window(const struct gy_conservative *c, const struct gy_share *shares, size_t n, bool exclusive,
                       gy_time length);

/* reservations.c */
void gy_cons_free(struct gy_conservative *c);
bool gy_cons_enter(struct gy_conservative *c, const struct gy_queued *q, gy_job_id job,
                   gy_time estimate);                         /* without a start */
void gy_cons_leave(struct gy_conservative *c, gy_job_id job); /* its place in order; the reservation is gone already */
bool gy_cons_reserve(struct gy_conservative *c, gy_job_id job, gy_time start, const gy_amounts *nodes);
/* Out of the profile, and back; the planned start stays listed. */
bool gy_cons_lift(struct gy_conservative *c, const struct gy_reserved *r);
bool gy_cons_put_back(struct gy_conservative *c, const struct gy_reserved *r);
void gy_cons_unlist(struct gy_conservative *c, const struct gy_reserved *r); /* its planned start */
bool gy_cons_note_freed(struct gy_conservative *c, gy_node_id node);
void gy_cons_trim_freed(struct gy_conservative *c); /* forgets what every job has been tested for */

/* improve.c: whether a start before the planned one may be possible, for it must use a node where something was freed
 * since the last test; and, for a job that is lifted, the earliest such start, on c->found (GY_NEVER: none). */
bool gy_cons_may_improve(const struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s);
gy_time gy_cons_improve(struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s, bool *nomem);

static inline bool gy_cons_has(const struct gy_conservative *c, gy_job_id job)
{
    return job.i < c->rows.n && c->rows.at[job.i].in;
}
#endif
