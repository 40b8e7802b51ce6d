/* The timing of work on one GPU: warm-up at every point, then batches of iterations back to back between two CUDA
 * events; a batch's mean is one sample. */
#include "gpu.h"

enum { SAMPLES_MAX = 64 };

int gp_iterations(const struct gp_context *c, double one_s)
{
    double fit = one_s > 0 ? 4 * c->pace.cap_s / one_s : c->pace.iterations;
    return fit >= c->pace.iterations ? c->pace.iterations : fit < 2 ? 2 : (int)fit;
}

static int batch(struct gp_context *c, const struct gp_work *w, int iterations, double *seconds, struct gy_error *err)
{
    struct gp_device *d = &c->device[w->gpu];
    cudaStream_t s = d->stream[0];
    float ms;
    if (gp_cuda(cudaEventRecord(d->start, s), "recording an event", err) != 0) {
        return -1;
    }
    for (int i = 0; i < iterations; i++) {
        if (w->launch(c, w->self, s, err) != 0) {
            return -1;
        }
    }
    if (gp_cuda(cudaEventRecord(d->stop, s), "recording an event", err) != 0 ||
        gp_cuda(cudaEventSynchronize(d->stop), "waiting for a kernel", err) != 0 ||
        gp_cuda(cudaEventElapsedTime(&ms, d->start, d->stop), "reading an event", err) != 0) {
        return -1;
    }
    *seconds = ms * 1e-3;
    return 0;
}

int gp_measure(struct gp_context *c, const struct gp_work *w, struct gy_probe_timing *t, struct gy_error *err)
{
    double sample_us[SAMPLES_MAX], first, warm, seconds;
    if (gp_cuda(cudaSetDevice(w->gpu), "choosing a GPU", err) != 0) {
        return -1;
    }
    gp_watch_arm(c->watch, c->options->timeout_s, "a kernel's warm-up");
    if (batch(c, w, 1, &first, err) != 0 || batch(c, w, c->pace.warmup, &warm, err) != 0) {
        return -1;
    }
    double one = warm / c->pace.warmup;
    int iterations = gp_iterations(c, one);
    int repeats = gy_probe_repeats(one * iterations, c->pace.cap_s, c->pace.repeats);
    for (int r = 0; r < repeats; r++) {
        gp_watch_arm(c->watch, c->options->timeout_s + 10 * one * iterations, "a kernel");
        if (batch(c, w, iterations, &seconds, err) != 0) {
            return -1;
        }
        sample_us[r] = seconds / iterations * 1e6;
    }
    gp_watch_rest(c->watch);
    *t = (struct gy_probe_timing){.iterations = iterations, .warmup = 1 + c->pace.warmup, .clock = GY_PROBE_EVENT};
    return gy_probe_timing_of(sample_us, repeats, t) != 0 ? gy_nomem(err) : 0;
}
