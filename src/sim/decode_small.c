/* sim/decode_small.c -- statements on tiles of floats of 8, 6 and 4 bits: ldmatrix and stmatrix of bytes, mma with a
 * .kind.
 *
 * Elements of 6 and 4 bits have a byte each in the registers of kinds f8f6f4 and mxf8f6f4; kinds mxf4 and mxf4nvf4 pack
 * two into a byte. A scale is a byte of a register of some lanes; which byte and which lanes, two operands say. */
#ifndef XG_SIM_DECODE_SMALL_C
#define XG_SIM_DECODE_SMALL_C
#include "decode_matrix.c"

/* ---- ldmatrix, stmatrix ---- */

/* imm of BYTES_LOAD and BYTES_STORE: rows of a matrix in memory; what is unpacked << 8, as in tensor.c; transposed
 * << 16. */
XG_FN void xg_sim_d_ldmatrix_any(xg_sim_asm *p, xg_sim_stmt *s, uint32_t store) {
    bool wide = xg_sim_has(s, "m16n16"), narrow = xg_sim_has(s, "m8n16"), tall = xg_sim_has(s, "m16n8");
    uint32_t n, regs, i, unpack;
    const xg_sim_operand *o, *items;
    xg_sim_regs r;
    xg_sim_spot a;
    xg_sim_ins *in;
    if (!wide && !narrow && !tall) {
        xg_sim_d_ldmatrix(p, s, store);
        return;
    }
    if (store ? !xg_sim_form(s, "sync aligned m16n8 x1|x2|x4 trans $c? b8")
              : !xg_sim_form(s, "sync aligned m16n16 x1|x2 trans $c? b8") &&
                    !xg_sim_form(s, "sync aligned m16n16 x1|x2 trans $c? b8x16 $o") &&
                    !xg_sim_form(s, "sync aligned m8n16 x1|x2|x4 $c? b8x16 $o"))
        xg_sim_no_form(p, s);
    unpack = xg_sim_has(s, "b4x16_p64") ? 1 : xg_sim_has(s, "b6x16_p32") ? 2 : 0;
    n = xg_sim_has(s, "x4") ? 4 : xg_sim_has(s, "x2") ? 2 : 1;
    regs = wide ? 2 * n : n;
    xg_sim_operands_are(p, s, 2);
    a = xg_sim_spot_of(p, s, &s->o[store ? 0 : 1], xg_sim_shared_word(s));
    o = &s->o[store ? 1 : 0];
    items = o->kind == XG_SIM_O_VEC ? o->items : o;
    if ((o->kind == XG_SIM_O_VEC ? o->n : 1) != regs)
        xg_sim_wrong(p, o->at, ".x%u takes %u registers in braces", n, regs);
    r.n = 0;
    for (i = 0; i < regs; i++)
        r.codes[r.n++] =
            store ? xg_sim_source_of(p, s, &items[i], XG_SIM_B32) : xg_sim_dest_of(p, &items[i], XG_SIM_B32);
    in = xg_sim_put_tile(p, s, &r, store ? 0 : regs);
    in->op = store ? XG_SIM_T_BYTES_STORE : XG_SIM_T_BYTES_LOAD;
    in->a = a.code;
    in->imm = (wide ? 16u : 8u) | unpack << 8 | (narrow ? 0u : 1u << 16);
    in->imm2 = xg_sim_spot_bits(a);
}

/* ---- mma ---- */

/* A scale's operands: the register, and {byte, lanes}. */
XG_FN void xg_sim_scale_operands(xg_sim_asm *p, xg_sim_stmt *s, uint32_t at, xg_sim_regs *r) {
    const xg_sim_operand *ids = &s->o[at + 1], *data = &s->o[at];
    uint32_t i;
    if (data->kind == XG_SIM_O_VEC && data->n == 1) data = data->items;
    r->codes[r->n++] = xg_sim_source_of(p, s, data, XG_SIM_B32);
    if (ids->kind != XG_SIM_O_VEC || ids->n != 2)
        xg_sim_bad(p, ids->at, "such as {0, 0}", "a scale needs the numbers of its byte and of its threads in braces");
    for (i = 0; i < 2; i++) r->codes[r->n++] = xg_sim_source_of(p, s, &ids->items[i], XG_SIM_U16);
}
/* How many scales a row has; 0 when the statement does not say a valid number. */
XG_FN uint32_t xg_sim_small_scales(xg_sim_stmt *s, bool tight, bool nv, bool ue4m3) {
    uint32_t n = xg_sim_take(s, "scale_vec::1X")   ? 1
                 : xg_sim_take(s, "scale_vec::2X") ? 2
                 : xg_sim_take(s, "scale_vec::4X") ? 4
                                                   : (nv         ? 0u
                                                         : tight ? 2u
                                                                 : 1u);
    if (!tight) return n == 1 && !ue4m3 ? 1 : 0;
    return n == 2 && !ue4m3 ? 2 : n == 4 && nv ? 4 : 0;
}
XG_FN bool xg_sim_small_float(xg_sim_elem e, bool tight) {
    if (tight) return e == XG_SIM_EL_E2M1;
    return e == XG_SIM_EL_E4M3 || e == XG_SIM_EL_E5M2 || e == XG_SIM_EL_E2M3 || e == XG_SIM_EL_E3M2 ||
           e == XG_SIM_EL_E2M1;
}
XG_FN void xg_sim_mma_small(xg_sim_asm *p, xg_sim_stmt *s) {
    bool scaled = xg_sim_take(s, "block_scale"), nv = xg_sim_take(s, "kind::mxf4nvf4");
    bool tight = xg_sim_take(s, "kind::mxf4") || nv, mx = xg_sim_take(s, "kind::mxf8f6f4");
    bool plain = xg_sim_take(s, "kind::f8f6f4"), ue4m3;
    uint32_t scales = 0, n;
    xg_sim_tile t;
    xg_sim_elem e[4];
    xg_sim_regs r;
    xg_sim_ins *in;
    memset(&t, 0, sizeof t);
    r.n = 0;
    if (xg_sim_has(s, "sp") || xg_sim_has(s, "sp::ordered_metadata"))
        xg_sim_unsupported(p, s->at, NULL, "'mma.sp' with a .kind is not simulated");
    if (!xg_sim_take(s, "sync") || !xg_sim_take(s, "aligned") || scaled != (tight || mx) || (scaled && plain))
        xg_sim_no_form(p, s);
    xg_sim_take_shape(p, s, &t);
    xg_sim_take_layouts(p, s, &t);
    ue4m3 = xg_sim_take(s, "ue4m3");
    if (scaled && !ue4m3 && !xg_sim_take(s, "ue8m0")) xg_sim_no_form(p, s);
    if (scaled && !(scales = xg_sim_small_scales(s, tight, nv, ue4m3))) xg_sim_no_form(p, s);
    if (xg_sim_take_elems(s, e) != 4) xg_sim_wrong(p, s->at, "'mma' needs the types of D, A, B and C");
    t.d = e[0];
    t.a = e[1];
    t.b = e[2];
    t.c = e[3];
    if (t.m != 16 || t.n != 8 || t.k != (tight ? 64u : 32u) || t.c != t.d || t.flags ||
        !(t.d == XG_SIM_EL_F32 || (t.d == XG_SIM_EL_F16 && plain)) || !xg_sim_small_float(t.a, tight) ||
        !xg_sim_small_float(t.b, tight))
        xg_sim_unsupported(p, s->at, NULL, "'mma' has no form for this shape with these types");
    n = scaled ? 8 : 4;
    xg_sim_operands_are(p, s, n);
    xg_sim_tile_operand(p, s, 1, 4, t.a, false, &r);
    xg_sim_tile_operand(p, s, 2, 2, t.b, false, &r);
    n = xg_sim_tile_regs(16 * 8, t.c);
    xg_sim_tile_operand(p, s, 3, n, t.c, false, &r);
    if (scaled) {
        xg_sim_scale_operands(p, s, 4, &r);
        xg_sim_scale_operands(p, s, 6, &r);
    }
    xg_sim_tile_operand(p, s, 0, n, t.d, true, &r);
    t.selector = scales | (ue4m3 ? 8u : 0u);
    in = xg_sim_put_tile(p, s, &r, n);
    xg_sim_tile_put(in, XG_SIM_T_SMALL, &t);
}
XG_FN void xg_sim_d_mma_any(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (xg_sim_prefix(s->mods[i], "kind::")) {
            xg_sim_mma_small(p, s);
            return;
        }
    xg_sim_d_mma(p, s, arg);
}

#endif /* XG_SIM_DECODE_SMALL_C */
