/* Slurm's accounting as printed: columns in any order, steps, raw bars and newlines in names, the headless 26 fields.
 */
#include "traces_help.h"

static const char header[] =
    "JobID|JobName|User|Account|Partition|QOS|Submit|Start|End|State|NNodes|NCPUS|ReqMem|ReqTRES|AllocTRES|Timelimit\n";

static struct gy_trace *rows(const char *text)
{
    char all[8192];
    snprintf(all, sizeof all, "%s%s", header, text);
    return load_text(NULL, all);
}

Test(traces_sacct, a_job_with_its_steps)
{
    struct gy_trace *t = rows("101|train|ann|nlp|gpu|high|2024-03-01T10:00:00|2024-03-01T10:05:00|2024-03-01T11:05:00|"
                              "COMPLETED|2|16|64Gn|cpu=16,gres/gpu=8|cpu=16,gres/gpu:a100=8,gres/gpu=8|1-02:00:00\n"
                              "101.batch|batch||nlp|||2024-03-01T10:05:00|2024-03-01T10:05:00|2024-03-01T11:05:00|"
                              "COMPLETED|1|8||||\n");
    cr_assert_eq(t->jobs.n, 1);
    cr_expect_str_eq(t->format, "sacct");
    const struct gy_job_rec *r = &t->jobs.at[0];
    cr_expect_eq(r->number, 101);
    cr_expect_eq(r->gpus, 8); /* the typed amount stands beside the total */
    cr_expect_eq(r->nodes, 2);
    cr_expect_eq(r->cpu_milli, 16000);
    cr_expect_eq(r->mem_mib, 2 * 65536);
    cr_expect_eq(r->duration, 3600 * GY_SECOND);
    cr_expect_eq(r->limit, 26 * GY_HOUR);
    cr_expect_str_eq(str_of(t, r->gpu_type), "a100");
    cr_expect_str_eq(str_of(t, r->team), "nlp");
    cr_expect_str_eq(str_of(t, r->qos), "high");
    gy_trace_free(t);
}

Test(traces_sacct, bars_and_newlines_in_a_name)
{
    struct gy_trace *t =
        rows("1|a | b\nthen | more|bob|nlp|gpu|q|2024-03-01T10:01:00|2024-03-01T10:06:00|"
             "2024-03-01T10:07:00|CANCELLED by 12|1|4|4000Mc|cpu=4,gres/gpu=1|cpu=4,gres/gpu=1|00:03:00\n"
             "2|x|eve|nlp|gpu|q|2024-03-01T10:02:00|Unknown|2024-03-01T10:09:00|CANCELLED|0|0||||\n");
    cr_assert_eq(t->jobs.n, 2);
    const struct gy_job_rec *r = &t->jobs.at[0];
    cr_expect_str_eq(str_of(t, r->user), "bob");
    cr_expect_eq(r->end_state, GY_CANCELLED);
    cr_expect_eq(r->duration, 60 * GY_SECOND);
    cr_expect_eq(r->mem_mib, 4u * 4000);
    cr_expect_eq(r->limit, 180 * GY_SECOND);
    cr_expect_str_eq(str_of(t, t->jobs.at[1].user), "eve");
    cr_expect_eq(t->jobs.at[1].cancel, 480 * GY_SECOND);
    gy_trace_free(t);
}

Test(traces_sacct, bars_in_name_and_submit_line)
{
    struct gy_trace *t = load_text(NULL, "End|JobID|JobName|Start|State|Submit|SubmitLine|Timelimit\n"
                                         "2024-03-01T10:07:00|7|a|b|2024-03-01T10:06:00|TIMEOUT|2024-03-01T10:01:00|"
                                         "sbatch x | tee|y|UNLIMITED\n");
    cr_assert_eq(t->jobs.n, 1);
    cr_expect_eq(t->jobs.at[0].end_state, GY_TIMEOUT);
    cr_expect_eq(t->jobs.at[0].duration, 60 * GY_SECOND);
    gy_trace_free(t);
}

Test(traces_sacct, twenty_six_fields)
{
    struct gy_trace *t = load_text(
        "sacct",
        "5|5|c|gpu|q|nlp|g|1|ann|2|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:01:00|"
        "2024-03-01T10:02:00|00:01:00|0:0|FAILED|1|4|4|4Gn|cpu=4|cpu=4,gres/gpu:v100=1,gres/gpu=1|Partition_Limit|"
        "n1|name\n"
        "6_[1-3%2]|6|c|gpu|q|nlp|g|1|ann|2|2024-03-01T10:00:00|Unknown|Unknown|Unknown|00:00:00|0:0|PENDING|1|4|4|"
        "4Gn|cpu=4||UNLIMITED|None assigned|name\n");
    cr_assert_eq(t->jobs.n, 1);
    cr_expect_eq(t->jobs.at[0].gpus, 1);
    cr_expect_eq(t->jobs.at[0].limit, GY_NONE);
    cr_expect_eq(t->jobs.at[0].end_state, GY_FAILED);
    cr_expect_eq(why_of(&t->skips, "JobID: array tasks that never started")->count, 1);
    gy_trace_free(t);
}

Test(traces_sacct, a_header_without_times)
{
    struct gy_error err;
    cr_expect_null(load_text2("sacct", "JobID|User|State\n1|a|COMPLETED\n", NULL, NULL, &err));
    cr_expect_not_null(strstr(err.what, "Submit"));
}
