/* gpuyard validate: loads and resolves a scenario with its inputs and prints what was understood. No run. */
#include <string.h>
#include "gy_cli.h"
#include "gy_describe.h"
#include "gy_file.h"

struct gy_overrides gy_cli_overrides(const struct gy_cli *cli)
{
    return (struct gy_overrides){.sets = cli->sets.at,
                                 .n_sets = cli->sets.n,
                                 .trace = cli->trace,
                                 .format = cli->format,
                                 .has_seed = cli->has_seed,
                                 .seed = cli->seed};
}

/* "scheduler  fifo: order=first placement=pack": what the resolved section says, on one line. */
static void describe_scheduler(const struct gy_scenario *s, struct gy_writer *to)
{
    struct gy_error err;
    struct gy_writer *memory = gy_writer_open(NULL, &err);
    struct gy_json_out o = {.to = memory, .compact = true};

    if (memory == NULL)
        return;
    gy_jo_object(&o, NULL);
    gy_bind_write(s->scheduler_table, s->policy_params, &o);
    gy_jo_end(&o, '}');
    gy_writer_printf(to, "scheduler  %s", gy_writer_memory(memory, NULL));
    gy_writer_abandon(memory);
}

static void describe(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_writer *to)
{
    const struct gy_trace *t = in->trace;
    char name[512], a[48], b[48];

    gy_visible(s->name, strlen(s->name), name, sizeof name);
    gy_writer_printf(to, "scenario   %s%s%s, seed %lld\n", name, name[0] == '\0' ? "" : " of ", s->path,
                     (long long)s->seed);
    gy_describe_cluster(&in->cluster, to);
    gy_describe_rows(t, s->trace.path, to);
    if (t->jobs.n > 0) {
        gy_time_print_human(t->jobs.at[0].submit, a);
        gy_time_print_human(t->jobs.at[t->jobs.n - 1].submit, b);
        gy_writer_printf(to, "           submits from %s to %s%s%s\n", a, b, t->origin[0] == '\0' ? "" : " after ",
                         t->origin);
    }
    describe_scheduler(s, to);
    if (s->stop_at != GY_NEVER) {
        gy_time_print_human(s->stop_at, a);
        gy_writer_printf(to, "stop       at %s\n", a);
    }
    if (s->thresholds.n > 0)
        gy_writer_printf(to, "thresholds %zu\n", s->thresholds.n);
    gy_writer_text(to, "It is valid; nothing was run.\n");
}

static void describe_json(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_writer *to)
{
    struct gy_json_out o = {.to = to};

    gy_jo_object(&o, NULL);
    gy_jo_object(&o, "scenario");
    gy_scenario_write(s, &o);
    gy_jo_end(&o, '}');
    gy_jo_object(&o, "cluster");
    gy_describe_cluster_json(&in->cluster, &o);
    gy_jo_end(&o, '}');
    gy_jo_object(&o, "trace");
    gy_describe_rows_json(in->trace, &o);
    gy_jo_end(&o, '}');
    gy_jo_end(&o, '}');
}

static int validate(const struct gy_cli *cli, const struct gy_scenario *s)
{
    struct gy_error err = {0};
    struct gy_inputs in;
    struct gy_writer *to;

    if (gy_inputs_load(s, NULL, &in, &err) != 0)
        return gy_cli_fail(&err);
    to = cli->quiet && !cli->json ? NULL : gy_writer_open("-", &err);
    if (to != NULL && cli->json)
        describe_json(s, &in, to);
    else if (to != NULL)
        describe(s, &in, to);
    if (to != NULL)
        gy_writer_commit(to, &err);
    gy_inputs_free(&in);
    return err.code == GY_OK ? 0 : gy_cli_fail(&err);
}

int gy_verb_validate(struct gy_cli *cli)
{
    const struct gy_overrides o = gy_cli_overrides(cli);
    struct gy_diags diags = {0};
    struct gy_scenario *s = gy_scenario_load(cli->args.at[0], &o, &diags);
    int rc;

    if (s == NULL)
        return gy_cli_fail_all(&diags);
    rc = validate(cli, s);
    gy_scenario_free(s);
    return rc;
}
