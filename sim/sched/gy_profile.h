/* What will be free on each node, and when: a short list of steps a node, from now to for ever, that running jobs and
 * reservations are taken out of. Answers "when could so much be had for so long". Books nothing in the cluster.
 *
 * Whole GPUs, CPUs, memory and the number of shares are kept. A partly taken GPU counts as not free until the last of
 * its holders is expected to end. A table of the first time at which a node has so many GPUs free (up to
 * GY_PROFILE_LEVELS) spares looking at most nodes. add: O(steps of the node). earliest: O(nodes) compares, and the
 * steps of the few nodes that may be better. */
#ifndef GY_PROFILE_H
#define GY_PROFILE_H
#include "gy_place.h"
#include "gy_policy.h"

#define GY_PROFILE_LEVELS 16
#define GY_PROFILE_BLOCK  32 /* nodes */

struct gy_step {
    gy_time at; /* holds until the next step */
    int64_t cpu_milli, mem_mib;
    int32_t gpus, shares;
};
struct gy_line {
    GY_VEC(struct gy_step) steps;
};
struct gy_amount { /* taken on one node */
    gy_node_id node;
    int32_t gpus, shares;
    int64_t cpu_milli, mem_mib;
};
typedef GY_VEC(struct gy_amount) gy_amounts;

struct gy_start { /* a node in a search for several */
    uint32_t node;
    bool known; /* at is a true start, not a bound */
    gy_time at;
};
typedef GY_VEC(struct gy_start) gy_starts;

struct gy_profile {
    const struct gy_cluster *c;
    gy_time now; /* steps that ended before are dropped as nodes change */
    uint32_t nodes, levels;
    GY_VEC(struct gy_line) line; /* by node */
    GY_VEC(gy_time) first;       /* [level * nodes + node] */
    GY_VEC(gy_time) low;         /* [level * blocks + block]: none of its nodes is earlier */
    uint32_t blocks;
    GY_VEC(uint32_t) klass;   /* by node */
    GY_VEC(uint8_t) up;       /* by node: as it was at the last reset */
    GY_VEC(uint8_t) eligible; /* by class, of the shape asked for */
    gy_starts full, rest;     /* in a search for several nodes */
    GY_VEC(gy_time) scratch;
};

int gy_profile_init(struct gy_profile *p, const struct gy_view *v, struct gy_error *err);
void gy_profile_free(struct gy_profile *p);
/* Every node as it is now, for ever; nodes that are not up hold nothing. False when out of memory, as below. */
bool gy_profile_reset(struct gy_profile *p, const struct gy_view *v);
/* Gives (sign 1) or takes (-1) the amount from `from` to before `to`; nothing when the node is not up. */
bool gy_profile_add(struct gy_profile *p, const struct gy_amount *a, gy_time from, gy_time to, int sign);

/* Until when the node has what is needed, from at on: at itself when it does not have it, GY_NEVER when for ever. */
gy_time gy_profile_until(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time at);
/* Earliest start in [p->now, before) on the node; GY_NEVER when none. */
gy_time gy_profile_on_node(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time length,
                           gy_time before);
/* The first and the last start in [p->now, before) on the node; false when none. */
bool gy_profile_starts(const struct gy_profile *p, gy_node_id n, const struct gy_need *need, gy_time length,
                       gy_time before, gy_time *first, gy_time *last);
/* The first time at which the node has as many GPUs as needed: no start is earlier. */
static inline gy_time gy_profile_first(const struct gy_profile *p, gy_node_id n, uint32_t gpus)
{
    const uint32_t level = gpus < p->levels ? gpus : p->levels - 1;
    const gy_time t = p->first.at[(size_t)level * p->nodes + n.i];
    return t > p->now ? t : p->now;
}
/* What the shape needs on its full nodes; fractions need whole GPUs here. */
struct gy_need gy_profile_need(const struct gy_shape *s);
struct gy_amount gy_profile_amount(const struct gy_profile *p, gy_node_id n, const struct gy_need *need);
/* Earliest start of the shape in [p->now, before), on the nodes of lowest ids, which go to out. GY_NEVER when none; out
 * is of no use then. No start before `from` is possible, as the caller knows (p->now when it knows nothing). *nomem is
 * set when memory ran out. */
gy_time gy_profile_earliest(struct gy_profile *p, const struct gy_shape *s, gy_time length, gy_time from,
                            gy_time before, gy_amounts *out, bool *nomem);
#endif
