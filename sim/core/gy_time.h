/* Simulated time: signed 64-bit nanoseconds since the trace's zero. No floating-point clock anywhere.
 * Decimal texts convert exactly (up to nine fractional digits; further digits round, halves away from zero). */
#ifndef GY_TIME_H
#define GY_TIME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int64_t gy_time; /* nanoseconds */

#define GY_SECOND   ((gy_time)1000000000)
#define GY_MINUTE   (60 * GY_SECOND)
#define GY_HOUR     (3600 * GY_SECOND)
#define GY_DAY      (86400 * GY_SECOND)
#define GY_NEVER    INT64_MAX                      /* later than everything; also "no limit" */
#define GY_NONE     INT64_MIN                      /* "not given" in records */
#define GY_TIME_MAX ((gy_time)4600000000000000000) /* largest time or duration a reader accepts, about 145 years */

/* Exact parse of a decimal number of seconds ("12", "-0.5", "1e3", "4.709164"); false if none or out of range. */
bool gy_time_parse(const char *text, size_t len, gy_time *out);
/* The same for a number of units of unit nanoseconds each (GY_HOUR, 1000000 for ms); unit ≤ 10^12 × a power of ten. */
bool gy_time_parse_in(const char *text, size_t len, gy_time unit, gy_time *out);
/* Bytes of the decimal number that text begins with; 0 when it begins with none. No hex, inf or nan. */
size_t gy_number_len(const char *text, size_t len);
/* Round to nearest; saturates at ±GY_TIME_MAX; NaN gives 0. */
gy_time gy_time_from_s(double seconds);
double gy_time_to_s(gy_time t); /* infinity for GY_NEVER, NaN for GY_NONE */
/* Shortest exact decimal seconds ("12", "4.709164", "" for GY_NONE and GY_NEVER). buf ≥ 32 bytes; returns the length.
 */
size_t gy_time_print(gy_time t, char *buf);
/* a + b; GY_NEVER when either is GY_NEVER or the sum overflows. Below, it saturates above GY_NONE. */
gy_time gy_time_add(gy_time a, gy_time b);
/* "3d 04:05:06", "12.5 s": for people. buf of ≥ 48 bytes. */
size_t gy_time_print_human(gy_time t, char *buf);
#endif
