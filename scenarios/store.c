/* The store over SQLite. Knows nothing of studies or threads: its user serialises calls. */
#include "gy_store.h"
#include <glob.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT         1
#define APPLICATION_ID 0x47594c31 /* "GYL1" */

struct gy_store {
    sqlite3 *db;
    char path[512];
};

static int broken(const struct gy_store *s, struct gy_error *err, const char *doing)
{
    const int code = sqlite3_extended_errcode(s->db) & 0xff;
    const bool input = code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
    gy_fail(err,
            code == SQLITE_NOMEM ? GY_ENOMEM
            : input              ? GY_EINPUT
                                 : GY_EIO,
            s->path, "%s: %s", doing, sqlite3_errmsg(s->db));
    if (code == SQLITE_FULL)
        return gy_hint(err, "the disk is full; what was stored before is intact");
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
        return gy_hint(err, "the folder must be writable");
    return -1;
}

static int run(struct gy_store *s, const char *sql, struct gy_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : broken(s, err, "cannot write the store");
}

static int one_integer(struct gy_store *s, const char *sql)
{
    sqlite3_stmt *q;
    int value = -1;
    if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW)
        value = sqlite3_column_int(q, 0);
    sqlite3_finalize(q);
    return value;
}

static int make_tables(struct gy_store *s, struct gy_error *err)
{
    char sql[256];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID, FORMAT);
    if (run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", err) || run(s, sql, err))
        return -1;
    return run(
        s,
        "BEGIN IMMEDIATE;"
        "CREATE TABLE IF NOT EXISTS point (id TEXT PRIMARY KEY, setting TEXT NOT NULL, seed INTEGER NOT NULL);"
        "CREATE TABLE IF NOT EXISTS metric (point TEXT NOT NULL REFERENCES point (id), position INTEGER NOT NULL,"
        " name TEXT NOT NULL, value REAL, word TEXT, PRIMARY KEY (point, position)) WITHOUT ROWID;"
        "CREATE INDEX IF NOT EXISTS metric_by_name ON metric (name, point);"
        "CREATE VIEW IF NOT EXISTS result AS SELECT p.id, p.setting, p.seed, m.name, m.value, m.word"
        " FROM point p JOIN metric m ON m.point = p.id;"
        "COMMIT;",
        err);
}

struct gy_store *gy_store_open(const char *path, struct gy_error *err)
{
    struct gy_store *s = calloc(1, sizeof *s);
    if (!s) {
        gy_nomem(err);
        return NULL;
    }
    snprintf(s->path, sizeof s->path, "%s", path);
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK) {
        broken(s, err, "cannot open the store");
    } else {
        sqlite3_busy_timeout(s->db, 60000);
        const int tables = one_integer(s, "SELECT count(*) FROM sqlite_schema");
        if (tables < 0)
            broken(s, err, "cannot read the store");
        else if (tables > 0 && one_integer(s, "PRAGMA application_id") != APPLICATION_ID)
            gy_fail(err, GY_EINPUT, path, "this SQLite file is not a store of sweep results");
        else if (tables > 0 && one_integer(s, "PRAGMA user_version") != FORMAT)
            gy_fail(err, GY_EINPUT, path, "the store has another format than this version writes");
        else if (make_tables(s, err) == 0)
            return s;
    }
    sqlite3_close(s->db);
    free(s);
    return NULL;
}

int gy_store_close(struct gy_store *s, struct gy_error *err)
{
    if (!s)
        return 0;
    sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    const int rc = sqlite3_close(s->db) == SQLITE_OK ? 0 : broken(s, err, "cannot close the store");
    free(s);
    return rc;
}

bool gy_store_has(struct gy_store *s, const char *id)
{
    sqlite3_stmt *q;
    bool found = false;
    if (sqlite3_prepare_v2(s->db, "SELECT 1 FROM point WHERE id = ?", -1, &q, NULL) == SQLITE_OK) {
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        found = sqlite3_step(q) == SQLITE_ROW;
    }
    sqlite3_finalize(q);
    return found;
}

static int put_point(struct gy_store *s, const char *id, const char *setting, long long seed, bool *is_new)
{
    sqlite3_stmt *q;
    int rc = sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO point VALUES (?, ?, ?)", -1, &q, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 2, setting, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 3, seed);
        rc = sqlite3_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        *is_new = sqlite3_changes(s->db) > 0;
    }
    sqlite3_finalize(q);
    return rc;
}

static int put_metrics(struct gy_store *s, const char *id, const struct gy_metric *m, size_t n)
{
    sqlite3_stmt *q;
    int rc = sqlite3_prepare_v2(s->db, "INSERT INTO metric VALUES (?, ?, ?, ?, ?)", -1, &q, NULL);
    for (size_t i = 0; i < n && rc == SQLITE_OK; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s%s%s", m[i].name, m[i].key ? "." : "", m[i].key ? m[i].key : "");
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        sqlite3_bind_int64(q, 2, (sqlite3_int64)i);
        sqlite3_bind_text(q, 3, name, -1, SQLITE_TRANSIENT);
        if (isnan(m[i].value))
            sqlite3_bind_null(q, 4);
        else
            sqlite3_bind_double(q, 4, m[i].value);
        sqlite3_bind_text(q, 5, m[i].word, -1, SQLITE_STATIC);
        rc = sqlite3_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
        sqlite3_reset(q);
    }
    sqlite3_finalize(q);
    return rc;
}

int gy_store_put(struct gy_store *s, const char *id, const char *setting_json, long long seed,
                 const struct gy_metric *metrics, size_t n, struct gy_error *err)
{
    bool is_new = false;
    if (run(s, "BEGIN IMMEDIATE", err))
        return -1;
    int rc = put_point(s, id, setting_json, seed, &is_new);
    if (rc == SQLITE_OK && is_new)
        rc = put_metrics(s, id, metrics, n);
    if (rc == SQLITE_OK && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    broken(s, err, "cannot store a result");
    sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}

int gy_store_get(struct gy_store *s, const char *id,
                 int (*fn)(void *ctx, const char *name, double value, const char *word), void *ctx,
                 struct gy_error *err)
{
    sqlite3_stmt *q;
    int rc = sqlite3_prepare_v2(s->db, "SELECT name, value, word FROM metric WHERE point = ? ORDER BY position", -1, &q,
                                NULL);
    int step = SQLITE_DONE, rows = 0, told = 0;
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(q, 1, id, -1, SQLITE_STATIC);
        while (told == 0 && (step = sqlite3_step(q)) == SQLITE_ROW) {
            rows++;
            const double value = sqlite3_column_type(q, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(q, 1);
            told = fn(ctx, (const char *)sqlite3_column_text(q, 0), value, (const char *)sqlite3_column_text(q, 2));
        }
    }
    if (told == 0 && (rc != SQLITE_OK || step != SQLITE_DONE)) {
        broken(s, err, "cannot read a result");
        rows = 0;
    } else if (rows == 0) {
        gy_fail(err, GY_EINTERNAL, s->path, "the store does not hold point %s", id);
    }
    sqlite3_finalize(q);
    return rows > 0 && told == 0 ? 0 : -1;
}

static int gather_one(struct gy_store *s, const char *path, struct gy_error *err)
{
    struct gy_store *shard = gy_store_open(path, err); /* checks that it is a store; ends its log */
    if (!shard || gy_store_close(shard, err))
        return -1;
    sqlite3_stmt *q;
    int rc = sqlite3_prepare_v2(s->db, "ATTACH DATABASE ? AS shard", -1, &q, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(q, 1, path, -1, SQLITE_STATIC);
        rc = sqlite3_step(q) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
    }
    sqlite3_finalize(q);
    if (rc != SQLITE_OK)
        return broken(s, err, "cannot read a shard's store");
    const int copied = run(s,
                           "BEGIN IMMEDIATE;"
                           "INSERT OR IGNORE INTO main.metric SELECT m.* FROM shard.metric m"
                           " WHERE m.point NOT IN (SELECT id FROM main.point);"
                           "INSERT OR IGNORE INTO main.point SELECT * FROM shard.point;"
                           "COMMIT;",
                           err);
    if (copied)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_exec(s->db, "DETACH DATABASE shard", NULL, NULL, NULL);
    return copied;
}

int gy_store_gather(struct gy_store *s, const char *folder, struct gy_error *err)
{
    char pattern[600];
    glob_t found;
    int rc = 0;
    snprintf(pattern, sizeof pattern, "%s/shard-*.sqlite", folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
        rc = gather_one(s, found.gl_pathv[i], err);
    globfree(&found);
    return rc;
}
