/* gpuyard run: one simulation from a scenario; the summary on standard output, a run folder with --out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_account.h"
#include "gy_cli.h"
#include "gy_describe.h"
#include "gy_engine.h"
#include "gy_file.h"

enum { K_STRICT = 256 };
const struct gy_cli_option gy_run_options[] = {
    {"strict", K_STRICT, NULL, "The first row of the trace that cannot be used is an error"},
    {0},
};

/* One run with everything that has to be given back. */
struct run {
    const struct gy_cli *cli;
    const struct gy_scenario *s;
    struct gy_inputs inputs;
    struct gy_sim_config config;
    struct gy_account *account;
    struct gy_sim_result result;
    struct gy_verdict *verdicts;
    double seconds; /* of the engine */
};

static bool prints_for_people(const struct gy_cli *cli)
{
    return !cli->json && !cli->quiet;
}

/* Rows read, kept and skipped: with the result for people, beside it otherwise. */
static int print_inputs(const struct run *r, struct gy_error *err)
{
    struct gy_writer *to = gy_writer_open(prints_for_people(r->cli) ? "-" : NULL, err);

    if (to == NULL)
        return -1;
    gy_describe_cluster(&r->inputs.cluster, to);
    gy_describe_rows(r->inputs.trace, r->s->trace.path, to);
    if (prints_for_people(r->cli))
        return gy_writer_commit(to, err);
    if (!r->cli->quiet)
        fputs(gy_writer_memory(to, NULL), stderr);
    gy_writer_abandon(to);
    return 0;
}
