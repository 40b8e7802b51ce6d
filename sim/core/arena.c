/* Arena: a list of chunks that double in size, bump allocation in the newest. Not thread-safe, and single blocks cannot
 * be freed. Chunks come zeroed from calloc and are zeroed again by a reset, so that a block is zero when handed out. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gy_arena.h"

#define CHUNK_FIRST ((size_t)4096)
#define CHUNK_MOST  ((size_t)1 << 20)

struct gy_arena_chunk {
    struct gy_arena_chunk *next;
    size_t used, cap;
    _Alignas(16) char data[];
};

static struct gy_arena_chunk *chunk_new(size_t cap)
{
    struct gy_arena_chunk *c = calloc(1, sizeof *c + cap);

    if (c != NULL)
        c->cap = cap;
    return c;
}

/* A chunk with room for bytes. A block too large for the usual size gets a chunk behind the head, which stays in use.
 */
static struct gy_arena_chunk *chunk_with_room(struct gy_arena *a, size_t bytes)
{
    struct gy_arena_chunk *head = a->head;
    if (head != NULL && head->cap - head->used >= bytes)
        return head;

    size_t usual = head == NULL ? CHUNK_FIRST : head->cap >= CHUNK_MOST / 2 ? CHUNK_MOST : head->cap * 2;
    struct gy_arena_chunk *c = chunk_new(bytes > usual ? bytes : usual);
    if (c == NULL)
        return NULL;
    if (head != NULL && bytes > usual) {
        c->next = head->next;
        head->next = c;
    } else {
        c->next = head;
        a->head = c;
    }
    return c;
}

void *gy_arena_alloc(struct gy_arena *a, size_t bytes)
{
    if (bytes > (size_t)PTRDIFF_MAX - CHUNK_MOST)
        return NULL;
    bytes = bytes == 0 ? 16 : (bytes + 15) & ~(size_t)15;

    struct gy_arena_chunk *c = chunk_with_room(a, bytes);
    if (c == NULL)
        return NULL;
    void *block = c->data + c->used;
    c->used += bytes;
    return block;
}

char *gy_arena_strndup(struct gy_arena *a, const char *text, size_t len)
{
    if (len == SIZE_MAX)
        return NULL;
    char *copy = gy_arena_alloc(a, len + 1);
    if (copy != NULL && len > 0)
        memcpy(copy, text, len);
    return copy;
}

char *gy_arena_printf(struct gy_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    char *text = NULL;

    va_start(ap, fmt);
    va_copy(again, ap);
    int len = vsnprintf(NULL, 0, fmt, ap);
    if (len >= 0)
        text = gy_arena_alloc(a, (size_t)len + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)len + 1, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}

void gy_arena_reset(struct gy_arena *a)
{
    struct gy_arena_chunk *keep = a->head;

    for (struct gy_arena_chunk *c = a->head; c != NULL; c = c->next)
        if (c->cap > keep->cap)
            keep = c;
    for (struct gy_arena_chunk *c = a->head, *next; c != NULL; c = next) {
        next = c->next;
        if (c != keep)
            free(c);
    }
    a->head = keep;
    if (keep != NULL) {
        memset(keep->data, 0, keep->used);
        keep->used = 0;
        keep->next = NULL;
    }
}

void gy_arena_free(struct gy_arena *a)
{
    for (struct gy_arena_chunk *c = a->head, *next; c != NULL; c = next) {
        next = c->next;
        free(c);
    }
    a->head = NULL;
}
