/* The emulated NCCL between processes: every rank posts what it sends into a file that all have mapped, and takes what
 * is due to it when all have posted. A call blocks until then, so every rank needs a thread of its own. */
#include "nccl_emulator.h"
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FLOATS = 1 << 15, SHARED_RANKS = 16 };
struct post {
    enum kind kind;
    size_t count;
    int sends;
    struct {
        int peer;
        size_t count, offset;
    } send[SHARED_RANKS];
    float data[FLOATS];
};
struct shared {
    atomic_int arrived, attached;
    atomic_uint turn;
    int ranks;
    char path[64];
    struct post post[SHARED_RANKS];
};

struct shared *emu_shared_open(const char *path, int ranks)
{
    int fd = open(path, O_RDWR);
    if (fd < 0 || ranks > SHARED_RANKS || ftruncate(fd, sizeof(struct shared)) != 0) {
        return NULL;
    }
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (s == MAP_FAILED) {
        return NULL;
    }
    s->ranks = ranks;
    if (atomic_fetch_add(&s->attached, 1) + 1 == ranks) {
        unlink(path); /* all have it open */
    }
    return s;
}

void emu_shared_close(struct shared *s)
{
    munmap(s, sizeof *s);
}

static void meet(struct shared *s)
{
    unsigned turn = atomic_load(&s->turn);
    if (atomic_fetch_add(&s->arrived, 1) + 1 == s->ranks) {
        atomic_store(&s->arrived, 0);
        atomic_fetch_add(&s->turn, 1);
        return;
    }
    while (atomic_load(&s->turn) == turn) {
        sched_yield();
    }
}

static bool post(struct shared *s, struct post *p, enum kind kind, size_t count, const struct part *part)
{
    size_t n = kind == REDUCE_SCATTER ? count * (size_t)s->ranks : count, used = 0;
    p->kind = kind;
    p->count = count;
    p->sends = 0;
    if (kind != EXCHANGE) {
        memcpy(p->data, part->send, (n < FLOATS ? n : FLOATS) * sizeof(float));
        return n <= FLOATS;
    }
    for (int i = 0; i < part->transfers; i++) {
        const struct transfer *t = &part->transfer[i];
        if (!t->sends) {
            continue;
        }
        if (used + t->count > FLOATS || p->sends == SHARED_RANKS) {
            return false;
        }
        p->send[p->sends].peer = t->peer;
        p->send[p->sends].count = t->count;
        p->send[p->sends++].offset = used;
        memcpy(p->data + used, t->at, t->count * sizeof(float));
        used += t->count;
    }
    return true;
}

static void receive(const struct shared *s, int rank, const struct part *part)
{
    for (int i = 0; i < part->transfers; i++) {
        const struct transfer *t = &part->transfer[i];
        const struct post *from = &s->post[t->peer];
        for (int k = 0; !t->sends && k < from->sends; k++) {
            if (from->send[k].peer == rank && from->send[k].count == t->count) {
                memcpy(t->at, from->data + from->send[k].offset, t->count * sizeof(float));
            }
        }
    }
}

static void take(const struct shared *s, int rank, enum kind kind, size_t count, int root, const struct part *part)
{
    size_t from = kind == REDUCE_SCATTER ? (size_t)rank * count : 0;
    if (kind == EXCHANGE) {
        receive(s, rank, part);
    } else if (kind == BROADCAST) {
        memcpy(part->receive, s->post[root].data, count * sizeof(float));
    } else if (kind == ALL_GATHER) {
        for (int r = 0; r < s->ranks; r++) {
            memcpy(part->receive + (size_t)r * count, s->post[r].data, count * sizeof(float));
        }
    } else if (kind != REDUCE || rank == root) {
        for (size_t i = 0; i < count; i++) {
            float sum = 0;
            for (int r = 0; r < s->ranks; r++) {
                sum += s->post[r].data[from + i];
            }
            part->receive[i] = sum;
        }
    }
}

ncclResult_t emu_shared_call(struct shared *s, int rank, enum kind kind, size_t count, int root,
                             const struct part *part)
{
    bool fits = post(s, &s->post[rank], kind, count, part);
    meet(s);
    for (int r = 0; r < s->ranks; r++) {
        fits = fits && s->post[r].kind == kind && (kind == EXCHANGE || s->post[r].count == count);
    }
    if (fits) {
        take(s, rank, kind, count, root, part);
    }
    meet(s); /* all have taken before anyone posts again */
    return fits ? ncclSuccess : ncclInvalidUsage;
}
