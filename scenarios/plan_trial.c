/* Trying one setting of a plan: its scenario under every seed, on threads, and what that says about the goals. */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "family.h"
#include "gy_file.h"
#include "gy_planner.h"

struct one { /* a seed of a setting */
    struct gy_scenario *scenario;
    struct gy_inputs inputs;
    double *values;  /* one a goal, then the objective */
    double stranded; /* jobs that can never run */
    struct gy_error err;
    int rc;
};

struct crew {
    const struct gy_planner *p;
    const volatile int *stop_flag;
    struct one *seeds;
    size_t n, next;
    bool empty; /* no node is left in this setting */
    pthread_mutex_t lock;
};

static struct gy_scenario *scenario_of(const struct gy_planner *p, uint32_t at, int64_t seed, struct gy_error *err)
{
    const char *sets[GY_PLAN_DIMENSIONS];
    char text[GY_PLAN_DIMENSIONS][700], number[32];
    uint32_t index[GY_PLAN_DIMENSIONS];
    struct gy_diags diags = {0};
    gy_planner_indices(p, at, index);
    for (size_t d = 0; d < p->vary.n; d++) {
        gy_number_print(gy_vary_value(&p->vary.at[d], index[d]), number);
        snprintf(text[d], sizeof text[d], "%s=%s", p->vary.at[d].pointer, number);
        sets[d] = text[d];
    }
    struct gy_scenario *s = gy_study_scenario_of(p->study, sets, p->vary.n, seed, &diags);
    if (!s)
        *err = diags.at[0];
    return s;
}

/* A cluster of which every group has been taken away is no error here, only no answer. */
static bool no_nodes(const struct gy_scenario *s)
{
    const struct gy_sc_nodes *g = s->cluster.nodes.at;
    for (size_t i = 0; i < s->cluster.nodes.n; i++)
        if (g[i].count != 0)
            return false;
    return s->cluster.nodes_file == NULL && s->cluster.nodes.n > 0;
}

static const char *trace_key(struct gy_arena *arena, const struct gy_scenario *s)
{
    const struct gy_sc_trace *t = &s->trace;
    return gy_arena_printf(arena, "%s|%s|%s|%lld|%lld|%.17g|%d%d", t->path ? t->path : "",
                           t->second_path ? t->second_path : "", t->format ? t->format : "", (long long)t->from,
                           (long long)t->to, t->limit_factor, t->strict, t->gpu_jobs_only);
}

/* The setting's cluster, over a trace that is loaded once. */
static int load(struct gy_planner *p, const struct gy_scenario *s, struct gy_inputs *in, struct gy_error *err)
{
    const char *key = trace_key(&p->arena, s);
    size_t i = 0;
    if (!key)
        return gy_nomem(err);
    while (i < p->traces.n && strcmp(p->trace_keys.at[i], key) != 0)
        i++;
    if (i == p->traces.n) {
        struct gy_inputs *own = calloc(1, sizeof *own);
        if (!own)
            return gy_nomem(err);
        if (gy_inputs_load(s, NULL, own, err)) {
            free(own);
            return -1;
        }
        if (!gy_vec_reserve(&p->trace_keys, i + 1) || !gy_vec_push(&p->traces, own)) {
            gy_inputs_free(own);
            free(own);
            return gy_nomem(err);
        }
        p->trace_keys.at[p->trace_keys.n++] = key;
    }
    return gy_inputs_load(s, p->traces.at[i]->trace, in, err);
}

static int measure(const struct gy_planner *p, const struct gy_account *a, const char *name, const char *pointer,
                   double *value, struct gy_error *err)
{
    struct gy_metric m;
    char buf[512], place[sizeof err->place];
    *value = NAN;
    if (gy_account_metric(a, name, &m) && !m.word) {
        *value = m.value;
        return 0;
    }
    for (int by = 0; by < GY_BY_COUNT; by++) /* a group that has no job in this run is not there */
        if (strncmp(name, gy_group_by_name((enum gy_group_by)by), strlen(gy_group_by_name((enum gy_group_by)by))) == 0)
            return 0;
    const char *nearest = gy_account_nearest(a, name, buf, sizeof buf);
    gy_json_place(p->study->doc, pointer, place, sizeof place);
    gy_fail(err, GY_EINPUT, place, "no metric that is a number is called \"%s\"", name);
    return nearest ? gy_hint(err, "did you mean \"%s\"?", nearest) : -1;
}

struct taking {
    const struct gy_planner *p;
    struct one *one;
};

static int take(void *ctx, const struct gy_account *a, struct gy_error *err)
{
    const struct taking *t = ctx;
    const struct gy_threshold *goal = t->p->goals.at;
    const size_t n = t->p->goals.n;
    char at[64];
    for (size_t i = 0; i < n; i++) {
        snprintf(at, sizeof at, "/goal/%zu/metric", i);
        if (measure(t->p, a, goal[i].metric, at, &t->one->values[i], err))
            return -1;
    }
    t->one->stranded = (double)gy_account_ledger(a)->ended_as[GY_REJECTED];
    if (t->p->minimize == GY_MIN_METRIC)
        return measure(t->p, a, t->p->metric, "/minimize", &t->one->values[n], err);
    return 0;
}

static void *work(void *ctx)
{
    struct crew *c = ctx;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        const size_t i = c->next < c->n ? c->next++ : c->n;
        pthread_mutex_unlock(&c->lock);
        if (i == c->n)
            return NULL;
        struct one *one = &c->seeds[i];
        struct taking t = {c->p, one};
        one->rc = gy_one_run(one->scenario, &one->inputs, true, c->stop_flag, take, &t, &one->err);
    }
}

/* All seeds; 0, 1 when stopped, -1 with err. */
static int run_seeds(struct crew *c, unsigned threads, struct gy_error *err)
{
    pthread_t thread[256];
    unsigned started = 0;
    int rc = 0;
    pthread_mutex_init(&c->lock, NULL);
    for (; started + 1 < threads && started + 1 < c->n && started < 255; started++)
        if (pthread_create(&thread[started], NULL, work, c) != 0)
            break;
    work(c);
    while (started-- > 0)
        pthread_join(thread[started], NULL);
    pthread_mutex_destroy(&c->lock);
    for (size_t i = 0; i < c->n && rc == 0; i++) {
        rc = c->seeds[i].rc;
        if (rc < 0)
            *err = c->seeds[i].err;
    }
    return rc;
}

static void estimate(const struct crew *c, size_t at, double confidence, double *mean, double *half)
{
    double sum = 0, squares = 0;
    const double n = (double)c->n;
    for (size_t i = 0; i < c->n; i++)
        sum += c->seeds[i].values[at];
    *mean = sum / n;
    for (size_t i = 0; i < c->n; i++)
        squares += (c->seeds[i].values[at] - *mean) * (c->seeds[i].values[at] - *mean);
    *half = c->n > 1 ? gsl_cdf_tdist_Pinv(confidence, n - 1) * sqrt(squares / (n - 1) / n) : NAN;
}

static void judge(const struct crew *c, struct gy_trial *t)
{
    const struct gy_planner *p = c->p;
    const struct gy_threshold *goal = p->goals.at;
    t->met = true;
    t->stranded = 0;
    for (size_t i = 0; i < c->n; i++)
        t->stranded += c->seeds[i].stranded / (double)c->n;
    for (size_t i = 0; i < p->goals.n; i++) {
        struct gy_estimate_of *e = &t->goal[i];
        estimate(c, i, p->study->plan.confidence, &e->mean, &e->half);
        const double half = isnan(e->half) ? 0 : e->half;
        const bool above = isnan(goal[i].min) || e->mean - half >= goal[i].min;
        const bool below = isnan(goal[i].max) || e->mean + half <= goal[i].max;
        e->met = above && below && !isnan(e->mean);
        e->sure = !e->met &&
                  !((isnan(goal[i].min) || e->mean >= goal[i].min) && (isnan(goal[i].max) || e->mean <= goal[i].max));
        t->met = t->met && e->met;
    }
    t->met = t->met && t->stranded <= p->stranded_allowed;
    const struct gy_inputs *in = &c->seeds[0].inputs;
    for (size_t i = 0; i < in->cluster.nodes.n; i++)
        if (!in->cluster.nodes.at[i].absent) {
            t->gpus += in->cluster.nodes.at[i].gpus;
            t->nodes++;
        }
    double half;
    if (p->minimize == GY_MIN_METRIC)
        estimate(c, p->goals.n, 0.95, &t->objective, &half);
    else
        t->objective = p->minimize == GY_MIN_COST ? t->usd_per_h : p->minimize == GY_MIN_NODES ? t->nodes : t->gpus;
    if (p->minimize == GY_MIN_VALUE)
        t->objective = gy_vary_value(&p->vary.at[0], t->at);
}

static int usd_per_h(const struct one *first, double *usd, struct gy_error *err)
{
    double *prices;
    if (gy_scenario_prices(first->scenario, &first->inputs, &prices, err))
        return -1;
    *usd = prices ? gy_inputs_usd_per_h(&first->inputs, prices) : NAN;
    free(prices);
    return 0;
}

static int run_all(struct crew *c, struct gy_trial *t, unsigned threads, struct gy_error *err)
{
    int rc = usd_per_h(&c->seeds[0], &t->usd_per_h, err);
    if (rc == 0)
        rc = run_seeds(c, threads, err);
    if (rc == 0)
        judge(c, t);
    return rc;
}

static int try_now(struct gy_planner *p, struct gy_trial *t, const struct gy_plan_options *o, struct gy_error *err)
{
    struct crew c = {.p = p, .stop_flag = o->stop_flag, .n = p->study->seeds.n};
    const size_t columns = p->goals.n + 1;
    double *values = calloc(c.n * columns, sizeof *values);
    int rc = 0;
    c.seeds = calloc(c.n, sizeof *c.seeds);
    t->goal = gy_arena_alloc(&p->arena, (p->goals.n + 1) * sizeof *t->goal);
    if (!values || !c.seeds || !t->goal)
        rc = gy_nomem(err);
    for (size_t i = 0; i < c.n && rc == 0; i++) {
        struct one *one = &c.seeds[i];
        one->values = values + i * columns;
        one->scenario = scenario_of(p, t->at, p->study->seeds.at[i], err);
        c.empty = one->scenario && no_nodes(one->scenario);
        rc = !one->scenario ? -1 : c.empty ? 0 : load(p, one->scenario, &one->inputs, err);
        for (size_t k = 0; c.empty && k < columns; k++)
            one->values[k] = NAN;
    }
    if (rc == 0 && c.empty) {
        t->usd_per_h = 0;
        judge(&c, t);
        t->met = false;
    } else if (rc == 0) {
        rc = run_all(&c, t, o->threads, err);
    }
    for (size_t i = 0; c.seeds && i < c.n; i++) {
        gy_inputs_free(&c.seeds[i].inputs);
        gy_scenario_free(c.seeds[i].scenario);
    }
    free(c.seeds);
    free(values);
    return rc;
}

const struct gy_trial *gy_planner_tried(const struct gy_planner *p, uint32_t at)
{
    uint64_t i;
    return gy_map_get(&p->by_setting, at, &i) ? &p->trials.at[i] : NULL;
}

const struct gy_trial *gy_planner_try(struct gy_planner *p, uint32_t at, const struct gy_plan_options *o,
                                      struct gy_error *err)
{
    struct gy_trial t = {.at = at};
    if (gy_planner_tried(p, at))
        return gy_planner_tried(p, at);
    if (p->trials.n >= (size_t)p->study->plan.max_settings) {
        p->out_of_trials = true;
        return NULL;
    }
    const int rc = try_now(p, &t, o, err);
    if (rc > 0)
        p->stopped = true;
    if (rc != 0)
        return NULL;
    if (!gy_vec_push(&p->trials, t) || !gy_map_put(&p->by_setting, at, p->trials.n - 1)) {
        gy_nomem(err);
        return NULL;
    }
    if (o->progress)
        o->progress(o->ctx, p);
    return &p->trials.at[p->trials.n - 1];
}

double gy_planner_size(struct gy_planner *p, uint32_t at, struct gy_error *err)
{
    struct one one = {.scenario = scenario_of(p, at, p->study->seeds.at[0], err)};
    double size = NAN, usd = NAN, gpus = 0, nodes = 0;
    if (!one.scenario)
        return NAN;
    if (no_nodes(one.scenario)) {
        size = 0;
    } else if (load(p, one.scenario, &one.inputs, err) == 0 && usd_per_h(&one, &usd, err) == 0) {
        for (size_t i = 0; i < one.inputs.cluster.nodes.n; i++) {
            const struct gy_node_spec *node = &one.inputs.cluster.nodes.at[i];
            gpus += node->absent ? 0 : node->gpus;
            nodes += !node->absent;
        }
        size = p->minimize == GY_MIN_COST ? usd : p->minimize == GY_MIN_NODES ? nodes : gpus;
    }
    gy_inputs_free(&one.inputs);
    gy_scenario_free(one.scenario);
    return size;
}

double gy_trial_miss(const struct gy_planner *p, const struct gy_trial *t)
{
    const struct gy_threshold *goal = p->goals.at;
    double miss = t->stranded > p->stranded_allowed ? t->stranded - p->stranded_allowed : 0;
    for (size_t i = 0; i < p->goals.n; i++) {
        const struct gy_estimate_of *e = &t->goal[i];
        const double half = isnan(e->half) ? 0 : e->half;
        const double over =
            isnan(goal[i].max) ? 0 : fmax(0, e->mean + half - goal[i].max) / fmax(fabs(goal[i].max), 1e-9);
        const double under =
            isnan(goal[i].min) ? 0 : fmax(0, goal[i].min - e->mean + half) / fmax(fabs(goal[i].min), 1e-9);
        miss += e->met ? 0 : isnan(e->mean) ? 1e9 : over + under;
    }
    return t->met ? 0 : miss;
}
