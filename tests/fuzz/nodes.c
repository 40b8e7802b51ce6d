/* Fuzzes the node lists that come with traces. */
#include <stdint.h>
#include <stdlib.h>
#include "gy_file.h"
#include "gy_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_error err = {0};
    struct gy_input *in = gy_input_memory("f", data, size, &err);
    struct gy_cluster_spec spec = {.strings = gy_strings_new()};

    if (in != NULL && spec.strings != NULL && gy_nodes_load_input(in, NULL, &spec, &err) == 0 && spec.nodes.n == 0)
        abort();
    if (in != NULL)
        gy_input_close(in);
    struct gy_strings *strings = spec.strings;
    gy_cluster_spec_free(&spec);
    gy_strings_free(strings);
    return 0;
}
