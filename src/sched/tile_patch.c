/* sched/tile_patch.c -- pictures of convolutions that threads copy into shared memory once for all places of the window.
 *
 *     rows of a tile:    consecutive positions of the result
 *     patch:             the pixels from the first one's first to the last one's last: neighbours in memory
 *     steps:             for each part of the channels, for each place of the window
 *
 * A step's left operand is a view of the patch: a matrix row is the pixel below the position, a shift of the place
 * further on, and ldmatrix takes an address for each row. Where there is no pixel (the padding, which in memory is
 * another line or picture) the address is one of zeros in the same banks; each row knows for each place whether that
 * is so. While a part's steps are multiplied the next part's patch comes, some rounds a step. Neighbours that lie a
 * stride apart are sorted by what is left of their number, so that rows which are read together lie side by side. */
#ifndef XG_SCHED_TILE_PATCH_C
#define XG_SCHED_TILE_PATCH_C
#include "tile.h"

enum {
    XG_TILE_PATCH_PLACES = 32, /* of the window: a bit each */
    XG_TILE_PATCH_BANKS = 128  /* bytes */
};

/* ---- which pixels ---- */

/* The channels in parts, of which the steps' places are inside. */
XG_FN bool xg_tile_patch_split(xg_tile_group *k, int64_t part) {
    xg_tile_axis *last = &k->axes[k->n - 1];
    if (k->n < 2 || k->n == XG_TILE_VARS_MAX || last->extent % part) return false;
    memmove(k->axes + 1, k->axes, k->n++ * sizeof *k->axes);
    k->axes[0] = *++last;
    k->axes[0].extent /= part;
    k->axes[0].scale *= part;
    last->extent = part;
    return true;
}
/* (axes, by role) -> offset of the element in memory, where there is one. NULL: it is no parameter's. */
XG_FN const xg_imap *xg_tile_patch_map(const xg_tile_plan *p, xg_aff_ctx *x, const xg_inst **source) {
    const xg_tile_form *f = &p->form;
    const xg_imap *to;
    xg_imap *axes;
    xg_tile_form own;
    uint32_t r, k, a = 0;
    xg_tile_box_axes(f, &own);
    axes = xg_imap_of_dims(x, own.n_vars, f->n_vars);
    for (k = 0; k < f->n_vars; k++) axes->results[k] = xg_aff_const(x, 0);
    for (r = 0; r < XG_TILE_ROLES; r++)
        for (k = 0; k < f->group[r].n; k++, a++) {
            const xg_tile_axis *of = &f->group[r].axes[k];
            axes->dims[a].range = xg_range_of(0, of->extent - 1);
            axes->results[of->of] = xg_aff_add_mul(x, axes->results[of->of], xg_aff_dim(x, a), of->scale);
        }
    to = xg_imap_compose(x, axes, f->map[0]);
    if (!xg_imap_ok(to)) return NULL;
    *source = xg_tile_moved_from(x, p->fetch[0].from, &to);
    if ((*source)->op != XG_PARAMETER || !xg_imap_ok(to) || to->n_syms || to->n_rts) return NULL;
    to = xg_indexing_flatten(x, to, (*source)->shape);
    return xg_imap_ok(to) ? to : NULL;
}
/* Offsets are sums of multiples of the axes' numbers: by[axis]; *first is that of zeros. */
XG_FN bool xg_tile_patch_strides(xg_aff_ctx *x, const xg_imap *m, int64_t *by, int64_t *first) {
    const xg_aff *e = m->results[0];
    int64_t none[4 * XG_TILE_VARS_MAX];
    uint32_t k;
    memset(none, 0, sizeof none);
    for (k = 0; k < m->n_dims; k++) {
        by[k] = m->dims[k].range.lo == m->dims[k].range.hi ? 0 : xg_aff_scale_of(e, xg_aff_dim(x, k));
        if (e && by[k] >= 0) e = xg_aff_sub(x, e, xg_aff_mul(x, xg_aff_dim(x, k), by[k]));
        if (!e || by[k] < 0 || xg_aff_uses(e, xg_aff_dim(x, k))) return false;
    }
    return xg_aff_eval(e, none, none, first);
}
/* Number of an axis of a role among all. */
XG_FN uint32_t xg_tile_patch_axis(const xg_tile_form *f, xg_tile_role role, uint32_t k) {
    uint32_t r;
    for (r = 0; r < (uint32_t)role; r++) k += f->group[r].n;
    return k;
}
/* Which positions have a pixel below a place of the window: (numbers of M's axes) -> nothing, where they have. */
XG_FN const xg_imap *xg_tile_patch_seen(const xg_tile_plan *p, xg_aff_ctx *x, int64_t place) {
    const xg_tile_form *f = &p->form;
    const xg_tile_group *rows = &f->group[XG_TILE_M], *k = &f->group[XG_TILE_K];
    xg_imap *m = xg_imap_of_dims(x, rows->n, p->patch.map->n_dims);
    uint32_t d;
    for (d = 0; d < m->n_results; d++) m->results[d] = xg_aff_const(x, 0);
    for (d = 0; d < rows->n; d++) {
        m->dims[d].range = xg_range_of(0, rows->axes[d].extent - 1);
        m->results[xg_tile_patch_axis(f, XG_TILE_M, d)] = xg_aff_dim(x, d);
    }
    for (d = k->n - 1; --d > 0; place /= k->axes[d].extent)
        m->results[xg_tile_patch_axis(f, XG_TILE_K, d)] = xg_aff_const(x, place % k->axes[d].extent);
    return xg_imap_compose(x, m, p->patch.map);
}
/* Pixels lie `apart`, and their channels side by side. */
XG_FN bool xg_tile_patch_pixels(xg_tile_plan *p, const int64_t *by, int64_t first) {
    const xg_tile_form *f = &p->form;
    const xg_tile_group *rows = &f->group[XG_TILE_M], *k = &f->group[XG_TILE_K];
    int64_t piece = XG_TILE_ACCESS_BYTES / xg_type_bytes(p->held),
            inside = k->axes[0].extent * k->axes[k->n - 1].extent;
    xg_tile_patch *t = &p->patch;
    uint32_t d, n = xg_tile_patch_axis(f, XG_TILE_K, 0);
    if (by[n + k->n - 1] != 1 || (k->axes[0].extent > 1 && by[n] != k->axes[k->n - 1].extent)) return false;
    t->apart = t->stride = 0;
    for (d = 0; d < rows->n; d++) t->stride = xg_gcd(t->stride, by[xg_tile_patch_axis(f, XG_TILE_M, d)]);
    for (t->apart = t->stride, t->places = 1, d = 1; d + 1 < k->n; t->places *= k->axes[d++].extent)
        t->apart = xg_gcd(t->apart, by[n + d]);
    for (d = 0; d < f->group[XG_TILE_B].n; d++) t->batch = by[d];
    if (!t->stride || f->group[XG_TILE_B].n > 1 || t->apart < inside || t->apart % piece || t->batch % piece)
        return false;
    t->channel = xg_floor_mod(first, t->apart);
    t->first = (first - t->channel) / t->apart;
    t->stride /= t->apart;
    for (d = rows->n; d-- > 0;) {
        t->by_row[d] = by[xg_tile_patch_axis(f, XG_TILE_M, d)] / t->apart;
        if (rows->axes[d].extent == 1 && d + 1 < rows->n) /* rows behind the last position go on */
            t->by_row[d] = t->by_row[d + 1] * rows->axes[d + 1].extent;
    }
    for (d = 1; d + 1 < k->n; d++) t->by_place[d] = by[n + d] / t->apart;
    for (d = 1; d < rows->n; d++) /* later positions have later pixels */
        if (t->by_row[d - 1] < t->by_row[d] * (rows->axes[d].extent - 1)) return false;
    return t->channel % piece == 0 && t->places > 1 && t->places <= XG_TILE_PATCH_PLACES;
}
/* The same plan with patches of so many bytes of channels. */
XG_FN bool xg_tile_patch_may(xg_tile_plan *p, xg_aff_ctx *x, int64_t bytes) {
    int64_t by[4 * XG_TILE_VARS_MAX], first, part, k;
    xg_tile_patch *t = &p->patch;
    bool suits = p->form.hero->op == XG_CONVOLUTION && p->unit != XG_TILE_NO_UNIT && !p->may_group &&
                 !p->form.operand[0] && p->device->async_bytes && p->fetch[0].from->shape->type == p->fetch[0].held;
    if (!suits) return false;
    part = bytes / xg_type_bytes(p->held);
    if (!xg_tile_patch_split(&p->form.group[XG_TILE_K], part)) return false;
    t->map = xg_tile_patch_map(p, x, &t->source);
    if (!t->map || !xg_tile_patch_strides(x, t->map, by, &first) || !xg_tile_patch_pixels(p, by, first)) return false;
    for (k = 0; k < t->places; k++)
        if (!xg_imap_ok(xg_tile_patch_seen(p, x, k))) return false;
    t->part = part;
    return true;
}
XG_FN void xg_tile_patch_plan(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes) {
    enum {
        LEAST = 64, /* bytes of a step's k */
        MOST = 128
    };
    xg_tile_plan plain = *p, own;
    int64_t bytes;
    xg_tile_box_plan(p, e, m, out_bytes);
    for (bytes = LEAST; bytes <= MOST; bytes *= 2) {
        own = plain;
        if (!xg_tile_patch_may(&own, e->m->aff, bytes)) continue;
        xg_tile_plan_order(&own, e, m, out_bytes);
        if (own.blocks && (!p->blocks || own.picoseconds < p->picoseconds)) *p = own;
    }
}

/* ---- where they lie ---- */

/* Pixels of one kind, by what is left of their number. */
XG_FN int64_t xg_tile_patch_lines(const xg_tile_patch *t) { return xg_tile_over(t->pixels, t->stride); }
XG_FN int64_t xg_tile_patch_buffer(const xg_tile_plan *p) {
    return xg_tile_patch_lines(&p->patch) * p->patch.stride * p->fetch[0].pitch;
}
/* Where zeros begin, with those of all banks. */
XG_FN int64_t xg_tile_patch_zeros(const xg_tile_plan *p) {
    int64_t banks = XG_TILE_PATCH_BANKS / xg_type_bytes(p->held);
    return xg_tile_over((p->patch.parts > 1 ? 2 : 1) * xg_tile_patch_buffer(p), banks) * banks;
}
XG_FN int64_t xg_tile_patch_room(const xg_tile_plan *p) {
    return xg_tile_patch_zeros(p) + XG_TILE_PATCH_BANKS / xg_type_bytes(p->held) + p->patch.part;
}
/* False: the shape does not suit it. */
XG_FN bool xg_tile_patch_settle(xg_tile_plan *p) {
    const xg_tile_group *rows = &p->form.group[XG_TILE_M], *k = &p->form.group[XG_TILE_K];
    int64_t d = p->shape.m - 1, steps;
    xg_tile_patch *t = &p->patch;
    xg_tile_fetch *f = &p->fetch[0];
    uint32_t n;
    if (!t->places) return true;
    steps = t->places - XG_MAX(p->shape.stages - 2, 0);
    if (p->shape.k != t->part || p->shape.cluster > 1 || !f->async || !f->by_rows || steps < 1) return false;
    if (f->vector * xg_type_bytes(f->held) != XG_TILE_ACCESS_BYTES) return false;
    t->parts = k->axes[0].extent;
    t->pixels = 1;
    for (n = 1; n + 1 < k->n; n++) t->pixels += t->by_place[n] * (k->axes[n].extent - 1);
    for (n = rows->n; n-- > 0; d /= rows->axes[n].extent) {
        t->pixels += t->by_row[n] * (n ? d % rows->axes[n].extent : d);
        if (n) t->pixels += XG_MAX(t->by_row[n - 1] - t->by_row[n] * rows->axes[n].extent, (int64_t)0);
    }
    t->vectors = t->pixels * (t->part / f->vector);
    t->rounds = xg_tile_over(t->vectors, p->threads);
    t->each = xg_tile_over(t->rounds, steps);
    f->rounds = xg_tile_over(t->rounds, t->places);
    return true;
}
/* Rows that a step brings, on average. */
XG_FN int64_t xg_tile_patch_rows(const xg_tile_plan *p) { return xg_tile_over(p->patch.pixels, p->patch.places); }

/* ---- the kernel ---- */

/* The numbers of M's axes at a row of the tile. */
XG_FN void xg_tile_patch_digits(xg_tile_kernel *w, xg_kval *row, xg_kval **d) {
    const xg_tile_group *g = &w->p->form.group[XG_TILE_M];
    uint32_t k;
    row = xg_tile_join(w, w->tile[0], w->p->shape.m, row);
    for (k = g->n; k-- > 0;) {
        d[k] = k ? xg_tile_rest(w, row, g->axes[k].extent) : row;
        if (k) row = xg_tile_quotient(w, row, g->axes[k].extent);
    }
}
/* The pixel below that at the window's first place, but for patch.first: in the picture or in front of it. */
XG_FN xg_kval *xg_tile_patch_pixel(xg_tile_kernel *w, xg_kval *const *d) {
    const xg_tile_group *g = &w->p->form.group[XG_TILE_M];
    xg_kval *sum = xg_elem_index(&w->s, 0);
    uint32_t k;
    for (k = 0; k < g->n; k++) sum = xg_tile_join(w, d[k], w->p->patch.by_row[k], sum);
    return sum;
}
/* Of a pixel, counted from the patch's first one, the element of its buffer. */
XG_FN const xg_aff *xg_tile_patch_spot(const xg_tile_plan *p, xg_aff_ctx *x, const xg_aff *pixel) {
    const xg_tile_patch *t = &p->patch;
    const xg_aff *kind = xg_aff_mul(x, xg_aff_mod(x, pixel, t->stride), xg_tile_patch_lines(t));
    return xg_aff_mul(x, xg_aff_add(x, kind, xg_aff_div(x, pixel, t->stride)), p->fetch[0].pitch);
}
/* One round of the patch of a part. */
XG_FN void xg_tile_patch_copy(xg_tile_kernel *w, xg_kval *round, xg_kval *part) {
    enum {
        VECTOR,
        PART,
        LANE,
        FIRST,
        BATCH,
        DIMS
    };
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    int64_t lanes = p->fetch[0].vector, line = t->part / lanes, counts[DIMS];
    int64_t all = t->source->shape->elements / t->apart;
    xg_aff_ctx *x = w->e->m->aff;
    const xg_aff *vector = xg_aff_dim(x, VECTOR), *pixel, *at, *spot;
    xg_kval *v[DIMS], *q, *to, *from, *cond, *both[2];
    xg_flow some = xg_flow_of(&w->s, &w->shared), f = some, lane = some;
    xg_imap *m;
    counts[VECTOR] = t->rounds * p->threads;
    counts[PART] = t->parts;
    counts[LANE] = lanes;
    counts[FIRST] = all + t->pixels;
    counts[BATCH] = p->batch;
    v[VECTOR] = xg_tile_join(w, round, p->threads, w->thread);
    v[PART] = part;
    v[LANE] = xg_elem_index(&w->s, 0);
    v[FIRST] = w->first_pixel;
    v[BATCH] = w->batch;
    pixel = xg_aff_div(x, vector, line);
    spot = xg_tile_patch_spot(p, x, pixel);
    spot = xg_aff_add_mul(x, spot, xg_aff_mod(x, vector, line), lanes);
    spot = xg_aff_add_mul(x, spot, xg_aff_mod(x, xg_aff_dim(x, PART), 2), t->parts > 1 ? xg_tile_patch_buffer(p) : 0);
    pixel = xg_aff_add_k(x, xg_aff_add(x, pixel, xg_aff_dim(x, FIRST)), t->first);
    at = xg_aff_add_mul(x, xg_aff_dim(x, LANE), xg_aff_mod(x, vector, line), lanes);
    at = xg_aff_add_mul(x, at, xg_aff_dim(x, PART), t->part);
    at = xg_aff_add_mul(x, at, xg_aff_dim(x, BATCH), t->batch);
    at = xg_aff_add_k(x, xg_aff_add_mul(x, at, pixel, t->apart), t->channel);
    if (t->vectors % p->threads) {
        some.op = NULL;
        xg_flow_if(&some, xg_kcmpi_int(&w->s.b, XG_CI_SLT, v[VECTOR], t->vectors));
    }
    counts[VECTOR] = t->vectors;
    to = xg_tile_apply(w, counts, DIMS, spot, v);
    q = xg_tile_apply(w, counts, DIMS, pixel, v);
    cond = xg_elem_within(
        &w->s, q, xg_range_of(0, all - 1), xg_range_of(t->first, counts[FIRST] + t->first - 1 + t->pixels));
    xg_flow_if(&f, cond);
    m = xg_tile_map(x, counts, DIMS, 1);
    m->results[0] = at;
    lane = xg_flow_of(&w->s, &w->shared);
    v[LANE] = xg_flow_for(&lane, v[LANE], xg_elem_index(&w->s, lanes), 1, lanes);
    from = xg_kapply(&w->s.b, xg_imap_with_constraint(x, m, pixel, xg_range_of(0, all - 1)), v)->results;
    both[0] = to;
    both[1] = v[LANE];
    m = xg_imap_of_dims(x, 2, 1);
    m->dims[0].range = xg_range_of(0, p->shared - lanes);
    m->dims[1].range = xg_range_of(0, lanes - 1);
    m->results[0] = xg_aff_add(x, xg_aff_dim(x, 0), xg_aff_dim(x, 1));
    to = xg_kapply(&w->s.b, m, both)->results;
    w->shared = xg_kinsert(&w->s.b, xg_kextract(&w->s.b, w->picture, &from, 1), w->shared, &to, 1);
    xg_flow_end(&lane);
    if (cond) {
        xg_flow_else(&f);
        xg_tile_put_vector(
            w, xg_kconst_bits(&w->s.b, xg_kir_vector(w->e->m, w->shared->type->elem, lanes), 0), both[0]);
    }
    xg_flow_end(&f);
    xg_flow_end(&some);
}
/* For each row of its fragments a thread knows where it lies, and a bit for each place of the window. */
XG_FN void xg_tile_patch_row(xg_tile_kernel *w, int64_t k, xg_kval *lane, xg_kval *warp, const xg_imap *const *seen) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *g = &p->form.group[XG_TILE_M];
    xg_kval *d[XG_TILE_VARS_MAX], *row, *mask = xg_kconst_int(&w->s.b, XG_E_I32, 0), *bit, *cond;
    xg_aff_ctx *x = w->e->m->aff;
    int64_t place, counts[XG_TILE_VARS_MAX], all = p->patch.source->shape->elements / p->patch.apart;
    xg_imap *known;
    uint32_t n;
    row = xg_tile_join(w, warp, XG_KMMA_M, xg_tile_rest(w, lane, XG_KMMA_M));
    row = xg_kir_index_plus(&w->s.b, row, k * p->rows * XG_KMMA_M, xg_str_of(NULL, 0));
    xg_tile_patch_digits(w, row, d);
    for (n = 0; n < g->n; n++) counts[n] = g->axes[n].extent;
    counts[0] = xg_tile_over(p->tiles[0] * p->shape.m, g->size / g->axes[0].extent);
    known = xg_tile_map(x, counts, g->n, 0);
    for (place = 0; place < p->patch.places; place++) {
        cond = xg_tile_inside(w, seen[place], known, d);
        bit = xg_kconst_int(&w->s.b, XG_E_I32, (int64_t)(int32_t)((uint32_t)1 << place));
        if (cond) bit = xg_kselect(&w->s.b, cond, bit, xg_kconst_int(&w->s.b, XG_E_I32, 0));
        mask = xg_k2(&w->s.b, XG_K_OP_ORI, mask, bit);
    }
    w->masks[k] = mask;
    counts[0] = counts[1] = all + p->patch.pixels;
    row = xg_k2(&w->s.b, XG_K_OP_SUBI, xg_tile_patch_pixel(w, d), w->first_pixel);
    row = xg_tile_quotient(w, row, p->patch.stride);
    w->views[k] = xg_tile_join(w, row, p->fetch[0].pitch, w->half);
}
XG_FN xg_kval *xg_tile_patch_for(xg_tile_kernel *w, xg_flow *f, int64_t rounds) {
    xg_kval *first = xg_elem_index(&w->s, 0), *v;
    if (rounds == 1) return first;
    v = xg_flow_for(f, first, xg_elem_index(&w->s, rounds), 1, rounds);
    f->op->flags = KL_UNROLL_LOWERED;
    return v;
}
/* Zeros, and the first part's patch. */
XG_FN void xg_tile_patch_begin(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    int64_t n = p->shape.tm / XG_KMMA_M, k, lanes = p->fetch[0].vector;
    int64_t zeros = (xg_tile_patch_room(p) - xg_tile_patch_zeros(p)) / lanes;
    xg_kval *lane = xg_tile_rest(w, w->thread, XG_WARP_LANES), *warp, *d[XG_TILE_VARS_MAX], *at;
    const xg_imap *seen[XG_TILE_PATCH_PLACES];
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    warp = xg_tile_quotient(w, xg_tile_quotient(w, w->thread, XG_WARP_LANES), p->warps_n);
    w->half = xg_tile_by(w, XG_K_OP_MULI, xg_tile_quotient(w, lane, XG_KMMA_M), lanes);
    w->views = XG_NEW_N(w->e->arena, xg_kval *, 3 * n);
    w->masks = w->views + n;
    w->seen = w->masks + n;
    at = w->s.tensors[t->source->number];
    w->picture =
        xg_kir_value(&w->s.b, XG_K_OP_VIEW, &at, 1, xg_kir_tensor(w->e->m, at->type->elem, &at->type->elements, 1));
    xg_tile_patch_digits(w, xg_elem_index(&w->s, 0), d);
    w->first_pixel = xg_tile_patch_pixel(w, d);
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_SLT, w->thread, zeros));
    at = xg_tile_by(w, XG_K_OP_MULI, w->thread, lanes);
    at = xg_kir_index_plus(&w->s.b, at, xg_tile_patch_zeros(p), xg_str_of(NULL, 0));
    xg_tile_put_vector(w, xg_kconst_bits(&w->s.b, xg_kir_vector(w->e->m, w->shared->type->elem, lanes), 0), at);
    xg_flow_end(&f);
    f = xg_flow_of(&w->s, &w->shared);
    at = xg_tile_patch_for(w, &f, t->rounds);
    xg_tile_patch_copy(w, at, xg_elem_index(&w->s, 0));
    xg_flow_end(&f);
    for (k = 0; k < t->places; k++) seen[k] = xg_tile_patch_seen(p, w->e->m->aff, k);
    for (k = 0; k < n; k++) xg_tile_patch_row(w, k, lane, warp, seen);
}
/* Some rounds of the next part's, whose buffer has been read: beside the operand of the step that is last on its way. */
XG_FN void xg_tile_patch_next(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    xg_flow some = xg_flow_of(&w->s, &w->shared), f;
    xg_kval *now = xg_k2_int(&w->s.b, XG_K_OP_SUBI, w->step, p->shape.stages - 1), *place, *part, *cond, *round, *begun;
    if (!w->looping || t->parts == 1) return;
    place = xg_tile_rest(w, now, t->places);
    part = xg_k2_int(&w->s.b, XG_K_OP_ADDI, xg_tile_quotient(w, now, t->places), 1);
    begun = xg_tile_by(w, XG_K_OP_MULI, place, t->each);
    cond = xg_kcmpi_int(&w->s.b, XG_CI_SLT, part, t->parts);
    cond = xg_elem_and(&w->s, cond, xg_kcmpi_int(&w->s.b, XG_CI_SLT, place, xg_tile_over(t->rounds, t->each)));
    xg_flow_if(&some, cond);
    f = xg_flow_of(&w->s, &w->shared);
    round = xg_tile_patch_for(w, &f, t->each);
    xg_tile_patch_copy(w, xg_k2(&w->s.b, XG_K_OP_ADDI, begun, round), part);
    xg_flow_end(&f);
    xg_flow_end(&some);
}
/* Where the rows of a step's fragments lie. */
XG_FN void xg_tile_patch_look(xg_tile_kernel *w, xg_kval *step) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    const xg_tile_group *k = &p->form.group[XG_TILE_K];
    int64_t banks = XG_TILE_PATCH_BANKS / xg_type_bytes(p->held), n;
    xg_aff_ctx *x = w->e->m->aff;
    const xg_aff *shift = xg_aff_const(x, 0), *rest = xg_aff_mod(x, xg_aff_dim(x, 0), t->places), *buffer;
    xg_kval *on, *place, *at, *bit;
    uint32_t d;
    for (d = k->n - 1; --d > 0; rest = xg_aff_div(x, rest, k->axes[d].extent))
        shift = xg_aff_add_mul(x, shift, xg_aff_mod(x, rest, k->axes[d].extent), t->by_place[d]);
    buffer = xg_aff_mod(x, xg_aff_div(x, xg_aff_dim(x, 0), t->places), 2);
    shift = xg_aff_add_mul(x, xg_tile_patch_spot(p, x, shift), buffer, t->parts > 1 ? xg_tile_patch_buffer(p) : 0);
    on = xg_tile_apply(w, &p->steps, 1, shift, &step);
    place = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, xg_tile_rest(w, step, t->places), XG_E_I32);
    for (n = 0; n < p->shape.tm / XG_KMMA_M; n++) {
        at = xg_k2(&w->s.b, XG_K_OP_ADDI, w->views[n], on);
        bit = xg_kcast(&w->s.b, XG_K_OP_TRUNCI, xg_k2(&w->s.b, XG_K_OP_SHRUI, w->masks[n], place), XG_E_I1);
        w->seen[n] = xg_kselect(&w->s.b, bit, at,
            xg_kir_index_plus(&w->s.b, xg_tile_rest(w, at, banks), xg_tile_patch_zeros(p), xg_str_of(NULL, 0)));
    }
}

#endif /* XG_SCHED_TILE_PATCH_C */
