/* Reading run folders: manifest.json and summary.json, flattened. Does not read the tables (jobs.csv and the like). */
#include "gy_runfolder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"

#define FORMAT 1 /* of manifest.json */

static const char *const group_names[] = {"team", "user", "partition", "gpu_type", "job_size_class"};

static bool is_group(const char *key)
{
    for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
        if (strcmp(key, group_names[i]) == 0)
            return true;
    return false;
}

static int add_metric(struct gy_run *run, const char *name, const struct gy_json *v, bool group, struct gy_error *err)
{
    struct gy_run_metric m = {.name = name, .value = NAN, .group = group};
    if (gy_json_type(v) == GY_J_STRING)
        m.word = gy_json_string(v);
    else if (gy_json_type(v) == GY_J_BOOL)
        m.value = gy_json_true(v);
    else if (gy_json_type(v) == GY_J_NUMBER)
        m.value = gy_json_number(v);
    if (!gy_vec_push(&run->metrics, m) ||
        !gy_map_put(&run->by_name, gy_hash_bytes(name, strlen(name)), run->metrics.n - 1))
        return gy_nomem(err);
    return 0;
}

/* Objects become prefixes; arrays (thresholds) are no metrics. Depth is bounded by the JSON layer. */
static int flatten(struct gy_run *run, const struct gy_json *object, const char *prefix, bool group,
                   struct gy_error *err)
{
    for (const struct gy_json *v = gy_json_first(object); v; v = gy_json_next(v)) {
        const char *key = gy_json_key(v);
        const char *name = *prefix ? gy_arena_printf(&run->arena, "%s.%s", prefix, key)
                                   : gy_arena_strndup(&run->arena, key, strlen(key));
        if (!name)
            return gy_nomem(err);
        if (gy_json_type(v) == GY_J_ARRAY)
            continue;
        const bool in_group = group || (!*prefix && is_group(key));
        if (gy_json_type(v) == GY_J_OBJECT ? flatten(run, v, name, in_group, err)
                                           : add_metric(run, name, v, in_group, err))
            return -1;
    }
    return 0;
}

static struct gy_json_doc *load_part(struct gy_run *run, const char *file, struct gy_error *err)
{
    const char *path = gy_arena_printf(&run->arena, "%s/%s", run->path, file);
    if (!path) {
        gy_nomem(err);
        return NULL;
    }
    struct gy_json_doc *doc = gy_json_load(path, err);
    if (!doc && err->code == GY_EINPUT)
        gy_hint(err, "%s is not a run folder, as gpuyard run --out makes them, or its run did not end", run->path);
    if (doc && gy_json_type(gy_json_root(doc)) != GY_J_OBJECT) {
        gy_fail(err, GY_EINPUT, path, "found %s; expected an object", gy_json_type_name(gy_json_root(doc)));
        gy_json_free(doc);
        return NULL;
    }
    return doc;
}

/* The resolved scenario without seed and name, as text. */
static const char *point_of(struct gy_run *run, const struct gy_json *scenario, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_object(&o, NULL);
    for (const struct gy_json *v = scenario ? gy_json_first(scenario) : NULL; v; v = gy_json_next(v))
        if (strcmp(gy_json_key(v), "seed") != 0 && strcmp(gy_json_key(v), "name") != 0)
            gy_jo_value(&o, gy_json_key(v), v);
    gy_jo_end(&o, '}');
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    const char *kept = text ? gy_arena_strndup(&run->arena, text, len) : NULL;
    gy_writer_abandon(w);
    if (!kept)
        gy_nomem(err);
    return kept;
}

static const char *base_name(struct gy_run *run)
{
    size_t end = strlen(run->path);
    while (end > 1 && run->path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && run->path[begin - 1] != '/')
        begin--;
    return gy_arena_strndup(&run->arena, run->path + begin, end - begin);
}

static int read_manifest(struct gy_run *run, struct gy_error *err)
{
    const struct gy_json *root = gy_json_root(run->manifest);
    int64_t format = 0;
    const struct gy_json *f = gy_json_get(root, "format");
    if (!f || !gy_json_is_integer(f, &format) || format != FORMAT)
        return gy_fail(err, GY_EINPUT, gy_json_name(run->manifest),
                       "found a run folder of format %lld; this version reads format %d", (long long)format, FORMAT);
    const struct gy_json *seed = gy_json_get(root, "seed");
    if (seed)
        gy_json_is_integer(seed, &run->seed);
    const struct gy_json *status = gy_json_get(root, "status"), *name = gy_json_get(root, "name");
    const char *word = status ? gy_json_string(status) : NULL;
    run->partial = !word || strcmp(word, "complete") != 0;
    run->label = name && gy_json_string(name) && *gy_json_string(name) ? gy_json_string(name) : base_name(run);
    run->point = point_of(run, gy_json_get(root, "scenario"), err);
    return run->label && run->point ? 0 : err->code ? -1 : gy_nomem(err);
}

int gy_run_load(const char *path, struct gy_run *run, struct gy_error *err)
{
    *run = (struct gy_run){.path = path};
    err->code = GY_OK;
    if ((run->manifest = load_part(run, "manifest.json", err)) &&
        (run->summary = load_part(run, "summary.json", err)) && read_manifest(run, err) == 0 &&
        flatten(run, gy_json_root(run->summary), "", false, err) == 0)
        return 0;
    gy_run_free(run);
    return -1;
}

void gy_run_free(struct gy_run *run)
{
    gy_json_free(run->manifest);
    gy_json_free(run->summary);
    gy_vec_free(&run->metrics);
    gy_map_free(&run->by_name);
    gy_arena_free(&run->arena);
    *run = (struct gy_run){0};
}

const struct gy_run_metric *gy_run_metric(const struct gy_run *run, const char *name)
{
    uint64_t at;
    if (!gy_map_get(&run->by_name, gy_hash_bytes(name, strlen(name)), &at) ||
        strcmp(run->metrics.at[at].name, name) != 0)
        return NULL;
    return &run->metrics.at[at];
}

const char *gy_run_nearest(const struct gy_run *run, const char *name)
{
    const char **names = calloc(run->metrics.n + 1, sizeof *names);
    if (!names)
        return NULL;
    for (size_t i = 0; i < run->metrics.n; i++)
        names[i] = run->metrics.at[i].name;
    const char *nearest = gy_nearest(name, names, run->metrics.n);
    free(names);
    return nearest;
}
