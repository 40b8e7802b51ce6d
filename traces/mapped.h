/* A CSV whose columns are known by name and meaning: gpuyard's own trace format, and anybody's export through a map of
 * column names. Internal. The list of columns is one table, which the CSV writer uses too. */
#ifndef GY_MAPPED_H
#define GY_MAPPED_H
#include "reader.h"

#define GY_COLUMNS(X)                                                                                                  \
    X(JOB_ID, "job_id", ID)                                                                                            \
    X(SUBMIT, "submit_s", CLOCK)                                                                                       \
    X(DURATION, "duration_s", TIME)                                                                                    \
    X(GPUS, "gpus", GPUS)                                                                                              \
    X(NODES, "nodes", COUNT)                                                                                           \
    X(PER_NODE, "gpus_per_node", COUNT)                                                                                \
    X(GPU_TYPE, "gpu_type", TEXT)                                                                                      \
    X(FRACTION, "gpu_fraction", GPUS)                                                                                  \
    X(MIG, "mig_profile", TEXT)                                                                                        \
    X(CPUS, "cpus", CPUS)                                                                                              \
    X(MEM, "mem_gib", MEMORY)                                                                                          \
    X(USER, "user", TEXT)                                                                                              \
    X(TEAM, "team", TEXT)                                                                                              \
    X(PARTITION, "partition", TEXT)                                                                                    \
    X(QOS, "qos", TEXT)                                                                                                \
    X(PRIORITY, "priority", INTEGER)                                                                                   \
    X(LIMIT, "limit_s", TIME)                                                                                          \
    X(STATE, "state", STATE)                                                                                           \
    X(WORKLOAD, "workload", TEXT)                                                                                      \
    X(MIN_GPUS, "min_gpus", COUNT)                                                                                     \
    X(MAX_GPUS, "max_gpus", COUNT)                                                                                     \
    X(DEPENDS, "depends_on", DEPENDS)                                                                                  \
    X(ARRAY, "array_id", TEXT)                                                                                         \
    X(GANG, "gang", TEXT)                                                                                              \
    X(CHECKPOINT, "checkpoint_s", TIME)                                                                                \
    X(IDLE_TAIL, "idle_tail_s", TIME)                                                                                  \
    X(CANCEL, "cancel_s", CLOCK)         /* beyond the contract: cancelled then if still pending */                    \
    X(ARRAY_LIMIT, "array_limit", COUNT) /* at most so many tasks of array_id at once */                               \
    X(CONSTRAINT, "constraint", TEXT)                                                                                  \
    X(START, "start_s", CLOCK) /* "csv" only: with end_s in place of duration_s */                                     \
    X(END, "end_s", CLOCK)
enum gy_column {
#define X(id, name, kind) GY_C_##id,
    GY_COLUMNS(X)
#undef X
        GY_C_COUNT
};
enum gy_column_kind {
    GY_K_ID,
    GY_K_CLOCK,
    GY_K_TIME,
    GY_K_GPUS,
    GY_K_COUNT,
    GY_K_CPUS,
    GY_K_MEMORY,
    GY_K_TEXT,
    GY_K_INTEGER,
    GY_K_STATE,
    GY_K_DEPENDS
};
extern const char *const gy_column_name[GY_C_COUNT];
extern const uint8_t gy_column_kind[GY_C_COUNT];

enum gy_clock { GY_CLOCK_SECONDS, GY_CLOCK_EPOCH, GY_CLOCK_DATETIME, GY_CLOCK_AUTO };
struct gy_map_column {
    int at;                      /* column of the file, -1 none */
    const char *constant;        /* instead of a column, NULL none */
    int64_t scale;               /* ns, milli-GPU, milli-core or bytes in one of its units */
    uint8_t clock;               /* enum gy_clock */
    const struct gy_json *words; /* STATE: {"their word": "our word"}, NULL none */
};
struct gy_mapped {
    struct gy_map_column of[GY_C_COUNT];
    size_t columns;     /* of the header */
    uint8_t clock_seen; /* of the first row: 0 not yet, 1 seconds, 2 calendar; the other rows must be of its kind */
};

void gy_mapped_init(struct gy_mapped *m, enum gy_clock clock);
int gy_mapped_next(struct gy_reader *r, struct gy_mapped *m, struct gy_job_rec *rec, struct gy_error *err);
#endif
