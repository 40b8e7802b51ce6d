/* preemptions, restarts, resizes and ettr.*: what interruptions cost. */
#include "family.h"

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    (void)self;
    gy_metrics_put(m, "preemptions", (double)c->ledger->preemptions);
    gy_metrics_put(m, "restarts", (double)c->ledger->restarts);
    gy_metrics_put(m, "resizes", (double)c->ledger->resizes);
    gy_metrics_put_spread(m, "ettr", &c->spreads[GY_Q_ETTR]);
}

const struct gy_family_type gy_family_churn = {.name = "churn", .emit = emit};
