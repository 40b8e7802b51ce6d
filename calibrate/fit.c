/* From measurements to a calibration: which sets belong to one curve, which are left out and why, the fit of each. The
 * line fit itself is in line_fit.c, hold-outs in holdout.c. */
#include "gy_fit.h"
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gy_fit_notes_free(struct gy_fit_notes *n)
{
    gy_vec_free(&n->at);
    gy_arena_free(&n->arena);
}

int gy_set_query(const struct gy_meas_set *s, struct gy_arena *arena, struct gy_coll_query *q, struct gy_error *err)
{
    if (!*s->hardware)
        return 1;
    *q = (struct gy_coll_query){.op = s->op,
                                .algo = s->algo,
                                .proto = s->proto,
                                .nodes = s->nodes,
                                .gpus_per_node = s->gpus_per_node,
                                .nics = s->nics,
                                .nic_gbit = s->nic_gbit};
    if (!(q->hw = gy_hw_find(s->hardware, arena, err)))
        return -1;
    if (s->nodes > 1 && !(q->fabric = gy_fabric_find(*s->fabric ? s->fabric : q->hw->fabric, arena, err)))
        return -1;
    if (s->ranks != s->nodes * s->gpus_per_node) { /* the last node has fewer */
        uint32_t *of = gy_arena_alloc(arena, s->nodes * sizeof *of);
        if (!of)
            return gy_nomem(err);
        for (uint32_t i = 0; i < s->nodes; i++)
            of[i] = i + 1 < s->nodes ? s->gpus_per_node : s->ranks - (s->nodes - 1) * s->gpus_per_node;
        q->gpus_of = of;
    }
    struct gy_error quiet = {0};
    if ((q->algo || q->proto) && gy_coll_check(q, &quiet)) { /* NCCL falls back where what was forced cannot run */
        q->algo = GY_ALGO_AUTO;
        q->proto = GY_PROTO_AUTO;
    }
    return gy_coll_check(q, err);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int gy_degradation(const struct gy_calibration *cal, const struct gy_meas_set *s, double *factor, struct gy_error *err)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_coll_query q;
    struct gy_coll_answer a;
    *factor = NAN;
    int rc = gy_set_query(s, &arena, &q, err);
    double *ratio = malloc((s->rows.n + 1) * sizeof *ratio);
    size_t n = 0;
    struct gy_coll_except except = {.system = s->system};
    for (size_t i = 0; ratio && rc == 0 && i < s->rows.n; i++) {
        if (s->rows.at[i].bytes < 1048576 || isnan(gy_meas_time_us(s, i)))
            continue;
        rc = gy_coll_predict(cal, &q, s->rows.at[i].bytes, &except, &a, err);
        ratio[n++] = a.r.time_s * 1e6 / gy_meas_time_us(s, i);
    }
    if (n && rc == 0) {
        qsort(ratio, n, sizeof *ratio, by_value);
        *factor = ratio[n / 2];
    }
    free(ratio);
    gy_arena_free(&arena);
    return rc < 0 ? -1 : 0;
}

static int note(struct gy_fit_notes *notes, const struct gy_meas_set *s, const char *text, double factor,
                struct gy_error *err)
{
    char buf[512];
    snprintf(buf, sizeof buf, "%s, %s, %u nodes of %u GPUs: %s", s->source, gy_coll_op_name(s->op), s->nodes,
             s->gpus_per_node, text);
    struct gy_fit_note n = {gy_arena_strndup(&notes->arena, s->system, strlen(s->system)),
                            gy_arena_strndup(&notes->arena, buf, strlen(buf)), factor};
    return n.system && n.text && gy_vec_push(&notes->at, n) ? 0 : gy_nomem(err);
}

/* Whether a set takes part; every set that does not is noted. 1 yes, 0 no, -1 error. */
static int takes_part(const struct gy_meas_set *s, const struct gy_fit_options *o, struct gy_fit_notes *notes,
                      struct gy_error *err)
{
    double factor;
    char text[200];
    if (!*s->hardware)
        return note(notes, s, "left out, the GPU is not known (give --hardware)", NAN, err);
    if (s->ranks != s->nodes * s->gpus_per_node)
        return note(notes, s, "left out, its nodes are uneven", NAN, err);
    if (gy_degradation(NULL, s, &factor, err))
        return -1;
    if (s->degraded) {
        snprintf(text, sizeof text, "left out, its log calls it degraded%s", isnan(factor) ? "" : "; the links reach ");
        if (!isnan(factor))
            snprintf(text + strlen(text), sizeof text - strlen(text), "%.2f of the prediction", factor);
        return note(notes, s, text, factor, err);
    }
    if (!isnan(factor) && factor < o->degraded_below) {
        snprintf(text, sizeof text, "%s: its links reach %.2f of the prediction",
                 o->keep_slow ? "slow, kept" : "left out", factor);
        return note(notes, s, text, factor, err) ? -1 : o->keep_slow;
    }
    return 1;
}

static bool same_curve(const struct gy_meas_set *a, const struct gy_meas_set *b)
{
    return a->op == b->op && a->nodes == b->nodes && a->ranks == b->ranks && a->algo == b->algo &&
           a->proto == b->proto && a->nics == b->nics && a->nic_gbit == b->nic_gbit && !strcmp(a->system, b->system) &&
           !strcmp(a->hardware, b->hardware) && !strcmp(a->fabric, b->fabric) && !strcmp(a->timing, b->timing) &&
           (!strcmp(a->library, b->library) || !strcmp(a->timing, "graph"));
}

struct points { /* log2 bytes, log µs */
    double *x, *y;
    size_t n;
};

static void points_free(struct points *p)
{
    free(p->x);
    free(p->y);
}

/* All measured halves of a set and its like: the hiccups and the cold first half are dropped by gy_meas_time_us's rule.
 */
static int collect(const struct gy_measurements *m, size_t from, const bool *used, const bool *part, struct points *p,
                   struct gy_error *err)
{
    size_t room = 0;
    for (size_t i = from; i < m->sets.n; i++)
        room += 2 * m->sets.at[i].rows.n;
    *p = (struct points){malloc(room * sizeof(double)), malloc(room * sizeof(double)), 0};
    if (!p->x || !p->y)
        return gy_nomem(err);
    for (size_t i = from; i < m->sets.n; i++) {
        const struct gy_meas_set *s = &m->sets.at[i];
        if (!part[i] || (used[i] && i != from) || !same_curve(s, &m->sets.at[from]))
            continue;
        for (size_t r = 0; r < s->rows.n; r++) {
            double one = gy_meas_time_us(s, r), half[2] = {s->rows.at[r].time_us, s->rows.at[r].in_place_us};
            for (int h = 0; h < 2; h++)
                if (half[h] > 0 && fabs(log(half[h] / one)) < 0.25) {
                    p->x[p->n] = log2(s->rows.at[r].bytes);
                    p->y[p->n++] = log(half[h]);
                }
        }
    }
    return 0;
}

static const double *keep_doubles(struct gy_arena *a, const double *v, size_t n)
{
    double *copy = gy_arena_alloc(a, n * sizeof *copy);
    if (copy)
        memcpy(copy, v, n * sizeof *copy);
    return copy;
}

static const char *keep(struct gy_arena *a, const char *text)
{
    const char *copy = gy_arena_strndup(a, text, strlen(text));
    return copy ? copy : "";
}

static int by_double(const void *a, const void *b)
{
    return by_value(a, b);
}

/* Every third size held out: the curve through the others against it. */
static int third_holdout(const struct points *p, double tolerance, double *median, double *p95, struct gy_error *err)
{
    *median = *p95 = NAN;
    double *sizes = malloc((p->n + 1) * sizeof *sizes), *x = malloc((p->n + 1) * sizeof *x),
           *y = malloc((p->n + 1) * sizeof *y), *e = malloc((p->n + 1) * sizeof *e);
    int rc = sizes && x && y && e ? 0 : gy_nomem(err);
    size_t n = 0, kept = 0, errors = 0;
    if (!rc) {
        memcpy(sizes, p->x, p->n * sizeof *sizes);
        qsort(sizes, p->n, sizeof *sizes, by_double);
        for (size_t i = 0; i < p->n; i++)
            if (!n || sizes[i] > sizes[n - 1])
                sizes[n++] = sizes[i];
    }
    if (!rc && n >= 4) {
        struct gy_line_fit f;
        for (size_t i = 0; i < p->n; i++) {
            size_t k = 0;
            while (sizes[k] < p->x[i])
                k++;
            if (k % 3 == 1)
                continue;
            x[kept] = p->x[i];
            y[kept++] = p->y[i];
        }
        rc = gy_line_fit(x, y, kept, tolerance, &f, err);
        for (size_t i = 0; !rc && i < p->n; i++) {
            size_t k = 0;
            while (sizes[k] < p->x[i])
                k++;
            if (k % 3 == 1)
                e[errors++] = fabs(exp(gy_line_at(&f, p->x[i]) - p->y[i]) - 1);
        }
        if (errors) {
            qsort(e, errors, sizeof *e, by_double);
            *median = e[errors / 2];
            *p95 = e[(size_t)(0.95 * (double)(errors - 1) + 0.5)];
        }
    }
    free(sizes);
    free(x);
    free(y);
    free(e);
    return rc;
}

static int fit_one(const struct gy_measurements *m, size_t at, const bool *used, const bool *part,
                   const struct gy_fit_options *o, struct gy_calibration *cal, struct gy_error *err)
{
    const struct gy_meas_set *s = &m->sets.at[at];
    struct points p = {0};
    struct gy_line_fit f;
    struct gy_curve c = {0};
    int rc = collect(m, at, used, part, &p, err);
    if (!rc)
        rc = gy_set_query(s, &cal->arena, &c.at, err);
    if (!rc)
        rc = gy_line_fit(p.x, p.y, p.n, o->tolerance, &f, err);
    if (!rc)
        rc = third_holdout(&p, o->tolerance, &c.error_median, &c.error_p95, err);
    if (!rc) {
        c.n = f.n;
        c.tail_alpha_us = f.tail_alpha_us;
        c.tail_beta_gbps = f.tail_beta_gbps;
        c.log2_bytes = keep_doubles(&cal->arena, f.x, f.n);
        c.log_us = keep_doubles(&cal->arena, f.y, f.n);
        c.ci95 = keep_doubles(&cal->arena, f.ci95, f.n);
        c.system = keep(&cal->arena, s->system);
        c.library = keep(&cal->arena, s->library);
        c.dtype = keep(&cal->arena, s->dtype);
        c.timing = keep(&cal->arena, s->timing);
        c.source = keep(&cal->arena, s->source);
        c.fit_median = f.median_residual;
        c.rows = (int)p.n;
        rc = c.log2_bytes && c.log_us && c.ci95 && gy_vec_push(&cal->curves, c) ? 0 : gy_nomem(err);
    }
    points_free(&p);
    return rc;
}

static int fit_sets(const struct gy_measurements *m, const struct gy_fit_options *o, struct gy_calibration *cal,
                    struct gy_fit_notes *notes, struct gy_error *err)
{
    bool *used = calloc(m->sets.n + 1, sizeof *used), *part = calloc(m->sets.n + 1, sizeof *part);
    int rc = used && part ? 0 : gy_nomem(err);
    for (size_t i = 0; !rc && i < m->sets.n; i++) {
        int yes = takes_part(&m->sets.at[i], o, notes, err);
        rc = yes < 0 ? -1 : 0;
        part[i] = yes > 0;
    }
    for (size_t i = 0; !rc && i < m->sets.n; i++) {
        if (!part[i] || used[i])
            continue;
        rc = fit_one(m, i, used, part, o, cal, err);
        for (size_t j = i; j < m->sets.n; j++)
            if (part[j] && same_curve(&m->sets.at[i], &m->sets.at[j]))
                used[j] = true;
    }
    free(used);
    free(part);
    return rc;
}

/* A GEMM table takes part when there are shapes enough for the parameters. 1 yes, 0 no and noted, -1 error. */
static int gemm_takes_part(const struct gy_gemm_set *s, struct gy_fit_notes *notes, struct gy_error *err)
{
    char buf[512];
    if (*s->hardware && s->rows.n >= 3 * GY_GEMM_PARAMETERS)
        return 1;
    if (*s->hardware)
        snprintf(buf, sizeof buf, "%s: left out, %zu GEMM shapes of %s, at least %d are needed", s->source, s->rows.n,
                 s->dtype, 3 * GY_GEMM_PARAMETERS);
    else
        snprintf(buf, sizeof buf, "%s: left out, the GPU of its GEMM shapes is not known (give --hardware)", s->source);
    struct gy_fit_note n = {gy_arena_strndup(&notes->arena, s->system, strlen(s->system)),
                            gy_arena_strndup(&notes->arena, buf, strlen(buf)), NAN};
    return n.system && n.text && gy_vec_push(&notes->at, n) ? 0 : gy_nomem(err);
}

static int fit_gemms(const struct gy_measurements *m, struct gy_calibration *cal, struct gy_fit_notes *notes,
                     struct gy_error *err)
{
    for (size_t i = 0; i < m->gemms.n; i++) {
        struct gy_gemm_model g = {0};
        const struct gy_gemm_set *s = &m->gemms.at[i];
        int yes = gemm_takes_part(s, notes, err);
        if (yes < 0)
            return -1;
        if (!yes)
            continue;
        g.hw = gy_hw_find(s->hardware, &cal->arena, err);
        if (!g.hw || gy_fit_gemm(s, &g, err))
            return -1;
        g.hardware = keep(&cal->arena, s->hardware);
        g.source = keep(&cal->arena, s->source);
        if (!gy_vec_push(&cal->gemms, g))
            return gy_nomem(err);
    }
    return 0;
}

int gy_fit(const struct gy_measurements *m, const struct gy_fit_options *options, struct gy_calibration *cal,
           struct gy_fit_notes *notes, struct gy_error *err)
{
    struct gy_fit_options o = *options;
    if (!(o.tolerance > 0))
        o.tolerance = 0.03;
    if (!(o.degraded_below > 0))
        o.degraded_below = GY_DEGRADED_BELOW;
    gsl_set_error_handler_off(); /* GSL's default is to abort */
    *cal = (struct gy_calibration){0};
    cal->name = keep(&cal->arena, o.name ? o.name : "fitted");
    cal->summary = keep(&cal->arena, o.summary ? o.summary : "");
    int rc = fit_sets(m, &o, cal, notes, err);
    if (!rc)
        rc = fit_gemms(m, cal, notes, err);
    if (!rc && !cal->curves.n && !cal->gemms.n)
        rc = gy_fail(err, GY_EINPUT, NULL, "nothing to fit: %zu sets, none with known hardware and a healthy network",
                     m->sets.n);
    size_t own = cal->curves.n;
    if (!rc && !o.no_holdout && o.context) {
        struct gy_fit_notes quiet = {0};
        rc = fit_sets(o.context, &o, cal, &quiet, err);
        gy_fit_notes_free(&quiet);
    }
    if (!rc && !o.no_holdout)
        rc = gy_fit_holdout(m, &o, cal, err);
    if (!rc)
        cal->curves.n = own;
    for (size_t i = 0; !rc && i < cal->curves.n; i++) {
        cal->curves.at[i].own = true;
        cal->curves.at[i].errors_n = (uint32_t)cal->errors.n;
    }
    if (rc)
        gy_calibration_free(cal);
    return rc;
}
