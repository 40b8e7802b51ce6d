/* `calibrate validate`: predictions against measurements, row by row, with the calibration as it is, with the prior
 * alone, with the shown system left out, or with every third size left out; degraded links told apart. */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_fit.h"
#include "gy_json.h"

void gy_validation_free(struct gy_validation *v)
{
    gy_vec_free(&v->rows);
    gy_vec_free(&v->degraded);
    gy_arena_free(&v->arena);
}

static bool same_hardware(const struct gy_calibration *cal, const struct gy_hw *hw, const char *but_system)
{
    for (size_t i = 0; cal && i < cal->curves.n; i++) {
        const struct gy_curve *c = &cal->curves.at[i];
        if (c->at.hw->gpu.arch == hw->gpu.arch && c->at.hw->intra.kind == hw->intra.kind &&
            (!but_system || strcmp(c->system, but_system) != 0))
            return true;
    }
    return false;
}

/* The set's own line with every third size taken out; false in kept for the sizes it was fitted on. */
int gy_third_line(const struct gy_meas_set *s, struct gy_line_fit *f, bool *held, struct gy_error *err)
{
    double *x = malloc((s->rows.n + 1) * sizeof *x), *y = malloc((s->rows.n + 1) * sizeof *y);
    size_t n = 0;
    for (size_t i = 0; x && y && i < s->rows.n; i++) {
        double us = gy_meas_time_us(s, i);
        held[i] = i % 3 == 1;
        if (held[i] || !(us > 0))
            continue;
        x[n] = log2(s->rows.at[i].bytes);
        y[n++] = log(us);
    }
    int rc = x && y ? gy_line_fit(x, y, n, 0.03, f, err) : gy_nomem(err);
    free(x);
    free(y);
    return rc;
}

struct one_set {
    const struct gy_calibration *cal;
    const struct gy_meas_set *s;
    struct gy_coll_query q;
    enum gy_valid_mode mode;
    bool degraded;
};

static uint32_t node_step(enum gy_valid_mode mode)
{
    return mode == GY_VALID_NODES_2 ? 2 : mode == GY_VALID_NODES_4 ? 4 : 0;
}

static int rows_of(const struct one_set *x, struct gy_validation *out, struct gy_error *err)
{
    const struct gy_meas_set *s = x->s;
    struct gy_coll_except leave = {.system = s->system}, big = {.nodes_system = s->system, .nodes_over = s->nodes};
    const struct gy_coll_except *but = x->mode == GY_VALID_LEAVE_SYSTEM ? &leave : NULL;
    uint32_t times = node_step(x->mode);
    if (times && !gy_fit_has_smaller(x->cal, &x->q, s->system, times))
        return 0;
    if (times) {
        big.nodes_over /= times;
        but = &big;
    }
    struct gy_coll_table t;
    struct gy_line_fit line;
    bool *held = calloc(s->rows.n + 1, sizeof *held);
    int rc = held ? 0 : gy_nomem(err);
    if (!rc && x->mode == GY_VALID_THIRD)
        rc = s->rows.n >= 4 ? gy_third_line(s, &line, held, err) : 0;
    else if (!rc)
        rc = gy_coll_table_init(&t, x->mode == GY_VALID_PRIOR ? NULL : x->cal, &x->q, but, err);
    struct gy_valid_row row = {.system = s->system,
                               .hardware = x->q.hw->name,
                               .op = s->op,
                               .nodes = s->nodes,
                               .ranks = s->ranks,
                               .degraded = x->degraded,
                               .fabric = x->q.fabric ? x->q.fabric->name : ""};
    row.same_hardware = same_hardware(x->cal, x->q.hw, x->mode == GY_VALID_LEAVE_SYSTEM ? s->system : NULL);
    for (size_t i = 0; !rc && i < s->rows.n; i++) {
        row.bytes = s->rows.at[i].bytes;
        row.measured_us = gy_meas_time_us(s, i);
        if (!(row.measured_us > 0) || (x->mode == GY_VALID_THIRD && !held[i]))
            continue;
        row.predicted_us = x->mode == GY_VALID_THIRD ? exp(gy_line_at(&line, log2(row.bytes)))
                                                     : gy_coll_table_time(&t, row.bytes) * 1e6;
        rc = gy_vec_push(&out->rows, row) ? 0 : gy_nomem(err);
    }
    free(held);
    return rc;
}

int gy_validate(const struct gy_calibration *cal, const struct gy_measurements *m, enum gy_valid_mode mode,
                struct gy_validation *out, struct gy_error *err)
{
    gsl_set_error_handler_off();
    *out = (struct gy_validation){0};
    int rc = 0;
    for (size_t i = 0; !rc && i < m->sets.n; i++) {
        struct one_set x = {.cal = cal, .s = &m->sets.at[i], .mode = mode};
        double factor;
        rc = gy_set_query(x.s, &out->arena, &x.q, err);
        if (rc > 0) { /* its hardware is not known */
            rc = 0;
            continue;
        }
        if (!rc)
            rc = gy_degradation(cal, x.s, &factor, err);
        if (rc)
            break;
        x.degraded = x.s->degraded || factor < GY_DEGRADED_BELOW;
        if (x.degraded && !isnan(factor)) {
            char buf[400];
            snprintf(buf, sizeof buf, "%s, %s over %u nodes of %u: links at %.2f of the prediction%s", x.s->source,
                     gy_coll_op_name(x.s->op), x.s->nodes, x.s->gpus_per_node, factor,
                     x.s->degraded ? " (its log says so too)" : "");
            struct gy_fit_note n = {x.s->system, gy_arena_strndup(&out->arena, buf, strlen(buf)), factor};
            rc = n.text && gy_vec_push(&out->degraded, n) ? 0 : gy_nomem(err);
        }
        if (!rc)
            rc = rows_of(&x, out, err);
    }
    if (rc)
        gy_validation_free(out);
    return rc;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t gy_validation_stats(const struct gy_validation *v, bool (*keep)(const struct gy_valid_row *, const void *),
                           const void *ctx, double *median, double *p95, double *worst)
{
    double *e = malloc((v->rows.n + 1) * sizeof *e);
    size_t n = 0;
    *median = *p95 = *worst = NAN;
    for (size_t i = 0; e && i < v->rows.n; i++)
        if (keep(&v->rows.at[i], ctx))
            e[n++] = fabs(v->rows.at[i].predicted_us / v->rows.at[i].measured_us - 1);
    if (n) {
        qsort(e, n, sizeof *e, ascending);
        *median = e[n / 2];
        *p95 = e[(size_t)(0.95 * (double)(n - 1) + 0.5)];
        *worst = e[n - 1];
    }
    free(e);
    return n;
}

struct cell {
    int op, decade; /* -1: all */
    const char *system;
    bool slow_too; /* and sets that were told apart as degraded */
};

static bool in_cell(const struct gy_valid_row *r, const void *ctx)
{
    const struct cell *c = ctx;
    return (c->slow_too || !r->degraded) && (c->op < 0 || (int)r->op == c->op) &&
           (c->decade < 0 ? r->bytes >= 65536 : (int)log10(r->bytes) == c->decade) &&
           (!c->system || !strcmp(c->system, r->system));
}

static void write_cell(struct gy_json_out *o, const struct gy_validation *v, const struct cell *c)
{
    double median, p95, worst;
    size_t n = gy_validation_stats(v, in_cell, c, &median, &p95, &worst);
    if (!n)
        return;
    gy_jo_object(o, NULL);
    gy_jo_string(o, "op", c->op < 0 ? "all" : gy_coll_op_name((enum gy_coll_op)c->op));
    if (c->slow_too)
        gy_jo_bool(o, "with_degraded", true);
    if (c->system)
        gy_jo_string(o, "system", c->system);
    else if (c->decade < 0)
        gy_jo_string(o, "bytes", "65536 and more");
    else
        gy_jo_number(o, "bytes_from", pow(10, c->decade));
    gy_jo_integer(o, "rows", (int64_t)n);
    gy_jo_number(o, "median", median);
    gy_jo_number(o, "p95", p95);
    gy_jo_number(o, "worst", worst);
    gy_jo_end(o, '}');
}

int gy_validation_write(const struct gy_validation *v, const char *path, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(path, err);
    if (!w)
        return -1;
    struct gy_json_out o = {.to = w, .first = true};
    gy_jo_object(&o, NULL);
    gy_jo_array(&o, "errors");
    for (int op = -1; op < GY_COLL_OPS; op++)
        for (int d = -1; d < 12; d++)
            write_cell(&o, v, &(struct cell){op, d, NULL, false});
    for (int op = -1; op < GY_COLL_OPS; op++)
        write_cell(&o, v, &(struct cell){op, -1, NULL, true});
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "systems");
    for (size_t i = 0; i < v->rows.n; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = !strcmp(v->rows.at[j].system, v->rows.at[i].system);
        if (!seen)
            write_cell(&o, v, &(struct cell){-1, -1, v->rows.at[i].system, false});
    }
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "degraded");
    for (size_t i = 0; i < v->degraded.n; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "what", v->degraded.at[i].text);
        gy_jo_number(&o, "factor", v->degraded.at[i].factor);
        gy_jo_end(&o, '}');
    }
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    gy_writer_text(w, "\n");
    return gy_writer_commit(w, err);
}
