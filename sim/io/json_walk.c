/* Looking at a loaded tree. Changes nothing; every function takes NULL for "absent". */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "json_doc.h"
#include "json_scan.h"

#define EXACT_MOST 0x1p53 /* integers up to here are exact as doubles */
#define TOKEN_SIZE 512

static const struct gy_json *node(const cJSON *c)
{
    return (const struct gy_json *)(const void *)c;
}

struct gy_json *gy_json_root(const struct gy_json_doc *doc)
{
    return (struct gy_json *)(void *)doc->root;
}

const char *gy_json_name(const struct gy_json_doc *doc)
{
    return doc->name;
}

enum gy_json_type gy_json_type(const struct gy_json *v)
{
    switch (v == NULL ? cJSON_NULL : gy_cjson(v)->type & 0xff) {
    case cJSON_True:
    case cJSON_False:
        return GY_J_BOOL;
    case cJSON_Number:
        return GY_J_NUMBER;
    case cJSON_String:
        return GY_J_STRING;
    case cJSON_Array:
        return GY_J_ARRAY;
    case cJSON_Object:
        return GY_J_OBJECT;
    default:
        return GY_J_NULL;
    }
}

const char *gy_json_type_name(const struct gy_json *v)
{
    static const char *const names[] = {
        [GY_J_NULL] = "null",       [GY_J_BOOL] = "a boolean", [GY_J_NUMBER] = "a number",
        [GY_J_STRING] = "a string", [GY_J_ARRAY] = "an array", [GY_J_OBJECT] = "an object",
    };

    return v == NULL ? "nothing" : names[gy_json_type(v)];
}

double gy_json_number(const struct gy_json *v)
{
    return gy_json_type(v) == GY_J_NUMBER ? gy_cjson(v)->valuedouble : NAN;
}

bool gy_json_is_integer(const struct gy_json *v, int64_t *out)
{
    double d = gy_json_number(v);

    if (!(d == trunc(d) && fabs(d) <= EXACT_MOST))
        return false;
    if (out != NULL)
        *out = (int64_t)d;
    return true;
}

const char *gy_json_string(const struct gy_json *v)
{
    return gy_json_type(v) == GY_J_STRING ? gy_cjson(v)->valuestring : NULL;
}

bool gy_json_true(const struct gy_json *v)
{
    return v != NULL && cJSON_IsTrue(gy_cjson(v));
}

const char *gy_json_key(const struct gy_json *v)
{
    return v == NULL ? NULL : gy_cjson(v)->string;
}

const struct gy_json *gy_json_first(const struct gy_json *v)
{
    return v == NULL ? NULL : node(gy_cjson(v)->child);
}

const struct gy_json *gy_json_next(const struct gy_json *v)
{
    return v == NULL ? NULL : node(gy_cjson(v)->next);
}

size_t gy_json_count(const struct gy_json *v)
{
    size_t n = 0;

    for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c))
        n++;
    return n;
}

const struct gy_json *gy_json_get(const struct gy_json *v, const char *key)
{
    if (gy_json_type(v) != GY_J_OBJECT)
        return NULL;
    return node(cJSON_GetObjectItemCaseSensitive(gy_cjson(v), key));
}

/* The element that token names ("0", "12": no sign, no leading zero), or NULL. */
static const struct gy_json *element(const struct gy_json *v, const char *token)
{
    size_t digits = strspn(token, "0123456789");

    if (digits == 0 || token[digits] != '\0' || digits > 9 || (digits > 1 && token[0] == '0'))
        return NULL;
    return node(cJSON_GetArrayItem(gy_cjson(v), atoi(token)));
}

const struct gy_json *gy_json_at(const struct gy_json *v, const char *pointer)
{
    char token[TOKEN_SIZE];

    while (v != NULL && gy_pointer_next(&pointer, token, sizeof token))
        v = gy_json_type(v) == GY_J_ARRAY ? element(v, token) : gy_json_get(v, token);
    return v;
}
