/* A topology for people: counts, the tree from the top switches (or sockets) down, then the odd members. */
#include <stdlib.h>
#include "gy_file.h"
#include "topo.h"

#define MAX_CHILDREN 8 /* shown a switch; the others are counted */
#define MAX_DEPTH    12

struct printing {
    const struct gy_topo *t;
    struct gy_writer *to;
    uint32_t *first, *next; /* neighbours: lists of 2·link + side */
    uint32_t *depth;        /* UINT32_MAX: not printed yet */
};

static void print_rate(struct gy_writer *to, const struct gy_topo_link *l)
{
    if (l->label)
        return;
    if (l->rate > 0)
        gy_writer_printf(to, " (%g GB/s%s)", l->rate / 1e9, l->via == GY_VIA_NVLINK ? " NVLink" : "");
    else if (l->via == GY_VIA_NVLINK)
        gy_writer_printf(to, " (%u NVLinks)", l->count);
}

static uint32_t other_end(const struct printing *p, uint32_t e)
{
    return e & 1 ? p->t->links.at[e / 2].a : p->t->links.at[e / 2].b;
}

static const char *name_of(const struct printing *p, uint32_t v)
{
    return gy_strings_text(p->t->strings, p->t->vertices.at[v].name);
}

/* A device or switch that will be printed below another one. */
static bool hangs_elsewhere(const struct gy_topo *t, uint32_t v, uint32_t here)
{
    uint32_t parent = t->vertices.at[v].parent;

    if (parent == UINT32_MAX || parent == here)
        return false;
    enum gy_topo_kind k = t->vertices.at[parent].kind;
    return k == GY_T_SWITCH || k == GY_T_CPU || k == GY_T_PCI;
}

/* Children that there is no room for count as printed, with all that hangs on them. */
static void leave_out(struct printing *p, uint32_t v, uint32_t depth)
{
    p->depth[v] = depth;
    for (uint32_t e = p->first[v]; e != UINT32_MAX && depth < 64; e = p->next[e]) {
        uint32_t to = other_end(p, e);
        if (p->depth[to] == UINT32_MAX && p->t->vertices.at[to].parent == v)
            leave_out(p, to, depth + 1);
    }
}

static void print_below(struct printing *p, uint32_t v, uint32_t depth)
{
    size_t shown = 0, hidden = 0;

    p->depth[v] = depth;
    for (uint32_t e = p->first[v]; e != UINT32_MAX; e = p->next[e]) {
        uint32_t to = other_end(p, e);
        if (p->t->links.at[e / 2].via == GY_VIA_PATH || p->depth[to] != UINT32_MAX || hangs_elsewhere(p->t, to, v))
            continue;
        if (shown++ >= MAX_CHILDREN || depth >= MAX_DEPTH) {
            leave_out(p, to, depth + 1);
            hidden++;
            continue;
        }
        gy_writer_printf(p->to, "%*s%s %s", (int)(2 * depth + 2), "", gy_topo_kind_name(p->t->vertices.at[to].kind),
                         name_of(p, to));
        print_rate(p->to, &p->t->links.at[e / 2]);
        gy_writer_text(p->to, "\n");
        print_below(p, to, depth + 1);
    }
    if (hidden)
        gy_writer_printf(p->to, "%*s… and %zu more\n", (int)(2 * depth + 2), "", hidden);
}

static void print_counts(const struct gy_topo *t, struct gy_writer *to)
{
    gy_writer_printf(to, "%s:", t->format);
    for (int k = 0; k < GY_T_KINDS; k++) {
        size_t n = gy_topo_count(t, (enum gy_topo_kind)k, false);
        if (n)
            gy_writer_printf(to, " %zu %s%s,", n, gy_topo_kind_name((enum gy_topo_kind)k),
                             n == 1                                   ? ""
                             : k == GY_T_SWITCH || k == GY_T_NVSWITCH ? "es"
                                                                      : "s");
    }
    gy_writer_printf(to, " %zu link%s", t->links.n, t->links.n == 1 ? "" : "s");
    if (t->one_sided)
        gy_writer_printf(to, " (%zu told by one end only)", t->one_sided);
    gy_writer_text(to, "\n");
}

/* Has the vertex something above it in the tree? */
static bool has_above(const struct gy_topo *t, uint32_t v)
{
    return t->vertices.at[v].parent != UINT32_MAX;
}

static void print_tree(struct printing *p)
{
    const struct gy_topo *t = p->t;

    for (int round = 0; round < 3; round++) /* tops; then switches and sockets of a mesh; then what hangs on nothing */
        for (uint32_t v = 0; v < t->vertices.n; v++) {
            enum gy_topo_kind k = t->vertices.at[v].kind;
            bool carrier = k == GY_T_SWITCH || k == GY_T_CPU;
            if (p->depth[v] != UINT32_MAX || t->vertices.at[v].odd || (round < 2 && !carrier) ||
                (round == 0 && has_above(t, v)) ||
                (k == GY_T_HOST && p->first[v] == UINT32_MAX)) /* an ibnetdiscover host: its adapters are in the tree */
                continue;
            gy_writer_printf(p->to, "%s %s\n", gy_topo_kind_name(k), name_of(p, v));
            print_below(p, v, 0);
        }
}

static void print_odd(const struct gy_topo *t, struct gy_writer *to)
{
    for (size_t i = 0; i < t->vertices.n; i++) {
        const struct gy_topo_vertex *v = &t->vertices.at[i];
        if (v->odd)
            gy_writer_printf(to, "odd: %s %s%s%s (line %zu): %s\n", gy_topo_kind_name(v->kind),
                             gy_strings_text(t->strings, v->name), v->id ? " " : "",
                             v->id ? gy_strings_text(t->strings, v->id) : "", v->line, v->odd);
    }
}

void gy_topo_print(const struct gy_topo *t, struct gy_writer *to)
{
    size_t n = t->vertices.n + 1;
    struct printing p = {.t = t, .to = to};

    p.first = malloc(n * sizeof *p.first);
    p.depth = malloc(n * sizeof *p.depth);
    p.next = malloc((2 * t->links.n + 1) * sizeof *p.next);
    print_counts(t, to);
    if (p.first && p.depth && p.next) {
        for (size_t i = 0; i < n; i++)
            p.first[i] = p.depth[i] = UINT32_MAX;
        for (size_t i = 2 * t->links.n; i-- > 0;) { /* backwards, so that lists come out in the file's order */
            uint32_t v = i & 1 ? t->links.at[i / 2].b : t->links.at[i / 2].a;
            p.next[i] = p.first[v];
            p.first[v] = (uint32_t)i;
        }
        print_tree(&p);
    }
    free(p.first);
    free(p.depth);
    free(p.next);
    print_odd(t, to);
}
