/* Inside of the topology readers: lines with their places, and adding without doubles. */
#ifndef TOPO_H
#define TOPO_H
#include "gy_topo.h"

struct topo_text {
    const char *name; /* of the file, for places */
    const char *at, *end;
    size_t line; /* of the line last taken */
};
/* The next line without its end, false at the end of the text. */
bool topo_line(struct topo_text *t, const char **line, size_t *len);
/* Fails at the line last taken, with what was wrong and what the line says. */
int topo_fail(const struct topo_text *t, struct gy_error *err, const char *what, const char *found, size_t len);

/* The vertex of that name, made when new; *made says which. UINT32_MAX when out of memory. */
uint32_t topo_vertex(struct gy_topo *t, enum gy_topo_kind kind, const char *name, size_t len, bool *made);
uint32_t topo_find(const struct gy_topo *t, const char *name, size_t len);
bool topo_set_id(struct gy_topo *t, uint32_t v, const char *id, size_t len);
uint32_t topo_find_id(const struct gy_topo *t, const char *id, size_t len);
bool topo_link(struct gy_topo *t, uint32_t a, uint32_t b, enum gy_topo_via via, double rate, uint32_t count);

int topo_read_ib(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
int topo_read_slurm(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
int topo_read_csv(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
int topo_read_xml(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
int topo_read_smi(struct gy_topo *t, struct topo_text *in, struct gy_error *err);
#endif
