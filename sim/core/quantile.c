/* Exact statistics of a sample: sort once, then read. Not a sketch: all values are kept. Values are ordered as their
 * bit patterns are, made monotone: -0 before +0, NaN at the ends. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gy_quantile.h"
#include "gy_vec.h"

#define RADIX_BITS   11
#define RADIX_SIZE   (1u << RADIX_BITS)
#define RADIX_PASSES 6    /* 6 × 11 ≥ 64 */
#define RADIX_LEAST  2048 /* shorter samples go to qsort */

typedef uint64_t __attribute__((may_alias)) key_bits; /* lets doubles be turned into keys where they lie */

/* A double's bits as an integer in the same order, and back. */
static inline uint64_t key_of(uint64_t bits)
{
    return bits ^ ((uint64_t) - (int64_t)(bits >> 63) | (uint64_t)1 << 63);
}

static inline uint64_t bits_of(uint64_t key)
{
    return key ^ (((key >> 63) - 1) | (uint64_t)1 << 63);
}

static int compare(const void *a, const void *b)
{
    uint64_t x, y;

    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x = key_of(x);
    y = key_of(y);
    return (x > y) - (x < y);
}

/* Starts of the buckets of one pass; false when all keys fall into one, so that the pass can be left out. */
static bool bucket_starts(const size_t *count, size_t n, size_t *start)
{
    size_t sum = 0;

    for (size_t d = 0; d < RADIX_SIZE; d++) {
        if (count[d] == n)
            return false;
        start[d] = sum;
        sum += count[d];
    }
    return true;
}

/* Least significant digit first; false when out of memory, with at untouched. */
static bool radix_sort(double *at, size_t n)
{
    key_bits *from = (key_bits *)at, *to = malloc(n * sizeof *to);
    size_t(*count)[RADIX_SIZE] = calloc(RADIX_PASSES + 1, sizeof *count), *start;

    if (to == NULL || count == NULL) {
        free(to);
        free(count);
        return false;
    }
    key_bits *spare = to;
    start = count[RADIX_PASSES];
    for (size_t i = 0; i < n; i++) {
        uint64_t key = from[i] = key_of(from[i]);
        for (unsigned p = 0; p < RADIX_PASSES; p++)
            count[p][key >> (p * RADIX_BITS) & (RADIX_SIZE - 1)]++;
    }
    for (unsigned p = 0; p < RADIX_PASSES; p++) {
        if (!bucket_starts(count[p], n, start))
            continue;
        for (size_t i = 0; i < n; i++)
            to[start[from[i] >> (p * RADIX_BITS) & (RADIX_SIZE - 1)]++] = from[i];
        key_bits *swap = from;
        from = to;
        to = swap;
    }
    key_bits *out = (key_bits *)at;
    for (size_t i = 0; i < n; i++)
        out[i] = bits_of(from[i]);
    free(spare);
    free(count);
    return true;
}

static void sort(struct gy_sample *s)
{
    if (s->sorted)
        return;
    size_t i = 1;
    while (i < s->n && compare(&s->at[i - 1], &s->at[i]) <= 0)
        i++;
    if (i < s->n && (s->n < RADIX_LEAST || !radix_sort(s->at, s->n)))
        qsort(s->at, s->n, sizeof *s->at, compare);
    s->sorted = true;
}

bool gy_sample_add(struct gy_sample *s, double value)
{
    if (!gy_vec_push(s, value))
        return false;
    s->sorted = false;
    return true;
}

double gy_sample_mean(struct gy_sample *s)
{
    if (s->n == 0)
        return NAN;
    sort(s);
    return gy_sum(s->at, s->n) / (double)s->n;
}

double gy_sample_quantile(struct gy_sample *s, double q)
{
    if (s->n == 0 || isnan(q))
        return NAN;
    sort(s);

    double h = fmin(fmax(q, 0), 1) * (double)(s->n - 1);
    size_t i = (size_t)h;
    double part = h - (double)i, low = s->at[i], high = i + 1 < s->n ? s->at[i + 1] : low;
    if (part == 0 || low == high)
        return low;
    return part < 0.5 ? low + part * (high - low) : high - (1 - part) * (high - low);
}

double gy_sample_max(struct gy_sample *s)
{
    return gy_sample_quantile(s, 1);
}

void gy_sample_free(struct gy_sample *s)
{
    free(s->at);
    *s = (struct gy_sample){0};
}

/* Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974. */
double gy_sum(const double *at, size_t n)
{
    double sum = 0, lost = 0;

    for (size_t i = 0; i < n; i++) {
        double next = sum + at[i];
        lost += fabs(sum) >= fabs(at[i]) ? (sum - next) + at[i] : (at[i] - next) + sum;
        sum = next;
    }
    return isfinite(sum) ? sum + lost : sum;
}
