/* hlo/foreign.c -- what numpy, C, PyTorch, StableHLO and others call element types and operations: the parser knows the
 * words that people bring along, and its hints say what HLO has for them. */
#ifndef XG_HLO_FOREIGN_C
#define XG_HLO_FOREIGN_C
#include "text.h"

/* What to write: the words for it; and so on. One text, since a table of pointers takes more than its words. */
XG_TABLE const char xg_foreign_types[] =
    "pred: bool boolean i1 bit; s4: int4 i4; s8: int8 i8 char; s16: int16 i16 short; s32: int32 i32 int; "
    "s64: int64 i64 long index; u4: uint4 ui4; u8: uint8 ui8 byte; u16: uint16 ui16; "
    "u32: uint32 ui32 uint unsigned; u64: uint64 ui64; f16: half float16 fp16; bf16: bfloat16 bfloat; "
    "f32: float float32 fp32 tf32 real; f64: double float64 fp64; f8e4m3fn: fp8 e4m3 f8E4M3FN float8_e4m3fn; "
    "f8e5m2: e5m2 f8E5M2 float8_e5m2; f4e2m1fn: fp4; c64: complex complex64; c128: complex128";
/* The same of operations. */
XG_TABLE const char xg_foreign_ops[] =
    "negate: neg minus; subtract: sub; multiply: mul; divide: div; remainder: mod rem; power: pow; "
    "exponential: exp; sine: sin; cosine: cos; exponential-minus-one: expm1; log-plus-one: log1p; "
    "logistic: sigmoid; maximum: max; minimum: min; select: where; conditional: cond if; "
    "compare with direction=EQ: eq; compare with direction=LT: lt; compare with direction=GT: gt; "
    "convert: cast astype; bitcast-convert: view; concatenate: concat; transpose: permute; reverse: flip; "
    "gather: take index; iota: arange; broadcast: expand; broadcast with dimensions={...}: broadcast_in_dim; "
    "dynamic-slice: dynamic_slice; dynamic-update-slice: dynamic_update_slice; "
    "dot with lhs_contracting_dims and rhs_contracting_dims: matmul mm gemm einsum; "
    "dot with lhs_batch_dims and lhs_contracting_dims: dot_general; convolution with dim_labels: conv conv2d; "
    "reduce with to_apply, a computation that adds: sum; reduce, then divide by the number of elements: mean; "
    "reduce-window with to_apply, a computation of maximum: max_pool; reduce-window, or scan: cumsum; "
    "maximum with a broadcast of constant(0): relu; multiply, erf and add: gelu; "
    "exponential, reduce, broadcast and divide: softmax; multiply of a value by itself: square; "
    "ROOT in front of the name of the result: return; while: for; reduce of values and places: argmax";

/* What stands in front of the words among which this one is; NULL: it is in none. */
XG_FN const char *xg_foreign_find(xg_arena *a, const char *lists, xg_str word) {
    for (;;) {
        size_t n = strcspn(lists, ":"), all = strcspn(lists, ";"), at, length;
        for (at = n + 2; at < all; at += length + 1) {
            length = strcspn(lists + at, " ;");
            if (word.n == length && memcmp(lists + at, word.p, length) == 0)
                return xg_str_copy(a, xg_str_of(lists, n)).p;
        }
        if (!lists[all]) return NULL;
        lists += all + 2;
    }
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
XG_FN const char *xg_foreign_hint(xg_arena *a, xg_str word, const char *lists, bool is_here) {
    xg_str plain = xg_foreign_plain(a, word);
    const char *here = xg_foreign_find(a, lists, word);
    xg_buf b;
    if (!here) here = xg_foreign_find(a, lists, plain);
    if (!here && is_here) here = plain.p;
    if (!here) return NULL;
    xg_buf_init(&b, a);
    xg_printf(&b, "write %s", here);
    return b.p;
}

#endif /* XG_HLO_FOREIGN_C */
