/* The event queue: an indexed binary heap over (time, class, sequence), so ties are ordered and total.
 * push, pop, move and cancel are O(log n). Measured against 4-ary heaps and ladder queues, the binary heap won at the
 * sizes that lazily moved end events leave (thousands). Holds no more than 2^31 events. */
#ifndef GY_HEAP_H
#define GY_HEAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_time.h"

#define GY_HEAP_ARITY 2

struct gy_heap_node;
struct gy_heap_slot;
typedef uint32_t gy_heap_handle; /* valid from push until the event is popped or cancelled */
#define GY_HEAP_NONE UINT32_MAX

struct gy_heap_event {
    gy_time time;
    uint64_t payload;
    uint8_t cls;
};

struct gy_heap {
    struct gy_heap_node *node;
    struct gy_heap_slot *slot;
    size_t n, node_cap, slot_n, slot_cap;
    uint32_t free_slot;
    uint64_t next_sequence;
};

void gy_heap_free(struct gy_heap *h); /* a zeroed heap is empty */
/* GY_HEAP_NONE when out of memory. Events equal in time and class pop in the order of their pushes. */
gy_heap_handle gy_heap_push(struct gy_heap *h, gy_time time, uint8_t cls, uint64_t payload);
bool gy_heap_peek(const struct gy_heap *h, struct gy_heap_event *out);
bool gy_heap_pop(struct gy_heap *h, struct gy_heap_event *out);
void gy_heap_move(struct gy_heap *h, gy_heap_handle handle, gy_time time); /* keeps class and sequence */
void gy_heap_cancel(struct gy_heap *h, gy_heap_handle handle);
#endif
