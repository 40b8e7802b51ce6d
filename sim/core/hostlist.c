/* Expansion of host lists by recursion over what is still to be written; names are built in one buffer. */
#include <string.h>
#include "gy_hostlist.h"

#define DEPTH_MAX 16

/* Text that follows the piece being expanded; the list of them is the rest of the name. */
struct tail {
    const char *at, *end;
    const struct tail *next;
};

struct expansion {
    char name[GY_HOST_NAME_MAX + 1];
    const char *text; /* the whole list, for messages */
    int (*fn)(void *ctx, const char *name, struct gy_error *err);
    void *ctx;
    struct gy_error *err;
};

static int expand(struct expansion *x, size_t len, const char *at, const char *end, const struct tail *next, int depth);

static int wrong(struct expansion *x, const char *why)
{
    return gy_fail(x->err, GY_EINPUT, NULL, "host list \"%s\": %s", x->text, why);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The ']' that closes the '[' at `at`, or NULL. */
static const char *closing(const char *at, const char *end)
{
    int depth = 0;

    for (; at < end; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (depth == 0)
            return at;
    }
    return NULL;
}

/* The end of the item that begins at `at`: a comma outside brackets, or end. */
static const char *item_end(const char *at, const char *end)
{
    int depth = 0;

    for (; at < end; at++) {
        depth += *at == '[';
        depth -= *at == ']';
        if (*at == ',' && depth <= 0)
            break;
    }
    return at;
}

static int emit(struct expansion *x, size_t len)
{
    if (len == 0)
        return wrong(x, "an empty name");
    x->name[len] = '\0';
    return x->fn(x->ctx, x->name, x->err);
}

/* Appends decimal n with at least width digits; the new length, or 0 when too long. */
static size_t put_number(struct expansion *x, size_t len, unsigned long long n, size_t width)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", n);
    size_t fill = (size_t)count < width ? width - (size_t)count : 0;

    if (len + fill + (size_t)count > GY_HOST_NAME_MAX)
        return 0;
    memset(x->name + len, '0', fill);
    memcpy(x->name + len + fill, digits, (size_t)count);
    return len + fill + (size_t)count;
}

static bool number(const char *at, const char *end, unsigned long long *out)
{
    *out = 0;
    if (at == end || end - at > 18)
        return false;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        *out = *out * 10 + (unsigned long long)(*at - '0');
    }
    return true;
}

/* One item inside brackets: a number, a range of them, or a name with brackets of its own. */
static int expand_item(struct expansion *x, size_t len, const char *at, const char *end, const struct tail *after,
                       int depth)
{
    const char *dash = memchr(at, '-', (size_t)(end - at));
    unsigned long long first, last;

    if (at == end)
        return wrong(x, "an empty item in brackets");
    if (dash == NULL || !number(at, dash, &first))
        return expand(x, len, at, end, after, depth);
    if (!number(dash + 1, end, &last) || last < first)
        return wrong(x, "a range in brackets must be two numbers, the smaller first");
    for (unsigned long long n = first; n <= last; n++) {
        size_t now = put_number(x, len, n, (size_t)(dash - at));
        if (now == 0)
            return wrong(x, "a name is longer than 255 bytes");
        int rc = after == NULL ? emit(x, now) : expand(x, now, after->at, after->end, after->next, depth);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int expand(struct expansion *x, size_t len, const char *at, const char *end, const struct tail *next, int depth)
{
    if (depth > DEPTH_MAX)
        return wrong(x, "brackets are nested too deeply");
    for (; at < end && *at != '['; at++) {
        if (*at == ']')
            return wrong(x, "a ']' without '['");
        if (len == GY_HOST_NAME_MAX)
            return wrong(x, "a name is longer than 255 bytes");
        x->name[len++] = *at;
    }
    if (at == end)
        return next == NULL ? emit(x, len) : expand(x, len, next->at, next->end, next->next, depth);
    const char *close = closing(at, end);
    if (close == NULL)
        return wrong(x, "a '[' without ']'");
    struct tail rest = {close + 1, end, next};
    const struct tail *after = rest.at == rest.end ? next : &rest;
    for (const char *item = at + 1;; item++) {
        const char *stop = item_end(item, close);
        int rc = expand_item(x, len, item, stop, after, depth + 1);
        if (rc != 0 || stop == close)
            return rc;
        item = stop;
    }
}

/* How many names the text between at and end gives, if it is right at all; saturates. */
static double count(const char *at, const char *end, int depth)
{
    double names = 1;

    for (; at < end && depth <= DEPTH_MAX; at++) {
        const char *close = *at == '[' ? closing(at, end) : NULL;
        double items = 0;
        if (close == NULL)
            continue;
        for (const char *item = at + 1, *stop; item <= close; item = stop + 1) {
            const char *dash;
            unsigned long long first, last;
            stop = item_end(item, close);
            dash = memchr(item, '-', (size_t)(stop - item));
            if (dash != NULL && number(item, dash, &first) && number(dash + 1, stop, &last) && last >= first)
                items += (double)(last - first) + 1;
            else
                items += count(item, stop, depth + 1);
        }
        names *= items;
        at = close;
    }
    return names;
}

static double count_list(const char *text, const char *end)
{
    double names = 0;

    for (const char *at = text, *stop; at <= end; at = stop + 1) {
        stop = item_end(at, end);
        names += count(at, stop, 0);
    }
    return names;
}

int gy_hostlist_each(const char *text, size_t max, int (*fn)(void *ctx, const char *name, struct gy_error *err),
                     void *ctx, struct gy_error *err)
{
    struct expansion x = {.text = text, .fn = fn, .ctx = ctx, .err = err};
    const char *end = text + strlen(text);

    if (count_list(text, end) > (double)max)
        return gy_fail(err, GY_EINPUT, NULL, "host list \"%s\": more than %zu names", text, max);
    for (const char *at = text;; at++) {
        const char *stop;
        while (at < end && *at == ' ')
            at++;
        stop = item_end(at, end);
        const char *last = stop;
        while (last > at && last[-1] == ' ')
            last--;
        int rc = expand(&x, 0, at, last, NULL, 0);
        if (rc != 0 || stop == end)
            return rc;
        at = stop;
    }
}

bool gy_hostlist_next(const char *name, char *buf)
{
    size_t len = strlen(name), end = len, first;

    if (len > GY_HOST_NAME_MAX)
        return false;
    while (end > 0 && !is_digit(name[end - 1]))
        end--;
    if (end == 0)
        return false;
    for (first = end; first > 0 && is_digit(name[first - 1]);)
        first--;
    memmove(buf, name, len + 1);
    for (size_t i = end; i-- > first;) {
        if (buf[i] != '9') {
            buf[i]++;
            return true;
        }
        buf[i] = '0';
    }
    if (len == GY_HOST_NAME_MAX)
        return false;
    memmove(buf + first + 1, buf + first, len - first + 1);
    buf[first] = '1';
    return true;
}
