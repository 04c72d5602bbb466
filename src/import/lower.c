/* import/lower.c -- generic operations become an HLO module: functions, regions, values, the entry's interface.
 *
 * Ideas
 * - A function becomes a computation when it is first called; the entry is @main, or the only public function.
 * - A region becomes a computation. What it uses from outside is passed in by loops and branches (constants are made
 *   again inside); other regions may use constants alone.
 * - While a region is built, a value from outside stands for its copy inside: `undo` says what it was.
 *
 * The rooms below check the result: xg_hlo_verify compares each shape with what inference says. */
#ifndef XG_IMPORT_LOWER_C
#define XG_IMPORT_LOWER_C
#include "lower.h"
#include "import.h"
#include "ir.c"

/* ---- where instructions go ---- */

typedef struct xg_low_place { /* what a nested computation puts aside */
    xg_hb b;
    xg_inst place;
    const xg_ir_op *op;
    uint32_t undo;
} xg_low_place;

XG_FN void xg_low_enter(xg_low *w, const xg_ir_op *op) {
    if (++w->depth > XG_IMPORT_DEPTH_MAX)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_LIMIT, NULL, "nested more than %d deep", (int)XG_IMPORT_DEPTH_MAX);
}
XG_FN xg_low_place xg_low_begin(xg_low *w, const char *name) {
    xg_low_place p;
    xg_comp *c = xg_comp_make(w->m);
    p.b = w->b;
    p.place = w->place;
    p.op = w->op;
    p.undo = w->undo.n;
    xg_comp_give_name(c, xg_str_z(name));
    c->source_at = w->op ? w->op->at : 0;
    w->b = xg_hb_end(c, &w->place);
    return p;
}
XG_FN xg_comp *xg_low_end(xg_low *w, const xg_low_place *p) {
    xg_comp *c = w->b.comp;
    xg_comp_link(c, NULL);
    while (w->undo.n > p->undo) {
        w->undo.n--;
        w->undo.p[w->undo.n].value->made = w->undo.p[w->undo.n].made;
    }
    w->b = p->b;
    w->place = p->place;
    w->op = p->op;
    w->b.from = &w->place;
    return c;
}
XG_FN void xg_low_set_value(xg_low *w, xg_ir_value *v, xg_inst *made) { /* until the computation ends */
    xg_low_undo u;
    u.value = v;
    u.made = v->made;
    xg_push(w->arena, xg_low_undo, &w->undo, u);
    v->made = made;
}

/* ---- locations ---- */

XG_FN const xg_attr *xg_low_metadata(xg_low *w, const xg_ir_loc *loc) {
    xg_attr *a = (xg_attr *)xg_map64_get(&w->metadata, (uint64_t)(uintptr_t)loc);
    xg_metadata *d;
    xg_buf *b = &w->line;
    if (a) return a;
    a = XG_NEW(w->arena, xg_attr);
    d = XG_NEW(w->arena, xg_metadata);
    b->n = 0;
    if (loc->name.n) {
        xg_puts(b, "op_name=");
        xg_put_quoted(b, loc->name);
    }
    if (loc->file.n) {
        xg_puts(b, b->n ? " source_file=" : "source_file=");
        xg_put_quoted(b, loc->file);
        xg_printf(b, " source_line=%lld", (long long)loc->line);
    }
    d->text = xg_str_copy(w->arena, xg_str_of(b->p, b->n));
    d->op_name = loc->name;
    d->source_file = loc->file;
    d->source_line = loc->line;
    d->op_type = XG_STR("");
    *a = xg_attr_make(XG_A_metadata);
    a->v.metadata = d;
    xg_map64_put(&w->metadata, (uint64_t)(uintptr_t)loc, a);
    return a;
}
XG_FN void xg_low_at(xg_low *w, const xg_ir_op *op) {
    w->op = op;
    w->place.source_at = op->at;
    w->place.attrs = NULL;
    w->place.n_attrs = 0;
    if (!op->loc || !(op->loc->name.n || op->loc->file.n)) return;
    w->place.attrs = (xg_attr *)(uintptr_t)xg_low_metadata(w, op->loc);
    w->place.n_attrs = 1;
    w->place.kinds = 1u << XG_K_METADATA;
}

/* ---- types ---- */

XG_FN const xg_shape *xg_low_stored(xg_low *w, const xg_ir_type *t) { /* as it lies in memory */
    if (t->shape) return t->shape;
    if (t->kind == XG_IR_OPEN)
        xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED,
            "give each dynamic dimension a size (--dims=b=8) or a bound: tensor<?xf32, #stablehlo.bounds<8>>",
            "a tensor whose dimensions have no bound: %.*s", (int)XG_MIN(t->text.n, 100u), t->text.p);
    xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED, NULL, "the type %.*s has no counterpart",
        (int)XG_MIN(t->text.n, 100u), t->text.p);
}
XG_FN const xg_shape *xg_low_type(xg_low *w, const xg_ir_type *t) {
    const xg_shape *s = xg_low_stored(w, t);
    return t->quant ? xg_shape_with_type(w->m, s, t->quant->expressed) : s;
}
XG_FN const xg_shape *xg_low_shape(xg_low *w, const xg_ir_op *op, uint32_t k) {
    if (k >= op->n_results) xg_ir_invalid(w->ir, op, "it needs %u results", k + 1);
    if (w->in_place && op->results[k].type->kind == XG_IR_OPEN) return xg_dims_result(w, op, k);
    return xg_low_type(w, op->results[k].type);
}
XG_FN const xg_shape *xg_low_results(xg_low *w, const xg_ir_op *op) {
    const xg_shape **all;
    uint32_t k;
    if (op->n_results == 1) return xg_low_shape(w, op, 0);
    all = XG_NEW_N(w->arena, const xg_shape *, op->n_results + (size_t)1);
    for (k = 0; k < op->n_results; k++) all[k] = xg_low_shape(w, op, k);
    return xg_shape_tuple(w->m, all, op->n_results);
}

/* ---- values ---- */

XG_FN bool xg_low_is_constant(const xg_ir_value *v) {
    return v->op && (xg_ir_is(v->op, "constant") || xg_ir_is(v->op, "chlo.constant"));
}
XG_FN xg_inst *xg_low_constant_inst(xg_low *w, const xg_ir_attr *a, const xg_ir_type *t);
XG_FN xg_inst *xg_low_value(xg_low *w, xg_ir_value *v) {
    while (v->alias) v = v->alias;
    if (v->made && v->made->comp == w->b.comp) return v->made;
    if (xg_low_is_constant(v)) {
        xg_inst *again = xg_low_constant_inst(w, xg_ir_find(v->op, "value"), v->type);
        xg_low_set_value(w, v, again);
        return again;
    }
    if (!v->made) xg_ir_invalid(w->ir, w->op, "it uses a value before its definition");
    xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED, "pass it as an argument",
        "its region uses a value from outside that is no constant");
}
XG_FN uint32_t xg_low_n(const xg_ir_op *op) { return op->n_operands; }
XG_FN xg_inst *xg_low_in(xg_low *w, const xg_ir_op *op, uint32_t k) {
    xg_inst *x;
    const xg_ir_quant *q;
    if (k >= op->n_operands) xg_ir_invalid(w->ir, op, "it needs %u operands", k + 1);
    x = xg_low_value(w, op->operands[k]);
    q = op->operands[k]->type->quant;
    return q && x->shape->type == q->storage && !w->expressed ? xg_low_dequantise(w, x, q) : x;
}
XG_FN xg_inst *xg_low_array(xg_low *w, const xg_ir_op *op, uint32_t k) {
    xg_inst *x = xg_low_in(w, op, k);
    if (!xg_shape_is_array(x->shape)) xg_ir_invalid(w->ir, op, "operand %u must be a tensor", k);
    return x;
}
XG_ONE_COPY XG_FN xg_inst *xg_low_array_0(xg_low *w, const xg_ir_op *op) { return xg_low_array(w, op, 0); }
XG_FN xg_inst **xg_low_ins(xg_low *w, const xg_ir_op *op) {
    xg_inst **in = XG_NEW_N(w->arena, xg_inst *, op->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) in[k] = xg_low_in(w, op, k);
    return in;
}
XG_ONE_COPY XG_FN xg_inst *xg_low_new(xg_low *w, xg_opcode opcode, const xg_shape *s, xg_inst *const *in, uint32_t n) {
    return xg_hb_op(&w->b, opcode, s, in, n);
}
XG_FN xg_inst *xg_low_make(xg_low *w, const xg_ir_op *op, xg_opcode opcode) {
    xg_inst **in = xg_low_ins(w, op);
    return xg_low_new(w, opcode, xg_low_results(w, op), in, op->n_operands);
}

/* ---- attributes ---- */

XG_FN void xg_low_set_int(xg_inst *i, xg_attr_key k, int64_t v) { xg_inst_set_int(i, k, v); }
XG_FN void xg_low_set_ints(xg_inst *i, xg_attr_key k, xg_ints v) { xg_inst_set_ints(i, k, v.p, v.n); }
/* The reader of HLO takes the text, so there is one judge of what an attribute may be. */
XG_FN void xg_low_set_text(xg_low *w, xg_inst *i, xg_attr_key k, xg_str text) {
    xg_source *src = XG_NEW(w->arena, xg_source);
    xg_attr a = xg_attr_make(k);
    src->name = xg_attr_name(k);
    src->text = xg_str_copy(w->arena, text).p;
    src->size = text.n;
    if (!w->hlo) {
        w->hlo = xg_parse_new(w->ir->ctx, w->arena, src, true);
        w->hlo->m = w->m;
    } else
        xg_lex_init(&w->hlo->lex, w->ir->ctx, w->arena, src, true);
    xg_parse_attr_value(w->hlo, &a);
    if (w->hlo->lex.kind != XG_TOK_END)
        xg_ir_refuse(w->ir, w->op, XLAGPU_ERROR_SYNTAX, NULL, "%s=%.*s is not understood", xg_attr_name(k),
            (int)XG_MIN(text.n, 200u), text.p);
    xg_inst_set_attr(i, a);
}
XG_FN xg_ints xg_low_ints(xg_low *w, const xg_ir_op *op, const char *name) {
    return xg_ir_ints(w->ir, xg_ir_find(op, name));
}
XG_FN xg_ints xg_low_ints_n(xg_low *w, const xg_ir_op *op, const char *name, uint32_t n, int64_t otherwise) {
    xg_ints v = xg_low_ints(w, op, name);
    int64_t *p;
    uint32_t k;
    if (v.n == n && n) return v;
    if (v.n) xg_ir_invalid(w->ir, op, "%s has %u numbers instead of %u", name, v.n, n);
    p = XG_NEW_N(w->arena, int64_t, n + (size_t)1);
    for (k = 0; k < n; k++) p[k] = otherwise;
    v.p = p;
    v.n = n;
    return v;
}
XG_FN xg_ints xg_low_dims(xg_low *w, const xg_ir_op *op, const char *name, uint32_t rank) {
    xg_ints v = xg_low_ints(w, op, name);
    uint32_t k;
    for (k = 0; k < v.n; k++)
        if (v.p[k] < 0 || v.p[k] >= (int64_t)rank)
            xg_ir_invalid(w->ir, op, "%s names dimension %lld of %u", name, (long long)v.p[k], rank);
    return v;
}
XG_FN int64_t xg_low_dim(xg_low *w, const xg_ir_op *op, const char *name, uint32_t rank) {
    xg_ints v = xg_low_dims(w, op, name, rank);
    if (v.n != 1) xg_ir_invalid(w->ir, op, "%s must be one dimension", name);
    return v.p[0];
}
XG_FN bool xg_low_flag(const xg_ir_op *op, const char *name) { return xg_ir_int(op, name, 0) != 0; }
/* The integers of an operand whose value is known here: shapes and limits of dynamic operations. */
XG_FN bool xg_low_constant(xg_low *w, const xg_ir_op *op, uint32_t k, xg_ints *out) {
    const xg_ir_value *v;
    if (k >= op->n_operands) xg_ir_invalid(w->ir, op, "it needs %u operands", k + 1);
    v = op->operands[k];
    if (!xg_low_is_constant(v)) return xg_dims_ints(w, op->operands[k], out);
    *out = xg_ir_ints(w->ir, xg_ir_find(v->op, "value"));
    return true;
}

/* ---- regions ---- */

XG_FN const xg_ir_region *xg_low_region_at(xg_low *w, const xg_ir_op *op, uint32_t k) {
    if (k >= op->n_regions || op->regions[k].n_blocks != 1)
        xg_ir_invalid(w->ir, op, "region %u must have one block", k);
    return &op->regions[k];
}
XG_FN bool xg_low_is_terminator(const xg_ir_op *op) {
    return xg_ir_is(op, "return") || xg_ir_is(op, "func.return") || xg_ir_is(op, "sdy.return");
}
XG_FN xg_inst *xg_low_tuple(xg_low *w, xg_inst *const *in, uint32_t n) {
    const xg_shape **shapes = XG_NEW_N(w->arena, const xg_shape *, n + (size_t)1);
    uint32_t k;
    for (k = 0; k < n; k++) shapes[k] = in[k]->shape;
    return xg_low_new(w, XG_TUPLE, xg_shape_tuple(w->m, shapes, n), in, n);
}
/* The operations of a block; its terminator's values (those of a loop that are carried), with `extra` behind them,
 * become the root. */
XG_FN void xg_low_block(
    xg_low *w, const xg_ir_region *r, const uint32_t *carried, xg_inst *const *extra, uint32_t n_extra) {
    const xg_ir_op *op, *last = NULL;
    xg_inst **out;
    uint32_t k, n, own;
    for (op = r->first; op && !xg_low_is_terminator(op); op = op->next) xg_low_op(w, op);
    last = op;
    if (!last || last->next)
        xg_ir_refuse(w->ir, last ? last->next : w->op, XLAGPU_ERROR_INVALID, NULL,
            last ? "it stands behind the block's return" : "its region does not end with a return");
    xg_low_at(w, last);
    own = carried ? r->n_args : last->n_operands;
    n = own + n_extra;
    out = XG_NEW_N(w->arena, xg_inst *, n + (size_t)1);
    for (k = 0; k < own; k++) out[k] = xg_low_value(w, last->operands[carried ? carried[k] : k]);
    for (k = 0; k < n_extra; k++) out[own + k] = extra[k];
    w->b.comp->root = n == 1 ? out[0] : xg_low_tuple(w, out, n);
}
XG_FN const xg_shape *xg_low_arg_shape(xg_low *w, const xg_ir_type *t) {
    return w->expressed ? xg_low_type(w, t) : xg_low_stored(w, t);
}
XG_FN xg_comp *xg_low_region(xg_low *w, const xg_ir_region *r) {
    xg_low_place p;
    uint32_t k;
    xg_low_enter(w, w->op);
    p = xg_low_begin(w, "region");
    for (k = 0; k < r->n_args; k++)
        xg_low_set_value(
            w, r->args[k], xg_comp_add_param(w->b.comp, xg_low_arg_shape(w, r->args[k]->type), XG_STR("")));
    xg_low_block(w, r, NULL, NULL, 0);
    w->depth--;
    return xg_low_end(w, &p);
}

/* ---- regions that use values from outside: loops and branches ---- */

XG_FN void xg_low_capture(xg_low *w, const xg_ir_region *inside, const xg_ir_region *r, xg_low_captures *c) {
    const xg_ir_op *op;
    uint32_t k;
    xg_low_enter(w, w->op);
    for (op = r->first; op; op = op->next) {
        for (k = 0; k < op->n_operands; k++) {
            xg_ir_value *v = op->operands[k];
            while (v->alias) v = v->alias;
            if (v->mark == c->mark || (v->serial >= inside->from && v->serial < inside->to)) continue;
            v->mark = c->mark;
            if (!xg_low_is_constant(v)) xg_push(w->arena, xg_ir_value *, &c->values, v);
        }
        for (k = 0; k < op->n_regions; k++) xg_low_capture(w, inside, &op->regions[k], c);
    }
    w->depth--;
}
XG_FN xg_low_captures xg_low_captured(xg_low *w, const xg_ir_region *regions, uint32_t n) {
    xg_low_captures c;
    uint32_t k;
    memset(&c, 0, sizeof c);
    c.mark = ++w->mark;
    for (k = 0; k < n; k++) xg_low_capture(w, &regions[k], &regions[k], &c);
    return c;
}
XG_FN xg_inst *xg_low_state(xg_low *w, xg_inst *const *in, uint32_t n) {
    return n == 1 ? in[0] : xg_low_tuple(w, in, n);
}
/* A computation of one parameter: the region's arguments and what it captures, as a tuple unless it is one value.
 * Of a body, what was captured is handed on behind the results. */
XG_FN xg_comp *xg_low_region_of_state(
    xg_low *w, const xg_ir_region *r, const xg_shape *state, const xg_low_captures *c, const uint32_t *carried) {
    xg_low_place p;
    xg_inst *param, **inside = XG_NEW_N(w->arena, xg_inst *, c->values.n + (size_t)1);
    uint32_t k, n = r->n_args + c->values.n;
    xg_low_enter(w, w->op);
    p = xg_low_begin(w, "region");
    param = xg_comp_add_param(w->b.comp, state, XG_STR(""));
    for (k = 0; k < n; k++) {
        xg_inst *x = n == 1 ? param : xg_hb_element(&w->b, param, k);
        if (k >= r->n_args) inside[k - r->n_args] = x;
        xg_low_set_value(w, k < r->n_args ? r->args[k] : c->values.p[k - r->n_args], x);
    }
    xg_low_block(w, r, carried, inside, carried ? c->values.n : 0);
    w->depth--;
    return xg_low_end(w, &p);
}

/* ---- functions ---- */

XG_FN const xg_ir_attr *xg_low_item(const xg_ir_op *func, const char *list, uint32_t k) { /* a dictionary, or NULL */
    const xg_ir_attr *a = xg_ir_find(func, list);
    return a && a->kind == XG_IR_LIST && k < a->n ? a->v.items[k] : NULL;
}
XG_FN xg_str xg_low_item_text(const xg_ir_op *func, const char *list, uint32_t k, const char *name) {
    const xg_ir_attr *a = xg_ir_dict_get(xg_low_item(func, list, k), name);
    return a && a->kind == XG_IR_STRING ? a->text : XG_STR("");
}

XG_FN xg_low_func *xg_low_find_function(xg_low *w, xg_str symbol) {
    xg_low_func *f = (xg_low_func *)xg_dict_get(&w->funcs, symbol);
    if (!f) xg_ir_invalid(w->ir, w->op, "there is no function @%.*s", (int)XG_MIN(symbol.n, 100u), symbol.p);
    if (f->open)
        xg_ir_refuse(
            w->ir, w->op, XLAGPU_ERROR_UNSUPPORTED, NULL, "@%.*s calls itself", (int)XG_MIN(symbol.n, 100u), symbol.p);
    if (!f->op->n_regions || !f->op->regions[0].first)
        xg_ir_invalid(w->ir, f->op, "@%.*s has no body", (int)XG_MIN(symbol.n, 100u), symbol.p);
    return f;
}
XG_FN xg_comp *xg_low_function(xg_low *w, xg_str symbol) {
    xg_low_func *f = xg_low_find_function(w, symbol);
    const xg_ir_region *r;
    xg_low_place p;
    bool expressed = w->expressed, open;
    uint32_t k;
    char name[100];
    if (f->comp) return f->comp;
    r = xg_low_region_at(w, f->op, 0);
    f->open = true;
    w->expressed = false;
    xg_low_enter(w, f->op);
    symbol = xg_import_name(w->arena, symbol);
    xg_format(name, sizeof name, "%.*s", (int)XG_MIN(symbol.n, 90u), symbol.p);
    p = xg_low_begin(w, name);
    xg_dict_reserve(&w->b.comp->names, r->to - r->from);
    xg_low_at(w, f->op);
    w->b.comp->source_at = f->op->at;
    for (k = 0; k < r->n_args; k++) {
        xg_str given = r->args[k]->loc ? r->args[k]->loc->name : XG_STR("");
        xg_inst *x;
        xg_format(name, sizeof name, "arg%u", k);
        open = w->in_place && f->op == w->entry && r->args[k]->type->kind == XG_IR_OPEN;
        x = xg_comp_add_param(w->b.comp, open ? xg_dims_argument(w, k) : xg_low_stored(w, r->args[k]->type),
            given.n ? xg_import_name(w->arena, given) : xg_str_z(name));
        x->source_at = f->op->at;
        r->args[k]->made = x;
    }
    xg_low_block(w, r, NULL, NULL, 0);
    w->depth--;
    f->open = false;
    w->expressed = expressed;
    return f->comp = xg_low_end(w, &p);
}
XG_FN xg_inst *xg_low_call(xg_low *w, xg_comp *c, xg_inst *const *in, uint32_t n) {
    xg_inst *i = xg_low_new(w, XG_CALL, c->root->shape, in, n);
    xg_inst_set_comp(i, XG_A_to_apply, c);
    return i;
}
XG_FN xg_inst **xg_low_stored_ins(xg_low *w, const xg_ir_op *op) { /* as they lie in memory */
    xg_inst **in = XG_NEW_N(w->arena, xg_inst *, op->n_operands + (size_t)1);
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) in[k] = xg_low_value(w, op->operands[k]);
    return in;
}
XG_FN xg_inst *xg_lower_call(xg_low *w, const xg_ir_op *op) {
    xg_comp *c;
    if (w->in_place) return xg_dims_call(w, op);
    c = xg_low_function(w, xg_ir_word(op, "callee"));
    return xg_low_call(w, c, xg_low_stored_ins(w, op), op->n_operands);
}
XG_FN xg_inst *xg_lower_none(xg_low *w, const xg_ir_op *op) { xg_ir_invalid(w->ir, op, "it cannot stand here"); }
XG_FN xg_inst *xg_lower_same(xg_low *w, const xg_ir_op *op) {
    if (op->n_operands != 1 || op->n_results != 1)
        xg_ir_refuse(w->ir, op, XLAGPU_ERROR_UNSUPPORTED, NULL, "it must have one operand and one result");
    return xg_low_value(w, op->operands[0]);
}

#endif /* XG_IMPORT_LOWER_C */
