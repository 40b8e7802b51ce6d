/* The filling: rates from weights, caps and capacities, replayed only where they differ from the last solution.
 *
 * The sweep goes upwards in level. An open link has a key, a lower bound of the level at which something happens on it:
 * it fills, or it passes the level at which it used to be full. In the second case its own variables are set free and
 * rise further, which opens their other links. Variables that no open link frees or holds keep their level, so on an
 * open link they count as fixed load; where that would leave the link's own variables below one of them, the link takes
 * that one over (lower_some). What happens at a level never undoes what happened below it, so each link fills at most
 * once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver.h"

#define OVERLOAD 1e-12 /* relative; smaller excess is rounding */
#define CAP_BIT  ((uint64_t)1 << 32)

static gy_time heap_time(double level) /* levels are ≥ 0: their bits order as integers */
{
    gy_time t;

    level += 0.0;
    memcpy(&t, &level, sizeof t);
    return t;
}

/* Level at which the link as it stands fills. */
static double fill_level(const struct link *l)
{
    if (l->rising_n == 0)
        return l->frozen > l->capacity * (1 + OVERLOAD) ? 0 : INFINITY;
    return fmax((l->capacity - l->frozen) / l->rising_aw, 0);
}

static double link_key(const struct link *l)
{
    return fmin(fill_level(l), l->level);
}

static void schedule(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links.at[id];
    double key = link_key(l);

    if (l->state != LINK_OPEN || key == INFINITY)
        return;
    if (l->handle == GY_HEAP_NONE) {
        l->handle = gy_heap_push(&s->heap, heap_time(key), 1, id);
        s->failed |= l->handle == GY_HEAP_NONE;
        l->key = key;
    } else if (key < l->key) {
        gy_heap_move(&s->heap, l->handle, heap_time(key));
        l->key = key;
    }
}

/* Sums the link's load anew, so that rounding does not pile up over many solves. */
static void refresh(struct gy_solver *s, struct link *l, uint32_t id)
{
    l->load = l->own_aw = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct var_hot *v = &s->hot.at[l->use[i].other];
        if (v->state != VAR_SETTLED)
            continue;
        l->load += l->use[i].aw * v->level;
        if (v->owner == id)
            l->own_aw += l->use[i].aw;
    }
}

static void open_link(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links.at[id];

    if (l->state != LINK_IDLE)
        return;
    if (++l->visits == 0)
        refresh(s, l, id);
    l->state = LINK_OPEN;
    l->handle = GY_HEAP_NONE;
    l->was = l->level;
    l->rising_n = l->own_n;
    l->rising_aw = l->own_aw;
    l->frozen = l->own_n ? l->load - l->own_aw * l->level : l->load;
    s->failed |= !gy_vec_push(&s->touched, id);
}

static void stop_rising(struct link *l, double aw, double level)
{
    if (l->state != LINK_OPEN)
        return;
    l->rising_aw = --l->rising_n ? l->rising_aw - aw : 0;
    l->frozen += aw * level;
}

static void disown(struct link *l, double aw)
{
    l->own_aw -= aw;
    if (--l->own_n == 0)
        l->own_aw = 0, l->level = INFINITY;
}

/* Variable id stays at level, held by link `by` (NONE: by its cap). The caller keeps the books of `by`. */
static void settle(struct gy_solver *s, uint32_t id, uint32_t by, double level)
{
    struct var *v = &s->vars.at[id];
    struct var_hot *hot = &s->hot.at[id];
    bool rising = hot->state == VAR_RISING;
    double from = rising ? 0 : hot->level;
    const struct gy_solver_use *u = var_uses(s, v);

    if (!rising)
        v->was_owner = hot->owner;
    for (uint32_t k = 0; k < v->n; k++) {
        struct link *l = &s->links.at[u[k].other];
        if (u[k].other == by)
            continue;
        if (rising) {
            stop_rising(l, u[k].aw, level);
        } else {
            bool idle = l->state == LINK_IDLE;
            open_link(s, u[k].other);
            if (u[k].other == hot->owner) {
                disown(l, u[k].aw);
                stop_rising(l, u[k].aw, level);
            } else {
                l->frozen += u[k].aw * (level - from);
            }
            if (idle)
                schedule(s, u[k].other);
        }
        l->load += u[k].aw * (level - from);
    }
    if (!hot->listed && (hot->fresh || hot->level != level || v->was_owner != by)) {
        hot->listed = true;
        s->failed |= !gy_vec_push(&s->changed, id);
    }
    hot->fresh = false;
    hot->level = level;
    hot->owner = by;
    hot->state = VAR_SETTLED;
}

/* Variable id rises from `level` on; link `from` (or NONE) has counted it as rising before. */
static void rise(struct gy_solver *s, uint32_t id, uint32_t from, double level)
{
    const struct var *v = &s->vars.at[id];
    const struct gy_solver_use *u = var_uses(s, v);

    for (uint32_t k = 0; k < v->n; k++) { /* the state changes after it: opening a link may sum its load */
        struct link *l = &s->links.at[u[k].other];
        if (u[k].other != from) {
            open_link(s, u[k].other);
            l->frozen -= u[k].aw * level;
            l->rising_aw += u[k].aw;
            l->rising_n++;
        }
        l->load -= u[k].aw * level;
        if (u[k].other != from)
            schedule(s, u[k].other);
    }
    s->hot.at[id].state = VAR_RISING;
    s->hot.at[id].owner = GY_SOLVER_NONE;
    if (v->cap < INFINITY)
        s->failed |=
            gy_heap_push(&s->heap, heap_time(fmax(v->cap / v->weight, level)), 0, CAP_BIT | id) == GY_HEAP_NONE;
    else if (v->n == 0)
        settle(s, id, GY_SOLVER_NONE, INFINITY);
}

/* A link of the variable that has filled in this sweep, other than `but`. */
static uint32_t filled_link(struct gy_solver *s, const struct var *v, uint32_t but)
{
    const struct gy_solver_use *u = var_uses(s, v);

    for (uint32_t k = 0; k < v->n; k++)
        if (u[k].other != but && s->links.at[u[k].other].state == LINK_DONE)
            return k;
    return GY_SOLVER_NONE;
}

/* The sweep passes the level at which link id was full, and it is not: its own variables go on. One that is also on a
 * link that has filled (at this same level, or it would have been held there) stays with that one. */
static void release(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links.at[id];
    double level = l->level;

    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t v = l->use[i].other;
        if (s->hot.at[v].owner != id)
            continue;
        uint32_t k = filled_link(s, &s->vars.at[v], id);
        if (k == GY_SOLVER_NONE) {
            s->vars.at[v].was_owner = id;
            rise(s, v, id, level);
        } else {
            struct gy_solver_use u = var_uses(s, &s->vars.at[v])[k];
            settle(s, v, u.other, s->links.at[u.other].level);
            s->links.at[u.other].own_aw += u.aw;
            s->links.at[u.other].own_n++;
        }
    }
    l->own_n = 0;
    l->own_aw = 0;
    l->level = INFINITY;
    schedule(s, id);
}

static int higher_first(const void *pa, const void *pb)
{
    const struct lowered *a = pa, *b = pb;

    if (a->level != b->level)
        return a->level > b->level ? -1 : 1;
    return (a->var > b->var) - (a->var < b->var);
}

/* Fixed variables above the link's level must come down to it: takes them, highest first, until none is above.
 * Returns the level, at which rising_aw and frozen then hold. */
static double lower_some(struct gy_solver *s, uint32_t id, double level, double *frozen, double *rising_aw)
{
    const struct link *l = &s->links.at[id];

    gy_vec_clear(&s->lowered);
    for (uint32_t i = 0; i < l->n; i++) {
        const struct var_hot *v = &s->hot.at[l->use[i].other];
        if (v->state != VAR_RISING && v->owner != id && v->level > level)
            s->failed |= !gy_vec_push(&s->lowered, ((struct lowered){v->level, l->use[i].aw, l->use[i].other}));
    }
    if (s->lowered.n)
        qsort(s->lowered.at, s->lowered.n, sizeof *s->lowered.at, higher_first);
    for (size_t i = 0; i < s->lowered.n; i++) {
        const struct lowered *v = &s->lowered.at[i];
        if (v->level <= level * (1 + LEVEL_TOLERANCE))
            break;
        *frozen -= v->aw * v->level;
        *rising_aw += v->aw;
        level = fmax((l->capacity - *frozen) / *rising_aw, 0);
    }
    return level;
}

/* Exact sums of the link as it stands; returns the highest fixed level. */
static double scan(struct gy_solver *s, uint32_t id, double *frozen, double *rising_aw, uint32_t *rising_n)
{
    const struct link *l = &s->links.at[id];
    double f = 0, a = 0, top = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < l->n; i++) {
        const struct var_hot *v = &s->hot.at[l->use[i].other];
        if (v->state == VAR_RISING || v->owner == id) {
            a += l->use[i].aw;
            n++;
        } else {
            f += l->use[i].aw * v->level;
            top = fmax(top, v->level);
        }
    }
    *frozen = f;
    *rising_aw = a;
    *rising_n = n;
    return top;
}

/* Link id is full at level: it holds what rises on it, its own variables, and fixed ones that were above. */
static void hold(struct gy_solver *s, uint32_t id, double level)
{
    double frozen = 0, own_aw = 0;
    uint32_t own_n = 0;

    s->links.at[id].state = LINK_DONE;
    for (uint32_t i = 0; i < s->links.at[id].n; i++) {
        const struct gy_solver_use *u = &s->links.at[id].use[i];
        const struct var_hot *v = &s->hot.at[u->other];
        bool own = v->owner == id;
        if (!own && v->state != VAR_RISING && v->level <= level * (1 + LEVEL_TOLERANCE)) {
            frozen += u->aw * v->level;
            continue;
        }
        own_aw += u->aw;
        own_n++;
        if (!own || v->level != level || v->fresh)
            settle(s, u->other, id, level);
    }
    struct link *l = &s->links.at[id];
    l->own_n = own_n;
    l->own_aw = own_aw;
    l->level = own_n ? level : INFINITY;
    l->load = frozen + own_aw * level;
}

/* The sweep is at link id's key. */
static void visit(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links.at[id];
    double frozen, rising_aw, level = fill_level(l);
    struct gy_heap_event next;

    if (level > l->level * (1 + 1e-9)) {
        release(s, id);
        return;
    }
    double top = scan(s, id, &l->frozen, &l->rising_aw, &l->rising_n);
    level = fill_level(l);
    if (l->rising_n == 0 && level == INFINITY)
        return;
    frozen = l->frozen;
    rising_aw = l->rising_aw;
    if (top > level)
        level = lower_some(s, id, level, &frozen, &rising_aw);
    if (level > l->level * (1 + LEVEL_TOLERANCE)) {
        release(s, id);
        return;
    }
    if (fabs(level - l->was) <= LEVEL_TOLERANCE * level)
        level = l->was;
    if (gy_heap_peek(&s->heap, &next) && next.time < heap_time(level)) {
        l->handle = gy_heap_push(&s->heap, heap_time(level), 1, id);
        s->failed |= l->handle == GY_HEAP_NONE;
        l->key = level;
        return;
    }
    hold(s, id, level);
}

static void begin(struct gy_solver *s)
{
    for (size_t i = 0; i < s->changed.n; i++)
        s->hot.at[s->changed.at[i]].listed = false;
    gy_vec_clear(&s->changed);
    gy_vec_clear(&s->touched);
    for (size_t i = 0; i < s->marked.n; i++) {
        s->links.at[s->marked.at[i]].marked = false;
        open_link(s, s->marked.at[i]);
        schedule(s, s->marked.at[i]);
    }
    gy_vec_clear(&s->marked);
    for (size_t i = 0; i < s->risen.n; i++)
        if (s->hot.at[s->risen.at[i]].state == VAR_NEW)
            rise(s, s->risen.at[i], GY_SOLVER_NONE, 0);
    gy_vec_clear(&s->risen);
}

bool gy_solver_solve(struct gy_solver *s)
{
    struct gy_heap_event e;

    begin(s);
    while (!s->failed && gy_heap_peek(&s->heap, &e)) {
        uint32_t id = (uint32_t)e.payload;
        if (e.payload & CAP_BIT) {
            gy_heap_pop(&s->heap, &e);
            if (s->hot.at[id].state == VAR_RISING)
                settle(s, id, GY_SOLVER_NONE, s->vars.at[id].cap / s->vars.at[id].weight);
            continue;
        }
        struct link *l = &s->links.at[id];
        double key = link_key(l);
        if (key > l->key && key < INFINITY) {
            gy_heap_move(&s->heap, l->handle, heap_time(key));
            l->key = key;
            continue;
        }
        gy_heap_pop(&s->heap, &e);
        l->handle = GY_HEAP_NONE;
        if (key < INFINITY)
            visit(s, id);
    }
    for (size_t i = 0; i < s->touched.n; i++)
        s->links.at[s->touched.at[i]].state = LINK_IDLE;
    return !s->failed;
}
