/* Small text work under the JSON layer: blanking comments, decoding strings, walking pointers. Checks no grammar. */
#include <stdint.h>
#include <string.h>
#include "json_scan.h"

static size_t skip_string(const char *text, size_t len, size_t i)
{
    for (i++; i < len && text[i] != '"' && text[i] != '\n'; i++)
        if (text[i] == '\\')
            i++;
    return i < len ? i + 1 : len;
}

/* The later bytes of a character become '\r', which is space to JSON and no column to gy_json_line_column. */
static void blank(char *c)
{
    if (*c != '\n')
        *c = (*c & 0xc0) == 0x80 ? '\r' : ' ';
}

bool gy_json_blank_comments(char *text, size_t len, size_t *at)
{
    for (size_t i = 0; i < len;) {
        if (text[i] == '"') {
            i = skip_string(text, len, i);
        } else if (text[i] == '/' && i + 1 < len && text[i + 1] == '/') {
            for (; i < len && text[i] != '\n'; i++)
                blank(&text[i]);
        } else if (text[i] == '/' && i + 1 < len && text[i + 1] == '*') {
            const char *end = memmem(text + i + 2, len - i - 2, "*/", 2);
            *at = i;
            if (end == NULL)
                return false;
            for (size_t stop = (size_t)(end - text) + 2; i < stop; i++)
                blank(&text[i]);
        } else {
            i++;
        }
    }
    return true;
}

static unsigned hex_value(const char *text)
{
    unsigned value = 0;

    for (int i = 0; i < 4; i++) {
        unsigned c = (unsigned char)text[i];
        value = value * 16 + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static size_t encode(unsigned c, char out[4])
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(lead[n] | c);
    return n;
}

bool gy_scan_decode(const char *text, char *out, size_t size)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    size_t n = 0;

    for (text++; *text != '"'; text++) {
        char bytes[4] = {*text};
        size_t k = 1;
        if (*text == '\\') {
            text++;
            const char *known = strchr(from, *text);
            bytes[0] = known != NULL ? to[known - from] : *text;
            if (*text == 'u') {
                unsigned c = hex_value(text + 1);
                text += 4;
                if (c >= 0xd800 && c <= 0xdbff) {
                    c = 0x10000 + ((c - 0xd800) << 10) + (hex_value(text + 3) - 0xdc00);
                    text += 6;
                }
                k = encode(c, bytes);
            }
        }
        if (n + k >= size)
            return false;
        memcpy(out + n, bytes, k);
        n += k;
    }
    out[n] = '\0';
    return true;
}

bool gy_pointer_next(const char **p, char *buf, size_t size)
{
    const char *at = *p;
    size_t n = 0;

    if (*at == '\0')
        return false;
    bool slashed = *at == '/';
    if (slashed || *at == '.')
        at++;
    for (; *at != '\0' && *at != (slashed ? '/' : '.'); at++) {
        char c = *at;
        if (slashed && c == '~' && (at[1] == '0' || at[1] == '1'))
            c = *++at == '0' ? '~' : '/';
        if (n + 1 < size)
            buf[n++] = c;
    }
    buf[n] = '\0';
    *p = at;
    return true;
}

void gy_pointer_append(char *pointer, size_t size, const char *token)
{
    size_t n = strlen(pointer);

    if (n + 1 < size)
        pointer[n++] = '/';
    for (; *token != '\0' && n + 2 < size; token++) {
        bool escape = *token == '~' || *token == '/';
        pointer[n++] = escape ? '~' : *token;
        if (escape)
            pointer[n++] = *token == '~' ? '0' : '1';
    }
    pointer[n] = '\0';
}
