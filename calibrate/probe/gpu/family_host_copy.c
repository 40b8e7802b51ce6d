/* Copies between host and device, from pinned and from pageable memory, by size. The process stays on the CPUs that it
 * was started on: near and far NUMA nodes differ. */
#include "gpu.h"
#include <math.h>
#include <string.h>

enum { TO_DEVICE, TO_HOST };

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], top = w->full ? 1u << 30 : 256u << 20;
    uint64_t most = w->max_bytes < top ? w->max_bytes : top;
    int n = gy_probe_sizes(w->full ? 64 : 4096, most < w->memory_bytes / 4 ? most : w->memory_bytes / 4,
                           w->full ? 4 : 16, sizes, 64);
    for (int gpu = 0; gpu < (w->full ? w->gpus : 1); gpu++) {
        for (int variant = 0; variant < 4; variant++) {
            for (int i = gpu == 0 ? 0 : n - 1; i < n; i++) {
                gy_probe_plan_add(
                    p, (struct gy_probe_step){
                           .kind = variant % 2, .pageable = variant / 2 == 1, .gpu = gpu, .bytes = sizes[i]});
            }
        }
    }
}

static const char *kind_name(const struct gy_probe_step *s)
{
    return s->kind == TO_DEVICE ? "host_to_device" : "device_to_host";
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s %s of %llu bytes, GPU %d", s->pageable ? "pageable" : "pinned", kind_name(s),
             (unsigned long long)s->bytes, s->gpu);
}

struct copy {
    int kind;
    uint64_t bytes;
    void *host, *device;
};

static int launch(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    const struct copy *x = self;
    (void)c;
    cudaError_t e = x->kind == TO_DEVICE ? cudaMemcpyAsync(x->device, x->host, x->bytes, cudaMemcpyHostToDevice, s)
                                         : cudaMemcpyAsync(x->host, x->device, x->bytes, cudaMemcpyDeviceToHost, s);
    return gp_cuda(e, "a copy", err);
}

static int check_host(const float *host, uint64_t n, struct gy_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        float want = (float)gy_probe_pattern(0, i);
        if (!(host[i] == want)) {
            return gp_check_host("device_to_host", (size_t)i, (double)host[i], (double)want, 0, err);
        }
    }
    return 0;
}

static int copy(struct gp_context *c, const struct gy_probe_step *s, struct copy *x, struct gy_probe_timing *t,
                struct gy_error *err)
{
    struct gp_device *d = &c->device[s->gpu];
    uint64_t n = s->bytes / sizeof(float);
    float *host = x->host;
    for (uint64_t i = 0; i < n; i++) {
        host[i] = s->kind == TO_DEVICE ? (float)gy_probe_pattern(0, i) : -1.0f;
    }
    cudaError_t e = s->kind == TO_DEVICE ? cudaMemsetAsync(x->device, 0xff, s->bytes, d->stream[0])
                                         : gy_k_fill(x->device, n, 0, d->stream[0]);
    struct gp_work w = {.gpu = s->gpu, .launch = launch, .self = x};
    if (gp_cuda(e, "filling", err) != 0 || gp_measure(c, &w, t, err) != 0) {
        return -1;
    }
    if (s->kind == TO_HOST) {
        return check_host(host, n, err);
    }
    struct gy_probe_expect expect = {.count = n};
    gy_probe_table_of_rank(0, &expect.table);
    return gp_check(c, s->gpu, x->device, &expect, "host_to_device", err);
}

static void record(struct gp_context *c, const struct gy_probe_step *s, const struct gy_probe_timing *t)
{
    struct gy_probe_row row = {.section = GY_PROBE_COPIES};
    gy_probe_row_text(&row, "copy", kind_name(s));
    gy_probe_row_integer(&row, "gpu", s->gpu);
    gy_probe_row_text(&row, "host_memory", s->pageable ? "pageable" : "pinned");
    gy_probe_row_integer(&row, "bytes", (int64_t)s->bytes);
    gy_probe_row_timing(&row, t);
    gy_probe_row_number(&row, "gbps", (double)s->bytes / t->median_us * 1e-3);
    gy_probe_file_add(c->file, &row);
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct copy x = {.kind = s->kind, .bytes = s->bytes};
    struct gy_probe_timing t;
    if (gp_cuda(cudaSetDevice(s->gpu), "choosing a GPU", err) != 0 ||
        gp_buffer(c, s->gpu, GP_SEND, s->bytes, err) != 0) {
        return -1;
    }
    x.device = c->device[s->gpu].buffer[GP_SEND];
    if (s->pageable) {
        x.host = malloc(s->bytes);
        if (!x.host) {
            return gy_nomem(err);
        }
    } else if (gp_cuda(cudaMallocHost(&x.host, s->bytes), "taking pinned host memory", err) != 0) {
        return -1;
    }
    int status = copy(c, s, &x, &t, err);
    if (s->pageable) {
        free(x.host);
    } else {
        cudaFreeHost(x.host);
    }
    if (status == 0) {
        record(c, s, &t);
    }
    return status;
}

const struct gp_family gp_host_copy = {.name = "host_copy",
                                       .summary = "host to device and back, pinned and pageable",
                                       .share = 2,
                                       .plan = plan,
                                       .describe = describe,
                                       .run = run};
