/* What the manifest and the summary say about a run beside its figures. */
#include <string.h>
#include "gy_describe.h"
#include "gy_run_state.h"

/* The first two are modelled by a network. */
static const char *const not_modelled[] = {"network contention", "effect of placement on run times",
                                           "failures of components", "power and energy",
                                           "prices" /* the last, here and below: left out where there are some */};
static const char *const network_leaves_out[] = {
    "network latency",      "bursts of traffic: jobs count as communicating all the time",
    "traffic inside nodes", "failures of components",
    "power and energy",     "prices"};

static void add_input(struct gy_run_state *r, const char *role, const char *path, const char *sha256)
{
    if (r->n_files < sizeof r->files / sizeof *r->files)
        r->files[r->n_files++] = (struct gy_run_input){role, path, sha256};
}

static bool add_word(struct gy_run_state *r, const char *option, const char *value)
{
    return value == NULL || (gy_vec_push(&r->command, option) && gy_vec_push(&r->command, value));
}

/* What of the command line has an effect on results. */
static bool collect_command(struct gy_run_state *r)
{
    const struct gy_cli *cli = r->cli;
    char *seed = cli->has_seed ? gy_arena_printf(&r->arena, "%lld", (long long)cli->seed) : NULL;
    bool ok = gy_vec_push(&r->command, "run") && gy_vec_push(&r->command, cli->args.at[0]);

    for (size_t i = 0; i < cli->sets.n && ok; i++)
        ok = add_word(r, "--set", cli->sets.at[i]);
    return ok && add_word(r, "--trace", cli->trace) && add_word(r, "--format", cli->format) &&
           add_word(r, "--seed", seed);
}

static struct gy_run_skip *copy_skips(struct gy_run_state *r, const struct gy_trace_skips *from)
{
    struct gy_run_skip *to = gy_arena_alloc(&r->arena, (from->n + 1) * sizeof *to);

    for (size_t i = 0; i < from->n && to != NULL; i++)
        to[i] = (struct gy_run_skip){from->at[i].why, from->at[i].first, from->at[i].count};
    return to;
}

/* Jobs whose limit is beyond the policy's planning window (Slurm's bf_window): nothing is ever kept free for all of
 * their time, so they can starve behind a full queue. One more note when there are any. */
static size_t add_starving(const struct gy_run_state *r, struct gy_run_skip *notes, size_t n)
{
    const struct gy_param *p = r->s->policy->params;
    while (p != NULL && p->name != NULL && strcmp(p->name, "bf_window_s") != 0)
        p++;
    if (p == NULL || p->name == NULL)
        return n;
    const gy_time window = *(const gy_time *)((const char *)r->s->policy_params + p->offset);
    uint64_t beyond = 0;
    for (size_t i = 0; i < r->inputs.trace->jobs.n; i++)
        beyond += r->inputs.trace->jobs.at[i].limit > window;
    if (beyond > 0)
        notes[n++] =
            (struct gy_run_skip){"time limit longer than bf_window_s: backfill cannot plan for all of it, so the "
                                 "job can starve",
                                 "", beyond};
    return n;
}

/* "composed: order fifo, queueing strict, backfill easy": the preset and its choices. */
static const char *policy_text(struct gy_run_state *r)
{
    const struct gy_scenario *s = r->s;
    char text[512];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", s->policy->name);
    const char *gap = ": ";

    for (const struct gy_param *p = s->policy->params; p != NULL && p->name != NULL; p++) {
        if (p->type != GY_P_CHOICE || n + 96 > sizeof text)
            continue;
        const char *choice = p->choices;
        for (int i = *(const int *)((const char *)s->policy_params + p->offset); i > 0 && choice != NULL; i--)
            choice = strchr(choice, '|') == NULL ? NULL : strchr(choice, '|') + 1;
        if (choice == NULL)
            continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.32s %.*s", gap, p->name, (int)(strcspn(choice, "|") & 31),
                              choice);
        gap = ", ";
    }
    return gy_arena_printf(&r->arena, "%s", text);
}

/* "philly_sia.csv.gz (philly): 82,247 rows read, 82,247 kept, 0 skipped". */
static const char *trace_text(struct gy_run_state *r)
{
    const struct gy_trace *t = r->inputs.trace;
    const char *path = r->s->trace.path, *slash = strrchr(path, '/');
    char read[32], kept[32], skipped[32];

    return gy_arena_printf(&r->arena, "%s (%s): %s rows read, %s kept, %s skipped", slash == NULL ? path : slash + 1,
                           t->format, gy_grouped(t->rows_read, read), gy_grouped(t->rows_kept, kept),
                           gy_grouped(t->rows_read - t->rows_kept, skipped));
}

static void write_scenario(void *ctx, struct gy_json_out *o, const char *key)
{
    const struct gy_run_state *r = ctx;

    gy_jo_object(o, key);
    gy_scenario_write(r->s, o);
    gy_jo_end(o, '}');
}

static void write_links(void *ctx, struct gy_writer *to)
{
    const struct gy_run_state *r = ctx;

    gy_network_write_links(r->network, &r->result, to);
}

/* What neither the models of this run nor its policy know. */
static bool collect_left_out(struct gy_run_state *r)
{
    const char *const *general = r->network != NULL ? network_leaves_out : not_modelled;
    const char *const *own = r->s->policy->not_modelled;
    size_t n = r->network != NULL ? sizeof network_leaves_out / sizeof *network_leaves_out
                                  : sizeof not_modelled / sizeof *not_modelled;

    n -= r->prices != NULL;
    for (size_t i = 0; i < n; i++)
        if (!gy_vec_push(&r->left_out, general[i]))
            return false;
    for (; own != NULL && *own != NULL; own++)
        if (!gy_vec_push(&r->left_out, *own))
            return false;
    return true;
}

int gy_run_facts_of(struct gy_run_state *r, struct gy_error *err)
{
    const struct gy_trace *t = r->inputs.trace;
    struct gy_run_facts *f = &r->facts;

    add_input(r, "scenario", r->s->path, r->s->sha256);
    for (size_t i = 0; i < r->inputs.n_files; i++)
        add_input(r, r->inputs.files[i].role, r->inputs.files[i].path, r->inputs.files[i].sha256);
    *f = (struct gy_run_facts){.name = r->s->name,
                               .policy = policy_text(r),
                               .cluster = gy_cluster_text(&r->inputs.cluster, &r->arena),
                               .trace = trace_text(r),
                               .seed = (uint64_t)r->s->seed,
                               .inputs = r->files,
                               .n_inputs = r->n_files,
                               .trace_format = t->format,
                               .trace_origin = t->origin,
                               .rows_read = t->rows_read,
                               .rows_kept = t->rows_kept,
                               .skips = copy_skips(r, &t->skips),
                               .n_skips = t->skips.n,
                               .notes = copy_skips(r, &t->notes),
                               .n_notes = t->notes.n,
                               .write_scenario = write_scenario,
                               .write_links = write_links,
                               .ctx = r};
    if (f->notes != NULL)
        f->n_notes = add_starving(r, (struct gy_run_skip *)(uintptr_t)f->notes, f->n_notes);
    if (!collect_command(r) || f->policy == NULL || f->cluster == NULL || f->trace == NULL || f->skips == NULL ||
        f->notes == NULL)
        return gy_nomem(err);
    if (!collect_left_out(r))
        return gy_nomem(err);
    f->not_modelled = r->left_out.at;
    f->n_not_modelled = r->left_out.n;
    f->command = r->command.at;
    f->n_command = r->command.n;
    return 0;
}
