/* sched/tile_patch.c -- pictures of convolutions, copied into shared memory once for all places of the window.
 *
 *     rows of a tile:    consecutive positions of the result
 *     patch:             the pixels from the first one's first to the last one's last: neighbours in memory
 *     steps:             for each part of the channels, for each place of the window, or for each line of places
 *
 * A step's left operand is a view of the patch: a matrix row is the pixel below the position, a shift of the place
 * further on, and ldmatrix takes an address for each row. Where there is no pixel (the padding, which in memory is
 * another line or picture) the address is one of zeros in the same banks; each row knows for each place whether that
 * is so. While a part's steps are multiplied the next part's patch comes, some rounds a step. Neighbours that lie a
 * stride apart are sorted by what is left of their number, so that rows which are read together lie side by side. Where
 * patches of a stride are too large for shared memory, parts have the channels of one product, and steps the places of
 * a line. Below phases (tile_form.c) a patch is one phase's, for the places that it has.
 *
 * Gradients of filters sum up over positions, and a tile's rows are channels at some places of the window: a step's
 * patch has the pixels of its positions for all of those places. */
#ifndef XG_SCHED_TILE_PATCH_C
#define XG_SCHED_TILE_PATCH_C
#include "tile.h"

#ifdef XLAGPU_SMALL /* such builds read pixels for each place of the window: no plan has patches */
XG_FN void xg_tile_patch_plan(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes) {
    xg_tile_box_plan(p, e, m, out_bytes);
}
XG_FN bool xg_tile_patch_may(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_role of, int64_t bytes) {
    return (void)p, (void)x, (void)of, (void)bytes, false;
}
XG_FN bool xg_tile_patch_might(const xg_tile_plan *p) { return (void)p, false; }
XG_FN bool xg_tile_patch_suits(const xg_tile_plan *p, xg_tile_shape *s) { return (void)p, (void)s, true; }
XG_FN bool xg_tile_patch_settle(xg_tile_plan *p) { return (void)p, true; }
XG_FN int64_t xg_tile_patch_room(const xg_tile_plan *p) { return (void)p, 0; }
XG_FN int64_t xg_tile_patch_brings(const xg_tile_plan *p) { return (void)p, 0; }
XG_APART XG_FN void xg_tile_patch_begin(xg_tile_kernel *w) { (void)w; }
XG_APART XG_FN void xg_tile_patch_rows_begin(xg_tile_kernel *w) { (void)w; }
XG_FN void xg_tile_patch_bring(xg_tile_kernel *w, xg_kval *buffer) { (void)w, (void)buffer; }
XG_FN void xg_tile_patch_look(xg_tile_kernel *w, xg_kval *step) { (void)w, (void)step; }
XG_FN xg_kval *xg_tile_patch_at(xg_tile_kernel *w, int64_t k, xg_kval *along, int64_t first, xg_kval *buffer) {
    return (void)w, (void)k, (void)first, (void)buffer, along;
}
#else

enum {
    XG_TILE_PATCH_PLACES = 32,   /* of the window: a bit each */
    XG_TILE_PATCH_PIECES = 8,    /* fill all banks: a vector of a thread each */
    XG_TILE_PATCH_MOST = 0x3FFFF /* no element of shared memory lies further on */
};

/* ---- which pixels ---- */

/* The channels in parts, inside of which are the places of the window. */
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
/* Number of an axis of a role among all. */
XG_FN uint32_t xg_tile_patch_axis(const xg_tile_form *f, xg_tile_role role, uint32_t k) {
    uint32_t r;
    for (r = 0; r < (uint32_t)role; r++) k += f->group[r].n;
    return k;
}
/* (axes, by role) -> offset of the element in memory, where there is one. NULL: it is no parameter's. */
XG_FN const xg_imap *xg_tile_patch_map(const xg_tile_plan *p, xg_aff_ctx *x, const xg_inst **source) {
    const xg_tile_form *f = &p->form;
    const xg_imap *to;
    xg_imap *axes = xg_imap_of_dims(x, xg_tile_patch_axis(f, XG_TILE_ROLES, 0), f->n_vars);
    uint32_t r, k, a = 0;
    for (k = 0; k < f->n_vars; k++) axes->results[k] = xg_aff_const(x, 0);
    for (r = 0; r < XG_TILE_ROLES; r++)
        for (k = 0; k < f->group[r].n; k++, a++) {
            const xg_tile_axis *of = &f->group[r].axes[k];
            axes->dims[a].range = xg_range_of(0, of->extent - 1);
            axes->results[of->of] = xg_aff_add_dim(x, axes->results[of->of], a, of->scale);
        }
    to = xg_imap_compose(x, axes, f->map[0]);
    *source = xg_tile_moved_from(x, p->fetch[0].from, &to);
    if ((*source)->op != XG_PARAMETER || !xg_imap_ok(to) || to->n_syms || to->n_rts) return NULL;
    to = xg_indexing_flatten(x, to, (*source)->shape);
    return xg_imap_ok(to) ? to : NULL;
}
/* Offsets are sums of multiples of the axes' numbers: by[axis]; and of t->base, which follows from those of the batch
 * alone and is no less than *first. */
XG_FN bool xg_tile_patch_strides(xg_tile_patch *t, xg_aff_ctx *x, uint32_t batch, int64_t *by, int64_t *first) {
    const xg_imap *m = t->map;
    const xg_aff *e = m->results[0];
    xg_aff_env env = xg_imap_env(x, m);
    uint32_t k;
    for (k = batch; k < m->n_dims; k++) {
        by[k] = m->dims[k].range.lo == m->dims[k].range.hi ? 0 : xg_aff_scale_of(e, xg_aff_dim(x, k));
        if (e && by[k] >= 0) e = xg_aff_sub(x, e, xg_aff_mul(x, xg_aff_dim(x, k), by[k]));
        if (!e || by[k] < 0 || xg_aff_uses(e, xg_aff_dim(x, k))) return false;
    }
    *first = xg_aff_range(&env, e).lo;
    t->base = xg_aff_add_k(x, e, -*first);
    return true;
}
/* The groups of axes that count positions, and places of the window: of these the first one counts parts of channels,
 * and the last one channels of a part. */
XG_FN const xg_tile_group *xg_tile_patch_rows(const xg_tile_plan *p) { return &p->form.group[p->patch.of]; }
XG_FN xg_tile_role xg_tile_patch_other(const xg_tile_plan *p) {
    return p->patch.of == XG_TILE_M ? XG_TILE_K : XG_TILE_M;
}
XG_ONE_COPY XG_FN const xg_tile_group *xg_tile_patch_window(const xg_tile_plan *p) {
    return &p->form.group[xg_tile_patch_other(p)];
}
/* Which positions have a pixel below a place of the window: (numbers of positions, and of the batch) -> nothing, where
 * they have; place -1: (numbers of positions, of the place, of the batch). */
XG_FN const xg_imap *xg_tile_patch_sees(const xg_tile_plan *p, xg_aff_ctx *x, int64_t place) {
    const xg_tile_form *f = &p->form;
    const xg_tile_group *rows = xg_tile_patch_rows(p), *window = xg_tile_patch_window(p);
    uint32_t more = rows->n + (place < 0 ? window->n - 2 : 0), d;
    xg_imap *m = xg_imap_of_dims(x, more + f->group[XG_TILE_B].n, p->patch.map->n_dims);
    for (d = 0; d < m->n_results; d++) m->results[d] = xg_aff_const(x, 0);
    for (d = 0; d < m->n_dims; d++) {
        xg_tile_role role = d < rows->n ? p->patch.of : d < more ? xg_tile_patch_other(p) : XG_TILE_B;
        uint32_t k = d < rows->n ? d : d < more ? d - rows->n + 1 : d - more;
        m->dims[d].range = xg_range_of(0, f->group[role].axes[k].extent - 1);
        m->results[xg_tile_patch_axis(f, role, k)] = xg_aff_dim(x, d);
    }
    for (d = window->n - 1; --d > 0 && place >= 0; place /= window->axes[d].extent)
        m->results[xg_tile_patch_axis(f, xg_tile_patch_other(p), d)] = xg_aff_const(x, place % window->axes[d].extent);
    return xg_imap_compose(x, m, p->patch.map);
}
/* Phases have more and fewer places. */
XG_FN bool xg_tile_patch_differs(const xg_tile_plan *p) { return p->form.some_places != p->form.all_places; }
/* Pixels lie `apart`, and their channels side by side. */
XG_APART XG_FN bool xg_tile_patch_pixels(xg_tile_plan *p, xg_aff_ctx *x, const int64_t *by, int64_t first) {
    const xg_tile_form *f = &p->form;
    const xg_tile_group *rows = xg_tile_patch_rows(p), *window = xg_tile_patch_window(p);
    xg_aff_env env = xg_imap_env(x, p->patch.map);
    const xg_aff *base;
    uint32_t d, last = window->n - 1;
    int64_t piece = XG_TILE_ACCESS_BYTES / xg_type_bytes(p->held), inside = window->axes[0].extent * p->patch.part,
            reach;
    xg_tile_patch *t = &p->patch;
    const int64_t *row = by + xg_tile_patch_axis(f, t->of, 0), *place;
    place = by + xg_tile_patch_axis(f, xg_tile_patch_other(p), 0);
    if (place[last] != 1 || (window->axes[0].extent > 1 && place[0] != p->patch.part)) return false;
    t->stride = 0;
    for (d = 0; d < rows->n; d++) t->stride = xg_gcd(t->stride, row[d]);
    for (t->apart = t->stride, t->places = 1, d = 1; d < last; t->places *= window->axes[d++].extent)
        t->apart = xg_gcd(t->apart, place[d]);
    if (!t->stride || t->apart < inside || t->apart % piece || inside % piece) return false;
    base = xg_aff_mod(x, t->base, piece);
    if (xg_aff_range(&env, base).hi) return false;
    t->channel = xg_floor_mod(first, t->apart);
    base = xg_aff_mod(x, t->base, t->apart);
    reach = xg_aff_range(&env, base).hi;
    if (t->channel + reach >= t->apart || reach > (t->source->shape->elements - t->channel - 1) % t->apart)
        return false; /* one of the batch has other pixels, or fewer */
    t->first = (first - t->channel) / t->apart;
    t->stride /= t->apart;
    for (d = rows->n; d-- > 0;) {
        t->by_row[d] = row[d] / t->apart;
        if (rows->axes[d].extent == 1 && d + 1 < rows->n) /* rows behind the last position go on */
            t->by_row[d] = t->by_row[d + 1] * rows->axes[d + 1].extent;
    }
    for (d = 1; d < last; d++) t->by_place[d] = place[d] / t->apart;
    for (reach = 0, d = rows->n; d-- > 0; reach += t->by_row[d] * (rows->axes[d].extent - 1))
        if (t->by_row[d] < reach) return false; /* later positions have later pixels */
    t->together =
        t->of == XG_TILE_M && !xg_tile_patch_differs(p) && t->part == 2 * piece ? window->axes[last - 1].extent : 1;
    return t->channel % piece == 0 && t->places > 1 && t->places <= XG_TILE_PATCH_PLACES;
}
XG_FN bool xg_tile_patch_might(const xg_tile_plan *p) {
    return p->form.hero->op == XG_CONVOLUTION && p->unit != XG_TILE_NO_UNIT && !p->may_group && !p->form.operand[0] &&
           p->device->async_bytes && p->fetch[0].from->shape->type == p->fetch[0].held;
}
/* The same plan with patches of so many bytes of channels, of positions that lie in rows or k. */
XG_APART XG_FN bool xg_tile_patch_may(xg_tile_plan *p, xg_aff_ctx *x, xg_tile_role of, int64_t bytes) {
    int64_t by[4 * XG_TILE_VARS_MAX], first, k;
    xg_tile_patch *t = &p->patch;
    t->of = of;
    if (!xg_tile_patch_might(p)) return false;
    if (of == XG_TILE_K && xg_type_bytes(p->held) != 2) return false; /* ldmatrix transposes those */
    if (of == XG_TILE_K && xg_tile_patch_differs(p)) return false;
    t->part = bytes / xg_type_bytes(p->held);
    if (!xg_tile_patch_split(&p->form.group[xg_tile_patch_other(p)], t->part)) return false;
    t->map = xg_tile_patch_map(p, x, &t->source);
    if (!t->map || !xg_tile_patch_strides(t, x, p->form.group[XG_TILE_B].n, by, &first)) return false;
    if (!xg_tile_patch_pixels(p, x, by, first)) return false;
    t->sees = xg_tile_patch_sees(p, x, -1);
    for (k = 0; xg_imap_ok(t->sees) && k < (int64_t)t->sees->n_constraints; k++)
        if (t->sees->constraints[k].range.lo == INT64_MIN || t->sees->constraints[k].range.hi == INT64_MAX)
            return false;
    return xg_imap_ok(t->sees);
}
XG_FN void xg_tile_patch_plan(xg_tile_plan *p, const xg_fusion_emission *e, const xg_device *m, int64_t out_bytes) {
    enum {
        LEAST = 32, /* bytes of a pixel */
        WAYS = 6    /* those, or two or four times as many, positions in rows or in k */
    };
    bool might = xg_tile_patch_might(p);
    xg_tile_plan plain, own;
    uint32_t k;
    if (might) plain = *p;
    xg_tile_box_plan(p, e, m, out_bytes);
    for (k = 0; might && k < WAYS; k++) {
        own = plain;
        if (!xg_tile_patch_may(&own, e->m->aff, k / 3 ? XG_TILE_K : XG_TILE_M, LEAST << k % 3)) continue;
        own.picoseconds = p->blocks ? p->picoseconds : 0;
        xg_tile_plan_order(&own, e, m, out_bytes);
        if (own.blocks) *p = own;
    }
}

/* ---- where they lie ---- */

/* Of a pixel, each a vector of a thread. */
XG_ONE_COPY XG_FN int64_t xg_tile_patch_pieces(const xg_tile_plan *p) { return p->patch.part / p->fetch[0].vector; }
/* Pieces of pixels that are read together lie side by side, those of a plane: of so many there are for one kind, by
 * what is left of a pixel's number; as many planes as a pixel has pieces are a buffer. Lanes that write at a time write
 * some pixels of different kinds: kinds and planes begin so far apart that these lie in different banks. */
XG_FN int64_t xg_tile_patch_lines(const xg_tile_plan *p) {
    const xg_tile_patch *t = &p->patch;
    int64_t lines = xg_tile_over(t->pixels, t->stride);
    if (t->stride == 1) return lines;
    return xg_tile_over(lines, XG_TILE_PATCH_PIECES) * XG_TILE_PATCH_PIECES +
           xg_tile_over((int64_t)XG_TILE_PATCH_PIECES / xg_tile_patch_pieces(p), t->stride);
}
/* Where zeros begin, with those of all banks. */
XG_FN int64_t xg_tile_patch_zeros(const xg_tile_plan *p) {
    int64_t all = p->fetch[0].vector * (int64_t)XG_TILE_PATCH_PIECES;
    return xg_tile_over(xg_tile_patch_lines(p) * p->patch.stride, XG_TILE_PATCH_PIECES) * all;
}
XG_FN int64_t xg_tile_patch_plane(const xg_tile_plan *p) {
    int64_t all = p->fetch[0].vector * (int64_t)XG_TILE_PATCH_PIECES;
    return xg_tile_patch_zeros(p) + all + all / xg_tile_patch_pieces(p);
}
XG_FN int64_t xg_tile_patch_buffer(const xg_tile_plan *p) { return xg_tile_patch_pieces(p) * xg_tile_patch_plane(p); }
XG_FN int64_t xg_tile_patch_room(const xg_tile_plan *p) {
    return xg_tile_patch_buffer(p) * (p->patch.of == XG_TILE_K ? p->shape.stages : p->patch.parts > 1 ? 2 : 1);
}
/* Pixels from the window's first place to another. */
XG_FN int64_t xg_tile_patch_shift(const xg_tile_plan *p, int64_t place) {
    const xg_tile_group *window = xg_tile_patch_window(p);
    int64_t sum = 0;
    uint32_t d;
    for (d = window->n - 1; --d > 0; place /= window->axes[d].extent)
        sum += p->patch.by_place[d] * (place % window->axes[d].extent);
    return sum;
}
/* ... of the places that a tile has; -1: they are not in order. */
XG_FN int64_t xg_tile_patch_spread(const xg_tile_plan *p) {
    int64_t k, most = 0, each = p->patch.of == XG_TILE_M ? p->patch.places : p->shape.m / p->patch.part, own;
    for (k = 0; k < p->patch.places; k++) {
        own = xg_tile_patch_shift(p, k) - xg_tile_patch_shift(p, k / each * each);
        if (own < 0) return -1;
        most = XG_MAX(most, own);
    }
    return most;
}
/* Steps of a part. */
XG_FN int64_t xg_tile_patch_steps(const xg_tile_patch *t) { return t->places / t->together; }
XG_FN bool xg_tile_patch_suits(const xg_tile_plan *p, xg_tile_shape *s) {
    const xg_tile_patch *t = &p->patch;
    if (!t->places) return true;
    s->patch = (int8_t)t->together;
    if (t->together > 1) {
        if (s->k != 2 * t->part) return false;
        s->k = (int32_t)(t->part * t->together);
    }
    if (t->together > 1 || xg_tile_patch_differs(p))
        s->stages = 2; /* the next one is on its way meanwhile, or is all of a part */
    if (t->of == XG_TILE_M) return s->k == t->part * t->together && xg_tile_patch_steps(t) > s->stages - 2;
    return s->m % t->part == 0 && t->places % (s->m / t->part) == 0;
}
/* False: the shape does not suit it. */
XG_FN bool xg_tile_patch_settle(xg_tile_plan *p) {
    const xg_tile_group *rows = xg_tile_patch_rows(p);
    int64_t d, steps = 1;
    xg_tile_patch *t = &p->patch;
    xg_tile_fetch *f = &p->fetch[0];
    bool along_k = t->of == XG_TILE_M;
    uint32_t n;
    if (!t->places) return true;
    if (p->shape.cluster > 1 || !f->async || f->along_k != along_k ||
        f->vector * xg_type_bytes(f->held) != XG_TILE_ACCESS_BYTES)
        return false;
    if (along_k && !xg_tile_patch_differs(p)) steps = xg_tile_patch_steps(t) - XG_MAX(p->shape.stages - 2, 0);
    f->pitch = f->vector;
    t->parts = xg_tile_patch_window(p)->axes[0].extent;
    t->pixels = xg_tile_patch_spread(p) + 1;
    if (!t->pixels) return false;
    d = (along_k ? p->shape.m : p->shape.k) - 1;
    for (n = rows->n; n-- > 0; d /= rows->axes[n].extent) {
        t->pixels += t->by_row[n] * (n ? d % rows->axes[n].extent : d);
        if (n) t->pixels += XG_MAX(t->by_row[n - 1] - t->by_row[n] * rows->axes[n].extent, (int64_t)0);
    }
    t->vectors = t->pixels * (t->part / f->vector);
    t->rounds = xg_tile_over(t->vectors, p->threads);
    t->each = xg_tile_over(t->rounds, steps);
    f->rounds = along_k ? xg_tile_over(t->rounds * t->parts, p->mean) : t->rounds;
    return true;
}
/* Elements that come with a step, on average. */
XG_FN int64_t xg_tile_patch_brings(const xg_tile_plan *p) {
    const xg_tile_patch *t = &p->patch;
    bool rows = t->of == XG_TILE_M;
    return xg_tile_over(t->pixels * t->part * (rows ? t->parts : 1), rows ? p->mean : 1);
}

/* ---- the kernel ---- */

/* The numbers of a position's axes, or of others. */
XG_FN void xg_tile_patch_digits(xg_tile_kernel *w, const xg_tile_group *g, xg_kval *position, xg_kval **d) {
    uint32_t k;
    for (k = g->n; k-- > 0;) {
        d[k] = k ? xg_tile_rest(w, position, g->axes[k].extent) : position;
        if (k) position = xg_tile_quotient(w, position, g->axes[k].extent);
    }
}
/* The pixel below that at the window's first place, but for patch.first: in the picture or in front of it. */
XG_FN xg_kval *xg_tile_patch_pixel(xg_tile_kernel *w, xg_kval *const *d) {
    xg_kval *sum = xg_elem_index_0(&w->s);
    uint32_t k;
    for (k = 0; k < xg_tile_patch_rows(w->p)->n; k++) sum = xg_tile_join(w, d[k], w->p->patch.by_row[k], sum);
    return sum;
}
/* How far apart the pixels of neighbours lie, if all do so, also behind the end of a line; else 0. */
XG_FN int64_t xg_tile_patch_apart(const xg_tile_plan *p) {
    const xg_tile_group *g = xg_tile_patch_rows(p);
    const int64_t *by = p->patch.by_row;
    uint32_t k = g->n - 1;
    while (k && by[k - 1] == by[k] * g->axes[k].extent) k--;
    return k ? 0 : by[g->n - 1];
}
XG_FN xg_kval *xg_tile_patch_pixel_of(xg_tile_kernel *w, xg_kval *position) {
    xg_kval *d[XG_TILE_VARS_MAX];
    int64_t apart = xg_tile_patch_apart(w->p);
    if (apart) return xg_tile_by(w, XG_K_OP_MULI, position, apart);
    xg_tile_patch_digits(w, xg_tile_patch_rows(w->p), position, d);
    return xg_tile_patch_pixel(w, d);
}
/* All that the dims of such a map can be, of which the first one counts positions beyond the last one, too. */
XG_FN xg_imap *xg_tile_patch_known(const xg_tile_kernel *w, const xg_imap *sees) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *g = xg_tile_patch_rows(p), *window = xg_tile_patch_window(p),
                        *batch = &p->form.group[XG_TILE_B];
    xg_imap *m = xg_imap_of_dims(w->s.b.m->aff, sees->n_dims, 0);
    int64_t all = p->patch.of == XG_TILE_M ? p->tiles[0] * p->shape.m : p->all_steps * p->shape.k;
    uint32_t d, more = m->n_dims - batch->n;
    for (d = 0; d < m->n_dims; d++) {
        const xg_tile_axis *a = d < g->n   ? &g->axes[d]
                                : d < more ? &window->axes[d - g->n + 1]
                                           : &batch->axes[d - more];
        m->dims[d].range = xg_range_of(0, a->extent - 1);
    }
    m->dims[0].range.hi = xg_tile_over(all, g->size / g->axes[0].extent) - 1;
    return m;
}
/* Of a pixel, counted from the patch's first one, the element of its buffer. */
XG_FN const xg_aff *xg_tile_patch_spot(const xg_tile_plan *p, xg_aff_ctx *x, const xg_aff *pixel) {
    const xg_tile_patch *t = &p->patch;
    const xg_aff *kind = xg_aff_mul(x, xg_aff_mod(x, pixel, t->stride), xg_tile_patch_lines(p));
    return xg_aff_mul(x, xg_aff_add(x, kind, xg_aff_div(x, pixel, t->stride)), p->fetch[0].pitch);
}
/* As xg_tile_inside; a number between two bounds is one comparison. */
XG_FN xg_kval *xg_tile_patch_inside(xg_tile_kernel *w, const xg_imap *m, const xg_imap *known, xg_kval *const *d) {
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_aff_env env = xg_imap_env(x, known);
    xg_kval *cond = NULL, *v;
    uint32_t k;
    for (k = 0; k < m->n_dims; k++)
        cond = xg_elem_and(&w->s, cond, xg_elem_within(&w->s, d[k], m->dims[k].range, known->dims[k].range));
    for (k = 0; k < m->n_constraints; k++) {
        const xg_constraint *c = &m->constraints[k];
        const xg_aff *e = xg_aff_add_k(x, c->expr, -c->range.lo);
        if (xg_range_within(xg_aff_range(&env, c->expr), c->range)) continue;
        xg_elem_apply(&w->s, xg_imap_with_results(x, known, &e, 1), d, &v);
        v = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, v, XG_E_I32);
        v = xg_kcmpi_int(&w->s.b, XG_CI_ULT, v, c->range.hi - c->range.lo + 1);
        cond = xg_elem_and(&w->s, cond, v);
    }
    return cond;
}
/* One round of a patch whose first pixel this is, from a channel on (counted in vectors), into a buffer. */
XG_APART XG_FN void xg_tile_patch_copy(
    xg_tile_kernel *w, xg_kval *round, xg_kval *first, xg_kval *channel, xg_kval *buffer) {
    enum {
        THREAD,
        ROUND,
        CHANNEL,
        LANE,
        FIRST,
        SPACE,
        DIMS
    };
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    int64_t lanes = p->fetch[0].vector, line = t->part / lanes, counts[DIMS];
    int64_t all = xg_tile_over(t->source->shape->elements - t->channel, t->apart);
    xg_aff_ctx *x = w->s.b.m->aff;
    const xg_aff *vector = xg_aff_add_dim(x, xg_aff_dim(x, THREAD), ROUND, p->threads), *pixel, *at, *spot;
    xg_kval *v[DIMS], *q, *to, *from, *cond, *spot_of;
    xg_flow some = xg_flow_of(&w->s, &w->shared), f = some, lane = some;
    xg_range known;
    xg_imap *m;
    counts[THREAD] = p->threads; /* what follows from this alone is the same in all rounds */
    counts[ROUND] = t->rounds;
    counts[CHANNEL] = t->apart / lanes;
    counts[LANE] = lanes;
    counts[FIRST] = 2 * all + t->pixels;
    counts[SPACE] = XG_MAX(p->shape.stages, 2);
    v[THREAD] = w->thread;
    v[ROUND] = round;
    v[CHANNEL] = xg_k2(&w->s.b, XG_K_OP_ADDI, channel, w->base[1]);
    v[LANE] = xg_elem_index_0(&w->s);
    v[FIRST] = xg_k2(&w->s.b, XG_K_OP_ADDI, first, w->base[0]);
    v[SPACE] = buffer;
    pixel = xg_aff_div(x, vector, line);
    spot = xg_aff_add_mul(x, xg_tile_patch_spot(p, x, pixel), xg_aff_mod(x, vector, line), xg_tile_patch_plane(p));
    spot = xg_aff_add_dim(x, spot, SPACE, xg_tile_patch_buffer(p));
    pixel = xg_aff_add_k(x, xg_aff_add(x, pixel, xg_aff_dim(x, FIRST)), t->first);
    at = xg_aff_add_mul(x, xg_aff_dim(x, LANE), xg_aff_mod(x, vector, line), lanes);
    at = xg_aff_add_dim(x, at, CHANNEL, lanes);
    at = xg_aff_add_k(x, xg_aff_add_mul(x, at, pixel, t->apart), t->channel);
    if (t->vectors % p->threads || t->rounds % t->each)
        xg_flow_if(&some, xg_kcmpi_int(&w->s.b, XG_CI_SLT, xg_tile_join(w, round, p->threads, w->thread), t->vectors));
    m = xg_tile_map(x, counts, DIMS, 1);
    m->results[0] = pixel;
    known = xg_imap_result_range(x, m, 0);
    to = xg_tile_apply(w, counts, DIMS, spot, v);
    q = xg_tile_apply(w, counts, DIMS, pixel, v);
    cond = xg_elem_within(&w->s, q, xg_range_of(0, all - 1), known);
    xg_flow_if(&f, cond);
    m->results[0] = at;
    lane = xg_flow_of(&w->s, &w->shared);
    v[LANE] = xg_flow_for(&lane, v[LANE], xg_elem_index(&w->s, lanes), 1, lanes);
    from = xg_kapply(&w->s.b, xg_imap_with_constraint(x, m, pixel, xg_range_of(0, all - 1)), v)->results;
    spot_of = xg_tile_lane_spot(w, to, v[LANE], lanes, 1);
    w->shared = xg_kinsert_at(&w->s.b, xg_kextract(&w->s.b, w->flat, &from, 1), w->shared, spot_of);
    xg_flow_end(&lane);
    xg_flow_end(&f); /* what lies outside of the array no row is a view of */
    xg_flow_end(&some);
}
/* Rounds from one on. */
XG_FN void xg_tile_patch_rounds(
    xg_tile_kernel *w, xg_kval *begin, int64_t n, xg_kval *first, xg_kval *channel, xg_kval *buffer) {
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    xg_kval *round = xg_elem_index_0(&w->s);
    if (n > 1) {
        round = xg_flow_for(&f, round, xg_elem_index(&w->s, n), 1, n);
        f.op->flags = KL_UNROLL_LOWERED;
    }
    if (begin) round = xg_k2(&w->s.b, XG_K_OP_ADDI, begin, round);
    xg_tile_patch_copy(w, round, first, channel, buffer);
    xg_flow_end(&f);
}
/* For each row of its fragments a thread knows where it lies, and a bit for each place of the window. */
XG_APART XG_FN void xg_tile_patch_row(xg_tile_kernel *w, int64_t k, xg_kval *row, const xg_imap *const *sees) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *rows = xg_tile_patch_rows(p);
    xg_kval *d[2 * XG_TILE_VARS_MAX], *mask = xg_kconst_i32(&w->s.b, 0), *bit, *cond;
    int64_t place;
    xg_tile_patch_digits(w, rows, xg_tile_join(w, w->tile[0], p->shape.m, row), d);
    xg_tile_patch_digits(w, &p->form.group[XG_TILE_B], w->batch, d + rows->n);
    for (place = 0; place < p->patch.places; place++) {
        if (!xg_imap_ok(sees[place])) continue; /* no position has a pixel there */
        cond = xg_tile_patch_inside(w, sees[place], xg_tile_patch_known(w, sees[place]), d);
        bit = xg_kconst_i32(&w->s.b, (int64_t)(int32_t)((uint32_t)1 << place));
        if (cond) bit = xg_kselect(&w->s.b, cond, bit, xg_kconst_i32(&w->s.b, 0));
        mask = xg_k2(&w->s.b, XG_K_OP_ORI, mask, bit);
    }
    w->masks[k] = mask;
    row = xg_k2(&w->s.b, XG_K_OP_SUBI, xg_tile_patch_pixel(w, d), w->first_pixel);
    row = xg_tile_quotient(w, row, p->patch.stride);
    row = xg_tile_join(w, row, p->fetch[0].pitch, w->half);
    w->views[k] = xg_k2_int(&w->s.b, XG_K_OP_ANDI, row, XG_TILE_PATCH_MOST); /* it is so, and all know it then */
}
/* For each of its fragments a thread knows the place of the window, and how much further on that and its channels lie
 * than the patch begins. What is the same for all rows of a tile follows from the tile. */
XG_FN void xg_tile_patch_channels(xg_tile_kernel *w, int64_t k, xg_kval *row) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *window = xg_tile_patch_window(p);
    xg_kval *place, *tile, *own, *shift = xg_elem_index_0(&w->s), **d = w->masks + k * window->n;
    int64_t count = p->patch.pixels, run = p->patch.part;
    uint32_t n;
    tile = xg_tile_by(w, XG_K_OP_MULI, w->tile[0], p->shape.m);
    own = xg_k2(&w->s.b, XG_K_OP_ADDI, tile, row);
    for (n = window->n - 1; --n > 0; run *= window->axes[n].extent) {
        place = xg_tile_quotient(w, run % p->shape.m ? own : tile, run);
        d[n - 1] = xg_tile_rest(w, place, window->axes[n].extent);
        shift = xg_tile_join(w, d[n - 1], p->patch.by_place[n], shift);
    }
    place = xg_tile_quotient(w, tile, run);
    if (!w->shift) { /* of the tile's first row */
        w->shift = shift;
        w->channel = xg_tile_by(w, XG_K_OP_MULI, place, p->patch.part / p->fetch[0].vector);
    }
    shift = xg_k2(&w->s.b, XG_K_OP_SUBI, shift, w->shift);
    shift = xg_tile_apply(w, &count, 1, xg_tile_patch_spot(p, w->s.b.m->aff, xg_aff_dim_0(w->s.b.m->aff)), &shift);
    row = xg_tile_quotient(w, xg_tile_rest(w, row, p->patch.part), p->fetch[0].vector);
    shift = xg_tile_join(w, row, xg_tile_patch_plane(p), shift);
    w->views[k] = xg_k2(&w->s.b, XG_K_OP_ADDI, shift, w->half);
}
/* What does not change from step to step: of positions in rows it is found while the first step comes. */
XG_APART XG_FN void xg_tile_patch_rows_begin(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    bool along_k = t->of == XG_TILE_M;
    int64_t n = p->shape.tm / XG_KMMA_M, k, lanes = p->fetch[0].vector;
    xg_kval *lane = xg_tile_rest(w, w->thread, XG_WARP_LANES), *low = xg_tile_rest(w, lane, XG_KMMA_M), *warp, *row;
    xg_kval *half = xg_tile_quotient(w, lane, XG_KMMA_M);
    const xg_imap *sees[XG_TILE_PATCH_PLACES];
    warp = xg_tile_quotient(w, xg_tile_quotient(w, w->thread, XG_WARP_LANES), p->warps_n);
    if (!along_k) { /* a lane points at a k: those of the second half of a warp are eight further on */
        low = xg_tile_quotient(w, low, lanes);
        w->deep = xg_tile_join(w, half, lanes, xg_tile_rest(w, lane, lanes));
        half = low;
        low = xg_elem_index_0(&w->s);
    }
    w->half = xg_tile_by(w, XG_K_OP_MULI, half, xg_tile_patch_plane(p));
    w->views = XG_NEW_N(w->e->arena, xg_kval *, (1 + xg_tile_patch_window(p)->n) * (n + 1));
    w->masks = w->views + n + 1;
    for (k = 0; k < t->places && along_k; k++) sees[k] = xg_tile_patch_sees(p, w->s.b.m->aff, k);
    warp = xg_tile_join(w, warp, XG_KMMA_M, low);
    if (!along_k) xg_tile_patch_channels(w, 0, xg_elem_index_0(&w->s));
    for (k = 0; k < n; k++) {
        row = xg_kir_index_plus(&w->s.b, warp, k * p->rows * XG_KMMA_M, xg_str_of(NULL, 0));
        if (along_k)
            xg_tile_patch_row(w, k, row, sees);
        else
            xg_tile_patch_channels(w, k, row);
    }
}
/* Zeros; the first part's patch. */
XG_APART XG_FN void xg_tile_patch_begin(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    const xg_tile_group *batch = &p->form.group[XG_TILE_B];
    bool along_k = t->of == XG_TILE_M;
    int64_t pairs = along_k ? xg_tile_patch_pieces(p) / 2 : 1, counts[XG_TILE_VARS_MAX];
    xg_kval *at = w->s.tensors[t->source->number], *d[XG_TILE_VARS_MAX];
    xg_aff_ctx *x = w->s.b.m->aff;
    xg_flow f = xg_flow_of(&w->s, &w->shared);
    uint32_t k;
    w->flat = xg_kir_of(&w->s.b, XG_K_OP_VIEW, at, xg_kir_tensor(w->s.b.m, at->type->elem, &at->type->elements, 1));
    xg_flow_if(&f, xg_kcmpi_int(&w->s.b, XG_CI_SLT, w->thread, pairs * XG_TILE_PATCH_PIECES));
    at = xg_tile_by(w, XG_K_OP_MULI, xg_tile_rest(w, w->thread, XG_TILE_PATCH_PIECES), p->fetch[0].vector);
    at = xg_tile_join(w, xg_tile_quotient(w, w->thread, XG_TILE_PATCH_PIECES), 2 * xg_tile_patch_plane(p), at);
    at = xg_kir_index_plus(&w->s.b, at, xg_tile_patch_zeros(p), xg_str_of(NULL, 0));
    xg_tile_put_zeros(w, p->fetch[0].vector, at);
    xg_flow_end(&f);
    at = xg_elem_index_0(&w->s);
    xg_tile_patch_digits(w, batch, w->batch, d);
    for (k = 0; k < batch->n; k++) counts[k] = batch->axes[k].extent;
    w->base[0] = xg_tile_apply(w, counts, k, xg_aff_div(x, t->base, t->apart), d);
    w->base[1] = xg_tile_apply(w, counts, k, xg_aff_div(x, xg_aff_mod(x, t->base, t->apart), p->fetch[0].vector), d);
    if (along_k) {
        w->first_pixel = xg_tile_patch_pixel_of(w, xg_tile_by(w, XG_K_OP_MULI, w->tile[0], p->shape.m));
        xg_tile_patch_rounds(w, NULL, t->rounds, w->first_pixel, at, at);
    } else
        xg_tile_patch_rows_begin(w);
}
/* Some rounds of the next part, whose buffer has been read: beside the operand of the last step on its way. */
XG_FN void xg_tile_patch_next(xg_tile_kernel *w) {
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    xg_flow some = xg_flow_of(&w->s, &w->shared);
    xg_kval *place, *part, *cond, *begin, *channel, *buffer;
    if (!w->looping || t->parts == 1) return;
    place = xg_tile_rest(w, w->now, xg_tile_patch_steps(t));
    part = xg_kaddi_int(&w->s.b, xg_tile_quotient(w, w->now, xg_tile_patch_steps(t)), 1);
    begin = xg_tile_by(w, XG_K_OP_MULI, place, t->each);
    channel = xg_tile_by(w, XG_K_OP_MULI, part, t->part / p->fetch[0].vector);
    buffer = xg_tile_rest(w, part, 2);
    cond = xg_kcmpi_int(&w->s.b, XG_CI_SLT, part, t->parts);
    cond = xg_elem_and(&w->s, cond, xg_kcmpi_int(&w->s.b, XG_CI_SLT, place, xg_tile_over(t->rounds, t->each)));
    xg_flow_if(&some, cond);
    if (p->skips && cond) some.op->a = XG_MAX(xg_tile_patch_steps(t) * p->mean / p->steps, (int64_t)2); /* on average */
    xg_tile_patch_rounds(w, begin, t->each, w->first_pixel, channel, buffer);
    xg_flow_end(&some);
}
XG_FN void xg_tile_patch_bring(xg_tile_kernel *w, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    xg_kval *first;
    if (p->patch.of == XG_TILE_M) {
        xg_tile_patch_next(w);
        return;
    }
    first = xg_tile_patch_pixel_of(w, xg_tile_by(w, XG_K_OP_MULI, w->step, p->shape.k));
    first = xg_k2(&w->s.b, XG_K_OP_ADDI, first, w->shift);
    xg_tile_patch_rounds(w, NULL, p->patch.rounds, first, w->channel, buffer);
}
/* An element of the patch, or, where there is none, a zero in the same banks, which are those of another one. */
XG_FN xg_kval *xg_tile_patch_or_zero(xg_tile_kernel *w, xg_kval *cond, xg_kval *at, xg_kval *same) {
    xg_kval *zero = xg_tile_rest(w, same, w->p->fetch[0].vector * (int64_t)XG_TILE_PATCH_PIECES);
    if (!cond) return at;
    zero = xg_kir_index_plus(&w->s.b, zero, xg_tile_patch_zeros(w->p), xg_str_of(NULL, 0));
    return xg_kselect(&w->s.b, cond, at, zero);
}
/* Before the rows of a step's fragments are found. */
XG_FN void xg_tile_patch_look(xg_tile_kernel *w, xg_kval *step) {
    w->now = xg_tile_own_step(w, step);
    if (w->p->patch.of == XG_TILE_M) return;
    w->first_pixel = xg_tile_patch_pixel_of(w, xg_tile_by(w, XG_K_OP_MULI, w->now, w->p->shape.k));
}
/* Of rows that are positions: a step's fragments are of one place, or of one each. */
XG_FN xg_kval *xg_tile_patch_view(xg_tile_kernel *w, int64_t k, xg_kval *along, int64_t first) {
    enum {
        STEP,
        ALONG,
        DIMS
    };
    const xg_tile_plan *p = w->p;
    const xg_tile_patch *t = &p->patch;
    const xg_tile_group *g = xg_tile_patch_window(p);
    xg_aff_ctx *x = w->s.b.m->aff;
    int64_t counts[DIMS], steps = xg_tile_patch_steps(t);
    bool one = t->together == 1;
    const xg_aff *own = xg_aff_add_k(x, xg_aff_dim(x, ALONG), first), *shift = xg_aff_const(x, 0), *place, *rest,
                 *buffer;
    xg_kval *v[DIMS], *at, *bit;
    uint32_t d;
    counts[STEP] = p->steps;
    counts[ALONG] = xg_tile_unit_times(p);
    v[STEP] = w->now;
    v[ALONG] = along;
    place = xg_aff_add_mul(x, one ? xg_aff_const(x, 0) : own, xg_aff_mod(x, xg_aff_dim(x, STEP), steps), t->together);
    for (d = g->n - 1, rest = place; --d > 0; rest = xg_aff_div(x, rest, g->axes[d].extent))
        shift = xg_aff_add_mul(x, shift, xg_aff_mod(x, rest, g->axes[d].extent), t->by_place[d]);
    buffer = xg_aff_mod(x, xg_aff_div(x, xg_aff_dim(x, STEP), steps), 2);
    shift = xg_aff_add_mul(x, xg_tile_patch_spot(p, x, shift), buffer, t->parts > 1 ? xg_tile_patch_buffer(p) : 0);
    at = xg_k2(&w->s.b, XG_K_OP_ADDI, w->views[k], xg_tile_apply(w, counts, DIMS, shift, v));
    bit = xg_kcast(&w->s.b, XG_K_OP_INDEX_CAST, xg_tile_apply(w, counts, DIMS, place, v), XG_E_I32);
    bit = xg_kcast(&w->s.b, XG_K_OP_TRUNCI, xg_k2(&w->s.b, XG_K_OP_SHRUI, w->masks[k], bit), XG_E_I1);
    at = xg_tile_patch_or_zero(w, bit, at, at);
    own = xg_aff_mul(x, own, 2 * xg_tile_patch_plane(p));
    return one ? xg_k2(&w->s.b, XG_K_OP_ADDI, at, xg_tile_apply(w, counts, DIMS, own, v)) : at;
}
/* Where the row of a fragment lies: of k from `first` fragments further on than `along` on. */
XG_FN xg_kval *xg_tile_patch_at(xg_tile_kernel *w, int64_t k, xg_kval *along, int64_t first, xg_kval *buffer) {
    const xg_tile_plan *p = w->p;
    const xg_tile_group *rows = xg_tile_patch_rows(p);
    uint32_t n = xg_tile_patch_window(p)->n;
    xg_kval *d[2 * XG_TILE_VARS_MAX], *at, *cond;
    int64_t apart = xg_tile_patch_apart(p);
    if (p->patch.of == XG_TILE_M) return xg_tile_patch_view(w, k, along, first);
    at = xg_kir_index_plus(&w->s.b, along, first, xg_str_of(NULL, 0));
    at = xg_tile_join(w, at, XG_KMMA_K_BYTES / xg_type_bytes(p->held), w->deep);
    xg_tile_patch_digits(w, rows, xg_tile_join(w, w->now, p->shape.k, at), d);
    memcpy(d + rows->n, w->masks + k * n, (n - 2) * sizeof *d);
    xg_tile_patch_digits(w, &p->form.group[XG_TILE_B], w->batch, d + rows->n + n - 2);
    cond = xg_tile_patch_inside(w, p->patch.sees, xg_tile_patch_known(w, p->patch.sees), d);
    at = apart ? xg_tile_by(w, XG_K_OP_MULI, at, apart)
               : xg_k2(&w->s.b, XG_K_OP_SUBI, xg_tile_patch_pixel(w, d), w->first_pixel);
    at = xg_tile_join(w, xg_tile_quotient(w, at, p->patch.stride), p->fetch[0].pitch, w->views[k]);
    return xg_tile_patch_or_zero(w, cond, xg_tile_join(w, buffer, xg_tile_patch_buffer(p), at), at);
}
#endif

#endif /* XG_SCHED_TILE_PATCH_C */
