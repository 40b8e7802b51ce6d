/* Small random instances on which every rule meets every other: nodes of several sizes, CPUs, memory, partitions,
 * gangs, fractions, whole nodes, ties, zero durations, limits that are too short or too long, speeds that change. */
#ifndef SCHED_RANDOM_H
#define SCHED_RANDOM_H
#include "../sched_bed.h"
#include "gy_stream.h"

enum {
    R_CPUS = 1,
    R_FRACTIONS = 2,
    R_EXCLUSIVE = 4,
    R_PARTITIONS = 8,
    R_RATES = 16,
    R_CAPACITY = 32,
    R_ONE_GPU = 64,
    R_LIMITS = 128,
    R_PRIORITY = 256,
    R_ALL = 511
};

static inline uint32_t r_below(struct gy_stream *r, uint32_t n)
{
    return (uint32_t)gy_stream_below(r, n);
}

static inline void r_cluster(struct sb *b, struct gy_stream *r, unsigned with)
{
    const uint32_t n = 1 + r_below(r, 10);
    static const uint32_t sizes[] = {1, 2, 4, 8};
    const uint32_t size = sizes[r_below(r, 4)];
    if (with & R_PARTITIONS) {
        cr_assert(gy_vec_push(&b->spec.partitions, gy_strings_add(b->strings, "p", 1)));
        cr_assert(gy_vec_push(&b->spec.partitions, gy_strings_add(b->strings, "q", 1)));
    }
    for (uint32_t i = 0; i < n; i++) {
        struct gy_node_spec *s = sb_node(b, with & R_ONE_GPU ? 1 : r_below(r, 3) ? size : sizes[r_below(r, 4)]);
        if ((with & R_CPUS) && r_below(r, 4)) {
            s->cpu_milli = (4 + r_below(r, 3) * 4) * 1000;
            s->mem_mib = 100 + r_below(r, 2) * 100;
        }
        s->partitions = with & R_PARTITIONS ? 1 + r_below(r, 3) : 0;
    }
    for (uint32_t i = 0; (with & R_CAPACITY) && i < r_below(r, 6); i++) {
        const gy_time at = (gy_time)(i * 40 + r_below(r, 40)) * S;
        const uint32_t node = r_below(r, n);
        const struct gy_capacity_event e = {at, {node}, (enum gy_node_state)r_below(r, 3)};
        cr_assert(gy_vec_push(&b->spec.events, e));
    }
    if (with & R_CAPACITY)
        for (uint32_t i = 0; i < n; i++) {
            const struct gy_capacity_event e = {1000 * S, {i}, GY_NODE_UP};
            cr_assert(gy_vec_push(&b->spec.events, e));
        }
}

static inline void r_job(struct sb *b, struct gy_stream *r, unsigned with, gy_time at)
{
    const gy_time run = (gy_time)(r_below(r, 20) ? r_below(r, 40) : 0) * S;
    gy_time limit = GY_NONE;
    if (with & R_LIMITS)
        limit = r_below(r, 5) ? run * (gy_time)(2 + r_below(r, 9)) / 4 + r_below(r, 2) * S : GY_NONE;
    struct gy_job_rec *j = sb_job(b, at, run, limit, 1 + r_below(r, r_below(r, 3) ? 4 : 20));
    const uint32_t kind = r_below(r, 10);
    if (kind < 2)
        j->nodes = 1 + r_below(r, 3) < j->gpus ? 1 + r_below(r, j->gpus < 4 ? j->gpus : 4) : 0;
    else if (kind == 2)
        j->gpus_per_node = 1 + r_below(r, 4);
    else if (kind < 5 && (with & R_FRACTIONS)) {
        j->gpu_milli = 100 * (1 + r_below(r, 9));
        j->gpus = r_below(r, 4) ? 1 : 2;
    } else if (kind == 5 && (with & R_CPUS)) {
        j->gpus = 0;
    } else if (kind == 6 && (with & R_EXCLUSIVE)) {
        j->exclusive = true;
    }
    if ((with & R_CPUS) && r_below(r, 2)) {
        j->cpu_milli = 500 * (1 + r_below(r, 12));
        j->mem_mib = r_below(r, 80);
    }
    if (with & R_PARTITIONS)
        j->partition = r_below(r, 3) ? 0 : gy_strings_add(b->strings, r_below(r, 2) ? "p" : "q", 1);
    j->priority = with & R_PRIORITY ? (int32_t)r_below(r, 3) : 0;
    if (r_below(r, 30) == 0)
        j->cancel = at + r_below(r, 60) * S;
}

/* Every third job goes at half speed, so that without a limit it runs longer than expected. */
struct r_rates {
    GY_VEC(struct gy_rate_change) changes;
};
static inline int r_started(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct r_rates *r = self;
    const struct gy_rate_change c = {.job = id, .factor = 0.5};
    (void)now;
    (void)err;
    return job->rec.row % 3 || gy_vec_push(&r->changes, c) ? 0 : -1;
}
static inline int r_stopped(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct r_rates *r = self;
    (void)now;
    (void)job;
    (void)err;
    for (size_t i = 0; i < r->changes.n; i++)
        if (r->changes.at[i].job.i == id.i)
            r->changes.at[i] = r->changes.at[--r->changes.n];
    return 0;
}
static inline int r_settle(void *self, gy_time now, const struct gy_rate_change **changes, size_t *n, gy_time *wake,
                           struct gy_error *err)
{
    struct r_rates *r = self;
    (void)now;
    (void)err;
    *changes = r->changes.at;
    *n = r->changes.n;
    *wake = GY_NEVER;
    r->changes.n = 0;
    return 0;
}

static inline void r_instance(struct sb *b, uint64_t seed, unsigned with)
{
    struct gy_stream r;
    cr_assert(gy_stream_init(&r, seed, "sched instances"));
    sb_init(b);
    r_cluster(b, &r, with);
    const uint32_t jobs = 5 + r_below(&r, 50), pace = 1 + r_below(&r, 12);
    gy_time at = 0;
    for (uint32_t i = 0; i < jobs; i++) {
        at += (gy_time)(r_below(&r, 3) ? r_below(&r, pace) : 0) * S;
        r_job(b, &r, with, at);
    }
    b->config.any_split = r_below(&r, 5) == 0;
    gy_stream_free(&r);
}
#endif
