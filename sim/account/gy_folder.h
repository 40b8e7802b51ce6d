/* The run folder: manifest.json, summary.json and, as asked for, jobs.csv, timeline.csv, events.jsonl and links.csv.
 *
 * Files are written beside their final names as *.partial and take them on commit, the manifest last, so a folder with
 * a manifest is whole. A folder that exists and is neither empty nor a run folder is refused; an older run in it is
 * replaced. After an error nothing of the new run is left and an older run still stands, unless renaming itself failed.
 */
#ifndef GY_FOLDER_H
#define GY_FOLDER_H
#include "gy_account.h"

struct gy_json_out;
struct gy_writer;

struct gy_folder_options {
    const char *dir;             /* made if missing, with its parents */
    bool links;                  /* of a network model */
    bool jobs, timeline, events; /* timeline needs sample events, events' holds and reservations report_holds */
};

/* What the account cannot know about a run. Everything is borrowed. */
struct gy_run_input {
    const char *role, *path, *sha256; /* "scenario", "trace", "nodes" …; the path as it was given */
};
struct gy_run_skip {
    const char *why, *first; /* first: place of the first, or NULL */
    uint64_t count;
};
struct gy_run_facts {
    const char *name;           /* of the scenario */
    const char *policy;         /* for people: "fifo, easy backfill, pack" */
    const char *cluster;        /* for people: "133 nodes, 1,064 GPUs" */
    const char *trace;          /* for people: name and format */
    const char *const *command; /* arguments that have an effect on results (without --out, --progress …) */
    size_t n_command;
    uint64_t seed;
    const struct gy_run_input *inputs;
    size_t n_inputs;
    const char *trace_format, *trace_origin; /* NULL: no trace */
    uint64_t rows_read, rows_kept;
    const struct gy_run_skip *skips, *notes; /* rows not kept and why; rows changed and how */
    size_t n_skips, n_notes;
    const char *const *not_modelled; /* what the run leaves out: "network", "failures" … */
    size_t n_not_modelled;
    /* Writes the resolved scenario as one value under the key; NULL: none. */
    void (*write_scenario)(void *ctx, struct gy_json_out *o, const char *key);
    void (*write_links)(void *ctx, struct gy_writer *to); /* links.csv, where the folder was opened with links */
    void *ctx;
};

struct gy_folder;
/* Opens the files and listens to the account; the account's observer then feeds it. NULL with err. */
struct gy_folder *gy_folder_open(const struct gy_folder_options *o, struct gy_account *a, struct gy_error *err);
/* After gy_account_finish. Frees the folder, whatever comes of it. verdicts may be NULL. */
int gy_folder_commit(struct gy_folder *f, const struct gy_run_facts *facts, const struct gy_verdict *verdicts,
                     size_t n_verdicts, struct gy_error *err);
/* Instead of commit: removes what was begun. NULL is fine. The account must get no more events. */
void gy_folder_abandon(struct gy_folder *f);
/* manifest.json's text. */
void gy_run_write_manifest(const struct gy_account *a, const struct gy_run_facts *facts, struct gy_writer *to);
#endif
