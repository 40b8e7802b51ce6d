/* gpuyard schema: the JSON Schema of our input files, or their keys as a Markdown table. */
#include <string.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_scenario.h"
#include "gy_study.h"

enum { K_KEYS = 256 };
const struct gy_cli_option gy_schema_options[] = {
    {"keys", K_KEYS, NULL, "Prints the keys with default and meaning as a Markdown table instead"},
    {0},
};

int gy_verb_schema(struct gy_cli *cli)
{
    static const char *const kinds[] = {"scenario", "study"};
    const char *kind = cli->args.at[0], *nearest = gy_nearest(kind, kinds, 2);
    struct gy_error err = {0};
    struct gy_writer *to;

    const bool study = strcmp(kind, "study") == 0;
    if (!study && strcmp(kind, "scenario") != 0) {
        gy_fail(&err, GY_EUSAGE, NULL, "schema: unknown kind \"%s\"; expected scenario or study", kind);
        if (nearest != NULL)
            gy_hint(&err, "did you mean \"%s\"?", nearest);
        return gy_cli_fail(&err);
    }
    to = gy_writer_open(cli->out == NULL ? "-" : cli->out, &err);
    if (to == NULL)
        return gy_cli_fail(&err);
    if (gy_cli_get(cli, K_KEYS) != NULL) {
        (study ? gy_study_keys : gy_scenario_keys)(to);
    } else if ((study ? gy_study_schema : gy_scenario_schema)(to, &err) != 0) {
        gy_writer_abandon(to);
        return gy_cli_fail(&err);
    }
    return gy_writer_commit(to, &err) == 0 ? 0 : gy_cli_fail(&err);
}
