/* The loader: what costs a row, what costs the run, order, dependencies, windows, the map of foreign columns, and the
 * way back to a file. */
#include <stdlib.h>
#include <zlib.h>
#include "traces_help.h"

#define HEAD "job_id,submit_s,duration_s,gpus\n"
#define S(x) ((gy_time)(x)*GY_SECOND)

Test(traces_load, bad_rows_cost_themselves)
{
    static const struct {
        const char *row, *why;
    } table[] = {
        {"1,0,-5,1", "duration_s: negative"},
        {"1,-1,5,1", "submit_s: negative"},
        {"1,0,5,-1", "gpus: negative"},
        {"1,0,5,1.5", "gpus: not a whole number"},
        {"1,0,5,1000001", "gpus: too large"},
        {"1,0,5,99999999999999999999999", "gpus: too large"},
        {"1,0,4600000001,1", "duration_s: too large"},
        {"1,1e99,5,1", "submit_s: too large"},
        {"1,0,nan,1", "duration_s: missing"},
        {"1,0,inf5,1", "duration_s: not a number"},
        {"1,0,0x10,1", "duration_s: not a number"},
        {"1,0,,1", "duration_s: missing"},
        {",0,5,1", "job_id: missing"},
        {"1,0,5", "gpus: missing"},
        {"1,0,5,1,7", "more fields than the header has"},
        {"0,0,1,1", "job_id: repeated; the first row of that id is kept"},
        {"1,\"0,5,1", "a quote is never closed"},
        {"\x01\x02\xff,\xfe,\x80,x", "submit_s: not a number"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[300];
        struct gy_error err;
        struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
        snprintf(text, sizeof text, HEAD "0,0,1,1\n%s\n2,0,1,1\n", table[i].row);
        struct gy_trace *t = load_text(NULL, text);
        cr_expect_eq(t->rows_read, 3, "%s", table[i].row);
        cr_expect_eq(t->rows_kept, 2, "%s", table[i].row);
        const struct gy_trace_skip *s = why_of(&t->skips, table[i].why);
        cr_expect_eq(s->count, 1);
        cr_expect(strncmp(s->first, "t.csv:3", 7) == 0, "%s", s->first);
        gy_trace_free(t);
        o.strict = true;
        cr_expect_null(load_text2(NULL, text, NULL, &o, &err), "%s", table[i].row);
        cr_expect_str_eq(err.place, "t.csv:3", "%s: %s", table[i].row, err.place);
        cr_expect_eq(err.code, GY_EINPUT);
    }
}

Test(traces_load, files_that_cannot_be_used)
{
    static const struct {
        const char *format, *text, *what;
    } table[] = {
        {NULL, "", "empty"},
        {"gpuyard", "", "empty"},
        {NULL, HEAD, "no rows"},
        {NULL, HEAD "1,x,1,1\n2,x,1,1\n3,1,1,-1\n", "none of its 3 rows can be used"},
        {NULL, "\x1b[31mgarbage\x07\n", "not a trace format"},
        {NULL, "{}", "/jobs"},
        {NULL, "{\"jobs\": [", ""},
        {NULL, "[{\"attempts\": 1}]", "none of its 1 rows"},
        {"swf", "; only\n; headers\n", "no rows"},
        {"slurmm", "x", "unknown trace format"},
        {"csv", "a,b\n", "needs a map"},
        {NULL, "job_id,submit_s,duration_s,gpu\n1,0,1,1\n", "no column \"gpus\""},
        {"philly", "timestamp,num_gpus\n", "no column \"duration\""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gy_error err;
        cr_expect_null(load_text2(table[i].format, table[i].text, NULL, NULL, &err), "%s", table[i].text);
        cr_expect(strstr(err.what, table[i].what) != NULL, "%s -> %s", table[i].text, err.what);
        cr_expect_eq(gy_exit_status(err.code), 2);
        cr_expect(err.hint[0] != '\0' || table[i].format != NULL || table[i].text[0] == '{', "no hint: %s", err.what);
        for (const char *c = err.what; *c != '\0'; c++)
            cr_expect((unsigned char)*c >= 0x20, "a control byte reached the message");
    }
    struct gy_error err;
    load_text2(NULL, "job_id,submit_s,duration_s,gpu\n1,0,1,1\n", NULL, NULL, &err);
    cr_expect_str_eq(err.hint, "did you mean \"gpu\"?");
    load_text2("openbb", "x", NULL, NULL, &err);
    cr_expect(strstr(err.hint, "\"openb\"") != NULL, "%s", err.hint);
}

Test(traces_load, truncated_gzip_and_missing_file)
{
    char path[] = "/tmp/gy_trace_XXXXXX";
    unsigned char packed[4096];
    char text[3000];
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err = {0};
    struct gy_trace *t;
    size_t n = (size_t)snprintf(text, sizeof text, HEAD);
    z_stream z = {0};

    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%d,%d,%d,1\n", i, i * 7919 % 1000, i * 104729 % 977);
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)text;
    z.avail_in = (unsigned)n;
    z.next_out = packed;
    z.avail_out = sizeof packed;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t whole = z.total_out;
    deflateEnd(&z);
    int fd = mkstemp(path);
    cr_assert_eq(write(fd, packed, whole / 2), (ssize_t)(whole / 2));
    o.path = path;
    cr_expect_eq(gy_trace_load(&o, NULL, &t, &err), -1);
    cr_expect_null(t);
    cr_expect_eq(err.code, GY_EINPUT);
    cr_assert_eq(pwrite(fd, packed, whole, 0), (ssize_t)whole);
    cr_expect_eq(gy_trace_load(&o, NULL, &t, &err), 0, "%s", err.what);
    cr_expect_eq(t->rows_kept, 100);
    cr_expect(t->was_unsorted);
    gy_trace_free(t);
    close(fd);
    unlink(path);
    cr_expect_eq(gy_trace_load(&o, NULL, &t, &err), -1);
    cr_expect_eq(gy_exit_status(err.code), 2);
}

Test(traces_load, sorts_stably_and_says_so)
{
    struct gy_trace *t = load_text(NULL, HEAD "5,30,1,1\n4,10,1,1\n3,30,1,1\n2,10,1,1\n1,20,1,1\n");
    static const uint64_t want[] = {4, 2, 1, 5, 3};

    cr_expect(t->was_unsorted);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(t->jobs.at[i].number, want[i]);
        cr_expect_eq(t->jobs.at[i].row, i);
    }
    gy_trace_free(t);
}

Test(traces_load, window_and_gpu_jobs_only_are_counted_and_not_bad)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err;

    o.from = S(10);
    o.to = S(30);
    o.gpu_jobs_only = o.strict = true;
    struct gy_trace *t = load_text2(NULL, HEAD "1,0,1,1\n2,10,1,1\n3,20,1,0\n4,29.5,1,1\n5,30,1,1\n", NULL, &o, &err);
    cr_assert_not_null(t, "%s", err.what);
    cr_expect_eq(t->rows_kept, 2);
    cr_expect_eq(t->jobs.at[0].submit, S(10)); /* the window does not move the zero */
    cr_expect_eq(why_of(&t->skips, "before \"from\"")->count, 1);
    cr_expect_eq(why_of(&t->skips, "at or after \"to\"")->count, 1);
    cr_expect_eq(why_of(&t->skips, "asks for no GPU (GPU jobs only)")->count, 1);
    gy_trace_free(t);
}

Test(traces_load, limit_factor_where_there_is_no_limit)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_error err;

    o.limit_factor = 1.5;
    struct gy_trace *t = load_text2(NULL,
                                    "job_id,submit_s,duration_s,gpus,limit_s\n1,0,10,1,\n2,0,10,1,7\n3,0,0.1,1,0\n"
                                    "4,0,4000000000,1,\n",
                                    NULL, &o, &err);
    cr_expect_eq(t->jobs.at[0].limit, S(15));
    cr_expect_eq(t->jobs.at[1].limit, S(7));
    cr_expect_eq(t->jobs.at[2].limit, S(1)); /* never below a second */
    cr_expect_eq(t->jobs.at[3].limit, GY_TIME_MAX);
    gy_trace_free(t);
}

static void expect_deps(const struct gy_trace *t, size_t row, const char *want)
{
    static const char *const kinds[] = {"ok", "any", "notok", "after"};
    const struct gy_job_rec *j = &t->jobs.at[row];
    char got[200] = "";
    size_t n = 0;

    for (uint32_t i = 0; i < j->dep_n; i++) {
        const struct gy_dep *d = &t->deps.at[j->dep_first + i];
        n += (size_t)snprintf(got + n, sizeof got - n, "%s:%d ", kinds[d->kind],
                              d->row == UINT32_MAX ? -1 : (int)d->row);
    }
    cr_expect_str_eq(got, want, "row %zu: %s", row, got);
}

Test(traces_load, dependencies)
{
    struct gy_trace *t = load_text(NULL, "job_id,submit_s,duration_s,gpus,depends_on\n"
                                         "a,5,1,1,\n"      /* row 1 after sorting */
                                         "12,0,1,1,\n"     /* row 0 */
                                         "13,6,1,1,12\n"   /* row 2 */
                                         "14,7,1,1,12;a\n" /* row 3 */
                                         "15,8,1,1,\"afterok:12:13,afterany:14\"\n"
                                         "16,9,1,1,afternotok:a:12;after:13;14\n"
                                         "17,10,1,1,nobody:12\n");
    cr_expect_eq(t->rows_kept, 7);
    expect_deps(t, 0, "");
    expect_deps(t, 2, "ok:0 ");
    expect_deps(t, 3, "ok:0 ok:1 ");
    expect_deps(t, 4, "ok:0 ok:2 any:3 ");
    expect_deps(t, 5, "notok:1 notok:0 after:2 ok:3 ");
    expect_deps(t, 6, "ok:-1 ok:0 ");
    cr_expect(t->jobs.at[0].depended_on);
    cr_expect_not(t->jobs.at[4].depended_on);
    cr_expect_eq(why_of(&t->notes, "depends_on: a job that is not in the trace; taken as ended well")->count, 1);
    gy_trace_free(t);
}

Test(traces_load, circles_cost_their_members_only)
{
    struct gy_trace *t = load_text(NULL, "job_id,submit_s,duration_s,gpus,depends_on\n"
                                         "1,0,1,1,1\n"                       /* itself */
                                         "2,0,1,1,3\n3,0,1,1,4\n4,0,1,1,2\n" /* a circle of three */
                                         "5,0,1,1,2\n"                       /* waits for a member */
                                         "6,0,1,1,5\n2,0,1,1,\n7,0,1,1,\" , \"\n");
    cr_expect_eq(t->rows_read, 8);
    cr_expect_eq(t->rows_kept, 2);
    cr_expect_eq(why_of(&t->skips, "depends_on: jobs wait for each other in a circle")->count, 3);
    cr_expect_eq(why_of(&t->skips, "depends_on: the job waits for itself")->count, 1);
    cr_expect_eq(why_of(&t->skips, "depends_on: names no job")->count, 1);
    cr_expect_eq(t->jobs.at[0].number, 5);
    expect_deps(t, 0, "ok:-1 ");
    expect_deps(t, 1, "ok:0 ");
    gy_trace_free(t);
}

Test(traces_load, a_long_chain_needs_no_deep_stack)
{
    size_t n = 200000, size = 48 * n, at = 0;
    char *text = malloc(size);

    at += (size_t)snprintf(text, size, "job_id,submit_s,duration_s,gpus,depends_on\n");
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, size - at, "%zu,0,1,1,%zu\n", i, i + 1 < n ? i + 1 : n + 7);
    struct gy_trace *t = load_text(NULL, text);
    cr_expect_eq(t->rows_kept, n);
    cr_expect_eq(t->deps.n, n);
    gy_trace_free(t);
    free(text);
}

/* ---- foreign columns ---- */

static struct gy_trace *load_mapped(const char *map, const char *text, struct gy_error *err)
{
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_json_doc *doc = gy_json_parse("map", map, strlen(map), err);

    cr_assert_not_null(doc, "%s", err->what);
    o.columns = gy_json_root(doc);
    struct gy_trace *t = load_text2("csv", text, NULL, &o, err);
    gy_json_free(doc);
    return t;
}

Test(traces_load, mapped_columns)
{
    struct gy_error err;
    struct gy_trace *t = load_mapped(
        "{\"job_id\": \"JobID\", \"submit_s\": \"Submit\", \"duration_s\": {\"column\": \"Mins\", \"unit\": \"min\"},"
        " \"gpus\": {\"column\": \"GPU%\", \"unit\": \"percent\"}, \"mem_gib\": {\"column\": \"MB\", \"unit\": "
        "\"MiB\"},"
        " \"state\": {\"column\": \"Status\", \"words\": {\"ok\": \"completed\", \"boom\": \"failed\"}},"
        " \"team\": {\"value\": \"hpc\"}, \"cpus\": {\"column\": \"mc\", \"unit\": \"milli\"}}",
        "JobID;Submit;Mins;GPU%;MB;Status;mc\n"
        "j1;2024-01-01T00:00:10Z;1.5;200;1024;boom;2500\n"
        "j2;2024-01-01 09:00:00+09:00;2;50;1;ok;100\n",
        &err);
    cr_assert_not_null(t, "%s %s", err.place, err.what);
    cr_expect_str_eq(t->origin, "2024-01-01 00:00:00+00:00");
    const struct gy_job_rec *j = t->jobs.at;
    cr_expect_str_eq(str_of(t, j[0].name), "j2");
    cr_expect_eq(j[0].gpus, 1);
    cr_expect_eq(j[0].gpu_milli, 500);
    cr_expect_eq(j[1].submit, S(10));
    cr_expect_eq(j[1].duration, S(90));
    cr_expect_eq(j[1].gpus, 2);
    cr_expect_eq(j[1].mem_mib, 1024);
    cr_expect_eq(j[1].end_state, GY_FAILED);
    cr_expect_eq(j[1].cpu_milli, 2500);
    cr_expect_str_eq(str_of(t, j[1].team), "hpc");
    gy_trace_free(t);
}

Test(traces_load, mapped_epoch_start_and_end)
{
    struct gy_error err;
    struct gy_trace *t =
        load_mapped("{\"submit_s\": {\"column\": \"s\", \"unit\": \"ms\"}, \"gpus\": {\"value\": \"1\"},"
                    " \"start_s\": {\"column\": \"b\", \"unit\": \"ms\"}, \"end_s\": {\"column\": \"e\","
                    " \"unit\": \"ms\", \"time\": \"epoch\"}}",
                    "s,b,e\n1700000000500,1700000001000,1700000003250\n1700000000000,,1700000009000\n", &err);
    cr_assert_not_null(t, "%s %s", err.place, err.what);
    cr_expect_str_eq(t->origin, "2023-11-14 22:13:20+00:00");
    cr_expect_eq(t->jobs.at[1].submit, GY_SECOND / 2);
    cr_expect_eq(t->jobs.at[1].duration, 2250000000);
    cr_expect_eq(t->jobs.at[1].number, 1); /* row numbers in the file's order */
    cr_expect_eq(t->jobs.at[0].cancel, S(9));
    cr_expect_eq(t->jobs.at[0].end_state, GY_CANCELLED);
    gy_trace_free(t);
}

Test(traces_load, dates_and_seconds_do_not_mix)
{
    struct gy_error err;
    struct gy_trace *t =
        load_mapped("{\"submit_s\": \"s\", \"gpus\": {\"value\": \"1\"}, \"duration_s\": {\"value\": \"1\"}}",
                    "s\n2024-01-01 00:00:00\n5\n2024-01-01 00:00:07\n1704067205\n", &err);
    cr_assert_not_null(t, "%s", err.what);
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(t->jobs.at[2].submit, S(7));
    cr_expect_eq(why_of(&t->skips, "submit_s: a date among seconds, or seconds among dates")->count, 1);
    gy_trace_free(t);
}

Test(traces_load, bad_maps_name_the_key)
{
    static const struct {
        const char *map, *place, *hint;
    } table[] = {
        {"{\"sumbit_s\": \"a\"}", "/trace/columns/sumbit_s", "did you mean \"submit_s\"?"},
        {"{\"submit_s\": 5}", "/trace/columns/submit_s", ""},
        {"{\"submit_s\": {\"column\": \"a\", \"unit\": \"fortnight\"}}", "/trace/columns/submit_s", "units of time"},
        {"{\"submit_s\": {\"column\": \"a\", \"value\": \"1\"}}", "/trace/columns/submit_s", ""},
        {"{\"submit_s\": {\"column\": \"a\", \"time\": \"lunar\"}}", "/trace/columns/submit_s", ""},
        {"{\"user\": {\"column\": \"a\", \"unit\": \"s\"}}", "/trace/columns/user", "no unit"},
        {"{\"submit_s\": \"nope\"}", "t.csv:1", ""},
        {"{\"submit_s\": \"a\"}", "/trace/columns", ""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct gy_error err;
        cr_expect_null(load_mapped(table[i].map, "a,b\n1,2\n", &err));
        cr_expect_str_eq(err.place, table[i].place);
        cr_expect(strstr(err.hint, table[i].hint) != NULL, "%s", err.hint);
    }
}

/* ---- and back ---- */

Test(traces_load, what_is_written_reads_back_equal)
{
    static const char text[] =
        "job_id,submit_s,duration_s,gpus,nodes,gpus_per_node,gpu_type,gpu_fraction,mig_profile,cpus,mem_gib,user,team,"
        "partition,qos,priority,limit_s,state,workload,min_gpus,max_gpus,depends_on,array_id,gang,checkpoint_s,idle_"
        "tail_s,"
        "cancel_s,array_limit,constraint\n"
        "a,0,10.5,16,2,8,A100|H100,,,64,0.5,\"an, n\",red,batch,high,-7,100,failed,llama,8,32,,arr,g1,600,2.5,77,3,ib\n"
        "2,1.250000001,inf,3,1,,,0.25,1g.10gb,0.5,0.0009765625,b,,,,,,completed,,,,a,,,,,,,\n"
        "3,2,1,0,,,,,,,1023.9990234375,,,,,,,timeout,,,,afterany:2;after:a,,,,,,,\n";
    struct gy_error err = {0};
    struct gy_trace *t = load_text(NULL, text);
    struct gy_writer *w = gy_writer_open(NULL, &err), *w2 = gy_writer_open(NULL, &err);
    size_t len, len2;

    gy_trace_write_csv(t, w);
    const char *once = gy_writer_memory(w, &len);
    struct gy_trace *back = load_text(NULL, once);
    gy_trace_write_csv(back, w2);
    const char *twice = gy_writer_memory(w2, &len2);
    cr_expect(len == len2 && memcmp(once, twice, len) == 0);
    cr_assert_eq(back->jobs.n, 3);
    cr_expect_eq(back->jobs.at[1].duration, GY_NEVER);
    cr_expect_eq(back->jobs.at[1].submit, 1250000001);
    cr_expect_eq(back->jobs.at[1].mem_mib, 1);
    cr_expect_eq(back->jobs.at[2].mem_mib, 1024 * 1024 - 1);
    cr_expect_eq(back->jobs.at[0].cancel, S(77));
    cr_expect_eq(back->jobs.at[0].array_limit, 3);
    expect_deps(back, 2, "any:1 after:0 ");
    cr_expect_eq(back->notes.n, 0);
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    cr_assert_eq(gy_writer_commit(w2, &err), 0);
    gy_trace_free(back);
    gy_trace_free(t);
}

Test(traces_load, columns_that_are_not_ours_go_through)
{
    struct gy_error err = {0};
    struct gy_trace *t = load_text(NULL, "colour,job_id,submit_s,duration_s,gpus,\"a, b\",limits_s\n"
                                         "red,1,5,1,1,None,7\n,2,5,1,1,x,\nbad,3,-1,1,1,y,8\n\" blue \",4,0,1,1,,9\n");
    struct gy_writer *w = gy_writer_open(NULL, &err);
    size_t len;

    why_of(&t->notes, "column not known, though its name is near to one that is; kept, not used");
    gy_trace_write_csv(t, w);
    cr_expect_str_eq(gy_writer_memory(w, &len), "job_id,submit_s,duration_s,gpus,colour,\"a, b\",limits_s\n"
                                                "4,0,1,1,\" blue \",,9\n1,5,1,1,red,None,7\n2,5,1,1,,x,\n");
    cr_assert_eq(gy_writer_commit(w, &err), 0);
    gy_trace_free(t);
}

Test(traces_load, sources_over_one_trace_are_independent)
{
    struct gy_trace *t = load_text(NULL, HEAD "1,0,1,1\n2,1,1,1\n");
    struct gy_source a, b;
    struct gy_job_rec rec;
    struct gy_error err = {0};

    cr_assert_eq(gy_trace_source(t, &a, &err), 0);
    cr_assert_eq(gy_trace_source(t, &b, &err), 0);
    cr_expect_eq(a.count, 2);
    cr_expect_eq(a.next(a.self, &rec, &err), 1);
    cr_expect_eq(a.next(a.self, &rec, &err), 1);
    cr_expect_eq(rec.number, 2);
    cr_expect_eq(a.next(a.self, &rec, &err), 0);
    cr_expect_eq(b.next(b.self, &rec, &err), 1);
    cr_expect_eq(rec.number, 1);
    free(a.self);
    free(b.self);
    gy_trace_free(t);
}

Test(traces_load, one_table_of_strings_for_several_traces)
{
    struct gy_strings *strings = gy_strings_new();
    struct gy_error err = {0};
    struct gy_trace_options o = GY_TRACE_OPTIONS_INIT;
    struct gy_trace *t[2];

    for (int i = 0; i < 2; i++) {
        static const char text[] = "job_id,submit_s,duration_s,gpus,user\n1,0,1,1,ann\n";
        struct gy_input *in = gy_input_memory("x", text, sizeof text - 1, &err);
        cr_assert_eq(gy_trace_load_input(&o, in, NULL, strings, &t[i], &err), 0);
        gy_input_close(in);
    }
    cr_expect_eq(t[0]->jobs.at[0].user, t[1]->jobs.at[0].user);
    gy_trace_free(t[0]);
    cr_expect_str_eq(str_of(t[1], t[1]->jobs.at[0].user), "ann");
    gy_trace_free(t[1]);
    gy_strings_free(strings);
}
