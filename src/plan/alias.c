/* plan/alias.c -- which values lie in one place.
 *
 * Values become one buffer when no two of them are needed at the same time. Two may touch: one ends at the very step
 * that makes the other, if that step is allowed to write the one over the other, element by element (fuse/in_place.c),
 * or makes it by doing nothing (the state of a loop, the result of a branch, a result of the program). Asked in this
 * order: what leaves the program, and the parameters that its results share memory with, because the module says so or
 * because they are donors and a result is written over them; loops and branches; results that must lie over an operand;
 * results that may; then donors that are left. What must and cannot is copied (copies.c).
 *
 * Law: the values of a buffer are sorted by time and disjoint, so a newcomer meets at most its two neighbours; the
 * smaller buffer goes into the larger one. */
#ifndef XG_PLAN_ALIAS_C
#define XG_PLAN_ALIAS_C
#include "plan.h"
#include "values.c"

/* ---- may they? ---- */

/* y is made at the step at which x is needed last. */
XG_FN bool xg_alias_touch(const xg_plan *p, const xg_plan_value *x, const xg_plan_value *y) {
    const xg_inst *i = y->inst;
    uint32_t k;
    bool found = false;
    switch (y->role) {
    case XG_VALUE_IN:
    case XG_VALUE_OUT:
    case XG_VALUE_LANDED: return y->from == x;
    case XG_VALUE_RESULT: return y->from == x || x->role == XG_VALUE_PARAMETER; /* moves at the end happen together */
    case XG_VALUE_MADE: break;
    default: return false;
    }
    if (i->op != XG_FUSION)
        return i->op == XG_CUSTOM_CALL && xg_fuse_said(i, y->leaf) >= 0 &&
               xg_plan_value_of(p, XG_OPERAND(i, xg_fuse_said(i, y->leaf)), 0) == x;
    for (k = 0; k < i->n_operands; k++) {
        if (xg_plan_value_of(p, XG_OPERAND(i, k), 0) != x) continue;
        if (!xg_records_may_share(p->records, i, k, y->leaf)) return false;
        found = true;
    }
    return found;
}
XG_FN bool xg_alias_apart(const xg_plan *p, const xg_plan_value *x, const xg_plan_value *y) {
    if (x->first > y->first) {
        const xg_plan_value *t = x;
        x = y;
        y = t;
    }
    return x->last < y->first || (x->last == y->first && x->first < y->first && xg_alias_touch(p, x, y));
}

XG_FN bool xg_alias_fits(const xg_plan *p, const xg_buffer *b, const xg_plan_value *v) {
    uint32_t k = xg_alias_place(b, v->first);
    return (!k || xg_alias_apart(p, b->values.p[k - 1], v)) &&
           (k == b->values.n || xg_alias_apart(p, v, b->values.p[k]));
}

/* Constants and parameters that are not given away are only read. */
XG_FN bool xg_alias_writable(const xg_buffer *b) {
    return b->kind == XG_EXE_ALLOC_TEMP || b->kind == XG_EXE_ALLOC_RESULT ||
           (b->kind == XG_EXE_ALLOC_PARAMETER && b->donated);
}

/* ---- two into one ---- */

/* True when they are one buffer afterwards. */
XG_FN bool xg_alias_try(xg_plan *p, xg_plan_value *a, xg_plan_value *b) {
    xg_buffer *s = a->buffer, *l = b->buffer;
    uint32_t k;
    if (s == l) return true;
    if (s->values.n > l->values.n) {
        xg_buffer *t = s;
        s = l;
        l = t;
    }
    if (s->bytes != l->bytes || !s->bytes || s->space != l->space || !xg_alias_writable(s) || !xg_alias_writable(l))
        return false;
    if (s->kind != XG_EXE_ALLOC_TEMP && l->kind != XG_EXE_ALLOC_TEMP) return false;
    for (k = 0; k < s->values.n; k++)
        if (!xg_alias_fits(p, l, s->values.p[k])) return false;
    xg_alias_pour(p, s, l);
    return true;
}

/* ---- what is asked ---- */

/* input_output_alias: the leaf of a parameter that a leaf of the result shares memory with. */
XG_FN uint32_t xg_alias_leaf(const xg_inst *i, const xg_shape *s, xg_ints index) {
    uint32_t leaf = 0, k;
    for (k = 0; k < index.n; k++) {
        if (s->type != XLAGPU_TUPLE || index.p[k] < 0 || index.p[k] >= (int64_t)s->n_elems)
            xg_hlo_fail(i, XLAGPU_ERROR_INVALID, NULL,
                "input_output_alias or buffer_donor names a part of %s that is not there", i->name.p);
        leaf += xg_shape_leaf_at(s, index.p[k]);
        s = s->elems[index.p[k]];
    }
    return leaf;
}
/* The leaf of a parameter that an alias or a donor names; NULL: none. */
XG_FN xg_plan_value *xg_alias_given(const xg_plan *p, const xg_io_alias *a) {
    const xg_inst *param =
        a->param >= 0 && a->param < (int64_t)p->m->entry->n_params ? p->m->entry->params[a->param] : NULL;
    return param ? xg_plan_value_of(p, param, xg_alias_leaf(param, param->shape, a->param_index)) : NULL;
}
XG_FN void xg_alias_donated(xg_plan *p, xg_plan_value **results) {
    const xg_comp *e = p->m->entry;
    uint32_t k;
    for (k = 0; k < p->m->n_aliases; k++) {
        const xg_io_alias *a = &p->m->aliases[k];
        uint32_t leaf = xg_alias_leaf(e->root, e->root->shape, a->output);
        xg_plan_value *v = xg_alias_given(p, a);
        if (!v || leaf >= p->n_results || v->buffer->bytes != results[leaf]->buffer->bytes || v->buffer->donated ||
            results[leaf]->buffer->kind != XG_EXE_ALLOC_RESULT)
            continue;
        v->buffer->donated = leaf + 1;
        results[leaf]->buffer->kind = XG_EXE_ALLOC_TEMP; /* it is the parameter's memory */
        xg_plan_unite(p, v, results[leaf]);
    }
}

XG_FN int64_t xg_alias_must(const xg_plan *p, const xg_plan_value *v) {
    if (v->role != XG_VALUE_MADE) return -1;
    if (v->inst->op == XG_FUSION) return xg_fuse_in_place(p->arena, v->inst, v->leaf);
    return v->inst->op == XG_CUSTOM_CALL ? xg_fuse_said(v->inst, v->leaf) : -1;
}

/* buffer_donor: a parameter whose memory a result may take. Nothing is copied for that: a donor that is needed when the
 * result is made keeps its memory. */
XG_FN bool xg_alias_give(xg_plan *p, const xg_plan_value *v, const xg_plan_value *r) {
    xg_buffer *to = v->buffer, *from = r->buffer;
    uint32_t k;
    if (!v->donor || to->donated || from->kind != XG_EXE_ALLOC_RESULT || to->bytes != from->bytes || !to->bytes ||
        to->space != from->space)
        return false;
    for (k = 0; k < from->values.n; k++)
        if (!xg_alias_fits(p, to, from->values.p[k])) return false;
    to->donated = r->leaf + 1;
    from->kind = XG_EXE_ALLOC_TEMP;
    xg_alias_pour(p, from, to);
    return true;
}
/* The parameter that a value is written over, if nothing but writing over happens to it. */
XG_FN const xg_plan_value *xg_alias_source(const xg_plan *p, const xg_plan_value *v) {
    while (v && v->role != XG_VALUE_PARAMETER) {
        int64_t over;
        uint32_t k = 0;
        switch (v->role) {
        case XG_VALUE_RESULT:
        case XG_VALUE_IN: v = v->from; break;
        case XG_VALUE_OUT:
            while (v->buffer->values.p[k]->inst != v->inst || v->buffer->values.p[k]->leaf != v->leaf ||
                   v->buffer->values.p[k]->role != XG_VALUE_IN)
                k++;
            v = v->buffer->values.p[k];
            break;
        default:
            over = xg_alias_must(p, v);
            v = over < 0 ? NULL : xg_plan_value_of(p, XG_OPERAND(v->inst, over), 0);
            break;
        }
    }
    return v;
}
/* A result takes the donor that it is written over. */
XG_FN void xg_alias_donor_below(xg_plan *p, const xg_plan_value *r) {
    const xg_plan_value *x = xg_alias_source(p, r), *y = r->from;
    uint32_t k;
    if (!y || y->buffer != r->buffer || (x && xg_alias_give(p, x, r)) || y->role != XG_VALUE_MADE ||
        y->inst->op != XG_FUSION)
        return;
    for (k = 0; k < y->inst->n_operands; k++) {
        x = xg_plan_value_of(p, XG_OPERAND(y->inst, k), 0);
        if (x && x->last == y->first && xg_alias_give(p, x, r)) return;
    }
}
/* And any other one of its size, of its shape rather. */
XG_FN void xg_alias_donors_left(xg_plan *p, xg_plan_value *const *results) {
    uint32_t pass, k, j;
    for (pass = 0; pass < 2; pass++)
        for (k = 0; k < p->m->n_donors; k++) {
            const xg_plan_value *v = xg_alias_given(p, &p->m->donors[k]);
            for (j = 0; v && j < p->n_results && !v->buffer->donated; j++)
                if (pass ||
                    (v->shape->type == results[j]->shape->type && xg_shape_same_dims(v->shape, results[j]->shape)))
                    (void)xg_alias_give(p, v, results[j]);
        }
}

/* ---- all of it ---- */

XG_FN void xg_plan_alias(xg_plan *p) {
    const xg_inst *apart = NULL; /* nothing that it reads can take what it makes */
    uint32_t n = p->values.n, k, j;
    xg_plan_value **results = p->values.p + (n - p->n_results); /* they came last */
    xg_alias_donated(p, results);
    for (k = 0; k < p->m->n_donors; k++) {
        xg_plan_value *v = xg_alias_given(p, &p->m->donors[k]);
        if (v) v->donor = true;
    }
    for (k = 0; k < p->n_results; k++)
        if (results[k]->from) (void)xg_alias_try(p, results[k]->from, results[k]);
    for (k = 0; k < p->n_results && p->m->n_donors; k++) xg_alias_donor_below(p, results[k]);
    for (k = 0; k < n; k++) {
        xg_plan_value *v = xg_plan_value_at(p, k);
        if (v->role == XG_VALUE_OUT || v->role == XG_VALUE_LANDED || v->role == XG_VALUE_IN)
            if (v->from) (void)xg_alias_try(p, v->from, v);
    }
    for (k = 0; k < n; k++) {
        xg_plan_value *v = xg_plan_value_at(p, k), *x;
        if (!v->buffer->bytes) continue;
        v->over = (uint32_t)(xg_alias_must(p, v) + 1) & 0x3FFFFFFFu; /* all bits that the field has */
        if (!v->over) continue;
        x = xg_plan_value_of(p, XG_OPERAND(v->inst, v->over - 1), 0);
        v->copied = x && !xg_alias_try(p, x, v);
    }
    for (k = 0; k < n; k++) {
        xg_plan_value *v = xg_plan_value_at(p, k);
        if (v->role != XG_VALUE_MADE || v->inst->op != XG_FUSION || !v->buffer->bytes || v->inst == apart) continue;
        for (j = 0, apart = v->inst; j < v->inst->n_operands; j++) {
            xg_plan_value *x = xg_plan_value_of(p, XG_OPERAND(v->inst, j), 0);
            if (!x || x->last != v->first || !xg_alias_writable(x->buffer)) continue;
            apart = NULL;
            if (x->buffer->bytes == v->buffer->bytes && x->buffer != v->buffer && xg_alias_try(p, x, v)) break;
        }
    }
    xg_alias_donors_left(p, results);
}

#endif /* XG_PLAN_ALIAS_C */
