/* An arena: memory that is freed all at once (program, run or pass lifetime). Blocks are zeroed and aligned to 16. */
#ifndef GY_ARENA_H
#define GY_ARENA_H
#include <stddef.h>

struct gy_arena_chunk;
struct gy_arena {
    struct gy_arena_chunk *head;
};
#define GY_ARENA_INIT                                                                                                  \
    {                                                                                                                  \
        0                                                                                                              \
    }

void *gy_arena_alloc(struct gy_arena *a, size_t bytes); /* NULL when out of memory */
char *gy_arena_strndup(struct gy_arena *a, const char *text, size_t len);
char *gy_arena_printf(struct gy_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_arena_reset(struct gy_arena *a); /* forgets everything, keeps the largest chunk for reuse */
void gy_arena_free(struct gy_arena *a);
#endif
