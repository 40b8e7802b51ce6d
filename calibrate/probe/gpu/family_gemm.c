/* Matrix products by shape and precision through cuBLASLt: squares, and the layers of language models (m tokens, n
 * outputs, k inputs). Factors are random: constant ones draw less power and run faster. */
#include "gpu.h"
#include <math.h>
#include <string.h>

struct layer {
    uint64_t n, k;
};
static const struct layer layers[] = {{4096, 4096}, {6144, 4096},  {14336, 4096}, {4096, 14336},
                                      {8192, 8192}, {10240, 8192}, {28672, 8192}, {8192, 28672},
                                      {5120, 5120}, {13824, 5120}, {5120, 13824}, {128256, 4096}};
enum { LAYERS = sizeof layers / sizeof *layers, LAYERS_QUICK = 8, TOKENS = 8 };

static void add(const struct gy_probe_world *w, struct gy_probe_plan *p, enum gy_probe_dtype t, uint64_t m, uint64_t n,
                uint64_t k)
{
    if (gp_gemm_fits(w, t, m, n, k)) {
        gy_probe_plan_add(p, (struct gy_probe_step){.dtype = t, .m = m, .n = n, .k = k});
    }
}

/* A fit wants some 60 shapes of a precision that cover small and large m, n and k: quick has as many. */
static void plan_type(const struct gy_probe_world *w, struct gy_probe_plan *p, enum gy_probe_dtype t)
{
    static const uint64_t squares[] = {8192, 4096, 2048, 1024, 512, 16384, 256};
    static const uint64_t tokens[TOKENS] = {4096, 512, 64, 16, 1, 128, 1024, 256};
    for (int i = 0; i < (w->full ? 7 : 5); i++) {
        add(w, p, t, squares[i], squares[i], squares[i]);
    }
    for (int j = 0; !w->full && j < TOKENS; j++) {
        for (int i = 0; i < LAYERS_QUICK; i++) {
            add(w, p, t, tokens[j], layers[i].n, layers[i].k);
        }
    }
    for (int i = 0; w->full && i < LAYERS; i++) {
        for (uint64_t m = 16384; m >= 1; m /= 2) {
            add(w, p, t, m, layers[i].n, layers[i].k);
        }
    }
}

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    static const enum gy_probe_dtype types[] = {GY_PROBE_BF16, GY_PROBE_F16, GY_PROBE_TF32, GY_PROBE_F8E4M3};
    if (!w->cublaslt) {
        gy_probe_plan_note(p, "gemm: left out: cuBLASLt is not there");
        return;
    }
    for (int i = 0; i < 4; i++) {
        plan_type(w, p, types[i]);
    }
    if (w->cc < 80) {
        gy_probe_plan_note(p, "gemm: bf16 and tf32 left out: compute capability %d.%d, 8.0 is needed", w->cc / 10,
                           w->cc % 10);
    }
    if (w->cc < 89) {
        gy_probe_plan_note(p, "gemm: fp8 left out: compute capability %d.%d, 8.9 is needed", w->cc / 10, w->cc % 10);
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "gemm %s m=%llu n=%llu k=%llu", gy_probe_dtype_name(s->dtype), (unsigned long long)s->m,
             (unsigned long long)s->n, (unsigned long long)s->k);
}

static int fill(struct gp_context *c, struct gp_gemm *g, struct gy_error *err)
{
    struct gp_device *d = &c->device[g->gpu];
    size_t in = gy_probe_dtype_bytes(g->dtype), out = gy_probe_dtype_bytes(gp_gemm_out(g->dtype));
    if (gp_buffer(c, g->gpu, GP_SEND, g->m * g->k * in, err) != 0 ||
        gp_buffer(c, g->gpu, GP_RECEIVE, g->n * g->k * in, err) != 0 ||
        gp_buffer(c, g->gpu, GP_THIRD, g->m * g->n * out, err) != 0) {
        return -1;
    }
    g->a_at = d->buffer[GP_SEND];
    g->b_at = d->buffer[GP_RECEIVE];
    g->d_at = d->buffer[GP_THIRD];
    if (gp_cuda(cudaSetDevice(g->gpu), "choosing a GPU", err) != 0 ||
        gp_cuda(cudaMemsetAsync(g->d_at, 0xff, g->m * g->n * out, d->stream[0]), "filling", err) != 0 ||
        gp_cuda(gy_k_random(g->dtype, g->a_at, g->m * g->k, 1, d->stream[0]), "filling", err) != 0) {
        return -1;
    }
    return gp_cuda(gy_k_random(g->dtype, g->b_at, g->n * g->k, 2, d->stream[0]), "filling", err);
}

/* One element of the product against a sum in double of the very factors. The tolerance is that of rounding the factors
 * to tf32 and the result to D's type, and far below what a wrong product would differ by (about sqrt(k)/3). */
static int check_element(const struct gp_gemm *g, uint64_t i, uint64_t j, unsigned char *host, struct gy_error *err)
{
    enum gy_probe_dtype out_type = gp_gemm_out(g->dtype);
    size_t in = gy_probe_dtype_bytes(g->dtype), out = gy_probe_dtype_bytes(out_type);
    unsigned char *a = host, *b = host + g->k * in, d[8];
    if (gp_cuda(cudaMemcpy(a, (char *)g->a_at + i * g->k * in, g->k * in, cudaMemcpyDeviceToHost), "checking", err) !=
            0 ||
        gp_cuda(cudaMemcpy(b, (char *)g->b_at + j * g->k * in, g->k * in, cudaMemcpyDeviceToHost), "checking", err) !=
            0 ||
        gp_cuda(cudaMemcpy(d, (char *)g->d_at + (j * g->m + i) * out, out, cudaMemcpyDeviceToHost), "checking", err) !=
            0) {
        return -1;
    }
    double sum = 0;
    for (uint64_t x = 0; x < g->k; x++) {
        sum += gy_probe_decode(g->dtype, a + x * in) * gy_probe_decode(g->dtype, b + x * in);
    }
    double tolerance = 0.02 * sqrt((double)g->k) + 0.01 * fabs(sum);
    return gp_check_host("gemm", (size_t)(j * g->m + i), gy_probe_decode(out_type, d), sum, tolerance, err);
}

static int check(const struct gp_gemm *g, struct gy_error *err)
{
    unsigned char *host = malloc(2 * g->k * gy_probe_dtype_bytes(g->dtype));
    int status = host ? 0 : gy_nomem(err);
    for (uint64_t s = 0; s < 16 && status == 0; s++) { /* corners and a diagonal between */
        uint64_t i = s == 1 ? g->m - 1 : (g->m - 1) * s / 15, j = s == 1 ? 0 : s == 2 ? g->n - 1 : (g->n - 1) * s / 15;
        status = check_element(g, i, j, host, err);
    }
    free(host);
    return status;
}

static void record(struct gp_context *c, const struct gp_gemm *g, const struct gy_probe_timing *t)
{
    size_t in = gy_probe_dtype_bytes(g->dtype), out = gy_probe_dtype_bytes(gp_gemm_out(g->dtype));
    struct gy_probe_row row = {.section = GY_PROBE_KERNELS};
    gy_probe_row_text(&row, "kernel", "gemm");
    gy_probe_row_integer(&row, "gpu", g->gpu);
    gy_probe_row_text(&row, "dtype", gy_probe_dtype_name(g->dtype));
    gy_probe_row_text(&row, "out_dtype", gy_probe_dtype_name(gp_gemm_out(g->dtype)));
    gy_probe_row_integer(&row, "m", (int64_t)g->m);
    gy_probe_row_integer(&row, "n", (int64_t)g->n);
    gy_probe_row_integer(&row, "k", (int64_t)g->k);
    gy_probe_row_integer(&row, "bytes", (int64_t)((g->m * g->k + g->n * g->k) * in + g->m * g->n * out));
    gy_probe_row_timing(&row, t);
    gy_probe_row_number(&row, "tflops", 2.0 * (double)g->m * (double)g->n * (double)g->k / t->median_us * 1e-6);
    gp_row_load(c, g->gpu, &row);
    gy_probe_file_add(c->file, &row);
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct gp_gemm g = {.gpu = s->gpu, .dtype = s->dtype, .m = s->m, .n = s->n, .k = s->k};
    struct gy_probe_timing t;
    if (fill(c, &g, err) != 0) {
        return -1;
    }
    int status = gp_gemm_open(c, &g, err);
    if (status != 0) {
        if (status > 0) {
            char what[128];
            describe(s, what, sizeof what);
            gy_probe_file_skip(c->file, "%s: cuBLASLt has no kernel for it", what);
        }
        return status > 0 ? 0 : -1;
    }
    struct gp_work w = {.gpu = s->gpu, .launch = gp_gemm_launch, .self = &g};
    gp_sampler_mark(c->sampler);
    status = gp_measure(c, &w, &t, err);
    if (status == 0) {
        record(c, &g, &t);
        status = check(&g, err);
    }
    gp_gemm_close(c, &g);
    return status;
}

const struct gp_family gp_gemm_family = {.name = "gemm",
                                         .summary = "matrix products by shape and precision (cuBLASLt)",
                                         .share = 5,
                                         .plan = plan,
                                         .describe = describe,
                                         .run = run};
