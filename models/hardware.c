/* The tables that describe hardware and fabric JSON, and finding an entry by name, alias or path. Not the data: that is
 * in models/hardware and models/fabrics, embedded by embed.cmake. */
#include "gy_hardware.h"
#include <string.h>
#include <strings.h>
#include "gy_bind.h"
#include "gy_file.h"
#include "gy_json.h"

#define DATASHEET "each data file names its sources"

static const struct gy_param figure_fields[] = {
    {"value", GY_P_REAL, offsetof(struct gy_figure, value), .preset = NULL, .help = "the figure", .source = DATASHEET},
    {"source", GY_P_TEXT, offsetof(struct gy_figure, source), .preset = NULL, .help = "where it comes from",
     .source = DATASHEET},
    {0},
};
#define FIGURE(key, owner, member, text)                                                                               \
    {                                                                                                                  \
        .name = key, .type = GY_P_OBJECT, .offset = offsetof(owner, member), .preset = NULL, .fields = figure_fields,  \
        .item_size = sizeof(struct gy_figure), .help = text, .source = DATASHEET                                       \
    }
#define OPTIONAL(key, owner, member, text)                                                                             \
    {                                                                                                                  \
        .name = key, .type = GY_P_OBJECT, .offset = offsetof(owner, member), .preset = "null",                         \
        .fields = figure_fields, .item_size = sizeof(struct gy_figure), .help = text, .source = DATASHEET              \
    }
#define TEXT(key, owner, member, text)                                                                                 \
    {                                                                                                                  \
        .name = key, .type = GY_P_TEXT, .offset = offsetof(owner, member), .preset = NULL, .help = text, .source = ""  \
    }
#define OBJECT(key, owner, member, table, text)                                                                        \
    {                                                                                                                  \
        .name = key, .type = GY_P_OBJECT, .offset = offsetof(owner, member), .preset = NULL, .fields = table,          \
        .help = text, .source = ""                                                                                     \
    }

static const struct gy_param gpu_fields[] = {
    TEXT("name", struct gy_gpu, name, "product name"),
    TEXT("vendor", struct gy_gpu, vendor, "maker"),
    {.name = "arch",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_gpu, arch),
     .preset = NULL,
     .choices = "volta|turing|ampere|ada|hopper|blackwell|cdna3",
     .help = "architecture",
     .source = ""},
    FIGURE("memory_gib", struct gy_gpu, memory_gib, "memory of one GPU"),
    FIGURE("hbm_gbps", struct gy_gpu, hbm_gbps, "memory bandwidth, 10^9 bytes/s"),
    OPTIONAL("fp64_tflops", struct gy_gpu, peak_tflops[GY_FP64], "dense peak rate"),
    OPTIONAL("fp32_tflops", struct gy_gpu, peak_tflops[GY_FP32], "dense peak rate"),
    OPTIONAL("tf32_tflops", struct gy_gpu, peak_tflops[GY_TF32], "dense peak rate"),
    OPTIONAL("bf16_tflops", struct gy_gpu, peak_tflops[GY_BF16], "dense peak rate"),
    OPTIONAL("fp16_tflops", struct gy_gpu, peak_tflops[GY_FP16], "dense peak rate"),
    OPTIONAL("fp8_tflops", struct gy_gpu, peak_tflops[GY_FP8], "dense peak rate"),
    OPTIONAL("fp4_tflops", struct gy_gpu, peak_tflops[GY_FP4], "dense peak rate"),
    OPTIONAL("int8_tflops", struct gy_gpu, peak_tflops[GY_INT8], "dense peak rate, 10^12 operations/s"),
    FIGURE("idle_w", struct gy_gpu, idle_w, "power when idle"),
    FIGURE("max_w", struct gy_gpu, max_w, "power limit"),
    {0},
};
static const struct gy_param intra_fields[] = {
    {.name = "kind",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_intra, kind),
     .preset = NULL,
     .choices = "none|pcie|bridge|mesh|switch|xgmi",
     .help = "how the GPUs of a node are joined",
     .source = ""},
    OPTIONAL("links", struct gy_intra, links, "links of one GPU"),
    OPTIONAL("link_gbps", struct gy_intra, link_gbps, "one direction of one link, 10^9 bytes/s"),
    FIGURE("domain_gpus", struct gy_intra, domain_gpus, "GPUs that reach each other at that rate"),
    {0},
};
static const struct gy_param cpu_fields[] = {
    TEXT("name", struct gy_cpu, name, "product name"),
    {.name = "vendor",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_cpu, vendor),
     .preset = NULL,
     .choices = "intel|amd|arm",
     .help = "maker or kind",
     .source = ""},
    FIGURE("sockets", struct gy_cpu, sockets, "sockets of a node"),
    FIGURE("cores", struct gy_cpu, cores, "cores of a node"),
    FIGURE("memory_gib", struct gy_cpu, memory_gib, "memory of a node"),
    {0},
};
static const struct gy_param tuning_fields[] = {
    FIGURE("ring_channels", struct gy_coll_tuning, ring_channels, "channels of the ring graph inside a node"),
    FIGURE("ring_channel_gbps", struct gy_coll_tuning, ring_channel_gbps, "rate of one channel, 10^9 bytes/s"),
    FIGURE("pair_gbps", struct gy_coll_tuning, pair_gbps, "what one GPU sends in an all-to-all, 10^9 bytes/s"),
    OPTIONAL("nvls_channels", struct gy_coll_tuning, nvls_channels, "channels of NVLink SHARP"),
    OPTIONAL("nvls_channel_gbps", struct gy_coll_tuning, nvls_channel_gbps, "rate of one, 10^9 bytes/s"),
    OPTIONAL("nvls_efficiency", struct gy_coll_tuning, nvls_efficiency, "share of it that is reached"),
    {0},
};
const struct gy_param gy_hw_table[] = {
    TEXT("name", struct gy_hw, name, "name in scenarios"),
    TEXT("summary", struct gy_hw, summary, "one line"),
    {.name = "aliases",
     .type = GY_P_TEXTS,
     .offset = offsetof(struct gy_hw, aliases),
     .preset = "[]",
     .help = "other names",
     .source = ""},
    OBJECT("gpu", struct gy_hw, gpu, gpu_fields, "the GPU"),
    FIGURE("gpus", struct gy_hw, gpus, "GPUs of a node"),
    OBJECT("intra", struct gy_hw, intra, intra_fields, "links between the GPUs of a node"),
    FIGURE("pcie_generation", struct gy_hw, pcie_generation, "PCI Express generation"),
    FIGURE("pcie_gbps", struct gy_hw, pcie_gbps, "one GPU's slot, one direction, 10^9 bytes/s"),
    FIGURE("nics", struct gy_hw, nics, "network ports of a node"),
    FIGURE("nic_gbit", struct gy_hw, nic_gbit, "rate of one, 10^9 bits/s"),
    {.name = "rail",
     .type = GY_P_BOOL,
     .offset = offsetof(struct gy_hw, rail),
     .preset = "true",
     .help = "each GPU, or group of GPUs, has its own port",
     .source = ""},
    TEXT("fabric", struct gy_hw, fabric, "fabric between nodes unless another is named"),
    OBJECT("cpu", struct gy_hw, cpu, cpu_fields, "the host"),
    FIGURE("node_idle_w", struct gy_hw, node_idle_w, "power of an idle node, GPUs included"),
    FIGURE("node_max_w", struct gy_hw, node_max_w, "largest power of a node"),
    FIGURE("price_usd_per_gpu_hour", struct gy_hw, price_usd_per_gpu_hour,
           "price of one GPU with its share of the node"),
    OBJECT("collective", struct gy_hw, collective, tuning_fields, "what the collective model needs"),
    {0},
};
const struct gy_param gy_fabric_table[] = {
    TEXT("name", struct gy_fabric, name, "name in scenarios"),
    TEXT("summary", struct gy_fabric, summary, "one line"),
    {.name = "aliases",
     .type = GY_P_TEXTS,
     .offset = offsetof(struct gy_fabric, aliases),
     .preset = "[]",
     .help = "other names",
     .source = ""},
    {.name = "kind",
     .type = GY_P_CHOICE,
     .offset = offsetof(struct gy_fabric, kind),
     .preset = NULL,
     .choices = "infiniband|roce|efa|tcpx|tcp|nvlink",
     .help = "transport",
     .source = ""},
    OPTIONAL("nic_gbit", struct gy_fabric, nic_gbit, "rate of a port, 10^9 bits/s; absent: the node's own"),
    OPTIONAL("nics", struct gy_fabric, nics, "ports of a node; absent: the node's own"),
    FIGURE("latency_us", struct gy_fabric, latency_us, "added to NCCL's constant for every hop between nodes"),
    FIGURE("efficiency", struct gy_fabric, efficiency, "share of the wire rate that a ring reaches"),
    {.name = "ll",
     .type = GY_P_BOOL,
     .offset = offsetof(struct gy_fabric, ll),
     .preset = "true",
     .help = "the LL protocol is used between nodes",
     .source = ""},
    {.name = "ll128",
     .type = GY_P_BOOL,
     .offset = offsetof(struct gy_fabric, ll128),
     .preset = "true",
     .help = "the LL128 protocol is used between nodes",
     .source = ""},
    {.name = "sharp",
     .type = GY_P_BOOL,
     .offset = offsetof(struct gy_fabric, sharp),
     .preset = "false",
     .help = "switches reduce (CollNet)",
     .source = ""},
    OPTIONAL("domain_gpus", struct gy_fabric, domain_gpus, "GPUs of one NVLink domain"),
    {0},
};

static const char *const precision_names[GY_PRECISIONS] = {"fp64", "fp32", "tf32", "bf16",
                                                           "fp16", "fp8",  "fp4",  "int8"};

const char *gy_precision_name(enum gy_precision p)
{
    return precision_names[p];
}

int gy_precision_of(const char *name)
{
    static const struct {
        const char *name;
        enum gy_precision p;
    } known[] = {
        {"double", GY_FP64}, {"float64", GY_FP64}, {"float", GY_FP32},    {"float32", GY_FP32}, {"bfloat16", GY_BF16},
        {"half", GY_FP16},   {"float16", GY_FP16}, {"fp8_block", GY_FP8}, {"f8e4m3", GY_FP8},   {"fp8e4m3", GY_FP8},
        {"f8e5m2", GY_FP8},  {"fp8e5m2", GY_FP8},  {"nvfp4", GY_FP4},     {"uint8", GY_INT8},   {"int32", GY_FP32},
        {"uint32", GY_FP32}, {"int64", GY_FP64},   {"uint64", GY_FP64},
    };
    if (!name)
        return -1;
    for (int i = 0; i < GY_PRECISIONS; i++)
        if (!strcasecmp(name, precision_names[i]))
            return i;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (!strcasecmp(name, known[i].name))
            return (int)known[i].p;
    return -1;
}

size_t gy_precision_bytes_x8(enum gy_precision p)
{
    static const size_t bits[GY_PRECISIONS] = {64, 32, 32, 16, 16, 8, 4, 8};
    return bits[p];
}

double gy_hw_peak_tflops(const struct gy_hw *hw, enum gy_precision p)
{
    static const enum gy_precision next[GY_PRECISIONS] = {GY_FP32, GY_FP32, GY_FP32, GY_FP16,
                                                          GY_BF16, GY_BF16, GY_FP8,  GY_FP16};
    for (int hops = 0; hops < GY_PRECISIONS; hops++) {
        if (hw->gpu.peak_tflops[p].value > 0)
            return hw->gpu.peak_tflops[p].value;
        if (p == GY_BF16 && hw->gpu.peak_tflops[GY_FP16].value <= 0)
            p = GY_FP32;
        else
            p = next[p];
    }
    return 0;
}

const char *gy_arch_name(int arch)
{
    static const char *const names[] = {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "cdna3"};
    return arch >= 0 && (size_t)arch < sizeof names / sizeof names[0] ? names[arch] : "?";
}
