/* What cluster.c and capacity.c share while a cluster is built. */
#ifndef GY_SCENARIO_BUILDER_H
#define GY_SCENARIO_BUILDER_H
#include "inside.h"

struct gy_builder {
    const struct gy_scenario *s;
    struct gy_cluster_spec *spec;
    GY_VEC(gy_str) leaves; /* by leaf number */
    struct gy_inputs *in;
    struct gy_error *err;
};

/* The bit of a partition, which is made on first use; 0 with err. */
uint64_t gy_builder_partition(struct gy_builder *b, const char *name, size_t len, const char *pointer);
/* Gives the error that is already there a place in the scenario. Always -1. */
int gy_builder_fail(struct gy_builder *b, const char *pointer);
/* Partitions and planned changes, once all nodes are there; refuses two nodes of one name. */
int gy_builder_capacity(struct gy_builder *b);
/* The events of cluster.events_file, appended; their texts live in the inputs' arena. */
typedef GY_VEC(struct gy_sc_event) gy_sc_events;
int gy_builder_events_file(struct gy_builder *b, gy_sc_events *out);
/* Adds a file to the list of inputs. */
int gy_inputs_note(struct gy_inputs *in, const char *role, const char *path, const char *sha256, struct gy_error *err);
#endif
