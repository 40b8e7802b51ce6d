/* gpuyard trace info and convert: what a trace file holds, and the same as gpuyard CSV. */
#include <string.h>
#include "gy_cli.h"
#include "gy_describe.h"
#include "gy_file.h"

enum { K_STRICT = 256, K_SECOND, K_COLUMNS, K_LIMIT, K_FROM, K_TO, K_GPU_ONLY };
const struct gy_cli_option gy_trace_file_options[] = {
    {"second", K_SECOND, "FILE", "Second table of formats that have two (PAI 2020: the task table)"},
    {"columns", K_COLUMNS, "JSON", "For format csv: {\"submit_s\": \"SubmitTime\", …}"},
    {"strict", K_STRICT, NULL, "The first row that cannot be used is an error"},
    {"limit-factor", K_LIMIT, "X", "Where the trace gives no time limit: run time times X"},
    {"from", K_FROM, "TIME", "Jobs submitted from this time on (seconds, or 3d, 12h)"},
    {"to", K_TO, "TIME", "Jobs submitted before this time"},
    {"gpu-jobs-only", K_GPU_ONLY, NULL, "Leaves out jobs that ask for no GPU"},
    {0},
};

static int take_time(const struct gy_cli *cli, int key, const char *name, gy_time *out, struct gy_error *err)
{
    const char *text = gy_cli_get(cli, key);
    char why[128];

    if (text == NULL || gy_units_parse_time(text, out, why))
        return 0;
    return gy_fail(err, GY_EUSAGE, NULL, "--%s %s: %s", name, text, why);
}

static int options_of(const struct gy_cli *cli, struct gy_trace_options *o, struct gy_json_doc **columns,
                      struct gy_error *err)
{
    const char *limit = gy_cli_get(cli, K_LIMIT), *map = gy_cli_get(cli, K_COLUMNS);
    char why[128];

    *o = (struct gy_trace_options)GY_TRACE_OPTIONS_INIT;
    o->path = cli->args.at[0];
    o->format = cli->format;
    o->second_path = gy_cli_get(cli, K_SECOND);
    o->strict = gy_cli_get(cli, K_STRICT) != NULL;
    o->gpu_jobs_only = gy_cli_get(cli, K_GPU_ONLY) != NULL;
    if (limit != NULL && (!gy_units_parse(limit, GY_U_NONE, &o->limit_factor, why) || o->limit_factor < 0))
        return gy_fail(err, GY_EUSAGE, NULL, "--limit-factor %s: expected a number above 0", limit);
    if (map != NULL) {
        *columns = gy_json_parse("--columns", map, strlen(map), err);
        if (*columns == NULL)
            return -1;
        o->columns = gy_json_root(*columns);
    }
    if (take_time(cli, K_FROM, "from", &o->from, err) != 0 || take_time(cli, K_TO, "to", &o->to, err) != 0)
        return -1;
    return 0;
}

static int load(const struct gy_cli *cli, struct gy_trace **out, struct gy_error *err)
{
    struct gy_json_doc *columns = NULL;
    struct gy_trace_options o;
    int rc = options_of(cli, &o, &columns, err);

    if (rc == 0)
        rc = gy_trace_load(&o, NULL, out, err);
    gy_json_free(columns);
    return rc;
}

int gy_verb_trace_info(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_trace *t = NULL;
    struct gy_writer *to = NULL;

    if (load(cli, &t, &err) == 0)
        to = gy_writer_open("-", &err);
    if (to != NULL) {
        if (cli->json)
            gy_describe_trace_json(t, to, &err);
        else
            gy_describe_trace(t, cli->args.at[0], to, &err);
        struct gy_error late = {0};
        if (gy_writer_commit(to, &late) != 0 && err.code == GY_OK)
            err = late;
    }
    gy_trace_free(t);
    return err.code == GY_OK ? 0 : gy_cli_fail(&err);
}

int gy_verb_trace_convert(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_trace *t = NULL;
    struct gy_writer *to = NULL, *notes;

    if (load(cli, &t, &err) != 0)
        return gy_cli_fail(&err);
    notes = cli->quiet ? NULL : gy_writer_open(NULL, &err);
    if (notes != NULL) {
        gy_describe_rows(t, cli->args.at[0], notes);
        fputs(gy_writer_memory(notes, NULL), stderr);
        gy_writer_abandon(notes);
    }
    if (err.code == GY_OK)
        to = gy_writer_open(cli->out == NULL ? "-" : cli->out, &err);
    if (to != NULL) {
        gy_trace_write_csv(t, to);
        gy_writer_commit(to, &err);
    }
    gy_trace_free(t);
    return err.code == GY_OK ? 0 : gy_cli_fail(&err);
}

int gy_verb_trace_formats(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_writer *to = gy_writer_open("-", &err);
    struct gy_json_out o = {.to = to};

    if (to == NULL)
        return gy_cli_fail(&err);
    if (cli->json)
        gy_jo_array(&o, NULL);
    for (size_t i = 0; gy_readers[i] != NULL; i++) {
        if (!cli->json) {
            gy_writer_printf(to, "%-14s %s\n", gy_readers[i]->name, gy_readers[i]->summary);
            continue;
        }
        gy_jo_object(&o, NULL);
        gy_jo_string(&o, "name", gy_readers[i]->name);
        gy_jo_string(&o, "summary", gy_readers[i]->summary);
        gy_jo_end(&o, '}');
    }
    if (cli->json)
        gy_jo_end(&o, ']');
    return gy_writer_commit(to, &err) == 0 ? 0 : gy_cli_fail(&err);
}
