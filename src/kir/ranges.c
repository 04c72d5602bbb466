/* kir/ranges.c -- ranges of integer values, inferred once when an operation is made.
 *
 * A range is a fact about the value itself: it follows from operands alone, never from the branch that an operation
 * stands in. So it stays true when an operation moves, is cloned, or when an operand is replaced by an equal one.
 * All ranges are of the signed reading; where an operation could wrap around its width nothing is known. */
#ifndef XG_KIR_RANGES_C
#define XG_KIR_RANGES_C
#include "kir.h"

XG_FN xg_range xg_kelem_range(xg_kelem e) {
    int bits = xg_kelem_bits(e);
    if (e == XG_E_I1) return xg_range_of(0, 1);
    if (bits == 0 || bits >= 64) return xg_range_of(INT64_MIN, INT64_MAX);
    return xg_range_of(-((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1);
}

XG_FN xg_range xg_kval_range(const xg_kval *v) {
    return v->lo <= v->hi ? xg_range_of(v->lo, v->hi) : xg_kelem_range(v->type->elem);
}

XG_FN void xg_kval_set_range(xg_kval *v, xg_range r) {
    xg_range all = xg_kelem_range(v->type->elem);
    bool fits = r.lo <= r.hi && r.lo >= all.lo && r.hi <= all.hi && v->type->kind == XG_TK_SCALAR &&
                xg_kelem_is_int(v->type->elem);
    if (v->def && v->def->op == XG_K_OP_CONST && v->lo == v->hi) return; /* is its own */
    v->lo = fits ? r.lo : 1;
    v->hi = fits ? r.hi : 0;
}

XG_FN bool xg_ktype_has_range(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && xg_kelem_is_int(t->elem); }

/* What means that nothing is known. */
XG_FN xg_range xg_krange_none(void) { return xg_range_of(1, 0); }

/* Exact bounds only: an end that would leave int64 makes the whole unknown. */
XG_APART XG_FN xg_range xg_krange_add(xg_range x, xg_range y, int64_t sign) {
    xg_range r = xg_krange_none();
    int64_t lo, hi;
    if (sign < 0) {
        if (y.lo == INT64_MIN || y.hi == INT64_MIN) return r;
        y = xg_range_of(-y.hi, -y.lo);
    }
    if (xg_add64(x.lo, y.lo, &lo) && xg_add64(x.hi, y.hi, &hi)) r = xg_range_of(lo, hi);
    return r;
}
XG_FN xg_range xg_krange_mul(xg_range x, xg_range y) {
    int64_t p[4], lo, hi;
    int i;
    if (!xg_mul64(x.lo, y.lo, &p[0]) || !xg_mul64(x.lo, y.hi, &p[1]) || !xg_mul64(x.hi, y.lo, &p[2]) ||
        !xg_mul64(x.hi, y.hi, &p[3]))
        return xg_krange_none();
    for (lo = hi = p[0], i = 1; i < 4; i++) {
        lo = XG_MIN(lo, p[i]);
        hi = XG_MAX(hi, p[i]);
    }
    return xg_range_of(lo, hi);
}
/* The least 2^k - 1 that is not below v. */
XG_FN int64_t xg_krange_mask(int64_t v) {
    uint64_t m = (uint64_t)v;
    m |= m >> 1;
    m |= m >> 2;
    m |= m >> 4;
    m |= m >> 8;
    m |= m >> 16;
    m |= m >> 32;
    return (int64_t)m;
}

/* Quotients and remainders, rounded toward zero, by a positive divisor; the unsigned ones of values that are not
 * negative are the same. */
XG_FN xg_range xg_krange_divide(xg_kopcode op, xg_range x, xg_range y) {
    bool is_unsigned = op == XG_K_OP_DIVUI || op == XG_K_OP_REMUI;
    int64_t lo, hi;
    if (y.lo <= 0) return xg_krange_none();
    if (is_unsigned && x.lo < 0) return op == XG_K_OP_REMUI ? xg_range_of(0, y.hi - 1) : xg_krange_none();
    if (op == XG_K_OP_DIVUI || op == XG_K_OP_DIVSI) {
        lo = x.lo >= 0 ? x.lo / y.hi : x.lo / y.lo;
        hi = x.hi >= 0 ? x.hi / y.lo : x.hi / y.hi;
        return xg_range_of(lo, hi);
    }
    lo = x.lo >= 0 ? 0 : XG_MAX(x.lo, 1 - y.hi);
    hi = x.hi <= 0 ? 0 : XG_MIN(x.hi, y.hi - 1);
    if (x.lo >= 0 && x.hi < y.lo) return x;
    return xg_range_of(lo, hi);
}

XG_FN xg_range xg_krange_shift(xg_kopcode op, xg_range x, xg_range y, int bits) {
    if (y.lo < 0 || y.hi >= (bits ? bits : 64)) return xg_krange_none();
    if (op == XG_K_OP_SHRSI)
        return xg_range_of(x.lo >= 0 ? x.lo >> y.hi : -((-(x.lo + 1)) >> y.lo) - 1,
            x.hi >= 0 ? x.hi >> y.lo : -((-(x.hi + 1)) >> y.hi) - 1);
    if (x.lo < 0) return xg_krange_none();
    if (op == XG_K_OP_SHRUI) return xg_range_of(x.lo >> y.hi, x.hi >> y.lo);
    if (y.hi >= 63 || x.hi > INT64_MAX >> y.hi) return xg_krange_none();
    return xg_range_of(x.lo << y.lo, x.hi << y.hi);
}

XG_FN xg_range xg_krange_bits(xg_kopcode op, xg_range x, xg_range y) {
    bool px = x.lo >= 0, py = y.lo >= 0;
    if (op == XG_K_OP_ANDI) {
        if (!px && !py) return xg_krange_none();
        return xg_range_of(0, px && py ? XG_MIN(x.hi, y.hi) : px ? x.hi : y.hi);
    }
    if (!px || !py) return xg_krange_none();
    return xg_range_of(op == XG_K_OP_ORI ? XG_MAX(x.lo, y.lo) : 0, xg_krange_mask(XG_MAX(x.hi, y.hi)));
}

XG_FN xg_range xg_krange_extreme(xg_kopcode op, xg_range x, xg_range y) {
    bool is_unsigned = op == XG_K_OP_MAXUI || op == XG_K_OP_MINUI;
    if (is_unsigned && (x.lo < 0 || y.lo < 0))
        return op == XG_K_OP_MINUI && (x.lo >= 0 || y.lo >= 0) ? xg_range_of(0, x.lo >= 0 ? x.hi : y.hi)
                                                               : xg_krange_none();
    if (op == XG_K_OP_MAXUI || op == XG_K_OP_MAXSI) return xg_range_of(XG_MAX(x.lo, y.lo), XG_MAX(x.hi, y.hi));
    return xg_range_of(XG_MIN(x.lo, y.lo), XG_MIN(x.hi, y.hi));
}

XG_FN xg_range xg_krange_ext(const xg_kop *op) {
    const xg_kval *v = op->operands[0].value;
    xg_range x = xg_kval_range(v);
    int bits = xg_kelem_bits(v->type->elem);
    if (op->op == XG_K_OP_EXTUI && x.lo < 0)
        return bits && bits < 63 ? xg_range_of(0, (int64_t)(((uint64_t)1 << bits) - 1)) : xg_krange_none();
    if (op->op == XG_K_OP_EXTSI && v->type->elem == XG_E_I1) return xg_range_of(-x.hi, -x.lo);
    return x;
}

XG_FN void xg_kop_infer_range(xg_kop *op) {
    xg_range x, y, r = xg_krange_none();
    const xg_ktype *t;
    if (op->n_results != 1 || op->n_operands == 0) return;
    t = op->results[0].type;
    if (!xg_ktype_has_range(t)) return;
    x = xg_kval_range(op->operands[0].value);
    y = op->n_operands > 1 ? xg_kval_range(op->operands[1].value) : x;
    switch (op->op) {
    case XG_K_OP_ADDI: r = xg_krange_add(x, y, 1); break;
    case XG_K_OP_SUBI: r = xg_krange_add(x, y, -1); break;
    case XG_K_OP_MULI: r = xg_krange_mul(x, y); break;
    case XG_K_OP_DIVSI:
    case XG_K_OP_DIVUI:
    case XG_K_OP_REMSI:
    case XG_K_OP_REMUI: r = xg_krange_divide(op->op, x, y); break;
    case XG_K_OP_SHLI:
    case XG_K_OP_SHRSI:
    case XG_K_OP_SHRUI: r = xg_krange_shift(op->op, x, y, xg_kelem_bits(t->elem)); break;
    case XG_K_OP_ANDI:
    case XG_K_OP_ORI:
    case XG_K_OP_XORI: r = xg_krange_bits(op->op, x, y); break;
    case XG_K_OP_MAXSI:
    case XG_K_OP_MINSI:
    case XG_K_OP_MAXUI:
    case XG_K_OP_MINUI: r = xg_krange_extreme(op->op, x, y); break;
    case XG_K_OP_EXTSI:
    case XG_K_OP_EXTUI: r = xg_krange_ext(op); break;
    case XG_K_OP_TRUNCI:
    case XG_K_OP_INDEX_CAST: r = op->operands[0].value->type->kind == XG_TK_SCALAR ? x : r; break;
    case XG_K_OP_CTPOP:
    case XG_K_OP_CTLZ: r = xg_range_of(0, xg_kelem_bits(t->elem)); break;
    case XG_K_OP_SELECT:
        x = y;
        y = xg_kval_range(op->operands[2].value);
        r = xg_range_of(XG_MIN(x.lo, y.lo), XG_MAX(x.hi, y.hi));
        break;
    default: return;
    }
    if (t->elem == XG_E_I1 && op->op != XG_K_OP_TRUNCI && op->op != XG_K_OP_ANDI && op->op != XG_K_OP_ORI &&
        op->op != XG_K_OP_SELECT)
        r = xg_krange_none();
    xg_kval_set_range(&op->results[0], r);
}

#endif /* XG_KIR_RANGES_C */
