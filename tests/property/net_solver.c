/* Random networks under random change: after every solve the rates equal those of a plain progressive filling from
 * nothing, no link carries more than its capacity, and every variable is at its cap or has a bottleneck. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>
#include "gy_solver.h"
#include "net_twin.h"

#define MAX_VARS  64
#define MAX_LINKS 24

struct world {
    struct gy_solver *s;
    struct twin_var var[MAX_VARS];
    uint32_t id[MAX_VARS];
    double cap[MAX_LINKS];
    size_t links;
    uint64_t rng;
    int style; /* 0: real numbers; 1: small integers, so that ties abound; 2: weights over six decades */
};

static uint32_t draw(struct world *w, uint32_t below)
{
    w->rng = w->rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((w->rng >> 33) % below);
}

static double amount(struct world *w)
{
    if (w->style == 1)
        return 1 + draw(w, 3);
    if (w->style == 2)
        return pow(10, (double)draw(w, 7) - 3) * (1 + draw(w, 100) / 100.0);
    return 0.1 + draw(w, 10000) / 1000.0;
}

static void add(struct world *w, size_t i)
{
    struct twin_var *v = &w->var[i];
    uint32_t links[8];

    *v = (struct twin_var){.weight = w->style == 1 && draw(w, 2) ? 1 : amount(w), .cap = INFINITY, .live = true};
    v->n = 1 + draw(w, 4);
    if (draw(w, 3) == 0)
        v->cap = draw(w, 10) == 0 ? 0 : amount(w);
    for (unsigned k = 0; k < v->n; k++) {
        bool seen = false;
        v->link[k] = draw(w, (uint32_t)w->links);
        v->coef[k] = draw(w, 2) ? 1 : amount(w);
        for (unsigned j = 0; j < k; j++)
            seen |= v->link[j] == v->link[k];
        if (seen)
            v->n = k;
    }
    for (unsigned k = 0; k < v->n; k++)
        links[k] = v->link[k];
    cr_assert(gy_solver_add_var(w->s, v->weight, v->cap, links, v->coef, v->n, &w->id[i]));
}

static void change(struct world *w)
{
    size_t i = draw(w, MAX_VARS), l = draw(w, (uint32_t)w->links);
    struct twin_var *v = &w->var[i];

    switch (draw(w, 8)) {
    case 0:
        w->cap[l] = draw(w, 12) == 0 ? 0 : amount(w) * 3;
        cr_assert(gy_solver_set_capacity(w->s, (uint32_t)l, w->cap[l]));
        return;
    case 1:
        if (v->live)
            gy_solver_set_weight(w->s, w->id[i], v->weight = amount(w));
        return;
    case 2:
        if (v->live)
            gy_solver_set_cap(w->s, w->id[i], v->cap = draw(w, 3) ? amount(w) : INFINITY);
        return;
    default:
        if (v->live)
            gy_solver_remove_var(w->s, w->id[i]);
        if (v->live)
            v->live = false;
        else
            add(w, i);
    }
}

static double near(double a, double b, double scale)
{
    return a == b ? 0 : fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), scale);
}

/* A rate of nearly nothing is what is left of a capacity, and a weight multiplies it:
 * it is compared on the scale of the largest capacity. */
static void check_rates(struct world *w, unsigned seed, unsigned step)
{
    double largest = 0.1;

    for (size_t l = 0; l < w->links; l++)
        largest = fmax(largest, w->cap[l]);
    twin_solve(w->var, MAX_VARS, w->cap, w->links);
    for (size_t i = 0; i < MAX_VARS; i++) {
        if (!w->var[i].live)
            continue;
        double got = gy_solver_rate(w->s, w->id[i]);
        cr_assert(near(got, w->var[i].rate, (w->style == 2 ? 1e-2 : 1e-4) * largest) <= 1e-9,
                  "style %d seed %u step %u variable %zu: %.17g, twin %.17g", w->style, seed, step, i, got,
                  w->var[i].rate);
    }
}

static void check_bottlenecks(struct world *w)
{
    double load[MAX_LINKS] = {0}, top[MAX_LINKS] = {0};

    for (size_t i = 0; i < MAX_VARS; i++)
        for (unsigned k = 0; w->var[i].live && k < w->var[i].n; k++) {
            load[w->var[i].link[k]] += w->var[i].coef[k] * gy_solver_rate(w->s, w->id[i]);
            top[w->var[i].link[k]] = fmax(top[w->var[i].link[k]], gy_solver_level(w->s, w->id[i]));
        }
    for (size_t l = 0; l < w->links; l++) {
        cr_assert(load[l] <= w->cap[l] * (1 + 1e-11) + 1e-12, "link %zu carries %g of %g", l, load[l], w->cap[l]);
        cr_assert(near(load[l], gy_solver_load(w->s, (uint32_t)l), w->cap[l] + 1e-3) <= 1e-9,
                  "link %zu: load %.17g, kept %.17g, capacity %g", l, load[l], gy_solver_load(w->s, (uint32_t)l),
                  w->cap[l]);
    }
    for (size_t i = 0; i < MAX_VARS; i++) {
        const struct twin_var *v = &w->var[i];
        bool ok = v->live && gy_solver_rate(w->s, w->id[i]) == v->cap;
        for (unsigned k = 0; v->live && k < v->n; k++)
            ok |= load[v->link[k]] >= w->cap[v->link[k]] * (1 - 1e-11) - 1e-12 &&
                  gy_solver_level(w->s, w->id[i]) >= top[v->link[k]] * (1 - 1e-11);
        cr_assert(ok || !v->live, "variable %zu has no bottleneck", i);
    }
}

/* Every variable whose rate differs from before is listed as changed. */
static void check_changed(struct world *w, const double *before)
{
    size_t n;
    const uint32_t *changed = gy_solver_changed(w->s, &n);
    bool listed[4 * MAX_VARS] = {false};

    for (size_t i = 0; i < n; i++)
        listed[changed[i]] = true;
    for (size_t i = 0; i < MAX_VARS; i++)
        if (w->var[i].live && before[i] != gy_solver_rate(w->s, w->id[i]))
            cr_assert(listed[w->id[i]], "variable %zu changed unsaid", i);
}

static void run(int style, unsigned seed, unsigned steps)
{
    struct world w = {.s = gy_solver_new(), .style = style, .rng = seed * 977u + 5};
    double before[MAX_VARS];

    w.links = 1 + draw(&w, MAX_LINKS);
    for (size_t l = 0; l < w.links; l++) {
        uint32_t id;
        w.cap[l] = amount(&w) * 3;
        cr_assert(gy_solver_add_link(w.s, w.cap[l], &id));
        cr_assert_eq(id, l);
    }
    size_t start = draw(&w, MAX_VARS);
    for (size_t i = 0; i < start; i++)
        add(&w, i);
    for (unsigned step = 0; step < steps; step++) {
        for (size_t i = 0; i < MAX_VARS; i++)
            before[i] = w.var[i].live ? gy_solver_rate(w.s, w.id[i]) : NAN;
        for (uint32_t n = draw(&w, 4); n > 0; n--)
            change(&w);
        cr_assert(gy_solver_solve(w.s));
        check_rates(&w, seed, step);
        check_bottlenecks(&w);
        check_changed(&w, before);
    }
    gy_solver_free(w.s);
}

Test(net_solver, equals_twin_on_real_numbers)
{
    for (unsigned seed = 0; seed < 1000; seed++)
        run(0, seed, 30);
}

Test(net_solver, equals_twin_with_ties)
{
    for (unsigned seed = 0; seed < 1000; seed++)
        run(1, seed, 30);
}

Test(net_solver, equals_twin_over_decades)
{
    for (unsigned seed = 0; seed < 1000; seed++)
        run(2, seed, 30);
}

/* Thousands of changes to one network: nothing drifts. */
Test(net_solver, no_drift)
{
    run(0, 4711, 3000);
    run(1, 4712, 3000);
}
