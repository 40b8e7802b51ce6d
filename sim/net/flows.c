/* Flows and their groups: starting, sharing a path, ending. The loop over events is flows_event.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "flows.h"

double instant_diff_s(struct instant a, struct instant b)
{
    return ((double)(a.ns - b.ns) + ((double)a.tick - (double)b.tick) / TICKS) * 1e-9;
}

/* The tick nearest to t + seconds; GY_NEVER beyond the range of time. */
struct instant instant_after(struct instant t, double seconds)
{
    double ns = seconds * 1e9, whole = floor(ns);

    if (!(ns < (double)(GY_TIME_MAX / 2)))
        return (struct instant){GY_NEVER, 0};
    uint64_t ticks = t.tick + (uint64_t)((ns - whole) * TICKS + 0.5);
    return (struct instant){t.ns + (gy_time)whole + (gy_time)(ticks / TICKS), (uint32_t)(ticks % TICKS)};
}

void gy_flows_free(struct gy_flows *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->groups.n; i++)
        gy_heap_free(&f->groups.at[i].flows);
    gy_solver_free(f->solver);
    free(f->latency);
    free(f->event);
    free(f->load);
    gy_vec_free(&f->groups);
    gy_vec_free(&f->flows);
    gy_vec_free(&f->free_flows);
    gy_vec_free(&f->paths);
    gy_map_free(&f->by_path);
    gy_heap_free(&f->heap);
    gy_vec_free(&f->ended);
    gy_vec_free(&f->batch);
    gy_vec_free(&f->target);
    gy_vec_free(&f->renew);
    gy_vec_free(&f->again);
    free(f);
}

struct gy_flows *gy_flows_new(const struct gy_flow_link *links, uint32_t n_links)
{
    struct gy_flows *f = calloc(1, sizeof *f);
    size_t n = (size_t)n_links + 1;

    if (!f)
        return NULL;
    f->n_links = n_links;
    f->solver = gy_solver_new();
    f->latency = calloc(n, sizeof *f->latency);
    f->event = calloc(n, sizeof *f->event);
    f->load = calloc(n, sizeof *f->load);
    f->now = (struct instant){GY_NONE, 0};
    bool ok = f->solver && f->latency && f->event && f->load;
    for (uint32_t i = 0; ok && i < n_links; i++) {
        uint32_t id;
        ok = gy_solver_add_link(f->solver, links[i].capacity, &id);
        f->latency[i] = links[i].latency;
        f->event[i] = (struct link_event){.least = INFINITY, .end = {GY_NEVER, 0}, .handle = GY_HEAP_NONE};
    }
    if (ok)
        return f;
    gy_flows_free(f);
    return NULL;
}

static bool flow_take(struct gy_flows *f, uint32_t *id)
{
    if (f->free_flows.n) {
        *id = f->free_flows.at[--f->free_flows.n];
        return true;
    }
    *id = (uint32_t)f->flows.n;
    return f->flows.n < UINT32_MAX && gy_vec_push(&f->flows, (struct flow){0});
}

bool gy_flows_start(struct gy_flows *f, gy_time at, double bytes, const uint32_t *links, size_t n, double weight,
                    double cap, uint64_t tag)
{
    gy_time begin = at;
    uint32_t id;

    if (!flow_take(f, &id) || n > UINT32_MAX)
        return false;
    if (f->paths_waiting == 0)
        gy_vec_clear(&f->paths);
    f->flows.at[id] =
        (struct flow){.bytes = bytes, .weight = weight, .cap = cap, .tag = tag, .first = f->paths.n, .n = (uint32_t)n};
    if (!gy_vec_reserve(&f->paths, f->paths.n + n))
        return false;
    for (size_t i = 0; i < n; i++) {
        f->paths.at[f->paths.n++] = links[i];
        begin = gy_time_add(begin, f->latency[links[i]]);
    }
    f->paths_waiting++;
    f->active++;
    return gy_heap_push(&f->heap, begin, 1, EVENT_START | id) != GY_HEAP_NONE;
}

double link_clock(const struct gy_flows *f, uint32_t link)
{
    const struct link_event *e = &f->event[link];

    return e->level > 0 ? e->clock + e->level * instant_diff_s(f->now, e->since) : e->clock;
}

double flows_served(const struct gy_flows *f, uint32_t group)
{
    const struct group *g = &f->groups.at[group];

    if (g->owner != GY_SOLVER_NONE)
        return g->served + link_clock(f, g->owner);
    return g->level > 0 ? g->served + g->level * instant_diff_s(f->now, g->since) : g->served;
}

void flows_renew(struct gy_flows *f, uint32_t link, bool sort)
{
    struct link_event *e = &f->event[link];

    if (!e->listed)
        f->failed |= !gy_vec_push(&f->renew, link);
    e->listed = true;
    e->sort |= sort;
}

static gy_time due_key(double due) /* services are ≥ 0: their bits order as integers */
{
    gy_time t;

    memcpy(&t, &due, sizeof t);
    return t;
}

static bool same_path(const struct gy_flows *f, uint32_t group, const uint32_t *links, uint32_t n)
{
    size_t m;
    const struct gy_solver_use *u = gy_solver_var_uses(f->solver, group, &m);

    for (size_t i = 0; i < m && m == n; i++)
        if (u[i].other != links[i])
            return false;
    return m == n;
}

static bool group_new(struct gy_flows *f, const struct flow *flow, uint32_t *id, bool map, uint64_t key)
{
    if (!gy_solver_add_var(f->solver, flow->weight, flow->cap, f->paths.at + flow->first, NULL, flow->n, id))
        return false;
    if (*id == f->groups.n && (!gy_vec_push(&f->groups, (struct group){0}) || !gy_vec_push(&f->target, 0.0)))
        return false;
    struct gy_heap heap = f->groups.at[*id].flows; /* empty; its memory goes on */
    f->groups.at[*id] = (struct group){.flows = heap,
                                       .since = f->now,
                                       .end = {GY_NEVER, 0},
                                       .owner = GY_SOLVER_NONE,
                                       .key = key,
                                       .mapped = map,
                                       .handle = GY_HEAP_NONE};
    return !map || gy_map_put(&f->by_path, key, *id);
}

/* The group for the flow's links, made if there is none. */
static bool group_for(struct gy_flows *f, const struct flow *flow, uint32_t *id)
{
    const uint32_t *links = f->paths.at + flow->first;
    uint64_t key = gy_hash_bytes(links, flow->n * sizeof *links), found;
    bool known = gy_map_get(&f->by_path, key, &found), shared = flow->cap == INFINITY;

    if (!shared || !known || !same_path(f, (uint32_t)found, links, flow->n))
        return group_new(f, flow, id, shared && !known, key);
    *id = (uint32_t)found;
    gy_solver_set_weight(f->solver, *id, gy_solver_weight(f->solver, *id) + flow->weight);
    return true;
}

static void end_flow(struct gy_flows *f, uint32_t id)
{
    struct gy_flow_end e = {f->flows.at[id].tag, f->now.ns, (double)f->now.tick / TICKS * 1e-9};

    f->failed |= !gy_vec_push(&f->ended, e);
    f->failed |= !gy_vec_push(&f->free_flows, id);
    f->active--;
}

void flows_begin(struct gy_flows *f, uint32_t id)
{
    struct flow *flow = &f->flows.at[id];
    uint32_t group;

    f->paths_waiting--;
    if (flow->bytes == 0 || (flow->n == 0 && flow->cap == INFINITY)) {
        end_flow(f, id);
        return;
    }
    if (!group_for(f, flow, &group)) {
        f->failed = true;
        return;
    }
    struct group *g = &f->groups.at[group];
    flow->due = flows_served(f, group) + flow->bytes / flow->weight;
    if (g->n == 1)
        f->failed |= gy_heap_push(&g->flows, due_key(g->due), 0, g->only) == GY_HEAP_NONE;
    if (g->n > 0)
        f->failed |= gy_heap_push(&g->flows, due_key(flow->due), 0, id) == GY_HEAP_NONE;
    if (g->n == 0 || flow->due < g->due)
        g->due = flow->due;
    g->only = id;
    g->n++;
}

/* Takes the first flow out of the group. */
static uint32_t group_pop(struct gy_flows *f, struct group *g)
{
    struct gy_heap_event e = {.payload = g->only};

    if (g->n > 1)
        gy_heap_pop(&g->flows, &e);
    g->n--;
    if (g->n == 1) {
        struct gy_heap_event last;
        gy_heap_pop(&g->flows, &last);
        g->only = (uint32_t)last.payload;
        g->due = f->flows.at[g->only].due;
    } else if (g->n > 1) {
        struct gy_heap_event top;
        gy_heap_peek(&g->flows, &top);
        g->due = f->flows.at[top.payload].due;
    }
    return (uint32_t)e.payload;
}

static void account(struct gy_flows *f, uint32_t group, double bytes)
{
    size_t n;
    const struct gy_solver_use *u = gy_solver_var_uses(f->solver, group, &n);

    for (size_t i = 0; i < n; i++) /* aw/weight is 1, or how often the path names the link */
        f->load[u[i].other].bytes += bytes * (u[i].aw / gy_solver_weight(f->solver, group));
}

/* How fast the group's service grows. */
static double group_level(const struct gy_flows *f, const struct group *g)
{
    return g->owner == GY_SOLVER_NONE ? g->level : f->event[g->owner].level;
}

static void group_end(struct gy_flows *f, uint32_t group)
{
    struct group *g = &f->groups.at[group];

    if (g->mapped)
        gy_map_erase(&f->by_path, g->key);
    if (g->handle != GY_HEAP_NONE)
        gy_heap_cancel(&f->heap, g->handle);
    g->handle = GY_HEAP_NONE;
    gy_solver_remove_var(f->solver, group);
}

void flows_complete(struct gy_flows *f, uint32_t group)
{
    struct group *g = &f->groups.at[group];
    double weight = gy_solver_weight(f->solver, group), bytes = 0, served = flows_served(f, group);
    double level = group_level(f, g);

    while (g->n > 0) {
        if (g->due - served > level * (1e-9 / TICKS)) /* within the tick is now */
            break;
        uint32_t id = group_pop(f, g);
        bytes += f->flows.at[id].bytes;
        weight -= f->flows.at[id].weight;
        end_flow(f, id);
    }
    account(f, group, bytes);
    if (g->n == 0)
        group_end(f, group);
    else
        gy_solver_set_weight(f->solver, group, g->n == 1 ? f->flows.at[g->only].weight : weight);
}
