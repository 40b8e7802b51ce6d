/* YAML as the JSON it stands for, by libyaml's events, so that one layer walks both. Plain scalars follow YAML 1.2's
 * core schema (null, true, false, numbers); everything else is a string. Several documents become an array. Anchors and
 * aliases are refused: they could make a small file huge. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "gy_file.h"
#include "gy_json.h"
#include "gy_units.h"

#define YAML_MOST  ((size_t)64 << 20)
#define DEPTH_MOST 190

struct yaml {
    yaml_parser_t parser;
    const char *name;
    struct gy_json_out out;
    struct gy_error *err;
    bool mapping[DEPTH_MOST + 2]; /* by depth */
    char *key[DEPTH_MOST + 2];    /* read, its value still to come */
    int depth;
};

static int wrong(struct yaml *y, const yaml_mark_t *at, const char *what)
{
    char place[512];
    snprintf(place, sizeof place, "%s:%zu:%zu", y->name, at->line + 1, at->column + 1);
    return gy_fail(y->err, GY_EINPUT, place, "%s", what);
}

static bool is_number(const char *s, size_t n)
{
    size_t sign = n > 0 && (*s == '-' || *s == '+');
    return n > sign && n < 64 && *s != '+' && (s[sign] != '0' || n == sign + 1 || s[sign + 1] == '.') &&
           gy_number_len(s, n) == n;
}

static void scalar(struct yaml *y, const yaml_event_t *e, const char *key)
{
    const char *s = (const char *)e->data.scalar.value;
    const size_t n = e->data.scalar.length;
    char number[64];

    if (e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        gy_jo_string(&y->out, key, s);
    else if (n == 0 || strcmp(s, "~") == 0 || strcmp(s, "null") == 0)
        gy_jo_string(&y->out, key, NULL);
    else if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0)
        gy_jo_bool(&y->out, key, *s == 't');
    else if (is_number(s, n)) {
        memcpy(number, s, n);
        number[n] = '\0';
        gy_jo_number(&y->out, key, strtod(number, NULL));
    } else
        gy_jo_string(&y->out, key, s);
}

/* The key under which the next value of the present mapping goes; NULL in a sequence. */
static const char *take_key(struct yaml *y)
{
    return y->mapping[y->depth] ? y->key[y->depth] : NULL;
}

static void drop_key(struct yaml *y, int depth)
{
    free(y->key[depth]);
    y->key[depth] = NULL;
}

static int begin(struct yaml *y, const yaml_event_t *e, bool mapping)
{
    if (y->mapping[y->depth] && y->key[y->depth] == NULL)
        return wrong(y, &e->start_mark, "a key that is a list or a mapping; a text was expected");
    if (y->depth >= DEPTH_MOST)
        return wrong(y, &e->start_mark, "nested too deep");
    mapping ? gy_jo_object(&y->out, take_key(y)) : gy_jo_array(&y->out, take_key(y));
    y->mapping[++y->depth] = mapping;
    return 0;
}

static void end(struct yaml *y, char bracket)
{
    gy_jo_end(&y->out, bracket);
    y->depth--;
    drop_key(y, y->depth);
}

static int value(struct yaml *y, const yaml_event_t *e)
{
    if (memchr(e->data.scalar.value, '\0', e->data.scalar.length) != NULL)
        return wrong(y, &e->start_mark, "a zero byte in a text");
    if (y->mapping[y->depth] && y->key[y->depth] == NULL) {
        y->key[y->depth] = strdup((const char *)e->data.scalar.value);
        return y->key[y->depth] ? 0 : gy_nomem(y->err);
    }
    scalar(y, e, take_key(y));
    drop_key(y, y->depth);
    return 0;
}

static int take(struct yaml *y, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return e->data.scalar.anchor ? wrong(y, &e->start_mark, "anchors are not read") : value(y, e);
    case YAML_MAPPING_START_EVENT:
        return e->data.mapping_start.anchor ? wrong(y, &e->start_mark, "anchors are not read") : begin(y, e, true);
    case YAML_SEQUENCE_START_EVENT:
        return e->data.sequence_start.anchor ? wrong(y, &e->start_mark, "anchors are not read") : begin(y, e, false);
    case YAML_MAPPING_END_EVENT:
        end(y, '}');
        return 0;
    case YAML_SEQUENCE_END_EVENT:
        end(y, ']');
        return 0;
    case YAML_ALIAS_EVENT:
        return wrong(y, &e->start_mark, "aliases are not read");
    default:
        return 0;
    }
}

static int read_events(struct yaml *y)
{
    for (bool more = true; more;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&y->parser, &e)) {
            const yaml_mark_t *at = y->parser.problem_mark.line ? &y->parser.problem_mark : &y->parser.mark;
            return wrong(y, at, y->parser.problem ? y->parser.problem : "not YAML");
        }
        more = e.type != YAML_STREAM_END_EVENT;
        const int rc = take(y, &e);
        yaml_event_delete(&e);
        if (rc != 0)
            return -1;
    }
    return 0;
}

struct gy_json_doc *gy_yaml_parse(const char *name, const char *text, size_t len, struct gy_error *err)
{
    struct gy_json_doc *doc = NULL;
    size_t n = 0;
    struct gy_writer *w = gy_writer_open(NULL, err);
    struct yaml *y = w ? calloc(1, sizeof *y) : NULL;

    if (y != NULL && yaml_parser_initialize(&y->parser)) {
        y->name = name;
        y->err = err;
        y->out = (struct gy_json_out){.to = w, .compact = true, .first = true};
        yaml_parser_set_input_string(&y->parser, (const unsigned char *)text, len);
        gy_jo_array(&y->out, NULL);
        if (read_events(y) == 0) {
            gy_jo_end(&y->out, ']');
            const char *json = gy_writer_memory(w, &n);
            doc = json ? gy_json_parse(name, json, n, err) : (gy_nomem(err), NULL);
        }
        yaml_parser_delete(&y->parser);
        for (int i = 0; i <= DEPTH_MOST; i++)
            free(y->key[i]);
    } else if (w != NULL)
        gy_nomem(err);
    free(y);
    gy_writer_abandon(w);
    return doc;
}

struct gy_json_doc *gy_yaml_load_input(struct gy_input *in, struct gy_error *err)
{
    char *text = NULL;
    size_t n = 0, room = 0;
    struct gy_json_doc *doc = NULL;

    for (long got = 1; got > 0; n += got > 0 ? (size_t)got : 0) {
        if (n + 65536 > room) {
            room = room ? room * 2 : 1 << 17;
            char *more = n > YAML_MOST ? NULL : realloc(text, room);
            if (more == NULL) {
                free(text);
                n > YAML_MOST ? gy_fail(err, GY_EINPUT, gy_input_name(in), "larger than 64 MiB") : gy_nomem(err);
                return NULL;
            }
            text = more;
        }
        got = gy_input_read(in, text + n, 65536, err);
        if (got < 0) {
            free(text);
            return NULL;
        }
    }
    size_t at = 0;
    while (at < n && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    doc = at < n && (text[at] == '{' || text[at] == '[') ? gy_json_parse(gy_input_name(in), text, n, err)
                                                         : gy_yaml_parse(gy_input_name(in), text, n, err);
    free(text);
    return doc;
}
