/* Inside sim/io only: a scanner over JSON text that checks the whole grammar and can say where it stands. It builds
 * nothing; cJSON does that afterwards. Parsing, placing and streaming all use it, so they agree on what JSON is. */
#ifndef GY_JSON_SCAN_H
#define GY_JSON_SCAN_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_error.h"
#include "gy_vec.h"

#define GY_JSON_DEPTH_MOST  200
#define GY_JSON_DIGITS_MOST 63 /* characters in a number: what cJSON can hold */

struct gy_scan {
    const char *name; /* of the file, for error places */
    const char *text; /* comments already blanked */
    size_t len, at;
    size_t first_line, first_column; /* of text's first byte: 1 and 1 for a whole file */
    int depth;
    struct gy_error *err;
};

/* Replaces // and block comments outside strings by spaces (line ends stay); false, with *at its start, when a block
 * comment does not end. */
bool gy_json_blank_comments(char *text, size_t len, size_t *at);
/* 1-based line and column (in characters, not bytes) of offset. */
void gy_json_line_column(const char *text, size_t offset, size_t *line, size_t *column);

/* These return 0, or -1 with the error filled; they leave at behind what they read. */
void gy_scan_space(struct gy_scan *s);
int gy_scan_value(struct gy_scan *s);
int gy_scan_string(struct gy_scan *s, const char *expected); /* expected: in words, when it is no string */
int gy_scan_colon(struct gy_scan *s);
/* After an item: consumes ',' and returns 1, consumes the closing bracket and returns 0, or -1. */
int gy_scan_comma(struct gy_scan *s, char bracket);
int gy_scan_end(struct gy_scan *s);                                   /* nothing but space is left */
int gy_scan_fail(struct gy_scan *s, size_t at, const char *expected); /* "found …; expected …" at offset at; -1 */

/* Decodes the string at text (its opening quote) into out, NUL-ended; the scanner has accepted it before. */
bool gy_scan_decode(const char *text, char *out, size_t size);
/* One token of a pointer ("/a~1b/0" or "a.b.0") into buf; advances *p; false at its end. Tokens of more than size - 1
 * bytes are cut. */
bool gy_pointer_next(const char **p, char *buf, size_t size);
/* Appends "/token", with ~ and / escaped, to the text in pointer; cut where size ends. */
void gy_pointer_append(char *pointer, size_t size, const char *token);
#endif
