/* Import of the public tables beside the checkout: every table's rows, ranks, nodes, operation and type against its own
 * header lines, read here by other code. Skips loudly where the data is absent. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_measure.h"

#define DATA GY_SOURCE_DIR "/../shared/data/"

struct facts {
    char op[32], type[16];
    unsigned ranks, nodes, gpus;
    size_t rows, halves;
};

static int read_facts(const char *path, struct facts *f)
{
    FILE *in = fopen(path, "r");
    char line[1024], type[16];
    if (!in)
        return -1;
    *f = (struct facts){0};
    while (fgets(line, sizeof line, in)) {
        sscanf(line, "# collective: %31s", f->op);
        sscanf(line, "# ranks: %u", &f->ranks);
        sscanf(line, "# nodes: %u", &f->nodes);
        sscanf(line, "# gpus_per_node: %u", &f->gpus);
        if (line[0] != '#' && sscanf(line, "%*u %*u %15s", type) == 1) {
            strcpy(f->type, type);
            f->rows++;
            int words = 0;
            for (char *w = strtok(line, " \t\r\n"); w; w = strtok(NULL, " \t\r\n"))
                words++;
            f->halves += words > 9 ? 2 : 1;
        }
    }
    fclose(in);
    return 0;
}

static void check_table(const char *name)
{
    char path[512];
    struct facts f;
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    snprintf(path, sizeof path, DATA "nccl/%s", name);
    cr_assert_eq(read_facts(path, &f), 0);
    cr_assert_eq(gy_import(&m, path, NULL, &err), 0, "%s: %s: %s", name, err.place, err.what);
    cr_assert_eq(m.sets.n, 1, "%s", name);
    const struct gy_meas_set *s = &m.sets.at[0];
    cr_assert_eq((int)s->op, gy_coll_op_of(f.op), "%s: %s", name, gy_coll_op_name(s->op));
    cr_assert_eq(s->ranks, f.ranks, "%s: %u ranks", name, s->ranks);
    cr_assert_eq(s->nodes, f.nodes, "%s", name);
    cr_assert_eq(s->gpus_per_node, f.gpus, "%s", name);
    cr_assert_eq(s->rows.n, f.rows, "%s: %zu rows of %zu", name, s->rows.n, f.rows);
    cr_assert_str_eq(s->dtype, f.type, "%s", name);
    size_t halves = 0;
    for (size_t i = 0; i < s->rows.n; i++) {
        halves += (size_t)!isnan(s->rows.at[i].time_us) + (size_t)!isnan(s->rows.at[i].in_place_us);
        cr_assert(i == 0 || s->rows.at[i].bytes > s->rows.at[i - 1].bytes);
    }
    cr_assert_eq(halves, f.halves, "%s", name);
    if (strncmp(name, "x_", 2))
        cr_assert(*s->hardware, "%s: hardware not known", name);
    cr_assert(s->nodes == 1 || *s->fabric, "%s: fabric not known", name);
    cr_assert_eq(s->degraded, strstr(name, "degraded") || strstr(name, "misconfigured") || strstr(name, "ipoib"), "%s",
                 name);
    gy_measurements_free(&m);
}

Test(calibrate_import, every_nccl_table)
{
    DIR *dir = opendir(DATA "nccl");
    if (!dir) {
        fprintf(stderr, "SKIP: no " DATA "nccl\n");
        return;
    }
    int tables = 0;
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".txt")) {
            check_table(e->d_name);
            tables++;
        }
    closedir(dir);
    cr_assert_geq(tables, 54);
}

Test(calibrate_import, tables_without_their_headers_still_import)
{
    /* Rank count and operation out of the file name and the rows alone. */
    FILE *in = fopen(DATA "nccl/a100_dgx_2n16g_hdr_ring.txt", "r");
    if (!in) {
        fprintf(stderr, "SKIP: no " DATA "nccl\n");
        return;
    }
    char line[1024], *text = calloc(1, 1 << 16);
    while (fgets(line, sizeof line, in))
        if (line[0] != '#' || strstr(line, "size"))
            strcat(text, line);
    fclose(in);
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    cr_assert_eq(gy_import_nccl_text(&m, "plain.log", text, NULL, &err), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].ranks, 16);
    cr_assert_eq(m.sets.at[0].op, GY_ALL_REDUCE);
    gy_measurements_free(&m);
    struct gy_measurements wrong = {0};
    struct gy_import_options o = {.nodes = 4, .gpus_per_node = 8};
    cr_assert_eq(gy_import_nccl_text(&wrong, "plain.log", text, &o, &err), -1); /* the factor says 16, not 32 */
    cr_assert(strstr(err.what, "busbw"), "%s", err.what);
    gy_measurements_free(&wrong);
    free(text);
}

Test(calibrate_import, kernel_tables)
{
    struct gy_error err = {0};
    struct gy_measurements m = {0};
    FILE *in = fopen(DATA "aiconfigurator/h100_sxm_nccl2.29.2.csv", "r");
    if (!in) {
        fprintf(stderr, "SKIP: no " DATA "aiconfigurator\n");
        return;
    }
    fclose(in);
    cr_assert_eq(gy_import(&m, DATA "aiconfigurator/h100_sxm_nccl2.29.2.csv", NULL, &err), 0, "%s %s", err.place,
                 err.what);
    cr_assert_eq(m.sets.n, 24); /* 4 operations × 2 types × 2, 4, 8 GPUs */
    for (size_t i = 0; i < m.sets.n; i++) {
        cr_assert_eq(m.sets.at[i].rows.n, 21);
        cr_assert_eq(m.sets.at[i].rows.at[20].bytes, 536870912); /* elements × type size */
        cr_assert_str_eq(m.sets.at[i].hardware, "hgx-h100");
        cr_assert_str_eq(m.sets.at[i].library, "2.29.2");
    }
    gy_measurements_free(&m);
    m = (struct gy_measurements){0};
    cr_assert_eq(gy_import(&m, DATA "aiconfigurator/a100_sxm_gemm_perf.csv", NULL, &err), 0, "%s %s", err.place,
                 err.what);
    cr_assert_eq(m.gemms.n, 1);
    cr_assert_eq(m.gemms.at[0].rows.n, 9240);
    gy_measurements_free(&m);
    m = (struct gy_measurements){0};
    cr_assert_eq(gy_import(&m, DATA "vidur/network/a100_dgx/all_reduce.csv", NULL, &err), 0, "%s %s", err.place,
                 err.what);
    cr_assert_eq(m.sets.n, 7);
    gy_measurements_free(&m);
}
