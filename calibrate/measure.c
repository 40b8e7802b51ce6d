/* Measurement files: memory, and the JSON format both ways. Not the import of foreign formats. */
#include "gy_measure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"

#define FORMAT "gpuyard-measurement-1"

void gy_measurements_free(struct gy_measurements *m)
{
    for (size_t i = 0; i < m->sets.n; i++)
        gy_vec_free(&m->sets.at[i].rows);
    for (size_t i = 0; i < m->gemms.n; i++)
        gy_vec_free(&m->gemms.at[i].rows);
    gy_vec_free(&m->sets);
    gy_vec_free(&m->gemms);
    gy_arena_free(&m->arena);
}

struct gy_meas_set *gy_meas_add(struct gy_measurements *m)
{
    struct gy_meas_set s = {.system = "",
                            .hardware = "",
                            .fabric = "",
                            .dtype = "",
                            .library = "",
                            .source = "",
                            .note = "",
                            .timing = "stream"};
    return gy_vec_push(&m->sets, s) ? &m->sets.at[m->sets.n - 1] : NULL;
}

struct gy_gemm_set *gy_gemm_add(struct gy_measurements *m)
{
    struct gy_gemm_set s = {.system = "", .hardware = "", .dtype = "", .library = "", .source = ""};
    return gy_vec_push(&m->gemms, s) ? &m->gemms.at[m->gemms.n - 1] : NULL;
}

double gy_meas_time_us(const struct gy_meas_set *s, size_t row)
{
    double a = s->rows.at[row].time_us, b = s->rows.at[row].in_place_us;
    if (!(a > 0)) /* a zero is a half that was not taken */
        a = NAN;
    if (!(b > 0))
        b = NAN;
    if (isnan(a) || (row == 0 && s->cold_first_row && !isnan(b)))
        return b;
    if (isnan(b))
        return a;
    double lo = fmin(a, b), hi = fmax(a, b);
    return hi > 1.5 * lo ? lo : sqrt(a * b);
}

static void write_set(struct gy_json_out *o, const struct gy_meas_set *s)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "system", s->system);
    gy_jo_string(o, "hardware", s->hardware);
    gy_jo_string(o, "fabric", s->fabric);
    if (s->nics > 0)
        gy_jo_number(o, "nics", s->nics);
    if (s->nic_gbit > 0)
        gy_jo_number(o, "nic_gbit", s->nic_gbit);
    gy_jo_integer(o, "nodes", s->nodes);
    gy_jo_integer(o, "gpus_per_node", s->gpus_per_node);
    gy_jo_integer(o, "ranks", s->ranks);
    gy_jo_string(o, "op", gy_coll_op_name(s->op));
    gy_jo_string(o, "algo", gy_coll_algo_name(s->algo));
    gy_jo_string(o, "proto", gy_coll_proto_name(s->proto));
    gy_jo_string(o, "dtype", s->dtype);
    gy_jo_string(o, "library", s->library);
    gy_jo_string(o, "timing", s->timing);
    gy_jo_bool(o, "degraded", s->degraded);
    gy_jo_bool(o, "cold_first_row", s->cold_first_row);
    gy_jo_string(o, "source", s->source);
    gy_jo_string(o, "note", s->note);
    gy_jo_array(o, "rows");
    bool was = o->compact;
    o->compact = true;
    for (size_t i = 0; i < s->rows.n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_number(o, "bytes", s->rows.at[i].bytes);
        gy_jo_number(o, "time_us", s->rows.at[i].time_us);
        gy_jo_number(o, "in_place_us", s->rows.at[i].in_place_us);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_end(o, '}');
}

static void write_gemm(struct gy_json_out *o, const struct gy_gemm_set *s)
{
    gy_jo_object(o, NULL);
    gy_jo_string(o, "system", s->system);
    gy_jo_string(o, "hardware", s->hardware);
    gy_jo_string(o, "dtype", s->dtype);
    gy_jo_string(o, "library", s->library);
    gy_jo_string(o, "source", s->source);
    gy_jo_array(o, "rows");
    bool was = o->compact;
    o->compact = true;
    for (size_t i = 0; i < s->rows.n; i++) {
        gy_jo_array(o, NULL);
        gy_jo_number(o, NULL, s->rows.at[i].m);
        gy_jo_number(o, NULL, s->rows.at[i].n);
        gy_jo_number(o, NULL, s->rows.at[i].k);
        gy_jo_number(o, NULL, s->rows.at[i].time_us);
        gy_jo_end(o, ']');
    }
    gy_jo_end(o, ']');
    o->compact = was;
    gy_jo_end(o, '}');
}

int gy_measure_save(const struct gy_measurements *m, const char *path, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(path, err);
    if (!w)
        return -1;
    struct gy_json_out o = {.to = w, .first = true};
    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "format", FORMAT);
    gy_jo_array(&o, "sets");
    for (size_t i = 0; i < m->sets.n; i++)
        write_set(&o, &m->sets.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "gemm");
    for (size_t i = 0; i < m->gemms.n; i++)
        write_gemm(&o, &m->gemms.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    gy_writer_text(w, "\n");
    return gy_writer_commit(w, err);
}

struct reading {
    struct gy_measurements *m;
    const struct gy_json_doc *doc;
    struct gy_error *err;
    char pointer[96];
};

static int wrong(struct reading *r, const char *key, const char *wanted)
{
    char place[512], pointer[192];
    snprintf(pointer, sizeof pointer, "%s%s%s", r->pointer, key ? "/" : "", key ? key : "");
    gy_json_place(r->doc, pointer, place, sizeof place);
    return gy_fail(r->err, GY_EINPUT, place, "wanted %s", wanted);
}

static int text(struct reading *r, const struct gy_json *v, const char *key, const char **out)
{
    const struct gy_json *member = gy_json_get(v, key);
    if (!member)
        return 0;
    const char *s = gy_json_string(member);
    if (!s)
        return wrong(r, key, "a string");
    *out = gy_arena_strndup(&r->m->arena, s, strlen(s));
    return *out ? 0 : gy_nomem(r->err);
}

static int count(struct reading *r, const struct gy_json *v, const char *key, uint32_t *out)
{
    int64_t n;
    const struct gy_json *member = gy_json_get(v, key);
    if (!member || !gy_json_is_integer(member, &n) || n < 1 || n > 1 << 20)
        return wrong(r, member ? key : NULL, "a count of at least 1 for each of nodes, gpus_per_node and ranks");
    *out = (uint32_t)n;
    return 0;
}

static int word(struct reading *r, const struct gy_json *v, const char *key, int (*of)(const char *), bool must,
                int *out)
{
    const struct gy_json *member = gy_json_get(v, key);
    if (!member && !must)
        return 0;
    int x = member && gy_json_string(member) ? of(gy_json_string(member)) : -1;
    if (x < 0)
        return wrong(r, member ? key : NULL, "a known \"op\", \"algo\" or \"proto\"");
    *out = x;
    return 0;
}

static int read_rows(struct reading *r, const struct gy_json *v, struct gy_meas_set *s)
{
    const struct gy_json *rows = gy_json_get(v, "rows");
    if (!rows || gy_json_type(rows) != GY_J_ARRAY || !gy_json_first(rows))
        return wrong(r, rows ? "rows" : NULL, "\"rows\": an array of {bytes, time_us, in_place_us}");
    for (const struct gy_json *c = gy_json_first(rows); c; c = gy_json_next(c)) {
        struct gy_meas_row row = {NAN, NAN, NAN};
        if (gy_json_type(c) == GY_J_OBJECT) {
            row.bytes = gy_json_number(gy_json_get(c, "bytes"));
            row.time_us = gy_json_get(c, "time_us") ? gy_json_number(gy_json_get(c, "time_us")) : NAN;
            row.in_place_us = gy_json_get(c, "in_place_us") ? gy_json_number(gy_json_get(c, "in_place_us")) : NAN;
        }
        if (!(row.bytes > 0) || !(row.time_us > 0 || row.in_place_us > 0))
            return wrong(r, "rows", "rows of positive bytes and times");
        if (!gy_vec_push(&s->rows, row))
            return gy_nomem(r->err);
    }
    return 0;
}

static int read_set(struct reading *r, const struct gy_json *v)
{
    struct gy_meas_set *s = gy_meas_add(r->m);
    if (!s)
        return gy_nomem(r->err);
    if (gy_json_type(v) != GY_J_OBJECT)
        return wrong(r, NULL, "an object");
    int op = 0, algo = 0, proto = 0;
    if (text(r, v, "system", &s->system) || text(r, v, "hardware", &s->hardware) || text(r, v, "fabric", &s->fabric) ||
        text(r, v, "dtype", &s->dtype) || text(r, v, "library", &s->library) || text(r, v, "timing", &s->timing) ||
        text(r, v, "source", &s->source) || text(r, v, "note", &s->note) || count(r, v, "nodes", &s->nodes) ||
        count(r, v, "gpus_per_node", &s->gpus_per_node) || count(r, v, "ranks", &s->ranks) ||
        word(r, v, "op", gy_coll_op_of, true, &op) || word(r, v, "algo", gy_coll_algo_of, false, &algo) ||
        word(r, v, "proto", gy_coll_proto_of, false, &proto))
        return -1;
    s->op = (enum gy_coll_op)op;
    s->algo = (enum gy_coll_algo)algo;
    s->proto = (enum gy_coll_proto)proto;
    s->degraded = gy_json_get(v, "degraded") && gy_json_true(gy_json_get(v, "degraded"));
    s->cold_first_row = gy_json_get(v, "cold_first_row") && gy_json_true(gy_json_get(v, "cold_first_row"));
    if (gy_json_get(v, "nics"))
        s->nics = gy_json_number(gy_json_get(v, "nics"));
    if (gy_json_get(v, "nic_gbit"))
        s->nic_gbit = gy_json_number(gy_json_get(v, "nic_gbit"));
    if (!(s->nics >= 0 && s->nics <= 4096 && s->nic_gbit >= 0 && s->nic_gbit < 1e6))
        return wrong(r, NULL, "nics of 0 to 4096 and a positive nic_gbit");
    return read_rows(r, v, s);
}

static int read_gemm(struct reading *r, const struct gy_json *v)
{
    struct gy_gemm_set *s = gy_gemm_add(r->m);
    if (!s)
        return gy_nomem(r->err);
    if (gy_json_type(v) != GY_J_OBJECT)
        return wrong(r, NULL, "an object");
    if (text(r, v, "system", &s->system) || text(r, v, "hardware", &s->hardware) || text(r, v, "dtype", &s->dtype) ||
        text(r, v, "library", &s->library) || text(r, v, "source", &s->source))
        return -1;
    const struct gy_json *rows = gy_json_get(v, "rows");
    if (!rows || gy_json_type(rows) != GY_J_ARRAY)
        return wrong(r, rows ? "rows" : NULL, "\"rows\": an array of [m, n, k, time_us]");
    for (const struct gy_json *c = gy_json_first(rows); c; c = gy_json_next(c)) {
        double x[4] = {0};
        size_t n = 0;
        if (gy_json_type(c) == GY_J_ARRAY)
            for (const struct gy_json *e = gy_json_first(c); e && n < 4; e = gy_json_next(e))
                x[n++] = gy_json_number(e);
        if (!(x[0] > 0 && x[1] > 0 && x[2] > 0 && x[3] > 0))
            return wrong(r, "rows", "rows of four positive numbers [m, n, k, time_us]");
        struct gy_gemm_row row = {x[0], x[1], x[2], x[3]};
        if (!gy_vec_push(&s->rows, row))
            return gy_nomem(r->err);
    }
    return 0;
}

int gy_measure_read(struct gy_measurements *m, const struct gy_json_doc *doc, struct gy_error *err)
{
    struct reading r = {.m = m, .doc = doc, .err = err};
    const struct gy_json *root = gy_json_root(doc);
    const char *format = gy_json_type(root) == GY_J_OBJECT && gy_json_get(root, "format")
                             ? gy_json_string(gy_json_get(root, "format"))
                             : NULL;
    if (!format || strcmp(format, FORMAT) != 0)
        return wrong(&r, NULL, "a measurement file: \"format\": \"" FORMAT "\"");
    static const char *const keys[] = {"sets", "gemm"};
    for (int k = 0; k < 2; k++) {
        const struct gy_json *list = gy_json_get(root, keys[k]);
        if (!list)
            continue;
        if (gy_json_type(list) != GY_J_ARRAY)
            return wrong(&r, keys[k], "an array");
        size_t i = 0;
        for (const struct gy_json *c = gy_json_first(list); c; c = gy_json_next(c), i++) {
            snprintf(r.pointer, sizeof r.pointer, "/%s/%zu", keys[k], i);
            if (k ? read_gemm(&r, c) : read_set(&r, c))
                return -1;
        }
        r.pointer[0] = '\0';
    }
    return 0;
}

int gy_measure_load(struct gy_measurements *m, const char *path, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_load(path, err);
    if (!doc)
        return -1;
    int rc = gy_measure_read(m, doc, err);
    gy_json_free(doc);
    return rc;
}
