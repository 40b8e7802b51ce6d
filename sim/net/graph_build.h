/* Inside of the builders: what graph_build.c, graph_tree.c and graph_mesh.c share. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H
#include "gy_graph.h"

struct build {
    struct gy_graph *g;
    const struct gy_graph_plan *f; /* with defaults filled in */
    uint32_t first_leaf;           /* vertex of leaf 0; leaf i is first_leaf + i */
};

/* Adds n switches of a tier; *first is the vertex of the first, the others follow. */
bool build_switches(struct build *b, uint32_t n, uint8_t tier, uint32_t *first);
/* Leaves of a fat-tree or rail fabric with `ports` NICs each at most: joins them by spines (and cores). */
int build_tree(struct build *b, uint32_t leaves, uint32_t ports, struct gy_error *err);
int build_dragonfly(struct build *b, struct gy_error *err);
int build_torus(struct build *b, struct gy_error *err);
#endif
