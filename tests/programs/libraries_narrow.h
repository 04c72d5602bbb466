/* libraries_narrow.h -- of libraries.c: products of f8 whose results are f8, with the largest absolute value or not.
 *
 * Laws: one call makes result and largest value, bit for bit as the evaluator, in any of the forms in which modules
 * say it; what is nearly such a product is made by kernels, as small ones of it are faster; each failure is a status,
 * and nothing is left. */
#ifndef XLAGPU_TESTS_LIBRARIES_NARROW_H
#define XLAGPU_TESTS_LIBRARIES_NARROW_H
#include "libraries_run.h"

/* y: the product of two arrays, each with its scale, and what is done to it. */
#define NARROW_PRODUCT \
    "top { a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = f32[] maximum(a, b) }\nENTRY e {\n" \
    "p0 = f8e4m3fn[16,32] parameter(0)\np1 = f8e4m3fn[48,32] parameter(1)\np2 = f32[] parameter(2)\n" \
    "p3 = f32[] parameter(3)\np4 = f32[] parameter(4)\n" \
    "d = f32[16,48] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n" \
    "b2 = f32[16,48] broadcast(p2), dimensions={}\nb3 = f32[16,48] broadcast(p3), dimensions={}\n" \
    "m2 = f32[16,48] multiply(d, b2)\ny = f32[16,48] multiply(m2, b3)\nz = f32[] constant(0)\n" \
    "b4 = f32[16,48] broadcast(p4), dimensions={}\n"
#define NARROW_LIMITS(most) \
    "h = f32[] constant(" most ")\nhs = f32[16,48] broadcast(h), dimensions={}\nl = f32[] constant(-" most ")\n" \
    "ls = f32[16,48] broadcast(l), dimensions={}\n"
#define NARROW_LARGEST(of) \
    "abs = f32[16,48] abs(" of ")\nlargest = f32[] reduce(abs, z), dimensions={0,1}, to_apply=top\n"
#define NARROW_CLAMPED(of) "c = f32[16,48] clamp(ls, " of ", hs)\nr = f8e4m3fn[16,48] convert(c)\n"
#define NARROW_CLAMP NARROW_CLAMPED("q")
#define NARROW_BOTH "ROOT o = (f8e4m3fn[16,48], f32[]) tuple(r, largest)\n}"
#define NARROW_MULTIPLIED "q = f32[16,48] multiply(y, b4)\n"
#define NARROW_DIVIDED "q = f32[16,48] divide(y, b4)\n"
#define NARROW_CALL(epilogue) \
    "ENTRY e {\np0 = f8e4m3fn[16,32] parameter(0)\np1 = f8e4m3fn[48,32] parameter(1)\np2 = f32[] parameter(2)\n" \
    "p3 = f32[] parameter(3)\np4 = f32[] parameter(4)\nc = (f8e4m3fn[16,48], f32[], s8[64]) custom-call(p0, p1, p2, " \
    "p3, p4), custom_call_target=\"__cublas$lt$matmul$f8\", " \
    "backend_config={\"gemm_backend_config\":{\"alpha_real\":1," \
    "\"beta\":0,\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":" \
    "[\"1\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]},\"alpha_imag\":0,\"epilogue\":\"" epilogue \
    "\"}}\n" \
    "r = f8e4m3fn[16,48] get-tuple-element(c), index=0\nlargest = f32[] get-tuple-element(c), index=1\n" NARROW_BOTH
static const struct {
    const char *text;
    uint32_t calls, kernels;
} narrow_samples[] = {
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_LARGEST("y") NARROW_MULTIPLIED NARROW_CLAMP NARROW_BOTH, 1, 0},
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_LARGEST("y") NARROW_DIVIDED NARROW_CLAMP NARROW_BOTH, 1, 1},
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_MULTIPLIED
        "n = f32[16,48] minimum(q, hs)\nc = f32[16,48] maximum(ls, n)\nROOT r = f8e4m3fn[16,48] convert(c)\n}",
        1, 0},
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_LARGEST("y") NARROW_CLAMPED("y") NARROW_BOTH, 1, 0},
    {NARROW_CALL("DEFAULT"), 1, 0},
    {NARROW_CALL("RELU"), 1, 0},
    /* the largest of what is multiplied already; other limits; the product itself is read, too */
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_MULTIPLIED NARROW_LARGEST("q") NARROW_CLAMP NARROW_BOTH, 0, 1},
    {NARROW_PRODUCT NARROW_LIMITS("440") NARROW_LARGEST("y") NARROW_MULTIPLIED NARROW_CLAMP NARROW_BOTH, 0, 1},
    {NARROW_PRODUCT NARROW_LIMITS("448") NARROW_LARGEST("y") NARROW_MULTIPLIED NARROW_CLAMP
        "ROOT o = (f8e4m3fn[16,48], f32[], f32[16,48]) tuple(r, largest, y)\n}",
        0, 1},
};
static void narrow_products(xlagpu_context *c) {
    static library_run r;
    uint32_t j;
    size_t k;
    for (k = 0; k < sizeof narrow_samples / sizeof *narrow_samples; k++) {
        xlagpu_device *d = open_with(FOLDER);
        if (begin_run(c, "cublaslt", narrow_samples[k].text, &r)) {
            if (!EXPECT(r.report.library_calls == narrow_samples[k].calls &&
                        (narrow_samples[k].kernels ? r.report.kernels >= 1 : r.report.kernels == 0)))
                printf("%u calls, %u kernels\n%s\n", r.report.library_calls, r.report.kernels, narrow_samples[k].text);
            if (!EXPECT(go(d, &r) == XLAGPU_OK)) printf("%s\n", xlagpu_rt_error(d));
            for (j = 0; j < r.n_results; j++)
                if (!EXPECT(memcmp(r.want[j], r.got[j], r.taken[j].bytes) == 0)) printf("%s\n", narrow_samples[k].text);
        }
        xlagpu_rt_close(d);
        EXPECT(count.live == 0 && fake->live == 0);
    }
}
static void narrow_failures(xlagpu_context *c) {
    static library_run r;
    if (begin_run(c, "cublaslt", narrow_samples[0].text, &r))
        fail_in_turn(fake, "cuBLAS\nwhile ", 15, r.exe, r.given, r.n, r.taken, r.n_results);
}
#endif
