/* What is said about nodes by name: membership in partitions, and planned changes of capacity over time. */
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "gy_hostlist.h"

struct named { /* for finding nodes by name */
    gy_str name;
    uint32_t node;
};

struct numbered { /* an event and where it stands in the file: of two for one instant and node the later counts */
    struct gy_capacity_event event;
    uint32_t order;
};

struct capacity {
    struct gy_builder *b;
    GY_VEC(struct named) names; /* sorted */
    GY_VEC(struct numbered) events;
};

/* What one entry does to each node that it names. */
struct selection {
    struct capacity *c;
    const struct gy_sc_event *event; /* NULL: a partition's nodes */
    uint64_t bit;                    /* partition to give, or to select by; 0: none */
    int64_t seen;
    uint32_t order;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;

    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int index_names(struct capacity *c)
{
    const struct gy_cluster_spec *spec = c->b->spec;

    if (!gy_vec_reserve(&c->names, spec->nodes.n))
        return gy_nomem(c->b->err);
    for (size_t i = 0; i < spec->nodes.n; i++)
        c->names.at[i] = (struct named){spec->nodes.at[i].name, (uint32_t)i};
    c->names.n = spec->nodes.n;
    if (c->names.n > 1)
        qsort(c->names.at, c->names.n, sizeof *c->names.at, compare_named);
    for (size_t i = 1; i < c->names.n; i++)
        if (c->names.at[i].name == c->names.at[i - 1].name)
            return gy_sc_fail(c->b->s, c->b->err, "/cluster/nodes", "two nodes are called \"%s\"",
                              gy_strings_text(spec->strings, c->names.at[i].name));
    return 0;
}

static bool find_node(const struct capacity *c, const char *name, uint32_t *node)
{
    gy_str id = gy_strings_find(c->b->spec->strings, name, strlen(name));
    size_t lo = 0, hi = c->names.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (c->names.at[mid].name < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (id == GY_STR_FAIL || lo == c->names.n || c->names.at[lo].name != id)
        return false;
    *node = c->names.at[lo].node;
    return true;
}

static int change_node(struct selection *x, uint32_t node, struct gy_error *err)
{
    const struct gy_sc_event *e = x->event;
    struct gy_node_spec *spec = &x->c->b->spec->nodes.at[node];

    if (e == NULL) {
        spec->partitions |= x->bit;
        return 0;
    }
    if (x->bit != 0 && !(spec->partitions & x->bit))
        return 0;
    struct numbered n = {{e->at, {node}, (enum gy_node_state)e->state}, x->order};
    if (x->seen++ < e->up_nodes)
        n.event.state = GY_NODE_UP;
    return gy_vec_push(&x->c->events, n) ? 0 : gy_nomem(err);
}

static int change_named(void *ctx, const char *name, struct gy_error *err)
{
    struct selection *x = ctx;
    uint32_t node;

    if (!find_node(x->c, name, &node))
        return gy_fail(err, GY_EINPUT, NULL, "no node is called \"%s\"", name);
    return change_node(x, node, err);
}

/* The nodes of a host list, or all. */
static int change(struct selection *x, const char *nodes, const char *pointer)
{
    struct gy_builder *b = x->c->b;
    int rc = 0;

    if (nodes != NULL)
        rc = gy_hostlist_each(nodes, GY_MAX_NODES, change_named, x, b->err);
    for (uint32_t i = 0; nodes == NULL && i < b->spec->nodes.n && rc == 0; i++)
        rc = change_node(x, i, b->err);
    return rc == 0 ? 0 : gy_builder_fail(b, pointer);
}

static int apply_partitions(struct capacity *c)
{
    const struct gy_list *list = &c->b->s->cluster.partitions;
    const struct gy_sc_partition *p = list->at;

    for (size_t i = 0; i < list->n; i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/cluster/partitions/%zu", i);
        struct selection x = {.c = c, .bit = gy_builder_partition(c->b, p[i].name, strlen(p[i].name), pointer)};
        if (x.bit == 0 || change(&x, p[i].nodes, pointer) != 0)
            return -1;
    }
    return 0;
}

/* i counts the file's events on from the scenario's. */
static int add_event(struct capacity *c, uint32_t i, const struct gy_sc_event *e)
{
    struct selection x = {.c = c, .event = e, .order = i};
    struct gy_builder *b = c->b;
    char pointer[64];

    if (i < b->s->cluster.events.n)
        snprintf(pointer, sizeof pointer, "/cluster/events/%u", i);
    else
        snprintf(pointer, sizeof pointer, "/cluster/events_file");
    if (e->partition != NULL) {
        size_t before = b->spec->partitions.n;
        x.bit = gy_builder_partition(b, e->partition, strlen(e->partition), pointer);
        if (x.bit != 0 && b->spec->partitions.n > before)
            return gy_sc_fail(b->s, b->err, pointer, "no node is in the partition \"%s\"", e->partition);
        if (x.bit == 0)
            return -1;
    }
    if (change(&x, e->nodes, pointer) != 0)
        return -1;
    if (e->up_nodes > x.seen)
        return gy_sc_fail(b->s, b->err, pointer, "up_nodes is %lld, but only %lld nodes are meant",
                          (long long)e->up_nodes, (long long)x.seen);
    return 0;
}

static int compare_events(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;

    if (x->event.time != y->event.time)
        return x->event.time < y->event.time ? -1 : 1;
    if (x->event.node.i != y->event.node.i)
        return x->event.node.i < y->event.node.i ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int collect_events(struct capacity *c)
{
    const struct gy_list *list = &c->b->s->cluster.events;
    const struct gy_sc_event *e = list->at;
    gy_sc_events more = {0};
    int rc = 0;

    for (size_t i = 0; i < list->n && rc == 0; i++)
        rc = add_event(c, (uint32_t)i, &e[i]);
    if (rc == 0)
        rc = gy_builder_events_file(c->b, &more);
    for (size_t i = 0; i < more.n && rc == 0; i++)
        rc = add_event(c, (uint32_t)(list->n + i), &more.at[i]);
    gy_vec_free(&more);
    return rc;
}

static int apply_events(struct capacity *c)
{
    struct gy_cluster_spec *spec = c->b->spec;

    if (collect_events(c) != 0)
        return -1;
    if (c->events.n > 1)
        qsort(c->events.at, c->events.n, sizeof *c->events.at, compare_events);
    for (size_t i = 0; i < c->events.n; i++) {
        const struct gy_capacity_event *now = &c->events.at[i].event, *next = now;
        if (i + 1 < c->events.n)
            next = &c->events.at[i + 1].event;
        if (next != now && next->time == now->time && next->node.i == now->node.i)
            continue;
        if (!gy_vec_push(&spec->events, *now))
            return gy_nomem(c->b->err);
    }
    return 0;
}

int gy_builder_capacity(struct gy_builder *b)
{
    struct capacity c = {.b = b};
    int rc = index_names(&c) != 0 || apply_partitions(&c) != 0 || apply_events(&c) != 0 ? -1 : 0;

    gy_vec_free(&c.names);
    gy_vec_free(&c.events);
    return rc;
}
