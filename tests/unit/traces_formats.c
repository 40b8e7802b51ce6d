/* Every reader on rows written by hand, with the exact records expected. */
#include "traces_help.h"

#define S(x) ((gy_time)(x)*GY_SECOND)

static char id_buf[24];
static const char *id_of(const struct gy_trace *t, size_t i)
{
    return gy_job_rec_id(&t->jobs.at[i], t->strings, id_buf);
}

Test(traces_formats, gpuyard_all_columns)
{
    struct gy_trace *t = load_text(
        NULL,
        "user,job_id,submit_s,duration_s,gpus,nodes,gpus_per_node,gpu_type,gpu_fraction,mig_profile,cpus,mem_gib,team,"
        "partition,qos,priority,limit_s,state,workload,min_gpus,max_gpus,depends_on,array_id,gang,checkpoint_s,"
        "idle_tail_s,colour\n"
        "ann,a1,0,10.5,16,2,8,A100|H100,,,64,0.5,red,batch,high,-7,100,failed,llama,8,32,,arr,g1,600,2.5,blue\n"
        "\"b, o\"\"b\",2,1.25,3,1,,,,0.25,1g.10gb,0.5,,,,,,,timeout,,,,a1,,,,,\n");
    const struct gy_job_rec *a = &t->jobs.at[0], *b = &t->jobs.at[1];

    cr_expect_str_eq(t->format, "gpuyard");
    cr_expect_str_eq(t->origin, "");
    cr_expect_str_eq(id_of(t, 0), "a1");
    cr_expect_eq(a->submit, 0);
    cr_expect_eq(a->duration, 10500000000);
    cr_expect_eq(a->gpus, 16);
    cr_expect_eq(a->gpu_milli, 1000);
    cr_expect_eq(a->nodes, 2);
    cr_expect_eq(a->gpus_per_node, 8);
    cr_expect_str_eq(str_of(t, a->gpu_type), "A100|H100");
    cr_expect_eq(a->cpu_milli, 64000);
    cr_expect_eq(a->mem_mib, 512);
    cr_expect_str_eq(str_of(t, a->user), "ann");
    cr_expect_str_eq(str_of(t, a->team), "red");
    cr_expect_str_eq(str_of(t, a->partition), "batch");
    cr_expect_str_eq(str_of(t, a->qos), "high");
    cr_expect_eq(a->priority, -7);
    cr_expect_eq(a->limit, S(100));
    cr_expect_eq(a->end_state, GY_FAILED);
    cr_expect_str_eq(str_of(t, a->workload), "llama");
    cr_expect_eq(a->min_gpus, 8);
    cr_expect_eq(a->max_gpus, 32);
    cr_expect_str_eq(str_of(t, a->array), "arr");
    cr_expect_str_eq(str_of(t, a->gang), "g1");
    cr_expect_eq(a->checkpoint, S(600));
    cr_expect_eq(a->idle_tail, 2500000000);
    cr_expect_eq(a->cancel, GY_NONE);
    cr_expect(a->depended_on);
    cr_expect_eq(a->dep_n, 0);

    cr_expect_eq(b->number, 2);
    cr_expect_eq(b->name, 0);
    cr_expect_eq(b->submit, 1250000000);
    cr_expect_eq(b->gpu_milli, 250);
    cr_expect_str_eq(str_of(t, b->mig_profile), "1g.10gb");
    cr_expect_str_eq(str_of(t, b->user), "b, o\"b");
    cr_expect_eq(b->cpu_milli, 500);
    cr_expect_eq(b->limit, GY_NONE);
    cr_expect_eq(b->end_state, GY_TIMEOUT);
    cr_expect_eq(b->dep_n, 1);
    cr_expect_eq(t->deps.at[b->dep_first].row, 0);
    cr_expect_eq(t->deps.at[b->dep_first].kind, GY_DEP_AFTEROK);
    cr_expect_eq(why_of(&t->notes, "column not known; kept, not used")->count, 1);
    gy_trace_free(t);
}

Test(traces_formats, philly)
{
    struct gy_trace *t = load_text(NULL, "timestamp,duration,num_gpus,gpu_time,cluster\n"
                                         "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n"
                                         "2017-11-05 01:30:00,10.5,2,21.0,6214e9\n"
                                         "2017-10-09 06:13:03,2951.0,8,23608.0,6214e9\n"
                                         "2017-10-09 06:13:03,2951.0,8,23608.0,6214e9\n");

    cr_expect_str_eq(t->format, "philly");
    cr_expect_str_eq(t->origin, "2017-10-09 06:13:03");
    cr_expect_eq(t->rows_kept, 4); /* equal rows are distinct jobs */
    cr_expect(t->was_unsorted);
    cr_expect_eq(t->jobs.at[0].number, 3);
    cr_expect_eq(t->jobs.at[1].number, 4);
    cr_expect_eq(t->jobs.at[2].number, 1);
    cr_expect_eq(t->jobs.at[0].submit, 0);
    cr_expect_eq(t->jobs.at[2].submit, S(48 * 60 + 52));
    cr_expect_eq(t->jobs.at[0].duration, S(2951));
    cr_expect_eq(t->jobs.at[0].gpus, 8);
    cr_expect_str_eq(str_of(t, t->jobs.at[2].team), "11cb48");
    cr_expect_eq(t->jobs.at[2].partition, 0);
    cr_expect_eq(t->jobs.at[2].end_state, GY_COMPLETED);
    /* naive: a day is 24 hours, also over the end of daylight saving time on 2017-11-05 at 2 o'clock */
    cr_expect_eq(t->jobs.at[3].submit, 27 * GY_DAY - S(6 * 3600 + 13 * 60 + 3) + S(5400));
    cr_expect_eq(t->jobs.at[3].duration, 10500000000);
    gy_trace_free(t);
}

Test(traces_formats, helios)
{
    struct gy_trace *t = load_text(
        NULL, "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
              "1425511,uA,vcJ,1,4,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:03,2020-06-10 04:55:09,36846,2\n"
              "1425512,uB,vcB,16,16,2,NODE_FAIL,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0\n"
              "1425513,uC,vcB,8,8,1,CANCELLED,2020-06-09 18:42:00,,2020-06-09 19:42:00,0,3600\n"
              "1425514,uC,vcB,8,8,1,COMPLETED,2020-06-09 18:42:00,2020-06-09 19:42:00,2020-06-09 19:41:59,0,0\n");

    cr_expect_str_eq(t->format, "helios");
    cr_expect_str_eq(t->origin, "2020-06-09 18:41:01");
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(why_of(&t->skips, "end_time: before the start")->count, 1);
    const struct gy_job_rec *j = t->jobs.at;
    cr_expect_eq(j[0].duration, S(10 * 3600 + 14 * 60 + 6));
    cr_expect_eq(j[0].number, 1425511);
    cr_expect_eq(j[0].cpu_milli, 4000);
    cr_expect_str_eq(str_of(t, j[0].team), "vcJ");
    cr_expect_str_eq(str_of(t, j[0].user), "uA");
    cr_expect_eq(j[1].gpus, 16);
    cr_expect_eq(j[1].nodes, 2);
    cr_expect_eq(j[1].end_state, GY_NODE_FAIL);
    cr_expect_eq(j[1].submit, S(26));
    cr_expect_eq(j[2].duration, 0); /* never started */
    cr_expect_eq(j[2].cancel, S(59 + 3600));
    cr_expect_eq(j[2].end_state, GY_CANCELLED);
    gy_trace_free(t);
}

Test(traces_formats, acme_seren_and_kalos)
{
    struct gy_trace *t = load_text(
        NULL,
        "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
        "5778432,u1,1,8,128,Eval,FAILED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 "
        "00:20:51+08:00,117,32,936.0\n");

    cr_expect_str_eq(t->format, "acme");
    cr_expect_str_eq(t->origin, "2023-03-01 00:18:22+08:00");
    cr_expect_eq(t->jobs.at[0].duration, S(117));
    cr_expect_eq(t->jobs.at[0].end_state, GY_FAILED);
    cr_expect_str_eq(str_of(t, t->jobs.at[0].workload), "Eval");
    gy_trace_free(t);
    t = load_text(NULL, "job_id,user,node_num,gpu_num,cpu_num,mem_per_pod_GB,shared_mem_per_pod,type,state,submit_time,"
                        "start_time,end_time,fail_time,stop_time,duration,queue,gpu_time\n"
                        "dlcA,uf,8,64,960,1000,100.0,Other,FAILED,2023-05-17 11:00:58+00:00,2023-05-17 11:01:08+00:00,"
                        "2023-05-17 11:01:16+00:00,2023-05-17 11:01:16+00:00,,18,10.0,1152.0\n"
                        "dlcB,uf,1,8,96,,100.0,Other,CANCELLED,2023-05-17 11:28:42+00:00,2023-05-17 11:28:54+00:00,"
                        ",,2023-05-17 11:30:04+00:00,82,12.0,5248.0\n");
    cr_expect_eq(t->jobs.at[0].duration, S(8)); /* the column says 18, which holds the queue */
    cr_expect_eq(t->jobs.at[0].mem_mib, 8 * 1000 * 1024);
    cr_expect_eq(t->jobs.at[0].gpus, 64);
    cr_expect_eq(t->jobs.at[1].duration, S(70)); /* no end_time: stop_time */
    cr_expect_eq(t->jobs.at[1].mem_mib, 0);
    gy_trace_free(t);
}

Test(traces_formats, openb)
{
    struct gy_trace *t = load_text(NULL, "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_"
                                         "time,deletion_time,scheduled_time\r\n"
                                         "p0,12000,16384,1,460,,LS,Running,0,100,7\r\n"
                                         "p1,6000,12288,4,1000,V100M16|V100M32|V100M32,BE,Failed,5,50,5\r\n"
                                         "p2,6000,12288,0,0,,LS,Pending,6,50,\r\n"
                                         "p3,6000,12288,1,0,,LS,Running,6,50,6\r\n"
                                         "p4,6000,12288,1,1000,,LS,Running,6,,6\r\n");
    const struct gy_job_rec *j = t->jobs.at;

    cr_expect_str_eq(t->format, "openb");
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(t->rows_read, 5);
    cr_expect_str_eq(id_of(t, 0), "p0");
    cr_expect_eq(j[0].duration, S(93));
    cr_expect_eq(j[0].gpu_milli, 460);
    cr_expect_eq(j[0].cpu_milli, 12000);
    cr_expect_eq(j[0].mem_mib, 16384);
    cr_expect_str_eq(str_of(t, j[0].qos), "LS");
    cr_expect_eq(j[0].gpu_type, 0);
    cr_expect_str_eq(str_of(t, j[1].gpu_type), "V100M16|V100M32");
    cr_expect_eq(j[1].end_state, GY_FAILED);
    cr_expect_eq(j[1].nodes, 1);
    cr_expect_eq(j[2].gpus, 0);
    cr_expect_eq(j[2].gpu_milli, 1000);
    cr_expect_eq(j[2].cancel, S(50));
    cr_expect_eq(j[2].duration, S(44));
    cr_expect_eq(j[2].end_state, GY_CANCELLED);
    gy_trace_free(t);
    t = load_text(NULL, "name,cpu_milli,memory_mib,num_gpu,gpu_milli\np0,1,2,1,1000\np1,1,2,1,500\n");
    cr_expect_eq(t->jobs.at[1].submit, S(1));
    cr_expect_eq(t->jobs.at[1].duration, GY_NEVER);
    gy_trace_free(t);
}

Test(traces_formats, swf)
{
    struct gy_trace *t =
        load_text(NULL, "; Version: 2.2\n; UnixStartTime: 1027839845\n; TimeZone: 3600\n\n"
                        "    1        0 308434  31405   30  31405    -1   32  37980  1024  1   3   1  7 2  1 -1 -1\r\n"
                        "2 8 -1 43306.5 4 -1 -1 -1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1 {1,2} q x\n"
                        "3 9 10 -1 4 -1 -1 -1 -1 -1 -1 1 1 -1 -1 -1 -1 -1\n"
                        "4 9 10 -1 4 -1 -1 -1 0 -1 5 1 1 -1 -1 -1 -1 -1\n"
                        "5 9 10 1 -1 -1 -1 -1 0 -1 1 1 1 -1 -1 -1 -1 -1\n"
                        "6 9 10 1\n");
    const struct gy_job_rec *j = t->jobs.at;

    cr_expect_str_eq(t->format, "swf");
    cr_expect_str_eq(t->origin, "2002-07-28 07:04:05+00:00");
    cr_expect_eq(t->rows_read, 6);
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(j[0].gpus, 32);
    cr_expect_eq(j[0].duration, S(31405));
    cr_expect_eq(j[0].limit, S(37980));
    cr_expect_eq(j[0].mem_mib, 32);
    cr_expect_str_eq(str_of(t, j[0].user), "3");
    cr_expect_str_eq(str_of(t, j[0].team), "1");
    cr_expect_str_eq(str_of(t, j[0].workload), "7");
    cr_expect_str_eq(str_of(t, j[0].qos), "2");
    cr_expect_eq(j[1].gpus, 4);
    cr_expect_eq(j[1].duration, 43306500000000);
    cr_expect_eq(j[1].limit, GY_NONE);
    cr_expect_eq(j[1].user, 0);
    cr_expect_eq(j[1].end_state, GY_FAILED);
    cr_expect_eq(j[2].number, 4);
    cr_expect_eq(j[2].cancel, S(19));
    cr_expect_eq(j[2].end_state, GY_CANCELLED);
    cr_expect_eq(j[2].limit, GY_NONE);
    why_of(&t->skips, "run time: not known");
    why_of(&t->skips, "processors: neither requested nor used are known");
    why_of(&t->skips, "fewer than 18 fields");
    why_of(&t->notes, "limit: not above 0, taken as none");
    gy_trace_free(t);
    /* epoch submit times without a header, as in wagap */
    t = load_text(NULL, "0 1500000100 0 10 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1 {5} q 1:ppn=1#excl\n"
                        "1 1500000000 0 10 1 -1 -1 1 5 -1 1 1 1 1 1 1 -1 -1 {5} q 1:ppn=1#excl\n");
    cr_expect_str_eq(t->origin, "2017-07-14 02:40:00+00:00");
    cr_expect_eq(t->jobs.at[0].number, 1);
    cr_expect_eq(t->jobs.at[1].submit, S(100));
    gy_trace_free(t);
}

Test(traces_formats, batsim)
{
    struct gy_trace *t =
        load_text(NULL, "{\"nb_res\": 4, \"jobs\": ["
                        "{\"id\": 9, \"subtime\": 20, \"res\": 2, \"walltime\": 12.5, \"profile\": \"d\"},"
                        "{\"id\": \"w0!1\", \"subtime\": 10.25, \"res\": 4, \"walltime\": -1, \"profile\": \"seq\"},"
                        "{\"id\": 3, \"subtime\": 1, \"res\": 1, \"profile\": \"par\"},"
                        "{\"id\": 4, \"subtime\": 1, \"res\": 1, \"profile\": \"nowhere\"},"
                        "{\"id\": 5, \"subtime\": -1, \"res\": 1, \"profile\": \"d\"},"
                        "{\"id\": 6, \"subtime\": 1, \"res\": 1.5, \"profile\": \"d\"},"
                        "{\"id\": 9, \"subtime\": 1, \"res\": 1, \"profile\": \"d\"}, 7,"
                        "{\"id\": 10, \"subtime\": 1, \"res\": 1, \"profile\": \"loop\"}],"
                        "\"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 10.346},"
                        "\"seq\": {\"type\": \"composed\", \"repeat\": 2, \"seq\": [\"d\", \"d\"]},"
                        "\"loop\": {\"type\": \"composed\", \"seq\": [\"d\", \"loop\"]},"
                        "\"par\": {\"type\": \"parallel\", \"cpu\": [1], \"com\": [0]}}}");
    const struct gy_job_rec *j = t->jobs.at;

    cr_expect_str_eq(t->format, "batsim");
    cr_expect_eq(t->rows_read, 9);
    cr_expect_eq(t->rows_kept, 2);
    why_of(&t->skips, "profile: a sequence that holds itself");
    cr_expect_str_eq(id_of(t, 0), "w0!1");
    cr_expect_eq(j[0].submit, 10250000000);
    cr_expect_eq(j[0].duration, 41384000000);
    cr_expect_eq(j[0].limit, GY_NONE);
    cr_expect_eq(j[0].gpus, 4);
    cr_expect_eq(j[0].gpus_per_node, 1);
    cr_expect_eq(j[1].duration, 10346000000);
    cr_expect_eq(j[1].limit, 12500000000);
    cr_expect_str_eq(str_of(t, j[1].workload), "d");
    why_of(&t->skips, "profile: computes or communicates: its run time needs Batsim's platform model");
    why_of(&t->skips, "profile: not among the profiles");
    why_of(&t->skips, "job_id: repeated; the first row of that id is kept");
    gy_trace_free(t);
    /* the replay of an OAR log: jobs by id */
    t = load_text("batsim", "{\"jobs\": {\"12\": {\"subtime\": 3, \"res\": 1, \"walltime\": 5, \"profile\": \"a\"}},"
                            "\"profiles\": {\"a\": {\"type\": \"DelayProfile\", \"delay\": 1}}}");
    cr_expect_eq(t->jobs.at[0].number, 12);
    gy_trace_free(t);
}

Test(traces_formats, philly_json)
{
    struct gy_trace *t = load_text(
        NULL,
        "[\n {\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1\", \"attempts\": [\n"
        "  {\"start_time\": \"2017-10-07 01:12:09\", \"end_time\": \"2017-10-07 01:13:23\", \"detail\": [{\"ip\": "
        "\"m4\","
        " \"gpus\": [\"gpu0\", \"gpu1\"]}]},\n"
        "  {\"start_time\": \"2017-10-07 01:13:30\", \"end_time\": \"2017-10-07 01:14:30\", \"detail\": [{\"ip\": "
        "\"m4\","
        " \"gpus\": [\"gpu0\"]}, {\"ip\": \"m5\", \"gpus\": [\"gpu0\", \"gpu3\"]}]}],\n"
        "  \"submitted_time\": \"2017-10-07 01:11:39\", \"user\": \"ce2\"},\n"
        " {\"status\": \"Killed\", \"vc\": \"e\", \"jobid\": \"a2\", \"attempts\": [], \"submitted_time\": "
        "\"2017-10-07 "
        "01:00:00\", \"user\": \"u\"},\n"
        " {\"status\": \"Failed\", \"vc\": \"e\", \"jobid\": \"a3\", \"attempts\": [{\"start_time\": \"None\", "
        "\"end_time\":"
        " null, \"detail\": []}], \"submitted_time\": \"2017-10-07 01:00:00\", \"user\": \"u\"},\n"
        " {\"status\": \"Failed\", \"vc\": \"e\", \"jobid\": \"a4\", \"attempts\": [{\"start_time\": \"2017-10-07 "
        "01:00:00\","
        " \"end_time\": null, \"detail\": [{\"ip\": \"m\", \"gpus\": [\"gpu0\"]}]}], \"submitted_time\": \"2017-10-07 "
        "01:00:00\", \"user\": \"u\"}]\n");
    const struct gy_job_rec *j = t->jobs.at;

    cr_expect_str_eq(t->format, "philly-json");
    cr_expect_eq(t->rows_read, 4);
    cr_expect_eq(t->rows_kept, 1);
    cr_expect_eq(j[0].duration, S(74 + 60)); /* the gap of 7 s between the attempts is left out */
    cr_expect_eq(j[0].gpus, 3);              /* of the last attempt */
    cr_expect_str_eq(t->origin, "2017-10-07 01:11:39");
    cr_expect_str_eq(str_of(t, j[0].team), "ee9e8c");
    cr_expect_str_eq(str_of(t, j[0].user), "ce2");
    why_of(&t->skips, "attempts: none: it never ran, and its number of GPUs is not known");
    why_of(&t->skips, "attempts: no attempt names its GPUs");
    why_of(&t->skips, "end_time: still running at the end of the log");
    gy_trace_free(t);
}

Test(traces_formats, pai_2020_two_tables)
{
    struct gy_error err;
    const char *jobs = "j1,i,u1,Terminated,100.0,900.0\n"
                       "j2,i,u2,Failed,200.0,\n"
                       "j3,i,u2,Running,300.0,\n"
                       "j4,i,u2,Terminated,400.0,500.0\n"
                       "j5,i,u2,Waiting,500.0,\n"
                       "j6,i,u2,Terminated,600.0,700.0\n";
    const char *tasks = "j1,ps,2.0,Terminated,110.0,800.0,600.0,29.296875,,MISC\n"
                        "j1,worker,4.0,Terminated,120.0,850.0,1200.0,29.296875,200.0,V100\n"
                        "j2,tensorflow,3.0,Failed,210.0,230.0,600.0,10,50.0,T4\n"
                        "j3,tensorflow,1.0,Running,310.0,,600.0,10,50.0,T4\n"
                        "j5,tensorflow,1.0,Waiting,,,600.0,10,50.0,T4\n"
                        "j6,a,1.0,Terminated,600.0,650.0,,,50.0,T4\n"
                        "j6,b,1.0,Terminated,600.0,700.0,,,100.0,P100\n";
    struct gy_trace *t = load_text2(NULL, jobs, tasks, NULL, &err);

    cr_assert_not_null(t, "%s %s", err.place, err.what);
    const struct gy_job_rec *j = t->jobs.at;
    cr_expect_str_eq(t->format, "pai2020");
    cr_expect_eq(t->rows_kept, 3);
    cr_expect_eq(j[0].submit, S(100));
    cr_expect_eq(j[0].duration, S(850 - 110));
    cr_expect_eq(j[0].gpus, 8);
    cr_expect_eq(j[0].gpu_milli, 1000);
    cr_expect_eq(j[0].cpu_milli, (2 * 6 + 4 * 12) * 1000);
    cr_expect_eq(j[0].mem_mib, 6 * 30000);
    cr_expect_str_eq(str_of(t, j[0].gpu_type), "V100");
    cr_expect_eq(j[1].gpus, 3);
    cr_expect_eq(j[1].gpu_milli, 500);
    cr_expect_eq(j[1].end_state, GY_FAILED);
    cr_expect_eq(j[2].gpus, 2); /* 0.5 + 1, rounded up */
    cr_expect_eq(j[2].gpu_milli, 1000);
    why_of(&t->skips, "status: still running at the end of the trace");
    why_of(&t->skips, "job_name: no row in the task table");
    why_of(&t->skips, "status: never started: its run time is not known");
    why_of(&t->notes, "plan_gpu: unequal parts of GPUs in one job: rounded up to whole GPUs");
    gy_trace_free(t);
    cr_expect_null(load_text2(NULL, jobs, NULL, NULL, &err));
    cr_expect(strstr(err.what, "task table") != NULL);
}

Test(traces_formats, pai_100k_and_tiresias_kin)
{
    struct gy_trace *t = load_text(NULL, "job_id,num_inst,submit_time,num_cpu,num_gpu,gpu_type,duration,user\n"
                                         "7,1,5,6.0,0.5,T4,0,u\n8,2,6,12.5,2.0,V100,100,u\n9,1,7,1,0,CPU,3,u\n");
    cr_expect_str_eq(t->format, "pai-100k");
    cr_expect_eq(t->jobs.at[0].gpu_milli, 500);
    cr_expect_eq(t->jobs.at[0].duration, S(1));
    cr_expect_eq(t->jobs.at[1].gpus, 2);
    cr_expect_eq(t->jobs.at[1].cpu_milli, 12500);
    cr_expect_eq(t->jobs.at[2].gpus, 0);
    cr_expect_eq(t->jobs.at[2].gpu_type, 0);
    gy_trace_free(t);
    t = load_text(NULL,
                  "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n0,8,30,133,vgg11,147,23\r\n");
    cr_expect_str_eq(t->format, "tiresias");
    cr_expect_eq(t->jobs.at[0].gpus, 8);
    cr_expect_eq(t->jobs.at[0].duration, S(147));
    cr_expect_str_eq(str_of(t, t->jobs.at[0].workload), "vgg11");
    gy_trace_free(t);
    t = load_text(
        NULL, "job_id,submit_time,real_iteration,model_name,ddl,batch_size,num_gpu,real_duration,duration,iteration\n"
              "1,219316,26446831,vgg16,2065619,64,4,1792395,1792396,26446831\n");
    cr_expect_eq(t->jobs.at[0].submit, S(219316));
    cr_expect_eq(t->jobs.at[0].duration, S(1792396));
    gy_trace_free(t);
}

Test(traces_formats, spot_2026_and_converted_kalos)
{
    struct gy_trace *t = load_text(
        NULL, "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
              "239255,13,A10,20,1,1,0,2764799,HP\n437260,57,A100-SXM4-80GB,15,2,16,9589663,41060,Spot\n5,1,T4,1,0.5,3,"
              "9589664,1,HP\n");
    cr_expect_str_eq(t->format, "spot2026");
    cr_expect_eq(t->jobs.at[1].gpus, 32);
    cr_expect_eq(t->jobs.at[1].cpu_milli, 240000);
    cr_expect_str_eq(str_of(t, t->jobs.at[1].qos), "Spot");
    cr_expect_str_eq(str_of(t, t->jobs.at[1].team), "57");
    cr_expect_str_eq(str_of(t, t->jobs.at[1].gpu_type), "A100-SXM4-80GB");
    cr_expect_eq(t->jobs.at[2].gpus, 3);
    cr_expect_eq(t->jobs.at[2].gpu_milli, 500);
    gy_trace_free(t);
    t = load_text(NULL,
                  "job_id,arrival_time,num_iteration,iteration_computing_time,iteration_networking_time,gpu_workers,ps,"
                  "gpu_per_worker,cpu_per_gpu_worker,cpu_per_ps_worker,tensorsizes,profiled_network\n"
                  "0,0.0,208,0.5,0.25,62,0,8.0,15.0,15.0,10.0,500\n");
    cr_expect_str_eq(t->format, "acme-kalos");
    cr_expect_eq(t->jobs.at[0].duration, S(156));
    cr_expect_eq(t->jobs.at[0].gpus, 62);
    cr_expect_eq(t->jobs.at[0].cpu_milli, 62 * 15000);
    gy_trace_free(t);
}

Test(traces_formats, gavel_needs_throughputs_or_durations)
{
    struct gy_error err;
    const char *seven = "ResNet-18 (batch size 16)\tpython3 main.py\t--steps\t1\t1000\t12.5\t2\n"
                        "A3C\tpython3 main.py\t--steps\t1\t1000\t13\t1\n"
                        "A3C\tpython3 main.py\t--steps\t1\t1000\t13\t4\n";
    const char *table = "{\"v100\": {\"('ResNet-18 (batch size 16)', 2)\": {\"null\": 8.0}, \"A3C\": {\"null\": 4}}}";
    struct gy_trace *t = load_text2(NULL, seven, table, NULL, &err);

    cr_assert_not_null(t, "%s", err.what);
    cr_expect_str_eq(t->format, "gavel");
    cr_expect_eq(t->rows_kept, 2);
    cr_expect_eq(t->jobs.at[0].submit, 12500000000);
    cr_expect_eq(t->jobs.at[0].duration, S(125));
    cr_expect_eq(t->jobs.at[0].gpus, 2);
    cr_expect_eq(t->jobs.at[1].duration, S(250));
    cr_expect_str_eq(str_of(t, t->jobs.at[1].workload), "A3C");
    why_of(&t->skips, "throughput: not measured for this type and number of GPUs");
    gy_trace_free(t);
    cr_expect_null(load_text2(NULL, seven, NULL, NULL, &err));
    cr_expect(strstr(err.hint, "throughput") != NULL);
    t = load_text(NULL, "LM (batch size 5)\tpython3 main.py\tdir\t--steps\t1\t1000\t4\tstatic\t2.000\t-1.0\t77.5\t3\n");
    cr_expect_eq(t->jobs.at[0].duration, 77500000000);
    cr_expect_eq(t->jobs.at[0].submit, S(3));
    cr_expect_eq(t->jobs.at[0].gpus, 4);
    cr_expect_eq(t->jobs.at[0].priority, 2);
    gy_trace_free(t);
}
