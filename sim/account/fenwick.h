/* Prefix sums over small indices that change: a Fenwick tree of 64-bit integers. Add and sum are O(log n). */
#ifndef GY_FENWICK_H
#define GY_FENWICK_H
#include <stdint.h>

struct gy_fenwick {
    int64_t *at; /* n + 1 zeroed cells, the caller's */
    uint32_t n;
};

static inline void gy_fenwick_add(struct gy_fenwick *f, uint32_t i, int64_t x)
{
    for (i++; i <= f->n; i += i & -i)
        f->at[i] += x;
}

/* Sum over indices < i. */
static inline int64_t gy_fenwick_below(const struct gy_fenwick *f, uint32_t i)
{
    int64_t sum = 0;
    for (; i > 0; i -= i & -i)
        sum += f->at[i];
    return sum;
}
#endif
