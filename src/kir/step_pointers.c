/* kir/step_pointers.c -- addresses that a loop moves on by the same number of bytes in each round are carried by it.
 *
 *     for i: %p = getelementptr %base[a + c * i]      ==>   for i, %p = %base[a + c * lo]: ... yield %p + c * step
 *
 * One addition instead of a multiplication and two; in loops that ask for it (KL_STEP_POINTERS), for a carried address
 * lives all the time. Requires: pointers, constants as bounds; comes behind the last cse. Addresses in inner loops stay
 * as they are; an index that may be negative in some round does, too, since it is taken as unsigned. Of an address in a
 * branch that is known only of the rounds that take the branch: the index of the first round may be negative, and is
 * extended with its sign. */
#ifndef XG_KIR_STEP_POINTERS_C
#define XG_KIR_STEP_POINTERS_C
#include "kir.h"
#include "rules.c"

typedef struct xg_kstepper {
    xg_kmodule *m;
    xg_kop *loop;
    const xg_kval *var;
    int64_t lo, step;
    xg_kops found;
} xg_kstepper;

XG_FN bool xg_kstep_outside(const xg_kstepper *z, const xg_kval *v) {
    return !xg_kregion_inside(v->def ? v->def->parent : v->region, z->loop->regions[0]);
}
/* How much v grows when the variable grows by one; false: it is not known. */
XG_FN bool xg_kstep_scale(const xg_kstepper *z, const xg_kval *v, int64_t *scale, uint32_t depth) {
    int64_t x, y, c;
    *scale = v == z->var;
    if (v == z->var || xg_kstep_outside(z, v) || xg_kval_is_const(v, NULL)) return true;
    if (!v->def || depth == 0) return false;
    switch (v->def->op) {
    case XG_K_OP_ADDI:
        if (!xg_kstep_scale(z, XG_KOPERAND(v->def, 0), &x, depth - 1)) return false;
        return xg_kstep_scale(z, XG_KOPERAND(v->def, 1), &y, depth - 1) && xg_add64(x, y, scale);
    case XG_K_OP_MULI:
    case XG_K_OP_SHLI:
        if (!xg_kval_is_const(XG_KOPERAND(v->def, 1), &c)) return false;
        if (v->def->op == XG_K_OP_SHLI) c = c >= 0 && c < 31 ? (int64_t)1 << c : 0;
        return c && xg_kstep_scale(z, XG_KOPERAND(v->def, 0), &x, depth - 1) && xg_mul64(x, c, scale);
    default: return false;
    }
}
/* v in the first round, computed in front of the loop. */
XG_FN xg_kval *xg_kstep_first(const xg_kstepper *z, xg_kb *b, xg_kval *v) {
    xg_kval *x, *y;
    int64_t c = 1;
    if (v == z->var) return xg_kconst_int(b, v->type->elem, z->lo);
    if (xg_kstep_outside(z, v)) return v;
    if (xg_kval_is_const(v, &c)) return xg_kconst_int(b, v->type->elem, c);
    x = xg_kstep_first(z, b, XG_KOPERAND(v->def, 0));
    if (v->def->op != XG_K_OP_ADDI && xg_kval_is_const(x, &c) && c == 0) return x;
    y = xg_kstep_first(z, b, XG_KOPERAND(v->def, 1));
    if (v->def->op == XG_K_OP_ADDI && xg_kval_is_const(x, &c) && c == 0) return y;
    if (v->def->op == XG_K_OP_ADDI && xg_kval_is_const(y, &c) && c == 0) return x;
    return xg_k2(b, v->def->op, x, y);
}
/* Whether the index of a branch, lo to hi in the rounds that take it, is an i32 in the first round, too. */
XG_FN bool xg_kstep_fits(const xg_kstepper *z, xg_range index, int64_t scale) {
    int64_t rounds, span;
    if (z->lo == INT64_MIN || !xg_add64(xg_kval_range(z->var).hi, -z->lo, &rounds)) return false;
    if (!xg_mul64(rounds, scale, &span)) return false;
    return span > -INT32_MAX && span < INT32_MAX && index.lo - span >= INT32_MIN && index.hi - span <= INT32_MAX;
}
/* An address in the loop's own region is one of every round, one of shared memory counts modulo 2^32. */
XG_FN bool xg_kstep_extends(const xg_kstepper *z, const xg_kop *op) {
    return op->parent != z->loop->regions[0] && XG_KOPERAND(op, 1)->type->elem == XG_E_I32 &&
           op->results->type->space != XG_SPACE_SHARED;
}
XG_FN bool xg_kstep_may(const xg_kstepper *z, const xg_kop *op, int64_t *bytes) {
    enum {
        DEEPEST = 8
    };
    xg_range index;
    if (op->op != XG_K_OP_PTR_ADD || !xg_kstep_outside(z, XG_KOPERAND(op, 0))) return false;
    if (!xg_kstep_scale(z, XG_KOPERAND(op, 1), bytes, DEEPEST) || !*bytes) return false;
    index = xg_kval_range(XG_KOPERAND(op, 1));
    if (index.lo < 0) return false;
    if (xg_kstep_extends(z, op) && !xg_kstep_fits(z, index, *bytes)) return false;
    return xg_mul64(*bytes, op->a ? op->a : 1, bytes) && xg_mul64(*bytes, z->step, bytes) && *bytes >= INT32_MIN &&
           *bytes <= INT32_MAX;
}
XG_FN void xg_kstep_collect(xg_kstepper *z, const xg_kregion *r) {
    xg_kop *op;
    int64_t bytes;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        if (xg_kstep_may(z, op, &bytes)) xg_push(z->m->temp, xg_kop *, &z->found, op);
        if (op->op == XG_K_OP_IF)
            for (k = 0; k < op->n_regions; k++) xg_kstep_collect(z, op->regions[k]);
    }
}
/* More arguments of a region, behind those that it has. */
XG_FN xg_kval *xg_kstep_more_args(xg_kstepper *z, xg_kregion *r, uint32_t more) {
    xg_kval *old = r->args;
    uint32_t n = r->n_args, k;
    r->args = XG_NEW_N(z->m->arena, xg_kval, n + more);
    for (k = 0; k < n; k++) {
        r->args[k] = old[k];
        r->args[k].first_use = r->args[k].last_use = NULL;
        xg_kval_replace(&old[k], &r->args[k]);
    }
    for (k = 0; k < more; k++) {
        r->args[n + k].type = z->found.p[k]->results->type;
        r->args[n + k].index = n + k;
        r->args[n + k].region = r;
        r->args[n + k].id = z->m->n_ids++;
        r->args[n + k].lo = 1;
    }
    r->n_args = n + more;
    z->var = &r->args[0];
    return &r->args[n];
}
XG_APART XG_FN void xg_kstep_carry(xg_kstepper *z) {
    uint32_t n = z->loop->n_operands, nr = z->loop->n_results, more = z->found.n, k;
    xg_kval **operands = XG_NEW_N(z->m->temp, xg_kval *, n + more), *args;
    xg_kval **yields = XG_NEW_N(z->m->temp, xg_kval *, nr + more);
    const xg_ktype **types = XG_NEW_N(z->m->temp, const xg_ktype *, nr + more);
    int64_t *bytes = XG_NEW_N(z->m->temp, int64_t, more);
    xg_kb b = xg_kb_before(z->m, z->loop);
    xg_kop *made, *yield = z->loop->regions[0]->last;
    for (k = 0; k < n; k++) operands[k] = z->loop->operands[k].value;
    for (k = 0; k < nr; k++) types[k] = z->loop->results[k].type;
    for (k = 0; k < more; k++) {
        const xg_kop *op = z->found.p[k];
        xg_kval *first = xg_kstep_first(z, &b, XG_KOPERAND(op, 1));
        (void)xg_kstep_may(z, op, &bytes[k]);
        if (xg_kstep_extends(z, op)) first = xg_kcast(&b, XG_K_OP_EXTSI, first, XG_E_I64);
        operands[n + k] = xg_kptr(&b, XG_KOPERAND(op, 0), first, op->a, op->b);
        operands[n + k]->def->flags = op->flags;
        types[nr + k] = op->results->type;
    }
    args = xg_kstep_more_args(z, z->loop->regions[0], more);
    for (k = 0; k < nr; k++) yields[k] = XG_KOPERAND(yield, k);
    b = xg_kb_before(z->m, yield);
    for (k = 0; k < more; k++) {
        const xg_kelem index = XG_KOPERAND(z->found.p[k], 1)->type->elem;
        xg_kval_replace(z->found.p[k]->results, &args[k]);
        yields[nr + k] = xg_kptr(&b, &args[k], xg_kconst_int(&b, index, 0), 1, bytes[k]);
        xg_kop_remove(z->found.p[k]);
    }
    xg_kyield(&b, yields, nr + more);
    xg_kop_remove(yield);
    made = xg_kop_rebuild(z->m, z->loop, operands, n + more, types, nr + more);
    for (k = 0; k < nr; k++) xg_kval_replace(&z->loop->results[k], &made->results[k]);
    xg_kop_remove(z->loop);
}
XG_FN void xg_kstep_loop(xg_kmodule *m, xg_kop *loop) {
    xg_kstepper z;
    memset(&z, 0, sizeof z);
    z.m = m;
    z.loop = loop;
    z.var = &loop->regions[0]->args[0];
    if (!(loop->flags & KL_STEP_POINTERS)) return;
    if (!xg_kval_is_const(XG_KOPERAND(loop, 0), &z.lo) || !xg_kval_is_const(XG_KOPERAND(loop, 2), &z.step)) return;
    xg_kstep_collect(&z, loop->regions[0]);
    if (z.found.n) xg_kstep_carry(&z);
}
XG_FN void xg_kir_step_pointers(xg_kmodule *m) { xg_kops_each_of(m, XG_K_OP_FOR, xg_kstep_loop); }

#endif /* XG_KIR_STEP_POINTERS_C */
