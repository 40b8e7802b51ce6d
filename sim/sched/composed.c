/* The composed policy: queue order × queueing × backfill × placement, chosen by parameters. Looks after the queue; the
 * passes are the backfills' (backfill_*.c). Presets that fix some of the parts are in presets.c. */
#include <stdlib.h>
#include "gy_registry.h"

static const struct gy_param params[] = {
    {.name = "order",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_sched_params, order),
     .preset = "\"fifo\"",
     .choices = GY_CHOICES(GY_ORDERS),
     .help = "order of the queue; ties by time queued, then by row of the trace",
     .source = ""},
    {.name = "queueing",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_sched_params, queueing),
     .preset = "\"strict\"",
     .choices = "strict|best-effort",
     .help = "without backfill: stop at the first job that does not fit, or keep scanning",
     .source = ""},
    {.name = "backfill",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_sched_params, backfill),
     .preset = "\"none\"",
     .choices = GY_CHOICES(GY_BACKFILLS),
     .help = "what may start behind a head of the queue that waits",
     .source = ""},
    {.name = "placement",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_sched_params, placement),
     .preset = "\"pack\"",
     .choices = GY_CHOICES(GY_PLACES),
     .help = "which nodes a job gets",
     .source = ""},
    GY_SCHED_DEPTH_PARAM,
    {.name = NULL}};

int gy_sched_init(void *self, const void *parameters, const struct gy_view *v, struct gy_error *err)
{
    struct gy_sched *s = self;
    const struct gy_sched_params *p = parameters;
    s->order = gy_orders[p->order];
    s->backfill = gy_backfills[p->backfill];
    s->best_effort = p->queueing == 1;
    s->depth = p->depth > 0 ? (uint64_t)p->depth : UINT64_MAX;
    if (!gy_placer_init(&s->placer, gy_places[p->placement], v))
        return gy_nomem(err);
    s->state = calloc(1, s->backfill->state_size + 1);
    if (!s->state)
        return gy_nomem(err);
    return s->backfill->init ? s->backfill->init(s->state, s, v, err) : 0;
}

void gy_sched_fini(void *self)
{
    struct gy_sched *s = self;
    if (s->state && s->backfill->fini)
        s->backfill->fini(s->state);
    free(s->state);
    gy_placer_free(&s->placer);
    gy_vec_free(&s->placement.shares);
    gy_queue_free(&s->queue);
    gy_vec_free(&s->scan.heap);
    gy_vec_free(&s->fresh);
    gy_vec_free(&s->nodes_freed);
}

static int enter(struct gy_sched *s, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (!gy_queue_push(&s->queue, v, job, s->order->key(v, j), gy_job_estimate(j)))
        return -1;
    const struct gy_item item = s->queue.rows.at[job.i].item;
    return gy_vec_push(&s->fresh, item) ? 0 : -1;
}

#define NODES_FREED_MAX 16 /* more than this, and everything is looked at */

/* Notes where something was given back. */
static int note_freed(struct gy_sched *s, const struct gy_job *j)
{
    s->any_freed = s->any_freed || j->n_shares == 0 || s->nodes_freed.n + j->n_shares > NODES_FREED_MAX;
    for (uint32_t i = 0; i < j->n_shares && !s->any_freed; i++)
        if (!gy_vec_push(&s->nodes_freed, j->shares[i].node.i))
            return -1;
    return 0;
}

int gy_sched_on_event(void *self, const struct gy_view *v, const struct gy_policy_event *e)
{
    struct gy_sched *s = self;
    if (e->change == GY_C_ELIGIBLE && enter(s, v, e->job))
        return -1;
    if (e->change == GY_C_GONE || e->change == GY_C_STARTED)
        gy_queue_remove(&s->queue, e->job);
    if (e->change == GY_C_STOPPED && note_freed(s, gy_view_job(v, e->job)))
        return -1;
    if (e->change == GY_C_CAPACITY || e->change == GY_C_RESIZED)
        s->any_freed = true;
    return s->backfill->on_event ? s->backfill->on_event(s->state, s, v, e) : 0;
}

static int in_order(const void *a, const void *b)
{
    return gy_item_before(a, b) ? -1 : gy_item_before(b, a);
}

int gy_sched_decide(void *self, const struct gy_view *v, struct gy_plan *plan)
{
    struct gy_sched *s = self;
    if (s->fresh.n > 1)
        qsort(s->fresh.at, s->fresh.n, sizeof *s->fresh.at, in_order);
    const int rc = s->backfill->pass(s->state, s, v, plan);
    s->fresh.n = s->nodes_freed.n = 0;
    s->any_freed = false;
    s->freed = gy_cluster_freed(v->cluster);
    s->passed = true;
    return rc;
}

const struct gy_policy_type gy_policy_composed = {.name = "composed",
                                                  .summary = "queue order, queueing, backfill and placement as chosen",
                                                  .state_size = sizeof(struct gy_sched),
                                                  .params_size = sizeof(struct gy_sched_params),
                                                  .params = params,
                                                  .init = gy_sched_init,
                                                  .fini = gy_sched_fini,
                                                  .on_event = gy_sched_on_event,
                                                  .decide = gy_sched_decide};
