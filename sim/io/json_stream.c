/* Elements of a large JSON file one at a time: this finds where each begins and ends, then the scanner and cJSON take
 * its text, as for a small document. The file is never held; an element may be up to 64 MiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "json_cut.h"
#include "json_doc.h"
#include "json_scan.h"

#define POINTER_SIZE 1024

typedef int item_fn(void *ctx, const struct gy_json *item, size_t line);

struct stream {
    struct gy_cutter cut;
    item_fn *fn;
    void *ctx;
};

/* The text in hand as a tree, checked like a document. */
static cJSON *build(struct gy_cutter *s)
{
    struct gy_scan scan = {.name = gy_input_name(s->in),
                           .text = s->text.at,
                           .len = s->text.n,
                           .first_line = s->text_line,
                           .first_column = s->text_column,
                           .err = s->err};
    char pointer[POINTER_SIZE] = "", place[2 * POINTER_SIZE];
    cJSON *v;

    if (gy_scan_value(&scan) < 0 || gy_scan_end(&scan) < 0)
        return NULL;
    v = gy_cjson_parse(s->text.at, s->text.n);
    int twin = v == NULL ? 1 : gy_json_find_twin(v, pointer, sizeof pointer);
    if (twin == 0)
        return v;
    cJSON_Delete(v);
    if (twin > 0) {
        gy_nomem(s->err);
        return NULL;
    }
    snprintf(place, sizeof place, "%.512s:%zu: %s", gy_input_name(s->in), s->text_line, pointer);
    gy_fail(s->err, GY_EINPUT, place, "found this key a second time in its object; expected each key once");
    return NULL;
}

/* Cuts, builds and hands over one value. Takes key. */
static int hand_over(struct stream *s, char *key)
{
    cJSON *v = gy_cut_value(&s->cut, true, "a value") < 0 ? NULL : build(&s->cut);
    int rc = -1;

    if (v != NULL) {
        v->string = key; /* cJSON's allocator is malloc: its hooks are never set */
        rc = s->fn(s->ctx, (const struct gy_json *)(const void *)v, s->cut.text_line);
        cJSON_Delete(v);
    } else {
        free(key);
    }
    return rc;
}

/* A key and its colon; the decoded key, to be freed, or NULL. */
static char *read_key(struct gy_cutter *s)
{
    int c = gy_cut_space(s);
    char *key;

    if (c != '"') {
        gy_cut_fail_found(s, c, "a key in double quotes");
        return NULL;
    }
    if (gy_cut_value(s, true, "a key") < 0)
        return NULL;
    cJSON *v = build(s);
    key = v == NULL ? NULL : v->valuestring;
    if (v != NULL)
        v->valuestring = NULL;
    cJSON_Delete(v);
    if (key == NULL)
        return NULL;
    c = gy_cut_space(s);
    if (c == ':') {
        gy_cut_advance(s);
        return key;
    }
    gy_cut_fail_found(s, c, "':' after the key");
    free(key);
    return NULL;
}

/* After a member: 1 when a comma was passed, 0 when the bracket was, -1. */
static int comma(struct gy_cutter *s, int bracket)
{
    int c = gy_cut_space(s);

    if (c != ',' && c != bracket)
        return gy_cut_fail_found(s, c, bracket == ']' ? "',' or ']'" : "',' or '}'");
    gy_cut_advance(s);
    return c == ',';
}

/* At '[' or '{': hands over what is in it. */
static int stream_members(struct stream *s, int c)
{
    int bracket = c == '[' ? ']' : '}', more = 1;

    gy_cut_advance(&s->cut);
    if (gy_cut_space(&s->cut) == bracket) {
        gy_cut_advance(&s->cut);
        return 0;
    }
    while (more > 0) {
        char *key = bracket == '}' ? read_key(&s->cut) : NULL;
        int rc = bracket == '}' && key == NULL ? -1 : hand_over(s, key);
        if (rc != 0)
            return rc;
        more = comma(&s->cut, bracket);
    }
    return more;
}

/* In the object at the top, at a member: hands over its members when it is the wanted one, else passes it. */
static int stream_if_wanted(struct stream *s, const char *wanted, bool *seen)
{
    char *key = read_key(&s->cut);
    bool match = key != NULL && strcmp(key, wanted) == 0;

    if (key == NULL)
        return -1;
    free(key);
    if (!match)
        return gy_cut_value(&s->cut, false, "a value");
    if (*seen)
        return gy_cut_fail(&s->cut, s->cut.text_line, s->cut.text_column,
                           "found this key a second time; expected each key once");
    *seen = true;
    int c = gy_cut_space(&s->cut);
    if (c != '[' && c != '{')
        return gy_cut_fail_found(&s->cut, c, "an array or an object");
    return stream_members(s, c);
}

static int stream_under(struct stream *s, const char *key)
{
    int more = 1, rc = 0;
    bool seen = false;
    char what[256];

    gy_cut_advance(&s->cut);
    if (gy_cut_space(&s->cut) == '}') {
        gy_cut_advance(&s->cut);
        more = 0;
    }
    while (more > 0 && rc == 0) {
        rc = stream_if_wanted(s, key, &seen);
        if (rc == 0)
            more = comma(&s->cut, '}');
    }
    if (rc != 0 || more < 0)
        return rc != 0 ? rc : -1;
    if (seen)
        return 0;
    snprintf(what, sizeof what, "the key \"%.100s\" is missing at the top", key);
    return gy_cut_fail(&s->cut, s->cut.line, s->cut.column, what);
}

static int stream_document(struct stream *s, const char *key)
{
    int c = gy_cut_space(&s->cut), rc;

    if (key != NULL)
        rc = c == '{' ? stream_under(s, key) : gy_cut_fail_found(&s->cut, c, "an object, which begins with '{'");
    else
        rc = c == '[' || c == '{' ? stream_members(s, c)
                                  : gy_cut_fail_found(&s->cut, c, "an array, which begins with '['");
    if (rc != 0)
        return rc;
    c = gy_cut_space(&s->cut);
    return c == GY_CUT_END ? 0 : gy_cut_fail_found(&s->cut, c, "the end of the text after its one value");
}

static int stream_values(struct stream *s, const char *key)
{
    int rc = 0, c;

    (void)key;
    while (rc == 0 && (c = gy_cut_space(&s->cut)) != GY_CUT_END)
        rc = hand_over(s, NULL);
    return rc;
}

static int run(int (*walk)(struct stream *, const char *), struct gy_input *in, const char *key, item_fn *fn, void *ctx,
               struct gy_error *err)
{
    struct stream *s = calloc(1, sizeof *s);
    const char *ahead;
    char mark[3];
    int rc;

    if (s == NULL)
        return gy_nomem(err);
    s->cut.in = in;
    s->fn = fn;
    s->ctx = ctx;
    s->cut.err = err;
    s->cut.line = s->cut.column = 1;
    size_t n = gy_input_peek(in, &ahead, err);
    if (ahead == NULL) {
        free(s);
        return -1;
    }
    if (n >= 3 && memcmp(ahead, "\xef\xbb\xbf", 3) == 0)
        gy_input_read(in, mark, sizeof mark, err);
    rc = walk(s, key);
    gy_vec_free(&s->cut.text);
    free(s);
    return rc;
}

int gy_json_stream(struct gy_input *in, const char *key, item_fn *fn, void *ctx, struct gy_error *err)
{
    return run(stream_document, in, key, fn, ctx, err);
}

int gy_json_lines(struct gy_input *in, item_fn *fn, void *ctx, struct gy_error *err)
{
    return run(stream_values, in, NULL, fn, ctx, err);
}
