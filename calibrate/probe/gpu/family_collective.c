/* NCCL collectives by operation, message size, placement and group of GPUs, float32. On one GPU a collective is a local
 * copy: measured as such, with ranks 1 and busbw 0. */
#include "gpu.h"
#include <string.h>

static void add_sizes(const struct gy_probe_world *w, struct gy_probe_plan *p, const struct gy_probe_group *g,
                      enum gy_probe_op op, unsigned factor)
{
    uint64_t sizes[64], room = w->memory_bytes / 5 * 2;
    uint64_t least = 8;
    while (gy_probe_op_counts(op, least, gy_probe_ranks(g)).bytes == 0) {
        least *= 2;
    }
    int n = gy_probe_sizes(least, w->max_bytes < room ? w->max_bytes : room, factor, sizes, 64);
    for (int in_place = 0; in_place <= gy_probe_op_in_place(op); in_place++) {
        for (int i = 0; i < n; i++) {
            gy_probe_plan_add(
                p, (struct gy_probe_step){.kind = (int)op, .group = *g, .in_place = in_place != 0, .bytes = sizes[i]});
        }
    }
}

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    struct gy_probe_group groups[GY_PROBE_GROUPS_MAX];
    if (!w->nccl) {
        gy_probe_plan_note(p, "collective: left out: NCCL is not there");
        return;
    }
    int n = gy_probe_groups(w->nodes, w->gpus, w->full, groups, GY_PROBE_GROUPS_MAX);
    for (int i = n - 1; i >= 0; i--) { /* the whole machine first: a time budget cuts the small groups */
        const struct gy_probe_group *g = &groups[i];
        bool alone = gy_probe_ranks(g) == 1, later = g->first > 0;
        for (int op = 0; op < GY_PROBE_OPS; op++) {
            bool wanted = !later || op == GY_PROBE_ALL_REDUCE || op == GY_PROBE_SEND_RECV;
            if (wanted) {
                add_sizes(w, p, g, (enum gy_probe_op)op, alone ? 1024 : later || !w->full ? 8 : 2);
            }
        }
    }
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s of %llu bytes on %d × %d GPUs from %d%s", gy_probe_op_name((enum gy_probe_op)s->kind),
             (unsigned long long)s->bytes, s->group.nodes, s->group.gpus, s->group.first,
             s->in_place ? ", in place" : "");
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    enum gy_probe_op op = (enum gy_probe_op)s->kind;
    int ranks = gy_probe_ranks(&s->group);
    struct gp_batch b = {.lanes = 1};
    struct gy_probe_timing t;
    b.message[0] =
        (struct gp_message){op, s->in_place, gy_probe_op_counts(op, s->bytes, ranks), GP_SEND, GP_RECEIVE, 0};
    if (gp_lane_open(c, 0, &s->group, err) != 0 || gp_message_verify(c, 0, &b.message[0], err) != 0) {
        return -1;
    }
    gp_sampler_mark(c->sampler);
    if (gp_batch_measure(c, &b, &t, err) != 0) {
        return -1;
    }
    double bytes = (double)b.message[0].counts.bytes, algbw = bytes / t.median_us * 1e-3;
    struct gy_probe_row row = {.section = GY_PROBE_COLLECTIVES};
    gy_probe_row_text(&row, "op", gy_probe_op_name(op));
    gy_probe_row_text(&row, "dtype", "float32");
    gy_probe_row_integer(&row, "bytes", (int64_t)b.message[0].counts.bytes);
    gy_probe_row_integer(&row, "ranks", ranks);
    gy_probe_row_integer(&row, "nodes", s->group.nodes);
    gy_probe_row_integer(&row, "gpus_per_node", s->group.gpus);
    gy_probe_row_integer(&row, "first_gpu", s->group.first);
    gy_probe_row_bool(&row, "in_place", s->in_place);
    gy_probe_row_timing(&row, &t);
    gy_probe_row_number(&row, "algbw_gbps", algbw);
    gy_probe_row_number(&row, "busbw_gbps", algbw * gy_probe_bus_factor(op, ranks));
    gp_row_load(c, s->group.first, &row);
    gy_probe_file_add(c->file, &row);
    c->file->links_measured = c->file->links_measured || ranks > 1;
    return 0;
}

const struct gp_family gp_collective = {.name = "collective",
                                        .summary = "NCCL operations by size, placement and group of GPUs",
                                        .share = 12,
                                        .every_node = true,
                                        .plan = plan,
                                        .describe = describe,
                                        .run = run};
