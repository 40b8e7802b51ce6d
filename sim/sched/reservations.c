/* Who holds which reservation: jobs in queue order, planned starts in order of time, and the nodes on which something
 * was freed since each job was last looked at. */
#include "gy_conservative.h"
#include <string.h>

void gy_cons_free(struct gy_conservative *c)
{
    gy_profile_free(&c->profile);
    gy_ends_free(&c->ends);
    for (size_t i = 0; i < c->rows.n; i++)
        gy_vec_free(&c->rows.at[i].nodes);
    gy_vec_free(&c->rows);
    gy_vec_free(&c->order);
    gy_blist_free(&c->starts);
    gy_vec_free(&c->freed);
    gy_vec_free(&c->freed_at);
    for (size_t i = 0; i < c->holders.n; i++)
        gy_vec_free(&c->holders.at[i]);
    gy_vec_free(&c->holders);
    gy_vec_free(&c->found);
}

/* Index of the first reserved job not before the item. */
static size_t lower(const struct gy_conservative *c, const struct gy_item *item)
{
    size_t lo = 0, hi = c->order.n;
    if (hi > 0 && gy_item_before(&c->order.at[hi - 1], item))
        return hi;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (gy_item_before(&c->order.at[mid], item))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool gy_cons_enter(struct gy_conservative *c, const struct gy_queued *q, gy_job_id job, gy_time estimate)
{
    const struct gy_reserved none = {.in = false};
    while (c->rows.n <= job.i)
        if (!gy_vec_push(&c->rows, none))
            return false;
    if (!gy_vec_reserve(&c->order, c->order.n + 1))
        return false;
    struct gy_reserved *r = &c->rows.at[job.i];
    r->in = true;
    r->item = q->item;
    r->lane = q->lane;
    r->estimate = estimate;
    r->start = GY_NEVER;
    r->nodes.n = 0;
    const size_t i = lower(c, &r->item);
    memmove(&c->order.at[i + 1], &c->order.at[i], (c->order.n - i) * sizeof *c->order.at);
    c->order.at[i] = r->item;
    c->order.n++;
    return true;
}

void gy_cons_leave(struct gy_conservative *c, gy_job_id job)
{
    const size_t i = lower(c, &c->rows.at[job.i].item);
    c->order.n--;
    memmove(&c->order.at[i], &c->order.at[i + 1], (c->order.n - i) * sizeof *c->order.at);
    c->rows.at[job.i].in = false;
}

static bool book(struct gy_conservative *c, const struct gy_reserved *r, int sign)
{
    for (size_t i = 0; i < r->nodes.n; i++)
        if (!gy_profile_add(&c->profile, &r->nodes.at[i], r->start, gy_time_add(r->start, r->estimate), sign))
            return false;
    return true;
}

bool gy_cons_reserve(struct gy_conservative *c, gy_job_id job, gy_time start, const gy_amounts *nodes)
{
    struct gy_reserved *r = &c->rows.at[job.i];
    const struct gy_item key = {start, 0, r->item.row, job.i};
    r->start = start;
    r->tested = c->clock;
    if (start == GY_NEVER) {
        r->nodes.n = 0;
        return true;
    }
    if (nodes != &r->nodes) {
        if (!gy_vec_reserve(&r->nodes, nodes->n))
            return false;
        memcpy(r->nodes.at, nodes->at, nodes->n * sizeof *nodes->at);
        r->nodes.n = nodes->n;
    }
    return gy_blist_insert(&c->starts, &key, 0) && book(c, r, -1);
}

bool gy_cons_lift(struct gy_conservative *c, const struct gy_reserved *r)
{
    return r->start == GY_NEVER || book(c, r, 1);
}

bool gy_cons_put_back(struct gy_conservative *c, const struct gy_reserved *r)
{
    return r->start == GY_NEVER || book(c, r, -1);
}

void gy_cons_unlist(struct gy_conservative *c, const struct gy_reserved *r)
{
    const struct gy_item key = {r->start, 0, r->item.row, r->item.job};
    struct gy_blist_pos pos;
    if (r->start != GY_NEVER && gy_blist_find(&c->starts, &key, &pos))
        gy_blist_erase(&c->starts, &pos);
}

bool gy_cons_note_freed(struct gy_conservative *c, gy_node_id node)
{
    const struct gy_freed f = {node.i, ++c->clock};
    if (c->freed_at.at[node.i] != UINT32_MAX) {
        c->freed.at[c->freed_at.at[node.i]].when = f.when;
        return true;
    }
    if (!gy_vec_push(&c->freed, f))
        return false;
    c->freed_at.at[node.i] = (uint32_t)c->freed.n - 1;
    return true;
}

void gy_cons_trim_freed(struct gy_conservative *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->freed.n; i++) {
        const struct gy_freed f = c->freed.at[i];
        c->freed_at.at[f.node] = f.when > c->pass_clock ? (uint32_t)kept : UINT32_MAX;
        if (f.when > c->pass_clock)
            c->freed.at[kept++] = f;
    }
    c->freed.n = kept;
}
