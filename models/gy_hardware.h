/* The hardware catalogue: node types and fabrics as const structs, loaded from JSON that is embedded in the binary
 * (models/hardware, models/fabrics) or from a file of the user. Every figure carries its source.
 *
 * Units are in the names: gbps = 10^9 bytes/s in one direction, gbit = 10^9 bits/s, tflops = 10^12 operations/s, us, w,
 * gib. A figure that does not exist for a device is 0 with an empty source. */
#ifndef GY_HARDWARE_H
#define GY_HARDWARE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "gy_arena.h"
#include "gy_error.h"
#include "gy_param.h"

struct gy_figure {
    double value;
    const char *source; /* "" when the figure is absent */
};

enum gy_gpu_arch {
    GY_ARCH_VOLTA,
    GY_ARCH_TURING,
    GY_ARCH_AMPERE,
    GY_ARCH_ADA,
    GY_ARCH_HOPPER,
    GY_ARCH_BLACKWELL,
    GY_ARCH_CDNA3
};
enum gy_precision { GY_FP64, GY_FP32, GY_TF32, GY_BF16, GY_FP16, GY_FP8, GY_FP4, GY_INT8, GY_PRECISIONS };
const char *gy_precision_name(enum gy_precision p);
/* -1 when the name is none of them; "bfloat16", "half", "float" and the like are known. */
int gy_precision_of(const char *name);
size_t gy_precision_bytes_x8(enum gy_precision p); /* bits an element */

struct gy_gpu {
    const char *name;
    const char *vendor;
    int arch; /* enum gy_gpu_arch */
    struct gy_figure memory_gib;
    struct gy_figure hbm_gbps;
    struct gy_figure peak_tflops[GY_PRECISIONS]; /* dense */
    struct gy_figure idle_w, max_w;
};

enum gy_intra_kind { GY_INTRA_NONE, GY_INTRA_PCIE, GY_INTRA_BRIDGE, GY_INTRA_MESH, GY_INTRA_SWITCH, GY_INTRA_XGMI };
struct gy_intra {
    int kind;                     /* enum gy_intra_kind */
    struct gy_figure links;       /* a GPU */
    struct gy_figure link_gbps;   /* one direction of one link, datasheet */
    struct gy_figure domain_gpus; /* GPUs that reach each other at this rate: a node's, or a rack's (72) */
};

struct gy_cpu {
    const char *name;
    int vendor;                                  /* 0 intel, 1 amd, 2 arm */
    struct gy_figure sockets, cores, memory_gib; /* cores of the node */
};

/* What NCCL's tuning model needs to know of the device: channels of its graphs and their rates. */
struct gy_coll_tuning {
    struct gy_figure ring_channels, ring_channel_gbps; /* inside a node, all its GPUs */
    struct gy_figure pair_gbps;                        /* all-to-all and point to point: what one GPU sends */
    struct gy_figure nvls_channels, nvls_channel_gbps, nvls_efficiency; /* 0: no NVLink SHARP */
};

struct gy_hw {
    const char *name, *summary;
    struct gy_texts aliases;
    struct gy_gpu gpu;
    struct gy_figure gpus; /* of a node */
    struct gy_intra intra;
    struct gy_figure pcie_generation, pcie_gbps; /* of a GPU, one direction */
    struct gy_figure nics, nic_gbit;             /* of a node */
    bool rail;                                   /* NIC i belongs to GPU i (or to a group of them) */
    const char *fabric;                          /* default fabric between nodes */
    struct gy_cpu cpu;
    struct gy_figure node_idle_w, node_max_w;
    struct gy_figure price_usd_per_gpu_hour;
    struct gy_coll_tuning collective;
};

enum gy_fabric_kind {
    GY_FABRIC_INFINIBAND,
    GY_FABRIC_ROCE,
    GY_FABRIC_EFA,
    GY_FABRIC_TCPX,
    GY_FABRIC_TCP,
    GY_FABRIC_NVLINK
};
struct gy_fabric {
    const char *name, *summary;
    struct gy_texts aliases;
    int kind;                     /* enum gy_fabric_kind */
    struct gy_figure nic_gbit;    /* of a port; 0: the node's own */
    struct gy_figure nics;        /* of a node; 0: the node's own */
    struct gy_figure latency_us;  /* added to every hop between nodes */
    struct gy_figure efficiency;  /* payload of the wire rate that one ring reaches */
    bool ll, ll128;               /* whether NCCL may use these protocols over it; Simple always */
    bool sharp;                   /* in-network reduction (CollNet) is there */
    struct gy_figure domain_gpus; /* NVLINK: GPUs of one domain */
};

extern const struct gy_param gy_hw_table[];
extern const struct gy_param gy_fabric_table[];

/* The embedded data files. kind is "hardware", "fabrics", "calibrations" …; NULL past the end. */
struct gy_model_file {
    const char *kind, *name; /* name without ".json" */
    const char *text;
    size_t len;
};
const struct gy_model_file *gy_model_file_at(size_t i);
const struct gy_model_file *gy_model_file_find(const char *kind, const char *name); /* exact name, NULL when absent */

/* Whether a name is a path of a file: it has a '/' or ends in ".json" or ".json.gz". */
bool gy_model_is_path(const char *name);
/* The document of an embedded file by name or alias, or of the file at a path. The caller frees it. */
struct gy_json_doc;
struct gy_json_doc *gy_model_open(const char *kind, const char *name, struct gy_error *err);

/* Names and aliases of the embedded files of a kind (NULL: of all), at most so many. Returns how many. */
size_t gy_model_names(const char *kind, char names[][64], size_t most);
/* The name or alias nearest to what was typed, in buf; NULL when none is near. */
const char *gy_model_nearest(const char *kind, const char *name, char buf[64]);

/* By name, alias, or path of a JSON file (a name with a '/' or ending in ".json" or ".json.gz"). What is returned lives
 * in the arena. NULL with err filled (nearest name as hint) otherwise. */
const struct gy_hw *gy_hw_find(const char *name, struct gy_arena *arena, struct gy_error *err);
const struct gy_fabric *gy_fabric_find(const char *name, struct gy_arena *arena, struct gy_error *err);
/* Canonical name of a name or alias without loading it all, or NULL. Embedded data only. */
const char *gy_hw_canonical(const char *name);
double gy_hw_peak_tflops(const struct gy_hw *hw,
                         enum gy_precision p); /* falls back: bf16↔fp16, fp8→fp16, fp4→fp8, tf32→fp32 */
const char *gy_arch_name(int arch);
#endif
