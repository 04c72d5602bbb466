/* hlo/foreign.c -- what numpy, C, PyTorch, StableHLO and others call element types and operations: the parser knows the
 * words that people bring along, and its hints say what HLO has for them. */
#ifndef XG_HLO_FOREIGN_C
#define XG_HLO_FOREIGN_C
#include "text.h"

/* clang-format off */
/* X(word, what to write) */
#define XG_FOREIGN_TYPES(X) \
    X("bool", "pred") X("boolean", "pred") X("i1", "pred") X("bit", "pred") \
    X("int4", "s4") X("int8", "s8") X("int16", "s16") X("int32", "s32") X("int64", "s64") \
    X("i4", "s4") X("i8", "s8") X("i16", "s16") X("i32", "s32") X("i64", "s64") \
    X("char", "s8") X("short", "s16") X("int", "s32") X("long", "s64") X("index", "s64") \
    X("uint4", "u4") X("uint8", "u8") X("uint16", "u16") X("uint32", "u32") X("uint64", "u64") \
    X("ui4", "u4") X("ui8", "u8") X("ui16", "u16") X("ui32", "u32") X("ui64", "u64") \
    X("byte", "u8") X("uint", "u32") X("unsigned", "u32") \
    X("half", "f16") X("float16", "f16") X("fp16", "f16") X("bfloat16", "bf16") X("bfloat", "bf16") \
    X("float", "f32") X("float32", "f32") X("fp32", "f32") X("tf32", "f32") X("real", "f32") \
    X("double", "f64") X("float64", "f64") X("fp64", "f64") \
    X("fp8", "f8e4m3fn") X("e4m3", "f8e4m3fn") X("f8E4M3FN", "f8e4m3fn") X("float8_e4m3fn", "f8e4m3fn") \
    X("e5m2", "f8e5m2") X("f8E5M2", "f8e5m2") X("float8_e5m2", "f8e5m2") X("fp4", "f4e2m1fn") \
    X("complex", "c64") X("complex64", "c64") X("complex128", "c128")

/* X(word, what to write) */
#define XG_FOREIGN_OPS(X) \
    X("neg", "negate") X("minus", "negate") X("sub", "subtract") X("mul", "multiply") X("div", "divide") \
    X("mod", "remainder") X("rem", "remainder") X("pow", "power") X("exp", "exponential") X("sin", "sine") \
    X("cos", "cosine") X("expm1", "exponential-minus-one") X("log1p", "log-plus-one") X("sigmoid", "logistic") \
    X("max", "maximum") X("min", "minimum") X("where", "select") X("cond", "conditional") X("if", "conditional") \
    X("eq", "compare with direction=EQ") X("lt", "compare with direction=LT") X("gt", "compare with direction=GT") \
    X("cast", "convert") X("astype", "convert") X("view", "bitcast-convert") X("concat", "concatenate") \
    X("permute", "transpose") X("flip", "reverse") X("take", "gather") X("index", "gather") X("arange", "iota") \
    X("expand", "broadcast") X("broadcast_in_dim", "broadcast with dimensions={...}") \
    X("dynamic_slice", "dynamic-slice") X("dynamic_update_slice", "dynamic-update-slice") \
    X("matmul", "dot with lhs_contracting_dims and rhs_contracting_dims") \
    X("mm", "dot with lhs_contracting_dims and rhs_contracting_dims") \
    X("gemm", "dot with lhs_contracting_dims and rhs_contracting_dims") \
    X("einsum", "dot with lhs_contracting_dims and rhs_contracting_dims") \
    X("dot_general", "dot with lhs_batch_dims and lhs_contracting_dims") \
    X("conv", "convolution with dim_labels") X("conv2d", "convolution with dim_labels") \
    X("sum", "reduce with to_apply, a computation that adds") \
    X("mean", "reduce, then divide by the number of elements") \
    X("max_pool", "reduce-window with to_apply, a computation of maximum") X("cumsum", "reduce-window, or scan") \
    X("relu", "maximum with a broadcast of constant(0)") X("gelu", "multiply, erf and add") \
    X("softmax", "exponential, reduce, broadcast and divide") X("square", "multiply of a value by itself") \
    X("return", "ROOT in front of the name of the result") X("for", "while") X("argmax", "reduce of values and places")
/* clang-format on */

typedef struct xg_foreign_word {
    const char *word, *here;
} xg_foreign_word;

XG_FN const char *xg_foreign_find(const xg_foreign_word *rows, size_t n, xg_str word) {
    size_t k;
    for (k = 0; k < n; k++)
        if (xg_str_is(word, rows[k].word)) return rows[k].here;
    return NULL;
}
XG_FN const char *xg_foreign_type(xg_str word) {
    static const xg_foreign_word rows[] = {
#define X(word, here) {word, here},
        XG_FOREIGN_TYPES(X)
#undef X
    };
    return xg_foreign_find(rows, XG_COUNT(rows), word);
}
XG_FN const char *xg_foreign_op(xg_str word) {
    static const xg_foreign_word rows[] = {
#define X(word, here) {word, here},
        XG_FOREIGN_OPS(X)
#undef X
    };
    return xg_foreign_find(rows, XG_COUNT(rows), word);
}

/* The word in small letters, without a dialect in front: "stablehlo.ADD" is add. */
XG_FN xg_str xg_foreign_plain(xg_arena *a, xg_str word) {
    char *text;
    uint32_t k, from = 0;
    for (k = 0; k < word.n; k++)
        if (word.p[k] == '.' && k + 1 < word.n) from = k + 1;
    text = (char *)xg_alloc_raw(a, (size_t)word.n - from + 1);
    for (k = from; k < word.n; k++)
        text[k - from] = (char)(word.p[k] >= 'A' && word.p[k] <= 'Z' ? word.p[k] - 'A' + 'a' : word.p[k]);
    text[word.n - from] = 0;
    return xg_str_of(text, (size_t)word.n - from);
}
/* "write f32", for a word that is another name of what HLO has; NULL. */
XG_FN const char *xg_foreign_hint(xg_arena *a, xg_str word, const char *(*named)(xg_str), bool is_here) {
    xg_str plain = xg_foreign_plain(a, word);
    const char *here = named(word);
    xg_buf b;
    if (!here) here = named(plain);
    if (!here && is_here) here = plain.p;
    if (!here) return NULL;
    xg_buf_init(&b, a);
    xg_printf(&b, "write %s", here);
    return b.p;
}

#endif /* XG_HLO_FOREIGN_C */
