/* The run folder's files: their exact bytes for a small run with hostile names, where they may go, and what stays after
 * an error. Thresholds. The summary for people. */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "account_feed.h"
#include "gy_folder.h"
#include "gy_terminal.h"

static char *temporary(void)
{
    static char path[64];
    strcpy(path, "/tmp/gy_account_XXXXXX");
    cr_assert(mkdtemp(path));
    return path;
}

static char *slurp(const char *dir, const char *name)
{
    char path[512];
    struct gy_error err = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    char *text = gy_file_slurp(path, 1 << 20, NULL, NULL, &err);
    cr_assert(text, "%s", err.what);
    return text;
}

static void remove_all(const char *dir)
{
    char path[1024];
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (e->d_name[0] != '.')
            unlink(path);
    }
    if (d)
        closedir(d);
    rmdir(dir);
}

static size_t count_files(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));)
        n += e->d_name[0] != '.';
    if (d)
        closedir(d);
    return n;
}

static const struct gy_run_facts plain_facts = {.name = "a run", .policy = "fifo", .cluster = "2 nodes", .seed = 7};

/* A job with hostile names over two nodes, a fraction, a rejected one, one cancelled in the queue, one left running. */
static struct feed *small_run(const struct gy_folder_options *o, struct gy_folder **folder)
{
    struct feed *f = feed_new(2, 4);
    feed_open(f, NULL, 0);
    *folder = o ? gy_folder_open(o, f->account, &f->err) : NULL;
    if (o && !*folder)
        return f;
    struct gy_job *j = feed_job(f, 0, 0, 10, 6, 1000);
    j->rec.name = feed_name(f, "=1+1,\"x\"\n");
    j->rec.user = feed_name(f, "\x1b[31mred");
    j->rec.team = feed_name(f, "a.b");
    feed_submit(f, 0);
    const struct gy_share two[] = {{.node = {0}, .mask = 13, .gpu_milli = 1000},
                                   {.node = {1}, .mask = 7, .gpu_milli = 1000}};
    feed_start_on(f, 0, 0.5, two, 2);
    feed_job(f, 1, 1, 10, 1, 460);
    feed_submit(f, 1);
    feed_start(f, 1, 1, 1, 8);
    feed_event(f, (struct gy_event){.kind = GY_E_SAMPLE, .id = GY_JOB_NONE, .node = GY_NODE_NONE}, 5);
    feed_job(f, 2, 6, 10, 99, 1000);
    feed_submit(f, 2);
    feed_end(f, 2, 6, GY_REJECTED, 0, "more GPUs than there are");
    feed_job(f, 3, 7, 10, 4, 1000);
    feed_submit(f, 3);
    f->job[3].reason = GY_R_RESOURCES;
    feed_event(f, (struct gy_event){.kind = GY_E_HOLD, .id = {3}, .job = &f->job[3]}, 7);
    feed_end(f, 3, 9.25, GY_CANCELLED, 0, NULL);
    feed_end(f, 0, 10.5, GY_COMPLETED, 0, NULL);
    feed_finish(f, 10.5, (uint32_t[]){1}, 1);
    return f;
}

Test(account, jobs_csv_is_exact)
{
    char *dir = temporary();
    const struct gy_folder_options o = {.dir = dir, .jobs = true, .timeline = true, .events = true};
    struct gy_folder *folder;
    struct feed *f = small_run(&o, &folder);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &f->err), 0, "%s", f->err.what);
    char *jobs = slurp(dir, "jobs.csv");
    cr_assert_str_eq(
        jobs, "job_id,user,team,partition,gpus,nodes,submit_s,eligible_s,start_s,end_s,state,wait_s,run_s,slowdown,"
              "preemptions,restarts,gpu_seconds,lost_gpu_seconds,cost_usd,energy_j,placement,reason\n"
              "2,,,,99,,6,6,,6,rejected,,,,0,0,0,0,,,,more GPUs than there are\n"
              "3,,,,4,,7,7,,9.25,cancelled,,,,0,0,0,0,,,,resources\n"
              "\"=1+1,\"\"x\"\"\n\",\x1b[31mred,a.b,,6,2,0,0,0.5,10.5,completed,0.5,10,1.05,0,0,60,0,,,"
              "\"n0:0,2-3;n1:0-2\",\n"
              "1,,,,0.46,1,1,1,1,,running,0,9.5,,0,0,4.37,0,,,n1:3@460,\n");
    char *timeline = slurp(dir, "timeline.csv");
    cr_assert_str_eq(timeline,
                     "time_s,gpus_total,gpus_down,gpus_allocated,gpus_busy,jobs_running,jobs_pending,gpus_pending,"
                     "fragmentation,power_w,cost_usd_per_h,net_max_link_util\n"
                     "5,8,0,6.46,6.46,2,0,0,0.5,,,\n");
    free(timeline);
    free(jobs);
    remove_all(dir);
    feed_free(f);
}

Test(account, events_are_json_lines)
{
    char *dir = temporary();
    const struct gy_folder_options o = {.dir = dir, .events = true};
    struct gy_folder *folder;
    struct feed *f = small_run(&o, &folder);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &f->err), 0);
    char *text = slurp(dir, "events.jsonl");
    size_t lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        struct gy_json_doc *doc = gy_json_parse("line", line, strlen(line), &f->err);
        cr_assert(doc, "%s: %s", line, f->err.what);
        const struct gy_json *root = gy_json_root(doc);
        cr_assert(gy_json_string(gy_json_get(root, "event")) && !isnan(gy_json_number(gy_json_get(root, "time_s"))));
        if (lines == 2) {
            cr_assert_str_eq(line,
                             "{\"time_s\":0.5,\"event\":\"start\",\"job_id\":\"=1+1,\\\"x\\\"\\n\",\"team\":\"a.b\","
                             "\"gpus\":6,\"waited_s\":0.5,\"nodes\":2,\"placement\":\"n0:0,2-3;n1:0-2\"}");
        }
        gy_json_free(doc);
    }
    cr_assert_eq(lines, 16, "%zu lines", lines);
    free(text);
    remove_all(dir);
    feed_free(f);
}

Test(account, manifest_and_summary)
{
    char *dir = temporary();
    const struct gy_folder_options o = {.dir = dir};
    const struct gy_run_input inputs[] = {{"trace", "t\"x.csv", "00ff"}};
    const struct gy_run_skip skips[] = {{"no duration", "t.csv:3: \x1b[2J", 2}};
    const char *const command[] = {"gpuyard", "run", "a.json"}, *const without[] = {"network"};
    const struct gy_run_facts facts = {.name = "a run",
                                       .policy = "fifo",
                                       .command = command,
                                       .n_command = 3,
                                       .seed = UINT64_MAX,
                                       .inputs = inputs,
                                       .n_inputs = 1,
                                       .trace_format = "csv",
                                       .rows_read = 6,
                                       .rows_kept = 4,
                                       .skips = skips,
                                       .n_skips = 1,
                                       .not_modelled = without,
                                       .n_not_modelled = 1};
    struct gy_folder *folder;
    struct feed *f = small_run(&o, &folder);
    const struct gy_threshold t[] = {{"team.a.b.jobs.completed", 1, NAN}, {"wait_s.max", NAN, 0.25}};
    struct gy_verdict v[2];
    cr_assert_eq(gy_account_check(f->account, t, 2, v, &f->err), 0);
    cr_assert_eq(gy_folder_commit(folder, &facts, v, 2, &f->err), 0);
    cr_assert_eq(count_files(dir), 2);
    char *text = slurp(dir, "summary.json");
    struct gy_json_doc *doc = gy_json_parse("summary.json", text, strlen(text), &f->err);
    cr_assert(doc, "%s", f->err.what);
    const struct gy_json *root = gy_json_root(doc);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/jobs/submitted")), 4);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/wait_s/max")), 0.5);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/fairness/ftf/max")), 10.5 / (10 * 6 * 2 / 8.0));
    cr_assert_eq(gy_json_number(gy_json_at(root, "/team/a.b/jobs/completed")), 1);
    cr_assert_eq(gy_json_number(gy_json_at(root, "/user/\x1b[31mred/jct_s/p50")), 10.5);
    cr_assert(gy_json_true(gy_json_at(root, "/thresholds/0/ok")) &&
              !gy_json_true(gy_json_at(root, "/thresholds/1/ok")));
    cr_assert_eq(gy_json_type(gy_json_at(root, "/energy_j")), GY_J_NULL);
    cr_assert(gy_json_at(root, "/energy_j") == NULL && gy_json_at(root, "/cost_usd") == NULL,
              "families without data are absent");
    gy_json_free(doc);
    free(text);
    text = slurp(dir, "manifest.json");
    doc = gy_json_parse("manifest.json", text, strlen(text), &f->err);
    cr_assert(doc, "%s", f->err.what);
    root = gy_json_root(doc);
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/status")), "complete");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/seed")), "18446744073709551615");
    cr_assert_str_eq(gy_json_string(gy_json_at(root, "/inputs/0/path")), "t\"x.csv");
    cr_assert_eq(gy_json_number(gy_json_at(root, "/trace/skipped/0/count")), 2);
    gy_json_free(doc);
    free(text);
    remove_all(dir);
    feed_free(f);
}

Test(account, folders_are_guarded)
{
    char *dir = temporary(), path[256], deep[300];
    struct gy_error err = {0};
    struct gy_folder *folder;
    /* A foreign folder is refused and left alone. */
    snprintf(path, sizeof path, "%s/mine.txt", dir);
    fclose(fopen(path, "w"));
    struct feed *f = small_run(&(struct gy_folder_options){.dir = dir}, &folder);
    cr_assert(!folder && f->err.code == GY_EUSAGE && count_files(dir) == 1);
    feed_free(f);
    unlink(path);
    /* A run replaces an older one, with the files that it had and this one has not. */
    f = small_run(&(struct gy_folder_options){.dir = dir, .jobs = true, .events = true}, &folder);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &err), 0);
    feed_free(f);
    cr_assert_eq(count_files(dir), 4);
    f = small_run(&(struct gy_folder_options){.dir = dir}, &folder);
    cr_assert_eq(count_files(dir), 6, "the older run stands while the new one is written");
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &err), 0);
    feed_free(f);
    cr_assert_eq(count_files(dir), 2);
    /* Giving up leaves the older run. */
    f = small_run(&(struct gy_folder_options){.dir = dir, .jobs = true}, &folder);
    gy_folder_abandon(folder);
    feed_free(f);
    cr_assert_eq(count_files(dir), 2);
    /* What a broken-off run left may be used again. */
    snprintf(deep, sizeof deep, "%s/manifest.json", dir);
    snprintf(path, sizeof path, "%s/manifest.json.partial", dir);
    rename(deep, path);
    f = small_run(&(struct gy_folder_options){.dir = dir}, &folder);
    cr_assert(folder, "%s", f->err.what);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &err), 0);
    feed_free(f);
    /* Folders made on the way go again when the run is given up; a file cannot be a folder. */
    snprintf(deep, sizeof deep, "%s/a/b", dir);
    f = small_run(&(struct gy_folder_options){.dir = deep}, &folder);
    cr_assert(folder && access(deep, F_OK) == 0);
    gy_folder_abandon(folder);
    feed_free(f);
    cr_assert_eq(count_files(dir), 2);
    snprintf(deep, sizeof deep, "%s/manifest.json", dir);
    f = small_run(&(struct gy_folder_options){.dir = deep}, &folder);
    cr_assert(!folder && f->err.code == GY_EUSAGE);
    feed_free(f);
    remove_all(dir);
}

/* A disk that is full in the middle of the run: the observer says so, and giving up leaves what was there before. */
Test(account, a_full_disk_leaves_nothing)
{
    char *dir = temporary();
    struct gy_error err = {0};
    struct gy_folder *folder;
    struct feed *f = small_run(&(struct gy_folder_options){.dir = dir}, &folder);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &err), 0);
    feed_free(f);
    char *before = slurp(dir, "summary.json");

    signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small = {100000, 100000};
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    f = feed_new(1, 8);
    feed_open(f, NULL, 0);
    folder = gy_folder_open(&(struct gy_folder_options){.dir = dir, .jobs = true}, f->account, &err);
    cr_assert(folder);
    int rc = 0;
    for (uint32_t i = 0; i < 4000 && rc == 0; i++) {
        struct gy_job *j = feed_job(f, 0, i, 0, 1, 1000);
        feed_submit(f, 0);
        j->state = GY_CANCELLED;
        f->pending--;
        const struct gy_event e = {.kind = GY_E_END, .id = {0}, .job = j, .time = j->rec.submit};
        rc = f->to.on_event(f->to.self, &f->view, &e, &err);
    }
    cr_assert(rc == -1 && err.code == GY_EIO && strstr(err.place, "jobs.csv"), "%d %s: %s", rc, err.place, err.what);
    gy_folder_abandon(folder);
    feed_free(f);
    cr_assert_eq(count_files(dir), 2);
    char *after = slurp(dir, "summary.json");
    cr_assert_str_eq(before, after);
    free(before);
    free(after);
    remove_all(dir);
}

/* The folder is taken away while the run goes on: an error, and nothing is left behind. */
Test(account, a_vanished_folder_is_an_error)
{
    char *dir = temporary();
    struct gy_error err = {0};
    struct gy_folder *folder;
    struct feed *f = small_run(&(struct gy_folder_options){.dir = dir, .jobs = true}, &folder);
    cr_assert(folder);
    remove_all(dir);
    cr_assert_eq(gy_folder_commit(folder, &plain_facts, NULL, 0, &err), -1);
    cr_assert(err.code == GY_EIO && access(dir, F_OK) != 0);
    feed_free(f);
}

/* More users than are kept apart: those with least GPU-time are summed up. */
Test(account, many_users)
{
    struct feed *f = feed_new(1, 8);
    const uint32_t n = GY_GROUPS_MAX + 50;
    feed_open(f, NULL, 0);
    for (uint32_t i = 0; i < n; i++) { /* user k runs for k + 1 seconds, one after the other on one GPU */
        char name[16];
        snprintf(name, sizeof name, "u%05u", n - 1 - i);
        const double at = (double)i * n;
        feed_job(f, 0, at, i + 1, 1, 1000)->rec.user = feed_name(f, name);
        feed_submit(f, 0);
        feed_start(f, 0, at, 0, 1);
        feed_end(f, 0, at + i + 1, GY_COMPLETED, 0, NULL);
    }
    feed_finish(f, (double)n * n, NULL, 0);
    const struct gy_grouping *g = gy_account_groups(f->account, GY_BY_USER);
    cr_assert(g->n == GY_GROUPS_MAX && g->n_others == 50 && g->others);
    cr_assert_str_eq(g->at[0].name, "u00000");
    expect(f, "user_others.jobs.completed", 50);
    expect(f, "user_others.jct_s.max", 50);
    expect(f, "user_others.gpu_hours.allocated", 50 * 51 / 2 / 3600.0);
    expect(f, "user.u00000.jct_s.mean", n);
    expect(f, "user.u09999.jct_s.mean", 51);
    struct gy_metric m;
    cr_assert(!gy_account_metric(f->account, "user.u10000.jct_s.mean", &m));
    feed_free(f);
}

Test(account, thresholds_name_metrics)
{
    struct gy_folder *none;
    struct feed *f = small_run(NULL, &none);
    struct gy_verdict v;
    static const struct {
        const char *metric, *nearest;
    } wrong[] = {{"utilisation.allocated", "utilization.allocated"},
                 {"wait_s.p59", "wait_s.p50"},
                 {"team.a.c.jobs.completed", "team.a.b.jobs.completed"},
                 {"team.a.b.jobs.complete", "team.a.b.jobs.completed"},
                 {"job_size_class.5-9.jobs.completed", "job_size_class.5-8.jobs.completed"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct gy_threshold t = {wrong[i].metric, 0, NAN};
        cr_assert_eq(gy_account_check(f->account, &t, 1, &v, &f->err), -1);
        cr_assert(f->err.code == GY_EINPUT && strstr(f->err.hint, wrong[i].nearest), "%s: %s", wrong[i].metric,
                  f->err.hint);
    }
    const struct gy_threshold word = {"steady_state", 0, NAN}, null = {"team.a.b.wait_s.max", NAN, NAN};
    cr_assert_eq(gy_account_check(f->account, &word, 1, &v, &f->err), -1);
    cr_assert_eq(gy_account_check(f->account, &null, 1, &v, &f->err), 0);
    cr_assert(v.ok && v.value == 0.5);
    const struct gy_threshold exact = {"wait_s.max", 0.5, 0.5}, above = {"wait_s.max", 0.51, NAN};
    gy_account_check(f->account, &exact, 1, &v, &f->err);
    cr_assert(v.ok, "bounds are inclusive");
    gy_account_check(f->account, &above, 1, &v, &f->err);
    cr_assert(!v.ok);
    feed_free(f);
    f = feed_new(1, 1);
    feed_open(f, NULL, 0);
    feed_finish(f, 0, NULL, 0);
    const struct gy_threshold no_value = {"wait_s.max", NAN, 10};
    cr_assert_eq(gy_account_check(f->account, &no_value, 1, &v, &f->err), 0);
    cr_assert(!v.ok, "what has no value does not pass");
    feed_free(f);
}

Test(account, terminal_summary)
{
    struct gy_folder *none;
    struct feed *f = small_run(NULL, &none);
    const struct gy_run_skip skips[] = {
        {"no duration", "t.csv:3: \x1b[2J", 2},
        {"a reason of many words that goes on and on until it must be broken at a space, "
         "twice even on a wide page, because it never seems to come to its end at all",
         "t.csv:9", 1}};
    const struct gy_run_facts facts = {.name = "bad \x1b[31m name",
                                       .policy = "fifo",
                                       .cluster = "2 nodes, 8 GPUs",
                                       .trace = "t.csv",
                                       .skips = skips,
                                       .n_skips = 2};
    const struct gy_threshold t = {"wait_s.max", NAN, 0.25};
    struct gy_verdict v;
    gy_account_check(f->account, &t, 1, &v, &f->err);
    for (int width = 40; width <= 100; width += 20) {
        struct gy_writer *w = gy_writer_open(NULL, &f->err);
        gy_terminal_summary(f->account, &facts, &v, 1, &(struct gy_terminal_style){.width = width}, w);
        const char *text = gy_writer_memory(w, NULL);
        cr_assert(!strchr(text, '\x1b'), "no escapes without colour");
        cr_assert(strstr(text, "bad \\x1b[31m name") && strstr(text, "FAIL  wait_s.max") &&
                  strstr(text, "2 rows skipped"));
        cr_assert(strstr(text, "1 job rejected") && (width < 80 || strstr(text, "its end at all")));
        for (const char *c = text; *c; c++)
            cr_assert(*c == '\n' || (*c >= ' ' && *c <= '~'), "plain ASCII off a terminal");
        for (const char *line = text; width >= 80 && *line; line = strchr(line, '\n') + 1)
            cr_assert(strchr(line, '\n') - line <= width, "%.*s", (int)(strchr(line, '\n') - line), line);
        gy_writer_abandon(w);
    }
    feed_free(f);
}

Test(account, numbers_for_people)
{
    char buf[32];
    static const struct {
        double s;
        const char *text;
    } durations[] = {{0, "0s"},         {0.25, "0.25s"},  {45.21, "45.2s"}, {59.99, "1m00s"},  {725, "12m05s"},
                     {3599.6, "1h00m"}, {12300, "3h25m"}, {86399, "1d00h"}, {187200, "2d04h"}, {NAN, "-"}};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        cr_assert_str_eq(gy_print_duration(durations[i].s, buf), durations[i].text);
    cr_assert_str_eq(gy_print_count(82247, buf), "82,247");
    cr_assert_str_eq(gy_print_count(-1000, buf), "-1,000");
    cr_assert_str_eq(gy_print_count(999, buf), "999");
    cr_assert_str_eq(gy_print_amount(0.0421, buf), "0.042");
    cr_assert_str_eq(gy_print_amount(1.005, buf), "1.00");
    cr_assert_str_eq(gy_print_amount(12.48, buf), "12.5");
    cr_assert_str_eq(gy_print_amount(1063.7, buf), "1,064");
    struct gy_error err;
    struct gy_writer *w = gy_writer_open(NULL, &err);
    gy_print_fitted(w, "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 5,
                    true); /* three wide characters: one and ".." and padding */
    gy_writer_text(w, "|");
    gy_print_fitted(w, "abcdef", 6, true);
    cr_assert_str_eq(gy_writer_memory(w, NULL), "\xe6\x97\xa5.. |abcdef");
    gy_writer_abandon(w);
}
