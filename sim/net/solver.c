/* The solver's tables: links, variables and the two lists that join them. The filling itself is solver_fill.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "solver.h"

struct gy_solver *gy_solver_new(void)
{
    struct gy_solver *s = calloc(1, sizeof *s);

    return s;
}

void gy_solver_free(struct gy_solver *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lists.n; i++)
        free(s->lists.at[i].use);
    for (size_t i = 0; i < POOL_CLASSES; i++)
        gy_vec_free(&s->free_blocks[i]);
    free(s->links);
    gy_vec_free(&s->lists);
    gy_vec_free(&s->vars);
    gy_vec_free(&s->pool);
    gy_vec_free(&s->coef);
    gy_vec_free(&s->free_vars);
    gy_vec_free(&s->marked);
    gy_vec_free(&s->fresh);
    gy_vec_free(&s->pending);
    gy_vec_free(&s->moved);
    gy_vec_free(&s->touched);
    gy_vec_free(&s->changed_links);
    gy_vec_free(&s->changed);
    gy_vec_free(&s->candidates);
    gy_heap_free(&s->heap);
    free(s);
}

void link_mark(struct gy_solver *s, uint32_t l)
{
    struct link *link = &s->links[l];

    if (link->marked)
        return;
    link->marked = true;
    s->failed |= !gy_vec_push(&s->marked, l);
}

static bool links_grow(struct gy_solver *s)
{
    size_t cap = s->cap_links ? 2 * s->cap_links : 64;
    struct link *grown = aligned_alloc(64, cap * sizeof *grown);

    if (!grown)
        return false;
    if (s->n_links)
        memcpy(grown, s->links, s->n_links * sizeof *grown);
    free(s->links);
    s->links = grown;
    s->cap_links = cap;
    return true;
}

bool gy_solver_add_link(struct gy_solver *s, double capacity, uint32_t *link)
{
    if (s->n_links >= GY_SOLVER_NONE || (s->n_links == s->cap_links && !links_grow(s)) ||
        !gy_vec_push(&s->lists, (struct link_list){0}))
        return false;
    *link = (uint32_t)s->n_links++;
    s->links[*link] = (struct link){.capacity = capacity, .level = INFINITY, .handle = GY_HEAP_NONE};
    return true;
}

bool gy_solver_set_capacity(struct gy_solver *s, uint32_t link, double capacity)
{
    if (s->links[link].capacity != capacity) {
        s->links[link].capacity = capacity;
        link_mark(s, link);
    }
    return !s->failed;
}

static bool block_take(struct gy_solver *s, size_t n, uint8_t *size_class, uint32_t *at)
{
    uint8_t c = 0;

    while (((size_t)1 << c) < n)
        c++;
    *size_class = c;
    if (s->free_blocks[c].n) {
        *at = s->free_blocks[c].at[--s->free_blocks[c].n];
        return true;
    }
    size_t end = s->pool.n + ((size_t)1 << c);
    if (end >= GY_SOLVER_NONE || !gy_vec_reserve(&s->pool, end) || !gy_vec_reserve(&s->coef, end))
        return false;
    *at = (uint32_t)s->pool.n;
    s->pool.n = s->coef.n = end;
    return true;
}

/* Enters use number k of variable v in its link's list. */
static bool link_enter(struct gy_solver *s, uint32_t id, uint32_t k)
{
    const struct var *v = &s->vars.at[id];
    struct gy_solver_use *u = var_uses(s, v) + k;
    struct link_list *l = &s->lists.at[u->other];

    if (l->n == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 4;
        struct link_use *grown = realloc(l->use, cap * sizeof *grown);
        if (!grown)
            return false;
        l->use = grown;
        l->cap = cap;
    }
    u->at = l->n;
    l->use[l->n++] = (struct link_use){{id, k, u->aw}, v->uses, v->n};
    l->total_aw += u->aw;
    l->capped += v->cap < INFINITY;
    return true;
}

static void use_put(struct gy_solver *s, struct link_list *l, uint32_t at, struct link_use u)
{
    l->use[at] = u;
    s->pool.at[u.uses + u.u.at].at = at;
}

/* The variable is no longer the link's own, so its use is behind the own ones. */
static void link_leave(struct gy_solver *s, const struct gy_solver_use *u, bool capped)
{
    struct link_list *l = &s->lists.at[u->other];
    uint32_t at = u->at;

    l->total_aw = --l->n ? l->total_aw - u->aw : 0;
    l->capped -= capped;
    if (at < l->n)
        use_put(s, l, at, l->use[l->n]);
}

static void swap_uses(struct gy_solver *s, struct link_list *l, uint32_t a, uint32_t b)
{
    struct link_use u = l->use[a];

    if (a == b)
        return;
    use_put(s, l, a, l->use[b]);
    use_put(s, l, b, u);
}

void link_own(struct gy_solver *s, uint32_t link, uint32_t at)
{
    struct link *l = &s->links[link];
    struct link_list *list = &s->lists.at[link];

    l->own_aw += list->use[at].u.aw;
    list->own_peak = l->own_aw > list->own_peak ? l->own_aw : list->own_peak;
    if (l->own_n == 0)
        l->level = 0, l->fresh = true;
    swap_uses(s, list, at, l->own_n++);
}

void link_disown(struct gy_solver *s, uint32_t link, uint32_t at)
{
    struct link *l = &s->links[link];
    struct link_list *list = &s->lists.at[link];

    l->own_aw -= list->use[at].u.aw;
    swap_uses(s, list, at, --l->own_n);
    if (l->own_n == 0)
        l->own_aw = 0, l->level = INFINITY, l->fresh = false;
    if (l->own_aw < 0.01 * list->own_peak) { /* little is left of much: sum anew, the difference would be rounding */
        l->own_aw = 0;
        for (uint32_t i = 0; i < l->own_n; i++)
            l->own_aw += list->use[i].u.aw;
        list->own_peak = l->own_aw;
    }
}

/* Fills the block with the distinct links of non-zero coefficient; returns how many. */
static uint32_t uses_fill(struct gy_solver *s, uint32_t block, double weight, const uint32_t *links, const double *coef,
                          size_t n)
{
    struct gy_solver_use *u = s->pool.at + block;
    double *a = s->coef.at + block;
    uint32_t m = 0;

    for (size_t i = 0; i < n; i++) {
        double c = coef ? coef[i] : 1;
        uint32_t k = 0;
        if (c == 0)
            continue;
        while (k < m && u[k].other != links[i])
            k++;
        if (k == m)
            u[m] = (struct gy_solver_use){links[i], 0, 0}, a[m++] = 0;
        a[k] += c;
    }
    for (uint32_t k = 0; k < m; k++)
        u[k].aw = a[k] * weight;
    return m;
}

bool gy_solver_add_var(struct gy_solver *s, double weight, double cap, const uint32_t *links, const double *coef,
                       size_t n, uint32_t *var)
{
    struct var v = {.owner = GY_SOLVER_NONE, .state = VAR_NEW, .cap_level = cap / weight, .weight = weight, .cap = cap};
    uint32_t id;

    if (!block_take(s, n, &v.size_class, &v.uses))
        return false;
    v.n = uses_fill(s, v.uses, weight, links, coef, n);
    if (s->free_vars.n) {
        id = s->free_vars.at[--s->free_vars.n];
        v.moved = s->vars.at[id].moved;
        s->vars.at[id] = v;
    } else {
        id = (uint32_t)s->vars.n;
        if (id == GY_SOLVER_NONE || !gy_vec_push(&s->vars, v))
            return false;
    }
    for (uint32_t k = 0; k < v.n; k++)
        if (!link_enter(s, id, k))
            return false;
    *var = id;
    return gy_vec_push(&s->fresh, id) && !s->failed;
}

/* Takes a placed variable's load off its links and marks those that this may change. */
static void unplace(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];
    double level = var_level(s, v);

    if (v->state != VAR_PLACED)
        return;
    for (uint32_t k = 0; k < v->n; k++) {
        struct gy_solver_use u = var_uses(s, v)[k];
        struct link *l = &s->links[u.other];
        if (l->own_n)
            link_mark(s, u.other);
        if (u.other == v->owner)
            link_disown(s, u.other, u.at);
        else
            l->frozen -= u.aw * level;
    }
    v->owner = GY_SOLVER_NONE;
    v->state = VAR_NEW;
}

static void place_again(struct gy_solver *s, uint32_t id)
{
    if (s->vars.at[id].state != VAR_PLACED)
        return;
    unplace(s, id);
    s->failed |= !gy_vec_push(&s->fresh, id);
}

void gy_solver_remove_var(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];

    unplace(s, id);
    for (uint32_t k = 0; k < v->n; k++)
        link_leave(s, var_uses(s, v) + k, v->cap < INFINITY);
    s->failed |= !gy_vec_push(&s->free_blocks[v->size_class], v->uses);
    s->failed |= !gy_vec_push(&s->free_vars, id);
    v->state = VAR_FREE;
    v->n = 0;
}

void gy_solver_set_weight(struct gy_solver *s, uint32_t id, double weight)
{
    struct var *v = &s->vars.at[id];

    if (v->weight == weight)
        return;
    place_again(s, id);
    v->weight = weight;
    v->cap_level = v->cap / weight;
    for (uint32_t k = 0; k < v->n; k++) {
        struct gy_solver_use *u = var_uses(s, v) + k;
        struct link_list *l = &s->lists.at[u->other];
        l->total_aw -= u->aw;
        u->aw = s->coef.at[v->uses + k] * weight;
        l->total_aw += u->aw;
        l->use[u->at].u.aw = u->aw;
    }
}

void gy_solver_set_cap(struct gy_solver *s, uint32_t id, double cap)
{
    struct var *v = &s->vars.at[id];

    if (v->cap == cap)
        return;
    if (v->owner == GY_SOLVER_NONE || s->links[v->owner].level * v->weight > cap)
        place_again(s, id);
    for (uint32_t k = 0; k < v->n; k++) {
        struct link_list *l = &s->lists.at[var_uses(s, v)[k].other];
        l->capped = l->capped - (v->cap < INFINITY) + (cap < INFINITY);
    }
    v->cap = cap;
    v->cap_level = cap / v->weight;
}

uint32_t gy_solver_links(const struct gy_solver *s)
{
    return (uint32_t)s->n_links;
}

double gy_solver_rate(const struct gy_solver *s, uint32_t var)
{
    const struct var *v = &s->vars.at[var];

    return v->owner == GY_SOLVER_NONE ? v->cap : s->links[v->owner].level * v->weight;
}

double gy_solver_level(const struct gy_solver *s, uint32_t var)
{
    return var_level(s, &s->vars.at[var]);
}

double gy_solver_weight(const struct gy_solver *s, uint32_t var)
{
    return s->vars.at[var].weight;
}

uint32_t gy_solver_owner(const struct gy_solver *s, uint32_t var)
{
    return s->vars.at[var].owner;
}

double gy_solver_capacity(const struct gy_solver *s, uint32_t link)
{
    return s->links[link].capacity;
}

double gy_solver_load(const struct gy_solver *s, uint32_t link)
{
    const struct link *l = &s->links[link];

    return l->own_n ? l->frozen + l->own_aw * l->level : l->frozen;
}

double gy_solver_link_level(const struct gy_solver *s, uint32_t link)
{
    return s->links[link].level;
}

const uint32_t *gy_solver_moved(const struct gy_solver *s, size_t *n)
{
    *n = s->moved.n;
    return s->moved.at;
}

const uint32_t *gy_solver_changed_links(const struct gy_solver *s, size_t *n)
{
    *n = s->changed_links.n;
    return s->changed_links.at;
}

const uint32_t *gy_solver_changed(struct gy_solver *s, size_t *n)
{
    if (!s->listed) {
        gy_vec_clear(&s->changed);
        for (size_t i = 0; i < s->moved.n; i++)
            s->failed |= s->vars.at[s->moved.at[i]].state == VAR_PLACED && !gy_vec_push(&s->changed, s->moved.at[i]);
        for (size_t i = 0; i < s->changed_links.n; i++) {
            uint32_t id = s->changed_links.at[i];
            const struct link_use *use = s->lists.at[id].use;
            for (uint32_t k = 0; k < s->links[id].own_n; k++)
                s->failed |= !s->vars.at[use[k].u.other].moved && !gy_vec_push(&s->changed, use[k].u.other);
        }
    }
    s->listed = true;
    *n = s->changed.n;
    return s->changed.at;
}

const uint32_t *gy_solver_touched(const struct gy_solver *s, size_t *n)
{
    *n = s->touched.n;
    return s->touched.at;
}

uint32_t gy_solver_var_on(const struct gy_solver *s, uint32_t link, uint32_t i)
{
    return s->lists.at[link].use[i].u.other;
}

uint32_t gy_solver_owned(const struct gy_solver *s, uint32_t link)
{
    return s->links[link].own_n;
}

const struct gy_solver_use *gy_solver_var_uses(const struct gy_solver *s, uint32_t var, size_t *n)
{
    *n = s->vars.at[var].n;
    return s->pool.at + s->vars.at[var].uses;
}
