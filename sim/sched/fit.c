/* What counts by level tell about a shape: whether it may fit, and why it does not. Looks at no single node. */
#include "gy_parts.h"

/* Nodes of the shape's classes that are up and have at least so many free GPUs. */
static uint64_t nodes_at(const struct gy_cluster *c, const struct gy_shape *s, uint32_t level)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_classes; i++)
        n += gy_cluster_count(c, s->classes[i], level);
    return n;
}

/* Wholly free GPUs on them. */
static uint64_t gpus_free(const struct gy_cluster *c, const struct gy_shape *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n_classes; i++)
        for (uint32_t level = 1, at; (at = gy_cluster_count(c, s->classes[i], level)) > 0; level++)
            n += at;
    return n;
}

bool gy_shape_may_fit(const struct gy_cluster *c, const struct gy_shape *s)
{
    if (s->any_split)
        return gpus_free(c, s) >= s->gpus;
    if (s->fraction)
        return nodes_at(c, s, 0) > 0;
    if (nodes_at(c, s, s->gpus) < s->full_nodes)
        return false;
    return s->rest == 0 || nodes_at(c, s, s->rest) > s->full_nodes;
}

/* Nodes of the shape's classes with enough GPUs, in any state and in use or not. */
static bool up_would_do(const struct gy_cluster *c, const struct gy_shape *s)
{
    uint64_t up = 0, up_gpus = 0;
    const uint32_t need = s->fraction ? s->fraction_gpus : s->gpus;
    for (uint32_t i = 0; i < s->n_classes; i++) {
        const uint32_t k = s->classes[i], n = gy_cluster_count(c, k, 0), gpus = gy_cluster_class(c, k)->like.gpus;
        up_gpus += (uint64_t)n * gpus;
        if (gpus >= need)
            up += n;
    }
    return s->any_split ? up_gpus >= s->gpus : up >= s->full_nodes;
}

enum gy_reason gy_shape_why_not(const struct gy_cluster *c, const struct gy_shape *s)
{
    if (!up_would_do(c, s))
        return GY_R_DOWN;
    if (s->fraction || s->total_gpus == 0)
        return GY_R_RESOURCES;
    return gpus_free(c, s) >= s->total_gpus ? GY_R_FRAGMENTED : GY_R_RESOURCES;
}
