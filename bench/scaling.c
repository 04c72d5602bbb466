/* bench/scaling.c -- how the compiler's time grows with the module: chains, trees, wide fan-outs, deep diamonds, stacks
 * of transformer blocks, loops, calls, constants, calls inside of calls, updates in place, wide tuples, concatenations,
 * optimisers, loops of much state and annotated lines of 1,000, 10,000 and 100,000 instructions, HLO text to executable
 * bytes, one core. Times are processor times, the least of a few.
 *
 *   scaling [MOST]              a table: time by size, and growth for ten times the size; MOST: the largest size
 *                               (100000)
 *   scaling --print SHAPE N     the module as text
 *   scaling --times N FILE...   files instead, each compiled N times: NAME <tab> least milliseconds
 *   scaling --gpu H100 --times N FILE...   ... for that GPU, or target; else for sm_90
 *
 * Linked with the compiler: cc bench/scaling.c build/compiler.o -lm. */
#include "../src/xlagpu.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct text {
    char *p;
    size_t n, cap;
} text;
static void put(text *t, const char *format, ...) {
    va_list args;
    int n;
    if (t->cap - t->n < 1024) {
        t->cap = t->cap * 2 + 65536;
        t->p = (char *)realloc(t->p, t->cap);
        if (!t->p) exit(1);
    }
    va_start(args, format);
    n = vsnprintf(t->p + t->n, t->cap - t->n, format, args);
    va_end(args);
    t->n += (size_t)n;
}

/* ---- modules of about n instructions ---- */

static const char *const words[] = {"add", "multiply", "maximum", "subtract"};

/* Each value reads the one before it. */
static void make_chain(text *t, int n) {
    int k;
    put(t, "ENTRY e {\n  v0 = f32[1024] parameter(0)\n  p = f32[1024] parameter(1)\n");
    for (k = 1; k < n; k++)
        put(t, "  %sv%d = f32[1024] %s(v%d, p)\n", k + 1 == n ? "ROOT " : "", k, words[k % 4], k - 1);
}
/* n/2 leaves, added up in pairs. */
static void make_tree(text *t, int n) {
    int k, leaves = n / 2;
    put(t, "ENTRY e {\n  p = f32[%d,256] parameter(0)\n", leaves);
    for (k = 0; k < leaves; k++) put(t, "  t%d = f32[1,256] slice(p), slice={[%d:%d], [0:256]}\n", k, k, k + 1);
    for (k = 0; k + 1 < leaves; k++)
        put(t, "  %st%d = f32[1,256] %s(t%d, t%d)\n", k + 2 == leaves ? "ROOT " : "", leaves + k, words[k % 2], 2 * k,
            2 * k + 1);
}
/* One value read by all others, of which one in ten is a result. */
static void make_fan(text *t, int n) {
    int k, results = n / 10;
    put(t, "ENTRY e {\n  p = f32[1024] parameter(0)\n  q = f32[1024] exponential(p)\n  r = f32[1024] negate(q)\n  v0 = "
           "f32[1024] tanh(r)\n");
    for (k = 1; k <= n - 5; k++)
        put(t, "  v%d = f32[1024] %s(%s%d, v0)\n", k, words[k % 4], "v", k <= results ? 0 : k - results);
    put(t, "  ROOT t = (");
    for (k = 0; k < results; k++) put(t, "%sf32[1024]", k ? ", " : "");
    put(t, ") tuple(");
    for (k = 0; k < results; k++) put(t, "%sv%d", k ? ", " : "", n - 5 - k);
    put(t, ")\n");
}
/* Each value is read twice by the next pair: 2^depth paths. */
static void make_diamond(text *t, int n) {
    int k;
    put(t, "ENTRY e {\n  v0 = f32[64,64] parameter(0)\n");
    for (k = 1; 3 * k < n; k++) {
        put(t, "  a%d = f32[64,64] %s(v%d, v%d)\n  b%d = f32[64,64] transpose(v%d), dimensions={1,0}\n", k,
            words[k % 4], k - 1, k - 1, k, k - 1);
        put(t, "  %sv%d = f32[64,64] %s(a%d, b%d)\n", 3 * (k + 1) >= n ? "ROOT " : "", k, words[(k + 1) % 4], k, k);
    }
}

/* Loops one behind the other, each with computations of its own. */
static void make_loops(text *t, int n) {
    int k, loops = n / 12;
    for (k = 0; k < loops; k++) {
        put(t,
            "more%d { s = (s32[], f32[256]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  last = s32[] "
            "constant(%d)\n  ROOT r = pred[] compare(i, last), direction=LT }\n",
            k, 200 + k);
        put(t,
            "body%d { s = (s32[], f32[256]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  x = f32[256] "
            "get-tuple-element(s), index=1\n  one = s32[] constant(1)\n",
            k);
        put(t, "  j = s32[] add(i, one)\n  y = f32[256] cosine(x)\n  ROOT r = (s32[], f32[256]) tuple(j, y) }\n");
    }
    put(t, "ENTRY e {\n  v0 = f32[256] parameter(0)\n  zero = s32[] constant(0)\n");
    for (k = 0; k < loops; k++) {
        put(t,
            "  t%d = (s32[], f32[256]) tuple(zero, v%d)\n  w%d = (s32[], f32[256]) while(t%d), condition=more%d, "
            "body=body%d\n",
            k, k, k, k, k, k);
        put(t, "  %sv%d = f32[256] get-tuple-element(w%d), index=1\n", k + 1 == loops ? "ROOT " : "", k + 1, k);
    }
}
/* Each value is what a function of its own makes of the one before. */
static void make_calls(text *t, int n) {
    int k, calls = n / 4;
    for (k = 0; k < calls; k++)
        put(t, "square%d { a = f32[256] parameter(0)\n  b = f32[256] multiply(a, a)\n  ROOT r = f32[256] add(b, a) }\n",
            k);
    put(t, "ENTRY e {\n  v0 = f32[256] parameter(0)\n");
    for (k = 0; k < calls; k++)
        put(t, "  %sv%d = f32[256] call(v%d), to_apply=square%d\n", k + 1 == calls ? "ROOT " : "", k + 1, k, k);
}
/* Array constants, no two alike. */
static void make_constants(text *t, int n) {
    int k, j, pairs = n / 2;
    put(t, "ENTRY e {\n  v0 = f32[8] parameter(0)\n");
    for (k = 0; k < pairs; k++) {
        put(t, "  k_%d = f32[8] constant({", k);
        for (j = 0; j < 8; j++) put(t, "%s%d", j ? ", " : "", 8 * k + j);
        put(t, "})\n  %sv%d = f32[8] add(v%d, k_%d)\n", k + 1 == pairs ? "ROOT " : "", k + 1, k, k);
    }
}

/* A normalisation: mean, variance, scale and shift; 16 instructions. */
static void put_norm(text *t, const char *name, const char *of) {
    put(t,
        "  %ss = f32[8,64] reduce(%s, zero), dimensions={2}, to_apply=sum\n  %sm = f32[8,64] multiply(%ss, per)\n  "
        "%smb = f32[8,64,128] broadcast(%sm), dimensions={0,1}\n",
        name, of, name, name, name, name);
    put(t,
        "  %sd = f32[8,64,128] subtract(%s, %smb)\n  %sq = f32[8,64,128] multiply(%sd, %sd)\n  %sv = f32[8,64] "
        "reduce(%sq, zero), dimensions={2}, to_apply=sum\n",
        name, of, name, name, name, name, name, name);
    put(t,
        "  %sw = f32[8,64] multiply(%sv, per)\n  %se = f32[8,64] add(%sw, eps)\n  %sr = f32[8,64] rsqrt(%se)\n  %srb = "
        "f32[8,64,128] broadcast(%sr), dimensions={0,1}\n",
        name, name, name, name, name, name, name, name);
    put(t, "  %sx = f32[8,64,128] multiply(%sd, %srb)\n", name, name, name);
    put(t, "  %sy = f32[8,64,128] multiply(%sx, gain)\n  %s = f32[8,64,128] add(%sy, shift)\n", name, name, name, name);
}
/* out = in . weights + in's bias */
static void put_dense(text *t, const char *out, const char *in, int to, const char *weights) {
    put(t,
        "  %sp = f32[8,64,%d] dot(%s, %s), lhs_contracting_dims={2}, rhs_contracting_dims={0}\n  %sb = f32[8,64,%d] "
        "broadcast(bias%d), dimensions={2}\n  %s = f32[8,64,%d] add(%sp, %sb)\n",
        out, to, in, weights, out, to, to, out, to, out, out);
}
/* Attention and feed-forward of 4 heads; the weights are those of every block, so that the number of parameters
 * stays. */
static int put_block(text *t, int b) {
    static const char qkv[] = "qkv";
    char name[32], in[32], other[32];
    size_t before = t->n, k;
    int lines = 0;
    const char *c;
    sprintf(in, "h%d", b);
    sprintf(name, "n%d_", b);
    put_norm(t, name, in);
    for (c = qkv; *c; c++) {
        sprintf(other, "%c%d_", *c, b);
        sprintf(in, "w%c", *c);
        put_dense(t, other, name, 128, in);
        put(t, "  %sr = f32[8,64,4,32] reshape(%s)\n  %st = f32[8,4,64,32] transpose(%sr), dimensions={0,2,1,3}\n",
            other, other, other, other);
    }
    put(t,
        "  qk%d = f32[8,4,64,64] dot(q%d_t, k%d_t), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
        "lhs_contracting_dims={3}, rhs_contracting_dims={3}\n",
        b, b, b);
    put(t, "  sc%d = f32[8,4,64,64] multiply(qk%d, scale)\n  sm%d = f32[8,4,64,64] select(mask, sc%d, low)\n", b, b, b,
        b);
    put(t,
        "  mx%d = f32[8,4,64] reduce(sm%d, lowest), dimensions={3}, to_apply=most\n  mxb%d = f32[8,4,64,64] "
        "broadcast(mx%d), dimensions={0,1,2}\n",
        b, b, b, b);
    put(t, "  df%d = f32[8,4,64,64] subtract(sm%d, mxb%d)\n  ex%d = f32[8,4,64,64] exponential(df%d)\n", b, b, b, b, b);
    put(t,
        "  sum%d = f32[8,4,64] reduce(ex%d, zero), dimensions={3}, to_apply=sum\n  sb%d = f32[8,4,64,64] "
        "broadcast(sum%d), dimensions={0,1,2}\n  pr%d = f32[8,4,64,64] divide(ex%d, sb%d)\n",
        b, b, b, b, b, b, b);
    put(t,
        "  at%d = f32[8,4,64,32] dot(pr%d, v%d_t), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, "
        "lhs_contracting_dims={3}, rhs_contracting_dims={2}\n",
        b, b, b);
    put(t, "  att%d = f32[8,64,4,32] transpose(at%d), dimensions={0,2,1,3}\n  atr%d = f32[8,64,128] reshape(att%d)\n",
        b, b, b, b);
    sprintf(name, "o%d_", b);
    sprintf(in, "atr%d", b);
    put_dense(t, name, in, 128, "wo");
    put(t, "  g%d = f32[8,64,128] add(h%d, o%d_)\n", b, b, b);
    sprintf(name, "m%d_", b);
    sprintf(in, "g%d", b);
    put_norm(t, name, in);
    sprintf(other, "u%d_", b);
    put_dense(t, other, name, 512, "wu");
    put(t,
        "  u%da = f32[8,64,512] multiply(u%d_, half)\n  u%dc = f32[8,64,512] multiply(u%d_, root)\n  u%de = "
        "f32[8,64,512] erf(u%dc)\n  u%df = f32[8,64,512] add(u%de, one)\n  u%dg = f32[8,64,512] multiply(u%da, u%df)\n",
        b, b, b, b, b, b, b, b, b, b, b);
    sprintf(name, "f%d_", b);
    sprintf(in, "u%dg", b);
    put_dense(t, name, in, 128, "wd");
    put(t, "  h%d = f32[8,64,128] add(g%d, f%d_)\n", b + 1, b, b);
    for (k = before; k < t->n; k++) lines += t->p[k] == '\n';
    return lines;
}
static void make_transformer(text *t, int n) {
    int b = 0, made = 40;
    put(t, "sum { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }\nmost { a = f32[] "
           "parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] maximum(a, b) }\n");
    put(t, "ENTRY e {\n  h0 = f32[8,64,128] parameter(0)\n  wq = f32[128,128] parameter(1)\n  wk = f32[128,128] "
           "parameter(2)\n  wv = f32[128,128] parameter(3)\n  wo = f32[128,128] parameter(4)\n");
    put(t, "  wu = f32[128,512] parameter(5)\n  wd = f32[512,128] parameter(6)\n  bias128 = f32[128] parameter(7)\n  "
           "bias512 = f32[512] parameter(8)\n  g = f32[128] parameter(9)\n  gain = f32[8,64,128] broadcast(g), "
           "dimensions={2}\n");
    put(t, "  sh = f32[128] parameter(10)\n  shift = f32[8,64,128] broadcast(sh), dimensions={2}\n  zero = f32[] "
           "constant(0)\n  lowest = f32[] constant(-inf)\n");
    put(t, "  c0 = f32[] constant(0.0078125)\n  per = f32[8,64] broadcast(c0), dimensions={}\n  c1 = f32[] "
           "constant(1e-5)\n  eps = f32[8,64] broadcast(c1), dimensions={}\n");
    put(t, "  c2 = f32[] constant(0.17677669)\n  scale = f32[8,4,64,64] broadcast(c2), dimensions={}\n  c3 = f32[] "
           "constant(-1e9)\n  low = f32[8,4,64,64] broadcast(c3), dimensions={}\n");
    put(t, "  i0 = s32[64,64] iota(), iota_dimension=0\n  i1 = s32[64,64] iota(), iota_dimension=1\n  le = pred[64,64] "
           "compare(i1, i0), direction=LE\n  mask = pred[8,4,64,64] broadcast(le), dimensions={2,3}\n");
    put(t, "  c4 = f32[] constant(0.5)\n  half = f32[8,64,512] broadcast(c4), dimensions={}\n  c5 = f32[] "
           "constant(0.70710678)\n  root = f32[8,64,512] broadcast(c5), dimensions={}\n  c6 = f32[] constant(1)\n  one "
           "= f32[8,64,512] broadcast(c6), dimensions={}\n");
    while (made < n) made += put_block(t, b++);
    put(t, "  ROOT out = f32[8,64,128] negate(h%d)\n", b);
}

/* Calls inside of calls, up to a thousand deep, one tower after the other; the last one is of what is left. */
static int tower(int n, int i) {
    int deep = n / 10 < 1000 ? n / 10 : 1000, left = n / 3 - i * deep;
    return left < deep ? left : deep;
}
static void make_nested(text *t, int n) {
    int deep, k, i;
    for (i = 0; (deep = tower(n, i)) > 0; i++) {
        put(t, "fn%d_0 {\n  a = f32[1024] parameter(0)\n  ROOT r = f32[1024] negate(a)\n}\n", i);
        for (k = 1; k < deep; k++)
            put(t,
                "fn%d_%d {\n  a = f32[1024] parameter(0)\n  b = f32[1024] %s(a, a)\n  ROOT r = f32[1024] call(b), "
                "to_apply=fn%d_%d\n}\n",
                i, k, words[k % 4], i, k - 1);
    }
    put(t, "ENTRY e {\n  v0 = f32[1024] parameter(0)\n");
    for (i = 0; (deep = tower(n, i)) > 0; i++)
        put(t, "  %sv%d = f32[1024] call(v%d), to_apply=fn%d_%d\n", tower(n, i + 1) > 0 ? "" : "ROOT ", i + 1, i, i,
            deep - 1);
}
/* One array, of which slice after slice is written anew with what ten operations make. */
static void make_updates(text *t, int n) {
    int k, j;
    put(t, "ENTRY e {\n  v0 = f32[1024,64] parameter(0)\n  x0 = f32[1,64] parameter(1)\n  z = s32[] constant(0)\n");
    for (k = 0; 12 * k < n; k++) {
        for (j = 10 * k; j < 10 * k + 10; j++) put(t, "  x%d = f32[1,64] %s(x%d, x0)\n", j + 1, words[j % 4], j);
        put(t, "  i%d = s32[] constant(%d)\n  %sv%d = f32[1024,64] dynamic-update-slice(v%d, x%d, i%d, z)\n", k,
            k * 7 % 1024, 12 * k + 12 < n ? "" : "ROOT ", k + 1, k, j, k);
    }
}
/* A tuple of n/3 arrays comes in, each is changed, and such a tuple goes out. */
static void make_tuples(text *t, int n) {
    int k, elems = n / 3;
    put(t, "ENTRY e {\n  p = (");
    for (k = 0; k < elems; k++) put(t, "%sf32[1024]", k ? ", " : "");
    put(t, ") parameter(0)\n");
    for (k = 0; k < elems; k++)
        put(t, "  g%d = f32[1024] get-tuple-element(p), index=%d\n  v%d = f32[1024] negate(g%d)\n", k, k, k, k);
    put(t, "  ROOT t = (");
    for (k = 0; k < elems; k++) put(t, "%sf32[1024]", k ? ", " : "");
    put(t, ") tuple(");
    for (k = 0; k < elems; k++) put(t, "%sv%d", k ? ", " : "", k);
    put(t, ")\n");
}
/* n/2 arrays laid one behind the other, as what flattens all gradients of a model has them. */
static void make_concat(text *t, int n) {
    int k, parts = n / 2;
    put(t, "ENTRY e {\n");
    for (k = 0; k < parts; k++) put(t, "  p%d = f32[8,8] parameter(%d)\n  v%d = f32[64] reshape(p%d)\n", k, k, k, k);
    put(t, "  ROOT c = f32[%d] concatenate(", 64 * parts);
    for (k = 0; k < parts; k++) put(t, "%sv%d", k ? ", " : "", k);
    put(t, "), dimensions={0}\n");
}

/* What an optimiser does: four parameters for each weight, twelve operations, three results, and all results in one
 * tuple. */
static void make_optimizer(text *t, int n) {
    int k, weights = n / 16;
    static const char all[] = "f32[32,16]";
    put(t, "ENTRY e {\n  rate = f32[] parameter(0)\n  one = f32[] constant(0.9)\n  two = f32[] constant(0.999)\n  low "
           "= f32[] constant(1e-8)\n");
    put(t,
        "  r = %s broadcast(rate), dimensions={}\n  b = %s broadcast(one), dimensions={}\n  c = %s broadcast(two), "
        "dimensions={}\n  eps = %s broadcast(low), dimensions={}\n",
        all, all, all, all);
    for (k = 0; k < weights; k++) {
        put(t,
            "  w%d = %s parameter(%d)\n  g%d = %s parameter(%d)\n  m%d = %s parameter(%d)\n  v%d = %s parameter(%d)\n",
            k, all, 4 * k + 1, k, all, 4 * k + 2, k, all, 4 * k + 3, k, all, 4 * k + 4);
        put(t, "  ma%d = %s multiply(m%d, b)\n  mb%d = %s subtract(g%d, ma%d)\n  mn%d = %s add(ma%d, mb%d)\n", k, all,
            k, k, all, k, k, k, all, k, k);
        put(t,
            "  gg%d = %s multiply(g%d, g%d)\n  va%d = %s multiply(v%d, c)\n  vb%d = %s subtract(gg%d, va%d)\n  vn%d = "
            "%s add(va%d, vb%d)\n",
            k, all, k, k, k, all, k, k, all, k, k, k, all, k, k);
        put(t,
            "  sq%d = %s sqrt(vn%d)\n  de%d = %s add(sq%d, eps)\n  up%d = %s divide(mn%d, de%d)\n  st%d = %s "
            "multiply(up%d, r)\n  wn%d = %s subtract(w%d, st%d)\n",
            k, all, k, k, all, k, k, all, k, k, k, all, k, k, all, k, k);
    }
    put(t, "  ROOT t = (");
    for (k = 0; k < 3 * weights; k++) put(t, "%s%s", k ? ", " : "", all);
    put(t, ") tuple(");
    for (k = 0; k < weights; k++) put(t, "%swn%d, mn%d, vn%d", k ? ", " : "", k, k, k);
    put(t, ")\n");
}
/* One loop that carries n/4 arrays. */
static void put_state(text *t, int arrays) {
    int k;
    put(t, "(s32[]");
    for (k = 0; k < arrays; k++) put(t, ", f32[64]");
    put(t, ")");
}
static void make_state(text *t, int n) {
    int k, arrays = n / 4;
    put(t, "more {\n  s = ");
    put_state(t, arrays);
    put(t, " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  last = s32[] constant(100)\n  ROOT r = pred[] "
           "compare(i, last), direction=LT\n}\nbody {\n  s = ");
    put_state(t, arrays);
    put(t, " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n  j = s32[] add(i, "
           "one)\n");
    for (k = 0; k < arrays; k++)
        put(t, "  x%d = f32[64] get-tuple-element(s), index=%d\n  y%d = f32[64] cosine(x%d)\n", k, k + 1, k, k);
    put(t, "  ROOT r = ");
    put_state(t, arrays);
    put(t, " tuple(j");
    for (k = 0; k < arrays; k++) put(t, ", y%d", k);
    put(t, ")\n}\nENTRY e {\n  zero = s32[] constant(0)\n");
    for (k = 0; k < arrays; k++) put(t, "  p%d = f32[64] parameter(%d)\n", k, k);
    put(t, "  t = ");
    put_state(t, arrays);
    put(t, " tuple(zero");
    for (k = 0; k < arrays; k++) put(t, ", p%d", k);
    put(t, ")\n  ROOT w = ");
    put_state(t, arrays);
    put(t, " while(t), condition=more, body=body\n");
}
/* A chain whose every line says at length where it comes from. */
static void make_annotated(text *t, int n) {
    int k;
    put(t, "ENTRY e {\n  v0 = f32[1024] parameter(0)\n  p = f32[1024] parameter(1)\n");
    for (k = 1; k < n; k++) {
        put(t,
            "  %sv%d = f32[1024] %s(v%d, p), metadata={op_type=\"mul\" "
            "op_name=\"jit(train_step)/jit(main)/transpose(jvp(Transformer))/layers_%d/attention/query/"
            "mul[precision=None preferred_element_type=float32]\" ",
            k + 1 == n ? "ROOT " : "", k, words[k % 4], k - 1, k / 100);
        put(t,
            "source_file=\"/home/somebody/projects/models/transformer/layers/attention/multi_head_attention.py\" "
            "source_line=%d}, frontend_attributes={sharding=\"[<@mesh, [{\\\"data\\\"}, {}]>]\",stage=\"%d\"}, ",
            k % 1000, k / 1000);
        put(t,
            "backend_config={\"operation_queue_id\":\"0\",\"wait_on_operation_queues\":[],\"reification_cost\":[]}\n");
    }
}

typedef struct shape {
    const char *name;
    void (*make)(text *t, int n);
} shape;
static const shape shapes[] = {{"transformer", make_transformer}, {"chain", make_chain}, {"tree", make_tree},
    {"fan-out", make_fan}, {"diamond", make_diamond}, {"loops", make_loops}, {"calls", make_calls},
    {"constants", make_constants}, {"nested calls", make_nested}, {"updates", make_updates}, {"tuples", make_tuples},
    {"concatenate", make_concat}, {"optimizer", make_optimizer}, {"loop state", make_state},
    {"annotated", make_annotated}};
enum {
    SHAPES = sizeof shapes / sizeof shapes[0]
};

static text make(const shape *s, int n) {
    text t = {NULL, 0, 0};
    put(&t, "HloModule m\n");
    s->make(&t, n);
    put(&t, "}\n");
    return t;
}

/* ---- times ---- */

/* Processor milliseconds from text to bytes; negative when it failed. */
static double compile_once(const char *gpu, const char *name, const char *p, size_t n, xlagpu_report *r) {
    clock_t start = clock();
    xlagpu_context *c = xlagpu_create(NULL);
    xlagpu_module *m = xlagpu_parse(c, name, p, n);
    xlagpu_compile_desc d;
    double ms;
    bool ok;
    memset(&d, 0, sizeof d);
    memset(r, 0, sizeof *r);
    ok = m && xlagpu_target_describe(gpu, &d.target) && xlagpu_compile(m, &d).data && xlagpu_compile_report(m, r);
    ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
    if (!ok) fprintf(stderr, "%s\n", xlagpu_error(c));
    xlagpu_module_destroy(m);
    xlagpu_destroy(c);
    return ok ? ms : -1;
}
static double compile_least(const char *gpu, const char *name, const char *p, size_t n, int times, xlagpu_report *r) {
    double least = -1, ms;
    while (times-- > 0) {
        ms = compile_once(gpu, name, p, n, r);
        if (ms < 0) return ms;
        if (least < 0 || ms < least) least = ms;
    }
    return least;
}

static int time_files(const char *gpu, int times, char **files, int n) {
    xlagpu_target_desc known;
    int k, failed = 0;
    if (!xlagpu_target_describe(gpu, &known)) {
        fprintf(stderr, "%s: no such GPU or target\n", gpu);
        return 2;
    }
    for (k = 0; k < n; k++) {
        text t = {NULL, 0, 0};
        FILE *f = fopen(files[k], "rb");
        xlagpu_report r;
        double ms;
        size_t got;
        if (!f) {
            fprintf(stderr, "%s: cannot be read\n", files[k]);
            failed = 1;
            continue;
        }
        do {
            t.cap = t.cap * 2 + 65536;
            t.p = (char *)realloc(t.p, t.cap);
            if (!t.p) exit(1);
            got = fread(t.p + t.n, 1, t.cap - t.n, f);
            t.n += got;
        } while (got);
        fclose(f);
        ms = compile_least(gpu, files[k], t.p, t.n, times, &r);
        failed |= ms < 0;
        printf("%s\t%.3f\n", files[k], ms);
        free(t.p);
    }
    return failed;
}

static int table(int most) {
    int k, n, failed = 0;
    printf("shape\tinstructions\tms\tkernels\tptx_lines\tgrowth\n");
    for (k = 0; k < SHAPES; k++) {
        double last = 0;
        for (n = 1000; n <= most; n *= 10) {
            text t = make(&shapes[k], n);
            xlagpu_report r;
            double ms = compile_least("sm_90", shapes[k].name, t.p, t.n, n >= 10000 ? 3 : 5, &r);
            failed |= ms < 0;
            printf("%s\t%d\t%.2f\t%u\t%u\t", shapes[k].name, n, ms, r.kernels, r.instructions);
            if (last > 0)
                printf("%.1f\n", ms / last);
            else
                printf("-\n");
            fflush(stdout);
            last = ms;
            free(t.p);
        }
    }
    return failed;
}

int main(int argc, char **argv) {
    int k;
    if (argc == 4 && strcmp(argv[1], "--print") == 0) {
        for (k = 0; k < SHAPES; k++)
            if (strcmp(argv[2], shapes[k].name) == 0) {
                text t = make(&shapes[k], atoi(argv[3]));
                fwrite(t.p, 1, t.n, stdout);
                return 0;
            }
        return 2;
    }
    if (argc > 3 && strcmp(argv[1], "--times") == 0) return time_files("sm_90", atoi(argv[2]), argv + 3, argc - 3);
    if (argc > 5 && strcmp(argv[1], "--gpu") == 0 && strcmp(argv[3], "--times") == 0)
        return time_files(argv[2], atoi(argv[4]), argv + 5, argc - 5);
    return table(argc > 1 ? atoi(argv[1]) : 100000);
}
