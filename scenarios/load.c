/* Loading a scenario: text, overrides, binding, checks; and writing it back with every default filled in. */
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "inside.h"

#define SCENARIO_MAX ((size_t)64 << 20) /* bytes of a scenario file */

static int apply_set(struct gy_json_doc *doc, const char *set, struct gy_error *err)
{
    const char *equals = strchr(set, '=');
    char pointer[1024], place[sizeof err->place];
    size_t len = equals == NULL ? 0 : (size_t)(equals - set);

    snprintf(place, sizeof place, "--set %s", set);
    if (len == 0 || len >= sizeof pointer)
        return gy_fail(err, GY_EUSAGE, place, "expected POINTER=VALUE, as in /seed=2");
    memcpy(pointer, set, len);
    pointer[len] = '\0';
    /* A path that is set so is the user's: relative to the working directory, as "--set" has no folder. */
    if (gy_json_set_as(doc, pointer, equals + 1, "--set", err) == 0)
        return 0;
    memcpy(err->place, place, sizeof place);
    return -1;
}

static void apply_rest(struct gy_sc_all *all, const struct gy_overrides *o)
{
    if (o->trace != NULL) {
        all->trace.path = o->trace;
        all->trace.second_path = NULL;
    }
    if (o->format != NULL)
        all->trace.format = o->format;
    if (all->trace.format != NULL && strcmp(all->trace.format, "auto") == 0)
        all->trace.format = NULL;
    if (o->has_seed)
        all->seed = o->seed;
}

/* The public part of what was bound. */
static void publish(struct gy_scenario *s, const struct gy_sc_all *all)
{
    s->name = all->name;
    s->seed = all->seed;
    s->cluster = all->cluster;
    s->trace = all->trace;
    s->jobs = all->jobs;
    s->fidelity = all->network.fidelity;
    s->stop_at = all->stop.at == GY_NONE ? GY_NEVER : all->stop.at;
    s->output = all->output;
    s->thresholds = all->thresholds;
}

static int bind_all(struct gy_scenario *s, const struct gy_overrides *o, struct gy_diags *diags)
{
    struct gy_sc_all *all = gy_arena_alloc(&s->arena, sizeof *all);
    int rc;

    if (all == NULL) {
        struct gy_error err;
        gy_nomem(&err);
        gy_diags_add(diags, &err);
        return -1;
    }
    s->bound = all;
    rc = gy_bind(gy_sc_table, s->doc, gy_json_root(s->doc), "", all, &s->arena, diags);
    apply_rest(all, o);
    publish(s, all);
    if (gy_sc_bind_scheduler(s, diags) != 0)
        rc = -1;
    if (gy_sc_bind_teams(s, diags) != 0)
        rc = -1;
    if (gy_sc_check_sections(s, diags) != 0)
        rc = -1;
    return rc == 0 ? gy_sc_check(s, diags) : rc;
}

/* Takes doc. */
static struct gy_scenario *from(struct gy_json_doc *doc, const char *sha256, const struct gy_overrides *o,
                                struct gy_diags *diags)
{
    struct gy_scenario *s = calloc(1, sizeof *s);
    struct gy_error err = {0};
    bool failed = false;

    if (s == NULL) {
        gy_json_free(doc);
        gy_nomem(&err);
        gy_diags_add(diags, &err);
        return NULL;
    }
    s->doc = doc;
    s->path = gy_json_name(doc);
    snprintf(s->sha256, sizeof s->sha256, "%s", sha256);
    for (size_t i = 0; i < o->n_sets; i++) {
        if (apply_set(doc, o->sets[i], &err) == 0)
            continue;
        gy_diags_add(diags, &err);
        failed = true;
    }
    if (!failed && gy_sc_slurm_conf(doc, &err) != 0) {
        gy_diags_add(diags, &err);
        failed = true;
    }
    if (failed || bind_all(s, o, diags) != 0) {
        gy_scenario_free(s);
        return NULL;
    }
    return s;
}

struct gy_scenario *gy_scenario_load(const char *path, const struct gy_overrides *o, struct gy_diags *diags)
{
    struct gy_json_doc *doc = NULL;
    struct gy_error err = {0};
    char sha256[65] = "";
    size_t len;
    char *text = gy_file_slurp(path, SCENARIO_MAX, &len, sha256, &err);

    if (text != NULL)
        doc = gy_json_parse(path, text, len, &err);
    free(text);
    if (doc == NULL) {
        gy_diags_add(diags, &err);
        return NULL;
    }
    return from(doc, sha256, o, diags);
}

struct gy_scenario *gy_scenario_from(const struct gy_json_doc *doc, const struct gy_overrides *o,
                                     struct gy_diags *diags)
{
    struct gy_json_doc *copy = gy_json_copy(doc);
    struct gy_error err;

    if (copy != NULL)
        return from(copy, "", o, diags);
    gy_nomem(&err);
    gy_diags_add(diags, &err);
    return NULL;
}

void gy_scenario_free(struct gy_scenario *s)
{
    if (s == NULL)
        return;
    gy_json_free(s->doc);
    gy_arena_free(&s->arena);
    free(s);
}

static void write_teams(const struct gy_scenario *s, struct gy_json_out *o)
{
    gy_jo_object(o, "teams");
    for (size_t i = 0; i < s->n_teams; i++) {
        gy_jo_object(o, s->teams[i].name);
        gy_bind_write(gy_sc_team_table, &s->teams[i], o);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, '}');
}

void gy_scenario_write(const struct gy_scenario *s, struct gy_json_out *o)
{
    for (const struct gy_param *row = gy_sc_table; row->name != NULL; row++) {
        const struct gy_param one[2] = {*row, {0}};
        if (strcmp(row->name, "teams") == 0) {
            write_teams(s, o);
        } else if (strcmp(row->name, "scheduler") == 0) {
            gy_jo_object(o, row->name);
            gy_bind_write(s->scheduler_table, s->policy_params, o);
            gy_jo_end(o, '}');
        } else {
            gy_bind_write(one, s->bound, o);
        }
    }
}
