/* The shipped calibrations and the calibrated answer: they load, reproduce their own curves, stay monotone, interpolate
 * node counts, say what they rest on. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "gy_calibration.h"
#include "gy_json.h"
#include "gy_kernel.h"

static struct gy_error err;

static struct gy_calibration shipped(void)
{
    struct gy_calibration cal;
    cr_assert_eq(gy_calibration_load(&cal, NULL, &err), 0, "%s %s", err.place, err.what);
    return cal;
}

Test(models_calibration, all_that_is_shipped_loads)
{
    static const char *const names[] = {"v100-edr",    "a100-hdr",    "a100-roce", "a100-efa", "h100-ib",
                                        "h100-roce",   "h100-efa",    "h100-tcpx", "h200",     "b200",
                                        "gb200-nvl72", "gb300-nvl72", "mi300x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct gy_calibration cal;
        cr_assert_eq(gy_calibration_load(&cal, names[i], &err), 0, "%s: %s %s", names[i], err.place, err.what);
        cr_assert_gt(cal.curves.n, 0);
        cr_assert_gt(cal.errors.n, 0, "%s carries no hold-out error", names[i]);
        for (size_t c = 0; c < cal.curves.n; c++)
            cr_assert(*cal.curves.at[c].source && *cal.curves.at[c].system);
        gy_calibration_free(&cal);
    }
    struct gy_calibration all = shipped();
    cr_assert_gt(all.curves.n, 100);
    cr_assert_geq(all.gemms.n, 5);
    gy_calibration_free(&all);
    cr_assert_eq(gy_calibration_load(&all, "v100-edf", &err), -1);
    cr_assert(strstr(err.hint, "v100-edr"), "%s", err.hint);
}

Test(models_calibration, a_measured_configuration_is_reproduced)
{
    /* The only curve of 16 V100 nodes on EDR: at its knots the answer is the curve. */
    struct gy_calibration cal = shipped();
    const struct gy_curve *curve = NULL;
    for (size_t i = 0; i < cal.curves.n; i++)
        if (cal.curves.at[i].at.nodes == 16 && !strcmp(cal.curves.at[i].at.hw->name, "v100-4x"))
            curve = &cal.curves.at[i];
    cr_assert_not_null(curve);
    double last = 0;
    for (size_t k = 0; k < curve->n; k++) {
        struct gy_coll_answer a;
        double bytes = exp2(curve->log2_bytes[k]);
        cr_assert_eq(gy_coll_predict(&cal, &curve->at, bytes, NULL, &a, &err), 0);
        cr_assert_float_eq(a.r.time_s * 1e6 / exp(curve->log_us[k]), 1, 0.08, "%.0f", bytes);
        cr_assert_str_eq(a.basis.system, curve->system);
        cr_assert_gt(a.basis.trust, 0.9);
        cr_assert_eq(a.basis.of, GY_COLL_SYSTEM); /* a shipped curve is another's machine */
        cr_assert_gt(a.basis.median, curve->error_median);
        cr_assert_geq(a.r.time_s, last);
        last = a.r.time_s;
    }
    gy_calibration_free(&cal);
}

Test(models_calibration, a_node_count_in_between_lies_in_between)
{
    struct gy_calibration cal = shipped();
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_coll_query q = {.op = GY_ALL_REDUCE,
                              .hw = gy_hw_find("v100-4x", &arena, &err),
                              .gpus_per_node = 4,
                              .fabric = gy_fabric_find("ib-edr", &arena, &err),
                              .nics = 2,
                              .nic_gbit = 100};
    double t[3];
    uint32_t counts[3] = {8, 11, 16};
    for (int i = 0; i < 3; i++) {
        struct gy_coll_answer a;
        q.nodes = counts[i];
        cr_assert_eq(gy_coll_predict(&cal, &q, 1e6, NULL, &a, &err), 0);
        t[i] = a.r.time_s;
    }
    cr_assert(t[0] < t[1] && t[1] < t[2], "%g %g %g", t[0], t[1], t[2]);
    gy_calibration_free(&cal);
    gy_arena_free(&arena);
}

Test(models_calibration, monotone_and_equal_to_the_table)
{
    struct gy_calibration cal = shipped();
    static const char *const hardware[] = {"hgx-h100", "dgx-a100-80", "gb300-nvl72", "mi300x", "l4"};
    struct gy_arena arena = GY_ARENA_INIT;
    for (size_t h = 0; h < 5; h++)
        for (uint32_t nodes = 1; nodes <= 64; nodes *= 8) {
            struct gy_coll_query q = {.op = h % 2 ? GY_ALL_GATHER : GY_ALL_REDUCE, .nodes = nodes};
            struct gy_coll_table t;
            q.hw = gy_hw_find(hardware[h], &arena, &err);
            q.gpus_per_node = (uint32_t)q.hw->gpus.value;
            q.fabric = gy_fabric_find(q.hw->fabric, &arena, &err);
            cr_assert_eq(gy_coll_check(&q, &err), 0);
            cr_assert_eq(gy_coll_table_init(&t, &cal, &q, NULL, &err), 0);
            double last = 0;
            for (double s = 1; s < 1e12; s *= 3.3) {
                struct gy_coll_answer a;
                cr_assert_eq(gy_coll_predict(&cal, &q, s, NULL, &a, &err), 0);
                cr_assert(a.r.time_s >= last && isfinite(a.r.time_s));
                cr_assert_float_eq(gy_coll_table_time(&t, s) / a.r.time_s, 1, 1e-9, "%s %u %.0f", hardware[h], nodes,
                                   s);
                last = a.r.time_s;
            }
        }
    gy_calibration_free(&cal);
    gy_arena_free(&arena);
}

Test(models_calibration, leaving_a_system_out)
{
    struct gy_calibration cal = shipped();
    const struct gy_curve *c = &cal.curves.at[0];
    struct gy_coll_except all = {.system = c->system};
    struct gy_coll_answer with, without;
    cr_assert_eq(gy_coll_predict(&cal, &c->at, 1e6, NULL, &with, &err), 0);
    cr_assert_eq(gy_coll_predict(&cal, &c->at, 1e6, &all, &without, &err), 0);
    cr_assert(!without.basis.system || strcmp(without.basis.system, c->system) != 0);
    cr_assert_lt(without.basis.trust, with.basis.trust + 1e-12);
    gy_calibration_free(&cal);
}

Test(models_calibration, broken_files)
{
    static const char *const bad[] = {
        "{\"format\": \"other\"}",
        "[]",
        "{\"format\": \"gpuyard-calibration-1\", \"curves\": [{\"hardware\": \"hgx-h100\", \"op\": \"all_reduce\"}]}",
        "{\"format\": \"gpuyard-calibration-1\", \"curves\": [{\"hardware\": \"hgx-h100\", \"op\": \"all_reduce\", "
        "\"nodes\": 1,"
        "\"gpus_per_node\": 8, \"bytes\": [8, 4], \"time_us\": [1, 2], \"ci95\": [0, 0]}]}",
        "{\"format\": \"gpuyard-calibration-1\", \"curves\": [{\"hardware\": \"hgx-h100\", \"op\": \"all_reduce\", "
        "\"nodes\": 1,"
        "\"gpus_per_node\": 8, \"bytes\": [8, 16], \"time_us\": [2], \"ci95\": [0, 0]}]}",
        "{\"format\": \"gpuyard-calibration-1\", \"curves\": [{\"hardware\": \"hgx-h1000\", \"op\": \"all_reduce\", "
        "\"nodes\": 1,"
        "\"gpus_per_node\": 8, \"bytes\": [8], \"time_us\": [2], \"ci95\": [0]}]}",
        ("{\"format\": \"gpuyard-calibration-1\", \"gemm\": [{\"hardware\": \"b200\", \"dtype\": \"bf16\", "
         "\"parameters\": [1]}]}"),
        "{\"format\": \"gpuyard-calibration-1\", \"curves\": {}}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char path[] = "/tmp/gy_cal_XXXXXX.json";
        int fd = mkstemps(path, 5);
        FILE *f = fdopen(fd, "w");
        fputs(bad[i], f);
        fclose(f);
        struct gy_calibration cal;
        cr_assert_eq(gy_calibration_load(&cal, path, &err), -1, "%s", bad[i]);
        cr_assert_eq(err.code, GY_EINPUT);
        cr_assert(*err.place, "no place: %s", err.what);
        remove(path);
    }
}

Test(models_calibration, gemm)
{
    struct gy_calibration cal = shipped();
    struct gy_arena arena = GY_ARENA_INIT;
    bool exact;
    const struct gy_hw *hw = gy_hw_find("hgx-h100", &arena, &err);
    const struct gy_gemm_model *g = gy_gemm_model_for(&cal, hw, GY_BF16, &exact);
    cr_assert(exact);
    /* 8192 cubed: 1.1 × 10^12 flops at 70 to 80 % of 989 TFLOP/s. */
    double us = gy_gemm_us(g, hw, GY_BF16, 8192, 8192, 8192), rate = 2.0 * 8192 * 8192 * 8192 / us / 1e6;
    cr_assert(rate > 650 && rate < 850, "%g TFLOP/s", rate);
    /* One row: the weights' bytes at most of the memory rate, launch included. */
    us = gy_gemm_us(g, hw, GY_BF16, 1, 8192, 8192);
    cr_assert(us > 2.0 * 8192 * 8192 / 3350e3 && us < 2.2 * 2.0 * 8192 * 8192 / 3350e3, "%g us", us);
    cr_assert_lt(us, gy_gemm_us(g, hw, GY_BF16, 4096, 8192, 8192));
    const struct gy_hw *l4 = gy_hw_find("l4", &arena, &err);
    g = gy_gemm_model_for(&cal, l4, GY_BF16, &exact);
    cr_assert_not(exact);
    cr_assert_gt(gy_gemm_us(g, l4, GY_BF16, 4096, 4096, 4096),
                 2.0 * 4096 * 4096 * 4096 / 121e6); /* not above its peak */
    g = gy_gemm_model_for(NULL, hw, GY_FP8, &exact);
    cr_assert_not(exact);
    cr_assert_gt(gy_gemm_us(g, hw, GY_FP8, 64, 64, 64), 0);
    cr_assert_eq(gy_gemm_us(g, hw, GY_FP8, 0, 64, 64), 0);
    gy_calibration_free(&cal);
    gy_arena_free(&arena);
}
