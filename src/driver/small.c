/* driver/small.c -- what a small build (XLAGPU_SMALL) lacks, refused by name before anything is compiled.
 *
 * Rows in XG_WHOLE stand in no table of a small build, and what only they call is dropped by the C compiler. Passes
 * that merely make better kernels are simply absent; what a module or an option cannot do without is a row here.
 *
 * XG_SMALL_LACKS: X(what, instructions that need it) */
#ifndef XG_DRIVER_SMALL_C
#define XG_DRIVER_SMALL_C
#include "driver.h"

#ifdef XLAGPU_SMALL

/* clang-format off */
#define XG_SMALL_LACKS(X) \
    X("solvers are", i->op == XG_CHOLESKY || i->op == XG_TRIANGULAR_SOLVE) \
    X("calls of solvers, of sorts and of random numbers are", xg_eval_is_left_out(i)) \
    X("sorts are", i->op == XG_SORT || i->op == XG_TOPK) \
    X("random numbers are", i->op == XG_RNG || i->op == XG_RNG_BIT_GENERATOR || i->op == XG_RNG_GET_AND_UPDATE_STATE) \
    X("complex numbers are", i->shape->type == XLAGPU_C64 || i->shape->type == XLAGPU_C128) \
    X("the partitioner and what devices send each other are", xg_opt_is_collective(i) || i->op == XG_PARTITION_ID || \
        i->op == XG_REPLICA_ID) \
    X("Fourier transforms are", i->op == XG_FFT) \
    X("scans are", i->op == XG_SCAN) \
    X("ragged and scaled products are", i->op == XG_RAGGED_DOT || i->op == XG_SCALED_DOT) \
    X("asynchronous operations are", (xg_op_flags(i->op) & (XGF_START | XGF_DONE)) != 0 || i->op == XG_ASYNC_UPDATE) \
    X("bounded dynamic dimensions are", xg_small_is_dynamic(i->shape)) \
    X("calls of cuBLAS and cuDNN are", xg_small_is_library_call(i))
/* clang-format on */

XG_FN bool xg_small_is_dynamic(const xg_shape *s) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) return s->dynamic != 0;
    for (k = 0; k < s->n_elems && !xg_small_is_dynamic(s->elems[k]); k++) {}
    return k < s->n_elems;
}
XG_FN bool xg_small_is_library_call(const xg_inst *i) {
    xg_str t = xg_attr_str(i, XG_A_custom_call_target);
    return i->op == XG_CUSTOM_CALL && t.n > 4 && memcmp(t.p, "__cu", 4) == 0;
}
XG_FN void xg_small_check_inst(const xg_inst *i) {
#define X(what, needs) \
    if (needs) xg_hlo_left_out(i, what);
    XG_SMALL_LACKS(X)
#undef X
}
XG_FN void xg_small_check_option(xg_ctx *c, bool wanted, const char *what) {
    if (wanted) xg_fail(c, XLAGPU_ERROR_UNSUPPORTED, "%s left out of this build (XLAGPU_SMALL)", what);
}
XG_FN void xg_small_check(const xg_module *m, const xg_driver_options *o) {
    const xg_comp *c;
    xg_small_check_option(m->ctx, o->devices > 1 || m->num_partitions > 1 || m->replica_count > 1,
        "the partitioner, and programs of several devices, are");
    xg_small_check_option(
        m->ctx, o->schedules || o->records || o->schedule.text || o->tuned.text, "schedules and records as files are");
    xg_small_check_option(m->ctx, o->predict, "the model of time is");
    xg_small_check_option(m->ctx, o->libraries != 0, "calls of libraries are");
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c) xg_small_check_inst(i);
}

#endif
#endif /* XG_DRIVER_SMALL_C */
