/* Slurm's passes as pure functions of (free capacity, running jobs, queue order, now, configuration): what the
 * recordings of Slurm 22.05.8 test pass by pass, and what the policy "slurm" (slurm.c) calls on the engine. No clock,
 * no engine, no trace here. Times are whole seconds, as in the controller; node sets are bit sets in 64-bit words.
 * Rules: sim/sched/SLURM.md. */
#ifndef GY_SLURM_H
#define GY_SLURM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_vec.h"

#define GY_SLURM_MAX_S (INT64_C(1) << 40) /* later than every time a pass computes with */

struct gy_slurm_amount { /* of one node */
    uint32_t gpus;
    uint64_t cpu_milli; /* UINT64_MAX: not modelled on this node */
    uint64_t mem_mib;   /* the same */
};
struct gy_slurm_hold { /* what a job has on one node */
    uint32_t node;
    struct gy_slurm_amount amount;
};
struct gy_slurm_run {  /* a running job */
    uint32_t id;       /* the caller's */
    int64_t end_s;     /* start + limit */
    uint32_t first, n; /* its holds in the state's array, ascending nodes */
};

struct gy_slurm_switch {
    uint32_t level;  /* 0: a leaf */
    uint32_t *nodes; /* ascending; owned by the topology */
    uint32_t n;
};
struct gy_slurm_topo { /* switches sorted by level; a node is below at most one leaf */
    GY_VEC(struct gy_slurm_switch) switches;
};

struct gy_slurm_config {
    int64_t bf_window_s;       /* plans no further ahead; 86400 */
    int64_t bf_resolution_s;   /* promises are rounded down to it; 60 */
    uint32_t bf_max_job_test;  /* jobs looked at by a backfill pass; 0: all */
    uint32_t bf_max_job_user;  /* of them a user; 0: all */
    uint32_t bf_max_job_start; /* started by one pass; 0: all */
    int64_t kill_wait_s;       /* a job past its limit is expected to go so long after it; 30 */
    int64_t phase_s; /* the controller's absolute time at the caller's time 0: time windows are aligned to it */
    bool lln;        /* CR_LLN: least loaded nodes, by free CPUs; overrides topology and switches */
    const struct gy_slurm_topo *topo; /* NULL: none */
};

/* The cluster as a pass sees it; a pass books what it starts. */
struct gy_slurm_state {
    uint32_t nodes, words;
    struct gy_slurm_amount *cap, *free; /* a node */
    uint32_t *jobs;                     /* running on it */
    uint64_t *up;                       /* bit: may take new jobs */
    GY_VEC(struct gy_slurm_run) runs;   /* ascending (end_s, id) */
    GY_VEC(struct gy_slurm_hold) holds;
};
bool gy_slurm_state_init(struct gy_slurm_state *s, uint32_t nodes); /* all up and without capacity; false: no memory */
void gy_slurm_state_free(struct gy_slurm_state *s);
void gy_slurm_state_reset(struct gy_slurm_state *s); /* nobody runs, everything that cap says is free */
/* Adds a running job and takes what it holds. False: out of memory. */
bool gy_slurm_state_add(struct gy_slurm_state *s, uint32_t id, int64_t end_s, const struct gy_slurm_hold *holds,
                        uint32_t n);

/* A pending job. */
struct gy_slurm_job {
    uint32_t id;
    uint32_t user;                 /* for bf_max_job_user */
    uint32_t nodes;                /* full nodes */
    struct gy_slurm_amount amount; /* on each */
    struct gy_slurm_amount rest;   /* on one more node; has_rest */
    bool has_rest;
    bool exclusive; /* nodes with nobody on them only */
    int64_t limit_s;
    int64_t submit_s;
    uint32_t switches;       /* at most so many leaves; 0: any */
    int64_t switch_wait_s;   /* for so long after submission */
    const uint64_t *allowed; /* nodes of its partition, features, types; NULL: all */
};

struct gy_slurm_scratch; /* buffers of a pass; reused from pass to pass */
struct gy_slurm_scratch *gy_slurm_scratch_new(uint32_t nodes);
void gy_slurm_scratch_free(struct gy_slurm_scratch *s);

enum gy_slurm_word {
    GY_SLURM_START,   /* starts now on nodes */
    GY_SLURM_PLAN,    /* promised nodes from start to end */
    GY_SLURM_OVERLAP, /* the plan would have overlapped a promise: looked for later */
    GY_SLURM_BLOCKED, /* main pass: waits for resources and blocks its partition's nodes */
    GY_SLURM_BEHIND,  /* main pass: behind a blocked job */
    GY_SLURM_NEVER    /* backfill: no time within the window was found */
};
struct gy_slurm_answer {
    enum gy_slurm_word word;
    const struct gy_slurm_job *job;
    int64_t start_s, end_s; /* OVERLAP: as rounded; PLAN: start as found, end as rounded */
    const uint64_t *nodes;  /* chosen; valid during the call */
    uint32_t rest_node;     /* the node of the rest, UINT32_MAX none */
};
/* Told in order. For GY_SLURM_START it may refuse by returning false (limits, licences): the job then stays pending and
 * nothing is booked. */
struct gy_slurm_sink {
    bool (*tell)(void *ctx, const struct gy_slurm_answer *a);
    void *ctx;
};

/* Nodes for a job out of `usable` given what is free, into out. False when it does not fit. O(nodes). */
bool gy_slurm_pick(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_amount *free,
                   const uint32_t *jobs, const struct gy_slurm_job *j, const uint64_t *usable, int64_t now_s,
                   uint64_t *out, uint32_t *rest_node);
/* When and where a job can run on usable nodes: now, or after running jobs end in groups. Returns the start, or
 * GY_SLURM_MAX_S when never. O(nodes + holds of running jobs) and a pick a group. */
int64_t gy_slurm_will_run(struct gy_slurm_scratch *w, const struct gy_slurm_config *c, const struct gy_slurm_state *s,
                          const struct gy_slurm_job *j, const uint64_t *usable, int64_t now_s, uint64_t *out,
                          uint32_t *rest_node);

/* A pass in progress: begin, then the jobs in queue order until the answer is not GY_SLURM_NEXT. */
struct gy_slurm_pass {
    struct gy_slurm_scratch *w;
    const struct gy_slurm_config *c;
    struct gy_slurm_state *s;
    int64_t now;
    bool strict; /* main pass: sched/builtin, the first job that does not fit ends it */
    struct gy_slurm_sink sink;
    uint32_t tested, started;
};
enum gy_slurm_step { GY_SLURM_NEXT, GY_SLURM_LAST, GY_SLURM_NO_MEMORY };
bool gy_slurm_backfill_begin(struct gy_slurm_pass *p);
enum gy_slurm_step gy_slurm_backfill_job(struct gy_slurm_pass *p, const struct gy_slurm_job *j);
/* Main pass: the first job of a partition that finds no resources blocks the partition's nodes for all later ones. */
void gy_slurm_main_begin(struct gy_slurm_pass *p);
enum gy_slurm_step gy_slurm_main_job(struct gy_slurm_pass *p, const struct gy_slurm_job *j);
#endif
