/* The errors that the documentation states, measured again on the public tables with the built-in calibrations. Skips
 * loudly where the data is absent. Limits are the stated figures with a little room. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_fit.h"

#define DATA GY_SOURCE_DIR "/../shared/data/"
static struct gy_error err;

static bool load_nccl(struct gy_measurements *m)
{
    struct dirent **list;
    int n = scandir(DATA "nccl", &list, NULL, alphasort);
    char path[512];
    if (n < 0) {
        fprintf(stderr, "SKIP: no " DATA "nccl\n");
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (strstr(list[i]->d_name, ".txt")) {
            snprintf(path, sizeof path, DATA "nccl/%s", list[i]->d_name);
            cr_assert_eq(gy_import(m, path, NULL, &err), 0, "%s %s", err.place, err.what);
        }
        free(list[i]);
    }
    free(list);
    return true;
}

static bool healthy(const struct gy_valid_row *r, const void *ctx)
{
    (void)ctx;
    return !r->degraded && r->bytes >= 65536;
}
static bool several_nodes(const struct gy_valid_row *r, const void *ctx)
{
    return healthy(r, ctx) && r->nodes > 1;
}

static void expect(const struct gy_calibration *cal, const struct gy_measurements *m, enum gy_valid_mode mode,
                   bool (*keep)(const struct gy_valid_row *, const void *), double limit, const char *what)
{
    struct gy_validation v;
    double median, p95, worst;
    cr_assert_eq(gy_validate(cal, m, mode, &v, &err), 0, "%s", err.what);
    size_t n = gy_validation_stats(&v, keep, NULL, &median, &p95, &worst);
    fprintf(stderr, "%s: %zu rows, median %.1f %%, p95 %.1f %%, worst %.0f %%\n", what, n, 100 * median, 100 * p95,
            100 * worst);
    cr_assert_gt(n, 20);
    cr_assert_leq(median, limit, "%s: %g", what, median);
    gy_validation_free(&v);
}

Test(calibrate_errors, nccl_tables)
{
    struct gy_measurements m = {0};
    struct gy_calibration cal;
    if (!load_nccl(&m))
        return;
    cr_assert_eq(gy_calibration_load(&cal, NULL, &err), 0);
    expect(&cal, &m, GY_VALID_PRIOR, healthy, 0.15, "prior alone");
    expect(&cal, &m, GY_VALID_PRIOR, several_nodes, 0.12, "prior alone, several nodes");
    expect(&cal, &m, GY_VALID_ALL, healthy, 0.03, "as shipped");
    expect(&cal, &m, GY_VALID_LEAVE_SYSTEM, healthy, 0.15, "the system left out");
    expect(&cal, &m, GY_VALID_LEAVE_SYSTEM, several_nodes, 0.15, "the system left out, several nodes");
    expect(&cal, &m, GY_VALID_THIRD, healthy, 0.05, "every third size");
    gy_calibration_free(&cal);
    gy_measurements_free(&m);
}

Test(calibrate_errors, bad_fabrics_are_told_apart)
{
    struct gy_measurements m = {0};
    struct gy_calibration cal;
    if (!load_nccl(&m))
        return;
    cr_assert_eq(gy_calibration_load(&cal, NULL, &err), 0);
    int bad = 0;
    for (size_t i = 0; i < m.sets.n; i++) {
        const struct gy_meas_set *s = &m.sets.at[i];
        double factor;
        cr_assert_eq(gy_degradation(&cal, s, &factor, &err), 0);
        bool named = s->degraded && strcmp(s->fabric, "ipoib") != 0; /* TCP is as fast as TCP is */
        if (named) {
            cr_assert_lt(factor, GY_DEGRADED_BELOW, "%s: %g", s->source, factor);
            bad++;
        }
        if (!s->degraded && !strcmp(s->hardware, "hgx-h100") && s->nodes > 1 && !strstr(s->library, "2.18"))
            cr_assert_gt(factor, GY_DEGRADED_BELOW, "%s: %g", s->source, factor);
    }
    cr_assert_eq(bad, 3);
    gy_calibration_free(&cal);
    gy_measurements_free(&m);
}

Test(calibrate_errors, gemm_shapes_held_out)
{
    struct gy_calibration cal;
    struct gy_measurements m = {0};
    if (gy_import(&m, DATA "aiconfigurator/a100_sxm_gemm_perf.csv", NULL, &err) ||
        gy_import(&m, DATA "aiconfigurator/h100_sxm_gemm_perf.csv", NULL, &err)) {
        fprintf(stderr, "SKIP: no " DATA "aiconfigurator\n");
        return;
    }
    cr_assert_eq(gy_calibration_load(&cal, NULL, &err), 0);
    for (size_t s = 0; s < m.gemms.n; s++) {
        const struct gy_gemm_set *g = &m.gemms.at[s];
        struct gy_arena arena = GY_ARENA_INIT;
        const struct gy_hw *hw = gy_hw_find(g->hardware, &arena, &err);
        enum gy_precision p = (enum gy_precision)gy_precision_of(g->dtype);
        bool exact;
        const struct gy_gemm_model *model = gy_gemm_model_for(&cal, hw, p, &exact);
        size_t within = 0, n = 0;
        for (size_t i = 1; i < g->rows.n; i += 3, n++) { /* the shapes that the fit did not see */
            const struct gy_gemm_row *r = &g->rows.at[i];
            within += fabs(gy_gemm_us(model, hw, p, r->m, r->n, r->k) / r->time_us - 1) <= 0.07;
        }
        cr_assert(exact);
        cr_assert_geq(2 * within, n, "%s %s: the median error is above 7 %%", g->hardware, g->dtype);
        gy_arena_free(&arena);
    }
    gy_calibration_free(&cal);
    gy_measurements_free(&m);
}
