/* network.slowdown.* and network.link_util.*: what contention and placement cost. Only with a network model. */
#include <math.h>
#include "family.h"
#include "gy_quantile.h"

struct state {
    struct gy_sample slowdown;
    double util_mean, util_max; /* NaN: not told */
    bool on;
};

static int init(void *self, const struct gy_account_options *o, struct gy_error *err)
{
    struct state *s = self;
    (void)err;
    s->on = o->network;
    s->util_mean = s->util_max = NAN;
    return 0;
}

/* Run time over the run time that the same work takes at the reference placement without contention. Jobs that ended in
 * one piece, over several nodes, after their whole work. */
static int on_event(void *self, const struct gy_ledger *l, const struct gy_view *v, const struct gy_event *e,
                    struct gy_error *err)
{
    struct state *s = self;
    const struct gy_job *j = e->job;
    (void)l;
    (void)v;
    if (!s->on || e->n_shares < 2 || j->work_left > 0 || j->restarts > 0 || j->rec.duration <= 0)
        return 0;
    const double alone = gy_time_to_s(j->rec.duration) / j->speed;
    return gy_sample_add(&s->slowdown, gy_time_to_s(j->served) / alone) ? 0 : gy_nomem(err);
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    struct state *s = self;
    struct gy_sample *x = &s->slowdown;
    (void)c;
    if (!s->on)
        return;
    gy_metrics_put(m, "network.link_util.mean", s->util_mean);
    gy_metrics_put(m, "network.link_util.max", s->util_max);
    const struct gy_spread spread = {.n = x->n,
                                     .mean = gy_sample_mean(x),
                                     .p50 = gy_sample_quantile(x, 0.5),
                                     .p90 = gy_sample_quantile(x, 0.9),
                                     .p95 = gy_sample_quantile(x, 0.95),
                                     .p99 = gy_sample_quantile(x, 0.99),
                                     .max = gy_sample_max(x)};
    gy_metrics_put_spread(m, "network.slowdown", &spread);
}

static void fini(void *self)
{
    struct state *s = self;
    gy_sample_free(&s->slowdown);
}

void gy_account_network(struct gy_account *a, double link_util_mean, double link_util_max)
{
    struct state *s = (struct state *)gy_account_family(a, &gy_family_network);
    s->util_mean = link_util_mean;
    s->util_max = link_util_max;
}

const struct gy_family_type gy_family_network = {.name = "network",
                                                 .state_size = sizeof(struct state),
                                                 .init = init,
                                                 .on_event = on_event,
                                                 .kinds = 1u << GY_E_END,
                                                 .emit = emit,
                                                 .fini = fini};
