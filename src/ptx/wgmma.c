/* ptx/wgmma.c -- what four warps do together for matrix units: wgmma, on matrices in shared memory.
 *
 * The sums of a multiplication are registers that it reads and writes while the threads go on. So its results are the
 * registers of the sums that went in, and nothing may stand between it and the wait that moves them. Sums that are all
 * the constant 0 are not read: the multiplication writes registers of its own. */
#ifndef XG_PTX_WGMMA_C
#define XG_PTX_WGMMA_C
#include "print.c"

enum {
    XG_PTX_WGMMA_CC = 90,
    XG_PTX_WGMMA_ISA = 80,
    XG_PTX_WGMMA_TENSOR_CC = 100, /* from here on devices have tensor memory instead (ptx/tensor.c) ... */
    XG_PTX_WGMMA_TENSOR_END = 120,
    XG_PTX_WGMMA_TENSOR_BIT = 46, /* of a descriptor for it */
    XG_PTX_WGMMA_WORDS = 4,       /* of a thread, of a matrix in registers */
    XG_PTX_WGMMA_SUMS = 128       /* registers of a thread, for 256 columns */
};

static bool xg_ptx_has_tensor_memory(const xg_target *t) {
    return t->cc >= XG_PTX_WGMMA_TENSOR_CC && t->cc < XG_PTX_WGMMA_TENSOR_END && t->suffix;
}
static void xg_ptx_need_wgmma(xg_ptx *p) {
    if (p->target->cc != XG_PTX_WGMMA_CC || p->target->suffix != 'a')
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' multiplies by warp groups, which sm_90a has, but %s has not", (int)p->f->name.n,
            p->f->name.p, p->target->name);
    xg_ptx_need_isa(p, XG_PTX_WGMMA_ISA);
    p->letter = true;
}
/* Bits 0 to 13 the address, 16 to 29 and 32 to 45 the strides, all in sixteenths; bit 62 the swizzle of 128 bytes, or
 * 63 that of 64, as wgmma numbers them in two bits and tcgen05 in three; tcgen05 also wants bit 46. */
static void xg_ptx_print_descriptor(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane at = xg_ptx_in_reg(p, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]), field = xg_ptx_new_reg(p, XG_PC_R);
    xg_ptx_lane wide = xg_ptx_new_reg(p, XG_PC_RD), rest;
    uint64_t bits = (uint64_t)1 << (op->b < XG_KWGMMA_ALIGN ? 63 : 62) | (uint64_t)(op->b / 16) << 32 |
                    (uint64_t)(op->a / 16) << 16;
    if (xg_ptx_has_tensor_memory(p->target))
        bits |= (uint64_t)1 << XG_PTX_WGMMA_TENSOR_BIT;
    else
        xg_ptx_need_wgmma(p);
    rest = xg_ptx_imm(XG_PC_RD, (int64_t)bits);
    xg_ptx_line(p, "bfe.u32 $, $, 4, 14", &field, &at, NULL, NULL);
    xg_ptx_line(p, "cvt.u64.u32 $, $", &wide, &field, NULL, NULL);
    xg_ptx_line(p, "or.b64 $, $, $", &xg_ptx_define(p, &op->results[0])->lane[0], &wide, &rest, NULL);
}

/* All sums that go in are the constant 0. */
static bool xg_ptx_wgmma_begins(const xg_kop *op) {
    uint32_t k, j;
    for (k = 2; k < op->n_operands; k++) {
        const xg_ptx_val *x = xg_ptx_of(XG_KOPERAND(op, k));
        for (j = 0; j < x->n; j++)
            if (x->lane[j].kind != XG_PL_IMM || x->lane[j].bits) return false;
    }
    return true;
}
/* The registers of the sums that go in, each used here alone. True: some of them were written for that. */
static bool xg_ptx_wgmma_sums(xg_ptx *p, const xg_kop *op, bool begins, xg_ptx_lane *sums) {
    bool moved = false;
    uint32_t k, j;
    for (k = 0; k < op->n_results; k++) {
        const xg_kval *v = XG_KOPERAND(op, k + 2);
        const xg_ptx_val *x = xg_ptx_of(v);
        bool shared = v->first_use && v->first_use->next;
        for (j = 0; j < x->n; j++) {
            xg_ptx_lane *to = &sums[4 * k + j];
            *to = x->lane[j];
            if (!shared && to->kind == XG_PL_REG && !to->bits) continue;
            *to = xg_ptx_new_reg(p, (xg_ptx_class)x->lane[j].cls);
            if (begins) continue;
            xg_ptx_move(p, to, &x->lane[j]);
            moved = true;
        }
    }
    return moved;
}
static char *xg_ptx_pen_wgmma_sums(xg_ptx *p, char *at, const xg_ptx_lane *sums, uint32_t n) {
    enum {
        PIECE = 32 /* registers whose names surely fit on the rest of a line's room */
    };
    uint32_t k;
    *at++ = '{';
    for (k = 0; k < n; k++) {
        if (k && k % PIECE == 0) {
            xg_ptx_pen_up(p, at);
            at = xg_ptx_pen(p);
        }
        at = xg_ptx_pen_lane(p, k ? xg_ptx_pen_text(at, ", ") : at, &sums[k]);
    }
    *at++ = '}';
    xg_ptx_pen_up(p, at);
    return xg_ptx_pen(p);
}
/* Registers hold the first matrix. */
static bool xg_ptx_wgmma_holds_words(const xg_kop *op) { return XG_KOPERAND(op, 0)->type->kind == XG_TK_VECTOR; }
/* A descriptor, or the words of a thread. */
static char *xg_ptx_pen_wgmma_matrix(xg_ptx *p, char *at, const xg_ptx_lane *words, uint32_t n) {
    uint32_t k;
    if (n == 1) return xg_ptx_pen_lane(p, at, words);
    for (k = 0; k < n; k++) at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, k ? ", " : "{"), &words[k]);
    *at++ = '}';
    return at;
}
/* Behind the matrices: whether sums are added to; the factors' signs; whose rows lie side by side. Each type has as
 * many of these as it allows. */
static char *xg_ptx_pen_wgmma_end(char *at, const xg_kop *op, const xg_kmma_row *row, bool begins) {
    at = xg_ptx_pen_text(at, begins ? ", 0" : ", 1");
    if (row->sum == XG_E_I32) return at;
    at = xg_ptx_pen_text(at, ", 1, 1");
    if (row->bytes != 2) return at;
    if (!xg_ptx_wgmma_holds_words(op)) at = xg_ptx_pen_text(at, op->flags & XG_KWGMMA_A_ROWS ? ", 1" : ", 0");
    return xg_ptx_pen_text(at, op->flags & XG_KWGMMA_B_ROWS ? ", 1" : ", 0");
}
static void xg_ptx_print_wgmma(xg_ptx *p, xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    const char *sum = row->sum == XG_E_F32 ? "f32" : "s32";
    xg_ptx_lane sums[XG_PTX_WGMMA_SUMS], a[XG_PTX_WGMMA_WORDS], b;
    const xg_ptx_val *first = xg_ptx_of(XG_KOPERAND(op, 0));
    uint32_t n = op->n_results * 4, k;
    bool begins = xg_ptx_wgmma_begins(op), moved = false;
    char *at;
    xg_ptx_need_wgmma(p);
    for (k = 0; k < first->n; k++) {
        const xg_ptx_lane *l = &first->lane[k];
        a[k] = xg_ptx_in_reg(p, l);
        moved = moved || (first->n > 1 && (l->kind != XG_PL_REG || l->bits)); /* as words that are constants */
    }
    b = xg_ptx_in_reg(p, &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0]);
    moved = xg_ptx_wgmma_sums(p, op, begins, sums) || moved;
    if (moved) xg_ptx_line(p, "wgmma.fence.sync.aligned", NULL, NULL, NULL, NULL);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "wgmma.mma_async.sync.aligned.m64n");
    at = xg_ptx_pen_digits(at, op->n_results * XG_KMMA_N);
    at = xg_ptx_pen_digits(xg_ptx_pen_text(at, "k"), (uint32_t)(XG_KMMA_K_BYTES / row->bytes));
    at = xg_ptx_pen_text(xg_ptx_pen_text(at, "."), sum);
    at = xg_ptx_pen_text(xg_ptx_pen_text(at, "."), row->a);
    at = xg_ptx_pen_text(xg_ptx_pen_text(at, "."), row->b);
    at = xg_ptx_pen_wgmma_sums(p, xg_ptx_pen_text(at, " "), sums, n);
    at = xg_ptx_pen_wgmma_matrix(p, xg_ptx_pen_text(at, ", "), a, first->n);
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &b);
    xg_ptx_line_end(p, xg_ptx_pen_wgmma_end(at, op, row, begins));
    for (k = 0; k < op->n_results; k++) xg_ptx_define_as(p, &op->results[k], &sums[4 * k], 4);
}

#endif /* XG_PTX_WGMMA_C */
