/* Elementwise kernels of our own in bf16: gelu, addition, layer normalisation, by number of elements. */
#include "gpu.h"
#include <math.h>

enum { GELU, ADD, LAYERNORM, KINDS };
enum { HIDDEN = 4096, LOOKED_AT = 4096 };
static const char *const names[KINDS] = {"gelu", "add", "layernorm"};

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], most = w->max_bytes / 4 < w->memory_bytes / 16 ? w->max_bytes / 4 : w->memory_bytes / 16;
    int n = gy_probe_sizes(HIDDEN, most < 1u << 30 ? most : 1u << 30, w->full ? 2 : 8, sizes, 64);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < n; i++) {
            gy_probe_plan_add(p, (struct gy_probe_step){.kind = kind, .n = sizes[i]});
        }
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s of %llu elements", names[s->kind], (unsigned long long)s->n);
}

struct arrays {
    int kind, sms;
    uint64_t n;
    void *to, *x, *y;
};

static int launch(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    const struct arrays *a = self;
    (void)c;
    cudaError_t e = a->kind == GELU  ? gy_k_gelu(a->to, a->x, a->n, a->sms, s)
                    : a->kind == ADD ? gy_k_add(a->to, a->x, a->y, a->n, a->sms, s)
                                     : gy_k_layernorm(a->to, a->x, a->n / HIDDEN, HIDDEN, s);
    return gp_cuda(e, names[a->kind], err);
}

static int fill(struct gp_context *c, const struct gy_probe_step *s, struct arrays *a, struct gy_error *err)
{
    struct gp_device *d = &c->device[s->gpu];
    if (gp_buffer(c, s->gpu, GP_SEND, s->n * 2, err) != 0 || gp_buffer(c, s->gpu, GP_RECEIVE, s->n * 2, err) != 0 ||
        gp_buffer(c, s->gpu, GP_THIRD, s->n * 2, err) != 0) {
        return -1;
    }
    *a = (struct arrays){
        s->kind, c->file->gpu.at[s->gpu].sms, s->n, d->buffer[GP_RECEIVE], d->buffer[GP_SEND], d->buffer[GP_THIRD]};
    if (gp_cuda(gy_k_random(GY_PROBE_BF16, a->x, s->n, 1, d->stream[0]), "filling", err) != 0 ||
        gp_cuda(gy_k_random(GY_PROBE_BF16, a->y, s->n, 2, d->stream[0]), "filling", err) != 0) {
        return -1;
    }
    return gp_cuda(cudaMemsetAsync(a->to, 0xff, s->n * 2, d->stream[0]), "filling", err);
}

static double want(int kind, const uint16_t *x, const uint16_t *y, int i, double mean, double scale)
{
    double f = gy_probe_decode(GY_PROBE_BF16, &x[i]);
    switch (kind) {
    case GELU:
        return 0.5 * f * (1 + tanh(0.7978845608 * (f + 0.044715 * f * f * f)));
    case ADD:
        return f + gy_probe_decode(GY_PROBE_BF16, &y[i]);
    default:
        return (f - mean) * scale;
    }
}

/* The last row: all earlier ones must have been passed over for it to be right. */
static int check(const struct arrays *a, struct gy_error *err)
{
    uint16_t to[LOOKED_AT], x[LOOKED_AT], y[LOOKED_AT];
    size_t bytes = sizeof to, from = (a->n - LOOKED_AT) * 2;
    if (gp_cuda(cudaMemcpy(to, (char *)a->to + from, bytes, cudaMemcpyDeviceToHost), "checking", err) != 0 ||
        gp_cuda(cudaMemcpy(x, (char *)a->x + from, bytes, cudaMemcpyDeviceToHost), "checking", err) != 0 ||
        gp_cuda(cudaMemcpy(y, (char *)a->y + from, bytes, cudaMemcpyDeviceToHost), "checking", err) != 0) {
        return -1;
    }
    double sum = 0, squares = 0;
    for (int i = 0; i < LOOKED_AT; i++) {
        sum += gy_probe_decode(GY_PROBE_BF16, &x[i]);
    }
    double mean = sum / LOOKED_AT;
    for (int i = 0; i < LOOKED_AT; i++) {
        squares += pow(gy_probe_decode(GY_PROBE_BF16, &x[i]) - mean, 2);
    }
    double scale = 1 / sqrt(squares / LOOKED_AT + 1e-5);
    for (int i = 0; i < LOOKED_AT; i++) {
        double expected = want(a->kind, x, y, i, mean, scale);
        double tolerance = 0.002 + 0.01 * fabs(expected);
        if (gp_check_host(names[a->kind], (size_t)(a->n - LOOKED_AT) + (size_t)i,
                          gy_probe_decode(GY_PROBE_BF16, &to[i]), expected, tolerance, err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct arrays a;
    struct gy_probe_timing t;
    if (gp_cuda(cudaSetDevice(s->gpu), "choosing a GPU", err) != 0 || fill(c, s, &a, err) != 0) {
        return -1;
    }
    struct gp_work w = {.gpu = s->gpu, .launch = launch, .self = &a};
    gp_sampler_mark(c->sampler);
    if (gp_measure(c, &w, &t, err) != 0 || check(&a, err) != 0) {
        return -1;
    }
    double moved = (double)s->n * 2 * (s->kind == ADD ? 3 : 2);
    struct gy_probe_row row = {.section = GY_PROBE_KERNELS};
    gy_probe_row_text(&row, "kernel", names[s->kind]);
    gy_probe_row_text(&row, "implementation", "own");
    gy_probe_row_integer(&row, "gpu", s->gpu);
    gy_probe_row_text(&row, "dtype", "bf16");
    gy_probe_row_integer(&row, "elements", (int64_t)s->n);
    gy_probe_row_integer(&row, "bytes", (int64_t)moved);
    gy_probe_row_timing(&row, &t);
    gy_probe_row_number(&row, "gbps", moved / t.median_us * 1e-3);
    gp_row_load(c, s->gpu, &row);
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_elementwise = {.name = "elementwise",
                                         .summary = "gelu, addition, layer normalisation, bf16",
                                         .share = 1,
                                         .plan = plan,
                                         .describe = describe,
                                         .run = run};
