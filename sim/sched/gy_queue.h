/* The pending jobs of a policy, in order, apart by shape: what cannot be placed for one job cannot for any other of its
 * shape, so a pass drops a whole lane at the first failure. Decides nothing. Borrows the view; owned by the policy.
 *
 * push, remove: O(log lanes + log blocks + block). head: O(1). A scan merges lanes in queue order: O(log lanes) an
 * entry. */
#ifndef GY_QUEUE_H
#define GY_QUEUE_H
#include "gy_blist.h"
#include "gy_policy.h"

#define GY_LANE_NONE UINT32_MAX

enum gy_lane_mode {                /* what the last pass found for a lane; stands until something is freed */
                    GY_LANE_OPEN,  /* not tried or still fits */
                    GY_LANE_SHORT, /* only jobs that end before the reservations may fit */
                    GY_LANE_CLOSED /* does not fit at all now */
};

struct gy_lane {          /* jobs of one shape */
    struct gy_blist list; /* value: the estimate */
    uint32_t group;
    uint32_t in_group; /* index among the group's lanes, GY_LANE_NONE while empty */
    uint32_t in_heads; /* index in the heap of heads, GY_LANE_NONE while empty */
    uint8_t mode, why; /* enum gy_lane_mode, enum gy_reason of the last failure */
    uint64_t mode_of;  /* the round (gy_queue.round) in which mode was set */
    uint64_t reopened; /* the round in which it was last opened again for what nodes gave back */
};

struct gy_lane_need {
    uint32_t lane;
    uint64_t cpu_milli, mem_mib; /* the least that it needs on one node */
};
struct gy_lane_group { /* lanes whose shapes differ in CPUs and memory only: one answer of gy_shape_may_fit serves them
                        * all
                        */
    uint32_t like;     /* a shape */
    uint32_t open;     /* lanes[0 … open-1] are open or short, those behind are closed */
    GY_VEC(struct gy_lane_need) lanes; /* that are not empty */
};

struct gy_head { /* an entry of the heaps */
    struct gy_item item;
    uint32_t lane;
};

struct gy_queued { /* by job row: where it is */
    struct gy_item item;
    uint32_t lane; /* GY_LANE_NONE: not in the queue */
};

struct gy_queue {                 /* zeroed: empty */
    GY_VEC(struct gy_lane) lanes; /* by shape id */
    GY_VEC(struct gy_lane_group) groups;
    GY_VEC(struct gy_head) heads;  /* heap: the first entry of each lane that is not empty */
    GY_VEC(struct gy_queued) rows; /* by job row */
    uint32_t n;
    uint64_t round; /* modes of lanes hold for one round */
};

void gy_queue_free(struct gy_queue *q);
/* key: smaller goes first. False when out of memory. */
bool gy_queue_push(struct gy_queue *q, const struct gy_view *v, gy_job_id job, double key, gy_time estimate);
void gy_queue_remove(struct gy_queue *q, gy_job_id job); /* does nothing for a job that is not in it */
static inline bool gy_queue_has(const struct gy_queue *q, gy_job_id job)
{
    return job.i < q->rows.n && q->rows.at[job.i].lane != GY_LANE_NONE;
}
/* Removes the job of a row, whose place in its lane's list is known; pos then names the entry that followed it. */
void gy_queue_erase_(struct gy_queue *q, uint32_t row, struct gy_blist_pos *pos);
gy_job_id gy_queue_head(const struct gy_queue *q);       /* GY_JOB_NONE when empty */
void gy_queue_reopen(struct gy_queue *q, uint32_t lane); /* that is not empty */
void gy_queue_reopen_all(struct gy_queue *q);
enum gy_lane_mode gy_queue_mode(const struct gy_queue *q, uint32_t lane);
void gy_queue_set_mode(struct gy_queue *q, uint32_t lane, enum gy_lane_mode mode, enum gy_reason why);

/* A walk over the queue in order, which may remove the entry it stands on and leave the rest of a lane out. */
struct gy_scan_lane {
    struct gy_item item;
    uint32_t lane;
    struct gy_blist_pos pos;
    gy_time estimate;
};
struct gy_scan {
    struct gy_queue *q;
    GY_VEC(struct gy_scan_lane) heap; /* at[0] is where it stands, while n > 0 */
};
void gy_scan_clear(struct gy_scan *s, struct gy_queue *q);
/* Adds a lane, from its first entry whose estimate is at most max. False when out of memory. */
bool gy_scan_add(struct gy_scan *s, uint32_t lane, gy_time max);
/* Goes on. The lane it stood on goes on with the next entry whose estimate is at most max. */
void gy_scan_next(struct gy_scan *s, gy_time max);
void gy_scan_drop(struct gy_scan *s);              /* goes on; the lane it stood on is left out from here */
void gy_scan_take(struct gy_scan *s, gy_time max); /* removes the entry from the queue, then as gy_scan_next */
#endif
