/* The sections whose keys depend on something else: scheduler (the chosen policy's parameters) and teams (by name); and
 * the refusal of what the schema names but nothing models yet. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "gy_file.h"
#include "gy_hardware.h"
#include "gy_network.h"
#include "inside.h"

static int add_error(const struct gy_scenario *s, struct gy_error *err, const char *pointer, const char *fmt,
                     va_list ap)
{
    char what[sizeof err->what], place[sizeof err->place];

    vsnprintf(what, sizeof what, fmt, ap);
    gy_json_place(s->doc, pointer, place, sizeof place);
    return gy_fail(err, GY_EINPUT, place, "%s", what);
}

int gy_sc_fail(const struct gy_scenario *s, struct gy_error *err, const char *pointer, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_error(s, err, pointer, fmt, ap);
    va_end(ap);
    return -1;
}

int gy_sc_wrong(const struct gy_scenario *s, struct gy_diags *diags, const char *hint, const char *pointer,
                const char *fmt, ...)
{
    struct gy_error err = {0};
    va_list ap;

    va_start(ap, fmt);
    add_error(s, &err, pointer, fmt, ap);
    va_end(ap);
    if (hint != NULL)
        gy_hint(&err, "%s", hint);
    gy_diags_add(diags, &err);
    return -1;
}

void gy_sc_token(const char *text, char *buf, size_t size)
{
    size_t n = 0;

    for (; *text != '\0' && n + 3 < size; text++) {
        buf[n++] = *text == '/' ? '~' : *text;
        if (*text == '~' || *text == '/')
            buf[n++] = *text == '~' ? '0' : '1';
    }
    buf[n] = '\0';
}

static const char *policy_names(const char **names, size_t most)
{
    size_t n = 0;

    for (size_t i = 0; gy_policies[i] != NULL && n + 1 < most; i++)
        names[n++] = gy_policies[i]->name;
    names[n] = NULL;
    return names[0];
}

static int unknown_policy(struct gy_scenario *s, const char *name, struct gy_diags *diags)
{
    const char *names[128], *nearest;
    char hint[256];
    size_t n = 0;

    policy_names(names, 128);
    while (names[n] != NULL)
        n++;
    nearest = gy_nearest(name, names, n);
    if (nearest != NULL)
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", nearest);
    else
        snprintf(hint, sizeof hint, "\"gpuyard policies list\" shows what is built in");
    return gy_sc_wrong(s, diags, hint, "/scheduler/preset", "unknown policy \"%s\"", name);
}

const struct gy_param *gy_sc_scheduler_table(const struct gy_policy_type *policy, struct gy_arena *arena, size_t *size)
{
    const size_t at = (policy->params_size + 15) / 16 * 16;
    size_t n = 0;

    while (policy->params != NULL && policy->params[n].name != NULL)
        n++;
    struct gy_param *table = gy_arena_alloc(arena, (n + 2) * sizeof *table);
    if (table == NULL)
        return NULL;
    table[0] = (struct gy_param){.name = "preset",
                                 .type = GY_P_TEXT,
                                 .offset = at,
                                 .preset = gy_arena_printf(arena, "\"%s\"", policy->name),
                                 .help = policy->summary,
                                 .source = ""};
    if (table[0].preset == NULL)
        return NULL;
    for (size_t i = 0; i < n; i++)
        table[i + 1] = policy->params[i];
    *size = at + 16;
    return table;
}

int gy_sc_bind_scheduler(struct gy_scenario *s, struct gy_diags *diags)
{
    const struct gy_json *section = gy_sc_all(s)->scheduler, *preset;
    size_t size;

    if (section != NULL && gy_json_type(section) != GY_J_OBJECT)
        return gy_sc_wrong(s, diags, NULL, "/scheduler", "found %s; expected an object", gy_json_type_name(section));
    preset = section == NULL ? NULL : gy_json_get(section, "preset");
    s->policy = gy_policies[0];
    if (preset != NULL && gy_json_type(preset) != GY_J_NULL) {
        if (gy_json_string(preset) == NULL)
            return gy_sc_wrong(s, diags, NULL, "/scheduler/preset", "found %s; expected a policy's name as a string",
                               gy_json_type_name(preset));
        s->policy = gy_policy_find(gy_json_string(preset));
        if (s->policy == NULL)
            return unknown_policy(s, gy_json_string(preset), diags);
    }
    if (s->policy == NULL)
        return gy_sc_wrong(s, diags, NULL, "/scheduler", "no policy is built in");
    s->scheduler_table = gy_sc_scheduler_table(s->policy, &s->arena, &size);
    void *params = s->scheduler_table == NULL ? NULL : gy_arena_alloc(&s->arena, size);
    if (params == NULL)
        return gy_sc_wrong(s, diags, NULL, "/scheduler", "out of memory");
    s->policy_params = params;
    return gy_bind(s->scheduler_table, s->doc, section, "/scheduler", params, &s->arena, diags);
}

int gy_sc_bind_teams(struct gy_scenario *s, struct gy_diags *diags)
{
    const struct gy_json *section = gy_sc_all(s)->teams;
    char token[256], pointer[300];
    int rc = 0;

    if (section == NULL)
        return 0;
    if (gy_json_type(section) != GY_J_OBJECT)
        return gy_sc_wrong(s, diags, NULL, "/teams", "found %s; expected an object", gy_json_type_name(section));
    s->teams = gy_arena_alloc(&s->arena, (gy_json_count(section) + 1) * sizeof *s->teams);
    if (s->teams == NULL)
        return gy_sc_wrong(s, diags, NULL, "/teams", "out of memory");
    for (const struct gy_json *c = gy_json_first(section); c != NULL; c = gy_json_next(c)) {
        struct gy_sc_team *team = &s->teams[s->n_teams++];
        gy_sc_token(gy_json_key(c), token, sizeof token);
        snprintf(pointer, sizeof pointer, "/teams/%s", token);
        if (gy_bind(gy_sc_team_table, s->doc, c, pointer, team, &s->arena, diags) != 0)
            rc = -1;
        team->name = gy_json_key(c);
    }
    return rc;
}

static bool is_empty(const struct gy_json *v)
{
    return v == NULL || gy_json_type(v) == GY_J_NULL ||
           ((gy_json_type(v) == GY_J_OBJECT || gy_json_type(v) == GY_J_ARRAY) && gy_json_count(v) == 0);
}

/* Sections that nothing models yet: ignoring them would give answers to another question. */
int gy_sc_check_sections(struct gy_scenario *s, struct gy_diags *diags)
{
    const struct gy_sc_all *all = gy_sc_all(s);
    const struct {
        const char *pointer;
        const struct gy_json *at;
        const char *what;
    } sections[] = {{"/faults", all->faults, "failures of components are"},
                    {"/power", all->power, "power and energy are"},
                    {"/services", all->services, "inference services are"},
                    {"/autoscale", all->autoscale, "scaling of the cluster is"}};
    int rc = 0;

    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!is_empty(sections[i].at))
            rc = gy_sc_wrong(s, diags, "leave the section out or empty", sections[i].pointer, "%s not built yet",
                             sections[i].what);
    if (s->fidelity == 2)
        rc = gy_sc_wrong(s, diags, "use \"fluid\", or \"none\": run times are those of the trace", "/network/fidelity",
                         "fidelity \"flow\" is not built yet");
    if (gy_network_check(s, diags))
        rc = -1;
    if (s->fidelity == 0 && !is_empty(all->workloads))
        rc = gy_sc_wrong(s, diags, "set network.fidelity to \"fluid\", or leave the section out", "/workloads",
                         "workloads have no effect without a network model");
    return rc;
}

static int check_prices(const struct gy_scenario *s, struct gy_diags *diags)
{
    const struct gy_json *prices = gy_sc_all(s)->prices;
    char pointer[300], token[256];
    int rc = 0;

    if (prices != NULL && gy_json_type(prices) != GY_J_OBJECT && gy_json_type(prices) != GY_J_NULL)
        return gy_sc_wrong(s, diags, NULL, "/prices", "found %s; expected an object of USD a GPU-hour by GPU type",
                           gy_json_type_name(prices));
    for (const struct gy_json *v = gy_json_first(prices); v != NULL; v = gy_json_next(v)) {
        const double price = gy_json_number(v);
        gy_sc_token(gy_json_key(v), token, sizeof token);
        snprintf(pointer, sizeof pointer, "/prices/%s", token);
        if (!(price >= 0 && price <= 1e9))
            rc = gy_sc_wrong(s, diags, NULL, pointer, "expected USD a GPU-hour, a number from 0 to 10^9");
    }
    return rc;
}

/* What the hardware catalogue says where the scenario does not. */
static int fill_nodes(struct gy_scenario *s, struct gy_diags *diags, struct gy_sc_nodes *g, const char *group)
{
    char pointer[96], path[1024];
    const char *name = g->hardware, *dot = strrchr(name, '.');
    struct gy_error err = {0};

    snprintf(pointer, sizeof pointer, "%s/hardware", group);
    if (strchr(name, '/') != NULL || (dot != NULL && (strcmp(dot, ".json") == 0 || strcmp(dot, ".gz") == 0))) {
        if (!gy_path_resolve(gy_json_origin(s->doc, pointer), name, path, sizeof path))
            return gy_sc_wrong(s, diags, NULL, pointer, "the path is too long");
        name = path;
    }
    const struct gy_hw *hw = gy_hw_find(name, &s->arena, &err);
    if (hw == NULL)
        return gy_sc_wrong(s, diags, err.hint[0] == '\0' ? NULL : err.hint, pointer, "%s%s%s", err.place,
                           err.place[0] == '\0' ? "" : ": ", err.what);
    if (g->gpus < 0)
        g->gpus = (int64_t)hw->gpus.value;
    if (g->gpu_type == NULL)
        g->gpu_type = hw->gpu.name;
    if (g->gpu_mem_gib == 0)
        g->gpu_mem_gib = hw->gpu.memory_gib.value;
    return 0;
}

static int check_nodes(struct gy_scenario *s, struct gy_diags *diags)
{
    struct gy_sc_nodes *g = s->cluster.nodes.at;
    char pointer[64];
    int rc = 0;

    for (size_t i = 0; i < s->cluster.nodes.n; i++) {
        snprintf(pointer, sizeof pointer, "/cluster/nodes/%zu", i);
        if (g[i].hardware != NULL && fill_nodes(s, diags, &g[i], pointer) != 0)
            rc = -1;
        else if (g[i].gpus < 0)
            rc = gy_sc_wrong(s, diags, "give \"gpus\", or a \"hardware\" that has them", pointer,
                             "how many GPUs these nodes have is not said");
    }
    return rc;
}

int gy_sc_check(struct gy_scenario *s, struct gy_diags *diags)
{
    const struct gy_threshold *t = s->thresholds.at;
    char pointer[64];
    int rc = 0;

    if (check_prices(s, diags) != 0 || check_nodes(s, diags) != 0)
        rc = -1;
    for (size_t i = 0; i < s->thresholds.n; i++) {
        snprintf(pointer, sizeof pointer, "/thresholds/%zu", i);
        if (isnan(t[i].min) && isnan(t[i].max))
            rc = gy_sc_wrong(s, diags, "give \"min\", \"max\" or both", pointer, "this threshold can never fail");
        else if (t[i].min > t[i].max)
            rc = gy_sc_wrong(s, diags, NULL, pointer, "min is above max, so nothing passes");
    }
    if (s->trace.from != GY_NONE && s->trace.to != GY_NONE && s->trace.from >= s->trace.to)
        rc = gy_sc_wrong(s, diags, NULL, "/trace/to", "\"to\" is not after \"from\", so no job is left");
    return rc;
}
