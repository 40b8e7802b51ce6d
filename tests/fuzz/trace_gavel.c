/* Fuzzes the Gavel reader: the trace up to a line "--", then the throughput table. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memmem(data, size, "\n--\n", 4);
    size_t first = cut == NULL ? size : (size_t)(cut - data) + 1;

    if (cut == NULL)
        return fuzz_trace("gavel", NULL, data, size, NULL, 0);
    return fuzz_trace("gavel", NULL, data, first, cut + 4, size - first - 3);
}
