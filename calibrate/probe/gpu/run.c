/* From families to a plan, and through the plan: time budget, interruption, progress, agreement between processes. */
#include "gpu.h"
#include <math.h>
#include <string.h>

enum { FAMILIES_MAX = 32 };

static int chosen(const struct gy_probe_options *o, bool *on, struct gy_error *err)
{
    const char *names[FAMILIES_MAX];
    int n = gp_family_count();
    for (int i = 0; i < n; i++) {
        names[i] = gp_families[i]->name;
        on[i] = o->only_count == 0;
    }
    for (int k = 0; k < o->only_count; k++) {
        bool known = false;
        for (int i = 0; i < n; i++) {
            if (strcmp(o->only[k], names[i]) == 0) {
                known = on[i] = true;
            }
        }
        if (!known) {
            const char *nearest = gy_nearest(o->only[k], names, (size_t)n);
            gy_fail(err, GY_EUSAGE, NULL, "--only: unknown family \"%s\"", o->only[k]);
            return nearest ? gy_hint(err, "did you mean %s?", nearest) : gy_hint(err, "see --list");
        }
    }
    return 0;
}

int gp_plan(const struct gy_probe_options *o, const struct gy_probe_world *w, struct gy_probe_plan *p,
            struct gy_error *err)
{
    bool on[FAMILIES_MAX];
    if (chosen(o, on, err) != 0) {
        return -1;
    }
    for (int i = 0; gp_families[i]; i++) {
        p->family = i;
        if (on[i]) {
            gp_families[i]->plan(w, p);
        }
    }
    return p->failed ? gy_nomem(err) : 0;
}

void gp_plan_print(const struct gy_probe_plan *p, const struct gy_probe_world *w, bool every_point, FILE *to)
{
    char text[160];
    fprintf(to, "plan (%s) for %d node%s of %d GPU%s, compute capability %d.%d: %zu points\n",
            w->full ? "full" : "quick", w->nodes, w->nodes == 1 ? "" : "s", w->gpus, w->gpus == 1 ? "" : "s",
            w->cc / 10, w->cc % 10, p->steps.n);
    for (int f = 0; gp_families[f]; f++) {
        size_t points = 0, last = 0;
        for (size_t i = 0; i < p->steps.n; i++) {
            if (p->steps.at[i].family == f) {
                points++;
                last = i;
            }
        }
        if (points == 0) {
            continue;
        }
        gp_families[f]->describe(&p->steps.at[last], text, sizeof text);
        fprintf(to, "  %-12s %5zu points, the last: %s\n", gp_families[f]->name, points, text);
        for (size_t i = 0; every_point && i < p->steps.n; i++) {
            if (p->steps.at[i].family == f) {
                gp_families[f]->describe(&p->steps.at[i], text, sizeof text);
                fprintf(to, "    %s\n", text);
            }
        }
    }
    for (size_t i = 0; i < p->notes.n; i++) {
        fprintf(to, "  %s\n", p->notes.at[i]);
    }
    if (w->nodes * w->gpus == 1) {
        fputs("  one GPU: one-rank collectives are local copies; links are not measured\n", to);
    }
}

struct turn { /* what process 0 decides at each point */
    enum { GO, SKIP, STOP } what;
};

/* When the family of the step has used up its part of the budget. */
static double family_end(const struct gp_context *c, const struct gy_probe_plan *p, int family, double start,
                         double now)
{
    double shares[FAMILIES_MAX];
    int n = gp_family_count();
    if (c->options->budget_s <= 0) {
        return INFINITY;
    }
    for (int i = 0; i < n; i++) {
        shares[i] = 0;
    }
    for (size_t i = 0; i < p->steps.n; i++) {
        shares[p->steps.at[i].family] = gp_families[p->steps.at[i].family]->share;
    }
    return now + gy_probe_allot(shares, n, family, c->options->budget_s - (now - start));
}

static int take_step(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    const struct gp_family *f = gp_families[s->family];
    char text[160];
    int in = f->every_node ? s->group.nodes : 1;
    if (gp_nodes_join(c->mpi, in, err) != 0) {
        return -1;
    }
    if (c->node >= in) {
        gp_lanes_close(c); /* the others leave their communicators at this point too */
        return 0;
    }
    if (f->run(c, s, err) == 0) {
        return 0;
    }
    f->describe(s, text, sizeof text);
    if (!err->place[0]) {
        snprintf(err->place, sizeof err->place, "%s", text);
    }
    return -1;
}

static void leave_family(struct gp_context *c, int family, size_t skipped)
{
    if (skipped > 0) {
        gy_probe_file_skip(c->file, "%s: the last %zu points: the time budget of %g s", gp_families[family]->name,
                           skipped, c->options->budget_s);
    }
    gp_lanes_close(c);
    gp_buffers_free(c);
}

int gp_run(struct gp_context *c, const struct gy_probe_plan *p, struct gy_probe_bar *bar, struct gy_error *err)
{
    double start = gp_now_s(), end = INFINITY;
    int family = -1;
    size_t skipped = 0;
    if (gp_nodes_join(c->mpi, c->nodes, err) != 0) {
        return -1;
    }
    for (size_t i = 0; i < p->steps.n; i++) {
        const struct gy_probe_step *s = &p->steps.at[i];
        double now = gp_now_s();
        if (s->family != family) {
            if (family >= 0) {
                leave_family(c, family, skipped);
            }
            family = s->family;
            skipped = 0;
            end = family_end(c, p, family, start, now);
        }
        struct turn t = {*c->interrupted ? STOP : now > end ? SKIP : GO};
        gp_nodes_broadcast(c->mpi, c->nodes, &t, sizeof t);
        if (t.what == STOP) {
            c->file->stopped = "interrupted";
            break;
        }
        skipped += t.what == SKIP;
        gy_probe_bar_step(bar, gp_families[family]->name, i, p->steps.n, now - start);
        if (t.what == GO && take_step(c, s, err) != 0) {
            return -1;
        }
    }
    if (family >= 0) {
        leave_family(c, family, skipped);
    }
    gy_probe_bar_step(bar, "done", p->steps.n, p->steps.n, gp_now_s() - start);
    return 0;
}
