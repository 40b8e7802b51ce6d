/* The solver's tables: links, variables and the two lists that join them. The filling itself is solver_fill.c. */
#include <math.h>
#include <stdlib.h>
#include "solver.h"

struct gy_solver *gy_solver_new(void)
{
    return calloc(1, sizeof(struct gy_solver));
}

void gy_solver_free(struct gy_solver *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->links.n; i++)
        free(s->links.at[i].use);
    for (size_t i = 0; i < POOL_CLASSES; i++)
        gy_vec_free(&s->free_blocks[i]);
    gy_vec_free(&s->links);
    gy_vec_free(&s->vars);
    gy_vec_free(&s->hot);
    gy_vec_free(&s->pool);
    gy_vec_free(&s->coef);
    gy_vec_free(&s->free_vars);
    gy_vec_free(&s->marked);
    gy_vec_free(&s->risen);
    gy_vec_free(&s->changed);
    gy_vec_free(&s->touched);
    gy_vec_free(&s->lowered);
    gy_heap_free(&s->heap);
    free(s);
}

static void mark(struct gy_solver *s, uint32_t l)
{
    struct link *link = &s->links.at[l];

    if (link->marked)
        return;
    link->marked = true;
    s->failed |= !gy_vec_push(&s->marked, l);
}

bool gy_solver_add_link(struct gy_solver *s, double capacity, uint32_t *link)
{
    struct link l = {.capacity = capacity, .level = INFINITY, .handle = GY_HEAP_NONE};

    if (s->links.n >= GY_SOLVER_NONE || !gy_vec_push(&s->links, l))
        return false;
    *link = (uint32_t)(s->links.n - 1);
    return true;
}

bool gy_solver_set_capacity(struct gy_solver *s, uint32_t link, double capacity)
{
    if (s->links.at[link].capacity != capacity) {
        s->links.at[link].capacity = capacity;
        mark(s, link);
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
static bool link_enter(struct gy_solver *s, uint32_t v, uint32_t k)
{
    struct gy_solver_use *u = var_uses(s, &s->vars.at[v]) + k;
    struct link *l = &s->links.at[u->other];

    if (l->n == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 4;
        struct gy_solver_use *grown = realloc(l->use, cap * sizeof *grown);
        if (!grown)
            return false;
        l->use = grown;
        l->cap = cap;
    }
    u->at = l->n;
    l->use[l->n++] = (struct gy_solver_use){v, k, u->aw};
    return true;
}

static void link_leave(struct gy_solver *s, struct gy_solver_use *u)
{
    struct link *l = &s->links.at[u->other];
    struct gy_solver_use last = l->use[--l->n];

    if (u->at == l->n)
        return;
    l->use[u->at] = last;
    var_uses(s, &s->vars.at[last.other])[last.at].at = u->at;
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
    struct var v = {.weight = weight, .cap = cap, .was_owner = GY_SOLVER_NONE};
    struct var_hot hot = {.owner = GY_SOLVER_NONE, .state = VAR_NEW, .fresh = true};
    uint32_t id;

    if (!block_take(s, n, &v.size_class, &v.uses))
        return false;
    v.n = uses_fill(s, v.uses, weight, links, coef, n);
    if (s->free_vars.n) {
        id = s->free_vars.at[--s->free_vars.n];
        hot.listed = s->hot.at[id].listed;
        s->vars.at[id] = v;
        s->hot.at[id] = hot;
    } else {
        id = (uint32_t)s->vars.n;
        if (id == GY_SOLVER_NONE || !gy_vec_push(&s->vars, v) || !gy_vec_push(&s->hot, hot))
            return false;
    }
    for (uint32_t k = 0; k < v.n; k++)
        if (!link_enter(s, id, k))
            return false;
    *var = id;
    return gy_vec_push(&s->risen, id) && !s->failed;
}

/* Takes a settled variable's load off its links and marks those that this may change. */
static void unsettle(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];
    struct var_hot *hot = &s->hot.at[id];
    const struct gy_solver_use *u = var_uses(s, v);

    if (hot->state != VAR_SETTLED)
        return;
    for (uint32_t k = 0; k < v->n; k++) {
        struct link *l = &s->links.at[u[k].other];
        l->load -= u[k].aw * hot->level;
        if (l->level < INFINITY)
            mark(s, u[k].other);
        if (u[k].other == hot->owner) {
            l->own_aw -= u[k].aw;
            if (--l->own_n == 0)
                l->level = INFINITY, l->own_aw = 0;
        }
    }
    v->was_owner = hot->owner;
    hot->owner = GY_SOLVER_NONE;
    hot->state = VAR_NEW;
}

static void rise_again(struct gy_solver *s, uint32_t id)
{
    if (s->hot.at[id].state != VAR_SETTLED)
        return;
    unsettle(s, id);
    s->failed |= !gy_vec_push(&s->risen, id);
}

void gy_solver_remove_var(struct gy_solver *s, uint32_t id)
{
    struct var *v = &s->vars.at[id];

    unsettle(s, id);
    for (uint32_t k = 0; k < v->n; k++)
        link_leave(s, var_uses(s, v) + k);
    s->failed |= !gy_vec_push(&s->free_blocks[v->size_class], v->uses);
    s->failed |= !gy_vec_push(&s->free_vars, id);
    s->hot.at[id].state = VAR_FREE;
    v->n = 0;
}

void gy_solver_set_weight(struct gy_solver *s, uint32_t id, double weight)
{
    struct var *v = &s->vars.at[id];

    if (v->weight == weight)
        return;
    rise_again(s, id);
    s->hot.at[id].fresh = true;
    v->weight = weight;
    for (uint32_t k = 0; k < v->n; k++) {
        struct gy_solver_use *u = var_uses(s, v) + k;
        u->aw = s->coef.at[v->uses + k] * weight;
        s->links.at[u->other].use[u->at].aw = u->aw;
    }
}

void gy_solver_set_cap(struct gy_solver *s, uint32_t id, double cap)
{
    struct var *v = &s->vars.at[id];
    const struct var_hot *hot = &s->hot.at[id];
    bool held = hot->owner != GY_SOLVER_NONE && hot->level * v->weight <= cap;

    if (v->cap == cap)
        return;
    v->cap = cap;
    if (!held)
        rise_again(s, id);
}

uint32_t gy_solver_links(const struct gy_solver *s)
{
    return (uint32_t)s->links.n;
}

double gy_solver_rate(const struct gy_solver *s, uint32_t var)
{
    const struct var_hot *hot = &s->hot.at[var];

    return hot->owner == GY_SOLVER_NONE ? s->vars.at[var].cap : hot->level * s->vars.at[var].weight;
}

double gy_solver_level(const struct gy_solver *s, uint32_t var)
{
    return s->hot.at[var].level;
}

double gy_solver_weight(const struct gy_solver *s, uint32_t var)
{
    return s->vars.at[var].weight;
}

uint32_t gy_solver_owner(const struct gy_solver *s, uint32_t var)
{
    return s->hot.at[var].owner;
}

double gy_solver_capacity(const struct gy_solver *s, uint32_t link)
{
    return s->links.at[link].capacity;
}

double gy_solver_load(const struct gy_solver *s, uint32_t link)
{
    return s->links.at[link].load;
}

double gy_solver_link_level(const struct gy_solver *s, uint32_t link)
{
    return s->links.at[link].level;
}

const uint32_t *gy_solver_changed(const struct gy_solver *s, size_t *n)
{
    *n = s->changed.n;
    return s->changed.at;
}

const uint32_t *gy_solver_touched(const struct gy_solver *s, size_t *n)
{
    *n = s->touched.n;
    return s->touched.at;
}

const struct gy_solver_use *gy_solver_link_uses(const struct gy_solver *s, uint32_t link, size_t *n)
{
    *n = s->links.at[link].n;
    return s->links.at[link].use;
}

const struct gy_solver_use *gy_solver_var_uses(const struct gy_solver *s, uint32_t var, size_t *n)
{
    *n = s->vars.at[var].n;
    return s->pool.at + s->vars.at[var].uses;
}
