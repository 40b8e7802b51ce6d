/* A closed set of flows from first start to last end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_flows.h"

static int check_links(const struct gy_flow_link *links, uint32_t n, struct gy_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!(links[i].capacity >= 0 && links[i].capacity < INFINITY))
            return gy_fail(err, GY_EINPUT, NULL, "link %u: capacity is %g bytes/s, must be finite and not negative", i,
                           links[i].capacity);
        if (links[i].latency < 0 || links[i].latency > GY_DAY)
            return gy_fail(err, GY_EINPUT, NULL, "link %u: latency must lie between 0 and one day", i);
    }
    return 0;
}

static int check_flows(const struct gy_flow *flows, size_t n, const uint32_t *path, uint32_t n_links,
                       struct gy_error *err)
{
    if (n > UINT32_MAX / 2)
        return gy_fail(err, GY_EINPUT, NULL, "%zu flows; at most %u", n, UINT32_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        const struct gy_flow *f = &flows[i];
        if (!(f->bytes >= 0 && f->bytes < INFINITY))
            return gy_fail(err, GY_EINPUT, NULL, "flow %zu: %g bytes; must be finite and not negative", i, f->bytes);
        if (f->start < -GY_TIME_MAX / 2 || f->start > GY_TIME_MAX / 2)
            return gy_fail(err, GY_EINPUT, NULL, "flow %zu: starts out of the range of time", i);
        for (uint32_t k = 0; k < f->n; k++)
            if (path[f->first + k] >= n_links)
                return gy_fail(err, GY_EINPUT, NULL, "flow %zu: link %u does not exist", i, path[f->first + k]);
    }
    return 0;
}

static bool start_all(struct gy_flows *f, const struct gy_flow *flows, size_t n, const uint32_t *path)
{
    for (size_t i = 0; i < n; i++)
        if (!gy_flows_start(f, flows[i].start, flows[i].bytes, flows[i].n ? path + flows[i].first : NULL, flows[i].n, 1,
                            INFINITY, i))
            return false;
    return true;
}

/* Seconds, rounded to the picosecond where a double holds that. */
static double seconds(gy_time ns, double past_s)
{
    double ps = round(past_s * 1e12);

    return (double)ns * 1e3 < 0x1p53 ? ((double)ns * 1e3 + ps) / 1e12 : (double)ns * 1e-9 + past_s;
}

static bool run(struct gy_flows *f, const struct gy_flow *flows, size_t n, struct gy_flows_result *r)
{
    gy_time first = GY_NEVER;
    size_t ended;

    for (size_t i = 0; i < n; i++) {
        r->end_s[i] = INFINITY;
        first = flows[i].start < first ? flows[i].start : first;
    }
    if (!gy_flows_advance(f, GY_NEVER, false))
        return false;
    const struct gy_flow_end *e = gy_flows_ended(f, &ended);
    for (size_t i = 0; i < ended; i++) {
        r->end_s[e[i].tag] = seconds(e[i].end, e[i].past_s);
        r->makespan_s = fmax(r->makespan_s, seconds(e[i].end - first, e[i].past_s));
    }
    r->stalled = n - ended;
    r->events = gy_flows_events(f);
    return true;
}

int gy_flows_replay(const struct gy_flow_link *links, uint32_t n_links, const struct gy_flow *flows, size_t n_flows,
                    const uint32_t *path, struct gy_flows_result *result, struct gy_error *err)
{
    *result = (struct gy_flows_result){0};
    if (check_links(links, n_links, err) || check_flows(flows, n_flows, path, n_links, err))
        return -1;

    struct gy_flows *f = gy_flows_new(links, n_links);
    result->end_s = malloc((n_flows + 1) * sizeof *result->end_s);
    result->load = calloc((size_t)n_links + 1, sizeof *result->load);
    bool ok =
        f && result->end_s && result->load && start_all(f, flows, n_flows, path) && run(f, flows, n_flows, result);
    for (uint32_t i = 0; ok && i < n_links; i++)
        result->load[i] = gy_flows_load(f, i);
    gy_flows_free(f);
    if (ok)
        return 0;
    gy_flows_result_free(result);
    return gy_nomem(err);
}

void gy_flows_result_free(struct gy_flows_result *r)
{
    free(r->end_s);
    free(r->load);
    *r = (struct gy_flows_result){0};
}
