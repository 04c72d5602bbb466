// Half and bfloat16 through their headers, packed and single.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void halves(const __half2 *a, const __half2 *b, __half2 *out, const __nv_bfloat16 *c, __nv_bfloat16 *d, int *flags) {
    int i = threadIdx.x;
    __half2 x = a[i], y = b[i], z = __hfma2(x, y, __float2half2_rn(0.5f));
    z = __hmax2(z, __hsub2(x, y));
    z = __hadd2(z, __lowhigh2highlow(x));
    out[i] = __hmul2_sat(z, __float2half2_rn(0.125f));
    __nv_bfloat16 u = c[i], v = __float2bfloat16_rn(3.0f);
    d[i] = __hadd(__hmul(__hfma(u, v, __hneg(u)), __float2bfloat16(0.3f)), __hmax(u, v));
    flags[i] = (__hgt(__low2half(x), __high2half(y)) ? 1 : 0) | (__hbeq2(x, y) ? 2 : 0) | (__hisnan(__low2half(x)) ? 4 : 0) | __half2int_rd(__high2half(z)) << 4;
}
