/* The CUDA runtime's functions: devices, memory, streams, events, graphs, and kernels found by their registered names.
 */
#include "emulator.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static __thread int current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t drained = PTHREAD_COND_INITIALIZER;

struct CUevent_st {
    double at_s;
};
struct CUgraph_st {
    int kernels;
};
struct CUgraphExec_st {
    int kernels;
};
struct kernel {
    const void *function;
    const char *name;
};
static struct kernel kernels[64];
static int kernel_count;

long emu_number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? atol(text) : otherwise;
}

bool emu_fault(const char *name)
{
    const char *fault = getenv("EMU_FAULT");
    return fault && strcmp(fault, name) == 0;
}

void emu_pend(cudaStream_t s, int change)
{
    pthread_mutex_lock(&lock);
    s->pending += change;
    pthread_cond_broadcast(&drained);
    pthread_mutex_unlock(&lock);
}

void emu_drain(cudaStream_t s)
{
    pthread_mutex_lock(&lock);
    while (s && s->pending > 0) {
        pthread_cond_wait(&drained, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static const char *driver(void)
{
    const char *text = getenv("EMU_DRIVER");
    return text ? text : "";
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (*driver()) {
        return cudaErrorInsufficientDriver;
    }
    *count = (int)emu_number("EMU_GPUS", 1);
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = strcmp(driver(), "none") == 0 ? 0 : strcmp(driver(), "old") == 0 ? 11020 : 13000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t e)
{
    return e == cudaErrorMemoryAllocation ? "out of memory" : "emulated error";
}

const char *cudaGetErrorName(cudaError_t e)
{
    return e == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" : "cudaErrorEmulated";
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return device < emu_number("EMU_GPUS", 1) ? cudaSuccess : cudaErrorInvalidDevice;
}

/* Found under either name: headers of CUDA 12 rename the function. */
#undef cudaGetDeviceProperties
static cudaError_t properties(struct cudaDeviceProp *p)
{
    const char *name = getenv("EMU_NAME");
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name ? name : "Emulated GPU");
    p->totalGlobalMem = (size_t)emu_number("EMU_MEMORY", 64 << 20);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
    (void)device;
    return properties(p);
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device);
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *p, int device)
{
    (void)device;
    return properties(p);
}

cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr what, int device)
{
    int cc = (int)emu_number("EMU_CC", 90);
    (void)device;
    switch (what) {
    case cudaDevAttrComputeCapabilityMajor:
        *v = cc / 10;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *v = cc % 10;
        break;
    case cudaDevAttrMultiProcessorCount:
        *v = 4;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *v = 227 << 10;
        break;
    case cudaDevAttrClockRate:
        *v = 1980000;
        break;
    case cudaDevAttrMemoryClockRate:
        *v = 2619000;
        break;
    default:
        *v = 1;
        break;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device)
{
    snprintf(id, (size_t)len, "0000:%02X:00.0", device + 1);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int a, int b)
{
    *can = a != b;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return peer != current && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceGetP2PAttribute(int *v, enum cudaDeviceP2PAttr what, int a, int b)
{
    (void)what, (void)a, (void)b;
    *v = 0;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    *free_bytes = *total = (size_t)emu_number("EMU_MEMORY", 64 << 20);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    if (emu_fault("no_memory") && bytes > 1024) {
        return cudaErrorMemoryAllocation;
    }
    *at = aligned_alloc(512, (bytes + 511) / 512 * 512);
    return *at ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *at)
{
    free(at);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    return cudaMalloc(at, bytes);
}

cudaError_t cudaFreeHost(void *at)
{
    return cudaFree(at);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s)
{
    (void)kind;
    emu_drain(s);
    memcpy(to, from, n);
    if (emu_fault("wrong_copy") && n > 64) {
        ((unsigned char *)to)[n / 2] ^= 0x10;
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind kind)
{
    return cudaMemcpyAsync(to, from, n, kind, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t n, cudaStream_t s)
{
    return to_device != from_device ? cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, s) : cudaErrorInvalidValue;
}

cudaError_t cudaMemsetAsync(void *at, int value, size_t n, cudaStream_t s)
{
    emu_drain(s);
    memset(at, value, n);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    (void)flags;
    *s = calloc(1, sizeof **s);
    if (*s) {
        (*s)->device = current;
        (*s)->captured = -1;
    }
    return *s ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    free(s);
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t s)
{
    pthread_mutex_lock(&lock);
    bool busy = s->pending > 0;
    pthread_mutex_unlock(&lock);
    return busy ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    emu_drain(s);
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    (void)flags;
    *e = calloc(1, sizeof **e);
    return *e ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventCreate(cudaEvent_t *e)
{
    return cudaEventCreateWithFlags(e, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    free(e);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    emu_drain(s);
    e->at_s = now();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    return e->at_s > 0 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    *ms = (float)((b->at_s - a->at_s) * 1e3 + 1e-3);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    return s && e && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    (void)mode;
    s->captured = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *graph)
{
    *graph = calloc(1, sizeof **graph);
    (*graph)->kernels = s->captured;
    s->captured = -1;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    (void)flags;
    *exec = calloc(1, sizeof **exec);
    (*exec)->kernels = graph->kernels;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t s)
{
    emu_drain(s);
    return exec->kernels > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    free(exec);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute what, int value)
{
    (void)function, (void)what;
    return value <= 227 << 10 ? cudaSuccess : cudaErrorInvalidValue;
}

/* What nvcc's host code calls: registration at start, then a launch through a handle or by the function's address. */
struct launch {
    dim3 grid, block;
    size_t shared;
    void *stream;
};
static __thread struct launch next;

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *function, char *device, const char *name, int limit, void *a,
                            void *b, void *c, void *d, int *e);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s);

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    handle = binary;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *function, char *device, const char *name, int limit, void *a,
                            void *b, void *c, void *d, int *e)
{
    (void)handle, (void)device, (void)limit, (void)a, (void)b, (void)c, (void)d, (void)e;
    if (kernel_count < 64) {
        kernels[kernel_count++] = (struct kernel){function, name};
    }
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    next = (struct launch){grid, block, shared, stream};
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = next.grid;
    *block = next.block;
    *shared = next.shared;
    *(void **)stream = next.stream;
    return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
    for (int i = 0; i < kernel_count; i++) {
        if (kernels[i].function == function) {
            *kernel = (cudaKernel_t)&kernels[i];
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
    const struct kernel *k = (const struct kernel *)kernel;
    (void)block, (void)shared;
    if (s && s->captured >= 0) {
        s->captured++;
        return cudaSuccess;
    }
    emu_drain(s);
    return emu_kernel(k->name, grid, args) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t s)
{
    cudaKernel_t k;
    cudaError_t e = __cudaGetKernel(&k, function);
    return e != cudaSuccess ? e : __cudaLaunchKernel(k, grid, block, args, shared, s);
}
