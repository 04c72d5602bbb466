/* plan/multicast.c -- the kernel of an all-reduce by a multicast object (NVLink SHARP, PTX's multimem).
 *
 * Memory of all members of a group stands behind one address. A load that reduces gives the sum of what all have at a
 * place, a store goes to all. Each member does that for its own part of the operand, in units of 16 bytes, so that all
 * have the same bits. In which order members are added, the switch decides.
 *
 * Floats of 16 bits are added as f32 and rounded once. Not here: minima and maxima of floats, for what a NaN gives is
 * not said; products, which no switch makes. */
#ifndef XG_PLAN_MULTICAST_C
#define XG_PLAN_MULTICAST_C
#include "plan.h"

enum {
    XG_CAST_UNIT_BYTES = 16,
    XG_CAST_THREADS = 256
};
/* X(type, what an addition reads, what is stored, what other operations read; "": there are none, bytes of a
 * register, registers of an instruction) */
#define XG_CAST_TYPES(X) \
    X(F32, "v4.f32", "v4.f32", "", 4, 4) \
    X(F16, "acc::f32.v4.f16x2", "v4.f16x2", "", 4, 4) \
    X(BF16, "acc::f32.v4.bf16x2", "v4.bf16x2", "", 4, 4) \
    X(F64, "f64", "f64", "", 8, 1) \
    X(S32, "u32", "u32", "s32", 4, 1) \
    X(U32, "u32", "u32", "u32", 4, 1) \
    X(S64, "u64", "u64", "s64", 8, 1) \
    X(U64, "u64", "u64", "u64", 8, 1)
typedef struct xg_cast_row {
    xlagpu_type type;
    const char *add, *store, *other;
    uint32_t bytes, registers;
} xg_cast_row;
/* op: as multimem calls it. NULL: there is no such instruction. */
XG_FN const xg_cast_row *xg_cast_row_of(const xg_inst *i, const char **op) {
    XG_TABLE const xg_cast_row rows[] = {
#define X(type, add, store, other, bytes, registers) {XLAGPU_##type, add, store, other, bytes, registers},
        XG_CAST_TYPES(X)
#undef X
    };
    int reducer = xg_opt_device_reducer(i);
    uint32_t k = 0;
    *op = reducer == XG_ADD ? "add" : reducer == XG_MINIMUM ? "min" : reducer == XG_MAXIMUM ? "max" : NULL;
    while (k < XG_COUNT(rows) && rows[k].type != XG_OPERAND(i, 0)->shape->type) k++;
    return *op && k < XG_COUNT(rows) && (reducer == XG_ADD || *rows[k].other) ? &rows[k] : NULL;
}
XG_FN bool xg_plan_can_cast(const xg_inst *i) {
    const xg_module *m = i->comp->module;
    const char *op;
    uint32_t k;
    for (k = 1; k < i->n_operands; k++)
        if (XG_OPERAND(i, k)->shape->type != XG_OPERAND(i, 0)->shape->type) return false;
    return m->device.link_reduces == 1 && m->device.cc >= 90 && !m->deterministic && xg_cast_row_of(i, &op);
}
/* "r0, r1, r2, r3", from register `first` on. */
XG_FN void xg_cast_put_registers(xg_buf *b, const xg_cast_row *r, uint32_t first) {
    uint32_t k;
    for (k = 0; k < r->registers; k++) xg_printf(b, "%s%%x%u", k ? ", " : "", first + k);
}
XG_FN xg_str xg_plan_cast_kernel(
    xg_arena *a, const xg_inst *i, uint32_t operand, uint32_t members, xg_plan_kernel *k, uint32_t *instructions) {
    const char *op, *name = k->name.p;
    const xg_cast_row *r = xg_cast_row_of(i, &op);
    int64_t part = (int64_t)XG_CAST_UNIT_BYTES * members, /* a unit of each member */
        units = (xg_plan_bytes(XG_OPERAND(i, operand)->shape) + part - 1) / part;
    uint32_t n = XG_CAST_UNIT_BYTES / r->bytes, step = r->bytes * r->registers, j;
    const char *open = r->registers > 1 ? "{" : "", *close = r->registers > 1 ? "}" : "";
    xg_buf b;
    k->threads[0] = (uint32_t)XG_MIN(units, (int64_t)XG_CAST_THREADS);
    k->blocks[0] = (uint32_t)((units + k->threads[0] - 1) / k->threads[0]);
    k->threads[1] = k->threads[2] = k->blocks[1] = k->blocks[2] = 1;
    *instructions = 8 + 2 * n / r->registers;
    xg_buf_init(&b, a);
    xg_printf(&b, "\n.visible .entry %s(\n\t.param .u64 .ptr .global .align 16 %s_param_0\n)\n", name, name);
    xg_printf(&b, ".reqntid %u, 1, 1\n{\n\t.reg .pred %%p;\n\t.reg .b32 %%r, %%s;\n\t.reg .b64 %%rd;\n", k->threads[0]);
    xg_printf(&b, "\t.reg .b%u %%x<%u>;\n\tld.param.b64 %%rd, [%s_param_0];\n", 8 * r->bytes, n, name);
    xg_printf(
        &b, "\tmov.u32 %%r, %%tid.x;\n\tmov.u32 %%s, %%ctaid.x;\n\tmad.lo.u32 %%r, %%s, %u, %%r;\n", k->threads[0]);
    xg_printf(&b, "\tsetp.ge.u32 %%p, %%r, %lld;\n\t@%%p ret;\n\tmad.wide.u32 %%rd, %%r, %d, %%rd;\n", (long long)units,
        (int)XG_CAST_UNIT_BYTES);
    for (j = 0; j < n; j += r->registers) {
        xg_printf(
            &b, "\tmultimem.ld_reduce.relaxed.sys.global.%s.%s %s", op, strcmp(op, "add") ? r->other : r->add, open);
        xg_cast_put_registers(&b, r, j);
        xg_printf(&b, "%s, [%%rd+%u];\n", close, j / r->registers * step);
    }
    for (j = 0; j < n; j += r->registers) {
        xg_printf(&b, "\tmultimem.st.relaxed.sys.global.%s [%%rd+%u], %s", r->store, j / r->registers * step, open);
        xg_cast_put_registers(&b, r, j);
        xg_printf(&b, "%s;\n", close);
    }
    xg_puts(&b, "\tret;\n}\n");
    return xg_str_of(b.p, b.n);
}

#endif /* XG_PLAN_MULTICAST_C */
