/* Exact statistics of a sample: all values are kept (8 bytes each). Quantiles interpolate linearly between order
 * statistics (Hyndman and Fan's type 7, as numpy and GSL do). The mean sums the sorted values with compensation, so it
 * does not depend on the order in which they came. */
#ifndef GY_QUANTILE_H
#define GY_QUANTILE_H
#include <stdbool.h>
#include <stddef.h>

struct gy_sample {
    double *at;
    size_t n, cap;
    bool sorted;
};
bool gy_sample_add(struct gy_sample *s, double value);
double gy_sample_mean(struct gy_sample *s);               /* NaN when empty, as are the next two */
double gy_sample_quantile(struct gy_sample *s, double q); /* q in [0, 1] */
double gy_sample_max(struct gy_sample *s);
void gy_sample_free(struct gy_sample *s);
/* Sum in the given order with Neumaier's compensation. */
double gy_sum(const double *at, size_t n);
#endif
