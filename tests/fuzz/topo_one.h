/* One text through a topology reader and what may be done with its result. */
#ifndef TOPO_ONE_H
#define TOPO_ONE_H
#include <stdint.h>
#include <stdlib.h>
#include "gy_file.h"
#include "gy_topo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void topo_one(const uint8_t *data, size_t size, const char *format)
{
    struct gy_topo t;
    struct gy_graph g;
    struct gy_error err = {0};

    if (gy_topo_parse(&t, "f", (const char *)data, size, format, &err) == 0) {
        struct gy_writer *w = gy_writer_open(NULL, &err);
        if (w) {
            gy_topo_print(&t, w);
            gy_writer_abandon(w);
        }
        if (gy_topo_graph(&t, 1e9, 0, &g, &err) == 0)
            gy_graph_free(&g);
        if (t.vertices.n == 0)
            abort();
    } else if (!err.what[0]) {
        abort();
    }
    gy_topo_free(&t);
}
#endif
