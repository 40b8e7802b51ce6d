/* Rows of cluster.fabric and of a workloads rule, and the structs they fill. Internal to scenarios/. */
#ifndef GY_NETWORK_TABLES_H
#define GY_NETWORK_TABLES_H
#include <stdbool.h>
#include <stdint.h>
#include "gy_param.h"

struct gy_sc_fabric {
    int type; /* enum gy_graph_type */
    const char *nic;
    double nic_gbit, link_gbit, oversubscription;
    int64_t nics, nodes_per_leaf, radix, levels, leaves_per_pod, nodes_per_router, dim_x, dim_y, dim_z;
};
struct gy_sc_match {
    const char *gpus, *team, *user, *workload, *partition;
};
struct gy_sc_profile {
    const char *name;
    double compute_s, allreduce_gb, overlap_gamma;
};
struct gy_sc_workload {
    struct gy_sc_match match;
    struct gy_sc_profile profile;
};
extern const struct gy_param gy_sc_fabric_table[], gy_sc_workload_table[];

/* "8", ">=8", ">8", "<=8", "<8", "8-64"; NULL: everything. */
bool gy_sc_range(const char *text, double *lo, double *hi);
#endif
