/* sched/tensorize.c -- what a loop holds is marked as one machine operation, where it does what the operation's nest
 * says.
 *
 * The block around it that blockize makes keeps its loops: they stay its meaning, and its code where a target has not
 * got the operation. */
#ifndef XG_SCHED_TENSORIZE_C
#define XG_SCHED_TENSORIZE_C
#include "intrinsics.h"
#include "sched.h"
#include "loops.c"
#include "analysis.c"
#include "parse.c"

typedef struct xg_nintrinsic {
    const char *name, *text, *words;
} xg_nintrinsic;
static const xg_nintrinsic xg_nintrinsics[] = {
#define X(name, text, words) {#name, XG_##text##_TEXT, words},
    XG_INTRINSICS(X)
#undef X
};
XG_FN void xg_nintrinsic_source(xg_arena *a, const xg_nintrinsic *row, xg_source *src) {
    const char *p, *word;
    uint32_t k;
    xg_buf b;
    xg_buf_init(&b, a);
    for (p = row->text; *p; p++) {
        if (*p != '$') {
            xg_putc(&b, *p);
            continue;
        }
        word = row->words;
        for (k = (uint32_t)(*++p - '0'); k; k--) word = strchr(word, ' ') + 1;
        xg_put(&b, word, strcspn(word, " "));
    }
    src->name = row->name;
    src->text = b.p;
    src->size = b.n;
}
XG_FN const char *xg_nintrinsic_name(const void *user, size_t i) {
    (void)user;
    return i < XG_COUNT(xg_nintrinsics) ? xg_nintrinsics[i].name : NULL;
}
/* A tile of work: the block that computes, and the loops that count to more than 1 around it, from `from` on. */
typedef struct xg_ntilework {
    xg_loopnest *n;
    xg_nstmt *leaf, *loops[XG_RANK_MAX];
    uint32_t count;
    bool *fixed, *moving;
} xg_ntilework;
XG_FN const char *xg_ntilework_of(xg_loopnest *n, xg_nstmt *from, xg_ntilework *w) {
    xg_nstmt *s;
    memset(w, 0, sizeof *w);
    w->n = n;
    w->fixed = XG_NEW_N(n->arena, bool, n->vars.n);
    w->moving = XG_NEW_N(n->arena, bool, n->vars.n);
    for (s = from; s->op == XG_N_LOOP; s = s->first) {
        if (s->first != s->last) return "it holds more than one block";
        if (s->extent == 1) continue;
        if (w->count == XG_RANK_MAX) return "there are too many loops";
        w->moving[s->var] = true;
        w->loops[w->count++] = s;
    }
    if (!s->block->body) return "it holds a block around others";
    if (s->block->n_where) return "the block does not run at all points of its loops";
    w->leaf = s;
    for (s = from->parent; s; s = s->parent) {
        uint32_t k;
        if (s->op == XG_N_LOOP) w->fixed[s->var] = true;
        for (k = 0; s->op == XG_N_BLOCK && k < s->block->n_iters; k++) w->fixed[s->block->iters[k].var] = true;
    }
    return NULL;
}
/* What the tile's loops add to an index, with the loops numbered from 0. */
XG_FN const xg_aff *xg_ntilework_moves(xg_ntilework *w, const xg_aff *at) {
    xg_aff_env env = xg_nest_env(w->n);
    xg_nsubst to;
    xg_nspan span;
    const xg_aff *moves;
    uint32_t k;
    if (!xg_nspan_of(&env, at, w->fixed, w->moving, &span)) return NULL;
    moves = xg_aff_add_scaled(&env, at, span.base, -1);
    if (!moves) return NULL;
    xg_nsubst_begin(&to, w->n);
    for (k = 0; k < w->count; k++) xg_nsubst_put(&to, w->loops[k]->var, xg_aff_sym(w->n->aff, k));
    return xg_nsubst_of(&to, moves);
}
/* The same place of a tile: dimensions that stand still do not count. */
XG_FN bool xg_ntilework_same_place(xg_ntilework *w, const xg_nbuf *buf, const xg_aff *const *at, xg_ntilework *t,
    const xg_nbuf *tile, const xg_aff *const *tile_at) {
    const xg_aff **own = xg_nest_at_loops(w->n, w->leaf->block, at, buf->rank);
    const xg_aff **wanted = xg_nest_at_loops(t->n, t->leaf->block, tile_at, tile->rank);
    uint32_t d, seen = 0;
    if (buf->type != tile->type) return false;
    for (d = 0; d < buf->rank; d++) {
        const xg_aff *moves = xg_ntilework_moves(w, own[d]);
        if (!moves) return false;
        if (moves->kind == XG_AFF_CONST) continue;
        if (seen == tile->rank || moves != xg_ntilework_moves(t, wanted[seen])) return false;
        seen++;
    }
    return seen == tile->rank;
}
/* The same operations on the same types in the same order. */
XG_FN bool xg_ncomp_same(const xg_comp *a, const xg_comp *b) {
    uint32_t k;
    const xg_inst *y = b->first;
    XG_FOR_INSTS(x, a) {
        uint32_t j;
        if (!y || x->op != y->op || x->shape->type != y->shape->type || x->n_operands != y->n_operands) return false;
        for (k = 0; k < x->n_operands; k++) {
            const xg_inst *p = a->first, *q = b->first;
            for (j = 0; p != XG_OPERAND(x, k); j++) p = p->next;
            for (; j; j--) q = q->next;
            if (q != XG_OPERAND(y, k)) return false;
        }
        if (x->op == XG_PARAMETER  ? x->number != y->number
            : x->op == XG_CONSTANT ? !xg_literal_equal(x->literal, y->literal)
                                   : x->op != XG_CONVERT && x->op != XG_MULTIPLY && x->op != XG_TUPLE)
            return false;
        y = y->next;
    }
    return !y;
}
XG_FN const char *xg_ntilework_compare(xg_ntilework *w, xg_ntilework *t) {
    const xg_nblock *a = w->leaf->block, *b = t->leaf->block;
    uint32_t k;
    if (w->count != t->count) return "it has another number of loops";
    for (k = 0; k < w->count; k++) {
        if (w->loops[k]->extent != t->loops[k]->extent) return "a loop counts to another number";
        if (xg_nblock_depends(w->n, a, w->loops[k], 'R') != xg_nblock_depends(t->n, b, t->loops[k], 'R'))
            return "another loop is reduced over";
    }
    if (!a->combine != !b->combine || (a->combine && xg_eval_single(a->combine) != xg_eval_single(b->combine)))
        return "it combines in another way";
    if (!a->init != !b->init) return "it begins what it combines: decompose_reduction comes first";
    if (a->n_args != b->n_args || a->n_outs != b->n_outs) return "it does not read and write as many tiles";
    if (!xg_ncomp_same(a->body, b->body)) return "it computes something else, or of other types";
    for (k = 0; k < a->n_args; k++)
        if (a->args[k].kind != XG_NA_LOAD || a->args[k].n_where ||
            !xg_ntilework_same_place(w, a->args[k].buf, a->args[k].at, t, b->args[k].buf, b->args[k].at))
            return "it reads other places of a tile";
    for (k = 0; k < a->n_outs; k++)
        if (!xg_ntilework_same_place(w, a->outs[k].buf, a->outs[k].at, t, b->outs[k].buf, b->outs[k].at))
            return "it writes other places of a tile";
    return NULL;
}
/* Why what these statements do is not that operation; NULL: it is. *found: there is one of that name. */
XG_FN const char *xg_nintrinsic_differs(xg_loopnest *n, xg_nstmt *from, xg_str name, bool *found) {
    xg_ntilework work, tile;
    xg_loopnest *meaning;
    const char *why;
    xg_nparse text;
    xg_source src;
    size_t at = 0;
    uint32_t k;
    for (k = 0; k < XG_COUNT(xg_nintrinsics) && !xg_str_is(name, xg_nintrinsics[k].name); k++) {}
    *found = k < XG_COUNT(xg_nintrinsics);
    if (!*found) return "there is no such operation";
    xg_nintrinsic_source(n->arena, &xg_nintrinsics[k], &src);
    xg_nparse_nest(&text, n->ctx, n->arena, n->aff, &src, &at);
    meaning = xg_nparse_end(&text, &at);
    why = xg_ntilework_of(n, from, &work);
    if (!why) why = xg_ntilework_of(meaning, meaning->root->first, &tile);
    return why ? why : xg_ntilework_compare(&work, &tile);
}
XG_FN xg_nstmt *xg_do_tensorize(xg_loopnest *n, xg_nstmt *loop, xg_str intrinsic) {
    const char *nearest = xg_nearest(intrinsic, xg_nintrinsic_name, NULL), *why;
    xg_nstmt *made;
    bool found;
    xg_sched_check_loop(n, "tensorize", loop);
    why = xg_nintrinsic_differs(n, loop, intrinsic, &found);
    if (!found)
        xg_sched_fail(n, "tensorize: no operation is called '%.*s'%s%s", (int)intrinsic.n, intrinsic.p,
            nearest ? ": " : "", nearest ? nearest : "");
    if (why)
        xg_sched_fail(
            n, "tensorize: what '%s' holds is no %.*s: %s", xg_sched_var(n, loop), (int)intrinsic.n, intrinsic.p, why);
    made = xg_do_blockize(n, loop);
    made->block->intrinsic = xg_str_copy(n->arena, intrinsic);
    return made;
}

/* ---- texts that say so ---- */

/* What is marked as a machine operation does what that does. */
XG_FN void xg_nparse_check_intrinsics(xg_nparse *r) {
    xg_nstmt *s;
    for (s = r->n->root; s; s = xg_nstmt_next(s, r->n->root)) {
        const char *why;
        bool found;
        if (s->op != XG_N_BLOCK || !s->block->intrinsic.n) continue;
        why = s->first && s->first == s->last ? xg_nintrinsic_differs(r->n, s->first, s->block->intrinsic, &found)
                                              : "it holds more than one block";
        if (why)
            xg_lex_fail(r->x, NULL, "'%.*s' is no %.*s: %s", (int)s->block->name.n, s->block->name.p,
                (int)s->block->intrinsic.n, s->block->intrinsic.p, why);
    }
}
XG_FN xg_loopnest *xg_nest_parse(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff, const xg_source *src, size_t *at) {
    xg_nparse r;
    xg_nparse_nest(&r, c, a, aff, src, at);
    xg_nparse_check_intrinsics(&r);
    return xg_nparse_end(&r, at);
}

#endif /* XG_SCHED_TENSORIZE_C */
