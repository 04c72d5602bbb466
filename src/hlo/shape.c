/* hlo/shape.c -- element types, layouts and shapes, interned per module.
 *
 * Idea: a shape is made once; afterwards the same request finds the same pointer, so comparing shapes is comparing
 * pointers and a module of a million instructions holds a few hundred shapes. A key on the stack, with the fields that
 * make up identity, is looked up first; only a miss copies it into the arena and computes what follows from it.
 *
 * Laws
 * - Identity: type, dims with their dynamic marks, layout; for tuples and buffers the element pointers. Hashes are of
 *   content, never of addresses, so ids and tables are the same in every run.
 * - `plain` of a shape is the same shape with all layouts left out, also inside tuples.
 * - The element count of an array fits in 59 bits even where a dimension is zero, so that bytes and strides never
 *   overflow.
 * - Depth and node count of nested tuples are limited: a shape built by inference from shared parts is a DAG, and every
 *   walk over it visits the tree. */
#ifndef XG_HLO_SHAPE_C
#define XG_HLO_SHAPE_C
#include "hlo.h"

/* ---- element types ---- */

enum {
    XG_CLASS_OTHER = 0,
    XG_CLASS_PRED = XGT_P,
    XG_CLASS_SINT = XGT_I,
    XG_CLASS_UINT = XGT_I | 16,
    XG_CLASS_FLOAT = XGT_F,
    XG_CLASS_COMPLEX = XGT_C
};
typedef struct xg_type_row {
    const char *name;
    uint8_t length, bits, cls;
} xg_type_row;
XG_TABLE const xg_type_row xg_type_rows[] = {
#define X(name, text, bits, cls) {text, (uint8_t)(sizeof(text) - 1), (uint8_t)(bits), (uint8_t)XG_CLASS_##cls},
    XLAGPU_TYPES(X)
#undef X
};

XG_ONE_COPY XG_FN const char *xg_type_name(xlagpu_type t) { return xg_type_rows[t].name; }
XG_ONE_COPY XG_FN int xg_type_bits(xlagpu_type t) { return xg_type_rows[t].bits; }
XG_FN int xg_type_bytes(xlagpu_type t) { return (xg_type_rows[t].bits + 7) / 8; }
XG_ONE_COPY XG_FN int xg_type_class(xlagpu_type t) { return xg_type_rows[t].cls & 15; }
XG_FN bool xg_type_signed(xlagpu_type t) {
    int c = xg_type_rows[t].cls;
    return c == XG_CLASS_SINT || c == XG_CLASS_FLOAT || c == XG_CLASS_COMPLEX;
}
XG_FN xlagpu_type xg_type_real(xlagpu_type t) {
    return t == XLAGPU_C64 ? XLAGPU_F32 : t == XLAGPU_C128 ? XLAGPU_F64 : t;
}
XG_FN xlagpu_type xg_type_find(xg_str name) {
    int t;
    if (name.n == 3 && memcmp(name.p, "f32", 3) == 0) return XLAGPU_F32; /* most are */
    for (t = XLAGPU_INVALID + 1; t < XLAGPU_TYPE_COUNT; t++)
        if (xg_type_rows[t].length == name.n && xg_type_rows[t].name[0] == name.p[0] &&
            memcmp(xg_type_rows[t].name, name.p, name.n) == 0)
            return (xlagpu_type)t;
    return XLAGPU_INVALID;
}
XG_FN bool xg_type_reserves(xg_str name) {
    xlagpu_type t;
    if (!name.n || name.n > 13 || (name.n >= 7 && name.p[1] >= 'a')) return false; /* most names */
    t = xg_type_find(name);
    return t != XLAGPU_INVALID && t != XLAGPU_TUPLE && t != XLAGPU_BUFFER;
}

/* ---- layouts ---- */

XG_FN bool xg_layout_same(const void *node, const void *key) {
    const xg_layout *a = (const xg_layout *)node, *b = (const xg_layout *)key;
    return a->rank == b->rank && a->memory_space == b->memory_space && a->element_bits == b->element_bits &&
           xg_str_eq(a->extras, b->extras) &&
           (a->rank == 0 || memcmp(a->minor_to_major, b->minor_to_major, a->rank * sizeof *a->minor_to_major) == 0);
}
XG_FN const xg_layout *xg_layout_make(
    xg_module *m, const int32_t *minor_to_major, uint32_t rank, int64_t space, int64_t bits, xg_str extras) {
    xg_layout key, *made;
    void **slot;
    uint32_t k;
    bool usual = space == 0 && bits == 0 && extras.n == 0;
    memset(&key, 0, sizeof key);
    key.rank = rank;
    key.minor_to_major = minor_to_major;
    key.memory_space = space;
    key.element_bits = bits;
    key.extras = extras;
    key.descending = true;
    for (k = 0; k < rank; k++) key.descending = key.descending && minor_to_major[k] == (int32_t)(rank - 1 - k);
    if (usual && key.descending && rank <= XG_RANK_MAX && m->descending[rank]) return m->descending[rank];
    key.hash =
        xg_hash_mix(xg_hash(minor_to_major, rank * sizeof *minor_to_major), (uint64_t)space * 257 + (uint64_t)bits);
    if (extras.n) key.hash = xg_hash_mix(key.hash, xg_hash(extras.p, extras.n));
    slot = xg_set_find(&m->layouts, key.hash, xg_layout_same, &key);
    if (*slot) return (const xg_layout *)*slot;
    made = XG_NEW(m->arena, xg_layout);
    *slot = made;
    *made = key;
    if (rank) {
        int32_t *order = XG_NEW_N(m->arena, int32_t, rank);
        memcpy(order, minor_to_major, rank * sizeof *order);
        made->minor_to_major = order;
    }
    made->extras = xg_str_copy(m->arena, extras);
    m->made_extras |= !usual;
    if (usual && key.descending && rank <= XG_RANK_MAX)
        m->descending[rank] = made;
    else
        m->made_layout = true;
    return made;
}
XG_FN const xg_layout *xg_layout_descending(xg_module *m, uint32_t rank) {
    int32_t order[XG_RANK_MAX];
    uint32_t k;
    XLAGPU_ASSERT(rank <= XG_RANK_MAX);
    if (m->descending[rank]) return m->descending[rank];
    order[0] = 0;
    for (k = 0; k < rank; k++) order[k] = (int32_t)(rank - 1 - k);
    return xg_layout_make(m, order, rank, 0, 0, XG_STR(""));
}

/* ---- shapes ---- */

/* A shape over a limit; while a text is read, at its place. */
XG_NORETURN XG_FN void xg_shape_fail(const xg_module *m, const char *text, int64_t number) {
    char message[160];
    xg_format(message, sizeof message, text, (long long)number);
    if (m->at && m->source) xg_fail_at(m->ctx, XLAGPU_ERROR_LIMIT, m->source, m->at - 1, NULL, "%s", message);
    xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "%s", message);
}
XG_FN bool xg_shape_same(const void *node, const void *key) {
    const xg_shape *a = (const xg_shape *)node, *b = (const xg_shape *)key;
    if (a->type != b->type || a->rank != b->rank || a->layout != b->layout || a->n_elems != b->n_elems ||
        !a->dynamic != !b->dynamic)
        return false;
    if (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0) return false;
    if (a->dynamic && memcmp(a->dynamic, b->dynamic, a->rank) != 0) return false;
    return a->n_elems == 0 || memcmp(a->elems, b->elems, a->n_elems * sizeof *a->elems) == 0;
}
XG_FN uint32_t xg_shape_hash(const xg_shape *s) {
    uint32_t h = xg_hash_mix(xg_hash(s->dims, s->rank * sizeof *s->dims), (uint64_t)s->type), k;
    if (s->dynamic) h = xg_hash_mix(h, xg_hash(s->dynamic, s->rank));
    if (s->layout) h = xg_hash_mix(h, s->layout->hash + UINT64_C(0x100000000));
    for (k = 0; k < s->n_elems; k++) h = xg_hash_mix(h, s->elems[k]->hash);
    return h;
}
XG_FN int64_t xg_shape_count(const xg_module *m, const xg_shape *s) {
    int64_t product = 1, guarded = 1;
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        if (s->dims[k] < 0 || !xg_mul64(guarded, XG_MAX(s->dims[k], 1), &guarded) || guarded > INT64_MAX / 16)
            xg_shape_fail(m, "an array has more elements than can be counted: one dimension is %lld", s->dims[k]);
        product *= s->dims[k];
    }
    return product;
}
XG_FN const xg_shape *xg_shape_intern(xg_module *m, xg_shape *key);
XG_FN const xg_shape *xg_shape_make_plain(xg_module *m, const xg_shape *s) {
    xg_shape key = *s;
    uint32_t k;
    bool changed = s->layout != NULL;
    const xg_shape **elems;
    for (k = 0; k < s->n_elems; k++) changed = changed || s->elems[k]->plain != s->elems[k];
    if (!changed) return s;
    elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems);
    for (k = 0; k < s->n_elems; k++) elems[k] = s->elems[k]->plain;
    key.layout = NULL;
    key.elems = elems;
    return xg_shape_intern(m, &key);
}
/* The one way in. dims, dynamic and elems of the key may lie on the stack. */
XG_FN const xg_shape *xg_shape_intern(xg_module *m, xg_shape *key) {
    xg_shape *made;
    void **slot;
    uint32_t k;
    key->hash = xg_shape_hash(key);
    slot = xg_set_find(&m->shapes, key->hash, xg_shape_same, key);
    if (*slot) return (const xg_shape *)*slot;
    key->elements = key->type == XLAGPU_TUPLE ? 0 : xg_shape_count(m, key);
    key->nodes = 1;
    key->leaves = key->type != XLAGPU_TUPLE;
    key->depth = 0;
    for (k = 0; k < key->n_elems; k++) {
        key->nodes += key->elems[k]->nodes;
        if (key->type == XLAGPU_TUPLE) key->leaves += key->elems[k]->leaves;
        key->depth = XG_MAX(key->depth, key->elems[k]->depth + 1);
        if (key->nodes > XG_SHAPE_NODES_MAX)
            xg_shape_fail(m, "a tuple shape has more than %lld parts", XG_SHAPE_NODES_MAX);
    }
    if (key->depth > XG_SHAPE_DEPTH_MAX)
        xg_shape_fail(m, "a tuple shape is nested more than %lld deep", XG_SHAPE_DEPTH_MAX);
    made = XG_NEW(m->arena, xg_shape);
    *slot = made;
    *made = *key;
    made->id = m->n_shapes++;
    m->made_empty |= made->elements == 0 && key->type != XLAGPU_TUPLE;
    if (key->rank) {
        int64_t *dims = XG_NEW_N(m->arena, int64_t, key->rank);
        memcpy(dims, key->dims, key->rank * sizeof *dims);
        made->dims = dims;
    }
    if (key->dynamic) {
        uint8_t *dynamic = XG_NEW_N(m->arena, uint8_t, key->rank);
        memcpy(dynamic, key->dynamic, key->rank);
        made->dynamic = dynamic;
        m->has_dynamic = true;
    }
    if (key->n_elems) {
        const xg_shape **elems = XG_NEW_N(m->arena, const xg_shape *, key->n_elems);
        memcpy((void *)elems, (const void *)key->elems, key->n_elems * sizeof *elems);
        made->elems = elems;
    }
    if (key->type == XLAGPU_TUPLE && !key->flat) {
        uint32_t *at = XG_NEW_N(m->arena, uint32_t, key->n_elems + (size_t)1);
        for (k = 0; k < key->n_elems; k++) at[k + 1] = at[k] + (uint32_t)key->elems[k]->leaves;
        made->leaf_at = at;
    }
    made->plain = xg_shape_make_plain(m, made);
    return made;
}
XG_FN const xg_shape *xg_shape_array(xg_module *m, xlagpu_type type, const int64_t *dims, uint32_t rank,
    const uint8_t *dynamic, const xg_layout *layout) {
    xg_shape key;
    uint32_t k;
    bool any = false;
    XLAGPU_ASSERT(!layout || layout->rank == rank);
    if (rank > XG_RANK_MAX) xg_shape_fail(m, "an array has %lld dimensions, more than are supported", rank);
    for (k = 0; dynamic && k < rank; k++) any = any || dynamic[k] != XG_DIM_STATIC;
    memset(&key, 0, sizeof key);
    key.type = type;
    key.rank = rank;
    key.dims = dims;
    key.dynamic = any ? dynamic : NULL;
    key.layout = layout;
    return xg_shape_intern(m, &key);
}
XG_ONE_COPY XG_FN const xg_shape *xg_shape_plain(xg_module *m, xlagpu_type type, const int64_t *dims, uint32_t rank) {
    return xg_shape_array(m, type, dims, rank, NULL, NULL);
}
XG_FN const xg_shape *xg_shape_scalar(xg_module *m, xlagpu_type type) {
    return xg_shape_array(m, type, NULL, 0, NULL, xg_layout_descending(m, 0));
}
XG_FN const xg_shape *xg_shape_tuple(xg_module *m, const xg_shape *const *elems, uint32_t n) {
    xg_shape key;
    uint32_t k;
    memset(&key, 0, sizeof key);
    key.type = XLAGPU_TUPLE;
    key.n_elems = n;
    key.elems = elems;
    for (k = 0; k < n && elems[k]->type != XLAGPU_TUPLE; k++) {}
    key.flat = k == n;
    return xg_shape_intern(m, &key);
}
XG_FN const xg_shape *xg_shape_other(xg_module *m, xlagpu_type type, const xg_shape *held) {
    xg_shape key;
    memset(&key, 0, sizeof key);
    key.type = type;
    m->made_extras |= type == XLAGPU_BUFFER;
    key.n_elems = held ? 1 : 0;
    key.elems = held ? &held : NULL;
    return xg_shape_intern(m, &key);
}
XG_FN const xg_shape *xg_shape_with_type(xg_module *m, const xg_shape *s, xlagpu_type type) {
    const xg_layout *l = s->layout;
    if (l && l->element_bits && l->element_bits != xg_type_bits(type))
        l = xg_layout_make(m, l->minor_to_major, l->rank, l->memory_space, 0, l->extras);
    return xg_shape_array(m, type, s->dims, s->rank, s->dynamic, l);
}
XG_FN const xg_shape *xg_shape_with_layout(xg_module *m, const xg_shape *s, const xg_layout *layout) {
    return xg_shape_array(m, s->type, s->dims, s->rank, s->dynamic, layout);
}

XG_FN bool xg_shape_is_array(const xg_shape *s) { return xg_type_rows[s->type].bits != 0; }
XG_FN bool xg_shape_is_scalar(const xg_shape *s) { return s->rank == 0 && xg_shape_is_array(s); }
XG_FN const xg_shape *xg_shape_held(const xg_shape *s) { return s->type == XLAGPU_BUFFER ? s->elems[0] : s; }

/* Rebuilds the shape with another layout in each array; keep: arrays that have a layout are left alone. */
XG_FN const xg_shape *xg_shape_relayout(xg_module *m, const xg_shape *s, bool keep) {
    const xg_shape **elems;
    uint32_t k;
    bool changed = false;
    xg_shape key = *s;
    if (xg_shape_is_array(s)) {
        const xg_layout *l = xg_layout_descending(m, s->rank);
        if (s->layout && (keep || s->layout->descending)) return s;
        if (s->layout)
            l = xg_layout_make(
                m, l->minor_to_major, l->rank, s->layout->memory_space, s->layout->element_bits, s->layout->extras);
        return xg_shape_with_layout(m, s, l);
    }
    if (s->n_elems == 0) return s;
    elems = XG_NEW_N(m->arena, const xg_shape *, s->n_elems);
    for (k = 0; k < s->n_elems; k++) {
        elems[k] = xg_shape_relayout(m, s->elems[k], keep);
        changed = changed || elems[k] != s->elems[k];
    }
    if (!changed) return s;
    key.elems = elems;
    return xg_shape_intern(m, &key);
}
XG_FN const xg_shape *xg_shape_default_layout(xg_module *m, const xg_shape *s) {
    return xg_shape_relayout(m, s, false);
}
XG_FN const xg_shape *xg_shape_fill_layout(xg_module *m, const xg_shape *s) { return xg_shape_relayout(m, s, true); }

/* ---- questions ---- */

XG_FN bool xg_shape_compatible(const xg_shape *a, const xg_shape *b) { return a->plain == b->plain; }
XG_FN bool xg_shape_compatible_sizes(const xg_shape *a, const xg_shape *b) {
    uint32_t k;
    if (a->plain == b->plain) return true;
    if (a->type != b->type || a->rank != b->rank || a->n_elems != b->n_elems) return false;
    for (k = 0; k < a->rank; k++)
        if (a->dims[k] != b->dims[k]) return false;
    for (k = 0; k < a->n_elems; k++)
        if (!xg_shape_compatible_sizes(a->elems[k], b->elems[k])) return false;
    return true;
}
XG_FN bool xg_shape_same_dims(const xg_shape *a, const xg_shape *b) {
    if (!xg_shape_is_array(a) || !xg_shape_is_array(b) || a->rank != b->rank || !a->dynamic != !b->dynamic)
        return false;
    if (a->dynamic && memcmp(a->dynamic, b->dynamic, a->rank) != 0) return false;
    return a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}
XG_FN int64_t xg_shape_leaves(const xg_shape *s) { return s->leaves; }
XG_FN uint32_t xg_shape_leaf_at(const xg_shape *s, int64_t k) { return s->leaf_at ? s->leaf_at[k] : (uint32_t)k; }
XG_FN uint32_t xg_shape_element_of(const xg_shape *s, uint32_t leaf) {
    /* the last element that begins there or before; empty tuples begin where the next element does */
    uint32_t low = 0, high = s->n_elems;
    if (!s->leaf_at) return leaf;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (s->leaf_at[middle] <= leaf)
            low = middle;
        else
            high = middle;
    }
    return low;
}
XG_ONE_COPY XG_FN uint32_t xg_shape_minor(const xg_shape *s, uint32_t k) {
    return s->layout ? (uint32_t)s->layout->minor_to_major[k] : s->rank - 1 - k;
}
XG_ONE_COPY XG_FN uint32_t xg_shape_major(const xg_shape *s, uint32_t k) { return xg_shape_minor(s, s->rank - 1 - k); }
XG_FN void xg_shape_strides(const xg_shape *s, int64_t *strides) {
    int64_t stride = 1;
    uint32_t k;
    for (k = 0; k < s->rank; k++) {
        uint32_t d = xg_shape_minor(s, k);
        strides[d] = stride;
        stride *= s->dims[d];
    }
}

/* ---- text ---- */

/* "{1,0:T(8,128)E(4)S(5)}". In the order of the language E and S stand between the tiles and the split
 * configuration. */
XG_FN void xg_layout_print(xg_buf *b, const xg_layout *l) {
    uint32_t k, split = 0;
    bool more = l->memory_space || l->element_bits || l->extras.n;
    if (l->rank == 0 && !more) return;
    xg_putc(b, '{');
    for (k = 0; k < l->rank; k++) {
        if (k) xg_putc(b, ',');
        xg_put_i64(b, l->minor_to_major[k]);
    }
    if (more) {
        xg_putc(b, ':');
        while (split < l->extras.n && l->extras.p[split] != 'S' && l->extras.p[split] != 'M') split++;
        xg_put(b, l->extras.p, split);
        if (l->element_bits) {
            xg_puts(b, "E(");
            xg_put_i64(b, l->element_bits);
            xg_putc(b, ')');
        }
        if (l->memory_space) {
            xg_puts(b, "S(");
            xg_put_i64(b, l->memory_space);
            xg_putc(b, ')');
        }
        xg_put(b, l->extras.p + split, l->extras.n - split);
    }
    xg_putc(b, '}');
}
XG_FN void xg_shape_print(xg_buf *b, const xg_shape *s, bool layout) {
    uint32_t k;
    if (s->type == XLAGPU_TUPLE || s->type == XLAGPU_BUFFER) {
        xg_puts(b, s->type == XLAGPU_TUPLE ? "(" : "b(");
        for (k = 0; k < s->n_elems; k++) {
            if (k) xg_puts(b, ", ");
            if (k && k % 5 == 0 && s->type == XLAGPU_TUPLE) {
                xg_puts(b, "/*index=");
                xg_put_i64(b, k);
                xg_puts(b, "*/");
            }
            xg_shape_print(b, s->elems[k], layout);
        }
        xg_putc(b, ')');
        return;
    }
    xg_put(b, xg_type_rows[s->type].name, xg_type_rows[s->type].length);
    xg_putc(b, '[');
    for (k = 0; k < s->rank; k++) {
        uint8_t dynamic = s->dynamic ? s->dynamic[k] : (uint8_t)XG_DIM_STATIC;
        if (k) xg_putc(b, ',');
        if (dynamic == XG_DIM_UNBOUNDED) {
            xg_putc(b, '?');
            continue;
        }
        if (dynamic == XG_DIM_BOUNDED) xg_puts(b, "<=");
        xg_put_i64(b, s->dims[k]);
    }
    xg_putc(b, ']');
    if (layout && s->layout) xg_layout_print(b, s->layout);
}

#endif /* XG_HLO_SHAPE_C */
