/* opt/dce.c -- HloDCE: removes what nothing needs: instructions without users and effects (last to first, so that
 * chains go at once), outputs and parameters of fusions, computations that nothing calls.
 *
 * A loop, a branch or a call without users goes as well, unless something inside has effects; callees come before
 * callers, so one walk knows. */
#ifndef XG_OPT_DCE_C
#define XG_OPT_DCE_C
#include "opt.h"

/* ---- effects ---- */

XG_FN bool xg_dce_calls_acting(const xg_inst *i, const unsigned char *acts) {
    uint32_t k, j;
    for (k = 0; xg_inst_may_call(i) && k < i->n_attrs; k++) {
        const xg_attr *a = &i->attrs[k];
        if (xg_attr_kind_of(a->key) == XG_K_COMP && acts[a->v.comp->id]) return true;
        if (xg_attr_kind_of(a->key) == XG_K_COMPS)
            for (j = 0; j < a->v.comps->n; j++)
                if (acts[a->v.comps->p[j]->id]) return true;
    }
    return false;
}
XG_FN bool xg_dce_acts(const xg_inst *i, const unsigned char *acts) {
    if (i->op == XG_CUSTOM_CALL) return xg_attr_or_0(i, XG_A_custom_call_has_side_effect) != 0;
    return (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) || xg_dce_calls_acting(i, acts);
}
/* Was anything ever made that has effects? Few modules have it. */
XG_FN bool xg_dce_made_acting(const xg_module *m) {
    uint32_t op;
    for (op = 0; op < XG_OPCODE_COUNT; op++)
        if (m->made[op] &&
            (op == XG_CUSTOM_CALL || xg_op_flags((xg_opcode)op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)))
            return true;
    return false;
}
XG_FN unsigned char *xg_opt_acting_comps(xg_module *m) {
    unsigned char *acts = XG_NEW_N(m->work, unsigned char, m->n_comp_ids + 1);
    xg_comp *c;
    for (c = xg_dce_made_acting(m) ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_dce_acts(i, acts)) {
                acts[c->id] = 1;
                break;
            }
    return acts;
}

/* By instruction id: does another one name it as its control predecessor? */
XG_FN unsigned char *xg_opt_control_sources(xg_module *m) {
    unsigned char *found = XG_NEW_N(m->work, unsigned char, m->n_ids + 1);
    xg_comp *c;
    uint32_t k;
    for (c = m->made_order ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_attr *a = xg_inst_order(i);
            if (a)
                for (k = 0; k < a->v.insts->n; k++) found[a->v.insts->p[k]->id] = 1;
        }
    return found;
}

XG_FN bool xg_opt_has_control(const xg_module *m) {
    const xg_comp *c;
    for (c = m->made_order ? m->first : NULL; c; c = c->next)
        XG_FOR_INSTS(i, c)
            if (xg_inst_order(i)) return true;
    return false;
}
/* What has been replaced precedes nothing any more: operations without effects have an order for their operands' sake
 * only. */
XG_FN void xg_opt_settle_control(xg_module *m) {
    unsigned char *there = XG_NEW_N(m->arena, unsigned char, m->n_ids + 1);
    xg_comp *c;
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) {
            const xg_attr *a = xg_inst_order(i);
            xg_insts *kept;
            xg_attr now;
            uint32_t k;
            there[i->id] = 1;
            if (!a) continue;
            now = *a;
            kept = XG_NEW(m->arena, xg_insts);
            kept->p = XG_NEW_N(m->arena, xg_inst *, now.v.insts->n + 1);
            for (k = 0; k < now.v.insts->n; k++)
                if (now.v.insts->p[k]->comp == c && there[now.v.insts->p[k]->id])
                    kept->p[kept->n++] = now.v.insts->p[k];
            if (kept->n == now.v.insts->n) continue;
            now.v.insts = kept;
            if (kept->n)
                xg_inst_set_attr(i, now);
            else
                xg_inst_remove_attr(i, XG_A_control_predecessors);
        }
}

/* ---- fusions ---- */

/* Which elements of the tuple value are taken, by index; false when it is used as a whole. Elements that nothing
 * uses are removed. */
XG_FN bool xg_opt_taken_elements(const xg_inst *tuple, unsigned char *taken) {
    xg_use *u, *next;
    if (tuple == tuple->comp->root) return false;
    XG_FOR_USES(v, tuple)
        if (v->user->op != XG_GET_TUPLE_ELEMENT) return false;
    for (u = tuple->first_use; u; u = next) {
        xg_inst *element = u->user;
        next = u->next;
        if (element->first_use || element == element->comp->root)
            taken[xg_attr_index(element)] = 1;
        else
            xg_inst_remove(element);
    }
    return true;
}

/* Outputs of a fusion that nothing takes leave its root tuple; one that is left alone becomes the fusion's value. */
XG_FN bool xg_dce_fusion_outputs(xg_inst *fusion) {
    xg_comp *c = xg_attr_calls(fusion);
    xg_inst *root = c->root, **kept;
    xg_hb b = xg_hb_end(c, root);
    uint32_t n = root->n_operands, k, n_kept = 0;
    unsigned char *taken;
    int64_t *place;
    xg_use *u, *next;
    if (root->op != XG_TUPLE || root->first_use || c->n_control ||
        xg_inst_attr(fusion, XG_A_output_to_operand_aliasing))
        return false;
    taken = XG_NEW_N(c->module->work, unsigned char, n + 1);
    if (!xg_opt_taken_elements(fusion, taken)) return false;
    for (k = 0; k < n; k++) taken[k] = taken[k] || xg_block_needs(XG_OPERAND(root, k));
    place = XG_NEW_N(c->module->work, int64_t, n + 1);
    kept = XG_NEW_N(c->module->work, xg_inst *, n + 1);
    for (k = 0; k < n; k++)
        if (taken[k]) {
            place[k] = n_kept;
            kept[n_kept++] = XG_OPERAND(root, k);
        }
    if (n_kept == n || n_kept == 0) return false;
    c->root = n_kept == 1 ? kept[0] : xg_hb_tuple(&b, kept, n_kept);
    xg_inst_remove(root);
    fusion->shape = c->root->shape;
    xg_inst_remove_attr(fusion, XG_A_backend_config); /* that was of another kernel */
    for (u = fusion->first_use; u; u = next) {
        xg_inst *element = u->user;
        next = u->next;
        if (n_kept > 1) {
            xg_inst_set_int(element, XG_A_index, place[xg_attr_index(element)]);
            continue;
        }
        if (element->op != XG_GET_TUPLE_ELEMENT) continue;
        xg_opt_replace(element, fusion);
        xg_inst_remove(element);
    }
    return true;
}

XG_FN bool xg_dce_fusion_params(xg_inst *fusion) {
    xg_comp *c = xg_attr_calls(fusion);
    uint32_t k, n = 0;
    if (c->n_params != fusion->n_operands || xg_inst_attr(fusion, XG_A_output_to_operand_aliasing)) return false;
    for (k = 0; k < fusion->n_operands; k++) {
        xg_inst *p = c->params[n], *value = XG_OPERAND(fusion, k);
        if (!p->first_use && p != c->root) {
            xg_comp_remove_param(c, n);
            continue;
        }
        if (n != k) xg_inst_set_operand(fusion, n, value);
        n++;
    }
    if (n == fusion->n_operands) return false;
    xg_inst_drop_operands(fusion, n);
    xg_inst_remove_attr(fusion, XG_A_backend_config);
    return true;
}

/* Everything in a fused computation serves its root: what does not goes. */
XG_FN void xg_opt_settle_fusion(xg_inst *fusion) {
    const xg_comp *c = xg_attr_calls(fusion);
    xg_inst *i, *before;
    for (i = c->last; i; i = before) {
        before = xg_inst_before(i);
        if (!i->first_use && i != c->root && i->op != XG_PARAMETER) xg_inst_remove(i);
    }
    (void)xg_dce_fusion_params(fusion);
}
/* Passes that rewrite everywhere do not look for the fusions around, and those that copy instructions copy fusions with
 * the rest: each has a computation of its own again. Inner ones come before those around them. */
XG_FN void xg_opt_settle_fusions(xg_module *m) {
    xg_map64 owners; /* of computations, by id */
    bool copied;
    xg_map64_init(&owners, m->work);
    do { /* a copy of a fusion may have fusions inside */
        xg_comp *c;
        copied = false;
        for (c = m->first; c; c = c->next)
            XG_FOR_INSTS(i, c) {
                xg_comp *body = i->op == XG_FUSION ? xg_attr_calls(i) : NULL;
                const void *owner = body ? xg_map64_get(&owners, body->id + (uint64_t)1) : NULL;
                if (!body || owner == i) continue;
                if (owner) {
                    body = xg_opt_clone_comp(body, c);
                    xg_inst_set_comp(i, XG_A_calls, body);
                    copied = true;
                }
                xg_map64_put(&owners, body->id + (uint64_t)1, i);
                xg_opt_settle_fusion(i);
            }
    } while (copied);
}

/* ---- computations ---- */

XG_FN bool xg_dce_needed(const xg_inst *i, const unsigned char *acts) {
    return i->first_use || i == i->comp->root || i->op == XG_PARAMETER || xg_inst_order(i) || xg_dce_acts(i, acts);
}
/* Callers come after callees: one walk from the last computation to the first settles which are called, and a fusion
 * whose outputs go makes its computation smaller. */
typedef XG_VEC(xg_inst *) xg_dce_fusions;
XG_FN bool xg_dce_walk(
    xg_module *m, const unsigned char *acts, const unsigned char *precedes, xg_dce_fusions *fusions) {
    const uint32_t known = m->n_ids; /* what the walk itself makes, inside fusions, precedes nothing by control */
    unsigned char *live = XG_NEW_N(m->work, unsigned char, m->n_comp_ids + 1);
    xg_comp *c, *earlier;
    bool changed = false;
    xg_trail trail;
    uint32_t k;
    memset(&trail, 0, sizeof trail);
    live[m->entry->id] = 1;
    for (c = m->last; c; c = earlier) {
        xg_inst *i = c->last, *before;
        earlier = c->prev;
        xg_inst_bring((uintptr_t)c - XG_INST_AHEAD); /* as xg_comp_behind */
        if (earlier && earlier->prev) xg_inst_bring((uintptr_t)earlier->prev->last);
        if (!live[c->id]) {
            xg_comp_remove(c);
            changed = true;
            continue;
        }
        for (; i; i = before) {
            before = xg_inst_before(i);
            if (!(i->id < known && precedes[i->id]) && !xg_dce_needed(i, acts)) {
                if (m->kept_plans) /* which know instructions */
                    xg_inst_remove(i);
                else
                    xg_inst_reuse(i);
                changed = true;
                continue;
            }
            xg_trail_back(&trail, i);
            if (i->op == XG_FUSION) {
                changed = xg_dce_fusion_outputs(i) || changed;
                xg_push(m->work, xg_inst *, fusions, i);
            }
            for (k = 0; xg_inst_may_call(i) && k < i->n_attrs; k++) xg_opt_mark_comps(&i->attrs[k], live);
        }
    }
    return changed;
}
XG_FN bool xg_opt_dce(xg_module *m) {
    unsigned char *acts = xg_opt_acting_comps(m), *precedes = xg_opt_control_sources(m);
    xg_dce_fusions fusions = {NULL, 0, 0}; /* from the last on: inner ones come after those around them */
    bool changed = xg_dce_walk(m, acts, precedes, &fusions);
    while (fusions.n) changed = xg_dce_fusion_params(fusions.p[--fusions.n]) || changed;
    return changed;
}

#endif /* XG_OPT_DCE_C */
