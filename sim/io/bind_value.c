/* One JSON value into one field of a struct, by its parameter's row. Objects and lists of objects are bind.c's. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "bind_row.h"
#include "gy_file.h"
#include "json_doc.h"

#define CHOICES_MOST 128
#define WHY_SIZE     128

void gy_bind_describe(const struct gy_json *v, char *buf, size_t size)
{
    const char *text = gy_json_string(v);
    char shown[64], number[32];

    if (text != NULL) {
        gy_visible(text, strlen(text), shown, sizeof shown);
        snprintf(buf, size, "\"%s\"", shown);
    } else if (gy_json_type(v) == GY_J_NUMBER) {
        gy_number_print(gy_json_number(v), number);
        snprintf(buf, size, "%s", number);
    } else if (gy_json_type(v) == GY_J_BOOL) {
        snprintf(buf, size, "%s", gy_json_true(v) ? "true" : "false");
    } else {
        snprintf(buf, size, "%s", gy_json_type_name(v));
    }
}

static void wrong(struct gy_bind *b, const struct gy_bind_at *at, const struct gy_json *v, const char *expected)
{
    char found[80];

    gy_bind_describe(v, found, sizeof found);
    gy_bind_fail(b, at, "", "found %s; expected %s", found, expected);
}

/* The unit behind a number in a message; a ratio has no unit to tell. */
static const char *shown_unit(const struct gy_param *row)
{
    return row->unit == GY_U_RATIO ? "" : gy_key_unit(row).name;
}

/* "at least 0 s", "between 1 and 8"; range is of row, values in the key's unit. */
static void describe_range(const struct gy_param *row, char *buf, size_t size)
{
    const char *unit = shown_unit(row), *gap = unit[0] == '\0' ? "" : " ";
    char low[32], high[32];

    gy_number_print(row->min, low);
    gy_number_print(row->max, high);
    if (!(row->max < 1e300))
        snprintf(buf, size, "at least %s%s%s", low, gap, unit);
    else if (!(row->min > -1e300))
        snprintf(buf, size, "at most %s%s%s", high, gap, unit);
    else
        snprintf(buf, size, "between %s and %s%s%s", low, high, gap, unit);
}

static bool in_range(struct gy_bind *b, const struct gy_param *row, double value, const struct gy_json *v,
                     const struct gy_bind_at *at)
{
    char range[96];

    if ((row->min == 0 && row->max == 0) || (value >= row->min && value <= row->max))
        return true;
    describe_range(row, range, sizeof range);
    wrong(b, at, v, range);
    return false;
}

static const char *unit_examples(enum gy_unit unit)
{
    switch (unit) {
    case GY_U_TIME:
        return " or a text such as \"1.5h\"";
    case GY_U_BYTES:
        return " or a text such as \"80GiB\"";
    case GY_U_BYTES_PER_S:
        return " or a text such as \"400Gbit/s\"";
    case GY_U_WATT:
        return " or a text such as \"1.5kW\"";
    case GY_U_USD:
        return " or a text such as \"2.5USD\"";
    case GY_U_RATIO:
        return " or a text such as \"85%\"";
    default:
        return "";
    }
}

static void wrong_number(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                         const struct gy_bind_at *at)
{
    char expected[128];
    const char *unit = shown_unit(row);

    snprintf(expected, sizeof expected, "a %s%s%s%s", row->type == GY_P_INT ? "whole number" : "number",
             unit[0] == '\0' ? "" : " in ", unit, unit_examples(row->type == GY_P_TIME ? GY_U_TIME : row->unit));
    wrong(b, at, v, expected);
}

/* A text without a unit is a number in the key's unit, like the bare number that it shows. */
static bool is_bare(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && gy_number_len(text, n) == n;
}

/* Times go through exact nanoseconds where these can hold them, so that "7us" under a _us key is 7. */
static double in_key_unit(const char *text, enum gy_unit unit, double base, struct gy_key_unit key)
{
    double value = base * key.over / key.times, exact;
    char why[WHY_SIZE];
    gy_time t;

    if (unit != GY_U_TIME || !gy_units_parse_time(text, &t, why))
        return value;
    exact = (double)t / (double)key.ns;
    return fabs(exact - value) <= 1e-12 * fabs(value) ? exact : value;
}

/* v as a number in the key's unit. */
static bool number_of(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                      const struct gy_bind_at *at, double *out)
{
    const char *text = gy_json_string(v);
    char why[WHY_SIZE];

    *out = gy_json_number(v);
    if (gy_json_type(v) == GY_J_NUMBER)
        return true;
    if (text == NULL || row->unit == GY_U_NONE) {
        wrong_number(b, row, v, at);
        return false;
    }
    if (!gy_units_parse(text, row->unit, out, why)) {
        gy_bind_fail(b, at, "", "%s", why);
        return false;
    }
    if (!is_bare(text))
        *out = in_key_unit(text, row->unit, *out, gy_key_unit(row));
    return true;
}

static void bind_number(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                        const struct gy_bind_at *at, void *field)
{
    double value;

    if (!number_of(b, row, v, at, &value))
        return;
    if (row->type == GY_P_INT && !(value == trunc(value) && fabs(value) <= 0x1p53)) {
        wrong(b, at, v, fabs(value) > 0x1p53 ? "a whole number of at most 2^53" : "a whole number");
        return;
    }
    if (!in_range(b, row, value, v, at))
        return;
    if (row->type == GY_P_INT)
        *(int64_t *)field = (int64_t)value;
    else
        *(double *)field = value;
}

static void bind_time(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                      const struct gy_bind_at *at, gy_time *field)
{
    const char *text = gy_json_string(v);
    gy_time unit = gy_key_unit(row).ns, t;
    char why[WHY_SIZE] = "", number[32];

    if (text != NULL && strcmp(text, "never") == 0) {
        if (in_range(b, row, INFINITY, v, at))
            *field = GY_NEVER;
        return;
    }
    if (text == NULL && gy_json_type(v) != GY_J_NUMBER) {
        wrong_number(b, row, v, at);
        return;
    }
    if (text == NULL || is_bare(text)) {
        if (text == NULL) {
            gy_number_print(gy_json_number(v), number);
            text = number;
        }
        if (!gy_time_parse_in(text, strlen(text), unit, &t)) {
            wrong(b, at, v, "a time of at most about 145 years");
            return;
        }
    } else if (!gy_units_parse_time(text, &t, why)) {
        gy_bind_fail(b, at, "", "%s", why);
        return;
    }
    if (in_range(b, row, (double)t / (double)unit, v, at))
        *field = t;
}

static void bind_text(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                      const struct gy_bind_at *at, const char **field)
{
    const char *text = gy_json_string(v), *base = NULL;
    char path[4096], pointer[1024];

    if (text == NULL) {
        wrong(b, at, v, row->type == GY_P_PATH ? "a path as a string" : "a string");
        return;
    }
    if (row->type == GY_P_PATH) {
        gy_bind_pointer(at, pointer, sizeof pointer);
        if (b->doc != NULL)
            base = gy_json_origin(b->doc, pointer);
        if (!gy_path_resolve(base, text, path, sizeof path)) {
            gy_bind_fail(b, at, "", "found a path of %zu bytes; expected at most %zu", strlen(text), sizeof path - 1);
            return;
        }
        text = path;
    }
    *field = gy_arena_strndup(b->arena, text, strlen(text));
    if (*field == NULL)
        gy_bind_nomem(b);
}

static void bind_choice(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                        const struct gy_bind_at *at, int *field)
{
    char names[CHOICES_MOST][48], list[512] = "", hint[96] = "", found[80];
    const char *text = gy_json_string(v), *all[CHOICES_MOST], *near;
    size_t n = 0, used = 0;

    for (; n < CHOICES_MOST && gy_choice(row->choices, n, names[n], sizeof names[n]); n++) {
        all[n] = names[n];
        if (text != NULL && strcmp(text, names[n]) == 0) {
            *field = (int)n;
            return;
        }
        if (used + sizeof names[n] + 2 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.47s", n == 0 ? "" : ", ", names[n]);
    }
    near = text == NULL ? NULL : gy_nearest(text, all, n);
    if (near != NULL)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", near);
    gy_bind_describe(v, found, sizeof found);
    gy_bind_fail(b, at, hint, n == 1 ? "found %s; expected %s" : "found %s; expected one of %s", found, list);
}

static void bind_texts(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v,
                       const struct gy_bind_at *at, struct gy_texts *field)
{
    size_t n = gy_json_count(v), i = 0;

    if (gy_json_type(v) != GY_J_ARRAY) {
        wrong(b, at, v, "an array of strings");
        return;
    }
    const char **all = gy_arena_alloc(b->arena, n * sizeof *all);
    if (all == NULL) {
        gy_bind_nomem(b);
        return;
    }
    for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c), i++) {
        struct gy_bind_at here = {.up = at, .index = i};
        struct gy_param one = {.name = row->name, .type = GY_P_TEXT};
        bind_text(b, &one, c, &here, &all[i]);
    }
    if (gy_bind_length(b, row, n, at))
        *field = (struct gy_texts){all, n};
}

bool gy_bind_length(struct gy_bind *b, const struct gy_param *row, size_t n, const struct gy_bind_at *at)
{
    struct gy_param plain = *row;
    char range[96];

    if ((row->min == 0 && row->max == 0) || ((double)n >= row->min && (double)n <= row->max))
        return true;
    plain.unit = GY_U_NONE;
    describe_range(&plain, range, sizeof range);
    gy_bind_fail(b, at, "", "found %zu element%s; expected %s", n, n == 1 ? "" : "s", range);
    return false;
}

void gy_bind_scalar(struct gy_bind *b, const struct gy_param *row, const struct gy_json *v, const struct gy_bind_at *at,
                    void *field)
{
    switch (row->type) {
    case GY_P_BOOL:
        if (gy_json_type(v) == GY_J_BOOL)
            *(bool *)field = gy_json_true(v);
        else
            wrong(b, at, v, "true or false");
        break;
    case GY_P_INT:
    case GY_P_REAL:
        bind_number(b, row, v, at, field);
        break;
    case GY_P_TIME:
        bind_time(b, row, v, at, field);
        break;
    case GY_P_TEXT:
    case GY_P_PATH:
        bind_text(b, row, v, at, field);
        break;
    case GY_P_CHOICE:
        bind_choice(b, row, v, at, field);
        break;
    case GY_P_TEXTS:
        bind_texts(b, row, v, at, field);
        break;
    default:
        *(const struct gy_json **)field = v;
        break;
    }
}
