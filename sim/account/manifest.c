/* manifest.json: what was run on what, so that it can be run again and known to be the same. Nothing in it depends on
 * the clock, the machine or the folder's name. */
#include <inttypes.h>
#include <stdio.h>
#include "gy_file.h"
#include "gy_folder.h"
#include "gy_json.h"

static void put_texts(struct gy_json_out *o, const char *key, const char *const *at, size_t n)
{
    gy_jo_array(o, key);
    for (size_t i = 0; i < n; i++)
        gy_jo_string(o, NULL, at[i]);
    gy_jo_end(o, ']');
}

static void put_skips(struct gy_json_out *o, const char *key, const struct gy_run_skip *at, size_t n)
{
    gy_jo_array(o, key);
    for (size_t i = 0; i < n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "why", at[i].why);
        gy_jo_integer(o, "count", (int64_t)at[i].count);
        gy_jo_string(o, "first", at[i].first);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

static void put_inputs(struct gy_json_out *o, const struct gy_run_facts *f)
{
    gy_jo_array(o, "inputs");
    for (size_t i = 0; i < f->n_inputs; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "role", f->inputs[i].role);
        gy_jo_string(o, "path", f->inputs[i].path);
        gy_jo_string(o, "sha256", f->inputs[i].sha256);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    if (!f->trace_format)
        return;
    gy_jo_object(o, "trace");
    gy_jo_string(o, "format", f->trace_format);
    gy_jo_string(o, "origin", f->trace_origin && *f->trace_origin ? f->trace_origin : NULL);
    gy_jo_integer(o, "rows_read", (int64_t)f->rows_read);
    gy_jo_integer(o, "rows_kept", (int64_t)f->rows_kept);
    put_skips(o, "skipped", f->skips, f->n_skips);
    put_skips(o, "changed", f->notes, f->n_notes);
    gy_jo_end(o, '}');
}

/* As a number where JSON's doubles hold it, else as text. */
static void put_seed(struct gy_json_out *o, uint64_t seed)
{
    char text[24];

    if (seed <= UINT64_C(1) << 53) {
        gy_jo_integer(o, "seed", (int64_t)seed);
        return;
    }
    snprintf(text, sizeof text, "%" PRIu64, seed);
    gy_jo_string(o, "seed", text);
}

static void put_time(struct gy_json_out *o, const char *key, gy_time t)
{
    gy_jo_number(o, key, gy_time_to_s(t)); /* NaN, so null, when there is none */
}

void gy_run_write_manifest(const struct gy_account *a, const struct gy_run_facts *f, struct gy_writer *to)
{
    const struct gy_sim_result *r = gy_account_result(a);
    struct gy_json_out o = {.to = to};
    char digest[24];

    snprintf(digest, sizeof digest, "%016" PRIx64, r->digest);
    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "gpuyard", GY_VERSION); /* first: a run folder is known by it */
    gy_jo_integer(&o, "format", 1);
    gy_jo_string(&o, "status", r->partial ? "partial" : "complete");
    gy_jo_bool(&o, "deadlock", r->deadlock);
    gy_jo_string(&o, "name", f->name);
    put_texts(&o, "command", f->command, f->n_command);
    gy_jo_string(&o, "policy", f->policy);
    put_seed(&o, f->seed);
    put_inputs(&o, f);
    put_time(&o, "first_submit_s", r->first_submit);
    put_time(&o, "last_end_s", r->last_end);
    put_time(&o, "end_s", r->end);
    gy_jo_string(&o, "event_digest", digest);
    put_texts(&o, "not_modelled", f->not_modelled, f->n_not_modelled);
    if (f->write_scenario)
        f->write_scenario(f->ctx, &o, "scenario");
    gy_jo_end(&o, '}');
}
