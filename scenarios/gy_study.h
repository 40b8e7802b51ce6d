/* Studies: a base scenario and the points around it — a grid, a list, or a random or Latin-hypercube sample of values
 * by JSON pointer, each under some seeds. Only which points there are; running them is gy_sweep.h's business.
 *
 *   { "base": "scenario.json", "axes": { "/scheduler/order": ["fifo", "sjf"], "/cluster/nodes/0/count": [64, 96] },
 *     "seeds": [1, 2, 3] }
 *
 * An axis is an array of values, or {"min", "max", "step" | "steps", "integer", "scale": "linear" | "log"}. "points" is
 * a list of {pointer: value} instead of axes. "sample": {"method": "random" | "latin-hypercube", "n", "seed"} draws
 * from the axes. "set" holds overrides that all points share. {seed} in the base's trace.path is replaced by the seed
 * of the point, so that every setting sees the same traces. */
#ifndef GY_STUDY_H
#define GY_STUDY_H
#include "gy_scenario.h"

#define GY_STUDY_POINTS_MAX 1000000

struct gy_axis {
    const char *pointer;
    GY_VEC(const char *) values; /* JSON texts, for grids; empty for a range that is sampled */
    double min, max;
    bool range, integer, log;
};

/* What only a plan reads; checked by gy_planner.h. */
struct gy_study_plan {
    const struct gy_json *goal, *vary;
    const char *minimize;
    double confidence;
    int64_t max_settings;
};

struct gy_study {
    const char *path;
    const struct gy_json_doc *base; /* the base scenario, with "set" applied */
    GY_VEC(struct gy_axis) axes;
    GY_VEC(int64_t) seeds;     /* never empty */
    GY_VEC(const char *) sets; /* point after point, axes.n texts "pointer=VALUE" each */
    struct gy_study_plan plan;
    size_t settings; /* points without seeds; a point is (setting, seed) */
    struct gy_json_doc *doc;
    struct gy_arena arena;
};

/* NULL with diags: every error found. */
struct gy_study *gy_study_load(const char *path, const struct gy_overrides *common, struct gy_diags *diags);
void gy_study_free(struct gy_study *s);
size_t gy_study_points(const struct gy_study *s);
/* The point's scenario, resolved. Reentrant. NULL with diags. */
struct gy_scenario *gy_study_scenario(const struct gy_study *s, size_t point, struct gy_diags *diags);
/* The same for values that are no point: n texts "pointer=VALUE" over the base. */
struct gy_scenario *gy_study_scenario_of(const struct gy_study *s, const char *const *sets, size_t n, int64_t seed,
                                         struct gy_diags *diags);
int64_t gy_study_seed(const struct gy_study *s, size_t point);
/* The value of an axis at a point, as JSON text. */
const char *gy_study_value(const struct gy_study *s, size_t point, size_t axis);
/* "gpuyard schema study". */
int gy_study_schema(struct gy_writer *to, struct gy_error *err);
void gy_study_keys(struct gy_writer *to); /* as a Markdown table */
#endif
