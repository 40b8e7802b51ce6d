/* Accounting: one observer that keeps exact books of a run (GPU-time in integers, event by event) and turns them into
 * metrics by dotted name. Holds everything in memory; files are gy_folder.h's business, tables for people
 * gy_terminal.h's.
 *
 * The window of all integrals is [first submit, end of the run]. GPU amounts are thousandths of a GPU; GPU-time is
 * thousandths × ns in 128 bits. Definitions of every metric: reports/README.md. */
#ifndef GY_ACCOUNT_H
#define GY_ACCOUNT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_engine.h"
#include "gy_error.h"
#include "gy_observer.h"

typedef __int128 gy_gpu_time; /* thousandths of a GPU × ns */
double gy_gpu_hours(gy_gpu_time t);

struct gy_entitlement { /* a team's share of the cluster, relative to the others' */
    gy_str team;
    double share;
};

struct gy_account_options {
    const struct gy_cluster_spec *cluster; /* borrowed until gy_account_free, as the next two */
    const struct gy_strings *strings;      /* that the jobs' names are ids of */
    const struct gy_entitlement
        *entitlements; /* teams not in the list have share 1; one of 0 is left out of fairness */
    size_t n_entitlements;
    bool network;         /* the run has a network model: network.* metrics are wanted */
    const double *prices; /* USD a GPU-hour, of each node of the cluster; NULL: no prices, no cost. Borrowed */
    bool groups;          /* also keep what summaries by team, user, partition, GPU type and job size need */
};

/* Statistics of one quantity over jobs; NaN where there is no value. Quantiles are exact, type 7. */
struct gy_spread {
    uint64_t n;
    double mean, p50, p90, p95, p99, max;
};

/* One number or word of a run. name is dotted ("wait_s.p95"); key, unless NULL, is a last component that is somebody's
 * name and may hold anything. value is NaN where the run has no such value and where word says it instead. */
struct gy_metric {
    const char *name, *key, *word;
    double value;
};

enum gy_group_by { GY_BY_TEAM, GY_BY_USER, GY_BY_PARTITION, GY_BY_GPU_TYPE, GY_BY_SIZE, GY_BY_COUNT };
const char *gy_group_by_name(enum gy_group_by by); /* "team", "user", "partition", "gpu_type", "job_size_class" */
#define GY_GROUPS_MAX 10000 /* groups kept apart; those with least GPU-time beyond are summed up as others */

enum {
    GY_N_SUBMITTED,
    GY_N_COMPLETED,
    GY_N_FAILED,
    GY_N_CANCELLED,
    GY_N_TIMEOUT,
    GY_N_PENDING,
    GY_N_RUNNING,
    GY_N_STATES
};

struct gy_group {
    const char *name;           /* "" where the trace gives none */
    uint64_t jobs[GY_N_STATES]; /* they add up to submitted */
    struct gy_spread wait_s, jct_s, slowdown, bounded_slowdown;
    double allocated, busy, idle_held, lost; /* GPU-hours */
};
struct gy_grouping {
    const struct gy_group *at; /* sorted by name (sizes by size) */
    size_t n;
    const struct gy_group *others; /* sum of the rest, NULL when there is none */
    uint64_t n_others;             /* groups in it */
};

struct gy_account;
/* NULL with err when out of memory. */
struct gy_account *gy_account_new(const struct gy_account_options *o, struct gy_error *err);
void gy_account_free(struct gy_account *a); /* NULL is fine */
/* The observer to give to gy_sim_run. A few hundred ns a job over a run; 24 bytes a started job. */
struct gy_observer gy_account_observer(struct gy_account *a);
/* After the run: computes everything below. result is copied. Call once. O(jobs). */
/* With a network model, before finish: utilisation of links, mean over links and the largest. */
void gy_account_network(struct gy_account *a, double link_util_mean, double link_util_max);
int gy_account_finish(struct gy_account *a, const struct gy_sim_result *result, struct gy_error *err);

/* Valid after finish, until free. */
const struct gy_metric *gy_account_metrics(const struct gy_account *a, size_t *n);
/* A metric by its whole name, also of a group: "utilization.busy", "team.vc1.wait_s.p95",
 * "job_size_class.5-8.jobs.failed". A group's name may itself hold dots. False when there is none of that name. O(log
 * groups). */
bool gy_account_metric(const struct gy_account *a, const char *name, struct gy_metric *out);
/* The nearest name to one that gy_account_metric does not know, or NULL. buf ≥ 512 bytes is used for group metrics. */
const char *gy_account_nearest(const struct gy_account *a, const char *name, char *buf, size_t size);
const struct gy_grouping *gy_account_groups(const struct gy_account *a, enum gy_group_by by); /* NULL without groups */
const struct gy_sim_result *gy_account_result(const struct gy_account *a);

/* The books, exact. total = allocated + free + down; allocated = busy + idle_held + lost. */
struct gy_books {
    gy_gpu_time total, down, allocated, free, busy, idle_held, lost;
    gy_time start, end; /* the window; GY_NONE both when no job came */
};
void gy_account_books(const struct gy_account *a, struct gy_books *out);

/* A threshold: min ≤ metric ≤ max; NaN leaves a side open. */
struct gy_threshold {
    const char *metric;
    double min, max;
};
struct gy_verdict {
    const char *metric;     /* borrowed from the threshold */
    double min, max, value; /* value NaN: the run has no such value, which fails */
    bool ok;
};
/* verdicts: n of them, written. 0; -1 with err when a threshold names no metric (with the nearest name) or a word. */
int gy_account_check(const struct gy_account *a, const struct gy_threshold *thresholds, size_t n,
                     struct gy_verdict *verdicts, struct gy_error *err);

/* summary.json's text. verdicts may be NULL. */
struct gy_writer;
void gy_account_write_summary(const struct gy_account *a, const struct gy_verdict *verdicts, size_t n_verdicts,
                              struct gy_writer *to);
#endif
