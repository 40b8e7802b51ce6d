/* Slurm's topology.conf: SwitchName=… Nodes=… or Switches=…, host lists, tree and block forms. Rates are not in there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gy_hostlist.h"
#include "topo.h"

#define MAX_HOSTS ((size_t)1 << 22)

struct slurm {
    struct gy_topo *t;
    struct topo_text *in;
    uint32_t parent;
    enum gy_topo_kind kind;
};

static int child(void *ctx, const char *name, struct gy_error *err)
{
    struct slurm *s = ctx;
    bool made;
    uint32_t v = topo_vertex(s->t, s->kind, name, strlen(name), &made);

    if (v == UINT32_MAX)
        return gy_nomem(err);
    struct gy_topo_vertex *x = &s->t->vertices.at[v];
    if (made)
        x->line = 0; /* of a switch: until its own line comes */
    if (x->kind != s->kind)
        return gy_fail(err, GY_EINPUT, NULL, "\"%s\" is named as a node and as a switch", name);
    if (v == s->parent)
        return gy_fail(err, GY_EINPUT, NULL, "switch \"%s\" hangs on itself", name);
    if (x->parent == UINT32_MAX)
        x->parent = s->parent;
    return topo_link(s->t, s->parent, v, GY_VIA_NETWORK, 0, 1) ? 0 : gy_nomem(err);
}

static int children(struct slurm *s, enum gy_topo_kind kind, const char *list, size_t len, struct gy_error *err)
{
    char *text = strndup(list, len);

    if (!text)
        return gy_nomem(err);
    s->kind = kind;
    int bad = gy_hostlist_each(text, MAX_HOSTS, child, s, err);
    free(text);
    if (!bad)
        return 0;
    if (err->code != GY_ENOMEM)
        snprintf(err->place, sizeof err->place, "%s:%zu", s->in->name, s->in->line);
    return -1;
}

static int define(struct slurm *s, const char *name, size_t len, struct gy_error *err)
{
    bool made;
    uint32_t v = topo_vertex(s->t, GY_T_SWITCH, name, len, &made);

    if (v == UINT32_MAX)
        return gy_nomem(err);
    struct gy_topo_vertex *x = &s->t->vertices.at[v];
    if (x->kind != GY_T_SWITCH)
        return topo_fail(s->in, err, "a node of that name is already there", name, len);
    if (x->line)
        return topo_fail(s->in, err, "the switch is defined twice", name, len);
    x->line = s->in->line;
    s->parent = v;
    return 0;
}

static bool key_is(const char *at, size_t len, const char *key)
{
    return len == strlen(key) && !strncasecmp(at, key, len);
}

/* One Key=value of a line. */
static int pair(struct slurm *s, const char *at, size_t len, struct gy_error *err)
{
    const char *eq = memchr(at, '=', len);
    size_t k = eq ? (size_t)(eq - at) : 0, n = eq ? len - k - 1 : 0;

    if (!eq || n == 0)
        return topo_fail(s->in, err, "wants Key=value", at, len);
    if (key_is(at, k, "SwitchName") || key_is(at, k, "BlockName"))
        return define(s, eq + 1, n, err);
    if (key_is(at, k, "LinkSpeed") || key_is(at, k, "BlockSizes"))
        return 0;
    if (!key_is(at, k, "Nodes") && !key_is(at, k, "Switches"))
        return topo_fail(s->in, err, "wants SwitchName, BlockName, Nodes, Switches, LinkSpeed or BlockSizes", at, len);
    if (s->parent == UINT32_MAX)
        return topo_fail(s->in, err, "wants a SwitchName or BlockName before it in the line", at, len);
    return children(s, key_is(at, k, "Nodes") ? GY_T_HOST : GY_T_SWITCH, eq + 1, n, err);
}

static int one_line(struct slurm *s, const char *line, size_t len, struct gy_error *err)
{
    const char *hash = memchr(line, '#', len), *end = hash ? hash : line + len;

    s->parent = UINT32_MAX;
    for (const char *p = line; p < end;) {
        const char *word = p;
        while (p < end && *p != ' ' && *p != '\t')
            p++;
        if (p > word && pair(s, word, (size_t)(p - word), err))
            return -1;
        while (p < end && (*p == ' ' || *p == '\t'))
            p++;
    }
    return 0;
}

/* Every switch has a line of its own, no switch hangs below itself, and a node on several leaves is marked. */
static int check(struct slurm *s, struct gy_error *err)
{
    struct gy_topo *t = s->t;

    for (size_t i = 0; i < t->vertices.n; i++) {
        const struct gy_topo_vertex *v = &t->vertices.at[i];
        if (v->kind == GY_T_SWITCH && v->line == 0) {
            const char *name = gy_strings_text(t->strings, v->name);
            return topo_fail(s->in, err, "the file ends without a line for this switch", name, strlen(name));
        }
        uint32_t up = v->parent;
        for (size_t n = 0; up != UINT32_MAX; up = t->vertices.at[up].parent)
            if (++n > 64)
                return topo_fail(s->in, err, "switches hang on each other in a circle (or more than 64 deep)", NULL, 0);
    }
    for (size_t i = 0; i < t->links.n; i++) {
        struct gy_topo_vertex *v = &t->vertices.at[t->links.at[i].b];
        if (v->kind == GY_T_HOST && v->parent != t->links.at[i].a)
            v->odd = "a node on several leaf switches";
    }
    return 0;
}

int topo_read_slurm(struct gy_topo *t, struct topo_text *in, struct gy_error *err)
{
    struct slurm s = {.t = t, .in = in};
    char *joined = NULL;
    size_t held = 0, len;
    const char *line;
    int bad = 0;

    while (!bad && topo_line(in, &line, &len)) { /* a backslash at the end joins the next line */
        bool more = len > 0 && line[len - 1] == '\\';
        if (!more && !joined) {
            bad = one_line(&s, line, len, err);
            continue;
        }
        char *grown = realloc(joined, held + len + 2);
        if (!grown) {
            bad = gy_nomem(err);
            break;
        }
        joined = grown;
        memcpy(joined + held, line, len);
        held += len;
        if (more) {
            joined[held - 1] = ' ';
            continue;
        }
        bad = one_line(&s, joined, held, err);
        free(joined);
        joined = NULL;
        held = 0;
    }
    if (!bad && joined)
        bad = topo_fail(in, err, "the file ends in a line that goes on", NULL, 0);
    free(joined);
    return bad ? bad : check(&s, err);
}
