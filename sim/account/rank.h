/* Order statistics of many groups at once: the values of all jobs are sorted once, in place, and read once; every group
 * picks its own ranks and sums its own mean on the way. 12 bytes a value, nothing copied by group. Quantiles and means
 * are those of gy_quantile.h. */
#ifndef GY_RANK_H
#define GY_RANK_H
#include <stdint.h>
#include <string.h>
#include "gy_account.h"

struct gy_rank_item { /* a value as a sortable key, and what it belongs to */
    uint32_t high, low, of;
};
/* Doubles' order as integers: negative ones with all bits turned, others with the sign bit. */
static inline struct gy_rank_item gy_rank_item_of(double value, uint32_t of)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= bits >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
    return (struct gy_rank_item){(uint32_t)(bits >> 32), (uint32_t)bits, of};
}

static inline double gy_rank_item_value(const struct gy_rank_item *i)
{
    uint64_t bits = (uint64_t)i->high << 32 | i->low;
    double value;
    bits ^= bits >> 63 ? (uint64_t)1 << 63 : UINT64_MAX;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* By value; in place; O(n). Equal values in any order. */
void gy_rank_sort(struct gy_rank_item *at, size_t n);

#define GY_RANKS 5 /* p50 p90 p95 p99 max */
struct gy_ranker {
    uint64_t seen, next; /* values read; rank of the next one wanted */
    double sum, lost;
    uint64_t n; /* values there will be */
    double low[GY_RANKS], high[GY_RANKS];
};
void gy_ranker_start(struct gy_ranker *r, uint64_t n);
void gy_ranker_hit(struct gy_ranker *r, double value); /* when seen == next */
struct gy_spread gy_ranker_spread(const struct gy_ranker *r);

/* The next value in order; Neumaier's compensated sum. */
static inline void gy_ranker_add(struct gy_ranker *r, double value)
{
    const double next = r->sum + value, a = value < 0 ? -value : value, s = r->sum < 0 ? -r->sum : r->sum;
    r->lost += s >= a ? (r->sum - next) + value : (value - next) + r->sum;
    r->sum = next;
    if (r->seen == r->next)
        gy_ranker_hit(r, value);
    r->seen++;
}
#endif
