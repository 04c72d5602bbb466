/* hlo/verify_attr.c -- the values that attributes may have, as far as no shape rule looks at them.
 *
 * Words are one table: attribute, the opcodes it is about (an opcode, or ANY), and the words. Whether an opcode may
 * carry an attribute at all, and whether it must, is said by the opcode table. */
#ifndef XG_HLO_VERIFY_ATTR_C
#define XG_HLO_VERIFY_ATTR_C
#include "infer_common.c"

enum {
    XG_VERIFY_ANY_OP = XG_OPCODE_COUNT
};
typedef struct xg_verify_word_row {
    xg_attr_key key;
    int op;
    const char *words;
} xg_verify_word_row;
XG_TABLE const xg_verify_word_row xg_verify_word_rows[] = {
    {XG_A_direction, XG_COMPARE, "EQ NE GE GT LE LT"},
    {XG_A_type, XG_COMPARE, "FLOAT TOTALORDER SIGNED UNSIGNED"},
    {XG_A_fft_type, XG_FFT, "FFT IFFT RFFT IRFFT"},
    {XG_A_transpose_a, XG_TRIANGULAR_SOLVE, "NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {XG_A_distribution, XG_RNG, "rng_uniform rng_normal"},
    {XG_A_algorithm, XG_RNG_BIT_GENERATOR, "rng_default rng_three_fry rng_philox"},
    {XG_A_algorithm, XG_VERIFY_ANY_OP,
        "unset dot_any_f8_any_f8_f32 dot_any_f8_any_f8_f32_fast_accum dot_any_f8_any_f8_any "
        "dot_any_f8_any_f8_any_fast_accum dot_f16_f16_f16 dot_f16_f16_f32 dot_bf16_bf16_bf16 dot_bf16_bf16_f32 "
        "dot_bf16_bf16_f32_x3 dot_bf16_bf16_f32_x6 dot_bf16_bf16_f32_x9 dot_tf32_tf32_f32 dot_tf32_tf32_f32_x3 "
        "dot_f32_f32_f32 dot_f64_f64_f64"},
    {XG_A_kind, XG_FUSION, "kLoop kInput kOutput kCustom"},
    {XG_A_operand_precision, XG_VERIFY_ANY_OP, "default high highest packed_nibble"},
    {XG_A_padding_type, XG_CUSTOM_CALL, "PADDING_INVALID PADDING_VALID PADDING_SAME"},
    {XG_A_api_version, XG_CUSTOM_CALL,
        "API_VERSION_UNSPECIFIED API_VERSION_ORIGINAL API_VERSION_STATUS_RETURNING "
        "API_VERSION_STATUS_RETURNING_UNIFIED API_VERSION_TYPED_FFI"},
    {XG_A_schedule, XG_CUSTOM_CALL, "SCHEDULE_NONE SCHEDULE_LATEST SCHEDULE_EARLIEST LATEST EARLIEST NONE"},
};

/* The next word of a list separated by blanks; empty at the end. */
static xg_str xg_verify_next_word(const char **at) {
    const char *p = *at, *e;
    while (*p == ' ') p++;
    for (e = p; *e && *e != ' '; e++) {}
    *at = e;
    return xg_str_of(p, (size_t)(e - p));
}
static const char *xg_verify_words_of(xg_opcode op, xg_attr_key key) {
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_verify_word_rows); k++)
        if (xg_verify_word_rows[k].key == key &&
            (xg_verify_word_rows[k].op == (int)op || xg_verify_word_rows[k].op == (int)XG_VERIFY_ANY_OP))
            return xg_verify_word_rows[k].words;
    return NULL;
}
/* XLA reads some words in any case; they are kept as it prints them. */
static bool xg_word_equal_in_any_case(xg_str a, xg_str b) {
    uint32_t k;
    if (a.n != b.n) return false;
    for (k = 0; k < a.n; k++)
        if ((a.p[k] >= 'A' && a.p[k] <= 'Z' ? a.p[k] + 32 : a.p[k]) !=
            (b.p[k] >= 'A' && b.p[k] <= 'Z' ? b.p[k] + 32 : b.p[k]))
            return false;
    return true;
}
XG_FN xg_str xg_word_in_print(xg_opcode op, xg_attr_key key, xg_str w) {
    XG_TABLE const xg_attr_key any_case[] = {
        XG_A_operand_precision, XG_A_algorithm, XG_A_distribution, XG_A_api_version, XG_A_schedule};
    const char *words = xg_verify_words_of(op, key);
    uint32_t k;
    xg_str x;
    for (k = 0; k < XG_COUNT(any_case) && any_case[k] != key; k++) {}
    if (!words || k == XG_COUNT(any_case)) return w;
    while ((x = xg_verify_next_word(&words)).n)
        if (xg_word_equal_in_any_case(x, w)) return x;
    return w;
}
static void xg_verify_word(const xg_inst *i, xg_attr_key key, xg_str w) {
    const char *words = xg_verify_words_of(i->op, key);
    XG_RULE(
        i, !words || xg_word_in(words, w) >= 0, "%s=%.*s must be one of: %s", xg_attr_name(key), (int)w.n, w.p, words);
}

/* The row of the opcode table: each attribute is allowed, each required one is there, in the order of the attribute
 * table. */
XG_APART static bool xg_verify_is_named(xg_str word, xg_str name) {
    if (word.n && word.p[word.n - 1] == '!') word.n--;
    return xg_str_eq(word, name);
}
static bool xg_verify_may_carry(xg_opcode op, xg_attr_key key) {
    const char *list = xg_op_attrs(op);
    xg_str name = xg_str_z(xg_attr_name(key)), w;
    if (key >= XG_A_sharding) return true; /* the common ones are the last rows */
    while ((w = xg_verify_next_word(&list)).n)
        if (xg_verify_is_named(w, name)) return true;
    return false;
}
static void xg_verify_attr_set(const xg_inst *i) {
    const char *list = xg_op_attrs(i->op);
    xg_str w;
    uint32_t k;
    for (k = 0; k < i->n_attrs; k++) {
        XG_RULE(i, k == 0 || i->attrs[k - 1].key < i->attrs[k].key, "attribute %s is there twice or out of order",
            xg_attr_name(i->attrs[k].key));
        XG_RULE(i, xg_verify_may_carry(i->op, i->attrs[k].key),
            "attribute %s does not belong to this opcode; it may carry: %s", xg_attr_name(i->attrs[k].key),
            xg_op_attrs(i->op));
    }
    while ((w = xg_verify_next_word(&list)).n) {
        if (w.p[w.n - 1] != '!') continue;
        for (k = 0; k < i->n_attrs && !xg_verify_is_named(w, xg_str_z(xg_attr_name(i->attrs[k].key))); k++) {}
        XG_RULE(i, k < i->n_attrs, "attribute %.*s is missing", (int)w.n - 1, w.p);
    }
}

static void xg_verify_attr_value(const xg_inst *i, const xg_attr *a) {
    uint32_t k;
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_WORD: xg_verify_word(i, a->key, *a->v.str); break;
    case XG_K_WORDS:
        for (k = 0; k < a->v.words->n; k++) xg_verify_word(i, a->key, a->v.words->p[k]);
        if (a->key == XG_A_operand_precision && i->op != XG_CUSTOM_CALL)
            XG_RULE(i, a->v.words->n <= i->n_operands, "operand_precision has %u entries for %u operands",
                a->v.words->n, i->n_operands);
        break;
    case XG_K_INSTS: /* control predecessors */
        for (k = 0; k < a->v.insts->n; k++) {
            const xg_inst *p = a->v.insts->p[k];
            XG_RULE(i, p && p->comp == i->comp && p->scratch == (void *)i->comp,
                "control predecessor %.*s must come before it in the same computation", p ? (int)p->name.n : 0,
                p ? p->name.p : "");
        }
        break;
    case XG_K_INT:
        if (a->key == XG_A_cross_program_prefetch_index)
            XG_RULE(i, a->v.i >= 0, "cross_program_prefetch_index=%lld must not be negative", (long long)a->v.i);
        break;
    default: break;
    }
}
static void xg_verify_attrs(const xg_inst *i) {
    uint32_t k;
    xg_verify_attr_set(i);
    for (k = 0; k < i->n_attrs; k++) xg_verify_attr_value(i, &i->attrs[k]);
}

#endif /* XG_HLO_VERIFY_ATTR_C */
