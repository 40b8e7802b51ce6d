/* gpuyard init: a first scenario, from files, options, or questions on a terminal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_hardware.h"
#include "gy_init.h"

enum { K_SLURM = 256, K_NODES_FILE, K_HARDWARE, K_NODES, K_TRACE_FILE, K_NAME, K_PRESET, K_FORCE };
const struct gy_cli_option gy_init_options[] = {
    {"slurm-conf", K_SLURM, "FILE", "Nodes, partitions and scheduler from this slurm.conf (topology.conf beside it)"},
    {"nodes-file", K_NODES_FILE, "FILE",
     "Nodes from this list: kubectl get nodes -o json or yaml, or a trace's node list"},
    {"hardware", K_HARDWARE, "NAME", "Kind of node (gpuyard models list), where there is no file"},
    {"nodes", K_NODES, "N", "How many of them"},
    {"trace", K_TRACE_FILE, "FILE", "The jobs"},
    {"name", K_NAME, "NAME", "What the scenario is called (default: cluster)"},
    {"preset", K_PRESET, "NAME", "Scheduler (default: slurm with a slurm.conf, else easy)"},
    {"force", K_FORCE, NULL, "Writes over a file that is there"},
    {0},
};

/* One line from the terminal, or the default where it is empty. The text lives in buf. */
static const char *ask(const char *question, const char *preset, char *buf, size_t size)
{
    fprintf(stderr, "%s [%s]: ", question, preset);
    fflush(stderr);
    if (fgets(buf, (int)size, stdin) == NULL)
        return preset;
    buf[strcspn(buf, "\r\n")] = '\0';
    return *buf ? buf : preset;
}

static int number(const char *text, uint32_t *out, struct gy_error *err)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || n < 1 || n > 1000000)
        return gy_fail(err, GY_EUSAGE, NULL, "%s nodes: expected a whole number from 1 to 1000000", text);
    *out = (uint32_t)n;
    return 0;
}

struct answers {
    char nodes[64], hardware[256], trace[4096], preset[64];
};

static int fill(const struct gy_cli *cli, struct gy_init *i, struct answers *a, struct gy_error *err)
{
    const char *nodes = gy_cli_get(cli, K_NODES);
    const bool file = i->slurm_conf || i->nodes_file, terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    if (i->slurm_conf && i->nodes_file)
        return gy_fail(err, GY_EUSAGE, NULL, "give --slurm-conf or --nodes-file, not both");
    if (file && (nodes || i->hardware))
        return gy_fail(err, GY_EUSAGE, NULL, "--nodes and --hardware are for clusters that no file describes");
    if (!file && !nodes && terminal)
        nodes = ask("How many nodes", "32", a->nodes, sizeof a->nodes);
    if (!file && !i->hardware && terminal)
        i->hardware = ask("Kind of node (gpuyard models list)", "dgx-a100", a->hardware, sizeof a->hardware);
    if (!i->trace && terminal)
        i->trace = ask("Trace of jobs, a path from the scenario's folder", "trace.csv", a->trace, sizeof a->trace);
    if (!file && !i->preset && terminal)
        i->preset = ask("Scheduler (gpuyard policies list)", "easy", a->preset, sizeof a->preset);
    if (!file && (!nodes || !i->hardware)) {
        gy_fail(err, GY_EUSAGE, NULL, "init needs --slurm-conf, --nodes-file, or --nodes with --hardware");
        return gy_hint(err, "on a terminal it asks");
    }
    if (!i->trace) {
        gy_fail(err, GY_EUSAGE, NULL, "init needs --trace FILE");
        return gy_hint(err, "gpuyard trace generate --out trace.csv makes one up");
    }
    return file ? 0 : number(nodes, &i->nodes, err);
}

int gy_verb_init(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_arena arena = GY_ARENA_INIT;
    struct answers a;
    const char *out = cli->out ? cli->out : "-";
    struct gy_init i = {.name = gy_cli_get(cli, K_NAME),
                        .slurm_conf = gy_cli_get(cli, K_SLURM),
                        .nodes_file = gy_cli_get(cli, K_NODES_FILE),
                        .hardware = gy_cli_get(cli, K_HARDWARE),
                        .trace = gy_cli_get(cli, K_TRACE_FILE),
                        .preset = gy_cli_get(cli, K_PRESET)};
    if (i.name == NULL)
        i.name = "cluster";
    int rc = fill(cli, &i, &a, &err);
    if (rc == 0 && i.hardware && gy_hw_find(i.hardware, &arena, &err) == NULL)
        rc = -1;
    if (rc == 0 && strcmp(out, "-") != 0 && access(out, F_OK) == 0 && gy_cli_get(cli, K_FORCE) == NULL) {
        gy_fail(&err, GY_EUSAGE, NULL, "%s is there already", out);
        rc = gy_hint(&err, "--force writes over it");
    }
    struct gy_writer *to = rc == 0 ? gy_writer_open(out, &err) : NULL;
    if (to != NULL && gy_init_write(&i, to, &err) != 0) {
        gy_writer_abandon(to);
        to = NULL;
    }
    rc = to != NULL ? gy_writer_commit(to, &err) : -1;
    gy_arena_free(&arena);
    if (rc == 0 && !cli->quiet && strcmp(out, "-") != 0)
        fprintf(stderr, "%s is written; next: gpuyard validate %s\n", out, out);
    return rc == 0 ? 0 : gy_cli_fail(&err);
}
