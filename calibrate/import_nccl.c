/* Lines of nccl-tests output, of any version: rows by the names in the column header, launcher prefixes dropped, device
 * lines counted, NCCL's own messages passed over. A line that begins like a row and is none is an error with its
 * number. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"
#include "nccl_line.h"

#define TOKENS 48
struct columns {
    char name[TOKENS][16];
    size_t n;
};
struct token {
    const char *at;
    size_t len;
};

static size_t split(const char *line, size_t len, struct token out[TOKENS])
{
    size_t n = 0;
    for (size_t i = 0; i < len && n < TOKENS;) {
        while (i < len && isspace((unsigned char)line[i]))
            i++;
        size_t from = i;
        while (i < len && !isspace((unsigned char)line[i]))
            i++;
        if (i > from)
            out[n++] = (struct token){line + from, i - from};
    }
    return n;
}

static bool number(struct token t, double *out)
{
    char buf[40], *end;
    if (t.len >= sizeof buf || (!isdigit((unsigned char)t.at[0]) && t.at[0] != '-' && t.at[0] != '.'))
        return false;
    memcpy(buf, t.at, t.len);
    buf[t.len] = '\0';
    *out = strtod(buf, &end);
    return *end == '\0' && isfinite(*out);
}

static bool is(struct token t, const char *word)
{
    return t.len == strlen(word) && !memcmp(t.at, word, t.len);
}

/* "[1,0]<stdout>:" of mpirun, "0: " of srun --label. */
static const char *drop_prefix(const char *line, const char *end)
{
    if (*line == '[') {
        const char *p = memchr(line, '>', (size_t)(end - line));
        if (p && p + 1 < end && p[1] == ':')
            return p + 2;
    }
    const char *p = line;
    while (p < end && *p == ' ')
        p++;
    const char *digits = p;
    while (p < end && isdigit((unsigned char)*p))
        p++;
    if (p > digits && p - digits < 6 && p + 1 < end && p[0] == ':' && (p[1] == ' ' || p[1] == '#'))
        return p + 1;
    return line;
}

static bool read_header(const struct token *t, size_t n, struct columns *c)
{
    size_t from = n && is(t[0], "#") ? 1 : 0;
    if (n < from + 5 || !is(t[from], "size") || !is(t[from + 1], "count") || !is(t[from + 2], "type"))
        return false;
    c->n = 0;
    for (size_t i = from; i < n; i++, c->n++)
        snprintf(c->name[c->n], sizeof c->name[0], "%.*s", (int)t[i].len, t[i].at);
    return true;
}

static bool is_half(const char *name)
{
    return strcmp(name, "size") && strcmp(name, "count") && strcmp(name, "type") && strcmp(name, "redop") &&
           strcmp(name, "root");
}

/* The column that each token stands in: columns may be blank (redop and root of old versions; the second half). */
static bool align(const struct columns *c, size_t n, size_t map[TOKENS])
{
    size_t lead = 0, halves = 0, k = 0;
    for (size_t i = 0; i < c->n; i++)
        is_half(c->name[i]) ? halves++ : lead++;
    size_t one = 0; /* columns of the first half */
    for (size_t i = lead + 1; i < c->n && !one; i++)
        if (!strcmp(c->name[i], c->name[lead]))
            one = i - lead;
    if (!one)
        one = halves;
    size_t seconds[] = {halves, one}, leads[] = {lead, lead - 1, lead - 2};
    for (size_t h = 0; h < 2; h++)
        for (size_t l = 0; l < 3; l++)
            if (lead >= 3 + l && leads[l] + seconds[h] == n) {
                for (size_t i = 0; i < 3; i++)
                    map[k++] = i;
                for (size_t i = 3 + l; i < lead; i++) /* with one missing, it is the root */
                    map[k++] = i - l;
                for (size_t i = 0; i < seconds[h]; i++)
                    map[k++] = lead + i;
                return true;
            }
    return false;
}

static bool read_row(const struct columns *c, const struct token *t, size_t n, struct nccl_row *r, char why[160])
{
    size_t map[TOKENS];
    *r = (struct nccl_row){.root = NAN, .half = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
    if (!align(c, n, map)) {
        snprintf(why, 160, "a row of %zu columns under a header of %zu: cut short, or not nccl-tests output", n, c->n);
        return false;
    }
    int half = -1;
    for (size_t i = 0; i < n; i++) {
        const char *name = c->name[map[i]];
        double v = NAN;
        bool ok = number(t[i], &v);
        if (!strcmp(name, "type")) {
            snprintf(r->type, sizeof r->type, "%.*s", (int)t[i].len, t[i].at);
            continue;
        }
        if (!strcmp(name, "redop")) {
            snprintf(r->redop, sizeof r->redop, "%.*s", (int)t[i].len, t[i].at);
            continue;
        }
        if (!strcmp(name, "time") || !strcmp(name, "cputime"))
            half++;
        if (!strcmp(name, "#wrong") && ok && v > 0 &&
            !memchr(t[i].at, 'e', t[i].len)) { /* "1e-07": an error, by old versions */
            snprintf(why, 160, "%.0f wrong results: the times of a run that computes wrong are not used", v);
            return false;
        }
        double *to = !strcmp(name, "size")                               ? &r->bytes
                     : !strcmp(name, "count")                            ? &r->count
                     : !strcmp(name, "root")                             ? &r->root
                     : half < 0 || half > 1                              ? NULL
                     : !strcmp(name, "time") || !strcmp(name, "cputime") ? &r->half[half].time_us
                     : !strcmp(name, "algbw")                            ? &r->half[half].algbw
                     : !strcmp(name, "busbw")                            ? &r->half[half].busbw
                                                                         : NULL;
        if (!to)
            continue;
        if (!ok || (to != &r->root && v < 0)) {
            snprintf(why, 160, "\"%.*s\" in column %s, wanted a number", (int)(t[i].len < 40 ? t[i].len : 40), t[i].at,
                     name);
            return false;
        }
        *to = v;
    }
    return true;
}

struct text_import {
    struct gy_measurements *m;
    struct nccl_table table;
    struct columns columns;
    struct gy_map hosts;
    size_t line, ranks_seen, row_columns; /* of the last row */
    bool any;
};

static void header_value(struct text_import *x, const char *line, size_t len)
{
    struct nccl_table *t = &x->table;
    char key[32] = "", value[512] = "";
    char copy[640];
    snprintf(copy, sizeof copy, "%.*s", (int)(len < 600 ? len : 600), line);
    if (sscanf(copy, "# %31[a-z_]: %511[^\r\n]", key, value) != 2)
        return;
    int op = gy_coll_op_of(value);
    if (!strcmp(key, "collective") && op >= 0) {
        t->op = (enum gy_coll_op)op;
        t->has_op = true;
    } else if (!strcmp(key, "ranks"))
        t->ranks = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(key, "nodes"))
        t->nodes = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(key, "gpus_per_node"))
        t->gpus_per_node = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(key, "gpu"))
        snprintf(t->gpu, sizeof t->gpu, "%.255s", value);
    else if (!strcmp(key, "source"))
        snprintf(t->source, sizeof t->source, "%.511s", value);
    else if (!strcmp(key, "system"))
        snprintf(t->system, sizeof t->system, "%.127s", value);
    if (!strcmp(key, "network") || !strcmp(key, "note") || !strcmp(key, "gpu"))
        nccl_table_word(t, value, strlen(value));
}

/* "#  Rank  0 Group  0 Pid 123 on host device  0 [0x0f] NVIDIA A100-SXM4-40GB": counts ranks and hosts; the host name
 * is hashed and forgotten. */
static void device_line(struct text_import *x, const struct token *t, size_t n)
{
    for (size_t i = 2; i + 3 < n; i++)
        if (is(t[i], "on")) {
            x->ranks_seen++;
            gy_map_put(&x->hosts, gy_hash_bytes(t[i + 1].at, t[i + 1].len), 1);
            for (size_t j = i + 3; j + 1 < n; j++)
                if (t[j].at[0] == '[') {
                    const char *from = t[j + 1].at;
                    snprintf(x->table.gpu, sizeof x->table.gpu, "%.*s", (int)(t[n - 1].at + t[n - 1].len - from), from);
                    return;
                }
            return;
        }
}

static void new_run(struct text_import *x)
{
    x->ranks_seen = 0;
    gy_map_free(&x->hosts);
    x->hosts = (struct gy_map){0};
    x->table.ranks = x->table.nodes = x->table.gpus_per_node = 0;
    x->table.has_op = false;
}

static void comment(struct text_import *x, const char *line, size_t len, const struct token *t, size_t n)
{
    if (n >= 8 && is(t[0], "#") && is(t[1], "Rank")) {
        device_line(x, t, n);
        return;
    }
    if (n >= 2 && is(t[0], "#") && is(t[1], "nThread"))
        nccl_table_word(&x->table, line, len < 200 ? len : 200);
    for (size_t i = 1; i < n; i++) { /* "# Collective test starting: all_reduce_perf" */
        const char *perf = t[i].len > 5 ? memmem(t[i].at, t[i].len, "_perf", 5) : NULL;
        char name[64];
        if (!perf)
            continue;
        const char *from = perf;
        while (from > t[i].at && (isalnum((unsigned char)from[-1]) || from[-1] == '_'))
            from--;
        snprintf(name, sizeof name, "%.*s", (int)(perf - from), from);
        if (gy_coll_op_of(name) >= 0) {
            x->table.op = (enum gy_coll_op)gy_coll_op_of(name);
            x->table.has_op = true;
        }
    }
    header_value(x, line, len);
}

static int finish(struct text_import *x, struct gy_error *err)
{
    struct nccl_table *t = &x->table;
    if (!t->rows.n)
        return 0;
    x->any = true;
    if (x->ranks_seen && !t->ranks) {
        t->ranks = (uint32_t)x->ranks_seen;
        t->nodes = (uint32_t)x->hosts.n;
    }
    return nccl_table_end(x->m, t, err);
}

static int one_line(struct text_import *x, const char *line, size_t len, bool last_cut, struct gy_error *err)
{
    struct token t[TOKENS];
    struct columns header;
    struct nccl_row row;
    char why[160] = "", place[400];
    const char *body = drop_prefix(line, line + len);
    len -= (size_t)(body - line);
    size_t n = split(body, len, t);
    if (!n)
        return 0;
    if (read_header(t, n, &header)) {
        if (finish(x, err))
            return -1;
        x->columns = header;
        x->table.header_line = x->line;
        return 0;
    }
    if (t[0].at[0] == '#') {
        if (n > 3 && (is(t[1], "nThread") || is(t[1], "Collective"))) { /* a new run in the same log */
            bool ended = x->table.rows.n > 0;
            if (finish(x, err))
                return -1;
            if (ended)
                new_run(x);
        }
        comment(x, body, len, t, n);
        return 0;
    }
    double first;
    snprintf(place, sizeof place, "%s:%zu", x->table.path, x->line);
    /* The log's last line has no end and less in it than the row before: a lone size, or one half of two. */
    if (last_cut && x->table.rows.n && number(t[0], &first) && n < x->row_columns)
        return gy_fail(err, GY_EINPUT, place, "a row of %zu columns after rows of %zu: cut short", n, x->row_columns);
    if (!number(t[0], &first) || n < 2 || !x->columns.n) {
        const char *said = memmem(body, len, "NCCL version", 12); /* from there on: host names stand before it */
        if (!said)
            said = memmem(body, len, "NCCL_ALGO", 9);
        size_t rest = said ? (size_t)(body + len - said) : 0;
        if (said)
            nccl_table_word(&x->table, said, rest < 60 ? rest : 60);
        return 0; /* NCCL's messages, a launcher's talk */
    }
    double second;
    if (!number(t[1], &second) && !last_cut)
        return 0; /* "2024-05-01 12:00:00 starting": begins with a number but is no row */
    if (!read_row(&x->columns, t, n, &row, why))
        return gy_fail(err, GY_EINPUT, place, "%s", why);
    row.line = x->line;
    x->row_columns = n;
    return gy_vec_push(&x->table.rows, row) ? 0 : gy_nomem(err);
}

int gy_import_nccl_text(struct gy_measurements *m, const char *path, const char *text,
                        const struct gy_import_options *opt, struct gy_error *err)
{
    struct text_import *x = calloc(1, sizeof *x);
    if (!x)
        return gy_nomem(err);
    x->m = m;
    x->table.path = path;
    x->table.opt = opt;
    int rc = 0;
    for (const char *at = text; *at && !rc;) {
        const char *end = strchr(at, '\n');
        size_t len = end ? (size_t)(end - at) : strlen(at);
        x->line++;
        rc = one_line(x, at, len, !end, err);
        at = end ? end + 1 : at + len;
    }
    if (!rc)
        rc = finish(x, err);
    if (!rc && !x->any) {
        char place[400];
        snprintf(place, sizeof place, "%s:%zu", path, x->line ? x->line : 1);
        rc = gy_fail(err, GY_EINPUT, place, "the log ends without a row of results");
        gy_hint(err, "a run that died before its first row has nothing to import");
    }
    gy_vec_free(&x->table.rows);
    gy_map_free(&x->hosts);
    free(x);
    return rc;
}
