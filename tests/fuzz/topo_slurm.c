/* Fuzzes the reader of slurm-topology topologies, the tree it prints and the graph made from it. */
#include "topo_one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    topo_one(data, size, "slurm-topology");
    return 0;
}
