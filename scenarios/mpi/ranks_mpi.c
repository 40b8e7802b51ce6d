/* Ranks over MPI: the only file that knows it. A module of its own, which the binary loads under mpirun. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>
#include "gy_ranks.h"

gy_ranks_start_fn gy_ranks_start;

static int send_bytes(int to, const void *bytes, size_t n)
{
    return n > 0x7fffffff || MPI_Send(bytes, (int)n, MPI_BYTE, to, 0, MPI_COMM_WORLD) != MPI_SUCCESS ? -1 : 0;
}

/* Looks now and then instead of blocking: MPI would burn a core that runs points. */
static int receive(int wait, int *from, void **bytes, size_t *n)
{
    MPI_Status status;
    long pause = 20000;
    int there = 0, count;
    for (;;) {
        if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS)
            return -1;
        if (there)
            break;
        if (!wait)
            return 1;
        nanosleep(&(struct timespec){0, pause}, NULL);
        pause = pause < 1000000 ? pause * 2 : pause;
    }
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || !(*bytes = malloc((size_t)count + 1)))
        return -1;
    *from = status.MPI_SOURCE;
    *n = (size_t)count;
    if (MPI_Recv(*bytes, count, MPI_BYTE, *from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        return 0;
    free(*bytes);
    return -1;
}

static void finish(void)
{
    MPI_Finalize();
}

int gy_ranks_start(struct gy_ranks *out)
{
    int given;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS || given < MPI_THREAD_SERIALIZED)
        return -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    out->send = send_bytes;
    out->receive = receive;
    out->finish = finish;
    return 0;
}
