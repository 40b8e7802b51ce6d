/* Parts of rows that several files share. */
#include "sinks.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool add(struct gy_sink *s, const char *text, size_t n)
{
    if (!gy_vec_reserve(&s->text, s->text.n + n + 1))
        return false;
    memcpy(s->text.at + s->text.n, text, n);
    s->text.n += n;
    s->text.at[s->text.n] = '\0';
    return true;
}

/* x in decimal with at least so many digits; returns the end. */
static char *put_digits(char *to, uint64_t x, int least)
{
    char reversed[24];
    int n = 0;

    for (; x > 0 || n < least; x /= 10)
        reversed[n++] = (char)('0' + x % 10);
    while (n > 0)
        *to++ = reversed[--n];
    return to;
}

/* One share's GPUs as ranges: "0-3", "0,2". */
static bool add_gpus(struct gy_sink *s, const struct gy_held *h, bool first)
{
    char buf[64];

    for (uint64_t mask = h->mask; mask;) {
        const int from = __builtin_ctzll(mask);
        const uint64_t run = mask >> from;
        const int len = run == UINT64_MAX ? 64 : __builtin_ctzll(~run);
        const uint32_t gpu = h->group * 64 + (uint32_t)from;
        char *to = buf;
        *to++ = first ? ':' : ',';
        to = put_digits(to, gpu, 1);
        if (len > 1) {
            *to++ = '-';
            to = put_digits(to, gpu + (uint32_t)len - 1, 1);
        }
        if (!add(s, buf, (size_t)(to - buf)))
            return false;
        first = false;
        mask &= from + len >= 64 ? 0 : UINT64_MAX << (from + len);
    }
    return true;
}

const char *gy_placement_text(struct gy_sink *s, const struct gy_account *a, struct gy_holding h)
{
    const struct gy_account_options *o = gy_account_options_of(a);
    char buf[32];

    gy_vec_clear(&s->text);
    for (uint32_t i = 0; i < h.n; i++) {
        const struct gy_held *x = &h.at[i];
        const bool same_node = i > 0 && h.at[i - 1].node.i == x->node.i && h.at[i - 1].gpu_milli == x->gpu_milli;
        if (!same_node) {
            const char *name = gy_strings_text(o->strings, o->cluster->nodes.at[x->node.i].name);
            if ((i > 0 && !add(s, ";", 1)) || !add(s, name, strlen(name)))
                return NULL;
        }
        if (!add_gpus(s, x, !same_node))
            return NULL;
        const bool more = i + 1 < h.n && h.at[i + 1].node.i == x->node.i && h.at[i + 1].gpu_milli == x->gpu_milli;
        if (x->mask && x->gpu_milli != GY_MILLI && !more &&
            !add(s, buf, (size_t)snprintf(buf, sizeof buf, "@%" PRIu32, x->gpu_milli)))
            return NULL;
    }
    return add(s, "", 0) ? s->text.at : NULL;
}

uint32_t gy_holding_nodes(struct gy_holding h)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < h.n; i++)
        n += i == 0 || h.at[i].node.i != h.at[i - 1].node.i;
    return n;
}

void gy_put_unsigned(struct gy_writer *w, uint64_t x)
{
    char buf[24];
    gy_writer_put(w, buf, (size_t)(put_digits(buf, x, 1) - buf));
}

const char *gy_gpu_seconds_print(gy_gpu_time t, char *buf)
{
    const uint64_t unit = UINT64_C(1000000000000);
    const unsigned __int128 size = t < 0 ? -(unsigned __int128)t : (unsigned __int128)t;
    const uint64_t part = (uint64_t)(size % unit);
    char *to = buf;

    if (t < 0)
        *to++ = '-';
    to = put_digits(to, (uint64_t)(size / unit), 1);
    if (part) {
        *to++ = '.';
        to = put_digits(to, part, 12);
        while (to[-1] == '0')
            to--;
    }
    *to = '\0';
    return buf;
}
