/* The benchmark stream: see gy_generate.h. Nothing here looks like a real cluster but the spread of run times. */
#include <math.h>
#include <stdlib.h>
#include "gy_generate.h"
#include "gy_stream.h"

#define MILLISECOND ((gy_time)1000000)

struct bench {
    struct gy_bench p;
    struct gy_stream arrivals, sizes, durations;
    double gap_s, mu;
    uint64_t made;
    gy_time now;
};

static int next(void *self, struct gy_job_rec *rec, struct gy_error *err)
{
    static const uint8_t gpus[16] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 8, 8};
    struct bench *b = self;

    (void)err;
    if (b->made == b->p.jobs)
        return 0;
    double seconds = gy_stream_lognormal(&b->durations, b->mu, b->p.sigma);
    gy_time duration = gy_time_from_s(seconds) / MILLISECOND * MILLISECOND;
    *rec = (struct gy_job_rec){
        .submit = b->now,
        .duration = duration < MILLISECOND ? MILLISECOND : duration,
        .cancel = GY_NONE,
        .checkpoint = GY_NONE,
        .idle_tail = GY_NONE,
        .number = b->made + 1,
        .gpus = gpus[gy_stream_below(&b->sizes, 16)],
        .gpu_milli = GY_MILLI,
        .end_state = GY_COMPLETED,
        .row = (uint32_t)b->made,
    };
    rec->limit = (2 * rec->duration + GY_MINUTE - 1) / GY_MINUTE * GY_MINUTE;
    b->made++;
    b->now = gy_time_add(b->now, gy_time_from_s(gy_stream_exponential(&b->arrivals, b->gap_s)));
    return 1;
}

int gy_bench_source(const struct gy_bench *p, struct gy_source *out, struct gy_error *err)
{
    const double mean_gpus = (8 * 1 + 4 * 2 + 2 * 4 + 2 * 8) / 16.0;

    if (p->gpus == 0 || !(p->load > 0) || p->jobs > UINT32_MAX || p->sigma < 0 || p->sigma > 4 || p->median < 0 ||
        p->median > 1000 * GY_DAY)
        return gy_fail(err, GY_EINPUT, NULL,
                       "a benchmark stream needs GPUs, a load above 0, fewer than 2^32 jobs, a median "
                       "of at most 1000 days and a sigma of at most 4");
    struct bench *b = calloc(1, sizeof *b);
    if (b == NULL)
        return gy_nomem(err);
    b->p = *p;
    b->p.sigma = p->sigma == 0 ? 1.5 : p->sigma;
    b->mu = log(gy_time_to_s(p->median == 0 ? 600 * GY_SECOND : p->median));
    b->gap_s = mean_gpus * exp(b->mu + b->p.sigma * b->p.sigma / 2) / (p->load * p->gpus);
    *out = (struct gy_source){.self = b, .next = next, .count = p->jobs};
    if (!gy_stream_init(&b->arrivals, p->seed, "bench.arrivals") ||
        !gy_stream_init(&b->sizes, p->seed, "bench.sizes") ||
        !gy_stream_init(&b->durations, p->seed, "bench.durations")) {
        gy_bench_source_free(out);
        return gy_nomem(err);
    }
    return 0;
}

void gy_bench_source_free(struct gy_source *s)
{
    struct bench *b = s->self;

    if (b != NULL) {
        gy_stream_free(&b->arrivals);
        gy_stream_free(&b->sizes);
        gy_stream_free(&b->durations);
    }
    free(b);
    s->self = NULL;
}
