/* The part of the measurement file that `gpuyard calibrate` reads: "sets", one operation on one group of GPUs over
 * sizes with both placements in a row, and "gemm", one table a precision. Made from the detailed rows, which hold the
 * spread. One-rank collectives and the later blocks of a node are in the detail only: they say nothing of the group's
 * links that a model asks for; so are products of a precision with fewer shapes than a fit takes. */
#include "gy_probe.h"
#include <math.h>
#include <string.h>

static bool same_set(const struct gy_probe_row *a, const struct gy_probe_row *b)
{
    return strcmp(gy_probe_row_word(a, "op"), gy_probe_row_word(b, "op")) == 0 &&
           gy_probe_row_get(a, "nodes") == gy_probe_row_get(b, "nodes") &&
           gy_probe_row_get(a, "gpus_per_node") == gy_probe_row_get(b, "gpus_per_node");
}

static bool belongs(const struct gy_probe_row *r)
{
    return r->section == GY_PROBE_COLLECTIVES && gy_probe_row_get(r, "ranks") > 1 &&
           gy_probe_row_get(r, "first_gpu") == 0;
}

/* The time of the row of this set with these bytes and placement; NaN when there is none. */
static double time_at(const struct gy_probe_file *f, const struct gy_probe_row *like, double bytes, bool in_place)
{
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        if (belongs(r) && same_set(r, like) && gy_probe_row_get(r, "bytes") == bytes &&
            (gy_probe_row_get(r, "in_place") > 0) == in_place) {
            return gy_probe_row_get(r, "time_us");
        }
    }
    return NAN;
}

static void set_rows(const struct gy_probe_file *f, const struct gy_probe_row *like, struct gy_json_out *o)
{
    gy_jo_array(o, "rows");
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        double bytes = gy_probe_row_get(r, "bytes");
        bool in_place = gy_probe_row_get(r, "in_place") > 0;
        if (!belongs(r) || !same_set(r, like) || (in_place && !isnan(time_at(f, like, bytes, false)))) {
            continue;
        }
        gy_jo_object(o, NULL);
        gy_jo_number(o, "bytes", bytes);
        gy_jo_number(o, "time_us", time_at(f, like, bytes, false));
        gy_jo_number(o, "in_place_us", time_at(f, like, bytes, true));
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

/* The algorithm or protocol that the environment forces, as calibrate writes it; "auto" when it leaves the choice. */
static const char *forced(char *const *environ_, const char *variable, const char *const (*words)[2])
{
    size_t n = strlen(variable);
    for (; environ_ && *environ_; environ_++) {
        if (strncmp(*environ_, variable, n) != 0 || (*environ_)[n] != '=') {
            continue;
        }
        for (; (*words)[0]; words++) {
            if (strcasecmp(*environ_ + n + 1, (*words)[0]) == 0) {
                return (*words)[1];
            }
        }
    }
    return "auto";
}

static void open_set(const struct gy_probe_file *f, const char *dtype, struct gy_json_out *o)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "system", f->system);
    gy_jo_string(o, "hardware", f->hardware);
    gy_jo_string(o, "dtype", dtype);
    gy_jo_string(o, "source", "gpuyard-probe " GY_VERSION);
}

static void write_set(const struct gy_probe_file *f, const struct gy_probe_row *r, char *const *environ_,
                      struct gy_json_out *o)
{
    static const char *const algorithms[][2] = {
        {"Ring", "ring"}, {"Tree", "tree"}, {"NVLS", "nvls"}, {"NVLSTree", "nvlstree"}, {NULL, NULL}};
    static const char *const protocols[][2] = {{"LL", "ll"}, {"LL128", "ll128"}, {"Simple", "simple"}, {NULL, NULL}};
    char library[48];
    gy_probe_nccl_version(f->nccl_version, library, sizeof library);
    open_set(f, "float", o);
    gy_jo_string(o, "fabric", gy_probe_row_get(r, "nodes") > 1 && f->fabric ? f->fabric : "");
    gy_jo_string(o, "op", gy_probe_row_word(r, "op"));
    gy_jo_string(o, "algo", forced(environ_, "NCCL_ALGO", algorithms));
    gy_jo_string(o, "proto", forced(environ_, "NCCL_PROTO", protocols));
    gy_jo_string(o, "library", library);
    gy_jo_string(o, "timing", "stream");
    gy_jo_number(o, "nodes", gy_probe_row_get(r, "nodes"));
    gy_jo_number(o, "gpus_per_node", gy_probe_row_get(r, "gpus_per_node"));
    gy_jo_number(o, "ranks", gy_probe_row_get(r, "ranks"));
    set_rows(f, r, o);
    gy_jo_end(o, '}');
}

static void write_gemm(const struct gy_probe_file *f, const char *dtype, struct gy_json_out *o)
{
    open_set(f, dtype, o);
    gy_jo_string(o, "library", "cublaslt");
    gy_jo_array(o, "rows");
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        if (r->section == GY_PROBE_KERNELS && strcmp(gy_probe_row_word(r, "kernel"), "gemm") == 0 &&
            strcmp(gy_probe_row_word(r, "dtype"), dtype) == 0) {
            gy_jo_array(o, NULL);
            gy_jo_number(o, NULL, gy_probe_row_get(r, "m"));
            gy_jo_number(o, NULL, gy_probe_row_get(r, "n"));
            gy_jo_number(o, NULL, gy_probe_row_get(r, "k"));
            gy_jo_number(o, NULL, gy_probe_row_get(r, "time_us"));
            gy_jo_end(o, ']');
        }
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
}

int gy_probe_gemm_shapes(const struct gy_probe_file *f, const char *dtype)
{
    int n = 0;
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        n += r->section == GY_PROBE_KERNELS && strcmp(gy_probe_row_word(r, "kernel"), "gemm") == 0 &&
             strcmp(gy_probe_row_word(r, "dtype"), dtype) == 0;
    }
    return n;
}

void gy_probe_sets_write(const struct gy_probe_file *f, char *const *environ_, struct gy_json_out *o)
{
    gy_jo_array(o, "sets");
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct gy_probe_row *r = &f->rows.at[i];
        bool first = belongs(r);
        for (size_t j = 0; j < i && first; j++) {
            first = !(belongs(&f->rows.at[j]) && same_set(&f->rows.at[j], r));
        }
        if (first) {
            write_set(f, r, environ_, o);
        }
    }
    gy_jo_end(o, ']');
    gy_jo_array(o, "gemm");
    for (int t = 0; t < GY_PROBE_DTYPES; t++) {
        const char *dtype = gy_probe_dtype_name((enum gy_probe_dtype)t);
        if (gy_probe_gemm_shapes(f, dtype) >= GY_PROBE_GEMM_LEAST) {
            write_gemm(f, dtype, o);
        }
    }
    gy_jo_end(o, ']');
}
