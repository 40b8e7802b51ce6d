/* Batches of collectives (one or two lanes, with products beside them or without), launched by a thread a GPU and timed
 * by the wall clock between barriers, as nccl-tests does; across processes the longest time counts. */
#include "gpu.h"

enum { SAMPLES_MAX = 64 };

struct running {
    struct gp_batch *batch;
    int first, nodes;
    double limit_s, start_s;
};

/* What one GPU has to enqueue for the whole batch. */
static int enqueue(struct gp_context *c, const struct gp_batch *b, int gpu, struct gy_error *err)
{
    int gemms = b->gemm ? b->gemms : 0, launched = 0;
    int steps = b->lanes ? b->iterations : gemms;
    for (int i = 0; i < steps; i++) {
        for (int lane = 0; lane < GP_LANES; lane++) {
            bool mine = (b->lanes >> lane & 1u) && gp_lane_rank(c, lane, gpu) >= 0;
            if (mine && gp_message_launch(c, lane, &b->message[lane], gpu, err) != 0) {
                return -1;
            }
        }
        for (; launched < (int)((int64_t)gemms * (i + 1) / steps); launched++) {
            if (gp_gemm_launch(c, &b->gemm[gpu], c->device[gpu].stream[1], err) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int batch_member(struct gp_member *member, void *arg)
{
    struct gp_context *c = member->context;
    struct running *r = arg;
    int gpu = r->first + member->index;
    if (gp_cuda(cudaSetDevice(gpu), "choosing a GPU", &member->err) != 0 || !gp_team_meet(c->team)) {
        return -1;
    }
    if (member->index == 0) { /* the main thread: MPI is its own */
        gp_nodes_barrier(c->mpi, r->nodes);
        r->start_s = gp_now_s();
    }
    if (!gp_team_meet(c->team) || enqueue(c, r->batch, gpu, &member->err) != 0) {
        return -1;
    }
    for (int s = 0; s < GP_STREAMS; s++) {
        if (gp_stream_wait(c, gpu, s, r->limit_s, &member->err) != 0) {
            return -1;
        }
    }
    if (!gp_team_meet(c->team)) {
        return -1;
    }
    if (member->index == 0) {
        r->batch->seconds = gp_now_s() - r->start_s;
    }
    return 0;
}

static int run(struct gp_context *c, struct gp_batch *b, double limit_s, struct gy_error *err)
{
    struct running r = {.batch = b, .limit_s = limit_s, .nodes = c->lane[0].open ? c->lane[0].group.nodes : 1};
    int members = gp_batch_gpus(c, b, &r.first);
    gp_watch_arm(c->watch, limit_s + c->options->timeout_s, "a batch of collectives");
    int status = gp_team_run(c->team, members, batch_member, &r, err);
    gp_watch_rest(c->watch);
    if (status != 0) {
        gp_lanes_abort(c);
        return -1;
    }
    b->seconds = gp_nodes_max(c->mpi, r.nodes, b->seconds);
    return 0;
}

int gp_batch_run(struct gp_context *c, struct gp_batch *b, struct gy_error *err)
{
    return run(c, b, c->options->timeout_s, err);
}

int gp_batch_measure(struct gp_context *c, struct gp_batch *b, struct gy_probe_timing *t, struct gy_error *err)
{
    double sample_us[SAMPLES_MAX];
    b->iterations = c->pace.warmup;
    if (run(c, b, c->options->timeout_s * c->pace.warmup, err) != 0) {
        return -1;
    }
    double one = b->seconds / c->pace.warmup; /* the longest of all processes, so all choose alike */
    b->iterations = gp_iterations(c, one);
    int repeats = gy_probe_repeats(one * b->iterations, c->pace.cap_s, c->pace.repeats);
    for (int i = 0; i < repeats; i++) {
        if (run(c, b, c->options->timeout_s + 10 * one * b->iterations, err) != 0) {
            return -1;
        }
        sample_us[i] = b->seconds / b->iterations * 1e6;
    }
    *t = (struct gy_probe_timing){.iterations = b->iterations, .warmup = 1 + c->pace.warmup, .clock = GY_PROBE_WALL};
    return gy_probe_timing_of(sample_us, repeats, t) != 0 ? gy_nomem(err) : 0;
}
