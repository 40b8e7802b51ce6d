/* Lines of an input over one buffer that grows to the longest line (or kept run of lines). */
#include <stdlib.h>
#include <string.h>
#include "lines.h"

#define CHUNK ((size_t)1 << 16)

void gy_lines_init(struct gy_lines *l, struct gy_input *in)
{
    *l = (struct gy_lines){.in = in};
}

void gy_lines_free(struct gy_lines *l)
{
    free(l->buf);
    l->buf = NULL;
}

/* Makes room for one chunk behind end. */
static int make_room(struct gy_lines *l, struct gy_error *err)
{
    if (l->cap - l->end >= CHUNK)
        return 0;
    if (l->kept > 0) {
        memmove(l->buf, l->buf + l->kept, l->end - l->kept);
        l->end -= l->kept;
        l->pos -= l->kept;
        l->kept = 0;
    }
    if (l->cap - l->end >= CHUNK)
        return 0;
    size_t cap = l->cap == 0 ? 4 * CHUNK : l->cap * 2;
    char *buf = realloc(l->buf, cap);
    if (buf == NULL)
        return gy_nomem(err);
    l->buf = buf;
    l->cap = cap;
    return 0;
}

static int fill(struct gy_lines *l, struct gy_error *err)
{
    if (make_room(l, err) < 0)
        return -1;
    long got = gy_input_read(l->in, l->buf + l->end, CHUNK, err);
    if (got < 0)
        return -1;
    l->ended = got == 0;
    l->end += (size_t)got;
    return 0;
}

static int too_long(const struct gy_lines *l, struct gy_error *err)
{
    char place[512];

    snprintf(place, sizeof place, "%s:%llu", gy_input_name(l->in), (unsigned long long)l->line + 1);
    gy_fail(err, GY_EINPUT, place, "a line of more than %zu bytes", GY_LINE_MAX);
    return gy_hint(err, "this does not look like a text table; --format names the format");
}

int gy_lines_next(struct gy_lines *l, bool keep, char **text, size_t *len, struct gy_error *err)
{
    if (!keep)
        l->kept = l->pos;
    for (size_t seen = 0;;) {
        char *at = l->buf == NULL ? NULL : l->buf + l->pos;
        size_t have = l->end - l->pos;
        const char *newline = have > seen ? memchr(at + seen, '\n', have - seen) : NULL;
        if (newline != NULL || l->ended) {
            *len = newline != NULL ? (size_t)(newline - at) + 1 : have;
            if (*len == 0)
                return 0;
            *text = at;
            l->pos += *len;
            l->line++;
            return 1;
        }
        seen = have;
        if (have > GY_LINE_MAX)
            return too_long(l, err);
        if (fill(l, err) < 0)
            return -1;
    }
}

void gy_lines_back(struct gy_lines *l, size_t n, uint64_t line)
{
    l->pos = l->kept + n;
    l->line = line;
}
