/* What the two halves of the emulated NCCL share: calls and their parts. */
#ifndef NCCL_EMULATOR_H
#define NCCL_EMULATOR_H
#include <nccl.h>
#include "emulator.h"

enum { RANKS = 64, PEERS = 2 * RANKS, AHEAD = 4096 };
enum kind { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, REDUCE, EXCHANGE };

struct transfer {
    bool sends;
    int peer;
    size_t count;
    void *at;
};
struct part { /* one rank's call */
    const float *send;
    float *receive;
    cudaStream_t stream;
    int transfers;
    struct transfer *transfer;
};
/* Between processes: a file that all ranks map (nccl_shared.c). */
struct shared;
struct shared *emu_shared_open(const char *path, int ranks);
void emu_shared_close(struct shared *s);
/* Posts this rank's part, waits for all, takes what is due. */
ncclResult_t emu_shared_call(struct shared *s, int rank, enum kind kind, size_t count, int root,
                             const struct part *part);
#endif
