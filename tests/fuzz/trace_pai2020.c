/* Fuzzes the PAI 2020 reader: the job table up to a line "--", then the task table. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = memmem(data, size, "\n--\n", 4);
    size_t first = cut == NULL ? size : (size_t)(cut - data) + 1;

    return fuzz_trace("pai2020", NULL, data, first, cut == NULL ? (const uint8_t *)"" : cut + 4,
                      cut == NULL ? 0 : size - first - 3);
}
