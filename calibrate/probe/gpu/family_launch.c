/* Launch latency: empty kernels back to back, one kernel from launch to known end, and the same through a CUDA graph.
 */
#include "gpu.h"

enum { BACK_TO_BACK, ROUND_TRIP, GRAPH_KERNEL, GRAPH_ROUND_TRIP, KINDS };
enum { CHAIN = 100, TRIPS = 200 };
static const char *const names[KINDS] = {"kernel_back_to_back", "kernel_round_trip", "graph_kernel",
                                         "graph_round_trip"};

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    (void)w;
    for (int kind = 0; kind < KINDS; kind++) {
        gy_probe_plan_add(p, (struct gy_probe_step){.kind = kind});
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s", names[s->kind]);
}

static int launch_chain(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    (void)c, (void)self;
    for (int i = 0; i < CHAIN; i++) {
        if (gp_cuda(gy_k_empty(s), "launching an empty kernel", err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int launch_graph(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    (void)c;
    return gp_cuda(cudaGraphLaunch(*(cudaGraphExec_t *)self, s), "launching a graph", err);
}

static int make_graph(struct gp_context *c, int kernels, cudaGraphExec_t *exec, struct gy_error *err)
{
    cudaStream_t s = c->device[0].stream[0];
    cudaGraph_t graph = NULL;
    if (gp_cuda(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal), "capturing a graph", err) != 0) {
        return -1;
    }
    cudaError_t launched = cudaSuccess;
    for (int i = 0; i < kernels && launched == cudaSuccess; i++) {
        launched = gy_k_empty(s);
    }
    if (gp_cuda(cudaStreamEndCapture(s, &graph), "capturing a graph", err) != 0) {
        return -1;
    }
    int status = gp_cuda(launched, "capturing a graph", err);
    if (status == 0) {
        status = gp_cuda(cudaGraphInstantiateWithFlags(exec, graph, 0), "instantiating a graph", err);
    }
    cudaGraphDestroy(graph);
    return status;
}

/* One launch and the wait for its end, by the wall clock, each a sample. */
static int round_trips(struct gp_context *c, cudaGraphExec_t exec, struct gy_probe_timing *t, struct gy_error *err)
{
    double sample_us[TRIPS];
    cudaStream_t s = c->device[0].stream[0];
    gp_watch_arm(c->watch, c->options->timeout_s, "a launch");
    for (int i = -c->pace.warmup; i < TRIPS; i++) {
        double start = gp_now_s();
        cudaError_t e = exec ? cudaGraphLaunch(exec, s) : gy_k_empty(s);
        if (gp_cuda(e, "launching", err) != 0 || gp_cuda(cudaStreamSynchronize(s), "waiting for a launch", err) != 0) {
            return -1;
        }
        if (i >= 0) {
            sample_us[i] = (gp_now_s() - start) * 1e6;
        }
    }
    gp_watch_rest(c->watch);
    *t = (struct gy_probe_timing){.iterations = 1, .warmup = c->pace.warmup, .clock = GY_PROBE_WALL};
    return gy_probe_timing_of(sample_us, TRIPS, t) != 0 ? gy_nomem(err) : 0;
}

static void divide(struct gy_probe_timing *t, double by)
{
    t->min_us /= by;
    t->median_us /= by;
    t->p95_us /= by;
    t->mean_us /= by;
}

static int time_kind(struct gp_context *c, int kind, cudaGraphExec_t exec, struct gy_probe_timing *t,
                     struct gy_error *err)
{
    if (kind == ROUND_TRIP || kind == GRAPH_ROUND_TRIP) {
        return round_trips(c, exec, t, err);
    }
    struct gp_work w = {.launch = kind == GRAPH_KERNEL ? launch_graph : launch_chain, .self = &exec};
    if (gp_measure(c, &w, t, err) != 0) {
        return -1;
    }
    divide(t, CHAIN);
    return 0;
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    cudaGraphExec_t exec = NULL;
    struct gy_probe_timing t;
    bool graph = s->kind == GRAPH_KERNEL || s->kind == GRAPH_ROUND_TRIP;
    if (gp_cuda(cudaSetDevice(0), "choosing a GPU", err) != 0 ||
        (graph && make_graph(c, s->kind == GRAPH_KERNEL ? CHAIN : 1, &exec, err) != 0)) {
        return -1;
    }
    int status = time_kind(c, s->kind, exec, &t, err);
    if (exec) {
        cudaGraphExecDestroy(exec);
    }
    if (status == 0) {
        struct gy_probe_row row = {.section = GY_PROBE_LAUNCHES};
        gy_probe_row_text(&row, "kind", names[s->kind]);
        gy_probe_row_integer(&row, "chain", s->kind == BACK_TO_BACK || s->kind == GRAPH_KERNEL ? CHAIN : 1);
        gy_probe_row_timing(&row, &t);
        gy_probe_file_add(c->file, &row);
    }
    return status;
}

const struct gp_family gp_launch = {.name = "launch",
                                    .summary = "latency of empty kernels, plain and in a CUDA graph",
                                    .share = 1,
                                    .plan = plan,
                                    .describe = describe,
                                    .run = run};
