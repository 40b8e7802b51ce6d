/* NCCL: a collective happens when the last of its ranks has called it; until then the streams of the others are busy.
 * Point-to-point calls of one group are one exchange, in which all ranks of the communicator take part. */

#include "nccl_emulator.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct call {
    enum kind kind;
    size_t count;
    int root, arrived;
    struct part part[RANKS];
};
struct world {
    pthread_mutex_t lock;
    int ranks, users;
    struct call *call[AHEAD]; /* by sequence number, a ring */
};
struct ncclComm {
    struct world *world;
    struct shared *shared; /* of several processes, else NULL */
    int rank, ranks;
    unsigned sequence;
};

static __thread int depth;
static __thread struct part grouped;
static __thread ncclComm_t grouped_comm;

static void reduce(const struct call *c, int ranks, size_t n, float *sum)
{
    memset(sum, 0, n * sizeof *sum);
    for (int r = 0; r < ranks; r++) {
        for (size_t i = 0; i < n; i++) {
            sum[i] += c->part[r].send[i];
        }
    }
    if (emu_fault("wrong_sum") && n > 100) {
        sum[77] += 1;
    }
}

static void exchange(const struct call *c, int ranks)
{
    size_t total = 0, used = 0;
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < c->part[r].transfers; i++) {
            total += c->part[r].transfer[i].count;
        }
    }
    float *copy = malloc((total + 1) * sizeof *copy);
    for (int pass = 0; pass < 2; pass++) { /* all is read before anything is written */
        used = 0;
        for (int r = 0; r < ranks; r++) {
            for (int i = 0; i < c->part[r].transfers; i++) {
                const struct transfer *t = &c->part[r].transfer[i];
                const struct part *peer = &c->part[t->peer];
                for (int k = 0; !t->sends && k < peer->transfers; k++) {
                    const struct transfer *s = &peer->transfer[k];
                    if (s->sends && s->peer == r && s->count == t->count) {
                        memcpy(pass == 0 ? copy + used : (float *)t->at, pass == 0 ? (float *)s->at : copy + used,
                               t->count * sizeof *copy);
                        used += t->count;
                    }
                }
            }
        }
    }
    free(copy);
}

static void happen(struct call *c, int ranks)
{
    size_t n = c->kind == REDUCE_SCATTER || c->kind == ALL_GATHER ? c->count * (size_t)ranks : c->count;
    float *all = malloc((n + 1) * sizeof *all);
    if (c->kind == EXCHANGE) {
        exchange(c, ranks);
    } else if (c->kind == ALL_GATHER) {
        for (int r = 0; r < ranks; r++) {
            memcpy(all + (size_t)r * c->count, c->part[r].send, c->count * sizeof *all);
        }
    } else if (c->kind == BROADCAST) {
        memcpy(all, c->part[c->root].send, n * sizeof *all);
    } else {
        reduce(c, ranks, n, all);
    }
    for (int r = 0; r < ranks; r++) {
        if (c->kind == REDUCE_SCATTER) {
            memcpy(c->part[r].receive, all + (size_t)r * c->count, c->count * sizeof *all);
        } else if (c->kind != EXCHANGE && (c->kind != REDUCE || r == c->root)) {
            memcpy(c->part[r].receive, all, n * sizeof *all);
        }
    }
    free(all);
}

static ncclResult_t arrive(ncclComm_t comm, enum kind kind, size_t count, int root, struct part part)
{
    struct world *w = comm->world;
    if (emu_fault("hang") || emu_fault("lost_rank")) {
        emu_pend(part.stream, 1);
        free(part.transfer);
        return ncclSuccess;
    }
    if (comm->shared) { /* blocks: each rank has a thread of its own */
        ncclResult_t r = emu_shared_call(comm->shared, comm->rank, kind, count, root, &part);
        free(part.transfer);
        return r;
    }
    emu_pend(part.stream, 1);
    pthread_mutex_lock(&w->lock);
    struct call **slot = &w->call[comm->sequence++ % AHEAD], *c = *slot;
    if (!c) {
        c = *slot = calloc(1, sizeof *c);
        c->kind = kind;
        c->count = count;
        c->root = root;
    }
    bool fits = c->kind == kind && c->root == root && (kind == EXCHANGE || c->count == count);
    c->part[comm->rank] = part;
    if (fits && ++c->arrived == w->ranks) {
        happen(c, w->ranks);
        for (int r = 0; r < w->ranks; r++) {
            emu_pend(c->part[r].stream, -1);
            free(c->part[r].transfer);
        }
        free(c);
        *slot = NULL;
    }
    pthread_mutex_unlock(&w->lock);
    return fits ? ncclSuccess : ncclInvalidUsage;
}

ncclResult_t ncclAllReduce(const void *send, void *receive, size_t n, ncclDataType_t t, ncclRedOp_t op, ncclComm_t c,
                           cudaStream_t s)
{
    bool known = t == ncclFloat32 && op == ncclSum;
    return known ? arrive(c, ALL_REDUCE, n, 0, (struct part){send, receive, s, 0, NULL}) : ncclInvalidArgument;
}

ncclResult_t ncclAllGather(const void *send, void *receive, size_t n, ncclDataType_t t, ncclComm_t c, cudaStream_t s)
{
    return t == ncclFloat32 ? arrive(c, ALL_GATHER, n, 0, (struct part){send, receive, s, 0, NULL})
                            : ncclInvalidArgument;
}

ncclResult_t ncclReduceScatter(const void *send, void *receive, size_t n, ncclDataType_t t, ncclRedOp_t op,
                               ncclComm_t c, cudaStream_t s)
{
    bool known = t == ncclFloat32 && op == ncclSum;
    return known ? arrive(c, REDUCE_SCATTER, n, 0, (struct part){send, receive, s, 0, NULL}) : ncclInvalidArgument;
}

ncclResult_t ncclBroadcast(const void *send, void *receive, size_t n, ncclDataType_t t, int root, ncclComm_t c,
                           cudaStream_t s)
{
    return t == ncclFloat32 ? arrive(c, BROADCAST, n, root, (struct part){send, receive, s, 0, NULL})
                            : ncclInvalidArgument;
}

ncclResult_t ncclReduce(const void *send, void *receive, size_t n, ncclDataType_t t, ncclRedOp_t op, int root,
                        ncclComm_t c, cudaStream_t s)
{
    bool known = t == ncclFloat32 && op == ncclSum;
    return known ? arrive(c, REDUCE, n, root, (struct part){send, receive, s, 0, NULL}) : ncclInvalidArgument;
}

ncclResult_t ncclGroupStart(void)
{
    depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    if (--depth > 0 || !grouped_comm) {
        return ncclSuccess;
    }
    struct part p = grouped;
    ncclComm_t comm = grouped_comm;
    grouped = (struct part){0};
    grouped_comm = NULL;
    return arrive(comm, EXCHANGE, 0, 0, p);
}

static ncclResult_t transfer(ncclComm_t c, cudaStream_t s, struct transfer t)
{
    if (depth == 0 || (grouped_comm && grouped_comm != c) || grouped.transfers == PEERS || t.peer >= c->ranks) {
        return ncclInvalidUsage;
    }
    grouped_comm = c;
    grouped.stream = s;
    if (!grouped.transfer) {
        grouped.transfer = calloc(PEERS, sizeof *grouped.transfer);
    }
    grouped.transfer[grouped.transfers++] = t;
    return ncclSuccess;
}

ncclResult_t ncclSend(const void *at, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s)
{
    return t == ncclFloat32 ? transfer(c, s, (struct transfer){true, peer, n, (void *)at}) : ncclInvalidArgument;
}

ncclResult_t ncclRecv(void *at, size_t n, ncclDataType_t t, int peer, ncclComm_t c, cudaStream_t s)
{
    return t == ncclFloat32 ? transfer(c, s, (struct transfer){false, peer, n, at}) : ncclInvalidArgument;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int n, const int *devices)
{
    if (emu_fault("hang_init")) {
        sleep(3600);
    }
    struct world *w = calloc(1, sizeof *w);
    pthread_mutex_init(&w->lock, NULL);
    w->ranks = w->users = n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (devices[i] == devices[j]) {
                return ncclInvalidUsage;
            }
        }
        comm[i] = calloc(1, sizeof *comm[i]);
        *comm[i] = (struct ncclComm){w, NULL, i, n, 0};
    }
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    if (c->shared) {
        emu_shared_close(c->shared);
    } else {
        pthread_mutex_lock(&c->world->lock);
        bool last = --c->world->users == 0;
        pthread_mutex_unlock(&c->world->lock);
        if (last) {
            free(c->world);
        }
    }
    free(c);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t c)
{
    return ncclCommDestroy(c);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *state)
{
    *state = c && emu_fault("lost_rank") ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

ncclResult_t ncclGetVersion(int *version)
{
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "/tmp/emu_nccl_XXXXXX");
    int fd = mkstemp(id->internal);
    return fd < 0 || close(fd) != 0 ? ncclSystemError : ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int n, ncclUniqueId id, int rank)
{
    if (emu_fault("no_network") || n > RANKS || rank >= n) {
        return ncclSystemError;
    }
    *comm = calloc(1, sizeof **comm);
    **comm = (struct ncclComm){NULL, emu_shared_open(id.internal, n), rank, n, 0};
    return (*comm)->shared ? ncclSuccess : ncclSystemError;
}

const char *ncclGetErrorString(ncclResult_t r)
{
    return r == ncclRemoteError ? "remote process exited or there was a network error" : "emulated error";
}

const char *ncclGetLastError(ncclComm_t c)
{
    (void)c;
    return "";
}
