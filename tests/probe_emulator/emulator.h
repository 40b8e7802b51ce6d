/* An emulation, in host memory and for tests only, of the CUDA, cuBLASLt, NCCL and NVML functions that gpuyard-probe
 * calls. It gives right results, keeps the order of streams, lets collectives wait for all ranks, and produces faults
 * on demand. It says nothing about time. Switches are environment variables: EMU_GPUS, EMU_CC, EMU_NAME, EMU_MEMORY
 * (bytes), EMU_PROCESSES (others on each GPU), EMU_DRIVER=old|none,
 * EMU_FAULT=wrong_sum|wrong_copy|wrong_gemm|no_fp8|lost_rank|hang|hang_init|no_memory|no_network. */
#ifndef EMULATOR_H
#define EMULATOR_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>

struct CUstream_st {
    int device, captured; /* kernels captured so far; −1: not capturing */
    int pending;          /* collectives that wait for other ranks */
};
long emu_number(const char *name, long otherwise);
bool emu_fault(const char *name);
void emu_pend(cudaStream_t s, int change);
void emu_drain(cudaStream_t s); /* waits until nothing is pending */
/* Runs the kernel of this mangled name on the host; false when there is none such. */
bool emu_kernel(const char *name, dim3 grid, void **args);
float emu_decode(int bytes, bool bf16, const void *at);
uint16_t emu_bf16(float v);
uint16_t emu_half(float v);
#endif
