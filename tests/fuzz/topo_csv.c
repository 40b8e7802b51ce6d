/* Fuzzes the reader of csv topologies, the tree it prints and the graph made from it. */
#include "topo_one.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    topo_one(data, size, "csv");
    return 0;
}
