/* jobs.*: how many jobs stand in which state at the end; rejected, node_fail. */
#include "family.h"

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct gy_ledger *l = c->ledger;
    const uint64_t *as = l->ended_as;

    (void)self;
    gy_metrics_put(m, "jobs.submitted", (double)l->submitted);
    gy_metrics_put(m, "jobs.completed", (double)as[GY_COMPLETED]);
    gy_metrics_put(m, "jobs.failed", (double)(as[GY_FAILED] + as[GY_NODE_FAIL] + as[GY_REJECTED]));
    gy_metrics_put(m, "jobs.cancelled", (double)as[GY_CANCELLED]);
    gy_metrics_put(m, "jobs.timeout", (double)as[GY_TIMEOUT]);
    gy_metrics_put(m, "jobs.pending", (double)l->left_pending);
    gy_metrics_put(m, "jobs.running", (double)l->left_running);
    gy_metrics_put(m, "rejected", (double)as[GY_REJECTED]);
    gy_metrics_put(m, "node_fail", (double)as[GY_NODE_FAIL]);
}

const struct gy_family_type gy_family_jobs = {.name = "jobs", .emit = emit};
