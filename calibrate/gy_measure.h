/* Measurements: what `calibrate import` makes out of logs and tables, and what fit and validate read. One file holds
 * any number of sets; a set is one operation on one group of GPUs over sizes, or one GEMM table of one GPU. The format
 * is described in calibrate/README.md. Times in µs, sizes in bytes as nccl-tests counts them. */
#ifndef GY_MEASURE_H
#define GY_MEASURE_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_collective.h"
#include "gy_error.h"
#include "gy_vec.h"

struct gy_meas_row {
    double bytes;
    double time_us;     /* out of place; NaN when not measured */
    double in_place_us; /* NaN when not measured */
};

struct gy_meas_set {      /* texts live in the file's arena; "" when not known */
    const char *system;   /* whose machine: what is left out together in a hold-out */
    const char *hardware; /* catalogue name */
    const char *fabric;   /* catalogue name; "" for one node */
    const char *dtype, *library, *source, *note;
    const char *timing;    /* "stream" (launches included) or "graph" (kernels replayed from a graph) */
    double nics, nic_gbit; /* 0: as the catalogue says */
    uint32_t nodes, gpus_per_node, ranks;
    enum gy_coll_op op;
    enum gy_coll_algo algo; /* forced in the run, else AUTO */
    enum gy_coll_proto proto;
    bool degraded;       /* the log or its name says so */
    bool cold_first_row; /* the first row's first half was taken before the connections were up */
    GY_VEC(struct gy_meas_row) rows;
};

struct gy_gemm_row {
    double m, n, k, time_us;
};
struct gy_gemm_set {
    const char *system, *hardware, *dtype, *library, *source;
    GY_VEC(struct gy_gemm_row) rows;
};

struct gy_measurements {
    struct gy_arena arena;
    GY_VEC(struct gy_meas_set) sets;
    GY_VEC(struct gy_gemm_set) gemms;
};

void gy_measurements_free(struct gy_measurements *m);
/* A new set with every text "" and counts 0; NULL when out of memory. Valid until the next one is added. */
struct gy_meas_set *gy_meas_add(struct gy_measurements *m);
struct gy_gemm_set *gy_gemm_add(struct gy_measurements *m);
/* One number for a row: the geometric mean of the halves; the smaller where they differ by more than half (a hiccup);
 * the in-place half of a cold first row. NaN when there is none. */
double gy_meas_time_us(const struct gy_meas_set *s, size_t row);

/* Reading and writing the JSON format. */
int gy_measure_load(struct gy_measurements *m, const char *path, struct gy_error *err);
int gy_measure_save(const struct gy_measurements *m, const char *path, struct gy_error *err);

struct gy_import_options { /* what the user knows better than the log; NULL or 0: find out */
    const char *op, *hardware, *fabric, *system, *algo;
    uint32_t nodes, gpus_per_node;
};
/* Appends the sets of one file of any known kind: nccl-tests text or JSON, a kernel or collective CSV, our own format.
 * The kind is found by content. Errors name file and line. */
int gy_import(struct gy_measurements *m, const char *path, const struct gy_import_options *opt, struct gy_error *err);

/* The parts of it, on a text in memory. */
int gy_import_nccl_text(struct gy_measurements *m, const char *path, const char *text,
                        const struct gy_import_options *opt, struct gy_error *err);
int gy_import_csv(struct gy_measurements *m, const char *path, const char *text, const struct gy_import_options *opt,
                  struct gy_error *err);
struct gy_json_doc;
int gy_import_nccl_json(struct gy_measurements *m, const char *path, const struct gy_json_doc *doc,
                        const struct gy_import_options *opt, struct gy_error *err);
int gy_measure_read(struct gy_measurements *m, const struct gy_json_doc *doc, struct gy_error *err);

/* Fills hardware, fabric, nics, degraded and library of a set out of words: GPU and network descriptions, environment,
 * file name. Leaves what is set. */
void gy_infer(struct gy_measurements *m, struct gy_meas_set *s, const char *gpu, const char *words);
/* "a100" of "hgx-a100-40": the GPU, whatever the box; the name itself where none is known. */
const char *gy_gpu_family(const char *hardware);
/* Node shape, rank count and operation out of a file name ("…_2n16g_…", "…allgather…"); only what is still unknown. */
void gy_infer_from_name(struct gy_meas_set *s, const char *path, bool *has_op);
#endif
