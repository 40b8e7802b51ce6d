/* The pending queue: lanes by shape, and a heap of their first entries. Not the scan over it (scan.c). */
#include "gy_queue.h"
#include <stdlib.h>
#include <string.h>

void gy_queue_free(struct gy_queue *q)
{
    for (size_t i = 0; i < q->lanes.n; i++)
        gy_blist_free(&q->lanes.at[i].list);
    for (size_t i = 0; i < q->groups.n; i++)
        gy_vec_free(&q->groups.at[i].lanes);
    gy_vec_free(&q->lanes);
    gy_vec_free(&q->groups);
    gy_vec_free(&q->heads);
    gy_vec_free(&q->rows);
    *q = (struct gy_queue){0};
}

static inline void heads_put(struct gy_queue *q, uint32_t i, struct gy_head h)
{
    q->heads.at[i] = h;
    q->lanes.at[h.lane].in_heads = i;
}

static void heads_up(struct gy_queue *q, uint32_t i, struct gy_head h)
{
    while (i > 0 && gy_item_before(&h.item, &q->heads.at[(i - 1) / 2].item)) {
        heads_put(q, i, q->heads.at[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    heads_put(q, i, h);
}

static void heads_down(struct gy_queue *q, uint32_t i, struct gy_head h)
{
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= q->heads.n)
            break;
        if (c + 1 < q->heads.n && gy_item_before(&q->heads.at[c + 1].item, &q->heads.at[c].item))
            c++;
        if (!gy_item_before(&q->heads.at[c].item, &h.item))
            break;
        heads_put(q, i, q->heads.at[c]);
        i = c;
    }
    heads_put(q, i, h);
}

/* The lane's first entry changed: its place among the heads follows. */
static void heads_sync(struct gy_queue *q, uint32_t lane)
{
    struct gy_lane *l = &q->lanes.at[lane];
    struct gy_head h = {.lane = lane};
    const uint32_t i = l->in_heads;
    if (gy_blist_get(&l->list, gy_blist_begin(&l->list), &h.item, NULL)) {
        if (i > 0 && gy_item_before(&h.item, &q->heads.at[(i - 1) / 2].item))
            heads_up(q, i, h);
        else
            heads_down(q, i, h);
        return;
    }
    l->in_heads = GY_LANE_NONE;
    const struct gy_head last = q->heads.at[--q->heads.n];
    if (i == q->heads.n)
        return;
    if (i > 0 && gy_item_before(&last.item, &q->heads.at[(i - 1) / 2].item))
        heads_up(q, i, last);
    else
        heads_down(q, i, last);
}

static bool same_group(const struct gy_shape *a, const struct gy_shape *b)
{
    return a->gpus == b->gpus && a->full_nodes == b->full_nodes && a->rest == b->rest && a->fraction == b->fraction &&
           a->fraction_gpus == b->fraction_gpus && a->any_split == b->any_split && a->exclusive == b->exclusive &&
           a->n_classes == b->n_classes && memcmp(a->classes, b->classes, a->n_classes * sizeof *a->classes) == 0;
}

static bool lane_open(struct gy_queue *q, const struct gy_view *v, uint32_t shape)
{
    const struct gy_shape *s = gy_shape_at(v->shapes, shape);
    struct gy_lane lane = {.group = GY_LANE_NONE, .in_group = GY_LANE_NONE, .in_heads = GY_LANE_NONE};
    for (uint32_t g = 0; g < q->groups.n; g++)
        if (same_group(s, gy_shape_at(v->shapes, q->groups.at[g].like)))
            lane.group = g;
    if (lane.group == GY_LANE_NONE) {
        const struct gy_lane_group fresh = {.like = shape};
        if (!gy_vec_push(&q->groups, fresh))
            return false;
        lane.group = (uint32_t)q->groups.n - 1;
    }
    q->lanes.at[shape] = lane;
    return true;
}

static bool lanes_reach(struct gy_queue *q, uint32_t shape)
{
    const struct gy_lane none = {.group = GY_LANE_NONE, .in_group = GY_LANE_NONE, .in_heads = GY_LANE_NONE};
    while (q->lanes.n <= shape)
        if (!gy_vec_push(&q->lanes, none))
            return false;
    return true;
}

static bool rows_reach(struct gy_queue *q, uint32_t row)
{
    const struct gy_queued none = {.lane = GY_LANE_NONE};
    while (q->rows.n <= row)
        if (!gy_vec_push(&q->rows, none))
            return false;
    return true;
}

/* Exchanges two lanes of a group. */
static void group_swap(struct gy_queue *q, struct gy_lane_group *g, uint32_t i, uint32_t j)
{
    const struct gy_lane_need x = g->lanes.at[i];
    g->lanes.at[i] = g->lanes.at[j];
    g->lanes.at[j] = x;
    q->lanes.at[g->lanes.at[i].lane].in_group = i;
    q->lanes.at[g->lanes.at[j].lane].in_group = j;
}

/* The lane got its first entry. */
static bool lane_fill(struct gy_queue *q, const struct gy_view *v, uint32_t lane, const struct gy_item *item)
{
    struct gy_lane *l = &q->lanes.at[lane];
    struct gy_lane_group *g = &q->groups.at[l->group];
    const struct gy_shape *s = gy_shape_at(v->shapes, lane);
    const struct gy_lane_need entry = {lane, s->rest ? s->rest_cpu_milli : s->cpu_milli,
                                       s->rest ? s->rest_mem_mib : s->mem_mib};
    if (!gy_vec_reserve(&q->heads, q->heads.n + 1) || !gy_vec_push(&g->lanes, entry))
        return false;
    l->in_group = (uint32_t)g->lanes.n - 1;
    l->mode = GY_LANE_OPEN;
    group_swap(q, g, l->in_group, g->open);
    g->open++;
    heads_up(q, (uint32_t)q->heads.n++, (struct gy_head){*item, lane});
    return true;
}

static void lane_empty(struct gy_queue *q, uint32_t lane)
{
    struct gy_lane *l = &q->lanes.at[lane];
    struct gy_lane_group *g = &q->groups.at[l->group];
    if (l->in_group < g->open)
        group_swap(q, g, l->in_group, --g->open);
    group_swap(q, g, l->in_group, (uint32_t)g->lanes.n - 1);
    g->lanes.n--;
    l->in_group = GY_LANE_NONE;
}

bool gy_queue_push(struct gy_queue *q, const struct gy_view *v, gy_job_id job, double key, gy_time estimate)
{
    const struct gy_job *j = gy_view_job(v, job);
    const uint32_t lane = j->shape;
    if (!rows_reach(q, job.i) || !lanes_reach(q, lane) ||
        (q->lanes.at[lane].group == GY_LANE_NONE && !lane_open(q, v, lane)))
        return false;
    struct gy_lane *l = &q->lanes.at[lane];
    const struct gy_item item = {gy_order_bits(key), j->queued, j->rec.row, job.i};
    if (!gy_blist_insert(&l->list, &item, estimate))
        return false;
    if (l->in_heads == GY_LANE_NONE) {
        if (!lane_fill(q, v, lane, &item))
            return false;
    } else if (gy_item_before(&item, &q->heads.at[l->in_heads].item)) {
        heads_up(q, l->in_heads, (struct gy_head){item, lane});
    }
    q->rows.at[job.i] = (struct gy_queued){item, lane};
    q->n++;
    return true;
}

void gy_queue_erase_(struct gy_queue *q, uint32_t row, struct gy_blist_pos *pos)
{
    const uint32_t lane = q->rows.at[row].lane;
    struct gy_blist *list = &q->lanes.at[lane].list;
    const struct gy_blist_pos begin = gy_blist_begin(list);
    const bool was_first = pos->block == begin.block && pos->at == begin.at;
    gy_blist_erase(list, pos);
    q->rows.at[row].lane = GY_LANE_NONE;
    q->n--;
    if (was_first)
        heads_sync(q, lane);
    if (list->n == 0)
        lane_empty(q, lane);
}

void gy_queue_remove(struct gy_queue *q, gy_job_id job)
{
    if (!gy_queue_has(q, job))
        return;
    struct gy_blist *list = &q->lanes.at[q->rows.at[job.i].lane].list;
    struct gy_blist_pos pos;
    if (!gy_blist_find(list, &q->rows.at[job.i].item, &pos))
        return;
    gy_queue_erase_(q, job.i, &pos);
}

gy_job_id gy_queue_head(const struct gy_queue *q)
{
    return q->heads.n ? (gy_job_id){q->heads.at[0].item.job} : GY_JOB_NONE;
}

enum gy_lane_mode gy_queue_mode(const struct gy_queue *q, uint32_t lane)
{
    const struct gy_lane *l = &q->lanes.at[lane];
    if (l->in_group != GY_LANE_NONE && l->in_group >= q->groups.at[l->group].open)
        return GY_LANE_CLOSED;
    return l->mode_of == q->round ? (enum gy_lane_mode)l->mode : GY_LANE_OPEN;
}

void gy_queue_set_mode(struct gy_queue *q, uint32_t lane, enum gy_lane_mode mode, enum gy_reason why)
{
    struct gy_lane *l = &q->lanes.at[lane];
    l->mode = (uint8_t)mode;
    l->why = (uint8_t)why;
    l->mode_of = q->round;
    if (mode == GY_LANE_CLOSED && l->in_group != GY_LANE_NONE && l->in_group < q->groups.at[l->group].open)
        group_swap(q, &q->groups.at[l->group], l->in_group, --q->groups.at[l->group].open);
}

void gy_queue_reopen(struct gy_queue *q, uint32_t lane)
{
    struct gy_lane *l = &q->lanes.at[lane];
    struct gy_lane_group *g = &q->groups.at[l->group];
    l->mode = GY_LANE_OPEN;
    if (l->in_group >= g->open)
        group_swap(q, g, l->in_group, g->open++);
}

void gy_queue_reopen_all(struct gy_queue *q)
{
    for (size_t i = 0; i < q->groups.n; i++) {
        struct gy_lane_group *g = &q->groups.at[i];
        for (; g->open < g->lanes.n; g->open++)
            q->lanes.at[g->lanes.at[g->open].lane].mode = GY_LANE_OPEN;
    }
}
