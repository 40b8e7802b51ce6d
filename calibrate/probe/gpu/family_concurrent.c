/* Two all-reduces at once on two communicators: over the same GPUs, and over two disjoint halves of a node. */
#include "gpu.h"

enum { SAME, HALVES };

static void plan(const struct gy_probe_world *w, struct gy_probe_plan *p)
{
    uint64_t sizes[64], room = w->memory_bytes / 8;
    int ranks = w->nodes * w->gpus;
    if (!w->nccl || ranks < 2) {
        gy_probe_plan_note(p, "concurrent: left out: %s", w->nccl ? "one GPU" : "NCCL is not there");
        return;
    }
    int n = gy_probe_sizes(w->full ? 65536 : 1u << 20, w->max_bytes < room ? w->max_bytes : room, w->full ? 4 : 64,
                           sizes, 64);
    for (int i = 0; i < n; i++) {
        struct gy_probe_group all = {w->nodes, 0, w->gpus};
        gy_probe_plan_add(p, (struct gy_probe_step){.kind = SAME, .group = all, .bytes = sizes[i]});
    }
    for (int i = 0; w->gpus >= 4 && i < n; i++) {
        struct gy_probe_group half = {1, 0, w->gpus / 2};
        gy_probe_plan_add(p, (struct gy_probe_step){.kind = HALVES, .group = half, .bytes = sizes[i]});
    }
}

static const char *kind_name(int kind)
{
    return kind == SAME ? "same_gpus" : "disjoint_halves";
}

static void describe(const struct gy_probe_step *s, char *buf, size_t size)
{
    snprintf(buf, size, "two all_reduces of %llu bytes, %s", (unsigned long long)s->bytes, kind_name(s->kind));
}

static int open_lanes(struct gp_context *c, const struct gy_probe_step *s, struct gp_batch *b, struct gy_error *err)
{
    struct gy_probe_group second = s->group;
    second.first = s->kind == HALVES ? s->group.gpus : 0;
    const struct gy_probe_group *groups[GP_LANES] = {&s->group, &second};
    static const enum gp_slot send[GP_LANES] = {GP_SEND, GP_THIRD}, receive[GP_LANES] = {GP_RECEIVE, GP_FOURTH};
    for (int lane = 0; lane < GP_LANES; lane++) {
        struct gy_probe_counts counts = gy_probe_op_counts(GY_PROBE_ALL_REDUCE, s->bytes, gy_probe_ranks(groups[lane]));
        b->message[lane] = (struct gp_message){GY_PROBE_ALL_REDUCE, false, counts, send[lane], receive[lane], lane};
        if (gp_lane_open(c, lane, groups[lane], err) != 0 || gp_message_verify(c, lane, &b->message[lane], err) != 0) {
            return -1;
        }
    }
    return 0;
}

static int run(struct gp_context *c, const struct gy_probe_step *s, struct gy_error *err)
{
    struct gp_batch b = {0};
    struct gy_probe_timing first, second, both;
    if (open_lanes(c, s, &b, err) != 0) {
        return -1;
    }
    b.lanes = 1;
    if (gp_batch_measure(c, &b, &first, err) != 0) {
        return -1;
    }
    b.lanes = 2;
    if (gp_batch_measure(c, &b, &second, err) != 0) {
        return -1;
    }
    b.lanes = 3;
    if (gp_batch_measure(c, &b, &both, err) != 0) {
        return -1;
    }
    double longer = first.median_us > second.median_us ? first.median_us : second.median_us;
    struct gy_probe_row row = {.section = GY_PROBE_CONCURRENT};
    gy_probe_row_text(&row, "kind", kind_name(s->kind));
    gy_probe_row_text(&row, "op", "all_reduce");
    gy_probe_row_text(&row, "dtype", "float32");
    gy_probe_row_integer(&row, "bytes", (int64_t)b.message[0].counts.bytes);
    gy_probe_row_integer(&row, "ranks", gy_probe_ranks(&s->group));
    gy_probe_row_integer(&row, "nodes", s->group.nodes);
    gy_probe_row_number(&row, "first_alone_us", first.median_us);
    gy_probe_row_number(&row, "second_alone_us", second.median_us);
    gy_probe_row_timing(&row, &both);
    gy_probe_row_number(&row, "slowdown", both.median_us / longer);
    gy_probe_file_add(c->file, &row);
    return 0;
}

const struct gp_family gp_concurrent = {.name = "concurrent",
                                        .summary = "two collectives at once on two communicators",
                                        .share = 2,
                                        .every_node = true,
                                        .plan = plan,
                                        .describe = describe,
                                        .run = run};
