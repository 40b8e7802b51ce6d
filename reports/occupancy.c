/* Nodes and what is free on them. */
#include "occupancy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_hostlist.h"
#include "gy_json.h"

#define NODES_MAX 4000000u

static struct gy_occupied_node *node_of(struct gy_occupancy *o, const char *name, size_t len, bool make)
{
    const gy_str s = make ? gy_strings_add(o->names, name, len) : gy_strings_find(o->names, name, len);
    uint64_t at;

    if (s == GY_STR_FAIL)
        return NULL;
    if (gy_map_get(&o->by_name, s, &at))
        return &o->nodes.at[at];
    struct gy_occupied_node n = {.name = gy_strings_text(o->names, s)};
    if (!make || !gy_vec_push(&o->nodes, n) || !gy_map_put(&o->by_name, s, o->nodes.n - 1))
        return NULL;
    return &o->nodes.at[o->nodes.n - 1];
}

struct filling {
    struct gy_occupancy *o;
    uint32_t gpus, left;
    bool absent, failed;
    int sign;
    char last[GY_HOST_NAME_MAX + 1];
};

static int add_named(void *ctx, const char *name, struct gy_error *err)
{
    struct filling *f = ctx;
    struct gy_occupied_node *n = node_of(f->o, name, strlen(name), true);

    if (!n)
        return gy_nomem(err);
    n->gpus = f->gpus;
    n->away = f->absent;
    if (name != f->last)
        snprintf(f->last, sizeof f->last, "%s", name);
    return 0;
}

/* A prefix and a count: n001 ... n128, as wide as the count. */
static int add_counted(struct filling *f, const char *prefix, double count, struct gy_error *err)
{
    char name[GY_HOST_NAME_MAX + 1];
    const int width = snprintf(NULL, 0, "%.0f", count);

    for (uint32_t i = 1; i <= (uint32_t)fmin(count, NODES_MAX); i++) {
        snprintf(name, sizeof name, "%s%0*u", prefix, width, i);
        if (add_named(f, name, err))
            return -1;
    }
    return 0;
}

static int add_until(void *ctx, const char *name, struct gy_error *err)
{
    struct filling *f = ctx;
    if (f->left == 0)
        return 1;
    f->left--;
    return add_named(ctx, name, err);
}

/* A host list, cut or continued to the count. */
static int add_continued(struct filling *f, const char *list, double count, struct gy_error *err)
{
    f->left = (uint32_t)fmin(count, NODES_MAX);
    if (gy_hostlist_each(list, NODES_MAX, add_until, f, err) < 0)
        return -1;
    for (; f->left > 0 && gy_hostlist_next(f->last, f->last); f->left--)
        if (add_named(f, f->last, err))
            return -1;
    return 0;
}

/* A row of /cluster/nodes: a host list, or a first name and a count. */
static int add_row(struct gy_occupancy *o, const struct gy_json *row, struct gy_error *err)
{
    struct filling f = {.o = o, .absent = gy_json_true(gy_json_get(row, "absent"))};
    const char *name = gy_json_string(gy_json_get(row, "name"));
    const double gpus = gy_json_number(gy_json_get(row, "gpus")), count = gy_json_number(gy_json_get(row, "count"));

    if (!name || !(gpus >= 0 && gpus < 1e6))
        return 0;
    f.gpus = (uint32_t)gpus;
    if (!(count > 0))
        return gy_hostlist_each(name, NODES_MAX, add_named, &f, err);
    if (strpbrk(name, "[,"))
        return add_continued(&f, name, count, err);
    return add_counted(&f, name, count, err);
}

static void reach(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct filling *f = ctx;
    struct gy_occupied_node *n = node_of(f->o, node, len, true);

    (void)low;
    (void)milli;
    if (!n)
        f->failed = true;
    else if (high > n->gpus)
        n->gpus = high;
}

static void take(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct filling *f = ctx;
    struct gy_occupied_node *n = node_of(f->o, node, len, false);

    if (n)
        n->used += f->sign * (int64_t)(high - low) * milli;
}

static int by_end(const void *a, const void *b)
{
    const struct gy_stay_end_at *x = a, *y = b;
    return x->to != y->to ? (x->to < y->to ? -1 : 1) : (x->stay > y->stay) - (x->stay < y->stay);
}

int gy_occupancy_open(const struct gy_run *run, const struct gy_history *h, struct gy_occupancy *o,
                      struct gy_error *err)
{
    struct filling f = {.o = o};
    const struct gy_json *rows = gy_json_at(gy_json_root(run->manifest), "/scenario/cluster/nodes");

    *o = (struct gy_occupancy){.names = gy_strings_new(), .h = h, .now = INT64_MIN};
    if (!o->names)
        return gy_nomem(err);
    for (const struct gy_json *row = rows ? gy_json_first(rows) : NULL; row; row = gy_json_next(row))
        if (add_row(o, row, err))
            return -1;
    for (size_t i = 0; i < h->stays.n; i++)
        gy_placement_each(h->stays.at[i].placement, reach, &f);
    if (f.failed || !gy_vec_reserve(&o->ends, h->stays.n + 1))
        return gy_nomem(err);
    for (size_t i = 0; i < h->stays.n; i++)
        o->ends.at[o->ends.n++] = (struct gy_stay_end_at){h->stays.at[i].to, (uint32_t)i};
    if (o->ends.n > 1)
        qsort(o->ends.at, o->ends.n, sizeof *o->ends.at, by_end);
    return 0;
}

void gy_occupancy_close(struct gy_occupancy *o)
{
    gy_vec_free(&o->nodes);
    gy_vec_free(&o->ends);
    gy_map_free(&o->by_name);
    gy_strings_free(o->names);
    *o = (struct gy_occupancy){0};
}

static void apply(struct gy_occupancy *o, const struct gy_stay *s, int sign)
{
    struct filling f = {.o = o, .sign = sign};
    gy_placement_each(s->placement, take, &f);
}

void gy_occupancy_to(struct gy_occupancy *o, gy_time t, bool starts)
{
    const struct gy_history *h = o->h;

    for (; o->next_from < h->stays.n; o->next_from++) { /* those that come and go before t cancel out */
        const struct gy_stay *s = &h->stays.at[o->next_from];
        if (s->from > t || (s->from == t && !starts))
            break;
        apply(o, s, 1);
    }
    for (; o->next_end < o->ends.n; o->next_end++) {
        const struct gy_stay *s = &h->stays.at[o->ends.at[o->next_end].stay];
        if (s->to > t || (s->from == t && !starts))
            break;
        apply(o, s, -1);
    }
    for (; o->next_change < h->changes.n && h->changes.at[o->next_change].at <= t; o->next_change++) {
        const struct gy_node_change *c = &h->changes.at[o->next_change];
        struct gy_occupied_node *n = node_of(o, c->node, strlen(c->node), false);
        if (n)
            n->away = strcmp(c->state, "up") != 0;
    }
    o->now = t;
}

gy_time gy_occupancy_next(const struct gy_occupancy *o, gy_time until)
{
    const struct gy_history *h = o->h;
    gy_time t = GY_NEVER;

    for (size_t i = o->next_end; i < o->ends.n; i++) {
        const gy_time to = o->ends.at[i].to;
        if (to > o->now) {
            t = to;
            break;
        }
    }
    if (o->next_change < h->changes.n && h->changes.at[o->next_change].at < t)
        t = h->changes.at[o->next_change].at;
    return t <= until ? t : GY_NEVER;
}

struct gy_fit gy_occupancy_fit(const struct gy_occupancy *o, int64_t part_milli)
{
    struct gy_fit f = {0};

    for (size_t i = 0; i < o->nodes.n; i++) {
        const struct gy_occupied_node *n = &o->nodes.at[i];
        const int64_t all = (int64_t)n->gpus * 1000, left = all - n->used;
        if (n->away)
            continue;
        f.total += all;
        f.free += left > 0 ? left : 0;
        if (left > f.largest)
            f.largest = left;
        f.nodes += left >= part_milli;
    }
    return f;
}
