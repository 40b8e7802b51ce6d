/* Comparing runs: absolute and relative differences against the first, with spread and significance where a setting was
 * run under several seeds. Reads loaded run folders only. */
#ifndef GY_COMPARE_H
#define GY_COMPARE_H
#include "gy_runfolder.h"
#include "gy_table.h"

struct gy_compare_options {
    const char *by; /* NULL: the whole cluster; else "team", "user", "partition", "gpu_type", "job_size_class" */
    bool all;       /* every metric, not only the main ones */
};

/* Runs that differ in nothing but the seed. */
struct gy_side {
    const char *label;
    GY_VEC(uint32_t) runs; /* indices */
};

struct gy_estimate {   /* of one metric on one side */
    size_t n;          /* runs that have a value */
    double mean, half; /* half-width of the 95 % confidence interval (Student's t); NaN for one run */
};

struct gy_difference {         /* against side 0 */
    double absolute, relative; /* relative to side 0; NaN where that is 0 */
    double p;                  /* of a two-sided t-test, NaN where there are too few runs */
    bool paired;               /* by seed; otherwise Welch's test */
};

struct gy_comparison_row {
    const char *metric;
    struct gy_estimate *side;     /* one a side */
    struct gy_difference *change; /* one a side; that of side 0 is all zero */
};

struct gy_comparison {
    GY_VEC(struct gy_side) sides;
    GY_VEC(struct gy_comparison_row) rows;
    struct gy_arena arena;
};

/* runs must outlive the comparison. 0, or -1 with err. */
int gy_compare(const struct gy_run *runs, size_t n, const struct gy_compare_options *o, struct gy_comparison *out,
               struct gy_error *err);
void gy_comparison_free(struct gy_comparison *c);
void gy_comparison_table(const struct gy_comparison *c, struct gy_table *t);
/* Allocated GPUs and GPUs waited for over time, a sparkline a run on one time axis and one scale, from timeline.csv;
 * runs without one are left out. label_columns: width of the names before them. */
int gy_comparison_courses(const struct gy_run *runs, size_t n, int label_columns, int columns, struct gy_writer *to,
                          struct gy_error *err);
void gy_comparison_json(const struct gy_comparison *c, const struct gy_run *runs, struct gy_writer *to);
#endif
