/* Texts about inputs, for people and as JSON. Not metrics: those are the account's. */
#include <inttypes.h>
#include <string.h>
#include "gy_describe.h"
#include "gy_file.h"
#include "gy_vec.h"

const char *gy_grouped(uint64_t n, char *buf)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n), k = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf[k++] = ',';
        buf[k++] = digits[i];
    }
    buf[k] = '\0';
    return buf;
}

static void list_skips(const struct gy_trace_skips *skips, const char *word, struct gy_writer *to)
{
    char n[32], first[700];

    for (size_t i = 0; i < skips->n; i++) {
        const struct gy_trace_skip *s = &skips->at[i];
        gy_visible(s->first, strlen(s->first), first, sizeof first);
        gy_writer_printf(to, "           %s %s: %s (first: %s)\n", gy_grouped(s->count, n), word, s->why, first);
    }
}

void gy_describe_rows(const struct gy_trace *t, const char *path, struct gy_writer *to)
{
    char read[32], kept[32], skipped[32], shown[1024];

    gy_visible(path, strlen(path), shown, sizeof shown);
    gy_writer_printf(to, "trace      %s (%s): %s rows read, %s kept, %s skipped%s\n", shown, t->format,
                     gy_grouped(t->rows_read, read), gy_grouped(t->rows_kept, kept),
                     gy_grouped(t->rows_read - t->rows_kept, skipped),
                     t->was_unsorted ? "; sorted by submit time" : "");
    list_skips(&t->skips, "skipped", to);
    list_skips(&t->notes, "changed", to);
}

static void skips_json(const struct gy_trace_skips *skips, const char *key, struct gy_json_out *o)
{
    gy_jo_array(o, key);
    for (size_t i = 0; i < skips->n; i++) {
        gy_jo_object(o, NULL);
        gy_jo_string(o, "why", skips->at[i].why);
        gy_jo_integer(o, "rows", (int64_t)skips->at[i].count);
        gy_jo_string(o, "first", skips->at[i].first);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

void gy_describe_rows_json(const struct gy_trace *t, struct gy_json_out *o)
{
    gy_jo_string(o, "format", t->format);
    gy_jo_integer(o, "rows_read", (int64_t)t->rows_read);
    gy_jo_integer(o, "rows_kept", (int64_t)t->rows_kept);
    gy_jo_bool(o, "sorted_here", t->was_unsorted);
    if (t->origin[0] != '\0')
        gy_jo_string(o, "origin", t->origin);
    skips_json(&t->skips, "skipped", o);
    skips_json(&t->notes, "changed", o);
}

/* Nodes alike in what people ask about, in order of first appearance. */
struct kind {
    const struct gy_node_spec *like;
    uint64_t nodes, absent;
};
typedef GY_VEC(struct kind) kinds;

static bool alike(const struct gy_node_spec *a, const struct gy_node_spec *b)
{
    return a->gpus == b->gpus && a->gpu_type == b->gpu_type && a->gpu_mem_mib == b->gpu_mem_mib &&
           a->cpu_milli == b->cpu_milli && a->mem_mib == b->mem_mib && a->partitions == b->partitions &&
           a->speed == b->speed;
}

static void collect(const struct gy_cluster_spec *spec, kinds *out)
{
    for (size_t i = 0; i < spec->nodes.n; i++) {
        const struct gy_node_spec *n = &spec->nodes.at[i];
        size_t k = 0;
        while (k < out->n && !alike(out->at[k].like, n))
            k++;
        struct kind fresh = {n, 0, 0};
        if (k == out->n && !gy_vec_push(out, fresh))
            return;
        out->at[k].nodes++;
        out->at[k].absent += n->absent;
    }
}

static void list_partitions(const struct gy_cluster_spec *spec, uint64_t mask, struct gy_writer *to)
{
    const char *before = ", partition ";

    for (size_t p = 0; p < spec->partitions.n; p++) {
        if (!(mask >> p & 1))
            continue;
        gy_writer_printf(to, "%s%s", before, gy_strings_text(spec->strings, spec->partitions.at[p]));
        before = "+";
    }
}

static void describe_kind(const struct gy_cluster_spec *spec, const struct kind *k, struct gy_writer *to)
{
    const struct gy_node_spec *n = k->like;
    char nodes[32], number[32];

    gy_writer_printf(to, "           %s x %u", gy_grouped(k->nodes, nodes), n->gpus);
    gy_writer_printf(to, " %s", n->gpu_type == 0 ? "GPU" : gy_strings_text(spec->strings, n->gpu_type));
    if (n->gpu_mem_mib != 0) {
        gy_number_print(n->gpu_mem_mib / 1024.0, number);
        gy_writer_printf(to, " of %s GiB", number);
    }
    if (n->cpu_milli != 0) {
        gy_number_print((double)n->cpu_milli / 1000, number);
        gy_writer_printf(to, ", %s CPUs", number);
    }
    if (n->mem_mib != 0) {
        gy_number_print((double)n->mem_mib / 1024, number);
        gy_writer_printf(to, ", %s GiB", number);
    }
    if (n->speed != 1) {
        gy_number_print(n->speed, number);
        gy_writer_printf(to, ", speed %s", number);
    }
    list_partitions(spec, n->partitions, to);
    if (k->absent > 0)
        gy_writer_printf(to, "; %s of them not there at the start", gy_grouped(k->absent, nodes));
    gy_writer_text(to, "\n");
}

static uint64_t count_gpus(const struct gy_cluster_spec *spec)
{
    uint64_t gpus = 0;

    for (size_t i = 0; i < spec->nodes.n; i++)
        gpus += spec->nodes.at[i].gpus;
    return gpus;
}

const char *gy_cluster_text(const struct gy_cluster_spec *spec, struct gy_arena *arena)
{
    char nodes[32], gpus[32], text[256];
    const uint64_t total = count_gpus(spec);
    kinds all = {0};
    size_t n = (size_t)snprintf(text, sizeof text, "%s node%s, %s GPU%s", gy_grouped(spec->nodes.n, nodes),
                                spec->nodes.n == 1 ? "" : "s", gy_grouped(total, gpus), total == 1 ? "" : "s");

    collect(spec, &all);
    for (size_t i = 0; i < all.n && i < 4 && n + 80 < sizeof text; i++) {
        const struct gy_node_spec *like = all.at[i].like;
        const char *type = like->gpu_type == 0 ? "" : gy_strings_text(spec->strings, like->gpu_type);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s x %u%s%.24s", i == 0 ? ": " : ", ",
                              gy_grouped(all.at[i].nodes, nodes), like->gpus, type[0] == '\0' ? "" : " ", type);
    }
    if (all.n > 4)
        snprintf(text + n, sizeof text - n, ", …");
    gy_vec_free(&all);
    return gy_arena_printf(arena, "%s", text);
}

#define KINDS_SHOWN 12

void gy_describe_cluster(const struct gy_cluster_spec *spec, struct gy_writer *to)
{
    char nodes[32], gpus[32], more[32];
    kinds all = {0};

    collect(spec, &all);
    gy_writer_printf(to, "cluster    %s node%s, %s GPU%s", gy_grouped(spec->nodes.n, nodes),
                     spec->nodes.n == 1 ? "" : "s", gy_grouped(count_gpus(spec), gpus),
                     count_gpus(spec) == 1 ? "" : "s");
    if (spec->events.n > 0)
        gy_writer_printf(to, ", %s planned changes", gy_grouped(spec->events.n, more));
    gy_writer_text(to, "\n");
    for (size_t i = 0; i < all.n && i < KINDS_SHOWN; i++)
        describe_kind(spec, &all.at[i], to);
    if (all.n > KINDS_SHOWN)
        gy_writer_printf(to, "           and %s more kinds\n", gy_grouped(all.n - KINDS_SHOWN, more));
    gy_vec_free(&all);
}

void gy_describe_cluster_json(const struct gy_cluster_spec *spec, struct gy_json_out *o)
{
    kinds all = {0};

    collect(spec, &all);
    gy_jo_integer(o, "nodes", (int64_t)spec->nodes.n);
    gy_jo_integer(o, "gpus", (int64_t)count_gpus(spec));
    gy_jo_integer(o, "planned_changes", (int64_t)spec->events.n);
    gy_jo_array(o, "kinds");
    for (size_t i = 0; i < all.n; i++) {
        const struct gy_node_spec *n = all.at[i].like;
        gy_jo_object(o, NULL);
        gy_jo_integer(o, "nodes", (int64_t)all.at[i].nodes);
        gy_jo_integer(o, "gpus", n->gpus);
        gy_jo_string(o, "gpu_type", gy_strings_text(spec->strings, n->gpu_type));
        gy_jo_number(o, "cpus", (double)n->cpu_milli / 1000);
        gy_jo_number(o, "mem_gib", (double)n->mem_mib / 1024);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
    gy_vec_free(&all);
}
