/* import/ir_text.c -- attributes as MLIR writes them: those of bytecode have no text of their own. */
#ifndef XG_IMPORT_IR_TEXT_C
#define XG_IMPORT_IR_TEXT_C
#include "ir.c"

enum {
    XG_IR_TEXT_BYTES_MAX = 1 << 20 /* a dictionary may hold another one many times over */
};
XG_FN const char *xg_ir_element_name(xlagpu_type type) {
#define X(text, ours) \
    if (type == XLAGPU_##ours) return text;
    XG_IR_ELEMENTS(X)
#undef X
    return NULL;
}
/* 76 : ui8. A byte of bytecode says no sign. */
XG_FN void xg_ir_put_int(xg_buf *b, const xg_ir_attr *a) {
    xlagpu_type t = a->type ? a->type->element : XLAGPU_S64;
    if (t == XLAGPU_PRED) {
        xg_puts(b, a->i ? "true" : "false");
        return;
    }
    if (!xg_type_signed(t))
        xg_put_u64(b, (uint64_t)a->i & UINT64_MAX >> (64 - xg_type_bits(t)));
    else
        xg_put_i64(b, a->i);
    xg_printf(b, " : %s", xg_ir_element_name(t));
}
XG_FN void xg_ir_put_float(xg_buf *b, const xg_ir_attr *a) { /* the bits are in i */
    xlagpu_type t = a->type->element;
    size_t from = b->n;
    if (isfinite(a->d)) {
        xg_float_print_g(b, a->d, t == XLAGPU_F64 ? 17 : 9);
        if (!strpbrk(b->p + from, ".e")) xg_puts(b, ".0");
    } else {
        xg_puts(b, "0x");
        xg_put_hex(b, (uint64_t)a->i & UINT64_MAX >> (64 - xg_type_bits(t)), (int)xg_type_bits(t) / 4);
    }
    xg_printf(b, " : %s", xg_ir_element_name(t));
}
XG_FN void xg_ir_put_items(const xg_ir *ir, const xg_ir_op *op, xg_buf *b, const xg_ir_attr *a) {
    bool dict = a->kind == XG_IR_DICT;
    uint32_t k;
    xg_putc(b, dict ? '{' : '[');
    for (k = 0; k < a->n; k++) {
        if (k) xg_puts(b, ", ");
        if (dict) {
            xg_put_str(b, a->v.named[k].name);
            if (a->v.named[k].value->kind == XG_IR_UNIT) continue;
            xg_puts(b, " = ");
        }
        xg_ir_put_attr(ir, op, b, dict ? a->v.named[k].value : a->v.items[k]);
    }
    xg_putc(b, dict ? '}' : ']');
}
XG_FN void xg_ir_put_attr(const xg_ir *ir, const xg_ir_op *op, xg_buf *b, const xg_ir_attr *a) {
    uint32_t k;
    if (b->n > XG_IR_TEXT_BYTES_MAX)
        xg_ir_refuse(
            ir, op, XLAGPU_ERROR_LIMIT, NULL, "an attribute is longer than %d bytes", (int)XG_IR_TEXT_BYTES_MAX);
    switch (a->kind) {
    case XG_IR_BOOL: xg_puts(b, a->i ? "true" : "false"); return;
    case XG_IR_INT: xg_ir_put_int(b, a); return;
    case XG_IR_FLOAT: xg_ir_put_float(b, a); return;
    case XG_IR_STRING: xg_put_quoted(b, a->text); return;
    case XG_IR_SYMBOL: xg_printf(b, "@%.*s", (int)a->text.n, a->text.p); return;
    case XG_IR_LIST:
    case XG_IR_DICT: xg_ir_put_items(ir, op, b, a); return;
    case XG_IR_INTS:
        xg_puts(b, "array<i64");
        for (k = 0; k < a->n; k++) xg_printf(b, "%s%lld", k ? ", " : ": ", (long long)a->v.ints[k]);
        xg_putc(b, '>');
        return;
    default: break;
    }
    xg_ir_refuse(ir, op, XLAGPU_ERROR_UNSUPPORTED, "StableHLO text has it", "an attribute of this kind in bytecode");
}

#endif /* XG_IMPORT_IR_TEXT_C */
