/* Flows by hand: sharing, latency, nothing to carry, dead links that come back, and steps within one nanosecond. */
#include <criterion/criterion.h>
#include <math.h>
#include "gy_flows.h"

static const uint32_t both[2] = {0, 1};

Test(net_flows_unit, shares_then_speeds_up)
{
    const struct gy_flow_link link[2] = {{1e9, 0}, {4e9, 500}};
    const struct gy_flow flow[4] = {{0, 1e9, 0, 1}, {0, 2e9, 0, 1}, {0, 0, 0, 2}, {GY_SECOND, 7, 0, 0}};
    struct gy_flows_result r;
    struct gy_error err = {0};

    cr_assert_eq(gy_flows_replay(link, 2, flow, 4, both, &r, &err), 0);
    cr_assert_eq(r.end_s[0], 2);
    cr_assert_eq(r.end_s[1], 3);
    cr_assert(fabs(r.end_s[2] - 5e-7) < 1e-15); /* latency only */
    cr_assert_eq(r.end_s[3], 1);                /* no link: no time */
    cr_assert_eq(r.load[0].bytes, 3e9);
    cr_assert_eq(r.load[0].peak, 1e9);
    cr_assert_eq(r.load[1].peak, 0);
    cr_assert_eq(r.makespan_s, 3);
    gy_flows_result_free(&r);
}

Test(net_flows_unit, a_dead_link_stalls)
{
    const struct gy_flow_link link[2] = {{1e9, 0}, {0, 0}};
    const struct gy_flow flow[2] = {{0, 1e9, 0, 1}, {0, 1, 0, 2}};
    struct gy_flows_result r;
    struct gy_error err = {0};

    cr_assert_eq(gy_flows_replay(link, 2, flow, 2, both, &r, &err), 0);
    cr_assert_eq(r.end_s[0], 1);
    cr_assert_eq(r.end_s[1], INFINITY);
    cr_assert_eq(r.stalled, 1);
    gy_flows_result_free(&r);
}

Test(net_flows_unit, a_link_fails_and_is_repaired)
{
    const struct gy_flow_link link[1] = {{1e9, 0}};
    struct gy_flows *f = gy_flows_new(link, 1);
    size_t n;

    cr_assert(gy_flows_start(f, 0, 2e9, both, 1, 1, INFINITY, 42));
    cr_assert_eq(gy_flows_next(f), 0);
    cr_assert(gy_flows_advance(f, GY_SECOND, false));
    cr_assert(gy_flows_set_capacity(f, 0, 0));
    cr_assert(gy_flows_advance(f, 3 * GY_SECOND, false));
    cr_assert_eq(gy_flows_next(f), GY_NEVER);
    cr_assert(gy_flows_set_capacity(f, 0, 5e8));
    cr_assert(gy_flows_advance(f, 3 * GY_SECOND, false));
    cr_assert_eq(gy_flows_next(f), 5 * GY_SECOND);
    cr_assert(gy_flows_advance(f, GY_NEVER, true));
    const struct gy_flow_end *e = gy_flows_ended(f, &n);
    cr_assert_eq(n, 1);
    cr_assert_eq(e->tag, 42);
    cr_assert_eq(e->end, 5 * GY_SECOND);
    cr_assert_eq(gy_flows_active(f), 0);
    gy_flows_free(f);
}

Test(net_flows_unit, caps_and_weights)
{
    const struct gy_flow_link link[1] = {{10e9, 0}};
    struct gy_flows *f = gy_flows_new(link, 1);
    size_t n;

    cr_assert(gy_flows_start(f, 0, 2e9, both, 1, 1, 1e9, 0)); /* 2 s at its cap */
    cr_assert(gy_flows_start(f, 0, 3e9, both, 1, 1, INFINITY, 1));
    cr_assert(gy_flows_start(f, 0, 6e9, both, 1, 2, INFINITY, 2)); /* shares 9e9 as 1 to 2: both end at 1 s */
    cr_assert(gy_flows_start(f, 0, 5, NULL, 0, 1, 5, 3));          /* no link, 5 bytes/s: 1 s */
    cr_assert(gy_flows_advance(f, GY_NEVER, false));
    const struct gy_flow_end *e = gy_flows_ended(f, &n);
    cr_assert_eq(n, 4);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(e[i].end, e[i].tag ? GY_SECOND : 2 * GY_SECOND);
    cr_assert_eq(gy_flows_events(f), 3);
    gy_flows_free(f);
}

Test(net_flows_unit, order_below_the_nanosecond)
{
    const struct gy_flow_link link[1] = {{1e12, 0}}; /* 1,000 bytes a nanosecond */
    struct gy_flows *f = gy_flows_new(link, 1);
    size_t n;

    cr_assert(gy_flows_start(f, 0, 500, both, 1, 1, INFINITY, 0));
    cr_assert(gy_flows_start(f, 0, 250, both, 1, 1, INFINITY, 1));
    cr_assert(gy_flows_advance(f, GY_NEVER, false));
    const struct gy_flow_end *e = gy_flows_ended(f, &n);
    cr_assert_eq(n, 2);
    cr_assert_eq(e[0].tag, 1);
    cr_assert(fabs(e[0].past_s - 0.5e-9) < 1e-12);
    cr_assert(fabs(e[1].past_s - 0.75e-9) < 1e-12);
    gy_flows_free(f);
}

Test(net_flows_unit, input_is_checked)
{
    const struct gy_flow_link good = {1, 0}, bad = {NAN, 0};
    const struct gy_flow flow = {0, -1, 0, 1}, off = {0, 1, 1, 1};
    struct gy_flows_result r;
    struct gy_error err = {0};

    cr_assert_eq(gy_flows_replay(&bad, 1, NULL, 0, both, &r, &err), -1);
    cr_assert_eq(gy_flows_replay(&good, 1, &flow, 1, both, &r, &err), -1);
    cr_assert_eq(gy_flows_replay(&good, 1, &off, 1, both, &r, &err), -1);
    cr_assert_eq(gy_flows_replay(&good, 1, NULL, 0, both, &r, &err), 0);
    gy_flows_result_free(&r);
}
