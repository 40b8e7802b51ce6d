/* Which points a study has: grids, ranges, lists, samples, seeds; and what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_file.h"
#include "gy_study.h"
#include "gy_sweep.h"

static char path[64];

static void write_text(const char *text)
{
    snprintf(path, sizeof path, "/tmp/gy-study-XXXXXX");
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

#define BASE "\"base\": {\"cluster\": {\"nodes\": [{\"gpus\": 8}]}}"

static struct gy_study *load(const char *members)
{
    struct gy_diags diags = {0};
    char text[2000];
    snprintf(text, sizeof text, "{" BASE "%s%s}", *members ? ", " : "", members);
    write_text(text);
    struct gy_study *s = gy_study_load(path, NULL, &diags);
    cr_assert(s, "%s: %s", diags.at[0].place, diags.at[0].what);
    unlink(path);
    return s;
}

static void refused(const char *text, const char *place, const char *what)
{
    struct gy_diags diags = {0};
    write_text(text);
    struct gy_study *s = gy_study_load(path, NULL, &diags);
    unlink(path);
    cr_expect(!s && diags.total > 0, "accepted: %s", text);
    if (diags.total > 0) {
        cr_expect(strstr(diags.at[0].place, place), "%s: place is %s", text, diags.at[0].place);
        cr_expect(strstr(diags.at[0].what, what), "%s: says %s", text, diags.at[0].what);
    }
    gy_study_free(s);
}

static void values(const struct gy_study *s, size_t axis, const char *expected)
{
    char text[1000] = "";
    for (size_t p = 0; p < gy_study_points(s); p += s->seeds.n)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", p ? " " : "", gy_study_value(s, p, axis));
    cr_expect_str_eq(text, expected);
}

Test(scenarios_study, grid_runs_the_last_axis_fastest_under_every_seed)
{
    struct gy_study *s =
        load("\"axes\": {\"/scheduler/order\": [\"fifo\", \"sjf\"], \"/cluster/nodes/0/count\": [4, 8, 16]},"
             " \"seeds\": [7, 5]");
    cr_expect_eq(gy_study_points(s), 12);
    values(s, 0, "\"fifo\" \"fifo\" \"fifo\" \"sjf\" \"sjf\" \"sjf\"");
    values(s, 1, "4 8 16 4 8 16");
    cr_expect_eq(gy_study_seed(s, 0), 7);
    cr_expect_eq(gy_study_seed(s, 1), 5);
    struct gy_diags diags = {0};
    struct gy_scenario *sc = gy_study_scenario(s, 9, &diags); /* setting 4, seed 5 */
    cr_assert(sc);
    cr_expect_eq(sc->seed, 5);
    cr_expect_eq(((const struct gy_sc_nodes *)sc->cluster.nodes.at)->count, 8);
    gy_scenario_free(sc);
    gy_study_free(s);
}

Test(scenarios_study, ranges)
{
    struct gy_study *s = load("\"axes\": {\"/a\": {\"min\": 1, \"max\": 2, \"step\": 0.25}}");
    values(s, 0, "1 1.25 1.5 1.75 2");
    gy_study_free(s);
    s = load("\"axes\": {\"/a\": {\"min\": 0, \"max\": 1, \"step\": 0.1}}"); /* eleven, though 0.1 is not exact */
    cr_expect_eq(gy_study_points(s), 11);
    gy_study_free(s);
    s = load("\"axes\": {\"/a\": {\"min\": 1, \"max\": 1000, \"steps\": 4, \"scale\": \"log\", \"integer\": true}}");
    values(s, 0, "1 10 100 1000");
    gy_study_free(s);
    s = load("\"axes\": {\"/a\": {\"min\": 5, \"max\": 5, \"steps\": 1}}");
    values(s, 0, "5");
    gy_study_free(s);
    s = load("");
    cr_expect_eq(gy_study_points(s), 1); /* the base itself */
    gy_study_free(s);
}

Test(scenarios_study, list)
{
    struct gy_study *s = load("\"points\": [{\"/a\": 1, \"/b\": \"x\"}, {\"/b\": {\"k\": [1, 2]}, \"/a\": 2}]");
    values(s, 0, "1 2");
    values(s, 1, "\"x\" {\"k\":[1,2]}");
    gy_study_free(s);
}

/* Each of n equal parts of every axis holds exactly one point; the same seed gives the same points. */
Test(scenarios_study, latin_hypercube)
{
    const char *text =
        "\"axes\": {\"/a\": {\"min\": 0, \"max\": 1}, \"/b\": {\"min\": 1, \"max\": 10000, \"scale\": \"log\"},"
        " \"/c\": [\"x\", \"y\", \"z\", \"w\"]},"
        " \"sample\": {\"method\": \"latin-hypercube\", \"n\": 40, \"seed\": %d}";
    char first[1000], other[1000];
    int seen[2][40] = {{0}}, letters[128] = {0};
    snprintf(first, sizeof first, text, 3);
    snprintf(other, sizeof other, text, 4);
    struct gy_study *s = load(first), *again = load(first), *different = load(other);
    size_t same = 0;
    cr_assert_eq(gy_study_points(s), 40);
    for (size_t p = 0; p < 40; p++) {
        const double a = atof(gy_study_value(s, p, 0)), b = log10(atof(gy_study_value(s, p, 1))) / 4;
        seen[0][(int)(a * 40)]++;
        seen[1][(int)(b * 40)]++;
        letters[(int)gy_study_value(s, p, 2)[1]]++;
        for (size_t axis = 0; axis < 3; axis++)
            cr_expect_str_eq(gy_study_value(s, p, axis), gy_study_value(again, p, axis));
        same += strcmp(gy_study_value(s, p, 0), gy_study_value(different, p, 0)) == 0;
    }
    for (int i = 0; i < 40; i++)
        cr_expect(seen[0][i] == 1 && seen[1][i] == 1, "part %d: %d, %d points", i, seen[0][i], seen[1][i]);
    cr_expect(letters['x'] == 10 && letters['y'] == 10 && letters['z'] == 10 && letters['w'] == 10);
    cr_expect_lt(same, 5);
    gy_study_free(s);
    gy_study_free(again);
    gy_study_free(different);
}

Test(scenarios_study, random_sample_stays_inside)
{
    struct gy_study *s = load("\"axes\": {\"/a\": {\"min\": -2, \"max\": 3, \"integer\": true}},"
                              " \"sample\": {\"method\": \"random\", \"n\": 500}");
    bool seen[6] = {false};
    for (size_t p = 0; p < 500; p++) {
        const double a = atof(gy_study_value(s, p, 0));
        cr_assert(a >= -2 && a <= 3 && floor(a) == a);
        seen[(int)a + 2] = true;
    }
    for (int i = 0; i < 6; i++)
        cr_expect(seen[i]);
    gy_study_free(s);
}

Test(scenarios_study, wrong_studies)
{
    refused("{}", "", "base");
    refused("{\"base\": \"/nowhere/there.json\"}", "/nowhere/there.json", "");
    refused("{" BASE ", \"axis\": {}}", "/axis", "unknown key");
    refused("{" BASE ", \"axes\": {\"/a\": []}}", "/axes", "expected an array of values");
    refused("{" BASE ", \"axes\": {\"/a\": {\"min\": 2, \"max\": 1, \"steps\": 3}}}", "/axes", "min ≤ max");
    refused("{" BASE ", \"axes\": {\"/a\": {\"min\": 0, \"max\": 1, \"steps\": 3, \"scale\": \"log\"}}}", "/axes",
            "log");
    refused("{" BASE ", \"axes\": {\"/a\": {\"min\": 0, \"max\": 1}}}", "/axes", "step");
    refused("{" BASE ", \"axes\": {\"/a\": {\"min\": 0, \"max\": 1e9, \"step\": 1}}}", "/axes", "million");
    refused("{" BASE
            ", \"axes\": {\"/a\": {\"min\": 1, \"max\": 2000, \"step\": 1}, \"/b\": {\"min\": 1, \"max\": 2000,"
            " \"step\": 1}}}",
            "/axes", "million");
    refused("{" BASE ", \"axes\": {\"/a\": [1]}, \"points\": [{\"/a\": 1}]}", "/points", "either");
    refused("{" BASE ", \"points\": [{\"/a\": 1}, {\"/b\": 1}]}", "/points/1", "same pointers");
    refused("{" BASE ", \"points\": []}", "/points", "expected an array");
    refused("{" BASE ", \"seeds\": []}", "/seeds", "at least one");
    refused("{" BASE ", \"seeds\": [1, \"x\"]}", "/seeds", "integers");
    refused("{" BASE ", \"seeds\": [-1]}", "/seeds", "integers");
    refused("{" BASE ", \"sample\": {\"method\": \"sobol\"}}", "/sample/method", "");
    refused("{" BASE ", \"axes\": 3}", "/axes", "");
    refused("{" BASE ", \"set\": 3}", "/set", "");
    refused("[1]", "", "");
    refused("", "", "");
}

/* The id is of what a result depends on: not of names, output and the path of equal files, but of seed and values. */
Test(scenarios_study, ids_of_points)
{
    struct gy_diags diags = {0};
    struct gy_study *s =
        load("\"set\": {\"/trace/path\": \"" GY_SOURCE_DIR "/traces/samples/quickstart.csv\"}, \"points\": ["
             "{\"/name\": \"a\", \"/cluster/nodes/0/count\": 1, \"/output/jobs\": true},"
             "{\"/name\": \"b\", \"/cluster/nodes/0/count\": 1, \"/output/jobs\": false},"
             "{\"/name\": \"a\", \"/cluster/nodes/0/count\": 2, \"/output/jobs\": true}], \"seeds\": [1, 2]");
    struct gy_sweep *w = gy_sweep_prepare(s, &diags);
    cr_assert(w, "%s: %s", diags.at[0].place, diags.at[0].what);
    cr_expect_str_eq(w->points.at[0].id, w->points.at[2].id);
    cr_expect_str_neq(w->points.at[0].id, w->points.at[1].id);
    cr_expect_str_neq(w->points.at[0].id, w->points.at[4].id);
    cr_expect_eq(w->inputs.n, 2); /* the trace is shared, the cluster is not */
    cr_expect_eq(w->inputs.at[0]->trace, w->inputs.at[1]->trace);
    for (size_t i = 0; i < 2; i++) /* so that another trace makes other ids */
        cr_expect(w->inputs.at[i]->n_files == 1 && strlen(w->inputs.at[i]->files[0].sha256) == 64);
    gy_sweep_free(w);
    gy_study_free(s);
}
