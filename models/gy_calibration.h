/* Calibrations: curves fitted to measurements (calibrate fit makes them; models/calibrations ships some), and the
 * calibrated answer to a collective query.
 *
 * How a query is answered. Every curve gives, at each size, the ratio of what was measured to what the prior says of
 * that curve's own configuration. The query's prior is multiplied by a weighted mean of these ratios (of their
 * logarithms); a curve's weight falls steeply with its distance from the query: another operation, GPU, fabric, node
 * count, GPU count, forced algorithm. So a measured configuration is reproduced, node counts in between are
 * interpolated on the prior's scale, a fabric never measured borrows what its relatives share, and far from everything
 * the prior is left alone. The result is made monotone in bytes. Weights were chosen by leaving whole systems out
 * (calibrate/README.md). */
#ifndef GY_CALIBRATION_H
#define GY_CALIBRATION_H
#include "gy_arena.h"
#include "gy_collective.h"
#include "gy_vec.h"

struct gy_curve {
    struct gy_coll_query at; /* the configuration measured; hw and fabric live in the calibration's arena */
    const char *system, *library, *dtype, *timing, *source;
    size_t n;                                 /* knots */
    const double *log2_bytes, *log_us, *ci95; /* ascending both; ci95: half width of the interval of log_us */
    double tail_alpha_us, tail_beta_gbps;     /* t = alpha + S/beta past the last knot; beta 0: as the prior goes */
    double error_median, error_p95;           /* of every third size held out, as ratios; NaN when too few sizes */
    double fit_median;                        /* of the fit's residuals */
    int rows;
    uint32_t errors_from, errors_n; /* hold-out errors of its own file: a range of the calibration's errors */
    bool own;                       /* from a file of the user's, not shipped */
};

#define GY_GEMM_PARAMETERS 18
struct gy_gemm_model { /* see gy_kernel.h for the formula */
    const char *hardware, *source;
    const struct gy_hw *hw;
    int dtype; /* enum gy_precision */
    double p[GY_GEMM_PARAMETERS];
    double error_median, error_p95;
    int rows;
};

struct gy_error_row { /* hold-out error that fit measured, by kind, over healthy rows of 64 KiB and more */
    const char *kind, *key;
    int rows;
    double median, p95, worst;
};

struct gy_calibration {
    struct gy_arena arena;
    const char *name, *summary;
    GY_VEC(struct gy_curve) curves;
    GY_VEC(struct gy_gemm_model) gemms;
    GY_VEC(struct gy_error_row) errors;
};

/* By name (embedded) or path. NULL or "": every embedded calibration together, which is what simulations use. */
int gy_calibration_load(struct gy_calibration *c, const char *name, struct gy_error *err);
void gy_calibration_free(struct gy_calibration *c);

struct gy_coll_except {  /* what a hold-out must not see */
    const char *system;  /* curves of this system; NULL: none */
    uint32_t nodes_over; /* curves of the same system name with more nodes than this; 0: none */
    const char *nodes_system;
};

/* Which hold-out error an answer is given with: that of predicting what it was asked for from what it rests on. A
 * shipped curve is another's machine, so its error is the one of whole systems left out even where the configuration
 * was measured; a user's own file speaks of the user's machine. */
enum gy_coll_error {
    GY_COLL_UNCALIBRATED, /* the prior */
    GY_COLL_SIZES,        /* own file, measured configuration and size range: every third size left out */
    GY_COLL_NODES,        /* own file, other node or GPU counts: node counts predicted from fewer */
    GY_COLL_SYSTEM,       /* everything else: whole systems left out */
};
const char *gy_coll_error_name(enum gy_coll_error e); /* "third", "nodes", "systems", as the kinds of the file */

struct gy_coll_basis {
    enum gy_coll_error of;
    double median, p95; /* NaN when not measured: the file has no such hold-out */
    const char *system; /* of the nearest curve, NULL when uncalibrated */
    double trust;       /* 0 the prior alone … 1 a measured configuration */
};
struct gy_coll_answer {
    struct gy_coll_result r;
    struct gy_coll_basis basis;
};
/* cal NULL: the prior. The query must have passed gy_coll_check. O(curves + sizes). */
int gy_coll_predict(const struct gy_calibration *cal, const struct gy_coll_query *q, double bytes,
                    const struct gy_coll_except *except, struct gy_coll_answer *out, struct gy_error *err);

/* The same for many sizes of one group: prepared once, then O(1) a size. Times are those of gy_coll_predict. */
#define GY_COLL_GRID 84 /* sizes 2^(k/2): to 3.6e12 bytes; beyond, in proportion */
struct gy_coll_table {
    double time_s[GY_COLL_GRID];
    struct gy_coll_basis basis; /* at 64 MiB */
};
int gy_coll_table_init(struct gy_coll_table *t, const struct gy_calibration *cal, const struct gy_coll_query *q,
                       const struct gy_coll_except *except, struct gy_error *err);
double gy_coll_table_time(const struct gy_coll_table *t, double bytes);

/* A curve's own time, µs: linear in log-log between knots, the tail past the last, the prior's shape below the first.
 */
double gy_curve_us(const struct gy_curve *c, double bytes);
#endif
