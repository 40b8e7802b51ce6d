/* Growable arrays: GY_VEC(T) declares one, zero-initialised is empty. Growth doubles. Functions return false when out
 * of memory and leave the array as it was. */
#ifndef GY_VEC_H
#define GY_VEC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define GY_VEC(T)                                                                                                      \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        size_t n, cap;                                                                                                 \
    }

bool gy_vec_grow_(void **at, size_t *cap, size_t want, size_t elem);

#define gy_vec_reserve(v, want)                                                                                        \
    ((v)->cap >= (size_t)(want) || gy_vec_grow_((void **)&(v)->at, &(v)->cap, (want), sizeof *(v)->at))
#define gy_vec_push(v, x) (gy_vec_reserve((v), (v)->n + 1) && ((v)->at[(v)->n++] = (x), true))
#define gy_vec_clear(v)   ((v)->n = 0)
#define gy_vec_free(v)    (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)
#endif
