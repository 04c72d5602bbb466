/* hlo/parse_devices.c -- what instructions say about devices: replica groups, meshes, shardings.
 *
 * Idea: replica groups are used (collectives), so every form becomes explicit lists, and the form as written is kept
 * beside them to be printed. Shardings are carried, never used on one device: they are checked part by part and
 * rewritten in one form of text.
 *
 * The compact forms. Iota: [groups,size]<=[reshape]T(perm) counts 0,1,2... in the shape `reshape`, transposes it by
 * `perm` and reads it in order. Mesh: mesh['x'=2,'y'=4] names the digits of a mixed-radix device number; the axes {'y'}
 * of a group are those digits that vary inside it. 'y':(2)2 is a part of an axis: 2 is its size, (2) the product of
 * what is left of it. device_ids=(...) says which device stands at each place of the mesh. */
#ifndef XG_HLO_PARSE_DEVICES_C
#define XG_HLO_PARSE_DEVICES_C
#include "text.h"

/* The product of dims, each at least 1; fails when there are more ids than may be expanded. */
XG_FN int64_t xg_devices_count(xg_parse *p, size_t at, xg_ints dims) {
    int64_t product = 1;
    uint32_t k;
    for (k = 0; k < dims.n; k++) {
        if (dims.p[k] < 1)
            xg_lex_wrong_at(&p->lex, at, "a count of devices must be at least 1, not %lld", (long long)dims.p[k]);
        if (!xg_mul64(product, dims.p[k], &product) || product > XG_GROUP_IDS_MAX)
            xg_fail_at(
                p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, at, NULL, "more than %d devices", (int)XG_GROUP_IDS_MAX);
    }
    return product;
}
XG_FN void xg_devices_put_ints(xg_buf *b, xg_ints v) {
    uint32_t k;
    for (k = 0; k < v.n; k++) {
        if (k) xg_putc(b, ',');
        xg_put_i64(b, v.p[k]);
    }
}

/* "[2,2]T(1,0)" behind "<=" or in device_ids: dims and the permutation of them. */
typedef struct xg_iota {
    xg_ints dims, perm;
    int64_t count;
} xg_iota;

XG_FN xg_iota xg_parse_iota(xg_parse *p, xg_buf *b) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
    xg_iota v;
    uint64_t seen = 0;
    uint32_t k;
    memset(&v, 0, sizeof v);
    v.dims = xg_parse_ints(p, '[', ']', "a count of devices");
    if (!v.dims.n || v.dims.n > 63)
        xg_lex_wrong_at(x, at, "between 1 and 63 dimensions are expected, but got %u", v.dims.n);
    v.count = xg_devices_count(p, at, v.dims);
    xg_putc(b, '[');
    xg_devices_put_ints(b, v.dims);
    xg_putc(b, ']');
    if (!xg_lex_is(x, "T")) return v;
    xg_lex_next(x);
    at = xg_lex_offset(x);
    v.perm = xg_parse_ints(p, '(', ')', "a dimension");
    for (k = 0; k < v.perm.n; k++)
        if (v.perm.p[k] >= 0 && v.perm.p[k] < v.dims.n) seen |= UINT64_C(1) << v.perm.p[k];
    if (v.perm.n != v.dims.n || seen != (UINT64_C(1) << v.dims.n) - 1)
        xg_lex_wrong_at(x, at, "expected each of the %u dimensions once", v.dims.n);
    xg_puts(b, "T(");
    xg_devices_put_ints(b, v.perm);
    xg_putc(b, ')');
    return v;
}
/* Walks a mixed-radix counter: sizes and strides from the slowest digit to the fastest; writes count ids. */
XG_FN void xg_devices_walk(const int64_t *sizes, const int64_t *strides, uint32_t n, int64_t count, int64_t *out) {
    int64_t digit[64], at = 0, k;
    uint32_t d;
    memset(digit, 0, sizeof digit);
    for (k = 0; k < count; k++) {
        out[k] = at;
        for (d = n; d-- > 0;) {
            at += strides[d];
            if (++digit[d] < sizes[d]) break;
            at -= strides[d] * sizes[d];
            digit[d] = 0;
        }
    }
}
XG_FN void xg_devices_strides(xg_ints dims, int64_t *strides) {
    int64_t stride = 1;
    uint32_t k;
    for (k = dims.n; k-- > 0; stride *= dims.p[k]) strides[k] = stride;
}
XG_FN int64_t *xg_devices_expand(xg_parse *p, const xg_iota *v) {
    int64_t plain[64], sizes[64], strides[64], *out = XG_NEW_N(p->arena, int64_t, v->count);
    uint32_t k;
    xg_devices_strides(v->dims, plain);
    for (k = 0; k < v->dims.n; k++) {
        int64_t d = v->perm.n ? v->perm.p[k] : k;
        sizes[k] = v->dims.p[d];
        strides[k] = plain[d];
    }
    xg_devices_walk(sizes, strides, v->dims.n, v->count, out);
    return out;
}

/* ---- meshes ---- */

typedef struct xg_mesh {
    uint32_t n;
    xg_str names[XG_MESH_AXES_MAX];
    int64_t sizes[XG_MESH_AXES_MAX], count;
    const int64_t *ids; /* explicit device_ids, */
    xg_iota iota;       /* or compact ones (dims.n > 0); neither: 0, 1, 2 ... */
} xg_mesh;
typedef struct xg_axis {
    uint32_t axis;
    int64_t pre, size;
} xg_axis; /* a whole axis: pre 1 and the axis's size */

XG_FN xg_str xg_parse_axis_name(xg_parse *p, xg_buf *b) {
    size_t at = xg_lex_offset(&p->lex);
    xg_str name = xg_lex_string(&p->lex, p->arena, "the name of an axis");
    uint32_t k;
    for (k = 0; k < name.n; k++)
        if ((unsigned char)name.p[k] < 32 || name.p[k] == '\'' || name.p[k] == '\\')
            xg_lex_wrong_at(&p->lex, at, "the name of an axis has no quotes, backslashes or control characters");
    xg_printf(b, "'%.*s'", (int)name.n, name.p);
    return name;
}
/* device_ids=(1,0,3,2) or device_ids=([2,2]T(1,0)) */
/* an iota is kept as it is: shardings never expand it */
XG_FN void xg_parse_device_ids(xg_parse *p, xg_mesh *m, xg_buf *b) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
    int64_t n;
    uint32_t base = p->ints.n, k;
    if (m->ids || m->iota.dims.n) xg_lex_fail(x, XG_HINT_ONCE, "device_ids are given twice");
    xg_lex_next(x);
    xg_lex_expect(x, '=', "'='");
    xg_lex_expect(x, '(', "'('");
    xg_puts(b, ", device_ids=(");
    if (x->kind == '[') {
        m->iota = xg_parse_iota(p, b);
        n = m->iota.count;
    } else {
        xg_ints ids;
        uint8_t *seen;
        do {
            int64_t id = xg_lex_int(x, "a device");
            xg_push(p->arena, int64_t, &p->ints, id);
        } while (xg_lex_take(x, ','));
        ids = xg_parse_take_ints(p, base);
        xg_devices_put_ints(b, ids);
        n = ids.n;
        m->ids = ids.p;
        seen = (uint8_t *)xg_alloc(p->arena, ids.n);
        for (k = 0; k < ids.n; k++) {
            if (ids.p[k] < 0 || ids.p[k] >= n || seen[ids.p[k]])
                xg_lex_wrong_at(x, at, "device_ids must name each device from 0 to %lld once", (long long)(n - 1));
            seen[ids.p[k]] = 1;
        }
    }
    if (n != m->count)
        xg_lex_wrong_at(x, at, "the mesh has %lld devices, device_ids has %lld", (long long)m->count, (long long)n);
    xg_lex_expect(x, ')', "',' or ')'");
    xg_putc(b, ')');
}
/* mesh['x'=2,'y'=4] and device_ids inside the bracket or behind it. The word mesh is the current token. */
XG_FN void xg_parse_mesh(xg_parse *p, xg_mesh *m, xg_buf *b) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x), ids_at = 0, axis_at;
    xg_ints sizes;
    uint32_t k;
    memset(m, 0, sizeof *m);
    xg_lex_next(x);
    xg_lex_expect(x, '[', "'[' and the axes of the mesh");
    xg_puts(b, "mesh[");
    while (x->kind != ']') {
        if (m->n) xg_lex_expect(x, ',', "',' or ']'");
        if (xg_lex_is(x, "device_ids")) { /* read when the count is known */
            ids_at = xg_lex_offset(x);
            xg_lex_next(x);
            xg_lex_expect(x, '=', "'='");
            if (x->kind != '(') xg_lex_fail(x, NULL, "expected '(' and the devices, found %s", xg_lex_found(x));
            xg_lex_balanced(x);
            break;
        }
        if (m->n == XG_MESH_AXES_MAX) xg_lex_fail(x, NULL, "more than %d axes", (int)XG_MESH_AXES_MAX);
        if (m->n) xg_putc(b, ',');
        axis_at = xg_lex_offset(x);
        m->names[m->n] = xg_parse_axis_name(p, b);
        for (k = 0; k < m->n; k++)
            if (xg_str_eq(m->names[k], m->names[m->n]))
                xg_lex_wrong_at(x, axis_at, "the mesh has two axes '%.*s'", (int)m->names[k].n, m->names[k].p);
        xg_lex_expect(x, '=', "'=' and the size of the axis");
        xg_putc(b, '=');
        m->sizes[m->n] = xg_lex_int(x, "the size of the axis");
        xg_put_i64(b, m->sizes[m->n++]);
    }
    xg_lex_expect(x, ']', "']'");
    xg_putc(b, ']');
    sizes.p = m->sizes;
    sizes.n = m->n;
    m->count = xg_devices_count(p, at, sizes);
    if (ids_at) {
        size_t behind = xg_lex_offset(x);
        xg_lex_restart(x, ids_at);
        xg_parse_device_ids(p, m, b);
        xg_lex_restart(x, behind);
    }
    if (x->kind == ',' && xg_lex_peek(x) == 'd' && x->end - x->at > 10 && memcmp(x->at, "device_ids", 10) == 0) {
        xg_lex_next(x);
        xg_parse_device_ids(p, m, b);
    }
}
/* Axes that are used; those of another list, or the same digits again, must not be. */
typedef struct xg_axes {
    xg_axis p[XG_MESH_AXES_MAX];
    uint32_t n;
} xg_axes;
XG_FN void xg_axes_add(xg_parse *p, const xg_mesh *m, size_t at, xg_axes *v, xg_axis a) {
    uint32_t k;
    for (k = 0; k < v->n; k++)
        if (v->p[k].axis == a.axis && v->p[k].pre < a.pre * a.size && a.pre < v->p[k].pre * v->p[k].size)
            xg_lex_fail_at(&p->lex, at, XG_HINT_ONCE, "the axis '%.*s' is there twice", (int)m->names[a.axis].n,
                m->names[a.axis].p);
    if (v->n == XG_MESH_AXES_MAX) xg_lex_wrong_at(&p->lex, at, "more than %d axes", (int)XG_MESH_AXES_MAX);
    v->p[v->n++] = a;
}
/* 'x' or 'x':(2)4 */
XG_FN xg_axis xg_parse_axis(xg_parse *p, const xg_mesh *m, xg_buf *b) {
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
    xg_str name = xg_parse_axis_name(p, b);
    xg_axis a;
    for (a.axis = 0; a.axis < m->n && !xg_str_eq(m->names[a.axis], name); a.axis++) {}
    if (a.axis == m->n) xg_lex_wrong_at(x, at, "the mesh has no axis '%.*s'", (int)name.n, name.p);
    a.pre = 1;
    a.size = m->sizes[a.axis];
    if (!xg_lex_take(x, ':')) return a;
    xg_lex_expect(x, '(', "'(' and the product of what is left of the part");
    a.pre = xg_lex_int(x, "a size");
    xg_lex_expect(x, ')', "')'");
    a.size = xg_lex_int(x, "the size of the part");
    if (a.pre < 1 || a.size < 2 || a.pre > m->sizes[a.axis] || a.size > m->sizes[a.axis] ||
        m->sizes[a.axis] % (a.pre * a.size) != 0)
        xg_lex_fail_at(x, at, a.size == 1 ? "a part of one device groups nothing: leave it out" : NULL,
            "(%lld)%lld is no part of an axis of size %lld", (long long)a.pre, (long long)a.size,
            (long long)m->sizes[a.axis]);
    xg_printf(b, ":(%lld)%lld", (long long)a.pre, (long long)a.size);
    return a;
}

/* ---- replica groups ---- */

/* Cuts the ids into lists and remembers the groups under their text: a form that is written again is not expanded
 * again. */
XG_FN const xg_groups *xg_groups_cut(xg_parse *p, const xg_buf *b, const int64_t *ids, int64_t groups, int64_t size) {
    xg_groups *g = XG_NEW(p->arena, xg_groups);
    xg_ints *lists = XG_NEW_N(p->arena, xg_ints, groups);
    int64_t k;
    for (k = 0; k < groups; k++) {
        lists[k].p = ids + k * size;
        lists[k].n = (uint32_t)size;
    }
    g->p = lists;
    g->n = (uint32_t)groups;
    g->text = xg_intern(&p->m->pool, xg_str_of(b->p, b->n));
    xg_dict_put(&p->groups, g->text, g);
    return g;
}
XG_FN const xg_groups *xg_groups_known(xg_parse *p, size_t at, const xg_buf *b, int64_t count) {
    const xg_groups *g = (const xg_groups *)xg_dict_get(&p->groups, xg_str_of(b->p, b->n));
    if (g) return g;
    p->group_ids += count;
    if (p->group_ids > XG_GROUP_IDS_MAX)
        xg_fail_at(p->lex.ctx, XLAGPU_ERROR_LIMIT, p->lex.src, at, NULL,
            "the replica groups of the module have more than %d members", (int)XG_GROUP_IDS_MAX);
    return NULL;
}
XG_FN const xg_groups *xg_groups_explicit(xg_parse *p, xg_buf *b) { /* {{0,1},{2,3}} */
    xg_groups *g = XG_NEW(p->arena, xg_groups);
    XG_VEC(xg_ints) list = {NULL, 0, 0};
    xg_lex_next(&p->lex);
    xg_putc(b, '{');
    while (p->lex.kind != '}') {
        xg_ints v;
        if (list.n) {
            xg_lex_expect(&p->lex, ',', "',' or '}'");
            xg_putc(b, ',');
        }
        v = xg_parse_ints(p, '{', '}', "a replica");
        xg_push(p->arena, xg_ints, &list, v);
        xg_putc(b, '{');
        xg_devices_put_ints(b, v);
        xg_putc(b, '}');
    }
    xg_lex_next(&p->lex);
    xg_putc(b, '}');
    g->p = list.p;
    g->n = list.n;
    g->text = xg_str_of(b->p, b->n);
    return g;
}
XG_FN const xg_groups *xg_groups_iota(xg_parse *p, xg_buf *b) { /* [2,4]<=[4,2]T(1,0) */
    size_t at = xg_lex_offset(&p->lex);
    xg_ints tile = xg_parse_ints(p, '[', ']', "a count of devices");
    const xg_groups *known;
    xg_iota v;
    if (tile.n != 2) xg_lex_wrong_at(&p->lex, at, "expected two numbers, [groups,size], but got %u", tile.n);
    xg_putc(b, '[');
    xg_devices_put_ints(b, tile);
    xg_puts(b, "]<=");
    xg_lex_expect(&p->lex, XG_TOK_LE, "'<='");
    v = xg_parse_iota(p, b);
    if (xg_devices_count(p, at, tile) != v.count)
        xg_lex_wrong_at(&p->lex, at, "[%lld,%lld] does not hold the %lld devices on the right", (long long)tile.p[0],
            (long long)tile.p[1], (long long)v.count);
    known = xg_groups_known(p, at, b, v.count);
    return known ? known : xg_groups_cut(p, b, xg_devices_expand(p, &v), tile.p[0], tile.p[1]);
}

/* The axes of a group: {'y','x':(1)2}. */
XG_FN void xg_groups_axes(xg_parse *p, const xg_mesh *m, xg_axes *axes, xg_buf *b) {
    xg_lex *x = &p->lex;
    axes->n = 0;
    xg_lex_expect(x, '{', "'{' and the axes of a group");
    xg_puts(b, " {");
    while (x->kind != '}') {
        size_t at;
        if (axes->n) {
            xg_lex_expect(x, ',', "',' or '}'");
            xg_putc(b, ',');
        }
        at = xg_lex_offset(x);
        xg_axes_add(p, m, at, axes, xg_parse_axis(p, m, b));
    }
    xg_lex_next(x);
    xg_putc(b, '}');
}
/* A device number is a row of digits, one for each part of each axis. Those of the group's axes run fastest, in their
 * order; the others choose the group. Parts of size one are no digits. */
typedef struct xg_digits_of {
    int64_t sizes[64], strides[64];
    uint32_t n;
} xg_digits_of;
XG_FN void xg_groups_digit(xg_parse *p, size_t at, xg_digits_of *d, int64_t size, int64_t stride) {
    if (size == 1) return;
    if (d->n == 64) xg_lex_wrong_at(&p->lex, at, "the mesh has more than 64 parts of axes");
    d->sizes[d->n] = size;
    d->strides[d->n++] = stride;
}
/* What the group leaves of axis a: the gaps between its parts. */
XG_FN void xg_groups_rest(xg_parse *p, size_t at, xg_digits_of *d, const xg_mesh *m, uint32_t a, int64_t stride,
    const xg_axis *axes, uint32_t n) {
    int64_t pre = 1, next;
    uint32_t c, steps;
    for (steps = 0; pre < m->sizes[a] && steps <= 2 * n; steps++) {
        for (c = 0; c < n && !(axes[c].axis == a && axes[c].pre == pre); c++) {}
        if (c < n) {
            pre *= axes[c].size;
            continue;
        }
        next = m->sizes[a];
        for (c = 0; c < n; c++)
            if (axes[c].axis == a && axes[c].pre > pre) next = XG_MIN(next, axes[c].pre);
        if (next % pre != 0)
            xg_lex_wrong_at(
                &p->lex, at, "the parts of the axis '%.*s' do not fit together", (int)m->names[a].n, m->names[a].p);
        xg_groups_digit(p, at, d, next / pre, stride * (m->sizes[a] / next));
        pre = next;
    }
}
XG_FN const xg_groups *xg_groups_mesh(xg_parse *p, xg_buf *b) { /* mesh['x'=2,'y'=4] {'y'} */
    xg_mesh m;
    xg_axes axes;
    xg_digits_of d;
    int64_t stride[XG_MESH_AXES_MAX], size = 1, *ids, k;
    const int64_t *device;
    const xg_groups *known;
    uint32_t c;
    size_t at = xg_lex_offset(&p->lex);
    xg_ints dims;
    xg_parse_mesh(p, &m, b);
    xg_groups_axes(p, &m, &axes, b);
    known = xg_groups_known(p, at, b, m.count);
    if (known) return known;
    dims.p = m.sizes;
    dims.n = m.n;
    d.n = 0;
    xg_devices_strides(dims, stride);
    for (c = 0; c < m.n; c++) xg_groups_rest(p, at, &d, &m, c, stride[c], axes.p, axes.n);
    for (c = 0; c < axes.n; c++) {
        const xg_axis *a = &axes.p[c];
        xg_groups_digit(p, at, &d, a->size, stride[a->axis] * (m.sizes[a->axis] / (a->pre * a->size)));
        size *= a->size;
    }
    ids = XG_NEW_N(p->arena, int64_t, m.count);
    xg_devices_walk(d.sizes, d.strides, d.n, m.count, ids);
    device = m.iota.dims.n ? xg_devices_expand(p, &m.iota) : m.ids;
    for (k = 0; device && k < m.count; k++) ids[k] = device[ids[k]];
    return xg_groups_cut(p, b, ids, m.count / size, size);
}
XG_FN const xg_groups *xg_parse_groups(xg_parse *p) {
    xg_buf b;
    xg_buf_init(&b, p->arena);
    if (p->lex.kind == '{') return xg_groups_explicit(p, &b);
    if (p->lex.kind == '[') return xg_groups_iota(p, &b);
    if (!xg_lex_is(&p->lex, "mesh"))
        xg_lex_fail(&p->lex, NULL, "expected replica groups: {{0,1},{2,3}}, [2,2]<=[4] or mesh['x'=2]{'x'}; found %s",
            xg_lex_found(&p->lex));
    return xg_groups_mesh(p, &b);
}

/* ---- shardings ---- */

XG_FN void xg_sharding_devices(xg_parse *p, xg_buf *b) { /* [2,2]0,1,2,3 or [2,2]<=[4]T(..) */
    xg_lex *x = &p->lex;
    size_t at = xg_lex_offset(x);
    xg_ints tile = xg_parse_ints(p, '[', ']', "a count of devices");
    int64_t want = xg_devices_count(p, at, tile), n = 0;
    if (!tile.n) xg_lex_wrong_at(x, at, "devices needs the dimensions of the tiling");
    xg_puts(b, "devices=[");
    xg_devices_put_ints(b, tile);
    xg_putc(b, ']');
    if (xg_lex_take(x, XG_TOK_LE)) {
        xg_puts(b, "<=");
        n = xg_parse_iota(p, b).count;
    } else {
        do {
            if (n++) xg_putc(b, ',');
            xg_put_i64(b, xg_lex_int(x, "a device"));
        } while (xg_lex_take(x, ','));
        if (n == 1 && want == 1)
            xg_lex_fail_at(x, at, "write {replicated}, or {maximal device=N}", "a tiling has more than one device");
    }
    if (n != want)
        xg_lex_wrong_at(x, at, "the tiling has %lld places, but %lld devices are given", (long long)want, (long long)n);
}
XG_FN void xg_sharding_axes(xg_parse *p, const xg_mesh *m, xg_axes *used, xg_buf *b) { /* {'x','y':(1)2,?} */
    bool first = true;
    size_t at;
    xg_lex_expect(&p->lex, '{', "'{' and axes");
    xg_putc(b, '{');
    while (p->lex.kind != '}') {
        if (!first) {
            xg_lex_expect(&p->lex, ',', "',' or '}'");
            xg_puts(b, ", ");
        }
        first = false;
        if (xg_lex_take(&p->lex, '?')) {
            xg_putc(b, '?');
            break;
        }
        at = xg_lex_offset(&p->lex);
        xg_axes_add(p, m, at, used, xg_parse_axis(p, m, b));
    }
    xg_lex_expect(&p->lex, '}', "'}'");
    xg_putc(b, '}');
}
XG_FN void xg_sharding_named(xg_parse *p, xg_buf *b) { /* mesh[...], [{'x'}, {?}], replicated={'y'} */
    XG_TABLE const char *const lists[] = {"replicated", "unreduced", "manual"};
    xg_lex *x = &p->lex;
    xg_mesh m;
    xg_axes used;
    uint32_t seen = 0, k;
    bool first = true;
    used.n = 0;
    xg_parse_mesh(p, &m, b);
    while (xg_lex_take(x, ',') || (!seen && x->kind != '}')) { /* no comma is needed behind the mesh */
        xg_puts(b, ", ");
        if (x->kind == '[') {
            if (seen & 16) xg_lex_fail(x, XG_HINT_ONCE, "the shardings of the dimensions are given twice");
            seen |= 16;
            xg_lex_next(x);
            xg_putc(b, '[');
            while (x->kind != ']') {
                if (!first) {
                    xg_lex_expect(x, ',', "',' or ']'");
                    xg_puts(b, ", ");
                }
                first = false;
                xg_sharding_axes(p, &m, &used, b);
            }
            xg_lex_next(x);
            xg_putc(b, ']');
            continue;
        }
        for (k = 0; k < XG_COUNT(lists) && !xg_lex_is(x, lists[k]); k++) {}
        if (k == XG_COUNT(lists) && !xg_lex_is(x, "metadata"))
            xg_lex_fail(x,
                "after the mesh: [dimension shardings], replicated={axes}, unreduced={axes}, manual={axes}, "
                "metadata={...}",
                "expected a part of the sharding, found %s", xg_lex_found(x));
        if ((seen >> k) & 1) xg_lex_fail(x, XG_HINT_ONCE, "%s is given twice", xg_lex_found(x));
        seen |= 1u << k;
        xg_put_str(b, xg_lex_text(x));
        xg_lex_next(x);
        if (k == 0 && x->kind != '=') continue;
        xg_lex_expect(x, '=', "'='");
        xg_putc(b, '=');
        if (k == XG_COUNT(lists)) {
            xg_put_str(b, xg_parse_raw(p));
            continue;
        }
        if (k == 1 && x->kind == XG_TOK_WORD) {
            xg_put_str(b, xg_lex_text(x));
            xg_lex_next(x);
        }
        xg_sharding_axes(p, &m, &used, b);
    }
}
/* Parts separated by blanks, each at most once. The order of the printed form is fixed: kind, last tile dimensions,
 * shard_as, metadata. */
XG_FN void xg_sharding_tiled(xg_parse *p, xg_buf *b) {
    XG_TABLE const char *const kinds[] = {"replicated", "maximal", "manual", "unknown", "unreduced"};
    xg_lex *x = &p->lex;
    xg_buf parts[5]; /* kind, device, last, group, metadata */
    size_t at = xg_lex_offset(x);
    uint32_t k;
    for (k = 0; k < XG_COUNT(parts); k++) xg_buf_init(&parts[k], p->arena);
    while (x->kind != '}') {
        xg_str word = xg_lex_text(x);
        if (x->kind != XG_TOK_WORD)
            xg_lex_fail(x, XG_HINT_SHARDING, "expected a part of the sharding, found %s", xg_lex_found(x));
        for (k = 0; k < XG_COUNT(kinds) && !xg_str_is(word, kinds[k]); k++) {}
        k = k < XG_COUNT(kinds) || xg_str_is(word, "devices")                 ? 0
            : xg_str_is(word, "device")                                       ? 1
            : xg_word_in("last_tile_dim_replicate last_tile_dims", word) >= 0 ? 2
            : xg_word_in("shard_as shard_like", word) >= 0                    ? 3
            : xg_str_is(word, "metadata")                                     ? 4
                                                                              : 5;
        if (k == 5)
            xg_lex_fail(x,
                "a sharding is {replicated}, {manual}, {unknown}, {unreduced}, {maximal device=n}, "
                "{devices=[tiling]...} or {mesh[...], ...}",
                "%s is no part of a sharding", xg_lex_found(x));
        if (parts[k].n) xg_lex_fail(x, NULL, "%s contradicts or repeats '%s'", xg_lex_found(x), parts[k].p);
        xg_lex_next(x);
        if (x->kind == '=') {
            xg_lex_next(x);
            if (xg_str_is(word, "devices")) {
                xg_sharding_devices(p, &parts[k]);
                continue;
            }
            if (k == 1) {
                xg_printf(&parts[k], "device=%lld", (long long)xg_lex_int(x, "a device"));
                continue;
            }
            if (k == 0 || k == 3 || xg_str_is(word, "last_tile_dim_replicate"))
                xg_lex_fail(x, NULL, "'%.*s' takes no value", (int)word.n, word.p);
            xg_printf(&parts[k], "%.*s=", (int)word.n, word.p);
            if (x->kind != '{') xg_lex_fail(x, NULL, "expected '{', found %s", xg_lex_found(x));
            xg_put_str(&parts[k], xg_lex_balanced(x));
            continue;
        }
        if (xg_str_is(word, "devices") || k == 1 || k == 4 || xg_str_is(word, "last_tile_dims"))
            xg_lex_fail(x, NULL, "expected '=' after '%.*s'", (int)word.n, word.p);
        xg_put_str(&parts[k], word);
        if (k == 3) { xg_printf(&parts[k], " %lld", (long long)xg_lex_int(x, "a group")); }
    }
    if (!parts[0].n) xg_lex_fail_at(x, at, XG_HINT_SHARDING, "the sharding says neither a kind nor devices");
    if (parts[1].n != 0 && !xg_str_is(xg_str_of(parts[0].p, parts[0].n), "maximal"))
        xg_lex_fail_at(x, at, XG_HINT_SHARDING, "device= belongs to a maximal sharding");
    if (parts[1].n == 0 && xg_str_is(xg_str_of(parts[0].p, parts[0].n), "maximal"))
        xg_lex_fail_at(x, at, XG_HINT_SHARDING, "a maximal sharding needs device=n");
    if (parts[2].n != 0 && parts[0].p[0] != 'd')
        xg_lex_wrong_at(x, at, "'%s' belongs to a sharding with devices", parts[2].p);
    for (k = 0; k < XG_COUNT(parts); k++) {
        if (k && parts[k].n) xg_putc(b, ' ');
        xg_put(b, parts[k].p, parts[k].n);
    }
}
XG_FN void xg_sharding_one(xg_parse *p, xg_buf *b) {
    xg_lex *x = &p->lex;
    xg_lex_expect(x, '{', "'{' and a sharding");
    xg_putc(b, '{');
    if (xg_lex_is(x, "mesh"))
        xg_sharding_named(p, b);
    else if (xg_lex_is(x, "maximal_mesh")) {
        xg_lex_next(x);
        xg_lex_expect(x, '[', "'['");
        if (!xg_lex_is(x, "device_id")) xg_lex_fail(x, NULL, "expected device_id=n, found %s", xg_lex_found(x));
        xg_lex_next(x);
        xg_lex_expect(x, '=', "'='");
        xg_printf(b, "maximal_mesh[device_id=%lld", (long long)xg_lex_int(x, "a device"));
        xg_lex_expect(x, ']', "']'");
        xg_putc(b, ']');
    } else
        xg_sharding_tiled(p, b);
    xg_lex_expect(x, '}', "'}' at the end of the sharding");
    xg_putc(b, '}');
}
XG_FN xg_str xg_parse_sharding(xg_parse *p) {
    xg_lex *x = &p->lex;
    bool first = true;
    xg_buf b;
    char next;
    xg_buf_init(&b, p->arena);
    if (x->kind != '{') xg_lex_fail(x, XG_HINT_SHARDING, "expected '{' and a sharding, found %s", xg_lex_found(x));
    next = xg_lex_peek(x);
    if (next != '{' && next != '}')
        xg_sharding_one(p, &b);
    else {
        xg_lex_next(x);
        xg_putc(&b, '{');
        while (x->kind != '}') {
            if (!first) {
                xg_lex_expect(x, ',', "',' or '}' after a sharding");
                xg_puts(&b, ", ");
            }
            first = false;
            xg_sharding_one(p, &b);
        }
        xg_lex_next(x);
        xg_putc(&b, '}');
    }
    return xg_intern(&p->m->pool, xg_str_of(b.p, b.n));
}

#endif /* XG_HLO_PARSE_DEVICES_C */
