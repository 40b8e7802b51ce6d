/* Traces: readers turn rows of many formats into job records; the loader makes of them one table, sorted by submit
 * time, const afterwards and shared between simulations. A format is one file (read_*.c) and one line in registry.c;
 * what each column becomes is in traces/README.md.
 *
 * Times. Formats with calendar or epoch times are moved so that the earliest submit of the file is zero, and `origin`
 * says what zero was; formats with relative seconds are kept as they are. Naive local times stay naive (a day is always
 * 24 hours); a zone suffix is honoured. */
#ifndef GY_TRACE_H
#define GY_TRACE_H
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_job.h"
#include "gy_json.h"
#include "gy_source.h"

#define GY_TRACE_GPUS_MAX  1000000u /* a row that asks for more is a bad row */
#define GY_TRACE_ROWS_MAX  4000000000u
#define GY_TRACE_EXTRA_MAX 64 /* columns that are carried through */

/* Why rows were not kept; shown by `run` and `trace info` with a count and the first place of each. */
struct gy_trace_skip {
    const char *why; /* lives as long as the trace: "gpus: negative" */
    uint64_t count;
    char first[160]; /* "file:line: what was found" of the first */
};
struct gy_trace_skips { /* in the order in which they were first met */
    struct gy_trace_skip *at;
    size_t n, cap;
};

struct gy_trace_options {
    const char *format;            /* NULL: sniffed */
    const char *path;              /* first file; "-" is stdin */
    const char *second_path;       /* of two tables (PAI 2020: tasks); NULL: found beside "…job_table…" */
    const struct gy_json *columns; /* map for "csv": {"submit_s": "SubmitTime", …}; NULL otherwise */
    bool strict;                   /* the first bad row is an error */
    double limit_factor;           /* > 0: limit = duration × factor where the trace gives no limit */
    gy_time from, to;              /* keep jobs submitted in [from, to), in trace time; GY_NONE: open */
    bool gpu_jobs_only;            /* drop jobs that ask for no GPU (counted as skipped) */
};
/* Nothing chosen: not the same as a zeroed struct, since from and to are GY_NONE. */
#define GY_TRACE_OPTIONS_INIT                                                                                          \
    {                                                                                                                  \
        .from = GY_NONE, .to = GY_NONE                                                                                 \
    }

/* The loaded table. */
struct gy_trace {
    struct gy_strings *strings;     /* owned unless given to gy_trace_load */
    GY_VEC(struct gy_job_rec) jobs; /* sorted by (submit, order in the file) */
    GY_VEC(struct gy_dep) deps;
    GY_VEC(const char *) extra_names; /* columns of a gpuyard CSV that are not ours: kept, used for nothing */
    GY_VEC(gy_str) extra;             /* extra_names.n a job, in the order of jobs */
    const char *format;               /* name of the reader used */
    char origin[40]; /* calendar time of the trace's zero as the trace writes it (naive or with zone), or "" */
    uint64_t rows_read, rows_kept; /* rows_read = rows_kept + Σ skips.count */
    struct gy_trace_skips skips;
    struct gy_trace_skips notes; /* things changed though kept: "limit_s: not above 0, taken as none" … */
    bool was_unsorted;
    bool owns_strings;
    char sha256[65], second_sha256[65]; /* of the bytes on disk; "" when there was no such file */
    struct gy_arena texts;              /* the why texts */
};

/* strings: NULL makes a table of its own. 0, or -1 with err (file:line where it applies). A trace without one usable
 * row is an error. O(n log n) when unsorted, O(n) otherwise; memory about 250 bytes a job. */
int gy_trace_load(const struct gy_trace_options *o, struct gy_strings *strings, struct gy_trace **out,
                  struct gy_error *err);
/* The same from inputs already open (second may be NULL); closes neither. */
struct gy_input;
int gy_trace_load_input(const struct gy_trace_options *o, struct gy_input *in, struct gy_input *second,
                        struct gy_strings *strings, struct gy_trace **out, struct gy_error *err);
void gy_trace_free(struct gy_trace *t);
/* A source over the table; many may read one trace at once. Free its self with free(). */
int gy_trace_source(const struct gy_trace *t, struct gy_source *out, struct gy_error *err);
/* Writes the table as gpuyard CSV: the contract's columns, those that no job uses left out, and
 * the columns that were carried through. Reading it back gives equal
 * records. */
struct gy_writer;
void gy_trace_write_csv(const struct gy_trace *t, struct gy_writer *w);

/* A reader. open/next/close see one file as a stream of rows. next returns 1 with *rec filled, 0 at the end, -1 on an
 * error that ends the reading (I/O, broken container), or GY_ROW_SKIPPED after a bad row that it reported by
 * gy_row_skip (reader.h): a bad row costs only itself. */
#define GY_ROW_SKIPPED 2
struct gy_reader; /* context given to readers: input, strings, skip and note counters; see reader.h */
struct gy_reader_type {
    const char *name; /* as --format takes it */
    const char *summary;
    /* How sure the first bytes (at most 4096, maybe a cut-off last line) make it: 0 not this, 100 certain. */
    int (*sniff)(const char *bytes, size_t n, const char *file_name);
    int (*open)(struct gy_reader *r, struct gy_error *err);
    int (*next)(struct gy_reader *r, struct gy_job_rec *rec, struct gy_error *err);
    void (*close)(struct gy_reader *r);
};
extern const struct gy_reader_type *const gy_readers[]; /* NULL-ended, in the order of sniffing */

/* Node lists of traces (openb, PAI machine_spec, Philly machine lists, Tiresias cluster_spec) and of Kubernetes,
 * appended to spec as cluster nodes, in the file's order; machines without GPUs are kept. spec->strings must be set.
 * format ("openb", "pai", "philly", "tiresias", "k8s") NULL: sniffed. sha256 may be NULL. 0, or -1 with err: a bad row
 * is an error here, since a cluster with a node missing is another cluster. */
int gy_nodes_load(const char *path, const char *format, struct gy_cluster_spec *spec, char sha256[65],
                  struct gy_error *err);
int gy_nodes_load_input(struct gy_input *in, const char *format, struct gy_cluster_spec *spec, struct gy_error *err);
#endif
