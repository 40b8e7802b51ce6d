/* gpuyard init: a first scenario with comments, from a slurm.conf, a list of Kubernetes nodes, or a few answers. */
#ifndef GY_INIT_H
#define GY_INIT_H
#include "gy_file.h"

struct gy_init {
    const char *name;       /* of the scenario */
    const char *slurm_conf; /* path, or NULL */
    const char *nodes_file; /* of any node list (kubectl get nodes -o json among them), or NULL */
    const char *hardware;   /* catalogue name, where neither file is given */
    uint32_t nodes;
    const char *trace;  /* path; must be there */
    const char *preset; /* of the scheduler; NULL: slurm with slurm_conf, easy without */
};
/* Nodes that are alike become one group whose count a study can vary. Paths are written as given; they are relative to
 * the scenario. 0, or -1 with err (the writer is the caller's either way). */
int gy_init_write(const struct gy_init *i, struct gy_writer *to, struct gy_error *err);
#endif
