/* The JSON grammar (RFC 8259) as a scanner with errors for people. Builds no tree, keeps no values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "json_scan.h"

void gy_json_line_column(const char *text, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if ((text[i] & 0xc0) != 0x80 && text[i] != '\r') {
            ++*column;
        }
    }
}

static int fail_at(struct gy_scan *s, size_t at, const char *what)
{
    char place[sizeof s->err->place];
    size_t line, column;

    gy_json_line_column(s->text, at, &line, &column);
    column += line == 1 ? s->first_column - 1 : 0;
    snprintf(place, sizeof place, "%s:%zu:%zu", s->name, line + s->first_line - 1, column);
    return gy_fail(s->err, GY_EINPUT, place, "%s", what);
}

/* What stands at offset, in words: a short token in quotes, or the end. */
static void describe(const struct gy_scan *s, size_t at, char *buf, size_t size)
{
    size_t n = 0;

    if (at >= s->len) {
        snprintf(buf, size, "the end of the text");
        return;
    }
    unsigned char c = (unsigned char)s->text[at];
    if (c == '\n' || c == '\r') {
        snprintf(buf, size, "the end of the line");
    } else if (c < 0x20 || c == 0x7f) {
        snprintf(buf, size, "the control byte 0x%02x", c);
    } else if (c == '"') {
        snprintf(buf, size, "a string");
    } else {
        while (n < 24 && at + n < s->len && strchr(" \t\r\n,:[]{}\"", s->text[at + n]) == NULL)
            n++;
        if (n == 0)
            n = 1;
        while (at + n < s->len && (s->text[at + n] & 0xc0) == 0x80) /* not half a character */
            n++;
        snprintf(buf, size, "'%.*s'", (int)n, s->text + at);
    }
}

static void hint_at(struct gy_scan *s, size_t at)
{
    static const struct {
        const char *found, *hint;
    } words[] = {
        {"'", "strings are written in double quotes"},
        {"True", "write true"},
        {"False", "write false"},
        {"None", "write null"},
        {"nan", "write null"},
        {"NaN", "write null"},
        {"Infinity", "write null, or a large number"},
        {".", "write 0. before"},
        {"+", "write it without +"},
        {"#", "comments are written // or /* */"},
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].found);
        if (n <= s->len - at && memcmp(s->text + at, words[i].found, n) == 0) {
            gy_hint(s->err, "%s", words[i].hint);
            return;
        }
    }
}

int gy_scan_fail(struct gy_scan *s, size_t at, const char *expected)
{
    char found[64], what[256];

    describe(s, at, found, sizeof found);
    snprintf(what, sizeof what, "found %s; expected %s", found, expected);
    fail_at(s, at, what);
    if (at < s->len)
        hint_at(s, at);
    return -1;
}

void gy_scan_space(struct gy_scan *s)
{
    while (s->at < s->len && memchr(" \t\r\n", s->text[s->at], 4) != NULL)
        s->at++;
}

/* The four hex digits at offset, or -1. */
static int hex4(const char *text, size_t len, size_t at)
{
    int value = 0;

    for (size_t i = at; i < at + 4; i++) {
        const char *digits = "0123456789abcdefABCDEF", *found;
        if (i >= len || text[i] == '\0' || (found = strchr(digits, text[i])) == NULL)
            return -1;
        int digit = (int)(found - digits);
        value = value * 16 + (digit < 16 ? digit : digit - 6);
    }
    return value;
}

/* at is behind "\u"; returns the bytes of the escape that follow there, or -1. */
static int scan_unicode(struct gy_scan *s, size_t at)
{
    int high = hex4(s->text, s->len, at), low;

    if (high < 0)
        return fail_at(s, at - 2, "found \\u without four hexadecimal digits");
    if (high == 0)
        return fail_at(s, at - 2, "found \\u0000 in a string; NUL is not allowed");
    if (high < 0xd800 || high > 0xdfff)
        return 4;
    if (high > 0xdbff || at + 6 > s->len || s->text[at + 4] != '\\' || s->text[at + 5] != 'u')
        return fail_at(s, at - 2, "found half of a surrogate pair; expected \\uD8xx\\uDCxx");
    low = hex4(s->text, s->len, at + 6);
    if (low < 0xdc00 || low > 0xdfff)
        return fail_at(s, at - 2, "found half of a surrogate pair; expected \\uD8xx\\uDCxx");
    return 10;
}

int gy_scan_string(struct gy_scan *s, const char *expected)
{
    size_t start = s->at, i = s->at + 1;

    if (s->at >= s->len || s->text[s->at] != '"')
        return gy_scan_fail(s, s->at, expected);
    for (;; i++) {
        if (i >= s->len)
            return fail_at(s, start, "found a string without its closing quote");
        unsigned char c = (unsigned char)s->text[i];
        if (c == '"')
            break;
        if (c == '\n' || c == '\r')
            return fail_at(s, start, "found a string that its line does not close; a line break is written \\n");
        if (c < 0x20)
            return gy_scan_fail(s, i, "no control bytes inside a string (a tab is written \\t)");
        if (c != '\\')
            continue;
        i++;
        if (i >= s->len)
            return fail_at(s, start, "found a string without its closing quote");
        if (s->text[i] == 'u') {
            int n = scan_unicode(s, i + 1);
            if (n < 0)
                return -1;
            i += (size_t)n;
        } else if (s->text[i] == '\0' || strchr("\"\\/bfnrt", s->text[i]) == NULL) {
            return gy_scan_fail(s, i, "one of \" \\ / b f n r t u after \\");
        }
    }
    s->at = i + 1;
    return 0;
}

static size_t digits(const struct gy_scan *s, size_t at)
{
    size_t n = 0;

    while (at + n < s->len && s->text[at + n] >= '0' && s->text[at + n] <= '9')
        n++;
    return n;
}

static bool is_at(const struct gy_scan *s, size_t at, char a, char b)
{
    return at < s->len && (s->text[at] == a || s->text[at] == b);
}

/* An exponent may make a number too large; cJSON would take it for infinity. The decimal point is '.' as long as
 * nobody calls setlocale, and nobody does: cJSON depends on that too. */
static int check_range(struct gy_scan *s, size_t start, size_t n)
{
    char copy[GY_JSON_DIGITS_MOST + 1], what[128];

    memcpy(copy, s->text + start, n);
    copy[n] = '\0';
    if (isfinite(strtod(copy, NULL)))
        return 0;
    snprintf(what, sizeof what, "found %s; expected a number that a double holds, at most 1.79e308", copy);
    return fail_at(s, start, what);
}

static int scan_number(struct gy_scan *s)
{
    size_t start = s->at, i = start + (s->text[start] == '-' ? 1 : 0), n = digits(s, i);
    bool exponent = false;

    if (n == 0)
        return gy_scan_fail(s, i, "a digit after '-'");
    if (n > 1 && s->text[i] == '0')
        return gy_scan_fail(s, start, "a number without leading zeros");
    i += n;
    if (is_at(s, i, '.', '.')) {
        i++;
        if ((n = digits(s, i)) == 0)
            return gy_scan_fail(s, i, "a digit after the decimal point");
        i += n;
    }
    if (is_at(s, i, 'e', 'E')) {
        exponent = true;
        i++;
        i += is_at(s, i, '+', '-') ? 1 : 0;
        if ((n = digits(s, i)) == 0)
            return gy_scan_fail(s, i, "a digit in the exponent");
        i += n;
    }
    if (i - start > GY_JSON_DIGITS_MOST)
        return fail_at(s, start, "found a number of more than 63 characters");
    s->at = i;
    return exponent ? check_range(s, start, i - start) : 0;
}

int gy_scan_colon(struct gy_scan *s)
{
    gy_scan_space(s);
    if (s->at >= s->len || s->text[s->at] != ':')
        return gy_scan_fail(s, s->at, "':' after the key");
    s->at++;
    return 0;
}

int gy_scan_comma(struct gy_scan *s, char bracket)
{
    gy_scan_space(s);
    size_t comma = s->at;
    if (is_at(s, s->at, bracket, bracket)) {
        s->at++;
        return 0;
    }
    if (!is_at(s, s->at, ',', ','))
        return gy_scan_fail(s, s->at, bracket == ']' ? "',' or ']'" : "',' or '}'");
    s->at++;
    gy_scan_space(s);
    if (!is_at(s, s->at, ']', '}'))
        return 1;
    gy_scan_fail(s, comma, bracket == ']' ? "no comma after the last element" : "no comma after the last member");
    return gy_hint(s->err, "remove the comma");
}

static int scan_members(struct gy_scan *s, char bracket)
{
    int more = 1;

    gy_scan_space(s);
    if (is_at(s, s->at, bracket, bracket)) {
        s->at++;
        return 0;
    }
    while (more > 0) {
        gy_scan_space(s);
        if (bracket == '}' && (gy_scan_string(s, "a key in double quotes") < 0 || gy_scan_colon(s) < 0))
            return -1;
        if (gy_scan_value(s) < 0)
            return -1;
        more = gy_scan_comma(s, bracket);
    }
    return more;
}

static int scan_word(struct gy_scan *s)
{
    static const char *const words[] = {"true", "false", "null"};

    for (size_t i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if (n <= s->len - s->at && memcmp(s->text + s->at, words[i], n) == 0) {
            s->at += n;
            return 0;
        }
    }
    return gy_scan_fail(s, s->at, "a value");
}

int gy_scan_value(struct gy_scan *s)
{
    gy_scan_space(s);
    if (s->at >= s->len)
        return gy_scan_fail(s, s->at, "a value");
    char c = s->text[s->at];
    if (c == '"')
        return gy_scan_string(s, "a string");
    if (c == '-' || (c >= '0' && c <= '9'))
        return scan_number(s);
    if (c != '{' && c != '[')
        return scan_word(s);
    if (s->depth >= GY_JSON_DEPTH_MOST)
        return fail_at(s, s->at, "found more than 200 levels of nesting");
    s->at++;
    s->depth++;
    int rc = scan_members(s, c == '{' ? '}' : ']');
    s->depth--;
    return rc;
}

int gy_scan_end(struct gy_scan *s)
{
    gy_scan_space(s);
    return s->at == s->len ? 0 : gy_scan_fail(s, s->at, "the end of the text after its one value");
}
