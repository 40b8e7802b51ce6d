/* Computation and communication at once: an all-reduce on one stream, matrix products for about as long on another. */
#include "gpu.h"

enum { SIDE = 4096, ROUNDS = 5, GEMMS_MAX = 5000 };

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], room = w->memory_bytes / 8;
    if (!w->nccl || !w->cublaslt || w->nodes * w->gpus < 2) {
        gy_probe_plan_note(p, "overlap: left out: %s",
                           !w->nccl       ? "NCCL is not there"
                           : !w->cublaslt ? "cuBLASLt is not there"
                                          : "one GPU");
        return;
    }
    enum gy_probe_dtype t = w->cc >= 80 ? GY_PROBE_BF16 : GY_PROBE_F16;
    struct gy_probe_group all = {w->nodes, 0, w->gpus};
    int n = gy_probe_sizes(w->full ? 1u << 20 : 16u << 20, w->max_bytes < room ? w->max_bytes : room, w->full ? 4 : 16,
                           sizes, 64);
    for (int i = 0; i < n && gp_gemm_fits(w, t, SIDE, SIDE, SIDE); i++) {
        gy_probe_plan_add(p, (struct gy_probe_step){.dtype = t, .group = all, .bytes = sizes[i]});
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "all_reduce of %llu bytes beside %s products of %d", (unsigned long long)s->bytes,
             gy_probe_dtype_name(s->dtype), SIDE);
}

static void close_gemms(struct gp_context *c, struct gp_gemm *g)
{
    for (int i = 0; i < c->gpus; i++) {
        gp_gemm_close(c, &g[i]);
    }
}

static int open_gemm(struct gp_context *c, struct gp_gemm *g, struct gy_error *err)
{
    const uint64_t n = (uint64_t)SIDE * SIDE;
    size_t bytes = n * gy_probe_dtype_bytes(g->dtype);
    struct gp_device *d = &c->device[g->gpu];
    if (gp_buffer(c, g->gpu, GP_THIRD, 2 * bytes, err) != 0 || gp_buffer(c, g->gpu, GP_FOURTH, bytes, err) != 0 ||
        gp_cuda(cudaSetDevice(g->gpu), "choosing a GPU", err) != 0 ||
        gp_cuda(gy_k_random(g->dtype, d->buffer[GP_THIRD], 2 * n, 3, d->stream[1]), "filling", err) != 0 ||
        gp_cuda(cudaStreamSynchronize(d->stream[1]), "filling", err) != 0) {
        return -1;
    }
    g->a_at = d->buffer[GP_THIRD];
    g->b_at = (char *)d->buffer[GP_THIRD] + bytes;
    g->d_at = d->buffer[GP_FOURTH];
    return gp_gemm_open(c, g, err);
}

static int open_gemms(struct gp_context *c, struct gp_gemm *g, enum gy_probe_dtype t, struct gy_error *err)
{
    for (int i = 0; i < c->gpus; i++) {
        g[i] = (struct gp_gemm){.gpu = i, .dtype = t, .m = SIDE, .n = SIDE, .k = SIDE};
        int status = open_gemm(c, &g[i], err);
        if (status != 0) {
            close_gemms(c, g);
            return status > 0 ? gy_fail(err, GY_EIO, NULL, "cuBLASLt has no kernel for a product of %d", SIDE) : -1;
        }
    }
    return 0;
}

/* Seconds of the batch, the least of a few rounds. */
static int least(struct gp_context *c, struct gp_batch *b, double *seconds, struct gy_error *err)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (gp_batch_run(c, b, err) != 0) {
            return -1;
        }
        *seconds = i == 0 || b->seconds < *seconds ? b->seconds : *seconds;
    }
    return 0;
}

static int measure(struct gp_context *c, struct gp_batch *b, struct gp_gemm *g, double s[3], struct gy_error *err)
{
    struct gy_probe_timing t;
    double probe;
    if (gp_batch_measure(c, b, &t, err) != 0 ||
        least(c, b, &s[0], err) != 0) { /* fixes the iterations; communication */
        return -1;
    }
    b->lanes = 0;
    b->gemm = g;
    b->gemms = 20;
    if (least(c, b, &probe, err) != 0) {
        return -1;
    }
    double wanted = s[0] / probe * b->gemms;
    b->gemms = wanted > GEMMS_MAX ? GEMMS_MAX : wanted < 1 ? 1 : (int)(wanted + 0.5);
    if (least(c, b, &s[1], err) != 0) { /* computation */
        return -1;
    }
    b->lanes = 1;
    return least(c, b, &s[2], err); /* both */
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct gp_gemm g[GP_GPUS_MAX];
    struct gp_batch b = {.lanes = 1};
    int ranks = gy_probe_ranks(&s->group);
    double seconds[3];
    struct gy_probe_counts counts = gy_probe_op_counts(GY_PROBE_ALL_REDUCE, s->bytes, ranks);
    b.message[0] = (struct gp_message){GY_PROBE_ALL_REDUCE, false, counts, GP_SEND, GP_RECEIVE, 0};
    if (gp_lane_open(c, 0, &s->group, err) != 0 || gp_message_verify(c, 0, &b.message[0], err) != 0 ||
        open_gemms(c, g, s->dtype, err) != 0) {
        return -1;
    }
    int status = measure(c, &b, g, seconds, err);
    close_gemms(c, g);
    if (status != 0) {
        return -1;
    }
    double shorter = seconds[0] < seconds[1] ? seconds[0] : seconds[1];
    struct gy_probe_row row = {.section = GY_PROBE_OVERLAP};
    gy_probe_row_text(&row, "op", "all_reduce");
    gy_probe_row_integer(&row, "bytes", (int64_t)counts.bytes);
    gy_probe_row_integer(&row, "ranks", ranks);
    gy_probe_row_integer(&row, "nodes", s->group.nodes);
    gy_probe_row_integer(&row, "collectives", b.iterations);
    gy_probe_row_text(&row, "compute", "gemm");
    gy_probe_row_text(&row, "dtype", gy_probe_dtype_name(s->dtype));
    gy_probe_row_integer(&row, "m", SIDE);
    gy_probe_row_integer(&row, "n", SIDE);
    gy_probe_row_integer(&row, "k", SIDE);
    gy_probe_row_integer(&row, "gemms", b.gemms);
    gy_probe_row_number(&row, "communication_us", seconds[0] * 1e6);
    gy_probe_row_number(&row, "computation_us", seconds[1] * 1e6);
    gy_probe_row_number(&row, "together_us", seconds[2] * 1e6);
    gy_probe_row_number(&row, "hidden", (seconds[0] + seconds[1] - seconds[2]) / shorter); /* 1: all of the shorter */
    gy_probe_row_text(&row, "clock", "wall");
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_overlap = {.name = "overlap",
                                     .summary = "an all-reduce and matrix products at the same time",
                                     .share = 2,
                                     .every_node = true,
                                     .plan = plan,
                                     .describe = describe,
                                     .run = run};
