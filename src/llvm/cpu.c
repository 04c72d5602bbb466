/* llvm/cpu.c -- a kernel as a function over blocks, for the host's own processor.
 *
 * A region in which threads wait for each other is cut there: what lies between two such places is a loop over the
 * threads of the block, which LLVM turns into lanes of vectors.
 *
 *     a; barrier; b       for each thread: a      for each thread: b
 *     for (...) a; barrier; b                     one loop, in which the loops over the threads stand
 *     if (c) a; barrier                           a's loops skip the threads of which c is false: their mask says so
 *     for (...) a         for each thread: a      likewise, where a sum goes down the columns of an array
 *
 * A value that a thread still needs behind the loop is
 *   UNIFORM  the same for all threads: computed once, outside of loops over threads
 *   AGAIN    of ids, constants and such alone: computed again where it is needed, so that LLVM sees what it is made of
 *   KEPT     in an array of the block's scratch memory with a place for each thread
 * and LOCAL otherwise. A shuffle reads the place of another thread of its warp.
 *
 * A kernel NAME is `void NAME(const uint64_t *buffers, void *scratch, uint32_t first, uint32_t end)`, which runs the
 * blocks from first to end, and NAME.scratch says how many bytes of scratch memory it takes. */
#ifndef XG_LLVM_CPU_C
#define XG_LLVM_CPU_C
#include "cpu_flat.c"
#include "flow.c"

enum {
    XG_CPU_WARP = 32,
    XG_CPU_LINE = 64, /* bytes: what arrays of scratch memory are aligned to */
    XG_CPU_NO_SLOT = 0,
    XG_CPU_NEIGHBOUR = 16, /* bytes from what a thread reads to what the next one reads, at most */
    XG_CPU_BESIDE = 16     /* numbers that a loop carries: from so many on those of a thread lie side by side */
};
typedef enum xg_cpu_kind {
    XG_CPU_UNIFORM,
    XG_CPU_AGAIN,
    XG_CPU_KEPT,
    XG_CPU_LOCAL
} xg_cpu_kind;
/* Of a value of a region that is cut. loop: the last one in which its name is known; slot: its array, from 1 on. */
typedef struct xg_cpu_val {
    xg_cpu_kind kind;
    uint32_t slot, loop;
} xg_cpu_val;
typedef struct xg_cpu {
    xg_llvm l; /* first: operations are printed by the common functions */
    xg_buf outer, entry;
    XG_VEC(uint32_t) strides; /* of arrays: elements from one thread to the next */
    bool open, changed;
    uint32_t mask, slots, loops, piece; /* mask: slot of it; piece: the stretch between two cuts */
} xg_cpu;

/* ---- which operations cut, and which piece an operation is of ---- */

XG_FN bool xg_cpu_is_shuffle(const xg_kop *op) {
    return op->op == XG_K_OP_SHFLDOWN || op->op == XG_K_OP_SHFLUP || op->op == XG_K_OP_SHFLBFLY ||
           op->op == XG_K_OP_SHFLIDX;
}
/* A loop of whose rounds each reads far from the last, and in which neighbouring threads read neighbours: a sum over
 * columns. Thread by thread each line of memory would come as often as threads share it. */
XG_FN bool xg_cpu_walks_columns(const xg_kop *loop) {
    bool some = false;
    xg_cpu_linear at;
    if (loop->op != XG_K_OP_FOR || loop->parent->owner || !xg_kval_is_const(XG_KOPERAND(loop, 0), NULL) ||
        !xg_kval_is_const(XG_KOPERAND(loop, 1), NULL) || !xg_kval_is_const(XG_KOPERAND(loop, 2), NULL))
        return false;
    XG_FOR_KOPS(op, loop->regions[0]) {
        bool waits = op->op == XG_K_OP_LOAD && op->flags & KM_VOLATILE;
        if (waits || op->n_regions || (xg_kop_flags(op->op) & (KF_WRITE | KF_CONV))) return false;
        if (op->op != XG_K_OP_PTR_ADD || xg_kval_is_const(XG_KOPERAND(op, 1), NULL)) continue;
        if (!xg_cpu_linear_of(XG_KOPERAND(op, 1), 0, &at)) return false;
        if (!at.thread) continue;
        if (at.thread * op->a > XG_CPU_NEIGHBOUR || at.round * op->a < XG_CPU_LINE) return false;
        some = true;
    }
    return some;
}
/* op->scratch: twice the piece, plus 1 if threads wait in it. */
XG_FN bool xg_cpu_cuts(const xg_kop *op) { return (uintptr_t)op->scratch & 1; }
XG_FN bool xg_cpu_mark(const xg_kregion *r) {
    bool some = false;
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        bool cuts = op->op == XG_K_OP_BARRIER || xg_cpu_is_shuffle(op) || xg_cpu_walks_columns(op);
        for (k = 0; k < op->n_results; k++) op->results[k].scratch = NULL;
        for (k = 0; k < op->n_regions; k++) {
            uint32_t i;
            for (i = 0; i < op->regions[k]->n_args; i++) op->regions[k]->args[i].scratch = NULL;
            if (xg_cpu_mark(op->regions[k])) cuts = true;
        }
        ((xg_kop *)(uintptr_t)op)->scratch = (void *)(uintptr_t)cuts;
        some = some || cuts;
    }
    return some;
}
XG_FN xg_cpu_val *xg_cpu_of(const xg_kval *v) { return (xg_cpu_val *)v->scratch; }
XG_FN void xg_cpu_know(xg_cpu *u, xg_kval *v) {
    v->scratch = XG_NEW(u->l.arena, xg_cpu_val);
    xg_cpu_of(v)->kind = XG_CPU_UNIFORM;
}
XG_FN bool xg_cpu_is_uniform(const xg_kval *v) {
    return (v->def ? v->def->op == XG_K_OP_CONST : !v->region->owner) ||
           (v->scratch && xg_cpu_of(v)->kind == XG_CPU_UNIFORM);
}
XG_FN void xg_cpu_know_region(xg_cpu *u, const xg_kregion *r) {
    uint32_t k;
    if (r->owner)
        for (k = 0; k < r->n_args; k++) xg_cpu_know(u, &r->args[k]);
    XG_FOR_KOPS(op, r) {
        if (op->op == XG_K_OP_CONST) continue;
        for (k = 0; k < op->n_results; k++) xg_cpu_know(u, &op->results[k]);
        if (xg_cpu_cuts(op))
            for (k = 0; k < op->n_regions; k++) xg_cpu_know_region(u, op->regions[k]);
    }
}

/* ---- what is the same for all threads ---- */

XG_FN void xg_cpu_differs(xg_cpu *u, const xg_kval *v, bool differs) {
    if (!differs || xg_cpu_of(v)->kind != XG_CPU_UNIFORM) return;
    xg_cpu_of(v)->kind = XG_CPU_KEPT;
    u->changed = true;
}
XG_FN bool xg_cpu_even_bounds(const xg_kop *op) {
    return xg_cpu_is_uniform(XG_KOPERAND(op, 0)) && xg_cpu_is_uniform(XG_KOPERAND(op, 1)) &&
           xg_cpu_is_uniform(XG_KOPERAND(op, 2));
}
XG_FN bool xg_cpu_is_pure(const xg_kop *op) {
    return (xg_kop_flags(op->op) & (KF_PURE | KF_READ | KF_CONV)) == KF_PURE && !op->n_regions &&
           op->op != XG_K_OP_THREAD_ID;
}
XG_FN void xg_cpu_find_uniform(xg_cpu *u, const xg_kregion *r);
XG_FN void xg_cpu_uniform_structure(xg_cpu *u, const xg_kop *op) {
    bool loop = op->op == XG_K_OP_FOR, even = loop                   ? xg_cpu_even_bounds(op)
                                              : op->op == XG_K_OP_IF ? xg_cpu_is_uniform(XG_KOPERAND(op, 0))
                                                                     : false;
    uint32_t k, i;
    for (k = 0; k < op->n_regions; k++) {
        const xg_kregion *r = op->regions[k];
        for (i = 0; i < r->n_args; i++)
            xg_cpu_differs(u, &r->args[i],
                !even || (i && !(xg_cpu_is_uniform(XG_KOPERAND(op, 2 + i)) &&
                                   xg_cpu_is_uniform(XG_KOPERAND(r->last, i - 1)))));
        xg_cpu_find_uniform(u, r);
    }
    for (k = 0; k < op->n_results; k++)
        xg_cpu_differs(u, &op->results[k],
            !even || (loop ? !xg_cpu_is_uniform(&op->regions[0]->args[1 + k])
                           : !xg_cpu_is_uniform(XG_KOPERAND(op->regions[0]->last, k)) ||
                                 !xg_cpu_is_uniform(XG_KOPERAND(op->regions[1]->last, k))));
}
XG_FN void xg_cpu_find_uniform(xg_cpu *u, const xg_kregion *r) {
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        bool uniform = xg_cpu_is_pure(op) || xg_cpu_is_shuffle(op);
        if (op->op == XG_K_OP_CONST) continue;
        if (xg_cpu_cuts(op) && op->n_regions) {
            xg_cpu_uniform_structure(u, op);
            continue;
        }
        for (k = 0; k < op->n_operands && uniform; k++)
            uniform = xg_cpu_is_uniform(XG_KOPERAND(op, k)) || (k == 1 && xg_cpu_is_shuffle(op));
        for (k = 0; k < op->n_results; k++) xg_cpu_differs(u, &op->results[k], !uniform);
    }
}

/* ---- what is computed again, and what is kept ---- */

XG_FN bool xg_cpu_may_be_again(const xg_kop *op) {
    const xg_ktype *t;
    uint32_t k;
    if (op->op == XG_K_OP_THREAD_ID) return true;
    if (!xg_cpu_is_pure(op) || op->n_results != 1) return false;
    t = op->results[0].type;
    if (t->kind != XG_TK_POINTER && !(t->kind == XG_TK_SCALAR && xg_kelem_is_int(t->elem))) return false;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = XG_KOPERAND(op, k);
        if (!xg_cpu_is_uniform(v) && xg_cpu_of(v)->kind != XG_CPU_AGAIN) return false;
    }
    return true;
}
/* A shuffle reads the array of its operand, if another operation of an earlier piece makes it; else a copy. */
XG_FN bool xg_cpu_reads_slot(const xg_kop *op) {
    const xg_kval *v = XG_KOPERAND(op, 0);
    return v->def && xg_cpu_of(v)->kind == XG_CPU_KEPT && !v->def->n_regions;
}
XG_FN void xg_cpu_set_piece(xg_cpu *u, const xg_kop *op) {
    ((xg_kop *)(uintptr_t)op)->scratch = (void *)((uintptr_t)u->piece * 2 + xg_cpu_cuts(op));
}
XG_FN uintptr_t xg_cpu_piece(const xg_kop *op) { return (uintptr_t)op->scratch / 2; }
/* A condition or bound that becomes a mask is read by a loop of its own. */
XG_FN bool xg_cpu_asks_alone(const xg_kop *op) {
    if (op->op == XG_K_OP_FOR) return xg_cpu_cuts(op) && !xg_cpu_even_bounds(op);
    return (op->n_regions && xg_cpu_cuts(op)) || op->op == XG_K_OP_CONDITION;
}
XG_FN void xg_cpu_number(xg_cpu *u, const xg_kregion *r) {
    uint32_t k;
    u->piece++;
    XG_FOR_KOPS(op, r) {
        if (op->op == XG_K_OP_BARRIER || xg_cpu_asks_alone(op)) u->piece++;
        if (xg_cpu_is_shuffle(op) && !xg_cpu_is_uniform(&op->results[0]) &&
            !(xg_cpu_reads_slot(op) && xg_cpu_piece(XG_KOPERAND(op, 0)->def) != u->piece))
            u->piece++;
        xg_cpu_set_piece(u, op);
        if (op->n_results == 1 && xg_cpu_of(&op->results[0]) && xg_cpu_of(&op->results[0])->kind == XG_CPU_KEPT &&
            xg_cpu_may_be_again(op))
            xg_cpu_of(&op->results[0])->kind = XG_CPU_AGAIN;
        if (!xg_cpu_cuts(op) || !op->n_regions) continue;
        for (k = 0; k < op->n_regions; k++) xg_cpu_number(u, op->regions[k]);
        u->piece++;
    }
}
/* The operation of a region that is cut, in which a user stands. */
XG_FN const xg_kop *xg_cpu_top(const xg_kop *user) {
    const xg_kop *op = user, *at;
    for (at = user; at->parent && at->parent->owner; at = at->parent->owner)
        if (!xg_cpu_cuts(at->parent->owner)) op = at->parent->owner;
    return op;
}
XG_FN void xg_cpu_localize(const xg_kregion *r) {
    uint32_t k;
    const xg_kuse *use;
    XG_FOR_KOPS(op, r) {
        for (k = 0; k < op->n_results && op->op != XG_K_OP_CONST; k++) {
            xg_cpu_val *v = xg_cpu_of(&op->results[k]);
            if (v->kind != XG_CPU_KEPT || (xg_cpu_cuts(op) && op->n_regions)) continue;
            v->kind = XG_CPU_LOCAL;
            for (use = op->results[k].first_use; use; use = use->next)
                if (xg_cpu_piece(xg_cpu_top(use->user)) != xg_cpu_piece(op)) v->kind = XG_CPU_KEPT;
        }
        if (xg_cpu_cuts(op))
            for (k = 0; k < op->n_regions; k++) xg_cpu_localize(op->regions[k]);
    }
}

/* ---- arrays with a place for each thread ---- */

XG_FN int64_t xg_cpu_kept_bytes(const xg_ktype *t) {
    int64_t each = t->kind == XG_TK_POINTER ? 8 : xg_kelem_bytes(t->elem == XG_E_INDEX ? XG_E_I32 : t->elem);
    return t->kind == XG_TK_VECTOR ? each * t->elements : each;
}
/* n arrays of a type, whose elements of one thread lie side by side; the number of the first. Behind the last thread
 * stands room for a warp: shuffles of a last one that is not whole read there. */
XG_FN uint32_t xg_cpu_new_slots(xg_cpu *u, const xg_ktype *t, uint32_t n) {
    int64_t each = xg_cpu_kept_bytes(t), at = (u->l.scratch + XG_CPU_LINE - 1) / XG_CPU_LINE * XG_CPU_LINE;
    uint32_t first = u->slots + 1, k;
    u->l.scratch = at + each * n * ((int64_t)u->l.threads + XG_CPU_WARP);
    for (k = 0; k < n; k++) {
        xg_printf(&u->entry, "  %%s%u = getelementptr inbounds i8, ptr %%scratch, i64 %lld\n", ++u->slots,
            (long long)(at + each * k));
        xg_push(u->l.arena, uint32_t, &u->strides, n);
    }
    return first;
}
XG_FN uint32_t xg_cpu_new_slot(xg_cpu *u, const xg_ktype *t) { return xg_cpu_new_slots(u, t, 1); }
XG_FN uint32_t xg_cpu_slot(xg_cpu *u, const xg_kval *v) {
    xg_cpu_val *i = xg_cpu_of(v);
    if (!i->slot) i->slot = xg_cpu_new_slot(u, v->type);
    return i->slot;
}
XG_FN bool xg_cpu_is_bool(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I1; }
XG_FN const char *xg_cpu_kept_type(xg_cpu *u, const xg_ktype *t) {
    xg_buf b;
    xg_buf_init(&b, u->l.arena);
    if (xg_cpu_is_bool(t))
        xg_puts(&b, "i8");
    else
        xg_llvm_put_type(&b, t);
    xg_putc(&b, 0);
    return b.p;
}
/* The place of the thread with the number in a temporary; of this one (`own`). */
XG_FN uint32_t xg_cpu_place(xg_cpu *u, uint32_t slot, const char *type, bool own, uint32_t thread) {
    xg_llvm *l = &u->l;
    uint32_t stride = u->strides.p[slot - 1];
    if (own && stride > 1) thread = xg_llvm_temp(l, "mul nuw nsw i32 %%thread%u, %u", l->loop, stride);
    if (!own && stride > 1) thread = xg_llvm_temp(l, "mul nuw nsw i32 %%t%u, %u", thread, stride);
    return own && stride == 1
               ? xg_llvm_temp(l, "getelementptr inbounds %s, ptr %%s%u, i32 %%thread%u", type, slot, l->loop)
               : xg_llvm_temp(l, "getelementptr inbounds %s, ptr %%s%u, i32 %%t%u", type, slot, thread);
}
XG_FN void xg_cpu_keep(xg_cpu *u, uint32_t slot, const xg_kval *v) {
    const char *type = xg_cpu_kept_type(u, v->type), *value = xg_cpu_text(&u->l, v);
    uint32_t at = xg_cpu_place(u, slot, type, true, 0), byte;
    if (xg_cpu_is_bool(v->type)) {
        byte = xg_llvm_temp(&u->l, "zext i1 %s to i8", value);
        xg_printf(&u->l.body, "  store i8 %%t%u, ptr %%t%u", byte, at);
    } else
        xg_printf(&u->l.body, "  store %s %s, ptr %%t%u", type, value, at);
    xg_printf(&u->l.body, ", !llvm.access.group !%u\n", u->l.group);
}
/* From there, under the value's name. */
XG_FN void xg_cpu_fetch(xg_cpu *u, uint32_t slot, const xg_kval *v, bool own, uint32_t thread) {
    const char *type = xg_cpu_kept_type(u, v->type);
    uint32_t at = xg_cpu_place(u, slot, type, own, thread), byte;
    if (xg_cpu_is_bool(v->type)) {
        byte = u->l.temps++;
        xg_printf(&u->l.body, "  %%t%u = load i8, ptr %%t%u, !llvm.access.group !%u\n", byte, at, u->l.group);
        xg_puts(&u->l.body, "  ");
        xg_llvm_put_value(&u->l.body, v);
        xg_printf(&u->l.body, " = trunc i8 %%t%u to i1\n", byte);
        return;
    }
    xg_puts(&u->l.body, "  ");
    xg_llvm_put_value(&u->l.body, v);
    xg_printf(&u->l.body, " = load %s, ptr %%t%u, !llvm.access.group !%u\n", type, at, u->l.group);
}

/* ---- loops over the threads ---- */

XG_FN void xg_cpu_swap(xg_cpu *u) {
    xg_buf b = u->l.body;
    u->l.body = u->outer;
    u->outer = b;
}
XG_FN void xg_cpu_open(xg_cpu *u) {
    if (u->open) return;
    u->open = true;
    u->l.loop = ++u->loops;
    xg_buf_init(&u->outer, u->l.arena);
    xg_cpu_swap(u);
}
/* What LLVM is told of a loop over threads. One that looks up is lanes of the vectors that the table's function has. */
XG_FN uint32_t xg_cpu_loop_node(xg_llvm *l) {
    uint32_t vectors, lanes, beside;
    if (!l->tabled) return xg_llvm_node(l, "distinct !{!%u, !%u}", l->n_nodes, l->group + 1);
    vectors = xg_llvm_node(l, "!{!\"llvm.loop.vectorize.enable\", i1 true}");
    lanes = xg_llvm_node(l, "!{!\"llvm.loop.vectorize.width\", i32 %u}", xg_cpu_table_lanes(l));
    beside = xg_llvm_node(l, "!{!\"llvm.loop.interleave.count\", i32 %d}", (int)XG_CPU_TABLE_INTERLEAVE);
    return xg_llvm_node(l, "distinct !{!%u, !%u, !%u, !%u, !%u}", l->n_nodes, l->group + 1, vectors, lanes, beside);
}
XG_FN void xg_cpu_close(xg_cpu *u) {
    uint32_t n = u->l.loop;
    xg_llvm *l = &u->l;
    xg_buf *b = &l->body, inner;
    if (!u->open) return;
    u->open = false;
    xg_cpu_swap(u);
    inner = u->outer;
    xg_printf(b, "  br label %%tpre%u\ntpre%u:\n  br label %%tbody%u\ntbody%u:\n", n, n, n, n);
    xg_printf(b, "  %%thread%u = phi i32 [ 0, %%tpre%u ], [ %%tnext%u, %%tlatch%u ]\n", n, n, n, n);
    if (u->mask) {
        xg_printf(b, "  %%ta%u = getelementptr inbounds i8, ptr %%s%u, i32 %%thread%u\n", n, u->mask, n);
        xg_printf(b, "  %%tm%u = load i8, ptr %%ta%u, !llvm.access.group !%u\n", n, n, l->group);
        xg_printf(b, "  %%tc%u = icmp ne i8 %%tm%u, 0\n  br i1 %%tc%u, label %%tdo%u, label %%tlatch%u\ntdo%u:\n", n, n,
            n, n, n, n);
    }
    xg_put_str(b, xg_str_of(inner.p, inner.n));
    xg_printf(b, "  br label %%tlatch%u\ntlatch%u:\n  %%tnext%u = add nuw nsw i32 %%thread%u, 1\n", n, n, n, n);
    xg_printf(b, "  %%tagain%u = icmp ult i32 %%tnext%u, %u\n", n, n, l->threads);
    xg_printf(b, "  br i1 %%tagain%u, label %%tbody%u, label %%tend%u, !llvm.loop !%u\ntend%u:\n", n, n, n,
        xg_cpu_loop_node(l), n);
}

/* ---- names of values in a loop ---- */

XG_FN void xg_cpu_ensure(xg_cpu *u, const xg_kval *v) {
    xg_cpu_val *i = xg_cpu_of(v);
    uint32_t k;
    if (!i || xg_cpu_is_uniform(v) || i->loop == u->l.loop) return;
    if (i->kind == XG_CPU_AGAIN)
        for (k = 0; k < v->def->n_operands; k++) xg_cpu_ensure(u, XG_KOPERAND(v->def, k));
    i->loop = u->l.loop;
    ((xg_kval *)(uintptr_t)v)->id = u->l.m->n_ids++;
    if (i->kind == XG_CPU_AGAIN)
        xg_cpu_op(&u->l, v->def);
    else
        xg_cpu_fetch(u, xg_cpu_slot(u, v), v, true, 0);
}
XG_FN void xg_cpu_ensure_all(xg_cpu *u, const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) xg_cpu_ensure(u, XG_KOPERAND(op, k));
    for (k = 0; k < op->n_regions; k++) {
        XG_FOR_KOPS(inner, op->regions[k]) { xg_cpu_ensure_all(u, inner); }
    }
}
XG_FN void xg_cpu_made(xg_cpu *u, const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_results; k++) {
        xg_cpu_val *i = xg_cpu_of(&op->results[k]);
        i->loop = u->l.loop;
        if (i->kind == XG_CPU_KEPT) xg_cpu_keep(u, xg_cpu_slot(u, &op->results[k]), &op->results[k]);
    }
}
/* Values into the arrays of others; all are read before one is written. */
XG_FN void xg_cpu_move(xg_cpu *u, const xg_kop *from, uint32_t first, const xg_kval *to, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (xg_cpu_is_uniform(&to[k])) continue;
        xg_cpu_open(u);
        xg_cpu_ensure(u, XG_KOPERAND(from, first + k));
    }
    for (k = 0; k < n; k++)
        if (!xg_cpu_is_uniform(&to[k])) xg_cpu_keep(u, xg_cpu_slot(u, &to[k]), XG_KOPERAND(from, first + k));
}

/* ---- operations that cut ---- */

/* The number of the thread whose value the shuffle gets. */
XG_FN uint32_t xg_cpu_source(xg_cpu *u, const xg_kop *op) {
    xg_llvm *l = &u->l;
    const char *by = xg_cpu_text(l, XG_KOPERAND(op, 1));
    uint32_t lane = xg_llvm_temp(l, "and i32 %%thread%u, %d", l->loop, XG_CPU_WARP - 1), from, ok;
    uint32_t warp = xg_llvm_temp(l, "and i32 %%thread%u, %d", l->loop, -XG_CPU_WARP);
    switch (op->op) {
    case XG_K_OP_SHFLBFLY: from = xg_llvm_temp(l, "xor i32 %%t%u, %s", lane, by); break;
    case XG_K_OP_SHFLIDX: from = xg_llvm_temp(l, "and i32 %s, %d", by, XG_CPU_WARP - 1); break;
    default:
        from = xg_llvm_temp(l, "%s i32 %%t%u, %s", op->op == XG_K_OP_SHFLDOWN ? "add" : "sub", lane, by);
        ok = xg_llvm_temp(l, "icmp ult i32 %%t%u, %d", from, XG_CPU_WARP);
        from = xg_llvm_temp(l, "select i1 %%t%u, i32 %%t%u, i32 %%t%u", ok, from, lane);
    }
    return xg_llvm_temp(l, "or i32 %%t%u, %%t%u", warp, from);
}
/* A new piece begins a new loop. */
XG_FN void xg_cpu_enter(xg_cpu *u, const xg_kop *op) {
    if (xg_cpu_piece(op) != u->piece) xg_cpu_close(u);
    u->piece = (uint32_t)xg_cpu_piece(op);
}
XG_FN void xg_cpu_shuffle(xg_cpu *u, const xg_kop *op) {
    const xg_kval *v = XG_KOPERAND(op, 0);
    uint32_t slot;
    if (xg_cpu_reads_slot(op))
        slot = xg_cpu_slot(u, v);
    else {
        slot = xg_cpu_new_slot(u, v->type);
        xg_cpu_open(u);
        xg_cpu_ensure(u, v);
        xg_cpu_keep(u, slot, v);
    }
    xg_cpu_enter(u, op);
    xg_cpu_open(u);
    xg_cpu_ensure(u, XG_KOPERAND(op, 1));
    xg_cpu_fetch(u, slot, &op->results[0], false, xg_cpu_source(u, op));
    xg_cpu_made(u, op);
}
XG_FN void xg_cpu_region(xg_cpu *u, const xg_kregion *r);
/* A body of one block or more of the function, whose values go into the arrays of n others. */
XG_FN void xg_cpu_body(xg_cpu *u, const xg_kregion *r, const xg_kval *to, uint32_t n) {
    xg_cpu_region(u, r);
    xg_cpu_move(u, r->last, 0, to, n);
    xg_cpu_close(u);
}
XG_FN void xg_cpu_even_for(xg_cpu *u, const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    const xg_kval *iv = &r->args[0];
    xg_llvm *l = &u->l;
    uint32_t n = l->labels++, k;
    const char *word = xg_llvm_elem(iv->type->elem), *hi = xg_cpu_text(l, XG_KOPERAND(op, 1));
    const char *name = xg_cpu_text(l, iv);
    xg_cpu_close(u);
    xg_printf(&l->body, "  br label %%pre%u\npre%u:\n  %%enter%u = icmp slt ", n, n, n);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_printf(&l->body, ", %s\n  br i1 %%enter%u, label %%body%u, label %%end%u\nbody%u:\n", hi, n, n, n, n);
    xg_printf(&l->body, "  %s = phi %s [ ", name, word);
    xg_llvm_put_value(&l->body, XG_KOPERAND(op, 0));
    xg_printf(&l->body, ", %%pre%u ], [ %%next%u, %%latch%u ]\n", n, n, n);
    for (k = 0; k < op->n_results; k++)
        if (xg_cpu_is_uniform(&r->args[1 + k]))
            xg_llvm_phi(l, &r->args[1 + k], XG_KOPERAND(op, 3 + k), "pre", XG_KOPERAND(r->last, k), "latch", n);
    xg_cpu_body(u, r, r->args + 1, op->n_results);
    xg_printf(&l->body, "  br label %%latch%u\nlatch%u:\n  %%next%u = add %s %s, ", n, n, n, word, name);
    xg_llvm_put_value(&l->body, XG_KOPERAND(op, 2));
    xg_printf(&l->body, "\n  %%again%u = icmp slt %s %%next%u, %s\n", n, word, n, hi);
    xg_printf(&l->body, "  br i1 %%again%u, label %%body%u, label %%end%u\nend%u:\n", n, n, n, n);
    for (k = 0; k < op->n_results; k++)
        if (xg_cpu_is_uniform(&op->results[k]))
            xg_llvm_phi(l, &op->results[k], XG_KOPERAND(op, 3 + k), "pre", XG_KOPERAND(r->last, k), "latch", n);
}
/* A mask: the threads of the last one of which the value holds, or (`not`) does not. */
XG_FN uint32_t xg_cpu_mask(xg_cpu *u, uint32_t slot, const char *condition, bool negated) {
    static const xg_ktype flag = {XG_E_I1, XG_TK_SCALAR, XG_SPACE_GLOBAL, 0, NULL, 1, 0};
    xg_llvm *l = &u->l;
    uint32_t bit, at = xg_cpu_place(u, slot ? slot : (slot = xg_cpu_new_slot(u, &flag)), "i8", true, 0), old;
    bit = negated ? xg_llvm_temp(l, "xor i1 %s, true", condition) : xg_llvm_temp(l, "or i1 %s, false", condition);
    bit = xg_llvm_temp(l, "zext i1 %%t%u to i8", bit);
    if (u->mask) {
        old = xg_cpu_place(u, u->mask, "i8", true, 0);
        old = xg_llvm_temp(l, "load i8, ptr %%t%u, !llvm.access.group !%u", old, l->group);
        bit = xg_llvm_temp(l, "and i8 %%t%u, %%t%u", bit, old);
    }
    xg_printf(&l->body, "  store i8 %%t%u, ptr %%t%u, !llvm.access.group !%u\n", bit, at, l->group);
    return slot;
}
/* A mask is made for all threads: those that an outer mask leaves out are left out by it as well. */
XG_FN uint32_t xg_cpu_mask_of(xg_cpu *u, const xg_kval *condition, bool negated, uint32_t slot) {
    uint32_t outer = u->mask;
    xg_cpu_close(u);
    xg_cpu_open(u);
    xg_cpu_ensure(u, condition);
    slot = xg_cpu_mask(u, slot, xg_cpu_text(&u->l, condition), negated);
    u->mask = 0;
    xg_cpu_close(u);
    u->mask = outer;
    return slot;
}
XG_FN void xg_cpu_uneven_if(xg_cpu *u, const xg_kop *op) {
    uint32_t outer = u->mask, masks[2], k;
    for (k = 0; k < 2; k++) masks[k] = xg_cpu_mask_of(u, XG_KOPERAND(op, 0), k == 1, XG_CPU_NO_SLOT);
    for (k = 0; k < 2; k++) {
        u->mask = masks[k];
        xg_cpu_body(u, op->regions[k], op->results, op->n_results);
    }
    u->mask = outer;
}
XG_FN void xg_cpu_even_if(xg_cpu *u, const xg_kop *op) {
    xg_llvm *l = &u->l;
    uint32_t n = l->labels++, k;
    xg_cpu_close(u);
    xg_puts(&l->body, "  br ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_printf(&l->body, ", label %%then%u, label %%else%u\nthen%u:\n", n, n, n);
    xg_cpu_body(u, op->regions[0], op->results, op->n_results);
    xg_printf(&l->body, "  br label %%thenend%u\nthenend%u:\n  br label %%end%u\nelse%u:\n", n, n, n, n);
    xg_cpu_body(u, op->regions[1], op->results, op->n_results);
    xg_printf(&l->body, "  br label %%elseend%u\nelseend%u:\n  br label %%end%u\nend%u:\n", n, n, n, n);
    for (k = 0; k < op->n_results; k++)
        if (xg_cpu_is_uniform(&op->results[k]))
            xg_llvm_phi(l, &op->results[k], XG_KOPERAND(op->regions[0]->last, k), "thenend",
                XG_KOPERAND(op->regions[1]->last, k), "elseend", n);
}
/* i1 %anyN: some thread is in the mask. */
XG_FN void xg_cpu_any(xg_cpu *u, uint32_t n) {
    xg_buf *b = &u->l.body;
    xg_printf(b, "  br label %%apre%u\napre%u:\n  br label %%abody%u\nabody%u:\n", n, n, n, n);
    xg_printf(b, "  %%ai%u = phi i32 [ 0, %%apre%u ], [ %%anext%u, %%abody%u ]\n", n, n, n, n);
    xg_printf(b, "  %%ao%u = phi i8 [ 0, %%apre%u ], [ %%ar%u, %%abody%u ]\n", n, n, n, n);
    xg_printf(b, "  %%ap%u = getelementptr inbounds i8, ptr %%s%u, i32 %%ai%u\n", n, u->mask, n);
    xg_printf(b, "  %%al%u = load i8, ptr %%ap%u\n  %%ar%u = or i8 %%ao%u, %%al%u\n", n, n, n, n, n);
    xg_printf(b, "  %%anext%u = add nuw nsw i32 %%ai%u, 1\n", n, n);
    xg_printf(b, "  %%am%u = icmp ult i32 %%anext%u, %u\n", n, n, u->l.threads);
    xg_printf(b, "  br i1 %%am%u, label %%abody%u, label %%aend%u\naend%u:\n", n, n, n, n);
    xg_printf(b, "  %%any%u = icmp ne i8 %%ar%u, 0\n", n, n);
}
/* Bounds that differ from thread to thread: those that are done wait for the others. */
XG_FN void xg_cpu_uneven_for(xg_cpu *u, const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    const xg_kval *iv = &r->args[0];
    const char *word = xg_llvm_elem(iv->type->elem);
    xg_llvm *l = &u->l;
    uint32_t n = l->labels++, outer = u->mask, slot = xg_cpu_slot(u, iv), t, mask;
    xg_cpu_close(u);
    xg_cpu_open(u);
    xg_cpu_ensure(u, XG_KOPERAND(op, 0));
    xg_cpu_ensure(u, XG_KOPERAND(op, 1));
    xg_cpu_keep(u, slot, XG_KOPERAND(op, 0));
    t = xg_llvm_temp(
        l, "icmp slt %s %s, %s", word, xg_cpu_text(l, XG_KOPERAND(op, 0)), xg_cpu_text(l, XG_KOPERAND(op, 1)));
    {
        char condition[16];
        xg_format(condition, sizeof condition, "%%t%u", t);
        mask = xg_cpu_mask(u, XG_CPU_NO_SLOT, condition, false);
    }
    u->mask = 0;
    xg_cpu_close(u);
    u->mask = mask;
    xg_printf(&l->body, "  br label %%head%u\nhead%u:\n", n, n);
    xg_cpu_any(u, n);
    xg_printf(&l->body, "  br i1 %%any%u, label %%body%u, label %%end%u\nbody%u:\n", n, n, n, n);
    xg_cpu_body(u, r, r->args + 1, op->n_results);
    xg_cpu_open(u);
    xg_cpu_ensure(u, iv);
    xg_cpu_ensure(u, XG_KOPERAND(op, 1));
    xg_cpu_ensure(u, XG_KOPERAND(op, 2));
    {
        char condition[16];
        uint32_t at = xg_cpu_place(u, slot, word, true, 0);
        t = xg_llvm_temp(l, "add %s %s, %s", word, xg_cpu_text(l, iv), xg_cpu_text(l, XG_KOPERAND(op, 2)));
        xg_printf(&l->body, "  store %s %%t%u, ptr %%t%u, !llvm.access.group !%u\n", word, t, at, l->group);
        t = xg_llvm_temp(l, "icmp slt %s %%t%u, %s", word, t, xg_cpu_text(l, XG_KOPERAND(op, 1)));
        xg_format(condition, sizeof condition, "%%t%u", t);
        (void)xg_cpu_mask(u, mask, condition, false);
    }
    u->mask = 0;
    xg_cpu_close(u);
    xg_printf(&l->body, "  br label %%head%u\nend%u:\n", n, n);
    u->mask = outer;
}
XG_FN void xg_cpu_while(xg_cpu *u, const xg_kop *op) {
    const xg_kregion *before = op->regions[0], *after = op->regions[1];
    xg_llvm *l = &u->l;
    uint32_t n = l->labels++, outer = u->mask, k, mask;
    static const char always[] = "true";
    xg_cpu_close(u);
    xg_cpu_open(u);
    mask = xg_cpu_mask(u, XG_CPU_NO_SLOT, always, false);
    u->mask = 0;
    xg_cpu_close(u);
    u->mask = outer;
    for (k = 0; k < op->n_results; k++) xg_cpu_of(&after->args[k])->slot = xg_cpu_slot(u, &op->results[k]);
    xg_printf(&l->body, "  br label %%head%u\nhead%u:\n", n, n);
    u->mask = mask;
    xg_cpu_region(u, before);
    xg_cpu_move(u, before->last, 1, op->results, op->n_results);
    xg_cpu_close(u);
    (void)xg_cpu_mask_of(u, XG_KOPERAND(before->last, 0), false, mask);
    xg_cpu_any(u, n);
    xg_printf(&l->body, "  br i1 %%any%u, label %%body%u, label %%end%u\nbody%u:\n", n, n, n, n);
    xg_cpu_body(u, after, before->args, before->n_args);
    xg_printf(&l->body, "  br label %%head%u\nend%u:\n", n, n);
    u->mask = outer;
}
/* Sums of a tile: a thread's are a vector, in memory as well. */
XG_FN void xg_cpu_lay_beside(xg_cpu *u, const xg_kval *carried, uint32_t n) {
    uint32_t k, first;
    if (!n || (n < XG_CPU_BESIDE && carried[0].type->kind != XG_TK_VECTOR)) return;
    for (k = 0; k < n; k++)
        if (carried[k].type != carried[0].type || xg_cpu_is_uniform(&carried[k]) || xg_cpu_of(&carried[k])->slot)
            return;
    first = xg_cpu_new_slots(u, carried[0].type, n);
    for (k = 0; k < n; k++) xg_cpu_of(&carried[k])->slot = first + k;
}
XG_FN void xg_cpu_structure(xg_cpu *u, const xg_kop *op) {
    uint32_t k;
    if (op->op == XG_K_OP_IF) {
        if (xg_cpu_is_uniform(XG_KOPERAND(op, 0)))
            xg_cpu_even_if(u, op);
        else
            xg_cpu_uneven_if(u, op);
        return;
    }
    if (op->op == XG_K_OP_WHILE) {
        xg_cpu_move(u, op, 0, op->regions[0]->args, op->regions[0]->n_args);
        xg_cpu_while(u, op);
        return;
    }
    xg_cpu_lay_beside(u, op->regions[0]->args + 1, op->n_results);
    xg_cpu_move(u, op, 3, op->regions[0]->args + 1, op->n_results);
    for (k = 0; k < op->n_results; k++) /* what is carried lies in one array, as long as the loop runs and behind it */
        if (!xg_cpu_is_uniform(&op->results[k]))
            xg_cpu_of(&op->results[k])->slot = xg_cpu_slot(u, &op->regions[0]->args[1 + k]);
    if (xg_cpu_even_bounds(op))
        xg_cpu_even_for(u, op);
    else
        xg_cpu_uneven_for(u, op);
}

/* ---- all operations of a region that is cut ---- */

XG_FN void xg_cpu_uniform(xg_cpu *u, const xg_kop *op) {
    bool open = u->open;
    if (open) xg_cpu_swap(u);
    if (xg_cpu_is_shuffle(op)) {
        const char *value = xg_cpu_text(&u->l, XG_KOPERAND(op, 0));
        xg_llvm_begin(&u->l, op);
        xg_puts(&u->l.body, "select i1 true, ");
        xg_llvm_put_typed(&u->l.body, XG_KOPERAND(op, 0));
        xg_puts(&u->l.body, ", ");
        xg_llvm_put_type(&u->l.body, op->results[0].type);
        xg_printf(&u->l.body, " %s\n", value);
    } else
        xg_cpu_op(&u->l, op);
    if (open) xg_cpu_swap(u);
}
XG_FN void xg_cpu_region(xg_cpu *u, const xg_kregion *r) {
    XG_FOR_KOPS(op, r) {
        const xg_cpu_val *v = op->n_results ? xg_cpu_of(&op->results[0]) : NULL;
        if (op->op == XG_K_OP_CONST || (xg_kop_flags(op->op) & KF_TERM)) continue;
        if (op->op == XG_K_OP_BARRIER) continue;
        if (!xg_cpu_is_shuffle(op)) xg_cpu_enter(u, op);
        if (xg_cpu_cuts(op) && op->n_regions)
            xg_cpu_structure(u, op);
        else if (v && v->kind == XG_CPU_UNIFORM)
            xg_cpu_uniform(u, op);
        else if (xg_cpu_cuts(op))
            xg_cpu_shuffle(u, op);
        else if (!v || v->kind != XG_CPU_AGAIN) {
            xg_cpu_open(u);
            xg_cpu_ensure_all(u, op);
            xg_llvm_one(&u->l, op);
            xg_cpu_made(u, op);
        }
    }
}

/* ---- the module ---- */

/* Whole vectors of 512 bits: products of matrices take a quarter less time by them. */
XG_TABLE const xg_cpu_target xg_cpu_rows[] = {
    {"x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", ""},
    {"x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", "-prefer-256-bit"},
    {"aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon,+reserve-x18"},
};
XG_FN const xg_cpu_target *xg_cpu_target_of(const xg_target *t) {
    size_t i = 0;
    while (i + 1 < XG_COUNT(xg_cpu_rows) && strcmp(xg_cpu_rows[i].name, t->name) != 0) i++;
    return &xg_cpu_rows[i];
}

XG_FN const xg_kop *xg_cpu_lacks(const xg_kregion *r, uint32_t depth) {
    const xg_kop *inner;
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        if (!xg_cpu_has(op) || depth > XG_LLVM_DEPTH_MAX) return op;
        for (k = 0; k < op->n_regions; k++)
            if ((inner = xg_cpu_lacks(op->regions[k], depth + 1)) != NULL) return inner;
    }
    return NULL;
}
XG_FN void xg_cpu_param(xg_buf *b, const xg_karg *a, uint32_t i) {
    xg_puts(b, i ? ", ptr addrspace(1)" : "ptr addrspace(1)");
    if (a && !a->aliased) xg_puts(b, " noalias");
    if (a && !a->written) xg_puts(b, " readonly");
    xg_printf(b, " align 4 %%p%u", i);
}
/* The loop over blocks, with the kernel's body in it. */
XG_FN void xg_cpu_blocks(xg_cpu *u, xg_buf *b) {
    const xg_kfunc *f = u->l.f;
    uint32_t x = XG_MAX(f->blocks[0], 1u), y = XG_MAX(f->blocks[1], 1u);
    xg_puts(b, "entry:\n");
    xg_put_str(b, xg_str_of(u->entry.p, u->entry.n));
    xg_puts(b, "  %shared = addrspacecast ptr %scratch to ptr addrspace(3)\n"
               "  %some = icmp ult i32 %first, %end\n  br i1 %some, label %block, label %done\nblock:\n"
               "  %at = phi i32 [ %first, %entry ], [ %next, %blockend ]\n");
    xg_printf(b, "  %%blockx = urem i32 %%at, %u\n  %%row = udiv i32 %%at, %u\n", x, x);
    xg_printf(b, "  %%blocky = urem i32 %%row, %u\n  %%blockz = udiv i32 %%row, %u\n", y, y);
    xg_put_str(b, xg_str_of(u->l.body.p, u->l.body.n));
    xg_puts(b,
        "  br label %blockend\nblockend:\n  %next = add nuw i32 %at, 1\n"
        "  %more = icmp ult i32 %next, %end\n  br i1 %more, label %block, label %done\ndone:\n  ret void\n}\n\n");
}
XG_FN void xg_cpu_assemble(xg_cpu *u, const xg_cpu_target *t, xg_buf *b) {
    const xg_kfunc *f = u->l.f;
    uint32_t n = f->body->n_args, k;
    int length = (int)f->name.n;
    xg_printf(b, "target triple = \"%s\"\n\n%s", t->triple, xg_cpu_helpers);
    xg_printf(b, "@\"%.*s.scratch\" = constant i64 %lld\n", length, f->name.p, (long long)u->l.scratch);
    xg_put_str(b, xg_str_of(u->l.globals.p, u->l.globals.n));
    xg_printf(
        b, "define void @\"%.*s\"(ptr %%args, ptr %%scratch, i32 %%first, i32 %%end) nounwind {\n", length, f->name.p);
    for (k = 0; k < n; k++) {
        xg_printf(b, "  %%a%u = getelementptr i64, ptr %%args, i64 %u\n", k, k);
        xg_printf(b, "  %%p%u = load ptr addrspace(1), ptr %%a%u, align 8\n", k, k);
    }
    xg_printf(b, "  call void @\"%.*s.blocks\"(", length, f->name.p);
    for (k = 0; k < n; k++) xg_printf(b, "ptr addrspace(1) %%p%u, ", k);
    xg_puts(b, "ptr %scratch, i32 %first, i32 %end)\n  ret void\n}\n");
    xg_printf(b, "define internal void @\"%.*s.blocks\"(", length, f->name.p);
    for (k = 0; k < n; k++) xg_cpu_param(b, f->args ? &f->args[k] : NULL, k);
    xg_printf(b, "%sptr noalias align %d %%scratch, i32 %%first, i32 %%end) noinline nounwind%s {\n", n ? ", " : "",
        (int)XG_CPU_LINE, u->l.flat.is ? " noimplicitfloat" : "");
    if (u->l.flat.is)
        xg_cpu_put_flat(&u->l, b);
    else
        xg_cpu_blocks(u, b);
    xg_put_str(b, xg_str_of(u->l.declares.p, u->l.declares.n));
    xg_llvm_put_nodes(&u->l, b);
}
/* The body of a kernel for one block. */
XG_FN void xg_cpu_put_threads(xg_cpu *u) {
    const xg_kregion *body = u->l.f->body;
    if (u->l.tabled) xg_puts(&u->entry, "  %table = load ptr, ptr %scratch, align 8\n");
    (void)xg_cpu_mark(body);
    xg_cpu_know_region(u, body);
    do {
        u->changed = false;
        xg_cpu_find_uniform(u, body);
    } while (u->changed);
    xg_cpu_number(u, body);
    xg_cpu_localize(body);
    xg_cpu_region(u, body);
    xg_cpu_close(u);
}
XG_FN const xg_kop *xg_cpu_print(xg_arena *a, xg_kmodule *m, const xg_target *t, xg_str *out) {
    xg_cpu u;
    xg_buf b;
    size_t i;
    const xg_kop *lacks;
    memset(&u, 0, sizeof u);
    xg_llvm_init(&u.l, a, m, t);
    xg_buf_init(&u.entry, a);
    u.l.op = xg_cpu_op;
    u.l.threads = XG_MAX(u.l.f->threads[0], 1u) * XG_MAX(u.l.f->threads[1], 1u) * XG_MAX(u.l.f->threads[2], 1u);
    u.l.group = xg_llvm_node(&u.l, "distinct !{}");
    (void)xg_llvm_node(&u.l, "!{!\"llvm.loop.parallel_accesses\", !%u}", u.l.group);
    for (i = 0; i < XG_COUNT(xg_cpu_helpers_declare); i++)
        xg_dict_put(&u.l.declared, xg_str_z(xg_cpu_helpers_declare[i]), &u);
    lacks = xg_cpu_lacks(u.l.f->body, 0);
    if (lacks) return lacks;
    xg_cpu_find_table(&u.l);
    xg_cpu_find_flat(&u.l);
    if (u.l.tabled) xg_cpu_put_table(&u.l, &u.l.globals);
    if (!u.l.flat.is) xg_cpu_put_threads(&u);
    xg_buf_init(&b, a);
    xg_cpu_assemble(&u, xg_cpu_target_of(t), &b);
    *out = xg_str_of(b.p, b.n);
    return NULL;
}

#endif /* XG_LLVM_CPU_C */
