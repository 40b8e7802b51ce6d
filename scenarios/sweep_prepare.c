/* Preparing a sweep: resolving points, naming them by what they depend on, loading each trace and cluster once. */
#include <stdlib.h>
#include <string.h>
#include "gy_file.h"
#include "gy_hash.h"
#include "gy_sweep.h"

struct prepare {
    struct gy_sweep *sweep;
    struct gy_map traces, clusters; /* hash of the resolved section -> index of the inputs that loaded it first */
    GY_VEC(const char *) keys;      /* of inputs: cluster and trace sections as text */
    GY_VEC(const char *) trace_keys;
};

static const char *section_text(struct gy_arena *arena, const struct gy_json *root, const char *a, const char *b)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_object(&o, NULL);
    if (gy_json_get(root, a))
        gy_jo_value(&o, a, gy_json_get(root, a));
    if (b && gy_json_get(root, b))
        gy_jo_value(&o, b, gy_json_get(root, b));
    gy_jo_end(&o, '}');
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    const char *kept = gy_arena_strndup(arena, text, len);
    gy_writer_abandon(w);
    return kept;
}

/* The scenario as the manifest would show it, parsed again so that its sections can be told apart. */
static struct gy_json_doc *resolved(const struct gy_scenario *s, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    if (!w)
        return NULL;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_object(&o, NULL);
    gy_scenario_write(s, &o);
    gy_jo_end(&o, '}');
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    struct gy_json_doc *doc = gy_json_parse("resolved scenario", text, len, err);
    gy_writer_abandon(w);
    return doc;
}

static int sha256_of(const char *text, size_t len, char hex[65], struct gy_error *err)
{
    struct gy_input *in = gy_input_memory("id", text, len, err);
    char buf[4096];
    long n = in ? 1 : -1;
    while (n > 0)
        n = gy_input_read(in, buf, sizeof buf, err);
    if (n == 0)
        gy_input_sha256(in, hex);
    gy_input_close(in);
    return (int)n;
}

static bool has_no_effect(const char *key)
{
    static const char *const without[] = {"name", "output", "thresholds", "$schema"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strcmp(key, without[i]) == 0)
            return true;
    return false;
}

/* A section without its paths: what the files hold is hashed, not where they are. */
static void write_section(struct gy_json_out *o, const struct gy_json *v)
{
    gy_jo_object(o, gy_json_key(v));
    for (const struct gy_json *f = gy_json_first(v); f; f = gy_json_next(f)) {
        const char *key = gy_json_key(f);
        const size_t n = strlen(key);
        const bool path = strcmp(key, "path") == 0 || (n > 5 && strcmp(key + n - 5, "_path") == 0) ||
                          (n > 5 && strcmp(key + n - 5, "_file") == 0);
        if (!path)
            gy_jo_value(o, key, f);
    }
    gy_jo_end(o, '}');
}

static int point_id(const struct gy_json *root, const struct gy_inputs *in, char hex[65], struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    if (!w)
        return -1;
    struct gy_json_out o = {.to = w, .compact = true};
    gy_jo_object(&o, NULL);
    gy_jo_string(&o, "gpuyard", GY_VERSION);
    for (const struct gy_json *v = gy_json_first(root); v; v = gy_json_next(v)) {
        if (has_no_effect(gy_json_key(v)))
            continue;
        if (gy_json_type(v) == GY_J_OBJECT)
            write_section(&o, v);
        else
            gy_jo_value(&o, gy_json_key(v), v);
    }
    for (size_t i = 0; i < in->n_files; i++)
        gy_jo_string(&o, in->files[i].role, in->files[i].sha256);
    gy_jo_end(&o, '}');
    size_t len;
    const char *text = gy_writer_memory(w, &len);
    const int rc = sha256_of(text, len, hex, err);
    gy_writer_abandon(w);
    return rc;
}

/* Index of equal text among keys, or n. The map only narrows the search. */
static size_t find_key(const struct gy_map *map, const char *const *keys, size_t n, const char *key)
{
    uint64_t at;
    if (gy_map_get(map, gy_hash_bytes(key, strlen(key)), &at) && strcmp(keys[at], key) == 0)
        return at;
    return n;
}

static int load_inputs(struct prepare *p, const struct gy_scenario *sc, const char *key, const char *trace_key,
                       struct gy_error *err)
{
    struct gy_sweep *s = p->sweep;
    const size_t shared = find_key(&p->traces, p->trace_keys.at, s->inputs.n, trace_key);
    struct gy_inputs *in = calloc(1, sizeof *in);
    if (!in)
        return gy_nomem(err);
    if (gy_inputs_load(sc, shared < s->inputs.n ? s->inputs.at[shared]->trace : NULL, in, err)) {
        gy_inputs_free(in);
        free(in);
        return -1;
    }
    const size_t at = s->inputs.n;
    if (!gy_vec_push(&s->inputs, in)) {
        gy_inputs_free(in);
        free(in);
        return gy_nomem(err);
    }
    if (!gy_vec_push(&p->keys, key) || !gy_vec_push(&p->trace_keys, trace_key) ||
        !gy_map_put(&p->clusters, gy_hash_bytes(key, strlen(key)), at) ||
        (shared == at && !gy_map_put(&p->traces, gy_hash_bytes(trace_key, strlen(trace_key)), at)))
        return gy_nomem(err);
    return 0;
}

static int add_point(struct prepare *p, const struct gy_scenario *sc, struct gy_error *err)
{
    struct gy_sweep *s = p->sweep;
    struct gy_json_doc *doc = resolved(sc, err);
    if (!doc)
        return -1;
    const struct gy_json *root = gy_json_root(doc);
    const char *key = section_text(&s->arena, root, "cluster", "trace");
    const char *trace_key = section_text(&s->arena, root, "trace", NULL);
    int rc = key && trace_key ? 0 : gy_nomem(err);
    size_t at = rc == 0 ? find_key(&p->clusters, p->keys.at, s->inputs.n, key) : 0;
    if (rc == 0 && at == s->inputs.n)
        rc = load_inputs(p, sc, key, trace_key, err);
    struct gy_point point = {.inputs = (uint32_t)at};
    if (rc == 0)
        rc = point_id(root, s->inputs.at[at], point.id, err);
    if (rc == 0 && !gy_vec_push(&s->points, point))
        rc = gy_nomem(err);
    gy_json_free(doc);
    return rc;
}

struct gy_sweep *gy_sweep_prepare(const struct gy_study *study, struct gy_diags *diags)
{
    struct gy_sweep *s = calloc(1, sizeof *s);
    struct prepare p = {.sweep = s};
    struct gy_error err = {0};
    if (!s) {
        gy_nomem(&err);
        gy_diags_add(diags, &err);
        return NULL;
    }
    s->study = study;
    const size_t n = gy_study_points(study);
    for (size_t i = 0; i < n && !err.code && diags->shown < GY_DIAGS_MAX; i++) {
        struct gy_scenario *sc = gy_study_scenario(study, i, diags);
        if (sc && diags->total == 0 && add_point(&p, sc, &err))
            gy_diags_add(diags, &err);
        gy_scenario_free(sc);
    }
    gy_map_free(&p.traces);
    gy_map_free(&p.clusters);
    gy_vec_free(&p.keys);
    gy_vec_free(&p.trace_keys);
    if (diags->total == 0)
        return s;
    gy_sweep_free(s);
    return NULL;
}

void gy_sweep_free(struct gy_sweep *s)
{
    if (!s)
        return;
    for (size_t i = s->inputs.n; i-- > 0;) { /* those that borrow a trace were loaded after its owner */
        gy_inputs_free(s->inputs.at[i]);
        free(s->inputs.at[i]);
    }
    gy_vec_free(&s->inputs);
    gy_vec_free(&s->points);
    gy_arena_free(&s->arena);
    free(s);
}
