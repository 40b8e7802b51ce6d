/* gpuyard run: one simulation from a scenario; the summary on standard output, a run folder with --out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "gy_describe.h"
#include "gy_file.h"
#include "gy_run_state.h"
#include "gy_terminal.h"

enum { K_STRICT = 256 };
const struct gy_cli_option gy_run_options[] = {
    {"strict", K_STRICT, NULL, "The first row of the trace that cannot be used is an error"},
    {0},
};

/* Rows read, kept and skipped beside JSON, which has no place for them; the summary for people shows them itself. */
static int print_rows(const struct gy_run_state *r, struct gy_error *err)
{
    struct gy_writer *to;

    if (r->cli->quiet || !r->cli->json)
        return 0;
    to = gy_writer_open(NULL, err);
    if (to == NULL)
        return -1;
    gy_describe_rows(r->inputs.trace, r->s->trace.path, to);
    fputs(gy_writer_memory(to, NULL), stderr);
    gy_writer_abandon(to);
    return 0;
}

static bool names_group(const char *metric)
{
    for (int by = 0; by < GY_BY_COUNT; by++) {
        const char *group = gy_group_by_name((enum gy_group_by)by);
        size_t n = strlen(group);
        if (strncmp(metric, group, n) == 0 && metric[n] == '.')
            return true;
    }
    return false;
}

/* A threshold on a metric that does not exist is told before the run, not after it: an account of no jobs has the same
 * names, but for groups. */
static int check_names(const struct gy_run_state *r, struct gy_error *err)
{
    const struct gy_account_options o = {.cluster = &r->inputs.cluster,
                                         .strings = r->inputs.strings,
                                         .prices = r->prices,
                                         .network = r->s->fidelity != 0};
    const struct gy_sim_result nothing = {.first_submit = GY_NONE, .last_end = GY_NONE, .end = GY_NONE};
    const struct gy_threshold *t = r->s->thresholds.at;
    struct gy_verdict verdict;
    struct gy_account *a;
    int rc;

    if (r->s->thresholds.n == 0)
        return 0;
    a = gy_account_new(&o, err);
    rc = a == NULL ? -1 : gy_account_finish(a, &nothing, err);
    for (size_t i = 0; i < r->s->thresholds.n && rc == 0; i++) {
        char pointer[64], place[sizeof err->place];
        if (names_group(t[i].metric))
            continue;
        rc = gy_account_check(a, &t[i], 1, &verdict, err);
        if (rc == 0)
            continue;
        snprintf(pointer, sizeof pointer, "/thresholds/%zu/metric", i);
        gy_json_place(r->s->doc, pointer, place, sizeof place);
        memcpy(err->place, place, sizeof place);
    }
    gy_account_free(a);
    return rc;
}

static int open_account(struct gy_run_state *r, struct gy_error *err)
{
    struct gy_account_options o = {
        .cluster = &r->inputs.cluster, .strings = r->inputs.strings, .network = r->network != NULL, .groups = true};

    r->entitlements = calloc(r->s->n_teams + 1, sizeof *r->entitlements);
    if (r->entitlements == NULL)
        return gy_nomem(err);
    for (size_t i = 0; i < r->s->n_teams; i++) {
        const struct gy_sc_team *team = &r->s->teams[i];
        gy_str id = gy_strings_find(r->inputs.strings, team->name, strlen(team->name));
        if (id != GY_STR_FAIL)
            r->entitlements[o.n_entitlements++] = (struct gy_entitlement){id, team->share};
    }
    o.entitlements = r->entitlements;
    o.prices = r->prices;
    r->account = gy_account_new(&o, err);
    return r->account == NULL ? -1 : 0;
}

static int open_folder(struct gy_run_state *r, struct gy_error *err)
{
    const struct gy_folder_options o = {.dir = r->cli->out,
                                        .jobs = r->s->output.jobs,
                                        .timeline = r->s->output.timeline > 0,
                                        .events = r->s->output.events,
                                        .links = r->network != NULL};

    if (r->cli->out == NULL)
        return 0;
    r->folder = gy_folder_open(&o, r->account, err);
    return r->folder == NULL ? -1 : 0;
}

static int simulate(struct gy_run_state *r, struct gy_error *err)
{
    const struct gy_observer observer = gy_account_observer(r->account);
    struct gy_progress progress;
    int rc;

    r->config.stop_flag = gy_cli_catch_signals();
    r->config.progress = gy_progress_tick;
    r->config.progress_ctx = &progress;
    gy_progress_begin(&progress, r->cli, r->inputs.trace->jobs.n);
    r->seconds = gy_cli_seconds();
    rc = gy_sim_run(&r->config, &observer, 1, &r->result, err);
    r->seconds = gy_cli_seconds() - r->seconds;
    gy_progress_end(&progress);
    return rc;
}

static int judge(struct gy_run_state *r, struct gy_error *err)
{
    r->verdicts = calloc(r->s->thresholds.n + 1, sizeof *r->verdicts);
    if (r->verdicts == NULL)
        return gy_nomem(err);
    if (r->network != NULL)
        gy_network_tell(r->network, &r->result, r->account);
    if (gy_account_finish(r->account, &r->result, err) != 0)
        return -1;
    return gy_account_check(r->account, r->s->thresholds.at, r->s->thresholds.n, r->verdicts, err);
}

/* Of the whole process so far. */
static double peak_mib(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
#ifdef __APPLE__
    return (double)use.ru_maxrss / 1048576;
#else
    return (double)use.ru_maxrss / 1024;
#endif
}

/* summary.json's members, and the engine's own speed. */
static int write_timed(const struct gy_run_state *r, struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to};
    struct gy_writer *memory = gy_writer_open(NULL, err);
    struct gy_json_doc *doc = NULL;
    size_t len;

    if (memory == NULL)
        return -1;
    gy_account_write_summary(r->account, r->verdicts, r->s->thresholds.n, memory);
    const char *text = gy_writer_memory(memory, &len);
    doc = gy_json_parse("summary", text, len, err);
    gy_writer_abandon(memory);
    if (doc == NULL)
        return -1;
    gy_jo_object(&o, NULL);
    for (const struct gy_json *c = gy_json_first(gy_json_root(doc)); c != NULL; c = gy_json_next(c))
        gy_jo_value(&o, gy_json_key(c), c);
    gy_jo_object(&o, "engine");
    gy_jo_integer(&o, "events", (int64_t)r->result.events);
    gy_jo_integer(&o, "passes", (int64_t)r->result.passes);
    gy_jo_number(&o, "wall_s", r->seconds);
    gy_jo_number(&o, "jobs_per_s", (double)r->inputs.trace->jobs.n / r->seconds);
    gy_jo_number(&o, "peak_mib", peak_mib());
    gy_jo_end(&o, '}');
    gy_jo_end(&o, '}');
    gy_json_free(doc);
    return 0;
}

static int print_result(const struct gy_run_state *r, struct gy_error *err)
{
    const struct gy_terminal_style style = gy_terminal_style_of(stdout, r->cli->plain);
    struct gy_writer *to;
    int rc = 0;

    if (r->cli->timing)
        fprintf(stderr, "engine     %llu events, %llu passes in %.3f s: %.0f jobs/s; peak memory %.1f MiB\n",
                (unsigned long long)r->result.events, (unsigned long long)r->result.passes, r->seconds,
                (double)r->inputs.trace->jobs.n / r->seconds, peak_mib());
    if (r->cli->quiet && !r->cli->json)
        return 0;
    to = gy_writer_open("-", err);
    if (to == NULL)
        return -1;
    if (r->cli->json && r->cli->timing)
        rc = write_timed(r, to, err);
    else if (r->cli->json)
        gy_account_write_summary(r->account, r->verdicts, r->s->thresholds.n, to);
    else
        gy_terminal_summary(r->account, &r->facts, r->verdicts, r->s->thresholds.n, &style, to);
    if (rc == 0)
        return gy_writer_commit(to, err);
    gy_writer_abandon(to);
    return -1;
}

/* What the exit status is when nothing went wrong. */
static int outcome(const struct gy_run_state *r)
{
    int status = 0;

    for (size_t i = 0; i < r->s->thresholds.n; i++) {
        const struct gy_verdict *v = &r->verdicts[i];
        if (v->ok)
            continue;
        status = 1;
        char value[32];
        gy_number_print(v->value, value);
        fprintf(stderr, "%s: threshold failed: %s is %s\n", GY_PROGRAM, v->metric,
                isnan(v->value) ? "not there" : value);
    }
    if (r->result.partial) {
        char at[48];
        gy_time_print_human(r->result.end == GY_NONE ? 0 : r->result.end, at);
        fprintf(stderr, "%s: interrupted at simulated time %s; results are partial\n", GY_PROGRAM, at);
        status = 128 + gy_cli_signal();
    }
    return status;
}

static int run_all(struct gy_run_state *r, struct gy_error *err)
{
    if (gy_inputs_load(r->s, NULL, &r->inputs, err) != 0 ||
        gy_scenario_prices(r->s, &r->inputs, &r->prices, err) != 0 || check_names(r, err) != 0 ||
        print_rows(r, err) != 0 || gy_inputs_config(r->s, &r->inputs, &r->config, &r->network, err) != 0 ||
        gy_run_facts_of(r, err) != 0 || open_account(r, err) != 0 || open_folder(r, err) != 0)
        return -1;
    if (simulate(r, err) != 0 || judge(r, err) != 0)
        return -1;
    if (r->folder != NULL) {
        struct gy_folder *folder = r->folder;
        r->folder = NULL;
        if (gy_folder_commit(folder, &r->facts, r->verdicts, r->s->thresholds.n, err) != 0)
            return -1;
    }
    return print_result(r, err);
}

static int run_scenario(const struct gy_cli *cli, const struct gy_scenario *s)
{
    struct gy_run_state r = {.cli = cli, .s = s};
    struct gy_error err = {0};
    int status = run_all(&r, &err) == 0 ? outcome(&r) : gy_cli_fail(&err);

    gy_folder_abandon(r.folder);
    gy_account_free(r.account);
    gy_inputs_config_free(&r.config, r.network);
    free(r.entitlements);
    free(r.prices);
    free(r.verdicts);
    gy_inputs_free(&r.inputs);
    gy_vec_free(&r.command);
    gy_vec_free(&r.left_out);
    gy_arena_free(&r.arena);
    return status;
}

int gy_verb_run(struct gy_cli *cli)
{
    struct gy_diags diags = {0};
    struct gy_error err = {0};

    if (gy_cli_get(cli, K_STRICT) != NULL && !gy_vec_push(&cli->sets, "trace.strict=true")) {
        gy_nomem(&err);
        return gy_cli_fail(&err);
    }
    const struct gy_overrides o = gy_cli_overrides(cli);
    struct gy_scenario *s = gy_scenario_load(cli->args.at[0], &o, &diags);
    if (s == NULL)
        return gy_cli_fail_all(&diags);
    int status = run_scenario(cli, s);
    gy_scenario_free(s);
    return status;
}
