/* The command line: one row a verb, one row an option, one file a verb. Everything a verb may print goes through here
 * or through gy_writer; nothing below main exits. */
#ifndef GY_CLI_H
#define GY_CLI_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "gy_error.h"
#include "gy_vec.h"

#define GY_PROGRAM "gpuyard"

struct gy_cli_option {
    const char *name; /* long name without dashes; NULL ends a table */
    int key;          /* an ASCII letter is also the short option; other keys start at 256 */
    const char *arg;  /* what its value is called, or NULL when it takes none */
    const char *help;
};

/* Groups of options that several verbs share. */
enum gy_cli_common {
    GY_CLI_SCENARIO = 1,  /* --set --trace --seed */
    GY_CLI_OUT = 2,       /* --out */
    GY_CLI_JSON = 4,      /* --json */
    GY_CLI_QUIET = 8,     /* --quiet */
    GY_CLI_PROGRESS = 16, /* --progress --timing */
    GY_CLI_FORMAT = 32,   /* --format */
    GY_CLI_PLAIN = 64     /* --plain */
};
enum gy_cli_progress { GY_PROGRESS_AUTO, GY_PROGRESS_ALWAYS, GY_PROGRESS_NEVER };

#define GY_CLI_PARAM 2000 /* key of the option of a parameter table's first row */

struct gy_cli_value {
    int key;
    const char *value;
};

/* A parsed command line. Texts point into argv. */
struct gy_cli {
    const struct gy_verb *verb;
    int argc; /* of the whole process, for the manifest */
    char **argv;
    GY_VEC(const char *) args; /* what is not an option */
    GY_VEC(const char *) sets; /* POINTER=VALUE, in order */
    const char *trace, *format, *out;
    bool has_seed;
    int64_t seed;
    bool json, quiet, timing, plain;
    enum gy_cli_progress progress;
    GY_VEC(struct gy_cli_value) own; /* the verb's own options, in order */
};

struct gy_param;
struct gy_verb {
    const char *name; /* one word or two: "run", "trace info" */
    const char *args; /* "SCENARIO.json", for usage */
    size_t min_args, max_args;
    unsigned common;                     /* bits of enum gy_cli_common */
    const struct gy_cli_option *options; /* its own, NULL: none */
    const struct gy_param *params;       /* each row is an option too, key GY_CLI_PARAM + row; NULL: none */
    const char *summary;                 /* one line for `gpuyard help` */
    const char *doc;                     /* more, for `gpuyard help VERB`; NULL: nothing more */
    int (*run)(struct gy_cli *cli);      /* the exit status; errors are already printed */
};
extern const struct gy_verb gy_verbs[]; /* NULL name at the end; verbs.c */

/* The verb that argv[1] (and argv[2]) name; *words is how many they are. NULL with err when unknown. */
const struct gy_verb *gy_cli_find(int argc, char **argv, int *words, struct gy_error *err);
/* Parses what follows the verb. 1: --help was printed; 0: parsed; -1: err. */
int gy_cli_parse(struct gy_cli *cli, int argc, char **argv, struct gy_error *err);
void gy_cli_free(struct gy_cli *cli);
/* The last value of one of the verb's own options; "" for one without a value; NULL when not given. */
const char *gy_cli_get(const struct gy_cli *cli, int key);
void gy_cli_help(FILE *to);                                  /* all verbs */
void gy_cli_help_verb(FILE *to, const struct gy_verb *verb); /* one verb */

struct gy_overrides;
struct gy_overrides gy_cli_overrides(const struct gy_cli *cli); /* texts stay the command line's */

/* Prints the error, as "gpuyard: place: what; hint", and returns its exit status. */
int gy_cli_fail(const struct gy_error *err);
int gy_cli_fail_all(const struct gy_diags *diags);

/* Progress on stderr: a bar with ETA on a terminal, or plain lines with --progress always. */
struct gy_progress {
    bool on, bar;
    uint64_t total;
    double began, shown; /* monotonic seconds */
};
void gy_progress_begin(struct gy_progress *p, const struct gy_cli *cli, uint64_t total);
void gy_progress_tick(void *self, int64_t now_ns, uint64_t arrived, uint64_t ended);
void gy_progress_end(struct gy_progress *p);
double gy_cli_seconds(void); /* monotonic wall clock; never in a result */

/* SIGINT and SIGTERM set the flag; a second one ends the process as usual. */
volatile int *gy_cli_catch_signals(void);
int gy_cli_signal(void); /* the one that came, or 0 */

int gy_verb_run(struct gy_cli *cli);
int gy_verb_report(struct gy_cli *cli);
int gy_verb_export(struct gy_cli *cli);
int gy_verb_explain(struct gy_cli *cli);
int gy_verb_init(struct gy_cli *cli);
int gy_verb_validate(struct gy_cli *cli);
int gy_verb_schema(struct gy_cli *cli);
int gy_verb_policies_list(struct gy_cli *cli);
int gy_verb_policies_show(struct gy_cli *cli);
int gy_verb_trace_info(struct gy_cli *cli);
int gy_verb_trace_convert(struct gy_cli *cli);
int gy_verb_trace_formats(struct gy_cli *cli);
int gy_verb_trace_generate(struct gy_cli *cli);
int gy_verb_predict_flows(struct gy_cli *cli);
int gy_verb_sweep(struct gy_cli *cli);
int gy_verb_plan(struct gy_cli *cli);
int gy_verb_compare(struct gy_cli *cli);
int gy_verb_check(struct gy_cli *cli);
int gy_verb_predict_collective(struct gy_cli *cli);
int gy_verb_calibrate_import(struct gy_cli *cli);
int gy_verb_calibrate_fit(struct gy_cli *cli);
int gy_verb_calibrate_validate(struct gy_cli *cli);
int gy_verb_models_list(struct gy_cli *cli);
int gy_verb_models_show(struct gy_cli *cli);
extern const struct gy_cli_option gy_predict_collective_options[], gy_calibrate_import_options[];
extern const struct gy_cli_option gy_calibrate_fit_options[], gy_calibrate_validate_options[];
int gy_verb_version(struct gy_cli *cli);
extern const struct gy_cli_option gy_explain_options[], gy_export_options[], gy_init_options[];
extern const struct gy_cli_option gy_run_options[];
extern const struct gy_cli_option gy_schema_options[];
extern const struct gy_cli_option gy_trace_file_options[];
extern const struct gy_cli_option gy_predict_flows_options[];
extern const struct gy_cli_option gy_sweep_options[];
extern const struct gy_cli_option gy_plan_options[];
extern const struct gy_cli_option gy_compare_options[];
extern const struct gy_cli_option gy_check_options[];
#endif
