/* Scenarios: a JSON file with overrides becomes one const struct; from it and its inputs comes what the engine needs.
 *
 * Three steps, so that a sweep can share what is common: gy_scenario_load (one per point), gy_inputs_load (trace and
 * cluster; one per different trace), gy_inputs_config (one per run). Not the sweep itself, and no output.
 * Every key is a row of the tables in tables.c; schema, resolved scenario, help and checks come from the same rows. */
#ifndef GY_SCENARIO_H
#define GY_SCENARIO_H
#include "gy_account.h"
#include "gy_arena.h"
#include "gy_bind.h"
#include "gy_engine.h"
#include "gy_error.h"
#include "gy_json.h"
#include "gy_trace.h"

/* An entry of cluster.nodes. */
struct gy_sc_nodes {
    const char *name; /* host list, or a prefix when count is given */
    int64_t count;    /* INT64_MIN: not given, the host list says */
    const char *hardware;
    int64_t gpus;
    const char *gpu_type;
    double gpu_mem_gib, cpus, mem_gib; /* 0: unknown, not modelled */
    const struct gy_json *partition;   /* text (comma list) or array of texts */
    const struct gy_json *labels;      /* object of texts */
    double speed;
    bool absent;
    const char *leaf;
};

struct gy_sc_partition {
    const char *name, *nodes;
};

struct gy_sc_event { /* planned change of capacity */
    gy_time at;
    const char *nodes;     /* host list; NULL: all nodes of the partition */
    const char *partition; /* NULL: any */
    int state;             /* enum gy_node_state */
    int64_t up_nodes;      /* the first so many of them get the state up all the same */
};

struct gy_sc_cluster {
    struct gy_list nodes; /* struct gy_sc_nodes */
    const char *nodes_file, *nodes_format;
    const char *slurm_conf;
    struct gy_texts slurm_conf_ignored; /* its keys without a meaning here */
    struct gy_list partitions;          /* struct gy_sc_partition */
    struct gy_list events;              /* struct gy_sc_event */
    const char *events_file;            /* CSV: at_s,nodes,state */
    const struct gy_json *fabric;
};

struct gy_sc_trace {
    const char *path, *second_path, *format;
    gy_time from, to;
    double limit_factor;
    bool strict, gpu_jobs_only;
    const struct gy_json *columns;
};

struct gy_sc_jobs {
    bool requeue_on_failure, any_split;
    gy_time requeue_delay;
};

struct gy_sc_output {
    bool jobs, events;
    gy_time timeline;
};

struct gy_sc_team {
    const char *name;
    double share;
};

/* Const after loading. */
struct gy_scenario {
    const char *name;
    int64_t seed;
    struct gy_sc_cluster cluster;
    struct gy_sc_trace trace;
    struct gy_sc_jobs jobs;
    int fidelity; /* of the network: 0 none, 1 fluid */
    gy_time stop_at;
    struct gy_sc_output output;
    struct gy_list thresholds; /* struct gy_threshold */
    const struct gy_policy_type *policy;
    const void *policy_params;
    struct gy_sc_team *teams; /* in the order of the file; shares are relative */
    size_t n_teams;

    /* Private: the document with its overrides, the sections as bound, and their memory. */
    struct gy_json_doc *doc;
    const char *path; /* of the scenario file */
    char sha256[65];  /* of the scenario file's bytes */
    void *bound;
    const struct gy_param *scheduler_table; /* "preset" and the policy's own rows, over policy_params */
    struct gy_arena arena;
};

/* What the command line or a study changes, in this order: sets, then the rest. Zero-initialised: nothing. */
struct gy_overrides {
    const char *const *sets; /* "/json/pointer=VALUE" or "dotted.pointer=VALUE" */
    size_t n_sets;
    const char *trace, *format; /* relative to the working directory; NULL: as the scenario says */
    bool has_seed;
    int64_t seed;
};

/* Loads path ("-": standard input). NULL with diags filled: every error of the file, up to 20. gy_scenario_free. */
struct gy_scenario *gy_scenario_load(const char *path, const struct gy_overrides *o, struct gy_diags *diags);
/* The same from a document, which is copied. */
struct gy_scenario *gy_scenario_from(const struct gy_json_doc *doc, const struct gy_overrides *o,
                                     struct gy_diags *diags);
void gy_scenario_free(struct gy_scenario *s);

/* The scenario with every default filled in, as members of the already open object. Loading it again gives the same. */
void gy_scenario_write(const struct gy_scenario *s, struct gy_json_out *o);
/* JSON Schema, draft-07, of what gy_scenario_load takes. */
int gy_scenario_schema(struct gy_writer *to, struct gy_error *err);
/* Every key of every table, as a Markdown table. */
void gy_scenario_keys(struct gy_writer *to);

/* The inputs of a scenario: trace and cluster, const after loading, shared by any number of runs at once. */
struct gy_inputs {
    struct gy_trace *trace;
    struct gy_strings *strings; /* of trace and cluster */
    bool owns_trace;
    struct gy_cluster_spec cluster;
    struct {
        const char *role, *path; /* "trace", "trace 2", "nodes", "events" */
        char sha256[65];
    } files[8]; /* for the manifest */
    size_t n_files;
    struct gy_arena arena;
};
/* trace: NULL loads the scenario's; else it is borrowed and must outlive the inputs (its string table grows here, so
 * not while another thread uses it). 0, or -1 with err. */
int gy_inputs_load(const struct gy_scenario *s, struct gy_trace *trace, struct gy_inputs *out, struct gy_error *err);
void gy_inputs_free(struct gy_inputs *in);
/* Only the cluster, into zeroed inputs. */
int gy_scenario_cluster(const struct gy_scenario *s, struct gy_strings *strings, struct gy_inputs *in,
                        struct gy_error *err);
/* USD a GPU-hour of each node of the inputs' cluster, as the section prices says; *out is NULL when it is empty, else
 * free() it. A GPU type without a price is an error. */
int gy_scenario_prices(const struct gy_scenario *s, const struct gy_inputs *in, double **out, struct gy_error *err);
/* What the GPUs that are there at the start cost an hour; 0 without prices. */
double gy_inputs_usd_per_h(const struct gy_inputs *in, const double *prices);
/* Fills everything but stop_flag and progress. The source is consumed by the run. *network receives the run's network
 * model, NULL without one. Free both by gy_inputs_config_free, also after a failure. */
struct gy_network;
int gy_inputs_config(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_sim_config *out,
                     struct gy_network **network, struct gy_error *err);
void gy_inputs_config_free(struct gy_sim_config *config, struct gy_network *network);
#endif
