/* Several nodes: one process a node, process p is node p. Without MPI, or when not started by it, one node. MPI carries
 * only set-up, barriers and single numbers; all is called from the main thread. */
#include "gpu.h"
#ifdef GP_MPI
#include <mpi.h>

enum { NODES_MAX = 4096 };
struct gp_nodes {
    bool on;
    MPI_Comm leading[NODES_MAX + 1]; /* of the first n processes, made on first use */
};

/* Started by a launcher? Asked of the environment, so that a plain start needs no MPI run time. */
static bool launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALRANKID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (getenv(names[i])) {
            return true;
        }
    }
    return false;
}

/* Processes on this node. */
static int together(void)
{
    MPI_Comm here;
    int n = 1;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) == MPI_SUCCESS) {
        MPI_Comm_size(here, &n);
        MPI_Comm_free(&here);
    }
    return n;
}

struct gp_nodes *gp_nodes_open(int *argc, char ***argv, bool share, int *node, int *nodes, struct gy_error *err)
{
    int provided;
    struct gp_nodes *w = calloc(1, sizeof *w);
    *node = 0;
    *nodes = 1;
    if (!w) {
        gy_nomem(err);
        return NULL;
    }
    if (!launched()) {
        return w;
    }
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
        gy_fail(err, GY_EIO, NULL, "MPI does not start with threads");
        free(w);
        return NULL;
    }
    w->on = true;
    MPI_Comm_rank(MPI_COMM_WORLD, node);
    MPI_Comm_size(MPI_COMM_WORLD, nodes);
    for (int i = 0; i <= NODES_MAX; i++) {
        w->leading[i] = MPI_COMM_NULL;
    }
    int here = together();
    if (here > 1 && !share) {
        gy_fail(err, GY_EIO, NULL, "%d processes on one node: each process measures all GPUs of its node", here);
        gy_hint(err, "start one a node (Open MPI: --map-by ppr:1:node); --force counts processes as nodes");
        gp_nodes_close(w);
        return NULL;
    }
    if (*nodes > NODES_MAX) {
        gy_fail(err, GY_EIO, NULL, "%d processes, at most %d are supported", *nodes, NODES_MAX);
        gp_nodes_close(w);
        return NULL;
    }
    return w;
}

void gp_nodes_close(struct gp_nodes *w)
{
    if (w && w->on) {
        MPI_Finalize();
    }
    free(w);
}

void gp_nodes_abort(struct gp_nodes *w, int status)
{
    int size = 1;
    if (w && w->on) {
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    }
    if (size > 1) {
        MPI_Abort(MPI_COMM_WORLD, status);
    }
}

bool gp_nodes_built(void)
{
    return true;
}

int gp_nodes_join(struct gp_nodes *w, int nodes, struct gy_error *err)
{
    int rank;
    MPI_Comm made;
    if (!w->on || w->leading[nodes] != MPI_COMM_NULL) {
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (MPI_Comm_split(MPI_COMM_WORLD, rank < nodes ? 0 : 1, rank, &made) != MPI_SUCCESS) {
        return gy_fail(err, GY_EIO, NULL, "MPI_Comm_split failed");
    }
    w->leading[nodes] = made;
    return 0;
}

void gp_nodes_barrier(struct gp_nodes *w, int nodes)
{
    if (w->on) {
        MPI_Barrier(w->leading[nodes]);
    }
}

void gp_nodes_broadcast(struct gp_nodes *w, int nodes, void *bytes, size_t n)
{
    if (w->on) {
        MPI_Bcast(bytes, (int)n, MPI_BYTE, 0, w->leading[nodes]);
    }
}

static double combine(struct gp_nodes *w, int nodes, double v, MPI_Op op)
{
    double all = v;
    if (w->on) {
        MPI_Allreduce(&v, &all, 1, MPI_DOUBLE, op, w->leading[nodes]);
    }
    return all;
}

double gp_nodes_max(struct gp_nodes *w, int nodes, double v)
{
    return combine(w, nodes, v, MPI_MAX);
}

double gp_nodes_min(struct gp_nodes *w, int nodes, double v)
{
    return combine(w, nodes, v, MPI_MIN);
}

#else

struct gp_nodes {
    char none;
};

struct gp_nodes *gp_nodes_open(int *argc, char ***argv, bool share, int *node, int *nodes, struct gy_error *err)
{
    struct gp_nodes *w = calloc(1, sizeof *w);
    (void)argc, (void)argv, (void)share;
    *node = 0;
    *nodes = 1;
    if (!w) {
        gy_nomem(err);
    }
    return w;
}

void gp_nodes_close(struct gp_nodes *w)
{
    free(w);
}

void gp_nodes_abort(struct gp_nodes *w, int status)
{
    (void)w, (void)status;
}

bool gp_nodes_built(void)
{
    return false;
}

int gp_nodes_join(struct gp_nodes *w, int nodes, struct gy_error *err)
{
    (void)w, (void)nodes, (void)err;
    return 0;
}

void gp_nodes_barrier(struct gp_nodes *w, int nodes)
{
    (void)w, (void)nodes;
}

void gp_nodes_broadcast(struct gp_nodes *w, int nodes, void *bytes, size_t n)
{
    (void)w, (void)nodes, (void)bytes, (void)n;
}

double gp_nodes_max(struct gp_nodes *w, int nodes, double v)
{
    (void)w, (void)nodes;
    return v;
}

double gp_nodes_min(struct gp_nodes *w, int nodes, double v)
{
    (void)w, (void)nodes;
    return v;
}
#endif
