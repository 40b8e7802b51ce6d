/* Hierarchical bitset: bit i of level l + 1 says whether word i of level l is non-zero. Not a compressed set; it takes
 * size / 63 words of 8 bytes in one allocation, owned by level[0]. */
#include <assert.h>
#include <stdlib.h>
#include "gy_bitset.h"

static size_t words_of(uint64_t bits)
{
    return bits == 0 ? 1 : (size_t)((bits + 63) / 64);
}

bool gy_bitset_init(struct gy_bitset *b, uint32_t size)
{
    size_t words[GY_BITSET_LEVELS], total = 0;
    uint8_t levels = 0;

    *b = (struct gy_bitset){.size = size};
    do {
        words[levels] = words_of(levels == 0 ? size : words[levels - 1]);
        total += words[levels];
    } while (words[levels++] > 1);

    uint64_t *at = calloc(total, sizeof *at);
    if (at == NULL)
        return false;
    for (uint8_t l = 0; l < levels; l++) {
        b->level[l] = at;
        at += words[l];
    }
    b->levels = levels;
    return true;
}

void gy_bitset_free(struct gy_bitset *b)
{
    free(b->level[0]);
    *b = (struct gy_bitset){0};
}

void gy_bitset_insert(struct gy_bitset *b, uint32_t i)
{
    assert(i < b->size);
    if (gy_bitset_has(b, i))
        return;
    b->count++;
    for (uint8_t l = 0; l < b->levels; l++, i >>= 6) {
        uint64_t before = b->level[l][i >> 6];
        b->level[l][i >> 6] = before | (uint64_t)1 << (i & 63);
        if (before != 0)
            return;
    }
}

void gy_bitset_erase(struct gy_bitset *b, uint32_t i)
{
    assert(i < b->size);
    if (!gy_bitset_has(b, i))
        return;
    b->count--;
    for (uint8_t l = 0; l < b->levels; l++, i >>= 6) {
        b->level[l][i >> 6] &= ~((uint64_t)1 << (i & 63));
        if (b->level[l][i >> 6] != 0)
            return;
    }
}

bool gy_bitset_has(const struct gy_bitset *b, uint32_t i)
{
    return i < b->size && (b->level[0][i >> 6] >> (i & 63) & 1) != 0;
}

uint32_t gy_bitset_next(const struct gy_bitset *b, uint32_t from)
{
    if (from >= b->size)
        return GY_BITSET_NONE;

    uint64_t i = from, bits = b->size; /* position and number of bits at the level */
    for (uint8_t l = 0; l < b->levels; l++) {
        if (i >= bits)
            return GY_BITSET_NONE;
        uint64_t rest = b->level[l][i >> 6] & ~(uint64_t)0 << (i & 63);
        if (rest != 0) {
            i = (i & ~(uint64_t)63) | (uint64_t)__builtin_ctzll(rest);
            while (l-- > 0)
                i = i << 6 | (uint64_t)__builtin_ctzll(b->level[l][i]);
            return (uint32_t)i;
        }
        i = (i >> 6) + 1;
        bits = words_of(bits);
    }
    return GY_BITSET_NONE;
}
