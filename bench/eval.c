/* bench/eval.c -- how long the reference evaluator takes: the best of three runs of a few modules with made-up
 * arguments, in seconds.
 *
 *     cc -O2 bench/eval.c -o build/bench_eval -lm && build/bench_eval */
#define XLAGPU_IMPLEMENTATION
#ifndef BENCH_ROOMS
#include "../src/xlagpu.h"
#endif
#include <stdio.h>
#include <time.h>

typedef struct bench_row {
    const char *name;
    double goal;
    const char *text;
} bench_row;
static const bench_row rows[] = {
    {"gelu bf16[6,512,4096]", 0.6,
        "HloModule gelu\nENTRY e {\n  x = bf16[6,512,4096] parameter(0)\n  k = bf16[] constant(0.044715)\n  kb = "
        "bf16[6,512,4096] broadcast(k), dimensions={}\n  s = bf16[] constant(0.797885)\n"
        "  sb = bf16[6,512,4096] broadcast(s), dimensions={}\n  o = bf16[] constant(1)\n  ob = bf16[6,512,4096] "
        "broadcast(o), dimensions={}\n  h = bf16[] constant(0.5)\n  hb = bf16[6,512,4096] broadcast(h), dimensions={}\n"
        "  x2 = bf16[6,512,4096] multiply(x, x)\n  x3 = bf16[6,512,4096] multiply(x2, x)\n  a = bf16[6,512,4096] "
        "multiply(x3, kb)\n  b = bf16[6,512,4096] add(x, a)\n  c = bf16[6,512,4096] multiply(b, sb)\n"
        "  t = bf16[6,512,4096] tanh(c)\n  u = bf16[6,512,4096] add(t, ob)\n  v = bf16[6,512,4096] multiply(u, hb)\n  "
        "ROOT r = bf16[6,512,4096] multiply(x, v)\n}\n"},
    {"dot f32 1024 x 1024 x 1024", 1.0,
        "HloModule dot\nENTRY e {\n  a = f32[1024,1024] parameter(0)\n  b = f32[1024,1024] parameter(1)\n  ROOT r = "
        "f32[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"},
    {"dot bf16 1024 x 1024 x 1024", 1.0,
        "HloModule dot\nENTRY e {\n  a = bf16[1024,1024] parameter(0)\n  b = bf16[1024,1024] parameter(1)\n  ROOT r = "
        "bf16[1024,1024] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"},
    {"convolution (8,56,56,64) x (3,3,64,64)", 2.0,
        "HloModule conv\nENTRY e {\n  a = f32[8,56,56,64] parameter(0)\n  b = f32[3,3,64,64] parameter(1)\n  ROOT r = "
        "f32[8,56,56,64] convolution(a, b), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n}\n"},
    {"softmax f32[4096,1024]", 0.6,
        "HloModule softmax\nmax {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, "
        "b)\n}\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
        "ENTRY e {\n  x = f32[4096,1024] parameter(0)\n  l = f32[] constant(-inf)\n  m = f32[4096] reduce(x, l), "
        "dimensions={1}, to_apply=max\n  mb = f32[4096,1024] broadcast(m), dimensions={0}\n  d = f32[4096,1024] "
        "subtract(x, mb)\n"
        "  e = f32[4096,1024] exponential(d)\n  z = f32[] constant(0)\n  s = f32[4096] reduce(e, z), dimensions={1}, "
        "to_apply=add\n  sb = f32[4096,1024] broadcast(s), dimensions={0}\n  ROOT r = f32[4096,1024] divide(e, "
        "sb)\n}\n"},
    {"sort f32[1000000]", 2.0,
        "HloModule sort\nlt {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), "
        "direction=LT\n}\nENTRY e {\n  x = f32[1000000] parameter(0)\n  ROOT r = f32[1000000] sort(x), dimensions={0}, "
        "to_apply=lt\n}\n"},
    {"transpose f32[64,512,256]", 0.2,
        "HloModule transpose\nENTRY e {\n  x = f32[64,512,256] parameter(0)\n  ROOT r = f32[256,64,512] transpose(x), "
        "dimensions={2,0,1}\n}\n"},
    {"loop of 100000 dynamic-update-slices", 0.5,
        "HloModule loop\ncond {\n  s = (s32[], f32[1024]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n "
        "= s32[] constant(100000)\n  ROOT r = pred[] compare(i, n), direction=LT\n}\n"
        "body {\n  s = (s32[], f32[1024]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  x = f32[1024] "
        "get-tuple-element(s), index=1\n  o = s32[] constant(1)\n  j = s32[] add(i, o)\n  m = s32[] constant(1023)\n  "
        "k = s32[] and(i, m)\n"
        "  v = f32[1] dynamic-slice(x, k), dynamic_slice_sizes={1}\n  w = f32[1] add(v, v)\n  y = f32[1024] "
        "dynamic-update-slice(x, w, k)\n  ROOT r = (s32[], f32[1024]) tuple(j, y)\n}\n"
        "ENTRY e {\n  x = f32[1024] parameter(0)\n  z = s32[] constant(0)\n  t = (s32[], f32[1024]) tuple(z, x)\n  w = "
        "(s32[], f32[1024]) while(t), condition=cond, body=body\n  ROOT r = f32[1024] get-tuple-element(w), "
        "index=1\n}\n"},
};

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double run(const bench_row *row) {
    xg_ctx c;
    xg_arena a;
    xg_source src;
    jmp_buf here;
    double best = -1;
    xg_ctx_init(&c, NULL, 0);
    xg_arena_init(&a, &c);
    src.name = row->name;
    src.text = row->text;
    src.size = strlen(row->text);
    if (setjmp(here) == 0) {
        jmp_buf *outer = xg_try(&c, &here);
        xg_module *m = xg_hlo_parse(&c, &a, &src);
        const xg_literal **args = XG_NEW_N(&a, const xg_literal *, m->entry->n_params);
        uint32_t k;
        for (k = 0; k < m->entry->n_params; k++) {
            xg_literal *l = xg_literal_new(&a, m->entry->params[k]->shape);
            xg_literal_fill(l, k + 1);
            args[k] = l;
        }
        for (k = 0; k < 3; k++) {
            xg_mark mark = xg_arena_mark(&a);
            double start = seconds(), took;
            (void)xg_eval_module(m, &a, args, m->entry->n_params, NULL);
            took = seconds() - start;
            if (best < 0 || took < best) best = took;
            xg_arena_reset(&a, mark);
        }
        xg_end(&c, outer);
    } else
        printf("%s\n", c.message);
    xg_arena_free(&a);
    return best;
}

int main(void) {
    size_t k;
    printf("%-42s %8s %8s\n", "module", "seconds", "goal");
    for (k = 0; k < XG_COUNT(rows); k++) printf("%-42s %8.3f %8.1f\n", rows[k].name, run(&rows[k]), rows[k].goal);
    return 0;
}
