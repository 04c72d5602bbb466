/* sched/tile_scale.c -- weights of bytes from which a number of each column, or of some k of a column, is subtracted,
 * or to which it is added, or that it multiplies, in the type of 16 bits or in f32:
 *
 *     dot(x, multiply(subtract(convert(bytes), broadcast(zeros)), broadcast(scales)))
 *
 * The bytes come as such into shared memory, as those without scales do; a fragment's floats meet words of two equal
 * halves, which a lane has for each of its columns, or, if they were f32, are f32 for so long. What comes of it is
 * rounded where the module rounds it. */
#ifndef XG_SCHED_TILE_SCALE_C
#define XG_SCHED_TILE_SCALE_C
#include "tile_pack.h"

/* How many k in a row, of those that steps may have, have the same number; 0: that differs. */
XG_FN int64_t xg_tile_scale_run(const xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_scale *s) {
    enum {
        MOST = 1 << 10,
        LEAST = 32
    };
    const xg_imap *m = s->map, *place;
    const xg_inst *from = xg_tile_moved_from(x, s->number, &m);
    int64_t all = p->form.group[XG_TILE_K].size, run, next;
    for (run = all, next = MOST; xg_imap_ok(m) && run >= LEAST; run = next, next /= 2) { /* all, then powers of two */
        if (all % run) continue;
        place = xg_tile_probe(&p->form, x, 1, m, from->shape, true, run);
        if (xg_imap_ok(place) && !xg_aff_uses(place->results[0], xg_aff_dim(x, 2))) return run;
    }
    return 0;
}
/* The number that meets bytes in i, at p->scaled_map, as the last one that is known; NULL, or the rest. */
XG_FN const xg_inst *xg_tile_scale_add(xg_tile_plan *p, xg_aff_ctx *x, const xg_inst *i) {
    xg_tile_scale *s = &p->scales[p->n_scales];
    int64_t run = 0;
    uint32_t k;
    if (i->op != XG_MULTIPLY && i->op != XG_SUBTRACT && i->op != XG_ADD) return NULL;
    s->op = i;
    s->map = p->scaled_map;
    for (k = 2; !run && k-- > (uint32_t)(i->op == XG_SUBTRACT);) {
        s->number = XG_OPERAND(i, k);
        run = xg_tile_scale_run(p, x, s);
    }
    if (!run) return NULL;
    p->scale_run = xg_gcd(p->n_scales++ ? p->scale_run : run, run);
    return XG_OPERAND(i, 1 - k);
}
XG_FN void xg_tile_find_scale(xg_tile_plan *p, xg_aff_ctx *x) {
    enum {
        CVT_CC = 80 /* makes a word of two f32 */
    };
    const xg_inst *i = XG_OPERAND(p->form.hero, p->form.operand[1]), *next = i;
    xlagpu_type type;
    p->n_scales = 0;
    p->scaled = p->table = NULL;
    if (p->unit == XG_TILE_NO_UNIT || p->form.hero->op != XG_DOT || i->shape->type != p->held ||
        xg_type_bits(p->held) != 16 || xg_contract_rounding(p->form.hero, p->held) != p->held)
        return;
    p->product = p->fetch[1].from;
    p->product_map = p->scaled_map = p->form.map[1];
    i = xg_tile_moved_from(x, i, &p->scaled_map);
    if (i->op == XG_CONVERT && XG_OPERAND(i, 0)->shape->type == XLAGPU_F32 && p->device->cc >= CVT_CC)
        i = xg_tile_moved_from(x, XG_OPERAND(i, 0), &p->scaled_map);
    type = i->shape->type;
    while (next && p->n_scales < XG_TILE_SCALES && xg_imap_ok(p->scaled_map) && i->shape->type == type)
        if ((next = xg_tile_scale_add(p, x, i)) != NULL) i = xg_tile_moved_from(x, next, &p->scaled_map);
    p->table = i->op == XG_GATHER && XG_OPERAND(i, 0)->shape->elements == XG_TILE_TABLE && i->shape->type == type &&
                       (p->n_scales || type == p->held)
                   ? XG_OPERAND(i, 0)
                   : NULL;
    if (p->table) {
        const xg_imap *m = xg_imap_compose(x, p->scaled_map, xg_indexing_operand(x, i, 1));
        if (xg_imap_ok(m)) m = xg_imap_drop_unused_syms(x, xg_imap_simplify(x, m), NULL);
        p->scaled_map = xg_imap_ok(m) && !m->n_syms ? m : xg_imap_undefined(x);
        i = xg_tile_moved_from(x, XG_OPERAND(i, 1), &p->scaled_map);
    }
    while (i->op == XG_CONVERT && xg_tile_holds(XG_OPERAND(i, 0)->shape->type, i->shape->type) &&
           xg_imap_ok(p->scaled_map))
        i = xg_tile_moved_from(x, XG_OPERAND(i, 0), &p->scaled_map);
    p->scaled = i;
    if (xg_type_bytes(i->shape->type) > 1 || !xg_tile_holds(i->shape->type, p->held) ||
        !((xg_tile_is_moved(i) && !p->table) || xg_tile_is_packed(i)) || !xg_imap_ok(p->scaled_map)) {
        p->n_scales = 0;
        p->scaled = p->table = NULL;
    }
}
XG_FN int64_t xg_tile_scale_sets(const xg_tile_plan *p, int64_t k) {
    int64_t all = p->form.group[XG_TILE_K].size;
    bool halves = xg_tile_pack_is(p, XG_TILE_PACK_HALVES) && p->scale_run < all;
    if (all % k) return 0;
    if (p->scale_run % k == 0 && !halves) return 1;
    return p->pack && k == 2 * XG_TILE_PACK_KS && p->scale_run % XG_TILE_PACK_KS == 0 ? 2 : 0;
}
/* Each step has numbers of its own. */
XG_ONE_COPY XG_FN bool xg_tile_scale_varies(const xg_tile_plan *p) {
    return p->scale_run < p->form.group[XG_TILE_K].size;
}

enum {
    XG_TILE_SCALE_LANE, /* a quarter of the lane's number: lanes beside each other have k of the same column */
    XG_TILE_SCALE_WARP,
    XG_TILE_SCALE_STEP,
    XG_TILE_SCALE_TILE,
    XG_TILE_SCALE_BATCH,
    XG_TILE_SCALE_DIMS
};
/* To the variables: of matrix `matrix` of the warp's right side; one behind another set are those of the next k. */
XG_FN xg_imap *xg_tile_scale_map(const xg_tile_plan *p, xg_aff_ctx *x, const int64_t *counts, int64_t matrix) {
    int64_t each = p->shape.tn / XG_KMMA_N, first = matrix / each * XG_TILE_PACK_KS;
    const xg_aff *linear[XG_TILE_ROLES], *lane = xg_aff_dim(x, XG_TILE_SCALE_LANE), *row;
    xg_imap *m = xg_tile_map(x, counts, XG_TILE_SCALE_DIMS, p->form.n_vars);
    bool across = xg_tile_is_across(p, 1);
    matrix %= each;
    row = xg_aff_add_k(x, xg_aff_mul(x, lane, across ? 2 : 1), across ? matrix % 2 : matrix % 2 * XG_KMMA_N);
    row = xg_aff_add_dim(x, row, XG_TILE_SCALE_WARP, XG_KMMA_M);
    row = xg_aff_add_k(x, row, matrix / 2 * p->columns * XG_KMMA_M);
    memset(linear, 0, sizeof linear);
    linear[XG_TILE_B] = xg_aff_dim(x, XG_TILE_SCALE_BATCH);
    linear[XG_TILE_N] = xg_aff_add_dim(x, row, XG_TILE_SCALE_TILE, p->shape.n);
    linear[XG_TILE_K] = xg_aff_add_k(x, xg_aff_mul(x, xg_aff_dim(x, XG_TILE_SCALE_STEP), p->shape.k), first);
    xg_tile_set_variables(&p->form, x, m, linear);
    return m;
}
/* The number for a matrix; of columns that are none, another one: a branch would wait for it. */
XG_FN xg_kval *xg_tile_scale_number(
    xg_tile_kernel *w, const xg_tile_scale *s, const xg_imap *map, const xg_imap *all, xg_kval *const *at) {
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_aff_env env = xg_imap_env(x, all);
    xg_kval *index[XG_RANK_MAX];
    uint32_t k;
    xg_emit_forget(&w->s);
    xg_elem_apply(&w->s, xg_imap_with_results(x, all, map->results, map->n_results), at, index);
    for (k = 0; k < map->n_results; k++) {
        int64_t last = s->number->shape->dims[k] - 1;
        if (xg_range_within(xg_aff_range(&env, map->results[k]), xg_range_of(0, last))) continue;
        index[k] = xg_k2_int(&w->s.b, XG_K_OP_MINSI, index[k], last);
        index[k] = xg_k2_int(&w->s.b, XG_K_OP_MAXSI, index[k], 0);
    }
    return xg_elem_of(&w->s, s->number, index).v;
}
XG_FN int64_t xg_tile_scale_each(const xg_tile_plan *p) {
    return p->shape.tn / XG_KMMA_N * xg_tile_scale_sets(p, p->shape.k);
}
XG_FN int64_t xg_tile_scale_numbers(const xg_tile_plan *p) {
    return p->deep > 1 ? p->n_scales * xg_tile_scale_each(p) : 0;
}
XG_FN void xg_tile_scale_at(xg_tile_kernel *w, xg_kval *step, xg_kval **numbers) {
    const xg_tile_plan *p = w->p;
    xg_kval *at[XG_TILE_SCALE_DIMS], *last = xg_k2_int(&w->s.b, XG_K_OP_SUBI, w->steps, 1);
    int64_t counts[XG_TILE_SCALE_DIMS], each = xg_tile_scale_each(p), k;
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_imap *all, *map;
    step = xg_k2(&w->s.b, XG_K_OP_MINSI, step, last); /* what comes behind the last step is not multiplied by */
    step = xg_k2_int(&w->s.b, XG_K_OP_MAXSI, step, 0);
    counts[XG_TILE_SCALE_LANE] = XG_WARP_LANES / 4;
    counts[XG_TILE_SCALE_WARP] = p->columns;
    counts[XG_TILE_SCALE_STEP] = p->all_steps;
    counts[XG_TILE_SCALE_TILE] = p->tiles[1];
    counts[XG_TILE_SCALE_BATCH] = p->batch;
    at[XG_TILE_SCALE_LANE] = w->quarter;
    at[XG_TILE_SCALE_WARP] = w->column;
    at[XG_TILE_SCALE_STEP] = xg_tile_own_step(w, step);
    at[XG_TILE_SCALE_TILE] = w->tile[1];
    at[XG_TILE_SCALE_BATCH] = w->batch;
    all = xg_tile_map(x, counts, XG_TILE_SCALE_DIMS, 0);
    for (k = 0; k < xg_tile_scale_numbers(p); k++) {
        const xg_tile_scale *s = &p->scales[k / each];
        map = xg_imap_compose(x, xg_tile_scale_map(p, x, counts, k % each), s->map);
        numbers[k] = xg_tile_scale_number(w, s, map, all, at);
    }
}
XG_FN bool xg_tile_scale_is_wide(const xg_tile_plan *p) {
    return p->n_scales && p->scales[0].op->shape->type == XLAGPU_F32;
}
XG_FN int64_t xg_tile_scale_issue(const xg_tile_plan *p) {
    enum {
        LOOK_UP = 6 /* two shuffles, and their lanes */
    };
    return (xg_tile_scale_is_wide(p) ? 2 * p->n_scales + 3 : p->n_scales) + (p->table ? (int64_t)LOOK_UP : 0);
}
/* The one element of memory that a value is made of; NULL: there are more, or none. */
XG_FN xg_kval *xg_tile_scale_loaded(xg_kval *v, uint32_t depth) {
    xg_kval *found = NULL, *one;
    uint32_t k;
    if (!v->def || v->def->n_regions || !depth) return NULL;
    if (v->def->op == XG_K_OP_EXTRACT) return v;
    for (k = 0; k < v->def->n_operands; k++) {
        one = xg_tile_scale_loaded(v->def->operands[k].value, depth - 1);
        if (one && found) return NULL;
        if (one) found = one;
    }
    return found;
}
enum {
    XG_TILE_SCALE_DEPTH = 12 /* operations between what is loaded and a number: a packed zero point has five */
};
/* What is loaded alone: what follows would wait for it, and is done in front of the step's products. */
XG_FN void xg_tile_scale_read(xg_tile_kernel *w, xg_kval *step, xg_kval **numbers) {
    int64_t k;
    xg_tile_scale_at(w, step, numbers);
    for (k = 0; k < xg_tile_scale_numbers(w->p); k++) {
        xg_kval *one = xg_tile_scale_loaded(numbers[k], XG_TILE_SCALE_DEPTH);
        w->computes |= one && one != numbers[k];
        if (one) numbers[k] = one;
    }
}
XG_FN void xg_tile_scale_compute(xg_tile_kernel *w, xg_kval *step) {
    int64_t k, n = xg_tile_scale_numbers(w->p);
    memcpy(w->scale, w->numbers, (size_t)n * sizeof *w->scale);
    if (!w->computes) return;
    xg_tile_scale_at(w, step, w->scale);
    for (k = 0; k < n; k++) {
        xg_kval *one = xg_tile_scale_loaded(w->scale[k], XG_TILE_SCALE_DEPTH);
        if (one && one != w->scale[k])
            xg_kval_replace(one, w->numbers[k]);
        else
            w->scale[k] = w->numbers[k];
    }
}
/* In both halves of a word each; what is added is subtracted with the other sign. */
XG_FN void xg_tile_scale_spread(xg_tile_kernel *w, xg_kval *step) {
    enum {
        LOW_TWICE = 0x1010,
        SIGN = 0x8000
    };
    xg_kb *b = &w->s.b;
    int64_t k;
    xg_tile_scale_compute(w, step);
    for (k = 0; k < xg_tile_scale_numbers(w->p); k++) {
        xg_kval *v = w->scale[k];
        if (xg_tile_scale_is_wide(w->p)) continue;
        v = xg_kcast(b, XG_K_OP_EXTUI, xg_kcast(b, XG_K_OP_BITCAST, v, XG_E_I16), XG_E_I32);
        w->scale[k] = xg_k3(b, XG_K_OP_PRMT, v, v, xg_kconst_i32(b, LOW_TWICE));
        if (w->p->scales[k / xg_tile_scale_each(w->p)].op->op == XG_ADD)
            w->scale[k] = xg_k2(b, XG_K_OP_XORI, w->scale[k], xg_tile_unit_twice(w, SIGN));
    }
}
XG_FN xg_kopcode xg_tile_scale_opcode(const xg_tile_plan *p, int64_t n) {
    bool half = p->held == XLAGPU_F16, wide = xg_tile_scale_is_wide(p);
    xg_opcode op = p->scales[n].op->op;
    if (op == XG_MULTIPLY) return wide ? XG_K_OP_MULF : half ? XG_K_OP_MULH2 : XG_K_OP_MULBF2;
    if (wide) return op == XG_ADD ? XG_K_OP_ADDF : XG_K_OP_SUBF;
    return half ? XG_K_OP_SUBH2 : XG_K_OP_SUBBF2;
}
XG_FN xg_kval *xg_tile_scale_word(xg_tile_kernel *w, xg_kval *word, xg_kval *second, int64_t which, int64_t matrix) {
    const xg_tile_plan *p = w->p;
    bool half = p->held == XLAGPU_F16, wide = xg_tile_scale_is_wide(p);
    const xg_ktype *pair = xg_kir_vector(w->s.b.m, xg_kelem_of(p->held), 2);
    xg_kval *v[2], *o[2];
    xg_kb *b = &w->s.b;
    int64_t n, k;
    if (xg_tile_scale_sets(p, p->shape.k) > 1) matrix += which / 2 * (p->shape.tn / XG_KMMA_N);
    v[0] = word;
    v[1] = second;
    if (wide && !second) word = xg_kir_of(b, XG_K_OP_BITCAST, word, pair);
    for (k = 0; k < 1 + wide; k++) {
        o[0] = word;
        o[1] = xg_elem_index(&w->s, k);
        if (wide && !second) o[0] = xg_kir_value(b, XG_K_OP_VEXTRACT, o, 2, xg_kir_scalar(w->s.b.m, pair->elem));
        if (wide && !second) v[k] = xg_kcast(b, XG_K_OP_EXTF, o[0], XG_E_F32);
        for (n = p->n_scales; n-- > 0;)
            v[k] = xg_k2(b, xg_tile_scale_opcode(p, n), v[k], w->scale[n * xg_tile_scale_each(p) + matrix]);
    }
    return wide ? xg_kir_value(b, half ? XG_K_OP_CVTH2 : XG_K_OP_CVTBF2, v, 2, xg_kir_scalar(w->s.b.m, XG_E_I32)) : *v;
}

#endif /* XG_SCHED_TILE_SCALE_C */
