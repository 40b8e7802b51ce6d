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
