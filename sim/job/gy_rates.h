/* How placement and contention change a job's speed: a model told of starts and stops, asked once an instant which
 * rates changed. The engine multiplies the answer with the speed of the job's GPUs. The contract lives here,
 * implementations (fluid and flow networks) above. */
#ifndef GY_RATES_H
#define GY_RATES_H
#include "gy_job.h"

struct gy_rate_change {
    gy_job_id job;
    double factor;   /* work per time relative to the recorded run on nodes of speed 1; > 0 to go on, 0: stands still */
    const char *why; /* what holds it back, for people; valid until the next settle; NULL: not told */
};

struct gy_rates {
    void *self;
    /* The job holds these shares from now on (also after a move, which is told as stopped, then started). */
    int (*started)(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err);
    int (*stopped)(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err);
    /* After the scheduling pass of an instant in which something started or stopped, and at times that wake named: the
     * running jobs whose factor differs from what was last told (new jobs count as told 1). The array lives until the
     * next call. *wake: when to ask again though nothing starts or stops; GY_NEVER. */
    int (*settle)(void *self, gy_time now, const struct gy_rate_change **changes, size_t *n, gy_time *wake,
                  struct gy_error *err);
};
#endif
