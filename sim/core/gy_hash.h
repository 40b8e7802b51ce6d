/* Hashing and a map from 64-bit keys to 64-bit values (open addressing). Never iterated, so its order has no effect. */
#ifndef GY_HASH_H
#define GY_HASH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* splitmix64's finaliser, a bijection: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014;
 * constants of variant 13 by Stafford. */
static inline uint64_t gy_hash_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}
uint64_t gy_hash_bytes(const void *data, size_t len); /* 64-bit, stable over machines */

struct gy_map_cell;
struct gy_map {
    struct gy_map_cell *cell;
    size_t n, cap;
};
bool gy_map_put(struct gy_map *m, uint64_t key, uint64_t value); /* insert or overwrite; false when out of memory */
bool gy_map_get(const struct gy_map *m, uint64_t key, uint64_t *value);
bool gy_map_erase(struct gy_map *m, uint64_t key);
void gy_map_free(struct gy_map *m);
#endif
