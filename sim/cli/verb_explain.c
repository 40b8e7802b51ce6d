/* gpuyard explain: why a job waited, or why a run's GPUs stood unused. */
#include "gy_cli.h"
#include "gy_explain.h"
#include "gy_file.h"

enum { K_JOB = 256 };
const struct gy_cli_option gy_explain_options[] = {
    {"job", K_JOB, "ID", "The job to explain; without it, why the run's GPUs stood unused"},
    {0},
};

int gy_verb_explain(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_run run;
    const char *job = gy_cli_get(cli, K_JOB);
    struct gy_writer *to;
    int rc;

    if (gy_run_load(cli->args.at[0], &run, &err) != 0)
        return gy_cli_fail(&err);
    to = gy_writer_open("-", &err);
    rc = to == NULL ? -1 : 0;
    if (rc == 0)
        rc = job != NULL ? gy_explain_job(&run, job, cli->json, to, &err) : gy_explain_run(&run, cli->json, to, &err);
    if (rc != 0)
        gy_writer_abandon(to);
    else
        rc = gy_writer_commit(to, &err);
    gy_run_free(&run);
    return rc == 0 ? 0 : gy_cli_fail(&err);
}
