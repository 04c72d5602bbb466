/* kir/edit.c -- what several passes do: asking for effects, following a tensor to its memory, moving and rebuilding
 * operations. */
#ifndef XG_KIR_EDIT_C
#define XG_KIR_EDIT_C
#include "kir.h"
#include "build.c"

XG_FN bool xg_kop_has_effects(const xg_kop *op) {
    uint32_t k, flags = xg_kop_flags(op->op);
    const xg_kop *o;
    if (op->op == XG_K_OP_INSERT || op->op == XG_K_OP_WRITE) return false;
    if (op->op == XG_K_OP_LOAD) return (op->flags & KM_VOLATILE) != 0;
    if (flags & (KF_WRITE | KF_CONV)) return true;
    /* stores come last: from there it is soon found */
    for (k = 0; k < op->n_regions; k++)
        for (o = op->regions[k]->last; o; o = o->prev)
            if (xg_kop_has_effects(o)) return true;
    return false;
}

XG_FN bool xg_kop_is_dead(const xg_kop *op) {
    uint32_t k;
    if (xg_kop_flags(op->op) & KF_TERM) return false;
    for (k = 0; k < op->n_results; k++)
        if (op->results[k].first_use) return false;
    return !xg_kop_has_effects(op);
}

XG_FN xg_kval *xg_ktensor_root(xg_kval *v) {
    for (;;) {
        xg_kop *op = v->def;
        if (!op) {
            xg_kop *owner = v->region->owner;
            if (!owner) return v;
            if (owner->op == XG_K_OP_FOR)
                v = owner->operands[v->index + 2].value;
            else if (owner->op == XG_K_OP_WHILE)
                v = owner->operands[v->index].value;
            else if (owner->op == XG_K_OP_LOOP)
                v = owner->operands[owner->n_operands - (v->region->n_args - v->index)].value;
            else
                return v;
            continue;
        }
        switch (op->op) {
        case XG_K_OP_INSERT:
        case XG_K_OP_WRITE: v = op->operands[1].value; break;
        case XG_K_OP_VIEW:
        case XG_K_OP_ATOMIC_RMW: v = op->operands[0].value; break;
        case XG_K_OP_SYNC:
        case XG_K_OP_WHILE: v = op->operands[v->index].value; break;
        case XG_K_OP_FOR: v = op->operands[v->index + 3].value; break;
        case XG_K_OP_LOOP: v = op->operands[(uint32_t)op->a + v->index].value; break;
        case XG_K_OP_IF: {
            xg_kop *end = xg_kregion_end(op->regions[0]);
            if (!end) return v;
            v = end->operands[v->index].value;
            break;
        }
        default: return v;
        }
    }
}

XG_FN int64_t xg_ktensor_align(xg_kval *v) {
    const xg_kval *root = xg_ktensor_root(v);
    if (root->def) return 16; /* shared arrays are laid out so */
    return root->region->func->entry ? root->region->func->args[root->index].align : 1;
}

/* A parameter of the kernel that lies in no memory it writes to. */
XG_FN bool xg_ktensor_is_constant(xg_kval *v) {
    const xg_kval *root = xg_ktensor_root(v);
    const xg_kfunc *f;
    uint32_t k;
    if (root->def || !(f = root->region->func)->entry || !f->args || f->args[root->index].aliased) return false;
    for (k = 0; k < f->body->n_args; k++)
        if (f->args[k].written && f->args[k].slice == f->args[root->index].slice) return false;
    return true;
}

XG_FN int64_t xg_kfor_trips(const xg_kop *op) {
    int64_t lo, hi, step, span;
    if (!xg_kval_is_const(op->operands[0].value, &lo) || !xg_kval_is_const(op->operands[1].value, &hi) ||
        !xg_kval_is_const(op->operands[2].value, &step) || step <= 0)
        return -1;
    if (hi <= lo) return 0;
    if (!xg_add64(hi, lo == INT64_MIN ? INT64_MAX : -lo, &span) || lo == INT64_MIN) return -1;
    return (span - 1) / step + 1;
}

XG_FN void xg_kregion_take(xg_kregion *from, xg_kop *before) {
    xg_kop *op, *next;
    for (op = from->first; op; op = next) {
        next = op->next;
        xg_kop_link(op, before->parent, before);
    }
    from->first = from->last = NULL;
}
XG_FN void xg_kregion_take_end(xg_kregion *from, xg_kregion *to) {
    xg_kop *op, *next;
    for (op = from->first; op; op = next) {
        next = op->next;
        xg_kop_link(op, to, NULL);
    }
    from->first = from->last = NULL;
}

XG_FN xg_kop *xg_kop_rebuild(
    xg_kmodule *m, xg_kop *old, xg_kval *const *operands, uint32_t n, const xg_ktype *const *results, uint32_t nr) {
    xg_kb b = xg_kb_before(m, old);
    xg_kop *op = xg_kir_op(&b, old->op, operands, n, results, nr, old->n_regions);
    uint32_t k;
    op->a = old->a;
    op->b = old->b;
    op->flags = old->flags;
    op->p = old->p;
    for (k = 0; k < old->n_regions; k++) {
        op->regions[k] = old->regions[k];
        op->regions[k]->owner = op;
    }
    old->n_regions = 0;
    return op;
}

/* *left: so many there may still be. */
XG_FN void xg_kops_collect(
    xg_arena *a, xg_kops *out, const xg_kregion *r, xg_kopcode code, xg_kopcode other, uint32_t *left) {
    xg_kop *op;
    uint32_t k;
    for (op = r->first; op && *left; op = op->next) {
        bool is = op->op == code || op->op == other;
        *left -= is;
        for (k = 0; k < op->n_regions; k++) xg_kops_collect(a, out, op->regions[k], code, other, left);
        if (is) xg_push(a, xg_kop *, out, op);
    }
}
/* Few of all operations: nothing else is walked over. */
XG_FN void xg_kops_collect_loops(xg_arena *a, xg_kops *out, const xg_kregion *r, xg_kopcode code, xg_kopcode other) {
    xg_kops *loops = &r->func->module->loops;
    uint32_t *depth = XG_NEW_N(a, uint32_t, loops->n + (size_t)1), n = 0, most = 0, k;
    for (k = 0; k < loops->n; k++) {
        xg_kop *op = loops->p[k];
        if (!op->parent) continue;
        if (op->parent->func == r->func && (op->op == code || op->op == other))
            depth[n] = xg_kregion_depth(op->parent) + 1;
        most = XG_MAX(most, depth[n]);
        loops->p[n++] = op;
    }
    loops->n = n;
    for (; most; most--)
        for (k = 0; k < n; k++)
            if (depth[k] == most) xg_push(a, xg_kop *, out, loops->p[k]);
}
XG_FN void xg_kops_collect_of(xg_arena *a, xg_kops *out, const xg_kregion *r, xg_kopcode code, xg_kopcode other) {
    const uint32_t *made = r->func->module->made;
    uint32_t left = made[code] + (other != code ? made[other] : 0);
    if (code == XG_K_OP_FOR)
        xg_kops_collect_loops(a, out, r, code, other);
    else
        xg_kops_collect(a, out, r, code, other, &left);
}
XG_FN void xg_kops_each_of(xg_kmodule *m, xg_kopcode code, void (*fn)(xg_kmodule *m, xg_kop *op)) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops ops;
        uint32_t k;
        memset(&ops, 0, sizeof ops);
        xg_kops_collect_of(m->temp, &ops, f->body, code, code);
        for (k = 0; k < ops.n; k++) fn(m, ops.p[k]);
    }
}

#endif /* XG_KIR_EDIT_C */
