/* Shared by the files of the collective model: the group as the formulas see it, and a candidate. */
#ifndef GY_COLLECTIVE_INTERNAL_H
#define GY_COLLECTIVE_INTERNAL_H
#include "gy_collective.h"

struct coll_group {
    double n, nodes, gmax, gmin; /* ranks; nodes as NCCL counts them: an NVLink domain is one */
    bool even;
    int tuning;        /* row of NCCL's tables: 0 Volta, 1 Ampere, 2 Hopper, 3 Blackwell */
    bool fills;        /* the pipeline's fill shows: NVLink is fast enough for it; PCIe and xGMI tables show none */
    bool nv, amd;      /* NVLink or xGMI between the GPUs; an AMD host */
    double ring_ch;    /* channels */
    double intra_gbps; /* ring rate inside a node */
    double pair_gbps;  /* all-to-all rate of one GPU inside a node */
    double nvls_gbps;  /* algorithm rate of NVLink SHARP, 0: none */
    double nic_gbps;   /* of the node with the fewest NICs, payload */
    double nics_used;  /* of that node */
    double rank_gbps;  /* of one rank's own port */
    double hop_us;     /* the fabric's latency */
    bool ll, ll128, sharp;
    double a2a_nic; /* largest of (bytes out of a node / its rate), for S = 1 byte and 1 GB/s: ns */
    double a2a_nic_bytes;
};

struct coll_candidate {
    double select_us;  /* what NCCL's model says, by which it chooses */
    double latency_us; /* parts of what we predict */
    double wire_us;    /* S/bw */
    double fill_us;    /* pipeline fill */
    bool nic_bound;
    enum gy_coll_algo algo;
    enum gy_coll_proto proto;
    double nic_bytes, link_bytes;
};
#define COLL_CANDIDATES 12

void coll_group_of(const struct gy_coll_query *q, struct coll_group *g);
/* The candidates for the operation; at least one unless the wished algorithm or protocol cannot run. */
int coll_candidates(const struct gy_coll_query *q, const struct coll_group *g, double bytes,
                    struct coll_candidate out[COLL_CANDIDATES]);
#endif
