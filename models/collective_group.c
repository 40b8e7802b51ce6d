/* The group of ranks as the collective formulas see it: node counts, rates and latencies out of hardware and fabric.
 * Not the formulas. Handles nodes with different numbers of GPUs, NVLink domains over several nodes, and parts of
 * nodes. */
#include <math.h>
#include "collective_internal.h"

uint32_t gy_coll_ranks(const struct gy_coll_query *q)
{
    if (!q->gpus_of)
        return q->nodes * q->gpus_per_node;
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->nodes; i++)
        n += q->gpus_of[i];
    return n;
}

static double gpus_at(const struct gy_coll_query *q, uint32_t i)
{
    return q->gpus_of ? q->gpus_of[i] : q->gpus_per_node;
}

static bool is_domain(const struct gy_coll_query *q)
{
    return q->nodes > 1 && q->fabric && q->fabric->kind == GY_FABRIC_NVLINK;
}

/* NICs that g GPUs of a node use: those beside them. */
static double nics_of(double nics, double node_gpus, double g)
{
    double k = floor(nics * g / node_gpus + 1e-9);
    return k < 1 ? 1 : k > nics ? nics : k;
}

static void network(const struct gy_coll_query *q, struct coll_group *g)
{
    const struct gy_hw *hw = q->hw;
    const struct gy_fabric *f = q->fabric;
    bool nvlink = !f || f->kind == GY_FABRIC_NVLINK;
    double nics = q->nics > 0 ? q->nics : !nvlink && f->nics.value > 0 ? f->nics.value : hw->nics.value;
    double gbit = q->nic_gbit > 0                    ? q->nic_gbit
                  : !nvlink && f->nic_gbit.value > 0 ? f->nic_gbit.value
                                                     : hw->nic_gbit.value;
    double rate = gbit / 8 * (nvlink ? 0.96 : f->efficiency.value) * (q->nic_share > 0 ? q->nic_share : 1);
    g->hop_us = nvlink ? 1 : f->latency_us.value;
    g->ll = nvlink || f->ll;
    g->ll128 = nvlink || f->ll128;
    g->sharp = !nvlink && f->sharp;
    double per = is_domain(q) ? ceil(q->nodes / g->nodes) : 1; /* nodes in one domain */
    g->nics_used = nics_of(nics, hw->gpus.value, g->gmin / per) * per;
    g->nic_gbps = g->nics_used * rate;
    g->rank_gbps = rate * fmax(1, floor(nics / hw->gpus.value));
    g->a2a_nic = g->a2a_nic_bytes = 0;
    for (uint32_t i = 0; i < (q->gpus_of && !is_domain(q) ? q->nodes : 1); i++) {
        double gi = is_domain(q) ? g->gmax : gpus_at(q, i);
        double k = nics_of(nics, hw->gpus.value, gi / per) * per, out = gi * (g->n - gi) / g->n;
        if (out / (k * rate) > g->a2a_nic) {
            g->a2a_nic = out / (k * rate);
            g->a2a_nic_bytes = out / k;
        }
    }
}

void coll_group_of(const struct gy_coll_query *q, struct coll_group *g)
{
    const struct gy_hw *hw = q->hw;
    static const int row[] = {[GY_ARCH_VOLTA] = 0,  [GY_ARCH_TURING] = 0,    [GY_ARCH_AMPERE] = 1, [GY_ARCH_ADA] = 1,
                              [GY_ARCH_HOPPER] = 2, [GY_ARCH_BLACKWELL] = 3, [GY_ARCH_CDNA3] = 2};
    *g = (struct coll_group){.n = gy_coll_ranks(q), .nodes = q->nodes, .gmin = 1e9, .tuning = row[hw->gpu.arch]};
    for (uint32_t i = 0; i < (q->gpus_of ? q->nodes : 1); i++) {
        g->gmax = fmax(g->gmax, gpus_at(q, i));
        g->gmin = fmin(g->gmin, gpus_at(q, i));
    }
    if (is_domain(q)) {
        double domain = q->fabric->domain_gpus.value > 0 ? q->fabric->domain_gpus.value : hw->intra.domain_gpus.value;
        g->nodes = ceil(g->n / fmax(domain, g->gmax));
        g->gmax = ceil(g->n / g->nodes);
        g->gmin = floor(g->n / g->nodes);
    }
    g->even = g->gmax == g->gmin;
    g->nv = hw->intra.kind == GY_INTRA_MESH || hw->intra.kind == GY_INTRA_SWITCH || hw->intra.kind == GY_INTRA_XGMI ||
            (hw->intra.kind == GY_INTRA_BRIDGE && g->gmax <= hw->intra.domain_gpus.value);
    g->amd = hw->cpu.vendor == 1;
    g->ring_ch = hw->collective.ring_channels.value;
    g->intra_gbps = g->ring_ch * hw->collective.ring_channel_gbps.value;
    g->pair_gbps = hw->collective.pair_gbps.value;
    g->fills =
        hw->intra.kind == GY_INTRA_MESH || hw->intra.kind == GY_INTRA_SWITCH || hw->intra.kind == GY_INTRA_BRIDGE;
    if (g->nv && g->gmax < 8 && g->gmax > 1) {
        /* Rings over few GPUs reach less of the links (kernel tables of 2, 4 and 8 GPUs). */
        double part = (1 - 0.5 / g->gmax) / (1 - 0.5 / 8);
        g->intra_gbps *= part;
        g->pair_gbps *= part;
    }
    if (hw->intra.kind == GY_INTRA_SWITCH && g->gmin > 2)
        g->nvls_gbps = hw->collective.nvls_channels.value * hw->collective.nvls_channel_gbps.value *
                       hw->collective.nvls_efficiency.value;
    if (g->nodes > 1)
        network(q, g);
    else
        g->ll = g->ll128 = true;
}
