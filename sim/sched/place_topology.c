/* Placement "topology": gangs on as few leaf switches as possible. One leaf when one can hold the job, the fullest that
 * can; else leaves with most room first, the last one by best fit. Within a leaf, and for jobs of one node, best fit as
 * "pack". A node's leaf is cluster.nodes.leaf, or follows from the fabric; nodes without one count as one leaf.
 * Not a search over spines or NVLink domains. Cost: O(nodes with room + leaves log leaves) for a gang. */
#include <stdlib.h>
#include "gy_place.h"
#include "gy_registry.h"

struct leaf {
    uint32_t id, room; /* nodes that can be one of the job's full nodes */
    uint32_t rank;     /* in the order of choice, UINT32_MAX: not chosen */
};

struct candidate {
    uint32_t node, leaf; /* leaf: index, then rank */
    uint32_t walk;       /* place in best-fit order */
};

struct search {
    GY_VEC(struct candidate) nodes;
    GY_VEC(struct leaf) leaves;
};

static int by_leaf_id(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->leaf != y->leaf ? (x->leaf < y->leaf ? -1 : 1) : x->walk < y->walk ? -1 : 1;
}

static uint32_t leaf_of(const struct gy_cluster *c, uint32_t node)
{
    return gy_cluster_spec(c)->nodes.at[node].leaf;
}

/* The nodes that can hold the full or the rest part, in best-fit order; leaves with their room. */
static bool collect(struct search *f, struct gy_placer *p, const struct gy_cluster *c, const struct gy_shape *s)
{
    const bool rest = s->rest > 0;
    const uint32_t low = rest ? s->rest : s->gpus;
    struct gy_walk w;
    gy_walk_start(&w, p, c, s, GY_WALK_UP, low, rest ? s->rest_cpu_milli : s->cpu_milli,
                  rest ? s->rest_mem_mib : s->mem_mib);
    for (gy_node_id n; (n = gy_walk_next(&w)).i != UINT32_MAX;) {
        const struct candidate one = {n.i, leaf_of(c, n.i), (uint32_t)f->nodes.n};
        if (!gy_vec_push(&f->nodes, one))
            return false;
    }
    if (f->nodes.n > 1)
        qsort(f->nodes.at, f->nodes.n, sizeof *f->nodes.at, by_leaf_id);
    for (size_t i = 0; i < f->nodes.n; i++) {
        struct candidate *x = &f->nodes.at[i];
        const struct gy_node *node = gy_cluster_node(c, (gy_node_id){x->node});
        const struct leaf new_leaf = {x->leaf, 0, UINT32_MAX};
        if ((f->leaves.n == 0 || f->leaves.at[f->leaves.n - 1].id != x->leaf) && !gy_vec_push(&f->leaves, new_leaf))
            return false;
        x->leaf = (uint32_t)f->leaves.n - 1;
        f->leaves.at[x->leaf].room +=
            node->free_gpus >= s->gpus && node->cpu_free >= s->cpu_milli && node->mem_free >= s->mem_mib;
    }
    return !w.nomem;
}

/* The next leaf: the fullest that holds all that is left, else the one with most room; ties to the lowest id. */
static struct leaf *pick(struct search *f, uint32_t left)
{
    struct leaf *best = NULL;
    for (size_t i = 0; i < f->leaves.n; i++) {
        struct leaf *l = &f->leaves.at[i];
        if (l->rank != UINT32_MAX || l->room == 0)
            continue;
        const bool holds = l->room >= left, best_holds = best && best->room >= left;
        if (!best || (holds && !best_holds) || (holds && l->room < best->room) ||
            (!holds && !best_holds && l->room > best->room))
            best = l;
    }
    return best;
}

static void rank_leaves(struct search *f, uint32_t wanted)
{
    uint32_t rank = 0, left = wanted;
    for (struct leaf *l; left > 0 && (l = pick(f, left));) {
        l->rank = rank++;
        left = l->room >= left ? 0 : left - l->room;
    }
    for (size_t i = 0; i < f->nodes.n; i++)
        f->nodes.at[i].leaf = f->leaves.at[f->nodes.at[i].leaf].rank;
    if (f->nodes.n > 1)
        qsort(f->nodes.at, f->nodes.n, sizeof *f->nodes.at, by_leaf_id);
}

static bool choose(struct gy_placer *p, const struct gy_cluster *c, const struct gy_place_request *req,
                   struct gy_placement *out, enum gy_reason *why)
{
    const struct gy_shape *s = req->shape;
    if (s->any_split || s->full_nodes + (s->rest > 0) <= 1)
        return gy_place_pack.choose(p, c, req, out, why);
    struct search f = {0};
    bool ok = collect(&f, p, c, s);
    p->nodes.n = 0;
    if (ok)
        rank_leaves(&f, s->full_nodes + (s->rest > 0));
    for (size_t i = 0; i < f.nodes.n && ok; i++)
        ok = gy_vec_push(&p->nodes, f.nodes.at[i].node);
    gy_vec_free(&f.nodes);
    gy_vec_free(&f.leaves);
    if (!ok) {
        out->shares.n = 0;
        out->nomem = true;
        return gy_place_done(c, s, out, false, why);
    }
    return gy_place_listed(p, c, req, out, why);
}

const struct gy_place_type gy_place_topology = {"topology",
                                                "gangs on as few leaf switches as possible; best fit within", choose};
