/* The published files, whole: counts and sums that were measured apart from this code. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include "../unit/traces_help.h"

static struct gy_trace *load_file(const char *name, const char *format)
{
    const char *path = data_path(name);
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *t = NULL;
    struct gy_error err = {0};

    if (path == NULL)
        return NULL;
    o.path = path;
    cr_assert_eq(gy_trace_load(&o, NULL, &t, &err), 0, "%s: %s; %s", err.place, err.what, err.hint);
    cr_assert_str_eq(t->format, format);
    cr_assert_eq(strlen(t->sha256), 64);
    uint64_t skipped = 0;
    for (size_t i = 0; i < t->skips.n; i++)
        skipped += t->skips.at[i].count;
    cr_assert_eq(t->rows_read, t->rows_kept + skipped);
    for (size_t i = 0; i < t->jobs.n; i++) {
        cr_assert_eq(t->jobs.at[i].row, i);
        cr_assert(i == 0 || t->jobs.at[i - 1].submit <= t->jobs.at[i].submit);
    }
    return t;
}

/* Σ duration × GPUs in whole GPU-seconds; every duration of these files is whole or exact to ms. */
static int64_t gpu_ms(const struct gy_trace *t)
{
    int64_t sum = 0;

    for (size_t i = 0; i < t->jobs.n; i++) {
        cr_assert_eq(t->jobs.at[i].duration % 1000000, 0);
        sum += t->jobs.at[i].duration / 1000000 * t->jobs.at[i].gpus;
    }
    return sum;
}

Test(traces_real, philly_keeps_every_row_and_every_gpu_second)
{
    struct gy_trace *t = load_file("philly/philly_sia.csv.gz", "philly");

    if (t == NULL)
        return;
    cr_expect_eq(t->rows_read, 82247);
    cr_expect_eq(t->rows_kept, 82247);
    cr_expect(t->was_unsorted);
    cr_expect_str_eq(t->origin, "2017-09-04 10:30:41");
    size_t single = 0, most = 0;
    for (size_t i = 0; i < t->jobs.n; i++) {
        single += t->jobs.at[i].gpus == 1;
        most = t->jobs.at[i].gpus > most ? t->jobs.at[i].gpus : most;
    }
    cr_expect_eq(single, 76627);
    cr_expect_eq(most, 128);
    cr_expect_eq(t->jobs.at[0].submit, 0);
    /* the file's own last submit, 2017-12-22 08:02:11 */
    cr_expect_eq(t->jobs.at[t->jobs.n - 1].submit, 108 * GY_DAY + 21 * GY_HOUR + 31 * GY_MINUTE + 30 * GY_SECOND);
    cr_expect_eq(gpu_ms(t), INT64_C(3521082502) * 1000);
    gy_trace_free(t);
}

Test(traces_real, openb_lists)
{
    struct gy_trace *t = load_file("openb/openb_pod_list_default.csv", "openb");

    if (t == NULL)
        return;
    cr_expect_eq(t->rows_kept, 8152);
    cr_expect_eq(t->skips.n, 0);
    cr_expect_not(t->was_unsorted);
    cr_expect_eq(
        why_of(&t->notes, "scheduled_time: never scheduled: cancelled at deletion_time if still pending then")->count,
        897);
    for (size_t i = 0; i < t->jobs.n; i++)
        cr_assert(t->jobs.at[i].gpu_milli == 1000 || t->jobs.at[i].gpus == 1);
    gy_trace_free(t);

    t = load_file("openb/openb_pod_list_multigpu20.csv", "openb");
    cr_expect_eq(t->skips.n, 0);
    cr_expect_eq(t->jobs.at[5].submit, 5 * GY_SECOND);
    cr_expect_eq(t->jobs.at[5].duration, GY_NEVER);
    gy_trace_free(t);
    gy_trace_free(load_file("openb/openb_pod_list_gpushare100.csv", "openb"));
    t = load_file("openb/openb_pod_list_gpuspec33.csv", "openb");
    size_t typed = 0;
    for (size_t i = 0; i < t->jobs.n; i++)
        typed += t->jobs.at[i].gpu_type != 0;
    cr_expect_eq(typed, 2388);
    gy_trace_free(t);
}

Test(traces_real, batsim_workloads)
{
    struct gy_trace *t = load_file("batsim/medium_late.json", "batsim");

    if (t == NULL)
        return;
    cr_expect_eq(t->rows_kept, 801);
    cr_expect(t->was_unsorted); /* job 424242 comes first and is submitted at 16,000 s */
    gy_trace_free(t);
    t = load_file("batsim/hpc2n3k.json.gz", "batsim");
    cr_expect_eq(t->rows_kept, 3145);
    for (size_t i = 0; i < t->jobs.n; i++)
        cr_assert(t->jobs.at[i].limit != GY_NONE);
    gy_trace_free(t);
}

Test(traces_real, swf_logs)
{
    struct gy_trace *t = load_file("swf/hpc2n_alea_subset.swf", "swf");

    if (t == NULL)
        return;
    cr_expect_eq(t->rows_read, 3170);
    cr_expect_eq(t->rows_kept, 3145);
    cr_expect_eq(why_of(&t->skips, "run time: not known")->count, 25);
    cr_expect_str_eq(t->origin, "2002-07-28 07:04:05+00:00");
    size_t past = 0;
    for (size_t i = 0; i < t->jobs.n; i++)
        past += t->jobs.at[i].limit != GY_NONE && t->jobs.at[i].duration > t->jobs.at[i].limit;
    cr_expect_eq(past, 320);
    gy_trace_free(t);
    t = load_file("swf/lublin_256.swf", "swf");
    cr_expect_eq(t->rows_kept, 10000);
    gy_trace_free(t);
    t = load_file("swf/accasim_test_workload.swf", "swf");
    cr_expect_eq(t->rows_kept, 25);
    gy_trace_free(t);
}

Test(traces_real, node_lists)
{
    static const struct {
        const char *name;
        size_t nodes, gpus, without;
    } table[] = {
        {"openb/openb_node_list_all_node.csv", 1523, 6212, 310},
        {"openb/openb_node_list_gpu_node.csv", 1213, 6212, 0},
        {"pai/pai_machine_spec.csv", 1897, 6742, 83},
        {"philly/revised_machine_list.csv", 552, 3205, 13},
        {"philly/cluster_machine_list", 552, 2490, 0},
        {"tiresias/n160g8.csv", 160, 1280, 0},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *path = data_path(table[i].name);
        struct gy_cluster_spec s = {.strings = gy_strings_new()};
        struct gy_error err = {0};
        size_t gpus = 0, without = 0;
        if (path == NULL)
            continue;
        cr_assert_eq(gy_nodes_load(path, NULL, &s, NULL, &err), 0, "%s: %s", err.place, err.what);
        for (size_t n = 0; n < s.nodes.n; n++) {
            gpus += s.nodes.at[n].gpus;
            without += s.nodes.at[n].gpus == 0;
        }
        cr_expect_eq(s.nodes.n, table[i].nodes, "%s", path);
        cr_expect_eq(gpus, table[i].gpus, "%s: %zu", path, gpus);
        cr_expect_eq(without, table[i].without, "%s: %zu", path, without);
        gy_strings_free(s.strings);
        gy_vec_free(&s.nodes);
        gy_vec_free(&s.label_sets);
    }
}

Test(traces_real, rows_from_the_publishers_pages)
{
    struct gy_trace *t = load_file("doc_rows/helios_cluster_log.csv", "helios");

    if (t == NULL)
        return;
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(t->jobs.at[0].duration, 36848 * GY_SECOND);
    cr_expect_eq(t->jobs.at[2].duration, 675233 * GY_SECOND);
    gy_trace_free(t);
    t = load_file("doc_rows/acme_trace_seren.csv", "acme");
    cr_expect_eq(t->jobs.at[1].duration, 2693 * GY_SECOND);
    cr_expect_eq(t->jobs.at[1].submit, 336 * GY_SECOND);
    gy_trace_free(t);
    t = load_file("doc_rows/acme_trace_kalos.csv", "acme");
    cr_expect_eq(t->jobs.at[0].duration, 8 * GY_SECOND); /* 18 - 10 of queue */
    cr_expect_eq(t->jobs.at[1].duration, 70 * GY_SECOND);
    gy_trace_free(t);
    t = load_file("doc_rows/philly_cluster_job_log.json", "philly-json");
    cr_expect_eq(t->jobs.at[0].gpus, 8);
    cr_expect_eq(t->jobs.at[0].duration, (74 + 2 * 86400 + 5 * 3600 + 39 * 60 + 42) * GY_SECOND);
    gy_trace_free(t);
    t = load_file("acme/converted_kalos_trace.csv", "acme-kalos");
    cr_expect_eq(t->rows_kept, 319);
    gy_trace_free(t);
    t = load_file("doc_rows/alibaba2026_spot_job_info_df.csv", "spot2026");
    cr_expect_eq(t->rows_kept, 4);
    gy_trace_free(t);
    t = load_file("tiresias/60_job.csv", "tiresias");
    cr_expect_eq(t->rows_kept, 60);
    gy_trace_free(t);
    t = load_file("elasticflow/philly_103959.csv", "tiresias");
    cr_expect_eq(t->rows_kept, 876);
    gy_trace_free(t);
}

Test(traces_real, pai_tables_whose_rows_do_not_meet)
{
    char job[1024];
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *t;
    struct gy_error err = {0};

    if (data_path("doc_rows/pai_job_table.csv") == NULL)
        return;
    snprintf(job, sizeof job, "%s", data_path("doc_rows/pai_job_table.csv"));
    o.path = job;
    cr_expect_eq(gy_trace_load(&o, NULL, &t, &err),
                 -1); /* one row each, of different jobs; the task table is found beside */
    cr_expect(strstr(err.what, "no row in the task table") != NULL, "%s", err.what);
}

Test(traces_real, gavel_with_its_measured_throughputs)
{
    char trace[1024];
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *t;
    struct gy_error err = {0};

    if (data_path("gavel/e13805.trace") == NULL)
        return;
    snprintf(trace, sizeof trace, "%s", data_path("gavel/e13805.trace"));
    o.path = trace;
    o.second_path = data_path("../gavel/simulation_throughputs.json");
    cr_assert_eq(gy_trace_load(&o, NULL, &t, &err), 0, "%s %s", err.place, err.what);
    cr_expect_eq(t->rows_read, 607);
    cr_expect_eq(t->rows_kept, 504);
    gy_trace_free(t);
}
