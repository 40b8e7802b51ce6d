/* Hand cases of the solver: two flows on a link, weights, caps, coefficients, a chain, and how far a change spreads. */
#include <criterion/criterion.h>
#include <math.h>
#include "gy_solver.h"

static uint32_t link_of(struct gy_solver *s, double capacity)
{
    uint32_t l;
    cr_assert(gy_solver_add_link(s, capacity, &l));
    return l;
}

static uint32_t var_of(struct gy_solver *s, double weight, double cap, const uint32_t *links, size_t n)
{
    uint32_t v;
    cr_assert(gy_solver_add_var(s, weight, cap, links, NULL, n, &v));
    return v;
}

Test(net_solver_unit, two_flows_share_a_link)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t l = link_of(s, 10), a = var_of(s, 1, INFINITY, &l, 1), b = var_of(s, 3, INFINITY, &l, 1);

    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, a), 2.5);
    cr_assert_eq(gy_solver_rate(s, b), 7.5);
    cr_assert_eq(gy_solver_load(s, l), 10);
    cr_assert_eq(gy_solver_owner(s, a), l);
    gy_solver_set_cap(s, b, 4);
    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, a), 6);
    cr_assert_eq(gy_solver_rate(s, b), 4);
    cr_assert_eq(gy_solver_owner(s, b), GY_SOLVER_NONE);
    gy_solver_remove_var(s, a);
    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_load(s, l), 4);
    gy_solver_free(s);
}

/* The textbook line of three links: one long flow, one short flow on each. */
Test(net_solver_unit, long_flow_over_three_links)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t l[3] = {link_of(s, 1), link_of(s, 2), link_of(s, 3)};
    uint32_t longest = var_of(s, 1, INFINITY, l, 3), v[3];

    for (int i = 0; i < 3; i++)
        v[i] = var_of(s, 1, INFINITY, &l[i], 1);
    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, longest), 0.5);
    cr_assert_eq(gy_solver_rate(s, v[0]), 0.5);
    cr_assert_eq(gy_solver_rate(s, v[1]), 1.5);
    cr_assert_eq(gy_solver_rate(s, v[2]), 2.5);
    cr_assert(gy_solver_set_capacity(s, l[1], 0));
    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, longest), 0);
    cr_assert_eq(gy_solver_rate(s, v[0]), 1);
    cr_assert_eq(gy_solver_rate(s, v[1]), 0);
    cr_assert_eq(gy_solver_rate(s, v[2]), 3);
    gy_solver_free(s);
}

Test(net_solver_unit, coefficients_and_repeated_links)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t l = link_of(s, 12), twice[2] = {l, l}, v;
    const double coef[2] = {0, 4};

    uint32_t a = var_of(s, 1, INFINITY, twice, 2); /* counts double */
    cr_assert(gy_solver_add_var(s, 1, INFINITY, twice, coef, 2, &v));
    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, a), 2);
    cr_assert_eq(gy_solver_rate(s, v), 2);
    gy_solver_free(s);
}

Test(net_solver_unit, without_links_a_variable_runs_at_its_cap)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t a = var_of(s, 2, 7, NULL, 0), b = var_of(s, 1, INFINITY, NULL, 0);

    cr_assert(gy_solver_solve(s));
    cr_assert_eq(gy_solver_rate(s, a), 7);
    cr_assert_eq(gy_solver_rate(s, b), INFINITY);
    gy_solver_free(s);
}

/* 1,000 separate pairs of links: a change touches its own pair. */
Test(net_solver_unit, a_change_stays_in_its_component)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t pair[1000][2], first[1000];
    size_t n;

    for (int i = 0; i < 1000; i++) {
        pair[i][0] = link_of(s, 1);
        pair[i][1] = link_of(s, 2);
        first[i] = var_of(s, 1, INFINITY, pair[i], 2);
        var_of(s, 1, INFINITY, &pair[i][1], 1);
    }
    cr_assert(gy_solver_solve(s));
    gy_solver_changed(s, &n);
    cr_assert_eq(n, 2000);
    gy_solver_remove_var(s, first[500]);
    cr_assert(gy_solver_solve(s));
    const uint32_t *touched = gy_solver_touched(s, &n);
    cr_assert_leq(n, 2);
    for (size_t i = 0; i < n; i++)
        cr_assert(touched[i] == pair[500][0] || touched[i] == pair[500][1]);
    gy_solver_changed(s, &n);
    cr_assert_eq(n, 1);
    cr_assert(gy_solver_solve(s));
    gy_solver_changed(s, &n);
    cr_assert_eq(n, 0);
    gy_solver_free(s);
}

/* A chain of equal links: taking the flow at one end away changes rates only as far as they differ. */
Test(net_solver_unit, a_change_ends_where_rates_stay)
{
    struct gy_solver *s = gy_solver_new();
    uint32_t l[50], end;
    size_t n;

    for (int i = 0; i < 50; i++)
        l[i] = link_of(s, i == 10 ? 0.5 : 1 + i);
    for (int i = 0; i + 1 < 50; i++)
        var_of(s, 1, INFINITY, &l[i], 2);
    end = var_of(s, 1, INFINITY, &l[0], 1);
    cr_assert(gy_solver_solve(s));
    gy_solver_remove_var(s, end);
    cr_assert(gy_solver_solve(s));
    gy_solver_touched(s, &n);
    cr_assert_leq(n, 11);
    gy_solver_free(s);
}
