/* llvm/cpu_table.c -- values of few bits by a table.
 *
 * What a kernel stores may be a function of one number of 8 or 16 bits alone, such as GELU of a bf16, which rounds nine
 * times. Where it is applied to far more elements than there are such numbers, NAME.fill computes it once for each of
 * them, with the kernel's own operations, and the kernel looks it up: the same bits, for a load in place of a hundred
 * instructions. NAME.table says how many bytes the table has. It belongs to the loaded program; where it lies stands at
 * the beginning of the scratch memory. */
#ifndef XG_LLVM_CPU_TABLE_C
#define XG_LLVM_CPU_TABLE_C
#include "cpu_ops.c"

enum {
    XG_CPU_TABLE_USES = 16, /* elements of a launch for each entry */
    XG_CPU_TABLE_OPS = 48,  /* operations: fewer cost no more than the look-up does, in vectors */
    XG_CPU_TABLE_DEPTH = 512,
    XG_CPU_TABLE_STORE = 128, /* bits of the entries that are looked up at once: wider ones cost moves between halves */
    XG_CPU_TABLE_WORD = 32,   /* bits that are read at once */
    XG_CPU_TABLE_INTERLEAVE = 2,
    XG_CPU_TABLE_CELL = 8 /* bytes */
};
/* The table that is searched for: what is looked up, and what has been seen of the values that it stands for. */
typedef struct xg_cpu_search {
    const xg_kop *load, *store;
    uint8_t *seen; /* by the value's number */
    uint32_t n_ops;
} xg_cpu_search;

XG_FN bool xg_cpu_is_short(const xg_ktype *t) {
    int bits = t->kind == XG_TK_SCALAR ? xg_kelem_bits(t->elem) : 0;
    return bits == 16 || (bits == 8 && t->elem != XG_E_I1);
}
/* A function of constants and of one load of few bits. */
XG_FN bool xg_cpu_is_of_one_load(xg_cpu_search *s, const xg_kval *v, uint32_t depth) {
    const xg_kop *op = v->def;
    uint32_t k;
    if (!op || depth > XG_CPU_TABLE_DEPTH) return false;
    if (op->op == XG_K_OP_CONST || s->seen[v->id]) return true;
    s->seen[v->id] = 1;
    if (op->op == XG_K_OP_LOAD) {
        if ((s->load && s->load != op) || !xg_cpu_is_short(v->type) || (op->flags & KM_VOLATILE)) return false;
        s->load = op;
        return true;
    }
    if ((xg_kop_flags(op->op) & (KF_PURE | KF_READ | KF_CONV)) != KF_PURE || op->n_regions || op->n_results != 1 ||
        op->op == XG_K_OP_THREAD_ID || op->op == XG_K_OP_BLOCK_ID)
        return false;
    s->n_ops++;
    for (k = 0; k < op->n_operands; k++)
        if (!xg_cpu_is_of_one_load(s, XG_KOPERAND(op, k), depth + 1)) return false;
    return true;
}
/* The only store of a kernel in which threads do not wait; false: there are others, or something that waits. */
XG_FN bool xg_cpu_only_store(const xg_kregion *r, const xg_kop **store) {
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        if (op->op == XG_K_OP_STORE) {
            if (*store) return false;
            *store = op;
        } else if (xg_kop_flags(op->op) & KF_CONV)
            return false;
        for (k = 0; k < op->n_regions; k++)
            if (!xg_cpu_only_store(op->regions[k], store)) return false;
    }
    return true;
}
XG_FN uint32_t xg_cpu_table_entries(const xg_kop *load) { return 1u << xg_kelem_bits(load->results[0].type->elem); }
XG_FN void xg_cpu_find_table(xg_llvm *l) {
    const xg_kfunc *f = l->f;
    xg_cpu_search s;
    const xg_kval *v;
    uint64_t elements =
        (uint64_t)l->threads * XG_MAX(f->blocks[0], 1u) * XG_MAX(f->blocks[1], 1u) * XG_MAX(f->blocks[2], 1u);
    memset(&s, 0, sizeof s);
    if (!xg_cpu_only_store(f->body, &s.store) || !s.store || (s.store->flags & KM_VOLATILE)) return;
    v = XG_KOPERAND(s.store, 0);
    if (!xg_cpu_is_short(v->type)) return;
    s.seen = XG_NEW_N(l->arena, uint8_t, (size_t)l->m->n_ids + 1);
    if (!xg_cpu_is_of_one_load(&s, v, 0) || !s.load || s.load->parent != s.store->parent) return;
    if (s.n_ops < XG_CPU_TABLE_OPS || elements / XG_CPU_TABLE_USES < xg_cpu_table_entries(s.load)) return;
    l->looked_up = s.load;
    l->tabled = s.store;
    l->scratch = 8; /* the table's address */
}

/* ---- the function that looks up ---- */

XG_FN uint32_t xg_cpu_table_lanes(const xg_llvm *l) {
    return (uint32_t)(XG_CPU_TABLE_STORE / xg_kelem_bits(XG_KOPERAND(l->tabled, 0)->type->elem));
}
/* Number k of the vector, which is read as words of 32 bits; its entry, put into place `at` of a half of the result. */
XG_FN void xg_cpu_put_entry(xg_buf *out, int bits, int entry, uint32_t lanes, uint32_t k, uint32_t at) {
    uint32_t each = XG_CPU_TABLE_WORD / (uint32_t)bits;
    xg_printf(out, "  %%s%u = lshr i32 %%w%u, %u\n", k, k / each, k % each * (uint32_t)bits);
    xg_printf(out, "  %%n%u = and i32 %%s%u, %u\n  %%i%u = zext i32 %%n%u to i64\n", k, k, (1u << bits) - 1, k, k);
    xg_printf(out, "  %%p%u = getelementptr inbounds i%d, ptr %%table, i64 %%i%u\n", k, entry, k);
    xg_printf(out, "  %%e%u = load i%d, ptr %%p%u, !invariant.load !%d\n", k, entry, k, (int)XG_LLVM_INVARIANT);
    xg_printf(out, "  %%r%u = insertelement <%u x i%d> ", k, lanes, entry);
    if (at)
        xg_printf(out, "%%r%u", k - 1);
    else
        xg_puts(out, "undef");
    xg_printf(out, ", i%d %%e%u, i32 %u\n", entry, k, at);
}
/* xg.looks: the entries of a vector of numbers, one by one into the two halves of 16 bytes. Processors take half the
 * time for that which they take for a gather, or for stores of single entries (GELU of bf16 on a Zen 5: 1.9
 * milliseconds, 3.5 and 3.0). */
XG_FN void xg_cpu_put_looks(xg_buf *out, int bits, int entry, uint32_t lanes) {
    uint32_t words = lanes * (uint32_t)bits / XG_CPU_TABLE_WORD, half = lanes / 2, k;
    xg_printf(out, "define internal <%u x i%d> @xg.looks(<%u x i%d> %%x, <%u x ptr> %%tables) ", lanes, entry, lanes,
        bits, lanes);
    xg_puts(out, "alwaysinline nounwind willreturn speculatable memory(none) {\n");
    xg_printf(out, "  %%table = extractelement <%u x ptr> %%tables, i32 0\n", lanes);
    xg_printf(out, "  %%w = bitcast <%u x i%d> %%x to <%u x i32>\n", lanes, bits, words);
    for (k = 0; k < words; k++) xg_printf(out, "  %%w%u = extractelement <%u x i32> %%w, i32 %u\n", k, words, k);
    for (k = 0; k < half; k++) {
        xg_cpu_put_entry(out, bits, entry, lanes, k, k);
        xg_cpu_put_entry(out, bits, entry, lanes, half + k, k);
    }
    xg_printf(out, "  %%r = shufflevector <%u x i%d> %%r%u, <%u x i%d> %%r%u, <%u x i32> <", lanes, entry, half - 1,
        lanes, entry, lanes - 1, lanes);
    for (k = 0; k < lanes; k++) xg_printf(out, "%si32 %u", k ? ", " : "", k < half ? k : half + k);
    xg_printf(out, ">\n  ret <%u x i%d> %%r\n}\n", lanes, entry);
}
/* xg.look, and its form for vectors, which LLVM takes when it makes lanes of threads. Neither is inlined before
 * (xg_llvm_inline_late). */
XG_FN void xg_cpu_put_look_up(xg_llvm *l, xg_buf *out) {
    int bits = xg_kelem_bits(l->looked_up->results[0].type->elem);
    int entry = xg_kelem_bits(XG_KOPERAND(l->tabled, 0)->type->elem);
    uint32_t lanes = xg_cpu_table_lanes(l);
    xg_puts(out, "@llvm.compiler.used = appending global [1 x ptr] [ptr @xg.looks], section \"llvm.metadata\"\n");
    xg_printf(out, "attributes #%d = { \"vector-function-abi-variant\"=\"_ZGV_LLVM_N%uvv_xg.look(xg.looks)\" }\n",
        (int)XG_LLVM_ALONE, lanes);
    xg_printf(out, "define internal i%d @xg.look(i%d %%x, ptr %%table) ", entry, bits);
    xg_puts(out, "noinline nounwind willreturn speculatable memory(none) {\n");
    xg_printf(out, "  %%i = zext i%d %%x to i64\n", bits);
    xg_printf(out, "  %%p = getelementptr inbounds i%d, ptr %%table, i64 %%i\n", entry);
    xg_printf(out, "  %%y = load i%d, ptr %%p, !invariant.load !%d\n", entry, (int)XG_LLVM_INVARIANT);
    xg_printf(out, "  ret i%d %%y\n}\n", entry);
    xg_cpu_put_looks(out, bits, entry, lanes);
}

/* ---- the function that fills it ---- */

XG_FN void xg_cpu_put_function(xg_llvm *l, const xg_kval *v, uint8_t *seen) {
    uint32_t k;
    if (v->def->op == XG_K_OP_CONST || v->def == l->looked_up || seen[v->id]) return;
    seen[v->id] = 1;
    for (k = 0; k < v->def->n_operands; k++) xg_cpu_put_function(l, XG_KOPERAND(v->def, k), seen);
    xg_cpu_op(l, v->def);
}
/* The number i as the value that is loaded. */
XG_FN void xg_cpu_put_number(xg_llvm *l) {
    const xg_kval *v = &l->looked_up->results[0];
    uint32_t t = xg_llvm_temp(l, "trunc i32 %%i to i%d", xg_kelem_bits(v->type->elem));
    xg_llvm_begin(l, l->looked_up);
    xg_printf(&l->body, "bitcast i%d %%t%u to ", xg_kelem_bits(v->type->elem), t);
    xg_llvm_put_type(&l->body, v->type);
    xg_putc(&l->body, '\n');
}
/* As the upper bits of a cell (cpu_flat.c). */
XG_FN void xg_cpu_put_as_cell(xg_llvm *l, const xg_kval *v) {
    uint32_t t = xg_llvm_temp(l, "bitcast %s %s to i16", xg_llvm_elem(v->type->elem), xg_cpu_text(l, v));
    t = xg_llvm_temp(l, "zext i16 %%t%u to i64", t);
    t = xg_llvm_temp(l, "shl i64 %%t%u, 48", t);
    xg_puts(&l->body, "  %place = getelementptr inbounds i64, ptr %table, i32 %i\n");
    xg_printf(&l->body, "  store i64 %%t%u, ptr %%place\n", t);
}
/* Text of NAME.table and NAME.fill, and of what looks up. */
XG_FN void xg_cpu_put_table(xg_llvm *l, xg_buf *out) {
    const xg_kval *v = XG_KOPERAND(l->tabled, 0);
    const char *type = xg_llvm_elem(v->type->elem);
    uint32_t entries = xg_cpu_table_entries(l->looked_up);
    int length = (int)l->f->name.n;
    const char *name = l->f->name.p;
    xg_buf outer = l->body;
    xg_printf(out, "@\"%.*s.table\" = constant i64 %lld\n", length, name,
        l->flat.is ? (long long)(entries + 1) * XG_CPU_TABLE_CELL
                   : (long long)entries * xg_kelem_bits(v->type->elem) / 8);
    xg_printf(out, "define void @\"%.*s.fill\"(ptr %%args, ptr %%scratch, i32 %%first, i32 %%end) nounwind {\n", length,
        name);
    xg_puts(out, "entry:\n  %table = load ptr, ptr %scratch, align 8\n  br label %number\nnumber:\n"
                 "  %i = phi i32 [ 0, %entry ], [ %next, %number ]\n");
    xg_buf_init(&l->body, l->arena);
    xg_cpu_put_number(l);
    xg_cpu_put_function(l, v, XG_NEW_N(l->arena, uint8_t, (size_t)l->m->n_ids + 1));
    if (l->flat.is)
        xg_cpu_put_as_cell(l, v);
    else {
        xg_printf(&l->body, "  %%place = getelementptr inbounds %s, ptr %%table, i32 %%i\n  store ", type);
        xg_llvm_put_typed(&l->body, v);
        xg_puts(&l->body, ", ptr %place\n");
    }
    xg_put_str(out, xg_str_of(l->body.p, l->body.n));
    xg_printf(out, "  %%next = add nuw nsw i32 %%i, 1\n  %%more = icmp ult i32 %%next, %u\n", entries);
    xg_puts(out, "  br i1 %more, label %number, label %done\ndone:\n");
    if (l->flat.is)
        xg_printf(out, "  %%past = getelementptr i64, ptr %%table, i64 %u\n  store i64 0, ptr %%past\n", entries);
    xg_puts(out, "  ret void\n}\n");
    l->body = outer;
    if (!l->flat.is) xg_cpu_put_look_up(l, out);
}

#endif /* XG_LLVM_CPU_TABLE_C */
