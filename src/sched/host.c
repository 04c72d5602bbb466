/* sched/host.c -- a scheduled nest as a program: what the host checks and launches, and one nest for each kernel.
 *
 * Each statement under the root is a kernel; arrays that are written by one and read by another are allocated by the
 * host. What a caller hands over is checked in the order of the text, by the list that is printed: count, kind, rank,
 * type, shape, strides, offset, alignment, device. */
#ifndef XG_SCHED_HOST_C
#define XG_SCHED_HOST_C
#include "sched.h"

enum {
    XG_NHOST_ALIGNMENT = 64 /* bytes: what the document's entry asks for; a multiple of all vectors */
};

/* ---- splitting ---- */

XG_FN bool xg_nstmt_touches(const xg_nstmt *top, const xg_nbuf *buf, bool write) {
    const xg_nstmt *s;
    for (s = top; s; s = xg_nstmt_next(s, top))
        if (s->op == XG_N_BLOCK && s->block->body &&
            (write ? xg_nblock_writes(s->block, buf) : xg_nblock_reads(s->block, buf)))
            return true;
    return false;
}
XG_FN bool xg_nstmt_has_axis(const xg_nstmt *top) {
    const xg_nstmt *s;
    for (s = top; s; s = xg_nstmt_next(s, top))
        if (s->op == XG_N_LOOP && s->extent > 1 && s->kind >= XG_NK_BLOCK_X && s->kind <= XG_NK_THREAD_Z) return true;
    return false;
}
XG_FN void xg_nhost_check_add(
    xg_nhost *h, xg_loopnest *n, xg_nhcheck_kind kind, uint32_t arg, uint32_t dim, int64_t want) {
    xg_nhcheck c;
    c.kind = kind;
    c.arg = arg;
    c.dim = dim;
    c.want = want;
    xg_push(n->arena, xg_nhcheck, &h->checks, c);
}
XG_FN void xg_nhost_checks(xg_nhost *h, xg_loopnest *n) {
    uint32_t k, d;
    xg_nhost_check_add(h, n, XG_NHC_COUNT, 0, 0, h->n_args);
    for (k = 0; k < h->n_args; k++) xg_nhost_check_add(h, n, XG_NHC_KIND, k, 0, 0);
    for (k = 0; k < h->n_args; k++) {
        const xg_nbuf *b = h->bufs.p[k];
        int64_t stride = 1;
        xg_nhost_check_add(h, n, XG_NHC_RANK, k, 0, b->rank);
        xg_nhost_check_add(h, n, XG_NHC_TYPE, k, 0, b->type);
        for (d = 0; d < b->rank; d++) xg_nhost_check_add(h, n, XG_NHC_SHAPE, k, d, b->dims[d]);
        for (d = b->rank; d-- > 0;) {
            if (b->dims[d] > 1) xg_nhost_check_add(h, n, XG_NHC_STRIDE, k, d, stride);
            stride *= b->dims[d];
        }
        xg_nhost_check_add(h, n, XG_NHC_OFFSET, k, 0, 0);
        xg_nhost_check_add(h, n, XG_NHC_ALIGNMENT, k, 0, XG_NHOST_ALIGNMENT);
        xg_nhost_check_add(h, n, XG_NHC_DEVICE, k, 0, XG_NARRAY_CUDA);
        if (k) xg_nhost_check_add(h, n, XG_NHC_SAME_DEVICE, k, 0, 0);
    }
}
XG_FN bool xg_nstmts_share(const xg_loopnest *n, const xg_nstmt *a, const xg_nstmt *b) {
    uint32_t k;
    for (k = 0; k < n->bufs.n; k++) {
        const xg_nbuf *buf = n->bufs.p[k];
        if (buf->scope == XG_NS_GLOBAL || !(xg_nstmt_touches(a, buf, true) || xg_nstmt_touches(a, buf, false)))
            continue;
        if (xg_nstmt_touches(b, buf, true) || xg_nstmt_touches(b, buf, false)) return true;
    }
    return false;
}
/* The last statement that belongs to the same kernel: they share memory that a kernel has for itself. */
XG_FN const xg_nstmt *xg_nhost_last(const xg_loopnest *n, const xg_nstmt *first) {
    const xg_nstmt *last = first, *t = first, *s;
    for (;; t = t->next) {
        for (s = last->next; s; s = s->next)
            if (xg_nstmts_share(n, t, s)) last = s;
        if (t == last) return last;
    }
}
/* What a kernel writes is new to it: it neither reads it first nor goes on with what another one began. */
XG_FN void xg_nhost_check_fresh(const xg_loopnest *k, const xg_nbuf *buf) {
    const xg_nstmt *s;
    for (s = k->root; s; s = xg_nstmt_next(s, k->root)) {
        const xg_nblock *b = s->block;
        if (s->op != XG_N_BLOCK || !b->body || !(xg_nblock_reads(b, buf) || xg_nblock_writes(b, buf))) continue;
        if (!xg_nblock_reads(b, buf) && (!b->combine || b->init)) return;
        xg_fail(k->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "loop nest '%.*s': '%.*s' goes on with what another kernel left in '%.*s'", (int)k->name.n, k->name.p,
            (int)b->name.n, b->name.p, (int)buf->name.n, buf->name.p);
    }
}
/* The nest of one kernel: these statements alone, and what they read and write as parameters. */
XG_FN void xg_nhost_kernel(xg_nhost *h, xg_loopnest *n, uint32_t from, uint32_t to, bool alone) {
    xg_loopnest *k = xg_nest_copy(n);
    xg_nkernel made;
    xg_nstmt *s, *next;
    uint32_t j, at = 0, pass, axis;
    char name[160];
    memset(&made, 0, sizeof made);
    for (s = k->root->first; s; s = next, at++) {
        next = s->next;
        if (at < from || at > to) xg_nstmt_detach(s);
    }
    s = k->root->first;
    if (alone)
        (void)xg_format(name, sizeof name, "%.*s_kernel", (int)n->name.n, n->name.p);
    else
        (void)xg_format(name, sizeof name, "%.*s_kernel_%u", (int)n->name.n, n->name.p, h->kernels.n);
    k->name = xg_str_copy(n->arena, xg_str_z(name));
    for (axis = 0; axis < 3; axis++) made.grid[axis] = made.block[axis] = 1;
    for (; s; s = xg_nstmt_next(s, k->root)) {
        if (s->op != XG_N_LOOP) continue;
        if (s->kind >= XG_NK_BLOCK_X && s->kind <= XG_NK_BLOCK_Z)
            made.grid[s->kind - XG_NK_BLOCK_X] = XG_MAX(made.grid[s->kind - XG_NK_BLOCK_X], s->extent);
        if (xg_nkind_is_thread(s->kind))
            made.block[s->kind - XG_NK_THREAD_X] = XG_MAX(made.block[s->kind - XG_NK_THREAD_X], s->extent);
    }
    s = k->root;
    for (pass = 0; pass < 2; pass++) /* inputs first */
        for (j = 0; j < k->bufs.n; j++) {
            xg_nbuf *b = k->bufs.p[j];
            bool written = xg_nstmt_touches(s, b, true), read = xg_nstmt_touches(s, b, false);
            if (b->scope != XG_NS_GLOBAL || (!written && !read) || written != (pass == 1)) continue;
            if (written && read && xg_nstmt_has_axis(s) && !b->param)
                xg_fail(n->ctx, XLAGPU_ERROR_UNSUPPORTED,
                    "loop nest '%.*s': threads of one kernel hand '%.*s' to each other in global memory",
                    (int)n->name.n, n->name.p, (int)b->name.n, b->name.p);
            if (written) xg_nhost_check_fresh(k, b);
            b->param = true;
            b->output = written;
            xg_push(n->arena, uint32_t, &made.args, h->of_buf[j]);
        }
    for (j = 0; j < k->bufs.n; j++)
        k->bufs.p[j]->param &= xg_nstmt_touches(s, k->bufs.p[j], true) || xg_nstmt_touches(s, k->bufs.p[j], false);
    xg_nest_drop_bufs(k);
    made.nest = k;
    xg_push(n->arena, xg_nkernel, &h->kernels, made);
}
XG_FN xg_nhost *xg_nest_split(xg_loopnest *n) {
    xg_nhost *h = XG_NEW(n->arena, xg_nhost);
    const xg_nstmt *s, *last;
    uint32_t k, pass, from, to = 0;
    h->name = n->name;
    h->of_buf = XG_NEW_N(n->arena, uint32_t, n->bufs.n + 1);
    for (pass = 0; pass < 3; pass++) /* inputs, results, what kernels hand to each other */
        for (k = 0; k < n->bufs.n; k++) {
            xg_nbuf *b = n->bufs.p[k];
            if (b->scope != XG_NS_GLOBAL || (b->param ? b->output ? 1u : 0u : 2u) != pass) continue;
            h->of_buf[k] = h->bufs.n;
            xg_push(n->arena, xg_nbuf *, &h->bufs, b);
            h->n_args += pass < 2;
        }
    xg_nhost_checks(h, n);
    for (s = n->root->first; s; s = last->next, to++) {
        last = xg_nhost_last(n, s);
        for (from = to; s != last; s = s->next) to++;
        xg_nhost_kernel(h, n, from, to, !from && !last->next);
    }
    return h;
}

/* ---- running the checks ---- */

XG_FN bool xg_nhost_holds(const xg_nhcheck *c, const xg_narray *args, uint32_t count) {
    const xg_narray *a = args + c->arg;
    switch (c->kind) {
    case XG_NHC_COUNT: return count == (uint64_t)c->want;
    case XG_NHC_KIND: return a->dims != NULL || a->rank == 0 ? a->is_array : false;
    case XG_NHC_RANK: return a->rank == (uint64_t)c->want;
    case XG_NHC_TYPE: return a->type == (xlagpu_type)c->want;
    case XG_NHC_SHAPE: return a->dims[c->dim] == c->want;
    case XG_NHC_STRIDE: return !a->strides || a->strides[c->dim] == c->want;
    case XG_NHC_OFFSET: return a->byte_offset == 0;
    case XG_NHC_ALIGNMENT: return a->address % (uint64_t)c->want == 0;
    case XG_NHC_DEVICE: return a->device == c->want;
    case XG_NHC_SAME_DEVICE: return a->device_id == args[0].device_id;
    }
    return false;
}
/* The first that does not hold; NULL: all do. A check comes behind those that it relies on. */
XG_FN const xg_nhcheck *xg_nhost_check(const xg_nhost *h, const xg_narray *args, uint32_t count) {
    uint32_t k;
    for (k = 0; k < h->checks.n; k++)
        if (!xg_nhost_holds(&h->checks.p[k], args, count)) return &h->checks.p[k];
    return NULL;
}

/* ---- text ---- */

XG_FN void xg_nhcheck_print(xg_buf *b, const xg_nhost *h, const xg_nhcheck *c) {
    const xg_nbuf *buf = c->kind == XG_NHC_COUNT ? NULL : h->bufs.p[c->arg];
    xg_puts(b, "assert ");
    if (buf) xg_put_str(b, buf->name);
    switch (c->kind) {
    case XG_NHC_COUNT: xg_printf(b, "num_args == %lld", (long long)c->want); break;
    case XG_NHC_KIND: xg_puts(b, " is an array"); break;
    case XG_NHC_RANK: xg_printf(b, ".ndim == %lld", (long long)c->want); break;
    case XG_NHC_TYPE: xg_printf(b, ".dtype == %s", xg_type_name((xlagpu_type)c->want)); break;
    case XG_NHC_SHAPE: xg_printf(b, ".shape[%u] == %lld", c->dim, (long long)c->want); break;
    case XG_NHC_STRIDE: xg_printf(b, ".strides[%u] == %lld, unless it is compact", c->dim, (long long)c->want); break;
    case XG_NHC_OFFSET: xg_puts(b, ".byte_offset == 0"); break;
    case XG_NHC_ALIGNMENT: xg_printf(b, ".data mod %lld == 0", (long long)c->want); break;
    case XG_NHC_DEVICE: xg_printf(b, ".device_type == %lld", (long long)c->want); break;
    default: xg_printf(b, ".device_id == %.*s.device_id", (int)h->bufs.p[0]->name.n, h->bufs.p[0]->name.p); break;
    }
}
XG_FN void xg_nhost_print_buf(xg_buf *b, const xg_nbuf *buf) {
    uint32_t d;
    xg_printf(b, "%.*s: %s[", (int)buf->name.n, buf->name.p, xg_type_name(buf->type));
    for (d = 0; d < buf->rank; d++) xg_printf(b, "%s%lld", d ? "," : "", (long long)buf->dims[d]);
    xg_putc(b, ']');
}
XG_FN void xg_nhost_print(xg_buf *b, const xg_nhost *h) {
    uint32_t k, j;
    xg_printf(b, "host %.*s(", (int)h->name.n, h->name.p);
    for (k = 0; k < h->n_args; k++) {
        if (k) xg_puts(b, ", ");
        xg_nhost_print_buf(b, h->bufs.p[k]);
    }
    xg_puts(b, ") {\n");
    for (k = 0; k < h->checks.n; k++) {
        xg_puts(b, "  ");
        xg_nhcheck_print(b, h, &h->checks.p[k]);
        xg_putc(b, '\n');
    }
    for (k = h->n_args; k < h->bufs.n; k++) {
        xg_puts(b, "  alloc ");
        xg_nhost_print_buf(b, h->bufs.p[k]);
        xg_putc(b, '\n');
    }
    for (k = 0; k < h->kernels.n; k++) {
        const xg_nkernel *l = &h->kernels.p[k];
        xg_printf(b, "  launch %.*s(", (int)l->nest->name.n, l->nest->name.p);
        for (j = 0; j < l->args.n; j++)
            xg_printf(
                b, "%s%.*s", j ? ", " : "", (int)h->bufs.p[l->args.p[j]]->name.n, h->bufs.p[l->args.p[j]]->name.p);
        xg_printf(b, ") grid [%lld,%lld,%lld] block [%lld,%lld,%lld]\n", (long long)l->grid[0], (long long)l->grid[1],
            (long long)l->grid[2], (long long)l->block[0], (long long)l->block[1], (long long)l->block[2]);
    }
    xg_puts(b, "}\n");
}

#endif /* XG_SCHED_HOST_C */
