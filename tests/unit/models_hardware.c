/* The catalogue: every embedded file loads, every figure has a source, names and aliases are found, bad files fail. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_bind.h"
#include "gy_hardware.h"
#include "gy_json.h"

Test(models_hardware, every_entry_loads)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    const struct gy_model_file *f;
    int hardware = 0, fabrics = 0;
    for (size_t i = 0; (f = gy_model_file_at(i)); i++) {
        if (!strcmp(f->kind, "hardware")) {
            const struct gy_hw *hw = gy_hw_find(f->name, &arena, &err);
            cr_assert_not_null(hw, "%s: %s %s", f->name, err.place, err.what);
            cr_assert_str_eq(hw->name, f->name);
            cr_assert(hw->gpu.memory_gib.value > 0 && hw->gpu.hbm_gbps.value > 0 && hw->gpu.max_w.value > 0);
            cr_assert_gt(hw->node_max_w.value, hw->gpus.value * hw->gpu.idle_w.value);
            cr_assert_gt(gy_hw_peak_tflops(hw, GY_BF16), 10);
            cr_assert_not_null(gy_fabric_find(hw->fabric, &arena, &err), "%s names fabric %s", f->name, hw->fabric);
            hardware++;
        } else if (!strcmp(f->kind, "fabrics")) {
            const struct gy_fabric *fabric = gy_fabric_find(f->name, &arena, &err);
            cr_assert_not_null(fabric, "%s: %s %s", f->name, err.place, err.what);
            cr_assert_str_eq(fabric->name, f->name);
            fabrics++;
        }
    }
    cr_assert_geq(hardware, 17);
    cr_assert_geq(fabrics, 12);
    gy_arena_free(&arena);
}

/* A figure is an object with "value" and "source"; every number of a hardware or fabric file stands in one. */
static void figures(const struct gy_json *v, const char *file, int *count)
{
    if (gy_json_type(v) == GY_J_NUMBER)
        cr_assert_fail("%s: %s is a bare number, not a figure with its source", file, gy_json_key(v));
    if (gy_json_type(v) == GY_J_OBJECT && gy_json_get(v, "value")) {
        const char *source = gy_json_string(gy_json_get(v, "source"));
        cr_assert(source && strlen(source) > 3, "%s: %s has no source", file, gy_json_key(v));
        ++*count;
        return;
    }
    if (gy_json_type(v) == GY_J_OBJECT || gy_json_type(v) == GY_J_ARRAY)
        for (const struct gy_json *c = gy_json_first(v); c; c = gy_json_next(c))
            figures(c, file, count);
}

Test(models_hardware, every_figure_has_a_source)
{
    struct gy_error err = {0};
    const struct gy_model_file *f;
    int count = 0;
    for (size_t i = 0; (f = gy_model_file_at(i)); i++) {
        if (strcmp(f->kind, "hardware") && strcmp(f->kind, "fabrics"))
            continue;
        struct gy_json_doc *doc = gy_json_parse(f->name, f->text, f->len, &err);
        cr_assert_not_null(doc);
        figures(gy_json_root(doc), f->name, &count);
        gy_json_free(doc);
    }
    cr_assert_gt(count, 400);
}

Test(models_hardware, names_aliases_and_near_misses)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    cr_assert_str_eq(gy_hw_find("h100", &arena, &err)->name, "hgx-h100");
    cr_assert_str_eq(gy_hw_find("DGX-H100", &arena, &err)->name, "hgx-h100");
    cr_assert_str_eq(gy_hw_canonical("gb200"), "gb200-nvl72");
    cr_assert_null(gy_hw_canonical("h10"));
    cr_assert_str_eq(gy_fabric_find("edr", &arena, &err)->name, "ib-edr");
    cr_assert_null(gy_hw_find("dgx-v10", &arena, &err));
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert(strstr(err.hint, "dgx-v100"), "%s", err.hint);
    cr_assert_null(gy_hw_find("/nowhere/x.json", &arena, &err));
    gy_arena_free(&arena);
}

Test(models_hardware, datasheet_figures)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    const struct gy_hw *hw = gy_hw_find("dgx-a100", &arena, &err);
    cr_assert_eq(hw->gpu.peak_tflops[GY_BF16].value, 312);
    cr_assert_eq(hw->gpu.peak_tflops[GY_FP8].value, 0);
    cr_assert_str_eq(hw->gpu.peak_tflops[GY_FP8].source, "");
    cr_assert_eq(gy_hw_peak_tflops(hw, GY_FP8), 312); /* no fp8 units: runs at the 16-bit rate */
    cr_assert_eq(gy_hw_peak_tflops(gy_hw_find("dgx-v100", &arena, &err), GY_BF16), 125);
    cr_assert_eq(hw->nics.value * hw->nic_gbit.value / 8, 200); /* 8 × 200 Gbit/s = 200 × 10^9 bytes/s */
    cr_assert_eq(gy_hw_find("gb200", &arena, &err)->intra.domain_gpus.value, 72);
    gy_arena_free(&arena);
}

Test(models_hardware, a_users_file_is_taken_and_checked)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/gy_fabric_%d.json", (int)getpid());
    FILE *f = fopen(path, "w");
    fputs("{\"name\": \"mine\", \"summary\": \"s\", \"kind\": \"roce\",\n"
          " \"latency_us\": {\"value\": 2.5, \"source\": \"measured\"}, \"efficiency\": {\"value\": 0.9, \"source\": "
          "\"m\"}}",
          f);
    fclose(f);
    const struct gy_fabric *fabric = gy_fabric_find(path, &arena, &err);
    cr_assert_not_null(fabric, "%s %s", err.place, err.what);
    cr_assert_eq(fabric->latency_us.value, 2.5);
    cr_assert_eq(fabric->nics.value, 0);
    f = fopen(path, "w");
    fputs(
        "{\"name\": \"mine\", \"summary\": \"s\", \"kind\": \"roce\", \"latency\": {\"value\": 2.5, \"source\": \"x\"},"
        "\"efficiency\": {\"value\": 0.9, \"source\": \"m\"}}",
        f);
    fclose(f);
    cr_assert_null(gy_fabric_find(path, &arena, &err));
    cr_assert(strstr(err.what, "latency") || strstr(err.place, "latency"), "%s %s", err.place, err.what);
    unlink(path);
    gy_arena_free(&arena);
}

Test(models_hardware, precisions)
{
    cr_assert_eq(gy_precision_of("bfloat16"), GY_BF16);
    cr_assert_eq(gy_precision_of("FP8"), GY_FP8);
    cr_assert_eq(gy_precision_of("half"), GY_FP16);
    cr_assert_eq(gy_precision_of("quad"), -1);
    cr_assert_eq(gy_precision_bytes_x8(GY_FP4), 4);
}
