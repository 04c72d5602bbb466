/* kir/rules.c -- the rewrite rules of canonicalize.c and of the builder (xg_kfolded): THE table, and one small function
 * a row.
 *
 * A rule gets an operation, and a place in front of it for new ones. It returns a value equal to the operation's only
 * result, that very result if it changed the operation in place, or NULL if it does not apply.
 * Laws
 * - The type stays. Wherever the original is defined the value stays, bit for bit except for the payloads of NaNs.
 * - Each rule makes the operation smaller, cheaper, or more canonical (constants to the right, and outward in sums), so
 *   that rewriting ends.
 * - Ranges may be used: they follow from the operands. */
#ifndef XG_KIR_RULES_C
#define XG_KIR_RULES_C
#include "kir.h"
#include "../base/number.h"
#include "fold.c"
#include "verify.c"

#define XG_KRULE(name) XG_FN xg_kval *xg_krule_##name(xg_kb *b, xg_kop *op)
#define XG_K0 (op->operands[0].value)
#define XG_K1 (op->operands[1].value)
#define XG_K2 (op->operands[2].value)

XG_FN bool xg_kis_scalar(const xg_kval *v) { return v->type->kind == XG_TK_SCALAR; }
XG_FN xg_kval *xg_klike(xg_kb *b, const xg_kval *v, int64_t bits) { return xg_kconst_bits(b, v->type, (uint64_t)bits); }
XG_FN bool xg_kval_by(const xg_kval *v, xg_kopcode op) { return v->def && v->def->op == op; }
XG_ONE_COPY XG_FN xg_kval *xg_kof(const xg_kval *v, uint32_t k) { return v->def->operands[k].value; }
XG_ONE_COPY XG_FN xg_kval *xg_kof_0(const xg_kval *v) { return xg_kof(v, 0); }
XG_FN int xg_klog2(int64_t v) {
    int n = 0;
    if (v <= 0 || (v & (v - 1))) return -1;
    while (v >> n != 1) n++;
    return n;
}
XG_FN bool xg_kval_nonnegative(const xg_kval *v) { return v->lo <= v->hi && v->lo >= 0; }
XG_FN bool xg_kis_float_const(const xg_kval *v, double want) {
    int64_t bits;
    return xg_kval_is_const(v, &bits) && xg_kelem_is_float(v->type->elem) &&
           (uint64_t)bits == xg_float_encode(xg_kelem_format(v->type->elem), want);
}

/* Changes opcode and operands in place, for an equal result: creates no operation, and the result keeps its range. */
XG_FN xg_kval *xg_kmade_into(xg_kop *op, xg_kopcode code, xg_kval *x, xg_kval *y) {
    xg_kval *r = op->results;
    xg_range known = xg_range_of(r->lo, r->hi);
    op->parent->func->module->made[op->op]--;
    op->parent->func->module->made[op->op = code]++;
    xg_kop_set_operand(op, 0, x);
    xg_kop_set_operand(op, 1, y);
    xg_kop_infer_range(op);
    if (known.lo > known.hi) return r;
    xg_kval_set_range(r, r->lo <= r->hi ? xg_range_meet(known, xg_range_of(r->lo, r->hi)) : known);
    return r;
}

/* ---- any integer result ---- */

/* A range of one value. */
XG_KRULE(point) {
    const xg_kval *r = op->results;
    return r->lo == r->hi && xg_kis_scalar(r) && xg_kelem_is_int(r->type->elem) ? xg_klike(b, r, r->lo) : NULL;
}
XG_KRULE(fold_int) {
    int64_t x, y = 0, r;
    if (!xg_kval_is_const(XG_K0, &x) || (op->n_operands > 1 && !xg_kval_is_const(XG_K1, &y))) return NULL;
    return xg_kfold_int(op->op, op->results->type->elem, x, y, &r) ? xg_klike(b, op->results, r) : NULL;
}
/* Moves a constant to the right of a commutative operation. */
XG_KRULE(const_right) {
    xg_kval *x = XG_K0, *y = XG_K1;
    (void)b;
    if (!xg_kval_is_const(x, NULL) || xg_kval_is_const(y, NULL)) return NULL;
    xg_kop_set_operand(op, 0, y);
    xg_kop_set_operand(op, 1, x);
    return op->results;
}

/* ---- sums ---- */

XG_KRULE(add_zero) {
    int64_t c;
    (void)b;
    return xg_kval_is_const(XG_K1, &c) && c == 0 ? XG_K0 : NULL;
}
/* (x + c) + d = x + (c + d);  (x + c) + y = (x + y) + c, so that addresses keep their constants outside. */
XG_KRULE(add_chain) {
    int64_t c, d, sum;
    xg_kval *x = XG_K0, *y = XG_K1;
    int k;
    for (k = 0; k < 2; k++, x = XG_K1, y = XG_K0) {
        if (!xg_kval_by(x, XG_K_OP_ADDI) || !xg_kval_is_const(xg_kof(x, 1), &c)) continue;
        if (xg_kval_is_const(y, &d)) {
            if (!xg_kfold_int(XG_K_OP_ADDI, x->type->elem, c, d, &sum)) continue;
            return xg_kmade_into(op, XG_K_OP_ADDI, xg_kof_0(x), xg_klike(b, x, sum));
        }
        if (xg_kused_once(x) && !xg_kval_is_const(xg_kof_0(x), NULL))
            return xg_kmade_into(op, XG_K_OP_ADDI, xg_kaddi(b, xg_kof_0(x), y), xg_kof(x, 1));
    }
    return NULL;
}
XG_KRULE(sub_same) { return XG_K0 == XG_K1 ? xg_klike(b, op->results, 0) : NULL; }
XG_KRULE(sub_const) {
    int64_t c;
    if (!xg_kval_is_const(XG_K1, &c) || c == INT64_MIN || !xg_kis_scalar(XG_K0)) return NULL;
    return xg_kmade_into(op, XG_K_OP_ADDI, XG_K0, xg_klike(b, XG_K1, xg_kint_wrap(XG_K1->type->elem, -c)));
}

/* ---- products, quotients, shifts ---- */

XG_KRULE(mul_const) {
    int64_t c;
    int shift;
    if (!xg_kval_is_const(XG_K1, &c) || !xg_kis_scalar(XG_K0)) return NULL;
    if (c == 0) return XG_K1;
    if (c == 1) return XG_K0;
    shift = xg_klog2(c);
    return shift > 0 && XG_K0->type->elem != XG_E_I1 ? xg_kmade_into(op, XG_K_OP_SHLI, XG_K0, xg_klike(b, XG_K1, shift))
                                                     : NULL;
}
/* x < d: the quotient is 0, the remainder x. */
XG_KRULE(div_small) {
    xg_range x = xg_kval_range(XG_K0), d = xg_kval_range(XG_K1);
    bool quotient = op->op == XG_K_OP_DIVUI || op->op == XG_K_OP_DIVSI;
    if (x.lo < 0 || x.hi >= d.lo || !xg_kis_scalar(XG_K0)) return NULL;
    return quotient ? xg_klike(b, op->results, 0) : XG_K0;
}
XG_KRULE(div_const) {
    int64_t d;
    int shift;
    bool rem = op->op == XG_K_OP_REMUI || op->op == XG_K_OP_REMSI,
         is_unsigned = op->op == XG_K_OP_DIVUI || op->op == XG_K_OP_REMUI;
    if (!xg_kval_is_const(XG_K1, &d) || !xg_kis_scalar(XG_K0) || XG_K0->type->elem == XG_E_I1) return NULL;
    if (d == 1) return rem ? xg_klike(b, op->results, 0) : XG_K0;
    if (!is_unsigned && !xg_kval_nonnegative(XG_K0)) return NULL;
    shift = xg_klog2(d);
    if (shift > 0)
        return xg_kmade_into(op, rem ? XG_K_OP_ANDI : XG_K_OP_SHRUI, XG_K0, xg_klike(b, XG_K1, rem ? d - 1 : shift));
    if (is_unsigned || d < 0) return NULL;
    return xg_kmade_into(op, rem ? XG_K_OP_REMUI : XG_K_OP_DIVUI, XG_K0, XG_K1);
}
XG_KRULE(shift_zero) {
    int64_t c;
    (void)b;
    return xg_kval_is_const(XG_K1, &c) && c == 0 ? XG_K0 : NULL;
}
XG_KRULE(shift_chain) {
    int64_t c, d;
    if (!xg_kval_by(XG_K0, op->op) || !xg_kval_is_const(XG_K1, &c) || !xg_kval_is_const(xg_kof(XG_K0, 1), &d) ||
        c < 0 || d < 0 || c + d >= xg_kfold_width(XG_K0->type->elem) || XG_K0->type->elem == XG_E_INDEX)
        return NULL;
    return xg_k2(b, op->op, xg_kof_0(XG_K0), xg_klike(b, XG_K1, c + d));
}
/* (x << c) >> c is x if no bits were lost. */
XG_KRULE(shift_back) {
    int64_t c, d;
    (void)b;
    return xg_kval_by(XG_K0, XG_K_OP_SHLI) && xg_kval_is_const(XG_K1, &c) && xg_kval_is_const(xg_kof(XG_K0, 1), &d) &&
                   c == d && xg_kval_nonnegative(XG_K0) && xg_kval_nonnegative(xg_kof_0(XG_K0))
               ? xg_kof_0(XG_K0)
               : NULL;
}

/* ---- bits ---- */

/* (x << c) | (y >> 32 - c): one funnel shift; a rotation where x is y. */
XG_KRULE(funnel) {
    xg_kval *l = XG_K0, *r = XG_K1;
    int64_t c, d;
    if (op->results->type->elem != XG_E_I32 || !xg_kis_scalar(op->results)) return NULL;
    if (xg_kval_by(l, XG_K_OP_SHRUI)) {
        l = XG_K1;
        r = XG_K0;
    }
    if (!xg_kval_by(l, XG_K_OP_SHLI) || !xg_kval_by(r, XG_K_OP_SHRUI) || !xg_kval_is_const(xg_kof(l, 1), &c) ||
        !xg_kval_is_const(xg_kof(r, 1), &d) || c < 1 || d < 1 || c + d != 32)
        return NULL;
    return xg_k3(b, XG_K_OP_SHFL3, xg_kof_0(l), xg_kof_0(r), xg_kof(r, 1));
}
XG_KRULE(funnel_const) {
    int64_t high, low, c;
    if (!xg_kval_is_const(XG_K0, &high) || !xg_kval_is_const(XG_K1, &low) || !xg_kval_is_const(XG_K2, &c)) return NULL;
    return xg_klike(b, op->results,
        xg_kint_wrap(XG_E_I32, (int64_t)(((uint64_t)high << 32 | (uint64_t)(uint32_t)low) >> (c & 31))));
}

XG_KRULE(bits_const) {
    int64_t c;
    int64_t ones = op->results->type->elem == XG_E_I1 ? 1 : -1;
    (void)b;
    if (!xg_kval_is_const(XG_K1, &c)) return NULL;
    if (c == 0) return op->op == XG_K_OP_ANDI ? XG_K1 : XG_K0;
    if (c == ones && op->op == XG_K_OP_ANDI) return XG_K0;
    if (c == ones && op->op == XG_K_OP_ORI) return XG_K1;
    return NULL;
}
XG_KRULE(bits_same) { return XG_K0 != XG_K1 ? NULL : op->op == XG_K_OP_XORI ? xg_klike(b, op->results, 0) : XG_K0; }
/* x & mask is x if the mask has all bits that x can have. */
XG_KRULE(and_mask) {
    int64_t c;
    (void)b;
    return xg_kval_is_const(XG_K1, &c) && c > 0 && ((uint64_t)c & ((uint64_t)c + 1)) == 0 &&
                   xg_kval_nonnegative(XG_K0) && XG_K0->hi <= c && xg_kis_scalar(XG_K0)
               ? XG_K0
               : NULL;
}
XG_KRULE(bits_chain) {
    int64_t c, d, r;
    if (!xg_kval_by(XG_K0, op->op) || !xg_kval_is_const(XG_K1, &c) || !xg_kval_is_const(xg_kof(XG_K0, 1), &d) ||
        !xg_kfold_int(op->op, XG_K0->type->elem, c, d, &r))
        return NULL;
    return xg_k2(b, op->op, xg_kof_0(XG_K0), xg_klike(b, XG_K1, r));
}
XG_TABLE const uint8_t xg_kcmpi_not[] = {
    XG_CI_NE, XG_CI_EQ, XG_CI_SGE, XG_CI_SGT, XG_CI_SLE, XG_CI_SLT, XG_CI_UGE, XG_CI_UGT, XG_CI_ULE, XG_CI_ULT};
XG_TABLE const uint8_t xg_kcmpi_swap[] = {
    XG_CI_EQ, XG_CI_NE, XG_CI_SGT, XG_CI_SGE, XG_CI_SLT, XG_CI_SLE, XG_CI_UGT, XG_CI_UGE, XG_CI_ULT, XG_CI_ULE};
XG_TABLE const uint8_t xg_kcmpf_not[] = {XG_CF_UNE, XG_CF_ULE, XG_CF_ULT, XG_CF_UGE, XG_CF_UGT, XG_CF_UEQ, XG_CF_UNO,
    XG_CF_ONE, XG_CF_OLE, XG_CF_OLT, XG_CF_OGE, XG_CF_OGT, XG_CF_OEQ, XG_CF_ORD};
/* not of a comparison is the opposite comparison. */
XG_KRULE(not_compare) {
    int64_t c;
    xg_kop *cmp = XG_K0->def;
    if (op->results->type->elem != XG_E_I1 || !xg_kval_is_const(XG_K1, &c) || c != 1 || !cmp || !xg_kis_scalar(XG_K0))
        return NULL;
    if (cmp->op == XG_K_OP_CMPI)
        return xg_kcompare(b, XG_K_OP_CMPI, xg_kcmpi_not[cmp->flags], xg_kof_0(XG_K0), xg_kof(XG_K0, 1));
    if (cmp->op == XG_K_OP_CMPF)
        return xg_kcompare(b, XG_K_OP_CMPF, xg_kcmpf_not[cmp->flags], xg_kof_0(XG_K0), xg_kof(XG_K0, 1));
    return NULL;
}

/* ---- extremes, choices, comparisons ---- */

XG_KRULE(same_operands) {
    (void)b;
    return XG_K0 == XG_K1 ? XG_K0 : NULL;
}
XG_KRULE(extreme_range) {
    xg_range x = xg_kval_range(XG_K0), y = xg_kval_range(XG_K1);
    bool max = op->op == XG_K_OP_MAXSI || op->op == XG_K_OP_MAXUI;
    (void)b;
    if (!xg_kis_scalar(XG_K0) || XG_K0->type->elem == XG_E_I1) return NULL;
    if ((op->op == XG_K_OP_MAXUI || op->op == XG_K_OP_MINUI) && (x.lo < 0 || y.lo < 0)) return NULL;
    if (x.lo >= y.hi) return max ? XG_K0 : XG_K1;
    if (y.lo >= x.hi) return max ? XG_K1 : XG_K0;
    return NULL;
}
XG_KRULE(select_const) {
    int64_t c;
    (void)b;
    return xg_kval_is_const(XG_K0, &c) && xg_kis_scalar(XG_K0) ? (c ? XG_K1 : XG_K2) : NULL;
}
XG_KRULE(select_same) {
    (void)b;
    return XG_K1 == XG_K2 ? XG_K1 : NULL;
}
/* select c, true, false = c;  select c, false, true = not c. */
XG_KRULE(select_bool) {
    int64_t x, y;
    if (op->results->type != XG_K0->type || op->results->type->elem != XG_E_I1) return NULL;
    if (xg_kval_is_const(XG_K1, &x) && xg_kval_is_const(XG_K2, &y))
        return x && !y ? XG_K0 : !x && y ? xg_k2(b, XG_K_OP_XORI, XG_K0, xg_klike(b, XG_K0, 1)) : NULL;
    if (xg_kval_is_const(XG_K1, &x) && x) return xg_k2(b, XG_K_OP_ORI, XG_K0, XG_K2);
    if (xg_kval_is_const(XG_K2, &y) && !y) return xg_kandi(b, XG_K0, XG_K1);
    return NULL;
}
XG_KRULE(select_not) {
    int64_t c;
    if (!xg_kval_by(XG_K0, XG_K_OP_XORI) || !xg_kval_is_const(xg_kof(XG_K0, 1), &c) || c != 1 || !xg_kis_scalar(XG_K0))
        return NULL;
    return xg_kselect(b, xg_kof_0(XG_K0), XG_K2, XG_K1);
}
XG_KRULE(cmpi_fold) {
    int64_t x, y;
    bool r;
    if (!xg_kval_is_const(XG_K0, &x) || !xg_kval_is_const(XG_K1, &y)) return NULL;
    return xg_kfold_cmpi(op->flags, XG_K0->type->elem, x, y, &r) ? xg_klike(b, op->results, r) : NULL;
}
XG_KRULE(cmpi_const_right) {
    if (!xg_kval_is_const(XG_K0, NULL) || xg_kval_is_const(XG_K1, NULL)) return NULL;
    return xg_kcompare(b, XG_K_OP_CMPI, xg_kcmpi_swap[op->flags], XG_K1, XG_K0);
}
XG_KRULE(cmpi_same) {
    bool yes = op->flags == XG_CI_EQ || op->flags == XG_CI_SLE || op->flags == XG_CI_SGE || op->flags == XG_CI_ULE ||
               op->flags == XG_CI_UGE;
    return XG_K0 == XG_K1 ? xg_klike(b, op->results, yes) : NULL;
}
/* A comparison that the operands' ranges decide. */
XG_KRULE(cmpi_range) {
    xg_range x = xg_kval_range(XG_K0), y = xg_kval_range(XG_K1);
    uint32_t p = op->flags;
    int known = -1;
    if (!xg_kis_scalar(XG_K0) || XG_K0->type->elem == XG_E_I1) return NULL;
    if (p >= XG_CI_ULT) {
        if (x.lo < 0 || y.lo < 0) return NULL;
        p = p - XG_CI_ULT + XG_CI_SLT;
    }
    switch (p) {
    case XG_CI_EQ:
    case XG_CI_NE:
        if (x.hi < y.lo || y.hi < x.lo) known = p == XG_CI_NE;
        break;
    case XG_CI_SLT: known = x.hi < y.lo ? 1 : x.lo >= y.hi ? 0 : -1; break;
    case XG_CI_SLE: known = x.hi <= y.lo ? 1 : x.lo > y.hi ? 0 : -1; break;
    case XG_CI_SGT: known = x.lo > y.hi ? 1 : x.hi <= y.lo ? 0 : -1; break;
    case XG_CI_SGE: known = x.lo >= y.hi ? 1 : x.hi < y.lo ? 0 : -1; break;
    default: break;
    }
    return known < 0 ? NULL : xg_klike(b, op->results, known);
}
/* x + c < k is x < k - c, where the sum cannot wrap. */
XG_KRULE(cmpi_add) {
    int64_t c, k, bound;
    xg_kval *x;
    xg_range r;
    if (!xg_kval_by(XG_K0, XG_K_OP_ADDI) || !xg_kval_is_const(XG_K1, &k) || op->flags >= XG_CI_ULT ||
        !xg_kval_is_const(xg_kof(XG_K0, 1), &c))
        return NULL;
    x = xg_kof_0(XG_K0);
    r = xg_kelem_range(x->type->elem);
    if (XG_K0->lo > XG_K0->hi || x->lo > x->hi || c == INT64_MIN || !xg_add64(k, -c, &bound) || bound < r.lo ||
        bound > r.hi)
        return NULL;
    return xg_kcompare(b, XG_K_OP_CMPI, op->flags, x, xg_klike(b, XG_K1, bound));
}
/* i1: x == true is x, x != true is not x. */
XG_KRULE(cmpi_bool) {
    int64_t c;
    if (XG_K0->type->elem != XG_E_I1 || !xg_kis_scalar(XG_K0) || op->flags > XG_CI_NE || !xg_kval_is_const(XG_K1, &c))
        return NULL;
    if ((op->flags == XG_CI_EQ) == (c != 0)) return XG_K0;
    return xg_k2(b, XG_K_OP_XORI, XG_K0, xg_klike(b, XG_K0, 1));
}
/* (extui of i1) != 0 is the i1. */
XG_KRULE(cmpi_ext) {
    int64_t c;
    xg_kval *x;
    if (op->flags > XG_CI_NE || !xg_kval_by(XG_K0, XG_K_OP_EXTUI) || !xg_kval_is_const(XG_K1, &c) || c != 0 ||
        xg_kof_0(XG_K0)->type->elem != XG_E_I1 || !xg_kis_scalar(XG_K0))
        return NULL;
    x = xg_kof_0(XG_K0);
    return op->flags == XG_CI_NE ? x : xg_k2(b, XG_K_OP_XORI, x, xg_klike(b, x, 1));
}
XG_KRULE(cmpf_fold) {
    int64_t x, y;
    bool r;
    xlagpu_type t = xg_kelem_format(XG_K0->type->elem);
    if (!xg_kval_is_const(XG_K0, &x) || !xg_kval_is_const(XG_K1, &y) ||
        !xg_kfold_plain(b->m, XG_K0->type->elem, (uint64_t)x) || !xg_kfold_plain(b->m, XG_K0->type->elem, (uint64_t)y))
        return NULL;
    return xg_kfold_cmpf(op->flags, xg_float_decode(t, (uint64_t)x), xg_float_decode(t, (uint64_t)y), &r)
               ? xg_klike(b, op->results, r)
               : NULL;
}

/* ---- conversions ---- */

XG_KRULE(cast_fold) {
    int64_t x, r;
    if (!xg_kval_is_const(XG_K0, &x) || !xg_kt_same_lanes(XG_K0->type, op->results->type)) return NULL;
    return xg_kfold_cast(b->m, op->op, XG_K0->type->elem, op->results->type->elem, x, &r) ? xg_klike(b, op->results, r)
                                                                                          : NULL;
}
XG_FN xg_kval *xg_krecast(xg_kb *b, xg_kop *op, xg_kopcode code, xg_kval *x) {
    return x->type == op->results->type ? x : xg_kcast(b, code, x, op->results->type->elem);
}
/* Two extensions of one kind are one. */
XG_KRULE(ext_ext) { return xg_kval_by(XG_K0, op->op) ? xg_krecast(b, op, op->op, xg_kof_0(XG_K0)) : NULL; }
XG_KRULE(trunc_ext) {
    xg_kval *x;
    int from, to;
    if (!xg_kval_by(XG_K0, XG_K_OP_EXTUI) && !xg_kval_by(XG_K0, XG_K_OP_EXTSI) && !xg_kval_by(XG_K0, XG_K_OP_TRUNCI))
        return NULL;
    x = xg_kof_0(XG_K0);
    from = xg_kelem_bits(x->type->elem);
    to = xg_kelem_bits(op->results->type->elem);
    if (from == to) return x;
    return xg_kcast(b, from < to ? XG_K0->def->op : XG_K_OP_TRUNCI, x, op->results->type->elem);
}
/* A cast to index and back, or any round trip through a type that holds the whole range. */
XG_KRULE(index_cast_back) {
    xg_kval *x;
    (void)b;
    if (!xg_kval_by(XG_K0, XG_K_OP_INDEX_CAST)) return NULL;
    x = xg_kof_0(XG_K0);
    if (x->type != op->results->type) return NULL;
    if (x->type->elem != XG_E_INDEX) return x;
    return x->lo <= x->hi && x->lo >= xg_kelem_range(XG_K0->type->elem).lo &&
                   x->hi <= xg_kelem_range(XG_K0->type->elem).hi
               ? x
               : NULL;
}
/* Truncation to the type from which the value was extended. */
XG_KRULE(truncf_extf) {
    (void)b;
    return xg_kval_by(XG_K0, XG_K_OP_EXTF) && xg_kof_0(XG_K0)->type == op->results->type ? xg_kof_0(XG_K0) : NULL;
}
XG_KRULE(bitcast_bitcast) {
    return xg_kval_by(XG_K0, XG_K_OP_BITCAST)
               ? (xg_kof_0(XG_K0)->type == op->results->type
                         ? xg_kof_0(XG_K0)
                         : xg_kir_of(b, XG_K_OP_BITCAST, XG_K0->def->operands[0].value, op->results->type))
               : NULL;
}
/* A vector of bytes that is only bitcast to words is loaded as words. */
XG_KRULE(bitcast_load) {
    const xg_kval *x = XG_K0;
    xg_kval *p, *v;
    if (!xg_kval_by(x, XG_K_OP_LOAD) || !(x->def->flags & KM_INVARIANT) || x->first_use != x->last_use) return NULL;
    if (op->results->type->elem != XG_E_I32 || xg_kelem_bytes(x->type->elem) != 1) return NULL;
    p = XG_KOPERAND(x->def, 0);
    v = xg_kir_of(b, XG_K_OP_LOAD, p, op->results->type);
    v->def->a = x->def->a;
    v->def->flags = x->def->flags;
    return v;
}
XG_KRULE(bitcast_same) {
    (void)b;
    return XG_K0->type == op->results->type ? XG_K0 : NULL;
}

/* ---- complex ---- */

XG_KRULE(part_of_create) {
    (void)b;
    return xg_kval_by(XG_K0, XG_K_OP_COMPLEX) ? xg_kof(XG_K0, op->op == XG_K_OP_IM) : NULL;
}
XG_KRULE(part_of_const) {
    return xg_kval_by(XG_K0, XG_K_OP_CONST)
               ? xg_klike(b, op->results, op->op == XG_K_OP_IM ? XG_K0->def->b : XG_K0->def->a)
               : NULL;
}
XG_KRULE(part_of_select) {
    xg_kval *v[2];
    int k;
    if (!xg_kval_by(XG_K0, XG_K_OP_SELECT)) return NULL;
    for (k = 0; k < 2; k++) v[k] = xg_kcast(b, op->op, xg_kof(XG_K0, (uint32_t)k + 1), op->results->type->elem);
    return xg_kselect(b, xg_kof_0(XG_K0), v[0], v[1]);
}
XG_KRULE(create_of_parts) {
    (void)b;
    return xg_kval_by(XG_K0, XG_K_OP_RE) && xg_kval_by(XG_K1, XG_K_OP_IM) && xg_kof_0(XG_K0) == xg_kof_0(XG_K1) &&
                   xg_kof_0(XG_K0)->type == op->results->type
               ? xg_kof_0(XG_K0)
               : NULL;
}

/* ---- floats: only what is exact ---- */

XG_KRULE(fold_float) {
    int64_t x, y = 0;
    uint64_t r;
    if (!xg_kval_is_const(XG_K0, &x) || (op->n_operands > 1 && !xg_kval_is_const(XG_K1, &y))) return NULL;
    return xg_kfold_float(b->m, op->op, op->results->type->elem, (uint64_t)x, (uint64_t)y, &r)
               ? xg_klike(b, op->results, (int64_t)r)
               : NULL;
}
XG_KRULE(addf_zero) {
    (void)b;
    return !b->m->ftz && xg_kis_float_const(XG_K1, -0.0) ? XG_K0 : NULL;
}
XG_KRULE(subf_zero) {
    (void)b;
    return !b->m->ftz && xg_kis_float_const(XG_K1, 0.0) ? XG_K0 : NULL;
}
XG_KRULE(mulf_one) {
    (void)b;
    return !b->m->ftz && xg_kis_float_const(XG_K1, 1.0) ? XG_K0 : NULL;
}
/* x / 2^k = x * 2^-k where both are normal numbers. */
XG_KRULE(divf_power) {
    int64_t bits;
    double v, r;
    int e = 0, k;
    xg_kelem t = op->results->type->elem;
    uint64_t out;
    if (!xg_kval_is_const(XG_K1, &bits)) return NULL;
    v = xg_float_decode(xg_kelem_format(t), (uint64_t)bits);
    if (!(v == v) || v == 0 || v - v != 0) return NULL;
    for (r = v < 0 ? -v : v, k = 0; r >= 2 && k < 1100; r /= 2, k++) e++;
    for (k = 0; r < 1 && k < 1100; r *= 2, k++) e--;
    if (r != 1 ||
        e < (t == XG_E_F16      ? -13
                : t == XG_E_F64 ? -1000
                                : -120) ||
        e > (t == XG_E_F16      ? 13
                : t == XG_E_F64 ? 1000
                                : 120))
        return NULL;
    out = xg_float_encode(xg_kelem_format(t), 1.0 / v);
    return xg_kmulf(b, XG_K0, xg_klike(b, XG_K1, (int64_t)out));
}
XG_KRULE(negf_negf) {
    (void)b;
    return xg_kval_by(XG_K0, XG_K_OP_NEGF) ? xg_kof_0(XG_K0) : NULL;
}
XG_KRULE(absf_sign) {
    return xg_kval_by(XG_K0, XG_K_OP_NEGF) || xg_kval_by(XG_K0, XG_K_OP_ABSF) ? xg_k1(b, XG_K_OP_ABSF, xg_kof_0(XG_K0))
                                                                              : NULL;
}

/* ---- vectors ---- */

XG_KRULE(vextract_vinsert) {
    int64_t lane, at;
    xg_kval *v = XG_K0, *x[2];
    if (!xg_kval_is_const(XG_K1, &lane)) return NULL;
    while (xg_kval_by(v, XG_K_OP_VINSERT) && xg_kval_is_const(xg_kof(v, 2), &at)) {
        if (at == lane) return xg_kof_0(v);
        v = xg_kof(v, 1);
    }
    if (xg_kval_by(v, XG_K_OP_CONST) && !xg_kelem_is_complex(v->type->elem)) return xg_klike(b, op->results, v->def->a);
    if (v == XG_K0) return NULL;
    x[0] = v;
    x[1] = XG_K1;
    return xg_kir_value(b, XG_K_OP_VEXTRACT, x, 2, op->results->type);
}

/* Inserting all lanes of a vector, one by one, gives that vector; recognised at the last insertion. */
XG_KRULE(vinsert_back) {
    int64_t lanes = op->results->type->dims[0], at, from;
    uint64_t seen = 0;
    const xg_kval *v = op->results, *whole = NULL;
    (void)b;
    if (lanes > 32 || !xg_kval_is_const(XG_K2, &at) || at != lanes - 1) return NULL;
    for (; xg_kval_by(v, XG_K_OP_VINSERT) && xg_kval_is_const(xg_kof(v, 2), &at); v = xg_kof(v, 1)) {
        const xg_kval *lane = xg_kof_0(v);
        if (seen >> at & 1) continue; /* overwritten */
        if (!xg_kval_by(lane, XG_K_OP_VEXTRACT) || !xg_kval_is_const(xg_kof(lane, 1), &from) || from != at ||
            (whole && whole != xg_kof_0(lane)))
            return NULL;
        whole = xg_kof_0(lane);
        seen |= (uint64_t)1 << at;
        if (seen == ((uint64_t)1 << lanes) - 1) return whole->type == op->results->type ? (xg_kval *)whole : NULL;
    }
    return NULL;
}

/* ---- addresses: base plus scaled index, then constants; two operations, so that equal sums are shared ---- */

XG_FN xg_kval *xg_kptr(xg_kb *b, xg_kval *p, xg_kval *index, int64_t scale, int64_t bytes) {
    xg_kval *v[2], *r;
    v[0] = p;
    v[1] = index;
    r = xg_kir_value(b, XG_K_OP_PTR_ADD, v, 2, p->type);
    r->def->a = scale;
    r->def->b = bytes;
    return r;
}
/* Changes the address operation in place to p + index * scale + bytes. */
XG_FN xg_kval *xg_kptr_into(xg_kop *op, xg_kval *p, xg_kval *index, int64_t scale, int64_t bytes, uint32_t flags) {
    xg_kop_set_operand(op, 0, p);
    xg_kop_set_operand(op, 1, index);
    op->a = scale;
    op->b = bytes;
    op->flags = flags;
    return op->results;
}
XG_FN bool xg_kptr_is_const(const xg_kval *v, int64_t *bytes) {
    int64_t i;
    if (!xg_kval_by(v, XG_K_OP_PTR_ADD) || !xg_kval_is_const(v->def->operands[1].value, &i)) return false;
    return xg_mul64(i, v->def->a ? v->def->a : 1, &i) && xg_add64(i, v->def->b, bytes);
}
XG_KRULE(ptr_const) {
    int64_t bytes, more, i;
    if (!xg_kptr_is_const(op->results, &bytes)) return NULL;
    if (bytes == 0) return XG_K0;
    if (xg_kptr_is_const(XG_K0, &more) && xg_add64(bytes, more, &bytes))
        return xg_kptr_into(op, xg_kof_0(XG_K0), xg_klike(b, XG_K1, 0), 1, bytes, 0);
    if (xg_kval_is_const(XG_K1, &i) && i == 0 && op->a == 1) return NULL;
    return xg_kptr_into(op, XG_K0, xg_klike(b, XG_K1, 0), 1, bytes, 0);
}
/* Moves the constant part of the index into the byte offset. Addresses extend an i32 index without sign, so neither the
 * sum nor x may be negative. An in-bounds index is not, and neither is x if the constant is negative. */
XG_KRULE(ptr_index_const) {
    int64_t c, bytes;
    bool inbounds = (op->flags & KP_INBOUNDS) != 0;
    xg_kval *x;
    (void)b;
    if (!xg_kval_by(XG_K1, XG_K_OP_ADDI) || !xg_kval_is_const(xg_kof(XG_K1, 1), &c)) return NULL;
    x = xg_kof_0(XG_K1);
    if (XG_K1->type->elem != XG_E_I64) {
        if (XG_K1->lo > XG_K1->hi || x->lo > x->hi) return NULL;
        if (!xg_kval_nonnegative(XG_K1) && !inbounds) return NULL;
        if (!xg_kval_nonnegative(x) && !(inbounds && c < 0)) return NULL;
    }
    if (!xg_mul64(c, op->a ? op->a : 1, &bytes) || !xg_add64(bytes, op->b, &bytes)) return NULL;
    return xg_kptr_into(op, XG_K0, x, op->a, bytes, inbounds && (c < 0 || xg_kval_nonnegative(x)) ? KP_INBOUNDS : 0);
}
XG_KRULE(ptr_split) {
    xg_kval *base;
    if (op->b == 0 || xg_kval_is_const(XG_K1, NULL)) return NULL;
    base = xg_kptr(b, XG_K0, XG_K1, op->a, 0);
    base->def->flags = op->flags;
    return xg_kptr_into(op, base, xg_klike(b, XG_K1, 0), 1, op->b, 0);
}
/* Moves a constant offset outward, behind a variable one, so that equal variable parts are shared. */
XG_KRULE(ptr_swap) {
    int64_t bytes;
    xg_kval *base;
    if (xg_kval_is_const(XG_K1, NULL) || !xg_kptr_is_const(XG_K0, &bytes)) return NULL;
    base = xg_kptr(b, xg_kof_0(XG_K0), XG_K1, op->a, op->b);
    base->def->flags = op->flags;
    return xg_kptr_into(op, base, xg_kof(XG_K0, 1), 1, bytes, 0);
}

/* A shuffle of a value that all lanes share. */
XG_KRULE(shuffle_const) {
    (void)b;
    return XG_K0;
}

/* ---- THE table: X(opcode, rule, precondition), tried in order ----
 * Few operations meet the preconditions of most rules, so these are tested once for all rules of an operation.
 * CONST0, CONST1: the first, the second operand is constant; CONSTS: all are; SAME: both operands are one value; POINT:
 * the result's range is a single value; ANY: none. KEPT0, KEPT1: as CONST0, CONST1, for rules that create no operation:
 * they return a constant, an operand, or the operation changed in place. The builder applies these, CONSTS and POINT
 * when it creates an operation (xg_kfolded). */
typedef enum xg_krule_wants {
    XG_KWANT_ANY = 0,
    XG_KWANT_CONST0 = 1,
    XG_KWANT_CONST1 = 2,
    XG_KWANT_SAME = 4,
    XG_KWANT_EARLY = 16, /* met by every operation: marks rows that the builder applies, too */
    XG_KWANT_KEPT0 = XG_KWANT_EARLY | XG_KWANT_CONST0,
    XG_KWANT_KEPT1 = XG_KWANT_EARLY | XG_KWANT_CONST1,
    XG_KWANT_CONSTS = XG_KWANT_KEPT0 | XG_KWANT_KEPT1,
    XG_KWANT_POINT = XG_KWANT_EARLY | 8,
    XG_KWANT_COUNT = 32 /* sets of these */
} xg_krule_wants;
XG_FN uint32_t xg_krule_has(const xg_kop *op) {
    const xg_kval *x = op->n_operands > 0 ? op->operands[0].value : NULL,
                  *y = op->n_operands > 1 ? op->operands[1].value : NULL;
    uint32_t has = op->results->lo == op->results->hi ? (uint32_t)XG_KWANT_POINT : (uint32_t)XG_KWANT_EARLY;
    if (x && xg_kval_by(x, XG_K_OP_CONST)) has |= XG_KWANT_CONST0;
    if (!y || xg_kval_by(y, XG_K_OP_CONST)) has |= XG_KWANT_CONST1;
    return y && x == y ? has | XG_KWANT_SAME : has;
}
/* clang-format off */
#define XG_KIR_RULES(X) \
    X(THREAD_ID, point, POINT) \
    X(BLOCK_ID, point, POINT) \
    X(APPLY, point, POINT) \
    X(ADDI, fold_int, CONSTS) \
    X(ADDI, point, POINT) \
    X(ADDI, const_right, KEPT0) \
    X(ADDI, add_zero, CONST1) \
    X(ADDI, add_chain, ANY) \
    X(ADDI, funnel, ANY) \
    X(SUBI, fold_int, CONSTS) \
    X(SUBI, point, POINT) \
    X(SUBI, sub_same, SAME) \
    X(SUBI, sub_const, KEPT1) \
    X(MULI, fold_int, CONSTS) \
    X(MULI, point, POINT) \
    X(MULI, const_right, KEPT0) \
    X(MULI, mul_const, KEPT1) \
    X(MULHUI, fold_int, CONSTS) \
    X(MULHUI, const_right, KEPT0) \
    X(MULHSI, const_right, KEPT0) \
    X(DIVSI, fold_int, CONSTS) \
    X(DIVSI, point, POINT) \
    X(DIVSI, div_small, ANY) \
    X(DIVSI, div_const, KEPT1) \
    X(DIVUI, fold_int, CONSTS) \
    X(DIVUI, point, POINT) \
    X(DIVUI, div_small, ANY) \
    X(DIVUI, div_const, KEPT1) \
    X(REMSI, fold_int, CONSTS) \
    X(REMSI, point, POINT) \
    X(REMSI, div_small, ANY) \
    X(REMSI, div_const, KEPT1) \
    X(REMUI, fold_int, CONSTS) \
    X(REMUI, point, POINT) \
    X(REMUI, div_small, ANY) \
    X(REMUI, div_const, KEPT1) \
    X(SHLI, fold_int, CONSTS) \
    X(SHLI, point, POINT) \
    X(SHLI, shift_zero, CONST1) \
    X(SHLI, shift_chain, CONST1) \
    X(SHRUI, fold_int, CONSTS) \
    X(SHRUI, point, POINT) \
    X(SHRUI, shift_zero, CONST1) \
    X(SHRUI, shift_chain, CONST1) \
    X(SHRUI, shift_back, CONST1) \
    X(SHRSI, fold_int, CONSTS) \
    X(SHRSI, point, POINT) \
    X(SHRSI, shift_zero, CONST1) \
    X(SHRSI, shift_chain, CONST1) \
    X(SHRSI, shift_back, CONST1) \
    X(ANDI, fold_int, CONSTS) \
    X(ANDI, point, POINT) \
    X(ANDI, const_right, KEPT0) \
    X(ANDI, bits_const, KEPT1) \
    X(ANDI, bits_same, SAME) \
    X(ANDI, and_mask, CONST1) \
    X(ANDI, bits_chain, CONST1) \
    X(ORI, fold_int, CONSTS) \
    X(ORI, point, POINT) \
    X(ORI, const_right, KEPT0) \
    X(ORI, bits_const, KEPT1) \
    X(ORI, bits_same, SAME) \
    X(ORI, bits_chain, CONST1) \
    X(ORI, funnel, ANY) \
    X(SHFL3, funnel_const, ANY) \
    X(XORI, fold_int, CONSTS) \
    X(XORI, point, POINT) \
    X(XORI, const_right, KEPT0) \
    X(XORI, bits_const, KEPT1) \
    X(XORI, bits_same, SAME) \
    X(XORI, bits_chain, CONST1) \
    X(XORI, not_compare, CONST1) \
    X(XORI, funnel, ANY) \
    X(MAXSI, fold_int, CONSTS) \
    X(MAXSI, same_operands, SAME) \
    X(MAXSI, extreme_range, ANY) \
    X(MINSI, fold_int, CONSTS) \
    X(MINSI, same_operands, SAME) \
    X(MINSI, extreme_range, ANY) \
    X(MAXUI, fold_int, CONSTS) \
    X(MAXUI, same_operands, SAME) \
    X(MAXUI, extreme_range, ANY) \
    X(MINUI, fold_int, CONSTS) \
    X(MINUI, same_operands, SAME) \
    X(MINUI, extreme_range, ANY) \
    X(CTPOP, fold_int, CONSTS) \
    X(CTLZ, fold_int, CONSTS) \
    X(SELECT, select_const, CONST0) \
    X(SELECT, select_same, ANY) \
    X(SELECT, select_bool, ANY) \
    X(SELECT, select_not, ANY) \
    X(SELECT, point, POINT) \
    X(CMPI, cmpi_fold, CONSTS) \
    X(CMPI, cmpi_same, SAME) \
    X(CMPI, cmpi_const_right, CONST0) \
    X(CMPI, cmpi_range, ANY) \
    X(CMPI, cmpi_add, CONST1) \
    X(CMPI, cmpi_bool, CONST1) \
    X(CMPI, cmpi_ext, CONST1) \
    X(CMPF, cmpf_fold, CONSTS) \
    X(EXTSI, cast_fold, CONSTS) \
    X(EXTSI, ext_ext, ANY) \
    X(EXTUI, cast_fold, CONSTS) \
    X(EXTUI, ext_ext, ANY) \
    X(TRUNCI, cast_fold, CONSTS) \
    X(TRUNCI, trunc_ext, ANY) \
    X(INDEX_CAST, cast_fold, CONSTS) \
    X(INDEX_CAST, index_cast_back, ANY) \
    X(SITOFP, cast_fold, CONSTS) \
    X(UITOFP, cast_fold, CONSTS) \
    X(EXTF, cast_fold, CONSTS) \
    X(EXTF, ext_ext, ANY) \
    X(TRUNCF, cast_fold, CONSTS) \
    X(TRUNCF, truncf_extf, ANY) \
    X(BITCAST, bitcast_same, ANY) \
    X(BITCAST, cast_fold, CONSTS) \
    X(BITCAST, bitcast_bitcast, ANY) \
    X(BITCAST, bitcast_load, ANY) \
    X(RE, part_of_create, ANY) \
    X(RE, part_of_const, CONST0) \
    X(RE, part_of_select, ANY) \
    X(IM, part_of_create, ANY) \
    X(IM, part_of_const, CONST0) \
    X(IM, part_of_select, ANY) \
    X(COMPLEX, create_of_parts, ANY) \
    X(ADDF, fold_float, CONSTS) \
    X(ADDF, const_right, KEPT0) \
    X(ADDF, addf_zero, CONST1) \
    X(SUBF, fold_float, CONSTS) \
    X(SUBF, subf_zero, CONST1) \
    X(MULF, fold_float, CONSTS) \
    X(MULF, const_right, KEPT0) \
    X(MULF, mulf_one, CONST1) \
    X(DIVF, fold_float, CONSTS) \
    X(DIVF, mulf_one, CONST1) \
    X(DIVF, divf_power, CONST1) \
    X(NEGF, fold_float, CONSTS) \
    X(NEGF, negf_negf, ANY) \
    X(ABSF, fold_float, CONSTS) \
    X(ABSF, absf_sign, ANY) \
    X(MAXF, same_operands, SAME) \
    X(MINF, same_operands, SAME) \
    X(MAXNUMF, same_operands, SAME) \
    X(MINNUMF, same_operands, SAME) \
    X(SHFLUP, shuffle_const, CONST0) \
    X(SHFLDOWN, shuffle_const, CONST0) \
    X(SHFLBFLY, shuffle_const, CONST0) \
    X(SHFLIDX, shuffle_const, CONST0) \
    X(VEXTRACT, vextract_vinsert, CONST1) \
    X(VINSERT, vinsert_back, ANY) \
    X(PTR_ADD, ptr_const, CONST1) \
    X(PTR_ADD, ptr_index_const, ANY) \
    X(PTR_ADD, ptr_swap, ANY) \
    X(PTR_ADD, ptr_split, ANY)
/* clang-format on */

/* Stored by column: rows would be padded to 16 bytes. */
typedef xg_kval *(*xg_krule)(xg_kb *b, xg_kop *op);
/* clang-format off */
#define XG_KIR_RULE_WORDS(X) \
    X(point) X(fold_int) X(const_right) X(add_zero) X(add_chain) X(funnel) X(sub_same) X(sub_const) X(mul_const) \
    X(div_small) X(div_const) X(shift_zero) X(shift_chain) X(shift_back) X(bits_const) X(bits_same) X(and_mask) \
    X(bits_chain) X(funnel_const) X(not_compare) X(same_operands) X(extreme_range) X(select_const) X(select_same) \
    X(select_bool) X(select_not) X(cmpi_fold) X(cmpi_same) X(cmpi_const_right) X(cmpi_range) X(cmpi_add) \
    X(cmpi_bool) X(cmpi_ext) X(cmpf_fold) X(cast_fold) X(ext_ext) X(trunc_ext) X(index_cast_back) X(truncf_extf) \
    X(bitcast_same) X(bitcast_bitcast) X(bitcast_load) X(part_of_create) X(part_of_const) X(part_of_select) \
    X(create_of_parts) X(fold_float) X(addf_zero) X(subf_zero) X(mulf_one) X(divf_power) X(negf_negf) X(absf_sign) \
    X(shuffle_const) X(vextract_vinsert) X(vinsert_back) X(ptr_const) X(ptr_index_const) X(ptr_swap) X(ptr_split)
/* clang-format on */
enum {
#define X(rule) XG_KRULE_##rule,
    XG_KIR_RULE_WORDS(X)
#undef X
};
XG_TABLE const xg_krule xg_krule_functions[] = {
#define X(rule) xg_krule_##rule,
    XG_KIR_RULE_WORDS(X)
#undef X
};
#undef XG_KIR_RULE_WORDS
XG_TABLE const uint8_t xg_krule_words[] = {
#define X(op, rule, wants) XG_KRULE_##rule,
    XG_KIR_RULES(X)
#undef X
};
XG_TABLE const uint8_t xg_krule_ops[] = {
#define X(op, rule, wants) XG_K_OP_##op,
    XG_KIR_RULES(X)
#undef X
};
XG_TABLE const uint8_t xg_krule_needs[] = {
#define X(op, rule, wants) (uint8_t) XG_KWANT_##wants,
    XG_KIR_RULES(X)
#undef X
};
/* The rows of each opcode as a list: number + 1 of the first and of each one's next; 0: none. */
struct xg_krules {
    uint16_t first[XG_K_OP_COUNT + 1], next[XG_COUNT(xg_krule_needs)];
    uint16_t fits[XG_K_OP_COUNT][XG_KWANT_COUNT]; /* answers of xg_krules_fit plus 1; 0: not asked yet */
};
/* Number + 1 of the opcode's first rule whose precondition holds; 0: none. */
XG_FN uint32_t xg_krules_fit(xg_krules *r, xg_kopcode op, uint32_t has) {
    uint32_t k = r->fits[op][has];
    if (k) return k - 1;
    for (k = r->first[op]; k && (xg_krule_needs[k - 1] & ~has); k = r->next[k - 1]) {}
    r->fits[op][has] = (uint16_t)(k + 1);
    return k;
}
XG_FN xg_krules *xg_krules_of(xg_kmodule *m) {
    uint32_t k;
    if (m->rules) return m->rules;
    m->rules = XG_NEW(m->arena, xg_krules);
    for (k = XG_COUNT(xg_krule_needs); k-- > 0;) {
        m->rules->next[k] = m->rules->first[xg_krule_ops[k]];
        m->rules->first[xg_krule_ops[k]] = (uint16_t)(k + 1);
    }
    return m->rules;
}

/* ---- folding at creation ---- */

/* Folds a new operation; integers alone, since folding of floats needs facts about the whole kernel. Rules that return
 * an operand do not apply here: the caller may annotate its result, by a range that holds only at this place. */
XG_FN xg_kval *xg_kfolded(xg_kb *b, xg_kval *v) {
    xg_kop *op = v->def;
    uint32_t has = xg_krule_has(op), k;
    const xg_krules *rules;
    if (has == (uint32_t)XG_KWANT_EARLY || !xg_kelem_is_int(op->operands[0].value->type->elem)) return v;
    rules = xg_krules_of(b->m);
    for (k = rules->first[op->op]; k;) {
        const uint32_t wants = xg_krule_needs[k - 1];
        xg_kval *to = NULL;
        if ((wants & XG_KWANT_EARLY) && !(wants & ~has)) {
            xg_kb at = xg_kb_before(b->m, op);
            to = xg_krule_functions[xg_krule_words[k - 1]](&at, op);
        }
        if (to && xg_kval_by(to, XG_K_OP_CONST)) {
            xg_kop_remove(op);
            return to;
        }
        if (to == v) has = xg_krule_has(op); /* operands or opcode have changed: start over */
        k = to == v ? rules->first[op->op] : rules->next[k - 1];
    }
    return v;
}

#undef XG_K0
#undef XG_K1
#undef XG_K2
#undef XG_KRULE

#endif /* XG_KIR_RULES_C */
