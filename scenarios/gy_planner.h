/* Plans: which setting, of those that "vary" spans, is the smallest or cheapest that meets the goals. The study's base,
 * with "goal", "vary" and "minimize"; STUDIES.md tells users.
 *
 * Every setting is tried under the same seeds (common random numbers). With several seeds a goal is met when the
 * one-sided confidence bound of the mean is on the right side of it. Search: settings form a lattice, each dimension
 * ordered from the preferred end to the other. Where what is minimised is known without a run (cost, gpus, nodes, or
 * the one value that varies), a setting that fails rules out all that are no larger in every dimension, one that meets
 * the goals rules out all that are no cheaper (one that is too large for a goal that pulls the other way, as a least
 * utilisation does, rules out all that are no smaller), and the next try is the one that rules out most either way: in
 * one dimension, bisection. The settings next to the answer are then run, not inferred. Otherwise everything is tried,
 * or, where that is too much, a coarse lattice and then the neighbourhood of the best. */
#ifndef GY_PLANNER_H
#define GY_PLANNER_H
#include "gy_hash.h"
#include "gy_one_run.h"
#include "gy_study.h"

#define GY_PLAN_DIMENSIONS 6
#define GY_PLAN_LATTICE    1000000

struct gy_vary {
    const char *pointer;
    double from, step; /* value i is from + i × step; i = 0 is the preferred end */
    uint32_t n;
};

struct gy_estimate_of { /* of one goal's metric under one setting */
    double mean, half;  /* half: one-sided bound at the confidence asked for; NaN with one seed */
    bool met, sure;     /* sure: not met, and the mean is on the wrong side too */
};

struct gy_trial { /* one setting that was run */
    uint32_t at;  /* in the lattice */
    bool met;
    double objective;              /* NaN where the runs have no such value */
    double stranded;               /* jobs that can never run, mean */
    double usd_per_h, gpus, nodes; /* of the cluster at the start */
    struct gy_estimate_of *goal;   /* one a goal */
};

enum gy_minimize { GY_MIN_VALUE, GY_MIN_COST, GY_MIN_GPUS, GY_MIN_NODES, GY_MIN_METRIC };

struct gy_planner {
    const struct gy_study *study;
    struct gy_list goals; /* struct gy_threshold */
    GY_VEC(struct gy_vary) vary;
    uint32_t settings; /* of the lattice */
    enum gy_minimize minimize;
    const char *metric; /* what is minimised, as shown */
    GY_VEC(struct gy_trial) trials;
    struct gy_map by_setting;          /* lattice index -> trial */
    GY_VEC(struct gy_inputs *) traces; /* kept: one a different trace */
    GY_VEC(const char *) trace_keys;
    double stranded_allowed; /* jobs that can never run under the largest setting */

    bool *pulls_down; /* one a goal: it is met by smaller settings, as a least utilisation is */

    /* The answer. */
    int64_t best;                /* trial, −1: none */
    uint32_t closest;            /* where there is none: the trial that misses by least */
    bool proven;                 /* nothing better in the lattice, if more in every dimension never hurts */
    bool not_monotone;           /* it was seen to hurt */
    bool stopped, out_of_trials; /* interrupted; max_settings reached */

    struct gy_arena arena;
};

struct gy_plan_options {
    unsigned threads;
    const volatile int *stop_flag;
    void (*progress)(void *ctx, const struct gy_planner *p); /* after each trial; may be NULL */
    void *ctx;
};

/* Checks goal, vary and minimize. The study must outlive the planner. NULL with diags. */
struct gy_planner *gy_planner_new(const struct gy_study *study, struct gy_diags *diags);
void gy_planner_free(struct gy_planner *p);
/* 0 also when no setting meets the goals (best is −1). -1 with err. */
int gy_planner_search(struct gy_planner *p, const struct gy_plan_options *o, struct gy_error *err);

/* The trial of a setting: found, or run now. NULL: stopped, out of trials, or err. */
const struct gy_trial *gy_planner_try(struct gy_planner *p, uint32_t at, const struct gy_plan_options *o,
                                      struct gy_error *err);
const struct gy_trial *gy_planner_tried(const struct gy_planner *p, uint32_t at); /* NULL: not yet */
/* How far from its goals, relative to them; 0 when met. */
double gy_trial_miss(const struct gy_planner *p, const struct gy_trial *t);
void gy_planner_indices(const struct gy_planner *p, uint32_t at, uint32_t *index); /* one a dimension */
/* Whether the goals that larger settings help are met, and those that they hurt. */
bool gy_trial_large_enough(const struct gy_planner *p, const struct gy_trial *t);
bool gy_trial_small_enough(const struct gy_planner *p, const struct gy_trial *t);
uint32_t gy_planner_index(const struct gy_planner *p, const uint32_t *index);
double gy_vary_value(const struct gy_vary *v, uint32_t i);
/* Cost, GPUs or nodes of a setting's cluster, without a run. NaN with err. */
double gy_planner_size(struct gy_planner *p, uint32_t at, struct gy_error *err);
/* Trials that none beats in both what is minimised and how they meet the goals: indices in order of the objective.
 * free() them; NULL when out of memory. */
uint32_t *gy_planner_front(const struct gy_planner *p, size_t *n);

struct gy_writer;
void gy_planner_text(const struct gy_planner *p, struct gy_writer *to);
void gy_planner_json(const struct gy_planner *p, struct gy_writer *to);
#endif
