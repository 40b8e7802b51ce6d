/* Everything built in, by one line each: an id in C and the name in a scenario. The arrays of gy_policy.h and
 * gy_parts.h and the choices of parameter tables all come from these lines. */
#ifndef GY_REGISTRY_H
#define GY_REGISTRY_H
#include "gy_parts.h"
#include "gy_sched.h"

#define GY_ORDERS(X)                                                                                                   \
    X(fifo, "fifo")                                                                                                    \
    X(sjf, "sjf")                                                                                                      \
    X(ljf, "ljf")                                                                                                      \
    X(smallest, "smallest")                                                                                            \
    X(largest, "largest")                                                                                              \
    X(priority, "priority")
#define GY_PLACES(X)                                                                                                   \
    X(first, "first")                                                                                                  \
    X(pack, "pack")                                                                                                    \
    X(spread, "spread")                                                                                                \
    X(random, "random")                                                                                                \
    X(topology, "topology")
#define GY_BACKFILLS(X)                                                                                                \
    X(none, "none")                                                                                                    \
    X(easy, "easy")                                                                                                    \
    X(easy_batsched, "easy-batsched")                                                                                  \
    X(conservative, "conservative")
#define GY_POLICIES(X)                                                                                                 \
    X(composed, "composed")                                                                                            \
    X(fifo, "fifo")                                                                                                    \
    X(sjf, "sjf")                                                                                                      \
    X(easy, "easy")                                                                                                    \
    X(conservative, "conservative")                                                                                    \
    X(slurm, "slurm")

#define X(id, name) extern const struct gy_order_type gy_order_##id;
GY_ORDERS(X)
#undef X
#define X(id, name) extern const struct gy_place_type gy_place_##id;
GY_PLACES(X)
#undef X
#define X(id, name) extern const struct gy_backfill_type gy_backfill_##id;
GY_BACKFILLS(X)
#undef X
#define X(id, name) extern const struct gy_policy_type gy_policy_##id;
GY_POLICIES(X)
#undef X

/* "a|b|c" for a parameter table of choices, in the order of the list. */
#define GY_CHOICE_(id, name) "|" name
#define GY_CHOICES(list)     (&(list(GY_CHOICE_))[1])
#endif
