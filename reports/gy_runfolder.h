/* A run folder read back: manifest and summary, the metrics as a flat list of dotted names. Reports read this and never
 * a simulation. Not a writer (sim/account). */
#ifndef GY_RUNFOLDER_H
#define GY_RUNFOLDER_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_hash.h"
#include "gy_json.h"
#include "gy_vec.h"

struct gy_run_metric {
    const char *name; /* "wait_s.p95", "team.vc1.jobs.failed" */
    double value;     /* NaN where the run has no such value or word says it */
    const char *word; /* "stable", or NULL */
    bool group;       /* of a team, user, partition, GPU type or job size class */
};

struct gy_run {
    const char *path;  /* as given */
    const char *label; /* the scenario's name, else the folder's */
    struct gy_json_doc *manifest, *summary;
    int64_t seed;
    bool partial;
    const char *point;                    /* text that equals for runs that differ in nothing but the seed */
    GY_VEC(struct gy_run_metric) metrics; /* in the order of summary.json */
    struct gy_map by_name;
    struct gy_arena arena;
};

/* 0, or -1 with err: not a run folder, unreadable, or of a version of the format that is not known. */
int gy_run_load(const char *path, struct gy_run *run, struct gy_error *err);
void gy_run_free(struct gy_run *run);
const struct gy_run_metric *gy_run_metric(const struct gy_run *run, const char *name); /* NULL: no such name */
/* The name nearest to one that is not there, or NULL. */
const char *gy_run_nearest(const struct gy_run *run, const char *name);
#endif
