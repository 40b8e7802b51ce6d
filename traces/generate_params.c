/* The parameters of the trace generator: one table for help, schema, defaults and checks. */
#include <stddef.h>
#include "gy_bind.h"
#include "gy_generate.h"

#define AT(m) offsetof(struct gy_generate, m)
#define INT(key, m, def, lo, hi, text)                                                                                 \
    {                                                                                                                  \
        .name = key, .type = GY_P_INT, .offset = AT(m), .preset = def, .min = lo, .max = hi, .help = text,             \
        .source = ""                                                                                                   \
    }
#define REAL(key, m, def, lo, hi, text, from)                                                                          \
    {                                                                                                                  \
        .name = key, .type = GY_P_REAL, .offset = AT(m), .preset = def, .min = lo, .max = hi, .help = text,            \
        .source = from                                                                                                 \
    }
#define TIME(key, m, def, lo, hi, text, from)                                                                          \
    {                                                                                                                  \
        .name = key, .type = GY_P_TIME, .offset = AT(m), .unit = GY_U_TIME, .preset = def, .min = lo, .max = hi,       \
        .help = text, .source = from                                                                                   \
    }

const struct gy_param gy_generate_params[] = {
    INT("jobs", jobs, "20000", 1, 1e9, "number of jobs"),
    TIME("span_s", span, "2419200", 60, 3.2e9, "submissions fall in this time, which begins on a Monday at midnight",
         ""),
    INT("seed", seed, "1", 0, 9e15, "the same seed gives the same trace"),
    REAL("daily", daily, "0.6", 0, 1, "strength of the daily cycle: 0 none, 1 nobody submits at 3 o'clock at night",
         ""),
    REAL("weekly", weekly, "0.4", 0, 1, "part by which Saturday and Sunday are quieter", ""),
    INT("users", users, "120", 1, 1e6, "number of users"),
    INT("teams", teams, "9", 1, 1e5, "number of teams; a user belongs to one"),
    REAL("zipf", zipf, "0.9", 0, 4, "inequality of users and teams: activity of the k-th goes with k^-zipf", ""),
    REAL("burst", burst, "3", 1, 1e4, "mean number of jobs that one submission makes", ""),
    {.name = "gpu_mix",
     .type = GY_P_TEXT,
     .offset = AT(gpu_mix),
     .preset = "\"1:0.70,2:0.08,4:0.09,8:0.09,16:0.025,32:0.010,64:0.005\"",
     .help = "GPU counts of jobs with their weights",
     .source = "between Philly (93 % of jobs on one GPU) and Helios (mean above 6)"},
    REAL("cpu_jobs", cpu_jobs, "0", 0, 1, "part of the jobs that ask for no GPU", "Helios and Acme have about a half"),
    REAL("cpus_per_gpu", cpus_per_gpu, "0", 0, 1e4, "CPUs a GPU (or a CPU job); 0: CPUs are not given", ""),
    TIME("median_s", median, "600", 1, 3e7, "median run time of the body", "Helios: 200 to 370 s; Philly: 2932 s"),
    TIME("most_s", most, "1209600", 1, 3e8, "no job runs longer", "Acme Seren: 14 days"),
    REAL("sigma", sigma, "2.0", 0, 5, "standard deviation of the logarithm of the body's run times", ""),
    REAL("tail", tail, "0.04", 0, 1, "part of the jobs in the heavy tail", ""),
    REAL("tail_shape", tail_shape, "1.1", 0.3, 20, "exponent of the tail's Pareto law", ""),
    TIME("tail_from_s", tail_from, "28800", 1, 3e7, "where the tail begins", ""),
    REAL("size_exponent", size_exponent, "0.15", -1, 2, "run time grows with GPUs to this power", ""),
    REAL("load", load, "0.8", 0, 100, "offered load on load_gpus GPUs, to which run times are scaled; 0: not scaled",
         ""),
    INT("load_gpus", load_gpus, "256", 1, 1e9, "size of the cluster that load is meant for"),
    REAL("failed", failed, "0.12", 0, 1, "part of the jobs that fail", "Helios Venus: 0.124"),
    REAL("cancelled", cancelled, "0.18", 0, 1, "part of the jobs that are cancelled while they run",
         "Helios Venus: 0.186"),
    REAL("limit_ratio", limit_ratio, "2", 0, 1e4,
         "median of requested limit over run time, then rounded up to a usual limit; 0: no limits", ""),
    REAL("limit_sigma", limit_sigma, "0.9", 0, 5,
         "standard deviation of that ratio's logarithm; the ratio is at least 1", ""),
    REAL("overrun", overrun, "0.02", 0, 1, "part of the jobs whose limit is too short, so that they end by it", ""),
    {0},
};

int gy_generate_defaults(struct gy_generate *p, struct gy_arena *arena, struct gy_error *err)
{
    struct gy_diags diags = {0};

    if (gy_bind(gy_generate_params, NULL, NULL, "", p, arena, &diags) == 0)
        return 0;
    *err = diags.at[0];
    return -1;
}
