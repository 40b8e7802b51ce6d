/* Between the engine's view and the passes: what a job asks for as a pass reads it, the cluster as a pass sees it, and
 * chosen nodes as shares with GPU indices (the lowest free ones). */
#include <stdlib.h>
#include "slurm_policy.h"

static bool make_shape(struct slurm *s, const struct gy_view *v, const struct gy_shape *shape, struct slurm_shape *out)
{
    const uint32_t nodes = gy_cluster_nodes(v->cluster);
    out->known = true;
    out->ok = !shape->any_split;
    out->allowed = calloc(s->state.words + 1u, sizeof *out->allowed);
    if (!out->allowed)
        return false;
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t klass = gy_cluster_node(v->cluster, (gy_node_id){i})->klass;
        for (uint32_t k = 0; k < shape->n_classes; k++)
            if (shape->classes[k] == klass)
                set_put(out->allowed, i);
    }
    out->ask = (struct gy_slurm_job){
        .nodes = shape->full_nodes,
        .amount = {shape->fraction ? shape->fraction_gpus : shape->gpus, shape->cpu_milli, shape->mem_mib},
        .rest = {shape->rest, shape->rest_cpu_milli, shape->rest_mem_mib},
        .has_rest = shape->rest > 0,
        .exclusive = shape->exclusive};
    return true;
}

static int64_t round_up(gy_time t)
{
    return t >= GY_TIME_MAX ? GY_SLURM_MAX_S / 4 : (t + GY_SECOND - 1) / GY_SECOND;
}

const struct gy_slurm_job *slurm_ask_of(struct slurm *s, const struct gy_view *v, gy_job_id job,
                                        struct gy_slurm_job *buf)
{
    const struct gy_job *j = gy_view_job(v, job);
    const struct slurm_shape none = {.known = false};
    while (s->shapes.n <= j->shape)
        if (!gy_vec_push(&s->shapes, none)) {
            s->no_memory = true;
            return NULL;
        }
    struct slurm_shape *shape = &s->shapes.at[j->shape];
    if (!shape->known && !make_shape(s, v, gy_shape_at(v->shapes, j->shape), shape)) {
        s->no_memory = true;
        return NULL;
    }
    if (!shape->ok)
        return NULL;
    const struct slurm_known *k = slurm_known_of(s, v, job);
    *buf = shape->ask;
    buf->id = job.i;
    buf->user = k ? k->user : 0;
    buf->allowed = shape->allowed;
    buf->limit_s = round_up(j->rec.limit != GY_NONE ? j->rec.limit : s->p.default_limit);
    buf->submit_s = slurm_seconds(j->rec.submit);
    return buf;
}

static bool add_run(struct slurm *s, const struct gy_view *v, const struct slurm_running *r, struct gy_slurm_hold **buf,
                    size_t *cap)
{
    const struct gy_job *j = gy_view_job(v, r->job);
    if (*cap < j->n_shares) {
        struct gy_slurm_hold *more = realloc(*buf, j->n_shares * sizeof *more);
        if (!more)
            return false;
        *buf = more;
        *cap = j->n_shares;
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < j->n_shares; i++) {
        const struct gy_share *sh = &j->shares[i];
        if (n == 0 || (*buf)[n - 1].node != sh->node.i)
            (*buf)[n++] = (struct gy_slurm_hold){.node = sh->node.i};
        struct gy_slurm_amount *a = &(*buf)[n - 1].amount;
        a->gpus += (uint32_t)__builtin_popcountll(sh->mask);
        a->cpu_milli += sh->cpu_milli;
        a->mem_mib += sh->mem_mib;
    }
    return gy_slurm_state_add(&s->state, r->row, r->end_s, *buf, n);
}

bool slurm_state_build(struct slurm *s, const struct gy_view *v)
{
    struct gy_slurm_state *st = &s->state;
    set_clear(st->up, st->words);
    for (uint32_t i = 0; i < st->nodes; i++)
        if (gy_cluster_node(v->cluster, (gy_node_id){i})->state == GY_NODE_UP)
            set_put(st->up, i);
    gy_slurm_state_reset(st);
    struct gy_slurm_hold *buf = NULL;
    size_t cap = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < s->running.n; i++)
        ok = add_run(s, v, &s->running.at[i], &buf, &cap);
    free(buf);
    return ok;
}

static bool share_on(const struct gy_view *v, const struct gy_job *j, uint32_t node, const struct gy_slurm_amount *want,
                     struct slurm_shares *out)
{
    const struct gy_node_spec *spec = &gy_cluster_spec(v->cluster)->nodes.at[node];
    const bool whole = j->rec.exclusive;
    uint32_t left = whole && want->gpus ? spec->gpus : want->gpus;
    struct gy_share share = {.node = {node},
                             .gpu_milli = want->gpus && j->rec.gpu_milli ? j->rec.gpu_milli : GY_MILLI,
                             .cpu_milli = (uint32_t)(whole && spec->cpu_milli ? spec->cpu_milli : want->cpu_milli),
                             .mem_mib = whole && spec->mem_mib ? spec->mem_mib : want->mem_mib};
    if (left == 0)
        return gy_vec_push(&out->at, share);
    for (uint32_t g = 0; g * 64 < spec->gpus && left > 0; g++) {
        const uint64_t free = gy_cluster_free_mask(v->cluster, (gy_node_id){node}, g);
        uint64_t rest = free;
        for (; left > 0 && rest; left--)
            rest &= rest - 1;
        share.mask = free & ~rest;
        share.group = g;
        if (share.mask && !gy_vec_push(&out->at, share))
            return false;
        if (share.mask)
            share.cpu_milli = 0, share.mem_mib = 0;
    }
    return true;
}

bool slurm_shares_on(const struct gy_view *v, const struct gy_job *j, const struct gy_slurm_answer *a,
                     struct slurm_shares *out)
{
    const uint32_t nodes = gy_cluster_nodes(v->cluster), words = (nodes + 63) / 64;
    gy_vec_clear(&out->at);
    for (uint32_t i = set_next(a->nodes, words, 0); i != UINT32_MAX; i = set_next(a->nodes, words, i + 1))
        if (!share_on(v, j, i, i == a->rest_node ? &a->job->rest : &a->job->amount, out))
            return false;
    return true;
}
