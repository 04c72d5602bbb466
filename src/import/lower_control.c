/* import/lower_control.c -- reductions, sorts, loops, branches, composites, tuples, random numbers. */
#ifndef XG_IMPORT_LOWER_CONTROL_C
#define XG_IMPORT_LOWER_CONTROL_C
#include "lower.h"
#include "ir.c"

/* ---- regions of scalars ---- */

XG_FN xg_inst *xg_low_with_region(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_comp *c = xg_low_region(w, xg_low_region_at(w, op, 0));
    xg_inst *i = xg_low_make(w, op, opcode);
    xg_inst_set_comp(i, XG_A_to_apply, c);
    return i;
}
XG_FN xg_inst *xg_low_over_dims(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_inst *i = xg_low_with_region(w, op, opcode);
    xg_low_set_ints(i, XG_A_dimensions, xg_low_dims(w, op, "dimensions", xg_low_array_0(w, op)->shape->rank));
    return i;
}
XG_FN xg_inst *xg_lower_reduce(xg_low *w, const xg_ir_op *op) { return xg_low_over_dims(w, op, XG_REDUCE); }
XG_FN xg_inst *xg_lower_map(xg_low *w, const xg_ir_op *op) { return xg_low_over_dims(w, op, XG_MAP); }
XG_FN xg_inst *xg_lower_sort(xg_low *w, const xg_ir_op *op) {
    xg_inst *i = xg_low_with_region(w, op, XG_SORT);
    int64_t rank = xg_low_array_0(w, op)->shape->rank, dim = xg_ir_int(op, "dimension", -1);
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank)
        xg_ir_invalid(w->ir, op, "it sorts along dimension %lld of %lld", (long long)dim, (long long)rank);
    xg_inst_set_one(i, XG_A_dimensions, dim);
    if (xg_low_flag(op, "is_stable")) xg_low_set_int(i, XG_A_is_stable, 1);
    return i;
}

/* ---- loops, branches ---- */

/* What the body hands on unchanged is no state: inside, such an argument is the value from outside. How many are left,
 * and which. */
XG_FN uint32_t xg_low_carried(xg_low *w, const xg_ir_op *op, uint32_t *carried) {
    const xg_ir_op *back = op->regions[1].last;
    uint32_t k, j, n = 0;
    if (!back || back->n_operands != op->n_operands)
        xg_ir_invalid(w->ir, op, "its body must return a value for each operand");
    for (k = 0; k < op->n_operands; k++) {
        bool same = back->operands[k] == op->regions[1].args[k];
        for (j = 0; same && j < 2; j++) op->regions[j].args[k]->alias = op->operands[k];
        if (!same) carried[n++] = k;
    }
    return n;
}
XG_FN xg_ir_region xg_low_carrying(xg_low *w, const xg_ir_region *r, const uint32_t *carried, uint32_t n) {
    xg_ir_region some = *r;
    uint32_t k;
    some.args = XG_NEW_N(w->arena, xg_ir_value *, n + (size_t)1);
    some.n_args = n;
    for (k = 0; k < n; k++) some.args[k] = r->args[carried[k]];
    return some;
}
XG_FN void xg_low_check_while(xg_low *w, const xg_ir_op *op) {
    const xg_ir_region *r = xg_low_region_at(w, op, 0);
    (void)xg_low_region_at(w, op, 1);
    if (op->n_regions != 2 || r[0].n_args != op->n_operands || r[1].n_args != op->n_operands ||
        op->n_results != op->n_operands)
        xg_ir_invalid(w->ir, op, "its regions must have an argument for each operand");
}
/* A tuple of all results: those that are carried, and those that were known before. */
XG_FN xg_inst *xg_low_loop_results(
    xg_low *w, const xg_ir_op *op, xg_inst *loop, const uint32_t *carried, uint32_t n, bool one) {
    xg_inst **out = xg_low_stored_ins(w, op);
    uint32_t k;
    if (n == op->n_results && !one && op->n_results > 1) return loop;
    for (k = 0; k < n; k++) out[carried[k]] = one ? loop : xg_hb_element(&w->b, loop, k);
    return op->n_results == 1 ? out[0] : xg_low_tuple(w, out, op->n_results);
}
XG_FN xg_inst *xg_lower_while(xg_low *w, const xg_ir_op *op) {
    xg_ir_region r[2];
    xg_low_captures c;
    xg_inst **in, *state, *i;
    xg_comp *condition, *body;
    uint32_t *carried = XG_NEW_N(w->arena, uint32_t, op->n_operands + (size_t)1), n, k;
    xg_low_check_while(w, op);
    n = xg_low_carried(w, op, carried);
    for (k = 0; k < 2; k++) r[k] = xg_low_carrying(w, &op->regions[k], carried, n);
    c = xg_low_captured(w, r, 2);
    in = XG_NEW_N(w->arena, xg_inst *, n + c.values.n + (size_t)1);
    for (k = 0; k < n; k++) in[k] = xg_low_value(w, op->operands[carried[k]]);
    for (k = 0; k < c.values.n; k++) in[n + k] = xg_low_value(w, c.values.p[k]);
    state = xg_low_state(w, in, n + c.values.n);
    body = xg_low_region_of_state(w, &r[1], state->shape, &c, carried);
    condition = xg_low_region_of_state(w, &r[0], state->shape, &c, NULL);
    i = xg_low_new(w, XG_WHILE, state->shape, &state, 1);
    xg_inst_set_comp(i, XG_A_condition, condition);
    xg_inst_set_comp(i, XG_A_body, body);
    return op->n_results ? xg_low_loop_results(w, op, i, carried, n, n + c.values.n == 1) : NULL;
}
/* Each branch takes what it uses from outside. */
XG_FN xg_inst *xg_low_branches(xg_low *w, const xg_ir_op *op, bool two) {
    uint32_t n = op->n_regions, k;
    xg_inst **in = XG_NEW_N(w->arena, xg_inst *, n + (size_t)2), *i;
    xg_comp **p = XG_NEW_N(w->arena, xg_comp *, n + (size_t)1);
    xg_comps *all = XG_NEW(w->arena, xg_comps);
    xg_attr a = xg_attr_make(XG_A_branch_computations);
    in[0] = xg_low_array_0(w, op);
    if (!n || (two && n != 2)) xg_ir_invalid(w->ir, op, "it has %u branches", n);
    for (k = 0; k < n; k++) {
        const xg_ir_region *r = xg_low_region_at(w, op, k);
        xg_low_captures c = xg_low_captured(w, r, 1);
        xg_inst **values = XG_NEW_N(w->arena, xg_inst *, c.values.n + (size_t)1);
        uint32_t j;
        for (j = 0; j < c.values.n; j++) values[j] = xg_low_value(w, c.values.p[j]);
        if (r->n_args) xg_ir_invalid(w->ir, op, "a branch has no arguments");
        in[1 + k] = xg_low_state(w, values, c.values.n);
        p[k] = xg_low_region_of_state(w, r, in[1 + k]->shape, &c, NULL);
    }
    i = xg_low_new(w, XG_CONDITIONAL, p[0]->root->shape, in, n + 1);
    if (two) {
        xg_inst_set_comp(i, XG_A_true_computation, p[0]);
        xg_inst_set_comp(i, XG_A_false_computation, p[1]);
    } else {
        all->n = n;
        all->p = p;
        a.v.comps = all;
        xg_inst_set_attr(i, a);
    }
    return op->n_results ? i : NULL;
}
XG_FN xg_inst *xg_lower_if(xg_low *w, const xg_ir_op *op) { return xg_low_branches(w, op, true); }
XG_FN xg_inst *xg_lower_case(xg_low *w, const xg_ir_op *op) { return xg_low_branches(w, op, false); }

/* ---- composites: their decomposition is a function ---- */

XG_FN xg_inst *xg_lower_composite(xg_low *w, const xg_ir_op *op) {
    xg_comp *c = xg_low_function(w, xg_ir_word(op, "decomposition"));
    xg_inst *i = xg_low_call(w, c, xg_low_stored_ins(w, op), op->n_operands);
    const xg_ir_attr *attrs = xg_ir_find(op, "composite_attributes"), *name = xg_ir_find(op, "name");
    xg_buf b;
    if (!name || name->kind != XG_IR_STRING) xg_ir_invalid(w->ir, op, "its name is missing");
    xg_buf_init(&b, w->arena);
    xg_puts(&b, "{composite.attributes=");
    xg_put_quoted(&b, attrs && attrs->text.n ? attrs->text : XG_STR("{}"));
    xg_puts(&b, ",composite.name=");
    xg_put_quoted(&b, name->text);
    xg_printf(&b, ",composite.version=\"%lld\"}", (long long)xg_ir_int(op, "version", 0));
    xg_low_set_int(i, XG_A_is_composite, 1);
    xg_low_set_text(w, i, XG_A_frontend_attributes, xg_str_of(b.p, b.n));
    return i;
}

/* ---- tuples ---- */

XG_FN xg_inst *xg_lower_get_tuple_element(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_in(w, op, 0);
    int64_t k = xg_ir_int(op, "index", -1);
    if (x->shape->type != XLAGPU_TUPLE || k < 0 || k >= (int64_t)x->shape->n_elems ||
        (x->op == XG_TUPLE && k >= (int64_t)x->n_operands))
        xg_ir_invalid(w->ir, op, "there is no element %lld", (long long)k);
    return xg_hb_element(&w->b, x, k);
}
XG_FN xg_inst *xg_lower_optimization_barrier(xg_low *w, const xg_ir_op *op) {
    xg_inst *x = xg_low_state(w, xg_low_stored_ins(w, op), op->n_operands);
    x = xg_low_new(w, XG_OPT_BARRIER, x->shape, &x, 1);
    return op->n_results ? x : NULL;
}

/* ---- random numbers ---- */

XG_FN xg_inst *xg_lower_rng(xg_low *w, const xg_ir_op *op) {
    xg_str d = xg_ir_word(op, "rng_distribution");
    xg_inst *in[2], *i;
    in[0] = xg_low_in(w, op, 0);
    in[1] = xg_low_in(w, op, 1);
    i = xg_low_new(w, XG_RNG, xg_low_shape(w, op, 0), in, 2);
    if (xg_word_in("UNIFORM NORMAL", d) < 0)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, "UNIFORM or NORMAL", "'%.*s' is not a distribution",
            (int)XG_MIN(d.n, 60u), d.p);
    xg_inst_set_text(i, XG_A_distribution, xg_str_is(d, "UNIFORM") ? "rng_uniform" : "rng_normal");
    return i;
}
XG_FN xg_inst *xg_lower_rng_bit_generator(xg_low *w, const xg_ir_op *op) {
    XG_TABLE const char *const names[][2] = {
        {"DEFAULT", "rng_default"}, {"THREE_FRY", "rng_three_fry"}, {"PHILOX", "rng_philox"}};
    xg_inst *i = xg_low_make(w, op, XG_RNG_BIT_GENERATOR);
    xg_str a = xg_ir_word(op, "rng_algorithm");
    size_t k = 0;
    while (k < XG_COUNT(names) && !xg_str_is(a, names[k][0])) k++;
    if (k == XG_COUNT(names))
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_INVALID, "DEFAULT, THREE_FRY or PHILOX", "'%.*s' is not an algorithm",
            (int)XG_MIN(a.n, 60u), a.p);
    xg_inst_set_text(i, XG_A_algorithm, names[k][1]);
    return i;
}

#endif /* XG_IMPORT_LOWER_CONTROL_C */
