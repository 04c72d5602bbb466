/* sched/loops.c -- the primitives that change loops: split, fuse, reorder, bind and its kin, annotations.
 *
 * None of them touches what blocks compute. A loop that is cut or joined only changes what iterators are bound to; a
 * loop that changes places or runs side by side asks that every block below may run its points in any order, as spatial
 * iterators may, and reduced ones as far as the result is combined. */
#ifndef XG_SCHED_LOOPS_C
#define XG_SCHED_LOOPS_C
#include "sched.h"

XG_ONE_COPY XG_FN const char *xg_sched_var(const xg_loopnest *n, const xg_nstmt *loop) {
    return n->vars.p[loop->var].name.p;
}
/* A loop that a primitive may take apart. */
XG_FN void xg_sched_check_loop(const xg_loopnest *n, const char *primitive, const xg_nstmt *s) {
    if (!s || s->gone) xg_sched_fail(n, "%s: there is no such loop any more", primitive);
    if (s->op != XG_N_LOOP) xg_sched_fail(n, "%s: this is no loop", primitive);
}
XG_FN void xg_sched_check_plain(const xg_loopnest *n, const char *primitive, const xg_nstmt *s) {
    xg_sched_check_loop(n, primitive, s);
    if (xg_nkind_is_axis(s->kind))
        xg_sched_fail(n, "%s: the loop '%s' is bound to %s", primitive, xg_sched_var(n, s), xg_nkind_text(s->kind));
    if (s->kind != XG_NK_SERIAL)
        xg_sched_fail(n, "%s: the loop '%s' is %s", primitive, xg_sched_var(n, s), xg_nkind_text(s->kind));
    if (s->n_notes) xg_sched_fail(n, "%s: the loop '%s' has annotations", primitive, xg_sched_var(n, s));
}
XG_FN xg_str xg_sched_name(xg_loopnest *n, const char *format, const char *a, const char *b) {
    char text[128];
    (void)xg_format(text, sizeof text, format, a, b);
    return xg_str_copy(n->arena, xg_str_z(text));
}
/* The blocks that a loop holds, without those inside of other blocks. */
XG_FN xg_nstmt *xg_nstmt_next_block(const xg_nstmt *s, const xg_nstmt *top) {
    do {
        if (s->op == XG_N_BLOCK && s != top) { /* what is in it is not asked for */
            for (; s != top && !s->next; s = s->parent) {}
            s = s == top ? NULL : s->next;
        } else
            s = xg_nstmt_next(s, top);
    } while (s && s->op != XG_N_BLOCK);
    return (xg_nstmt *)s;
}

/* ---- split, fuse ---- */

XG_FN void xg_do_split(xg_loopnest *n, xg_nstmt *loop, const int64_t *factors, uint32_t count, xg_nstmt **out) {
    int64_t f[16], product = 1;
    uint32_t k, open = UINT32_MAX;
    const xg_aff *index = xg_aff_const(n->aff, 0);
    xg_nsubst s;
    xg_nstmt *b;
    xg_sched_check_plain(n, "split", loop);
    if (!count || count > XG_COUNT(f))
        xg_sched_fail(n, "split: %u factors; there are 1 to %d", count, (int)XG_COUNT(f));
    for (k = 0; k < count; k++) {
        f[k] = factors[k];
        if (f[k] == -1 && open == UINT32_MAX)
            open = k;
        else if (f[k] == -1)
            xg_sched_fail(n, "split: more than one factor of '%s' is left open", xg_sched_var(n, loop));
        else if (f[k] < 1 || !xg_mul64(product, f[k], &product))
            xg_sched_fail(n, "split: %lld is no factor", (long long)f[k]);
    }
    if (open != UINT32_MAX) {
        f[open] = (loop->extent - 1) / product + 1;
        product *= f[open];
    }
    if (product < loop->extent)
        xg_sched_fail(n, "split: the factors make %lld, but '%s' counts to %lld", (long long)product,
            xg_sched_var(n, loop), (long long)loop->extent);
    for (k = 0; k < count; k++) {
        char number[16];
        (void)xg_format(number, sizeof number, "%u", k);
        out[k] = xg_nest_loop(
            n, xg_nest_var(n, xg_sched_name(n, "%s_%s", xg_sched_var(n, loop), number), f[k]), f[k], XG_NK_SERIAL);
    }
    xg_nsubst_begin(&s, n);
    for (k = 0; k < count; k++)
        index = xg_aff_add_scaled(&s.env, xg_aff_mul(n->aff, index, f[k]), s.to[out[k]->var], 1);
    xg_nsubst_put(&s, loop->var, index);
    xg_nsubst_bindings(&s, loop);
    for (b = xg_nstmt_next_block(loop, loop); b; b = xg_nstmt_next_block(b, loop))
        xg_nblock_require(n, b->block, index, xg_range_of(0, loop->extent - 1));
    xg_nstmt_insert(loop, out[0]);
    for (k = 1; k < count; k++) xg_nstmt_append(out[k - 1], out[k]);
    xg_nstmt_take_children(out[count - 1], loop);
    xg_nstmt_detach(loop);
    loop->gone = true;
}
XG_FN xg_nstmt *xg_do_fuse(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count) {
    int64_t extent = 1, below = 1;
    xg_nstmt *fused;
    xg_nsubst s;
    uint32_t k;
    xg_buf name;
    if (!count) xg_sched_fail(n, "fuse: there are no loops");
    xg_buf_init(&name, n->arena);
    for (k = 0; k < count; k++) {
        xg_sched_check_plain(n, "fuse", loops[k]);
        if (k && loops[k]->parent != loops[k - 1])
            xg_sched_fail(n, "fuse: the loop '%s' is not directly around '%s'", xg_sched_var(n, loops[k - 1]),
                xg_sched_var(n, loops[k]));
        if (k && (loops[k]->next || loops[k]->prev))
            xg_sched_fail(n, "fuse: the loop '%s' holds more than '%s'", xg_sched_var(n, loops[k - 1]),
                xg_sched_var(n, loops[k]));
        if (!xg_mul64(extent, loops[k]->extent, &extent)) xg_sched_fail(n, "fuse: the loops count too far together");
        xg_printf(&name, "%s%s", k ? "_" : "", xg_sched_var(n, loops[k]));
    }
    xg_puts(&name, count > 1 ? "_fused" : "");
    if (count == 1) return loops[0];
    fused = xg_nest_loop(n, xg_nest_var(n, xg_str_of(name.p, name.n), extent), extent, XG_NK_SERIAL);
    xg_nsubst_begin(&s, n);
    for (k = count; k-- > 0;) {
        const xg_aff *e = xg_aff_div_in(&s.env, s.to[fused->var], below);
        xg_nsubst_put(&s, loops[k]->var, k ? xg_aff_mod_in(&s.env, e, loops[k]->extent) : e);
        below *= loops[k]->extent;
    }
    xg_nsubst_bindings(&s, loops[0]);
    xg_nstmt_insert(loops[0], fused);
    xg_nstmt_take_children(fused, loops[count - 1]);
    xg_nstmt_detach(loops[0]);
    for (k = 0; k < count; k++) loops[k]->gone = true;
    return fused;
}
XG_FN xg_nstmt *xg_do_add_unit_loop(xg_loopnest *n, xg_nstmt *s) {
    xg_nstmt *unit;
    if (!s || s->gone || s == n->root) xg_sched_fail(n, "add_unit_loop: there is no such loop or block");
    unit = xg_nest_loop(n, xg_nest_var(n, XG_STR("u"), 1), 1, XG_NK_SERIAL);
    xg_nstmt_insert(s, unit);
    xg_nstmt_detach(s);
    xg_nstmt_append(unit, s);
    return unit;
}

/* ---- order ---- */

/* A reduction begins anew where its reduced iterators are 0: that comes first in any order of loops, unless one of them
 * leads to spatial iterators too. */
XG_FN void xg_sched_check_begins(
    const xg_loopnest *n, const char *primitive, const xg_nstmt *block, const xg_nstmt *outer, const xg_nstmt *inner) {
    const xg_nstmt *p = block;
    while (p && p->op == XG_N_BLOCK && !p->block->body && p->first == p->last)
        for (p = p->first; p && p->op == XG_N_LOOP && p->first == p->last; p = p->first) {}
    if (!p || p->op == XG_N_LOOP || p->first)
        xg_sched_fail(
            n, "%s: '%.*s' is around more than one block", primitive, (int)block->block->name.n, block->block->name.p);
    if (!p->block->init) return;
    for (p = inner;; p = p->parent) {
        if (p->extent > 1 && xg_nblock_depends(n, block->block, p, 'R') && xg_nblock_depends(n, block->block, p, 'S'))
            xg_sched_fail(n, "%s: the loop '%s' leads to spatial and to reduced iterators of '%.*s'", primitive,
                xg_sched_var(n, p), (int)block->block->name.n, block->block->name.p);
        if (p == outer) break;
    }
}
/* Under these loops, whose points may come in any order, some block reads what another one, or the same one, writes at
 * another point of them: then the order counts. */
XG_FN void xg_sched_check_any_order(xg_loopnest *n, const char *primitive, xg_nstmt *outer, xg_nstmt *inner) {
    xg_nstmt *w, *r;
    uint32_t k, j;
    for (w = xg_nstmt_next_block(outer, outer); w; w = xg_nstmt_next_block(w, outer)) {
        xg_sched_check_begins(n, primitive, w, outer, inner);
        if (!w->block->body) {
            if (xg_nstmt_next_block(outer, outer) != w || xg_nstmt_next_block(w, outer))
                xg_sched_fail(n, "%s: the loop '%s' holds more than '%.*s'", primitive, xg_sched_var(n, outer),
                    (int)w->block->name.n, w->block->name.p);
            continue;
        }
        if (!xg_nest_writes_once(n, w->block))
            xg_sched_fail(
                n, "%s: '%.*s' writes elements more than once", primitive, (int)w->block->name.n, w->block->name.p);
        for (k = 0; k < w->block->n_outs; k++)
            for (r = xg_nstmt_next_block(outer, outer); r; r = xg_nstmt_next_block(r, outer)) {
                const xg_nblock *reader = r->block;
                if (!reader->body) continue;
                for (j = 0; j < reader->n_args; j++) {
                    const xg_narg *a = &reader->args[j];
                    if (a->kind != XG_NA_LOAD || a->buf != w->block->outs[k].buf) continue;
                    if (!xg_nest_covers_place(n, w, k, r, a->at, outer, inner))
                        xg_sched_fail(n,
                            "%s: '%.*s' reads of '%.*s' what '%.*s' writes in another round of the loop '%s'",
                            primitive, (int)reader->name.n, reader->name.p, (int)a->buf->name.n, a->buf->name.p,
                            (int)w->block->name.n, w->block->name.p, xg_sched_var(n, outer));
                }
                if (r != w)
                    for (j = 0; j < reader->n_outs; j++)
                        if (reader->outs[j].buf == w->block->outs[k].buf &&
                            !xg_nest_covers_place(n, w, k, r, reader->outs[j].at, outer, inner))
                            xg_sched_fail(n, "%s: '%.*s' and '%.*s' write to '%.*s' in turns", primitive,
                                (int)reader->name.n, reader->name.p, (int)w->block->name.n, w->block->name.p,
                                (int)reader->outs[j].buf->name.n, reader->outs[j].buf->name.p);
            }
    }
}
XG_FN void xg_do_reorder(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count) {
    xg_nstmt *chain[XG_NEST_DEPTH_MAX], *top, *bottom, *s, *before, *parent;
    uint32_t k, j, length = 0, at;
    if (!count) xg_sched_fail(n, "reorder: there are no loops");
    for (k = 0; k < count; k++) {
        xg_sched_check_loop(n, "reorder", loops[k]);
        for (j = 0; j < k; j++)
            if (loops[j] == loops[k])
                xg_sched_fail(n, "reorder: the loop '%s' is named twice", xg_sched_var(n, loops[k]));
    }
    top = bottom = loops[0];
    for (k = 1; k < count; k++) {
        if (xg_nstmt_inside(top, loops[k]))
            top = loops[k];
        else if (xg_nstmt_inside(loops[k], bottom))
            bottom = loops[k];
        else if (!xg_nstmt_inside(loops[k], top) || !xg_nstmt_inside(bottom, loops[k]))
            xg_sched_fail(n, "reorder: the loops '%s' and '%s' are not one inside of the other",
                xg_sched_var(n, bottom), xg_sched_var(n, loops[k]));
    }
    for (s = bottom;; s = s->parent) {
        if (s->op != XG_N_LOOP)
            xg_sched_fail(n, "reorder: the block '%.*s' is between the loops", (int)s->block->name.n, s->block->name.p);
        if (s != bottom && s->first != s->last)
            xg_sched_fail(n, "reorder: the loop '%s' holds more than the next one", xg_sched_var(n, s));
        if (length == XG_COUNT(chain)) xg_sched_fail(n, "reorder: the loops are nested too deep");
        chain[length++] = s;
        if (s == top) break;
    }
    if (length > 1) xg_sched_check_any_order(n, "reorder", top, bottom);
    for (k = 0; k < length / 2; k++) {
        s = chain[k];
        chain[k] = chain[length - 1 - k];
        chain[length - 1 - k] = s;
    }
    for (k = at = 0; k < length; k++) { /* the places of those that were named, in their new order */
        for (j = 0; j < count && loops[j] != chain[k]; j++) {}
        if (j < count) chain[k] = loops[at++];
    }
    before = top->next;
    parent = top->parent;
    {
        xg_nstmt rest;
        memset(&rest, 0, sizeof rest);
        xg_nstmt_take_children(&rest, bottom);
        xg_nstmt_detach(top);
        for (k = 0; k < length; k++) {
            chain[k]->first = chain[k]->last = chain[k]->prev = chain[k]->next = NULL;
            if (k) xg_nstmt_append(chain[k - 1], chain[k]);
        }
        xg_nstmt_take_children(chain[length - 1], &rest);
    }
    if (before)
        xg_nstmt_insert(before, chain[0]);
    else
        xg_nstmt_append(parent, chain[0]);
}

/* ---- how a loop runs ---- */

/* A loop of threads in one of the same threads: there they do together what each of them wants, for all of them to
 * see. */
XG_FN void xg_sched_check_together(xg_loopnest *n, const xg_nstmt *outer, const xg_nstmt *inner) {
    const char *axis = xg_nkind_text(xg_nkind_is_axis(outer->kind) ? outer->kind : inner->kind);
    const xg_aff *var = xg_nest_dim(n, outer->var);
    const xg_nstmt *s;
    uint32_t k;
    if (!xg_nkind_is_thread(outer->kind) && !xg_nkind_is_thread(inner->kind))
        xg_sched_fail(n, "bind: the loop '%s' around '%s' is bound to %s already", xg_sched_var(n, outer),
            xg_sched_var(n, inner), axis);
    if (outer->extent != inner->extent)
        xg_sched_fail(n, "bind: the loop '%s' around '%s' is bound to %s and counts to another number",
            xg_sched_var(n, outer), xg_sched_var(n, inner), axis);
    for (s = inner->first; s; s = xg_nstmt_next(s, inner)) {
        if (s->op != XG_N_BLOCK) continue;
        for (k = 0; k < s->block->n_iters; k++)
            if (xg_aff_uses(s->block->iters[k].binding, var))
                xg_sched_fail(n, "bind: '%.*s' depends on the loop '%s' around it, which is bound to %s already",
                    (int)s->block->name.n, s->block->name.p, xg_sched_var(n, outer), axis);
        for (k = 0; k < s->block->n_outs; k++)
            if (s->block->outs[k].buf->scope > XG_NS_SHARED)
                xg_sched_fail(n, "bind: what '%.*s' makes for all threads together is %s", (int)s->block->name.n,
                    s->block->name.p, xg_nscope_text(s->block->outs[k].buf->scope));
    }
}
XG_FN void xg_do_kind(xg_loopnest *n, xg_nstmt *loop, xg_nkind kind) {
    const char *primitive = xg_nkind_is_axis(kind)     ? "bind"
                            : kind == XG_NK_VECTORIZED ? "vectorize"
                            : kind == XG_NK_UNROLLED   ? "unroll"
                            : kind == XG_NK_PARALLEL   ? "parallel"
                                                       : "serial";
    xg_nstmt *s;
    uint32_t k;
    xg_sched_check_loop(n, primitive, loop);
    if (loop->kind != XG_NK_SERIAL && loop->kind != kind)
        xg_sched_fail(
            n, "%s: the loop '%s' is %s already", primitive, xg_sched_var(n, loop), xg_nkind_text(loop->kind));
    if (xg_nkind_is_axis(kind)) {
        for (s = loop->parent; s; s = s->parent)
            if (s->op == XG_N_LOOP && s->kind == kind) xg_sched_check_together(n, s, loop);
        for (s = loop->first; s; s = xg_nstmt_next(s, loop))
            if (s->op == XG_N_LOOP && s->kind == kind) xg_sched_check_together(n, loop, s);
    }
    if (kind != XG_NK_SERIAL && kind != XG_NK_UNROLLED) {
        const xg_aff *var = xg_nest_dim(n, loop->var);
        for (s = xg_nstmt_next_block(loop, loop); s; s = xg_nstmt_next_block(s, loop))
            for (k = 0; k < s->block->n_iters; k++)
                if (s->block->iters[k].kind == 'R' && xg_aff_uses(s->block->iters[k].binding, var) &&
                    !xg_nkind_is_thread(kind))
                    xg_sched_fail(n, "%s: the loop '%s' is reduced over in '%.*s', which only threadIdx can bear",
                        primitive, xg_sched_var(n, loop), (int)s->block->name.n, s->block->name.p);
        xg_sched_check_any_order(n, primitive, loop, loop);
    }
    loop->kind = kind;
}
XG_FN void xg_do_annotate(xg_loopnest *n, xg_nstmt *s, xg_str key, xg_str value) {
    xg_nnote *notes;
    uint32_t k;
    if (!s || s->gone || s == n->root) xg_sched_fail(n, "annotate: there is no such loop or block");
    if (!key.n) xg_sched_fail(n, "annotate: an annotation has a key");
    xg_nnote_check(n, key, value);
    for (k = 0; k < s->n_notes; k++)
        if (xg_str_eq(s->notes[k].key, key)) xg_sched_fail(n, "annotate: '%.*s' is there already", (int)key.n, key.p);
    notes = XG_NEW_N(n->arena, xg_nnote, s->n_notes + 1);
    if (s->n_notes) memcpy(notes, s->notes, s->n_notes * sizeof *notes);
    notes[s->n_notes].key = xg_str_copy(n->arena, key);
    notes[s->n_notes].value = xg_str_copy(n->arena, value);
    s->notes = notes;
    s->n_notes++;
}
XG_FN void xg_do_unannotate(xg_loopnest *n, xg_nstmt *s, xg_str key) {
    xg_nnote *notes;
    uint32_t k, kept = 0;
    if (!s || s->gone || s == n->root) xg_sched_fail(n, "unannotate: there is no such loop or block");
    notes = XG_NEW_N(n->arena, xg_nnote, s->n_notes);
    for (k = 0; k < s->n_notes; k++)
        if (!xg_str_eq(s->notes[k].key, key)) notes[kept++] = s->notes[k];
    if (kept == s->n_notes) xg_sched_fail(n, "unannotate: there is no '%.*s'", (int)key.n, key.p);
    s->notes = notes;
    s->n_notes = kept;
}

#endif /* XG_SCHED_LOOPS_C */
