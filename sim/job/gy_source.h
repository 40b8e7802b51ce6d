/* Where the engine's jobs come from: a stream in order of submit time. Implemented by the loaded trace (traces/) and by
 * generators; contracts live in the lower folder, implementations above. */
#ifndef GY_SOURCE_H
#define GY_SOURCE_H
#include "gy_job.h"

struct gy_source {
    void *self;
    /* 1: *rec is the next job; 0: the end; -1: err. Called only forwards; may not block. */
    int (*next)(void *self, struct gy_job_rec *rec, struct gy_error *err);
    const struct gy_dep *deps;        /* table that dep_first points into, NULL when none */
    const struct gy_strings *strings; /* names used by the records */
    uint64_t count;                   /* number of records when known, else 0: for progress and ETA */
};
#endif
