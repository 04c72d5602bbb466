/* opt/call_inliner.c -- replaces each call by a copy of the called computation.
 *
 * A call takes values, whatever their layouts: what the callee names with another layout is copied into that, and its result into the call's.
 * Computations are defined before they are used, so walking them in order leaves no call inside a callee. Calls that double at each level grow without
 * end: the total is bounded. */
#ifndef XG_OPT_CALL_INLINER_C
#define XG_OPT_CALL_INLINER_C
#include "opt.h"

enum { XG_INLINE_MAX = 4000000 };

XG_FN xg_inst *xg_opt_inline(const xg_comp *from, xg_comp *to, xg_inst *at, xg_inst *const *args) {
    xg_map64 copy;
    xg_inst *root;
    xg_map64_init(&copy, to->module->arena);
    XG_FOR_INSTS(i, from) {
        xg_inst *made;
        if (i->op == XG_PARAMETER) {
            xg_hb b;
            b.comp = to; b.before = at; b.from = made = args[i->number];
            if (made) made = xg_hb_as(&b, made, i->shape); /* none: nothing uses it */
        }
        else {
            xg_inst **operands = XG_NEW_N(to->module->arena, xg_inst *, i->n_operands + 1);
            uint32_t k;
            for (k = 0; k < i->n_operands; k++) operands[k] = (xg_inst *)xg_map64_get(&copy, XG_OPERAND(i, k)->id);
            made = xg_inst_clone(i, to, operands, at);
        }
        xg_map64_put(&copy, i->id, made);
    }
    root = (xg_inst *)xg_map64_get(&copy, from->root->id);
    return root;
}

XG_FN void xg_opt_unfuse(xg_inst *fusion) {
    xg_inst **args = XG_NEW_N(fusion->comp->module->arena, xg_inst *, fusion->n_operands + (size_t)1);
    xg_hb b = xg_hb_at(fusion);
    uint32_t k;
    for (k = 0; k < fusion->n_operands; k++) args[k] = XG_OPERAND(fusion, k);
    xg_inst_replace(fusion, xg_hb_as(&b, xg_opt_inline(xg_attr_comp(fusion, XG_A_calls), fusion->comp, fusion, args), fusion->shape));
    xg_inst_remove(fusion);
}

XG_FN bool xg_opt_call_inliner(xg_module *m) {
    bool changed = false;
    uint64_t total = 0;
    xg_comp *c;
    for (c = m->made[XG_CALL] ? m->first : NULL; c; c = c->next) {
        xg_inst *i = c->first;
        while (i) {
            xg_inst *next = i->next;
            if (i->op == XG_CALL) {
                xg_inst **args = XG_NEW_N(m->arena, xg_inst *, i->n_operands + 1);
                const xg_comp *callee = xg_attr_comp(i, XG_A_to_apply);
                xg_hb b = xg_hb_at(i);
                uint32_t k;
                total += callee->n_insts;
                if (total > XG_INLINE_MAX) xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "%s: inlining all calls gives more than %d instructions", i->name.p, (int)XG_INLINE_MAX);
                for (k = 0; k < i->n_operands; k++) args[k] = xg_hb_as_dynamic(&b, XG_OPERAND(i, k), callee->params[k]->shape);
                xg_inst_replace(i, xg_hb_as(&b, xg_opt_inline(callee, c, i, args), i->shape));
                xg_inst_remove(i);
                changed = true;
            }
            i = next;
        }
    }
    return changed;
}

#endif /* XG_OPT_CALL_INLINER_C */
