/* Telling: events to the observers, changes to the policy. Decides nothing. */
#include "engine_internal.h"

const char *gy_event_name(enum gy_event_kind k)
{
    static const char *const name[] = {
#define X(id, text) [id] = text,
        GY_EVENT_KINDS(X)
#undef X
    };
    return (size_t)k < sizeof name / sizeof *name ? name[k] : "?";
}

static uint64_t digest(uint64_t h, const struct gy_event *e)
{
    h = gy_hash_mix(h ^ (uint64_t)e->time) + ((uint64_t)e->kind << 8 | e->node_state);
    if (e->job)
        h ^= (uint64_t)e->job->rec.row << 16 | e->job->state;
    else
        h ^= (uint64_t)e->node.i << 16;
    for (uint32_t i = 0; i < e->n_shares; i++)
        h = gy_hash_mix(h ^ e->shares[i].mask ^ (uint64_t)e->shares[i].node.i << 20);
    return h;
}

int sim_emit(struct sim *s, struct gy_event *e)
{
    e->time = s->view.now;
    e->totals = gy_cluster_totals(s->cluster);
    e->pending = s->view.pending;
    e->running = s->view.running;
    if (e->kind != GY_E_HOLD && e->kind != GY_E_RESERVE && e->kind != GY_E_SAMPLE)
        s->result->digest = digest(s->result->digest, e);
    for (size_t i = 0; i < s->n_observers; i++)
        if (s->observers[i].on_event(s->observers[i].self, &s->view, e, s->err))
            return -1;
    return 0;
}

int sim_emit_job(struct sim *s, enum gy_event_kind kind, gy_job_id id, const char *note)
{
    const struct gy_job *j = sim_job(s, id);
    struct gy_event e = {.kind = kind,
                         .id = id,
                         .job = j,
                         .shares = j->shares,
                         .n_shares = j->n_shares,
                         .node = GY_NODE_NONE,
                         .note = note};
    return sim_emit(s, &e);
}

static int tell(struct sim *s, const struct gy_policy_event *e)
{
    if (!s->config->policy->on_event)
        return 0;
    if (s->config->policy->on_event(s->policy_state, &s->view, e) == 0)
        return 0;
    return s->err->code ? -1 : gy_nomem(s->err);
}

int sim_tell(struct sim *s, enum gy_change change, gy_job_id job, gy_node_id node)
{
    s->dirty = true;
    if (s->in_decide) {
        const struct notice n = {change, job, sim_job(s, job)->generation};
        return gy_vec_push(&s->notices, n) ? 0 : gy_nomem(s->err);
    }
    const struct gy_policy_event e = {.change = change, .job = job, .node = node};
    return tell(s, &e);
}

int sim_tell_later(struct sim *s)
{
    for (size_t i = 0; i < s->notices.n; i++) {
        const struct notice *n = &s->notices.at[i];
        const struct gy_policy_event e = {.change = n->change, .job = n->job, .node = GY_NODE_NONE};
        if (tell(s, &e))
            return -1;
        /* A row whose job ended during decide was kept until the policy had heard of it. */
        struct gy_job *j = sim_job(s, n->job);
        if (j->generation == n->generation && j->state > GY_SUSPENDED &&
            (n->change == GY_C_GONE || n->change == GY_C_STOPPED))
            row_free(s, n->job);
    }
    gy_vec_clear(&s->notices);
    return 0;
}
