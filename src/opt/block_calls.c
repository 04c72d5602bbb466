/* opt/block_calls.c -- factorisations that one kernel makes: custom calls of targets "__xlagpu$getrf", "__xlagpu$syevd"
 * ..., which block/solver.c turns into block programs.
 *
 * Operands and results are [batch, rows, columns] (vectors: one row), of the types that kernels compute in, and mean
 * what the call of cuSOLVER or LAPACK of that name means. One block makes one matrix. That is best while a step on the
 * matrix takes no longer than the launches of a loop's kernels, each of which has all of the machine; XG_BLOCK_LIMITS
 * says up to which size. Beyond it, unless there are many matrices, the expanders make loops.
 *
 * XG_BLOCK_LIMITS: X(name, largest dimension of few matrices) */
#ifndef XG_OPT_BLOCK_CALLS_C
#define XG_OPT_BLOCK_CALLS_C
#include "opt.h"

/* clang-format off */
#define XG_BLOCK_LIMITS(X) \
    X("getrf", 288) \
    X("pivots", 65536) \
    X("geqrf", 160) \
    X("geqp3", 208) \
    X("gehrd", 512) \
    X("ormqr", 160) \
    X("syevd", 512) \
    X("gesvd", 512) \
    X("gesvdj", 512) \
    X("gtsv", 512) \
    X("gees", 512) \
    X("geev", 512)
/* clang-format on */
enum {
    XG_BLOCK_LITTLE = 8192 /* bytes of a matrix that always has room in shared memory */,
    XG_BLOCK_MANY = 32 /* matrices keep a good part of a machine busy */,
    XG_BLOCK_DIM_MAX = 1024 /* of any number of matrices: lengths and the like lie in shared memory */
};
static const char xg_block_prefix[] = "__xlagpu$";

XG_FN xg_str xg_block_call_name(const xg_inst *i) {
    xg_str t = xg_attr_str(i, XG_A_custom_call_target);
    return xg_str_of(t.p + (sizeof xg_block_prefix - 1), t.n - (uint32_t)(sizeof xg_block_prefix - 1));
}
XG_FN bool xg_block_array_fits(const xg_shape *s, int64_t batch) {
    return xg_shape_is_array(s) && s->rank == 3 && !s->dynamic && s->elements && s->dims[0] == batch;
}
XG_FN bool xg_is_block_call(const xg_inst *i) {
    xg_str t;
    uint32_t k;
    if (i->op != XG_CUSTOM_CALL || !i->n_operands) return false;
    t = xg_attr_str(i, XG_A_custom_call_target);
    if (t.n < sizeof xg_block_prefix || memcmp(t.p, xg_block_prefix, sizeof xg_block_prefix - 1) != 0 ||
        !xg_shape_is_array(XG_OPERAND(i, 0)->shape) || XG_OPERAND(i, 0)->shape->rank != 3)
        return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_block_array_fits(XG_OPERAND(i, k)->shape, XG_OPERAND(i, 0)->shape->dims[0])) return false;
    if (i->shape->type != XLAGPU_TUPLE) return xg_block_array_fits(i->shape, XG_OPERAND(i, 0)->shape->dims[0]);
    for (k = 0; k < i->shape->n_elems; k++)
        if (!xg_block_array_fits(i->shape->elems[k], XG_OPERAND(i, 0)->shape->dims[0])) return false;
    return i->shape->n_elems > 0;
}

XG_FN bool xg_block_needs(const xg_inst *element) {
    const xg_shape *s = element->shape;
    return element->op == XG_GET_TUPLE_ELEMENT && xg_is_block_call(XG_OPERAND(element, 0)) &&
           s->dims[1] * s->dims[2] * xg_type_bytes(s->type) > XG_BLOCK_LITTLE;
}

XG_FN bool xg_block_in_place(const xg_inst *i, uint32_t operand) {
    XG_TABLE const char names[][6] = {"getrf", "geqrf", "geqp3", "gehrd"};
    const xg_shape *to = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[0] : i->shape;
    xg_str name = xg_block_call_name(i);
    uint32_t k;
    if (xg_str_is(name, "ormqr")) return operand == 2;
    if (operand || XG_OPERAND(i, 0)->shape->type != to->type) return false;
    for (k = 0; k < XG_COUNT(names); k++)
        if (xg_str_is(name, names[k])) return true;
    return false;
}

typedef struct xg_block_limit {
    const char *name;
    int64_t limit;
} xg_block_limit;
XG_FN bool xg_block_fits(const char *name, const xg_inst *a) {
    XG_TABLE const xg_block_limit rows[] = {
#define X(name, limit) {name, limit},
        XG_BLOCK_LIMITS(X)
#undef X
    };
    const xg_shape *s = a->shape;
    int64_t dim = XG_MAX(s->dims[1], s->dims[2]);
    uint32_t k;
    for (k = 0; strcmp(rows[k].name, name) != 0; k++) {}
    return s->rank == 3 && s->elements && !s->dynamic &&
           (dim <= rows[k].limit || (s->dims[0] >= XG_BLOCK_MANY && dim <= XG_BLOCK_DIM_MAX));
}
XG_FN const xg_shape *xg_block_shape(const xg_hb *b, xlagpu_type t, int64_t batch, int64_t rows, int64_t columns) {
    int64_t dims[3];
    dims[0] = batch;
    dims[1] = rows;
    dims[2] = columns;
    return xg_hb_shape(b, t, dims, 3);
}
/* The results go to out. config: in the notation of backend_config, or NULL. */
XG_FN void xg_block_call_make(const xg_hb *b, const char *name, const char *config, xg_inst *const *in, uint32_t n,
    const xg_shape *const *shapes, uint32_t n_out, xg_inst **out) {
    xg_module *m = b->comp->module;
    xg_inst *i = xg_hb_op(b, XG_CUSTOM_CALL, n_out == 1 ? shapes[0] : xg_shape_tuple(m, shapes, n_out), in, n);
    char target[32];
    uint32_t k;
    xg_format(target, sizeof target, "%s%s", xg_block_prefix, name);
    xg_inst_set_text(i, XG_A_custom_call_target, target);
    if (config) xg_inst_set_text(i, XG_A_backend_config, config);
    out[0] = i;
    if (n_out > 1)
        for (k = 0; k < n_out; k++) out[k] = xg_hb_element(b, i, k);
}

#endif /* XG_OPT_BLOCK_CALLS_C */
