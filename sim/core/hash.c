/* Hashing and the 64-bit map. Not cryptographic and not keyed: someone who chooses the texts can make them collide,
 * which costs time, never a wrong answer. */
#include <stdlib.h>
#include <string.h>
#include "gy_hash.h"

struct gy_map_cell {
    uint64_t key, value;
    bool used;
};

/* The 128-bit product, folded: the step of wyhash. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Up to eight bytes as a little-endian number, on every machine. */
static uint64_t load(const unsigned char *p, size_t len)
{
    uint64_t word = 0;

    memcpy(&word, p, len);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

uint64_t gy_hash_bytes(const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t h = gy_hash_mix((uint64_t)len + 0x9e3779b97f4a7c15u);

    for (; len >= 8; p += 8, len -= 8)
        h = fold(h ^ load(p, 8), 0xa0761d6478bd642fu) + 0xe7037ed1a0b428dbu;
    if (len > 0)
        h = fold(h ^ load(p, len), 0xa0761d6478bd642fu) + 0xe7037ed1a0b428dbu;
    return gy_hash_mix(h);
}

/* The cell of key, or the empty cell where it would go. Needs at least one empty cell. */
static size_t probe(const struct gy_map *m, uint64_t key)
{
    size_t i = (size_t)gy_hash_mix(key) & (m->cap - 1);

    while (m->cell[i].used && m->cell[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static bool grow(struct gy_map *m)
{
    struct gy_map next = {.n = m->n, .cap = m->cap == 0 ? 16 : m->cap * 2};

    next.cell = calloc(next.cap, sizeof *next.cell);
    if (next.cell == NULL)
        return false;
    for (size_t i = 0; i < m->cap; i++)
        if (m->cell[i].used)
            next.cell[probe(&next, m->cell[i].key)] = m->cell[i];
    free(m->cell);
    *m = next;
    return true;
}

bool gy_map_put(struct gy_map *m, uint64_t key, uint64_t value)
{
    if (m->cap > 0) {
        size_t i = probe(m, key);
        if (m->cell[i].used) {
            m->cell[i].value = value;
            return true;
        }
    }
    if ((m->n + 1) * 3 > m->cap * 2 && !grow(m))
        return false;
    m->cell[probe(m, key)] = (struct gy_map_cell){.key = key, .value = value, .used = true};
    m->n++;
    return true;
}

bool gy_map_get(const struct gy_map *m, uint64_t key, uint64_t *value)
{
    if (m->n == 0)
        return false;
    size_t i = probe(m, key);
    if (m->cell[i].used)
        *value = m->cell[i].value;
    return m->cell[i].used;
}

/* Erasing shifts the rest of the run back, so that no tombstones are left. */
bool gy_map_erase(struct gy_map *m, uint64_t key)
{
    if (m->n == 0)
        return false;
    size_t hole = probe(m, key), mask = m->cap - 1;
    if (!m->cell[hole].used)
        return false;
    for (size_t i = (hole + 1) & mask; m->cell[i].used; i = (i + 1) & mask) {
        size_t home = (size_t)gy_hash_mix(m->cell[i].key) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue; /* its home lies after the hole */
        m->cell[hole] = m->cell[i];
        hole = i;
    }
    m->cell[hole].used = false;
    m->n--;
    return true;
}

void gy_map_free(struct gy_map *m)
{
    free(m->cell);
    *m = (struct gy_map){0};
}
