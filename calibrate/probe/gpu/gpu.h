/* Inside the probe's measuring half: the context, the libraries loaded at run time, the families. One process measures
 * the GPUs of one node; under MPI, process p is node p. Not installed; needs the CUDA, cuBLASLt and NCCL headers. */
#ifndef GY_PROBE_GPU_H
#define GY_PROBE_GPU_H
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include "gy_probe.h"
#include "kernels.h"

enum { GP_GPUS_MAX = 64, GP_SLOTS = 5, GP_STREAMS = 2, GP_LANES = 2 };
enum gp_slot { GP_SEND, GP_RECEIVE, GP_THIRD, GP_FOURTH, GP_WORKSPACE };

/* ---- libraries (lib.c): opened by dlopen, so that their absence is a message and not a failure to start ---- */
#define GP_NCCL(X)                                                                                                     \
    X(GetVersion)                                                                                                      \
    X(GetUniqueId)                                                                                                     \
    X(CommInitAll)                                                                                                     \
    X(CommInitRank)                                                                                                    \
    X(CommDestroy)                                                                                                     \
    X(CommAbort)                                                                                                       \
    X(CommGetAsyncError)                                                                                               \
    X(GetErrorString)                                                                                                  \
    X(GetLastError)                                                                                                    \
    X(AllReduce)                                                                                                       \
    X(AllGather)                                                                                                       \
    X(ReduceScatter)                                                                                                   \
    X(Broadcast)                                                                                                       \
    X(Reduce)                                                                                                          \
    X(Send)                                                                                                            \
    X(Recv)                                                                                                            \
    X(GroupStart)                                                                                                      \
    X(GroupEnd)
struct gp_nccl {
    void *library; /* NULL: not there, why says it */
    char why[384];
#define X(f) __typeof__(nccl##f) *f;
    GP_NCCL(X)
#undef X
};
#define GP_LT(X)                                                                                                       \
    X(GetVersion)                                                                                                      \
    X(Create)                                                                                                          \
    X(Destroy)                                                                                                         \
    X(Matmul)                                                                                                          \
    X(MatmulDescCreate)                                                                                                \
    X(MatmulDescDestroy)                                                                                               \
    X(MatmulDescSetAttribute)                                                                                          \
    X(MatrixLayoutCreate)                                                                                              \
    X(MatrixLayoutDestroy)                                                                                             \
    X(MatmulPreferenceCreate)                                                                                          \
    X(MatmulPreferenceDestroy)                                                                                         \
    X(MatmulPreferenceSetAttribute)                                                                                    \
    X(MatmulAlgoGetHeuristic)
struct gp_lt {
    void *library;
    char why[384];
#define X(f) __typeof__(cublasLt##f) *f;
    GP_LT(X)
#undef X
};
struct gp_nvml; /* nvml.c */
void gp_nccl_open(struct gp_nccl *l);
void gp_lt_open(struct gp_lt *l);
struct gp_nvml *gp_nvml_open(char *why, size_t size); /* NULL with the reason */
void gp_nvml_close(struct gp_nvml *n);

struct gp_reading { /* NaN: not known */
    double power_w, sm_mhz, memory_mhz, temperature_c;
    uint64_t throttle; /* NVML's clock event reasons */
};
/* Facts by PCI address; what NVML does not tell stays as it was. */
void gp_nvml_facts(struct gp_nvml *n, int gpu, struct gy_probe_gpu *facts);
int gp_nvml_attach(struct gp_nvml *n, int gpu, const char *pci); /* -1: NVML does not know it */
void gp_nvml_driver(struct gp_nvml *n, char *buf, size_t size);
void gp_nvml_pair(struct gp_nvml *n, int a, int b, struct gy_probe_pair *pair);
void gp_nvml_read(struct gp_nvml *n, int gpu, struct gp_reading *r);

/* ---- the context ---- */
struct gp_context;
struct gp_device {
    cudaStream_t stream[GP_STREAMS];
    cudaEvent_t start, stop, mark;
    void *buffer[GP_SLOTS];
    size_t bytes[GP_SLOTS];
    unsigned long long *found; /* two: wrong elements, first of them */
    cublasLtHandle_t lt;
    bool peers_on[GP_GPUS_MAX];
};
/* Threads, one a GPU of this process; member 0 is the calling thread (team.c). */
struct gp_team;
struct gp_lane { /* one NCCL communicator over a group: a rank for each GPU of the group in this process */
    bool open;
    struct gy_probe_group group;
    ncclComm_t comm[GP_GPUS_MAX];
};
struct gp_sampler;
struct gp_watch;
struct gp_nodes;
struct gp_pace { /* how long a point may take */
    int warmup, iterations, repeats;
    double cap_s; /* of the timed batches of one point */
};
struct gp_context {
    const struct gy_probe_options *options;
    struct gy_probe_world world;
    struct gy_probe_file *file;
    struct gp_pace pace;
    struct gp_nccl nccl;
    struct gp_lt lt;
    struct gp_nvml *nvml;
    struct gp_device device[GP_GPUS_MAX];
    struct gp_lane lane[GP_LANES];
    struct gp_team *team;
    struct gp_sampler *sampler;
    struct gp_watch *watch;
    struct gp_nodes *mpi;
    int gpus, node, nodes;
    const volatile sig_atomic_t *interrupted;
};
int gp_cuda(cudaError_t e, const char *what, struct gy_error *err);
double gp_now_s(void); /* monotonic */

/* ---- nodes (nodes.c): MPI where built with it and started by it, else one node ---- */
/* share: several processes on one node are let be (and counted as nodes); else they are an error on each. */
struct gp_nodes *gp_nodes_open(int *argc, char ***argv, bool share, int *node, int *nodes, struct gy_error *err);
void gp_nodes_close(struct gp_nodes *w);
void gp_nodes_abort(struct gp_nodes *w, int status); /* ends every process; returns where there is one only */
bool gp_nodes_built(void);
/* Makes ready for calls among the processes 0…nodes−1; every process calls it, also those that stay outside. */
int gp_nodes_join(struct gp_nodes *w, int nodes, struct gy_error *err);
void gp_nodes_barrier(struct gp_nodes *w, int nodes);
void gp_nodes_broadcast(struct gp_nodes *w, int nodes, void *bytes, size_t n); /* from process 0 */
double gp_nodes_max(struct gp_nodes *w, int nodes, double v);
double gp_nodes_min(struct gp_nodes *w, int nodes, double v);

/* ---- devices (device.c) ---- */
int gp_devices_open(struct gp_context *c,
                    struct gy_error *err); /* finds the GPUs, refuses busy ones, fills the facts */
int gp_devices_prepare(struct gp_context *c, struct gy_error *err); /* streams, events, threads, sampler */
void gp_devices_close(struct gp_context *c);
/* At least `bytes` in the slot of this GPU; contents are not kept. */
int gp_buffer(struct gp_context *c, int gpu, enum gp_slot slot, size_t bytes, struct gy_error *err);
void gp_buffers_free(struct gp_context *c);
/* Compares device memory with the table; GY_ECHECK never: a wrong element is GY_EIO with `what` in the text. */
int gp_check(struct gp_context *c, int gpu, const float *at, const struct gy_probe_expect *e, const char *what,
             struct gy_error *err);
int gp_check_host(const char *what, size_t index, double found, double want, double tolerance, struct gy_error *err);

/* ---- measuring (measure.c) ---- */
struct gp_work { /* asynchronous launches of one operation on stream s of GPU gpu */
    int gpu;
    int (*launch)(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err);
    void *self;
};
/* Warm-up, then batches between CUDA events on stream 0, as the pace says. */
int gp_measure(struct gp_context *c, const struct gp_work *w, struct gy_probe_timing *t, struct gy_error *err);
/* Iterations of a batch: the pace's, fewer where one takes very long. */
int gp_iterations(const struct gp_context *c, double one_s);

/* ---- watch (watch.c): a thread that ends the process when an operation outlives its time ---- */
struct gp_watch *gp_watch_open(void (*expired)(void *self, const char *what), void *self);
void gp_watch_arm(struct gp_watch *w, double seconds, const char *what); /* what: a literal */
void gp_watch_rest(struct gp_watch *w);
void gp_watch_close(struct gp_watch *w);

/* ---- team (team.c) ---- */
struct gp_member {
    struct gp_context *context;
    int index; /* 0…members−1 */
    struct gy_error err;
};
typedef int gp_member_fn(struct gp_member *m, void *arg);
struct gp_team *gp_team_open(struct gp_context *c, int most);
void gp_team_close(struct gp_team *t);
/* fn on `members` threads at once; the first error by index is returned. */
int gp_team_run(struct gp_team *t, int members, gp_member_fn *fn, void *arg, struct gy_error *err);
/* Inside fn: waits for all members without sleeping; false when one has failed. */
bool gp_team_meet(struct gp_team *t);
void gp_team_fail(struct gp_team *t);
bool gp_team_failed(struct gp_team *t);

/* ---- sampler (sampler.c): power and clocks while work runs ---- */
struct gp_load { /* over the readings since the mark; readings 0: none fell into it */
    int readings;
    double power_mean_w, power_max_w, sm_mhz_mean, sm_mhz_min, memory_mhz, temperature_max_c;
    uint64_t throttle;
};
struct gp_sampler *gp_sampler_open(struct gp_nvml *n, int gpus, double period_s);
void gp_sampler_mark(struct gp_sampler *s);
void gp_sampler_load(struct gp_sampler *s, int gpu, struct gp_load *load);
void gp_sampler_close(struct gp_sampler *s);
void gp_row_load(struct gp_context *c, int gpu,
                 struct gy_probe_row *r); /* sm_mhz and power_w of the mark's time, or null */

/* ---- GEMM (gemm.c): D = A^T B, column-major, so every row of the product's factors is contiguous in k ---- */
struct gp_gemm {
    int gpu;
    enum gy_probe_dtype dtype;
    uint64_t m, n, k;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulAlgo_t algo;
    size_t workspace;
    void *a_at, *b_at, *d_at;
};
enum gy_probe_dtype gp_gemm_out(enum gy_probe_dtype t); /* the type of D */
bool gp_gemm_fits(const struct gy_probe_world *w, enum gy_probe_dtype t, uint64_t m, uint64_t n, uint64_t k);
/* a_at, b_at, d_at set by the caller. 1: this device has no such kernel (not an error). */
int gp_gemm_open(struct gp_context *c, struct gp_gemm *g, struct gy_error *err);
int gp_gemm_launch(struct gp_context *c, void *gemm, cudaStream_t s, struct gy_error *err);
void gp_gemm_close(struct gp_context *c, struct gp_gemm *g);

/* ---- communication (comm.c) ---- */
int gp_lane_open(struct gp_context *c, int lane, const struct gy_probe_group *g, struct gy_error *err);
void gp_lanes_close(struct gp_context *c);
void gp_lanes_abort(struct gp_context *c); /* after a failure: destroying would wait for what never comes */
struct gp_message {                        /* one operation of a lane */
    enum gy_probe_op op;
    bool in_place;
    struct gy_probe_counts counts;
    enum gp_slot send, receive;
    int stream;
};
/* Inside a member: its rank in the lane, −1 when its GPU is not in it. */
int gp_lane_rank(const struct gp_context *c, int lane, int gpu);
int gp_message_launch(struct gp_context *c, int lane, const struct gp_message *m, int gpu, struct gy_error *err);
/* Until the GPU's stream is idle; NCCL's asynchronous errors and the time limit are errors. */
int gp_stream_wait(struct gp_context *c, int gpu, int stream, double limit_s, struct gy_error *err);
/* Memory for the message, sent once and every element checked. */
int gp_message_verify(struct gp_context *c, int lane, const struct gp_message *m, struct gy_error *err);
/* lanes: bit mask. One batch of every lane's message, launched by a thread a GPU; the longest time of any process. */
struct gp_batch {
    unsigned lanes;
    struct gp_message message[GP_LANES];
    int iterations;
    struct gp_gemm *gemm; /* one a GPU, or NULL: run gemms of them on stream 1 beside */
    int gemms;
    double seconds;
};
int gp_batch_run(struct gp_context *c, struct gp_batch *b, struct gy_error *err);
int gp_batch_measure(struct gp_context *c, struct gp_batch *b, struct gy_probe_timing *t, struct gy_error *err);
int gp_nccl(struct gp_context *c, ncclResult_t r, const char *what, struct gy_error *err);
int gp_batch_gpus(const struct gp_context *c, const struct gp_batch *b, int *first); /* of this process */

/* ---- families: one file each, one line in registry.c ---- */
struct gp_family {
    const char *name, *summary;
    double share;    /* of a time budget */
    bool every_node; /* run() is called on all processes (NCCL), else on process 0 */
    void (*plan)(const struct gy_probe_world *w, struct gy_probe_plan *p);
    void (*describe)(const struct gy_probe_step *s, char *buf, size_t size);
    int (*run)(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err);
};
extern const struct gp_family gp_launch, gp_memory, gp_gemm_family, gp_attention, gp_elementwise, gp_host_copy,
    gp_peer_copy, gp_collective, gp_concurrent, gp_overlap, gp_power;
extern const struct gp_family *const gp_families[]; /* ends with NULL */
int gp_family_count(void);

/* ---- run.c ---- */
int gp_plan(const struct gy_probe_options *o, const struct gy_probe_world *w, struct gy_probe_plan *p,
            struct gy_error *err);
void gp_plan_print(const struct gy_probe_plan *p, const struct gy_probe_world *w, bool every_point, FILE *to);
int gp_run(struct gp_context *c, const struct gy_probe_plan *p, struct gy_probe_bar *bar, struct gy_error *err);
void gp_summary(const struct gy_probe_file *f, FILE *to);
#endif
