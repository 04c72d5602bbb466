/* block/block_expr.c -- block programs: their text, names, values and expressions. The language, and what its
 * statements do: block/block.c.
 *
 * Operations are made while an expression is read: there is no tree. An int that is a constant stays one, since
 * dimensions and divisors are made of such; a product of numbers remembers its factors, so that what is added to it
 * makes one operation of both. */
#ifndef XG_BLOCK_BLOCK_EXPR_C
#define XG_BLOCK_BLOCK_EXPR_C
#include "block.h"
#include "solver_programs.h"

/* ---- the text ---- */

typedef enum xg_btok {
    XG_BT_NAME,
    XG_BT_INT,
    XG_BT_REAL,
    XG_BT_MARK,
    XG_BT_END
} xg_btok;
typedef struct xg_block_token {
    xg_btok kind;
    xg_str text;
    double number;
} xg_block_token;

XG_FN bool xg_block_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
XG_FN bool xg_block_digit(char c) { return c >= '0' && c <= '9'; }
XG_FN const char *xg_block_number(const char *p, xg_block_token *t) {
    double v = 0, unit = 1;
    for (; xg_block_digit(*p); p++) v = v * 10 + (*p - '0');
    t->kind = XG_BT_INT;
    if (*p == '.' && xg_block_digit(p[1])) {
        t->kind = XG_BT_REAL;
        for (p++; xg_block_digit(*p); p++) v += (*p - '0') * (unit /= 10);
    }
    t->number = v;
    return p;
}
XG_FN const char *xg_block_lex(const char *p, xg_block_token *t) {
    XG_TABLE const char two[][3] = {"..", "<=", ">=", "==", "!=", "&&", "||"};
    const char *from;
    uint32_t k;
    while (*p == ' ' || *p == '\n') p++;
    from = p;
    t->number = 0;
    t->kind = !*p ? XG_BT_END : XG_BT_MARK;
    if (xg_block_digit(*p))
        p = xg_block_number(p, t);
    else if (xg_block_letter(*p)) {
        t->kind = XG_BT_NAME;
        while (xg_block_letter(*p) || xg_block_digit(*p)) p++;
    } else if (*p) {
        p++;
        for (k = 0; k < XG_COUNT(two); k++)
            if (from[0] == two[k][0] && from[1] == two[k][1]) {
                p = from + 2;
                break;
            }
    }
    t->text = xg_str_of(from, (uint32_t)(p - from));
    return p;
}
/* How many tokens there are with those of the text. They are kept where there is room for them. */
XG_FN uint32_t xg_block_read_text(xg_block *d, const char *p, uint32_t count) {
    XG_TABLE const char *const pieces[] = {
#define X(text) text,
        XG_SOLVER_PIECES(X)
#undef X
    };
    for (;; count++) {
        xg_block_token t;
        p = xg_block_lex(p, &t);
        if (*t.text.p == '$')
            count = xg_block_read_text(d, pieces[*p++ - 'A'], count) - 1;
        else if (d->tokens)
            d->tokens[count] = t;
        if (t.kind == XG_BT_END) return count;
    }
}
XG_FN void xg_block_read(xg_block *d, const char *text) {
    uint32_t count = xg_block_read_text(d, text, 0);
    d->tokens = XG_NEW_N(d->e->arena, xg_block_token, count + 1);
    d->at = 0;
    xg_block_read_text(d, text, 0);
}
XG_NORETURN XG_FN void xg_block_wrong(xg_block *d, const char *what) {
    xg_str t = d->tokens[d->at].text;
    xg_hlo_fail(
        d->i, XLAGPU_ERROR_INTERNAL, NULL, "its block program: %s, at token %u '%.*s'", what, d->at, (int)t.n, t.p);
}
XG_NORETURN XG_FN void xg_block_refuse(xg_block *d, const char *what) {
    xg_hlo_fail(d->i, XLAGPU_ERROR_INVALID, NULL, "operands and results are not those of the call: %s", what);
}
XG_FN bool xg_block_sees(const xg_block *d, const char *text) { return xg_str_is(d->tokens[d->at].text, text); }
XG_FN bool xg_block_takes(xg_block *d, const char *text) {
    bool yes = xg_block_sees(d, text);
    d->at += yes;
    return yes;
}
XG_FN void xg_block_expect(xg_block *d, const char *text) {
    if (!xg_block_takes(d, text)) xg_block_wrong(d, text);
}
XG_FN xg_str xg_block_name(xg_block *d) {
    if (d->tokens[d->at].kind != XG_BT_NAME) xg_block_wrong(d, "a name was expected");
    return d->tokens[d->at++].text;
}
/* The token behind the one that closes what opens at `from`. */
XG_FN uint32_t xg_block_behind(const xg_block *d, uint32_t from) {
    char open = d->tokens[from].text.p[0], close = open == '{' ? '}' : ']';
    uint32_t depth = 0, k = from;
    for (; d->tokens[k].kind != XG_BT_END; k++) {
        char c = d->tokens[k].text.p[0];
        depth += c == open;
        depth -= c == close;
        if (!depth) return k + 1;
    }
    return k;
}

/* ---- names ---- */

XG_FN xg_block_var *xg_block_var_of(xg_block *d, xg_str name) {
    uint32_t k;
    for (k = d->n_vars; k-- > 0;)
        if (xg_str_eq(d->vars[k].name, name)) return &d->vars[k];
    return NULL;
}
XG_FN xg_block_array *xg_block_array_of(xg_block *d, xg_str name) {
    uint32_t k;
    for (k = 0; k < d->n_arrays; k++)
        if (xg_str_eq(d->arrays[k].name, name)) return &d->arrays[k];
    return NULL;
}
XG_FN void xg_block_declare(xg_block *d, xg_str name, char kind, xg_elem e) {
    xg_block_var *v = &d->vars[d->n_vars];
    if (d->n_vars == XG_BLOCK_VARS) xg_block_wrong(d, "too many variables");
    d->n_vars++;
    v->name = name;
    v->kind = kind;
    v->e = e;
}
XG_FN void xg_block_let_int(xg_block *d, xg_str name, int64_t v) {
    xg_block_declare(d, name, 'i', xg_elem_real(xg_elem_index(&d->s, v)));
}
XG_FN void xg_block_let_real(xg_block *d, xg_str name, double v) {
    xg_block_declare(d, name, 'n', xg_elem_real(xg_kconst_float(&d->s.b, d->real, v)));
}
XG_FN void xg_block_let_bool(xg_block *d, xg_str name, bool v) {
    xg_block_declare(d, name, 'b', xg_elem_real(xg_kconst_int(&d->s.b, XG_E_I1, v)));
}

/* ---- values ---- */

/* 'i' int, 'b' condition, 'n' number; a product of numbers knows what of */
typedef struct xg_bval {
    char kind;
    bool product;
    xg_elem e, x, y;
} xg_bval;
XG_FN xg_bval xg_block_expr(xg_block *d);

XG_FN xg_bval xg_bval_of(char kind, xg_elem e) {
    xg_bval v;
    memset(&v, 0, sizeof v);
    v.kind = kind;
    v.e = e;
    return v;
}
XG_FN xg_bval xg_bval_real(xg_kval *v) { return xg_bval_of('n', xg_elem_real(v)); }
XG_FN xg_bval xg_bval_bool(xg_kval *v) { return xg_bval_of('b', xg_elem_real(v)); }
XG_FN xg_kval *xg_block_float(xg_block *d, double v) { return xg_kconst_float(&d->s.b, d->real, v); }
XG_FN xg_elem xg_block_zero(xg_block *d, bool is_complex) {
    xg_elem z = xg_elem_real(xg_block_float(d, 0));
    if (is_complex) z.im = z.v;
    return z;
}
XG_FN xg_elem xg_block_num(xg_block *d, xg_bval v) { /* as a number */
    if (v.kind == 'b') xg_block_wrong(d, "a condition is no number");
    if (v.kind == 'n') return v.e;
    return xg_elem_real(xg_kcast(&d->s.b, XG_K_OP_SITOFP, xg_kcast_index(&d->s.b, v.e.v, XG_E_I32), d->real));
}
XG_FN xg_kval *xg_block_plain(xg_block *d, xg_bval v) { /* a real number */
    xg_elem e = xg_block_num(d, v);
    if (e.im) xg_block_wrong(d, "a real number was expected");
    return e.v;
}
XG_ONE_COPY XG_FN xg_kval *xg_block_int_of(xg_block *d, xg_bval v) {
    if (v.kind != 'i') xg_block_wrong(d, "an int was expected");
    return v.e.v;
}
XG_ONE_COPY XG_FN xg_kval *xg_block_cond_of(xg_block *d, xg_bval v) {
    if (v.kind != 'b') xg_block_wrong(d, "a condition was expected");
    return v.e.v;
}
XG_FN xg_elem xg_block_as_element(xg_block *d, xg_elem e) {
    if (d->is_complex && !e.im) e.im = xg_block_float(d, 0);
    return e;
}
XG_FN xg_kval *xg_block_neg(xg_block *d, xg_kval *v) { return xg_k1(&d->s.b, XG_K_OP_NEGF, v); }
XG_ONE_COPY XG_FN xg_kval *xg_block_fma(xg_block *d, xg_kval *x, xg_kval *y, xg_kval *z) {
    return xg_k3(&d->s.b, XG_K_OP_FMA, x, y, z);
}

/* z + x y */
XG_FN xg_elem xg_block_more(xg_block *d, xg_elem z, xg_elem x, xg_elem y) {
    if ((x.im || y.im) && !z.im) z.im = xg_block_float(d, 0);
    z.v = xg_block_fma(d, x.v, y.v, z.v);
    if (x.im && y.im) z.v = xg_block_fma(d, xg_block_neg(d, x.im), y.im, z.v);
    if (y.im) z.im = xg_block_fma(d, x.v, y.im, z.im);
    if (x.im) z.im = xg_block_fma(d, x.im, y.v, z.im);
    return z;
}
XG_FN xg_elem xg_block_negative(xg_block *d, xg_elem x) {
    x.v = xg_block_neg(d, x.v);
    if (x.im) x.im = xg_block_neg(d, x.im);
    return x;
}
XG_FN xg_elem xg_block_times(xg_block *d, xg_elem x, xg_elem y) {
    xg_kb *b = &d->s.b;
    xg_elem z;
    z.v = xg_kmulf(b, x.v, y.v);
    z.im = NULL;
    if (x.im && y.im) z.v = xg_block_fma(d, xg_block_neg(d, x.im), y.im, z.v);
    if (y.im) z.im = xg_kmulf(b, x.v, y.im);
    if (x.im) z.im = z.im ? xg_block_fma(d, x.im, y.v, z.im) : xg_kmulf(b, x.im, y.v);
    return z;
}
XG_FN xg_elem xg_block_add(xg_block *d, xg_elem x, xg_elem y) {
    x.v = xg_k2(&d->s.b, XG_K_OP_ADDF, x.v, y.v);
    if (x.im && y.im)
        x.im = xg_k2(&d->s.b, XG_K_OP_ADDF, x.im, y.im);
    else if (y.im)
        x.im = y.im;
    return x;
}
XG_FN xg_elem xg_block_over(xg_block *d, xg_elem x, xg_elem y) {
    if (y.im) return xg_cx_div(&d->s.b, xg_block_as_element(d, x), y);
    x.v = xg_k2(&d->s.b, XG_K_OP_DIVF, x.v, y.v);
    if (x.im) x.im = xg_k2(&d->s.b, XG_K_OP_DIVF, x.im, y.v);
    return x;
}
XG_FN xg_kval *xg_block_square(xg_block *d, xg_elem x) {
    xg_kval *v = xg_kmulf(&d->s.b, x.v, x.v);
    return x.im ? xg_block_fma(d, x.im, x.im, v) : v;
}
XG_FN xg_elem xg_block_pick(xg_block *d, xg_kval *c, xg_elem x, xg_elem y) {
    if (x.im || y.im) {
        x = xg_block_as_element(d, x);
        y = xg_block_as_element(d, y);
    }
    x.v = xg_kselect(&d->s.b, c, x.v, y.v);
    if (x.im) x.im = xg_kselect(&d->s.b, c, x.im, y.im);
    return x;
}
/* 1 / x or 1 / sqrt(x) of a normal number: what the machine has for a start, then Newton's steps, each of which doubles
 * the good bits. A division or root that is rounded correctly is a call in the machine's code, around which registers
 * are saved. */
XG_FN xg_kval *xg_block_newton(xg_block *d, xg_kval *x, bool root) {
    xg_kb *b = &d->s.b;
    xg_kval *y = xg_k1(b, root ? XG_K_OP_RSQRTA : XG_K_OP_RCPA, x), *e, *h;
    int steps;
    for (steps = d->real == XG_E_F64 ? 2 : 1; steps; steps--) {
        e = xg_block_neg(d, root ? xg_kmulf(b, x, y) : x);
        e = xg_block_fma(d, e, y, xg_block_float(d, 1));
        h = root ? xg_kmulf(b, y, xg_block_float(d, 0.5)) : y;
        y = xg_block_fma(d, h, e, y);
    }
    return y;
}
/* Of what is below the least normal number about zero. */
XG_FN xg_kval *xg_block_sqrt(xg_block *d, xg_kval *x) {
    xg_kval *most = xg_k2(&d->s.b, XG_K_OP_MAXF, x, xg_block_float(d, ldexp(1, d->real == XG_E_F64 ? -1022 : -126)));
    return xg_kmulf(&d->s.b, x, xg_block_newton(d, most, true));
}
/* The power of two of a size, which may be divided by: 1 where there is nothing, or no number. Its inverse is a normal
 * number, too. */
XG_FN xg_kval *xg_block_magnitude(xg_block *d, xg_kval *v) {
    xg_kb *b = &d->s.b;
    bool wide = d->real == XG_E_F64;
    xg_kelem bits = wide ? XG_E_I64 : XG_E_I32;
    xg_kval *x = xg_kbitcast(b, v, bits), *good;
    x = xg_k2_int(b, XG_K_OP_ANDI, x, wide ? (int64_t)0x7ff0000000000000 : 0x7f800000);
    x = xg_kbitcast(b, x, d->real);
    x = xg_k2(b, XG_K_OP_MINNUMF, x, xg_block_float(d, ldexp(1, wide ? 1022 : 126)));
    good = xg_kcmpf_(b, XG_CF_OGT, x, xg_block_float(d, 0));
    good = xg_kandi(b, good, xg_kcmpf_(b, XG_CF_OLT, v, xg_block_float(d, HUGE_VAL)));
    return xg_kselect(b, good, x, xg_block_float(d, 1));
}

/* ---- memory ---- */

XG_FN xg_kval *xg_block_inside(xg_block *d, xg_kval *v, int64_t count) {
    xg_range r = xg_kval_range(v);
    if (r.hi >= count) v = xg_k2_int(&d->s.b, XG_K_OP_MINSI, v, count - 1);
    if (r.lo < 0) v = xg_k2_int(&d->s.b, XG_K_OP_MAXSI, v, 0);
    return v;
}
/* Of an int by a constant: the quotient, or what is left. */
XG_FN xg_kval *xg_block_divided(xg_block *d, xg_kval *v, int64_t by, bool rest) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_of_dims(x, 1, 1);
    xg_range r = xg_kval_range(v);
    m->dims[0].range = xg_range_of(XG_MAX(r.lo, (int64_t)0), XG_MIN(XG_MAX(r.hi, (int64_t)0), (int64_t)1 << 40));
    m->results[0] = rest ? xg_aff_mod(x, xg_aff_dim_0(x), by) : xg_aff_div(x, xg_aff_dim_0(x), by);
    xg_elem_apply(&d->s, xg_imap_simplify(x, m), &v, &v);
    return v;
}
/* Indices of an element; of a result that serves as the work array of another form, by its number. */
XG_FN uint32_t xg_block_place(xg_block *d, const xg_block_array *a, xg_kval *i, xg_kval *j, xg_kval **at) {
    int64_t pitch = a->where == XG_BLOCK_SHARED ? a->pitch : a->columns, columns;
    xg_kval *flat;
    i = xg_block_inside(d, i, a->rows);
    j = xg_block_inside(d, j, a->columns);
    if (a->where == XG_BLOCK_SHARED || a->lent) {
        flat = a->rows == 1 ? j : xg_kaddi(&d->s.b, xg_k2_int(&d->s.b, XG_K_OP_MULI, i, pitch), j);
        xg_kval_set_range(flat, xg_range_of(0, a->rows * pitch - 1));
        if (a->where == XG_BLOCK_SHARED) {
            at[0] = flat;
            return 1;
        }
        columns = a->shape->dims[2];
        i = xg_block_divided(d, flat, columns, false);
        j = xg_block_divided(d, flat, columns, true);
    }
    at[0] = d->batch;
    at[1] = i;
    at[2] = j;
    return 3;
}
XG_FN xg_bval xg_block_load(xg_block *d, const xg_block_array *a, xg_kval *i, xg_kval *j) {
    xg_kval *at[3], *physical[3];
    uint32_t n = xg_block_place(d, a, i, j, at);
    xg_elem e;
    if (a->where == XG_BLOCK_OPERAND) {
        const xg_inst *o = XG_OPERAND(d->i, a->number);
        e = xg_elem_of(&d->s, o, at);
        if (a->kind != 'i' && e.v->type->elem != d->real) { /* of a narrower type */
            e.v = xg_kcast(&d->s.b, XG_K_OP_EXTF, e.v, d->real);
            if (e.im) e.im = xg_kcast(&d->s.b, XG_K_OP_EXTF, e.im, d->real);
        }
    } else {
        const xg_block_array *home = a->lent ? a->lent : a;
        if (a->where == XG_BLOCK_RESULT) xg_emit_physical(a->shape, at, physical);
        e = xg_emit_split(&d->s.b, xg_kextract(&d->s.b, home->tensor, a->where == XG_BLOCK_RESULT ? physical : at, n));
    }
    if (a->kind != 'i') return xg_bval_of('n', e);
    e.v = xg_kcast_index(&d->s.b, e.v, XG_E_INDEX);
    return xg_bval_of('i', e);
}
XG_FN void xg_block_store(xg_block *d, xg_block_array *a, xg_kval *i, xg_kval *j, xg_bval v) {
    xg_block_array *home = a->lent ? a->lent : a;
    xg_kval *at[3];
    uint32_t n = xg_block_place(d, a, i, j, at);
    xg_elem e;
    if (a->kind == 'i')
        e = xg_elem_real(xg_kcast_index(&d->s.b, xg_block_int_of(d, v), XG_E_I32));
    else
        e = a->kind == 'r' ? xg_elem_real(xg_block_plain(d, v)) : xg_block_as_element(d, xg_block_num(d, v));
    if (a->where == XG_BLOCK_SHARED)
        a->tensor = xg_kinsert(&d->s.b, xg_emit_join(&d->s.b, e), a->tensor, at, n);
    else
        home->tensor = xg_emit_insert(&d->s.b, e, home->tensor, a->shape, at);
}
XG_FN xg_kval *xg_block_shared(xg_block *d, xg_kelem e, int64_t n) {
    if (n > XG_SHARED_STATIC_BYTES) xg_block_refuse(d, "they are too large");
    d->shared += (n * xg_kelem_bytes(e) + 15) / 16 * 16;
    if (d->shared > XG_SHARED_STATIC_BYTES) xg_block_refuse(d, "they are too large");
    return xg_shared_array(&d->s.b, e, n);
}
XG_FN void xg_block_sync(xg_block *d) {
    xg_flow f = xg_flow_begin(&d->s);
    uint32_t k;
    for (k = 0; k < d->n_arrays; k++) xg_flow_slot(&f, &d->arrays[k].tensor);
    for (k = 0; k < 3; k++) xg_flow_slot(&f, &d->part[k]);
    xg_flow_wait(&f);
}

/* ---- expressions ---- */

/* Of constants a constant: dimensions are made of such. */
XG_FN xg_bval xg_block_ints(xg_block *d, xg_kopcode op, xg_bval x, xg_bval y) {
    xg_range p = xg_kval_range(x.e.v), q = xg_kval_range(y.e.v);
    int64_t v = op == XG_K_OP_ADDI    ? p.lo + q.lo
                : op == XG_K_OP_SUBI  ? p.lo - q.lo
                : op == XG_K_OP_MULI  ? p.lo * q.lo
                : op == XG_K_OP_MINSI ? XG_MIN(p.lo, q.lo)
                                      : XG_MAX(p.lo, q.lo);
    bool known = p.lo == p.hi && q.lo == q.hi;
    return xg_bval_of('i', xg_elem_real(known ? xg_elem_index(&d->s, v) : xg_k2(&d->s.b, op, x.e.v, y.e.v)));
}

XG_FN xg_bval xg_block_access(xg_block *d, xg_block_array *a) { /* behind [ */
    xg_kval *i = xg_block_int_of(d, xg_block_expr(d)), *j;
    if (xg_block_takes(d, ","))
        j = xg_block_int_of(d, xg_block_expr(d));
    else {
        j = i;
        i = xg_elem_index_0(&d->s);
    }
    xg_block_expect(d, "]");
    d->index[0] = i;
    d->index[1] = j;
    return xg_bval_of(a->kind, xg_elem_real(NULL));
}
XG_FN xg_bval xg_block_least(xg_block *d, xg_bval x, xg_bval y, bool less) {
    if (x.kind == 'i' && y.kind == 'i') return xg_block_ints(d, less ? XG_K_OP_MINSI : XG_K_OP_MAXSI, x, y);
    x.e.v = xg_block_plain(d, x);
    y.e.v = xg_block_plain(d, y);
    return xg_bval_real(xg_k2(&d->s.b, less ? XG_K_OP_MINF : XG_K_OP_MAXF, x.e.v, y.e.v));
}
XG_FN xg_bval xg_block_call(xg_block *d, xg_str name) { /* behind ( */
    xg_kb *b = &d->s.b;
    xg_bval x = xg_block_expr(d), y = x;
    bool two = xg_block_takes(d, ",");
    if (two) y = xg_block_expr(d);
    xg_block_expect(d, ")");
    if (xg_word_in("min max", name) >= 0) return xg_block_least(d, x, y, xg_str_is(name, "min"));
    if (xg_str_is(name, "sqrt")) return xg_bval_real(xg_block_sqrt(d, xg_block_plain(d, x)));
    if (xg_word_in("inverse inverse_root", name) >= 0)
        return xg_bval_real(xg_block_newton(d, xg_block_plain(d, x), xg_str_is(name, "inverse_root")));
    if (xg_str_is(name, "magnitude")) return xg_bval_real(xg_block_magnitude(d, xg_block_plain(d, x)));
    if (xg_str_is(name, "finite"))
        return xg_bval_bool(
            XG_KCMPF(b, XG_CF_OLT, xg_k1(b, XG_K_OP_ABSF, xg_block_plain(d, x)), xg_block_float(d, HUGE_VAL)));
    x.e = xg_block_num(d, x);
    if (xg_str_is(name, "element")) { /* re, im */
        if (two && d->is_complex) x.e.im = xg_block_plain(d, y);
        return xg_bval_of('n', xg_block_as_element(d, x.e));
    }
    if (xg_str_is(name, "abs")) return xg_bval_real(x.e.im ? xg_cx_abs(b, x.e) : xg_k1(b, XG_K_OP_ABSF, x.e.v));
    if (xg_str_is(name, "norm2")) return xg_bval_real(xg_block_square(d, x.e));
    if (xg_str_is(name, "re")) return xg_bval_real(x.e.v);
    if (xg_str_is(name, "im")) return xg_bval_real(x.e.im ? x.e.im : xg_block_float(d, 0));
    if (xg_str_is(name, "conj")) {
        if (x.e.im) x.e.im = xg_block_neg(d, x.e.im);
        return xg_bval_of('n', x.e);
    }
    if (xg_str_is(name, "abs1")) { /* |re| + |im| */
        y.e.v = xg_k1(b, XG_K_OP_ABSF, x.e.v);
        return xg_bval_real(x.e.im ? xg_k2(b, XG_K_OP_ADDF, y.e.v, xg_k1(b, XG_K_OP_ABSF, x.e.im)) : y.e.v);
    }
    if (xg_str_is(name, "csqrt"))
        return xg_bval_of('n', x.e.im ? xg_cx_sqrt(b, x.e) : xg_elem_real(xg_k1(b, XG_K_OP_SQRT, x.e.v)));
    xg_block_wrong(d, "no such function");
}
XG_FN xg_bval xg_block_primary(xg_block *d) {
    xg_block_token t = d->tokens[d->at++];
    xg_block_array *a;
    xg_block_var *v;
    xg_bval x;
    if (t.kind == XG_BT_INT) return xg_bval_of('i', xg_elem_real(xg_elem_index(&d->s, (int64_t)t.number)));
    if (t.kind == XG_BT_REAL) return xg_bval_real(xg_block_float(d, t.number));
    if (xg_str_is(t.text, "(")) {
        x = xg_block_expr(d);
        xg_block_expect(d, ")");
        x.product = false;
        return x;
    }
    if (t.kind != XG_BT_NAME) {
        d->at--;
        xg_block_wrong(d, "an expression was expected");
    }
    if (xg_block_takes(d, "(")) return xg_block_call(d, t.text);
    if (xg_block_takes(d, "[")) {
        a = xg_block_array_of(d, t.text);
        if (!a) xg_block_wrong(d, "no such array");
        (void)xg_block_access(d, a);
        return xg_block_load(d, a, d->index[0], d->index[1]);
    }
    v = xg_block_var_of(d, t.text);
    if (!v) {
        d->at--;
        xg_block_wrong(d, "no such variable");
    }
    return xg_bval_of(v->kind, v->e);
}
XG_FN xg_bval xg_block_unary(xg_block *d) {
    int64_t known;
    xg_bval x;
    if (xg_block_takes(d, "-")) {
        x = xg_block_unary(d);
        if (x.kind == 'i')
            return xg_bval_of('i', xg_elem_real(XG_KOP2(&d->s.b, XG_K_OP_SUBI, xg_elem_index_0(&d->s), x.e.v)));
        return xg_bval_of('n', xg_block_negative(d, xg_block_num(d, x)));
    }
    if (xg_block_takes(d, "!")) {
        x = xg_block_unary(d);
        if (xg_kval_is_const(xg_block_cond_of(d, x), &known))
            return xg_bval_bool(xg_kconst_int(&d->s.b, XG_E_I1, !known));
        return xg_bval_bool(xg_k2_int(&d->s.b, XG_K_OP_XORI, x.e.v, 1));
    }
    return xg_block_primary(d);
}
XG_FN xg_bval xg_block_term(xg_block *d) {
    xg_bval x = xg_block_unary(d), y;
    for (;;) {
        bool times = xg_block_sees(d, "*"), rest = xg_block_sees(d, "%");
        if (!times && !rest && !xg_block_sees(d, "/")) return x;
        d->at++;
        y = xg_block_unary(d);
        if (x.kind == 'i' && y.kind == 'i') {
            xg_range r = xg_kval_range(y.e.v);
            if (!times && (r.lo != r.hi || r.lo < 1)) xg_block_wrong(d, "the divisor is no constant");
            x = times ? xg_block_ints(d, XG_K_OP_MULI, x, y)
                      : xg_bval_of('i', xg_elem_real(xg_block_divided(d, x.e.v, r.lo, rest)));
            continue;
        }
        x.e = xg_block_num(d, x);
        y.e = xg_block_num(d, y);
        if (times) {
            xg_bval z = xg_bval_of('n', xg_block_times(d, x.e, y.e));
            z.product = true;
            z.x = x.e;
            z.y = y.e;
            x = z;
        } else
            x = xg_bval_of('n', xg_block_over(d, x.e, y.e));
    }
}
XG_FN xg_bval xg_block_sum_of(xg_block *d, xg_bval x, xg_bval y, bool less) {
    if (x.kind == 'i' && y.kind == 'i') return xg_block_ints(d, less ? XG_K_OP_SUBI : XG_K_OP_ADDI, x, y);
    x.e = xg_block_num(d, x);
    y.e = xg_block_num(d, y);
    if (y.product) return xg_bval_of('n', xg_block_more(d, x.e, less ? xg_block_negative(d, y.x) : y.x, y.y));
    if (x.product) return xg_bval_of('n', xg_block_more(d, less ? xg_block_negative(d, y.e) : y.e, x.x, x.y));
    return xg_bval_of('n', xg_block_add(d, x.e, less ? xg_block_negative(d, y.e) : y.e));
}
XG_FN xg_bval xg_block_additive(xg_block *d) {
    xg_bval x = xg_block_term(d);
    while (xg_block_sees(d, "+") || xg_block_sees(d, "-")) {
        bool less = xg_block_sees(d, "-");
        d->at++;
        x = xg_block_sum_of(d, x, xg_block_term(d), less);
    }
    return x;
}
XG_FN xg_bval xg_block_relation(xg_block *d) {
    static const struct {
        const char *text;
        xg_kcmpi i;
        xg_kcmpf f;
    } row[] = {{"<", XG_CI_SLT, XG_CF_OLT}, {"<=", XG_CI_SLE, XG_CF_OLE}, {">", XG_CI_SGT, XG_CF_OGT},
        {">=", XG_CI_SGE, XG_CF_OGE}, {"==", XG_CI_EQ, XG_CF_OEQ}, {"!=", XG_CI_NE, XG_CF_UNE}};
    xg_bval x = xg_block_additive(d), y;
    uint32_t k;
    for (k = 0; k < XG_COUNT(row) && !xg_block_sees(d, row[k].text); k++) {}
    if (k == XG_COUNT(row)) return x;
    d->at++;
    y = xg_block_additive(d);
    if (x.kind == 'i' && y.kind == 'i') return xg_bval_bool(xg_kcmpi_(&d->s.b, row[k].i, x.e.v, y.e.v));
    x.e.v = xg_block_plain(d, x);
    y.e.v = xg_block_plain(d, y);
    return xg_bval_bool(xg_kcmpf_(&d->s.b, row[k].f, x.e.v, y.e.v));
}
XG_FN xg_bval xg_block_logic(xg_block *d, bool both) {
    xg_bval x = both ? xg_block_relation(d) : xg_block_logic(d, true), y;
    while (xg_block_takes(d, both ? "&&" : "||")) {
        y = both ? xg_block_relation(d) : xg_block_logic(d, true);
        x.e.v = xg_block_cond_of(d, x);
        x = xg_bval_bool(xg_k2(&d->s.b, both ? XG_K_OP_ANDI : XG_K_OP_ORI, x.e.v, xg_block_cond_of(d, y)));
    }
    return x;
}
XG_FN xg_bval xg_block_expr(xg_block *d) {
    xg_bval c = xg_block_logic(d, false), x, y;
    if (!xg_block_takes(d, "?")) return c;
    x = xg_block_expr(d);
    xg_block_expect(d, ":");
    y = xg_block_expr(d);
    c.e.v = xg_block_cond_of(d, c);
    if (x.kind == y.kind && x.kind != 'n')
        return xg_bval_of(x.kind, xg_elem_real(xg_kselect(&d->s.b, c.e.v, x.e.v, y.e.v)));
    x.e = xg_block_num(d, x);
    return xg_bval_of('n', xg_block_pick(d, c.e.v, x.e, xg_block_num(d, y)));
}

#endif /* XG_BLOCK_BLOCK_EXPR_C */
