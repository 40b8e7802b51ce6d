/* Fits on made-up measurements with known answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_fit.h"

static struct gy_error err;

/* t = 10 µs + S / 100 GB/s. */
static double line_us(double bytes)
{
    return 10 + bytes / 100e3;
}

Test(calibrate_fit, line_of_alpha_and_beta)
{
    double x[28], y[28], bytes[28], us[28], alpha, beta;
    for (int i = 0; i < 28; i++) {
        bytes[i] = 8 * exp2(i);
        us[i] = line_us(bytes[i]);
        x[i] = log2(bytes[i]);
        y[i] = log(us[i]);
    }
    struct gy_line_fit f;
    cr_assert_eq(gy_line_fit(x, y, 28, 0.03, &f, &err), 0);
    for (int i = 0; i < 28; i++)
        cr_assert_float_eq(gy_line_at(&f, x[i]), y[i], 0.031);
    cr_assert_lt(f.n, 20); /* fewer knots than sizes: flat and straight parts need none */
    cr_assert_eq(gy_tail_fit(bytes, us, 28, &alpha, &beta, &err), 0);
    cr_assert_float_eq(beta, 100, 0.1);
    /* Past the last size the tail goes on as the line does. */
    cr_assert_float_eq(exp(gy_line_at(&f, log2(16e9))) / line_us(16e9), 1, 0.03);
}

Test(calibrate_fit, one_wild_point_does_not_bend_it)
{
    double x[60], y[60];
    for (int i = 0; i < 20; i++)
        for (int h = 0; h < 3; h++) {
            x[3 * i + h] = 10 + i;
            y[3 * i + h] = log(line_us(exp2(10 + i))) + 0.002 * (h - 1);
        }
    y[30] += 0.6; /* one of three at one size, 80 % too slow */
    struct gy_line_fit f;
    cr_assert_eq(gy_line_fit(x, y, 60, 0.03, &f, &err), 0);
    for (int i = 0; i < 20; i++)
        cr_assert_float_eq(gy_line_at(&f, 10 + i), log(line_us(exp2(10 + i))), 0.05, "at 2^%d", 10 + i);
}

Test(calibrate_fit, never_falls)
{
    double x[12], y[12];
    for (int i = 0; i < 12; i++) {
        x[i] = 10 + i;
        y[i] = 3 + 0.3 * i + (i % 2 ? 0.4 : -0.4);
    }
    struct gy_line_fit f;
    cr_assert_eq(gy_line_fit(x, y, 12, 0.01, &f, &err), 0);
    for (size_t k = 1; k < f.n; k++)
        cr_assert_geq(f.y[k], f.y[k - 1]);
    double one[] = {12}, height[] = {2};
    cr_assert_eq(gy_line_fit(one, height, 1, 0.03, &f, &err), 0);
    cr_assert_eq(gy_line_at(&f, 20), 2);
    cr_assert_eq(gy_line_fit(one, height, 0, 0.03, &f, &err), -1);
}

/* A made-up system of V100 nodes: the prior times a factor that depends on the size. */
static void invent(struct gy_measurements *m, uint32_t nodes, double slower, const char *system)
{
    struct gy_meas_set *s = gy_meas_add(m);
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_coll_query q;
    s->system = system;
    s->hardware = "v100-4x";
    s->fabric = nodes > 1 ? "ib-edr" : "";
    s->source = "made up";
    s->dtype = "float";
    s->op = GY_ALL_REDUCE;
    s->nodes = nodes;
    s->gpus_per_node = 4;
    s->ranks = 4 * nodes;
    cr_assert_eq(gy_set_query(s, &arena, &q, &err), 0, "%s", err.what);
    for (int i = 3; i < 33; i++) {
        double bytes = exp2(i), us = gy_coll_prior(&q, bytes).time_s * 1e6 * slower;
        struct gy_meas_row row = {bytes, us, us * 1.004};
        cr_assert(gy_vec_push(&s->rows, row));
    }
    gy_arena_free(&arena);
}

Test(calibrate_fit, a_fitted_system_is_reproduced)
{
    struct gy_measurements m = {0};
    struct gy_fit_notes notes = {0};
    struct gy_calibration cal;
    struct gy_fit_options o = {.name = "t"};
    invent(&m, 2, 1.3, "one");
    invent(&m, 8, 1.3, "one");
    cr_assert_eq(gy_fit(&m, &o, &cal, &notes, &err), 0, "%s", err.what);
    cr_assert_eq(cal.curves.n, 2);
    struct gy_coll_query q = cal.curves.at[0].at;
    struct gy_coll_answer a;
    double prior, last = 0;
    for (double s = 8; s < 4e9; s *= 8) {
        prior = gy_coll_predict_prior(&q, s).time_s;
        cr_assert_eq(gy_coll_predict(&cal, &q, s, NULL, &a, &err), 0);
        cr_assert_float_eq(a.r.time_s / prior, 1.3, 0.12, "%.0f: %g", s, a.r.time_s / prior);
        cr_assert_geq(a.r.time_s, last);
        cr_assert_not_null(a.basis.system);
        cr_assert_eq(a.basis.of, GY_COLL_SIZES);
        cr_assert_eq(a.basis.median, cal.curves.at[0].error_median);
        last = a.r.time_s;
    }
    q.nodes = 4; /* between two measured counts: the prior's shape, the measured factor */
    cr_assert_eq(gy_coll_predict(&cal, &q, 64e6, NULL, &a, &err), 0);
    cr_assert_float_eq(a.r.time_s / gy_coll_predict_prior(&q, 64e6).time_s, 1.3, 0.12);
    cr_assert_eq(a.basis.of, GY_COLL_NODES);
    cr_assert_eq(gy_coll_predict(&cal, &q, 1e13, NULL, &a, &err), 0);
    cr_assert_neq(a.basis.of, GY_COLL_NODES);    /* far past the measured sizes */
    q.hw = gy_hw_find("b200", &cal.arena, &err); /* nothing near was measured */
    q.fabric = gy_fabric_find("ib-ndr", &cal.arena, &err);
    cr_assert_eq(gy_coll_predict(&cal, &q, 64e6, NULL, &a, &err), 0);
    cr_assert_null(a.basis.system);
    cr_assert_float_eq(a.r.time_s / gy_coll_predict_prior(&q, 64e6).time_s, 1, 0.02);
    gy_calibration_free(&cal);
    gy_fit_notes_free(&notes);
    gy_measurements_free(&m);
}

Test(calibrate_fit, degraded_links_are_told_and_left_out)
{
    struct gy_measurements m = {0};
    struct gy_fit_notes notes = {0};
    struct gy_calibration cal;
    struct gy_fit_options o = {.name = "t", .no_holdout = true};
    double factor;
    invent(&m, 2, 1.0, "good");
    invent(&m, 4, 4.0, "bad");
    cr_assert_eq(gy_degradation(NULL, &m.sets.at[1], &factor, &err), 0);
    cr_assert_float_eq(factor, 0.25, 0.03);
    cr_assert_eq(gy_degradation(NULL, &m.sets.at[0], &factor, &err), 0);
    cr_assert_float_eq(factor, 1, 0.1);
    cr_assert_eq(gy_fit(&m, &o, &cal, &notes, &err), 0);
    cr_assert_eq(cal.curves.n, 1);
    cr_assert_eq(notes.at.n, 1);
    cr_assert(strstr(notes.at.at[0].text, "0.2"), "%s", notes.at.at[0].text);
    gy_calibration_free(&cal);
    gy_fit_notes_free(&notes);
    gy_measurements_free(&m);
}

static char *fitted_text(const char *path)
{
    struct gy_measurements m = {0};
    struct gy_fit_notes notes = {0};
    struct gy_calibration cal;
    struct gy_fit_options o = {.name = "t", .summary = "s"};
    size_t len;
    char sha[65];
    invent(&m, 1, 1.1, "one");
    invent(&m, 2, 1.2, "one");
    invent(&m, 4, 1.3, "two");
    cr_assert_eq(gy_fit(&m, &o, &cal, &notes, &err), 0);
    cr_assert_eq(gy_calibration_save(&cal, path, &err), 0);
    gy_calibration_free(&cal);
    gy_fit_notes_free(&notes);
    gy_measurements_free(&m);
    return gy_file_slurp(path, 1 << 20, &len, sha, &err);
}

Test(calibrate_fit, same_input_same_file_and_it_loads)
{
    char path[80];
    snprintf(path, sizeof path, "/tmp/gy_fit_%d.json", (int)getpid());
    char *a = fitted_text(path), *b = fitted_text(path);
    cr_assert_str_eq(a, b);
    struct gy_calibration back;
    cr_assert_eq(gy_calibration_load(&back, path, &err), 0, "%s %s", err.place, err.what);
    cr_assert_eq(back.curves.n, 3);
    cr_assert_str_eq(back.curves.at[2].system, "two");
    cr_assert_gt(back.errors.n, 2);
    gy_calibration_free(&back);
    unlink(path);
    free(a);
    free(b);
}

Test(calibrate_fit, a_forced_algorithm_that_cannot_run_is_dropped)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_coll_query q;
    struct gy_meas_set s = {.hardware = "hgx-h100",
                            .fabric = "",
                            .op = GY_ALL_TO_ALL,
                            .algo = GY_ALGO_RING,
                            .nodes = 1,
                            .gpus_per_node = 4,
                            .ranks = 4};
    cr_assert_eq(gy_set_query(&s, &arena, &q, &err), 0, "%s", err.what);
    cr_assert_eq(q.algo, GY_ALGO_AUTO);
    s.op = GY_ALL_REDUCE;
    cr_assert_eq(gy_set_query(&s, &arena, &q, &err), 0);
    cr_assert_eq(q.algo, GY_ALGO_RING);
    gy_arena_free(&arena);
}

Test(calibrate_fit, nothing_to_fit)
{
    struct gy_measurements m = {0};
    struct gy_fit_notes notes = {0};
    struct gy_calibration cal;
    struct gy_fit_options o = {0};
    cr_assert_eq(gy_fit(&m, &o, &cal, &notes, &err), -1);
    cr_assert_eq(err.code, GY_EINPUT);
    gy_fit_notes_free(&notes);
}

Test(calibrate_fit, gemm_parameters_come_back)
{
    struct gy_gemm_set s = {.dtype = "bf16", .source = "made up", .hardware = "b200"};
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_gemm_model g = {.hw = gy_hw_find("b200", &arena, &err)};
    double p[GY_GEMM_PARAMETERS];
    memcpy(p, gy_gemm_default, sizeof p);
    p[1] = log(0.5); /* half the peak */
    p[6] = log(4);
    for (double m = 16; m <= 8192; m *= 2)
        for (double n = 128; n <= 16384; n *= 2)
            for (double k = 128; k <= 16384; k *= 4) {
                struct gy_gemm_row r = {m, n, k, gy_gemm_formula(p, 2250e12, 7700e9, 2, m, n, k)};
                cr_assert(gy_vec_push(&s.rows, r));
            }
    cr_assert_eq(gy_fit_gemm(&s, &g, &err), 0, "%s", err.what);
    cr_assert_lt(g.error_median, 0.01);
    s.rows.n = 10;
    cr_assert_eq(gy_fit_gemm(&s, &g, &err), -1);
    gy_vec_free(&s.rows);
    gy_arena_free(&arena);
}

Test(calibrate_fit, validate_and_plot)
{
    struct gy_measurements m = {0};
    struct gy_fit_notes notes = {0};
    struct gy_calibration cal;
    struct gy_fit_options o = {.name = "t", .no_holdout = true};
    char path[80], sha[65];
    size_t len;
    invent(&m, 2, 1.2, "one <&> two");
    cr_assert_eq(gy_fit(&m, &o, &cal, &notes, &err), 0);
    snprintf(path, sizeof path, "/tmp/gy_plot_%d.svg", (int)getpid());
    cr_assert_eq(gy_validation_plot(&cal, &m, GY_VALID_ALL, path, &err), 0, "%s", err.what);
    char *svg = gy_file_slurp(path, 1 << 20, &len, sha, &err);
    cr_assert(strstr(svg, "<svg") && strstr(svg, "</svg>") && strstr(svg, "one &lt;&amp;> two"));
    cr_assert_null(strstr(svg, "nan"));
    free(svg);
    for (int mode = GY_VALID_PRIOR; mode <= GY_VALID_THIRD; mode++) {
        struct gy_validation v;
        cr_assert_eq(gy_validate(&cal, &m, (enum gy_valid_mode)mode, &v, &err), 0);
        cr_assert_eq(v.rows.n, mode == GY_VALID_THIRD ? 10 : 30);
        cr_assert_eq(gy_validation_write(&v, path, &err), 0);
        gy_validation_free(&v);
    }
    unlink(path);
    gy_calibration_free(&cal);
    gy_fit_notes_free(&notes);
    gy_measurements_free(&m);
}
