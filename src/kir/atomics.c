/* kir/atomics.c -- changes of an element that happen as one step, whatever other threads change it at the same time.
 *
 * Of a vector it is one step for each element; memory can add up vectors of floats (targets that cannot get a step for
 * each, ptx/legalize.c). What combines the element with one other value by an operation that memory can do is one
 * instruction (llvm.atomicrmw.*; a target that lacks one for the type gets the loop, ptx/legalize.c). The maximum of
 * floats is that of integers, see xg_katomic_extreme. Everything else is a loop: read, compute, and exchange if the
 * element is still the one that was read. A new element that has the bits of the old one needs no exchange. */
#ifndef XG_KIR_ATOMICS_C
#define XG_KIR_ATOMICS_C
#include "kir.h"
#include "build.c"

/* X(RED, combiner) */
#define XG_KATOMICS(X) \
    X(RED_ADDI, ADDI) \
    X(RED_ADDF, ADDF) \
    X(RED_AND, ANDI) \
    X(RED_OR, ORI) X(RED_XOR, XORI) X(RED_MAXS, MAXSI) X(RED_MINS, MINSI) X(RED_MAXU, MAXUI) X(RED_MINU, MINUI)
XG_FN xg_kopcode xg_katomic_combiner(xg_kopcode red) {
    switch (red) {
#define X(red_op, op) \
    case XG_K_OP_##red_op: return XG_K_OP_##op;
        XG_KATOMICS(X)
#undef X
    default: return XG_K_OP_COUNT;
    }
}
XG_FN xg_kopcode xg_katomic_red(xg_kopcode combiner) {
    switch (combiner) {
#define X(red_op, op) \
    case XG_K_OP_##op: return XG_K_OP_##red_op;
        XG_KATOMICS(X)
#undef X
    default: return XG_K_OP_COUNT;
    }
}
#undef XG_KATOMICS

/* ---- elements as bits ---- */

XG_FN xg_kelem xg_katomic_bits(xg_kelem e) {
    int64_t bytes = xg_kelem_bytes(e);
    return bytes == 8 ? XG_E_I64 : bytes == 2 ? XG_E_I16 : XG_E_I32;
}
XG_FN xg_kval *xg_katomic_decode(xg_kb *b, xg_kelem e, xg_kval *bits, xg_kval *shift) {
    if (shift) {
        bits = xg_kcast(b, XG_K_OP_TRUNCI, xg_k2(b, XG_K_OP_SHRUI, bits, shift), XG_E_I8);
        if (e == XG_E_I1) return xg_kcmpi_int(b, XG_CI_NE, bits, 0);
    }
    return bits->type->elem == e ? bits : xg_kbitcast(b, bits, e);
}
/* The element's bits; a byte takes its place among those of the word around it. */
XG_FN xg_kval *xg_katomic_encode(xg_kb *b, xg_kval *v, xg_kval *word, xg_kval *shift) {
    xg_kelem to = shift ? XG_E_I8 : word->type->elem;
    xg_kval *hole;
    if (v->type->elem == XG_E_I1)
        v = xg_kextui(b, v, XG_E_I8);
    else if (v->type->elem != to)
        v = xg_kbitcast(b, v, to);
    if (!shift) return v;
    hole = XG_KOP2(b, XG_K_OP_XORI, xg_k2(b, XG_K_OP_SHLI, xg_kconst_i32(b, 255), shift), xg_kconst_i32(b, -1));
    v = xg_k2(b, XG_K_OP_SHLI, xg_kextui(b, v, XG_E_I32), shift);
    return XG_KOP2(b, XG_K_OP_ORI, xg_kandi(b, word, hole), v);
}
/* 16 bits are exchanged in the registers of 16-bit floats. */
XG_FN xg_kval *xg_katomic_exchange(xg_kb *b, xg_kval *expected, xg_kval *p, xg_kval *v) {
    bool half = v->type->elem == XG_E_I16;
    xg_kval *o[3], *r;
    o[0] = half ? xg_kbitcast(b, expected, XG_E_F16) : expected;
    o[1] = p;
    o[2] = half ? xg_kbitcast(b, v, XG_E_F16) : v;
    r = xg_kir_value(b, XG_K_OP_ATOM_CAS, o, 3, o[0]->type);
    return half ? xg_kbitcast(b, r, XG_E_I16) : r;
}

XG_FN void xg_katomic_loop(xg_kb *b, xg_kelem e, xg_kval *p, xg_kval *shift, xg_katomic_fn fn, void *data) {
    const xg_ktype *t = xg_kir_scalar(b->m, xg_katomic_bits(e));
    xg_kval *old = xg_kir_of(b, XG_K_OP_LOAD, p, t), *v, *next[2];
    xg_kop *loop, *branch;
    xg_kb in, side;
    old->def->a = xg_kelem_bytes(t->elem);
    old->def->flags = KM_VOLATILE;
    loop = xg_kir_op(b, XG_K_OP_WHILE, &old, 1, &t, 1, 2);
    xg_kir_region_args(b, loop, 0, &t, 1);
    xg_kir_region_args(b, loop, 1, &t, 1);
    in = xg_kb_end(b->m, loop->regions[0]);
    in.loc = b->loc;
    old = &loop->regions[0]->args[0];
    v = xg_katomic_encode(&in, fn(&in, data, xg_katomic_decode(&in, e, old, shift)), old, shift);
    branch = xg_kif(&in, xg_kcmpi_(&in, XG_CI_NE, v, old), &t, 1);
    side = xg_kb_end(b->m, branch->regions[0]);
    v = xg_katomic_exchange(&side, old, p, v);
    xg_kyield(&side, &v, 1);
    side = xg_kb_end(b->m, branch->regions[1]);
    xg_kyield(&side, &old, 1);
    next[0] = xg_kcmpi_(&in, XG_CI_NE, branch->results, old);
    next[1] = branch->results;
    xg_kir_do(&in, XG_K_OP_CONDITION, next, 2);
    in = xg_kb_end(b->m, loop->regions[1]);
    v = &loop->regions[1]->args[0];
    xg_kyield(&in, &v, 1);
}

/* ---- the region of an atomic_rmw ---- */

XG_FN bool xg_katomic_depends(const xg_kop *op, const xg_kregion *r) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = op->operands[k].value;
        if (v->region == r || (v->def && v->def->parent == r)) return true;
    }
    return op->n_regions != 0 || !(xg_kop_flags(op->op) & KF_PURE);
}
XG_FN xg_kval *xg_katomic_apply(xg_kb *b, void *data, xg_kval *current) {
    const xg_kregion *r = (const xg_kregion *)data;
    const xg_kop *end = xg_kregion_end(r), *op;
    xg_kclone_begin(r);
    xg_kclone_put(&r->args[0], current);
    for (op = r->first; op != end; op = op->next) xg_kop_clone(b, op);
    return xg_kclone_value(end->operands[0].value);
}
/* Whether memory may know how to do it on this type. */
XG_FN bool xg_katomic_known(xg_kopcode red, xg_kelem e) {
    if (red == XG_K_OP_COUNT) return false;
    return red == XG_K_OP_RED_ADDF ? xg_kelem_is_float(e) && xg_kelem_bytes(e) > 1 : e == XG_E_I32 || e == XG_E_I64;
}
XG_FN xg_kval *xg_katomic_addend(const xg_kregion *r) {
    const xg_kop *sum = r->first, *end = xg_kregion_end(r);
    xg_kval *current = (xg_kval *)&r->args[0];
    uint32_t k;
    if (!sum || sum->op != XG_K_OP_ADDF || sum->next != end || end->n_operands != 1 ||
        end->operands[0].value != sum->results)
        return NULL;
    k = sum->operands[0].value == current;
    return sum->operands[1 - k].value == current && sum->operands[k].value != current &&
                   xg_katomic_known(XG_K_OP_RED_ADDF, current->type->elem)
               ? sum->operands[k].value
               : NULL;
}
XG_FN void xg_katomic_red_at(xg_kb *b, xg_kopcode red, xg_kval *v, xg_kval *p) {
    xg_kval *o[2];
    o[0] = v;
    o[1] = p;
    xg_kir_do(b, red, o, 2)->a = v->type->elements * xg_kelem_bytes(v->type->elem);
}
XG_FN void xg_katomic_red_if(xg_kb *b, xg_kval *cond, xg_kopcode red, xg_kval *v, xg_kval *p) {
    xg_kop *branch = xg_kif(b, cond, NULL, 0);
    xg_kb in = xg_kb_end(b->m, branch->regions[0]);
    xg_katomic_red_at(&in, red, v, p);
    xg_kyield(&in, NULL, 0);
    in = xg_kb_end(b->m, branch->regions[1]);
    xg_kyield(&in, NULL, 0);
}
/* The larger (or smaller) one of the element and v. As integers, floats of one sign have their own order, and those of
 * the other sign its reverse: so the new element goes to memory by one of two operations, as its sign says. Threads
 * only ever move the element one way, so what was read here never takes it back. A NaN gets the sign with which it is
 * beyond all numbers in the integers' order, too. */
XG_FN void xg_katomic_extreme(xg_kb *b, xg_kopcode op, xg_kelem e, xg_kval *v, xg_kval *p) {
    bool max = op == XG_K_OP_MAXF;
    xg_kelem i = xg_katomic_bits(e);
    const xg_ktype *t = xg_kir_scalar(b->m, i);
    int64_t least = e == XG_E_F32 ? INT32_MIN : INT64_MIN;
    xg_kval *sign = xg_kconst_int(b, i, least), *old = xg_kir_of(b, XG_K_OP_LOAD, p, t), *bits, *changed, *same;
    old->def->a = xg_kelem_bytes(e);
    old->def->flags = KM_VOLATILE;
    bits = xg_kbitcast(b, xg_k2(b, op, xg_kbitcast(b, old, e), v), i);
    changed = xg_kcmpi_(b, XG_CI_NE, bits, old);
    same = xg_kcmpi_int(b, XG_CI_ULE, max ? xg_k2(b, XG_K_OP_XORI, bits, sign) : bits,
        e == XG_E_F32 ? (int64_t)0xff << 23 : (int64_t)0x7ff << 52);
    xg_katomic_red_if(b, xg_kandi(b, changed, same), max ? XG_K_OP_RED_MINU : XG_K_OP_RED_MINS, bits, p);
    bits = max ? xg_kandi(b, bits, xg_kconst_int(b, i, ~least)) : xg_k2(b, XG_K_OP_ORI, bits, sign);
    same = xg_k2(b, XG_K_OP_XORI, same, xg_kconst_int(b, XG_E_I1, 1));
    xg_katomic_red_if(b, xg_kandi(b, changed, same), max ? XG_K_OP_RED_MAXS : XG_K_OP_RED_MAXU, bits, p);
}
XG_FN void xg_katomic_region(xg_kb *b, xg_kregion *r, xg_kelem e, xg_kval *p, xg_kval *shift) {
    xg_kop *op, *next, *last;
    xg_kopcode red;
    xg_kval *v;
    uint32_t k;
    if (r->args[0].type->kind == XG_TK_VECTOR) {
        v = xg_katomic_addend(r);
        if (v) xg_katomic_red_at(b, XG_K_OP_RED_ADDF, v, p); /* else it stays what it is */
        return;
    }
    for (op = r->first; op; op = next) { /* what does not need the element is made in front */
        next = op->next;
        if (op != xg_kregion_end(r) && !xg_katomic_depends(op, r)) xg_kop_move_before(op, b->before);
    }
    last = xg_kregion_end(r)->operands[0].value->def;
    red = last ? xg_katomic_red(last->op) : XG_K_OP_COUNT;
    for (k = 0; last && last->parent == r && last == r->first && last->n_operands == 2 && k < 2; k++) {
        v = last->operands[1 - k].value;
        if (last->operands[k].value != &r->args[0] || v == &r->args[0]) continue;
        if ((last->op == XG_K_OP_MAXF || last->op == XG_K_OP_MINF) && (e == XG_E_F32 || e == XG_E_F64))
            xg_katomic_extreme(b, last->op, e, v, p);
        else if (xg_katomic_known(red, e))
            xg_katomic_red_at(b, red, v, p);
        else
            continue;
        return;
    }
    xg_katomic_loop(b, e, p, shift, xg_katomic_apply, r);
}

#endif /* XG_KIR_ATOMICS_C */
