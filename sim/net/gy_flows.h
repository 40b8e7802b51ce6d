/* Flows on links, from start to end: each carries bytes over its links at its max-min fair rate (gy_solver.h), which
 * changes whenever another flow starts or ends. No packets, no windows, no losses.
 *
 * A flow that starts at t loads its links from t + Σ latency on, until its last byte. Time is integer nanoseconds with
 * ten binary digits below (about 1 ps), in which ends are ordered; ends within such a tick are one event. Flows with
 * the same links and no cap of their own share one variable of the solver, so many flows on few paths cost O(log n)
 * each. Otherwise an event costs what the solver must touch: at most the connected component of flows that share links.
 * The next end is kept a link (all flows that one link holds back rise and fall together), in a heap. */
#ifndef GY_FLOWS_H
#define GY_FLOWS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_time.h"

struct gy_flow_link {
    double capacity; /* bytes per second, ≥ 0, finite */
    gy_time latency; /* ≥ 0 */
};

struct gy_flow_end {
    uint64_t tag;  /* as given at the start */
    gy_time end;   /* the whole nanosecond in which it ends */
    double past_s; /* seconds past that, in [0, 1e-9) */
};

struct gy_flow_load { /* of one link */
    double bytes;     /* carried by flows that have ended */
    double peak;      /* highest load so far, bytes per second */
};

struct gy_flows;
struct gy_flows *gy_flows_new(const struct gy_flow_link *links, uint32_t n_links); /* copies; NULL when out of memory */
void gy_flows_free(struct gy_flows *f);

/* A flow of bytes ≥ 0 over links (ids < n_links) from `at` on, which must not lie before the last advance. weight > 0;
 * cap INFINITY for none, bytes per second. False when out of memory. */
bool gy_flows_start(struct gy_flows *f, gy_time at, double bytes, const uint32_t *links, size_t n, double weight,
                    double cap, uint64_t tag);
/* A failure (0), a degraded link, a repair; takes effect at the instant of the last advance. */
bool gy_flows_set_capacity(struct gy_flows *f, uint32_t link, double capacity);

/* The nanosecond of the next event (an end, or a flow's first byte); GY_NEVER: nothing will happen. */
gy_time gy_flows_next(const struct gy_flows *f);
/* Moves on over all events up to and within nanosecond `until`, or with `one` over the first instant only; lists what
 * ended. False when out of memory. */
bool gy_flows_advance(struct gy_flows *f, gy_time until, bool one);
const struct gy_flow_end *gy_flows_ended(const struct gy_flows *f, size_t *n); /* of the last advance, in order */

size_t gy_flows_active(const struct gy_flows *f); /* started and not ended, stalled ones included */
double gy_flows_load_now(const struct gy_flows *f, uint32_t link);
struct gy_flow_load gy_flows_load(const struct gy_flows *f, uint32_t link);
uint64_t gy_flows_events(const struct gy_flows *f); /* instants at which rates were solved again */

/* A closed set of flows, replayed to completion. */
struct gy_flow {
    gy_time start;
    double bytes;
    size_t first; /* its links are path[first … first + n - 1] */
    uint32_t n;
};
struct gy_flows_result {
    double *end_s;             /* a flow: seconds; INFINITY when it stalls for ever on a dead link */
    struct gy_flow_load *load; /* a link */
    double makespan_s;         /* last end - first start, of flows that ended */
    uint64_t events;
    size_t stalled;
};
/* Checks its input: errors name the flow (by index) and what is wrong. Free the result with gy_flows_result_free. */
int gy_flows_replay(const struct gy_flow_link *links, uint32_t n_links, const struct gy_flow *flows, size_t n_flows,
                    const uint32_t *path, struct gy_flows_result *result, struct gy_error *err);
void gy_flows_result_free(struct gy_flows_result *r);
#endif
