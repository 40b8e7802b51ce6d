/* The probe's host side: options, the plan of what to measure, statistics, rows and the measurement file. Knows nothing
 * of CUDA, so that all of it builds and is tested on any machine; calibrate/probe/gpu/ does the measuring.
 * Units: bytes, microseconds, GB/s = 10^9 bytes/s, watts, MHz. */
#ifndef GY_PROBE_H
#define GY_PROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_file.h"
#include "gy_json.h"
#include "gy_vec.h"

/* ---- options (options.c) ---- */
#define GY_PROBE_ONLY_MAX 32
enum gy_probe_progress { GY_PROBE_PROGRESS_AUTO, GY_PROBE_PROGRESS_ALWAYS, GY_PROBE_PROGRESS_NEVER };
enum gy_probe_verb {
    GY_PROBE_MEASURE,
    GY_PROBE_PLAN,
    GY_PROBE_LIST,
    GY_PROBE_LIBRARIES,
    GY_PROBE_HELP,
    GY_PROBE_VERSION
};
struct gy_probe_options {
    enum gy_probe_verb verb;
    bool full, force, verbose, quiet;
    int assume_gpus, assume_nodes; /* of --dry-run; 0: what is there */
    double budget_s;               /* 0: none */
    double timeout_s;              /* longest wait for one operation */
    double max_bytes;              /* largest message or array */
    enum gy_probe_progress progress;
    const char *out;                        /* "-" is stdout */
    const char *hardware, *fabric, *system; /* names for the file, NULL: from the device's name, none */
    const char *only[GY_PROBE_ONLY_MAX];
    int only_count;
};
/* argv's texts are kept by pointer. Every wrong option is named with the nearest right one. */
int gy_probe_options_parse(int argc, char **argv, struct gy_probe_options *o, struct gy_error *err);
void gy_probe_options_help(FILE *to);

/* ---- sizes and groups (sizes.c) ---- */
/* lo, lo·factor, … ≤ hi, ascending, always ending with the largest power that fits; returns how many (≤ max). */
int gy_probe_sizes(uint64_t lo, uint64_t hi, unsigned factor, uint64_t *out, int max);
/* GPUs first…first+gpus−1 of each of the nodes 0…nodes−1. */
struct gy_probe_group {
    int nodes, first, gpus;
};
#define GY_PROBE_GROUPS_MAX 1024
/* Leading nodes × leading GPUs in powers of two and in full; with every_block also the other aligned power-of-two
 * blocks of one node. One rank alone only where the whole machine is one GPU. */
int gy_probe_groups(int nodes, int gpus, bool every_block, struct gy_probe_group *out, int max);
static inline int gy_probe_ranks(const struct gy_probe_group *g)
{
    return g->nodes * g->gpus;
}
/* Which of the remaining shares[from…n) of the remaining time the family `from` may use, seconds. */
double gy_probe_allot(const double *shares, int n, int from, double remaining_s);

/* ---- data types (dtype.c) ---- */
enum gy_probe_dtype { GY_PROBE_F32, GY_PROBE_TF32, GY_PROBE_BF16, GY_PROBE_F16, GY_PROBE_F8E4M3, GY_PROBE_DTYPES };
const char *gy_probe_dtype_name(enum gy_probe_dtype t); /* "float32", "tf32", "bf16", "fp16", "fp8" */
size_t gy_probe_dtype_bytes(enum gy_probe_dtype t);
double gy_probe_decode(enum gy_probe_dtype t, const void *at); /* the value of one stored element */

/* ---- what a correct answer is (expect.c) ---- */
/* Element i of rank r's send buffer holds gy_probe_pattern(r, i): an integer 0…28, so that float32 sums over up to 2^19
 * ranks are exact in any order. A period of 29 divides no power of two, so shifted blocks show. */
#define GY_PROBE_PERIOD 29
static inline unsigned gy_probe_pattern(uint64_t rank, uint64_t i)
{
    return (unsigned)((i % GY_PROBE_PERIOD + rank * 11) % GY_PROBE_PERIOD);
}
struct gy_probe_table { /* the expected value of element i is at[(i + shift) % PERIOD] */
    float at[GY_PROBE_PERIOD];
};
enum gy_probe_op {
    GY_PROBE_ALL_REDUCE,
    GY_PROBE_ALL_GATHER,
    GY_PROBE_REDUCE_SCATTER,
    GY_PROBE_BROADCAST,
    GY_PROBE_REDUCE,
    GY_PROBE_ALL_TO_ALL,
    GY_PROBE_SEND_RECV,
    GY_PROBE_OPS
};
const char *gy_probe_op_name(enum gy_probe_op op);          /* as the contract's --op */
double gy_probe_bus_factor(enum gy_probe_op op, int ranks); /* busbw = algbw × this */
bool gy_probe_op_in_place(enum gy_probe_op op);             /* whether it has an in-place form */
/* Elements a rank sends and receives for a message of `bytes` as nccl-tests counts it (the larger of the two buffers).
 */
struct gy_probe_counts {
    uint64_t send, recv; /* of float32 */
    uint64_t bytes;      /* the larger, in bytes: what the row reports */
};
struct gy_probe_counts gy_probe_op_counts(enum gy_probe_op op, uint64_t bytes, int ranks);
/* One run of equal rule in the receive buffer of a rank. */
struct gy_probe_expect {
    uint64_t offset, count; /* elements of the receive buffer */
    unsigned shift;
    struct gy_probe_table table;
};
/* Number of segments to check on this rank (0: nothing is defined there), and the k-th of them. */
int gy_probe_expect_segments(enum gy_probe_op op, int ranks, int rank);
void gy_probe_expect_at(enum gy_probe_op op, struct gy_probe_counts c, int ranks, int rank, int k,
                        struct gy_probe_expect *e);
void gy_probe_table_of_rank(int rank, struct gy_probe_table *t);
void gy_probe_table_sum(int ranks, struct gy_probe_table *t);

/* ---- the plan (plan.c) ---- */
struct gy_probe_world {                  /* what is to be measured; the same on every process */
    int nodes, gpus;                     /* GPUs of each node */
    int cc;                              /* compute capability × 10 */
    uint64_t memory_bytes, shared_bytes; /* free device memory, shared memory a block may opt in to */
    uint64_t max_bytes;
    bool full, nccl, cublaslt, nvml;
};
struct gy_probe_step { /* one measured point; a family reads the members that it set itself */
    int family, kind;
    enum gy_probe_dtype dtype;
    struct gy_probe_group group;
    int gpu, peer;
    bool in_place, pageable;
    uint64_t bytes;
    uint64_t m, n, k;
};
struct gy_probe_plan {
    GY_VEC(struct gy_probe_step) steps;
    GY_VEC(char *) notes; /* "family: why it is left out", owned */
    int family;           /* set before a family's plan() is called */
    bool failed;          /* out of memory */
};
void gy_probe_plan_add(struct gy_probe_plan *p, struct gy_probe_step step); /* fills step.family */
void gy_probe_plan_note(struct gy_probe_plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_probe_plan_free(struct gy_probe_plan *p);

/* ---- statistics (timing.c) ---- */
enum gy_probe_clock { GY_PROBE_EVENT, GY_PROBE_WALL };
struct gy_probe_timing { /* of one point: `repeats` batches of `iterations` back to back, each batch's mean a sample */
    double min_us, median_us, p95_us, mean_us;
    int iterations, repeats, warmup;
    enum gy_probe_clock clock;
};
int gy_probe_timing_of(const double *sample_us, int n,
                       struct gy_probe_timing *t); /* 0, or -1: out of memory or n < 1 */
/* How many repeats of a batch that takes batch_s fit into cap_s: at least 1, at most wanted. */
int gy_probe_repeats(double batch_s, double cap_s, int wanted);

/* ---- rows and the file (rows.c, file.c) ---- */
enum gy_probe_section {
    GY_PROBE_KERNELS,
    GY_PROBE_COLLECTIVES,
    GY_PROBE_COPIES,
    GY_PROBE_LAUNCHES,
    GY_PROBE_CONCURRENT,
    GY_PROBE_OVERLAP,
    GY_PROBE_POWER,
    GY_PROBE_SECTIONS
};
enum gy_probe_value { GY_PROBE_TEXT, GY_PROBE_NUMBER, GY_PROBE_INTEGER, GY_PROBE_BOOLEAN };
struct gy_probe_field {
    const char *key; /* a literal */
    enum gy_probe_value type;
    const char *text;
    double number;
    int64_t integer;
};
#define GY_PROBE_FIELDS_MAX 28
struct gy_probe_row {
    enum gy_probe_section section;
    int count;
    struct gy_probe_field at[GY_PROBE_FIELDS_MAX];
};
void gy_probe_row_text(struct gy_probe_row *r, const char *key, const char *text); /* text outlives the row */
void gy_probe_row_number(struct gy_probe_row *r, const char *key, double v);
void gy_probe_row_integer(struct gy_probe_row *r, const char *key, int64_t v);
void gy_probe_row_bool(struct gy_probe_row *r, const char *key, bool v);
void gy_probe_row_timing(struct gy_probe_row *r, const struct gy_probe_timing *t);
double gy_probe_row_get(const struct gy_probe_row *r, const char *key);       /* NaN when absent or a text */
const char *gy_probe_row_word(const struct gy_probe_row *r, const char *key); /* "" when absent or no text */

struct gy_probe_gpu {
    char name[256], pci[32], pci_path[512];
    int cc, sms, numa, nvlinks, nvlink_version, other_processes;
    uint64_t memory_bytes, l2_bytes, shared_bytes;
    int clock_mhz, memory_clock_mhz, bus_bits, sm_mhz_now, temperature_c;
    bool ecc;
    double power_cap_w, power_now_w;
    char link_speed[32], fabric_state[32];
    int link_width;
};
struct gy_probe_nic {
    char name[64], link_layer[32], rate[64], state[32], pci_path[512];
    int port, numa;
    double gbit; /* from rate; NaN when unreadable */
};
struct gy_probe_pair { /* GPU a → GPU b of one node */
    int a, b, peer_access, performance_rank;
    const char *nvlink, *read, *write; /* NVML's P2P status in words, NULL when not known */
    const char *distance;
};
struct gy_probe_file { /* everything that the measurement file says */
    struct gy_arena arena;
    const char *mode, *hardware, *fabric, *system;
    int nodes, gpus;
    bool links_measured;
    const char *links_note;
    int cuda_runtime, cuda_driver, nccl_version, mpi_processes;
    size_t cublaslt_version;
    char driver[96];
    const char *launch;
    GY_VEC(struct gy_probe_gpu) gpu;
    GY_VEC(struct gy_probe_nic) nic;
    GY_VEC(struct gy_probe_pair) pair;
    GY_VEC(struct gy_probe_row) rows;
    GY_VEC(const char *) skipped; /* in the arena */
    const char *stopped;          /* NULL: complete; else why not */
    bool failed;                  /* out of memory */
};
void gy_probe_file_add(struct gy_probe_file *f, const struct gy_probe_row *row);
void gy_probe_file_skip(struct gy_probe_file *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_probe_file_write(const struct gy_probe_file *f, char *const *environ_, struct gy_writer *to);
#define GY_PROBE_GEMM_LEAST 54 /* shapes of a precision, three a parameter of calibrate's model */
int gy_probe_gemm_shapes(const struct gy_probe_file *f, const char *dtype);
/* The part of it that calibrate fits. O(rows²). */
void gy_probe_sets_write(const struct gy_probe_file *f, char *const *environ_, struct gy_json_out *o);
void gy_probe_nccl_version(int version, char *buf, size_t size); /* 22809 → "2.28.9"; "" when 0 */
void gy_probe_file_free(struct gy_probe_file *f);
/* The hardware catalogue's spelling of a device name ("NVIDIA H100 80GB HBM3" → "h100"); the lower-case name with
 * dashes when it is none that is known. buf receives. */
void gy_probe_hardware_name(const char *device, char *buf, size_t size);
const char *gy_probe_section_name(enum gy_probe_section s);

/* ---- sysfs (sysfs.c); root is "/sys" but for tests. Missing files leave "" and -1. ---- */
void gy_probe_sysfs_gpu(const char *root, struct gy_probe_gpu *gpu); /* by gpu->pci */
int gy_probe_sysfs_nics(const char *root,
                        struct gy_probe_file *f); /* appends, sorted by name and port; -1: out of memory */
/* How two PCI devices reach each other, in nvidia-smi's words: PIX, PXB, PHB, NODE, SYS. */
const char *gy_probe_pci_distance(const char *path_a, int numa_a, const char *path_b, int numa_b);

/* ---- progress (progress.c) ---- */
struct gy_probe_bar {
    FILE *to; /* NULL: silent */
    bool rewrite;
    int width;
    double last_s;
};
void gy_probe_bar_open(struct gy_probe_bar *b, FILE *to, enum gy_probe_progress mode, bool terminal);
void gy_probe_bar_step(struct gy_probe_bar *b, const char *family, size_t done, size_t total, double now_s);
void gy_probe_bar_close(struct gy_probe_bar *b);
#endif
