/* block/block.h -- algorithms of a whole block: sorts, the best few of a row, Fourier transforms, triangular systems,
 * factorisations (programs in a language of their own, block.c), merges. Each is an emitter: a plan and an emit
 * function, in the table of emit/emitters.h. */
#ifndef XG_BLOCK_H
#define XG_BLOCK_H
#include "../elem/elem.h"

/* ---- block.c: what the threads of a block do together, from a program's text ---- */
enum {
    XG_BLOCK_VARS = 64,
    XG_BLOCK_ARRAYS = 16
};
typedef enum xg_block_where {
    XG_BLOCK_OPERAND,
    XG_BLOCK_RESULT,
    XG_BLOCK_SHARED
} xg_block_where;
typedef enum xg_block_team {
    XG_BLOCK_ALL,
    XG_BLOCK_ROWS,
    XG_BLOCK_COLUMNS
} xg_block_team;
typedef struct xg_block_var {
    xg_str name;
    char kind;
    xg_elem e;
} xg_block_var;
typedef struct xg_block_array {
    xg_str name;
    char kind; /* 'n' elements, 'r' real numbers, 'i' ints */
    xg_block_where where;
    uint32_t number; /* of the operand or result */
    int64_t rows, columns, pitch;
    const xg_shape *shape;       /* of operand or result */
    struct xg_block_array *lent; /* the result in whose memory it lies */
    xg_kval *tensor;
} xg_block_array;
typedef struct xg_block {
    xg_scope s;
    uint32_t at;
    xg_kelem real, element;
    struct xg_block_token *tokens;
    uint32_t n_vars, n_arrays, n_in, n_out;
    const xg_inst *i;                              /* the call */
    int64_t threads, lanes, lines, groups, blocks; /* lanes x lines, or groups of neighbours */
    xg_fusion_emission *e;
    bool is_complex;
    xg_kval *thread, *lane, *line, *group, *place, *batch; /* place: within the group */
    int64_t shared, reserved;                              /* bytes: used, and not to be used by work arrays */
    xg_block_var vars[XG_BLOCK_VARS];
    xg_block_array arrays[XG_BLOCK_ARRAYS];
    xg_kval **results;
    xg_kval *part[3]; /* for parts of sums */
    xg_block_team team;
    xg_kval *member, *active, *index[2];
    int64_t members;
    bool alone; /* inside of `each`: what is written here is this thread's own */
} xg_block;
XG_FN void xg_block_read(xg_block *d, const char *text); /* d->tokens is NULL before */
XG_FN void xg_block_let_real(xg_block *d, xg_str name, double v);
XG_FN void xg_block_let_bool(xg_block *d, xg_str name, bool v);
XG_FN void xg_block_read_head(xg_block *d, xg_kval **results); /* the declarations, by which run begins */
XG_FN void xg_block_run(xg_block *d, xg_kval **results);       /* results: memory, then what was written to it */
/* ---- merge.c ---- */
XG_FN bool xg_emit_merge_plan(xg_fusion_emission *e);
XG_FN void xg_emit_merge(xg_fusion_emission *e);
/* ---- topk.c ---- */
XG_FN bool xg_emit_topk_plan(xg_fusion_emission *e);
XG_FN void xg_emit_topk(xg_fusion_emission *e);
/* ---- sort.c ---- */
XG_FN bool xg_emit_sort_plan(xg_fusion_emission *e);
XG_FN void xg_emit_sort(xg_fusion_emission *e);
/* ---- fft_butterfly.c ---- */
/* the transform of so few elements, in registers */
XG_FN void xg_fft_butterfly(xg_kb *b, xg_elem *x, int64_t radix, double sign);
XG_FN xg_elem xg_fft_times(xg_kb *b, xg_elem x, xg_elem w);
/* exp(sign 2 pi i k / n), index k in 0 .. most < n */
XG_FN xg_elem xg_fft_root_at(xg_kb *b, xg_kval *k, int64_t most, int64_t n, double sign, xg_kelem real);
/* ---- fft.c ---- */
XG_FN bool xg_emit_fft_plan(xg_fusion_emission *e);
XG_FN void xg_emit_fft(xg_fusion_emission *e);
/* ---- triangular.c ---- */
XG_FN bool xg_emit_triangular_plan(xg_fusion_emission *e);
XG_FN void xg_emit_triangular(xg_fusion_emission *e);
/* ---- solver.c ---- */
XG_FN bool xg_emit_solver_plan(xg_fusion_emission *e);
XG_FN void xg_emit_solver(xg_fusion_emission *e);
#endif /* XG_BLOCK_H */
