/* llvm/text.c -- the pieces of LLVM IR: types, values, attributes; and what a module collects while it is printed.
 *
 * - A value of kernel IR with number N is %vN, a parameter %pN, a constant its literal.
 * - bf16 is i16, and f8, f6, f4 are i8: LLVM's NVPTX knows too little of them, or nothing. An index, which only ids of
 *   threads and blocks still are, is i32.
 * - A pointer into the shared memory of another block of the cluster is i32: LLVM 16 has no address space for it. */
#ifndef XG_LLVM_TEXT_C
#define XG_LLVM_TEXT_C
#include "llvm.h"

typedef struct xg_llvm xg_llvm;
/* Of a kernel of which each element is what a table says of the same element of another array (cpu_flat.c): a parameter
 * and the first element's place in it, in bytes. */
typedef struct xg_cpu_side {
    const xg_kval *of;
    int64_t at;
} xg_cpu_side;
typedef struct xg_cpu_flat {
    bool is;
    int64_t count; /* elements, at most */
    xg_cpu_side from, to;
} xg_cpu_flat;
struct xg_llvm {
    xg_buf body;
    xg_arena *arena;
    xg_kmodule *m;
    xg_kfunc *f;
    uint32_t temps, labels, n_nodes, isa;
    /* of the host's processor (cpu.c): threads of a block, the loop over them that is being printed, bytes of scratch
     * memory of a block */
    uint32_t threads, loop, group;    /* group: node of the accesses that no other thread of the block makes */
    const xg_kop *looked_up, *tabled; /* the load whose number a table is for, the store of what it says; or NULL */
    const xg_target *target;
    uint32_t scopes; /* node of the first parameter's scope; 0: there are none */
    bool calls_libdevice;
    int64_t dynamic_at;
    void (*op)(xg_llvm *l, const xg_kop *op); /* prints one that has no regions */
    int64_t scratch;
    xg_dict declared, arrays; /* intrinsics that are declared; shared arrays: where in the dynamic one, + 1 */
    xg_cpu_flat flat;
    xg_ptx_index index;
    xg_buf globals, declares, nodes;
};

/* Attributes of calls and of the kernel; numbers of the nodes that are always there. */
enum {
    XG_LLVM_KERNEL = 0,   /* attribute groups */
    XG_LLVM_TOGETHER = 1, /* what all threads of a warp or block do at once */
    XG_LLVM_ALONE = 2,
    XG_LLVM_INVARIANT = 0, /* metadata nodes */
    XG_LLVM_NO_UNROLL = 1,
    XG_LLVM_FULL_UNROLL = 2,
    XG_LLVM_NODES = 3,
    XG_LLVM_SCOPES_MAX = 32, /* parameters: their scopes are a list for each */
    XG_LLVM_BASE_STEPS = 64, /* additions between a parameter and an address */
    XG_LLVM_FULL_ROUNDS = 8  /* of a loop that is written out in full */
};

XG_FN const char *xg_llvm_elem(xg_kelem e) {
    switch (e) {
    case XG_E_I1: return "i1";
    case XG_E_I16:
    case XG_E_BF16: return "i16";
    case XG_E_I32:
    case XG_E_INDEX: return "i32";
    case XG_E_I64: return "i64";
    case XG_E_F16: return "half";
    case XG_E_F32: return "float";
    case XG_E_F64: return "double";
    default: return "i8";
    }
}
XG_FN void xg_llvm_put_type(xg_buf *b, const xg_ktype *t) {
    if (t->kind == XG_TK_POINTER)
        xg_puts(b, t->space == XG_SPACE_CLUSTER  ? "i32"
                   : t->space == XG_SPACE_SHARED ? "ptr addrspace(3)"
                                                 : "ptr addrspace(1)");
    else if (t->kind == XG_TK_VECTOR)
        xg_printf(b, "<%u x %s>", (uint32_t)t->elements, xg_llvm_elem(t->elem));
    else
        xg_puts(b, xg_llvm_elem(t->elem));
}
XG_FN const char *xg_llvm_type(xg_llvm *l, const xg_ktype *t) {
    xg_buf b;
    xg_buf_init(&b, l->arena);
    xg_llvm_put_type(&b, t);
    xg_putc(&b, 0);
    return b.p;
}
/* A float literal is the bits of a half, or of the double that the float is: also of a NaN, whose payload moves up. */
XG_FN void xg_llvm_put_float(xg_buf *b, xg_kelem e, uint64_t bits) {
    uint64_t sign = bits >> 31 & 1, exponent = bits >> 23 & 0xFF, mantissa = bits & 0x7FFFFF, wide = bits;
    if (e == XG_E_F16) {
        xg_puts(b, "0xH");
        xg_put_hex(b, bits & 0xFFFF, 4);
        return;
    }
    if (e == XG_E_F32) {
        if (!exponent && mantissa) /* subnormal: normal as a double */
            for (exponent = 1; !(mantissa & 0x800000); exponent--) mantissa <<= 1;
        else if (!exponent || exponent == 0xFF)
            exponent = exponent ? 0x7FF - (1023 - 127) : (uint64_t)0 - (1023 - 127);
        wide = sign << 63 | (exponent + (1023 - 127)) << 52 | (mantissa & 0x7FFFFF) << 29;
    }
    xg_puts(b, "0x");
    xg_put_hex(b, wide, 16);
}
XG_FN void xg_llvm_put_const(xg_buf *b, const xg_ktype *t, int64_t bits) {
    int width = xg_kelem_bits(t->elem);
    if (t->elem == XG_E_F16 || t->elem == XG_E_F32 || t->elem == XG_E_F64)
        xg_llvm_put_float(b, t->elem, (uint64_t)bits);
    else if (t->elem == XG_E_I1)
        xg_puts(b, bits & 1 ? "true" : "false");
    else
        xg_put_i64(b, width == 16  ? (int64_t)(int16_t)(uint16_t)(uint64_t)bits
                      : width == 8 ? (int64_t)(int8_t)(uint8_t)(uint64_t)bits
                                   : bits);
}
XG_FN void xg_llvm_put_value(xg_buf *b, const xg_kval *v) {
    uint32_t k;
    if (!v->def && !v->region->owner) {
        xg_printf(b, "%%p%u", v->index);
        return;
    }
    if (!v->def || v->def->op != XG_K_OP_CONST) {
        xg_printf(b, "%%v%u", v->id);
        return;
    }
    if (v->type->kind != XG_TK_VECTOR) {
        xg_llvm_put_const(b, v->type, v->def->a);
        return;
    }
    for (k = 0; k < (uint32_t)v->type->elements; k++) {
        xg_printf(b, "%s%s ", k ? ", " : "<", xg_llvm_elem(v->type->elem));
        xg_llvm_put_const(b, v->type, v->def->a);
    }
    xg_putc(b, '>');
}
XG_FN void xg_llvm_put_typed(xg_buf *b, const xg_kval *v) {
    xg_llvm_put_type(b, v->type);
    xg_putc(b, ' ');
    xg_llvm_put_value(b, v);
}
/* "  %vN = ", if the operation has a result */
XG_FN void xg_llvm_begin(xg_llvm *l, const xg_kop *op) {
    xg_puts(&l->body, "  ");
    if (!op->n_results) return;
    xg_llvm_put_value(&l->body, &op->results[0]);
    xg_puts(&l->body, " = ");
}

/* ---- what a module collects ---- */

XG_FN uint32_t xg_llvm_node(xg_llvm *l, const char *format, ...) XG_PRINTF(2, 3);
XG_FN uint32_t xg_llvm_node(xg_llvm *l, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    (void)xg_vformat(text, sizeof text, format, args);
    va_end(args);
    xg_printf(&l->nodes, "!%u = %s\n", l->n_nodes, text);
    return l->n_nodes++;
}
/* declare RESULT @NAME(OPERANDS), once */
XG_FN void xg_llvm_declare(xg_llvm *l, xg_str name, const char *result, const char *operands) {
    if (!xg_dict_put(&l->declared, name, l)) return;
    xg_printf(&l->declares, "declare %s @%.*s(%s)\n", result, (int)name.n, name.p, operands);
}
XG_ONE_COPY XG_FN void xg_llvm_need_isa(xg_llvm *l, uint32_t isa) { l->isa = XG_MAX(l->isa, isa); }
XG_FN const xg_ptx_row *xg_llvm_row_of(const xg_llvm *l, const xg_kop *op) {
    return xg_ptx_find_row(&l->index, l->target, op->op, op->n_operands ? XG_KOPERAND(op, 0)->type : NULL,
        op->n_results ? op->results[0].type : NULL);
}

#endif /* XG_LLVM_TEXT_C */
