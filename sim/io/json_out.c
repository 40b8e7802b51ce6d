/* Writing JSON: the same value gives the same bytes everywhere. Streams; builds no tree. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_file.h"
#include "json_doc.h"

/* Bytes of the well-formed UTF-8 character at text (RFC 3629: no overlong forms, no surrogates), or 0. */
static size_t character(const unsigned char *text)
{
    unsigned char c = text[0];
    size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;

    for (size_t i = 1; i < n; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
        (c == 0xf4 && text[1] > 0x8f))
        return 0;
    return n;
}

static void put_escape(struct gy_writer *to, unsigned char c)
{
    static const char from[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
    const char *found = strchr(from, c);

    if (found != NULL)
        gy_writer_printf(to, "\\%c", letter[found - from]);
    else
        gy_writer_printf(to, "\\u%04x", c);
}

static void put_string(struct gy_writer *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *start = at;

    gy_writer_put(to, "\"", 1);
    while (*at != '\0') {
        size_t n = character(at);
        if (n > 0 && *at >= 0x20 && *at != '"' && *at != '\\') {
            at += n;
            continue;
        }
        gy_writer_put(to, start, (size_t)(at - start));
        if (n == 0)
            gy_writer_text(to, "\xef\xbf\xbd");
        else
            put_escape(to, *at);
        start = ++at;
    }
    gy_writer_put(to, start, (size_t)(at - start));
    gy_writer_put(to, "\"", 1);
}

static void new_line(struct gy_json_out *o)
{
    if (o->compact)
        return;
    gy_writer_put(o->to, "\n", 1);
    for (int i = 0; i < o->depth; i++)
        gy_writer_put(o->to, "  ", 2);
}

/* What stands before a value: the comma, the new line, the key. */
static void lead(struct gy_json_out *o, const char *key)
{
    if (o->depth > 0) {
        if (!o->first)
            gy_writer_put(o->to, ",", 1);
        new_line(o);
    }
    o->first = false;
    if (key == NULL)
        return;
    put_string(o->to, key);
    gy_writer_text(o->to, o->compact ? ":" : ": ");
}

void gy_jo_comment(struct gy_json_out *o, const char *text)
{
    lead(o, NULL);
    gy_writer_printf(o->to, "// %s", text);
    o->first = true; /* the comma is behind us */
}

/* A finished value at the top ends its line. */
static void finish(struct gy_json_out *o)
{
    if (o->depth == 0)
        gy_writer_put(o->to, "\n", 1);
}

static void open_bracket(struct gy_json_out *o, const char *key, const char *bracket)
{
    lead(o, key);
    gy_writer_put(o->to, bracket, 1);
    o->depth++;
    o->first = true;
}

void gy_jo_object(struct gy_json_out *o, const char *key)
{
    open_bracket(o, key, "{");
}

void gy_jo_array(struct gy_json_out *o, const char *key)
{
    open_bracket(o, key, "[");
}

void gy_jo_end(struct gy_json_out *o, char bracket)
{
    o->depth--;
    if (!o->first)
        new_line(o);
    gy_writer_put(o->to, &bracket, 1);
    o->first = false;
    finish(o);
}

static void put_plain(struct gy_json_out *o, const char *key, const char *text)
{
    lead(o, key);
    gy_writer_text(o->to, text);
    finish(o);
}

void gy_jo_string(struct gy_json_out *o, const char *key, const char *text)
{
    if (text == NULL) {
        put_plain(o, key, "null");
        return;
    }
    lead(o, key);
    put_string(o->to, text);
    finish(o);
}

void gy_jo_number(struct gy_json_out *o, const char *key, double v)
{
    char buf[32];

    if (isfinite(v))
        gy_number_print(v, buf);
    put_plain(o, key, isfinite(v) ? buf : "null");
}

void gy_jo_integer(struct gy_json_out *o, const char *key, int64_t v)
{
    char buf[32];

    snprintf(buf, sizeof buf, "%" PRId64, v);
    put_plain(o, key, buf);
}

void gy_jo_bool(struct gy_json_out *o, const char *key, bool v)
{
    put_plain(o, key, v ? "true" : "false");
}

void gy_jo_value(struct gy_json_out *o, const char *key, const struct gy_json *v)
{
    switch (gy_json_type(v)) {
    case GY_J_NULL:
        put_plain(o, key, "null");
        break;
    case GY_J_BOOL:
        gy_jo_bool(o, key, gy_json_true(v));
        break;
    case GY_J_NUMBER:
        gy_jo_number(o, key, gy_json_number(v));
        break;
    case GY_J_STRING:
        gy_jo_string(o, key, gy_json_string(v));
        break;
    case GY_J_ARRAY:
    case GY_J_OBJECT:
        open_bracket(o, key, gy_json_type(v) == GY_J_ARRAY ? "[" : "{");
        for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c))
            gy_jo_value(o, gy_json_key(c), c);
        gy_jo_end(o, gy_json_type(v) == GY_J_ARRAY ? ']' : '}');
        break;
    }
}
