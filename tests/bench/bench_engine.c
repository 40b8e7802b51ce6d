/* The engine's speed as ratios taken in one run: scheduling policies against the floor, which reads the same generated
 * rows and pushes and pops the same end events on a bare heap. Not a test: nothing fails here (./dev bench prints it).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "gy_engine.h"
#include "gy_hash.h"
#include "gy_heap.h"
#include "gy_sched.h"

struct load { /* a stream of generated jobs */
    uint64_t n, at, seed;
    gy_time now, gap;      /* mean time between arrivals */
    uint64_t limit_spread; /* limits are up to so many times the run time */
};

static double draw(struct load *l)
{
    l->seed = gy_hash_mix(l->seed + 0x9e3779b97f4a7c15u);
    return (double)(l->seed >> 11) * 0x1p-53;
}

#define MEAN_RUN_S 3600.0
#define MEAN_GPUS  3.2 /* of the mix below */

static int load_next(void *self, struct gy_job_rec *rec, struct gy_error *err)
{
    static const uint32_t size[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 16};
    struct load *l = self;
    (void)err;
    if (l->at == l->n)
        return 0;
    l->now += (gy_time)(-log1p(-draw(l)) * (double)l->gap);
    memset(rec, 0, sizeof *rec);
    rec->submit = l->now;
    rec->duration = (gy_time)(-log1p(-draw(l)) * MEAN_RUN_S * 1e9) + GY_SECOND;
    rec->limit = rec->duration + (gy_time)(draw(l) * (double)l->limit_spread * (double)rec->duration);
    rec->cancel = rec->checkpoint = rec->idle_tail = GY_NONE;
    rec->gpus = size[(size_t)(draw(l) * 20)];
    rec->gpu_milli = GY_MILLI;
    rec->end_state = GY_COMPLETED;
    rec->number = l->at;
    rec->row = (uint32_t)l->at++;
    return 1;
}

static struct load load_of(uint64_t jobs, uint32_t gpus, double rho)
{
    return (struct load){
        .n = jobs, .seed = 42, .gap = (gy_time)(MEAN_GPUS * MEAN_RUN_S * 1e9 / (gpus * rho)), .limit_spread = 3};
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* one thread; other work on the machine spoils it least */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double floor_s(struct load l)
{
    const double start = now_s();
    struct gy_heap heap = {0};
    struct gy_job_rec rec;
    struct gy_heap_event e;
    struct gy_error err;
    while (load_next(&l, &rec, &err) > 0) {
        while (gy_heap_peek(&heap, &e) && e.time <= rec.submit)
            gy_heap_pop(&heap, &e);
        gy_heap_push(&heap, rec.submit + rec.duration, 0, rec.number);
    }
    while (gy_heap_pop(&heap, &e))
        continue;
    gy_heap_free(&heap);
    return now_s() - start;
}

struct watch { /* the longest queue and its mean over arrivals */
    uint64_t peak, sum, n;
};

static int watch_event(void *self, const struct gy_view *view, const struct gy_event *e, struct gy_error *err)
{
    struct watch *w = self;
    (void)view;
    (void)err;
    if (e->kind != GY_E_SUBMIT)
        return 0;
    w->sum += e->pending;
    w->n++;
    if (e->pending > w->peak)
        w->peak = e->pending;
    return 0;
}

static int index_of_backfill(const char *name)
{
    for (int i = 0; gy_backfills[i]; i++)
        if (strcmp(gy_backfills[i]->name, name) == 0)
            return i;
    return -1;
}

static int index_of_place(const char *name)
{
    for (int i = 0; gy_places[i]; i++)
        if (strcmp(gy_places[i]->name, name) == 0)
            return i;
    return -1;
}

static double run_s(struct load l, uint32_t gpus, const char *backfill, bool best_effort, struct watch *w)
{
    struct gy_cluster_spec spec = {.strings = gy_strings_new()};
    for (uint32_t i = 0; i < gpus / 8; i++) {
        const struct gy_node_spec s = {.gpus = 8, .speed = 1, .hardware = UINT32_MAX, .leaf = UINT32_MAX};
        if (!gy_vec_push(&spec.nodes, s))
            exit(3);
    }
    const struct gy_policy_type *type = gy_policy_find("composed");
    const struct gy_sched_params params = {.queueing = best_effort,
                                           .backfill = index_of_backfill(backfill),
                                           .placement = index_of_place("pack"),
                                           .depth = 50};
    if (!type || params.backfill < 0 || params.placement < 0)
        return NAN;
    const struct gy_sim_config config = {.cluster = &spec,
                                         .source = {&l, load_next, NULL, spec.strings, l.n},
                                         .policy = type,
                                         .policy_params = &params,
                                         .seed = 1,
                                         .stop_at = GY_NEVER,
                                         .sample_every = GY_NEVER};
    struct gy_sim_result result;
    struct gy_error err;
    const struct gy_observer o = {w, watch_event};
    *w = (struct watch){0};
    const double start = now_s();
    if (gy_sim_run(&config, &o, 1, &result, &err)) {
        gy_error_print(stderr, "bench", &err);
        exit(3);
    }
    const double took = now_s() - start;
    gy_cluster_spec_free(&spec);
    gy_strings_free(spec.strings);
    return took;
}

static long peak_kib(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static void row(const char *what, struct load l, uint32_t gpus, const char *backfill, bool best_effort, double against)
{
    struct watch w;
    const double took = run_s(l, gpus, backfill, best_effort, &w);
    printf("%-44s %9.3f s %8.0f ns/job  queue mean %6.0f max %6llu", what, took, took * 1e9 / (double)l.n,
           w.n ? (double)w.sum / (double)w.n : 0.0, (unsigned long long)w.peak);
    if (against > 0)
        printf("  ratio %.2f", took / against);
    putchar('\n');
    fflush(stdout);
}

/* A queue of about 10,000: the load is as high as the cluster bears, after a burst that fills the queue. */
static struct load backlog(uint64_t jobs, uint32_t gpus)
{
    return load_of(jobs, gpus, 1.0 + 20000.0 / (double)jobs);
}

int main(int argc, char **argv)
{
    const uint64_t scale = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    const uint32_t gpus = 10000;
    printf("jobs of 1 to 16 GPUs on %u GPUs (nodes of 8), load 0.90, pack\n", gpus);
    for (uint64_t n = scale; n <= 4 * scale; n *= 2) {
        char what[64];
        const double base = floor_s(load_of(n, gpus, 0.9));
        printf("floor, %llu jobs: %.3f s, %.0f ns/job\n", (unsigned long long)n, base, base * 1e9 / (double)n);
        snprintf(what, sizeof what, "fifo, %llu jobs (ratio to the floor)", (unsigned long long)n);
        row(what, load_of(n, gpus, 0.9), gpus, "none", false, base);
    }
    printf("peak memory so far: %ld KiB\n", peak_kib());
    const uint64_t q = scale / 5;
    printf("with a backlog, %llu jobs (ratio to fifo, strict)\n", (unsigned long long)q);
    struct watch w;
    const double fifo = run_s(backlog(q, gpus), gpus, "none", false, &w);
    row("fifo, strict", backlog(q, gpus), gpus, "none", false, fifo);
    row("fifo, best-effort", backlog(q, gpus), gpus, "none", true, fifo);
    row("easy", backlog(q, gpus), gpus, "easy", false, fifo);
    row("conservative", backlog(q, gpus), gpus, "conservative", false, fifo);
    return 0;
}
