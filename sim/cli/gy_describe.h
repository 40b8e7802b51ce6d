/* Texts about inputs that several verbs print: what was read of a trace, and what a cluster consists of. */
#ifndef GY_DESCRIBE_H
#define GY_DESCRIBE_H
#include "gy_cluster.h"
#include "gy_scenario.h"
#include "gy_trace.h"

struct gy_writer;
/* "82,247": digits in groups of three. buf ≥ 32 bytes. */
const char *gy_grouped(uint64_t n, char *buf);
/* Rows read, kept and skipped with the reason and first place of each; what was changed in kept rows. */
void gy_describe_rows(const struct gy_trace *t, const char *path, struct gy_writer *to);
void gy_describe_cluster(const struct gy_cluster_spec *spec, struct gy_writer *to);
/* On one line: "133 nodes, 1,064 GPUs: 133 x 8 V100"; NULL when out of memory. */
const char *gy_cluster_text(const struct gy_cluster_spec *spec, struct gy_arena *arena);
/* The same as JSON members. */
void gy_describe_rows_json(const struct gy_trace *t, struct gy_json_out *o);
void gy_describe_cluster_json(const struct gy_cluster_spec *spec, struct gy_json_out *o);
/* All that `trace info` tells. 0, or -1 when out of memory. */
int gy_describe_trace(const struct gy_trace *t, const char *path, struct gy_writer *to, struct gy_error *err);
int gy_describe_trace_json(const struct gy_trace *t, struct gy_writer *to, struct gy_error *err);
#endif
