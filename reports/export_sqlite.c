/* The run as an SQLite database: typed tables, indices and views. The only file that knows SQLite. Written beside its
 * name and renamed when whole. */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_export.h"
#include "gy_file.h"

static const char schema[] =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 4096;"
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE metrics (name TEXT PRIMARY KEY, value REAL, word TEXT, of_group INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE jobs (job_id TEXT NOT NULL, user TEXT, team TEXT, partition TEXT, gpus REAL, nodes INTEGER, submit_s "
    "REAL,"
    " eligible_s REAL, start_s REAL, end_s REAL, state TEXT NOT NULL, wait_s REAL, run_s REAL, slowdown REAL,"
    " preemptions INTEGER, restarts INTEGER, gpu_seconds REAL, lost_gpu_seconds REAL, cost_usd REAL, energy_j REAL,"
    " placement TEXT, reason TEXT);"
    "CREATE TABLE stays (job_id TEXT NOT NULL, node TEXT NOT NULL, gpu_first INTEGER, gpu_last INTEGER, thousandths "
    "INTEGER,"
    " from_s REAL, to_s REAL, then_ TEXT);"
    "CREATE TABLE timeline (time_s REAL, gpus_total REAL, gpus_down REAL, gpus_allocated REAL, gpus_busy REAL,"
    " jobs_running INTEGER, jobs_pending INTEGER, gpus_pending REAL, fragmentation REAL, power_w REAL, cost_usd_per_h "
    "REAL,"
    " net_max_link_util REAL);"
    "CREATE TABLE events (seq INTEGER PRIMARY KEY, time_s REAL, event TEXT, job_id TEXT, node TEXT, reason TEXT, state "
    "TEXT,"
    " detail TEXT);";

static const char closing[] =
    "CREATE INDEX jobs_id ON jobs (job_id); CREATE INDEX jobs_team ON jobs (team, submit_s);"
    "CREATE INDEX jobs_submit ON jobs (submit_s); CREATE INDEX stays_job ON stays (job_id);"
    "CREATE INDEX stays_node ON stays (node, from_s); CREATE INDEX timeline_time ON timeline (time_s);"
    "CREATE INDEX events_job ON events (job_id);"
    "CREATE VIEW waits_by_size AS SELECT CASE WHEN gpus = 0 THEN '0' WHEN gpus < 1 THEN '<1' WHEN gpus <= 1 THEN '1'"
    " WHEN gpus <= 2 THEN '2' WHEN gpus <= 4 THEN '3-4' WHEN gpus <= 8 THEN '5-8' WHEN gpus <= 16 THEN '9-16'"
    " WHEN gpus <= 32 THEN '17-32' WHEN gpus <= 64 THEN '33-64' ELSE '65+' END AS size, count(*) AS jobs,"
    " avg(wait_s) AS mean_wait_s, max(wait_s) AS max_wait_s, sum(gpu_seconds) / 3600 AS gpu_hours"
    " FROM jobs GROUP BY 1 ORDER BY min(gpus);"
    "CREATE VIEW team_use AS SELECT team, count(*) AS jobs, sum(gpu_seconds) / 3600 AS gpu_hours,"
    " sum(gpu_seconds) / (SELECT sum(gpu_seconds) FROM jobs) AS share, avg(wait_s) AS mean_wait_s,"
    " sum(lost_gpu_seconds) / 3600 AS lost_gpu_hours FROM jobs GROUP BY team ORDER BY gpu_hours DESC;"
    "CREATE VIEW unused AS SELECT substr(name, 18) AS cause, value AS gpu_hours FROM metrics"
    " WHERE name LIKE 'unused\\_gpu\\_hours.%' ESCAPE '\\' ORDER BY value DESC;"
    "CREATE VIEW waited_for AS SELECT reason, count(*) AS jobs, sum(wait_s) / 3600 AS wait_hours FROM jobs WHERE "
    "wait_s > 0"
    " GROUP BY reason ORDER BY wait_hours DESC; COMMIT;";

struct db {
    sqlite3 *db;
    sqlite3_stmt *insert;
    const char *path;
    const struct gy_past_job *job; /* of the stays being written */
    const struct gy_stay *stay;
    int64_t seq;
    struct gy_error *err;
    bool failed;
};

static int fail(struct db *x, struct gy_error *err)
{
    return gy_fail(err, GY_EIO, x->path, "cannot write: %s", sqlite3_errmsg(x->db));
}

static int run_sql(struct db *x, const char *sql, struct gy_error *err)
{
    return sqlite3_exec(x->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(x, err);
}

static int prepare(struct db *x, const char *sql, struct gy_error *err)
{
    sqlite3_finalize(x->insert);
    x->insert = NULL;
    return sqlite3_prepare_v2(x->db, sql, -1, &x->insert, NULL) == SQLITE_OK ? 0 : fail(x, err);
}

static int insert(struct db *x, struct gy_error *err)
{
    const int rc = sqlite3_step(x->insert);
    sqlite3_reset(x->insert);
    sqlite3_clear_bindings(x->insert);
    return rc == SQLITE_DONE ? 0 : fail(x, err);
}

static void bind_text(struct db *x, int at, const char *text)
{
    if (text)
        sqlite3_bind_text(x->insert, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_number(struct db *x, int at, double v)
{
    if (!isnan(v))
        sqlite3_bind_double(x->insert, at, v);
}

static void bind_time(struct db *x, int at, gy_time t)
{
    if (t != GY_NONE)
        sqlite3_bind_double(x->insert, at, gy_time_to_s(t));
}

static void bind_decimal(struct db *x, int at, const char *text)
{
    if (*text)
        sqlite3_bind_double(x->insert, at, strtod(text, NULL));
}

static int put_run(struct db *x, const struct gy_run *run, struct gy_error *err)
{
    if (prepare(x, "INSERT INTO run VALUES (?, ?)", err))
        return -1;
    for (const struct gy_json *v = gy_json_first(gy_json_root(run->manifest)); v; v = gy_json_next(v)) {
        struct gy_writer *w = gy_writer_open(NULL, err);
        size_t len;
        if (!w)
            return -1;
        struct gy_json_out o = {.to = w, .compact = true};
        if (gy_json_type(v) == GY_J_STRING) {
            bind_text(x, 2, gy_json_string(v));
        } else {
            gy_jo_value(&o, NULL, v);
            const char *text = gy_writer_memory(w, &len);
            if (text)
                sqlite3_bind_text(x->insert, 2, text, len && text[len - 1] == '\n' ? (int)len - 1 : (int)len,
                                  SQLITE_TRANSIENT);
        }
        gy_writer_abandon(w);
        bind_text(x, 1, gy_json_key(v));
        if (insert(x, err))
            return -1;
    }
    return 0;
}

static int put_metrics(struct db *x, const struct gy_run *run, struct gy_error *err)
{
    if (prepare(x, "INSERT OR REPLACE INTO metrics VALUES (?, ?, ?, ?)", err))
        return -1;
    for (size_t i = 0; i < run->metrics.n; i++) {
        const struct gy_run_metric *m = &run->metrics.at[i];
        bind_text(x, 1, m->name);
        bind_number(x, 2, m->value);
        bind_text(x, 3, m->word);
        sqlite3_bind_int(x->insert, 4, m->group);
        if (insert(x, err))
            return -1;
    }
    return 0;
}

static int put_jobs(struct db *x, const struct gy_history *h, struct gy_error *err)
{
    if (prepare(x, "INSERT INTO jobs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", err))
        return -1;
    for (size_t i = 0; i < h->jobs.n; i++) {
        const struct gy_past_job *j = &h->jobs.at[i];
        const char *const who[] = {j->id, j->user, j->team, j->partition};
        const gy_time when[] = {j->submit, j->eligible, j->start, j->end};
        const char *const decimals[] = {j->gpu_seconds, j->lost_gpu_seconds, j->cost, j->energy};
        for (int k = 0; k < 4; k++) {
            bind_text(x, 1 + k, who[k]);
            bind_time(x, 7 + k, when[k]);
            bind_decimal(x, 17 + k, decimals[k]);
        }
        bind_number(x, 5, j->gpus);
        sqlite3_bind_int64(x->insert, 6, j->nodes);
        bind_text(x, 11, j->state);
        bind_time(x, 12, j->wait);
        bind_time(x, 13, j->run);
        bind_number(x, 14, j->slowdown);
        sqlite3_bind_int64(x->insert, 15, j->preemptions);
        sqlite3_bind_int64(x->insert, 16, j->restarts);
        bind_text(x, 21, j->placement);
        bind_text(x, 22, j->reason);
        if (insert(x, err))
            return -1;
    }
    return 0;
}

static void put_part(void *ctx, const char *node, size_t len, uint32_t low, uint32_t high, uint32_t milli)
{
    static const char *const then[] = {"ended", "preempted", "moved", "left"};
    struct db *x = ctx;

    if (x->failed)
        return;
    bind_text(x, 1, x->job->id);
    sqlite3_bind_text(x->insert, 2, node, (int)len, SQLITE_TRANSIENT);
    if (high > low) {
        sqlite3_bind_int64(x->insert, 3, low);
        sqlite3_bind_int64(x->insert, 4, high - 1);
        sqlite3_bind_int64(x->insert, 5, milli);
    }
    bind_time(x, 6, x->stay->from);
    bind_time(x, 7, x->stay->to);
    bind_text(x, 8, then[x->stay->how]);
    x->failed = insert(x, x->err) != 0;
}

static int put_stays(struct db *x, const struct gy_history *h, struct gy_error *err)
{
    if (prepare(x, "INSERT INTO stays VALUES (?,?,?,?,?,?,?,?)", err))
        return -1;
    for (size_t i = 0; i < h->stays.n && !x->failed; i++) {
        x->stay = &h->stays.at[i];
        x->job = &h->jobs.at[x->stay->job];
        gy_placement_each(x->stay->placement, put_part, x);
    }
    return x->failed ? -1 : 0;
}

static int put_sample(void *ctx, const char *const *f, struct gy_error *err)
{
    for (int i = 0; i < 12; i++)
        bind_decimal(ctx, 1 + i, f[i]);
    return insert(ctx, err);
}

static int put_timeline(struct db *x, const struct gy_run *run, struct gy_error *err)
{
    static const char *const columns[] = {"time_s",        "gpus_total",   "gpus_down",      "gpus_allocated",
                                          "gpus_busy",     "jobs_running", "jobs_pending",   "gpus_pending",
                                          "fragmentation", "power_w",      "cost_usd_per_h", "net_max_link_util"};
    char path[4096];

    if (!gy_history_has(run, "timeline.csv"))
        return 0;
    return prepare(x, "INSERT INTO timeline VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", err)
               ? -1
               : gy_rows_read(gy_history_path(run, "timeline.csv", path, sizeof path), columns, 12, put_sample, x, err);
}

static int put_event(void *ctx, const struct gy_json *item, size_t line)
{
    static const char *const keys[] = {"event", "job_id", "node", "reason", "state", "why"};
    struct db *x = ctx;

    (void)line;
    sqlite3_bind_int64(x->insert, 1, ++x->seq);
    bind_number(x, 2, gy_json_number(gy_json_get(item, "time_s")));
    for (int i = 0; i < 6; i++)
        bind_text(x, 3 + i, gy_json_string(gy_json_get(item, keys[i])));
    return insert(x, x->err) ? 1 : 0;
}

static int put_events(struct db *x, const struct gy_run *run, struct gy_error *err)
{
    char path[4096];

    if (!gy_history_has(run, "events.jsonl"))
        return 0;
    if (prepare(x, "INSERT INTO events VALUES (?,?,?,?,?,?,?,?)", err))
        return -1;
    struct gy_input *in = gy_input_open(gy_history_path(run, "events.jsonl", path, sizeof path), err);
    const int rc = in ? gy_json_lines(in, put_event, x, err) : -1;
    gy_input_close(in);
    return rc ? -1 : 0;
}

static int fill(struct db *x, const struct gy_run *run, const struct gy_history *h, struct gy_error *err)
{
    return run_sql(x, schema, err) || run_sql(x, "BEGIN", err) || put_run(x, run, err) || put_metrics(x, run, err) ||
                   put_jobs(x, h, err) || put_stays(x, h, err) || put_timeline(x, run, err) ||
                   put_events(x, run, err) || run_sql(x, closing, err)
               ? -1
               : 0;
}

static int write_sqlite(const struct gy_run *run, const char *path, struct gy_error *err)
{
    struct gy_history h;
    char partial[4096];
    struct db x = {.path = path, .err = err};

    if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial)
        return gy_fail(err, GY_EUSAGE, path, "the path is too long");
    if (gy_history_load(run, &h, err))
        return -1;
    unlink(partial);
    int rc = sqlite3_open_v2(partial, &x.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK
                 ? 0
                 : fail(&x, err);
    rc = rc ? rc : fill(&x, run, &h, err);
    sqlite3_finalize(x.insert);
    if (sqlite3_close(x.db) != SQLITE_OK && rc == 0)
        rc = gy_fail(err, GY_EIO, path, "cannot close the database");
    if (rc == 0 && rename(partial, path) != 0)
        rc = gy_fail(err, GY_EIO, path, "cannot write: %s", strerror(errno));
    if (rc != 0)
        unlink(partial);
    gy_history_free(&h);
    return rc;
}

const struct gy_export_type gy_export_sqlite = {.name = "sqlite",
                                                .summary = "A database of jobs, stays, timeline, events and metrics",
                                                .suffix = ".db",
                                                .to_file = true,
                                                .write = write_sqlite};
