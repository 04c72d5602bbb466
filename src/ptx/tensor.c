/* ptx/tensor.c -- tensor memory: tcgen05. One thread has the matrix units multiply two matrices in shared memory; the
 * sums lie in a memory of their own, 128 lanes of 512 columns, from which warps read them.
 *
 * Two neighbouring blocks may multiply together (xg_kfunc.pairs): 256 rows, of which each has half in its own tensor
 * memory, by columns of which each has half in its shared memory. Every instruction of such a kernel then says
 * .cta_group::2, and what is done arrives at a barrier of both.
 *
 * The multiplication itself says its shape in a register of 32 bits, the instruction descriptor (PTX ISA, "Instruction
 * descriptor"): the type of sums at bit 4, of both factors at bits 7 and 10, which of them have their rows side by side
 * at bits 15 and 16, columns in eighths at bit 17, rows in sixteenths at bit 24. */
#ifndef XG_PTX_TENSOR_C
#define XG_PTX_TENSOR_C
#include "bulk.c"
#include "wgmma.c"

enum {
    XG_PTX_TENSOR_ISA = 86,
    XG_PTX_TENSOR_NO_I8 = 103, /* compute capability without .kind::i8, which needs the letter a */
    XG_PTX_TENSOR_SUM_AT = 4,
    XG_PTX_TENSOR_A_AT = 7,
    XG_PTX_TENSOR_B_AT = 10,
    XG_PTX_TENSOR_A_ROWS_AT = 15,
    XG_PTX_TENSOR_B_ROWS_AT = 16,
    XG_PTX_TENSOR_N_AT = 17,
    XG_PTX_TENSOR_M_AT = 24
};

static void xg_ptx_need_tensor_memory(xg_ptx *p) {
    if (!xg_ptx_has_tensor_memory(p->target))
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' multiplies in tensor memory, which sm_100a, sm_103a and sm_110a have, but %s has not",
            (int)p->f->name.n, p->f->name.p, p->target->name);
    xg_ptx_need_isa(p, XG_PTX_TENSOR_ISA);
    p->letter = true;
}
/* ".cta_group::1", or that of pairs of blocks. */
static char *xg_ptx_pen_group(const xg_ptx *p, char *at) {
    return xg_ptx_pen_digits(xg_ptx_pen_text(at, ".cta_group::"), p->f->pairs ? 2 : 1);
}
/* The number that the descriptor has for a factor's type, among those of its kind of multiplication. */
static uint32_t xg_ptx_tensor_type(const char *type) {
    enum {
        TF32 = 2
    };
    XG_TABLE const char *const second[] = {"bf16", "e5m2", "s8"};
    size_t k;
    if (strcmp(type, "tf32") == 0) return TF32;
    for (k = 0; k < XG_COUNT(second) && strcmp(type, second[k]) != 0; k++) {}
    return k < XG_COUNT(second);
}
static uint32_t xg_ptx_tensor_shape(const xg_kop *op, const xg_kmma_row *row, bool pairs) {
    enum {
        SUM_F32 = 1,
        SUM_S32 = 2
    };
    uint32_t sum = row->sum == XG_E_F32 ? SUM_F32 : SUM_S32;
    return sum << XG_PTX_TENSOR_SUM_AT | xg_ptx_tensor_type(row->a) << XG_PTX_TENSOR_A_AT |
           xg_ptx_tensor_type(row->b) << XG_PTX_TENSOR_B_AT |
           (uint32_t)((op->flags & XG_KWGMMA_A_ROWS) != 0) << XG_PTX_TENSOR_A_ROWS_AT |
           (uint32_t)((op->flags & XG_KWGMMA_B_ROWS) != 0) << XG_PTX_TENSOR_B_ROWS_AT |
           (uint32_t)op->b / 8 << XG_PTX_TENSOR_N_AT |
           (uint32_t)XG_KTENSOR_M * (pairs ? 2u : 1u) / 16 << XG_PTX_TENSOR_M_AT;
}
static xg_ptx_lane xg_ptx_tensor_operand(xg_ptx *p, const xg_kop *op, uint32_t k) {
    return xg_ptx_in_reg(p, &xg_ptx_of(XG_KOPERAND(op, k))->lane[0]);
}

/* A warp that has what it needs says so: others may allocate. */
static void xg_ptx_print_tensor_alloc(xg_ptx *p, xg_kop *op) {
    char *at;
    xg_ptx_need_tensor_memory(p);
    at = xg_ptx_pen_group(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.alloc"));
    at = xg_ptx_pen_text(at, ".sync.aligned.shared::cta.b32 ");
    at = xg_ptx_pen_text(xg_ptx_pen_operand(p, at, op, 0), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_digits(at, (uint32_t)op->b));
    at = xg_ptx_pen_group(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.relinquish_alloc_permit"));
    xg_ptx_line_end(p, xg_ptx_pen_text(at, ".sync.aligned"));
}
static void xg_ptx_print_tensor_free(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane place = xg_ptx_tensor_operand(p, op, 0);
    char *at;
    xg_ptx_need_tensor_memory(p);
    at = xg_ptx_pen_group(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.dealloc"));
    at = xg_ptx_pen_text(at, ".sync.aligned.b32 ");
    at = xg_ptx_pen_text(xg_ptx_pen_lane(p, at, &place), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_digits(at, (uint32_t)op->b));
}
static void xg_ptx_print_tensor_mma(xg_ptx *p, xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    xg_ptx_lane o[4], shape = xg_ptx_imm(XG_PC_R, (int64_t)xg_ptx_tensor_shape(op, row, p->f->pairs));
    bool stands = XG_KOPERAND(op, 1)->type->elem == XG_E_I32; /* the first factor lies in tensor memory */
    uint32_t k;
    char *at;
    xg_ptx_need_tensor_memory(p);
    if (row->tensor == XG_TENSOR_I8 && (p->target->cc == XG_PTX_TENSOR_NO_I8 || p->target->suffix != 'a'))
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' multiplies integers in tensor memory, which %s has not", (int)p->f->name.n, p->f->name.p,
            p->target->name);
    for (k = 0; k < 4; k++) o[k] = xg_ptx_tensor_operand(p, op, k);
    shape = xg_ptx_in_reg(p, &shape);
    at = xg_ptx_pen_group(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.mma"));
    at = xg_ptx_pen_text(at, ".kind::");
    at = xg_ptx_pen_text(xg_ptx_pen_text(at, row->tensor == XG_TENSOR_I8     ? "i8"
                                             : row->tensor == XG_TENSOR_F8   ? "f8f6f4"
                                             : row->tensor == XG_TENSOR_TF32 ? "tf32"
                                                                             : "f16"),
        " [");
    at = xg_ptx_pen_text(xg_ptx_pen_lane(p, at, &o[0]), stands ? "], [" : "], ");
    at = xg_ptx_pen_text(xg_ptx_pen_lane(p, at, &o[1]), stands ? "]" : "");
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &o[2]);
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &shape);
    xg_ptx_line_end(p, xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &o[3]));
}
static void xg_ptx_print_tensor_commit(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane blocks = xg_ptx_imm(XG_PC_RS, op->b);
    char *at;
    xg_ptx_need_tensor_memory(p);
    if (op->b) blocks = xg_ptx_in_reg(p, &blocks);
    at = xg_ptx_pen_group(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.commit"));
    at = xg_ptx_pen_text(at, ".mbarrier::arrive::one.shared::cluster");
    at = xg_ptx_pen_operand(p, xg_ptx_pen_text(at, op->b ? ".multicast::cluster.b64 " : ".b64 "), op, 0);
    xg_ptx_line_end(p, op->b ? xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &blocks) : at);
}
/* With the wait for it, or for several: nothing may use the registers before. */
static void xg_ptx_print_tensor_read(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane place = xg_ptx_tensor_operand(p, op, 0), to[XG_PTX_WGMMA_SUMS];
    uint32_t n = op->n_results * 4, k, j;
    char *at;
    xg_ptx_need_tensor_memory(p);
    for (k = 0; k < op->n_results; k++) {
        const xg_ptx_val *x = xg_ptx_define(p, &op->results[k]);
        for (j = 0; j < 4; j++) to[4 * k + j] = x->lane[j];
    }
    at = xg_ptx_pen_digits(xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.ld.sync.aligned.16x256b.x"), op->n_results);
    at = xg_ptx_pen_wgmma_sums(p, xg_ptx_pen_text(at, ".b32 "), to, n);
    at = xg_ptx_pen_text(xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", ["), &place), "]");
    xg_ptx_line_end(p, at);
    if (!xg_kop_reads_on(op)) xg_ptx_line(p, "tcgen05.wait::ld.sync.aligned", NULL, NULL, NULL, NULL);
}
/* Likewise: what is stored is there. */
static void xg_ptx_print_tensor_write(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane place = xg_ptx_tensor_operand(p, op, 0), from[XG_PTX_WGMMA_SUMS];
    bool sums = XG_KOPERAND(op, 1)->type->elem == XG_E_F32;
    uint32_t n = op->n_operands - 1, k;
    char *at;
    xg_ptx_need_tensor_memory(p);
    for (k = 0; k < 4 * n; k++) from[k] = xg_ptx_in_reg(p, &xg_ptx_of(XG_KOPERAND(op, 1 + k / 4))->lane[k % 4]);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "tcgen05.st.sync.aligned.");
    at = xg_ptx_pen_digits(xg_ptx_pen_text(at, sums ? "16x256b.x" : "16x128b.x"), sums ? n : 2 * n);
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ".b32 ["), &place);
    xg_ptx_line_end(p, xg_ptx_pen_wgmma_sums(p, xg_ptx_pen_text(at, "], "), from, 4 * n));
    xg_ptx_line(p, "tcgen05.wait::st.sync.aligned", NULL, NULL, NULL, NULL);
}

#endif /* XG_PTX_TENSOR_C */
