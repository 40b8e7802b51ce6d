/* The measurement file: one JSON object that `gpuyard calibrate import` reads. It names no host, user, serial number or
 * date. Its keys are described in ../README.md. */
#include "gy_probe.h"
#include <math.h>
#include <string.h>

const char *gy_probe_section_name(enum gy_probe_section s)
{
    static const char *const names[GY_PROBE_SECTIONS] = {"kernels",    "collectives", "copies", "launches",
                                                         "concurrent", "overlap",     "power"};
    return (unsigned)s < GY_PROBE_SECTIONS ? names[s] : "?";
}

/* Text that is not known is null. */
static void text(struct gy_json_out *o, const char *key, const char *value)
{
    gy_jo_string(o, key, value && *value ? value : NULL);
}

/* A count that is not known is null. */
static void count(struct gy_json_out *o, const char *key, int64_t value)
{
    if (value < 0) {
        gy_jo_number(o, key, NAN);
    } else {
        gy_jo_integer(o, key, value);
    }
}

static void cuda_version(struct gy_json_out *o, const char *key, int v)
{
    char buf[32];
    snprintf(buf, sizeof buf, "%d.%d", v / 1000, v % 1000 / 10);
    text(o, key, v > 0 ? buf : NULL);
}

void gy_probe_nccl_version(int version, char *buf, size_t size)
{
    int unit = version < 10000 ? 1000 : 10000; /* 2.8 and before counted in thousands */
    buf[0] = '\0';
    if (version > 0) {
        snprintf(buf, size, "%d.%d.%d", version / unit, version % unit / 100, version % 100);
    }
}

static void environment(struct gy_json_out *o, char *const *environ_)
{
    char key[128];
    gy_jo_object(o, "env");
    for (; environ_ && *environ_; environ_++) {
        const char *equals = strchr(*environ_, '=');
        size_t n = equals ? (size_t)(equals - *environ_) : 0;
        bool wanted =
            strncmp(*environ_, "NCCL_", 5) == 0 || strncmp(*environ_, "CUDA_DEVICE_MAX_CONNECTIONS=", 28) == 0;
        /* interface, host and path settings would name the machine */
        bool naming = strncmp(*environ_, "NCCL_COMM_ID=", 13) == 0 || strncmp(*environ_, "NCCL_HOSTID=", 12) == 0 ||
                      (equals && strchr(equals, '/'));
        if (wanted && !naming && n > 0 && n < sizeof key) {
            memcpy(key, *environ_, n);
            key[n] = '\0';
            gy_jo_string(o, key, equals + 1);
        }
    }
    gy_jo_end(o, '}');
}

static void provenance(const struct gy_probe_file *f, char *const *environ_, struct gy_json_out *o)
{
    char nccl[48];
    gy_jo_object(o, "provenance");
    gy_jo_string(o, "tool", "gpuyard-probe " GY_VERSION);
    gy_jo_string(o, "mode", f->mode);
    text(o, "driver", f->driver);
    cuda_version(o, "cuda_driver", f->cuda_driver);
    cuda_version(o, "cuda_runtime", f->cuda_runtime);
    gy_probe_nccl_version(f->nccl_version, nccl, sizeof nccl);
    text(o, "nccl", nccl);
    count(o, "cublaslt", f->cublaslt_version > 0 ? (int64_t)f->cublaslt_version : -1);
    gy_jo_integer(o, "mpi_processes", f->mpi_processes);
    gy_jo_string(o, "collective_dtype", "float32");
    text(o, "collective_launch", f->launch);
    environment(o, environ_);
    gy_jo_end(o, '}');
}

static void gpu(const struct gy_probe_gpu *g, int index, struct gy_json_out *o)
{
    gy_jo_object(o, NULL);
    gy_jo_integer(o, "index", index);
    gy_jo_string(o, "name", g->name);
    gy_jo_number(o, "compute_capability", g->cc / 10.0);
    gy_jo_integer(o, "sms", g->sms);
    gy_jo_integer(o, "memory_bytes", (int64_t)g->memory_bytes);
    gy_jo_integer(o, "l2_bytes", (int64_t)g->l2_bytes);
    gy_jo_integer(o, "shared_bytes", (int64_t)g->shared_bytes);
    count(o, "max_clock_mhz", g->clock_mhz > 0 ? g->clock_mhz : -1);
    count(o, "memory_clock_mhz", g->memory_clock_mhz > 0 ? g->memory_clock_mhz : -1);
    count(o, "memory_bus_bits", g->bus_bits > 0 ? g->bus_bits : -1);
    gy_jo_bool(o, "ecc", g->ecc);
    gy_jo_number(o, "power_cap_w", g->power_cap_w);
    gy_jo_number(o, "power_at_start_w", g->power_now_w);
    count(o, "sm_clock_at_start_mhz", g->sm_mhz_now);
    count(o, "temperature_at_start_c", g->temperature_c);
    count(o, "nvlinks_up", g->nvlinks);
    count(o, "nvlink_version", g->nvlink_version);
    text(o, "fabric_state", g->fabric_state);
    text(o, "pcie_max_speed", g->link_speed);
    count(o, "pcie_max_width", g->link_width);
    count(o, "numa_node", g->numa);
    count(o, "other_processes", g->other_processes);
    gy_jo_end(o, '}');
}

static void pairs(const struct gy_probe_file *f, struct gy_json_out *o)
{
    gy_jo_array(o, "gpu_pairs");
    for (size_t i = 0; i < f->pair.n; i++) {
        const struct gy_probe_pair *p = &f->pair.at[i];
        gy_jo_object(o, NULL);
        gy_jo_integer(o, "from", p->a);
        gy_jo_integer(o, "to", p->b);
        gy_jo_bool(o, "peer_access", p->peer_access > 0);
        count(o, "performance_rank", p->performance_rank);
        text(o, "p2p_nvlink", p->nvlink);
        text(o, "p2p_read", p->read);
        text(o, "p2p_write", p->write);
        text(o, "pcie_distance", p->distance);
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

static void nics(const struct gy_probe_file *f, struct gy_json_out *o)
{
    gy_jo_array(o, "nics");
    for (size_t i = 0; i < f->nic.n; i++) {
        const struct gy_probe_nic *n = &f->nic.at[i];
        gy_jo_object(o, NULL);
        gy_jo_string(o, "name", n->name);
        gy_jo_integer(o, "port", n->port);
        text(o, "link_layer", n->link_layer);
        gy_jo_number(o, "gbit", n->gbit);
        text(o, "state", n->state);
        count(o, "numa_node", n->numa);
        gy_jo_array(o, "gpu_distance"); /* one a GPU */
        for (size_t g = 0; g < f->gpu.n; g++) {
            const struct gy_probe_gpu *at = &f->gpu.at[g];
            text(o, NULL, gy_probe_pci_distance(n->pci_path, n->numa, at->pci_path, at->numa));
        }
        gy_jo_end(o, ']');
        gy_jo_end(o, '}');
    }
    gy_jo_end(o, ']');
}

static void system_(const struct gy_probe_file *f, struct gy_json_out *o)
{
    gy_jo_array(o, "systems");
    gy_jo_object(o, NULL);
    gy_jo_string(o, "system", f->system);
    gy_jo_string(o, "hardware", f->hardware);
    text(o, "fabric", f->fabric);
    gy_jo_string(o, "gpu", f->gpu.n > 0 ? f->gpu.at[0].name : NULL);
    gy_jo_integer(o, "nodes", f->nodes);
    gy_jo_integer(o, "gpus_per_node", f->gpus);
    gy_jo_bool(o, "links_measured", f->links_measured);
    text(o, "links_note", f->links_note);
    gy_jo_array(o, "gpus");
    for (size_t i = 0; i < f->gpu.n; i++) {
        gpu(&f->gpu.at[i], (int)i, o);
    }
    gy_jo_end(o, ']');
    pairs(f, o);
    nics(f, o);
    gy_jo_end(o, '}');
    gy_jo_end(o, ']');
}

static void row(const struct gy_probe_row *r, struct gy_json_out *o)
{
    gy_jo_object(o, NULL);
    for (int i = 0; i < r->count; i++) {
        const struct gy_probe_field *v = &r->at[i];
        switch (v->type) {
        case GY_PROBE_TEXT:
            gy_jo_string(o, v->key, v->text);
            break;
        case GY_PROBE_NUMBER:
            gy_jo_number(o, v->key, v->number);
            break;
        case GY_PROBE_INTEGER:
            gy_jo_integer(o, v->key, v->integer);
            break;
        case GY_PROBE_BOOLEAN:
            gy_jo_bool(o, v->key, v->integer != 0);
            break;
        }
    }
    gy_jo_end(o, '}');
}

void gy_probe_file_write(const struct gy_probe_file *f, char *const *environ_, struct gy_writer *to)
{
    struct gy_json_out out = {.to = to}, *o = &out;
    gy_jo_object(o, NULL);
    gy_jo_string(o, "format", "gpuyard-measurement-1");
    gy_jo_string(o, "kind", "probe");
    gy_jo_bool(o, "complete", f->stopped == NULL);
    text(o, "stopped", f->stopped);
    provenance(f, environ_, o);
    system_(f, o);
    gy_probe_sets_write(f, environ_, o);
    for (int s = 0; s < GY_PROBE_SECTIONS; s++) {
        gy_jo_array(o, gy_probe_section_name((enum gy_probe_section)s));
        for (size_t i = 0; i < f->rows.n; i++) {
            if ((int)f->rows.at[i].section == s) {
                row(&f->rows.at[i], o);
            }
        }
        gy_jo_end(o, ']');
    }
    gy_jo_array(o, "skipped");
    for (size_t i = 0; i < f->skipped.n; i++) {
        gy_jo_string(o, NULL, f->skipped.at[i]);
    }
    gy_jo_end(o, ']');
    gy_jo_end(o, '}');
    if (f->failed) {
        gy_writer_fail(to, GY_ENOMEM, "out of memory while measuring");
    }
}
