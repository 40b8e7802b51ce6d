/* Places of values in the text, overrides by pointer, merge patches, copies, and who named a value. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"

static struct gy_error err;

static struct gy_json_doc *parse(const char *text)
{
    struct gy_json_doc *doc = gy_json_parse("d/t.json", text, strlen(text), &err);

    cr_assert_not_null(doc, "%s: %s", err.place, err.what);
    return doc;
}

static void reads(const struct gy_json_doc *doc, const char *want)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w, .compact = true};
    size_t len;

    gy_jo_value(&o, NULL, gy_json_root(doc));
    const char *text = gy_writer_memory(w, &len);
    cr_assert_eq(strncmp(text, want, len - 1), 0, "%s, not %s", text, want);
    cr_assert_eq(len - 1, strlen(want), "%s, not %s", text, want);
    gy_writer_abandon(w);
}

static void stands_at(const struct gy_json_doc *doc, const char *pointer, const char *want)
{
    char place[256];

    gy_json_place(doc, pointer, place, sizeof place);
    cr_assert_str_eq(place, want);
}

Test(io_json_edit, places)
{
    struct gy_json_doc *doc =
        parse("// head\n{\n  \"a\": [10, /* \xc3\xa9 */ 20,\n    {\"k\\u0065y\": {}, \"b/c\": 1}\n  ],\n"
              "  \"e\": []\n}");

    stands_at(doc, "", "d/t.json:2:1");
    stands_at(doc, "/a", "d/t.json:3:3: /a");
    stands_at(doc, "/a/0", "d/t.json:3:9: /a/0");
    stands_at(doc, "/a/1", "d/t.json:3:21: /a/1");
    stands_at(doc, "/a/2/key", "d/t.json:4:6: /a/2/key");
    stands_at(doc, "/a/2/b~1c", "d/t.json:4:22: /a/2/b~1c");
    stands_at(doc, "/a/3", "d/t.json: /a/3");
    stands_at(doc, "/e/0", "d/t.json: /e/0");
    stands_at(doc, "/e/x", "d/t.json: /e/x");
    stands_at(doc, "/a/2/key/none", "d/t.json: /a/2/key/none");
    stands_at(doc, "/none", "d/t.json: /none");
    gy_json_free(doc);
}

Test(io_json_edit, sets)
{
    struct gy_json_doc *doc = parse("{\"a\":{\"b\":1},\"l\":[1,{\"x\":2}],\"n\":null}");

    cr_assert_eq(gy_json_set(doc, "/a/b", "2.5", &err), 0);
    cr_assert_eq(gy_json_set(doc, "a.c", "word of text", &err), 0);
    cr_assert_eq(gy_json_set(doc, "/l/1/x", "{\"y\":[]}", &err), 0);
    cr_assert_eq(gy_json_set(doc, "l.0", "true", &err), 0);
    cr_assert_eq(gy_json_set(doc, "/l/-", "3", &err), 0);
    cr_assert_eq(gy_json_set(doc, "/l/3", "\"4\"", &err), 0);
    cr_assert_eq(gy_json_set(doc, "/n/new/deep", "null", &err), 0);
    cr_assert_eq(gy_json_set(doc, "/l/4/z", "{bad", &err), 0);
    reads(doc, "{\"a\":{\"b\":2.5,\"c\":\"word of text\"},\"l\":[true,{\"x\":{\"y\":[]}},3,\"4\",{\"z\":\"{bad\"}],"
               "\"n\":{\"new\":{\"deep\":null}}}");
    cr_assert_eq(gy_json_set(doc, "", "7", &err), 0);
    reads(doc, "7");
    stands_at(doc, "/a/b", "d/t.json: /a/b");
    gy_json_free(doc);
}

static void set_fails(struct gy_json_doc *doc, const char *pointer, const char *place, const char *what)
{
    cr_assert_eq(gy_json_set(doc, pointer, "1", &err), -1);
    cr_assert_eq(err.code, GY_EINPUT);
    cr_assert_str_eq(err.place, place);
    cr_assert_str_eq(err.what, what);
}

Test(io_json_edit, sets_nothing_where_nothing_can_be)
{
    struct gy_json_doc *doc = parse("{\"a\":1,\"l\":[0]}");

    set_fails(doc, "/a/b", "/a", "found a number; expected an object to set \"b\" in");
    set_fails(doc, "/a/b/c", "/a", "found a number; expected an object to set \"b\" in");
    set_fails(doc, "/l/2", "/l", "found \"2\" as an index; expected 0 to 1");
    set_fails(doc, "/l/x/y", "/l", "found \"x\" as an index; expected 0 to 1");
    set_fails(doc, "/l/99999999999999999999", "/l", "found \"99999999999999999999\" as an index; expected 0 to 1");
    reads(doc, "{\"a\":1,\"l\":[0]}");
    gy_json_free(doc);
}

/* The examples of RFC 7396, appendix A. */
Test(io_json_edit, merges_as_the_rfc_says)
{
    static const char *const rows[][3] = {
        {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
        {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
        {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
        {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
        {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
        {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
        {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
        {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
        {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
        {"{\"a\":\"foo\"}", "null", "null"},
        {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
        {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
        {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
        {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gy_json_doc *doc = parse(rows[i][0]), *patch = parse(rows[i][1]);
        cr_assert_eq(gy_json_merge(doc, gy_json_root(patch), &err), 0);
        gy_json_free(patch); /* nothing of it is shared */
        reads(doc, rows[i][2]);
        gy_json_free(doc);
    }
}

Test(io_json_edit, remembers_who_named_a_value)
{
    struct gy_json_doc *doc = parse("{\"a\":{\"x\":1,\"y\":2},\n\"b\":3}"), *patch = parse("{\"a\":{\"x\":5}}"), *copy;

    cr_assert_eq(gy_json_merge_as(doc, gy_json_root(patch), "studies/s.json", &err), 0);
    cr_assert_eq(gy_json_set_as(doc, "b", "4", "--set", &err), 0);
    copy = gy_json_copy(doc);
    gy_json_free(patch);
    gy_json_free(doc);
    reads(copy, "{\"a\":{\"x\":5,\"y\":2},\"b\":4}");
    cr_assert_str_eq(gy_json_origin(copy, "/a/x"), "studies/s.json");
    cr_assert_str_eq(gy_json_origin(copy, "/a/y"), "d/t.json");
    cr_assert_str_eq(gy_json_origin(copy, "/b/inside"), "--set");
    cr_assert_str_eq(gy_json_origin(copy, "/bb"), "d/t.json");
    stands_at(copy, "/a/x", "studies/s.json: /a/x");
    stands_at(copy, "/a/y", "d/t.json:1:13: /a/y");
    stands_at(copy, "/b", "--set: /b");
    gy_json_free(copy);
}
