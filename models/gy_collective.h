/* Time of collective operations: pure functions of (hardware, fabric, group, operation, bytes). No state, no I/O.
 *
 * The prior is NCCL's own cost model (lat + S/bw for every algorithm and protocol, the least is taken; constants in
 * collective_nccl.c), with what that model leaves out: the pipeline's fill at middle sizes, NIC shares of uneven
 * groups, chains. A calibration (gy_calibration.h) corrects it. bytes is nccl-tests' size: the whole buffer of an
 * all-reduce, the gathered or scattered whole of all-gather and reduce-scatter, what one rank sends in total in an
 * all-to-all.
 *
 * Times in seconds, rates in 10^9 bytes/s of one direction. */
#ifndef GY_COLLECTIVE_H
#define GY_COLLECTIVE_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_hardware.h"

enum gy_coll_op {
    GY_ALL_REDUCE,
    GY_ALL_GATHER,
    GY_REDUCE_SCATTER,
    GY_BROADCAST,
    GY_REDUCE,
    GY_ALL_TO_ALL,
    GY_SEND_RECV,
    GY_COLL_OPS
};
enum gy_coll_algo {
    GY_ALGO_AUTO,
    GY_ALGO_RING,
    GY_ALGO_TREE,
    GY_ALGO_NVLS,     /* NVLink SHARP inside one domain */
    GY_ALGO_NVLSTREE, /* NVLink SHARP inside, tree between nodes */
    GY_ALGO_COLLNET,  /* reduction in the network's switches */
    GY_ALGO_DIRECT,   /* every rank to every rank */
    GY_ALGO_RAIL,     /* reduce-scatter inside, all-reduce along each rail, all-gather inside; not NCCL's */
    GY_ALGO_NONE,     /* one rank */
    GY_ALGOS
};
enum gy_coll_proto { GY_PROTO_AUTO, GY_PROTO_LL, GY_PROTO_LL128, GY_PROTO_SIMPLE, GY_PROTOS };
enum gy_coll_bound { GY_BOUND_LATENCY, GY_BOUND_NVLINK, GY_BOUND_PCIE, GY_BOUND_NIC, GY_BOUND_MEMORY };

const char *gy_coll_op_name(enum gy_coll_op op);
int gy_coll_op_of(const char *name); /* -1 unknown; takes "allreduce", "alltoall", "AllGather" … */
const char *gy_coll_algo_name(enum gy_coll_algo a);
int gy_coll_algo_of(const char *name);
const char *gy_coll_proto_name(enum gy_coll_proto p);
int gy_coll_proto_of(const char *name);
const char *gy_coll_bound_name(enum gy_coll_bound b);

struct gy_coll_query {
    enum gy_coll_op op;
    enum gy_coll_algo algo;
    enum gy_coll_proto proto;
    const struct gy_hw *hw;
    const struct gy_fabric *fabric; /* may be NULL when nodes is 1 */
    uint32_t nodes;                 /* ≥ 1 */
    uint32_t gpus_per_node;         /* ≥ 1; ignored where gpus_of is given */
    const uint32_t *gpus_of;        /* GPUs on each node, for uneven groups; or NULL */
    double nics, nic_gbit; /* ports of a node and their rate, where they differ from the catalogue; 0: as there */
    double nic_share;      /* part of the NIC rate that is left for it (contention, a degraded link); 0 means 1 */
};

struct gy_coll_result {
    double time_s;
    double algbw_gbps, busbw_gbps;
    uint32_t ranks, nodes;
    enum gy_coll_algo algo;
    enum gy_coll_proto proto;
    enum gy_coll_bound bound;
    double nic_bytes;  /* through each used NIC in one direction, the most loaded node */
    double link_bytes; /* out of each GPU over NVLink, PCIe or xGMI */
};

/* busbw = algbw × this: nccl-tests' convention. 0 for one rank. */
double gy_coll_bus_factor(enum gy_coll_op op, uint32_t ranks);
uint32_t gy_coll_ranks(const struct gy_coll_query *q);
/* What is wrong with the query (bad counts, an algorithm that the group cannot run); 0 when it can be answered. */
int gy_coll_check(const struct gy_coll_query *q, struct gy_error *err);
/* The uncalibrated answer; the query must have passed gy_coll_check. Not monotone where algorithms change. O(nodes). */
struct gy_coll_result gy_coll_prior(const struct gy_coll_query *q, double bytes);
/* The same made monotone in bytes. */
struct gy_coll_result gy_coll_predict_prior(const struct gy_coll_query *q, double bytes);
/* Fills algbw and busbw from time_s. */
void gy_coll_rates(struct gy_coll_result *r, enum gy_coll_op op, double bytes);
#endif
