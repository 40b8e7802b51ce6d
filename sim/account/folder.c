/* The run folder: which files, where they go, and that nothing half-written stays. Their rows are the sinks'. */
#include "gy_folder.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gy_file.h"
#include "sinks.h"

enum { SUMMARY, JOBS, TIMELINE, EVENTS, LINKS, MANIFEST, FILES }; /* in the order of their renaming */
static const char *const file_names[FILES] = {"summary.json", "jobs.csv",  "timeline.csv",
                                              "events.jsonl", "links.csv", "manifest.json"};

struct gy_folder {
    struct gy_account *account;
    char *dir;
    size_t made_from; /* bytes of dir that were there before; SIZE_MAX: all of it */
    struct gy_sink sink[FILES];
    bool committed[FILES];
};

static char *join(const char *dir, const char *name, const char *end)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s%s", dir, name, end) < 0 ? NULL : path;
}

/* Whether the manifest at the path is ours: its first key says so. An empty one is a run that was broken off. */
static bool our_manifest(const char *dir, const char *end)
{
    char *path = join(dir, file_names[MANIFEST], end), start[64] = "";
    FILE *in = path ? fopen(path, "rb") : NULL;
    size_t n = in ? fread(start, 1, sizeof start - 1, in) : 0;
    const bool there = in != NULL;

    if (in)
        fclose(in);
    free(path);
    start[n] = '\0';
    return there && (strstr(start, "\"gpuyard\"") || (n == 0 && *end));
}

static bool our_name(const char *name)
{
    for (int i = 0; i < FILES; i++) {
        const size_t n = strlen(file_names[i]);
        if (strncmp(name, file_names[i], n) == 0 && (name[n] == '\0' || strcmp(name + n, ".partial") == 0))
            return true;
    }
    return false;
}

/* An existing folder may be used when it is empty, holds a run, or only what a broken-off run left. */
static int check_existing(const char *dir, struct gy_error *err)
{
    DIR *d = opendir(dir);
    bool empty = true, ours = true;

    if (!d)
        return gy_fail(err, errno == ENOTDIR ? GY_EUSAGE : GY_EIO, dir, "cannot use it as a run folder: %s",
                       strerror(errno));
    for (const struct dirent *e; (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        empty = false;
        ours = ours && our_name(e->d_name);
    }
    closedir(d);
    if (empty || our_manifest(dir, "") || (ours && our_manifest(dir, ".partial")))
        return 0;
    gy_fail(err, GY_EUSAGE, dir, "the folder holds files and is not a run folder, so nothing is written into it");
    return gy_hint(err, "name a new folder, or an older run's");
}

/* Makes dir with its parents; *made_from: how much of it was there. */
static int make_folder(char *dir, size_t *made_from, struct gy_error *err)
{
    struct stat st;

    *made_from = SIZE_MAX;
    if (stat(dir, &st) == 0)
        return check_existing(dir, err);
    for (size_t i = 1;; i++) {
        if (dir[i] != '/' && dir[i] != '\0')
            continue;
        const char end = dir[i];
        dir[i] = '\0';
        const int rc = mkdir(dir, 0777), number = errno;
        dir[i] = end;
        if (rc == 0 && *made_from == SIZE_MAX)
            *made_from = i;
        if (rc != 0 && number != EEXIST)
            return gy_fail(err, GY_EIO, dir, "cannot make the run folder: %s", strerror(number));
        if (end == '\0')
            return 0;
    }
}

/* Removes the folders that were made, if empty. */
static void unmake_folder(char *dir, size_t made_from)
{
    for (size_t i = strlen(dir); made_from != SIZE_MAX && i >= made_from; i--)
        if (dir[i] == '/' || dir[i] == '\0') {
            dir[i] = '\0';
            if (rmdir(dir) != 0 && errno != ENOENT)
                return;
        }
}

static int open_file(struct gy_folder *f, int i, struct gy_error *err)
{
    char *path = join(f->dir, file_names[i], "");

    if (!path)
        return gy_nomem(err);
    f->sink[i].to = gy_writer_open(path, err);
    free(path);
    return f->sink[i].to ? 0 : -1;
}

struct gy_folder *gy_folder_open(const struct gy_folder_options *o, struct gy_account *a, struct gy_error *err)
{
    const bool want[FILES] = {true, o->jobs, o->timeline, o->events, o->links, true};
    struct gy_folder *f = calloc(1, sizeof *f);

    if (!f || !(f->dir = strdup(*o->dir ? o->dir : "."))) {
        free(f);
        gy_nomem(err);
        return NULL;
    }
    for (size_t n = strlen(f->dir); n > 1 && f->dir[n - 1] == '/'; n--)
        f->dir[n - 1] = '\0';
    f->account = a;
    f->made_from = SIZE_MAX;
    int rc = make_folder(f->dir, &f->made_from, err);
    for (int i = 0; i < FILES && rc == 0; i++)
        rc = want[i] ? open_file(f, i, err) : 0;
    if (rc == 0 && o->jobs) {
        gy_jobs_csv_head(f->sink[JOBS].to);
        rc = gy_account_listen(a, (struct gy_listener){&f->sink[JOBS], NULL, gy_jobs_csv_leave}, err);
    }
    if (rc == 0 && o->timeline) {
        gy_timeline_head(f->sink[TIMELINE].to);
        rc = gy_account_listen(a, (struct gy_listener){&f->sink[TIMELINE], gy_timeline_event, NULL}, err);
    }
    if (rc == 0 && o->events)
        rc = gy_account_listen(a, (struct gy_listener){&f->sink[EVENTS], gy_events_event, NULL}, err);
    if (rc == 0)
        return f;
    gy_folder_abandon(f);
    return NULL;
}

static void free_folder(struct gy_folder *f)
{
    for (int i = 0; i < FILES; i++)
        gy_vec_free(&f->sink[i].text);
    free(f->dir);
    free(f);
}

void gy_folder_abandon(struct gy_folder *f)
{
    if (!f)
        return;
    for (int i = 0; i < FILES; i++)
        if (f->sink[i].to)
            gy_writer_abandon(f->sink[i].to);
    unmake_folder(f->dir, f->made_from);
    free_folder(f);
}

static void remove_file(const struct gy_folder *f, int i)
{
    char *path = join(f->dir, file_names[i], "");
    if (path)
        unlink(path);
    free(path);
}

/* The older run's manifest goes first and the new one comes last. */
static int put_in_place(struct gy_folder *f, struct gy_error *err)
{
    remove_file(f, MANIFEST);
    for (int i = 0; i < FILES; i++) {
        if (!f->sink[i].to) {
            remove_file(f, i); /* of an older run */
            continue;
        }
        struct gy_writer *w = f->sink[i].to;
        f->sink[i].to = NULL;
        if (gy_writer_commit(w, err))
            return -1;
        f->committed[i] = true;
    }
    return 0;
}

int gy_folder_commit(struct gy_folder *f, const struct gy_run_facts *facts, const struct gy_verdict *verdicts,
                     size_t n_verdicts, struct gy_error *err)
{
    gy_account_write_summary(f->account, verdicts, n_verdicts, f->sink[SUMMARY].to);
    if (f->sink[LINKS].to && facts->write_links)
        facts->write_links(facts->ctx, f->sink[LINKS].to);
    gy_run_write_manifest(f->account, facts, f->sink[MANIFEST].to);
    for (int i = 0; i < FILES; i++) {
        const struct gy_error *failed = f->sink[i].to ? gy_writer_error(f->sink[i].to) : NULL;
        if (failed) { /* before anything old is touched */
            *err = *failed;
            gy_folder_abandon(f);
            return -1;
        }
    }
    if (put_in_place(f, err)) {
        for (int i = 0; i < FILES; i++)
            if (f->committed[i])
                remove_file(f, i);
        gy_folder_abandon(f);
        return -1;
    }
    free_folder(f);
    return 0;
}
