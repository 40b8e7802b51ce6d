/* The JSON layer over cJSON: read (with // and comments), walk, locate, write. The only place that knows cJSON.
 * Documents are const after loading and setting. Numbers are doubles; integers to 2^53 are exact. The walking functions
 * take NULL for a node that is absent. A UTF-8 byte order mark is skipped. Nobody may call setlocale: cJSON reads and
 * this library prints the decimal point of the locale "C". */
#ifndef GY_JSON_H
#define GY_JSON_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_error.h"

struct gy_json; /* a node (cJSON's) */

enum gy_json_type { GY_J_NULL, GY_J_BOOL, GY_J_NUMBER, GY_J_STRING, GY_J_ARRAY, GY_J_OBJECT };

/* A loaded document with its text, so that errors can name line and column. */
struct gy_json_doc;
/* name is used in error places. Comments are allowed; duplicate keys, trailing text and depth > 200 are errors with
 * line:column. */
struct gy_json_doc *gy_json_parse(const char *name, const char *text, size_t len, struct gy_error *err);
struct gy_json_doc *gy_json_load(const char *path, struct gy_error *err); /* .gz and "-" too; at most 64 MiB */
/* YAML as the JSON it stands for: an array of the stream's documents. Places in errors after parsing are those of that
 * JSON. No anchors, no aliases. */
struct gy_json_doc *gy_yaml_parse(const char *name, const char *text, size_t len, struct gy_error *err);
/* YAML or, where it begins with a bracket, JSON; at most 64 MiB. */
struct gy_input;
struct gy_json_doc *gy_yaml_load_input(struct gy_input *in, struct gy_error *err);
void gy_json_free(struct gy_json_doc *doc);
struct gy_json *gy_json_root(const struct gy_json_doc *doc);
const char *gy_json_name(const struct gy_json_doc *doc);
/* "file:line:column: /pointer" of the value at pointer (or of its key), into buf. A pointer that is not in the text
 * (set by an override) gives "file: /pointer". */
void gy_json_place(const struct gy_json_doc *doc, const char *pointer, char *buf, size_t size);
/* Sets the value at pointer ("/a/b/0" or "a.b.0"), making missing objects; an array grows by one at its length or "-".
 * text is JSON, or else taken as a string. */
int gy_json_set(struct gy_json_doc *doc, const char *pointer, const char *text, struct gy_error *err);
/* RFC 7396 merge of patch, which is no part of doc, into the document. */
int gy_json_merge(struct gy_json_doc *doc, const struct gy_json *patch, struct gy_error *err);
/* The same, with who named the value: another file, or "--set". Error places say it, and relative paths that are bound
 * resolve against its folder. NULL: the document itself. */
int gy_json_set_as(struct gy_json_doc *doc, const char *pointer, const char *text, const char *from,
                   struct gy_error *err);
int gy_json_merge_as(struct gy_json_doc *doc, const struct gy_json *patch, const char *from, struct gy_error *err);
/* The file (or "--set") that named the value at pointer; the document's own name where nothing else did. */
const char *gy_json_origin(const struct gy_json_doc *doc, const char *pointer);
struct gy_json_doc *gy_json_copy(const struct gy_json_doc *doc); /* NULL when out of memory */

enum gy_json_type gy_json_type(const struct gy_json *v);
const char *gy_json_type_name(const struct gy_json *v); /* "a number", "an object" … for messages */
bool gy_json_is_integer(const struct gy_json *v, int64_t *out);
double gy_json_number(const struct gy_json *v);      /* NaN when not a number */
const char *gy_json_string(const struct gy_json *v); /* NULL when not a string */
bool gy_json_true(const struct gy_json *v);
const char *gy_json_key(const struct gy_json *v);             /* of an object's member, else NULL */
size_t gy_json_count(const struct gy_json *v);                /* members of an array or object, O(n) */
const struct gy_json *gy_json_first(const struct gy_json *v); /* iterate: for (c = first(v); c; c = next(c)) */
const struct gy_json *gy_json_next(const struct gy_json *v);
const struct gy_json *gy_json_get(const struct gy_json *v, const char *key);    /* exact case; NULL when absent */
const struct gy_json *gy_json_at(const struct gy_json *v, const char *pointer); /* "/a/0/b" */

/* Streams the elements of a top-level array, or of the array under one key of a top-level object, one at a time,
 * without holding the file; of an object in that place the members (gy_json_key names them). Each element is checked as
 * a document is and may be up to 64 MiB; values under other keys are passed over by their brackets only, unchecked. fn
 * returns 0 to go on; any other value stops and is returned (what went wrong is then fn's to tell). Returns -1 with err
 * filled when the text is wrong or truncated. An item lives until fn returns. */
struct gy_input;
int gy_json_stream(struct gy_input *in, const char *key, int (*fn)(void *ctx, const struct gy_json *item, size_t line),
                   void *ctx, struct gy_error *err);
/* The same for JSON lines: values one after another, with space between them. */
int gy_json_lines(struct gy_input *in, int (*fn)(void *ctx, const struct gy_json *item, size_t line), void *ctx,
                  struct gy_error *err);

/* Writing: deterministic, locale-free, shortest numbers that read back equal; two-space indent, or compact on one line.
 * Start with {.to = writer}. Each finished value at the top ends with a line end, so that compact values in turn are
 * JSON lines. Errors stick in the writer. */
struct gy_writer;
struct gy_json_out {
    struct gy_writer *to;
    int depth;
    bool first, compact;
};
void gy_jo_object(struct gy_json_out *o, const char *key); /* key NULL inside arrays and at the top */
void gy_jo_array(struct gy_json_out *o, const char *key);
void gy_jo_end(struct gy_json_out *o, char bracket); /* '}' or ']' */
void gy_jo_string(struct gy_json_out *o, const char *key,
                  const char *text);                                 /* NULL writes null; bad UTF-8 becomes U+FFFD */
void gy_jo_number(struct gy_json_out *o, const char *key, double v); /* NaN and infinities write null */
void gy_jo_integer(struct gy_json_out *o, const char *key, int64_t v);
void gy_jo_bool(struct gy_json_out *o, const char *key, bool v);
void gy_jo_value(struct gy_json_out *o, const char *key, const struct gy_json *v);
/* A line comment before the next member, which must follow; text without a line end. */
void gy_jo_comment(struct gy_json_out *o, const char *text);
/* Shortest decimal that reads back as v, as JSON and our CSVs print numbers (integers without ".0", -0 as 0; "nan",
 * "inf"); buf ≥ 32 bytes; returns the length. */
size_t gy_number_print(double v, char *buf);
#endif
