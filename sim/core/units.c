/* Quantities with units. Not a unit algebra: each kind of quantity has its list of suffixes, and a suffix that people
 * read in two ways (Gb, G) is refused with the two ways to write it. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_error.h"
#include "gy_units.h"

#define WHY_SIZE 128

struct suffix {
    const char *name;
    double times, over; /* value in the base unit = number × times ÷ over: two exact factors, one rounding each */
};

static const struct suffix time_suffixes[] = {
    {"s", 1, 1},    {"ns", 1, 1e9}, {"us", 1, 1e6}, {"\u00b5s", 1, 1e6}, {"\u03bcs", 1, 1e6}, {"ms", 1, 1e3},
    {"min", 60, 1}, {"m", 60, 1},   {"h", 3600, 1}, {"d", 86400, 1},     {"w", 604800, 1},    {NULL, 0, 0},
};
static const struct suffix byte_suffixes[] = {
    {"B", 1, 1},        {"kB", 1e3, 1},     {"KB", 1e3, 1},     {"MB", 1e6, 1},     {"GB", 1e9, 1},
    {"TB", 1e12, 1},    {"PB", 1e15, 1},    {"EB", 1e18, 1},    {"KiB", 0x1p10, 1}, {"MiB", 0x1p20, 1},
    {"GiB", 0x1p30, 1}, {"TiB", 0x1p40, 1}, {"PiB", 0x1p50, 1}, {"EiB", 0x1p60, 1}, {"bit", 1, 8},
    {"kbit", 1e3, 8},   {"Mbit", 1e6, 8},   {"Gbit", 1e9, 8},   {"Tbit", 1e12, 8},  {"bytes", 1, 1},
    {NULL, 0, 0},
};
static const struct suffix watt_suffixes[] = {
    {"W", 1, 1}, {"mW", 1, 1e3}, {"kW", 1e3, 1}, {"MW", 1e6, 1}, {"GW", 1e9, 1}, {NULL, 0, 0},
};
static const struct suffix usd_suffixes[] = {{"USD", 1, 1}, {"$", 1, 1}, {NULL, 0, 0}};
static const struct suffix ratio_suffixes[] = {{"%", 1, 100}, {NULL, 0, 0}};
static const struct suffix no_suffixes[] = {{NULL, 0, 0}};

static const struct kind {
    const char *name;
    const struct suffix *suffixes;
    const char *examples;
} kinds[] = {
    [GY_U_NONE] = {"", no_suffixes, "no unit"},
    [GY_U_TIME] = {"s", time_suffixes, "ns, us, ms, s, min, h, d or w"},
    [GY_U_BYTES] = {"bytes", byte_suffixes, "B, kB, MB, GB (10^9), KiB, MiB, GiB (2^30), Mbit or Gbit"},
    [GY_U_BYTES_PER_S] = {"bytes/s", byte_suffixes, "GB/s, GiB/s or Gbit/s"},
    [GY_U_WATT] = {"W", watt_suffixes, "W, kW or MW"},
    [GY_U_USD] = {"USD", usd_suffixes, "USD"},
    [GY_U_RATIO] = {"ratio", ratio_suffixes, "%"},
};

const char *gy_unit_name(enum gy_unit unit)
{
    return kinds[unit].name;
}

static bool refuse(char *why, const char *text, const char *reason, const char *more)
{
    char shown[32];

    gy_visible(text, strlen(text), shown, sizeof shown);
    snprintf(why, WHY_SIZE, "\"%s\" %s%s", shown, reason, more);
    return false;
}

static const struct suffix *look_up(const struct suffix *at, const char *name, size_t len)
{
    for (; at->name != NULL; at++)
        if (strlen(at->name) == len && memcmp(at->name, name, len) == 0)
            return at;
    return NULL;
}

/* Rates are written "GB/s", or as network people do: "Gbps" for bits, "GBps" for bytes. */
static const struct suffix *look_up_rate(const char *name, size_t len)
{
    char bits[16];

    if (len > 2 && memcmp(name + len - 2, "/s", 2) == 0)
        return look_up(byte_suffixes, name, len - 2);
    if (len > 3 && memcmp(name + len - 3, "Bps", 3) == 0)
        return look_up(byte_suffixes, name, len - 2);
    if (len >= 3 && len < 8 && memcmp(name + len - 3, "bps", 3) == 0) {
        int n = snprintf(bits, sizeof bits, "%.*sbit", (int)len - 3, name);
        return look_up(byte_suffixes, bits, (size_t)n);
    }
    return NULL;
}

static bool refuse_unit(char *why, const char *text, const char *name, enum gy_unit unit)
{
    size_t len = strlen(name);
    bool bytes = unit == GY_U_BYTES || unit == GY_U_BYTES_PER_S;

    if (bytes && len == 2 && strchr("kKMGTP", name[0]) != NULL && name[1] == 'b')
        return refuse(why, text, "is ambiguous: write bytes as B (GB) and bits as bit (Gbit)", "");
    if (bytes && len == 1 && strchr("kKMGTP", name[0]) != NULL)
        return refuse(why, text, "is ambiguous: write GB (10^9 bytes) or GiB (2^30)", "");
    if (unit == GY_U_BYTES_PER_S && look_up(byte_suffixes, name, len) != NULL)
        return refuse(why, text, "is an amount, not a rate: write it with /s", "");
    if (unit == GY_U_BYTES && look_up_rate(name, len) != NULL)
        return refuse(why, text, "is a rate; an amount was expected", "");
    return refuse(why, text, "has an unknown unit; expected ", kinds[unit].examples);
}

/* Splits text into a number of *len bytes and its unit; NULL, with why filled, when it is not so made. */
static const struct suffix *split(const char *text, enum gy_unit unit, size_t *len, char *why)
{
    static const struct suffix base = {"", 1, 1};
    const struct suffix *found;

    *len = gy_number_len(text, strlen(text));
    if (*len == 0) {
        refuse(why, text, "does not begin with a number", "");
        return NULL;
    }
    const char *name = text + *len;
    if (*name == '\0')
        return &base;
    name += strspn(name, " ");
    found =
        unit == GY_U_BYTES_PER_S ? look_up_rate(name, strlen(name)) : look_up(kinds[unit].suffixes, name, strlen(name));
    if (found == NULL)
        refuse_unit(why, text, name, unit);
    return found;
}

/* The locale "C", whatever the program's is: glibc hands out a constant, so this neither allocates nor fails. */
static double number_of(const char *text)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c == (locale_t)0 ? NAN : strtod_l(text, NULL, c);

    if (c != (locale_t)0)
        freelocale(c);
    return value;
}

bool gy_units_parse(const char *text, enum gy_unit unit, double *out, char *why)
{
    size_t len;
    const struct suffix *s = split(text, unit, &len, why);

    if (s == NULL)
        return false;
    double value = number_of(text) * s->times / s->over;
    if (!isfinite(value))
        return refuse(why, text, "is out of range", "");
    if (unit == GY_U_RATIO && (value < 0 || value > 1))
        return refuse(why, text, "is not a ratio: between 0 and 1, or 0% and 100%", "");
    *out = value;
    return true;
}

bool gy_units_parse_time(const char *text, gy_time *out, char *why)
{
    size_t len;
    const struct suffix *s = split(text, GY_U_TIME, &len, why);

    if (s == NULL)
        return false;
    if (!gy_time_parse_in(text, len, (gy_time)(s->times * 1e9 / s->over), out))
        return refuse(why, text, "is out of range: at most about 145 years", "");
    return true;
}
