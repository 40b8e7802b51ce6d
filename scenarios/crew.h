/* What the threads of a sweep share; and, under mpirun, the thread that serves the other ranks. */
#ifndef GY_CREW_H
#define GY_CREW_H
#include <pthread.h>
#include "gy_sweep.h"

struct gy_crew { /* changed under the lock */
    const struct gy_sweep *s;
    struct gy_store *store;
    const struct gy_sweep_options *o;
    struct gy_sweep_outcome *outcome;
    pthread_mutex_t lock;
    GY_VEC(size_t) todo;
    size_t next;
    bool failed;
    struct gy_error err; /* the first */
};

bool gy_crew_take(struct gy_crew *c, size_t *point); /* false: nothing is left, or it is to end */
int gy_crew_store(struct gy_crew *c, size_t point, const struct gy_metric *m, size_t n, struct gy_error *err);
void gy_crew_note(struct gy_crew *c, int rc, const struct gy_error *err); /* of a point: > 0 stopped, < 0 failed */
/* Hands points to the other ranks as they free up and stores what they send, until all of them were told to stop.
 * With work false they are told so at once. */
void gy_ranks_serve(struct gy_crew *c, const struct gy_ranks *ranks, bool work);
#endif
