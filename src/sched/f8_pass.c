/* sched/f8_pass.c -- narrow-product-fusion: products whose results are rounded to f8, with the largest of their
 * absolute values, become one fusion each that cuBLASLt makes, where --libraries names it.
 *
 * The pattern is XLA's: y, a scaled product and what is done to it (cublaslt.c), is multiplied or divided by a number,
 * limited to what f8 holds, and converted; max |y| over all of it may be asked for, too. Our own kernels need a second
 * one for the largest value, which reads y again; the library writes both from the first. The pass asks no estimate:
 * this early nothing says what our product will take, and a share of the library's own time would always say the
 * library. What the library divides by is turned over first. */
#ifndef XG_SCHED_F8_PASS_C
#define XG_SCHED_F8_PASS_C
#include "attention_pass.c"
#include "cublaslt.c"

typedef struct xg_f8_match {
    xg_inst *narrow, *y, *scale; /* the conversion; what is scaled; by which number, or NULL */
    bool divides;
    xg_inst *largest; /* NULL: it is not asked for */
    xg_inst *dot;
    xg_inst *chain[5]; /* from the conversion to y, without either */
    uint32_t n;
} xg_f8_match;

XG_FN bool xg_f8_is_limit(const xg_inst *i, xlagpu_type t, double sign) {
    double v;
    return xg_attention_constant(i, &v) && v == sign * xg_float_decode(t, xg_float_format_of(t)->max_bits);
}
/* One operation of limits less; NULL: it is none. */
XG_FN xg_inst *xg_f8_limited(const xg_inst *i, xlagpu_type t) {
    uint32_t k;
    if (i->op == XG_CLAMP)
        return xg_f8_is_limit(XG_OPERAND(i, 0), t, -1) && xg_f8_is_limit(XG_OPERAND(i, 2), t, 1) ? XG_OPERAND(i, 1)
                                                                                                 : NULL;
    for (k = 0; (i->op == XG_MAXIMUM || i->op == XG_MINIMUM) && k < 2; k++)
        if (xg_f8_is_limit(XG_OPERAND(i, k), t, i->op == XG_MAXIMUM ? -1 : 1)) return XG_OPERAND(i, !k);
    return NULL;
}
/* One number, the same for all elements; NULL: it is none. */
XG_FN xg_inst *xg_f8_number(xg_inst *i) {
    if (i->op != XG_BROADCAST || XG_OPERAND(i, 0)->shape->elements != 1) return NULL;
    return XG_OPERAND(i, 0)->shape->type == XLAGPU_F32 ? XG_OPERAND(i, 0) : NULL;
}
/* The dot that y is made of, itself read by nothing else that counts. */
XG_FN xg_inst *xg_f8_dot(xg_inst *i) {
    enum {
        STEPS = 40 /* GELU has about 20 */
    };
    uint32_t step, k;
    for (step = 0; step < STEPS && i->op != XG_DOT; step++) {
        for (k = 0; k < i->n_operands; k++)
            if (XG_OPERAND(i, k)->op != XG_BROADCAST && XG_OPERAND(i, k)->op != XG_PARAMETER) break;
        if (k == i->n_operands || !((xg_op_flags(i->op) & XGF_EW) || xg_attention_moves(i))) return NULL;
        i = XG_OPERAND(i, k);
    }
    return i->op == XG_DOT ? i : NULL;
}
XG_FN xg_inst *xg_f8_largest(const xg_inst *y) {
    XG_FOR_USES(u, y) {
        xg_inst *abs = u->user, *r = abs->op == XG_ABS && xg_opt_has_one_user(abs) ? abs->first_use->user : NULL;
        double init;
        if (r && r->op == XG_REDUCE && r->n_operands == 2 && r->shape->elements == 1 && XG_OPERAND(r, 0) == abs &&
            xg_reducer_is_plain(xg_attr_to_apply(r)) && xg_attr_to_apply(r)->root->op == XG_MAXIMUM &&
            xg_attention_constant(XG_OPERAND(r, 1), &init) && init <= 0)
            return r;
    }
    return NULL;
}
XG_APART XG_FN bool xg_f8_match_of(xg_inst *narrow, xg_f8_match *f) {
    xlagpu_type t = narrow->shape->type;
    xg_inst *i, *inner;
    uint32_t k;
    memset(f, 0, sizeof *f);
    if (narrow->op != XG_CONVERT || t != XLAGPU_F8E4M3FN || XG_OPERAND(narrow, 0)->shape->type != XLAGPU_F32)
        return false;
    f->narrow = narrow;
    for (i = XG_OPERAND(narrow, 0); f->n < 2 && (inner = xg_f8_limited(i, t)) != NULL; i = inner) f->chain[f->n++] = i;
    if (!f->n || (f->n == 1 && f->chain[0]->op != XG_CLAMP) || (f->n == 2 && f->chain[0]->op == f->chain[1]->op))
        return false;
    f->largest = xg_f8_largest(i); /* then i is y, and its last factor is none of the result's */
    for (k = 0; k < 2 && !f->scale && !f->largest && (i->op == XG_MULTIPLY || (i->op == XG_DIVIDE && !k)); k++) {
        f->scale = xg_f8_number(XG_OPERAND(i, !k));
        if (!f->scale) continue;
        f->divides = i->op == XG_DIVIDE;
        f->chain[f->n++] = i;
        i = XG_OPERAND(i, k);
    }
    f->y = i;
    if (!f->largest) f->largest = xg_f8_largest(i);
    f->dot = xg_f8_dot(i);
    return f->dot && XG_OPERAND(f->dot, 0)->shape->type == t && XG_OPERAND(f->dot, 1)->shape->type == t;
}

/* ---- the fusion ---- */

XG_FN void xg_f8_take(xg_attention_members *w, const xg_f8_match *f, xg_inst *i) {
    bool made = i == f->dot || (i->op != XG_PARAMETER && xg_attention_depends(i, f->dot));
    uint32_t k;
    if (xg_attention_has(w, i) || (!made && i->op != XG_BROADCAST && i->op != XG_CONSTANT && i->op != XG_CONVERT))
        return;
    if (i->op == XG_CONSTANT && i->shape->rank) return;
    if (!xg_attention_add(w, i)) return;
    for (k = 0; i != f->dot && k < i->n_operands; k++) xg_f8_take(w, f, XG_OPERAND(i, k));
}
/* The same again, in one form: y times its scale, at least, at most, converted. */
XG_FN xg_inst *xg_f8_again(const xg_f8_match *f) {
    xg_hb b = xg_hb_at(f->narrow);
    xlagpu_type t = f->narrow->shape->type;
    double most = xg_float_decode(t, xg_float_format_of(t)->max_bits);
    xg_inst *x = f->y, *by = f->scale ? xg_hb_reshape(&b, f->scale, NULL, 0) : NULL;
    if (f->divides) by = xg_hb_2(&b, XG_DIVIDE, xg_hb_float(&b, XLAGPU_F32, 1), by);
    if (by) x = xg_hb_2(&b, XG_MULTIPLY, x, xg_hb_splat(&b, by, x->shape->dims, x->shape->rank));
    x = xg_hb_2(&b, XG_MAXIMUM, x, xg_hb_float_like(&b, x, -most));
    x = xg_hb_2(&b, XG_MINIMUM, x, xg_hb_float_like(&b, x, most));
    return xg_hb_convert(&b, x, t);
}
XG_FN bool xg_f8_is_closed(xg_attention_members *w, const xg_f8_match *f) {
    uint32_t k;
    if (f->largest && !xg_attention_is_read_behind(w, f->largest)) return false;
    for (k = 0; k < w->n; k++) {
        const xg_inst *i = w->p[k];
        bool made = i == f->dot || xg_attention_depends(i, f->dot);
        if (made && i != w->root && i != f->narrow && i != f->largest && !xg_attention_is_inside(w, i)) return false;
    }
    return w->n < XG_ATTENTION_MEMBERS;
}
XG_FN bool xg_f8_order(xg_arena *a, xg_inst *fusion) {
    xg_lt_match m;
    xg_lt_types types;
    xg_lt_call c;
    xg_record r;
    if (!xg_lt_takes(fusion, &m, &c, &types)) return false;
    memset(&r, 0, sizeof r);
    r.kind = XG_STR("library");
    r.way = XG_STR("cublaslt");
    r.n_results = (uint32_t)xg_shape_leaves(fusion->shape);
    r.over = XG_NEW_N(a, xg_ints, r.n_results);
    xg_record_write(fusion, &r);
    return true;
}
XG_FN bool xg_f8_try(xg_inst *narrow) {
    xg_arena *work = narrow->comp->module->work;
    xg_attention_members *w = XG_NEW(work, xg_attention_members);
    xg_attention *a = XG_NEW(work, xg_attention);
    xg_inst *fusion = NULL, *again;
    xg_f8_match f;
    uint32_t k;
    if (!xg_f8_match_of(narrow, &f)) return false;
    again = xg_f8_again(&f);
    a->out_dot = f.dot;
    xg_attention_none(w, a, work);
    w->root = again;
    xg_f8_take(w, &f, again);
    for (k = 0; k < f.n; k++) (void)xg_attention_add(w, f.chain[k]);
    (void)xg_attention_add(w, narrow);
    xg_inst_replace(narrow, again);
    if (f.largest) {
        xg_f8_take(w, &f, f.largest);
        w->stats[w->n_stats++] = f.largest;
    }
    if (xg_f8_is_closed(w, &f)) fusion = xg_attention_make(w);
    if (fusion && xg_f8_order(work, fusion)) {
        xg_attention_give(w, fusion);
        xg_attention_drop(w);
        return true;
    }
    if (fusion) xg_attention_unmake(fusion);
    xg_inst_replace(again, narrow);
    return false;
}
XG_FN bool xg_f8_comp(xg_comp *c) {
    XG_VEC(xg_inst *) narrow = {NULL, 0, 0};
    bool changed = false;
    uint32_t k;
    XG_FOR_INSTS(i, c)
        if (i->op == XG_CONVERT && i->shape->type == XLAGPU_F8E4M3FN) xg_push(c->module->work, xg_inst *, &narrow, i);
    for (k = 0; k < narrow.n; k++) changed |= xg_f8_try(narrow.p[k]);
    return changed;
}
XG_FN bool xg_f8_fuse(xg_module *m) {
    return m->made[XG_DOT] && m->libraries >> XG_EXE_LIBRARY_CUBLASLT & 1 && xg_opt_each_sequence(m, xg_f8_comp);
}

#endif /* XG_SCHED_F8_PASS_C */
