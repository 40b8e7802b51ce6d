/* Host lists as Slurm writes them: "n[001-016,20],gpu-[1-2]-[0-3]", nested brackets included. Not a node table: names
 * only, in the order of writing, brackets from left to right like an odometer. */
#ifndef GY_HOSTLIST_H
#define GY_HOSTLIST_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_error.h"

#define GY_HOST_NAME_MAX 255 /* bytes of one name */

/* Calls fn for every name (NUL-ended, valid during the call) until it returns non-zero, which is then returned. At most
 * max names: one more is an error, found without making them all. Returns 0, or -1 with err (its place is left empty).
 * A range keeps the width of its first number: [08-10] is 08, 09, 10. */
int gy_hostlist_each(const char *text, size_t max, int (*fn)(void *ctx, const char *name, struct gy_error *err),
                     void *ctx, struct gy_error *err);
/* The name after this one: its last run of digits plus one, width kept ("v133" gives "v134", "r1-9" gives "r1-10").
 * False when it has no digits or becomes too long. buf ≥ GY_HOST_NAME_MAX + 1 bytes, may be name itself. */
bool gy_hostlist_next(const char *name, char *buf);
#endif
