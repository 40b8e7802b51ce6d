/* Errors and texts for people: filling, hints, exit statuses, nearest names, and foreign text made visible. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_error.h"

Test(error, fill_and_hint)
{
    struct gy_error e;

    memset(&e, 'x', sizeof e);
    cr_assert_eq(gy_fail(&e, GY_EINPUT, "a.json:3:1", "%d is not %s", 5, "six"), -1);
    cr_assert_eq(e.code, GY_EINPUT);
    cr_assert_str_eq(e.place, "a.json:3:1");
    cr_assert_str_eq(e.what, "5 is not six");
    cr_assert_str_eq(e.hint, "");
    cr_assert_eq(gy_hint(&e, "write %d", 6), -1);
    cr_assert_str_eq(e.hint, "write 6");
    gy_fail(&e, e.code, e.place, "while reading: %s", e.what); /* from itself */
    cr_assert_str_eq(e.what, "while reading: 5 is not six");
    cr_assert_str_eq(e.place, "a.json:3:1");
    cr_assert_eq(gy_nomem(&e), -1);
    cr_assert_eq(e.code, GY_ENOMEM);
    cr_assert_str_eq(e.place, "");
}

Test(error, long_texts_are_cut_with_a_mark)
{
    struct gy_error e;
    char text[2001];

    for (size_t i = 0; i < 2000; i += 2)
        memcpy(text + i, "é", 2);
    text[2000] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        gy_fail(&e, GY_EINPUT, NULL, "%s%s", shift ? "x" : "", text);
        size_t len = strlen(e.what);
        cr_assert_lt(len, sizeof e.what);
        cr_assert_str_eq(e.what + len - 3, "...");
        cr_assert_eq((len - 3 - (size_t)shift) % 2, 0);
    }
}

Test(error, statuses)
{
    cr_assert_eq(gy_exit_status(GY_OK), 0);
    cr_assert_eq(gy_exit_status(GY_ECHECK), 1);
    cr_assert_eq(gy_exit_status(GY_EUSAGE), 2);
    cr_assert_eq(gy_exit_status(GY_EIO), 3);
    cr_assert_eq(gy_exit_status((enum gy_code)99), 3);
    cr_assert_str_eq(gy_code_text(GY_ENOMEM), "out of memory");
}

static void print_and_compare(const struct gy_error *e, const struct gy_diags *d, const char *program, const char *want)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    if (e != NULL)
        gy_error_print(to, program, e);
    else
        gy_diags_print(to, program, d);
    fclose(to);
    cr_assert_str_eq(text, want);
    free(text);
}

Test(error, prints_one_line)
{
    struct gy_error e;

    gy_fail(&e, GY_EINPUT, "f.csv:1", "bad\n\x1b[31m value");
    gy_hint(&e, "fix it");
    print_and_compare(&e, NULL, "gpuyard", "gpuyard: f.csv:1: bad\\n\\x1b[31m value; fix it\n");
    gy_fail(&e, GY_EIO, NULL, "%s", "");
    print_and_compare(&e, NULL, NULL, "the machine failed\n");
}

Test(error, diags_count_all_and_show_twenty)
{
    static struct gy_diags d;
    struct gy_error e;
    char want[1024] = "";

    gy_fail(&e, GY_EINPUT, "p", "w");
    for (int i = 0; i < 23; i++)
        gy_diags_add(&d, &e);
    cr_assert_eq(d.shown, 20);
    cr_assert_eq(d.total, 23);
    for (int i = 0; i < 20; i++)
        strcat(want, "g: p: w\n");
    print_and_compare(NULL, &d, "g", strcat(want, "g: and 3 more\n"));
}

Test(nearest, names)
{
    static const char *const names[] = {"first_fit", "best_fit", NULL, "fifo", "sjf", "gpus", "max_runtime_s", "x"};
    static const struct {
        const char *name, *want;
    } rows[] = {
        {"first_fit", "first_fit"},
        {"frist_fit", "first_fit"},
        {"First-Fit", "first_fit"},
        {"bestfit", "best_fit"},
        {"fif", "fifo"},
        {"fiof", "fifo"},
        {"gpu", "gpus"},
        {"max_runtime", "max_runtime_s"},
        {"sfj", "sjf"},
        {"unrelated", NULL},
        {"", NULL},
        {"zzzz", NULL},
        {"ab", NULL},
        {"y", NULL},
        {"node_count", NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = gy_nearest(rows[i].name, names, sizeof names / sizeof *names);
        if (rows[i].want == NULL)
            cr_assert_null(got, "%s: %s", rows[i].name, got);
        else
            cr_assert(got != NULL && strcmp(got, rows[i].want) == 0, "%s: %s", rows[i].name, got ? got : "none");
    }
}

Test(nearest, long_names_and_empty_lists)
{
    char name[300];
    const char *const names[] = {name};

    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    cr_assert_null(gy_nearest(name, names, 1));
    cr_assert_null(gy_nearest("a", NULL, 0));
}

static void check_visible(const char *text, size_t len, const char *want)
{
    char buf[128];

    gy_visible(text, len, buf, sizeof buf);
    cr_assert_str_eq(buf, want);
}

Test(visible, shows_what_is_hidden)
{
#define CHECK(text, want) check_visible(text, sizeof text - 1, want)
    CHECK("plain", "plain");
    CHECK("\x1b[31mred", "\\x1b[31mred");
    CHECK("a\tb\r\n\0c\x7f", "a\\tb\\r\\n\\x00c\\x7f");
    CHECK("größe \u4e2d \U0001f600", "größe \u4e2d \U0001f600");
    CHECK("\u202egpj\u2066x\u200f", "\\u202egpj\\u2066x\\u200f");
    CHECK("\u061c\ufeff\u200b\u2028", "\\u061c\\ufeff\\u200b\\u2028");
    CHECK("\xc2\x9b"
          "31m",
          "\\u009b31m");                                 /* CSI as a C1 control */
    CHECK("\xff\xc3(\xc0\xaf", "\\xff\\xc3(\\xc0\\xaf"); /* no UTF-8; overlong */
    CHECK("\xed\xa0\x80", "\\xed\\xa0\\x80");            /* a surrogate */
    CHECK("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");   /* above U+10FFFF */
    CHECK("\xe2\x80", "\\xe2\\x80");                     /* cut short */
    CHECK("\U000e0041", "\\ue0041");
#undef CHECK
}

Test(visible, cuts_whole_pieces)
{
    char buf[6];

    gy_visible("ab\x1b", 3, buf, sizeof buf);
    cr_assert_str_eq(buf, "ab");
    gy_visible("abcd\u00e9", 6, buf, sizeof buf);
    cr_assert_str_eq(buf, "abcd");
    gy_visible("abc\u00e9", 5, buf, sizeof buf);
    cr_assert_str_eq(buf, "abc\u00e9");
    gy_visible("x", 1, buf, 1);
    cr_assert_str_eq(buf, "");
    gy_visible("x", 1, NULL, 0);
}
