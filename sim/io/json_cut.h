/* Inside sim/io only: a cursor over a JSON file that is read once and never held; see json_stream.c. */
#ifndef GY_JSON_CUT_H
#define GY_JSON_CUT_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_error.h"
#include "gy_vec.h"

enum { GY_CUT_END = -1, GY_CUT_FAILED = -2 }; /* in the place of a byte */

struct gy_cutter {
    struct gy_input *in;
    struct gy_error *err;
    size_t line, column; /* of the next byte, from 1; columns in bytes */
    GY_VEC(char) text;   /* the value that was cut last; the owner frees it */
    size_t text_line, text_column;
    bool failed; /* the first error stays */
    size_t at, n;
    char buf[1 << 16];
};

/* The next byte, which stays; GY_CUT_END, or GY_CUT_FAILED with the error filled. */
int gy_cut_peek(struct gy_cutter *s);
/* After a peek that gave a byte: passes it and peeks at the one behind it. */
int gy_cut_advance(struct gy_cutter *s);
int gy_cut_space(struct gy_cutter *s); /* passes space and comments, then peeks */
/* Passes the value that begins at the next byte; with keep, its text is then in text, comments blanked. */
int gy_cut_value(struct gy_cutter *s, bool keep, const char *expected);
/* Errors; always -1. c is what peek gave; an error that stands already stays. */
int gy_cut_fail(struct gy_cutter *s, size_t line, size_t column, const char *what);
int gy_cut_fail_found(struct gy_cutter *s, int c, const char *expected);
#endif
