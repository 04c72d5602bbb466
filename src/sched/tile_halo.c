/* sched/tile_halo.c -- pictures that come once for all places of a window: a box with its border lies in shared memory,
 * and what a step multiplies is a view of it.
 *
 *     a box:    64 channels of 10 columns of 10 lines     for 8 by 8 positions below a window of 3 by 3
 *     a view:   its lines from place (y, x) on: y * 10 + x lines of 128 bytes further on
 *
 * K goes over the window's places within each line of channels, so that as many steps as there are places follow each
 * other with one box. Boxes have buffers and barriers of their own beside those of the other side's steps. Where a
 * block that stays has buffers for all of these, and its tiles want no others, they come once.
 *
 * Below a stride of 2 by 2 there are four kinds of boxes, of every other column and line: even or odd ones. Of a window
 * of 3 by 3 they serve 4, 2, 2 and 1 places.
 *
 * Below an input that is spread by 2 by 2 there are four phases of positions (tile_form.c), which see 4, 2, 2 and 1
 * places of the same box, some of which begin a line or column further on. A pair of blocks that stays makes all phases
 * of a box in a row; it may begin and end with any of them, so that all pairs have as many tiles.
 *
 * Matrix units find eight positions in lines that follow each other, and the next eight a fixed distance further on;
 * the swizzle mixes bits of the address, so a view may begin with any line (its pattern begins where the box does: base
 * offset 0). So a box has eight positions along the innermost axis, others of axes that no window moves (pictures), and
 * outermost those of one more axis that has a border. Extents that are no multiples are filled up: such positions are
 * not part of the result.
 *
 * Of a gradient of the filter positions are summed up and places of the window are rows: of each 64, which are channels
 * of the same box, all places' views of it are a tile. Lines are its k then. Tensor memory takes two views at a time:
 * of an odd number the last one is multiplied twice, and what that makes is no part of the result. 64 columns would be
 * little beside 128 rows, of which matrix units read as much: so the places along the window's innermost axis may be
 * columns (xg_tile_halo_cross), which are views of the other side's box.
 *
 * Then the last view need not be multiplied twice. A pixel meets what place x of the columns stands before it; the
 * pixel one column before meets there what place x - 1 stands before that one. So 64 rows of these make of the places
 * 1 and 2 the places 0 and 1, and beside the last view's own 64 rows nothing is left for the columns of place 0:
 *
 *     rows 0 to 127:      views 0 and 1, by the columns of places 2, 1 and 0
 *     rows 128 to 255:    view 2, one column before: 1 (thrown away) and 0;    view 2: 2 and 1
 *
 * That is ten products of 64 by 64 for nine places instead of twelve. */
#ifndef XG_SCHED_TILE_HALO_C
#define XG_SCHED_TILE_HALO_C
#include "tile.h"

enum {
    XG_TILE_HALO_VIEWS = 16, /* of a tile's rows: tensor memory has room for 64 columns of each two */
    XG_TILE_HALO_ACROSS = 4, /* of its columns, which matrix units take at a time */
    XG_TILE_HALO_LED = 3     /* ..., of which the last rows meet one less: each warp has whole places, or one's half */
};

/* ---- the plan ---- */

/* Places of the window along an axis of k, the first one's, and every one that is a stride further on. */
XG_FN int64_t xg_tile_halo_below(const xg_tile_plan *p, const xg_tile_group *k, uint32_t axis, int64_t first) {
    return xg_tile_over(k->axes[axis].extent - first, p->halo_strides[axis]);
}
/* The first place along an axis of a kind of boxes. */
XG_FN int64_t xg_tile_halo_begin(const xg_tile_plan *p, const xg_tile_group *k, uint32_t axis, int64_t kind) {
    uint32_t v;
    for (v = k->n - 2; v > axis; v--) kind /= XG_MIN(p->halo_strides[v], k->axes[v].extent);
    return kind % XG_MIN(p->halo_strides[axis], k->axes[axis].extent);
}
/* The number of boxes times what each takes: of lines that come, and of lines that are multiplied for each place, which
 * are as many as columns allow. */
XG_FN int64_t xg_tile_halo_cost(
    const xg_tile_plan *p, const xg_tile_group *g, const xg_tile_group *k, const int64_t *inside) {
    enum {
        COLUMNS = 256,
        EACH = 64 /* columns for which a line is multiplied in the time in which one comes */
    };
    int64_t columns = XG_MIN(p->form.group[XG_TILE_N].size, (int64_t)COLUMNS), cost = 1, lines = 1, right = 1;
    uint32_t n = g->n - (p->halo_across > 1), v;
    for (v = 0; v < g->n; v++) { /* k: channels, the window's axes in the same order, channels */
        cost = xg_cost_mul(cost, xg_tile_over(g->axes[v].extent, inside[v]));
        right *= inside[v] + (v == n ? p->halo_across - 1 : 0);
        if (v < n && n - v + 1 < k->n)
            lines *= inside[v] - 1 + xg_tile_halo_below(p, k, k->n - 1 - (n - v), 0);
        else
            lines *= inside[v];
    }
    return xg_cost_mul(
        cost, lines * p->halo_kinds + (p->halo_across > 1 ? right : 0) + p->halo * p->pixels * columns / EACH);
}
/* How many positions of each axis lie in a box; what is summed up has none beside, and may have eight of the outermost
 * axis, pictures, innermost: where others have no eight. */
XG_APART XG_FN bool xg_tile_halo_choose(
    const xg_tile_plan *p, const xg_tile_group *m, const xg_tile_group *window, int64_t *best) {
    enum {
        EIGHT = 8
    };
    bool rows = p->pixels_of == XG_TILE_M;
    int64_t inside[XG_TILE_VARS_MAX], least = INT64_MAX, own, next, cost;
    uint32_t k;
    for (k = 0; k < m->n; k++) inside[k] = 1;
    for (own = rows || m->n < 3 ? EIGHT : 1; own <= p->pixels; own *= 2)
        for (next = 1; next * own <= p->pixels; next *= 2) {
            if (own > EIGHT && own < p->pixels) continue;
            if (own < EIGHT && p->pixels / own / next < EIGHT) continue;
            inside[m->n - 1] = own;
            if (m->n > 1) inside[m->n - 2] = next;
            if (m->n > 2) inside[0] = p->pixels / own / next;
            if (m->n < 3 && (m->n < 2 ? own : own * next) < p->pixels) continue;
            for (k = 0; k < m->n && (rows || m->axes[k].extent % inside[k] == 0); k++) {}
            cost = xg_tile_halo_cost(p, m, window, inside);
            if (k < m->n || cost >= least) continue;
            least = cost;
            memcpy(best, inside, m->n * sizeof *best);
        }
    return least < INT64_MAX;
}
/* Boxes, then within one the last axis but one, all others, and innermost the last one, or behind it the first one. */
XG_APART XG_FN void xg_tile_halo_split(xg_tile_group *g, const int64_t *inside) {
    xg_tile_group old = *g;
    uint32_t n = old.n, k;
    bool turned = inside[n - 1] < XG_KWGMMA_LINES;
    g->n = 0;
    g->size = 1;
    for (k = 0; k < 2 * n; k++) {
        uint32_t j = k < n ? 0 : k - n, from = k < n ? k : k == n && n > 1 ? n - 2 : j - 1;
        if (k >= n && (turned ? j == 1 : j == n - 1)) from = n - 1;
        if (turned && j > 1) from = n - 1 - j;
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
/* Of positions a stride apart there are as many kinds of boxes as places below it: all multiples of the stride further
 * on are views. Warp groups have the other way. */
XG_FN void xg_tile_halo_kinds(xg_tile_plan *p, const xg_tile_group *k) {
    xg_window w = xg_emit_window(p->form.hero);
    uint32_t v;
    p->halo_kinds = 1;
    for (v = 1; v + 1 < k->n; v++) {
        uint32_t dim = k->axes[v].of - p->form.rank;
        p->halo_strides[v] = p->pixels_of == XG_TILE_M && p->in_tensor && dim < w.n ? w.p[dim].stride : 1;
        p->halo_kinds *= XG_MIN(p->halo_strides[v], k->axes[v].extent);
    }
}
/* Lines of channels are outermost, too. */
XG_FN void xg_tile_halo_channels(xg_tile_group *k, int64_t line) {
    memmove(&k->axes[1], k->axes, k->n * sizeof *k->axes);
    k->axes[0] = k->axes[k->n];
    k->axes[0].extent /= line;
    k->axes[0].scale *= line;
    k->axes[k->n++].extent = line;
}
/* The window's innermost dimension, if both sides of a gradient of the filter may have views: it moves what is summed
 * up, and is counted in front of channels. */
XG_FN const xg_window_dim *xg_tile_halo_inner(const xg_tile_plan *p, const xg_window *w) {
    const xg_tile_form *f = &p->form;
    const xg_tile_group *m = &f->group[XG_TILE_M], *n = &f->group[XG_TILE_N], *k = &f->group[XG_TILE_K];
    const xg_tile_axis *own = m->n < 3 ? NULL : &m->axes[m->n - 2];
    uint32_t at = k->axes[k->n - 1].of - f->rank;
    const xg_window_dim *d;
    if (!own || !p->in_tensor || f->phased || f->hero->op != XG_CONVOLUTION || at >= w->n) return NULL;
    d = &w->p[at];
    if ((uint32_t)xg_inst_attr(f->hero, XG_A_dim_labels)->v.labels->output_spatial.p[at] != own->of) return NULL;
    if (d->stride != 1 || d->window_dilation != 1 || d->base_dilation != 1 || d->reversal) return NULL;
    if (own->extent == 1 || own->extent > XG_TILE_HALO_ACROSS || n->n + 2 > XG_TILE_VARS_MAX) return NULL;
    return n->axes[n->n - 1].extent % XG_KWGMMA_M ? NULL : d;
}
/* That axis becomes one of columns: sums go over the picture's pixels instead of positions, each of which meets what
 * the place stands before it. Places further on come first, so that their views follow each other. */
XG_FN bool xg_tile_halo_cross(xg_tile_plan *p, xg_aff_ctx *x) {
    xg_tile_form *f = &p->form;
    xg_tile_group *m = &f->group[XG_TILE_M], *n = &f->group[XG_TILE_N], *k = &f->group[XG_TILE_K];
    xg_window w = xg_emit_window(f->hero);
    const xg_window_dim *d = xg_tile_halo_inner(p, &w);
    xg_imap *to = xg_imap_of_dims(x, f->n_vars, f->n_vars), *left;
    xg_tile_axis own, *sum = &k->axes[k->n - 1];
    uint32_t v;
    if (!d) return false;
    own = m->axes[m->n - 2];
    m->axes[m->n - 2] = m->axes[m->n - 1];
    m->n--;
    m->size /= p->halo_across = own.extent;
    memmove(&n->axes[1], n->axes, n->n++ * sizeof *n->axes);
    n->axes[0] = own;
    n->axes[0].first = own.extent - 1;
    n->axes[0].scale = -1;
    n->size *= own.extent;
    for (v = 0; v < f->n_vars; v++) {
        to->results[v] = xg_aff_dim(x, v);
        to->dims[v].range = f->map[0]->dims[v].range;
    }
    v = sum->of;
    /* place 0 has no use for the last column, before which no other one would come */
    p->halo_column = own.extent <= XG_TILE_HALO_LED && d->pad_high <= own.extent - 2 ? v + 1 : 0;
    k->size /= sum->extent;
    sum->extent += own.extent - 1 - d->pad_low - d->pad_high; /* pixels */
    k->size *= sum->extent;
    to->dims[v].range.hi = sum->extent - 1;
    to->results[v] = xg_aff_add_k(x, xg_aff_sub(x, xg_aff_dim(x, v), xg_aff_dim(x, own.of)), d->pad_low);
    left = xg_imap_copy(x, f->map[0], 0);
    left->dims[v].range = xg_range_of(INT64_MIN, INT64_MAX); /* the right side says where there is something */
    f->map[0] = xg_imap_compose(x, to, left);
    f->map[1] = xg_imap_compose(x, to, f->map[1]);
    return true;
}
/* role: whose positions boxes have, M or K; of the other one channels are innermost. */
XG_FN bool xg_tile_halo_may(xg_tile_plan *p, xg_tile_role role) {
    bool rows = role == XG_TILE_M;
    xg_tile_group *k = &p->form.group[rows ? XG_TILE_K : XG_TILE_M], *m = &p->form.group[role];
    int64_t line = XG_KWGMMA_LINE_BYTES / xg_type_bytes(p->held), inside[XG_TILE_VARS_MAX];
    const xg_tile_axis *channels = &k->axes[k->n - 1];
    p->halo = k->size / channels->extent;
    p->halo_across = XG_MAX(p->halo_across, (int64_t)1);
    if (p->halo % 2 == 0) p->halo_column = 0;
    p->pixels = rows && p->in_tensor ? (int64_t)XG_KTENSOR_M : (int64_t)XG_KWGMMA_M;
    p->pixels_of = role;
    if (channels->extent % line || p->halo == 1) return false;
    if (rows ? channels->of + 1 != p->form.n_vars : line != p->pixels || p->halo > XG_TILE_HALO_VIEWS) return false;
    if (2 * m->n > XG_TILE_VARS_MAX || k->n == XG_TILE_VARS_MAX) return false;
    xg_tile_halo_channels(k, line);
    if (p->halo_across > 1) xg_tile_halo_channels(&p->form.group[XG_TILE_N], line);
    xg_tile_halo_kinds(p, k);
    if (p->halo_kinds == p->halo) return false; /* none has more than a view */
    if (!xg_tile_halo_choose(p, m, k, inside)) return false;
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
/* Boxes of phase 0 begin first. Those of a phase beyond the rest of the padding begin one further on, and have to see a
 * place less, so that what they see is in the same box. */
XG_FN void xg_tile_halo_share(xg_tile_plan *p, xg_aff_ctx *x) {
    const xg_tile_group *k = &p->form.group[XG_TILE_K];
    const xg_aff *at = xg_aff_const(x, 0), *phase = xg_aff_dim(x, XG_TILE_HALO_PHASE);
    xg_window w = xg_emit_window(p->form.hero);
    uint32_t v, before = 0; /* phases of the first axis are innermost in their number */
    p->halo_phases = 1;
    p->halo_turned = false;
    for (v = 1; v + 1 < k->n; v++) {
        const xg_window_dim *d;
        int64_t s, left;
        if (!k->axes[v].places) continue;
        d = &w.p[k->axes[v].of - p->form.rank];
        s = d->base_dilation;
        left = s - 1 - xg_floor_mod(d->pad_low, s);
        if (d->size < s || k->axes[v].of < before || /* a phase without places has no step of its own */
            (left && xg_tile_over(d->size - s + left, s) >= k->axes[v].extent))
            s = 0;
        p->halo_phases *= s;
        if (!s) break;
        before = k->axes[v].of;
        p->halo_turned = p->halo_turned || left;
        at = xg_aff_add_mul(
            x, at, xg_aff_div(x, xg_aff_add_k(x, xg_aff_mod(x, phase, s), left), s), p->halo_moves[0][v]);
        phase = xg_aff_div(x, phase, s);
    }
    p->halo_phase = at;
}
/* Lines of a box's dimensions in front of one. */
XG_ONE_COPY XG_FN int64_t xg_tile_halo_in_front(const xg_kmap *m, uint32_t dim) {
    int64_t lines = 1;
    while (dim-- > 1) lines *= m->box[dim];
    return lines;
}
/* The box begins a column before its pixels, if that column is the array's own or outside of it, and brings no more
 * lines than it spares columns. */
XG_APART XG_FN void xg_tile_halo_lead(xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_group *k) {
    xg_kmap *m = &p->fetch[0].tensor;
    const xg_aff **at = p->fetch[0].boxes->results, *column = xg_aff_const(x, 0);
    uint32_t v, r, along = 0;
    p->halo_lead = 0;
    if (!p->halo_column) return;
    for (v = 0; v < k->n; v++) {
        const xg_tile_axis *own = &p->form.group[XG_TILE_K].axes[v];
        if (own->of + (int64_t)1 == p->halo_column) column = xg_aff_add_dim(x, column, k->axes[v].of, own->scale);
    }
    for (r = 1; r < m->rank; r++)
        if (at[r] == column) along = r;
    if (!along || xg_tile_halo_in_front(m, m->rank) / m->box[along] > XG_KWGMMA_M) return;
    at[along] = xg_aff_add_k(x, at[along], -1);
    m->box[along]++;
    p->halo_lead = xg_tile_halo_in_front(m, along);
}
/* A box of positions gets the border that the window needs. axes: as xg_tile_box_axes says. */
XG_FN bool xg_tile_halo_widen(xg_tile_plan *p, xg_aff_ctx *x, const xg_tile_form *axes, uint32_t side) {
    const xg_tile_group *k = &axes->group[p->pixels_of == XG_TILE_M ? XG_TILE_K : side ? XG_TILE_N : XG_TILE_M];
    xg_tile_fetch *t = &p->fetch[side];
    xg_kmap *m = &t->tensor;
    uint32_t inside[XG_KMAP_RANK], along[XG_TILE_VARS_MAX] = {0}, v, r;
    int64_t row, together, *moves = p->halo_moves[side];
    memcpy(inside, m->box, sizeof inside);
    memset(moves, 0, sizeof p->halo_moves[side]);
    for (v = 1; v + 1 < k->n; v++)
        for (r = 0; r < m->rank; r++) {
            int64_t scale, more = xg_tile_halo_below(p, k, v, 0) - 1;
            const xg_aff *e = t->boxes->results[r], *dim = xg_aff_dim(x, k->axes[v].of);
            if (!xg_aff_growth(e, dim, p->halo_strides[v], &scale)) return false;
            if (!scale) continue; /* it has the kind */
            if (!r || along[v] || scale < 1) return false;
            if (xg_cost_mul(scale, more) > XG_KMAP_BOX_MAX - (int64_t)m->box[r]) return false;
            m->box[r] += (uint32_t)(scale * more);
            along[v] = r;
            moves[v] = scale;
        }
    if (!side) xg_tile_halo_lead(p, x, &axes->group[XG_TILE_K]);
    for (v = 1; v + 1 < k->n; v++) moves[v] *= xg_tile_halo_in_front(m, along[v]);
    p->halo_lines[side] = xg_tile_halo_in_front(m, m->rank);
    p->halo_pitch[side] = xg_tile_halo_line(m, inside, XG_KWGMMA_LINES);
    together = p->pixels_of == XG_TILE_M ? p->pixels : (int64_t)XG_KMMA_M; /* of a product: rows, or k */
    for (row = 0; row < p->pixels; row++) {
        int64_t at = xg_tile_halo_line(m, inside, row), in = row % together;
        p->halo_at[side][row / XG_KMMA_M] = xg_tile_halo_line(m, inside, row - in);
        if (at != p->halo_at[side][row / XG_KMMA_M] + in % XG_KWGMMA_LINES + in / XG_KWGMMA_LINES * p->halo_pitch[side])
            return false;
    }
    if (!side) xg_tile_halo_share(p, x);
    return true;
}
XG_FN bool xg_tile_halo_phases(const xg_tile_plan *p) {
    return p->skips && p->shape.multicast == 2 && p->in_tensor && p->halo_phases == p->batch && p->batch <= INT8_MAX;
}
XG_FN int64_t xg_tile_halo_boxes(const xg_tile_plan *p) { return xg_tile_halo_steps(p) ? p->shape.m / p->pixels : 1; }
XG_FN bool xg_tile_halo_is(const xg_tile_plan *p, uint32_t side) {
    return p->shape.halo && (!side || p->halo_across > 1);
}
XG_FN int64_t xg_tile_halo_room(const xg_tile_plan *p, uint32_t side) {
    return xg_tile_over(p->halo_lines[side], XG_KWGMMA_LINES) * XG_KWGMMA_LINES;
}
XG_FN int64_t xg_tile_halo_steps(const xg_tile_plan *p) { return p->pixels_of == XG_TILE_M ? p->shape.halo : 0; }
XG_FN int64_t xg_tile_halo_stages(const xg_tile_plan *p) {
    int64_t steps = xg_tile_halo_steps(p);
    if (!steps) return 0;
    if (p->shape.stays > 1) return p->steps / steps + 1; /* all that tiles in a row see, and one that comes */
    if (p->halo_kinds > 1) return 3;                     /* one may be of a single step */
    return p->steps > steps || p->shape.stays ? 2 : 1;
}
XG_FN int64_t xg_tile_bulk_lines(const xg_tile_plan *p, uint32_t side) {
    int64_t rows = p->fetch[side].rows;
    if (xg_tile_halo_is(p, side)) return xg_tile_halo_boxes(p) * p->halo_lines[side];
    return rows * p->shape.k * xg_type_bytes(p->held) / XG_KWGMMA_LINE_BYTES;
}
XG_FN bool xg_tile_bulk_keeps(const xg_tile_plan *p) {
    return xg_tile_halo_steps(p) && p->shape.stays && p->shape.stages == p->steps && p->tiles[1] * p->batch == 1;
}

/* Lines from a box's begin to the view of a place; the last one's begins with the column before. */
XG_FN int64_t xg_tile_halo_view(const xg_tile_plan *p, uint32_t side, int64_t place) {
    const xg_tile_group *k = &p->form.group[side ? XG_TILE_N : XG_TILE_M];
    int64_t at = 0;
    uint32_t v;
    if (!side && place != p->halo - 1) at = p->halo_lead;
    place = XG_MIN(place, p->halo - 1); /* a view beside the last one is the same */
    for (v = k->n - 2; v > 0; v--) {
        at += place % k->axes[v].extent * p->halo_moves[side][v];
        place /= k->axes[v].extent;
    }
    return at;
}
/* From a view to the next one. */
XG_FN int64_t xg_tile_halo_next(const xg_tile_plan *p, uint32_t side, int64_t place) {
    return xg_tile_halo_view(p, side, place + 1) - xg_tile_halo_view(p, side, place);
}
/* Whether so many warp groups have views of which each is as far from a group's first one as the others' are. */
XG_FN bool xg_tile_halo_suits(const xg_tile_plan *p, int64_t groups) {
    enum {
        MOST = 5 /* views of a group: 160 registers for 64 columns */
    };
    int64_t place;
    if (p->halo % groups || p->halo / groups > MOST) return false;
    for (place = 0; place < p->halo; place++)
        if ((place + 1) % groups && xg_tile_halo_next(p, 0, place) != xg_tile_halo_next(p, 0, 0)) return false;
    return true;
}
/* In tensor memory a descriptor says how far the second of two views lies behind the first one. */
XG_FN bool xg_tile_halo_follow(const xg_tile_plan *p) {
    int64_t place;
    for (place = 0; place < p->halo; place += 2)
        if (xg_tile_halo_next(p, 0, place) < 0) return false;
    return true;
}
XG_FN const xg_tile_row *xg_tile_halo_row_of(const xg_tile_plan *p, size_t k, xg_tile_row *r) {
    static const uint8_t stages[] = {8, 5, 3};
    int64_t groups = 3, rows = xg_tile_over(p->halo, 2) * 2;
    size_t ways = p->in_tensor ? 2 : 1; /* eight warps read sums, or four */
    if (k / ways >= XG_COUNT(stages) || rows / 2 * p->halo_across * XG_KWGMMA_M > XG_KTENSOR_COLUMNS) return NULL;
    memset(r, 0, sizeof *r);
    if (!p->in_tensor) {
        rows = p->halo;
        while (groups && !xg_tile_halo_suits(p, groups)) groups--;
    } else
        groups = xg_tile_halo_follow(p);
    if (!groups) return NULL;
    r->m = (int16_t)(rows * XG_KWGMMA_M);
    r->n = (int16_t)(p->halo_across * XG_KWGMMA_M);
    r->tn = (int16_t)(r->n / (int64_t)(ways - k % ways));
    r->k = XG_KWGMMA_LINE_BYTES;
    r->tm = (int16_t)(rows / groups * XG_KMMA_M);
    r->stages = stages[k / ways];
    r->slices = 1;
    r->how = XG_TILE_ROW_GROUPED + XG_TILE_ROW_BULK;
    return r;
}

/* ---- places ---- */

XG_FN int64_t xg_tile_halo_row(const xg_tile_plan *p, int64_t row) {
    if (xg_tile_halo_steps(p))
        row = row / p->pixels * xg_tile_halo_room(p, 0); /* matrices of rows begin with a box */
    else if (p->shape.halo)
        row = xg_tile_halo_view(p, 0, row / XG_KWGMMA_M) - p->halo_lead;
    return row * p->shape.k;
}
XG_FN int64_t xg_tile_halo_on(const xg_tile_plan *p, uint32_t side, int64_t k) {
    const xg_tile_fetch *t = &p->fetch[side];
    if (t->by_rows) return k * XG_KMMA_K_BYTES;
    if (xg_tile_halo_is(p, side)) return p->halo_at[side][k] * XG_KWGMMA_LINE_BYTES;
    return k * XG_KMMA_K_BYTES * t->line;
}
/* Of a view of a kind of boxes: elements from the box's begin; or the window's place. */
XG_APART XG_FN const xg_aff *xg_tile_halo_moved(
    const xg_tile_plan *p, xg_aff_ctx *x, int64_t kind, const xg_aff *view, bool place) {
    const xg_tile_group *k = &p->form.group[XG_TILE_K];
    const xg_aff *at = xg_aff_const(x, 0);
    int64_t all = 1;
    uint32_t v;
    for (v = k->n - 2; v > 0; v--) {
        int64_t first = xg_tile_halo_begin(p, k, v, kind), n = xg_tile_halo_below(p, k, v, first);
        int64_t by = place ? p->halo_strides[v] * all : p->halo_moves[0][v] * p->shape.k;
        at = xg_aff_add_k(x, xg_aff_add_mul(x, at, xg_aff_mod(x, view, n), by), place ? first * all : 0);
        view = xg_aff_div(x, view, n);
        all *= k->axes[v].extent;
    }
    return at;
}
XG_FN int64_t xg_tile_halo_views(const xg_tile_plan *p, int64_t kind) {
    const xg_tile_group *k = &p->form.group[XG_TILE_K];
    int64_t n = 1;
    uint32_t v;
    for (v = k->n - 2; v > 0; v--) n *= xg_tile_halo_below(p, k, v, xg_tile_halo_begin(p, k, v, kind));
    return n;
}
XG_FN int64_t xg_tile_halo_first(const xg_tile_plan *p, int64_t kind) {
    int64_t n = 0;
    while (kind-- > 0) n += xg_tile_halo_views(p, kind);
    return n;
}

#endif /* XG_SCHED_TILE_HALO_C */
