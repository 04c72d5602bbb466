/* block/block.c -- block programs: a small language for what the threads of one block do together with matrices, and
 * its way to kernel IR.
 *
 * A program says what happens to one matrix of a batch; a block makes one. Its statements are in the order of time;
 * where threads share work it says so, and where they must wait for each other it says `sync`. The text is read once,
 * from the left to the right, and each construct makes its operations at once: there is no tree.
 *
 *     in a[m, n];              the next operand; a name that is new among the dimensions becomes that number
 *     out x[m, n];             the next result; `out real`, `out int`: its elements. One that the fusion does not give
 *                              lies in shared memory
 *     shared real w[n];        an array in shared memory
 *     work y[m, n] in x;       lies in shared memory if there is room, else it is the result x, of as many elements;
 *                              the constant y_shared says which
 *     v = e;                   a variable, or its new value: each thread has its own. Behind the } of a region its new
 *                              variables are gone
 *     x[i, j] = e;             x[j] is x[0, j]. Outside of `each` the first thread of the team does it
 *     for k in a..b { }        one after the other, by all threads; b does not belong to it
 *     if c { } else { }        a condition that is a constant decides here
 *     each i in a..b { }       the threads of the team share them; each i in a..b, j in c..d: neighbours have
 *                              neighbouring j
 *     rows p in a..b { }       teams of neighbouring threads have one p each: what is inside may walk along memory.
 *                              No thread waits in it
 *     columns p in a..b { }    teams of distant threads have one p each: neighbours have neighbouring p. Nothing but
 *                              sums waits in it
 *     v = sum i in a..b of e;  over the team, and all of it learns the result. sum: elements; total, most: real
 *     numbers; argmax, argmin: where, the first of them, NaN never;
 *                              any i in a..b of e: conditions. All threads wait for each other in it, as in sync,
 *                              however many there are; not so in `rows`
 *     sync;
 *
 * Numbers are elements of the matrix (complex ones where it is complex), real numbers, ints and conditions; an int
 * beside a number becomes one. A product that is added to something is one operation. Divisors of ints are constants.
 *
 * Laws: teams that have no p of their own go along with another one's and write nothing, so that all threads meet in
 * every sum. Of a team of n threads, thread t has the indices of which t is the rest by n, in every loop, so that what
 * it wrote is its own to read. An index of an array is never outside of it, whatever the numbers were. */
#ifndef XG_BLOCK_BLOCK_C
#define XG_BLOCK_BLOCK_C
#include "block.h"
#include "block_expr.c"

enum {
    XG_BLOCK_INT_MAX = 1 << 20 /* no int of a program exceeds it */
};

/* ---- regions ---- */

XG_FN void xg_block_statement(xg_block *d);

/* What the team's threads make together of their parts, which pass through shared memory: of elements, of real numbers,
 * of ints. */
typedef enum xg_bfold {
    XG_BF_SUM,
    XG_BF_TOTAL,
    XG_BF_MOST,
    XG_BF_ARGMAX,
    XG_BF_ARGMIN,
    XG_BF_ANY,
    XG_BF_COUNT
} xg_bfold;
enum {
    XG_BP_ELEMENT,
    XG_BP_REAL,
    XG_BP_INT,
    XG_BP_COUNT
};
/* where: beside the value, an int says whose it is */
typedef struct xg_bfold_row {
    const char *word;
    uint32_t value;
    bool where;
} xg_bfold_row;

XG_ONE_COPY XG_FN const xg_bfold_row *xg_block_fold_row(xg_bfold how) {
    XG_TABLE const xg_bfold_row rows[XG_BF_COUNT] = {{"sum", XG_BP_ELEMENT, false}, {"total", XG_BP_REAL, false},
        {"most", XG_BP_REAL, false}, {"argmax", XG_BP_REAL, true}, {"argmin", XG_BP_REAL, true},
        {"any", XG_BP_INT, false}};
    return &rows[how];
}
XG_FN xg_bfold xg_block_fold_of(xg_str word) { /* XG_BF_COUNT: it is none */
    uint32_t k;
    for (k = 0; k < XG_BF_COUNT && !xg_str_is(word, xg_block_fold_row((xg_bfold)k)->word); k++) {}
    return (xg_bfold)k;
}
/* There all threads meet, and what they wrote before is new. */
XG_FN bool xg_block_meets(const xg_block *d, uint32_t k) {
    return xg_str_is(d->tokens[k].text, "sync") || xg_block_fold_of(d->tokens[k].text) < XG_BF_COUNT;
}
XG_FN void xg_block_carry_slot(xg_flow *f, xg_kval **slot) {
    uint32_t k;
    for (k = 0; k < f->slots.n; k++)
        if (f->slots.p[k] == slot) return;
    xg_flow_slot(f, slot);
}
/* What the tokens [from, to) change of what exists already. */
XG_FN void xg_block_carry(xg_block *d, xg_flow *f, uint32_t from, uint32_t to) {
    uint32_t k, v;
    *f = xg_flow_begin(&d->s);
    f->limit = XG_BLOCK_INT_MAX;
    f->rolled = true;
    for (k = from; k < to; k++) {
        if (d->tokens[k].kind != XG_BT_NAME) continue;
        if (xg_block_meets(d, k)) {
            for (v = 0; v < d->n_arrays; v++) xg_block_carry_slot(f, &d->arrays[v].tensor);
            for (v = 0; v < XG_BP_COUNT; v++) xg_block_carry_slot(f, &d->part[v]);
        } else if (xg_str_is(d->tokens[k + 1].text, "=")) {
            xg_block_var *x = xg_block_var_of(d, d->tokens[k].text);
            if (x) {
                xg_block_carry_slot(f, &x->e.v);
                xg_block_carry_slot(f, &x->e.im);
            }
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
typedef struct xg_block_range {
    xg_str name;
    xg_kval *lo, *hi;
    int64_t limit;
} xg_block_range;
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
    if (r.lo == r.hi && r.lo % of == 0) return r.lo ? xg_kaddi(&d->s.b, lo, mine) : mine;
    away = xg_ksubi(&d->s.b, mine, lo);
    away = xg_k2_int(&d->s.b, XG_K_OP_ANDI, away, of - 1);
    return xg_kaddi(&d->s.b, lo, away);
}
/* The loop of the region that stands next. mine: by a team's threads, each with its indices. */
XG_FN void xg_block_open(xg_block *d, xg_flow *f, const xg_block_range *r, xg_kval *mine, int64_t step) {
    xg_kval *lo = mine ? xg_block_first(d, r->lo, mine, step) : r->lo, *hi = r->hi;
    if (mine && d->active) hi = xg_kselect(&d->s.b, d->active, hi, r->lo); /* nothing for threads that only go along */
    xg_block_declare(d, r->name, 'i', xg_elem_real(xg_flow_for(f, lo, hi, step, r->limit)));
}
XG_FN void xg_block_for(xg_block *d) {
    xg_block_range r = xg_block_range_of(d);
    uint32_t vars = d->n_vars;
    xg_flow f;
    xg_block_carry(d, &f, d->at, xg_block_behind(d, d->at));
    xg_block_open(d, &f, &r, NULL, 1);
    xg_block_region(d);
    xg_flow_end(&f);
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
    } else
        xg_block_open(d, &f, &r, d->member, d->members);
    d->alone = true;
    xg_block_region(d);
    d->alone = outer_each;
    if (two) xg_flow_end(&g);
    xg_flow_end(&f);
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
    p = xg_kaddi(&d->s.b, var->e.v, mine);
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
    xg_flow_end(&f);
    d->n_vars = vars;
}
XG_FN void xg_block_if(xg_block *d) {
    xg_kval *cond = xg_block_cond_of(d, xg_block_expr(d));
    uint32_t then = d->at, behind = xg_block_behind(d, then), end = behind;
    bool otherwise = xg_str_is(d->tokens[behind].text, "else");
    int64_t known;
    xg_flow f;
    if (otherwise) end = xg_block_behind(d, behind + 1);
    if (xg_kval_is_const(cond, &known)) {
        if (known) {
            xg_block_region(d);
            d->at = end;
            return;
        }
        d->at = end;
        if (!otherwise) return;
        d->at = behind + 1;
        xg_block_region(d);
        return;
    }
    xg_block_carry(d, &f, then, end);
    xg_flow_if(&f, cond);
    xg_block_region(d);
    if (otherwise) {
        d->at = behind + 1;
        xg_flow_else(&f);
        xg_block_region(d);
    }
    xg_flow_end(&f);
}

/* ---- sums ---- */

typedef struct xg_bacc {
    xg_elem e;
    xg_kval *at;
} xg_bacc; /* a value and, of argmax and argmin, where (i32) */

XG_FN xg_bacc xg_block_joined(xg_block *d, xg_bfold how, xg_bacc x, xg_bacc y) {
    xg_kb *b = &d->s.b;
    xg_kval *better, *same;
    if (how == XG_BF_SUM || how == XG_BF_TOTAL)
        x.e = xg_block_add(d, x.e, y.e);
    else if (how == XG_BF_MOST)
        x.e.v = xg_k2(b, XG_K_OP_MAXF, x.e.v, y.e.v);
    else if (how == XG_BF_ANY)
        x.e.v = xg_k2(b, XG_K_OP_ORI, x.e.v, y.e.v);
    else {
        better = xg_kcmpf_(b, how == XG_BF_ARGMAX ? XG_CF_OGT : XG_CF_OLT, y.e.v, x.e.v);
        same = xg_kcmpf_(b, XG_CF_OEQ, y.e.v, x.e.v);
        same = xg_kandi(b, same, xg_kcmpi_(b, XG_CI_SLT, y.at, x.at));
        better = xg_k2(b, XG_K_OP_ORI, better, same);
        x.e.v = xg_kselect(b, better, y.e.v, x.e.v);
        x.at = xg_kselect(b, better, y.at, x.at);
    }
    return x;
}
XG_FN xg_bacc xg_block_shuffled(xg_block *d, xg_bfold how, xg_bacc x, int64_t lanes) {
    for (lanes /= 2; lanes; lanes /= 2) {
        xg_kval *by = xg_kconst_i32(&d->s.b, lanes);
        xg_bacc y = x;
        y.e.v = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.e.v, by);
        if (x.e.im) y.e.im = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.e.im, by);
        if (x.at) y.at = xg_kshuffle(&d->s.b, XG_K_OP_SHFLBFLY, x.at, by);
        x = xg_block_joined(d, how, x, y);
    }
    return x;
}
XG_FN xg_kval **xg_block_part(xg_block *d, uint32_t which) {
    if (!d->part[which]) xg_block_wrong(d, "a sum whose parts have no place");
    return &d->part[which];
}
XG_FN void xg_block_part_put(xg_block *d, xg_bfold how, xg_bacc x, xg_kval *at) {
    xg_kval **p = xg_block_part(d, xg_block_fold_row(how)->value);
    xg_kval *v = how == XG_BF_SUM   ? xg_emit_join(&d->s.b, x.e)
                 : how == XG_BF_ANY ? xg_kextui(&d->s.b, x.e.v, XG_E_I32)
                                    : x.e.v;
    *p = xg_kinsert_at(&d->s.b, v, *p, at);
    if (!x.at) return;
    p = xg_block_part(d, XG_BP_INT);
    *p = xg_kinsert_at(&d->s.b, x.at, *p, at);
}
XG_FN xg_bacc xg_block_part_get(xg_block *d, xg_bfold how, xg_kval *at) {
    xg_kval *v = xg_kextract(&d->s.b, *xg_block_part(d, xg_block_fold_row(how)->value), &at, 1);
    xg_bacc x;
    x.at = NULL;
    if (how == XG_BF_ANY) v = xg_kcast(&d->s.b, XG_K_OP_TRUNCI, v, XG_E_I1);
    x.e = how == XG_BF_SUM ? xg_emit_split(&d->s.b, v) : xg_elem_real(v);
    if (xg_block_fold_row(how)->where) x.at = xg_kextract(&d->s.b, *xg_block_part(d, XG_BP_INT), &at, 1);
    return x;
}
/* What `count` threads have laid down, at places base, base + step ...; all others wait. */
XG_FN xg_bacc xg_block_gathered(
    xg_block *d, xg_bfold how, xg_bacc x, xg_kval *cond, xg_kval *to, xg_kval *base, int64_t step, int64_t count) {
    xg_flow f;
    xg_kval *k, *lo, *hi;
    uint32_t p;
    f = xg_flow_begin(&d->s);
    for (p = 0; p < XG_BP_COUNT; p++) xg_flow_slot(&f, &d->part[p]);
    if (cond) xg_flow_if(&f, cond);
    xg_block_part_put(d, how, x, to);
    if (cond) xg_flow_end(&f);
    xg_block_sync(d);
    x = xg_block_part_get(d, how, base);
    f = xg_flow_begin(&d->s);
    xg_flow_elem(&f, &x.e);
    xg_flow_slot(&f, &x.at);
    lo = xg_elem_index(&d->s, 1);
    hi = xg_elem_index(&d->s, count);
    k = xg_flow_for(&f, lo, hi, 1, count);
    k = xg_kaddi(&d->s.b, base, xg_k2_int(&d->s.b, XG_K_OP_MULI, k, step));
    xg_kval_set_range(k, xg_range_of(0, d->threads - 1));
    x = xg_block_joined(d, how, x, xg_block_part_get(d, how, k));
    xg_flow_end(&f);
    xg_block_sync(d);
    return x;
}
XG_FN xg_bacc xg_block_together(xg_block *d, xg_bfold how, xg_bacc x) {
    xg_kval *zero, *first;
    if (d->team == XG_BLOCK_ROWS) return xg_block_shuffled(d, how, x, d->members);
    if (d->team == XG_BLOCK_COLUMNS && d->lines > 1)
        return xg_block_gathered(d, how, x, NULL, d->thread, d->lane, d->lanes, d->lines);
    if (d->team != XG_BLOCK_COLUMNS) x = xg_block_shuffled(d, how, x, XG_WARP_LANES);
    if (d->team == XG_BLOCK_COLUMNS ||
        d->threads == XG_WARP_LANES) { /* nothing passes through shared memory, but a sum waits */
        xg_block_sync(d);
        return x;
    }
    zero = xg_elem_index_0(&d->s);
    first = xg_block_divided(d, d->thread, XG_WARP_LANES, true);
    first = xg_kcmpi_(&d->s.b, XG_CI_EQ, first, zero);
    return xg_block_gathered(
        d, how, x, first, xg_block_divided(d, d->thread, XG_WARP_LANES, false), zero, 1, d->threads / XG_WARP_LANES);
}
XG_FN void xg_block_set(xg_block *d, xg_str name, xg_bval v) {
    xg_block_var *x = xg_block_var_of(d, name);
    if (!x) {
        xg_block_declare(d, name, v.kind, v.e);
        return;
    }
    if (x->kind == 'n') v = xg_bval_of('n', xg_block_num(d, v));
    if (x->kind == 'n' && x->e.im) v.e = xg_block_as_element(d, v.e);
    if (x->kind != v.kind || !x->e.im != !v.e.im) xg_block_wrong(d, "a variable keeps its type");
    x->e = v.e;
}
XG_FN void xg_block_fold(xg_block *d, xg_str name, xg_bfold how) { /* behind the word */
    bool where = xg_block_fold_row(how)->where;
    xg_block_range r = xg_block_range_of(d);
    uint32_t vars = d->n_vars;
    xg_bacc acc, x;
    xg_bval v;
    xg_flow f;
    xg_block_expect(d, "of");
    f = xg_flow_begin(&d->s);
    acc.e = how == XG_BF_ANY ? xg_elem_real(xg_kconst_int(&d->s.b, XG_E_I1, 0))
                             : xg_block_zero(d, how == XG_BF_SUM && d->is_complex);
    acc.at = where ? xg_kcast_index(&d->s.b, r.lo, XG_E_I32) : NULL;
    if (where) acc.e.v = xg_block_float(d, how == XG_BF_ARGMAX ? -HUGE_VAL : HUGE_VAL);
    xg_flow_elem(&f, &acc.e);
    xg_flow_slot(&f, &acc.at);
    xg_block_open(d, &f, &r, d->member, d->members);
    x.at = where ? xg_kcast_index(&d->s.b, d->vars[d->n_vars - 1].e.v, XG_E_I32) : NULL;
    v = xg_block_expr(d);
    if (v.product && (how == XG_BF_SUM || how == XG_BF_TOTAL))
        acc.e = xg_block_more(d, acc.e, v.x, v.y);
    else {
        x.e = how == XG_BF_ANY   ? xg_elem_real(xg_block_cond_of(d, v))
              : how == XG_BF_SUM ? xg_block_num(d, v)
                                 : xg_elem_real(xg_block_plain(d, v));
        acc = xg_block_joined(d, how, acc, x);
    }
    xg_flow_end(&f);
    d->n_vars = vars;
    acc = xg_block_together(d, how, acc);
    if (where) {
        xg_kval *at = xg_kcast_index(&d->s.b, acc.at, XG_E_INDEX);
        xg_kval_set_range(at, xg_range_of(0, XG_BLOCK_INT_MAX));
        xg_block_set(d, name, xg_bval_of('i', xg_elem_real(at)));
    } else
        xg_block_set(d, name, xg_bval_of(how == XG_BF_ANY ? 'b' : 'n', acc.e));
}

/* ---- declarations ---- */

/* A dimension: of an array with a shape, a name that is new is a constant from now on. */
XG_FN int64_t xg_block_dim(xg_block *d, int64_t known) {
    xg_range r;
    if (known >= 0 && d->tokens[d->at].kind == XG_BT_NAME && !xg_block_var_of(d, d->tokens[d->at].text))
        xg_block_let_int(d, d->tokens[d->at].text, known);
    r = xg_kval_range(xg_block_int_of(d, xg_block_expr(d)));
    if (r.lo != r.hi || (known >= 0 && r.lo != known)) xg_block_refuse(d, "another dimension");
    return r.lo;
}
XG_FN xg_kelem xg_block_elem(const xg_block *d, char kind) {
    return kind == 'i' ? XG_E_I32 : kind == 'r' ? d->real : d->element;
}
/* Ints are s32; numbers have the type in which is computed, operands also a narrower one, or are real. */
XG_FN bool xg_block_has_type(const xg_block *d, char kind, const xg_shape *shape, bool operand) {
    xlagpu_type t = shape->type;
    if (kind == 'i') return t == XLAGPU_S32;
    if (!operand) return xg_kelem_of(t) == xg_block_elem(d, kind);
    return (t == XLAGPU_F32 || t == XLAGPU_F64 || ((t == XLAGPU_C64 || t == XLAGPU_C128) && d->is_complex)) &&
           (xg_type_real(t) == XLAGPU_F32 || d->real == XG_E_F64);
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
    for (k = d->at; xg_word_in("] ,", d->tokens[k].text) < 0; k++) {}
    vector = !xg_str_is(d->tokens[k].text, ",");
    xg_block_expect(d, "[");
    a->rows = 1;
    if (!vector) {
        a->rows = xg_block_dim(d, shape ? shape->dims[1] : -1);
        xg_block_expect(d, ",");
    } else if (shape && shape->dims[1] != 1)
        xg_block_refuse(d, "a vector is a matrix");
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
    a->where = home->where == XG_BLOCK_SHARED || d->shared + bytes <= XG_SHARED_STATIC_BYTES - d->reserved
                   ? XG_BLOCK_SHARED
                   : XG_BLOCK_RESULT;
    if (a->where == XG_BLOCK_SHARED)
        a->tensor = xg_block_shared(d, d->element, a->rows * a->pitch);
    else {
        a->shape = home->shape;
        a->lent = home;
    }
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
        for (k = 0; k < d->e->n_roots && tuple && xg_attr_index(d->e->roots[k]) != (int64_t)d->n_out; k++) {}
        d->n_out++;
        a->number = k;
        if (k < d->e->n_roots) {
            a->where = XG_BLOCK_RESULT;
            a->tensor = d->results[k];
        } else {
            a->where = XG_BLOCK_SHARED;
            a->tensor = xg_block_shared(d, xg_block_elem(d, a->kind), a->rows * a->pitch);
        } /* nothing wants it */
    } else if (xg_block_takes(d, "shared")) {
        a = xg_block_new_array(d, NULL, false);
        a->where = XG_BLOCK_SHARED;
        a->tensor = xg_block_shared(d, xg_block_elem(d, a->kind), a->rows * a->pitch);
    } else if (xg_block_takes(d, "work"))
        xg_block_work(d);
    else
        return false;
    xg_block_expect(d, ";");
    return true;
}

/* ---- statements ---- */

XG_FN void xg_block_assign(xg_block *d) {
    xg_str name = xg_block_name(d);
    xg_bfold how;
    xg_block_array *a;
    xg_kval *i, *j, *zero, *cond;
    xg_flow f;
    if (!xg_block_takes(d, "[")) {
        xg_block_expect(d, "=");
        how = xg_block_fold_of(d->tokens[d->at].text);
        if (how == XG_BF_COUNT)
            xg_block_set(d, name, xg_block_expr(d));
        else {
            d->at++;
            xg_block_fold(d, name, how);
        }
        xg_block_expect(d, ";");
        return;
    }
    a = xg_block_array_of(d, name);
    if (!a || a->where == XG_BLOCK_OPERAND) xg_block_wrong(d, "no array to write to");
    (void)xg_block_access(d, a);
    i = d->index[0];
    j = d->index[1];
    xg_block_expect(d, "=");
    if (d->alone)
        xg_block_store(d, a, i, j, xg_block_expr(d));
    else { /* by the first of the team */
        xg_bval v = xg_block_expr(d);
        zero = xg_elem_index_0(&d->s);
        cond = xg_elem_and(&d->s, d->active, xg_kcmpi_(&d->s.b, XG_CI_EQ, d->member, zero));
        f = xg_flow_begin(&d->s);
        xg_flow_slot(&f, a->lent ? &a->lent->tensor : &a->tensor);
        xg_flow_if(&f, cond);
        xg_block_store(d, a, i, j, v);
        xg_flow_end(&f);
    }
    xg_block_expect(d, ";");
}
XG_FN void xg_block_statement(xg_block *d) {
    if (xg_block_declaration(d)) return;
    if (xg_block_takes(d, "sync")) {
        xg_block_expect(d, ";");
        if (d->team == XG_BLOCK_ROWS || d->alone) xg_block_wrong(d, "not all threads are here");
        xg_block_sync(d);
    } else if (xg_block_takes(d, "for"))
        xg_block_for(d);
    else if (xg_block_takes(d, "each"))
        xg_block_each(d);
    else if (xg_block_takes(d, "rows"))
        xg_block_teams(d, XG_BLOCK_ROWS);
    else if (xg_block_takes(d, "columns"))
        xg_block_teams(d, XG_BLOCK_COLUMNS);
    else if (xg_block_takes(d, "if"))
        xg_block_if(d);
    else
        xg_block_assign(d);
}

/* Memory for parts of sums, of those kinds that the program has. */
XG_FN void xg_block_parts(xg_block *d) {
    bool columns = false, need[XG_BP_COUNT] = {false, false, false};
    uint32_t k;
    int64_t n;
    if (d->threads == XG_WARP_LANES && d->lines == 1) return;
    for (k = 0; d->tokens[k].kind != XG_BT_END; k++) {
        xg_bfold how = xg_block_fold_of(d->tokens[k].text);
        columns = columns || xg_str_is(d->tokens[k].text, "columns");
        if (how == XG_BF_COUNT) continue;
        need[xg_block_fold_row(how)->value] = true;
        need[XG_BP_INT] = need[XG_BP_INT] || xg_block_fold_row(how)->where;
    }
    n = columns ? d->threads : XG_MAX(d->threads / XG_WARP_LANES, (int64_t)1);
    for (k = 0; k < XG_BP_COUNT; k++)
        if (need[k])
            d->part[k] = xg_block_shared(d, k == XG_BP_ELEMENT ? d->element : k == XG_BP_REAL ? d->real : XG_E_I32, n);
}
/* The program's arrays are declared in front of all statements but those that give an int a name. */
XG_FN void xg_block_read_head(xg_block *d, xg_kval **results) {
    d->results = results;
    xg_block_parts(d);
    while (xg_block_declaration(d) || xg_str_is(d->tokens[d->at + 1].text, "=")) {
        bool names = xg_str_is(d->tokens[d->at + 1].text, "=");
        if (names && xg_block_fold_of(d->tokens[d->at + 2].text) < XG_BF_COUNT) return;
        if (names) xg_block_assign(d);
    }
}
XG_FN void xg_block_run(xg_block *d, xg_kval **results) {
    uint32_t k;
    xg_block_read_head(d, results);
    while (d->tokens[d->at].kind != XG_BT_END) xg_block_statement(d);
    if (d->n_in != d->i->n_operands || d->n_out != (d->i->shape->type == XLAGPU_TUPLE ? d->i->shape->n_elems : 1))
        xg_block_refuse(d, "there are too many");
    for (k = 0; k < d->n_arrays; k++)
        if (d->arrays[k].where == XG_BLOCK_RESULT && !d->arrays[k].lent)
            results[d->arrays[k].number] = d->arrays[k].tensor;
}

#endif /* XG_BLOCK_BLOCK_C */
