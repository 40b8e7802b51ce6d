/* The loop of gy_flows: the events of one instant, then one solve, then the next ends of what changed. */
#include <math.h>
#include "flows.h"

/* When the event of this payload takes place, given the nanosecond that the heap knows. */
static uint32_t event_tick(const struct gy_flows *f, uint64_t payload)
{
    uint32_t id = (uint32_t)payload;

    if (payload >= EVENT_START)
        return 0;
    return payload >= EVENT_GROUP ? f->groups.at[id].end.tick : f->event[id].end.tick;
}

static gy_heap_handle *event_handle(struct gy_flows *f, uint64_t payload)
{
    uint32_t id = (uint32_t)payload;

    return payload >= EVENT_GROUP ? &f->groups.at[id].handle : &f->event[id].handle;
}

static void event_push(struct gy_flows *f, uint64_t payload, struct instant at)
{
    gy_heap_handle *h = payload >= EVENT_START ? NULL : event_handle(f, payload);

    if (h && *h != GY_HEAP_NONE) {
        if (at.ns == GY_NEVER) {
            gy_heap_cancel(&f->heap, *h);
            *h = GY_HEAP_NONE;
        } else {
            gy_heap_move(&f->heap, *h, at.ns);
        }
    } else if (at.ns != GY_NEVER) {
        gy_heap_handle pushed = gy_heap_push(&f->heap, at.ns, payload >= EVENT_START, payload);
        f->failed |= pushed == GY_HEAP_NONE;
        if (h)
            *h = pushed;
    }
}

/* Takes the events of the earliest instant into `batch`; later ones of the same nanosecond go back. */
static bool take_batch(struct gy_flows *f, struct instant *at)
{
    struct gy_heap_event first, e;
    uint32_t tick = TICKS;
    size_t kept = 0;

    gy_vec_clear(&f->batch);
    if (!gy_heap_peek(&f->heap, &first))
        return false;
    while (gy_heap_peek(&f->heap, &e) && e.time == first.time && !f->failed) {
        gy_heap_pop(&f->heap, &e);
        f->failed |= !gy_vec_push(&f->batch, e.payload);
        if (e.payload < EVENT_START)
            *event_handle(f, e.payload) = GY_HEAP_NONE;
        uint32_t t = event_tick(f, e.payload);
        tick = t < tick ? t : tick;
    }
    *at = (struct instant){first.time, tick};
    for (size_t i = 0; i < f->batch.n; i++) {
        if (event_tick(f, f->batch.at[i]) == tick)
            f->batch.at[kept++] = f->batch.at[i];
        else
            event_push(f, f->batch.at[i], (struct instant){first.time, 0});
    }
    f->batch.n = kept;
    return !f->failed;
}

static void resort_later(struct gy_flows *f, uint32_t link)
{
    struct link_event *e = &f->event[link];

    if (e->stamp != f->stamp)
        f->failed |= !gy_vec_push(&f->resort, link);
    e->stamp = f->stamp;
    e->whole = false;
}

static void link_ends(struct gy_flows *f, uint32_t link)
{
    size_t n;
    const struct gy_solver_use *u = gy_solver_link_uses(f->solver, link, &n);

    for (size_t i = 0; i < n;) {
        uint32_t g = u[i].other;
        if (gy_solver_owner(f->solver, g) == link && !before(f->now, f->groups.at[g].end)) {
            size_t was = n;
            flows_complete(f, g);
            u = gy_solver_link_uses(f->solver, link,
                                    &n); /* an emptied group has left the list, another took its place */
            if (n < was)
                continue;
        }
        i++;
    }
    resort_later(f, link);
}

/* The group's level is new (or its flows are): when is its next end, and in whose care? */
static void regroup(struct gy_flows *f, uint32_t id)
{
    struct group *g = &f->groups.at[id];
    uint32_t owner = gy_solver_owner(f->solver, id);

    flows_settle(f, id);
    g->level = gy_solver_level(f->solver, id);
    g->end =
        g->level > 0 ? instant_after(f->now, fmax(g->due - g->served, 0) / g->level) : (struct instant){GY_NEVER, 0};
    if (owner == GY_SOLVER_NONE) {
        event_push(f, EVENT_GROUP | id, g->end);
        return;
    }
    if (g->handle != GY_HEAP_NONE)
        event_push(f, EVENT_GROUP | id, (struct instant){GY_NEVER, 0});
    struct link_event *e = &f->event[owner];
    double level = gy_solver_link_level(f->solver, owner);
    if (e->stamp != f->stamp) {
        f->failed |= !gy_vec_push(&f->resort, owner);
        e->stamp = f->stamp;
        e->whole = e->level != level;
        e->end = (struct instant){GY_NEVER, 0};
    } else if (!e->whole && e->level != level) {
        e->whole = true;
        e->end = (struct instant){GY_NEVER, 0};
    }
    e->level = level;
    if (before(g->end, e->end))
        e->end = g->end;
}

/* The least end among the groups that the link holds. */
static void resort(struct gy_flows *f, uint32_t link)
{
    struct link_event *e = &f->event[link];
    size_t n;
    const struct gy_solver_use *u = gy_solver_link_uses(f->solver, link, &n);

    if (!e->whole) {
        e->end = (struct instant){GY_NEVER, 0};
        for (size_t i = 0; i < n; i++)
            if (gy_solver_owner(f->solver, u[i].other) == link && before(f->groups.at[u[i].other].end, e->end))
                e->end = f->groups.at[u[i].other].end;
    }
    event_push(f, EVENT_LINK | link, e->end);
}

static void solve(struct gy_flows *f)
{
    size_t n;

    f->failed |= !gy_solver_solve(f->solver);
    f->events++;
    f->stale = false;
    const uint32_t *at = gy_solver_changed(f->solver, &n);
    for (size_t i = 0; i < n && !f->failed; i++) {
        regroup(f, at[i]);
        f->groups.at[at[i]].dirty = false;
    }
    for (size_t i = 0; i < f->dirty.n; i++) {
        struct group *g = &f->groups.at[f->dirty.at[i]];
        if (g->dirty && g->n > 0)
            regroup(f, f->dirty.at[i]);
        g->dirty = false;
    }
    gy_vec_clear(&f->dirty);
    for (size_t i = 0; i < f->resort.n; i++)
        resort(f, f->resort.at[i]);
    gy_vec_clear(&f->resort);
    at = gy_solver_touched(f->solver, &n);
    for (size_t i = 0; i < n; i++)
        f->load[at[i]].peak = fmax(f->load[at[i]].peak, gy_solver_load(f->solver, at[i]));
}

/* All events of the earliest instant, which the caller has seen to be due. */
static bool step(struct gy_flows *f)
{
    struct instant at;

    if (!take_batch(f, &at))
        return false;
    if (before(f->now, at)) /* a flow may start within the nanosecond that is already past its beginning */
        f->now = at;
    f->stamp++;
    for (size_t i = 0; i < f->batch.n && !f->failed; i++) {
        uint64_t e = f->batch.at[i];
        if (e >= EVENT_START)
            flows_begin(f, (uint32_t)e);
        else if (e >= EVENT_GROUP)
            flows_complete(f, (uint32_t)e);
        else
            link_ends(f, (uint32_t)e);
    }
    solve(f);
    return !f->failed;
}

static bool due(const struct gy_flows *f, gy_time until)
{
    struct gy_heap_event e;

    return gy_heap_peek(&f->heap, &e) && e.time <= until;
}

bool gy_flows_advance(struct gy_flows *f, gy_time until, bool one)
{
    gy_vec_clear(&f->ended);
    if (f->stale) {
        f->stamp++;
        solve(f);
    }
    while (due(f, until)) {
        if (!step(f))
            return false;
        if (one)
            return true;
    }
    if (until != GY_NEVER && before(f->now, (struct instant){until, 0}))
        f->now = (struct instant){until, 0};
    return !f->failed;
}

bool gy_flows_set_capacity(struct gy_flows *f, uint32_t link, double capacity)
{
    f->stale = true;
    return gy_solver_set_capacity(f->solver, link, capacity);
}

gy_time gy_flows_next(const struct gy_flows *f)
{
    struct gy_heap_event e;

    if (f->stale)
        return f->now.ns;
    return gy_heap_peek(&f->heap, &e) ? e.time : GY_NEVER;
}

const struct gy_flow_end *gy_flows_ended(const struct gy_flows *f, size_t *n)
{
    *n = f->ended.n;
    return f->ended.at;
}

size_t gy_flows_active(const struct gy_flows *f)
{
    return f->active;
}

double gy_flows_load_now(const struct gy_flows *f, uint32_t link)
{
    return gy_solver_load(f->solver, link);
}

struct gy_flow_load gy_flows_load(const struct gy_flows *f, uint32_t link)
{
    return f->load[link];
}

uint64_t gy_flows_events(const struct gy_flows *f)
{
    return f->events;
}
