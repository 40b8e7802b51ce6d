/* A sorted list in blocks: a queue of thousands of entries in which the first one in order whose value is small enough
 * is found by looking at a bound a block. Used for the pending jobs of one shape (value: the estimate) and for the
 * planned ends of running jobs. Not thread-safe; an entry's key must be unique in its list.
 *
 * insert, find, erase: O(log blocks + block); at the ends O(1). within: O(blocks + block). Blocks hold up to
 * GY_BLIST_BLOCK entries and start small, so that many short lists stay cheap. */
#ifndef GY_BLIST_H
#define GY_BLIST_H
#include <stdbool.h>
#include <stdint.h>

#define GY_BLIST_BLOCK 128

struct gy_item { /* in order of major, minor, row */
    int64_t major, minor;
    uint32_t row;
    uint32_t job;
};
/* Without branches: in a search no predictor can learn them. */
static inline bool gy_item_before(const struct gy_item *a, const struct gy_item *b)
{
    return (a->major < b->major) |
           ((a->major == b->major) & ((a->minor < b->minor) | ((a->minor == b->minor) & (a->row < b->row))));
}

struct gy_block {
    struct gy_item *item; /* [first, end) are in use */
    int64_t *value;
    uint32_t first, end, cap;
    int64_t low;          /* no value in the block is less */
    struct gy_item front; /* item[first], here for searches over blocks */
};
struct gy_blist { /* zeroed: empty */
    struct gy_block *block;
    uint32_t blocks, cap;
    uint32_t n;
};
struct gy_blist_pos { /* names an entry, or the place after the last */
    uint32_t block, at;
};

void gy_blist_free(struct gy_blist *l);
bool gy_blist_insert(struct gy_blist *l, const struct gy_item *item, int64_t value); /* false when out of memory */
/* First entry not before the item. */
struct gy_blist_pos gy_blist_lower(const struct gy_blist *l, const struct gy_item *item);
/* False when the position is after the last entry. */
bool gy_blist_get(const struct gy_blist *l, struct gy_blist_pos pos, struct gy_item *item, int64_t *value);
/* Removes the entry; pos then names the one that followed it. */
void gy_blist_erase(struct gy_blist *l, struct gy_blist_pos *pos);
/* The entry with exactly this key; false when absent. */
bool gy_blist_find(const struct gy_blist *l, const struct gy_item *item, struct gy_blist_pos *pos);
struct gy_blist_pos gy_blist_begin(const struct gy_blist *l);
struct gy_blist_pos gy_blist_after(const struct gy_blist *l, struct gy_blist_pos pos);
/* False when pos names the first entry. */
bool gy_blist_back(const struct gy_blist *l, struct gy_blist_pos *pos);
/* Moves pos to the first entry at or after it whose value is at most max; false when there is none. */
bool gy_blist_within(struct gy_blist *l, struct gy_blist_pos *pos, int64_t max);

/* A double as an integer of the same order (-0 equals 0; no NaN). */
int64_t gy_order_bits(double x);
#endif
