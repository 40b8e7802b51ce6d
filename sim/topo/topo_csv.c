/* CSV, two shapes told apart by the header line. A list of links: columns a,b (or from,to; source,target) and
 * optionally gbps (10^9 bytes/s), gbit, count. Hosts with their switches: the first column names the host, the others
 * one switch each of a tier. The tier with the fewest different names is the top; a name of a lower tier is only unique
 * below its upper ones, so switches are known by their path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <math.h>
#include "topo.h"

#define MAX_COLUMNS 16

struct fields {
    const char *at[MAX_COLUMNS];
    size_t len[MAX_COLUMNS];
    size_t n;
};

/* Splits a line at commas; blanks around and quotes around a field go. No comma inside a field. */
static int split(const struct topo_text *in, const char *line, size_t len, struct fields *f, struct gy_error *err)
{
    const char *p = line, *end = line + len;

    f->n = 0;
    for (;;) {
        const char *stop = memchr(p, ',', (size_t)(end - p)), *q = stop ? stop : end;
        if (f->n == MAX_COLUMNS)
            return topo_fail(in, err, "more than 16 columns", NULL, 0);
        while (p < q && (*p == ' ' || *p == '\t'))
            p++;
        while (q > p && (q[-1] == ' ' || q[-1] == '\t'))
            q--;
        if (q - p >= 2 && *p == '"' && q[-1] == '"')
            p++, q--;
        f->at[f->n] = p;
        f->len[f->n++] = (size_t)(q - p);
        if (!stop)
            return 0;
        p = stop + 1;
    }
}

static int column(const struct fields *head, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < head->n; i++)
            if (head->len[i] == strlen(*names) && !strncasecmp(head->at[i], *names, head->len[i]))
                return (int)i;
    return -1;
}

static int number(const struct topo_text *in, const struct fields *f, int col, double fallback, double *v,
                  struct gy_error *err)
{
    char buf[64], *end;

    *v = fallback;
    if (col < 0 || f->len[col] == 0)
        return 0;
    if (f->len[col] >= sizeof buf)
        return topo_fail(in, err, "wants a number", f->at[col], f->len[col]);
    memcpy(buf, f->at[col], f->len[col]);
    buf[f->len[col]] = 0;
    *v = gy_number_len(buf, f->len[col]) == f->len[col] ? strtod(buf, &end) : NAN;
    return *v >= 0 && *v < 1e18 ? 0
                                : topo_fail(in, err, "wants a number that is not negative", f->at[col], f->len[col]);
}

struct list {
    int a, b, gbps, gbit, count, kind_a, kind_b;
};

static bool text_is(const struct fields *f, int col, const char *word)
{
    return col >= 0 && f->len[col] == strlen(word) && !strncasecmp(f->at[col], word, f->len[col]);
}

static int link_row(struct gy_topo *t, const struct topo_text *in, const struct list *c, const struct fields *f,
                    struct gy_error *err)
{
    double gbps, gbit, count;
    uint32_t v[2];
    bool made;

    if (number(in, f, c->gbps, 0, &gbps, err) || number(in, f, c->gbit, 0, &gbit, err) ||
        number(in, f, c->count, 1, &count, err))
        return -1;
    if (count < 1 || count > 65536 || count != floor(count))
        return topo_fail(in, err, "count must be a whole number from 1 to 65536", NULL, 0);
    for (int i = 0; i < 2; i++) {
        int col = i ? c->b : c->a;
        if (f->len[col] == 0)
            return topo_fail(in, err, "an end of the link has no name", NULL, 0);
        v[i] = topo_vertex(t, GY_T_OTHER, f->at[col], f->len[col], &made);
        if (v[i] == UINT32_MAX)
            return gy_nomem(err);
        if (made)
            t->vertices.at[v[i]].line = in->line;
        if (text_is(f, i ? c->kind_b : c->kind_a, "switch"))
            t->vertices.at[v[i]].kind = GY_T_SWITCH;
        if (text_is(f, i ? c->kind_b : c->kind_a, "host"))
            t->vertices.at[v[i]].kind = GY_T_HOST;
    }
    if (v[0] == v[1])
        return topo_fail(in, err, "a link from a device to itself", f->at[c->a], f->len[c->a]);
    double rate = (gbps > 0 ? gbps * 1e9 : gbit * 1e9 / 8) * count;
    return topo_link(t, v[0], v[1], GY_VIA_NETWORK, rate, (uint32_t)count) ? 0 : gy_nomem(err);
}

/* Ends whose kind no column says: one neighbour makes a host, more a switch. A pair named again (either way round) is
 * the same link told twice when the list tells every link twice, else one more wire. */
static int finish_list(struct gy_topo *t, struct gy_error *err)
{
    uint32_t *degree = calloc(t->vertices.n + 1, sizeof *degree);
    struct gy_map seen = {0};
    size_t kept = 0, back = 0;
    bool ok = degree;

    for (size_t i = 0; ok && i < t->links.n; i++) {
        const struct gy_topo_link *l = &t->links.at[i];
        uint64_t key = (uint64_t)l->a << 32 | l->b, other = (uint64_t)l->b << 32 | l->a, n = 0;
        back += gy_map_get(&seen, other, &n);
        ok = gy_map_put(&seen, key, 1);
    }
    bool twice = back > 0 && back * 2 == t->links.n;
    gy_map_free(&seen);
    for (size_t i = 0; ok && i < t->links.n; i++) {
        struct gy_topo_link l = t->links.at[i];
        uint64_t key = l.a < l.b ? (uint64_t)l.a << 32 | l.b : (uint64_t)l.b << 32 | l.a, at;
        if (gy_map_get(&seen, key, &at)) {
            t->links.at[at].rate += twice ? 0 : l.rate;
            t->links.at[at].count += twice ? 0 : l.count;
            continue;
        }
        ok = gy_map_put(&seen, key, kept);
        degree[l.a]++;
        degree[l.b]++;
        t->links.at[kept++] = l;
    }
    t->links.n = ok ? kept : t->links.n;
    for (size_t i = 0; ok && i < t->vertices.n; i++)
        if (t->vertices.at[i].kind == GY_T_OTHER)
            t->vertices.at[i].kind = degree[i] > 1 ? GY_T_SWITCH : GY_T_HOST;
    gy_map_free(&seen);
    free(degree);
    return ok ? 0 : gy_nomem(err);
}

static int read_links(struct gy_topo *t, struct topo_text *in, const struct list *c, size_t columns,
                      struct gy_error *err)
{
    struct fields f;
    const char *line;
    size_t len;

    while (topo_line(in, &line, &len)) {
        if (len == 0 || *line == '#')
            continue;
        if (split(in, line, len, &f, err))
            return -1;
        if (f.n != columns)
            return topo_fail(in, err, "another number of columns than the header", line, len);
        if (link_row(t, in, c, &f, err))
            return -1;
    }
    return finish_list(t, err);
}

struct tiers {
    size_t n;                  /* columns after the host's */
    size_t order[MAX_COLUMNS]; /* tier 0 is the top: its column */
    struct gy_strings *names[MAX_COLUMNS];
};

static int count_names(struct tiers *s, struct topo_text in, size_t columns, struct gy_error *err)
{
    struct fields f;
    const char *line;
    size_t len;

    while (topo_line(&in, &line, &len)) {
        if (len == 0)
            continue;
        if (split(&in, line, len, &f, err))
            return -1;
        if (f.n != columns)
            return topo_fail(&in, err, "another number of columns than the header", line, len);
        for (size_t i = 1; i < f.n; i++) {
            if (f.len[i] == 0)
                return topo_fail(&in, err, "a switch has no name", line, len);
            if (gy_strings_add(s->names[i], f.at[i], f.len[i]) == GY_STR_FAIL)
                return gy_nomem(err);
        }
    }
    for (size_t i = 0; i < s->n; i++) { /* insertion sort by number of names; the file's order where equal */
        size_t k = i;
        for (; k > 0 && gy_strings_count(s->names[s->order[k - 1]]) > gy_strings_count(s->names[i + 1]); k--)
            s->order[k] = s->order[k - 1];
        s->order[k] = i + 1;
    }
    return 0;
}

static int host_row(struct gy_topo *t, const struct topo_text *in, const struct tiers *s, const struct fields *f,
                    struct gy_error *err)
{
    char path[2048];
    size_t len = 0;
    uint32_t above = UINT32_MAX;
    bool made;

    for (size_t i = 0; i <= s->n; i++) {
        size_t col = i < s->n ? s->order[i] : 0;
        if (f->len[col] == 0 || len + f->len[col] + 2 > sizeof path)
            return topo_fail(in, err, "a name is missing or too long", NULL, 0);
        if (i > 0 && i < s->n)
            path[len++] = '/';
        if (i == s->n) /* the host goes by its own name */
            len = 0;
        memcpy(path + len, f->at[col], f->len[col]);
        len += f->len[col];
        uint32_t v = topo_vertex(t, i < s->n ? GY_T_SWITCH : GY_T_HOST, path, len, &made);
        if (v == UINT32_MAX)
            return gy_nomem(err);
        if (t->vertices.at[v].kind != (i < s->n ? GY_T_SWITCH : GY_T_HOST))
            return topo_fail(in, err, "a host and a switch share a name", path, len);
        if (made) {
            t->vertices.at[v].line = in->line;
            t->vertices.at[v].parent = above;
        } else if (i == s->n) {
            t->vertices.at[v].odd =
                t->vertices.at[v].parent == above ? t->vertices.at[v].odd : "a host below several switches";
        }
        if (above != UINT32_MAX && (made || i == s->n) && !topo_link(t, above, v, GY_VIA_NETWORK, 0, 1))
            return gy_nomem(err);
        above = v;
    }
    return 0;
}

static int read_hosts(struct gy_topo *t, struct topo_text *in, size_t columns, struct gy_error *err)
{
    struct tiers s = {.n = columns - 1};
    struct fields f;
    const char *line;
    size_t len;
    int bad = 0;

    for (size_t i = 1; i < columns && !bad; i++)
        bad = (s.names[i] = gy_strings_new()) ? 0 : gy_nomem(err);
    bad = bad ? bad : count_names(&s, *in, columns, err);
    while (!bad && topo_line(in, &line, &len))
        if (len > 0)
            bad = split(in, line, len, &f, err) || host_row(t, in, &s, &f, err) ? -1 : 0;
    for (size_t i = 1; i < columns; i++)
        gy_strings_free(s.names[i]);
    return bad;
}

int topo_read_csv(struct gy_topo *t, struct topo_text *in, struct gy_error *err)
{
    static const char *const a[] = {"a", "from", "source", "src", NULL}, *const b[] = {"b", "to", "target", "dst",
                                                                                       NULL};
    static const char *const gbps[] = {"gbps", NULL}, *const gbit[] = {"gbit", "gbit_s", NULL},
                             *const count[] = {"count", NULL};
    static const char *const kind_a[] = {"kind_a", NULL}, *const kind_b[] = {"kind_b", NULL};
    struct fields head;
    const char *line;
    size_t len;

    if (!topo_line(in, &line, &len) || split(in, line, len, &head, err))
        return err->code ? -1 : topo_fail(in, err, "wants a header line", NULL, 0);
    struct list c = {column(&head, a),     column(&head, b),      column(&head, gbps),  column(&head, gbit),
                     column(&head, count), column(&head, kind_a), column(&head, kind_b)};
    if (c.a >= 0 && c.b >= 0)
        return read_links(t, in, &c, head.n, err);
    if (head.n < 2)
        return topo_fail(in, err, "wants columns a,b or a host's column and its switches' columns", line, len);
    return read_hosts(t, in, head.n, err);
}
