/* `calibrate import`: what kind of file it is, and nccl-tests' JSON. The text and CSV formats have their own files. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"
#include "nccl_line.h"

static double member(const struct gy_json *v, const char *key)
{
    const struct gy_json *x = v ? gy_json_get(v, key) : NULL;
    if (!x)
        return NAN;
    if (gy_json_string(x)) { /* nccl-tests writes the root as a string */
        char *end;
        double d = strtod(gy_json_string(x), &end);
        return end != gy_json_string(x) ? d : NAN;
    }
    return gy_json_number(x);
}

static struct nccl_half half_of(const struct gy_json *v)
{
    struct nccl_half h = {NAN, NAN, NAN};
    if (v && gy_json_type(v) == GY_J_OBJECT) {
        h.time_us = gy_json_get(v, "time") ? member(v, "time") : member(v, "cpu_time");
        h.algbw = member(v, "alg_bw");
        h.busbw = member(v, "bus_bw");
    }
    return h;
}

/* Every string of the file that may say which collective, GPU and library it was. */
static void words_of(struct nccl_table *t, const struct gy_json *v, int depth)
{
    if (depth > 6)
        return;
    const char *s = gy_json_string(v), *key = gy_json_key(v);
    if (s) {
        const char *perf = strstr(s, "_perf");
        if (perf && !t->has_op) {
            const char *from = perf;
            while (from > s && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
                from--;
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(perf - from), from);
            if (gy_coll_op_of(name) >= 0) {
                t->op = (enum gy_coll_op)gy_coll_op_of(name);
                t->has_op = true;
            }
        }
        if (key && (strstr(key, "NCCL_") || strstr(key, "version") || strstr(key, "device")))
            nccl_table_word(t, s, strlen(s) < 120 ? strlen(s) : 120);
        return;
    }
    if (key && !strcmp(key, "results"))
        return;
    if (gy_json_type(v) == GY_J_OBJECT || gy_json_type(v) == GY_J_ARRAY)
        for (const struct gy_json *c = gy_json_first(v); c; c = gy_json_next(c))
            words_of(t, c, depth + 1);
}

/* Ranks and nodes out of the list of devices: one entry a rank, with a host's name in it. */
static void devices_of(struct nccl_table *t, const struct gy_json *root)
{
    const struct gy_json *config = gy_json_get(root, "config");
    const struct gy_json *list = gy_json_get(config ? config : root, "devices");
    const char *seen[4096];
    size_t hosts = 0, ranks = 0;
    if (!list || gy_json_type(list) != GY_J_ARRAY)
        return;
    for (const struct gy_json *d = gy_json_first(list); d; d = gy_json_next(d), ranks++)
        for (const struct gy_json *x = gy_json_type(d) == GY_J_OBJECT ? gy_json_first(d) : NULL; x;
             x = gy_json_next(x)) {
            const char *key = gy_json_key(x), *s = gy_json_string(x);
            if (!key || !s)
                continue;
            if (strstr(key, "host") && hosts < 4096) {
                size_t i = 0;
                while (i < hosts && strcmp(seen[i], s) != 0)
                    i++;
                if (i == hosts)
                    seen[hosts++] = s;
            } else if (strstr(key, "name") || strstr(key, "device"))
                snprintf(t->gpu, sizeof t->gpu, "%.255s", s);
        }
    if (ranks > 1) {
        t->ranks = (uint32_t)ranks;
        t->nodes = hosts ? (uint32_t)hosts : 1;
    }
}

int gy_import_nccl_json(struct gy_measurements *m, const char *path, const struct gy_json_doc *doc,
                        const struct gy_import_options *opt, struct gy_error *err)
{
    const struct gy_json *root = gy_json_root(doc), *results = gy_json_get(root, "results");
    struct nccl_table *t = calloc(1, sizeof *t);
    if (!t)
        return gy_nomem(err);
    t->path = path;
    t->opt = opt;
    words_of(t, root, 0);
    devices_of(t, root);
    int rc = 0;
    size_t i = 0;
    for (const struct gy_json *r = gy_json_first(results); r && !rc; r = gy_json_next(r), i++) {
        struct nccl_row row = {.bytes = member(r, "size"), .count = member(r, "count"), .root = member(r, "root")};
        const char *type = gy_json_get(r, "type") ? gy_json_string(gy_json_get(r, "type")) : NULL;
        const char *redop = gy_json_get(r, "redop") ? gy_json_string(gy_json_get(r, "redop")) : NULL;
        snprintf(row.type, sizeof row.type, "%s", type ? type : "");
        snprintf(row.redop, sizeof row.redop, "%s", redop ? redop : "");
        row.half[0] = half_of(gy_json_get(r, "out_of_place"));
        row.half[1] = half_of(gy_json_get(r, "in_place"));
        if (isnan(row.bytes) || (isnan(row.half[0].time_us) && isnan(row.half[1].time_us))) {
            char place[512], pointer[64];
            snprintf(pointer, sizeof pointer, "/results/%zu", i);
            gy_json_place(doc, pointer, place, sizeof place);
            rc = gy_fail(err, GY_EINPUT, place, "wanted \"size\" and a \"time\" in \"out_of_place\" or \"in_place\"");
        } else if (!gy_vec_push(&t->rows, row))
            rc = gy_nomem(err);
    }
    if (!rc && !t->rows.n)
        rc = gy_fail(err, GY_EINPUT, path, "\"results\" is empty");
    if (!rc)
        rc = nccl_table_end(m, t, err);
    gy_vec_free(&t->rows);
    free(t);
    return rc;
}

static int import_json(struct gy_measurements *m, const char *path, const char *text, size_t len,
                       const struct gy_import_options *opt, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_parse(path, text, len, err);
    if (!doc)
        return -1;
    const struct gy_json *root = gy_json_root(doc);
    int rc;
    if (gy_json_type(root) == GY_J_OBJECT && gy_json_get(root, "results") &&
        gy_json_type(gy_json_get(root, "results")) == GY_J_ARRAY)
        rc = gy_import_nccl_json(m, path, doc, opt, err);
    else
        rc = gy_measure_read(m, doc, err);
    gy_json_free(doc);
    return rc;
}

int gy_import(struct gy_measurements *m, const char *path, const struct gy_import_options *opt, struct gy_error *err)
{
    size_t len;
    char sha[65];
    char *text = gy_file_slurp(path, (size_t)256 << 20, &len, sha, err);
    if (!text)
        return -1;
    const char *nul = memchr(text, '\0', len);
    if (nul) {
        char place[400];
        size_t line = 1;
        for (const char *at = text; (at = memchr(at, '\n', (size_t)(nul - at))); at++)
            line++;
        snprintf(place, sizeof place, "%s:%zu", path, line);
        free(text);
        return gy_fail(err, GY_EINPUT, place, "a binary file, wanted an nccl-tests log, JSON or CSV");
    }
    const char *body = text + strspn(text, " \t\r\n\xef\xbb\xbf");
    size_t first = strcspn(body, "\n");
    int rc;
    if (*body == '{')
        rc = import_json(m, path, text, len, opt, err);
    else if (memchr(body, ',', first) && *body != '#' &&
             (memmem(body, first, "latency", 7) || memmem(body, first, "time_stats", 10) ||
              memmem(body, first, "dtype", 5)))
        rc = gy_import_csv(m, path, body, opt, err);
    else
        rc = gy_import_nccl_text(m, path, text, opt, err);
    free(text);
    return rc;
}
