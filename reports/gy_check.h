/* The gate: thresholds and a baseline with tolerances against a run's metrics. A baseline file is JSON:
 *
 *   { "format": 1, "run": "name", "relative": 0.05,
 *     "metrics": { "wait_s.p95": { "value": 812.5, "absolute": 30, "relative": 0.1, "bad": "increase" } } }
 *
 * A metric passes when |new - value| ≤ max(absolute, relative × |value|), or when the change is not in the direction
 * named by "bad" ("increase", "decrease" or "both"; the default follows the metric: times, lost work and cost are bad
 * when they increase, utilisation and fairness when they decrease, anything else both). */
#ifndef GY_CHECK_H
#define GY_CHECK_H
#include "gy_runfolder.h"
#include "gy_table.h"

enum gy_check_kind { GY_CHECK_THRESHOLD, GY_CHECK_BASELINE };
struct gy_check {
    enum gy_check_kind kind;
    const char *metric;
    double value;        /* NaN: the run has no such value, which fails */
    double min, max;     /* what was allowed; NaN is open */
    double base;         /* of a baseline, else NaN */
    bool ok, known;      /* known: the name is one of the run's metrics */
    const char *nearest; /* when not known; may be NULL */
};
struct gy_checks {
    GY_VEC(struct gy_check) at;
    size_t failed;
    struct gy_arena arena;
};

void gy_checks_free(struct gy_checks *c);
/* The thresholds of a run's own scenario. */
int gy_check_scenario(const struct gy_run *run, struct gy_checks *out, struct gy_error *err);
/* A file: an array of {"metric", "min", "max"}, or an object with such an array as "thresholds". */
int gy_check_thresholds(const struct gy_run *run, const char *path, struct gy_checks *out, struct gy_error *err);
int gy_check_baseline(const struct gy_run *run, const char *path, struct gy_checks *out, struct gy_error *err);
/* Writes the run's values into the baseline file; tolerances and the choice of metrics of an existing file are kept. */
int gy_check_update(const struct gy_run *run, const char *path, struct gy_error *err);

void gy_checks_table(const struct gy_checks *c, struct gy_table *t);
void gy_checks_junit(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to);
void gy_checks_markdown(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to);
void gy_checks_json(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to);
#endif
