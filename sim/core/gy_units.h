/* Quantities with units: "30d", "400Gbit/s", "80GiB", "1.5kW". Decimal prefixes are powers of 1000 (GB = 10^9 bytes,
 * Gbit = 10^9 bits), binary ones powers of 1024 (GiB). Rates end in bytes per second. */
#ifndef GY_UNITS_H
#define GY_UNITS_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_time.h"

enum gy_unit {
    GY_U_NONE,        /* a plain number */
    GY_U_TIME,        /* seconds */
    GY_U_BYTES,       /* bytes */
    GY_U_BYTES_PER_S, /* bytes per second */
    GY_U_WATT,        /* watts */
    GY_U_USD,         /* US dollars */
    GY_U_RATIO        /* 0…1; accepts "85%" */
};
/* The value in the base unit above; false with a text for people in why (≥ 128 bytes) otherwise. Plain numbers are in
 * the base unit; a ratio outside 0…1 is refused. */
bool gy_units_parse(const char *text, enum gy_unit unit, double *out, char *why);
/* Exact for times: "1.5h", "90", "2d". */
bool gy_units_parse_time(const char *text, gy_time *out, char *why);
const char *gy_unit_name(enum gy_unit unit); /* "s", "bytes", "bytes/s", "W", "USD", "ratio", "" */
#endif
