/* Errors are values: code, place, message, hint. A function that can fail takes a struct gy_error * (never NULL),
 * returns 0 or -1, and fills the error by gy_fail, so that failing is one line. Nothing below main exits. */
#ifndef GY_ERROR_H
#define GY_ERROR_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GY_CODES(X)                                                                                                    \
    X(GY_OK, 0, "done")                                                                                                \
    X(GY_ECHECK, 1, "a check or threshold failed")                                                                     \
    X(GY_EINPUT, 2, "the input is wrong")                                                                              \
    X(GY_EUSAGE, 2, "the command line is wrong")                                                                       \
    X(GY_EIO, 3, "the machine failed")                                                                                 \
    X(GY_ENOMEM, 3, "out of memory")                                                                                   \
    X(GY_EINTERNAL, 3, "a bug in gpuyard")

enum gy_code {
#define X(code, status, text) code,
    GY_CODES(X)
#undef X
};

struct gy_error {
    enum gy_code code;
    char place[512]; /* file:line:column, or a JSON pointer, or "" */
    char what[768];  /* what was found and what was expected */
    char hint[384];  /* what to do, or "" */
};

/* Always returns -1. place may be NULL. */
int gy_fail(struct gy_error *err, enum gy_code code, const char *place, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int gy_nomem(struct gy_error *err); /* GY_ENOMEM; returns -1 */
/* Adds a hint to an error already filled; returns -1 as well. */
int gy_hint(struct gy_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int gy_exit_status(enum gy_code code);
const char *gy_code_text(enum gy_code code);
/* "place: what; hint" with control bytes made visible, one line, newline included. */
void gy_error_print(FILE *to, const char *program, const struct gy_error *err);

/* All the errors of one file, up to 20 shown. */
#define GY_DIAGS_MAX 20
struct gy_diags {
    struct gy_error at[GY_DIAGS_MAX];
    size_t shown; /* filled entries */
    size_t total; /* all found */
};
void gy_diags_add(struct gy_diags *d, const struct gy_error *err);
void gy_diags_print(FILE *to, const char *program, const struct gy_diags *d);

/* The candidate nearest to name by edit distance, or NULL when none is near enough to be meant. */
const char *gy_nearest(const char *name, const char *const *candidates, size_t n);
/* Copies text with control bytes, ANSI escapes and bidirectional marks made visible; always ends with NUL. */
void gy_visible(const char *text, size_t len, char *buf, size_t size);
#endif
