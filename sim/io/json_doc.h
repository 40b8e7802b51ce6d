/* Inside sim/io only: what a loaded document is made of. struct gy_json is cJSON under another name. */
#ifndef GY_JSON_DOC_H
#define GY_JSON_DOC_H
#include <cjson/cJSON.h>
#include "gy_json.h"
#include "gy_vec.h"

struct gy_json_doc {
    char *name;
    char *text; /* comments blanked, for error places; NULL where there is none */
    size_t len;
    cJSON *root;
    GY_VEC(char *) set; /* "/a/b" of what gy_json_set and gy_json_merge changed: not in the text any more */
};

static inline const cJSON *gy_cjson(const struct gy_json *v)
{
    return (const cJSON *)(const void *)v;
}

/* The offset in doc's text of the key (or array element) at pointer; the last of equal keys. false: not there. */
bool gy_json_find(const struct gy_json_doc *doc, const char *pointer, size_t *at);
/* Parses text that gy_scan_value accepted. NULL when out of memory. */
cJSON *gy_cjson_parse(const char *text, size_t len);
/* -1, with err filled and its place from place(), when an object under v holds a key twice. pointer is a buffer of size
 * bytes that holds v's pointer; on an error it holds the key's. 1: out of memory. */
int gy_json_find_twin(const cJSON *v, char *pointer, size_t size);
#endif
