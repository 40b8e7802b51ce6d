/* Writing a first scenario. What the files say comes from the loaders that a run uses, so it is what a run would see.
 */
#include "gy_init.h"
#include <stdlib.h>
#include <string.h>
#include "gy_hostlist.h"
#include "gy_trace.h"
#include "inside.h"

struct group {  /* nodes that differ in their names only */
    char *rest; /* the other keys, as compact JSON */
    GY_VEC(char *) names;
};
struct groups {
    GY_VEC(struct group) at;
};

static void free_groups(struct groups *g)
{
    for (size_t i = 0; i < g->at.n; i++) {
        for (size_t k = 0; k < g->at.at[i].names.n; k++)
            free(g->at.at[i].names.at[k]);
        gy_vec_free(&g->at.at[i].names);
        free(g->at.at[i].rest);
    }
    gy_vec_free(&g->at);
}

/* rest is taken over. Groups are few; the last one is nearly always it. */
static int add(struct groups *g, const char *name, char *rest, struct gy_error *err)
{
    size_t i = g->at.n;
    if (rest == NULL)
        return gy_nomem(err);
    while (i > 0 && strcmp(g->at.at[i - 1].rest, rest) != 0)
        i--;
    if (i == 0) {
        if (g->at.n >= 1000) {
            free(rest);
            return gy_fail(err, GY_EINPUT, NULL, "more than 1000 kinds of node; write the cluster by nodes_file");
        }
        if (!gy_vec_push(&g->at, (struct group){.rest = rest})) {
            free(rest);
            return gy_nomem(err);
        }
        i = g->at.n;
    } else
        free(rest);
    char *copy = strdup(name);
    return copy && gy_vec_push(&g->at.at[i - 1].names, copy) ? 0 : gy_nomem(err);
}

struct adding {
    struct groups *g;
    const char *rest;
};

static int add_name(void *ctx, const char *name, struct gy_error *err)
{
    const struct adding *a = ctx;
    return add(a->g, name, strdup(a->rest), err);
}

/* The keys of a node of the document but its name, in their order. */
static char *rest_of(const struct gy_json *node, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    struct gy_json_out o = {.to = w, .compact = true};
    size_t n = 0;
    if (w == NULL)
        return NULL;
    gy_jo_object(&o, NULL);
    for (const struct gy_json *c = gy_json_first(node); c != NULL; c = gy_json_next(c))
        if (strcmp(gy_json_key(c), "name") != 0 && strcmp(gy_json_key(c), "count") != 0)
            gy_jo_value(&o, gy_json_key(c), c);
    gy_jo_end(&o, '}');
    const char *text = gy_writer_memory(w, &n);
    char *copy = text ? strdup(text) : NULL;
    gy_writer_abandon(w);
    return copy;
}

static int from_document(const struct gy_json *nodes, struct groups *g, struct gy_error *err)
{
    for (const struct gy_json *c = gy_json_first(nodes); c != NULL; c = gy_json_next(c)) {
        char *rest = rest_of(c, err);
        struct adding a = {g, rest};
        const int rc = rest ? gy_hostlist_each(gy_json_string(gy_json_get(c, "name")), GY_MAX_NODES, add_name, &a, err)
                            : gy_nomem(err);
        free(rest);
        if (rc != 0)
            return -1;
    }
    return 0;
}

static char *rest_of_spec(const struct gy_cluster_spec *spec, const struct gy_node_spec *n, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    struct gy_json_out o = {.to = w, .compact = true};
    size_t len = 0;
    if (w == NULL)
        return NULL;
    gy_jo_object(&o, NULL);
    gy_jo_integer(&o, "gpus", n->gpus);
    if (*gy_strings_text(spec->strings, n->gpu_type))
        gy_jo_string(&o, "gpu_type", gy_strings_text(spec->strings, n->gpu_type));
    if (n->gpu_mem_mib)
        gy_jo_number(&o, "gpu_mem_gib", n->gpu_mem_mib / 1024.0);
    if (n->cpu_milli)
        gy_jo_number(&o, "cpus", (double)n->cpu_milli / 1000);
    if (n->mem_mib)
        gy_jo_number(&o, "mem_gib", (double)n->mem_mib / 1024);
    if (n->absent)
        gy_jo_bool(&o, "absent", true);
    gy_jo_end(&o, '}');
    const char *text = gy_writer_memory(w, &len);
    char *copy = text ? strdup(text) : NULL;
    gy_writer_abandon(w);
    return copy;
}

static int from_list(const char *path, struct groups *g, struct gy_error *err)
{
    struct gy_cluster_spec spec = {.strings = gy_strings_new()};
    struct gy_strings *strings = spec.strings;
    int rc = strings ? gy_nodes_load(path, NULL, &spec, NULL, err) : gy_nomem(err);
    for (size_t i = 0; rc == 0 && i < spec.nodes.n; i++)
        rc = add(g, gy_strings_text(strings, spec.nodes.at[i].name), rest_of_spec(&spec, &spec.nodes.at[i], err), err);
    gy_cluster_spec_free(&spec);
    gy_strings_free(strings);
    return rc;
}

/* Where the last run of digits of a name begins and ends; the same when it has none. */
static void digits(const char *name, size_t *from, size_t *to)
{
    size_t n = strlen(name);
    while (n > 0 && !(name[n - 1] >= '0' && name[n - 1] <= '9'))
        n--;
    *to = n;
    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    *from = n;
}

/* n001, n002, n003, x as "n[001-003],x". */
static char *host_list(const struct group *g)
{
    char *text = NULL, next[GY_HOST_NAME_MAX + 1];
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    for (size_t i = 0, end; f && i < g->names.n; i = end) {
        const char *first = g->names.at[i], *last = first;
        size_t from, to, last_from, last_to;
        for (end = i + 1; end < g->names.n && gy_hostlist_next(last, next) && strcmp(next, g->names.at[end]) == 0;
             end++)
            last = g->names.at[end];
        digits(first, &from, &to);
        digits(last, &last_from, &last_to);
        if (end == i + 1)
            fprintf(f, "%s%s", i ? "," : "", first);
        else
            fprintf(f, "%s%.*s[%.*s-%.*s]%s", i ? "," : "", (int)from, first, (int)(to - from), first + from,
                    (int)(last_to - last_from), last + last_from, first + to);
    }
    if (f == NULL || fclose(f) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static int write_groups(struct gy_json_out *o, const struct groups *g, struct gy_error *err)
{
    gy_jo_array(o, "nodes");
    for (size_t i = 0; i < g->at.n; i++) {
        const struct group *x = &g->at.at[i];
        char *list = host_list(x);
        struct gy_json_doc *rest = list ? gy_json_parse("nodes", x->rest, strlen(x->rest), err) : NULL;
        if (rest == NULL) {
            free(list);
            return list ? -1 : gy_nomem(err);
        }
        gy_jo_object(o, NULL);
        gy_jo_string(o, "name", list);
        if (x->names.n > 1)
            gy_jo_integer(o, "count", (int64_t)x->names.n);
        for (const struct gy_json *c = gy_json_first(gy_json_root(rest)); c != NULL; c = gy_json_next(c))
            gy_jo_value(o, gy_json_key(c), c);
        gy_jo_end(o, '}');
        gy_json_free(rest);
        free(list);
    }
    gy_jo_end(o, ']');
    return 0;
}

static size_t node_count(const struct groups *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->at.n; i++)
        n += g->at.at[i].names.n;
    return n;
}

static int count_name(void *ctx, const char *name, struct gy_error *err)
{
    (void)name;
    (void)err;
    ++*(size_t *)ctx;
    return 0;
}

/* A partition of all nodes is written without a list, so that nodes added later belong to it. */
static int write_partitions(struct gy_json_out *o, const struct gy_json *list, size_t nodes, struct gy_error *err)
{
    if (gy_json_count(list) == 0)
        return 0;
    gy_jo_comment(o, "Partitions; one without \"nodes\" is all of them, and of those that you add.");
    gy_jo_array(o, "partitions");
    for (const struct gy_json *p = gy_json_first(list); p != NULL; p = gy_json_next(p)) {
        const char *hosts = gy_json_string(gy_json_get(p, "nodes"));
        size_t n = 0;
        if (hosts && gy_hostlist_each(hosts, GY_MAX_NODES, count_name, &n, err) != 0)
            return -1;
        gy_jo_object(o, NULL);
        gy_jo_value(o, "name", gy_json_get(p, "name"));
        if (hosts && n < nodes)
            gy_jo_string(o, "nodes", hosts);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    return 0;
}

static int write_cluster(struct gy_json_out *o, const struct gy_init *i, const struct gy_json *said,
                         const struct groups *g, struct gy_error *err)
{
    const struct gy_json *ignored = gy_json_get(said, "slurm_conf_ignored");
    gy_jo_comment(o, i->slurm_conf
                         ? "The machines, as slurm.conf has them. To ask \"what if there were more\", change a count."
                     : i->nodes_file
                         ? "The machines of the node list. To ask \"what if there were more\", change a count."
                         : "The machines. gpuyard models list names the hardware; gpus, cpus … can be given instead.");
    gy_jo_object(o, "cluster");
    if (i->slurm_conf || i->nodes_file) {
        if (write_groups(o, g, err) != 0 ||
            write_partitions(o, gy_json_get(said, "partitions"), node_count(g), err) != 0)
            return -1;
        if (gy_json_count(ignored) > 0) {
            gy_jo_comment(o, "Keys of slurm.conf that have no meaning in a simulation, for the record.");
            gy_jo_value(o, "slurm_conf_ignored", ignored);
        }
    } else {
        gy_jo_array(o, "nodes");
        gy_jo_object(o, NULL);
        gy_jo_string(o, "name", "n");
        gy_jo_integer(o, "count", i->nodes);
        gy_jo_string(o, "hardware", i->hardware);
        gy_jo_end(o, '}');
        gy_jo_end(o, ']');
    }
    gy_jo_end(o, '}');
    return 0;
}

static void write_rest(struct gy_json_out *o, const struct gy_init *i, const struct gy_json *scheduler)
{
    gy_jo_comment(o, "The jobs. A path is relative to this file. gpuyard trace info shows what is in it.");
    gy_jo_object(o, "trace");
    gy_jo_string(o, "path", i->trace);
    gy_jo_end(o, '}');
    gy_jo_comment(o,
                  "Who runs next, and where. gpuyard policies list names the presets, policies show NAME their keys.");
    if (i->preset == NULL && scheduler != NULL) {
        gy_jo_value(o, "scheduler", scheduler);
    } else {
        gy_jo_object(o, "scheduler");
        gy_jo_string(o, "preset", i->preset ? i->preset : "easy");
        gy_jo_end(o, '}');
    }
    gy_jo_comment(o, "Thresholds make the exit status 1 when missed; uncomment to gate a configuration in CI.");
    gy_jo_comment(o, "\"thresholds\": [{ \"metric\": \"wait_s.p95\", \"max\": 3600 }],");
    gy_jo_comment(o, "USD a GPU-hour by GPU type, for cost by team.");
    gy_jo_comment(o, "\"prices\": { \"*\": 2.0 },");
    gy_jo_comment(o, "A sample every so many seconds for the plots.");
    gy_jo_object(o, "output");
    gy_jo_integer(o, "timeline_s", 600);
    gy_jo_end(o, '}');
}

/* A scenario that names the slurm.conf, or nothing, for the loader to fill in. */
static struct gy_json_doc *document(const char *slurm_conf, struct gy_error *err)
{
    struct gy_writer *w = gy_writer_open(NULL, err);
    struct gy_json_out o = {.to = w, .compact = true};
    size_t n = 0;
    if (w == NULL)
        return NULL;
    gy_jo_object(&o, NULL);
    gy_jo_object(&o, "cluster");
    if (slurm_conf)
        gy_jo_string(&o, "slurm_conf", slurm_conf);
    gy_jo_end(&o, '}');
    gy_jo_end(&o, '}');
    const char *text = gy_writer_memory(w, &n);
    struct gy_json_doc *doc = text ? gy_json_parse("", text, n, err) : (gy_nomem(err), NULL);
    gy_writer_abandon(w);
    return doc;
}

int gy_init_write(const struct gy_init *i, struct gy_writer *to, struct gy_error *err)
{
    struct gy_json_out o = {.to = to};
    struct groups g = {0};
    struct gy_json_doc *doc = document(i->slurm_conf, err);
    int rc = doc ? 0 : -1;
    if (rc == 0 && i->slurm_conf) {
        rc = gy_sc_slurm_conf(doc, err);
        if (rc == 0)
            rc = from_document(gy_json_at(gy_json_root(doc), "/cluster/nodes"), &g, err);
    } else if (rc == 0 && i->nodes_file)
        rc = from_list(i->nodes_file, &g, err);
    if (rc == 0) {
        const struct gy_json *root = gy_json_root(doc);
        gy_jo_object(&o, NULL);
        gy_jo_comment(
            &o, "Made by gpuyard init. Run it: gpuyard run THIS --out DIR. Every key: gpuyard schema scenario --keys.");
        gy_jo_string(&o, "name", i->name);
        gy_jo_integer(&o, "seed", 1);
        rc = write_cluster(&o, i, gy_json_get(root, "cluster"), &g, err);
        if (rc == 0)
            write_rest(&o, i, gy_json_get(root, "scheduler"));
        gy_jo_end(&o, '}');
    }
    free_groups(&g);
    gy_json_free(doc);
    return rc ? -1 : 0;
}
