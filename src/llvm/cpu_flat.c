/* llvm/cpu_flat.c -- a kernel of which each element of an array is what a table says of the same element of another.
 *
 * Then blocks and threads do not matter: the elements of the blocks are one range, and a loop of its own goes over it,
 * 24 at a time. What it takes (a Zen 5, clocks for 8 elements of GELU that lie in a cache; lanes of threads: 5.1):
 *
 *   cells    4.4   an entry is the upper 16 bits of a cell of 64 bits, all else 0. A load from a cell and 2 k bytes has
 *                  it 16 k bits lower, with nothing beside it: so four entries are put together by three "or", of
 *                  which each is a load as well
 *   halves         the next four go into the vector one by one. Loads of vectors and of words have limits of their
 *                  own; either way alone takes 4.8
 *   ahead    4.1   numbers are read a round before they are looked up, which the empty assembly between groups of
 *                  eight keeps LLVM from undoing
 *
 * The function takes no part in LLVM's own vectors (noimplicitfloat): they would be gathers, at 12 clocks. */
#ifndef XG_LLVM_CPU_FLAT_C
#define XG_LLVM_CPU_FLAT_C
#include "cpu_table.c"

enum {
    XG_CPU_FLAT_GROUPS = 3, /* of eight elements, in a round: 2 and 4 take more */
    XG_CPU_FLAT_LANES = 8 * XG_CPU_FLAT_GROUPS,
    XG_CPU_FLAT_WORDS = XG_CPU_FLAT_LANES / 4, /* of four numbers */
    XG_CPU_FLAT_DEPTH = 16                     /* operations of an index */
};
/* base + block * (number of the block) + thread * (number of the thread) + round * (what a loop counts) */
typedef struct xg_cpu_linear {
    int64_t base, block, thread, round;
} xg_cpu_linear;

XG_FN bool xg_cpu_linear_of(const xg_kval *v, uint32_t depth, xg_cpu_linear *out) {
    const xg_kop *op = v->def;
    xg_cpu_linear by;
    int64_t c;
    memset(out, 0, sizeof *out);
    if (xg_kval_is_const(v, &out->base)) return true;
    if (!op && v->region->owner && v->region->owner->op == XG_K_OP_FOR && !v->index) {
        out->round = 1;
        return true;
    }
    if (!op || depth > XG_CPU_FLAT_DEPTH) return false;
    switch (op->op) {
    case XG_K_OP_THREAD_ID: out->thread = 1; return op->flags % 3 == 0;
    case XG_K_OP_BLOCK_ID: out->block = 1; return op->flags % 3 == 0;
    case XG_K_OP_INDEX_CAST: return xg_cpu_linear_of(XG_KOPERAND(op, 0), depth + 1, out);
    case XG_K_OP_ADDI:
        if (!xg_cpu_linear_of(XG_KOPERAND(op, 0), depth + 1, out) ||
            !xg_cpu_linear_of(XG_KOPERAND(op, 1), depth + 1, &by))
            return false;
        out->base += by.base;
        out->block += by.block;
        out->thread += by.thread;
        out->round += by.round;
        return true;
    case XG_K_OP_MULI:
    case XG_K_OP_SHLI:
        if (!xg_kval_is_const(XG_KOPERAND(op, 1), &c) || c < 0 || c > (op->op == XG_K_OP_SHLI ? 30 : INT32_MAX) ||
            !xg_cpu_linear_of(XG_KOPERAND(op, 0), depth + 1, out) || out->base)
            return false;
        if (op->op == XG_K_OP_SHLI) c = (int64_t)1 << c;
        out->block *= c;
        out->thread *= c;
        out->round *= c;
        return true;
    default: return false;
    }
}
/* The number of the element among all threads, plus `base`. */
XG_FN bool xg_cpu_is_number(const xg_llvm *l, const xg_kval *v, int64_t *base) {
    xg_cpu_linear at;
    if (!xg_cpu_linear_of(v, 0, &at) || at.thread != 1 || at.block != l->threads || at.round) return false;
    *base = at.base;
    return true;
}
/* Where in a parameter the elements begin, in bytes; the address may be constants beside the element's place. */
XG_FN bool xg_cpu_flat_side(const xg_llvm *l, const xg_kval *pointer, xg_cpu_side *side) {
    const xg_kop *op = pointer->def;
    int64_t at;
    side->at = 0;
    for (; op && op->op == XG_K_OP_PTR_ADD && xg_kval_is_const(XG_KOPERAND(op, 1), &at); op = XG_KOPERAND(op, 0)->def)
        side->at += at * op->a + op->b;
    if (!op || op->op != XG_K_OP_PTR_ADD || op->a != 2 || !xg_cpu_is_number(l, XG_KOPERAND(op, 1), &at)) return false;
    side->of = XG_KOPERAND(op, 0);
    side->at += at * 2 + op->b;
    return !side->of->def && !side->of->region->owner;
}
/* All elements, or in a branch those up to a constant. */
XG_FN bool xg_cpu_flat_guard(const xg_llvm *l, const xg_kregion *r, int64_t *count) {
    const xg_kop *branch = r->owner, *is;
    int64_t base, last;
    *count = INT32_MAX;
    if (!branch) return true;
    if (branch->op != XG_K_OP_IF || branch->parent->owner || branch->regions[0] != r) return false;
    is = XG_KOPERAND(branch, 0)->def;
    if (!is || is->op != XG_K_OP_CMPI || is->flags != XG_CI_SLE || !xg_kval_is_const(XG_KOPERAND(is, 1), &last) ||
        !xg_cpu_is_number(l, XG_KOPERAND(is, 0), &base))
        return false;
    *count = last - base + 1;
    return true;
}
XG_FN bool xg_cpu_only_reads(const xg_kregion *r, const xg_kop *store) {
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        if ((xg_kop_flags(op->op) & KF_WRITE) && op != store) return false;
        for (k = 0; k < op->n_regions; k++)
            if (!xg_cpu_only_reads(op->regions[k], store)) return false;
    }
    return true;
}
XG_FN void xg_cpu_find_flat(xg_llvm *l) {
    const xg_kfunc *f = l->f;
    xg_cpu_flat flat;
    if (!l->tabled || f->threads[0] != l->threads || f->blocks[1] > 1 || f->blocks[2] > 1) return;
    if (xg_kelem_bits(l->looked_up->results[0].type->elem) != 16 ||
        xg_kelem_bits(XG_KOPERAND(l->tabled, 0)->type->elem) != 16)
        return;
    if (!xg_cpu_flat_side(l, XG_KOPERAND(l->looked_up, 0), &flat.from) ||
        !xg_cpu_flat_side(l, XG_KOPERAND(l->tabled, 1), &flat.to) ||
        !xg_cpu_flat_guard(l, l->tabled->parent, &flat.count) || !xg_cpu_only_reads(f->body, l->tabled))
        return;
    flat.is = true;
    l->flat = flat;
}

/* ---- the loop ---- */

/* Entry e of the round, from its cell and `skip` bytes: %yE. */
XG_FN void xg_cpu_put_cell(xg_buf *out, uint32_t e, uint32_t skip, const char *type) {
    xg_printf(out, "  %%s%u = lshr i64 %%w%u, %u\n  %%n%u = and i64 %%s%u, 65535\n", e, e / 4, e % 4 * 16, e, e);
    xg_printf(out, "  %%c%u = getelementptr i64, ptr %%table, i64 %%n%u\n", e, e);
    xg_printf(out, "  %%a%u = getelementptr i8, ptr %%c%u, i64 %u\n", e, e, skip);
    xg_printf(out, "  %%y%u = load %s, ptr %%a%u, align 2, !invariant.load !%d\n", e, type, e, (int)XG_LLVM_INVARIANT);
}
/* Eight elements, from number e of the round on. */
XG_FN void xg_cpu_put_eight(xg_buf *out, uint32_t e) {
    uint32_t k;
    for (k = 0; k < 4; k++) {
        xg_cpu_put_cell(out, e + k, 6 - 2 * k, "i64");
        if (k) xg_printf(out, "  %%o%u = or i64 %%%c%u, %%y%u\n", e + k, k > 1 ? 'o' : 'y', e + k - 1, e + k);
    }
    xg_printf(out, "  %%h%u = insertelement <2 x i64> undef, i64 %%o%u, i32 0\n", e, e + 3);
    xg_printf(out, "  %%r%u = bitcast <2 x i64> %%h%u to <8 x i16>\n", e + 3, e);
    for (k = 4; k < 8; k++) {
        xg_cpu_put_cell(out, e + k, 6, "i16");
        xg_printf(out, "  %%r%u = insertelement <8 x i16> %%r%u, i16 %%y%u, i32 %u\n", e + k, e + k - 1, e + k, k);
    }
    xg_printf(out, "  %%to%u = getelementptr i8, ptr addrspace(1) %%out, i64 %u\n", e, 2 * e);
    xg_printf(out, "  store <8 x i16> %%r%u, ptr addrspace(1) %%to%u, align 2\n", e + 7, e);
}
/* Word k of a round at %from: %nameK. */
XG_FN void xg_cpu_put_word(xg_buf *out, const char *name, const char *from, uint32_t k) {
    xg_printf(out, "  %%%sa%u = getelementptr i64, ptr addrspace(1) %%%s, i64 %u\n", name, k, from, k);
    xg_printf(out, "  %%%s%u = load i64, ptr addrspace(1) %%%sa%u, align 2\n", name, k, name, k);
}
XG_FN void xg_cpu_put_round(xg_buf *out) {
    uint32_t k, group;
    xg_puts(out, "round:\n  %i = phi i64 [ 0, %start ], [ %next, %round ]\n");
    for (k = 0; k < XG_CPU_FLAT_WORDS; k++)
        xg_printf(out, "  %%w%u = phi i64 [ %%first%u, %%start ], [ %%ahead%u, %%round ]\n", k, k, k);
    xg_printf(out, "  %%next = add nuw i64 %%i, %d\n", (int)XG_CPU_FLAT_LANES);
    xg_puts(out, "  %more = icmp ult i64 %next, %whole\n  %read = select i1 %more, i64 %next, i64 %i\n"
                 "  %behind = getelementptr i16, ptr addrspace(1) %ins, i64 %read\n"
                 "  %out = getelementptr i16, ptr addrspace(1) %outs, i64 %i\n");
    for (group = 0; group < XG_CPU_FLAT_GROUPS; group++) {
        xg_cpu_put_eight(out, group * 8);
        for (k = 0; k < 2; k++) xg_cpu_put_word(out, "ahead", "behind", group * 2 + k);
        xg_puts(out, "  call void asm sideeffect \"\", \"~{memory}\"()\n");
    }
    xg_puts(out, "  br i1 %more, label %round, label %rest\n");
}
XG_FN void xg_cpu_put_flat(const xg_llvm *l, xg_buf *out) {
    const xg_cpu_flat *f = &l->flat;
    uint32_t k;
    xg_puts(out, "entry:\n  %table = load ptr, ptr %scratch, align 8\n  %f = zext i32 %first to i64\n"
                 "  %e = zext i32 %end to i64\n");
    xg_printf(out, "  %%from = mul nuw i64 %%f, %u\n  %%all = mul nuw i64 %%e, %u\n", l->threads, l->threads);
    xg_printf(out, "  %%inside = icmp slt i64 %%all, %lld\n  %%to = select i1 %%inside, i64 %%all, i64 %lld\n",
        (long long)f->count, (long long)f->count);
    xg_printf(
        out, "  %%in = getelementptr i8, ptr addrspace(1) %%p%u, i64 %lld\n", f->from.of->index, (long long)f->from.at);
    xg_printf(
        out, "  %%o = getelementptr i8, ptr addrspace(1) %%p%u, i64 %lld\n", f->to.of->index, (long long)f->to.at);
    xg_puts(out, "  %ins = getelementptr i16, ptr addrspace(1) %in, i64 %from\n"
                 "  %outs = getelementptr i16, ptr addrspace(1) %o, i64 %from\n  %n = sub i64 %to, %from\n");
    xg_printf(out, "  %%over = urem i64 %%n, %d\n  %%whole = sub i64 %%n, %%over\n", (int)XG_CPU_FLAT_LANES);
    xg_puts(out, "  %some = icmp sgt i64 %whole, 0\n  br i1 %some, label %start, label %rest\nstart:\n");
    for (k = 0; k < XG_CPU_FLAT_WORDS; k++) xg_cpu_put_word(out, "first", "ins", k);
    xg_puts(out, "  br label %round\n");
    xg_cpu_put_round(out);
    xg_puts(out, "rest:\n  %k0 = phi i64 [ 0, %entry ], [ %whole, %round ]\n  %any = icmp slt i64 %k0, %n\n"
                 "  br i1 %any, label %one, label %done\none:\n  %k = phi i64 [ %k0, %rest ], [ %k1, %one ]\n"
                 "  %ain = getelementptr i16, ptr addrspace(1) %ins, i64 %k\n"
                 "  %x = load i16, ptr addrspace(1) %ain, align 2\n  %xn = zext i16 %x to i64\n"
                 "  %cell = getelementptr i64, ptr %table, i64 %xn\n"
                 "  %high = getelementptr i8, ptr %cell, i64 6\n  %y = load i16, ptr %high, align 2\n"
                 "  %aout = getelementptr i16, ptr addrspace(1) %outs, i64 %k\n"
                 "  store i16 %y, ptr addrspace(1) %aout, align 2\n  %k1 = add nuw i64 %k, 1\n"
                 "  %again = icmp slt i64 %k1, %n\n  br i1 %again, label %one, label %done\ndone:\n"
                 "  ret void\n}\n\n");
}

#endif /* XG_LLVM_CPU_FLAT_C */
