/* The calibrated answer: ratios of near curves, weighted by distance, on the prior. Not the fitting of curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "calibrated.h"

/* Distances: found by leaving whole systems out, over about 200 tables; the error changes little within ±50 % of each.
 */
static const double far_op = 1.5, near_op = 0.4, far_gpu = 1.5, near_gpu = 0.3, box = 0.1, per_doubling_nodes = 0.25,
                    per_doubling_gpus = 0.7, one_or_many = 2, far_fabric = 1, near_fabric = 0.4, forced = 1,
                    graphs = 0.15, past_the_end = 0.25, softening = 0.02, prior_weight = 10;

double gy_curve_us(const struct gy_curve *c, double bytes)
{
    double x = log2(fmax(bytes, 1));
    size_t n = c->n;
    if (x <= c->log2_bytes[0])
        return exp(c->log_us[0]) * gy_coll_prior(&c->at, bytes).time_s /
               gy_coll_prior(&c->at, exp2(c->log2_bytes[0])).time_s;
    double end = exp2(c->log2_bytes[n - 1]);
    if (x >= c->log2_bytes[n - 1]) {
        if (c->tail_beta_gbps > 0)
            return exp(c->log_us[n - 1]) * (c->tail_alpha_us + bytes / c->tail_beta_gbps / 1e3) /
                   (c->tail_alpha_us + end / c->tail_beta_gbps / 1e3);
        return exp(c->log_us[n - 1]) * gy_coll_prior(&c->at, bytes).time_s / gy_coll_prior(&c->at, end).time_s;
    }
    size_t lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        size_t mid = (lo + hi) / 2;
        *(c->log2_bytes[mid] <= x ? &lo : &hi) = mid;
    }
    double f = (x - c->log2_bytes[lo]) / (c->log2_bytes[hi] - c->log2_bytes[lo]);
    return exp(c->log_us[lo] + f * (c->log_us[hi] - c->log_us[lo]));
}

static bool pair(enum gy_coll_op a, enum gy_coll_op b, enum gy_coll_op x, enum gy_coll_op y)
{
    return (a == x && b == y) || (a == y && b == x);
}

static double square(double x)
{
    return x * x;
}

bool gy_coll_domain(const struct gy_coll_query *q)
{
    return q->nodes > 1 && q->fabric && q->fabric->kind == GY_FABRIC_NVLINK;
}

static double hardware_distance(const struct gy_hw *a, const struct gy_hw *b)
{
    if (!strcmp(a->name, b->name))
        return 0;
    bool kind = a->gpu.arch == b->gpu.arch && a->intra.kind == b->intra.kind;
    if (!kind)
        return far_gpu;
    return a->gpu.max_w.value == b->gpu.max_w.value && a->gpus.value == b->gpus.value ? box : near_gpu;
}

static double distance2(const struct gy_coll_query *a, const struct gy_coll_query *b)
{
    double d = 0;
    if (a->op != b->op) {
        bool near = pair(a->op, b->op, GY_ALL_GATHER, GY_REDUCE_SCATTER) || pair(a->op, b->op, GY_BROADCAST, GY_REDUCE);
        d += square(near ? near_op : far_op);
    }
    d += square(hardware_distance(a->hw, b->hw));
    /* A domain over several trays is one node to NCCL. */
    double na = gy_coll_domain(a) ? 1 : a->nodes, nb = gy_coll_domain(b) ? 1 : b->nodes;
    double ga = gy_coll_ranks(a) / na, gb = gy_coll_ranks(b) / nb;
    d += square(per_doubling_nodes * log2(na / nb)) + square(per_doubling_gpus * log2(ga / gb));
    if ((na > 1) != (nb > 1))
        d += square(one_or_many);
    if (na > 1 && nb > 1 && strcmp(a->fabric->name, b->fabric->name) != 0)
        d += square(a->fabric->kind == b->fabric->kind ? near_fabric : far_fabric);
    if (a->algo != b->algo)
        d += square(forced);
    if (a->proto != b->proto)
        d += square(forced);
    return d;
}

/* Libraries of long ago count less where newer ones were measured too; an unknown one stands in the middle. */
static double freshness(const char *library)
{
    int minor = strncmp(library, "2.", 2) ? 24 : atoi(library + 2);
    return minor < 30 ? exp(-0.3 * (30 - minor)) : 1;
}

struct near_curve {
    const struct gy_curve *curve;
    double d2, fresh, scale, lo, hi;
};

static bool excepted(const struct gy_curve *c, const struct gy_coll_except *e)
{
    if (!e)
        return false;
    if (e->system && !strcmp(c->system, e->system))
        return true;
    return e->nodes_over && !strcmp(c->system, e->nodes_system) && c->at.nodes > e->nodes_over;
}

/* Curves near enough to matter. */
static size_t neighbours(const struct gy_calibration *cal, const struct gy_coll_query *q,
                         const struct gy_coll_except *e, struct near_curve *out)
{
    size_t n = 0;
    for (size_t i = 0; cal && i < cal->curves.n; i++) {
        const struct gy_curve *c = &cal->curves.at[i];
        double d2 = distance2(q, &c->at) + (strcmp(c->timing, "graph") ? 0 : square(graphs));
        if (d2 > 3 || excepted(c, e))
            continue;
        /* What a curve shows at a size moves to larger sizes with the node count, as the pieces a rank holds shrink. */
        double share = gy_coll_domain(q) || gy_coll_domain(&c->at) ? 1 : (double)c->at.nodes / q->nodes;
        out[n++] = (struct near_curve){c, d2, freshness(c->library), share, c->log2_bytes[0], c->log2_bytes[c->n - 1]};
    }
    return n;
}

/* Log of measured/prior at a size, and how much it is worth. */
static double correction(const struct near_curve *near, size_t n, double bytes, double *trust,
                         const struct gy_curve **basis)
{
    double sum = 0, total = 0, most = 0, nearest = 0;
    *basis = NULL;
    for (size_t i = 0; i < n; i++) {
        double x = log2(bytes * near[i].scale),
               gap = fmax(0, fmax(0.4 * (near[i].lo - x), x - near[i].hi)); /* below, all is latency */
        double w = near[i].fresh / pow(softening + near[i].d2 + square(past_the_end * gap), 3);
        nearest = fmax(nearest, 1 / pow(softening + near[i].d2 + square(0.2 * past_the_end * gap), 3));
        if (w < 1e-4)
            continue;
        double at = bytes * near[i].scale;
        double us = gy_curve_us(near[i].curve, at), prior = gy_coll_prior(&near[i].curve->at, at).time_s * 1e6;
        sum += w * log(us / prior);
        total += w;
        if (w > most) {
            most = w;
            *basis = near[i].curve;
        }
    }
    *trust = nearest / (nearest + prior_weight);
    return total > 0 ? sum / total * *trust : 0;
}

struct corrected {
    const struct gy_coll_query *q;
    struct near_curve *near;
    size_t n;
};

static double raw_time(const struct corrected *c, double bytes, double *trust, const struct gy_curve **basis)
{
    double prior = gy_coll_prior(c->q, bytes).time_s;
    if (gy_coll_ranks(c->q) < 2) {
        *trust = 0;
        *basis = NULL;
        return prior;
    }
    return prior * exp(correction(c->near, c->n, fmax(bytes, 1), trust, basis));
}

static int prepare(struct corrected *c, const struct gy_calibration *cal, const struct gy_coll_query *q,
                   const struct gy_coll_except *e, struct gy_error *err)
{
    c->q = q;
    c->near = malloc((cal ? cal->curves.n + 1 : 1) * sizeof *c->near);
    if (!c->near)
        return gy_nomem(err);
    c->n = neighbours(cal, q, e, c->near);
    return 0;
}

int gy_coll_predict(const struct gy_calibration *cal, const struct gy_coll_query *q, double bytes,
                    const struct gy_coll_except *except, struct gy_coll_answer *out, struct gy_error *err)
{
    struct corrected c;
    const struct gy_curve *basis;
    double size = fmax(bytes, 1);
    if (prepare(&c, cal, q, except, err))
        return -1;
    out->r = gy_coll_prior(q, bytes);
    double trust;
    raw_time(&c, size, &trust, &basis);
    gy_coll_basis(cal, q, size, basis, trust, &out->basis);
    double lo = 1, low = raw_time(&c, lo, &trust, &basis);
    for (;;) { /* the running maximum over a grid, linear in between: more bytes never take less time */
        double hi = lo * M_SQRT2, high = fmax(low, raw_time(&c, hi, &trust, &basis));
        if (size <= hi) {
            out->r.time_s = low + (high - low) * (size - lo) / (hi - lo);
            break;
        }
        lo = hi;
        low = high;
    }
    free(c.near);
    gy_coll_rates(&out->r, q->op, bytes);
    return 0;
}

int gy_coll_table_init(struct gy_coll_table *t, const struct gy_calibration *cal, const struct gy_coll_query *q,
                       const struct gy_coll_except *except, struct gy_error *err)
{
    struct corrected c;
    const struct gy_curve *basis;
    double trust;
    if (prepare(&c, cal, q, except, err))
        return -1;
    double size = 1;
    for (int k = 0; k < GY_COLL_GRID; k++, size *= M_SQRT2) {
        double s = raw_time(&c, size, &trust, &basis);
        t->time_s[k] = k && t->time_s[k - 1] > s ? t->time_s[k - 1] : s;
        if (k == 52) /* 64 MiB stands for the table */
            gy_coll_basis(cal, q, size, basis, trust, &t->basis);
    }
    free(c.near);
    return 0;
}

double gy_coll_table_time(const struct gy_coll_table *t, double bytes)
{
    double size = fmax(bytes, 1);
    int k = (int)fmin(floor(2 * log2(size)), GY_COLL_GRID - 2);
    double lo = pow(M_SQRT2, k);
    if (size < lo && k > 0)
        lo = pow(M_SQRT2, --k);
    double low = t->time_s[k], high = t->time_s[k + 1];
    return low + (high - low) * (size / lo - 1) / (M_SQRT2 - 1);
}
