/* gpuyard calibrate import, fit and validate: measurements in, a fitted model out, a table of its errors. Needs no GPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_fit.h"

enum {
    K_OP = 256,
    K_HARDWARE,
    K_FABRIC,
    K_SYSTEM,
    K_NODES,
    K_GPUS,
    K_ALGO,
    K_NAME,
    K_SUMMARY,
    K_TOLERANCE,
    K_KEEP_SLOW,
    K_NO_HOLDOUT,
    K_CONTEXT,
    K_HOLD_OUT,
    K_PLOT
};
const struct gy_cli_option gy_calibrate_import_options[] = {
    {"op", K_OP, "OP", "The operation, where the log does not tell"},
    {"hardware", K_HARDWARE, "NAME", "Node type (gpuyard models list)"},
    {"fabric", K_FABRIC, "NAME", "Network between the nodes"},
    {"system", K_SYSTEM, "NAME", "Whose machine it is: what a hold-out leaves out together"},
    {"nodes", K_NODES, "N", "Number of nodes"},
    {"gpus-per-node", K_GPUS, "G", "GPUs used on each node"},
    {"algo", K_ALGO, "NAME", "The algorithm that the run forced (NCCL_ALGO)"},
    {0},
};
const struct gy_cli_option gy_calibrate_fit_options[] = {
    {"name", K_NAME, "NAME", "Name of the calibration"},
    {"summary", K_SUMMARY, "TEXT", "One line about it"},
    {"tolerance", K_TOLERANCE, "X",
     "Largest miss of a curve at a measured size before it gets another knot (default 0.03)"},
    {"keep-slow", K_KEEP_SLOW, NULL, "Also fits sets whose links reach less than 0.6 of the prediction"},
    {"context", K_CONTEXT, "FILE", "Measurements of other systems, on which the hold-outs may lean; they are not kept"},
    {"no-hold-out", K_NO_HOLDOUT, NULL, "Does not measure the hold-out errors"},
    {0},
};
const struct gy_cli_option gy_calibrate_validate_options[] = {
    {"hold-out", K_HOLD_OUT, "WHAT",
     "none (default), prior (no calibration), system (leave the shown one out), third (every third size), nodes2 or "
     "nodes4 (predict node counts from at most a half or a quarter of them)"},
    {"hardware", K_HARDWARE, "NAME", "Node type, where a log does not tell"},
    {"fabric", K_FABRIC, "NAME", "Network between the nodes, where a log does not tell"},
    {"plot", K_PLOT, "FILE.svg", "Draws points, curve and residuals of the first eight sets"},
    {0},
};

static int count(const struct gy_cli *cli, int key, const char *name, uint32_t *out, struct gy_error *err)
{
    const char *text = gy_cli_get(cli, key);
    char *end;
    if (!text)
        return 0;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || n < 1 || n > 1 << 20)
        return gy_fail(err, GY_EUSAGE, NULL, "--%s %s: expected a whole number of at least 1", name, text);
    *out = (uint32_t)n;
    return 0;
}

static int import_all(const struct gy_cli *cli, struct gy_measurements *m, size_t from,
                      const struct gy_import_options *o, struct gy_error *err)
{
    for (size_t i = from; i < cli->args.n; i++) {
        size_t sets = m->sets.n, gemms = m->gemms.n;
        if (gy_import(m, cli->args.at[i], o, err))
            return -1;
        for (size_t s = sets; !cli->quiet && s < m->sets.n && from == 0; s++) {
            const struct gy_meas_set *x = &m->sets.at[s];
            fprintf(stderr, "%s: %s, %u nodes of %u %s%s%s, %zu rows of %s%s%s\n", cli->args.at[i],
                    gy_coll_op_name(x->op), x->nodes, x->gpus_per_node,
                    *x->hardware ? x->hardware : "GPUs of unknown type", *x->fabric ? ", " : "", x->fabric, x->rows.n,
                    *x->dtype ? x->dtype : "unknown type", x->cold_first_row ? ", cold first row" : "",
                    x->degraded ? ", called degraded" : "");
        }
        for (size_t s = gemms; !cli->quiet && s < m->gemms.n && from == 0; s++)
            fprintf(stderr, "%s: %zu GEMM shapes of %s on %s\n", cli->args.at[i], m->gemms.at[s].rows.n,
                    m->gemms.at[s].dtype, m->gemms.at[s].hardware);
    }
    return 0;
}

int gy_verb_calibrate_import(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    struct gy_import_options o = {.op = gy_cli_get(cli, K_OP),
                                  .hardware = gy_cli_get(cli, K_HARDWARE),
                                  .fabric = gy_cli_get(cli, K_FABRIC),
                                  .system = gy_cli_get(cli, K_SYSTEM),
                                  .algo = gy_cli_get(cli, K_ALGO)};
    struct gy_arena arena = GY_ARENA_INIT;
    int rc =
        count(cli, K_NODES, "nodes", &o.nodes, &err) || count(cli, K_GPUS, "gpus-per-node", &o.gpus_per_node, &err);
    if (!rc && ((o.hardware && !gy_hw_find(o.hardware, &arena, &err)) ||
                (o.fabric && !gy_fabric_find(o.fabric, &arena, &err))))
        rc = -1;
    if (!rc)
        rc = import_all(cli, &m, 0, &o, &err);
    if (!rc)
        rc = gy_measure_save(&m, cli->out ? cli->out : "-", &err);
    gy_arena_free(&arena);
    gy_measurements_free(&m);
    return rc ? gy_cli_fail(&err) : 0;
}

static void print_errors(const struct gy_calibration *c, FILE *to)
{
    for (size_t i = 0; i < c->errors.n; i++) {
        const struct gy_error_row *e = &c->errors.at[i];
        fprintf(to, "held out %-8s %-44.44s %6d rows: median %5.1f %%, p95 %5.1f %%, worst %.0f %%\n", e->kind, e->key,
                e->rows, 100 * e->median, 100 * e->p95, 100 * e->worst);
    }
    for (size_t i = 0; i < c->gemms.n; i++)
        fprintf(to, "held out gemm     %s %s, every third shape: median %.1f %%, p95 %.1f %%\n",
                c->gemms.at[i].hardware, gy_precision_name((enum gy_precision)c->gemms.at[i].dtype),
                100 * c->gemms.at[i].error_median, 100 * c->gemms.at[i].error_p95);
}

int gy_verb_calibrate_fit(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0}, context = {0};
    struct gy_calibration cal = {0};
    struct gy_fit_notes notes = {0};
    const char *tolerance = gy_cli_get(cli, K_TOLERANCE);
    struct gy_fit_options o = {.name = gy_cli_get(cli, K_NAME),
                               .summary = gy_cli_get(cli, K_SUMMARY),
                               .keep_slow = gy_cli_get(cli, K_KEEP_SLOW) != NULL,
                               .no_holdout = gy_cli_get(cli, K_NO_HOLDOUT) != NULL};
    struct gy_import_options none = {0};
    int rc = 0;
    if (tolerance) {
        char *end;
        o.tolerance = strtod(tolerance, &end);
        if (*end != '\0' || !(o.tolerance > 0 && o.tolerance < 1))
            rc = gy_fail(&err, GY_EUSAGE, NULL, "--tolerance %s: expected a number between 0 and 1", tolerance);
    }
    for (size_t i = 0; !rc && i < cli->args.n; i++)
        rc = gy_import(&m, cli->args.at[i], &none, &err);
    if (!rc && gy_cli_get(cli, K_CONTEXT)) {
        rc = gy_import(&context, gy_cli_get(cli, K_CONTEXT), &none, &err);
        o.context = &context;
    }
    if (!rc)
        rc = gy_fit(&m, &o, &cal, &notes, &err);
    for (size_t i = 0; i < notes.at.n && !cli->quiet; i++)
        fprintf(stderr, "%s\n", notes.at.at[i].text);
    if (!rc) {
        rc = gy_calibration_save(&cal, cli->out ? cli->out : "-", &err);
        if (!rc && !cli->quiet)
            print_errors(&cal, stderr);
        gy_calibration_free(&cal);
    }
    gy_fit_notes_free(&notes);
    gy_measurements_free(&context);
    gy_measurements_free(&m);
    return rc ? gy_cli_fail(&err) : 0;
}

struct cell {
    int op, decade; /* -1: all */
    const char *system;
    bool slow_too; /* and sets that were told apart as degraded */
};

static bool in_cell(const struct gy_valid_row *r, const void *ctx)
{
    const struct cell *c = ctx;
    return (c->slow_too || !r->degraded) && (c->op < 0 || (int)r->op == c->op) &&
           (c->decade < 0 ? r->bytes >= 65536 : (int)floor(log10(r->bytes)) == c->decade) &&
           (!c->system || !strcmp(r->system, c->system));
}

static void line(const struct gy_validation *v, const char *name, const char *sizes, struct cell c)
{
    double median, p95, worst;
    size_t n = gy_validation_stats(v, in_cell, &c, &median, &p95, &worst);
    if (n)
        printf("%-46.46s %-14s %6zu %7.1f %% %7.1f %% %7.0f %%\n", name, sizes, n, 100 * median, 100 * p95,
               100 * worst);
}

static bool first_of_system(const struct gy_validation *v, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(v->rows.at[j].system, v->rows.at[i].system))
            return false;
    return true;
}

/* Median error in per cent, a row a system, a column a decade of bytes. */
static void print_decades(const struct gy_validation *v)
{
    printf("\n%-46s", "median error in % by system and bytes");
    for (int d = 1; d <= 10; d++)
        printf("  10^%-2d", d);
    printf("\n");
    for (size_t i = 0; i < v->rows.n; i++) {
        if (!first_of_system(v, i))
            continue;
        double median, p95, worst;
        char cells[128] = "";
        size_t any = 0;
        for (int d = 1; d <= 10; d++) {
            struct cell c = {-1, d, v->rows.at[i].system, false};
            size_t n = gy_validation_stats(v, in_cell, &c, &median, &p95, &worst);
            any += n;
            snprintf(cells + strlen(cells), sizeof cells - strlen(cells), n ? " %6.1f" : "      -", 100 * median);
        }
        if (any)
            printf("%-46.46s%s\n", v->rows.at[i].system, cells);
    }
}

static void print_table(const struct gy_validation *v)
{
    printf("%-46s %-14s %6s %9s %9s %9s\n", "operation or system", "bytes", "rows", "median", "p95", "worst");
    line(v, "all", "64 KiB and up", (struct cell){-1, -1, NULL, false});
    if (v->degraded.n)
        line(v, "all, and what is told apart as degraded", "64 KiB and up", (struct cell){-1, -1, NULL, true});
    for (int op = 0; op < GY_COLL_OPS; op++) {
        line(v, gy_coll_op_name((enum gy_coll_op)op), "64 KiB and up", (struct cell){op, -1, NULL, false});
        for (int d = 0; d < 12; d++) {
            char sizes[16];
            snprintf(sizes, sizeof sizes, "10^%d", d);
            line(v, "", sizes, (struct cell){op, d, NULL, false});
        }
    }
    for (size_t i = 0; i < v->rows.n; i++)
        if (first_of_system(v, i))
            line(v, v->rows.at[i].system, "64 KiB and up", (struct cell){-1, -1, v->rows.at[i].system, false});
    print_decades(v);
    for (size_t i = 0; i < v->degraded.n; i++)
        printf("degraded: %s\n", v->degraded.at[i].text);
}

static int hold_out(const struct gy_cli *cli, enum gy_valid_mode *mode, struct gy_error *err)
{
    static const char *const names[] = {"prior", "none", "system", "third", "nodes2", "nodes4"};
    const char *text = gy_cli_get(cli, K_HOLD_OUT);
    *mode = GY_VALID_ALL;
    for (int i = 0; text && i < 6; i++)
        if (!strcmp(text, names[i])) {
            *mode = (enum gy_valid_mode)i;
            return 0;
        }
    return text ? gy_fail(err, GY_EUSAGE, NULL, "--hold-out %s: expected none, prior, system, third, nodes2 or nodes4",
                          text)
                : 0;
}

int gy_verb_calibrate_validate(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    struct gy_calibration cal = {0};
    struct gy_validation v = {0};
    struct gy_import_options o = {.hardware = gy_cli_get(cli, K_HARDWARE), .fabric = gy_cli_get(cli, K_FABRIC)};
    enum gy_valid_mode mode;
    const char *plot = gy_cli_get(cli, K_PLOT), *name = cli->args.at[0];
    int rc = hold_out(cli, &mode, &err);
    if (!rc)
        rc = gy_calibration_load(&cal, strcmp(name, "built-in") ? name : NULL, &err);
    bool loaded = !rc;
    if (!rc)
        rc = import_all(cli, &m, 1, &o, &err);
    for (size_t i = 0; !rc && i < m.sets.n; i++)
        if (!*m.sets.at[i].hardware && !cli->quiet)
            fprintf(stderr, "%s: not compared, its GPU is not known; give --hardware\n", m.sets.at[i].source);
    if (!rc)
        rc = gy_validate(&cal, &m, mode, &v, &err);
    if (!rc && cli->json)
        rc = gy_validation_write(&v, "-", &err);
    else if (!rc)
        print_table(&v);
    if (!rc && plot)
        rc = gy_validation_plot(&cal, &m, mode, plot, &err);
    gy_validation_free(&v);
    if (loaded)
        gy_calibration_free(&cal);
    gy_measurements_free(&m);
    return rc ? gy_cli_fail(&err) : 0;
}
