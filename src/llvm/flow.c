/* llvm/flow.c -- structured control flow as basic blocks, the kernel, the module.
 *
 * Each structure has blocks of its own names, so that the block a phi names as predecessor is known before its body is
 * printed:
 *
 *     for   preN: br bodyN or endN    bodyN: phis, body    latchN: next, br bodyN or endN    endN: phis of the results
 *     if    br thenN or elseN         thenN: ... leaves by thenN.end    elseN ... elseN.end    endN: phis
 *     while preN: br headN            headN: phis, before, br bodyN or endN    bodyN: after    latchN: br headN */
#ifndef XG_LLVM_FLOW_C
#define XG_LLVM_FLOW_C
#include "ops.c"

enum {
    XG_LLVM_DEPTH_MAX = 256
};

XG_FN void xg_llvm_region(xg_llvm *l, const xg_kregion *r);

/* "  %to = phi type [ a, %fromN ], [ b, %otherN ]" */
XG_FN void xg_llvm_phi(xg_llvm *l, const xg_kval *to, const xg_kval *a, const char *from, const xg_kval *b,
    const char *other, uint32_t n) {
    xg_puts(&l->body, "  ");
    xg_llvm_put_value(&l->body, to);
    xg_puts(&l->body, " = phi ");
    xg_llvm_put_type(&l->body, to->type);
    xg_puts(&l->body, " [ ");
    xg_llvm_put_value(&l->body, a);
    xg_printf(&l->body, ", %%%s%u ], [ ", from, n);
    xg_llvm_put_value(&l->body, b);
    xg_printf(&l->body, ", %%%s%u ]\n", other, n);
}
/* A loop of few rounds, whose number is known, and no loop inside. */
XG_FN bool xg_llvm_is_short(const xg_kop *loop) {
    int64_t lo, hi, step;
    if (!xg_kval_is_const(XG_KOPERAND(loop, 0), &lo) || !xg_kval_is_const(XG_KOPERAND(loop, 1), &hi) ||
        !xg_kval_is_const(XG_KOPERAND(loop, 2), &step) || step < 1 || hi <= lo ||
        (uint64_t)hi - (uint64_t)lo > (uint64_t)step * XG_LLVM_FULL_ROUNDS)
        return false;
    XG_FOR_KOPS(op, loop->regions[0]) {
        if (op->op == XG_K_OP_FOR || op->op == XG_K_OP_WHILE) return false;
    }
    return true;
}
/* Lanes of vectors: nothing of the loop is left over. */
XG_FN uint32_t xg_llvm_lanes_node(xg_llvm *l) {
    uint32_t vectors = xg_llvm_node(l, "!{!\"llvm.loop.vectorize.enable\", i1 true}");
    return xg_llvm_node(l, "distinct !{!%u, !%u, !%u, !%d}", l->n_nodes, l->group + 1, vectors, (int)XG_LLVM_NO_UNROLL);
}
/* The induction variable's next value is %nextN. */
XG_FN void xg_llvm_for(xg_llvm *l, const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    const xg_kval *iv = &r->args[0], *lo = XG_KOPERAND(op, 0), *hi = XG_KOPERAND(op, 1);
    const char *word = xg_llvm_elem(iv->type->elem);
    xg_buf *b = &l->body;
    uint32_t n = l->labels++, k;
    xg_printf(b, "  br label %%pre%u\npre%u:\n  %%enter%u = icmp slt ", n, n, n);
    xg_llvm_put_typed(b, lo);
    xg_puts(b, ", ");
    xg_llvm_put_value(b, hi);
    xg_printf(b, "\n  br i1 %%enter%u, label %%body%u, label %%end%u\nbody%u:\n  ", n, n, n, n);
    xg_llvm_put_value(b, iv);
    xg_printf(b, " = phi %s [ ", word);
    xg_llvm_put_value(b, lo);
    xg_printf(b, ", %%pre%u ], [ %%next%u, %%latch%u ]\n", n, n, n);
    for (k = 0; k < op->n_results; k++)
        xg_llvm_phi(l, &r->args[1 + k], XG_KOPERAND(op, 3 + k), "pre", XG_KOPERAND(r->last, k), "latch", n);
    xg_llvm_region(l, r);
    xg_printf(b, "  br label %%latch%u\nlatch%u:\n  %%next%u = add %s ", n, n, n, word);
    xg_llvm_put_value(b, iv);
    xg_puts(b, ", ");
    xg_llvm_put_value(b, XG_KOPERAND(op, 2));
    xg_printf(b, "\n  %%again%u = icmp slt %s %%next%u, ", n, word, n);
    xg_llvm_put_value(b, hi);
    xg_printf(b, "\n  br i1 %%again%u, label %%body%u, label %%end%u", n, n, n);
    if ((op->flags & KL_LANES) && l->group)
        xg_printf(b, ", !llvm.loop !%u", xg_llvm_lanes_node(l));
    else if (op->flags & KL_UNROLLED || xg_llvm_is_short(op))
        xg_printf(b, ", !llvm.loop !%u",
            xg_llvm_node(l, "distinct !{!%u, !%d}", l->n_nodes,
                op->flags & KL_UNROLLED ? (int)XG_LLVM_NO_UNROLL : (int)XG_LLVM_FULL_UNROLL));
    xg_printf(b, "\nend%u:\n", n);
    for (k = 0; k < op->n_results; k++)
        xg_llvm_phi(l, &op->results[k], XG_KOPERAND(op, 3 + k), "pre", XG_KOPERAND(r->last, k), "latch", n);
}
XG_FN void xg_llvm_if(xg_llvm *l, const xg_kop *op) {
    uint32_t n = l->labels++, k;
    xg_puts(&l->body, "  br ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_printf(&l->body, ", label %%then%u, label %%else%u\nthen%u:\n", n, n, n);
    xg_llvm_region(l, op->regions[0]);
    xg_printf(&l->body, "  br label %%thenend%u\nthenend%u:\n  br label %%end%u\nelse%u:\n", n, n, n, n);
    xg_llvm_region(l, op->regions[1]);
    xg_printf(&l->body, "  br label %%elseend%u\nelseend%u:\n  br label %%end%u\nend%u:\n", n, n, n, n);
    for (k = 0; k < op->n_results; k++)
        xg_llvm_phi(l, &op->results[k], XG_KOPERAND(op->regions[0]->last, k), "thenend",
            XG_KOPERAND(op->regions[1]->last, k), "elseend", n);
}
/* What the loop passes on, to its body or behind it, is the condition's. */
XG_FN void xg_llvm_alias(xg_llvm *l, const xg_kval *to, const xg_kval *from, const char *block, uint32_t n) {
    xg_puts(&l->body, "  ");
    xg_llvm_put_value(&l->body, to);
    xg_puts(&l->body, " = phi ");
    xg_llvm_put_type(&l->body, to->type);
    xg_puts(&l->body, " [ ");
    xg_llvm_put_value(&l->body, from);
    xg_printf(&l->body, ", %%%s%u ]\n", block, n);
}
XG_FN void xg_llvm_while(xg_llvm *l, const xg_kop *op) {
    const xg_kregion *before = op->regions[0], *after = op->regions[1];
    const xg_kop *condition = before->last;
    uint32_t n = l->labels++, k;
    xg_printf(&l->body, "  br label %%pre%u\npre%u:\n  br label %%head%u\nhead%u:\n", n, n, n, n);
    for (k = 0; k < before->n_args; k++)
        xg_llvm_phi(l, &before->args[k], XG_KOPERAND(op, k), "pre", XG_KOPERAND(after->last, k), "latch", n);
    xg_llvm_region(l, before);
    xg_printf(&l->body, "  br label %%test%u\ntest%u:\n  br ", n, n);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(condition, 0));
    xg_printf(&l->body, ", label %%body%u, label %%end%u\nbody%u:\n", n, n, n);
    for (k = 0; k < after->n_args; k++) xg_llvm_alias(l, &after->args[k], XG_KOPERAND(condition, 1 + k), "test", n);
    xg_llvm_region(l, after);
    xg_printf(&l->body, "  br label %%latch%u\nlatch%u:\n  br label %%head%u\nend%u:\n", n, n, n, n);
    for (k = 0; k < op->n_results; k++) xg_llvm_alias(l, &op->results[k], XG_KOPERAND(condition, 1 + k), "test", n);
}
XG_FN void xg_llvm_one(xg_llvm *l, const xg_kop *op) {
    if (op->op == XG_K_OP_FOR)
        xg_llvm_for(l, op);
    else if (op->op == XG_K_OP_IF)
        xg_llvm_if(l, op);
    else if (op->op == XG_K_OP_WHILE)
        xg_llvm_while(l, op);
    else if (!(xg_kop_flags(op->op) & KF_TERM))
        l->op(l, op);
}
XG_FN void xg_llvm_region(xg_llvm *l, const xg_kregion *r) {
    XG_FOR_KOPS(op, r) { xg_llvm_one(l, op); }
}

/* ---- the module ---- */

XG_FN bool xg_llvm_has_all(const xg_llvm *l, const xg_kregion *r, uint32_t depth) {
    uint32_t k;
    if (depth > XG_LLVM_DEPTH_MAX) return false;
    XG_FOR_KOPS(op, r) {
        if (!xg_llvm_has(l, op)) return false;
        for (k = 0; k < op->n_regions; k++)
            if (!xg_llvm_has_all(l, op->regions[k], depth + 1)) return false;
    }
    return true;
}
/* A parameter: what is known of its memory. Slices of one buffer are merged before, so one that is not aliased is alone
 * in pointing there. */
XG_FN void xg_llvm_param(xg_llvm *l, xg_buf *b, uint32_t i) {
    const xg_karg *a = l->f->args ? &l->f->args[i] : NULL;
    int64_t align = 1;
    xg_puts(b, "ptr addrspace(1)");
    if (a) {
        while (align * 2 <= a->align && align < 256) align *= 2;
        if (!a->aliased) xg_puts(b, " noalias");
        if (!a->written) xg_puts(b, " readonly");
        xg_printf(b, " align %lld", (long long)align);
        if (a->bytes > 0 && !a->parted) xg_printf(b, " dereferenceable(%lld)", (long long)a->bytes);
    }
    xg_printf(b, " %%p%u", i);
}
XG_FN void xg_llvm_annotations(xg_llvm *l, xg_buf *b) {
    xg_str f = l->f->name;
    uint32_t k, node;
    xg_buf text;
    xg_buf_init(&text, l->arena);
    xg_printf(&text, "!{ptr @%.*s, !\"kernel\", i32 1", (int)f.n, f.p);
    for (k = 0; k < 3 && l->f->threads[0]; k++)
        xg_printf(&text, ", !\"reqntid%c\", i32 %u", "xyz"[k], XG_MAX(l->f->threads[k], 1u));
    if (l->f->resident) xg_printf(&text, ", !\"minctasm\", i32 %u", l->f->resident);
    node = l->n_nodes++;
    xg_printf(&l->nodes, "!%u = ", node);
    xg_put_str(&l->nodes, xg_str_of(text.p, text.n));
    xg_puts(&l->nodes, "}\n");
    xg_printf(b, "!nvvm.annotations = !{!%u}\n", node);
}
XG_FN void xg_llvm_put_nodes(xg_llvm *l, xg_buf *b) {
    xg_printf(b, "!%d = !{}\n!%d = !{!\"llvm.loop.unroll.disable\"}\n!%d = !{!\"llvm.loop.unroll.full\"}\n",
        (int)XG_LLVM_INVARIANT, (int)XG_LLVM_NO_UNROLL, (int)XG_LLVM_FULL_UNROLL);
    xg_put_str(b, xg_str_of(l->nodes.p, l->nodes.n));
}
XG_APART XG_FN void xg_llvm_assemble(xg_llvm *l, xg_buf *b) {
    xg_str f = l->f->name;
    uint32_t i;
    xg_puts(b, "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
               "target triple = \"nvptx64-nvidia-cuda\"\n\n");
    if (l->m->shared_bytes)
        xg_printf(b, "@%.*s_dynamic = external addrspace(3) global [0 x i8], align 16\n", (int)f.n, f.p);
    xg_put_str(b, xg_str_of(l->globals.p, l->globals.n));
    xg_printf(b, "\ndefine ptx_kernel void @%.*s(", (int)f.n, f.p);
    for (i = 0; i < l->f->body->n_args; i++) {
        if (i) xg_puts(b, ", ");
        xg_llvm_param(l, b, i);
    }
    xg_printf(b, ") #%d {\n", (int)XG_LLVM_KERNEL);
    xg_put_str(b, xg_str_of(l->body.p, l->body.n));
    xg_puts(b, "  ret void\n}\n\n");
    xg_put_str(b, xg_str_of(l->declares.p, l->declares.n));
    xg_printf(b, "\nattributes #%d = { nounwind%s }\n", (int)XG_LLVM_KERNEL,
        l->m->ftz ? " \"denormal-fp-math-f32\"=\"preserve-sign,preserve-sign\"" : "");
    xg_printf(b, "attributes #%d = { convergent nounwind }\n", (int)XG_LLVM_TOGETHER);
    xg_printf(b, "attributes #%d = { nounwind }\n\n", (int)XG_LLVM_ALONE);
    xg_llvm_annotations(l, b);
    if (l->calls_libdevice) /* what libdevice asks for */
        xg_printf(b, "!llvm.module.flags = !{!%u}\n",
            xg_llvm_node(l, "!{i32 4, !\"nvvm-reflect-ftz\", i32 %d}", l->m->ftz ? 1 : 0));
    xg_llvm_put_nodes(l, b);
}
XG_FN void xg_llvm_init(xg_llvm *l, xg_arena *a, xg_kmodule *m, const xg_target *t) {
    memset(l, 0, sizeof *l);
    l->arena = a;
    l->target = t;
    l->m = m;
    l->f = m->entry ? m->entry : m->first;
    l->op = xg_llvm_common;
    l->n_nodes = XG_LLVM_NODES;
    xg_buf_init(&l->body, a);
    xg_buf_init(&l->globals, a);
    xg_buf_init(&l->declares, a);
    xg_buf_init(&l->nodes, a);
    xg_dict_init(&l->declared, a);
    xg_dict_init(&l->arrays, a);
    xg_ptx_index_make(&l->index);
}
XG_FN bool xg_llvm_print(xg_arena *a, xg_kmodule *m, const xg_target *t, xg_llvm_ir *out) {
    xg_llvm l;
    xg_buf b;
    xg_llvm_init(&l, a, m, t);
    if (!xg_llvm_has_all(&l, l.f->body, 0)) return false;
    xg_llvm_scopes(&l);
    xg_llvm_region(&l, l.f->body);
    xg_buf_init(&b, a);
    xg_llvm_assemble(&l, &b);
    out->text = xg_str_of(b.p, b.n);
    out->isa = l.isa;
    out->calls_libdevice = l.calls_libdevice;
    return true;
}

#endif /* XG_LLVM_FLOW_C */
