/* emit/block.c -- block programs: a small language for what the threads of one block do together with matrices, and its way to kernel IR.
 *
 * A program says what happens to one matrix of a batch; a block makes one. Its statements are in the order of time; where threads share work it says so, and where they must wait
 * for each other it says `sync`. The text is read once, from the left to the right, and each construct makes its operations at once: there is no tree.
 *
 *     in a[m, n];              the next operand; a name that is new among the dimensions becomes that number
 *     out x[m, n];             the next result; `out real`, `out int`: its elements. One that the fusion does not give lies in shared memory
 *     shared real w[n];        an array in shared memory
 *     work y[m, n] in x;       lies in shared memory if there is room, else it is the result x, of as many elements; the constant y_shared says which
 *     v = e;                   a variable, or its new value: each thread has its own. Behind the } of a region its new variables are gone
 *     x[i, j] = e;             x[j] is x[0, j]. Outside of `each` the first thread of the team does it
 *     for k in a..b { }        one after the other, by all threads; b does not belong to it
 *     if c { } else { }        a condition that is a constant decides here
 *     each i in a..b { }       the threads of the team share them; each i in a..b, j in c..d: neighbours have neighbouring j
 *     rows p in a..b { }       teams of neighbouring threads have one p each: what is inside may walk along memory. Nobody waits in it
 *     columns p in a..b { }    teams of distant threads have one p each: neighbours have neighbouring p. Nothing but sums waits in it
 *     v = sum i in a..b of e;  over the team, and all of it learns the result. sum: elements; total, most: real numbers; argmax, argmin: where, the first of them, NaN never;
 *                              any i in a..b of e: conditions
 *     sync;
 *
 * Numbers are elements of the matrix (complex ones where it is complex), real numbers, ints and conditions; an int beside a number becomes one. A product that is added to something is
 * one operation. Divisors of ints are constants.
 *
 * Laws: teams that have no p of their own go along with another one's and write nothing, so that all threads meet in every sum. Of a team of n threads, thread t has the indices of which
 * t is the rest by n, in every loop, so that what it wrote is its own to read. An index of an array is never outside of it, whatever the numbers were. */
#ifndef XG_EMIT_BLOCK_C
#define XG_EMIT_BLOCK_C
#include "emit.h"

enum { XG_BLOCK_INT_MAX = 1 << 20 /* no int of a program exceeds it */ };

/* ---- the text ---- */

typedef enum xg_btok { XG_BT_NAME, XG_BT_INT, XG_BT_REAL, XG_BT_MARK, XG_BT_END } xg_btok;
typedef struct xg_block_token { xg_btok kind; xg_str text; double number; } xg_block_token;

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
    static const char *const two[] = {"..", "<=", ">=", "==", "!=", "&&", "||"};
    const char *from;
    uint32_t k;
    while (*p == ' ' || *p == '\n') p++;
    from = p;
    t->number = 0;
    t->kind = !*p ? XG_BT_END : XG_BT_MARK;
    if (xg_block_digit(*p)) p = xg_block_number(p, t);
    else if (xg_block_letter(*p)) { t->kind = XG_BT_NAME; while (xg_block_letter(*p) || xg_block_digit(*p)) p++; }
    else if (*p) {
        p++;
        for (k = 0; k < XG_COUNT(two); k++) if (from[0] == two[k][0] && from[1] == two[k][1]) { p = from + 2; break; }
    }
    t->text = xg_str_of(from, (uint32_t)(p - from));
    return p;
}
XG_FN void xg_block_read(xg_block *d, const char *const *texts, uint32_t n) {
    uint32_t pass, k, count = 0;
    for (pass = 0; pass < 2; pass++) { /* counted, then kept */
        if (pass) d->tokens = XG_NEW_N(d->e->arena, xg_block_token, count + 1);
        for (count = k = 0; k < n; k++) {
            const char *p = texts[k];
            xg_block_token t;
            for (;;) {
                p = xg_block_lex(p, &t);
                if (t.kind == XG_BT_END) break;
                if (pass) d->tokens[count] = t;
                count++;
            }
            if (pass) d->tokens[count] = t;
        }
    }
    d->at = 0;
}
XG_NORETURN XG_FN void xg_block_wrong(xg_block *d, const char *what) {
    xg_str t = d->tokens[d->at].text;
    xg_hlo_fail(d->i, XLAGPU_ERROR_INTERNAL, NULL, "its block program: %s, at token %u '%.*s'", what, d->at, (int)t.n, t.p);
}
XG_NORETURN XG_FN void xg_block_refuse(xg_block *d, const char *what) { xg_hlo_fail(d->i, XLAGPU_ERROR_INVALID, NULL, "operands and results are not those of the call: %s", what); }
XG_FN bool xg_block_sees(const xg_block *d, const char *text) { return xg_str_is(d->tokens[d->at].text, text); }
XG_FN bool xg_block_takes(xg_block *d, const char *text) { bool yes = xg_block_sees(d, text); d->at += yes; return yes; }
XG_FN void xg_block_expect(xg_block *d, const char *text) { if (!xg_block_takes(d, text)) xg_block_wrong(d, text); }
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
    for (k = d->n_vars; k-- > 0;) if (xg_str_eq(d->vars[k].name, name)) return &d->vars[k];
    return NULL;
}
XG_FN xg_block_array *xg_block_array_of(xg_block *d, xg_str name) {
    uint32_t k;
    for (k = 0; k < d->n_arrays; k++) if (xg_str_eq(d->arrays[k].name, name)) return &d->arrays[k];
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
XG_FN void xg_block_let_int(xg_block *d, xg_str name, int64_t v) { xg_block_declare(d, name, 'i', xg_elem_real(xg_elem_index(&d->s, v))); }
XG_FN void xg_block_let_real(xg_block *d, xg_str name, double v) { xg_block_declare(d, name, 'n', xg_elem_real(xg_kconst_float(&d->s.b, d->real, v))); }
XG_FN void xg_block_let_bool(xg_block *d, xg_str name, bool v) { xg_block_declare(d, name, 'b', xg_elem_real(xg_kconst_int(&d->s.b, XG_E_I1, v))); }

/* ---- values ---- */

typedef struct xg_bval { char kind; bool product; xg_elem e, x, y; } xg_bval; /* 'i' int, 'b' condition, 'n' number; a product of numbers knows what of */
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
XG_FN xg_elem xg_block_zero(xg_block *d, bool complex) {
    xg_elem z = xg_elem_real(xg_block_float(d, 0));
    if (complex) z.im = z.v;
    return z;
}
XG_FN xg_elem xg_block_num(xg_block *d, xg_bval v) { /* as a number */
    if (v.kind == 'b') xg_block_wrong(d, "a condition is no number");
    if (v.kind == 'n') return v.e;
    return xg_elem_real(xg_kcast(&d->s.b, XG_K_OP_SITOFP, xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, v.e.v, XG_E_I32), d->real));
}
XG_FN xg_kval *xg_block_plain(xg_block *d, xg_bval v) { /* a real number */
    xg_elem e = xg_block_num(d, v);
    if (e.im) xg_block_wrong(d, "a real number was expected");
    return e.v;
}
XG_FN xg_kval *xg_block_int_of(xg_block *d, xg_bval v) {
    if (v.kind != 'i') xg_block_wrong(d, "an int was expected");
    return v.e.v;
}
XG_FN xg_kval *xg_block_cond_of(xg_block *d, xg_bval v) {
    if (v.kind != 'b') xg_block_wrong(d, "a condition was expected");
    return v.e.v;
}
XG_FN xg_elem xg_block_as_element(xg_block *d, xg_elem e) { if (d->complex && !e.im) e.im = xg_block_float(d, 0); return e; }
XG_FN xg_kval *xg_block_neg(xg_block *d, xg_kval *v) { return xg_k1(&d->s.b, XG_K_OP_NEGF, v); }
XG_FN xg_kval *xg_block_fma(xg_block *d, xg_kval *x, xg_kval *y, xg_kval *z) { return xg_k3(&d->s.b, XG_K_OP_FMA, x, y, z); }

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
    z.v = xg_k2(b, XG_K_OP_MULF, x.v, y.v);
    z.im = NULL;
    if (x.im && y.im) z.v = xg_block_fma(d, xg_block_neg(d, x.im), y.im, z.v);
    if (y.im) z.im = xg_k2(b, XG_K_OP_MULF, x.v, y.im);
    if (x.im) z.im = z.im ? xg_block_fma(d, x.im, y.v, z.im) : xg_k2(b, XG_K_OP_MULF, x.im, y.v);
    return z;
}
XG_FN xg_elem xg_block_add(xg_block *d, xg_elem x, xg_elem y) {
    x.v = xg_k2(&d->s.b, XG_K_OP_ADDF, x.v, y.v);
    if (x.im && y.im) x.im = xg_k2(&d->s.b, XG_K_OP_ADDF, x.im, y.im);
    else if (y.im) x.im = y.im;
    return x;
}
XG_FN xg_elem xg_block_over(xg_block *d, xg_elem x, xg_elem y) {
    if (y.im) return xg_cx_div(&d->s.b, xg_block_as_element(d, x), y);
    x.v = xg_k2(&d->s.b, XG_K_OP_DIVF, x.v, y.v);
    if (x.im) x.im = xg_k2(&d->s.b, XG_K_OP_DIVF, x.im, y.v);
    return x;
}
XG_FN xg_kval *xg_block_square(xg_block *d, xg_elem x) {
    xg_kval *v = xg_k2(&d->s.b, XG_K_OP_MULF, x.v, x.v);
    return x.im ? xg_block_fma(d, x.im, x.im, v) : v;
}
XG_FN xg_elem xg_block_pick(xg_block *d, xg_kval *c, xg_elem x, xg_elem y) {
    if (x.im || y.im) { x = xg_block_as_element(d, x); y = xg_block_as_element(d, y); }
    x.v = xg_kselect(&d->s.b, c, x.v, y.v);
    if (x.im) x.im = xg_kselect(&d->s.b, c, x.im, y.im);
    return x;
}
/* 1 / x or 1 / sqrt(x) of a normal number: what the machine has for a start, then Newton's steps, each of which doubles the good bits. A division or root that is rounded correctly is a
 * call in the machine's code, around which registers are saved. */
XG_FN xg_kval *xg_block_newton(xg_block *d, xg_kval *x, bool root) {
    xg_kb *b = &d->s.b;
    xg_kval *y = xg_k1(b, root ? XG_K_OP_RSQRTA : XG_K_OP_RCPA, x), *e, *h;
    int steps;
    for (steps = d->real == XG_E_F64 ? 2 : 1; steps; steps--) {
        e = xg_block_neg(d, root ? xg_k2(b, XG_K_OP_MULF, x, y) : x);
        e = xg_block_fma(d, e, y, xg_block_float(d, 1));
        h = root ? xg_k2(b, XG_K_OP_MULF, y, xg_block_float(d, 0.5)) : y;
        y = xg_block_fma(d, h, e, y);
    }
    return y;
}
/* Of what is below the least normal number about zero. */
XG_FN xg_kval *xg_block_sqrt(xg_block *d, xg_kval *x) {
    xg_kval *most = xg_k2(&d->s.b, XG_K_OP_MAXF, x, xg_block_float(d, ldexp(1, d->real == XG_E_F64 ? -1022 : -126)));
    return xg_k2(&d->s.b, XG_K_OP_MULF, x, xg_block_newton(d, most, true));
}
/* The power of two of a size, which may be divided by: 1 where there is nothing, or no number. Its inverse is a normal number, too. */
XG_FN xg_kval *xg_block_magnitude(xg_block *d, xg_kval *v) {
    xg_kb *b = &d->s.b;
    bool wide = d->real == XG_E_F64;
    xg_kelem bits = wide ? XG_E_I64 : XG_E_I32;
    xg_kval *x = xg_kcast(b, XG_K_OP_BITCAST, v, bits), *good;
    x = xg_k2(b, XG_K_OP_ANDI, x, xg_kconst_int(b, bits, wide ? (int64_t)0x7ff0000000000000 : 0x7f800000));
    x = xg_kcast(b, XG_K_OP_BITCAST, x, d->real);
    x = xg_k2(b, XG_K_OP_MINNUMF, x, xg_block_float(d, ldexp(1, wide ? 1022 : 126)));
    good = xg_kcmpf_(b, XG_CF_OGT, x, xg_block_float(d, 0));
    good = xg_k2(b, XG_K_OP_ANDI, good, xg_kcmpf_(b, XG_CF_OLT, v, xg_block_float(d, HUGE_VAL)));
    return xg_kselect(b, good, x, xg_block_float(d, 1));
}

/* ---- memory ---- */

XG_FN xg_kval *xg_block_inside(xg_block *d, xg_kval *v, int64_t count) {
    xg_range r = xg_kval_range(v);
    if (r.hi >= count) v = xg_k2(&d->s.b, XG_K_OP_MINSI, v, xg_elem_index(&d->s, count - 1));
    if (r.lo < 0) v = xg_k2(&d->s.b, XG_K_OP_MAXSI, v, xg_elem_index(&d->s, 0));
    return v;
}
/* Of an int by a constant: the quotient, or what is left. */
XG_FN xg_kval *xg_block_divided(xg_block *d, xg_kval *v, int64_t by, bool rest) {
    xg_aff_ctx *x = d->e->m->aff;
    xg_imap *m = xg_imap_new(x, 1, 0, 0, 1, 0);
    xg_range r = xg_kval_range(v);
    m->dims[0].range = xg_range_of(XG_MAX(r.lo, (int64_t)0), XG_MIN(XG_MAX(r.hi, (int64_t)0), (int64_t)1 << 40));
    m->results[0] = rest ? xg_aff_mod(x, xg_aff_dim(x, 0), by) : xg_aff_div(x, xg_aff_dim(x, 0), by);
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
        flat = a->rows == 1 ? j : xg_k2(&d->s.b, XG_K_OP_ADDI, xg_k2(&d->s.b, XG_K_OP_MULI, i, xg_elem_index(&d->s, pitch)), j);
        xg_kval_set_range(flat, xg_range_of(0, a->rows * pitch - 1));
        if (a->where == XG_BLOCK_SHARED) { at[0] = flat; return 1; }
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
    e.v = xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, e.v, XG_E_INDEX);
    return xg_bval_of('i', e);
}
XG_FN void xg_block_store(xg_block *d, xg_block_array *a, xg_kval *i, xg_kval *j, xg_bval v) {
    xg_block_array *home = a->lent ? a->lent : a;
    xg_kval *at[3];
    uint32_t n = xg_block_place(d, a, i, j, at);
    xg_elem e;
    if (a->kind == 'i') e = xg_elem_real(xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, xg_block_int_of(d, v), XG_E_I32));
    else e = a->kind == 'r' ? xg_elem_real(xg_block_plain(d, v)) : xg_block_as_element(d, xg_block_num(d, v));
    if (a->where == XG_BLOCK_SHARED) a->tensor = xg_kinsert(&d->s.b, xg_emit_join(&d->s.b, e), a->tensor, at, n);
    else home->tensor = xg_emit_insert(&d->s.b, e, home->tensor, a->shape, at);
}
XG_FN xg_kval *xg_block_shared(xg_block *d, xg_kelem e, int64_t n) {
    const xg_ktype *t = xg_kir_tensor(d->e->m, e, &n, 1);
    if (n > XG_BLOCK_SHARED_MAX) xg_block_refuse(d, "they are too large");
    d->shared += (n * xg_kelem_bytes(e) + 15) / 16 * 16;
    if (d->shared > XG_BLOCK_SHARED_MAX) xg_block_refuse(d, "they are too large");
    return xg_kir_op(&d->s.b, XG_K_OP_ALLOC_SHARED, NULL, 0, &t, 1, 0)->results;
}
XG_FN void xg_block_sync(xg_block *d) {
    xg_kval **slots[XG_BLOCK_ARRAYS + 4], *v[XG_BLOCK_ARRAYS + 4] = {NULL};
    const xg_ktype *types[XG_BLOCK_ARRAYS + 4] = {NULL};
    uint32_t n = 0, k;
    xg_kop *op;
    for (k = 0; k < d->n_arrays; k++) if (d->arrays[k].tensor) slots[n++] = &d->arrays[k].tensor;
    for (k = 0; k < 3; k++) if (d->part[k]) slots[n++] = &d->part[k];
    for (k = 0; k < n; k++) { v[k] = *slots[k]; types[k] = v[k]->type; }
    op = xg_kir_op(&d->s.b, XG_K_OP_SYNC, v, n, types, n, 0);
    for (k = 0; k < n; k++) *slots[k] = &op->results[k];
}

/* ---- expressions ---- */

/* Of constants a constant: dimensions are made of such. */
XG_FN xg_bval xg_block_ints(xg_block *d, xg_kopcode op, xg_bval x, xg_bval y) {
    xg_range p = xg_kval_range(x.e.v), q = xg_kval_range(y.e.v);
    int64_t v = op == XG_K_OP_ADDI ? p.lo + q.lo : op == XG_K_OP_SUBI ? p.lo - q.lo : op == XG_K_OP_MULI ? p.lo * q.lo : op == XG_K_OP_MINSI ? XG_MIN(p.lo, q.lo) : XG_MAX(p.lo, q.lo);
    bool known = p.lo == p.hi && q.lo == q.hi;
    return xg_bval_of('i', xg_elem_real(known ? xg_elem_index(&d->s, v) : xg_k2(&d->s.b, op, x.e.v, y.e.v)));
}

XG_FN xg_bval xg_block_access(xg_block *d, xg_block_array *a) { /* behind [ */
    xg_kval *i = xg_block_int_of(d, xg_block_expr(d)), *j;
    if (xg_block_takes(d, ",")) j = xg_block_int_of(d, xg_block_expr(d));
    else { j = i; i = xg_elem_index(&d->s, 0); }
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
    if (xg_str_is(name, "min") || xg_str_is(name, "max")) return xg_block_least(d, x, y, xg_str_is(name, "min"));
    if (xg_str_is(name, "sqrt")) return xg_bval_real(xg_block_sqrt(d, xg_block_plain(d, x)));
    if (xg_str_is(name, "inverse") || xg_str_is(name, "inverse_root")) return xg_bval_real(xg_block_newton(d, xg_block_plain(d, x), xg_str_is(name, "inverse_root")));
    if (xg_str_is(name, "magnitude")) return xg_bval_real(xg_block_magnitude(d, xg_block_plain(d, x)));
    if (xg_str_is(name, "finite")) return xg_bval_bool(XG_KCMPF(b, XG_CF_OLT, xg_k1(b, XG_K_OP_ABSF, xg_block_plain(d, x)), xg_block_float(d, HUGE_VAL)));
    x.e = xg_block_num(d, x);
    if (xg_str_is(name, "element")) { /* re, im */
        if (two && d->complex) x.e.im = xg_block_plain(d, y);
        return xg_bval_of('n', xg_block_as_element(d, x.e));
    }
    if (xg_str_is(name, "abs")) return xg_bval_real(x.e.im ? xg_cx_abs(b, x.e) : xg_k1(b, XG_K_OP_ABSF, x.e.v));
    if (xg_str_is(name, "norm2")) return xg_bval_real(xg_block_square(d, x.e));
    if (xg_str_is(name, "re")) return xg_bval_real(x.e.v);
    if (xg_str_is(name, "im")) return xg_bval_real(x.e.im ? x.e.im : xg_block_float(d, 0));
    if (xg_str_is(name, "conj")) { if (x.e.im) x.e.im = xg_block_neg(d, x.e.im); return xg_bval_of('n', x.e); }
    if (xg_str_is(name, "abs1")) { /* |re| + |im| */
        y.e.v = xg_k1(b, XG_K_OP_ABSF, x.e.v);
        return xg_bval_real(x.e.im ? xg_k2(b, XG_K_OP_ADDF, y.e.v, xg_k1(b, XG_K_OP_ABSF, x.e.im)) : y.e.v);
    }
    if (xg_str_is(name, "csqrt")) return xg_bval_of('n', x.e.im ? xg_cx_sqrt(b, x.e) : xg_elem_real(xg_k1(b, XG_K_OP_SQRT, x.e.v)));
    xg_block_wrong(d, "no such function");
}
XG_FN xg_bval xg_block_primary(xg_block *d) {
    xg_block_token t = d->tokens[d->at++];
    xg_block_array *a;
    xg_block_var *v;
    xg_bval x;
    if (t.kind == XG_BT_INT) return xg_bval_of('i', xg_elem_real(xg_elem_index(&d->s, (int64_t)t.number)));
    if (t.kind == XG_BT_REAL) return xg_bval_real(xg_block_float(d, t.number));
    if (xg_str_is(t.text, "(")) { x = xg_block_expr(d); xg_block_expect(d, ")"); x.product = false; return x; }
    if (t.kind != XG_BT_NAME) { d->at--; xg_block_wrong(d, "an expression was expected"); }
    if (xg_block_takes(d, "(")) return xg_block_call(d, t.text);
    if (xg_block_takes(d, "[")) {
        a = xg_block_array_of(d, t.text);
        if (!a) xg_block_wrong(d, "no such array");
        (void)xg_block_access(d, a);
        return xg_block_load(d, a, d->index[0], d->index[1]);
    }
    v = xg_block_var_of(d, t.text);
    if (!v) { d->at--; xg_block_wrong(d, "no such variable"); }
    return xg_bval_of(v->kind, v->e);
}
XG_FN xg_bval xg_block_unary(xg_block *d) {
    int64_t known;
    xg_bval x;
    if (xg_block_takes(d, "-")) {
        x = xg_block_unary(d);
        if (x.kind == 'i') return xg_bval_of('i', xg_elem_real(XG_KOP2(&d->s.b, XG_K_OP_SUBI, xg_elem_index(&d->s, 0), x.e.v)));
        return xg_bval_of('n', xg_block_negative(d, xg_block_num(d, x)));
    }
    if (xg_block_takes(d, "!")) {
        x = xg_block_unary(d);
        if (xg_kval_is_const(xg_block_cond_of(d, x), &known)) return xg_bval_bool(xg_kconst_int(&d->s.b, XG_E_I1, !known));
        return xg_bval_bool(xg_k2(&d->s.b, XG_K_OP_XORI, x.e.v, xg_kconst_int(&d->s.b, XG_E_I1, 1)));
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
            x = times ? xg_block_ints(d, XG_K_OP_MULI, x, y) : xg_bval_of('i', xg_elem_real(xg_block_divided(d, x.e.v, r.lo, rest)));
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
        } else x = xg_bval_of('n', xg_block_over(d, x.e, y.e));
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
    static const struct { const char *text; xg_kcmpi i; xg_kcmpf f; } row[] = {
        {"<", XG_CI_SLT, XG_CF_OLT}, {"<=", XG_CI_SLE, XG_CF_OLE}, {">", XG_CI_SGT, XG_CF_OGT}, {">=", XG_CI_SGE, XG_CF_OGE}, {"==", XG_CI_EQ, XG_CF_OEQ}, {"!=", XG_CI_NE, XG_CF_UNE}};
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
    if (x.kind == y.kind && x.kind != 'n') return xg_bval_of(x.kind, xg_elem_real(xg_kselect(&d->s.b, c.e.v, x.e.v, y.e.v)));
    x.e = xg_block_num(d, x);
    return xg_bval_of('n', xg_block_pick(d, c.e.v, x.e, xg_block_num(d, y)));
}

/* ---- regions ---- */

XG_FN void xg_block_statement(xg_block *d);

XG_FN bool xg_block_is_fold(const xg_block *d, uint32_t k) {
    static const char *const words[] = {"sum", "total", "most", "argmax", "argmin", "any", "sync"};
    uint32_t w;
    for (w = 0; w < XG_COUNT(words); w++) if (xg_str_is(d->tokens[k].text, words[w])) return true;
    return false;
}
XG_FN void xg_block_carry_slot(xg_flow *f, xg_kval **slot) {
    uint32_t k;
    for (k = 0; k < f->n; k++) if (f->slots[k] == slot) return;
    xg_flow_slot(f, slot);
}
/* What the tokens [from, to) change of what exists already. */
XG_FN void xg_block_carry(xg_block *d, xg_flow *f, uint32_t from, uint32_t to) {
    uint32_t k, v;
    memset(f, 0, sizeof *f);
    f->limit = XG_BLOCK_INT_MAX;
    f->rolled = true;
    for (k = from; k < to; k++) {
        if (d->tokens[k].kind != XG_BT_NAME) continue;
        if (xg_block_is_fold(d, k)) {
            for (v = 0; v < d->n_arrays; v++) xg_block_carry_slot(f, &d->arrays[v].tensor);
            for (v = 0; v < 3; v++) xg_block_carry_slot(f, &d->part[v]);
        } else if (xg_str_is(d->tokens[k + 1].text, "=")) {
            xg_block_var *x = xg_block_var_of(d, d->tokens[k].text);
            if (x) { xg_block_carry_slot(f, &x->e.v); xg_block_carry_slot(f, &x->e.im); }
        } else if (xg_str_is(d->tokens[k + 1].text, "[") && xg_str_is(d->tokens[xg_block_behind(d, k + 1)].text, "=")) {
            xg_block_array *x = xg_block_array_of(d, d->tokens[k].text);
            if (x) xg_block_carry_slot(f, x->lent ? &x->lent->tensor : &x->tensor);
        }
    }
}
XG_FN void xg_block_region(xg_block *d) {
    uint32_t vars = d->n_vars;
    xg_block_expect(d, "{");
    while (!xg_block_takes(d, "}")) xg_block_statement(d);
    d->n_vars = vars;
}
typedef struct xg_block_range { xg_str name; xg_kval *lo, *hi; int64_t limit; } xg_block_range;
XG_FN xg_block_range xg_block_range_of(xg_block *d) { /* i in a..b */
    xg_block_range r;
    r.name = xg_block_name(d);
    xg_block_expect(d, "in");
    r.lo = xg_block_int_of(d, xg_block_expr(d));
    xg_block_expect(d, "..");
    r.hi = xg_block_int_of(d, xg_block_expr(d));
    r.limit = XG_MAX(XG_MIN(xg_kval_range(r.hi).hi, (int64_t)XG_BLOCK_INT_MAX), (int64_t)1);
    return r;
}
/* The first index from lo on that thread `mine` of so many has. */
XG_FN xg_kval *xg_block_first(xg_block *d, xg_kval *lo, xg_kval *mine, int64_t of) {
    xg_range r = xg_kval_range(lo);
    xg_kval *away;
    if (r.lo == r.hi && r.lo % of == 0) return r.lo ? xg_k2(&d->s.b, XG_K_OP_ADDI, lo, mine) : mine;
    away = xg_k2(&d->s.b, XG_K_OP_SUBI, mine, lo);
    away = xg_k2(&d->s.b, XG_K_OP_ANDI, away, xg_elem_index(&d->s, of - 1));
    return xg_k2(&d->s.b, XG_K_OP_ADDI, lo, away);
}
/* The loop of the region that stands next. mine: by a team's threads, each with its indices. */
XG_FN void xg_block_open(xg_block *d, xg_flow *f, const xg_block_range *r, xg_kval *mine, int64_t step) {
    xg_kval *lo = mine ? xg_block_first(d, r->lo, mine, step) : r->lo, *hi = r->hi;
    if (mine && d->active) hi = xg_kselect(&d->s.b, d->active, hi, r->lo); /* nothing for those who only go along */
    xg_block_declare(d, r->name, 'i', xg_elem_real(xg_flow_for(&d->s, f, lo, hi, step, r->limit)));
}
XG_FN void xg_block_for(xg_block *d) {
    xg_block_range r = xg_block_range_of(d);
    uint32_t vars = d->n_vars;
    xg_flow f;
    xg_block_carry(d, &f, d->at, xg_block_behind(d, d->at));
    xg_block_open(d, &f, &r, NULL, 1);
    xg_block_region(d);
    xg_flow_end(&d->s, &f);
    d->n_vars = vars;
}
XG_FN void xg_block_each(xg_block *d) {
    xg_block_range r = xg_block_range_of(d), q;
    bool two = xg_block_takes(d, ","), outer_each = d->alone;
    uint32_t vars = d->n_vars;
    xg_flow f, g;
    if (two) q = xg_block_range_of(d);
    xg_block_carry(d, &f, d->at, xg_block_behind(d, d->at));
    g = f;
    if (two) {
        if (d->team != XG_BLOCK_ALL) xg_block_wrong(d, "teams share one index");
        xg_block_open(d, &f, &r, d->line, d->lines);
        xg_block_open(d, &g, &q, d->lane, d->lanes);
    } else xg_block_open(d, &f, &r, d->member, d->members);
    d->alone = true;
    xg_block_region(d);
    d->alone = outer_each;
    if (two) xg_flow_end(&d->s, &g);
    xg_flow_end(&d->s, &f);
    d->n_vars = vars;
}
/* Teams: all go the same number of rounds. */
XG_FN void xg_block_teams(xg_block *d, xg_block_team team) {
    xg_block_range r = xg_block_range_of(d);
    xg_kval *mine = team == XG_BLOCK_ROWS ? d->group : d->lane, *p;
    xg_block_var *var;
    uint32_t vars = d->n_vars;
    xg_flow f;
    if (d->team != XG_BLOCK_ALL) xg_block_wrong(d, "teams of teams");
    xg_block_carry(d, &f, d->at, xg_block_behind(d, d->at));
    xg_block_open(d, &f, &r, NULL, team == XG_BLOCK_ROWS ? d->groups : d->lanes);
    var = &d->vars[d->n_vars - 1];
    p = xg_k2(&d->s.b, XG_K_OP_ADDI, var->e.v, mine);
    d->active = xg_kcmpi_(&d->s.b, XG_CI_SLT, p, r.hi);
    p = xg_kselect(&d->s.b, d->active, p, var->e.v);
    xg_kval_set_range(p, xg_range_of(0, r.limit - 1));
    var->e.v = p;
    d->team = team;
    d->member = team == XG_BLOCK_ROWS ? d->place : d->line;
    d->members = team == XG_BLOCK_ROWS ? d->threads / d->groups : d->lines;
    xg_block_region(d);
    d->team = XG_BLOCK_ALL;
    d->active = NULL;
    d->member = d->thread;
    d->members = d->threads;
    xg_flow_end(&d->s, &f);
    d->n_vars = vars;
}
XG_FN void xg_block_skip(xg_block *d) { d->at = xg_block_behind(d, d->at); }
XG_FN void xg_block_if(xg_block *d) {
    xg_kval *cond = xg_block_cond_of(d, xg_block_expr(d));
    uint32_t then = d->at, behind = xg_block_behind(d, then), end = behind;
    bool otherwise = xg_str_is(d->tokens[behind].text, "else");
    int64_t known;
    xg_flow f;
    if (otherwise) end = xg_block_behind(d, behind + 1);
    if (xg_kval_is_const(cond, &known)) {
        if (known) { xg_block_region(d); d->at = end; return; }
        d->at = end;
        if (!otherwise) return;
        d->at = behind + 1;
        xg_block_region(d);
        return;
    }
    xg_block_carry(d, &f, then, end);
    xg_flow_if(&d->s, &f, cond);
    xg_block_region(d);
    if (otherwise) {
        d->at = behind + 1;
        xg_flow_else(&d->s, &f);
        xg_block_region(d);
    }
    xg_flow_end(&d->s, &f);
}

/* ---- sums ---- */

typedef enum xg_bfold { XG_BF_SUM, XG_BF_TOTAL, XG_BF_MOST, XG_BF_ARGMAX, XG_BF_ARGMIN, XG_BF_ANY, XG_BF_COUNT } xg_bfold;
typedef struct xg_bacc { xg_elem e; xg_kval *at; } xg_bacc; /* a value and, of argmax and argmin, where (i32) */

XG_FN xg_bacc xg_block_joined(xg_block *d, xg_bfold how, xg_bacc x, xg_bacc y) {
    xg_kb *b = &d->s.b;
    xg_kval *better, *same;
    if (how == XG_BF_SUM || how == XG_BF_TOTAL) x.e = xg_block_add(d, x.e, y.e);
    else if (how == XG_BF_MOST) x.e.v = xg_k2(b, XG_K_OP_MAXF, x.e.v, y.e.v);
    else if (how == XG_BF_ANY) x.e.v = xg_k2(b, XG_K_OP_ORI, x.e.v, y.e.v);
    else {
        better = xg_kcmpf_(b, how == XG_BF_ARGMAX ? XG_CF_OGT : XG_CF_OLT, y.e.v, x.e.v);
        same = xg_kcmpf_(b, XG_CF_OEQ, y.e.v, x.e.v);
        same = xg_k2(b, XG_K_OP_ANDI, same, xg_kcmpi_(b, XG_CI_SLT, y.at, x.at));
        better = xg_k2(b, XG_K_OP_ORI, better, same);
        x.e.v = xg_kselect(b, better, y.e.v, x.e.v);
        x.at = xg_kselect(b, better, y.at, x.at);
    }
    return x;
}
XG_FN xg_bacc xg_block_shuffled(xg_block *d, xg_bfold how, xg_bacc x, int64_t lanes) {
    for (lanes /= 2; lanes; lanes /= 2) {
        xg_kval *by = xg_kconst_int(&d->s.b, XG_E_I32, lanes);
        xg_bacc y = x;
        y.e.v = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.e.v, by);
        if (x.e.im) y.e.im = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.e.im, by);
        if (x.at) y.at = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.at, by);
        x = xg_block_joined(d, how, x, y);
    }
    return x;
}
/* The array for parts: elements, real numbers, ints. */
XG_FN xg_kval **xg_block_part(xg_block *d, uint32_t which) {
    static const char none[] = "a sum whose parts have no place";
    if (!d->part[which]) xg_block_wrong(d, none);
    return &d->part[which];
}
XG_FN uint32_t xg_block_part_of(xg_bfold how) { return how == XG_BF_SUM ? 0 : how == XG_BF_ANY ? 2 : 1; }
XG_FN void xg_block_part_put(xg_block *d, xg_bfold how, xg_bacc x, xg_kval *at) {
    xg_kval **p = xg_block_part(d, xg_block_part_of(how));
    xg_kval *v = how == XG_BF_SUM ? xg_emit_join(&d->s.b, x.e) : how == XG_BF_ANY ? xg_kcast(&d->s.b, XG_K_OP_EXTUI, x.e.v, XG_E_I32) : x.e.v;
    *p = xg_kinsert(&d->s.b, v, *p, &at, 1);
    if (!x.at) return;
    p = xg_block_part(d, 2);
    *p = xg_kinsert(&d->s.b, x.at, *p, &at, 1);
}
XG_FN xg_bacc xg_block_part_get(xg_block *d, xg_bfold how, xg_kval *at) {
    xg_kval *v = xg_kextract(&d->s.b, *xg_block_part(d, xg_block_part_of(how)), &at, 1);
    xg_bacc x;
    x.at = NULL;
    if (how == XG_BF_ANY) v = xg_kcast(&d->s.b, XG_K_OP_TRUNCI, v, XG_E_I1);
    x.e = how == XG_BF_SUM ? xg_emit_split(&d->s.b, v) : xg_elem_real(v);
    if (how == XG_BF_ARGMAX || how == XG_BF_ARGMIN) x.at = xg_kextract(&d->s.b, *xg_block_part(d, 2), &at, 1);
    return x;
}
/* What `count` threads have laid down, at places base, base + step ...; all others wait. */
XG_FN xg_bacc xg_block_gathered(xg_block *d, xg_bfold how, xg_bacc x, xg_kval *cond, xg_kval *to, xg_kval *base, int64_t step, int64_t count) {
    xg_flow f;
    xg_kval *k, *lo, *hi;
    uint32_t p;
    memset(&f, 0, sizeof f);
    for (p = 0; p < 3; p++) xg_flow_slot(&f, &d->part[p]);
    if (cond) xg_flow_if(&d->s, &f, cond);
    xg_block_part_put(d, how, x, to);
    if (cond) xg_flow_end(&d->s, &f);
    xg_block_sync(d);
    x = xg_block_part_get(d, how, base);
    memset(&f, 0, sizeof f);
    xg_flow_elem(&f, &x.e);
    xg_flow_slot(&f, &x.at);
    lo = xg_elem_index(&d->s, 1);
    hi = xg_elem_index(&d->s, count);
    k = xg_flow_for(&d->s, &f, lo, hi, 1, count);
    k = xg_k2(&d->s.b, XG_K_OP_ADDI, base, xg_k2(&d->s.b, XG_K_OP_MULI, k, xg_elem_index(&d->s, step)));
    xg_kval_set_range(k, xg_range_of(0, d->threads - 1));
    x = xg_block_joined(d, how, x, xg_block_part_get(d, how, k));
    xg_flow_end(&d->s, &f);
    xg_block_sync(d);
    return x;
}
XG_FN xg_bacc xg_block_together(xg_block *d, xg_bfold how, xg_bacc x) {
    xg_kval *zero, *first;
    if (d->team == XG_BLOCK_ROWS) return xg_block_shuffled(d, how, x, d->members);
    if (d->team == XG_BLOCK_COLUMNS) return d->lines > 1 ? xg_block_gathered(d, how, x, NULL, d->thread, d->lane, d->lanes, d->lines) : x;
    x = xg_block_shuffled(d, how, x, 32);
    if (d->threads == 32) return x;
    zero = xg_elem_index(&d->s, 0);
    first = xg_block_divided(d, d->thread, 32, true);
    first = xg_kcmpi_(&d->s.b, XG_CI_EQ, first, zero);
    return xg_block_gathered(d, how, x, first, xg_block_divided(d, d->thread, 32, false), zero, 1, d->threads / 32);
}
XG_FN void xg_block_set(xg_block *d, xg_str name, xg_bval v) {
    xg_block_var *x = xg_block_var_of(d, name);
    if (!x) { xg_block_declare(d, name, v.kind, v.e); return; }
    if (x->kind == 'n') v = xg_bval_of('n', xg_block_num(d, v));
    if (x->kind == 'n' && x->e.im) v.e = xg_block_as_element(d, v.e);
    if (x->kind != v.kind || !x->e.im != !v.e.im) xg_block_wrong(d, "a variable keeps its type");
    x->e = v.e;
}
XG_FN void xg_block_fold(xg_block *d, xg_str name, xg_bfold how) { /* behind the word */
    bool where = how == XG_BF_ARGMAX || how == XG_BF_ARGMIN;
    xg_block_range r = xg_block_range_of(d);
    uint32_t vars = d->n_vars;
    xg_bacc acc, x;
    xg_bval v;
    xg_flow f;
    xg_block_expect(d, "of");
    memset(&f, 0, sizeof f);
    acc.e = how == XG_BF_ANY ? xg_elem_real(xg_kconst_int(&d->s.b, XG_E_I1, 0)) : xg_block_zero(d, how == XG_BF_SUM && d->complex);
    acc.at = where ? xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, r.lo, XG_E_I32) : NULL;
    if (where) acc.e.v = xg_block_float(d, how == XG_BF_ARGMAX ? -HUGE_VAL : HUGE_VAL);
    xg_flow_elem(&f, &acc.e);
    xg_flow_slot(&f, &acc.at);
    xg_block_open(d, &f, &r, d->member, d->members);
    x.at = where ? xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, d->vars[d->n_vars - 1].e.v, XG_E_I32) : NULL;
    v = xg_block_expr(d);
    if (v.product && (how == XG_BF_SUM || how == XG_BF_TOTAL)) acc.e = xg_block_more(d, acc.e, v.x, v.y);
    else {
        x.e = how == XG_BF_ANY ? xg_elem_real(xg_block_cond_of(d, v)) : how == XG_BF_SUM ? xg_block_num(d, v) : xg_elem_real(xg_block_plain(d, v));
        acc = xg_block_joined(d, how, acc, x);
    }
    xg_flow_end(&d->s, &f);
    d->n_vars = vars;
    acc = xg_block_together(d, how, acc);
    if (where) {
        xg_kval *at = xg_kcast(&d->s.b, XG_K_OP_INDEX_CAST, acc.at, XG_E_INDEX);
        xg_kval_set_range(at, xg_range_of(0, XG_BLOCK_INT_MAX));
        xg_block_set(d, name, xg_bval_of('i', xg_elem_real(at)));
    } else xg_block_set(d, name, xg_bval_of(how == XG_BF_ANY ? 'b' : 'n', acc.e));
}

/* ---- declarations ---- */

/* A dimension: of an array with a shape, a name that is new is a constant from now on. */
XG_FN int64_t xg_block_dim(xg_block *d, int64_t known) {
    xg_range r;
    if (known >= 0 && d->tokens[d->at].kind == XG_BT_NAME && !xg_block_var_of(d, d->tokens[d->at].text)) xg_block_let_int(d, d->tokens[d->at].text, known);
    r = xg_kval_range(xg_block_int_of(d, xg_block_expr(d)));
    if (r.lo != r.hi || (known >= 0 && r.lo != known)) xg_block_refuse(d, "another dimension");
    return r.lo;
}
XG_FN xg_kelem xg_block_elem(const xg_block *d, char kind) { return kind == 'i' ? XG_E_I32 : kind == 'r' ? d->real : d->element; }
/* Ints are s32; numbers have the type in which is computed, operands also a narrower one, or are real. */
XG_FN bool xg_block_has_type(const xg_block *d, char kind, const xg_shape *shape, bool operand) {
    xlagpu_type t = shape->type;
    if (kind == 'i') return t == XLAGPU_S32;
    if (!operand) return xg_kelem_of(t) == xg_block_elem(d, kind);
    return (t == XLAGPU_F32 || t == XLAGPU_F64 || ((t == XLAGPU_C64 || t == XLAGPU_C128) && d->complex)) && (xg_type_real(t) == XLAGPU_F32 || d->real == XG_E_F64);
}
XG_FN xg_block_array *xg_block_new_array(xg_block *d, const xg_shape *shape, bool operand) {
    xg_block_array *a = &d->arrays[d->n_arrays];
    bool vector;
    uint32_t k;
    if (d->n_arrays == XG_BLOCK_ARRAYS) xg_block_wrong(d, "too many arrays");
    memset(a, 0, sizeof *a);
    a->kind = xg_block_takes(d, "real") ? 'r' : xg_block_takes(d, "int") ? 'i' : 'n';
    a->name = xg_block_name(d);
    a->shape = shape;
    if (shape && shape->dims[1] * shape->dims[2] > XG_BLOCK_INT_MAX) xg_block_refuse(d, "they are too large");
    if (shape && !xg_block_has_type(d, a->kind, shape, operand)) xg_block_refuse(d, "another type");
    for (k = d->at; !xg_str_is(d->tokens[k].text, "]") && !xg_str_is(d->tokens[k].text, ","); k++) {}
    vector = !xg_str_is(d->tokens[k].text, ",");
    xg_block_expect(d, "[");
    a->rows = 1;
    if (!vector) {
        a->rows = xg_block_dim(d, shape ? shape->dims[1] : -1);
        xg_block_expect(d, ",");
    } else if (shape && shape->dims[1] != 1) xg_block_refuse(d, "a vector is a matrix");
    a->columns = xg_block_dim(d, shape ? shape->dims[2] : -1);
    xg_block_expect(d, "]");
    a->pitch = a->rows > 1 ? a->columns | 1 : a->columns; /* elements of a column lie in different banks */
    d->n_arrays++;
    return a;
}
XG_FN void xg_block_work(xg_block *d) {
    xg_block_array *a = xg_block_new_array(d, NULL, false), *home;
    int64_t bytes = a->rows * a->pitch * xg_kelem_bytes(d->element);
    char text[64];
    xg_str name;
    xg_block_expect(d, "in");
    name = xg_block_name(d);
    home = xg_block_array_of(d, name);
    if (!home || home->shape->elements < d->blocks * a->rows * a->columns) xg_block_refuse(d, "a result is too small");
    a->where = home->where == XG_BLOCK_SHARED || d->shared + bytes <= XG_BLOCK_SHARED_MAX - d->reserved ? XG_BLOCK_SHARED : XG_BLOCK_RESULT;
    if (a->where == XG_BLOCK_SHARED) a->tensor = xg_block_shared(d, d->element, a->rows * a->pitch);
    else { a->shape = home->shape; a->lent = home; }
    xg_format(text, sizeof text, "%.*s_shared", (int)a->name.n, a->name.p);
    xg_block_let_bool(d, xg_intern(&d->i->comp->module->pool, xg_str_z(text)), a->where == XG_BLOCK_SHARED);
}
XG_FN bool xg_block_declaration(xg_block *d) {
    xg_block_array *a;
    uint32_t k;
    if (xg_block_takes(d, "in")) {
        if (d->n_in == d->i->n_operands) xg_block_refuse(d, "an operand is missing");
        a = xg_block_new_array(d, XG_OPERAND(d->i, d->n_in)->shape, true);
        a->where = XG_BLOCK_OPERAND;
        a->number = d->n_in++;
    } else if (xg_block_takes(d, "out")) {
        bool tuple = d->i->shape->type == XLAGPU_TUPLE;
        if (d->n_out == (tuple ? d->i->shape->n_elems : 1)) xg_block_refuse(d, "a result is missing");
        a = xg_block_new_array(d, tuple ? d->i->shape->elems[d->n_out] : d->i->shape, false);
        for (k = 0; k < d->e->n_roots && tuple && xg_attr_int(d->e->roots[k], XG_A_index, 0) != (int64_t)d->n_out; k++) {}
        d->n_out++;
        a->number = k;
        if (k < d->e->n_roots) { a->where = XG_BLOCK_RESULT; a->tensor = d->results[k]; }
        else { a->where = XG_BLOCK_SHARED; a->tensor = xg_block_shared(d, xg_block_elem(d, a->kind), a->rows * a->pitch); } /* nobody wants it */
    } else if (xg_block_takes(d, "shared")) {
        a = xg_block_new_array(d, NULL, false);
        a->where = XG_BLOCK_SHARED;
        a->tensor = xg_block_shared(d, xg_block_elem(d, a->kind), a->rows * a->pitch);
    } else if (xg_block_takes(d, "work")) xg_block_work(d);
    else return false;
    xg_block_expect(d, ";");
    return true;
}

/* ---- statements ---- */

XG_FN void xg_block_assign(xg_block *d) {
    static const char *const folds[XG_BF_COUNT] = {"sum", "total", "most", "argmax", "argmin", "any"};
    xg_str name = xg_block_name(d);
    xg_block_array *a;
    xg_kval *i, *j, *zero, *cond;
    xg_flow f;
    uint32_t k;
    if (!xg_block_takes(d, "[")) {
        xg_block_expect(d, "=");
        for (k = 0; k < XG_BF_COUNT; k++) if (xg_block_takes(d, folds[k])) { xg_block_fold(d, name, (xg_bfold)k); xg_block_expect(d, ";"); return; }
        xg_block_set(d, name, xg_block_expr(d));
        xg_block_expect(d, ";");
        return;
    }
    a = xg_block_array_of(d, name);
    if (!a || a->where == XG_BLOCK_OPERAND) xg_block_wrong(d, "no array to write to");
    (void)xg_block_access(d, a);
    i = d->index[0];
    j = d->index[1];
    xg_block_expect(d, "=");
    if (d->alone) xg_block_store(d, a, i, j, xg_block_expr(d));
    else { /* by the first of the team */
        xg_bval v = xg_block_expr(d);
        zero = xg_elem_index(&d->s, 0);
        cond = xg_elem_and(&d->s, d->active, xg_kcmpi_(&d->s.b, XG_CI_EQ, d->member, zero));
        memset(&f, 0, sizeof f);
        xg_flow_slot(&f, a->lent ? &a->lent->tensor : &a->tensor);
        xg_flow_if(&d->s, &f, cond);
        xg_block_store(d, a, i, j, v);
        xg_flow_end(&d->s, &f);
    }
    xg_block_expect(d, ";");
}
XG_FN void xg_block_statement(xg_block *d) {
    if (xg_block_declaration(d)) return;
    if (xg_block_takes(d, "sync")) { xg_block_expect(d, ";"); if (d->team == XG_BLOCK_ROWS || d->alone) xg_block_wrong(d, "not all threads are here"); xg_block_sync(d); }
    else if (xg_block_takes(d, "for")) xg_block_for(d);
    else if (xg_block_takes(d, "each")) xg_block_each(d);
    else if (xg_block_takes(d, "rows")) xg_block_teams(d, XG_BLOCK_ROWS);
    else if (xg_block_takes(d, "columns")) xg_block_teams(d, XG_BLOCK_COLUMNS);
    else if (xg_block_takes(d, "if")) xg_block_if(d);
    else xg_block_assign(d);
}

/* Memory for parts of sums, of those kinds that the program has. */
XG_FN void xg_block_parts(xg_block *d) {
    bool columns = false, need[3] = {false, false, false};
    uint32_t k;
    int64_t n;
    if (d->threads == 32 && d->lines == 1) return;
    for (k = 0; d->tokens[k].kind != XG_BT_END; k++) {
        xg_str t = d->tokens[k].text;
        columns = columns || xg_str_is(t, "columns");
        need[0] = need[0] || xg_str_is(t, "sum");
        need[1] = need[1] || xg_str_is(t, "total") || xg_str_is(t, "most") || xg_str_is(t, "argmax") || xg_str_is(t, "argmin");
        need[2] = need[2] || xg_str_is(t, "argmax") || xg_str_is(t, "argmin") || xg_str_is(t, "any");
    }
    n = columns ? d->threads : XG_MAX(d->threads / 32, (int64_t)1);
    for (k = 0; k < 3; k++) if (need[k]) d->part[k] = xg_block_shared(d, k == 0 ? d->element : k == 1 ? d->real : XG_E_I32, n);
}
XG_FN void xg_block_run(xg_block *d, xg_kval **results) {
    uint32_t k;
    d->results = results;
    xg_block_parts(d);
    while (d->tokens[d->at].kind != XG_BT_END) xg_block_statement(d);
    if (d->n_in != d->i->n_operands || d->n_out != (d->i->shape->type == XLAGPU_TUPLE ? d->i->shape->n_elems : 1)) xg_block_refuse(d, "there are too many");
    for (k = 0; k < d->n_arrays; k++) if (d->arrays[k].where == XG_BLOCK_RESULT && !d->arrays[k].lent) results[d->arrays[k].number] = d->arrays[k].tensor;
}

#endif /* XG_EMIT_BLOCK_C */
