/* sched/tile_halo.c -- pictures that come once for all places of a window: a box with its border lies in shared memory,
 * and what a step multiplies is a view of it.
 *
 *     a box:    64 channels of 10 columns of 10 lines     for 8 by 8 positions below a window of 3 by 3
 *     a view:   its lines from place (y, x) on: y * 10 + x lines of 128 bytes further on
 *
 * K goes over the window's places within each line of channels, so that as many steps as there are places follow each
 * other with one box. Boxes have buffers and barriers of their own beside those of the other side's steps. Where a block
 * that stays has buffers for all of these, and its tiles want no others, they come once.
 *
 * Matrix units find eight positions in lines that follow each other, and the next eight a fixed distance further on; the
 * swizzle mixes bits of the address, so a view may begin with any line (its pattern begins where the box does: base
 * offset 0). So a box has eight positions along the innermost axis, others of axes that no window moves (pictures), and
 * outermost those of one more axis that has a border. Extents that are no multiples are filled up: such positions are
 * not part of the result. */
#ifndef XG_SCHED_TILE_HALO_C
#define XG_SCHED_TILE_HALO_C
#include "tile.h"

/* ---- the plan ---- */

/* The number of boxes times what each takes: of lines that come, and of lines that are multiplied for each place, which
 * are as many as columns allow. */
XG_FN int64_t xg_tile_halo_cost(const xg_tile_plan *p, const xg_tile_axis *m, uint32_t n, const int64_t *inside) {
    enum {
        COLUMNS = 256,
        EACH = 64 /* columns for which a line is multiplied in the time in which one comes */
    };
    const xg_tile_group *k = &p->form.group[XG_TILE_K]; /* channels, window, channels */
    int64_t columns = XG_MIN(p->form.group[XG_TILE_N].size, (int64_t)COLUMNS), cost = 1, lines = 1;
    uint32_t v, w;
    for (v = 0; v < n; v++) {
        w = k->n - 1 - (n - v); /* the window's axis along it, if there is one */
        cost = xg_cost_mul(cost, xg_tile_over(m[v].extent, inside[v]));
        lines *= inside[v] + (n - v + 1 < k->n ? k->axes[w].extent - 1 : 0);
    }
    return xg_cost_mul(cost, lines + p->halo * p->pixels * columns / EACH);
}
/* How many positions of each axis of rows lie in a box. */
XG_FN bool xg_tile_halo_choose(const xg_tile_plan *p, int64_t *best) {
    enum {
        EIGHT = 8
    };
    const xg_tile_group *m = &p->form.group[XG_TILE_M];
    int64_t inside[XG_TILE_VARS_MAX], least = INT64_MAX, own, next, cost;
    uint32_t k;
    for (k = 0; k < m->n; k++) inside[k] = 1;
    for (own = EIGHT; own <= p->pixels; own *= 2)
        for (next = 1; next * own <= p->pixels; next *= 2) {
            if (own > EIGHT && own < p->pixels) continue;
            inside[m->n - 1] = own;
            if (m->n > 1) inside[m->n - 2] = next;
            if (m->n > 2) inside[0] = p->pixels / own / next;
            if (m->n < 3 && (m->n < 2 ? own : own * next) < p->pixels) continue;
            cost = xg_tile_halo_cost(p, m->axes, m->n, inside);
            if (cost >= least) continue;
            least = cost;
            memcpy(best, inside, m->n * sizeof *best);
        }
    return least < INT64_MAX;
}
/* Boxes, then within one the last axis but one, all others, and innermost the last one. */
XG_FN void xg_tile_halo_split(xg_tile_group *g, const int64_t *inside) {
    xg_tile_group old = *g;
    uint32_t n = old.n, k;
    g->n = 0;
    g->size = 1;
    for (k = 0; k < 2 * n; k++) {
        uint32_t from = k < n || k == 2 * n - 1 ? k % n : k == n ? n - 2 : k - n - 1;
        xg_tile_axis a = old.axes[from];
        if (k < n) {
            a.extent = xg_tile_over(a.extent, inside[from]);
            a.scale *= inside[from];
        } else
            a.extent = inside[from];
        g->size *= a.extent;
        if (a.extent > 1) g->axes[g->n++] = a;
    }
}
XG_FN bool xg_tile_halo_may(xg_tile_plan *p) {
    xg_tile_group *k = &p->form.group[XG_TILE_K], *m = &p->form.group[XG_TILE_M];
    int64_t line = XG_KWGMMA_LINE_BYTES / xg_type_bytes(p->held), inside[XG_TILE_VARS_MAX];
    xg_tile_axis *channels = &k->axes[k->n - 1];
    p->halo = k->size / channels->extent;
    p->pixels = p->in_tensor ? (int64_t)XG_KTENSOR_M : (int64_t)XG_KWGMMA_M;
    p->pixels_of = XG_TILE_M;
    if (channels->of + 1 != p->form.n_vars || channels->extent % line || p->halo == 1 || p->end) return false;
    if (2 * m->n > XG_TILE_VARS_MAX || k->n == XG_TILE_VARS_MAX) return false;
    memmove(&k->axes[1], k->axes, k->n * sizeof *k->axes);
    k->axes[0] = channels[1];
    k->axes[0].extent /= line;
    k->axes[0].scale *= line;
    k->axes[k->n++].extent = line;
    if (!xg_tile_halo_choose(p, inside)) return false;
    xg_tile_halo_split(m, inside);
    return true;
}
/* The line of a position, of boxes that have so many of each dimension. */
XG_FN int64_t xg_tile_halo_line(const xg_kmap *m, const uint32_t *inside, int64_t position) {
    int64_t at = 0, pitch = 1;
    uint32_t r;
    for (r = 1; r < m->rank; pitch *= m->box[r++]) {
        at += position % inside[r] * pitch;
        position /= inside[r];
    }
    return at;
}
/* A box of positions gets the border that the window needs. axes: as xg_tile_box_axes says. */
XG_FN bool xg_tile_halo_widen(xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_form *axes) {
    const xg_tile_group *k = &axes->group[XG_TILE_K];
    xg_tile_fetch *t = &p->fetch[0];
    xg_kmap *m = &t->tensor;
    uint32_t inside[XG_KMAP_RANK], v, r;
    int64_t row;
    memcpy(inside, m->box, sizeof inside);
    for (v = 1; v + 1 < k->n; v++)
        for (r = 0; r < m->rank; r++) {
            const xg_aff *e = t->boxes->results[r], *dim = xg_aff_dim(x, k->axes[v].of);
            int64_t scale = xg_aff_scale_of(e, dim);
            if (!xg_aff_uses(e, dim)) continue;
            e = xg_aff_sub(x, e, xg_aff_mul(x, dim, scale));
            if (!r || scale < 1 || !e || xg_aff_uses(e, dim)) return false;
            m->box[r] += (uint32_t)(scale * (k->axes[v].extent - 1));
            if (m->box[r] > XG_KMAP_BOX_MAX) return false;
        }
    for (p->halo_lines = r = 1; r < m->rank; r++) p->halo_lines *= m->box[r];
    p->halo_pitch = xg_tile_halo_line(m, inside, XG_KWGMMA_LINES);
    for (row = 0; row < p->pixels; row++)
        if (xg_tile_halo_line(m, inside, row) != row % XG_KWGMMA_LINES + row / XG_KWGMMA_LINES * p->halo_pitch)
            return false;
    return true;
}
XG_FN int64_t xg_tile_halo_room(const xg_tile_plan *p) {
    return xg_tile_over(p->halo_lines, XG_KWGMMA_LINES) * XG_KWGMMA_LINES;
}
XG_FN int64_t xg_tile_halo_stages(const xg_tile_plan *p) {
    if (!p->shape.halo) return 0;
    return p->steps > p->shape.halo || p->shape.stays ? 2 : 1;
}
XG_FN int64_t xg_tile_bulk_lines(const xg_tile_plan *p, uint32_t side) {
    int64_t rows = p->fetch[side].rows;
    if (!side && p->shape.halo) return rows / p->pixels * p->halo_lines;
    return rows * p->shape.k * xg_type_bytes(p->held) / XG_KWGMMA_LINE_BYTES;
}
XG_FN bool xg_tile_bulk_keeps(const xg_tile_plan *p) {
    return p->shape.halo && p->shape.stays && p->shape.stages == p->steps && p->tiles[1] * p->batch == 1;
}

/* ---- places ---- */

XG_FN int64_t xg_tile_halo_row(const xg_tile_plan *p, int64_t row) {
    if (p->shape.halo) row = row / p->pixels * xg_tile_halo_room(p) + row % p->pixels / XG_KWGMMA_LINES * p->halo_pitch;
    return row * p->shape.k;
}
XG_FN const xg_aff *xg_tile_halo_view(const xg_tile_plan *p, xg_aff_ctx *x, const xg_aff *place) {
    const xg_tile_fetch *t = &p->fetch[0];
    const xg_aff *at = xg_aff_const(x, 0);
    xg_tile_form own;
    uint32_t v, r;
    xg_tile_box_axes(&p->form, &own);
    for (v = own.group[XG_TILE_K].n - 2; v > 0; v--) {
        const xg_tile_axis *a = &own.group[XG_TILE_K].axes[v];
        int64_t pitch = p->shape.k;
        for (r = 1; r < t->tensor.rank; pitch *= t->tensor.box[r++])
            at = xg_aff_add_mul(x, at, xg_aff_mod(x, place, a->extent),
                pitch * xg_aff_scale_of(t->boxes->results[r], xg_aff_dim(x, a->of)));
        place = xg_aff_div(x, place, a->extent);
    }
    return at;
}

#endif /* XG_SCHED_TILE_HALO_C */
