/* Device memory: copy (reads and writes an array) and triad (reads two, writes one) by array size; small arrays live in
 * the L2 cache and show its rate. */
#include "gpu.h"

enum { COPY, TRIAD };
static const char *const names[] = {"memory_copy", "memory_triad"};

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], most = w->max_bytes < w->memory_bytes / 4 ? w->max_bytes : w->memory_bytes / 4;
    int n = gy_probe_sizes(w->full ? 4096 : 65536, most, w->full ? 2 : 8, sizes, 64);
    for (int kind = COPY; kind <= TRIAD; kind++) {
        for (int i = 0; i < n; i++) {
            gy_probe_plan_add(p, (struct gy_probe_step){.kind = kind, .bytes = sizes[i]});
        }
    }
    for (int gpu = 1; w->full && n > 0 && gpu < w->gpus; gpu++) { /* one that is slower than the rest shows */
        gy_probe_plan_add(p, (struct gy_probe_step){.kind = COPY, .gpu = gpu, .bytes = sizes[n - 1]});
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s of %llu bytes on GPU %d", names[s->kind], (unsigned long long)s->bytes, s->gpu);
}

struct arrays {
    int kind, sms;
    uint64_t bytes;
    void *a, *b, *c;
};

static int launch(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    const struct arrays *x = self;
    (void)c;
    cudaError_t e = x->kind == COPY ? gy_k_copy(x->a, x->b, x->bytes, x->sms, s)
                                    : gy_k_triad(x->a, x->b, x->c, x->bytes / sizeof(float), x->sms, s);
    return gp_cuda(e, names[x->kind], err);
}

static int fill(struct gp_context *c, const struct gy_probe_step *s, struct arrays *x, struct gy_error *err)
{
    struct gp_device *d = &c->device[s->gpu];
    if (gp_buffer(c, s->gpu, GP_SEND, s->bytes, err) != 0 || gp_buffer(c, s->gpu, GP_RECEIVE, s->bytes, err) != 0 ||
        (s->kind == TRIAD && gp_buffer(c, s->gpu, GP_THIRD, s->bytes, err) != 0)) {
        return -1;
    }
    *x = (struct arrays){
        s->kind, c->file->gpu.at[s->gpu].sms, s->bytes, d->buffer[GP_RECEIVE], d->buffer[GP_SEND], d->buffer[GP_THIRD]};
    uint64_t n = s->bytes / sizeof(float);
    if (gp_cuda(cudaSetDevice(s->gpu), "choosing a GPU", err) != 0 ||
        gp_cuda(gy_k_fill(x->b, n, 0, d->stream[0]), "filling", err) != 0 ||
        gp_cuda(cudaMemsetAsync(x->a, 0xff, s->bytes, d->stream[0]), "filling", err) != 0) {
        return -1;
    }
    return s->kind == TRIAD ? gp_cuda(gy_k_fill(x->c, n, 1, d->stream[0]), "filling", err) : 0;
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct arrays x;
    struct gy_probe_timing t;
    struct gy_probe_expect e = {.count = s->bytes / sizeof(float)};
    struct gy_probe_table other;
    if (fill(c, s, &x, err) != 0) {
        return -1;
    }
    struct gp_work w = {.gpu = s->gpu, .launch = launch, .self = &x};
    gp_sampler_mark(c->sampler);
    if (gp_measure(c, &w, &t, err) != 0) {
        return -1;
    }
    gy_probe_table_of_rank(0, &e.table);
    gy_probe_table_of_rank(1, &other);
    for (int i = 0; s->kind == TRIAD && i < GY_PROBE_PERIOD; i++) {
        e.table.at[i] += 3 * other.at[i];
    }
    if (gp_check(c, s->gpu, x.a, &e, names[s->kind], err) != 0) {
        return -1;
    }
    double moved = (double)s->bytes * (s->kind == COPY ? 2 : 3);
    struct gy_probe_row row = {.section = GY_PROBE_KERNELS};
    gy_probe_row_text(&row, "kernel", names[s->kind]);
    gy_probe_row_integer(&row, "gpu", s->gpu);
    gy_probe_row_text(&row, "dtype", "float32");
    gy_probe_row_integer(&row, "array_bytes", (int64_t)s->bytes);
    gy_probe_row_integer(&row, "bytes", (int64_t)moved);
    gy_probe_row_timing(&row, &t);
    gy_probe_row_number(&row, "gbps", moved / t.median_us * 1e-3);
    gp_row_load(c, s->gpu, &row);
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_memory = {.name = "memory",
                                    .summary = "copy and triad in device memory by array size",
                                    .share = 2,
                                    .plan = plan,
                                    .describe = describe,
                                    .run = run};
