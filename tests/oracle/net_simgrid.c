/* 1,000 flows on a star of 1,024 hosts, against SimGrid's finish times for them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "gy_file.h"
#include "gy_flows.h"
#include "gy_str.h"
#include "gy_vec.h"

struct input {
    GY_VEC(struct gy_flow) flows;
    GY_VEC(uint32_t) path;
    GY_VEC(double) end;
    struct gy_strings *names; /* id 0 is "": link ids are one less */
};

static void add_links(struct input *in, char *text)
{
    char *save = NULL;

    for (char *l = strtok_r(text, ";\r", &save); l; l = strtok_r(NULL, ";\r", &save)) {
        cr_assert(gy_vec_push(&in->path, gy_strings_add(in->names, l, strlen(l)) - 1));
        in->flows.at[in->flows.n - 1].n++;
    }
}

/* flow, slot, round, src, dst, bytes, start_s, end_s, links */
static void add_row(struct input *in, char *row)
{
    char *field[9], *save = NULL;
    int n = 0;

    for (char *f = strtok_r(row, ",", &save); f && n < 9; f = strtok_r(NULL, ",", &save))
        field[n++] = f;
    cr_assert_eq(n, 9);
    struct gy_flow flow = {.bytes = strtod(field[5], NULL), .first = in->path.n};
    cr_assert(gy_time_parse(field[6], strlen(field[6]), &flow.start));
    cr_assert(gy_vec_push(&in->flows, flow));
    cr_assert(gy_vec_push(&in->end, strtod(field[7], NULL)));
    add_links(in, field[8]);
}

static bool load(struct input *in, const char *path)
{
    struct gy_error err = {0};
    size_t len;
    char *save = NULL, *text = gy_file_slurp(path, 1 << 24, &len, NULL, &err);

    if (!text)
        return false;
    in->names = gy_strings_new();
    char *row = strtok_r(text, "\n", &save);
    while ((row = strtok_r(NULL, "\n", &save)))
        add_row(in, row);
    free(text);
    return true;
}

Test(net_oracle, star_of_simgrid)
{
    const char *path = GY_SOURCE_DIR "/../shared/data/simgrid/star-1k.csv.gz";
    struct input in = {0};
    struct gy_flows_result r;
    struct gy_error err = {0};
    double worst = 0;

    if (!load(&in, path)) {
        printf("SKIP: %s is not here\n", path);
        return;
    }
    uint32_t n_links = gy_strings_count(in.names) - 1;
    struct gy_flow_link *links = calloc(n_links, sizeof *links);
    for (uint32_t i = 0; i < n_links; i++)
        links[i].capacity = 12.5e9;
    cr_assert_eq(in.flows.n, 1000);
    cr_assert_eq(gy_flows_replay(links, n_links, in.flows.at, in.flows.n, in.path.at, &r, &err), 0, "%s", err.what);
    for (size_t i = 0; i < in.flows.n; i++)
        worst = fmax(worst, fabs(r.end_s[i] - in.end.at[i]) / in.end.at[i]);
    printf("star of 1,000 flows: largest relative difference to SimGrid %.3g\n", worst);
    cr_assert(worst <= 1e-6, "%g", worst);
    gy_flows_result_free(&r);
    gy_strings_free(in.names);
    gy_vec_free(&in.flows);
    gy_vec_free(&in.path);
    gy_vec_free(&in.end);
    free(links);
}
