/* Reading what a plan asks: goals, what varies, what is minimised. Runs nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_planner.h"
#include "inside.h"

struct range {
    double min, max, step;
    bool integer;
    int prefer;
};
static const struct gy_param range_rows[] = {
#define A(member) offsetof(struct range, member)
    {.name = "min", .type = GY_P_REAL, .offset = A(min), .help = "least value"},
    {.name = "max", .type = GY_P_REAL, .offset = A(max), .help = "largest value"},
    {.name = "step",
     .type = GY_P_REAL,
     .offset = A(step),
     .preset = "null",
     .help = "distance of the values tried; 1 for integers, else a hundredth of the range"},
    {.name = "integer", .type = GY_P_BOOL, .offset = A(integer), .preset = "null", .help = "whole numbers only"},
    {.name = "prefer",
     .type = GY_P_CHOICE,
     .offset = A(prefer),
     .preset = "\"min\"",
     .choices = "min|max",
     .help = "which end is wanted; the other is taken to help the goals"},
    {.name = NULL}
#undef A
};
static const struct gy_param goal_rows[] = {
    {.name = "metric",
     .type = GY_P_TEXT,
     .offset = offsetof(struct gy_threshold, metric),
     .help = "as in summary.json"},
    {.name = "min", .type = GY_P_REAL, .offset = offsetof(struct gy_threshold, min), .preset = "null"},
    {.name = "max", .type = GY_P_REAL, .offset = offsetof(struct gy_threshold, max), .preset = "null"},
    {.name = NULL}};

static bool wrong(const struct gy_study *s, struct gy_diags *diags, const char *pointer, const char *what)
{
    struct gy_error err = {0};
    char place[sizeof err.place];
    gy_json_place(s->doc, pointer, place, sizeof place);
    gy_fail(&err, GY_EINPUT, place, "%s", what);
    gy_diags_add(diags, &err);
    return false;
}

static bool nomem(struct gy_diags *diags)
{
    struct gy_error err = {0};
    gy_nomem(&err);
    gy_diags_add(diags, &err);
    return false;
}

static bool read_goals(struct gy_planner *p, struct gy_diags *diags)
{
    const struct gy_json *list = p->study->plan.goal;
    const size_t n = gy_json_count(list);
    bool ok = true;
    if (n == 0)
        return true;
    if (gy_json_type(list) != GY_J_ARRAY)
        return wrong(p->study, diags, "/goal", "expected an array of {\"metric\", \"min\", \"max\"}");
    struct gy_threshold *t = gy_arena_alloc(&p->arena, n * sizeof *t);
    p->pulls_down = gy_arena_alloc(&p->arena, n);
    if (!t || !p->pulls_down)
        return nomem(diags);
    p->goals = (struct gy_list){t, n};
    size_t i = 0;
    for (const struct gy_json *v = gy_json_first(list); v; v = gy_json_next(v), i++) {
        char at[64];
        snprintf(at, sizeof at, "/goal/%zu", i);
        if (gy_json_type(v) != GY_J_OBJECT)
            ok = wrong(p->study, diags, at, "expected an object {\"metric\", \"min\", \"max\"}");
        else if (gy_bind(goal_rows, p->study->doc, v, at, &t[i], &p->arena, diags))
            ok = false;
        else if (isnan(t[i].min) && isnan(t[i].max))
            ok = wrong(p->study, diags, at, "this goal is always met; give \"min\", \"max\" or both");
        else if (t[i].min > t[i].max)
            ok = wrong(p->study, diags, at, "min is above max, so nothing meets it");
    }
    return ok;
}

static bool read_range(struct gy_planner *p, const struct gy_json *v, struct gy_diags *diags)
{
    struct range r = {0};
    char at[700], token[600];
    gy_sc_token(gy_json_key(v), token, sizeof token);
    snprintf(at, sizeof at, "/vary/%s", token);
    if (gy_json_type(v) != GY_J_OBJECT)
        return wrong(p->study, diags, at, "expected an object {\"min\", \"max\", …}");
    if (gy_bind(range_rows, p->study->doc, v, at, &r, &p->arena, diags))
        return false;
    const bool whole = gy_json_get(v, "integer") ? r.integer
                                                 : floor(r.min) == r.min && floor(r.max) == r.max &&
                                                       (isnan(r.step) || floor(r.step) == r.step);
    if (!(r.min <= r.max) || fabs(r.min) > 1e15 || fabs(r.max) > 1e15 || (!isnan(r.step) && !(r.step > 0)))
        return wrong(p->study, diags, at, "expected min ≤ max, and a step above 0");
    if (whole && (floor(r.min) != r.min || floor(r.max) != r.max || (!isnan(r.step) && floor(r.step) != r.step)))
        return wrong(p->study, diags, at, "min, max and step of an integer must be integers");
    const double step = !isnan(r.step) ? r.step : whole ? 1 : r.max > r.min ? (r.max - r.min) / 100 : 1;
    const double n = floor((r.max - r.min) / step + 1e-9) + 1;
    if (n > GY_PLAN_LATTICE)
        return wrong(p->study, diags, at, "more than a million values; give a larger \"step\"");
    const struct gy_vary new_one = {.pointer = gy_json_key(v),
                                    .from = r.prefer == 0 ? r.min : r.min + (n - 1) * step,
                                    .step = r.prefer == 0 ? step : -step,
                                    .n = (uint32_t)n};
    return gy_vec_push(&p->vary, new_one) || nomem(diags);
}

static bool read_vary(struct gy_planner *p, struct gy_diags *diags)
{
    const struct gy_json *vary = p->study->plan.vary;
    double settings = 1;
    if (!vary || gy_json_type(vary) != GY_J_OBJECT || gy_json_count(vary) == 0)
        return wrong(p->study, diags, "/vary",
                     "a plan needs what it may change: {\"/cluster/nodes/0/count\": {\"min\": 1, \"max\": 64}}");
    if (gy_json_count(vary) > GY_PLAN_DIMENSIONS)
        return wrong(p->study, diags, "/vary", "more than 6 values vary");
    for (const struct gy_json *v = gy_json_first(vary); v; v = gy_json_next(v)) {
        if (!read_range(p, v, diags))
            return false;
        settings *= p->vary.at[p->vary.n - 1].n;
    }
    if (settings > GY_PLAN_LATTICE)
        return wrong(p->study, diags, "/vary",
                     "more than a million settings; give larger \"step\"s or narrower ranges");
    p->settings = (uint32_t)settings;
    return true;
}

static bool has_prices(const struct gy_study *s)
{
    return gy_json_count(gy_json_get(gy_json_root(s->base), "prices")) > 0;
}

static bool read_minimize(struct gy_planner *p, struct gy_diags *diags)
{
    const char *what = p->study->plan.minimize;
    if (!what)
        what = p->vary.n == 1 ? "" : has_prices(p->study) ? "cost" : "gpus";
    if (p->goals.n == 0 && !p->study->plan.minimize)
        return wrong(p->study, diags, "", "a plan needs a \"goal\", or a metric to \"minimize\", or both");
    if (strcmp(what, "cost") == 0 && !has_prices(p->study))
        return wrong(p->study, diags, "/minimize", "the base scenario has no \"prices\", so there is no cost");
    if (p->study->axes.n > 0 || p->study->settings > 1)
        return wrong(p->study, diags, "", "a plan has \"vary\", not \"axes\" or \"points\"");
    p->minimize = *what == 0                   ? GY_MIN_VALUE
                  : strcmp(what, "cost") == 0  ? GY_MIN_COST
                  : strcmp(what, "gpus") == 0  ? GY_MIN_GPUS
                  : strcmp(what, "nodes") == 0 ? GY_MIN_NODES
                                               : GY_MIN_METRIC;
    p->metric = p->minimize == GY_MIN_VALUE  ? p->vary.at[0].pointer
                : p->minimize == GY_MIN_COST ? "cost (USD an hour)"
                                             : what;
    return true;
}

struct gy_planner *gy_planner_new(const struct gy_study *study, struct gy_diags *diags)
{
    struct gy_planner *p = calloc(1, sizeof *p);
    if (!p) {
        nomem(diags);
        return NULL;
    }
    p->study = study;
    p->best = -1;
    p->stranded_allowed = INFINITY;
    const bool goals = read_goals(p, diags), vary = read_vary(p, diags);
    if (goals && vary && read_minimize(p, diags))
        return p;
    gy_planner_free(p);
    return NULL;
}

void gy_planner_free(struct gy_planner *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->traces.n; i++) {
        gy_inputs_free(p->traces.at[i]);
        free(p->traces.at[i]);
    }
    gy_vec_free(&p->traces);
    gy_vec_free(&p->trace_keys);
    gy_vec_free(&p->vary);
    gy_vec_free(&p->trials);
    gy_map_free(&p->by_setting);
    gy_arena_free(&p->arena);
    free(p);
}

double gy_vary_value(const struct gy_vary *v, uint32_t i)
{
    const double x = v->from + i * v->step;
    return floor(v->from) == v->from && floor(v->step) == v->step ? x : rint(x * 1e12) / 1e12;
}

void gy_planner_indices(const struct gy_planner *p, uint32_t at, uint32_t *index)
{
    for (size_t d = p->vary.n; d-- > 0; at /= p->vary.at[d].n)
        index[d] = at % p->vary.at[d].n;
}

uint32_t gy_planner_index(const struct gy_planner *p, const uint32_t *index)
{
    uint32_t at = 0;
    for (size_t d = 0; d < p->vary.n; d++)
        at = at * p->vary.at[d].n + index[d];
    return at;
}
