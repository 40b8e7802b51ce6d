/* Arena, growable arrays, the map, hashes and interned strings. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_arena.h"
#include "gy_hash.h"
#include "gy_str.h"
#include "gy_vec.h"

Test(arena, blocks_are_aligned_zeroed_and_apart)
{
    struct gy_arena a = GY_ARENA_INIT;

    for (int round = 0; round < 3; round++) {
        unsigned char *block[500];
        for (size_t i = 0; i < 500; i++) {
            size_t bytes = i % 50 == 49 ? 100000 : i * 7 % 300;
            block[i] = gy_arena_alloc(&a, bytes);
            cr_assert_not_null(block[i]);
            cr_assert_eq((uintptr_t)block[i] % 16, 0);
            for (size_t k = 0; k < bytes; k++)
                cr_assert_eq(block[i][k], 0);
            memset(block[i], (int)i + 1, bytes);
        }
        for (size_t i = 0; i < 500; i++)
            for (size_t k = 0; k < (i % 50 == 49 ? 100000 : i * 7 % 300); k++)
                cr_assert_eq(block[i][k], (unsigned char)(i + 1));
        gy_arena_reset(&a);
    }
    gy_arena_free(&a);
    cr_assert_null(a.head);
}

Test(arena, texts)
{
    struct gy_arena a = GY_ARENA_INIT;

    cr_assert_str_eq(gy_arena_strndup(&a, "hello", 3), "hel");
    cr_assert_str_eq(gy_arena_strndup(&a, NULL, 0), "");
    cr_assert_str_eq(gy_arena_printf(&a, "%s-%05d", "x", 42), "x-00042");
    cr_assert_null(gy_arena_alloc(&a, SIZE_MAX));
    cr_assert_null(gy_arena_alloc(&a, SIZE_MAX - 15));
    cr_assert_null(gy_arena_strndup(&a, "x", SIZE_MAX));
    gy_arena_free(&a);
    gy_arena_reset(&a);
}

Test(vec, grows)
{
    GY_VEC(uint32_t) v = {0};

    for (uint32_t i = 0; i < 10000; i++)
        cr_assert(gy_vec_push(&v, i * 3));
    for (uint32_t i = 0; i < 10000; i++)
        cr_assert_eq(v.at[i], i * 3);
    cr_assert_eq(v.cap, 16384);
    cr_assert_not(gy_vec_reserve(&v, SIZE_MAX / 2));
    cr_assert_not(gy_vec_reserve(&v, SIZE_MAX));
    cr_assert_eq(v.n, 10000);
    gy_vec_clear(&v);
    cr_assert_eq(v.n, 0);
    gy_vec_free(&v);
    cr_assert_null(v.at);
}

Test(map, random_run_equals_naive_twin)
{
    enum { KEYS = 400 };
    struct gy_map m = {0};
    uint64_t value[KEYS] = {0}, got;
    bool in[KEYS] = {0};
    size_t n = 0;

    for (uint64_t step = 0; step < 100000; step++) {
        uint64_t r = gy_hash_mix(step), k = r % KEYS;
        uint64_t key = k == 0 ? 0 : k == 1 ? UINT64_MAX : k << (k % 2 * 40);
        if ((r >> 32) % 16 < (step / 10000 % 2 ? 5 : 11)) {
            cr_assert(gy_map_put(&m, key, r));
            n += !in[k];
            in[k] = true;
            value[k] = r;
        } else {
            cr_assert_eq(gy_map_erase(&m, key), in[k]);
            n -= in[k];
            in[k] = false;
        }
        uint64_t j = (r >> 40) % KEYS, other = j == 0 ? 0 : j == 1 ? UINT64_MAX : j << (j % 2 * 40);
        cr_assert_eq(gy_map_get(&m, other, &got), in[j]);
        cr_assert(!in[j] || got == value[j]);
        cr_assert_eq(m.n, n);
    }
    gy_map_free(&m);
    cr_assert_not(gy_map_get(&m, 1, &got));
    cr_assert_not(gy_map_erase(&m, 1));
}

/* Known values: manifests and seeds depend on them. */
Test(hash, is_stable)
{
    cr_assert_eq(gy_hash_mix(0), 0);
    cr_assert_eq(gy_hash_mix(1), 0x5692161d100b05e5u);
    cr_assert_eq(gy_hash_bytes("", 0), 0x48218226ff3cd4bfu);
    cr_assert_eq(gy_hash_bytes("arrivals", 8), 0x30fb91cd79db28dbu);
    cr_assert_eq(gy_hash_bytes("arrivals and more", 17), 0xedd206c772d965c1u);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

Test(hash, similar_texts_do_not_collide)
{
    enum { N = 200000 };
    uint64_t *h = malloc(N * sizeof *h);
    size_t low[64] = {0};

    for (int i = 0; i < N; i++) {
        char text[32];
        int len = snprintf(text, sizeof text, i % 2 ? "node-%d" : "job/%d/0000000", i / 2);
        h[i] = gy_hash_bytes(text, (size_t)len);
        low[h[i] & 63]++;
    }
    qsort(h, N, sizeof *h, by_number);
    for (int i = 1; i < N; i++)
        cr_assert_neq(h[i], h[i - 1]);
    for (int d = 0; d < 64; d++)
        cr_assert(low[d] > N / 64 * 9 / 10 && low[d] < N / 64 * 11 / 10);
    cr_assert_neq(gy_hash_bytes("\0", 1), gy_hash_bytes("\0\0", 2));
    free(h);
}

Test(str, ids_follow_first_use)
{
    struct gy_strings *s = gy_strings_new();
    char text[16];

    cr_assert_eq(gy_strings_add(s, "", 0), 0);
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 50000; i++) {
            int len = snprintf(text, sizeof text, "user%u", i);
            cr_assert_eq(gy_strings_add(s, text, (size_t)len), i + 1);
        }
    cr_assert_eq(gy_strings_count(s), 50001);
    cr_assert_str_eq(gy_strings_text(s, 0), "");
    cr_assert_str_eq(gy_strings_text(s, 123), "user122");
    cr_assert_eq(gy_strings_len(s, 123), 7);
    cr_assert_eq(gy_strings_find(s, "user122xyz", 7), 123);
    cr_assert_eq(gy_strings_find(s, "nobody", 6), GY_STR_FAIL);
    gy_str odd = gy_strings_add(s, "a\0b", 3);
    cr_assert_neq(odd, gy_strings_add(s, "a", 1));
    cr_assert_eq(gy_strings_len(s, odd), 3);
    gy_strings_free(s);
    gy_strings_free(NULL);
}
