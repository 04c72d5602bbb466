/* import/lower_module.c -- operations by their rows, and the module: its functions, its entry, what donates memory, how
 * arguments and results are laid out and divided among devices. */
#ifndef XG_IMPORT_LOWER_MODULE_C
#define XG_IMPORT_LOWER_MODULE_C
#include "lower.c"
#include "lower_chlo.c"
#include "lower_contract.c"
#include "lower_control.c"
#include "lower_device.c"
#include "lower_dims.c"
#include "lower_element.c"
#include "lower_move.c"
#include "lower_quant.c"
#include "lower_sharding.c"
#include "proto.h"

/* ---- operations ---- */

/* {k = "v", ...} as HLO has it; empty: there is none. */
XG_FN xg_str xg_low_frontend(xg_low *w, const xg_ir_attr *a) {
    xg_buf b;
    uint32_t k;
    if (!a || a->kind != XG_IR_DICT || !a->n) return XG_STR("");
    xg_buf_init(&b, w->arena);
    for (k = 0; k < a->n; k++) {
        xg_puts(&b, k ? "," : "{");
        xg_proto_put_key(&b, a->v.named[k].name);
        xg_puts(&b, "=");
        xg_proto_put_value(&b, a->v.named[k].value->text);
    }
    xg_puts(&b, "}");
    return xg_str_of(b.p, b.n);
}
/* A sharding and the frontend's attributes that the operation carries. */
XG_FN void xg_low_extras(xg_low *w, const xg_ir_op *op, xg_inst *i) {
    const xg_ir_attr *a = xg_ir_find(op, "mhlo.sharding");
    xg_str frontend = xg_low_frontend(w, xg_ir_find(op, "mhlo.frontend_attributes"));
    if (a && a->kind == XG_IR_STRING && i->op != XG_PARAMETER) xg_low_set_text(w, i, XG_A_sharding, a->text);
    if (frontend.n) xg_low_set_text(w, i, XG_A_frontend_attributes, frontend);
}
XG_FN xg_inst *xg_low_result(xg_low *w, xg_inst *x, const xg_ir_type *t) { /* in the form of its type */
    bool floats = t->quant && xg_shape_is_array(x->shape) && x->shape->type != t->quant->storage;
    return floats && !w->expressed ? xg_low_quantise(w, x, t->quant) : x;
}
XG_COLD XG_NORETURN XG_FN void xg_low_refuse_unknown(xg_low *w, const xg_ir_op *op, const char *otherwise) {
    const char *hint, *foreign = xg_ir_foreign(op->name, &hint);
    if (foreign)
        xg_ir_refuse(
            w->ir, op, XLAGPU_ERROR_UNSUPPORTED, hint, "this is an operation of %s, not of StableHLO", foreign);
    xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, "docs/formats.md says what is read", "%s", otherwise);
}
XG_FN void xg_low_op(xg_low *w, const xg_ir_op *op) {
    typedef xg_inst *(*lower)(xg_low * w, const xg_ir_op *op);
    XG_TABLE const lower lowers[] = {
#define X(lower) xg_lower_##lower,
        XG_IR_LOWERS(X)
#undef X
    };
    XG_TABLE const uint8_t rows[] = {
#define X(name, form, lower, opcode) XG_IR_LOWER_##lower,
        XG_IR_OPS(X)
#undef X
    };
    xg_inst *i;
    uint32_t k;
    xg_low_at(w, op);
    if (op->row < 0) xg_low_refuse_unknown(w, op, "this operation is not read");
    i = lowers[rows[op->row]](w, op);
    if (!i) {
        if (op->n_results) xg_ir_invalid(w->ir, op, "it has no results");
        return;
    }
    if (w->in_place) xg_dims_settle(w, op, i);
    if (op->n_attrs) xg_low_extras(w, op, i);
    if (op->n_results == 1) {
        op->results[0].made = xg_low_result(w, i, op->results[0].type);
        return;
    }
    for (k = 0; k < op->n_results; k++) {
        if (k >= i->shape->n_elems) xg_ir_invalid(w->ir, op, "it has fewer results");
        op->results[k].made = xg_low_result(w, xg_hb_element(&w->b, i, k), op->results[k].type);
    }
}

/* ---- the module ---- */

XG_FN void xg_low_symbols(xg_low *w, const xg_ir_region *r) {
    xg_ir_op *op;
    for (op = r->first; op; op = op->next) {
        xg_str name = xg_ir_word(op, "sym_name");
        w->op = op;
        if (xg_ir_is(op, "func.func")) {
            xg_low_func *f = XG_NEW(w->arena, xg_low_func);
            f->op = op;
            if (!xg_dict_put(&w->funcs, name, f))
                xg_ir_invalid(w->ir, op, "a second @%.*s", (int)XG_MIN(name.n, 100u), name.p);
        } else if (xg_ir_is(op, "sdy.mesh"))
            (void)xg_dict_put(&w->meshes, name, op);
        else
            xg_low_refuse_unknown(w, op, "a module holds functions");
    }
}
/* @main, or the only function, or the only one that is not private; or the one that the caller names. */
XG_FN const xg_ir_op *xg_low_find_entry(xg_low *w, const xg_ir_region *r) {
    const char *named = w->ir->ctx->entry ? w->ir->ctx->entry : "main";
    const xg_low_func *main = (const xg_low_func *)xg_dict_get(&w->funcs, xg_str_z(named));
    const xg_ir_op *op, *found = NULL, *any = NULL;
    uint32_t n = 0, n_any = 0;
    if (main) return main->op;
    if (w->ir->ctx->entry) xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_USAGE, NULL, "no function is called @%.100s", named);
    for (op = r->first; op; op = op->next) {
        if (!xg_ir_is(op, "func.func")) continue;
        any = op;
        n_any++;
        if (xg_str_is(xg_ir_word(op, "sym_visibility"), "private")) continue;
        found = op;
        n++;
    }
    if (n == 1) return found;
    if (n_any == 1) return any;
    xg_ir_refuse(
        w->ir, any ? any : w->op, XLAGPU_ERROR_INVALID, "name one @main", "which of %u functions is the entry?", n_any);
}
XG_APART XG_FN void xg_low_donations(xg_low *w, const xg_ir_op *func) {
    XG_VEC(xg_io_alias) aliases = {NULL, 0, 0}, donors = {NULL, 0, 0};
    bool single = w->m->entry->root->shape->type != XLAGPU_TUPLE;
    uint32_t k;
    for (k = 0; k < w->m->entry->n_params; k++) {
        const xg_ir_attr *d = xg_low_item(func, "arg_attrs", k), *out = xg_ir_dict_get(d, "tf.aliasing_output"), *in;
        xg_io_alias a;
        memset(&a, 0, sizeof a);
        a.param = k;
        a.source_at = func->at;
        in = xg_ir_dict_get(d, "jax.buffer_donor");
        if (out && out->kind == XG_IR_INT) {
            a.output.p = &out->i;
            a.output.n = single ? 0 : 1;
            if (single && out->i)
                xg_ir_invalid(w->ir, func, "argument %u aliases output %lld of 1", k, (long long)out->i);
            xg_push(w->arena, xg_io_alias, &aliases, a);
        } else if (in && (in->kind == XG_IR_UNIT || (in->kind == XG_IR_BOOL && in->i)))
            xg_push(w->arena, xg_io_alias, &donors, a);
    }
    w->m->aliases = aliases.p;
    w->m->n_aliases = aliases.n;
    w->m->donors = donors.p;
    w->m->n_donors = donors.n;
}
/* mhlo.layout_mode: "{0,1}", minor to major; else the default. */
XG_FN const xg_shape *xg_low_layout(xg_low *w, const xg_ir_op *func, const char *list, uint32_t k, const xg_shape *s) {
    xg_str text = xg_low_item_text(func, list, k, "mhlo.layout_mode");
    int32_t order[XG_RANK_MAX];
    uint32_t n = 0, at = 0;
    if (!text.n || text.p[0] != '{' || !xg_shape_is_array(s)) return s;
    for (at = 1; at < text.n && n < XG_RANK_MAX; at++) {
        if (!xg_is_digit(text.p[at])) continue;
        for (order[n] = 0; at < text.n && xg_is_digit(text.p[at]); at++)
            order[n] = XG_MIN(order[n] * 10 + (text.p[at] - '0'), (int32_t)XG_RANK_MAX);
        n++;
    }
    return xg_low_ordered(w, func, s, order, n);
}
XG_FN void xg_low_interface(xg_low *w, const xg_ir_op *func) {
    xg_module *m = w->m;
    const xg_shape *root = m->entry->root->shape, **in, **out;
    uint32_t k, n = m->entry->n_params;
    in = XG_NEW_N(w->arena, const xg_shape *, n + (size_t)1);
    for (k = 0; k < n; k++) in[k] = xg_low_layout(w, func, "arg_attrs", k, m->entry->params[k]->shape);
    m->entry_params = xg_shape_tuple(m, in, n);
    if (root->type != XLAGPU_TUPLE)
        m->entry_result = xg_low_layout(w, func, "res_attrs", 0, root);
    else {
        out = XG_NEW_N(w->arena, const xg_shape *, root->n_elems + (size_t)1);
        for (k = 0; k < root->n_elems; k++) out[k] = xg_low_layout(w, func, "res_attrs", k, root->elems[k]);
        m->entry_result = xg_shape_tuple(m, out, root->n_elems);
    }
    m->has_entry_layout = true;
}
/* A result that Shardy annotates goes through a call that says so, one that is a parameter or has a sharding through a
 * copy: the root carries the sharding of the interface. */
XG_APART XG_FN void xg_low_result_calls(xg_low *w, const xg_ir_op *func) {
    xg_comp *c = w->m->entry;
    xg_inst *root = c->root, **in;
    bool tuple = root->op == XG_TUPLE;
    uint32_t k, n = tuple ? root->n_operands : 1;
    w->b = xg_hb_end(c, root);
    in = XG_NEW_N(w->arena, xg_inst *, n + (size_t)1);
    for (k = 0; k < n; k++)
        in[k] = xg_low_result_sdy(w, xg_low_item(func, "res_attrs", k), tuple ? XG_OPERAND(root, k) : root);
    if (tuple)
        c->root = xg_low_tuple(w, in, n);
    else if (in[0] != root)
        c->root = in[0];
    else if (root->op == XG_PARAMETER || xg_inst_attr(root, XG_A_sharding))
        c->root = xg_low_new(w, XG_COPY, root->shape, &root, 1);
}
/* Of the arguments, and of the results: a tuple's stands at the root. */
XG_FN void xg_low_interface_shardings(xg_low *w, const xg_ir_op *func) {
    xg_comp *c = w->m->entry;
    const xg_shape *s = c->root->shape;
    uint32_t k, n = s->type == XLAGPU_TUPLE ? s->n_elems : 1;
    bool any = false;
    xg_str frontend;
    xg_buf b;
    for (k = 0; k < c->n_params; k++) {
        xg_buf_init(&b, w->arena);
        if (xg_low_sharding(w, xg_low_item(func, "arg_attrs", k), &b))
            xg_low_set_text(w, c->params[k], XG_A_sharding, xg_str_of(b.p, b.n));
        xg_low_param_sdy(w, xg_low_item(func, "arg_attrs", k), c->params[k]);
        frontend = xg_low_frontend(w, xg_ir_dict_get(xg_low_item(func, "arg_attrs", k), "mhlo.frontend_attributes"));
        if (frontend.n && !xg_inst_attr(c->params[k], XG_A_frontend_attributes))
            xg_low_set_text(w, c->params[k], XG_A_frontend_attributes, frontend);
    }
    xg_buf_init(&b, w->arena);
    for (k = 0; k < n; k++) {
        if (n > 1) xg_puts(&b, k ? ", " : "{");
        if (xg_low_sharding(w, xg_low_item(func, "res_attrs", k), &b))
            any = true;
        else
            xg_puts(&b, "{replicated}");
    }
    if (n > 1) xg_puts(&b, "}");
    if (!any) return;
    xg_low_result_calls(w, func);
    xg_low_set_text(w, c->root, XG_A_sharding, xg_str_of(b.p, b.n));
}
XG_APART XG_FN const xg_ir_region *xg_low_module_body(xg_low *w) { /* of the one module, or the functions without one */
    const xg_ir_op *module = w->ir->top.first;
    xg_str name, frontend;
    w->op = module;
    if (!xg_ir_is(module, "builtin.module")) return &w->ir->top;
    if (module->next)
        xg_ir_refuse(w->ir, module->next, XLAGPU_ERROR_UNSUPPORTED, "put each into a file of its own",
            "a second module in the file");
    name = xg_ir_word(module, "sym_name");
    if (name.n) w->m->name = xg_import_name(w->arena, name);
    w->m->num_partitions = xg_ir_int(module, "mhlo.num_partitions", 1);
    w->m->replica_count = xg_ir_int(module, "mhlo.num_replicas", 1);
    frontend = xg_low_frontend(w, xg_ir_find(module, "mhlo.frontend_attributes"));
    if (frontend.n) {
        xg_header_attr *h = XG_NEW(w->arena, xg_header_attr);
        h->name = XG_STR("frontend_attributes");
        h->text = frontend;
        w->m->header = h;
        w->m->n_header = 1;
    }
    if (w->m->num_partitions < 1 || w->m->replica_count < 1)
        xg_ir_invalid(w->ir, module, "partitions and replicas are at least 1");
    if (!module->n_regions || !module->regions[0].first) xg_ir_invalid(w->ir, module, "the module has no functions");
    return &module->regions[0];
}
/* ---- the order of instructions ---- */

/* Instructions stand as XLA prints them: operands in front of their users, each as late as the depth-first walk from
 * those without users comes to it. So both texts of a program give the same module. */
XG_FN void xg_low_visit(xg_low *w, xg_inst *from, xg_insts *order) {
    XG_VEC(xg_inst *) stack = {NULL, 0, 0};
    void *seen = order, *done = w; /* two marks */
    xg_push(w->arena, xg_inst *, &stack, from);
    while (stack.n) {
        xg_inst *i = stack.p[stack.n - 1];
        uint32_t k;
        if (i->scratch) {
            stack.n--;
            if (i->scratch == seen) order->p[order->n++] = i;
            i->scratch = done;
            continue;
        }
        i->scratch = seen;
        for (k = i->n_operands; k-- > 0;)
            if (!XG_OPERAND(i, k)->scratch) xg_push(w->arena, xg_inst *, &stack, XG_OPERAND(i, k));
    }
}
XG_FN void xg_low_relink(xg_comp *c, const xg_insts *order) {
    uint32_t k, j;
    c->first = c->last = NULL;
    for (k = 0; k < order->n; k++) order->p[k]->first_use = NULL;
    for (k = 0; k < order->n; k++) {
        xg_inst *i = order->p[k];
        i->scratch = NULL;
        i->id = c->module->n_ids++;
        i->prev = c->last;
        i->next = NULL;
        if (c->last)
            c->last->next = i;
        else
            c->first = i;
        c->last = i;
        for (j = 0; j < i->n_operands; j++) xg_use_link(&i->operands[j], XG_OPERAND(i, j));
    }
}
/* What nothing uses goes, unless it may act. */
XG_FN bool xg_low_stays(const xg_inst *i) {
    return i == i->comp->root || i->op == XG_PARAMETER || i->op == XG_CALL || i->op == XG_WHILE ||
           i->op == XG_CONDITIONAL || (xg_op_flags(i->op) & (XGF_EFFECT | XGF_COLL)) != 0;
}
XG_FN void xg_low_order(xg_low *w) {
    xg_comp *c;
    w->m->n_ids = 0;
    for (c = w->m->first; c; c = c->next) {
        xg_insts order;
        order.n = 0;
        order.p = XG_NEW_N(w->arena, xg_inst *, c->n_insts + (size_t)1);
        XG_FOR_INSTS(i, c) i->scratch = NULL;
        XG_FOR_INSTS(i, c)
            if (!i->first_use && xg_low_stays(i)) xg_low_visit(w, i, &order);
        XG_FOR_INSTS(i, c) /* those that are used by what goes alone */
            if (!i->scratch && xg_low_stays(i)) xg_low_visit(w, i, &order);
        c->n_insts = order.n;
        xg_low_relink(c, &order);
    }
}

XG_FN xg_module *xg_ir_lower(xg_ir *ir) {
    xg_low w;
    const xg_ir_region *body;
    const xg_ir_op *entry;
    memset(&w, 0, sizeof w);
    w.ir = ir;
    w.m = ir->m;
    w.arena = ir->arena;
    xg_dict_init(&w.funcs, ir->arena);
    xg_dict_init(&w.meshes, ir->arena);
    xg_map64_init(&w.metadata, ir->arena);
    xg_buf_init(&w.line, ir->arena);
    body = xg_low_module_body(&w);
    xg_low_symbols(&w, body);
    xg_low_put_meshes(&w, body);
    entry = xg_low_find_entry(&w, body);
    w.op = entry;
    xg_map64_init(&w.literals, ir->arena);
    if (ir->open || ir->ctx->dims) xg_dims_entry(&w, entry);
    w.m->entry = xg_low_function(&w, xg_ir_word(entry, "sym_name"));
    w.op = entry;
    w.m->at = 0;
    xg_low_interface(&w, entry);
    xg_low_donations(&w, entry);
    xg_low_interface_shardings(&w, entry);
    xg_low_order(&w);
    return w.m;
}

#endif /* XG_IMPORT_LOWER_MODULE_C */
