/* The list of a run's metrics, filled by the families at the end. Order of the list is order in summary.json, except
 * that names with a common first part stand together there. */
#ifndef GY_METRICS_H
#define GY_METRICS_H
#include "gy_account.h"
#include "gy_arena.h"
#include "gy_vec.h"

struct gy_metrics {
    GY_VEC(struct gy_metric) at;
    struct gy_arena arena;
    bool nomem; /* something could not be kept */
};
void gy_metrics_put(struct gy_metrics *m, const char *name, double value); /* name is copied */
void gy_metrics_put_keyed(struct gy_metrics *m, const char *name, const char *key, double value);
void gy_metrics_put_word(struct gy_metrics *m, const char *name, const char *word); /* word is static */
/* name.mean, .p50, .p90, .p95, .p99, .max */
void gy_metrics_put_spread(struct gy_metrics *m, const char *name, const struct gy_spread *s);
const struct gy_metric *gy_metrics_find(const struct gy_metrics *m, const char *name);
void gy_metrics_free(struct gy_metrics *m);
#endif
