/* import/proto_devices.c -- OpSharding, meshes and the compact forms of replica groups, as the text that
 * hlo/parse_devices.c reads, checks and brings into its one form. */
#ifndef XG_IMPORT_PROTO_DEVICES_C
#define XG_IMPORT_PROTO_DEVICES_C
#include "proto.h"
#include "proto_metadata.c"
#include "proto_shape.c"

/* "[4,2]T(1,0)" */
XG_FN void xg_proto_put_iota(xg_buf *b, xg_ints dims, xg_ints perm) {
    xg_putc(b, '[');
    xg_proto_put_list(b, dims, NULL);
    xg_putc(b, ']');
    if (perm.n < 2) return;
    xg_puts(b, "T(");
    xg_proto_put_list(b, perm, NULL);
    xg_putc(b, ')');
}

/* ---- meshes ---- */

typedef struct xg_proto_axis {
    xg_str name;
    int64_t size;
} xg_proto_axis;
typedef XG_VEC(xg_proto_axis) xg_proto_axes;

XG_FN void xg_proto_put_axis_name(xg_proto *p, const unsigned char *at, xg_buf *b, xg_str name) {
    uint32_t k;
    for (k = 0; k < name.n; k++)
        if ((unsigned char)name.p[k] < 32 || name.p[k] == '\'' || name.p[k] == '\\')
            xg_proto_fail(p, at, NULL, "the name of an axis has no quotes, backslashes or control characters");
    xg_printf(b, "'%.*s'", (int)name.n, name.p);
}
/* mesh['x'=2,'y'=4], device_ids=(...) */
XG_FN void xg_proto_put_mesh(xg_proto *p, xg_buf *b, xg_proto_bytes m, xg_proto_axes *axes) {
    xg_proto_bytes whole = m, iota;
    xg_proto_field f;
    xg_ints ids = xg_proto_ints_of(p, whole, 2);
    xg_puts(b, "mesh[");
    while (xg_proto_next(p, &m, &f)) {
        xg_proto_axis one;
        xg_proto_field name;
        if (f.number != 1) continue;
        if (axes->n == XG_MESH_AXES_MAX) xg_proto_fail(p, f.at, NULL, "more than %d axes", (int)XG_MESH_AXES_MAX);
        one.name = xg_proto_find(p, xg_proto_message(p, &f), 1, &name) ? xg_proto_str(p, &name) : XG_STR("");
        one.size = xg_proto_int_of(p, f.bytes, 2);
        if (axes->n) xg_putc(b, ',');
        xg_proto_put_axis_name(p, f.at, b, one.name);
        xg_printf(b, "=%lld", (long long)one.size);
        xg_push(p->arena, xg_proto_axis, axes, one);
    }
    xg_putc(b, ']');
    if (xg_proto_find(p, whole, 3, &f)) {
        iota = xg_proto_message(p, &f);
        xg_puts(b, ", device_ids=(");
        xg_proto_put_iota(b, xg_proto_ints_of(p, iota, 1), xg_proto_ints_of(p, iota, 2));
        xg_putc(b, ')');
    } else if (ids.n) {
        xg_puts(b, ", device_ids=(");
        xg_proto_put_list(b, ids, NULL);
        xg_putc(b, ')');
    }
}
/* 'x' or 'x':(2)4 */
XG_FN void xg_proto_put_axis(xg_proto *p, xg_buf *b, const xg_proto_axes *axes, const xg_proto_field *of) {
    xg_proto_bytes m = xg_proto_message(p, of);
    int64_t index = xg_proto_int_of(p, m, 1);
    xg_proto_field f;
    if (index < 0 || index >= axes->n)
        xg_proto_fail(p, of->at, NULL, "axis %lld of a mesh with %u axes", (long long)index, axes->n);
    xg_proto_put_axis_name(p, of->at, b, axes->p[index].name);
    if (!xg_proto_find(p, m, 2, &f)) return;
    m = xg_proto_message(p, &f);
    xg_printf(b, ":(%lld)%lld", (long long)xg_proto_int_of(p, m, 1), (long long)xg_proto_int_of(p, m, 2));
}
/* {'x','y'}: the axes in a repeated field. Returns how many. */
XG_FN uint32_t xg_proto_put_axes(
    xg_proto *p, xg_buf *b, const xg_proto_axes *axes, xg_proto_bytes m, uint32_t number, bool open) {
    xg_proto_field f;
    uint32_t n = 0;
    xg_putc(b, '{');
    while (xg_proto_next(p, &m, &f)) {
        if (f.number != number) continue;
        if (n++) xg_putc(b, ',');
        xg_proto_put_axis(p, b, axes, &f);
    }
    if (open) xg_puts(b, n ? ",?" : "?");
    xg_putc(b, '}');
    return n;
}

/* ---- replica groups ---- */

/* The fields that hold groups: {{0,1},{2,3}} */
XG_FN void xg_proto_put_groups(xg_proto *p, xg_buf *b, uint32_t n, uint32_t end) {
    uint32_t key = n < end ? p->fields.p[n].number : 0;
    bool first = true;
    xg_putc(b, '{');
    for (; n < end; n++) {
        if (p->fields.p[n].number != key) continue;
        xg_puts(b, first ? "{" : ",{");
        first = false;
        xg_proto_put_list(b, xg_proto_ints_of(p, xg_proto_message(p, &p->fields.p[n]), 1), NULL);
        xg_putc(b, '}');
    }
    xg_putc(b, '}');
}
XG_FN void xg_proto_put_iota_groups(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    xg_printf(b, "[%lld,%lld]<=", (long long)xg_proto_int_of(p, m, 1), (long long)xg_proto_int_of(p, m, 2));
    xg_proto_put_iota(b, xg_proto_ints_of(p, m, 3), xg_proto_ints_of(p, m, 4));
}
XG_FN void xg_proto_put_mesh_groups(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    xg_proto_axes axes = {NULL, 0, 0};
    xg_proto_field f;
    if (!xg_proto_find(p, m, 1, &f)) xg_proto_fail(p, m.p, NULL, "replica groups of a mesh without a mesh");
    xg_proto_put_mesh(p, b, xg_proto_message(p, &f), &axes);
    xg_putc(b, ' ');
    xg_proto_put_axes(p, b, &axes, m, 2, false);
}

/* ---- shardings ---- */

enum {
    XG_PROTO_SHARDING_REPLICATED = 0,
    XG_PROTO_SHARDING_MAXIMAL = 1,
    XG_PROTO_SHARDING_TUPLE = 2,
    XG_PROTO_SHARDING_OTHER = 3,
    XG_PROTO_SHARDING_KINDS = 7
};
XG_TABLE const char *const xg_proto_sharding_words[] = {
    "replicated", "maximal", NULL, NULL, "manual", "unknown", "unreduced"};

XG_FN void xg_proto_put_metadatas(xg_proto *p, xg_buf *b, xg_proto_bytes m, uint32_t number, const char *before) {
    xg_proto_bytes all = m;
    xg_proto_field f;
    uint32_t n = 0, k = 0;
    while (xg_proto_next(p, &m, &f)) n += f.number == number;
    if (!n) return;
    xg_printf(b, "%s%s", before, n > 1 ? "metadata={" : "metadata=");
    while (xg_proto_next(p, &all, &f)) {
        xg_metadata none;
        if (f.number != number) continue;
        xg_puts(b, k++ ? ", {" : "{");
        xg_put_str(b, xg_proto_metadata_text(p, xg_proto_message(p, &f), &none));
        xg_putc(b, '}');
    }
    if (n > 1) xg_putc(b, '}');
}
XG_FN void xg_proto_put_named(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    static const struct {
        uint32_t number;
        const char *word;
    } lists[] = {{4, "replicated"}, {5, "unreduced"}, {7, "manual"}};
    xg_proto_axes axes = {NULL, 0, 0};
    xg_proto_bytes dims = m;
    xg_proto_field f, dim;
    uint32_t k;
    bool first = true;
    if (!xg_proto_find(p, m, 2, &f)) xg_proto_fail(p, m.p, NULL, "a named sharding without a mesh");
    xg_proto_put_mesh(p, b, xg_proto_message(p, &f), &axes);
    xg_puts(b, ", [");
    for (; xg_proto_next(p, &dims, &dim);) {
        if (dim.number != 3) continue;
        if (!first) xg_puts(b, ", ");
        first = false;
        xg_proto_message(p, &dim);
        xg_proto_put_axes(p, b, &axes, dim.bytes, 1, !xg_proto_int_of(p, dim.bytes, 2));
    }
    xg_putc(b, ']');
    for (k = 0; k < XG_COUNT(lists); k++) {
        if (!xg_proto_find(p, m, lists[k].number, &f)) continue;
        xg_printf(b, ", %s=", lists[k].word);
        xg_proto_put_axes(p, b, &axes, m, lists[k].number, false);
    }
    xg_proto_put_metadatas(p, b, m, 6, ", ");
}
XG_FN void xg_proto_put_tiling(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    xg_ints iota = xg_proto_ints_of(p, m, 9), last = xg_proto_ints_of(p, m, 8);
    uint32_t k;
    xg_puts(b, "devices=[");
    xg_proto_put_list(b, xg_proto_ints_of(p, m, 3), NULL);
    xg_putc(b, ']');
    if (iota.n) {
        xg_puts(b, "<=");
        xg_proto_put_iota(b, iota, xg_proto_ints_of(p, m, 10));
    } else
        xg_proto_put_list(b, xg_proto_ints_of(p, m, 4), NULL);
    if (xg_proto_int_of(p, m, 6)) xg_puts(b, " last_tile_dim_replicate");
    if (last.n) xg_puts(b, " last_tile_dims={");
    for (k = 0; k < last.n; k++) {
        bool known = last.p[k] >= 0 && last.p[k] < XG_PROTO_SHARDING_KINDS && xg_proto_sharding_words[last.p[k]];
        if (!known)
            xg_proto_fail(p, m.p, NULL, "a tiling whose last dimensions are of kind %lld", (long long)last.p[k]);
        xg_printf(b, k ? ", %s" : "%s", xg_proto_sharding_words[last.p[k]]);
    }
    if (last.n) xg_putc(b, '}');
}
XG_FN void xg_proto_put_sharding_kind(xg_proto *p, xg_buf *b, xg_proto_bytes m, int64_t kind) {
    xg_ints devices;
    if (kind == XG_PROTO_SHARDING_OTHER) {
        xg_proto_put_tiling(p, b, m);
        return;
    }
    xg_puts(b, xg_proto_sharding_words[kind]);
    if (kind != XG_PROTO_SHARDING_MAXIMAL) return;
    devices = xg_proto_ints_of(p, m, 4);
    if (devices.n != 1) xg_proto_fail(p, m.p, NULL, "a maximal sharding on %u devices", devices.n);
    xg_printf(b, " device=%lld", (long long)devices.p[0]);
}
XG_FN void xg_proto_put_sharding(xg_proto *p, xg_buf *b, xg_proto_bytes m) {
    int64_t kind = xg_proto_int_of(p, m, 1);
    xg_proto_bytes rest = m;
    xg_proto_field f;
    bool first = true;
    xg_proto_enter(p, m.p);
    if (kind < 0 || kind >= XG_PROTO_SHARDING_KINDS)
        xg_proto_fail(p, m.p, NULL, "a sharding of kind %lld is not known", (long long)kind);
    xg_putc(b, '{');
    if (xg_proto_find(p, m, 14, &f))
        xg_proto_put_named(p, b, xg_proto_message(p, &f));
    else if (kind == XG_PROTO_SHARDING_TUPLE)
        while (xg_proto_next(p, &rest, &f)) {
            if (f.number != 5) continue;
            if (!first) xg_puts(b, ", ");
            first = false;
            xg_proto_put_sharding(p, b, xg_proto_message(p, &f));
        }
    else {
        xg_proto_put_sharding_kind(p, b, m, kind);
        if (xg_proto_int_of(p, m, 11))
            xg_printf(
                b, " shard_%s %lld", xg_proto_int_of(p, m, 13) ? "like" : "as", (long long)xg_proto_int_of(p, m, 12));
        xg_proto_put_metadatas(p, b, m, 7, " ");
    }
    xg_putc(b, '}');
    p->depth--;
}

#endif /* XG_IMPORT_PROTO_DEVICES_C */
