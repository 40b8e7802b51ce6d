/* Loading calibration files. Not their use (calibrated.c, kernel.c), not their making (calibrate/). */
#include "gy_calibration.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_json.h"

#define FORMAT    "gpuyard-calibration-1"
#define MAX_KNOTS 4096

struct loading {
    struct gy_calibration *c;
    const struct gy_json_doc *doc;
    struct gy_error *err;
    char pointer[96];
};

static int wrong(const struct loading *l, const char *key, const char *wanted)
{
    char place[512], pointer[192];
    snprintf(pointer, sizeof pointer, "%s%s%s", l->pointer, key ? "/" : "", key ? key : "");
    gy_json_place(l->doc, pointer, place, sizeof place);
    return gy_fail(l->err, GY_EINPUT, place, "wanted %s", wanted);
}

static const char *text(const struct loading *l, const struct gy_json *v, const char *key)
{
    const struct gy_json *x = gy_json_get(v, key);
    const char *s = x ? gy_json_string(x) : NULL;
    if (!s)
        s = "";
    const char *copy = gy_arena_strndup(&l->c->arena, s, strlen(s));
    return copy ? copy : "";
}

static double number(const struct gy_json *v, const char *key, double fallback)
{
    const struct gy_json *x = gy_json_get(v, key);
    return x && gy_json_type(x) == GY_J_NUMBER ? gy_json_number(x) : fallback;
}

static int doubles(const struct loading *l, const struct gy_json *v, const char *key, size_t want, const double **out,
                   size_t *n)
{
    const struct gy_json *list = gy_json_get(v, key);
    size_t count = list && gy_json_type(list) == GY_J_ARRAY ? gy_json_count(list) : 0;
    if (count < 1 || count > MAX_KNOTS || (want && count != want))
        return wrong(l, list ? key : NULL,
                     "equally long arrays \"bytes\", \"time_us\" and \"ci95\" of 1 to 4096 numbers");
    double *at = gy_arena_alloc(&l->c->arena, count * sizeof *at);
    if (!at)
        return gy_nomem(l->err);
    size_t i = 0;
    for (const struct gy_json *x = gy_json_first(list); x; x = gy_json_next(x), i++) {
        at[i] = gy_json_number(x);
        if (!isfinite(at[i]) || at[i] < 0)
            return wrong(l, key, "finite numbers of at least 0");
    }
    *out = at;
    *n = count;
    return 0;
}

/* Each node type and fabric of a calibration is loaded once. */
static const struct gy_hw *hardware(const struct loading *l, const char *name)
{
    for (size_t i = 0; i < l->c->curves.n; i++)
        if (l->c->curves.at[i].at.hw && !strcmp(l->c->curves.at[i].at.hw->name, name))
            return l->c->curves.at[i].at.hw;
    return gy_hw_find(name, &l->c->arena, l->err);
}

static const struct gy_fabric *fabric(const struct loading *l, const char *name)
{
    for (size_t i = 0; i < l->c->curves.n; i++)
        if (l->c->curves.at[i].at.fabric && !strcmp(l->c->curves.at[i].at.fabric->name, name))
            return l->c->curves.at[i].at.fabric;
    return gy_fabric_find(name, &l->c->arena, l->err);
}

static int configuration(const struct loading *l, const struct gy_json *v, struct gy_coll_query *q)
{
    double nodes = number(v, "nodes", 0), gpus = number(v, "gpus_per_node", 0);
    int op = gy_coll_op_of(text(l, v, "op")), algo = gy_json_get(v, "algo") ? gy_coll_algo_of(text(l, v, "algo")) : 0,
        proto = gy_json_get(v, "proto") ? gy_coll_proto_of(text(l, v, "proto")) : 0;
    if (op < 0 || algo < 0 || proto < 0)
        return wrong(l, NULL, "known \"op\", \"algo\" and \"proto\"");
    if (!(nodes >= 1 && nodes <= 1 << 20 && gpus >= 1 && gpus <= 4096))
        return wrong(l, NULL, "\"nodes\" and \"gpus_per_node\" of at least 1");
    *q = (struct gy_coll_query){.op = op,
                                .algo = algo,
                                .proto = proto,
                                .nodes = (uint32_t)nodes,
                                .gpus_per_node = (uint32_t)gpus,
                                .nics = number(v, "nics", 0),
                                .nic_gbit = number(v, "nic_gbit", 0)};
    if (!(q->hw = hardware(l, text(l, v, "hardware"))))
        return -1;
    const char *name = text(l, v, "fabric");
    if (*name && !(q->fabric = fabric(l, name)))
        return -1;
    return gy_coll_check(q, l->err);
}

static int read_curve(const struct loading *l, const struct gy_json *v)
{
    struct gy_curve c = {0};
    size_t n;
    if (gy_json_type(v) != GY_J_OBJECT)
        return wrong(l, NULL, "an object");
    if (configuration(l, v, &c.at)) {
        if (!*l->err->place)
            gy_json_place(l->doc, l->pointer, l->err->place, sizeof l->err->place);
        return -1;
    }
    const double *bytes, *us;
    if (doubles(l, v, "bytes", 0, &bytes, &c.n) || doubles(l, v, "time_us", c.n, &us, &n) ||
        doubles(l, v, "ci95", c.n, &c.ci95, &n))
        return -1;
    double *x = gy_arena_alloc(&l->c->arena, c.n * sizeof *x), *y = gy_arena_alloc(&l->c->arena, c.n * sizeof *y);
    if (!x || !y)
        return gy_nomem(l->err);
    for (size_t i = 0; i < c.n; i++) {
        if (!(bytes[i] >= 1 && us[i] > 0) || (i && (bytes[i] <= bytes[i - 1] || us[i] < us[i - 1])))
            return wrong(l, "bytes", "ascending bytes, and times that never fall");
        x[i] = log2(bytes[i]);
        y[i] = log(us[i]);
    }
    c.log2_bytes = x;
    c.log_us = y;
    c.system = text(l, v, "system");
    c.library = text(l, v, "library");
    c.dtype = text(l, v, "dtype");
    c.timing = text(l, v, "timing");
    c.source = text(l, v, "source");
    c.tail_alpha_us = number(v, "tail_alpha_us", 0);
    c.tail_beta_gbps = number(v, "tail_beta_gbps", 0);
    if (!(c.tail_alpha_us >= 0 && c.tail_beta_gbps >= 0))
        return wrong(l, NULL, "a tail of at least 0");
    c.error_median = number(v, "holdout_median", NAN);
    c.error_p95 = number(v, "holdout_p95", NAN);
    c.fit_median = number(v, "residual_median", NAN);
    c.rows = (int)fmin(number(v, "rows", 0), 1e9);
    return gy_vec_push(&l->c->curves, c) ? 0 : gy_nomem(l->err);
}

static int read_gemm(const struct loading *l, const struct gy_json *v)
{
    struct gy_gemm_model g = {0};
    if (gy_json_type(v) != GY_J_OBJECT)
        return wrong(l, NULL, "an object");
    g.hardware = text(l, v, "hardware");
    g.source = text(l, v, "source");
    g.dtype = gy_precision_of(text(l, v, "dtype"));
    if (g.dtype < 0)
        return wrong(l, "dtype", "a known data type");
    if (!(g.hw = hardware(l, g.hardware)))
        return -1;
    const struct gy_json *list = gy_json_get(v, "parameters");
    size_t n = 0;
    for (const struct gy_json *x = list && gy_json_type(list) == GY_J_ARRAY ? gy_json_first(list) : NULL;
         x && n < GY_GEMM_PARAMETERS; x = gy_json_next(x))
        g.p[n++] = gy_json_number(x);
    for (size_t i = 0; i < GY_GEMM_PARAMETERS; i++)
        if (n != GY_GEMM_PARAMETERS || !isfinite(g.p[i]))
            return wrong(l, "parameters", "18 numbers");
    g.error_median = number(v, "holdout_median", NAN);
    g.error_p95 = number(v, "holdout_p95", NAN);
    g.rows = (int)fmin(number(v, "rows", 0), 1e9);
    return gy_vec_push(&l->c->gemms, g) ? 0 : gy_nomem(l->err);
}

static int read_error(const struct loading *l, const struct gy_json *v)
{
    struct gy_error_row e = {.kind = text(l, v, "kind"),
                             .key = text(l, v, "key"),
                             .rows = (int)number(v, "rows", 0),
                             .median = number(v, "median", NAN),
                             .p95 = number(v, "p95", NAN),
                             .worst = number(v, "worst", NAN)};
    return gy_vec_push(&l->c->errors, e) ? 0 : gy_nomem(l->err);
}

static int read_list(struct loading *l, const char *key, int (*one)(const struct loading *, const struct gy_json *))
{
    const struct gy_json *list = gy_json_get(gy_json_root(l->doc), key);
    if (!list)
        return 0;
    l->pointer[0] = '\0';
    if (gy_json_type(list) != GY_J_ARRAY)
        return wrong(l, key, "an array");
    size_t i = 0;
    for (const struct gy_json *v = gy_json_first(list); v; v = gy_json_next(v), i++) {
        snprintf(l->pointer, sizeof l->pointer, "/%s/%zu", key, i);
        if (one(l, v))
            return -1;
    }
    l->pointer[0] = '\0';
    return 0;
}

static int read_doc(struct gy_calibration *c, const struct gy_json_doc *doc, struct gy_error *err)
{
    struct loading l = {.c = c, .doc = doc, .err = err};
    const struct gy_json *root = gy_json_root(doc);
    if (gy_json_type(root) != GY_J_OBJECT || strcmp(text(&l, root, "format"), FORMAT) != 0)
        return wrong(&l, NULL, "a calibration file: \"format\": \"" FORMAT "\"");
    c->name = text(&l, root, "name");
    c->summary = text(&l, root, "summary");
    return read_list(&l, "curves", read_curve) || read_list(&l, "gemm", read_gemm) ||
                   read_list(&l, "holdout", read_error)
               ? -1
               : 0;
}

static int load_one(struct gy_calibration *c, const char *name, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_model_open("calibrations", name, err);
    if (!doc)
        return -1;
    size_t curves = c->curves.n, errors = c->errors.n;
    int rc = read_doc(c, doc, err);
    for (size_t i = curves; i < c->curves.n; i++) {
        c->curves.at[i].errors_from = (uint32_t)errors;
        c->curves.at[i].errors_n = (uint32_t)(c->errors.n - errors);
        c->curves.at[i].own = gy_model_is_path(name);
    }
    gy_json_free(doc);
    return rc;
}

int gy_calibration_load(struct gy_calibration *c, const char *name, struct gy_error *err)
{
    *c = (struct gy_calibration){.name = "", .summary = ""};
    int rc = 0;
    if (name && *name)
        rc = load_one(c, name, err);
    else {
        const struct gy_model_file *f;
        for (size_t i = 0; !rc && (f = gy_model_file_at(i)); i++)
            if (!strcmp(f->kind, "calibrations"))
                rc = load_one(c, f->name, err);
        c->name = "built-in";
    }
    if (rc)
        gy_calibration_free(c);
    return rc;
}

void gy_calibration_free(struct gy_calibration *c)
{
    gy_vec_free(&c->curves);
    gy_vec_free(&c->gemms);
    gy_vec_free(&c->errors);
    gy_arena_free(&c->arena);
}
