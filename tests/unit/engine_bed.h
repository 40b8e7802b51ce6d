/* A test bed for the engine: a cluster of equal nodes, a list of records, a strict first-fit policy of its own (so that
 * the engine is tested without sim/sched), and an observer that writes the event stream down. */
#ifndef ENGINE_BED_H
#define ENGINE_BED_H
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_engine.h"

#define S GY_SECOND

struct bed {
    struct gy_strings *strings;
    struct gy_cluster_spec spec;
    struct gy_job_rec rec[64];
    struct gy_dep dep[64];
    size_t n, at, n_dep;
    struct gy_sim_config config;
    struct gy_sim_result result;
    struct gy_error err;
    char log[16384]; /* "start a 0|end a completed 10|…" */
    size_t len;
    int64_t last_total;
};

static inline int bed_next(void *self, struct gy_job_rec *rec, struct gy_error *err)
{
    struct bed *b = self;
    (void)err;
    if (b->at == b->n)
        return 0;
    *rec = b->rec[b->at];
    rec->row = (uint32_t)b->at++;
    return 1;
}

/* Strict first fit: the head of the pending list on the lowest nodes, whole GPUs only; preempts when told by a flag. */
struct bed_policy {
    int unused;
};

static inline size_t bed_place(const struct gy_view *v, const struct gy_job *j, struct gy_share *out)
{
    const struct gy_shape *shape = gy_shape_at(v->shapes, j->shape);
    size_t n = 0;
    for (uint32_t i = 0; i < gy_cluster_nodes(v->cluster) && n < shape->full_nodes; i++) {
        const struct gy_node *node = gy_cluster_node(v->cluster, (gy_node_id){i});
        if (node->state != GY_NODE_UP || node->free_gpus < shape->gpus)
            continue;
        uint64_t mask = 0, free_mask = gy_cluster_free_mask(v->cluster, (gy_node_id){i}, 0);
        for (uint32_t g = 0; g < shape->gpus; g++) {
            mask |= free_mask & -free_mask;
            free_mask &= free_mask - 1;
        }
        out[n++] = (struct gy_share){.node = {i}, .mask = mask, .gpu_milli = GY_MILLI};
    }
    return n == shape->full_nodes ? n : 0;
}

static inline int bed_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    (void)self;
    struct gy_share shares[64];
    while (v->pending_first != UINT32_MAX) {
        const gy_job_id id = {v->pending_first};
        const size_t n = bed_place(v, gy_view_job(v, id), shares);
        if (n == 0) {
            gy_plan_hold(plan, id, GY_R_RESOURCES);
            return 0;
        }
        if (gy_plan_start(plan, id, shares, n))
            return -1;
    }
    return 0;
}

static const struct gy_policy_type bed_policy_type = {
    .name = "bed", .summary = "", .state_size = sizeof(struct bed_policy), .decide = bed_decide};

static inline int bed_event(void *self, const struct gy_view *v, const struct gy_event *e, struct gy_error *err)
{
    struct bed *b = self;
    (void)v;
    (void)err;
    char id[24] = "-";
    const struct gy_totals t = e->totals;
    cr_assert_eq(t.total, t.down + t.allocated + t.free, "GPUs are conserved");
    cr_assert(t.free >= 0 && t.down >= 0 && t.allocated >= 0);
    if (e->kind == GY_E_ELIGIBLE || e->kind == GY_E_HOLD || e->kind == GY_E_SUBMIT || e->kind == GY_E_FINISH)
        return 0;
    const char *name = e->job ? gy_job_rec_id(&e->job->rec, b->strings, id) : "-";
    const char *state = e->kind == GY_E_END || e->kind == GY_E_LEFT ? gy_job_state_name(e->job->state) : "";
    b->len += (size_t)snprintf(b->log + b->len, sizeof b->log - b->len, "%s %s%s%s %.9g|", gy_event_name(e->kind), name,
                               *state ? " " : "", state, gy_time_to_s(e->time));
    return 0;
}

static inline void bed_init(struct bed *b, uint32_t nodes, uint32_t gpus)
{
    memset(b, 0, sizeof *b);
    b->strings = gy_strings_new();
    b->spec.strings = b->strings;
    for (uint32_t i = 0; i < nodes; i++) {
        const struct gy_node_spec s = {.gpus = gpus, .speed = 1, .hardware = UINT32_MAX, .leaf = UINT32_MAX};
        cr_assert(gy_vec_push(&b->spec.nodes, s));
    }
    b->config = (struct gy_sim_config){
        .cluster = &b->spec, .policy = &bed_policy_type, .seed = 1, .stop_at = GY_NEVER, .sample_every = GY_NEVER};
}

static inline struct gy_job_rec *bed_job(struct bed *b, const char *name, double submit_s, double run_s, uint32_t gpus)
{
    struct gy_job_rec *r = &b->rec[b->n++];
    *r = (struct gy_job_rec){.submit = gy_time_from_s(submit_s),
                             .duration = gy_time_from_s(run_s),
                             .limit = GY_NONE,
                             .cancel = GY_NONE,
                             .checkpoint = GY_NONE,
                             .idle_tail = GY_NONE,
                             .gpus = gpus,
                             .gpu_milli = GY_MILLI,
                             .end_state = GY_COMPLETED};
    r->name = gy_strings_add(b->strings, name, strlen(name));
    return r;
}

static inline void bed_depend(struct bed *b, struct gy_job_rec *r, uint32_t row, enum gy_dep_kind kind)
{
    if (r->dep_n++ == 0)
        r->dep_first = (uint32_t)b->n_dep;
    b->dep[b->n_dep++] = (struct gy_dep){row, (uint8_t)kind};
    if (row != UINT32_MAX)
        b->rec[row].depended_on = true;
}

static inline const char *bed_run(struct bed *b)
{
    b->at = b->len = 0;
    b->log[0] = '\0';
    b->config.source =
        (struct gy_source){.self = b, .next = bed_next, .deps = b->dep, .strings = b->strings, .count = b->n};
    const struct gy_observer o = {b, bed_event};
    if (gy_sim_run(&b->config, &o, 1, &b->result, &b->err))
        return b->err.what;
    return b->log;
}

static inline void bed_free(struct bed *b)
{
    gy_cluster_spec_free(&b->spec);
    gy_strings_free(b->strings);
}
#endif
