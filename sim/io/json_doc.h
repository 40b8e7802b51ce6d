/* Inside sim/io only: what a loaded document is made of. struct gy_json is cJSON under another name. */
#ifndef GY_JSON_DOC_H
#define GY_JSON_DOC_H
#include <cjson/cJSON.h>
#include "gy_json.h"
#include "gy_vec.h"

/* A value that was set or merged after loading, so that it is not the text's any more. */
struct gy_json_change {
    char *pointer; /* "/a/b" */
    char *from;    /* the file, or "--set", that named the value */
};

struct gy_json_doc {
    char *name;
    char *text; /* comments blanked, NUL-ended, for error places */
    size_t len;
    cJSON *root;
    GY_VEC(struct gy_json_change) changes;
};

static inline const cJSON *gy_cjson(const struct gy_json *v)
{
    return (const cJSON *)(const void *)v;
}

/* The offset in doc's text of the key (or array element) at pointer; the last of equal keys. false: not there. */
bool gy_json_find(const struct gy_json_doc *doc, const char *pointer, size_t *at);
/* The last change of the value at pointer or of something around it, or NULL. */
const struct gy_json_change *gy_json_changed(const struct gy_json_doc *doc, const char *pointer);
/* Parses text that gy_scan_value accepted. NULL when out of memory. */
cJSON *gy_cjson_parse(const char *text, size_t len);
/* Looks for an object under v that holds a key twice: 0 none; -1 found; 1 out of memory. pointer is a buffer of size
 * bytes with v's pointer; when one is found it holds the second key's. */
int gy_json_find_twin(const cJSON *v, char *pointer, size_t size);
#endif
