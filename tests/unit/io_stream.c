/* Streaming: elements, members and lines come one at a time, equal to what the whole document holds; every error told.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_json.h"

struct seen {
    struct gy_writer *to;
    size_t n, stop_at;
    size_t lines[16];
};

static struct gy_error err;

static int note(void *ctx, const struct gy_json *item, size_t line)
{
    struct seen *s = ctx;
    struct gy_json_out o = {.to = s->to, .compact = true};

    if (gy_json_key(item) != NULL)
        gy_writer_printf(s->to, "%s=", gy_json_key(item));
    gy_jo_value(&o, NULL, item);
    if (s->n < 16)
        s->lines[s->n] = line;
    return ++s->n == s->stop_at ? 42 : 0;
}

static int stream(const char *text, size_t len, const char *key, struct seen *s)
{
    struct gy_input *in = gy_input_memory("s.json", text, len, &err);
    int rc;

    s->to = gy_writer_open(NULL, &err);
    s->n = 0;
    memset(&err, 0, sizeof err);
    rc = key != NULL && strcmp(key, "(lines)") == 0 ? gy_json_lines(in, note, s, &err)
                                                    : gy_json_stream(in, key, note, s, &err);
    gy_input_close(in);
    return rc;
}

static void gives(const char *text, const char *key, const char *want)
{
    struct seen s = {0};

    cr_assert_eq(stream(text, strlen(text), key, &s), 0, "%s: %s: %s", text, err.place, err.what);
    cr_assert_str_eq(gy_writer_memory(s.to, NULL), want);
    gy_writer_abandon(s.to);
}

static void fails(const char *text, const char *key, const char *place, const char *what)
{
    struct seen s = {0};

    cr_assert_eq(stream(text, strlen(text), key, &s), -1, "%s", text);
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert_str_eq(err.place, place, "%s: %s: %s", text, err.place, err.what);
    cr_assert_not_null(strstr(err.what, what), "%s: %s", text, err.what);
    gy_writer_abandon(s.to);
}

Test(io_stream, elements)
{
    gives("[1, \"a,]\\\"\" ,{\"x\":[{}]}, [2],true, null]\n", NULL, "1\n\"a,]\\\"\"\n{\"x\":[{}]}\n[2]\ntrue\nnull\n");
    gives("\xef\xbb\xbf // c\n [ /* ] */ ] // end", NULL, "");
    gives("[{\"a\": /* } \" */ 1 // \"\n}]", NULL, "{\"a\":1}\n");
    gives("{\"skip\":{\"jobs\":[9]},\"jobs\":[1,2],\"more\":\"]\"}", "jobs", "1\n2\n");
    gives("{\"jobs\":{\"a\":1,\"b\\u0063\":{}}}", "jobs", "a=1\nbc={}\n");
    gives("{\"a\":1,\"b\":[2]}", NULL, "a=1\nb=[2]\n");
    gives("{\"a\":1}\n{\"a\":2} 3\n\n[4]", "(lines)", "{\"a\":1}\n{\"a\":2}\n3\n[4]\n");
    gives("", "(lines)", "");
}

Test(io_stream, lines_of_elements)
{
    const char *text = "[\n1,\n\n{\"a\":\n2},3]";
    struct seen s = {0};

    cr_assert_eq(stream(text, strlen(text), NULL, &s), 0);
    cr_assert_eq(s.lines[0], 2);
    cr_assert_eq(s.lines[1], 4);
    cr_assert_eq(s.lines[2], 5);
    gy_writer_abandon(s.to);
}

Test(io_stream, stops_when_told)
{
    const char *text = "[1,2,3,4";
    struct seen s = {.stop_at = 2};

    cr_assert_eq(stream(text, strlen(text), NULL, &s), 42);
    cr_assert_eq(s.n, 2);
    gy_writer_abandon(s.to);
}

Test(io_stream, errors)
{
    fails("", NULL, "s.json:1:1", "found the end of the text, which may be truncated; expected an array");
    fails("5", NULL, "s.json:1:1", "found '5'; expected an array");
    fails("[1,2", NULL, "s.json:1:5", "found the end of the text, which may be truncated");
    fails("[1,\n {\"a\":[2", NULL, "s.json:2:2", "the text ends inside the value that begins here");
    fails("[1,\n \"ab", NULL, "s.json:2:2", "the text ends inside");
    fails("[1,]", NULL, "s.json:1:4", "found ']'; expected a value");
    fails("[1 2]", NULL, "s.json:1:4", "found '2'; expected ',' or ']'");
    fails("[1] x", NULL, "s.json:1:5", "found 'x'; expected the end of the text");
    fails("[1,\n  {\"a\": tru}]", NULL, "s.json:2:9", "found 'tru'; expected a value");
    fails("[1,\n  {\"a\":\n  tru}]", NULL, "s.json:3:3", "found 'tru'; expected a value");
    fails("[{\"a\"]", NULL, "s.json:1:6", "found ']'; expected ':' after the key");
    fails("[{\"a\":1]}]", NULL, "s.json:1:8", "found ']'; expected ',' or '}'");
    fails("[\"a\nb\"]", NULL, "s.json:1:2", "a string that its line does not close");
    fails("[1,\n{\"a\":1,\"a\":2}]", NULL, "s.json:2: /a", "a second time");
    fails("[/* 1]", NULL, "s.json:1:2", "a comment without its closing */");
    fails("{\"a\":[]}", "jobs", "s.json:1:9", "the key \"jobs\" is missing at the top");
    fails("{\"jobs\":5}", "jobs", "s.json:1:9", "found '5'; expected an array or an object");
    fails("{\"jobs\":[1],\"jobs\":[2]}", "jobs", "s.json:1:13", "a second time");
    fails("{\"jobs\":[1]", "jobs", "s.json:1:12", "found the end of the text");
    fails("[1]", "jobs", "s.json:1:1", "found '['; expected an object");
    fails("{\"a\":1}\n{\"a\":", "(lines)", "s.json:2:1", "the text ends inside");
    fails("1,2", "(lines)", "s.json:1:2", "found ','; expected a value");
}

Test(io_stream, nul_bytes_are_errors)
{
    struct seen s = {0};

    cr_assert_eq(stream("[1,\0]", 5, NULL, &s), -1);
    cr_assert_str_eq(err.place, "s.json:1:4");
    gy_writer_abandon(s.to);
    cr_assert_eq(stream("[{\"a\":\0}]", 9, NULL, &s), -1);
    cr_assert_str_eq(err.place, "s.json:1:7");
    gy_writer_abandon(s.to);
}

/* No prefix passes, whatever byte it ends on. */
Test(io_stream, every_truncation_is_an_error)
{
    static const char text[] =
        "{\"x\":[{\"q\":[]}, \"]\"], \"jobs\": [{\"a\":\"\\\"\"}, 12, /* c */ [[1],2]], \"y\": null}";
    struct seen s = {0};

    gives(text, "jobs", "{\"a\":\"\\\"\"}\n12\n[[1],2]\n");
    for (size_t n = 0; n < sizeof text - 1; n++) {
        cr_assert_eq(stream(text, n, "jobs", &s), -1, "%zu", n);
        gy_writer_abandon(s.to);
    }
}

/* Longer than any buffer, through gzip: the sum tells that every element came once and whole. */
static int add_up(void *ctx, const struct gy_json *item, size_t line)
{
    double *sum = ctx;

    (void)line;
    cr_assert_eq(strlen(gy_json_string(gy_json_get(item, "pad"))), 50);
    *sum += gy_json_number(gy_json_get(item, "id"));
    return 0;
}

Test(io_stream, a_large_file)
{
    char path[] = "/tmp/gy-io-XXXXXX.gz", pad[51];
    int fd = mkstemps(path, 3), n = 20000;
    double sum = 0;

    cr_assert_geq(fd, 0);
    memset(pad, '{', 50);
    pad[50] = '\0';
    struct gy_writer *w = gy_writer_open(path, &err);
    gy_writer_text(w, "{\"skipped\":[");
    for (int i = 0; i < n; i++)
        gy_writer_printf(w, "%s[\"%s\"]", i == 0 ? "" : ",", pad);
    gy_writer_text(w, "],\"rows\":[");
    for (int i = 0; i < n; i++)
        gy_writer_printf(w, "%s{\"id\":%d,\"pad\":\"%s\"}", i == 0 ? "" : ",\n", i, pad);
    gy_writer_text(w, "]}");
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    struct gy_input *in = gy_input_open(path, &err);
    cr_assert_eq(gy_json_stream(in, "rows", add_up, &sum, &err), 0, "%s", err.what);
    cr_assert_eq(sum, (double)n * (n - 1) / 2);
    char hex[65];
    gy_input_sha256(in, hex);
    cr_assert_eq(strlen(hex), 64); /* streaming reads to the end of the file */
    gy_input_close(in);
    unlink(path);
}

Test(io_stream, an_element_has_a_limit)
{
    size_t n = (size_t)65 << 20;
    char *text = malloc(n);
    struct seen s = {0};

    memset(text, 'x', n);
    memcpy(text, "[1,\n\"", 5);
    memcpy(text + n - 2, "\"]", 2);
    cr_assert_eq(stream(text, n, NULL, &s), -1);
    cr_assert_str_eq(err.place, "s.json:2:1");
    cr_assert_str_eq(err.what, "found an element of more than 64 MiB");
    gy_writer_abandon(s.to);
    free(text);
}
