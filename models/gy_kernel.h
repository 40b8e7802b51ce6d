/* Time of kernels on one GPU: GEMM by shape and precision, memory traffic, launches. Pure functions; µs.
 *
 * GEMM of m × n × k: t = (launch + (compute^γ + memory^γ)^(1/γ)) · shape, where
 *   compute = 2(m+m0)(n+n0)(k+k0)/(P·e) · (flops/10^12)^δ   (tiles are rounded up; large ones throttle),
 *   memory = bytes/(B·em), faster where it fits a cache,
 *   launch = t0 + t1·(k/1024)^x,
 *   shape = exp of a small quadratic form in the logarithms of m, n and k.
 * P and B are the GPU's peak rates, so parameters fitted on one GPU can stand in for a relative. */
#ifndef GY_KERNEL_H
#define GY_KERNEL_H
#include "gy_calibration.h"

/* The model to use for hardware and precision: that of the GPU itself, else of the nearest relative, else the default
 * (fitted to H100 bf16). Never NULL. exact says which. */
const struct gy_gemm_model *gy_gemm_model_for(const struct gy_calibration *cal, const struct gy_hw *hw,
                                              enum gy_precision p, bool *exact);
double gy_gemm_us(const struct gy_gemm_model *g, const struct gy_hw *hw, enum gy_precision p, double m, double n,
                  double k);
/* The formula on bare numbers: peak rate in operations/s, bandwidth in bytes/s. Used by the fit. */
double gy_gemm_formula(const double p[GY_GEMM_PARAMETERS], double peak, double bandwidth, double element_bytes,
                       double m, double n, double k);
/* A kernel that only moves bytes through device memory (copy, elementwise, normalisation). */
double gy_memory_us(const struct gy_hw *hw, double bytes);
extern const double gy_gemm_default[GY_GEMM_PARAMETERS];
#endif
