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

/* The groups that the link holds and that are due now. */
static void link_ends(struct gy_flows *f, uint32_t link)
{
    const struct link_event *e = &f->event[link];
    double clock = link_clock(f, link), reach = clock + e->level * (1e-9 / TICKS);

    for (uint32_t i = 0; i < gy_solver_owned(f->solver, link);) {
        uint32_t g = gy_solver_var_on(f->solver, link, i), was = gy_solver_owned(f->solver, link);
        if (f->target.at[g] <= reach)
            flows_complete(f, g);
        if (gy_solver_owned(f->solver, link) == was)
            i++; /* else another took its place */
    }
    flows_renew(f, link, true);
}

/* The group's next end, while its cap holds it. */
static void renew_group(struct gy_flows *f, uint32_t id)
{
    struct group *g = &f->groups.at[id];

    g->served = flows_served(f, id);
    g->since = f->now;
    g->end =
        g->level > 0 ? instant_after(f->now, fmax(g->due - g->served, 0) / g->level) : (struct instant){GY_NEVER, 0};
    event_push(f, EVENT_GROUP | id, g->end);
}

/* Group id has come into other hands, or its flows are others. */
static void regroup(struct gy_flows *f, uint32_t id)
{
    struct group *g = &f->groups.at[id];
    double served = g->served; /* now: solve has seen to it */

    if (g->owner != GY_SOLVER_NONE && f->target.at[id] <= f->event[g->owner].least)
        flows_renew(f, g->owner, true);
    g->owner = gy_solver_owner(f->solver, id);
    if (g->owner == GY_SOLVER_NONE) {
        g->level = gy_solver_level(f->solver, id);
        g->since = f->now;
        renew_group(f, id);
        return;
    }
    if (g->handle != GY_HEAP_NONE)
        event_push(f, EVENT_GROUP | id, (struct instant){GY_NEVER, 0});
    struct link_event *e = &f->event[g->owner];
    g->served = served - e->clock;
    f->target.at[id] = g->due - g->served;
    e->least = fmin(e->least, f->target.at[id]);
    flows_renew(f, g->owner, false);
}

/* The link's level is new: its clock goes on at that. */
static void relevel(struct gy_flows *f, uint32_t link)
{
    struct link_event *e = &f->event[link];
    bool holds = gy_solver_owned(f->solver, link) > 0;

    e->clock = link_clock(f, link);
    e->since = f->now;
    e->level = holds ? gy_solver_link_level(f->solver, link) : 0;
    if (!holds)
        e->clock = 0, e->least = INFINITY;
    flows_renew(f, link, false);
}

/* When the link's clock shows its least target. */
static void renew_link(struct gy_flows *f, uint32_t link)
{
    struct link_event *e = &f->event[link];
    uint32_t n = gy_solver_owned(f->solver, link);

    if (e->sort) {
        e->least = INFINITY;
        for (uint32_t i = 0; i < n; i++)
            e->least = fmin(e->least, f->target.at[gy_solver_var_on(f->solver, link, i)]);
    }
    e->sort = e->listed = false;
    e->end = (struct instant){GY_NEVER, 0};
    if (n > 0 && e->level > 0)
        e->end = instant_after(f->now, fmax(e->least - link_clock(f, link), 0) / e->level);
    event_push(f, EVENT_LINK | link, e->end);
}

static bool lives(const struct gy_flows *f, uint32_t group)
{
    return f->groups.at[group].n > 0;
}

static void solve(struct gy_flows *f)
{
    size_t n_moved, n;

    f->failed |= !gy_solver_solve(f->solver);
    f->events++;
    f->stale = false;
    const uint32_t *moved = gy_solver_moved(f->solver, &n_moved);
    for (size_t i = 0; i < n_moved; i++) /* by the clocks of old, before links set them anew */
        if (lives(f, moved[i]))
            f->groups.at[moved[i]].served = flows_served(f, moved[i]);
    const uint32_t *at = gy_solver_changed_links(f->solver, &n);
    for (size_t i = 0; i < n; i++)
        relevel(f, at[i]);
    for (size_t i = 0; i < n_moved; i++)
        if (lives(f, moved[i]))
            regroup(f, moved[i]);
    for (size_t i = 0; i < f->renew.n; i++)
        renew_link(f, f->renew.at[i]);
    gy_vec_clear(&f->renew);
    for (size_t i = 0; i < f->again.n; i++)
        if (lives(f, f->again.at[i]) && f->groups.at[f->again.at[i]].owner == GY_SOLVER_NONE)
            renew_group(f, f->again.at[i]);
    gy_vec_clear(&f->again);
    at = gy_solver_touched(f->solver, &n);
    for (size_t i = 0; i < n; i++)
        f->load[at[i]].peak = fmax(f->load[at[i]].peak, gy_solver_load(f->solver, at[i]));
}

static void end_group(struct gy_flows *f, uint32_t group)
{
    flows_complete(f, group);
    f->failed |= !gy_vec_push(&f->again, group);
}

/* All events of the earliest instant, which the caller has seen to be due. */
static bool step(struct gy_flows *f)
{
    struct instant at;

    if (!take_batch(f, &at))
        return false;
    if (before(f->now, at)) /* a flow may start within the nanosecond that is already past its beginning */
        f->now = at;
    for (size_t i = 0; i < f->batch.n && !f->failed; i++) {
        uint64_t e = f->batch.at[i];
        if (e >= EVENT_START)
            flows_begin(f, (uint32_t)e);
        else if (e >= EVENT_GROUP)
            end_group(f, (uint32_t)e);
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
    if (f->stale)
        solve(f);
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
