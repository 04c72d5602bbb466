/* sched/tile_rows_pass.c -- a product that moves into the row program that reads it.
 *
 * Both are fusions by now: the product with what is made of it element by element, and a norm or softmax of its rows.
 * kernel-choice (choice/choice.c) has decided each of them and asks what both together would be: one fusion, for which
 * tile_rows.c may have a tile. What else reads the product reads it as one more result. The pass row-epilogue-fusion
 * allows it. */
#ifndef XG_SCHED_TILE_ROWS_PASS_C
#define XG_SCHED_TILE_ROWS_PASS_C
#include "tile.h"
#include "../opt/opt.h"

enum {
    XG_TILE_ROWS_BETWEEN = 256 /* instructions between the two that are looked at */
};

/* ---- which two ---- */

XG_FN uint32_t xg_behind_results(const xg_behind *j) {
    return j->rows->shape->type == XLAGPU_TUPLE ? j->rows->shape->n_elems : 1;
}
/* Nothing between the two reads the product: then one instruction can stand for both in the second one's place. */
XG_FN bool xg_behind_near(xg_behind *j) {
    const xg_inst *i = j->product->next;
    uint32_t n = 0, here = 0, k;
    for (; i && i != j->rows && n < XG_TILE_ROWS_BETWEEN; i = i->next, n++)
        for (k = 0; k < i->n_operands; k++)
            if (XG_OPERAND(i, k) == j->product) return false;
    if (i != j->rows || j->product == j->product->comp->root) return false;
    for (k = 0; k < j->rows->n_operands; k++) here += XG_OPERAND(j->rows, k) == j->product;
    j->keeps = xg_inst_n_users(j->product) > here; /* of many readers, the first one alone comes so far */
    if (j->keeps && j->rows->shape->type == XLAGPU_TUPLE)
        XG_FOR_USES(u, j->rows)
            if (u->user->op != XG_GET_TUPLE_ELEMENT) return false;
    return !j->keeps || j->rows != j->rows->comp->root || j->rows->shape->type != XLAGPU_TUPLE;
}

/* ---- one fusion of both ---- */

XG_FN xg_inst *xg_behind_outside(xg_behind *j, xg_inst *i) {
    uint32_t k;
    for (k = 0; k < j->to->n_params; k++)
        if (j->outside[k] == i) return j->to->params[k];
    j->outside[k] = i;
    return xg_comp_add_param(j->to, i->shape, XG_STR("param"));
}
XG_FN xg_inst *xg_behind_copy(const xg_behind *j, const xg_inst *i) {
    return (xg_inst *)xg_map64_get(&j->copies, i->id + (uint64_t)1);
}
/* The computation of one of the two, but for a tuple of results. */
XG_FN void xg_behind_take(xg_behind *j, xg_inst *fusion) {
    xg_comp *c = xg_attr_calls(fusion);
    XG_FOR_INSTS(i, c) {
        xg_inst *made, **operands = XG_NEW_N(j->arena, xg_inst *, i->n_operands + (size_t)1);
        uint32_t k;
        if (i->op == XG_TUPLE && i == c->root) continue;
        for (k = 0; k < i->n_operands; k++) operands[k] = xg_behind_copy(j, XG_OPERAND(i, k));
        if (i->op != XG_PARAMETER)
            made = xg_inst_clone(i, j->to, operands, NULL);
        else if (XG_OPERAND(fusion, i->number) == j->product)
            made = xg_behind_copy(j, xg_attr_calls(j->product)->root);
        else
            made = xg_behind_outside(j, XG_OPERAND(fusion, i->number));
        xg_map64_put(&j->copies, i->id + (uint64_t)1, made);
    }
}
XG_APART XG_FN xg_inst *xg_behind_make(xg_behind *j) {
    xg_module *m = j->rows->comp->module;
    const xg_comp *of_rows = xg_attr_calls(j->rows);
    uint32_t n = xg_behind_results(j), k;
    xg_inst *fusion, **results = XG_NEW_N(j->arena, xg_inst *, n + (size_t)1);
    if (!xg_shape_is_array(j->product->shape) || xg_inst_order(j->product) || xg_inst_order(j->rows) ||
        !xg_behind_near(j))
        return NULL;
    j->outside = XG_NEW_N(j->arena, xg_inst *, (size_t)j->product->n_operands + j->rows->n_operands + 1);
    xg_map64_init(&j->copies, j->arena);
    j->to = xg_comp_new(m, of_rows->name, j->rows->comp);
    xg_dict_reserve(&j->to->names, xg_attr_calls(j->product)->n_insts + of_rows->n_insts);
    xg_behind_take(j, j->product);
    xg_behind_take(j, j->rows);
    for (k = 0; k < n; k++) results[k] = xg_behind_copy(j, xg_fuse_leaf(of_rows, k));
    if (j->keeps) results[n++] = xg_behind_copy(j, xg_attr_calls(j->product)->root);
    j->to->root = results[0];
    if (n > 1 || j->rows->shape->type == XLAGPU_TUPLE) {
        xg_hb inside = xg_hb_end(j->to, NULL);
        j->to->root = xg_hb_tuple(&inside, results, n);
    }
    fusion =
        xg_inst_new(j->rows->comp, XG_FUSION, j->to->root->shape, j->outside, j->to->n_params, j->rows, j->rows->name);
    xg_inst_set_text(fusion, XG_A_kind, "kInput");
    xg_inst_set_comp(fusion, XG_A_calls, j->to);
    if (xg_inst_attr(j->rows, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(j->rows, XG_A_metadata));
    return fusion;
}
XG_FN void xg_behind_unmake(xg_behind *j, xg_inst *fusion) {
    xg_inst_remove(fusion);
    xg_comp_remove(j->to);
}
/* It and its computation, unless that is the module's last one, which plans count from (xg_emit_adds_nothing). */
XG_FN void xg_behind_drop(xg_inst *i) {
    xg_comp *c = xg_attr_calls(i);
    xg_inst_remove(i);
    if (c != c->module->last) xg_comp_reuse(c);
}
XG_FN void xg_behind_give(xg_behind *j, xg_inst *fusion) {
    uint32_t n = xg_behind_results(j);
    xg_hb b = xg_hb_at(j->rows);
    xg_inst *product = j->keeps ? xg_hb_element(&b, fusion, n) : NULL;
    bool tuple = j->rows->shape->type == XLAGPU_TUPLE;
    xg_inst_replace(j->rows, !tuple && j->keeps ? xg_hb_element(&b, fusion, 0) : fusion);
    xg_behind_drop(j->rows);
    if (product) xg_inst_replace(j->product, product);
    xg_behind_drop(j->product);
}

/* ---- whether it pays ---- */

/* Picoseconds of the row program's own kernel, with its launch, by its record. */
XG_FN int64_t xg_behind_apart(const xg_behind *j, const xg_record *r) {
    const xg_device *m = &j->rows->comp->module->device;
    const xg_comp *c = xg_attr_calls(j->rows);
    const xg_numbers *lanes = xg_record_get(&r->form, "lanes"), *shared = xg_record_get(&r->form, "vectors_shared");
    int64_t time = xg_fuse_time(j->arena, c, (int64_t)r->launch.threads[0] * r->launch.blocks[0]);
    int64_t clocks = shared && shared->p[0] ? m->memory_latency : 0;
    XG_FOR_INSTS(i, c)
        if (i->op == XG_REDUCE) clocks += xg_rows_stage_clocks(lanes ? lanes->p[0] : 1, m);
    return xg_cost_add(time, xg_cost_scale(clocks, 1000000, m->clock_mhz));
}

#endif /* XG_SCHED_TILE_ROWS_PASS_C */
