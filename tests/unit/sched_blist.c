/* The sorted list in blocks and the pending queue, against sorted arrays. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "gy_blist.h"
#include "gy_stream.h"

#define MODEL 4000

struct model {
    struct gy_item item[MODEL];
    int64_t value[MODEL];
    uint32_t n;
};

static void model_insert(struct model *m, struct gy_item item, int64_t value)
{
    uint32_t i = m->n++;
    for (; i > 0 && gy_item_before(&item, &m->item[i - 1]); i--) {
        m->item[i] = m->item[i - 1];
        m->value[i] = m->value[i - 1];
    }
    m->item[i] = item;
    m->value[i] = value;
}

static void model_erase(struct model *m, uint32_t i)
{
    m->n--;
    memmove(&m->item[i], &m->item[i + 1], (m->n - i) * sizeof *m->item);
    memmove(&m->value[i], &m->value[i + 1], (m->n - i) * sizeof *m->value);
}

static void expect_equal(const struct gy_blist *l, const struct model *m)
{
    struct gy_blist_pos pos = gy_blist_begin(l);
    struct gy_item item;
    int64_t value;
    cr_assert_eq(l->n, m->n);
    for (uint32_t i = 0; i < m->n; i++, pos = gy_blist_after(l, pos)) {
        cr_assert(gy_blist_get(l, pos, &item, &value));
        cr_assert(item.row == m->item[i].row && value == m->value[i], "entry %u", i);
    }
    cr_assert_not(gy_blist_get(l, pos, &item, &value));
}

/* The first entry at or after index i whose value is at most max, by both. */
static void expect_within(struct gy_blist *l, const struct model *m, uint32_t i, int64_t max)
{
    struct gy_item item;
    struct gy_blist_pos pos;
    if (i >= m->n)
        return;
    cr_assert(gy_blist_find(l, &m->item[i], &pos));
    while (i < m->n && m->value[i] > max)
        i++;
    const bool found = gy_blist_within(l, &pos, max);
    cr_assert_eq(found, i < m->n);
    if (found) {
        cr_assert(gy_blist_get(l, pos, &item, NULL));
        cr_assert_eq(item.row, m->item[i].row);
    }
}

static void run(uint64_t seed, uint32_t spread, uint32_t grow, uint32_t steps)
{
    static struct model m;
    struct gy_blist l = {0};
    struct gy_stream r;
    m.n = 0;
    cr_assert(gy_stream_init(&r, seed, "blist"));
    for (uint32_t i = 0; i < steps; i++) {
        const bool front = gy_stream_below(&r, 2) == 0;
        if ((gy_stream_below(&r, 100) < grow || m.n == 0) && m.n < MODEL) {
            const int64_t major = (int64_t)gy_stream_below(&r, spread) + (spread == 1 ? i : 0);
            const struct gy_item item = {major, (int64_t)gy_stream_below(&r, 3), i, i};
            const int64_t value = (int64_t)gy_stream_below(&r, 1000);
            cr_assert(gy_blist_insert(&l, &item, value));
            model_insert(&m, item, value);
        } else {
            const uint32_t at = front ? 0 : (uint32_t)gy_stream_below(&r, m.n);
            struct gy_blist_pos pos;
            struct gy_item item;
            cr_assert(gy_blist_find(&l, &m.item[at], &pos));
            gy_blist_erase(&l, &pos);
            model_erase(&m, at);
            cr_assert_eq(gy_blist_get(&l, pos, &item, NULL), at < m.n);
            cr_assert(at == m.n || item.row == m.item[at].row);
        }
        if (m.n)
            expect_within(&l, &m, (uint32_t)gy_stream_below(&r, m.n), (int64_t)gy_stream_below(&r, 30));
        if (i % 97 == 0)
            expect_equal(&l, &m);
    }
    expect_equal(&l, &m);
    gy_stream_free(&r);
    gy_blist_free(&l);
}

Test(blist, equals_a_sorted_array)
{
    run(1, 1000000, 70, 3000); /* anywhere, growing */
    run(2, 1, 60, 3000);       /* at the end, as a queue */
    run(3, 4, 50, 3000);       /* many ties, short */
    run(4, 50, 30, 2000);      /* mostly empty */
}

Test(blist, walks_back)
{
    struct gy_blist l = {0};
    struct gy_item item;
    for (uint32_t i = 0; i < 1000; i++) {
        const struct gy_item x = {i * 7919 % 1000, 0, i, i};
        cr_assert(gy_blist_insert(&l, &x, 0));
    }
    const struct gy_item end = {INT64_MAX, 0, 0, 0};
    struct gy_blist_pos pos = gy_blist_lower(&l, &end);
    for (int64_t want = 999; want >= 0; want--) {
        cr_assert(gy_blist_back(&l, &pos));
        cr_assert(gy_blist_get(&l, pos, &item, NULL));
        cr_assert_eq(item.major, want);
    }
    cr_assert_not(gy_blist_back(&l, &pos));
    gy_blist_free(&l);
}

Test(blist, orders_doubles)
{
    const double x[] = {-1e300, -2, -1, -0.5, 0, 1e-300, 0.5, 1, 1e18};
    for (size_t i = 1; i < sizeof x / sizeof *x; i++)
        cr_assert_lt(gy_order_bits(x[i - 1]), gy_order_bits(x[i]));
    cr_assert_eq(gy_order_bits(-0.0), gy_order_bits(0.0));
}
