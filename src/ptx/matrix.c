/* ptx/matrix.c -- what a warp does together for matrix units: ldmatrix, mma.sync.
 *
 * An operation of kernel IR multiplies 32 bytes of k at a time. A row of the table says which instruction a target has
 * for its types. What takes fewer bytes, or fewer rows, is used several times: the fragments of the long one are those
 * of the short ones side by side. */
#ifndef XG_PTX_MATRIX_C
#define XG_PTX_MATRIX_C
#include "print.c"

/* X(what, shape, way, first compute capability, PTX version); the first row that fits is taken. */
/* clang-format off */
#define XG_PTX_MMA_ROWS(X) \
    X(F16, "m16n8k16", WHOLE, 80, 70) \
    X(F16, "m16n8k8", HALVES, 75, 65) \
    X(BF16, "m16n8k16", WHOLE, 80, 70) \
    X(TF32, "m16n8k8", WHOLE, 80, 70) \
    X(E4M3, "m16n8k32", WHOLE, 89, 84) \
    X(E4M3_E5M2, "m16n8k32", WHOLE, 89, 84) \
    X(E5M2_E4M3, "m16n8k32", WHOLE, 89, 84) \
    X(E5M2, "m16n8k32", WHOLE, 89, 84) \
    X(S8, "m16n8k32", WHOLE, 80, 70) \
    X(S8_U8, "m16n8k32", WHOLE, 80, 70) \
    X(U8_S8, "m16n8k32", WHOLE, 80, 70) \
    X(U8, "m16n8k32", WHOLE, 80, 70) \
    X(S8, "m8n8k16", QUARTERS, 75, 65) \
    X(S8_U8, "m8n8k16", QUARTERS, 75, 65) \
    X(U8_S8, "m8n8k16", QUARTERS, 75, 65) \
    X(U8, "m8n8k16", QUARTERS, 75, 65)
/* clang-format on */
XG_TABLE const xg_ptx_mma_row xg_ptx_mma_rows[] = {
#define X(what, shape, way, cc, isa) {XG_KMMA_##what, shape, XG_PTX_MMA_##way, cc, isa},
    XG_PTX_MMA_ROWS(X)
#undef X
};

static const xg_ptx_mma_row *xg_ptx_find_mma(const xg_target *t, uint32_t what) {
    size_t k;
    for (k = 0; k < XG_COUNT(xg_ptx_mma_rows); k++)
        if ((uint32_t)xg_ptx_mma_rows[k].what == what && t->cc >= xg_ptx_mma_rows[k].cc) return &xg_ptx_mma_rows[k];
    return NULL;
}
/* One instruction: a's words from a on, `step` apart; b's; the sums. */
typedef struct xg_ptx_mma {
    const xg_ptx_mma_row *row;
    const xg_kmma_row *types;
    const xg_ptx_lane *a, *b, *c, *d;
    uint32_t na, nb, nc;
} xg_ptx_mma;
/* What stands in front of its registers; a kernel's products are mostly of one kind. */
static void xg_ptx_find_mma_text(xg_ptx *p, const xg_ptx_mma *m) {
    const char *sum = m->types->sum == XG_E_F32 ? "f32" : "s32";
    if (p->mma == m->row) return;
    p->mma = m->row;
    p->mma_n = xg_format(p->mma_text, sizeof p->mma_text, "mma.sync.aligned.%s.row.col.%s.%s.%s.%s ", m->row->shape,
        sum, m->types->a, m->types->b, sum);
}
XG_APART static void xg_ptx_print_one_mma(xg_ptx *p, const xg_ptx_mma *m) {
    char *at = xg_ptx_line_begin(p);
    xg_ptx_find_mma_text(p, m);
    memcpy(at, p->mma_text, p->mma_n);
    at = xg_ptx_pen_text(xg_ptx_pen_braced(p, at + p->mma_n, m->d, m->nc), ", ");
    at = xg_ptx_pen_text(xg_ptx_pen_braced(p, at, m->a, m->na), ", ");
    at = xg_ptx_pen_text(xg_ptx_pen_braced(p, at, m->b, m->nb), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_braced(p, at, m->c, m->nc));
}
/* Instruction `k` of `n` for the operation: which words and sums it takes. */
static void xg_ptx_mma_part(xg_ptx *p, xg_ptx_mma *m, const xg_ptx_lane *a, const xg_ptx_lane *b, const xg_ptx_lane *c,
    const xg_ptx_lane *d, uint32_t k) {
    bool quarters = m->row->way == XG_PTX_MMA_QUARTERS, whole = m->row->way == XG_PTX_MMA_WHOLE;
    uint32_t late = k & 1, row = k >> 1; /* which half of k, of the rows */
    m->na = whole ? 4 : quarters ? 1 : 2;
    m->nb = whole ? 2 : 1;
    m->nc = quarters ? 2 : 4;
    m->a = &a[2 * late + row];
    m->b = &b[late];
    m->c = late ? &d[2 * row] : &c[2 * row];
    m->d = &d[2 * row];
    xg_ptx_print_one_mma(p, m);
}
/* Four lanes, in registers: most are. */
static const xg_ptx_lane *xg_ptx_in_four(xg_ptx *p, const xg_ptx_lane *l, xg_ptx_lane *room) {
    uint32_t j = 0;
    while (j < 4 && l[j].kind == XG_PL_REG && !l[j].bits) j++;
    if (j == 4) return l;
    for (j = 0; j < 4; j++) room[j] = xg_ptx_in_reg(p, &l[j]);
    return room;
}
static void xg_ptx_print_mma(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane in[3][4];
    const xg_ptx_lane *d, *from[3];
    xg_ptx_mma m;
    uint32_t k, n;
    memset(&m, 0, sizeof m);
    m.row = xg_ptx_find_mma(p->target, op->flags);
    m.types = xg_kmma_row_of(op->flags);
    if (!m.row)
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED, "%s has no matrix unit for %s times %s, which kernel '%.*s' asks for",
            p->target->name, m.types->a, m.types->b, (int)p->f->name.n, p->f->name.p);
    for (k = 0; k < 3; k++) from[k] = xg_ptx_in_four(p, xg_ptx_of(XG_KOPERAND(op, k))->lane, in[k]);
    d = xg_ptx_define(p, &op->results[0])->lane;
    n = m.row->way == XG_PTX_MMA_WHOLE ? 1 : m.row->way == XG_PTX_MMA_HALVES ? 2 : 4;
    for (k = 0; k < n; k++) xg_ptx_mma_part(p, &m, from[0], &from[1][2 * op->a], from[2], d, k);
    xg_ptx_need_isa(p, m.row->isa);
}
static void xg_ptx_print_ldmatrix(xg_ptx *p, xg_kop *op) {
    const xg_ptx_val *x = xg_ptx_define(p, &op->results[0]);
    char *at = xg_ptx_pen_text(xg_ptx_line_begin(p), "ldmatrix.sync.aligned.m8n8.x4");
    at = xg_ptx_pen_text(at, op->flags & XG_KMATRIX_TRANSPOSED ? ".trans.shared.b16 " : ".shared.b16 ");
    at = xg_ptx_pen_text(xg_ptx_pen_lanes(p, at, x->lane, x->n), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]));
    xg_ptx_need_isa(p, 65);
}

static void xg_ptx_print_stmatrix(xg_ptx *p, xg_kop *op) {
    enum {
        CC = 90,
        ISA = 78
    };
    const xg_ptx_val *x = xg_ptx_of(XG_KOPERAND(op, 1));
    char *at;
    if (p->target->cc < CC)
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' stores matrices, which sm_90 and later do, but %s does not", (int)p->f->name.n, p->f->name.p,
            p->target->name);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "stmatrix.sync.aligned.m8n8.x4.shared.b16 ");
    at = xg_ptx_pen_text(xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, 0))->lane[0]), ", ");
    xg_ptx_line_end(p, xg_ptx_pen_lanes(p, at, x->lane, x->n));
    xg_ptx_need_isa(p, ISA);
}

#endif /* XG_PTX_MATRIX_C */
