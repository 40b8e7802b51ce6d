/* Units: the traps (decimal against binary, bits against bytes, amounts against rates) and exact times. */
#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>
#include "gy_units.h"

Test(units, values)
{
    static const struct {
        const char *text;
        enum gy_unit unit;
        double want;
    } rows[] = {
        {"1GB", GY_U_BYTES, 1e9},
        {"1GiB", GY_U_BYTES, 1073741824},
        {"80 GiB", GY_U_BYTES, 80.0 * 1073741824},
        {"1kB", GY_U_BYTES, 1000},
        {"1KiB", GY_U_BYTES, 1024},
        {"1Gbit", GY_U_BYTES, 125000000},
        {"8bit", GY_U_BYTES, 1},
        {"1EB", GY_U_BYTES, 1e18},
        {"1e3B", GY_U_BYTES, 1000},
        {"123", GY_U_BYTES, 123},
        {"1TiB", GY_U_BYTES, 1099511627776.},
        {"400Gbit/s", GY_U_BYTES_PER_S, 5e10},
        {"400Gbps", GY_U_BYTES_PER_S, 5e10},
        {"50GB/s", GY_U_BYTES_PER_S, 5e10},
        {"50GBps", GY_U_BYTES_PER_S, 5e10},
        {"900 GB/s", GY_U_BYTES_PER_S, 9e11},
        {"1GiB/s", GY_U_BYTES_PER_S, 1073741824},
        {"5e10", GY_U_BYTES_PER_S, 5e10},
        {"100bps", GY_U_BYTES_PER_S, 12.5},
        {"2B/s", GY_U_BYTES_PER_S, 2},
        {"30d", GY_U_TIME, 2592000},
        {"1.5h", GY_U_TIME, 5400},
        {"5min", GY_U_TIME, 300},
        {"3us", GY_U_TIME, 3e-6},
        {"3µs", GY_U_TIME, 3e-6},
        {"-2s", GY_U_TIME, -2},
        {"250ms", GY_U_TIME, 0.25},
        {"1w", GY_U_TIME, 604800},
        {"1.5kW", GY_U_WATT, 1500},
        {"700W", GY_U_WATT, 700},
        {"500mW", GY_U_WATT, 0.5},
        {"2MW", GY_U_WATT, 2e6},
        {"85%", GY_U_RATIO, 0.85},
        {"0.85", GY_U_RATIO, 0.85},
        {"100%", GY_U_RATIO, 1},
        {"0", GY_U_RATIO, 0},
        {"2.5USD", GY_U_USD, 2.5},
        {"2.5 $", GY_U_USD, 2.5},
        {"-1e-3", GY_U_NONE, -0.001},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[128] = "";
        double got = -77;
        cr_assert(gy_units_parse(rows[i].text, rows[i].unit, &got, why), "%s: %s", rows[i].text, why);
        cr_assert_eq(got, rows[i].want, "%s: %.17g", rows[i].text, got);
    }
}

Test(units, refusals_say_why)
{
    static const struct {
        const char *text;
        enum gy_unit unit;
        const char *why;
    } rows[] = {
        {"80Gb", GY_U_BYTES, "ambiguous"},
        {"80G", GY_U_BYTES, "ambiguous"},
        {"400Gb", GY_U_BYTES_PER_S, "ambiguous"},
        {"80gb", GY_U_BYTES, "unknown unit"},
        {"400Gbit", GY_U_BYTES_PER_S, "not a rate"},
        {"400Gbit/s", GY_U_BYTES, "is a rate"},
        {"3 parsecs", GY_U_TIME, "unknown unit"},
        {"3M", GY_U_TIME, "unknown unit"},
        {"", GY_U_TIME, "number"},
        {"d", GY_U_TIME, "number"},
        {"inf", GY_U_NONE, "number"},
        {"nan", GY_U_NONE, "number"},
        {"0x10", GY_U_NONE, "unknown unit"},
        {"1e400", GY_U_NONE, "out of range"},
        {"1 ", GY_U_NONE, "unknown unit"},
        {"85", GY_U_RATIO, "between 0 and 1"},
        {"-5%", GY_U_RATIO, "between 0 and 1"},
        {"101%", GY_U_RATIO, "between"},
        {"1,5h", GY_U_TIME, "unknown unit"},
        {"/s", GY_U_BYTES_PER_S, "number"},
        {"1/s", GY_U_BYTES_PER_S, "unknown unit"},
        {"1ps", GY_U_BYTES_PER_S, "unknown unit"},
        {"1s", GY_U_NONE, "no unit"},
        {"1 AVeryLongUnitNameThatGoesOnAndOnAndOnAndOnForEverAndEver\x1b[31m", GY_U_BYTES, "unknown unit"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[128] = "";
        double got = -77;
        cr_assert_not(gy_units_parse(rows[i].text, rows[i].unit, &got, why), "%s", rows[i].text);
        cr_assert(strstr(why, rows[i].why) != NULL, "%s: %s", rows[i].text, why);
        cr_assert(strchr(why, '\x1b') == NULL);
        cr_assert_eq(got, -77);
    }
}

Test(units, times_are_exact)
{
    gy_time t;
    char why[128];

    cr_assert(gy_units_parse_time("1.5h", &t, why));
    cr_assert_eq(t, 5400 * GY_SECOND);
    cr_assert(gy_units_parse_time("90", &t, why));
    cr_assert_eq(t, 90 * GY_SECOND);
    cr_assert(gy_units_parse_time("2d", &t, why));
    cr_assert_eq(t, 2 * GY_DAY);
    cr_assert(gy_units_parse_time("0.1 ms", &t, why));
    cr_assert_eq(t, 100000);
    cr_assert(gy_units_parse_time("4599999999.999999999s", &t, why));
    cr_assert_eq(t, GY_TIME_MAX - 1);
    cr_assert(gy_units_parse_time("7ns", &t, why));
    cr_assert_eq(t, 7);
    cr_assert(gy_units_parse_time("1.25 w", &t, why));
    cr_assert_eq(t, 756000 * GY_SECOND);
    cr_assert_not(gy_units_parse_time("1e6 d", &t, why));
    cr_assert(strstr(why, "145 years") != NULL);
    cr_assert_not(gy_units_parse_time("1GB", &t, why));
}

Test(units, locale_has_no_effect)
{
    static const char *const commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    double got;
    char why[128];

    for (size_t i = 0; i < 3; i++)
        if (setlocale(LC_ALL, commas[i]) != NULL)
            break;
    cr_assert(gy_units_parse("1.5kW", GY_U_WATT, &got, why));
    cr_assert_eq(got, 1500);
}

Test(units, names)
{
    cr_assert_str_eq(gy_unit_name(GY_U_NONE), "");
    cr_assert_str_eq(gy_unit_name(GY_U_BYTES_PER_S), "bytes/s");
    cr_assert_str_eq(gy_unit_name(GY_U_RATIO), "ratio");
}
