/* Binding: JSON to a C struct by a table of gy_param rows, with every error of the document at once; and from the same
 * rows the resolved JSON (every default filled in), a draft-07 JSON Schema, and help text. */
#ifndef GY_BIND_H
#define GY_BIND_H
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_json.h"
#include "gy_param.h"

/* Fills out (sized by the caller, laid out by table) from v, the object at pointer in doc; v may be NULL for "all
 * defaults", and doc NULL when there is none. Returns 0, or -1 with diags filled; it finds all errors of the object.
 * - Unknown keys are errors with the nearest valid name. Keys that begin with "$" or "//" are ignored.
 * - null means the default. A default of "null" leaves the field absent: NULL, NaN, GY_NONE, INT64_MIN, false, -1 for a
 *   choice, an empty list, and an object of which every field is absent.
 * - Numbers are in the unit that the key's suffix names (_ns _us _ms _s _min _h _d; _kib … _tib, _kb … _tb; _mbps _gbps
 *   _tbps bytes/s, _mbit _gbit bits/s; _w _kw; _usd), else in the base unit of gy_units.h; so are range and default.
 * Where the row has a unit, a text with a unit is converted to it. A TIME is stored in nanoseconds; "never" is
 * GY_NEVER.
 * - Relative paths resolve against the folder of the file that names them (gy_json_origin); "-" stays.
 * Strings, lists and default subtrees live in arena; a GY_P_JSON value that the document has lives in the document. */
int gy_bind(const struct gy_param *table, const struct gy_json_doc *doc, const struct gy_json *v, const char *pointer,
            void *out, struct gy_arena *arena, struct gy_diags *diags);
/* Several tables over one object, each into its own struct: a key is unknown when no table has it. */
int gy_bind_many(const struct gy_param *const *tables, size_t n_tables, const struct gy_json_doc *doc,
                 const struct gy_json *v, const char *pointer, void *const *outs, struct gy_arena *arena,
                 struct gy_diags *diags);
/* Writes the members of in as JSON under the already open object of o, as resolved: defaults filled in, numbers in the
 * key's unit, paths as they were resolved. Binding what was written gives the same struct. */
void gy_bind_write(const struct gy_param *table, const void *in, struct gy_json_out *o);
/* Writes the draft-07 schema {"type": "object", "properties": …} under key (NULL inside an array and at the top). */
void gy_bind_schema(const struct gy_param *table, struct gy_json_out *o, const char *key);
void gy_bind_schema_many(const struct gy_param *const *tables, size_t n_tables, struct gy_json_out *o, const char *key);
/* One line a parameter: name, type, unit, default, range, choices, help, source; fields of objects as "a.b", of lists
 * as "a[].b". */
void gy_bind_help(const struct gy_param *table, struct gy_writer *to);
#endif
