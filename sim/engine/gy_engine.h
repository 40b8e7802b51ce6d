/* The event loop: the world moves, then the policy thinks once, then the sinks listen. One object a simulation; many
 * may run side by side. Knows no file format, no report, no policy by name.
 *
 * Events of one instant run in this order of classes, ties by sequence: ends, repairs, failures and other capacity
 * changes, arrivals and cancellations, timers; then one scheduling pass; then samples. */
#ifndef GY_ENGINE_H
#define GY_ENGINE_H
#include "gy_observer.h"
#include "gy_rates.h"
#include "gy_source.h"

struct gy_sim_config {
    const struct gy_cluster_spec *cluster; /* const, may be shared between simulations */
    struct gy_source source;               /* consumed */
    const struct gy_policy_type *policy;
    const void *policy_params;    /* as the type's table lays out */
    const struct gy_rates *rates; /* NULL: placement and contention do not change run times */
    uint64_t seed;
    gy_time stop_at;               /* GY_NEVER: until everything has ended or can never start */
    gy_time sample_every;          /* GY_NEVER: no samples */
    bool requeue_on_failure;       /* jobs on a failed node go back to the queue, else they end as node_fail */
    gy_time requeue_delay;         /* before a preempted or failed job may start again */
    bool any_split;                /* jobs that name no shape may be split over nodes in any way */
    bool report_holds;             /* tell observers GY_E_HOLD and GY_E_RESERVE */
    const volatile int *stop_flag; /* when it becomes non-zero the run ends as partial; may be NULL */
    void (*progress)(void *ctx, gy_time now, uint64_t jobs_arrived,
                     uint64_t jobs_ended); /* now and then; may be NULL */
    void *progress_ctx;
};

struct gy_sim_result {
    gy_time first_submit, last_end, end; /* end: time of the last event, or stop_at; GY_NONE without any job */
    uint64_t events;                     /* popped from the queue or arrived */
    uint64_t passes;                     /* decide calls */
    uint64_t digest;                     /* of the whole event stream */
    bool partial;                        /* ended by stop_flag */
    bool deadlock;                       /* ended with pending jobs although nothing could change any more */
};

/* Runs one simulation from start to end. observers are told in the given order. 0, or -1 with err. */
int gy_sim_run(const struct gy_sim_config *config, const struct gy_observer *observers, size_t n_observers,
               struct gy_sim_result *result, struct gy_error *err);
#endif
