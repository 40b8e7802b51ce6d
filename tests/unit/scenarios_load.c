/* The scenario loader: what is understood, what is refused and with which words, and that what is written back loads
 * again to the same. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_scenario.h"

static struct gy_scenario *load(const char *text, const char *const *sets, size_t n, struct gy_diags *diags)
{
    struct gy_overrides o = {.sets = sets, .n_sets = n};
    struct gy_error err = {0};
    struct gy_json_doc *doc = gy_json_parse("a/s.json", text, strlen(text), &err);

    cr_assert(doc != NULL, "%s: %s", err.place, err.what);
    struct gy_scenario *s = gy_scenario_from(doc, &o, diags);
    gy_json_free(doc);
    return s;
}

static struct gy_scenario *good(const char *text)
{
    struct gy_diags diags = {0};
    struct gy_scenario *s = load(text, NULL, 0, &diags);

    cr_assert(s != NULL, "%s: %s", diags.at[0].place, diags.at[0].what);
    return s;
}

/* The text must be refused with these parts in the first error. */
static void refused(const char *text, const char *place, const char *what, const char *hint)
{
    struct gy_diags diags = {0};
    struct gy_scenario *s = load(text, NULL, 0, &diags);

    cr_assert(s == NULL, "was taken: %s", text);
    cr_assert(diags.shown >= 1);
    cr_expect(strstr(diags.at[0].place, place) != NULL, "place is %s", diags.at[0].place);
    cr_expect(strstr(diags.at[0].what, what) != NULL, "what is %s", diags.at[0].what);
    cr_expect(strstr(diags.at[0].hint, hint) != NULL, "hint is %s", diags.at[0].hint);
}

#define ONE_NODE "\"cluster\": {\"nodes\": [{\"name\": \"n\", \"gpus\": 8}]}"

Test(scenario_load, defaults_are_filled_in)
{
    struct gy_scenario *s = good("{" ONE_NODE "}");

    cr_expect_eq(s->seed, 1);
    cr_expect_eq(s->stop_at, GY_NEVER);
    cr_expect(s->output.jobs);
    cr_expect_eq(s->output.timeline, 300 * GY_SECOND);
    cr_expect(s->policy == gy_policies[0]);
    cr_expect(s->trace.path == NULL);
    cr_expect(s->jobs.requeue_on_failure);
    gy_scenario_free(s);
}

Test(scenario_load, units_paths_comments)
{
    struct gy_scenario *s =
        good("{ // first\n" ONE_NODE ", /* second */ \"stop\": {\"at\": \"2d\"},"
             "\"trace\": {\"path\": \"t.csv\", \"from\": \"1.5h\"}, \"output\": {\"timeline_s\": 0}}");

    cr_expect_eq(s->stop_at, 2 * GY_DAY);
    cr_expect_eq(s->trace.from, 90 * GY_MINUTE);
    cr_expect_eq(s->trace.to, GY_NONE);
    cr_expect_str_eq(s->trace.path, "a/t.csv");
    cr_expect_eq(s->output.timeline, 0);
    gy_scenario_free(s);
}

Test(scenario_load, overrides)
{
    const char *const sets[] = {"/cluster/nodes/0/gpus=4", "cluster.nodes.0.count=3",
                                "scheduler={\"preset\": \"fifo\"}", "trace.path=b/t.csv", "seed=9"};
    struct gy_diags diags = {0};
    struct gy_scenario *s = load("{" ONE_NODE "}", sets, 5, &diags);

    cr_assert(s != NULL, "%s: %s", diags.at[0].place, diags.at[0].what);
    const struct gy_sc_nodes *g = s->cluster.nodes.at;
    cr_expect_eq(g->gpus, 4);
    cr_expect_eq(g->count, 3);
    cr_expect_str_eq(s->policy->name, "fifo");
    cr_expect_str_eq(s->trace.path, "b/t.csv"); /* relative to the working directory */
    cr_expect_eq(s->seed, 9);
    gy_scenario_free(s);
}

Test(scenario_load, hardware_fills_what_is_not_given)
{
    struct gy_scenario *s =
        good("{\"cluster\": {\"nodes\": [{\"hardware\": \"dgx-v100\"},"
             "{\"hardware\": \"dgx-v100\", \"gpus\": 4, \"gpu_type\": \"x\", \"gpu_mem_gib\": 3}]}}");
    const struct gy_sc_nodes *g = s->cluster.nodes.at;

    cr_expect_eq(g[0].gpus, 8);
    cr_expect(g[0].gpu_type != NULL && strstr(g[0].gpu_type, "V100") != NULL);
    cr_expect_gt(g[0].gpu_mem_gib, 15);
    cr_expect_eq(g[1].gpus, 4);
    cr_expect_str_eq(g[1].gpu_type, "x");
    cr_expect_eq(g[1].gpu_mem_gib, 3);
    gy_scenario_free(s);
}

Test(scenario_load, wrong_input_is_told)
{
    refused("{\"cluster\": {\"nodes\": [{\"hardware\": \"dgx-v10\"}]}}", "/cluster/nodes/0/hardware",
            "no hardware named", "did you mean \"dgx-v100\"?");
    refused("{\"cluster\": {\"nodes\": [{\"gpu\": 8, \"gpus\": 8}]}}", "a/s.json:1:25: /cluster/nodes/0/gpu",
            "unknown key", "did you mean \"gpus\"?");
    refused("{\"cluster\": {\"nodes\": [{\"name\": \"n\"}]}}", "/cluster/nodes/0", "how many GPUs", "give \"gpus\"");
    refused("{\"seed\": \"x\"}", "/seed", "expected a whole number", "");
    refused("{\"seed\": -1}", "/seed", "between 0", "");
    refused("[]", "a/s.json", "expected an object", "");
    refused("{\"scheduler\": {\"preset\": \"fifoo\"}}", "/scheduler/preset", "unknown policy \"fifoo\"",
            "did you mean \"fifo\"?");
    refused("{\"scheduler\": {\"preset\": 3}}", "/scheduler/preset", "a policy's name", "");
    refused("{\"scheduler\": {\"preset\": \"fifo\", \"placment\": \"pack\"}}", "/scheduler/placment", "unknown key",
            "did you mean \"placement\"?");
    refused("{\"scheduler\": 3}", "/scheduler", "expected an object", "");
    refused("{\"teams\": {\"a/b\": {\"shar\": 1}}}", "/teams/a~1b/shar", "unknown key", "did you mean \"share\"?");
    refused("{\"teams\": []}", "/teams", "expected an object", "");
    refused("{\"network\": {\"fidelity\": \"flow\"}}", "/network/fidelity", "not built yet", "none");
    refused("{\"faults\": {\"mtbf_h\": 3}}", "/faults", "not built yet", "leave the section out");
    refused("{\"workloads\": [{\"profile\": {\"compute_s\": 1, \"allreduce_gb\": 1}}]}", "/workloads",
            "no effect without a network model", "leave the section out");
    refused("{\"thresholds\": [{\"metric\": \"wait_s.p95\"}]}", "/thresholds/0", "can never fail", "give \"min\"");
    refused("{\"thresholds\": [{\"max\": 1}]}", "/thresholds/0", "\"metric\" is missing", "");
    refused("{\"trace\": {\"from\": 5, \"to\": 5}}", "/trace/to", "no job is left", "");
}

Test(scenario_load, all_errors_at_once)
{
    struct gy_diags diags = {0};

    cr_assert(
        load("{\"sed\": 1, \"seed\": true, \"network\": {\"fidelity\": \"flow\"}, \"scheduler\": {\"preset\": \"x\"},"
             "\"output\": {\"jobs\": 3}}",
             NULL, 0, &diags) == NULL);
    cr_expect_eq(diags.total, 5, "%zu", diags.total);
}

static char *written(const struct gy_scenario *s)
{
    struct gy_error err;
    struct gy_writer *w = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = w};

    gy_jo_object(&o, NULL);
    gy_scenario_write(s, &o);
    gy_jo_end(&o, '}');
    char *text = strdup(gy_writer_memory(w, NULL));
    gy_writer_abandon(w);
    return text;
}

Test(scenario_load, resolved_loads_again_to_the_same)
{
    struct gy_scenario *s =
        good("{\"name\": \"x\", " ONE_NODE ", \"scheduler\": {\"preset\": \"composed\", \"order\": \"sjf\"},"
             "\"teams\": {\"a/b\": {\"share\": 2}}, \"stop\": {\"at\": \"90d\"},"
             "\"thresholds\": [{\"metric\": \"wait_s.p95\", \"max\": 5}]}");
    char *first = written(s), *second;
    struct gy_scenario *again = good(first);

    second = written(again);
    cr_expect_str_eq(first, second);
    cr_expect(strstr(first, "\"order\": \"sjf\"") != NULL);
    cr_expect(strstr(first, "\"fidelity\": \"none\"") != NULL);
    free(first);
    free(second);
    gy_scenario_free(s);
    gy_scenario_free(again);
}

Test(scenario_load, schema_is_json_with_every_section)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    size_t len;

    cr_assert_eq(gy_scenario_schema(w, &err), 0);
    const char *text = gy_writer_memory(w, &len);
    struct gy_json_doc *doc = gy_json_parse("schema", text, len, &err);
    cr_assert(doc != NULL, "%s %s", err.place, err.what);
    const struct gy_json *root = gy_json_root(doc);
    cr_expect(gy_json_at(root, "/allOf/0/properties/cluster/properties/nodes") != NULL);
    cr_expect(gy_json_at(root, "/allOf/1/properties/scheduler/allOf/0/then") != NULL);
    cr_expect(gy_json_at(root, "/allOf/1/properties/teams/additionalProperties/properties/share") != NULL);
    gy_json_free(doc);
    gy_writer_abandon(w);
}
