/* kir/lower_shuffles.c -- what lanes of a warp tell each other becomes shuffles of 32 bits.
 *
 *     %r:2 = xla_gpu.shuffle_reduce(%a, %b) to 4 combiner=@f
 *       ==>   for distance 4, 2, 1:  %a, %b = call @f(%a, %b, lane + distance's %a, its %b)
 *
 * A narrower value is widened by its bits, a wider one shuffled in halves. Lanes whose partner lies behind their group
 * get something that nothing may use. Comes before inline, which puts the combiner in its places. Keeps: everything
 * else. */
#ifndef XG_KIR_LOWER_SHUFFLES_C
#define XG_KIR_LOWER_SHUFFLES_C
#include "kir.h"
#include "build.c"

XG_FN xg_kval *xg_kshuffle_halves(xg_kb *b, xg_kopcode code, xg_kval *v, xg_kval *lane) {
    const xg_ktype *pair = xg_kir_vector(b->m, XG_E_I32, 2), *i32 = xg_kir_scalar(b->m, XG_E_I32);
    xg_kval *from = xg_kir_of(b, XG_K_OP_BITCAST, v, pair), *to = xg_kconst_bits(b, pair, 0), *x[3];
    int64_t k;
    for (k = 0; k < 2; k++) {
        x[0] = from;
        x[1] = xg_kconst_i32(b, k);
        x[0] = xg_kir_value(b, XG_K_OP_VEXTRACT, x, 2, i32);
        x[1] = lane;
        x[0] = xg_kir_value(b, code, x, 2, i32);
        x[1] = to;
        x[2] = xg_kconst_i32(b, k);
        to = xg_kir_value(b, XG_K_OP_VINSERT, x, 3, pair);
    }
    return xg_kir_of(b, XG_K_OP_BITCAST, to, v->type);
}
XG_FN xg_kval *xg_kshuffle(xg_kb *b, xg_kopcode code, xg_kval *v, xg_kval *lane) {
    xg_kelem e = v->type->elem, bits;
    xg_kval *x[2];
    if (xg_kelem_bits(e) == 64) return xg_kshuffle_halves(b, code, v, lane);
    x[0] = v;
    x[1] = lane;
    if (xg_kelem_bits(e) == 32) return xg_kir_value(b, code, x, 2, v->type);
    bits = e == XG_E_I1 ? XG_E_I1 : xg_kelem_bytes(e) == 2 ? XG_E_I16 : XG_E_I8;
    if (e != bits) x[0] = xg_kbitcast(b, v, bits);
    x[0] = xg_kextui(b, x[0], XG_E_I32);
    x[0] = xg_kir_value(b, code, x, 2, x[0]->type);
    x[0] = xg_kcast(b, XG_K_OP_TRUNCI, x[0], bits);
    return e == bits ? x[0] : xg_kbitcast(b, x[0], e);
}

XG_FN void xg_kshuffle_reduce(xg_kmodule *m, xg_kop *op) {
    xg_kfunc *f = (xg_kfunc *)op->p;
    uint32_t n = op->n_operands, k;
    xg_kval **v = XG_NEW_N(m->temp, xg_kval *, 2 * n + 1);
    xg_kb b = xg_kb_before(m, op);
    int64_t distance;
    b.loc = op->loc;
    for (k = 0; k < n; k++) v[k] = op->operands[k].value;
    for (distance = op->a; distance > 0; distance /= 2) {
        xg_kop *call;
        for (k = 0; k < n; k++) v[n + k] = xg_kshuffle(&b, XG_K_OP_SHFLDOWN, v[k], xg_kconst_i32(&b, distance));
        call = xg_kcall(&b, f, v, 2 * n);
        for (k = 0; k < n; k++) v[k] = &call->results[k];
    }
    for (k = 0; k < n; k++) xg_kval_replace(&op->results[k], v[k]);
    xg_kop_remove(op);
}

XG_FN void xg_kir_lower_shuffles(xg_kmodule *m) { xg_kops_each_of(m, XG_K_OP_SHUFFLE_REDUCE, xg_kshuffle_reduce); }

#endif /* XG_KIR_LOWER_SHUFFLES_C */
