/* spmd/halo.c -- halo exchange: along a split dimension, each device gets a range of elements that it names.
 *
 * What a device lacks of its range lies in the tiles of others. Every (receiver, tile) is an edge; edges are coloured,
 * longest first, so that within a colour no device receives or sends twice, and each colour is one collective-permute
 * of the longest edge's size. The pieces and the device's own tile are then put together: by a concatenation where they
 * lie at the same place of every range, else by updates of a buffer. */
#ifndef XG_SPMD_HALO_C
#define XG_SPMD_HALO_C
#include "spmd.h"

typedef struct xg_halo_edge {
    int64_t device, tile, begin, size; /* the receiver; the tile; elements of the whole dimension */
} xg_halo_edge;
typedef struct xg_halo_round { /* a permute */
    int64_t size;
    int64_t *source; /* by receiver: the device that sends; -1: none */
    int64_t *taker;  /* by sender: the device that receives; -1: none */
    int64_t *begin;  /* by receiver: the first element that it needs of it */
    struct xg_halo_round *next;
} xg_halo_round;

/* The device that has a tile, of those that differ from this one in these axes only. */
XG_FN int64_t xg_halo_owner(const xg_spmd_mesh *mesh, const xg_axes_list *axes, int64_t device, int64_t tile) {
    uint32_t k;
    for (k = axes->n; k-- > 0; tile /= mesh->size[axes->p[k]])
        device += (tile % mesh->size[axes->p[k]] - xg_mesh_digit(mesh, axes->p[k], device)) * mesh->stride[axes->p[k]];
    return device;
}
XG_FN int64_t xg_halo_tile(const xg_spmd_mesh *mesh, const xg_axes_list *axes, int64_t device) {
    int64_t at = 0;
    uint32_t k;
    for (k = 0; k < axes->n; k++) at = at * mesh->size[axes->p[k]] + xg_mesh_digit(mesh, axes->p[k], device);
    return at;
}

XG_FN int xg_halo_compare(const void *pa, const void *pb) {
    const xg_halo_edge *a = (const xg_halo_edge *)pa, *b = (const xg_halo_edge *)pb;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}
/* What devices need of tiles that they do not have. */
XG_FN xg_halo_edge *xg_halo_edges(xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo *h, uint32_t *n) {
    XG_VEC(xg_halo_edge) edges = {NULL, 0, 0};
    int64_t d, at, end;
    for (d = 0; d < mesh->devices; d++) {
        int64_t own = xg_halo_tile(mesh, &h->axes, d);
        end = XG_MIN(h->end[d], h->n);
        for (at = XG_MAX(h->begin[d], (int64_t)0); at < end;) {
            xg_halo_edge e;
            e.device = d;
            e.tile = at / h->tile;
            e.begin = at;
            e.size = XG_MIN(end, (e.tile + 1) * h->tile) - at;
            at += e.size;
            if (e.tile != own) xg_push(a, xg_halo_edge, &edges, e);
        }
    }
    if (edges.n) qsort(edges.p, edges.n, sizeof *edges.p, xg_halo_compare);
    *n = edges.n;
    return edges.p;
}
XG_FN xg_halo_round *xg_halo_add_round(xg_arena *a, const xg_spmd_mesh *mesh, int64_t size) {
    xg_halo_round *r = XG_NEW(a, xg_halo_round);
    int64_t d;
    r->size = size;
    r->source = XG_NEW_N(a, int64_t, mesh->devices);
    r->taker = XG_NEW_N(a, int64_t, mesh->devices);
    r->begin = XG_NEW_N(a, int64_t, mesh->devices);
    for (d = 0; d < mesh->devices; d++) r->source[d] = r->taker[d] = -1;
    return r;
}
XG_FN xg_halo_round *xg_halo_rounds(xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo *h) {
    uint32_t n, k;
    const xg_halo_edge *edges = xg_halo_edges(a, mesh, h, &n);
    xg_halo_round *first = NULL, **r;
    for (k = 0; k < n; k++) {
        const xg_halo_edge *e = &edges[k];
        int64_t owner = xg_halo_owner(mesh, &h->axes, e->device, e->tile);
        for (r = &first; *r && ((*r)->source[e->device] >= 0 || (*r)->taker[owner] >= 0); r = &(*r)->next) {}
        if (!*r) *r = xg_halo_add_round(a, mesh, e->size);
        (*r)->source[e->device] = owner;
        (*r)->taker[owner] = e->device;
        (*r)->begin[e->device] = e->begin;
    }
    return first;
}

/* Ranges that reach over many tiles are not worth a permute each: a gather brings them all. */
enum {
    XG_HALO_TILES = 4
};
XG_FN int64_t xg_halo_elements(xg_arena *a, const xg_spmd_mesh *mesh, const xg_halo *h) {
    const xg_halo_round *r;
    int64_t n = 0;
    if (!h->axes.n) return 0;
    if (h->size > XG_HALO_TILES * h->tile) return -1;
    for (r = xg_halo_rounds(a, mesh, h); r; r = r->next) n += r->size;
    return n;
}

/* ---- writing ---- */

XG_FN bool xg_halo_same(const xg_spmd *s, const int64_t *numbers) {
    int64_t d;
    for (d = 1; d < s->mesh.devices && numbers[d] == numbers[0]; d++) {}
    return d == s->mesh.devices;
}
/* size elements of the dimension, from an offset that is the device's own; they lie in x. */
XG_FN xg_inst *xg_halo_slice(xg_spmd *s, xg_inst *x, uint32_t dim, const int64_t *at, int64_t size) {
    xg_inst *starts[XG_RANK_MAX], *zero;
    uint32_t d;
    if (xg_halo_same(s, at)) return xg_hb_slice_dim(&s->b, x, dim, at[0], at[0] + size);
    zero = xg_hb_zero(&s->b, XLAGPU_S32);
    for (d = 0; d < x->shape->rank; d++) starts[d] = zero;
    starts[dim] = xg_hb_convert(&s->b, xg_spmd_by_device(s, at), XLAGPU_S32);
    {
        int64_t sizes[XG_RANK_MAX];
        memcpy(sizes, x->shape->dims, x->shape->rank * sizeof *sizes);
        sizes[dim] = size;
        return xg_hb_dynamic_slice(&s->b, x, starts, sizes);
    }
}
XG_FN xg_inst *xg_spmd_take(xg_spmd *s, xg_inst *x, uint32_t dim, const int64_t *at, int64_t size, xg_inst *value) {
    int64_t low = 0, high = 0, d, *in = XG_NEW_N(s->arena, int64_t, s->mesh.devices);
    for (d = 0; d < s->mesh.devices; d++) {
        low = XG_MAX(low, -at[d]);
        high = XG_MAX(high, at[d] + size - x->shape->dims[dim]);
    }
    for (d = 0; d < s->mesh.devices; d++) in[d] = at[d] + low;
    return xg_halo_slice(s, xg_spmd_pad_sides(s, x, dim, low, high, value), dim, in, size);
}

/* A piece of the ranges: where it lies in each. */
typedef struct xg_halo_piece {
    xg_inst *x;
    int64_t *at; /* by device; XG_HALO_ABSENT */
} xg_halo_piece;
#define XG_HALO_ABSENT INT64_MIN

/* One permute: the senders cut out what is needed, no more than their tiles have. */
XG_FN xg_halo_piece xg_halo_send(xg_spmd *s, xg_inst *x, const xg_halo *h, const xg_halo_round *r) {
    int64_t n = s->mesh.devices, *from = XG_NEW_N(s->arena, int64_t, n), d, any = -1;
    xg_halo_piece p;
    p.at = XG_NEW_N(s->arena, int64_t, n);
    for (d = 0; d < n; d++) {
        int64_t owner = r->source[d], tile;
        p.at[d] = XG_HALO_ABSENT;
        if (owner < 0) continue;
        tile = xg_halo_tile(&s->mesh, &h->axes, owner) * h->tile;
        any = from[owner] = XG_MIN(r->begin[d] - tile, h->tile - r->size);
        p.at[d] = tile + from[owner] - h->begin[d];
    }
    for (d = 0; d < n; d++)
        if (r->taker[d] < 0) from[d] = any;
    p.x = xg_spmd_permute(s, xg_halo_slice(s, x, h->dim, from, r->size), r->source);
    return p;
}

/* The place that a piece has in all ranges that have it. */
XG_FN bool xg_halo_place(const xg_spmd *s, const xg_halo_piece *p, int64_t *at) {
    int64_t d;
    *at = XG_HALO_ABSENT;
    for (d = 0; d < s->mesh.devices; d++) {
        if (p->at[d] == XG_HALO_ABSENT) continue;
        if (*at != XG_HALO_ABSENT && *at != p->at[d]) return false;
        *at = p->at[d];
    }
    return true;
}
/* NULL: some pieces lie elsewhere on other devices, or on one another. */
XG_FN xg_inst *xg_halo_concat(xg_spmd *s, const xg_halo_piece *pieces, uint32_t n, uint32_t dim, int64_t size) {
    int64_t *place = XG_NEW_N(s->arena, int64_t, (size_t)n + 1), end = 0, next;
    xg_inst **in = XG_NEW_N(s->arena, xg_inst *, (size_t)n * 2 + 2), *all;
    uint32_t k, least, parts = 0;
    for (k = 0; k < n; k++)
        if (!xg_halo_place(s, &pieces[k], &place[k])) return NULL;
    for (;;) { /* from left to right, what is missing in between padded */
        xg_inst *x;
        for (k = 0, least = n; k < n; k++)
            if (place[k] != XG_HALO_ABSENT && (least == n || place[k] < place[least])) least = k;
        if (least == n) break;
        next = place[least] + pieces[least].x->shape->dims[dim];
        if (XG_MAX(place[least], (int64_t)0) < end) return NULL;
        x = xg_hb_slice_dim(
            &s->b, pieces[least].x, dim, XG_MAX((int64_t)0, -place[least]), XG_MIN(next, size) - place[least]);
        in[parts++] =
            xg_spmd_pad_sides(s, x, dim, XG_MAX(place[least], (int64_t)0) - end, 0, xg_hb_zero(&s->b, x->shape->type));
        end = XG_MIN(next, size);
        place[least] = XG_HALO_ABSENT;
    }
    if (!parts) return NULL;
    all = parts > 1 ? xg_hb_concat(&s->b, in, parts, dim) : in[0];
    return xg_spmd_pad_sides(s, all, dim, 0, size - end, xg_hb_zero(&s->b, all->shape->type));
}
/* Into a buffer with room on both sides; what a device has no use for goes behind the end. */
XG_FN xg_inst *xg_halo_update(xg_spmd *s, const xg_halo_piece *pieces, uint32_t n, uint32_t dim, int64_t size) {
    int64_t dims[XG_RANK_MAX], room = 0, d, *at;
    xg_inst *buffer, *starts[XG_RANK_MAX], *zero = xg_hb_zero(&s->b, XLAGPU_S32);
    const xg_shape *shape = pieces[0].x->shape;
    uint32_t k;
    for (k = 0; k < n; k++) room = XG_MAX(room, pieces[k].x->shape->dims[dim]);
    for (k = 0; k < shape->rank; k++) {
        dims[k] = shape->dims[k];
        starts[k] = zero;
    }
    dims[dim] = size + 2 * room;
    buffer = xg_hb_splat(&s->b, xg_hb_zero(&s->b, shape->type), dims, shape->rank);
    for (k = 0; k < n; k++) {
        at = XG_NEW_N(s->arena, int64_t, s->mesh.devices);
        for (d = 0; d < s->mesh.devices; d++)
            at[d] = pieces[k].at[d] == XG_HALO_ABSENT ? size + room : pieces[k].at[d] + room;
        starts[dim] = xg_hb_convert(&s->b, xg_spmd_by_device(s, at), XLAGPU_S32);
        buffer = xg_hb_dynamic_update_slice(&s->b, buffer, pieces[k].x, starts);
    }
    return xg_hb_slice_dim(&s->b, buffer, dim, room, room + size);
}

XG_FN xg_inst *xg_spmd_halo(xg_spmd *s, xg_inst *x, const xg_halo *h) {
    int64_t n = s->mesh.devices, d;
    xg_halo_round *rounds = h->axes.n ? xg_halo_rounds(s->arena, &s->mesh, h) : NULL, *r;
    XG_VEC(xg_halo_piece) pieces = {NULL, 0, 0};
    xg_halo_piece own;
    bool needed = false;
    xg_inst *all;
    own.x = x;
    own.at = XG_NEW_N(s->arena, int64_t, n);
    for (d = 0; d < n; d++) own.at[d] = xg_halo_tile(&s->mesh, &h->axes, d) * h->tile - h->begin[d];
    if (!rounds) {
        for (d = 0; d < n; d++) own.at[d] = -own.at[d];
        return xg_spmd_take(s, x, h->dim, own.at, h->size, xg_hb_zero(&s->b, x->shape->type));
    }
    for (d = 0; d < n; d++)
        if (own.at[d] >= h->size || own.at[d] + h->tile <= 0)
            own.at[d] = XG_HALO_ABSENT;
        else
            needed = true;
    if (needed) xg_push(s->arena, xg_halo_piece, &pieces, own);
    for (r = rounds; r; r = r->next) xg_push(s->arena, xg_halo_piece, &pieces, xg_halo_send(s, x, h, r));
    all = xg_halo_concat(s, pieces.p, pieces.n, h->dim, h->size);
    return all ? all : xg_halo_update(s, pieces.p, pieces.n, h->dim, h->size);
}

#endif /* XG_SPMD_HALO_C */
