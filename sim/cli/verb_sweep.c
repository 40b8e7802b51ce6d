/* gpuyard sweep: the points of a study on threads, stored as they are finished. The work is in scenarios/. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gy_cli.h"
#include "gy_file.h"
#include "gy_scenario.h"
#include "gy_sweep.h"

enum { K_SHARD = 256, K_SBATCH };

const struct gy_cli_option gy_sweep_options[] = {
    {"jobs", 'j', "N", "Threads (1)"},
    {"shard", K_SHARD, "I/N", "Does every N-th point from the I-th on (I from 1), for Slurm job arrays"},
    {"sbatch", K_SBATCH, "N", "Prints the script of a Slurm job array of N shards and runs nothing"},
    {0},
};

struct live { /* progress of a sweep on stderr */
    const struct gy_cli *cli;
    bool on, bar;
    double began, shown;
    size_t found;
};

static void show(void *ctx, size_t done, size_t total)
{
    struct live *l = ctx;
    const double now = gy_cli_seconds();
    if (l->began == 0) {
        l->began = now;
        l->found = done;
    }
    if (!l->on || (now - l->shown < (l->bar ? 0.1 : 2.0) && done < total))
        return;
    l->shown = now;
    const size_t ran = done - l->found;
    const double left = ran > 0 ? (now - l->began) / (double)ran * (double)(total - done) : NAN;
    fprintf(stderr, "%s%zu of %zu points", l->bar ? "\r" : "", done, total);
    if (l->found > 0)
        fprintf(stderr, " (%zu found in the store)", l->found);
    if (!isnan(left))
        fprintf(stderr, "  %.0f s left", left);
    fputs(l->bar ? "\033[K" : "\n", stderr);
    if (l->bar && done == total)
        fputc('\n', stderr);
    fflush(stderr);
}

static int whole_number(const char *text, long min, long max, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    return end == text || *end || errno || *out < min || *out > max ? -1 : 0;
}

static int read_options(const struct gy_cli *cli, struct gy_sweep_options *o, struct gy_error *err)
{
    const char *jobs = gy_cli_get(cli, 'j'), *shard = gy_cli_get(cli, K_SHARD);
    long n = 1, i = 1;
    if (jobs && whole_number(jobs, 1, 256, &n))
        return gy_fail(err, GY_EUSAGE, "--jobs", "found \"%s\"; expected a number from 1 to 256", jobs);
    o->threads = (unsigned)n;
    o->shards = 1;
    if (!shard)
        return 0;
    char first[32] = "";
    const char *slash = strchr(shard, '/');
    if (slash && (size_t)(slash - shard) < sizeof first)
        memcpy(first, shard, (size_t)(slash - shard));
    if (!slash || whole_number(slash + 1, 1, 1000000, &n) || whole_number(first, 1, n, &i))
        return gy_fail(err, GY_EUSAGE, "--shard", "found \"%s\"; expected I/N with I from 1 to N, as in 3/16", shard);
    o->shards = (size_t)n;
    o->shard = (size_t)i - 1;
    return 0;
}

/* The result folder: --out, or the study's file name without its ending. */
static const char *folder_of(const struct gy_cli *cli, struct gy_arena *arena)
{
    if (cli->out)
        return cli->out;
    const char *path = cli->args.at[0], *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t len = strlen(base);
    if (len > 5 && strcmp(base + len - 5, ".json") == 0)
        len -= 5;
    return gy_arena_printf(arena, "%.*s.sweep", (int)len, base);
}

static int print_sbatch(const struct gy_cli *cli, const char *shards, struct gy_arena *arena)
{
    struct gy_error err = {0};
    long n;
    if (whole_number(shards, 1, 1000000, &n)) {
        gy_fail(&err, GY_EUSAGE, "--sbatch", "found \"%s\"; expected a number of shards", shards);
        return gy_cli_fail(&err);
    }
    printf(
        "#!/bin/bash\n#SBATCH --job-name=gpuyard-sweep\n#SBATCH --array=1-%ld\n#SBATCH --cpus-per-task=2\n"
        "# Shards write stores of their own; afterwards `gpuyard sweep %s --out %s` gathers them and does the rest.\n"
        "exec gpuyard sweep -j \"$SLURM_CPUS_PER_TASK\" --shard \"$SLURM_ARRAY_TASK_ID/%ld\" --out %s %s\n",
        n, cli->args.at[0], folder_of(cli, arena), n, folder_of(cli, arena), cli->args.at[0]);
    return 0;
}

static int write_results(const struct gy_cli *cli, const struct gy_sweep *s, struct gy_store *store, const char *folder,
                         struct gy_arena *arena, struct gy_error *err)
{
    const char *path = gy_arena_printf(arena, "%s/results.csv", folder);
    struct gy_writer *to = path ? gy_writer_open(path, err) : NULL;
    if (!to)
        return err->code ? -1 : gy_nomem(err);
    if (gy_sweep_write_csv(s, store, to, err)) {
        gy_writer_abandon(to);
        return -1;
    }
    if (gy_writer_commit(to, err))
        return -1;
    if (!cli->json)
        return 0;
    if (!(to = gy_writer_open("-", err)))
        return -1;
    if (gy_sweep_write_json(s, store, to, err)) {
        gy_writer_abandon(to);
        return -1;
    }
    return gy_writer_commit(to, err);
}

static int run(const struct gy_cli *cli, const struct gy_sweep *s, struct gy_sweep_options *o, struct gy_arena *arena,
               struct gy_error *err)
{
    const char *folder = folder_of(cli, arena);
    const char *path = !folder ? NULL
                       : o->shards > 1
                           ? gy_arena_printf(arena, "%s/shard-%zu-of-%zu.sqlite", folder, o->shard + 1, o->shards)
                           : gy_arena_printf(arena, "%s/store.sqlite", folder);
    struct gy_sweep_outcome outcome = {0};
    if (!path)
        return gy_nomem(err);
    struct gy_store *store = NULL;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        gy_fail(err, GY_EIO, folder, "cannot make the folder: %s", strerror(errno));
    else
        store = gy_store_open(path, err);
    int rc = !store ? -1 : o->shards > 1 ? 0 : gy_store_gather(store, folder, err);
    if (rc == 0)
        rc = gy_sweep_run(s, store, o, &outcome, err);
    else if (o->ranks)
        gy_sweep_dismiss(o->ranks);
    if (!store)
        return -1;
    if (rc == 0 && !outcome.stopped && o->shards == 1)
        rc = write_results(cli, s, store, folder, arena, err);
    if (gy_store_close(store, rc ? &(struct gy_error){0} : err))
        rc = -1;
    if (rc == 0 && !cli->quiet && !cli->json)
        printf("%zu points: %zu found in the store, %zu run now%s; results in %s\n", outcome.total, outcome.found,
               outcome.ran, outcome.stopped ? ", then interrupted" : "",
               outcome.stopped || o->shards > 1 ? path : gy_arena_printf(arena, "%s/results.csv", folder));
    return rc == 0 && outcome.stopped ? 1 : rc;
}

int gy_verb_sweep(struct gy_cli *cli)
{
    struct gy_error err = {0};
    struct gy_diags diags = {0};
    struct gy_arena arena = GY_ARENA_INIT;
    struct live live = {.cli = cli, .bar = isatty(STDERR_FILENO) == 1};
    struct gy_sweep_options o = {.progress = show, .ctx = &live};
    const struct gy_overrides common = gy_cli_overrides(cli);
    live.on = cli->progress == GY_PROGRESS_ALWAYS || (cli->progress == GY_PROGRESS_AUTO && live.bar && !cli->quiet);
    if (gy_cli_get(cli, K_SBATCH)) {
        const int status = print_sbatch(cli, gy_cli_get(cli, K_SBATCH), &arena);
        gy_arena_free(&arena);
        return status;
    }
    if (read_options(cli, &o, &err))
        return gy_cli_fail(&err);
    struct gy_ranks ranks = {0};
    const int several = gy_ranks_open(&ranks, &err);
    if (several < 0)
        return gy_cli_fail(&err);
    if (several > 0 && o.shards > 1) {
        gy_fail(&err, GY_EUSAGE, "--shard", "under mpirun the ranks share the points already");
        return gy_cli_fail(&err);
    }
    o.stop_flag = gy_cli_catch_signals();
    struct gy_study *study = gy_study_load(cli->args.at[0], &common, &diags);
    struct gy_sweep *s = study ? gy_sweep_prepare(study, &diags) : NULL;
    int status;
    o.ranks = several > 0 && ranks.rank == 0 ? &ranks : NULL;
    if (several > 0 && ranks.rank > 0) { /* rank 0 does the talking */
        status = gy_sweep_help(s, &ranks, &o, &diags.at[0]) ? gy_exit_status(diags.at[0].code) : 0;
    } else if (!s) {
        if (o.ranks)
            gy_sweep_dismiss(o.ranks);
        status = gy_cli_fail_all(&diags);
    } else {
        const int rc = run(cli, s, &o, &arena, &err);
        status = rc < 0 ? gy_cli_fail(&err) : rc > 0 ? 128 + gy_cli_signal() : 0;
    }
    if (several > 0)
        ranks.finish();
    gy_sweep_free(s);
    gy_study_free(study);
    gy_arena_free(&arena);
    return status;
}
