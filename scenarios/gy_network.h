/* The network of a scenario: cluster.fabric becomes a link graph, workloads rules map jobs onto training profiles, and
 * network.fidelity "fluid" makes of both a rate model for one run. */
#ifndef GY_NETWORK_H
#define GY_NETWORK_H
#include "gy_fluid.h"
#include "gy_scenario.h"

struct gy_network; /* one run's */
/* NULL with err. s and in must outlive it. */
struct gy_network *gy_network_new(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_error *err);
void gy_network_free(struct gy_network *n); /* NULL is fine */
const struct gy_rates *gy_network_rates(const struct gy_network *n);
/* After the run: mean over links and the largest of (bytes carried / what the link could carry in seconds). */
void gy_network_link_util(struct gy_network *n, const struct gy_sim_result *r, double *mean, double *max);
/* The same to the account, before it is finished. */
void gy_network_tell(struct gy_network *n, const struct gy_sim_result *r, struct gy_account *a);
/* links.csv: link,from,to,gbps,bytes,utilization, in the order of links; those that carried nothing are left out. */
void gy_network_write_links(struct gy_network *n, const struct gy_sim_result *r, struct gy_writer *to);
/* Leaf switches of nodes that name none, where the fabric has nodes_per_leaf: node i hangs on leaf i / nodes_per_leaf.
 */
void gy_network_leaves(const struct gy_scenario *s, struct gy_cluster_spec *cluster);
/* Everything that is wrong with fabric, workloads and network, without a cluster. 0 or -1 with diags. */
int gy_network_check(const struct gy_scenario *s, struct gy_diags *diags);
#endif
