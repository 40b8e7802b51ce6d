/* The cluster's state: what each node holds, booking and releasing, nodes that come and go. Not the index (index.c). */
#include "cluster_internal.h"
#include <stdlib.h>
#include <string.h>

void gy_cluster_spec_free(struct gy_cluster_spec *spec)
{
    for (size_t i = 0; i < spec->label_sets.n; i++)
        free(spec->label_sets.at[i].at);
    gy_vec_free(&spec->label_sets);
    gy_vec_free(&spec->nodes);
    gy_vec_free(&spec->partitions);
    gy_vec_free(&spec->events);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int gy_cluster_label_set(struct gy_cluster_spec *spec, char **texts, size_t n, uint32_t *index, struct gy_error *err)
{
    struct gy_label_set set = {.at = calloc(n ? n : 1, sizeof *set.at), .n = n};
    bool good = set.at != NULL;

    qsort(texts, n, sizeof *texts, by_text); /* so that equal sets are equal whatever the order of writing */
    for (size_t i = 0; i < n && good; i++)
        good = (set.at[i] = gy_strings_add(spec->strings, texts[i], strlen(texts[i]))) != GY_STR_FAIL;
    for (size_t i = spec->label_sets.n, looked = 0; good && i-- > 0 && looked < 256; looked++) {
        const struct gy_label_set *old = &spec->label_sets.at[i];
        if (old->n != n || (n > 0 && memcmp(old->at, set.at, n * sizeof *set.at) != 0))
            continue;
        free(set.at);
        *index = (uint32_t)i;
        return 0;
    }
    if (!good || !gy_vec_push(&spec->label_sets, set)) {
        free(set.at);
        return gy_nomem(err);
    }
    *index = (uint32_t)(spec->label_sets.n - 1);
    return 0;
}

static void node_set_all_free(struct gy_cluster *c, uint32_t i)
{
    const struct gy_node_spec *s = &c->spec->nodes.at[i];
    struct gy_node *n = &c->node[i];
    n->gpus = n->free_gpus = s->gpus;
    n->cpu_free = s->cpu_milli ? s->cpu_milli : UINT64_MAX;
    n->mem_free = s->mem_mib ? s->mem_mib : UINT64_MAX;
    for (uint32_t g = 0; g < s->gpus; g++) {
        c->gpu_free_milli[n->first_gpu + g] = GY_MILLI;
        c->gpu_free_mask[n->first_word + g / 64] |= UINT64_C(1) << (g % 64);
    }
}

static int check_spec(const struct gy_cluster_spec *spec, struct gy_error *err)
{
    if (spec->nodes.n == 0)
        return gy_fail(err, GY_EINPUT, NULL, "the cluster has no nodes; at least one is needed");
    if (spec->nodes.n > GY_MAX_NODES)
        return gy_fail(err, GY_EINPUT, NULL, "the cluster has %zu nodes; at most %u are possible", spec->nodes.n,
                       GY_MAX_NODES);
    for (size_t i = 0; i < spec->nodes.n; i++)
        if (spec->nodes.at[i].gpus > GY_MAX_NODE_GPUS)
            return gy_fail(err, GY_EINPUT, NULL, "node %zu has %u GPUs; at most %d are possible", i,
                           spec->nodes.at[i].gpus, GY_MAX_NODE_GPUS);
    return 0;
}

static int alloc_state(struct gy_cluster *c, struct gy_error *err)
{
    size_t gpus = 0, words = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        c->node[i].first_gpu = (uint32_t)gpus;
        c->node[i].first_word = (uint32_t)words;
        gpus += c->spec->nodes.at[i].gpus;
        words += gy_node_words(c->spec->nodes.at[i].gpus);
        if (gpus > UINT32_MAX / 2)
            return gy_fail(err, GY_EINPUT, NULL, "the cluster has more than %u GPUs", UINT32_MAX / 2);
    }
    c->gpu_free_milli = calloc(gpus + 1, sizeof *c->gpu_free_milli);
    c->gpu_free_mask = calloc(words + 1, sizeof *c->gpu_free_mask);
    return c->gpu_free_milli && c->gpu_free_mask ? 0 : gy_nomem(err);
}

struct gy_cluster *gy_cluster_new(const struct gy_cluster_spec *spec, struct gy_error *err)
{
    if (check_spec(spec, err))
        return NULL;
    struct gy_cluster *c = calloc(1, sizeof *c);
    if (!c) {
        gy_nomem(err);
        return NULL;
    }
    c->spec = spec;
    c->n = (uint32_t)spec->nodes.n;
    c->node = calloc(c->n, sizeof *c->node);
    c->local = calloc(c->n, sizeof *c->local);
    c->allocated = calloc(c->n, sizeof *c->allocated);
    if (!c->node || !c->local || !c->allocated) {
        gy_nomem(err);
        gy_cluster_free(c);
        return NULL;
    }
    if (alloc_state(c, err) || gy_classes_build(c, err)) {
        gy_cluster_free(c);
        return NULL;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        node_set_all_free(c, i);
        if (spec->nodes.at[i].absent) {
            c->node[i].state = GY_NODE_ABSENT;
            continue;
        }
        const int64_t milli = (int64_t)c->node[i].gpus * GY_MILLI;
        c->totals.total += milli;
        c->totals.free += milli;
        gy_index_insert(c, i);
    }
    return c;
}

void gy_cluster_free(struct gy_cluster *c)
{
    if (!c)
        return;
    gy_classes_free(c);
    free(c->node);
    free(c->local);
    free(c->allocated);
    free(c->gpu_free_milli);
    free(c->gpu_free_mask);
    free(c);
}

const struct gy_cluster_spec *gy_cluster_spec(const struct gy_cluster *c)
{
    return c->spec;
}

uint32_t gy_cluster_nodes(const struct gy_cluster *c)
{
    return c->n;
}

const struct gy_node *gy_cluster_node(const struct gy_cluster *c, gy_node_id n)
{
    return &c->node[n.i];
}

uint32_t gy_cluster_gpu_free_milli(const struct gy_cluster *c, gy_node_id n, uint32_t gpu)
{
    return c->gpu_free_milli[c->node[n.i].first_gpu + gpu];
}

uint64_t gy_cluster_free_mask(const struct gy_cluster *c, gy_node_id n, uint32_t group)
{
    return c->gpu_free_mask[c->node[n.i].first_word + group];
}

uint32_t gy_cluster_classes(const struct gy_cluster *c)
{
    return c->classes;
}

const struct gy_class *gy_cluster_class(const struct gy_cluster *c, uint32_t klass)
{
    return &c->klass[klass].pub;
}

struct gy_totals gy_cluster_totals(const struct gy_cluster *c)
{
    return c->totals;
}

uint64_t gy_cluster_freed(const struct gy_cluster *c)
{
    return c->freed;
}

bool gy_cluster_ok(const struct gy_cluster *c)
{
    return !c->nomem;
}

static const char *node_name(const struct gy_cluster *c, gy_node_id n)
{
    return c->spec->strings ? gy_strings_text(c->spec->strings, c->spec->nodes.at[n.i].name) : "";
}

/* The share's GPUs: whole or with enough room. */
static int check_gpus(const struct gy_cluster *c, const struct gy_share *s, struct gy_error *err)
{
    const struct gy_node *n = &c->node[s->node.i];
    if (s->mask == 0)
        return 0;
    const uint32_t top = s->group * 64 + 63u - (uint32_t)__builtin_clzll(s->mask);
    if (s->group >= gy_node_words(n->gpus) || top >= n->gpus)
        return gy_fail(err, GY_EINTERNAL, NULL, "GPU %u of node %s does not exist; it has %u", top,
                       node_name(c, s->node), n->gpus);
    if (s->gpu_milli == 0 || s->gpu_milli > GY_MILLI)
        return gy_fail(err, GY_EINTERNAL, NULL, "a share takes %u thousandths of a GPU", s->gpu_milli);
    if (s->gpu_milli == GY_MILLI) {
        if (s->mask & ~c->gpu_free_mask[n->first_word + s->group])
            return gy_fail(err, GY_EINTERNAL, NULL, "GPUs of node %s are taken already", node_name(c, s->node));
        return 0;
    }
    for (uint64_t m = s->mask; m; m &= m - 1) {
        const uint32_t g = s->group * 64 + (uint32_t)__builtin_ctzll(m);
        if (c->gpu_free_milli[n->first_gpu + g] < s->gpu_milli)
            return gy_fail(err, GY_EINTERNAL, NULL, "GPU %u of node %s has no room for %u thousandths", g,
                           node_name(c, s->node), s->gpu_milli);
    }
    return 0;
}

int gy_cluster_check(const struct gy_cluster *c, const struct gy_share *shares, size_t n, struct gy_error *err)
{
    uint64_t cpu = 0, mem = 0;
    for (size_t i = 0; i < n; i++) {
        const struct gy_share *s = &shares[i];
        if (s->node.i >= c->n)
            return gy_fail(err, GY_EINTERNAL, NULL, "node number %u does not exist", s->node.i);
        const bool same = i > 0 && s->node.i == shares[i - 1].node.i;
        if (i > 0 && (s->node.i < shares[i - 1].node.i || (same && s->group <= shares[i - 1].group)))
            return gy_fail(err, GY_EINTERNAL, NULL, "shares are not in order of node and group");
        const struct gy_node *node = &c->node[s->node.i];
        if (node->state != GY_NODE_UP)
            return gy_fail(err, GY_EINTERNAL, NULL, "node %s is not up", node_name(c, s->node));
        cpu = (same ? cpu : 0) + s->cpu_milli;
        mem = (same ? mem : 0) + s->mem_mib;
        if (cpu > node->cpu_free || mem > node->mem_free)
            return gy_fail(err, GY_EINTERNAL, NULL, "node %s lacks CPUs or memory", node_name(c, s->node));
        if (check_gpus(c, s, err))
            return -1;
    }
    return 0;
}

/* Takes (sign +1) or gives back (sign -1) a fraction of one GPU, keeping mask and room index true. */
static void move_fraction(struct gy_cluster *c, gy_node_id id, uint32_t gpu, uint32_t milli, int sign)
{
    struct gy_node *n = &c->node[id.i];
    uint16_t *room = &c->gpu_free_milli[n->first_gpu + gpu];
    const bool indexed = n->state == GY_NODE_UP;
    const uint64_t bit = UINT64_C(1) << (gpu % 64);
    uint64_t *mask = &c->gpu_free_mask[n->first_word + gpu / 64];
    if (*room == GY_MILLI) {
        *mask &= ~bit;
        n->free_gpus--;
        n->shared_gpus++;
    } else if (indexed) {
        gy_index_room(c, id.i, gpu, *room, false);
    }
    *room = (uint16_t)((int)*room - sign * (int)milli);
    if (*room == GY_MILLI) {
        *mask |= bit;
        n->free_gpus++;
        n->shared_gpus--;
    } else if (indexed) {
        gy_index_room(c, id.i, gpu, *room, true);
    }
}

static void move_gpus(struct gy_cluster *c, const struct gy_share *s, int sign)
{
    struct gy_node *n = &c->node[s->node.i];
    if (s->gpu_milli < GY_MILLI) {
        for (uint64_t m = s->mask; m; m &= m - 1)
            move_fraction(c, s->node, s->group * 64 + (uint32_t)__builtin_ctzll(m), s->gpu_milli, sign);
        return;
    }
    uint64_t *mask = &c->gpu_free_mask[n->first_word + s->group];
    *mask = sign > 0 ? *mask & ~s->mask : *mask | s->mask;
    for (uint64_t m = s->mask; m; m &= m - 1)
        c->gpu_free_milli[n->first_gpu + s->group * 64 + (uint32_t)__builtin_ctzll(m)] = sign > 0 ? 0 : GY_MILLI;
    const uint32_t gpus = (uint32_t)__builtin_popcountll(s->mask);
    n->free_gpus = sign > 0 ? n->free_gpus - gpus : n->free_gpus + gpus;
}

static void move_share(struct gy_cluster *c, const struct gy_share *s, int sign)
{
    struct gy_node *n = &c->node[s->node.i];
    const bool up = n->state == GY_NODE_UP;
    if (up)
        gy_index_erase(c, s->node.i);
    if (s->mask)
        move_gpus(c, s, sign);
    if (n->cpu_free != UINT64_MAX)
        n->cpu_free = sign > 0 ? n->cpu_free - s->cpu_milli : n->cpu_free + s->cpu_milli;
    if (n->mem_free != UINT64_MAX)
        n->mem_free = sign > 0 ? n->mem_free - s->mem_mib : n->mem_free + s->mem_mib;
    n->jobs = sign > 0 ? n->jobs + 1 : n->jobs - 1;
    if (up)
        gy_index_insert(c, s->node.i);
    const int64_t milli = sign * (int64_t)s->gpu_milli * __builtin_popcountll(s->mask);
    c->allocated[s->node.i] += milli;
    c->totals.allocated += milli;
    if (up)
        c->totals.free -= milli;
    else
        c->totals.down -= milli;
    if (up && sign < 0)
        c->freed++;
}

void gy_cluster_book(struct gy_cluster *c, const struct gy_share *shares, size_t n)
{
    for (size_t i = 0; i < n; i++)
        move_share(c, &shares[i], 1);
}

void gy_cluster_release(struct gy_cluster *c, const struct gy_share *shares, size_t n)
{
    for (size_t i = 0; i < n; i++)
        move_share(c, &shares[i], -1);
}

/* Adds (sign +1) or removes (-1) the node's amounts as its state counts them. */
static void count_node(struct gy_cluster *c, uint32_t i, int sign)
{
    const struct gy_node *n = &c->node[i];
    const int64_t all = (int64_t)n->gpus * GY_MILLI, idle = all - c->allocated[i];
    if (n->state == GY_NODE_ABSENT)
        return;
    c->totals.total += sign * all;
    if (n->state == GY_NODE_UP)
        c->totals.free += sign * idle;
    else
        c->totals.down += sign * idle;
}

static void index_rooms(struct gy_cluster *c, uint32_t i, bool insert)
{
    const struct gy_node *n = &c->node[i];
    for (uint32_t g = 0; n->shared_gpus && g < n->gpus; g++) {
        const uint32_t room = c->gpu_free_milli[n->first_gpu + g];
        if (room != GY_MILLI)
            gy_index_room(c, i, g, room, insert);
    }
}

void gy_cluster_set_state(struct gy_cluster *c, gy_node_id id, enum gy_node_state state)
{
    struct gy_node *n = &c->node[id.i];
    if (n->state == state)
        return;
    count_node(c, id.i, -1);
    if (n->state == GY_NODE_UP) {
        gy_index_erase(c, id.i);
        index_rooms(c, id.i, false);
    }
    n->state = (uint8_t)state;
    count_node(c, id.i, 1);
    if (state == GY_NODE_UP) {
        gy_index_insert(c, id.i);
        index_rooms(c, id.i, true);
        c->freed++;
    }
}

gy_node_id gy_cluster_find(const struct gy_cluster_spec *spec, gy_str name)
{
    for (uint32_t i = 0; i < spec->nodes.n; i++)
        if (spec->nodes.at[i].name == name)
            return (gy_node_id){i};
    return GY_NODE_NONE;
}
