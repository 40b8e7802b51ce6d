/* Kubernetes nodes, as `kubectl get nodes -o json` or `-o yaml` prints them (a List, one Node, or several documents),
 * as cluster nodes. What can be allocated counts, not what is built in. GPUs are nvidia.com/gpu, amd.com/gpu or
 * gpu.intel.com/i915, their type nvidia.com/gpu.product. Labels are kept, but for kubernetes.io/hostname, which tells
 * nodes apart that are alike; taints become labels "taint:KEY=VALUE:EFFECT", and spec.unschedulable leaves the node
 * absent. MIG slices and shared replicas are not GPUs here: they are refused, since counting them as whole ones would
 * be wrong. */
#include "nodes_k8s.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "gy_json.h"
#include "gy_units.h"

struct k8s {
    struct gy_cluster_spec *spec;
    struct gy_error *err;
    const char *file;
    size_t item;
};

static int wrong(const struct k8s *k, const char *name, const char *what, const char *seen)
{
    char place[512];
    snprintf(place, sizeof place, "%s: node %zu%s%s", k->file, k->item + 1, *name ? " " : "", name);
    return gy_fail(k->err, GY_EINPUT, place, "%s%s%s%s", what, seen ? ", found \"" : "", seen ? seen : "",
                   seen ? "\"" : "");
}

/* A resource quantity in units of 1: "8", 8, "127500m", "263856Ki", "1.5G". NaN: none of these. */
static double quantity(const struct gy_json *v)
{
    static const struct {
        const char *suffix;
        double factor;
    } units[] = {{"", 1},     {"m", 1e-3},  {"k", 1e3},     {"M", 1e6},     {"G", 1e9},     {"T", 1e12},
                 {"P", 1e15}, {"Ki", 1024}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"Pi", 0x1p50}};
    const char *s = gy_json_string(v);
    if (s == NULL)
        return gy_json_number(v);
    const size_t n = gy_number_len(s, strlen(s));
    if (n == 0 || n > 40)
        return NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(s + n, units[i].suffix) == 0)
            return strtod(s, NULL) * units[i].factor;
    return NAN;
}

static int take_quantity(const struct k8s *k, const char *name, const struct gy_json *from, const char *key,
                         double scale, double most, uint64_t *out)
{
    const struct gy_json *v = gy_json_get(from, key);
    *out = 0;
    if (v == NULL)
        return 0;
    const double q = quantity(v) * scale;
    char what[128];
    if (q >= 0 && q <= most) {
        *out = (uint64_t)floor(q + 1e-9);
        return 0;
    }
    snprintf(what, sizeof what, "%s: wanted a quantity such as 8, 500m or 64Gi", key);
    return wrong(k, name, what, gy_json_string(v));
}

static char *taint_text(const struct gy_json *t)
{
    const char *key = gy_json_string(gy_json_get(t, "key")), *value = gy_json_string(gy_json_get(t, "value")),
               *effect = gy_json_string(gy_json_get(t, "effect"));
    char *text = NULL;
    if (key == NULL || effect == NULL || asprintf(&text, "taint:%s=%s:%s", key, value ? value : "", effect) < 0)
        return NULL;
    return text;
}

static int labels_of(const struct k8s *k, const struct gy_json *labels, const struct gy_json *taints, uint32_t *index)
{
    const size_t room = gy_json_count(labels) + gy_json_count(taints);
    char **texts = calloc(room + 1, sizeof *texts);
    size_t n = 0;
    int rc = texts ? 0 : gy_nomem(k->err);
    for (const struct gy_json *c = rc ? NULL : gy_json_first(labels); c != NULL; c = gy_json_next(c)) {
        const char *key = gy_json_key(c), *value = gy_json_string(c);
        if (key && value && strcmp(key, "kubernetes.io/hostname") != 0 && asprintf(&texts[n], "%s=%s", key, value) > 0)
            n++;
    }
    for (const struct gy_json *c = rc ? NULL : gy_json_first(taints); c != NULL; c = gy_json_next(c))
        if ((texts[n] = taint_text(c)) != NULL)
            n++;
    if (rc == 0)
        rc = gy_cluster_label_set(k->spec, texts, n, index, k->err);
    while (n-- > 0)
        free(texts[n]);
    free(texts);
    return rc;
}

static int gpus_of(const struct k8s *k, const char *name, const struct gy_json *room, const struct gy_json *labels,
                   struct gy_node_spec *n)
{
    static const char *const kinds[] = {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915"};
    const char *type = gy_json_string(gy_json_get(labels, "nvidia.com/gpu.product"));
    const char *replicas = gy_json_string(gy_json_get(labels, "nvidia.com/gpu.replicas"));
    uint64_t gpus = 0, mib = 0;
    for (const struct gy_json *c = gy_json_first(room); c != NULL; c = gy_json_next(c))
        if (gy_json_key(c) && strncmp(gy_json_key(c), "nvidia.com/mig-", 15) == 0 && quantity(c) > 0)
            return wrong(k, name, "its GPUs are cut into MIG slices, which are not modelled", gy_json_key(c));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && gpus == 0; i++)
        if (take_quantity(k, name, room, kinds[i], 1, GY_MAX_NODE_GPUS, &gpus) != 0)
            return -1;
    if (gpus > 0 && replicas && strtol(replicas, NULL, 10) > 1)
        return wrong(k, name,
                     "its GPUs are counted several times over (time slicing); wanted nvidia.com/gpu.replicas 1",
                     replicas);
    n->gpus = (uint32_t)gpus;
    if (gpus == 0)
        return 0;
    if (take_quantity(k, name, labels, "nvidia.com/gpu.memory", 1, 0x1p31, &mib) != 0)
        return -1;
    n->gpu_mem_mib = (uint32_t)mib;
    n->gpu_type = gy_strings_add(k->spec->strings, type ? type : "", type ? strlen(type) : 0);
    return n->gpu_type == GY_STR_FAIL ? gy_nomem(k->err) : 0;
}

static int one_node(struct k8s *k, const struct gy_json *v)
{
    const struct gy_json *meta = gy_json_get(v, "metadata"), *spec = gy_json_get(v, "spec"),
                         *status = gy_json_get(v, "status"), *labels = gy_json_get(meta, "labels"),
                         *room = gy_json_get(status, "allocatable");
    const char *name = gy_json_string(gy_json_get(meta, "name"));
    struct gy_node_spec n = {.hardware = UINT32_MAX, .leaf = UINT32_MAX, .speed = 1};
    uint64_t cpu_milli, mem;
    if (room == NULL)
        room = gy_json_get(status, "capacity");
    if (name == NULL || *name == '\0')
        return wrong(k, "", "no metadata.name", NULL);
    if (room == NULL)
        return wrong(k, name, "neither status.allocatable nor status.capacity", NULL);
    n.name = gy_strings_add(k->spec->strings, name, strlen(name));
    if (n.name == GY_STR_FAIL)
        return gy_nomem(k->err);
    if (take_quantity(k, name, room, "cpu", 1000, UINT32_MAX, &cpu_milli) != 0 ||
        take_quantity(k, name, room, "memory", 0x1p-20, 0x1p40, &mem) != 0 || gpus_of(k, name, room, labels, &n) != 0 ||
        labels_of(k, labels, gy_json_get(spec, "taints"), &n.labels) != 0)
        return -1;
    n.cpu_milli = cpu_milli;
    n.mem_mib = mem;
    n.absent = gy_json_true(gy_json_get(spec, "unschedulable"));
    if (k->spec->nodes.n >= GY_MAX_NODES)
        return gy_fail(k->err, GY_EINPUT, k->file, "more than %u nodes", GY_MAX_NODES);
    k->item++;
    return gy_vec_push(&k->spec->nodes, n) ? 0 : gy_nomem(k->err);
}

static int any(struct k8s *k, const struct gy_json *v, int depth)
{
    const char *kind = gy_json_string(gy_json_get(v, "kind"));
    const struct gy_json *items = gy_json_get(v, "items");
    if (gy_json_type(v) == GY_J_ARRAY)
        items = v;
    if (items != NULL && depth < 4) {
        for (const struct gy_json *c = gy_json_first(items); c != NULL; c = gy_json_next(c))
            if (any(k, c, depth + 1) != 0)
                return -1;
        return 0;
    }
    return kind && strcmp(kind, "Node") == 0 ? one_node(k, v) : 0; /* other kinds of object are passed over */
}

bool gy_k8s_sniff(const char *bytes, size_t n)
{
    char head[4097];
    n = n < sizeof head - 1 ? n : sizeof head - 1;
    memcpy(head, bytes, n);
    head[n] = '\0';
    return strstr(head, "apiVersion") != NULL && (strstr(head, "kind") != NULL || strchr(head, '{') != NULL);
}

int gy_k8s_nodes(struct gy_input *in, struct gy_cluster_spec *spec, struct gy_error *err)
{
    struct k8s k = {.spec = spec, .err = err, .file = gy_input_name(in)};
    struct gy_json_doc *doc = gy_yaml_load_input(in, err);
    if (doc == NULL)
        return -1;
    int rc = any(&k, gy_json_root(doc), 0);
    if (rc == 0 && k.item == 0)
        rc = gy_fail(err, GY_EINPUT, k.file, "no object of kind Node in it");
    gy_json_free(doc);
    return rc;
}
