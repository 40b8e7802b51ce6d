/* The account tree, its usage and both fair-share formulas. */
#include <math.h>
#include "gy_fair.h"

bool gy_fair_init(struct gy_fair *f)
{
    *f = (struct gy_fair){0};
    const struct gy_fair_node root = {.shares = 1};
    return gy_vec_push(&f->nodes, root);
}

void gy_fair_free(struct gy_fair *f)
{
    gy_vec_free(&f->nodes);
    gy_vec_free(&f->order);
}

uint32_t gy_fair_add(struct gy_fair *f, uint32_t parent, uint32_t shares, bool user)
{
    const struct gy_fair_node n = {.parent = parent, .shares = shares, .user = user, .factor = 1};
    if (!gy_vec_push(&f->nodes, n))
        return UINT32_MAX;
    f->users += user;
    return (uint32_t)f->nodes.n - 1;
}

void gy_fair_charge(struct gy_fair *f, uint32_t node, double amount)
{
    for (uint32_t i = node; i != GY_FAIR_ROOT; i = f->nodes.at[i].parent)
        f->nodes.at[i].usage += amount;
    f->nodes.at[GY_FAIR_ROOT].usage += amount;
}

double gy_fair_decay(double half_life_s, double seconds)
{
    return half_life_s > 0 ? pow(1.0 - 0.693 / half_life_s, seconds) : 1.0;
}

void gy_fair_scale(struct gy_fair *f, double by)
{
    for (size_t i = 0; i < f->nodes.n; i++)
        f->nodes.at[i].usage *= by;
}

/* Shares of each level: a node's own over those of all children of its parent. */
static bool norm_shares(struct gy_fair *f)
{
    gy_vec_clear(&f->order);
    if (!gy_vec_reserve(&f->order, 2 * f->nodes.n))
        return false;
    uint32_t *sum = f->order.at;
    for (size_t i = 0; i < f->nodes.n; i++)
        sum[i] = 0;
    for (size_t i = 1; i < f->nodes.n; i++)
        sum[f->nodes.at[i].parent] += f->nodes.at[i].shares;
    f->nodes.at[GY_FAIR_ROOT].norm_shares = 1;
    for (size_t i = 1; i < f->nodes.n; i++) {
        struct gy_fair_node *n = &f->nodes.at[i];
        n->norm_shares = sum[n->parent] ? (double)n->shares / (double)sum[n->parent] : 0;
    }
    return true;
}

static void level(struct gy_fair *f)
{
    for (size_t i = 1; i < f->nodes.n; i++) {
        struct gy_fair_node *n = &f->nodes.at[i];
        const double above = f->nodes.at[n->parent].usage;
        n->effective = above > 0 ? n->usage / above : 0;
        n->level_fs = n->effective > 0 ? n->norm_shares / n->effective : INFINITY;
    }
}

static bool before(const struct gy_fair *f, uint32_t a, uint32_t b)
{
    const double x = f->nodes.at[a].level_fs, y = f->nodes.at[b].level_fs;
    return x != y ? x > y : a < b;
}

static void sort(const struct gy_fair *f, uint32_t *at, size_t n)
{
    for (size_t gap = n / 2; gap > 0; gap /= 2) /* by level_fs, then index: a total order */
        for (size_t i = gap; i < n; i++) {
            const uint32_t x = at[i];
            size_t k = i;
            for (; k >= gap && before(f, x, at[k - gap]); k -= gap)
                at[k] = at[k - gap];
            at[k] = x;
        }
}

struct ranks {
    uint32_t tied, next; /* the rank of ties; the rank of the next user that ties with none */
};

static bool append_children(struct gy_fair *f, uint32_t of)
{
    for (uint32_t i = 1; i < f->nodes.n; i++)
        if (f->nodes.at[i].parent == of && !gy_vec_push(&f->order, i))
            return false;
    return true;
}

/* Ranks the nodes in order[first…]: better level first; accounts that tie are ranked as one, their children together.
 */
static bool rank(struct gy_fair *f, size_t first, struct ranks *r, bool tie)
{
    const size_t end = f->order.n;
    sort(f, &f->order.at[first], end - first);
    for (size_t i = first; i < end;) {
        const double fs = f->nodes.at[f->order.at[i]].level_fs;
        const size_t below = f->order.n;
        bool tied = i == first && tie;
        size_t k = i;
        for (; k < end && f->nodes.at[f->order.at[k]].level_fs == fs; k++) {
            struct gy_fair_node *n = &f->nodes.at[f->order.at[k]];
            if (!n->user) {
                if (!append_children(f, f->order.at[k]))
                    return false;
                continue;
            }
            if (!tied)
                r->tied = r->next;
            tied = true;
            n->factor = (double)r->tied / (double)f->users;
            r->next--;
        }
        if (f->order.n > below && !rank(f, below, r, tied))
            return false;
        f->order.n = below;
        i = k;
    }
    return true;
}

bool gy_fair_tree(struct gy_fair *f)
{
    if (!norm_shares(f))
        return false;
    level(f);
    struct ranks r = {f->users, f->users};
    gy_vec_clear(&f->order);
    return append_children(f, GY_FAIR_ROOT) && rank(f, 0, &r, false);
}

void gy_fair_classic(struct gy_fair *f, double dampening)
{
    const double total = f->nodes.at[GY_FAIR_ROOT].usage;
    if (!norm_shares(f))
        return;
    struct gy_fair_node *root = &f->nodes.at[GY_FAIR_ROOT];
    root->effective = total > 0 ? 1 : 0;
    for (size_t i = 1; i < f->nodes.n; i++) {
        struct gy_fair_node *n = &f->nodes.at[i];
        const struct gy_fair_node *up = &f->nodes.at[n->parent];
        const double actual = total > 0 ? n->usage / total : 0, of_level = n->norm_shares;
        n->effective = n->parent == GY_FAIR_ROOT ? actual : actual + (up->effective - actual) * of_level;
        n->norm_shares *= up->norm_shares;
        n->factor = n->norm_shares > 0 ? exp2(-n->effective / n->norm_shares / (dampening > 0 ? dampening : 1)) : 0;
    }
}
