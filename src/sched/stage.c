/* sched/stage.c -- the primitives that put an array between a block and what it reads or writes: cache_read,
 * cache_write, reindex; where arrays live and how they lie.
 *
 * A new array is filled, or emptied, as a whole by a block of its own, in front of all or behind all that stands around
 * the block; compute_at then moves that to where it is wanted. */
#ifndef XG_SCHED_STAGE_C
#define XG_SCHED_STAGE_C
#include "sched.h"
#include "loops.c"
#include "nest.c"

XG_FN void xg_sched_check_block(const xg_loopnest *n, const char *primitive, const xg_nstmt *s) {
    if (!s || s->gone) xg_sched_fail(n, "%s: there is no such block any more", primitive);
    if (s->op != XG_N_BLOCK)
        xg_sched_fail(n, "%s: the loop '%s' is no block", primitive, s == n->root ? "root" : xg_sched_var(n, s));
    if (!s->block->body)
        xg_sched_fail(
            n, "%s: the block '%.*s' is one around others", primitive, (int)s->block->name.n, s->block->name.p);
}
/* The block that s is in, or the root; and which of its statements s is in. */
XG_FN xg_nstmt *xg_nstmt_scope(const xg_nstmt *s) {
    for (s = s->parent; s->op == XG_N_LOOP; s = s->parent) {}
    return (xg_nstmt *)s;
}
XG_ONE_COPY XG_FN xg_nstmt *xg_nstmt_branch(xg_nstmt *s, const xg_nstmt *scope) {
    while (s->parent != scope) s = s->parent;
    return s;
}
/* Loops over these extents, one inside of the other, and in them a block with an iterator for each; given back: the
 * outermost statement, and the block. */
XG_FN xg_nstmt *xg_nest_over(xg_loopnest *n, xg_str name, const int64_t *dims, uint32_t rank, xg_nstmt **block) {
    xg_nstmt *top = NULL, *at = NULL, *b = xg_nest_block(n, name);
    uint32_t k;
    b->block->n_iters = rank;
    b->block->iters = XG_NEW_N(n->arena, xg_niter, rank);
    for (k = 0; k < rank; k++) {
        char text[24];
        xg_nstmt *loop;
        (void)xg_format(text, sizeof text, "ax%u", k);
        loop = xg_nest_loop(n, xg_nest_var(n, xg_str_z(text), dims[k]), dims[k], XG_NK_SERIAL);
        if (at)
            xg_nstmt_append(at, loop);
        else
            top = loop;
        at = loop;
        (void)xg_format(text, sizeof text, "v%u", k);
        b->block->iters[k].kind = 'S';
        b->block->iters[k].extent = dims[k];
        b->block->iters[k].binding = xg_nest_dim(n, loop->var);
        b->block->iters[k].var = xg_nest_var_named(n, xg_str_z(text), dims[k]);
    }
    if (at) xg_nstmt_append(at, b);
    *block = b;
    return top ? top : b;
}
XG_FN const xg_aff **xg_nblock_dims(xg_loopnest *n, const xg_nblock *b) {
    const xg_aff **at = XG_NEW_N(n->arena, const xg_aff *, b->n_iters);
    uint32_t k;
    for (k = 0; k < b->n_iters; k++) at[k] = xg_nest_dim(n, b->iters[k].var);
    return at;
}
/* The block does to[to_at] = from[from_at] and nothing else. */
XG_FN void xg_nblock_copy(
    xg_loopnest *n, xg_nblock *b, xg_nbuf *from, const xg_aff **from_at, xg_nbuf *to, const xg_aff **to_at) {
    xg_nout *out = XG_NEW(n->arena, xg_nout);
    xg_narg load = xg_narg_load(from, from_at);
    xg_nbody y;
    xg_nbody_begin(&y, n, b->name);
    xg_nbody_end(&y, b, xg_nbody_arg(&y, &load));
    out->buf = to;
    out->at = to_at;
    b->outs = out;
    b->n_outs = 1;
}
XG_FN void xg_nblock_redirect(xg_loopnest *n, xg_nblock *b, const xg_nbuf *from, xg_nbuf *to, bool writes) {
    xg_narg *args = XG_NEW_N(n->arena, xg_narg, b->n_args);
    xg_nout *outs = XG_NEW_N(n->arena, xg_nout, b->n_outs);
    uint32_t k;
    for (k = 0; k < b->n_args; k++) {
        args[k] = b->args[k];
        if (!writes && args[k].kind == XG_NA_LOAD && args[k].buf == from) args[k].buf = to;
    }
    for (k = 0; k < b->n_outs; k++) {
        outs[k] = b->outs[k];
        if (writes && outs[k].buf == from) outs[k].buf = to;
    }
    b->args = args;
    b->outs = outs;
}
XG_FN xg_str xg_sched_copy_name(xg_loopnest *n, const xg_nbuf *buf, xg_nscope scope) {
    return xg_sched_name(n, "%s_%s", buf->name.p, xg_nscope_text(scope));
}

/* One writer of buf at most, and not in the statement that the reader is in. */
XG_FN xg_nstmt *xg_sched_cache_place(xg_loopnest *n, const char *primitive, xg_nstmt *block, const xg_nbuf *buf) {
    xg_nstmt *scope = xg_nstmt_scope(block), *writer;
    uint32_t writers = xg_nest_writers(n, buf, &writer, 1);
    if (writers > 1)
        xg_sched_fail(n, "%s: '%.*s' is written by %u blocks", primitive, (int)buf->name.n, buf->name.p, writers);
    if (!writers) return scope->first;
    if (!xg_nstmt_inside(writer, scope) || xg_nstmt_branch(writer, scope) == xg_nstmt_branch(block, scope))
        xg_sched_fail(n, "%s: '%.*s' is made by '%.*s' in the same loops that '%.*s' reads it in", primitive,
            (int)buf->name.n, buf->name.p, (int)writer->block->name.n, writer->block->name.p, (int)block->block->name.n,
            block->block->name.p);
    if (!xg_nstmt_precedes(n, writer, block))
        xg_sched_fail(n, "%s: '%.*s' is read before '%.*s' makes it", primitive, (int)buf->name.n, buf->name.p,
            (int)writer->block->name.n, writer->block->name.p);
    return xg_nstmt_branch(writer, scope)->next;
}
/* A copy is of all places, and what is in those that nothing writes is not known. */
XG_FN void xg_sched_check_unpadded(const xg_loopnest *n, const char *primitive, const xg_nbuf *buf) {
    if (buf->padded)
        xg_sched_fail(n, "%s: nobody writes the padding of '%.*s': copy it before its layout changes", primitive,
            (int)buf->name.n, buf->name.p);
}
XG_FN xg_nstmt *xg_do_cache_read(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope) {
    xg_nstmt *place, *made;
    xg_nbuf *copy;
    xg_str name;
    const xg_aff **at;
    xg_sched_check_block(n, "cache_read", block);
    if (!buf || !xg_nblock_reads(block->block, buf))
        xg_sched_fail(n, "cache_read: '%.*s' does not read '%.*s'", (int)block->block->name.n, block->block->name.p,
            buf ? (int)buf->name.n : 1, buf ? buf->name.p : "?");
    xg_sched_check_unpadded(n, "cache_read", buf);
    place = xg_sched_cache_place(n, "cache_read", block, buf);
    name = xg_sched_copy_name(n, buf, scope);
    copy = xg_nest_buf(n, name, buf->type, buf->dims, buf->rank, scope);
    xg_nstmt_insert(place, xg_nest_over(n, copy->name, buf->dims, buf->rank, &made));
    at = xg_nblock_dims(n, made->block);
    xg_nblock_copy(n, made->block, buf, at, copy, at);
    xg_nblock_redirect(n, block->block, buf, copy, false);
    return made;
}
/* Behind which statement what the block writes can be copied: nothing in that one reads it. */
XG_FN xg_nstmt *xg_sched_write_place(xg_loopnest *n, const char *primitive, xg_nstmt *block, const xg_nbuf *buf) {
    xg_nstmt *scope = xg_nstmt_scope(block), *s = xg_nstmt_branch(block, scope), *r;
    if (scope->op == XG_N_BLOCK)
        xg_sched_fail(n, "%s: in one round of '%.*s' '%.*s' is not complete", primitive, (int)scope->block->name.n,
            scope->block->name.p, (int)buf->name.n, buf->name.p);
    for (r = s; r; r = xg_nstmt_next(r, s))
        if (r->op == XG_N_BLOCK && xg_nblock_reads(r->block, buf))
            xg_sched_fail(n, "%s: '%.*s' is read by '%.*s' in the same loops", primitive, (int)buf->name.n, buf->name.p,
                (int)r->block->name.n, r->block->name.p);
    return s;
}
XG_FN void xg_nstmt_insert_behind(xg_nstmt *after, xg_nstmt *s) {
    if (after->next)
        xg_nstmt_insert(after->next, s);
    else
        xg_nstmt_append(after->parent, s);
}
/* All blocks that write buf, the one that begins a reduction and the one that goes on with it among them. */
XG_FN uint32_t xg_sched_write_group(xg_loopnest *n, xg_nstmt *block, const xg_nbuf *buf, xg_nstmt **out, uint32_t cap) {
    uint32_t writers = xg_nest_writers(n, buf, out, cap), k, updates = 0;
    bool parts = writers == 2 && !out[0]->block->combine && out[1]->block->combine && !out[1]->block->init;
    for (k = 0; k < writers && k < cap; k++) updates += xg_nstmt_scope(out[k]) == xg_nstmt_scope(block);
    if (writers > 1 && (!parts || updates != writers))
        xg_sched_fail(n, "cache_write: '%.*s' is written by %u blocks", (int)buf->name.n, buf->name.p, writers);
    return writers;
}
XG_FN xg_nstmt *xg_do_cache_write(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope) {
    xg_nstmt *made, *writers[2], *readers[1], *s = NULL;
    xg_nbuf *copy;
    xg_str name;
    const xg_aff **at;
    uint32_t count, k;
    xg_sched_check_block(n, "cache_write", block);
    if (!buf || !xg_nblock_writes(block->block, buf))
        xg_sched_fail(n, "cache_write: '%.*s' does not write '%.*s'", (int)block->block->name.n, block->block->name.p,
            buf ? (int)buf->name.n : 1, buf ? buf->name.p : "?");
    xg_sched_check_unpadded(n, "cache_write", buf);
    count = xg_sched_write_group(n, block, buf, writers, XG_COUNT(writers));
    for (k = 0; k < count; k++) s = xg_sched_write_place(n, "cache_write", writers[k], buf);
    if (xg_nest_readers(n, buf, readers, 1) && xg_nstmt_precedes(n, readers[0], writers[count - 1]))
        xg_sched_fail(n, "cache_write: '%.*s' is read before it is complete", (int)buf->name.n, buf->name.p);
    name = xg_sched_copy_name(n, buf, scope);
    copy = xg_nest_buf(n, name, buf->type, buf->dims, buf->rank, scope);
    xg_nstmt_insert_behind(s, xg_nest_over(n, buf->name, buf->dims, buf->rank, &made));
    at = xg_nblock_dims(n, made->block);
    xg_nblock_copy(n, made->block, copy, at, buf, at);
    for (k = 0; k < count; k++) xg_nblock_redirect(n, writers[k]->block, buf, copy, true);
    return made;
}

/* ---- reindex ---- */

/* The iterators of the block that the indices use. */
XG_FN uint32_t xg_nblock_used(
    const xg_loopnest *n, const xg_nblock *b, const xg_aff *const *at, uint32_t rank, uint32_t *which) {
    uint32_t k, d, count = 0;
    for (k = 0; k < b->n_iters; k++) {
        for (d = 0; d < rank && !xg_aff_uses(at[d], xg_aff_dim(n->aff, b->iters[k].var)); d++) {}
        if (d < rank) which[count++] = k;
    }
    return count;
}
/* The one place where the block reads or writes buf. */
XG_FN const xg_aff **xg_nblock_place(
    const xg_loopnest *n, const char *primitive, const xg_nblock *b, const xg_nbuf *buf, bool write) {
    const xg_aff **at = NULL;
    uint32_t k, count = 0;
    if (write) {
        for (k = 0; k < b->n_outs; k++)
            if (b->outs[k].buf == buf) {
                at = b->outs[k].at;
                count++;
            }
    } else
        for (k = 0; k < b->n_args; k++)
            if (b->args[k].kind == XG_NA_LOAD && b->args[k].buf == buf) {
                at = b->args[k].at;
                count++;
                if (b->args[k].n_where)
                    xg_sched_fail(n, "%s: '%.*s' is read with a guard", primitive, (int)buf->name.n, buf->name.p);
            }
    if (count != 1)
        xg_sched_fail(n, "%s: '%.*s' %s '%.*s' at %u places", primitive, (int)b->name.n, b->name.p,
            write ? "writes" : "reads", buf ? (int)buf->name.n : 1, buf ? buf->name.p : "?", count);
    return at;
}
XG_FN xg_nstmt *xg_do_reindex(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, bool write) {
    xg_nblock *b = block->block;
    uint32_t which[XG_RANK_MAX], rank, k;
    int64_t dims[XG_RANK_MAX] = {0};
    const xg_aff **at, **own = XG_NEW_N(n->arena, const xg_aff *, XG_RANK_MAX), **made_at;
    xg_nstmt *place, *made, *top, *writer;
    xg_nsubst s;
    xg_nbuf *copy;
    xg_sched_check_block(n, "reindex", block);
    if (b->n_iters > XG_RANK_MAX) xg_sched_fail(n, "reindex: '%.*s' has too many iterators", (int)b->name.n, b->name.p);
    at = xg_nblock_place(n, "reindex", b, buf, write);
    if (write && xg_nest_writers(n, buf, &writer, 1) != 1)
        xg_sched_fail(n, "reindex: '%.*s' is written by other blocks too", (int)buf->name.n, buf->name.p);
    if (write && !xg_nest_writes_once(n, b))
        xg_sched_fail(n, "reindex: '%.*s' writes elements more than once", (int)b->name.n, b->name.p);
    place = write ? xg_sched_write_place(n, "reindex", block, buf) : xg_sched_cache_place(n, "reindex", block, buf);
    rank = xg_nblock_used(n, b, at, buf->rank, which);
    for (k = 0; k < rank; k++) dims[k] = b->iters[which[k]].extent;
    copy = xg_nest_buf(n, xg_sched_name(n, "%s_%s", buf->name.p, "reindex"), buf->type, dims, rank, XG_NS_GLOBAL);
    top = xg_nest_over(n, write ? buf->name : copy->name, dims, rank, &made);
    made_at = xg_nblock_dims(n, made->block);
    xg_nsubst_begin(&s, n);
    for (k = 0; k < rank; k++) {
        own[k] = xg_nest_dim(n, b->iters[which[k]].var);
        xg_nsubst_put(&s, b->iters[which[k]].var, made_at[k]);
    }
    {
        const xg_aff **moved = xg_nsubst_affs(&s, at, buf->rank);
        if (write)
            xg_nblock_copy(n, made->block, copy, made_at, buf, moved);
        else
            xg_nblock_copy(n, made->block, buf, moved, copy, made_at);
    }
    if (write)
        xg_nstmt_insert_behind(place, top);
    else
        xg_nstmt_insert(place, top);
    xg_nblock_redirect(n, b, buf, copy, write);
    if (write) {
        for (k = 0; k < b->n_outs; k++)
            if (b->outs[k].buf == copy) ((xg_nout *)b->outs)[k].at = own;
    } else
        for (k = 0; k < b->n_args; k++)
            if (b->args[k].kind == XG_NA_LOAD && b->args[k].buf == copy) ((xg_narg *)b->args)[k].at = own;
    return made;
}

/* ---- memory ---- */

XG_FN void xg_sched_check_buf(const xg_loopnest *n, const char *primitive, const xg_nbuf *buf) {
    if (!buf) xg_sched_fail(n, "%s: there is no such buffer", primitive);
    if (buf->param)
        xg_sched_fail(n, "%s: '%.*s' is the caller's, not allocated here", primitive, (int)buf->name.n, buf->name.p);
}
XG_FN void xg_do_set_scope(xg_loopnest *n, xg_nbuf *buf, xg_nscope scope) {
    xg_sched_check_buf(n, "set_scope", buf);
    buf->scope = scope;
}
XG_FN void xg_do_storage_align(xg_loopnest *n, xg_nbuf *buf, uint32_t axis, int64_t factor, int64_t offset) {
    xg_naligned *a;
    uint32_t k;
    xg_sched_check_buf(n, "storage_align", buf);
    if (axis >= buf->rank)
        xg_sched_fail(n, "storage_align: '%.*s' has no axis %u", (int)buf->name.n, buf->name.p, axis);
    if (factor < 1 || factor > INT32_MAX) xg_sched_fail(n, "storage_align: %lld is no factor", (long long)factor);
    if (offset < 0 || offset > INT32_MAX) xg_sched_fail(n, "storage_align: %lld is no offset", (long long)offset);
    a = XG_NEW_N(n->arena, xg_naligned, buf->n_aligned + 1);
    if (buf->n_aligned) memcpy(a, buf->aligned, buf->n_aligned * sizeof *a);
    for (k = 0; k < buf->n_aligned && a[k].axis != axis; k++) {}
    a[k].axis = axis;
    a[k].factor = factor;
    a[k].offset = offset;
    buf->aligned = a;
    if (k == buf->n_aligned) buf->n_aligned++;
}

#endif /* XG_SCHED_STAGE_C */
