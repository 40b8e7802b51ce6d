/* Fuzzes the import of kernel and collective tables and of JSON: by its first byte the rest is one or the other. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "gy_json.h"
#include "gy_measure.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    char *text = calloc(1, size + 1);

    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    if (size > 0 && text[0] == '{') {
        struct gy_json_doc *doc = gy_json_parse("m", text, size, &err);
        const struct gy_json *root = doc == NULL ? NULL : gy_json_root(doc), *results;
        results = root == NULL || gy_json_type(root) != GY_J_OBJECT ? NULL : gy_json_get(root, "results");
        if (results != NULL && gy_json_type(results) == GY_J_ARRAY)
            gy_import_nccl_json(&m, "m", doc, NULL, &err);
        else if (doc != NULL)
            gy_measure_read(&m, doc, &err);
        gy_json_free(doc);
    } else {
        gy_import_csv(&m, "t_pairwise_h100", text, NULL, &err);
    }
    gy_measurements_free(&m);
    free(text);
    return 0;
}
