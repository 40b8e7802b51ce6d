/* The rows of cluster.fabric and workloads. */
#include "network_tables.h"
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define F(m) offsetof(struct gy_sc_fabric, m)
const struct gy_param gy_sc_fabric_table[] = {
    {.name = "type",
     .type = GY_P_CHOICE,
     .offset = F(type),
     .preset = "\"switch\"",
     .choices = "switch|fat-tree|rail-optimised|dragonfly|torus|nvlink-domain",
     .help = "One switch for all; leaves and spines; NIC r of a pod's nodes on one leaf; groups of routers; a mesh; "
             "nothing"},
    {.name = "nic",
     .type = GY_P_TEXT,
     .offset = F(nic),
     .preset = "null",
     .help = "Rate and efficiency of a NIC by name (gpuyard models list)"},
    {.name = "nic_gbit",
     .type = GY_P_REAL,
     .offset = F(nic_gbit),
     .preset = "null",
     .min = 0.001,
     .max = 1e6,
     .help = "Payload rate of a NIC, 10^9 bits/s, instead of a name"},
    {.name = "nics",
     .type = GY_P_INT,
     .offset = F(nics),
     .preset = "0",
     .min = 0,
     .max = 64,
     .help = "NICs of a node; 0: as its hardware has, else 1"},
    {.name = "nodes_per_leaf",
     .type = GY_P_INT,
     .offset = F(nodes_per_leaf),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Nodes of a leaf (fat-tree) or of a pod (rail-optimised); 0: as the radix gives"},
    {.name = "radix",
     .type = GY_P_INT,
     .offset = F(radix),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Ports of a switch; 0: as many as needed"},
    {.name = "levels",
     .type = GY_P_INT,
     .offset = F(levels),
     .preset = "2",
     .min = 2,
     .max = 3,
     .help = "Of a fat-tree"},
    {.name = "leaves_per_pod",
     .type = GY_P_INT,
     .offset = F(leaves_per_pod),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Of a fat-tree of 3 levels"},
    {.name = "oversubscription",
     .type = GY_P_REAL,
     .offset = F(oversubscription),
     .preset = "1",
     .min = 0.01,
     .max = 1000,
     .help = "A leaf's rate to its nodes over its rate up"},
    {.name = "link_gbit",
     .type = GY_P_REAL,
     .offset = F(link_gbit),
     .preset = "null",
     .min = 0.001,
     .max = 1e6,
     .help = "Rate of a link between switches, 10^9 bits/s; as a NIC when absent"},
    {.name = "nodes_per_router",
     .type = GY_P_INT,
     .offset = F(nodes_per_router),
     .preset = "0",
     .min = 0,
     .max = 4096,
     .help = "Of a dragonfly, balanced: routers a group and global links follow"},
    {.name = "dim_x",
     .type = GY_P_INT,
     .offset = F(dim_x),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Of a torus"},
    {.name = "dim_y",
     .type = GY_P_INT,
     .offset = F(dim_y),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Of a torus"},
    {.name = "dim_z",
     .type = GY_P_INT,
     .offset = F(dim_z),
     .preset = "0",
     .min = 0,
     .max = 65536,
     .help = "Of a torus"},
    {0}};
#undef F

#define M(m) offsetof(struct gy_sc_match, m)
static const struct gy_param match_table[] = {
    {.name = "gpus",
     .type = GY_P_TEXT,
     .offset = M(gpus),
     .preset = "null",
     .help = "\"8\", \">=8\", \"<16\" or \"8-64\""},
    {.name = "team", .type = GY_P_TEXT, .offset = M(team), .preset = "null", .help = "Shell pattern"},
    {.name = "user", .type = GY_P_TEXT, .offset = M(user), .preset = "null", .help = "Shell pattern"},
    {.name = "workload", .type = GY_P_TEXT, .offset = M(workload), .preset = "null", .help = "Shell pattern"},
    {.name = "partition", .type = GY_P_TEXT, .offset = M(partition), .preset = "null", .help = "Shell pattern"},
    {0}};
#undef M

#define P(m) offsetof(struct gy_sc_profile, m)
static const struct gy_param profile_table[] = {
    {.name = "name", .type = GY_P_TEXT, .offset = P(name), .preset = "null", .help = "For people"},
    {.name = "compute_s",
     .type = GY_P_REAL,
     .offset = P(compute_s),
     .min = 0,
     .max = 1e6,
     .help = "Compute of a step, seconds"},
    {.name = "allreduce_gb",
     .type = GY_P_REAL,
     .offset = P(allreduce_gb),
     .min = 0,
     .max = 1e6,
     .help = "Bytes that a step all-reduces over the job's nodes, 10^9 bytes"},
    {.name = "overlap_gamma",
     .type = GY_P_REAL,
     .offset = P(overlap_gamma),
     .preset = "1",
     .min = 1,
     .max = 10,
     .help = "T = (compute^g + comm^g)^(1/g): 1 nothing overlaps, 10 nearly all",
     .source = "Pollux, OSDI 2021"},
    {0}};
#undef P

const struct gy_param gy_sc_workload_table[] = {{.name = "match",
                                                 .type = GY_P_OBJECT,
                                                 .offset = offsetof(struct gy_sc_workload, match),
                                                 .preset = "{}",
                                                 .fields = match_table,
                                                 .help = "Which jobs; the first rule that matches counts"},
                                                {.name = "profile",
                                                 .type = GY_P_OBJECT,
                                                 .offset = offsetof(struct gy_sc_workload, profile),
                                                 .fields = profile_table,
                                                 .help = "What a step of such a job does"},
                                                {0}};

static bool number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0;
}

bool gy_sc_range(const char *text, double *lo, double *hi)
{
    *lo = 0;
    *hi = INFINITY;
    if (!text)
        return true;
    const bool open = (text[0] == '<' || text[0] == '>') && text[1] != '=';
    const char *dash = strchr(text, '-');
    char first[32];
    if (text[0] == '>') {
        if (!number(text + (open ? 1 : 2), lo))
            return false;
        *lo = open ? nextafter(*lo, INFINITY) : *lo;
        return true;
    }
    if (text[0] == '<') {
        if (!number(text + (open ? 1 : 2), hi))
            return false;
        *hi = open ? nextafter(*hi, -INFINITY) : *hi;
        return true;
    }
    if (dash && dash > text && (size_t)(dash - text) < sizeof first) {
        memcpy(first, text, (size_t)(dash - text));
        first[dash - text] = '\0';
        return number(first, lo) && number(dash + 1, hi) && *lo <= *hi;
    }
    if (!number(text, lo))
        return false;
    *hi = *lo;
    return true;
}
