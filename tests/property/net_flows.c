/* Random flows, replayed and compared with a plain twin that solves everything again at every event; books balance. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_flows.h"
#include "net_twin.h"

#define FLOWS 40
#define LINKS 12

static uint64_t rng;

static unsigned draw(unsigned below)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((rng >> 33) % below);
}

struct setup {
    struct gy_flow_link link[LINKS];
    struct gy_flow flow[FLOWS];
    uint32_t path[FLOWS * 4];
    size_t n, paths;
};

static void make(struct setup *s, unsigned seed)
{
    bool even = seed % 3 == 0; /* round numbers: ties in time and in level */

    rng = seed * 7919u + 1;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < LINKS; i++)
        s->link[i] = (struct gy_flow_link){even ? 1e9 * (1 + draw(2)) : 1e8 * (1 + draw(100)), draw(3) * 1000};
    s->n = 1 + draw(FLOWS);
    for (size_t i = 0; i < s->n; i++) {
        struct gy_flow *f = &s->flow[i];
        f->start = draw(2) ? 0 : (gy_time)draw(50) * 1000000;
        f->bytes = even ? 1e6 * draw(8) : draw(1 << 24);
        f->first = s->paths;
        if (i && draw(4) == 0) {
            *f = (struct gy_flow){f->start, f->bytes, s->flow[i - 1].first, s->flow[i - 1].n};
            continue;
        }
        f->n = 1 + draw(4);
        for (uint32_t k = 0; k < f->n; k++)
            s->path[s->paths++] = ((uint32_t)i * 5 + draw(3) + k * 3) % LINKS; /* distinct within a flow */
    }
}

/* Double time, every flow solved anew at every start and end. */
static void twin_replay(const struct setup *s, double *end)
{
    struct twin_var v[FLOWS] = {0};
    double cap[LINKS], left[FLOWS], begin[FLOWS], now = 0;

    for (int i = 0; i < LINKS; i++)
        cap[i] = s->link[i].capacity;
    for (size_t i = 0; i < s->n; i++) {
        v[i] = (struct twin_var){.weight = 1, .cap = INFINITY, .n = s->flow[i].n};
        begin[i] = (double)s->flow[i].start * 1e-9;
        for (unsigned k = 0; k < v[i].n; k++) {
            v[i].link[k] = s->path[s->flow[i].first + k];
            v[i].coef[k] = 1;
            begin[i] += (double)s->link[v[i].link[k]].latency * 1e-9;
        }
        left[i] = s->flow[i].bytes;
        end[i] = NAN;
    }
    for (;;) {
        double next = INFINITY;
        for (size_t i = 0; i < s->n; i++) {
            bool begun = begin[i] <= now * (1 + 1e-14);
            if (begun && isnan(end[i]) && left[i] == 0)
                end[i] = now;
            v[i].live = begun && isnan(end[i]);
        }
        twin_solve(v, s->n, cap, LINKS);
        for (size_t i = 0; i < s->n; i++) {
            if (v[i].live)
                next = fmin(next, now + left[i] / v[i].rate);
            else if (isnan(end[i]))
                next = fmin(next, fmax(begin[i], now * (1 + 1e-15)));
        }
        if (next == INFINITY)
            return;
        for (size_t i = 0; i < s->n; i++)
            if (v[i].live) /* what would end within rounding of now ends now */
                left[i] = now + left[i] / v[i].rate <= next * (1 + 1e-14) ? 0 : left[i] - v[i].rate * (next - now);
        now = next;
    }
}

Test(net_flows, equal_a_plain_replay)
{
    double worst = 0;

    for (unsigned seed = 0; seed < 400; seed++) {
        struct setup s;
        struct gy_flows_result r;
        struct gy_error err = {0};
        double end[FLOWS], carried = 0, sent = 0;
        make(&s, seed);
        twin_replay(&s, end);
        cr_assert_eq(gy_flows_replay(s.link, LINKS, s.flow, s.n, s.path, &r, &err), 0, "%s", err.what);
        for (size_t i = 0; i < s.n; i++) {
            double d = fabs(r.end_s[i] - end[i]) / fmax(end[i], 1e-4);
            cr_assert(d <= 1e-7, "seed %u flow %zu: %.12g, twin %.12g", seed, i, r.end_s[i], end[i]);
            worst = fmax(worst, d);
            sent += s.flow[i].bytes * s.flow[i].n;
        }
        for (int l = 0; l < LINKS; l++) {
            carried += r.load[l].bytes;
            cr_assert(r.load[l].peak <= s.link[l].capacity * (1 + 1e-12));
        }
        cr_assert(fabs(carried - sent) <= 1e-9 * sent);
        gy_flows_result_free(&r);
    }
    cr_log_info("largest relative difference %g", worst);
}
