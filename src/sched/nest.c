/* sched/nest.c -- loop nests: making them, walking over them, and replacing variables in what they say. */
#ifndef XG_SCHED_NEST_C
#define XG_SCHED_NEST_C
#include "sched.h"

XG_NORETURN XG_FN void xg_sched_fail(const xg_loopnest *n, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    (void)xg_vformat(text, sizeof text, format, args);
    va_end(args);
    if (n->source) xg_fail_at(n->ctx, XLAGPU_ERROR_USAGE, n->source, n->line, NULL, "%s", text);
    xg_fail(n->ctx, XLAGPU_ERROR_USAGE, "%s", text);
}

XG_ONE_COPY XG_FN const char *xg_nkind_text(xg_nkind k) {
    XG_TABLE const char names[] =
#define X(name, text, axis) text "\0"
        XG_NKINDS(X)
#undef X
        ;
    return xg_text_nth(names, k);
}
XG_ONE_COPY XG_FN bool xg_nkind_is_axis(xg_nkind k) {
    static const bool axes[] = {
#define X(name, text, axis) axis,
        XG_NKINDS(X)
#undef X
    };
    return axes[k];
}
XG_FN bool xg_nkind_is_thread(xg_nkind k) { return k >= XG_NK_THREAD_X && k <= XG_NK_THREAD_Z; }
XG_ONE_COPY XG_FN const char *xg_nscope_text(xg_nscope s) {
    static const char *const names[] = {
#define X(name, text) text,
        XG_NSCOPES(X)
#undef X
    };
    return names[s];
}

/* ---- making ---- */

XG_FN xg_loopnest *xg_nest_new(xg_module *m, xg_aff_ctx *aff, xg_str name) {
    xg_loopnest *n = XG_NEW(m->arena, xg_loopnest);
    n->ctx = m->ctx;
    n->arena = m->arena;
    n->aff = aff;
    n->module = m;
    n->name = xg_str_copy(n->arena, name);
    n->root = XG_NEW(n->arena, xg_nstmt);
    return n;
}
/* The wish itself, or with the first number that makes it new; taken says which names are there. */
XG_FN xg_str xg_nest_fresh(xg_loopnest *n, xg_str wish, bool (*taken)(xg_loopnest *n, xg_str name)) {
    xg_str name = wish;
    uint32_t k;
    for (k = 1; taken(n, name); k++) {
        xg_buf b;
        xg_buf_init(&b, n->arena);
        xg_printf(&b, "%.*s_%u", (int)wish.n, wish.p, k);
        name = xg_str_of(b.p, b.n);
    }
    return xg_str_copy(n->arena, name);
}
XG_FN xg_nbuf *xg_nest_find_buf(xg_loopnest *n, xg_str name) {
    uint32_t k;
    for (k = 0; k < n->bufs.n; k++)
        if (xg_str_eq(n->bufs.p[k]->name, name)) return n->bufs.p[k];
    return NULL;
}
XG_FN bool xg_nest_buf_taken(xg_loopnest *n, xg_str name) { return xg_nest_find_buf(n, name) != NULL; }
XG_FN xg_nbuf *xg_nest_buf(
    xg_loopnest *n, xg_str name, xlagpu_type type, const int64_t *dims, uint32_t rank, xg_nscope scope) {
    xg_nbuf *b = XG_NEW(n->arena, xg_nbuf);
    int64_t *copy = XG_NEW_N(n->arena, int64_t, rank), elements = 1;
    uint32_t k;
    for (k = 0; k < rank; k++) {
        copy[k] = dims[k];
        if (dims[k] < 1 || !xg_mul64(elements, dims[k], &elements))
            xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "buffer '%.*s' has no size that fits", (int)name.n, name.p);
    }
    b->name = xg_nest_fresh(n, name, xg_nest_buf_taken);
    b->type = type;
    b->rank = rank;
    b->dims = copy;
    b->scope = scope;
    b->id = n->bufs.n;
    xg_push(n->arena, xg_nbuf *, &n->bufs, b);
    return b;
}
XG_FN bool xg_nest_var_taken(xg_loopnest *n, xg_str name) {
    uint32_t k;
    for (k = 0; k < n->vars.n; k++)
        if (xg_str_eq(n->vars.p[k].name, name)) return true;
    return false;
}
XG_FN uint32_t xg_nest_var_named(xg_loopnest *n, xg_str name, int64_t extent) {
    xg_nvar v;
    if (n->vars.n >= XG_NEST_VARS_MAX)
        xg_fail(n->ctx, XLAGPU_ERROR_LIMIT, "the loop nest '%.*s' has more than %d variables", (int)n->name.n,
            n->name.p, XG_NEST_VARS_MAX);
    v.name = xg_str_copy(n->arena, name);
    xg_push(n->arena, xg_nvar, &n->vars, v);
    xg_push(n->arena, xg_range, &n->ranges, xg_range_of(0, extent - 1));
    return n->vars.n - 1;
}
XG_FN uint32_t xg_nest_var(xg_loopnest *n, xg_str name, int64_t extent) {
    return xg_nest_var_named(n, xg_nest_fresh(n, name, xg_nest_var_taken), extent);
}
XG_FN xg_nstmt *xg_nest_loop(xg_loopnest *n, uint32_t var, int64_t extent, xg_nkind kind) {
    xg_nstmt *s = XG_NEW(n->arena, xg_nstmt);
    s->op = XG_N_LOOP;
    s->var = var;
    s->extent = extent;
    s->kind = kind;
    return s;
}
XG_FN bool xg_nest_block_taken(xg_loopnest *n, xg_str name) { return xg_nest_find(n, name) != NULL; }
XG_FN xg_nstmt *xg_nest_block(xg_loopnest *n, xg_str name) {
    xg_nstmt *s = XG_NEW(n->arena, xg_nstmt);
    s->op = XG_N_BLOCK;
    s->block = XG_NEW(n->arena, xg_nblock);
    s->block->name = xg_nest_fresh(n, name, xg_nest_block_taken);
    return s;
}

/* ---- the tree ---- */

XG_FN void xg_nstmt_append(xg_nstmt *parent, xg_nstmt *s) {
    s->parent = parent;
    s->prev = parent->last;
    s->next = NULL;
    *(parent->last ? &parent->last->next : &parent->first) = s;
    parent->last = s;
}
XG_FN void xg_nstmt_insert(xg_nstmt *before, xg_nstmt *s) {
    s->parent = before->parent;
    s->prev = before->prev;
    s->next = before;
    *(before->prev ? &before->prev->next : &before->parent->first) = s;
    before->prev = s;
}
XG_FN void xg_nstmt_detach(xg_nstmt *s) {
    *(s->prev ? &s->prev->next : &s->parent->first) = s->next;
    *(s->next ? &s->next->prev : &s->parent->last) = s->prev;
    s->prev = s->next = s->parent = NULL;
}
XG_FN void xg_nstmt_unlink(xg_nstmt *s) {
    xg_nstmt *parent = s->parent;
    xg_nstmt_detach(s);
    s->gone = true;
    if (parent->op != XG_N_ROOT && !parent->first) xg_nstmt_unlink(parent);
}
XG_FN void xg_nstmt_take_children(xg_nstmt *to, xg_nstmt *from) {
    while (from->first) {
        xg_nstmt *s = from->first;
        xg_nstmt_detach(s);
        xg_nstmt_append(to, s);
    }
}
XG_FN xg_nstmt *xg_nstmt_next(const xg_nstmt *s, const xg_nstmt *top) {
    if (s->first) return s->first;
    for (; s != top; s = s->parent)
        if (s->next) return s->next;
    return NULL;
}
XG_FN bool xg_nstmt_inside(const xg_nstmt *s, const xg_nstmt *outer) {
    for (; s; s = s->parent)
        if (s == outer) return true;
    return false;
}
XG_FN xg_nstmt *xg_nstmt_common(const xg_nstmt *a, const xg_nstmt *b) {
    while (!xg_nstmt_inside(b, a)) a = a->parent;
    return (xg_nstmt *)a;
}
/* In text order: does a come before b? */
XG_FN bool xg_nstmt_precedes(const xg_loopnest *n, const xg_nstmt *a, const xg_nstmt *b) {
    const xg_nstmt *s;
    for (s = a; s; s = xg_nstmt_next(s, n->root))
        if (s == b) return s != a;
    return false;
}
XG_FN xg_nstmt *xg_nest_find(xg_loopnest *n, xg_str block) {
    xg_nstmt *s;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && xg_str_eq(s->block->name, block)) return s;
    return NULL;
}
XG_FN xg_nstmt *xg_nest_find_loop(xg_loopnest *n, xg_str var) {
    xg_nstmt *s;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_LOOP && xg_str_eq(n->vars.p[s->var].name, var)) return s;
    return NULL;
}
XG_FN uint32_t xg_nest_loops(const xg_nstmt *s, xg_nstmt **out, uint32_t cap) {
    uint32_t count = 0, k;
    xg_nstmt *p;
    for (p = s->parent; p && p->op == XG_N_LOOP; p = p->parent) count++;
    for (p = s->parent, k = count; k-- > 0; p = p->parent)
        if (k < cap) out[k] = p;
    return count;
}

/* ---- expressions ---- */

XG_FN xg_aff_env xg_nest_env(xg_loopnest *n) { return xg_aff_env_of(n->aff, n->ranges.p, n->ranges.n, NULL, 0); }
XG_FN const xg_aff *xg_nest_dim(xg_loopnest *n, uint32_t var) { return xg_aff_dim(n->aff, var); }
XG_FN const xg_aff **xg_nest_copy_affs(xg_loopnest *n, const xg_aff *const *p, uint32_t count) {
    const xg_aff **to = XG_NEW_N(n->arena, const xg_aff *, count);
    if (count) memcpy(to, p, count * sizeof *to);
    return to;
}
XG_FN void xg_nsubst_begin(xg_nsubst *s, xg_loopnest *n) {
    uint32_t k;
    s->n = n;
    s->to = XG_NEW_N(n->arena, const xg_aff *, n->vars.n);
    s->env = xg_nest_env(n);
    for (k = 0; k < n->vars.n; k++)
        s->to[k] = xg_range_is_point(n->ranges.p[k]) ? xg_aff_const(n->aff, 0) : xg_aff_dim(n->aff, k);
    s->w = xg_aff_rewrite_begin(&s->env, s->to, n->vars.n, NULL, 0);
}
XG_FN void xg_nsubst_put(xg_nsubst *s, uint32_t var, const xg_aff *e) { s->to[var] = e; }
XG_FN const xg_aff *xg_nsubst_of(xg_nsubst *s, const xg_aff *e) {
    const xg_aff *to;
    s->w.env = &s->env; /* the struct may have moved since it began */
    to = xg_aff_rewrite_one(&s->w, e);
    if (!to)
        xg_fail(s->n->ctx, XLAGPU_ERROR_LIMIT, "an index of the loop nest '%.*s' has grown too large",
            (int)s->n->name.n, s->n->name.p);
    return to;
}
XG_FN const xg_constraint *xg_nsubst_where(xg_nsubst *s, const xg_constraint *c, uint32_t n, uint32_t *kept) {
    xg_constraint *to = XG_NEW_N(s->n->arena, xg_constraint, n);
    uint32_t k, m = 0, j;
    for (k = 0; k < n; k++) {
        xg_constraint one;
        memset(&one, 0, sizeof one);
        one.expr = xg_nsubst_of(s, c[k].expr);
        one.range = c[k].range;
        if (xg_range_within(xg_aff_range(&s->env, one.expr), one.range)) continue;
        for (j = 0; j < m && to[j].expr != one.expr; j++) {}
        if (j < m)
            to[j].range = xg_range_meet(to[j].range, one.range);
        else
            to[m++] = one;
    }
    *kept = m;
    return to;
}
XG_FN const xg_aff **xg_nsubst_affs(xg_nsubst *s, const xg_aff *const *p, uint32_t count) {
    const xg_aff **to = XG_NEW_N(s->n->arena, const xg_aff *, count);
    uint32_t k;
    for (k = 0; k < count; k++) to[k] = xg_nsubst_of(s, p[k]);
    return to;
}
XG_FN xg_narg xg_nsubst_arg(xg_nsubst *s, const xg_narg *a) {
    xg_narg to = *a;
    if (a->kind == XG_NA_LOAD || a->kind == XG_NA_INDEX)
        to.at = xg_nsubst_affs(s, a->at, a->kind == XG_NA_LOAD ? a->buf->rank : 1);
    if (a->n_where) to.where = xg_nsubst_where(s, a->where, a->n_where, &to.n_where);
    return to;
}
XG_FN void xg_nsubst_args(xg_nsubst *s, xg_nblock *b) {
    xg_narg *args = XG_NEW_N(s->n->arena, xg_narg, b->n_args);
    xg_nout *outs = XG_NEW_N(s->n->arena, xg_nout, b->n_outs);
    uint32_t k;
    for (k = 0; k < b->n_args; k++) args[k] = xg_nsubst_arg(s, &b->args[k]);
    for (k = 0; k < b->n_outs; k++) {
        outs[k].buf = b->outs[k].buf;
        outs[k].at = xg_nsubst_affs(s, b->outs[k].at, b->outs[k].buf->rank);
    }
    b->args = args;
    b->outs = outs;
}
XG_FN void xg_nsubst_bindings(xg_nsubst *s, xg_nstmt *top) {
    xg_nstmt *t;
    uint32_t k;
    for (t = top; t; t = xg_nstmt_next(t, top)) {
        xg_nblock *b = t->block;
        if (t->op != XG_N_BLOCK) continue;
        for (k = 0; k < b->n_iters; k++) b->iters[k].binding = xg_nsubst_of(s, b->iters[k].binding);
        b->where = xg_nsubst_where(s, b->where, b->n_where, &b->n_where);
        if (s->n->flat && b->body) xg_nsubst_args(s, b);
        b->begin = xg_nsubst_where(s, b->begin, b->n_begin, &b->n_begin);
    }
}
XG_FN void xg_nblock_require(xg_loopnest *n, xg_nblock *b, const xg_aff *e, xg_range r) {
    xg_aff_env env = xg_nest_env(n);
    xg_constraint *c;
    uint32_t k;
    if (xg_range_within(xg_aff_range(&env, e), r)) return;
    c = XG_NEW_N(n->arena, xg_constraint, b->n_where + 1);
    if (b->n_where) memcpy(c, b->where, b->n_where * sizeof *c);
    for (k = 0; k < b->n_where && c[k].expr != e; k++) {}
    if (k < b->n_where)
        c[k].range = xg_range_meet(c[k].range, r);
    else {
        c[k].expr = e;
        c[k].range = r;
        b->n_where++;
    }
    b->where = c;
}
XG_FN bool xg_nblock_reads(const xg_nblock *b, const xg_nbuf *buf) {
    uint32_t k;
    for (k = 0; k < b->n_args; k++)
        if (b->args[k].kind == XG_NA_LOAD && b->args[k].buf == buf) return true;
    return false;
}
XG_FN bool xg_nblock_writes(const xg_nblock *b, const xg_nbuf *buf) {
    uint32_t k;
    for (k = 0; k < b->n_outs; k++)
        if (b->outs[k].buf == buf) return true;
    return false;
}
XG_FN void xg_nest_drop_bufs(xg_loopnest *n) {
    bool *used = XG_NEW_N(n->arena, bool, n->bufs.n);
    const xg_nstmt *s;
    uint32_t k, kept = 0;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) {
        if (s->op != XG_N_BLOCK) continue;
        for (k = 0; k < s->block->n_args; k++)
            if (s->block->args[k].kind == XG_NA_LOAD) used[s->block->args[k].buf->id] = true;
        for (k = 0; k < s->block->n_outs; k++) used[s->block->outs[k].buf->id] = true;
    }
    for (k = 0; k < n->bufs.n; k++) {
        xg_nbuf *b = n->bufs.p[k];
        if (!b->param && !used[k]) continue;
        b->id = kept;
        n->bufs.p[kept++] = b;
    }
    n->bufs.n = kept;
}

/* ---- order ---- */

/* Variables get the numbers that a reader of the text would give them; so what is printed does not depend on how the
 * nest came about. */
XG_FN void xg_nest_tidy(xg_loopnest *n) {
    uint32_t *number = XG_NEW_N(n->arena, uint32_t, n->vars.n), k, count = 0;
    xg_nvar *vars = XG_NEW_N(n->arena, xg_nvar, n->vars.n);
    xg_range *ranges = XG_NEW_N(n->arena, xg_range, n->vars.n);
    xg_nsubst s;
    xg_nstmt *t;
    memset(number, 0xff, n->vars.n * sizeof *number);
    for (t = n->root; t; t = xg_nstmt_next(t, n->root)) {
        if (t->op == XG_N_LOOP) number[t->var] = count++;
        if (t->op == XG_N_BLOCK)
            for (k = 0; k < t->block->n_iters; k++) number[t->block->iters[k].var] = count++;
    }
    for (k = 0; k < n->vars.n; k++)
        if (number[k] != UINT32_MAX) {
            vars[number[k]] = n->vars.p[k];
            ranges[number[k]] = n->ranges.p[k];
        }
    xg_nsubst_begin(&s, n);
    for (k = 0; k < n->vars.n; k++)
        s.to[k] = number[k] == UINT32_MAX             ? NULL
                  : xg_range_is_point(n->ranges.p[k]) ? xg_aff_const(n->aff, 0)
                                                      : xg_aff_dim(n->aff, number[k]);
    s.env = xg_aff_env_of(n->aff, ranges, count, NULL, 0);
    xg_nsubst_bindings(&s, n->root);
    for (t = n->root; t; t = xg_nstmt_next(t, n->root)) {
        if (t->op == XG_N_LOOP) t->var = number[t->var];
        if (t->op != XG_N_BLOCK) continue;
        if (t->block->body && !n->flat) xg_nsubst_args(&s, t->block);
        for (k = 0; k < t->block->n_iters; k++) t->block->iters[k].var = number[t->block->iters[k].var];
    }
    n->vars.p = vars;
    n->ranges.p = ranges;
    n->vars.n = n->vars.cap = n->ranges.n = n->ranges.cap = count;
}

#endif /* XG_SCHED_NEST_C */
