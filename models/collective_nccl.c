/* Candidates of NCCL's cost model: for every algorithm and protocol a latency and a bandwidth, by which NCCL chooses,
 * and the pipeline's fill, which NCCL's model lacks and which makes middle sizes slower. Not the choice itself.
 *
 * Constants: NCCL's tuning model (src/graph/tuning.cc, versions 2.12 to 2.30), facts only. Fill: fitted to public
 * nccl-tests tables and kernel tables (models/README.md): t = lat + S/bw·(1 + κ/(1 + S/C)). */
#include <math.h>
#include <string.h>
#include "collective_internal.h"

/* µs, by protocol LL, LL128, Simple. */
static const double ring_base[3] = {6.6, 14, 8.4}, tree_base[3] = {6.8, 14, 8.4};
static const double ring_nvl[3] = {0.6, 1.9, 3.4}, ring_pci[3] = {1, 2.5, 5.7}, ring_net[3] = {2.7, 4, 14};
static const double tree_nvl[3] = {0.6, 1.25, 4}, tree_pci[3] = {1, 1.9, 4}, tree_net[3] = {5, 8.5, 14};
/* 10^9 bytes/s, by generation and by 1, 2, more nodes. */
static const double ll_max[4][3] = {{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}};
static const double ring_ll128_max[4] = {20, 20, 36.7, 40}; /* a channel, as the next two */
static const double tree_max[4][3] = {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {70, 42.8, 24}};
static const double nvlstree_max[4][3] = {{0}, {0}, {0, 57.7, 45.5}, {0, 96, 80}};
/* Trees fall behind the model at middle sizes: powers of two from 64 bytes (tuning.cc). */
static const double tree_factor[3][22] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .5, .6, .6, .7, .7, .8, .9, .9, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .5, .5, .6, .6, .7, .8, .9}};
static const double chunk_bytes = 524288; /* of one channel in a chain (NCCL's Simple slice at the default buffer) */

struct fill {
    double kappa, bytes;
};
/* Inside a node, between nodes. */
static const struct fill ring_fill[2] = {{0.75, 80e6}, {1.5, 5e6}}, tree_fill[2] = {{0.5, 40e6}, {2, 2e6}};
static const struct fill nvls_fill = {1, 40e6}, nvlstree_fill = {1, 160e6}, direct_fill[2] = {{2, 20e6}, {2, 20e6}};

static double filled(const struct coll_group *g, double wire_us, double bytes, struct fill f)
{
    return !g->fills ? 0 : wire_us * f.kappa / (1 + bytes / f.bytes);
}

static double log2_floor(double x)
{
    return floor(log2(x) + 1e-9);
}

static int nodes_index(const struct coll_group *g)
{
    return g->nodes >= 3 ? 2 : (int)g->nodes - 1;
}

static double ll_cap(const struct coll_group *g)
{
    int row = g->nodes > 1 && g->tuning < 2 ? (g->amd ? 1 : 0) : g->tuning;
    return ll_max[row][nodes_index(g)];
}

/* Share of a tree's or NVLS tree's bytes that its NICs carry, against a ring: each node is a leaf of one of the two
 * trees. */
static double tree_nic_factor(const struct coll_group *g)
{
    return g->nodes == 2 ? 2 : g->nodes == 3 ? 4.0 / 3 : 1;
}

static double channels(const struct coll_group *g)
{
    return g->nodes > 1 && g->tuning >= 2 && g->nic_gbps >= 300 ? fmin(g->ring_ch, 8) : g->ring_ch;
}

static bool proto_runs(const struct coll_group *g, int p)
{
    if (p == 0)
        return g->ll;
    return p == 1 ? g->nv && g->ll128 : true;
}

static bool chained(enum gy_coll_op op)
{
    return op == GY_BROADCAST || op == GY_REDUCE;
}

static double ring_share(enum gy_coll_op op, double n) /* bytes through each link of the ring for S = 1 */
{
    return op == GY_ALL_REDUCE ? 2 * (n - 1) / n : chained(op) ? 1 : (n - 1) / n;
}

static double ring_latency(enum gy_coll_op op, const struct coll_group *g, int p, double bytes)
{
    double intra = g->nv ? ring_nvl[p] : ring_pci[p], inter = ring_net[p] + g->hop_us * (p == 2 ? 2 : 1);
    if (chained(op))
        return ring_base[p] + (g->nodes > 1 ? inter : intra);
    double rounds = op == GY_ALL_REDUCE ? 2 : 1, steps = rounds * (g->n - 1);
    double net_steps = g->nodes > 1 ? rounds * (g->nodes - 1) : 0;
    double post = g->nodes > 1 ? (g->amd ? 2 : 1) * (p == 2 ? 3 : 1) : 0;
    double us = ring_base[p] + (steps - net_steps) * fmax(intra, post) + net_steps * inter;
    if (p == 2 && g->nodes > 1 && op == GY_ALL_REDUCE && bytes >= g->n / 16 * 65536)
        us *= g->tuning == 0 ? 1.9 : 1.4; /* plateau of multi-node rings */
    return us;
}

static int ring(enum gy_coll_op op, const struct coll_group *g, double bytes, struct coll_candidate *out)
{
    int made = 0;
    double bus = g->nodes > 1 ? g->gmax > 1 ? fmin(g->intra_gbps, g->nic_gbps) : g->nic_gbps : g->intra_gbps;
    for (int p = 0; p < 3; p++) {
        if (!proto_runs(g, p))
            continue;
        double bw = bus;
        if (p == 0)
            bw = fmin(ll_cap(g), 0.5 * bus);
        else if (p == 1)
            bw = fmin((g->nodes > 1 && g->gmax < 2 ? 0.7 : 0.92) * bus, channels(g) * ring_ll128_max[g->tuning]);
        struct coll_candidate *c = &out[made++];
        *c = (struct coll_candidate){.algo = GY_ALGO_RING, .proto = GY_PROTO_LL + p};
        c->latency_us = ring_latency(op, g, p, bytes);
        c->wire_us = bytes * ring_share(op, g->n) / (1e3 * bw);
        c->select_us = c->latency_us + c->wire_us;
        c->fill_us = filled(g, c->wire_us, bytes, ring_fill[g->nodes > 1]);
        if (chained(op) && g->nodes > 1) /* a chain is full only after its last node has the first chunk */
            c->fill_us += (g->nodes - 1) * fmin(bytes, channels(g) * chunk_bytes) / (1e3 * bus);
        c->nic_bound = g->nodes > 1 && (g->gmax < 2 || g->nic_gbps < g->intra_gbps);
        c->link_bytes = bytes * ring_share(op, g->n);
        c->nic_bytes = g->nodes > 1 ? c->link_bytes / g->nics_used : 0;
    }
    return made;
}

static int tree(const struct coll_group *g, double bytes, struct coll_candidate *out)
{
    int made = 0, index = nodes_index(g);
    double nic = g->nic_gbps * tree_nic_factor(g);
    double rate = g->nodes > 1 ? g->gmax > 1 ? fmin(g->intra_gbps, nic) : nic : g->intra_gbps;
    for (int p = 0; p < 3; p++) {
        if (!proto_runs(g, p))
            continue;
        double bw = fmin(0.92 * rate, channels(g) * tree_max[g->tuning][index]);
        if (p == 0)
            bw = fmin(bw / 3.8, ll_cap(g));
        else if (p == 1)
            bw = fmin(bw * (g->nodes == 1 ? 7.0 / 9 : 0.9375), g->ring_ch * ring_ll128_max[g->tuning]);
        int step = bytes >= 64 ? (int)log2_floor(bytes / 64) : 0;
        if (step < 22)
            bw *= tree_factor[p][step];
        double intra = g->nv ? tree_nvl[p] : tree_pci[p], inter = tree_net[p] + g->hop_us * (p == 2 ? 2 : 1);
        struct coll_candidate *c = &out[made++];
        *c = (struct coll_candidate){.algo = GY_ALGO_TREE, .proto = GY_PROTO_LL + p};
        c->latency_us = tree_base[p] + 2 * ((g->gmax - 1) * intra + log2_floor(g->nodes) * inter);
        c->wire_us = bytes * 2 / (1e3 * bw);
        c->select_us = c->latency_us + c->wire_us;
        c->fill_us = filled(g, c->wire_us, bytes, tree_fill[g->nodes > 1]);
        c->nic_bound = g->nodes > 1 && (g->gmax < 2 || nic < g->intra_gbps);
        c->link_bytes = 2 * bytes;
        c->nic_bytes = g->nodes > 1 ? 2 * bytes / tree_nic_factor(g) / g->nics_used : 0;
    }
    return made;
}

static int nvls(const struct coll_group *g, double bytes, struct coll_candidate *c)
{
    if (g->nvls_gbps <= 0)
        return 0;
    bool one = g->nodes == 1;
    double bw = g->nvls_gbps, nic = g->nic_gbps * tree_nic_factor(g) / 2;
    if (!one) {
        double cap = nvlstree_max[g->tuning][nodes_index(g)] * 8;
        bw = fmin(fmin(bw, cap > 0 ? cap : bw), nic);
    }
    *c = (struct coll_candidate){.algo = one ? GY_ALGO_NVLS : GY_ALGO_NVLSTREE, .proto = GY_PROTO_SIMPLE};
    c->latency_us = one ? 25 : 25 + 2 * log2_floor(g->nodes) * (20.9 + g->hop_us);
    c->wire_us = bytes / (1e3 * bw);
    c->select_us = c->latency_us + c->wire_us;
    c->fill_us = filled(g, c->wire_us, bytes, one ? nvls_fill : nvlstree_fill);
    c->nic_bound = !one && nic <= bw;
    c->link_bytes = bytes * (1 + 1 / g->n);
    c->nic_bytes = one ? 0 : 2 * bytes / tree_nic_factor(g) / g->nics_used;
    return 1;
}

/* In-network reduction: each node sends its sum once and gets the whole once. */
static int collnet(const struct coll_group *g, double bytes, struct coll_candidate *c)
{
    if (!g->sharp || g->nodes < 2)
        return 0;
    double bw = fmin(0.85 * g->nic_gbps, g->gmax > 1 ? 0.5 * g->intra_gbps * 1.7 : 1e9);
    *c = (struct coll_candidate){.algo = GY_ALGO_COLLNET, .proto = GY_PROTO_SIMPLE};
    c->latency_us = 2 * (fmin(1, g->gmax - 1) * 3.7 + (g->gmax - 1) * 0.4) + 31 + 2 * g->hop_us;
    c->wire_us = bytes / (1e3 * bw);
    c->select_us = c->latency_us + c->wire_us;
    c->fill_us = filled(g, c->wire_us, bytes, nvlstree_fill);
    c->nic_bound = bw < 0.85 * g->intra_gbps;
    c->link_bytes = 2 * bytes * (g->gmax - 1) / g->gmax;
    c->nic_bytes = bytes / g->nics_used;
    return 1;
}

/* Reduce-scatter inside the nodes, all-reduce along the rails, all-gather inside: what hand-written hierarchies do. */
static int rail(const struct coll_group *g, double bytes, struct coll_candidate *c)
{
    double inside = g->gmax > 1 ? 2 * (g->gmax - 1) / g->gmax * bytes / (1e3 * g->intra_gbps) : 0;
    double out = g->nodes > 1 ? 2 * (g->nodes - 1) / g->nodes * bytes / (1e3 * g->nic_gbps) : 0;
    *c = (struct coll_candidate){.algo = GY_ALGO_RAIL, .proto = GY_PROTO_SIMPLE};
    c->latency_us = 3 * ring_base[2] + 2 * (g->gmax - 1) * ring_nvl[2] +
                    (g->nodes > 1 ? 2 * (g->nodes - 1) * (ring_net[2] + g->hop_us) : 0);
    c->wire_us = fmax(inside, out);
    c->select_us = c->latency_us + c->wire_us;
    c->fill_us = filled(g, c->wire_us, bytes, ring_fill[g->nodes > 1]);
    c->nic_bound = out > inside;
    c->link_bytes = 2 * (g->gmax - 1) / g->gmax * bytes;
    c->nic_bytes = g->nodes > 1 ? 2 * (g->nodes - 1) / g->nodes * bytes / g->nics_used : 0;
    return 1;
}

static int direct(enum gy_coll_op op, const struct coll_group *g, double bytes, struct coll_candidate *c)
{
    *c = (struct coll_candidate){.algo = GY_ALGO_DIRECT, .proto = GY_PROTO_SIMPLE};
    double inside = 0, out = 0;
    if (op == GY_SEND_RECV) {
        inside = g->nodes > 1 ? 0 : bytes / (1e3 * g->pair_gbps);
        out = g->nodes > 1 ? bytes / (1e3 * g->rank_gbps) : 0;
        c->latency_us = ring_base[2] + (g->nodes > 1 ? ring_net[2] + 2 * g->hop_us : g->nv ? ring_nvl[0] : ring_pci[0]);
        c->nic_bytes = g->nodes > 1 ? bytes : 0;
        c->link_bytes = bytes;
    } else {
        inside = g->gmax > 1 ? bytes * (g->gmax - 1) / g->n / (1e3 * g->pair_gbps) : 0;
        out = g->nodes > 1 ? bytes * g->a2a_nic / 1e3 : 0;
        c->latency_us = ring_base[2] + (g->gmax - 1) * (g->nv ? ring_nvl[0] : ring_pci[0]) +
                        (g->nodes > 1 ? ring_net[2] + (g->n - g->gmax) + 2 * g->hop_us : 0);
        c->nic_bytes = bytes * g->a2a_nic_bytes;
        c->link_bytes = bytes * (g->gmax - 1) / g->n;
    }
    c->wire_us = fmax(inside, out);
    c->select_us = c->latency_us + c->wire_us;
    c->fill_us = filled(g, c->wire_us, bytes, direct_fill[g->nodes > 1]);
    c->nic_bound = out > inside;
    return 1;
}

int coll_candidates(const struct gy_coll_query *q, const struct coll_group *g, double bytes,
                    struct coll_candidate out[COLL_CANDIDATES])
{
    int n = 0, kept = 0;
    if (q->op == GY_ALL_TO_ALL || q->op == GY_SEND_RECV) {
        n += direct(q->op, g, bytes, out);
    } else {
        n += ring(q->op, g, bytes, out);
        if (q->op == GY_ALL_REDUCE) {
            n += tree(g, bytes, out + n);
            n += nvls(g, bytes, out + n);
            n += collnet(g, bytes, out + n);
            if (q->algo == GY_ALGO_RAIL)
                n += rail(g, bytes, out + n);
        }
    }
    for (int i = 0; i < n; i++)
        if ((q->algo == GY_ALGO_AUTO || q->algo == out[i].algo) &&
            (q->proto == GY_PROTO_AUTO || q->proto == out[i].proto))
            out[kept++] = out[i];
    return kept;
}
