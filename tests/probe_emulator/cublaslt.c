/* cuBLASLt: products in double on the host; of the large ones only the elements that the probe looks at. */
#include "emulator.h"
#include <cublasLt.h>
#include <stdlib.h>

struct layout {
    cudaDataType type;
    uint64_t rows, columns;
    int64_t stride;
};
struct description {
    cublasOperation_t a, b;
};

size_t cublasLtGetVersion(void)
{
    return 130100;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    *handle = malloc(8);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, cublasComputeType_t compute, cudaDataType_t scale)
{
    bool known = (compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_FAST_TF32) && scale == CUDA_R_32F;
    *d = known ? calloc(1, sizeof(struct description)) : NULL;
    return known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d)
{
    free(d);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t what,
                                              const void *value, size_t size)
{
    struct description *own = (struct description *)d;
    if (size != sizeof(cublasOperation_t)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *(what == CUBLASLT_MATMUL_DESC_TRANSA ? &own->a : &own->b) = *(const cublasOperation_t *)value;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *l, cudaDataType type, uint64_t rows, uint64_t columns,
                                          int64_t stride)
{
    struct layout *own = malloc(sizeof *own);
    *own = (struct layout){type, rows, columns, stride};
    *l = (cublasLtMatrixLayout_t)own;
    return stride >= (int64_t)rows ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l)
{
    free(l);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p)
{
    *p = calloc(1, 64);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p)
{
    free(p);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t what, const void *value,
                                                    size_t size)
{
    bool known = p && value && what == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && size == sizeof(uint64_t);
    return known ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t out, cublasLtMatmulPreference_t p, int wanted,
                                              cublasLtMatmulHeuristicResult_t *result, int *found)
{
    (void)handle, (void)d, (void)b, (void)c, (void)out, (void)p, (void)wanted;
    *result = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS};
    *found = emu_fault("no_fp8") && ((struct layout *)a)->type == CUDA_R_8F_E4M3 ? 0 : 1;
    return CUBLAS_STATUS_SUCCESS;
}

static int bytes_of(cudaDataType t)
{
    return t == CUDA_R_32F ? 4 : t == CUDA_R_8F_E4M3 ? 1 : 2;
}

static float element(const void *at, const struct layout *l, uint64_t i)
{
    int bytes = bytes_of(l->type);
    return emu_decode(bytes, l->type == CUDA_R_16BF, (const char *)at + i * (uint64_t)bytes);
}

static void put(void *at, const struct layout *l, uint64_t i, double v)
{
    if (l->type == CUDA_R_32F) {
        ((float *)at)[i] = (float)v;
    } else { /* one part in a thousand is well inside the tolerance: fp16 by way of its decoder's inverse for |v| ≥
                2^-14 */
        ((uint16_t *)at)[i] = l->type == CUDA_R_16BF ? emu_bf16((float)v) : emu_half((float)v);
    }
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t d, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t al, const void *b, cublasLtMatrixLayout_t bl, const void *beta,
                              const void *c, cublasLtMatrixLayout_t cl, void *out, cublasLtMatrixLayout_t ol,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t bytes, cudaStream_t s)
{
    const struct description *own = (struct description *)d;
    const struct layout *la = (struct layout *)al, *lb = (struct layout *)bl, *lo = (struct layout *)ol;
    uint64_t m = la->columns, n = lb->columns, k = la->rows;
    (void)handle, (void)c, (void)cl, (void)algo, (void)workspace, (void)bytes;
    if (own->a != CUBLAS_OP_T || own->b != CUBLAS_OP_N || *(const float *)alpha != 1 || *(const float *)beta != 0 ||
        lb->rows != k || lo->rows != m || lo->columns != n || la->stride != (int64_t)k || lo->stride != (int64_t)m) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    emu_drain(s);
    for (uint64_t x = 0; x < 16; x++) {
        uint64_t i = x == 1 ? m - 1 : (m - 1) * x / 15, j = x == 1 ? 0 : x == 2 ? n - 1 : (n - 1) * x / 15;
        double sum = 0;
        for (uint64_t l = 0; l < k; l++) {
            sum += (double)element(a, la, i * k + l) * (double)element(b, lb, j * k + l);
        }
        put(out, lo, j * m + i, emu_fault("wrong_gemm") ? sum + 100 : sum);
    }
    return CUBLAS_STATUS_SUCCESS;
}
