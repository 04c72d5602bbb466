/* ptx/bulk.c -- what goes on beside the threads of a block: copies of boxes by tensor maps, and the barriers in shared
 * memory that say when they are there. */
#ifndef XG_PTX_BULK_C
#define XG_PTX_BULK_C
#include "print.c"

enum {
    XG_PTX_BULK_CC = 90,
    XG_PTX_BULK_ISA = 80,
    XG_PTX_MAP_ALIGN = 64
};

static void xg_ptx_need_bulk(xg_ptx *p) {
    if (p->target->cc < XG_PTX_BULK_CC)
        xg_fail(p->ctx, XLAGPU_ERROR_UNSUPPORTED,
            "kernel '%.*s' copies by tensor maps, which sm_90 and later have, but %s has not", (int)p->f->name.n,
            p->f->name.p, p->target->name);
    xg_ptx_need_isa(p, XG_PTX_BULK_ISA);
}
/* The generic address of a tensor map among the parameters. */
static xg_ptx_lane xg_ptx_map_address(xg_ptx *p, uint32_t map) {
    xg_ptx_lane at = xg_ptx_new_reg(p, XG_PC_RD), generic = xg_ptx_new_reg(p, XG_PC_RD);
    char *line = xg_ptx_pen_lane(p, xg_ptx_pen_text(xg_ptx_line_begin(p), "mov.b64 "), &at);
    xg_ptx_pen_up(p, xg_ptx_pen_text(line, ", "));
    xg_put_str(&p->body, p->f->name);
    xg_ptx_line_end(p, xg_ptx_pen_digits(xg_ptx_pen_text(xg_ptx_pen(p), "_map_"), map));
    xg_ptx_line(p, "cvta.param.u64 $, $", &generic, &at, NULL, NULL);
    return generic;
}
static char *xg_ptx_pen_operand(xg_ptx *p, char *at, const xg_kop *op, uint32_t k) {
    return xg_ptx_pen_address(p, at, &xg_ptx_of(XG_KOPERAND(op, k))->lane[0]);
}
static bool xg_ptx_is_remote(const xg_kop *op) { return XG_KOPERAND(op, 0)->type->space == XG_SPACE_CLUSTER; }

/* What threads tell each other by these barriers is that boxes have come, or were read: nothing that they wrote. So a
 * block's order is enough, also where the barrier is another block's: that of a cluster would wait for all of a
 * thread's memory, and drop the first cache, in each step. The text before the barrier's address, and whether the
 * amount follows it. */
static void xg_ptx_print_mbarrier(xg_ptx *p, xg_kop *op) {
    bool init = op->op == XG_K_OP_MBARRIER_INIT, counts = init || op->op == XG_K_OP_MBARRIER_EXPECT;
    char *at;
    xg_ptx_need_bulk(p);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), init                   ? "mbarrier.init.shared::cta.b64 "
                                               : counts               ? "mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                                               : xg_ptx_is_remote(op) ? "mbarrier.arrive.shared::cluster.b64 _, "
                                                                      : "mbarrier.arrive.shared::cta.b64 _, ");
    at = xg_ptx_pen_operand(p, at, op, 0);
    if (counts) at = xg_ptx_pen_digits(xg_ptx_pen_text(at, ", "), (uint32_t)op->b);
    xg_ptx_line_end(p, at);
}
/* Until a try says that the phase has ended: each one sleeps for a while. */
static void xg_ptx_print_mbarrier_wait(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane done = xg_ptx_new_reg(p, XG_PC_P);
    uint32_t again = p->labels++;
    char *at;
    xg_ptx_need_bulk(p);
    xg_ptx_label(p, again);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "mbarrier.try_wait.parity.shared::cta.b64 ");
    at = xg_ptx_pen_operand(p, xg_ptx_pen_text(xg_ptx_pen_lane(p, at, &done), ", "), op, 0);
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", "), &xg_ptx_of(XG_KOPERAND(op, 1))->lane[0]);
    xg_ptx_line_end(p, at);
    xg_ptx_branch(p, &done, true, again);
}
static void xg_ptx_print_tensor_copy(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane map;
    uint32_t k;
    char *at;
    xg_ptx_need_bulk(p);
    map = xg_ptx_map_address(p, (uint32_t)op->b);
    at = xg_ptx_pen_text(xg_ptx_line_begin(p), "cp.async.bulk.tensor.");
    at = xg_ptx_pen_digits(at, op->n_operands - 2);
    at = xg_ptx_pen_text(at, "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes");
    at = xg_ptx_pen_text(at, op->a ? ".multicast::cluster" : "");
    at = xg_ptx_pen_operand(p, xg_ptx_pen_text(at, p->f->pairs ? ".cta_group::2 " : " "), op, 0);
    at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, ", ["), &map);
    for (k = 2; k < op->n_operands; k++)
        at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, k > 2 ? ", " : ", {"), &xg_ptx_of(XG_KOPERAND(op, k))->lane[0]);
    at = xg_ptx_pen_operand(p, xg_ptx_pen_text(at, "}], "), op, 1);
    if (op->a) at = xg_ptx_pen_digits(xg_ptx_pen_text(at, ", "), (uint32_t)op->a);
    xg_ptx_line_end(p, at);
}
static void xg_ptx_print_tensor_store(xg_ptx *p, xg_kop *op) {
    xg_ptx_lane map;
    uint32_t k;
    char *at;
    xg_ptx_need_bulk(p);
    map = xg_ptx_map_address(p, (uint32_t)op->b);
    at = xg_ptx_pen_digits(xg_ptx_pen_text(xg_ptx_line_begin(p), "cp.async.bulk.tensor."), op->n_operands - 1);
    at = xg_ptx_pen_text(at, "d.global.shared::cta.tile.bulk_group [");
    at = xg_ptx_pen_lane(p, at, &map);
    for (k = 1; k < op->n_operands; k++)
        at = xg_ptx_pen_lane(p, xg_ptx_pen_text(at, k > 1 ? ", " : ", {"), &xg_ptx_of(XG_KOPERAND(op, k))->lane[0]);
    at = xg_ptx_pen_operand(p, xg_ptx_pen_text(at, "}], "), op, 0);
    xg_ptx_line_end(p, at);
}
static void xg_ptx_put_maps(xg_buf *b, const xg_kfunc *f, bool first) {
    uint32_t k;
    for (k = 0; k < f->n_maps; k++)
        xg_printf(b, "%s\n\t.param .align %d .b8 %.*s_map_%u[%d]", first && !k ? "" : ",", (int)XG_PTX_MAP_ALIGN,
            (int)f->name.n, f->name.p, k, (int)XG_KMAP_BYTES);
}

#endif /* XG_PTX_BULK_C */
