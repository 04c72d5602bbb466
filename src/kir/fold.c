/* kir/fold.c -- operations on constants. Each answers false where the result is undefined, depends on the target, or is
 * better left to it.
 *
 * Integers are given and taken sign-extended (i1: 0 or 1), as in xg_kop.a; index counts as 64 bits, but only where 32
 * would give the same. Floats are given as bits. A sum, product or quotient of two numbers of at most 53/2 bits, made
 * in double and rounded again, is the correctly rounded one; NaNs are not folded since their bits are the machine's. */
#ifndef XG_KIR_FOLD_C
#define XG_KIR_FOLD_C
#include "kir.h"
#include "../base/number.h"
#include "build.c"

XG_FN int xg_kfold_width(xg_kelem e) { return e == XG_E_INDEX ? 64 : xg_kelem_bits(e); }
XG_FN uint64_t xg_kfold_unsigned(xg_kelem e, int64_t v) {
    int w = xg_kfold_width(e);
    return w >= 64 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << w) - 1);
}

XG_FN bool xg_kfold_divide(xg_kopcode op, xg_kelem e, int64_t x, int64_t y, int64_t *out) {
    uint64_t ux = xg_kfold_unsigned(e, x), uy = xg_kfold_unsigned(e, y);
    if (y == 0 || e == XG_E_I1) return false;
    switch (op) {
    case XG_K_OP_DIVUI: *out = xg_kint_wrap(e, (int64_t)(ux / uy)); return e != XG_E_INDEX || (x >= 0 && y > 0);
    case XG_K_OP_REMUI: *out = xg_kint_wrap(e, (int64_t)(ux % uy)); return e != XG_E_INDEX || (x >= 0 && y > 0);
    default: break;
    }
    if (y == -1) return false; /* may overflow */
    *out = op == XG_K_OP_DIVSI ? x / y : x % y;
    return true;
}
XG_FN bool xg_kfold_shift(xg_kopcode op, xg_kelem e, int64_t x, int64_t y, int64_t *out) {
    if (y < 0 || y >= xg_kfold_width(e) || e == XG_E_I1 || (e == XG_E_INDEX && (x < 0 || y > 30))) return false;
    if (op == XG_K_OP_SHLI)
        *out = xg_kint_wrap(e, (int64_t)((uint64_t)x << y));
    else if (op == XG_K_OP_SHRUI)
        *out = xg_kint_wrap(e, (int64_t)(xg_kfold_unsigned(e, x) >> y));
    else
        *out = x >= 0 ? x >> y : -((-(x + 1)) >> y) - 1;
    return true;
}
XG_FN bool xg_kfold_bits(xg_kopcode op, xg_kelem e, int64_t x, int64_t *out) {
    uint64_t u = xg_kfold_unsigned(e, x);
    int n = 0, w = xg_kfold_width(e);
    if (e == XG_E_INDEX) return false;
    if (op == XG_K_OP_CTPOP)
        for (; u; u &= u - 1) n++;
    else
        while (n < w && !(u >> (w - 1 - n) & 1)) n++;
    *out = xg_kint_wrap(e, n);
    return true;
}

/* Operations of one or two integers of element e. */
XG_FN bool xg_kfold_int(xg_kopcode op, xg_kelem e, int64_t x, int64_t y, int64_t *out) {
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    bool smaller = x < y, below = xg_kfold_unsigned(e, x) < xg_kfold_unsigned(e, y);
    switch (op) {
    case XG_K_OP_ADDI: *out = xg_kint_wrap(e, (int64_t)(ux + uy)); return e != XG_E_INDEX || xg_add64(x, y, out);
    case XG_K_OP_SUBI:
        *out = xg_kint_wrap(e, (int64_t)(ux - uy));
        return e != XG_E_INDEX || (y != INT64_MIN && xg_add64(x, -y, out));
    case XG_K_OP_MULI: *out = xg_kint_wrap(e, (int64_t)(ux * uy)); return e != XG_E_INDEX || xg_mul64(x, y, out);
    case XG_K_OP_ANDI: *out = (int64_t)(ux & uy); return true;
    case XG_K_OP_ORI: *out = (int64_t)(ux | uy); return true;
    case XG_K_OP_XORI: *out = (int64_t)(ux ^ uy); return true;
    case XG_K_OP_DIVSI:
    case XG_K_OP_DIVUI:
    case XG_K_OP_REMSI:
    case XG_K_OP_REMUI: return xg_kfold_divide(op, e, x, y, out);
    case XG_K_OP_SHLI:
    case XG_K_OP_SHRSI:
    case XG_K_OP_SHRUI: return xg_kfold_shift(op, e, x, y, out);
    case XG_K_OP_CTPOP:
    case XG_K_OP_CTLZ: return xg_kfold_bits(op, e, x, out);
    case XG_K_OP_MAXSI: *out = smaller ? y : x; return e != XG_E_I1;
    case XG_K_OP_MINSI: *out = smaller ? x : y; return e != XG_E_I1;
    case XG_K_OP_MAXUI: *out = below ? y : x; return e != XG_E_INDEX || (x >= 0 && y >= 0);
    case XG_K_OP_MINUI: *out = below ? x : y; return e != XG_E_INDEX || (x >= 0 && y >= 0);
    case XG_K_OP_MULHUI:
        if (e == XG_E_I32) *out = xg_kint_wrap(e, (int64_t)((xg_kfold_unsigned(e, x) * xg_kfold_unsigned(e, y)) >> 32));
        return e == XG_E_I32;
    default: return false;
    }
}

XG_FN bool xg_kfold_cmpi(uint32_t p, xg_kelem e, int64_t x, int64_t y, bool *out) {
    uint64_t ux = xg_kfold_unsigned(e, x), uy = xg_kfold_unsigned(e, y);
    if (e == XG_E_I1 && p >= XG_CI_SLT && p <= XG_CI_SGE) return false;
    if (e == XG_E_INDEX && p >= XG_CI_ULT && (x < 0 || y < 0)) return false;
    switch (p) {
    case XG_CI_EQ: *out = x == y; return true;
    case XG_CI_NE: *out = x != y; return true;
    case XG_CI_SLT: *out = x < y; return true;
    case XG_CI_SLE: *out = x <= y; return true;
    case XG_CI_SGT: *out = x > y; return true;
    case XG_CI_SGE: *out = x >= y; return true;
    case XG_CI_ULT: *out = ux < uy; return true;
    case XG_CI_ULE: *out = ux <= uy; return true;
    case XG_CI_UGT: *out = ux > uy; return true;
    case XG_CI_UGE: *out = ux >= uy; return true;
    default: return false;
    }
}
XG_FN bool xg_kfold_cmpf(uint32_t p, double x, double y, bool *out) {
    bool nan = x != x || y != y;
    switch (p) {
    case XG_CF_OEQ: *out = x == y; return true;
    case XG_CF_OGT: *out = x > y; return true;
    case XG_CF_OGE: *out = x >= y; return true;
    case XG_CF_OLT: *out = x < y; return true;
    case XG_CF_OLE: *out = x <= y; return true;
    case XG_CF_ONE: *out = !nan && x != y; return true;
    case XG_CF_ORD: *out = !nan; return true;
    case XG_CF_UEQ: *out = nan || x == y; return true;
    case XG_CF_UGT: *out = nan || x > y; return true;
    case XG_CF_UGE: *out = nan || x >= y; return true;
    case XG_CF_ULT: *out = nan || x < y; return true;
    case XG_CF_ULE: *out = nan || x <= y; return true;
    case XG_CF_UNE: *out = nan || x != y; return true;
    case XG_CF_UNO: *out = nan; return true;
    default: return false;
    }
}

/* Not a NaN, and not a subnormal that the target would flush. */
XG_FN bool xg_kfold_plain(const xg_kmodule *m, xg_kelem e, uint64_t bits) {
    const xg_float_format *f = xg_float_format_of(xg_kelem_format(e));
    double v = xg_float_decode(xg_kelem_format(e), bits);
    uint64_t exponent = bits >> f->mantissa_bits & (((uint64_t)1 << f->exponent_bits) - 1);
    return v == v && !(m->ftz && exponent == 0 && v != 0);
}
XG_FN bool xg_kfold_float(const xg_kmodule *m, xg_kopcode op, xg_kelem e, uint64_t x, uint64_t y, uint64_t *out) {
    xlagpu_type t = xg_kelem_format(e);
    double a, b, r;
    uint64_t sign = (uint64_t)1 << (xg_kelem_bits(e) - 1);
    if (op == XG_K_OP_NEGF) {
        *out = x ^ sign;
        return true;
    }
    if (op == XG_K_OP_ABSF) {
        *out = x & ~sign;
        return true;
    }
    if (!xg_kfold_plain(m, e, x) || !xg_kfold_plain(m, e, y)) return false;
    a = xg_float_decode(t, x);
    b = xg_float_decode(t, y);
    switch (op) {
    case XG_K_OP_ADDF: r = a + b; break;
    case XG_K_OP_SUBF: r = a - b; break;
    case XG_K_OP_MULF: r = a * b; break;
    case XG_K_OP_DIVF:
        if (b == 0) return false;
        r = a / b;
        break;
    default: return false;
    }
    *out = xg_float_encode(t, r);
    return xg_kfold_plain(m, e, *out);
}

/* Conversions of one constant; false when the result is not exactly what the operation gives. */
XG_FN bool xg_kfold_cast(const xg_kmodule *m, xg_kopcode op, xg_kelem from, xg_kelem to, int64_t x, int64_t *out) {
    uint64_t u = xg_kfold_unsigned(from, x);
    switch (op) {
    case XG_K_OP_EXTSI: *out = from == XG_E_I1 ? -x : x; return true;
    case XG_K_OP_EXTUI: *out = xg_kint_wrap(to, (int64_t)u); return true;
    case XG_K_OP_TRUNCI: *out = xg_kint_wrap(to, x); return true;
    case XG_K_OP_INDEX_CAST: *out = xg_kint_wrap(to, x); return from != XG_E_INDEX || *out == x;
    case XG_K_OP_SITOFP:
        if (x > ((int64_t)1 << 53) || x < -((int64_t)1 << 53) || from == XG_E_I1) return false;
        *out = (int64_t)xg_float_encode(xg_kelem_format(to), (double)x);
        return true;
    case XG_K_OP_UITOFP:
        if (u > (uint64_t)1 << 53) return false;
        *out = (int64_t)xg_float_encode(xg_kelem_format(to), (double)u);
        return true;
    case XG_K_OP_EXTF:
    case XG_K_OP_TRUNCF:
        if (!xg_kfold_plain(m, from, (uint64_t)x)) return false;
        *out = (int64_t)xg_float_encode(xg_kelem_format(to), xg_float_decode(xg_kelem_format(from), (uint64_t)x));
        return xg_kfold_plain(m, to, (uint64_t)*out);
    case XG_K_OP_BITCAST: *out = xg_kelem_is_int(to) ? xg_kint_wrap(to, x) : (int64_t)u; return true;
    default: return false;
    }
}

#endif /* XG_KIR_FOLD_C */
