/* import/stable.c -- values, operations with their regions, functions and the module as StableHLO. */
#ifndef XG_IMPORT_STABLE_C
#define XG_IMPORT_STABLE_C
#include "stable.h"
#include "stable_props.c"
#include "proto.h"

XG_FN void xg_stable_indent(xg_stable *w) {
    uint32_t k;
    if (w->b.n > XG_PROTO_BYTES_MAX)
        xg_fail(w->ctx, XLAGPU_ERROR_LIMIT, "error: the StableHLO is longer than 2 GiB: pass constants as arguments");
    xg_putc(&w->b, '\n');
    for (k = 0; k < w->depth; k++) xg_puts(&w->b, "  ");
}

/* ---- values ---- */

XG_FN xg_str xg_stable_copied(xg_stable *w, const xg_buf *b) { return xg_str_copy(w->arena, xg_str_of(b->p, b->n)); }
XG_FN xg_str xg_stable_fresh(xg_stable *w) {
    char text[16];
    return xg_str_copy(w->arena, xg_str_of(text, xg_format(text, sizeof text, "%%%u", w->next++)));
}
/* %5#1: result k of an operation with n results */
XG_FN xg_str xg_stable_result(xg_stable *w, xg_str base, uint32_t k, uint32_t n) {
    char text[32];
    if (n == 1) return base;
    return xg_str_copy(w->arena, xg_str_of(text, xg_format(text, sizeof text, "%.*s#%u", (int)base.n, base.p, k)));
}
XG_FN xg_stable_value *xg_stable_value_of(xg_stable *w, const xg_inst *i) { return &w->values[i->id]; }
/* Part k of a tuple of this shape. */
XG_FN xg_stable_value *xg_stable_take(xg_stable *w, xg_stable_value *v, const xg_shape *s, uint32_t k) {
    if (!v->parts) v->parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)s->n_elems + 1);
    if (!v->parts[k].name.n && !v->parts[k].parts) {
        v->parts[k].name = xg_stable_fresh(w);
        xg_stable_indent(w);
        xg_printf(&w->b, "%.*s = stablehlo.get_tuple_element %.*s[%u] : (", (int)v->parts[k].name.n, v->parts[k].name.p,
            (int)v->name.n, v->name.p, k);
        xg_stable_type(w, s);
        xg_puts(&w->b, ") -> ");
        xg_stable_type(w, s->elems[k]);
    }
    return &v->parts[k];
}
/* The value as a whole, which an empty tuple is, too. */
XG_FN xg_str xg_stable_whole(xg_stable *w, xg_stable_value *v, const xg_shape *s) {
    xg_str *names;
    uint32_t k;
    if (v->name.n) return v->name;
    names = XG_NEW_N(w->arena, xg_str, (size_t)s->n_elems + 1);
    for (k = 0; k < s->n_elems; k++) names[k] = xg_stable_whole(w, xg_stable_take(w, v, s, k), s->elems[k]);
    v->name = xg_stable_fresh(w);
    xg_stable_indent(w);
    xg_printf(&w->b, "%.*s = stablehlo.tuple ", (int)v->name.n, v->name.p);
    for (k = 0; k < s->n_elems; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_put_str(&w->b, names[k]);
    }
    xg_puts(&w->b, " : ");
    xg_stable_type(w, s);
    return v->name;
}
/* A copy for a region: what is taken apart inside is not known outside. */
XG_FN xg_stable_value xg_stable_inside(xg_stable *w, const xg_stable_value *v, const xg_shape *s) {
    xg_stable_value copy = *v;
    uint32_t k;
    if (!v->parts) return copy;
    copy.parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)s->n_elems + 1);
    for (k = 0; k < s->n_elems; k++) copy.parts[k] = xg_stable_inside(w, &v->parts[k], s->elems[k]);
    return copy;
}

/* ---- operands and results of one operation: tuples become lists ---- */

typedef struct xg_stable_item {
    xg_str name;
    const xg_shape *shape;
} xg_stable_item;
typedef XG_VEC(xg_stable_item) xg_stable_items;

XG_FN void xg_stable_push(xg_stable *w, xg_stable_items *v, xg_str name, const xg_shape *s) {
    xg_stable_item one;
    one.name = name;
    one.shape = s;
    xg_push(w->arena, xg_stable_item, v, one);
}
/* The parts of a tuple, or the value itself. */
XG_FN void xg_stable_spread(xg_stable *w, xg_stable_items *v, const xg_inst *i) {
    xg_stable_value *value = xg_stable_value_of(w, i);
    uint32_t k;
    if (i->shape->type != XLAGPU_TUPLE) {
        xg_stable_push(w, v, xg_stable_whole(w, value, i->shape), i->shape);
        return;
    }
    for (k = 0; k < i->shape->n_elems; k++) {
        xg_str name = xg_stable_whole(w, xg_stable_take(w, value, i->shape, k), i->shape->elems[k]);
        xg_stable_push(w, v, name, i->shape->elems[k]);
    }
}
XG_FN void xg_stable_names(xg_stable *w, const xg_stable_items *v) {
    uint32_t k;
    for (k = 0; k < v->n; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_put_str(&w->b, v->p[k].name);
    }
}
XG_FN void xg_stable_types(xg_stable *w, const xg_stable_items *v) {
    uint32_t k;
    for (k = 0; k < v->n; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_stable_type(w, v->p[k].shape);
    }
}
XG_FN void xg_stable_shapes(xg_stable *w, const xg_shape *s) { /* of results: (t, t), or t */
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) {
        xg_stable_type(w, s);
        return;
    }
    xg_putc(&w->b, '(');
    for (k = 0; k < s->n_elems; k++) {
        if (k) xg_puts(&w->b, ", ");
        xg_stable_type(w, s->elems[k]);
    }
    xg_putc(&w->b, ')');
}
/* "%5:2 = ", and the instruction's value is what stands there. */
XG_FN void xg_stable_define(xg_stable *w, const xg_inst *i) {
    xg_stable_value *v = xg_stable_value_of(w, i);
    uint32_t n = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1, k;
    xg_str base = n ? xg_stable_fresh(w) : XG_STR("");
    memset(v, 0, sizeof *v);
    xg_stable_indent(w);
    if (i->shape->type == XLAGPU_TUPLE) {
        v->parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)n + 1);
        for (k = 0; k < n; k++) v->parts[k].name = xg_stable_result(w, base, k, n);
    } else
        v->name = base;
    if (!n) return;
    xg_put_str(&w->b, base);
    if (n > 1) xg_printf(&w->b, ":%u", n);
    xg_puts(&w->b, " = ");
}

/* ---- what any operation carries ---- */

/* {k = "v", ...} of HLO's {k="v",...} */
XG_FN void xg_stable_frontend(xg_stable *w, xg_str text) {
    xg_lex x = xg_import_scan(w->ctx, w->arena, text);
    bool first = true;
    xg_putc(&w->b, '{');
    xg_lex_take(&x, '{');
    while (x.kind != '}' && x.kind != XG_TOK_END) {
        xg_str key = xg_import_key(w->arena, &x), value;
        xg_lex_expect(&x, '=', "'='");
        value = xg_import_value(w->arena, &x);
        if (!first) xg_puts(&w->b, ", ");
        first = false;
        xg_stable_string(&w->b, key);
        xg_puts(&w->b, " = ");
        xg_stable_string(&w->b, value);
        xg_lex_take(&x, ',');
    }
    xg_putc(&w->b, '}');
}
/* The attributes behind the properties; "" where there are none. */
XG_FN void xg_stable_extras(xg_stable *w, const xg_inst *i) {
    xg_str sharding = xg_attr_str(i, XG_A_sharding), frontend = xg_attr_str(i, XG_A_frontend_attributes);
    if (!sharding.n && !frontend.n) return;
    xg_puts(&w->b, " {");
    if (frontend.n) {
        xg_puts(&w->b, "mhlo.frontend_attributes = ");
        xg_stable_frontend(w, frontend);
    }
    if (sharding.n) {
        xg_puts(&w->b, frontend.n ? ", mhlo.sharding = " : "mhlo.sharding = ");
        xg_stable_string(&w->b, sharding);
    }
    xg_putc(&w->b, '}');
}
XG_FN void xg_stable_loc(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = xg_inst_attr(i, XG_A_metadata);
    const xg_metadata *m = a ? a->v.metadata : NULL;
    if (!m || (!m->op_name.n && !m->source_file.n)) return;
    xg_puts(&w->b, " loc(");
    if (m->op_name.n) xg_stable_string(&w->b, m->op_name);
    if (m->source_file.n) {
        if (m->op_name.n) xg_putc(&w->b, '(');
        xg_stable_string(&w->b, m->source_file);
        xg_printf(&w->b, ":%lld:0", (long long)m->source_line);
        if (m->op_name.n) xg_putc(&w->b, ')');
    }
    xg_putc(&w->b, ')');
}

/* ---- regions ---- */

XG_FN void xg_stable_body(xg_stable *w, const xg_comp *c);
XG_FN void xg_stable_return(xg_stable *w, const xg_comp *c, const char *word) {
    xg_stable_items v = {NULL, 0, 0};
    xg_stable_spread(w, &v, c->root);
    xg_stable_indent(w);
    xg_puts(&w->b, word);
    if (!v.n) return;
    xg_putc(&w->b, ' ');
    xg_stable_names(w, &v);
    xg_puts(&w->b, " : ");
    xg_stable_types(w, &v);
}
/* What stands behind the arguments, to the closing bracket. */
XG_FN void xg_stable_block(xg_stable *w, const xg_comp *c, const char *word) {
    w->depth++;
    xg_stable_body(w, c);
    xg_stable_return(w, c, word);
    w->depth--;
    xg_stable_indent(w);
    xg_putc(&w->b, '}');
}
/* A parameter that arguments stand for: one, or those that are the parts of a tuple. */
XG_FN void xg_stable_argument(xg_stable *w, xg_stable_items *args, const xg_inst *p) {
    xg_stable_value *v = xg_stable_value_of(w, p);
    bool tuple = p->shape->type == XLAGPU_TUPLE;
    uint32_t n = tuple ? p->shape->n_elems : 1, k;
    memset(v, 0, sizeof *v);
    if (tuple) v->parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)n + 1);
    for (k = 0; k < n; k++) {
        xg_str name = xg_stable_fresh(w);
        xg_stable_push(w, args, name, tuple ? p->shape->elems[k] : p->shape);
        if (tuple)
            v->parts[k].name = name;
        else
            v->name = name;
    }
}
/* {^bb0(%1: t): ...}; the arguments are the computation's parameters. */
XG_FN void xg_stable_region(xg_stable *w, const xg_comp *c) {
    xg_stable_items args = {NULL, 0, 0};
    uint32_t k;
    xg_puts(&w->b, "{");
    for (k = 0; k < c->n_params; k++) xg_stable_argument(w, &args, c->params[k]);
    if (args.n) {
        xg_stable_indent(w);
        xg_puts(&w->b, "^bb0(");
        for (k = 0; k < args.n; k++) {
            if (k) xg_puts(&w->b, ", ");
            xg_printf(&w->b, "%.*s: ", (int)args.p[k].name.n, args.p[k].name.p);
            xg_stable_type(w, args.p[k].shape);
        }
        xg_puts(&w->b, "):");
    }
    xg_stable_block(w, c, "stablehlo.return");
}
/* A branch has no arguments: it uses the operand from outside. */
XG_FN void xg_stable_branch(xg_stable *w, const xg_comp *c, const xg_inst *operand) {
    const xg_inst *p = c->params[0];
    w->values[p->id] = xg_stable_inside(w, xg_stable_value_of(w, operand), operand->shape);
    xg_puts(&w->b, "{");
    xg_stable_block(w, c, "stablehlo.return");
}
/* The regions of the operation, "" for those without. */
XG_FN void xg_stable_regions(xg_stable *w, const xg_inst *i) {
    XG_TABLE const xg_attr_key keys[] = {XG_A_condition, XG_A_body, XG_A_select, XG_A_scatter, XG_A_to_apply};
    uint32_t k, n = 0;
    for (k = 0; k < XG_COUNT(keys); k++) {
        const xg_comp *c = xg_attr_comp(i, keys[k]);
        if (!c) continue;
        xg_puts(&w->b, n++ ? ", " : " (");
        xg_stable_region(w, c);
    }
    if (n) xg_putc(&w->b, ')');
}

/* ---- operations ---- */

/* Behind the operands: properties, regions, attributes, types. */
XG_FN void xg_stable_tail(xg_stable *w, const xg_inst *i, const xg_stable_items *operands) {
    size_t from = w->b.n;
    xg_puts(&w->b, " <{");
    xg_stable_props(w, i);
    if (w->n_props)
        xg_puts(&w->b, "}>");
    else
        w->b.n = from;
    xg_stable_regions(w, i);
    xg_stable_extras(w, i);
    xg_puts(&w->b, " : (");
    xg_stable_types(w, operands);
    xg_puts(&w->b, ") -> ");
    xg_stable_shapes(w, i->shape);
    xg_stable_loc(w, i);
}
XG_FN void xg_stable_plain(xg_stable *w, const xg_inst *i, xg_str name, const xg_stable_items *operands) {
    xg_stable_define(w, i);
    xg_printf(&w->b, "%s%.*s\"(", memchr(name.p, '.', name.n) ? "\"" : "\"stablehlo.", (int)name.n, name.p);
    xg_stable_names(w, operands);
    xg_putc(&w->b, ')');
    xg_stable_tail(w, i, operands);
}
XG_FN void xg_stable_constant(xg_stable *w, const xg_inst *i) {
    uint32_t k;
    const xg_literal *l = i->literal;
    if (!l || l->elided) xg_stable_refuse(w, i, "its value is not known");
    if (l->elems) {
        xg_stable_value *v = xg_stable_value_of(w, i);
        memset(v, 0, sizeof *v);
        v->parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)i->shape->n_elems + 1);
        for (k = 0; k < i->shape->n_elems; k++) {
            if (l->elems[k]->elems || l->elems[k]->elided || !xg_shape_is_array(l->elems[k]->shape))
                xg_stable_refuse(w, i, "it is a tuple of what is no array");
            v->parts[k].name = xg_stable_fresh(w);
            xg_stable_indent(w);
            xg_printf(&w->b, "%.*s = stablehlo.constant ", (int)v->parts[k].name.n, v->parts[k].name.p);
            xg_stable_literal(w, l->elems[k]);
        }
        return;
    }
    xg_stable_define(w, i);
    xg_puts(&w->b, "stablehlo.constant");
    xg_stable_extras(w, i);
    xg_putc(&w->b, ' ');
    xg_stable_literal(w, l);
    xg_stable_loc(w, i);
}
XG_FN xg_stable_items xg_stable_operands(xg_stable *w, const xg_inst *i) {
    xg_stable_items v = {NULL, 0, 0};
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_inst *o = i->operands[k].value;
        xg_stable_push(w, &v, xg_stable_whole(w, xg_stable_value_of(w, o), o->shape), o->shape);
    }
    return v;
}
/* The value of a frontend attribute; empty: there is none. */
XG_FN xg_str xg_stable_note(xg_stable *w, const xg_inst *i, const char *key) {
    xg_str text = xg_attr_str(i, XG_A_frontend_attributes);
    xg_lex x = xg_import_scan(w->ctx, w->arena, text);
    xg_lex_take(&x, '{');
    while (x.kind == XG_TOK_WORD || x.kind == XG_TOK_STRING) {
        bool found = xg_str_is(xg_import_key(w->arena, &x), key);
        xg_str value;
        xg_lex_expect(&x, '=', "'='");
        value = xg_import_value(w->arena, &x);
        if (found) return value;
        xg_lex_take(&x, ',');
    }
    return XG_STR("");
}
XG_FN void xg_stable_call(xg_stable *w, const xg_inst *i, const xg_comp *c) {
    xg_stable_items operands = xg_stable_operands(w, i);
    const xg_shape *s = i->op == XG_ASYNC_START ? c->root->shape : i->shape;
    xg_str name = xg_attr_or_0(i, XG_A_is_composite) ? xg_stable_note(w, i, "composite.name") : XG_STR("");
    xg_inst as = *i; /* an asynchronous call is a call, too */
    as.shape = s;
    xg_stable_define(w, &as);
    if (name.n) {
        xg_str attributes = xg_stable_note(w, i, "composite.attributes"),
               version = xg_stable_note(w, i, "composite.version");
        xg_puts(&w->b, "\"stablehlo.composite\"(");
        xg_stable_names(w, &operands);
        xg_puts(&w->b, ") <{");
        if (attributes.n) { xg_printf(&w->b, "composite_attributes = %.*s, ", (int)attributes.n, attributes.p); }
        xg_printf(&w->b, "decomposition = %.*s, name = ", (int)w->funcs[c->id].n, w->funcs[c->id].p);
        xg_stable_string(&w->b, name);
        if (version.n) xg_printf(&w->b, ", version = %.*s : i32", (int)version.n, version.p);
        xg_puts(&w->b, "}>");
    } else {
        xg_printf(&w->b, "func.call %.*s(", (int)w->funcs[c->id].n, w->funcs[c->id].p);
        xg_stable_names(w, &operands);
        xg_putc(&w->b, ')');
        xg_stable_extras(w, i);
    }
    xg_puts(&w->b, " : (");
    xg_stable_types(w, &operands);
    xg_puts(&w->b, ") -> ");
    xg_stable_shapes(w, s);
    xg_stable_loc(w, i);
}
XG_FN void xg_stable_while(xg_stable *w, const xg_inst *i) {
    xg_stable_items operands = {NULL, 0, 0};
    xg_stable_spread(w, &operands, i->operands[0].value);
    xg_stable_plain(w, i, XG_STR("while"), &operands);
}
XG_FN void xg_stable_conditional(xg_stable *w, const xg_inst *i) {
    const xg_attr *branches = xg_inst_attr(i, XG_A_branch_computations);
    const xg_inst *index = i->operands[0].value;
    xg_str name = xg_stable_whole(w, xg_stable_value_of(w, index), index->shape);
    uint32_t k, n = branches ? branches->v.comps->n : 2;
    bool two = index->shape->type == XLAGPU_PRED;
    xg_stable_define(w, i);
    xg_printf(&w->b, "%s%.*s) (", two ? "\"stablehlo.if\"(" : "\"stablehlo.case\"(", (int)name.n, name.p);
    for (k = 0; k < n; k++) {
        const xg_comp *c =
            branches ? branches->v.comps->p[k] : xg_attr_comp(i, k ? XG_A_false_computation : XG_A_true_computation);
        if (k) xg_puts(&w->b, ", ");
        xg_stable_branch(w, c, i->operands[k + 1].value);
    }
    xg_putc(&w->b, ')');
    xg_stable_extras(w, i);
    xg_puts(&w->b, " : (");
    xg_stable_type(w, index->shape);
    xg_puts(&w->b, ") -> ");
    xg_stable_shapes(w, i->shape);
    xg_stable_loc(w, i);
}
/* rng's shape is an operand there. */
XG_FN void xg_stable_random(xg_stable *w, const xg_inst *i) {
    xg_stable_items operands = xg_stable_operands(w, i);
    int64_t n = i->shape->rank;
    const xg_shape *s = xg_shape_plain((xg_module *)(uintptr_t)w->m, XLAGPU_S64, &n, 1);
    xg_literal l;
    xg_str name = xg_stable_fresh(w);
    memset(&l, 0, sizeof l);
    l.shape = s;
    l.data = (void *)(uintptr_t)i->shape->dims;
    xg_stable_indent(w);
    xg_printf(&w->b, "%.*s = stablehlo.constant ", (int)name.n, name.p);
    xg_stable_literal(w, &l);
    xg_stable_push(w, &operands, name, s);
    xg_stable_plain(w, i, XG_STR("rng"), &operands);
}
/* A step of a bitcast: a reshape or a transpose of what stands in `from`. */
XG_FN xg_str xg_stable_step(xg_stable *w, xg_str from, const xg_shape *s, const xg_shape *to, const int64_t *order) {
    xg_str name = xg_stable_fresh(w);
    xg_stable_indent(w);
    xg_printf(&w->b, "%.*s = \"stablehlo.%s\"(%.*s)", (int)name.n, name.p, order ? "transpose" : "reshape", (int)from.n,
        from.p);
    if (order) {
        w->n_props = 0;
        xg_puts(&w->b, " <{");
        xg_stable_array(w, "permutation", order, to->rank);
        xg_puts(&w->b, "}>");
    }
    xg_puts(&w->b, " : (");
    xg_stable_type(w, s);
    xg_puts(&w->b, ") -> ");
    xg_stable_type(w, to);
    return name;
}
/* The dimensions in the order of memory, slowest first; order: which ones they are. */
XG_FN const xg_shape *xg_stable_memory(xg_stable *w, const xg_shape *s, int64_t *order) {
    int64_t dims[XG_RANK_MAX];
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        order[k] = s->layout ? s->layout->minor_to_major[s->rank - 1 - k] : (int64_t)k;
        dims[k] = s->dims[order[k]];
    }
    return xg_shape_plain((xg_module *)(uintptr_t)w->m, s->type, dims, s->rank);
}
/* A bitcast keeps the bytes where they lie: through the orders of both layouts it is a reshape. */
XG_FN void xg_stable_bitcast(xg_stable *w, const xg_inst *i) {
    const xg_inst *o = i->operands[0].value;
    int64_t from[XG_RANK_MAX], to[XG_RANK_MAX], back[XG_RANK_MAX];
    const xg_shape *in, *out;
    xg_stable_value *v = xg_stable_value_of(w, i);
    xg_str name;
    uint32_t k;
    if (!xg_shape_is_array(o->shape) || !xg_shape_is_array(i->shape) || o->shape->type != i->shape->type ||
        o->shape->elements != i->shape->elements)
        xg_stable_refuse(w, i, "it changes the type of elements");
    name = xg_stable_whole(w, xg_stable_value_of(w, o), o->shape);
    in = xg_stable_memory(w, o->shape, from);
    out = xg_stable_memory(w, i->shape, to);
    for (k = 0; k < i->shape->rank; k++) back[to[k]] = k;
    if (in != o->shape->plain) name = xg_stable_step(w, name, o->shape, in, from);
    if (in != out) name = xg_stable_step(w, name, in, out, NULL);
    if (out != i->shape->plain) name = xg_stable_step(w, name, out, i->shape, back);
    memset(v, 0, sizeof *v);
    v->name = name;
}
XG_FN void xg_stable_tuple(xg_stable *w, const xg_inst *i) {
    xg_stable_value *v = xg_stable_value_of(w, i);
    uint32_t k;
    memset(v, 0, sizeof *v);
    v->parts = XG_NEW_N(w->arena, xg_stable_value, (size_t)i->n_operands + 1);
    for (k = 0; k < i->n_operands; k++) v->parts[k] = *xg_stable_value_of(w, i->operands[k].value);
}
XG_FN void xg_stable_element_of(xg_stable *w, const xg_inst *i) {
    const xg_inst *o = i->operands[0].value;
    *xg_stable_value_of(w, i) = *xg_stable_take(w, xg_stable_value_of(w, o), o->shape, (uint32_t)xg_attr_index(i));
}
/* A copy is nothing, unless it says how its value is divided. */
XG_FN void xg_stable_same(xg_stable *w, const xg_inst *i) {
    const xg_inst *o = i->operands[0].value;
    xg_stable_items operands;
    if (!xg_attr_str(i, XG_A_sharding).n || i->op != XG_COPY || !xg_shape_is_array(i->shape)) {
        *xg_stable_value_of(w, i) = *xg_stable_value_of(w, o);
        return;
    }
    operands = xg_stable_operands(w, i);
    xg_stable_define(w, i);
    xg_puts(&w->b, "\"stablehlo.custom_call\"(");
    xg_stable_names(w, &operands);
    xg_puts(&w->b, ") <{call_target_name = \"Sharding\"}>");
    xg_stable_extras(w, i);
    xg_puts(&w->b, " : (");
    xg_stable_types(w, &operands);
    xg_puts(&w->b, ") -> ");
    xg_stable_shapes(w, i->shape);
    xg_stable_loc(w, i);
}
XG_FN void xg_stable_inst(xg_stable *w, const xg_inst *i) {
    xg_str name = xg_stable_name(i->op);
    xg_stable_items operands = {NULL, 0, 0};
    switch (i->op) {
    case XG_PARAMETER: return;
    case XG_CONSTANT: xg_stable_constant(w, i); return;
    case XG_TUPLE: xg_stable_tuple(w, i); return;
    case XG_GET_TUPLE_ELEMENT: xg_stable_element_of(w, i); return;
    case XG_WHILE: xg_stable_while(w, i); return;
    case XG_CONDITIONAL: xg_stable_conditional(w, i); return;
    case XG_BITCAST: xg_stable_bitcast(w, i); return;
    case XG_RNG: xg_stable_random(w, i); return;
#define X(opcode, key) \
    case XG_##opcode: xg_stable_call(w, i, xg_attr_comp(i, XG_A_##key)); return;
        XG_STABLE_CALLS(X)
#undef X
#define X(opcode) case XG_##opcode:
        XG_STABLE_SAME(X)
#undef X
        xg_stable_same(w, i);
        return;
    default: break;
    }
    if (!name.n) xg_stable_refuse(w, i, "it has no such operation");
    if (i->op == XG_OPT_BARRIER)
        xg_stable_spread(w, &operands, i->operands[0].value);
    else
        operands = xg_stable_operands(w, i);
    xg_stable_plain(w, i, name, &operands);
}
XG_FN void xg_stable_body(xg_stable *w, const xg_comp *c) {
    if (w->depth > XG_IMPORT_DEPTH_MAX)
        xg_fail(w->ctx, XLAGPU_ERROR_LIMIT, "error: StableHLO: regions are nested more than %d deep",
            (int)XG_IMPORT_DEPTH_MAX);
    XG_FOR_INSTS(i, c) xg_stable_inst(w, i);
}

/* ---- functions ---- */

/* ", name = text" among the attributes of an argument or result, behind " {" for the first. */
XG_FN void xg_stable_attribute(xg_stable *w, uint32_t *n, const char *name) {
    xg_printf(&w->b, "%s%s = ", (*n)++ ? ", " : " {", name);
}
XG_FN void xg_stable_layout_mode(xg_stable *w, uint32_t *n, const xg_shape *s) {
    uint32_t k;
    if (!s || !xg_shape_is_array(s) || !s->layout || s->layout->descending) return;
    xg_stable_attribute(w, n, "mhlo.layout_mode");
    xg_puts(&w->b, "\"{");
    for (k = 0; k < s->rank; k++) xg_printf(&w->b, "%s%d", k ? "," : "", (int)s->layout->minor_to_major[k]);
    xg_puts(&w->b, "}\"");
}
XG_FN void xg_stable_donation(xg_stable *w, uint32_t *n, uint32_t param) {
    const xg_module *m = w->m;
    uint32_t k;
    for (k = 0; k < m->n_aliases; k++) {
        const xg_io_alias *a = &m->aliases[k];
        if (a->param != param) continue;
        if (a->param_index.n || a->output.n > 1)
            xg_fail(w->ctx, XLAGPU_ERROR_UNSUPPORTED,
                "error: StableHLO: an alias of a part of parameter %u or inside a tuple of the result has no form",
                param);
        xg_stable_attribute(w, n, "tf.aliasing_output");
        xg_printf(&w->b, "%lld : i32", a->output.n ? (long long)a->output.p[0] : 0ll);
    }
    for (k = 0; k < m->n_donors; k++) {
        if (m->donors[k].param != param) continue;
        xg_stable_attribute(w, n, "jax.buffer_donor");
        xg_puts(&w->b, "true");
    }
}
/* What the entry says of parameter k. */
XG_FN void xg_stable_arg_attrs(xg_stable *w, const xg_comp *c, uint32_t k) {
    const xg_inst *p = c->params[k];
    xg_str sharding = xg_attr_str(p, XG_A_sharding), frontend = xg_attr_str(p, XG_A_frontend_attributes);
    uint32_t n = 0;
    if (c == w->m->entry) {
        xg_stable_donation(w, &n, k);
        if (w->m->entry_params) xg_stable_layout_mode(w, &n, w->m->entry_params->elems[k]);
    }
    if (frontend.n) {
        xg_stable_attribute(w, &n, "mhlo.frontend_attributes");
        xg_stable_frontend(w, frontend);
    }
    if (sharding.n) {
        xg_stable_attribute(w, &n, "mhlo.sharding");
        xg_stable_string(&w->b, sharding);
    }
    if (n) xg_putc(&w->b, '}');
}
/* The sharding of part k of a tuple: one of {{..}, {..}}, or that of all. */
XG_FN xg_str xg_stable_sharding_of(xg_str all, uint32_t k) {
    uint32_t at, depth = 0, from = 0, n = 0;
    if (all.n < 2 || all.p[1] != '{') return all;
    for (at = 0; at < all.n; at++) {
        if (all.p[at] == '{' && ++depth == 2) from = at;
        if (all.p[at] == '}' && depth-- == 2 && n++ == k) return xg_str_of(all.p + from, at + 1 - from);
    }
    return XG_STR("");
}
/* Operations carry their own shardings; a tuple, or a part of one, is none. */
XG_FN void xg_stable_results(xg_stable *w, const xg_comp *c) {
    const xg_shape *s = c->root->shape, *said = c == w->m->entry ? w->m->entry_result : NULL;
    xg_str sharding = xg_attr_str(c->root, XG_A_sharding);
    bool tuple = s->type == XLAGPU_TUPLE, says = tuple || (said && c->root->op == XG_GET_TUPLE_ELEMENT);
    uint32_t count = tuple ? s->n_elems : 1, k, n;
    if (!count) return;
    xg_puts(&w->b, " -> (");
    for (k = 0; k < count; k++) {
        xg_str one = tuple ? xg_stable_sharding_of(sharding, k) : sharding;
        if (k) xg_puts(&w->b, ", ");
        xg_stable_type(w, tuple ? s->elems[k] : s);
        n = 0;
        if (said) xg_stable_layout_mode(w, &n, tuple ? said->elems[k] : said);
        if (says && one.n) {
            xg_stable_attribute(w, &n, "mhlo.sharding");
            xg_stable_string(&w->b, one);
        }
        if (n) xg_putc(&w->b, '}');
    }
    xg_putc(&w->b, ')');
}
XG_FN void xg_stable_func(xg_stable *w, const xg_comp *c) {
    uint32_t k;
    xg_stable_indent(w);
    xg_printf(&w->b, "%s%.*s(", c == w->m->entry ? "func.func public " : "func.func private ", (int)w->funcs[c->id].n,
        w->funcs[c->id].p);
    w->next = 0;
    for (k = 0; k < c->n_params; k++) {
        xg_stable_value *v = xg_stable_value_of(w, c->params[k]);
        char text[20];
        memset(v, 0, sizeof *v);
        v->name = xg_str_copy(w->arena, xg_str_of(text, xg_format(text, sizeof text, "%%arg%u", k)));
        if (k) xg_puts(&w->b, ", ");
        xg_printf(&w->b, "%.*s: ", (int)v->name.n, v->name.p);
        xg_stable_type(w, c->params[k]->shape);
        xg_stable_arg_attrs(w, c, k);
        xg_stable_loc(w, c->params[k]);
    }
    xg_putc(&w->b, ')');
    xg_stable_results(w, c);
    xg_puts(&w->b, " {");
    xg_stable_block(w, c, "return");
}
/* @name, in quotes where it has other characters than a bare one may have. */
XG_FN xg_str xg_stable_symbol(xg_stable *w, xg_str name) {
    bool bare = name.n && !(name.p[0] >= '0' && name.p[0] <= '9') && name.p[0] != '.';
    xg_buf b;
    uint32_t k;
    for (k = 0; k < name.n; k++) bare = bare && name.p[k] != '-';
    xg_buf_init(&b, w->arena);
    xg_putc(&b, '@');
    if (bare)
        xg_put_str(&b, name);
    else
        xg_stable_string(&b, name);
    return xg_stable_copied(w, &b);
}
/* The computations that are functions get their names: the entry's is main, and no other is called so. */
XG_FN void xg_stable_mark(xg_stable *w, const xg_comp *c) {
    xg_buf b;
    if (!c || w->funcs[c->id].n) return;
    xg_buf_init(&b, w->arena);
    xg_put_str(&b, c->name);
    if (xg_str_is(c->name, "main")) xg_puts(&b, ".called");
    w->funcs[c->id] = xg_stable_symbol(w, xg_stable_copied(w, &b));
}
XG_FN void xg_stable_mark_called(xg_stable *w, const xg_inst *i) {
    const xg_attr *a = i->op == XG_CUSTOM_CALL ? xg_inst_attr(i, XG_A_called_computations) : NULL;
    uint32_t k;
#define X(opcode, key) \
    if (i->op == XG_##opcode) xg_stable_mark(w, xg_attr_comp(i, XG_A_##key));
    XG_STABLE_CALLS(X)
#undef X
    for (k = 0; a && k < a->v.comps->n; k++) xg_stable_mark(w, a->v.comps->p[k]);
}
XG_FN void xg_stable_head(xg_stable *w) {
    const xg_module *m = w->m;
    uint32_t n = 0, k;
    xg_puts(&w->b, "module ");
    xg_put_str(&w->b, xg_stable_symbol(w, m->name));
    xg_puts(&w->b, " attributes");
    for (k = 0; k < m->n_header; k++) {
        if (!xg_str_is(m->header[k].name, "frontend_attributes")) continue;
        xg_stable_attribute(w, &n, "mhlo.frontend_attributes");
        xg_stable_frontend(w, m->header[k].text);
    }
    xg_stable_attribute(w, &n, "mhlo.num_partitions");
    xg_printf(&w->b, "%lld : i32, mhlo.num_replicas = %lld : i32} {", (long long)m->num_partitions,
        (long long)m->replica_count);
}
XG_FN void xg_stable_print(xg_buf *b, const xg_module *m) {
    xg_stable w;
    const xg_comp *c;
    memset(&w, 0, sizeof w);
    w.ctx = m->ctx;
    w.arena = xg_arena_inner(b->arena);
    w.m = m;
    w.b = *b;
    w.values = XG_NEW_N(w.arena, xg_stable_value, m->n_ids);
    w.funcs = XG_NEW_N(w.arena, xg_str, m->n_comp_ids);
    w.funcs[m->entry->id] = XG_STR("@main");
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) xg_stable_mark_called(&w, i);
    xg_stable_head(&w);
    w.depth = 1;
    xg_stable_func(&w, m->entry);
    for (c = m->first; c; c = c->next)
        if (c != m->entry && w.funcs[c->id].n) xg_stable_func(&w, c);
    xg_puts(&w.b, "\n}\n");
    *b = w.b;
}

#endif /* XG_IMPORT_STABLE_C */
