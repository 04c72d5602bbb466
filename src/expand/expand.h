/* expand/expand.h -- operations that no kernel makes as they are, as others that kernels make: loops, sums, solvers,
 * random bits, arrays of dynamic size, calls of libraries. Passes as those of opt/. */
#ifndef XG_EXPAND_H
#define XG_EXPAND_H
#include "../opt/opt.h"

/* dynamic_padder.c: bounded dimensions as arrays of their bounds and sizes */
XG_FN bool xg_expand_dynamic_padder(xg_module *m);
XG_FN bool xg_expand_scan_expander(xg_module *m);       /* scan_expander.c: scan as running sums, doubling or loops */
XG_FN bool xg_expand_ragged_finder(xg_module *m);       /* ragged_finder.c: masked dots of all groups, as ragged-dot */
XG_FN bool xg_expand_scan_finder(xg_module *m);         /* scan_finder.c: scans that are written out, as running sums */
XG_FN bool xg_expand_fft_expander(xg_module *m);        /* fft_expander.c: fft as dots with matrices of roots */
XG_FN bool xg_expand_library_rewriter(xg_module *m);    /* library_rewriter.c: what cuFFT and cuSOLVER are called for */
XG_FN bool xg_expand_conv_rewriter(xg_module *m);       /* conv_rewriter.c: what cuDNN is called for */
XG_FN bool xg_expand_batch_norm_rewriter(xg_module *m); /* batch_norm_rewriter.c: likewise */
XG_FN uint64_t xg_library_call_flops(const xg_inst *i); /* of a call that it made */
/* of a transform of the last dimensions, as it is usually counted: 5 n log2 n, half of that for real numbers */
XG_FN uint64_t xg_fft_flops(const xg_shape *from, const xg_shape *to, uint32_t dims);
XG_FN bool xg_expand_linear_expander(xg_module *m); /* linear_expander.c: cholesky and triangular-solve as loops */
/* solver_calls.c: the calls of libraries for factorisations, as loops */
XG_FN bool xg_expand_solver_calls(xg_module *m);
/* library_calls.c: what XLA:GPU calls cuBLAS and cuDNN for, as the operations that it was */
XG_FN bool xg_expand_library_calls(xg_module *m);
XG_FN bool xg_expand_random_expander(xg_module *m);     /* random_expander.c: rng as random bits and arithmetic */
XG_FN bool xg_expand_contract_expander(xg_module *m);   /* contract_expander.c: ragged-dot and scaled-dot as dots */
XG_FN bool xg_expand_batch_norm_expander(xg_module *m); /* batch_norm_expander.c */
/* select_and_scatter_expander.c: which element each window selects, then which windows selected an element */
XG_FN bool xg_expand_select_and_scatter_expander(xg_module *m);

/* ---- fft_stages.c: transforms in one block ---- */
typedef struct xg_fft_stage_row {
    uint32_t dim;
    int64_t radix, length, done, inner;
} xg_fft_stage_row;
/* table: the roots that sums need; 0: there are none */
typedef struct xg_fft_stages {
    xg_fft_stage_row p[64];
    uint32_t n;
    int64_t table;
} xg_fft_stages;
XG_FN xg_fft_stages xg_fft_stages_of(const int64_t *lengths, uint32_t n, int64_t inner);
/* count transforms of elements of so many bytes */
XG_FN bool xg_fft_fits(const int64_t *lengths, uint32_t n, int64_t count, int64_t bytes);
/* and transforms that take several kernels, fuse/fft_passes.c */
XG_FN int64_t xg_fft_first_pass(int64_t length, int64_t bytes);
XG_FN bool xg_fft_lengths(const xg_inst *i, int64_t *length);
XG_FN uint32_t xg_fft_last_pass(const xg_inst *i);
XG_FN bool xg_fft_is_kernel(const xg_inst *i);
XG_FN bool xg_fft_has_passes(const xg_inst *i);
XG_FN int64_t xg_fft_places(int64_t elements, int64_t bytes);

/* fft_stages.c */
enum {
    XG_FFT_RADIX_MAX = 13 /* prime factors up to this one are butterflies in registers */
};

/* dynamic_values.c */
XG_FN bool xg_dyn_is_open(const xg_shape *s, uint32_t d);
#endif /* XG_EXPAND_H */
