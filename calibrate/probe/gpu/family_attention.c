/* An attention-like kernel of our own: QK^T, softmax, V by tiles on tensor cores in fp16. Its times stand for an
 * unspecialised kernel; a tuned library is several times faster, so a fit uses them for shape and not for level. */
#include "gpu.h"
#include <math.h>

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    static const uint64_t dims[] = {128, 64};
    for (int i = 0; i < 2; i++) {
        if (gy_k_attention_shared((unsigned)dims[i]) > w->shared_bytes) {
            gy_probe_plan_note(p, "attention: head dimension %d left out: a block has too little shared memory",
                               (int)dims[i]);
            continue;
        }
        for (uint64_t seq = w->full ? 256 : 1024; seq <= (w->full ? 16384u : 4096u); seq *= w->full ? 2 : 4) {
            for (uint64_t heads = w->full ? 8 : 32; heads <= 128; heads *= 4) {
                if (4 * heads * seq * dims[i] * 2 < w->memory_bytes / 2) {
                    gy_probe_plan_add(
                        p, (struct gy_probe_step){.dtype = GY_PROBE_F16, .m = heads, .n = seq, .k = dims[i]});
                }
            }
        }
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "attention of %d heads, %d long, %d wide", (int)s->m, (int)s->n, (int)s->k);
}

struct tensors {
    void *q, *k, *v, *o;
    unsigned heads, seq, dim;
};

static int launch(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    const struct tensors *x = self;
    (void)c;
    return gp_cuda(gy_k_attention(x->q, x->k, x->v, x->o, x->heads, x->seq, x->dim, s), "attention", err);
}

static int fill(struct gp_context *c, const struct gy_probe_step *s, struct tensors *x, struct gy_error *err)
{
    static const enum gp_slot slots[] = {GP_SEND, GP_RECEIVE, GP_THIRD, GP_FOURTH};
    struct gp_device *d = &c->device[s->gpu];
    uint64_t n = s->m * s->n * s->k;
    for (int i = 0; i < 4; i++) {
        if (gp_buffer(c, s->gpu, slots[i], n * 2, err) != 0) {
            return -1;
        }
    }
    *x = (struct tensors){d->buffer[GP_SEND], d->buffer[GP_RECEIVE], d->buffer[GP_THIRD], d->buffer[GP_FOURTH],
                          (unsigned)s->m,     (unsigned)s->n,        (unsigned)s->k};
    void *in[] = {x->q, x->k, x->v};
    for (unsigned i = 0; i < 3; i++) {
        if (gp_cuda(gy_k_random(GY_PROBE_F16, in[i], n, i + 1, d->stream[0]), "filling", err) != 0) {
            return -1;
        }
    }
    return gp_cuda(cudaMemsetAsync(x->o, 0xff, n * 2, d->stream[0]), "filling", err);
}

struct host_head {
    uint16_t *k, *v;
    double *weight;
    uint16_t q[128], o[128];
};

/* The row of the output for one query, in double. */
static int check_row(const struct tensors *x, const struct host_head *h, uint64_t row, struct gy_error *err)
{
    double top = -INFINITY, total = 0;
    for (unsigned j = 0; j < x->seq; j++) {
        double dot = 0;
        for (unsigned i = 0; i < x->dim; i++) {
            dot += gy_probe_decode(GY_PROBE_F16, &h->q[i]) * gy_probe_decode(GY_PROBE_F16, &h->k[j * x->dim + i]);
        }
        h->weight[j] = dot / sqrt((double)x->dim);
        top = fmax(top, h->weight[j]);
    }
    for (unsigned j = 0; j < x->seq; j++) {
        h->weight[j] = exp(h->weight[j] - top);
        total += h->weight[j];
    }
    for (unsigned i = 0; i < x->dim; i++) {
        double want = 0;
        for (unsigned j = 0; j < x->seq; j++) {
            want += h->weight[j] / total * gy_probe_decode(GY_PROBE_F16, &h->v[j * x->dim + i]);
        }
        if (gp_check_host("attention", row * x->dim + i, gy_probe_decode(GY_PROBE_F16, &h->o[i]), want, 0.002, err) !=
            0) {
            return -1;
        }
    }
    return 0;
}

static int fetch(void *to, const void *base, uint64_t from, uint64_t count, struct gy_error *err)
{
    return gp_cuda(cudaMemcpy(to, (const char *)base + from * 2, count * 2, cudaMemcpyDeviceToHost), "checking", err);
}

static int check(const struct tensors *x, struct gy_error *err)
{
    uint64_t head = (uint64_t)(x->heads - 1) * x->seq * x->dim, all = (uint64_t)x->seq * x->dim;
    struct host_head h = {.k = malloc(all * 2), .v = malloc(all * 2), .weight = malloc(x->seq * sizeof(double))};
    int status = h.k && h.v && h.weight ? 0 : gy_nomem(err);
    if (status == 0 && (fetch(h.k, x->k, head, all, err) != 0 || fetch(h.v, x->v, head, all, err) != 0)) {
        status = -1;
    }
    const unsigned rows[] = {0, x->seq / 2 + 7, x->seq - 1};
    for (int i = 0; i < 3 && status == 0; i++) {
        uint64_t at = head + (uint64_t)rows[i] * x->dim;
        bool got = fetch(h.q, x->q, at, x->dim, err) == 0 && fetch(h.o, x->o, at, x->dim, err) == 0;
        status = got ? check_row(x, &h, at / x->dim, err) : -1;
    }
    free(h.k);
    free(h.v);
    free(h.weight);
    return status;
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct tensors x;
    struct gy_probe_timing t;
    if (gp_cuda(cudaSetDevice(s->gpu), "choosing a GPU", err) != 0 || fill(c, s, &x, err) != 0) {
        return -1;
    }
    struct gp_work w = {.gpu = s->gpu, .launch = launch, .self = &x};
    gp_sampler_mark(c->sampler);
    if (gp_measure(c, &w, &t, err) != 0 || check(&x, err) != 0) {
        return -1;
    }
    struct gy_probe_row row = {.section = GY_PROBE_KERNELS};
    gy_probe_row_text(&row, "kernel", "attention");
    gy_probe_row_text(&row, "implementation", "own tiles");
    gy_probe_row_integer(&row, "gpu", s->gpu);
    gy_probe_row_text(&row, "dtype", "fp16");
    gy_probe_row_integer(&row, "heads", (int64_t)s->m);
    gy_probe_row_integer(&row, "seq", (int64_t)s->n);
    gy_probe_row_integer(&row, "head_dim", (int64_t)s->k);
    gy_probe_row_bool(&row, "causal", false);
    gy_probe_row_timing(&row, &t);
    gy_probe_row_number(&row, "tflops",
                        4.0 * (double)s->m * (double)s->n * (double)s->n * (double)s->k / t.median_us * 1e-6);
    gp_row_load(c, s->gpu, &row);
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_attention = {.name = "attention",
                                       .summary = "softmax(QK')V by an own tiled kernel, fp16",
                                       .share = 2,
                                       .plan = plan,
                                       .describe = describe,
                                       .run = run};
