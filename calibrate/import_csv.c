/* CSV tables of kernel and collective times: aiconfigurator's collectives (sizes in elements, latency in ms) and GEMMs,
 * vidur's network profiles (sizes in bytes, ms). Known by their header; columns in any order. Not a general CSV reader:
 * quotes are understood, line breaks inside them are not. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gy_measure.h"

#define FIELDS 40
struct csv {
    const char *path;
    char line[4096];
    char *field[FIELDS];
    size_t n, number;
    const char *at;
};

static bool next_line(struct csv *c)
{
    do {
        if (!*c->at)
            return false;
        size_t len = strcspn(c->at, "\n");
        size_t keep = len < sizeof c->line - 1 ? len : sizeof c->line - 1;
        memcpy(c->line, c->at, keep);
        c->line[keep] = '\0';
        c->at += len + (c->at[len] == '\n');
        c->number++;
        char *cr = strchr(c->line, '\r');
        if (cr)
            *cr = '\0';
    } while (!*c->line);
    c->n = 0;
    char *p = c->line;
    while (c->n < FIELDS) {
        bool quoted = *p == '"';
        char *from = p += quoted;
        char *end = quoted ? strchr(p, '"') : p + strcspn(p, ",");
        if (!end)
            end = p + strlen(p);
        c->field[c->n++] = from;
        p = *end == '"' ? end + 1 : end;
        bool more = *p == ',';
        *end = '\0';
        if (!more)
            break;
        *p++ = '\0';
    }
    return true;
}

static int column(const struct csv *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcasecmp(c->field[i], name))
            return (int)i;
    return -1;
}

static int bad(const struct csv *c, struct gy_error *err, const char *found, const char *wanted)
{
    char place[400];
    snprintf(place, sizeof place, "%s:%zu", c->path, c->number);
    return gy_fail(err, GY_EINPUT, place, "found \"%.60s\", wanted %s", found ? found : "", wanted);
}

static const char *field(const struct csv *c, int i)
{
    return i >= 0 && (size_t)i < c->n ? c->field[i] : NULL;
}

static bool positive(const struct csv *c, int i, double *out)
{
    const char *f = field(c, i);
    char *end;
    if (!f || !*f)
        return false;
    *out = strtod(f, &end);
    return *end == '\0' && isfinite(*out) && *out > 0;
}

static const char *keep(struct gy_measurements *m, const char *text)
{
    const char *copy = gy_arena_strndup(&m->arena, text, strlen(text));
    return copy ? copy : "";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "nccl2.29.2" in a file name. */
static const char *library_of(struct gy_measurements *m, const char *path)
{
    const char *p = strstr(base_name(path), "nccl");
    char number[32] = "";
    return p && sscanf(p + 4, "%31[0-9.]", number) == 1 ? keep(m, number) : "";
}

/* Same key, same set: looks among the sets made since `from`. */
static struct gy_meas_set *set_of(struct gy_measurements *m, size_t from, const struct gy_meas_set *like)
{
    for (size_t i = m->sets.n; i-- > from;) {
        struct gy_meas_set *s = &m->sets.at[i];
        if (s->op == like->op && s->nodes == like->nodes && s->ranks == like->ranks && !strcmp(s->dtype, like->dtype) &&
            !strcmp(s->library, like->library) && !strcmp(s->hardware, like->hardware))
            return s;
    }
    struct gy_meas_set *s = gy_meas_add(m);
    if (!s)
        return NULL;
    *s = *like;
    s->dtype = keep(m, like->dtype);
    s->library = keep(m, like->library);
    return s;
}

static int options(struct gy_measurements *m, const struct gy_import_options *o, struct gy_meas_set *s)
{
    if (o && o->hardware)
        s->hardware = keep(m, gy_hw_canonical(o->hardware) ? gy_hw_canonical(o->hardware) : o->hardware);
    if (o && o->fabric)
        s->fabric = keep(m, o->fabric);
    if (o && o->system)
        s->system = keep(m, o->system);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const struct gy_meas_row *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->time_us < y->time_us ? -1 : x->time_us > y->time_us;
}

/* Repeated measurements of one size become their median. */
static void merge_repeats(struct gy_meas_set *s)
{
    qsort(s->rows.at, s->rows.n, sizeof *s->rows.at, by_size);
    size_t n = 0;
    for (size_t i = 0, j; i < s->rows.n; i = j) {
        for (j = i + 1; j < s->rows.n && s->rows.at[j].bytes == s->rows.at[i].bytes;)
            j++;
        s->rows.at[n++] = s->rows.at[i + (j - i) / 2];
    }
    s->rows.n = n;
}

static int import_collectives(struct gy_measurements *m, struct csv *c, const struct gy_import_options *o,
                              struct gy_error *err)
{
    int op = column(c, "op_name"), dtype = column(c, "nccl_dtype"), gpus = column(c, "num_gpus"),
        size = column(c, "message_size"), latency = column(c, "latency"), device = column(c, "device"),
        version = column(c, "version");
    size_t from = m->sets.n;
    struct gy_meas_set like = {.fabric = "", .note = "", .timing = "graph", .system = "", .hardware = ""};
    const char *file = base_name(c->path), *from_name = library_of(m, c->path);
    options(m, o, &like);
    while (next_line(c)) {
        double n, elements, ms;
        int which = gy_coll_op_of(field(c, op) ? field(c, op) : ""), type = gy_precision_of(field(c, dtype));
        if (which < 0)
            return bad(c, err, field(c, op), "an operation in op_name");
        if (type < 0)
            return bad(c, err, field(c, dtype), "a data type in nccl_dtype");
        if (!positive(c, gpus, &n) || n > 65536 || n != floor(n))
            return bad(c, err, field(c, gpus), "a count in num_gpus");
        if (!positive(c, size, &elements))
            return bad(c, err, field(c, size), "a size in message_size, in elements");
        if (!positive(c, latency, &ms))
            return bad(c, err, field(c, latency), "a time in latency, in ms");
        like.op = (enum gy_coll_op)which;
        like.dtype = field(c, dtype);
        like.library = field(c, version) && *field(c, version) ? field(c, version) : from_name;
        like.nodes = 1;
        like.ranks = like.gpus_per_node = (uint32_t)n;
        if (!*like.hardware) {
            gy_infer(m, &like, field(c, device) ? field(c, device) : file, file);
            like.library = field(c, version) && *field(c, version) ? field(c, version) : from_name;
        }
        struct gy_meas_set *s = set_of(m, from, &like);
        struct gy_meas_row row = {elements * (double)gy_precision_bytes_x8((enum gy_precision)type) / 8, ms * 1e3, NAN};
        if (!s || !gy_vec_push(&s->rows, row))
            return gy_nomem(err);
    }
    for (size_t i = from; i < m->sets.n; i++) {
        struct gy_meas_set *s = &m->sets.at[i];
        merge_repeats(s);
        s->source = keep(m, file);
        char system[200];
        snprintf(system, sizeof system, "aiconfigurator %.100s", gy_gpu_family(s->hardware));
        if (!*s->system)
            s->system = keep(m, system);
        if (s->nodes * s->gpus_per_node > 1 && !strcmp(s->hardware, "l40s") && s->ranks > 2)
            s->note = "the source calls its large sizes pathological";
    }
    return 0;
}

static int import_vidur(struct gy_measurements *m, struct csv *c, const struct gy_import_options *o,
                        struct gy_error *err)
{
    int op = column(c, "collective"), workers = column(c, "num_workers"), size = column(c, "size"),
        per_node = column(c, "devices_per_node"), median = -1;
    for (size_t i = 0; i < c->n; i++)
        if (!strncmp(c->field[i], "time_stats.", 11) && strstr(c->field[i], ".median"))
            median = (int)i;
    if (median < 0)
        return bad(c, err, c->field[0], "a column time_stats.<collective>.median");
    size_t from = m->sets.n;
    struct gy_meas_set like = {
        .fabric = "", .note = "", .timing = "stream", .system = "", .hardware = "", .dtype = "half", .library = ""};
    options(m, o, &like);
    if (!*like.hardware && strstr(c->path, "pairwise")) /* PCIe cards joined in pairs by NVLink bridges */
        like.hardware = strstr(c->path, "a100") ? "a100-pcie" : strstr(c->path, "h100") ? "h100-pcie" : "";
    else if (!*like.hardware)
        gy_infer(m, &like, c->path, c->path);
    while (next_line(c)) {
        double n, bytes, g, ms;
        int which = gy_coll_op_of(field(c, op) ? field(c, op) : "");
        if (which < 0)
            return bad(c, err, field(c, op), "an operation in collective");
        if (!positive(c, workers, &n) || !positive(c, per_node, &g) || n > 65536 || g > n)
            return bad(c, err, field(c, workers), "counts in num_workers and devices_per_node");
        if (!positive(c, size, &bytes))
            return bad(c, err, field(c, size), "a size in bytes");
        if (!positive(c, median, &ms))
            return bad(c, err, field(c, median), "a time in ms");
        like.op = (enum gy_coll_op)which;
        like.ranks = (uint32_t)n;
        like.gpus_per_node = (uint32_t)g;
        like.nodes = (uint32_t)ceil(n / g);
        struct gy_meas_set *s = set_of(m, from, &like);
        struct gy_meas_row row = {bytes, ms * 1e3, NAN};
        if (!s || !gy_vec_push(&s->rows, row))
            return gy_nomem(err);
    }
    char system[256];
    snprintf(system, sizeof system, "vidur %s", like.hardware);
    for (size_t i = from; i < m->sets.n; i++) {
        merge_repeats(&m->sets.at[i]);
        m->sets.at[i].source = keep(m, base_name(c->path));
        if (!*m->sets.at[i].system)
            m->sets.at[i].system = keep(m, system);
    }
    return 0;
}

static int import_gemm(struct gy_measurements *m, struct csv *c, const struct gy_import_options *o,
                       struct gy_error *err)
{
    int dtype = column(c, "gemm_dtype"), cm = column(c, "m"), cn = column(c, "n"), ck = column(c, "k"),
        latency = column(c, "latency");
    struct gy_meas_set like = {.fabric = "", .hardware = "", .note = "", .timing = "", .library = "", .nodes = 1};
    options(m, o, &like);
    gy_infer(m, &like, base_name(c->path), base_name(c->path));
    size_t from = m->gemms.n;
    while (next_line(c)) {
        struct gy_gemm_row r;
        if (gy_precision_of(field(c, dtype)) < 0)
            return bad(c, err, field(c, dtype), "a data type in gemm_dtype");
        if (!positive(c, cm, &r.m) || !positive(c, cn, &r.n) || !positive(c, ck, &r.k))
            return bad(c, err, field(c, cm), "positive m, n and k");
        if (!positive(c, latency, &r.time_us))
            return bad(c, err, field(c, latency), "a time in latency, in ms");
        r.time_us *= 1e3;
        struct gy_gemm_set *s = NULL;
        for (size_t i = from; i < m->gemms.n && !s; i++)
            if (!strcmp(m->gemms.at[i].dtype, field(c, dtype)))
                s = &m->gemms.at[i];
        if (!s && (s = gy_gemm_add(m))) {
            char system[200];
            snprintf(system, sizeof system, "aiconfigurator %.100s", gy_gpu_family(like.hardware));
            s->dtype = keep(m, field(c, dtype));
            s->hardware = like.hardware;
            s->system = o && o->system ? keep(m, o->system) : keep(m, system);
            s->source = keep(m, base_name(c->path));
        }
        if (!s || !gy_vec_push(&s->rows, r))
            return gy_nomem(err);
    }
    return m->gemms.n > from ? 0 : bad(c, err, "the end of the file", "rows under the header");
}

int gy_import_csv(struct gy_measurements *m, const char *path, const char *text, const struct gy_import_options *opt,
                  struct gy_error *err)
{
    struct csv *c = calloc(1, sizeof *c);
    if (!c)
        return gy_nomem(err);
    c->path = path;
    c->at = text;
    int rc;
    size_t had = m->sets.n + m->gemms.n;
    if (!next_line(c))
        rc = bad(c, err, "an empty file", "a header line");
    else if (column(c, "op_name") >= 0 && column(c, "message_size") >= 0 && column(c, "latency") >= 0 &&
             column(c, "nccl_dtype") >= 0 && column(c, "num_gpus") >= 0)
        rc = import_collectives(m, c, opt, err);
    else if (column(c, "gemm_dtype") >= 0 && column(c, "m") >= 0 && column(c, "n") >= 0 && column(c, "k") >= 0 &&
             column(c, "latency") >= 0)
        rc = import_gemm(m, c, opt, err);
    else if (column(c, "collective") >= 0 && column(c, "num_workers") >= 0 && column(c, "devices_per_node") >= 0 &&
             column(c, "size") >= 0)
        rc = import_vidur(m, c, opt, err);
    else {
        rc = bad(c, err, c->field[0], "the header of a known table");
        gy_hint(
            err,
            "known are collective tables (op_name, nccl_dtype, num_gpus, message_size, latency), GEMM tables "
            "(gemm_dtype, m, n, k, latency) and network profiles (collective, num_workers, devices_per_node, size)");
    }
    if (!rc && m->sets.n + m->gemms.n == had)
        rc = bad(c, err, "the end of the file", "rows under the header");
    free(c);
    return rc;
}
