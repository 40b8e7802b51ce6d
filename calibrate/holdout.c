/* The hold-out errors that a calibration carries: every third size, whole systems in turn, node counts predicted from
 * half and from a quarter of them. Rows of 64 KiB and more on healthy networks, as the sets of the fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_fit.h"

struct errors {
    double *at;
    size_t n, cap;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_row(struct gy_calibration *cal, const char *kind, const char *key, struct errors *e,
                   struct gy_error *err)
{
    if (!e->n)
        return 0;
    qsort(e->at, e->n, sizeof *e->at, ascending);
    struct gy_error_row row = {.kind = kind,
                               .key = gy_arena_strndup(&cal->arena, key, strlen(key)),
                               .rows = (int)e->n,
                               .median = e->at[e->n / 2],
                               .p95 = e->at[(size_t)(0.95 * (double)(e->n - 1) + 0.5)],
                               .worst = e->at[e->n - 1]};
    e->n = 0;
    return row.key && gy_vec_push(&cal->errors, row) ? 0 : gy_nomem(err);
}

/* The set's own curve is in the calibration: it took part in the fit. */
static const struct gy_curve *curve_of(const struct gy_calibration *cal, const struct gy_meas_set *s)
{
    for (size_t i = 0; i < cal->curves.n; i++) {
        const struct gy_curve *c = &cal->curves.at[i];
        if (c->at.op == s->op && c->at.nodes == s->nodes && c->at.gpus_per_node == s->gpus_per_node &&
            c->at.algo == s->algo && c->at.nics == s->nics && !strcmp(c->system, s->system) &&
            !strcmp(c->at.hw->name, s->hardware) && !strcmp(c->timing, s->timing) &&
            (s->nodes == 1 || !strcmp(c->at.fabric->name, *s->fabric ? s->fabric : c->at.hw->fabric)))
            return c;
    }
    return NULL;
}

static int predict_set(const struct gy_calibration *cal, const struct gy_meas_set *s, const struct gy_curve *own,
                       const struct gy_coll_except *except, struct errors *e, struct gy_error *err)
{
    struct gy_coll_table t;
    if (gy_coll_table_init(&t, cal, &own->at, except, err))
        return -1;
    for (size_t i = 0; i < s->rows.n; i++) {
        double us = gy_meas_time_us(s, i);
        if (s->rows.at[i].bytes < 65536 || !(us > 0))
            continue;
        if (!gy_vec_push(e, fabs(gy_coll_table_time(&t, s->rows.at[i].bytes) * 1e6 / us - 1)))
            return gy_nomem(err);
    }
    return 0;
}

static bool relatives(const struct gy_calibration *cal, const struct gy_curve *own)
{
    for (size_t i = 0; i < cal->curves.n; i++) {
        const struct gy_curve *c = &cal->curves.at[i];
        if (strcmp(c->system, own->system) && c->at.hw->gpu.arch == own->at.hw->gpu.arch &&
            c->at.hw->intra.kind == own->at.hw->intra.kind)
            return true;
    }
    return false;
}

static int systems(const struct gy_measurements *m, struct gy_calibration *cal, struct gy_error *err)
{
    struct errors one = {0}, all = {0}, alone = {0};
    int rc = 0;
    for (size_t i = 0; !rc && i < m->sets.n; i++) {
        const char *system = m->sets.at[i].system;
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen |= !strcmp(m->sets.at[j].system, system);
        if (seen)
            continue;
        struct gy_coll_except except = {.system = system};
        for (size_t j = i; !rc && j < m->sets.n; j++) {
            const struct gy_curve *own = strcmp(m->sets.at[j].system, system) ? NULL : curve_of(cal, &m->sets.at[j]);
            if (!own)
                continue;
            size_t had = one.n;
            rc = predict_set(cal, &m->sets.at[j], own, &except, &one, err);
            for (size_t k = had; !rc && k < one.n; k++)
                rc = gy_vec_push(relatives(cal, own) ? &all : &alone, one.at[k]) ? 0 : gy_nomem(err);
        }
        if (!rc)
            rc = add_row(cal, "system", system, &one, err);
    }
    if (!rc)
        rc = add_row(cal, "systems", "with others of the same GPU generation", &all, err);
    if (!rc)
        rc = add_row(cal, "systems", "the only one of its GPU generation", &alone, err);
    free(one.at);
    free(all.at);
    free(alone.at);
    return rc;
}

bool gy_fit_has_smaller(const struct gy_calibration *cal, const struct gy_coll_query *q, const char *system,
                        uint32_t times)
{
    for (size_t j = 0; j < cal->curves.n; j++) {
        const struct gy_curve *c = &cal->curves.at[j];
        if (c->at.op == q->op && c->at.nodes * times <= q->nodes && c->at.nodes > 1 && c->at.algo == q->algo &&
            !strcmp(c->system, system) && !strcmp(c->at.hw->name, q->hw->name))
            return true;
    }
    return false;
}

/* Node counts from at most 1/times as many, with the rest of the calibration as it is. */
static int nodes(const struct gy_measurements *m, struct gy_calibration *cal, uint32_t times, struct gy_error *err)
{
    struct errors e = {0};
    int rc = 0;
    char key[32];
    for (size_t i = 0; !rc && i < m->sets.n; i++) {
        const struct gy_meas_set *s = &m->sets.at[i];
        const struct gy_curve *own = s->nodes >= 2 * times ? curve_of(cal, s) : NULL;
        if (!own || !gy_fit_has_smaller(cal, &own->at, s->system, times))
            continue;
        struct gy_coll_except except = {.nodes_over = s->nodes / times, .nodes_system = s->system};
        rc = predict_set(cal, s, own, &except, &e, err);
    }
    snprintf(key, sizeof key, "times %u", times);
    if (!rc)
        rc = add_row(cal, "nodes", key, &e, err);
    free(e.at);
    return rc;
}

static int thirds(const struct gy_measurements *m, struct gy_calibration *cal, struct gy_error *err)
{
    struct gy_validation v = {0};
    struct errors e = {0};
    int rc = gy_validate(cal, m, GY_VALID_THIRD, &v, err);
    for (size_t i = 0; !rc && i < v.rows.n; i++) {
        const struct gy_valid_row *r = &v.rows.at[i];
        if (r->bytes >= 65536 && !r->degraded)
            rc = gy_vec_push(&e, fabs(r->predicted_us / r->measured_us - 1)) ? 0 : gy_nomem(err);
    }
    if (!rc)
        rc = add_row(cal, "third", "every third size", &e, err);
    gy_validation_free(&v);
    free(e.at);
    return rc;
}

int gy_fit_holdout(const struct gy_measurements *m, const struct gy_fit_options *o, struct gy_calibration *cal,
                   struct gy_error *err)
{
    (void)o;
    if (thirds(m, cal, err) || systems(m, cal, err) || nodes(m, cal, 2, err) || nodes(m, cal, 4, err))
        return -1;
    return 0;
}
