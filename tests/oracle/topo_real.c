/* Real dumps, counted by other means (grep and awk over the files). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "gy_topo.h"

#define DATA GY_SOURCE_DIR "/../shared/data/"

struct expected {
    const char *file, *format;
    size_t switches, hosts, nics, odd_nics, gpus, nvswitches, links, one_sided;
};
static const struct expected table[] = {
    /* Switch records; names "… mlx5_N" or "… HCA-N"; 582 Ca records; (2228 port lines)/2 */
    {"topology/ibnetdiscover/dgx_ndr_pod.out", "ibnetdiscover", 40, 120, 468, 114, 0, 0, 1114, 0},
    {"topology/ibnetdiscover/hdr_small_fabric.txt", "ibnetdiscover", 8, 10, 10, 1, 0, 0, 18, 1},
    {"topology/nvidia_smi_topo/4gpu_NV1_NV2_mixed_1mlx5.txt", "nvidia-smi-topo", 0, 0, 1, 0, 4, 0, 10, 0},
    {"topology/nvidia_smi_topo/4xK80_NODE.txt", "nvidia-smi-topo", 0, 0, 0, 0, 4, 0, 6, 0},
    {"topology/nvidia_smi_topo/8xA100_NV12.txt", "nvidia-smi-topo", 0, 0, 0, 0, 8, 1, 8, 0},
    {"topology/nvidia_smi_topo/8xH100_NV18.txt", "nvidia-smi-topo", 0, 0, 0, 0, 8, 1, 8, 0},
    {"topology/nvidia_smi_topo/gke_a3ultra_8xH200_8NIC.txt", "nvidia-smi-topo", 0, 0, 8, 0, 8, 1, 8 + 64 + 28, 0},
    {"topology/nvidia_smi_topo/power9_4xV100_NV3_4mlx5.txt", "nvidia-smi-topo", 0, 0, 4, 0, 4, 0, 28, 0},
    /* pci elements below a cpu or bridge, and NVLinks by pair */
    {"topology/nccl_xml/aws/p4d-24xl-topo.xml", "nccl-xml", 0, 0, 4, 0, 8, 0, 16, 0},
    {"topology/nccl_xml/aws/p4de-24xl-topo.xml", "nccl-xml", 0, 0, 4, 0, 8, 0, 16, 0},
    {"topology/nccl_xml/azhpc/ndv2-topo.xml", "nccl-xml", 0, 0, 1, 0, 8, 0, 9, 0},
    {"topology/nccl_xml/azhpc/ndv4-topo.xml", "nccl-xml", 0, 0, 8, 0, 8, 0, 20, 0},
    {"topology/nccl_xml/azhpc/ndv5-topo.xml", "nccl-xml", 0, 0, 8, 0, 8, 0, 24, 0},
    {"topology/nccl_xml/oci/H100-topology.xml", "nccl-xml", 0, 0, 8, 0, 8, 4, 40 + 32, 0},
    {"topology/nccl_xml/oci/H100-topology-kubernetes.xml", "nccl-xml", 0, 0, 8, 0, 8, 4, 40 + 32, 0},
    {"topology/nccl_xml/oci/topo-flattened.xml", "nccl-xml", 0, 0, 8, 0, 8, 0, 20, 0},
    {"topology/nccl_xml/oci/topo-flattened-b4.xml", "nccl-xml", 0, 0, 8, 0, 8, 0, 20, 0},
    /* virtual machines hide the peers of ncv4's NVLinks and the classes of g5's devices */
    {"topology/nccl_xml/azhpc/ncv4-topo.xml", "nccl-xml", 0, 0, 1, 0, 0, 0, 5, 0},
    {"topology/nccl_xml/aws/g5.48xl-topo.xml", "nccl-xml", 0, 0, 0, 0, 0, 0, 9, 0},
    /* 847 hosts, 119 different (PSW, ASW), 3 PSW, 1 DSW */
    {"traces/lingjun/topo.csv", "csv", 123, 847, 0, 0, 0, 0, 847 + 119 + 3, 0},
    {"slurm/s6_topo_best_a/topology.conf", "slurm-topology", 3, 8, 0, 0, 0, 0, 10, 0},
};

Test(topo_real, every_dump_is_understood)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct expected *x = &table[i];
        char path[1024];
        struct gy_topo t;
        struct gy_error err = {0};
        snprintf(path, sizeof path, "%s%s", DATA, x->file);
        if (access(path, R_OK)) {
            printf("SKIP: %s is not here\n", path);
            continue;
        }
        cr_assert_eq(gy_topo_load(&t, path, NULL, &err), 0, "%s: %s", err.place, err.what);
        cr_assert_str_eq(t.format, x->format);
        cr_assert_eq(gy_topo_count(&t, GY_T_SWITCH, false), x->switches, "%s", x->file);
        cr_assert_eq(gy_topo_count(&t, GY_T_HOST, false), x->hosts, "%s", x->file);
        cr_assert_eq(gy_topo_count(&t, GY_T_NIC, false), x->nics, "%s", x->file);
        cr_assert_eq(gy_topo_count(&t, GY_T_NIC, true), x->odd_nics, "%s", x->file);
        cr_assert_eq(gy_topo_count(&t, GY_T_GPU, false), x->gpus, "%s", x->file);
        cr_assert_eq(gy_topo_count(&t, GY_T_NVSWITCH, false), x->nvswitches, "%s", x->file);
        cr_assert_eq(t.links.n, x->links, "%s: %zu", x->file, t.links.n);
        cr_assert_eq(t.one_sided, x->one_sided, "%s", x->file);
        gy_topo_free(&t);
    }
}

/* The pod's fabric as a graph: every host reaches every other, within a leaf over one switch. */
Test(topo_real, routes_in_the_pod)
{
    const char *path = DATA "topology/ibnetdiscover/dgx_ndr_pod.out";
    const struct gy_route_how plain = {.rule = GY_ROUTE_DETERMINISTIC};
    struct gy_topo t;
    struct gy_graph g;
    struct gy_error err = {0};
    struct gy_path p = {0};

    if (access(path, R_OK)) {
        printf("SKIP: %s is not here\n", path);
        return;
    }
    cr_assert_eq(gy_topo_load(&t, path, NULL, &err), 0);
    cr_assert_eq(gy_topo_graph(&t, 50e9, 0, &g, &err), 0);
    struct gy_router *r = gy_router_new(&g);
    for (uint32_t i = 0; i < g.nodes; i++)
        for (uint32_t j = 0; j < g.nodes; j++) {
            cr_assert_eq(gy_router_route(r, g.host[i], g.host[j], &plain, &p), GY_ROUTE_OK, "%u to %u", i, j);
            cr_assert(p.links.n == (i == j ? 0 : 2) || p.links.n == 4, "%u to %u: %zu", i, j, p.links.n);
        }
    gy_vec_free(&p.links);
    gy_router_free(r);
    gy_graph_free(&g);
    gy_topo_free(&t);
}

Test(topo_real, what_is_no_topology_is_refused)
{
    const char *const files[] = {"topology/nccl_xml/azhpc/ncv4-graph.xml", "topology/topograph_models/large.yaml",
                                 "topology/k8s/2.9_mig_pod_7g-5gb.yaml"};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        struct gy_topo t;
        struct gy_error err = {0};
        snprintf(path, sizeof path, "%s%s", DATA, files[i]);
        if (access(path, R_OK)) {
            printf("SKIP: %s is not here\n", path);
            continue;
        }
        cr_assert_eq(gy_topo_load(&t, path, NULL, &err), -1);
        cr_assert(strstr(err.place, files[i]));
        gy_topo_free(&t);
    }
}
