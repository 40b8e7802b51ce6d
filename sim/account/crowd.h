/* The crowd: what is kept of jobs after they left. Jobs alike in team, user, partition, GPU type and size are one
 * cohort with counts and GPU-time; each started job adds a record of 24 bytes, from which all its times follow. */
#ifndef GY_CROWD_H
#define GY_CROWD_H
#include "gy_account.h"
#include "gy_hash.h"
#include "gy_vec.h"
#include "ledger.h"
#include "rank.h"

struct gy_cohort {
    gy_str team, user, partition, gpu_type;
    uint32_t next; /* cohort of the same hash, UINT32_MAX none */
    int64_t milli; /* GPUs asked for by each job */
    uint64_t jobs[GY_N_STATES];
    gy_gpu_time allocated, idle, lost;
};

struct gy_record {
    gy_time wait; /* first start − eligible */
    gy_time run;  /* wall time run; −1: not ended */
    uint32_t cohort;
    uint32_t extra; /* index + 1; 0 when eligible at submit, run in one piece and nothing lost */
};
struct gy_record_extra {
    gy_time before; /* eligible − submit */
    gy_time gap;    /* end − first start − run */
    double kept;    /* part of the run that was not lost */
};

struct gy_crowd {
    bool groups; /* tell users, partitions and GPU types apart */
    const struct gy_cluster_spec *cluster;
    struct gy_map by_hash;
    struct gy_map users;   /* told apart */
    uint32_t recent[4096]; /* cohort + 1 by 12 bits of its hash: most jobs are of a cohort seen lately */
    GY_VEC(struct gy_cohort) cohorts;
    GY_VEC(struct gy_record) records;
    GY_VEC(struct gy_record_extra) extras;
};
#define GY_USERS_MAX 200000 /* users that come after so many others are taken as one: GY_STR_FAIL */

int gy_crowd_add(struct gy_crowd *c, const struct gy_leave *leave, struct gy_error *err);
void gy_crowd_free(struct gy_crowd *c);
uint32_t gy_crowd_teams(const struct gy_crowd *c); /* distinct teams with a job that asks for GPUs. O(cohorts) */

enum gy_quantity { GY_Q_WAIT, GY_Q_JCT, GY_Q_SLOWDOWN, GY_Q_BOUNDED, GY_Q_ETTR, GY_Q_FTF, GY_Q_COUNT };

/* A division of the cohorts into groups. */
struct gy_division {
    const uint32_t *group_of; /* by cohort; NULL: all are group 0 */
    uint32_t n_groups;
    struct gy_ranker *rankers; /* n_groups of them, written */
};
/* Ranks one quantity over all records, for several divisions at once. items: room for as many as there are records;
 * counts: for as many as there are cohorts. mean_gpus: of the cluster over the window, for FTF. */
void gy_crowd_rank(const struct gy_crowd *c, enum gy_quantity q, double mean_gpus, uint32_t teams,
                   struct gy_rank_item *items, uint32_t *counts, const struct gy_division *divisions, size_t n);
#endif
