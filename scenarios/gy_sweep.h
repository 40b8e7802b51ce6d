/* Sweeps: the points of a study run side by side, each result stored as it is finished, what is stored never run again.
 *
 * gy_sweep_prepare resolves every point (all errors before anything runs), gives it an id — the SHA-256 of all that its
 * result depends on: version, resolved scenario, seed, contents of its files — and loads each different trace and
 * cluster once, to be shared by all threads. Results do not depend on the number of threads, shards or ranks. */
#ifndef GY_SWEEP_H
#define GY_SWEEP_H
#include "gy_one_run.h"
#include "gy_ranks.h"
#include "gy_store.h"
#include "gy_study.h"

struct gy_point {
    char id[65];
    uint32_t inputs; /* index into the sweep's inputs */
};

struct gy_sweep {
    const struct gy_study *study;
    GY_VEC(struct gy_point) points;
    GY_VEC(struct gy_inputs *) inputs;
    struct gy_arena arena;
};

/* The study must outlive the sweep. NULL with diags. */
struct gy_sweep *gy_sweep_prepare(const struct gy_study *study, struct gy_diags *diags);
void gy_sweep_free(struct gy_sweep *s);

/* One point in memory, from start to end; reentrant. As gy_one_run. */
int gy_sweep_point(const struct gy_sweep *s, size_t point, const volatile int *stop_flag, gy_one_run_take *take,
                   void *ctx, struct gy_error *err);
/* The point's setting as a JSON object of its axes. In arena; NULL when out of memory. */
const char *gy_sweep_setting(const struct gy_sweep *s, size_t point, struct gy_arena *arena);

struct gy_sweep_options {
    unsigned threads;             /* at least 1 */
    size_t shard, shards;         /* this process does points p with p % shards == shard */
    const struct gy_ranks *ranks; /* NULL: this process is alone; else it is rank 0 of several */
    const volatile int *stop_flag;
    void (*progress)(void *ctx, size_t done, size_t total); /* one thread at a time; may be NULL */
    void *ctx;
};
struct gy_sweep_outcome {
    size_t total, found, ran; /* of this shard: points; in the store already; run now */
    bool stopped;
};
/* Runs what the store lacks. 0, or -1 with the first error (results finished before it are stored). */
int gy_sweep_run(const struct gy_sweep *s, struct gy_store *store, const struct gy_sweep_options *o,
                 struct gy_sweep_outcome *outcome, struct gy_error *err);

/* The part of a rank that is not 0: runs what rank 0 hands out until that says stop. s is NULL where it could not be
 * prepared here; err then says why and is passed on. 0, or -1 with err. */
int gy_sweep_help(const struct gy_sweep *s, const struct gy_ranks *ranks, const struct gy_sweep_options *o,
                  struct gy_error *err);

/* Tells the other ranks that there is nothing to do: for a rank 0 that fails before gy_sweep_run. */
void gy_sweep_dismiss(const struct gy_ranks *ranks);

/* All points in order, as CSV: point, id, seed, a column an axis, a column a metric. Every point must be stored. */
int gy_sweep_write_csv(const struct gy_sweep *s, struct gy_store *store, struct gy_writer *to, struct gy_error *err);
int gy_sweep_write_json(const struct gy_sweep *s, struct gy_store *store, struct gy_writer *to, struct gy_error *err);
#endif
