/* Time: exact parsing and printing, saturation, and the form for people. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_hash.h"
#include "gy_time.h"

Test(time, parses_exactly)
{
    static const struct {
        const char *text;
        gy_time want;
    } rows[] = {
        {"0", 0},
        {"-0", 0},
        {"12", 12 * GY_SECOND},
        {"+12", 12 * GY_SECOND},
        {"-0.5", -GY_SECOND / 2},
        {"4.709164", 4709164000},
        {"1e3", 1000 * GY_SECOND},
        {"1E3", 1000 * GY_SECOND},
        {"1e+3", 1000 * GY_SECOND},
        {"-2.5e-3", -2500000},
        {".5", GY_SECOND / 2},
        {"5.", 5 * GY_SECOND},
        {"0.1", 100000000},
        {"0.3", 300000000},
        {"1e-9", 1},
        {"0.000000001", 1},
        {"0.123456789", 123456789},
        {"0.1234567894", 123456789},
        {"0.1234567895", 123456790},
        {"-0.1234567895", -123456790},
        {"0.0000000005", 1},
        {"0.00000000049999999999999999999999999999", 0},
        {"0.9999999999", GY_SECOND},
        {"1e-400", 0},
        {"5e-10", 1},
        {"1e-99999999999999999999", 0},
        {"0e99999999999999999999", 0},
        {"00000000000000000000000000000000000000000001.5", 1500000000},
        {"100000000000000000000000000000000e-32", GY_SECOND},
        {"0.00000000000000000000000000000000000000001e41", GY_SECOND},
        {"1.0000000000000000000000000000000000000000000000", GY_SECOND},
        {"9007199.254740993", 9007199254740993}, /* 2^53 + 1: no double in between */
        {"4600000000", GY_TIME_MAX},
        {"-4600000000", -GY_TIME_MAX},
        {"4600000000.0000000004", GY_TIME_MAX},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_time t = 77;
        cr_assert(gy_time_parse(rows[i].text, strlen(rows[i].text), &t), "%s", rows[i].text);
        cr_assert_eq(t, rows[i].want, "%s: %" PRId64, rows[i].text, t);
    }
}

Test(time, refuses_what_is_no_number_or_too_large)
{
    static const char *const rows[] = {
        "",
        " ",
        "-",
        "+",
        ".",
        "e5",
        "-.",
        "1e",
        "1e+",
        "1 ",
        " 1",
        "1s",
        "1.2.3",
        "--1",
        "+-1",
        "0x10",
        "nan",
        "inf",
        "1,5",
        "1_000",
        "4600000000.000000001",
        "-4600000000.000000001",
        "9223372037",
        "1e10",
        "1e400",
        "1e99999999999999",
        "99999999999999999999999999999999999999999999999999",
        "340282366920938463463374607431768211456e1",
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_time t = 77;
        cr_assert_not(gy_time_parse(rows[i], strlen(rows[i]), &t), "%s", rows[i]);
        cr_assert_eq(t, 77);
    }
}

Test(time, reads_no_further_than_len)
{
    gy_time t;

    cr_assert(gy_time_parse("123456", 2, &t));
    cr_assert_eq(t, 12 * GY_SECOND);
    cr_assert(gy_time_parse("1e56", 3, &t));
    cr_assert_eq(t, 100000 * GY_SECOND);
    cr_assert_not(gy_time_parse("1e56", 2, &t));
}

Test(time, parses_in_other_units)
{
    gy_time t;

    cr_assert(gy_time_parse_in("1.5", 3, GY_HOUR, &t));
    cr_assert_eq(t, 5400 * GY_SECOND);
    cr_assert(gy_time_parse_in("1589.25", 7, 1000000, &t));
    cr_assert_eq(t, 1589250000);
    cr_assert(gy_time_parse_in("0.00000000000001", 16, GY_DAY, &t)); /* 0.864 ns */
    cr_assert_eq(t, 1);
    cr_assert_not(gy_time_parse_in("1", 1, 0, &t));
    cr_assert_not(gy_time_parse_in("53241", 5, GY_DAY, &t));
}

Test(time, number_len)
{
    cr_assert_eq(gy_number_len("1.5h", 4), 3);
    cr_assert_eq(gy_number_len("1EB", 3), 1);
    cr_assert_eq(gy_number_len("1e3B", 4), 3);
    cr_assert_eq(gy_number_len("0x10", 4), 1);
    cr_assert_eq(gy_number_len("inf", 3), 0);
    cr_assert_eq(gy_number_len("", 0), 0);
}

Test(time, prints_shortest_exact)
{
    static const struct {
        gy_time t;
        const char *want;
    } rows[] = {
        {0, "0"},
        {12 * GY_SECOND, "12"},
        {4709164000, "4.709164"},
        {1, "0.000000001"},
        {-1, "-0.000000001"},
        {-500000000, "-0.5"},
        {GY_TIME_MAX, "4600000000"},
        {GY_NEVER, ""},
        {GY_NONE, ""},
        {GY_NEVER - 1, "9223372036.854775806"},
        {GY_NONE + 1, "-9223372036.854775807"},
        {100 * GY_SECOND, "100"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[32];
        size_t len = gy_time_print(rows[i].t, buf);
        cr_assert_str_eq(buf, rows[i].want);
        cr_assert_eq(len, strlen(buf));
    }
}

Test(time, print_then_parse_is_identity)
{
    for (uint64_t i = 0; i < 200000; i++) {
        uint64_t r = gy_hash_mix(i);
        gy_time back, t = (gy_time)(r >> (1 + i % 60)) % GY_TIME_MAX * (i & 1 ? -1 : 1);
        char buf[32];
        size_t len = gy_time_print(t, buf);
        cr_assert(len < sizeof buf && gy_time_parse(buf, len, &back), "%s", buf);
        cr_assert_eq(back, t, "%s", buf);
    }
}

Test(time, from_and_to_doubles)
{
    cr_assert_eq(gy_time_from_s(4.709164), 4709164000);
    cr_assert_eq(gy_time_from_s(-0.5e-9), -1);
    cr_assert_eq(gy_time_from_s(0.4e-9), 0);
    cr_assert_eq(gy_time_from_s(1e300), GY_TIME_MAX);
    cr_assert_eq(gy_time_from_s(-INFINITY), -GY_TIME_MAX);
    cr_assert_eq(gy_time_from_s(NAN), 0);
    cr_assert_eq(gy_time_from_s(4000000000.25), 4000000000250000000);
    cr_assert_eq(gy_time_to_s(1500000000), 1.5);
    cr_assert(isinf(gy_time_to_s(GY_NEVER)) && isnan(gy_time_to_s(GY_NONE)));
}

Test(time, add_saturates)
{
    cr_assert_eq(gy_time_add(1, 2), 3);
    cr_assert_eq(gy_time_add(GY_NEVER, -5), GY_NEVER);
    cr_assert_eq(gy_time_add(-5, GY_NEVER), GY_NEVER);
    cr_assert_eq(gy_time_add(GY_TIME_MAX, GY_TIME_MAX), 2 * GY_TIME_MAX);
    cr_assert_eq(gy_time_add(GY_NEVER - 1, 2), GY_NEVER);
    cr_assert_eq(gy_time_add(-GY_TIME_MAX, -GY_NEVER), GY_NONE + 1);
}

Test(time, prints_for_people)
{
    static const struct {
        gy_time t;
        const char *want;
    } rows[] = {
        {0, "0 s"},
        {12500000000, "12.5 s"},
        {3 * GY_DAY + 4 * GY_HOUR + 5 * GY_MINUTE + 6 * GY_SECOND, "3d 04:05:06"},
        {1, "1 ns"},
        {1500, "1.5 us"},
        {350000000, "350 ms"},
        {999999999, "1 s"},
        {59999999999, "00:01:00"},
        {59 * GY_SECOND + 900000000, "59.9 s"},
        {GY_HOUR, "01:00:00"},
        {GY_DAY - 1, "1d 00:00:00"},
        {-90 * GY_SECOND, "-00:01:30"},
        {-1500000000, "-1.5 s"},
        {GY_NEVER, "never"},
        {GY_NONE, "-"},
        {GY_NEVER - 1, "106751d 23:47:17"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buf[48];
        size_t len = gy_time_print_human(rows[i].t, buf);
        cr_assert_str_eq(buf, rows[i].want);
        cr_assert_eq(len, strlen(buf));
    }
}
