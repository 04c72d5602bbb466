/* sim/convert.c -- bit operations, moves and conversions to records. */
#ifndef XG_SIM_CONVERT_C
#define XG_SIM_CONVERT_C
#include "decode_compare.c"

/* ---- bits ---- */

typedef enum xg_sim_bit {
    XG_SIM_BIT_popc,
    XG_SIM_BIT_clz,
    XG_SIM_BIT_brev,
    XG_SIM_BIT_bfe,
    XG_SIM_BIT_bfi,
    XG_SIM_BIT_bfind,
    XG_SIM_BIT_prmt,
    XG_SIM_BIT_lop3,
    XG_SIM_BIT_shf,
    XG_SIM_BIT_sad,
    XG_SIM_BIT_dp4a,
    XG_SIM_BIT_dp2a,
    XG_SIM_BIT_fns,
    XG_SIM_BIT_bmsk,
    XG_SIM_BIT_szext,
    XG_SIM_BIT_testp
} xg_sim_bit;

XG_FN void xg_sim_d_count(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* popc, clz, brev, bfind */
    bool shiftamt = arg == XG_SIM_BIT_bfind && xg_sim_take(s, "shiftamt"), wide, sgn;
    xg_sim_type t = xg_sim_take_type(p, s);
    xg_sim_f f;
    xg_sim_operands_are(p, s, 2);
    wide = xg_sim_types[t].bytes == 8;
    sgn = xg_sim_types[t].cls == 'S';
    if (xg_sim_types[t].bytes < 4 || xg_sim_types[t].bytes > 8 || xg_sim_types[t].cls == 'F' ||
        xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    if ((xg_sim_types[t].cls == 'B') == (arg == XG_SIM_BIT_bfind)) xg_sim_no_type(p, s, t);
    if (arg == XG_SIM_BIT_popc)
        f = wide ? XG_F(popc_b64) : XG_F(popc_b32);
    else if (arg == XG_SIM_BIT_clz)
        f = wide ? XG_F(clz_b64) : XG_F(clz_b32);
    else if (arg == XG_SIM_BIT_brev)
        f = wide ? XG_F(brev_b64) : XG_F(brev_b32);
    else
        f = wide ? (sgn ? XG_F(bfind_s64) : XG_F(bfind_u64)) : sgn ? XG_F(bfind_s32) : XG_F(bfind_u32);
    xg_sim_alu_of_2(p, s, f, arg == XG_SIM_BIT_brev ? t : XG_SIM_U32, t, XG_SIM_NO_TYPE)->imm = shiftamt;
}

XG_FN uint32_t xg_sim_literal(xg_sim_asm *p, const xg_sim_stmt *s, uint32_t i, uint32_t max) {
    if (i >= s->n || s->o[i].kind != XG_SIM_O_NUM || s->o[i].number || s->o[i].value > max)
        xg_sim_wrong(p, i < s->n ? s->o[i].at : s->at, "expected an integer constant up to %u", max);
    return (uint32_t)s->o[i].value;
}

XG_FN void xg_sim_d_field(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* bfe, bfi */
    xg_sim_type t = xg_sim_take_type(p, s);
    bool wide = xg_sim_types[t].bytes == 8, sgn = xg_sim_types[t].cls == 'S';
    xg_sim_ins *in;
    if (xg_sim_types[t].bytes < 4 || xg_sim_types[t].bytes > 8 || xg_sim_types[t].cls == 'F' ||
        xg_sim_types[t].cls == 'V')
        xg_sim_no_type(p, s, t);
    if (arg == XG_SIM_BIT_bfe) {
        if (xg_sim_types[t].cls == 'B') xg_sim_no_type(p, s, t);
        xg_sim_operands_are(p, s, 4);
        xg_sim_alu_of(p, s,
            wide  ? (sgn ? XG_F(bfe_s64) : XG_F(bfe_u64))
            : sgn ? XG_F(bfe_s32)
                  : XG_F(bfe_u32),
            t, t, XG_SIM_U32, XG_SIM_U32);
    } else {
        uint32_t a, b, c, e;
        if (xg_sim_types[t].cls != 'B') xg_sim_no_type(p, s, t);
        xg_sim_operands_are(p, s, 5);
        a = xg_sim_source(p, s, 1, t);
        b = xg_sim_source(p, s, 2, t);
        c = xg_sim_source(p, s, 3, XG_SIM_U32);
        e = xg_sim_source(p, s, 4, XG_SIM_U32);
        in = xg_sim_alu(p, s, wide ? XG_F(bfi_b64) : XG_F(bfi_b32), xg_sim_dest(p, s, t), a, b, c);
        in->e = e;
    }
}

/* ---- selections of bits: prmt, shf, lop3 ---- */

XG_FN bool xg_sim_known_value(
    const xg_sim_asm *p, uint32_t code, uint32_t *value) { /* of a constant that is known by now */
    const xg_sim_const *k = code & 1 ? &p->consts.p[code >> 1] : NULL;
    if (!k || k->sym) return false;
    *value = (uint32_t)k->value;
    return true;
}
XG_FN uint32_t xg_sim_selection(xg_sim_bit op, const uint32_t *v, uint32_t imm) {
    return op == XG_SIM_BIT_prmt  ? xg_sim_prmt(v[0], v[1], v[2], imm)
           : op == XG_SIM_BIT_shf ? xg_sim_shf(v[0], v[1], v[2], imm & 1, imm & 2)
                                  : (uint32_t)xg_sim_lop3(v[0], v[1], v[2], imm);
}
/* Compilers name a register that was never written where a constant selector, distance or table takes no bit of it;
 * such an operand is not read: 0 stands for it. Each bit of a result is a function of at most one bit of each operand,
 * and of one place in it, so trying all zeros and all ones finds every use. */
XG_FN void xg_sim_drop_unselected(xg_sim_asm *p, xg_sim_bit op, uint32_t *src, uint32_t imm) {
    uint32_t v[3] = {0, 0, 0}, k, i, ones, selector;
    if (op != XG_SIM_BIT_lop3 && !xg_sim_known_value(p, src[2], &selector)) return;
    for (k = 0; k < 3; k++) {
        bool taken = src[k] & 1;
        for (ones = 0; ones < 8 && !taken; ones++) {
            uint32_t with;
            for (i = 0; i < 3; i++)
                if (!xg_sim_known_value(p, src[i], &v[i])) v[i] = ones >> i & 1 ? 0xFFFFFFFFu : 0;
            with = xg_sim_selection(op, v, imm);
            v[k] = ~v[k];
            taken = xg_sim_selection(op, v, imm) != with;
        }
        if (!taken) src[k] = xg_sim_constant(p, 0, 4);
    }
}

/* prmt, shf, dp4a, dp2a, fns: three 32-bit sources */
XG_FN void xg_sim_d_three(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_f f;
    uint32_t imm = 0, src[3], i;
    if (arg == XG_SIM_BIT_prmt) {
        xg_sim_take(s, "b32");
        imm = (uint32_t)(xg_sim_take_one(s, "f4e b4e rc8 ecl ecr rc16") + 1);
        f = imm ? XG_F(prmt_b32) : XG_F(prmt_plain);
    } else if (arg == XG_SIM_BIT_shf) {
        f = XG_F(shf_b32);
        imm = xg_sim_take(s, "r") ? 1 : 0;
        if (!imm && !xg_sim_take(s, "l")) xg_sim_wrong(p, s->at, "'shf' needs .l or .r");
        if (xg_sim_take(s, "clamp"))
            imm |= 2;
        else if (!xg_sim_take(s, "wrap"))
            xg_sim_wrong(p, s->at, "'shf' needs .clamp or .wrap");
        xg_sim_take(s, "b32");
    } else if (arg == XG_SIM_BIT_fns) {
        f = XG_F(fns_b32);
        xg_sim_take(s, "b32");
    } else {
        xg_sim_type x, y;
        f = arg == XG_SIM_BIT_dp4a ? XG_F(dp4a_b32) : XG_F(dp2a_b32);
        if (arg == XG_SIM_BIT_dp2a) {
            if (xg_sim_take(s, "hi"))
                imm |= 4;
            else if (!xg_sim_take(s, "lo"))
                xg_sim_wrong(p, s->at, "'dp2a' needs .lo or .hi");
        }
        x = xg_sim_take_type(p, s);
        y = xg_sim_take_type(p, s);
        imm |= (x == XG_SIM_S32 ? 1u : 0) | (y == XG_SIM_S32 ? 2u : 0);
    }
    xg_sim_operands_are(p, s, 4);
    for (i = 0; i < 3; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_B32);
    if (arg == XG_SIM_BIT_prmt || arg == XG_SIM_BIT_shf) xg_sim_drop_unselected(p, (xg_sim_bit)arg, src, imm);
    xg_sim_alu(p, s, f, xg_sim_dest(p, s, XG_SIM_B32), src[0], src[1], src[2])->imm = imm;
}
XG_FN void xg_sim_d_lop3(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    uint32_t src[3], d, x, i, q = XG_SIM_NOREG, table;
    int boolop = xg_sim_take(s, "or") ? 1 : xg_sim_take(s, "and") ? 0 : -1;
    (void)arg;
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, boolop < 0 ? 5 : 6, boolop < 0 ? 5 : 6);
    for (i = 0; i < 3; i++) src[i] = xg_sim_source(p, s, i + 1, XG_SIM_B32);
    d = xg_sim_dest(p, s, XG_SIM_B32);
    table = xg_sim_literal(p, s, 4, 255);
    xg_sim_drop_unselected(p, XG_SIM_BIT_lop3, src, table);
    if (boolop >= 0) {
        if (!s->o[0].pair) xg_sim_bad(p, s->o[0].at, "write d|p", "'lop3' with .and or .or has two destinations");
        q = xg_sim_dest_of(p, s->o[0].pair, XG_SIM_PRED);
        x = xg_sim_temp(p, 4);
        xg_sim_alu(p, s, XG_F(lop3_b32), x, src[0], src[1], src[2])->imm = table;
        i = xg_sim_via(p, s, XG_F(pred_b32), 4, x);
        xg_sim_boolean(p, s, boolop == 0 ? 0 : 1, q, i, xg_sim_source(p, s, 5, XG_SIM_PRED));
        xg_sim_alu_1(p, s, XG_F(mov_b32), d, x);
    } else
        xg_sim_alu(p, s, XG_F(lop3_b32), d, src[0], src[1], src[2])->imm = table;
}
XG_FN void xg_sim_d_sad(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands_are(p, s, 4);
    xg_sim_alu_of(p, s, xg_sim_pick(p, s, XG_SIM_BT_sad, t), t, t, t, t);
}
XG_FN void xg_sim_d_mask(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) { /* bmsk, szext */
    bool clamp = xg_sim_take(s, "clamp");
    xg_sim_type t;
    if (!clamp && !xg_sim_take(s, "wrap"))
        xg_sim_wrong(p, s->at, "'%.*s' needs .clamp or .wrap", (int)s->op.n, s->op.p);
    t = xg_sim_take_type(p, s);
    xg_sim_operands_are(p, s, 3);
    xg_sim_alu_of_2(p, s, arg == XG_SIM_BIT_bmsk ? XG_F(bmsk_b32) : XG_F(szext_b32), XG_SIM_B32, XG_SIM_B32, XG_SIM_B32)
        ->imm = (clamp ? 1u : 0) | (t == XG_SIM_S32 ? 2u : 0);
}
XG_FN void xg_sim_d_testp(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    int test = xg_sim_take_one(s, "finite infinite number notanumber normal subnormal");
    xg_sim_type t = xg_sim_take_type(p, s);
    (void)arg;
    xg_sim_operands_are(p, s, 2);
    if (test < 0) xg_sim_bad(p, s->at, "such as testp.finite.f32", "'testp' needs the property to test");
    xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_testp, t), XG_SIM_PRED, t, XG_SIM_NO_TYPE)->imm = (uint32_t)test;
}

/* ---- mov ---- */

XG_FN xg_sim_type xg_sim_part_type(xg_sim_asm *p, const xg_sim_operand *v, xg_sim_type whole) {
    uint32_t bytes = v->n ? xg_sim_types[whole].bytes / v->n : 0;
    if (v->n != 2 && v->n != 4) xg_sim_wrong(p, v->at, "a mov takes vectors of 2 or 4 parts");
    if (bytes == 1) return XG_SIM_B8;
    if (bytes == 2) return XG_SIM_B16;
    if (bytes == 4) return XG_SIM_B32;
    xg_sim_wrong(p, v->at, ".%s has no %u parts", xg_sim_types[whole].text, v->n);
}
XG_FN uint32_t xg_sim_join16(xg_sim_asm *p, xg_sim_stmt *s, uint32_t lo, uint32_t hi) {
    uint32_t t = xg_sim_temp(p, 4);
    xg_sim_alu_2(p, s, XG_F(pack_b32), t, lo, hi);
    return t;
}
XG_FN uint32_t xg_sim_join8(
    xg_sim_asm *p, xg_sim_stmt *s, uint32_t lo, uint32_t hi) { /* two bytes in 16-bit registers */
    uint32_t x = xg_sim_via(p, s, XG_F(zext8_i16), 2, lo), y = xg_sim_temp(p, 2), t = xg_sim_temp(p, 2);
    xg_sim_alu_2(p, s, XG_F(shl_b16), y, hi, xg_sim_constant(p, 8, 4));
    xg_sim_alu_2(p, s, XG_F(or_b16), t, x, y);
    return t;
}
XG_FN void xg_sim_mov_pack(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t) {
    const xg_sim_operand *v = &s->o[1];
    xg_sim_type part = xg_sim_part_type(p, v, t);
    uint32_t x[4], i, d = xg_sim_dest(p, s, t);
    for (i = 0; i < v->n; i++) x[i] = xg_sim_source_of(p, s, &v->items[i], part);
    if (part == XG_SIM_B8) {
        for (i = 0; i < v->n / 2; i++) x[i] = xg_sim_join8(p, s, x[2 * i], x[2 * i + 1]);
        if (v->n == 2) {
            xg_sim_alu_1(p, s, XG_F(mov_b16), d, x[0]);
            return;
        }
        xg_sim_alu_2(p, s, XG_F(pack_b32), d, x[0], x[1]);
    } else if (part == XG_SIM_B16 && v->n == 4) {
        uint32_t lo = xg_sim_join16(p, s, x[0], x[1]), hi = xg_sim_join16(p, s, x[2], x[3]);
        xg_sim_alu_2(p, s, XG_F(pack_b64), d, lo, hi);
    } else
        xg_sim_alu_2(p, s, part == XG_SIM_B16 ? XG_F(pack_b32) : XG_F(pack_b64), d, x[0], x[1]);
}
XG_FN void xg_sim_mov_unpack(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type t) {
    const xg_sim_operand *v = &s->o[0];
    xg_sim_type part = xg_sim_part_type(p, v, t);
    uint32_t a = xg_sim_source(p, s, 1, t), d[4], i, lo, hi;
    for (i = 0; i < v->n; i++) d[i] = xg_sim_dest_of(p, &v->items[i], part);
    if (v->n == 2 && part != XG_SIM_B8) {
        bool wide = part == XG_SIM_B32;
        lo = xg_sim_via(p, s, wide ? XG_F(u32_u64) : XG_F(u16_u32), wide ? 4 : 2, a); /* first: d[0] may be a */
        xg_sim_alu_1(p, s, wide ? XG_F(high_b64) : XG_F(high_b32), d[1], a);
        xg_sim_alu_1(p, s, wide ? XG_F(mov_b32) : XG_F(mov_b16), d[0], lo);
        return;
    }
    for (i = 0; i < v->n; i++) { /* by shifting the whole down */
        uint32_t bits = xg_sim_types[part].bits * i, x = a;
        if (bits && t == XG_SIM_B16) {
            x = xg_sim_temp(p, 2);
            xg_sim_alu_2(p, s, XG_F(shr_u16), x, a, xg_sim_constant(p, bits, 4));
        } else if (bits && xg_sim_types[t].bytes == 4) {
            x = xg_sim_temp(p, 4);
            xg_sim_alu_2(p, s, XG_F(shr_u32), x, a, xg_sim_constant(p, bits, 4));
        } else if (bits) {
            x = xg_sim_temp(p, 8);
            xg_sim_alu_2(p, s, XG_F(shr_u64), x, a, xg_sim_constant(p, bits, 4));
        }
        hi = xg_sim_via(p, s,
            xg_sim_types[t].bytes == 8   ? XG_F(u16_u64)
            : xg_sim_types[t].bytes == 4 ? XG_F(u16_u32)
                                         : XG_F(mov_b16),
            2, x);
        xg_sim_alu_1(p, s, part == XG_SIM_B8 ? XG_F(zext8_i16) : XG_F(mov_b16), d[i], hi);
    }
}
/* The two halves of a 128-bit operand: a register's, or those of a vector. */
XG_FN void xg_sim_halves_of(xg_sim_asm *p, xg_sim_stmt *s, const xg_sim_operand *o, bool dest, uint32_t out[2]) {
    uint32_t i;
    if (o->kind == XG_SIM_O_SINK) {
        out[0] = xg_sim_temp(p, 8);
        out[1] = xg_sim_temp(p, 8);
        return;
    }
    if (o->kind == XG_SIM_O_VEC && o->n == 2) {
        for (i = 0; i < 2; i++)
            out[i] =
                dest ? xg_sim_dest_of(p, &o->items[i], XG_SIM_B64) : xg_sim_source_of(p, s, &o->items[i], XG_SIM_B64);
        return;
    }
    if (o->kind != XG_SIM_O_REG || o->sym->type != XG_SIM_B128)
        xg_sim_wrong(p, o->at, "expected a .b128 register, or two of 64 bits in braces");
    out[0] = o->sym->reg << 1;
    out[1] = (o->sym->reg + 1) << 1;
}
XG_FN void xg_sim_mov_wide(xg_sim_asm *p, xg_sim_stmt *s) {
    uint32_t from[2], to[2], first;
    xg_sim_halves_of(p, s, &s->o[1], false, from);
    xg_sim_halves_of(p, s, &s->o[0], true, to);
    first = xg_sim_via(p, s, XG_F(mov_b64), 8, from[0]); /* {a,b} may be the register's own halves in another order */
    xg_sim_alu_1(p, s, XG_F(mov_b64), to[1], from[1]);
    xg_sim_alu_1(p, s, XG_F(mov_b64), to[0], first);
}
/* mov.v2 and .v4: register by register, by way of others since sides may overlap; or a special register with all its
 * parts. */
XG_FN void xg_sim_mov_vector(xg_sim_asm *p, xg_sim_stmt *s, uint32_t n) {
    const xg_sim_type t = xg_sim_take_type(p, s);
    uint32_t between[4], i;
    xg_sim_operands_are(p, s, 2);
    if (s->o[0].kind != XG_SIM_O_VEC || s->o[0].n != n ||
        (s->o[1].kind != XG_SIM_O_SREG && (s->o[1].kind != XG_SIM_O_VEC || s->o[1].n != n)))
        xg_sim_no_type(p, s, t);
    for (i = 0; i < n; i++) {
        xg_sim_operand part = s->o[1];
        char name[64];
        if (part.kind == XG_SIM_O_VEC)
            part = part.items[i];
        else {
            xg_format(name, sizeof name, "%.*s.%c", (int)XG_MIN(part.word.n, 60u), part.word.p, "xyzw"[i]);
            part.word = xg_str_copy(&p->scratch, xg_str_z(name));
        }
        between[i] = xg_sim_via(p, s, (xg_sim_f)xg_sim_pick(p, s, XG_SIM_BT_mov, t), XG_MAX(2u, xg_sim_types[t].bytes),
            xg_sim_source_of(p, s, &part, t));
    }
    for (i = 0; i < n; i++)
        xg_sim_alu_1(p, s, xg_sim_pick(p, s, XG_SIM_BT_mov, t), xg_sim_dest_of(p, &s->o[0].items[i], t), between[i]);
}
XG_FN void xg_sim_d_mov(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    const uint32_t lanes = xg_sim_take(s, "v2") ? 2 : xg_sim_take(s, "v4") ? 4 : 1;
    xg_sim_type t;
    (void)arg;
    if (lanes > 1) {
        xg_sim_mov_vector(p, s, lanes);
        return;
    }
    t = xg_sim_take_type(p, s);
    xg_sim_operands_are(p, s, 2);
    if (t == XG_SIM_B128) {
        xg_sim_mov_wide(p, s);
        return;
    }
    if (s->o[1].kind == XG_SIM_O_VEC) {
        xg_sim_mov_pack(p, s, xg_sim_bits_type(t));
        return;
    }
    if (s->o[0].kind == XG_SIM_O_VEC) {
        xg_sim_mov_unpack(p, s, xg_sim_bits_type(t));
        return;
    }
    if (s->o[1].kind == XG_SIM_O_FUNC) {
        if (xg_sim_types[t].bytes != 8) xg_sim_no_type(p, s, t);
        xg_sim_alu_1(p, s, XG_F(mov_b64), xg_sim_dest(p, s, t),
            xg_sim_constant(p, xg_sim_function_address(s->o[1].sym->func), 8));
        return;
    }
    if (t == XG_SIM_PRED) {
        xg_sim_alu_of_2(p, s, XG_F(mov_b32), t, t, XG_SIM_NO_TYPE);
        return;
    }
    xg_sim_alu_of_2(p, s, xg_sim_pick(p, s, XG_SIM_BT_mov, t), t, t, XG_SIM_NO_TYPE);
}

/* ---- cvt ---- */

XG_FN bool xg_sim_is_int(xg_sim_type t) { return xg_sim_types[t].cls == 'U' || xg_sim_types[t].cls == 'S'; }
XG_FN xg_sim_format xg_sim_format_of(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    switch (t) {
    case XG_SIM_F16:
    case XG_SIM_F16X2: return XG_SIM_IS_F16;
    case XG_SIM_BF16:
    case XG_SIM_BF16X2: return XG_SIM_IS_BF16;
    case XG_SIM_TF32: return XG_SIM_IS_TF32;
    case XG_SIM_F32: return XG_SIM_IS_F32;
    case XG_SIM_F64: return XG_SIM_IS_F64;
    case XG_SIM_E4M3:
    case XG_SIM_E4M3X2: return XG_SIM_IS_E4M3;
    case XG_SIM_E5M2:
    case XG_SIM_E5M2X2: return XG_SIM_IS_E5M2;
    case XG_SIM_E2M1X2: return XG_SIM_IS_E2M1;
    case XG_SIM_E2M3X2: return XG_SIM_IS_E2M3;
    case XG_SIM_E3M2X2: return XG_SIM_IS_E3M2;
    case XG_SIM_UE8M0X2: return XG_SIM_IS_UE8M0;
    default: xg_sim_no_type(p, s, t);
    }
}
XG_FN uint32_t xg_sim_log2(uint32_t bytes) { return bytes >= 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0; }
XG_FN uint32_t xg_sim_cvt_spec(xg_sim_asm *p, const xg_sim_stmt *s, xg_sim_type t) {
    if (xg_sim_is_int(t))
        return (uint32_t)XG_SIM_CVT_INT | xg_sim_log2(xg_sim_types[t].bytes) |
               (xg_sim_types[t].cls == 'S' ? (uint32_t)XG_SIM_CVT_SIGNED : 0u);
    return xg_sim_format_of(p, s, t);
}
XG_FN xg_sim_f xg_sim_cvt_general(uint32_t to_bytes, uint32_t from_bytes) {
    XG_TABLE const uint16_t f[3][3] = {{XG_F(cvt_16_16), XG_F(cvt_16_32), XG_F(cvt_16_64)},
        {XG_F(cvt_32_16), XG_F(cvt_32_32), XG_F(cvt_32_64)}, {XG_F(cvt_64_16), XG_F(cvt_64_32), XG_F(cvt_64_64)}};
    return (xg_sim_f)f[xg_sim_log2(to_bytes) - 1][xg_sim_log2(from_bytes) - 1];
}
/* Extends the low `bits` bits within a register; none when they fill it. */
XG_FN xg_sim_f xg_sim_extend(uint32_t bits, uint32_t bytes, bool sgn) {
    if (bits == 8)
        return bytes == 2   ? (sgn ? XG_F(sext8_i16) : XG_F(zext8_i16))
               : bytes == 4 ? (sgn ? XG_F(sext8_i32) : XG_F(zext8_i32))
               : sgn        ? XG_F(sext8_i64)
                            : XG_F(zext8_i64);
    if (bits == 16 && bytes > 2)
        return bytes == 4 ? (sgn ? XG_F(sext16_i32) : XG_F(zext16_i32)) : sgn ? XG_F(sext16_i64) : XG_F(zext16_i64);
    if (bits == 32 && bytes > 4) return sgn ? XG_F(sext32_i64) : XG_F(zext32_i64);
    return XG_SIM_F_none;
}
XG_FN xg_sim_f xg_sim_resize(uint32_t to, uint32_t from, bool sgn) {
    if (to == from) return to == 2 ? XG_F(mov_b16) : to == 4 ? XG_F(mov_b32) : XG_F(mov_b64);
    if (to == 2) return from == 4 ? XG_F(u16_u32) : XG_F(u16_u64);
    if (to == 4) return from == 8 ? XG_F(u32_u64) : sgn ? XG_F(s32_s16) : XG_F(u32_u16);
    return from == 2 ? (sgn ? XG_F(s64_s16) : XG_F(u64_u16)) : sgn ? XG_F(s64_s32) : XG_F(u64_u32);
}
/* Integer to integer: extend within the source if its type is narrower, change the size, extend within the
 * destination. */
XG_FN void xg_sim_cvt_ints(xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type dt, xg_sim_type st, uint32_t d, uint32_t a) {
    uint32_t db = xg_sim_bytes_of(p, d), sb = xg_sim_bytes_of(p, a), dbits = xg_sim_types[dt].bits,
             sbits = xg_sim_types[st].bits;
    bool dsgn = xg_sim_types[dt].cls == 'S', ssgn = xg_sim_types[st].cls == 'S';
    xg_sim_f before = dbits > sbits ? xg_sim_extend(sbits, sb, ssgn) : XG_SIM_F_none,
             after = xg_sim_extend(dbits, db, dsgn), size = xg_sim_resize(db, sb, ssgn);
    if (before != XG_SIM_F_none) a = xg_sim_via(p, s, before, sb, a);
    if (after == XG_SIM_F_none) {
        xg_sim_alu_1(p, s, size, d, a);
        return;
    }
    if (db != sb) a = xg_sim_via(p, s, size, db, a);
    xg_sim_alu_1(p, s, after, d, a);
}
/* The vector functions for the common conversions without modifiers; none otherwise. */
XG_FN xg_sim_f xg_sim_cvt_fast(xg_sim_type dt, xg_sim_type st, xg_sim_round mode) {
    if (st == XG_SIM_BF16 && dt == XG_SIM_F32) return XG_F(f32_bf16);
    if (st == XG_SIM_F16 && dt == XG_SIM_F32) return XG_F(f32_f16);
    if (st == XG_SIM_F32 && dt == XG_SIM_F64) return XG_F(f64_f32);
    if (st == XG_SIM_S32 && dt == XG_SIM_F64) return XG_F(f64_s32);
    if (mode != XG_SIM_RN) return XG_SIM_F_none;
    if (st == XG_SIM_F32 && dt == XG_SIM_BF16) return XG_F(bf16_f32);
    if (st == XG_SIM_F32 && dt == XG_SIM_F16) return XG_F(f16_f32);
    if (st == XG_SIM_F64 && dt == XG_SIM_F32) return XG_F(f32_f64);
    if (st == XG_SIM_S32 && dt == XG_SIM_F32) return XG_F(f32_s32);
    if (st == XG_SIM_U32 && dt == XG_SIM_F32) return XG_F(f32_u32);
    return XG_SIM_F_none;
}

XG_FN void xg_sim_cvt_packed(
    xg_sim_asm *p, xg_sim_stmt *s, xg_sim_type dt, xg_sim_type st, uint32_t to, uint32_t from) {
    uint32_t d;
    xg_sim_f f;
    if (st == XG_SIM_F32) { /* d, a (upper), b (lower) */
        uint32_t a, b;
        xg_sim_operands_are(p, s, 3);
        a = xg_sim_source(p, s, 1, XG_SIM_F32);
        b = xg_sim_source(p, s, 2, XG_SIM_F32);
        f = xg_sim_types[dt].bits == 32 ? XG_F(pair_32) : xg_sim_types[dt].bits == 16 ? XG_F(pair_16) : XG_F(pair_8);
        d = xg_sim_dest_in(p, &s->o[0], dt, true);
        if (xg_sim_bytes_of(p, d) != XG_MAX(2u, xg_sim_types[dt].bytes)) xg_sim_no_type(p, s, dt);
        xg_sim_alu_2(p, s, f, d, a, b);
    } else {
        xg_sim_operands_are(p, s, 2);
        if ((st == XG_SIM_F16X2 || st == XG_SIM_BF16X2) && xg_sim_types[dt].bytes == 2)
            f = XG_F(pair_x2);
        else if ((dt == XG_SIM_F16X2 || dt == XG_SIM_BF16X2) && xg_sim_types[st].bits == 16)
            f = XG_F(unpair_8);
        else if ((dt == XG_SIM_F16X2 || dt == XG_SIM_BF16X2) && xg_sim_types[st].bits == 8)
            f = XG_F(unpair_4);
        else
            xg_sim_no_type(p, s, dt);
        xg_sim_alu_of_2(p, s, f, dt, st, XG_SIM_NO_TYPE);
    }
    p->code.p[p->code.n - 1].imm = to;
    p->code.p[p->code.n - 1].imm2 = from;
}

XG_FN bool xg_sim_has_mod(const xg_sim_stmt *s, const char *word) {
    uint32_t i;
    for (i = 0; i < s->n_mods; i++)
        if (xg_str_is(s->mods[i], word)) return true;
    return false;
}
/* cvt.pack.sat.{u2,s2,u4,s4}.s32.b32 d, a, b, c */
XG_FN void xg_sim_cvt_pack_small(xg_sim_asm *p, xg_sim_stmt *s) {
    bool four = xg_sim_take(s, "u4"), four_signed = !four && xg_sim_take(s, "s4"),
         two = !four && !four_signed && xg_sim_take(s, "u2");
    uint32_t a, b, c;
    if (!four && !four_signed && !two) xg_sim_take(s, "s2");
    if (!xg_sim_take(s, "s32") || !xg_sim_take(s, "b32"))
        xg_sim_bad(p, s->at, "such as cvt.pack.sat.s4.s32.b32", "'cvt.pack' of small integers takes .s32 and .b32");
    xg_sim_operands_are(p, s, 4);
    a = xg_sim_source(p, s, 1, XG_SIM_S32);
    b = xg_sim_source(p, s, 2, XG_SIM_S32);
    c = xg_sim_source(p, s, 3, XG_SIM_B32);
    xg_sim_alu(p, s, XG_F(pack_small), xg_sim_dest(p, s, XG_SIM_B32), a, b, c)->imm =
        (four || four_signed ? 4u : 2u) | (four || two ? 0u : 8u);
}
XG_FN void xg_sim_cvt_pack_int(xg_sim_asm *p, xg_sim_stmt *s) { /* cvt.pack.sat.s8.s32[.b32] d, a, b[, c] */
    xg_sim_type dt, st;
    uint32_t a, b, c, to, from;
    xg_sim_ins *in;
    if (!xg_sim_take(s, "sat")) xg_sim_wrong(p, s->at, "'cvt.pack' needs .sat");
    if (xg_sim_has_mod(s, "u4") || xg_sim_has_mod(s, "s4") || xg_sim_has_mod(s, "u2") || xg_sim_has_mod(s, "s2")) {
        xg_sim_cvt_pack_small(p, s);
        return;
    }
    dt = xg_sim_take_type(p, s);
    st = xg_sim_take_type(p, s);
    if (st != XG_SIM_S32 || !xg_sim_is_int(dt) || xg_sim_types[dt].bytes > 2) xg_sim_no_type(p, s, dt);
    xg_sim_take(s, "b32");
    xg_sim_operands(p, s, 3, 4);
    a = xg_sim_source(p, s, 1, st);
    b = xg_sim_source(p, s, 2, st);
    c = s->n == 4 ? xg_sim_source(p, s, 3, XG_SIM_B32) : xg_sim_constant(p, 0, 4);
    to = xg_sim_cvt_spec(p, s, dt) | XG_SIM_CVT_SAT;
    from = xg_sim_cvt_spec(p, s, st);
    in = xg_sim_alu(p, s, XG_F(pack_cvt), xg_sim_dest(p, s, XG_SIM_B32), a, b, c);
    in->imm = to | (uint32_t)xg_sim_types[dt].bits << 16;
    in->imm2 = from;
}

XG_FN void xg_sim_d_cvt(xg_sim_asm *p, xg_sim_stmt *s, uint32_t arg) {
    int m;
    bool ftz, sat, satfinite, relu, plain;
    xg_sim_type dt, st;
    uint32_t to, from, d, a;
    xg_sim_round mode;
    xg_sim_f f;
    xg_sim_ins *in;
    (void)arg;
    if (xg_sim_take(s, "pack")) {
        xg_sim_cvt_pack_int(p, s);
        return;
    }
    m = xg_sim_take_one(s, "rn rz rm rp rna rni rzi rmi rpi");
    ftz = xg_sim_take(s, "ftz");
    sat = xg_sim_take(s, "sat");
    satfinite = xg_sim_take(s, "satfinite");
    relu = xg_sim_take(s, "relu");
    dt = xg_sim_take_type(p, s);
    st = xg_sim_take_type(p, s);
    if (xg_sim_types[dt].cls == 'B' || xg_sim_types[st].cls == 'B' || dt == XG_SIM_PRED || st == XG_SIM_PRED)
        xg_sim_bad(p, s->at, "use .u, .s or .f types", "'cvt' has no .b or .pred types");
    mode = m < 0 ? XG_SIM_RN : m < 5 ? (xg_sim_round)m : (xg_sim_round)(m - 5);
    to = xg_sim_cvt_spec(p, s, dt);
    from = xg_sim_cvt_spec(p, s, st);
    if (m < 0 && !xg_sim_is_int(dt) && (xg_sim_is_int(st) || xg_sim_types[dt].bits < xg_sim_types[st].bits))
        xg_sim_bad(p, s->at, "such as cvt.rn", "this conversion needs a rounding mode");
    if (m < 0 && xg_sim_is_int(dt) && !xg_sim_is_int(st))
        xg_sim_bad(p, s->at, "such as cvt.rzi", "this conversion needs an integer rounding mode");
    to |= (uint32_t)mode << 6;
    if (sat || (xg_sim_is_int(dt) && !xg_sim_is_int(st))) to |= XG_SIM_CVT_SAT;
    if (satfinite) to |= XG_SIM_CVT_SATFINITE;
    if (relu) to |= XG_SIM_CVT_RELU;
    if (ftz) {
        to |= XG_SIM_CVT_FTZ;
        from |= XG_SIM_CVT_FTZ;
    }
    if (m >= 5 && !xg_sim_is_int(dt)) to |= XG_SIM_CVT_INTEGRAL;
    if ((dt == XG_SIM_BF16 && xg_sim_is_int(st) && xg_sim_types[st].bytes == 1) ||
        (st == XG_SIM_BF16 && xg_sim_is_int(dt) && xg_sim_types[dt].bytes == 1))
        xg_sim_no_type(p, s, dt);
    if (xg_sim_types[dt].cls == 'V' || xg_sim_types[st].cls == 'V') {
        xg_sim_cvt_packed(p, s, dt, st, to, from);
        return;
    }
    xg_sim_operands_are(p, s, 2);
    a = xg_sim_source_in(p, s, &s->o[1], st, true);
    d = xg_sim_dest_in(p, &s->o[0], dt, true);
    plain = !ftz && !sat && !satfinite && !relu;
    if (xg_sim_is_int(dt) && xg_sim_is_int(st) && plain) {
        xg_sim_cvt_ints(p, s, dt, st, d, a);
        return;
    }
    /* a float in a larger register: low bits, zeros above */
    if (!xg_sim_is_int(dt) && xg_sim_bytes_of(p, d) != xg_sim_types[dt].bytes) {
        uint32_t t = xg_sim_temp(p, xg_sim_types[dt].bytes);
        in = xg_sim_alu_1(p, s, xg_sim_cvt_general(xg_sim_types[dt].bytes, xg_sim_bytes_of(p, a)), t, a);
        in->imm = to;
        in->imm2 = from;
        xg_sim_alu_1(p, s, xg_sim_resize(xg_sim_bytes_of(p, d), xg_sim_types[dt].bytes, false), d, t);
        return;
    }
    if (plain && m < 5 && xg_sim_is_int(st) && xg_sim_types[st].bits < 32 &&
        (dt == XG_SIM_F32 || dt == XG_SIM_F64)) { /* through s32, exactly */
        uint32_t t = xg_sim_temp(p, 4);
        xg_sim_cvt_ints(p, s, XG_SIM_S32, st, t, a);
        a = t;
        st = XG_SIM_S32;
        mode = XG_SIM_RN;
    }
    f = plain && m < 5 && xg_sim_bytes_of(p, a) == XG_MAX(2u, xg_sim_types[st].bytes) ? xg_sim_cvt_fast(dt, st, mode)
                                                                                      : XG_SIM_F_none;
    if (f == XG_SIM_F_none) f = xg_sim_cvt_general(xg_sim_bytes_of(p, d), xg_sim_bytes_of(p, a));
    in = xg_sim_alu_1(p, s, f, d, a);
    in->imm = to;
    in->imm2 = from;
}

#endif /* XG_SIM_CONVERT_C */
