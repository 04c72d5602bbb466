/* llvm/inline_ptx.c -- operations as inline PTX: rows of ptx/isel.c, and what has no row there.
 *
 *     %v7 = call float asm "ex2.approx.f32 $0, $1;", "=f,f"(float %v6) #2
 *
 * A result is operand 0 of the text, what is read follows. Small integers and f8 pass through 32 bits, as the ptx room
 * keeps them; half passes through i16. Temporaries of a row are registers of the text's own block. */
#ifndef XG_LLVM_INLINE_PTX_C
#define XG_LLVM_INLINE_PTX_C
#include "text.c"

enum {
    XG_LLVM_ASM_OPERANDS = 12
};

/* How a value passes into inline PTX, or out of it: type, constraint, and the cast on the way. */
typedef struct xg_llvm_pass {
    const char *type, *in, *out; /* casts: NULL: none */
    char constraint;
} xg_llvm_pass;
XG_FN xg_llvm_pass xg_llvm_pass_of(const xg_ktype *t) {
    xg_llvm_pass p = {"i32", NULL, NULL, 'r'};
    if (t->kind == XG_TK_POINTER) {
        p.type = t->space == XG_SPACE_CLUSTER  ? "i32"
                 : t->space == XG_SPACE_SHARED ? "ptr addrspace(3)"
                                               : "ptr addrspace(1)";
        if (t->space != XG_SPACE_CLUSTER) p.constraint = 'l';
        return p;
    }
    switch (t->elem) {
    case XG_E_I32:
    case XG_E_INDEX: return p;
    case XG_E_I64: p.constraint = 'l'; break;
    case XG_E_F32: p.constraint = 'f'; break;
    case XG_E_F64: p.constraint = 'd'; break;
    case XG_E_I1: p.constraint = 'b'; break;
    case XG_E_BF16:
    case XG_E_F16:
        p.type = "i16";
        p.constraint = 'h';
        if (t->elem == XG_E_F16) p.in = p.out = "bitcast";
        return p;
    default:
        p.in = "zext";
        p.out = "trunc";
        return p;
    }
    p.type = xg_llvm_elem(t->elem);
    return p;
}

typedef struct xg_llvm_asm {
    xg_llvm *l;
    xg_buf text, constraints, operands;
    uint32_t n_out, n; /* operands so far, results included */
} xg_llvm_asm;
XG_FN xg_llvm_asm xg_llvm_asm_begin(xg_llvm *l) {
    xg_llvm_asm a;
    memset(&a, 0, sizeof a);
    a.l = l;
    xg_buf_init(&a.text, l->arena);
    xg_buf_init(&a.constraints, l->arena);
    xg_buf_init(&a.operands, l->arena);
    return a;
}
XG_FN void xg_llvm_asm_out(xg_llvm_asm *a, char constraint) {
    xg_printf(&a->constraints, "%s=%c", a->n ? "," : "", constraint);
    a->n_out++;
    a->n++;
}
/* A lane of a value (-1: all of it) as the next operand; gives its number in the text. */
XG_FN uint32_t xg_llvm_asm_in(xg_llvm_asm *a, const xg_kval *v, int32_t lane) {
    xg_llvm_pass p = xg_llvm_pass_of(v->type);
    xg_buf *b = &a->l->body, name;
    xg_buf_init(&name, a->l->arena);
    xg_llvm_put_value(&name, v);
    if (lane >= 0 && v->type->kind == XG_TK_VECTOR) {
        xg_printf(b, "  %%t%u = extractelement ", a->l->temps);
        xg_llvm_put_typed(b, v);
        xg_printf(b, ", i32 %d\n", (int)lane);
        name.n = 0;
        xg_printf(&name, "%%t%u", a->l->temps++);
    }
    if (p.in) {
        xg_printf(b, "  %%t%u = %s %s %.*s to %s\n", a->l->temps, p.in, xg_llvm_elem(v->type->elem), (int)name.n,
            name.p, p.type);
        name.n = 0;
        xg_printf(&name, "%%t%u", a->l->temps++);
    }
    xg_printf(&a->operands, "%s%s %.*s", a->operands.n ? ", " : "", p.type, (int)name.n, name.p);
    xg_printf(&a->constraints, "%s%c", a->n ? "," : "", p.constraint);
    return a->n++;
}
/* The call. memory: it reads or changes memory; together: all threads of a warp or block do it. */
XG_FN void xg_llvm_asm_call(xg_llvm_asm *a, const char *result, bool memory, bool together) {
    xg_buf *b = &a->l->body;
    xg_printf(b, "call %s asm %s\"", result, memory || together ? "sideeffect " : "");
    xg_put_str(b, xg_str_of(a->text.p, a->text.n));
    xg_puts(b, "\", \"");
    xg_put_str(b, xg_str_of(a->constraints.p, a->constraints.n));
    if (memory) xg_puts(b, a->n ? ",~{memory}" : "~{memory}");
    xg_puts(b, "\"(");
    xg_put_str(b, xg_str_of(a->operands.p, a->operands.n));
    xg_printf(b, ") #%d\n", together ? (int)XG_LLVM_TOGETHER : (int)XG_LLVM_ALONE);
}
/* The call of a text with one result, which becomes the operation's. */
XG_FN void xg_llvm_asm_value(xg_llvm_asm *a, const xg_kop *op, bool memory, bool together) {
    xg_llvm_pass p = xg_llvm_pass_of(op->results[0].type);
    uint32_t t;
    if (!p.out) {
        xg_llvm_begin(a->l, op);
        xg_llvm_asm_call(a, p.type, memory, together);
        return;
    }
    t = a->l->temps++;
    xg_printf(&a->l->body, "  %%t%u = ", t);
    xg_llvm_asm_call(a, p.type, memory, together);
    xg_llvm_begin(a->l, op);
    xg_printf(&a->l->body, "%s %s %%t%u to ", p.out, p.type, t);
    xg_llvm_put_type(&a->l->body, op->results[0].type);
    xg_putc(&a->l->body, '\n');
}

/* ---- rows ---- */

XG_TABLE const char xg_llvm_vector_text[][4] = {"", "", ".v2", "", ".v4", "", "", "", ".v8"};

/* What a letter of a row's text stands for; lanes: numbers of operand 0's lanes, in: of all operands. */
XG_FN void xg_llvm_letter(xg_llvm_asm *a, const xg_kop *op, char c, const uint32_t *in, const uint32_t *lanes) {
    uint32_t n = op->n_operands ? (uint32_t)XG_MAX(XG_KOPERAND(op, 0)->type->elements, (int64_t)1) : 1, k;
    bool ftz = a->l->m->ftz;
    switch (c) {
    case 'd': xg_puts(&a->text, "$0"); break;
    case '0':
    case '1':
    case '2': xg_printf(&a->text, "$%u", in[c - '0']); break;
    case 'p': xg_printf(&a->text, "[$%u]", in[1]); break;
    case 'f': xg_puts(&a->text, ftz ? ".ftz" : ""); break;
    case 'a': xg_puts(&a->text, ftz || (op->flags & XG_KA_FTZ) ? ".ftz" : ""); break;
    case 'l': xg_puts(&a->text, xg_llvm_vector_text[n]); break;
    case 'v':
        for (k = 0; k < n; k++) xg_printf(&a->text, "%s$%u", k ? ", " : "{", lanes[k]);
        xg_putc(&a->text, '}');
        break;
    case 'b':
        xg_put_u64(&a->text, (uint64_t)op->b);
        if (op->a) xg_printf(&a->text, ", %lld", (long long)op->a);
        break;
    case 'c': xg_puts(&a->text, xg_ptx_condition(op)); break;
    default: xg_printf(&a->text, "%%xg%c", c); break; /* a temporary */
    }
}
/* Registers that the text has for itself. */
XG_FN bool xg_llvm_temporaries(xg_buf *b, const char *text) {
    XG_TABLE const char *const names[] = {
        "$t", ".reg .b32 %xgt; ", "$q", ".reg .b64 %xgq; ", "$h", ".reg .pred %xgh; ", "$s", ".reg .b16 %xgs; "};
    bool some = false;
    size_t k;
    for (k = 0; k < XG_COUNT(names); k += 2) {
        if (!strstr(text, names[k])) continue;
        if (!some) xg_puts(b, "{ ");
        xg_puts(b, names[k + 1]);
        some = true;
    }
    return some;
}
XG_FN void xg_llvm_row(xg_llvm *l, const xg_kop *op, const xg_ptx_row *row) {
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    uint32_t in[3] = {0, 0, 0}, lanes[8] = {0}, k, j;
    uint32_t flags = xg_kop_flags(op->op);
    bool vector = (row->flags & XG_PI_VECTOR) != 0, memory = (flags & (KF_READ | KF_WRITE)) != 0, block;
    const char *t;
    if (op->n_results) xg_llvm_asm_out(&a, xg_llvm_pass_of(op->results[0].type).constraint);
    for (k = 0; k < op->n_operands && k < XG_COUNT(in); k++) {
        const xg_kval *v = XG_KOPERAND(op, k);
        if (k == 0 && vector)
            for (j = 0; j < (uint32_t)v->type->elements; j++) lanes[j] = xg_llvm_asm_in(&a, v, (int32_t)j);
        else
            in[k] = xg_llvm_asm_in(&a, v, -1);
    }
    t = xg_ptx_row_text(&l->index, row);
    block = xg_llvm_temporaries(&a.text, t);
    for (; *t; t++) {
        if (*t == '$')
            xg_llvm_letter(&a, op, *++t, in, lanes);
        else if (*t == '|')
            xg_puts(&a.text, "; ");
        else
            xg_putc(&a.text, *t);
    }
    xg_puts(&a.text, block ? "; }" : ";");
    xg_llvm_need_isa(l, row->isa);
    if (op->n_results)
        xg_llvm_asm_value(&a, op, memory, (flags & KF_CONV) != 0);
    else {
        xg_puts(&l->body, "  ");
        xg_llvm_asm_call(&a, "void", memory, (flags & KF_CONV) != 0);
    }
}

/* ---- what has no row ---- */

XG_FN void xg_llvm_async_copy(xg_llvm *l, const xg_kop *op) {
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    xg_llvm_asm_in(&a, XG_KOPERAND(op, 0), -1);
    xg_llvm_asm_in(&a, XG_KOPERAND(op, 1), -1);
    if (op->n_operands > 2) xg_llvm_asm_in(&a, XG_KOPERAND(op, 2), -1); /* how many bytes are read; the rest is zero */
    xg_printf(&a.text, "cp.async.%s.shared.global [$0], [$1], %lld%s;", op->a == 16 ? "cg" : "ca", (long long)op->a,
        op->n_operands > 2 ? ", $2" : "");
    xg_llvm_need_isa(l, 70);
    xg_puts(&l->body, "  ");
    xg_llvm_asm_call(&a, "void", true, false);
}
/* A new temporary that is what `format` says of the last one. */
XG_FN uint32_t xg_llvm_temp(xg_llvm *l, const char *format, ...) XG_PRINTF(2, 3);
XG_FN uint32_t xg_llvm_temp(xg_llvm *l, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    (void)xg_vformat(text, sizeof text, format, args);
    va_end(args);
    xg_printf(&l->body, "  %%t%u = %s\n", l->temps, text);
    return l->temps++;
}
/* The call of a text with n results of one type: the lanes of the operation's result, a vector or (n = 1) a scalar. */
XG_FN void xg_llvm_asm_lanes(xg_llvm_asm *a, const xg_kop *op, uint32_t n, bool together) {
    const xg_ktype *t = op->results[0].type;
    xg_llvm_pass p = xg_llvm_pass_of(t);
    xg_llvm *l = a->l;
    uint32_t k, all, whole = 0, lanes = (uint32_t)t->elements;
    xg_buf type;
    if (n == 1 && t->kind != XG_TK_VECTOR) {
        xg_llvm_asm_value(a, op, true, together);
        return;
    }
    xg_buf_init(&type, l->arena);
    for (k = 0; k < n; k++) xg_printf(&type, "%s%s", k ? ", " : n > 1 ? "{ " : "", p.type);
    xg_puts(&type, n > 1 ? " }" : "");
    all = l->temps++;
    xg_printf(&l->body, "  %%t%u = ", all);
    xg_llvm_asm_call(a, type.p, true, together);
    for (k = 0; k < n; k++) {
        uint32_t lane = n > 1 ? xg_llvm_temp(l, "extractvalue %s %%t%u, %u", type.p, all, k) : all;
        if (p.out) lane = xg_llvm_temp(l, "%s %s %%t%u to %s", p.out, p.type, lane, xg_llvm_elem(t->elem));
        if (k + 1 == n)
            xg_llvm_begin(l, op);
        else
            xg_printf(&l->body, "  %%t%u = ", l->temps);
        xg_printf(&l->body, "insertelement <%u x %s> ", lanes, xg_llvm_elem(t->elem));
        if (k)
            xg_printf(&l->body, "%%t%u", whole);
        else
            xg_puts(&l->body, "poison");
        xg_printf(&l->body, ", %s %%t%u, i32 %u\n", xg_llvm_elem(t->elem), lane, k);
        if (k + 1 < n) whole = l->temps++;
    }
}
XG_FN void xg_llvm_ldmatrix(xg_llvm *l, const xg_kop *op) {
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    uint32_t k;
    for (k = 0; k < 4; k++) xg_llvm_asm_out(&a, 'r');
    xg_llvm_asm_in(&a, XG_KOPERAND(op, 0), -1);
    xg_printf(&a.text, "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {$0, $1, $2, $3}, [$4];",
        op->flags & XG_KMATRIX_TRANSPOSED ? ".trans" : "");
    xg_llvm_need_isa(l, 65);
    xg_llvm_asm_lanes(&a, op, 4, true);
}

/* ---- matrix units ---- */

/* {$first, ...}, in the text of an instruction. */
XG_FN void xg_llvm_braced(xg_buf *b, uint32_t first, uint32_t n, const char *behind) {
    uint32_t k;
    for (k = 0; k < n; k++) xg_printf(b, "%s$%u", k ? ", " : "{", first + k);
    xg_printf(b, "}%s", behind);
}
XG_FN void xg_llvm_take_lanes(xg_llvm *l, const xg_kval *v, uint32_t from, uint32_t n, uint32_t *lanes) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        lanes[k] = l->temps++;
        xg_printf(&l->body, "  %%t%u = extractelement ", lanes[k]);
        xg_llvm_put_typed(&l->body, v);
        xg_printf(&l->body, ", i32 %u\n", from + k);
    }
}
XG_FN void xg_llvm_asm_temps(xg_llvm_asm *a, const uint32_t *temps, uint32_t n, const char *type, char constraint) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        xg_printf(&a->operands, "%s%s %%t%u", a->operands.n ? ", " : "", type, temps[k]);
        xg_printf(&a->constraints, ",%c", constraint);
        a->n++;
    }
}
/* What MMA is made of: lanes of its operands, and what its result is so far. */
typedef struct xg_llvm_mma {
    const xg_ptx_mma_row *row;
    const xg_kmma_row *types;
    uint32_t a[4], b[2], sums[4];
} xg_llvm_mma;
/* Instruction k of the operation, as ptx/matrix.c counts them: late ones have the second half of k. */
XG_APART XG_FN void xg_llvm_one_mma(xg_llvm *l, xg_llvm_mma *m, uint32_t k) {
    bool quarters = m->row->way == XG_PTX_MMA_QUARTERS, whole = m->row->way == XG_PTX_MMA_WHOLE;
    bool f32 = m->types->sum == XG_E_F32;
    uint32_t late = k & 1, row = k >> 1, nc = quarters ? 2 : 4, na = whole ? 4 : quarters ? 1 : 2, nb = whole ? 2 : 1;
    uint32_t *sums = &m->sums[2 * row], all, j;
    const char *type = f32 ? "float" : "i32", *word = f32 ? "f32" : "s32";
    const char *made = nc == 4 ? f32 ? "{ float, float, float, float }" : "{ i32, i32, i32, i32 }" : "{ i32, i32 }";
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    for (j = 0; j < nc; j++) xg_llvm_asm_out(&a, f32 ? 'f' : 'r');
    xg_llvm_asm_temps(&a, &m->a[2 * late + row], na, "i32", 'r');
    xg_llvm_asm_temps(&a, &m->b[late], nb, "i32", 'r');
    xg_llvm_asm_temps(&a, sums, nc, type, f32 ? 'f' : 'r');
    xg_printf(&a.text, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s ", m->row->shape, word, m->types->a, m->types->b, word);
    xg_llvm_braced(&a.text, 0, nc, ", ");
    xg_llvm_braced(&a.text, nc, na, ", ");
    xg_llvm_braced(&a.text, nc + na, nb, ", ");
    xg_llvm_braced(&a.text, nc + na + nb, nc, ";");
    all = l->temps++;
    xg_printf(&l->body, "  %%t%u = ", all);
    xg_llvm_asm_call(&a, made, false, true);
    for (j = 0; j < nc; j++) sums[j] = xg_llvm_temp(l, "extractvalue %s %%t%u, %u", made, all, j);
}
XG_FN void xg_llvm_matrix_product(xg_llvm *l, const xg_kop *op) {
    const char *type = op->results[0].type->elem == XG_E_F32 ? "float" : "i32";
    xg_llvm_mma m;
    uint32_t k, n, whole = 0;
    m.row = xg_ptx_find_mma(l->target, op->flags);
    m.types = xg_kmma_row_of(op->flags);
    xg_llvm_need_isa(l, m.row->isa);
    xg_llvm_take_lanes(l, XG_KOPERAND(op, 0), 0, 4, m.a);
    xg_llvm_take_lanes(l, XG_KOPERAND(op, 1), 2 * (uint32_t)op->a, 2, m.b);
    xg_llvm_take_lanes(l, XG_KOPERAND(op, 2), 0, 4, m.sums);
    n = m.row->way == XG_PTX_MMA_WHOLE ? 1 : m.row->way == XG_PTX_MMA_HALVES ? 2 : 4;
    for (k = 0; k < n; k++) xg_llvm_one_mma(l, &m, k);
    for (k = 0; k < 3; k++)
        whole = k ? xg_llvm_temp(l, "insertelement <4 x %s> %%t%u, %s %%t%u, i32 %u", type, whole, type, m.sums[k], k)
                  : xg_llvm_temp(l, "insertelement <4 x %s> poison, %s %%t%u, i32 0", type, type, m.sums[0]);
    xg_llvm_begin(l, op);
    xg_printf(&l->body, "insertelement <4 x %s> %%t%u, %s %%t%u, i32 3\n", type, whole, type, m.sums[3]);
}

/* ---- clusters ---- */

XG_FN void xg_llvm_mapa(xg_llvm *l, const xg_kop *op) {
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    uint32_t at;
    xg_llvm_asm_out(&a, 'r');
    at = l->temps++;
    xg_printf(&l->body, "  %%t%u = ptrtoint ", at);
    xg_llvm_put_typed(&l->body, XG_KOPERAND(op, 0));
    xg_puts(&l->body, " to i32\n");
    xg_printf(&a.operands, "i32 %%t%u", at);
    xg_puts(&a.constraints, ",r");
    a.n++;
    xg_llvm_asm_in(&a, XG_KOPERAND(op, 1), -1);
    xg_puts(&a.text, "mapa.shared::cluster.u32 $0, $1, $2;");
    xg_llvm_asm_value(&a, op, false, false);
}
/* From the shared memory of another block of the cluster. */
XG_FN void xg_llvm_cluster_load(xg_llvm *l, const xg_kop *op) {
    const xg_ktype *t = op->results[0].type;
    uint32_t n = t->kind == XG_TK_VECTOR ? (uint32_t)t->elements : 1, k;
    int bits = xg_kelem_bits(t->elem);
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    for (k = 0; k < n; k++) xg_llvm_asm_out(&a, xg_llvm_pass_of(t).constraint);
    k = xg_llvm_asm_in(&a, XG_KOPERAND(op, 0), -1);
    xg_printf(&a.text, "ld.shared::cluster%s.%s%d ", xg_llvm_vector_text[n],
        t->elem == XG_E_F32 || t->elem == XG_E_F64 ? "f"
        : bits <= 8                                ? "u"
                                                   : "b",
        bits <= 8 ? 8 : bits);
    if (n == 1) xg_puts(&a.text, "$0");
    for (bits = 0; n > 1 && bits < (int)n; bits++) xg_printf(&a.text, "%s$%d", bits ? ", " : "{", bits);
    xg_printf(&a.text, "%s, [$%u];", n > 1 ? "}" : "", k);
    xg_llvm_asm_lanes(&a, op, n, false);
}
/* Into it. */
XG_FN void xg_llvm_cluster_store(xg_llvm *l, const xg_kop *op) {
    const xg_kval *v = XG_KOPERAND(op, 0);
    const xg_ktype *t = v->type;
    uint32_t n = t->kind == XG_TK_VECTOR ? (uint32_t)t->elements : 1, k;
    int bits = xg_kelem_bits(t->elem);
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    (void)xg_llvm_asm_in(&a, XG_KOPERAND(op, 1), -1);
    xg_printf(&a.text, "st.shared::cluster%s.b%d [$0], ", xg_llvm_vector_text[n], XG_MAX(bits, 8));
    for (k = 0; k < n; k++) {
        uint32_t in = xg_llvm_asm_in(&a, v, (int32_t)k);
        xg_printf(&a.text, "%s$%u", n == 1 ? "" : k ? ", " : "{", in);
    }
    xg_puts(&a.text, n == 1 ? ";" : "};");
    xg_puts(&l->body, "  ");
    xg_llvm_asm_call(&a, "void", true, false);
}
XG_FN void xg_llvm_barrier(xg_llvm *l, const xg_kop *op) {
    xg_llvm_asm a = xg_llvm_asm_begin(l);
    if (op->a != XG_KTEAM_CLUSTER) {
        xg_llvm_row(l, op, xg_llvm_row_of(l, op));
        return;
    }
    xg_puts(&a.text, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"); /* .relaxed is of PTX 8.0 */
    xg_puts(&l->body, "  ");
    xg_llvm_asm_call(&a, "void", true, true);
}

#endif /* XG_LLVM_INLINE_PTX_C */
