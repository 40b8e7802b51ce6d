/* The hierarchical bitset, against a naive twin and at its edges. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "gy_bitset.h"
#include "gy_hash.h"

static uint32_t naive_next(const bool *in, uint32_t size, uint32_t from)
{
    for (uint32_t i = from; i < size; i++)
        if (in[i])
            return i;
    return GY_BITSET_NONE;
}

static void random_run(uint32_t size)
{
    struct gy_bitset b;
    bool *in = calloc(size, 1);
    uint32_t count = 0;

    cr_assert(gy_bitset_init(&b, size));
    for (uint32_t step = 0; step < 4000; step++) {
        uint64_t r = gy_hash_mix((uint64_t)size << 32 | step);
        uint32_t i = (uint32_t)(r % size);
        bool insert = (r >> 40) % 16 < (step / 1000 % 2 ? 4 : 12); /* fills, then empties */
        if (insert)
            gy_bitset_insert(&b, i);
        else
            gy_bitset_erase(&b, i);
        count += (uint32_t)insert - in[i];
        in[i] = insert;
        uint32_t from = (uint32_t)((r >> 32) % (size + 1));
        cr_assert_eq(gy_bitset_next(&b, from), naive_next(in, size, from), "size %u step %u from %u", size, step, from);
        cr_assert_eq(gy_bitset_has(&b, from), from < size && in[from]);
        cr_assert_eq(b.count, count);
    }
    gy_bitset_free(&b);
    free(in);
}

Test(bitset, random_run_equals_naive_twin)
{
    const uint32_t sizes[] = {1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 300000};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        random_run(sizes[i]);
}

Test(bitset, empty_and_sizeless)
{
    struct gy_bitset b;

    cr_assert(gy_bitset_init(&b, 0));
    cr_assert_eq(gy_bitset_next(&b, 0), GY_BITSET_NONE);
    cr_assert_not(gy_bitset_has(&b, 0));
    gy_bitset_free(&b);
    cr_assert(gy_bitset_init(&b, 100));
    cr_assert_eq(gy_bitset_next(&b, 0), GY_BITSET_NONE);
    cr_assert_eq(gy_bitset_next(&b, UINT32_MAX), GY_BITSET_NONE);
    gy_bitset_free(&b);
}

Test(bitset, sparse_and_large)
{
    struct gy_bitset b;
    const uint32_t members[] = {0, 63, 64, 262143, 262144, 16777216, 19999999};
    uint32_t from = 0;

    cr_assert(gy_bitset_init(&b, 20000000));
    for (size_t i = 0; i < 7; i++) {
        gy_bitset_insert(&b, members[i]);
        gy_bitset_insert(&b, members[i]);
    }
    cr_assert_eq(b.count, 7);
    for (size_t i = 0; i < 7; i++) {
        cr_assert_eq(gy_bitset_next(&b, from), members[i]);
        from = members[i] + 1;
    }
    cr_assert_eq(gy_bitset_next(&b, from), GY_BITSET_NONE);
    for (size_t i = 0; i < 7; i++) {
        gy_bitset_erase(&b, members[i]);
        gy_bitset_erase(&b, members[i]);
    }
    cr_assert_eq(b.count, 0);
    cr_assert_eq(gy_bitset_next(&b, 0), GY_BITSET_NONE);
    gy_bitset_free(&b);
}
