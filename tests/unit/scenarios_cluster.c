/* Clusters of scenarios: names, counts, partitions, labels, leaves, capacity over time. */
#include <criterion/criterion.h>
#include <string.h>
#include "gy_scenario.h"

struct fixture {
    struct gy_scenario *s;
    struct gy_inputs in;
    struct gy_error err;
    int rc;
};

static void build(struct fixture *f, const char *cluster)
{
    const struct gy_overrides none = {0};
    struct gy_diags diags = {0};
    char text[2048];

    memset(f, 0, sizeof *f);
    snprintf(text, sizeof text, "{\"cluster\": %s}", cluster);
    struct gy_json_doc *doc = gy_json_parse("s.json", text, strlen(text), &f->err);
    cr_assert(doc != NULL, "%s", f->err.what);
    f->s = gy_scenario_from(doc, &none, &diags);
    gy_json_free(doc);
    cr_assert(f->s != NULL, "%s: %s", diags.at[0].place, diags.at[0].what);
    f->in.strings = gy_strings_new();
    f->rc = gy_scenario_cluster(f->s, f->in.strings, &f->in, &f->err);
}

static void drop(struct fixture *f)
{
    gy_inputs_free(&f->in);
    gy_scenario_free(f->s);
}

static const char *name(const struct fixture *f, size_t node)
{
    return gy_strings_text(f->in.strings, f->in.cluster.nodes.at[node].name);
}

/* The names of all nodes, blank-separated. */
static void names_are(const char *cluster, const char *expected)
{
    struct fixture f;
    char got[1024] = "";

    build(&f, cluster);
    cr_assert_eq(f.rc, 0, "%s", f.err.what);
    for (size_t i = 0; i < f.in.cluster.nodes.n; i++) {
        strcat(got, i == 0 ? "" : " ");
        strcat(got, name(&f, i));
    }
    cr_expect_str_eq(got, expected, "%s gives %s", cluster, got);
    drop(&f);
}

static void refused(const char *cluster, const char *place, const char *what)
{
    struct fixture f;

    build(&f, cluster);
    cr_expect_eq(f.rc, -1, "%s was taken", cluster);
    cr_expect(strstr(f.err.place, place) != NULL, "place is %s", f.err.place);
    cr_expect(strstr(f.err.what, what) != NULL, "what is %s", f.err.what);
    drop(&f);
}

Test(scenario_cluster, names)
{
    names_are("{\"nodes\": [{\"name\": \"host[0-3]\", \"gpus\": 1}]}", "host0 host1 host2 host3");
    names_are("{\"nodes\": [{\"name\": \"v[098-099]\", \"count\": 4, \"gpus\": 1}]}", "v098 v099 v100 v101");
    names_are("{\"nodes\": [{\"name\": \"v[1-9]\", \"count\": 2, \"gpus\": 1}]}", "v1 v2");
    names_are("{\"nodes\": [{\"name\": \"n\", \"count\": 3, \"gpus\": 1}]}", "n1 n2 n3");
    names_are("{\"nodes\": [{\"name\": \"a100\", \"count\": 2, \"gpus\": 1}]}", "a100-1 a100-2");
    names_are("{\"nodes\": [{\"name\": \"login\", \"gpus\": 0}]}", "login");
    names_are("{\"nodes\": [{\"count\": 2, \"gpus\": 1}]}", "node1 node2");
    names_are("{\"nodes\": [{\"count\": 2, \"gpus\": 1}, {\"gpus\": 2}]}", "node1-1 node1-2 node2-1");
    names_are("{\"nodes\": [{\"count\": 11, \"name\": \"x\", \"gpus\": 1}]}",
              "x01 x02 x03 x04 x05 x06 x07 x08 x09 x10 x11");
}

Test(scenario_cluster, what_cannot_be)
{
    refused("{}", "/cluster", "no nodes");
    refused("{\"nodes\": []}", "/cluster", "no nodes");
    refused("{\"nodes\": [{\"name\": \"a[1-\", \"gpus\": 1}]}", "/cluster/nodes/0", "without ']'");
    refused("{\"nodes\": [{\"name\": \"a[1-2]\", \"gpus\": 1}, {\"name\": \"a2\", \"gpus\": 1}]}", "/cluster/nodes",
            "two nodes are called \"a2\"");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1, \"partition\": 3}]}", "/cluster/nodes/0/partition",
            "expected a string");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1, \"partition\": [3]}]}", "/cluster/nodes/0/partition/0",
            "expected a string");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1, \"labels\": {\"x\": 3}}]}", "/cluster/nodes/0/labels",
            "label \"x\"");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1}], \"partitions\": [{\"name\": \"p\", \"nodes\": \"b\"}]}",
            "/cluster/partitions/0", "no node is called \"b\"");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1}], \"events\": [{\"at_s\": 1, \"nodes\": \"b\"}]}",
            "/cluster/events/0", "no node is called \"b\"");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1}], \"events\": [{\"at_s\": 1, \"partition\": \"p\"}]}",
            "/cluster/events/0", "no node is in the partition \"p\"");
    refused("{\"nodes\": [{\"name\": \"a\", \"gpus\": 1}], \"events\": [{\"at_s\": 1, \"up_nodes\": 2}]}",
            "/cluster/events/0", "only 1 nodes are meant");
    refused("{\"nodes_file\": \"/nonexistent/list.csv\"}", "/nonexistent/list.csv", "no such file");
}

Test(scenario_cluster, partitions_labels_leaves)
{
    struct fixture f;

    build(&f, "{\"nodes\": [{\"name\": \"a[1-2]\", \"gpus\": 8, \"partition\": \"x, y\", \"labels\": {\"k\": \"1\", "
              "\"b\": \"2\"}, \"leaf\": \"s1\"},"
              "{\"name\": \"b[1-2]\", \"gpus\": 4, \"partition\": [\"y\"], \"labels\": {\"b\": \"2\", \"k\": \"1\"}, "
              "\"leaf\": \"s0\"}],"
              "\"partitions\": [{\"name\": \"z\", \"nodes\": \"b2,a1\"}]}");
    cr_assert_eq(f.rc, 0, "%s", f.err.what);
    const struct gy_cluster_spec *c = &f.in.cluster;
    cr_assert_eq(c->partitions.n, 3);
    cr_expect_eq(c->nodes.at[0].partitions, 7u);
    cr_expect_eq(c->nodes.at[1].partitions, 3u);
    cr_expect_eq(c->nodes.at[2].partitions, 2u);
    cr_expect_eq(c->nodes.at[3].partitions, 6u);
    cr_expect_eq(c->label_sets.n, 2u); /* the empty one, and one whatever the order of its keys */
    cr_expect_eq(c->nodes.at[0].labels, 1u);
    cr_expect_eq(c->nodes.at[3].labels, 1u);
    cr_expect_str_eq(gy_strings_text(f.in.strings, c->label_sets.at[1].at[0]), "b=2");
    cr_expect_eq(c->nodes.at[0].leaf, 0u);
    cr_expect_eq(c->nodes.at[2].leaf, 1u);
    drop(&f);
}

Test(scenario_cluster, capacity_over_time)
{
    struct fixture f;

    build(&f, "{\"nodes\": [{\"name\": \"a[1-4]\", \"gpus\": 8, \"partition\": \"p\"}, {\"name\": \"b\", \"gpus\": 1, "
              "\"absent\": true}],"
              "\"events\": [{\"at_s\": \"1d\", \"partition\": \"p\", \"up_nodes\": 3, \"state\": \"absent\"},"
              "{\"at_s\": 5, \"nodes\": \"b\"}, {\"at_s\": 86400, \"nodes\": \"a2\", \"state\": \"drained\"}]}");
    cr_assert_eq(f.rc, 0, "%s", f.err.what);
    const struct gy_capacity_event *e = f.in.cluster.events.at;
    cr_assert_eq(f.in.cluster.events.n, 5u); /* of the two for a2 at one instant the later counts */
    cr_expect_eq(e[0].time, 5 * GY_SECOND);
    cr_expect_eq(e[0].node.i, 4u);
    cr_expect_eq(e[0].state, GY_NODE_UP);
    cr_expect_eq(e[1].node.i, 0u);
    cr_expect_eq(e[1].state, GY_NODE_UP);
    cr_expect_eq(e[2].node.i, 1u);
    cr_expect_eq(e[2].state, GY_NODE_DRAINED);
    cr_expect_eq(e[3].state, GY_NODE_UP);
    cr_expect_eq(e[4].node.i, 3u);
    cr_expect_eq(e[4].state, GY_NODE_ABSENT);
    cr_expect(f.in.cluster.nodes.at[4].absent);
    drop(&f);
}
