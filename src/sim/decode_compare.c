/* sim/decode_compare.c -- records for comparisons and selections: setp, set, selp, slct. */
#ifndef XG_SIM_DECODE_COMPARE_C
#define XG_SIM_DECODE_COMPARE_C
#include "decode.c"

/* op: 0 eq 1 ne 2 lt 3 le 4 gt 5 ge 6 num 7 nan */
typedef struct xg_sim_compare {
    char text[4];
    uint8_t op, unordered;
} xg_sim_compare;
XG_TABLE const xg_sim_compare xg_sim_compares[] = {{"eq", 0, 0}, {"ne", 1, 0}, {"lt", 2, 0}, {"le", 3, 0}, {"gt", 4, 0},
    {"ge", 5, 0}, {"lo", 2, 0}, {"ls", 3, 0}, {"hi", 4, 0}, {"hs", 5, 0}, {"equ", 0, 1}, {"neu", 1, 1}, {"ltu", 2, 1},
    {"leu", 3, 1}, {"gtu", 4, 1}, {"geu", 5, 1}, {"num", 6, 0}, {"nan", 7, 0}};

enum {
    XG_SIM_GREATER = 4, /* as xg_sim_compares numbers them */
    XG_SIM_GREATER_EQUAL = 5
};
/* One of the first six. */
XG_FN void xg_sim_compare_by(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t op, xg_sim_type t, uint32_t d, uint32_t a, uint32_t b) {
    XG_TABLE const uint8_t fns[6] = {
        XG_SIM_BT_eq, XG_SIM_BT_ne, XG_SIM_BT_lt, XG_SIM_BT_le, XG_SIM_BT_lt, XG_SIM_BT_le};
    bool turned = op >= XG_SIM_GREATER; /* a > b is b < a */
    xg_sim_f f = xg_sim_pick(p, s, (xg_sim_bt)fns[op], t);
    xg_sim_alu_2(p, s, f, d, turned ? b : a, turned ? a : b);
}
/* The mask of a comparison in register d, by what the vector functions have: == < ... are ordered, != is unordered. */
XG_FN void xg_sim_compare_into(
    xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_compare *k, xg_sim_type t, uint32_t d, uint32_t a, uint32_t b) {
    static const uint8_t inverse[6] = {1, 0, 5, 4, 3, 2};
    uint32_t x;
    if (!xg_sim_is_float(t)) {
        xg_sim_compare_by(p, s, k->op, t, d, a, b);
        return;
    }
    if (k->op == 7) {
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), d, a, b);
        return;
    }
    x = xg_sim_temp(p, 4);
    if (k->op == 6) {
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), x, a, b);
        xg_sim_alu_1(p, s, XG_SIM_F_not_b32, d, x);
        return;
    }
    if (k->op == 1 && !k->unordered) { /* a < b or a > b */
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_lt, t), x, a, b);
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_lt, t), y, b, a);
        xg_sim_alu_2(p, s, XG_SIM_F_or_b32, d, x, y);
    } else if (k->op == 0 && k->unordered) {
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_eq, t), x, a, b);
        xg_sim_alu_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_uno, t), y, a, b);
        xg_sim_alu_2(p, s, XG_SIM_F_or_b32, d, x, y);
    } else if (k->unordered && k->op != 1) {
        xg_sim_compare_by(p, s, inverse[k->op], t, x, a, b);
        xg_sim_alu_1(p, s, XG_SIM_F_not_b32, d, x);
    } else
        xg_sim_compare_by(p, s, k->op, t, d, a, b);
}

XG_FN const xg_sim_compare *xg_sim_take_compare(xg_sim_asm *p, xg_sim_stmt *s) {
    size_t i;
    for (i = 0; i < XG_COUNT(xg_sim_compares); i++)
        if (s->n_mods && xg_str_is(s->mods[0], xg_sim_compares[i].text)) {
            s->used |= 1;
            return &xg_sim_compares[i];
        }
    xg_sim_bad(p, s->at, "such as setp.lt.s32", "the comparison must follow '%.*s'", (int)s->op.n, s->op.p);
}

/* p = cmp [boolop c], q = !cmp [boolop c]. */
XG_FN void xg_sim_boolean(xg_sim_asm *p, xg_sim_stmt *s, int boolop, uint32_t d, uint32_t x, uint32_t c) {
    XG_TABLE const xg_sim_f ops[3] = {XG_SIM_F_and_b32, XG_SIM_F_or_b32, XG_SIM_F_xor_b32};
    if (boolop < 0)
        xg_sim_alu_1(p, s, XG_SIM_F_mov_b32, d, x);
    else
        xg_sim_alu_2(p, s, ops[boolop], d, x, c);
}

XG_FN void xg_sim_d_setp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    const xg_sim_compare *k = xg_sim_take_compare(p, s);
    int boolop = xg_sim_take_one(s, "and or xor");
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t a, b, d, q = XG_SIM_NOREG, x, y = XG_SIM_NOREG, c = XG_SIM_NOREG;
    (void)arg;
    xg_sim_operands(p, s, boolop < 0 ? 3 : 4, boolop < 0 ? 3 : 4);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    d = xg_sim_dest(p, s, XG_SIM_PRED);
    if (s->o[0].pair) q = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED);
    if (boolop >= 0) c = xg_sim_source(p, s, 3, XG_SIM_PRED);
    x = boolop < 0 && q == XG_SIM_NOREG ? d : xg_sim_temp(p, 4);
    if (xg_sim_is_half(t)) {
        bool packed = xg_sim_types[t].bytes == 4;
        xg_sim_ins *in = xg_sim_alu_2(p, s, packed ? XG_SIM_F_set_f16x2 : XG_SIM_F_set_f16, x, a, b);
        if (packed && q == XG_SIM_NOREG) xg_sim_bad(p, s->at, "write p|q", "a packed comparison has two destinations");
        in->imm =
            k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16 || t == XG_SIM_BF16X2 ? 16u : 0) | (ftz ? 32u : 0);
        if (packed) { p->code.p[p->code.n - 1].d2 = y = xg_sim_temp(p, 4); }
    } else {
        if (ftz && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        xg_sim_compare_into(p, s, k, t, x, a, b);
    }
    if (x == d) return;
    if (q != XG_SIM_NOREG) {
        if (y == XG_SIM_NOREG) y = xg_sim_via(p, s, XG_SIM_F_not_b32, 4, x);
        if (c != XG_SIM_NOREG && (c == d || c == q)) c = xg_sim_via(p, s, XG_SIM_F_mov_b32, 4, c);
        xg_sim_boolean(p, s, boolop, q, y, c);
    }
    xg_sim_boolean(p, s, boolop, d, x, c);
}

/* Both halves: 1.0 or all ones in each. */
XG_FN void xg_sim_set_packed(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_compare *k, xg_sim_type dt, xg_sim_type t,
    int boolop, bool ftz, uint32_t a, uint32_t b) {
    uint32_t x = xg_sim_temp(p, 4), y = xg_sim_temp(p, 4), m = xg_sim_temp(p, 4);
    xg_sim_ins *in = xg_sim_alu_2(p, s, XG_SIM_F_set_f16x2, x, a, b);
    in->imm = k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16X2 ? 16u : 0) | (ftz ? 32u : 0);
    in->d2 = y;
    if (boolop >= 0) {
        uint32_t c = xg_sim_source(p, s, 3, XG_SIM_PRED), u = xg_sim_temp(p, 4), v = xg_sim_temp(p, 4);
        xg_sim_boolean(p, s, boolop, u, x, c);
        xg_sim_boolean(p, s, boolop, v, y, c);
        x = u;
        y = v;
    }
    x = xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, x);
    y = xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, y);
    xg_sim_alu_2(p, s, XG_SIM_F_pack_b32, m, x, y);
    xg_sim_alu_2(p, s, XG_SIM_F_and_b32, xg_sim_dest(p, s, dt), m,
        xg_sim_constant(p,
            dt == XG_SIM_F16X2    ? 0x3C003C00u
            : dt == XG_SIM_BF16X2 ? 0x3F803F80u
                                  : 0xFFFFFFFFu,
            4));
}

XG_FN void xg_sim_d_set(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    const xg_sim_compare *k = xg_sim_take_compare(p, s);
    int boolop = xg_sim_take_one(s, "and or xor");
    bool ftz = xg_sim_take(s, "ftz");
    xg_sim_type dt = xg_sim_take_type(p, s), t = xg_sim_take_type(p, s);
    uint32_t a, b, x;
    (void)arg;
    xg_sim_operands(p, s, boolop < 0 ? 3 : 4, boolop < 0 ? 3 : 4);
    if (dt != XG_SIM_U32 && dt != XG_SIM_S32 && dt != XG_SIM_B32 && dt != XG_SIM_F32 &&
        ((dt != XG_SIM_F16 && dt != XG_SIM_BF16) || xg_sim_types[t].cls == 'V') &&
        (!xg_sim_is_half(t) || (dt != t && dt != XG_SIM_U16 && dt != XG_SIM_S16 && dt != XG_SIM_F16)))
        xg_sim_no_type(p, s, dt);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    x = xg_sim_temp(p, 4);
    if (xg_sim_is_half(t) && xg_sim_types[t].bytes == 4) {
        xg_sim_set_packed(p, s, k, dt, t, boolop, ftz, a, b);
        return;
    }
    if (t == XG_SIM_F16 || t == XG_SIM_BF16)
        xg_sim_alu_2(p, s, XG_SIM_F_set_f16, x, a, b)->imm =
            k->op | (k->unordered ? 8u : 0) | (t == XG_SIM_BF16 ? 16u : 0) | (ftz ? 32u : 0);
    else {
        if (ftz && t != XG_SIM_F32) xg_sim_no_type(p, s, t);
        if (ftz) {
            a = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, a);
            b = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, b);
        }
        xg_sim_compare_into(p, s, k, t, x, a, b);
    }
    if (boolop >= 0) {
        uint32_t y = xg_sim_temp(p, 4);
        xg_sim_boolean(p, s, boolop, y, x, xg_sim_source(p, s, 3, XG_SIM_PRED));
        x = y;
    }
    if (dt == XG_SIM_F32)
        xg_sim_alu_2(p, s, XG_SIM_F_and_b32, xg_sim_dest(p, s, dt), x, xg_sim_constant(p, 0x3F800000u, 4));
    else if (xg_sim_types[dt].bytes == 2) {
        x = xg_sim_via(p, s, XG_SIM_F_u16_u32, 2, x);
        xg_sim_alu_2(p, s, XG_SIM_F_and_b16, xg_sim_dest(p, s, dt), x,
            xg_sim_constant(p,
                dt == XG_SIM_F16    ? 0x3C00u
                : dt == XG_SIM_BF16 ? 0x3F80u
                                    : 0xFFFFu,
                2));
    } else
        xg_sim_alu_1(p, s, XG_SIM_F_mov_b32, xg_sim_dest(p, s, dt), x);
}

XG_FN void xg_sim_d_selp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t slct) {
    bool ftz = slct && xg_sim_take(s, "ftz");
    xg_sim_type t = xg_sim_take_type(p, s), ct;
    uint32_t d, a, b, c;
    xg_sim_operands_are(p, s, 4);
    if (slct) { /* c >= 0 ? a : b */
        ct = xg_sim_take_type(p, s);
        if (ct != XG_SIM_S32 && ct != XG_SIM_F32) xg_sim_no_type(p, s, ct);
        c = xg_sim_source(p, s, 3, ct);
        if (ftz) c = xg_sim_via(p, s, XG_SIM_F_ftz_f32, 4, c);
        {
            uint32_t m = xg_sim_temp(p, 4);
            xg_sim_compare_by(p, s, XG_SIM_GREATER_EQUAL, ct, m, c, xg_sim_constant(p, 0, 4));
            c = m;
        }
    } else
        c = xg_sim_source(p, s, 3, XG_SIM_PRED);
    d = xg_sim_dest(p, s, t);
    a = xg_sim_source(p, s, 1, t);
    b = xg_sim_source(p, s, 2, t);
    xg_sim_alu(p, s, xg_sim_pick(p, s, XG_SIM_BT_sel, t), d, a, b, c);
}

#endif /* XG_SIM_DECODE_COMPARE_C */
