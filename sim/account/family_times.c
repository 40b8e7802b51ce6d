/* makespan_s, jct_s.*, wait_s.*, slowdown.*, bounded_slowdown.*: how long jobs took. */
#include <math.h>
#include "family.h"

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct gy_ledger *l = c->ledger;

    (void)self;
    gy_metrics_put(m, "makespan_s", l->any_end ? gy_time_to_s(l->last_end - l->start) : NAN);
    gy_metrics_put_spread(m, "jct_s", &c->spreads[GY_Q_JCT]);
    gy_metrics_put_spread(m, "wait_s", &c->spreads[GY_Q_WAIT]);
    gy_metrics_put_spread(m, "slowdown", &c->spreads[GY_Q_SLOWDOWN]);
    gy_metrics_put_spread(m, "bounded_slowdown", &c->spreads[GY_Q_BOUNDED]);
}

const struct gy_family_type gy_family_times = {.name = "times", .emit = emit};
