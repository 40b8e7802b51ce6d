/* The event queue: nodes in an implicit heap, and a slot for each event that knows where its node is. Not stable by
 * accident: the order is total because every event has its own sequence number. */
#include <assert.h>
#include <stdlib.h>
#include "gy_heap.h"
#include "gy_vec.h"

#define EVENTS_MAX ((size_t)1 << 31)

struct gy_heap_node {
    gy_time time;
    uint64_t order; /* class in the top eight bits, then the sequence number */
    uint32_t slot;
};

struct gy_heap_slot {
    uint64_t payload;
    uint32_t at; /* index of the node; in a free slot: the next free slot + 1, or 0 */
};

/* One 128-bit comparison instead of two branches that no predictor can learn. */
static inline bool before(const struct gy_heap_node *a, const struct gy_heap_node *b)
{
    const uint64_t sign = (uint64_t)1 << 63;
    unsigned __int128 ka = (unsigned __int128)((uint64_t)a->time ^ sign) << 64 | a->order;
    unsigned __int128 kb = (unsigned __int128)((uint64_t)b->time ^ sign) << 64 | b->order;

    return ka < kb;
}

static inline void place(struct gy_heap *h, size_t i, struct gy_heap_node node)
{
    h->node[i] = node;
    h->slot[node.slot].at = (uint32_t)i;
}

/* Puts node into the hole at i after moving the hole towards the root, as far as the order asks. */
static void sift_up(struct gy_heap *h, size_t i, struct gy_heap_node node)
{
    while (i > 0) {
        size_t parent = (i - 1) / GY_HEAP_ARITY;
        if (!before(&node, &h->node[parent]))
            break;
        place(h, i, h->node[parent]);
        i = parent;
    }
    place(h, i, node);
}

/* As above, away from the root. The hole first sinks to a leaf: the node that comes from the end of the array nearly
 * always belongs there, and this saves a comparison a level. */
static void sift_down(struct gy_heap *h, size_t i, struct gy_heap_node node)
{
    for (;;) {
        size_t first = i * GY_HEAP_ARITY + 1, least = first;
        if (first >= h->n)
            break;
        if (first + GY_HEAP_ARITY <= h->n) {
            for (size_t c = 1; c < GY_HEAP_ARITY; c++)
                least = before(&h->node[first + c], &h->node[least]) ? first + c : least;
        } else {
            for (size_t c = first + 1; c < h->n; c++)
                least = before(&h->node[c], &h->node[least]) ? c : least;
        }
        place(h, i, h->node[least]);
        i = least;
    }
    sift_up(h, i, node);
}

static uint32_t slot_take(struct gy_heap *h)
{
    uint32_t slot = h->free_slot;

    if (slot == 0)
        return (uint32_t)h->slot_n++;
    h->free_slot = h->slot[slot - 1].at;
    return slot - 1;
}

static bool room_for_one(struct gy_heap *h)
{
    void *node = h->node, *slot = h->slot;
    bool ok = h->n < EVENTS_MAX && (h->n < h->node_cap || gy_vec_grow_(&node, &h->node_cap, h->n + 1, sizeof *h->node));

    h->node = node;
    if (ok && h->free_slot == 0 && h->slot_n == h->slot_cap) {
        ok = gy_vec_grow_(&slot, &h->slot_cap, h->slot_n + 1, sizeof *h->slot);
        h->slot = slot;
    }
    return ok;
}

/* Takes the node at i out of the heap and frees its slot. */
static void take_out(struct gy_heap *h, size_t i)
{
    uint32_t slot = h->node[i].slot;
    struct gy_heap_node last = h->node[--h->n];

    if (i < h->n)
        sift_down(h, i, last);
    h->slot[slot].at = h->free_slot;
    h->free_slot = slot + 1;
}

void gy_heap_free(struct gy_heap *h)
{
    free(h->node);
    free(h->slot);
    *h = (struct gy_heap){0};
}

gy_heap_handle gy_heap_push(struct gy_heap *h, gy_time time, uint8_t cls, uint64_t payload)
{
    if (!room_for_one(h))
        return GY_HEAP_NONE;

    uint32_t slot = slot_take(h);
    h->slot[slot].payload = payload;
    sift_up(h, h->n++, (struct gy_heap_node){time, (uint64_t)cls << 56 | h->next_sequence++, slot});
    return slot;
}

bool gy_heap_peek(const struct gy_heap *h, struct gy_heap_event *out)
{
    if (h->n == 0)
        return false;
    const struct gy_heap_node *top = h->node;
    *out = (struct gy_heap_event){top->time, h->slot[top->slot].payload, (uint8_t)(top->order >> 56)};
    return true;
}

bool gy_heap_pop(struct gy_heap *h, struct gy_heap_event *out)
{
    if (!gy_heap_peek(h, out))
        return false;
    take_out(h, 0);
    return true;
}

void gy_heap_move(struct gy_heap *h, gy_heap_handle handle, gy_time time)
{
    assert(handle < h->slot_n);
    size_t i = h->slot[handle].at;
    assert(i < h->n && h->node[i].slot == handle);
    struct gy_heap_node node = h->node[i];
    bool later = time > node.time;

    node.time = time;
    if (later)
        sift_down(h, i, node);
    else
        sift_up(h, i, node);
}

void gy_heap_cancel(struct gy_heap *h, gy_heap_handle handle)
{
    assert(handle < h->slot_n);
    size_t i = h->slot[handle].at;
    assert(i < h->n && h->node[i].slot == handle);
    take_out(h, i);
}
