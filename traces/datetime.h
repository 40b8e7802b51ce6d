/* Calendar times as traces write them: "2017-10-09 07:01:55", "2023-05-17T11:00:58.25+08:00", "2017-10-03 00:08:00
 * PDT". Proleptic Gregorian calendar, no leap seconds (":60" is read as the next minute), no time zone database. */
#ifndef GY_DATETIME_H
#define GY_DATETIME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_time.h"

struct gy_datetime {
    gy_time local;    /* ns from 1970-01-01 00:00:00 on the wall clock as written */
    bool zoned;       /* a zone was written */
    int32_t offset_s; /* of that zone, east of UTC; UTC = local - offset */
};
/* The whole text must be one time from 1970 to 2114: date, blank or T, HH:MM[:SS[.fraction]], optional zone (Z, UTC,
 * GMT, ±HH[:MM], or the US names PST PDT MST MDT CST CDT EST EDT). A date alone is its midnight. */
bool gy_datetime_parse(const char *text, size_t len, struct gy_datetime *out);
/* "YYYY-MM-DD HH:MM:SS[.fraction][+HH:MM]" of the same; buf ≥ 40 bytes. */
void gy_datetime_print(const struct gy_datetime *d, char *buf);
#endif
