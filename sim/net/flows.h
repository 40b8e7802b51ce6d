/* Inside of gy_flows: groups of flows, instants, and the tables that flows.c and flows_event.c share. */
#ifndef FLOWS_H
#define FLOWS_H
#include "gy_flows.h"
#include "gy_hash.h"
#include "gy_heap.h"
#include "gy_solver.h"
#include "gy_vec.h"

#define TICKS 1024 /* a nanosecond */

struct instant {
    gy_time ns; /* GY_NEVER: not at all */
    uint32_t tick;
};

struct flow {
    double bytes, weight;
    double due; /* service of its group at which it ends */
    double cap; /* before its group exists */
    uint64_t tag;
    size_t first; /* its links, before its group exists: in `paths` of a start event */
    uint32_t n;
};

/* Flows with the same links: one variable of the solver, whose id is the group's index. Service is bytes a unit of
 * weight since the group began; a flow is due at the service of its start plus bytes/weight. All groups that one link
 * holds back run at the link's level, so the link keeps one clock of service for them, and a group only its distance to
 * it. */
struct group {
    double served;             /* held by its cap: service at `since`; held by a link: service minus the link's clock */
    double due;                /* the least of its flows */
    double level;              /* held by its cap: bytes/s a unit of weight */
    struct instant since, end; /* held by its cap */
    uint32_t owner;            /* link that holds it, GY_SOLVER_NONE: its cap */
    uint32_t n;
    uint32_t only;         /* the one flow, while n is 1 */
    gy_heap_handle handle; /* of its own end event, while its cap holds it */
    struct gy_heap flows;  /* by due, while n is more than 1 */
    uint64_t key;          /* in by_path */
    bool mapped;
};

struct link_event {
    double clock, level; /* service at `since`, and how fast it grows */
    double least;        /* no group that it holds is due before its clock shows this; infinite without any */
    struct instant since, end;
    gy_heap_handle handle;
    bool listed; /* in `renew` */
    bool sort;   /* find `least` again */
};

struct gy_flows {
    struct gy_solver *solver;
    uint32_t n_links;
    gy_time *latency;
    struct link_event *event;
    struct gy_flow_load *load;
    GY_VEC(struct group) groups;
    GY_VEC(struct flow) flows;
    GY_VEC(uint32_t) free_flows;
    GY_VEC(uint32_t) paths; /* links of flows that have not started */
    size_t paths_waiting;   /* flows whose links lie in there */
    struct gy_map by_path;
    struct gy_heap heap;
    struct instant now;
    GY_VEC(struct gy_flow_end) ended;
    GY_VEC(uint64_t) batch; /* payloads of the events of one instant */
    GY_VEC(double) target;  /* of a group held by a link: what the link's clock shows when it is due */
    GY_VEC(uint32_t) renew; /* links whose next end must be found again */
    GY_VEC(uint32_t) again; /* groups held by their caps likewise */
    size_t active;
    uint64_t events;
    bool stale; /* capacities changed since the last solve */
    bool failed;
};

/* Payloads of the heap: a kind, then an index. Ends go before starts. */
#define EVENT_LINK  ((uint64_t)0 << 32)
#define EVENT_GROUP ((uint64_t)1 << 32)
#define EVENT_START ((uint64_t)2 << 32)

static inline bool before(struct instant a, struct instant b)
{
    return a.ns != b.ns ? a.ns < b.ns : a.tick < b.tick;
}

double instant_diff_s(struct instant a, struct instant b);
struct instant instant_after(struct instant t, double seconds);
void flows_begin(struct gy_flows *f, uint32_t flow);           /* its latency is over */
void flows_complete(struct gy_flows *f, uint32_t group);       /* its flows that are due now end */
double flows_served(const struct gy_flows *f, uint32_t group); /* its service now */
double link_clock(const struct gy_flows *f, uint32_t link);    /* now */
void flows_renew(struct gy_flows *f, uint32_t link, bool sort);
#endif
