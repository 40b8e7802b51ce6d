/* Statistics of one point's samples. */
#include "gy_probe.h"
#include "gy_quantile.h"

int gy_probe_timing_of(const double *sample_us, int n, struct gy_probe_timing *t)
{
    struct gy_sample s = {0};
    for (int i = 0; i < n; i++) {
        if (!gy_sample_add(&s, sample_us[i])) {
            gy_sample_free(&s);
            return -1;
        }
    }
    t->min_us = gy_sample_quantile(&s, 0);
    t->median_us = gy_sample_quantile(&s, 0.5);
    t->p95_us = gy_sample_quantile(&s, 0.95);
    t->mean_us = gy_sample_mean(&s);
    t->repeats = n;
    gy_sample_free(&s);
    return n > 0 ? 0 : -1;
}

int gy_probe_repeats(double batch_s, double cap_s, int wanted)
{
    if (!(batch_s > 0)) {
        return wanted;
    }
    double fit = cap_s / batch_s;
    return fit >= wanted ? wanted : fit < 1 ? 1 : (int)fit;
}
