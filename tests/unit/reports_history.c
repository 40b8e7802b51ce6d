/* Rows, placements and the course of a run: read back from folders written by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "gy_explain.h"
#include "gy_export.h"
#include "gy_file.h"

static char dir[64];

static void put(const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

static const char head[] =
    "job_id,user,team,partition,gpus,nodes,submit_s,eligible_s,start_s,end_s,state,wait_s,run_s,slowdown,preemptions,"
    "restarts,gpu_seconds,lost_gpu_seconds,cost_usd,energy_j,placement,reason\n";

static void setup(void)
{
    strcpy(dir, "/tmp/gy_history_XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    put("manifest.json",
        "{\"format\": 1, \"status\": \"complete\", \"name\": \"h\", \"seed\": 1, \"end_s\": 1000, \"scenario\": "
        "{\"cluster\": {\"nodes\": [{\"name\": \"n[1-2]\", \"count\": 0, \"gpus\": 2}]}}}");
    put("summary.json",
        "{\"utilization\": {\"allocated\": 0.5}, \"gpu_hours\": {\"total\": 10, \"allocated\": 5, \"free\": 4, "
        "\"down\": 1}, \"unused_gpu_hours\": {\"no_work\": 1.5, \"resources\": 2.5, \"failed\": 1}}");
}

static void put_jobs(const char *rows)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s", head, rows);
    put("jobs.csv", text);
}

static struct gy_run load(void)
{
    struct gy_run run;
    struct gy_error err = {0};
    cr_assert_eq(gy_run_load(dir, &run, &err), 0, "%s", err.what);
    return run;
}

struct parts {
    char text[512];
};

static void add_part(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    struct parts *p = ctx;
    const size_t n = strlen(p->text);
    snprintf(p->text + n, sizeof p->text - n, "[%.*s %u %u %u]", (int)len, node, low, high, milli);
}

static const char *parts_of(const char *placement)
{
    static struct parts p;
    p.text[0] = '\0';
    gy_placement_each(placement, add_part, &p);
    return p.text;
}

Test(history, placements)
{
    cr_expect_str_eq(parts_of("n3:0-3;n4:0,2"), "[n3 0 4 1000][n4 0 1 1000][n4 2 3 1000]");
    cr_expect_str_eq(parts_of("n5:2@460;n6"), "[n5 2 3 460][n6 0 0 0]");
    cr_expect_str_eq(parts_of(""), "");
    cr_expect_str_eq(parts_of("n1:3-1"), "");
    cr_expect_str_eq(parts_of("n1:x"), "");
}

Test(history, stays_of_rows_and_of_events, .init = setup)
{
    put_jobs("b,,,,2,1,5,5,10,60,completed,5,50,1.1,0,0,100,0,,,n1:0-1,resources\n"
             "\"a \"\"q\"\", x\",u,t,,2,1,0,0,0,300,completed,0,200,1,1,1,400,0,,,n2:0-1,\n"
             "c,,,,1,,900,900,,,pending,,,,0,0,0,0,,,,resources\n");
    struct gy_run run = load();
    struct gy_history h;
    struct gy_error err = {0};

    cr_assert_eq(gy_history_load(&run, &h, &err), 0, "%s", err.what);
    cr_assert_eq(h.jobs.n, 3);
    cr_expect_str_eq(h.jobs.at[0].id, "a \"q\", x", "sorted by submit");
    cr_expect_eq(gy_history_find(&h, "b"), 1);
    cr_expect_eq(gy_history_find(&h, "zz"), SIZE_MAX);
    cr_assert_eq(h.stays.n, 2);
    cr_expect_eq(h.unknown, 1);
    cr_expect_eq(h.stays.at[1].from, 100 * GY_SECOND, "of a preempted job: its end less the time it ran");
    gy_history_free(&h);

    put("events.jsonl", "{\"time_s\":0,\"event\":\"start\",\"job_id\":\"a \\\"q\\\", x\",\"placement\":\"n1:0-1\"}\n"
                        "{\"time_s\":50,\"event\":\"preempt\",\"job_id\":\"a \\\"q\\\", x\",\"state\":\"pending\"}\n"
                        "{\"time_s\":150,\"event\":\"start\",\"job_id\":\"a \\\"q\\\", x\",\"placement\":\"n2:0-1\"}\n"
                        "{\"time_s\":200,\"event\":\"node\",\"node\":\"n1\",\"state\":\"down\"}\n");
    cr_assert_eq(gy_history_load(&run, &h, &err), 0, "%s", err.what);
    cr_assert_eq(h.stays.n, 2);
    cr_expect_eq(h.stays.at[0].to, 50 * GY_SECOND);
    cr_expect_eq(h.stays.at[0].how, GY_STAY_PREEMPT);
    cr_expect_eq(h.stays.at[1].to, 1000 * GY_SECOND, "open to the end of the run");
    cr_expect_eq(h.stays.at[1].how, GY_STAY_LEFT);
    cr_expect_eq(h.changes.n, 1);
    gy_history_free(&h);
    gy_run_free(&run);
}

Test(history, broken_tables_are_told, .init = setup)
{
    struct gy_history h;
    struct gy_error err = {0};
    struct gy_run run = load();

    cr_expect_neq(gy_history_load(&run, &h, &err), 0);
    cr_expect(strstr(err.what, "no jobs.csv"));
    put("jobs.csv", "job_id,user\nx,y\n");
    cr_expect_neq(gy_history_load(&run, &h, &err), 0);
    cr_expect(strstr(err.what, "no column \"team\""), "%s", err.what);
    put_jobs("x,y\n");
    cr_expect_neq(gy_history_load(&run, &h, &err), 0);
    cr_expect(strstr(err.what, "line 2: found 2 fields; expected 22"), "%s", err.what);
    put("jobs.csv", "");
    cr_expect_neq(gy_history_load(&run, &h, &err), 0);
    gy_run_free(&run);
}

static char *explained(const char *job, bool json)
{
    struct gy_run run = load();
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    const int rc = job ? gy_explain_job(&run, job, json, w, &err) : gy_explain_run(&run, json, w, &err);
    size_t len;

    cr_assert_eq(rc, 0, "%s", err.what);
    char *text = strdup(gy_writer_memory(w, &len));
    gy_writer_abandon(w);
    gy_run_free(&run);
    return text;
}

Test(explain, causes_add_up, .init = setup)
{
    char *text = explained(NULL, false);
    cr_expect(strstr(text, "The causes add up to 5.000000 GPU-hours; free and down are 5.000000."), "%s", text);
    cr_expect(strstr(text, "resources") < strstr(text, "no_work"), "the largest first");
    free(text);
}

/* n1 and n2 of two GPUs; x holds one GPU of each to 100, y wants a whole node at 10: two are free in all, none
 * together. */
Test(explain, one_more_node_and_any_pieces, .init = setup)
{
    put_jobs("x,,,,2,2,0,0,0,100,completed,0,100,1,0,0,200,0,,,n1:0;n2:0,\n"
             "y,,,,2,1,10,10,100,150,completed,90,50,2,0,0,100,0,,,n1:0-1,fragmentation\n"
             "z,,,,1,1,20,20,20,30,completed,0,10,1,0,0,10,0,,,n1:1,\n");
    char *text = explained("y", false);
    cr_expect(strstr(text, "waits: fragmentation"), "%s", text);
    cr_expect(strstr(text, "free then: 2 GPUs of 4, 0 of the 1 node it needs with 2 GPUs free"), "%s", text);
    cr_expect(strstr(text, "job x: 2 GPUs, 0 to 100"), "%s", text);
    cr_expect(strstr(text, "1 job submitted later started before it: z (1 GPU)"), "%s", text);
    cr_expect(strstr(text, "started at the first instant at which its GPUs were free"), "%s", text);
    cr_expect(strstr(text, "one more node with 2 free GPUs: at 10, 00:01:30 earlier"), "%s", text);
    cr_expect(strstr(text, "a placement in any pieces (the free GPUs were scattered): at 10"), "%s", text);
    free(text);
    text = explained("y", true);
    cr_expect(strstr(text, "\"with_one_more_node_at_s\": 10"), "%s", text);
    cr_expect(strstr(text, "\"gpus_free_at_s\": null"), "%s", text);
    free(text);
}

Test(explain, a_node_that_is_down_is_no_help, .init = setup)
{
    put_jobs("x,,,,2,1,0,0,0,100,completed,0,100,1,0,0,200,0,,,n1:0-1,\n"
             "y,,,,2,1,10,10,100,150,completed,90,50,2,0,0,100,0,,,n1:0-1,resources\n");
    put("events.jsonl", "{\"time_s\":0,\"event\":\"start\",\"job_id\":\"x\",\"placement\":\"n1:0-1\"}\n"
                        "{\"time_s\":5,\"event\":\"node\",\"node\":\"n2\",\"state\":\"down\"}\n"
                        "{\"time_s\":10,\"event\":\"hold\",\"job_id\":\"y\",\"reason\":\"resources\"}\n"
                        "{\"time_s\":100,\"event\":\"end\",\"job_id\":\"x\",\"state\":\"completed\"}\n"
                        "{\"time_s\":100,\"event\":\"start\",\"job_id\":\"y\",\"placement\":\"n1:0-1\"}\n"
                        "{\"time_s\":150,\"event\":\"end\",\"job_id\":\"y\",\"state\":\"completed\"}\n");
    char *text = explained("y", false);
    cr_expect(strstr(text, "free then: 0 GPUs of 2"), "%s", text);
    cr_expect(strstr(text, "started at the first instant"), "%s", text);
    cr_expect(strstr(text, "one more node with 2 free GPUs: at 10"), "%s", text);
    free(text);
}

Test(export, formats_are_found, .init = setup)
{
    struct gy_error err = {0};
    cr_expect_eq(gy_export_find("perfetto", &err), &gy_export_perfetto);
    cr_expect_null(gy_export_find("perfeto", &err));
    cr_expect(strstr(err.hint, "perfetto"));
}
