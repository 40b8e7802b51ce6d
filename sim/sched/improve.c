/* Which reserved jobs could start earlier. A better start must use a node where something was freed since the job was
 * last looked at, so other nodes are not asked, and jobs of several nodes are searched for only at times at which a
 * freed node could take part. */
#include "gy_conservative.h"

static bool class_eligible(const struct gy_shape *s, uint32_t klass)
{
    for (uint32_t i = 0; i < s->n_classes; i++)
        if (s->classes[i] == klass)
            return true;
    return false;
}

/* Whether something was freed on the node after the job's last test, and it may have so many GPUs before the time. */
static bool worth(const struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s,
                  const struct gy_freed *f, uint32_t gpus, gy_time before)
{
    return f->when > r->tested && gy_profile_first(&c->profile, (gy_node_id){f->node}, gpus) < before &&
           class_eligible(s, c->profile.klass.at[f->node]);
}

/* The need on one node that is easiest to meet. */
static struct gy_need least_need(const struct gy_shape *s)
{
    struct gy_need need = s->rest ? gy_need_rest(s) : gy_profile_need(s);
    if (s->any_split)
        need.gpus = 1;
    return need;
}

static bool holds_node(const struct gy_reserved *r, uint32_t node)
{
    for (size_t i = 0; i < r->nodes.n; i++)
        if (r->nodes.at[i].node.i == node)
            return true;
    return false;
}

bool gy_cons_may_improve(const struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s)
{
    const struct gy_need need = least_need(s);
    for (size_t i = c->freed.n; i-- > 0;) {
        const struct gy_freed *f = &c->freed.at[i];
        if (worth(c, r, s, f, need.gpus, r->start) && /* its own part is not lifted yet: such a node cannot be judged */
            (holds_node(r, f->node) ||
             gy_profile_on_node(&c->profile, (gy_node_id){f->node}, &need, r->estimate, r->start) < r->start))
            return true;
    }
    return false;
}

static gy_time improve_one(struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s,
                           bool *nomem)
{
    const struct gy_need need = gy_profile_need(s);
    gy_time best = r->start;
    uint32_t node = UINT32_MAX;
    for (size_t i = 0; i < c->freed.n; i++) {
        const struct gy_freed *f = &c->freed.at[i];
        const gy_time before = best < r->start && f->node < node ? best + 1 : best; /* as early, on a lower node */
        if (!worth(c, r, s, f, need.gpus, before))
            continue;
        const gy_time t = gy_profile_on_node(&c->profile, (gy_node_id){f->node}, &need, r->estimate, before);
        if (t < before) {
            best = t;
            node = f->node;
        }
    }
    if (node == UINT32_MAX)
        return GY_NEVER;
    c->found.n = 0;
    const struct gy_amount a = gy_profile_amount(&c->profile, (gy_node_id){node}, &need);
    *nomem = !gy_vec_push(&c->found, a);
    return best;
}

gy_time gy_cons_improve(struct gy_conservative *c, const struct gy_reserved *r, const struct gy_shape *s, bool *nomem)
{
    if (!s->any_split && s->full_nodes == 1 && s->rest == 0)
        return improve_one(c, r, s, nomem);
    const struct gy_need need = least_need(s);
    gy_time from = GY_NEVER, last = INT64_MIN;
    for (size_t i = 0; i < c->freed.n; i++) {
        gy_time a, b;
        if (!worth(c, r, s, &c->freed.at[i], need.gpus, r->start) ||
            !gy_profile_starts(&c->profile, (gy_node_id){c->freed.at[i].node}, &need, r->estimate, r->start, &a, &b))
            continue;
        from = a < from ? a : from;
        last = b > last ? b : last;
    }
    return from == GY_NEVER ? GY_NEVER
                            : gy_profile_earliest(&c->profile, s, r->estimate, from, last + 1, &c->found, nomem);
}
