/* spmd/sharding.c -- meshes, shardings, tiles.
 *
 * How a list of devices becomes axes: along a dimension of the tiling, device numbers of a digit grow by the same step,
 * which is the digit's place value. Dimensions are taken apart from the major digit on; where the whole list is what
 * the axes found say, that is the sharding. Else the tiling gets axes of the right sizes, and a table of devices. */
#ifndef XG_SPMD_SHARDING_C
#define XG_SPMD_SHARDING_C
#include "spmd.h"

/* ---- meshes ---- */

XG_FN void xg_mesh_init(xg_spmd_mesh *mesh, int64_t devices) {
    memset(mesh, 0, sizeof *mesh);
    mesh->devices = devices;
}

/* A cut is a product of the last axes. Until the mesh is finished, `stride` has the cuts in growing order. A cut that
 * does not divide with its neighbours stays out: tilings that need it get a table of devices. */
XG_FN void xg_mesh_add_cut(xg_spmd_mesh *mesh, int64_t cut) {
    uint32_t k, at = 0;
    int64_t before, behind;
    if (cut <= 1 || cut >= mesh->devices || mesh->n == XG_SPMD_AXES_MAX) return;
    while (at < mesh->n && mesh->stride[at] < cut) at++;
    if (at < mesh->n && mesh->stride[at] == cut) return;
    before = at ? mesh->stride[at - 1] : 1;
    behind = at < mesh->n ? mesh->stride[at] : mesh->devices;
    if (cut % before || behind % cut) return;
    for (k = mesh->n++; k > at; k--) mesh->stride[k] = mesh->stride[k - 1];
    mesh->stride[at] = cut;
}

/* Where the steps of the device numbers change along each dimension. */
XG_FN void xg_mesh_cut(xg_spmd_mesh *mesh, const xg_tiling *t) {
    int64_t row = 1;
    uint32_t d;
    if (t->devices != mesh->devices) return;
    for (d = t->n; d-- > 0; row *= t->tiles[d]) {
        int64_t at = 1;
        while (at < t->tiles[d]) { /* one digit of the dimension after the other, from its minor end */
            int64_t step = t->list[at * row] - t->list[0], run = 2;
            if (step <= 0) break;
            while (at * run < t->tiles[d] && t->list[at * run * row] - t->list[0] == step * run) run++;
            if (t->tiles[d] % (at * run)) break;
            xg_mesh_add_cut(mesh, step);
            xg_mesh_add_cut(mesh, step * run);
            at *= run;
        }
    }
}

XG_FN void xg_mesh_finish(xg_spmd_mesh *mesh) {
    int64_t cuts[XG_SPMD_AXES_MAX + 1], left, prime, stride = 1;
    uint32_t n = mesh->n, k, m;
    memcpy(cuts, mesh->stride, n * sizeof *cuts);
    cuts[n] = mesh->devices;
    mesh->n = 0;
    for (k = 0; k <= n; k++)
        for (left = cuts[k] / stride; left > 1; left /= prime) {
            for (prime = 2; left % prime && prime * prime <= left; prime++) {}
            if (left % prime) prime = left;
            mesh->size[mesh->n] = prime;
            mesh->stride[mesh->n++] = stride;
            stride *= prime;
        }
    for (k = 0, m = mesh->n; k + 1 < m; k++) { /* most significant first */
        int64_t swap = mesh->size[k];
        mesh->size[k] = mesh->size[--m];
        mesh->size[m] = swap;
        swap = mesh->stride[k];
        mesh->stride[k] = mesh->stride[m];
        mesh->stride[m] = swap;
    }
}

XG_ONE_COPY XG_FN int64_t xg_mesh_digit(const xg_spmd_mesh *mesh, uint32_t axis, int64_t device) {
    return device / mesh->stride[axis] % mesh->size[axis];
}

/* ---- shardings ---- */

XG_FN xg_sharding *xg_sharding_new(xg_arena *a, uint32_t rank) {
    xg_sharding *s = XG_NEW(a, xg_sharding);
    s->kind = XG_SHARDING_TILED;
    s->rank = rank;
    return s;
}

XG_FN xg_axes_list xg_sharding_axes_of(const xg_sharding *s, uint32_t dim) {
    xg_axes_list l;
    l.n = (uint32_t)s->start[dim + 1] - s->start[dim];
    memcpy(l.p, s->axes + s->start[dim], l.n);
    return l;
}

/* The axes must not be used elsewhere in it. */
XG_FN void xg_sharding_set_axes(xg_sharding *s, uint32_t dim, const xg_axes_list *axes) {
    uint32_t was = (uint32_t)s->start[dim + 1] - s->start[dim], total = s->start[s->rank], d;
    memmove(s->axes + s->start[dim] + axes->n, s->axes + s->start[dim + 1], total - s->start[dim + 1]);
    memcpy(s->axes + s->start[dim], axes->p, axes->n);
    for (d = dim + 1; d <= s->rank; d++) s->start[d] = (uint8_t)(s->start[d] + axes->n - was);
}

XG_FN xg_axis_set xg_sharding_used(const xg_sharding *s) {
    xg_axis_set used = 0;
    uint32_t k;
    for (k = 0; k < s->start[s->rank]; k++) used |= (xg_axis_set)1 << s->axes[k];
    return used;
}

XG_FN int64_t xg_axes_size(const xg_spmd_mesh *mesh, const xg_axes_list *l) {
    int64_t n = 1;
    uint32_t k;
    for (k = 0; k < l->n; k++) n *= mesh->size[l->p[k]];
    return n;
}

XG_FN int64_t xg_sharding_tiles(const xg_spmd_mesh *mesh, const xg_sharding *s, uint32_t dim) {
    xg_axes_list l = xg_sharding_axes_of(s, dim);
    return xg_axes_size(mesh, &l);
}

XG_FN int64_t xg_sharding_all_tiles(const xg_spmd_mesh *mesh, const xg_sharding *s) {
    int64_t n = 1;
    uint32_t d;
    for (d = 0; d < s->rank; d++) n *= xg_sharding_tiles(mesh, s, d);
    return n;
}

XG_FN int64_t xg_sharding_tile(const xg_spmd_mesh *mesh, const xg_sharding *s, uint32_t dim, int64_t device) {
    int64_t at = 0;
    uint32_t k;
    if (s->devices) device = s->devices[device];
    for (k = s->start[dim]; k < s->start[dim + 1]; k++)
        at = at * mesh->size[s->axes[k]] + xg_mesh_digit(mesh, s->axes[k], device);
    return at;
}

XG_ONE_COPY XG_FN int64_t xg_tile_size(int64_t n, int64_t tiles) { return (n + tiles - 1) / tiles; }

XG_FN bool xg_sharding_is_replicated(const xg_sharding *s) {
    return s->kind == XG_SHARDING_TILED && !s->start[s->rank] && !s->manual && !s->unreduced;
}

XG_FN bool xg_sharding_same(const xg_sharding *a, const xg_sharding *b) {
    if (a->kind != b->kind || a->rank != b->rank) return false;
    if (a->kind == XG_SHARDING_MAXIMAL) return a->device == b->device;
    return a->manual == b->manual && a->unreduced == b->unreduced && a->devices == b->devices &&
           memcmp(a->start, b->start, a->rank + 1) == 0 && memcmp(a->axes, b->axes, a->start[a->rank]) == 0;
}

/* ---- from lists of devices ---- */

typedef struct xg_tiling_axes {
    xg_axes_list at[XG_RANK_MAX + 8];
    xg_axis_set used;
} xg_tiling_axes;

/* The device that the axes have at a place of the list. */
XG_FN int64_t xg_tiling_device(const xg_spmd_mesh *mesh, const xg_tiling *t, const xg_tiling_axes *x, int64_t place) {
    int64_t device = 0;
    uint32_t d, k;
    for (d = t->n; d-- > 0; place /= t->tiles[d]) {
        int64_t digit = place % t->tiles[d];
        for (k = x->at[d].n; k-- > 0; digit /= mesh->size[x->at[d].p[k]])
            device += digit % mesh->size[x->at[d].p[k]] * mesh->stride[x->at[d].p[k]];
    }
    return device;
}

/* Takes the next axis of a dimension: one whose place value is `step`, or, of any, the first one that divides. */
XG_FN bool xg_tiling_take(
    const xg_spmd_mesh *mesh, xg_tiling_axes *x, uint32_t d, int64_t *left, const int64_t *list, int64_t row) {
    uint32_t k;
    for (k = 0; k < mesh->n; k++) {
        int64_t size = mesh->size[k];
        if ((x->used >> k & 1) || *left % size) continue;
        if (list && list[row * (*left / size)] - list[0] != mesh->stride[k]) continue;
        x->used |= (xg_axis_set)1 << k;
        x->at[d].p[x->at[d].n++] = (uint8_t)k;
        *left /= size;
        return true;
    }
    return false;
}

/* With the list: the axes that it follows, if it follows any. Without: any axes of the right sizes, which there are. */
XG_FN bool xg_tiling_match(const xg_spmd_mesh *mesh, const xg_tiling *t, const int64_t *list, xg_tiling_axes *x) {
    int64_t row = t->devices, left, k;
    uint32_t d;
    memset(x, 0, sizeof *x);
    for (d = 0; d < t->n; d++) {
        row /= t->tiles[d];
        for (left = t->tiles[d]; left > 1;)
            if (!xg_tiling_take(mesh, x, d, &left, list, row)) return false;
    }
    for (k = 0; list && k < t->devices; k++)
        if (xg_tiling_device(mesh, t, x, k) != list[k]) return false;
    return true;
}

/* Devices of a group that all have the same stand in no order. */
XG_APART XG_FN void xg_tiling_sort_groups(xg_tiling *t) {
    int64_t group = 1, g, k, j;
    if (t->n == t->rank || t->group[t->n - 1] != 'r') return;
    group = t->tiles[t->n - 1];
    for (g = 0; g < t->devices; g += group)
        for (k = 1; k < group; k++) {
            int64_t v = t->list[g + k];
            for (j = k; j > 0 && t->list[g + j - 1] > v; j--) t->list[g + j] = t->list[g + j - 1];
            t->list[g + j] = v;
        }
}

XG_FN xg_sharding *xg_sharding_of_tiling(xg_arena *a, const xg_spmd_mesh *mesh, const xg_tiling *given) {
    xg_tiling t = *given;
    xg_sharding *s = xg_sharding_new(a, t.rank);
    xg_tiling_axes x;
    int64_t *devices, k;
    uint32_t d, j;
    xg_tiling_sort_groups(&t);
    if (!xg_tiling_match(mesh, &t, t.list, &x)) {
        (void)xg_tiling_match(mesh, &t, NULL, &x);
        s->devices = devices = XG_NEW_N(a, int64_t, t.devices);
        for (k = 0; k < t.devices; k++) devices[t.list[k]] = xg_tiling_device(mesh, &t, &x, k);
    }
    for (d = 0; d < t.rank; d++) xg_sharding_set_axes(s, d, &x.at[d]);
    for (d = t.rank; d < t.n; d++)
        for (j = 0; j < x.at[d].n; j++) {
            xg_axis_set bit = (xg_axis_set)1 << x.at[d].p[j];
            s->manual |= t.group[d] == 'm' ? bit : 0;
            s->unreduced |= t.group[d] == 'u' ? bit : 0;
            s->replicated |= t.group[d] == 'R' ? bit : 0;
        }
    return s;
}

#endif /* XG_SPMD_SHARDING_C */
