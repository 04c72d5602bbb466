/* opt/tuple_simplifier.c -- get-tuple-element(tuple(a, b), index=k) is the k-th operand; barriers and domains are transparent to it, so that kernels see arrays. */
#ifndef XG_OPT_TUPLE_SIMPLIFIER_C
#define XG_OPT_TUPLE_SIMPLIFIER_C
#include "opt.h"

XG_FN bool xg_opt_tuple_simplifier(xg_module *m) {
    bool changed = false;
    xg_comp *c;
    for (c = m->first; c; c = c->next) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = i->next;
            if (i->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(i, 0)->op == XG_TUPLE) {
                xg_inst_replace(i, XG_OPERAND(XG_OPERAND(i, 0), xg_attr_int(i, XG_A_index, 0)));
                xg_inst_remove(i);
                changed = true;
            }
        }
    }
    return changed;
}

#endif /* XG_OPT_TUPLE_SIMPLIFIER_C */
