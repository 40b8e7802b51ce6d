/* Run folders read back, comparisons with hand-computed statistics, the gate and its renderings. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gy_check.h"
#include "gy_compare.h"
#include "gy_file.h"

static char dir[64];

static void put(const char *folder, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, folder);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/%s", dir, folder, file);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static void make_run(const char *folder, const char *name, int seed, int nodes, double wait)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"format\": 1, \"status\": \"complete\", \"name\": \"%s\", \"seed\": %d, \"scenario\": {\"name\": \"%s\", "
        "\"seed\": %d, \"nodes\": %d, \"thresholds\": [{\"metric\": \"wait_s.mean\", \"max\": 15}]}}",
        name, seed, name, seed, nodes);
    put(folder, "manifest.json", text);
    snprintf(text, sizeof text,
             "{\"jobs\": {\"completed\": 3}, \"wait_s\": {\"mean\": %g}, \"utilization\": {\"busy\": null}, "
             "\"steady_state\": \"stable\", \"thresholds\": [], \"team\": {\"a.b\": {\"jobs\": {\"submitted\": 3}, "
             "\"wait_s\": {\"mean\": %g}}}}",
             wait, wait + 1);
    put(folder, "summary.json", text);
}

static struct gy_run load(const char *folder)
{
    static char paths[16][256];
    static int n;
    struct gy_run run;
    struct gy_error err = {0};
    char *path = paths[n++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", dir, folder);
    cr_assert_eq(gy_run_load(path, &run, &err), 0, "%s", err.what);
    return run;
}

static void setup(void)
{
    strcpy(dir, "/tmp/gy_reports_XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
}

static void teardown(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}

TestSuite(reports, .init = setup, .fini = teardown);

Test(reports, flattens)
{
    make_run("r", "x", 7, 4, 10);
    struct gy_run run = load("r");
    cr_assert_eq(run.seed, 7);
    cr_assert_str_eq(run.label, "x");
    cr_assert_float_eq(gy_run_metric(&run, "team.a.b.wait_s.mean")->value, 11, 1e-12);
    cr_assert(gy_run_metric(&run, "team.a.b.wait_s.mean")->group);
    cr_assert(isnan(gy_run_metric(&run, "utilization.busy")->value));
    cr_assert_str_eq(gy_run_metric(&run, "steady_state")->word, "stable");
    cr_assert_null(gy_run_metric(&run, "thresholds"));
    cr_assert_str_eq(gy_run_nearest(&run, "wait_s.meen"), "wait_s.mean");
    gy_run_free(&run);
}

Test(reports, refuses_what_is_no_run)
{
    struct gy_run run;
    struct gy_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/none", dir);
    cr_assert_eq(gy_run_load(path, &run, &err), -1);
    cr_assert_eq(err.code, GY_EINPUT);
    put("bad", "manifest.json", "[1]");
    snprintf(path, sizeof path, "%s/bad", dir);
    cr_assert_eq(gy_run_load(path, &run, &err), -1);
    put("bad", "manifest.json", "{\"format\": 99}");
    put("bad", "summary.json", "{}");
    cr_assert_eq(gy_run_load(path, &run, &err), -1);
    cr_assert_not_null(strstr(err.what, "format 99"));
}

/* Waits 10, 12, 14 against 11, 14, 17 under seeds 1, 2, 3: differences 1, 2, 3; paired t = 2/(1/√3) = 3.4641, df 2. */
Test(reports, seeds_of_one_setting_are_one_side)
{
    struct gy_run runs[6];
    struct gy_error err = {0};
    for (int i = 0; i < 6; i++) {
        char folder[8];
        snprintf(folder, sizeof folder, "r%d", i);
        make_run(folder, i < 3 ? "small" : "big", 1 + i % 3, i < 3 ? 4 : 8, i < 3 ? 10 + 2 * i : 11 + 3 * (i - 3));
        runs[i] = load(folder);
    }
    struct gy_comparison c;
    cr_assert_eq(gy_compare(runs, 6, &(struct gy_compare_options){0}, &c, &err), 0);
    cr_assert_eq(c.sides.n, 2);
    const struct gy_comparison_row *row = &c.rows.at[1];
    cr_assert_str_eq(row->metric, "wait_s.mean");
    cr_assert_float_eq(row->side[0].mean, 12, 1e-12);
    cr_assert_float_eq(row->side[0].half, 4.302652729911275 * 2 / sqrt(3), 1e-9); /* t(0.975, 2) = 4.3027 */
    cr_assert_float_eq(row->change[1].absolute, 2, 1e-12);
    cr_assert_float_eq(row->change[1].relative, 1.0 / 6, 1e-12);
    cr_assert(row->change[1].paired);
    cr_assert_float_eq(row->change[1].p, 0.074179900, 1e-8);
    gy_comparison_free(&c);
    /* Unequal numbers of seeds: Welch. means 11 and 14, variances 2 and 9, n 2 and 3: t = -3/2, df = 16/(1/1+9/2). */
    cr_assert_eq(gy_compare((struct gy_run[]){runs[0], runs[1], runs[3], runs[4], runs[5]}, 5,
                            &(struct gy_compare_options){0}, &c, &err),
                 0);
    cr_assert_not(c.rows.at[1].change[1].paired);
    cr_assert_float_eq(c.rows.at[1].change[1].p, 0.238, 0.02);
    gy_comparison_free(&c);
    cr_assert_eq(gy_compare(runs, 2, &(struct gy_compare_options){.by = "team"}, &c, &err), 0);
    cr_assert_eq(c.sides.n, 2, "two seeds alone are compared with each other");
    cr_assert_eq(c.rows.n, 2);
    gy_comparison_free(&c);
    for (int i = 0; i < 6; i++)
        gy_run_free(&runs[i]);
}

Test(reports, gate)
{
    struct gy_checks c = {0};
    struct gy_error err = {0};
    char base[128];
    make_run("old", "x", 1, 4, 10);
    make_run("new", "x", 1, 4, 12);
    struct gy_run old = load("old"), new = load("new");
    snprintf(base, sizeof base, "%s/base.json", dir);
    cr_assert_eq(gy_check_update(&old, base, &err), 0, "%s", err.what);
    cr_assert_eq(gy_check_scenario(&new, &c, &err), 0);
    cr_assert_eq(gy_check_baseline(&new, base, &c, &err), 0, "%s", err.what);
    cr_assert_eq(c.at.n, 3); /* threshold, jobs.completed, wait_s.mean */
    cr_assert_eq(c.failed, 1);
    cr_assert_eq(c.at.at[2].ok, false, "+20 %% is beyond 5 %%");
    gy_checks_free(&c);
    cr_assert_eq(gy_check_baseline(&old, base, &c, &err), 0);
    cr_assert_eq(c.failed, 0);
    gy_checks_free(&c);
    put(".", "base.json",
        "{\"metrics\": {\"wait_s.mean\": {\"value\": 10, \"absolute\": 2}, \"wait_s.men\": {\"value\": 1}, "
        "\"jobs.completed\": {\"value\": 4, \"bad\": \"increase\"}}}");
    cr_assert_eq(gy_check_baseline(&new, base, &c, &err), 0, "%s", err.what);
    cr_assert(c.at.at[0].ok, "exactly at the tolerance");
    cr_assert(!c.at.at[1].ok && !c.at.at[1].known);
    cr_assert_str_eq(c.at.at[1].nearest, "wait_s.mean");
    cr_assert(c.at.at[2].ok, "one-sided");
    gy_checks_free(&c);
    cr_assert_eq(gy_check_update(&new, base, &err), 0);
    cr_assert_eq(gy_check_baseline(&new, base, &c, &err), 0, "%s", err.what);
    cr_assert_float_eq(c.at.at[0].max, 14, 1e-12, "tolerances outlive an update");
    gy_checks_free(&c);
    put(".", "base.json", "{\"metrics\": {\"wait_s.mean\": {\"valu\": 10}}}");
    cr_assert_eq(gy_check_baseline(&new, base, &c, &err), -1);
    cr_assert_not_null(strstr(err.hint, "value") ? err.hint : strstr(err.what, "value"));
    gy_checks_free(&c);
    gy_run_free(&old);
    gy_run_free(&new);
}

Test(reports, names_are_shown_as_text)
{
    struct gy_error err = {0};
    struct gy_table t;
    gy_table_init(&t, 2);
    gy_table_add(&t, "<b>|x\x1b[31m");
    gy_table_number(&t, 0.125);
    struct gy_writer *w = gy_writer_open(NULL, &err);
    for (int form = 0; form < 3; form++)
        cr_assert(gy_table_render(&t, (enum gy_table_form)form, w));
    const char *text = gy_writer_memory(w, NULL);
    cr_assert_null(strchr(text, '\x1b'));
    cr_assert_not_null(strstr(text, "| &lt;b>\\|x"));
    cr_assert_not_null(strstr(text, "<th>&lt;b&gt;|x"));
    gy_writer_abandon(w);
    gy_table_free(&t);
}
