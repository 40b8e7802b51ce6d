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

struct span {
    uint32_t start, len;
};

struct gy_csv {
    struct csv_parser parser;
    struct gy_lines lines;
    char delimiter;
    GY_VEC(char) text;      /* the fields that libcsv gave, each NUL-ended */
    GY_VEC(struct span) at; /* of each field in base */
    const char *base;       /* text, or the line itself */
    size_t fields;
    uint64_t line; /* of the row */
    size_t rows;   /* ended by the line just fed */
    bool nomem, too_many;
    const char *why;
    size_t rescanned;
    GY_VEC(char *) names;
};

static bool add_field(struct gy_csv *c, size_t start, size_t len)
{
    if (c->fields == GY_CSV_FIELDS_MAX) {
        c->too_many = true;
        return false;
    }
    if (!gy_vec_reserve(&c->at, c->fields + 1)) {
        c->nomem = true;
        return false;
    }
    c->at.at[c->fields++] = (struct span){(uint32_t)start, (uint32_t)len};
    return true;
}

static void on_field(void *text, size_t len, void *self)
{
    struct gy_csv *c = self;

    if (c->rows > 0 || c->nomem || c->too_many)
        return;
    if (!gy_vec_reserve(&c->text, c->text.n + len + 1)) {
        c->nomem = true;
        return;
    }
    if (!add_field(c, c->text.n, len))
        return;
    char *to = c->text.at + c->text.n;
    if (len > 0)
        memcpy(to, text, len);
    to[len] = '\0';
    c->text.n += len + 1;
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
    c->delimiter = delimiter;
    gy_lines_init(&c->lines, in);
    return c;
}

void gy_csv_free(struct gy_csv *c)
{
    if (c == NULL)
        return;
    csv_free(&c->parser);
    gy_lines_free(&c->lines);
    gy_vec_free(&c->text);
    gy_vec_free(&c->at);
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

static bool is_blank(const struct gy_csv *c, char x)
{
    return (x == ' ' || x == '\t') && x != c->delimiter;
}

/* A line without quotes, its line end cut off, into fields in place. */
static int cut(struct gy_csv *c, char *text, size_t len, struct gy_error *err)
{
    c->base = text;
    for (size_t from = 0; from <= len;) {
        const char *next = memchr(text + from, c->delimiter, len - from);
        size_t to = next != NULL ? (size_t)(next - text) : len, end = to;
        while (from < end && is_blank(c, text[from]))
            from++;
        while (end > from && is_blank(c, text[end - 1]))
            end--;
        if (!add_field(c, from, end - from))
            break;
        text[end] = '\0';
        from = to + 1;
    }
    return verdict(c, err);
}

/* A row that one line without quotes or stray carriage returns is; false: libcsv must look at it. */
static bool plain(struct gy_csv *c, char *text, size_t len, struct gy_error *err, int *got)
{
    if (text[len - 1] != '\n' || memchr(text, '"', len) != NULL)
        return false;
    len -= len > 1 && text[len - 2] == '\r' ? 2 : 1;
    if (memchr(text, '\r', len) != NULL)
        return false;
    *got = cut(c, text, len, err);
    return true;
}

int gy_csv_next(struct gy_csv *c, struct gy_error *err)
{
    char *text;
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
    if (plain(c, text, len, err, &got))
        return got;
    for (;;) {
        if (feed(c, text, len, err) < 0)
            return -1;
        if (c->rows == 0 && text[len - 1] != '\n' && feed(c, "\n", 1, err) < 0)
            return -1;
        c->base = c->text.at;
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
    return (struct gy_field){c->base + c->at.at[i].start, c->at.at[i].len};
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
