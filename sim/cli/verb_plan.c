/* gpuyard plan: the smallest or cheapest setting that meets goals. The search is in scenarios/. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_planner.h"

const struct gy_cli_option gy_plan_options[] = {
    {"jobs", 'j', "N", "Threads; seeds of a setting run side by side (1)"},
    {0},
};

struct live {
    bool on, bar;
};

static void show(void *ctx, const struct gy_planner *p)
{
    const struct live *l = ctx;
    if (!l->on)
        return;
    fprintf(stderr, "%s%zu of %u settings tried, %s%s", l->bar ? "\r" : "", p->trials.n, p->settings,
            p->trials.at[p->trials.n - 1].met ? "the last meets the goals" : "the last fails",
            l->bar ? "\033[K" : "\n");
    fflush(stderr);
}

static int write_result(const struct gy_cli *cli, const struct gy_planner *p, struct gy_error *err)
{
    if (cli->quiet && !cli->json && !cli->out)
        return 0;
    struct gy_writer *to = gy_writer_open(cli->out ? cli->out : "-", err);
    if (!to)
        return -1;
    if (cli->json || cli->out)
        gy_planner_json(p, to);
    else
        gy_planner_text(p, to);
    return gy_writer_commit(to, err);
}

int gy_verb_plan(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_diags diags = {0};
    struct live live = {.bar = isatty(STDERR_FILENO) == 1};
    const struct gy_overrides common = gy_cli_overrides(cli);
    const char *jobs = gy_cli_get(cli, 'j');
    char *end = NULL;
    const long threads = jobs ? strtol(jobs, &end, 10) : 1;
    live.on = cli->progress == GY_PROGRESS_ALWAYS || (cli->progress == GY_PROGRESS_AUTO && live.bar && !cli->quiet);
    if (threads < 1 || threads > 256 || (jobs && (end == jobs || *end))) {
        gy_fail(&err, GY_EUSAGE, "--jobs", "found \"%s\"; expected a number from 1 to 256", jobs);
        return gy_cli_fail(&err);
    }
    const struct gy_plan_options o = {
        .threads = (unsigned)threads, .stop_flag = gy_cli_catch_signals(), .progress = show, .ctx = &live};
    struct gy_study *study = gy_study_load(cli->args.at[0], &common, &diags);
    struct gy_planner *p = study ? gy_planner_new(study, &diags) : NULL;
    int status;
    if (!p) {
        status = gy_cli_fail_all(&diags);
    } else {
        int rc = gy_planner_search(p, &o, &err);
        if (live.on && live.bar)
            fputs("\r\033[K", stderr);
        if (rc == 0)
            rc = write_result(cli, p, &err);
        status = rc            ? gy_cli_fail(&err)
                 : p->stopped  ? 128 + gy_cli_signal()
                 : p->best < 0 ? gy_exit_status(GY_ECHECK)
                               : 0;
    }
    gy_planner_free(p);
    gy_study_free(study);
    return status;
}
