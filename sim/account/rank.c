/* Sorting and reading of ranks. Not storage: the caller fills the items. */
#include "rank.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define FEW 32 /* so many items or fewer are sorted by insertion */

static uint64_t key_at(const struct gy_rank_item *i)
{
    return (uint64_t)i->high << 32 | i->low;
}

static void insertion_sort(struct gy_rank_item *at, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct gy_rank_item x = at[i];
        size_t k = i;
        for (; k > 0 && key_at(&at[k - 1]) > key_at(&x); k--)
            at[k] = at[k - 1];
        at[k] = x;
    }
}

/* The bits in which keys differ from the first; *sorted: whether they stand in order already. */
static uint64_t differing(const struct gy_rank_item *at, size_t n, bool *sorted)
{
    uint64_t differ = 0, before = key_at(&at[0]);
    unsigned back = 0;

    for (size_t i = 1; i < n; i++) {
        const uint64_t key = key_at(&at[i]);
        differ |= key ^ key_at(&at[0]);
        back |= key < before;
        before = key;
    }
    *sorted = !back;
    return differ;
}

/* Highest differing byte first, permuted in place along cycles (McIlroy, Bostic, McIlroy, "Engineering radix sort",
 * 1993). Bytes in which all keys agree cost nothing, so equal keys are cheap. */
static void sort(struct gy_rank_item *at, size_t n)
{
    size_t start[257] = {0}, next[256];
    bool sorted;

    if (n <= FEW) {
        insertion_sort(at, n);
        return;
    }
    const uint64_t differ = differing(at, n, &sorted);
    if (sorted)
        return;
    const int shift = (63 - __builtin_clzll(differ)) / 8 * 8;
    for (size_t i = 0; i < n; i++)
        start[(key_at(&at[i]) >> shift & 255) + 1]++;
    for (int b = 0; b < 256; b++) {
        start[b + 1] += start[b];
        next[b] = start[b];
    }
    for (unsigned b = 0; b < 256; b++) {
        while (next[b] < start[b + 1]) {
            struct gy_rank_item x = at[next[b]];
            unsigned to = key_at(&x) >> shift & 255;
            while (to != b) {
                const struct gy_rank_item y = at[next[to]];
                at[next[to]++] = x;
                x = y;
                to = key_at(&x) >> shift & 255;
            }
            at[next[b]++] = x;
        }
    }
    for (int b = 0; shift > 0 && b < 256; b++)
        if (start[b + 1] - start[b] > 1)
            sort(at + start[b], start[b + 1] - start[b]);
}

void gy_rank_sort(struct gy_rank_item *at, size_t n)
{
    if (n > 1)
        sort(at, n);
}

static const double wanted[GY_RANKS] = {0.5, 0.9, 0.95, 0.99, 1};

/* The two order statistics between which a quantile lies (type 7), and how far between. */
static uint64_t rank_of(const struct gy_ranker *r, int q, double *part)
{
    const double h = wanted[q] * (double)(r->n - 1);
    const uint64_t i = (uint64_t)h;
    *part = h - (double)i;
    return i;
}

void gy_ranker_start(struct gy_ranker *r, uint64_t n)
{
    double part;

    *r = (struct gy_ranker){.n = n, .next = UINT64_MAX};
    if (n)
        r->next = rank_of(r, 0, &part);
}

void gy_ranker_hit(struct gy_ranker *r, double value)
{
    r->next = UINT64_MAX;
    for (int q = 0; q < GY_RANKS; q++) {
        double part;
        const uint64_t low = rank_of(r, q, &part), high = low + 1 < r->n ? low + 1 : low;
        if (low == r->seen)
            r->low[q] = value;
        if (high == r->seen)
            r->high[q] = value;
        if (low > r->seen && low < r->next)
            r->next = low;
        if (high > r->seen && high < r->next)
            r->next = high;
    }
}

struct gy_spread gy_ranker_spread(const struct gy_ranker *r)
{
    double at[GY_RANKS];

    if (r->n == 0)
        return (struct gy_spread){0, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int q = 0; q < GY_RANKS; q++) {
        const double low = r->low[q], high = r->high[q];
        double part;
        rank_of(r, q, &part);
        at[q] = part == 0 || low == high ? low
                : part < 0.5             ? low + part * (high - low)
                                         : high - (1 - part) * (high - low);
    }
    const double sum = isfinite(r->sum) ? r->sum + r->lost : r->sum;
    return (struct gy_spread){r->n, sum / (double)r->n, at[0], at[1], at[2], at[3], at[4]};
}
