/* tests/programs/sweep.h -- modules for tests/programs/digests.c that no file holds: an elementwise operation of any
 * type, and what kernels are chosen for, in random sizes. Include it behind medley.h, whose chances it uses. */
#ifndef XLAGPU_TESTS_SWEEP_H
#define XLAGPU_TESTS_SWEEP_H

enum {
    SWEEP_ELEMENTS = 192,
    SWEEP_DIM = 4096,    /* the most of a dimension of what is chosen for */
    SWEEP_MOST = 1 << 24 /* elements of an array of it */
};

/* ---- elementwise operations: what the evaluator computes ---- */

typedef struct sweep_op {
    const char *text;
    int operands;
    uint32_t flags, types;
} sweep_op;
static const sweep_op sweep_ops[] = {
#define X(name, text, lo, hi, flags, types, infer, index, eval, elem, fuse, attributes) {text, lo, flags, types},
    XG_OPS(X)
#undef X
};
enum {
    SWEEP_OPS = sizeof sweep_ops / sizeof *sweep_ops
};
static bool sweep_is_plain(const sweep_op *o) {
    return o->flags & XGF_EW && !(o->flags & XGF_SHAPE) && o->operands < 3;
}
/* The module of one of them; it says nothing of its result. */
static void sweep_elementwise(char *text, size_t size, const sweep_op *o, xlagpu_type t, const char *attributes) {
    size_t n = xg_format(text, size, "HloModule m\nENTRY e {\n");
    int k;
    for (k = 0; k < o->operands; k++)
        n += xg_format(text + n, size - n, "  p%d = %s[%d] parameter(%d)\n", k, type_text(t), SWEEP_ELEMENTS, k);
    xg_format(text + n, size - n, "  ROOT r = %s(p0%s)%s\n}\n", o->text, o->operands == 2 ? ", p1" : "", attributes);
}
static void sweep_convert(
    char *text, size_t size, const char *op, xlagpu_type t, xlagpu_type u, const char *attributes) {
    xg_format(text, size, "HloModule m\nENTRY e {\n  p = %s[%d] parameter(0)\n  ROOT r = %s[%d] %s(p)%s\n}\n",
        type_text(t), SWEEP_ELEMENTS, type_text(u), SWEEP_ELEMENTS, op, attributes);
}

/* ---- what kernels are chosen for ---- */

typedef struct sweep {
    medley *g; /* its chance */
    char text[8000];
    size_t n;
    int devices; /* of collectives */
} sweep;
static void sweep_put(sweep *s, const char *format, ...) XG_PRINTF(2, 3);
static void sweep_put(sweep *s, const char *format, ...) {
    va_list a;
    va_start(a, format);
    s->n += xg_vformat(s->text + s->n, sizeof s->text - s->n, format, a);
    va_end(a);
}
/* Powers of two, and beside them, multiples of eight, odd ones, small ones. */
static int sweep_dim(sweep *s, int most) {
    int d = 0;
    switch (draw(s->g, 6)) {
    case 0: d = 1 << draw(s->g, 13); break;
    case 1: d = 8 * (1 + draw(s->g, 64)); break;
    case 2: d = 1 + draw(s->g, 2000); break;
    case 3: d = 128 * (1 + draw(s->g, 24)); break;
    case 4: d = (1 << draw(s->g, 13)) + draw(s->g, 3) - 1; break;
    default: d = 1 + draw(s->g, 40); break;
    }
    while (d > most) d = (d + 1) / 2;
    return d > 1 ? d : 2;
}
static const char *sweep_float(sweep *s) { return one_of(s->g, "f32 f16 bf16 f32 bf16 f16 f64 f8e4m3fn"); }
/* What is made of the value r of the shape: nothing, or a function and a sum with a parameter. */
static void sweep_epilogue(sweep *s, const char *shape, int parameter) {
    if (percent(s->g, 40)) {
        sweep_put(s, "  ROOT z = %s copy(r)\n", shape);
        return;
    }
    sweep_put(s, "  b = %s parameter(%d)\n", shape, parameter);
    sweep_put(s, "  x = %s %s(r)\n", shape, one_of(s->g, "tanh exponential negate logistic abs"));
    sweep_put(s, "  ROOT z = %s %s(x, b)\n", shape, one_of(s->g, "add multiply maximum subtract"));
}
static void sweep_dot(sweep *s) {
    int m = sweep_dim(s, SWEEP_DIM), n = sweep_dim(s, SWEEP_DIM), k = sweep_dim(s, SWEEP_DIM), b = 1;
    bool lhs = percent(s->g, 30), rhs = percent(s->g, 30), batch = percent(s->g, 30);
    char in[16], shape[64], front[24] = "";
    const char *t = percent(s->g, 15) ? "s8" : sweep_float(s);
    if (batch) xg_format(front, sizeof front, "%d,", b = 1 + draw(s->g, 40));
    xg_format(in, sizeof in, "%s", t);
    xg_format(shape, sizeof shape, "%s[%s%d,%d]", *t == 's' ? "s32" : in[1] == '8' ? "f32" : in, front, m, n);
    sweep_put(s, "ENTRY e {\n  p = %s[%s%d,%d] parameter(0)\n  q = %s[%s%d,%d] parameter(1)\n", in, front, lhs ? k : m,
        lhs ? m : k, in, front, rhs ? n : k, rhs ? k : n);
    sweep_put(s, "  r = %s dot(p, q), lhs_contracting_dims={%d}, rhs_contracting_dims={%d}%s\n", shape,
        (lhs ? 0 : 1) + (batch ? 1 : 0), (rhs ? 1 : 0) + (batch ? 1 : 0),
        batch ? ", lhs_batch_dims={0}, rhs_batch_dims={0}" : "");
    if (*t == 's')
        sweep_put(s, "  ROOT z = %s negate(r)\n", shape);
    else
        sweep_epilogue(s, shape, 2);
    sweep_put(s, "}\n");
}
/* Forward, or by what is dilated and turned as the gradient of the image is; channels last or in front. */
static void sweep_image(sweep *s) {
    int n = 1 + draw(s->g, 16), h = 4 + draw(s->g, 60), c = sweep_dim(s, 256), o = sweep_dim(s, 256);
    int k = 1 + draw(s->g, 4), low = draw(s->g, k), high = percent(s->g, 60) ? low : draw(s->g, k), stride, apart, out;
    bool back = percent(s->g, 40), inner = percent(s->g, 60);
    int groups = percent(s->g, 20) && !back ? c : 1;
    char t[16], shape[64];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16"));
    stride = back ? 1 : 1 + draw(s->g, 2);
    apart = back ? 1 + draw(s->g, 2) : 1;
    if (groups > 1) o = c;
    out = ((h - 1) * apart + 1 + low + high - k) / stride + 1;
    if (inner)
        xg_format(shape, sizeof shape, "%s[%d,%d,%d,%d]", t, n, out, out, o);
    else
        xg_format(shape, sizeof shape, "%s[%d,%d,%d,%d]", t, n, o, out, out);
    if (inner)
        sweep_put(s, "ENTRY e {\n  p = %s[%d,%d,%d,%d] parameter(0)\n  q = %s[%d,%d,%d,%d] parameter(1)\n", t, n, h, h,
            c, t, k, k, c / groups, o);
    else
        sweep_put(s, "ENTRY e {\n  p = %s[%d,%d,%d,%d] parameter(0)\n  q = %s[%d,%d,%d,%d] parameter(1)\n", t, n, c, h,
            h, t, o, c / groups, k, k);
    sweep_put(s,
        "  r = %s convolution(p, q), window={size=%dx%d stride=%dx%d pad=%d_%dx%d_%d lhs_dilate=%dx%d "
        "rhs_reversal=%dx%d}, dim_labels=%s, feature_group_count=%d\n",
        shape, k, k, stride, stride, low, high, low, high, apart, apart, back, back,
        inner ? "b01f_01io->b01f" : "bf01_oi01->bf01", groups);
    sweep_epilogue(s, shape, 2);
    sweep_put(s, "}\n");
}
/* The gradient of a kernel. */
static void sweep_kernel(sweep *s) {
    int n = 1 + draw(s->g, 16), h = 4 + draw(s->g, 60), c = sweep_dim(s, 256), o = sweep_dim(s, 256),
        k = 1 + draw(s->g, 4);
    int low = draw(s->g, k), high = draw(s->g, k), out = h + low + high - k + 1;
    sweep_put(s,
        "ENTRY e {\n  p = f32[%d,%d,%d,%d] parameter(0)\n  q = f32[%d,%d,%d,%d] parameter(1)\n  ROOT r = "
        "f32[%d,%d,%d,%d] convolution(p, q), window={size=%dx%d pad=%d_%dx%d_%d}, dim_labels=f01b_i01o->01bf\n}\n",
        n, h, h, c, n, out, out, o, k, k, c, o, out, out, low, high, low, high);
}
static void sweep_convolution(sweep *s) {
    if (percent(s->g, 25))
        sweep_kernel(s);
    else
        sweep_image(s);
}
static void sweep_reducer(sweep *s, const char *t) {
    sweep_put(s, "sum {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT z = %s[] add(x, y)\n}\n", t, t, t);
    sweep_put(
        s, "most {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT z = %s[] maximum(x, y)\n}\n", t, t, t);
}
static void sweep_reduce(sweep *s) {
    int rank = 1 + draw(s->g, 4), d[4], k, left = SWEEP_MOST, mask = 1 + draw(s->g, (1 << rank) - 1);
    char t[16], from[64], to[64];
    size_t a = 0, b = 0;
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 f64 s32"));
    sweep_reducer(s, t);
    for (k = 0; k < rank; k++) {
        d[k] = sweep_dim(s, left < SWEEP_DIM ? left > 2 ? left : 2 : rank == 1 ? 1 << 20 : SWEEP_DIM);
        left /= d[k];
    }
    a = xg_format(from, sizeof from, "%s[", t);
    b = xg_format(to, sizeof to, "%s[", t);
    for (k = 0; k < rank; k++) {
        a += xg_format(from + a, sizeof from - a, "%s%d", k ? "," : "", d[k]);
        if (!(mask >> k & 1)) b += xg_format(to + b, sizeof to - b, "%s%d", to[b - 1] == '[' ? "" : ",", d[k]);
    }
    xg_format(from + a, sizeof from - a, "]");
    xg_format(to + b, sizeof to - b, "]");
    sweep_put(s, "ENTRY e {\n  p = %s parameter(0)\n  i = %s[] constant(0)\n  q = %s multiply(p, p)\n", from, t, from);
    sweep_put(s, "  r = %s reduce(%s, i), dimensions={", to, (mask + rank) % 2 ? "p" : "q");
    for (k = a = 0; k < rank; k++)
        if (mask >> k & 1) sweep_put(s, "%s%d", a++ ? "," : "", k);
    sweep_put(s, "}, to_apply=%s\n  ROOT z = %s negate(r)\n}\n", one_of(s->g, "sum sum most"), to);
}
/* Softmax or a normalisation of rows. */
static void sweep_rows(sweep *s) {
    int rows = sweep_dim(s, SWEEP_DIM), lanes = sweep_dim(s, percent(s->g, 10) ? 1 << 17 : SWEEP_DIM);
    char t[16], whole[64], row[64];
    bool soft = percent(s->g, 50);
    if (lanes > SWEEP_DIM) rows = 1 + rows % 64;
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 f32 f64"));
    sweep_reducer(s, t);
    xg_format(whole, sizeof whole, "%s[%d,%d]", t, rows, lanes);
    xg_format(row, sizeof row, "%s[%d]", t, rows);
    sweep_put(s, "ENTRY e {\n  p = %s parameter(0)\n  i = %s[] constant(0)\n  l = %s[] constant(-inf)\n", whole, t, t);
    sweep_put(s, "  m = %s reduce(p, %s), dimensions={1}, to_apply=%s\n", row, soft ? "l" : "i", soft ? "most" : "sum");
    sweep_put(s, "  c = %s broadcast(m), dimensions={0}\n  d = %s subtract(p, c)\n", whole, whole);
    sweep_put(s, soft ? "  f = %s exponential(d)\n" : "  f = %s multiply(d, d)\n", whole);
    sweep_put(
        s, "  n = %s reduce(f, i), dimensions={1}, to_apply=sum\n  o = %s broadcast(n), dimensions={0}\n", row, whole);
    sweep_put(s, "  y = %s divide(%s, o)\n", whole, soft ? "f" : "d");
    if (soft)
        sweep_put(s, "  ROOT z = %s copy(y)\n}\n", whole);
    else /* by a weight and a bias that all rows share */
        sweep_put(s,
            "  w = %s[%d] parameter(1)\n  v = %s[%d] parameter(2)\n  x = %s broadcast(w), dimensions={1}\n  b = %s "
            "broadcast(v), dimensions={1}\n  u = %s multiply(y, x)\n  ROOT z = %s add(u, b)\n}\n",
            t, lanes, t, lanes, whole, whole, whole, whole);
}
static void sweep_transpose(sweep *s) {
    int rank = 2 + draw(s->g, 3), d[4], at[4], k, left = SWEEP_MOST;
    const char *t = percent(s->g, 30) ? one_of(s->g, "s8 c64 f64 pred") : one_of(s->g, "f32 f16 bf16");
    char type[16];
    xg_format(type, sizeof type, "%s", t);
    for (k = 0; k < rank; k++) {
        int j = draw(s->g, k + 1);
        d[k] = sweep_dim(s, left < SWEEP_DIM ? left > 2 ? left : 2 : SWEEP_DIM);
        left /= d[k];
        at[k] = at[j];
        at[j] = k;
    }
    sweep_put(s, "ENTRY e {\n  p = %s[", type);
    for (k = 0; k < rank; k++) sweep_put(s, "%s%d", k ? "," : "", d[k]);
    sweep_put(s, "] parameter(0)\n  ROOT z = %s[", type);
    for (k = 0; k < rank; k++) sweep_put(s, "%s%d", k ? "," : "", d[at[k]]);
    sweep_put(s, "] transpose(p), dimensions={");
    for (k = 0; k < rank; k++) sweep_put(s, "%s%d", k ? "," : "", at[k]);
    sweep_put(s, "}\n}\n");
}
static void sweep_attention(sweep *s) {
    int b = 1 + draw(s->g, 4), h = 1 + draw(s->g, 16), q = sweep_dim(s, 1024), k = sweep_dim(s, 1024);
    int d = 16 << draw(s->g, 4);
    char t[16], scores[64], row[64];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 bf16"));
    sweep_reducer(s, t);
    xg_format(scores, sizeof scores, "%s[%d,%d,%d,%d]", t, b, h, q, k);
    xg_format(row, sizeof row, "%s[%d,%d,%d]", t, b, h, q);
    sweep_put(s, "ENTRY e {\n  q = %s[%d,%d,%d,%d] parameter(0)\n  k = %s[%d,%d,%d,%d] parameter(1)\n", t, b, h, q, d,
        t, b, h, k, d);
    sweep_put(s, "  v = %s[%d,%d,%d,%d] parameter(2)\n  i = %s[] constant(0)\n  l = %s[] constant(-inf)\n", t, b, h, k,
        d, t, t);
    sweep_put(s,
        "  a = %s dot(q, k), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
        "rhs_contracting_dims={3}\n  m = %s reduce(a, l), dimensions={3}, to_apply=most\n",
        scores, row);
    sweep_put(s, "  c = %s broadcast(m), dimensions={0,1,2}\n  e = %s subtract(a, c)\n  f = %s exponential(e)\n",
        scores, scores, scores);
    sweep_put(s,
        "  n = %s reduce(f, i), dimensions={3}, to_apply=sum\n  o = %s broadcast(n), dimensions={0,1,2}\n"
        "  w = %s divide(f, o)\n",
        row, scores, scores);
    sweep_put(s,
        "  ROOT z = %s[%d,%d,%d,%d] dot(w, v), lhs_batch_dims={0,1}, rhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
        "rhs_contracting_dims={2}\n}\n",
        t, b, h, q, d);
}
/* The order of rows: by x and y, then by v and w; as a comparison, or as what else says the same. */
static void sweep_order(sweep *s, bool pair) {
    const char *less = percent(s->g, 50) ? "LT" : "GT";
    int form = pair ? draw(s->g, 7) : draw(s->g, 2);
    if (form == 0) sweep_put(s, "  ROOT z = pred[] compare(x, y), direction=%s\n", less);
    if (form == 1) sweep_put(s, "  ROOT z = pred[] compare(y, x), direction=%s\n", less);
    if (form < 2) return;
    sweep_put(s, "  l = pred[] compare(x, y), direction=%s\n  k = pred[] compare(v, w), direction=LT\n", less);
    sweep_put(s, "  t = pred[] compare(%s), direction=%s\n", percent(s->g, 50) ? "x, y" : "y, x",
        form == 2 || form == 5 ? "NE" : "EQ");
    switch (form) {
    case 2: sweep_put(s, "  ROOT z = pred[] select(t, l, k)\n"); break;
    case 3: sweep_put(s, "  ROOT z = pred[] select(t, k, l)\n"); break;
    case 4: sweep_put(s, "  a = pred[] and(t, k)\n  ROOT z = pred[] or(l, a)\n"); break;
    case 5: sweep_put(s, "  a = pred[] and(t, l)\n  ROOT z = pred[] or(a, k)\n"); break;
    default: sweep_put(s, "  a = pred[] and(k, t)\n  ROOT z = pred[] or(a, l)\n"); break;
    }
}
static void sweep_sort(sweep *s) {
    int rows = sweep_dim(s, 512), lanes = sweep_dim(s, percent(s->g, 20) ? 1 << 15 : SWEEP_DIM);
    bool pair = percent(s->g, 50);
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 s32 f16 u8 s64 bf16"));
    sweep_put(s, "before {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n", t, t);
    if (pair) sweep_put(s, "  v = s32[] parameter(2)\n  w = s32[] parameter(3)\n");
    sweep_order(s, pair);
    sweep_put(s, "}\nENTRY e {\n  p = %s[%d,%d] parameter(0)\n", t, rows, lanes);
    if (pair)
        sweep_put(s,
            "  i = s32[%d,%d] iota(), iota_dimension=1\n  ROOT z = (%s[%d,%d], s32[%d,%d]) sort(p, i), dimensions={1}, "
            "is_stable=true, to_apply=before\n}\n",
            rows, lanes, t, rows, lanes, rows, lanes);
    else
        sweep_put(s, "  ROOT z = %s[%d,%d] sort(p), dimensions={%d}, to_apply=before\n}\n", t, rows, lanes,
            percent(s->g, 70));
}
static void sweep_fft(sweep *s) {
    int rows = 1 + draw(s->g, 64), n = percent(s->g, 60) ? 1 << (1 + draw(s->g, 14)) : 2 + draw(s->g, 5000);
    switch (draw(s->g, 3)) {
    case 0:
        sweep_put(s,
            "ENTRY e {\n  p = c64[%d,%d] parameter(0)\n  ROOT z = c64[%d,%d] fft(p), fft_type=%s, fft_length={%d}"
            "\n}\n",
            rows, n, rows, n, one_of(s->g, "FFT IFFT"), n);
        break;
    case 1:
        sweep_put(s,
            "ENTRY e {\n  p = f32[%d,%d] parameter(0)\n  ROOT z = c64[%d,%d] fft(p), fft_type=RFFT, "
            "fft_length={%d}\n}\n",
            rows, n, rows, n / 2 + 1, n);
        break;
    default:
        sweep_put(s,
            "ENTRY e {\n  p = c64[%d,%d] parameter(0)\n  ROOT z = f32[%d,%d] fft(p), fft_type=IRFFT, "
            "fft_length={%d}\n}\n",
            rows, n / 2 + 1, rows, n, n);
    }
}
/* Running sums, and windows. */
static void sweep_windows(sweep *s) {
    int rows = sweep_dim(s, 1024), lanes = sweep_dim(s, 2048), k = 2 + draw(s->g, 6), stride = 1 + draw(s->g, 2);
    bool scan = percent(s->g, 50);
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 s32"));
    sweep_reducer(s, t);
    if (k > lanes) k = lanes;
    sweep_put(s, "ENTRY e {\n  p = %s[%d,%d] parameter(0)\n  i = %s[] constant(0)\n", t, rows, lanes, t);
    if (scan)
        sweep_put(s, "  ROOT z = %s[%d,%d] reduce-window(p, i), window={size=1x%d pad=0_0x%d_0}, to_apply=%s\n}\n", t,
            rows, lanes, lanes, lanes - 1, one_of(s->g, "sum most"));
    else
        sweep_put(s, "  ROOT z = %s[%d,%d] reduce-window(p, i), window={size=1x%d stride=1x%d}, to_apply=%s\n}\n", t,
            rows, (lanes - k) / stride + 1, k, stride, one_of(s->g, "sum most"));
}
static void sweep_table(sweep *s) {
    int n = sweep_dim(s, 1 << 15), d = sweep_dim(s, 512), k = sweep_dim(s, SWEEP_DIM);
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 s32"));
    sweep_reducer(s, t);
    sweep_put(s, "ENTRY e {\n  p = %s[%d,%d] parameter(0)\n  i = s32[%d] parameter(1)\n", t, n, d, k);
    if (percent(s->g, 50))
        sweep_put(s,
            "  ROOT z = %s[%d,%d] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,%d}\n}\n",
            t, k, d, d);
    else
        sweep_put(s,
            "  u = %s[%d,%d] parameter(2)\n  ROOT z = %s[%d,%d] scatter(p, i, u), update_window_dims={1}, "
            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%s\n}\n",
            t, k, d, t, n, d, one_of(s->g, "sum most"));
}
static void sweep_moves(sweep *s) {
    int rows = sweep_dim(s, SWEEP_DIM), lanes = sweep_dim(s, SWEEP_DIM), a = draw(s->g, rows), b = draw(s->g, lanes);
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 s8 f64"));
    sweep_put(
        s, "ENTRY e {\n  p = %s[%d,%d] parameter(0)\n  q = %s[%d,%d] parameter(1)\n", t, rows, lanes, t, rows, lanes);
    switch (draw(s->g, 4)) {
    case 0:
        sweep_put(s, "  ROOT z = %s[%d,%d] concatenate(p, q), dimensions={%d}\n}\n", t, rows + rows, lanes, 0);
        break;
    case 1:
        sweep_put(s, "  ROOT z = %s[%d,%d] concatenate(p, q), dimensions={%d}\n}\n", t, rows, lanes + lanes, 1);
        break;
    case 2:
        sweep_put(s, "  s = %s[%d,%d] slice(p), slice={[%d:%d],[%d:%d]}\n  ROOT z = %s[%d,%d] negate(s)\n}\n", t,
            rows - a, lanes - b, a, rows, b, lanes, t, rows - a, lanes - b);
        break;
    default:
        sweep_put(s, "  c = %s[] constant(1)\n  ROOT z = %s[%d,%d] pad(p, c), padding=%d_1x%d_2\n}\n", t, t,
            rows + a + 1, lanes + b + 2, a, b);
    }
}
static void sweep_linear(sweep *s) {
    int b = 1 + draw(s->g, 40), n = 2 + draw(s->g, 200), k = 1 + draw(s->g, 200);
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f64 f32 c64"));
    sweep_put(s, "ENTRY e {\n  p = %s[%d,%d,%d] parameter(0)\n", t, b, n, n);
    if (percent(s->g, 50))
        sweep_put(s, "  ROOT z = %s[%d,%d,%d] cholesky(p), lower=%s\n}\n", t, b, n, n, one_of(s->g, "true false"));
    else
        sweep_put(s,
            "  q = %s[%d,%d,%d] parameter(1)\n  ROOT z = %s[%d,%d,%d] triangular-solve(p, q), left_side=true, "
            "lower=%s, "
            "transpose_a=%sTRANSPOSE\n}\n",
            t, b, n, k, t, b, n, k, percent(s->g, 50) ? "true" : "false", n & 1 ? "NO_" : "");
}
static void sweep_collective(sweep *s) {
    bool few = percent(s->g, 50); /* bytes: devices then read them from each other */
    int n = sweep_dim(s, few ? 16 : SWEEP_DIM) * 8, d = sweep_dim(s, few ? 64 : 1024), devices = s->devices;
    char t[16];
    xg_format(t, sizeof t, "%s", one_of(s->g, "f32 f16 bf16 s32"));
    sweep_reducer(s, t);
    sweep_put(s, "ENTRY e {\n  p = %s[%d,%d] parameter(0)\n  q = %s[%d,%d] negate(p)\n", t, n * devices, d, t,
        n * devices, d);
    switch (draw(s->g, 3)) {
    case 0: sweep_put(s, "  ROOT z = %s[%d,%d] all-reduce(q), to_apply=sum", t, n * devices, d); break;
    case 1: sweep_put(s, "  ROOT z = %s[%d,%d] reduce-scatter(q), dimensions={0}, to_apply=sum", t, n, d); break;
    default: sweep_put(s, "  ROOT z = %s[%d,%d] all-gather(q), dimensions={0}", t, n * devices * devices, d);
    }
    sweep_put(s, ", replica_groups=[1,%d]<=[%d]\n}\n", devices, devices);
}
/* Of the features of a batch, in any of its three forms. */
static void sweep_batch_norm(sweep *s) {
    int n = 1 + draw(s->g, 32), h = 1 + draw(s->g, 32), c = sweep_dim(s, 256), at = draw(s->g, 2) ? 3 : 1,
        form = draw(s->g, 3);
    char x[64], v[32];
    if (at == 3)
        xg_format(x, sizeof x, "f32[%d,%d,%d,%d]", n, h, h, c);
    else
        xg_format(x, sizeof x, "f32[%d,%d,%d,%d]", n, c, h, h);
    xg_format(v, sizeof v, "f32[%d]", c);
    sweep_put(s, "ENTRY e {\n  p = %s parameter(0)\n  a = %s parameter(1)\n  b = %s parameter(2)\n", x, v, v);
    if (form == 0)
        sweep_put(s, "  ROOT z = (%s, %s, %s) batch-norm-training(p, a, b)", x, v, v);
    else if (form == 1)
        sweep_put(s, "  m = %s parameter(3)\n  w = %s parameter(4)\n  ROOT z = %s batch-norm-inference(p, a, b, m, w)",
            v, v, x);
    else
        sweep_put(s,
            "  m = %s parameter(3)\n  g = %s parameter(4)\n  ROOT z = (%s, %s, %s) batch-norm-grad(p, a, b, m, g)", v,
            x, x, v, v);
    sweep_put(s, ", epsilon=0.001, feature_index=%d\n}\n", at);
}
/* A product of 8-bit floats with a scale each, which leaves in 16 bits, or scaled once more in 8. */
static void sweep_f8(sweep *s) {
    int m = 16 * (1 + draw(s->g, 64)), n = 16 * (1 + draw(s->g, 64)), k = 16 * (1 + draw(s->g, 64)), j;
    char t[16], wide[16], shape[48];
    bool narrow = percent(s->g, 50), by = percent(s->g, 50);
    xg_format(t, sizeof t, "%s", one_of(s->g, "f8e4m3fn f8e5m2 f8e4m3fn"));
    xg_format(wide, sizeof wide, "%s", one_of(s->g, "bf16 f32 f16"));
    xg_format(shape, sizeof shape, "%s[%d,%d]", wide, m, n);
    sweep_put(s, "ENTRY e {\n");
    for (j = 0; j < 2; j++) {
        int rows = j ? n : m;
        sweep_put(s, "  p%d = %s[%d,%d] parameter(%d)\n  c%d = %s[%d,%d] convert(p%d)\n  k%d = %s[] parameter(%d)\n", j,
            j ? "f8e4m3fn" : t, rows, k, j, j, wide, rows, k, j, j, wide, 2 + j);
        sweep_put(s, "  b%d = %s[%d,%d] broadcast(k%d), dimensions={}\n  x%d = %s[%d,%d] multiply(c%d, b%d)\n", j, wide,
            rows, k, j, j, wide, rows, k, j, j);
    }
    sweep_put(s, "  d = %s dot(x0, x1), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n", shape);
    if (narrow) {
        sweep_put(s, "  o = %s[] parameter(4)\n  y = %s broadcast(o), dimensions={}\n  q = %s %s(d, y)\n", wide, shape,
            shape, by ? "divide" : "multiply");
        sweep_put(s,
            "  l = %s[] constant(-448)\n  u = %s[] constant(448)\n  lb = %s broadcast(l), dimensions={}\n  ub = %s "
            "broadcast(u), dimensions={}\n  r = %s clamp(lb, q, ub)\n  ROOT z = f8e4m3fn[%d,%d] convert(r)\n}\n",
            wide, wide, shape, shape, shape, m, n);
    } else
        sweep_put(s, "  ROOT z = %s copy(d)\n}\n", shape);
}
/* The text of a module of that number. */
static void make_sweep(sweep *s, medley *g, uint64_t number) {
    static void (*const kinds[])(sweep *) = {sweep_dot, sweep_reduce, sweep_rows, sweep_dot, sweep_transpose,
        sweep_sort, sweep_convolution, sweep_windows, sweep_table, sweep_moves, sweep_attention, sweep_fft,
        sweep_linear, sweep_collective, sweep_batch_norm, sweep_f8};
    void (*kind)(sweep *) = kinds[number % (sizeof kinds / sizeof *kinds)];
    memset(s, 0, sizeof *s);
    s->g = g;
    g->state = mixed(number * 1000);
    s->devices = kind == sweep_collective ? 2 << draw(g, 3) : 1;
    sweep_put(s, "HloModule m, replica_count=%d\n", s->devices);
    kind(s);
}

#endif /* XLAGPU_TESTS_SWEEP_H */
