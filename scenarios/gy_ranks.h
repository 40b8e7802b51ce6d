/* Several processes of one sweep. MPI is one implementation, in a module that is loaded only under mpirun. */
#ifndef GY_RANKS_H
#define GY_RANKS_H
#include <stddef.h>
#include "gy_error.h"

/* A message is bytes between a rank and rank 0. Only one thread of a process calls at a time. */
struct gy_ranks {
    int rank, size;
    int (*send)(int to, const void *bytes, size_t n);
    /* Rank 0: the next message of anybody. Others: of rank 0. free() *bytes. wait false: 1 at once when none is there.
     */
    int (*receive)(int wait, int *from, void **bytes, size_t *n);
    void (*finish)(void); /* once, when all is said */
};
#define GY_RANKS_SYMBOL "gy_ranks_start"
typedef int gy_ranks_start_fn(struct gy_ranks *out); /* what the module exports; not 0: it failed */

/* 1: this process is one of several, *out is filled. 0: it is alone. -1 with err: it should be one of several and the
 * module cannot be loaded. */
int gy_ranks_open(struct gy_ranks *out, struct gy_error *err);
#endif
