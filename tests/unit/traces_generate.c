/* The generator: the shipped sample is what it makes, draws of one purpose do not move those of another, and the shapes
 * that its parameters name come out. */
#include <math.h>
#include <stdlib.h>
#include "gy_generate.h"
#include "gy_stream.h"
#include "traces_help.h"

static struct gy_generate defaults(struct gy_arena *arena)
{
    struct gy_generate p;
    struct gy_error err = {0};

    cr_assert_eq(gy_generate_defaults(&p, arena, &err), 0, "%s: %s", err.place, err.what);
    return p;
}

static struct gy_trace *made(const struct gy_generate *p)
{
    struct gy_trace *t = NULL;
    struct gy_error err = {0};

    cr_assert_eq(gy_trace_generate(p, NULL, &t, &err), 0, "%s", err.what);
    return t;
}

Test(traces_generate, the_shipped_sample_byte_for_byte)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    struct gy_generate p = defaults(&arena);
    struct gy_trace *t = made(&p);
    struct gy_writer *w = gy_writer_open(NULL, &err);
    size_t len, file_len;
    char sha[65];

    gy_trace_write_csv(t, w);
    const char *text = gy_writer_memory(w, &len);
    char *file = gy_file_slurp(GY_SOURCE_DIR "/traces/samples/quickstart.csv", 1 << 24, &file_len, sha, &err);
    cr_assert_not_null(file, "%s", err.what);
    cr_expect_eq(len, file_len);
    cr_expect(len == file_len && memcmp(text, file, len) == 0, "`gpuyard trace generate` no longer makes the sample");
    free(file);
    cr_assert_eq(gy_writer_commit(w, &err), 0);

    /* and read back it is the same table */
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *back = NULL;
    o.path = GY_SOURCE_DIR "/traces/samples/quickstart.csv";
    cr_assert_eq(gy_trace_load(&o, NULL, &back, &err), 0, "%s", err.what);
    cr_assert_eq(back->jobs.n, t->jobs.n);
    cr_expect_not(back->was_unsorted);
    cr_expect_eq(back->notes.n, 0);
    for (size_t i = 0; i < t->jobs.n; i++) {
        const struct gy_job_rec *a = &t->jobs.at[i], *b = &back->jobs.at[i];
        cr_assert(a->number == b->number && a->submit == b->submit && a->duration == b->duration &&
                  a->gpus == b->gpus && a->limit == b->limit && a->end_state == b->end_state);
        cr_assert_str_eq(str_of(t, a->user), str_of(back, b->user));
    }
    gy_trace_free(back);
    gy_trace_free(t);
    gy_arena_free(&arena);
}

Test(traces_generate, shapes_that_the_parameters_name)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_generate p = defaults(&arena);
    struct gy_trace *t = made(&p);
    size_t day[7] = {0}, night = 0, noon = 0, ended[GY_REJECTED + 1] = {0}, over = 0, single = 0;
    double work = 0;

    cr_expect_eq(t->jobs.n, 20000);
    for (size_t i = 0; i < t->jobs.n; i++) {
        const struct gy_job_rec *j = &t->jobs.at[i];
        cr_assert(j->submit >= 0 && j->submit < p.span && j->duration >= GY_SECOND && j->duration <= p.most);
        day[j->submit / GY_DAY % 7]++;
        night += j->submit / GY_HOUR % 24 == 3;
        noon += j->submit / GY_HOUR % 24 == 15;
        ended[j->end_state]++;
        over += j->duration > j->limit;
        single += j->gpus == 1;
        work += gy_time_to_s(j->duration) * j->gpus;
    }
    cr_expect_float_eq(work / (gy_time_to_s(p.span) * 256), 0.8, 0.03);
    /* five working days to two quieter by 0.4: expected shares 1/6.2 and 0.6/6.2; bursts of 3 widen the spread */
    cr_expect_float_eq((double)(day[5] + day[6]) / 20000, 1.2 / 6.2, 0.02);
    cr_expect_float_eq((double)noon / (double)night, 1.6 / 0.4, 1.0);
    cr_expect_float_eq((double)ended[GY_FAILED] / 20000, 0.12, 0.01);
    cr_expect_float_eq((double)ended[GY_CANCELLED] / 20000, 0.18, 0.01);
    cr_expect_float_eq((double)single / 20000, 0.70, 0.03);
    cr_expect_gt(over, 100); /* some limits are too short, as people's are */
    cr_expect_lt(over, 400);
    gy_trace_free(t);
    gy_arena_free(&arena);
}

Test(traces_generate, one_parameter_leaves_the_other_draws_in_place)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_generate p = defaults(&arena), q = p;
    p.load = q.load = 0;
    q.failed = 0.5;
    q.limit_ratio = 0;
    struct gy_trace *a = made(&p), *b = made(&q);

    for (size_t i = 0; i < a->jobs.n; i++) {
        cr_assert_eq(a->jobs.at[i].submit, b->jobs.at[i].submit);
        cr_assert_eq(a->jobs.at[i].gpus, b->jobs.at[i].gpus);
        if (a->jobs.at[i].end_state == GY_COMPLETED && b->jobs.at[i].end_state == GY_COMPLETED)
            cr_assert_eq(a->jobs.at[i].duration, b->jobs.at[i].duration);
        cr_assert_eq(b->jobs.at[i].limit, GY_NONE);
    }
    gy_trace_free(a);
    gy_trace_free(b);
    p.seed = 2;
    a = made(&p);
    b = made(&q);
    cr_expect_neq(a->jobs.at[0].submit, b->jobs.at[0].submit);
    gy_trace_free(a);
    gy_trace_free(b);
    gy_arena_free(&arena);
}

Test(traces_generate, bad_mixes_are_refused)
{
    static const char *const bad[] = {"",      "1",   "1:",       "x:1",       "1:-1", "0:1",
                                      "1.5:1", "1:0", "1:1,,2:1", "2000000:1", "1:nan"};
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_generate p = defaults(&arena);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct gy_error err = {0};
        struct gy_trace *t;
        p.gpu_mix = bad[i];
        cr_expect_eq(gy_trace_generate(&p, NULL, &t, &err), -1, "\"%s\"", bad[i]);
        cr_expect(strstr(err.what, "gpu_mix") != NULL);
    }
    gy_arena_free(&arena);
}

Test(traces_generate, parameters_out_of_range_are_refused)
{
    struct gy_arena arena = GY_ARENA_INIT;
    struct gy_error err = {0};
    struct gy_generate p = defaults(&arena);
    struct gy_trace *t;

    p.users = 0;
    cr_expect_eq(gy_trace_generate(&p, NULL, &t, &err), -1);
    cr_expect(strstr(err.what, "users") != NULL, "%s", err.what);
    p = defaults(&arena);
    p.span = GY_SECOND;
    cr_expect_eq(gy_trace_generate(&p, NULL, &t, &err), -1);
    p = defaults(&arena);
    p.sigma = NAN;
    cr_expect_eq(gy_trace_generate(&p, NULL, &t, &err), -1);
    gy_arena_free(&arena);
}

Test(traces_generate, bench_stream_offers_its_load)
{
    struct gy_bench p = {.jobs = 200000, .seed = 3, .gpus = 1000, .load = 0.9};
    struct gy_source s;
    struct gy_error err = {0};
    struct gy_job_rec j;
    gy_time last = 0;
    double work = 0;
    uint64_t n = 0;

    cr_assert_eq(gy_bench_source(&p, &s, &err), 0);
    cr_expect_eq(s.count, 200000);
    while (s.next(s.self, &j, &err) == 1) {
        cr_assert(j.submit >= last && j.duration > 0 && j.limit >= 2 * j.duration && j.row == n);
        last = j.submit;
        work += gy_time_to_s(j.duration) * j.gpus;
        n++;
    }
    cr_expect_eq(n, 200000);
    cr_expect_float_eq(work / (gy_time_to_s(last) * 1000), 0.9, 0.03);
    gy_bench_source_free(&s);
    p.gpus = 0;
    cr_expect_eq(gy_bench_source(&p, &s, &err), -1);
}
