/* Matrix products through cuBLASLt: D (m × n) = A^T B with A k × m and B k × n, column-major (the "TN" form that fp8
 * requires and the fastest one for the rest), accumulation in fp32, the library's first heuristic choice. */
#include "gpu.h"
#include <library_types.h>

static cudaDataType_t data_type(enum gy_probe_dtype t)
{
    switch (t) {
    case GY_PROBE_BF16:
        return CUDA_R_16BF;
    case GY_PROBE_F16:
        return CUDA_R_16F;
    case GY_PROBE_F8E4M3:
        return CUDA_R_8F_E4M3;
    default:
        return CUDA_R_32F;
    }
}

enum gy_probe_dtype gp_gemm_out(enum gy_probe_dtype t)
{
    return t == GY_PROBE_F8E4M3 ? GY_PROBE_BF16 : t == GY_PROBE_TF32 ? GY_PROBE_F32 : t;
}

bool gp_gemm_fits(const struct gy_probe_world *w, enum gy_probe_dtype t, uint64_t m, uint64_t n, uint64_t k)
{
    uint64_t in = gy_probe_dtype_bytes(t), out = gy_probe_dtype_bytes(gp_gemm_out(t));
    uint64_t bytes = (m * k + n * k) * in + m * n * out;
    bool can = t == GY_PROBE_F16 || t == GY_PROBE_F32 ? w->cc >= 70 : t == GY_PROBE_F8E4M3 ? w->cc >= 89 : w->cc >= 80;
    bool aligned = t != GY_PROBE_F8E4M3 || (m % 16 == 0 && n % 16 == 0 && k % 16 == 0);
    return can && aligned && bytes < w->memory_bytes / 2;
}

static int lt(cublasStatus_t s, const char *what, struct gy_error *err)
{
    return s == CUBLAS_STATUS_SUCCESS ? 0 : gy_fail(err, GY_EIO, NULL, "cuBLASLt: %s: status %d", what, (int)s);
}

static int describe(struct gp_context *c, struct gp_gemm *g, struct gy_error *err)
{
    bool tf32 = g->dtype == GY_PROBE_TF32;
    cublasComputeType_t compute = tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    cublasOperation_t transpose = CUBLAS_OP_T, plain = CUBLAS_OP_N;
    cudaDataType_t in = data_type(g->dtype), out = data_type(gp_gemm_out(g->dtype));
    if (lt(c->lt.MatmulDescCreate(&g->desc, compute, CUDA_R_32F), "description", err) != 0 ||
        lt(c->lt.MatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose), "A",
           err) != 0 ||
        lt(c->lt.MatmulDescSetAttribute(g->desc, CUBLASLT_MATMUL_DESC_TRANSB, &plain, sizeof plain), "B", err) != 0) {
        return -1;
    }
    if (lt(c->lt.MatrixLayoutCreate(&g->a, in, g->k, g->m, (int64_t)g->k), "layout of A", err) != 0 ||
        lt(c->lt.MatrixLayoutCreate(&g->b, in, g->k, g->n, (int64_t)g->k), "layout of B", err) != 0) {
        return -1;
    }
    return lt(c->lt.MatrixLayoutCreate(&g->d, out, g->m, g->n, (int64_t)g->m), "layout of D", err);
}

/* 1 when the library has no kernel for this. */
static int choose(struct gp_context *c, struct gp_gemm *g, struct gy_error *err)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    size_t most = 32u << 20;
    int found = 0;
    if (lt(c->lt.MatmulPreferenceCreate(&preference), "preference", err) != 0) {
        return -1;
    }
    cublasStatus_t s =
        c->lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most);
    if (s == CUBLAS_STATUS_SUCCESS) {
        s = c->lt.MatmulAlgoGetHeuristic(c->device[g->gpu].lt, g->desc, g->a, g->b, g->d, g->d, preference, 1, &result,
                                         &found);
    }
    c->lt.MatmulPreferenceDestroy(preference);
    if (s == CUBLAS_STATUS_NOT_SUPPORTED || (s == CUBLAS_STATUS_SUCCESS && found == 0)) {
        return 1;
    }
    if (lt(s, "choosing a kernel", err) != 0) {
        return -1;
    }
    g->algo = result.algo;
    g->workspace = result.workspaceSize;
    return gp_buffer(c, g->gpu, GP_WORKSPACE, most, err);
}

int gp_gemm_open(struct gp_context *c, struct gp_gemm *g, struct gy_error *err)
{
    struct gp_device *d = &c->device[g->gpu];
    if (gp_cuda(cudaSetDevice(g->gpu), "choosing a GPU", err) != 0) {
        return -1;
    }
    if (!d->lt && lt(c->lt.Create(&d->lt), "start", err) != 0) {
        d->lt = NULL;
        return -1;
    }
    int status = describe(c, g, err);
    if (status == 0) {
        status = choose(c, g, err);
    }
    if (status != 0) {
        gp_gemm_close(c, g);
    }
    return status;
}

int gp_gemm_launch(struct gp_context *c, void *gemm, cudaStream_t s, struct gy_error *err)
{
    const struct gp_gemm *g = gemm;
    const float one = 1, zero = 0;
    const struct gp_device *d = &c->device[g->gpu];
    return lt(c->lt.Matmul(d->lt, g->desc, &one, g->a_at, g->a, g->b_at, g->b, &zero, g->d_at, g->d, g->d_at, g->d,
                           &g->algo, d->buffer[GP_WORKSPACE], g->workspace, s),
              "product", err);
}

void gp_gemm_close(struct gp_context *c, struct gp_gemm *g)
{
    if (g->desc) {
        c->lt.MatmulDescDestroy(g->desc);
    }
    cublasLtMatrixLayout_t layouts[] = {g->a, g->b, g->d};
    for (int i = 0; i < 3; i++) {
        if (layouts[i]) {
            c->lt.MatrixLayoutDestroy(layouts[i]);
        }
    }
    g->desc = NULL;
    g->a = g->b = g->d = NULL;
}
