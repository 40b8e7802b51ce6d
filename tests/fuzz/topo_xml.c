/* Fuzzes the reader of nccl-xml topologies, the tree it prints and the graph made from it. */
#include "topo_one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    topo_one(data, size, "nccl-xml");
    return 0;
}
