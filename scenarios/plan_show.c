/* What a plan found, as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "gy_file.h"
#include "gy_planner.h"

static void number(struct gy_writer *to, double v)
{
    if (isnan(v))
        gy_writer_text(to, "-");
    else
        gy_writer_printf(to, "%.6g", v);
}

static const struct gy_threshold *goals(const struct gy_planner *p)
{
    return p->goals.at;
}

static void put_setting(const struct gy_planner *p, uint32_t at, struct gy_writer *to)
{
    uint32_t index[GY_PLAN_DIMENSIONS];
    gy_planner_indices(p, at, index);
    for (size_t d = 0; d < p->vary.n; d++) {
        gy_writer_printf(to, "%s%s = ", d ? ", " : "", p->vary.at[d].pointer);
        number(to, gy_vary_value(&p->vary.at[d], index[d]));
    }
}

static void put_bounds(const struct gy_threshold *g, struct gy_writer *to)
{
    if (!isnan(g->min)) {
        gy_writer_text(to, " ≥ ");
        number(to, g->min);
    }
    if (!isnan(g->max)) {
        gy_writer_text(to, isnan(g->min) ? " ≤ " : " and ≤ ");
        number(to, g->max);
    }
}

static void put_goal(const struct gy_planner *p, const struct gy_trial *t, size_t i, struct gy_writer *to)
{
    const struct gy_estimate_of *e = &t->goal[i];
    gy_writer_text(to, goals(p)[i].metric);
    put_bounds(&goals(p)[i], to);
    gy_writer_text(to, ": ");
    number(to, e->mean);
    if (!isnan(e->half)) {
        gy_writer_text(to, " ± ");
        number(to, e->half);
    }
    if (!e->met)
        gy_writer_text(to, e->sure || isnan(e->mean) ? ""
                                                     : " (the bound, not the mean, is beyond it: more seeds may help)");
}

static void put_failed(const struct gy_planner *p, const struct gy_trial *t, struct gy_writer *to)
{
    bool any = false;
    for (size_t i = 0; i < p->goals.n; i++)
        if (!t->goal[i].met) {
            gy_writer_text(to, any ? "; " : "");
            put_goal(p, t, i, to);
            any = true;
        }
    if (t->stranded > p->stranded_allowed)
        gy_writer_printf(to, "%s%g jobs can never run there", any ? "; " : "", t->stranded - p->stranded_allowed);
}

/* Settings one step nearer to the preferred end than the answer that were run. */
static const struct gy_trial *smaller(const struct gy_planner *p, size_t d)
{
    uint32_t index[GY_PLAN_DIMENSIONS];
    gy_planner_indices(p, p->trials.at[p->best].at, index);
    if (index[d] == 0)
        return NULL;
    index[d]--;
    return gy_planner_tried(p, gy_planner_index(p, index));
}

static void put_answer(const struct gy_planner *p, struct gy_writer *to)
{
    const struct gy_trial *t = &p->trials.at[p->best];
    gy_writer_text(to, "answer     ");
    put_setting(p, t->at, to);
    gy_writer_printf(to, "\nleast      %s: ", p->metric);
    number(to, t->objective);
    gy_writer_printf(to, "\ncluster    %g nodes, %g GPUs", t->nodes, t->gpus);
    if (!isnan(t->usd_per_h))
        gy_writer_printf(to, ", %.6g USD an hour", t->usd_per_h);
    gy_writer_text(to, "\n");
    for (size_t i = 0; i < p->goals.n; i++) {
        gy_writer_text(to, "goal met   ");
        put_goal(p, t, i, to);
        gy_writer_text(to, "\n");
    }
    for (size_t d = 0; d < p->vary.n; d++) {
        const struct gy_trial *less = smaller(p, d);
        if (!less || less->met)
            continue;
        gy_writer_text(to, "binding    at ");
        put_setting(p, less->at, to);
        gy_writer_text(to, ": ");
        put_failed(p, less, to);
        gy_writer_text(to, "\n");
    }
}

static void put_front(const struct gy_planner *p, struct gy_writer *to)
{
    size_t n;
    uint32_t *front = gy_planner_front(p, &n);
    if (!front || n < 2 || p->goals.n == 0) {
        free(front);
        return;
    }
    gy_writer_printf(to, "\nNot beaten by any that was tried (%s, then the goals):\n", p->metric);
    for (size_t i = 0; i < n; i++) {
        const struct gy_trial *t = &p->trials.at[front[i]];
        gy_writer_text(to, t->met ? "  meets  " : "         ");
        number(to, t->objective);
        gy_writer_text(to, "  ");
        put_setting(p, t->at, to);
        for (size_t g = 0; g < p->goals.n; g++) {
            gy_writer_printf(to, "; %s ", goals(p)[g].metric);
            number(to, t->goal[g].mean);
        }
        gy_writer_text(to, "\n");
    }
    free(front);
}

void gy_planner_text(const struct gy_planner *p, struct gy_writer *to)
{
    if (p->best >= 0) {
        put_answer(p, to);
    } else if (p->trials.n > 0) {
        gy_writer_printf(to, "No setting meets the goals%s.\nclosest    ",
                         p->stopped || p->out_of_trials ? " so far" : "");
        put_setting(p, p->trials.at[p->closest].at, to);
        gy_writer_text(to, "\nbinding    ");
        put_failed(p, &p->trials.at[p->closest], to);
        gy_writer_text(to, "\n");
        for (size_t i = 0; i < p->goals.n; i++)
            if (p->pulls_down[i])
                gy_writer_printf(to, "note       %s is helped by smaller settings, the other goals by larger ones\n",
                                 goals(p)[i].metric);
    }
    gy_writer_printf(to, "tried      %zu of %u settings, each under %zu seed%s%s\n", p->trials.n, p->settings,
                     p->study->seeds.n, p->study->seeds.n == 1 ? "" : "s",
                     p->study->seeds.n == 1 ? ", so there is no confidence bound" : "");
    if (p->stopped)
        gy_writer_text(to, "note       interrupted: there may be a better one\n");
    if (p->out_of_trials)
        gy_writer_text(to, "note       max_settings was reached: there may be a better one\n");
    else if (!p->proven && p->best >= 0 && !p->stopped)
        gy_writer_text(to, "note       not every setting was tried: there may be a better one\n");
    if (p->not_monotone)
        gy_writer_text(to, "note       more was seen to hurt here, so what was not tried may hold a better one\n");
    put_front(p, to);
}

static void json_setting(const struct gy_planner *p, uint32_t at, struct gy_json_out *o)
{
    uint32_t index[GY_PLAN_DIMENSIONS];
    gy_planner_indices(p, at, index);
    gy_jo_object(o, "setting");
    for (size_t d = 0; d < p->vary.n; d++)
        gy_jo_number(o, p->vary.at[d].pointer, gy_vary_value(&p->vary.at[d], index[d]));
    gy_jo_end(o, '}');
}

static void json_trial(const struct gy_planner *p, const struct gy_trial *t, const char *key, struct gy_json_out *o)
{
    gy_jo_object(o, key);
    json_setting(p, t->at, o);
    gy_jo_bool(o, "met", t->met);
    gy_jo_number(o, "objective", t->objective);
    gy_jo_number(o, "nodes", t->nodes);
    gy_jo_number(o, "gpus", t->gpus);
    gy_jo_number(o, "cost_usd_per_h", t->usd_per_h);
    gy_jo_number(o, "jobs_that_can_never_run", t->stranded);
    gy_jo_array(o, "goals");
    for (size_t i = 0; i < p->goals.n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "metric", goals(p)[i].metric);
        gy_jo_number(o, "min", goals(p)[i].min);
        gy_jo_number(o, "max", goals(p)[i].max);
        gy_jo_number(o, "mean", t->goal[i].mean);
        gy_jo_number(o, "bound", t->goal[i].half);
        gy_jo_bool(o, "met", t->goal[i].met);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
}

/* Where nothing meets all goals: a goal that the closest setting fails; and where goals pull apart, those that do. */
static bool binds_nowhere_met(const struct gy_planner *p, size_t goal)
{
    bool any = false;
    if (p->trials.n > 0 && !p->trials.at[p->closest].goal[goal].met)
        return true;
    for (size_t i = 0; i < p->goals.n; i++)
        any = any || p->pulls_down[i];
    for (size_t k = 0; any && k < p->trials.n; k++)
        if (!p->trials.at[k].goal[goal].met && (p->pulls_down[goal] ? gy_trial_large_enough(p, &p->trials.at[k])
                                                                    : gy_trial_small_enough(p, &p->trials.at[k])))
            return true;
    return false;
}

/* Goals that fail one step below the answer; or, without an answer, in the setting that misses by least. */
static void json_binding(const struct gy_planner *p, struct gy_json_out *o)
{
    gy_jo_array(o, "binding");
    for (size_t i = 0; i < p->goals.n; i++) {
        bool binds = p->best < 0 && binds_nowhere_met(p, i);
        for (size_t d = 0; p->best >= 0 && d < p->vary.n; d++) {
            const struct gy_trial *less = smaller(p, d);
            binds = binds || (less && !less->goal[i].met);
        }
        if (binds)
            gy_jo_string(o, NULL, goals(p)[i].metric);
    }
    gy_jo_end(o, ']');
}

void gy_planner_json(const struct gy_planner *p, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};
    size_t n;
    uint32_t *front = gy_planner_front(p, &n);
    gy_jo_object(&o, NULL);
    gy_jo_bool(&o, "met", p->best >= 0);
    gy_jo_string(&o, "minimize", p->metric);
    if (p->best >= 0)
        json_trial(p, &p->trials.at[p->best], "answer", &o);
    else
        gy_jo_string(&o, "answer", NULL);
    if (p->best < 0 && p->trials.n > 0)
        json_trial(p, &p->trials.at[p->closest], "closest", &o);
    json_binding(p, &o);
    gy_jo_bool(&o, "proven", p->proven && !p->not_monotone);
    gy_jo_bool(&o, "partial", p->stopped || p->out_of_trials);
    gy_jo_integer(&o, "settings", p->settings);
    gy_jo_integer(&o, "tried", (int64_t)p->trials.n);
    gy_jo_array(&o, "seeds");
    for (size_t i = 0; i < p->study->seeds.n; i++)
        gy_jo_integer(&o, NULL, p->study->seeds.at[i]);
    gy_jo_end(&o, ']');
    gy_jo_number(&o, "confidence", p->study->plan.confidence);
    gy_jo_array(&o, "front");
    for (size_t i = 0; front && i < n; i++)
        json_trial(p, &p->trials.at[front[i]], NULL, &o);
    gy_jo_end(&o, ']');
    gy_jo_array(&o, "trials");
    for (size_t i = 0; i < p->trials.n; i++)
        json_trial(p, &p->trials.at[i], NULL, &o);
    gy_jo_end(&o, ']');
    gy_jo_end(&o, '}');
    if (!front)
        gy_writer_fail(to, GY_ENOMEM, "out of memory");
    free(front);
}
