/* tests/programs/coverage.c -- small modules for opcode x type x rank x layout: evaluated, compiled, run on the
 * simulator, compared.
 *
 *     coverage [--table FILE.md] [--only OPCODE] [--backend NAME] [--quick] [--verbose], and the flags of platform.h
 *
 * Each opcode has a template (below) that writes one instruction for an element type, a rank and a layout. Arguments
 * hold the edges of their type: zeros of both signs, infinities, NaN, the largest and smallest values, and ordinary
 * numbers. A case passes when the simulator's result equals the evaluator's: integers and moved data exactly, floats
 * within the tolerance of their type. What is refused is counted with its reason, what differs is a failure. --quick
 * runs ranks 0 to 3 only, and every fifth of the sizes beside tiles and blocks. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include <stdio.h>
#include "platform.h"

enum {
    RANKS = 9,
    REASONS = 12
};
static const int64_t sizes[RANKS - 1] = {3, 4, 2, 5, 1, 2, 3, 2};

typedef struct tally {
    uint32_t cases, host, refused, refused_eval, failed, large;
    char reason[REASONS][160];
    uint32_t count[REASONS], reasons;
} tally;
typedef struct state {
    tally t[XG_OPCODE_COUNT];
    const char *only, *backend;
    bool verbose, quick;
    uint32_t made;
} state;

/* ---- writing shapes ---- */

typedef struct text {
    char p[8192];
    size_t n;
} text;
static void put(text *t, const char *format, ...) XG_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    va_list a;
    va_start(a, format);
    t->n += xg_vformat(t->p + t->n, sizeof t->p - t->n, format, a);
    if (t->n >= sizeof t->p) t->n = sizeof t->p - 1;
    va_end(a);
}

/* Layout 0: descending; 1: ascending; 2: descending rotated by one. */
typedef struct shape {
    xlagpu_type type;
    int rank, layout;
    int64_t dims[RANKS + 1];
} shape;
static shape shape_of(xlagpu_type type, int rank, int layout) {
    shape s;
    int k;
    memset(&s, 0, sizeof s);
    s.type = type;
    s.rank = rank;
    s.layout = layout;
    for (k = 0; k < rank; k++) s.dims[k] = sizes[k];
    return s;
}
static void put_shape(text *t, const shape *s) {
    int k;
    put(t, "%s[", xlagpu_type_text(s->type));
    for (k = 0; k < s->rank; k++) put(t, "%s%lld", k ? "," : "", (long long)s->dims[k]);
    put(t, "]{");
    for (k = 0; k < s->rank; k++)
        put(t, "%s%d", k ? "," : "", s->layout == 1 ? k : s->layout == 2 ? (s->rank - k) % s->rank : s->rank - 1 - k);
    put(t, "}");
}
static shape with_type(shape s, xlagpu_type t) {
    s.type = t;
    return s;
}
static shape scalar(xlagpu_type t) { return shape_of(t, 0, 0); }

/* ---- a case: parameters, then one instruction ---- */

/* mild: floats that sum without rounding; near: parameters (by bit) with integers around the bounds of small arrays.
 * own_head: computations of its own. */
typedef struct sample {
    text body;
    shape params[4];
    int n_params;
    shape result;
    bool has_result, skip, mild;
    unsigned near;
    const char *head;
    text own_head;
} sample;
static void param(sample *c, shape s) { c->params[c->n_params++] = s; }
static void result(sample *c, shape s) {
    c->result = s;
    c->has_result = true;
}
static void put_op(sample *c, const char *op, const char *attrs) {
    int k;
    put(&c->body, "  ROOT r = ");
    if (c->has_result) put_shape(&c->body, &c->result);
    put(&c->body, " %s(", op);
    for (k = 0; k < c->n_params; k++) put(&c->body, "%sp%d", k ? ", " : "", k);
    put(&c->body, ")%s\n", attrs);
}
static void whole(const sample *c, text *out) {
    int k;
    out->n = 0;
    put(out, "HloModule coverage\n\n%sENTRY main {\n", c->head ? c->head : "");
    for (k = 0; k < c->n_params; k++) {
        put(out, "  p%d = ", k);
        put_shape(out, &c->params[k]);
        put(out, " parameter(%d)\n", k);
    }
    put(out, "%s}\n", c->body.p);
}

static bool is_class(xlagpu_type t, int mask) { return (xg_type_class(t) & mask) != 0; }
static xlagpu_type real_of(xlagpu_type t) { return xg_type_real(t); }
static void list(text *t, const char *name, int n, int64_t (*value)(int)) {
    int k;
    put(t, ", %s={", name);
    for (k = 0; k < n; k++) put(t, "%s%lld", k ? "," : "", (long long)value(k));
    put(t, "}");
}
static int64_t same(int k) { return k; }

/* ---- what reads many elements, or reads where it is told ---- */

static void put_dims(text *t, const char *name, const int64_t *v, int n) {
    int k;
    put(t, "%s={", name);
    for (k = 0; k < n; k++) put(t, "%s%lld", k ? "," : "", (long long)v[k]);
    put(t, "}");
}
/* A reducer, or a comparator, of scalars: ROOT = op(x, y). */
static void put_computation(text *t, const char *name, xlagpu_type type, xlagpu_type result, const char *op) {
    const char *n = xlagpu_type_text(type);
    put(t, "%s {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT s = %s[] ", name, n, n,
        xlagpu_type_text(result));
    if (strcmp(op, "second") == 0) {
        t->n -= strlen("  ROOT s = ") + strlen(xlagpu_type_text(result)) + 3;
        put(t, "  z = %s[] add(x, x)\n  ROOT s = %s[] copy(y)\n}\n\n", n, n);
        return;
    }
    if (strncmp(op, "compare", 7) == 0)
        put(t, "compare(x, y), direction=%s\n}\n\n", op + 8);
    else
        put(t, "%s(x, y)\n}\n\n", op);
}
static const char *sum_of(xlagpu_type t) { return t == XLAGPU_PRED ? "or" : "add"; }
/* The first row of an array and its index, by value: (value, index) pairs, the larger value or the earlier index. */
static void put_argmax(text *t, const char *name, xlagpu_type type) {
    const char *n = xlagpu_type_text(type);
    put(t,
        "%s {\n  v = %s[] parameter(0)\n  i = s32[] parameter(1)\n  w = %s[] parameter(2)\n  j = s32[] parameter(3)\n  "
        "more = pred[] compare(v, w), direction=GE\n"
        "  value = %s[] select(more, v, w)\n  index = s32[] select(more, i, j)\n  ROOT r = (%s[], s32[]) tuple(value, "
        "index)\n}\n\n",
        name, n, n, n, n);
}
static void put_text_shape(text *t, xlagpu_type type, const int64_t *dims, int rank) {
    shape s = shape_of(type, rank, 0);
    int k;
    for (k = 0; k < rank; k++) s.dims[k] = dims[k];
    put_shape(t, &s);
}
static int64_t window_outputs(
    int64_t base, int64_t size, int64_t stride, int64_t low, int64_t high, int64_t base_dilation, int64_t dilation) {
    int64_t n = base ? (base - 1) * base_dilation + 1 + low + high : low + high, w = (size - 1) * dilation + 1;
    return n < w ? 0 : (n - w) / stride + 1;
}
/* NAME=AxBxC with one value per dimension. */
static void put_crosses(text *t, const char *name, int rank, const int64_t *v) {
    int k;
    put(t, " %s=", name);
    for (k = 0; k < rank; k++) put(t, "%s%lld", k ? "x" : "", (long long)v[k]);
}

static bool make_reduce(sample *c, xlagpu_type t, shape s, int variant) {
    shape r = s, index = with_type(s, XLAGPU_S32);
    text *h = &c->own_head;
    int rank = s.rank, k;
    r.layout = 0;
    if (rank == 0 || (variant == 2 && rank < 2)) return false;
    /* the maximum of complex numbers with NaNs depends on their order */
    if (variant == 1 && is_class(t, XGT_C)) {
        c->skip = true;
        return true;
    }
    param(c, s);
    if (variant == 3) { /* two arrays at once */
        param(c, index);
        put_argmax(h, "argmax", t);
        if (is_class(t, XGT_C)) {
            c->skip = true;
            return true;
        }
        for (k = 1; k < rank; k++) r.dims[k - 1] = s.dims[k];
        put(&c->body, "  low = %s[] constant(0)\n  none = s32[] constant(7)\n  t = (", xlagpu_type_text(t));
        put_text_shape(&c->body, t, r.dims, rank - 1);
        put(&c->body, ", ");
        put_text_shape(&c->body, XLAGPU_S32, r.dims, rank - 1);
        put(&c->body, ") reduce(p0, p1, low, none), dimensions={0}, to_apply=argmax\n  v = ");
        put_text_shape(&c->body, t, r.dims, rank - 1);
        put(&c->body, " get-tuple-element(t), index=0\n  i = ");
        put_text_shape(&c->body, XLAGPU_S32, r.dims, rank - 1);
        put(&c->body, " get-tuple-element(t), index=1\n  ROOT r = (");
        put_text_shape(&c->body, t, r.dims, rank - 1);
        put(&c->body, ", ");
        put_text_shape(&c->body, XLAGPU_S32, r.dims, rank - 1);
        put(&c->body, ") tuple(v, i)\n");
        return true;
    }
    if (variant > 3) return false;
    param(c, scalar(t));
    put_computation(h, "fold", t, t, variant == 1 ? "maximum" : sum_of(t));
    c->mild = variant != 1;
    if (variant == 0) {
        r.rank = rank - 1;
        put(&c->body, "  ROOT r = ");
        put_shape(&c->body, &r);
        put(&c->body, " reduce(p0, p1), dimensions={%d}, to_apply=fold\n", rank - 1);
        return true;
    }
    if (variant == 1) {
        r.rank = 0;
        put(&c->body, "  ROOT r = ");
        put_shape(&c->body, &r);
        put(&c->body, " reduce(p0, p1), ");
        {
            int64_t all[RANKS];
            for (k = 0; k < rank; k++) all[k] = k;
            put_dims(&c->body, "dimensions", all, rank);
        }
        put(&c->body, ", to_apply=fold\n");
        return true;
    }
    {
        int64_t two[2];
        two[0] = 0;
        two[1] = rank - 1;
        r.rank = rank - 2;
        for (k = 1; k + 1 < rank; k++) r.dims[k - 1] = s.dims[k];
        put(&c->body, "  ROOT r = ");
        put_shape(&c->body, &r);
        put(&c->body, " reduce(p0, p1), ");
        put_dims(&c->body, "dimensions", two, 2);
        put(&c->body, ", to_apply=fold\n");
    }
    return true;
}

static bool make_reduce_window(sample *c, xlagpu_type t, shape s, int variant) {
    int64_t size[RANKS], stride[RANKS], low[RANKS], high[RANKS], base[RANKS], dilation[RANKS];
    shape r = s;
    int rank = s.rank, k;
    if (rank == 0 || variant > 2 || (variant && rank > 4)) return false;
    for (k = 0; k < rank; k++) {
        size[k] = s.dims[k] > 1 ? 2 : 1;
        stride[k] = variant && k % 2 ? 2 : 1;
        low[k] = variant ? k % 3 : 0;
        high[k] = variant ? 1 : 0;
        base[k] = variant == 2 ? 2 : 1;
        dilation[k] = variant ? 1 + (k == 0) : 1;
        r.dims[k] = window_outputs(s.dims[k], size[k], stride[k], low[k], high[k], base[k], dilation[k]);
        if (!r.dims[k]) {
            c->skip = true;
            return true;
        }
    }
    param(c, s);
    param(c, scalar(t));
    put_computation(&c->own_head, "fold", t, t, variant == 1 ? "maximum" : sum_of(t));
    c->mild = true;
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, &r);
    put(&c->body, " reduce-window(p0, p1), window={");
    put_crosses(&c->body, "size", rank, size);
    if (variant) {
        put_crosses(&c->body, "stride", rank, stride);
        put(&c->body, " pad=");
        for (k = 0; k < rank; k++) put(&c->body, "%s%lld_%lld", k ? "x" : "", (long long)low[k], (long long)high[k]);
        put_crosses(&c->body, "lhs_dilate", rank, base);
        put_crosses(&c->body, "rhs_dilate", rank, dilation);
    }
    put(&c->body, "}, to_apply=fold\n");
    return true;
}

static bool make_select_and_scatter(sample *c, xlagpu_type t, shape s, int variant) {
    int64_t size[RANKS], stride[RANKS], low[RANKS], high[RANKS];
    shape source = s;
    int rank = s.rank, k;
    if (rank == 0 || rank > 3 || variant > 1) return false;
    for (k = 0; k < rank; k++) {
        size[k] = s.dims[k] > 1 ? 2 : 1;
        stride[k] = variant ? 1 : size[k];
        low[k] = variant ? k % 2 : 0;
        high[k] = variant;
        source.dims[k] = window_outputs(s.dims[k], size[k], stride[k], low[k], high[k], 1, 1);
    }
    source.layout = 0;
    param(c, s);
    param(c, source);
    param(c, scalar(t));
    if (is_class(t, XGT_P)) c->skip = true;
    put_computation(&c->own_head, "pick", t, XLAGPU_PRED, "compare GE");
    put_computation(&c->own_head, "fold", t, t, sum_of(t));
    c->mild = true;
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, &s);
    put(&c->body, " select-and-scatter(p0, p1, p2), window={");
    put_crosses(&c->body, "size", rank, size);
    put_crosses(&c->body, "stride", rank, stride);
    put(&c->body, " pad=");
    for (k = 0; k < rank; k++) put(&c->body, "%s%lld_%lld", k ? "x" : "", (long long)low[k], (long long)high[k]);
    put(&c->body, "}, select=pick, scatter=fold\n");
    return true;
}

static bool make_dot(sample *c, xlagpu_type t, int layout, int rank, int variant) {
    shape x = shape_of(t, rank, layout), y = x, r = x;
    xlagpu_type wide = is_class(t, XGT_P | XGT_C) ? t : is_class(t, XGT_I) ? XLAGPU_S32 : XLAGPU_F32;
    if (rank < 1 || rank > 4 || variant > 1) return false;
    r.type = variant ? wide : t;
    r.layout = 0;
    c->mild = true;
    param(c, x);
    switch (rank) {
    case 1:
        y.rank = 1;
        r.rank = 0;
        put(&c->own_head, "lhs_contracting_dims={0}, rhs_contracting_dims={0}");
        break;
    case 2:
        y.dims[0] = x.dims[1];
        y.dims[1] = 6;
        r.dims[1] = 6;
        put(&c->own_head, "lhs_contracting_dims={1}, rhs_contracting_dims={0}");
        break;
    case 3: /* [b,m,k] x [n,b,k] */
        y.dims[0] = 5;
        y.dims[1] = x.dims[0];
        y.dims[2] = x.dims[2];
        r.dims[2] = 5;
        put(&c->own_head, "lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={1}, rhs_contracting_dims={2}");
        break;
    default: /* two contracted: [m,p,q,b] x [q,n,p,b] */
        y.dims[0] = x.dims[2];
        y.dims[1] = 3;
        y.dims[2] = x.dims[1];
        y.dims[3] = x.dims[3];
        r.rank = 3;
        r.dims[0] = x.dims[3];
        r.dims[1] = x.dims[0];
        r.dims[2] = 3;
        put(&c->own_head,
            "lhs_batch_dims={3}, lhs_contracting_dims={1,2}, rhs_batch_dims={3}, rhs_contracting_dims={2,0}");
        break;
    }
    param(c, y);
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, &r);
    put(&c->body, " dot(p0, p1), %s\n", c->own_head.p);
    memset(&c->own_head, 0, sizeof c->own_head);
    return true;
}

/* Spatial ranks 0 to 2; variants: plain; padded, strided, both dilations, reversed; feature groups; batch groups. */
static bool make_convolution(sample *c, xlagpu_type t, int layout, int rank, int variant) {
    static const char *const labels[] = {"bf_oi->bf", "b0f_0io->b0f", "bf01_oi01->bf01"};
    int n = rank - 2, k;
    int64_t base[2], size[2], out[2], features = 4, groups = variant == 2 ? 2 : 1, batches = variant == 3 ? 2 : 1,
                                      batch = 4, outputs = 6;
    shape x = shape_of(t, rank, layout), w = shape_of(t, rank, 0), r = shape_of(t, rank, 0);
    if (rank < 2 || rank > 4 || variant > 3 || (n == 0 && variant == 1)) return false;
    for (k = 0; k < n; k++) {
        base[k] = 5 - k;
        size[k] = 2 + (k == 0);
        out[k] = variant == 1 ? window_outputs(base[k], size[k], 2, 1, 2, 2, 2)
                              : window_outputs(base[k], size[k], 1, 0, 0, 1, 1);
    }
    x.dims[0] = batch;
    r.dims[0] = batch / batches;
    if (n == 1) {
        x.dims[1] = base[0];
        x.dims[2] = features;
        w.dims[0] = size[0];
        w.dims[1] = features / groups;
        w.dims[2] = outputs;
        r.dims[1] = out[0];
        r.dims[2] = outputs;
    } else {
        x.dims[1] = features;
        w.dims[0] = outputs;
        w.dims[1] = features / groups;
        r.dims[1] = outputs;
        for (k = 0; k < n; k++) {
            x.dims[2 + k] = base[k];
            w.dims[2 + k] = size[k];
            r.dims[2 + k] = out[k];
        }
    }
    c->mild = true;
    param(c, x);
    param(c, w);
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, &r);
    put(&c->body, " convolution(p0, p1), ");
    if (n) {
        put(&c->body, "window={size=%lld", (long long)size[0]);
        if (n == 2) put(&c->body, "x%lld", (long long)size[1]);
        if (variant == 1)
            put(&c->body, n == 2 ? " stride=2x2 pad=1_2x1_2 lhs_dilate=2x2 rhs_dilate=2x2 rhs_reversal=1x0"
                                 : " stride=2 pad=1_2 lhs_dilate=2 rhs_dilate=2 rhs_reversal=1");
        put(&c->body, "}, ");
    }
    put(&c->body, "dim_labels=%s", labels[n]);
    if (groups > 1) put(&c->body, ", feature_group_count=2");
    if (batches > 1) put(&c->body, ", batch_group_count=2");
    put(&c->body, "\n");
    return true;
}

/* Totally ordered comparisons, so that there is one right order. */
static bool make_sort(sample *c, xlagpu_type t, shape s, int variant) {
    bool pair = variant >= s.rank;
    int dim = variant % (s.rank ? s.rank : 1);
    shape index = with_type(s, XLAGPU_S32);
    const char *n = xlagpu_type_text(t);
    if (s.rank == 0 || s.rank > 3 || variant >= 2 * s.rank) return false;
    if (is_class(t, XGT_C)) {
        c->skip = true;
        return true;
    }
    s.dims[dim] = s.rank == 1 ? (pair ? 600 : 64) : 5;
    index.dims[dim] = s.dims[dim];
    if (pair) index.layout = s.layout;
    param(c, s);
    if (pair) {
        param(c, index);
        put(&c->own_head,
            "before {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  i = s32[] parameter(2)\n  j = s32[] "
            "parameter(3)\n  ROOT s = pred[] compare(x, y), direction=GT%s\n}\n\n",
            n, n, is_class(t, XGT_F) ? ", type=TOTALORDER" : "");
        put(&c->body, "  t = (");
        put_shape(&c->body, &s);
        put(&c->body, ", ");
        put_shape(&c->body, &index);
        put(&c->body, ") sort(p0, p1), dimensions={%d}, is_stable=true, to_apply=before\n  v = ", dim);
        put_shape(&c->body, &s);
        put(&c->body, " get-tuple-element(t), index=0\n  i = ");
        put_shape(&c->body, &index);
        put(&c->body, " get-tuple-element(t), index=1\n  ROOT r = (");
        put_shape(&c->body, &s);
        put(&c->body, ", ");
        put_shape(&c->body, &index);
        put(&c->body, ") tuple(v, i)\n");
        return true;
    }
    put_computation(
        &c->own_head, "before", t, XLAGPU_PRED, is_class(t, XGT_F) ? "compare LT, type=TOTALORDER" : "compare LT");
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, &s);
    put(&c->body, " sort(p0), dimensions={%d}, to_apply=before\n", dim);
    return true;
}

static bool make_topk(sample *c, xlagpu_type t, int rank, int variant) {
    int64_t dims[RANKS], last = 37;
    int k;
    if (rank == 0 || rank > 3 || variant > 1) return false;
    {
        shape s = shape_of(t, rank, 0);
        s.dims[rank - 1] = last;
        param(c, s);
        for (k = 0; k < rank; k++) dims[k] = s.dims[k];
    }
    dims[rank - 1] = 5;
    put(&c->body, "  t = (");
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, ", ");
    put_text_shape(&c->body, XLAGPU_S32, dims, rank);
    put(&c->body, ") topk(p0), k=5, largest=%s\n  v = ", variant ? "false" : "true");
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, " get-tuple-element(t), index=0\n  i = ");
    put_text_shape(&c->body, XLAGPU_S32, dims, rank);
    put(&c->body, " get-tuple-element(t), index=1\n  ROOT r = (");
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, ", ");
    put_text_shape(&c->body, XLAGPU_S32, dims, rank);
    put(&c->body, ") tuple(v, i)\n");
    return true;
}

/* Gathers and the scatters that undo them. Variants: rows; boxes of two dimensions at once, vector dimension first;
 * batching dimensions; rows by u8 or s64 indices. */
static bool make_gather(sample *c, xlagpu_type t, int layout, int variant, bool scatter) {
    shape o = shape_of(t, 2, layout), i = shape_of(XLAGPU_S32, 1, 0), r = shape_of(t, 2, 0);
    const char *attrs = NULL;
    if (variant > 4) return false;
    o.dims[0] = 5;
    o.dims[1] = 4;
    c->near = 2;
    c->mild = true;
    switch (variant) {
    case 0:
    case 3:
    case 4:
        i.type = variant == 3 ? XLAGPU_U8 : variant == 4 ? XLAGPU_S64 : XLAGPU_S32;
        i.dims[0] = 6;
        r.dims[0] = 6;
        r.dims[1] = 4;
        attrs = scatter ? "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                          "index_vector_dim=1"
                        : "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
                          "slice_sizes={1,4}";
        break;
    case 1:
        i.rank = 3;
        i.dims[0] = 2;
        i.dims[1] = 3;
        i.dims[2] = 2;
        r.rank = 4;
        r.dims[0] = 2;
        r.dims[1] = 3;
        r.dims[2] = 3;
        r.dims[3] = 2;
        attrs = scatter ? "update_window_dims={0,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={1,0}, "
                          "index_vector_dim=0"
                        : "offset_dims={0,2}, collapsed_slice_dims={}, start_index_map={1,0}, index_vector_dim=0, "
                          "slice_sizes={2,3}";
        r.dims[0] = 2;
        r.dims[1] = 3;
        r.dims[2] = 3;
        r.dims[3] = 2;
        break;
    default:
        o.rank = 3;
        o.dims[0] = 3;
        o.dims[1] = 5;
        o.dims[2] = 2;
        o.layout = layout;
        i.rank = 2;
        i.dims[0] = 3;
        i.dims[1] = 4;
        r.rank = 3;
        r.dims[0] = 3;
        r.dims[1] = 4;
        r.dims[2] = 2;
        attrs = scatter ? "update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                          "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2"
                        : "offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
                          "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,2}";
        break;
    }
    param(c, o);
    param(c, i);
    put(&c->body, "  ROOT r = ");
    if (!scatter) {
        put_shape(&c->body, &r);
        put(&c->body, " gather(p0, p1), %s\n", attrs);
        return true;
    }
    param(c, r);
    put_computation(&c->own_head, "fold", t, t, variant == 3 ? "second" : sum_of(t));
    put_shape(&c->body, &o);
    put(&c->body, " scatter(p0, p1, p2), %s, to_apply=fold\n", attrs);
    return true;
}

static bool make_random(sample *c, xlagpu_type t, int rank, int layout, int variant) {
    int64_t dims[RANKS];
    shape key = shape_of(XLAGPU_U64, 1, 0);
    int k;
    if (layout || variant > 2 || rank > 3 || !is_class(t, XGT_I)) return false;
    key.dims[0] = variant == 2 ? 3 : 2;
    param(c, key);
    for (k = 0; k < rank; k++) dims[k] = k == 1 ? 3 : 7 - k;
    put(&c->body, "  t = (u64[%lld]{0}, ", (long long)key.dims[0]);
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, ") rng-bit-generator(p0), algorithm=%s\n  s = u64[%lld]{0} get-tuple-element(t), index=0\n  b = ",
        variant ? "rng_philox" : "rng_three_fry", (long long)key.dims[0]);
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, " get-tuple-element(t), index=1\n  ROOT r = (u64[%lld]{0}, ", (long long)key.dims[0]);
    put_text_shape(&c->body, t, dims, rank);
    put(&c->body, ") tuple(s, b)\n");
    return true;
}

/* A running sum along the first dimension, and from the end the largest along the last. */
static bool make_scan(sample *c, xlagpu_type t, shape s, int variant) {
    shape slice = s;
    int dim = variant ? s.rank - 1 : 0, k;
    if (variant > 1 || s.rank == 0) return false;
    if (variant && is_class(t, XGT_C)) {
        c->skip = true;
        return true;
    }
    slice.rank--;
    slice.layout = 0;
    for (k = dim; k < slice.rank; k++) slice.dims[k] = s.dims[k + 1];
    put(&c->own_head, "step_ {\n  x = ");
    put_shape(&c->own_head, &slice);
    put(&c->own_head, " parameter(0)\n  y = ");
    put_shape(&c->own_head, &slice);
    put(&c->own_head, " parameter(1)\n  s = ");
    put_shape(&c->own_head, &slice);
    put(&c->own_head, " %s(x, y)\n  ROOT t = (", variant ? "maximum" : sum_of(t));
    put_shape(&c->own_head, &slice);
    put(&c->own_head, ", ");
    put_shape(&c->own_head, &slice);
    put(&c->own_head, ") tuple(s, s)\n}\n\n");
    param(c, s);
    param(c, slice);
    s.layout = 0;
    put(&c->body, "  ROOT r = (");
    put_shape(&c->body, &s);
    put(&c->body, ", ");
    put_shape(&c->body, &slice);
    put(&c->body, ") scan(p0, p1), dimensions={%d}, num_carries=1%s, to_apply=step_\n", dim,
        variant ? ", is_reverse=true, is_associative=true" : "");
    return true;
}
static void put_bounded(text *t, shape s) {
    int k;
    put(t, "%s[", xlagpu_type_text(s.type));
    for (k = 0; k < s.rank; k++) put(t, "%s%s%lld", k ? "," : "", k ? "" : "<=", (long long)s.dims[k]);
    put(t, "]");
}
/* Of the first dimension all but one; then what is left, in one dimension: as arrays of fixed sizes. */
static bool make_sized(sample *c, xlagpu_type t, shape s, int variant, bool reshaped) {
    shape all = shape_of(t, 1, 0);
    int64_t rest = 1;
    int k;
    if (variant || s.rank == 0) return false;
    for (k = 1; k < s.rank; k++) rest *= s.dims[k];
    all.dims[0] = rest * s.dims[0];
    param(c, s);
    put(&c->body, "  n = s32[] constant(%lld)\n  d = ", (long long)s.dims[0] - 1);
    put_bounded(&c->body, s);
    put(&c->body, " set-dimension-size(p0, n), dimensions={0}\n");
    if (reshaped) {
        put(&c->body, "  m = s32[] constant(%lld)\n  e = ", (long long)(rest * (s.dims[0] - 1)));
        put_bounded(&c->body, all);
        put(&c->body, " dynamic-reshape(d, m)\n");
    }
    put(&c->body, "  ROOT r = ");
    put_shape(&c->body, reshaped ? &all : &s);
    put(&c->body, " copy(%s)\n", reshaped ? "e" : "d");
    return true;
}

static bool make_contraction(sample *c, xg_opcode op, xlagpu_type t, int rank, int layout, int variant) {
    shape s = shape_of(t, rank, layout);
    switch (op) {
    case XG_REDUCE: return make_reduce(c, t, s, variant);
    case XG_REDUCE_WINDOW: return make_reduce_window(c, t, s, variant);
    case XG_SELECT_AND_SCATTER: return make_select_and_scatter(c, t, s, variant);
    case XG_DOT: return make_dot(c, t, layout, rank, variant);
    case XG_CONVOLUTION: return make_convolution(c, t, layout, rank, variant);
    case XG_SORT: return make_sort(c, t, s, variant);
    case XG_TOPK: return layout == 0 && make_topk(c, t, rank, variant);
    case XG_GATHER:
    case XG_SCATTER: return rank == 2 && make_gather(c, t, layout, variant, op == XG_SCATTER);
    case XG_RNG_BIT_GENERATOR: return make_random(c, t, rank, layout, variant);
    case XG_SCAN: return make_scan(c, t, s, variant);
    case XG_SET_DIMENSION_SIZE:
    case XG_DYNAMIC_RESHAPE: return make_sized(c, t, s, variant, op == XG_DYNAMIC_RESHAPE);
    default: return false;
    }
}

/* The template of an opcode; variant numbers choose among attribute values (and target types of convert). False: there
 * is no such variant. */
static bool make(sample *c, xg_opcode op, xlagpu_type t, int rank, int layout, int variant) {
    const char *name = xg_op_name(op);
    shape s = shape_of(t, rank, layout), r = s;
    text a;
    int k;
    memset(c, 0, sizeof *c);
    memset(&a, 0, sizeof a);
    if (xg_op_flags(op) & XGF_EW && op != XG_SELECT && op != XG_CLAMP && op != XG_COMPARE && op != XG_CONVERT &&
        op != XG_REDUCE_PRECISION && op != XG_STOCHASTIC_CONVERT && op != XG_COMPLEX) {
        static const char *const two = " add subtract multiply mulhi divide remainder power atan2 maximum minimum and "
                                       "or xor shift-left shift-right-arithmetic shift-right-logical ";
        char padded[64];
        if (variant) return false;
        xg_format(padded, sizeof padded, " %s ", name);
        param(c, s);
        if (strstr(two, padded)) param(c, s);
        if (op == XG_IS_FINITE) r = with_type(s, XLAGPU_PRED);
        if (op == XG_ABS || op == XG_REAL || op == XG_IMAG) r = with_type(s, real_of(t));
        if (op == XG_COPY) r.layout = 0;
        result(c, r);
        put_op(c, name, "");
        return true;
    }
    switch (op) {
    case XG_COMPARE: {
        static const char *const rows[] = {
            "EQ", "NE", "LT", "LE", "GT", "GE", "LT, type=TOTALORDER", "EQ, type=TOTALORDER"};
        if (variant >= (is_class(t, XGT_F) ? 8 : 6)) return false;
        param(c, s);
        param(c, s);
        result(c, with_type(s, XLAGPU_PRED));
        put(&a, ", direction=%s", rows[variant]);
        break;
    }
    case XG_CONVERT:
        if (variant >= XLAGPU_TUPLE - 1) return false;
        param(c, s);
        result(c, with_type(s, (xlagpu_type)(variant + 1)));
        if (is_class(t, XGT_C) && !is_class(c->result.type, XGT_C)) c->skip = true;
        break;
    case XG_COMPLEX:
        if (variant) return false;
        param(c, s);
        param(c, s);
        result(c, with_type(s, t == XLAGPU_F64 ? XLAGPU_C128 : XLAGPU_C64));
        c->skip = t != XLAGPU_F32 && t != XLAGPU_F64;
        break;
    case XG_REDUCE_PRECISION:
        if (variant > 2) return false;
        param(c, s);
        result(c, s);
        put(&a, ", exponent_bits=%d, mantissa_bits=%d",
            variant == 0   ? 5
            : variant == 1 ? 8
                           : 4,
            variant == 0   ? 10
            : variant == 1 ? 7
                           : 3);
        break;
    case XG_STOCHASTIC_CONVERT:
        if (variant > 1) return false;
        param(c, s);
        param(c, with_type(s, xg_type_bits(t) == 64   ? XLAGPU_U64
                              : xg_type_bits(t) == 32 ? XLAGPU_U32
                              : xg_type_bits(t) == 16 ? XLAGPU_U16
                                                      : XLAGPU_U8));
        result(c, with_type(s, variant ? XLAGPU_S32 : XLAGPU_S8));
        break;
    case XG_SELECT:
        if (variant > 1) return false;
        param(c, variant ? scalar(XLAGPU_PRED) : with_type(s, XLAGPU_PRED));
        param(c, s);
        param(c, s);
        result(c, s);
        break;
    case XG_CLAMP:
        if (variant > 1) return false;
        param(c, variant ? scalar(t) : s);
        param(c, s);
        param(c, variant ? scalar(t) : s);
        result(c, s);
        break;
    case XG_IOTA:
        if (variant >= rank) return false;
        result(c, s);
        put(&a, ", iota_dimension=%d", variant);
        break;
    case XG_CONSTANT:
        if (variant || rank > 1 || (rank && layout)) return false;
        result(c, s);
        put(&c->body, "  ROOT r = ");
        put_shape(&c->body, &s);
        put(&c->body, rank                 ? " constant({1, 0, 1})\n"
                      : is_class(t, XGT_P) ? " constant(true)\n"
                      : is_class(t, XGT_C) ? " constant((1, 0))\n"
                                           : " constant(1)\n");
        if (rank && is_class(t, XGT_C)) c->skip = true;
        return true;
    case XG_PARAMETER:
        if (variant) return false;
        param(c, s);
        put(&c->body, "  ROOT r = ");
        put_shape(&c->body, &s);
        put(&c->body, " parameter(1)\n");
        c->n_params = 2;
        c->params[1] = s;
        c->params[0] = s;
        {
            text only = c->body;
            memset(&c->body, 0, sizeof c->body);
            put(&c->body, "%s", only.p);
            c->skip = false;
        }
        return true;
    case XG_BITCAST:
        if (variant || rank < 1) return false;
        param(c, s);
        r.layout = 0;
        r.rank = 1;
        r.dims[0] = 1;
        for (k = 0; k < rank; k++) r.dims[0] *= s.dims[k];
        result(c, r);
        break;
    case XG_BITCAST_CONVERT: {
        static const xlagpu_type to[] = {
            XLAGPU_U8, XLAGPU_S16, XLAGPU_F32, XLAGPU_U64, XLAGPU_BF16, XLAGPU_F64, XLAGPU_U4};
        int from = xg_type_bits(t), bits;
        if (variant >= (int)XG_COUNT(to)) return false;
        bits = xg_type_bits(to[variant]);
        param(c, s);
        r = with_type(s, to[variant]);
        if (bits < from) {
            r.dims[r.rank++] = from / bits;
            if (r.layout == 1) r.layout = 0;
            r.layout = 0;
        }
        if (bits > from) {
            if (rank == 0) {
                c->skip = true;
                break;
            }
            r.rank--;
            c->params[0].dims[rank - 1] = bits / from;
            r.layout = 0;
        }
        if (is_class(t, XGT_P | XGT_C) && bits != from) c->skip = true;
        if (r.rank > 8) c->skip = true;
        result(c, r);
        break;
    }
    case XG_RESHAPE:
        if (variant) return false;
        param(c, s);
        r.layout = 0;
        r.rank = 2;
        r.dims[0] = 1;
        r.dims[1] = 1;
        for (k = 0; k < rank; k++) r.dims[k < rank / 2] *= s.dims[k];
        result(c, r);
        break;
    case XG_BROADCAST:
        if (variant > 1 || rank > 7) return false;
        {
            shape o = s;
            int kept = variant ? 0 : rank;
            o = shape_of(t, kept, kept > 1 ? layout : 0);
            param(c, o);
            r = shape_of(t, rank + 1, rank ? layout : 0);
            r.dims[0] = 3;
            for (k = 0; k < rank; k++) r.dims[k + 1] = s.dims[k];
            result(c, r);
            put(&a, ", dimensions={");
            for (k = 0; k < kept; k++) put(&a, "%s%d", k ? "," : "", k + 1);
            put(&a, "}");
        }
        break;
    case XG_TRANSPOSE:
        if (variant > 1) return false;
        param(c, s);
        r.layout = 0;
        put(&a, ", dimensions={");
        for (k = 0; k < rank; k++) {
            int d = variant ? (k + 1) % rank : rank - 1 - k;
            r.dims[k] = s.dims[d];
            put(&a, "%s%d", k ? "," : "", d);
        }
        put(&a, "}");
        result(c, r);
        break;
    case XG_REVERSE:
        if (variant) return false;
        param(c, s);
        result(c, s);
        list(&a, "dimensions", rank, same);
        break;
    case XG_SLICE:
        if (variant > 1) return false;
        param(c, s);
        put(&a, ", slice={");
        for (k = 0; k < rank; k++) {
            int64_t lo = s.dims[k] > 1, step = variant ? 2 : 1;
            r.dims[k] = (s.dims[k] - lo + step - 1) / step;
            put(&a, "%s[%lld:%lld:%lld]", k ? ", " : "", (long long)lo, (long long)s.dims[k], (long long)step);
        }
        put(&a, "}");
        result(c, r);
        break;
    case XG_PAD:
        if (variant > 2) return false;
        param(c, s);
        param(c, scalar(t));
        put(&a, rank ? ", padding=" : ", padding=");
        if (!rank) { c->skip = true; }
        for (k = 0; k < rank; k++) {
            int64_t lo = variant == 2 && s.dims[k] > 1 ? -1 : 1, hi = 2, in = variant == 1;
            r.dims[k] = s.dims[k] + lo + hi + in * (s.dims[k] - 1);
            put(&a, "%s%lld_%lld_%lld", k ? "x" : "", (long long)lo, (long long)hi, (long long)in);
        }
        result(c, r);
        break;
    case XG_CONCATENATE:
        if (variant >= rank || variant > 3) return false;
        param(c, s);
        param(c, s);
        param(c, s);
        r.dims[variant] *= 3;
        result(c, r);
        put(&a, ", dimensions={%d}", variant);
        break;
    case XG_DYNAMIC_SLICE:
    case XG_DYNAMIC_UPDATE_SLICE:
        if (variant > 1 || rank == 0 || rank > 2) return false;
        param(c, s);
        for (k = 0; k < rank; k++) r.dims[k] = s.dims[k] - (s.dims[k] > 1);
        if (op == XG_DYNAMIC_UPDATE_SLICE) param(c, r);
        if (rank == 2 && op == XG_DYNAMIC_UPDATE_SLICE) return variant == 0 && rank == 1;
        for (k = 0; k < rank; k++) param(c, scalar(variant ? XLAGPU_U8 : XLAGPU_S32));
        if (op == XG_DYNAMIC_SLICE) {
            put(&a, ", dynamic_slice_sizes={");
            for (k = 0; k < rank; k++) put(&a, "%s%lld", k ? "," : "", (long long)r.dims[k]);
            put(&a, "}");
            result(c, r);
        } else
            result(c, s);
        break;
    case XG_REDUCE:
    case XG_REDUCE_WINDOW:
    case XG_DOT:
    case XG_CONVOLUTION:
    case XG_SORT:
    case XG_TOPK:
    case XG_GATHER:
    case XG_SCATTER:
    case XG_SELECT_AND_SCATTER:
    case XG_RNG_BIT_GENERATOR:
    case XG_SCAN:
    case XG_SET_DIMENSION_SIZE:
    case XG_DYNAMIC_RESHAPE: return make_contraction(c, op, t, rank, layout, variant);
    case XG_MAP:
        if (variant || rank == 0) return false;
        param(c, s);
        param(c, s);
        result(c, s);
        list(&a, "dimensions", rank, same);
        put(&a, ", to_apply=add_");
        c->head = "add";
        break;
    case XG_CALL:
        if (variant || rank) return false;
        param(c, s);
        param(c, s);
        result(c, s);
        put(&a, ", to_apply=add_");
        c->head = "add";
        break;
    case XG_FUSION:
        if (variant || rank) return false;
        param(c, s);
        param(c, s);
        result(c, s);
        put(&a, ", kind=kLoop, calls=add_");
        c->head = "add";
        break;
    case XG_FFT:
        if (variant || rank != 1) return false;
        param(c, s);
        result(c, s);
        put(&a, ", fft_type=FFT, fft_length={3}");
        c->skip = !is_class(t, XGT_C);
        break;
    case XG_CHOLESKY:
        if (variant || rank != 2) return false;
        s.dims[1] = s.dims[0];
        param(c, s);
        result(c, s);
        put(&a, ", lower=true");
        break;
    case XG_TUPLE:
        if (variant) return false;
        param(c, s);
        put(&c->body, "  r = (");
        put_shape(&c->body, &s);
        put(&c->body, ", ");
        put_shape(&c->body, &s);
        put(&c->body, ") tuple(p0, p0)\n  ROOT g = ");
        put_shape(&c->body, &s);
        put(&c->body, " get-tuple-element(r), index=1\n");
        return true;
    case XG_OPT_BARRIER:
        if (variant) return false;
        param(c, s);
        result(c, s);
        break;
    case XG_GET_DIMENSION_SIZE:
        if (variant || rank == 0) return false;
        param(c, s);
        result(c, scalar(XLAGPU_S32));
        put(&a, ", dimensions={0}");
        break;
    case XG_WHILE:
        if (variant || rank || t != XLAGPU_S32) return false;
        param(c, s);
        result(c, s);
        put(&a, ", condition=below, body=step");
        c->head = "while";
        break;
    case XG_CONDITIONAL:
        if (variant || rank) return false;
        param(c, scalar(XLAGPU_PRED));
        param(c, s);
        param(c, s);
        result(c, s);
        put(&a, ", true_computation=same_, false_computation=other_");
        c->head = "branches";
        break;
    /* collectives, host transfers, random numbers, batch norms ...: no template yet, counted as such */
    default: return false;
    }
    put_op(c, name, a.p);
    return true;
}

static const char *head_text(const char *which, xlagpu_type t, text *out) {
    const char *n = xlagpu_type_text(t), *op = t == XLAGPU_PRED ? "or" : "add";
    if (!which) return NULL;
    out->n = 0;
    if (strcmp(which, "add") == 0)
        put(out, "add_ {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT s = %s[] %s(x, y)\n}\n\n", n, n, n,
            op);
    if (strcmp(which, "less") == 0)
        put(out,
            "less_ {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT s = pred[] compare(x, y), "
            "direction=LT\n}\n\n",
            n, n);
    if (strcmp(which, "branches") == 0)
        put(out, "same_ {\n  ROOT x = %s[] parameter(0)\n}\n\nother_ {\n  ROOT x = %s[] parameter(0)\n}\n\n", n, n);
    if (strcmp(which, "while") == 0)
        put(out, "below {\n  x = s32[] parameter(0)\n  k = s32[] constant(9)\n  ROOT s = pred[] compare(x, k), "
                 "direction=LT\n}\n\nstep {\n  x = s32[] parameter(0)\n  k = s32[] constant(1)\n  ROOT s = s32[] "
                 "add(x, k)\n}\n\n");
    return out->p;
}

/* ---- data ---- */

static void fill(xlagpu_type t, unsigned char *p, size_t n, uint64_t seed, bool mild, bool near) {
    static const double gentle[] = {0, 1, -1, 2, -2, 0.5, -0.5, 3, 4, 1.5};
    const double edges[] = {0.0, -0.0, 1, -1, 0.5, 2, -3.25, HUGE_VAL, -HUGE_VAL, 1e-3, 100, 7, -0.75, 1e30, -1e-30, 3};
    size_t size = (size_t)xg_type_bytes(t), k;
    for (k = 0; k < n; k++) {
        uint64_t z = (seed + k) * 0x9E3779B97F4A7C15u;
        double v = edges[(z >> 40) % XG_COUNT(edges)];
        z ^= z >> 31;
        if (mild) v = gentle[(z >> 40) % XG_COUNT(gentle)];
        if (z % 23 == 0) v = (double)NAN;
        if (t == XLAGPU_PRED) {
            p[k] = z & 1;
            continue;
        }
        if (near) {
            xg_eval_store_int(t, p + k * size, (int64_t)(z >> 20) % 9 == 8 ? 100 : (int64_t)((z >> 20) % 9) - 2);
            continue;
        }
        if (xg_type_class(t) == XGT_I) {
            int64_t w = z % 5 == 0    ? INT64_MIN
                        : z % 7 == 0  ? -1
                        : z % 11 == 0 ? INT64_MAX
                                      : (int64_t)(z >> 13) >> (z % 50);
            xg_eval_store_int(t, p + k * size, w);
            continue;
        }
        if (xg_type_class(t) == XGT_C) {
            xlagpu_type r = real_of(t);
            xlagpu_set_element(r, p + k * size, v > 1e6 || v < -1e6 ? 2.5 : v);
            xlagpu_set_element(r, p + k * size + size / 2, edges[2 + (z >> 20) % 5]);
            continue;
        }
        xlagpu_set_element(t, p + k * size, v);
    }
}

/* What only moves, counts or sums a few elements in a stated order is exact. A transform's order is its own. */
static double tolerance(xlagpu_type t, xg_opcode op) {
    if (op == XG_CONVERT || (!(xg_op_flags(op) & XGF_EW) && op != XG_FFT)) return 0;
    switch (t) {
    case XLAGPU_F64:
    case XLAGPU_C128: return 1e-13;
    case XLAGPU_F32:
    case XLAGPU_C64: return 4e-6;
    case XLAGPU_F16: return 1e-3;
    case XLAGPU_BF16: return 8e-3;
    default: return 0.13; /* one step of the narrowest mantissas */
    }
}
static bool close_to(double want, double got, double tol, double scale) {
    if (want == got || (isnan(want) && isnan(got))) return true;
    return fabs(got - want) <= tol * (fabs(want) > scale ? fabs(want) : scale);
}
static bool equal(
    xlagpu_type t, const unsigned char *want, const unsigned char *got, size_t bytes, xg_opcode op, size_t *where) {
    size_t size = (size_t)xg_type_bytes(t), k;
    double tol = tolerance(t, op);
    for (k = 0; k * size < bytes; k++) {
        const unsigned char *w = want + k * size, *g = got + k * size;
        *where = k;
        if (memcmp(w, g, size) == 0) continue;
        if (xg_type_class(t) == XGT_F && close_to(xlagpu_get_element(t, w), xlagpu_get_element(t, g), tol, 1e-30))
            continue;
        if (xg_type_class(t) == XGT_C) { /* the error of one part is measured against the whole number */
            xlagpu_type r = real_of(t);
            double re = xlagpu_get_element(r, w), im = xlagpu_get_element(r, w + size / 2),
                   scale = hypot(isfinite(re) ? re : 0, isfinite(im) ? im : 0);
            if (close_to(re, xlagpu_get_element(r, g), 4 * tol, scale) &&
                close_to(im, xlagpu_get_element(r, g + size / 2), 4 * tol, scale))
                continue;
        }
        return false;
    }
    return true;
}

/* ---- running ---- */

static void refuse(tally *t, const char *message) {
    const char *at = strstr(message, "error: "), *end;
    char reason[160];
    uint32_t k;
    size_t n;
    at = at ? at + 7 : message;
    if (strchr(at, ':') && strchr(at, ':') - at < 24) at = strchr(at, ':') + 2; /* without the instruction's name */
    end = strchr(at, '\n');
    n = end ? (size_t)(end - at) : strlen(at);
    if (n >= sizeof reason) n = sizeof reason - 1;
    memcpy(reason, at, n);
    reason[n] = 0;
    t->refused++;
    for (k = 0; k < t->reasons; k++)
        if (strcmp(t->reason[k], reason) == 0) {
            t->count[k]++;
            return;
        }
    if (t->reasons < REASONS) {
        memcpy(t->reason[t->reasons], reason, sizeof reason);
        t->count[t->reasons++] = 1;
    }
}

static bool v_too_large(const xlagpu_module *m, size_t limit) {
    xlagpu_value_info v;
    uint32_t k;
    for (k = 0; xlagpu_parameter_info(m, k, &v); k++)
        if (v.bytes > limit) return true;
    for (k = 0; xlagpu_result_info(m, k, &v); k++)
        if (v.bytes > limit) return true;
    return false;
}

static void run_case(state *st, xg_opcode op, const sample *c) {
    tally *t = &st->t[op];
    xlagpu_context *x;
    xlagpu_tensor in[8], out[8];
    xlagpu_rt_tensor rin[8], rout[8];
    static unsigned char data[8][1 << 21], want[4][1 << 21], got[4][1 << 21];
    xlagpu_value_info v;
    xlagpu_module *m;
    xlagpu_compile_desc d;
    xlagpu_bytes exe;
    xlagpu_program *p = NULL;
    text src, head;
    sample named = *c;
    uint32_t k, n_in, n_out;
    size_t where = 0;
    bool ran = true;
    if (st->quick && (++st->made * 2654435761u >> 16) % 3 == 0) return; /* a sample, spread over all that varies */
    if (!platform_takes()) return;
    x = xlagpu_create(NULL);
    head.n = 0;
    head.p[0] = 0;
    named.head = head_text(c->head, c->params[c->n_params > 1 ? 1 : 0].type, &head);
    if (c->own_head.n) named.head = c->own_head.p;
    if (op == XG_CONDITIONAL) named.head = head_text(c->head, c->params[1].type, &head);
    src.n = 0;
    whole(&named, &src);
    m = xlagpu_parse(x, "coverage", src.p, src.n);
    if (!m) {
        xlagpu_destroy(x);
        if (st->verbose) printf("-- not a module:\n%s%s\n", src.p, xlagpu_error(x));
        return;
    }
    if (v_too_large(m, sizeof data[0])) {
        t->large++;
        xlagpu_destroy(x);
        return;
    }
    t->cases++;
    n_in = xlagpu_parameter_count(m);
    n_out = xlagpu_result_count(m);
    for (k = 0; k < n_in; k++) {
        xlagpu_parameter_info(m, k, &v);
        fill(v.type, data[k], v.bytes / (size_t)xg_type_bytes(v.type), k * 977 + 5, c->mild, (c->near >> k & 1) != 0);
        in[k].data = rin[k].data = data[k];
        in[k].bytes = rin[k].bytes = v.bytes;
    }
    for (k = 0; k < n_out; k++) {
        xlagpu_result_info(m, k, &v);
        out[k].data = want[k];
        rout[k].data = got[k];
        out[k].bytes = rout[k].bytes = v.bytes;
    }
    if (xlagpu_evaluate(m, in, n_in, out, n_out, false) != XLAGPU_OK) {
        t->refused_eval++;
        refuse(t, xlagpu_error(x));
        xlagpu_destroy(x);
        return;
    }
    memset(&d, 0, sizeof d);
    d.target.name = platform.target;
    d.backend = st->backend;
    exe = xlagpu_compile(m, &d);
    if (!exe.data) {
        if (xlagpu_error_status(x) == XLAGPU_ERROR_UNSUPPORTED)
            refuse(t, xlagpu_error(x));
        else {
            t->failed++;
            printf("FAIL compile %s: %s\n%s", xg_op_name(op), xlagpu_error(x), src.p);
        }
        xlagpu_destroy(x);
        return;
    }
    p = xlagpu_rt_load(platform.device, exe.data, exe.size);
    if (!p || xlagpu_rt_run(p, rin, n_in, rout, n_out) != XLAGPU_OK) {
        t->failed++;
        ran = false;
        printf(
            "FAIL run %s (case %lu): %s\n%s", xg_op_name(op), platform.number, xlagpu_rt_error(platform.device), src.p);
    } else {
        bool good = true;
        for (k = 0; k < n_out && good; k++) {
            xlagpu_result_info(m, k, &v);
            good = equal(v.type, want[k], got[k], v.bytes, op, &where);
            if (!good) {
                size_t size = (size_t)xg_type_bytes(v.type), j;
                printf("FAIL differs %s (case %lu) element %zu: want %.9g got %.9g;", xg_op_name(op), platform.number,
                    where, xlagpu_get_element(real_of(v.type), want[k] + where * size),
                    xlagpu_get_element(real_of(v.type), got[k] + where * size));
                for (j = 0; j < n_in; j++) {
                    xlagpu_value_info q;
                    xlagpu_parameter_info(m, (uint32_t)j, &q);
                    printf(" arg%zu %.9g", j,
                        xlagpu_get_element(real_of(q.type),
                            data[j] + (q.bytes == v.bytes / size * (size_t)xg_type_bytes(q.type) ? where : 0) *
                                          (size_t)xg_type_bytes(q.type)));
                }
                printf("\n%s", src.p);
            }
        }
        if (good)
            t->host++;
        else
            t->failed++;
    }
    xlagpu_rt_unload(p);
    if (!ran) platform_check(xg_op_name(op));
    xlagpu_destroy(x);
}

/* Sizes beside tiles, warps and blocks, for the opcodes with emitters of their own. */
static const int64_t odd_sizes[] = {0, 1, 31, 33, 127, 129, 4095};
static shape odd_shape(xlagpu_type t, int64_t a, int64_t b) {
    shape s = shape_of(t, b < 0 ? 1 : 2, 0);
    s.dims[0] = a;
    s.dims[1] = b;
    return s;
}
static bool make_odd(sample *c, xg_opcode op, xlagpu_type t, int64_t n, int64_t m) {
    memset(c, 0, sizeof *c);
    c->mild = true;
    param(c, odd_shape(t, n, m));
    switch (op) {
    case XG_TRANSPOSE:
        result(c, odd_shape(t, m, n));
        put_op(c, "transpose", ", dimensions={1,0}");
        return true;
    case XG_CONCATENATE:
        param(c, odd_shape(t, n, 5));
        result(c, odd_shape(t, n, m + 5));
        put_op(c, "concatenate", ", dimensions={1}");
        return true;
    case XG_DYNAMIC_UPDATE_SLICE:
        param(c, odd_shape(t, (n + 1) / 2, (m + 1) / 2));
        param(c, scalar(XLAGPU_S32));
        param(c, scalar(XLAGPU_S32));
        c->near = 12;
        result(c, odd_shape(t, n, m));
        put_op(c, "dynamic-update-slice", "");
        return true;
    case XG_SORT:
        if (is_class(t, XGT_C) || m > 33 || (n > 129 && (m > 1 || xg_type_bits(t) < 32))) return false;
        result(c, odd_shape(t, n, m));
        put(&c->own_head,
            "below {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT r = pred[] compare(x, y), "
            "direction=LT%s\n}\n",
            xlagpu_type_text(t), xlagpu_type_text(t), is_class(t, XGT_F) ? ", type=TOTALORDER" : "");
        put_op(c, "sort", ", dimensions={0}, is_stable=true, to_apply=below");
        return true;
    case XG_SCATTER:
        param(c, odd_shape(XLAGPU_S32, 9, 1));
        param(c, odd_shape(t, 9, m));
        c->near = 2;
        result(c, odd_shape(t, n, m));
        put_computation(&c->own_head, "fold", t, t, sum_of(t));
        put_op(c, "scatter",
            ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
            "to_apply=fold");
        return true;
    default: return false;
    }
}
static void run_odd(state *st, xg_opcode op) {
    int type, a, b;
    sample c;
    for (type = XLAGPU_PRED; type < XLAGPU_TUPLE; type++) {
        if (xg_op_types(op) != XGT_ANY && !(xg_op_types(op) & (uint32_t)xg_type_class((xlagpu_type)type))) continue;
        for (a = 0; a < (int)XG_COUNT(odd_sizes); a++)
            for (b = 0; b < (int)XG_COUNT(odd_sizes); b++) {
                if (odd_sizes[a] * odd_sizes[b] > 4095 * 33 || (st->quick && (a + b + type) % 5)) continue;
                if (make_odd(&c, op, (xlagpu_type)type, odd_sizes[a], odd_sizes[b])) run_case(st, op, &c);
            }
    }
}

static void run_opcode(state *st, xg_opcode op) {
    int type, rank, layout, variant;
    sample c;
    for (type = XLAGPU_PRED; type < XLAGPU_TUPLE; type++) {
        if (xg_op_types(op) != XGT_ANY && !(xg_op_types(op) & (uint32_t)xg_type_class((xlagpu_type)type))) continue;
        for (rank = 0; rank < (st->quick ? 4 : RANKS); rank++) {
            if (rank > 2 && (xg_op_flags(op) & XGF_EW) && rank != 3 && rank != 8)
                continue; /* elementwise: ranks 0 to 3 and 8 */
            for (layout = 0; layout < (rank < 2 ? 1 : rank < 3 ? 2 : 3); layout++) {
                if (layout && op == XG_CONVERT && rank > 2) continue;
                for (variant = 0; make(&c, op, (xlagpu_type)type, rank, layout, variant); variant++)
                    if (!c.skip && !(op == XG_CONVERT && rank != 1)) run_case(st, op, &c);
            }
        }
    }
}

/* ---- what XLA:GPU compiles for one device, and xlagpu refuses ---- */

typedef struct refusal {
    const char *what, *reason, *body;
} refusal;
static const refusal refusals[] = {
    {"`send` to the host (`is_host_transfer=true`)",
        "the runtime has no host that waits for it: `outfeed`, or a result, gives data to the host",
        "a = f32[2] parameter(0)\n t = token[] after-all()\n s = (f32[2], u32[], token[]) send(a, t), channel_id=1, "
        "is_host_transfer=true\n ROOT d = token[] send-done(s), channel_id=1, is_host_transfer=true"},
    {"`recv` from the host (`is_host_transfer=true`)",
        "the runtime has no host that answers it: `infeed`, or a parameter, brings data from the host",
        "t = token[] after-all()\n r = (f32[2], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true\n ROOT d "
        "= "
        "(f32[2], token[]) recv-done(r), channel_id=1, is_host_transfer=true"},
    {"`custom-call` of arrays with dimensions of dynamic size",
        "the function that a user registers gets buffers and no sizes; `slice` or `pad` to a fixed size in front of it",
        "a = f32[8] parameter(0)\n n = s32[] parameter(1)\n d = f32[<=8] set-dimension-size(a, n), dimensions={0}\n "
        "ROOT c = f32[<=8] custom-call(d), custom_call_target=\"f\""},
    {"`infeed` of arrays with dimensions of dynamic size",
        "the host's function gives whole arrays; give the size as an array of its own, and `set-dimension-size`",
        "t = token[] after-all()\n i = (f32[<=8], token[]) infeed(t)\n ROOT r = f32[<=8] get-tuple-element(i), "
        "index=0"},
    {"a kernel over more than 2^40 elements", "no device has memory for its result: the grid ends at 2^31 - 1 blocks",
        "ROOT i = f32[44128065945600] iota(), iota_dimension=0"},
    {"a constant whose values are left out, `constant({...})`",
        "the program is not what was meant; `fill_elided_constants` of the API fills in values where only times matter",
        "ROOT c = f32[4] constant({...})"}};

/* One that compiles does not belong into the list. */
static uint32_t check_refusals(void) {
    uint32_t failed = 0;
    size_t k;
    for (k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        char text[1000];
        xlagpu_compile_desc d;
        xlagpu_context *c = xlagpu_create(NULL);
        xlagpu_module *m;
        xlagpu_bytes exe = {NULL, 0};
        memset(&d, 0, sizeof d);
        d.target.name = "sm_90a";
        snprintf(text, sizeof text, "HloModule m\nENTRY e {\n %s\n}\n", refusals[k].body);
        m = xlagpu_parse(c, "refused", text, strlen(text));
        if (m) exe = xlagpu_compile(m, &d);
        if (!m || exe.data || xlagpu_error_status(c) == XLAGPU_ERROR_INTERNAL) {
            printf("FAIL %s: %s\n", refusals[k].what, exe.data ? "it compiles" : xlagpu_error(c));
            failed++;
        }
        xlagpu_destroy(c);
    }
    return failed;
}

static void write_refusals(FILE *f) {
    size_t k;
    fprintf(f, "\n## Refused\n\nWhat XLA:GPU compiles for one device and xlagpu refuses, by name and place:\n\n"
               "| | reason, and what to write instead |\n|---|---|\n");
    for (k = 0; k < sizeof refusals / sizeof *refusals; k++)
        fprintf(f, "| %s | %s |\n", refusals[k].what, refusals[k].reason);
    fprintf(f, "\nPrograms of several devices run on simulated devices, and on GPUs with NCCL.\n");
}

/* What tests/scripts/spmd_coverage.py has written into the page; to be freed. NULL: nothing. */
static char *rest_of_page(const char *path) {
    enum {
        PAGE_MAX = 1 << 20
    };
    FILE *f = fopen(path, "rb");
    char *page = (char *)calloc(1, PAGE_MAX), *at;
    if (f && page) (void)!fread(page, 1, PAGE_MAX - 1, f);
    if (f) fclose(f);
    at = page ? strstr(page, "\n## Many devices") : NULL;
    if (at) memmove(page, at, strlen(at) + 1);
    if (at) return page;
    free(page);
    return NULL;
}
static void write_table(const state *st, const char *path) {
    char *rest = rest_of_page(path);
    FILE *f = fopen(path, "wb");
    uint32_t cases = 0, host = 0, refused = 0, failed = 0, none = 0, k;
    int op;
    if (!f) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(2);
    }
    for (op = 0; op < XG_OPCODE_COUNT; op++) {
        cases += st->t[op].cases;
        host += st->t[op].host;
        refused += st->t[op].refused;
        failed += st->t[op].failed;
        none += st->t[op].cases == 0;
    }
    fprintf(f,
        "# Coverage\n\nGenerated by `build/programs/coverage --table docs/coverage.md`: modules of one operation for "
        "every "
        "element type it\nallows, ranks 0 to 8 and up to three layouts, "
        "with the edge values of each type; evaluated, compiled for sm_90a, run\non the simulator with its checks on, "
        "and compared.\n\n"
        "%u cases: %u equal, %u refused by name, %u different. %u of %d opcodes have no template here or no case.\n\n"
        "| opcode | cases | equal on host | refused | reasons |\n|---|---|---|---|---|\n",
        cases, host, refused, failed, none, (int)XG_OPCODE_COUNT);
    for (op = 0; op < XG_OPCODE_COUNT; op++) {
        const tally *t = &st->t[op];
        fprintf(f, "| %s | %u | %u | %u | ", xg_op_name((xg_opcode)op), t->cases, t->host, t->refused);
        if (!t->cases) fprintf(f, "no template");
        for (k = 0; k < t->reasons && k < 3; k++) fprintf(f, "%s%u: %s", k ? "; " : "", t->count[k], t->reason[k]);
        if (t->large) fprintf(f, "%u more are larger than this test's buffers", t->large);
        fprintf(f, " |\n");
    }
    write_refusals(f);
    if (rest) fputs(rest, f);
    free(rest);
    fclose(f);
}

int main(int argc, char **argv) {
    static state st;
    const char *table = NULL;
    uint32_t passed = 0, failed = 0, refused = 0;
    int k;
    for (k = 1; k < argc; k++) {
        if (platform_flag(argc, argv, &k)) continue;
        if (strcmp(argv[k], "--table") == 0 && k + 1 < argc)
            table = argv[++k];
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            st.only = argv[++k];
        else if (strcmp(argv[k], "--backend") == 0 && k + 1 < argc) /* llvm: built with XLAGPU_USE_LLVM */
            st.backend = argv[++k];
        else if (strcmp(argv[k], "--quick") == 0)
            st.quick = true;
        else if (strcmp(argv[k], "--verbose") == 0)
            st.verbose = true;
        else {
            fprintf(stderr,
                "usage: coverage [--table FILE] [--only OPCODE] [--backend NAME] [--quick] [--verbose] " PLATFORM_USAGE
                "\n");
            return 2;
        }
    }
    (void)platform_open(1);
    for (k = 0; k < XG_OPCODE_COUNT; k++)
        if (!st.only || strcmp(st.only, xg_op_name((xg_opcode)k)) == 0) {
            run_opcode(&st, (xg_opcode)k);
            run_odd(&st, (xg_opcode)k);
        }
    for (k = 0; k < XG_OPCODE_COUNT; k++) {
        passed += st.t[k].host;
        failed += st.t[k].failed;
        refused += st.t[k].refused;
    }
    if (!st.only && platform.part == 1) failed += check_refusals();
    if (table) write_table(&st, table);
    platform_close();
    printf("%u refused by name\n%u passed, %u failed\n", refused, passed, failed);
    return failed != 0;
}
