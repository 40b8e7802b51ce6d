/* Lines of an input, with their numbers. A line stays in memory while it is looked at; earlier lines can be kept too,
 * so that a reader can go back to where it began (a quote that is never closed). Not a parser. */
#ifndef GY_LINES_H
#define GY_LINES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_file.h"

#define GY_LINE_MAX ((size_t)1 << 20) /* bytes of one line; a longer one is an error */

struct gy_lines {
    struct gy_input *in;
    char *buf;
    size_t cap, kept, pos, end; /* buf[kept, pos) is kept, buf[pos, end) is still to be read */
    uint64_t line;              /* number of the line last given, from 1 */
    bool ended;
};

void gy_lines_init(struct gy_lines *l, struct gy_input *in);
void gy_lines_free(struct gy_lines *l);
/* 1 with the next line, its newline included where it has one; 0 at the end; -1. The text is valid until the next call
 * and may be written over. Unless keep is set, earlier lines are forgotten. */
int gy_lines_next(struct gy_lines *l, bool keep, char **text, size_t *len, struct gy_error *err);
/* Bytes kept before the next line, this one included. */
static inline size_t gy_lines_kept(const struct gy_lines *l)
{
    return l->pos - l->kept;
}
/* Goes back so that only the first of the kept lines, n bytes long, counts as read. */
void gy_lines_back(struct gy_lines *l, size_t n, uint64_t line);
#endif
