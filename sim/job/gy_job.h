/* Jobs: the record that a trace gives (const), the shape of what it asks for (interned), and the live row while it is
 * in the system. Rows of ended jobs are reused, so memory follows live jobs. */
#ifndef GY_JOB_H
#define GY_JOB_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_cluster.h"
#include "gy_error.h"
#include "gy_str.h"
#include "gy_time.h"
#include "gy_vec.h"

typedef struct {
    uint32_t i;
} gy_job_id; /* a live row */
#define GY_JOB_NONE ((gy_job_id){UINT32_MAX})

enum gy_job_state { /* how a job stands or ended; names as in jobs.csv */
#define GY_JOB_STATES(X)                                                                                               \
    X(GY_PENDING, "pending")                                                                                           \
    X(GY_RUNNING, "running")                                                                                           \
    X(GY_SUSPENDED, "suspended")                                                                                       \
    X(GY_COMPLETED, "completed")                                                                                       \
    X(GY_FAILED, "failed")                                                                                             \
    X(GY_CANCELLED, "cancelled")                                                                                       \
    X(GY_TIMEOUT, "timeout")                                                                                           \
    X(GY_NODE_FAIL, "node_fail")                                                                                       \
    X(GY_REJECTED, "rejected") /* can never fit; counted as failed, with its reason */
#define X(id, name) id,
                    GY_JOB_STATES(X)
#undef X
};
const char *gy_job_state_name(enum gy_job_state s);

/* One job of a trace. Times in ns since the trace's zero; GY_NONE where not given. Strings are ids of the trace's
 * table. */
struct gy_job_rec {
    gy_time submit;
    gy_time duration;   /* run time at the reference placement and speed; GY_NEVER: until the simulation stops */
    gy_time limit;      /* requested wall-clock limit, GY_NONE: none */
    gy_time cancel;     /* cancelled at this time if still pending then, GY_NONE: never */
    gy_time checkpoint; /* work between checkpoints, GY_NONE: no checkpoints (a restart begins anew) */
    gy_time idle_tail;  /* part of the duration at its end in which the GPUs are held idle */
    uint64_t number;    /* the job's id when it is a plain decimal number and name is 0 */
    gy_str name;        /* the job's id otherwise */
    gy_str user, team, partition, qos, gpu_type, workload, array, gang, constraint, mig_profile;
    uint32_t gpus;               /* whole GPUs in total, or number of GPUs shared when gpu_milli < 1000 */
    uint32_t gpu_milli;          /* of each GPU; 1000 whole */
    uint32_t nodes;              /* 0: as few as possible; an uneven share is cut as ceil(gpus/nodes) each and a rest */
    uint32_t gpus_per_node;      /* 0: follows from gpus and nodes */
    uint32_t min_gpus, max_gpus; /* elastic range, 0: rigid */
    uint32_t array_limit;        /* of this array, at most so many tasks at once; 0: no throttle */
    uint64_t cpu_milli;          /* in total; 0: not given */
    uint64_t mem_mib;            /* in total; 0: not given */
    int32_t priority;
    uint8_t end_state;         /* enum gy_job_state with which it ends after its duration */
    bool exclusive;            /* wants its nodes for itself */
    bool depended_on;          /* some other job waits for its end */
    uint32_t dep_first, dep_n; /* its dependencies in the trace's table */
    uint32_t row;              /* index in the trace, by submit time; set by the loader */
};

enum gy_dep_kind { GY_DEP_AFTEROK, GY_DEP_AFTERANY, GY_DEP_AFTERNOTOK, GY_DEP_AFTER };
struct gy_dep {
    uint32_t row; /* the record waited for; UINT32_MAX: not in the trace (counts as ended well) */
    uint8_t kind;
};

/* Prints the job's id. buf ≥ 24 bytes is used for numbers. */
const char *gy_job_rec_id(const struct gy_job_rec *r, const struct gy_strings *s, char *buf);

/* What a job asks for, resolved against the cluster: q nodes of `gpus` each and, when rest > 0, one more of rest.
 * Jobs that ask for the same thing share one shape, so what cannot fit is found out once for all of them. */
struct gy_shape {
    uint32_t gpus;       /* whole GPUs on each full node; 0 for CPU jobs and fractions */
    uint32_t full_nodes; /* nodes of that size */
    uint32_t rest;       /* GPUs on one more node, < gpus; 0: none */
    uint32_t fraction;   /* milli-GPU on `fraction_gpus` GPUs of one node; 0: whole GPUs */
    uint32_t fraction_gpus;
    bool any_split;              /* total GPUs over any nodes in any amounts: gpus is then the total, full_nodes 0 */
    bool exclusive;              /* whole nodes */
    uint64_t cpu_milli, mem_mib; /* on each full node */
    uint64_t rest_cpu_milli, rest_mem_mib;
    uint64_t cpu_milli_total, mem_mib_total; /* for any_split, divided by GPUs */
    gy_str partition, gpu_type, constraint;  /* 0: any */
    uint32_t total_gpus;                     /* whole GPUs in total, for sorting */
    /* resolved: */
    uint32_t *classes; /* eligible node classes, ascending */
    uint32_t n_classes;
    const char *never; /* why it can never fit on this cluster, NULL if it can */
};
struct gy_shapes; /* the interning table */
struct gy_shapes *gy_shapes_new(const struct gy_cluster *c, bool any_split);
void gy_shapes_free(struct gy_shapes *s);
/* The shape's id; UINT32_MAX when out of memory. */
uint32_t gy_shapes_of(struct gy_shapes *s, const struct gy_job_rec *r);
const struct gy_shape *gy_shape_at(const struct gy_shapes *s, uint32_t id);
uint32_t gy_shapes_count(const struct gy_shapes *s);

/* A live job. */
struct gy_job {
    struct gy_job_rec rec;
    uint32_t shape;
    uint8_t state;        /* enum gy_job_state */
    uint8_t reason;       /* enum gy_reason while pending */
    bool in_queue;        /* the policy may start it */
    uint32_t generation;  /* of the row */
    gy_time eligible;     /* when it may first start: submit, or its dependencies' end */
    gy_time queued;       /* when it last entered the queue (eligible, or its preemption) */
    gy_time first_start;  /* GY_NONE before */
    gy_time start;        /* of the present run */
    gy_time expected_end; /* start + limit (or + duration when there is no limit): what schedulers may know */
    gy_time updated;      /* work_left was true then */
    gy_time work_left;    /* ns of work at rate 1 */
    gy_time work_kept;    /* done and safe (checkpointed) */
    gy_time served;       /* wall time run so far, all runs */
    gy_time attained;     /* GPU-time in ns·GPU (milli rounded down) attained so far, all runs */
    double speed;         /* of its slowest GPU, 1 unless nodes say otherwise */
    double factor;        /* of the rate model, 1 without one */
    double rate;          /* work per time: speed × factor */
    struct gy_share *shares;
    uint32_t n_shares;
    uint32_t preemptions, restarts;
    uint32_t end_handle;    /* heap handle of its end event */
    uint32_t prev, next;    /* pending list, in order of queued time */
    uint32_t waiting_on;    /* dependencies not yet ended */
    __int128 lost_ns_milli; /* GPU-milli·ns of work lost; 64 bits would hold only 2,562 GPU-hours */
};

/* Why a pending job is pending; every pending job has one. Texts are for people and events.jsonl. */
#define GY_REASONS(X)                                                                                                  \
    X(GY_R_NONE, "none", "not looked at yet")                                                                          \
    X(GY_R_DEPENDENCY, "dependency", "waits for the jobs it depends on")                                               \
    X(GY_R_PRIORITY, "priority", "jobs ahead of it in the queue wait")                                                 \
    X(GY_R_RESOURCES, "resources", "not enough free GPUs, CPUs or memory")                                             \
    X(GY_R_FRAGMENTED, "fragmentation", "enough GPUs are free, but not on nodes that can hold it")                     \
    X(GY_R_RESERVED, "reservation", "would delay a job that has a reservation")                                        \
    X(GY_R_QUOTA, "quota", "its team or queue is at its quota")                                                        \
    X(GY_R_TOPOLOGY, "topology", "no placement with the wanted topology")                                              \
    X(GY_R_ARRAY, "array", "its array runs as many tasks as it may")                                                   \
    X(GY_R_GANG, "gang", "not all members of its gang can start")                                                      \
    X(GY_R_HELD, "held", "held by user, administrator or policy")                                                      \
    X(GY_R_DOWN, "down", "the nodes it needs are down or drained")                                                     \
    X(GY_R_BACKOFF, "backoff", "waits before it is tried again")                                                       \
    X(GY_R_NO_LIMIT, "no_limit", "the policy needs a time limit and the job has none")
enum gy_reason {
#define X(id, name, text) id,
    GY_REASONS(X)
#undef X
        GY_R_COUNT
};
const char *gy_reason_name(enum gy_reason r);
const char *gy_reason_text(enum gy_reason r);

/* GPU amount of a job in thousandths. */
static inline int64_t gy_job_gpu_milli(const struct gy_job_rec *r)
{
    return (int64_t)r->gpus * r->gpu_milli;
}
#endif
