/* The loader's own state, shared by load.c, choose.c, settle.c and deps.c. Internal. */
#ifndef GY_LOADING_H
#define GY_LOADING_H
#include "gy_hash.h"
#include "reader.h"

struct gy_dep_text { /* what a row's depends_on says */
    uint32_t row;
    const char *text;
    size_t len;
};
struct gy_dep_edge { /* row waits for to; to is UINT32_MAX when it is not in the trace */
    uint32_t row, to;
    uint8_t kind;
};

struct gy_loading {
    struct gy_reader r;
    const struct gy_reader_type *type;
    GY_VEC(uint64_t) line;   /* of each row of t->jobs, in the order of the file */
    GY_VEC(uint8_t) dropped; /* of each row: not to be kept */
    GY_VEC(struct gy_dep_text) dep_texts;
    GY_VEC(struct gy_dep_edge) edges; /* by row */
    struct gy_arena texts;            /* of dep_texts */
    struct gy_map numbers, names;     /* id to row; of the first that has it */
    bool indexed;                     /* numbers is kept; not so while they only ascend, as in most traces */
    uint64_t last_number;
};

/* choose.c: the reader, or NULL with err. */
const struct gy_reader_type *gy_load_choose(const struct gy_trace_options *o, struct gy_input *in,
                                            struct gy_error *err);
/* Drops a row that was already read, counted under why. bad: --strict makes it an error. */
int gy_load_drop(struct gy_loading *l, uint32_t row, const char *column, const char *why, bool bad,
                 struct gy_error *err);
/* The job's id as a field; buf ≥ 24 bytes. */
struct gy_field gy_load_id(const struct gy_loading *l, uint32_t row, char *buf);
/* Makes the map of numbers, if there is none yet. */
int gy_load_index(struct gy_loading *l, struct gy_error *err);
/* The row of that id, UINT32_MAX if none. Needs the index. */
uint32_t gy_load_find(const struct gy_loading *l, const char *id, size_t len);
/* settle.c: makes of the rows read the table, sorted and without the dropped. */
int gy_load_settle(struct gy_loading *l, struct gy_error *err);
/* deps.c: from dep_texts to edges; drops rows whose text makes no sense, that wait for themselves or lie on a cycle. */
int gy_load_deps(struct gy_loading *l, struct gy_error *err);
#endif
