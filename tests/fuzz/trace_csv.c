/* Fuzzes the mapped CSV reader: the map up to the first newline, then the table. */
#include "trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_error err = {0};
    const uint8_t *newline = memchr(data, '\n', size);
    size_t first = newline == NULL ? 0 : (size_t)(newline - data);
    struct gy_json_doc *doc = gy_json_parse("map", newline == NULL ? "" : (const char *)data, first, &err);

    if (doc != NULL)
        fuzz_trace("csv", gy_json_root(doc), newline + 1, size - first - 1, NULL, 0);
    gy_json_free(doc);
    return 0;
}
