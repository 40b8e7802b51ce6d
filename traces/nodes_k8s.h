/* Inside traces/: Kubernetes node lists. */
#ifndef GY_NODES_K8S_H
#define GY_NODES_K8S_H
#include "gy_cluster.h"
#include "gy_file.h"

bool gy_k8s_sniff(const char *bytes, size_t n); /* the first bytes look like Kubernetes objects */
/* Appends every object of kind Node. 0, or -1 with err: a node that cannot be read is an error. */
int gy_k8s_nodes(struct gy_input *in, struct gy_cluster_spec *spec, struct gy_error *err);
#endif
