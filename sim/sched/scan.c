/* The scan over the pending queue: a merge of lanes by a heap of their positions. */
#include "gy_queue.h"

void gy_scan_clear(struct gy_scan *s, struct gy_queue *q)
{
    s->q = q;
    s->heap.n = 0;
}

static void down(struct gy_scan *s, const struct gy_scan_lane *x)
{
    const struct gy_scan_lane lane = *x;
    size_t i = 0;
    for (size_t c = 1; c < s->heap.n; c = 2 * i + 1) {
        if (c + 1 < s->heap.n && gy_item_before(&s->heap.at[c + 1].item, &s->heap.at[c].item))
            c++;
        if (!gy_item_before(&s->heap.at[c].item, &lane.item))
            break;
        s->heap.at[i] = s->heap.at[c];
        i = c;
    }
    s->heap.at[i] = lane;
}

/* The entry at or after the lane's position whose estimate is at most max. */
static bool settle(struct gy_scan *s, struct gy_scan_lane *l, gy_time max)
{
    struct gy_blist *list = &s->q->lanes.at[l->lane].list;
    return gy_blist_within(list, &l->pos, max) && gy_blist_get(list, l->pos, &l->item, &l->estimate);
}

bool gy_scan_add(struct gy_scan *s, uint32_t lane, gy_time max)
{
    struct gy_scan_lane l = {.lane = lane, .pos = gy_blist_begin(&s->q->lanes.at[lane].list)};
    if (!settle(s, &l, max))
        return true;
    if (!gy_vec_reserve(&s->heap, s->heap.n + 1))
        return false;
    size_t i = s->heap.n++;
    for (; i > 0 && gy_item_before(&l.item, &s->heap.at[(i - 1) / 2].item); i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = l;
    return true;
}

void gy_scan_drop(struct gy_scan *s)
{
    if (--s->heap.n > 0)
        down(s, &s->heap.at[s->heap.n]);
}

static void go_on(struct gy_scan *s, struct gy_scan_lane *l, gy_time max)
{
    if (settle(s, l, max))
        down(s, l);
    else
        gy_scan_drop(s);
}

void gy_scan_next(struct gy_scan *s, gy_time max)
{
    struct gy_scan_lane l = s->heap.at[0];
    l.pos = gy_blist_after(&s->q->lanes.at[l.lane].list, l.pos);
    go_on(s, &l, max);
}

void gy_scan_take(struct gy_scan *s, gy_time max)
{
    struct gy_scan_lane l = s->heap.at[0];
    gy_queue_erase_(s->q, l.item.job, &l.pos);
    go_on(s, &l, max);
}
