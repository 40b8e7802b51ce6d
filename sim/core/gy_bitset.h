/* A set of small integers as a tree of 64-bit words: insert, erase and "next at or after" cost O(log64 n). */
#ifndef GY_BITSET_H
#define GY_BITSET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GY_BITSET_LEVELS 6
struct gy_bitset {
    uint64_t *level[GY_BITSET_LEVELS]; /* level[0] holds the bits */
    uint32_t size;                     /* members are < size */
    uint32_t count;
    uint8_t levels;
};
#define GY_BITSET_NONE UINT32_MAX

bool gy_bitset_init(struct gy_bitset *b, uint32_t size); /* false when out of memory */
void gy_bitset_free(struct gy_bitset *b);
void gy_bitset_insert(struct gy_bitset *b, uint32_t i);
void gy_bitset_erase(struct gy_bitset *b, uint32_t i);
bool gy_bitset_has(const struct gy_bitset *b, uint32_t i);
uint32_t gy_bitset_next(const struct gy_bitset *b, uint32_t from); /* smallest member ≥ from, or GY_BITSET_NONE */
#endif
