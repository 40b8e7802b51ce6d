/* What is free on every node while a run's stays come and go, and whether a job of a shape would fit. GPUs only: CPUs,
 * memory, GPU types, partitions and who may use what are not looked at. */
#ifndef GY_OCCUPANCY_H
#define GY_OCCUPANCY_H
#include "gy_history.h"

struct gy_occupied_node {
    const char *name;
    uint32_t gpus; /* as the scenario says, or as far as placements reach */
    bool away;     /* down, drained or absent */
    int64_t used;  /* thousandths of GPUs */
};

struct gy_stay_end_at {
    gy_time to;
    uint32_t stay;
};

struct gy_occupancy {
    GY_VEC(struct gy_occupied_node) nodes;
    struct gy_map by_name;
    struct gy_strings *names;
    const struct gy_history *h;
    GY_VEC(struct gy_stay_end_at) ends; /* in order */
    size_t next_from, next_end, next_change;
    gy_time now;
};

int gy_occupancy_open(const struct gy_run *run, const struct gy_history *h, struct gy_occupancy *o,
                      struct gy_error *err);
void gy_occupancy_close(struct gy_occupancy *o);
/* Ends at t give back, starts at t take: forward in time only. With `starts` false those that start at t itself do not.
 */
void gy_occupancy_to(struct gy_occupancy *o, gy_time t, bool starts);
/* The next instant after now, up to `until`, at which something ends or a node changes; GY_NEVER when none. */
gy_time gy_occupancy_next(const struct gy_occupancy *o, gy_time until);

struct gy_fit {
    int64_t free, total; /* thousandths of GPUs on nodes that are there */
    uint32_t nodes;      /* with enough free for one part of the job */
    int64_t largest;     /* free on the freest node */
};
struct gy_fit gy_occupancy_fit(const struct gy_occupancy *o, int64_t part_milli);
#endif
