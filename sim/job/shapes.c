/* Shapes: what a record asks for, resolved once against the cluster's node classes and interned, so that equal requests
 * are answered together. Not the search for free nodes (sim/sched). */
#include "gy_job.h"
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"
#include "gy_vec.h"

struct gy_shapes {
    const struct gy_cluster *cluster;
    bool any_split;
    bool typed; /* some node names its GPU type; otherwise jobs' types are not looked at */
    struct gy_arena arena;
    GY_VEC(struct gy_shape *) at;
    GY_VEC(struct gy_job_rec) key; /* only the fields that make the key are set */
    struct gy_map by_key;
};

struct gy_shapes *gy_shapes_new(const struct gy_cluster *c, bool any_split)
{
    struct gy_shapes *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->cluster = c;
    s->any_split = any_split;
    for (uint32_t k = 0; k < gy_cluster_classes(c); k++)
        s->typed = s->typed || gy_cluster_class(c, k)->like.gpu_type != 0;
    return s;
}

void gy_shapes_free(struct gy_shapes *s)
{
    if (!s)
        return;
    gy_arena_free(&s->arena);
    gy_vec_free(&s->at);
    gy_vec_free(&s->key);
    gy_map_free(&s->by_key);
    free(s);
}

const struct gy_shape *gy_shape_at(const struct gy_shapes *s, uint32_t id)
{
    return s->at.at[id];
}

uint32_t gy_shapes_count(const struct gy_shapes *s)
{
    return (uint32_t)s->at.n;
}

static struct gy_job_rec key_of(const struct gy_job_rec *r)
{
    return (struct gy_job_rec){.gpus = r->gpus,
                               .gpu_milli = r->gpu_milli,
                               .nodes = r->nodes,
                               .gpus_per_node = r->gpus_per_node,
                               .cpu_milli = r->cpu_milli,
                               .mem_mib = r->mem_mib,
                               .partition = r->partition,
                               .gpu_type = r->gpu_type,
                               .constraint = r->constraint,
                               .exclusive = r->exclusive};
}

static bool same_key(const struct gy_job_rec *a, const struct gy_job_rec *b)
{
    return a->gpus == b->gpus && a->gpu_milli == b->gpu_milli && a->nodes == b->nodes &&
           a->gpus_per_node == b->gpus_per_node && a->cpu_milli == b->cpu_milli && a->mem_mib == b->mem_mib &&
           a->partition == b->partition && a->gpu_type == b->gpu_type && a->constraint == b->constraint &&
           a->exclusive == b->exclusive;
}

static uint64_t hash_key(const struct gy_job_rec *r)
{
    uint64_t h = gy_hash_mix((uint64_t)r->gpus << 32 | r->gpu_milli);
    h = gy_hash_mix(h ^ ((uint64_t)r->nodes << 32 | r->gpus_per_node));
    if (r->cpu_milli | r->mem_mib)
        h = gy_hash_mix(gy_hash_mix(h ^ r->cpu_milli) ^ r->mem_mib);
    h = gy_hash_mix(h ^ ((uint64_t)r->partition << 32 | r->gpu_type));
    return gy_hash_mix(h ^ ((uint64_t)r->constraint << 1 | r->exclusive));
}

/* Whether one of the texts in list, separated by sep, equals the text. */
static bool list_has(const char *list, char sep, const char *text)
{
    const size_t want = strlen(text);
    for (const char *p = list;; p++) {
        const char *end = strchrnul(p, sep);
        if ((size_t)(end - p) == want && memcmp(p, text, want) == 0)
            return true;
        if (!*end)
            return false;
        p = end;
    }
}

static bool partition_allows(const struct gy_shapes *s, gy_str partition, uint64_t mask)
{
    const struct gy_cluster_spec *spec = gy_cluster_spec(s->cluster);
    if (partition == 0 || spec->partitions.n == 0)
        return true;
    const char *wanted = gy_strings_text(spec->strings, partition);
    for (size_t p = 0; p < spec->partitions.n && p < GY_MAX_PARTITIONS; p++)
        if ((mask >> p & 1) && list_has(wanted, ',', gy_strings_text(spec->strings, spec->partitions.at[p])))
            return true;
    return false;
}

/* A constraint is terms joined by '&'; a term is labels joined by '|', one of which the node must carry. */
static bool labels_allow(const struct gy_cluster_spec *spec, gy_str constraint, uint32_t labels)
{
    if (constraint == 0)
        return true;
    const struct gy_label_set none = {0};
    const struct gy_label_set *set = labels < spec->label_sets.n ? &spec->label_sets.at[labels] : &none;
    char term[256];
    for (const char *p = gy_strings_text(spec->strings, constraint);; p++) {
        const char *end = strchrnul(p, '&');
        const size_t len = (size_t)(end - p) < sizeof term ? (size_t)(end - p) : sizeof term - 1;
        memcpy(term, p, len);
        term[len] = '\0';
        bool found = false;
        for (size_t i = 0; i < set->n && !found; i++)
            found = list_has(term, '|', gy_strings_text(spec->strings, set->at[i]));
        if (!found)
            return false;
        if (!*end)
            return true;
        p = end;
    }
}

/* Bits: what a class fails on, so that the reason for "never" can be told. */
enum { OK_PARTITION = 1, OK_TYPE = 2, OK_LABELS = 4, OK_ALL = 7 };

static unsigned class_allows(const struct gy_shapes *s, const struct gy_shape *shape, uint32_t k)
{
    const struct gy_cluster_spec *spec = gy_cluster_spec(s->cluster);
    const struct gy_node_spec *like = &gy_cluster_class(s->cluster, k)->like;
    unsigned ok = 0;
    if (partition_allows(s, shape->partition, like->partitions))
        ok |= OK_PARTITION;
    if (shape->gpu_type == 0 || !s->typed || shape->total_gpus == 0 ||
        (like->gpu_type && list_has(gy_strings_text(spec->strings, shape->gpu_type), '|',
                                    gy_strings_text(spec->strings, like->gpu_type))))
        ok |= OK_TYPE;
    if (labels_allow(spec, shape->constraint, like->labels))
        ok |= OK_LABELS;
    return ok;
}

static bool class_holds(const struct gy_node_spec *like, uint32_t gpus, uint64_t cpu_milli, uint64_t mem_mib)
{
    return like->gpus >= gpus && (!like->cpu_milli || like->cpu_milli >= cpu_milli) &&
           (!like->mem_mib || like->mem_mib >= mem_mib);
}

/* Nodes among the eligible classes that could hold this much when empty. */
static uint64_t nodes_that_hold(const struct gy_shapes *s, const struct gy_shape *shape, uint32_t gpus, uint64_t cpu,
                                uint64_t mem)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < shape->n_classes; i++) {
        const struct gy_class *k = gy_cluster_class(s->cluster, shape->classes[i]);
        if (class_holds(&k->like, gpus, cpu, mem))
            n += k->nodes;
    }
    return n;
}

static uint64_t part(uint64_t amount, uint64_t gpus, uint64_t of)
{
    return of == 0 ? amount : (uint64_t)(((__uint128_t)amount * gpus + of - 1) / of);
}

/* Cuts the job into full nodes of g GPUs and a rest; true when the empty cluster could hold that. */
static bool cut(const struct gy_shapes *s, struct gy_shape *shape, const struct gy_job_rec *r, uint32_t g)
{
    shape->gpus = g < r->gpus ? g : r->gpus;
    shape->full_nodes = r->gpus / shape->gpus;
    shape->rest = r->gpus % shape->gpus;
    shape->cpu_milli = part(r->cpu_milli, shape->gpus, r->gpus);
    shape->mem_mib = part(r->mem_mib, shape->gpus, r->gpus);
    shape->rest_cpu_milli = part(r->cpu_milli, shape->rest, r->gpus);
    shape->rest_mem_mib = part(r->mem_mib, shape->rest, r->gpus);
    return nodes_that_hold(s, shape, shape->gpus, shape->cpu_milli, shape->mem_mib) >= shape->full_nodes &&
           (shape->rest == 0 ||
            nodes_that_hold(s, shape, shape->rest, shape->rest_cpu_milli, shape->rest_mem_mib) > shape->full_nodes);
}

static uint32_t largest_below(const struct gy_shapes *s, const struct gy_shape *shape, uint32_t below)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < shape->n_classes; i++) {
        const uint32_t g = gy_cluster_class(s->cluster, shape->classes[i])->like.gpus;
        if (g < below && g > best)
            best = g;
    }
    return best;
}

static void never(struct gy_shapes *s, struct gy_shape *shape, const char *why)
{
    if (!shape->never)
        shape->never = gy_arena_strndup(&s->arena, why, strlen(why));
}

static bool any_split(struct gy_shapes *s, struct gy_shape *shape, const struct gy_job_rec *r)
{
    uint64_t gpus = 0;
    for (uint32_t i = 0; i < shape->n_classes; i++) {
        const struct gy_class *k = gy_cluster_class(s->cluster, shape->classes[i]);
        gpus += (uint64_t)k->nodes * k->like.gpus;
    }
    shape->any_split = true;
    shape->gpus = r->gpus;
    shape->full_nodes = shape->rest = 0;
    shape->cpu_milli = part(r->cpu_milli, 1, r->gpus); /* a GPU */
    shape->mem_mib = part(r->mem_mib, 1, r->gpus);
    return gpus >= r->gpus && nodes_that_hold(s, shape, 1, shape->cpu_milli, shape->mem_mib) > 0;
}

static void resolve_gpus(struct gy_shapes *s, struct gy_shape *shape, const struct gy_job_rec *r)
{
    if (r->gpus_per_node || r->nodes) {
        const uint32_t g = r->gpus_per_node ? r->gpus_per_node : (r->gpus + r->nodes - 1) / r->nodes;
        if (!cut(s, shape, r, g))
            never(s, shape, "the cluster does not have so many nodes with so many GPUs, CPUs and memory");
        return;
    }
    if (s->any_split && r->gpus > 1) {
        if (!any_split(s, shape, r))
            never(s, shape, "the cluster does not have so many GPUs");
        return;
    }
    for (uint32_t g = largest_below(s, shape, UINT32_MAX); g > 0; g = largest_below(s, shape, g))
        if (cut(s, shape, r, g))
            return;
    if (!any_split(s, shape, r))
        never(s, shape, "the cluster does not have so many GPUs with the CPUs and memory that go with them");
}

static void resolve_other(struct gy_shapes *s, struct gy_shape *shape, const struct gy_job_rec *r)
{
    if (r->gpus == 0) { /* CPUs only */
        shape->full_nodes = r->nodes ? r->nodes : 1;
        shape->cpu_milli = (r->cpu_milli + shape->full_nodes - 1) / shape->full_nodes;
        shape->mem_mib = (r->mem_mib + shape->full_nodes - 1) / shape->full_nodes;
        if (nodes_that_hold(s, shape, 0, shape->cpu_milli, shape->mem_mib) < shape->full_nodes)
            never(s, shape, "no node has so many CPUs or so much memory");
        return;
    }
    shape->full_nodes = 1;
    shape->fraction = r->gpu_milli;
    shape->fraction_gpus = r->gpus;
    shape->cpu_milli = r->cpu_milli;
    shape->mem_mib = r->mem_mib;
    if (nodes_that_hold(s, shape, r->gpus, shape->cpu_milli, shape->mem_mib) == 0)
        never(s, shape, "no node has so many GPUs, CPUs and memory");
}

static bool eligible_classes(struct gy_shapes *s, struct gy_shape *shape)
{
    const uint32_t classes = gy_cluster_classes(s->cluster);
    shape->classes = gy_arena_alloc(&s->arena, (classes + 1) * sizeof *shape->classes);
    if (!shape->classes)
        return false;
    unsigned ever = 0;
    for (uint32_t k = 0; k < classes; k++) {
        const unsigned ok = class_allows(s, shape, k);
        ever |= ok;
        if (ok == OK_ALL)
            shape->classes[shape->n_classes++] = k;
    }
    if (shape->n_classes == 0)
        never(s, shape,
              !(ever & OK_PARTITION) ? "no node is in its partition"
              : !(ever & OK_TYPE)    ? "no node has its GPU type"
              : !(ever & OK_LABELS)  ? "no node carries the labels it wants"
                                     : "no node has its partition, GPU type and labels together");
    return true;
}

static struct gy_shape *resolve(struct gy_shapes *s, const struct gy_job_rec *r)
{
    struct gy_shape *shape = gy_arena_alloc(&s->arena, sizeof *shape);
    if (!shape)
        return NULL;
    shape->partition = r->partition;
    shape->gpu_type = r->gpu_type;
    shape->constraint = r->constraint;
    shape->exclusive = r->exclusive;
    shape->total_gpus = r->gpus;
    shape->cpu_milli_total = r->cpu_milli;
    shape->mem_mib_total = r->mem_mib;
    if (!eligible_classes(s, shape))
        return NULL;
    if (r->gpus > 0 && r->gpu_milli >= GY_MILLI)
        resolve_gpus(s, shape, r);
    else
        resolve_other(s, shape, r);
    return shape;
}

uint32_t gy_shapes_of(struct gy_shapes *s, const struct gy_job_rec *r)
{
    uint64_t hash = hash_key(r), found;
    while (gy_map_get(&s->by_key, hash, &found)) {
        if (same_key(&s->key.at[found], r))
            return (uint32_t)found;
        hash = gy_hash_mix(hash + 1);
    }
    struct gy_shape *shape = resolve(s, r);
    const struct gy_job_rec key = key_of(r);
    if (!shape || !gy_vec_push(&s->at, shape))
        return UINT32_MAX;
    if (!gy_vec_push(&s->key, key) || !gy_map_put(&s->by_key, hash, s->at.n - 1)) {
        s->at.n--;
        return UINT32_MAX;
    }
    return (uint32_t)s->at.n - 1;
}
