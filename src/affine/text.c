/* affine/text.c -- the text form of maps and expressions, both ways.
 *
 *   map    = "(" names ")" ["[" names "]"] ["{" names "}"] "->" "(" [expr {"," expr}] ")" ["," "domain" ":" item {","
 *          item}] | "UNDEFINED" | "KNOWN EMPTY"
 *   item   = expr "in" "[" integer "," integer "]"         about one variable: its interval; every variable needs one
 *   expr   = ["-"] term {("+" | "-") term}
 *   term   = factor {("*" | "floordiv" | "mod") factor}    one side of "*" and the right side of the others are
 *          constants
 *   factor = integer | name | "(" expr ")" | "-" factor
 * Sums are written without parentheses around quotients and products, as MLIR does; inside any other operation what is
 * compound gets parentheses. Quotes count as blanks, for a map may be split over several quoted lines. */
#ifndef XG_AFFINE_TEXT_C
#define XG_AFFINE_TEXT_C
#include "affine.h"

/* ---- printing ---- */

XG_FN void xg_aff_print_var(xg_buf *b, const xg_aff *e, const xg_imap *names) {
    bool dim = e->kind == XG_AFF_DIM;
    const char *prefix = dim ? "d" : "s";
    uint32_t n = e->n;
    if (names && n < (dim ? names->n_dims : names->n_syms + names->n_rts)) {
        const xg_imap_var *v = dim ? &names->dims[n] : &names->syms[n];
        if (v->name.n) {
            xg_put_str(b, v->name);
            return;
        }
        if (!dim && n >= names->n_syms) {
            prefix = "rt";
            n -= names->n_syms;
        }
    }
    xg_printf(b, "%s%u", prefix, n);
}

XG_FN void xg_aff_print_inner(xg_buf *b, const xg_aff *e, const xg_imap *names, bool parentheses);

/* One term of a sum, with its sign and the sign's blanks. */
XG_APART XG_FN void xg_aff_print_term(xg_buf *b, const xg_term *t, const xg_imap *names, bool first) {
    bool minus = t->scale < 0 && (!first || t->scale == -1),
         compound = t->of->kind == XG_AFF_DIV || t->of->kind == XG_AFF_MOD;
    uint64_t size = t->scale < 0 ? 0 - (uint64_t)t->scale : (uint64_t)t->scale;
    xg_puts(b, first ? (minus ? "-" : "") : minus ? " - " : " + ");
    xg_aff_print_inner(b, t->of, names, compound && (size != 1 || minus));
    if (size == 1) return;
    xg_puts(b, " * ");
    if (t->scale < 0 && !minus) xg_putc(b, '-');
    xg_put_u64(b, size);
}

XG_FN void xg_aff_print_inner(xg_buf *b, const xg_aff *e, const xg_imap *names, bool parentheses) {
    uint32_t i;
    if (e->kind == XG_AFF_CONST) {
        xg_put_i64(b, e->k);
        return;
    }
    if (e->kind == XG_AFF_DIM || e->kind == XG_AFF_SYM) {
        xg_aff_print_var(b, e, names);
        return;
    }
    if (parentheses) xg_putc(b, '(');
    if (e->kind == XG_AFF_SUM) {
        for (i = 0; i < e->n; i++) xg_aff_print_term(b, &e->terms[i], names, i == 0);
        if (e->k) xg_puts(b, e->k < 0 ? " - " : " + ");
        if (e->k) xg_put_u64(b, e->k < 0 ? 0 - (uint64_t)e->k : (uint64_t)e->k);
    } else {
        xg_aff_print_inner(b, e->of, names, true);
        xg_puts(b, e->kind == XG_AFF_DIV ? " floordiv " : " mod ");
        xg_put_i64(b, e->k);
    }
    if (parentheses) xg_putc(b, ')');
}
XG_FN void xg_aff_print(xg_buf *b, const xg_aff *e, const xg_imap *names) {
    if (e)
        xg_aff_print_inner(b, e, names, false);
    else
        xg_puts(b, "UNDEFINED");
}

XG_FN void xg_imap_print_names(
    xg_buf *b, const xg_imap *m, xg_aff_kind kind, uint32_t from, uint32_t n, char open, char close) {
    uint32_t i;
    xg_putc(b, open);
    for (i = 0; i < n; i++) {
        xg_aff var;
        memset(&var, 0, sizeof var);
        var.kind = kind;
        var.n = from + i;
        if (i) xg_puts(b, ", ");
        xg_aff_print_var(b, &var, m);
    }
    xg_putc(b, close);
}

XG_FN void xg_imap_print_in(xg_buf *b, xg_range r) {
    xg_puts(b, " in [");
    xg_put_i64(b, r.lo);
    xg_puts(b, ", ");
    xg_put_i64(b, r.hi);
    xg_putc(b, ']');
}

XG_FN void xg_imap_print_domain(xg_buf *b, const xg_imap *m) {
    uint32_t n = m->n_syms + m->n_rts, i;
    const char *before = ", domain: ";
    for (i = 0; i < m->n_dims + n; i++, before = ", ") {
        xg_aff var;
        memset(&var, 0, sizeof var);
        var.kind = i < m->n_dims ? XG_AFF_DIM : XG_AFF_SYM;
        var.n = i < m->n_dims ? i : i - m->n_dims;
        xg_puts(b, before);
        xg_aff_print_var(b, &var, m);
        xg_imap_print_in(b, i < m->n_dims ? m->dims[i].range : m->syms[i - m->n_dims].range);
    }
    for (i = 0; i < m->n_constraints; i++, before = ", ") {
        xg_puts(b, before);
        xg_aff_print(b, m->constraints[i].expr, m);
        xg_imap_print_in(b, m->constraints[i].range);
    }
}

XG_FN void xg_imap_print(xg_buf *b, const xg_imap *m) {
    uint32_t i;
    if (m->state == XG_IMAP_UNDEFINED) {
        xg_puts(b, "UNDEFINED");
        return;
    }
    if (m->state == XG_IMAP_EMPTY) {
        xg_puts(b, "KNOWN EMPTY");
        return;
    }
    xg_imap_print_names(b, m, XG_AFF_DIM, 0, m->n_dims, '(', ')');
    if (m->n_syms) xg_imap_print_names(b, m, XG_AFF_SYM, 0, m->n_syms, '[', ']');
    if (m->n_rts) xg_imap_print_names(b, m, XG_AFF_SYM, m->n_syms, m->n_rts, '{', '}');
    xg_puts(b, " -> (");
    for (i = 0; i < m->n_results; i++) {
        if (i) xg_puts(b, ", ");
        xg_aff_print(b, m->results[i], m);
    }
    xg_putc(b, ')');
    xg_imap_print_domain(b, m);
}

/* ---- reading ---- */

enum {
    XG_AFF_NESTING_MAX = 64
};

XG_NORETURN XG_FN void xg_aff_read_fail(xg_aff_reader *r, const char *hint, const char *what) {
    xg_fail_at(r->x->ctx, XLAGPU_ERROR_SYNTAX, r->src, r->at, hint, "%s", what);
}

XG_FN void xg_aff_read_blank(xg_aff_reader *r) {
    while (r->at < r->src->size) {
        char c = r->src->text[r->at];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '"') break;
        r->at++;
    }
}
XG_FN char xg_aff_read_peek(xg_aff_reader *r) {
    xg_aff_read_blank(r);
    return r->at < r->src->size ? r->src->text[r->at] : 0;
}
XG_FN bool xg_aff_read_char(xg_aff_reader *r, char c) {
    if (xg_aff_read_peek(r) != c || c == 0) return false;
    r->at++;
    return true;
}
XG_FN void xg_aff_read_need(xg_aff_reader *r, char c) {
    char what[40];
    if (xg_aff_read_char(r, c)) return;
    xg_format(what, sizeof what, "expected '%c' in an indexing map", c);
    xg_aff_read_fail(r, "(d0, d1)[s0] -> (d0 * 4 + s0, d1), domain: d0 in [0, 7], d1 in [0, 1], s0 in [0, 3]", what);
}

XG_FN bool xg_aff_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
XG_FN bool xg_aff_is_digit(char c) { return c >= '0' && c <= '9'; }

XG_FN xg_str xg_aff_read_word(xg_aff_reader *r) {
    size_t from;
    if (!xg_aff_is_letter(xg_aff_read_peek(r))) return xg_str_of(NULL, 0);
    for (from = r->at;
         r->at < r->src->size && (xg_aff_is_letter(r->src->text[r->at]) || xg_aff_is_digit(r->src->text[r->at]));
         r->at++) {}
    return xg_str_of(r->src->text + from, r->at - from);
}
XG_FN bool xg_aff_read_keyword(xg_aff_reader *r, const char *word) {
    size_t from;
    xg_aff_read_blank(r);
    from = r->at;
    if (xg_str_is(xg_aff_read_word(r), word)) return true;
    r->at = from;
    return false;
}

/* Digits, the sign having been read. */
XG_FN int64_t xg_aff_read_int(xg_aff_reader *r, bool minus) {
    uint64_t v = 0, most = (uint64_t)INT64_MAX + (minus ? 1 : 0);
    if (!xg_aff_is_digit(xg_aff_read_peek(r))) xg_aff_read_fail(r, NULL, "expected an integer");
    for (; r->at < r->src->size && xg_aff_is_digit(r->src->text[r->at]); r->at++) {
        uint64_t d = (uint64_t)(r->src->text[r->at] - '0');
        if (v > (most - d) / 10) xg_aff_read_fail(r, NULL, "an integer beyond 64 bits");
        v = v * 10 + d;
    }
    return minus ? (int64_t)(0 - v) : (int64_t)v;
}

XG_FN const xg_aff *xg_aff_read_sum(xg_aff_reader *r);

XG_FN const xg_aff *xg_aff_read_name(xg_aff_reader *r) {
    size_t from = r->at;
    xg_str word = xg_aff_read_word(r);
    const xg_aff *var = (const xg_aff *)xg_dict_get(&r->names, word);
    if (!var)
        xg_fail_at(r->x->ctx, XLAGPU_ERROR_INVALID, r->src, from, "variables are named in the lists before ->",
            "unknown variable '%.*s'", (int)XG_MIN(word.n, 60u), word.p);
    return var;
}

XG_FN const xg_aff *xg_aff_read_factor(xg_aff_reader *r) {
    const xg_aff *e;
    char c = xg_aff_read_peek(r);
    if (++r->depth > XG_AFF_NESTING_MAX) xg_aff_read_fail(r, NULL, "parentheses nested too deeply");
    if (c == '(') {
        r->at++;
        e = xg_aff_read_sum(r);
        xg_aff_read_need(r, ')');
    } else if (c == '-') {
        r->at++;
        e = xg_aff_is_digit(xg_aff_read_peek(r)) ? xg_aff_const(r->x, xg_aff_read_int(r, true))
                                                 : xg_aff_mul(r->x, xg_aff_read_factor(r), -1);
    } else if (xg_aff_is_digit(c))
        e = xg_aff_const(r->x, xg_aff_read_int(r, false));
    else if (xg_aff_is_letter(c))
        e = xg_aff_read_name(r);
    else
        xg_aff_read_fail(r, NULL, "expected a variable, an integer or '('");
    r->depth--;
    if (!e) xg_aff_read_fail(r, NULL, "an expression that is too large, or a coefficient beyond 64 bits");
    return e;
}

XG_FN const xg_aff *xg_aff_read_term(xg_aff_reader *r) {
    const xg_aff *e = xg_aff_read_factor(r), *by;
    for (;;) {
        size_t from;
        bool times = xg_aff_read_char(r, '*'), div = !times && xg_aff_read_keyword(r, "floordiv"),
             mod = !times && !div && xg_aff_read_keyword(r, "mod");
        if (!times && !div && !mod) return e;
        xg_aff_read_blank(r);
        from = r->at;
        by = xg_aff_read_factor(r);
        if (times && by->kind != XG_AFF_CONST) {
            const xg_aff *t = e;
            e = by;
            by = t;
        }
        if (by->kind != XG_AFF_CONST || (!times && by->k <= 0)) {
            r->at = from;
            xg_aff_read_fail(
                r, NULL, times ? "one side of a product must be a constant" : "a divisor must be a positive constant");
        }
        e = times ? xg_aff_mul(r->x, e, by->k) : div ? xg_aff_div(r->x, e, by->k) : xg_aff_mod(r->x, e, by->k);
        if (!e) xg_aff_read_fail(r, NULL, "an expression that is too large, or a coefficient beyond 64 bits");
    }
}

XG_FN const xg_aff *xg_aff_read_sum(xg_aff_reader *r) {
    const xg_aff *e = xg_aff_read_term(r);
    for (;;) {
        bool plus = xg_aff_read_char(r, '+'), minus = !plus && xg_aff_read_char(r, '-');
        if (!plus && !minus) return e;
        e = plus ? xg_aff_add(r->x, e, xg_aff_read_term(r)) : xg_aff_sub(r->x, e, xg_aff_read_term(r));
        if (!e) xg_aff_read_fail(r, NULL, "an expression that is too large, or a coefficient beyond 64 bits");
    }
}

typedef struct xg_aff_names {
    XG_VEC(xg_str) dims;
    XG_VEC(xg_str) syms;
    XG_VEC(xg_str) rts;
} xg_aff_names;

XG_FN void xg_aff_declare(xg_aff_reader *r, xg_str name, const xg_aff *var) {
    if (!xg_dict_put(&r->names, name, (void *)var))
        xg_fail_at(r->x->ctx, XLAGPU_ERROR_INVALID, r->src, (size_t)(name.p - r->src->text), NULL,
            "the variable '%.*s' is named twice", (int)XG_MIN(name.n, 60u), name.p);
}

/* The names up to `close`; the opening bracket has been read. */
#define XG_AFF_READ_NAMES(r, list, close) \
    do { \
        if (xg_aff_read_char((r), (close))) break; \
        do { \
            xg_str word_ = xg_aff_read_word(r); \
            if (!word_.n) xg_aff_read_fail((r), NULL, "expected the name of a variable"); \
            if ((list)->n >= XG_IMAP_VARS_MAX) xg_aff_read_fail((r), NULL, "too many variables"); \
            xg_push((r)->x->arena, xg_str, (list), word_); \
        } while (xg_aff_read_char((r), ',')); \
        xg_aff_read_need((r), (close)); \
    } while (0)

/* A name that says no more than the position is not kept. */
XG_FN xg_str xg_aff_kept_name(xg_aff_reader *r, xg_str name, const char *prefix, uint32_t which) {
    xg_str usual = xg_imap_default_name(r->x, prefix, which);
    return xg_str_eq(usual, name) ? xg_str_of(NULL, 0) : xg_str_copy(r->x->arena, name);
}

XG_APART XG_FN xg_imap *xg_imap_read_variables(xg_aff_reader *r) {
    xg_aff_names names;
    xg_imap *m;
    uint32_t i, n = 0;
    memset(&names, 0, sizeof names);
    xg_aff_read_need(r, '(');
    XG_AFF_READ_NAMES(r, &names.dims, ')');
    if (xg_aff_read_char(r, '[')) XG_AFF_READ_NAMES(r, &names.syms, ']');
    if (xg_aff_read_char(r, '{')) XG_AFF_READ_NAMES(r, &names.rts, '}');
    m = xg_imap_new(r->x, names.dims.n, names.syms.n, names.rts.n, 0, 0);
    for (i = 0; i < names.dims.n; i++) {
        xg_aff_declare(r, names.dims.p[i], xg_aff_dim(r->x, i));
        m->dims[i].name = xg_aff_kept_name(r, names.dims.p[i], "d", i);
    }
    for (i = 0; i < names.syms.n; i++, n++) {
        xg_aff_declare(r, names.syms.p[i], xg_aff_sym(r->x, n));
        m->syms[n].name = xg_aff_kept_name(r, names.syms.p[i], "s", i);
    }
    for (i = 0; i < names.rts.n; i++, n++) {
        xg_aff_declare(r, names.rts.p[i], xg_aff_sym(r->x, n));
        m->syms[n].name = xg_aff_kept_name(r, names.rts.p[i], "rt", i);
    }
    for (i = 0; i < m->n_dims; i++) m->dims[i].range = xg_range_of(INT64_MIN, INT64_MAX);
    for (i = 0; i < n; i++) m->syms[i].range = xg_range_of(INT64_MIN, INT64_MAX);
    m->rt_size = m->n_rts;
    return m;
}
#undef XG_AFF_READ_NAMES

XG_FN void xg_imap_read_results(xg_aff_reader *r, xg_imap *m) {
    XG_VEC(const xg_aff *) list;
    memset(&list, 0, sizeof list);
    xg_aff_read_need(r, '-');
    xg_aff_read_need(r, '>');
    xg_aff_read_need(r, '(');
    if (!xg_aff_read_char(r, ')')) {
        do {
            const xg_aff *e = xg_aff_read_sum(r);
            xg_push(r->x->arena, const xg_aff *, &list, e);
        } while (xg_aff_read_char(r, ','));
        xg_aff_read_need(r, ')');
    }
    m->results = list.p;
    m->n_results = list.n;
}

XG_APART XG_FN int64_t xg_aff_read_signed(xg_aff_reader *r) {
    bool minus = xg_aff_read_char(r, '-');
    return xg_aff_read_int(r, minus);
}

XG_APART XG_FN void xg_imap_read_domain(xg_aff_reader *r, xg_imap *m) {
    XG_VEC(xg_constraint) list;
    memset(&list, 0, sizeof list);
    do {
        xg_constraint c;
        xg_imap_var *v;
        c.expr = xg_aff_read_sum(r);
        if (!xg_aff_read_keyword(r, "in"))
            xg_aff_read_fail(r, "d0 in [0, 127]", "expected 'in' after an expression of the domain");
        xg_aff_read_need(r, '[');
        c.range.lo = xg_aff_read_signed(r);
        xg_aff_read_need(r, ',');
        c.range.hi = xg_aff_read_signed(r);
        xg_aff_read_need(r, ']');
        v = c.expr->kind == XG_AFF_DIM ? &m->dims[c.expr->n] : c.expr->kind == XG_AFF_SYM ? &m->syms[c.expr->n] : NULL;
        if (v && v->range.lo == INT64_MIN && v->range.hi == INT64_MAX)
            v->range = c.range;
        else
            xg_push(r->x->arena, xg_constraint, &list, c);
    } while (xg_aff_read_char(r, ','));
    m->constraints = list.p;
    m->n_constraints = list.n;
}

XG_FN xg_aff_reader xg_aff_reader_new(xg_aff_ctx *x, const xg_source *src, size_t at) {
    xg_aff_reader r;
    memset(&r, 0, sizeof r);
    r.x = x;
    r.src = src;
    r.at = at;
    xg_dict_init(&r.names, x->arena);
    return r;
}

XG_FN const xg_imap *xg_imap_parse(xg_aff_ctx *x, const xg_source *src, size_t *at) {
    xg_aff_reader r = xg_aff_reader_new(x, src, *at);
    xg_imap *m;
    uint32_t i;
    size_t before;
    if (xg_aff_read_keyword(&r, "UNDEFINED")) {
        *at = r.at;
        return xg_imap_undefined(x);
    }
    if (xg_aff_read_keyword(&r, "KNOWN")) {
        if (!xg_aff_read_keyword(&r, "EMPTY")) xg_aff_read_fail(&r, "KNOWN EMPTY", "expected EMPTY");
        *at = r.at;
        return xg_imap_empty(x, 0, 0);
    }
    m = xg_imap_read_variables(&r);
    xg_imap_read_results(&r, m);
    before = r.at;
    if (xg_aff_read_char(&r, ',') && xg_aff_read_keyword(&r, "domain")) {
        xg_aff_read_need(&r, ':');
        xg_imap_read_domain(&r, m);
    } else
        r.at = before;
    for (i = 0; i < m->n_dims + m->n_syms + m->n_rts; i++) {
        xg_range v = i < m->n_dims ? m->dims[i].range : m->syms[i - m->n_dims].range;
        if (v.lo == INT64_MIN && v.hi == INT64_MAX)
            xg_aff_read_fail(&r, "after the results: , domain: d0 in [0, 127], ...", "a variable has no interval");
    }
    xg_aff_read_blank(&r);
    *at = r.at;
    return m;
}

#endif /* XG_AFFINE_TEXT_C */
