/* Finding and loading catalogue entries: the embedded files by name or alias, a user's file by path. Not their layout,
 * which hardware.c holds. */
#include "gy_hardware.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "gy_bind.h"
#include "gy_json.h"

const struct gy_model_file *gy_model_file_find(const char *kind, const char *name)
{
    const struct gy_model_file *f;
    for (size_t i = 0; (f = gy_model_file_at(i)); i++)
        if (!strcmp(f->kind, kind) && !strcasecmp(f->name, name))
            return f;
    return NULL;
}

bool gy_model_is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".json")) ||
           (n > 8 && !strcmp(name + n - 8, ".json.gz"));
}

/* Whether the entry's alias list holds the name. Reads the text of the file's "aliases" only. */
static bool has_alias(const struct gy_model_file *f, const char *name)
{
    const char *list = strstr(f->text, "\"aliases\""), *end = list ? strchr(list, ']') : NULL;
    size_t n = strlen(name);
    for (const char *at = list; at && at < end; at++)
        if (*at == '"' && !strncasecmp(at + 1, name, n) && at[1 + n] == '"')
            return true;
    return false;
}

static const struct gy_model_file *by_name(const char *kind, const char *name)
{
    const struct gy_model_file *f = gy_model_file_find(kind, name);
    for (size_t i = 0; !f && (f = gy_model_file_at(i)); i++) {
        if (!strcmp(f->kind, kind) && has_alias(f, name))
            return f;
        f = NULL;
    }
    return f;
}

size_t gy_model_names(const char *kind, char names[][64], size_t most)
{
    const struct gy_model_file *f;
    size_t n = 0;
    for (size_t i = 0; n < most && (f = gy_model_file_at(i)); i++) {
        if (kind && strcmp(f->kind, kind) != 0)
            continue;
        snprintf(names[n++], 64, "%s", f->name);
        const char *list = strstr(f->text, "\"aliases\""), *end = list ? strchr(list, ']') : NULL;
        const char *at = end ? memchr(list, '[', (size_t)(end - list)) : NULL;
        while (at && n < most && (at = memchr(at, '"', (size_t)(end - at)))) {
            size_t len = strcspn(at + 1, "\"");
            snprintf(names[n++], 64, "%.*s", (int)(len < 63 ? len : 63), at + 1);
            at += len + 2;
        }
    }
    return n;
}

const char *gy_model_nearest(const char *kind, const char *name, char buf[64])
{
    enum { MOST = 512 };
    char(*names)[64] = malloc(MOST * sizeof *names);
    const char **at = malloc(MOST * sizeof *at), *near = NULL;
    size_t n = names && at ? gy_model_names(kind, names, MOST) : 0;
    for (size_t i = 0; i < n; i++)
        at[i] = names[i];
    near = n ? gy_nearest(name, at, n) : NULL;
    if (near)
        snprintf(buf, 64, "%s", near);
    free(names);
    free(at);
    return near ? buf : NULL;
}

static int unknown(const char *kind, const char *name, struct gy_error *err)
{
    char buf[64];
    const char *near = gy_model_nearest(kind, name, buf);
    gy_fail(err, GY_EINPUT, NULL, "no %s named \"%s\"", !strcmp(kind, "fabrics") ? "fabric" : kind, name);
    return near ? gy_hint(err, "did you mean \"%s\"?", near)
                : gy_hint(err, "`gpuyard models list` prints the names; a path of a JSON file is taken too");
}

struct gy_json_doc *gy_model_open(const char *kind, const char *name, struct gy_error *err)
{
    if (gy_model_is_path(name))
        return gy_json_load(name, err);
    const struct gy_model_file *f = by_name(kind, name);
    if (!f) {
        unknown(kind, name, err);
        return NULL;
    }
    char place[256];
    snprintf(place, sizeof place, "models/%s/%s.json", f->kind, f->name);
    return gy_json_parse(place, f->text, f->len, err);
}

static void *load(const char *kind, const char *name, const struct gy_param *table, size_t size, struct gy_arena *arena,
                  struct gy_error *err)
{
    struct gy_json_doc *doc = gy_model_open(kind, name, err);
    if (!doc)
        return NULL;
    struct gy_diags *diags = calloc(1, sizeof *diags);
    void *out = diags ? gy_arena_alloc(arena, size) : NULL;
    if (!out)
        gy_nomem(err);
    else if (gy_bind(table, doc, gy_json_root(doc), "", out, arena, diags)) {
        *err = diags->at[0];
        out = NULL;
    }
    free(diags);
    gy_json_free(doc);
    return out;
}

/* An absent figure is 0 with an empty source, not NaN. */
static void tidy(struct gy_figure *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!f[i].source)
            f[i] = (struct gy_figure){0, ""};
}

const struct gy_hw *gy_hw_find(const char *name, struct gy_arena *arena, struct gy_error *err)
{
    struct gy_hw *hw = load("hardware", name, gy_hw_table, sizeof *hw, arena, err);
    if (hw) {
        tidy(hw->gpu.peak_tflops, GY_PRECISIONS);
        tidy(&hw->intra.links, 1);
        tidy(&hw->intra.link_gbps, 1);
        tidy(&hw->collective.nvls_channels, 1);
        tidy(&hw->collective.nvls_channel_gbps, 1);
        tidy(&hw->collective.nvls_efficiency, 1);
    }
    if (hw && (hw->gpus.value < 1 || hw->gpus.value > 4096 || hw->collective.ring_channels.value <= 0 ||
               hw->collective.ring_channel_gbps.value <= 0 || hw->collective.pair_gbps.value <= 0)) {
        gy_fail(err, GY_EINPUT, name, "a node needs 1 to 4096 GPUs and positive rates in \"collective\"");
        return NULL;
    }
    return hw;
}

const struct gy_fabric *gy_fabric_find(const char *name, struct gy_arena *arena, struct gy_error *err)
{
    struct gy_fabric *f = load("fabrics", name, gy_fabric_table, sizeof *f, arena, err);
    if (f) {
        tidy(&f->nic_gbit, 1);
        tidy(&f->nics, 1);
        tidy(&f->domain_gpus, 1);
    }
    if (f && (f->latency_us.value < 0 || f->efficiency.value <= 0 || f->efficiency.value > 1)) {
        gy_fail(err, GY_EINPUT, name, "a fabric needs latency_us >= 0 and 0 < efficiency <= 1");
        return NULL;
    }
    return f;
}

const char *gy_hw_canonical(const char *name)
{
    const struct gy_model_file *f = by_name("hardware", name);
    return f ? f->name : NULL;
}
