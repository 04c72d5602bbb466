/* sched/dot_algorithm.c -- dot-algorithm-rewriter: a dot of f32 becomes several dots of pieces that matrix units take.
 *
 *     x = x0 + x1 + x2         bf16, of eight bits of the mantissa each; or tf32, of eleven; cut off, so none overflows
 *     dot(x, y) ==> dot(x0, y0) + (dot(x0, y1) + dot(x1, y0) + ...)
 *
 * - algorithm=dot_bf16_bf16_f32_x3 and its like say how many products there are (as XLA's DotAlgorithmRewriter).
 * - An operand that was bf16, f8 or an integer of eight bits is one piece: three products have all 24 bits of the other
 *   one, so this is f32 still. An operand that was f16 is one piece of tf32.
 * Small products are added first. Where their sum is NaN it counts as 0: an infinity leaves no rest, and times a rest
 * of 0 it would be NaN. What is not faster by the model of time stays a dot of f32, on plain cores. */
#ifndef XG_SCHED_DOT_ALGORITHM_C
#define XG_SCHED_DOT_ALGORITHM_C
#include "split_k.c"

enum {
    XG_PIECES_EDGE_MIN = 32,     /* rows, columns, and what is summed up: below, memory is the limit */
    XG_PIECES_GAIN_PERCENT = 85, /* of the time on plain cores: the model is no better than that */
    XG_PIECES_BF16_MASK = 0xFFFF,
    XG_PIECES_TF32_MASK = 0x1FFF
};
/* Pieces i of one operand and j of the other are multiplied where i + j < order. */
typedef struct xg_pieces_row {
    const char *algorithm;
    bool tf32;
    uint32_t pieces, order;
} xg_pieces_row;
static const xg_pieces_row xg_pieces_rows[] = {
    {"dot_bf16_bf16_f32_x3", false, 2, 2},
    {"dot_bf16_bf16_f32_x6", false, 3, 3},
    {"dot_bf16_bf16_f32_x9", false, 3, 5},
    {"dot_tf32_tf32_f32_x3", true, 2, 2},
};
typedef struct xg_pieces {
    bool tf32;
    uint32_t n[2], order;
    xg_inst *of[2][XG_TILE_PIECES];
} xg_pieces;

/* What x is, in full, in a type of which one piece holds it; NULL: f32 proper. */
XG_FN xg_inst *xg_pieces_exact(xg_inst *x, xlagpu_type piece) {
    if (x->op == XG_CONVERT && x->shape->type == XLAGPU_F32) x = XG_OPERAND(x, 0);
    return xg_tile_holds(x->shape->type, piece) ? x : NULL;
}
XG_FN bool xg_pieces_of(const xg_inst *dot, xg_pieces *w) {
    xg_str a = xg_attr_str(dot, XG_A_algorithm);
    uint32_t k;
    memset(w, 0, sizeof *w);
    for (k = 0; k < XG_COUNT(xg_pieces_rows); k++) {
        const xg_pieces_row *r = &xg_pieces_rows[k];
        if (!xg_str_is(a, r->algorithm)) continue;
        w->tf32 = r->tf32;
        w->n[0] = w->n[1] = r->pieces;
        w->order = r->order;
        return true;
    }
    if (a.n && xg_word_in("unset dot_f32_f32_f32", a) < 0) return false;
    w->order = XG_TILE_PIECES;
    for (k = 0; k < 4 && !w->n[0]; k++) { /* bf16 is twice as fast */
        w->tf32 = k >= 2;
        if (!xg_pieces_exact(XG_OPERAND(dot, k & 1), w->tf32 ? XLAGPU_F16 : XLAGPU_BF16)) continue;
        w->n[k & 1] = 1;
        w->n[1 - (k & 1)] = XG_TILE_PIECES;
    }
    return w->n[0] != 0;
}
XG_FN uint32_t xg_pieces_products(const xg_pieces *w) {
    uint32_t i, j, n = 0;
    for (i = 0; i < w->n[0]; i++)
        for (j = 0; j < w->n[1]; j++) n += i + j < w->order;
    return n;
}
XG_FN xg_inst *xg_pieces_dot(const xg_hb *b, const xg_inst *dot, xg_inst *x, xg_inst *y, bool tf32) {
    xg_inst *made = xg_hb_dot(b, x, y, xg_dot_dims_of(dot), XLAGPU_F32, NULL);
    if (tf32) xg_inst_set_text(made, XG_A_algorithm, "dot_tf32_tf32_f32");
    return made;
}

/* ---- whether it pays ---- */

/* Picoseconds of a dot by tiles; 0: there are none, or, where they are asked for, no matrix units. */
XG_FN int64_t xg_pieces_tile_time(const xg_inst *dot, bool units) {
    const xg_device *m = &dot->comp->module->device;
    xg_aff_ctx *x = xg_aff_new(dot->comp->module->work);
    xg_tile_plan p;
    memset(&p, 0, sizeof p);
    if (!xg_tile_form_of(&p.form, x, dot) || !xg_tile_is_worth(&p.form)) return 0;
    if (p.form.group[XG_TILE_M].size < XG_PIECES_EDGE_MIN || p.form.group[XG_TILE_N].size < XG_PIECES_EDGE_MIN ||
        p.form.group[XG_TILE_K].size < XG_PIECES_EDGE_MIN)
        return 0;
    xg_tile_choose_unit(&p, NULL, m);
    if (units && p.unit == XG_TILE_NO_UNIT) return 0;
    xg_split_fetch(&p, x, m);
    return xg_split_time(&p, m, 1, INT64_MAX);
}
/* Of as many products, and of what goes through memory between them: pieces and sums. */
XG_FN int64_t xg_pieces_time(xg_inst *dot, const xg_pieces *w) {
    const xg_device *m = &dot->comp->module->device;
    xg_hb b = xg_hb_at(dot);
    xg_inst *in[2], *trial;
    int64_t time, bytes, n = xg_pieces_products(w), launches = n;
    uint32_t k;
    bytes = xg_cost_mul(xg_cost_bytes(dot->shape), 2 * (n - 1));
    for (k = 0; k < 2; k++) {
        xg_inst *x = XG_OPERAND(dot, k);
        in[k] = xg_hb_convert(&b, x, w->tf32 ? XLAGPU_F32 : XLAGPU_BF16);
        if (w->n[k] == 1) continue;
        bytes = xg_cost_add_mul(bytes, x->shape->elements, 4 + w->n[k] * (w->tf32 ? 4 : 2));
        launches++;
    }
    trial = xg_pieces_dot(&b, dot, in[0], in[1], w->tf32);
    time = xg_pieces_tile_time(trial, true);
    xg_inst_remove(trial);
    for (k = 0; k < 2; k++)
        if (in[k] != XG_OPERAND(dot, k)) xg_inst_remove(in[k]);
    if (!time) return INT64_MAX;
    return xg_cost_add(xg_cost_add(xg_cost_mul(time, n), xg_cost_scale(bytes, 1000, xg_device_gbs(m->bandwidth))),
        xg_cost_mul(m->graph_ns * 1000, launches - 1));
}
XG_FN bool xg_pieces_pay(xg_inst *dot, const xg_pieces *w) {
    int64_t plain = xg_pieces_tile_time(dot, false);
    return plain && xg_pieces_time(dot, w) < xg_cost_scale(plain, XG_PIECES_GAIN_PERCENT, 100);
}

/* ---- the rewriting ---- */

XG_FN void xg_pieces_cut(const xg_hb *b, xg_pieces *w, uint32_t side, xg_inst *x) {
    xg_inst *rest, *part, *finite;
    uint32_t k, n = w->n[side];
    if (n == 1) {
        if (!w->tf32) x = xg_pieces_exact(x, XLAGPU_BF16);
        w->of[side][0] = xg_hb_convert(b, x, w->tf32 ? XLAGPU_F32 : XLAGPU_BF16);
        return;
    }
    rest = x = xg_hb_convert(b, x, XLAGPU_F32);
    finite = xg_hb_1(b, XG_IS_FINITE, x);
    for (k = 0; k < n; k++) {
        part = rest;
        if (k + 1 < n) {
            int64_t keep = ~(int64_t)(w->tf32 ? XG_PIECES_TF32_MASK : XG_PIECES_BF16_MASK) & 0xFFFFFFFF;
            part = xg_hb_bitcast_convert(b, rest, XLAGPU_U32);
            part = xg_hb_2(b, XG_AND, part, xg_hb_int_like(b, part, keep));
            part = xg_hb_bitcast_convert(b, part, XLAGPU_F32);
            if (k == 0) part = xg_hb_select(b, finite, part, x);
            rest = xg_hb_2(b, XG_SUBTRACT, rest, part);
            if (k == 0) rest = xg_hb_select(b, finite, rest, xg_hb_float_like(b, x, 0));
        }
        w->of[side][k] = w->tf32 ? part : xg_hb_convert(b, part, XLAGPU_BF16);
    }
}
XG_FN xg_inst *xg_pieces_make(const xg_hb *b, xg_inst *dot, xg_pieces *w) {
    xg_inst *sum = NULL, *product, *same;
    uint32_t order, i;
    for (i = 0; i < 2; i++) xg_pieces_cut(b, w, i, XG_OPERAND(dot, i));
    for (order = w->order; order-- > 0;)
        for (i = 0; i <= order; i++) {
            if (i >= w->n[0] || order - i >= w->n[1]) continue;
            if (order == 0 && sum) {
                same = xg_hb_compare(b, "EQ", sum, sum);
                sum = xg_hb_select(b, same, sum, xg_hb_float_like(b, sum, 0));
            }
            product = xg_pieces_dot(b, dot, w->of[0][i], w->of[1][order - i], w->tf32);
            sum = sum ? xg_hb_2(b, XG_ADD, sum, product) : product;
        }
    return xg_hb_convert(b, sum, dot->shape->type);
}
/* Whether it pays is asked once for equal dots of operands alike. */
XG_FN bool xg_pieces_wants(xg_inst *i, xg_pieces *w, xg_dict *known) {
    xg_module *m = i->comp->module;
    bool *pays;
    xg_str key;
    if (i->op != XG_DOT || i->shape->dynamic || i->shape->type != XLAGPU_F32 ||
        (XG_OPERAND(i, 0)->shape->type != XLAGPU_F32 && XG_OPERAND(i, 1)->shape->type != XLAGPU_F32) ||
        !xg_pieces_of(i, w))
        return false;
    key = xg_split_key(i);
    pays = (bool *)xg_dict_get(known, key);
    if (!pays) {
        pays = XG_NEW(m->work, bool);
        *pays = xg_pieces_pay(i, w);
        (void)xg_dict_put(known, key, pays);
    }
    return *pays && !xg_split_spares(i);
}
XG_FN bool xg_pieces_comp(xg_comp *c) {
    bool changed = false;
    xg_inst *i = c->first, *next;
    xg_pieces w;
    xg_dict known;
    xg_dict_init(&known, c->module->work);
    for (; i; i = next) {
        xg_hb b;
        next = i->next;
        if (!xg_pieces_wants(i, &w, &known)) continue;
        b = xg_hb_at(i);
        xg_opt_replace(i, xg_pieces_make(&b, i, &w));
        xg_inst_remove(i);
        changed = true;
    }
    return changed;
}
XG_FN bool xg_tile_dot_algorithm(xg_module *m) {
    return m->made[XG_DOT] && m->device.tensor_f16 && !xg_device_is_cpu(&m->device) &&
           xg_opt_each_sequence(m, xg_pieces_comp);
}

#endif /* XG_SCHED_DOT_ALGORITHM_C */
