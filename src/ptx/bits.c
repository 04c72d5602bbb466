/* ptx/bits.c -- bitcasts between scalars and vectors: renaming where the register class stays, packing and unpacking
 * 32-bit words where it does not. */
#ifndef XG_PTX_BITS_C
#define XG_PTX_BITS_C
#include "print.c"

/* Lanes of `bits` each to 32-bit words, of a class where they are halves; n * bits is a multiple of 32. */
static void xg_ptx_to_words(
    xg_ptx *p, const xg_ptx_lane *from, uint32_t n, int bits, xg_ptx_lane *words, xg_ptx_class cls) {
    uint32_t i;
    xg_ptx_lane sel = xg_ptx_imm(XG_PC_R, 0x0040), half = xg_ptx_imm(XG_PC_R, 0x5410), in[4];
    if (bits == 32) {
        for (i = 0; i < n; i++) words[i] = from[i];
        return;
    }
    if (bits == 64) {
        for (i = 0; i < n; i++) {
            xg_ptx_lane l = xg_ptx_in_reg(p, &from[i]);
            words[2 * i] = xg_ptx_new_reg(p, cls);
            words[2 * i + 1] = xg_ptx_new_reg(p, cls);
            xg_ptx_line(p, "mov.b64 {$, $}, $", &words[2 * i], &words[2 * i + 1], &l, NULL);
        }
        return;
    }
    for (i = 0; i < n; i += 32 / (uint32_t)bits) {
        xg_ptx_lane *w = &words[i * (uint32_t)bits / 32];
        uint32_t k, per = 32 / (uint32_t)bits;
        for (k = 0; k < per; k++) in[k] = xg_ptx_in_reg(p, &from[i + k]);
        *w = xg_ptx_new_reg(p, XG_PC_R);
        if (bits == 16 && in[0].cls == XG_PC_RS)
            xg_ptx_line(p, "mov.b32 $, {$, $}", w, &in[0], &in[1], NULL);
        else if (bits == 16)
            xg_ptx_line(p, "prmt.b32 $, $, $, $", w, &in[0], &in[1], &half);
        else {
            xg_ptx_lane lo = xg_ptx_new_reg(p, XG_PC_R), hi = xg_ptx_new_reg(p, XG_PC_R);
            xg_ptx_line(p, "prmt.b32 $, $, $, $", &lo, &in[0], &in[1], &sel);
            xg_ptx_line(p, "prmt.b32 $, $, $, $", &hi, &in[2], &in[3], &sel);
            xg_ptx_line(p, "prmt.b32 $, $, $, $", w, &lo, &hi, &half);
        }
    }
}
/* 32-bit words to lanes of a class. Small integers keep what stands above them. */
static void xg_ptx_from_words(
    xg_ptx *p, const xg_ptx_lane *words, xg_ptx_lane *to, uint32_t n, int bits, xg_ptx_class cls) {
    uint32_t i, k, per = bits < 32 ? 32 / (uint32_t)bits : 1;
    if (bits == 64) {
        for (i = 0; i < n; i++) {
            to[i] = xg_ptx_new_reg(p, cls);
            xg_ptx_line(p, "mov.b64 $, {$, $}", &to[i], &words[2 * i], &words[2 * i + 1], NULL);
        }
    } else if (bits == 32) {
        for (i = 0; i < n; i++) {
            to[i] = words[i];
            if (words[i].cls == (uint8_t)cls) continue;
            to[i] = xg_ptx_new_reg(p, cls);
            xg_ptx_line(p, "mov.b32 $, $", &to[i], &words[i], NULL, NULL);
        }
    } else
        for (i = 0; i < n; i += per) {
            xg_ptx_lane w = xg_ptx_in_reg(p, &words[i / per]);
            if (cls == XG_PC_R && w.cls != XG_PC_R) { /* shifts want an integer register */
                xg_ptx_lane r = xg_ptx_new_reg(p, XG_PC_R);
                xg_ptx_line(p, "mov.b32 $, $", &r, &w, NULL, NULL);
                w = r;
            }
            if (cls == XG_PC_RS) {
                to[i] = xg_ptx_new_reg(p, cls);
                to[i + 1] = xg_ptx_new_reg(p, cls);
                xg_ptx_line(p, "mov.b32 {$, $}, $", &to[i], &to[i + 1], &w, NULL);
            } else
                for (k = 0; k < per; k++) {
                    xg_ptx_lane shift = xg_ptx_imm(XG_PC_R, (int64_t)k * bits);
                    to[i + k] = w;
                    to[i + k].zext = to[i + k].sext = false;
                    if (!k) continue;
                    to[i + k] = xg_ptx_new_reg(p, cls);
                    xg_ptx_line(p, "shr.u32 $, $, $", &to[i + k], &w, &shift, NULL);
                    to[i + k].zext = k + 1 == per;
                }
        }
}
/* 8 and 16 bits in all: between an i16-like register, a 16-bit float and two bytes. */
static void xg_ptx_bitcast_small(
    xg_ptx *p, const xg_ptx_lane *from, uint32_t n_from, xg_ptx_lane *to, uint32_t n_to, xg_ptx_class cls) {
    xg_ptx_lane l = xg_ptx_in_reg(p, &from[0]), sel = xg_ptx_imm(XG_PC_R, 0x0040), eight = xg_ptx_imm(XG_PC_R, 8), t;
    if (n_from == 2) {
        xg_ptx_lane high = xg_ptx_in_reg(p, &from[1]);
        t = xg_ptx_new_reg(p, XG_PC_R);
        xg_ptx_line(p, "prmt.b32 $, $, $, $", &t, &l, &high, &sel);
        l = t;
    }
    if (l.cls == (uint8_t)cls)
        t = l;
    else {
        t = xg_ptx_new_reg(p, cls);
        xg_ptx_line(p, cls == XG_PC_RS ? "cvt.u16.u32 $, $" : "cvt.u32.u16 $, $", &t, &l, NULL, NULL);
        t.zext = cls == XG_PC_R;
    }
    if (n_from == 1 && n_to == 2) t.zext = t.sext = false;
    to[0] = t;
    if (n_to == 2) {
        to[1] = xg_ptx_new_reg(p, XG_PC_R);
        xg_ptx_line(p, "shr.u32 $, $, $", &to[1], &t, &eight, NULL);
    }
}
static void xg_ptx_print_bitcast(xg_ptx *p, xg_kop *op) {
    xg_kval *x = XG_KOPERAND(op, 0), *r = &op->results[0];
    const xg_ptx_val *from = xg_ptx_of(x);
    uint32_t n = xg_ptx_lanes_of(r->type), i;
    int from_bits = xg_ptx_elem_bits(x->type), to_bits = xg_ptx_elem_bits(r->type);
    xg_ptx_class cls = xg_ptx_class_of(r->type);
    xg_ptx_lane *to = XG_NEW_N(p->arena, xg_ptx_lane, n), *words;
    int64_t total = (int64_t)from->n * from_bits;
    if (n == from->n && (xg_ptx_class)from->lane[0].cls == cls) {
        xg_ptx_define_as(p, r, from->lane, n);
        return;
    }
    if (n == from->n && from->lane[0].kind == XG_PL_IMM) { /* a constant changes its class */
        for (i = 0; i < n; i++) to[i] = xg_ptx_imm(cls, from->lane[i].bits);
    } else if (n == from->n && total / n >= 32) {
        for (i = 0; i < n; i++) {
            to[i] = xg_ptx_new_reg(p, cls);
            xg_ptx_line(p, from_bits == 64 ? "mov.b64 $, $" : "mov.b32 $, $", &to[i], &from->lane[i], NULL, NULL);
        }
    } else if (n == from->n) {
        for (i = 0; i < n; i++) xg_ptx_bitcast_small(p, &from->lane[i], 1, &to[i], 1, cls);
    } else if (total <= 16) {
        xg_ptx_bitcast_small(p, from->lane, from->n, to, n, cls);
    } else {
        words = XG_NEW_N(p->arena, xg_ptx_lane, total / 32 + 1);
        xg_ptx_to_words(p, from->lane, from->n, from_bits, words, to_bits == 32 ? cls : XG_PC_R);
        xg_ptx_from_words(p, words, to, n, to_bits, cls);
    }
    xg_ptx_define_as(p, r, to, n);
}

#endif /* XG_PTX_BITS_C */
