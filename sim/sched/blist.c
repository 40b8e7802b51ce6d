/* The sorted list in blocks. Bounds are lazy: removing an entry leaves its block's bound as it is, and a search that
 * finds nothing in a whole block makes the bound true. */
#include "gy_blist.h"
#include <stdlib.h>
#include <string.h>
#include "gy_time.h"

#define BLOCK_START 8u

void gy_blist_free(struct gy_blist *l)
{
    for (uint32_t i = 0; i < l->blocks; i++) {
        free(l->block[i].item);
        free(l->block[i].value);
    }
    free(l->block);
    *l = (struct gy_blist){0};
}

static bool block_grow(struct gy_block *b, uint32_t cap)
{
    struct gy_item *item = realloc(b->item, cap * sizeof *item);
    if (!item)
        return false;
    b->item = item;
    int64_t *value = realloc(b->value, cap * sizeof *value);
    if (!value)
        return false;
    b->value = value;
    b->cap = cap;
    return true;
}

/* Opens an empty block at index at. */
static bool add_block(struct gy_blist *l, uint32_t at, uint32_t room)
{
    if (l->blocks == l->cap) {
        const uint32_t cap = l->cap ? l->cap * 2 : 1;
        struct gy_block *grown = realloc(l->block, cap * sizeof *grown);
        if (!grown)
            return false;
        l->block = grown;
        l->cap = cap;
    }
    struct gy_block fresh = {.low = INT64_MAX};
    if (!block_grow(&fresh, room)) {
        free(fresh.item);
        free(fresh.value);
        return false;
    }
    memmove(&l->block[at + 1], &l->block[at], (l->blocks - at) * sizeof *l->block);
    l->block[at] = fresh;
    l->blocks++;
    return true;
}

static void drop_block(struct gy_blist *l, uint32_t at)
{
    free(l->block[at].item);
    free(l->block[at].value);
    l->blocks--;
    memmove(&l->block[at], &l->block[at + 1], (l->blocks - at) * sizeof *l->block);
}

/* Index of the block where the item is or belongs: the last one whose first entry is not after it, else 0. */
static uint32_t block_of(const struct gy_blist *l, const struct gy_item *item)
{
    if (l->blocks == 0 || !gy_item_before(item, &l->block[l->blocks - 1].front))
        return l->blocks ? l->blocks - 1 : 0;
    uint32_t base = 0;
    for (uint32_t n = l->blocks; n > 1;) {
        const uint32_t half = n / 2;
        base += gy_item_before(item, &l->block[base + half].front) ? 0 : half;
        n -= half;
    }
    return base;
}

/* Index of the first entry not before the item; end when all are before it. */
static uint32_t index_in(const struct gy_block *b, const struct gy_item *item)
{
    const struct gy_item *base = &b->item[b->first];
    uint32_t n = b->end - b->first;
    if (n == 0 || gy_item_before(&base[n - 1], item))
        return b->end;
    while (n > 1) {
        const uint32_t half = n / 2;
        base += gy_item_before(&base[half - 1], item) ? half : 0;
        n -= half;
    }
    return (uint32_t)(base - b->item) + gy_item_before(base, item);
}

static void block_low(struct gy_block *b)
{
    b->low = INT64_MAX;
    for (uint32_t i = b->first; i < b->end; i++)
        b->low = b->value[i] < b->low ? b->value[i] : b->low;
}

/* Moves the upper half of a full block into a new one behind it. */
static bool split(struct gy_blist *l, uint32_t at)
{
    if (!add_block(l, at + 1, GY_BLIST_BLOCK))
        return false;
    struct gy_block *a = &l->block[at], *b = &l->block[at + 1];
    const uint32_t keep = (a->end - a->first) / 2, move = a->end - a->first - keep;
    memcpy(b->item, &a->item[a->first + keep], move * sizeof *b->item);
    memcpy(b->value, &a->value[a->first + keep], move * sizeof *b->value);
    b->end = move;
    a->end = a->first + keep;
    b->front = b->item[0];
    block_low(a);
    block_low(b);
    return true;
}

/* Makes room for one more entry at the block's end. The array is up to twice as long as the block may be, so that a
 * queue served at its front and filled at its back is moved down once in many entries. */
static bool block_room(struct gy_block *b)
{
    if (b->end < b->cap)
        return true;
    if (b->first < b->cap / 2 || b->first == 0)
        return block_grow(b, b->cap * 2);
    memmove(b->item, &b->item[b->first], (b->end - b->first) * sizeof *b->item);
    memmove(b->value, &b->value[b->first], (b->end - b->first) * sizeof *b->value);
    b->end -= b->first;
    b->first = 0;
    return true;
}

static void put(struct gy_block *b, uint32_t i, const struct gy_item *item, int64_t value)
{
    memmove(&b->item[i + 1], &b->item[i], (b->end - i) * sizeof *b->item);
    memmove(&b->value[i + 1], &b->value[i], (b->end - i) * sizeof *b->value);
    b->item[i] = *item;
    b->value[i] = value;
    b->end++;
    b->front = b->item[b->first];
    b->low = value < b->low ? value : b->low;
}

bool gy_blist_insert(struct gy_blist *l, const struct gy_item *item, int64_t value)
{
    if (l->blocks == 0 && !add_block(l, 0, BLOCK_START))
        return false;
    uint32_t at = l->n == 0 ? 0 : block_of(l, item);
    if (l->block[at].end - l->block[at].first == GY_BLIST_BLOCK) {
        const bool append = at + 1 == l->blocks && gy_item_before(&l->block[at].item[l->block[at].end - 1], item);
        if (append ? !add_block(l, at + 1, GY_BLIST_BLOCK) : !split(l, at))
            return false;
        if (append || !gy_item_before(item, &l->block[at + 1].front))
            at++;
    }
    struct gy_block *b = &l->block[at];
    if (!block_room(b))
        return false;
    put(b, b->end == b->first ? b->end : index_in(b, item), item, value);
    l->n++;
    return true;
}

struct gy_blist_pos gy_blist_begin(const struct gy_blist *l)
{
    return (struct gy_blist_pos){0, l->n ? l->block[0].first : 0};
}

struct gy_blist_pos gy_blist_lower(const struct gy_blist *l, const struct gy_item *item)
{
    if (l->n == 0)
        return gy_blist_begin(l);
    const uint32_t at = block_of(l, item);
    const uint32_t i = index_in(&l->block[at], item);
    if (i == l->block[at].end && at + 1 < l->blocks)
        return (struct gy_blist_pos){at + 1, l->block[at + 1].first};
    return (struct gy_blist_pos){at, i};
}

bool gy_blist_get(const struct gy_blist *l, struct gy_blist_pos pos, struct gy_item *item, int64_t *value)
{
    if (pos.block >= l->blocks || pos.at >= l->block[pos.block].end)
        return false;
    *item = l->block[pos.block].item[pos.at];
    if (value)
        *value = l->block[pos.block].value[pos.at];
    return true;
}

bool gy_blist_find(const struct gy_blist *l, const struct gy_item *item, struct gy_blist_pos *pos)
{
    struct gy_item got;
    *pos = gy_blist_lower(l, item);
    return gy_blist_get(l, *pos, &got, NULL) && !gy_item_before(item, &got);
}

void gy_blist_erase(struct gy_blist *l, struct gy_blist_pos *pos)
{
    struct gy_block *b = &l->block[pos->block];
    if (pos->at == b->first) {
        b->first++;
        pos->at++;
    } else {
        memmove(&b->item[pos->at], &b->item[pos->at + 1], (b->end - pos->at - 1) * sizeof *b->item);
        memmove(&b->value[pos->at], &b->value[pos->at + 1], (b->end - pos->at - 1) * sizeof *b->value);
        b->end--;
    }
    l->n--;
    if (b->first == b->end) {
        b->first = b->end = 0;
        b->low = INT64_MAX;
        if (l->blocks > 1)
            drop_block(l, pos->block);
        pos->at = pos->block < l->blocks ? l->block[pos->block].first : 0;
        return;
    }
    b->front = b->item[b->first];
    if (pos->at == b->end && pos->block + 1 < l->blocks) {
        pos->block++;
        pos->at = l->block[pos->block].first;
    }
}

struct gy_blist_pos gy_blist_after(const struct gy_blist *l, struct gy_blist_pos pos)
{
    pos.at++;
    if (pos.at >= l->block[pos.block].end && pos.block + 1 < l->blocks) {
        pos.block++;
        pos.at = l->block[pos.block].first;
    }
    return pos;
}

bool gy_blist_back(const struct gy_blist *l, struct gy_blist_pos *pos)
{
    if (pos->block < l->blocks && pos->at > l->block[pos->block].first) {
        pos->at--;
        return true;
    }
    if (pos->block == 0 || l->n == 0)
        return false;
    pos->block--;
    pos->at = l->block[pos->block].end - 1;
    return true;
}

bool gy_blist_within(struct gy_blist *l, struct gy_blist_pos *pos, int64_t max)
{
    for (; pos->block < l->blocks; pos->block++) {
        struct gy_block *b = &l->block[pos->block];
        const bool whole = pos->at <= b->first;
        if (b->low <= max) {
            uint32_t i = whole ? b->first : pos->at;
            while (i < b->end && b->value[i] > max)
                i++;
            if (i < b->end) {
                pos->at = i;
                return true;
            }
            if (whole)
                block_low(b);
        }
        pos->at = 0;
    }
    return false;
}

int64_t gy_order_bits(double x)
{
    int64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}
