/* Loading a JSON document: comments out, grammar checked, then cJSON's tree, then no key twice. Not a schema check. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "json_doc.h"
#include "json_scan.h"

#define LOAD_MOST    ((size_t)64 << 20)
#define POINTER_SIZE 1024

cJSON *gy_cjson_parse(const char *text, size_t len)
{
    const char *end;

    return cJSON_ParseWithLengthOpts(text, len, &end, 0);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static const char *twin_of_few(const cJSON *object)
{
    for (const cJSON *a = object->child; a != NULL; a = a->next)
        for (const cJSON *b = object->child; b != a; b = b->next)
            if (strcmp(a->string, b->string) == 0)
                return a->string;
    return NULL;
}

/* A key that object holds twice, or NULL. *memory is false when there was none to find out. */
static const char *twin_in(const cJSON *object, bool *memory)
{
    size_t n = 0, i = 0;
    const char *twin = NULL;

    for (const cJSON *c = object->child; c != NULL; c = c->next)
        n++;
    if (n <= 16)
        return twin_of_few(object);
    const cJSON **all = malloc(n * sizeof *all);
    if (all == NULL) {
        *memory = false;
        return NULL;
    }
    for (const cJSON *c = object->child; c != NULL; c = c->next)
        all[i++] = c;
    qsort(all, n, sizeof *all, compare_keys);
    for (i = 1; i < n && twin == NULL; i++)
        if (compare_keys(&all[i - 1], &all[i]) == 0)
            twin = all[i]->string;
    free(all);
    return twin;
}

int gy_json_find_twin(const cJSON *v, char *pointer, size_t size)
{
    size_t n = strlen(pointer), i = 0;
    bool memory = true;
    const char *twin = cJSON_IsObject(v) ? twin_in(v, &memory) : NULL;
    char index[24];

    if (!memory)
        return 1;
    if (twin != NULL) {
        gy_pointer_append(pointer, size, twin);
        return -1;
    }
    for (const cJSON *c = v->child; c != NULL; c = c->next, i++) {
        if (c->child == NULL)
            continue;
        snprintf(index, sizeof index, "%zu", i);
        gy_pointer_append(pointer, size, c->string != NULL ? c->string : index);
        int rc = gy_json_find_twin(c, pointer, size);
        if (rc != 0)
            return rc;
        pointer[n] = '\0';
    }
    return 0;
}

static int check_twins(struct gy_json_doc *doc, struct gy_error *err)
{
    char pointer[POINTER_SIZE] = "", place[sizeof err->place];
    int rc = gy_json_find_twin(doc->root, pointer, sizeof pointer);

    if (rc == 0)
        return 0;
    if (rc > 0)
        return gy_nomem(err);
    gy_json_place(doc, pointer, place, sizeof place);
    gy_fail(err, GY_EINPUT, place, "found this key a second time in its object; expected each key once");
    return gy_hint(err, "remove one of the two");
}

static int scan_and_build(struct gy_json_doc *doc, struct gy_error *err)
{
    struct gy_scan s = {
        .name = doc->name, .text = doc->text, .len = doc->len, .first_line = 1, .first_column = 1, .err = err};
    char place[sizeof err->place];
    size_t at, line, column;

    if (!gy_json_blank_comments(doc->text, doc->len, &at)) {
        gy_json_line_column(doc->text, at, &line, &column);
        snprintf(place, sizeof place, "%s:%zu:%zu", doc->name, line, column);
        return gy_fail(err, GY_EINPUT, place, "found a comment without its closing */");
    }
    if (gy_scan_value(&s) < 0 || gy_scan_end(&s) < 0)
        return -1;
    doc->root = gy_cjson_parse(doc->text, doc->len);
    return doc->root == NULL ? gy_nomem(err) : check_twins(doc, err);
}

struct gy_json_doc *gy_json_parse(const char *name, const char *text, size_t len, struct gy_error *err)
{
    struct gy_json_doc *doc = calloc(1, sizeof *doc);
    int rc;

    if (doc == NULL) {
        gy_nomem(err);
        return NULL;
    }
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    doc->name = strdup(name);
    doc->text = malloc(len + 1);
    doc->len = len;
    if (doc->name == NULL || doc->text == NULL) {
        rc = gy_nomem(err);
    } else {
        if (len > 0)
            memcpy(doc->text, text, len);
        doc->text[len] = '\0';
        rc = scan_and_build(doc, err);
    }
    if (rc == 0)
        return doc;
    gy_json_free(doc);
    return NULL;
}

struct gy_json_doc *gy_json_load(const char *path, struct gy_error *err)
{
    size_t len;
    char *text = gy_file_slurp(path, LOAD_MOST, &len, NULL, err);
    struct gy_json_doc *doc;

    if (text == NULL)
        return NULL;
    doc = gy_json_parse(strcmp(path, "-") == 0 ? "standard input" : path, text, len, err);
    free(text);
    return doc;
}

void gy_json_free(struct gy_json_doc *doc)
{
    if (doc == NULL)
        return;
    cJSON_Delete(doc->root);
    for (size_t i = 0; i < doc->changes.n; i++) {
        free(doc->changes.at[i].pointer);
        free(doc->changes.at[i].from);
    }
    gy_vec_free(&doc->changes);
    free(doc->text);
    free(doc->name);
    free(doc);
}
