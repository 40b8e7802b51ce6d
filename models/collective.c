/* Collective operations: names, checks, the choice of algorithm and protocol, and the uncalibrated answer. The formulas
 * are in collective_nccl.c, the group's rates in collective_group.c. */
#include "gy_collective.h"
#include <math.h>
#include <string.h>
#include <strings.h>
#include "collective_internal.h"

static const char *const op_names[GY_COLL_OPS] = {"all_reduce", "all_gather", "reduce_scatter", "broadcast",
                                                  "reduce",     "all_to_all", "send_recv"};
static const char *const algo_names[GY_ALGOS] = {"auto",    "ring",   "tree", "nvls", "nvlstree",
                                                 "collnet", "direct", "rail", "none"};
static const char *const proto_names[GY_PROTOS] = {"auto", "ll", "ll128", "simple"};
static const char *const bound_names[] = {"latency", "nvlink", "pcie", "nic", "memory"};

const char *gy_coll_op_name(enum gy_coll_op op)
{
    return op_names[op];
}
const char *gy_coll_algo_name(enum gy_coll_algo a)
{
    return algo_names[a];
}
const char *gy_coll_proto_name(enum gy_coll_proto p)
{
    return proto_names[p];
}
const char *gy_coll_bound_name(enum gy_coll_bound b)
{
    return bound_names[b];
}

/* Equal but for case, '_' and '-'. */
static bool same_word(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == '_' || *a == '-')
            a++;
        while (*b == '_' || *b == '-')
            b++;
        int x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a, y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;
        if (x != y)
            return false;
        if (!x)
            return true;
    }
}

static int word_of(const char *name, const char *const *names, int n)
{
    for (int i = 0; name && i < n; i++)
        if (same_word(name, names[i]))
            return i;
    return -1;
}

int gy_coll_op_of(const char *name)
{
    return word_of(name, op_names, GY_COLL_OPS);
}
int gy_coll_algo_of(const char *name)
{
    return word_of(name, algo_names, GY_ALGOS);
}
int gy_coll_proto_of(const char *name)
{
    return word_of(name, proto_names, GY_PROTOS);
}

double gy_coll_bus_factor(enum gy_coll_op op, uint32_t ranks)
{
    if (ranks < 2)
        return 0;
    double n = ranks;
    switch (op) {
    case GY_ALL_REDUCE:
        return 2 * (n - 1) / n;
    case GY_ALL_GATHER:
    case GY_REDUCE_SCATTER:
    case GY_ALL_TO_ALL:
        return (n - 1) / n;
    default:
        return 1;
    }
}

int gy_coll_check(const struct gy_coll_query *q, struct gy_error *err)
{
    if (!q->hw)
        return gy_fail(err, GY_EUSAGE, NULL, "no hardware given");
    if (q->nodes < 1 || q->nodes > 1u << 20)
        return gy_fail(err, GY_EINPUT, NULL, "nodes is %u, wanted 1 to 1048576", q->nodes);
    if (q->nodes > 1 && !q->fabric)
        return gy_fail(err, GY_EUSAGE, NULL, "%u nodes need a fabric", q->nodes);
    for (uint32_t i = 0; i < (q->gpus_of ? q->nodes : 1); i++) {
        uint32_t g = q->gpus_of ? q->gpus_of[i] : q->gpus_per_node;
        if (g < 1 || g > q->hw->gpus.value)
            return gy_fail(err, GY_EINPUT, NULL, "%u GPUs on a node, \"%s\" has 1 to %.0f", g, q->hw->name,
                           q->hw->gpus.value);
    }
    if (q->op == GY_SEND_RECV && gy_coll_ranks(q) < 2)
        return gy_fail(err, GY_EINPUT, NULL, "send_recv needs two ranks");
    if (gy_coll_ranks(q) < 2)
        return 0;
    struct coll_group g;
    struct coll_candidate c[COLL_CANDIDATES];
    coll_group_of(q, &g);
    if (!coll_candidates(q, &g, 1 << 20, c)) {
        gy_fail(err, GY_EINPUT, NULL, "%s with algorithm %s and protocol %s does not run on %u ranks of \"%s\"%s%s",
                op_names[q->op], algo_names[q->algo], proto_names[q->proto], gy_coll_ranks(q), q->hw->name,
                q->fabric ? " over " : "", q->fabric ? q->fabric->name : "");
        return gy_hint(err,
                       "ring runs everywhere but in all_to_all and send_recv; nvls needs NVSwitch and 3 or more GPUs a "
                       "node, nvlstree and collnet several nodes, collnet a fabric with SHARP");
    }
    return 0;
}

void gy_coll_rates(struct gy_coll_result *r, enum gy_coll_op op, double bytes)
{
    r->algbw_gbps = r->time_s > 0 ? bytes / r->time_s / 1e9 : 0;
    r->busbw_gbps = r->algbw_gbps * gy_coll_bus_factor(op, r->ranks);
}

/* One rank: NCCL copies the buffer. */
static struct gy_coll_result alone(const struct gy_coll_query *q, double bytes)
{
    struct gy_coll_result r = {.ranks = 1, .nodes = 1, .algo = GY_ALGO_NONE, .proto = GY_PROTO_SIMPLE};
    double copy = 2 * bytes / (0.8 * q->hw->gpu.hbm_gbps.value * 1e9);
    r.time_s = 4e-6 + copy; /* a launch, then read and write of device memory at 80 % of its peak */
    r.bound = copy > 4e-6 ? GY_BOUND_MEMORY : GY_BOUND_LATENCY;
    gy_coll_rates(&r, q->op, bytes);
    return r;
}

struct gy_coll_result gy_coll_prior(const struct gy_coll_query *q, double bytes)
{
    if (gy_coll_ranks(q) < 2)
        return alone(q, bytes);
    struct coll_group g;
    struct coll_candidate c[COLL_CANDIDATES];
    coll_group_of(q, &g);
    double size = fmax(bytes, 1);
    int n = coll_candidates(q, &g, size, c), best = 0;
    for (int i = 1; i < n; i++)
        if (c[i].select_us < c[best].select_us)
            best = i;
    struct gy_coll_result r = {.ranks = (uint32_t)g.n,
                               .nodes = q->nodes,
                               .algo = c[best].algo,
                               .proto = c[best].proto,
                               .nic_bytes = c[best].nic_bytes,
                               .link_bytes = c[best].link_bytes};
    r.time_s = (c[best].latency_us + c[best].wire_us + c[best].fill_us) * 1e-6;
    if (c[best].latency_us >= c[best].wire_us + c[best].fill_us)
        r.bound = GY_BOUND_LATENCY;
    else
        r.bound = c[best].nic_bound ? GY_BOUND_NIC : g.nv ? GY_BOUND_NVLINK : GY_BOUND_PCIE;
    gy_coll_rates(&r, q->op, bytes);
    return r;
}

struct gy_coll_result gy_coll_predict_prior(const struct gy_coll_query *q, double bytes)
{
    struct gy_coll_result r = gy_coll_prior(q, bytes);
    /* The running maximum over a grid of sizes, linear in between (exact where t = α + S/β): more bytes never take
     * less. */
    double lo = 1, size = fmax(bytes, 1), low = gy_coll_prior(q, lo).time_s;
    for (;;) {
        double hi = lo * M_SQRT2, high = fmax(low, gy_coll_prior(q, hi).time_s);
        if (size <= hi) {
            r.time_s = low + (high - low) * (size - lo) / (hi - lo);
            break;
        }
        lo = hi;
        low = high;
    }
    gy_coll_rates(&r, q->op, bytes);
    return r;
}
