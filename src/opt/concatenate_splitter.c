/* opt/concatenate_splitter.c -- wide concatenations as concatenations of some: a kernel has no room for thousands of
 * operands, as what flattens all gradients of a model has them.
 *
 * Parts that turn out to read few arrays are fused with the whole again. */
#ifndef XG_OPT_CONCATENATE_SPLITTER_C
#define XG_OPT_CONCATENATE_SPLITTER_C
#include "opt.h"

enum {
    XG_CONCATENATE_MAX = 256
};

XG_FN bool xg_concatenate_matches(const xg_inst *i) {
    return i->op == XG_CONCATENATE && i->n_operands > XG_CONCATENATE_MAX;
}
XG_FN xg_inst *xg_concatenate_expand(const xg_hb *b, xg_inst *i) {
    xg_arena *work = b->comp->module->work;
    int64_t dim = xg_attr_dims(i).p[0];
    uint32_t n = i->n_operands, k, m;
    xg_inst **parts = XG_NEW_N(work, xg_inst *, n);
    for (k = 0; k < n; k++) parts[k] = XG_OPERAND(i, k);
    for (; n > XG_CONCATENATE_MAX; n = m)
        for (k = 0, m = 0; k < n; k += XG_CONCATENATE_MAX) {
            xg_inst *part = xg_hb_concat(b, parts + k, XG_MIN(n - k, (uint32_t)XG_CONCATENATE_MAX), dim);
            parts[m++] = part;
        }
    return xg_hb_concat(b, parts, n, dim);
}
XG_FN bool xg_opt_concatenate_splitter(xg_module *m) {
    return xg_opt_expand_made(m, xg_concatenate_matches, xg_concatenate_expand, XG_CONCATENATE);
}

#endif /* XG_OPT_CONCATENATE_SPLITTER_C */
