/* llvm/cpu_ops.c -- operations of kernel IR as LLVM IR for the host's own processor: what ops.c leaves to inline PTX.
 *
 * - Division answers for any divisor, since a processor traps where PTX gives some number.
 * - Approximations of the GPU (ex2, lg2, rcp ...) are polynomials of at least its exactness, as functions that LLVM
 *   takes in: so loops over threads of a block stay loops over lanes of a vector.
 * - Arithmetic of indices that cannot wrap says so: then LLVM sees that neighbouring threads read neighbours. */
#ifndef XG_LLVM_CPU_OPS_C
#define XG_LLVM_CPU_OPS_C
#include "ops.c"

/* 2^x: e = x rounded, a polynomial of the rest, then two scalings, so that neither leaves the range too early. log2(x):
 * of m in [sqrt(1/2), sqrt(2)) by the series of its arc tangent in s = (m - 1) / (m + 1). */
XG_TABLE const char xg_cpu_helpers[] =
    "define internal float @xg.ex2(float %x) alwaysinline nounwind {\n"
    "  %low = fcmp ogt float %x, -1.600000e+02\n"
    "  %a = select i1 %low, float %x, float -1.600000e+02\n"
    "  %high = fcmp olt float %a, 1.300000e+02\n"
    "  %b = select i1 %high, float %a, float 1.300000e+02\n"
    "  %e = call float @llvm.roundeven.f32(float %b)\n"
    "  %f = fsub float %b, %e\n"
    "  %p0 = call float @llvm.fma.f32(float 0x3F2448FBE0000000, float %f, float 0x3F55F47B00000000)\n"
    "  %p1 = call float @llvm.fma.f32(float %p0, float %f, float 0x3F83B29AA0000000)\n"
    "  %p2 = call float @llvm.fma.f32(float %p1, float %f, float 0x3FAC6AED00000000)\n"
    "  %p3 = call float @llvm.fma.f32(float %p2, float %f, float 0x3FCEBFBE00000000)\n"
    "  %p4 = call float @llvm.fma.f32(float %p3, float %f, float 0x3FE62E4300000000)\n"
    "  %p5 = call float @llvm.fma.f32(float %p4, float %f, float 1.0)\n"
    "  %n = fptosi float %e to i32\n"
    "  %half = ashr i32 %n, 1\n"
    "  %rest = sub i32 %n, %half\n"
    "  %h1 = add i32 %half, 127\n"
    "  %h2 = shl i32 %h1, 23\n"
    "  %h = bitcast i32 %h2 to float\n"
    "  %r1 = add i32 %rest, 127\n"
    "  %r2 = shl i32 %r1, 23\n"
    "  %r = bitcast i32 %r2 to float\n"
    "  %s1 = fmul float %p5, %h\n"
    "  %s2 = fmul float %s1, %r\n"
    "  %nan = fcmp uno float %x, 0.0\n"
    "  %y = select i1 %nan, float %x, float %s2\n"
    "  ret float %y\n}\n"
    "define internal float @xg.lg2(float %x) alwaysinline nounwind {\n"
    "  %sub = fcmp olt float %x, 0x3810000000000000\n"
    "  %up = fmul float %x, 0x4170000000000000\n"
    "  %a = select i1 %sub, float %up, float %x\n"
    "  %bits = bitcast float %a to i32\n"
    "  %o1 = sub i32 %bits, 1060439283\n"
    "  %o2 = ashr i32 %o1, 23\n"
    "  %o3 = shl i32 %o2, 23\n"
    "  %mb = sub i32 %bits, %o3\n"
    "  %m = bitcast i32 %mb to float\n"
    "  %ei = sitofp i32 %o2 to float\n"
    "  %el = fsub float %ei, 2.400000e+01\n"
    "  %e = select i1 %sub, float %el, float %ei\n"
    "  %num = fsub float %m, 1.0\n"
    "  %den = fadd float %m, 1.0\n"
    "  %s = fdiv float %num, %den\n"
    "  %z = fmul float %s, %s\n"
    "  %q0 = call float @llvm.fma.f32(float 0x3FD5CEAD80000000, float %z, float 0x3FDA58D620000000)\n"
    "  %q1 = call float @llvm.fma.f32(float %q0, float %z, float 0x3FE2777800000000)\n"
    "  %q2 = call float @llvm.fma.f32(float %q1, float %z, float 0x3FEEC709E0000000)\n"
    "  %q3 = call float @llvm.fma.f32(float %q2, float %z, float 0x4007154760000000)\n"
    "  %l = call float @llvm.fma.f32(float %q3, float %s, float %e)\n"
    "  %inf = fcmp oeq float %x, 0x7FF0000000000000\n"
    "  %l1 = select i1 %inf, float %x, float %l\n"
    "  %zero = fcmp oeq float %x, 0.0\n"
    "  %l2 = select i1 %zero, float 0xFFF0000000000000, float %l1\n"
    "  %bad = fcmp ult float %x, 0.0\n"
    "  %l3 = select i1 %bad, float 0x7FF8000000000000, float %l2\n"
    "  ret float %l3\n}\n"
    "define internal float @xg.rcp(float %x) alwaysinline nounwind {\n"
    "  %y = fdiv float 1.0, %x\n  ret float %y\n}\n"
    "define internal double @xg.rcp64(double %x) alwaysinline nounwind {\n"
    "  %y = fdiv double 1.0, %x\n  ret double %y\n}\n"
    "define internal float @xg.rsqrt(float %x) alwaysinline nounwind {\n"
    "  %r = call float @llvm.sqrt.f32(float %x)\n  %y = fdiv float 1.0, %r\n  ret float %y\n}\n"
    "define internal double @xg.rsqrt64(double %x) alwaysinline nounwind {\n"
    "  %r = call double @llvm.sqrt.f64(double %x)\n  %y = fdiv double 1.0, %r\n  ret double %y\n}\n"
    "declare float @llvm.roundeven.f32(float)\ndeclare float @llvm.fma.f32(float, float, float)\n"
    "declare float @llvm.sqrt.f32(float)\ndeclare double @llvm.sqrt.f64(double)\n\n";
XG_TABLE const char *const xg_cpu_helpers_declare[] = {
    "llvm.roundeven.f32", "llvm.fma.f32", "llvm.sqrt.f32", "llvm.sqrt.f64"};

/* ---- one operation ---- */

XG_FN void xg_cpu_id(xg_llvm *l, const xg_kop *op) {
    const xg_kval *v = &op->results[0];
    bool thread = op->op == XG_K_OP_THREAD_ID, wide = v->type->elem == XG_E_I64;
    uint32_t axis = op->flags % 3, k, below = 1, n = XG_MAX(l->f->threads[axis], 1u), at;
    xg_buf *b = &l->body;
    if (!thread) {
        xg_llvm_begin(l, op);
        xg_printf(b, wide ? "zext i32 %%block%c to i64\n" : "add i32 %%block%c, 0\n", "xyz"[axis]);
        return;
    }
    for (k = 0; k < axis; k++) below *= XG_MAX(l->f->threads[k], 1u);
    at = l->temps++;
    xg_printf(b, "  %%t%u = udiv i32 %%thread%u, %u\n", at, l->loop, below);
    if (below * n < l->threads) at = xg_llvm_temp(l, "urem i32 %%t%u, %u", at, n);
    xg_llvm_begin(l, op);
    xg_printf(b, wide ? "zext i32 %%t%u to i64\n" : "add i32 %%t%u, 0\n", at);
}
/* " nuw nsw" where operands and the exact result are in 0 .. 2^31 - 1. */
XG_FN const char *xg_cpu_no_wrap(const xg_kop *op) {
    xg_range a, b;
    const xg_kval *x = XG_KOPERAND(op, 0), *y = XG_KOPERAND(op, 1);
    int64_t shift;
    if (x->type->kind != XG_TK_SCALAR || (x->type->elem != XG_E_I32 && x->type->elem != XG_E_I64)) return "";
    a = xg_kval_range(x);
    b = xg_kval_range(y);
    if (a.lo < 0 || b.lo < 0 || a.hi > INT32_MAX || b.hi > INT32_MAX) return "";
    switch (op->op) {
    case XG_K_OP_SUBI: return a.lo >= b.hi ? " nuw nsw" : "";
    case XG_K_OP_ADDI: return a.hi + b.hi <= INT32_MAX ? " nuw nsw" : "";
    case XG_K_OP_MULI: return !b.hi || a.hi <= INT32_MAX / b.hi ? " nuw nsw" : "";
    case XG_K_OP_SHLI: return xg_kval_is_const(y, &shift) && shift < 31 && a.hi <= INT32_MAX >> shift ? " nuw nsw" : "";
    default: return "";
    }
}
XG_FN void xg_cpu_arithmetic(xg_llvm *l, const xg_kop *op) {
    char word[32];
    xg_format(word, sizeof word, "%s%s", xg_llvm_word_of(op->op).word, xg_cpu_no_wrap(op));
    xg_llvm_binary(l, op, word);
}
/* The value as text, for lines that use it more than once. */
XG_FN const char *xg_cpu_text(xg_llvm *l, const xg_kval *v) {
    xg_buf b;
    xg_buf_init(&b, l->arena);
    xg_llvm_put_value(&b, v);
    xg_putc(&b, 0);
    return b.p;
}
/* By 1 instead of 0; by -1, whose quotient may not be there either, as a change of the sign. */
XG_FN void xg_cpu_divide(xg_llvm *l, const xg_kop *op) {
    const char *word = xg_llvm_division(op), *type = xg_llvm_elem(op->results[0].type->elem);
    const char *x = xg_cpu_text(l, XG_KOPERAND(op, 0)), *y = xg_cpu_text(l, XG_KOPERAND(op, 1));
    bool is_signed = op->op == XG_K_OP_DIVSI || op->op == XG_K_OP_REMSI;
    bool rest = op->op == XG_K_OP_REMSI || op->op == XG_K_OP_REMUI;
    uint32_t zero, by, minus = 0, q;
    if (word) {
        xg_llvm_divide(l, op);
        return;
    }
    zero = xg_llvm_temp(l, "icmp eq %s %s, 0", type, y);
    by = xg_llvm_temp(l, "select i1 %%t%u, %s 1, %s %s", zero, type, type, y);
    if (is_signed) {
        minus = xg_llvm_temp(l, "icmp eq %s %s, -1", type, y);
        by = xg_llvm_temp(l, "select i1 %%t%u, %s 1, %s %%t%u", minus, type, type, by);
    }
    q = xg_llvm_temp(l, "%c%s %s %s, %%t%u", is_signed ? 's' : 'u', rest ? "rem" : "div", type, x, by);
    if (is_signed && !rest) {
        uint32_t negated = xg_llvm_temp(l, "sub %s 0, %s", type, x);
        q = xg_llvm_temp(l, "select i1 %%t%u, %s %%t%u, %s %%t%u", minus, type, negated, type, q);
    }
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "add %s %%t%u, 0\n", type, q);
}
/* By its name above; a funnel of the two operands' bytes for PRMT. */
XG_FN void xg_cpu_approximate(xg_llvm *l, const xg_kop *op) {
    const char *type = xg_llvm_elem(op->results[0].type->elem), *name;
    bool wide = op->results[0].type->elem == XG_E_F64;
    switch (op->op) {
    case XG_K_OP_EX2A: name = "ex2"; break;
    case XG_K_OP_LG2A: name = "lg2"; break;
    case XG_K_OP_RCPA: name = wide ? "rcp64" : "rcp"; break;
    default: name = wide ? "rsqrt64" : "rsqrt"; break;
    }
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "call %s @xg.%s(", type, name);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ")\n");
}
XG_FN void xg_cpu_div_full(xg_llvm *l, const xg_kop *op) { xg_llvm_binary(l, op, "fdiv"); }
/* Byte k of the result is the one of eight that digit k of operand 2 numbers; with its highest bit, that byte's
 * sign. */
XG_FN void xg_cpu_permute(xg_llvm *l, const xg_kop *op) {
    const char *x = xg_cpu_text(l, XG_KOPERAND(op, 0)), *y = xg_cpu_text(l, XG_KOPERAND(op, 1));
    const char *digits = xg_cpu_text(l, XG_KOPERAND(op, 2));
    uint32_t low = xg_llvm_temp(l, "zext i32 %s to i64", x), high = xg_llvm_temp(l, "zext i32 %s to i64", y), all;
    uint32_t k, sum = 0;
    high = xg_llvm_temp(l, "shl i64 %%t%u, 32", high);
    all = xg_llvm_temp(l, "or i64 %%t%u, %%t%u", low, high);
    for (k = 0; k < 4; k++) {
        uint32_t digit = xg_llvm_temp(l, "lshr i32 %s, %u", digits, 4 * k), at, byte, sign, all_sign;
        at = xg_llvm_temp(l, "and i32 %%t%u, 7", digit);
        at = xg_llvm_temp(l, "shl i32 %%t%u, 3", at);
        at = xg_llvm_temp(l, "zext i32 %%t%u to i64", at);
        byte = xg_llvm_temp(l, "lshr i64 %%t%u, %%t%u", all, at);
        byte = xg_llvm_temp(l, "trunc i64 %%t%u to i8", byte);
        sign = xg_llvm_temp(l, "ashr i8 %%t%u, 7", byte);
        all_sign = xg_llvm_temp(l, "and i32 %%t%u, 8", digit);
        all_sign = xg_llvm_temp(l, "icmp ne i32 %%t%u, 0", all_sign);
        byte = xg_llvm_temp(l, "select i1 %%t%u, i8 %%t%u, i8 %%t%u", all_sign, sign, byte);
        byte = xg_llvm_temp(l, "zext i8 %%t%u to i32", byte);
        byte = xg_llvm_temp(l, "shl i32 %%t%u, %u", byte, 8 * k);
        sum = k ? xg_llvm_temp(l, "or i32 %%t%u, %%t%u", sum, byte) : byte;
    }
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "add i32 %%t%u, 0\n", sum);
}
/* Toward zero, saturating, of a NaN 0. */
XG_FN void xg_cpu_to_integer(xg_llvm *l, const xg_kop *op) {
    const char *from = xg_llvm_elem(XG_KOPERAND(op, 0)->type->elem), *to = xg_llvm_elem(op->results[0].type->elem);
    const char *suffix = *from == 'd' ? "f64" : *from == 'h' ? "f16" : "f32";
    char name[64];
    size_t n = xg_format(name, sizeof name, "llvm.fpto%ci.sat.%s.%s", op->op == XG_K_OP_FPTOSI ? 's' : 'u', to, suffix);
    xg_llvm_declare(l, xg_str_of(name, (uint32_t)n), to, from);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "call %s @%s(", to, name);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, ")\n");
}
/* Threads of a block touch different memory between two barriers: LLVM may take them in any order. */
XG_FN void xg_cpu_alone(xg_llvm *l) {
    if (l->body.n && l->body.p[l->body.n - 1] == '\n') l->body.n--;
    xg_printf(&l->body, ", !llvm.access.group !%u\n", l->group);
}
XG_FN void xg_cpu_load(xg_llvm *l, const xg_kop *op) {
    xg_llvm_load(l, op);
    if (!(op->flags & KM_VOLATILE)) xg_cpu_alone(l);
}
/* What the table says of the number that is loaded (xg_cpu_put_look_up), in place of what computes it: LLVM then drops
 * that. */
XG_FN void xg_cpu_store_looked_up(xg_llvm *l, const xg_kop *op) {
    const xg_kval *v = &l->looked_up->results[0], *to = XG_KOPERAND(op, 0);
    const char *type = xg_llvm_elem(to->type->elem), *from = xg_llvm_elem(v->type->elem);
    int bits = xg_kelem_bits(v->type->elem), entry = xg_kelem_bits(to->type->elem);
    uint32_t t = xg_llvm_temp(l, "bitcast %s %s to i%d", from, xg_cpu_text(l, v), bits);
    t = xg_llvm_temp(l, "call i%d @xg.look(i%d %%t%u, ptr %%table) #%d, !llvm.access.group !%u", entry, bits, t,
        (int)XG_LLVM_ALONE, l->group);
    t = xg_llvm_temp(l, "bitcast i%d %%t%u to %s", entry, t, type);
    xg_printf(&l->body, "  store %s %%t%u, ", type, t);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 1));
    xg_printf(&l->body, ", align %lld\n", (long long)xg_llvm_align(op, to->type));
}
XG_FN void xg_cpu_store(xg_llvm *l, const xg_kop *op) {
    if (op == l->tabled)
        xg_cpu_store_looked_up(l, op);
    else
        xg_llvm_store(l, op);
    if (!(op->flags & KM_VOLATILE)) xg_cpu_alone(l);
}
/* LLVM 19 for x86 takes the lower half of a minimum of 64 bits for a number whose upper half is zero, once it is
 * widened again: it must not see where the half comes from. */
XG_FN void xg_cpu_truncate(xg_llvm *l, const xg_kop *op) {
    const xg_kop *from = XG_KOPERAND(op, 0)->def;
    uint32_t half;
    if (!from || op->results[0].type->elem != XG_E_I32 || (from->op != XG_K_OP_MINSI && from->op != XG_K_OP_MAXSI)) {
        xg_llvm_native(l, op);
        return;
    }
    half = xg_llvm_temp(l, "trunc i64 %s to i32", xg_cpu_text(l, XG_KOPERAND(op, 0)));
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "call i32 asm \"\", \"=r,0\"(i32 %%t%u)\n", half);
}
/* A shared array is a part of the block's scratch. */
XG_FN void xg_cpu_shared(xg_llvm *l, const xg_kop *op) {
    xg_str name = op->p ? *(const xg_str *)op->p : XG_STR("shared");
    int64_t align = XG_MAX(op->b, (int64_t)64), at;
    uintptr_t known = (uintptr_t)xg_dict_get(&l->arrays, name);
    at = known ? (int64_t)known - 1 : (l->scratch + align - 1) / align * align;
    if (!known) {
        xg_dict_put(&l->arrays, name, (void *)(uintptr_t)(at + 1));
        l->scratch = at + op->a;
    }
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "getelementptr i8, ptr addrspace(3) %%shared, i64 %lld\n", (long long)at);
}
XG_FN void xg_cpu_atomic(xg_llvm *l, const xg_kop *op) {
    const xg_kval *v = XG_KOPERAND(op, 0);
    const char *word;
    switch (op->op) {
    case XG_K_OP_ATOM_ADD:
    case XG_K_OP_RED_ADDI: word = "add"; break;
    case XG_K_OP_RED_ADDF: word = "fadd"; break;
    case XG_K_OP_RED_AND: word = "and"; break;
    case XG_K_OP_RED_OR: word = "or"; break;
    case XG_K_OP_RED_XOR: word = "xor"; break;
    case XG_K_OP_RED_MAXS: word = "max"; break;
    case XG_K_OP_RED_MINS: word = "min"; break;
    case XG_K_OP_RED_MAXU: word = "umax"; break;
    default: word = "umin"; break;
    }
    if (op->n_results)
        xg_llvm_begin(l, op);
    else
        xg_printf(&l->body, "  %%t%u = ", l->temps++);
    xg_printf(&l->body, "atomicrmw %s ", word);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 1));
    xg_puts(&l->body, ", ");
    xg_llvm_put_typed(&l->body, v);
    xg_puts(&l->body, " monotonic\n");
}
/* Of an integer; a half passes as its bits. */
XG_FN void xg_cpu_compare_and_swap(xg_llvm *l, const xg_kop *op) {
    const xg_ktype *t = op->results[0].type;
    bool half = t->elem == XG_E_F16;
    const char *expected = xg_cpu_text(l, XG_KOPERAND(op, 0)), *next = xg_cpu_text(l, XG_KOPERAND(op, 2));
    uint32_t both, a, b;
    if (half) {
        a = xg_llvm_temp(l, "bitcast half %s to i16", expected);
        b = xg_llvm_temp(l, "bitcast half %s to i16", next);
        both = l->temps++;
        xg_printf(&l->body, "  %%t%u = cmpxchg ", both);
        xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 1));
        xg_printf(&l->body, ", i16 %%t%u, i16 %%t%u monotonic monotonic\n", a, b);
        a = xg_llvm_temp(l, "extractvalue { i16, i1 } %%t%u, 0", both);
        xg_llvm_begin(l, op);
        xg_printf(&l->body, "bitcast i16 %%t%u to half\n", a);
        return;
    }
    both = l->temps++;
    xg_printf(&l->body, "  %%t%u = cmpxchg ", both);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 1));
    xg_printf(
        &l->body, ", %s %s, %s %s monotonic monotonic\n", xg_llvm_elem(t->elem), expected, xg_llvm_elem(t->elem), next);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "extractvalue { %s, i1 } %%t%u, 0\n", xg_llvm_elem(t->elem), both);
}

XG_FN void xg_cpu_broadcast(xg_llvm *l, const xg_kop *op) {
    const char *type = xg_llvm_type(l, op->results[0].type);
    const xg_kval *x = XG_KOPERAND(op, 0);
    uint32_t t =
        xg_llvm_temp(l, "insertelement %s undef, %s %s, i32 0", type, xg_llvm_elem(x->type->elem), xg_cpu_text(l, x));
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "shufflevector %s %%t%u, %s undef, <%lld x i32> zeroinitializer\n", type, t, type,
        (long long)op->results[0].type->elements);
}

/* X(OP, function): what a processor is told in other words than LLVM's NVPTX. */
#define XG_CPU_SPECIAL(X) \
    X(THREAD_ID, xg_cpu_id) \
    X(BLOCK_ID, xg_cpu_id) \
    X(ADDI, xg_cpu_arithmetic) \
    X(SUBI, xg_cpu_arithmetic) \
    X(MULI, xg_cpu_arithmetic) \
    X(SHLI, xg_cpu_arithmetic) \
    X(TRUNCI, xg_cpu_truncate) \
    X(BROADCAST, xg_cpu_broadcast) \
    X(DIVSI, xg_cpu_divide) \
    X(DIVUI, xg_cpu_divide) \
    X(REMSI, xg_cpu_divide) \
    X(REMUI, xg_cpu_divide) \
    X(EX2A, xg_cpu_approximate) \
    X(LG2A, xg_cpu_approximate) \
    X(RCPA, xg_cpu_approximate) \
    X(RSQRTA, xg_cpu_approximate) \
    X(DIVFULL, xg_cpu_div_full) \
    X(PRMT, xg_cpu_permute) \
    X(FPTOSI, xg_cpu_to_integer) \
    X(FPTOUI, xg_cpu_to_integer) \
    X(LOAD, xg_cpu_load) \
    X(STORE, xg_cpu_store) \
    X(SHARED_PTR, xg_cpu_shared) \
    X(RED_ADDI, xg_cpu_atomic) \
    X(RED_ADDF, xg_cpu_atomic) \
    X(RED_AND, xg_cpu_atomic) \
    X(RED_OR, xg_cpu_atomic) \
    X(RED_XOR, xg_cpu_atomic) \
    X(RED_MAXS, xg_cpu_atomic) \
    X(RED_MINS, xg_cpu_atomic) \
    X(RED_MAXU, xg_cpu_atomic) \
    X(RED_MINU, xg_cpu_atomic) \
    X(ATOM_ADD, xg_cpu_atomic) \
    X(ATOM_CAS, xg_cpu_compare_and_swap)
XG_FN xg_llvm_fn xg_cpu_special(xg_kopcode op) {
    switch (op) {
#define X(name, function) \
    case XG_K_OP_##name: return function;
        XG_CPU_SPECIAL(X)
#undef X
    default: return NULL;
    }
}
/* The common table says the rest, but for what only a GPU has. */
XG_FN bool xg_cpu_has(const xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_ASYNC_COPY:
    case XG_K_OP_LDMATRIX:
    case XG_K_OP_MMA:
    case XG_K_OP_MAPA: return false;
    case XG_K_OP_BARRIER: return op->a != XG_KTEAM_CLUSTER;
    case XG_K_OP_CONST:
    case XG_K_OP_SELECT:
    case XG_K_OP_SHFLDOWN:
    case XG_K_OP_SHFLUP:
    case XG_K_OP_SHFLBFLY:
    case XG_K_OP_SHFLIDX: return true;
    default: break;
    }
    if (op->n_regions || (xg_kop_flags(op->op) & KF_TERM) || xg_cpu_special(op->op)) return true;
    if (op->op == XG_K_OP_CMPF) return xg_llvm_knows(XG_KOPERAND(op, 0)->type);
    return xg_llvm_special(op->op) || xg_llvm_is_widening(op) || xg_llvm_is_native(op);
}
XG_FN void xg_cpu_op(xg_llvm *l, const xg_kop *op) {
    xg_llvm_fn special = xg_cpu_special(op->op);
    if (special)
        special(l, op);
    else
        xg_llvm_common(l, op);
}

#undef XG_CPU_SPECIAL
#endif /* XG_LLVM_CPU_OPS_C */
