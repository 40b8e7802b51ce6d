/* Import of logs written here by hand, in the shapes that nccl-tests has had, and of logs that are broken. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_measure.h"

static struct gy_error err;

static int import(struct gy_measurements *m, const char *name, const char *text, const struct gy_import_options *o)
{
    *m = (struct gy_measurements){0};
    return gy_import_nccl_text(m, name, text, o, &err);
}

#define HEADER                                                                                                         \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "   \
    "#wrong\n"                                                                                                         \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
#define ROW_4G_8                                                                                                       \
    "  4294967296    1073741824     float     sum      -1    15000  286.33  501.08      0    15100  284.43  497.76   " \
    "   0\n"

Test(calibrate_import, device_lines_tell_ranks_hosts_and_gpu)
{
    struct gy_measurements m;
    const char *text = "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20\n"
                       "#\n# Using devices\n"
                       "#  Rank  0 Group  0 Pid    101 on    alpha-1 device  0 [0x0f] NVIDIA H100 80GB HBM3\n"
                       "#  Rank  1 Group  0 Pid    102 on    alpha-1 device  1 [0x1f] NVIDIA H100 80GB HBM3\n"
                       "#  Rank  2 Group  0 Pid    103 on     beta-2 device  0 [0x0f] NVIDIA H100 80GB HBM3\n"
                       "#  Rank  3 Group  0 Pid    104 on     beta-2 device  1 [0x1f] NVIDIA H100 80GB HBM3\n"
                       "alpha-1:101:115 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n" HEADER
                       "  1073741824     268435456     float     sum      -1    10000  107.37  161.06      0    10000  "
                       "107.37  161.06      0\n"
                       "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 161.06\n";
    cr_assert_eq(import(&m, "job.log", text, NULL), 0, "%s %s", err.place, err.what);
    const struct gy_meas_set *s = &m.sets.at[0];
    cr_assert_eq(s->ranks, 4);
    cr_assert_eq(s->nodes, 2);
    cr_assert_eq(s->gpus_per_node, 2);
    cr_assert_str_eq(s->hardware, "hgx-h100");
    cr_assert_str_eq(s->library, "2.21.5");
    cr_assert_eq(s->op, GY_ALL_REDUCE);
    for (size_t i = 0; i < m.sets.n; i++)
        cr_assert_null(strstr(m.sets.at[i].note, "alpha"), "a host name is kept");
    gy_measurements_free(&m);
}

Test(calibrate_import, old_versions_without_redop_and_root)
{
    struct gy_measurements m;
    const char *text =
        "#       size         count    type     time   algbw   busbw  error     time   algbw   busbw  error\n"
        "#        (B)    (elements)             (us)  (GB/s)  (GB/s)           (us)  (GB/s)  (GB/s)\n"
        "   268435456      16777216   float   2000.0  134.22  117.44    N/A   1990.0  134.89  118.03    N/A\n";
    cr_assert_eq(import(&m, "all_gather_1n8g.txt", text, NULL), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].op, GY_ALL_GATHER);
    cr_assert_eq(m.sets.at[0].ranks, 8);
    cr_assert_float_eq(m.sets.at[0].rows.at[0].time_us, 2000, 1e-9);
    gy_measurements_free(&m);
}

Test(calibrate_import, blank_redop_under_a_new_header)
{
    struct gy_measurements m;
    const char *text = HEADER "   268435456      16777216   float                   2000.0  134.22  117.44    N/A   "
                              "1990.0  134.89  118.03    N/A\n";
    cr_assert_eq(import(&m, "alltoall_1n8g.txt", text, NULL), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].op, GY_ALL_TO_ALL);
    gy_measurements_free(&m);
}

Test(calibrate_import, extra_columns_and_launcher_prefixes)
{
    struct gy_measurements m;
    const char *text =
        "[1,0]<stdout>:# Collective test starting: broadcast_perf\n"
        "[1,0]<stdout>:#  size count type redop root time algbw busbw #wrong #bitdiff time algbw busbw #wrong #bitdiff "
        "timestamp\n"
        "[1,0]<stdout>: 1048576 262144 float none 0 20.0 52.43 52.43 0 0 21.0 49.93 49.93 0 0 2025-06-01T00:00:00\n";
    struct gy_import_options o = {.nodes = 2, .gpus_per_node = 4};
    cr_assert_eq(import(&m, "x.log", text, &o), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].op, GY_BROADCAST);
    cr_assert_eq(m.sets.at[0].ranks, 8);
    cr_assert_float_eq(m.sets.at[0].rows.at[0].in_place_us, 21, 1e-9);
    gy_measurements_free(&m);
    cr_assert_eq(
        import(
            &m, "x_1n8g.log",
            "0: # Collective test starting: all_reduce_perf\n0: # size count type redop root time algbw busbw #wrong\n"
            "0: 4294967296 1073741824 float sum -1 15000 286.33 501.08 0\n",
            NULL),
        0, "%s %s", err.place, err.what);
    cr_assert(isnan(m.sets.at[0].rows.at[0].in_place_us));
    gy_measurements_free(&m);
}

Test(calibrate_import, several_tables_in_one_log)
{
    struct gy_measurements m;
    const char *text = "# Collective test starting: all_reduce_perf\n" HEADER ROW_4G_8
                       "# Collective test starting: all_gather_perf\n" HEADER
                       "   268435456      16777216   float    none      -1   2000.0  134.22  117.44      0   1990.0  "
                       "134.89  118.03      0\n";
    cr_assert_eq(import(&m, "both_1n8g.log", text, NULL), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.n, 2);
    cr_assert_eq(m.sets.at[0].op, GY_ALL_REDUCE);
    cr_assert_eq(m.sets.at[1].op, GY_ALL_GATHER);
    gy_measurements_free(&m);
}

Test(calibrate_import, cold_first_row)
{
    struct gy_measurements m;
    const char *text = "# Collective test starting: all_reduce_perf\n" HEADER
                       "           8             2     float     sum      -1    900.0    0.00    0.00      0    20.00  "
                       "  0.00    0.00      0\n"
                       "          16             4     float     sum      -1    20.50    0.00    0.00      0    20.30  "
                       "  0.00    0.00      0\n" ROW_4G_8;
    cr_assert_eq(import(&m, "a_1n8g.log", text, NULL), 0, "%s %s", err.place, err.what);
    cr_assert(m.sets.at[0].cold_first_row);
    cr_assert_float_eq(gy_meas_time_us(&m.sets.at[0], 0), 20, 1e-9);
    cr_assert_float_eq(gy_meas_time_us(&m.sets.at[0], 1), sqrt(20.5 * 20.3), 1e-9);
    gy_measurements_free(&m);
}

static void refuse(const char *text, const char *place, const char *word)
{
    struct gy_measurements m;
    cr_assert_eq(import(&m, "bad_1n8g.log", text, NULL), -1, "accepted: %s", text);
    cr_assert(strstr(err.place, place), "place %s, wanted %s", err.place, place);
    cr_assert(strstr(err.what, word), "said %s, wanted %s", err.what, word);
    gy_measurements_free(&m);
}

/* More words in the comments than are kept: cut, not written past the end (found by fuzzing). */
Test(calibrate_import, very_long_comments)
{
    struct gy_measurements m;
    char *text = malloc(400 * 120);
    size_t n = 0;
    cr_assert_not_null(text);
    for (int i = 0; i < 200; i++)
        n += (size_t)sprintf(text + n, "# nThread %0*d of NCCL\n", 40 + i % 17, i);
    sprintf(text + n,
            "# Collective test starting: all_reduce_perf\n" HEADER "  1024 256 float sum -1 20.00 0.05 0.10 0\n");
    import(&m, "long_1n8g.log", text, NULL); /* taken or refused, but whole */
    gy_measurements_free(&m);
    free(text);
}

Test(calibrate_import, broken_logs)
{
    refuse("", "bad_1n8g.log:1", "without a row");
    refuse("Segmentation fault\nmpirun noticed that process rank 3\n", "bad_1n8g.log:2", "without a row");
    refuse(HEADER, "bad_1n8g.log:2", "without a row");
    refuse("# Collective test starting: all_reduce_perf\n" HEADER ROW_4G_8
           "  8589934592    2147483648     float     sum      -1    300",
           "bad_1n8g.log:5", "cut short");
    refuse("# Collective test starting: all_reduce_perf\n" HEADER
           "  4294967296    1073741824     float     sum      -1    15000  286.33  301.08      0\n",
           "bad_1n8g.log:4", "busbw");
    refuse("# Collective test starting: all_reduce_perf\n" HEADER
           "  4294967296    1073741824     float     sum      -1    15000  186.33  326.08      0\n",
           "bad_1n8g.log:4", "algbw");
    refuse("# Collective test starting: all_reduce_perf\n" HEADER
           "  4294967296    1073741824     float     sum      -1    what  286.33  501.08      0\n",
           "bad_1n8g.log:4", "time");
    refuse("# Collective test starting: all_reduce_perf\n" HEADER
           "  4294967296    1073741824     float     sum      -1    -5.0  286.33  501.08      0\n",
           "bad_1n8g.log:4", "time");
    struct gy_measurements m;
    cr_assert_eq(import(&m, "x.log", HEADER "  1024 256 float none -1 20.00 0.05 0.05 0\n", NULL), -1);
    cr_assert(strstr(err.hint, "--op"), "%s", err.hint);
    gy_measurements_free(&m);
    cr_assert_eq(import(&m, "x.log",
                        "# Collective test starting: all_reduce_perf\n" HEADER
                        "  1024 256 float sum -1 20.00 0.05 0.09 0\n",
                        NULL),
                 -1);
    cr_assert(strstr(err.hint, "--nodes"), "%s", err.hint); /* 0.05 to 0.09 tells no rank count */
    gy_measurements_free(&m);
}

static const char *temporary(const char *ending, const char *text)
{
    static char path[80];
    snprintf(path, sizeof path, "/tmp/gy_import_%d%s", (int)getpid(), ending);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    return path;
}

Test(calibrate_import, json_of_nccl_tests)
{
    struct gy_measurements m = {0};
    const char *path =
        temporary(".json", "{\"program\": \"./build/reduce_scatter_perf\", \"config\": {\"devices\": ["
                           "{\"rank\": 0, \"hostname\": \"a\", \"device_name\": \"NVIDIA B200\"}, {\"rank\": 1, "
                           "\"hostname\": \"a\", \"device_name\": \"NVIDIA B200\"}]},"
                           "\"results\": [{\"size\": 1048576, \"count\": 131072, \"type\": \"float\", \"redop\": "
                           "\"sum\", \"root\": \"    -1\","
                           "\"out_of_place\": {\"time\": 20.0, \"alg_bw\": 52.43, \"bus_bw\": 26.21, \"nwrong\": 0},"
                           "\"in_place\": {\"time\": 21.0, \"alg_bw\": 49.93, \"bus_bw\": 24.97, \"nwrong\": 0}}]}");
    cr_assert_eq(gy_import(&m, path, NULL, &err), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].op, GY_REDUCE_SCATTER);
    cr_assert_eq(m.sets.at[0].ranks, 2);
    cr_assert_str_eq(m.sets.at[0].hardware, "b200");
    gy_measurements_free(&m);
    m = (struct gy_measurements){0};
    path = temporary(".json", "{\"results\": [{\"size\": \"many\"}]}");
    cr_assert_eq(gy_import(&m, path, NULL, &err), -1);
    cr_assert(strstr(err.place, "results/0"), "%s", err.place);
    gy_measurements_free(&m);
    unlink(path);
}

Test(calibrate_import, csv_tables_and_their_errors)
{
    struct gy_measurements m = {0};
    const char *path =
        temporary(".csv", "framework,version,device,op_name,kernel_source,nccl_dtype,num_gpus,message_size,latency\n"
                          "X,2.29.2,NVIDIA H200,all_gather,NCCL,half,8,1024,0.010\n"
                          "X,2.29.2,NVIDIA H200,all_gather,NCCL,half,8,1024,0.014\n"
                          "X,2.29.2,NVIDIA H200,all_gather,NCCL,half,8,1024,0.012\n");
    cr_assert_eq(gy_import(&m, path, NULL, &err), 0, "%s %s", err.place, err.what);
    cr_assert_eq(m.sets.at[0].rows.n, 1); /* repeats become their median */
    cr_assert_float_eq(m.sets.at[0].rows.at[0].time_us, 12, 1e-9);
    cr_assert_float_eq(m.sets.at[0].rows.at[0].bytes, 2048, 1e-9);
    gy_measurements_free(&m);
    static const char *const bad[] = {"all_gather,half,eight,1024,0.01", "all_together,half,8,1024,0.01",
                                      "all_gather,halve,8,1024,0.01",    "all_gather,half,8,-1,0.01",
                                      "all_gather,half,8,1024,",         "all_gather,half,8"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "op_name,nccl_dtype,num_gpus,message_size,latency\nall_gather,half,8,1024,0.01\n%s\n", bad[i]);
        m = (struct gy_measurements){0};
        path = temporary(".csv", text);
        cr_assert_eq(gy_import(&m, path, NULL, &err), -1, "%s", bad[i]);
        cr_assert(strstr(err.place, ":3"), "%s", err.place);
        gy_measurements_free(&m);
    }
    m = (struct gy_measurements){0};
    path = temporary(".csv", "a,latency,c\n1,2,3\n");
    cr_assert_eq(gy_import(&m, path, NULL, &err), -1);
    cr_assert(strstr(err.hint, "GEMM"), "%s", err.hint);
    gy_measurements_free(&m);
    unlink(path);
}

Test(calibrate_import, our_own_format_there_and_back)
{
    struct gy_measurements m, back = {0};
    char path[80];
    cr_assert_eq(import(&m, "a_1n8g.log",
                        "# Collective test starting: all_reduce_perf\n# gpu: NVIDIA H100\n" HEADER ROW_4G_8, NULL),
                 0);
    struct gy_gemm_set *g = gy_gemm_add(&m);
    g->hardware = "b200";
    g->dtype = "bf16";
    struct gy_gemm_row row = {1, 2, 3, 4.5};
    cr_assert(gy_vec_push(&g->rows, row));
    snprintf(path, sizeof path, "/tmp/gy_meas_%d.json", (int)getpid());
    cr_assert_eq(gy_measure_save(&m, path, &err), 0);
    cr_assert_eq(gy_import(&back, path, NULL, &err), 0, "%s %s", err.place, err.what);
    cr_assert_eq(back.sets.n, 1);
    cr_assert_str_eq(back.sets.at[0].system, m.sets.at[0].system);
    cr_assert_eq(back.sets.at[0].rows.at[0].in_place_us, m.sets.at[0].rows.at[0].in_place_us);
    cr_assert_eq(back.gemms.at[0].rows.at[0].time_us, 4.5);
    unlink(path);
    gy_measurements_free(&m);
    gy_measurements_free(&back);
}
