/* The GPUs of this process: finding them, refusing what cannot be measured with a reason, their facts, streams, events
 * and buffers. */
#include "gpu.h"
#include <math.h>
#include <string.h>
#include <time.h>

int gp_cuda(cudaError_t e, const char *what, struct gy_error *err)
{
    if (e == cudaSuccess) {
        return 0;
    }
    gy_fail(err, e == cudaErrorMemoryAllocation ? GY_ENOMEM : GY_EIO, NULL, "%s: %s (%s)", what, cudaGetErrorString(e),
            cudaGetErrorName(e));
    if (e == cudaErrorMemoryAllocation) {
        return gy_hint(err, "measure less with --max-bytes, or free the GPU");
    }
    return -1;
}

double gp_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int no_gpu(cudaError_t e, struct gy_error *err)
{
    int driver = 0;
    if (e == cudaErrorInsufficientDriver) {
        bool known = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
        if (!known) {
            gy_fail(err, GY_EIO, NULL, "no GPU: there is no NVIDIA driver on this machine");
            return gy_hint(err, "--dry-run --assume-gpus 8 shows the plan without one");
        }
        gy_fail(err, GY_EIO, NULL, "the NVIDIA driver is too old: it speaks CUDA %d.%d, this probe needs CUDA %d",
                driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
        return gy_hint(err, "update the driver, or build the probe with an older toolkit");
    }
    if (e == cudaErrorNoDevice || e == cudaSuccess) {
        gy_fail(err, GY_EIO, NULL, "no GPU: the NVIDIA driver finds no device");
        return gy_hint(err, "look at nvidia-smi and CUDA_VISIBLE_DEVICES");
    }
    return gp_cuda(e, "looking for GPUs", err);
}

static int attribute(enum cudaDeviceAttr what, int gpu)
{
    int v;
    return cudaDeviceGetAttribute(&v, what, gpu) == cudaSuccess ? v : -1;
}

static int facts(struct gp_context *c, int i, struct gy_probe_gpu *g, struct gy_error *err)
{
    struct cudaDeviceProp properties;
    *g = (struct gy_probe_gpu){.numa = -1,
                               .nvlinks = -1,
                               .nvlink_version = -1,
                               .other_processes = -1,
                               .sm_mhz_now = -1,
                               .temperature_c = -1,
                               .power_cap_w = NAN,
                               .power_now_w = NAN,
                               .link_width = -1};
    if (gp_cuda(cudaGetDeviceProperties(&properties, i), "reading a GPU's properties", err) != 0 ||
        gp_cuda(cudaDeviceGetPCIBusId(g->pci, sizeof g->pci, i), "reading a GPU's PCI address", err) != 0) {
        return -1;
    }
    snprintf(g->name, sizeof g->name, "%s", properties.name);
    g->cc = attribute(cudaDevAttrComputeCapabilityMajor, i) * 10 + attribute(cudaDevAttrComputeCapabilityMinor, i);
    g->sms = attribute(cudaDevAttrMultiProcessorCount, i);
    g->memory_bytes = properties.totalGlobalMem;
    g->l2_bytes = (uint64_t)(attribute(cudaDevAttrL2CacheSize, i) > 0 ? attribute(cudaDevAttrL2CacheSize, i) : 0);
    int shared = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, i);
    g->shared_bytes = (uint64_t)(shared > 0 ? shared : 49152);
    g->clock_mhz = attribute(cudaDevAttrClockRate, i) / 1000;
    g->memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, i) / 1000;
    g->bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth, i);
    g->ecc = attribute(cudaDevAttrEccEnabled, i) > 0;
    if (c->nvml && gp_nvml_attach(c->nvml, i, g->pci) == 0) {
        gp_nvml_facts(c->nvml, i, g);
    }
    gy_probe_sysfs_gpu("/sys", g);
    return 0;
}

static int refuse_busy(const struct gp_context *c, struct gy_error *err)
{
    for (int i = 0; i < c->gpus; i++) {
        int others = c->file->gpu.at[i].other_processes;
        if (others > 0 && !c->options->force) {
            gy_fail(err, GY_EIO, NULL, "GPU %d is busy: %d other process%s use%s it", i, others,
                    others == 1 ? "" : "es", others == 1 ? "s" : "");
            return gy_hint(err, "wait for them, choose GPUs by CUDA_VISIBLE_DEVICES, or --force to measure anyway");
        }
    }
    return 0;
}

static int find_pairs(struct gp_context *c, struct gy_error *err)
{
    for (int a = 0; a < c->gpus; a++) {
        for (int b = 0; b < c->gpus; b++) {
            struct gy_probe_pair p = {.a = a, .b = b, .performance_rank = -1};
            const struct gy_probe_gpu *x = &c->file->gpu.at[a], *y = &c->file->gpu.at[b];
            if (a == b) {
                continue;
            }
            if (cudaDeviceCanAccessPeer(&p.peer_access, a, b) != cudaSuccess) {
                p.peer_access = 0;
            }
            if (cudaDeviceGetP2PAttribute(&p.performance_rank, cudaDevP2PAttrPerformanceRank, a, b) != cudaSuccess) {
                p.performance_rank = -1;
            }
            if (c->nvml) {
                gp_nvml_pair(c->nvml, a, b, &p);
            }
            p.distance = gy_probe_pci_distance(x->pci_path, x->numa, y->pci_path, y->numa);
            if (!gy_vec_push(&c->file->pair, p)) {
                return gy_nomem(err);
            }
        }
    }
    return 0;
}

int gp_devices_open(struct gp_context *c, struct gy_error *err)
{
    int count = 0;
    cudaError_t e = cudaGetDeviceCount(&count);
    if (e != cudaSuccess || count < 1) {
        return no_gpu(e, err);
    }
    if (count > GP_GPUS_MAX) {
        return gy_fail(err, GY_EIO, NULL, "%d GPUs in one node, at most %d are supported", count, GP_GPUS_MAX);
    }
    c->gpus = count;
    for (int i = 0; i < count; i++) {
        struct gy_probe_gpu g;
        if (facts(c, i, &g, err) != 0) {
            return -1;
        }
        if (!gy_vec_push(&c->file->gpu, g)) {
            return gy_nomem(err);
        }
    }
    cudaRuntimeGetVersion(&c->file->cuda_runtime);
    cudaDriverGetVersion(&c->file->cuda_driver);
    if (c->nvml) {
        gp_nvml_driver(c->nvml, c->file->driver, sizeof c->file->driver);
    }
    if (gy_probe_sysfs_nics("/sys", c->file) != 0) {
        return gy_nomem(err);
    }
    return refuse_busy(c, err) != 0 ? -1 : find_pairs(c, err);
}

static int prepare(struct gp_context *c, int gpu, struct gy_error *err)
{
    struct gp_device *d = &c->device[gpu];
    if (gp_cuda(cudaSetDevice(gpu), "choosing a GPU", err) != 0) {
        return -1;
    }
    for (int s = 0; s < GP_STREAMS; s++) {
        if (gp_cuda(cudaStreamCreateWithFlags(&d->stream[s], cudaStreamNonBlocking), "making a stream", err) != 0) {
            return -1;
        }
    }
    if (gp_cuda(cudaEventCreate(&d->start), "making an event", err) != 0 ||
        gp_cuda(cudaEventCreate(&d->stop), "making an event", err) != 0 ||
        gp_cuda(cudaEventCreateWithFlags(&d->mark, cudaEventDisableTiming), "making an event", err) != 0) {
        return -1;
    }
    return gp_cuda(cudaMalloc((void **)&d->found, 2 * sizeof *d->found), "taking device memory", err);
}

int gp_devices_prepare(struct gp_context *c, struct gy_error *err)
{
    size_t free_bytes, total, least = SIZE_MAX;
    for (int i = 0; i < c->gpus; i++) {
        if (prepare(c, i, err) != 0 ||
            gp_cuda(cudaMemGetInfo(&free_bytes, &total), "asking for free memory", err) != 0) {
            return -1;
        }
        least = free_bytes < least ? free_bytes : least;
    }
    const struct gy_probe_gpu *g = &c->file->gpu.at[0];
    c->world.cc = g->cc;
    c->world.shared_bytes = g->shared_bytes;
    c->world.memory_bytes = least;
    c->team = gp_team_open(c, c->gpus);
    if (!c->team) {
        return gy_nomem(err);
    }
    c->sampler = gp_sampler_open(c->nvml, c->gpus, 0.05);
    return 0;
}

void gp_buffers_free(struct gp_context *c)
{
    for (int i = 0; i < c->gpus; i++) {
        struct gp_device *d = &c->device[i];
        for (int s = 0; s < GP_SLOTS; s++) {
            if (d->buffer[s] && cudaSetDevice(i) == cudaSuccess) {
                cudaFree(d->buffer[s]);
            }
            d->buffer[s] = NULL;
            d->bytes[s] = 0;
        }
    }
}

static void close_device(struct gp_context *c, int gpu)
{
    struct gp_device *d = &c->device[gpu];
    if (cudaSetDevice(gpu) != cudaSuccess) {
        return;
    }
    if (d->lt) {
        c->lt.Destroy(d->lt);
    }
    for (int s = 0; s < GP_STREAMS; s++) {
        if (d->stream[s]) {
            cudaStreamDestroy(d->stream[s]);
        }
    }
    cudaEvent_t events[] = {d->start, d->stop, d->mark};
    for (int i = 0; i < 3; i++) {
        if (events[i]) {
            cudaEventDestroy(events[i]);
        }
    }
    cudaFree(d->found);
    *d = (struct gp_device){0};
}

void gp_devices_close(struct gp_context *c)
{
    gp_sampler_close(c->sampler);
    c->sampler = NULL;
    gp_team_close(c->team);
    c->team = NULL;
    gp_buffers_free(c);
    for (int i = 0; i < c->gpus; i++) {
        close_device(c, i);
    }
}

int gp_buffer(struct gp_context *c, int gpu, enum gp_slot slot, size_t bytes, struct gy_error *err)
{
    struct gp_device *d = &c->device[gpu];
    if (d->bytes[slot] >= bytes) {
        return 0;
    }
    if (gp_cuda(cudaSetDevice(gpu), "choosing a GPU", err) != 0) {
        return -1;
    }
    if (d->buffer[slot]) {
        cudaFree(d->buffer[slot]);
    }
    d->buffer[slot] = NULL;
    d->bytes[slot] = 0;
    size_t rounded = (bytes + 511) / 512 * 512;
    if (gp_cuda(cudaMalloc(&d->buffer[slot], rounded), "taking device memory", err) != 0) {
        cudaGetLastError(); /* the failure is told, not left for the next call */
        return -1;
    }
    d->bytes[slot] = rounded;
    return 0;
}

int gp_check(struct gp_context *c, int gpu, const float *at, const struct gy_probe_expect *e, const char *what,
             struct gy_error *err)
{
    struct gp_device *d = &c->device[gpu];
    unsigned long long found[2] = {0, ~0ull};
    cudaStream_t s = d->stream[0];
    if (e->count == 0) {
        return 0;
    }
    if (gp_cuda(cudaMemcpyAsync(d->found, found, sizeof found, cudaMemcpyHostToDevice, s), "checking", err) != 0 ||
        gp_cuda(gy_k_check(at + e->offset, e->count, e->shift, &e->table, d->found, s), "checking", err) != 0 ||
        gp_cuda(cudaMemcpyAsync(found, d->found, sizeof found, cudaMemcpyDeviceToHost, s), "checking", err) != 0 ||
        gp_cuda(cudaStreamSynchronize(s), "checking", err) != 0) {
        return -1;
    }
    if (found[0] == 0) {
        return 0;
    }
    float wrong = NAN;
    cudaMemcpy(&wrong, at + e->offset + found[1], sizeof wrong, cudaMemcpyDeviceToHost);
    gy_fail(err, GY_EIO, NULL,
            "%s: wrong result on GPU %d: %llu of %llu elements, the first at %llu: found %g, expected %g", what, gpu,
            found[0], (unsigned long long)e->count, found[1] + (unsigned long long)e->offset, (double)wrong,
            (double)e->table.at[(found[1] + e->shift) % GY_PROBE_PERIOD]);
    return gy_hint(err, "the hardware, the driver or a library is at fault: nothing measured here can be trusted");
}

int gp_check_host(const char *what, size_t index, double found, double want, double tolerance, struct gy_error *err)
{
    if (fabs(found - want) <= tolerance) {
        return 0;
    }
    gy_fail(err, GY_EIO, NULL, "%s: wrong result at element %zu: found %g, expected %g ± %g", what, index, found, want,
            tolerance);
    return gy_hint(err, "the hardware, the driver or a library is at fault: nothing measured here can be trusted");
}
