/* Node lists that come with traces, as cluster nodes. A bad row is an error: a cluster with a node missing is another.
 */
#include <stdlib.h>
#include <string.h>
#include "csv_rows.h"
#include "gy_trace.h"
#include "nodes_k8s.h"
#include "reader.h"

struct list {
    struct gy_csv *csv;
    struct gy_input *in;
    struct gy_cluster_spec *spec;
    struct gy_error *err;
    int column[5];
};

struct kind {
    const char *name;
    bool header;
    const char *columns[5]; /* as in the header; a leading '?' is optional; without a header: by position */
    int (*row)(struct list *l, struct gy_node_spec *n);
};

static int wrong(struct list *l, const char *column, struct gy_field f, const char *want)
{
    char place[512], seen[128];

    snprintf(place, sizeof place, "%s:%llu", gy_input_name(l->in), (unsigned long long)gy_csv_line(l->csv));
    gy_visible(f.at, f.len < 100 ? f.len : 100, seen, sizeof seen);
    return gy_fail(l->err, GY_EINPUT, place, "%s: found \"%s\", wanted %s", column, seen, want);
}

static struct gy_field field(const struct list *l, int c)
{
    return l->column[c] < 0 ? (struct gy_field){"", 0} : gy_csv_field(l->csv, (size_t)l->column[c]);
}

/* A number ≥ 0 times scale. */
static int amount(struct list *l, const char *column, struct gy_field f, int64_t scale, uint64_t most, uint64_t *out)
{
    gy_time t;

    *out = 0;
    if (!gy_time_parse_in(f.at, f.len, scale, &t) || t < 0 || (uint64_t)t > most)
        return wrong(l, column, f, "a number from 0");
    *out = (uint64_t)t;
    return 0;
}

static int gpus(struct list *l, const char *column, struct gy_field f, struct gy_node_spec *n)
{
    uint64_t thousandths;

    if (amount(l, column, f, 1000, GY_MAX_NODE_GPUS * 1000ull, &thousandths) < 0)
        return gy_hint(l->err, "a node has at most %d GPUs here", GY_MAX_NODE_GPUS);
    if (thousandths % 1000 != 0)
        return wrong(l, column, f, "a whole number");
    n->gpus = (uint32_t)(thousandths / 1000);
    return 0;
}

static int text(struct list *l, struct gy_field f, gy_str *out)
{
    *out = gy_strings_add(l->spec->strings, f.at, f.len);
    return *out == GY_STR_FAIL ? gy_nomem(l->err) : 0;
}

static int named(struct list *l, const char *column, struct gy_node_spec *n)
{
    struct gy_field f = field(l, 0);

    return f.len == 0 ? wrong(l, column, f, "the node's name") : text(l, f, &n->name);
}

static int row_openb(struct list *l, struct gy_node_spec *n)
{
    if (named(l, "sn", n) < 0 || amount(l, "cpu_milli", field(l, 1), 1, UINT32_MAX, &n->cpu_milli) < 0 ||
        amount(l, "memory_mib", field(l, 2), 1, (uint64_t)1 << 40, &n->mem_mib) < 0 ||
        gpus(l, "gpu", field(l, 3), n) < 0)
        return -1;
    return text(l, field(l, 4), &n->gpu_type);
}

/* machine,gpu_type,cap_cpu,cap_mem (GB),cap_gpu; CPU machines have the type "CPU" and no GPU. */
static int row_pai(struct list *l, struct gy_node_spec *n)
{
    if (named(l, "machine", n) < 0 || amount(l, "cap_cpu", field(l, 2), 1000, UINT32_MAX, &n->cpu_milli) < 0 ||
        amount(l, "cap_mem", field(l, 3), 1024, (uint64_t)1 << 40, &n->mem_mib) < 0 ||
        gpus(l, "cap_gpu", field(l, 4), n) < 0)
        return -1;
    return n->gpus == 0 ? 0 : text(l, field(l, 1), &n->gpu_type);
}

/* machineId, number of GPUs, single GPU mem ("12GB"). CPUs and memory are not known. */
static int row_philly(struct list *l, struct gy_node_spec *n)
{
    struct gy_field mem = field(l, 2);
    uint64_t mib;

    if (named(l, "machineId", n) < 0 || gpus(l, "number of GPUs", field(l, 1), n) < 0)
        return -1;
    if (mem.len == 0)
        return 0;
    if (mem.len > 2 && strcmp(mem.at + mem.len - 2, "GB") == 0)
        mem.len -= 2;
    if (amount(l, "single GPU mem", mem, 1024, (uint64_t)1 << 31, &mib) < 0)
        return gy_hint(l->err, "the memory of one GPU, such as 12GB");
    n->gpu_mem_mib = (uint32_t)mib;
    return 0;
}

static const struct kind kinds[] = {
    {"openb", true, {"sn", "cpu_milli", "memory_mib", "gpu", "?model"}, row_openb},
    {"philly", true, {"machineId", "number of GPUs", "?single GPU mem"}, row_philly},
    {"tiresias", true, {"num_switch", "num_node_p_switch", "num_gpu_p_node", "num_cpu_p_node", "mem_p_node"}, NULL},
    {"pai", false, {"machine", "gpu_type", "cap_cpu", "cap_mem", "cap_gpu"}, row_pai},
};

static int push(struct list *l, const struct gy_node_spec *n)
{
    if (l->spec->nodes.n >= GY_MAX_NODES)
        return gy_fail(l->err, GY_EINPUT, gy_input_name(l->in), "more than %u nodes", GY_MAX_NODES);
    return gy_vec_push(&l->spec->nodes, *n) ? 0 : gy_nomem(l->err);
}

static struct gy_node_spec blank_node(void)
{
    return (struct gy_node_spec){.hardware = UINT32_MAX, .leaf = UINT32_MAX, .speed = 1};
}

/* num_switch,num_node_p_switch,num_gpu_p_node,num_cpu_p_node,mem_p_node (GB): nodes "s<switch>n<node>", a leaf a
 * switch. */
static int row_tiresias(struct list *l)
{
    uint64_t switches, nodes;
    struct gy_node_spec n = blank_node();
    char name[64];

    if (amount(l, "num_switch", field(l, 0), 1, GY_MAX_NODES, &switches) < 0 ||
        amount(l, "num_node_p_switch", field(l, 1), 1, GY_MAX_NODES, &nodes) < 0 ||
        gpus(l, "num_gpu_p_node", field(l, 2), &n) < 0 ||
        amount(l, "num_cpu_p_node", field(l, 3), 1000, UINT32_MAX, &n.cpu_milli) < 0 ||
        amount(l, "mem_p_node", field(l, 4), 1024, (uint64_t)1 << 40, &n.mem_mib) < 0)
        return -1;
    if (switches * nodes > GY_MAX_NODES)
        return wrong(l, "num_node_p_switch", field(l, 1), "fewer nodes");
    for (uint64_t s = 0; s < switches; s++)
        for (uint64_t i = 0; i < nodes; i++) {
            int len = snprintf(name, sizeof name, "s%llun%llu", (unsigned long long)s, (unsigned long long)i);
            n.leaf = (uint32_t)s;
            if (text(l, (struct gy_field){name, (size_t)len}, &n.name) < 0 || push(l, &n) < 0)
                return -1;
        }
    return 0;
}

static int columns(struct list *l, const struct kind *k)
{
    char place[512];

    for (int c = 0; c < 5; c++) {
        const char *name = k->columns[c];
        l->column[c] = k->header ? -1 : c;
        if (!k->header || name == NULL)
            continue;
        bool optional = name[0] == '?';
        l->column[c] = gy_csv_column(l->csv, name + optional);
        if (l->column[c] < 0 && !optional) {
            snprintf(place, sizeof place, "%s:%llu", gy_input_name(l->in), (unsigned long long)gy_csv_line(l->csv));
            return gy_fail(l->err, GY_EINPUT, place, "no column \"%s\" in the header of a \"%s\" node list", name,
                           k->name);
        }
    }
    return 0;
}

static int row(struct list *l, const struct kind *k)
{
    struct gy_node_spec n = blank_node();
    size_t want = k->header ? gy_csv_columns(l->csv) : 5;
    char place[512];

    if (gy_csv_fields(l->csv) < want) {
        snprintf(place, sizeof place, "%s:%llu", gy_input_name(l->in), (unsigned long long)gy_csv_line(l->csv));
        return gy_fail(l->err, GY_EINPUT, place, "%zu fields, %zu were expected", gy_csv_fields(l->csv), want);
    }
    if (k->row == NULL)
        return row_tiresias(l);
    return k->row(l, &n) < 0 ? -1 : push(l, &n);
}

static int read_all(struct list *l, const struct kind *k)
{
    size_t before = l->spec->nodes.n;
    char place[512];
    int got;

    if (k->header && gy_csv_header(l->csv, l->err) < 0)
        return -1;
    if (columns(l, k) < 0)
        return -1;
    while ((got = gy_csv_next(l->csv, l->err)) != 0) {
        if (got == 2) {
            snprintf(place, sizeof place, "%s:%llu", gy_input_name(l->in), (unsigned long long)gy_csv_line(l->csv));
            gy_fail(l->err, GY_EINPUT, place, "%s", gy_csv_why(l->csv));
        }
        if (got != 1 || row(l, k) < 0)
            return -1;
    }
    return l->spec->nodes.n > before ? 0 : gy_fail(l->err, GY_EINPUT, gy_input_name(l->in), "no node in it");
}

/* Five fields in the first line, the last three numbers: a machine_spec without its header. */
static bool looks_like_pai(const char *bytes, size_t n)
{
    size_t commas = 0;
    const char *third = NULL;

    for (size_t i = 0; i < n && bytes[i] != '\n'; i++)
        if (bytes[i] == ',' && ++commas == 2)
            third = bytes + i + 1;
    return commas == 4 && gy_number_len(third, n - (size_t)(third - bytes)) > 0;
}

static const struct kind *choose(struct gy_input *in, const char *format, struct gy_error *err)
{
    const char *bytes;

    for (size_t i = 0; format != NULL && i < GY_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, format) == 0)
            return &kinds[i];
    if (format != NULL) {
        gy_fail(err, GY_EUSAGE, NULL, "unknown node list format \"%s\"", format);
        gy_hint(err, "known: openb, philly, tiresias, pai, k8s");
        return NULL;
    }
    err->code = GY_OK;
    size_t n = gy_input_peek(in, &bytes, err);
    if (err->code != GY_OK)
        return NULL;
    for (size_t i = 0; i < GY_COUNT(kinds); i++) {
        size_t required = 0;
        while (required < 5 && kinds[i].columns[required] != NULL && kinds[i].columns[required][0] != '?')
            required++;
        if (kinds[i].header && gy_sniff_columns(bytes, n, ',', kinds[i].columns, required))
            return &kinds[i];
        if (!kinds[i].header && looks_like_pai(bytes, n))
            return &kinds[i];
    }
    gy_fail(err, GY_EINPUT, gy_input_name(in),
            n == 0 ? "the file is empty; a node list was expected" : "not a node list that is known");
    gy_hint(err, "known: openb (sn,cpu_milli,…), philly (machineId,number of GPUs,…), tiresias (num_switch,…), pai "
                 "(machine_spec without a header), k8s (kubectl get nodes -o json or yaml)");
    return NULL;
}

int gy_nodes_load_input(struct gy_input *in, const char *format, struct gy_cluster_spec *spec, struct gy_error *err)
{
    struct list l = {.spec = spec, .err = err, .in = in};
    int done = -1;
    const char *bytes;

    if (spec->label_sets.n == 0 && !gy_vec_push(&spec->label_sets, ((struct gy_label_set){NULL, 0})))
        return gy_nomem(err);
    err->code = GY_OK;
    const size_t peeked = format == NULL ? gy_input_peek(in, &bytes, err) : 0;
    if (err->code != GY_OK)
        return -1;
    if (format != NULL ? strcmp(format, "k8s") == 0 : gy_k8s_sniff(bytes, peeked))
        return gy_k8s_nodes(in, spec, err);
    const struct kind *k = choose(l.in, format, err);
    if (k != NULL && (l.csv = gy_csv_new(l.in, ',', err)) != NULL)
        done = read_all(&l, k);
    gy_csv_free(l.csv);
    return done;
}

int gy_nodes_load(const char *path, const char *format, struct gy_cluster_spec *spec, char sha256[65],
                  struct gy_error *err)
{
    struct gy_input *in = gy_input_open(path, err);

    if (in == NULL)
        return -1;
    int done = gy_nodes_load_input(in, format, spec, err);
    if (done == 0 && sha256 != NULL)
        gy_input_sha256(in, sha256);
    gy_input_close(in);
    return done;
}
