/* The row reader over libcsv. libcsv is fed line by line, so that line numbers are known; it copies a field once into
 * its own buffer, this file once more into the row's. A row whose quote never closes would swallow the rest of the
 * file: it is given up after GY_CSV_ROW_MAX bytes and the reading goes on with the line after its first, within a
 * budget. */
#include <ctype.h>
#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include "csv_rows.h"
#include "gy_vec.h"
#include "lines.h"

#define RESCAN_MAX ((size_t)1 << 28) /* bytes read again after unclosed quotes, in all; then the file is given up */

struct gy_csv {
    struct csv_parser parser;
    struct gy_lines lines;
    GY_VEC(char) text;      /* the fields, each NUL-ended */
    GY_VEC(uint32_t) start; /* of each field, and one more: the end */
    size_t fields;
    uint64_t line; /* of the row */
    size_t rows;   /* ended by the line just fed */
    bool nomem, too_many, empty_row;
    const char *why;
    size_t rescanned;
    GY_VEC(char *) names;
};

static void on_field(void *text, size_t len, void *self)
{
    struct gy_csv *c = self;

    if (c->rows > 0 || c->nomem || c->too_many)
        return;
    if (c->fields == GY_CSV_FIELDS_MAX) {
        c->too_many = true;
        return;
    }
    if (!gy_vec_reserve(&c->text, c->text.n + len + 1) || !gy_vec_reserve(&c->start, c->fields + 2)) {
        c->nomem = true;
        return;
    }
    char *to = c->text.at + c->text.n;
    if (len > 0)
        memcpy(to, text, len);
    to[len] = '\0';
    c->text.n += len + 1;
    c->start.at[++c->fields] = (uint32_t)c->text.n;
}

static void on_row(int by, void *self)
{
    struct gy_csv *c = self;

    (void)by;
    c->rows++;
}

struct gy_csv *gy_csv_new(struct gy_input *in, char delimiter, struct gy_error *err)
{
    struct gy_csv *c = calloc(1, sizeof *c);

    if (c == NULL || csv_init(&c->parser, 0) != 0) {
        free(c);
        gy_nomem(err);
        return NULL;
    }
    csv_set_delim(&c->parser, (unsigned char)delimiter);
    csv_set_blk_size(&c->parser, 1024);
    gy_lines_init(&c->lines, in);
    if (!gy_vec_reserve(&c->start, 64) || !gy_vec_reserve(&c->text, 1024)) {
        gy_csv_free(c);
        gy_nomem(err);
        return NULL;
    }
    c->start.at[0] = 0;
    return c;
}

void gy_csv_free(struct gy_csv *c)
{
    if (c == NULL)
        return;
    csv_free(&c->parser);
    gy_lines_free(&c->lines);
    gy_vec_free(&c->text);
    gy_vec_free(&c->start);
    for (size_t i = 0; i < c->names.n; i++)
        free(c->names.at[i]);
    gy_vec_free(&c->names);
    free(c);
}

static bool blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] != '\n' && text[i] != '\r' && text[i] != ' ')
            return false;
    return true;
}

static void ignore_field(void *text, size_t len, void *self)
{
    (void)text;
    (void)len;
    (void)self;
}

/* Gives the row up: what libcsv holds of it is thrown away, and reading goes on after its first line. */
static int give_up(struct gy_csv *c, size_t first_len, struct gy_error *err)
{
    csv_fini(&c->parser, ignore_field, NULL, c);
    c->rescanned += gy_lines_kept(&c->lines) - first_len;
    gy_lines_back(&c->lines, first_len, c->line);
    if (c->rescanned > RESCAN_MAX) {
        char place[512];
        snprintf(place, sizeof place, "%s:%llu", gy_input_name(c->lines.in), (unsigned long long)c->line);
        return gy_fail(err, GY_EINPUT, place, "too many quotes that are never closed; given up");
    }
    c->why = "a quote is never closed";
    return 2;
}

static int verdict(struct gy_csv *c, struct gy_error *err)
{
    if (c->nomem)
        return gy_nomem(err);
    if (c->too_many || c->rows > 1) {
        c->why = c->too_many ? "too many fields" : "a carriage return inside the line";
        return 2;
    }
    return 1;
}

static int feed(struct gy_csv *c, const char *text, size_t len, struct gy_error *err)
{
    if (csv_parse(&c->parser, text, len, on_field, on_row, c) != len)
        return gy_nomem(err); /* the parser is not strict: nothing else can fail */
    return 0;
}

int gy_csv_next(struct gy_csv *c, struct gy_error *err)
{
    const char *text;
    size_t len, first_len = 0;
    int got;

    c->fields = c->rows = c->text.n = 0;
    c->nomem = c->too_many = false;
    do {
        got = gy_lines_next(&c->lines, false, &text, &len, err);
        if (got <= 0)
            return got;
        if (c->lines.line == 1 && len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
            text += 3;
            len -= 3;
        }
    } while (blank(text, len));
    c->line = c->lines.line;
    first_len = gy_lines_kept(&c->lines);
    for (;;) {
        if (feed(c, text, len, err) < 0)
            return -1;
        if (c->rows == 0 && text[len - 1] != '\n' && feed(c, "\n", 1, err) < 0)
            return -1;
        if (c->rows > 0)
            return verdict(c, err);
        if (gy_lines_kept(&c->lines) > GY_CSV_ROW_MAX)
            return give_up(c, first_len, err);
        got = gy_lines_next(&c->lines, true, &text, &len, err);
        if (got < 0)
            return -1;
        if (got == 0)
            return give_up(c, first_len, err);
    }
}

const char *gy_csv_why(const struct gy_csv *c)
{
    return c->why;
}

size_t gy_csv_fields(const struct gy_csv *c)
{
    return c->fields;
}

struct gy_field gy_csv_field(const struct gy_csv *c, size_t i)
{
    if (i >= c->fields)
        return (struct gy_field){"", 0};
    return (struct gy_field){c->text.at + c->start.at[i], c->start.at[i + 1] - c->start.at[i] - 1};
}

uint64_t gy_csv_line(const struct gy_csv *c)
{
    return c->line;
}

int gy_csv_header(struct gy_csv *c, struct gy_error *err)
{
    int got = gy_csv_next(c, err);
    char place[512];

    if (got < 0)
        return -1;
    snprintf(place, sizeof place, "%s:%llu", gy_input_name(c->lines.in), (unsigned long long)(got == 0 ? 1 : c->line));
    if (got == 0)
        return gy_fail(err, GY_EINPUT, place, "the file is empty; a header line was expected");
    if (got == 2)
        return gy_fail(err, GY_EINPUT, place, "the header line cannot be read: %s", c->why);
    for (size_t i = 0; i < c->fields; i++) {
        char *name = strdup(gy_csv_field(c, i).at);
        if (name == NULL || !gy_vec_push(&c->names, name)) {
            free(name);
            return gy_nomem(err);
        }
    }
    return 0;
}

size_t gy_csv_columns(const struct gy_csv *c)
{
    return c->names.n;
}

const char *gy_csv_column_name(const struct gy_csv *c, size_t i)
{
    return c->names.at[i];
}

int gy_csv_column(const struct gy_csv *c, const char *name)
{
    for (size_t i = 0; i < c->names.n; i++)
        if (strcmp(c->names.at[i], name) == 0)
            return (int)i;
    for (size_t i = 0; i < c->names.n; i++)
        if (strcasecmp(c->names.at[i], name) == 0)
            return (int)i;
    return -1;
}

char gy_csv_guess(const char *bytes, size_t n)
{
    static const char choices[] = ",;\t|";
    size_t best = 0, count[sizeof choices] = {0};
    bool quoted = false;

    for (size_t i = 0; i < n && (quoted || bytes[i] != '\n'); i++) {
        const char *at = memchr(choices, bytes[i], sizeof choices - 1);
        if (bytes[i] == '"')
            quoted = !quoted;
        else if (at != NULL && !quoted)
            count[at - choices]++;
    }
    for (size_t i = 1; i < sizeof choices - 1; i++)
        if (count[i] > count[best])
            best = i;
    return choices[best];
}
