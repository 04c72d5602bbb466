/* sched/tile_box.c -- operands of convolutions that come by tensor copies, without an im2col in memory: what a step
 * wants of the picture is a box of it.
 *
 *     rows of a tile:  8 columns of each of 8 lines of each of 2 pictures     a box of 64 channels by 8 by 8 by 2,
 *     k of a step:     64 channels below one place of the window              moved by the place of the window
 *
 * Positions are taken in such an order: each axis of rows (of a gradient of the filter: of k) is split into one that
 * lies in a box and one that counts boxes. The box's sizes are powers of two that divide the axes, so that no tile has
 * places outside of the result. What lies outside of the picture is zero, as the padding is. Where neighbours are a
 * stride apart, the array is described as so many arrays of every other column. Boxes of which all places of a window
 * are views: tile_halo.c. Products with several batch axes (heads beside columns) have boxes, too: of rows by columns
 * of one head. */
#ifndef XG_SCHED_TILE_BOX_C
#define XG_SCHED_TILE_BOX_C
#include "tile.h"

/* The axes of a group split so that so many positions make a box. False: their extents do not allow it. */
XG_FN bool xg_tile_box_split(xg_tile_group *g, int64_t positions) {
    xg_tile_group to;
    int64_t inside[XG_TILE_VARS_MAX];
    uint32_t k;
    memset(&to, 0, sizeof to);
    for (k = g->n; k-- > 0;) {
        inside[k] = XG_MIN(xg_tile_power(g->axes[k].extent), positions);
        positions /= inside[k];
    }
    if (positions > 1 || 2 * g->n > XG_TILE_VARS_MAX) return false;
    for (k = 0; k < 2 * g->n; k++) {
        xg_tile_axis a = g->axes[k % g->n];
        int64_t own = inside[k % g->n];
        if (k < g->n) {
            a.extent /= own;
            a.scale *= own;
        } else
            a.extent = own;
        if (a.extent > 1) to.axes[to.n++] = a;
    }
    to.size = g->size;
    *g = to;
    return true;
}
/* The same form of as many variables as axes. */
XG_FN void xg_tile_box_axes(const xg_tile_form *f, xg_tile_form *to) {
    uint32_t r, k;
    *to = *f;
    for (to->n_vars = r = 0; r < XG_TILE_ROLES; r++)
        for (k = 0; k < f->group[r].n; k++) {
            to->group[r].axes[k].of = to->n_vars++;
            to->group[r].axes[k].scale = 1;
            to->group[r].axes[k].first = 0;
        }
}
/* So many neighbours of a group (0: of an axis that is alone, as many as rows are brought at a time) lie along
 * dimensions of the array, each axis along one, from *d on. */
XG_FN bool xg_tile_box_run(xg_tile_fetch *t, xg_aff_ctx *x, const xg_tile_group *g, int64_t n, uint32_t *d) {
    const xg_imap *m = t->boxes;
    uint32_t k, r;
    if (!n && g->n != 1) return false;
    for (k = g->n; n != 1 && k-- > 0; (*d)++) {
        const xg_aff *v = xg_aff_dim(x, g->axes[k].of), *rest;
        int64_t own = n ? XG_MIN(n, g->axes[k].extent) : 1;
        if (n % own || (k && g->axes[k].extent % own)) return false;
        for (; *d < m->n_results && !xg_aff_uses(m->results[*d], v); (*d)++) {}
        for (r = 0; r < m->n_results; r++)
            if (r != *d && xg_aff_uses(m->results[r], v)) return false;
        if (*d == m->n_results || xg_aff_scale_of(m->results[*d], v) != 1) return false;
        rest = xg_aff_sub(x, m->results[*d], v);
        if (!rest || xg_aff_uses(rest, v)) return false;
        if (!n) t->row_dim = *d;
        t->tensor.box[*d] = (uint32_t)own;
        n = n ? n / own : 1;
    }
    return n == 1;
}
/* It asks for no more than that an index lies in the array. */
XG_FN bool xg_tile_box_is_inside(xg_aff_ctx *x, const xg_imap *m, const xg_constraint *c, const xg_shape *s) {
    uint32_t d;
    for (d = 0; d < m->n_results; d++) {
        const xg_aff *more = xg_aff_sub(x, m->results[d], c->expr);
        if (more && more->kind == XG_AFF_CONST && c->range.lo + more->k <= 0 && c->range.hi + more->k >= s->dims[d] - 1)
            return true;
    }
    return false;
}
/* Where there is no element a copy finds none: the map asks for no more than that indices lie in the array, as that of
 * a window does, unless there are elements between others that it has not. Positions that fill a box up (filled) may
 * find any; a phase that has none is none's sum. */
XG_FN bool xg_tile_box_is_whole(
    xg_aff_ctx *x, const xg_imap *axes, const xg_imap *m, const xg_shape *s, bool direct, bool filled, uint32_t batch) {
    uint32_t k, d;
    for (k = 0; k < m->n_dims && !(direct && filled); k++)
        if (!xg_range_within(axes->dims[k].range, m->dims[k].range)) return false;
    for (k = 0; k < m->n_constraints; k++) {
        const xg_constraint *c = &m->constraints[k];
        if (xg_tile_box_is_inside(x, m, c, s)) continue;
        for (d = batch; d < m->n_dims && !xg_aff_uses(c->expr, xg_aff_dim(x, d)); d++) {}
        if (!direct || (d < m->n_dims && c->range.lo == c->range.hi)) return false;
    }
    return true;
}
/* How far apart neighbours in a box lie, whose axis is the last one that the index has. */
XG_FN int64_t xg_tile_box_stride(xg_aff_ctx *x, const xg_tile_group *g, const xg_aff *e) {
    int64_t scale = 0;
    uint32_t k;
    for (k = g->n; k-- > 0 && !scale;) scale = xg_aff_scale_of(e, xg_aff_dim(x, g->axes[k].of));
    return XG_MAX(scale, (int64_t)1);
}
/* The array's dimensions in the order of a box: the innermost one, those that positions go along, others. */
XG_FN void xg_tile_box_order(
    xg_aff_ctx *x, const xg_tile_group *g, const xg_imap *place, const xg_shape *s, uint32_t *order) {
    uint32_t n = 0, turn, k, j;
    for (turn = 0; turn < g->n + 2; turn++)
        for (k = 0; k < s->rank; k++) {
            uint32_t d = xg_shape_minor(s, k);
            bool along = turn && turn <= g->n && xg_aff_uses(place->results[d], xg_aff_dim(x, g->axes[g->n - turn].of));
            for (j = 0; j < n && order[j] != d; j++) {}
            if (j == n && (turn ? along || turn > g->n : !k)) order[n++] = d;
        }
}
/* The array's dimensions, innermost first: of one whose neighbours are a stride apart the parts that begin alike lie
 * side by side below it, in the dimension before if that is the innermost one and all of what lies between them.
 * place: (axes) -> its indices. */
XG_FN bool xg_tile_box_dims(
    xg_tile_fetch *t, xg_aff_ctx *x, const xg_tile_group *positions, const xg_imap *place, const xg_shape *s) {
    xg_imap *m = xg_imap_of_dims(x, place->n_dims, 2 * XG_KMAP_RANK);
    xg_kmap *map = &t->tensor;
    int64_t strides[XG_RANK_MAX], apart;
    uint32_t order[XG_RANK_MAX], k;
    for (k = 0; k < m->n_dims; k++) m->dims[k].range = xg_range_of(INT64_MIN, INT64_MAX);
    xg_shape_strides(s, strides);
    xg_tile_box_order(x, positions, place, s, order);
    for (map->rank = k = 0; k < s->rank; k++) {
        uint32_t d = order[k];
        int64_t stride = t->bytes * strides[d];
        const xg_aff *e = place->results[d];
        bool beside = k == 1 && stride == t->bytes * map->dims[0];
        apart = xg_tile_box_stride(x, positions, e);
        if (s->dims[d] % apart || map->rank + (apart > 1 && !beside) >= XG_KMAP_RANK) return false;
        if (apart > 1 && beside) {
            m->results[0] = xg_aff_add_mul(x, m->results[0], xg_aff_mod(x, e, apart), map->dims[0]);
            map->dims[0] *= apart;
        } else if (apart > 1) {
            m->results[map->rank] = xg_aff_mod(x, e, apart);
            if (!xg_tile_bulk_dim(map, apart, stride)) return false;
        }
        m->results[map->rank] = apart > 1 ? xg_aff_div(x, e, apart) : e;
        if (!xg_tile_bulk_dim(map, s->dims[d] / apart, stride * apart)) return false;
    }
    m->n_results = map->rank;
    t->boxes = m;
    return true;
}
/* Rows may have positions beside the result. */
XG_FN bool xg_tile_box_is_filled(const xg_tile_plan *p) {
    return p->pixels && p->pixels_of == XG_TILE_M && (p->halo || p->form.filled);
}
/* The array, of boxes of one element; to: (variables) -> its indices. *own: see xg_tile_box_axes. */
XG_FN bool xg_tile_box_array(const xg_tile_plan *p, xg_aff_ctx *x, xg_tile_fetch *t, const xg_shape *s,
    const xg_imap *to, bool direct, xg_tile_form *own) {
    bool filled = xg_tile_box_is_filled(p);
    const xg_imap *whole;
    xg_imap *axes, *all;
    uint32_t d, n, a;
    if (!p->pixels || !xg_imap_ok(to) || to->n_syms || to->n_rts) return false;
    xg_tile_box_axes(&p->form, own);
    axes = xg_imap_of_dims(x, own->n_vars, p->form.n_vars);
    for (n = 0; n < p->form.n_vars; n++) axes->results[n] = xg_aff_const(x, 0);
    for (n = a = 0; n < XG_TILE_ROLES; n++)
        for (d = 0; d < own->group[n].n; d++, a++) {
            const xg_tile_axis *of = &p->form.group[n].axes[d];
            axes->dims[a].range = xg_range_of(0, of->extent - 1);
            axes->results[of->of] = xg_aff_add_k(x, xg_aff_add_dim(x, axes->results[of->of], a, of->scale), of->first);
        }
    axes->n_results = to->n_dims;
    whole = xg_imap_compose(x, axes, to);
    if (!xg_imap_ok(whole) || !xg_tile_box_is_whole(x, axes, whole, s, direct, filled, own->group[XG_TILE_B].n))
        return false;
    if (direct && filled) { /* nothing is known of places but what axes say */
        all = xg_imap_copy(x, to, 0);
        for (n = all->n_constraints = 0; n < all->n_dims; n++) all->dims[n].range = xg_range_of(INT64_MIN, INT64_MAX);
        whole = xg_imap_compose(x, axes, all);
    }
    for (n = 0; n < XG_KMAP_RANK; n++) t->tensor.box[n] = 1;
    return xg_imap_ok(whole) && xg_tile_box_dims(t, x, &own->group[p->pixels_of], whole, s);
}
/* to: (variables) -> the array's indices. */
XG_FN bool xg_tile_box_describe(xg_tile_plan *p, xg_aff_ctx *x, uint32_t side, const xg_inst *from, const xg_imap *to) {
    xg_tile_fetch *t = &p->fetch[side];
    const xg_tile_group *k, *rows;
    int64_t line = XG_KWGMMA_LINE_BYTES / t->bytes;
    xg_tile_form own;
    uint32_t d = 0;
    if (!xg_tile_box_array(p, x, t, from->shape, to, from == t->from, &own)) return false;
    k = &own.group[XG_TILE_K];
    rows = &own.group[side ? XG_TILE_N : XG_TILE_M];
    t->row_dim = 0;
    if (!xg_tile_box_run(t, x, t->along_k ? k : rows, line, &d) || d != 1) return false;
    if (t->along_k) line = !side && p->pixels_of == XG_TILE_M ? p->pixels : 0;
    if (!xg_tile_box_run(t, x, t->along_k ? rows : k, line, &d)) return false;
    if (!p->halo || (side && p->halo_across <= 1)) return true;
    return t->along_k == (p->pixels_of == XG_TILE_M) && xg_tile_halo_widen(p, x, &own, side);
}
/* The result leaves in the boxes of its positions. */
XG_FN void xg_tile_box_result(xg_tile_plan *p, xg_aff_ctx *x, const xg_shape *root) {
    int64_t line = XG_KWGMMA_LINE_BYTES / p->result.bytes;
    xg_tile_form own;
    xg_tile_fetch t;
    uint32_t d = 0;
    memset(&t, 0, sizeof t);
    t.tensor = p->result;
    t.bytes = p->result.bytes;
    p->may_store = p->pixels_of == XG_TILE_M &&
                   xg_tile_box_array(p, x, &t, root, xg_emit_same_place(x, p->form.hero->shape, root), true, &own) &&
                   xg_tile_box_run(&t, x, &own.group[XG_TILE_N], line, &d) && d == 1 &&
                   xg_tile_box_run(&t, x, &own.group[XG_TILE_M], p->pixels, &d);
    p->result = t.tensor;
    p->result_boxes = t.boxes;
}
XG_FN bool xg_tile_box_might(const xg_tile_plan *p) {
    return (p->form.hero->op == XG_CONVOLUTION || p->form.group[XG_TILE_B].n > 1) && p->may_group;
}
XG_FN bool xg_tile_box_wants(const xg_tile_plan *p) {
    return xg_tile_box_might(p) && !p->pixels && !xg_tile_may_bulk(p);
}
/* The innermost axis of rows gets as many positions beside the result as make boxes, if these are few; eight at least:
 * of a box that has one column columns a stride apart would want a dimension more. */
XG_FN bool xg_tile_box_fill(xg_tile_plan *p) {
    enum {
        FEW = 4, /* of so many */
        EIGHT = 8
    };
    xg_tile_group *g = &p->form.group[XG_TILE_M];
    int64_t *own = &g->axes[g->n - 1].extent, need = p->pixels, more;
    uint32_t k;
    for (k = g->n - 1; k-- > 0;) need /= XG_MIN(xg_tile_power(g->axes[k].extent), need);
    need = XG_MAX(need, (int64_t)EIGHT);
    more = xg_tile_over(*own, need) * need - *own;
    if (p->form.hero->op != XG_CONVOLUTION || p->form.operand[0] || p->form.phased || more * FEW > *own) return false;
    g->size = g->size / *own * (*own + more);
    *own += more;
    p->form.filled = true;
    return xg_tile_box_split(g, p->pixels);
}
XG_FN bool xg_tile_box_is_odd(const xg_tile_form *f) {
    xg_window w = xg_emit_window(f->hero);
    return w.n && w.p[w.n - 1].stride > 1 && f->group[XG_TILE_M].axes[f->group[XG_TILE_M].n - 1].extent % 2;
}
/* The same plan, of boxes; positions lie in rows, or in k. False: that cannot be. */
XG_FN bool xg_tile_box_may(xg_tile_plan *p, xg_tile_role role) {
    p->pixels = XG_KWGMMA_LINE_BYTES / xg_type_bytes(p->held);
    if (role == XG_TILE_M) p->pixels = p->in_tensor ? (int64_t)XG_KTENSOR_M : (int64_t)XG_KWGMMA_M;
    p->pixels_of = role;
    if (role == XG_TILE_M && !p->in_tensor && xg_tile_box_is_odd(&p->form) && xg_tile_box_fill(p)) return true;
    if (xg_tile_box_split(&p->form.group[role], p->pixels)) return true;
    if (p->in_tensor) p->pixels /= 2;
    if (role != XG_TILE_M) return false;
    return p->in_tensor ? xg_tile_box_split(&p->form.group[role], p->pixels) : xg_tile_box_fill(p);
}
XG_APART XG_FN void xg_tile_box_plan(
    xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes) {
    enum {
        HALO, /* positions in rows, with a border or without */
        BOX,
        CROSS, /* in k: with a border of both sides, which takes least; of one; without */
        SUMMED_HALO,
        SUMMED_BOX,
        WAYS
    };
    xg_tile_plan plain, boxes;
    bool might = xg_tile_box_might(p);
    bool sums; /* of a gradient of the filter: its rows, channels, need no boxes, and both other ways are compared */
    uint32_t k;
    if (might) plain = *p;
    xg_tile_plan_order(p, e, m, out_bytes);
    if (!might) return;
    sums = xg_tile_box_wants(p) && !p->fetch[0].along_k;
    for (k = sums ? CROSS : HALO; k < WAYS; k++) {
        bool filled = k == BOX && p->form.group[XG_TILE_M].size > plain.form.group[XG_TILE_M].size;
        xg_tile_role role = k < CROSS ? XG_TILE_M : XG_TILE_K;
        if (!filled && k <= CROSS && !sums && !xg_tile_box_wants(p)) break;
        if (plain.form.phased && (k > BOX || xg_tile_channels(p) == 1)) break; /* no place may be more than skipped */
        boxes = plain;
        if (k == CROSS && !xg_tile_halo_cross(&boxes, e->m->aff)) continue;
        if (!(k == BOX || k == SUMMED_BOX ? xg_tile_box_may : xg_tile_halo_may)(&boxes, role)) continue;
        boxes.picoseconds = p->blocks ? p->picoseconds : 0;
        xg_tile_plan_order(&boxes, e, m, out_bytes);
        if (boxes.blocks) *p = boxes;
    }
}
/* Where boxes begin, of places that count so much; linear: of the contraction. */
XG_FN void xg_tile_box_place(xg_tile_kernel *w, const xg_imap *boxes, const int64_t *counts, uint32_t n,
    const xg_aff *const *linear, const xg_aff **place) {
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_imap *to;
    xg_tile_form own;
    xg_imap *m;
    xg_tile_box_axes(&w->p->form, &own);
    m = xg_tile_map(x, counts, n, own.n_vars);
    xg_tile_set_variables(&own, x, m, linear);
    to = xg_imap_compose(x, m, boxes);
    memcpy(place, to->results, to->n_results * sizeof *place);
}

#endif /* XG_SCHED_TILE_BOX_C */
