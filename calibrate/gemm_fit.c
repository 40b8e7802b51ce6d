/* GEMM parameters by robust least squares of log(time): two thirds of the shapes train, every third is held out and its
 * error goes into the file. Large tables are thinned evenly; nothing is random. */
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_fit.h"

#define MOST_ROWS 6000

struct shapes {
    const struct gy_gemm_row **at;
    size_t n;
    double peak, bandwidth, element;
};

static int residuals(const gsl_vector *p, void *data, gsl_vector *out)
{
    const struct shapes *s = data;
    double par[GY_GEMM_PARAMETERS];
    for (int i = 0; i < GY_GEMM_PARAMETERS; i++)
        par[i] = gsl_vector_get(p, (size_t)i);
    for (size_t i = 0; i < s->n; i++) {
        const struct gy_gemm_row *r = s->at[i];
        double us = gy_gemm_formula(par, s->peak, s->bandwidth, s->element, r->m, r->n, r->k);
        gsl_vector_set(out, i, isfinite(us) && us > 0 ? log(us / r->time_us) : 50);
    }
    return GSL_SUCCESS;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int solve(struct shapes *train, double par[GY_GEMM_PARAMETERS], struct gy_error *err)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    how.trs = gsl_multifit_nlinear_trs_lmaccel;
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .n = train->n, .p = GY_GEMM_PARAMETERS, .params = train};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, train->n, fdf.p);
    gsl_vector *p = gsl_vector_alloc(fdf.p), *weight = gsl_vector_alloc(train->n);
    double *size = malloc(train->n * sizeof *size);
    int rc = w && p && weight && size ? 0 : gy_nomem(err);
    if (!rc) {
        gsl_vector_set_all(weight, 1);
        for (int round = 0; round < 4; round++) {
            int info;
            for (int i = 0; i < GY_GEMM_PARAMETERS; i++)
                gsl_vector_set(p, (size_t)i, par[i]);
            gsl_multifit_nlinear_winit(p, weight, &fdf, w);
            gsl_multifit_nlinear_driver(60, 1e-7, 1e-7, 0, NULL, NULL, &info, w);
            for (int i = 0; i < GY_GEMM_PARAMETERS; i++) /* a log of -40 is a plain 0: no need to go further */
                par[i] = fmax(gsl_vector_get(gsl_multifit_nlinear_position(w), (size_t)i), -40);
            residuals(gsl_multifit_nlinear_position(w), train, gsl_multifit_nlinear_residual(w));
            for (size_t i = 0; i < train->n; i++)
                size[i] = fabs(gsl_vector_get(gsl_multifit_nlinear_residual(w), i));
            qsort(size, train->n, sizeof *size, ascending);
            double scale = 1.4826 * size[train->n / 2] * 2.385;
            for (size_t i = 0; scale > 1e-9 && i < train->n; i++) {
                double r = gsl_vector_get(gsl_multifit_nlinear_residual(w), i) / scale;
                gsl_vector_set(weight, i, 1 / (1 + r * r));
            }
        }
    }
    if (w)
        gsl_multifit_nlinear_free(w);
    if (p)
        gsl_vector_free(p);
    if (weight)
        gsl_vector_free(weight);
    free(size);
    return rc;
}

int gy_fit_gemm(const struct gy_gemm_set *s, struct gy_gemm_model *g, struct gy_error *err)
{
    int dtype = gy_precision_of(s->dtype);
    if (dtype < 0)
        return gy_fail(err, GY_EINPUT, s->source, "no data type named \"%s\"", s->dtype);
    if (s->rows.n < 3 * GY_GEMM_PARAMETERS)
        return gy_fail(err, GY_EINPUT, s->source, "%zu GEMM shapes, wanted at least %d", s->rows.n,
                       3 * GY_GEMM_PARAMETERS);
    struct shapes train = {.at = malloc(s->rows.n * sizeof *train.at),
                           .peak = gy_hw_peak_tflops(g->hw, (enum gy_precision)dtype) * 1e12,
                           .bandwidth = g->hw->gpu.hbm_gbps.value * 1e9,
                           .element = (double)gy_precision_bytes_x8((enum gy_precision)dtype) / 8};
    double *error = malloc(s->rows.n * sizeof *error);
    int rc = train.at && error ? 0 : gy_nomem(err);
    g->dtype = dtype;
    g->rows = (int)s->rows.n;
    memcpy(g->p, gy_gemm_default, sizeof g->p);
    size_t stride = (s->rows.n * 2 / 3 + MOST_ROWS - 1) / MOST_ROWS, seen = 0, held = 0;
    for (size_t i = 0; !rc && i < s->rows.n; i++)
        if (i % 3 != 1 && seen++ % stride == 0)
            train.at[train.n++] = &s->rows.at[i];
    if (!rc)
        rc = solve(&train, g->p, err);
    for (size_t i = 1; !rc && i < s->rows.n; i += 3) {
        const struct gy_gemm_row *r = &s->rows.at[i];
        error[held++] =
            fabs(gy_gemm_formula(g->p, train.peak, train.bandwidth, train.element, r->m, r->n, r->k) / r->time_us - 1);
    }
    if (!rc) {
        qsort(error, held, sizeof *error, ascending);
        g->error_median = error[held / 2];
        g->error_p95 = error[(size_t)(0.95 * (double)(held - 1) + 0.5)];
    }
    free(train.at);
    free(error);
    return rc;
}
