/* The filling: every link that a change concerns finds its level anew, from low levels to high. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver.h"

#define SAME     1e-12 /* relative: a level that differs by less stays */
#define OVERLOAD 1e-12 /* relative: less above capacity is rounding */
#define ROUGH    8     /* times capacity: a load once so high is summed anew, what is left of it would be rounding */

static gy_time heap_time(double level) /* levels are ≥ 0: their bits order as integers */
{
    gy_time t;

    level += 0.0;
    memcpy(&t, &level, sizeof t);
    return t;
}

/* The level of the link's own variables, given the others; without own ones INFINITY, or -1 where the others overload
 * it. */
static double fill_level(const struct link *l)
{
    if (l->own_n)
        return fmax((l->capacity - l->frozen) / l->own_aw, 0);
    return l->frozen > l->capacity * (1 + OVERLOAD) ? -1 : INFINITY;
}

/* What the link lets a variable have; INFINITY where it holds none back (or does not know yet). */
static double offer(const struct link *l)
{
    return l->own_n && !l->fresh ? l->level : INFINITY;
}

static bool same_level(double a, double b)
{
    return fabs(a - b) <= SAME * b;
}

/* Does another variable run above the link's level, as far as is known? */
static bool above(const struct gy_solver *s, const struct link *l, double level)
{
    return level < l->top * (1 - s->tolerance);
}

/* Puts the link in the queue if its level may be another, at the lower of both (as they are now: what changes later may
 * disturb the order, which only saves visits). One that the variables of others
 * overload waits until those others have had their turn: most often they come down by themselves. */
static void schedule(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links[id];
    double level = fill_level(l), key = l->own_n ? level : l->top;

    if (level == INFINITY ? !l->rough
                          : l->own_n && !l->fresh && !l->rough && same_level(level, l->level) && !above(s, l, level))
        return;
    if (l->own_n && !l->fresh)
        key = fmin(key, l->level);
    l->handle = gy_heap_push(&s->heap, heap_time(key), 0, id);
    s->failed |= l->handle == GY_HEAP_NONE;
}

/* The link's frozen load has changed: its level may, unless it is in the queue already or holds nothing and is not
 * full. */
static inline void pend(struct gy_solver *s, struct link *l, uint32_t id)
{
    if (!l->touched) {
        l->touched = true;
        s->failed |= !gy_vec_push(&s->touched, id);
    }
    l->rough |= l->frozen > ROUGH * l->capacity;
    if (l->pending || l->handle != GY_HEAP_NONE || (l->own_n == 0 && l->frozen <= l->capacity && !l->rough))
        return;
    l->pending = true;
    s->failed |= !gy_vec_push(&s->pending, id);
}

static void schedule_pending(struct gy_solver *s)
{
    for (size_t i = 0; i < s->pending.n; i++) {
        s->links[s->pending.at[i]].pending = false;
        schedule(s, s->pending.at[i]);
    }
    gy_vec_clear(&s->pending);
}

static void note_link(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links[id];

    if (!l->changed)
        s->failed |= !gy_vec_push(&s->changed_links, id);
    l->changed = true;
}

static void note_var(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];

    if (!v->moved)
        s->failed |= !gy_vec_push(&s->moved, id);
    v->moved = true;
}

/* Variable id changes hands, to link `to` (NONE: its cap), at the level at which `to` stands just now. */
static void move_var(struct gy_solver *s, uint32_t id, uint32_t to)
{
    struct var *v = &s->vars.at[id];
    double from_level = var_level(s, v), level = v->cap_level;

    if (to != GY_SOLVER_NONE)
        level = s->links[to].own_n ? s->links[to].level : 0;
    for (uint32_t k = 0; k < v->n; k++) {
        struct gy_solver_use u = var_uses(s, v)[k];
        struct link *l = &s->links[u.other];
        if (u.other == v->owner) {
            link_disown(s, u.other, u.at);
            note_link(s, u.other);
            l->frozen += u.aw * level;
        } else if (u.other == to) {
            l->frozen -= u.aw * from_level;
            link_own(s, u.other, u.at);
            note_link(s, u.other);
        } else {
            l->frozen += u.aw * (level - from_level);
        }
        if (u.other != to)
            l->top = fmax(l->top, level);
        pend(s, l, u.other);
    }
    v->owner = to;
    note_var(s, id);
}

static int lower_first(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;

    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return (a->var > b->var) - (a->var < b->var);
}

static int higher_first(const void *pa, const void *pb)
{
    const struct candidate *a = pa, *b = pb;

    if (a->level != b->level)
        return a->level > b->level ? -1 : 1;
    return (a->var > b->var) - (a->var < b->var);
}

static void sort_candidates(struct gy_solver *s, int (*order)(const void *, const void *))
{
    if (s->candidates.n > 1)
        qsort(s->candidates.at, s->candidates.n, sizeof *s->candidates.at, order);
}

/* Hands over own variables that their cap or another link holds below `level`; returns whether there were any. */
static bool give(struct gy_solver *s, uint32_t id, double level)
{
    struct link *l = &s->links[id];
    const struct link_list *list = &s->lists.at[id];
    double bound = level * (1 - s->tolerance), frozen = l->frozen, own_aw = l->own_aw;
    uint32_t own_n = l->own_n;

    gy_vec_clear(&s->candidates);
    for (uint32_t i = 0; i < l->own_n; i++) {
        const struct gy_solver_use *u = s->pool.at + list->use[i].uses;
        double low = list->capped ? s->vars.at[list->use[i].u.other].cap_level : INFINITY;
        uint32_t to = GY_SOLVER_NONE;
        for (uint32_t k = 0; k < list->use[i].n; k++) {
            double at = u[k].other == id ? INFINITY : offer(&s->links[u[k].other]);
            if (at < low)
                low = at, to = u[k].other;
        }
        if (low < bound)
            s->failed |=
                !gy_vec_push(&s->candidates, ((struct candidate){low, list->use[i].u.aw, list->use[i].u.other, to}));
    }
    sort_candidates(s, lower_first);
    size_t n = 0;
    while (n < s->candidates.n && s->candidates.at[n].level < level * (1 - s->tolerance)) {
        const struct candidate *c = &s->candidates.at[n++];
        frozen += c->aw * c->level;
        own_aw -= c->aw;
        level = --own_n ? fmax((l->capacity - frozen) / own_aw, level) : INFINITY;
    }
    for (size_t i = 0; i < n && !s->failed; i++)
        move_var(s, s->candidates.at[i].var, s->candidates.at[i].to);
    return n > 0;
}

/* The link's own variables now run at level: tells their other links. */
static void set_level(struct gy_solver *s, uint32_t id, double level)
{
    struct link *l = &s->links[id];
    const struct link_list *list = &s->lists.at[id];
    double more = level - l->level;

    l->level = level;
    l->fresh = false;
    note_link(s, id);
    for (uint32_t i = 0; i < l->own_n; i++) {
        const struct gy_solver_use *u = s->pool.at + list->use[i].uses;
        for (uint32_t k = 0; k < list->use[i].n; k++) {
            struct link *x = &s->links[u[k].other];
            if (u[k].other == id)
                continue;
            x->frozen += u[k].aw * more;
            x->top = x->top < level ? level : x->top;
            pend(s, x, u[k].other);
        }
    }
}

/* Takes over variables that run above `level` (less than 0: as many as the overload asks for), highest first. */
static bool take(struct gy_solver *s, uint32_t id, double level)
{
    struct link *l = &s->links[id];
    const struct link_list *list = &s->lists.at[id];
    double frozen = l->frozen, own_aw = l->own_aw, top = 0;
    size_t n = 0;

    level = fmax(level, 0);
    gy_vec_clear(&s->candidates);
    for (uint32_t i = l->own_n; i < list->n; i++) {
        const struct var *v = &s->vars.at[list->use[i].u.other];
        double at = v->state == VAR_PLACED ? var_level(s, v) : 0;
        if (at > level * (1 + s->tolerance))
            s->failed |=
                !gy_vec_push(&s->candidates, ((struct candidate){at, list->use[i].u.aw, list->use[i].u.other, id}));
        else
            top = fmax(top, at);
    }
    sort_candidates(s, higher_first);
    while (n < s->candidates.n && s->candidates.at[n].level > level * (1 + s->tolerance)) {
        const struct candidate *c = &s->candidates.at[n++];
        frozen -= c->aw * c->level;
        own_aw += c->aw;
        level = fmax((l->capacity - frozen) / own_aw, 0);
    }
    if (n > 0 && l->own_n) /* first, so that none of the newcomers is ever counted at the old level */
        set_level(s, id, level);
    for (size_t i = 0; i < n && !s->failed; i++)
        move_var(s, s->candidates.at[i].var, id);
    l->top = n < s->candidates.n ? fmax(top, s->candidates.at[n].level) : top;
    return n > 0;
}

/* Sums anew, so that rounding does not pile up over many solves. */
static void refresh(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links[id];
    struct link_list *list = &s->lists.at[id];

    l->frozen = l->own_aw = l->top = list->total_aw = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const struct link_use *use = &list->use[i];
        const struct var *v = &s->vars.at[use->u.other];
        list->total_aw += use->u.aw;
        if (i < l->own_n) {
            l->own_aw += use->u.aw;
        } else if (v->state == VAR_PLACED) {
            double at = var_level(s, v);
            l->frozen += use->u.aw * at;
            l->top = fmax(l->top, at);
        }
    }
    l->rough = l->frozen > ROUGH * l->capacity;
}

/* A link that rises above what others offer to its variables is found out by those others, which take them over. That
 * is too late for caps, and too often for a link without a level or after variables have changed hands. */
static bool must_ask(const struct gy_solver *s, uint32_t id, bool again)
{
    return again || s->links[id].fresh || s->lists.at[id].capped > 0;
}

static void visit(struct gy_solver *s, uint32_t id)
{
    struct link *l = &s->links[id];
    bool again = false; /* variables have changed hands: look once more */

    if ((++s->lists.at[id].visits & 63) == 0 || l->rough)
        refresh(s, id);
    while (!s->failed) {
        double level = fill_level(l);
        bool same = l->own_n && !l->fresh && same_level(level, l->level);
        if (level == INFINITY || (same && !again && !above(s, l, level)))
            break;
        if (l->own_n && must_ask(s, id, again) && give(s, id, level)) {
            again = true;
            continue;
        }
        if (above(s, l, level) && take(s, id, level)) {
            again = true;
            continue;
        }
        if (l->own_n && !same)
            set_level(s, id, level);
        break;
    }
    schedule_pending(s);
}

/* A new variable begins with the link that offers least; where none holds anything back, with the one whose capacity,
 * shared among all on it, is least. */
static void place(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];
    double best = INFINITY, least = INFINITY;
    uint32_t to = GY_SOLVER_NONE, share = GY_SOLVER_NONE;

    for (uint32_t k = 0; k < v->n; k++) {
        uint32_t other = var_uses(s, v)[k].other;
        const struct link *l = &s->links[other];
        if (offer(l) < best)
            best = offer(l), to = other;
        double equal = l->capacity / s->lists.at[other].total_aw;
        if (equal < least)
            least = equal, share = other;
    }
    if (v->cap_level < best && (best < INFINITY || v->cap_level <= least))
        to = GY_SOLVER_NONE;
    else if (to == GY_SOLVER_NONE)
        to = share;
    double level = to == GY_SOLVER_NONE ? v->cap_level : s->links[to].own_n ? s->links[to].level : 0;
    for (uint32_t k = 0; k < v->n; k++) {
        struct gy_solver_use u = var_uses(s, v)[k];
        struct link *l = &s->links[u.other];
        if (u.other == to) {
            link_own(s, u.other, u.at);
            note_link(s, u.other);
        } else {
            l->frozen += u.aw * level;
            l->top = fmax(l->top, level);
        }
        pend(s, l, u.other);
    }
    v->owner = to;
    v->state = VAR_PLACED;
    note_var(s, id);
}

static void begin(struct gy_solver *s)
{
    for (size_t i = 0; i < s->moved.n; i++)
        s->vars.at[s->moved.at[i]].moved = false;
    for (size_t i = 0; i < s->changed_links.n; i++)
        s->links[s->changed_links.at[i]].changed = false;
    for (size_t i = 0; i < s->touched.n; i++)
        s->links[s->touched.at[i]].touched = false;
    gy_vec_clear(&s->moved);
    gy_vec_clear(&s->changed_links);
    gy_vec_clear(&s->touched);
    s->listed = false;
    s->tolerance = 1e-11;
    for (size_t i = 0; i < s->marked.n; i++) {
        uint32_t id = s->marked.at[i];
        s->links[id].marked = false;
        pend(s, &s->links[id], id);
    }
    gy_vec_clear(&s->marked);
    for (size_t i = 0; i < s->fresh.n; i++)
        if (s->vars.at[s->fresh.at[i]].state == VAR_NEW)
            place(s, s->fresh.at[i]);
    gy_vec_clear(&s->fresh);
    schedule_pending(s);
}

bool gy_solver_solve(struct gy_solver *s)
{
    struct gy_heap_event e;
    size_t visits = 0, allowed = 0;

    begin(s);
    allowed = 1000 + 64 * s->touched.n;
    while (!s->failed && gy_heap_pop(&s->heap, &e)) {
        s->links[e.payload].handle = GY_HEAP_NONE;
        visit(s, (uint32_t)e.payload);
        if (++visits > allowed) { /* rounding that the tolerance does not cover: a wider one ends it */
            s->tolerance = fmin(s->tolerance * 10, 1e-3);
            allowed += 1000 + 64 * s->touched.n;
        }
    }
    return !s->failed;
}
