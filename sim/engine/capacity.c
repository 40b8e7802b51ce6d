/* Planned capacity changes: nodes that drain, go down, come back, join and leave. */
#include "engine_internal.h"

static uint8_t class_of(enum gy_node_state state)
{
    return state == GY_NODE_UP ? CLS_REPAIR : state == GY_NODE_DOWN ? CLS_FAIL : CLS_CAPACITY;
}

static int by_time_class_node(const void *a, const void *b)
{
    const struct capacity_change *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->cls != y->cls)
        return x->cls < y->cls ? -1 : 1;
    return x->node.i < y->node.i ? -1 : x->node.i > y->node.i;
}

int capacity_prepare(struct sim *s)
{
    const struct gy_cluster_spec *spec = s->config->cluster;
    for (size_t i = 0; i < spec->events.n; i++) {
        const struct gy_capacity_event *e = &spec->events.at[i];
        const struct capacity_change c = {e->time, e->node, (uint8_t)e->state, class_of(e->state)};
        if (e->node.i >= spec->nodes.n)
            return gy_fail(s->err, GY_EINTERNAL, NULL, "a capacity event names node number %u of %zu", e->node.i,
                           spec->nodes.n);
        if (!gy_vec_push(&s->changes, c))
            return gy_nomem(s->err);
    }
    if (s->changes.n > 1)
        qsort(s->changes.at, s->changes.n, sizeof *s->changes.at, by_time_class_node);
    return 0;
}

static bool holds_node(const struct gy_job *j, gy_node_id node)
{
    for (uint32_t i = 0; i < j->n_shares; i++)
        if (j->shares[i].node.i == node.i)
            return true;
    return false;
}

/* Jobs on a node that fails or leaves lose it: requeued or ended, in order of their rows. O(live rows). */
static int evict(struct sim *s, gy_node_id node)
{
    for (uint32_t i = 0; i < s->jobs.n; i++) {
        const struct gy_job *j = &s->jobs.at[i];
        if (j->generation % 2 || !holds_node(j, node))
            continue;
        const gy_job_id id = {i};
        if (s->config->requeue_on_failure ? job_requeue(s, id, false, "its node failed")
                                          : job_end(s, id, GY_NODE_FAIL, "its node failed"))
            return -1;
    }
    return 0;
}

int capacity_apply(struct sim *s, const struct capacity_change *c)
{
    /* Out of service first, so that nothing is placed there; then the jobs on it. */
    const bool gone = c->state == GY_NODE_DOWN || c->state == GY_NODE_ABSENT;
    if (gone && gy_cluster_node(s->cluster, c->node)->jobs > 0) {
        gy_cluster_set_state(s->cluster, c->node, GY_NODE_DRAINED);
        if (evict(s, c->node))
            return -1;
    }
    gy_cluster_set_state(s->cluster, c->node, (enum gy_node_state)c->state);
    struct gy_event e = {
        .kind = GY_E_NODE, .id = GY_JOB_NONE, .node = c->node, .node_state = (enum gy_node_state)c->state};
    if (sim_emit(s, &e))
        return -1;
    return sim_tell(s, GY_C_CAPACITY, GY_JOB_NONE, c->node);
}
