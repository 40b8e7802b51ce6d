/* Dependencies (afterok, afterany, afternotok, after) and the throttles of job arrays. */
#include "engine_internal.h"

static bool satisfied(enum gy_dep_kind kind, enum gy_job_state state)
{
    switch (kind) {
    case GY_DEP_AFTEROK:
        return state == GY_COMPLETED;
    case GY_DEP_AFTERNOTOK:
        return state == GY_FAILED || state == GY_TIMEOUT || state == GY_NODE_FAIL;
    case GY_DEP_AFTERANY:
    case GY_DEP_AFTER:
        return true;
    }
    return true;
}

static int wait_for(struct sim *s, gy_job_id id, const struct gy_dep *d)
{
    uint64_t head = ROW_NONE;
    gy_map_get(&s->waiting, d->row, &head);
    const struct waiter w = {id, sim_job(s, id)->generation, (uint32_t)head, d->kind};
    if (!gy_vec_push(&s->waiters, w) || !gy_map_put(&s->waiting, d->row, s->waiters.n - 1))
        return gy_nomem(s->err);
    sim_job(s, id)->waiting_on++;
    return 0;
}

int depend_arrive(struct sim *s, gy_job_id id, bool *never)
{
    const struct gy_job_rec *rec = &sim_job(s, id)->rec;
    for (uint32_t i = 0; i < rec->dep_n; i++) {
        const struct gy_dep *d = &s->config->source.deps[rec->dep_first + i];
        uint64_t state;
        if (d->row == UINT32_MAX)
            continue;
        if (gy_map_get(&s->outcome, d->row, &state)) {
            if (state == GY_RUNNING ? d->kind == GY_DEP_AFTER : satisfied(d->kind, (enum gy_job_state)state))
                continue;
            if (state != GY_RUNNING) {
                *never = true;
                return 0;
            }
        }
        if (wait_for(s, id, d))
            return -1;
    }
    return 0;
}

static int release(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    bool waits = false;
    if (--j->waiting_on > 0)
        return 0;
    j->eligible = s->view.now;
    j->reason = GY_R_NONE;
    if (array_enter(s, id, &waits))
        return -1;
    return waits ? 0 : job_enqueue(s, id);
}

/* Walks the waiters of a record; those of kind AFTER only when it has merely started. */
static int wake_waiters(struct sim *s, uint32_t row, enum gy_job_state state, bool started)
{
    uint64_t at;
    if (!gy_map_get(&s->waiting, row, &at))
        return 0;
    /* The list is newest first; jobs are released oldest first. */
    GY_VEC(uint32_t) order = {0};
    for (; at != ROW_NONE; at = s->waiters.at[at].next)
        if (!gy_vec_push(&order, (uint32_t)at)) {
            gy_vec_free(&order);
            return gy_nomem(s->err);
        }
    int rc = 0;
    for (size_t i = order.n; i-- > 0 && rc == 0;) {
        struct waiter *w = &s->waiters.at[order.at[i]];
        const gy_job_id id = w->job;
        if (sim_job(s, id)->generation != w->generation || (started && w->kind != GY_DEP_AFTER))
            continue;
        w->generation--; /* served: matches no live row */
        rc = satisfied((enum gy_dep_kind)w->kind, state)
                 ? release(s, id)
                 : job_end(s, id, GY_CANCELLED, "a job it depends on did not end as it should");
    }
    gy_vec_free(&order);
    if (!started)
        gy_map_erase(&s->waiting, row);
    return rc;
}

int depend_ended(struct sim *s, const struct gy_job_rec *rec, enum gy_job_state state)
{
    if (!gy_map_put(&s->outcome, rec->row, state))
        return gy_nomem(s->err);
    return wake_waiters(s, rec->row, state, false);
}

int depend_started(struct sim *s, const struct gy_job_rec *rec)
{
    const uint32_t row = rec->row;
    if (!gy_map_put(&s->outcome, row, GY_RUNNING))
        return gy_nomem(s->err);
    return wake_waiters(s, row, GY_RUNNING, true);
}

static struct array_group *group_of(struct sim *s, const struct gy_job_rec *rec)
{
    uint64_t at;
    if (gy_map_get(&s->arrays, rec->array, &at))
        return &s->groups.at[at];
    const struct array_group g = {0, ROW_NONE, ROW_NONE};
    if (!gy_vec_push(&s->groups, g) || !gy_map_put(&s->arrays, rec->array, s->groups.n - 1))
        return NULL;
    return &s->groups.at[s->groups.n - 1];
}

int array_enter(struct sim *s, gy_job_id id, bool *waits)
{
    struct gy_job *j = sim_job(s, id);
    *waits = false;
    if (j->rec.array_limit == 0)
        return 0;
    struct array_group *g = group_of(s, &j->rec);
    if (!g)
        return gy_nomem(s->err);
    if (g->active < j->rec.array_limit) {
        g->active++;
        return 0;
    }
    *waits = true;
    j->reason = GY_R_ARRAY;
    j->prev = g->tail;
    if (g->tail != ROW_NONE)
        s->jobs.at[g->tail].next = id.i;
    else
        g->head = id.i;
    g->tail = id.i;
    return 0;
}

void array_forget(struct sim *s, gy_job_id id)
{
    struct gy_job *j = sim_job(s, id);
    struct array_group *g = group_of(s, &j->rec);
    if (!g)
        return;
    if (j->prev != ROW_NONE)
        s->jobs.at[j->prev].next = j->next;
    else
        g->head = j->next;
    if (j->next != ROW_NONE)
        s->jobs.at[j->next].prev = j->prev;
    else
        g->tail = j->prev;
    j->prev = j->next = ROW_NONE;
}

int array_leave(struct sim *s, const struct gy_job_rec *rec)
{
    struct array_group *g = group_of(s, rec);
    if (!g)
        return gy_nomem(s->err);
    g->active--;
    if (g->head == ROW_NONE)
        return 0;
    const gy_job_id next = {g->head};
    array_forget(s, next);
    g->active++;
    sim_job(s, next)->reason = GY_R_NONE;
    return job_enqueue(s, next);
}
