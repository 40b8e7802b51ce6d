/* Texts for people: the nearest known name, and foreign text made safe to print on a terminal. Not a text library. */
#include <stdint.h>
#include <string.h>
#include "gy_error.h"

#define NAME_MOST 64 /* longer names are not compared */

/* Case, and '-' against '_', do not count as differences. */
static char folded(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours (optimal string alignment). Both texts ≤ NAME_MOST bytes. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][NAME_MOST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];

    for (size_t j = 0; j <= nb; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= na; i++) {
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            char x = folded(a[i - 1]), y = folded(b[j - 1]);
            row[j] = least(last[j - 1] + (x != y), least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == folded(b[j - 2]) && y == folded(a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[nb];
}

const char *gy_nearest(const char *name, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    size_t len = strlen(name), best_distance = SIZE_MAX;

    if (len == 0 || len > NAME_MOST)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = candidates[i] == NULL ? 0 : strlen(candidates[i]);
        if (other == 0 || other > NAME_MOST)
            continue;
        size_t d = distance(name, len, candidates[i], other);
        size_t allowed = (len > other ? len : other) <= 2 ? 0 : ((len > other ? len : other) + 2) / 4 + 1;
        if (d <= allowed && d < least(len, other) && d < best_distance) {
            best = candidates[i];
            best_distance = d;
        }
    }
    return best;
}

/* Decodes one character of UTF-8; returns its bytes, 0 when malformed, overlong, a surrogate or too large. */
static size_t decode(const unsigned char *p, size_t len, uint32_t *out)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

    if (n == 0 || n > len)
        return 0;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    if (c < smallest[n] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
        return 0;
    *out = c;
    return n;
}

/* Controls, and characters that draw nothing or reorder what is around them. */
static bool is_hidden(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

void gy_visible(const char *text, size_t len, char *buf, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t used = 0;

    if (size == 0)
        return;
    while (len > 0) {
        char piece[16];
        uint32_t c = p[0];
        size_t n = decode(p, len, &c);
        int m;
        if (n > 0 && !is_hidden(c))
            m = snprintf(piece, sizeof piece, "%.*s", (int)n, (const char *)p);
        else if (c == '\n' || c == '\r' || c == '\t')
            m = snprintf(piece, sizeof piece, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else
            m = snprintf(piece, sizeof piece, n == 0 || c < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)c);
        if ((size_t)m >= size - used)
            break; /* whole pieces only */
        memcpy(buf + used, piece, (size_t)m);
        used += (size_t)m;
        n = n == 0 ? 1 : n;
        p += n;
        len -= n;
    }
    buf[used] = '\0';
}
