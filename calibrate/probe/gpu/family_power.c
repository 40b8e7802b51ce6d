/* Power and clocks over seconds of idling, of copying memory and of matrix products, all GPUs of the node at once. */
#include "gpu.h"
#include <errno.h>
#include <time.h>

enum { IDLE, MEMORY, PRODUCTS, KINDS };
enum { SIDE = 8192, COPY_BYTES = 256 << 20 };
static const char *const names[KINDS] = {"idle", "memory_copy", "gemm"};

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    if (!w->nvml) {
        gy_probe_plan_note(p, "power: left out: NVML is not there");
        return;
    }
    enum gy_probe_dtype t = w->cc >= 80 ? GY_PROBE_BF16 : GY_PROBE_F16;
    for (int kind = 0; kind < KINDS; kind++) {
        bool fits = kind == IDLE || (kind == MEMORY && w->memory_bytes > 4ull * COPY_BYTES) ||
                    (kind == PRODUCTS && w->cublaslt && gp_gemm_fits(w, t, SIDE, SIDE, SIDE));
        if (fits) {
            gy_probe_plan_add(p,
                              (struct gy_probe_step){.kind = kind, .dtype = t, .m = w->full ? 20 : 2}); /* m: seconds */
        }
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s for %d s", names[s->kind], (int)s->m);
}

static int ready(struct gp_context *c, const struct gy_probe_step *s, struct gp_gemm *g, struct gy_error *err)
{
    struct gp_device *d = &c->device[g->gpu];
    size_t bytes = s->kind == MEMORY ? COPY_BYTES : (size_t)SIDE * SIDE * gy_probe_dtype_bytes(s->dtype);
    if (s->kind == IDLE) {
        return 0;
    }
    if (gp_cuda(cudaSetDevice(g->gpu), "choosing a GPU", err) != 0 || gp_buffer(c, g->gpu, GP_SEND, bytes, err) != 0 ||
        gp_buffer(c, g->gpu, GP_RECEIVE, bytes, err) != 0 || gp_buffer(c, g->gpu, GP_THIRD, bytes, err) != 0) {
        return -1;
    }
    g->a_at = d->buffer[GP_SEND];
    g->b_at = d->buffer[GP_RECEIVE];
    g->d_at = d->buffer[GP_THIRD];
    uint64_t n = bytes / gy_probe_dtype_bytes(s->dtype);
    if (gp_cuda(gy_k_random(s->dtype, g->a_at, n, 1, d->stream[0]), "filling", err) != 0 ||
        gp_cuda(gy_k_random(s->dtype, g->b_at, n, 2, d->stream[0]), "filling", err) != 0) {
        return -1;
    }
    int status = s->kind == PRODUCTS ? gp_gemm_open(c, g, err) : 0;
    return status > 0 ? gy_fail(err, GY_EIO, NULL, "cuBLASLt has no kernel for a product of %d", SIDE) : status;
}

/* A few operations on every GPU, then their end. */
static int turn(struct gp_context *c, const struct gy_probe_step *s, struct gp_gemm *g, int operations,
                struct gy_error *err)
{
    for (int i = 0; i < c->gpus; i++) {
        cudaStream_t stream = c->device[i].stream[0];
        if (gp_cuda(cudaSetDevice(i), "choosing a GPU", err) != 0) {
            return -1;
        }
        for (int k = 0; k < operations; k++) {
            int status = s->kind == PRODUCTS
                             ? gp_gemm_launch(c, &g[i], stream, err)
                             : gp_cuda(gy_k_copy(g[i].b_at, g[i].a_at, COPY_BYTES, c->file->gpu.at[i].sms, stream),
                                       "a copy", err);
            if (status != 0) {
                return -1;
            }
        }
    }
    for (int i = 0; i < c->gpus; i++) {
        if (gp_cuda(cudaStreamSynchronize(c->device[i].stream[0]), "waiting", err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int work(struct gp_context *c, const struct gy_probe_step *s, struct gp_gemm *g, double *seconds, int64_t *done,
                struct gy_error *err)
{
    int operations = 1;
    double start = gp_now_s();
    for (int64_t i = 0; gp_now_s() - start < 0.3; i++) { /* to working clocks, and turns of some 50 ms */
        double before = gp_now_s();
        if (turn(c, s, g, operations, err) != 0) {
            return -1;
        }
        operations = gp_now_s() - before < 0.025 && operations < 4096 ? operations * 2 : operations;
    }
    gp_sampler_mark(c->sampler);
    start = gp_now_s();
    *done = 0;
    while (gp_now_s() - start < (double)s->m && !*c->interrupted) {
        if (turn(c, s, g, operations, err) != 0) {
            return -1;
        }
        *done += operations;
    }
    *seconds = gp_now_s() - start;
    return 0;
}

static int idle(struct gp_context *c, double seconds)
{
    struct timespec t = {(time_t)seconds, 0};
    gp_sampler_mark(c->sampler);
    return nanosleep(&t, NULL) == 0 || errno == EINTR ? 0 : -1;
}

static void record(struct gp_context *c, const struct gy_probe_step *s, int gpu, double seconds, int64_t done)
{
    struct gp_load load;
    gp_sampler_load(c->sampler, gpu, &load);
    struct gy_probe_row row = {.section = GY_PROBE_POWER};
    gy_probe_row_text(&row, "work", names[s->kind]);
    gy_probe_row_integer(&row, "gpu", gpu);
    gy_probe_row_text(&row, "dtype", s->kind == PRODUCTS ? gy_probe_dtype_name(s->dtype) : NULL);
    gy_probe_row_number(&row, "seconds", seconds);
    gy_probe_row_integer(&row, "readings", load.readings);
    gy_probe_row_number(&row, "power_mean_w", load.power_mean_w);
    gy_probe_row_number(&row, "power_max_w", load.power_max_w);
    gy_probe_row_number(&row, "power_cap_w", c->file->gpu.at[gpu].power_cap_w);
    gy_probe_row_number(&row, "sm_mhz_mean", load.sm_mhz_mean);
    gy_probe_row_number(&row, "sm_mhz_min", load.sm_mhz_min);
    gy_probe_row_number(&row, "memory_mhz", load.memory_mhz);
    gy_probe_row_number(&row, "temperature_max_c", load.temperature_max_c);
    gy_probe_row_integer(&row, "clock_event_reasons", (int64_t)load.throttle);
    if (s->kind == PRODUCTS) {
        gy_probe_row_number(&row, "tflops", 2.0 * SIDE * SIDE * SIDE * (double)done / seconds * 1e-12);
    } else if (s->kind == MEMORY) {
        gy_probe_row_number(&row, "gbps", 2.0 * COPY_BYTES * (double)done / seconds * 1e-9);
    }
    gy_probe_file_add(c->file, &row);
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct gp_gemm g[GP_GPUS_MAX];
    double seconds = (double)s->m;
    int64_t done = 0;
    int status = 0, opened = 0;
    gp_watch_arm(c->watch, (double)s->m + 2 * c->options->timeout_s, "a power measurement");
    for (; opened < c->gpus && status == 0; opened++) {
        g[opened] = (struct gp_gemm){.gpu = opened, .dtype = s->dtype, .m = SIDE, .n = SIDE, .k = SIDE};
        status = ready(c, s, &g[opened], err);
    }
    if (status == 0) {
        status = s->kind == IDLE ? idle(c, seconds) : work(c, s, g, &seconds, &done, err);
    }
    gp_watch_rest(c->watch);
    for (int i = 0; i < opened; i++) {
        gp_gemm_close(c, &g[i]);
    }
    for (int i = 0; status == 0 && i < c->gpus; i++) {
        record(c, s, i, seconds, done);
    }
    return status;
}

const struct gp_family gp_power = {.name = "power",
                                   .summary = "watts and clocks while idle, copying and multiplying",
                                   .share = 2,
                                   .plan = plan,
                                   .describe = describe,
                                   .run = run};
