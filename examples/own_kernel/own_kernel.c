/* own_kernel.c -- a kernel of your own in PTX between two modules, on the same buffers. The first module scores points,
 * the kernel packs "score above 0" of 32 neighbours into the bits of a word by a vote of the warp, for which HLO has no
 * operation, and the second module counts the bits. On a machine without a GPU the simulator checks the kernel, too: a
 * wrong index is named with its line, thread and buffer. */
#define XLAGPU_IMPLEMENTATION
#include "../../xlagpu.h"
#include "../../xlagpu_runtime.h"
#include <stdio.h>

enum {
    POINTS = 256,
    WORDS = POINTS / 32
};

static const char scores_hlo[] = "ENTRY scores {                                          \n"
                                 "  x = f32[256] parameter(0)                             \n"
                                 "  s = f32[256] sine(x)                                  \n"
                                 "  half = f32[] constant(0.5)                            \n"
                                 "  halves = f32[256] broadcast(half), dimensions={}      \n"
                                 "  ROOT score = f32[256] subtract(s, halves)             \n"
                                 "}";
static const char count_hlo[] = "add {                                                    \n"
                                "  a = u32[] parameter(0)                                 \n"
                                "  b = u32[] parameter(1)                                 \n"
                                "  ROOT c = u32[] add(a, b)                               \n"
                                "}                                                        \n"
                                "ENTRY count {                                            \n"
                                "  words = u32[8] parameter(0)                            \n"
                                "  bits = u32[8] popcnt(words)                            \n"
                                "  zero = u32[] constant(0)                               \n"
                                "  ROOT n = u32[] reduce(bits, zero), dimensions={0}, to_apply=add\n"
                                "}";
static const char kernel_ptx[] = ".version 7.0\n"
                                 ".target sm_75\n"
                                 ".address_size 64\n"
                                 ".visible .entry pack(.param .u64 scores, .param .u64 words) {\n"
                                 "  .reg .pred %p<3>;\n"
                                 "  .reg .b32 %r<5>;\n"
                                 "  .reg .f32 %f<2>;\n"
                                 "  .reg .b64 %rd<6>;\n"
                                 "  ld.param.u64 %rd1, [scores];\n"
                                 "  ld.param.u64 %rd2, [words];\n"
                                 "  mov.u32 %r1, %tid.x;\n"
                                 "  mul.wide.u32 %rd3, %r1, 4;\n"
                                 "  add.s64 %rd3, %rd1, %rd3;\n"
                                 "  ld.global.f32 %f1, [%rd3];\n"
                                 "  setp.gt.f32 %p1, %f1, 0f00000000;\n"
                                 "  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;\n"
                                 "  and.b32 %r3, %r1, 31;\n"
                                 "  setp.ne.u32 %p2, %r3, 0;\n"
                                 "  @%p2 bra done;\n"
                                 "  shr.u32 %r4, %r1, 5;\n"
                                 "  mul.wide.u32 %rd4, %r4, 4;\n"
                                 "  add.s64 %rd4, %rd2, %rd4;\n"
                                 "  st.global.u32 [%rd4], %r2;\n"
                                 "done:\n"
                                 "  ret;\n"
                                 "}\n";

/* A module compiled for the device and made ready to run; NULL: the message was printed. */
static xlagpu_execution *ready(xlagpu_device *d, xlagpu_context *c, const char *name, const char *text, size_t size) {
    xlagpu_compile_desc desc = {0};
    xlagpu_module *m = xlagpu_parse(c, name, text, size);
    xlagpu_bytes exe = {0};
    xlagpu_program *p = NULL;
    xlagpu_execution *e = NULL;
    xlagpu_rt_target_desc(d, &desc.target);
    if (m) exe = xlagpu_compile(m, &desc);
    if (exe.data) p = xlagpu_rt_load(d, exe.data, exe.size);
    if (p) e = xlagpu_rt_prepare(p);
    if (!e) fprintf(stderr, "%s\n", exe.data ? xlagpu_rt_error(d) : xlagpu_error(c));
    return e;
}

int main(void) {
    float x[POINTS];
    uint32_t words[WORDS] = {0}, n = 0;
    xlagpu_buffer points, scores, packed, count;
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_device *d;
    xlagpu_execution *first, *second;
    xlagpu_ptx *kernel;
    xlagpu_ptx_launch launch = {0};
    uint64_t arguments[2];
    int i, bad = xlagpu_rt_open(NULL, &d);
    for (i = 0; i < POINTS; i++) x[i] = 0.1f * (float)i;
    bad = bad || xlagpu_rt_alloc(d, sizeof x, &points) || xlagpu_rt_alloc(d, sizeof x, &scores) ||
          xlagpu_rt_alloc(d, sizeof words, &packed) || xlagpu_rt_alloc(d, sizeof n, &count) ||
          xlagpu_rt_upload(d, points, x, sizeof x);
    first = bad ? NULL : ready(d, c, "scores", scores_hlo, sizeof scores_hlo - 1);
    second = bad ? NULL : ready(d, c, "count", count_hlo, sizeof count_hlo - 1);
    kernel = bad ? NULL : xlagpu_rt_load_ptx(d, "pack.ptx", kernel_ptx, sizeof kernel_ptx - 1);
    bad = bad || !first || !second || !kernel;
    if (!bad) {
        arguments[0] = scores.address;
        arguments[1] = packed.address;
        launch.entry = "pack";
        launch.block[0] = POINTS;
        launch.parameters = arguments;
        launch.parameter_bytes = sizeof arguments;
        bad = xlagpu_rt_execute(first, &points, &scores, NULL) || xlagpu_rt_run_ptx(kernel, &launch, NULL) ||
              xlagpu_rt_execute(second, &packed, &count, NULL) || xlagpu_rt_wait(d, NULL) ||
              xlagpu_rt_download(d, words, packed, sizeof words) || xlagpu_rt_download(d, &n, count, sizeof n);
    }
    if (bad) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(d));
    } else {
        for (i = 0; i < POINTS; i++) putchar(words[i / 32] >> (i % 32) & 1 ? '#' : '.');
        printf("\n%u of %d points have a score above 0\n", n, POINTS);
    }
    xlagpu_rt_close(d);
    xlagpu_destroy(c);
    return bad;
}
