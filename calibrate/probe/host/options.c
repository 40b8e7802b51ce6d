/* The command line: one table gives parsing, help and the nearest name of a misspelt option. */
#include "gy_probe.h"
#include "gy_units.h"
#include <string.h>

struct option_row {
    const char *name, *value, *help;
    int id;
};
enum {
    QUICK,
    FULL,
    DRY,
    OUT,
    ONLY,
    LIST,
    ASSUME_GPUS,
    ASSUME_NODES,
    BUDGET,
    TIMEOUT,
    MAX_BYTES,
    FORCE,
    HARDWARE,
    FABRIC,
    SYSTEM,
    PROGRESS,
    VERBOSE,
    QUIET,
    LIBRARIES,
    HELP,
    VERSION
};
static const struct option_row table[] = {
    {"quick", NULL, "the main points in under two minutes (default)", QUICK},
    {"full", NULL, "every size, shape, precision and group of GPUs", FULL},
    {"only", "NAME", "this family only; repeatable, see --list", ONLY},
    {"list", NULL, "the families of measurements", LIST},
    {"dry-run", NULL, "print the plan and measure nothing", DRY},
    {"assume-gpus", "N", "with --dry-run: the plan of N GPUs a node (no GPU is needed)", ASSUME_GPUS},
    {"assume-nodes", "N", "with --dry-run: the plan of N nodes", ASSUME_NODES},
    {"verbose", NULL, "with --dry-run: every point", VERBOSE},
    {"out", "FILE", "the measurement file; .gz compresses; - is stdout (default)", OUT},
    {"hardware", "NAME", "name of the node type in the file (default: from the device)", HARDWARE},
    {"fabric", "NAME", "name of the fabric between nodes in the file", FABRIC},
    {"system", "NAME", "name of this machine in the file: fits leave systems out by it", SYSTEM},
    {"max-bytes", "SIZE", "largest message or array, as 1GiB (default 1GiB quick, 8GiB full)", MAX_BYTES},
    {"budget", "TIME", "stop planning new points after this long (default 100s quick, none full)", BUDGET},
    {"timeout", "TIME", "longest wait for one operation (default 60s)", TIMEOUT},
    {"force", NULL, "measure although others use a GPU, or processes share a node", FORCE},
    {"progress", "WHEN", "auto, always or never", PROGRESS},
    {"quiet", NULL, "no progress and no summary", QUIET},
    {"libraries", NULL, "which CUDA, cuBLASLt, NCCL and NVML are found", LIBRARIES},
    {"help", NULL, "this text", HELP},
    {"version", NULL, "the version", VERSION},
};
enum { OPTIONS = sizeof table / sizeof *table };

void gy_probe_options_help(FILE *to)
{
    fputs("Usage: gpuyard-probe [OPTION]...\n"
          "Measures the kernels, copies and NCCL collectives of this machine's NVIDIA GPUs and writes a measurement "
          "file\n"
          "for `gpuyard calibrate import`. Several nodes: start one process a node with mpirun.\n\n",
          to);
    for (int i = 0; i < OPTIONS; i++) {
        char left[48];
        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(to, "  %-20s %s\n", left, table[i].help);
    }
    fputs("\nExit status: 0 done; 2 wrong command line; 3 no GPU, old driver, no NCCL, busy GPU, wrong result, lost "
          "rank,\n"
          "cannot write; 130 interrupted (the file then says that it is not complete).\n",
          to);
}

static int unknown(const char *arg, size_t len, struct gy_error *err)
{
    const char *names[OPTIONS];
    char name[64];
    for (int i = 0; i < OPTIONS; i++) {
        names[i] = table[i].name;
    }
    snprintf(name, sizeof name, "%.*s", (int)(len < 63 ? len : 63), arg);
    const char *nearest = gy_nearest(name, names, OPTIONS);
    gy_fail(err, GY_EUSAGE, NULL, "unknown option --%s", name);
    return nearest ? gy_hint(err, "did you mean --%s?", nearest) : gy_hint(err, "see --help");
}

static const struct option_row *find(const char *name, size_t len)
{
    for (int i = 0; i < OPTIONS; i++) {
        if (strlen(table[i].name) == len && memcmp(table[i].name, name, len) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

static int whole(const char *option, const char *text, int *out, struct gy_error *err)
{
    char *end;
    long v = strtol(text, &end, 10);
    if (end == text || *end || v < 1 || v > 4096) {
        return gy_fail(err, GY_EUSAGE, NULL, "--%s: found \"%s\", expected a whole number 1…4096", option, text);
    }
    *out = (int)v;
    return 0;
}

static int quantity(const char *option, const char *text, enum gy_unit unit, double *out, struct gy_error *err)
{
    char why[256];
    if (!gy_units_parse(text, unit, out, why)) {
        return gy_fail(err, GY_EUSAGE, NULL, "--%s: \"%s\": %s", option, text, why);
    }
    if (!(*out > 0)) {
        return gy_fail(err, GY_EUSAGE, NULL, "--%s: found \"%s\", expected more than zero", option, text);
    }
    return 0;
}

static int progress(const char *text, enum gy_probe_progress *out, struct gy_error *err)
{
    static const char *const words[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = (enum gy_probe_progress)i;
            return 0;
        }
    }
    return gy_fail(err, GY_EUSAGE, NULL, "--progress: found \"%s\", expected auto, always or never", text);
}

static int take_value(const struct option_row *row, const char *v, struct gy_probe_options *o, struct gy_error *err)
{
    switch (row->id) {
    case OUT:
        o->out = v;
        return 0;
    case ONLY:
        if (o->only_count == GY_PROBE_ONLY_MAX) {
            return gy_fail(err, GY_EUSAGE, NULL, "--only more than %d times", GY_PROBE_ONLY_MAX);
        }
        o->only[o->only_count++] = v;
        return 0;
    case ASSUME_GPUS:
        return whole(row->name, v, &o->assume_gpus, err);
    case ASSUME_NODES:
        return whole(row->name, v, &o->assume_nodes, err);
    case BUDGET:
        return quantity(row->name, v, GY_U_TIME, &o->budget_s, err);
    case TIMEOUT:
        return quantity(row->name, v, GY_U_TIME, &o->timeout_s, err);
    case MAX_BYTES:
        return quantity(row->name, v, GY_U_BYTES, &o->max_bytes, err);
    case HARDWARE:
        o->hardware = v;
        return 0;
    case FABRIC:
        o->fabric = v;
        return 0;
    case SYSTEM:
        o->system = v;
        return 0;
    default:
        return progress(v, &o->progress, err);
    }
}

static void take_flag(int id, struct gy_probe_options *o)
{
    switch (id) {
    case QUICK:
    case FULL:
        o->full = id == FULL;
        break;
    case DRY:
        o->verb = GY_PROBE_PLAN;
        break;
    case LIST:
        o->verb = GY_PROBE_LIST;
        break;
    case LIBRARIES:
        o->verb = GY_PROBE_LIBRARIES;
        break;
    case HELP:
        o->verb = GY_PROBE_HELP;
        break;
    case VERSION:
        o->verb = GY_PROBE_VERSION;
        break;
    case FORCE:
        o->force = true;
        break;
    case VERBOSE:
        o->verbose = true;
        break;
    default:
        o->quiet = true;
        break;
    }
}

/* Defaults that depend on the mode, and combinations that make no sense. */
static int settle(struct gy_probe_options *o, struct gy_error *err)
{
    if ((o->assume_gpus || o->assume_nodes) && o->verb == GY_PROBE_MEASURE) {
        gy_fail(err, GY_EUSAGE, NULL, "--assume-gpus and --assume-nodes go with --dry-run only");
        return gy_hint(err, "nothing can be measured on GPUs that are not there");
    }
    if (o->budget_s <= 0) {
        o->budget_s = o->full ? 0 : 100;
    }
    if (o->max_bytes <= 0) {
        o->max_bytes = o->full ? 8.0 * (1u << 30) : (double)(1u << 30);
    }
    if (o->max_bytes < 1024 || o->max_bytes > 0x1p40) {
        return gy_fail(err, GY_EUSAGE, NULL, "--max-bytes: expected 1KiB…1TiB");
    }
    return 0;
}

int gy_probe_options_parse(int argc, char **argv, struct gy_probe_options *o, struct gy_error *err)
{
    *o = (struct gy_probe_options){.out = "-", .timeout_s = 60};
    for (int i = 1; i < argc; i++) {
        const char *arg = strcmp(argv[i], "-h") == 0 ? "--help" : argv[i];
        if (strncmp(arg, "--", 2) != 0 || arg[2] == '\0') {
            gy_fail(err, GY_EUSAGE, NULL, "unexpected argument \"%s\"", arg);
            return gy_hint(err, "options begin with --; see --help");
        }
        size_t len = strcspn(arg + 2, "=");
        const struct option_row *row = find(arg + 2, len);
        const char *value = arg[2 + len] == '=' ? arg + 3 + len : NULL;
        if (!row) {
            return unknown(arg + 2, len, err);
        }
        if (!row->value) {
            if (value) {
                return gy_fail(err, GY_EUSAGE, NULL, "--%s takes no value", row->name);
            }
            take_flag(row->id, o);
            continue;
        }
        if (!value && i + 1 == argc) {
            return gy_fail(err, GY_EUSAGE, NULL, "--%s needs a value: %s", row->name, row->value);
        }
        if (take_value(row, value ? value : argv[++i], o, err) != 0) {
            return -1;
        }
    }
    return settle(o, err);
}
