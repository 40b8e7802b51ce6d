/* The inputs of a scenario, loaded: the trace and the cluster, and from them what the engine wants. */
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "gy_network.h"

int gy_inputs_note(struct gy_inputs *in, const char *role, const char *path, const char *sha256, struct gy_error *err)
{
    if (in->n_files == sizeof in->files / sizeof *in->files)
        return gy_fail(err, GY_EINTERNAL, path, "too many input files");
    in->files[in->n_files].role = role;
    in->files[in->n_files].path = path;
    snprintf(in->files[in->n_files++].sha256, sizeof in->files->sha256, "%s", sha256);
    return 0;
}

static int note_trace(const struct gy_scenario *s, struct gy_inputs *in, struct gy_error *err)
{
    const struct gy_sc_trace *t = &s->trace;

    if (gy_inputs_note(in, "trace", t->path, in->trace->sha256, err) != 0)
        return -1;
    return t->second_path == NULL ? 0 : gy_inputs_note(in, "trace 2", t->second_path, in->trace->second_sha256, err);
}

static int load_trace(const struct gy_scenario *s, struct gy_inputs *in, struct gy_error *err)
{
    const struct gy_sc_trace *t = &s->trace;
    const struct gy_trace_options o = {.format = t->format,
                                       .path = t->path,
                                       .second_path = t->second_path,
                                       .columns = gy_json_count(t->columns) > 0 ? t->columns : NULL,
                                       .strict = t->strict,
                                       .limit_factor = t->limit_factor,
                                       .from = t->from,
                                       .to = t->to,
                                       .gpu_jobs_only = t->gpu_jobs_only};

    if (gy_trace_load(&o, in->strings, &in->trace, err) != 0)
        return -1;
    in->owns_trace = true;
    return note_trace(s, in, err);
}

int gy_inputs_load(const struct gy_scenario *s, struct gy_trace *trace, struct gy_inputs *in, struct gy_error *err)
{
    *in = (struct gy_inputs){.trace = trace, .strings = trace == NULL ? NULL : trace->strings};
    if (trace == NULL) {
        if (s->trace.path == NULL)
            return gy_sc_fail(s, err, "/trace", "no trace is given; give \"path\" in it, or --trace FILE");
        if (strcmp(s->trace.path, "-") == 0 && strcmp(s->path, "-") == 0)
            return gy_sc_fail(s, err, "/trace/path", "the scenario itself is read from standard input");
        in->strings = gy_strings_new();
        if (in->strings == NULL)
            return gy_nomem(err);
    }
    if (gy_scenario_cluster(s, in->strings, in, err) == 0 &&
        (trace != NULL ? note_trace : load_trace)(s, in, err) == 0) {
        gy_network_leaves(s, &in->cluster);
        return 0;
    }
    gy_inputs_free(in);
    return -1;
}

void gy_inputs_free(struct gy_inputs *in)
{
    gy_cluster_spec_free(&in->cluster);
    if (in->owns_trace) {
        gy_trace_free(in->trace);
        gy_strings_free(in->strings);
    } else if (in->trace == NULL && in->strings != NULL) {
        gy_strings_free(in->strings);
    }
    gy_arena_free(&in->arena);
    *in = (struct gy_inputs){0};
}

int gy_inputs_config(const struct gy_scenario *s, const struct gy_inputs *in, struct gy_sim_config *out,
                     struct gy_network **network, struct gy_error *err)
{
    *network = NULL;
    *out = (struct gy_sim_config){.cluster = &in->cluster,
                                  .policy = s->policy,
                                  .policy_params = s->policy_params,
                                  .seed = (uint64_t)s->seed,
                                  .stop_at = s->stop_at,
                                  .sample_every = s->output.timeline == 0 ? GY_NEVER : s->output.timeline,
                                  .requeue_on_failure = s->jobs.requeue_on_failure,
                                  .requeue_delay = s->jobs.requeue_delay,
                                  .any_split = s->jobs.any_split,
                                  .report_holds = true /* the account divides unused GPU-hours by them */};
    if (s->fidelity == 1) {
        *network = gy_network_new(s, in, err);
        if (*network == NULL)
            return -1;
        out->rates = gy_network_rates(*network);
    }
    return gy_trace_source(in->trace, &out->source, err);
}

void gy_inputs_config_free(struct gy_sim_config *config, struct gy_network *network)
{
    free(config->source.self);
    gy_network_free(network);
    *config = (struct gy_sim_config){0};
}
