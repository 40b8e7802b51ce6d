/* NCCL: communicators over groups of GPUs, one operation's launch, the wait that notices a lost rank, and the check of
 * every element that an operation delivers. */
#include "gpu.h"
#include <math.h>
#include <string.h>

int gp_nccl(struct gp_context *c, ncclResult_t r, const char *what, struct gy_error *err)
{
    if (r == ncclSuccess || r == ncclInProgress) {
        return 0;
    }
    const char *last = c->nccl.GetLastError(NULL);
    gy_fail(err, GY_EIO, NULL, "NCCL: %s: %s%s%s", what, c->nccl.GetErrorString(r), last && *last ? ": " : "",
            last ? last : "");
    if (r == ncclRemoteError || r == ncclSystemError) {
        return gy_hint(err, "a rank or a link was lost; NCCL_DEBUG=WARN tells more");
    }
    return gy_hint(err, "NCCL_DEBUG=WARN tells more");
}

static bool same_group(const struct gy_probe_group *a, const struct gy_probe_group *b)
{
    return a->nodes == b->nodes && a->first == b->first && a->gpus == b->gpus;
}

static void close_lane(struct gp_context *c, struct gp_lane *l)
{
    for (int g = l->group.first; l->open && g < l->group.first + l->group.gpus; g++) {
        if (l->comm[g] && cudaSetDevice(g) == cudaSuccess) {
            c->nccl.CommDestroy(l->comm[g]);
        }
        l->comm[g] = NULL;
    }
    l->open = false;
}

void gp_lanes_close(struct gp_context *c)
{
    for (int i = 0; i < GP_LANES; i++) {
        close_lane(c, &c->lane[i]);
    }
}

void gp_lanes_abort(struct gp_context *c)
{
    for (int i = 0; i < GP_LANES; i++) {
        struct gp_lane *l = &c->lane[i];
        for (int g = 0; l->open && g < GP_GPUS_MAX; g++) {
            if (l->comm[g]) {
                c->nccl.CommAbort(l->comm[g]);
                l->comm[g] = NULL;
            }
        }
        l->open = false;
    }
}

static int open_one_node(struct gp_context *c, struct gp_lane *l, struct gy_error *err)
{
    int list[GP_GPUS_MAX];
    for (int i = 0; i < l->group.gpus; i++) {
        list[i] = l->group.first + i;
    }
    return gp_nccl(c, c->nccl.CommInitAll(&l->comm[l->group.first], l->group.gpus, list), "setting up communicators",
                   err);
}

static int open_nodes(struct gp_context *c, struct gp_lane *l, struct gy_error *err)
{
    ncclUniqueId id;
    const struct gy_probe_group *g = &l->group;
    if (c->node == 0 && gp_nccl(c, c->nccl.GetUniqueId(&id), "making an id", err) != 0) {
        return -1;
    }
    gp_nodes_broadcast(c->mpi, g->nodes, &id, sizeof id);
    ncclResult_t r = c->nccl.GroupStart();
    for (int i = 0; i < g->gpus && r == ncclSuccess; i++) {
        if (gp_cuda(cudaSetDevice(g->first + i), "choosing a GPU", err) != 0) {
            return -1;
        }
        r = c->nccl.CommInitRank(&l->comm[g->first + i], gy_probe_ranks(g), id, c->node * g->gpus + i);
    }
    ncclResult_t end = c->nccl.GroupEnd();
    return gp_nccl(c, r != ncclSuccess ? r : end, "setting up communicators", err);
}

int gp_lane_open(struct gp_context *c, int lane, const struct gy_probe_group *g, struct gy_error *err)
{
    struct gp_lane *l = &c->lane[lane];
    if (l->open && same_group(&l->group, g)) {
        return 0;
    }
    close_lane(c, l);
    l->group = *g;
    gp_watch_arm(c->watch, 2 * c->options->timeout_s, "setting up NCCL communicators");
    l->open = true;
    int status = g->nodes == 1 ? open_one_node(c, l, err) : open_nodes(c, l, err);
    gp_watch_rest(c->watch);
    if (status != 0) {
        l->open = false; /* what NCCL has half made is NCCL's */
        memset(l->comm, 0, sizeof l->comm);
    }
    return status;
}

int gp_lane_rank(const struct gp_context *c, int lane, int gpu)
{
    const struct gp_lane *l = &c->lane[lane];
    bool in = l->open && gpu >= l->group.first && gpu < l->group.first + l->group.gpus && c->node < l->group.nodes;
    return in ? c->node * l->group.gpus + gpu - l->group.first : -1;
}

struct ends { /* where the operation reads and writes */
    float *send, *receive;
};

static struct ends buffers(const struct gp_context *c, const struct gp_message *m, int gpu, int rank)
{
    float *send = c->device[gpu].buffer[m->send], *receive = c->device[gpu].buffer[m->receive];
    if (!m->in_place) {
        return (struct ends){send, receive};
    }
    struct ends e = {receive, receive};
    if (m->op == GY_PROBE_ALL_GATHER) {
        e.send = receive + (uint64_t)rank * m->counts.send;
    } else if (m->op == GY_PROBE_REDUCE_SCATTER) {
        e.receive = receive + (uint64_t)rank * m->counts.recv;
    }
    return e;
}

static ncclResult_t exchange(struct gp_context *c, const struct gp_message *m, const struct ends *e, ncclComm_t comm,
                             int ranks, int rank, cudaStream_t s)
{
    const struct gp_nccl *n = &c->nccl;
    ncclResult_t r = n->GroupStart(), end;
    if (m->op == GY_PROBE_SEND_RECV) {
        if (r == ncclSuccess) {
            r = n->Send(e->send, m->counts.send, ncclFloat32, (rank + 1) % ranks, comm, s);
        }
        if (r == ncclSuccess) {
            r = n->Recv(e->receive, m->counts.recv, ncclFloat32, (rank - 1 + ranks) % ranks, comm, s);
        }
    }
    uint64_t part = m->counts.send / (uint64_t)ranks;
    for (int peer = 0; m->op == GY_PROBE_ALL_TO_ALL && peer < ranks && r == ncclSuccess; peer++) {
        r = n->Send(e->send + (uint64_t)peer * part, part, ncclFloat32, peer, comm, s);
        if (r == ncclSuccess) {
            r = n->Recv(e->receive + (uint64_t)peer * part, part, ncclFloat32, peer, comm, s);
        }
    }
    end = n->GroupEnd();
    return r != ncclSuccess ? r : end;
}

int gp_message_launch(struct gp_context *c, int lane, const struct gp_message *m, int gpu, struct gy_error *err)
{
    const struct gp_nccl *n = &c->nccl;
    ncclComm_t comm = c->lane[lane].comm[gpu];
    cudaStream_t s = c->device[gpu].stream[m->stream];
    int rank = gp_lane_rank(c, lane, gpu), ranks = gy_probe_ranks(&c->lane[lane].group);
    struct ends e = buffers(c, m, gpu, rank);
    ncclResult_t r;
    switch (m->op) {
    case GY_PROBE_ALL_REDUCE:
        r = n->AllReduce(e.send, e.receive, m->counts.send, ncclFloat32, ncclSum, comm, s);
        break;
    case GY_PROBE_ALL_GATHER:
        r = n->AllGather(e.send, e.receive, m->counts.send, ncclFloat32, comm, s);
        break;
    case GY_PROBE_REDUCE_SCATTER:
        r = n->ReduceScatter(e.send, e.receive, m->counts.recv, ncclFloat32, ncclSum, comm, s);
        break;
    case GY_PROBE_BROADCAST:
        r = n->Broadcast(e.send, e.receive, m->counts.send, ncclFloat32, 0, comm, s);
        break;
    case GY_PROBE_REDUCE:
        r = n->Reduce(e.send, e.receive, m->counts.send, ncclFloat32, ncclSum, 0, comm, s);
        break;
    default:
        r = exchange(c, m, &e, comm, ranks, rank, s);
        break;
    }
    return gp_nccl(c, r, gy_probe_op_name(m->op), err);
}

static int lost(struct gp_context *c, int gpu, struct gy_error *err)
{
    for (int i = 0; i < GP_LANES; i++) {
        ncclResult_t state = ncclSuccess;
        ncclComm_t comm = c->lane[i].open ? c->lane[i].comm[gpu] : NULL;
        if (comm && gp_nccl(c, c->nccl.CommGetAsyncError(comm, &state), "asking for errors", err) != 0) {
            return -1;
        }
        if (comm && gp_nccl(c, state, "a collective failed on the way", err) != 0) {
            return -1;
        }
    }
    return 0;
}

int gp_stream_wait(struct gp_context *c, int gpu, int stream, double limit_s, struct gy_error *err)
{
    double start = gp_now_s();
    for (unsigned polls = 0;; polls++) {
        cudaError_t e = cudaStreamQuery(c->device[gpu].stream[stream]);
        if (e == cudaSuccess) {
            return 0;
        }
        if (e != cudaErrorNotReady) {
            return gp_cuda(e, "waiting for a collective", err);
        }
        if (polls % 64 != 63) {
            continue;
        }
        if (lost(c, gpu, err) != 0) {
            return -1;
        }
        if (gp_team_failed(c->team)) {
            return -1; /* the member that failed says why */
        }
        if (gp_now_s() - start > limit_s) {
            gy_fail(err, GY_EIO, NULL, "a collective did not finish within %.0f s: a rank is lost or hangs", limit_s);
            return gy_hint(err, "NCCL_DEBUG=WARN tells more; --timeout waits longer");
        }
    }
}

struct check {
    int lane;
    const struct gp_message *message;
};

static int verify_member(struct gp_member *member, void *arg)
{
    struct gp_context *c = member->context;
    const struct check *k = arg;
    const struct gp_message *m = k->message;
    const struct gy_probe_group *g = &c->lane[k->lane].group;
    int gpu = g->first + member->index, rank = gp_lane_rank(c, k->lane, gpu), ranks = gy_probe_ranks(g);
    cudaStream_t s = c->device[gpu].stream[m->stream];
    struct gy_error *err = &member->err;
    if (gp_cuda(cudaSetDevice(gpu), "choosing a GPU", err) != 0 ||
        (!m->in_place && gp_buffer(c, gpu, m->send, m->counts.send * sizeof(float), err) != 0) ||
        gp_buffer(c, gpu, m->receive, m->counts.bytes, err) != 0) {
        return -1;
    }
    struct ends e = buffers(c, m, gpu, rank);
    if (gp_cuda(cudaMemsetAsync(c->device[gpu].buffer[m->receive], 0xff, m->counts.bytes, s), "filling", err) != 0 ||
        gp_cuda(gy_k_fill(e.send, m->counts.send, (uint64_t)rank, s), "filling", err) != 0 ||
        gp_cuda(cudaStreamSynchronize(s), "filling", err) != 0 || !gp_team_meet(c->team) ||
        gp_message_launch(c, k->lane, m, gpu, err) != 0 ||
        gp_stream_wait(c, gpu, m->stream, c->options->timeout_s, err) != 0) {
        return -1;
    }
    char what[96];
    snprintf(what, sizeof what, "%s of %llu bytes on %d ranks%s", gy_probe_op_name(m->op),
             (unsigned long long)m->counts.bytes, ranks, m->in_place ? " in place" : "");
    for (int i = 0; i < gy_probe_expect_segments(m->op, ranks, rank); i++) {
        struct gy_probe_expect expect;
        gy_probe_expect_at(m->op, m->counts, ranks, rank, i, &expect);
        if (gp_check(c, gpu, e.receive, &expect, what, err) != 0) {
            return -1;
        }
    }
    return 0;
}

int gp_message_verify(struct gp_context *c, int lane, const struct gp_message *m, struct gy_error *err)
{
    struct check k = {lane, m};
    gp_watch_arm(c->watch, 2 * c->options->timeout_s, "a collective's check");
    int status = gp_team_run(c->team, c->lane[lane].group.gpus, verify_member, &k, err);
    gp_watch_rest(c->watch);
    if (status != 0) {
        gp_lanes_abort(c);
    }
    return status;
}

int gp_batch_gpus(const struct gp_context *c, const struct gp_batch *b, int *first)
{
    int low = GP_GPUS_MAX, high = 0;
    for (int i = 0; i < GP_LANES; i++) {
        const struct gy_probe_group *g = &c->lane[i].group;
        if (b->lanes >> i & 1u) {
            low = g->first < low ? g->first : low;
            high = g->first + g->gpus > high ? g->first + g->gpus : high;
        }
    }
    if (b->gemm && b->lanes == 0) {
        low = 0;
        high = c->gpus;
    }
    *first = low;
    return high - low;
}
