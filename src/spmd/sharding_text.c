/* spmd/sharding_text.c -- shardings from the annotations of a module, and as text.
 *
 * All forms are read into a tiling: counts of tiles and a list of devices. A named mesh counts by its axes; axes of no
 * dimension are subgroups behind. The texts were checked by the parser of HLO; what is checked here is that they fit
 * the shape and the module. */
#ifndef XG_SPMD_SHARDING_TEXT_C
#define XG_SPMD_SHARDING_TEXT_C
#include "spmd.h"

/* ---- reading ---- */

XG_FN void xg_shread_skip(xg_shread *r) {
    while (r->s.n && (*r->s.p == ' ' || *r->s.p == '\\')) r->s.p++, r->s.n--;
}
XG_FN bool xg_shread_is(xg_shread *r, const char *word) {
    size_t n = strlen(word);
    xg_shread_skip(r);
    return r->s.n >= n && memcmp(r->s.p, word, n) == 0;
}
XG_FN bool xg_shread_take(xg_shread *r, const char *word) {
    if (!xg_shread_is(r, word)) return false;
    r->s.p += strlen(word);
    r->s.n -= (uint32_t)strlen(word);
    return true;
}
XG_FN int64_t xg_shread_int(xg_shread *r) {
    int64_t v = 0;
    xg_shread_skip(r);
    while (r->s.n && *r->s.p >= '0' && *r->s.p <= '9' && v < INT64_MAX / 16) {
        v = v * 10 + (*r->s.p - '0');
        r->s.p++;
        r->s.n--;
    }
    return v;
}
/* "1,2,3" up to the end or another character. */
XG_FN xg_ints xg_shread_ints(xg_shread *r) {
    XG_VEC(int64_t) v = {NULL, 0, 0};
    xg_ints out;
    xg_shread_skip(r);
    while (r->s.n && *r->s.p >= '0' && *r->s.p <= '9') {
        xg_push(r->arena, int64_t, &v, xg_shread_int(r));
        if (!xg_shread_take(r, ",")) break;
        xg_shread_skip(r);
    }
    out.p = v.p;
    out.n = v.n;
    return out;
}
XG_FN xg_str xg_shread_quoted(xg_shread *r) { /* in quotes of either kind, which may be escaped */
    xg_str word;
    xg_shread_skip(r);
    if (r->s.n && (*r->s.p == '\'' || *r->s.p == '"')) r->s.p++, r->s.n--;
    word.p = r->s.p;
    while (r->s.n && *r->s.p != '\'' && *r->s.p != '"' && *r->s.p != '\\') r->s.p++, r->s.n--;
    word.n = (uint32_t)(r->s.p - word.p);
    xg_shread_skip(r);
    if (r->s.n) r->s.p++, r->s.n--;
    return word;
}
XG_NORETURN XG_FN void xg_shread_fail(const xg_shread *r, const char *what, int64_t is, int64_t wants) {
    xg_hlo_wrong(r->inst, "its sharding is for %lld %s, not for %lld", (long long)is, what, (long long)wants);
}

/* The numbers 0, 1, 2 ... in the shape dims, transposed by perm. */
XG_FN void xg_shread_iota(xg_shread *r, xg_tiling *t, xg_ints dims, xg_ints perm) {
    int64_t sizes[64], strides[64], stride[64], s = 1;
    uint32_t k;
    t->devices = 1;
    for (k = 0; k < dims.n; k++) t->devices *= dims.p[k];
    t->list = XG_NEW_N(r->arena, int64_t, t->devices);
    for (k = dims.n; k-- > 0; s *= dims.p[k]) stride[k] = s;
    for (k = 0; k < dims.n; k++) {
        sizes[k] = dims.p[perm.n ? perm.p[k] : k];
        strides[k] = stride[perm.n ? perm.p[k] : k];
    }
    xg_devices_walk(sizes, strides, dims.n, t->devices, t->list);
}
XG_FN void xg_shread_list(xg_shread *r, xg_tiling *t) { /* behind the tile counts */
    xg_ints dims, perm = {NULL, 0};
    if (xg_shread_take(r, "<=[")) {
        dims = xg_shread_ints(r);
        (void)xg_shread_take(r, "]");
        if (xg_shread_take(r, "T(")) {
            perm = xg_shread_ints(r);
            (void)xg_shread_take(r, ")");
        }
        xg_shread_iota(r, t, dims, perm);
        return;
    }
    dims = xg_shread_ints(r);
    t->devices = dims.n;
    t->list = XG_NEW_N(r->arena, int64_t, dims.n);
    memcpy(t->list, dims.p, dims.n * sizeof *t->list);
}
XG_FN void xg_shread_groups(xg_shread *r, xg_tiling *t, uint32_t rank) { /* last_tile_... */
    t->rank = t->n;
    if (xg_shread_take(r, "last_tile_dim_replicate")) {
        if (t->n == 0) xg_shread_fail(r, "dimensions", 0, rank + 1);
        t->group[--t->rank] = 'r';
    } else if (xg_shread_take(r, "last_tile_dims={")) {
        char kinds[8];
        uint32_t n = 0, k;
        while (n < 8 && r->s.n && !xg_shread_take(r, "}")) {
            kinds[n++] = xg_shread_is(r, "manual") ? 'm' : xg_shread_is(r, "unreduced") ? 'u' : 'r';
            while (r->s.n && *r->s.p != ',' && *r->s.p != '}') r->s.p++, r->s.n--;
            (void)xg_shread_take(r, ",");
        }
        if (n > t->n) xg_shread_fail(r, "dimensions", t->n, rank + n);
        t->rank -= n;
        for (k = 0; k < n; k++) t->group[t->rank + k] = kinds[k];
    }
}
/* Each device is there once: the parser has seen that there are as many as places. */
XG_FN void xg_shread_check(const xg_shread *r, const xg_tiling *t, uint32_t rank) {
    unsigned char *seen = XG_NEW_N(r->arena, unsigned char, t->devices);
    int64_t k;
    if (t->rank != rank) xg_shread_fail(r, "dimensions", t->rank, rank);
    if (r->partitions && t->devices != r->partitions) xg_shread_fail(r, "devices", t->devices, r->partitions);
    for (k = 0; k < t->devices; k++) {
        if (t->list[k] >= t->devices || seen[t->list[k]])
            xg_hlo_wrong(r->inst, "its sharding names device %lld %s", (long long)t->list[k],
                t->list[k] >= t->devices ? "of fewer devices" : "twice");
        seen[t->list[k]] = 1;
    }
}

/* ---- named meshes ---- */

XG_FN void xg_shread_mesh(xg_shread *r, xg_named_mesh *m, const char *close) { /* behind "mesh[" */
    memset(m, 0, sizeof *m);
    m->devices = 1;
    while (r->s.n && !xg_shread_take(r, close)) {
        if (m->n == XG_SPMD_AXES_MAX)
            xg_hlo_fail(r->inst, XLAGPU_ERROR_LIMIT, NULL, "its mesh has more than %d axes", (int)XG_SPMD_AXES_MAX);
        m->name[m->n] = xg_shread_quoted(r);
        (void)xg_shread_take(r, "=");
        m->size[m->n] = xg_shread_int(r);
        if (m->size[m->n] < 1 || !xg_mul64(m->devices, m->size[m->n], &m->devices) || m->devices > 1 << 22)
            xg_hlo_fail(r->inst, XLAGPU_ERROR_LIMIT, NULL, "its mesh has too many devices");
        m->n++;
        (void)xg_shread_take(r, ",");
    }
    if (xg_shread_take(r, ", device_ids=(") || xg_shread_take(r, "device_ids=(")) {
        xg_tiling t;
        xg_ints dims, perm = {NULL, 0};
        if (xg_shread_take(r, "[")) {
            dims = xg_shread_ints(r);
            (void)xg_shread_take(r, "]");
            if (xg_shread_take(r, "T(")) {
                perm = xg_shread_ints(r);
                (void)xg_shread_take(r, ")");
            }
            xg_shread_iota(r, &t, dims, perm);
        } else
            xg_shread_list(r, &t);
        if (t.devices != m->devices) xg_shread_fail(r, "devices", t.devices, m->devices);
        m->ids = t.list;
        (void)xg_shread_take(r, ")");
    }
}

XG_FN int64_t xg_named_stride(const xg_named_mesh *m, uint32_t axis) {
    int64_t s = 1;
    uint32_t k;
    for (k = axis + 1; k < m->n; k++) s *= m->size[k];
    return s;
}
/* {'x','y':(1)2,?}: digits of dimension d. The product of their sizes. */
XG_FN int64_t xg_named_axes(xg_shread *r, xg_named_tiling *t, uint32_t d) {
    int64_t tiles = 1;
    t->open = false;
    if (!xg_shread_take(r, "{")) return 1;
    while (r->s.n && !xg_shread_take(r, "}")) {
        xg_str name;
        int64_t pre = 1, size;
        uint32_t k;
        if (xg_shread_take(r, ",")) continue;
        if (xg_shread_take(r, "?")) {
            t->open = true;
            continue;
        }
        name = xg_shread_quoted(r);
        for (k = 0; k < t->mesh->n && !xg_str_eq(t->mesh->name[k], name); k++) {}
        if (k == t->mesh->n || t->n == 64)
            xg_hlo_wrong(r->inst, "its sharding names axis '%.*s', which is not in its mesh", (int)name.n, name.p);
        size = t->mesh->size[k];
        if (xg_shread_take(r, ":(")) {
            pre = xg_shread_int(r);
            (void)xg_shread_take(r, ")");
            size = xg_shread_int(r);
        }
        if (pre < 1 || size < 1 || size > t->mesh->size[k] || t->mesh->size[k] % (pre * size))
            xg_hlo_wrong(r->inst, "its sharding names a part of axis '%.*s' that is none", (int)name.n, name.p);
        t->tile[t->n] = d;
        t->size[t->n] = size;
        t->stride[t->n++] = xg_named_stride(t->mesh, k) * (t->mesh->size[k] / (pre * size));
        tiles *= size;
    }
    if (xg_shread_take(r, "p")) (void)xg_shread_int(r); /* a priority: all have one here */
    return tiles;
}

/* What no dimension and no list took, as a last subgroup: by device number, so that it has an order. */
XG_FN void xg_named_finish(xg_shread *r, const xg_named_tiling *n, xg_tiling *t) {
    int64_t taken = 1, rest, k, at, *offsets, *all;
    unsigned char *seen;
    t->devices = n->mesh->devices;
    for (k = 0; k < n->n; k++) taken *= n->size[k];
    if (taken < 1 || t->devices % taken) xg_hlo_wrong(r->inst, "its sharding uses axes more than once");
    rest = t->devices / taken;
    offsets = XG_NEW_N(r->arena, int64_t, taken);
    all = t->list = XG_NEW_N(r->arena, int64_t, t->devices);
    seen = XG_NEW_N(r->arena, unsigned char, t->devices);
    xg_devices_walk(n->size, n->stride, n->n, taken, offsets);
    for (at = k = 0; k < t->devices && at < rest; k++) {
        int64_t j;
        if (seen[k]) continue;
        for (j = 0; j < taken; j++) {
            if (k + offsets[j] >= t->devices || seen[k + offsets[j]])
                xg_hlo_wrong(r->inst, "its sharding uses parts of axes that overlap");
            seen[k + offsets[j]] = 1;
            all[j * rest + at] = k + offsets[j];
        }
        at++;
    }
    for (k = 0; n->mesh->ids && k < t->devices; k++) all[k] = n->mesh->ids[all[k]];
    if (rest > 1) {
        t->group[t->n] = 'r';
        t->tiles[t->n++] = rest;
    }
}

/* [{axes}, {axes}], replicated={axes}, unreduced=sum{axes}, manual={axes}. The dimensions that are open. */
XG_FN uint64_t xg_shread_named(xg_shread *r, const xg_named_mesh *m, xg_tiling *t, uint32_t rank) {
    XG_TABLE const char *const lists[] = {"replicated=", "unreduced=", "manual="};
    xg_named_tiling n;
    uint64_t open = 0;
    uint32_t k;
    memset(&n, 0, sizeof n);
    n.mesh = m;
    t->n = 0;
    for (k = 0; k < rank; k++) t->tiles[t->n++] = 1;
    t->rank = rank;
    (void)xg_shread_take(r, ",");
    if (xg_shread_take(r, "["))
        for (k = 0; r->s.n && !xg_shread_take(r, "]"); k++) {
            if (k == rank) xg_shread_fail(r, "dimensions", (int64_t)k + 1, rank);
            t->tiles[k] = xg_named_axes(r, &n, k);
            if (n.open) open |= (uint64_t)1 << k;
            (void)xg_shread_take(r, ",");
        }
    while (xg_shread_take(r, ",")) {
        for (k = 0; k < 3 && !xg_shread_take(r, lists[k]); k++) {}
        if (k == 3) break;
        (void)(xg_shread_take(r, "sum") || xg_shread_take(r, "max") || xg_shread_take(r, "min"));
        t->group[t->n] = "Rum"[k];
        t->tiles[t->n] = xg_named_axes(r, &n, t->n);
        t->n++;
    }
    xg_named_finish(r, &n, t);
    return open;
}

/* ---- one sharding ---- */

XG_FN bool xg_shread_word(xg_shread *r, xg_sharding *s, const xg_spmd_mesh *mesh) { /* a kind without devices */
    xg_axis_set all = mesh->n == XG_SPMD_AXES_MAX ? ~(xg_axis_set)0 : ((xg_axis_set)1 << mesh->n) - 1;
    if (xg_shread_take(r, "maximal_mesh[device_id=") || xg_shread_take(r, "maximal device=")) {
        s->kind = XG_SHARDING_MAXIMAL;
        s->device = xg_shread_int(r);
        if (r->partitions && s->device >= r->partitions) xg_shread_fail(r, "devices", s->device + 1, r->partitions);
        return true;
    }
    if (xg_shread_take(r, "replicated")) return true;
    if (xg_shread_take(r, "unknown")) {
        s->kind = XG_SHARDING_UNKNOWN;
        return true;
    }
    if (xg_shread_take(r, "manual"))
        s->manual = all;
    else if (xg_shread_take(r, "unreduced"))
        s->unreduced = all;
    else
        return false;
    return true;
}
/* Behind "{". cut: only the mesh is asked for. */
XG_FN xg_sharding *xg_shread_one(xg_shread *r, xg_spmd_mesh *mesh, uint32_t rank, bool cut) {
    xg_sharding *s = xg_sharding_new(r->arena, rank);
    xg_tiling t;
    uint64_t open = 0;
    if (!xg_shread_word(r, s, mesh)) {
        xg_named_mesh m;
        if (xg_shread_take(r, "mesh[")) {
            xg_shread_mesh(r, &m, "]");
            open = xg_shread_named(r, &m, &t, rank);
        } else {
            xg_ints tiles;
            (void)xg_shread_take(r, "devices=[");
            tiles = xg_shread_ints(r);
            (void)xg_shread_take(r, "]");
            if (tiles.n > XG_RANK_MAX) xg_shread_fail(r, "dimensions", tiles.n, rank);
            t.n = tiles.n;
            memcpy(t.tiles, tiles.p, tiles.n * sizeof *tiles.p);
            xg_shread_list(r, &t);
            xg_shread_groups(r, &t, rank);
        }
        xg_shread_check(r, &t, rank);
        if (cut) {
            if (!mesh->devices) mesh->devices = t.devices;
            xg_mesh_cut(mesh, &t);
        } else
            s = xg_sharding_of_tiling(r->arena, mesh, &t);
        s->open = open;
    }
    if (xg_shread_is(r, "shard_as") || xg_shread_is(r, "shard_like")) {
        s->group_as = xg_shread_take(r, "shard_as");
        if (!s->group_as) (void)xg_shread_take(r, "shard_like");
        s->group = (uint32_t)xg_shread_int(r) + 1;
    }
    while (r->s.n && !xg_shread_is(r, "}")) r->s.p++, r->s.n--; /* metadata */
    (void)xg_shread_take(r, "}");
    return s;
}

/* The leaves of a shape in order, as a stack of tuples would visit them. */
XG_FN void xg_shape_put_leaves(const xg_shape *s, const xg_shape **out, uint32_t *n) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) {
        out[(*n)++] = s;
        return;
    }
    for (k = 0; k < s->n_elems; k++) xg_shape_put_leaves(s->elems[k], out, n);
}
XG_FN const xg_shape **xg_shape_leaf_list(xg_arena *a, const xg_shape *s) {
    const xg_shape **out = XG_NEW_N(a, const xg_shape *, s->leaves + 1);
    uint32_t n = 0;
    xg_shape_put_leaves(s, out, &n);
    return out;
}

XG_FN xg_sharding **xg_shread_inst(xg_arena *a, xg_spmd_mesh *mesh, const xg_inst *i, bool cut) {
    const xg_attr *attr = xg_inst_attr(i, XG_A_sharding);
    int64_t leaves = i->shape->leaves, k;
    const xg_shape **shapes;
    xg_sharding **out;
    xg_shread r;
    bool list;
    if (!attr || i->op == XG_OUTFEED) return NULL; /* that says how what leaves is split: each device sends all */
    r.s = *attr->v.str;
    r.arena = a;
    r.inst = i;
    r.partitions = mesh->devices;
    shapes = xg_shape_leaf_list(a, i->shape);
    out = XG_NEW_N(a, xg_sharding *, leaves + 1);
    (void)xg_shread_take(&r, "{");
    list = xg_shread_is(&r, "{") || (xg_shread_is(&r, "}") && i->shape->type == XLAGPU_TUPLE);
    for (k = 0; k < leaves; k++) {
        xg_shread one = r;
        if (list && (k ? !xg_shread_take(&r, ",") || !xg_shread_take(&r, "{") : !xg_shread_take(&r, "{")))
            xg_shread_fail(&r, "results", k, leaves);
        out[k] = xg_shread_one(list ? &r : &one, mesh, shapes[k]->rank, cut);
    }
    if (list && xg_shread_is(&r, ",")) xg_shread_fail(&r, "results", leaves + 1, leaves);
    return out;
}

/* Of a dimension of no fixed size there are no parts of a size: it is whole everywhere, whatever the text says. */
XG_FN void xg_sharding_keep_whole(xg_sharding *s, const xg_shape *shape) {
    xg_axes_list none;
    uint32_t d;
    none.n = 0;
    for (d = 0; shape->dynamic && d < shape->rank; d++)
        if (shape->dynamic[d] != XG_DIM_STATIC) xg_sharding_set_axes(s, d, &none);
}
XG_FN xg_sharding **xg_sharding_of(xg_arena *a, const xg_spmd_mesh *mesh, const xg_inst *i) {
    xg_spmd_mesh copy = *mesh;
    xg_sharding **out = xg_shread_inst(a, &copy, i, false);
    const xg_shape **shapes;
    int64_t k;
    if (!out || !i->comp->module->has_dynamic) return out;
    shapes = xg_shape_leaf_list(a, i->shape);
    for (k = 0; k < i->shape->leaves; k++)
        if (xg_shape_is_array(shapes[k])) xg_sharding_keep_whole(out[k], shapes[k]);
    return out;
}

/* ---- printing ---- */

/* All axes in the order of the list: those of dimensions, then by subgroup: manual, unreduced, the rest. */
XG_FN uint32_t xg_sharding_sequence(const xg_spmd_mesh *mesh, const xg_sharding *s, uint8_t *order, int64_t groups[3]) {
    xg_axis_set used = xg_sharding_used(s);
    uint32_t n = s->start[s->rank], g, k;
    memcpy(order, s->axes, n);
    for (g = 0; g < 3; g++) {
        xg_axis_set want = g == 0 ? s->manual : g == 1 ? s->unreduced : ~(s->manual | s->unreduced);
        groups[g] = 1;
        for (k = 0; k < mesh->n; k++)
            if ((want & ~used) >> k & 1) {
                order[n++] = (uint8_t)k;
                groups[g] *= mesh->size[k];
            }
    }
    return n;
}

/* <=[2,4]T(1,0): runs of neighbouring axes are one digit. */
XG_FN void xg_sharding_put_iota(xg_buf *b, const xg_spmd_mesh *mesh, const uint8_t *order, uint32_t n) {
    uint32_t first[XG_SPMD_AXES_MAX], runs = 0, k, j, rank[XG_SPMD_AXES_MAX];
    int64_t size[XG_SPMD_AXES_MAX];
    for (k = 0; k < n; k++) {
        if (!k || order[k] != order[k - 1] + 1) {
            first[runs] = order[k];
            size[runs++] = 1;
        }
        size[runs - 1] *= mesh->size[order[k]];
    }
    for (k = 0; k < runs; k++)
        for (j = rank[k] = 0; j < runs; j++) rank[k] += first[j] < first[k];
    xg_puts(b, "<=[");
    for (k = 0; k < runs; k++) /* by place in the mesh */
        for (j = 0; j < runs; j++)
            if (rank[j] == k) xg_printf(b, "%s%lld", k ? "," : "", (long long)size[j]);
    xg_puts(b, "]");
    if (runs < 2) return;
    for (k = 0; k < runs; k++) xg_printf(b, "%s%u", k ? "," : "T(", rank[k]);
    xg_putc(b, ')');
}

XG_FN void xg_sharding_put_list(
    xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s, const uint8_t *order, uint32_t n) {
    int64_t place, device, digit, left, d;
    uint32_t k;
    for (place = 0; place < mesh->devices; place++) {
        for (device = 0, left = place, k = n; k-- > 0; left /= mesh->size[order[k]]) {
            digit = left % mesh->size[order[k]];
            device += digit * mesh->stride[order[k]];
        }
        for (d = 0; s->devices && s->devices[d] != device; d++) {}
        xg_printf(b, "%s%lld", place ? "," : "", (long long)(s->devices ? d : device));
    }
}

XG_FN void xg_sharding_put_tiled(xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s, bool list) {
    XG_TABLE const char *const names[] = {"manual", "unreduced", "replicated"};
    uint8_t order[XG_SPMD_AXES_MAX];
    int64_t groups[3];
    uint32_t n = xg_sharding_sequence(mesh, s, order, groups), d, g, count = 0;
    xg_puts(b, "devices=[");
    for (d = 0; d < s->rank; d++) xg_printf(b, "%s%lld", d ? "," : "", (long long)xg_sharding_tiles(mesh, s, d));
    for (g = 0; g < 3; g++)
        if (groups[g] > 1) xg_printf(b, "%s%lld", s->rank || count++ ? "," : "", (long long)groups[g]);
    xg_putc(b, ']');
    if (list || s->devices)
        xg_sharding_put_list(b, mesh, s, order, n);
    else
        xg_sharding_put_iota(b, mesh, order, n);
    if (groups[0] == 1 && groups[1] == 1) {
        if (groups[2] > 1) xg_puts(b, " last_tile_dim_replicate");
        return;
    }
    for (g = 0, count = 0; g < 3; g++)
        if (groups[g] > 1) xg_printf(b, "%s%s", count++ ? ", " : " last_tile_dims={", names[g]);
    xg_putc(b, '}');
}

XG_FN void xg_sharding_put_set(xg_buf *b, const char *name, xg_axis_set set) {
    uint32_t k, n = 0;
    if (!set) return;
    xg_printf(b, ", %s={", name);
    for (k = 0; k < XG_SPMD_AXES_MAX; k++)
        if (set >> k & 1) xg_printf(b, "%s'a%u'", n++ ? "," : "", k);
    xg_putc(b, '}');
}
XG_FN void xg_sharding_put_named(xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s) {
    uint32_t d, k, n;
    xg_puts(b, "mesh[");
    for (k = 0; k < mesh->n; k++) xg_printf(b, "%s'a%u'=%lld", k ? "," : "", k, (long long)mesh->size[k]);
    xg_puts(b, "], [");
    for (d = 0; d < s->rank; d++) {
        xg_puts(b, d ? ", {" : "{");
        for (n = 0, k = s->start[d]; k < s->start[d + 1]; k++) xg_printf(b, "%s'a%u'", n++ ? "," : "", s->axes[k]);
        if (s->open >> d & 1) xg_puts(b, n ? ",?" : "?");
        xg_putc(b, '}');
    }
    xg_putc(b, ']');
    xg_sharding_put_set(b, "replicated", s->replicated);
    xg_sharding_put_set(b, "unreduced", s->unreduced);
    xg_sharding_put_set(b, "manual", s->manual);
}

XG_FN void xg_sharding_print(xg_buf *b, const xg_spmd_mesh *mesh, const xg_sharding *s, xg_sharding_form form) {
    xg_axis_set all = mesh->n == XG_SPMD_AXES_MAX ? ~(xg_axis_set)0 : ((xg_axis_set)1 << mesh->n) - 1;
    xg_putc(b, '{');
    if (s->kind == XG_SHARDING_UNKNOWN)
        xg_puts(b, "unknown");
    else if (s->kind == XG_SHARDING_MAXIMAL)
        xg_printf(b, "maximal device=%lld", (long long)s->device);
    else if (form == XG_SHARDING_NAMED && !s->devices)
        xg_sharding_put_named(b, mesh, s);
    else if (xg_sharding_is_replicated(s))
        xg_puts(b, "replicated");
    else if (s->manual == all || s->unreduced == all)
        xg_puts(b, s->manual == all ? "manual" : "unreduced");
    else
        xg_sharding_put_tiled(b, mesh, s, form == XG_SHARDING_LIST);
    if (s->group) xg_printf(b, " shard_%s %u", s->group_as ? "as" : "like", s->group - 1);
    xg_putc(b, '}');
}

#endif /* XG_SPMD_SHARDING_TEXT_C */
