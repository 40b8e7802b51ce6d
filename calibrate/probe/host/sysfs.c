/* What the kernel tells in sysfs: PCIe link and NUMA node of each GPU, the RDMA devices, and how near they are to each
 * other. The root is a parameter, so that tests read a made folder. Unreadable files are facts that are not known. */
#include "gy_probe.h"
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* First line of the file, without its end; "" when there is none. */
static void read_line(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void read_line(char *buf, size_t size, const char *fmt, ...)
{
    char path[PATH_MAX];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(path, sizeof path, fmt, args);
    va_end(args);
    buf[0] = '\0';
    FILE *f = n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
    if (!f) {
        return;
    }
    if (!fgets(buf, (int)size, f)) {
        buf[0] = '\0';
    }
    buf[strcspn(buf, "\r\n")] = '\0';
    fclose(f);
}

static int to_int(const char *text, int absent)
{
    char *end;
    long v = strtol(text, &end, 10);
    return end == text || v < INT_MIN || v > INT_MAX ? absent : (int)v;
}

/* The part of the device's real path below "devices/": its bridges from the host down. */
static void pci_path(char *buf, size_t size, const char *link)
{
    char real[PATH_MAX];
    buf[0] = '\0';
    if (!realpath(link, real)) {
        return;
    }
    const char *below = strstr(real, "/devices/");
    snprintf(buf, size, "%s", below ? below + strlen("/devices/") : real);
}

void gy_probe_sysfs_gpu(const char *root, struct gy_probe_gpu *gpu)
{
    char id[sizeof gpu->pci], dir[PATH_MAX], text[64];
    size_t n = strlen(gpu->pci);
    for (size_t i = 0; i <= n; i++) {
        id[i] = (char)tolower((unsigned char)gpu->pci[i]);
    }
    snprintf(dir, sizeof dir, "%s/bus/pci/devices/%s", root, id);
    read_line(gpu->link_speed, sizeof gpu->link_speed, "%s/max_link_speed", dir);
    read_line(text, sizeof text, "%s/max_link_width", dir);
    gpu->link_width = to_int(text, -1);
    read_line(text, sizeof text, "%s/numa_node", dir);
    gpu->numa = to_int(text, -1);
    pci_path(gpu->pci_path, sizeof gpu->pci_path, dir);
}

static bool add_port(const char *dir, const char *name, int port, struct gy_probe_file *f)
{
    struct gy_probe_nic nic = {.port = port, .gbit = NAN};
    char text[64], link[PATH_MAX];
    snprintf(nic.name, sizeof nic.name, "%s", name);
    read_line(nic.link_layer, sizeof nic.link_layer, "%s/ports/%d/link_layer", dir, port);
    read_line(nic.rate, sizeof nic.rate, "%s/ports/%d/rate", dir, port);
    read_line(nic.state, sizeof nic.state, "%s/ports/%d/state", dir, port);
    char *end;
    double gbit = strtod(nic.rate, &end);
    nic.gbit = end == nic.rate ? NAN : gbit;
    read_line(text, sizeof text, "%s/device/numa_node", dir);
    nic.numa = to_int(text, -1);
    snprintf(link, sizeof link, "%s/device", dir);
    pci_path(nic.pci_path, sizeof nic.pci_path, link);
    return gy_vec_push(&f->nic, nic);
}

static int not_hidden(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

static bool add_ports(const char *dir, const char *name, struct gy_probe_file *f)
{
    char ports[PATH_MAX];
    struct dirent **list = NULL;
    bool fine = true;
    snprintf(ports, sizeof ports, "%s/ports", dir);
    int n = scandir(ports, &list, not_hidden, versionsort);
    for (int i = 0; i < n; i++) {
        int port = to_int(list[i]->d_name, -1);
        fine = fine && (port < 0 || add_port(dir, name, port, f));
        free(list[i]);
    }
    free(list);
    return fine;
}

int gy_probe_sysfs_nics(const char *root, struct gy_probe_file *f)
{
    char base[PATH_MAX], dir[PATH_MAX];
    struct dirent **list = NULL;
    bool fine = true;
    int length = snprintf(base, sizeof base, "%s/class/infiniband", root);
    int n = length > 0 && length < PATH_MAX - 300 ? scandir(base, &list, not_hidden, versionsort) : -1;
    for (int i = 0; i < n; i++) {
        int m = snprintf(dir, sizeof dir, "%s/%s", base, list[i]->d_name);
        fine = fine && (m < 0 || (size_t)m >= sizeof dir || add_ports(dir, list[i]->d_name, f));
        free(list[i]);
    }
    free(list);
    return fine ? 0 : -1;
}

static int components(const char *path)
{
    int n = *path ? 1 : 0;
    for (; *path; path++) {
        n += *path == '/';
    }
    return n;
}

/* Leading components that both share, counted whole. */
static int shared_components(const char *a, const char *b)
{
    int n = 0;
    size_t i = 0;
    for (; a[i] && a[i] == b[i]; i++) {
        n += a[i] == '/';
    }
    bool whole = (a[i] == '\0' || a[i] == '/') && (b[i] == '\0' || b[i] == '/');
    return n + (i > 0 && whole && a[i - 1] != '/');
}

const char *gy_probe_pci_distance(const char *path_a, int numa_a, const char *path_b, int numa_b)
{
    int shared = shared_components(path_a, path_b);
    if (!*path_a || !*path_b) {
        return NULL;
    }
    if (shared == 0) {
        return numa_a >= 0 && numa_a == numa_b ? "NODE" : "SYS";
    }
    if (shared == 1) {
        return "PHB";
    }
    bool near = components(path_a) - shared <= 2 && components(path_b) - shared <= 2;
    return near ? "PIX" : "PXB";
}
