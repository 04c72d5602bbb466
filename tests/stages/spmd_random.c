/* tests/stages/spmd_random.c -- random modules, meshes and shardings: partitioned equals whole.
 *
 * spmd_random SEED COUNT [ONLY]   COUNT modules of a few instructions over arrays of odd sizes, each partitioned as it
 *                                 is and after propagation, and held against one device bit for bit: the numbers are
 *                                 integers, or so few that sums of floats are exact. A case that differs is printed.
 *                                 ONLY: that case alone, printed */

enum {
    SPMD_RANDOM_ARRAYS = 24
};
typedef struct spmd_array {
    uint32_t rank;
    int64_t dims[6];
} spmd_array;
typedef struct spmd_case {
    uint64_t state;
    xg_buf text, comps; /* the entry's instructions; what it calls */
    int64_t devices;
    const char *type; /* of all arrays */
    bool ints;
    uint32_t n, products;
    spmd_array arrays[SPMD_RANDOM_ARRAYS];
} spmd_case;

static uint32_t spmd_pick(spmd_case *c, uint32_t n) { return (uint32_t)(spmd_random(&c->state) % n); }

static void spmd_put_dims_of(spmd_case *c, const spmd_array *a, const char *type) {
    uint32_t d;
    xg_printf(&c->text, "%s[", type);
    for (d = 0; d < a->rank; d++) xg_printf(&c->text, "%s%lld", d ? "," : "", (long long)a->dims[d]);
    xg_puts(&c->text, "]");
}
static void spmd_put_dims(spmd_case *c, const spmd_array *a) { spmd_put_dims_of(c, a, c->type); }

/* Tiles that use the devices up, the rest replicated; devices in order, transposed, or in any order. */
static void spmd_put_sharding(spmd_case *c, const spmd_array *a) {
    int64_t tiles[8], left = c->devices, order[64], k;
    uint32_t n = a->rank, d, how = spmd_pick(c, 4);
    if (!a->rank || spmd_pick(c, 8) == 0) {
        xg_puts(&c->text, ", sharding={replicated}");
        return;
    }
    for (d = 0; d < n; d++) tiles[d] = 1;
    for (k = 2; left > 1; k++)
        while (left % k == 0) {
            if (spmd_pick(c, 4)) tiles[spmd_pick(c, n)] *= k;
            left /= k;
        }
    for (left = c->devices, d = 0; d < n; d++) left /= tiles[d];
    if (left == c->devices) {
        xg_puts(&c->text, ", sharding={replicated}");
        return;
    }
    if (left > 1) tiles[n++] = left;
    xg_puts(&c->text, ", sharding={devices=[");
    for (d = 0; d < n; d++) xg_printf(&c->text, "%s%lld", d ? "," : "", (long long)tiles[d]);
    xg_puts(&c->text, "]");
    if (how == 0) {
        for (k = 0; k < c->devices; k++) order[k] = k;
        for (k = c->devices - 1; k > 0; k--) {
            int64_t at = spmd_pick(c, (uint32_t)k + 1), swap = order[k];
            order[k] = order[at];
            order[at] = swap;
        }
        for (k = 0; k < c->devices; k++) xg_printf(&c->text, "%s%lld", k ? "," : "", (long long)order[k]);
    } else if (how == 1 && c->devices % 2 == 0 && c->devices > 2)
        xg_printf(&c->text, "<=[2,%lld]T(1,0)", (long long)c->devices / 2);
    else
        xg_printf(&c->text, "<=[%lld]", (long long)c->devices);
    xg_puts(&c->text, left > 1 ? " last_tile_dim_replicate}" : "}");
}

/* "  vN = type[dims] " of a new array; what comes of it is written by the caller. */
static spmd_array *spmd_begin(spmd_case *c, const spmd_array *like) {
    spmd_array *a = &c->arrays[c->n];
    *a = *like;
    xg_printf(&c->text, "  v%u = ", c->n);
    return a;
}
static void spmd_end(spmd_case *c) {
    if (spmd_pick(c, 3) == 0) spmd_put_sharding(c, &c->arrays[c->n]);
    xg_putc(&c->text, '\n');
    c->n++;
}
static void spmd_put_list(spmd_case *c, const char *name, const uint32_t *p, uint32_t n) {
    uint32_t k;
    xg_printf(&c->text, ", %s={", name);
    for (k = 0; k < n; k++) xg_printf(&c->text, "%s%u", k ? "," : "", p[k]);
    xg_puts(&c->text, "}");
}

/* ---- instructions: of array x; false: not of that one ---- */

static bool spmd_make_pointwise(spmd_case *c, uint32_t x) {
    static const char *const ops[] = {"add", "maximum", "minimum", "subtract"};
    uint32_t k, y = x;
    for (k = 0; k < c->n; k++)
        if (c->arrays[k].rank == c->arrays[x].rank &&
            memcmp(c->arrays[k].dims, c->arrays[x].dims, c->arrays[x].rank * sizeof(int64_t)) == 0 && spmd_pick(c, 2))
            y = k;
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " %s(v%u, v%u)", ops[spmd_pick(c, 4)], x, y);
    return true;
}
static bool spmd_make_unary(spmd_case *c, uint32_t x) {
    static const char *const ints[] = {"negate", "abs", "sign", "not", "popcnt", "count-leading-zeros", "copy"};
    static const char *const floats[] = {"negate", "abs", "sign", "floor", "ceil", "round-nearest-even", "copy"};
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " %s(v%u)", (c->ints ? ints : floats)[spmd_pick(c, 7)], x);
    return true;
}
/* By another array's signs, or between two numbers. */
static bool spmd_make_choice(spmd_case *c, uint32_t x) {
    uint32_t n = c->n;
    if (spmd_pick(c, 2)) {
        spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
        xg_printf(&c->text, " clamp(zero, v%u, three)", x);
        return true;
    }
    xg_printf(&c->text, "  line%u = ", n);
    spmd_put_dims(c, &c->arrays[x]);
    xg_printf(&c->text, " iota(), iota_dimension=%u\n  above%u = ", spmd_pick(c, c->arrays[x].rank), n);
    spmd_put_dims_of(c, &c->arrays[x], "pred");
    xg_printf(&c->text, " compare(v%u, line%u), direction=%s\n", x, n, spmd_pick(c, 2) ? "GT" : "NE");
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " select(above%u, v%u, line%u)", n, x, n);
    return true;
}
/* To a narrower type and back, or its halves and back. */
static bool spmd_make_convert(spmd_case *c, uint32_t x) {
    uint32_t n = c->n;
    spmd_array halves = c->arrays[x];
    bool bits = halves.rank < 4 && spmd_pick(c, 2);
    halves.dims[halves.rank] = 2;
    halves.rank += bits;
    xg_printf(&c->text, "  narrow%u = ", n);
    spmd_put_dims_of(c, &halves, bits ? "u16" : "s8");
    xg_printf(&c->text, " %s(v%u)", bits ? "bitcast-convert" : "convert", x);
    if (spmd_pick(c, 2)) spmd_put_sharding(c, &halves);
    xg_putc(&c->text, '\n');
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " %s(narrow%u)", bits ? "bitcast-convert" : "convert", n);
    return true;
}
static bool spmd_make_transpose(spmd_case *c, uint32_t x) {
    uint32_t perm[6], k, n = c->arrays[x].rank;
    spmd_array *a = spmd_begin(c, &c->arrays[x]);
    for (k = 0; k < n; k++) perm[k] = k;
    for (k = n; k-- > 1;) {
        uint32_t at = spmd_pick(c, k + 1), swap = perm[k];
        perm[k] = perm[at];
        perm[at] = swap;
    }
    for (k = 0; k < n; k++) a->dims[k] = c->arrays[x].dims[perm[k]];
    spmd_put_dims(c, a);
    xg_printf(&c->text, " transpose(v%u)", x);
    spmd_put_list(c, "dimensions", perm, n);
    return true;
}
static bool spmd_make_reshape(spmd_case *c, uint32_t x) {
    int64_t left = 1;
    uint32_t k;
    spmd_array *a = spmd_begin(c, &c->arrays[x]);
    for (k = 0; k < a->rank; k++) left *= a->dims[k];
    for (a->rank = 0, k = 2; k <= left && a->rank < 3; k++)
        while (left % k == 0 && a->rank < 3) {
            if (a->rank && spmd_pick(c, 2))
                a->dims[a->rank - 1] *= k;
            else
                a->dims[a->rank++] = k;
            left /= k;
        }
    if (left > 1 || !a->rank) a->dims[a->rank++] = left;
    spmd_put_dims(c, a);
    xg_printf(&c->text, " reshape(v%u)", x);
    return true;
}
static bool spmd_make_reduce(spmd_case *c, uint32_t x) {
    uint32_t d = spmd_pick(c, c->arrays[x].rank), k;
    spmd_array *a = spmd_begin(c, &c->arrays[x]);
    for (k = d; k + 1 < a->rank; k++) a->dims[k] = a->dims[k + 1];
    a->rank--;
    spmd_put_dims(c, a);
    xg_printf(&c->text, " reduce(v%u, %s), dimensions={%u}, to_apply=%s", x, spmd_pick(c, 2) ? "zero" : "three", d,
        spmd_pick(c, 2) ? "sum" : "most");
    return true;
}
static bool spmd_make_broadcast(spmd_case *c, uint32_t x) {
    uint32_t at = spmd_pick(c, c->arrays[x].rank + 1), k, dims[6];
    spmd_array *a;
    if (c->arrays[x].rank > 3) return false;
    a = spmd_begin(c, &c->arrays[x]);
    for (k = a->rank; k > at; k--) a->dims[k] = a->dims[k - 1];
    a->dims[at] = 1 + spmd_pick(c, 5);
    a->rank++;
    for (k = 0; k + 1 < a->rank; k++) dims[k] = k + (k >= at);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " broadcast(v%u)", x);
    spmd_put_list(c, "dimensions", dims, a->rank - 1);
    return true;
}
static bool spmd_make_dot(spmd_case *c, uint32_t x) {
    uint32_t k, y, d, e, n = 0;
    const spmd_array *l = &c->arrays[x], *r;
    spmd_array *a, out;
    y = spmd_pick(c, c->n);
    r = &c->arrays[y];
    d = spmd_pick(c, l->rank);
    for (e = 0; e < r->rank && r->dims[e] != l->dims[d]; e++) {}
    if (e == r->rank || l->rank + r->rank - 2 > 4 || (!c->ints && c->products++ > 0)) return false;
    for (k = 0; k < l->rank; k++)
        if (k != d) out.dims[n++] = l->dims[k];
    for (k = 0; k < r->rank; k++)
        if (k != e) out.dims[n++] = r->dims[k];
    out.rank = n;
    a = spmd_begin(c, &out);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " dot(v%u, v%u), lhs_contracting_dims={%u}, rhs_contracting_dims={%u}", x, y, d, e);
    return true;
}
/* An array with itself, in a batch of its dimension d and summed over another one. */
static bool spmd_make_batch_dot(spmd_case *c, uint32_t x) {
    const spmd_array *in = &c->arrays[x];
    spmd_array out;
    uint32_t d, e, side, k;
    if (in->rank < 2 || in->rank > 3 || (!c->ints && c->products++ > 0)) return false;
    d = spmd_pick(c, in->rank);
    e = (d + 1 + spmd_pick(c, in->rank - 1)) % in->rank;
    out.rank = 1;
    out.dims[0] = in->dims[d];
    for (side = 0; side < 2; side++)
        for (k = 0; k < in->rank; k++)
            if (k != d && k != e) out.dims[out.rank++] = in->dims[k];
    spmd_put_dims(c, spmd_begin(c, &out));
    xg_printf(&c->text,
        " dot(v%u, v%u), lhs_batch_dims={%u}, rhs_batch_dims={%u}, lhs_contracting_dims={%u}, "
        "rhs_contracting_dims={%u}",
        x, x, d, d, e, e);
    return true;
}
/* The largest along a dimension, and where it stands. */
static bool spmd_make_argmax(spmd_case *c, uint32_t x) {
    spmd_array out = c->arrays[x];
    uint32_t d = spmd_pick(c, out.rank), k, n = c->n;
    out.rank--;
    for (k = d; k < out.rank; k++) out.dims[k] = out.dims[k + 1];
    xg_printf(&c->text, "  places%u = ", n);
    spmd_put_dims_of(c, &c->arrays[x], "s32");
    xg_printf(&c->text, " iota(), iota_dimension=%u\n  most%u = (", d, n);
    spmd_put_dims(c, &out);
    xg_puts(&c->text, ", ");
    spmd_put_dims_of(c, &out, "s32");
    xg_printf(&c->text, ") reduce(v%u, places%u, least, none), dimensions={%u}, to_apply=larger\n", x, n, d);
    xg_printf(&c->text, "  where%u = ", n);
    spmd_put_dims_of(c, &out, "s32");
    xg_printf(&c->text, " get-tuple-element(most%u), index=%u\n", n, c->ints ? spmd_pick(c, 2) : 1);
    spmd_put_dims(c, spmd_begin(c, &out));
    xg_printf(&c->text, " convert(where%u)", n);
    return true;
}
/* Rows, with numbers that go along. */
static bool spmd_make_sort_pairs(spmd_case *c, uint32_t x) {
    uint32_t d = spmd_pick(c, c->arrays[x].rank), n = c->n;
    xg_printf(&c->text, "  line%u = ", n);
    spmd_put_dims_of(c, &c->arrays[x], "s32");
    xg_printf(&c->text, " iota(), iota_dimension=%u\n  pairs%u = (", spmd_pick(c, c->arrays[x].rank), n);
    spmd_put_dims(c, &c->arrays[x]);
    xg_puts(&c->text, ", ");
    spmd_put_dims_of(c, &c->arrays[x], "s32");
    xg_printf(&c->text, ") sort(v%u, line%u), dimensions={%u}, is_stable=true, to_apply=below\n", x, n, d);
    xg_printf(&c->text, "  second%u = ", n);
    spmd_put_dims_of(c, &c->arrays[x], "s32");
    xg_printf(&c->text, " get-tuple-element(pairs%u), index=1\n", n);
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " convert(second%u)", n);
    return true;
}
/* One element of each row, by an index of its own. */
static bool spmd_make_batch_rows(spmd_case *c, uint32_t x) {
    const spmd_array *from = &c->arrays[x];
    spmd_array out, at;
    uint32_t k, n = c->n;
    if (from->rank != 2 && from->rank != 3) return false;
    out = at = *from;
    at.rank = 2;
    at.dims[1] = 1;
    out.rank = from->rank - 1;
    for (k = 1; k < out.rank; k++) out.dims[k] = from->dims[k + 1];
    xg_printf(&c->text, "  index%u = ", n);
    spmd_put_dims_of(c, &at, "s32");
    xg_puts(&c->text, " iota(), iota_dimension=0");
    if (spmd_pick(c, 2)) spmd_put_sharding(c, &at);
    xg_putc(&c->text, '\n');
    spmd_put_dims(c, spmd_begin(c, &out));
    xg_printf(&c->text, " gather(v%u, index%u), offset_dims={%s}, collapsed_slice_dims={1}, start_index_map={1}, ", x,
        n, from->rank == 3 ? "1" : "");
    xg_puts(
        &c->text, "operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1");
    if (from->rank == 3) xg_printf(&c->text, ",%lld", (long long)from->dims[2]);
    xg_puts(&c->text, "}");
    return true;
}
static bool spmd_make_slice(spmd_case *c, uint32_t x) {
    uint32_t k;
    spmd_array from = c->arrays[x], *a = spmd_begin(c, &from);
    int64_t start[6], limit[6], stride[6];
    for (k = 0; k < a->rank; k++) {
        start[k] = spmd_pick(c, 2) ? 0 : spmd_pick(c, (uint32_t)from.dims[k]);
        limit[k] = spmd_pick(c, 2) ? from.dims[k] : start[k] + 1 + spmd_pick(c, (uint32_t)(from.dims[k] - start[k]));
        stride[k] = spmd_pick(c, 4) ? 1 : 2;
        a->dims[k] = (limit[k] - start[k] + stride[k] - 1) / stride[k];
    }
    spmd_put_dims(c, a);
    xg_printf(&c->text, " slice(v%u), slice={", x);
    for (k = 0; k < a->rank; k++)
        xg_printf(&c->text, "%s[%lld:%lld:%lld]", k ? "," : "", (long long)start[k], (long long)limit[k],
            (long long)stride[k]);
    xg_puts(&c->text, "}");
    return true;
}
static bool spmd_make_pad(spmd_case *c, uint32_t x) {
    uint32_t k;
    spmd_array from = c->arrays[x], *a = spmd_begin(c, &from);
    int64_t low[6], high[6], inner[6];
    for (k = 0; k < a->rank; k++) {
        low[k] = spmd_pick(c, 2) ? 0 : (int64_t)spmd_pick(c, 4);
        high[k] = spmd_pick(c, 2) ? 0 : (int64_t)spmd_pick(c, 4);
        inner[k] = spmd_pick(c, 6) ? 0 : 1;
        a->dims[k] += low[k] + high[k] + (from.dims[k] - 1) * inner[k];
    }
    spmd_put_dims(c, a);
    xg_printf(&c->text, " pad(v%u, three), padding=", x);
    for (k = 0; k < a->rank; k++)
        xg_printf(
            &c->text, "%s%lld_%lld_%lld", k ? "x" : "", (long long)low[k], (long long)high[k], (long long)inner[k]);
    return true;
}
static bool spmd_make_along(spmd_case *c, uint32_t x) { /* reverse, sort, concatenate */
    uint32_t d = spmd_pick(c, c->arrays[x].rank), how = spmd_pick(c, 3);
    spmd_array *a = spmd_begin(c, &c->arrays[x]);
    if (how == 2) a->dims[d] *= 2;
    spmd_put_dims(c, a);
    if (how == 0)
        xg_printf(&c->text, " reverse(v%u), dimensions={%u}", x, d);
    else if (how == 1)
        xg_printf(&c->text, " sort(v%u), dimensions={%u}, to_apply=less", x, d);
    else
        xg_printf(&c->text, " concatenate(v%u, v%u), dimensions={%u}", x, x, d);
    return true;
}
/* The largest of rows, or where they stood. */
static bool spmd_make_top(spmd_case *c, uint32_t x) {
    spmd_array top = c->arrays[x];
    uint32_t last = top.rank - 1, n = c->n;
    top.dims[last] = 1 + spmd_pick(c, (uint32_t)top.dims[last]);
    xg_printf(&c->text, "  top%u = (", n);
    spmd_put_dims(c, &top);
    xg_puts(&c->text, ", ");
    spmd_put_dims_of(c, &top, "s32");
    xg_printf(&c->text, ") topk(v%u), k=%lld, largest=%s\n", x, (long long)top.dims[last],
        spmd_pick(c, 2) ? "true" : "false");
    if (c->ints || spmd_pick(c, 2)) {
        spmd_put_dims(c, spmd_begin(c, &top));
        xg_printf(&c->text, " get-tuple-element(top%u), index=%u", n, c->ints ? spmd_pick(c, 2) : 0);
        return true;
    }
    xg_printf(&c->text, "  places%u = ", n);
    spmd_put_dims_of(c, &top, "s32");
    xg_printf(&c->text, " get-tuple-element(top%u), index=1\n", n);
    spmd_put_dims(c, spmd_begin(c, &top));
    xg_printf(&c->text, " convert(places%u)", n);
    return true;
}
static bool spmd_make_window(spmd_case *c, uint32_t x) {
    uint32_t d = spmd_pick(c, c->arrays[x].rank), k, size = 1 + spmd_pick(c, 3), stride = 1 + spmd_pick(c, 2),
             low = spmd_pick(c, size), high = spmd_pick(c, size);
    spmd_array from = c->arrays[x], *a;
    if (from.dims[d] + low + high < size) return false;
    a = spmd_begin(c, &from);
    a->dims[d] = (from.dims[d] + low + high - size) / stride + 1;
    spmd_put_dims(c, a);
    xg_printf(&c->text, " reduce-window(v%u, zero), window={size=", x);
    for (k = 0; k < a->rank; k++) xg_printf(&c->text, "%s%u", k ? "x" : "", k == d ? size : 1);
    xg_puts(&c->text, " stride=");
    for (k = 0; k < a->rank; k++) xg_printf(&c->text, "%s%u", k ? "x" : "", k == d ? stride : 1);
    xg_puts(&c->text, " pad=");
    for (k = 0; k < a->rank; k++) xg_printf(&c->text, "%s%u_%u", k ? "x" : "", k == d ? low : 0, k == d ? high : 0);
    xg_printf(&c->text, "}, to_apply=%s", spmd_pick(c, 2) ? "sum" : "most");
    return true;
}
/* A slice at a place that is known only then, or an update of one. */
static bool spmd_make_dynamic(spmd_case *c, uint32_t x) {
    spmd_array from = c->arrays[x], part = from, *a;
    bool update = spmd_pick(c, 2) != 0;
    uint32_t k;
    for (k = 0; k < part.rank; k++)
        if (spmd_pick(c, 2)) part.dims[k] = 1 + spmd_pick(c, (uint32_t)part.dims[k]);
    a = spmd_begin(c, &part);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " dynamic-slice(v%u", x);
    for (k = 0; k < a->rank; k++) xg_printf(&c->text, ", at%u", spmd_pick(c, 3));
    xg_puts(&c->text, "), dynamic_slice_sizes={");
    for (k = 0; k < a->rank; k++) xg_printf(&c->text, "%s%lld", k ? "," : "", (long long)a->dims[k]);
    xg_puts(&c->text, "}");
    if (!update || c->n + 2 > SPMD_RANDOM_ARRAYS) return true;
    spmd_end(c);
    spmd_put_dims(c, spmd_begin(c, &from));
    xg_printf(&c->text, " dynamic-update-slice(v%u, v%u", x, c->n - 1);
    for (k = 0; k < from.rank; k++) xg_printf(&c->text, ", at%u", spmd_pick(c, 3));
    xg_puts(&c->text, ")");
    return true;
}
/* Rows by index, and back. */
static bool spmd_make_rows(spmd_case *c, uint32_t x) {
    spmd_array from = c->arrays[x], rows = from, *a;
    uint32_t dims[6], k;
    if (from.rank < 2) return false;
    rows.dims[0] = 5;
    for (k = 1; k < from.rank; k++) dims[k - 1] = k;
    a = spmd_begin(c, &rows);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " gather(v%u, rows)", x);
    spmd_put_list(c, "offset_dims", dims, from.rank - 1);
    xg_puts(&c->text, ", collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1");
    for (k = 1; k < from.rank; k++) xg_printf(&c->text, ",%lld", (long long)from.dims[k]);
    xg_puts(&c->text, "}");
    if (c->n + 2 > SPMD_RANDOM_ARRAYS || spmd_pick(c, 2)) return true;
    spmd_end(c);
    spmd_put_dims(c, spmd_begin(c, &from));
    xg_printf(&c->text, " scatter(v%u, rows, v%u)", x, c->n - 1);
    spmd_put_list(c, "update_window_dims", dims, from.rank - 1);
    xg_printf(&c->text, ", inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%s",
        spmd_pick(c, 2) ? "sum" : "most");
    return true;
}
/* Blocks by index, anywhere in the array, and back. */
static bool spmd_make_blocks(spmd_case *c, uint32_t x) {
    spmd_array from = c->arrays[x], blocks, *a;
    uint32_t dims[6], k;
    int64_t size[6];
    if (from.rank < 2 || from.rank > 3) return false;
    blocks.rank = from.rank + 1;
    blocks.dims[0] = 4;
    for (k = 0; k < from.rank; k++) {
        size[k] = spmd_pick(c, 3) ? 1 + spmd_pick(c, (uint32_t)from.dims[k]) : from.dims[k];
        blocks.dims[k + 1] = size[k];
        dims[k] = k + 1;
    }
    a = spmd_begin(c, &blocks);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " gather(v%u, blocks)", x);
    spmd_put_list(c, "offset_dims", dims, from.rank);
    xg_puts(&c->text, ", collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={");
    for (k = 0; k < from.rank; k++) xg_printf(&c->text, "%s%lld", k ? "," : "", (long long)size[k]);
    xg_puts(&c->text, "}");
    if (c->n + 2 > SPMD_RANDOM_ARRAYS || spmd_pick(c, 2)) return true;
    spmd_end(c);
    spmd_put_dims(c, spmd_begin(c, &from));
    xg_printf(&c->text, " scatter(v%u, blocks, v%u)", x, c->n - 1);
    spmd_put_list(c, "update_window_dims", dims, from.rank);
    xg_printf(&c->text,
        ", inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=%s",
        spmd_pick(c, 2) ? "sum" : "most");
    return true;
}
/* Along one spatial dimension: any stride, padding, dilation; groups where features allow them. */
static bool spmd_make_convolution(spmd_case *c, uint32_t x) {
    const spmd_array *in = &c->arrays[x];
    spmd_array kernel, out, *a;
    uint32_t size = 1 + spmd_pick(c, 4), stride = 1 + spmd_pick(c, 2), low = spmd_pick(c, 4), high = spmd_pick(c, 4),
             base = 1 + (spmd_pick(c, 4) == 0), wide = 1 + (spmd_pick(c, 4) == 0), groups = 1, batches = 1, k, y;
    int64_t padded;
    bool backward = spmd_pick(c, 4) == 0;
    if (in->rank != 3 || (!c->ints && c->products++ > 0) || c->n + 3 > SPMD_RANDOM_ARRAYS) return false;
    if (spmd_pick(c, 3) == 0)
        groups = (uint32_t)in->dims[2];
    else if (spmd_pick(c, 4) == 0)
        batches = (uint32_t)in->dims[0];
    padded = (in->dims[1] - 1) * base + 1 + low + high;
    if (padded < (int64_t)(size - 1) * wide + 1) return false;
    kernel.rank = out.rank = 3;
    kernel.dims[0] = size;
    kernel.dims[1] = in->dims[2] / groups;
    kernel.dims[2] = (1 + spmd_pick(c, 3)) * groups * batches;
    out.dims[0] = in->dims[0] / batches;
    out.dims[1] = (padded - (size - 1) * wide - 1) / stride + 1;
    out.dims[2] = kernel.dims[2];
    y = c->n;
    spmd_put_dims(c, spmd_begin(c, &kernel));
    xg_printf(&c->text, " iota(), iota_dimension=%u", spmd_pick(c, 3));
    spmd_end(c);
    k = c->n;
    spmd_put_dims(c, spmd_begin(c, &kernel));
    xg_printf(&c->text, " %s(v%u, v%u)", spmd_pick(c, 2) ? "add" : "subtract", y, y);
    spmd_end(c);
    a = spmd_begin(c, &out);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " convolution(v%u, v%u), window={size=%u stride=%u pad=%u_%u", x, k, size, stride, low, high);
    if (base > 1) xg_printf(&c->text, " lhs_dilate=%u", base);
    if (wide > 1) xg_printf(&c->text, " rhs_dilate=%u", wide);
    if (backward) xg_puts(&c->text, " rhs_reversal=1");
    xg_puts(&c->text, "}, dim_labels=b0f_0io->b0f");
    if (groups > 1) xg_printf(&c->text, ", feature_group_count=%u", groups);
    if (batches > 1) xg_printf(&c->text, ", batch_group_count=%u", batches);
    return true;
}
/* Where the largest of each window stands, sources are added. */
static bool spmd_make_scattered(spmd_case *c, uint32_t x) {
    spmd_array from = c->arrays[x], source = from;
    uint32_t d = spmd_pick(c, from.rank), size = 1 + spmd_pick(c, 3), stride = 1 + spmd_pick(c, 3), k,
             low = spmd_pick(c, size), high = spmd_pick(c, size);
    if (from.dims[d] + low + high < size || c->n + 2 > SPMD_RANDOM_ARRAYS) return false;
    source.dims[d] = (from.dims[d] + low + high - size) / stride + 1;
    spmd_put_dims(c, spmd_begin(c, &source));
    xg_printf(&c->text, " iota(), iota_dimension=%u", spmd_pick(c, source.rank));
    spmd_end(c);
    spmd_put_dims(c, spmd_begin(c, &from));
    xg_printf(&c->text, " select-and-scatter(v%u, v%u, zero), window={size=", x, c->n - 1);
    for (k = 0; k < from.rank; k++) xg_printf(&c->text, "%s%u", k ? "x" : "", k == d ? size : 1);
    xg_puts(&c->text, " stride=");
    for (k = 0; k < from.rank; k++) xg_printf(&c->text, "%s%u", k ? "x" : "", k == d ? stride : 1);
    xg_puts(&c->text, " pad=");
    for (k = 0; k < from.rank; k++) xg_printf(&c->text, "%s%u_%u", k ? "x" : "", k == d ? low : 0, k == d ? high : 0);
    xg_printf(&c->text, "}, select=%s, scatter=sum", spmd_pick(c, 2) ? "ge" : "lt");
    return true;
}
/* A step that keeps the shape, in a computation: x may be split otherwise inside. */
static void spmd_put_step(spmd_case *c, const char *name, uint32_t x, const char *in) {
    static const char *const ops[] = {"reverse", "sort", "negate", "abs"};
    xg_buf entry = c->text;
    uint32_t how = spmd_pick(c, 4), d = spmd_pick(c, c->arrays[x].rank);
    c->text = c->comps;
    xg_printf(&c->text, "  %s = ", name);
    spmd_put_dims(c, &c->arrays[x]);
    xg_printf(&c->text, " %s(%s)", ops[how], in);
    if (how < 2) xg_printf(&c->text, ", dimensions={%u}", d);
    if (how == 1) xg_puts(&c->text, ", to_apply=less");
    if (spmd_pick(c, 2)) spmd_put_sharding(c, &c->arrays[x]);
    xg_putc(&c->text, '\n');
    c->comps = c->text;
    c->text = entry;
}
static void spmd_put_state(spmd_case *c, xg_buf *b, uint32_t x) { /* (s32[], type[dims]) */
    xg_buf was = c->text;
    c->text = *b;
    xg_puts(&c->text, "(s32[], ");
    spmd_put_dims(c, &c->arrays[x]);
    xg_puts(&c->text, ")");
    *b = c->text;
    if (b != &c->text) c->text = was;
}
/* Two or three rounds of a step. */
static bool spmd_make_loop(spmd_case *c, uint32_t x) {
    uint32_t n = c->n, k;
    for (k = 0; k < 2; k++) {
        xg_printf(&c->comps, "%s%u {\n  s = ", k ? "body" : "cond", n);
        spmd_put_state(c, &c->comps, x);
        xg_puts(&c->comps, " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n");
        if (!k)
            xg_printf(&c->comps, "  n = s32[] constant(%u)\n  ROOT c = pred[] compare(i, n), direction=LT\n}\n",
                2 + spmd_pick(c, 2));
    }
    xg_puts(&c->comps, "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  x = ");
    {
        xg_buf entry = c->text;
        c->text = c->comps;
        spmd_put_dims(c, &c->arrays[x]);
        c->comps = c->text;
        c->text = entry;
    }
    xg_puts(&c->comps, " get-tuple-element(s), index=1\n");
    spmd_put_step(c, "y", x, "x");
    spmd_put_step(c, "z", x, "y");
    xg_puts(&c->comps, "  ROOT t = ");
    spmd_put_state(c, &c->comps, x);
    xg_puts(&c->comps, " tuple(j, z)\n}\n");
    xg_printf(&c->text, "  state%u = ", n);
    spmd_put_state(c, &c->text, x);
    xg_printf(&c->text, " tuple(at0, v%u)\n  w%u = ", x, n);
    spmd_put_state(c, &c->text, x);
    xg_printf(&c->text, " while(state%u), condition=cond%u, body=body%u\n", n, n, n);
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " get-tuple-element(w%u), index=1", n);
    return true;
}
/* A computation, or what nothing may be moved across. */
static bool spmd_make_call(spmd_case *c, uint32_t x) {
    uint32_t n = c->n;
    xg_buf entry = c->text;
    if (spmd_pick(c, 3) == 0) {
        spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
        xg_printf(&c->text, " opt-barrier(v%u)", x);
        return true;
    }
    xg_printf(&c->comps, "called%u {\n  x = ", n);
    c->text = c->comps;
    spmd_put_dims(c, &c->arrays[x]);
    c->comps = c->text;
    c->text = entry;
    xg_puts(&c->comps, " parameter(0)\n");
    spmd_put_step(c, "y", x, "x");
    spmd_put_step(c, "ROOT z", x, "y");
    xg_puts(&c->comps, "}\n");
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " call(v%u), to_apply=called%u", x, n);
    return true;
}
static bool spmd_make_branch(spmd_case *c, uint32_t x) {
    uint32_t n = c->n, k;
    for (k = 0; k < 2; k++) {
        xg_buf entry = c->text;
        xg_printf(&c->comps, "branch%u_%u {\n  x = ", n, k);
        c->text = c->comps;
        spmd_put_dims(c, &c->arrays[x]);
        c->comps = c->text;
        c->text = entry;
        xg_puts(&c->comps, " parameter(0)\n");
        spmd_put_step(c, "y", x, "x");
        spmd_put_step(c, "ROOT z", x, "y");
        xg_puts(&c->comps, "}\n");
    }
    xg_printf(&c->text, "  p%u = pred[] constant(%s)\n", n, spmd_pick(c, 2) ? "true" : "false");
    spmd_put_dims(c, spmd_begin(c, &c->arrays[x]));
    xg_printf(&c->text, " conditional(p%u, v%u, v%u), true_computation=branch%u_0, false_computation=branch%u_1", n, x,
        x, n, n);
    return true;
}
static bool spmd_make_iota(spmd_case *c, uint32_t x) {
    spmd_array *a = spmd_begin(c, &c->arrays[x]);
    spmd_put_dims(c, a);
    xg_printf(&c->text, " iota(), iota_dimension=%u", spmd_pick(c, a->rank));
    return true;
}

#define SPMD_MAKERS(X) \
    X(pointwise) \
    X(transpose) \
    X(reshape) \
    X(reduce) \
    X(broadcast) \
    X(dot) \
    X(slice) \
    X(unary) \
    X(choice) \
    X(convert) \
    X(batch_dot) \
    X(argmax) \
    X(sort_pairs) \
    X(batch_rows) \
    X(call) \
    X(pad) X(along) X(window) X(dynamic) X(rows) X(iota) X(blocks) X(convolution) X(scattered) X(loop) X(branch) X(top)

static void spmd_write_case(xg_stage *io, spmd_case *c) {
    static bool (*const makers[])(spmd_case *, uint32_t) = {
#define X(name) spmd_make_##name,
        SPMD_MAKERS(X)
#undef X
    };
    static const int64_t devices[] = {2, 3, 4, 4, 5, 6, 7, 8, 8, 8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 16};
    uint32_t params = 2 + spmd_pick(c, 2), steps = 3 + spmd_pick(c, 7), k, d;
    c->devices = devices[spmd_pick(c, XG_COUNT(devices))];
    c->ints = spmd_pick(c, 2) != 0;
    c->type = c->ints ? "s32" : "f32";
    xg_printf(&c->text, "HloModule random, num_partitions=%lld\n", (long long)c->devices);
    for (k = 0; k < 2; k++)
        xg_printf(&c->text, "%s { x = %s[] parameter(0) y = %s[] parameter(1) ROOT s = %s[] %s(x, y) }\n",
            k ? "most" : "sum", c->type, c->type, c->type, k ? "maximum" : "add");
    xg_printf(&c->text,
        "less { x = %s[] parameter(0) y = %s[] parameter(1) ROOT s = pred[] compare(x, y), direction=LT }\n", c->type,
        c->type);
    for (k = 0; k < 2; k++)
        xg_printf(&c->text,
            "%s { x = %s[] parameter(0) y = %s[] parameter(1) ROOT s = pred[] compare(x, y), direction=%s }\n",
            k ? "ge" : "lt", c->type, c->type, k ? "GE" : "LT");
    xg_printf(&c->text,
        "larger { a = %s[] parameter(0) i = s32[] parameter(1) b = %s[] parameter(2) j = s32[] parameter(3)\n"
        "  more = pred[] compare(a, b), direction=GT same = pred[] compare(a, b), direction=EQ\n"
        "  first = pred[] compare(i, j), direction=LT tie = pred[] and(same, first) left = pred[] or(more, tie)\n"
        "  v = %s[] select(left, a, b) k = s32[] select(left, i, j) ROOT t = (%s[], s32[]) tuple(v, k) }\n",
        c->type, c->type, c->type, c->type);
    xg_printf(&c->text,
        "below { a = %s[] parameter(0) b = %s[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)\n"
        "  ROOT s = pred[] compare(a, b), direction=LT }\n",
        c->type, c->type);
    c->comps = c->text;
    xg_buf_init(&c->text, io->arena);
    xg_printf(&c->text, "ENTRY e {\n  zero = %s[] constant(0)\n  three = %s[] constant(3)\n", c->type, c->type);
    xg_printf(&c->text, "  least = %s[] constant(-2000000000)\n  none = s32[] constant(2147483647)\n", c->type);
    xg_puts(&c->text, "  rows = s32[5,1] constant({{1},{0},{3},{1},{9}})\n");
    xg_puts(&c->text, "  blocks = s32[4,2] constant({{0,1},{2,0},{-1,1},{3,7}})\n");
    for (k = 0; k < 3; k++) xg_printf(&c->text, "  at%u = s32[] constant(%u)\n", k, k * 2);
    for (k = 0; k < params; k++) {
        spmd_array a;
        a.rank = 1 + spmd_pick(c, 3);
        for (d = 0; d < a.rank; d++) a.dims[d] = 1 + spmd_pick(c, 9);
        spmd_put_dims(c, spmd_begin(c, &a));
        xg_printf(&c->text, " parameter(%u)", k);
        spmd_put_sharding(c, &a);
        xg_putc(&c->text, '\n');
        c->n++;
    }
    for (k = 0; k < steps && c->n + 2 < SPMD_RANDOM_ARRAYS; k++) {
        uint32_t x = c->n - 1 - spmd_pick(c, XG_MIN(c->n, 3u));
        size_t was = c->text.n;
        if (!c->arrays[x].rank || c->arrays[x].rank > 4) continue;
        if (makers[spmd_pick(c, XG_COUNT(makers))](c, x))
            spmd_end(c);
        else
            c->text.n = was;
    }
    xg_puts(&c->text, "  ROOT t = (");
    for (k = 0; k < 2; k++) {
        if (k) xg_puts(&c->text, ", ");
        spmd_put_dims(c, &c->arrays[c->n - 1 - k]);
    }
    xg_printf(&c->text, ") tuple(v%u, v%u), sharding={", c->n - 1, c->n - 2);
    for (k = 0; k < 2; k++) {
        size_t at = c->text.n;
        const size_t skip = strlen(", sharding=");
        spmd_put_sharding(c, &c->arrays[c->n - 1 - k]);
        memmove(c->text.p + at, c->text.p + at + skip, c->text.n - at - skip);
        c->text.n -= skip;
        if (!k) xg_putc(&c->text, ',');
    }
    xg_puts(&c->text, "}\n}\n");
    xg_put(&c->comps, c->text.p, c->text.n);
    c->text = c->comps;
}

static bool spmd_check_case(xg_stage *io, const spmd_case *c, const char *passes) {
    xg_stage one = *io;
    size_t was = io->out.n;
    bool equal;
    one.in.text = c->text.p;
    one.in.size = c->text.n;
    one.args = passes;
    xg_buf_init(&one.out, io->arena);
    stage_spmd(&one);
    equal = one.out.n > 6 && memcmp(one.out.p, "equal,", 6) == 0;
    if (!equal) {
        xg_put(&io->out, one.out.p, one.out.n);
        xg_put(&io->out, c->text.p, c->text.n);
    }
    return equal && io->out.n == was;
}

static void stage_spmd_random(xg_stage *io) {
    char *at;
    uint64_t seed = strtoull(io->args, &at, 10), k;
    uint64_t count = strtoull(at, &at, 10), only = strtoull(at, &at, 10), wrong = 0;
    for (k = only ? only : 1; k <= (only ? only : count) && wrong < 3; k++) {
        xg_mark mark = xg_arena_mark(io->arena);
        bool ok = true;
        spmd_case c;
        memset(&c, 0, sizeof c);
        c.state = (seed << 32) + k * 7919;
        xg_buf_init(&c.text, io->arena);
        spmd_write_case(io, &c);
        if (only) xg_put(&io->out, c.text.p, c.text.n);
        ok = spmd_check_case(io, &c, "spmd-partitioner") &&
             spmd_check_case(io, &c, "sharding-propagation,spmd-partitioner");
        if (!ok) xg_printf(&io->out, "case %llu\n", (unsigned long long)k);
        wrong += !ok;
        if (ok && !only && io->out.n == 0) xg_arena_reset(io->arena, mark);
    }
    if (!wrong && !only) xg_printf(&io->out, "%llu equal\n", (unsigned long long)count);
}
