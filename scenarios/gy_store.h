/* The store of a sweep: an SQLite file (WAL) that holds every finished point. The only place that knows SQLite here.
 * A point is committed when it is done, so a killed process loses the points in flight and nothing else. */
#ifndef GY_STORE_H
#define GY_STORE_H
#include <stdbool.h>
#include <stddef.h>
#include "gy_account.h"
#include "gy_error.h"

struct gy_store;
/* Opens or makes path; an SQLite file that is not a store, or of another format, is an error. */
struct gy_store *gy_store_open(const char *path, struct gy_error *err);
int gy_store_close(struct gy_store *s, struct gy_error *err); /* checkpoints; NULL is fine */

/* Whether a point's result is there. */
bool gy_store_has(struct gy_store *s, const char *id);
/* One finished point with all its metrics, in one transaction; a point that is there already is left as it is. */
int gy_store_put(struct gy_store *s, const char *id, const char *setting_json, long long seed,
                 const struct gy_metric *metrics, size_t n, struct gy_error *err);
/* fn is told each metric of a point in the order in which they were put; 0, or -1 when the point is not there. key is
 * "" where the metric has none; value NaN and word NULL where there was none. */
int gy_store_get(struct gy_store *s, const char *id,
                 int (*fn)(void *ctx, const char *name, double value, const char *word), void *ctx,
                 struct gy_error *err);
/* Copies the points of every shard-*.sqlite in the folder that the store lacks. */
int gy_store_gather(struct gy_store *s, const char *folder, struct gy_error *err);
#endif
