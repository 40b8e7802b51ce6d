/* gpuyard check: the CI gate. Thresholds and a baseline against a run folder; exit status 1 when one fails. */
#include <string.h>
#include "gy_check.h"
#include "gy_cli.h"
#include "gy_file.h"

enum { K_BASELINE = 256, K_THRESHOLDS, K_JUNIT, K_MARKDOWN, K_UPDATE };

const struct gy_cli_option gy_check_options[] = {
    {"baseline", K_BASELINE, "FILE", "Compares with the values in FILE, within its tolerances"},
    {"thresholds", K_THRESHOLDS, "FILE", "More thresholds: [{\"metric\": …, \"min\": …, \"max\": …}]"},
    {"junit", K_JUNIT, "FILE", "Writes the outcome as JUnit XML"},
    {"markdown", K_MARKDOWN, "FILE", "Writes the outcome as GitHub-flavoured markdown"},
    {"update", K_UPDATE, NULL, "Writes this run's values into the baseline file, which need not exist yet"},
    {0},
};

typedef void render(const struct gy_checks *, const struct gy_run *, struct gy_writer *);

static int write_to(const char *path, render *how, const struct gy_checks *c, const struct gy_run *run,
                    struct gy_error *err)
{
    if (path == NULL)
        return 0;
    struct gy_writer *to = gy_writer_open(path, err);
    if (to == NULL)
        return -1;
    how(c, run, to);
    return gy_writer_commit(to, err);
}

static void as_table(const struct gy_checks *c, const struct gy_run *run, struct gy_writer *to)
{
    struct gy_table t;
    gy_checks_table(c, &t);
    gy_table_render(&t, GY_TABLE_TEXT, to);
    gy_table_free(&t);
    gy_writer_printf(to, "%zu of %zu checks passed%s\n", c->at.n - c->failed, c->at.n,
                     run->partial ? "; the run is partial" : "");
}

static void warn_unknown(const struct gy_checks *c)
{
    for (size_t i = 0; i < c->at.n; i++) {
        const struct gy_check *x = &c->at.at[i];
        char name[256];
        if (x->known)
            continue;
        gy_visible(x->metric, strlen(x->metric), name, sizeof name);
        fprintf(stderr, GY_PROGRAM ": warning: no metric is called %s%s%s%s\n", name,
                x->nearest ? "; did you mean " : "", x->nearest ? x->nearest : "", x->nearest ? "?" : "");
    }
}

static int judge(const struct gy_cli *cli, const struct gy_run *run, struct gy_checks *c, struct gy_error *err)
{
    const char *baseline = gy_cli_get(cli, K_BASELINE), *thresholds = gy_cli_get(cli, K_THRESHOLDS);
    if (gy_check_scenario(run, c, err) != 0 ||
        (thresholds != NULL && gy_check_thresholds(run, thresholds, c, err) != 0))
        return -1;
    if (gy_cli_get(cli, K_UPDATE) != NULL) {
        if (baseline == NULL)
            return gy_fail(err, GY_EUSAGE, NULL, "--update needs --baseline FILE, the file to write");
        if (gy_check_update(run, baseline, err) != 0)
            return -1;
    }
    return baseline != NULL ? gy_check_baseline(run, baseline, c, err) : 0;
}

static int report(const struct gy_cli *cli, const struct gy_run *run, const struct gy_checks *c, struct gy_error *err)
{
    warn_unknown(c);
    if (write_to(gy_cli_get(cli, K_JUNIT), gy_checks_junit, c, run, err) != 0 ||
        write_to(gy_cli_get(cli, K_MARKDOWN), gy_checks_markdown, c, run, err) != 0)
        return -1;
    if (cli->json)
        return write_to("-", gy_checks_json, c, run, err);
    return cli->quiet ? 0 : write_to("-", as_table, c, run, err);
}

int gy_verb_check(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_run run;
    struct gy_checks c = {0};
    if (gy_run_load(cli->args.at[0], &run, &err) != 0)
        return gy_cli_fail(&err);
    int rc = judge(cli, &run, &c, &err);
    if (rc == 0)
        rc = report(cli, &run, &c, &err);
    if (rc == 0 && c.at.n == 0 && !cli->quiet)
        fprintf(stderr, GY_PROGRAM ": warning: nothing was checked: the scenario has no thresholds; give --baseline or "
                                   "--thresholds\n");
    const int status = rc != 0 ? gy_cli_fail(&err) : c.failed > 0 ? gy_exit_status(GY_ECHECK) : 0;
    gy_checks_free(&c);
    gy_run_free(&run);
    return status;
}
