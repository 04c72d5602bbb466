/* kir/convert_index.c -- index becomes i32 where its range says that this holds it, i64 elsewhere.
 *
 * Each value has a width of its own. An operation is done in 64 bits if its result or an operand needs them, unless
 * only the low bits matter (sums, products, masks); operands are extended or truncated to that. An address takes a
 * 32-bit index only if it cannot be negative, since such an index is unsigned. Values that loops and branches carry are
 * i64: nothing is known of them.
 * Here widths are known at last, so unsigned division by a constant becomes a multiplication: for 0 <= x <= n and p =
 * 32 + s, floor(x / d) = floor(x * M / 2^p) with M = ceil(2^p / d), if n * (M*d - 2^p) < 2^p; some s below log2 d gives
 * an M of 32 bits. */
#ifndef XG_KIR_CONVERT_INDEX_C
#define XG_KIR_CONVERT_INDEX_C
#include "kir.h"
#include "rules.c"

/* ---- widths; a value that was an index has scratch set ---- */

XG_FN bool xg_kindex_fits32(const xg_kval *v) { return v->lo <= v->hi && v->lo >= INT32_MIN && v->hi <= INT32_MAX; }
XG_FN void xg_kindex_retype(xg_kmodule *m, xg_kval *v, bool narrow) {
    const xg_kuse *u;
    v->scratch = NULL;
    if (v->type->kind != XG_TK_SCALAR || v->type->elem != XG_E_INDEX) return;
    v->scratch = v;
    if (v->def) v->def->changed = true;
    for (u = v->first_use; u; u = u->next) u->user->changed = true;
    v->type = xg_kir_scalar(m, narrow ? XG_E_I32 : XG_E_I64);
}
XG_FN bool xg_kindex_for_narrow(const xg_kop *op) {
    int64_t step;
    return xg_kindex_fits32(op->operands[0].value) && xg_kindex_fits32(op->operands[1].value) &&
           xg_kval_is_const(op->operands[2].value, &step) && step <= INT32_MAX &&
           op->operands[1].value->hi <= INT32_MAX - step;
}
/* Gives the operations that may have to do with indices, too, in program order. */
XG_FN void xg_kindex_types(xg_kmodule *m, xg_kops *ops, xg_kregion *r) {
    xg_kop *op;
    uint32_t k, i;
    for (op = r->first; op; op = op->next) {
        if (op->n_regions || op->n_results != 1 || !xg_kelem_is_float(op->results->type->elem))
            xg_push(m->temp, xg_kop *, ops, op);
        for (k = 0; k < op->n_results; k++)
            xg_kindex_retype(m, &op->results[k],
                op->n_regions == 0 &&
                    (xg_kindex_fits32(&op->results[k]) || op->op == XG_K_OP_THREAD_ID || op->op == XG_K_OP_BLOCK_ID));
        for (i = 0; i < op->n_regions; i++) {
            for (k = 0; k < op->regions[i]->n_args; k++)
                xg_kindex_retype(
                    m, &op->regions[i]->args[k], op->op == XG_K_OP_FOR && k == 0 && xg_kindex_for_narrow(op));
            xg_kindex_types(m, ops, op->regions[i]);
        }
    }
}

XG_FN xg_kval *xg_kindex_as(xg_kb *b, xg_kval *v, xg_kelem e) {
    int64_t c;
    if (v->type->elem == e) return v;
    if (xg_kval_is_const(v, &c)) return xg_kconst_int(b, e, c);
    if (e == XG_E_I32) return xg_kcast(b, XG_K_OP_TRUNCI, v, e);
    return xg_kcast(b, xg_kval_nonnegative(v) ? XG_K_OP_EXTUI : XG_K_OP_EXTSI, v, e);
}
XG_FN void xg_kindex_set(xg_kb *b, xg_kop *op, uint32_t k, xg_kelem e) {
    xg_kval *v = op->operands[k].value, *to = xg_kindex_as(b, v, e);
    if (to == v) return;
    xg_kop_set_operand(op, k, to);
}

/* ---- division by constants ---- */

XG_FN bool xg_kmagic(uint64_t n, uint64_t d, uint64_t *multiplier, int *shift) {
    int s;
    for (s = 0; s < 32 && ((uint64_t)1 << s) <= d; s++) {
        uint64_t p = (uint64_t)1 << (32 + s), mult = (p - 1) / d + 1, error = mult * d - p;
        if (mult >> 32 || (error && n >= (p + error - 1) / error)) continue;
        *multiplier = mult;
        *shift = s;
        return true;
    }
    return false;
}
/* The quotient of a 32-bit value that is not negative; NULL if it stays a division. */
XG_FN xg_kval *xg_kindex_quotient(xg_kb *b, xg_kval *x, int64_t d) {
    uint64_t mult;
    int shift;
    xg_kval *q;
    if (!xg_kval_nonnegative(x) || x->type->elem != XG_E_I32 || d < 2 || d > INT32_MAX) return NULL;
    if (!xg_kmagic((uint64_t)x->hi, (uint64_t)d, &mult, &shift)) return NULL;
    q = xg_k2_int(b, XG_K_OP_MULHUI, x, (int64_t)mult);
    xg_kval_set_range(q, xg_range_of(0, x->hi / d << shift <= INT32_MAX ? INT32_MAX : -1));
    if (shift) q = xg_k2_int(b, XG_K_OP_SHRUI, q, shift);
    xg_kval_set_range(q, xg_range_of(x->lo / d, x->hi / d));
    return q;
}
XG_FN bool xg_kindex_divide(xg_kop *op, xg_kb *b) {
    int64_t d;
    xg_kval *x = op->operands[0].value, *q;
    if ((op->op != XG_K_OP_DIVUI && op->op != XG_K_OP_REMUI) || !xg_kval_is_const(op->operands[1].value, &d) ||
        xg_klog2(d) >= 0)
        return false;
    q = xg_kindex_quotient(b, x, d);
    if (!q) return false;
    if (op->op == XG_K_OP_REMUI) {
        q = xg_ksubi(b, x, xg_k2_int(b, XG_K_OP_MULI, q, d));
        xg_kval_set_range(q, xg_kval_range(op->results));
    }
    if (!q->name.n) q->name = op->results[0].name;
    xg_kval_replace(op->results, q);
    xg_kop_remove(op);
    return true;
}

/* ---- operations ---- */

XG_FN bool xg_kindex_only_low_bits(xg_kopcode op) {
    return op == XG_K_OP_ADDI || op == XG_K_OP_SUBI || op == XG_K_OP_MULI || op == XG_K_OP_ANDI || op == XG_K_OP_ORI ||
           op == XG_K_OP_XORI;
}
/* The width in which an operation on indices from operand `from` on is done. */
XG_FN xg_kelem xg_kindex_width(const xg_kop *op, uint32_t from, const xg_kval *result) {
    uint32_t k;
    if (result && result->type->elem == XG_E_I64) return XG_E_I64;
    if (result && xg_kindex_only_low_bits(op->op)) return XG_E_I32;
    for (k = from; k < op->n_operands; k++)
        if (op->operands[k].value->type->elem == XG_E_I64) return XG_E_I64;
    return XG_E_I32;
}
XG_FN void xg_kindex_arithmetic(xg_kmodule *m, xg_kop *op, uint32_t from) {
    xg_kval *r = op->results;
    xg_kb b = xg_kb_before(m, op), after;
    xg_kelem w = xg_kindex_width(op, from, r);
    uint32_t k;
    for (k = from; k < op->n_operands; k++) xg_kindex_set(&b, op, k, w);
    if (w == r->type->elem) {
        (void)xg_kindex_divide(op, &b);
        return;
    }
    /* done in 64 bits, kept in 32: the uses get the truncated value, and so does the conversion's operand not */
    after = xg_kb_after(m, op);
    {
        xg_kval *t;
        r->type = xg_kir_scalar(m, w);
        t = xg_kcast(&after, XG_K_OP_TRUNCI, r, XG_E_I32);
        xg_kval_copy_facts(t, r);
        t->scratch = t;
        xg_kop_set_operand(t->def, 0, t); /* out of the way of the replacement */
        xg_kval_replace(r, t);
        xg_kop_set_operand(t->def, 0, r);
    }
}
XG_FN void xg_kindex_cast(xg_kmodule *m, xg_kop *op) {
    xg_kval *x = op->operands[0].value, *r = op->results, *v;
    xg_kb b = xg_kb_before(m, op);
    xg_kelem to = r->type->elem;
    if (r->type->kind != XG_TK_SCALAR) xg_fail(m->ctx, XLAGPU_ERROR_UNSUPPORTED, "vectors of indices");
    if (x->type->elem == to)
        v = x;
    else if (xg_kelem_bits(x->type->elem) > xg_kelem_bits(to))
        v = xg_kcast(&b, XG_K_OP_TRUNCI, x, to);
    else
        v = xg_kcast(&b, x->type->elem == XG_E_I1 ? XG_K_OP_EXTUI : XG_K_OP_EXTSI, x, to);
    if (v != x) xg_kval_copy_facts(v, r);
    if (r->scratch) v->scratch = v;
    xg_kval_replace(r, v);
    xg_kop_remove(op);
}
/* Indices that are carried into `to` (results or arguments) have 64 bits there; what was cast to an integer before has
 * that integer's. */
XG_FN void xg_kindex_carried(xg_kb *b, xg_kop *op, uint32_t from, const xg_kval *to) {
    uint32_t k;
    for (k = from; k < op->n_operands; k++)
        if (to[k - from].scratch) xg_kindex_set(b, op, k, XG_E_I64);
}
XG_FN void xg_kindex_returned(xg_kb *b, xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++)
        if (op->operands[k].value->scratch) xg_kindex_set(b, op, k, XG_E_I64);
}
XG_APART XG_FN void xg_kindex_op(xg_kmodule *m, xg_kb *b, xg_kop *op) {
    xg_kval *r = op->n_results ? op->results : NULL;
    const xg_kop *around = op->parent ? op->parent->owner : NULL;
    uint32_t k;
    xg_kb_move(b, op);
    switch (op->op) {
    case XG_K_OP_INDEX_CAST: xg_kindex_cast(m, op); return;
    case XG_K_OP_CMPI:
        if (op->operands[0].value->scratch || op->operands[1].value->scratch) {
            xg_kelem w = xg_kindex_width(op, 0, NULL);
            for (k = 0; k < 2; k++) xg_kindex_set(b, op, k, w);
        }
        return;
    case XG_K_OP_SELECT:
        if (r->scratch) xg_kindex_arithmetic(m, op, 1);
        return;
    case XG_K_OP_PTR_ADD:
        if (op->operands[1].value->scratch && op->operands[1].value->type->elem == XG_E_I32 &&
            !(op->flags & KP_INBOUNDS) && !xg_kval_nonnegative(op->operands[1].value))
            xg_kindex_set(b, op, 1, XG_E_I64);
        return;
    case XG_K_OP_FOR:
        if (op->regions[0]->args[0].scratch)
            for (k = 0; k < 3; k++) xg_kindex_set(b, op, k, op->regions[0]->args[0].type->elem);
        xg_kindex_carried(b, op, 3, r);
        return;
    case XG_K_OP_WHILE: xg_kindex_carried(b, op, 0, op->regions[0]->args); return;
    case XG_K_OP_YIELD:
        xg_kindex_carried(b, op, 0, around->op == XG_K_OP_WHILE ? around->regions[0]->args : around->results);
        return;
    case XG_K_OP_CONDITION: xg_kindex_carried(b, op, 1, around->regions[1]->args); return;
    case XG_K_OP_CONST:
    case XG_K_OP_THREAD_ID:
    case XG_K_OP_BLOCK_ID:
    case XG_K_OP_IF: return;
    case XG_K_OP_APPLY:
    case XG_K_OP_EXTRACT:
    case XG_K_OP_INSERT:
    case XG_K_OP_READ:
    case XG_K_OP_WRITE:
    case XG_K_OP_LOOP:
    case XG_K_OP_CALL:
        xg_fail(m->ctx, XLAGPU_ERROR_INTERNAL, "convert-index comes after lower-tensors and lower-indexing; it met %s",
            xg_kop_name(op->op));
    default:
        if (r && r->scratch && op->n_regions == 0) xg_kindex_arithmetic(m, op, 0);
        return;
    }
}

XG_FN void xg_kir_convert_index(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kb b = xg_kb_end(m, f->body);
        xg_kops ops;
        uint32_t k;
        memset(&ops, 0, sizeof ops);
        for (k = 0; k < f->body->n_args; k++) xg_kindex_retype(m, &f->body->args[k], false);
        for (k = 0; k < f->n_results; k++)
            if (f->results[k]->elem == XG_E_INDEX) f->results[k] = xg_kir_scalar(m, XG_E_I64);
        xg_kindex_types(m, &ops, f->body);
        for (k = 0; k < ops.n; k++) xg_kindex_op(m, &b, ops.p[k]);
        xg_kb_move(&b, f->body->last);
        xg_kindex_returned(&b, f->body->last);
    }
}

#endif /* XG_KIR_CONVERT_INDEX_C */
