/* Copies from GPU to GPU of one node without NCCL, one way and both ways at once. Where two GPUs have no peer access
 * the driver stages through the host, and the row says so. */
#include "gpu.h"

enum { ONE_WAY, BOTH_WAYS };

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], top = w->full ? 1u << 30 : 256u << 20;
    uint64_t most = w->max_bytes < top ? w->max_bytes : top;
    int n = gy_probe_sizes(w->full ? 64 : 65536, most < w->memory_bytes / 8 ? most : w->memory_bytes / 8,
                           w->full ? 4 : 64, sizes, 64);
    if (w->gpus < 2) {
        gy_probe_plan_note(p, "peer_copy: left out: one GPU");
    }
    for (int a = 0; a < (w->full ? w->gpus : 1); a++) {
        for (int b = 0; b < w->gpus; b++) {
            for (int i = 0; a != b && i < n; i++) {
                gy_probe_plan_add(p, (struct gy_probe_step){.kind = ONE_WAY, .gpu = a, .peer = b, .bytes = sizes[i]});
            }
            if (a < b && n > 0) {
                gy_probe_plan_add(
                    p, (struct gy_probe_step){.kind = BOTH_WAYS, .gpu = a, .peer = b, .bytes = sizes[n - 1]});
            }
        }
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "GPU %d %s GPU %d, %llu bytes", s->gpu, s->kind == ONE_WAY ? "to" : "and", s->peer,
             (unsigned long long)s->bytes);
}

static int one_copy(struct gp_context *c, int from, int to, enum gp_slot source, enum gp_slot target, uint64_t bytes,
                    cudaStream_t s, struct gy_error *err)
{
    return gp_cuda(
        cudaMemcpyPeerAsync(c->device[to].buffer[target], to, c->device[from].buffer[source], from, bytes, s),
        "a peer copy", err);
}

/* Both ways: the second copy runs on the peer's stream between two marks, so that events on the first bracket both. */
static int launch(struct gp_context *c, void *self, cudaStream_t s, struct gy_error *err)
{
    const struct gy_probe_step *x = self;
    struct gp_device *a = &c->device[x->gpu], *b = &c->device[x->peer];
    if (x->kind == ONE_WAY) {
        return one_copy(c, x->gpu, x->peer, GP_SEND, GP_RECEIVE, x->bytes, s, err);
    }
    if (gp_cuda(cudaEventRecord(a->mark, s), "marking", err) != 0 ||
        gp_cuda(cudaStreamWaitEvent(b->stream[0], a->mark, 0), "marking", err) != 0 ||
        one_copy(c, x->gpu, x->peer, GP_SEND, GP_RECEIVE, x->bytes, s, err) != 0 ||
        one_copy(c, x->peer, x->gpu, GP_SEND, GP_RECEIVE, x->bytes, b->stream[0], err) != 0 ||
        gp_cuda(cudaEventRecord(b->mark, b->stream[0]), "marking", err) != 0) {
        return -1;
    }
    return gp_cuda(cudaStreamWaitEvent(s, b->mark, 0), "marking", err);
}

static int allow(struct gp_context *c, int from, int to, bool *direct, struct gy_error *err)
{
    int can = 0;
    struct gp_device *d = &c->device[from];
    if (gp_cuda(cudaDeviceCanAccessPeer(&can, from, to), "asking for peer access", err) != 0) {
        return -1;
    }
    *direct = can != 0;
    if (!can || d->peers_on[to]) {
        return 0;
    }
    if (gp_cuda(cudaSetDevice(from), "choosing a GPU", err) != 0) {
        return -1;
    }
    cudaError_t e = cudaDeviceEnablePeerAccess(to, 0);
    if (e == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        e = cudaSuccess;
    }
    d->peers_on[to] = e == cudaSuccess;
    return gp_cuda(e, "enabling peer access", err);
}

static int ready(struct gp_context *c, int gpu, uint64_t bytes, struct gy_error *err)
{
    struct gp_device *d = &c->device[gpu];
    if (gp_buffer(c, gpu, GP_SEND, bytes, err) != 0 || gp_buffer(c, gpu, GP_RECEIVE, bytes, err) != 0 ||
        gp_cuda(cudaSetDevice(gpu), "choosing a GPU", err) != 0 ||
        gp_cuda(gy_k_fill(d->buffer[GP_SEND], bytes / sizeof(float), (uint64_t)gpu, d->stream[0]), "filling", err) !=
            0 ||
        gp_cuda(cudaMemsetAsync(d->buffer[GP_RECEIVE], 0xff, bytes, d->stream[0]), "filling", err) != 0) {
        return -1;
    }
    return gp_cuda(cudaStreamSynchronize(d->stream[0]), "filling", err);
}

static int check(struct gp_context *c, int from, int to, uint64_t bytes, struct gy_error *err)
{
    struct gy_probe_expect e = {.count = bytes / sizeof(float)};
    gy_probe_table_of_rank(from, &e.table);
    if (gp_cuda(cudaSetDevice(to), "choosing a GPU", err) != 0) {
        return -1;
    }
    return gp_check(c, to, c->device[to].buffer[GP_RECEIVE], &e, "peer copy", err);
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct gy_probe_step self = *s;
    struct gy_probe_timing t;
    bool there, back;
    if (allow(c, s->gpu, s->peer, &there, err) != 0 || allow(c, s->peer, s->gpu, &back, err) != 0 ||
        ready(c, s->gpu, s->bytes, err) != 0 || ready(c, s->peer, s->bytes, err) != 0) {
        return -1;
    }
    struct gp_work w = {.gpu = s->gpu, .launch = launch, .self = &self};
    if (gp_measure(c, &w, &t, err) != 0 || check(c, s->gpu, s->peer, s->bytes, err) != 0 ||
        (s->kind == BOTH_WAYS && check(c, s->peer, s->gpu, s->bytes, err) != 0)) {
        return -1;
    }
    struct gy_probe_row row = {.section = GY_PROBE_COPIES};
    gy_probe_row_text(&row, "copy", s->kind == ONE_WAY ? "peer" : "peer_both_ways");
    gy_probe_row_integer(&row, "gpu", s->gpu);
    gy_probe_row_integer(&row, "peer", s->peer);
    gy_probe_row_bool(&row, "peer_access", there && back);
    gy_probe_row_integer(&row, "bytes", (int64_t)s->bytes);
    gy_probe_row_timing(&row, &t);
    gy_probe_row_number(&row, "gbps", (double)s->bytes * (s->kind == ONE_WAY ? 1 : 2) / t.median_us * 1e-3);
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_peer_copy = {.name = "peer_copy",
                                       .summary = "GPU to GPU without NCCL, one way and both ways",
                                       .share = 2,
                                       .plan = plan,
                                       .describe = describe,
                                       .run = run};
