/* JSON documents: what is accepted, each error with its place and words, walking, and printing numbers and values. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_json.h"

static struct gy_error err;

static struct gy_json_doc *parse(const char *text)
{
    struct gy_json_doc *doc = gy_json_parse("t.json", text, strlen(text), &err);

    cr_assert_not_null(doc, "%s: %s: %s", text, err.place, err.what);
    return doc;
}

/* text as this library writes it again, on one line. */
static void rewritten(const char *text, const char *want)
{
    struct gy_json_doc *doc = parse(text);
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w, .compact = true};

    gy_jo_value(&o, NULL, gy_json_root(doc));
    cr_assert_str_eq(gy_writer_memory(w, NULL), want);
    gy_writer_abandon(w);
    gy_json_free(doc);
}

Test(io_json, accepts)
{
    rewritten(" {\"a\" : [1 , 2.50, -0, 1E3, true,false,null,\"\"],\"b\":{}}\n",
              "{\"a\":[1,2.5,0,1000,true,false,null,\"\"],\"b\":{}}\n");
    rewritten("\xef\xbb\xbf[]", "[]\n");
    rewritten("5", "5\n");
    rewritten("[\"\\u00e9\\ud83d\\ude00\\n\\\"\\/\"]", "[\"\xc3\xa9\xf0\x9f\x98\x80\\n\\\"/\"]\n");
    rewritten("{\"a\":1, // one\r\n /* two, \" \n */ \"b//c\":\"/* no */\"}", "{\"a\":1,\"b//c\":\"/* no */\"}\n");
    rewritten("{\"a\":1,\"A\":2}", "{\"a\":1,\"A\":2}\n");
    rewritten("[1]// at the end", "[1]\n");
    rewritten("[1e-400, 1.7976931348623157e308]", "[0,1.7976931348623157e+308]\n");
}

Test(io_json, refuses_with_place_and_words)
{
    static const struct {
        const char *text, *place, *what;
    } rows[] = {
        {"", "t.json:1:1", "found the end of the text; expected a value"},
        {"// only\n", "t.json:2:1", "found the end of the text; expected a value"},
        {"{\"a\":1,}", "t.json:1:7", "found ','; expected no comma after the last member"},
        {"[1,\n]", "t.json:1:3", "found ','; expected no comma after the last element"},
        {"{\"a\":1 \"b\":2}", "t.json:1:8", "found a string; expected ',' or '}'"},
        {"{\"a\" 1}", "t.json:1:6", "found '1'; expected ':' after the key"},
        {"[1 2]", "t.json:1:4", "found '2'; expected ',' or ']'"},
        {"[1}", "t.json:1:3", "found '}'; expected ',' or ']'"},
        {"[1,2", "t.json:1:5", "found the end of the text; expected ',' or ']'"},
        {"{a:1}", "t.json:1:2", "found 'a'; expected a key in double quotes"},
        {"[01]", "t.json:1:2", "found '01'; expected a number without leading zeros"},
        {"[1.]", "t.json:1:4", "found ']'; expected a digit after the decimal point"},
        {"[.5]", "t.json:1:2", "found '.5'; expected a value"},
        {"[+5]", "t.json:1:2", "found '+5'; expected a value"},
        {"[-]", "t.json:1:3", "found ']'; expected a digit after '-'"},
        {"[1e]", "t.json:1:4", "found ']'; expected a digit in the exponent"},
        {"[1e309]", "t.json:1:2", "found 1e309; expected a number that a double holds, at most 1.79e308"},
        {"[nul]", "t.json:1:2", "found 'nul'; expected a value"},
        {"[nullx]", "t.json:1:6", "found 'x'; expected ',' or ']'"},
        {"[1] 2", "t.json:1:5", "found '2'; expected the end of the text after its one value"},
        {"[\"ab\n\"]", "t.json:1:2", "found a string that its line does not close; a line break is written \\n"},
        {"[\"ab", "t.json:1:2", "found a string without its closing quote"},
        {"[\"a\tb\"]", "t.json:1:4",
         "found the control byte 0x09; expected no control bytes inside a string (a tab is"
         " written \\t)"},
        {"[\"\\x\"]", "t.json:1:4", "found 'x'; expected one of \" \\ / b f n r t u after \\"},
        {"[\"\\u12g4\"]", "t.json:1:3", "found \\u without four hexadecimal digits"},
        {"[\"\\u0000\"]", "t.json:1:3", "found \\u0000 in a string; NUL is not allowed"},
        {"[\"\\ud83d\"]", "t.json:1:3", "found half of a surrogate pair; expected \\uD8xx\\uDCxx"},
        {"[\"\\udc00\"]", "t.json:1:3", "found half of a surrogate pair; expected \\uD8xx\\uDCxx"},
        {"/* a", "t.json:1:1", "found a comment without its closing */"},
        {"[1, /* \xc3\xa9\xc3\xa9 */ x]", "t.json:1:14", "found 'x'; expected a value"},
        {"[\"\xc3\xa9\", x]", "t.json:1:7", "found 'x'; expected a value"},
        {"[1]]", "t.json:1:4", "found ']'; expected the end of the text after its one value"},
        {"{\"a\":{\"k\":1},\n \"b\":[{},{\"q\":1,\n  \"x\":2, \"\\u0071\":3}]}", "t.json:3:10: /b/1/q",
         "found this key a second time in its object; expected each key once"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&err, 0, sizeof err);
        cr_assert_null(gy_json_parse("t.json", rows[i].text, strlen(rows[i].text), &err), "%s", rows[i].text);
        cr_assert_eq(err.code, GY_EINPUT);
        cr_assert_str_eq(err.place, rows[i].place, "%s: %s", rows[i].text, err.place);
        cr_assert_str_eq(err.what, rows[i].what, "%s: %s", rows[i].text, err.what);
    }
}

Test(io_json, hints_at_common_slips)
{
    static const char *const rows[][2] = {
        {"{'a':1}", "strings are written in double quotes"}, {"[True]", "write true"},     {"[NaN]", "write null"},
        {"# no", "comments are written // or /* */"},        {"[1,]", "remove the comma"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_null(gy_json_parse("t.json", rows[i][0], strlen(rows[i][0]), &err));
        cr_assert_str_eq(err.hint, rows[i][1]);
    }
}

Test(io_json, refuses_nul_bytes_and_depth)
{
    char deep[403];

    cr_assert_null(gy_json_parse("t.json", "[1,\0 2]", 7, &err));
    cr_assert_str_eq(err.what, "found the control byte 0x00; expected a value");
    cr_assert_null(gy_json_parse("t.json", "[\"a\0b\"]", 7, &err));
    cr_assert_null(gy_json_parse("t.json", "[1]\0", 4, &err));
    memset(deep, '[', 200);
    memset(deep + 200, ']', 200);
    gy_json_free(gy_json_parse("t.json", deep, 400, &err));
    memset(deep, '[', 201);
    memset(deep + 201, ']', 201);
    cr_assert_null(gy_json_parse("t.json", deep, 402, &err));
    cr_assert_str_eq(err.place, "t.json:1:201");
    cr_assert_str_eq(err.what, "found more than 200 levels of nesting");
}

Test(io_json, long_numbers_are_refused_not_cut)
{
    char text[70];

    memset(text, '1', sizeof text);
    text[63] = '\0';
    rewritten(text, "1.1111111111111112e+62\n");
    text[63] = '1';
    cr_assert_null(gy_json_parse("t.json", text, 64, &err));
    cr_assert_str_eq(err.what, "found a number of more than 63 characters");
}

Test(io_json, a_second_key_among_many)
{
    char text[4096] = "{", *at = text + 1;

    for (int i = 0; i < 100; i++)
        at += sprintf(at, "\"k%d\":0,\n", i);
    sprintf(at, "\"k57\":1}");
    cr_assert_null(gy_json_parse("t.json", text, strlen(text), &err));
    cr_assert_str_eq(err.place, "t.json:101:1: /k57");
}

/* Every prefix of a text with everything in it is an error, and so is every byte replaced by a control byte. */
Test(io_json, broken_texts_never_pass)
{
    static const char text[] = "{\"a\\u00e9\": [1, -2.5e-3, true, null, {\"b\": \"\\ud83d\\ude00 x\"}], \"c\": {}}";
    size_t n = sizeof text - 1;
    char copy[sizeof text];

    gy_json_free(parse(text));
    for (size_t i = 0; i < n; i++) {
        cr_assert_null(gy_json_parse("t.json", text, i, &err), "prefix %zu", i);
        memcpy(copy, text, sizeof text);
        copy[i] = '\x01';
        cr_assert_null(gy_json_parse("t.json", copy, n, &err), "byte %zu", i);
    }
}

Test(io_json, walks)
{
    struct gy_json_doc *doc = parse("{\"a\":[10,{\"x/y\":{\"~\":\"deep\"}}],\"n\":1.5,\"t\":true,\"z\":null,\"\":7}");
    const struct gy_json *root = gy_json_root(doc), *a = gy_json_get(root, "a");
    int64_t i;

    cr_assert_str_eq(gy_json_name(doc), "t.json");
    cr_assert_eq(gy_json_type(root), GY_J_OBJECT);
    cr_assert_eq(gy_json_count(root), 5);
    cr_assert_eq(gy_json_count(a), 2);
    cr_assert_str_eq(gy_json_key(a), "a");
    cr_assert_null(gy_json_key(gy_json_first(a)));
    cr_assert(gy_json_is_integer(gy_json_first(a), &i));
    cr_assert_eq(i, 10);
    cr_assert_not(gy_json_is_integer(gy_json_get(root, "n"), &i));
    cr_assert(gy_json_true(gy_json_get(root, "t")));
    cr_assert_null(gy_json_get(root, "A"));
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/a/1/x~1y/~0")), "deep");
    cr_assert_eq(gy_json_number(gy_json_at(root, "a.0")), 10);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/")), 7);
    cr_assert_eq(gy_json_at(root, ""), root);
    cr_assert_null(gy_json_at(root, "/a/2"));
    cr_assert_null(gy_json_at(root, "/a/00"));
    cr_assert_null(gy_json_at(root, "/a/-1"));
    cr_assert_null(gy_json_at(root, "/n/x"));
    cr_assert_eq(gy_json_type(gy_json_get(root, "z")), GY_J_NULL);
    cr_assert_null(gy_json_string(NULL));
    cr_assert(isnan(gy_json_number(NULL)));
    cr_assert_eq(gy_json_count(NULL), 0);
    gy_json_free(doc);
}

Test(io_json, integers_are_exact_to_2_53)
{
    struct gy_json_doc *doc = parse("[9007199254740992, 9007199254740994, -9007199254740991, 1e3]");
    const struct gy_json *c = gy_json_first(gy_json_root(doc));
    int64_t i;

    cr_assert(gy_json_is_integer(c, &i));
    cr_assert_eq(i, 9007199254740992);
    cr_assert_not(gy_json_is_integer(c = gy_json_next(c), &i));
    cr_assert(gy_json_is_integer(c = gy_json_next(c), &i));
    cr_assert_eq(i, -9007199254740991);
    cr_assert(gy_json_is_integer(gy_json_next(c), &i));
    cr_assert_eq(i, 1000);
    gy_json_free(doc);
}

Test(io_json, numbers_print_short)
{
    static const struct {
        double v;
        const char *want;
    } rows[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {-12, "-12"},
        {0.1, "0.1"},
        {0.25, "0.25"},
        {1.0 / 3, "0.3333333333333333"},
        {100000.5, "100000.5"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {1e22, "1e+22"},
        {1e-4, "0.0001"},
        {1e-5, "1e-5"},
        {1.5e-10, "1.5e-10"},
        {-3.25, "-3.25"},
        {0.1 + 0.2, "0.30000000000000004"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "4.94065645841247e-324"},
        {2.5e100, "2.5e+100"},
        {123456.789, "123456.789"},
        {NAN, "nan"},
        {-INFINITY, "-inf"},
    };
    char buf[32];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = gy_number_print(rows[i].v, buf);
        cr_assert_str_eq(buf, rows[i].want);
        cr_assert_eq(n, strlen(buf));
    }
}

/* All scales, and decimals as people write them: what is printed reads back equal, and %.15g is never shorter. */
Test(io_json, numbers_read_back_equal)
{
    uint64_t x = 1;
    char buf[32], plain[40];

    for (int i = 0; i < 200000; i++) {
        double v;
        x = x * 6364136223846793005u + 1442695040888963407u;
        memcpy(&v, &x, sizeof v);
        if (i % 2 == 0)
            v = (double)(x >> 40) / pow(10, (double)(x % 9));
        if (!isfinite(v))
            continue;
        size_t n = gy_number_print(v, buf);
        cr_assert_eq(strtod(buf, NULL), v, "%.17g: %s", v, buf);
        cr_assert_lt(n, 25);
        snprintf(plain, sizeof plain, "%.15g", v);
        if (strtod(plain, NULL) == v && strchr(plain, 'e') == NULL)
            cr_assert_str_eq(buf, plain);
    }
}

Test(io_json, writes_indented)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w};

    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "s", "q\"\\\x01\n\xff\xed\xa0\x80\xc3\xa9");
    gy_jo_array(&o, "a");
    gy_jo_integer(&o, NULL, INT64_MIN);
    gy_jo_number(&o, NULL, INFINITY);
    gy_jo_bool(&o, NULL, false);
    gy_jo_array(&o, NULL);
    gy_jo_end(&o, ']');
    gy_jo_end(&o, ']');
    gy_jo_string(&o, "n", NULL);
    gy_jo_end(&o, '}');
    cr_assert_str_eq(gy_writer_memory(w, NULL),
                     "{\n  \"s\": \"q\\\"\\\\\\u0001\\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\",\n"
                     "  \"a\": [\n    -9223372036854775808,\n    null,\n    false,\n    []\n  ],\n  \"n\": null\n}\n");
    gy_writer_abandon(w);
}

Test(io_json, writes_lines)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w, .compact = true};

    for (int i = 0; i < 2; i++) {
        gy_jo_object(&o, NULL);
        gy_jo_integer(&o, "i", i);
        gy_jo_number(&o, "h", i / 2.0);
        gy_jo_end(&o, '}');
    }
    cr_assert_str_eq(gy_writer_memory(w, NULL), "{\"i\":0,\"h\":0}\n{\"i\":1,\"h\":0.5}\n");
    gy_writer_abandon(w);
}
