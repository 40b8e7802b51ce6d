/* gpuyard-probe: the command. Opens libraries and GPUs, checks that the plan can be measured, runs it, writes the file.
 */
#include "gpu.h"
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;
static volatile sig_atomic_t interrupted; /* the signal handler's one word */

static void on_signal(int signal_)
{
    (void)signal_;
    interrupted = 1;
}

struct session { /* what ends with the process */
    struct gp_context c;
    struct gy_probe_options options;
    struct gy_probe_file file;
    struct gy_probe_plan plan;
    char hardware[128];
};

static void expired(void *self, const char *what)
{
    struct session *s = self;
    struct gy_error err = {0};
    gy_fail(&err, GY_EIO, NULL, "%s did not come back in time: a GPU or a rank hangs", what);
    gy_hint(&err, "--timeout waits longer; nvidia-smi and dmesg tell of lost GPUs");
    gy_error_print(stderr, "gpuyard-probe", &err);
    gp_nodes_abort(s->c.mpi, 3);
    _exit(3); /* the hung call cannot be returned from */
}

static int list_families(void)
{
    for (int i = 0; gp_families[i]; i++) {
        printf("%-12s %s\n", gp_families[i]->name, gp_families[i]->summary);
    }
    return 0;
}

static int print_libraries(void)
{
    struct gp_nccl nccl = {0};
    struct gp_lt lt = {0};
    char why[384] = "";
    int version = 0;
    gp_nccl_open(&nccl);
    gp_lt_open(&lt);
    struct gp_nvml *nvml = gp_nvml_open(why, sizeof why);
    cudaRuntimeGetVersion(&version);
    printf("cuda      runtime %d.%d, linked\n", version / 1000, version % 1000 / 10);
    if (nccl.library && nccl.GetVersion(&version) == ncclSuccess) {
        printf("nccl      %d\n", version);
    } else {
        printf("nccl      absent: %s\n", nccl.why);
    }
    if (lt.library) {
        printf("cublaslt  %zu\n", lt.GetVersion());
    } else {
        printf("cublaslt  absent: %s\n", lt.why);
    }
    printf("nvml      %s%s\n", nvml ? "present" : "absent: ", nvml ? "" : why);
    printf("mpi       %s\n", gp_nodes_built() ? "built in" : "not built in");
    gp_nvml_close(nvml);
    return 0;
}

static int dry_run(struct session *s, struct gy_error *err)
{
    struct gy_probe_world w = {.nodes = s->options.assume_nodes ? s->options.assume_nodes : s->c.nodes,
                               .cc = 90,
                               .nccl = true,
                               .cublaslt = true,
                               .nvml = true,
                               .memory_bytes = 80ull << 30,
                               .shared_bytes = 227 << 10,
                               .max_bytes = (uint64_t)s->options.max_bytes,
                               .full = s->options.full};
    int count = s->options.assume_gpus, major, minor;
    bool real = count == 0 && cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    if (real && cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) == cudaSuccess) {
        w.cc = major * 10 + minor;
    }
    if (count < 1) {
        gy_fail(err, GY_EIO, NULL, "no GPU to plan for");
        return gy_hint(err, "--assume-gpus 8 shows the plan of 8 GPUs without any");
    }
    if (count > GP_GPUS_MAX) {
        return gy_fail(err, GY_EUSAGE, NULL, "--assume-gpus: at most %d", GP_GPUS_MAX);
    }
    w.gpus = count;
    if (gp_plan(&s->options, &w, &s->plan, err) != 0) {
        return -1;
    }
    gp_plan_print(&s->plan, &w, s->options.verbose, stdout);
    if (s->options.budget_s > 0) {
        printf("  points that do not fit into %g s are skipped and named in the file\n", s->options.budget_s);
    }
    return 0;
}

/* What was asked for needs these; what was not asked for may be absent. */
static int need_libraries(const struct session *s, struct gy_error *err)
{
    const struct gp_context *c = &s->c;
    bool collectives = s->options.only_count == 0, products = collectives;
    for (int k = 0; k < s->options.only_count; k++) {
        for (int i = 0; gp_families[i]; i++) {
            bool named = strcmp(gp_families[i]->name, s->options.only[k]) == 0;
            collectives = collectives || (named && gp_families[i]->every_node);
            products = products || (named && (gp_families[i] == &gp_gemm_family || gp_families[i] == &gp_overlap));
        }
    }
    if (collectives && !c->nccl.library) {
        gy_fail(err, GY_EIO, NULL, "no NCCL: %s", c->nccl.why);
        return gy_hint(err, "install libnccl2 or set LD_LIBRARY_PATH; --only memory --only gemm … measures without it");
    }
    if (products && !c->lt.library) {
        gy_fail(err, GY_EIO, NULL, "no cuBLASLt: %s", c->lt.why);
        return gy_hint(
            err, "install libcublas or set LD_LIBRARY_PATH; --only memory --only collective … measures without it");
    }
    return 0;
}

static int versions(struct session *s, struct gy_error *err)
{
    struct gp_context *c = &s->c;
    if (c->nccl.library && gp_nccl(c, c->nccl.GetVersion(&s->file.nccl_version), "asking its version", err) != 0) {
        return -1;
    }
    s->file.cublaslt_version = c->lt.library ? c->lt.GetVersion() : 0;
    return 0;
}

/* Every process must see as many GPUs of one kind as process 0 does. */
static int agree(struct session *s, struct gy_error *err)
{
    struct gp_context *c = &s->c;
    struct gy_probe_world *w = &c->world;
    char name[256];
    if (gp_nodes_join(c->mpi, c->nodes, err) != 0) {
        return -1;
    }
    snprintf(name, sizeof name, "%s", s->file.gpu.at[0].name);
    gp_nodes_broadcast(c->mpi, c->nodes, name, sizeof name);
    double least = gp_nodes_min(c->mpi, c->nodes, c->gpus), most = gp_nodes_max(c->mpi, c->nodes, c->gpus);
    double same = gp_nodes_min(c->mpi, c->nodes, strcmp(name, s->file.gpu.at[0].name) == 0);
    if (least != most || same < 1) {
        gy_fail(err, GY_EIO, NULL, "the nodes differ: %g to %g GPUs a process, names %s", least, most,
                same < 1 ? "differ" : "equal");
        return gy_hint(err, "start one process a node, on nodes of one kind");
    }
    w->memory_bytes = (uint64_t)gp_nodes_min(c->mpi, c->nodes, (double)w->memory_bytes);
    w->nodes = c->nodes;
    w->gpus = c->gpus;
    w->max_bytes = (uint64_t)s->options.max_bytes;
    w->full = s->options.full;
    w->nccl = c->nccl.library != NULL;
    w->cublaslt = c->lt.library != NULL;
    w->nvml = gp_nodes_min(c->mpi, c->nodes, c->nvml != NULL) > 0;
    return 0;
}

static void name_file(struct session *s)
{
    struct gy_probe_file *f = &s->file;
    f->mode = s->options.full ? "full" : "quick";
    gy_probe_hardware_name(f->gpu.at[0].name, s->hardware, sizeof s->hardware);
    f->hardware = s->options.hardware ? s->options.hardware : s->hardware;
    f->fabric = s->options.fabric;
    f->system = s->options.system ? s->options.system : f->hardware;
    f->nodes = s->c.nodes;
    f->gpus = s->c.gpus;
    f->mpi_processes = s->c.nodes;
    f->launch = "one thread a GPU, back to back, wall clock between barriers";
}

static int finish(struct session *s, struct gy_error *err)
{
    struct gy_probe_file *f = &s->file;
    if (!f->links_measured) {
        f->links_note = s->c.nodes * s->c.gpus == 1
                            ? "one GPU: no link between GPUs was measured; one-rank collectives are local copies"
                            : "no collective over several GPUs was measured";
    }
    for (int t = 0; t < GY_PROBE_DTYPES; t++) {
        const char *dtype = gy_probe_dtype_name((enum gy_probe_dtype)t);
        int n = gy_probe_gemm_shapes(f, dtype);
        if (n > 0 && n < GY_PROBE_GEMM_LEAST) {
            gy_probe_file_skip(f, "gemm %s: %d shapes are too few to fit (%d): in the detail only", dtype, n,
                               GY_PROBE_GEMM_LEAST);
        }
    }
    for (size_t i = 0; i < s->plan.notes.n; i++) {
        gy_probe_file_skip(f, "%s", s->plan.notes.at[i]);
    }
    if (s->c.node != 0) {
        return 0;
    }
    struct gy_writer *out = gy_writer_open(s->options.out, err);
    if (!out) {
        return -1;
    }
    gy_probe_file_write(f, environ, out);
    if (gy_writer_commit(out, err) != 0) {
        return -1;
    }
    if (!s->options.quiet) {
        gp_summary(f, stderr);
    }
    return 0;
}

/* A place that cannot be written is told before the measuring and not after; nothing is left there until the end, so
 * that however this process dies, there is no half file. */
static int try_output(const char *path, struct gy_error *err)
{
    struct stat st;
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode))) {
        return 0;
    }
    struct gy_writer *w = gy_writer_open(path, err);
    if (!w) {
        return -1;
    }
    gy_writer_abandon(w);
    return 0;
}

static int measure(struct session *s, struct gy_error *err)
{
    struct gp_context *c = &s->c;
    struct gy_probe_bar bar;
    char why[384] = "";
    c->pace = s->options.full ? (struct gp_pace){5, 20, 11, 1.5} : (struct gp_pace){3, 20, 5, 0.12};
    c->nvml = gp_nvml_open(why, sizeof why);
    if (gp_devices_open(c, err) != 0) {
        return -1;
    }
    gp_nccl_open(&c->nccl);
    gp_lt_open(&c->lt);
    if (need_libraries(s, err) != 0 || versions(s, err) != 0 || gp_devices_prepare(c, err) != 0 || agree(s, err) != 0 ||
        gp_plan(&s->options, &c->world, &s->plan, err) != 0) {
        return -1;
    }
    name_file(s);
    if (c->node == 0 && try_output(s->options.out, err) != 0) {
        return -1;
    }
    gy_probe_bar_open(&bar, c->node == 0 && !s->options.quiet ? stderr : NULL, s->options.progress,
                      isatty(STDERR_FILENO));
    int status = gp_run(c, &s->plan, &bar, err);
    gy_probe_bar_close(&bar);
    return status != 0 ? -1 : finish(s, err);
}

static int open_session(struct session *s, struct gy_error *err)
{
    struct sigaction action = {.sa_handler = on_signal};
    s->c.options = &s->options;
    s->c.file = &s->file;
    s->c.interrupted = &interrupted;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    s->c.watch = gp_watch_open(expired, s);
    return s->c.watch ? 0 : gy_nomem(err);
}

static void close_session(struct session *s)
{
    gp_lanes_close(&s->c);
    gp_devices_close(&s->c);
    gp_nvml_close(s->c.nvml);
    gp_watch_close(s->c.watch);
    gy_probe_plan_free(&s->plan);
    gy_probe_file_free(&s->file);
}

static int act(struct session *s, struct gy_error *err)
{
    struct gy_probe_plan unused = {0};
    int status =
        gp_plan(&s->options, &(struct gy_probe_world){.nodes = 1, .gpus = 1, .cc = 90}, &unused, err); /* the names */
    gy_probe_plan_free(&unused);
    if (status != 0) {
        return -1;
    }
    return s->options.verb == GY_PROBE_PLAN ? dry_run(s, err) : open_session(s, err) != 0 ? -1 : measure(s, err);
}

static int fail(const struct gy_error *err)
{
    gy_error_print(stderr, "gpuyard-probe", err);
    return gy_exit_status(err->code);
}

int main(int argc, char **argv)
{
    struct session s = {0};
    struct gy_error err = {0};
    if (gy_probe_options_parse(argc, argv, &s.options, &err) != 0) {
        return fail(&err);
    }
    switch (s.options.verb) {
    case GY_PROBE_HELP:
        gy_probe_options_help(stdout);
        return 0;
    case GY_PROBE_VERSION:
        puts("gpuyard-probe " GY_VERSION);
        return 0;
    case GY_PROBE_LIST:
        return list_families();
    case GY_PROBE_LIBRARIES:
        return print_libraries();
    default:
        break;
    }
    s.c.mpi = gp_nodes_open(&argc, &argv, s.options.force, &s.c.node, &s.c.nodes, &err);
    int status = s.c.mpi ? act(&s, &err) : -1;
    int code = status != 0 ? fail(&err) : s.file.stopped ? 130 : 0;
    if (status != 0) {
        gp_nodes_abort(s.c.mpi, code);
        if (s.c.watch) { /* a GPU that hangs hangs its freeing too */
            gp_watch_arm(s.c.watch, 30, "the clean-up");
        }
    }
    close_session(&s);
    gp_nodes_close(s.c.mpi);
    return code;
}
