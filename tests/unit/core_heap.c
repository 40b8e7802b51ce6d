/* The event queue: order of ties, moves, cancels, and a random run against a naive twin. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "gy_hash.h"
#include "gy_heap.h"

Test(heap, empty)
{
    struct gy_heap h = {0};
    struct gy_heap_event e;

    cr_assert_not(gy_heap_peek(&h, &e));
    cr_assert_not(gy_heap_pop(&h, &e));
    gy_heap_free(&h);
}

Test(heap, ties_pop_by_class_then_in_order_of_pushes)
{
    struct gy_heap h = {0};
    struct gy_heap_event e;

    for (uint64_t i = 0; i < 300; i++)
        gy_heap_push(&h, 7, (uint8_t)(255 - i % 3 * 100), i);
    for (int cls = 55; cls <= 255; cls += 100) {
        for (uint64_t i = cls == 55 ? 2 : cls == 155 ? 1 : 0; i < 300; i += 3) {
            cr_assert(gy_heap_pop(&h, &e));
            cr_assert_eq(e.cls, cls);
            cr_assert_eq(e.payload, i);
            cr_assert_eq(e.time, 7);
        }
    }
    cr_assert_eq(h.n, 0);
    gy_heap_free(&h);
}

Test(heap, negative_and_extreme_times_are_ordered)
{
    struct gy_heap h = {0};
    struct gy_heap_event e;
    const gy_time sorted[] = {GY_NONE, -GY_SECOND, -1, 0, 1, GY_TIME_MAX, GY_NEVER};

    for (size_t i = 7; i-- > 0;)
        gy_heap_push(&h, sorted[i], 0, i);
    for (size_t i = 0; i < 7; i++) {
        cr_assert(gy_heap_pop(&h, &e));
        cr_assert_eq(e.time, sorted[i]);
    }
    gy_heap_free(&h);
}

Test(heap, a_moved_event_keeps_its_place_among_ties)
{
    struct gy_heap h = {0};
    struct gy_heap_event e;
    gy_heap_handle first = gy_heap_push(&h, 100, 1, 1);

    gy_heap_push(&h, 50, 1, 2);
    gy_heap_push(&h, 50, 1, 3);
    gy_heap_move(&h, first, 50);
    for (uint64_t want = 1; want <= 3; want++) {
        gy_heap_pop(&h, &e);
        cr_assert_eq(e.payload, want);
    }
    gy_heap_free(&h);
}

Test(heap, handles_are_reused)
{
    struct gy_heap h = {0};

    for (int i = 0; i < 1000; i++)
        gy_heap_cancel(&h, gy_heap_push(&h, i, 0, 0));
    cr_assert_eq(h.slot_n, 1);
    cr_assert_eq(h.n, 0);
    gy_heap_free(&h);
}

#define MOST 200

struct twin {
    bool live;
    gy_time time;
    uint8_t cls;
    uint64_t sequence;
    gy_heap_handle handle;
};

static bool twin_before(const struct twin *a, const struct twin *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->cls != b->cls ? a->cls < b->cls : a->sequence < b->sequence;
}

static struct twin *twin_least(struct twin *at, size_t n)
{
    struct twin *least = NULL;

    for (size_t i = 0; i < n; i++)
        if (at[i].live && (least == NULL || twin_before(&at[i], least)))
            least = &at[i];
    return least;
}

static void check_pop(struct gy_heap *h, struct twin *at)
{
    struct gy_heap_event seen, e;
    struct twin *want = twin_least(at, MOST);

    cr_assert_eq(gy_heap_peek(h, &seen), want != NULL);
    cr_assert_eq(gy_heap_pop(h, &e), want != NULL);
    if (want == NULL)
        return;
    cr_assert_eq(e.payload, (uint64_t)(want - at));
    cr_assert_eq(e.time, want->time);
    cr_assert_eq(e.cls, want->cls);
    cr_assert(seen.payload == e.payload && seen.time == e.time && seen.cls == e.cls);
    want->live = false;
}

Test(heap, random_run_equals_naive_twin)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct gy_heap h = {0};
        struct twin at[MOST] = {0};
        uint64_t sequence = 0;

        for (uint64_t step = 0; step < 5000; step++) {
            uint64_t r = gy_hash_mix(seed * 1000003 + step);
            struct twin *t = &at[r % MOST];
            gy_time time = (gy_time)(r >> 20 & 31) - 8; /* few values, many ties */
            unsigned what = r >> 40 & 7;
            if (what == 0) {
                check_pop(&h, at);
            } else if (!t->live) {
                *t = (struct twin){true, time, (uint8_t)(r >> 50 & 3), sequence++, 0};
                t->handle = gy_heap_push(&h, time, t->cls, (uint64_t)(t - at));
                cr_assert_neq(t->handle, GY_HEAP_NONE);
            } else if (what < 3) {
                gy_heap_cancel(&h, t->handle);
                t->live = false;
            } else {
                gy_heap_move(&h, t->handle, time);
                t->time = time;
            }
        }
        while (twin_least(at, MOST) != NULL)
            check_pop(&h, at);
        check_pop(&h, at);
        gy_heap_free(&h);
    }
}
