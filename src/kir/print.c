/* kir/print.c -- kernel IR as text, in the manner of MLIR's assembly, so that a reader of XLA's dumps recognises it.
 *
 *     #map = #xla_gpu.indexing_map<"(th_x)[v] -> (th_x * 4 + v), domain: th_x in [0, 127], v in [0, 3]">
 *     func.func @main(%input: tensor<512xf32> {...}) -> tensor<512xf32> attributes {...} {
 *       %thread_id_x = gpu.thread_id x {xla.range = [0 : index, 127 : index]}
 *       ...
 *
 * Laws
 * - Each word of the table's `attrs` column is one function here, xg_kprint_<word>, and one in parse.c that reads what
 *   it writes.
 * - A value is named when its definition is printed: by its wish made unique in the function, else by a number. Parsing
 *   the text and printing again gives the same text.
 * - Linear: names by value id, maps by a hash table. */
#ifndef XG_KIR_PRINT_C
#define XG_KIR_PRINT_C
#include "build.c"
#include "kir.h"
#include "../base/number.h"

typedef struct xg_kalias {
    const xg_imap *map;
    uint32_t number;
} xg_kalias;
typedef struct xg_kprinter {
    xg_buf *b;
    const xg_kmodule *m;
    xg_str *names; /* by value id */
    xg_dict taken; /* name -> how often it was wished for, of the function being printed */
    uint32_t numbers, depth;
    xg_set aliases;
    XG_VEC(const xg_imap *) maps;
} xg_kprinter;

/* ---- names ---- */

/* What an unnamed result is called: X(opcode, name). */
/* clang-format off */
#define XG_KIR_RESULT_NAMES(X) \
    X(EXTRACT, "extracted") \
    X(INSERT, "inserted") \
    X(CALL, "pure_call") \
    X(LOOP, "xla_loop") \
    X(ALLOC_SHARED, "shmem") \
    X(SYNC, "synced_tensor") \
    X(APPLY, "dim")
/* clang-format on */

XG_FN bool xg_kname_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '.' || c == '-';
}

XG_FN size_t xg_kname_constant(const xg_kval *v, char *out, size_t cap) {
    const xg_ktype *t = v->type;
    if (t->kind != XG_TK_SCALAR || !xg_kelem_is_int(t->elem)) return xg_format(out, cap, "cst");
    if (t->elem == XG_E_I1) return xg_format(out, cap, v->def->a ? "true" : "false");
    if (t->elem == XG_E_INDEX) return xg_format(out, cap, "c%lld", (long long)v->def->a);
    return xg_format(out, cap, "c%lld_%s", (long long)v->def->a, xg_kelem_name(t->elem));
}

/* Unnamed arguments of regions: what is carried is %iter, results of a loop's map are %dim0, %dim1 ... */
XG_FN size_t xg_kname_argument(const xg_kval *v, char *out, size_t cap) {
    const xg_kop *op = v->region->owner;
    uint32_t first = op->op == XG_K_OP_FOR ? 1 : op->op == XG_K_OP_LOOP ? v->region->n_args - op->n_results : 0;
    if (v->index >= first) return xg_format(out, cap, "iter");
    return op->op == XG_K_OP_LOOP && op->p && v->index >= ((const xg_imap *)op->p)->n_syms
               ? xg_format(out, cap, "dim%u", v->index - ((const xg_imap *)op->p)->n_syms)
               : 0;
}

/* The wish of a value, made of characters that a name may have; 0: it has none and gets a number. */
XG_APART XG_FN size_t xg_kname_wish(const xg_kval *v, char *out, size_t cap) {
    size_t n = 0, i;
    bool digits = true;
    if (v->name.n) {
        for (i = 0; i < v->name.n && n + 2 < cap; i++) {
            char c = v->name.p[i];
            if (n == 0 && c >= '0' && c <= '9' && v->name.n > 1) out[n++] = '_';
            out[n++] = xg_kname_char(c) ? c : '_';
            digits = digits && c >= '0' && c <= '9';
        }
        return digits ? 0 : n;
    }
    if (!v->def && !v->region->owner) return xg_format(out, cap, "arg%u", v->index);
    if (!v->def) return xg_kname_argument(v, out, cap);
    if (v->def->op == XG_K_OP_CONST) return xg_kname_constant(v, out, cap);
    if (v->def->op == XG_K_OP_THREAD_ID || v->def->op == XG_K_OP_BLOCK_ID)
        return xg_format(
            out, cap, "%s_id_%c", v->def->op == XG_K_OP_THREAD_ID ? "thread" : "block", "xyz?"[v->def->flags & 3]);
    switch (v->def->op) {
#define X(op, name) \
    case XG_K_OP_##op: return xg_format(out, cap, "%s", name);
        XG_KIR_RESULT_NAMES(X)
#undef X
    default: return 0;
    }
}

XG_FN void xg_kname_give(xg_kprinter *p, const xg_kval *v) {
    char text[160];
    size_t n = xg_kname_wish(v, text, 128), base = n;
    uint32_t *count;
    if (!n) {
        n = xg_format(text, sizeof text, "%u", p->numbers++);
        p->names[v->id] = xg_str_copy(p->b->arena, xg_str_of(text, n));
        return;
    }
    count = (uint32_t *)xg_dict_get(&p->taken, xg_str_of(text, n));
    while (xg_dict_get(&p->taken, xg_str_of(text, n)))
        n = base + xg_format(text + base, sizeof text - base, "_%u", (*count)++);
    (void)xg_dict_put(&p->taken, xg_str_of(text, n), XG_NEW(p->b->arena, uint32_t));
    p->names[v->id] = xg_str_copy(p->b->arena, xg_str_of(text, n));
}

/* Results are one group, %x:2 with uses %x#1, unless more than the first has a name of its own. */
XG_FN bool xg_kname_grouped(const xg_kop *op) {
    uint32_t k;
    if (op->n_results < 2 || op->op == XG_K_OP_APPLY) return false;
    for (k = 1; k < op->n_results; k++)
        if (op->results[k].name.n) return false;
    return true;
}

XG_FN void xg_kprint_value(xg_kprinter *p, const xg_kval *v) {
    bool grouped = v->def && xg_kname_grouped(v->def);
    xg_str name = p->names[grouped ? v->def->results[0].id : v->id];
    xg_putc(p->b, '%');
    if (name.p)
        xg_put_str(p->b, name);
    else
        xg_printf(p->b, "?%u", v->id); /* does not dominate: the verifier tells */
    if (grouped) xg_printf(p->b, "#%u", v->index);
}
XG_FN void xg_kprint_list(xg_kprinter *p, const xg_kuse *uses, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_value(p, uses[k].value);
    }
}
XG_FN void xg_kprint_indices(xg_kprinter *p, const xg_kuse *uses, uint32_t n) {
    xg_putc(p->b, '[');
    xg_kprint_list(p, uses, n);
    xg_putc(p->b, ']');
}

/* ---- types ---- */

XG_FN void xg_ktype_print(xg_buf *b, const xg_ktype *t) {
    uint32_t k;
    switch (t->kind) {
    case XG_TK_SCALAR: xg_puts(b, xg_kelem_name(t->elem)); return;
    case XG_TK_POINTER: {
        XG_TABLE const int numbers[] = {0, 3, 5, 4, 7}; /* LLVM's address spaces */
        xg_puts(b, "!llvm.ptr");
        if (t->space != XG_SPACE_GLOBAL) xg_printf(b, "<%d>", numbers[t->space]);
        return;
    }
    default: break;
    }
    xg_puts(b, t->kind == XG_TK_VECTOR ? "vector<" : "tensor<");
    for (k = 0; k < t->rank; k++) xg_printf(b, "%lldx", (long long)t->dims[k]);
    xg_printf(b, "%s>", xg_kelem_name(t->elem));
}
XG_FN void xg_kprint_type(xg_kprinter *p, const xg_ktype *t) { xg_ktype_print(p->b, t); }
XG_FN void xg_kprint_result_types(xg_kprinter *p, const xg_kop *op) {
    uint32_t k;
    xg_puts(p->b, " -> (");
    for (k = 0; k < op->n_results; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_type(p, op->results[k].type);
    }
    xg_putc(p->b, ')');
}
XG_FN void xg_kprint_operand_types(xg_kprinter *p, const xg_kuse *uses, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_type(p, uses[k].value->type);
    }
}

/* ---- numbers ---- */

/* d.dddddde+dd with n digits, of which the first `significant` are right and the rest 0; from the %g form. */
XG_FN void xg_kput_scientific(xg_buf *b, double v, int significant, int n) {
    xg_buf g;
    char digits[40];
    int count = 0, seen = 0, point = -1, first = -1, exponent = 0, sign = 1, k;
    size_t i;
    xg_buf_init(&g, b->arena);
    xg_float_print_g(&g, v, significant);
    for (i = 0; i < g.n && g.p[i] != 'e'; i++) {
        if (g.p[i] == '-')
            xg_putc(b, '-');
        else if (g.p[i] == '.')
            point = seen;
        else {
            if (first < 0 && g.p[i] != '0') first = seen;
            if (first >= 0 && count < 39) digits[count++] = g.p[i];
            seen++;
        }
    }
    for (i++; i < g.n; i++) {
        if (g.p[i] == '-')
            sign = -1;
        else if (g.p[i] != '+')
            exponent = exponent * 10 + (g.p[i] - '0');
    }
    exponent = sign * exponent + (first < 0 ? 0 : (point < 0 ? seen : point) - 1 - first);
    for (k = 0; k < n; k++) {
        xg_putc(b, k < count ? digits[k] : '0');
        if (k == 0) xg_putc(b, '.');
    }
    xg_printf(b, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

/* As MLIR: six significant digits if these give the same bits back, else as many as always do; bits in hexadecimal for
 * what is not finite. */
XG_FN void xg_kput_float(xg_buf *b, xg_kelem e, uint64_t bits) {
    xlagpu_type t = xg_kelem_format(e);
    double v = xg_float_decode(t, bits), back = 0;
    bool overflow;
    size_t at = b->n;
    if (v - v != 0) {
        xg_puts(b, "0x");
        xg_put_hex(b, bits, (xg_kelem_bits(e) + 3) / 4);
        return;
    }
    xg_kput_scientific(b, v, 6, 7);
    if (xg_float_parse(b->p + at, b->n - at, &back, &overflow) && xg_float_encode(t, back) == bits) return;
    b->n = at;
    xg_kput_scientific(b, v, e == XG_E_F64 ? 17 : 9, e == XG_E_F64 ? 17 : 9);
}
XG_FN void xg_kput_bits(xg_buf *b, xg_kelem e, int64_t bits) {
    if (e == XG_E_I1)
        xg_puts(b, bits ? "true" : "false");
    else if (xg_kelem_is_int(e))
        xg_put_i64(b, bits);
    else
        xg_kput_float(b, e, (uint64_t)bits);
}

/* ---- maps ---- */

XG_FN bool xg_kalias_same(const void *node, const void *key) {
    return xg_imap_equal(((const xg_kalias *)node)->map, (const xg_imap *)key);
}
XG_FN const xg_kalias *xg_kalias_of(xg_kprinter *p, const xg_imap *map) {
    void **slot = xg_set_find(&p->aliases, xg_imap_hash(map), xg_kalias_same, map);
    xg_kalias *a = (xg_kalias *)*slot;
    if (a) return a;
    a = XG_NEW(p->b->arena, xg_kalias);
    *slot = a;
    a->map = map;
    a->number = p->maps.n;
    xg_push(p->b->arena, const xg_imap *, &p->maps, map);
    return a;
}
XG_FN void xg_kprint_alias(xg_kprinter *p, const xg_imap *map) {
    uint32_t n = xg_kalias_of(p, map)->number;
    xg_puts(p->b, "#map");
    if (n) xg_put_u64(p->b, n);
}
XG_FN void xg_kcollect_maps(xg_kprinter *p, const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        if ((op->op == XG_K_OP_APPLY || op->op == XG_K_OP_LOOP) && op->p) (void)xg_kalias_of(p, (const xg_imap *)op->p);
        for (k = 0; k < op->n_regions; k++) xg_kcollect_maps(p, op->regions[k]);
    }
}

/* ---- regions ---- */

XG_FN void xg_kprint_op(xg_kprinter *p, const xg_kop *op);
XG_FN void xg_kprint_indent(xg_kprinter *p) {
    uint32_t k;
    for (k = 0; k < p->depth; k++) xg_puts(p->b, "  ");
}

/* The operations of a region, one a line, in braces that stand around. A yield of nothing is not written. */
XG_FN void xg_kprint_body(xg_kprinter *p, const xg_kregion *r) {
    const xg_kop *op;
    p->depth++;
    for (op = r->first; op; op = op->next) {
        if (op->op == XG_K_OP_YIELD && op->n_operands == 0) continue;
        xg_kprint_indent(p);
        xg_kprint_op(p, op);
        xg_putc(p->b, '\n');
    }
    p->depth--;
    xg_kprint_indent(p);
    xg_putc(p->b, '}');
}
/* (%a = %init, ...) for n arguments of a region from `first` on. */
XG_FN void xg_kprint_carried(xg_kprinter *p, const xg_kregion *r, uint32_t first, const xg_kuse *inits, uint32_t n) {
    uint32_t k;
    xg_putc(p->b, '(');
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kname_give(p, &r->args[first + k]);
        xg_kprint_value(p, &r->args[first + k]);
        xg_puts(p->b, " = ");
        xg_kprint_value(p, inits[k].value);
    }
    xg_putc(p->b, ')');
}
XG_FN void xg_kprint_new_args(xg_kprinter *p, const xg_kregion *r, uint32_t first, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kname_give(p, &r->args[first + k]);
        xg_kprint_value(p, &r->args[first + k]);
    }
}
XG_FN void xg_kprint_iter_args(xg_kprinter *p, const xg_kop *op, uint32_t first_arg, uint32_t first_operand) {
    if (op->n_results) {
        xg_puts(p->b, " iter_args");
        xg_kprint_carried(p, op->regions[0], first_arg, op->operands + first_operand, op->n_results);
        xg_kprint_result_types(p, op);
    }
    xg_puts(p->b, " {\n");
    xg_kprint_body(p, op->regions[0]);
}

/* ---- one function a syntax word; the name and a space are written already ---- */

/* Operands, then one type. */
XG_FN void xg_kprint_none(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, op->n_operands);
    if (!op->n_operands && !op->n_results) return;
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->n_results ? op->results[0].type : op->operands[0].value->type);
}
XG_FN void xg_kprint_result(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_puts(p->b, op->n_operands ? " : " : ": ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_typed(xg_kprinter *p, const xg_kuse *uses, uint32_t n) {
    xg_kprint_list(p, uses, n);
    if (!n) return;
    xg_puts(p->b, " : ");
    xg_kprint_operand_types(p, uses, n);
}
/* operand : its type -> result type */
XG_FN void xg_kprint_retyped(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_typed(p, op->operands, op->n_operands);
    xg_puts(p->b, " -> ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_matrix(xg_kprinter *p, const xg_kop *op) {
    if (op->flags & XG_KMATRIX_TRANSPOSED) xg_puts(p->b, "transposed ");
    xg_kprint_retyped(p, op);
}
XG_FN void xg_kprint_mma(xg_kprinter *p, const xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags);
    xg_printf(p->b, "%s, %s ", row->a, row->b);
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_printf(p->b, " {half = %lld} : ", (long long)op->a);
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_aligned(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_result(p, op);
    if (op->b) xg_printf(p->b, " {align = %lld}", (long long)op->b);
}
XG_FN void xg_kprint_strides(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_retyped(p, op);
    xg_printf(p->b, " {atoms = %lld, lines = %lld}", (long long)op->a, (long long)op->b);
}
XG_FN void xg_kprint_wgmma(xg_kprinter *p, const xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    xg_printf(p->b, "%s%s, %s%s ", row->a, op->flags & XG_KWGMMA_A_ROWS ? " rows" : "", row->b,
        op->flags & XG_KWGMMA_B_ROWS ? " rows" : "");
    xg_kprint_typed(p, op->operands, op->n_operands);
}
XG_FN void xg_kprint_columns(xg_kprinter *p, const xg_kop *op) {
    xg_printf(p->b, " {columns = %lld}", (long long)op->b);
}
XG_FN void xg_kprint_tensor_mma(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_wgmma(p, op);
    xg_kprint_columns(p, op);
}
XG_FN void xg_kprint_tensor_read(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_retyped(p, op);
    xg_kprint_columns(p, op);
}
XG_FN void xg_kprint_count(xg_kprinter *p, const xg_kop *op) {
    if (op->b) xg_printf(p->b, " {but = %lld}", (long long)op->b);
}
XG_FN void xg_kprint_amount(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_typed(p, op->operands, op->n_operands);
    if (op->b) xg_printf(p->b, " {n = %lld%s", (long long)op->b, op->a ? "" : "}");
    if (op->a) xg_printf(p->b, "%sblocks = %lld}", op->b ? ", " : " {", (long long)op->a);
}
XG_FN void xg_kprint_team(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_typed(p, op->operands, op->n_operands);
    if (op->a == XG_KTEAM_CLUSTER)
        xg_puts(p->b, op->b == XG_KTEAM_RELAXED ? " {cluster relaxed}" : " {cluster}");
    else if (op->a)
        xg_printf(p->b, " {barrier = %lld, threads = %lld}", (long long)op->b, (long long)op->a);
}
XG_FN void xg_kprint_values(xg_kprinter *p, const xg_kop *op) { xg_kprint_typed(p, op->operands, op->n_operands); }
XG_FN void xg_kprint_condition(xg_kprinter *p, const xg_kop *op) {
    xg_putc(p->b, '(');
    xg_kprint_value(p, op->operands[0].value);
    xg_puts(p->b, ") ");
    xg_kprint_typed(p, op->operands + 1, op->n_operands - 1);
}
XG_FN void xg_kprint_call(xg_kprinter *p, const xg_kop *op) {
    xg_putc(p->b, '@');
    xg_put_str(p->b, ((const xg_kfunc *)op->p)->name);
    xg_putc(p->b, '(');
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_puts(p->b, ") : (");
    xg_kprint_operand_types(p, op->operands, op->n_operands);
    xg_putc(p->b, ')');
    xg_kprint_result_types(p, op);
}
XG_FN void xg_kprint_shuffle_reduce(xg_kprinter *p, const xg_kop *op) {
    xg_putc(p->b, '(');
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_printf(p->b, ") to %lld combiner=@", (long long)op->a);
    xg_put_str(p->b, ((const xg_kfunc *)op->p)->name);
    xg_puts(p->b, " : ");
    xg_kprint_operand_types(p, op->operands, op->n_operands);
}
/* Flags as words: one for each bit, from the lowest on, separated by spaces. */
XG_TABLE const char xg_kloop_words[] = "unrolled unroll_lowered step_pointers reads_ahead reads_together lanes whole";
XG_TABLE const char xg_kmemory_words[] = "invariant volatile stream";
static const char xg_kapprox_words[] = "ftz";
XG_FN void xg_kprint_words(xg_kprinter *p, const xg_kop *op, const char *words) {
    uint32_t flags = op->flags;
    for (; *words; flags >>= 1) {
        size_t n = strcspn(words, " ");
        if (flags & 1) xg_printf(p->b, " %.*s", (int)n, words);
        words += n + (words[n] != 0);
    }
}
XG_FN void xg_kprint_for(xg_kprinter *p, const xg_kop *op) {
    xg_kname_give(p, &op->regions[0]->args[0]);
    xg_kprint_value(p, &op->regions[0]->args[0]);
    xg_puts(p->b, " = ");
    xg_kprint_value(p, op->operands[0].value);
    xg_puts(p->b, " to ");
    xg_kprint_value(p, op->operands[1].value);
    xg_puts(p->b, " step ");
    xg_kprint_value(p, op->operands[2].value);
    if (op->operands[0].value->type->elem != XG_E_INDEX) {
        xg_puts(p->b, " : ");
        xg_kprint_type(p, op->operands[0].value->type);
    }
    if (op->a) xg_printf(p->b, " trips %lld", (long long)op->a);
    if (op->b) xg_printf(p->b, " ends %lld", (long long)op->b);
    xg_kprint_words(p, op, xg_kloop_words);
    xg_kprint_iter_args(p, op, 1, 3);
}
XG_FN void xg_kprint_if(xg_kprinter *p, const xg_kop *op) {
    const xg_kregion *other = op->regions[1];
    xg_kprint_value(p, op->operands[0].value);
    if (op->a == 1) xg_puts(p->b, " seldom");
    if (op->a > 1) xg_printf(p->b, " once in %lld", (long long)op->a);
    if (op->b) xg_printf(p->b, " of %lld", (long long)op->b);
    if (op->n_results) xg_kprint_result_types(p, op);
    xg_puts(p->b, " {\n");
    xg_kprint_body(p, op->regions[0]);
    if (op->n_results == 0 && (!other->first || (other->first == other->last && other->first->op == XG_K_OP_YIELD)))
        return;
    xg_puts(p->b, " else {\n");
    xg_kprint_body(p, other);
}
XG_FN void xg_kprint_while(xg_kprinter *p, const xg_kop *op) {
    const xg_kregion *after = op->regions[1];
    uint32_t k;
    if (op->a) xg_puts(p->b, "seldom ");
    xg_kprint_carried(p, op->regions[0], 0, op->operands, op->n_operands);
    xg_puts(p->b, " : (");
    xg_kprint_operand_types(p, op->operands, op->n_operands);
    xg_putc(p->b, ')');
    xg_kprint_result_types(p, op);
    xg_puts(p->b, " {\n");
    xg_kprint_body(p, op->regions[0]);
    xg_puts(p->b, " do {\n");
    xg_kprint_indent(p);
    xg_puts(p->b, "^bb0(");
    for (k = 0; k < after->n_args; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_new_args(p, after, k, 1);
        xg_puts(p->b, ": ");
        xg_kprint_type(p, after->args[k].type);
    }
    xg_puts(p->b, "):\n");
    xg_kprint_body(p, after);
}
XG_FN void xg_kprint_atomic_rmw(xg_kprinter *p, const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_indices(p, op->operands + 1, op->n_operands - 1);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[0].value->type);
    xg_puts(p->b, " {\n");
    xg_kprint_indent(p);
    xg_puts(p->b, "^bb0(");
    xg_kprint_new_args(p, r, 0, 1);
    xg_puts(p->b, ": ");
    xg_kprint_type(p, r->args[0].type);
    xg_puts(p->b, "):\n");
    xg_kprint_body(p, r);
}
XG_FN void xg_kprint_cmpxchg(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_puts(p->b, " : ");
    xg_kprint_operand_types(p, op->operands, 2);
}
XG_FN void xg_kprint_loop(xg_kprinter *p, const xg_kop *op) {
    const xg_imap *map = (const xg_imap *)op->p;
    uint32_t syms = map->n_syms + map->n_rts;
    xg_putc(p->b, '(');
    xg_kprint_list(p, op->operands, (uint32_t)op->a);
    xg_puts(p->b, ")[");
    xg_kprint_new_args(p, op->regions[0], 0, syms);
    xg_puts(p->b, "] -> (");
    xg_kprint_new_args(p, op->regions[0], syms, map->n_results);
    xg_puts(p->b, ") in ");
    xg_kprint_alias(p, map);
    xg_kprint_words(p, op, xg_kloop_words);
    xg_kprint_iter_args(p, op, syms + map->n_results, (uint32_t)op->a);
}
XG_FN void xg_kprint_axis_range(xg_kprinter *p, const xg_kop *op) {
    xg_printf(p->b, "%c {xla.range = [%lld : index, %lld : index]}", "xyz?"[op->flags & 3], (long long)op -> a,
        (long long)op -> b);
    if (op->results[0].type->elem == XG_E_INDEX) return;
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_map(xg_kprinter *p, const xg_kop *op) {
    const xg_imap *map = (const xg_imap *)op->p;
    xg_kprint_alias(p, map);
    if (map->n_dims || op->n_operands == 0) {
        xg_putc(p->b, '(');
        xg_kprint_list(p, op->operands, XG_MIN(map->n_dims, op->n_operands));
        xg_putc(p->b, ')');
    }
    if (op->n_operands > map->n_dims) xg_kprint_indices(p, op->operands + map->n_dims, op->n_operands - map->n_dims);
}
XG_FN void xg_kprint_extract(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_indices(p, op->operands + 1, op->n_operands - 1);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[0].value->type);
}
XG_FN void xg_kprint_insert(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_puts(p->b, " into ");
    xg_kprint_value(p, op->operands[1].value);
    xg_kprint_indices(p, op->operands + 2, op->n_operands - 2);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[1].value->type);
}
XG_FN void xg_kprint_read(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_indices(p, op->operands + 1, 1);
    xg_puts(p->b, " {in_bounds = [true]} : ");
    xg_kprint_type(p, op->operands[0].value->type);
    xg_puts(p->b, ", ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_write(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, 2);
    xg_kprint_indices(p, op->operands + 2, 1);
    xg_puts(p->b, " {in_bounds = [true]} : ");
    xg_kprint_operand_types(p, op->operands, 2);
}
XG_FN void xg_kprint_vextract(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_indices(p, op->operands + 1, 1);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->results[0].type);
    xg_puts(p->b, " from ");
    xg_kprint_type(p, op->operands[0].value->type);
}
XG_FN void xg_kprint_vinsert(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, 2);
    xg_putc(p->b, ' ');
    xg_kprint_indices(p, op->operands + 2, 1);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[0].value->type);
    xg_puts(p->b, " into ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_constant(xg_kprinter *p, const xg_kop *op) {
    const xg_ktype *t = op->results[0].type;
    bool dense = t->kind == XG_TK_VECTOR;
    if (dense) xg_puts(p->b, "dense<");
    if (xg_kelem_is_complex(t->elem)) {
        xg_kelem part = t->elem == XG_E_C64 ? XG_E_F32 : XG_E_F64;
        xg_putc(p->b, '[');
        xg_kput_bits(p->b, part, op->a);
        xg_puts(p->b, ", ");
        xg_kput_bits(p->b, part, op->b);
        xg_putc(p->b, ']');
    } else
        xg_kput_bits(p->b, t->elem, op->a);
    if (dense) xg_putc(p->b, '>');
    if (!dense && t->elem == XG_E_I1) return;
    xg_puts(p->b, " : ");
    xg_kprint_type(p, t);
}
XG_TABLE const char xg_kcmpi_names[] =
#define X(name, text) text "\0"
    XG_KIR_CMPI(X)
#undef X
    ;
XG_TABLE const char xg_kcmpf_names[] =
#define X(name, text) text "\0"
    XG_KIR_CMPF(X)
#undef X
    ;
XG_FN const char *xg_kcmp_name(const xg_kop *op) {
    const char *name = xg_text_nth(op->op == XG_K_OP_CMPI ? xg_kcmpi_names : xg_kcmpf_names, op->flags);
    return name ? name : "?";
}
XG_FN void xg_kprint_comparison(xg_kprinter *p, const xg_kop *op) {
    xg_printf(p->b, "%s, ", xg_kcmp_name(op));
    xg_kprint_list(p, op->operands, 2);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[0].value->type);
}
XG_FN void xg_kprint_cmpi(xg_kprinter *p, const xg_kop *op) { xg_kprint_comparison(p, op); }
XG_FN void xg_kprint_cmpf(xg_kprinter *p, const xg_kop *op) { xg_kprint_comparison(p, op); }
XG_FN void xg_kprint_cast(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->operands[0].value->type);
    xg_puts(p->b, " to ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_part(xg_kprinter *p, const xg_kop *op) { xg_kprint_typed(p, op->operands, 1); }
XG_FN void xg_kprint_approx(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_words(p, op, xg_kapprox_words);
    xg_puts(p->b, " : ");
    xg_kprint_type(p, op->results[0].type);
}
/* %p[%i * scale + bytes] : pointer, type of the index. */
XG_FN void xg_kprint_scale(xg_kprinter *p, const xg_kop *op) {
    if (op->flags & KP_INBOUNDS) xg_puts(p->b, "inbounds ");
    xg_kprint_value(p, op->operands[0].value);
    xg_putc(p->b, '[');
    xg_kprint_value(p, op->operands[1].value);
    if (op->a) xg_printf(p->b, " * %lld", (long long)op->a);
    if (op->b) xg_printf(p->b, " + %lld", (long long)op->b);
    xg_puts(p->b, "] : ");
    xg_kprint_operand_types(p, op->operands, 2);
}
XG_FN void xg_kprint_access(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_words(p, op, xg_kmemory_words);
    xg_printf(p->b, " {alignment = %lld} : ", (long long)op->a);
}
XG_FN void xg_kprint_load(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_value(p, op->operands[0].value);
    xg_kprint_access(p, op);
    xg_kprint_type(p, op->operands[0].value->type);
    xg_puts(p->b, " -> ");
    xg_kprint_type(p, op->results[0].type);
}
XG_FN void xg_kprint_store(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_list(p, op->operands, op->n_operands);
    xg_kprint_access(p, op);
    xg_kprint_operand_types(p, op->operands, op->n_operands);
}
XG_FN void xg_kprint_symbol(xg_kprinter *p, const xg_kop *op) {
    xg_putc(p->b, '@');
    xg_put_str(p->b, op->p ? *(const xg_str *)op->p : XG_STR("shared"));
    xg_printf(p->b, " {bytes = %lld, alignment = %lld} : ", (long long)op->a, (long long)op->b);
    xg_kprint_type(p, op->results[0].type);
}

/* ---- operations, functions, modules ---- */

XG_FN void xg_kprint_results(xg_kprinter *p, const xg_kop *op) {
    uint32_t k, n = xg_kname_grouped(op) ? 1 : op->n_results;
    if (!op->n_results) return;
    for (k = 0; k < n; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kname_give(p, &op->results[k]);
        xg_putc(p->b, '%');
        xg_put_str(p->b, p->names[op->results[k].id]);
    }
    if (n < op->n_results) xg_printf(p->b, ":%u", op->n_results);
    xg_puts(p->b, " = ");
}

XG_FN void xg_kprint_op(xg_kprinter *p, const xg_kop *op) {
    xg_kprint_results(p, op);
    if (op->op == XG_K_OP_YIELD)
        xg_puts(p->b, op->parent->owner && op->parent->owner->op == XG_K_OP_LOOP ? "xla_gpu.yield" : "scf.yield");
    else
        xg_puts(p->b, xg_kop_name(op->op));
    if (op->op != XG_K_OP_CONDITION && (op->n_operands || op->n_results || op->n_regions)) xg_putc(p->b, ' ');
    switch (xg_kop_rows[op->op].form) {
#define X(word) \
    case XG_KFORM_##word: xg_kprint_##word(p, op); break;
        XG_KIR_FORMS(X)
#undef X
    default: break;
    }
}

XG_FN void xg_kprint_param(xg_kprinter *p, const xg_kfunc *f, uint32_t k) {
    const xg_karg *a = &f->args[k];
    xg_kname_give(p, &f->body->args[k]);
    xg_kprint_value(p, &f->body->args[k]);
    xg_puts(p->b, ": ");
    xg_kprint_type(p, f->body->args[k].type);
    if (!f->entry) return;
    xg_printf(p->b, " {llvm.align = %lld, llvm.dereferenceable = %lld", (long long)a->align, (long long)a->bytes);
    if (!a->aliased) xg_puts(p->b, ", llvm.noalias");
    if (!a->written) xg_puts(p->b, ", xla.invariant");
    if (a->parted) xg_puts(p->b, ", xla.part_of_block");
    xg_printf(p->b, ", xla.slice_index = %d}", a->slice);
}
XG_FN void xg_kprint_tensor_map(xg_kprinter *p, const xg_kmap *m) {
    uint32_t k;
    xg_printf(
        p->b, ", xla.map = {arg = %u, type = %u, bytes = %d, swizzle = %u", m->arg, m->type, (int)m->bytes, m->swizzle);
    for (k = 0; k < m->rank; k++) {
        xg_printf(p->b, ", [size = %lld, box = %u", (long long)m->dims[k], m->box[k]);
        if (k) xg_printf(p->b, ", stride = %lld", (long long)m->strides[k - 1]);
        xg_putc(p->b, ']');
    }
    xg_putc(p->b, '}');
}
XG_FN void xg_kprint_func_attrs(xg_kprinter *p, const xg_kfunc *f) {
    uint32_t k;
    if (f->entry)
        xg_printf(p->b,
            " attributes {xla.entry, xla.inputs = %u, xla.threads = [%u, %u, %u], xla.blocks = [%u, %u, %u]",
            f->n_inputs, f->threads[0], f->threads[1], f->threads[2], f->blocks[0], f->blocks[1], f->blocks[2]);
    if (f->entry && f->async_copies) xg_puts(p->b, ", xla.async_copies");
    if (f->entry && f->pairs) xg_puts(p->b, ", xla.pairs");
    if (f->entry && f->cluster) xg_printf(p->b, ", xla.cluster = %u", f->cluster);
    for (k = 0; k < f->n_maps; k++) xg_kprint_tensor_map(p, &f->maps[k]);
    if (f->producers) xg_printf(p->b, ", xla.producers = %u", f->producers);
    if (f->entry)
        xg_putc(p->b, '}');
    else if (f->inline_always)
        xg_puts(p->b, " attributes {xla.inline}");
}
XG_FN void xg_kprint_func(xg_kprinter *p, const xg_kfunc *f) {
    uint32_t k;
    xg_dict_init(&p->taken, p->b->arena);
    p->numbers = 0;
    xg_puts(p->b, f->entry ? "func.func @" : "func.func private @");
    xg_put_str(p->b, f->name);
    xg_putc(p->b, '(');
    for (k = 0; k < f->body->n_args; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_param(p, f, k);
    }
    xg_putc(p->b, ')');
    if (f->n_results) xg_puts(p->b, f->n_results > 1 ? " -> (" : " -> ");
    for (k = 0; k < f->n_results; k++) {
        if (k) xg_puts(p->b, ", ");
        xg_kprint_type(p, f->results[k]);
    }
    if (f->n_results > 1) xg_putc(p->b, ')');
    xg_kprint_func_attrs(p, f);
    xg_puts(p->b, " {\n");
    xg_kprint_body(p, f->body);
    xg_putc(p->b, '\n');
}

/* The comment, one line of text after //, then what holds for the whole module, if there is anything to say. */
XG_FN void xg_kprint_head(xg_kprinter *p) {
    const xg_kmodule *m = p->m;
    uint32_t k, start = 0;
    for (k = 0; k < m->comment.n; k++)
        if (m->comment.p[k] == '\n' || k + 1 == m->comment.n) {
            uint32_t end = m->comment.p[k] == '\n' ? k : k + 1;
            xg_puts(p->b, "// ");
            xg_put(p->b, m->comment.p + start, end - start);
            xg_putc(p->b, '\n');
            start = k + 1;
        }
    for (k = 0; k < p->maps.n; k++) {
        xg_kprint_alias(p, p->maps.p[k]);
        xg_puts(p->b, " = #xla_gpu.indexing_map<\"");
        xg_imap_print(p->b, p->maps.p[k]);
        xg_puts(p->b, "\">\n");
    }
    if (!m->shared_bytes && !m->ftz && !m->fma) return;
    xg_printf(p->b, "module attributes {xla.shared_bytes = %u%s%s}\n", m->shared_bytes, m->ftz ? ", xla.ftz" : "",
        m->fma ? ", xla.fma" : "");
}

XG_APART XG_FN void xg_kir_print(xg_buf *b, const xg_kmodule *m) {
    xg_kprinter p;
    const xg_kfunc *f;
    memset(&p, 0, sizeof p);
    p.b = b;
    p.m = m;
    p.names = XG_NEW_N(b->arena, xg_str, m->n_ids + 1);
    xg_set_init(&p.aliases, b->arena);
    for (f = m->first; f; f = f->next) xg_kcollect_maps(&p, f->body);
    xg_kprint_head(&p);
    for (f = m->first; f; f = f->next) xg_kprint_func(&p, f);
}

#endif /* XG_KIR_PRINT_C */
