/* The course of a run as its folder tells it: the jobs of jobs.csv, and the stays: which GPUs each job held from when
 * to when. Stays come from events.jsonl where the run wrote it, and are then exact. From jobs.csv alone they are exact
 * for jobs that were never preempted or moved; of a preempted job only the last stay's GPUs are known and its beginning
 * is taken as its end less the time it ran, not before its first start.
 *
 * Texts live as long as the history. Times are nanoseconds, GY_NONE where the run has none. O(rows) memory. */
#ifndef GY_HISTORY_H
#define GY_HISTORY_H
#include "gy_runfolder.h"
#include "gy_str.h"
#include "gy_time.h"

/* Rows of one of the folder's tables: column texts in the order asked for. Returns 0, or what fn returned if not 0, or
 * -1 with err: unreadable, a column missing, a row of another width. */
int gy_rows_read(const char *path, const char *const *columns, size_t n,
                 int (*fn)(void *ctx, const char *const *field, struct gy_error *err), void *ctx, struct gy_error *err);

struct gy_past_job {
    const char *id, *user, *team, *partition, *state, *reason, *placement, *cost, *energy;
    double gpus, slowdown; /* slowdown NaN where it has none */
    uint32_t nodes, preemptions, restarts;
    gy_time submit, eligible, start, end, wait, run;
    const char *gpu_seconds, *lost_gpu_seconds; /* exact decimals */
};

enum gy_stay_end { GY_STAY_END, GY_STAY_PREEMPT, GY_STAY_RESIZE, GY_STAY_LEFT };
struct gy_stay {
    uint32_t job; /* index into jobs */
    gy_time from, to;
    const char *placement;
    enum gy_stay_end how;
};

struct gy_node_change {
    gy_time at;
    const char *node, *state;
};

struct gy_history {
    GY_VEC(struct gy_past_job) jobs; /* by submit, then the order of jobs.csv */
    GY_VEC(struct gy_stay) stays;    /* by from, then job */
    GY_VEC(struct gy_node_change) changes;
    bool from_events;
    bool has_events_file;
    size_t unknown; /* jobs whose earlier stays are not known */
    gy_time end;    /* of the run */
    struct gy_map by_id;
    struct gy_arena arena;
    struct gy_strings *texts;
};
int gy_history_load(const struct gy_run *run, struct gy_history *out, struct gy_error *err);
void gy_history_free(struct gy_history *h);
/* The index of the job of this id, or SIZE_MAX; of several with one id the first. */
size_t gy_history_find(const struct gy_history *h, const char *id);
const char *gy_history_path(const struct gy_run *run, const char *name, char *buf, size_t size); /* "RUN/name" */
bool gy_history_has(const struct gy_run *run, const char *name);

/* The parts of a placement "n3:0-3;n4:0,1;n5:2@460;n6": fn is told node (len bytes), GPUs [low, high) and thousandths
 * of each; low = high = 0 for a node without GPUs. Text that is no placement ends the walk quietly. */
void gy_placement_each(const char *placement,
                       void (*fn)(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli),
                       void *ctx);
#endif
