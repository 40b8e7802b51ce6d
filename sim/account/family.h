/* A metric family: one file that follows a run and puts its metrics at the end. A family that a run has no data for
 * puts nothing. To add one: a file family_*.c with a const type, and one line in families.c. Anything that wants the
 * same facts without metrics (files of the run folder) is a listener. */
#ifndef GY_FAMILY_H
#define GY_FAMILY_H
#include "crowd.h"
#include "gy_account.h"
#include "ledger.h"
#include "metrics.h"

/* What is known at the end. */
struct gy_closing {
    const struct gy_account_options *options;
    const struct gy_ledger *ledger;
    const struct gy_crowd *crowd;
    const struct gy_sim_result *result;
    const struct gy_spread *spreads; /* by enum gy_quantity, whole cluster */
};

struct gy_family_type {
    const char *name;
    size_t state_size;                                                                 /* zeroed */
    int (*init)(void *self, const struct gy_account_options *o, struct gy_error *err); /* optional */
    /* Optional. Time goes on to `to` inside the window; everything is as the ledger says, since l->now. */
    void (*advance)(void *self, const struct gy_ledger *l, gy_time to);
    /* Optional. Called after the ledger took in an event whose kind is among kinds. -1 with err ends the run. */
    int (*on_event)(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err);
    unsigned kinds;                                                             /* bits 1 << GY_E_… */
    void (*emit)(void *self, const struct gy_closing *c, struct gy_metrics *m); /* optional */
    void (*fini)(void *self);                                                   /* optional */
};
extern const struct gy_family_type *const gy_families[]; /* NULL-ended, in the order of summary.json */

extern const struct gy_family_type gy_family_jobs, gy_family_times, gy_family_use, gy_family_unused,
    gy_family_fragmentation, gy_family_fairness, gy_family_churn, gy_family_steady, gy_family_course, gy_family_cost,
    gy_family_network;

/* A listener is told every event after the families, and every job that leaves, once. */
struct gy_listener {
    void *self;
    int (*on_event)(void *self, const struct gy_account *a, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err); /* optional */
    int (*on_leave)(void *self, const struct gy_account *a, const struct gy_view *v, const struct gy_leave *leave,
                    struct gy_error *err); /* optional */
};
int gy_account_listen(struct gy_account *a, struct gy_listener listener, struct gy_error *err);
const struct gy_ledger *gy_account_ledger(const struct gy_account *a);
const struct gy_account_options *gy_account_options_of(const struct gy_account *a);
const struct gy_metrics *gy_account_metrics_of(const struct gy_account *a);
/* A family's state, NULL when there is no such family. */
const void *gy_account_family(const struct gy_account *a, const struct gy_family_type *type);
/* Of gy_family_fragmentation's state: free GPUs that the mix cannot use / free GPUs, now. NaN when none is free. */
double gy_fragmentation_now(const void *state);

/* Of gy_family_course's state: allocated / available GPU-time in one of equal slices of the window; NaN when none. */
double gy_course_allocated(const void *state, unsigned slice, unsigned slices);

/* Of gy_family_cost's state: what the cluster costs an hour now, USD. NaN without prices. */
double gy_cost_now(const void *state);

/* Groups (groups.c). */
struct gy_groups;
struct gy_groups *gy_groups_new(const struct gy_crowd *c, const struct gy_strings *strings, struct gy_error *err);
void gy_groups_free(struct gy_groups *g);
size_t gy_groups_divisions(struct gy_groups *g, struct gy_division *out); /* ≤ GY_BY_COUNT written */
void gy_groups_take(struct gy_groups *g, enum gy_quantity q);             /* the divisions' rankers, after ranking */
int gy_groups_finish(struct gy_groups *g, const struct gy_crowd *c, struct gy_error *err);
const struct gy_grouping *gy_groups_at(const struct gy_groups *g, enum gy_group_by by);

/* The names and values of a group's metrics, in order; false past the last. */
bool gy_group_metric(const struct gy_group *g, size_t i, const char **name, double *value);
#endif
