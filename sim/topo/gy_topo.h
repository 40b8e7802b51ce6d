/* Topologies read from real dumps: which host hangs on which switch, and what is inside a node. Readers for
 * `ibnetdiscover`, Slurm's topology.conf, CSV (hosts with their switches, or a list of links), NCCL's topology XML
 * (RCCL's too) and `nvidia-smi topo -m`. Not a simulation's graph: gy_topo_graph makes that from a fabric.
 *
 * Every physical link stands once, however often the dump names it. What is no ordinary host (aggregation nodes,
 * adapters without a host's name, "localhost") is kept, marked odd with the reason, and is no node of the graph. Wrong
 * or truncated text is an error that names file and line. Memory follows the file. */
#ifndef GY_TOPO_H
#define GY_TOPO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_error.h"
#include "gy_graph.h"
#include "gy_hash.h"
#include "gy_str.h"
#include "gy_vec.h"

enum gy_topo_kind {
#define GY_TOPO_KINDS(X)                                                                                               \
    X(GY_T_SWITCH, "switch")                                                                                           \
    X(GY_T_HOST, "host")                                                                                               \
    X(GY_T_NIC, "nic")                                                                                                 \
    X(GY_T_GPU, "gpu")                                                                                                 \
    X(GY_T_CPU, "cpu")                                                                                                 \
    X(GY_T_PCI, "pci")                                                                                                 \
    X(GY_T_NVSWITCH, "nvswitch")                                                                                       \
    X(GY_T_OTHER, "other")
#define X(id, text) id,
    GY_TOPO_KINDS(X)
#undef X
        GY_T_KINDS
};
const char *gy_topo_kind_name(enum gy_topo_kind kind);

enum gy_topo_via {
    GY_VIA_NETWORK,
    GY_VIA_NVLINK,
    GY_VIA_PCIE,
    GY_VIA_XGMI,
    GY_VIA_PATH
}; /* PATH: a relation, no wire */

struct gy_topo_vertex {
    enum gy_topo_kind kind;
    gy_str name;     /* unique in the topology */
    gy_str id;       /* GUID, bus id, or 0 */
    uint32_t parent; /* a NIC's host, a device's bridge or CPU; UINT32_MAX none */
    double rate;     /* of a NIC's ports together, bytes/s; 0 unknown */
    const char *odd; /* NULL, or why it is no ordinary member (static text) */
    size_t line;
};
struct gy_topo_link {
    uint32_t a, b;
    enum gy_topo_via via;
    double rate;    /* bytes/s a direction, all `count` wires together; 0 unknown */
    uint32_t count; /* wires bundled in it */
    gy_str label;   /* of a PATH: PIX, PXB, PHB, NODE, SYS; else 0 */
};
struct gy_topo {
    const char *format;
    struct gy_strings *strings;
    GY_VEC(struct gy_topo_vertex) vertices;
    GY_VEC(struct gy_topo_link) links;
    struct gy_map by_name; /* name → vertex; by_id: id → vertex */
    struct gy_map by_id;
    size_t one_sided; /* links that only one end names, though the format names both */
};

/* format: "ibnetdiscover", "slurm-topology", "csv", "nccl-xml", "nvidia-smi-topo", or NULL to tell it from the text.
 * 0, or -1 with err. Free with gy_topo_free in both cases. */
int gy_topo_load(struct gy_topo *t, const char *path, const char *format, struct gy_error *err);
int gy_topo_parse(struct gy_topo *t, const char *name, const char *text, size_t len, const char *format,
                  struct gy_error *err);
void gy_topo_free(struct gy_topo *t);
size_t gy_topo_count(const struct gy_topo *t, enum gy_topo_kind kind, bool odd); /* odd or ordinary ones */

/* The graph of a fabric: a node for every ordinary host in the order of the dump, named switches, links of unknown rate
 * at default_rate (bytes/s). Fails for dumps of one node's inside. */
int gy_topo_graph(const struct gy_topo *t, double default_rate, gy_time latency, struct gy_graph *g,
                  struct gy_error *err);

struct gy_writer;
/* What was understood, as a tree with counts, then the odd ones. */
void gy_topo_print(const struct gy_topo *t, struct gy_writer *to);
#endif
