/* gpuyard compare: what differs between runs. Reads run folders; the arithmetic is in reports/. */
#include <stdlib.h>
#include <string.h>
#include "gy_cli.h"
#include "gy_compare.h"
#include "gy_file.h"
#include "gy_terminal.h"

enum { K_BY = 256, K_ALL, K_MARKDOWN, K_HTML };

const struct gy_cli_option gy_compare_options[] = {
    {"by", K_BY, "GROUP", "Compares groups: team, user, partition, gpu_type or job_size_class"},
    {"all", K_ALL, NULL, "Every metric, not only the main ones"},
    {"markdown", K_MARKDOWN, NULL, "Prints a GitHub-flavoured markdown table"},
    {"html", K_HTML, NULL, "Prints an HTML table"},
    {0},
};

static int check_by(const char *by, struct gy_error *err)
{
    static const char *const known[] = {"team", "user", "partition", "gpu_type", "job_size_class"};
    const size_t n = sizeof known / sizeof *known;
    for (size_t i = 0; i < n; i++)
        if (by == NULL || strcmp(by, known[i]) == 0)
            return 0;
    gy_fail(err, GY_EUSAGE, "--by", "found \"%s\"; expected one of team, user, partition, gpu_type, job_size_class",
            by);
    const char *nearest = gy_nearest(by, known, n);
    return nearest ? gy_hint(err, "did you mean %s?", nearest) : -1;
}

#define LABEL 22 /* columns of a run's name before its sparkline */

static int show(const struct gy_cli *cli, const struct gy_comparison *c, const struct gy_run *runs, size_t n,
                struct gy_error *err)
{
    struct gy_writer *to = gy_writer_open("-", err);
    if (to == NULL)
        return -1;
    if (cli->json) {
        gy_comparison_json(c, runs, to);
        return gy_writer_commit(to, err);
    }
    struct gy_table t;
    gy_comparison_table(c, &t);
    const bool ok = gy_table_render(&t,
                                    gy_cli_get(cli, K_MARKDOWN) != NULL ? GY_TABLE_MARKDOWN
                                    : gy_cli_get(cli, K_HTML) != NULL   ? GY_TABLE_HTML
                                                                        : GY_TABLE_TEXT,
                                    to);
    gy_table_free(&t);
    const struct gy_terminal_style style = gy_terminal_style_of(stdout, cli->plain);
    const bool text = gy_cli_get(cli, K_MARKDOWN) == NULL && gy_cli_get(cli, K_HTML) == NULL;
    int rc = ok ? 0 : gy_nomem(err);
    if (rc == 0 && text && style.terminal && gy_cli_get(cli, K_BY) == NULL)
        rc = gy_comparison_courses(runs, n, LABEL, style.width - LABEL, to, err);
    if (rc != 0) {
        gy_writer_abandon(to);
        return -1;
    }
    return gy_writer_commit(to, err);
}

static int compare(const struct gy_cli *cli, const struct gy_run *runs, size_t n, struct gy_error *err)
{
    const struct gy_compare_options o = {.by = gy_cli_get(cli, K_BY), .all = gy_cli_get(cli, K_ALL) != NULL};
    struct gy_comparison c;
    if (gy_compare(runs, n, &o, &c, err) != 0)
        return -1;
    for (size_t i = 0; i < n && !cli->quiet; i++)
        if (runs[i].partial)
            fprintf(stderr, GY_PROGRAM ": warning: %s is a partial run\n", runs[i].path);
    const int rc = show(cli, &c, runs, n, err);
    gy_comparison_free(&c);
    return rc;
}

int gy_verb_compare(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_run *runs = calloc(cli->args.n, sizeof *runs);
    size_t n = 0;
    int rc = runs != NULL ? check_by(gy_cli_get(cli, K_BY), &err) : gy_nomem(&err);
    for (; n < cli->args.n && rc == 0; n += rc == 0)
        rc = gy_run_load(cli->args.at[n], &runs[n], &err);
    if (rc == 0)
        rc = compare(cli, runs, n, &err);
    while (n-- > 0)
        gy_run_free(&runs[n]);
    free(runs);
    return rc == 0 ? 0 : gy_cli_fail(&err);
}
