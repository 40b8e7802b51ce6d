/* Marks of an integral, thinned out as time grows. */
#include "series.h"
#include <math.h>

/* Every second mark goes. */
static void widen(struct gy_series *s)
{
    for (uint32_t k = 0; k < (s->n + 1) / 2; k++)
        s->mark[k] = s->mark[2 * k];
    s->n = (s->n + 1) / 2;
    s->width *= 2;
}

void gy_series_add(struct gy_series *s, int64_t value, gy_time from, gy_time to)
{
    if (s->width == 0) {
        s->start = s->last = from;
        s->width = GY_SECOND;
    }
    while ((to - s->start) / s->width >= GY_SERIES_MARKS)
        widen(s);
    while (s->start + (gy_time)s->n * s->width <= to) {
        const gy_time at = s->start + (gy_time)s->n * s->width;
        s->mark[s->n++] = s->area + (gy_gpu_time)value * (at - s->last);
    }
    s->area += (gy_gpu_time)value * (to - s->last);
    s->last = to;
}

double gy_series_area(const struct gy_series *s, double t)
{
    if (s->n == 0)
        return 0;
    const double k = floor(t / (double)s->width);
    const uint32_t i = k < (double)s->n - 1 ? (uint32_t)k : s->n - 1;
    const double t0 = (double)i * (double)s->width, a0 = (double)s->mark[i];
    const double t1 = i + 1 < s->n ? t0 + (double)s->width : (double)(s->last - s->start);
    const double a1 = i + 1 < s->n ? (double)s->mark[i + 1] : (double)s->area;
    return t1 > t0 ? a0 + (a1 - a0) * (t - t0) / (t1 - t0) : a0;
}
