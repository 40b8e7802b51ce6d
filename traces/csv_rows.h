/* Rows of a delimited text over an input, one at a time, by libcsv (the only place that knows it): quoted fields with
 * delimiters, quotes and newlines inside, CRLF, no final newline, blanks around unquoted fields cut off, blank lines
 * passed over, a byte order mark. Not a table in memory: a row is valid until the next one is asked for. */
#ifndef GY_CSV_ROWS_H
#define GY_CSV_ROWS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_file.h"

#define GY_CSV_ROW_MAX    ((size_t)1 << 20) /* bytes of a row, newlines in quotes included */
#define GY_CSV_FIELDS_MAX 4096

struct gy_field {
    const char *at; /* NUL-ended; may hold NUL bytes before */
    size_t len;
};

struct gy_csv;
/* NULL when out of memory. Borrows in. */
struct gy_csv *gy_csv_new(struct gy_input *in, char delimiter, struct gy_error *err);
void gy_csv_free(struct gy_csv *c);
/* 1: a row; 0: the end; -1: err; 2: a row that cannot be split (a quote never closed, too many fields, a stray carriage
 * return), gy_csv_why says why; the reading goes on behind it. */
int gy_csv_next(struct gy_csv *c, struct gy_error *err);
const char *gy_csv_why(const struct gy_csv *c);
size_t gy_csv_fields(const struct gy_csv *c);
struct gy_field gy_csv_field(const struct gy_csv *c, size_t i); /* empty beyond the last */
uint64_t gy_csv_line(const struct gy_csv *c);                   /* where the row begins, from 1 */

/* Reads the first row as names. 0, or -1 when there is none or it cannot be split. */
int gy_csv_header(struct gy_csv *c, struct gy_error *err);
size_t gy_csv_columns(const struct gy_csv *c);
const char *gy_csv_column_name(const struct gy_csv *c, size_t i);
/* Index of the column of that name (exact, else without regard to case), or -1. */
int gy_csv_column(const struct gy_csv *c, const char *name);
/* The delimiter that the first line uses most, of comma, semicolon, tab and bar; comma when none. */
char gy_csv_guess(const char *bytes, size_t n);
#endif
