/* utilization.* and gpu_hours.*: where the cluster's GPU-time went. */
#include <math.h>
#include "family.h"

static double ratio(gy_gpu_time part, gy_gpu_time whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct gy_ledger *l = c->ledger;
    const gy_gpu_time available = l->total - l->down, busy = l->allocated - l->idle - l->lost;

    (void)self;
    gy_metrics_put(m, "utilization.allocated", ratio(l->allocated, available));
    gy_metrics_put(m, "utilization.busy", ratio(busy + l->lost, available));
    gy_metrics_put(m, "utilization.goodput", ratio(busy, available));
    gy_metrics_put(m, "utilization.down", ratio(l->down, l->total));
    gy_metrics_put(m, "gpu_hours.total", gy_gpu_hours(l->total));
    gy_metrics_put(m, "gpu_hours.allocated", gy_gpu_hours(l->allocated));
    gy_metrics_put(m, "gpu_hours.busy", gy_gpu_hours(busy));
    gy_metrics_put(m, "gpu_hours.idle_held", gy_gpu_hours(l->idle));
    gy_metrics_put(m, "gpu_hours.lost", gy_gpu_hours(l->lost));
    gy_metrics_put(m, "gpu_hours.down", gy_gpu_hours(l->down));
    gy_metrics_put(m, "gpu_hours.free", gy_gpu_hours(l->free));
}

const struct gy_family_type gy_family_use = {.name = "use", .emit = emit};
