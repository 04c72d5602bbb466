/* sched/library.h -- fusions that a vendor library's function makes: what it is called with, and how long it takes.
 *
 * A way as the rules are (choice/choice.h), with two differences: the plan's form is the call itself, number by number
 * in the order of the library's fields (api/executable.h), and there is no kernel to emit. The step that runs it is a
 * library-call; memory that the library works in is part of the plan. */
#ifndef XG_SCHED_LIBRARY_H
#define XG_SCHED_LIBRARY_H
#include "../api/executable.h"
#include "../emit/emit.h"

/* ---- cublaslt.c ---- */
enum {
    XG_LT_WORKSPACE_BYTES = 32 << 20 /* at most; what NVIDIA advises for sm_90: algorithms that split k need it */
};
XG_FN bool xg_f8_fuse(xg_module *m); /* f8_pass.c: the pass narrow-product-fusion */
XG_FN bool xg_cublaslt_plan(xg_way_job *job, xg_record *r, xg_way_times *times);
XG_FN const char *xg_cublaslt_field(xg_exe_matmul which); /* the name of that number in a record */

/* ---- dnn_norm.c ---- */
XG_FN bool xg_cudnn_plan(xg_way_job *job, xg_record *r, xg_way_times *times); /* attention and norms */

/* ---- library.c ---- */
XG_FN xg_kmodule *xg_library_emit(
    xg_way_job *job, const xg_record *r, xg_str kernel_name); /* fails: it has no kernel */
XG_FN bool xg_library_makes(const xg_record *r);              /* r, which may be NULL, names a library */
XG_FN bool xg_library_is_target(const xg_inst *i);            /* a custom call that a library makes */
XG_FN bool xg_library_waits(const xg_inst *i);          /* one that waits for the device while it enqueues its work */
XG_FN int64_t xg_library_workspace(const xg_record *r); /* bytes of device memory beside its operands and results */
/* A list of names, "cublaslt,cufft", as bits; false: *wrong is no library. "none", "" and "auto" have no bits; "always"
 * has XG_EXE_LIBRARY_ALWAYS. */
#define XG_LIBRARY_NAMES "cublaslt, cufft, cudnn, cusolver and always"
XG_FN bool xg_library_bits(const char *list, uint32_t *bits, xg_str *wrong);
#endif /* XG_SCHED_LIBRARY_H */
