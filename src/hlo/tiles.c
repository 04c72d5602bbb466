/* hlo/tiles.c -- layouts with tiles: where an element of such an array lies in memory.
 *
 * T(8,128)(2,1) applies tiles one after another to the dimensions in physical order, most major first. A tile covers
 * the most minor dimensions: each is padded to a multiple of the tile's and split into the number of the tile and the
 * place inside it, and all places stand behind all numbers. The next tile applies to what comes of that. A '*' merges
 * a dimension with the next more minor one before it tiles; a tile of more dimensions than the array has sees
 * dimensions of one element in front. L(n) pads the end of the array to a multiple of n elements.
 *
 * Tiles only matter where memory is taken under another shape (bitcast) and where sizes of buffers are compared: all
 * other operations are about logical indices. Index types, pointer types, split configurations and metadata prefixes
 * say how other devices address the array; they change no value and no order here. */
#ifndef XG_HLO_TILES_C
#define XG_HLO_TILES_C
#include "hlo.h"

/* ---- reading the text of a layout ---- */

/* "(8,*)": its numbers from *at on, and *at behind it. */
XG_FN void xg_tile_read(const xg_str s, uint32_t *at, xg_tile *t) {
    t->n = 0;
    for (++*at; *at < s.n && s.p[*at] != ')' && t->n < XG_RANK_MAX;) {
        int64_t v = 0;
        bool star = s.p[*at] == '*';
        if (star) ++*at;
        for (; *at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9'; ++*at) v = v * 10 + (s.p[*at] - '0');
        t->dims[t->n++] = star ? (int64_t)XG_TILE_COMBINES : v;
        if (*at < s.n && s.p[*at] == ',') ++*at;
    }
    ++*at;
}

XG_FN xg_tiles *xg_tiles_of(xg_arena *a, const xg_layout *l) {
    xg_tiles *t = XG_NEW(a, xg_tiles);
    xg_str s = l ? l->extras : XG_STR("");
    uint32_t at = 0, k;
    t->tail = 1;
    if (s.n > 1 && s.p[0] == 'T') {
        uint32_t most = 0;
        for (k = 1; k < s.n; k++) most += s.p[k] == '(';
        t->p = XG_NEW_N(a, xg_tile, most + (size_t)1);
        for (at = 1; at < s.n && s.p[at] == '(';) {
            xg_tile_read(s, &at, &t->p[t->n]);
            t->n += t->p[t->n].n > 0;
        }
    }
    if (at + 1 < s.n && s.p[at] == 'L') {
        int64_t v = 0;
        for (at += 2; at < s.n && s.p[at] >= '0' && s.p[at] <= '9'; at++) v = v * 10 + (s.p[at] - '0');
        t->tail = v;
    }
    return t;
}
XG_FN bool xg_layout_has_tiles(const xg_layout *l) {
    return l && l->extras.n && (l->extras.p[0] == 'T' || l->extras.p[0] == 'L');
}

/* ---- walking through the tiles ---- */

XG_FN void xg_tiles_begin(const xg_shape *s, xg_tiled_dims *d) {
    uint32_t k;
    d->n = s->rank;
    for (k = 0; k < s->rank; k++)
        d->size[k] = s->dims[s->layout ? s->layout->minor_to_major[s->rank - 1 - k] : (int32_t)k];
}
/* Dimensions of one element in front, then merged ones: what the tile sees. merged[k]: dimension k of the result is
 * made of so many. */
XG_FN void xg_tile_prepare(const xg_tile *t, xg_tiled_dims *d) {
    uint32_t lead = t->n > d->n ? t->n - d->n : 0, first, k, n;
    memmove(d->size + lead, d->size, d->n * sizeof *d->size);
    for (k = 0; k < lead; k++) d->size[k] = 1;
    d->n += lead;
    d->lead = lead;
    first = d->n - t->n;
    for (k = 0, n = 0; k < d->n; k++) {
        bool merges = k > first && t->dims[k - 1 - first] == XG_TILE_COMBINES;
        if (merges) {
            d->size[n - 1] *= d->size[k];
            d->merged[n - 1]++;
            continue;
        }
        d->size[n] = d->size[k];
        d->merged[n++] = 1;
    }
    d->n = n;
    d->tiled = 0;
    for (k = 0; k < t->n; k++)
        if (t->dims[k] != XG_TILE_COMBINES) d->tile[d->tiled++] = t->dims[k];
}
/* The dimensions once they are split. */
XG_FN void xg_tile_split(xg_tiled_dims *d) {
    uint32_t first = d->n - d->tiled, k;
    for (k = 0; k < d->tiled; k++) {
        d->size[d->n + k] = d->tile[k];
        d->size[first + k] = (d->size[first + k] + d->tile[k] - 1) / d->tile[k];
    }
    d->n += d->tiled;
}

XG_FN int64_t xg_tiled_elements(xg_arena *a, const xg_shape *s) {
    const xg_tiles *t;
    xg_tiled_dims d;
    int64_t n = 1;
    uint32_t k;
    if (!xg_layout_has_tiles(s->layout) || !s->elements) return s->elements;
    t = xg_tiles_of(a, s->layout);
    xg_tiles_begin(s, &d);
    for (k = 0; k < t->n; k++) {
        xg_tile_prepare(&t->p[k], &d);
        xg_tile_split(&d);
    }
    for (k = 0; k < d.n; k++) n *= d.size[k];
    return (n + t->tail - 1) / t->tail * t->tail;
}

XG_FN int64_t xg_tiled_offset(const xg_tiles *t, const xg_shape *s, const int64_t *logical) {
    int64_t at[2 * XG_RANK_MAX], offset = 0;
    xg_tiled_dims d;
    uint32_t i, j, k, from;
    xg_tiles_begin(s, &d);
    for (k = 0; k < s->rank; k++) at[k] = logical[s->layout ? s->layout->minor_to_major[s->rank - 1 - k] : (int32_t)k];
    for (i = 0; i < t->n; i++) {
        xg_tiled_dims was = d;
        xg_tile_prepare(&t->p[i], &d);
        memmove(at + d.lead, at, was.n * sizeof *at);
        memset(at, 0, d.lead * sizeof *at);
        memmove(was.size + d.lead, was.size, was.n * sizeof *was.size);
        for (k = 0; k < d.lead; k++) was.size[k] = 1;
        for (k = 0, from = 0; k < d.n; k++) {
            int64_t v = at[from];
            for (j = 1; j < d.merged[k]; j++) v = v * was.size[from + j] + at[from + j];
            from += d.merged[k];
            at[k] = v;
        }
        for (k = 0; k < d.tiled; k++) {
            at[d.n + k] = at[d.n - d.tiled + k] % d.tile[k];
            at[d.n - d.tiled + k] /= d.tile[k];
        }
        xg_tile_split(&d);
    }
    for (k = 0; k < d.n; k++) offset = offset * d.size[k] + at[k];
    return offset;
}

/* ---- rules ---- */

/* NULL, or what no walk through the tiles may meet: more dimensions than the arrays above hold, sizes beyond 59 bits.
 */
XG_FN const char *xg_tiles_refuse(xg_arena *a, const xg_shape *s) {
    const xg_tiles *t = xg_tiles_of(a, s->layout);
    int64_t elements = XG_MAX(s->elements, 1);
    uint32_t rank = s->rank, k, j;
    bool fits = xg_mul64(elements, t->tail, &elements);
    for (k = 0; k < t->n; k++) {
        const xg_tile *one = &t->p[k];
        if (XG_MAX(rank, one->n) + one->n > XG_RANK_MAX) return "its tiles make more than 64 dimensions";
        rank = XG_MAX(rank, one->n) + one->n;
        for (j = 0; j < one->n; j++)
            if (one->dims[j] != XG_TILE_COMBINES) fits = fits && xg_mul64(elements, one->dims[j], &elements);
        if (one->dims[one->n - 1] == XG_TILE_COMBINES)
            return "the last dimension of a tile has no more minor one to be merged with";
    }
    return fits && elements <= INT64_MAX / 16 ? NULL : "with its tiles the array has more elements than can be counted";
}

#endif /* XG_HLO_TILES_C */
