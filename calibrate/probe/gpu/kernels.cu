/* The probe's own kernels. Loads are 16 bytes wide; grids are a few blocks a multiprocessor that stride over the data.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>
#include "kernels.h"

namespace
{

__device__ __forceinline__ uint64_t global_index()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ uint64_t global_stride()
{
    return (uint64_t)gridDim.x * blockDim.x;
}

__global__ void k_fill(float *at, uint64_t n, unsigned rank_shift)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        at[i] = (float)((unsigned)(i % GY_PROBE_PERIOD + rank_shift) % GY_PROBE_PERIOD);
    }
}

__global__ void k_check(const float *at, uint64_t n, unsigned shift, gy_probe_table table, unsigned long long *found)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        if (!(at[i] == table.at[(i + shift) % GY_PROBE_PERIOD])) {
            atomicAdd(&found[0], 1ull);
            atomicMin(&found[1], (unsigned long long)i);
        }
    }
}

__device__ float uniform(uint64_t i, unsigned seed)
{
    uint32_t x = (uint32_t)i * 0x9e3779b1u ^ (uint32_t)(i >> 32) * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return (float)(x >> 8) * (2.0f / 16777216.0f) - 1.0f;
}

__device__ void store(float *at, float v)
{
    *at = v;
}

__device__ void store(__nv_bfloat16 *at, float v)
{
    *at = __float2bfloat16(v);
}

__device__ void store(__half *at, float v)
{
    *at = __float2half(v);
}

__device__ void store(__nv_fp8_e4m3 *at, float v)
{
    *at = __nv_fp8_e4m3(v);
}

template <typename T> __global__ void k_random(T *at, uint64_t n, unsigned seed)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        store(&at[i], uniform(i, seed));
    }
}

__global__ void k_copy(uint4 *__restrict__ to, const uint4 *__restrict__ from, uint64_t n)
{
    uint64_t i = global_index(), stride = global_stride();
    for (; i + 3 * stride < n; i += 4 * stride) {
        uint4 a = from[i], b = from[i + stride], c = from[i + 2 * stride], d = from[i + 3 * stride];
        to[i] = a;
        to[i + stride] = b;
        to[i + 2 * stride] = c;
        to[i + 3 * stride] = d;
    }
    for (; i < n; i += stride) {
        to[i] = from[i];
    }
}

__global__ void k_triad(float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ c, uint64_t n)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + 3.0f * y.x, x.y + 3.0f * y.y, x.z + 3.0f * y.z, x.w + 3.0f * y.w);
    }
}

struct alignas(16) bf16x8 {
    __nv_bfloat16 at[8];
};

__global__ void k_gelu(bf16x8 *__restrict__ to, const bf16x8 *__restrict__ x, uint64_t n)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        bf16x8 v = x[i], r;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float f = __bfloat162float(v.at[j]);
            r.at[j] = __float2bfloat16(0.5f * f * (1.0f + tanhf(0.7978845608f * (f + 0.044715f * f * f * f))));
        }
        to[i] = r;
    }
}

__global__ void k_add(bf16x8 *__restrict__ to, const bf16x8 *__restrict__ x, const bf16x8 *__restrict__ y, uint64_t n)
{
    for (uint64_t i = global_index(); i < n; i += global_stride()) {
        bf16x8 a = x[i], b = y[i], r;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            r.at[j] = __float2bfloat16(__bfloat162float(a.at[j]) + __bfloat162float(b.at[j]));
        }
        to[i] = r;
    }
}

/* Sum over a block of 256 threads; every thread gets it. */
__device__ float block_sum(float v)
{
    __shared__ float part[8];
    __syncthreads();
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_xor_sync(0xffffffffu, v, d);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = v;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
        sum += part[i];
    }
    return sum;
}

__global__ void __launch_bounds__(256)
    k_layernorm(bf16x8 *__restrict__ to, const bf16x8 *__restrict__ x, uint64_t eighths)
{
    const bf16x8 *row = x + blockIdx.x * eighths;
    float sum = 0, squares = 0, n = (float)(eighths * 8);
    for (uint64_t i = threadIdx.x; i < eighths; i += 256) {
        bf16x8 v = row[i];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            sum += __bfloat162float(v.at[j]);
        }
    }
    float mean = block_sum(sum) / n;
    for (uint64_t i = threadIdx.x; i < eighths; i += 256) {
        bf16x8 v = row[i];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            float d = __bfloat162float(v.at[j]) - mean;
            squares += d * d;
        }
    }
    float scale = rsqrtf(block_sum(squares) / n + 1e-5f);
    for (uint64_t i = threadIdx.x; i < eighths; i += 256) {
        bf16x8 v = row[i], r;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            r.at[j] = __float2bfloat16((__bfloat162float(v.at[j]) - mean) * scale);
        }
        to[blockIdx.x * eighths + i] = r;
    }
}

/* Attention by tiles of 64 queries and 64 keys, four warps of 16 query rows each, online softmax. */
constexpr int TILE = 64;

template <int DIM> struct attention_tile {
    __half q[TILE * DIM], k[TILE * DIM], v[TILE * DIM];
    float scores[TILE * TILE];
    __half weights[TILE * TILE];
    float out[TILE * DIM];
};

template <int DIM> __device__ void load_tile(__half *to, const __half *from)
{
    const uint4 *source = reinterpret_cast<const uint4 *>(from);
    uint4 *target = reinterpret_cast<uint4 *>(to);
    for (int i = threadIdx.x; i < TILE * DIM / 8; i += 128) {
        target[i] = source[i];
    }
}

/* This warp's 16 × 64 scores: Q K^T. */
template <int DIM> __device__ void score_rows(attention_tile<DIM> &t, int warp)
{
    using namespace nvcuda::wmma;
    for (int column = 0; column < TILE; column += 16) {
        fragment<accumulator, 16, 16, 16, float> sum;
        fill_fragment(sum, 0.0f);
        for (int inner = 0; inner < DIM; inner += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> a;
            fragment<matrix_b, 16, 16, 16, __half, col_major> b;
            load_matrix_sync(a, t.q + warp * 16 * DIM + inner, DIM);
            load_matrix_sync(b, t.k + column * DIM + inner, DIM);
            mma_sync(sum, a, b, sum);
        }
        store_matrix_sync(t.scores + warp * 16 * TILE + column, sum, TILE, mem_row_major);
    }
}

/* Two lanes a row: running maximum and sum, weights in fp16, and the old output scaled to the new maximum. */
template <int DIM>
__device__ void soften_rows(attention_tile<DIM> &t, int warp, float scale, float &maximum, float &total)
{
    int lane = threadIdx.x % 32, row = warp * 16 + lane / 2, half = lane % 2;
    const float *score = t.scores + row * TILE + half * (TILE / 2);
    __half *weight = t.weights + row * TILE + half * (TILE / 2);
    float *out = t.out + row * DIM + half * (DIM / 2);
    float top = maximum, sum = 0;
    for (int i = 0; i < TILE / 2; i++) {
        top = fmaxf(top, score[i] * scale);
    }
    top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
    for (int i = 0; i < TILE / 2; i++) {
        float w = __expf(score[i] * scale - top);
        sum += w;
        weight[i] = __float2half(w);
    }
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);
    float keep = __expf(maximum - top);
    for (int i = 0; i < DIM / 2; i++) {
        out[i] *= keep;
    }
    total = total * keep + sum;
    maximum = top;
}

/* This warp's rows of the output += weights V. */
template <int DIM> __device__ void weigh_rows(attention_tile<DIM> &t, int warp)
{
    using namespace nvcuda::wmma;
    for (int column = 0; column < DIM; column += 16) {
        fragment<accumulator, 16, 16, 16, float> sum;
        float *out = t.out + warp * 16 * DIM + column;
        load_matrix_sync(sum, out, DIM, mem_row_major);
        for (int inner = 0; inner < TILE; inner += 16) {
            fragment<matrix_a, 16, 16, 16, __half, row_major> a;
            fragment<matrix_b, 16, 16, 16, __half, row_major> b;
            load_matrix_sync(a, t.weights + warp * 16 * TILE + inner, TILE);
            load_matrix_sync(b, t.v + inner * DIM + column, DIM);
            mma_sync(sum, a, b, sum);
        }
        store_matrix_sync(out, sum, DIM, mem_row_major);
    }
}

template <int DIM>
__global__ void __launch_bounds__(128)
    k_attention(const __half *q, const __half *k, const __half *v, __half *o, unsigned seq)
{
    extern __shared__ __align__(128) unsigned char memory[];
    attention_tile<DIM> &t = *reinterpret_cast<attention_tile<DIM> *>(memory);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint64_t head = (uint64_t)blockIdx.y * seq * DIM, first = head + (uint64_t)blockIdx.x * TILE * DIM;
    float maximum = -INFINITY, total = 0;
    load_tile<DIM>(t.q, q + first);
    for (int i = threadIdx.x; i < TILE * DIM; i += 128) {
        t.out[i] = 0;
    }
    for (unsigned key = 0; key < seq; key += TILE) {
        __syncthreads();
        load_tile<DIM>(t.k, k + head + (uint64_t)key * DIM);
        load_tile<DIM>(t.v, v + head + (uint64_t)key * DIM);
        __syncthreads();
        score_rows<DIM>(t, warp);
        __syncwarp();
        soften_rows<DIM>(t, warp, rsqrtf((float)DIM), maximum, total);
        __syncwarp();
        weigh_rows<DIM>(t, warp);
    }
    __syncwarp();
    int row = warp * 16 + lane / 2, half = lane % 2;
    const float *out = t.out + row * DIM + half * (DIM / 2);
    __half *to = o + first + row * DIM + half * (DIM / 2);
    for (int i = 0; i < DIM / 2; i++) {
        to[i] = __float2half(out[i] / total);
    }
}

__global__ void k_empty()
{
}

constexpr int THREADS = 256;

unsigned blocks(uint64_t items, int sms)
{
    uint64_t need = (items + THREADS - 1) / THREADS, most = (uint64_t)(sms > 0 ? sms : 132) * 8;
    return (unsigned)(need < 1 ? 1 : need < most ? need : most);
}

template <typename T> cudaError_t random_of(void *at, uint64_t n, unsigned seed, cudaStream_t s)
{
    k_random<T><<<blocks(n, 0), THREADS, 0, s>>>((T *)at, n, seed);
    return cudaGetLastError();
}

template <int DIM>
cudaError_t attention_of(const void *q, const void *k, const void *v, void *o, unsigned heads, unsigned seq,
                         cudaStream_t s)
{
    int bytes = (int)sizeof(attention_tile<DIM>);
    cudaError_t e =
        cudaFuncSetAttribute((const void *)k_attention<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (e != cudaSuccess) {
        return e;
    }
    k_attention<DIM><<<dim3(seq / TILE, heads), 128, (size_t)bytes, s>>>((const __half *)q, (const __half *)k,
                                                                         (const __half *)v, (__half *)o, seq);
    return cudaGetLastError();
}

} // namespace

cudaError_t gy_k_fill(float *at, uint64_t n, uint64_t rank, cudaStream_t s)
{
    k_fill<<<blocks(n, 0), THREADS, 0, s>>>(at, n, (unsigned)(rank * 11 % GY_PROBE_PERIOD));
    return cudaGetLastError();
}

cudaError_t gy_k_check(const float *at, uint64_t n, unsigned shift, const gy_probe_table *table,
                       unsigned long long *found, cudaStream_t s)
{
    k_check<<<blocks(n, 0), THREADS, 0, s>>>(at, n, shift, *table, found);
    return cudaGetLastError();
}

cudaError_t gy_k_random(gy_probe_dtype t, void *at, uint64_t n, unsigned seed, cudaStream_t s)
{
    switch (t) {
    case GY_PROBE_BF16:
        return random_of<__nv_bfloat16>(at, n, seed, s);
    case GY_PROBE_F16:
        return random_of<__half>(at, n, seed, s);
    case GY_PROBE_F8E4M3:
        return random_of<__nv_fp8_e4m3>(at, n, seed, s);
    default:
        return random_of<float>(at, n, seed, s);
    }
}

cudaError_t gy_k_copy(void *to, const void *from, uint64_t bytes, int sms, cudaStream_t s)
{
    k_copy<<<blocks(bytes / 16, sms), THREADS, 0, s>>>((uint4 *)to, (const uint4 *)from, bytes / 16);
    return cudaGetLastError();
}

cudaError_t gy_k_triad(float *a, const float *b, const float *c, uint64_t n, int sms, cudaStream_t s)
{
    k_triad<<<blocks(n / 4, sms), THREADS, 0, s>>>((float4 *)a, (const float4 *)b, (const float4 *)c, n / 4);
    return cudaGetLastError();
}

cudaError_t gy_k_gelu(void *to, const void *x, uint64_t n, int sms, cudaStream_t s)
{
    k_gelu<<<blocks(n / 8, sms), THREADS, 0, s>>>((bf16x8 *)to, (const bf16x8 *)x, n / 8);
    return cudaGetLastError();
}

cudaError_t gy_k_add(void *to, const void *x, const void *y, uint64_t n, int sms, cudaStream_t s)
{
    k_add<<<blocks(n / 8, sms), THREADS, 0, s>>>((bf16x8 *)to, (const bf16x8 *)x, (const bf16x8 *)y, n / 8);
    return cudaGetLastError();
}

cudaError_t gy_k_layernorm(void *to, const void *x, uint64_t rows, uint64_t hidden, cudaStream_t s)
{
    k_layernorm<<<(unsigned)rows, THREADS, 0, s>>>((bf16x8 *)to, (const bf16x8 *)x, hidden / 8);
    return cudaGetLastError();
}

size_t gy_k_attention_shared(unsigned dim)
{
    return dim == 64 ? sizeof(attention_tile<64>) : sizeof(attention_tile<128>);
}

cudaError_t gy_k_attention(const void *q, const void *k, const void *v, void *o, unsigned heads, unsigned seq,
                           unsigned dim, cudaStream_t s)
{
    if (seq % TILE != 0 || heads > 65535 || (dim != 64 && dim != 128)) {
        return cudaErrorInvalidValue;
    }
    return dim == 64 ? attention_of<64>(q, k, v, o, heads, seq, s) : attention_of<128>(q, k, v, o, heads, seq, s);
}

cudaError_t gy_k_empty(cudaStream_t s)
{
    k_empty<<<1, 32, 0, s>>>();
    return cudaGetLastError();
}
