/* sched/parse.c -- reads what text.c writes: the grammar stands there. Computations and instructions of scalars are
 * read by HLO's own reader, expressions by that of indexing maps. */
#ifndef XG_SCHED_PARSE_C
#define XG_SCHED_PARSE_C
#include "sched.h"
#include "../hlo/text.h"
#include "text.c"
#include "nest.c"

typedef struct xg_ndeclared {
    xg_nstmt *block;
    bool writes;
    size_t at;
    xg_nregions regions;
} xg_ndeclared;
typedef struct xg_nparse {
    xg_parse *p;
    xg_lex *x;
    xg_loopnest *n;
    const xg_source *src;
    uint32_t depth;
    XG_VEC(xg_ndeclared) declared; /* regions: checked when the whole nest is there */
} xg_nparse;

XG_FN bool xg_nparse_word(xg_nparse *r, const char *word) {
    if (!xg_lex_is(r->x, word)) return false;
    xg_lex_next(r->x);
    return true;
}
XG_FN void xg_nparse_expect_word(xg_nparse *r, const char *word) {
    if (!xg_nparse_word(r, word)) xg_lex_fail(r->x, NULL, "expected '%s', but got %s", word, xg_lex_found(r->x));
}
XG_FN xg_str xg_nparse_name(xg_nparse *r, const char *what) {
    xg_str s = xg_lex_text(r->x);
    if (r->x->kind != XG_TOK_WORD && r->x->kind != XG_TOK_NAME)
        xg_lex_fail(r->x, NULL, "expected %s, but got %s", what, xg_lex_found(r->x));
    s = xg_str_copy(r->n->arena, s);
    xg_lex_next(r->x);
    return s;
}
XG_FN int64_t xg_nparse_extent(xg_nparse *r, const char *what) {
    size_t at = xg_lex_offset(r->x);
    int64_t v = xg_lex_int(r->x, what);
    if (v < 1 || v > INT64_MAX / 4) xg_lex_wrong_at(r->x, at, "%s is at least 1, and not as large as that", what);
    return v;
}
/* Of the variables of the nest that have names there. */
XG_FN const xg_aff *xg_nparse_expr(xg_nparse *r, const xg_imap *names) {
    xg_aff_reader read = xg_aff_reader_new(r->n->aff, r->src, xg_lex_offset(r->x));
    const xg_aff *e;
    size_t at;
    uint32_t k;
    for (k = 0; k < names->n_dims; k++)
        (void)xg_dict_put(&read.names, names->dims[k].name, (void *)xg_aff_dim(r->n->aff, k));
    e = xg_aff_read_sum(&read);
    at = read.at;
    if (!e) xg_lex_fail(r->x, NULL, "the expression is too large");
    xg_lex_restart(r->x, at);
    return e;
}
XG_FN const xg_constraint *xg_nparse_domain(xg_nparse *r, const xg_imap *names, uint32_t *n) {
    XG_VEC(xg_constraint) v = {NULL, 0, 0};
    do {
        xg_constraint c;
        memset(&c, 0, sizeof c);
        c.expr = xg_nparse_expr(r, names);
        xg_nparse_expect_word(r, "in");
        xg_lex_expect(r->x, '[', "'[' before an interval");
        c.range.lo = xg_lex_int(r->x, "the interval's lower end");
        xg_lex_expect(r->x, ',', "',' between the ends of an interval");
        c.range.hi = xg_lex_int(r->x, "the interval's upper end");
        xg_lex_expect(r->x, ']', "']' behind an interval");
        xg_push(r->n->arena, xg_constraint, &v, c);
    } while (xg_nparse_word(r, "and"));
    *n = v.n;
    return v.p;
}
XG_FN const xg_literal *xg_nparse_literal(xg_nparse *r, xlagpu_type t) {
    size_t at = xg_lex_offset(r->x);
    const xg_literal *l = xg_literal_parse(r->n->ctx, r->n->arena, r->src, &at, xg_shape_scalar(r->n->module, t));
    xg_lex_restart(r->x, at);
    return l;
}
XG_FN xg_nbuf *xg_nparse_param(xg_nparse *r) {
    size_t at = xg_lex_offset(r->x);
    xg_str name = xg_nparse_name(r, "the name of a buffer");
    const xg_shape *s;
    if (xg_nest_find_buf(r->n, name))
        xg_lex_wrong_at(r->x, at, "'%.*s' is already the name of a buffer", (int)name.n, name.p);
    xg_lex_expect(r->x, ':', "':' after a buffer's name");
    at = xg_lex_offset(r->x);
    s = xg_parse_shape(r->p, false);
    if (!xg_shape_is_array(s) || s->dynamic || s->elements == 0)
        xg_lex_wrong_at(r->x, at, "a buffer is an array of fixed size");
    return xg_nest_buf(r->n, name, s->type, s->dims, s->rank, XG_NS_GLOBAL);
}
XG_FN void xg_nparse_params(xg_nparse *r, bool outputs) {
    xg_lex_expect(r->x, '(', "'(' before the parameters");
    while (r->x->kind != ')') {
        xg_nbuf *b = xg_nparse_param(r);
        b->param = true;
        b->output = outputs;
        if (!xg_lex_take(r->x, ',')) break;
    }
    xg_lex_expect(r->x, ')', "')' behind the parameters");
}
XG_FN void xg_nparse_alloc(xg_nparse *r) {
    xg_nbuf *b = xg_nparse_param(r);
    XG_VEC(xg_naligned) aligned = {NULL, 0, 0};
    xg_str scope;
    uint32_t k;
    size_t at;
    xg_nparse_expect_word(r, "in");
    at = xg_lex_offset(r->x);
    scope = xg_nparse_name(r, "a scope");
    for (k = 0; k < XG_NS_COUNT && !xg_str_is(scope, xg_nscope_text((xg_nscope)k)); k++) {}
    if (k == XG_NS_COUNT)
        xg_lex_fail_at(r->x, at, "global, shared, warp or local", "no scope is called '%.*s'", (int)scope.n, scope.p);
    b->scope = (xg_nscope)k;
    b->padded = xg_nparse_word(r, "padded");
    if (xg_nparse_word(r, "at")) {
        at = xg_lex_offset(r->x);
        b->place = xg_lex_int(r->x, "where it begins");
        b->placed = true;
        if (b->scope != XG_NS_SHARED || b->place < 0 || b->place > INT32_MAX)
            xg_lex_wrong_at(r->x, at, "only arrays in shared memory begin at a place of it");
    }
    while (xg_nparse_word(r, "align")) {
        xg_naligned a;
        memset(&a, 0, sizeof a);
        xg_lex_expect(r->x, '(', "'('");
        at = xg_lex_offset(r->x);
        a.axis = (uint32_t)xg_lex_int(r->x, "the axis");
        xg_lex_expect(r->x, ',', "','");
        a.factor = xg_lex_int(r->x, "the factor");
        xg_lex_expect(r->x, ',', "','");
        a.offset = xg_lex_int(r->x, "the offset");
        xg_lex_expect(r->x, ')', "')'");
        if (a.axis >= b->rank || a.factor < 1 || a.offset < 0 || a.factor > INT32_MAX || a.offset > INT32_MAX)
            xg_lex_wrong_at(r->x, at, "no such alignment: an axis, a factor of at least 1, an offset");
        xg_push(r->n->arena, xg_naligned, &aligned, a);
    }
    b->aligned = aligned.p;
    b->n_aligned = aligned.n;
}

/* ---- a block's body ---- */

typedef XG_VEC(xg_narg) xg_narg_vec;

XG_FN const xg_aff **xg_nparse_indices(xg_nparse *r, const xg_nbuf *b, const xg_imap *names) {
    const xg_aff **at = XG_NEW_N(r->n->arena, const xg_aff *, b->rank);
    uint32_t k;
    xg_lex_expect(r->x, '[', "'[' after a buffer's name");
    for (k = 0; k < b->rank; k++) {
        if (k) xg_lex_expect(r->x, ',', "',' between indices");
        at[k] = xg_nparse_expr(r, names);
    }
    xg_lex_expect(r->x, ']', "']' behind the indices");
    return at;
}
XG_FN void xg_nparse_define(xg_nparse *r, xg_str name, size_t at, xg_inst *i) {
    if (!xg_dict_put(&r->p->comp->names, name, i))
        xg_lex_wrong_at(r->x, at, "'%.*s' is already the name of a value", (int)name.n, name.p);
    xg_inst_take_name(i);
}
/* A parameter of the body: what one argument of the block gives. */
XG_FN void xg_nparse_arg(xg_nparse *r, xg_narg_vec *args, const xg_narg *a, xg_str name, size_t at) {
    xg_inst *i = xg_inst_make(r->p->comp, XG_PARAMETER, xg_shape_scalar(r->n->module, a->type), NULL, 0, NULL);
    i->number = args->n;
    i->source_at = (uint32_t)at + 1;
    xg_nparse_define(r, name, at, i);
    xg_push(r->n->arena, xg_narg, args, *a);
}
XG_FN void xg_nparse_read(xg_nparse *r, xg_narg_vec *args, xg_nbuf *buf, xg_str name, size_t at, const xg_imap *names) {
    xg_narg a;
    memset(&a, 0, sizeof a);
    a.kind = XG_NA_LOAD;
    a.type = buf->type;
    a.buf = buf;
    a.at = xg_nparse_indices(r, buf, names);
    if (xg_nparse_word(r, "if")) {
        a.where = xg_nparse_domain(r, names, &a.n_where);
        xg_nparse_expect_word(r, "else");
        a.value = xg_nparse_literal(r, buf->type);
    }
    xg_nparse_arg(r, args, &a, name, at);
}
XG_FN void xg_nparse_index(xg_nparse *r, xg_narg_vec *args, xg_str name, size_t at, const xg_imap *names) {
    xg_narg a;
    xg_str type = xg_nparse_name(r, "an integer type");
    memset(&a, 0, sizeof a);
    a.kind = XG_NA_INDEX;
    a.type = xg_type_find(type);
    if (!(xg_type_class(a.type) & XGT_I))
        xg_lex_wrong_at(r->x, at, "an index is an integer, not '%.*s'", (int)type.n, type.p);
    xg_lex_expect(r->x, '(', "'('");
    a.at = XG_NEW(r->n->arena, const xg_aff *);
    a.at[0] = xg_nparse_expr(r, names);
    xg_lex_expect(r->x, ')', "')'");
    xg_nparse_arg(r, args, &a, name, at);
}
/* Of that type, the operation of two operands alone. */
XG_FN xg_comp *xg_nest_combiner(xg_loopnest *n, xg_opcode op, xlagpu_type t) {
    xg_comp *c = xg_comp_new(n->module, xg_str_z(xg_op_name(op)), NULL);
    const xg_shape *s = xg_shape_scalar(n->module, t);
    xg_inst *in[2];
    in[0] = xg_comp_add_param(c, s, XG_STR("x"));
    in[1] = xg_comp_add_param(c, s, XG_STR("y"));
    c->root = xg_inst_new(c, op, s, in, 2, NULL, XG_STR(""));
    return c;
}
XG_FN xg_comp *xg_nparse_combine(xg_nparse *r, const xg_nblock *b) {
    size_t at = xg_lex_offset(r->x);
    xg_str name = xg_nparse_name(r, "a combiner");
    xg_comp *c = (xg_comp *)xg_dict_get(&r->n->module->comp_names, name);
    static const xg_opcode single[] = {XG_ADD, XG_MULTIPLY, XG_MAXIMUM, XG_MINIMUM, XG_AND, XG_OR, XG_XOR};
    uint32_t k;
    for (k = 0; k < XG_COUNT(single); k++)
        if ((!c || xg_eval_single(c) == single[k]) && b->n_outs == 1 && xg_str_is(name, xg_op_name(single[k])))
            return xg_nest_combiner(r->n, single[k], b->outs[0].buf->type);
    if (!c)
        xg_lex_fail_at(r->x, at, "add, multiply, maximum, minimum, and, or, xor, or a computation in front of the nest",
            "no combiner of %u results is called '%.*s'", b->n_outs, (int)name.n, name.p);
    if (c->n_params != 2 * b->n_outs)
        xg_lex_wrong_at(r->x, at, "'%.*s' does not combine %u results", (int)name.n, name.p, b->n_outs);
    for (k = 0; k < c->n_params; k++)
        if (c->params[k]->shape->plain != xg_shape_scalar(r->n->module, b->outs[k % b->n_outs].buf->type)->plain)
            xg_lex_wrong_at(r->x, at, "parameter %u of '%.*s' is not of the result's type", k, (int)name.n, name.p);
    return c;
}
XG_FN void xg_nparse_stores(
    xg_nparse *r, xg_nblock *b, const xg_imap *names, const xg_str *inits, uint32_t n_inits, size_t init_at) {
    XG_VEC(xg_nout) outs = {NULL, 0, 0};
    XG_VEC(xg_inst *) values = {NULL, 0, 0};
    size_t at;
    uint32_t k;
    do {
        xg_nout o;
        xg_str name;
        memset(&o, 0, sizeof o);
        at = xg_lex_offset(r->x);
        name = xg_nparse_name(r, "a buffer to write to");
        o.buf = xg_nest_find_buf(r->n, name);
        if (!o.buf) xg_lex_wrong_at(r->x, at, "no buffer is called '%.*s'", (int)name.n, name.p);
        o.at = xg_nparse_indices(r, o.buf, names);
        xg_push(r->n->arena, xg_nout, &outs, o);
    } while (xg_lex_take(r->x, ','));
    b->outs = outs.p;
    b->n_outs = outs.n;
    if (r->x->kind != '=') b->combine = xg_nparse_combine(r, b);
    xg_lex_expect(r->x, '=', "'=' before what is written");
    do {
        xg_inst *i;
        at = xg_lex_offset(r->x);
        i = xg_parse_inst_ref(r->p);
        if (values.n < outs.n && i->shape->plain != xg_shape_scalar(r->n->module, outs.p[values.n].buf->type)->plain)
            xg_lex_wrong_at(r->x, at, "'%.*s' is not of the type of '%.*s'", (int)i->name.n, i->name.p,
                (int)outs.p[values.n].buf->name.n, outs.p[values.n].buf->name.p);
        xg_push(r->n->arena, xg_inst *, &values, i);
    } while (xg_lex_take(r->x, ','));
    if (values.n != outs.n) xg_lex_fail(r->x, NULL, "%u values for %u places", values.n, outs.n);
    b->body->root = values.p[0];
    if (outs.n > 1) {
        const xg_shape **shapes = XG_NEW_N(r->n->arena, const xg_shape *, outs.n);
        for (k = 0; k < outs.n; k++) shapes[k] = values.p[k]->shape;
        b->body->root = xg_inst_new(
            b->body, XG_TUPLE, xg_shape_tuple(r->n->module, shapes, outs.n), values.p, values.n, NULL, XG_STR(""));
    }
    if (!inits) return;
    if (!b->combine || n_inits != outs.n)
        xg_lex_wrong_at(r->x, init_at, "init has one value for each place that is updated");
    {
        const xg_literal **init = XG_NEW_N(r->n->arena, const xg_literal *, outs.n);
        for (k = 0; k < outs.n; k++) {
            size_t from = (size_t)(inits[k].p - r->src->text);
            init[k] = xg_literal_parse(
                r->n->ctx, r->n->arena, r->src, &from, xg_shape_scalar(r->n->module, outs.p[k].buf->type));
        }
        b->init = init;
    }
}
/* The texts of the values behind `init`, which are read once the types are known. */
XG_FN xg_str *xg_nparse_inits(xg_nparse *r, uint32_t *n) {
    XG_VEC(xg_str) v = {NULL, 0, 0};
    do {
        xg_str s;
        s.p = r->src->text + xg_lex_offset(r->x);
        if (r->x->kind == '(')
            (void)xg_lex_balanced(r->x);
        else {
            if (xg_lex_take(r->x, '-')) {}
            xg_lex_next(r->x);
        }
        s.n = 0;
        xg_push(r->n->arena, xg_str, &v, s);
    } while (xg_lex_take(r->x, ','));
    *n = v.n;
    return v.p;
}
/* Which threads combine what they have. */
XG_FN void xg_nparse_together(xg_nparse *r, xg_nblock *b) {
    if (xg_lex_peek(r->x) == '=') return;
    if (xg_nparse_word(r, "lanes")) {
        size_t at = xg_lex_offset(r->x);
        int64_t lanes = xg_lex_int(r->x, "a number of lanes");
        if (lanes < 1 || lanes > 32 || (lanes & (lanes - 1)))
            xg_lex_fail_at(r->x, at, "1, 2, 4, 8, 16 or 32", "groups of lanes are powers of two");
        b->lanes = (uint32_t)lanes;
    } else if (xg_nparse_word(r, "allreduce"))
        do {
            size_t at = xg_lex_offset(r->x);
            xg_str axis = xg_nparse_name(r, "a thread axis");
            uint32_t k;
            for (k = 0; k < 3 && !xg_str_is(axis, xg_nkind_text((xg_nkind)(XG_NK_THREAD_X + k))); k++) {}
            if (k == 3)
                xg_lex_fail_at(r->x, at, "threadIdx.x, threadIdx.y, threadIdx.z", "no thread axis is called '%.*s'",
                    (int)axis.n, axis.p);
            b->across |= 1u << k;
        } while (xg_lex_take(r->x, ','));
}
XG_FN void xg_nparse_body(xg_nparse *r, xg_nstmt *s) {
    xg_nblock *b = s->block;
    const xg_imap *names = xg_nest_names(r->n, s->parent, r->n->flat ? NULL : b);
    xg_narg_vec args;
    xg_str *inits = NULL;
    uint32_t n_inits = 0;
    size_t init_at = xg_lex_offset(r->x);
    memset(&args, 0, sizeof args);
    b->body = r->p->comp = xg_comp_make(r->n->module);
    xg_nparse_together(r, b);
    if (xg_nparse_word(r, "init")) inits = xg_nparse_inits(r, &n_inits);
    if (inits && r->n->flat && xg_nparse_word(r, "if")) b->begin = xg_nparse_domain(r, names, &b->n_begin);
    for (;;) {
        size_t at = xg_lex_offset(r->x);
        xg_str name;
        xg_nbuf *buf;
        if (xg_lex_peek(r->x) == '[') break;
        name = xg_nparse_name(r, "a value's name, or a buffer to write to");
        xg_lex_expect(r->x, '=', "'=' after a value's name");
        buf = r->x->kind == XG_TOK_WORD && xg_lex_peek(r->x) == '[' ? xg_nest_find_buf(r->n, xg_lex_text(r->x)) : NULL;
        if (buf) {
            xg_lex_next(r->x);
            xg_nparse_read(r, &args, buf, name, at, names);
        } else if (xg_nparse_word(r, "index"))
            xg_nparse_index(r, &args, name, at, names);
        else if (xg_nparse_word(r, "holds")) {
            xg_narg a;
            memset(&a, 0, sizeof a);
            a.kind = XG_NA_HOLDS;
            a.type = XLAGPU_PRED;
            xg_lex_expect(r->x, '(', "'('");
            a.where = xg_nparse_domain(r, names, &a.n_where);
            xg_lex_expect(r->x, ')', "')'");
            xg_nparse_arg(r, &args, &a, name, at);
        } else {
            xg_inst *i = xg_parse_rhs_inst(r->p, name, at, NULL, true);
            if (i->op == XG_PARAMETER || !xg_shape_is_scalar(i->shape))
                xg_lex_wrong_at(r->x, at, "'%.*s' is no scalar", (int)name.n, name.p);
            xg_nparse_define(r, name, at, i);
        }
    }
    xg_nparse_stores(r, b, names, inits, n_inits, init_at);
    xg_parse_finish_comp(r->p, b->body, 0);
    xg_comp_give_name(b->body, b->name);
    xg_comp_link(b->body, NULL);
    b->args = args.p;
    b->n_args = args.n;
}

/* ---- statements ---- */

XG_FN void xg_nparse_stmts(xg_nparse *r, xg_nstmt *parent);
XG_FN void xg_nparse_notes(xg_nparse *r, xg_nstmt *s) {
    XG_VEC(xg_nnote) v = {NULL, 0, 0};
    while (xg_nparse_word(r, "note")) {
        xg_nnote t;
        t.key = xg_lex_string(r->x, r->n->arena, "an annotation's key");
        xg_lex_expect(r->x, '=', "'=' after the key");
        t.value = xg_lex_string(r->x, r->n->arena, "an annotation's value");
        xg_push(r->n->arena, xg_nnote, &v, t);
    }
    s->notes = v.p;
    s->n_notes = v.n;
}
XG_FN void xg_nparse_loop(xg_nparse *r, xg_nstmt *parent) {
    size_t at = xg_lex_offset(r->x);
    xg_str name = xg_nparse_name(r, "a loop's variable"), kind;
    int64_t extent;
    uint32_t k = 0;
    xg_nstmt *s;
    if (xg_nest_var_taken(r->n, name))
        xg_lex_wrong_at(r->x, at, "'%.*s' is already the name of a variable", (int)name.n, name.p);
    xg_nparse_expect_word(r, "in");
    extent = xg_nparse_extent(r, "a loop's extent");
    if (xg_nparse_word(r, "at")) {
        at = xg_lex_offset(r->x);
        kind = xg_nparse_name(r, "a kind of loop");
        for (k = 0; k < XG_NK_COUNT && !xg_str_is(kind, xg_nkind_text((xg_nkind)k)); k++) {}
        if (k == XG_NK_COUNT)
            xg_lex_fail_at(r->x, at, "serial, parallel, vectorized, unrolled, blockIdx.x, threadIdx.x, vthread.x, ...",
                "no kind of loop is called '%.*s'", (int)kind.n, kind.p);
    }
    s = xg_nest_loop(r->n, xg_nest_var(r->n, name, extent), extent, (xg_nkind)k);
    xg_nstmt_append(parent, s);
    xg_lex_expect(r->x, '{', "'{' before a loop's body");
    xg_nparse_notes(r, s);
    xg_nparse_stmts(r, s);
    xg_lex_expect(r->x, '}', "'}' behind a loop's body");
}
XG_FN xg_niter xg_nparse_iter(xg_nparse *r, const xg_imap *names) {
    size_t at = xg_lex_offset(r->x);
    xg_str kind = xg_nparse_name(r, "S or R"), name;
    xg_niter i;
    memset(&i, 0, sizeof i);
    if (xg_word_in("S R", kind) < 0) xg_lex_wrong_at(r->x, at, "an iterator is S, spatial, or R, reduced");
    i.kind = kind.p[0];
    name = xg_nparse_name(r, "an iterator's name");
    xg_lex_expect(r->x, ':', "':' after an iterator's name");
    i.extent = xg_nparse_extent(r, "an iterator's extent");
    xg_lex_expect(r->x, '=', "'=' before what an iterator is bound to");
    i.binding = xg_nparse_expr(r, names);
    i.var = xg_nest_var_named(r->n, name, i.extent);
    return i;
}
/* One side of an interval, as base and number. */
XG_FN xg_nregion xg_nparse_region(xg_nparse *r, const xg_imap *names) {
    size_t at = xg_lex_offset(r->x);
    xg_str name = xg_nparse_name(r, "a buffer");
    xg_aff_env env = xg_nest_env(r->n);
    xg_nregion g;
    uint32_t d;
    memset(&g, 0, sizeof g);
    g.buf = xg_nest_find_buf(r->n, name);
    if (!g.buf) xg_lex_wrong_at(r->x, at, "no buffer is called '%.*s'", (int)name.n, name.p);
    g.dims = XG_NEW_N(r->n->arena, xg_nshare, g.buf->rank);
    xg_lex_expect(r->x, '[', "'[' after a buffer's name");
    for (d = 0; d < g.buf->rank; d++) {
        const xg_aff *apart = NULL, *hi;
        if (d) xg_lex_expect(r->x, ',', "',' between indices");
        at = xg_lex_offset(r->x);
        g.dims[d].base = xg_nparse_expr(r, names);
        if (!xg_lex_take(r->x, ':')) continue;
        hi = xg_nparse_expr(r, names);
        apart = xg_aff_add_scaled(&env, hi, g.dims[d].base, -1);
        if (!apart || apart->kind != XG_AFF_CONST || apart->k < 1)
            xg_lex_wrong_at(r->x, at, "the ends of an interval are a number of at least 1 apart");
        g.dims[d].hi = apart->k - 1;
    }
    xg_lex_expect(r->x, ']', "']' behind the indices");
    return g;
}
XG_FN void xg_nparse_regions(xg_nparse *r, xg_nstmt *s) {
    static const char words[][7] = {"reads", "writes"};
    const xg_imap *names = xg_nest_names(r->n, s->parent, s->block);
    uint32_t k;
    if (!xg_lex_is(r->x, "reads") || xg_lex_peek(r->x) == '=') return;
    s->block->regions = true;
    for (k = 0; k < 2; k++) {
        xg_ndeclared d;
        memset(&d, 0, sizeof d);
        d.block = s;
        d.writes = k == 1;
        d.at = xg_lex_offset(r->x);
        xg_nparse_expect_word(r, words[k]);
        while (r->x->kind == XG_TOK_WORD && xg_lex_peek(r->x) == '[' && !(k == 0 && xg_lex_is(r->x, "writes"))) {
            xg_nregion g = xg_nparse_region(r, names);
            xg_push(r->n->arena, xg_nregion, &d.regions, g);
            if (!xg_lex_take(r->x, ',')) break;
        }
        xg_push(r->n->arena, xg_ndeclared, &r->declared, d);
    }
}
/* What is declared covers what the block touches, and nothing else. */
XG_FN void xg_nparse_check_regions(xg_nparse *r) {
    uint32_t k, j, i;
    for (k = 0; k < r->declared.n; k++) {
        const xg_ndeclared *d = &r->declared.p[k];
        const char *does = d->writes ? "writes" : "reads";
        xg_nregions own;
        xg_nest_regions_of(r->n, d->block, d->writes, &own);
        for (j = 0; j < own.n; j++) {
            for (i = 0; i < d->regions.n && d->regions.p[i].buf != own.p[j].buf; i++) {}
            if (i == d->regions.n || !xg_nregion_covers(r->n, &d->regions.p[i], &own.p[j]))
                xg_lex_wrong_at(r->x, d->at, "'%.*s' %s more of '%.*s' than is declared", (int)d->block->block->name.n,
                    d->block->block->name.p, does, (int)own.p[j].buf->name.n, own.p[j].buf->name.p);
        }
        for (i = 0; i < d->regions.n; i++) {
            for (j = 0; j < own.n && own.p[j].buf != d->regions.p[i].buf; j++) {}
            if (j == own.n)
                xg_lex_wrong_at(r->x, d->at, "'%.*s' does not do that: it %s nothing of '%.*s'",
                    (int)d->block->block->name.n, d->block->block->name.p, does, (int)d->regions.p[i].buf->name.n,
                    d->regions.p[i].buf->name.p);
        }
    }
}
XG_FN void xg_nparse_block(xg_nparse *r, xg_nstmt *parent) {
    size_t at = xg_lex_offset(r->x);
    xg_str name = xg_nparse_name(r, "a block's name");
    XG_VEC(xg_niter) iters = {NULL, 0, 0};
    const xg_imap *names = xg_nest_names(r->n, parent, NULL);
    xg_nstmt *s;
    if (xg_nest_find(r->n, name))
        xg_lex_wrong_at(r->x, at, "'%.*s' is already the name of a block", (int)name.n, name.p);
    s = xg_nest_block(r->n, name);
    xg_nstmt_append(parent, s);
    xg_lex_expect(r->x, '(', "'(' before a block's iterators");
    while (r->x->kind != ')') {
        xg_niter i = xg_nparse_iter(r, names);
        xg_push(r->n->arena, xg_niter, &iters, i);
        if (!xg_lex_take(r->x, ',')) break;
    }
    xg_lex_expect(r->x, ')', "')' behind a block's iterators");
    s->block->iters = iters.p;
    s->block->n_iters = iters.n;
    if (xg_nparse_word(r, "where")) s->block->where = xg_nparse_domain(r, names, &s->block->n_where);
    xg_lex_expect(r->x, '{', "'{' before a block's body");
    xg_nparse_notes(r, s);
    if (xg_lex_is(r->x, "intrinsic") && xg_lex_peek(r->x) != '=') {
        xg_lex_next(r->x);
        s->block->intrinsic = xg_nparse_name(r, "an operation");
    }
    xg_nparse_regions(r, s);
    if (xg_lex_is(r->x, "for") || xg_lex_is(r->x, "block") || xg_lex_is(r->x, "sync"))
        xg_nparse_stmts(r, s);
    else
        xg_nparse_body(r, s);
    xg_lex_expect(r->x, '}', "'}' behind a block's body");
}
XG_FN void xg_nparse_stmts(xg_nparse *r, xg_nstmt *parent) {
    if (++r->depth > XG_NEST_DEPTH_MAX)
        xg_lex_fail(r->x, NULL, "loops and blocks are nested more than %d deep", XG_NEST_DEPTH_MAX);
    for (;;) {
        bool sync = xg_nparse_word(r, "sync");
        xg_nstmt *before = parent->last;
        if (xg_nparse_word(r, "for"))
            xg_nparse_loop(r, parent);
        else if (xg_nparse_word(r, "block"))
            xg_nparse_block(r, parent);
        else if (sync)
            xg_lex_fail(r->x, NULL, "expected a loop or block behind 'sync'");
        else
            break;
        (before ? before->next : parent->first)->sync = sync;
    }
    r->depth--;
}
/* All but the brace at its end; what that returns after. */
XG_FN void xg_nparse_nest(
    xg_nparse *r, xg_ctx *c, xg_arena *a, xg_aff_ctx *aff, const xg_source *src, const size_t *at) {
    memset(r, 0, sizeof *r);
    r->p = xg_parse_new(c, a, src, false);
    r->x = &r->p->lex;
    r->src = src;
    xg_lex_restart(r->x, *at);
    while (!xg_lex_is(r->x, "nest") && !xg_lex_is(r->x, "flat")) {
        if (r->x->kind == XG_TOK_END) xg_lex_fail(r->x, NULL, "a loop nest begins with 'nest' and its name");
        xg_parse_comp(r->p);
    }
    r->n = xg_nest_new(r->p->m, aff, XG_STR(""));
    r->n->flat = xg_nparse_word(r, "flat");
    xg_nparse_expect_word(r, "nest");
    r->n->name = xg_nparse_name(r, "the nest's name");
    xg_nparse_params(r, false);
    xg_lex_expect(r->x, XG_TOK_ARROW, "'->' before the results");
    xg_nparse_params(r, true);
    xg_lex_expect(r->x, '{', "'{' before the nest's statements");
    while (xg_nparse_word(r, "alloc")) xg_nparse_alloc(r);
    xg_nparse_stmts(r, r->n->root);
    xg_nparse_check_regions(r);
}
XG_FN xg_loopnest *xg_nparse_end(xg_nparse *r, size_t *at) {
    *at = xg_lex_offset(r->x) + 1;
    xg_lex_expect(r->x, '}', "'}' at the end of the nest");
    r->p->m->at = 0;
    return r->n;
}

#endif /* XG_SCHED_PARSE_C */
