/* The fluid network's state and its rates. Routes come from gy_graph.h, shares from gy_solver.h. */
#include "gy_fluid.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_solver.h"

struct use { /* of a link by a job's all-reduce */
    uint32_t link;
    double coef;
};

struct net_job { /* by row of the job table */
    const struct gy_profile *profile;
    GY_VEC(struct use) uses;
    uint32_t var;
    bool active;
    double x, x_ref; /* bytes of all-reduce a second: now, and at the reference placement */
    double comm_ref; /* seconds of it there */
    double told;     /* factor last told to the engine */
    gy_time since;   /* traffic is counted up to here */
};

struct why {
    char text[200];
};

struct gy_fluid {
    struct gy_fluid_config config;
    struct gy_router *router;
    struct gy_solver *solver;
    struct gy_stream stream;
    bool has_stream;
    GY_VEC(struct net_job) jobs;
    GY_VEC(uint32_t) row_of_var;
    GY_VEC(struct gy_rate_change) changes;
    GY_VEC(struct why) whys; /* texts of changes */
    double *link_bytes;
    uint32_t *at; /* by link: 1 + place in the uses of the job that is being routed */
    struct gy_path path;
    bool changed;
};

double gy_profile_step_s(const struct gy_profile *p, double comm)
{
    if (p->gamma == 1.0 || comm == 0 || p->compute_s == 0)
        return p->compute_s + comm;
    const double big = fmax(p->compute_s, comm), small = fmin(p->compute_s, comm);
    if (isinf(big))
        return big;
    return big * pow(1 + pow(small / big, p->gamma), 1 / p->gamma);
}

static bool add_links(struct gy_fluid *f)
{
    const struct gy_graph *g = f->config.graph;
    for (uint32_t l = 0; l < g->links.n; l++) {
        uint32_t id;
        if (!gy_solver_add_link(f->solver, gy_router_capacity(f->router, l), &id))
            return false;
    }
    return true;
}

struct gy_fluid *gy_fluid_new(const struct gy_fluid_config *config, struct gy_error *err)
{
    struct gy_fluid *f = calloc(1, sizeof *f);
    if (!f) {
        gy_nomem(err);
        return NULL;
    }
    f->config = *config;
    f->router = gy_router_new(config->graph);
    f->solver = gy_solver_new();
    f->link_bytes = calloc(config->graph->links.n + 1, sizeof *f->link_bytes);
    f->at = calloc(config->graph->links.n + 1, sizeof *f->at);
    f->has_stream = gy_stream_init(&f->stream, config->seed, "ecmp");
    if (f->router && f->solver && f->link_bytes && f->at && f->has_stream && add_links(f))
        return f;
    gy_nomem(err);
    gy_fluid_free(f);
    return NULL;
}

void gy_fluid_free(struct gy_fluid *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->jobs.n; i++)
        gy_vec_free(&f->jobs.at[i].uses);
    gy_vec_free(&f->jobs);
    gy_vec_free(&f->row_of_var);
    gy_vec_free(&f->changes);
    gy_vec_free(&f->whys);
    gy_vec_free(&f->path.links);
    gy_solver_free(f->solver);
    gy_router_free(f->router);
    if (f->has_stream)
        gy_stream_free(&f->stream);
    free(f->link_bytes);
    free(f->at);
    free(f);
}

static struct net_job *job_row(struct gy_fluid *f, gy_job_id id)
{
    while (f->jobs.n <= id.i) {
        const struct net_job none = {.var = GY_SOLVER_NONE};
        if (!gy_vec_push(&f->jobs, none))
            return NULL;
    }
    return &f->jobs.at[id.i];
}

/* ---- the ring of a job ------------------------------------------------------------------------------------------ */

static bool add_path(struct gy_fluid *f, struct net_job *j, double coef)
{
    for (size_t i = 0; i < f->path.links.n; i++) {
        const uint32_t link = f->path.links.at[i];
        const struct use u = {link, coef};
        if (f->at[link]) {
            j->uses.at[f->at[link] - 1].coef += coef;
        } else {
            if (!gy_vec_push(&j->uses, u))
                return false;
            f->at[link] = (uint32_t)j->uses.n;
        }
    }
    return true;
}

/* One hop of the ring over every rail. 0; -1 with err. */
static int add_hop(struct gy_fluid *f, struct net_job *j, uint32_t from, uint32_t to, double bytes,
                   struct gy_error *err)
{
    const struct gy_graph *g = f->config.graph;
    const struct gy_route_how how = {.rule = f->config.rule, .stream = &f->stream};
    const uint32_t rails = g->nics_per_node;
    for (uint32_t r = 0; r < rails; r++) {
        const enum gy_route_result rc =
            gy_router_route(f->router, g->nic[from * rails + r], g->nic[to * rails + r], &how, &f->path);
        if (rc == GY_ROUTE_UNREACHABLE)
            return gy_fail(err, GY_EINPUT, "/cluster/fabric", "no route between nodes %u and %u", from, to);
        if (rc != GY_ROUTE_OK || !add_path(f, j, bytes / rails))
            return gy_nomem(err);
    }
    return 0;
}

static bool at_nic(const struct gy_graph *g, uint32_t link)
{
    const uint8_t a = g->vertices.at[g->links.at[link].from].kind, b = g->vertices.at[g->links.at[link].to].kind;
    return a == GY_V_NIC || b == GY_V_NIC;
}

/* Fills uses and x_ref. Nodes are those of the shares, each once (shares of one node are adjacent). */
static int lay_ring(struct gy_fluid *f, struct net_job *j, const struct gy_job *job, uint32_t nodes,
                    struct gy_error *err)
{
    const double bytes = 2.0 * (nodes - 1) / nodes;
    uint32_t first = job->shares[0].node.i, last = first;
    int rc = 0;
    j->uses.n = 0;
    for (uint32_t i = 1; i <= job->n_shares && rc == 0; i++) {
        const uint32_t to = i < job->n_shares ? job->shares[i].node.i : first;
        if (to != last)
            rc = add_hop(f, j, last, to, bytes, err);
        last = to;
    }
    j->x_ref = INFINITY;
    for (size_t i = 0; i < j->uses.n; i++) {
        const uint32_t link = j->uses.at[i].link;
        f->at[link] = 0;
        if (at_nic(f->config.graph, link))
            j->x_ref = fmin(j->x_ref, f->config.graph->links.at[link].capacity / j->uses.at[i].coef);
    }
    return rc;
}

static uint32_t nodes_of(const struct gy_job *job)
{
    uint32_t n = job->n_shares > 0;
    for (uint32_t i = 1; i < job->n_shares; i++)
        n += job->shares[i].node.i != job->shares[i - 1].node.i;
    return n;
}

static int add_var(struct gy_fluid *f, struct net_job *j, uint32_t row, struct gy_error *err)
{
    uint32_t *links = malloc(j->uses.n * sizeof *links);
    double *coef = malloc(j->uses.n * sizeof *coef);
    bool ok = links && coef;
    for (size_t i = 0; ok && i < j->uses.n; i++) {
        links[i] = j->uses.at[i].link;
        coef[i] = j->uses.at[i].coef;
    }
    ok = ok && gy_solver_add_var(f->solver, 1, j->x_ref, links, coef, j->uses.n, &j->var);
    free(links);
    free(coef);
    while (ok && f->row_of_var.n <= j->var)
        ok = gy_vec_push(&f->row_of_var, UINT32_MAX);
    if (!ok)
        return gy_nomem(err);
    f->row_of_var.at[j->var] = row;
    return 0;
}

/* ---- the contract ------------------------------------------------------------------------------------------------ */

static int started(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct gy_fluid *f = self;
    const uint32_t nodes = nodes_of(job);
    const struct gy_profile *p = nodes > 1 ? f->config.profile_of(f->config.ctx, &job->rec) : NULL;
    if (!p || p->allreduce_bytes <= 0)
        return 0;
    struct net_job *j = job_row(f, id);
    if (!j)
        return gy_nomem(err);
    if (lay_ring(f, j, job, nodes, err) || add_var(f, j, id.i, err))
        return -1;
    const double comm = f->config.comm_s ? f->config.comm_s(f->config.ctx, job, p) : NAN;
    j->comm_ref = isnan(comm) ? p->allreduce_bytes / j->x_ref : comm;
    j->profile = p;
    j->active = true;
    j->x = 0;
    j->told = job->factor;
    j->since = now;
    f->changed = true;
    return 0;
}

static double step_s(const struct net_job *j, double x)
{
    return gy_profile_step_s(j->profile, j->comm_ref * (j->x_ref / x));
}

/* Traffic since the last change of rate. */
static void count_traffic(struct gy_fluid *f, struct net_job *j, gy_time now)
{
    const double steps = j->x > 0 ? gy_time_to_s(now - j->since) / step_s(j, j->x) : 0;
    for (size_t i = 0; steps > 0 && i < j->uses.n; i++)
        f->link_bytes[j->uses.at[i].link] += steps * j->profile->allreduce_bytes * j->uses.at[i].coef;
    j->since = now;
}

static int stopped(void *self, gy_time now, gy_job_id id, const struct gy_job *job, struct gy_error *err)
{
    struct gy_fluid *f = self;
    (void)job;
    (void)err;
    if (id.i >= f->jobs.n || !f->jobs.at[id.i].active)
        return 0;
    struct net_job *j = &f->jobs.at[id.i];
    count_traffic(f, j, now);
    gy_solver_remove_var(f->solver, j->var);
    f->row_of_var.at[j->var] = UINT32_MAX;
    j->active = false;
    f->changed = true;
    return 0;
}

/* The link that holds a job back, and how many it holds back. */
static const char *why(struct gy_fluid *f, uint32_t var, double factor)
{
    const struct gy_graph *g = f->config.graph;
    const uint32_t link = gy_solver_owner(f->solver, var);
    char from[80], to[80];
    struct why w = {"no link holds it back"};
    if (link < g->links.n) {
        const uint32_t n = gy_solver_owned(f->solver, link);
        gy_graph_name(g, g->links.at[link].from, from, sizeof from);
        gy_graph_name(g, g->links.at[link].to, to, sizeof to);
        if (n > 1)
            snprintf(w.text, sizeof w.text, "the link %s to %s is full and holds back %u jobs", from, to, n);
        else if (factor < 1)
            snprintf(w.text, sizeof w.text, "the link %s to %s is full and holds back this job alone", from, to);
    }
    return gy_vec_push(&f->whys, w) ? f->whys.at[f->whys.n - 1].text : NULL;
}

static int settle(void *self, gy_time now, const struct gy_rate_change **changes, size_t *n, gy_time *wake,
                  struct gy_error *err)
{
    struct gy_fluid *f = self;
    *n = 0;
    *wake = GY_NEVER;
    if (!f->changed)
        return 0;
    f->changed = false;
    if (!gy_solver_solve(f->solver))
        return gy_nomem(err);
    size_t vars;
    const uint32_t *var = gy_solver_changed(f->solver, &vars);
    gy_vec_clear(&f->changes);
    gy_vec_clear(&f->whys);
    if (f->config.tell_why && !gy_vec_reserve(&f->whys, vars)) /* so that the texts stay where they are */
        return gy_nomem(err);
    for (size_t i = 0; i < vars; i++) {
        const uint32_t row = f->row_of_var.at[var[i]];
        struct net_job *j = row == UINT32_MAX ? NULL : &f->jobs.at[row];
        const double x = j ? gy_solver_rate(f->solver, var[i]) : 0;
        if (!j || x == j->x)
            continue;
        count_traffic(f, j, now);
        j->x = x;
        const double factor = step_s(j, j->x_ref) / step_s(j, x);
        const struct gy_rate_change c = {
            {row}, factor, f->config.tell_why && factor != j->told ? why(f, var[i], factor) : NULL};
        if (factor != j->told && !gy_vec_push(&f->changes, c))
            return gy_nomem(err);
        j->told = factor;
    }
    *changes = f->changes.at;
    *n = f->changes.n;
    return 0;
}

struct gy_rates gy_fluid_rates(struct gy_fluid *f)
{
    return (struct gy_rates){.self = f, .started = started, .stopped = stopped, .settle = settle};
}

double gy_fluid_link_bytes(const struct gy_fluid *f, uint32_t link)
{
    return f->link_bytes[link];
}

void gy_fluid_advance(struct gy_fluid *f, gy_time now)
{
    for (size_t i = 0; i < f->jobs.n; i++)
        if (f->jobs.at[i].active)
            count_traffic(f, &f->jobs.at[i], now);
}

double gy_fluid_step_s(const struct gy_fluid *f, gy_job_id job)
{
    if (job.i >= f->jobs.n || !f->jobs.at[job.i].active)
        return NAN;
    return step_s(&f->jobs.at[job.i], f->jobs.at[job.i].x);
}
