/* fuse/fingerprint.c -- a computation as bytes, without its names: equal bytes mean equal kernels, so that what a model repeats in every layer is emitted once. */
#ifndef XG_FUSE_FINGERPRINT_C
#define XG_FUSE_FINGERPRINT_C
#include "fuse.h"

XG_FN void xg_fingerprint_number(xg_buf *b, uint64_t v) { /* seven bits at a time */
    char bytes[10];
    size_t n = 0;
    do { bytes[n++] = (char)((v & 127) | (v > 127 ? 128 : 0)); v >>= 7; } while (v);
    xg_put(b, bytes, n);
}

XG_FN void xg_fingerprint_literal(xg_buf *b, const xg_literal *l) {
    uint32_t k;
    xg_fingerprint_number(b, l->elided ? 1 : l->data ? 2 : 0);
    if (l->data && !l->elided) xg_put(b, (const char *)l->data, (size_t)xg_cost_bytes(l->shape));
    if (l->elems) for (k = 0; k < l->shape->n_elems; k++) xg_fingerprint_literal(b, l->elems[k]);
}

XG_FN void xg_fingerprint_attr(xg_buf *b, const xg_attr *a) {
    xg_printer p;
    uint32_t k;
    switch (a->key) {
    case XG_A_metadata: case XG_A_frontend_attributes: case XG_A_sharding: case XG_A_statistics: case XG_A_origin: case XG_A_control_predecessors: return;
    default: break;
    }
    xg_fingerprint_number(b, (uint64_t)a->key + 1);
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_INT: case XG_K_BOOL: xg_fingerprint_number(b, (uint64_t)a->v.i); return;
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

XG_FN void xg_fingerprint_inst(xg_buf *b, const xg_inst *i) { /* all but its operands */
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
        xg_fingerprint_inst(b, i);
        for (k = 0; k < i->n_operands; k++) xg_fingerprint_number(b, (uint64_t)(size_t)XG_OPERAND(i, k)->scratch);
    }
    xg_fingerprint_number(b, (uint64_t)(size_t)c->root->scratch);
}

XG_FN void xg_fuse_fingerprint_part(xg_buf *b, xg_arena *a, xg_inst *const *insts, uint32_t n, xg_inst *const *roots, uint32_t n_roots) {
    xg_map64 places;
    uint32_t at = 0, k, j;
    xg_map64_init(&places, a);
    for (k = 0; k < n; k++) {
        const xg_inst *i = insts[k];
        if (i->op == XG_PARAMETER || i->op == XG_TUPLE) continue;
        xg_map64_put(&places, i->id + (uint64_t)1, (void *)(uintptr_t)++at);
        xg_fingerprint_inst(b, i);
        for (j = 0; j < i->n_operands; j++) {
            size_t place = (size_t)xg_map64_get(&places, XG_OPERAND(i, j)->id + (uint64_t)1);
            xg_fingerprint_number(b, place);
            if (!place) xg_fingerprint_number(b, XG_OPERAND(i, j)->shape->id);
        }
    }
    for (k = 0; k < n_roots; k++) xg_fingerprint_number(b, (uint64_t)(size_t)xg_map64_get(&places, roots[k]->id + (uint64_t)1));
}

#endif /* XG_FUSE_FINGERPRINT_C */
