/* The row reader: quoting, line ends, limits, and what it does with rows that cannot be split. */
#include <stdlib.h>
#include "csv_rows.h"
#include "datetime.h"
#include "traces_help.h"

/* Rows as "a|b|c" lines; a row that cannot be split as "!why"; with the line number in front. */
static char *rows_of(const char *text, size_t len, char delimiter)
{
    struct gy_error err = {0};
    struct gy_input *in = gy_input_memory("x", text, len, &err);
    struct gy_csv *c = gy_csv_new(in, delimiter, &err);
    static char out[4096];
    size_t n = 0;
    int got;

    out[0] = '\0';
    while ((got = gy_csv_next(c, &err)) > 0) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%d ", (int)gy_csv_line(c));
        if (got == 2)
            n += (size_t)snprintf(out + n, sizeof out - n, "!%s", gy_csv_why(c));
        for (size_t i = 0; got == 1 && i < gy_csv_fields(c); i++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", i > 0 ? "|" : "", gy_csv_field(c, i).at);
        n += (size_t)snprintf(out + n, sizeof out - n, "\n");
    }
    if (got < 0)
        snprintf(out + n, sizeof out - n, "ERROR %s", err.what);
    gy_csv_free(c);
    gy_input_close(in);
    return out;
}
#define ROWS(text, want) cr_expect_str_eq(rows_of(text, sizeof(text) - 1, ','), want)

Test(traces_csv, rows)
{
    ROWS("a,b\n1,2\n", "1 a|b\n2 1|2\n");
    ROWS("a,b\r\n1,2", "1 a|b\n2 1|2\n");             /* CRLF, no final newline */
    ROWS("a,b\n\n  \n\r\n1,2\n\n", "1 a|b\n5 1|2\n"); /* blank lines are passed over, lines still counted */
    ROWS(" a , b\t,\"  c \"\n", "1 a|b|  c \n");      /* blanks cut off outside of quotes only */
    ROWS("\"x,y\",\"he said \"\"no\"\"\",\"\"\n", "1 x,y|he said \"no\"|\n");
    ROWS("\"two\nlines\",1\n2,3\n", "1 two\nlines|1\n3 2|3\n"); /* a newline inside quotes */
    ROWS(",\n,,\n", "1 |\n2 ||\n");
    ROWS("\xef\xbb\xbf"
         "a,b\n",
         "1 a|b\n"); /* byte order mark */
    ROWS("", "");
    ROWS("\n\n", "");
    ROWS("one", "1 one\n");
    cr_expect_str_eq(rows_of("a\tb c\td\n", 8, '\t'), "1 a|b c|d\n");
    cr_expect_str_eq(rows_of("a;b,c\n", 6, ';'), "1 a|b,c\n");
}

Test(traces_csv, broken_rows_cost_themselves)
{
    ROWS("a,b\n1,\"2\n3,4\n5,6\n", "1 a|b\n2 !a quote is never closed\n3 3|4\n4 5|6\n");
    ROWS("a\r1\r2\nb\n", "1 !a carriage return inside the line\n2 b\n"); /* old Macintosh line ends */
    ROWS("\"a\" b,c\nd\n", "1 !a quote is never closed\n2 d\n"); /* text behind a closing quote opens it again */
}

Test(traces_csv, a_row_with_too_many_fields)
{
    char text[2 * (GY_CSV_FIELDS_MAX + 10)];
    size_t n = 0;

    for (int i = 0; i < GY_CSV_FIELDS_MAX + 2; i++)
        text[n++] = ',';
    memcpy(text + n, "\nx\n", 4);
    cr_expect_str_eq(rows_of(text, n + 3, ','), "1 !too many fields\n2 x\n");
}

Test(traces_csv, endless_lines_and_quotes_end)
{
    size_t len = 3 << 20;
    char *text = malloc(len);

    memset(text, 'x', len);
    char *got = rows_of(text, len, ',');
    cr_expect_str_eq(got, "1 !a line of more than 1 MiB\n", "%s", got);
    memcpy(text + len - 5, "\na,b\n", 5); /* the rows behind it are read */
    got = rows_of(text, len, ',');
    cr_expect_str_eq(got, "1 !a line of more than 1 MiB\n2 a|b\n", "%s", got);
    /* every line opens a quote that never closes: given up after a bounded amount of reading again */
    struct gy_error err = {0};
    for (size_t i = 0; i + 4 <= len; i += 4)
        memcpy(text + i, "\"a \n", 4);
    struct gy_input *in = gy_input_memory("x", text, len, &err);
    struct gy_csv *c = gy_csv_new(in, ',', &err);
    int last;
    while ((last = gy_csv_next(c, &err)) > 0)
        ;
    cr_expect_leq(last, 0);
    gy_csv_free(c);
    gy_input_close(in);
    free(text);
}

Test(traces_csv, guess_of_the_delimiter)
{
    cr_expect_eq(gy_csv_guess("a,b;c,d\n;;;;", 12), ',');
    cr_expect_eq(gy_csv_guess("a;b;c\n", 6), ';');
    cr_expect_eq(gy_csv_guess("a\tb", 3), '\t');
    cr_expect_eq(gy_csv_guess("\"x,y,z\"|b|c\n", 12), '|');
    cr_expect_eq(gy_csv_guess("", 0), ',');
}

static void same_time(const char *text, const char *utc, gy_time local)
{
    struct gy_datetime d;
    char buf[40];

    cr_assert(gy_datetime_parse(text, strlen(text), &d), "%s", text);
    cr_expect_eq(d.local, local, "%s", text);
    gy_datetime_print(&d, buf);
    cr_expect_str_eq(buf, utc);
}

Test(traces_csv, calendar_times)
{
    /* seconds by `date -u -d … +%s` */
    same_time("1970-01-01", "1970-01-01 00:00:00", 0);
    same_time("2000-02-29 23:59:59", "2000-02-29 23:59:59", 951868799 * GY_SECOND);
    same_time("2017-10-09 07:01:55", "2017-10-09 07:01:55", 1507532515 * GY_SECOND);
    same_time("2100-03-01T00:00:00Z", "2100-03-01 00:00:00+00:00", 4107542400 * GY_SECOND);
    same_time("2023-05-17T11:00:58.25+08:00", "2023-05-17 11:00:58.25+08:00", 1684321258 * GY_SECOND + GY_SECOND / 4);
    same_time("2017-10-03 00:08:00 PDT", "2017-10-03 00:08:00-07:00", 1506989280 * GY_SECOND);
    same_time("2017/10/03 00:08", "2017-10-03 00:08:00", 1506989280 * GY_SECOND);
    same_time("2016-12-31 23:59:60", "2017-01-01 00:00:00", 1483228800 * GY_SECOND);
    same_time("2017-10-03 00:08:00-0330", "2017-10-03 00:08:00-03:30", 1506989280 * GY_SECOND);
    static const char *const bad[] = {"",
                                      "2017",
                                      "2017-13-01",
                                      "2017-02-29",
                                      "1900-01-01",
                                      "2115-01-01",
                                      "2017-1-1",
                                      "2017-10-03 24:00:00",
                                      "2017-10-03 00:60:00",
                                      "2017-10-03 00:00:61",
                                      "2017-10-03 00:00:00 XYZ",
                                      "2017-10-03 00:00:00+25:00",
                                      "2017-10-03 00:00:00.",
                                      "2017-10-03_00:00:00",
                                      "2017-10-03 00:00:00 Z x",
                                      "12345678901",
                                      "2017-10-03T"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gy_datetime d;
        cr_expect_not(gy_datetime_parse(bad[i], strlen(bad[i]), &d), "\"%s\"", bad[i]);
    }
}
