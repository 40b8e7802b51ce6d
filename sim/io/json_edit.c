/* Changing a loaded document before it is used: overrides by pointer, merge patches (RFC 7396), copies. The text behind
 * the document stays as it was, for the places of what did not change; what did is remembered with where it came from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_doc.h"
#include "json_scan.h"

#define TOKEN_SIZE   512
#define POINTER_SIZE 1024

/* Remembers that pointer no longer has the text's value. */
static int remember(struct gy_json_doc *doc, const char *pointer, const char *from, struct gy_error *err)
{
    struct gy_json_change c = {strdup(pointer), strdup(from != NULL ? from : doc->name)};

    if (c.pointer != NULL && c.from != NULL && gy_vec_push(&doc->changes, c))
        return 0;
    free(c.pointer);
    free(c.from);
    return gy_nomem(err);
}

const char *gy_json_origin(const struct gy_json_doc *doc, const char *pointer)
{
    const struct gy_json_change *c = gy_json_changed(doc, pointer);

    return c != NULL ? c->from : doc->name;
}

/* The value of an override: JSON, or else the text itself. NULL when out of memory. */
static cJSON *value_of(const char *text, struct gy_error *err)
{
    struct gy_json_doc *doc = gy_json_parse("", text, strlen(text), err);
    cJSON *v;

    if (doc == NULL && err->code == GY_ENOMEM)
        return NULL;
    if (doc == NULL) {
        v = cJSON_CreateString(text);
    } else {
        v = doc->root;
        doc->root = NULL;
        gy_json_free(doc);
    }
    if (v == NULL)
        gy_nomem(err);
    return v;
}

/* Puts v into object under key, in the place of what was there. Takes v, also on failure. */
static int put_member(cJSON *object, const char *key, cJSON *v, struct gy_error *err)
{
    bool done = cJSON_GetObjectItemCaseSensitive(object, key) != NULL
                    ? cJSON_ReplaceItemInObjectCaseSensitive(object, key, v)
                    : cJSON_AddItemToObject(object, key, v);

    if (done)
        return 0;
    cJSON_Delete(v);
    return gy_nomem(err);
}

static int index_of(const cJSON *array, const char *token)
{
    size_t digits = strspn(token, "0123456789");
    int count = cJSON_GetArraySize(array);
    int i = strcmp(token, "-") == 0 ? count : digits > 0 && digits < 9 && token[digits] == '\0' ? atoi(token) : -1;

    return i <= count ? i : -1;
}

/* Puts v at token of *parent, which becomes an object where it is null. Takes v, also on failure. pointer is parent's
 * and becomes v's. */
static int put_child(cJSON *parent, const char *token, cJSON *v, char pointer[POINTER_SIZE], struct gy_error *err)
{
    char index[16];

    if (cJSON_IsNull(parent))
        parent->type = cJSON_Object | (parent->type & ~0xff);
    if (cJSON_IsObject(parent)) {
        gy_pointer_append(pointer, POINTER_SIZE, token);
        return put_member(parent, token, v, err);
    }
    int i = cJSON_IsArray(parent) ? index_of(parent, token) : -1;
    if (i < 0) {
        cJSON_Delete(v);
        if (cJSON_IsArray(parent))
            return gy_fail(err, GY_EINPUT, pointer, "found \"%s\" as an index; expected 0 to %d", token,
                           cJSON_GetArraySize(parent));
        return gy_fail(err, GY_EINPUT, pointer, "found %s; expected an object to set \"%s\" in",
                       gy_json_type_name((const struct gy_json *)(void *)parent), token);
    }
    snprintf(index, sizeof index, "%d", i);
    gy_pointer_append(pointer, POINTER_SIZE, index);
    if (i < cJSON_GetArraySize(parent) ? cJSON_ReplaceItemInArray(parent, i, v) : cJSON_AddItemToArray(parent, v))
        return 0;
    cJSON_Delete(v);
    return gy_nomem(err);
}

static cJSON *child_of(cJSON *parent, const char *token)
{
    if (cJSON_IsArray(parent))
        return cJSON_GetArrayItem(parent, index_of(parent, token));
    return cJSON_GetObjectItemCaseSensitive(parent, token);
}

/* Walks to the parent of pointer's last token, making missing objects; token is that last one. */
static cJSON *walk_to_parent(struct gy_json_doc *doc, const char *pointer, char token[TOKEN_SIZE],
                             char made[POINTER_SIZE], struct gy_error *err)
{
    cJSON *parent = doc->root;
    char next[TOKEN_SIZE];

    while (gy_pointer_next(&pointer, next, sizeof next)) {
        if (pointer[0] == '\0') {
            memcpy(token, next, sizeof next);
            return parent;
        }
        cJSON *child = child_of(parent, next);
        if (child == NULL || cJSON_IsNull(child)) {
            cJSON *object = cJSON_CreateObject();
            if (object == NULL) {
                gy_nomem(err);
                return NULL;
            }
            if (put_child(parent, next, object, made, err) < 0)
                return NULL;
            child = object;
        } else {
            gy_pointer_append(made, POINTER_SIZE, next);
        }
        parent = child;
    }
    return NULL;
}

int gy_json_set_as(struct gy_json_doc *doc, const char *pointer, const char *text, const char *from,
                   struct gy_error *err)
{
    char token[TOKEN_SIZE], made[POINTER_SIZE] = "";
    cJSON *v, *parent;

    if (strlen(pointer) >= TOKEN_SIZE)
        return gy_fail(err, GY_EINPUT, NULL, "found a pointer of %zu bytes; expected at most %d", strlen(pointer),
                       TOKEN_SIZE - 1);
    v = value_of(text, err);
    if (v == NULL)
        return -1;
    if (pointer[0] == '\0') {
        cJSON_Delete(doc->root);
        doc->root = v;
        return remember(doc, "", from, err);
    }
    parent = walk_to_parent(doc, pointer, token, made, err);
    if (parent == NULL) {
        cJSON_Delete(v);
        return -1;
    }
    if (put_child(parent, token, v, made, err) < 0)
        return -1;
    return remember(doc, made, from, err);
}

int gy_json_set(struct gy_json_doc *doc, const char *pointer, const char *text, struct gy_error *err)
{
    return gy_json_set_as(doc, pointer, text, NULL, err);
}

/* Merges patch, an object, into target, an object at pointer. */
static int merge_object(struct gy_json_doc *doc, cJSON *target, const cJSON *patch, char pointer[POINTER_SIZE],
                        const char *from, struct gy_error *err)
{
    size_t n = strlen(pointer);
    int rc = 0;

    for (const cJSON *p = patch->child; p != NULL && rc == 0; p = p->next) {
        cJSON *old = cJSON_GetObjectItemCaseSensitive(target, p->string);
        gy_pointer_append(pointer, POINTER_SIZE, p->string);
        if (cJSON_IsNull(p)) {
            cJSON_DeleteItemFromObjectCaseSensitive(target, p->string);
        } else if (cJSON_IsObject(p)) {
            if (!cJSON_IsObject(old)) {
                old = cJSON_CreateObject();
                rc = old == NULL ? gy_nomem(err) : put_member(target, p->string, old, err);
            }
            if (rc == 0)
                rc = merge_object(doc, old, p, pointer, from, err);
        } else {
            cJSON *copy = cJSON_Duplicate(p, 1);
            rc = copy == NULL ? gy_nomem(err) : put_member(target, p->string, copy, err);
            if (rc == 0)
                rc = remember(doc, pointer, from, err);
        }
        pointer[n] = '\0';
    }
    return rc;
}

int gy_json_merge_as(struct gy_json_doc *doc, const struct gy_json *patch, const char *from, struct gy_error *err)
{
    char pointer[POINTER_SIZE] = "";
    bool object = gy_json_type(patch) == GY_J_OBJECT;
    cJSON *fresh;

    if (object && cJSON_IsObject(doc->root))
        return merge_object(doc, doc->root, gy_cjson(patch), pointer, from, err);
    fresh = object ? cJSON_CreateObject() : cJSON_Duplicate(gy_cjson(patch), 1);
    if (fresh == NULL)
        return gy_nomem(err);
    cJSON_Delete(doc->root);
    doc->root = fresh;
    if (remember(doc, "", from, err) < 0)
        return -1;
    return object ? merge_object(doc, fresh, gy_cjson(patch), pointer, from, err) : 0;
}

int gy_json_merge(struct gy_json_doc *doc, const struct gy_json *patch, struct gy_error *err)
{
    return gy_json_merge_as(doc, patch, NULL, err);
}

struct gy_json_doc *gy_json_copy(const struct gy_json_doc *doc)
{
    struct gy_json_doc *copy = calloc(1, sizeof *copy);
    struct gy_error err;

    if (copy == NULL)
        return NULL;
    copy->name = strdup(doc->name);
    copy->text = malloc(doc->len + 1);
    copy->len = doc->len;
    copy->root = cJSON_Duplicate(doc->root, 1);
    bool done = copy->name != NULL && copy->text != NULL && copy->root != NULL;
    if (done)
        memcpy(copy->text, doc->text, doc->len + 1);
    for (size_t i = 0; i < doc->changes.n && done; i++)
        done = remember(copy, doc->changes.at[i].pointer, doc->changes.at[i].from, &err) == 0;
    if (done)
        return copy;
    gy_json_free(copy);
    return NULL;
}
