/* A test bed for scheduling: a cluster, a list of jobs, one run of the engine under a policy, and where and when every
 * job started. Shared by the tests of sim/sched. */
#ifndef SCHED_BED_H
#define SCHED_BED_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_engine.h"
#include "gy_registry.h"

#define S GY_SECOND

struct sb_run { /* what happened to a job */
    gy_time start, end;
    gy_time first_told, last_told; /* reservations; GY_NONE when none */
    uint8_t state;
    GY_VEC(struct gy_share) shares;
};

struct sb {
    struct gy_strings *strings;
    struct gy_cluster_spec spec;
    GY_VEC(struct gy_job_rec) jobs; /* sorted by submit */
    struct sb_run *run;
    size_t at;
    struct gy_sim_config config;
    struct gy_sim_result result;
    struct gy_error err;
    uint64_t holds, reserves;
};

static inline int sb_next(void *self, struct gy_job_rec *rec, struct gy_error *err)
{
    struct sb *b = self;
    (void)err;
    if (b->at == b->jobs.n)
        return 0;
    *rec = b->jobs.at[b->at];
    rec->row = (uint32_t)b->at++;
    return 1;
}

static inline int sb_event(void *self, const struct gy_view *v, const struct gy_event *e, struct gy_error *err)
{
    struct sb *b = self;
    (void)v;
    (void)err;
    b->holds += e->kind == GY_E_HOLD;
    b->reserves += e->kind == GY_E_RESERVE;
    if (e->kind == GY_E_RESERVE) {
        struct sb_run *r = &b->run[e->job->rec.row];
        r->first_told = r->first_told == GY_NONE ? e->at : r->first_told;
        r->last_told = e->at;
    }
    if (e->kind == GY_E_START) {
        struct sb_run *r = &b->run[e->job->rec.row];
        r->start = e->time;
        r->shares.n = 0;
        for (uint32_t i = 0; i < e->n_shares; i++)
            cr_assert(gy_vec_push(&r->shares, e->shares[i]));
    }
    if (e->kind == GY_E_END) {
        b->run[e->job->rec.row].end = e->time;
        b->run[e->job->rec.row].state = e->job->state;
    }
    return 0;
}

static inline void sb_init(struct sb *b)
{
    memset(b, 0, sizeof *b);
    b->strings = gy_strings_new();
    b->spec.strings = b->strings;
    b->config = (struct gy_sim_config){
        .cluster = &b->spec, .seed = 1, .stop_at = GY_NEVER, .sample_every = GY_NEVER, .report_holds = true};
}

static inline struct gy_node_spec *sb_node(struct sb *b, uint32_t gpus)
{
    const struct gy_node_spec s = {.gpus = gpus, .speed = 1, .hardware = UINT32_MAX, .leaf = UINT32_MAX};
    cr_assert(gy_vec_push(&b->spec.nodes, s));
    return &b->spec.nodes.at[b->spec.nodes.n - 1];
}

static inline struct gy_job_rec *sb_job(struct sb *b, gy_time submit, gy_time run, gy_time limit, uint32_t gpus)
{
    const struct gy_job_rec r = {.submit = submit,
                                 .duration = run,
                                 .limit = limit,
                                 .cancel = GY_NONE,
                                 .checkpoint = GY_NONE,
                                 .idle_tail = GY_NONE,
                                 .gpus = gpus,
                                 .gpu_milli = GY_MILLI,
                                 .end_state = GY_COMPLETED,
                                 .number = b->jobs.n};
    cr_assert(gy_vec_push(&b->jobs, r));
    return &b->jobs.at[b->jobs.n - 1];
}

static inline int sb_choice(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    cr_assert(false, "no part named %s", name);
    return 0;
}

static inline struct gy_sched_params sb_params(const char *order, const char *queueing, const char *backfill,
                                               const char *placement)
{
#define X(id, name) name,
    static const char *const orders[] = {GY_ORDERS(X) NULL}, *const places[] = {GY_PLACES(X) NULL},
                             *const backfills[] = {GY_BACKFILLS(X) NULL},
                             *const queueings[] = {"strict", "best-effort", NULL};
#undef X
    return (struct gy_sched_params){.order = sb_choice(orders, order),
                                    .queueing = sb_choice(queueings, queueing),
                                    .backfill = sb_choice(backfills, backfill),
                                    .placement = sb_choice(places, placement)};
}

static inline void sb_forget(struct sb *b)
{
    for (size_t i = 0; b->run && i < b->jobs.n; i++)
        gy_vec_free(&b->run[i].shares);
    free(b->run);
    b->run = NULL;
}

/* Runs; results are in b->run. */
static inline void sb_run(struct sb *b, const struct gy_policy_type *policy, const void *params)
{
    const struct gy_observer o = {b, sb_event};
    sb_forget(b);
    b->run = calloc(b->jobs.n + 1, sizeof *b->run);
    for (size_t i = 0; i < b->jobs.n; i++)
        b->run[i].start = b->run[i].end = b->run[i].first_told = b->run[i].last_told = GY_NONE;
    b->at = b->holds = b->reserves = 0;
    b->config.policy = policy;
    b->config.policy_params = params;
    b->config.source = (struct gy_source){.self = b, .next = sb_next, .strings = b->strings, .count = b->jobs.n};
    cr_assert_eq(gy_sim_run(&b->config, &o, 1, &b->result, &b->err), 0, "%s", b->err.what);
}

static inline void sb_composed(struct sb *b, const char *order, const char *queueing, const char *backfill,
                               const char *placement)
{
    const struct gy_sched_params p = sb_params(order, queueing, backfill, placement);
    sb_run(b, &gy_policy_composed, &p);
}

static inline void sb_free(struct sb *b)
{
    sb_forget(b);
    gy_cluster_spec_free(&b->spec);
    gy_strings_free(b->strings);
    gy_vec_free(&b->jobs);
}
#endif
