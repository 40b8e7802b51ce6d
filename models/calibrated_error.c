/* Which of a calibration's hold-out errors goes with an answer. Not how the errors are measured (calibrate/holdout.c).
 */
#include <math.h>
#include <string.h>
#include "calibrated.h"

/* Below this trust the prior weighs more than any curve. */
static const double least_trust = 0.3;

const char *gy_coll_error_name(enum gy_coll_error e)
{
    static const char *const names[] = {"uncalibrated", "third", "nodes", "systems"};
    return names[e];
}

/* Like in all but the numbers of nodes and GPUs. */
static bool same_kind(const struct gy_coll_query *a, const struct gy_coll_query *b)
{
    if (a->op != b->op || a->algo != b->algo || a->proto != b->proto || strcmp(a->hw->name, b->hw->name) != 0 ||
        (a->nodes > 1) != (b->nodes > 1))
        return false;
    return a->nodes == 1 || !strcmp(a->fabric->name, b->fabric->name);
}

static enum gy_coll_error error_of(const struct gy_coll_query *q, double bytes, const struct gy_curve *c)
{
    if (!c->own || !same_kind(q, &c->at))
        return GY_COLL_SYSTEM;
    bool inside = log2(bytes) >= c->log2_bytes[0] - 1 && log2(bytes) <= c->log2_bytes[c->n - 1] + 1;
    if (!inside)
        return GY_COLL_SYSTEM;
    return q->nodes == c->at.nodes && gy_coll_ranks(q) == gy_coll_ranks(&c->at) ? GY_COLL_SIZES : GY_COLL_NODES;
}

/* The mean over a file's errors of one kind, weighted by rows. NaN when there are none. */
static void pooled(const struct gy_error_row *e, size_t n, const char *kind, double *median, double *p95)
{
    double rows = 0, m = 0, p = 0;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(e[i].kind, kind)) {
            rows += e[i].rows;
            m += e[i].rows * e[i].median;
            p += e[i].rows * e[i].p95;
        }
    *median = rows > 0 ? m / rows : NAN;
    *p95 = rows > 0 ? p / rows : NAN;
}

void gy_coll_basis(const struct gy_calibration *cal, const struct gy_coll_query *q, double bytes,
                   const struct gy_curve *curve, double trust, struct gy_coll_basis *out)
{
    *out = (struct gy_coll_basis){.median = NAN, .p95 = NAN, .trust = trust};
    if (!curve || !(trust > least_trust))
        return;
    out->of = error_of(q, bytes, curve);
    out->system = curve->system;
    if (out->of == GY_COLL_SIZES) {
        out->median = curve->error_median;
        out->p95 = curve->error_p95;
        return;
    }
    if (curve->errors_n) /* a file without hold-outs has no errors at all */
        pooled(cal->errors.at + curve->errors_from, curve->errors_n, gy_coll_error_name(out->of), &out->median,
               &out->p95);
}
