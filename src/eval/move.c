/* eval/move.c -- movement: one engine that copies strided boxes, and the opcodes that are such copies.
 *
 * A copy visits its box in the order of its dimensions, the last one innermost. First it drops dimensions of one
 * element and joins those that are contiguous on both sides; what is left ends in rows of plain memory, in a fill
 * (source stride 0), or in a transposition, which goes by square tiles so that both sides stay in cache. */
#ifndef XG_EVAL_MOVE_C
#define XG_EVAL_MOVE_C
#include "eval.h"

XG_FN void xg_eval_fill(unsigned char *to, const unsigned char *element, size_t bytes, size_t n) {
    size_t done = bytes, total = n * bytes;
    if (!n) return;
    if (bytes == 1) {
        memset(to, *element, n);
        return;
    }
    memcpy(to, element, bytes);
    while (done < total) {
        size_t more = XG_MIN(XG_MIN(done, total - done), (size_t)4096 / bytes * bytes);
        memcpy(to + done, to, more);
        done += more;
    }
}

XG_FN void xg_eval_row_strides(const xg_shape *s, int64_t *strides) {
    int64_t step = 1;
    uint32_t d;
    for (d = s->rank; d-- > 0;) {
        strides[d] = step;
        step *= s->dims[d];
    }
}

/* ---- the engine ---- */

/* A rows by columns tile with any strides (in elements). */
#define XG_EVAL_TILE_CASE(BYTES) \
    case BYTES: \
        for (i = 0; i < rows; i++) \
            for (j = 0; j < columns; j++) \
                memcpy(to + (i * to_row + j * to_column) * (BYTES), from + (i * from_row + j * from_column) * (BYTES), \
                    BYTES); \
        return;
XG_FN void xg_eval_tile(size_t bytes, unsigned char *to, const unsigned char *from, int64_t rows, int64_t columns,
    int64_t to_row, int64_t to_column, int64_t from_row, int64_t from_column) {
    int64_t i, j;
    /* clang-format off */
    switch (bytes) {
    XG_EVAL_TILE_CASE(1) XG_EVAL_TILE_CASE(2) XG_EVAL_TILE_CASE(4) XG_EVAL_TILE_CASE(8)
    default:
        for (i = 0; i < rows; i++)
            for (j = 0; j < columns; j++)
                memcpy(to + (i * to_row + j * to_column) * 16, from + (i * from_row + j * from_column) * 16, 16);
    }
    /* clang-format on */
}
#undef XG_EVAL_TILE_CASE

/* Drops dimensions of one element, joins neighbours; false when there is nothing to copy. */
XG_APART XG_FN bool xg_eval_copy_simplify(xg_strided *c) {
    uint32_t d, n = 0;
    for (d = 0; d < c->rank; d++) {
        if (c->dims[d] == 0) return false;
        if (c->dims[d] == 1) continue;
        if (n && c->to[n - 1] == c->to[d] * c->dims[d] && c->from[n - 1] == c->from[d] * c->dims[d]) {
            c->dims[n - 1] *= c->dims[d];
            c->to[n - 1] = c->to[d];
            c->from[n - 1] = c->from[d];
            continue;
        }
        c->dims[n] = c->dims[d];
        c->to[n] = c->to[d];
        c->from[n] = c->from[d];
        n++;
    }
    c->rank = n;
    return true;
}

/* The innermost one or two dimensions: rows of memory, fills, or a transposition in tiles. */
XG_APART XG_FN void xg_eval_copy_plane(
    const xg_strided *c, uint32_t row, uint32_t column, bool plane, unsigned char *to, const unsigned char *from) {
    enum {
        TILE = 32
    };
    int64_t rows = plane ? c->dims[row] : 1, columns = c->dims[column], tr = plane ? c->to[row] : 0,
            fr = plane ? c->from[row] : 0, tc = c->to[column], fc = c->from[column], i, j;
    int64_t bytes = (int64_t)c->bytes;
    if (tc == 1 && fc == 1) {
        for (i = 0; i < rows; i++) memcpy(to + i * tr * bytes, from + i * fr * bytes, (size_t)(columns * bytes));
        return;
    }
    if (tc == 1 && fc == 0) {
        for (i = 0; i < rows; i++) xg_eval_fill(to + i * tr * bytes, from + i * fr * bytes, c->bytes, (size_t)columns);
        return;
    }
    if (rows == 1) {
        xg_eval_tile(c->bytes, to, from, 1, columns, tr, tc, fr, fc);
        return;
    }
    for (i = 0; i < rows; i += TILE)
        for (j = 0; j < columns; j += TILE)
            xg_eval_tile(c->bytes, to + (i * tr + j * tc) * bytes, from + (i * fr + j * fc) * bytes,
                XG_MIN(rows - i, (int64_t)TILE), XG_MIN(columns - j, (int64_t)TILE), tr, tc, fr, fc);
}

XG_FN void xg_eval_copy(const xg_strided *box, unsigned char *to, const unsigned char *from) {
    xg_strided c = *box;
    int64_t at[XG_RANK_MAX];
    uint32_t column, row, d;
    bool plane;
    if (!xg_eval_copy_simplify(&c)) return;
    if (c.rank == 0) {
        memcpy(to, from, c.bytes);
        return;
    }
    column = c.rank - 1;
    row = column ? column - 1 : 0;
    for (d = 0; d < column; d++)
        if (c.from[d] == 1) row = d; /* the source's own rows */
    plane = column > 0;
    memset(at, 0, sizeof at);
    for (;;) {
        xg_eval_copy_plane(&c, row, column, plane, to, from);
        for (d = c.rank; d-- > 0;) {
            if (d == column || (plane && d == row)) continue;
            to += c.to[d] * (int64_t)c.bytes;
            from += c.from[d] * (int64_t)c.bytes;
            if (++at[d] < c.dims[d]) break;
            to -= c.to[d] * c.dims[d] * (int64_t)c.bytes;
            from -= c.from[d] * c.dims[d] * (int64_t)c.bytes;
            at[d] = 0;
        }
        if (d == UINT32_MAX) return;
    }
}

/* A box of the given extent between two row-major arrays. */
XG_FN void xg_eval_box(xg_strided *c, const xg_shape *to, const xg_shape *from, const int64_t *extent) {
    uint32_t d;
    c->rank = to->rank;
    c->bytes = (size_t)xg_type_bytes(to->type);
    xg_eval_row_strides(to, c->to);
    xg_eval_row_strides(from, c->from);
    for (d = 0; d < to->rank; d++) c->dims[d] = extent[d];
}

/* ---- opcodes: permutations and replications ---- */

/* One element says it all: true when the operand is splat and so is the result. */
XG_FN xg_value *xg_eval_same_splat(xg_eval_run *r, const xg_inst *i, xg_value *v) {
    return v->splat && i->shape->elements > 0 ? xg_eval_share(r, i->shape, v) : NULL;
}

XG_FN xg_value *xg_eval_reshape(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    return xg_eval_share(r, i->shape, in[0]);
}

XG_FN xg_value *xg_eval_broadcast(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_ints dims = xg_attr_dims(i);
    xg_strided c;
    int64_t from[XG_RANK_MAX];
    xg_value *out;
    uint32_t d;
    if (i->shape->elements > 0 && (in[0]->splat || in[0]->shape->elements == 1)) {
        if (in[0]->splat || i->shape->elements == 1) return xg_eval_share(r, i->shape, in[0]);
        out = xg_eval_new_splat(r, i->shape);
        memcpy(out->data, in[0]->data, (size_t)xg_type_bytes(i->shape->type));
        return out;
    }
    xg_eval_spend(r, i->shape->elements);
    out = xg_eval_new(r, i->shape);
    xg_eval_box(&c, i->shape, i->shape, i->shape->dims);
    xg_eval_row_strides(in[0]->shape, from);
    memset(c.from, 0, sizeof c.from);
    for (d = 0; d < dims.n; d++) c.from[dims.p[d]] = in[0]->shape->dims[d] == 1 ? 0 : from[d];
    xg_eval_copy(&c, out->data, in[0]->data);
    return out;
}

XG_FN xg_value *xg_eval_transpose(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_ints dims = xg_attr_dims(i);
    xg_value *out = xg_eval_same_splat(r, i, in[0]);
    xg_strided c;
    int64_t from[XG_RANK_MAX];
    uint32_t d;
    if (out) return out;
    xg_eval_spend(r, i->shape->elements);
    out = xg_eval_new(r, i->shape);
    xg_eval_box(&c, i->shape, i->shape, i->shape->dims);
    xg_eval_row_strides(in[0]->shape, from);
    for (d = 0; d < dims.n; d++) c.from[d] = from[dims.p[d]];
    xg_eval_copy(&c, out->data, in[0]->data);
    return out;
}

XG_FN xg_value *xg_eval_reverse(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_ints dims = xg_attr_dims(i);
    xg_value *out = xg_eval_same_splat(r, i, in[0]);
    const unsigned char *from = in[0]->data;
    xg_strided c;
    uint32_t k;
    if (out) return out;
    out = xg_eval_new(r, i->shape);
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    xg_eval_box(&c, i->shape, in[0]->shape, i->shape->dims);
    for (k = 0; k < dims.n; k++) {
        uint32_t d = (uint32_t)dims.p[k];
        from += c.from[d] * (c.dims[d] - 1) * (int64_t)c.bytes;
        c.from[d] = -c.from[d];
    }
    xg_eval_copy(&c, out->data, from);
    return out;
}

/* ---- opcodes: parts and joins ---- */

XG_FN xg_value *xg_eval_slice(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_slices *s = xg_inst_attr(i, XG_A_slice)->v.slices;
    xg_value *out = xg_eval_same_splat(r, i, in[0]);
    const unsigned char *from = in[0]->data;
    xg_strided c;
    uint32_t d;
    if (out) return out;
    out = xg_eval_new(r, i->shape);
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    xg_eval_box(&c, i->shape, in[0]->shape, i->shape->dims);
    for (d = 0; d < c.rank; d++) {
        from += c.from[d] * s->p[d].start * (int64_t)c.bytes;
        c.from[d] *= s->p[d].stride;
    }
    xg_eval_copy(&c, out->data, from);
    return out;
}

/* Element x of the operand lands at low + x * (interior + 1); what falls outside is dropped. */
XG_FN xg_value *xg_eval_pad(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_pads *pads = xg_inst_attr(i, XG_A_padding)->v.pads;
    xg_value *out = xg_eval_new(r, i->shape);
    const unsigned char *from = xg_eval_dense(r, &in[0]);
    unsigned char *to = out->data;
    xg_strided c;
    uint32_t d;
    xg_eval_spend(r, i->shape->elements);
    xg_eval_fill(to, in[1]->data, (size_t)xg_type_bytes(i->shape->type), (size_t)i->shape->elements);
    if (i->shape->elements == 0 || in[0]->shape->elements == 0) return out;
    xg_eval_box(&c, i->shape, in[0]->shape, in[0]->shape->dims);
    for (d = 0; d < c.rank; d++) {
        int64_t step = pads->p[d].interior + 1, low = pads->p[d].low, first = low < 0 ? (step - 1 - low) / step : 0,
                last, room = i->shape->dims[d] - 1 - low;
        last = room < 0 ? -1 : XG_MIN(c.dims[d] - 1, room / step);
        if (last < first) return out;
        from += c.from[d] * first * (int64_t)c.bytes;
        to += c.to[d] * (low + first * step) * (int64_t)c.bytes;
        c.dims[d] = last - first + 1;
        c.to[d] *= step;
    }
    xg_eval_copy(&c, to, from);
    return out;
}

XG_FN xg_value *xg_eval_concatenate(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t dim = (uint32_t)xg_attr_dims(i).p[0], k;
    xg_value *out = xg_eval_new(r, i->shape);
    unsigned char *to = out->data;
    xg_eval_spend(r, i->shape->elements);
    for (k = 0; k < i->n_operands; k++) {
        xg_strided c;
        const xg_shape *s = in[k]->shape;
        xg_eval_box(&c, i->shape, s, s->dims);
        if (in[k]->splat) memset(c.from, 0, sizeof c.from);
        xg_eval_copy(&c, to, in[k]->data);
        to += c.to[dim] * s->dims[dim] * (int64_t)c.bytes;
    }
    return out;
}

/* Starts are N scalars or one vector from operand `first` on; each is clamped so that extent[d] elements fit. */
XG_FN void xg_eval_starts(
    const xg_inst *i, xg_value *const *in, uint32_t first, const int64_t *extent, int64_t *starts) {
    const xg_shape *s = in[0]->shape;
    bool vector = i->n_operands == first + 1 && in[first]->shape->rank == 1;
    uint32_t d;
    for (d = 0; d < s->rank; d++) {
        int64_t v = vector ? xg_eval_int_at(in[first], d) : xg_eval_int_at(in[first + d], 0),
                most = s->dims[d] - extent[d];
        if (in[vector ? first : first + d]->shape->type == XLAGPU_U64 && v < 0) v = INT64_MAX;
        starts[d] = v < 0 ? 0 : v > most ? most : v;
    }
}

XG_FN xg_value *xg_eval_dynamic_slice(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xg_value *out = xg_eval_same_splat(r, i, in[0]);
    const unsigned char *from = in[0]->data;
    int64_t starts[XG_RANK_MAX];
    xg_strided c;
    uint32_t d;
    if (out) return out;
    out = xg_eval_new(r, i->shape);
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    xg_eval_starts(i, in, 1, i->shape->dims, starts);
    xg_eval_box(&c, i->shape, in[0]->shape, i->shape->dims);
    for (d = 0; d < c.rank; d++) from += c.from[d] * starts[d] * (int64_t)c.bytes;
    xg_eval_copy(&c, out->data, from);
    return out;
}

XG_FN xg_value *xg_eval_dynamic_update_slice(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *update = in[1]->shape;
    const unsigned char *from = xg_eval_dense(r, &in[1]);
    int64_t starts[XG_RANK_MAX];
    xg_strided c;
    xg_value *out;
    unsigned char *to;
    uint32_t d;
    xg_eval_starts(i, in, 2, update->dims, starts);
    xg_eval_spend(r, update->elements);
    out = xg_eval_own(r, &in[0]);
    if (update->elements == 0) return out;
    to = out->data;
    xg_eval_box(&c, i->shape, update, update->dims);
    for (d = 0; d < c.rank; d++) to += c.to[d] * starts[d] * (int64_t)c.bytes;
    xg_eval_copy(&c, to, from);
    return out;
}

/* ---- opcodes: bits ---- */

/* Elements as a stream of their bits, little end first, and back; floats narrower than a byte and integers alike. */
XG_FN void xg_eval_repack(xlagpu_type to, unsigned char *out, int64_t n, xlagpu_type from, const unsigned char *in) {
    int to_bits = xg_type_bits(to), from_bits = xg_type_bits(from), have = 0;
    size_t to_bytes = (size_t)xg_type_bytes(to), from_bytes = (size_t)xg_type_bytes(from);
    uint64_t pending = 0;
    int64_t k;
    if (to_bits == (int)to_bytes * 8 && from_bits == (int)from_bytes * 8) {
        memcpy(out, in, (size_t)n * to_bytes);
        return;
    }
    /* One side is narrower than a byte; the other has at most 64 bits at a time here, wider ones go by their 8-byte
     * parts. */
    for (k = 0; k < n; k++, out += to_bytes) {
        uint64_t v[2] = {0, 0};
        int got = 0;
        while (got < to_bits) {
            int take, word = got / 64;
            if (!have) {
                pending = 0;
                have = from_bits > 64 ? 64 : from_bits;
                memcpy(&pending, in, (size_t)(have + 7) / 8);
                if (have < 64) pending &= ((uint64_t)1 << have) - 1;
                in += from_bits > 64 ? 8 : from_bytes;
            }
            take = XG_MIN(have, to_bits - got);
            v[word] |= (take < 64 ? pending & (((uint64_t)1 << take) - 1) : pending) << (got % 64);
            pending = take < 64 ? pending >> take : 0;
            have -= take;
            got += take;
        }
        if (xg_type_class(to) == XGT_I && to_bits < 8)
            xg_eval_store_int(to, out, (int64_t)v[0]);
        else
            memcpy(out, v, to_bytes);
    }
}

XG_FN xg_value *xg_eval_bitcast_convert(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    xlagpu_type to = i->shape->type, from = in[0]->shape->type;
    bool whole = xg_type_bits(to) == 8 * xg_type_bytes(to) && xg_type_bits(from) == 8 * xg_type_bytes(from);
    xg_value *out;
    if (to == from || (whole && xg_type_bits(to) == xg_type_bits(from))) return xg_eval_share(r, i->shape, in[0]);
    xg_eval_dense(r, &in[0]);
    if (whole) return xg_eval_share(r, i->shape, in[0]);
    out = xg_eval_new(r, i->shape);
    xg_eval_repack(to, out->data, i->shape->elements, from, in[0]->data);
    return out;
}

/* The dimensions of a row-major array laid out as the layout says: dims[k] and, into the logical array, strides[k],
 * major first. */
XG_FN void xg_eval_physical(const xg_shape *s, xg_strided *c) {
    int64_t strides[XG_RANK_MAX];
    uint32_t k;
    xg_eval_row_strides(s, strides);
    c->rank = s->rank;
    c->bytes = (size_t)xg_type_bytes(s->type);
    for (k = 0; k < s->rank; k++) {
        uint32_t d = s->layout && s->layout->minor_to_major ? (uint32_t)s->layout->minor_to_major[s->rank - 1 - k] : k;
        c->dims[k] = s->dims[d];
        c->from[k] = strides[d];
    }
    strides[0] = 1;
    for (k = s->rank; k-- > 0;) {
        c->to[k] = strides[0];
        strides[0] *= c->dims[k];
    }
}

XG_FN bool xg_eval_plain_layout(const xg_shape *s) { return !s->layout || s->layout->descending || s->rank < 2; }

/* Between the elements of an array and its memory with tiles, whose padding is left alone. */
XG_FN void xg_eval_copy_tiled(
    xg_eval_run *r, const xg_shape *s, unsigned char *elements, unsigned char *memory, bool in) {
    int64_t at[XG_RANK_MAX], k;
    const xg_tiles *t = xg_tiles_of(&r->stack, s->layout);
    size_t bytes = (size_t)xg_type_bytes(s->type);
    memset(at, 0, sizeof at);
    for (k = 0; k < s->elements; k++) {
        unsigned char *e = elements + (size_t)k * bytes, *p = memory + (size_t)xg_tiled_offset(t, s, at) * bytes;
        uint32_t d = s->rank;
        memcpy(in ? p : e, in ? e : p, bytes);
        while (d-- > 0 && ++at[d] == s->dims[d]) at[d] = 0;
    }
}
XG_FN xg_value *xg_eval_bitcast_tiled(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *from = XG_OPERAND(i, 0)->shape, *to = i->shape;
    int64_t n = xg_tiled_elements(&r->stack, from), m = xg_tiled_elements(&r->stack, to);
    xg_value *memory, *taken, *out;
    if (from->dynamic || to->dynamic)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "use layouts without tiles",
            "a bitcast between arrays of dynamic size, one with tiles");
    xg_eval_dense(r, &in[0]);
    xg_eval_spend(r, n);
    xg_eval_spend(r, m);
    memory = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, (size_t)xg_type_bytes(from->type)));
    memset(memory->data, 0, (size_t)n * (size_t)xg_type_bytes(from->type));
    xg_eval_copy_tiled(r, from, in[0]->data, memory->data, true);
    taken = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)m, (size_t)xg_type_bytes(to->type)));
    xg_eval_repack(to->type, taken->data, m, from->type, memory->data);
    xg_eval_drop(r, memory);
    out = xg_eval_new(r, to);
    xg_eval_copy_tiled(r, to, out->data, taken->data, false);
    xg_eval_drop(r, taken);
    return out;
}

/* The same memory under another shape: logical to physical by the operand's layout, then physical to logical by the
 * result's. */
XG_FN xg_value *xg_eval_bitcast(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    const xg_shape *from = XG_OPERAND(i, 0)->shape, *to = i->shape;
    xg_value *v, *out;
    xg_strided c;
    uint32_t k;
    if (to->type == XLAGPU_TUPLE || from->type == XLAGPU_TUPLE) return xg_eval_keep(in[0]);
    if (xg_bitcast_sees_tiles(i)) return xg_eval_bitcast_tiled(r, i, in);
    if (in[0]->splat && to->type == from->type) return xg_eval_share(r, to, in[0]);
    xg_eval_dense(r, &in[0]);
    if (xg_eval_plain_layout(from) && xg_eval_plain_layout(to) && xg_type_bits(from->type) == xg_type_bits(to->type) &&
        xg_type_bytes(to->type) * 8 == xg_type_bits(to->type))
        return xg_eval_share(r, to, in[0]);
    xg_eval_spend(r, to->elements);
    v = xg_eval_scratch(r, xg_eval_bytes(r, from));
    xg_eval_physical(from, &c);
    xg_eval_copy(&c, v->data, in[0]->data);
    out = xg_eval_scratch(r, xg_eval_bytes(r, to));
    xg_eval_repack(to->type, out->data, to->elements, from->type, v->data);
    xg_eval_drop(r, v);
    v = out;
    out = xg_eval_new(r, to);
    xg_eval_physical(to, &c);
    for (k = 0; k < c.rank; k++) {
        int64_t swap = c.to[k];
        c.to[k] = c.from[k];
        c.from[k] = swap;
    }
    xg_eval_copy(&c, out->data, v->data);
    xg_eval_drop(r, v);
    return out;
}

/* ---- iota ---- */

XG_FN xg_value *xg_eval_iota(xg_eval_run *r, const xg_inst *i, xg_value **in) {
    uint32_t dim = (uint32_t)xg_attr_or_0(i, XG_A_iota_dimension);
    xg_value *out = xg_eval_new(r, i->shape), *line;
    int64_t n, k;
    xg_strided c;
    (void)in;
    if (i->shape->elements == 0) return out;
    xg_eval_spend(r, i->shape->elements);
    n = i->shape->dims[dim];
    xg_eval_box(&c, i->shape, i->shape, i->shape->dims);
    line = xg_eval_scratch(r, xg_mul(r->ctx, (size_t)n, c.bytes));
    for (k = 0; k < n; k++) xg_eval_convert_block(i->shape->type, line->data + (size_t)k * c.bytes, XLAGPU_S64, &k, 1);
    memset(c.from, 0, sizeof c.from);
    c.from[dim] = 1;
    xg_eval_copy(&c, out->data, line->data);
    xg_eval_drop(r, line);
    return out;
}

#endif /* XG_EVAL_MOVE_C */
