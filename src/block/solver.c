/* block/solver.c -- calls of solvers ("__xlagpu$getrf" and the like) as kernels: one block for each matrix of the batch
 * runs the call's block program. */
#ifndef XG_BLOCK_SOLVER_C
#define XG_BLOCK_SOLVER_C
#include "../eval/eval.h"
#include "block.h"
#include "solver_programs.h"
#include "block_expr.c"

enum {
    XG_SOLVER_THREADS = 1024 /* that fill a multiprocessor */
};
typedef struct xg_solver_program {
    const char *name, *text;
} xg_solver_program;
XG_FN const char *xg_solver_text(const xg_inst *i) {
    XG_TABLE const xg_solver_program rows[] = {
#define X(name, text) {name, text},
        XG_SOLVER_PROGRAMS(X)
#undef X
    };
    xg_str name = xg_block_call_name(i);
    uint32_t k;
    for (k = 0; k < XG_COUNT(rows); k++)
        if (xg_str_is(name, rows[k].name)) return rows[k].text;
    xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "replace the call by HLO operations",
        "there is no kernel of the name '%.*s'", (int)name.n, name.p);
}
/* The call that the root is an output of, or NULL. */
XG_FN const xg_inst *xg_solver_of_root(const xg_inst *root) {
    if (root->op == XG_GET_TUPLE_ELEMENT) root = XG_OPERAND(root, 0);
    return xg_is_block_call(root) ? root : NULL;
}

XG_FN int64_t xg_solver_power(int64_t n, int64_t most) {
    int64_t p = 1;
    while (p < n && p < most) p *= 2;
    return p;
}
/* How many threads: four elements of the matrix each, more where those are many; few enough that a thread has registers
 * for what it does. LU and QR: up to four times fewer where matrices fill the device without, since most of what a
 * block does for a column is the same for each of its warps. */
XG_FN void xg_solver_shape(xg_block *d, const xg_shape *a) { /* a: the first result */
    xg_str name = xg_block_call_name(d->i);
    bool direct;
    int64_t m, n, lines, full = d->e->target->sms * XG_SOLVER_THREADS;
    uint32_t k;
    for (k = 0; k < d->i->n_operands; k++)
        if (XG_OPERAND(d->i, k)->shape->elements > a->elements) a = XG_OPERAND(d->i, k)->shape;
    m = a->dims[1];
    n = a->dims[2];
    d->threads =
        XG_MAX(xg_solver_power(m * n / 4, xg_kelem_bytes(d->element) == 16 ? 256 : 512), (int64_t)XG_WARP_LANES);
    direct = xg_str_is(name, "getrf") || xg_str_is(name, "geqrf");
    for (k = 0; k < 2 && direct && d->threads > XG_WARP_LANES && d->blocks * d->threads > full; k++) d->threads /= 2;
    d->lanes = xg_solver_power(n, XG_WARP_LANES);
    d->lines = d->threads / d->lanes;
    lines = xg_solver_power(XG_MAX(m, n), XG_WARP_LANES);
    d->groups = d->threads / lines;
}
XG_FN void xg_solver_names(xg_block *d) {
    const xg_inst *i = d->i;
    bool wide = d->real == XG_E_F64;
    double eps = wide ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    const xg_shape *a = XG_OPERAND(i, 0)->shape, *taus = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[1] : NULL;
    xg_block_let_bool(d, XG_STR("lower"), xg_call_flag(i, "lower", true));
    xg_block_let_bool(d, XG_STR("left"), xg_call_flag(i, "left", true));
    xg_block_let_bool(d, XG_STR("adjoint"), xg_call_flag(i, "transpose", false));
    xg_block_let_bool(d, XG_STR("real"), xg_type_class(XG_OPERAND(i, 0)->shape->type) != XGT_C);
    xg_block_let_real(d, XG_STR("eps"), eps);
    xg_block_let_real(d, XG_STR("limit"), wide ? 1e100 : 1e12);
    xg_block_let_real(d, XG_STR("tol"), 2 * eps * sqrt((double)XG_MAX(a->dims[1], a->dims[2])));
    xg_block_let_real(d, XG_STR("floor"), wide ? 1e-70 : 1e-9);
    xg_block_let_int(d, XG_STR("threads"), d->threads);
    if (taus) xg_block_let_int(d, XG_STR("k_max"), taus->dims[2]);
}
/* What the arrays take that the program declares: its head is read, and what that makes goes nowhere. */
XG_FN int64_t xg_solver_shared_bytes(const xg_block *d) {
    xg_arena *a = d->e->arena;
    xg_fusion_emission *e = XG_NEW(a, xg_fusion_emission);
    xg_block *head = XG_NEW(a, xg_block);
    xg_kfunc *f;
    *e = *d->e;
    e->m = xg_kir_module(e->ctx, a, e->m->aff);
    f = xg_kir_func(e->m, e->name, NULL, 0, NULL, 0);
    *head = *d;
    head->e = head->s.e = e;
    head->s.b = xg_kb_end(e->m, f->body);
    xg_solver_names(head);
    xg_block_read_head(head, XG_NEW_N(a, xg_kval *, e->n_roots + (size_t)1));
    return xg_shared_taken(f->body);
}
XG_FN bool xg_emit_solver_plan(xg_fusion_emission *e) {
    const xg_inst *i = xg_solver_of_root(e->roots[0]);
    const xg_shape *first; /* in whose type it is computed */
    xg_block *d;
    xlagpu_type t;
    if (!i) return false;
    first = i->shape->type == XLAGPU_TUPLE ? i->shape->elems[0] : i->shape;
    t = xg_type_class(first->type) & (XGT_F | XGT_C) ? first->type : XLAGPU_F32;
    d = XG_NEW(e->arena, xg_block);
    e->form = d;
    d->e = e;
    d->i = i;
    xg_block_read(d, xg_solver_text(i));
    if (t != XLAGPU_F32 && t != XLAGPU_F64 && t != XLAGPU_C64 && t != XLAGPU_C128)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "convert the operands to f32",
            "solvers in %s are not supported in kernels", xg_type_name(t));
    d->element = xg_kelem_of(t);
    d->real = xg_kelem_of(xg_type_real(t));
    d->is_complex = xg_type_class(t) == XGT_C;
    d->blocks = XG_OPERAND(i, 0)->shape->dims[0];
    xg_solver_shape(d, first);
    if (d->blocks > INT32_MAX)
        xg_hlo_fail(i, XLAGPU_ERROR_LIMIT, NULL,
            "a solver of %lld matrices; at most 2147483647 are supported in kernels", (long long)d->blocks);
    e->record->launch.shared = xg_solver_shared_bytes(d);
    return xg_emit_launch(e, d->threads, d->blocks, 0);
}
XG_FN void xg_emit_solver(xg_fusion_emission *e) {
    xg_block *d = (xg_block *)e->form;
    xg_kval **dest = xg_emit_enter(e, &d->s);
    d->thread = d->member = xg_kthread_id(&d->s.b, 0, d->threads);
    d->members = d->threads;
    d->batch = xg_kblock_id(&d->s.b, 0, d->blocks);
    d->lane = xg_block_divided(d, d->thread, d->lanes, true);
    d->line = xg_block_divided(d, d->thread, d->lanes, false);
    d->place = xg_block_divided(d, d->thread, d->threads / d->groups, true);
    d->group = xg_block_divided(d, d->thread, d->threads / d->groups, false);
    xg_solver_names(d);
    xg_block_run(d, dest);
    xg_kreturn(&d->s.b, dest, e->n_roots);
}

#endif /* XG_BLOCK_SOLVER_C */
