/* Numbers as text: the shortest decimal that reads back equal. Not for people's tables: no rounding, no padding. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_json.h"

/* Decimals of at most 15 digits differ as doubles, so a multiple of 10^-9 below 10^6 that gives v when divided (one
 * correct rounding, as in reading) is what %.15g would print; and it is found without printing and reading back. */
static size_t print_decimal(double v, char *buf)
{
    double size = fabs(v), scaled = rint(size * 1e9);

    if (!(size >= 1e-4 && size < 1e6) || scaled / 1e9 != size)
        return 0;
    uint64_t k = (uint64_t)scaled;
    int len = sprintf(buf, "%s%" PRIu64 ".%09" PRIu64, v < 0 ? "-" : "", k / 1000000000, k % 1000000000);
    while (buf[len - 1] == '0')
        len--;
    buf[len] = '\0';
    char *e = strchr(buf, 'e');
    if (e != NULL && e[2] == '0') /* C pads an exponent to two digits */
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return strlen(buf);
}

size_t gy_number_print(double v, char *buf)
{
    int len = 0;

    if (!isfinite(v))
        return (size_t)sprintf(buf, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    if (v == trunc(v) && fabs(v) < 0x1p53)
        return (size_t)sprintf(buf, "%" PRId64, (int64_t)v);
    if (print_decimal(v, buf) > 0)
        return strlen(buf);
    for (int digits = 15; digits <= 17; digits++) {
        len = sprintf(buf, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    for (int i = 0; i < len; i++) /* whatever the locale made of the decimal point */
        if (strchr("0123456789+-e", buf[i]) == NULL)
            buf[i] = '.';
    char *e = strchr(buf, 'e');
    if (e != NULL && e[2] == '0') /* C pads an exponent to two digits */
        memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return strlen(buf);
}
