/* Simulated time: exact decimal parsing and printing. Not a clock, and no calendar: zero is the start of the trace. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_time.h"

#define DIGITS_MOST   25                    /* significant digits that are kept; × 10^12 they still fit in 127 bits */
#define EXPONENT_MOST ((int64_t)1000000000) /* beyond this an exponent is as good as infinite */

struct decimal { /* ± digits × 10^exponent */
    unsigned __int128 digits;
    int64_t exponent;
    bool negative;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Length of "e-12" at text, with its value; 0 when there is none. */
static size_t scan_exponent(const char *text, size_t len, int64_t *value)
{
    size_t i = 1;
    int64_t v = 0;

    *value = 0;
    if (len < 2 || (text[0] != 'e' && text[0] != 'E'))
        return 0;
    bool negative = text[1] == '-';
    if (text[1] == '-' || text[1] == '+')
        i++;
    if (i == len || !is_digit(text[i]))
        return 0;
    for (; i < len && is_digit(text[i]); i++)
        if (v < EXPONENT_MOST)
            v = v * 10 + (text[i] - '0');
    *value = negative ? -v : v;
    return i;
}

/* The number at the start of text; returns its length, 0 when there is none. */
static size_t scan_decimal(const char *text, size_t len, struct decimal *out)
{
    struct decimal d = {0};
    size_t i = 0, seen = 0;
    int kept = 0;
    bool fraction = false;
    int64_t exponent;

    if (len > 0 && (text[0] == '-' || text[0] == '+'))
        d.negative = text[i++] == '-';
    for (; i < len; i++) {
        if (text[i] == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (!is_digit(text[i]))
            break;
        seen++;
        bool keep = kept < DIGITS_MOST;
        if (keep)
            d.digits = d.digits * 10 + (unsigned)(text[i] - '0');
        if (d.digits != 0 && keep)
            kept++;
        d.exponent += (keep ? 0 : 1) - (fraction ? 1 : 0);
    }
    if (seen == 0)
        return 0;
    i += scan_exponent(text + i, len - i, &exponent);
    d.exponent += exponent;
    *out = d;
    return i;
}

/* x × 10^exponent as a whole number, halves rounded up; false above GY_TIME_MAX. */
static bool scale(unsigned __int128 x, int64_t exponent, gy_time *out)
{
    const unsigned __int128 most = (unsigned __int128)GY_TIME_MAX;

    if (exponent < -38 || x == 0) { /* x < 10^38 / 2 */
        *out = 0;
        return true;
    }
    for (; exponent > 0; exponent--) {
        if (x > most)
            return false;
        x *= 10;
    }
    if (exponent < 0) {
        unsigned __int128 power = 1;
        for (; exponent < 0; exponent++)
            power *= 10;
        unsigned __int128 rest = x % power;
        x = x / power + (rest >= power - rest);
    }
    if (x > most)
        return false;
    *out = (gy_time)x;
    return true;
}

size_t gy_number_len(const char *text, size_t len)
{
    struct decimal d;

    return scan_decimal(text, len, &d);
}

bool gy_time_parse_in(const char *text, size_t len, gy_time unit, gy_time *out)
{
    struct decimal d;
    gy_time t;

    if (len == 0 || unit <= 0 || scan_decimal(text, len, &d) != len)
        return false;
    for (; unit % 10 == 0; unit /= 10)
        d.exponent++;
    if (unit > 1000 * GY_SECOND || !scale(d.digits * (unsigned __int128)unit, d.exponent, &t))
        return false;
    *out = d.negative ? -t : t;
    return true;
}

bool gy_time_parse(const char *text, size_t len, gy_time *out)
{
    return gy_time_parse_in(text, len, GY_SECOND, out);
}

gy_time gy_time_from_s(double seconds)
{
    const double most = (double)(GY_TIME_MAX / GY_SECOND);

    if (isnan(seconds))
        return 0;
    if (fabs(seconds) >= most)
        return seconds > 0 ? GY_TIME_MAX : -GY_TIME_MAX;
    double whole = trunc(seconds); /* so that the large part is exact */
    return (gy_time)whole * GY_SECOND + (gy_time)llround((seconds - whole) * 1e9);
}

double gy_time_to_s(gy_time t)
{
    if (t == GY_NEVER)
        return INFINITY;
    if (t == GY_NONE)
        return NAN;
    return (double)t / 1e9;
}

static uint64_t magnitude(gy_time t)
{
    return t < 0 ? 0 - (uint64_t)t : (uint64_t)t;
}

/* whole[.fraction] with the trailing zeros of a fraction of places digits left out; returns the length. */
static size_t print_decimal(char *buf, uint64_t whole, uint64_t fraction, int places)
{
    char digits[20];
    size_t n = 0, len = 0;

    do {
        digits[n++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    while (n > 0)
        buf[len++] = digits[--n];
    if (fraction > 0) {
        while (fraction % 10 == 0) {
            fraction /= 10;
            places--;
        }
        buf[len] = '.';
        for (int p = places; p > 0; p--, fraction /= 10)
            buf[len + (size_t)p] = (char)('0' + fraction % 10);
        len += (size_t)places + 1;
    }
    buf[len] = '\0';
    return len;
}

size_t gy_time_print(gy_time t, char *buf)
{
    uint64_t m = magnitude(t);
    size_t len = 0;

    buf[0] = '\0';
    if (t == GY_NEVER || t == GY_NONE)
        return 0;
    if (t < 0)
        buf[len++] = '-';
    return len + print_decimal(buf + len, m / (uint64_t)GY_SECOND, m % (uint64_t)GY_SECOND, 9);
}

gy_time gy_time_add(gy_time a, gy_time b)
{
    gy_time sum;

    if (a == GY_NEVER || b == GY_NEVER)
        return GY_NEVER;
    if (__builtin_add_overflow(a, b, &sum))
        return a > 0 ? GY_NEVER : GY_NONE + 1;
    return sum == GY_NONE ? GY_NONE + 1 : sum;
}

size_t gy_time_print_human(gy_time t, char *buf)
{
    static const struct {
        uint64_t ns, below; /* thousandths of the unit from which the next one is used */
        const char *name;
    } units[] = {{1, 1000000, " ns"}, {1000, 1000000, " us"}, {1000000, 1000000, " ms"}, {1000000000, 60000, " s"}};
    uint64_t m = magnitude(t);
    size_t len = 0;

    if (t == GY_NEVER || t == GY_NONE)
        return (size_t)snprintf(buf, 48, "%s", t == GY_NEVER ? "never" : "-");
    if (t < 0)
        buf[len++] = '-';
    for (size_t u = m == 0 ? 3 : 0; u < 4 && m < (uint64_t)GY_HOUR; u++) {
        uint64_t milli = (m * 1000 + units[u].ns / 2) / units[u].ns;
        if (milli >= units[u].below)
            continue;
        len += print_decimal(buf + len, milli / 1000, milli % 1000, 3);
        return len + (size_t)snprintf(buf + len, 48 - len, "%s", units[u].name);
    }
    uint64_t s = (m + (uint64_t)GY_SECOND / 2) / (uint64_t)GY_SECOND;
    if (s >= 86400)
        len += (size_t)snprintf(buf + len, 48 - len, "%llud ", (unsigned long long)(s / 86400));
    return len + (size_t)snprintf(buf + len, 48 - len, "%02u:%02u:%02u", (unsigned)(s / 3600 % 24),
                                  (unsigned)(s / 60 % 60), (unsigned)(s % 60));
}
