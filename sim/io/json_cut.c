/* Cutting one value's text out of a JSON file that is read once: space, comments, strings and brackets, no grammar. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "json_cut.h"
#include "json_scan.h"

#define ELEMENT_MOST ((size_t)64 << 20)

int gy_cut_fail(struct gy_cutter *s, size_t line, size_t column, const char *what)
{
    char place[sizeof s->err->place];

    s->failed = true;
    snprintf(place, sizeof place, "%s:%zu:%zu", gy_input_name(s->in), line, column);
    return gy_fail(s->err, GY_EINPUT, place, "%s", what);
}

int gy_cut_fail_found(struct gy_cutter *s, int c, const char *expected)
{
    char what[256];

    if (c == GY_CUT_FAILED) /* the error stands */
        return -1;
    if (c == GY_CUT_END)
        snprintf(what, sizeof what, "found the end of the text, which may be truncated; expected %s", expected);
    else if (c < 0x20 || c > 0x7e)
        snprintf(what, sizeof what, "found the byte 0x%02x; expected %s", (unsigned)c, expected);
    else
        snprintf(what, sizeof what, "found '%c'; expected %s", c, expected);
    return gy_cut_fail(s, s->line, s->column, what);
}

int gy_cut_peek(struct gy_cutter *s)
{
    if (s->failed)
        return GY_CUT_FAILED;
    if (s->at == s->n) {
        long n = gy_input_read(s->in, s->buf, sizeof s->buf, s->err);
        s->failed = n < 0;
        if (n <= 0)
            return n == 0 ? GY_CUT_END : GY_CUT_FAILED;
        s->at = 0;
        s->n = (size_t)n;
    }
    return (unsigned char)s->buf[s->at];
}

static void count(struct gy_cutter *s, char c)
{
    if (c == '\n') {
        s->line++;
        s->column = 1;
    } else {
        s->column++;
    }
}

int gy_cut_advance(struct gy_cutter *s)
{
    count(s, s->buf[s->at++]);
    return gy_cut_peek(s);
}

/* At '/': passes a comment. Returns the byte behind it, or GY_CUT_FAILED. */
static int skip_comment(struct gy_cutter *s)
{
    size_t line = s->line, column = s->column;
    int c = gy_cut_advance(s);

    if (c == '/') {
        while (c >= 0 && c != '\n')
            c = gy_cut_advance(s);
        return c;
    }
    if (c != '*') {
        gy_cut_fail_found(s, c, "a comment after '/'");
        return GY_CUT_FAILED;
    }
    c = gy_cut_advance(s);
    for (int before = 0; c >= 0; c = gy_cut_advance(s)) {
        if (before == '*' && c == '/')
            return gy_cut_advance(s);
        before = c;
    }
    if (c == GY_CUT_END)
        gy_cut_fail(s, line, column, "found a comment without its closing */");
    return GY_CUT_FAILED;
}

int gy_cut_space(struct gy_cutter *s)
{
    int c = gy_cut_peek(s);

    while (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '/')
        c = c == '/' ? skip_comment(s) : gy_cut_advance(s);
    return c;
}

enum where { PLAIN, STRING, ESCAPE, SLASH, LINE_COMMENT, BLOCK_COMMENT, STAR };

struct cut {
    enum where where;
    size_t depth;
    bool word; /* neither object, array nor string: ends before what cannot be in it */
    bool done, comments;
};

/* Whether a byte outside strings and comments belongs to the value; sets done where it is the last. */
static bool plain_step(struct cut *cut, char c)
{
    if (cut->word)
        return !(cut->done = memchr(" \t\r\n,:[]{}\"/", c, 13) != NULL);
    if (c == '"')
        cut->where = STRING;
    else if (c == '/')
        cut->where = SLASH;
    else if (c == '{' || c == '[')
        cut->depth++;
    else if (c == '}' || c == ']')
        cut->done = --cut->depth == 0;
    return true;
}

static bool step(struct cut *cut, char c)
{
    switch (cut->where) {
    case PLAIN:
        return plain_step(cut, c);
    case STRING:
        if (c == '"' || c == '\n') { /* a line end is an error that the scanner then names */
            cut->where = PLAIN;
            cut->done = cut->depth == 0 || c == '\n';
        } else if (c == '\\') {
            cut->where = ESCAPE;
        }
        return true;
    case ESCAPE:
        cut->where = STRING;
        return true;
    case SLASH:
        cut->where = c == '/' ? LINE_COMMENT : c == '*' ? BLOCK_COMMENT : PLAIN;
        cut->comments |= cut->where != PLAIN;
        return cut->where == PLAIN ? plain_step(cut, c) : true;
    case LINE_COMMENT:
        cut->where = c == '\n' ? PLAIN : LINE_COMMENT;
        return true;
    case BLOCK_COMMENT:
    case STAR:
        cut->where = c == '*' ? STAR : cut->where == STAR && c == '/' ? PLAIN : BLOCK_COMMENT;
        return true;
    }
    return false;
}

static int keep_run(struct gy_cutter *s, size_t from)
{
    size_t n = s->at - from;

    if (s->text.n + n > ELEMENT_MOST)
        return gy_cut_fail(s, s->text_line, s->text_column, "found an element of more than 64 MiB");
    if (!gy_vec_reserve(&s->text, s->text.n + n + 1))
        return gy_nomem(s->err);
    memcpy(s->text.at + s->text.n, s->buf + from, n);
    s->text.n += n;
    return 0;
}

int gy_cut_value(struct gy_cutter *s, bool keep, const char *expected)
{
    struct cut cut = {0};
    int c = gy_cut_space(s);

    s->text_line = s->line;
    s->text_column = s->column;
    gy_vec_clear(&s->text);
    if (c < 0 || strchr(",:]}", c) != NULL)
        return gy_cut_fail_found(s, c, expected);
    cut.word = strchr("{[\"", c) == NULL;
    while (!cut.done && (c = gy_cut_peek(s)) >= 0) {
        size_t from = s->at;
        while (s->at < s->n && !cut.done && step(&cut, s->buf[s->at]))
            count(s, s->buf[s->at++]);
        if (keep && keep_run(s, from) < 0)
            return -1;
    }
    if (c == GY_CUT_FAILED)
        return -1;
    if (c == GY_CUT_END && !cut.word)
        return gy_cut_fail(s, s->text_line, s->text_column,
                           "the text ends inside the value that begins here; is it truncated?");
    if (keep && cut.comments) {
        size_t ignored;
        gy_json_blank_comments(s->text.at, s->text.n, &ignored);
    }
    return 0;
}
