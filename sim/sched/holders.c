/* What running jobs take out of the profile. Whole GPUs are counted; a GPU that is held in part is taken until the last
 * of its holders is expected to end. */
#include "gy_conservative.h"

#define PATIENCE GY_MINUTE /* least further time given to a job that runs longer than expected */

/* When the GPU will be whole again; now when nobody holds a part. */
static gy_time whole_at(const struct gy_conservative *c, uint32_t node, uint32_t gpu, gy_time now)
{
    const gy_holders *h = &c->holders.at[node];
    gy_time until = now;
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].gpu == gpu && h->at[i].until > until)
            until = h->at[i].until;
    return until;
}

static struct gy_amount amount_of(const struct gy_share *s)
{
    const int32_t gpus = s->gpu_milli == GY_MILLI ? __builtin_popcountll(s->mask) : 0;
    return (struct gy_amount){s->node, gpus, 1, (int64_t)s->cpu_milli, (int64_t)s->mem_mib};
}

static bool take_fraction(struct gy_conservative *c, const struct gy_share *s, uint32_t job, gy_time now, gy_time until)
{
    const struct gy_amount one = {s->node, 1, 0, 0, 0};
    for (uint64_t m = s->mask; m; m &= m - 1) {
        const uint32_t gpu = s->group * 64 + (uint32_t)__builtin_ctzll(m);
        const struct gy_holder h = {gpu, job, until};
        if (!gy_profile_add(&c->profile, &one, whole_at(c, s->node.i, gpu, now), until, -1) ||
            !gy_vec_push(&c->holders.at[s->node.i], h))
            return false;
    }
    return true;
}

static bool give_fraction(struct gy_conservative *c, const struct gy_share *s, uint32_t job, gy_time now, gy_time until)
{
    const struct gy_amount one = {s->node, 1, 0, 0, 0};
    gy_holders *h = &c->holders.at[s->node.i];
    for (uint64_t m = s->mask; m; m &= m - 1) {
        const uint32_t gpu = s->group * 64 + (uint32_t)__builtin_ctzll(m);
        for (size_t i = 0; i < h->n; i++)
            if (h->at[i].gpu == gpu && h->at[i].job == job) {
                h->at[i] = h->at[--h->n];
                break;
            }
        if (!gy_profile_add(&c->profile, &one, whole_at(c, s->node.i, gpu, now), until, 1))
            return false;
    }
    return true;
}

bool gy_cons_started(struct gy_conservative *c, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (!gy_ends_add(&c->ends, v, job))
        return false;
    for (uint32_t i = 0; i < j->n_shares; i++) {
        const struct gy_share *s = &j->shares[i];
        const struct gy_amount a = amount_of(s);
        if (!gy_profile_add(&c->profile, &a, v->now, j->expected_end, -1))
            return false;
        if (s->mask && s->gpu_milli < GY_MILLI && !take_fraction(c, s, job.i, v->now, j->expected_end))
            return false;
    }
    return true;
}

bool gy_cons_stopped(struct gy_conservative *c, const struct gy_view *v, gy_job_id job)
{
    const struct gy_job *j = gy_view_job(v, job);
    if (!gy_ends_has(&c->ends, job))
        return true;
    const gy_time until = c->ends.rows.at[job.i].item.major;
    gy_ends_remove(&c->ends, job);
    c->compress = true;
    c->rebuild = c->rebuild || j->n_shares == 0; /* its shares are gone already */
    for (uint32_t i = 0; i < j->n_shares; i++) {
        const struct gy_share *s = &j->shares[i];
        const struct gy_amount a = amount_of(s);
        if (!gy_profile_add(&c->profile, &a, v->now, until, 1) || !gy_cons_note_freed(c, s->node))
            return false;
        if (s->mask && s->gpu_milli < GY_MILLI && !give_fraction(c, s, job.i, v->now, until))
            return false;
    }
    return true;
}

/* The profile is as if all nodes stay as they are; a running job gives its part back at its end. */
static bool return_later(struct gy_conservative *c, const struct gy_view *v, const struct gy_item *item)
{
    const struct gy_job *j = gy_view_job(v, (gy_job_id){item->job});
    for (uint32_t i = 0; i < j->n_shares; i++) {
        const struct gy_share *s = &j->shares[i];
        const struct gy_amount a = amount_of(s), one = {s->node, 1, 0, 0, 0};
        if (!gy_profile_add(&c->profile, &a, item->major, GY_NEVER, 1))
            return false;
        for (uint64_t m = s->gpu_milli < GY_MILLI ? s->mask : 0; m; m &= m - 1) {
            const uint32_t gpu = s->group * 64 + (uint32_t)__builtin_ctzll(m);
            const gy_time before = whole_at(c, s->node.i, gpu, INT64_MIN);
            const struct gy_holder h = {gpu, item->job, item->major};
            /* The first holder brings the GPU back at its end; a later end of another moves that on. */
            if (before == INT64_MIN ? !gy_profile_add(&c->profile, &one, item->major, GY_NEVER, 1)
                                    : !gy_profile_add(&c->profile, &one, before, item->major, -1))
                return false;
            if (!gy_vec_push(&c->holders.at[s->node.i], h))
                return false;
        }
    }
    return true;
}

bool gy_cons_running(struct gy_conservative *c, const struct gy_view *v)
{
    struct gy_item item;
    if (!gy_profile_reset(&c->profile, v))
        return false;
    for (size_t i = 0; i < c->holders.n; i++)
        c->holders.at[i].n = 0;
    for (struct gy_blist_pos pos = gy_blist_begin(&c->ends.list); gy_blist_get(&c->ends.list, pos, &item, NULL);
         pos = gy_blist_after(&c->ends.list, pos))
        if (!return_later(c, v, &item))
            return false;
    return true;
}

bool gy_cons_overdue(struct gy_conservative *c, const struct gy_view *v, bool *any)
{
    struct gy_item item;
    *any = false;
    for (;;) {
        struct gy_blist_pos pos = gy_blist_begin(&c->ends.list);
        if (!gy_blist_get(&c->ends.list, pos, &item, NULL) || item.major > v->now)
            return true;
        const struct gy_job *j = gy_view_job(v, (gy_job_id){item.job});
        if (j->start == v->now && item.major == v->now) /* of no length, begun just now */
            return true;
        const gy_time late = v->now - j->expected_end;
        gy_blist_erase(&c->ends.list, &pos);
        item.major = gy_time_add(v->now, late > PATIENCE ? late : PATIENCE);
        c->ends.rows.at[item.job].item = item;
        if (!gy_blist_insert(&c->ends.list, &item, 0))
            return false;
        *any = true;
    }
}

gy_time gy_cons_window(const struct gy_conservative *c, const struct gy_share *shares, size_t n, bool exclusive,
                       gy_time length)
{
    const gy_node_id node = shares[0].node;
    const gy_time now = c->profile.now, end = gy_time_add(now, length);
    struct gy_need need = {.exclusive = exclusive};
    for (size_t i = 0; i < n; i++) {
        need.gpus += (uint32_t)amount_of(&shares[i]).gpus;
        need.cpu_milli += shares[i].cpu_milli;
        need.mem_mib += shares[i].mem_mib;
    }
    const gy_time until = gy_profile_until(&c->profile, node, &need, now);
    /* Parts of GPUs keep each from being whole from when it would be until the end. GPUs that become whole at other
     * times are asked for together from the earliest of these: more than needed, never less. */
    gy_time from = GY_NEVER;
    need.gpus = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t m = shares[i].gpu_milli < GY_MILLI ? shares[i].mask : 0; m; m &= m - 1) {
            const gy_time whole = whole_at(c, node.i, shares[i].group * 64 + (uint32_t)__builtin_ctzll(m), now);
            need.gpus += whole < end;
            from = whole < from ? whole : from;
        }
    if (need.gpus == 0)
        return until;
    const gy_time parts = gy_profile_until(&c->profile, node, &need, from);
    return parts < until ? parts : until;
}
