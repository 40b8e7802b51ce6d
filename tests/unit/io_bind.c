/* Binding by tables: values, units, defaults, every error at once with its place, round trips, schema and help. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "gy_bind.h"
#include "gy_file.h"

struct node {
    const char *name;
    int64_t gpus;
    double memory;
    gy_time repair;
};
struct power {
    double idle;
    bool capped;
};
struct all {
    bool flag;
    int64_t count;
    double ratio, bandwidth, link, budget, delay_us, plain;
    gy_time at, latency, hold;
    const char *name, *path;
    int order;
    struct gy_texts labels;
    struct power power, maybe;
    struct gy_list nodes;
    const struct gy_json *rest;
};

static const struct gy_param node_rows[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = offsetof(struct node, name), .help = "A host."},
    {.name = "gpus", .type = GY_P_INT, .offset = offsetof(struct node, gpus), .preset = "8", .min = 1, .max = 16},
    {.name = "memory_gib",
     .type = GY_P_REAL,
     .offset = offsetof(struct node, memory),
     .unit = GY_U_BYTES,
     .preset = "\"512GiB\"",
     .min = 0,
     .max = INFINITY},
    {.name = "repair_h",
     .type = GY_P_TIME,
     .offset = offsetof(struct node, repair),
     .unit = GY_U_TIME,
     .preset = "1.5"},
    {0},
};
static const struct gy_param power_rows[] = {
    {.name = "idle_w", .type = GY_P_REAL, .offset = offsetof(struct power, idle), .unit = GY_U_WATT, .preset = "null"},
    {.name = "capped", .type = GY_P_BOOL, .offset = offsetof(struct power, capped), .preset = "null"},
    {0},
};
#define AT(member) .offset = offsetof(struct all, member)
static const struct gy_param rows[] = {
    {.name = "flag", .type = GY_P_BOOL, AT(flag), .preset = "true"},
    {.name = "count", .type = GY_P_INT, AT(count), .preset = "null"},
    {.name = "ratio", .type = GY_P_REAL, AT(ratio), .unit = GY_U_RATIO, .preset = "0.5", .min = 0, .max = 1},
    {.name = "bandwidth_gbps", .type = GY_P_REAL, AT(bandwidth), .unit = GY_U_BYTES_PER_S, .preset = "null"},
    {.name = "link_gbit", .type = GY_P_REAL, AT(link), .unit = GY_U_BYTES_PER_S, .preset = "100"},
    {.name = "budget_usd", .type = GY_P_REAL, AT(budget), .unit = GY_U_USD, .preset = "null"},
    {.name = "delay_us", .type = GY_P_REAL, AT(delay_us), .unit = GY_U_TIME, .preset = "0"},
    {.name = "plain", .type = GY_P_REAL, AT(plain), .preset = "null", .help = "A number.", .source = "a table"},
    {.name = "at", .type = GY_P_TIME, AT(at), .preset = "\"90d\"", .min = 0, .max = INFINITY},
    {.name = "latency_us", .type = GY_P_TIME, AT(latency), .preset = "3"},
    {.name = "hold_s", .type = GY_P_TIME, AT(hold), .preset = "null", .min = 0, .max = 60},
    {.name = "name", .type = GY_P_TEXT, AT(name), .preset = "\"run\""},
    {.name = "path", .type = GY_P_PATH, AT(path), .preset = "null"},
    {.name = "order", .type = GY_P_CHOICE, AT(order), .preset = "\"fifo\"", .choices = "fifo|sjf|multifactor"},
    {.name = "labels", .type = GY_P_TEXTS, AT(labels), .preset = "[\"a\",\"b\"]", .min = 0, .max = 3},
    {.name = "power", .type = GY_P_OBJECT, AT(power), .preset = "{\"idle_w\":\"1kW\"}", .fields = power_rows},
    {.name = "maybe", .type = GY_P_OBJECT, AT(maybe), .preset = "null", .fields = power_rows},
    {.name = "nodes",
     .type = GY_P_LIST,
     AT(nodes),
     .preset = "[]",
     .fields = node_rows,
     .item_size = sizeof(struct node)},
    {.name = "rest", .type = GY_P_JSON, AT(rest), .preset = "{\"x\":[1,\"y\"]}"},
    {0},
};

static struct gy_error err;
static struct gy_arena arena;
static struct gy_diags diags;
static struct gy_json_doc *doc;

static int bind(const char *name, const char *text, struct all *out)
{
    doc = gy_json_parse(name, text, strlen(text), &err);
    cr_assert_not_null(doc, "%s: %s", err.place, err.what);
    memset(&diags, 0, sizeof diags);
    memset(out, 0x55, sizeof *out); /* nothing may be left unset */
    return gy_bind(rows, doc, gy_json_root(doc), "", out, &arena, &diags);
}

static void clean(void)
{
    gy_json_free(doc);
    gy_arena_free(&arena);
}

TestSuite(io_bind, .fini = clean);

Test(io_bind, defaults)
{
    struct all a;

    cr_assert_eq(bind("s.json", "{}", &a), 0);
    cr_assert(a.flag);
    cr_assert_eq(a.count, INT64_MIN);
    cr_assert_eq(a.ratio, 0.5);
    cr_assert(isnan(a.bandwidth));
    cr_assert_eq(a.link, 100);
    cr_assert_eq(a.at, 90 * GY_DAY);
    cr_assert_eq(a.latency, 3000);
    cr_assert_eq(a.hold, GY_NONE);
    cr_assert_str_eq(a.name, "run");
    cr_assert_null(a.path);
    cr_assert_eq(a.order, 0);
    cr_assert_eq(a.labels.n, 2);
    cr_assert_str_eq(a.labels.at[1], "b");
    cr_assert_eq(a.power.idle, 1000);
    cr_assert_not(a.power.capped);
    cr_assert(isnan(a.maybe.idle));
    cr_assert_eq(a.nodes.n, 0);
    cr_assert_str_eq(gy_json_string(gy_json_at(a.rest, "/x/1")), "y");
    gy_arena_reset(&arena);
    cr_assert_eq(gy_bind(rows, NULL, NULL, "/policy", &a, &arena, &diags), 0); /* no document at all */
    cr_assert_eq(a.at, 90 * GY_DAY);
}

Test(io_bind, null_means_the_default)
{
    struct all a;

    cr_assert_eq(bind("s.json", "{\"flag\":null,\"ratio\":null,\"labels\":null,\"power\":null,\"nodes\":null}", &a), 0);
    cr_assert(a.flag);
    cr_assert_eq(a.ratio, 0.5);
    cr_assert_eq(a.labels.n, 2);
    cr_assert_eq(a.power.idle, 1000);
}

Test(io_bind, values)
{
    struct all a;

    cr_assert_eq(
        bind("dir/s.json",
             "{\"flag\":false,\"count\":-3,\"plain\":1e-3,\"at\":12.000000001,\"latency_us\":0.5,\"hold_s\":60,"
             "\"name\":\"x\",\"path\":\"t.csv\",\"order\":\"multifactor\",\"labels\":[],\"power\":{\"capped\":true},"
             "\"nodes\":[{\"name\":\"n1\"},{\"name\":\"n2\",\"gpus\":4,\"repair_h\":2}],\"rest\":5,"
             "\"$schema\":\"x\",\"// why\":[1],\"$note\":{}}",
             &a),
        0);
    const struct node *n = a.nodes.at;
    cr_assert_not(a.flag);
    cr_assert_eq(a.count, -3);
    cr_assert_eq(a.plain, 1e-3);
    cr_assert_eq(a.at, 12000000001);
    cr_assert_eq(a.latency, 500);
    cr_assert_eq(a.hold, 60 * GY_SECOND);
    cr_assert_str_eq(a.path, "dir/t.csv");
    cr_assert_eq(a.order, 2);
    cr_assert_eq(a.labels.n, 0);
    cr_assert(a.power.capped);
    cr_assert(isnan(a.power.idle)); /* of the object's own table, not of the default object */
    cr_assert_eq(a.nodes.n, 2);
    cr_assert_eq(n[0].gpus, 8);
    cr_assert_eq(n[0].memory, 512);
    cr_assert_eq(n[0].repair, 3 * GY_HOUR / 2);
    cr_assert_eq(n[1].gpus, 4);
    cr_assert_eq(n[1].repair, 2 * GY_HOUR);
    cr_assert_eq(gy_json_number(a.rest), 5);
}

Test(io_bind, units)
{
    struct all a;

    cr_assert_eq(
        bind("s.json",
             "{\"bandwidth_gbps\":\"400Gbit/s\",\"link_gbit\":\"50GB/s\",\"budget_usd\":\"2.5USD\",\"ratio\":\"85%\","
             "\"delay_us\":\"7us\",\"at\":\"1.5h\",\"latency_us\":\"2ms\",\"hold_s\":\"30\","
             "\"power\":{\"idle_w\":\"1.5kW\"},\"nodes\":[{\"name\":\"n\",\"memory_gib\":\"1TiB\",\"repair_h\":"
             "\"90min\"}]}",
             &a),
        0);
    const struct node *n = a.nodes.at;
    cr_assert_eq(a.bandwidth, 50);
    cr_assert_eq(a.link, 400);
    cr_assert_eq(a.budget, 2.5);
    cr_assert_eq(a.ratio, 0.85);
    cr_assert_eq(a.delay_us, 7);
    cr_assert_eq(a.at, 3 * GY_HOUR / 2);
    cr_assert_eq(a.latency, 2000000);
    cr_assert_eq(a.hold, 30 * GY_SECOND); /* bare: in the key's unit */
    cr_assert_eq(a.power.idle, 1500);
    cr_assert_eq(n->memory, 1024);
    cr_assert_eq(n->repair, 3 * GY_HOUR / 2);
    gy_json_free(doc);
    for (int i = 1; i < 1000; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"delay_us\":\"%d.%dus\"}", i, i % 10);
        cr_assert_eq(bind("s.json", text, &a), 0);
        cr_assert_eq(a.delay_us, strtod(text + 13, NULL), "%s: %.17g", text, a.delay_us);
        gy_json_free(doc);
    }
    cr_assert_eq(bind("s.json", "{\"delay_us\":\"0.25ns\",\"at\":\"never\"}", &a), 0);
    cr_assert_float_eq(a.delay_us, 0.00025, 1e-18);
    cr_assert_eq(a.at, GY_NEVER);
}

/* One error a text: its place behind the file's name, its words, its hint. */
Test(io_bind, errors)
{
    static const struct {
        const char *text, *place, *what, *hint;
    } cases[] = {
        {"{\"rato\":1}", "1:2: /rato", "unknown key", "did you mean \"ratio\"?"},
        {"{\"nodes\":[{\"name\":\"a\",\n \"gpu\":1}]}", "2:2: /nodes/0/gpu", "unknown key", "did you mean \"gpus\"?"},
        {"{\"power\":{\"zzzzzzz\":1}}", "1:11: /power/zzzzzzz", "unknown key", "known keys: idle_w, capped"},
        {"{\"flag\":1}", "1:2: /flag", "found 1; expected true or false", ""},
        {"{\"count\":1.5}", "1:2: /count", "found 1.5; expected a whole number", ""},
        {"{\"count\":1e17}", "1:2: /count", "found 1e+17; expected a whole number of at most 2^53", ""},
        {"{\"count\":\"5\"}", "1:2: /count", "found \"5\"; expected a whole number", ""},
        {"{\"plain\":[]}", "1:2: /plain", "found an array; expected a number", ""},
        {"{\"ratio\":1.5}", "1:2: /ratio", "found 1.5; expected between 0 and 1", ""},
        {"{\"budget_usd\":true}", "1:2: /budget_usd",
         "found true; expected a number in USD or a text such as \"2.5USD\"", ""},
        {"{\"bandwidth_gbps\":\"4 parsec\"}", "1:2: /bandwidth_gbps",
         "\"4 parsec\" has an unknown unit; expected GB/s, GiB/s or Gbit/s", ""},
        {"{\"at\":-1}", "1:2: /at", "found -1; expected at least 0 s", ""},
        {"{\"at\":1e12}", "1:2: /at", "found 1000000000000; expected a time of at most about 145 years", ""},
        {"{\"at\":{}}", "1:2: /at", "found an object; expected a number in s or a text such as \"1.5h\"", ""},
        {"{\"hold_s\":\"2min\"}", "1:2: /hold_s", "found \"2min\"; expected between 0 and 60 s", ""},
        {"{\"hold_s\":\"never\"}", "1:2: /hold_s", "found \"never\"; expected between 0 and 60 s", ""},
        {"{\"name\":5}", "1:2: /name", "found 5; expected a string", ""},
        {"{\"path\":5}", "1:2: /path", "found 5; expected a path as a string", ""},
        {"{\"order\":\"multi-factor\"}", "1:2: /order",
         "found \"multi-factor\"; expected one of fifo, sjf, multifactor", "did you mean \"multifactor\"?"},
        {"{\"order\":0}", "1:2: /order", "found 0; expected one of fifo, sjf, multifactor", ""},
        {"{\"labels\":\"a\"}", "1:2: /labels", "found \"a\"; expected an array of strings", ""},
        {"{\"labels\":[\"a\",\n2]}", "2:1: /labels/1", "found 2; expected a string", ""},
        {"{\"labels\":[\"\",\"\",\"\",\"\"]}", "1:2: /labels", "found 4 elements; expected between 0 and 3", ""},
        {"{\"power\":[]}", "1:2: /power", "found an array; expected an object", ""},
        {"{\"nodes\":{}}", "1:2: /nodes", "found an object; expected an array of objects", ""},
        {"{\"nodes\":[7]}", "1:11: /nodes/0", "found 7; expected an object", ""},
        {"{\"nodes\":[{}]}", "1:11: /nodes/0", "the key \"name\" is missing; expected a string", ""},
        {"{\"nodes\":[{\"name\":null}]}", "1:11: /nodes/0", "the key \"name\" is missing; expected a string", ""},
        {"{\"nodes\":[{\"name\":\"a\",\"gpus\":17}]}", "1:23: /nodes/0/gpus", "found 17; expected between 1 and 16",
         ""},
        {"[]", "1:1", "found an array; expected an object", ""},
    };
    struct all a;
    char place[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(bind("s.json", cases[i].text, &a), -1, "%s", cases[i].text);
        cr_assert_eq(diags.total, 1, "%s", cases[i].text);
        snprintf(place, sizeof place, "s.json:%s", cases[i].place);
        cr_assert_eq(diags.at[0].code, GY_EINPUT);
        cr_assert_str_eq(diags.at[0].place, place);
        cr_assert_str_eq(diags.at[0].what, cases[i].what);
        cr_assert_str_eq(diags.at[0].hint, cases[i].hint);
        gy_json_free(doc);
    }
    doc = NULL;
}

Test(io_bind, all_errors_at_once)
{
    char text[2000] = "{\"nodes\":[";
    struct all a;

    cr_assert_eq(bind("s.json", "{\"x1\":1,\"count\":\"a\",\"nodes\":[{\"gpus\":0},{\"name\":1}],\"order\":\"?\"}", &a),
                 -1);
    cr_assert_eq(diags.total, 6);
    gy_json_free(doc);
    for (int i = 0; i < 30; i++)
        strcat(text, i == 0 ? "1" : ",1");
    strcat(text, "]}");
    cr_assert_eq(bind("s.json", text, &a), -1);
    cr_assert_eq(diags.total, 30);
    cr_assert_eq(diags.shown, GY_DIAGS_MAX);
}

Test(io_bind, overrides_name_themselves_and_their_folder)
{
    struct all a;
    const char *text = "{\"path\":\"a.csv\"}";

    doc = gy_json_parse("dir/s.json", text, strlen(text), &err);
    cr_assert_eq(gy_json_set_as(doc, "/path", "b.csv", "studies/x.json", &err), 0);
    cr_assert_eq(gy_bind(rows, doc, gy_json_root(doc), "", &a, &arena, &diags), 0);
    cr_assert_str_eq(a.path, "studies/b.csv");
    cr_assert_eq(gy_json_set_as(doc, "path", "c.csv", "--set", &err), 0);
    cr_assert_eq(gy_json_set_as(doc, "order", "sfj", "--set", &err), 0);
    cr_assert_eq(gy_bind(rows, doc, gy_json_root(doc), "", &a, &arena, &diags), -1);
    cr_assert_str_eq(a.path, "c.csv");
    cr_assert_str_eq(diags.at[0].place, "--set: /order");
}

struct own {
    int64_t depth;
};

Test(io_bind, two_tables_over_one_object)
{
    static const struct gy_param own_rows[] = {
        {.name = "depth", .type = GY_P_INT, .offset = offsetof(struct own, depth), .preset = "10"},
        {0},
    };
    const struct gy_param *tables[] = {power_rows, own_rows};
    const char *text = "{\"policy\":{\"idle_w\":5,\"depth\":3,\"dept\":4}}";
    struct power p;
    struct own o;
    void *outs[] = {&p, &o};

    doc = gy_json_parse("s.json", text, strlen(text), &err);
    cr_assert_eq(
        gy_bind_many(tables, 2, doc, gy_json_at(gy_json_root(doc), "/policy"), "/policy", outs, &arena, &diags), -1);
    cr_assert_eq(diags.total, 1);
    cr_assert_str_eq(diags.at[0].place, "s.json:1:33: /policy/dept");
    cr_assert_str_eq(diags.at[0].hint, "did you mean \"depth\"?");
    cr_assert_eq(p.idle, 5);
    cr_assert_eq(o.depth, 3);
}

static char *written(const struct all *a)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w};

    gy_jo_object(&o, NULL);
    gy_bind_write(rows, a, &o);
    gy_jo_end(&o, '}');
    char *text = strdup(gy_writer_memory(w, NULL));
    gy_writer_abandon(w);
    return text;
}

/* What is written, bound and written again: the same bytes, and the same struct where no pointer hides it. */
Test(io_bind, writing_round_trips)
{
    static const char *const texts[] = {
        "{}",
        "{\"at\":\"never\",\"latency_us\":\"1ns\",\"hold_s\":\"0.000000001s\",\"labels\":[],\"flag\":false,\"count\":"
        "7}",
        "{\"at\":\"1234567890.123456789\",\"bandwidth_gbps\":\"1GiB/s\",\"delay_us\":\"0.1ns\",\"path\":\"/t.csv\"}",
        "{\"power\":{},\"maybe\":{\"capped\":true},\"nodes\":[{\"name\":\"\\u00e9\\\"\",\"repair_h\":\"1s\"}],\"rest\":"
        "[null]}",
        "{\"nodes\":[{\"name\":\"a\",\"memory_gib\":0.1}],\"order\":\"sjf\",\"name\":\"\",\"ratio\":\"33.3%\"}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct all a, b;
        cr_assert_eq(bind("s.json", texts[i], &a), 0, "%s: %s", diags.at[0].place, diags.at[0].what);
        char *first = written(&a);
        gy_json_free(doc);
        cr_assert_eq(bind("s.json", first, &b), 0, "%s: %s", diags.at[0].place, diags.at[0].what);
        char *second = written(&b);
        gy_json_free(doc);
        cr_assert_str_eq(first, second);
        cr_assert_eq(memcmp(&a, &b, offsetof(struct all, name)), 0);
        cr_assert_eq(a.nodes.n, b.nodes.n);
        for (size_t k = 0; k < a.nodes.n; k++)
            cr_assert_eq(((struct node *)a.nodes.at)[k].repair, ((struct node *)b.nodes.at)[k].repair);
        free(first);
        free(second);
    }
    doc = NULL;
}

Test(io_bind, schema)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w};
    size_t len;

    gy_bind_schema(rows, &o, NULL);
    const char *text = gy_writer_memory(w, &len);
    doc = gy_json_parse("schema", text, len, &err);
    cr_assert_not_null(doc, "%s %s", err.place, err.what);
    const struct gy_json *root = gy_json_root(doc);
    cr_assert_str_eq(gy_json_string(gy_json_get(root, "$schema")), "http://json-schema.org/draft-07/schema#");
    cr_assert_eq(gy_json_type(gy_json_get(root, "additionalProperties")), GY_J_BOOL);
    cr_assert_not(gy_json_true(gy_json_get(root, "additionalProperties")));
    cr_assert_null(gy_json_get(root, "required"));
    cr_assert_eq(gy_json_count(gy_json_get(root, "properties")), sizeof rows / sizeof *rows - 1);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/properties/ratio/maximum")), 1);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/properties/at/minimum")), 0);
    cr_assert_null(gy_json_at(root, "/properties/at/maximum"));
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/properties/order/enum/1")), "sjf");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/properties/order/default")), "fifo");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/properties/plain/description")), "A number. Source: a table.");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/properties/nodes/items/required/0")), "name");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/properties/nodes/items/properties/memory_gib/description")),
                     "[GiB]");
    cr_assert_eq(gy_json_number(gy_json_at(root, "/properties/labels/maxItems")), 3);
    cr_assert_not(gy_json_true(gy_json_at(root, "/properties/power/additionalProperties")));
    gy_writer_abandon(w);
}

Test(io_bind, help)
{
    struct gy_writer *w = gy_writer_open(NULL, &err);

    gy_bind_help(rows, w);
    const char *text = gy_writer_memory(w, NULL);
    cr_assert_not_null(strstr(text, "ratio: number in ratio, default 0.5, 0 to 1."), "%s", text);
    cr_assert_not_null(strstr(text, "plain: number, default none. A number. (a table)\n"));
    cr_assert_not_null(strstr(text, "order: choice, default \"fifo\", one of fifo|sjf|multifactor."));
    cr_assert_not_null(strstr(text, "nodes[].name: string, required. A host.\n"));
    cr_assert_not_null(strstr(text, "power.idle_w: number in W, default none."));
    gy_writer_abandon(w);
}

Test(io_bind, a_broken_default_is_our_fault)
{
    static const struct gy_param broken[] = {{.name = "x", .type = GY_P_INT, .preset = "{"}, {0}};
    int64_t x;

    cr_assert_eq(gy_bind(broken, NULL, NULL, "", &x, &arena, &diags), -1);
    cr_assert_eq(diags.at[0].code, GY_EINTERNAL);
}
