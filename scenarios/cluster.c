/* The nodes of a scenario's cluster: groups expanded to names, with their partitions, labels and leaves. What happens
 * to them over time is in capacity.c; node lists of traces are read by traces/. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "builder.h"
#include "gy_file.h"
#include "gy_hostlist.h"

/* One group while its names are made. */
struct group {
    struct gy_builder *b;
    struct gy_node_spec like;
    char last[GY_HOST_NAME_MAX + 1];
    size_t made, most;
    char pointer[64];
};

int gy_builder_fail(struct gy_builder *b, const char *pointer)
{
    char place[sizeof b->err->place];

    gy_json_place(b->s->doc, pointer, place, sizeof place);
    memcpy(b->err->place, place, sizeof place);
    return -1;
}

static gy_str intern(struct gy_builder *b, const char *text)
{
    gy_str id = gy_strings_add(b->spec->strings, text, strlen(text));

    if (id == GY_STR_FAIL)
        gy_nomem(b->err);
    return id;
}

uint64_t gy_builder_partition(struct gy_builder *b, const char *name, size_t len, const char *pointer)
{
    struct gy_cluster_spec *spec = b->spec;
    gy_str id = gy_strings_add(spec->strings, name, len);
    size_t p = 0;

    if (id == GY_STR_FAIL)
        return gy_nomem(b->err), 0;
    while (p < spec->partitions.n && spec->partitions.at[p] != id)
        p++;
    if (p == GY_MAX_PARTITIONS)
        return gy_sc_fail(b->s, b->err, pointer, "more than %d partitions", GY_MAX_PARTITIONS), 0;
    if (p == spec->partitions.n && !gy_vec_push(&spec->partitions, id))
        return gy_nomem(b->err), 0;
    return 1ull << p;
}

/* "a,b" or one name: adds the bits. */
static int partition_text(struct gy_builder *b, const char *text, const char *pointer, uint64_t *bits)
{
    while (*text != '\0') {
        size_t len = strcspn(text, ","), skip = strspn(text, " ");
        if (skip < len) {
            uint64_t bit = gy_builder_partition(b, text + skip, len - skip, pointer);
            if (bit == 0)
                return -1;
            *bits |= bit;
        }
        text += len + (text[len] == ',');
    }
    return 0;
}

static int partitions_of(struct gy_builder *b, const struct gy_json *v, const char *group, uint64_t *bits)
{
    char pointer[96];
    size_t i = 0;

    snprintf(pointer, sizeof pointer, "%s/partition", group);
    if (v == NULL || gy_json_type(v) == GY_J_NULL)
        return 0;
    if (gy_json_type(v) == GY_J_STRING)
        return partition_text(b, gy_json_string(v), pointer, bits);
    if (gy_json_type(v) != GY_J_ARRAY)
        return gy_sc_fail(b->s, b->err, pointer, "expected a string or an array of strings, found %s",
                          gy_json_type_name(v));
    for (const struct gy_json *c = gy_json_first(v); c != NULL; c = gy_json_next(c), i++) {
        snprintf(pointer, sizeof pointer, "%s/partition/%zu", group, i);
        if (gy_json_type(c) != GY_J_STRING)
            return gy_sc_fail(b->s, b->err, pointer, "expected a string, found %s", gy_json_type_name(c));
        if (partition_text(b, gy_json_string(c), pointer, bits) != 0)
            return -1;
    }
    return 0;
}

static int labels_of(struct gy_builder *b, const struct gy_json *v, const char *group, uint32_t *index)
{
    struct gy_arena arena = GY_ARENA_INIT;
    char pointer[96];
    size_t n = 0;
    int rc = 0;

    if (v == NULL || gy_json_type(v) == GY_J_NULL || gy_json_count(v) == 0)
        return 0;
    snprintf(pointer, sizeof pointer, "%s/labels", group);
    if (gy_json_type(v) != GY_J_OBJECT)
        return gy_sc_fail(b->s, b->err, pointer, "expected an object of strings, found %s", gy_json_type_name(v));
    char **texts = gy_arena_alloc(&arena, gy_json_count(v) * sizeof *texts);
    for (const struct gy_json *c = gy_json_first(v); c != NULL && texts != NULL && rc == 0; c = gy_json_next(c)) {
        const char *value = gy_json_string(c);
        if (value == NULL)
            rc = gy_sc_fail(b->s, b->err, pointer, "label \"%s\": expected a string, found %s", gy_json_key(c),
                            gy_json_type_name(c));
        else if ((texts[n++] = gy_arena_printf(&arena, "%s=%s", gy_json_key(c), value)) == NULL)
            rc = gy_nomem(b->err);
    }
    if (texts == NULL)
        rc = gy_nomem(b->err);
    if (rc == 0)
        rc = gy_cluster_label_set(b->spec, texts, n, index, b->err);
    gy_arena_free(&arena);
    return rc;
}

static int leaf_of(struct gy_builder *b, const char *name, uint32_t *leaf)
{
    size_t i = 0;

    if (name == NULL)
        return 0;
    gy_str id = intern(b, name);
    if (id == GY_STR_FAIL)
        return -1;
    while (i < b->leaves.n && b->leaves.at[i] != id)
        i++;
    if (i == b->leaves.n && !gy_vec_push(&b->leaves, id))
        return gy_nomem(b->err);
    *leaf = (uint32_t)i;
    return 0;
}

static int template_of(struct gy_builder *b, const struct gy_sc_nodes *g, const char *pointer,
                       struct gy_node_spec *like)
{
    *like = (struct gy_node_spec){.gpus = (uint32_t)g->gpus,
                                  .gpu_mem_mib = (uint32_t)llround(g->gpu_mem_gib * 1024),
                                  .cpu_milli = (uint64_t)llround(g->cpus * 1000),
                                  .mem_mib = (uint64_t)llround(g->mem_gib * 1024),
                                  .hardware = UINT32_MAX,
                                  .leaf = UINT32_MAX,
                                  .speed = g->speed,
                                  .absent = g->absent};
    if (g->gpu_type != NULL && (like->gpu_type = intern(b, g->gpu_type)) == GY_STR_FAIL)
        return -1;
    if (partitions_of(b, g->partition, pointer, &like->partitions) != 0 ||
        labels_of(b, g->labels, pointer, &like->labels) != 0)
        return -1;
    return leaf_of(b, g->leaf, &like->leaf);
}

static int add_node(void *ctx, const char *name, struct gy_error *err)
{
    struct group *g = ctx;
    struct gy_cluster_spec *spec = g->b->spec;

    if (g->most > 0 && g->made == g->most)
        return 1; /* count says fewer than the host list */
    g->like.name = intern(g->b, name);
    if (g->like.name == GY_STR_FAIL)
        return -1;
    if (spec->nodes.n == GY_MAX_NODES)
        return gy_fail(err, GY_EINPUT, NULL, "more than %u nodes", GY_MAX_NODES);
    if (!gy_vec_push(&spec->nodes, g->like))
        return gy_nomem(err);
    snprintf(g->last, sizeof g->last, "%s", name);
    g->made++;
    return 0;
}

/* Prefix and count: n001 … n128, as wide as the count. */
static int add_counted(struct group *g, const char *prefix, size_t count, struct gy_error *err)
{
    char name[GY_HOST_NAME_MAX + 1];
    int width = snprintf(NULL, 0, "%zu", count);
    const char *dash = prefix[0] != '\0' && strchr("0123456789", prefix[strlen(prefix) - 1]) != NULL ? "-" : "";

    for (size_t i = 1; i <= count; i++) {
        int len = snprintf(name, sizeof name, "%s%s%0*zu", prefix, dash, width, i);
        if (len < 0 || (size_t)len >= sizeof name)
            return gy_fail(err, GY_EINPUT, NULL, "the name \"%s\" is too long", prefix);
        if (add_node(g, name, err) != 0)
            return -1;
    }
    return 0;
}

/* A host list, cut or continued to count where that is given. */
static int add_listed(struct group *g, const char *list, size_t count, struct gy_error *err)
{
    g->most = count;
    if (gy_hostlist_each(list, GY_MAX_NODES, add_node, g, err) < 0)
        return -1;
    while (g->made < count) {
        char name[GY_HOST_NAME_MAX + 1];
        if (!gy_hostlist_next(g->last, name))
            return gy_fail(err, GY_EINPUT, NULL, "\"%s\" names %zu nodes and cannot be continued to count %zu", list,
                           g->made, count);
        if (add_node(g, name, err) != 0)
            return -1;
    }
    return 0;
}

static int add_group(struct gy_builder *b, size_t i, const struct gy_sc_nodes *g, size_t groups)
{
    struct group group = {.b = b};
    char prefix[32];
    int rc;

    snprintf(group.pointer, sizeof group.pointer, "/cluster/nodes/%zu", i);
    if (template_of(b, g, group.pointer, &group.like) != 0)
        return -1;
    snprintf(prefix, sizeof prefix, groups > 1 ? "node%zu-" : "node", i + 1);
    const char *name = g->name == NULL ? prefix : g->name;
    if (g->count == 0)
        return 0; /* a group that a study has taken away */
    if (g->name != NULL && (g->count < 0 || strpbrk(name, "[,") != NULL))
        rc = add_listed(&group, name, g->count < 0 ? 0 : (size_t)g->count, b->err);
    else
        rc = add_counted(&group, name, g->count < 0 ? 1 : (size_t)g->count, b->err);
    return rc < 0 ? gy_builder_fail(b, group.pointer) : 0;
}

static int add_groups(struct gy_builder *b)
{
    const struct gy_sc_nodes *g = b->s->cluster.nodes.at;

    for (size_t i = 0; i < b->s->cluster.nodes.n; i++)
        if (add_group(b, i, &g[i], b->s->cluster.nodes.n) != 0)
            return -1;
    return 0;
}

static int add_file(struct gy_builder *b, struct gy_inputs *in)
{
    const struct gy_sc_cluster *c = &b->s->cluster;
    char sha256[65];

    if (c->slurm_conf != NULL) {
        char *text = gy_file_slurp(c->slurm_conf, 1 << 24, NULL, sha256, b->err);
        if (text == NULL)
            return -1;
        free(text);
        if (gy_inputs_note(in, "slurm_conf", c->slurm_conf, sha256, b->err) != 0)
            return -1;
    }
    if (c->nodes_file == NULL)
        return 0;
    if (gy_nodes_load(c->nodes_file, c->nodes_format, b->spec, sha256, b->err) != 0)
        return -1;
    return gy_inputs_note(in, "nodes", c->nodes_file, sha256, b->err);
}

/* Placements are written "node:0-3;node2:0", so a name with these signs, or with control bytes, would not read back. */
static int check_names(const struct gy_builder *b)
{
    for (size_t i = 0; i < b->spec->nodes.n; i++) {
        const char *name = gy_strings_text(b->spec->strings, b->spec->nodes.at[i].name);
        for (const char *c = name; *c != '\0'; c++)
            if (*c == ':' || *c == ';' || (unsigned char)*c < ' ' || *c == 0x7f) {
                char seen[160];
                gy_visible(name, strlen(name) < 100 ? strlen(name) : 100, seen, sizeof seen);
                return gy_sc_fail(b->s, b->err, "/cluster",
                                  "the node name \"%s\" has a ':', a ';' or a control byte; placements could not be "
                                  "written with it",
                                  seen);
            }
    }
    return 0;
}

int gy_scenario_cluster(const struct gy_scenario *s, struct gy_strings *strings, struct gy_inputs *in,
                        struct gy_error *err)
{
    struct gy_builder b = {.s = s, .spec = &in->cluster, .in = in, .err = err};
    const struct gy_label_set none = {0};
    int rc = 0;

    in->cluster.strings = strings;
    if (!gy_vec_push(&in->cluster.label_sets, none))
        return gy_nomem(err);
    if (add_groups(&b) != 0 || add_file(&b, in) != 0)
        rc = -1;
    else if (in->cluster.nodes.n == 0)
        rc = gy_sc_fail(s, err, "/cluster", "the cluster has no nodes; give \"nodes\" or \"nodes_file\"");
    else
        rc = check_names(&b) != 0 || gy_builder_capacity(&b) != 0 ? -1 : 0;
    gy_vec_free(&b.leaves);
    return rc;
}
