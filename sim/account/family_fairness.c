/* fairness.jain over teams and fairness.ftf.* over jobs. Jain, Chiu, Hawe, "A quantitative measure of fairness and
 * discrimination", 1984; finish-time fairness: Mahajan et al., "Themis", NSDI 2020. */
#include <math.h>
#include <stdlib.h>
#include "family.h"

struct team {
    gy_str id;
    gy_gpu_time allocated;
};

static int by_id(const void *a, const void *b)
{
    const gy_str x = ((const struct team *)a)->id, y = ((const struct team *)b)->id;
    return (x > y) - (x < y);
}

/* Teams with a job that asks for GPUs, in order of id; NULL when out of memory. */
static struct team *teams_of(const struct gy_crowd *c, size_t *n)
{
    struct team *t = malloc((c->cohorts.n + 1) * sizeof *t);
    size_t all = 0;

    *n = 0;
    if (!t)
        return NULL;
    for (size_t i = 0; i < c->cohorts.n; i++)
        if (c->cohorts.at[i].milli > 0)
            t[all++] = (struct team){c->cohorts.at[i].team, c->cohorts.at[i].allocated};
    qsort(t, all, sizeof *t, by_id);
    for (size_t i = 0; i < all; i++) {
        if (*n && t[*n - 1].id == t[i].id)
            t[*n - 1].allocated += t[i].allocated;
        else
            t[(*n)++] = t[i];
    }
    return t;
}

static double share_of(const struct gy_account_options *o, gy_str team)
{
    for (size_t i = 0; i < o->n_entitlements; i++)
        if (o->entitlements[i].team == team)
            return o->entitlements[i].share;
    return 1;
}

static double jain(const struct gy_closing *c, struct gy_metrics *m)
{
    size_t n, counted = 0;
    double sum = 0, squares = 0;
    struct team *t = teams_of(c->crowd, &n);

    if (!t) {
        m->nomem = true;
        return NAN;
    }
    for (size_t i = 0; i < n; i++) {
        const double share = share_of(c->options, t[i].id);
        if (!(share > 0))
            continue;
        const double x = gy_gpu_hours(t[i].allocated) / share;
        sum += x;
        squares += x * x;
        counted++;
    }
    free(t);
    return squares > 0 ? sum * sum / ((double)counted * squares) : NAN;
}

static void emit(void *self, const struct gy_closing *c, struct gy_metrics *m)
{
    const struct gy_spread *ftf = &c->spreads[GY_Q_FTF];

    (void)self;
    gy_metrics_put(m, "fairness.jain", jain(c, m));
    gy_metrics_put(m, "fairness.ftf.mean", ftf->mean);
    gy_metrics_put(m, "fairness.ftf.p95", ftf->p95);
    gy_metrics_put(m, "fairness.ftf.max", ftf->max);
}

const struct gy_family_type gy_family_fairness = {.name = "fairness", .emit = emit};
