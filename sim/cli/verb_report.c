/* gpuyard report: run folders as one HTML file. */
#include <stdlib.h>
#include "gy_cli.h"
#include "gy_report.h"

int gy_verb_report(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_run *runs = calloc(cli->args.n, sizeof *runs);
    size_t n = 0;
    int rc = runs == NULL ? gy_nomem(&err) : 0;

    if (rc == 0 && cli->out == NULL) {
        rc = gy_fail(&err, GY_EUSAGE, NULL, "report: no file to write");
        gy_hint(&err, "add -o report.html, or -o - for standard output");
    }
    for (; rc == 0 && n < cli->args.n; n++)
        if ((rc = gy_run_load(cli->args.at[n], &runs[n], &err)) != 0)
            break;
    if (rc == 0)
        rc = gy_report_write(runs, n, cli->out, &err);
    for (size_t i = 0; i < n; i++)
        gy_run_free(&runs[i]);
    free(runs);
    return rc == 0 ? 0 : gy_cli_fail(&err);
}
