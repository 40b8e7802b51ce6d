/* What a collective must leave in a rank's receive buffer, so that a wrong sum is an error and not a fast result.
 * Buffers follow nccl-tests: the size of a row is the larger of the two buffers. send_recv is a ring shift by one. */
#include "gy_probe.h"

const char *gy_probe_op_name(enum gy_probe_op op)
{
    static const char *const names[GY_PROBE_OPS] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                                    "reduce",     "all_to_all", "send_recv"};
    return (unsigned)op < GY_PROBE_OPS ? names[op] : "?";
}

double gy_probe_bus_factor(enum gy_probe_op op, int ranks)
{
    double n = ranks;
    switch (op) {
    case GY_PROBE_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case GY_PROBE_ALL_GATHER:
    case GY_PROBE_REDUCE_SCATTER:
    case GY_PROBE_ALL_TO_ALL:
        return (n - 1) / n;
    default:
        return ranks > 1 ? 1 : 0;
    }
}

bool gy_probe_op_in_place(enum gy_probe_op op)
{
    return op != GY_PROBE_ALL_TO_ALL && op != GY_PROBE_SEND_RECV;
}

struct gy_probe_counts gy_probe_op_counts(enum gy_probe_op op, uint64_t bytes, int ranks)
{
    uint64_t n = (uint64_t)ranks, total = bytes / sizeof(float), part = total / n;
    struct gy_probe_counts c = {total, total, total * sizeof(float)};
    if (op == GY_PROBE_ALL_GATHER) {
        c = (struct gy_probe_counts){part, part * n, part * n * sizeof(float)};
    } else if (op == GY_PROBE_REDUCE_SCATTER) {
        c = (struct gy_probe_counts){part * n, part, part * n * sizeof(float)};
    } else if (op == GY_PROBE_ALL_TO_ALL) {
        c = (struct gy_probe_counts){part * n, part * n, part * n * sizeof(float)};
    }
    return c;
}

void gy_probe_table_of_rank(int rank, struct gy_probe_table *t)
{
    for (unsigned i = 0; i < GY_PROBE_PERIOD; i++) {
        t->at[i] = (float)gy_probe_pattern((uint64_t)rank, i);
    }
}

void gy_probe_table_sum(int ranks, struct gy_probe_table *t)
{
    for (unsigned i = 0; i < GY_PROBE_PERIOD; i++) {
        unsigned sum = 0;
        for (int r = 0; r < ranks; r++) {
            sum += gy_probe_pattern((uint64_t)r, i);
        }
        t->at[i] = (float)sum;
    }
}

int gy_probe_expect_segments(enum gy_probe_op op, int ranks, int rank)
{
    switch (op) {
    case GY_PROBE_ALL_GATHER:
    case GY_PROBE_ALL_TO_ALL:
        return ranks;
    case GY_PROBE_REDUCE:
        return rank == 0 ? 1 : 0;
    default:
        return 1;
    }
}

void gy_probe_expect_at(enum gy_probe_op op, struct gy_probe_counts c, int ranks, int rank, int k,
                        struct gy_probe_expect *e)
{
    uint64_t part = c.recv / (uint64_t)ranks;
    *e = (struct gy_probe_expect){.offset = 0, .count = c.recv};
    switch (op) {
    case GY_PROBE_ALL_REDUCE:
    case GY_PROBE_REDUCE:
        gy_probe_table_sum(ranks, &e->table);
        return;
    case GY_PROBE_REDUCE_SCATTER:
        gy_probe_table_sum(ranks, &e->table);
        e->shift = (unsigned)((uint64_t)rank * c.recv % GY_PROBE_PERIOD);
        return;
    case GY_PROBE_BROADCAST:
        gy_probe_table_of_rank(0, &e->table);
        return;
    case GY_PROBE_SEND_RECV:
        gy_probe_table_of_rank((rank - 1 + ranks) % ranks, &e->table);
        return;
    default: /* all_gather, all_to_all: block k came from rank k */
        e->offset = (uint64_t)k * part;
        e->count = part;
        gy_probe_table_of_rank(k, &e->table);
        e->shift = op == GY_PROBE_ALL_TO_ALL ? (unsigned)((uint64_t)rank * part % GY_PROBE_PERIOD) : 0;
        return;
    }
}
