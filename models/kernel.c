/* Kernel times on one GPU. The parameters come from calibrations; the default is the fit to H100 bf16. */
#include "gy_kernel.h"
#include <math.h>
#include <string.h>

#define H100_BF16                                                                                                      \
    {                                                                                                                  \
        0.686, -0.2456, 3.684, 1.669, 5.473, -0.1152, 0.6796, -1.073, 0.0404, 0.985, 15.04, 1.697                      \
    }
/* Parameters: logarithms unless said. 0 t0 (µs), 1 e, 2 m0, 3 n0, 4 k0, 5 em, 6 t1 (µs), 7 x, 8 δ (plain), 9 γ − 1,
 * 10 cache bytes, 11 cache gain, 12–17 shape: m², n², k², mn, mk, nk (plain). */
const double gy_gemm_default[GY_GEMM_PARAMETERS] = H100_BF16;

/* log2 of a side against 1024, in units of four doublings, held constant below 1 and above 65536. */
static double side(double v)
{
    double l = log2(v / 1024) / 4;
    return l < -2.5 ? -2.5 : l > 1.5 ? 1.5 : l;
}

double gy_gemm_formula(const double p[GY_GEMM_PARAMETERS], double peak, double bandwidth, double element_bytes,
                       double m, double n, double k)
{
    double flops = 2 * (m + exp(p[2])) * (n + exp(p[3])) * (k + exp(p[4]));
    double compute = flops / (peak * exp(p[1])) * 1e6 * pow(flops / 1e12, p[8]);
    double bytes = element_bytes * (m * k + k * n) + fmax(element_bytes, 2) * m * n;
    double cached = 1 / (1 + pow(bytes / exp(p[10]), 2));
    double memory = bytes / (bandwidth * exp(p[5]) * (1 + cached * exp(p[11]))) * 1e6;
    double gamma = 1 + exp(fmin(p[9], 3)), most = fmax(compute, memory);
    double both = most * pow(pow(compute / most, gamma) + pow(memory / most, gamma), 1 / gamma);
    double launch = exp(p[0]) + exp(p[6]) * pow(k / 1024, exp(p[7]));
    double a = side(m), b = side(n), c = side(k);
    double shape = p[12] * a * a + p[13] * b * b + p[14] * c * c + p[15] * a * b + p[16] * a * c + p[17] * b * c;
    return (launch + both) * exp(shape);
}

const struct gy_gemm_model *gy_gemm_model_for(const struct gy_calibration *cal, const struct gy_hw *hw,
                                              enum gy_precision p, bool *exact)
{
    static const struct gy_gemm_model fallback = {
        .hardware = "hgx-h100",
        .source = "fit to H100 bf16 GEMM tables",
        .dtype = GY_BF16,
        .p = H100_BF16,
        .error_median = NAN,
        .error_p95 = NAN,
    };
    const struct gy_gemm_model *best = &fallback;
    int score = 0;
    for (size_t i = 0; cal && i < cal->gemms.n; i++) {
        const struct gy_gemm_model *g = &cal->gemms.at[i];
        int s = 1 + 8 * !strcmp(g->hw->name, hw->name) + 4 * (g->hw->gpu.arch == hw->gpu.arch) +
                2 * (gy_precision_bytes_x8((enum gy_precision)g->dtype) == gy_precision_bytes_x8(p)) +
                3 * (!strcmp(g->hw->name, hw->name) && g->dtype == (int)p);
        if (s > score) {
            score = s;
            best = g;
        }
    }
    *exact = best->hw && !strcmp(best->hw->gpu.name, hw->gpu.name) &&
             gy_precision_bytes_x8((enum gy_precision)best->dtype) == gy_precision_bytes_x8(p);
    return best;
}

double gy_gemm_us(const struct gy_gemm_model *g, const struct gy_hw *hw, enum gy_precision p, double m, double n,
                  double k)
{
    if (!(m >= 1 && n >= 1 && k >= 1))
        return 0;
    return gy_gemm_formula(g->p, gy_hw_peak_tflops(hw, p) * 1e12, hw->gpu.hbm_gbps.value * 1e9,
                           (double)gy_precision_bytes_x8(p) / 8, m, n, k);
}

double gy_memory_us(const struct gy_hw *hw, double bytes)
{
    return 2.5 +
           bytes / (0.85 * hw->gpu.hbm_gbps.value * 1e9) * 1e6; /* a launch; streams reach about 85 % of the peak */
}
