/* tests/programs/medley_steps.h -- the steps that a random module is made of (tests/programs/medley.h); each may
 * decline by writing nothing. The table at the end is the list. */
#ifndef XLAGPU_TESTS_MEDLEY_STEPS_H
#define XLAGPU_TESTS_MEDLEY_STEPS_H

/* ---- element by element ---- */

static void step_binary(medley *g) {
    int x = pick(g, any), y, r;
    xlagpu_type t;
    if (x < 0) return;
    y = like(g, x, true);
    t = V(x)->t;
    if (t == XLAGPU_PRED)
        r = op(g, *V(x), "%s(%s, %s)", one_of(g, "and or xor"), N(x), N(y));
    else if (is(t, XGT_I))
        r = op(g, *V(x), "%s(%s, %s)",
            one_of(g, "add subtract multiply maximum minimum and or xor add subtract multiply maximum minimum divide "
                      "remainder power shift-left shift-right-arithmetic shift-right-logical mulhi"),
            N(x), N(y));
    else if (is(t, XGT_C))
        r = op(g, *V(x), "%s(%s, %s)", one_of(g, "add subtract multiply"), N(x), N(y));
    else
        r = op(g, *V(x), "%s(%s, %s)", one_of(g, "add subtract multiply maximum minimum"), N(x), N(y));
    keep_calm(g, r);
}
static void step_unary(medley *g) {
    int x = pick(g, any), r;
    xlagpu_type t;
    if (x < 0) return;
    t = V(x)->t;
    if (t == XLAGPU_F32 && percent(g, 15))
        r = op(g, *V(x), "reduce-precision(%s), exponent_bits=5, mantissa_bits=%d", N(x), 3 + draw(g, 20));
    else
        r = op(g, *V(x), "%s(%s)",
            one_of(g, t == XLAGPU_PRED ? "not copy"
                      : is_unsigned(t) ? "negate not popcnt count-leading-zeros copy"
                      : is(t, XGT_I)   ? "negate abs not sign popcnt count-leading-zeros copy"
                      : is(t, XGT_C)   ? "negate copy"
                                       : "negate abs sign floor ceil round-nearest-afz round-nearest-even copy"),
            N(x));
    keep(g, r);
}
static int compared(medley *g, int x, int y) {
    return op(g, as(XLAGPU_PRED, V(x)), "compare(%s, %s), direction=%s", N(x), N(y),
        one_of(g, is(V(x)->t, XGT_C) ? "EQ NE" : "LT LE GT GE EQ NE"));
}
static void step_select(medley *g) {
    int x = pick(g, any), y, c;
    if (x < 0) return;
    c = compared(g, x, like(g, x, true));
    if (percent(g, 20)) keep(g, c);
    y = like(g, x, true);
    keep(g, op(g, *V(x), "select(%s, %s, %s)", N(c), N(y), N(x)));
}
static void step_convert(medley *g) {
    int x = pick(g, any), low, high;
    xlagpu_type t, to = draw_type(g);
    if (x < 0) return;
    t = V(x)->t;
    if (is(t, XGT_C) && !is(to, XGT_C)) return;
    if (is(t, XGT_F) && is(to, XGT_I)) { /* what fits: conversions of others are left to each target */
        bool is_signed = !is_unsigned(to);
        int bits = xg_type_bits(to);
        low = constant(g, t, !is_signed ? 0 : bits == 2 ? -2 : -4);
        high = constant(g, t, bits == 2 ? 1 : 4);
        x = op(g, *V(x), "clamp(%s, %s, %s)", N(low), N(x), N(high));
    } else if (is(t, XGT_I) && is(to, XGT_F | XGT_C)) {
        int m = spread(g, constant(g, t, xg_type_bits(t) == 2 ? 1 : 4), V(x)->rank, V(x)->d);
        x = op(g, *V(x), "remainder(%s, %s)", N(x), N(m));
    }
    keep(g, op(g, as(to, V(x)), "convert(%s)", N(x)));
}
static bool is_float_32_or_64(const value *v) { return v->t == XLAGPU_F32 || v->t == XLAGPU_F64; }
static bool is_complex(const value *v) { return is(v->t, XGT_C); }
static void step_complex(medley *g) {
    int x = pick(g, percent(g, 50) ? is_complex : is_float_32_or_64), y;
    if (x < 0) return;
    if (is(V(x)->t, XGT_C)) {
        keep(g, op(g, as(xg_type_real(V(x)->t), V(x)), "%s(%s)", one_of(g, "real imag"), N(x)));
        return;
    }
    y = like(g, x, true);
    keep(g, op(g, as(V(x)->t == XLAGPU_F32 ? XLAGPU_C64 : XLAGPU_C128, V(x)), "complex(%s, %s)", N(x), N(y)));
}
static void step_bitcast(medley *g) {
    int x = pick(g, is_whole_number), bits;
    value r;
    if (x < 0) return;
    bits = xg_type_bits(V(x)->t);
    r = *V(x);
    if (bits == 32 && percent(g, 40) && r.rank < 6 && elements(V(x)) * 4 <= g->most) {
        r.t = XLAGPU_U8;
        r.d[r.rank++] = 4;
    } else
        r.t = bits == 8    ? XLAGPU_U8
              : bits == 16 ? XLAGPU_S16
              : bits == 32 ? XLAGPU_U32
              : bits == 64 ? XLAGPU_S64
              : bits == 4  ? XLAGPU_U4
                           : XLAGPU_U2;
    keep(g, op(g, r, "bitcast-convert(%s)", N(x)));
}
static void step_iota(medley *g) {
    int x = pick(g, has_dims), i, m;
    xlagpu_type t = draw_type(g);
    if (x < 0 || t == XLAGPU_PRED) return;
    i = op(g, as(XLAGPU_S32, V(x)), "iota(), iota_dimension=%d", draw(g, V(x)->rank));
    if (percent(g, 30)) {
        keep(g, i);
        return;
    }
    m = spread(g, constant(g, XLAGPU_S32, xg_type_bits(t) == 2 ? 2 : 5), V(x)->rank, V(x)->d);
    i = op(g, as(XLAGPU_S32, V(x)), "remainder(%s, %s)", N(i), N(m));
    keep(g, op(g, as(t, V(x)), "convert(%s)", N(i)));
}
static bool is_rough_kind(const value *v) {
    return v->t == XLAGPU_F32 || v->t == XLAGPU_F64 || v->t == XLAGPU_F16 || v->t == XLAGPU_BF16;
}
static void step_rough(medley *g) {
    int x = pick(g, is_rough_kind), y, k;
    if (x < 0) return;
    y = like(g, x, true);
    if (percent(g, 30)) keep(g, op(g, as(XLAGPU_PRED, V(x)), "is-finite(%s)", N(x)));
    for (k = draw(g, 7); k > 0; k--)
        leave_rough(g, op(g, *V(x), "%s(%s)",
                           one_of(g, "exponential exponential-minus-one log log-plus-one logistic sqrt rsqrt cbrt tanh "
                                     "tan sine cosine erf acos acosh asin asinh atanh sinh cosh"),
                           N(x)));
    if (percent(g, 40))
        leave_rough(g, op(g, *V(x), "%s(%s, %s)", one_of(g, "divide power atan2 remainder"), N(x), N(y)));
}
/* Of a batch norm's three forms, the first two: what follows from them is the algebra of the others. */
static bool is_batch_kind(const value *v) { return v->t == XLAGPU_F32 && v->rank > 1 && elements(v) > 0; }
static void step_batch_norm(medley *g) {
    int x = pick(g, is_batch_kind), of_features[4], to[3], k, n = 0, dim;
    char shape[400], names[400];
    value f;
    if (x < 0 || g->depth) return;
    dim = draw(g, V(x)->rank);
    f = of(XLAGPU_F32, 1, &V(x)->d[dim]);
    for (k = 0; k < 4; k++) of_features[k] = parameter(g, f, k == 3 ? 7 : 0); /* a variance that is mostly positive */
    if (percent(g, 50)) {
        int a = op(g, f, "abs(%s)", N(of_features[3]));
        leave_rough(g, op(g, *V(x), "batch-norm-inference(%s, %s, %s, %s, %s), epsilon=0.5, feature_index=%d", N(x),
                           N(of_features[0]), N(of_features[1]), N(of_features[2]), N(a), dim));
        return;
    }
    to[n++] = fresh(g, *V(x), false);
    to[n++] = fresh(g, f, false);
    to[n++] = fresh(g, f, false);
    tuple_texts(g, to, n, shape, names, sizeof shape);
    put(g, "  norm%d = %s batch-norm-training(%s, %s, %s), epsilon=0.5, feature_index=%d\n", to[0], shape, N(x),
        N(of_features[0]), N(of_features[1]), dim);
    for (k = 0; k < n; k++) {
        put(g, "  %s = %s get-tuple-element(norm%d), index=%d\n", N(to[k]), V(to[k])->shape, to[0], k);
        leave_rough(g, to[k]);
    }
}
static bool is_f32(const value *v) { return v->t == XLAGPU_F32; }
static void step_stochastic(medley *g) {
    int x = pick(g, is_f32), r;
    if (x < 0) return;
    r = parameter(g, as(XLAGPU_U32, V(x)), 0);
    keep(g, op(g, as(percent(g, 60) ? XLAGPU_S8 : XLAGPU_S32, V(x)), "stochastic-convert(%s, %s)", N(x), N(r)));
}
/* Numbers that are known when it is compiled. */
static void step_known(medley *g) {
    int x = pick(g, has_dims);
    if (x < 0) return;
    if (percent(g, 60))
        keep(g, op(g, of(XLAGPU_S32, 0, NULL), "get-dimension-size(%s), dimensions={%d}", N(x), draw(g, V(x)->rank)));
    else
        keep(g, op(g, of(XLAGPU_U32, 0, NULL), "%s()", one_of(g, "partition-id replica-id")));
}

/* ---- moves ---- */

static void step_transpose(medley *g) {
    int x = pick(g, has_dims), k, j;
    int64_t p[MOST_RANK];
    value r;
    if (x < 0) return;
    r = *V(x);
    for (k = 0; k < r.rank; k++) p[k] = k;
    for (k = r.rank - 1; k > 0; k--) {
        int64_t t = p[k];
        j = draw(g, k + 1);
        p[k] = p[j];
        p[j] = t;
    }
    for (k = 0; k < r.rank; k++) r.d[k] = V(x)->d[p[k]];
    k = begin(g, r);
    put(g, "transpose(%s), ", N(x));
    put_list(g, "dimensions", p, r.rank);
    put(g, "\n");
    keep(g, k);
}
static void step_reshape(medley *g) {
    static const int64_t factors[] = {2, 3, 5, 7, 2, 4, 8};
    int x = pick(g, has_elements), k, j;
    value r;
    if (x < 0) return;
    r = of(V(x)->t, 0, NULL);
    r.rank = 1;
    r.d[0] = elements(V(x));
    for (k = 0; k < 7; k++)
        if (r.d[r.rank - 1] % factors[k] == 0 && r.rank < 4 && percent(g, 50)) {
            r.d[r.rank - 1] /= factors[k];
            r.d[r.rank++] = factors[k];
        }
    if (percent(g, 30)) r.d[r.rank++] = 1;
    for (k = r.rank - 1; k > 0; k--) {
        int64_t t = r.d[k];
        j = draw(g, k + 1);
        r.d[k] = r.d[j];
        r.d[j] = t;
    }
    keep(g, op(g, r, "%s(%s)", !g->layouts && percent(g, 20) ? "bitcast" : "reshape", N(x)));
}
static bool can_grow(const value *v) { return v->rank < 6; }
static void step_broadcast(medley *g) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 17};
    int x = pick(g, can_grow), at, k, n = 0;
    int64_t dims[MOST_RANK];
    value r;
    if (x < 0) return;
    r = *V(x);
    at = draw(g, r.rank + 1);
    for (k = r.rank++; k > at; k--) r.d[k] = r.d[k - 1];
    r.d[at] = sizes[draw(g, 6)];
    if (elements(&r) > g->most) return;
    for (k = 0; k < r.rank; k++)
        if (k != at) dims[n++] = k;
    k = begin(g, r);
    put(g, "broadcast(%s), ", N(x));
    put_list(g, "dimensions", dims, n);
    put(g, "\n");
    keep(g, k);
}
/* x[from : to : stride] along one dimension. */
static int sliced(medley *g, int x, int dim, int64_t from, int64_t to, int64_t stride) {
    value r = *V(x);
    int k;
    r.d[dim] = (to - from + stride - 1) / stride;
    k = begin(g, r);
    put(g, "slice(%s), slice={", N(x));
    {
        int j;
        for (j = 0; j < r.rank; j++)
            put(g, "%s[%lld:%lld:%lld]", j ? ", " : "", (long long)(j == dim ? from : 0),
                (long long)(j == dim ? to : V(x)->d[j]), (long long)(j == dim ? stride : 1));
    }
    put(g, "}\n");
    return k;
}
static void step_slice(medley *g) {
    int x = pick(g, has_elements), k;
    if (x < 0) return;
    for (k = 0; k < 2; k++) {
        int dim = draw(g, V(x)->rank);
        int64_t n = V(x)->d[dim], from = percent(g, 40) ? between(g, 0, n - 1) : 0,
                to = percent(g, 50) ? n : between(g, from + 1, n);
        x = sliced(g, x, dim, from, to, percent(g, 60) ? 1 : 2 + draw(g, 2));
        if (percent(g, 50)) break;
    }
    keep(g, x);
}
static void step_pad(medley *g) {
    static const int low[] = {0, 0, 1, 2, -1}, high[] = {0, 0, 1, 3, -1};
    int x = pick(g, has_dims), z, to, k, a[MOST_RANK], b[MOST_RANK], c[MOST_RANK];
    value r;
    if (x < 0) return;
    r = *V(x);
    for (k = 0; k < r.rank; k++) {
        a[k] = low[draw(g, 5)];
        b[k] = high[draw(g, 5)];
        c[k] = percent(g, 25);
        r.d[k] = a[k] + b[k] + V(x)->d[k] + (V(x)->d[k] > 0 ? (V(x)->d[k] - 1) * c[k] : 0);
        if (r.d[k] < 0) {
            a[k] = b[k] = c[k] = 0;
            r.d[k] = V(x)->d[k];
        }
    }
    if (elements(&r) > 2 * g->most) return;
    z = constant(g, r.t, percent(g, 80) ? 0 : 1);
    to = begin(g, r);
    put(g, "pad(%s, %s), padding=", N(x), N(z));
    for (k = 0; k < r.rank; k++) put(g, "%s%d_%d_%d", k ? "x" : "", a[k], b[k], c[k]);
    put(g, "\n");
    keep(g, to);
}
static int joined(medley *g, const int *x, int n, int dim) {
    value r = *V(x[0]);
    int k, to;
    for (k = 1; k < n; k++) r.d[dim] += V(x[k])->d[dim];
    to = begin(g, r);
    put(g, "concatenate(");
    for (k = 0; k < n; k++) put(g, "%s%s", k ? ", " : "", N(x[k]));
    put(g, "), dimensions={%d}\n", dim);
    return to;
}
static void step_concatenate(medley *g) {
    int x = pick(g, has_dims), dim, list[5], n = 0, wanted, k, j;
    uint64_t r = draw_bits(g);
    if (x < 0) return;
    dim = draw(g, V(x)->rank);
    wanted = 1 + draw(g, 3);
    list[n++] = x;
    for (k = g->s[g->depth].first; k < g->count && n <= wanted; k++) {
        bool fits = V(k)->kept && V(k)->t == V(x)->t && V(k)->rank == V(x)->rank && mixed(r ^ V(k)->id) % 2;
        for (j = 0; fits && j < V(x)->rank; j++) fits = j == dim || V(k)->d[j] == V(x)->d[j];
        if (fits) list[n++] = k;
    }
    if (elements(V(x)) * n > 2 * g->most) return;
    keep(g, joined(g, list, n, dim));
}
static void step_reverse(medley *g) {
    int x = pick(g, has_dims);
    if (x >= 0) keep(g, op(g, *V(x), "reverse(%s), dimensions={%d}", N(x), draw(g, V(x)->rank)));
}

/* ---- folds ---- */

static int draw_dims(medley *g, const value *v, int64_t *dims) {
    int k, n = 0;
    if (percent(g, 35)) {
        dims[0] = v->rank - 1;
        return 1;
    }
    for (k = 0; k < v->rank; k++)
        if (percent(g, 45)) dims[n++] = k;
    if (!n) dims[n++] = draw(g, v->rank);
    return n;
}
static int without(const value *v, const int64_t *dims, int n, value *rest, int64_t *kept) {
    int k, j, m = 0;
    *rest = of(v->t, 0, NULL);
    for (k = 0; k < v->rank; k++) {
        bool reduced = false;
        for (j = 0; j < n; j++) reduced = reduced || dims[j] == k;
        if (!reduced) {
            kept[m] = k;
            rest->d[m++] = v->d[k];
        }
    }
    return rest->rank = m;
}
static int reduced(medley *g, int x, const char *kind, const int64_t *dims, int n) {
    char name[40];
    int64_t kept[MOST_RANK];
    value rest;
    int z = start_of(g, V(x)->t, kind), r;
    (void)without(V(x), dims, n, &rest, kept);
    computation(g, kind, V(x)->t, name, sizeof name);
    r = begin(g, rest);
    put(g, "reduce(%s, %s), ", N(x), N(z));
    put_list(g, "dimensions", dims, n);
    put(g, ", to_apply=%s\n", name);
    return r;
}
static int stretched(medley *g, int x, const value *to, const int64_t *kept, int n) {
    value r = *to;
    int k;
    r.t = V(x)->t;
    k = begin(g, r);
    put(g, "broadcast(%s), ", N(x));
    put_list(g, "dimensions", kept, n);
    put(g, "\n");
    return k;
}
static void step_reduce(medley *g) {
    int64_t dims[MOST_RANK];
    int x = pick(g, has_elements), n;
    if (x < 0) return;
    n = draw_dims(g, V(x), dims);
    keep_calm(g, reduced(g, x, draw_kind(g, V(x)->t), dims, n));
}
/* x - max(x), or a softmax, or a variance. */
static void step_normalise(medley *g) {
    int64_t dims[MOST_RANK], kept[MOST_RANK];
    int x = pick(g, has_elements), n, m, r, b;
    value rest;
    if (x < 0) return;
    n = draw_dims(g, V(x), dims);
    m = without(V(x), dims, n, &rest, kept);
    r = reduced(g, x, percent(g, 50) && is_ordered(V(x)) && V(x)->t != XLAGPU_PRED ? "maximum" : draw_kind(g, V(x)->t),
        dims, n);
    if (percent(g, 40)) keep_calm(g, r);
    b = stretched(g, r, V(x), kept, m);
    if (V(x)->t == XLAGPU_PRED) {
        keep(g, op(g, *V(x), "xor(%s, %s)", N(x), N(b)));
        return;
    }
    r = op(g, *V(x), "subtract(%s, %s)", N(x), N(b));
    if (is_rough_kind(V(x)) && V(x)->t != XLAGPU_F16 && percent(g, 30)) {
        int e, s;
        r = calm(g, r);
        e = op(g, *V(x), "exponential(%s)", N(r));
        s = reduced(g, e, "add", dims, n);
        b = stretched(g, s, V(x), kept, m);
        if (V(x)->t != XLAGPU_BF16) leave_rough(g, op(g, *V(x), "divide(%s, %s)", N(e), N(b)));
    }
    keep_calm(g, r);
}
static bool is_argmax_kind(const value *v) { return is_ordered(v) && v->t != XLAGPU_PRED; }
static void step_argmax(medley *g) {
    char name[40], head[48], shape[300], pair[300];
    int64_t dims[MOST_RANK], kept[MOST_RANK];
    int x = pick(g, is_argmax_kind), i, z, zi, dim, at[2], k;
    const char *t, *it;
    xlagpu_type index = percent(g, 70) ? XLAGPU_S32 : percent(g, 50) ? XLAGPU_S64 : XLAGPU_U32;
    value rest;
    if (x < 0) return;
    t = type_text(V(x)->t);
    it = type_text(index);
    xg_format(name, sizeof name, "arg_%s_%s", t, it);
    xg_format(head, sizeof head, "\n%s {", name);
    if (!strstr(g->comps, head))
        put_comp(g,
            "%s\n  a = %s[] parameter(0)\n  i = %s[] parameter(1)\n  b = %s[] parameter(2)\n  j = %s[] parameter(3)\n  "
            "gt = pred[] compare(a, b), direction=GT\n"
            "  eq = pred[] compare(a, b), direction=EQ\n  lt = pred[] compare(i, j), direction=LT\n  both = pred[] "
            "and(eq, lt)\n  first = pred[] or(gt, both)\n  m = %s[] select(gt, a, b)\n"
            "  k = %s[] select(first, i, j)\n  ROOT r = (%s[], %s[]) tuple(m, k)\n}\n",
            head, t, it, t, it, t, it, t, it);
    dim = percent(g, 60) ? V(x)->rank - 1 : draw(g, V(x)->rank);
    dims[0] = dim;
    (void)without(V(x), dims, 1, &rest, kept);
    i = op(g, as(index, V(x)), "iota(), iota_dimension=%d", dim);
    z = start_of(g, V(x)->t, "maximum");
    zi = constant(g, index, 0);
    at[0] = fresh(g, rest, true);
    at[1] = fresh(g, as(index, &rest), true);
    tuple_texts(g, at, 2, shape, pair, sizeof shape);
    put(g, "  pair%d = %s reduce(%s, %s, %s, %s), dimensions={%d}, to_apply=%s\n", at[0], shape, N(x), N(i), N(z),
        N(zi), dim, name);
    for (k = 0; k < 2; k++) {
        put(g, "  %s = %s get-tuple-element(pair%d), index=%d\n", N(at[k]), V(at[k])->shape, at[0], k);
        keep(g, at[k]);
    }
}
static void put_crosses(medley *g, const char *name, const int64_t *a, const int64_t *b, int n) {
    int k;
    put(g, " %s=", name);
    for (k = 0; k < n; k++) {
        put(g, "%s%lld", k ? "x" : "", (long long)a[k]);
        if (b) put(g, "_%lld", (long long)b[k]);
    }
}
static void step_window(medley *g) {
    int64_t size[MOST_RANK], stride[MOST_RANK], low[MOST_RANK], high[MOST_RANK], spread_[MOST_RANK], base[MOST_RANK],
        work = 1;
    int x = pick(g, has_elements), dim, k, z;
    bool prefix = percent(g, 45), dilated = percent(g, 20);
    char name[40];
    const char *kind;
    value r;
    if (x < 0) return;
    r = *V(x);
    dim = draw(g, r.rank);
    for (k = 0; k < r.rank; k++) {
        int64_t n = r.d[k], length;
        size[k] = stride[k] = spread_[k] = base[k] = 1;
        low[k] = high[k] = 0;
        if (prefix) {
            if (k == dim) {
                size[k] = n;
                if (percent(g, 60))
                    low[k] = n - 1;
                else
                    high[k] = n - 1;
            }
        } else if (k == dim || percent(g, 35)) {
            size[k] = between(g, 1, n < 9 ? n : 9);
            stride[k] = 1 + draw(g, 3);
            if (dilated) {
                spread_[k] = 1 + draw(g, 2);
                base[k] = 1 + draw(g, 2);
            }
            low[k] = between(g, 0, size[k] - 1);
            high[k] = between(g, 0, size[k] - 1);
        }
        length = (n - 1) * base[k] + 1 + low[k] + high[k] - ((size[k] - 1) * spread_[k] + 1);
        if (length < 0) return;
        r.d[k] = length / stride[k] + 1;
        work *= size[k];
    }
    if (elements(&r) > 2 * g->most || elements(&r) * work > 3000000) return;
    kind = draw_kind(g, r.t);
    z = start_of(g, r.t, kind);
    computation(g, kind, r.t, name, sizeof name);
    k = begin(g, r);
    put(g, "reduce-window(%s, %s), window={", N(x), N(z));
    put_crosses(g, "size", size, NULL, r.rank);
    put_crosses(g, "stride", stride, NULL, r.rank);
    put_crosses(g, "pad", low, high, r.rank);
    if (dilated) {
        put_crosses(g, "lhs_dilate", base, NULL, r.rank);
        put_crosses(g, "rhs_dilate", spread_, NULL, r.rank);
    }
    put(g, "}, to_apply=%s\n", name);
    keep_calm(g, k);
}
/* A prefix sum as associative_scan writes it: by doubling. */
static void step_ladder(medley *g) {
    int x = pick(g, has_elements), y, dim = 0, k;
    int64_t n, h;
    const char *kind;
    bool back = percent(g, 30), off = percent(g, 15); /* off: not quite a scan */
    if (x < 0) return;
    for (k = 1; k < V(x)->rank; k++)
        if (V(x)->d[k] > V(x)->d[dim]) dim = k;
    n = V(x)->d[dim];
    if (n < 4 || n > 300) return;
    kind = draw_kind(g, V(x)->t);
    for (h = 1, y = x; h < n; h *= 2) {
        int64_t by = off && h == 4 && n > 6 ? 5 : h;
        int a = sliced(g, y, dim, 0, n - by, 1), b = sliced(g, y, dim, by, n, 1), two[2];
        int sum = op(g, *V(a), "%s(%s, %s)", kind, N(a), N(b)),
            edge = back ? sliced(g, y, dim, n - by, n, 1) : sliced(g, y, dim, 0, by, 1);
        two[0] = back ? sum : edge;
        two[1] = back ? edge : sum;
        y = joined(g, two, 2, dim);
    }
    keep_calm(g, y);
}
/* The opcode for it. */
static void step_scan(medley *g) {
    int x = pick(g, has_elements), z, at[2], k, j, dim;
    char name[24], shape[300], names[300];
    const char *kind;
    bool back = percent(g, 40);
    value slice;
    if (x < 0 || V(x)->rank > 4) return;
    dim = draw(g, V(x)->rank);
    kind = draw_kind(g, V(x)->t);
    slice = of(V(x)->t, 0, NULL);
    for (k = j = 0; k < V(x)->rank; k++)
        if (k != dim) slice.d[j++] = V(x)->d[k];
    slice.rank = j;
    z = parameter(g, slice, 0);
    at[0] = fresh(g, *V(x), false);
    at[1] = fresh(g, slice, false);
    xg_format(name, sizeof name, "scan%d", at[0]);
    put_comp(g,
        "\n%s {\n  x = %s parameter(0)\n  y = %s parameter(1)\n  s = %s %s(x, y)\n  ROOT t = (%s, %s) tuple(s, s)\n}\n",
        name, V(at[1])->shape, V(at[1])->shape, V(at[1])->shape, kind, V(at[1])->shape, V(at[1])->shape);
    tuple_texts(g, at, 2, shape, names, sizeof shape);
    put(g, "  scanned%d = %s scan(%s, %s), dimensions={%d}, num_carries=1%s, to_apply=%s\n", at[0], shape, N(x), N(z),
        dim, back ? ", is_reverse=true, is_associative=true" : "", name);
    for (k = 0; k < 2; k++) {
        put(g, "  %s = %s get-tuple-element(scanned%d), index=%d\n", N(at[k]), V(at[k])->shape, at[0], k);
        keep_calm(g, at[k]);
    }
}
static void step_select_and_scatter(medley *g) {
    int64_t size[MOST_RANK], low[MOST_RANK], high[MOST_RANK], stride[MOST_RANK];
    int x = pick(g, is_argmax_kind), s, z, k;
    char ge[40], add[40];
    value r;
    if (x < 0 || V(x)->rank > 4 || !sums_exactly(V(x)->t)) return;
    r = *V(x);
    for (k = 0; k < r.rank; k++) {
        size[k] = between(g, 1, r.d[k] < 3 ? r.d[k] : 3);
        stride[k] = 1 + draw(g, 3);
        low[k] = between(g, 0, size[k] - 1);
        high[k] = between(g, 0, size[k] - 1);
        r.d[k] = (r.d[k] + low[k] + high[k] - size[k]) / stride[k] + 1;
    }
    s = parameter(g, r, 0);
    z = constant(g, r.t, 0);
    computation(g, "ge", r.t, ge, sizeof ge);
    computation(g, "add", r.t, add, sizeof add);
    k = begin(g, *V(x));
    put(g, "select-and-scatter(%s, %s, %s), window={", N(x), N(s), N(z));
    put_crosses(g, "size", size, NULL, r.rank);
    put_crosses(g, "stride", stride, NULL, r.rank);
    put_crosses(g, "pad", low, high, r.rank);
    put(g, "}, select=%s, scatter=%s\n", ge, add);
    keep_calm(g, k);
}

/* ---- where indices say ---- */

static int indices(medley *g, int64_t n, int64_t most) {
    static const xlagpu_type types[] = {XLAGPU_S32, XLAGPU_S32, XLAGPU_S64, XLAGPU_U32};
    xlagpu_type t = types[draw(g, 4)];
    int i, m;
    if (percent(g, 40)) return parameter(g, of(percent(g, 20) ? XLAGPU_S8 : t, 1, &n), most < 120 ? most : 120);
    i = op(g, of(t, 1, &n), "iota(), iota_dimension=0");
    m = spread(g, constant(g, t, percent(g, 50) ? 3 : 1), 1, &n);
    i = op(g, of(t, 1, &n), "multiply(%s, %s)", N(i), N(m));
    m = spread(g, constant(g, t, percent(g, 70) && most > 1 ? between(g, 1, most) : most + 2), 1, &n);
    return op(g, of(t, 1, &n), "remainder(%s, %s)", N(i), N(m));
}
/* Of boxes along one dimension; the boxes stand first or last. */
static bool is_box_kind(const value *v) { return has_elements(v) && v->rank <= 4; }
static void step_gather(medley *g) {
    static const int64_t counts[] = {1, 2, 5, 17, 33, 64};
    int x = pick(g, is_box_kind), dim, k, m = 0, i;
    int64_t n = counts[draw(g, 6)], sizes[MOST_RANK], offsets[MOST_RANK];
    bool wide, front = percent(g, 50);
    value r;
    if (x < 0) return;
    dim = draw(g, V(x)->rank);
    wide = V(x)->d[dim] > 1 && percent(g, 25);
    r = of(V(x)->t, 0, NULL);
    if (front) r.d[r.rank++] = n;
    for (k = 0; k < V(x)->rank; k++) {
        sizes[k] = k == dim ? 1 + wide : V(x)->d[k];
        if (k != dim || wide) {
            offsets[m++] = r.rank;
            r.d[r.rank++] = sizes[k];
        }
    }
    if (!front) r.d[r.rank++] = n;
    if (elements(&r) > 2 * g->most) return;
    i = indices(g, n, V(x)->d[dim]);
    k = begin(g, r);
    put(g, "gather(%s, %s), ", N(x), N(i));
    put_list(g, "offset_dims", offsets, m);
    put(g, wide ? ", collapsed_slice_dims={}" : ", collapsed_slice_dims={%d}", dim);
    put(g, ", start_index_map={%d}, index_vector_dim=1, ", dim);
    put_list(g, "slice_sizes", sizes, V(x)->rank);
    put(g, "\n");
    keep(g, k);
}
static void step_scatter(medley *g) {
    static const int64_t counts[] = {1, 2, 5, 17, 33, 64};
    int x = pick(g, is_box_kind), dim, k, m = 0, u, i, to;
    int64_t n = counts[draw(g, 6)], window[MOST_RANK];
    bool wide, front = percent(g, 60);
    const char *kind;
    char name[40];
    value r;
    if (x < 0) return;
    to = x;
    dim = draw(g, V(x)->rank);
    wide = V(x)->d[dim] > 1 && percent(g, 25);
    r = of(V(x)->t, 0, NULL);
    if (front) r.d[r.rank++] = n;
    for (k = 0; k < V(x)->rank; k++)
        if (k != dim || wide) {
            window[m++] = r.rank;
            r.d[r.rank++] = k == dim ? 2 : percent(g, 75) ? V(x)->d[k] : between(g, 1, V(x)->d[k]);
        }
    if (!front) r.d[r.rank++] = n;
    if (elements(&r) > 2 * g->most) return;
    u = percent(g, 60) ? parameter(g, r, 0) : spread(g, constant(g, r.t, 1), r.rank, r.d);
    i = indices(g, n, V(x)->d[dim]);
    kind = n == 1 && percent(g, 40) ? "take" : draw_kind(g, r.t);
    computation(g, kind, r.t, name, sizeof name);
    if (percent(g, 30)) to = spread(g, constant(g, r.t, 0), V(x)->rank, V(x)->d);
    k = begin(g, *V(x));
    put(g, "scatter(%s, %s, %s), ", N(to), N(i), N(u));
    put_list(g, "update_window_dims", window, m);
    put(g, wide ? ", inserted_window_dims={}" : ", inserted_window_dims={%d}", dim);
    put(g, ", scatter_dims_to_operand_dims={%d}, index_vector_dim=1, to_apply=%s\n", dim, name);
    keep_calm(g, k);
}
static bool is_index(const value *v) { return v->t == XLAGPU_S32 && v->rank == 0; }
static void put_starts(medley *g, const int *at, int n) {
    int k;
    for (k = 0; k < n; k++) put(g, ", %s", N(at[k]));
    put(g, ")");
}
/* A slice somewhere, and the update that puts it, or something else, back; in place if it can be. */
static void step_dynamic(medley *g) {
    int x = pick(g, has_elements), at[MOST_RANK], k, s, f;
    int64_t sizes[MOST_RANK];
    value r;
    if (x < 0) return;
    r = *V(x);
    for (k = 0; k < r.rank; k++) {
        sizes[k] = percent(g, 50) ? r.d[k] : between(g, 1, r.d[k]);
        at[k] = percent(g, 50) ? constant(g, XLAGPU_S32, between(g, -2, r.d[k] + 1)) : pick(g, is_index);
        if (at[k] < 0) at[k] = parameter(g, of(XLAGPU_S32, 0, NULL), r.d[k] < 100 ? r.d[k] : 100);
    }
    for (k = 0; k < r.rank; k++) r.d[k] = sizes[k];
    s = begin(g, r);
    put(g, "dynamic-slice(%s", N(x));
    put_starts(g, at, r.rank);
    put(g, ", ");
    put_list(g, "dynamic_slice_sizes", sizes, r.rank);
    put(g, "\n");
    keep(g, s);
    if (percent(g, 30)) return;
    if (V(x)->t != XLAGPU_PRED && !is(V(x)->t, XGT_C) && percent(g, 60)) s = op(g, r, "negate(%s)", N(s));
    if (percent(g, 40)) {
        int t = at[0];
        at[0] = at[r.rank - 1];
        at[r.rank - 1] = t;
    }
    f = begin(g, *V(x));
    put(g, "dynamic-update-slice(%s, %s", N(x), N(s));
    put_starts(g, at, r.rank);
    put(g, "\n");
    keep(g, f);
}

/* ---- products ---- */

static bool is_dot_kind(const value *v) {
    return has_elements(v) && v->rank <= 4 &&
           (is(v->t, XGT_I) || v->t == XLAGPU_F32 || v->t == XLAGPU_F64 || v->t == XLAGPU_BF16);
}
static void step_dot(medley *g) {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 33};
    int64_t lb[MOST_RANK], lc[MOST_RANK], rb[MOST_RANK], rc[MOST_RANK], work;
    int x = pick(g, is_dot_kind), y, k, nb = 0, nc = 0, order[MOST_RANK], n;
    value r, o;
    if (x < 0) return;
    if (!is(V(x)->t, XGT_I)) x = calm(g, x);
    o = of(V(x)->t, 0, NULL);
    r = o;
    for (k = 0; k < V(x)->rank; k++) {
        int kind = draw(g, 3); /* batch, contracting, free */
        if (kind == 0 && nb < 2) {
            lb[nb++] = k;
            r.d[r.rank++] = V(x)->d[k];
        } else if (kind == 1 || (k == V(x)->rank - 1 && !nc))
            lc[nc++] = k;
    }
    for (k = 0; k < V(x)->rank; k++) {
        int j;
        bool taken = false;
        for (j = 0; j < nb; j++) taken = taken || lb[j] == k;
        for (j = 0; j < nc; j++) taken = taken || lc[j] == k;
        if (!taken) r.d[r.rank++] = V(x)->d[k];
    }
    n = nb + nc + percent(g, 75); /* the other operand: its dimensions in any order */
    for (k = 0; k < n; k++) order[k] = k;
    for (k = n - 1; k > 0; k--) {
        int j = draw(g, k + 1), t = order[k];
        order[k] = order[j];
        order[j] = t;
    }
    o.rank = n;
    for (k = 0; k < n; k++) {
        int what = order[k];
        if (what < nb) {
            rb[what] = k;
            o.d[k] = V(x)->d[lb[what]];
        } else if (what < nb + nc) {
            rc[what - nb] = k;
            o.d[k] = V(x)->d[lc[what - nb]];
        } else {
            o.d[k] = sizes[draw(g, 8)];
            r.d[r.rank++] = o.d[k];
        }
    }
    work = elements(&r);
    for (k = 0; k < nc; k++) work *= V(x)->d[lc[k]];
    if (r.rank > MOST_RANK - 1 || elements(&r) > g->most || elements(&o) > g->most || work > 400000) return;
    y = parameter(g, o, 0);
    k = begin(g, r);
    put(g, "dot(%s, %s), ", N(x), N(y));
    if (nb) {
        put_list(g, "lhs_batch_dims", lb, nb);
        put(g, ", ");
        put_list(g, "rhs_batch_dims", rb, nb);
        put(g, ", ");
    }
    put_list(g, "lhs_contracting_dims", lc, nc);
    put(g, ", ");
    put_list(g, "rhs_contracting_dims", rc, nc);
    put(g, "\n");
    keep_calm(g, k);
}
static bool is_convolution_kind(const value *v) {
    return v->rank == 3 && elements(v) > 0 && (v->t == XLAGPU_F32 || v->t == XLAGPU_S32 || v->t == XLAGPU_BF16);
}
static void step_convolution(medley *g) {
    int x = pick(g, is_convolution_kind), y, k, groups, features = 1 + draw(g, 5);
    int64_t size, stride = 1 + draw(g, 2), low, high, base = 1 + draw(g, 2), spread_ = 1 + draw(g, 2), length;
    value r, o;
    if (x < 0 || V(x)->d[2] > 40 || V(x)->d[1] > 300) return;
    size = between(g, 1, V(x)->d[1] < 5 ? V(x)->d[1] : 5);
    low = between(g, -1, size);
    high = between(g, 0, size);
    groups = V(x)->d[2] % 2 == 0 && percent(g, 30) ? 2 : 1;
    features *= groups;
    length = (V(x)->d[1] - 1) * base + 1 + low + high - ((size - 1) * spread_ + 1);
    if (length < 0) return;
    r = *V(x);
    r.d[1] = length / stride + 1;
    r.d[2] = features;
    o = r;
    o.d[0] = size;
    o.d[1] = V(x)->d[2] / groups;
    if (elements(&r) > g->most || elements(&r) * size * o.d[1] > 400000) return;
    y = parameter(g, o, 0);
    if (!is(V(x)->t, XGT_I)) x = calm(g, x);
    k = begin(g, r);
    put(g,
        "convolution(%s, %s), window={size=%lld stride=%lld pad=%lld_%lld lhs_dilate=%lld rhs_dilate=%lld}, "
        "dim_labels=b0f_0io->b0f",
        N(x), N(y), (long long)size, (long long)stride, (long long)low, (long long)high, (long long)base,
        (long long)spread_);
    put(g, groups > 1 ? ", feature_group_count=2\n" : "\n");
    keep_calm(g, k);
}

/* ---- order ---- */

static void step_sort(medley *g) {
    char name[24], shape[800], names[800];
    int x = pick(g, is_ordered), dim, list[4], to[4], n = 0, k;
    bool by_size;
    if (x < 0) return;
    dim = percent(g, 50) ? V(x)->rank - 1 : draw(g, V(x)->rank);
    list[n++] = x;
    if (percent(g, 50)) {
        int y = like(g, x, false);
        if (y != x) list[n++] = y;
    }
    if (percent(g, 50)) {
        int i = op(g, as(XLAGPU_S32, V(x)), "iota(), iota_dimension=%d", dim);
        list[n++] = i;
    }
    by_size = percent(g, 25) && V(x)->t != XLAGPU_PRED && !is_unsigned(V(x)->t);
    xg_format(name, sizeof name, "before%d", g->count);
    put_comp(g, "\n%s {\n", name);
    for (k = 0; k < 2 * n; k++)
        put_comp(g, "  %c%d = %s[] parameter(%d)\n", k % 2 ? 'b' : 'a', k / 2, type_text(V(list[k / 2])->t), k);
    if (by_size)
        put_comp(g, "  x = %s[] abs(a0)\n  y = %s[] abs(b0)\n  ROOT r = pred[] compare(x, y), direction=GT\n}\n",
            type_text(V(x)->t), type_text(V(x)->t));
    else if (n > 1 && !is(V(list[1])->t, XGT_C) && percent(g, 40))
        put_comp(g,
            "  lt = pred[] compare(a0, b0), direction=LT\n  eq = pred[] compare(a0, b0), direction=EQ\n  l2 = pred[] "
            "compare(a1, b1), direction=%s\n  an = pred[] and(eq, l2)\n  ROOT r = pred[] or(lt, an)\n}\n",
            one_of(g, "LT GT"));
    else
        put_comp(g, "  ROOT r = pred[] compare(a0, b0), direction=%s\n}\n", one_of(g, "LT GT"));
    for (k = 0; k < n; k++) to[k] = fresh(g, *V(list[k]), true);
    tuple_texts(g, to, n, shape, names, sizeof shape);
    if (n == 1)
        put(g, "  %s = %s sort(%s), dimensions={%d}, is_stable=true, to_apply=%s\n", N(to[0]), V(to[0])->shape, N(x),
            dim, name);
    else {
        put(g, "  sorted%d = %s sort(%s", to[0], shape, N(x));
        for (k = 1; k < n; k++) put(g, ", %s", N(list[k]));
        put(g, "), dimensions={%d}, is_stable=true, to_apply=%s\n", dim, name);
        for (k = 0; k < n; k++)
            put(g, "  %s = %s get-tuple-element(sorted%d), index=%d\n", N(to[k]), V(to[k])->shape, to[0], k);
    }
    for (k = 0; k < n; k++) {
        if (percent(g, 30)) to[k] = sliced(g, to[k], dim, 0, between(g, 1, V(x)->d[dim]), 1);
        keep(g, to[k]);
    }
}
static void step_topk(medley *g) {
    int x = pick(g, is_argmax_kind), to[2], k;
    char shape[300], names[300];
    value r;
    int64_t n;
    if (x < 0) return;
    r = *V(x);
    n = r.d[r.rank - 1];
    r.d[r.rank - 1] = between(g, 1, n < 20 ? n : 20);
    to[0] = fresh(g, r, false);
    to[1] = fresh(g, as(XLAGPU_S32, &r), false);
    tuple_texts(g, to, 2, shape, names, sizeof shape);
    put(g, "  top%d = %s topk(%s), k=%lld, largest=%s\n", to[0], shape, N(x), (long long)r.d[r.rank - 1],
        one_of(g, "true false"));
    for (k = 0; k < 2; k++) {
        put(g, "  %s = %s get-tuple-element(top%d), index=%d\n", N(to[k]), V(to[k])->shape, to[0], k);
        keep(g, to[k]);
    }
}
static void step_random(medley *g) {
    static const int64_t two = 2;
    value r = draw_shape(g, percent(g, 70) ? XLAGPU_U32 : XLAGPU_U64);
    int key = parameter(g, of(XLAGPU_U64, 1, &two), 0), to = fresh(g, r, false);
    put(g, "  random%d = (u64[2], %s) rng-bit-generator(%s), algorithm=%s\n", to, V(to)->shape, N(key),
        one_of(g, "rng_three_fry rng_philox"));
    put(g, "  %s = %s get-tuple-element(random%d), index=1\n", N(to), V(to)->shape, to);
    keep(g, to);
}

/* ---- computations ---- */

/* Up to n different values, with few elements if they are to go round a loop. */
static int draw_values(medley *g, int *list, int n, int64_t most) {
    int k, j, m = 0;
    for (k = 0; k < n; k++) {
        int x = pick(g, any);
        bool again = x < 0 || elements(V(x)) > most;
        for (j = 0; j < m; j++) again = again || list[j] == x;
        if (!again) list[m++] = x;
    }
    return m;
}
/* The scope's values: list, as the parameters of a computation. */
static void arguments_of(medley *g, const int *list, int n, int *inner) {
    int k;
    for (k = 0; k < n; k++) {
        inner[k] = fresh(g, *V(list[k]), false);
        memcpy(V(inner[k])->shape, V(list[k])->shape, sizeof V(list[k])->shape);
        put(g, "  %s = %s parameter(%d)\n", N(inner[k]), V(inner[k])->shape, k);
        keep(g, inner[k]);
    }
}
static void step_call(medley *g) {
    int list[3], inner[3], n, x, to, k, out[2], n_out;
    char name[24], shape[300], names[300];
    bool fusion = percent(g, 30);
    if (g->depth + 1 >= SCOPES) return;
    n = draw_values(g, list, 1 + draw(g, 3), g->most);
    if (!n) return;
    scope_open(g);
    arguments_of(g, list, n, inner);
    take_steps(g, 1 + draw(g, 4));
    x = g->count - 1;
    while (!V(x)->kept) x--;
    out[0] = x;
    n_out = 1;
    if (!fusion && percent(g, 30)) out[n_out++] = inner[draw(g, n)];
    xg_format(name, sizeof name, "call%d", g->count);
    tuple_texts(g, out, n_out, shape, names, sizeof shape);
    if (n_out == 1) {
        char root[48];
        xg_format(root, sizeof root, "copy(%s)", N(x));
        scope_close(g, name, V(x)->shape, root);
    } else {
        char root[320];
        xg_format(root, sizeof root, "tuple%s", names);
        scope_close(g, name, shape, root);
    }
    to = fresh(g, *V(x), false);
    if (n_out == 1)
        put(g, "  %s = %s call(", N(to), V(x)->shape);
    else
        put(g, "  both%d = %s call(", to, shape);
    memcpy(V(to)->shape, V(x)->shape, sizeof V(x)->shape);
    for (k = 0; k < n; k++) put(g, "%s%s", k ? ", " : "", N(list[k]));
    put(g, "), to_apply=%s\n", name);
    if (n_out == 2) put(g, "  %s = %s get-tuple-element(both%d), index=0\n", N(to), V(x)->shape, to);
    keep(g, to);
}
static void element_op(medley *g, int depth, const char *t, int *n) {
    int k;
    for (k = 0; k < depth; k++, (*n)++) {
        int b = k ? draw(g, *n) : 0; /* each is used by the next one */
        put_comp(g, "  e%d = %s %s(e%d, e%d)\n", *n, t, one_of(g, "subtract maximum minimum"), *n - 1, b);
    }
}
/* A fusion that was there before, or a map: element by element. */
static bool is_mapped_kind(const value *v) { return is(v->t, XGT_I) || is_rough_kind(v); }
static void step_fusion(medley *g) {
    int x = pick(g, is_mapped_kind), y, n = 2, r;
    bool map = percent(g, 40);
    char name[24], scalar[24];
    const char *t;
    if (x < 0) return;
    y = like(g, x, true);
    xg_format(name, sizeof name, "body%d", g->count);
    xg_format(scalar, sizeof scalar, "%s[]", type_text(V(x)->t));
    r = fresh(g, *V(x), false);
    t = map ? scalar : V(r)->shape;
    put_comp(g, "\n%s {\n  e0 = %s parameter(0)\n  e1 = %s parameter(1)\n", name, map ? scalar : V(x)->shape,
        map ? scalar : V(y)->shape);
    element_op(g, 1 + draw(g, 5), t, &n);
    put_comp(g, "  ROOT r = %s subtract(e%d, e%d)\n}\n", t, n - 1, draw(g, n));
    put(g, "  %s = %s %s(%s, %s), ", N(r), V(r)->shape, map ? "map" : "fusion", N(x), N(y));
    if (map)
        put(g, "dimensions={");
    else
        put(g, "kind=kLoop, calls=%s\n", name);
    if (map) {
        int k;
        for (k = 0; k < V(x)->rank; k++) put(g, "%s%d", k ? "," : "", k);
        put(g, "}, to_apply=%s\n", name);
    }
    keep_calm(g, r);
}
static void step_conditional(medley *g) {
    int x = pick(g, any), n = 2 + draw(g, 2), k, which, to, first = g->count;
    char name[3][32];
    bool pred;
    if (x < 0 || g->depth + 1 >= SCOPES) return;
    pred = n == 2 && percent(g, 50);
    which = pick(g, is_index);
    if (pred)
        which = parameter(g, of(XLAGPU_PRED, 0, NULL), 0);
    else if (which < 0)
        which = parameter(g, of(XLAGPU_S32, 0, NULL), n);
    for (k = 0; k < n; k++) {
        int inner, y;
        char root[48];
        scope_open(g);
        arguments_of(g, &x, 1, &inner);
        take_steps(g, draw(g, 4));
        y = like(g, inner, true);
        xg_format(name[k], sizeof name[k], "branch%d_%d", first, k);
        xg_format(root, sizeof root, "copy(%s)", N(y));
        scope_close(g, name[k], V(x)->shape, root);
    }
    to = fresh(g, *V(x), false);
    memcpy(V(to)->shape, V(x)->shape, sizeof V(x)->shape);
    put(g, "  %s = %s conditional(%s", N(to), V(to)->shape, N(which));
    for (k = 0; k < n; k++) put(g, ", %s", N(x));
    if (pred)
        put(g, "), true_computation=%s, false_computation=%s\n", name[0], name[1]);
    else {
        put(g, "), branch_computations={");
        for (k = 0; k < n; k++) put(g, "%s%s", k ? ", " : "", name[k]);
        put(g, "}\n");
    }
    keep(g, to);
}
/* So many rounds; the state may stand in a tuple of its own, and may change places. */
static void step_while(medley *g) {
    static const int trips[] = {0, 1, 2, 3, 5, 20};
    int list[3], inner[3], next[3], n = draw_values(g, list, 1 + draw(g, 3), 5000), k, trip = trips[draw(g, 6)],
                                    id = g->count, zero;
    char shape[500], names[500], state[700], cond[24], body[24], root[700];
    bool nested = percent(g, 30);
    if (!n || g->depth + 1 >= SCOPES) return;
    if (g->depth > 0 && trip > 3) trip = 2;
    tuple_texts(g, list, n, shape, names, sizeof shape);
    shape[strlen(shape) - 1] = 0;
    xg_format(state, sizeof state, nested ? "(s32[], %s))" : "(s32[], %s)", nested ? shape : shape + 1);
    strcat(shape, ")");
    xg_format(cond, sizeof cond, "cond%d", id);
    xg_format(body, sizeof body, "round%d", id);
    put_comp(g,
        "\n%s {\n  p = %s parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  n = s32[] constant(%d)\n  ROOT r "
        "= pred[] compare(i, n), direction=LT\n}\n",
        cond, state, trip);
    scope_open(g);
    put(g,
        "  p = %s parameter(0)\n  i = s32[] get-tuple-element(p), index=0\n  one = s32[] constant(1)\n  j = s32[] "
        "add(i, one)\n",
        state);
    if (nested) put(g, "  q = %s get-tuple-element(p), index=1\n", shape);
    for (k = 0; k < n; k++) {
        inner[k] = fresh(g, *V(list[k]), false);
        memcpy(V(inner[k])->shape, V(list[k])->shape, sizeof V(list[k])->shape);
        put(g, "  %s = %s get-tuple-element(%s), index=%d\n", N(inner[k]), V(inner[k])->shape, nested ? "q" : "p",
            nested ? k : k + 1);
        keep(g, inner[k]);
    }
    k = fresh(g, of(XLAGPU_S32, 0, NULL), false);
    put(g, "  %s = s32[] copy(i)\n", N(k));
    keep(g, k);
    take_steps(g, 1 + draw(g, 5));
    for (k = 0; k < n; k++) { /* with the very shape of the state */
        int y = like(g, inner[k], true);
        next[k] = fresh(g, *V(inner[k]), false);
        memcpy(V(next[k])->shape, V(inner[k])->shape, sizeof V(inner[k])->shape);
        put(g, "  %s = %s copy(%s)\n", N(next[k]), V(next[k])->shape, N(y));
    }
    tuple_texts(g, next, n, shape, names, sizeof shape);
    if (nested) {
        put(g, "  tq = %s tuple%s\n", shape, names);
        xg_format(root, sizeof root, "tuple(j, tq)");
    } else
        xg_format(root, sizeof root, "tuple(j, %s", names + 1);
    scope_close(g, body, state, root);
    zero = constant(g, XLAGPU_S32, 0);
    tuple_texts(g, list, n, shape, names, sizeof shape);
    if (nested)
        put(g, "  from%d = %s tuple%s\n  start%d = %s tuple(%s, from%d)\n", id, shape, names, id, state, N(zero), id);
    else
        put(g, "  start%d = %s tuple(%s, %s\n", id, state, N(zero), names + 1);
    put(g, "  loop%d = %s while(start%d), condition=%s, body=%s\n", id, state, id, cond, body);
    if (nested) put(g, "  end%d = %s get-tuple-element(loop%d), index=1\n", id, shape, id);
    for (k = 0; k < n; k++) {
        int to = fresh(g, *V(list[k]), false);
        memcpy(V(to)->shape, V(list[k])->shape, sizeof V(list[k])->shape);
        put(g, "  %s = %s get-tuple-element(%s%d), index=%d\n", N(to), V(to)->shape, nested ? "end" : "loop", id,
            nested ? k : k + 1);
        keep_calm(g, to);
    }
}
static void step_barrier(medley *g) {
    int list[3], n = draw_values(g, list, 1 + draw(g, 3), g->most), k, id = g->count;
    char shape[400], names[400];
    if (!n) return;
    tuple_texts(g, list, n, shape, names, sizeof shape);
    put(g, "  together%d = %s tuple%s\n  held%d = %s opt-barrier(together%d)\n", id, shape, names, id, shape, id);
    for (k = 0; k < n; k++) {
        int to = fresh(g, *V(list[k]), false);
        memcpy(V(to)->shape, V(list[k])->shape, sizeof V(list[k])->shape);
        put(g, "  %s = %s get-tuple-element(held%d), index=%d\n", N(to), V(to)->shape, id, k);
        keep(g, to);
    }
}

typedef struct medley_step {
    void (*take)(medley *g);
} medley_step;
static const medley_step all_steps[] = {{step_binary}, {step_unary}, {step_select}, {step_convert}, {step_complex},
    {step_bitcast}, {step_iota}, {step_rough}, {step_batch_norm}, {step_stochastic}, {step_known}, {step_transpose},
    {step_reshape}, {step_broadcast}, {step_slice}, {step_pad}, {step_concatenate}, {step_reverse}, {step_reduce},
    {step_normalise}, {step_argmax}, {step_window}, {step_ladder}, {step_scan}, {step_select_and_scatter},
    {step_gather}, {step_scatter}, {step_dynamic}, {step_dot}, {step_convolution}, {step_sort}, {step_topk},
    {step_random}, {step_call}, {step_fusion}, {step_conditional}, {step_while}, {step_barrier}, {step_binary},
    {step_binary}};
enum {
    STEP_KINDS = sizeof all_steps / sizeof *all_steps
};

#endif
