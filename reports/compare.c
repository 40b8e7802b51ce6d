/* Comparisons: which runs are one setting under several seeds, which metrics are compared, what changed and whether
 * that is more than chance. Rendering is in compare_show.c. */
#include "gy_compare.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shown without --all; a name that ends with a dot stands for all that begin so. */
static const char *const main_metrics[] = {"jobs.completed",
                                           "jobs.failed",
                                           "jobs.timeout",
                                           "jobs.pending",
                                           "makespan_s",
                                           "utilization.",
                                           "wait_s.",
                                           "jct_s.",
                                           "bounded_slowdown.mean",
                                           "bounded_slowdown.p95",
                                           "fragmentation.mean",
                                           "fairness.",
                                           "gpu_hours.lost",
                                           "gpu_hours.idle_held",
                                           "preemptions",
                                           "restarts",
                                           "cost_usd.total",
                                           "cost_usd.idle",
                                           "energy_j.total",
                                           "carbon_kg",
                                           "network.slowdown.mean",
                                           "network.slowdown.p95",
                                           "network.link_util.max",
                                           "serving.slo_attainment",
                                           "ettr.mean"};
static const char *const group_metrics[] = {"jobs.submitted", "jobs.completed", "wait_s.mean",        "wait_s.p95",
                                            "jct_s.mean",     "jct_s.p95",      "gpu_hours.allocated"};

static bool is_main(const char *name)
{
    for (size_t i = 0; i < sizeof main_metrics / sizeof *main_metrics; i++) {
        const size_t len = strlen(main_metrics[i]);
        if (main_metrics[i][len - 1] == '.' ? strncmp(name, main_metrics[i], len) == 0
                                            : strcmp(name, main_metrics[i]) == 0)
            return true;
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n > m && name[n - m - 1] == '.' && strcmp(name + n - m, end) == 0;
}

static bool wanted(const struct gy_run_metric *m, const struct gy_compare_options *o)
{
    if (m->word)
        return false;
    if (!o->by)
        return !m->group && (o->all || is_main(m->name));
    const size_t len = strlen(o->by);
    if (!m->group || strncmp(m->name, o->by, len) != 0 || m->name[len] != '.')
        return false;
    for (size_t i = 0; i < sizeof group_metrics / sizeof *group_metrics; i++)
        if (ends_with(m->name, group_metrics[i]))
            return true;
    return o->all;
}

/* One side for all runs of one setting; when that leaves a single side, each run is a side of its own. */
static int make_sides(const struct gy_run *runs, size_t n, struct gy_comparison *c, struct gy_error *err)
{
    for (int apart = 0; apart < 2 && c->sides.n < 2; apart++) {
        for (size_t i = 0; i < c->sides.n; i++)
            gy_vec_free(&c->sides.at[i].runs);
        c->sides.n = 0;
        for (uint32_t i = 0; i < n; i++) {
            size_t s = 0;
            while (s < c->sides.n && (apart || strcmp(runs[c->sides.at[s].runs.at[0]].point, runs[i].point) != 0))
                s++;
            const struct gy_side new_side = {.label = runs[i].label};
            if ((s == c->sides.n && !gy_vec_push(&c->sides, new_side)) || !gy_vec_push(&c->sides.at[s].runs, i))
                return gy_nomem(err);
        }
    }
    for (size_t s = 0; s < c->sides.n; s++) /* equal names are told apart by their folders */
        for (size_t t = 0; t < c->sides.n; t++)
            if (t != s && strcmp(runs[c->sides.at[s].runs.at[0]].label, runs[c->sides.at[t].runs.at[0]].label) == 0)
                c->sides.at[s].label = runs[c->sides.at[s].runs.at[0]].path;
    return 0;
}

static double value_of(const struct gy_run *run, const char *name)
{
    const struct gy_run_metric *m = gy_run_metric(run, name);
    return m ? m->value : NAN;
}

struct moments {
    size_t n;
    double mean, variance; /* of the sample, n - 1 */
};

static struct moments moments_of(const double *x, size_t n)
{
    struct moments m = {0};
    for (size_t i = 0; i < n; i++) { /* Welford */
        if (isnan(x[i]))
            continue;
        const double d = x[i] - m.mean;
        m.mean += d / (double)++m.n;
        m.variance += d * (x[i] - m.mean);
    }
    if (m.n == 0)
        m.mean = NAN;
    m.variance = m.n > 1 ? m.variance / (double)(m.n - 1) : NAN;
    return m;
}

static double two_sided(double t, double df)
{
    if (isnan(t) || !(df > 0))
        return NAN;
    return isinf(t) ? 0.0 : 2.0 * gsl_cdf_tdist_Q(fabs(t), df);
}

/* Welch, "The generalization of Student's problem when several different population variances are involved", 1947. */
static double welch(struct moments a, struct moments b)
{
    if (a.n < 2 || b.n < 2)
        return NAN;
    const double va = a.variance / (double)a.n, vb = b.variance / (double)b.n;
    if (va + vb == 0)
        return a.mean == b.mean ? 1.0 : 0.0;
    const double df = (va + vb) * (va + vb) / (va * va / (double)(a.n - 1) + vb * vb / (double)(b.n - 1));
    return two_sided((a.mean - b.mean) / sqrt(va + vb), df);
}

/* Differences by seed when both sides were run under the same seeds, each once: common random numbers. */
static bool pair_up(const struct gy_run *runs, const struct gy_side *a, const struct gy_side *b, const char *metric,
                    double *difference)
{
    if (a->runs.n != b->runs.n || a->runs.n < 2)
        return false;
    for (size_t i = 0; i < a->runs.n; i++) {
        size_t matches = 0;
        for (size_t j = 0; j < b->runs.n; j++)
            if (runs[a->runs.at[i]].seed == runs[b->runs.at[j]].seed) {
                difference[i] = value_of(&runs[b->runs.at[j]], metric) - value_of(&runs[a->runs.at[i]], metric);
                matches++;
            }
        if (matches != 1)
            return false;
    }
    return true;
}

static double paired(struct moments d)
{
    if (d.n < 2)
        return NAN;
    if (d.variance == 0)
        return d.mean == 0 ? 1.0 : 0.0;
    return two_sided(d.mean / sqrt(d.variance / (double)d.n), (double)(d.n - 1));
}

static int add_row(const struct gy_run *runs, size_t n, const char *metric, struct gy_comparison *c,
                   struct gy_error *err)
{
    const size_t sides = c->sides.n;
    struct gy_comparison_row row = {.metric = metric,
                                    .side = gy_arena_alloc(&c->arena, sides * sizeof *row.side),
                                    .change = gy_arena_alloc(&c->arena, sides * sizeof *row.change)};
    struct moments *moment = gy_arena_alloc(&c->arena, sides * sizeof *moment);
    double *x = gy_arena_alloc(&c->arena, n * sizeof *x);
    if (!row.side || !row.change || !moment || !x)
        return gy_nomem(err);
    for (size_t s = 0; s < sides; s++) {
        const struct gy_side *side = &c->sides.at[s];
        for (size_t i = 0; i < side->runs.n; i++)
            x[i] = value_of(&runs[side->runs.at[i]], metric);
        const struct moments m = moment[s] = moments_of(x, side->runs.n);
        const double half =
            m.n > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)(m.n - 1)) * sqrt(m.variance / (double)m.n) : NAN;
        row.side[s] = (struct gy_estimate){m.n, m.mean, half};
        if (s == 0)
            continue;
        struct gy_difference *ch = &row.change[s];
        ch->absolute = m.mean - moment[0].mean;
        ch->relative = moment[0].mean != 0 ? ch->absolute / fabs(moment[0].mean) : ch->absolute == 0 ? 0.0 : NAN;
        ch->paired = pair_up(runs, &c->sides.at[0], side, metric, x);
        ch->p = ch->paired ? paired(moments_of(x, side->runs.n)) : welch(moment[0], m);
    }
    return gy_vec_push(&c->rows, row) ? 0 : gy_nomem(err);
}

static int add_rows(const struct gy_run *runs, size_t n, const struct gy_compare_options *o, struct gy_comparison *c,
                    struct gy_error *err)
{
    struct gy_map seen = {0};
    int rc = 0;
    for (size_t r = 0; r < n && rc == 0; r++) /* metrics of the first run first, then what only others have */
        for (size_t i = 0; i < runs[r].metrics.n && rc == 0; i++) {
            const struct gy_run_metric *m = &runs[r].metrics.at[i];
            const uint64_t key = gy_hash_bytes(m->name, strlen(m->name));
            if (!wanted(m, o) || gy_map_get(&seen, key, &(uint64_t){0}))
                continue;
            rc = gy_map_put(&seen, key, 1) ? add_row(runs, n, m->name, c, err) : gy_nomem(err);
        }
    gy_map_free(&seen);
    return rc;
}

int gy_compare(const struct gy_run *runs, size_t n, const struct gy_compare_options *o, struct gy_comparison *out,
               struct gy_error *err)
{
    *out = (struct gy_comparison){0};
    if (make_sides(runs, n, out, err) == 0 && add_rows(runs, n, o, out, err) == 0)
        return 0;
    gy_comparison_free(out);
    return -1;
}

void gy_comparison_free(struct gy_comparison *c)
{
    for (size_t i = 0; i < c->sides.n; i++)
        gy_vec_free(&c->sides.at[i].runs);
    gy_vec_free(&c->sides);
    gy_vec_free(&c->rows);
    gy_arena_free(&c->arena);
    *c = (struct gy_comparison){0};
}
