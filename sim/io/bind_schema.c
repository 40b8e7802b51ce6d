/* Parameter rows as JSON Schema (draft-07) and as help text. Both say what bind.c does; neither is read back. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bind_row.h"
#include "gy_file.h"

static void write_schema(const struct gy_param *const *tables, size_t n, struct gy_json_out *o);

/* A row's default, or NULL; free it. */
static struct gy_json_doc *preset_of(const struct gy_param *row)
{
    struct gy_error ignored;

    return row->preset == NULL ? NULL : gy_json_parse(row->name, row->preset, strlen(row->preset), &ignored);
}

static const char *type_of(const struct gy_param *row)
{
    switch (row->type) {
    case GY_P_BOOL:
        return "boolean";
    case GY_P_INT:
        return "integer";
    case GY_P_REAL:
    case GY_P_TIME:
        return "number";
    case GY_P_OBJECT:
        return "object";
    case GY_P_LIST:
    case GY_P_TEXTS:
        return "array";
    default:
        return "string";
    }
}

/* The type or types: a number with a unit may be a text, and what has a default may be null. */
static void write_type(const struct gy_param *row, struct gy_json_out *o)
{
    bool text = row->type == GY_P_TIME || ((row->type == GY_P_INT || row->type == GY_P_REAL) && row->unit != GY_U_NONE);

    if (row->type == GY_P_JSON)
        return;
    if (!text && row->preset == NULL) {
        gy_jo_string(o, "type", type_of(row));
        return;
    }
    gy_jo_array(o, "type");
    gy_jo_string(o, NULL, type_of(row));
    if (text)
        gy_jo_string(o, NULL, "string");
    if (row->preset != NULL)
        gy_jo_string(o, NULL, "null");
    gy_jo_end(o, ']');
}

static void write_description(const struct gy_param *row, struct gy_json_out *o)
{
    const char *unit = gy_key_unit(row).name, *help = row->help == NULL ? "" : row->help;
    bool source = row->source != NULL && row->source[0] != '\0';
    char text[2048];

    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", help, unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "",
             source ? " Source: " : "", source ? row->source : "", source ? "." : "");
    if (text[0] != '\0')
        gy_jo_string(o, "description", text[0] == ' ' ? text + 1 : text);
}

static void write_range(const struct gy_param *row, struct gy_json_out *o)
{
    bool array = row->type == GY_P_LIST || row->type == GY_P_TEXTS;
    bool number = row->type == GY_P_INT || row->type == GY_P_REAL || row->type == GY_P_TIME;

    if ((row->min == 0 && row->max == 0) || (!array && !number))
        return;
    if (row->min > -1e300)
        gy_jo_number(o, array ? "minItems" : "minimum", row->min);
    if (row->max < 1e300)
        gy_jo_number(o, array ? "maxItems" : "maximum", row->max);
}

static void write_choices(const struct gy_param *row, struct gy_json_out *o)
{
    char name[48];

    gy_jo_array(o, "enum");
    for (size_t i = 0; gy_choice(row->choices, i, name, sizeof name); i++)
        gy_jo_string(o, NULL, name);
    if (row->preset != NULL)
        gy_jo_string(o, NULL, NULL);
    gy_jo_end(o, ']');
}

static void write_row(const struct gy_param *row, struct gy_json_out *o)
{
    struct gy_json_doc *preset = preset_of(row);

    gy_jo_object(o, row->name);
    write_type(row, o);
    write_description(row, o);
    if (preset != NULL)
        gy_jo_value(o, "default", gy_json_root(preset));
    gy_json_free(preset);
    write_range(row, o);
    if (row->type == GY_P_CHOICE)
        write_choices(row, o);
    if (row->type == GY_P_OBJECT)
        write_schema(&row->fields, 1, o);
    if (row->type == GY_P_LIST || row->type == GY_P_TEXTS) {
        gy_jo_object(o, "items");
        gy_jo_string(o, "type", row->type == GY_P_LIST ? "object" : "string");
        if (row->type == GY_P_LIST)
            write_schema(&row->fields, 1, o);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, '}');
}

static void write_required(const struct gy_param *const *tables, size_t n, struct gy_json_out *o)
{
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        for (const struct gy_param *row = tables[i]; row->name != NULL; row++) {
            if (row->preset != NULL)
                continue;
            if (!any)
                gy_jo_array(o, "required");
            any = true;
            gy_jo_string(o, NULL, row->name);
        }
    }
    if (any)
        gy_jo_end(o, ']');
}

/* The members of an object's schema that follow its type. */
static void write_schema(const struct gy_param *const *tables, size_t n, struct gy_json_out *o)
{
    gy_jo_object(o, "properties");
    for (size_t i = 0; i < n; i++)
        for (const struct gy_param *row = tables[i]; row->name != NULL; row++)
            write_row(row, o);
    gy_jo_end(o, '}');
    write_required(tables, n, o);
    gy_jo_object(o, "patternProperties"); /* what binding ignores */
    gy_jo_object(o, "^(\\$|//)");
    gy_jo_end(o, '}');
    gy_jo_end(o, '}');
    gy_jo_bool(o, "additionalProperties", false);
}

void gy_bind_schema_many(const struct gy_param *const *tables, size_t n_tables, struct gy_json_out *o, const char *key)
{
    bool top = o->depth == 0;

    gy_jo_object(o, key);
    if (top)
        gy_jo_string(o, "$schema", "http://json-schema.org/draft-07/schema#");
    gy_jo_string(o, "type", "object");
    write_schema(tables, n_tables, o);
    gy_jo_end(o, '}');
}

void gy_bind_schema(const struct gy_param *table, struct gy_json_out *o, const char *key)
{
    gy_bind_schema_many(&table, 1, o, key);
}

static void help_range(const struct gy_param *row, struct gy_writer *to)
{
    char low[32], high[32];

    if (row->min == 0 && row->max == 0)
        return;
    gy_number_print(row->min, low);
    gy_number_print(row->max, high);
    if (!(row->max < 1e300))
        gy_writer_printf(to, ", at least %s", low);
    else if (!(row->min > -1e300))
        gy_writer_printf(to, ", at most %s", high);
    else
        gy_writer_printf(to, ", %s to %s", low, high);
}

static void help_table(const struct gy_param *table, const char *prefix, int depth, struct gy_writer *to)
{
    static const char *const types[] = {
        [GY_P_BOOL] = "true or false", [GY_P_INT] = "whole number", [GY_P_REAL] = "number",    [GY_P_TIME] = "time",
        [GY_P_TEXT] = "string",        [GY_P_PATH] = "path",        [GY_P_CHOICE] = "choice",  [GY_P_TEXTS] = "strings",
        [GY_P_OBJECT] = "object",      [GY_P_LIST] = "list",        [GY_P_JSON] = "any value",
    };
    char inner[256];

    for (const struct gy_param *row = table; row->name != NULL; row++) {
        const char *unit = gy_key_unit(row).name;
        gy_writer_printf(to, "%s%s: %s", prefix, row->name, types[row->type]);
        if (unit[0] != '\0')
            gy_writer_printf(to, " in %s", unit);
        if (row->preset == NULL)
            gy_writer_text(to, ", required");
        else
            gy_writer_printf(to, ", default %s", strcmp(row->preset, "null") == 0 ? "none" : row->preset);
        help_range(row, to);
        if (row->type == GY_P_CHOICE)
            gy_writer_printf(to, ", one of %s", row->choices);
        gy_writer_printf(to, ". %s", row->help == NULL ? "" : row->help);
        if (row->source != NULL && row->source[0] != '\0')
            gy_writer_printf(to, " (%s)", row->source);
        gy_writer_text(to, "\n");
        if ((row->type != GY_P_OBJECT && row->type != GY_P_LIST) || depth >= 8)
            continue;
        snprintf(inner, sizeof inner, "%.150s%.80s%s.", prefix, row->name, row->type == GY_P_LIST ? "[]" : "");
        help_table(row->fields, inner, depth + 1, to);
    }
}

void gy_bind_help(const struct gy_param *table, struct gy_writer *to)
{
    help_table(table, "", 0, to);
}
