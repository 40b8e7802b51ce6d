/* The one out-of-line step of GY_VEC: growing the storage. Not a container of its own; see gy_vec.h. */
#include <stdint.h>
#include "gy_vec.h"

bool gy_vec_grow_(void **at, size_t *cap, size_t want, size_t elem)
{
    size_t next = *cap < 8 ? 8 : *cap;

    while (next < want) {
        if (next > SIZE_MAX / 2)
            return false;
        next *= 2;
    }
    if (next > (size_t)PTRDIFF_MAX / elem)
        return false;
    void *grown = realloc(*at, next * elem);
    if (grown == NULL)
        return false;
    *at = grown;
    *cap = next;
    return true;
}
