/* elem/random.c -- rng-bit-generator, one element at a time: Threefry 2x32 (20 rounds) and Philox 4x32 (10 rounds) of
 * the counter that makes the element.
 *
 * The state is u64[2] or u64[3]: the key, then the counter. Which counter makes which element, and what is handed on,
 * is what the evaluator says. Each element runs the whole generator and takes its word. The two results differ in
 * shape, so an element of one is asked for by its output. */
#ifndef XG_ELEM_RANDOM_C
#define XG_ELEM_RANDOM_C
#include "elem.h"

#define ADD(x, y) xg_kaddi(b, (x), (y))
#define XOR(x, y) xg_k2(b, XG_K_OP_XORI, (x), (y))
#define OR(x, y) XG_KOP2(b, XG_K_OP_ORI, (x), (y))
#define C32(v) xg_kconst_i32(b, (int64_t)(int32_t)(v))
#define C64(v) xg_kconst_int(b, XG_E_I64, (int64_t)(v))
#define LOW(x) xg_kcast(b, XG_K_OP_TRUNCI, (x), XG_E_I32)
#define HIGH(x) LOW(xg_k2(b, XG_K_OP_SHRUI, (x), C64(32)))

XG_FN void xg_random_emit_threefry(xg_kb *b, xg_kval *counter, xg_kval *key, xg_kval **out) {
    static const uint8_t turns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    xg_kval *ks[3], *x0 = LOW(counter), *x1 = HIGH(counter);
    uint32_t round, k;
    ks[0] = LOW(key);
    ks[1] = HIGH(key);
    ks[2] = XOR(XOR(C32(0x1BD11BDAu), ks[0]), ks[1]);
    x0 = ADD(x0, ks[0]);
    x1 = ADD(x1, ks[1]);
    for (round = 0; round < 5; round++) {
        for (k = 0; k < 4; k++) {
            uint32_t t = turns[round & 1][k];
            x0 = ADD(x0, x1);
            x1 = XOR(OR(xg_k2(b, XG_K_OP_SHLI, x1, C32(t)), xg_k2(b, XG_K_OP_SHRUI, x1, C32(32 - t))), x0);
        }
        x0 = ADD(x0, ks[(round + 1) % 3]);
        x1 = ADD(x1, ks[(round + 2) % 3]);
        x1 = ADD(x1, C32(round + 1));
    }
    out[0] = x0;
    out[1] = x1;
}

XG_FN void xg_random_emit_philox(xg_kb *b, xg_kval *low, xg_kval *high, xg_kval *key, xg_kval **out) {
    xg_kval *k0 = LOW(key), *k1 = HIGH(key), *x0 = LOW(low), *x1 = HIGH(low), *x2 = LOW(high), *x3 = HIGH(high);
    uint32_t round;
    for (round = 0; round < 10; round++) {
        xg_kval *p = C32(0xD2511F53u), *q = C32(0xCD9E8D57u);
        xg_kval *p_low = xg_k2(b, XG_K_OP_MULI, x0, p), *p_high = xg_k2(b, XG_K_OP_MULHUI, x0, p),
                *q_low = xg_k2(b, XG_K_OP_MULI, x2, q), *q_high = xg_k2(b, XG_K_OP_MULHUI, x2, q);
        x0 = XOR(XOR(q_high, x1), k0);
        x1 = q_low;
        x2 = XOR(XOR(p_high, x3), k1);
        x3 = p_low;
        k0 = ADD(k0, C32(0x9E3779B9u));
        k1 = ADD(k1, C32(0xBB67AE85u));
    }
    out[0] = x0;
    out[1] = x1;
    out[2] = x2;
    out[3] = x3;
}

/* What is fixed by the instruction. */
typedef struct xg_random_site {
    const xg_inst *i;
    const xg_shape *bits;
    bool threefry, wide, short_state;
    uint32_t split;
    int64_t used;
    xg_kval *words[3];
} xg_random_site;

/* Threefry with words of 32 bits halves one dimension, the first even one, else the largest: its neighbours share a
 * counter. */
XG_FN uint32_t xg_random_split(const xg_shape *s) {
    uint32_t d, best = 0;
    for (d = 0; d < s->rank; d++)
        if (s->dims[d] % 2 == 0) return d;
    for (d = 0; d < s->rank; d++)
        if (s->dims[d] > s->dims[best]) best = d;
    return best;
}
XG_FN int64_t xg_random_extent(const xg_random_site *r, uint32_t d) {
    return r->threefry && !r->wide && d == r->split ? (r->bits->dims[d] + 1) / 2 : r->bits->dims[d];
}

XG_FN xg_random_site xg_random_begin_site(xg_scope *s, const xg_inst *i) {
    const xg_inst *state = XG_OPERAND(i, 0);
    xg_random_site r;
    uint32_t d;
    r.i = i;
    r.bits = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[1] : i->shape;
    r.threefry = xg_attr_is(i, XG_A_algorithm, "rng_three_fry");
    r.wide = xg_type_bits(r.bits->type) == 64;
    if (state->shape->type != XLAGPU_U64 || state->shape->rank != 1 ||
        (state->shape->dims[0] != 2 && state->shape->dims[0] != 3) || xg_type_class(r.bits->type) != XGT_I)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "give a state of u64[2] or u64[3] and ask for integers",
            "this state or result is not supported in kernels");
    r.short_state = state->shape->dims[0] == 2;
    r.split = xg_random_split(r.bits);
    if (r.threefry)
        for (r.used = 1, d = 0; d < r.bits->rank; d++) r.used *= xg_random_extent(&r, d);
    else
        r.used = (r.bits->elements + (r.wide ? 1 : 3)) / (r.wide ? 2 : 4);
    for (d = 0; d < 3; d++) {
        xg_kval *idx = xg_elem_index(s, d);
        r.words[d] = d < (uint32_t)state->shape->dims[0] ? xg_elem_of(s, state, &idx).v : NULL;
    }
    return r;
}

/* counter + n in 128 bits. */
XG_FN void xg_random_advance(xg_kb *b, xg_kval **low, xg_kval **high, xg_kval *n) {
    xg_kval *sum = ADD(*low, n);
    *high = ADD(*high, xg_kextui(b, xg_kcmpi_(b, XG_CI_ULT, sum, n), XG_E_I64));
    *low = sum;
}

/* Word `which` (an index below n) of the words. */
XG_FN xg_kval *xg_random_pick(xg_scope *s, xg_kval *const *words, uint32_t n, xg_kval *which) {
    xg_kval *v = words[0];
    uint32_t k;
    for (k = 1; k < n; k++) v = xg_kselect(&s->b, xg_kcmpi_int(&s->b, XG_CI_EQ, which, k), words[k], v);
    return v;
}
XG_FN xg_kval *xg_random_join(xg_kb *b, xg_kval *low, xg_kval *high) {
    high = xg_kextui(b, high, XG_E_I64);
    high = xg_k2(b, XG_K_OP_SHLI, high, C64(32));
    low = xg_kextui(b, low, XG_E_I64);
    return OR(low, high);
}

/* The place of the element's counter among those used, and which of its words it takes. */
XG_FN xg_kval *xg_random_place(xg_scope *s, const xg_random_site *r, xg_kval *const *at, xg_kval **which) {
    xg_aff_ctx *x = s->e->m->aff;
    uint32_t rank = r->bits->rank, d;
    xg_imap *m = xg_imap_of_dims(x, rank, 2);
    const xg_aff *linear = xg_aff_const(x, 0), *word = xg_aff_const(x, 0);
    xg_kval *out[2];
    for (d = 0; d < rank; d++) {
        const xg_aff *e = xg_aff_dim(x, d);
        m->dims[d].range = xg_range_of(0, r->bits->dims[d] - 1);
        if (r->threefry && !r->wide && d == r->split) {
            word = xg_aff_mod(x, e, 2);
            e = xg_aff_div(x, e, 2);
        }
        linear = xg_aff_add_mul(x, e, linear, xg_random_extent(r, d));
    }
    if (!r->threefry) {
        word = xg_aff_mod(x, linear, r->wide ? 2 : 4);
        linear = xg_aff_div(x, linear, r->wide ? 2 : 4);
    }
    m->results[0] = linear;
    m->results[1] = word;
    xg_elem_apply(s, xg_imap_simplify(x, m), at, out);
    *which = out[1];
    return xg_kcast_index(&s->b, out[0], XG_E_I64);
}

XG_FN xg_elem xg_random_bits(xg_scope *s, const xg_random_site *r, xg_kval *const *at) {
    xg_kb *b = &s->b;
    xg_kval *which, *place = xg_random_place(s, r, at, &which), *words[4], *v;
    if (r->threefry) {
        xg_random_emit_threefry(b, ADD(r->words[1], place), r->words[0], words);
        v = r->wide ? xg_random_join(b, words[0], words[1]) : xg_random_pick(s, words, 2, which);
    } else {
        /* the short state serves as counter too, its halves exchanged */
        xg_kval *low = r->words[1], *high = r->short_state ? r->words[0] : r->words[2];
        xg_random_advance(b, &low, &high, place);
        xg_random_emit_philox(b, low, high, r->words[0], words);
        if (r->wide) {
            words[0] = xg_random_join(b, words[0], words[1]);
            words[1] = xg_random_join(b, words[2], words[3]);
        }
        v = xg_random_pick(s, words, r->wide ? 2 : 4, which);
    }
    return xg_elem_real(xg_scalar_convert(b, v, r->wide ? XLAGPU_U64 : XLAGPU_U32, r->bits->type));
}

XG_FN xg_elem xg_random_state(xg_scope *s, const xg_random_site *r, xg_kval *const *at) {
    xg_kb *b = &s->b;
    xg_kval *words[3], *high;
    memcpy(words, r->words, sizeof words);
    high = r->short_state ? r->words[0] : r->words[2];
    if (r->threefry)
        words[1] = ADD(words[1], C64(r->used));
    else
        xg_random_advance(b, &words[1], &high, C64(r->used));
    if (!r->threefry && !r->short_state) words[2] = high;
    return xg_elem_real(xg_random_pick(s, words, r->short_state ? 2 : 3, at[0]));
}

XG_FN xg_elem xg_random_output(xg_scope *s, const xg_inst *i, uint32_t output, xg_kval *const *at) {
    xg_random_site r = xg_random_begin_site(s, i);
    return output == 1 || i->shape->type != XLAGPU_TUPLE ? xg_random_bits(s, &r, at) : xg_random_state(s, &r, at);
}
XG_FN xg_elem xg_elem_random_bits(xg_scope *s, const xg_inst *i, xg_kval *const *at) {
    return xg_random_output(s, i, 0, at);
}

#undef ADD
#undef XOR
#undef OR
#undef C32
#undef C64
#undef LOW
#undef HIGH

#endif /* XG_ELEM_RANDOM_C */
