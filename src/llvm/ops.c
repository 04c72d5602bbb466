/* llvm/ops.c -- THE table of operations that LLVM IR has a word for, and those that need more than a line.
 *
 * What is not here, or is of bf16, is inline PTX by its row of ptx/isel.c. Division by what is no constant is, too: in
 * LLVM IR a division by zero ends all promises, in kernel IR its result is merely not used. */
#ifndef XG_LLVM_OPS_C
#define XG_LLVM_OPS_C
#include "inline_ptx.c"

/* How a line looks:
 *   SAME       WORD type a, b ...           operands and result of one type
 *   CALL       call type @WORD.suffix(type a, type b ...)
 *   CAST       WORD type a to type */
typedef enum xg_llvm_form {
    XG_LLVM_NONE,
    XG_LLVM_SAME,
    XG_LLVM_CALL,
    XG_LLVM_CAST
} xg_llvm_form;
/* clang-format off */
#define XG_LLVM_OPS(X) \
    X(ADDI, SAME, "add") X(SUBI, SAME, "sub") X(MULI, SAME, "mul") \
    X(ANDI, SAME, "and") X(ORI, SAME, "or") X(XORI, SAME, "xor") \
    X(SHLI, SAME, "shl") X(SHRSI, SAME, "ashr") X(SHRUI, SAME, "lshr") \
    X(MAXSI, CALL, "llvm.smax") X(MINSI, CALL, "llvm.smin") X(MAXUI, CALL, "llvm.umax") X(MINUI, CALL, "llvm.umin") \
    X(CTPOP, CALL, "llvm.ctpop") X(SHFL3, CALL, "llvm.fshr") \
    X(EXTSI, CAST, "sext") X(EXTUI, CAST, "zext") X(TRUNCI, CAST, "trunc") \
    X(SITOFP, CAST, "sitofp") X(UITOFP, CAST, "uitofp") X(EXTF, CAST, "fpext") X(TRUNCF, CAST, "fptrunc") \
    X(BITCAST, CAST, "bitcast") \
    X(ADDF, SAME, "fadd") X(SUBF, SAME, "fsub") X(MULF, SAME, "fmul") X(DIVF, SAME, "fdiv") X(NEGF, SAME, "fneg") \
    X(MAXF, CALL, "llvm.maximum") X(MINF, CALL, "llvm.minimum") \
    X(MAXNUMF, CALL, "llvm.maxnum") X(MINNUMF, CALL, "llvm.minnum") \
    X(FMA, CALL, "llvm.fma") X(ABSF, CALL, "llvm.fabs") X(COPYSIGN, CALL, "llvm.copysign") X(SQRT, CALL, "llvm.sqrt") \
    X(FLOOR, CALL, "llvm.floor") X(CEIL, CALL, "llvm.ceil") X(TRUNC, CALL, "llvm.trunc") \
    X(ROUNDEVEN, CALL, "llvm.roundeven")
/* clang-format on */
typedef struct xg_llvm_word {
    const char *word;
    xg_llvm_form form;
} xg_llvm_word;
XG_FN xg_llvm_word xg_llvm_word_of(xg_kopcode op) {
    XG_TABLE const uint8_t rows[][2] = {
#define X(name, how, text) {XG_K_OP_##name, XG_LLVM_##how},
        XG_LLVM_OPS(X)
#undef X
    };
    XG_TABLE const char words[] =
#define X(name, how, text) text "\0"
        XG_LLVM_OPS(X)
#undef X
        ;
    xg_llvm_word w = {NULL, XG_LLVM_NONE};
    size_t k;
    for (k = 0; k < XG_COUNT(rows) && w.form == XG_LLVM_NONE; k++) {
        if (rows[k][0] != (uint32_t)op) continue;
        w.word = xg_text_nth(words, k);
        w.form = (xg_llvm_form)rows[k][1];
    }
    return w;
}

/* A float that computes in LLVM, or only converts there (`casts`). */
XG_FN bool xg_llvm_knows(const xg_ktype *t) {
    return !xg_kelem_is_float(t->elem) || t->elem == XG_E_F16 || t->elem == XG_E_F32 || t->elem == XG_E_F64;
}
XG_FN bool xg_llvm_is_native(const xg_kop *op) {
    uint32_t k;
    if (xg_llvm_word_of(op->op).form == XG_LLVM_NONE) return false;
    if (op->op == XG_K_OP_BITCAST) return true;
    for (k = 0; k < op->n_operands; k++)
        if (!xg_llvm_knows(XG_KOPERAND(op, k)->type)) return false;
    return xg_llvm_knows(op->results[0].type);
}
XG_FN void xg_llvm_native(xg_llvm *l, const xg_kop *op) {
    xg_llvm_word w = xg_llvm_word_of(op->op);
    const xg_ktype *t = op->results[0].type;
    const char *elem = xg_llvm_elem(t->elem);
    xg_buf *b = &l->body, name, operands;
    uint32_t k;
    if (w.form == XG_LLVM_CALL) {
        const char *type = xg_llvm_type(l, t);
        xg_buf_init(&name, l->arena);
        xg_buf_init(&operands, l->arena);
        xg_printf(&name, "%s.", w.word);
        if (t->kind == XG_TK_VECTOR) xg_printf(&name, "v%lld", (long long)t->elements);
        xg_puts(&name, t->elem == XG_E_F16 ? "f16" : t->elem == XG_E_F32 ? "f32" : t->elem == XG_E_F64 ? "f64" : elem);
        for (k = 0; k < op->n_operands; k++) xg_printf(&operands, "%s%s", k ? ", " : "", type);
        xg_llvm_declare(l, xg_str_of(name.p, name.n), type, operands.p);
        xg_llvm_begin(l, op);
        xg_printf(b, "call %s @%.*s(", type, (int)name.n, name.p);
        for (k = 0; k < op->n_operands; k++) {
            if (k) xg_puts(b, ", ");
            xg_llvm_put_typed(b, XG_KOPERAND(op, k));
        }
        xg_puts(b, ")\n");
        return;
    }
    xg_llvm_begin(l, op);
    xg_printf(b, "%s ", w.word);
    xg_llvm_put_typed(b, XG_KOPERAND(op, 0));
    for (k = 1; k < op->n_operands; k++) {
        xg_puts(b, ", ");
        xg_llvm_put_value(b, XG_KOPERAND(op, k));
    }
    if (w.form == XG_LLVM_CAST) {
        xg_puts(b, " to ");
        xg_llvm_put_type(b, t);
    }
    xg_putc(b, '\n');
}

/* ---- operations that need more than a line ---- */

XG_FN void xg_llvm_compare(xg_llvm *l, const xg_kop *op) {
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "%s %s ", op->op == XG_K_OP_CMPF ? "fcmp" : "icmp", xg_kcmp_name(op));
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ", ");
    xg_llvm_put_value(&l->body, XG_KOPERAND(op, 1));
    xg_putc(&l->body, '\n');
}
XG_FN void xg_llvm_binary(xg_llvm *l, const xg_kop *op, const char *word) { /* WORD type a, b */
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "%s ", word);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ", ");
    xg_llvm_put_value(&l->body, XG_KOPERAND(op, 1));
    xg_putc(&l->body, '\n');
}
XG_FN void xg_llvm_list(xg_llvm *l, const xg_kop *op, const char *word) { /* WORD type a, type b ... */
    uint32_t k;
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "%s ", word);
    for (k = 0; k < op->n_operands; k++) {
        if (k) xg_puts(&l->body, ", ");
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, k));
    }
    xg_putc(&l->body, '\n');
}
/* vector, lane; value, vector, lane: the lane is a constant */
XG_FN void xg_llvm_lane(xg_llvm *l, const xg_kop *op) {
    bool insert = op->op == XG_K_OP_VINSERT;
    int64_t lane = 0;
    (void)xg_kval_is_const(XG_KOPERAND(op, insert ? 2 : 1), &lane);
    xg_llvm_begin(l, op);
    xg_puts(&l->body, insert ? "insertelement " : "extractelement ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, insert ? 1 : 0));
    if (insert) {
        xg_puts(&l->body, ", ");
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    }
    xg_printf(&l->body, ", i32 %lld\n", (long long)lane);
}
/* Of an id the range is known: LLVM draws conclusions from it. */
XG_FN void xg_llvm_id(xg_llvm *l, const xg_kop *op) {
    const char *what = op->op == XG_K_OP_THREAD_ID ? "tid" : "ctaid";
    const xg_kval *v = &op->results[0];
    bool wide = v->type->elem == XG_E_I64, known = v->lo >= 0 && v->hi >= v->lo && v->hi < INT32_MAX;
    char axis = "xyz"[op->flags % 3], name[64];
    size_t n = xg_format(name, sizeof name, "llvm.nvvm.read.ptx.sreg.%s.%c", what, axis);
    uint32_t node = 0;
    xg_llvm_declare(l, xg_str_of(name, (uint32_t)n), "i32", "");
    if (known) node = xg_llvm_node(l, "!{i32 %lld, i32 %lld}", (long long)v->lo, (long long)v->hi + 1);
    if (wide)
        xg_printf(&l->body, "  %%t%u = ", l->temps);
    else
        xg_llvm_begin(l, op);
    xg_printf(&l->body, "call i32 @%s()", name);
    if (known) xg_printf(&l->body, ", !range !%u", node);
    xg_putc(&l->body, '\n');
    if (!wide) return;
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "zext i32 %%t%u to i64\n", l->temps++);
}
/* pointer + index * a + b; an i32 index is unsigned */
XG_FN void xg_llvm_ptr_add(xg_llvm *l, const xg_kop *op) {
    const xg_kval *p = XG_KOPERAND(op, 0), *index = XG_KOPERAND(op, 1);
    bool narrow = p->type->space == XG_SPACE_CLUSTER, wide = index->type->elem == XG_E_I64;
    const char *word = narrow ? "i32" : "i64";
    uint32_t at = l->temps++;
    xg_printf(&l->body, "  %%t%u = %s ", at, narrow == wide ? narrow ? "trunc" : "zext" : "add");
    xg_llvm_put_typed(&l->body, index);
    if (narrow == wide)
        xg_printf(&l->body, " to %s\n", word);
    else
        xg_puts(&l->body, ", 0\n");
    if (op->a > 1) at = xg_llvm_temp(l, "mul %s %%t%u, %lld", word, at, (long long)op->a);
    if (op->b) at = xg_llvm_temp(l, "add %s %%t%u, %lld", word, at, (long long)op->b);
    xg_llvm_begin(l, op);
    xg_puts(&l->body, narrow ? "add " : "getelementptr i8, ");
    xg_llvm_put_typed(&l->body, p);
    xg_printf(&l->body, narrow ? ", %%t%u\n" : ", i64 %%t%u\n", at);
}
/* What a loop carries on is what it has, moved. */
XG_FN bool xg_llvm_carries_itself(const xg_kval *arg) {
    const xg_kval *p = XG_KOPERAND(arg->region->last, arg->index - 1);
    uint32_t steps;
    for (steps = 0; p->def && p->def->op == XG_K_OP_PTR_ADD && steps < XG_LLVM_BASE_STEPS; steps++)
        p = XG_KOPERAND(p->def, 0);
    return p == arg;
}
/* The parameter that a pointer into global memory comes from; -1: it is not plain. */
XG_FN int64_t xg_llvm_base(const xg_llvm *l, const xg_kval *p) {
    uint32_t steps;
    for (steps = 0; p && steps < XG_LLVM_BASE_STEPS; steps++) {
        if (p->def)
            p = p->def->op == XG_K_OP_PTR_ADD ? XG_KOPERAND(p->def, 0) : NULL;
        else if (p->region == l->f->body)
            return p->index;
        else if (p->region->owner->op == XG_K_OP_FOR && p->index && xg_llvm_carries_itself(p))
            p = XG_KOPERAND(p->region->owner, 2 + p->index); /* what the loop begins with */
        else
            p = NULL;
    }
    return -1;
}
/* Each parameter that is alone in pointing to its memory is a scope: an access of one is none of the others'. */
XG_FN void xg_llvm_scopes(xg_llvm *l) {
    uint32_t n = (uint32_t)l->f->body->n_args, k, j;
    xg_buf b;
    if (!l->f->args || n < 2 || n > XG_LLVM_SCOPES_MAX) return;
    l->scopes = l->n_nodes + 1; /* behind the domain: a scope, its list and that of the others for each parameter */
    xg_printf(&l->nodes, "!%u = distinct !{!%u, !\"buffers\"}\n", l->n_nodes, l->n_nodes);
    for (k = 0; k < n; k++) {
        uint32_t at = l->scopes + 3 * k;
        xg_printf(&l->nodes, "!%u = distinct !{!%u, !%u}\n!%u = !{!%u}\n", at, at, l->n_nodes, at + 1, at);
        xg_buf_init(&b, l->arena);
        for (j = 0; j < n; j++)
            if (j != k && !l->f->args[j].aliased) xg_printf(&b, "%s!%u", b.n ? ", " : "", l->scopes + 3 * j);
        xg_printf(&l->nodes, "!%u = !{%.*s}\n", at + 2, (int)b.n, b.n ? b.p : "");
    }
    l->n_nodes = l->scopes + 3 * n;
}
XG_FN void xg_llvm_scope(xg_llvm *l, const xg_kval *p) {
    int64_t base = l->scopes && p->type->space == XG_SPACE_GLOBAL ? xg_llvm_base(l, p) : -1;
    uint32_t at = l->scopes + 3 * (uint32_t)base;
    if (base < 0) return;
    if (!l->f->args[base].aliased) xg_printf(&l->body, ", !alias.scope !%u", at + 1);
    xg_printf(&l->body, ", !noalias !%u", at + 2);
}
XG_FN int64_t xg_llvm_align(const xg_kop *op, const xg_ktype *t) { return op->a > 0 ? op->a : xg_kelem_bytes(t->elem); }
XG_FN void xg_llvm_load(xg_llvm *l, const xg_kop *op) {
    const xg_ktype *t = op->results[0].type;
    if (XG_KOPERAND(op, 0)->type->space == XG_SPACE_CLUSTER) {
        xg_llvm_cluster_load(l, op);
        return;
    }
    xg_llvm_begin(l, op);
    xg_puts(&l->body, op->flags & KM_VOLATILE ? "load volatile " : "load ");
    xg_llvm_put_type(&l->body, t);
    xg_puts(&l->body, ", ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_printf(&l->body, ", align %lld", (long long)xg_llvm_align(op, t));
    if (op->flags & KM_INVARIANT) xg_printf(&l->body, ", !invariant.load !%d", (int)XG_LLVM_INVARIANT);
    xg_llvm_scope(l, XG_KOPERAND(op, 0));
    xg_putc(&l->body, '\n');
}
XG_FN void xg_llvm_store(xg_llvm *l, const xg_kop *op) {
    if (XG_KOPERAND(op, 1)->type->space == XG_SPACE_CLUSTER) {
        xg_llvm_cluster_store(l, op);
        return;
    }
    xg_puts(&l->body, op->flags & KM_VOLATILE ? "  store volatile " : "  store ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ", ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 1));
    xg_printf(&l->body, ", align %lld", (long long)xg_llvm_align(op, XG_KOPERAND(op, 0)->type));
    xg_llvm_scope(l, XG_KOPERAND(op, 1));
    xg_putc(&l->body, '\n');
}
/* A shared array: a variable, or a slice of the kernel's dynamic one. */
XG_FN void xg_llvm_shared(xg_llvm *l, const xg_kop *op) {
    xg_str name = op->p ? *(const xg_str *)op->p : XG_STR("shared");
    int64_t align = op->b > 0 ? op->b : 16, at;
    xg_str f = l->f->name;
    uintptr_t known = (uintptr_t)xg_dict_get(&l->arrays, name);
    at = known ? (int64_t)known - 1 : (l->dynamic_at + align - 1) / align * align;
    if (!known) {
        xg_dict_put(&l->arrays, name, (void *)(uintptr_t)(at + 1));
        l->dynamic_at = at + op->a;
        if (!l->m->shared_bytes)
            xg_printf(&l->globals, "@%.*s_%.*s = internal addrspace(3) global [%lld x i8] undef, align %lld\n",
                (int)f.n, f.p, (int)name.n, name.p, (long long)op->a, (long long)align);
    }
    xg_llvm_begin(l, op);
    if (l->m->shared_bytes)
        xg_printf(
            &l->body, "getelementptr i8, ptr addrspace(3) @%.*s_dynamic, i64 %lld\n", (int)f.n, f.p, (long long)at);
    else
        xg_printf(
            &l->body, "getelementptr i8, ptr addrspace(3) @%.*s_%.*s, i64 0\n", (int)f.n, f.p, (int)name.n, name.p);
}
/* The upper half of a product of twice the width. */
XG_FN void xg_llvm_mul_high(xg_llvm *l, const xg_kop *op) {
    int bits = xg_kelem_bits(op->results[0].type->elem);
    const char *extend = op->op == XG_K_OP_MULHSI ? "sext" : "zext";
    uint32_t in[2], k, product;
    for (k = 0; k < 2; k++) {
        in[k] = l->temps++;
        xg_printf(&l->body, "  %%t%u = %s ", in[k], extend);
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, k));
        xg_printf(&l->body, " to i%d\n", 2 * bits);
    }
    product = xg_llvm_temp(l, "mul i%d %%t%u, %%t%u", 2 * bits, in[0], in[1]);
    product = xg_llvm_temp(l, "lshr i%d %%t%u, %d", 2 * bits, product, bits);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "trunc i%d %%t%u to i%d\n", 2 * bits, product, bits);
}
XG_FN void xg_llvm_mul_wide(xg_llvm *l, const xg_kop *op) {
    const char *extend = op->op == XG_K_OP_MULWIDES ? "sext" : "zext";
    uint32_t in[2], k;
    for (k = 0; k < 2; k++) {
        in[k] = l->temps++;
        xg_printf(&l->body, "  %%t%u = %s ", in[k], extend);
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, k));
        xg_puts(&l->body, " to i64\n");
    }
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "mul i64 %%t%u, %%t%u\n", in[0], in[1]);
}
XG_FN const char *xg_llvm_division(const xg_kop *op) {
    int64_t by;
    if (!xg_kval_is_const(XG_KOPERAND(op, 1), &by) || by == 0 || by == -1) return NULL;
    switch (op->op) {
    case XG_K_OP_DIVSI: return "sdiv";
    case XG_K_OP_DIVUI: return "udiv";
    case XG_K_OP_REMSI: return "srem";
    case XG_K_OP_REMUI: return "urem";
    default: return NULL;
    }
}
XG_FN void xg_llvm_divide(xg_llvm *l, const xg_kop *op) {
    const char *word = xg_llvm_division(op);
    if (word)
        xg_llvm_binary(l, op, word);
    else
        xg_llvm_row(l, op, xg_llvm_row_of(l, op));
}
XG_FN void xg_llvm_leading_zeros(xg_llvm *l, const xg_kop *op) {
    const char *elem = xg_llvm_elem(op->results[0].type->elem);
    char name[32], operands[32];
    size_t n = xg_format(name, sizeof name, "llvm.ctlz.%s", elem);
    xg_format(operands, sizeof operands, "%s, i1", elem);
    xg_llvm_declare(l, xg_str_of(name, (uint32_t)n), elem, operands);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "call %s @%s(", elem, name);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ", i1 false)\n");
}
XG_FN void xg_llvm_index_cast(xg_llvm *l, const xg_kop *op) {
    const xg_ktype *from = XG_KOPERAND(op, 0)->type, *to = op->results[0].type;
    bool wide = to->elem == XG_E_I64, same = strcmp(xg_llvm_elem(from->elem), xg_llvm_elem(to->elem)) == 0;
    xg_llvm_begin(l, op);
    xg_puts(&l->body, same ? "add " : wide ? "zext " : "trunc ");
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    if (same)
        xg_puts(&l->body, ", 0\n");
    else
        xg_printf(&l->body, " to %s\n", xg_llvm_elem(to->elem));
}

/* A bf16 is the upper half of a float. */
XG_FN bool xg_llvm_is_widening(const xg_kop *op) {
    return op->op == XG_K_OP_EXTF && XG_KOPERAND(op, 0)->type->elem == XG_E_BF16 &&
           op->results[0].type->elem == XG_E_F32 && op->results[0].type->kind == XG_TK_SCALAR;
}
XG_FN void xg_llvm_widen(xg_llvm *l, const xg_kop *op) {
    uint32_t bits = l->temps++;
    xg_printf(&l->body, "  %%t%u = zext ", bits);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, " to i32\n");
    bits = xg_llvm_temp(l, "shl i32 %%t%u, 16", bits);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "bitcast i32 %%t%u to float\n", bits);
}

/* ---- one operation ---- */

/* X(OP, function): operations that neither a word nor a row says. */
#define XG_LLVM_SPECIAL(X) \
    X(THREAD_ID, xg_llvm_id) \
    X(BLOCK_ID, xg_llvm_id) \
    X(CMPI, xg_llvm_compare) \
    X(VEXTRACT, xg_llvm_lane) \
    X(VINSERT, xg_llvm_lane) \
    X(PTR_ADD, xg_llvm_ptr_add) \
    X(LOAD, xg_llvm_load) \
    X(STORE, xg_llvm_store) \
    X(SHARED_PTR, xg_llvm_shared) \
    X(MULHSI, xg_llvm_mul_high) \
    X(MULHUI, xg_llvm_mul_high) \
    X(MULWIDES, xg_llvm_mul_wide) \
    X(MULWIDEU, xg_llvm_mul_wide) \
    X(DIVSI, xg_llvm_divide) \
    X(DIVUI, xg_llvm_divide) \
    X(REMSI, xg_llvm_divide) \
    X(REMUI, xg_llvm_divide) \
    X(CTLZ, xg_llvm_leading_zeros) \
    X(INDEX_CAST, xg_llvm_index_cast) \
    X(ASYNC_COPY, xg_llvm_async_copy) \
    X(LDMATRIX, xg_llvm_ldmatrix) \
    X(MMA, xg_llvm_matrix_product) \
    X(MAPA, xg_llvm_mapa) \
    X(BARRIER, xg_llvm_barrier)

typedef void (*xg_llvm_fn)(xg_llvm *l, const xg_kop *op);
XG_FN xg_llvm_fn xg_llvm_special(xg_kopcode op) {
    switch (op) {
#define X(name, function) \
    case XG_K_OP_##name: return function;
        XG_LLVM_SPECIAL(X)
#undef X
    default: return NULL;
    }
}
/* Words for the operation exist, be they of LLVM or of PTX. */
/* A function of libdevice, which legalisation has left as it is where there is that library. */
XG_FN bool xg_llvm_is_libdevice(const xg_llvm *l, const xg_kop *op) {
    return l->m->libdevice.p && xg_libdevice_name(op->op) && op->results[0].type->kind != XG_TK_VECTOR &&
           (op->results[0].type->elem == XG_E_F32 || op->results[0].type->elem == XG_E_F64);
}
XG_FN void xg_llvm_libdevice(xg_llvm *l, const xg_kop *op) {
    const char *word = xg_llvm_elem(op->results[0].type->elem);
    char name[32], operands[32];
    uint32_t k;
    size_t n = xg_format(
        name, sizeof name, "__nv_%s%s", xg_libdevice_name(op->op), op->results[0].type->elem == XG_E_F32 ? "f" : "");
    xg_format(operands, sizeof operands, op->n_operands > 1 ? "%s, %s" : "%s", word, word);
    xg_llvm_declare(l, xg_str_copy(l->arena, xg_str_of(name, (uint32_t)n)), word, operands);
    l->calls_libdevice = true;
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "call %s @%s(", word, name);
    for (k = 0; k < op->n_operands; k++) {
        if (k) xg_puts(&l->body, ", ");
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, k));
    }
    xg_puts(&l->body, ")\n");
}
XG_FN bool xg_llvm_has(const xg_llvm *l, const xg_kop *op) {
    const xg_ptx_row *row;
    if (xg_llvm_is_libdevice(l, op)) return true;
    if (op->op == XG_K_OP_CONST || op->op == XG_K_OP_SELECT || op->n_regions || (xg_kop_flags(op->op) & KF_TERM))
        return true;
    if (op->op == XG_K_OP_CMPF && xg_llvm_knows(XG_KOPERAND(op, 0)->type)) return true;
    if (xg_llvm_special(op->op)) return true;
    row = xg_llvm_row_of(l, op);
    return xg_llvm_is_native(op) || (row && !(row->flags & XG_PI_LETTER)); /* LLVM's part is for the base target */
}
XG_FN void xg_llvm_common(xg_llvm *l, const xg_kop *op) {
    xg_llvm_fn special = xg_llvm_special(op->op);
    if (op->op == XG_K_OP_CONST) return;
    if (special)
        special(l, op);
    else if (xg_llvm_is_libdevice(l, op))
        xg_llvm_libdevice(l, op);
    else if (xg_llvm_is_widening(op))
        xg_llvm_widen(l, op);
    else if (op->op == XG_K_OP_SELECT)
        xg_llvm_list(l, op, "select");
    else if (op->op == XG_K_OP_CMPF && xg_llvm_knows(XG_KOPERAND(op, 0)->type))
        xg_llvm_compare(l, op);
    else if (xg_llvm_is_native(op))
        xg_llvm_native(l, op);
    else
        xg_llvm_row(l, op, xg_llvm_row_of(l, op));
}

#endif /* XG_LLVM_OPS_C */
