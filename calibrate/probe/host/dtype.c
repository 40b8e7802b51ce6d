/* Number formats of GPUs as the host reads them back: bfloat16, binary16, and e4m3 as NVIDIA and ONNX define it (no
 * infinity, NaN is S.1111.111). Decoding is exact. */
#include "gy_probe.h"
#include <math.h>
#include <string.h>

const char *gy_probe_dtype_name(enum gy_probe_dtype t)
{
    static const char *const names[GY_PROBE_DTYPES] = {"float32", "tf32", "bf16", "fp16", "fp8"};
    return (unsigned)t < GY_PROBE_DTYPES ? names[t] : "?";
}

size_t gy_probe_dtype_bytes(enum gy_probe_dtype t)
{
    static const size_t bytes[GY_PROBE_DTYPES] = {4, 4, 2, 2, 1};
    return (unsigned)t < GY_PROBE_DTYPES ? bytes[t] : 0;
}

/* A small float of the given widths without its special top exponent. */
static double decode(unsigned bits, int exponent_bits, int mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)((bits >> mantissa_bits) & ((1u << exponent_bits) - 1));
    double sign = (bits >> (mantissa_bits + exponent_bits)) & 1u ? -1.0 : 1.0;
    double fraction = ldexp((double)mantissa, -mantissa_bits);
    return exponent == 0 ? sign * ldexp(fraction, 1 - bias) : sign * ldexp(1 + fraction, exponent - bias);
}

static double decode_half(uint16_t bits)
{
    if ((bits & 0x7c00u) == 0x7c00u) {
        return bits & 0x3ffu ? NAN : bits & 0x8000u ? -INFINITY : INFINITY;
    }
    return decode(bits, 5, 10);
}

double gy_probe_decode(enum gy_probe_dtype t, const void *at)
{
    uint16_t half;
    uint32_t word;
    uint8_t byte;
    float f;
    switch (t) {
    case GY_PROBE_BF16:
        memcpy(&half, at, sizeof half);
        word = (uint32_t)half << 16;
        memcpy(&f, &word, sizeof f);
        return f;
    case GY_PROBE_F16:
        memcpy(&half, at, sizeof half);
        return decode_half(half);
    case GY_PROBE_F8E4M3:
        memcpy(&byte, at, sizeof byte);
        return (byte & 0x7fu) == 0x7fu ? NAN : decode(byte, 4, 3);
    default:
        memcpy(&f, at, sizeof f);
        return f;
    }
}
