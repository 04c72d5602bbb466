/* opt/call_inliner.c -- replaces each call by a copy of the called computation.
 *
 * A call takes values, whatever their layouts: what the callee names with another layout is copied into that, and its
 * result into the call's. Computations are defined before they are used, so the walk goes from the last to the first:
 * a computation that stays takes what it calls, with the calls inside of that, and a computation that only calls have
 * named goes. So the work is as much as what comes of it, however deep calls are nested. Calls that double at each
 * level grow without end: the total is bounded. */
#ifndef XG_OPT_CALL_INLINER_C
#define XG_OPT_CALL_INLINER_C
#include "opt.h"

XG_FN void xg_opt_mark_comps(const xg_attr *a, unsigned char *marks) {
    uint32_t k;
    if (xg_attr_kind_of(a->key) == XG_K_COMP) marks[a->v.comp->id] = 1;
    if (xg_attr_kind_of(a->key) == XG_K_COMPS)
        for (k = 0; k < a->v.comps->n; k++) marks[a->v.comps->p[k]->id] = 1;
}

enum {
    XG_INLINE_MAX = 1000000
};

XG_FN xg_inst *xg_opt_inline(const xg_comp *from, xg_comp *to, xg_inst *at, xg_inst *const *args) {
    xg_map64 copy;
    xg_inst *root;
    xg_map64_init(&copy, to->module->work);
    XG_FOR_INSTS(i, from) {
        xg_inst *made;
        if (i->op == XG_PARAMETER) {
            xg_hb b;
            b.comp = to;
            b.before = at;
            b.from = made = args[i->number];
            if (made) made = xg_hb_as(&b, made, i->shape); /* none: nothing uses it */
        } else {
            xg_inst **operands = XG_NEW_N(to->module->work, xg_inst *, i->n_operands + 1);
            uint32_t k;
            for (k = 0; k < i->n_operands; k++) operands[k] = (xg_inst *)xg_map64_get(&copy, XG_OPERAND(i, k)->id);
            made = xg_inst_clone(i, to, operands, at);
        }
        xg_map64_put(&copy, i->id, made);
    }
    root = (xg_inst *)xg_map64_get(&copy, from->root->id);
    return root;
}

XG_FN bool xg_inline_sees_layout(const xg_inst *param) {
    XG_FOR_USES(u, param)
        if (param->shape->type == XLAGPU_TUPLE || !xg_opt_reads_by_index(u->user)) return true;
    return false;
}
XG_FN xg_inst *xg_opt_argument(const xg_hb *b, xg_inst *operand, const xg_inst *param) {
    if (operand->shape == param->shape) return operand;
    if (operand->shape->plain == param->shape->plain && xg_inline_sees_layout(param))
        return xg_hb_as(b, operand, param->shape);
    return xg_hb_as_dynamic(b, operand, param->shape);
}

XG_FN void xg_opt_unfuse(xg_inst *fusion) {
    xg_inst **args = XG_NEW_N(fusion->comp->module->arena, xg_inst *, fusion->n_operands + (size_t)1);
    const xg_comp *c = xg_attr_calls(fusion);
    xg_hb b = xg_hb_at(fusion);
    uint32_t k;
    for (k = 0; k < fusion->n_operands; k++) args[k] = xg_opt_argument(&b, XG_OPERAND(fusion, k), c->params[k]);
    xg_inst_replace(fusion, xg_hb_as(&b, xg_opt_inline(c, fusion->comp, fusion, args), fusion->shape));
    xg_inst_remove(fusion);
}

XG_FN void xg_inline_call(xg_inst *call) {
    const xg_comp *callee = xg_attr_to_apply(call);
    xg_arena *work = call->comp->module->work;
    xg_mark mark = xg_arena_mark(work);
    xg_inst **args = XG_NEW_N(work, xg_inst *, call->n_operands + (size_t)1);
    xg_hb b = xg_hb_at(call);
    uint32_t k;
    for (k = 0; k < call->n_operands; k++) args[k] = xg_opt_argument(&b, XG_OPERAND(call, k), callee->params[k]);
    xg_inst_replace(call, xg_hb_as(&b, xg_opt_inline(callee, call->comp, call, args), call->shape));
    xg_inst_remove(call);
    xg_arena_reset(work, mark);
}

/* Inlines all calls of a computation, those inside of what is inlined as well; total: instructions so far. */
XG_FN bool xg_inline_comp(xg_comp *c, unsigned char *stays, uint64_t *total) {
    xg_inst *i = c->first;
    bool changed = false;
    uint32_t k;
    while (i) {
        xg_inst *before = i->prev;
        if (i->op != XG_CALL) {
            for (k = 0; k < i->n_attrs; k++) xg_opt_mark_comps(&i->attrs[k], stays);
            i = xg_inst_behind(i);
            continue;
        }
        *total += xg_attr_to_apply(i)->n_insts;
        if (*total > XG_INLINE_MAX)
            xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL, "%s: inlining all calls gives more than %d instructions",
                i->name.p, (int)XG_INLINE_MAX);
        xg_inline_call(i);
        i = before ? before->next : c->first; /* the first that came in */
        changed = true;
    }
    return changed;
}

XG_FN bool xg_opt_call_inliner(xg_module *m) {
    bool changed = false;
    uint64_t total = 0;
    unsigned char *stays;
    xg_comp *c, *earlier;
    if (!m->made[XG_CALL]) return false;
    stays = XG_NEW_N(m->work, unsigned char, m->n_comp_ids + 1);
    stays[m->entry->id] = 1;
    for (c = m->last; c; c = earlier) {
        earlier = c->prev;
        if (stays[c->id])
            changed = xg_inline_comp(c, stays, &total) || changed;
        else {
            xg_comp_remove(c);
            changed = true;
        }
    }
    return changed;
}

#endif /* XG_OPT_CALL_INLINER_C */
