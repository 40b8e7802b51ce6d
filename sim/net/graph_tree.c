/* Spines and cores above leaves. A leaf with p NIC ports has U uplinks, U = p·nic/(r·link) rounded up to a whole
 * number, which share exactly p·nic/r. With 2 levels, uplink i of every leaf goes to spine i mod S, S = U or, where the
 * radix asks for fewer and fuller spines, leaves·U/radix. With 3 levels the leaves form pods of their own spines, and
 * spine j of every pod is joined to the same group of cores (as in a k-ary fat-tree: k pods, k/2 leaves and spines a
 * pod, k²/4 cores). */
#include <math.h>
#include "graph_build.h"

static uint32_t ceil_div(uint64_t a, uint64_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

/* Joins leaves [leaf, leaf + n) with spines [spine, spine + s) by `up` links a leaf. */
static bool join_tier(struct build *b, uint32_t leaf, uint32_t n, uint32_t spine, uint32_t s, uint32_t up, double rate)
{
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t u = 0; u < up; u++)
            if (!gy_graph_join(b->g, leaf + l, spine + u % s, rate, b->f->switch_latency))
                return false;
    return true;
}

static uint32_t spines_for(const struct build *b, uint32_t leaves, uint32_t up)
{
    uint32_t radix = b->f->radix, s = radix ? ceil_div((uint64_t)leaves * up, radix) : up;

    while (s < up && up % s) /* uplinks fall evenly on the spines */
        s++;
    return s < up ? s : up;
}

static int three_levels(struct build *b, uint32_t leaves, uint32_t up, double rate, struct gy_error *err)
{
    uint32_t per_pod = b->f->leaves_per_pod, s = up, radix = b->f->radix, first, cores;

    if (per_pod == 0)
        per_pod = radix ? radix / 2 : (uint32_t)ceil(sqrt(leaves));
    per_pod = per_pod ? per_pod : 1;
    uint32_t pods = ceil_div(leaves, per_pod), spines;
    if (radix && per_pod < radix / 2)
        s = spines_for(b, per_pod, up);
    uint32_t spine_up = ceil_div((uint64_t)per_pod * up, s),
             group = radix ? ceil_div((uint64_t)pods * spine_up, radix) : spine_up;
    while (group < spine_up && spine_up % group)
        group++;
    group = group < spine_up ? group : spine_up;
    if ((uint64_t)pods * s * spine_up > 500000000u)
        return gy_fail(err, GY_EINPUT, NULL, "the fat-tree would need too many links");
    if (!build_switches(b, pods * s, 1, &spines) || !build_switches(b, s * group, 2, &cores))
        return gy_nomem(err);
    for (uint32_t p = 0; p < pods; p++) {
        first = p * per_pod;
        uint32_t n = leaves - first < per_pod ? leaves - first : per_pod;
        if (!join_tier(b, b->first_leaf + first, n, spines + p * s, s, up, rate))
            return gy_nomem(err);
        for (uint32_t j = 0; j < s && pods > 1; j++)
            if (!join_tier(b, spines + p * s + j, 1, cores + j * group, group, spine_up, rate))
                return gy_nomem(err);
    }
    return 0;
}

int build_tree(struct build *b, uint32_t leaves, uint32_t ports, struct gy_error *err)
{
    const struct gy_graph_plan *f = b->f;
    double total = ports * f->nic_rate / f->oversubscription, links = ceil(total / f->link_rate * (1 - 1e-12));
    uint32_t spines, levels = f->levels ? f->levels : 2;

    if (levels != 2 && levels != 3)
        return gy_fail(err, GY_EINPUT, NULL, "a fat-tree has 2 or 3 levels, not %u", levels);
    if (!(links <= 65536))
        return gy_fail(err, GY_EINPUT, NULL, "a leaf would need %g uplinks; at most 65536", links);
    uint32_t up = links < 1 ? 1 : (uint32_t)links;
    if (f->radix && (uint64_t)ports + up > f->radix)
        return gy_fail(err, GY_EINPUT, NULL, "a leaf needs %u ports down and %u up, its radix is %u", ports, up,
                       f->radix);
    if (levels == 3)
        return three_levels(b, leaves, up, total / up, err);
    uint32_t s = spines_for(b, leaves, up);
    if (f->radix && (uint64_t)leaves * up > (uint64_t)s * f->radix)
        return gy_fail(err, GY_EINPUT, NULL, "%u leaves with %u uplinks need 3 levels at radix %u", leaves, up,
                       f->radix);
    if ((uint64_t)leaves * up > 500000000u)
        return gy_fail(err, GY_EINPUT, NULL, "the fat-tree would need too many links");
    if (!build_switches(b, s, 1, &spines) || !join_tier(b, b->first_leaf, leaves, spines, s, up, total / up))
        return gy_nomem(err);
    return 0;
}
