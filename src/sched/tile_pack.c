/* sched/tile_pack.c -- weights of 4 bits of which a byte in memory holds two, or a word eight.
 *
 *     dot(x, multiply(convert(transpose(bitcast-convert(bytes))), broadcast(scales)))
 *
 * The array that holds them comes as it is into shared memory, half of what bytes would be, and becomes 16 bits as
 * fragments. A byte's two may be
 *
 *     neighbours along k        a word of four bytes gives a column's eight k, two fragments' share;
 *     k that are half of all    one fragment's and that of the other half's, which follows in the tile's order of k;
 *     columns                   one fragment's and that of the warp's other columns, so in the tile's order of columns.
 *
 * What a product's operand does with them before and behind, moves and numbers, is tile_scale.c's. */
#ifndef XG_SCHED_TILE_PACK_C
#define XG_SCHED_TILE_PACK_C
#include "tile_pack.h"

XG_ONE_COPY XG_FN bool xg_tile_pack_is(const xg_tile_plan *p, xg_tile_pack_way way) {
    return p->pack && p->pack->way == way;
}
XG_FN int64_t xg_tile_pack_each(const xg_tile_plan *p, uint32_t side) { return side && p->pack ? p->pack->each : 1; }
XG_FN int64_t xg_tile_pack_k(const xg_tile_plan *p, uint32_t side) {
    return !side || !p->pack || p->pack->way == XG_TILE_PACK_COLUMNS ? p->shape.k : p->shape.k / p->pack->each;
}
XG_FN const xg_tile_form *xg_tile_pack_form(const xg_tile_plan *p, uint32_t side) {
    return side && p->pack ? &p->pack->form : &p->form;
}

/* ---- how they lie ---- */

XG_FN bool xg_tile_is_packed(const xg_inst *i) {
    int64_t each = xg_dot_is_packed(i) ? i->shape->dims[i->shape->rank - 1] : 0;
    return (each == 2 || each == 8) && xg_tile_is_moved(XG_OPERAND(i, 0));
}
enum {
    XG_TILE_PACK_PARTS = 4 /* of columns: elements, and up to three digits of those that one of them holds */
};
/* A part of an axis, in units of its own. */
typedef struct xg_tile_part {
    int64_t extent, scale;
} xg_tile_part;
/* The group's last axis as others, outermost first. */
XG_FN void xg_tile_pack_split(xg_tile_group *g, const xg_tile_part *parts, uint32_t n) {
    xg_tile_axis last = g->axes[--g->n];
    uint32_t k;
    for (k = 0; k < n; k++) {
        xg_tile_axis *a = &g->axes[g->n++];
        *a = last;
        a->extent = parts[k].extent;
        a->scale = parts[k].scale * last.scale;
    }
    g->size = xg_tile_group_size(g);
}
/* What an element holds are the form's neighbours along k, or along rows, from its lowest bits on. */
XG_FN bool xg_tile_pack_suits(const xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_pack *t, bool along_k) {
    const xg_imap *at = xg_tile_probe(&t->form, x, 1, t->map, p->scaled->shape, along_k, t->each);
    return xg_tile_contiguous(x, at, 2, t->each) == 2;
}
XG_FN bool xg_tile_pack_beside(const xg_tile_plan *p, xg_aff_ctx *x, xg_tile_pack *t) {
    xg_tile_group *g = &t->form.group[XG_TILE_K];
    xg_tile_part part;
    part.extent = g->axes[g->n - 1].extent / t->each;
    part.scale = t->each;
    if (g->axes[g->n - 1].extent % t->each || !xg_tile_pack_suits(p, x, t, true)) return false;
    xg_tile_pack_split(g, &part, 1);
    return true;
}
/* Elements of the array, outermost, and digits of what they hold, the lowest one last: that one stands behind `own` of
 * the elements in the tile's order. */
XG_FN bool xg_tile_pack_order(
    xg_tile_plan *p, xg_aff_ctx *x, xg_tile_pack *t, xg_tile_role role, const xg_tile_part *parts, uint32_t n) {
    xg_tile_group *g = &t->form.group[role];
    int64_t all = g->size, own = role == XG_TILE_K ? (int64_t)XG_TILE_PACK_KS : 2 * XG_TILE_PACK_NS / t->each;
    xg_tile_part order[XG_TILE_PACK_PARTS + 1];
    bool whole = parts->extent % own == 0;
    if (!whole && role == XG_TILE_K) return false;
    t->last = whole ? 0 : parts->extent;
    xg_tile_pack_split(g, parts, n);
    if (g->size != all || !xg_tile_pack_suits(p, x, t, role == XG_TILE_K)) return false;
    g->n = 1;
    g->size = parts->extent;
    order[0].extent = xg_tile_over(parts->extent, own);
    order[0].scale = parts->scale * own;
    order[1] = parts[n - 1];
    order[2].extent = own;
    order[2].scale = parts->scale;
    memcpy(order + 3, parts + 1, (n - 2) * sizeof *parts);
    xg_tile_pack_split(&p->form.group[role], order, n + 1);
    return true;
}
/* A byte's are half of all k, or of all columns, apart. */
XG_FN bool xg_tile_pack_halves(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_pack *t, xg_tile_role role) {
    xg_tile_part parts[2];
    parts[1].scale = parts[0].extent = t->form.group[role].size / 2;
    parts[0].scale = 1;
    parts[1].extent = 2;
    return t->each == 2 && t->form.group[role].n == 1 && xg_tile_pack_order(p, x, t, role, parts, 2);
}
/* Columns of an element differ by powers of two, in any order. */
XG_FN bool xg_tile_pack_columns(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_pack *t) {
    const xg_tile_group *g = &t->form.group[XG_TILE_N];
    const xg_imap *flat = xg_indexing_flatten(x, t->map, p->scaled->shape);
    int64_t at[XG_TILE_VARS_MAX], first, place, by, v;
    xg_tile_part parts[XG_TILE_PACK_PARTS];
    uint32_t n = 1;
    memset(at, 0, sizeof at);
    if (g->n != 1 || !xg_imap_ok(flat) || !xg_aff_eval(flat->results[0], at, at, &first)) return false;
    parts[0].extent = g->size / t->each;
    parts[0].scale = t->each;
    for (by = t->each / 2; by; by /= 2, n++) { /* the digit by which the place grows so much */
        parts[n].extent = parts[n].scale = 1;
        for (v = 1; v < t->each; v *= 2) {
            at[g->axes[0].of] = v * g->axes[0].scale;
            if (!xg_aff_eval(flat->results[0], at, at, &place) || place - first != by) continue;
            parts[n].extent = 2;
            parts[n].scale = v;
        }
    }
    return xg_tile_pack_order(p, x, t, XG_TILE_N, parts, n);
}
/* The same elements by their place from the other end. */
XG_FN const xg_imap *xg_tile_pack_turn(xg_aff_ctx *x, const xg_imap *map, int64_t each) {
    xg_imap *m = xg_imap_copy(x, map, 0);
    const xg_aff **last = &m->results[m->n_results - 1];
    *last = xg_aff_add_k(x, xg_aff_mul(x, *last, -1), each - 1);
    return xg_imap_simplify(x, m);
}
XG_FN bool xg_tile_pack_try(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_pack *t, uint32_t k) {
    t->form = t->plain;
    t->last = 0;
    t->way = k ? k > 1 ? XG_TILE_PACK_COLUMNS : XG_TILE_PACK_HALVES : XG_TILE_PACK_BESIDE;
    switch (k) {
    case 0: return xg_tile_pack_beside(p, x, t);
    case 1: return xg_tile_pack_halves(p, x, t, XG_TILE_K);
    case 2: return xg_tile_pack_halves(p, x, t, XG_TILE_N);
    default: return (!t->turned || t->each == 2) && xg_tile_pack_columns(p, x, t);
    }
}
XG_FN void xg_tile_pack_find(xg_tile_plan *p, xg_aff_ctx *x) {
    enum {
        WAYS = 4
    };
    const xg_inst *i = p->scaled, *table = p->table;
    int64_t n_scales = p->n_scales;
    xg_tile_pack *t;
    uint32_t k;
    p->table = NULL;
    if (!i || !xg_tile_is_packed(i)) return;
    p->n_scales = 0;
    if (p->form.group[XG_TILE_M].size > xg_dot_packed_rows(p->form.hero)) return;
    t = XG_NEW(x->arena, xg_tile_pack);
    t->plain = p->form;
    t->each = i->shape->dims[i->shape->rank - 1];
    t->is_signed = xg_type_signed(i->shape->type);
    t->from = XG_OPERAND(i, 0);
    t->map = p->scaled_map;
    if (table && t->is_signed) return;
    for (k = 0; !xg_tile_pack_try(p, x, t, k % WAYS);)
        if (++k == WAYS) {
            t->turned = true;
            t->map = xg_tile_pack_turn(x, t->map, t->each);
        } else if (k == 2 * WAYS)
            return;
    t->form.map[1] = xg_imap_compose(x, p->scaled_map, xg_indexing_operand(x, i, 0));
    if (!xg_imap_ok(t->form.map[1])) {
        p->form = t->plain;
        return;
    }
    p->n_scales = n_scales;
    p->table = table;
    p->pack = t;
}

/* Where the tile's columns have an element of the array (its columns may stand apart): map's domain without others. */
XG_FN const xg_imap *xg_tile_pack_inside(
    const xg_tile_plan *p, xg_aff_ctx *x, const xg_imap *map, const xg_aff *column) {
    const xg_tile_pack *t = p->pack;
    int64_t all = (int64_t)2 * XG_TILE_PACK_NS;
    const xg_aff *own;
    if (!t || !t->last) return map;
    own = xg_aff_mod(x, xg_aff_div(x, column, t->each / 2), all / t->each);
    own = xg_aff_add_mul(x, own, xg_aff_div(x, column, all), all / t->each);
    return xg_imap_with_constraint(x, map, own, xg_range_of(0, t->last - 1));
}
XG_FN int64_t xg_tile_columns(const xg_tile_plan *p) {
    return p->pack && p->pack->last ? p->pack->last : p->form.group[XG_TILE_N].size;
}

/* ---- one shape ---- */

XG_FN int64_t xg_tile_pack_deep(const xg_tile_plan *p, const xg_tile_shape *s, int64_t vector) {
    enum {
        DEEP = 4
    };
    bool columns = xg_tile_pack_is(p, XG_TILE_PACK_COLUMNS);
    bool words = p->fetch[1].bytes == XG_TILE_WORD_BYTES;
    if (vector < (words ? 2 : (int64_t)XG_TILE_WORD_BYTES)) return 1; /* nothing copies bytes, or turns single words */
    if (words && columns && p->fetch[1].along_k) return 1;            /* a fragment takes bytes for k */
    if (columns && (s->n != 2 * XG_TILE_PACK_NS || s->tn != 2 * XG_KMMA_M)) return 1;
    return s->k % (2 * XG_TILE_PACK_KS) || p->form.group[XG_TILE_K].size % s->k ? 1 : DEEP;
}
XG_FN bool xg_tile_pack_moves(const xg_tile_plan *p) {
    return p->deep > 1 && (p->fetch[1].along_k || xg_tile_pack_is(p, XG_TILE_PACK_BESIDE));
}

/* ---- fragments ---- */

/* Numbers of the table that both halves choose: each lane has one, and so has the lane that is 16 further on. As a word
 * of both, or, of f32, one after the other. */
XG_FN xg_kval *xg_tile_pack_look_up(xg_tile_kernel *w, xg_kval *x, xg_kval **second) {
    enum {
        HALF_BITS = 16,
        LOW_HALVES = 0x5410
    };
    xg_kval *low = xg_kshuffle(&w->s.b, XG_K_OP_SHFLIDX, w->table, x);
    *second = xg_kshuffle(&w->s.b, XG_K_OP_SHFLIDX, w->table, xg_k2_int(&w->s.b, XG_K_OP_SHRUI, x, HALF_BITS));
    if (xg_tile_scale_is_wide(w->p)) return low;
    low = xg_tile_unit_bytes(w, low, *second, LOW_HALVES);
    *second = NULL;
    return low;
}
XG_FN void xg_tile_pack_begin(xg_tile_kernel *w) {
    xg_kval *own = xg_tile_rest(w, w->thread, XG_TILE_TABLE);
    xg_emit_forget(&w->s);
    w->table = xg_elem_of(&w->s, w->p->table, &own).v;
    if (xg_tile_scale_is_wide(w->p)) return;
    w->table = xg_kcast(&w->s.b, XG_K_OP_EXTUI, xg_kcast(&w->s.b, XG_K_OP_BITCAST, w->table, XG_E_I16), XG_E_I32);
}
XG_FN void xg_tile_pack_widen(
    xg_tile_kernel *w, xg_kval *bytes, int64_t which, int64_t pair, xg_kval **wide, xg_kval **second) {
    enum {
        BITS = 4,
        FIRST = 0x4140, /* bytes beside bytes of zero */
        SECOND = 0x4342,
        BOTH = 0x4400, /* a byte, and the same one of a second word, in the low bytes of halves; or turned */
        TURNED = 0x0044,
        NEXT = 0x1111
    };
    bool turned = w->p->pack->turned, across = xg_tile_is_across(w->p, 1),
         beside = xg_tile_pack_is(w->p, XG_TILE_PACK_BESIDE);
    int64_t high = xg_tile_pack_is(w->p, XG_TILE_PACK_COLUMNS) ? pair % 2 : which / 2, k, n;
    xg_kval *x, *zero = xg_kconst_i32(&w->s.b, 0);
    high ^= turned;
    if (!beside) which %= 2;
    for (k = 0; k < 4; k++) {
        if (beside) {
            n = across ? k : which % 2 * 2 + k % 2; /* a byte of which both are taken; columns alternate */
            x = xg_tile_unit_take(w, bytes, across ? which : k / 2 * 2 + which / 2);
            if (turned && w->p->pack->each > 2) n = 3 - n;
            n = n * NEXT + (turned ? TURNED : BOTH);
            x = xg_tile_unit_bytes(w, x, xg_k2_int(&w->s.b, XG_K_OP_SHRUI, x, BITS), n);
        } else {
            x = xg_tile_unit_take(w, bytes, across ? 2 * which + k / 2 : k / 2 * 2 + which);
            n = high * BITS + (across ? k % 2 * 2 * BITS : 0);
            if (n) x = xg_k2_int(&w->s.b, XG_K_OP_SHRUI, x, n);
            if (!across) x = xg_tile_unit_bytes(w, x, zero, k % 2 ? SECOND : FIRST);
        }
        wide[k] = w->p->table ? xg_tile_pack_look_up(w, x, &second[k])
                              : xg_tile_unit_halves(w, x, w->p->pack->is_signed, BITS);
    }
}

#endif /* XG_SCHED_TILE_PACK_C */
