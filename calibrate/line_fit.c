/* One curve: a monotone piecewise line in log-log space by robust nonlinear least squares, and its α-β tail. The rise
 * between knots is the exponential of a free parameter, so the curve cannot fall. Not the choice of what to fit. */
#include <gsl/gsl_blas.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_fit.h"
#include "gy_quantile.h"

static const double noise = 0.01; /* of a measured time */

struct problem {
    const double *x, *y;
    size_t n;
    const double *knot;
    size_t knots;
};

/* Where x stands: between knot k and k+1, at fraction f. */
static size_t locate(const double *knot, size_t knots, double x, double *f)
{
    size_t k = 0;
    while (k + 2 < knots && x >= knot[k + 1])
        k++;
    if (knots < 2) {
        *f = 0;
        return 0;
    }
    double at = (x - knot[k]) / (knot[k + 1] - knot[k]);
    *f = at < 0 ? 0 : at > 1 ? 1 : at;
    return k;
}

/* Parameters: height of the first knot, then the logarithm of each rise. */
static int residuals(const gsl_vector *p, void *data, gsl_vector *out)
{
    const struct problem *b = data;
    double height[GY_LINE_KNOTS];
    height[0] = gsl_vector_get(p, 0);
    for (size_t k = 1; k < b->knots; k++)
        height[k] = height[k - 1] + exp(fmin(gsl_vector_get(p, k), 50));
    for (size_t i = 0; i < b->n; i++) {
        double f;
        size_t k = locate(b->knot, b->knots, b->x[i], &f);
        double at = b->knots > 1 ? height[k] + f * (height[k + 1] - height[k]) : height[0];
        gsl_vector_set(out, i, at - b->y[i]);
    }
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *p, void *data, gsl_matrix *out)
{
    const struct problem *b = data;
    for (size_t i = 0; i < b->n; i++) {
        double f;
        size_t k = locate(b->knot, b->knots, b->x[i], &f);
        for (size_t j = 0; j < b->knots; j++) {
            double share = j == 0 ? 1 : j <= k ? 1 : j == k + 1 ? f : 0;
            gsl_matrix_set(out, i, j, j == 0 ? 1 : share * exp(fmin(gsl_vector_get(p, j), 50)));
        }
    }
    return GSL_SUCCESS;
}

static double median_of(const double *v, size_t n)
{
    struct gy_sample s = {0};
    for (size_t i = 0; i < n; i++)
        gy_sample_add(&s, fabs(v[i]));
    double m = gy_sample_quantile(&s, 0.5);
    gy_sample_free(&s);
    return m;
}

/* Interval of each knot's height: its gradient in the parameters through their covariance. */
static void intervals(const struct problem *b, gsl_multifit_nlinear_workspace *w, double scale, double *ci95)
{
    gsl_matrix *cov = gsl_matrix_alloc(b->knots, b->knots);
    if (!cov)
        return;
    gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(w), 1e-10, cov);
    for (size_t k = 0; k < b->knots; k++) {
        double var = 0;
        for (size_t i = 0; i <= k; i++)
            for (size_t j = 0; j <= k; j++) {
                double gi = i ? exp(fmin(gsl_vector_get(gsl_multifit_nlinear_position(w), i), 50)) : 1;
                double gj = j ? exp(fmin(gsl_vector_get(gsl_multifit_nlinear_position(w), j), 50)) : 1;
                var += gi * gj * gsl_matrix_get(cov, i, j);
            }
        double sd = scale * sqrt(fmax(var, 0));
        ci95[k] = isfinite(sd) ? fmin(1.96 * sd, 3) : 3;
    }
    gsl_matrix_free(cov);
}

/* Fits heights at the given knots. start and out: heights. */
static int fit_heights(const struct problem *b, double *height, double *residual, double *ci95, struct gy_error *err)
{
    if (b->knots > b->n)
        return gy_fail(err, GY_EINTERNAL, NULL, "more knots than points");
    gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf fdf = {.f = residuals, .df = jacobian, .n = b->n, .p = b->knots, .params = (void *)b};
    gsl_multifit_nlinear_workspace *w =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, b->n, b->knots);
    gsl_vector *p = gsl_vector_alloc(b->knots), *weight = gsl_vector_alloc(b->n);
    int rc = 0;
    if (!w || !p || !weight)
        rc = gy_nomem(err);
    else {
        gsl_vector_set_all(weight, 1);
        gsl_vector_set(p, 0, height[0]);
        for (size_t k = 1; k < b->knots; k++)
            gsl_vector_set(p, k, log(fmax(height[k] - height[k - 1], 1e-4)));
        double scale = 0;
        for (int round = 0; round < 4; round++) {
            int info;
            gsl_multifit_nlinear_winit(p, weight, &fdf, w);
            gsl_multifit_nlinear_driver(60, 1e-9, 1e-9, 0, NULL, NULL, &info,
                                        w); /* its best point is taken either way */
            gsl_vector_memcpy(p, gsl_multifit_nlinear_position(w));
            residuals(p, (void *)b, gsl_multifit_nlinear_residual(w));
            for (size_t i = 0; i < b->n; i++)
                residual[i] = gsl_vector_get(gsl_multifit_nlinear_residual(w), i);
            scale = 1.4826 * median_of(residual, b->n);
            if (b->n < b->knots + 3)
                break;
            scale = fmax(scale, noise);         /* a perfect fit elsewhere makes no outlier of a small miss */
            for (size_t i = 0; i < b->n; i++) { /* Cauchy */
                double r = residual[i] / (2.385 * scale);
                gsl_vector_set(weight, i, 1 / (1 + r * r));
            }
        }
        height[0] = gsl_vector_get(p, 0);
        for (size_t k = 1; k < b->knots; k++)
            height[k] = height[k - 1] + exp(fmin(gsl_vector_get(p, k), 50));
        if (ci95)
            intervals(b, w, fmax(1.4826 * median_of(residual, b->n), 0.002), ci95);
    }
    if (w)
        gsl_multifit_nlinear_free(w);
    if (p)
        gsl_vector_free(p);
    if (weight)
        gsl_vector_free(weight);
    return rc;
}

struct point {
    double x, y;
};
static int by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static bool is_knot(const struct gy_line_fit *f, double x)
{
    for (size_t k = 0; k < f->n; k++)
        if (f->x[k] == x)
            return true;
    return false;
}

/* A new knot at the size that the line misses most, if it misses by more than the tolerance; where that one is a knot
 * already, its neighbours pull it, and the nearest size without a knot takes one. */
static bool add_knot(struct gy_line_fit *f, const double *x, const double *residual, size_t n, double tolerance)
{
    double worst = tolerance, at = NAN, nearest = NAN;
    for (size_t i = 0, j; i < n; i = j) {
        double sum = 0;
        for (j = i; j < n && x[j] == x[i]; j++)
            sum += residual[j];
        if (fabs(sum / (double)(j - i)) > worst) {
            worst = fabs(sum / (double)(j - i));
            at = x[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!is_knot(f, x[i]) && !(fabs(x[i] - at) >= fabs(nearest - at)))
            nearest = x[i];
    if (isnan(at) || isnan(nearest) || f->n >= GY_LINE_KNOTS)
        return false;
    at = nearest;
    double y = gy_line_at(f, at);
    size_t k = f->n++;
    for (; k > 0 && f->x[k - 1] > at; k--) {
        f->x[k] = f->x[k - 1];
        f->y[k] = f->y[k - 1];
    }
    f->x[k] = at;
    f->y[k] = y;
    return true;
}

double gy_line_at(const struct gy_line_fit *f, double x)
{
    double share;
    size_t k = locate(f->x, f->n, x, &share);
    if (f->n < 2)
        return f->y[0];
    if (x > f->x[f->n - 1] && f->tail_beta_gbps > 0)
        return f->y[f->n - 1] + log((f->tail_alpha_us + exp2(x) / f->tail_beta_gbps / 1e3) /
                                    (f->tail_alpha_us + exp2(f->x[f->n - 1]) / f->tail_beta_gbps / 1e3));
    if (x > f->x[f->n - 1]) /* no tail known: the last slope goes on */
        share = (x - f->x[k]) / (f->x[k + 1] - f->x[k]);
    return f->y[k] + share * (f->y[k + 1] - f->y[k]);
}

int gy_line_fit(const double *x, const double *y, size_t n, double tolerance, struct gy_line_fit *out,
                struct gy_error *err)
{
    if (!n)
        return gy_fail(err, GY_EINPUT, NULL, "no points to fit");
    struct point *points = malloc(n * sizeof *points);
    double *px = malloc(n * sizeof *px), *py = malloc(n * sizeof *py), *residual = malloc(n * sizeof *residual);
    int rc = points && px && py && residual ? 0 : gy_nomem(err);
    for (size_t i = 0; !rc && i < n; i++)
        points[i] = (struct point){x[i], y[i]};
    if (!rc) {
        qsort(points, n, sizeof *points, by_x);
        for (size_t i = 0; i < n; i++) {
            px[i] = points[i].x;
            py[i] = points[i].y;
        }
        memset(out, 0, sizeof *out);
        out->n = px[n - 1] > px[0] ? 2 : 1;
        out->x[0] = px[0];
        out->y[0] = py[0];
        if (out->n == 2) {
            out->x[1] = px[n - 1];
            out->y[1] = fmax(py[n - 1], py[0] + 1e-4);
        }
        do {
            struct problem b = {px, py, n, out->x, out->n};
            rc = fit_heights(&b, out->y, residual, out->ci95, err);
        } while (!rc && add_knot(out, px, residual, n, tolerance));
        out->median_residual = median_of(residual, n);
    }
    if (!rc) { /* sizes and times again, for the tail */
        for (size_t i = 0; i < n; i++) {
            px[i] = exp2(px[i]);
            py[i] = exp(py[i]);
        }
        rc = gy_tail_fit(px, py, n, &out->tail_alpha_us, &out->tail_beta_gbps, err);
    }
    free(points);
    free(px);
    free(py);
    free(residual);
    return rc;
}

struct tail {
    const double *bytes, *us;
    size_t n;
};

/* Parameters: log α (µs), log β (GB/s). */
static int tail_residuals(const gsl_vector *p, void *data, gsl_vector *out)
{
    const struct tail *t = data;
    double alpha = exp(fmin(gsl_vector_get(p, 0), 40)), beta = exp(fmin(gsl_vector_get(p, 1), 40));
    for (size_t i = 0; i < t->n; i++)
        gsl_vector_set(out, i, log((alpha + t->bytes[i] / beta / 1e3) / t->us[i]));
    return GSL_SUCCESS;
}

int gy_tail_fit(const double *bytes, const double *us, size_t n, double *alpha_us, double *beta_gbps,
                struct gy_error *err)
{
    double last = 0;
    for (size_t i = 0; i < n; i++)
        last = fmax(last, bytes[i]);
    double *b = malloc((n + 1) * sizeof *b), *t = malloc((n + 1) * sizeof *t);
    if (!b || !t) {
        free(b);
        free(t);
        return gy_nomem(err);
    }
    struct tail tail = {b, t, 0};
    double lo = INFINITY, hi = 0, tlo = 0, thi = 0;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] >= last / 16) {
            b[tail.n] = bytes[i];
            t[tail.n++] = us[i];
            if (bytes[i] < lo) {
                lo = bytes[i];
                tlo = us[i];
            }
            if (bytes[i] > hi) {
                hi = bytes[i];
                thi = us[i];
            }
        }
    *alpha_us = *beta_gbps = 0;
    int rc = 0;
    /* Three sizes at least, and a slope that already follows the size. */
    if (tail.n >= 3 && hi >= 4 * lo && log(thi / tlo) > 0.8 * log(hi / lo)) {
        gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
        gsl_multifit_nlinear_fdf fdf = {.f = tail_residuals, .n = tail.n, .p = 2, .params = &tail};
        gsl_multifit_nlinear_workspace *w =
            gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, tail.n, 2);
        gsl_vector *p = gsl_vector_alloc(2);
        if (!w || !p)
            rc = gy_nomem(err);
        else {
            int info;
            gsl_vector_set(p, 0, log(fmax(tlo * 0.1, 1e-3)));
            gsl_vector_set(p, 1, log(hi / thi / 1e3));
            gsl_multifit_nlinear_init(p, &fdf, w);
            gsl_multifit_nlinear_driver(100, 1e-9, 1e-9, 0, NULL, NULL, &info, w);
            double a = gsl_vector_get(gsl_multifit_nlinear_position(w), 0);
            double c = gsl_vector_get(gsl_multifit_nlinear_position(w), 1);
            if (isfinite(a) && isfinite(c) && c < 30) {
                *alpha_us = exp(fmin(a, 30));
                *beta_gbps = exp(c);
            }
        }
        if (w)
            gsl_multifit_nlinear_free(w);
        if (p)
            gsl_vector_free(p);
    }
    free(b);
    free(t);
    return rc;
}
