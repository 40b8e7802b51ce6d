/* The measurement file, what it takes from sysfs, and the progress bar. */
#include "gy_probe.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *root, const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *p = name + 1; *p; p++) {
        if (*p == '/') {
            *p = '\0';
            mkdir(name, 0755);
            *p = '/';
        }
    }
    FILE *f = fopen(name, "w");
    cr_assert(f);
    fputs(text, f);
    fclose(f);
}

static void link_to(const char *root, const char *path, const char *target)
{
    char name[512];
    make(root, path, "");
    snprintf(name, sizeof name, "%s/%s", root, path);
    cr_assert_eq(unlink(name), 0);
    cr_assert_eq(symlink(target, name), 0);
}

static void tree(char *root)
{
    cr_assert(mkdtemp(root));
    make(root, "devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:1b:00.0/max_link_speed",
         "32.0 GT/s PCIe\n");
    make(root, "devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:1b:00.0/max_link_width", "16\n");
    make(root, "devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:1b:00.0/numa_node", "0\n");
    link_to(root, "bus/pci/devices/0000:1b:00.0",
            "../../../devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:1b:00.0");
    const char *nic = "devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:04.0/0000:1c:00.0";
    char path[300];
    snprintf(path, sizeof path, "%s/numa_node", nic);
    make(root, path, "0\n");
    link_to(root, "class/infiniband/mlx5_10/device",
            "../../../devices/pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:04.0/0000:1c:00.0");
    make(root, "class/infiniband/mlx5_10/ports/1/rate", "400 Gb/sec (4X NDR)\n");
    make(root, "class/infiniband/mlx5_10/ports/1/link_layer", "InfiniBand\n");
    make(root, "class/infiniband/mlx5_10/ports/1/state", "4: ACTIVE\n");
    make(root, "class/infiniband/mlx5_9/ports/1/rate", "garbage\n");
    make(root, "class/infiniband/mlx5_9/ports/2/rate", "100 Gb/sec (4X EDR)\n");
}

Test(probe_sysfs, reads_a_made_tree)
{
    char root[] = "/tmp/gy_probe_XXXXXX", command[64];
    struct gy_probe_gpu gpu = {.pci = "0000:1B:00.0", .numa = -1}, none = {.pci = "0000:ff:00.0"};
    struct gy_probe_file f = {0};
    tree(root);
    gy_probe_sysfs_gpu(root, &gpu);
    cr_assert_str_eq(gpu.link_speed, "32.0 GT/s PCIe");
    cr_assert_eq(gpu.link_width, 16);
    cr_assert_eq(gpu.numa, 0);
    cr_assert_str_eq(gpu.pci_path, "pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:1b:00.0");
    gy_probe_sysfs_gpu(root, &none);
    cr_assert_str_eq(none.link_speed, "");
    cr_assert_eq(none.numa, -1);
    cr_assert_eq(gy_probe_sysfs_nics(root, &f), 0);
    cr_assert_eq(f.nic.n, 3); /* in natural order */
    cr_assert_str_eq(f.nic.at[0].name, "mlx5_9");
    cr_assert(isnan(f.nic.at[0].gbit));
    cr_assert_eq(f.nic.at[1].gbit, 100);
    cr_assert_str_eq(f.nic.at[2].name, "mlx5_10");
    cr_assert_eq(f.nic.at[2].gbit, 400);
    cr_assert_str_eq(gy_probe_pci_distance(gpu.pci_path, gpu.numa, f.nic.at[2].pci_path, f.nic.at[2].numa), "PIX");
    gy_probe_file_free(&f);
    cr_assert_eq(gy_probe_sysfs_nics("/nonexistent", &f), 0);
    cr_assert_eq(f.nic.n, 0);
    snprintf(command, sizeof command, "rm -r %s", root);
    cr_assert_eq(system(command), 0);
}

Test(probe_sysfs, distances)
{
    const char *a = "pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:00.0/0000:13:00.0";
    cr_assert_str_eq(gy_probe_pci_distance(a, 0, "pci0000:10/0000:10:01.0/0000:11:00.0/0000:12:01.0/0000:14:00.0", 0),
                     "PIX");
    cr_assert_str_eq(gy_probe_pci_distance(a, 0, "pci0000:10/0000:10:01.0/0000:15:00.0/0000:16:00.0/0000:17:00.0", 0),
                     "PXB");
    cr_assert_str_eq(gy_probe_pci_distance(a, 0, "pci0000:10/0000:10:02.0/0000:18:00.0", 0), "PHB");
    cr_assert_str_eq(gy_probe_pci_distance(a, 0, "pci0000:20/0000:20:01.0/0000:21:00.0", 0), "NODE");
    cr_assert_str_eq(gy_probe_pci_distance(a, 0, "pci0000:20/0000:20:01.0/0000:21:00.0", 1), "SYS");
    cr_assert_str_eq(gy_probe_pci_distance(a, -1, "pci0000:100/0000:20:01.0", -1), "SYS"); /* no half component */
    cr_assert_null(gy_probe_pci_distance("", 0, a, 0));
}

static void collective(struct gy_probe_file *f, int ranks, int first, int64_t bytes, bool in_place, double us)
{
    struct gy_probe_row r = {.section = GY_PROBE_COLLECTIVES};
    gy_probe_row_text(&r, "op", "all_reduce");
    gy_probe_row_integer(&r, "bytes", bytes);
    gy_probe_row_integer(&r, "ranks", ranks);
    gy_probe_row_integer(&r, "nodes", 1);
    gy_probe_row_integer(&r, "gpus_per_node", ranks);
    gy_probe_row_integer(&r, "first_gpu", first);
    gy_probe_row_bool(&r, "in_place", in_place);
    gy_probe_row_number(&r, "time_us", us);
    gy_probe_file_add(f, &r);
}

static void gemm(struct gy_probe_file *f, const char *dtype, int64_t m, double us)
{
    struct gy_probe_row r = {.section = GY_PROBE_KERNELS};
    gy_probe_row_text(&r, "kernel", "gemm");
    gy_probe_row_text(&r, "dtype", dtype);
    gy_probe_row_integer(&r, "m", m);
    gy_probe_row_integer(&r, "n", 64);
    gy_probe_row_integer(&r, "k", 128);
    gy_probe_row_number(&r, "time_us", us);
    gy_probe_file_add(f, &r);
}

static struct gy_json_doc *written(struct gy_probe_file *f, char *const *env)
{
    struct gy_error err = {0};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    size_t n;
    gy_probe_file_write(f, env, w);
    const char *text = gy_writer_memory(w, &n);
    struct gy_json_doc *doc = gy_json_parse("probe.json", text, n, &err);
    cr_assert(doc, "%s %s", err.place, err.what);
    gy_writer_abandon(w);
    return doc;
}

static double number(const struct gy_json_doc *d, const char *pointer)
{
    const struct gy_json *v = gy_json_at(gy_json_root(d), pointer);
    return v ? gy_json_number(v) : NAN;
}

static const char *word(const struct gy_json_doc *d, const char *pointer)
{
    const struct gy_json *v = gy_json_at(gy_json_root(d), pointer);
    return v && gy_json_string(v) ? gy_json_string(v) : "";
}

Test(probe_file, says_what_was_measured)
{
    struct gy_probe_file f = {.mode = "quick",
                              .hardware = "hgx-h100",
                              .system = "mine",
                              .nodes = 1,
                              .gpus = 2,
                              .links_measured = true,
                              .nccl_version = 22809,
                              .cuda_runtime = 13000,
                              .mpi_processes = 1};
    char *env[] = {(char *)"NCCL_ALGO=Ring",    (char *)"HOME=/root",        (char *)"NCCL_TOPO_FILE=/etc/topo",
                   (char *)"NCCL_PROTO=simple", (char *)"NCCL_HOSTID=host7", NULL};
    struct gy_probe_gpu gpu = {
        .name = "NVIDIA H100 80GB HBM3", .cc = 90, .numa = -1, .power_cap_w = 700, .power_now_w = NAN};
    cr_assert(gy_vec_push(&f.gpu, gpu) && gy_vec_push(&f.gpu, gpu));
    collective(&f, 2, 0, 8, false, 10);
    collective(&f, 2, 0, 8, true, 11);
    collective(&f, 2, 0, 64, false, 12);
    collective(&f, 2, 2, 64, false, 99); /* another block: detail only */
    collective(&f, 1, 0, 64, false, 99); /* one rank: detail only */
    for (int i = 0; i < GY_PROBE_GEMM_LEAST; i++) {
        gemm(&f, "bf16", 16 + i, 5);
    }
    gemm(&f, "fp8", 16, 4); /* too few to fit */
    gemm(&f, "tf32", 16, 4);
    gy_probe_file_skip(&f, "%s: left out", "peer_copy");
    struct gy_json_doc *d = written(&f, env);
    cr_assert_str_eq(word(d, "/format"), "gpuyard-measurement-1");
    cr_assert_str_eq(word(d, "/kind"), "probe");
    cr_assert(gy_json_true(gy_json_at(gy_json_root(d), "/complete")));
    cr_assert_str_eq(word(d, "/provenance/nccl"), "2.28.9");
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/provenance/env")), 2); /* no path, no host */
    cr_assert_str_eq(word(d, "/provenance/env/NCCL_ALGO"), "Ring");
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/collectives")), 5);
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/sets")), 1);
    cr_assert_str_eq(word(d, "/sets/0/algo"), "ring");
    cr_assert_str_eq(word(d, "/sets/0/proto"), "simple");
    cr_assert_str_eq(word(d, "/sets/0/system"), "mine");
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/sets/0/rows")), 2);
    cr_assert_eq(number(d, "/sets/0/rows/0/time_us"), 10);
    cr_assert_eq(number(d, "/sets/0/rows/0/in_place_us"), 11);
    cr_assert(isnan(number(d, "/sets/0/rows/1/in_place_us")));
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/gemm")), 1);
    cr_assert_str_eq(word(d, "/gemm/0/dtype"), "bf16");
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/gemm/0/rows")), GY_PROBE_GEMM_LEAST);
    cr_assert_eq(number(d, "/gemm/0/rows/53/0"), 69);
    cr_assert_eq(number(d, "/gemm/0/rows/53/3"), 5);
    cr_assert_eq(gy_json_count(gy_json_at(gy_json_root(d), "/kernels")), GY_PROBE_GEMM_LEAST + 2);
    cr_assert_str_eq(word(d, "/skipped/0"), "peer_copy: left out");
    cr_assert_eq(number(d, "/systems/0/gpus/0/compute_capability"), 9);
    gy_json_free(d);
    f.stopped = "interrupted";
    d = written(&f, NULL);
    cr_assert_not(gy_json_true(gy_json_at(gy_json_root(d), "/complete")));
    gy_json_free(d);
    gy_probe_file_free(&f);
}

Test(probe_file, out_of_memory_never_commits)
{
    struct gy_error err = {0};
    struct gy_probe_file f = {.mode = "quick", .hardware = "x", .system = "x", .failed = true};
    struct gy_writer *w = gy_writer_open(NULL, &err);
    gy_probe_file_write(&f, NULL, w);
    cr_assert_eq(gy_writer_commit(w, &err), -1);
    cr_assert_eq(gy_exit_status(err.code), 3);
}

Test(probe_file, names_of_hardware)
{
    static const char *const names[][2] = {{"NVIDIA H100 80GB HBM3", "hgx-h100"},
                                           {"NVIDIA H100 PCIe", "h100-pcie"},
                                           {"NVIDIA H200", "h200"},
                                           {"NVIDIA A100-SXM4-40GB", "hgx-a100-40"},
                                           {"Tesla V100-SXM2-16GB", "dgx-v100"},
                                           {"NVIDIA L40S", "l40s"},
                                           {"NVIDIA L4", "l4"},
                                           {"NVIDIA GB200", "gb200-nvl72"},
                                           {"NVIDIA B200", "b200"},
                                           {"GeForce RTX 4090", "geforce-rtx-4090"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char buf[64];
        gy_probe_hardware_name(names[i][0], buf, sizeof buf);
        cr_assert_str_eq(buf, names[i][1]);
    }
}

Test(probe_progress, off_a_terminal_says_nothing_unless_asked)
{
    char *text = NULL;
    size_t n = 0;
    struct gy_probe_bar b;
    FILE *f = open_memstream(&text, &n);
    gy_probe_bar_open(&b, f, GY_PROBE_PROGRESS_AUTO, false);
    gy_probe_bar_step(&b, "gemm", 1, 2, 0.0);
    gy_probe_bar_close(&b);
    fflush(f);
    cr_assert_eq(n, 0);
    gy_probe_bar_open(&b, f, GY_PROBE_PROGRESS_AUTO, true);
    gy_probe_bar_step(&b, "gemm", 1, 2, 1.0);
    gy_probe_bar_step(&b, "gemm", 1, 2, 1.01); /* too soon */
    gy_probe_bar_close(&b);
    fflush(f);
    cr_assert_str_eq(text, "\r[############            ] 1/2 1 s gemm            \n");
    fclose(f);
    free(text);
}
