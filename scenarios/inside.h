/* What the files of this folder share: the bound sections beyond struct gy_scenario, and places in the file. */
#ifndef GY_SCENARIO_INSIDE_H
#define GY_SCENARIO_INSIDE_H
#include "gy_scenario.h"

/* The top level as the table lays it out: the public part first. */
struct gy_sc_all {
    const char *name;
    int64_t seed;
    struct gy_sc_cluster cluster;
    struct gy_sc_trace trace;
    const struct gy_json *workloads, *scheduler, *teams, *faults, *power, *prices, *services, *autoscale;
    struct {
        int fidelity, routing;
        const char *calibration;
    } network;
    struct gy_sc_jobs jobs;
    struct {
        gy_time at;
    } stop;
    struct gy_sc_output output;
    struct gy_list thresholds;
};
extern const struct gy_param gy_sc_table[], gy_sc_team_table[];

/* The table of the scheduler section for a policy: its own rows after "preset". In arena; NULL when out of memory.
 * *size is of the struct it fills, which begins with the policy's own parameters. */
const struct gy_param *gy_sc_scheduler_table(const struct gy_policy_type *policy, struct gy_arena *arena, size_t *size);

/* Binds the sections that have no row of their own: scheduler and teams; and refuses what is not built. */
int gy_sc_bind_scheduler(struct gy_scenario *s, struct gy_diags *diags);
int gy_sc_bind_teams(struct gy_scenario *s, struct gy_diags *diags);
int gy_sc_check_sections(struct gy_scenario *s, struct gy_diags *diags);
/* What rows cannot say, once everything is bound. */
int gy_sc_check(struct gy_scenario *s, struct gy_diags *diags);
/* Adds an error at a pointer of the document; hint may be NULL. Always -1. */
int gy_sc_wrong(const struct gy_scenario *s, struct gy_diags *diags, const char *hint, const char *pointer,
                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same as the only error, for the steps that stop at the first. */
int gy_sc_fail(const struct gy_scenario *s, struct gy_error *err, const char *pointer, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static inline const struct gy_sc_all *gy_sc_all(const struct gy_scenario *s)
{
    return s->bound;
}
/* Puts what cluster.slurm_conf says into the document, where the cluster lists no nodes itself. 0, or -1 with err. */
int gy_sc_slurm_conf(struct gy_json_doc *doc, struct gy_error *err);
/* The rows of a table as rows of a Markdown table. */
void gy_sc_key_rows(const struct gy_param *table, const char *prefix, struct gy_writer *to);
/* Copies a text as one token of a JSON pointer (~ and / escaped), cut to size. */
void gy_sc_token(const char *text, char *buf, size_t size);
#endif
