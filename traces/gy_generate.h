/* Made-up traces: a month or a year of a research cluster's jobs with weekly and daily cycles, users and teams of very
 * unequal activity, bursts of equal jobs, a mix of GPU counts, and run times with a lognormal body and a Pareto tail;
 * and a fast stream of jobs without strings for benchmarks.
 *
 * The shapes follow what is published of Philly, Helios and Acme (medians of minutes, means of hours; nine in ten jobs
 * on few GPUs, most GPU-time in the rest; about 0.7 / 0.18 / 0.12 completed, cancelled, failed in Helios). They are not
 * fitted to one of them. Equal parameters and seed give equal traces. */
#ifndef GY_GENERATE_H
#define GY_GENERATE_H
#include "gy_param.h"
#include "gy_trace.h"

struct gy_generate {
    int64_t jobs;
    gy_time span; /* submissions fall in [0, span); time 0 is a Monday's midnight */
    int64_t seed;
    double daily, weekly; /* strength of the cycles, 0 … 1 */
    int64_t users, teams;
    double zipf;             /* activity of the k-th user and size of the k-th team go with k^-zipf */
    double burst;            /* mean number of jobs that one submission makes */
    const char *gpu_mix;     /* "GPUs:weight,…" */
    double cpu_jobs;         /* part of the jobs that ask for no GPU */
    double cpus_per_gpu;     /* 0: CPUs are not given */
    gy_time median, most;    /* run time: median of the body; longest */
    double sigma;            /* of the logarithm of the body */
    double tail, tail_shape; /* part of the jobs in the tail; Pareto exponent */
    gy_time tail_from;
    double size_exponent; /* run time grows with GPUs to this power */
    double load;          /* > 0: run times are scaled to this offered load on load_gpus GPUs */
    int64_t load_gpus;
    double failed, cancelled;        /* parts; such jobs end after a uniform part of their run time */
    double limit_ratio, limit_sigma; /* median and log-sigma of limit / run time; ratio 0: no limits */
    double overrun;                  /* part of the jobs whose limit is below their run time */
};
/* Rows for gy_bind, `trace generate --help` and the schema; the only list of defaults. */
extern const struct gy_param gy_generate_params[];
/* Fills in the defaults; texts live in arena. */
int gy_generate_defaults(struct gy_generate *p, struct gy_arena *arena, struct gy_error *err);
/* A trace as gy_trace_load makes; submit and run times are whole seconds. strings as there. O(n log n). */
int gy_trace_generate(const struct gy_generate *p, struct gy_strings *strings, struct gy_trace **out,
                      struct gy_error *err);

/* A stream of jobs for benchmarks, in constant memory: Poisson arrivals at the rate that offers `load` on `gpus` GPUs;
 * 1, 2, 4 or 8 GPUs (weights 8:4:2:2); lognormal run times of the given median and sigma, in ms; limit = twice the run
 * time, up to the next minute. Free self with gy_bench_source_free. */
struct gy_bench {
    uint64_t jobs, seed;
    uint32_t gpus;
    double load;
    gy_time median; /* 0: 600 s */
    double sigma;   /* 0: 1.5 */
};
int gy_bench_source(const struct gy_bench *b, struct gy_source *out, struct gy_error *err);
void gy_bench_source_free(struct gy_source *s);
#endif
