/* Shared by the two nccl-tests importers: a table under construction and the checks that end it. */
#ifndef GY_NCCL_LINE_H
#define GY_NCCL_LINE_H
#include "gy_measure.h"

struct nccl_half {
    double time_us, algbw, busbw; /* NaN when absent */
};
struct nccl_row {
    double bytes, count;
    char type[24], redop[16];
    double root; /* NaN when not printed */
    struct nccl_half half[2];
    size_t line; /* in the file, for messages; 0 unknown */
};

struct nccl_table {
    const char *path;
    const struct gy_import_options *opt;
    GY_VEC(struct nccl_row) rows;
    bool has_op;
    enum gy_coll_op op;
    uint32_t ranks, nodes, gpus_per_node;
    char gpu[256], words[3072], source[512], system[128];
    size_t header_line;
};

/* Decides operation, ranks and nodes, checks every row against them, and appends the set. Clears the rows. */
int nccl_table_end(struct gy_measurements *m, struct nccl_table *t, struct gy_error *err);
/* Appends to words, cutting what does not fit. */
void nccl_table_word(struct nccl_table *t, const char *text, size_t len);
#endif
