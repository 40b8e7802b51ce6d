/* The probe's own CUDA kernels behind C functions, each an asynchronous launch on a stream of the current device.
 * They return the launch's error. Pointers are device memory, 16-byte aligned. */
#ifndef GY_PROBE_KERNELS_H
#define GY_PROBE_KERNELS_H
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>
#include "gy_probe.h"

#ifdef __cplusplus
extern "C" {
#endif
/* at[i] = gy_probe_pattern(rank, i) as float. */
cudaError_t gy_k_fill(float *at, uint64_t n, uint64_t rank, cudaStream_t s);
/* Adds to found[0] the elements that differ from the table; found[1] keeps the least such index (start it at all ones).
 */
cudaError_t gy_k_check(const float *at, uint64_t n, unsigned shift, const struct gy_probe_table *table,
                       unsigned long long *found, cudaStream_t s);
/* Values uniform in [-1, 1) by a hash of index and seed. */
cudaError_t gy_k_random(enum gy_probe_dtype t, void *at, uint64_t n, unsigned seed, cudaStream_t s);
cudaError_t gy_k_copy(void *to, const void *from, uint64_t bytes, int sms, cudaStream_t s); /* bytes: multiple of 16 */
/* a = b + 3 c, n floats, a multiple of 4. */
cudaError_t gy_k_triad(float *a, const float *b, const float *c, uint64_t n, int sms, cudaStream_t s);
/* bf16, n a multiple of 8: to = gelu(x) (tanh form); to = x + y. */
cudaError_t gy_k_gelu(void *to, const void *x, uint64_t n, int sms, cudaStream_t s);
cudaError_t gy_k_add(void *to, const void *x, const void *y, uint64_t n, int sms, cudaStream_t s);
/* bf16, each row of `hidden` (a multiple of 8) to mean 0 and variance 1, eps 1e-5, no weights. */
cudaError_t gy_k_layernorm(void *to, const void *x, uint64_t rows, uint64_t hidden, cudaStream_t s);
/* softmax(Q K^T / sqrt(dim)) V in fp16 for `heads` (batch × heads) of seq × dim each; seq a multiple of 64, dim 64 or
 * 128. A plain tiled kernel on tensor cores, no match for a tuned one. */
cudaError_t gy_k_attention(const void *q, const void *k, const void *v, void *o, unsigned heads, unsigned seq,
                           unsigned dim, cudaStream_t s);
size_t gy_k_attention_shared(unsigned dim); /* bytes of shared memory that a block needs */
cudaError_t gy_k_empty(cudaStream_t s);
#ifdef __cplusplus
}
#endif
#endif
