/* Binding: JSON to a C struct by a table of gy_param rows, with every error of the document at once; and from the same
 * rows the resolved JSON (every default filled in), a draft-07 JSON Schema, and help text. */
#ifndef GY_BIND_H
#define GY_BIND_H
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_json.h"
#include "gy_param.h"

/* Fills out (sized by the caller, laid out by table) from the object at pointer in doc; v may be NULL for "all defaults".
 * Unknown keys are errors with the nearest valid name. Paths resolve against the document's own folder. Strings live in arena. Returns 0, or -1 with diags filled. */
int gy_bind(const struct gy_param *table, const struct gy_json_doc *doc, const struct gy_json *v, const char *pointer,
            void *out, struct gy_arena *arena, struct gy_diags *diags);
/* Writes the members of in as JSON under the already open object of o. */
void gy_bind_write(const struct gy_param *table, const void *in, struct gy_json_out *o);
/* Writes {"type": "object", "properties": …} for the table under key (NULL at the top). */
void gy_bind_schema(const struct gy_param *table, struct gy_json_out *o, const char *key);
/* One line a parameter: name, unit, default, range, source, help. */
void gy_bind_help(const struct gy_param *table, struct gy_writer *to);
#endif
