/* Fitting measurements: monotone curves by robust least squares in log space, GEMM parameters, the hold-out errors that
 * go into the file, and telling degraded links. Uses GSL; no randomness, so the same input gives the same file. */
#ifndef GY_FIT_H
#define GY_FIT_H
#include "gy_calibration.h"
#include "gy_kernel.h"
#include "gy_measure.h"

/* One monotone piecewise line through points (x ascending or not), y = log time. Knots are added where the fit is worst
 * until every size is within tolerance or max knots stand. Robust: Cauchy weights, repeated. */
struct gy_line_fit {
    size_t n;
    double x[40], y[40], ci95[40];
    double tail_alpha_us, tail_beta_gbps; /* past the last knot; beta 0: the last slope goes on */
    double median_residual;
};
#define GY_LINE_KNOTS 40
int gy_line_fit(const double *x, const double *y, size_t n, double tolerance, struct gy_line_fit *out,
                struct gy_error *err);
double gy_line_at(const struct gy_line_fit *f, double x); /* linear between knots, held below the first */
/* t = alpha + bytes/beta in log space over the largest sizes; beta 0 when they do not show a slope. */
int gy_tail_fit(const double *bytes, const double *us, size_t n, double *alpha_us, double *beta_gbps,
                struct gy_error *err);

#define GY_DEGRADED_BELOW                                                                                              \
    0.6 /* of the prediction at 1 MiB and more; healthy public tables of several nodes reach 0.70, all but one 0.82 */
struct gy_fit_options {
    const char *name, *summary;
    double tolerance;      /* of a curve at its own sizes, default 0.03 */
    double degraded_below; /* sets that reach less of the prediction at large sizes are left out; default 0.6 */
    bool keep_slow;        /* fit them all the same, unless the log itself calls them degraded */
    bool no_holdout;
    const struct gy_measurements *context; /* others' sets, which hold-outs may lean on; nothing of them is kept */
};
/* How a set compares with the prediction at sizes of 1 MiB and more: predicted/measured, the median. NaN where it has
 * no such size or no known hardware. 1 is healthy, 0.3 a link at 30 % of its rate. */
int gy_degradation(const struct gy_calibration *cal, const struct gy_meas_set *s, double *factor, struct gy_error *err);
/* The query a set stands for; hardware and fabric from arena. 1 when the set has no known hardware or fabric (skip it).
 */
int gy_set_query(const struct gy_meas_set *s, struct gy_arena *arena, struct gy_coll_query *q, struct gy_error *err);

struct gy_fit_note { /* what fit left out, and why */
    const char *system, *text;
    double factor; /* NaN unless a degraded link */
};
struct gy_fit_notes {
    struct gy_arena arena;
    GY_VEC(struct gy_fit_note) at;
};
void gy_fit_notes_free(struct gy_fit_notes *n);

/* Fits everything in m into cal (which must be empty) and, unless told not to, measures the hold-out errors. */
int gy_fit(const struct gy_measurements *m, const struct gy_fit_options *o, struct gy_calibration *cal,
           struct gy_fit_notes *notes, struct gy_error *err);
int gy_fit_gemm(const struct gy_gemm_set *s, struct gy_gemm_model *out, struct gy_error *err);
int gy_fit_holdout(const struct gy_measurements *m, const struct gy_fit_options *o, struct gy_calibration *cal,
                   struct gy_error *err);
int gy_calibration_save(const struct gy_calibration *c, const char *path, struct gy_error *err);

/* Errors by operation and size decade. */
enum gy_valid_mode {
    GY_VALID_PRIOR,
    GY_VALID_ALL,
    GY_VALID_LEAVE_SYSTEM,
    GY_VALID_THIRD,
    GY_VALID_NODES_2, /* node counts predicted from at most half as many: only sets that have such relatives */
    GY_VALID_NODES_4, /* … a quarter */
};
/* Whether the calibration knows the system at no more than nodes/times nodes, more than one: 0 else. */
bool gy_fit_has_smaller(const struct gy_calibration *cal, const struct gy_coll_query *q, const char *system,
                        uint32_t times);
struct gy_valid_row {
    const char *system, *hardware, *fabric;
    enum gy_coll_op op;
    uint32_t nodes, ranks;
    double bytes, measured_us, predicted_us;
    bool same_hardware; /* some curve of the same node type stood in the calibration */
    bool degraded;
};
struct gy_validation {
    struct gy_arena arena;
    GY_VEC(struct gy_valid_row) rows;
    GY_VEC(struct gy_fit_note) degraded;
};
int gy_validate(const struct gy_calibration *cal, const struct gy_measurements *m, enum gy_valid_mode mode,
                struct gy_validation *out, struct gy_error *err);
void gy_validation_free(struct gy_validation *v);
/* median, p95 and worst of |predicted/measured − 1| over the rows that keep says yes to. Returns how many. */
size_t gy_validation_stats(const struct gy_validation *v, bool (*keep)(const struct gy_valid_row *, const void *),
                           const void *ctx, double *median, double *p95, double *worst);
int gy_validation_write(const struct gy_validation *v, const char *path, struct gy_error *err); /* JSON; "-" stdout */
/* Points, the predicted curve and the residuals of up to eight sets, as SVG, with the same left out as in gy_validate.
 */
int gy_validation_plot(const struct gy_calibration *cal, const struct gy_measurements *m, enum gy_valid_mode mode,
                       const char *path, struct gy_error *err);
/* The set's own line without every third size; held[i] tells which. At least four rows. */
int gy_third_line(const struct gy_meas_set *s, struct gy_line_fit *f, bool *held, struct gy_error *err);
#endif
