/* The probe's sizes, groups, budget, options and what a collective must deliver. */
#include "gy_probe.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(probe_sizes, powers_up_to_the_limit)
{
    uint64_t s[64];
    cr_assert_eq(gy_probe_sizes(8, 8ull << 30, 2, s, 64), 31);
    cr_assert_eq(s[0], 8);
    cr_assert_eq(s[30], 8ull << 30);
    cr_assert_eq(gy_probe_sizes(8, 1000, 8, s, 64), 3); /* 8, 64, 512 */
    cr_assert_eq(s[2], 512);
    cr_assert_eq(gy_probe_sizes(8, 1024, 8, s, 64), 4); /* ends with the largest power of two, off the grid of eights */
    cr_assert_eq(s[3], 1024);
    cr_assert_eq(gy_probe_sizes(8, 7, 2, s, 64), 0);
    cr_assert_eq(gy_probe_sizes(8, UINT64_MAX, 2, s, 64), 61);
    cr_assert_eq(s[60], 1ull << 63);
    cr_assert_eq(gy_probe_sizes(8, UINT64_MAX, 2, s, 5), 5);
}

static bool has(const struct gy_probe_group *g, int n, int nodes, int first, int gpus)
{
    for (int i = 0; i < n; i++) {
        if (g[i].nodes == nodes && g[i].first == first && g[i].gpus == gpus) {
            return true;
        }
    }
    return false;
}

Test(probe_groups, one_node)
{
    struct gy_probe_group g[GY_PROBE_GROUPS_MAX];
    int n = gy_probe_groups(1, 8, false, g, GY_PROBE_GROUPS_MAX);
    cr_assert_eq(n, 3);
    cr_assert(has(g, n, 1, 0, 2) && has(g, n, 1, 0, 4) && has(g, n, 1, 0, 8));
    n = gy_probe_groups(1, 8, true, g, GY_PROBE_GROUPS_MAX);
    cr_assert_eq(n, 7);
    cr_assert(has(g, n, 1, 2, 2) && has(g, n, 1, 4, 2) && has(g, n, 1, 6, 2) && has(g, n, 1, 4, 4));
    n = gy_probe_groups(1, 1, true, g, GY_PROBE_GROUPS_MAX);
    cr_assert_eq(n, 1);
    cr_assert(has(g, n, 1, 0, 1));
    n = gy_probe_groups(1, 6, true, g, GY_PROBE_GROUPS_MAX); /* 2, 4, 6 from 0; pairs at 2 and 4 */
    cr_assert_eq(n, 5);
    cr_assert(has(g, n, 1, 0, 6) && has(g, n, 1, 2, 2) && has(g, n, 1, 4, 2));
}

Test(probe_groups, several_nodes)
{
    struct gy_probe_group g[GY_PROBE_GROUPS_MAX];
    int n = gy_probe_groups(3, 2, false, g, GY_PROBE_GROUPS_MAX);
    cr_assert(has(g, n, 1, 0, 2) && has(g, n, 2, 0, 1) && has(g, n, 2, 0, 2) && has(g, n, 3, 0, 1) &&
              has(g, n, 3, 0, 2));
    cr_assert_eq(n, 5);
    cr_assert_eq(gy_probe_groups(0, 8, false, g, 4), 0);
    cr_assert_eq(gy_probe_groups(64, 8, true, g, 4), 4);
}

Test(probe_budget, shares_of_what_remains)
{
    const double shares[] = {1, 0, 3};
    cr_assert_float_eq(gy_probe_allot(shares, 3, 0, 80), 20, 1e-12);
    cr_assert_float_eq(gy_probe_allot(shares, 3, 2, 80), 80, 1e-12);
    cr_assert_eq(gy_probe_allot(shares, 3, 1, 80), 0);
    cr_assert_eq(gy_probe_allot(shares, 3, 0, -5), 0);
    cr_assert_eq(gy_probe_repeats(0.1, 1, 5), 5);
    cr_assert_eq(gy_probe_repeats(0.3, 1, 5), 3);
    cr_assert_eq(gy_probe_repeats(9, 1, 5), 1);
    cr_assert_eq(gy_probe_repeats(0, 1, 5), 5);
}

/* A brute-force collective over made buffers, against which the expectation is held. */
enum { RANKS = 6, MOST = 4096 };
struct bed {
    float send[RANKS][MOST], receive[RANKS][MOST];
};

static void deliver(struct bed *b, enum gy_probe_op op, struct gy_probe_counts c)
{
    for (int r = 0; r < RANKS; r++) {
        for (uint64_t i = 0; i < c.recv; i++) {
            uint64_t part = c.recv / RANKS;
            float sum = 0;
            for (int q = 0; q < RANKS; q++) {
                sum += b->send[q][op == GY_PROBE_REDUCE_SCATTER ? (uint64_t)r * c.recv + i : i];
            }
            b->receive[r][i] = op == GY_PROBE_ALL_GATHER   ? b->send[i / c.send][i % c.send]
                               : op == GY_PROBE_ALL_TO_ALL ? b->send[i / part][(uint64_t)r * part + i % part]
                               : op == GY_PROBE_BROADCAST  ? b->send[0][i]
                               : op == GY_PROBE_SEND_RECV  ? b->send[(r + RANKS - 1) % RANKS][i]
                                                           : sum;
        }
    }
}

Test(probe_expect, equals_a_brute_force_collective)
{
    static struct bed b;
    for (int op = 0; op < GY_PROBE_OPS; op++) {
        for (uint64_t bytes = 32; bytes <= 8192; bytes += 412) {
            struct gy_probe_counts c = gy_probe_op_counts((enum gy_probe_op)op, bytes, RANKS);
            cr_assert_leq(c.bytes, bytes);
            cr_assert_eq(c.bytes, (c.send > c.recv ? c.send : c.recv) * sizeof(float));
            for (int r = 0; r < RANKS; r++) {
                for (uint64_t i = 0; i < c.send; i++) {
                    b.send[r][i] = (float)gy_probe_pattern((uint64_t)r, i);
                }
            }
            deliver(&b, (enum gy_probe_op)op, c);
            for (int r = 0; r < RANKS; r++) {
                uint64_t seen = 0;
                for (int k = 0; k < gy_probe_expect_segments((enum gy_probe_op)op, RANKS, r); k++) {
                    struct gy_probe_expect e;
                    gy_probe_expect_at((enum gy_probe_op)op, c, RANKS, r, k, &e);
                    seen += e.count;
                    for (uint64_t i = 0; i < e.count; i++) {
                        cr_assert_eq(b.receive[r][e.offset + i], e.table.at[(i + e.shift) % GY_PROBE_PERIOD],
                                     "%s rank %d at %d", gy_probe_op_name((enum gy_probe_op)op), r, (int)i);
                    }
                }
                cr_assert_eq(seen, op == GY_PROBE_REDUCE && r > 0 ? 0 : c.recv);
            }
        }
    }
}

Test(probe_expect, bus_factors)
{
    cr_assert_float_eq(gy_probe_bus_factor(GY_PROBE_ALL_REDUCE, 8), 1.75, 1e-12);
    cr_assert_float_eq(gy_probe_bus_factor(GY_PROBE_ALL_GATHER, 8), 0.875, 1e-12);
    cr_assert_eq(gy_probe_bus_factor(GY_PROBE_BROADCAST, 8), 1);
    for (int op = 0; op < GY_PROBE_OPS; op++) {
        cr_assert_eq(gy_probe_bus_factor((enum gy_probe_op)op, 1), 0);
    }
    cr_assert_not(gy_probe_op_in_place(GY_PROBE_ALL_TO_ALL));
}

static int parse(struct gy_probe_options *o, struct gy_error *err, const char *a, const char *b, const char *c)
{
    char *argv[] = {(char *)"gpuyard-probe", (char *)a, (char *)b, (char *)c, NULL};
    int argc = 1 + (a != NULL) + (b != NULL) + (c != NULL);
    *err = (struct gy_error){0};
    return gy_probe_options_parse(argc, argv, o, err);
}

Test(probe_options, defaults_and_values)
{
    struct gy_probe_options o;
    struct gy_error err;
    cr_assert_eq(parse(&o, &err, NULL, NULL, NULL), 0);
    cr_assert(!o.full && o.verb == GY_PROBE_MEASURE);
    cr_assert_eq(o.budget_s, 100);
    cr_assert_eq(o.max_bytes, 1u << 30);
    cr_assert_str_eq(o.out, "-");
    cr_assert_eq(parse(&o, &err, "--full", "--max-bytes=64MiB", "--budget=5m"), 0);
    cr_assert(o.full);
    cr_assert_eq(o.max_bytes, 64u << 20);
    cr_assert_eq(o.budget_s, 300);
    cr_assert_eq(parse(&o, &err, "--full", NULL, NULL), 0);
    cr_assert_eq(o.max_bytes, 8ull << 30);
    cr_assert_eq(o.budget_s, 0);
    cr_assert_eq(parse(&o, &err, "--dry-run", "--assume-gpus", "8"), 0);
    cr_assert(o.verb == GY_PROBE_PLAN && o.assume_gpus == 8);
}

Test(probe_options, what_is_wrong_is_named)
{
    static const char *const cases[][4] = {{"--quik", NULL, "unknown option --quik", "--quick"},
                                           {"--assume-gpus", "8", "go with --dry-run only", ""},
                                           {"--assume-gpus=0", NULL, "a whole number", ""},
                                           {"--assume-gpus=9x", NULL, "9x", ""},
                                           {"--out", NULL, "--out needs a value", ""},
                                           {"--full=yes", NULL, "takes no value", ""},
                                           {"--timeout", "-3", "more than zero", ""},
                                           {"--max-bytes", "many", "many", ""},
                                           {"--max-bytes", "12", "1KiB", ""},
                                           {"--progress", "maybe", "auto, always or never", ""},
                                           {"file.json", NULL, "unexpected argument", ""},
                                           {"--", NULL, "unexpected argument", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gy_probe_options o;
        struct gy_error err;
        cr_assert_eq(parse(&o, &err, cases[i][0], cases[i][1], NULL), -1, "%s", cases[i][0]);
        cr_assert_eq(gy_exit_status(err.code), 2);
        cr_assert(strstr(err.what, cases[i][2]), "%s: %s", cases[i][0], err.what);
        cr_assert(strstr(err.hint, cases[i][3]), "%s: %s", cases[i][0], err.hint);
    }
}

Test(probe_timing, statistics)
{
    const double us[] = {5, 1, 3, 2, 4};
    struct gy_probe_timing t = {0};
    cr_assert_eq(gy_probe_timing_of(us, 5, &t), 0);
    cr_assert_eq(t.min_us, 1);
    cr_assert_eq(t.median_us, 3);
    cr_assert_eq(t.mean_us, 3);
    cr_assert_float_eq(t.p95_us, 4.8, 1e-12);
    cr_assert_eq(t.repeats, 5);
    cr_assert_eq(gy_probe_timing_of(us, 0, &t), -1);
}

Test(probe_dtype, decodes)
{
    const uint16_t one_bf16 = 0x3f80, minus_two_half = 0xc000, least_half = 1, inf_half = 0x7c00;
    const uint8_t most_fp8 = 0x7e, least_fp8 = 1, minus_fp8 = 0xb8, nan_fp8 = 0xff;
    cr_assert_eq(gy_probe_decode(GY_PROBE_BF16, &one_bf16), 1);
    cr_assert_eq(gy_probe_decode(GY_PROBE_F16, &minus_two_half), -2);
    cr_assert_eq(gy_probe_decode(GY_PROBE_F16, &least_half), 0x1p-24);
    cr_assert(isinf(gy_probe_decode(GY_PROBE_F16, &inf_half)));
    cr_assert_eq(gy_probe_decode(GY_PROBE_F8E4M3, &most_fp8), 448);
    cr_assert_eq(gy_probe_decode(GY_PROBE_F8E4M3, &least_fp8), 0x1p-9);
    cr_assert_eq(gy_probe_decode(GY_PROBE_F8E4M3, &minus_fp8), -1);
    cr_assert(isnan(gy_probe_decode(GY_PROBE_F8E4M3, &nan_fp8)));
}
