/* gpuyard export: a run in another tool's format. */
#include <string.h>
#include "gy_cli.h"
#include "gy_export.h"
#include "gy_file.h"

enum { K_SVG = 256, K_PNG, K_FORMAT };
const struct gy_cli_option gy_export_options[] = {
    {"format", K_FORMAT, "NAME", "sqlite, perfetto, openmetrics, sacct, batsim, batsim-schedule, csv, svg or png"},
    {"svg", K_SVG, "FILE", "Writes the main plots as SVG too"},
    {"png", K_PNG, "FILE", "Writes the main plots as PNG too"},
    {0},
};

static int write_one(const struct gy_run *run, const char *format, const char *path, struct gy_error *err)
{
    const struct gy_export_type *type = gy_export_find(format, err);

    if (type == NULL)
        return -1;
    if (type->to_file && (path == NULL || strcmp(path, "-") == 0)) {
        gy_fail(err, GY_EUSAGE, NULL, "export: %s needs a file", type->name);
        return gy_hint(err, "add -o run%s", type->suffix);
    }
    return type->write(run, path == NULL ? "-" : path, err);
}

int gy_verb_export(struct gy_cli *cli)
{
    const char *format = gy_cli_get(cli, K_FORMAT), *svg = gy_cli_get(cli, K_SVG), *png = gy_cli_get(cli, K_PNG);
    struct gy_error err = {0};
    struct gy_run run;
    int rc;

    if (format == NULL && svg == NULL && png == NULL) {
        gy_fail(&err, GY_EUSAGE, NULL, "export: nothing to write");
        gy_hint(&err,
                "add --format sqlite|perfetto|openmetrics|sacct|batsim|batsim-schedule|csv|svg|png, or --svg FILE");
        return gy_cli_fail(&err);
    }
    if (gy_run_load(cli->args.at[0], &run, &err) != 0)
        return gy_cli_fail(&err);
    rc = format == NULL ? 0 : write_one(&run, format, cli->out, &err);
    if (rc == 0 && svg != NULL)
        rc = write_one(&run, "svg", svg, &err);
    if (rc == 0 && png != NULL)
        rc = write_one(&run, "png", png, &err);
    gy_run_free(&run);
    return rc == 0 ? 0 : gy_cli_fail(&err);
}
