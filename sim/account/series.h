/* The integral of a step function over a time whose end is not known beforehand, in bounded memory: marks at equal
 * distances, whose distance doubles when they run out, so that between 256 and 512 remain. The integral is exact at the
 * marks and at the end, and read by straight lines between. */
#ifndef GY_SERIES_H
#define GY_SERIES_H
#include "gy_account.h"

#define GY_SERIES_MARKS 512
struct gy_series {
    gy_time start, last, width; /* marks stand at start + k × width; width 0: nothing yet */
    gy_gpu_time area;           /* from start to last */
    uint32_t n;
    gy_gpu_time mark[GY_SERIES_MARKS];
};
/* The value held from `from` (the last call's `to`) until `to` > from. */
void gy_series_add(struct gy_series *s, int64_t value, gy_time from, gy_time to);
/* The integral from start to start + t, for t in [0, last − start]. */
double gy_series_area(const struct gy_series *s, double t);
#endif
