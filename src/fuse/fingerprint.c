/* fuse/fingerprint.c -- a computation as bytes, without its names: equal bytes mean equal kernels, so that what a model
 * repeats in every layer is emitted once. */
#ifndef XG_FUSE_FINGERPRINT_C
#define XG_FUSE_FINGERPRINT_C
#include "../hlo/text.h"
#include "fuse.h"

XG_FN void xg_fingerprint_number(xg_buf *b, uint64_t v) { /* seven bits at a time */
    char *at;
    size_t n = 0;
    at = b->cap - b->n > 10 ? b->p + b->n : xg_buf_room(b, 10);
    for (; v > 127; v >>= 7) at[n++] = (char)((v & 127) | 128);
    at[n++] = (char)v;
    at[n] = 0;
    b->n += n;
}

XG_FN void xg_fingerprint_literal(xg_buf *b, const xg_literal *l) {
    uint32_t k;
    xg_fingerprint_number(b, l->elided ? 1 : l->data ? 2 : 0);
    if (l->data && !l->elided) xg_put(b, (const char *)l->data, (size_t)xg_cost_bytes(l->shape));
    if (l->elems)
        for (k = 0; k < l->shape->n_elems; k++) xg_fingerprint_literal(b, l->elems[k]);
}

XG_FN bool xg_fingerprint_ignores(xg_attr_key key) {
    switch (key) {
    case XG_A_metadata:
    case XG_A_frontend_attributes:
    case XG_A_sharding:
    case XG_A_statistics:
    case XG_A_origin:
    case XG_A_control_predecessors: return true;
    default: return false;
    }
}
XG_FN void xg_fingerprint_attr(xg_buf *b, const xg_attr *a) {
    xg_printer p;
    uint32_t k;
    if (xg_fingerprint_ignores(a->key)) return;
    xg_fingerprint_number(b, (uint64_t)a->key + 1);
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_INT:
    case XG_K_BOOL: xg_fingerprint_number(b, (uint64_t)a->v.i); return;
    case XG_K_INTS:
        xg_fingerprint_number(b, a->v.ints->n);
        for (k = 0; k < a->v.ints->n; k++) xg_fingerprint_number(b, (uint64_t)a->v.ints->p[k]);
        return;
    case XG_K_COMP: xg_fuse_fingerprint(b, a->v.comp); return;
    case XG_K_COMPS:
        xg_fingerprint_number(b, a->v.comps->n);
        for (k = 0; k < a->v.comps->n; k++) xg_fuse_fingerprint(b, a->v.comps->p[k]);
        return;
    default:
        p = xg_printer_make(b, NULL);
        xg_print_attr(&p, a);
        xg_putc(b, 0);
    }
}

XG_FN void xg_fuse_fingerprint_inst(xg_buf *b, const xg_inst *i) { /* all but its operands */
    uint32_t k;
    xg_fingerprint_number(b, i->op);
    xg_fingerprint_number(b, i->shape->id);
    xg_fingerprint_number(b, i->n_operands);
    if (i->op == XG_PARAMETER) xg_fingerprint_number(b, (uint64_t)i->number);
    if (i->op == XG_CONSTANT) xg_fingerprint_literal(b, i->literal);
    for (k = 0; k < i->n_attrs; k++) xg_fingerprint_attr(b, &i->attrs[k]);
    xg_fingerprint_number(b, 0); /* behind the attributes, whose keys are not 0 */
}

XG_FN void xg_fuse_fingerprint(xg_buf *b, const xg_comp *c) {
    uint32_t at = 0, k;
    xg_fingerprint_number(b, c->n_insts);
    XG_FOR_INSTS(i, c) {
        i->scratch = (void *)(size_t)at++;
        xg_fuse_fingerprint_inst(b, i);
        for (k = 0; k < i->n_operands; k++) xg_fingerprint_number(b, (uint64_t)(size_t)XG_OPERAND(i, k)->scratch);
    }
    xg_fingerprint_number(b, (uint64_t)(size_t)c->root->scratch);
}

XG_FN void xg_fuse_fingerprint_part(
    xg_buf *b, xg_arena *a, xg_inst *const *insts, uint32_t n, xg_inst *const *roots, uint32_t n_roots) {
    xg_map64 places;
    uint32_t at = 0, k, j;
    xg_map64_init(&places, a);
    for (k = 0; k < n; k++) {
        const xg_inst *i = insts[k];
        if (i->op == XG_PARAMETER || i->op == XG_TUPLE) continue;
        xg_map64_put(&places, i->id + (uint64_t)1, (void *)(uintptr_t)++at);
        xg_fuse_fingerprint_inst(b, i);
        for (j = 0; j < i->n_operands; j++) {
            size_t place = (size_t)xg_map64_get(&places, XG_OPERAND(i, j)->id + (uint64_t)1);
            xg_fingerprint_number(b, place);
            if (!place) xg_fingerprint_number(b, XG_OPERAND(i, j)->shape->id);
        }
    }
    for (k = 0; k < n_roots; k++)
        xg_fingerprint_number(b, (uint64_t)(size_t)xg_map64_get(&places, roots[k]->id + (uint64_t)1));
}

/* ---- kernels: what a computation does to memory ----
 *
 * Two fusions may differ in the order of their instructions and in how they cut their arrays into dimensions, and be
 * one kernel all the same. So instructions are written in the order in which a walk from the root meets them, and
 * arrays in the plain order of memory as so many elements: bitcasts say nothing then, and broadcasts and reductions
 * only what runs of dimensions stay together. Whatever else looks at dimensions writes its shapes out. */

/* In memory, its elements lie one behind the other, in the order of their indices. */
XG_FN bool xg_fingerprint_flat(const xg_shape *s) {
    const xg_layout *l = s->layout;
    if (s->n_elems || s->dynamic || (!s->rank && s->elements != 1)) return false;
    return !l || (l->descending && !l->memory_space && !l->element_bits && !l->extras.n);
}
XG_FN void xg_fingerprint_shape(xg_buf *b, const xg_shape *s) {
    bool flat = xg_fingerprint_flat(s);
    xg_fingerprint_number(b, flat);
    if (!flat) {
        xg_fingerprint_number(b, s->id);
        return;
    }
    xg_fingerprint_number(b, s->type);
    xg_fingerprint_number(b, (uint64_t)s->elements);
}
/* The sizes of runs of dimensions that are all among `of`, or all not; the first run is not. */
XG_FN void xg_fingerprint_runs(xg_buf *b, const xg_shape *s, xg_ints of) {
    uint32_t d, k;
    uint64_t run = 1;
    bool in = false;
    for (d = 0; d < s->rank; d++) {
        bool is = false;
        if (s->dims[d] == 1) continue;
        for (k = 0; k < of.n; k++) is = is || of.p[k] == (int64_t)d;
        if (is != in) {
            xg_fingerprint_number(b, run + 1);
            run = 1;
            in = is;
        }
        run *= (uint64_t)s->dims[d];
    }
    xg_fingerprint_number(b, run + 1);
    xg_fingerprint_number(b, 0);
}
XG_FN bool xg_fingerprint_flat_all(const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_fingerprint_flat(XG_OPERAND(i, k)->shape)) return false;
    for (k = 0; k < i->shape->n_elems; k++)
        if (!xg_fingerprint_flat(i->shape->elems[k])) return false;
    return i->shape->n_elems || xg_fingerprint_flat(i->shape);
}
/* The same elements in the same places of memory. */
XG_FN bool xg_fingerprint_says_nothing(const xg_inst *i) {
    return (i->op == XG_BITCAST || i->op == XG_RESHAPE) && xg_fingerprint_flat_all(i) &&
           i->shape->type == XG_OPERAND(i, 0)->shape->type;
}
XG_FN bool xg_fingerprint_grows(xg_ints of) {
    uint32_t k;
    for (k = 1; k < of.n; k++)
        if (of.p[k - 1] >= of.p[k]) return false;
    return true;
}
/* All of an instruction but which its operands are. */
XG_FN void xg_fingerprint_action(xg_buf *b, const xg_inst *i) {
    xg_ints dims = xg_attr_dims(i);
    bool flat = xg_fingerprint_flat_all(i),
         runs = flat && (i->op == XG_REDUCE || (i->op == XG_BROADCAST && xg_fingerprint_grows(dims)));
    bool counts = runs || i->op == XG_TUPLE || i->op == XG_PARAMETER || i->op == XG_CONSTANT ||
                  (flat && (xg_op_flags(i->op) & XGF_EW));
    uint32_t k;
    xg_fingerprint_number(b, i->op);
    xg_fingerprint_number(b, i->n_operands);
    xg_fingerprint_number(b, (uint64_t)counts + runs);
    if (!counts)
        for (k = 0; k < i->n_operands; k++) xg_fingerprint_number(b, XG_OPERAND(i, k)->shape->id);
    /* the elements of a tuple follow from what it is made of */
    if (!counts || i->shape->n_elems)
        xg_fingerprint_number(b, i->shape->n_elems && counts ? 0 : i->shape->id);
    else
        xg_fingerprint_shape(b, i->shape);
    if (runs) xg_fingerprint_runs(b, i->op == XG_REDUCE ? XG_OPERAND(i, 0)->shape : i->shape, dims);
    if (i->op == XG_PARAMETER) xg_fingerprint_number(b, (uint64_t)i->number);
    if (i->op == XG_CONSTANT) xg_fingerprint_literal(b, i->literal);
    for (k = 0; k < i->n_attrs; k++)
        if (!runs || i->attrs[k].key != XG_A_dimensions) xg_fingerprint_attr(b, &i->attrs[k]);
    xg_fingerprint_number(b, 0); /* behind the attributes, whose keys are not 0 */
}

XG_APART XG_FN void xg_fuse_fingerprint_kernel(xg_buf *b, xg_arena *a, const xg_comp *c) {
    XG_VEC(xg_inst *) path;
    uint32_t at = 0, k;
    memset(&path, 0, sizeof path);
    XG_FOR_INSTS(i, c) i->scratch = NULL; /* place + 1 */
    xg_push(a, xg_inst *, &path, c->root);
    while (path.n) {
        xg_inst *i = path.p[path.n - 1];
        if (!i->scratch)
            for (k = i->n_operands; k-- > 0;)
                if (!XG_OPERAND(i, k)->scratch) xg_push(a, xg_inst *, &path, XG_OPERAND(i, k));
        if (path.p[path.n - 1] != i) continue;
        path.n--;
        if (i->scratch) continue;
        if (xg_fingerprint_says_nothing(i)) {
            i->scratch = XG_OPERAND(i, 0)->scratch;
            continue;
        }
        i->scratch = (void *)(size_t)++at;
        xg_fingerprint_action(b, i);
        for (k = 0; k < i->n_operands; k++) xg_fingerprint_number(b, (uint64_t)(size_t)XG_OPERAND(i, k)->scratch);
    }
    xg_fingerprint_number(b, (uint64_t)(size_t)c->root->scratch);
}

#endif /* XG_FUSE_FINGERPRINT_C */
