/* A JSON object into a struct by a table of rows: nested objects, lists, defaults, unknown keys, missing keys; all
 * errors at once. What a single value must be is bind_value.c's; nothing here knows what a key means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bind_row.h"
#include "json_doc.h"
#include "json_scan.h"

#define KEYS_MOST 256 /* of one object, that are looked at for a hint */

static void bind_object(struct gy_bind *b, const struct gy_param *const *tables, size_t n, const struct gy_json *v,
                        const struct gy_bind_at *at, void *const *outs);

void gy_bind_pointer(const struct gy_bind_at *at, char *buf, size_t size)
{
    char index[24];

    if (at->up == NULL) {
        snprintf(buf, size, "%s", at->base);
        return;
    }
    gy_bind_pointer(at->up, buf, size);
    snprintf(index, sizeof index, "%zu", at->index);
    gy_pointer_append(buf, size, at->key != NULL ? at->key : index);
}

void gy_bind_fail(struct gy_bind *b, const struct gy_bind_at *at, const char *hint, const char *fmt, ...)
{
    struct gy_error err = {.code = GY_EINPUT};
    char pointer[1024] = "", what[sizeof err.what], place[sizeof err.place] = "";
    va_list ap;

    b->failed = true;
    if (b->diags->shown == GY_DIAGS_MAX) { /* counted only; finding places in a hostile file would take long */
        b->diags->total++;
        return;
    }
    gy_bind_pointer(at, pointer, sizeof pointer);
    if (b->doc != NULL)
        gy_json_place(b->doc, pointer, place, sizeof place);
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    gy_fail(&err, GY_EINPUT, b->doc != NULL ? place : pointer, "%s", what);
    if (hint[0] != '\0')
        gy_hint(&err, "%s", hint);
    gy_diags_add(b->diags, &err);
}

void gy_bind_nomem(struct gy_bind *b)
{
    struct gy_error err;

    b->failed = true;
    gy_nomem(&err);
    gy_diags_add(b->diags, &err);
}

static bool is_ignored(const char *key)
{
    return key[0] == '$' || (key[0] == '/' && key[1] == '/');
}

static bool is_known(const struct gy_param *const *tables, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        for (const struct gy_param *r = tables[i]; r->name != NULL; r++)
            if (strcmp(r->name, key) == 0)
                return true;
    return false;
}

static void unknown_key(struct gy_bind *b, const struct gy_param *const *tables, size_t n, const char *key,
                        const struct gy_bind_at *at)
{
    const char *keys[KEYS_MOST] = {NULL}, *near;
    char hint[384] = "";
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        for (const struct gy_param *r = tables[i]; r->name != NULL && k < KEYS_MOST; r++)
            keys[k++] = r->name;
    near = gy_nearest(key, keys, k);
    if (near != NULL) {
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    } else {
        size_t used = (size_t)snprintf(hint, sizeof hint, "known keys: ");
        for (size_t i = 0; i < k && used + 64 < sizeof hint; i++)
            used += (size_t)snprintf(hint + used, sizeof hint - used, "%s%.48s", i == 0 ? "" : ", ", keys[i]);
    }
    gy_bind_fail(b, at, hint, "unknown key");
}

static const char *expected_in_words(const struct gy_param *row)
{
    static const char *const words[] = {
        [GY_P_BOOL] = "true or false",
        [GY_P_INT] = "a whole number",
        [GY_P_REAL] = "a number",
        [GY_P_TIME] = "a time",
        [GY_P_TEXT] = "a string",
        [GY_P_PATH] = "a path",
        [GY_P_CHOICE] = "one of",
        [GY_P_OBJECT] = "an object",
        [GY_P_LIST] = "an array of objects",
        [GY_P_TEXTS] = "an array of strings",
        [GY_P_JSON] = "a value",
    };

    return words[row->type];
}

static void bind_list(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                      const struct gy_bind_at *at, struct gy_list *field)
{
    size_t n = gy_json_count(v), i = 0;
    char found[80];

    if (gy_json_type(v) != GY_J_ARRAY) {
        gy_bind_describe(v, found, sizeof found);
        gy_bind_fail(b, at, "", "found %s; expected an array of objects", found);
        return;
    }
    if (!gy_bind_length(b, row, n, at))
        return;
    char *all =
        row->item_size > 0 && n > SIZE_MAX / row->item_size ? NULL : gy_arena_alloc(b->arena, n * row->item_size);
    if (all == NULL) {
        gy_bind_nomem(b);
        return;
    }
    for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c), i++) {
        struct gy_bind_at here = {.up = at, .index = i};
        void *item = all + i * row->item_size;
        bind_object(b, &row->fields, 1, c, &here, &item);
    }
    *field = (struct gy_list){all, n};
}

static void bind_field(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                       const struct gy_bind_at *at, void *field)
{
    if (row->type == GY_P_OBJECT)
        bind_object(b, &row->fields, 1, v, at, &field);
    else if (row->type == GY_P_LIST)
        bind_list(b, row, v, at, field);
    else
        gy_bind_scalar(b, row, v, at, field);
}

/* A copy of a default's subtree that lives as long as the arena. */
static cJSON *copy_tree(struct gy_arena *arena, const cJSON *v)
{
    cJSON *copy = gy_arena_alloc(arena, sizeof *copy), **link = copy == NULL ? NULL : &copy->child, *last = NULL;

    if (copy == NULL)
        return NULL;
    copy->type = v->type;
    copy->valueint = v->valueint;
    copy->valuedouble = v->valuedouble;
    if ((v->string != NULL && (copy->string = gy_arena_strndup(arena, v->string, strlen(v->string))) == NULL) ||
        (v->valuestring != NULL &&
         (copy->valuestring = gy_arena_strndup(arena, v->valuestring, strlen(v->valuestring))) == NULL))
        return NULL;
    for (const cJSON *c = v->child; c != NULL; c = c->next) {
        cJSON *next = copy_tree(arena, c);
        if (next == NULL)
            return NULL;
        next->prev = last;
        *link = last = next;
        link = &next->next;
    }
    return copy;
}

static void bind_default(struct gy_bind *b, const struct gy_param *row, const struct gy_bind_at *at, void *field)
{
    struct gy_error err;
    struct gy_json_doc *preset;
    const struct gy_json *v;

    gy_bind_blank(row, field);
    if (strcmp(row->preset, "null") == 0)
        return;
    preset = gy_json_parse(row->name, row->preset, strlen(row->preset), &err);
    if (preset == NULL) {
        b->failed = true;
        if (err.code != GY_ENOMEM)
            err.code = GY_EINTERNAL; /* a table's default is not JSON */
        gy_diags_add(b->diags, &err);
        return;
    }
    v = gy_json_root(preset);
    if (row->type == GY_P_JSON) {
        *(cJSON **)field = copy_tree(b->arena, gy_cjson(v));
        if (*(cJSON **)field == NULL)
            gy_bind_nomem(b);
    } else {
        bind_field(b, row, v, at, field);
    }
    gy_json_free(preset);
}

static void bind_table(struct gy_bind *b, const struct gy_param *table, const struct gy_json *v,
                       const struct gy_bind_at *at, void *out)
{
    for (const struct gy_param *row = table; row->name != NULL; row++) {
        const struct gy_json *value = gy_json_get(v, row->name);
        struct gy_bind_at here = {.up = at, .key = row->name};
        void *field = gy_field(row, out);
        char names[256] = "", name[48];
        if (value != NULL && gy_json_type(value) != GY_J_NULL) {
            gy_bind_blank(row, field);
            bind_field(b, row, value, &here, field);
        } else if (row->preset != NULL) {
            bind_default(b, row, &here, field);
        } else {
            gy_bind_blank(row, field);
            for (size_t i = 0; row->type == GY_P_CHOICE && gy_choice(row->choices, i, name, sizeof name); i++)
                snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i == 0 ? " " : ", ", name);
            gy_bind_fail(b, at, "", "the key \"%s\" is missing; expected %s%s", row->name, expected_in_words(row),
                         names);
        }
    }
}

static void bind_object(struct gy_bind *b, const struct gy_param *const *tables, size_t n, const struct gy_json *v,
                        const struct gy_bind_at *at, void *const *outs)
{
    char found[80];

    if (v != NULL && gy_json_type(v) != GY_J_OBJECT) {
        gy_bind_describe(v, found, sizeof found);
        gy_bind_fail(b, at, "", "found %s; expected an object", found);
        return;
    }
    for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c)) {
        struct gy_bind_at here = {.up = at, .key = gy_json_key(c)};
        if (!is_ignored(gy_json_key(c)) && !is_known(tables, n, gy_json_key(c)))
            unknown_key(b, tables, n, gy_json_key(c), &here);
    }
    for (size_t i = 0; i < n; i++)
        bind_table(b, tables[i], v, at, outs[i]);
}

int gy_bind_many(const struct gy_param *const *tables, size_t n_tables, const struct gy_json_doc *doc,
                 const struct gy_json *v, const char *pointer, void *const *outs, struct gy_arena *arena,
                 struct gy_diags *diags)
{
    struct gy_bind b = {.doc = doc, .arena = arena, .diags = diags};
    struct gy_bind_at at = {.base = pointer};

    bind_object(&b, tables, n_tables, v, &at, outs);
    return b.failed ? -1 : 0;
}

int gy_bind(const struct gy_param *table, const struct gy_json_doc *doc, const struct gy_json *v, const char *pointer,
            void *out, struct gy_arena *arena, struct gy_diags *diags)
{
    return gy_bind_many(&table, 1, doc, v, pointer, &out, arena, diags);
}
