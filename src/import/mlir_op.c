/* import/mlir_op.c -- operations in MLIR text: the generic form, and the pretty forms of XG_IR_OPS.
 *
 * Nearly all pretty forms are one grammar, `items`: operands, words, `key = value`, attributes and brackets in any
 * order, then types. What stands there becomes the attributes that the generic form would have, so only operations
 * with regions in their pretty form have a reader of their own. */
#ifndef XG_IMPORT_MLIR_OP_C
#define XG_IMPORT_MLIR_OP_C
#include "mlir.h"
#include "mlir_attr.c"

typedef struct xg_mlir_result {
    xg_str name;
    uint32_t n;
} xg_mlir_result;
typedef XG_VEC(xg_mlir_result) xg_mlir_results;
/* An operation while it is read. Short lists are kept here, longer ones grow into the arena. */
enum {
    XG_MLIR_FEW = 4
};
typedef struct xg_mlir_making {
    xg_ir_op *op;
    xg_ir_values operands;
    xg_mlir_named attrs;
    xg_mlir_results names; /* of its results */
    uint32_t n_results, words;
    xg_ir_value *few_operands[XG_MLIR_FEW];
    xg_ir_named few_attrs[XG_MLIR_FEW];
    xg_mlir_result few_names[XG_MLIR_FEW];
} xg_mlir_making;

/* ---- values ---- */

/* The number in %17; -1: the name is another, or a number that a text of this size has no need of. */
XG_FN int64_t xg_mlir_value_number(const xg_mlir *x, xg_str name) {
    int64_t v = 0;
    uint32_t k;
    if (name.n > 9 || (name.p[1] == '0' && name.n > 2)) return -1;
    for (k = 1; k < name.n; k++) {
        if (!xg_is_digit(name.p[k])) return -1;
        v = v * 10 + (name.p[k] - '0');
    }
    return v < (x->end - x->base) / 4 ? v : -1;
}
XG_FN xg_mlir_cell *xg_mlir_numbered(xg_mlir *x, uint32_t number) {
    uint32_t page = number / XG_MLIR_PAGE;
    while (x->pages.n <= page) xg_push(x->ir->arena, xg_mlir_cell *, &x->pages, NULL);
    if (!x->pages.p[page]) x->pages.p[page] = XG_NEW_N(x->ir->arena, xg_mlir_cell, XG_MLIR_PAGE);
    return &x->pages.p[page][number % XG_MLIR_PAGE];
}
XG_FN xg_mlir_cell *xg_mlir_cell_of(xg_mlir *x, xg_str name) {
    int64_t number = xg_mlir_value_number(x, name);
    xg_mlir_cell *cell;
    if (number >= 0) return xg_mlir_numbered(x, (uint32_t)number);
    cell = (xg_mlir_cell *)xg_dict_get(&x->names, name);
    if (cell) return cell;
    cell = XG_NEW(x->ir->arena, xg_mlir_cell);
    (void)xg_dict_put_lasting(&x->names, name, cell);
    return cell;
}
XG_FN void xg_mlir_define(xg_mlir *x, xg_str name, xg_ir_value *values, uint32_t n) {
    xg_mlir_undo undo;
    undo.cell = xg_mlir_cell_of(x, name);
    undo.old = *undo.cell;
    xg_push(x->ir->arena, xg_mlir_undo, &x->undo, undo);
    undo.cell->values = values;
    undo.cell->n = n;
}
XG_FN void xg_mlir_forget(xg_mlir *x, uint32_t height) { /* definitions made since */
    while (x->undo.n > height) {
        x->undo.n--;
        *x->undo.p[x->undo.n].cell = x->undo.p[x->undo.n].old;
    }
}
XG_FN xg_ir_value *xg_mlir_use(xg_mlir *x) {
    const char *at;
    xg_str name;
    const xg_mlir_cell *cell;
    int64_t k = 0;
    xg_mlir_skip(x);
    at = x->at;
    name = xg_mlir_value_name(x);
    if (*x->at == '#') {
        x->at++;
        if (!xg_mlir_int(x, &k)) xg_mlir_expected(x, "the number of a result");
    }
    cell = xg_mlir_cell_of(x, name);
    if (!cell->n)
        xg_mlir_fail(x, at, "a value is defined before it is used, in the same region or around it",
            "'%.*s' is not defined", (int)XG_MIN(name.n, 60u), name.p);
    if (k < 0 || k >= (int64_t)cell->n)
        xg_mlir_fail(x, at, NULL, "'%.*s' has %u results", (int)XG_MIN(name.n, 60u), name.p, cell->n);
    return &cell->values[k];
}

/* ---- locations ---- */

XG_FN const xg_ir_loc *xg_mlir_loc_value(xg_mlir *x);
/* What a location lacks is taken from one further in. */
XG_FN void xg_mlir_loc_merge(xg_ir_loc *to, const xg_ir_loc *from) {
    if (!from) return;
    if (!to->name.n) to->name = from->name;
    if (to->file.n) return;
    to->file = from->file;
    to->line = from->line;
}
XG_FN void xg_mlir_loc_string(xg_mlir *x, xg_ir_loc *loc) { /* "file":1:2 [to ...] or "name"(child) */
    xg_str s = xg_mlir_string(x);
    int64_t skipped;
    if (*x->at == ':') {
        loc->file = s;
        x->at++;
        if (!xg_mlir_int(x, &loc->line) || loc->line < 0) xg_mlir_expected(x, "a line");
        while (xg_mlir_take(x, ":"))
            if (!xg_mlir_int(x, &skipped)) xg_mlir_expected(x, "a column");
        if (!xg_mlir_take_word(x, "to")) return;
        (void)xg_mlir_int(x, &skipped);
        if (xg_mlir_take(x, ":")) (void)xg_mlir_int(x, &skipped);
        return;
    }
    loc->name = s;
    if (!xg_mlir_take(x, "(")) return;
    xg_mlir_loc_merge(loc, xg_mlir_loc_value(x));
    xg_mlir_want(x, ")", "behind the location");
}
XG_FN void xg_mlir_loc_fused(xg_mlir *x, xg_ir_loc *loc) {
    xg_mlir_skip(x);
    if (*x->at == '<') (void)xg_mlir_balanced(x);
    xg_mlir_want(x, "[", "and the locations");
    if (xg_mlir_take(x, "]")) return;
    do xg_mlir_loc_merge(loc, xg_mlir_loc_value(x));
    while (xg_mlir_take(x, ","));
    xg_mlir_want(x, "]", "behind the locations");
}
XG_FN void xg_mlir_loc_words(xg_mlir *x, xg_ir_loc *loc) {
    const char *at = x->at;
    xg_str w = xg_mlir_word(x, "a location");
    if (xg_str_is(w, "unknown")) return;
    if (xg_str_is(w, "fused")) {
        xg_mlir_loc_fused(x, loc);
        return;
    }
    if (!xg_str_is(w, "callsite")) xg_mlir_fail(x, at, NULL, "'%.*s' is not a location", (int)XG_MIN(w.n, 60u), w.p);
    xg_mlir_want(x, "(", NULL);
    xg_mlir_loc_merge(loc, xg_mlir_loc_value(x));
    if (!xg_mlir_take_word(x, "at")) xg_mlir_expected(x, "'at'");
    (void)xg_mlir_loc_value(x);
    xg_mlir_want(x, ")", NULL);
}
/* #loc3: read where it is defined, once. */
XG_FN const xg_ir_loc *xg_mlir_loc_alias(xg_mlir *x) {
    const char *from = x->at, *back, *definition;
    const xg_ir_loc *loc;
    xg_str name;
    x->at++;
    name = xg_mlir_word(x, "the name of a location");
    name = xg_str_of(from, name.n + (size_t)1);
    loc = (const xg_ir_loc *)xg_dict_get(&x->locs, name);
    if (loc) return loc;
    definition = xg_mlir_alias(x, name);
    if (!definition) xg_mlir_fail(x, from, NULL, "'%.*s' is not defined", (int)XG_MIN(name.n, 60u), name.p);
    back = x->at;
    x->at = definition;
    if (!xg_mlir_take_word(x, "loc")) xg_mlir_expected(x, "a location");
    xg_mlir_want(x, "(", NULL);
    loc = xg_mlir_loc_value(x);
    x->at = back;
    (void)xg_dict_put_lasting(&x->locs, name, (void *)(uintptr_t)loc);
    return loc;
}
XG_FN const xg_ir_loc *xg_mlir_loc_value(xg_mlir *x) {
    xg_ir_loc *loc;
    xg_mlir_skip(x);
    xg_mlir_enter(x);
    if (*x->at == '#') {
        const xg_ir_loc *known = xg_mlir_loc_alias(x);
        x->depth--;
        return known;
    }
    loc = XG_NEW(x->ir->arena, xg_ir_loc);
    if (*x->at == '"')
        xg_mlir_loc_string(x, loc);
    else
        xg_mlir_loc_words(x, loc);
    x->depth--;
    return loc;
}
XG_FN const xg_ir_loc *xg_mlir_loc(xg_mlir *x) { /* NULL: there is none */
    const xg_ir_loc *loc;
    const char *back;
    xg_mlir_skip(x);
    if (x->at[0] != 'l' || x->at[1] != 'o' || x->at[2] != 'c') return NULL;
    back = x->at;
    x->at += 3;
    if (!xg_mlir_take(x, "(")) {
        x->at = back;
        return NULL;
    }
    loc = xg_mlir_loc_value(x);
    xg_mlir_want(x, ")", "behind the location");
    return loc;
}

/* ---- parts of an operation ---- */

XG_FN void xg_mlir_add_attr(xg_mlir *x, xg_mlir_making *o, xg_str name, const xg_ir_attr *value) {
    xg_ir_named item;
    item.name = name;
    item.value = value;
    xg_push(x->ir->arena, xg_ir_named, &o->attrs, item);
}
XG_FN void xg_mlir_add_operand(xg_mlir *x, xg_mlir_making *o) {
    xg_ir_value *v = xg_mlir_use(x);
    xg_push(x->ir->arena, xg_ir_value *, &o->operands, v);
}
XG_APART XG_FN const char *xg_mlir_type_text(xg_mlir *x, const xg_ir_type *t) {
    xg_buf b;
    if (!t->shape) return t->text.n ? xg_str_copy(x->ir->arena, t->text).p : "of another kind";
    xg_buf_init(&b, x->ir->arena);
    xg_shape_print(&b, t->shape, false);
    return b.p;
}
XG_FN void xg_mlir_check_types(
    xg_mlir *x, const char *what, xg_ir_value *const *of, uint32_t n, const char *at, const xg_mlir_types *in) {
    uint32_t k;
    if (in->n != n) xg_mlir_fail(x, at, NULL, "%u types for %u %ss", in->n, n, what);
    for (k = 0; k < n; k++) {
        const xg_ir_type *has = of[k]->type, *said = in->p[k];
        if (has->shape != said->shape)
            xg_mlir_fail(x, at, NULL, "%s %u is %s, but its type here is %s", what, k, xg_mlir_type_text(x, has),
                xg_mlir_type_text(x, said));
    }
}
/* `(types) -> types`, `(types) -> type`, `types -> type`, a type for each result, or operands' types that end with
 * the result's. */
XG_FN void xg_mlir_op_types(xg_mlir *x, xg_mlir_making *o) {
    const char *at;
    const xg_ir_type *few[2][XG_MLIR_FEW];
    xg_mlir_types in = {NULL, 0, XG_MLIR_FEW}, out = {NULL, 0, XG_MLIR_FEW};
    in.p = few[0];
    out.p = few[1];
    xg_mlir_skip(x);
    at = x->at;
    if (xg_mlir_take(x, "("))
        xg_mlir_type_list(x, ")", &in);
    else
        do {
            const xg_ir_type *t = xg_mlir_type(x);
            xg_push(x->ir->arena, const xg_ir_type *, &in, t);
        } while (xg_mlir_take(x, ","));
    if (xg_mlir_take(x, "->")) {
        xg_mlir_check_types(x, "operand", o->operands.p, o->operands.n, at, &in);
        if (xg_mlir_take(x, "("))
            xg_mlir_type_list(x, ")", &out);
        else {
            const xg_ir_type *t = xg_mlir_type(x);
            xg_push(x->ir->arena, const xg_ir_type *, &out, t);
        }
    } else if (in.n == o->n_results)
        out = in;
    else if (in.n && o->n_results)
        xg_push(x->ir->arena, const xg_ir_type *, &out, in.p[in.n - 1]);
    xg_ir_results(x->ir, o->op, out.p, out.n);
}
XG_FN void xg_mlir_region(xg_mlir *x, xg_ir_region *r);
XG_FN xg_ir_region *xg_mlir_regions(xg_mlir *x, xg_ir_op *op, uint32_t n) {
    (void)x;
    op->n_regions = n;
    op->regions = XG_NEW_N(x->ir->arena, xg_ir_region, n + (size_t)1);
    return op->regions;
}
XG_FN void xg_mlir_attr_dict(xg_mlir *x, xg_mlir_making *o) { /* {...} if there is one */
    if (xg_mlir_take(x, "{")) xg_mlir_dict(x, '}', &o->attrs);
}

/* ---- the generic form ---- */

XG_FN void xg_mlir_generic_regions(xg_mlir *x, xg_ir_op *op) { /* behind "(" */
    XG_VEC(xg_ir_region) v = {NULL, 0, 0};
    do {
        xg_ir_region r;
        memset(&r, 0, sizeof r);
        xg_mlir_region(x, &r);
        xg_push(x->ir->arena, xg_ir_region, &v, r);
    } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, ")", "behind the regions");
    op->n_regions = v.n;
    op->regions = v.p;
}
XG_FN void xg_mlir_generic(xg_mlir *x, xg_mlir_making *o) { /* behind the name */
    xg_mlir_want(x, "(", "and the operands");
    if (!xg_mlir_take(x, ")")) {
        do xg_mlir_add_operand(x, o);
        while (xg_mlir_take(x, ","));
        xg_mlir_want(x, ")", "behind the operands");
    }
    xg_mlir_skip(x);
    if (*x->at == '[')
        xg_mlir_fail(x, x->at, NULL, "jumps between blocks are not read; branches are stablehlo.if and stablehlo.case");
    if (xg_mlir_take(x, "<{")) {
        xg_mlir_dict(x, '}', &o->attrs);
        xg_mlir_want(x, ">", "behind the properties");
    }
    if (xg_mlir_take(x, "(")) xg_mlir_generic_regions(x, o->op);
    xg_mlir_attr_dict(x, o);
    xg_mlir_want(x, ":", "and the types");
    xg_mlir_op_types(x, o);
}

/* ---- items ---- */

/* [0:2, 1:8:2] behind an operand is a slice, [0] an index. */
XG_FN void xg_mlir_form_brackets(xg_mlir *x, xg_mlir_making *o) {
    XG_TABLE const char names[][14] = {"start_indices", "limit_indices", "strides"};
    int64_t v[3][XG_RANK_MAX];
    uint32_t n = 0, k;
    if (!xg_mlir_take(x, "]")) {
        do {
            if (n == XG_RANK_MAX) xg_mlir_fail(x, x->at, NULL, "more than %d dimensions", (int)XG_RANK_MAX);
            v[2][n] = 1;
            if (!xg_mlir_int(x, &v[0][n])) xg_mlir_expected(x, "an index");
            v[1][n] = v[0][n];
            if (xg_mlir_take(x, ":") && !xg_mlir_int(x, &v[1][n])) xg_mlir_expected(x, "a limit");
            if (xg_mlir_take(x, ":") && !xg_mlir_int(x, &v[2][n])) xg_mlir_expected(x, "a stride");
            n++;
        } while (xg_mlir_take(x, ","));
        xg_mlir_want(x, "]", "behind the indices");
    }
    if (xg_ir_is(o->op, "get_tuple_element"))
        xg_mlir_add_attr(x, o, XG_STR("index"), xg_ir_attr_ints(x->ir, v[0], n));
    else
        for (k = 0; k < 3; k++) xg_mlir_add_attr(x, o, xg_str_z(names[k]), xg_ir_attr_ints(x->ir, v[k], n));
}
XG_FN xg_str xg_mlir_joined(xg_mlir *x, const char *front, xg_str name) {
    size_t n = strlen(front);
    char *p = (char *)xg_alloc_raw(x->ir->arena, n + name.n + 1);
    memcpy(p, front, n);
    memcpy(p + n, name.p, name.n);
    return xg_str_of(p, n + name.n);
}
/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] */
XG_FN const xg_ir_attr *xg_mlir_labels(xg_mlir *x) {
    const char *from = x->at;
    (void)xg_mlir_balanced(x);
    xg_mlir_want(x, "x", "and the kernel's dimensions");
    (void)xg_mlir_balanced(x);
    xg_mlir_want(x, "->", "and the result's dimensions");
    (void)xg_mlir_balanced(x);
    return xg_ir_attr_new(x->ir, XG_IR_RAW, xg_str_of(from, (size_t)(x->at - from)));
}
XG_FN void xg_mlir_form_pair(xg_mlir *x, xg_mlir_making *o, xg_str key) { /* [0] x [1] for both sides */
    const xg_ir_attr *left = xg_mlir_attr(x), *right;
    if (!xg_mlir_take_word(x, "x")) {
        xg_mlir_add_attr(x, o, key, left);
        return;
    }
    right = xg_mlir_attr(x);
    xg_mlir_add_attr(x, o, xg_mlir_joined(x, "lhs_", key), left);
    xg_mlir_add_attr(x, o, xg_mlir_joined(x, "rhs_", key), right);
}
XG_FN void xg_mlir_form_value(xg_mlir *x, xg_mlir_making *o, xg_str key) { /* behind `key =` */
    xg_mlir_skip(x);
    if (xg_str_is(key, "dim_numbers")) {
        if (*x->at != '[') xg_mlir_expected(x, "'[' and the input's dimensions");
        xg_mlir_add_attr(x, o, key, xg_mlir_labels(x));
    } else if (xg_str_is(key, "algorithm") && *x->at == '<') {
        const char *from = x->at++;
        xg_mlir_add_attr(x, o, key, xg_mlir_dict_attr(x, '>', XG_STR("algorithm"), from));
    } else
        xg_mlir_form_pair(x, o, key);
}
XG_FN void xg_mlir_form_word(xg_mlir *x, xg_mlir_making *o) {
    XG_TABLE const char words[][21] = {"comparison_direction", "compare_type"};
    xg_str w = xg_mlir_peek_word(x);
    const char *back = x->at;
    if (xg_word_in("dense dense_resource", w) >= 0) {
        xg_mlir_add_attr(x, o, XG_STR("value"), xg_mlir_attr(x));
        return;
    }
    x->at += w.n;
    if (xg_mlir_take(x, "=")) {
        xg_mlir_form_value(x, o, w);
        return;
    }
    if (o->words == XG_COUNT(words)) {
        x->at = back;
        xg_mlir_expected(x, "':' and the types");
    }
    xg_mlir_add_attr(x, o, xg_str_z(words[o->words++]), xg_ir_attr_new(x->ir, XG_IR_WORD, w));
}
XG_FN bool xg_mlir_form_item(xg_mlir *x, xg_mlir_making *o) { /* false: there is none more */
    switch (*x->at) {
    case '%':
        xg_mlir_add_operand(x, o);
        if (xg_mlir_take(x, "[")) xg_mlir_form_brackets(x, o);
        return true;
    case '{': xg_mlir_attr_dict(x, o); return true;
    case '@': xg_mlir_add_attr(x, o, XG_STR("callee"), xg_mlir_attr(x)); return true;
    case '"': xg_mlir_add_attr(x, o, XG_STR("name"), xg_mlir_attr(x)); return true;
    case '<': xg_mlir_add_attr(x, o, XG_STR("sharding"), xg_mlir_attr(x)); return true;
    case ',':
    case '(':
    case ')': x->at++; return true;
    default: break;
    }
    if (!xg_mlir_is_letter(*x->at)) return false;
    xg_mlir_form_word(x, o);
    return true;
}
XG_FN bool xg_mlir_form_ends(const xg_mlir *x, const xg_mlir_making *o) { /* `return` has nothing behind it */
    return !o->operands.n && !o->attrs.n && (*x->at == '}' || x->at == x->end);
}
/* The type of a constant stands behind its value, which has read it. */
XG_FN bool xg_mlir_form_constant(xg_mlir *x, xg_mlir_making *o) {
    const xg_ir_attr *value;
    if (!o->attrs.n || o->operands.n) return false;
    value = o->attrs.p[o->attrs.n - 1].value;
    if (!xg_str_is(o->attrs.p[o->attrs.n - 1].name, "value") || !value->type) return false;
    xg_ir_results(x->ir, o->op, &value->type, 1);
    return true;
}
XG_FN void xg_mlir_form_items(xg_mlir *x, xg_mlir_making *o) {
    for (;;) {
        xg_mlir_skip(x);
        if (xg_mlir_form_ends(x, o)) return;
        if (*x->at == ':') break;
        if (xg_mlir_form_constant(x, o)) return;
        if (!xg_mlir_form_item(x, o)) xg_mlir_expected(x, "':' and the types");
        if (xg_mlir_form_constant(x, o)) return;
    }
    x->at++;
    xg_mlir_op_types(x, o);
}

XG_FN void xg_mlir_form_unread(xg_mlir *x, xg_mlir_making *o) {
    xg_mlir_fail(x, x->base + o->op->at - 1, "docs/formats.md says what is", "%.*s is not read", (int)o->op->name.n,
        o->op->name.p);
}

/* ---- arguments of regions ---- */

/* `%a: type {attributes} loc(..)`, separated by commas, up to ')', which is read. */
XG_FN void xg_mlir_args(xg_mlir *x, xg_ir_values *args, xg_mlir_attrs *dicts) {
    if (xg_mlir_take(x, ")")) return;
    do {
        xg_str name = xg_mlir_value_name(x);
        xg_ir_value *v = XG_NEW(x->ir->arena, xg_ir_value);
        const xg_ir_attr *dict = NULL;
        xg_mlir_want(x, ":", "and the argument's type");
        xg_ir_value_init(x->ir, v, xg_mlir_type(x), NULL);
        xg_mlir_skip(x);
        if (*x->at == '{') dict = xg_mlir_attr(x);
        v->loc = xg_mlir_loc(x);
        xg_push(x->ir->arena, xg_ir_value *, args, v);
        if (dicts) xg_push(x->ir->arena, const xg_ir_attr *, dicts, dict);
        xg_mlir_define(x, name, v, 1);
    } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, ")", "behind the arguments");
}
XG_FN void xg_mlir_set_args(xg_ir_region *r, const xg_ir_values *args) {
    r->args = args->p;
    r->n_args = args->n;
}
XG_FN void xg_mlir_op(xg_mlir *x, xg_ir_region *r);
/* Operations up to '}', which is read. */
XG_FN void xg_mlir_body(xg_mlir *x, xg_ir_region *r) {
    r->n_blocks = 1;
    while (!xg_mlir_take(x, "}")) {
        if (*x->at == '^')
            xg_mlir_fail(x, x->at, "branches are stablehlo.if and stablehlo.case", "a second block is not read");
        if (x->at >= x->end) xg_mlir_expected(x, "'}' behind the operations");
        xg_mlir_op(x, r);
    }
    r->to = x->ir->serial;
}
XG_FN void xg_mlir_region(xg_mlir *x, xg_ir_region *r) {
    uint32_t height = x->undo.n;
    xg_mlir_enter(x);
    r->from = x->ir->serial;
    xg_mlir_want(x, "{", "and a region");
    if (xg_mlir_take(x, "^")) {
        xg_ir_values args = {NULL, 0, 0};
        (void)xg_mlir_word(x, "the name of a block");
        if (xg_mlir_take(x, "(")) xg_mlir_args(x, &args, NULL);
        xg_mlir_want(x, ":", "behind the block's name");
        xg_mlir_set_args(r, &args);
    }
    xg_mlir_body(x, r);
    xg_mlir_forget(x, height);
    x->depth--;
}

/* ---- module, functions ---- */

XG_FN void xg_mlir_add_text(xg_mlir *x, xg_mlir_making *o, const char *name, xg_str text) {
    xg_mlir_add_attr(x, o, xg_str_z(name), xg_ir_attr_new(x->ir, XG_IR_STRING, text));
}
XG_FN void xg_mlir_form_module(xg_mlir *x, xg_mlir_making *o) {
    xg_mlir_skip(x);
    if (*x->at == '@') xg_mlir_add_text(x, o, "sym_name", xg_mlir_symbol(x));
    if (xg_mlir_take_word(x, "attributes")) xg_mlir_attr_dict(x, o);
    xg_mlir_region(x, xg_mlir_regions(x, o->op, 1));
}
XG_FN const xg_ir_attr *xg_mlir_dicts(xg_mlir *x, const xg_mlir_attrs *dicts) {
    xg_ir_attr *a = xg_ir_attr_new(x->ir, XG_IR_LIST, XG_STR(""));
    uint32_t k;
    for (k = 0; k < dicts->n; k++)
        if (!dicts->p[k]) dicts->p[k] = xg_ir_attr_new(x->ir, XG_IR_DICT, XG_STR(""));
    a->n = dicts->n;
    a->v.items = dicts->p;
    return a;
}
/* (type {attributes}, ...) or one type */
XG_FN void xg_mlir_func_results(xg_mlir *x, xg_mlir_types *out, xg_mlir_attrs *dicts) {
    bool list = xg_mlir_take(x, "(");
    if (list && xg_mlir_take(x, ")")) return;
    do {
        const xg_ir_type *t = xg_mlir_type(x);
        const xg_ir_attr *dict = NULL;
        xg_mlir_skip(x);
        if (list && *x->at == '{') dict = xg_mlir_attr(x);
        xg_push(x->ir->arena, const xg_ir_type *, out, t);
        xg_push(x->ir->arena, const xg_ir_attr *, dicts, dict);
    } while (list && xg_mlir_take(x, ","));
    if (list) xg_mlir_want(x, ")", "behind the results");
}
/* A declaration names types alone: `func.func private @f(tensor<f32>) -> tensor<f32>`. */
XG_FN void xg_mlir_func_args(xg_mlir *x, xg_ir_values *args, xg_mlir_attrs *dicts) {
    xg_mlir_want(x, "(", "and the arguments");
    xg_mlir_skip(x);
    if (*x->at == '%' || *x->at == ')')
        xg_mlir_args(x, args, dicts);
    else {
        xg_mlir_types declared = {NULL, 0, 0};
        xg_mlir_type_list(x, ")", &declared);
    }
}
XG_FN void xg_mlir_form_func(xg_mlir *x, xg_mlir_making *o) {
    xg_ir_region *r = xg_mlir_regions(x, o->op, 1);
    xg_ir_values args = {NULL, 0, 0};
    xg_mlir_attrs arg_attrs = {NULL, 0, 0}, res_attrs = {NULL, 0, 0};
    xg_mlir_types in = {NULL, 0, 0}, out = {NULL, 0, 0};
    xg_ir_attr *type;
    uint32_t height = x->undo.n, k;
    const char *head;
    if (xg_mlir_at_word(x)) xg_mlir_add_text(x, o, "sym_visibility", xg_mlir_word(x, "a visibility"));
    xg_mlir_add_text(x, o, "sym_name", xg_mlir_symbol(x));
    r->from = x->ir->serial;
    xg_mlir_func_args(x, &args, &arg_attrs);
    xg_mlir_set_args(r, &args);
    for (k = 0; k < args.n; k++) xg_push(x->ir->arena, const xg_ir_type *, &in, args.p[k]->type);
    xg_mlir_skip(x);
    head = x->at;
    if (xg_mlir_take(x, "->")) xg_mlir_func_results(x, &out, &res_attrs);
    type = xg_ir_attr_new(x->ir, XG_IR_TYPE, XG_STR(""));
    type->type = xg_ir_type_function(x->ir, in.p, in.n, out.p, out.n);
    xg_mlir_add_attr(x, o, XG_STR("function_type"), type);
    xg_mlir_add_attr(x, o, XG_STR("arg_attrs"), xg_mlir_dicts(x, &arg_attrs));
    xg_mlir_add_attr(x, o, XG_STR("res_attrs"), xg_mlir_dicts(x, &res_attrs));
    if (xg_mlir_take_word(x, "attributes")) xg_mlir_attr_dict(x, o);
    if (xg_mlir_take(x, "{")) {
        xg_mlir_enter(x);
        xg_mlir_body(x, r);
        if (r->last && !r->last->n_results)
            xg_mlir_check_types(x, "result", r->last->operands, r->last->n_operands, head, &out);
        x->depth--;
    }
    xg_mlir_forget(x, height);
}

/* ---- while, reduce ---- */

/* (%a = %init, ...) : types attributes {...} cond { ... } do { ... } */
XG_FN void xg_mlir_form_while(xg_mlir *x, xg_mlir_making *o) {
    xg_ir_region *r = xg_mlir_regions(x, o->op, 2);
    xg_mlir_strs names = {NULL, 0, 0};
    uint32_t k, j;
    xg_mlir_want(x, "(", "and the state");
    if (!xg_mlir_take(x, ")")) {
        do {
            xg_str name = xg_mlir_value_name(x);
            xg_push(x->ir->arena, xg_str, &names, name);
            xg_mlir_want(x, "=", "and the initial value");
            xg_mlir_add_operand(x, o);
        } while (xg_mlir_take(x, ","));
        xg_mlir_want(x, ")", "behind the state");
    }
    if (xg_mlir_take(x, ":"))
        xg_mlir_op_types(x, o);
    else
        xg_ir_results(x->ir, o->op, NULL, 0);
    if (o->op->n_results != names.n) xg_mlir_expected(x, "as many types as there are values in the state");
    if (xg_mlir_take_word(x, "attributes")) xg_mlir_attr_dict(x, o);
    for (k = 0; k < 2; k++) {
        xg_ir_values args = {NULL, 0, 0};
        uint32_t height = x->undo.n;
        if (!xg_mlir_take_word(x, k ? "do" : "cond")) xg_mlir_expected(x, k ? "'do'" : "'cond'");
        r[k].from = x->ir->serial;
        for (j = 0; j < names.n; j++) {
            xg_ir_value *v = XG_NEW(x->ir->arena, xg_ir_value);
            xg_ir_value_init(x->ir, v, o->op->results[j].type, NULL);
            xg_push(x->ir->arena, xg_ir_value *, &args, v);
            xg_mlir_define(x, names.p[j], v, 1);
        }
        xg_mlir_set_args(&r[k], &args);
        xg_mlir_want(x, "{", "and the operations");
        xg_mlir_enter(x);
        xg_mlir_body(x, &r[k]);
        x->depth--;
        xg_mlir_forget(x, height);
    }
}
XG_FN const xg_ir_type *xg_mlir_element_type(xg_mlir *x, const xg_ir_type *t) { /* a scalar tensor of its elements */
    xg_ir_type *e = (xg_ir_type *)(uintptr_t)xg_ir_type_array(x->ir, t->element, NULL, 0, NULL);
    e->quant = t->quant;
    return e;
}
/* `applies stablehlo.add`: the region that it stands for. */
XG_FN void xg_mlir_reduce_applies(xg_mlir *x, xg_mlir_making *o, xg_str name) {
    xg_ir_region *r = xg_mlir_regions(x, o->op, 1);
    xg_ir_op *op = xg_ir_op_new(x->ir, name, o->op->at), *back = xg_ir_op_new(x->ir, XG_STR("stablehlo.return"), 0);
    const xg_ir_type *t;
    uint32_t k;
    if (!o->op->n_results) xg_mlir_expected(x, "the type of the result");
    if (o->operands.n < 2 || o->operands.p[1]->type->kind != XG_IR_ARRAY)
        xg_mlir_fail(x, x->at, NULL, "a reduction of what is no tensor");
    t = xg_mlir_element_type(x, o->operands.p[1]->type); /* the initial value: it is never open */
    r->from = x->ir->serial;
    r->n_blocks = 1;
    r->n_args = 2;
    r->args = XG_NEW_N(x->ir->arena, xg_ir_value *, 2);
    for (k = 0; k < 2; k++) {
        r->args[k] = XG_NEW(x->ir->arena, xg_ir_value);
        xg_ir_value_init(x->ir, r->args[k], t, NULL);
    }
    op->operands = r->args;
    op->n_operands = 2;
    xg_ir_results(x->ir, op, &t, 1);
    back->operands = XG_NEW(x->ir->arena, xg_ir_value *);
    back->operands[0] = op->results;
    back->n_operands = 1;
    xg_ir_append(r, op);
    xg_ir_append(r, back);
    r->to = x->ir->serial;
}
/* reducer(%acc: t, %elt: t) (..) { ... }: accumulators first, then elements */
XG_FN void xg_mlir_reduce_body(xg_mlir *x, xg_mlir_making *o, uint32_t n) {
    xg_ir_region *r = xg_mlir_regions(x, o->op, 1);
    xg_ir_values args = {NULL, 0, 0};
    uint32_t height = x->undo.n, k;
    if (!xg_mlir_take_word(x, "reducer")) xg_mlir_expected(x, "'reducer'");
    r->from = x->ir->serial;
    for (k = 0; k < n; k++) {
        xg_mlir_want(x, "(", "and the reducer's arguments");
        xg_mlir_args(x, &args, NULL);
        if (args.n != 2 * (k + 1)) xg_mlir_expected(x, "two arguments for each input of the reduction");
    }
    r->n_args = 2 * n;
    r->args = XG_NEW_N(x->ir->arena, xg_ir_value *, 2 * (size_t)n + 1);
    for (k = 0; k < n; k++) {
        r->args[k] = args.p[2 * k];
        r->args[n + k] = args.p[2 * k + 1];
    }
    xg_mlir_want(x, "{", "and the reducer's operations");
    xg_mlir_enter(x);
    xg_mlir_body(x, r);
    x->depth--;
    xg_mlir_forget(x, height);
}
/* (%x init: %i), (..) [applies op] across dimensions = [..] {..} : types [reducer..] */
XG_FN void xg_mlir_form_reduce(xg_mlir *x, xg_mlir_making *o) {
    xg_ir_values inits = {NULL, 0, 0};
    xg_str applies = XG_STR("");
    uint32_t k, n;
    do {
        xg_ir_value *init;
        xg_mlir_want(x, "(", "and the input");
        xg_mlir_add_operand(x, o);
        if (!xg_mlir_take_word(x, "init")) xg_mlir_expected(x, "'init:'");
        xg_mlir_want(x, ":", "and the initial value");
        init = xg_mlir_use(x);
        xg_push(x->ir->arena, xg_ir_value *, &inits, init);
        xg_mlir_want(x, ")", NULL);
    } while (xg_mlir_take(x, ","));
    n = o->operands.n;
    for (k = 0; k < n; k++) xg_push(x->ir->arena, xg_ir_value *, &o->operands, inits.p[k]);
    if (xg_mlir_take_word(x, "applies")) applies = xg_mlir_word(x, "an operation");
    if (!xg_mlir_take_word(x, "across")) xg_mlir_expected(x, "'across dimensions ='");
    if (!xg_mlir_take_word(x, "dimensions")) xg_mlir_expected(x, "'dimensions ='");
    xg_mlir_want(x, "=", "and the dimensions");
    xg_mlir_add_attr(x, o, XG_STR("dimensions"), xg_mlir_attr(x));
    xg_mlir_attr_dict(x, o);
    xg_mlir_want(x, ":", "and the types");
    xg_mlir_op_types(x, o);
    if (applies.n)
        xg_mlir_reduce_applies(x, o, applies);
    else
        xg_mlir_reduce_body(x, o, n);
}

/* ---- sdy ---- */

XG_FN void xg_mlir_form_mesh(xg_mlir *x, xg_mlir_making *o) { /* @name = <["a"=2, "b"=4]> */
    xg_mlir_add_text(x, o, "sym_name", xg_mlir_symbol(x));
    xg_mlir_want(x, "=", "and the mesh");
    xg_mlir_add_attr(x, o, XG_STR("mesh"), xg_mlir_attr(x));
    xg_mlir_attr_dict(x, o);
}
/* (%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%arg: t) { ... } : types */
XG_FN void xg_mlir_form_manual(xg_mlir *x, xg_mlir_making *o) {
    xg_ir_region *r = xg_mlir_regions(x, o->op, 1);
    xg_ir_values args = {NULL, 0, 0};
    uint32_t height = x->undo.n;
    xg_mlir_want(x, "(", "and the operands");
    if (!xg_mlir_take(x, ")")) {
        do xg_mlir_add_operand(x, o);
        while (xg_mlir_take(x, ","));
        xg_mlir_want(x, ")", "behind the operands");
    }
    while (xg_mlir_at_word(x)) {
        xg_str key = xg_mlir_word(x, "the name of an attribute");
        const char *from;
        xg_mlir_want(x, "=", NULL);
        xg_mlir_skip(x);
        from = x->at;
        xg_mlir_add_attr(x, o, key, xg_mlir_raw(x, from));
    }
    r->from = x->ir->serial;
    xg_mlir_want(x, "(", "and the body's arguments");
    xg_mlir_args(x, &args, NULL);
    xg_mlir_set_args(r, &args);
    xg_mlir_want(x, "{", "and the operations");
    xg_mlir_enter(x);
    xg_mlir_body(x, r);
    x->depth--;
    xg_mlir_forget(x, height);
    xg_mlir_want(x, ":", "and the types");
    xg_mlir_op_types(x, o);
}

/* ---- operations ---- */

XG_FN void xg_mlir_result_names(xg_mlir *x, xg_mlir_making *o) { /* %a, %b:2 = */
    if (*x->at != '%') return;
    do {
        xg_mlir_result r;
        int64_t count = 1;
        r.name = xg_mlir_value_name(x);
        if (xg_mlir_take(x, ":") && (!xg_mlir_int(x, &count) || count < 1 || count > XG_IR_INTS_MAX))
            xg_mlir_expected(x, "a number of results");
        r.n = (uint32_t)count;
        o->n_results += r.n;
        if (o->n_results > XG_IR_INTS_MAX) xg_mlir_expected(x, "fewer results");
        xg_push(x->ir->arena, xg_mlir_result, &o->names, r);
    } while (xg_mlir_take(x, ","));
    xg_mlir_want(x, "=", "and an operation");
}
XG_FN void xg_mlir_define_results(xg_mlir *x, const xg_mlir_making *o, const char *at) {
    uint32_t k, n = 0;
    if (o->op->n_results != o->n_results && o->names.n)
        xg_mlir_fail(x, at, NULL, "%u names for %u results", o->n_results, o->op->n_results);
    for (k = 0; k < o->names.n; k++) {
        xg_mlir_define(x, o->names.p[k].name, o->op->results + n, o->names.p[k].n);
        n += o->names.p[k].n;
    }
}
XG_NORETURN XG_FN void xg_mlir_unknown(xg_mlir *x, const char *at, xg_str name) {
    char hint[160];
    xg_str bare = name;
    const char *like;
    const char *way_out, *foreign = xg_ir_foreign(name, &way_out);
    if (foreign)
        xg_mlir_fail(x, at, way_out, "'%.*s' is an operation of %s, not of StableHLO", (int)XG_MIN(name.n, 80u), name.p,
            foreign);
    if (name.n > 10 && memcmp(name.p, "stablehlo.", 10) == 0) bare = xg_str_of(name.p + 10, name.n - 10);
    like = xg_nearest(bare, xg_text_nth, xg_ir_names);
    if (like) xg_format(hint, sizeof hint, "did you mean '%s%s'?", strchr(like, '.') ? "" : "stablehlo.", like);
    xg_mlir_fail(
        x, at, like ? hint : NULL, "'%.*s' is not an operation that is read", (int)XG_MIN(name.n, 80u), name.p);
}
XG_FN void xg_mlir_pretty(xg_mlir *x, xg_mlir_making *o, const char *at) {
    XG_TABLE const uint8_t forms[] = {
#define X(name, form, lower, opcode) XG_IR_FORM_##form,
        XG_IR_OPS(X)
#undef X
    };
    if (o->op->row < 0) xg_mlir_unknown(x, at, o->op->name);
    switch (forms[o->op->row]) {
#define X(form) \
    case XG_IR_FORM_##form: xg_mlir_form_##form(x, o); break;
        XG_IR_FORMS(X)
#undef X
    default: break;
    }
}
XG_FN xg_str xg_mlir_op_name(xg_mlir *x) { /* functions' and modules' operations may go without their dialect */
    xg_str w = xg_mlir_word(x, "an operation");
    if (memchr(w.p, '.', w.n)) return w;
    if (xg_str_is(w, "module")) return XG_STR("builtin.module");
    return xg_mlir_joined(x, "func.", w);
}
XG_APART XG_FN void xg_mlir_begin(xg_mlir_making *o) {
    o->op = NULL;
    o->operands.p = o->few_operands;
    o->attrs.p = o->few_attrs;
    o->names.p = o->few_names;
    o->operands.n = o->attrs.n = o->names.n = o->n_results = o->words = 0;
    o->operands.cap = o->attrs.cap = o->names.cap = XG_MLIR_FEW;
}
XG_FN void *xg_mlir_kept(xg_mlir *x, const void *p, size_t n) { /* a copy; of nothing: NULL */
    return n ? memcpy(xg_alloc_raw(x->ir->arena, n), p, n) : NULL;
}
XG_FN void xg_mlir_finish(xg_mlir *x, xg_mlir_making *o) {
    o->op->n_operands = o->operands.n;
    o->op->n_attrs = o->attrs.n;
    o->op->operands = o->operands.p != o->few_operands
                          ? o->operands.p
                          : (xg_ir_value **)xg_mlir_kept(x, o->few_operands, o->operands.n * sizeof *o->few_operands);
    o->op->attrs = o->attrs.p != o->few_attrs
                       ? o->attrs.p
                       : (const xg_ir_named *)xg_mlir_kept(x, o->few_attrs, o->attrs.n * sizeof *o->few_attrs);
    o->op->loc = xg_mlir_loc(x);
}
XG_FN void xg_mlir_op(xg_mlir *x, xg_ir_region *r) {
    xg_mlir_making o;
    const char *at, *start;
    bool generic;
    xg_mlir_begin(&o);
    xg_mlir_skip(x);
    start = x->at;
    xg_mlir_result_names(x, &o);
    xg_mlir_skip(x);
    at = x->at;
    generic = *at == '"';
    o.op = xg_ir_op_new(x->ir, generic ? xg_mlir_string(x) : xg_mlir_op_name(x), (uint32_t)(at - x->base) + 1);
    if (generic)
        xg_mlir_generic(x, &o);
    else
        xg_mlir_pretty(x, &o, at);
    xg_mlir_finish(x, &o);
    xg_mlir_define_results(x, &o, start);
    xg_ir_append(r, o.op);
}

/* ---- the file ---- */

XG_FN void xg_mlir_skip_definition(xg_mlir *x) { /* of an alias: to the end of the line, brackets whole */
    while (x->at < x->end && *x->at != '\n') {
        char c = *x->at;
        if (c == '"')
            x->at = xg_mlir_string_end(x) + 1;
        else if (c == '(' || c == '[' || c == '{' || c == '<')
            (void)xg_mlir_balanced(x);
        else if (c == '/' && x->at[1] == '/')
            xg_mlir_skip(x);
        else
            x->at++;
    }
}
XG_FN void xg_mlir_file(xg_mlir *x) {
    for (;;) {
        xg_mlir_skip(x);
        if (x->at >= x->end || strncmp(x->at, "{-#", 3) == 0) break;
        if (*x->at == '#' || *x->at == '!')
            xg_mlir_skip_definition(x);
        else
            xg_mlir_op(x, &x->ir->top);
    }
    x->ir->top.to = x->ir->serial;
    if (!x->ir->top.first) xg_mlir_fail(x, x->at, "a module starts with 'module {'", "the text has no operations");
}
XG_APART XG_FN xg_ir *xg_mlir_read(xg_ctx *c, xg_arena *a, const xg_source *src) {
    xg_mlir x;
    const void *nul = memchr(src->text, 0, src->size);
    memset(&x, 0, sizeof x);
    x.ir = xg_ir_new(c, a, src, "module");
    x.base = x.at = src->text;
    x.end = src->text + src->size;
    if (nul)
        xg_fail_at(c, XLAGPU_ERROR_SYNTAX, src, (size_t)((const char *)nul - src->text), "save it as text in UTF-8",
            "a NUL byte in the text");
    xg_dict_init(&x.names, a);
    xg_dict_init(&x.types, a);
    xg_dict_init(&x.aliases, a);
    xg_dict_init(&x.resources, a);
    xg_dict_init(&x.locs, a);
    xg_dict_init(&x.known_attrs, a);
    xg_dict_init(&x.known_types, a);
    xg_mlir_find_aliases(&x);
    xg_mlir_find_resources(&x);
    x.at = x.base;
    xg_mlir_file(&x);
    return x.ir;
}

#endif /* XG_IMPORT_MLIR_OP_C */
