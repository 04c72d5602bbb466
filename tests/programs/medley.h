/* tests/programs/medley.h -- a random module of operations of every kind, in types and layouts of every kind, with
 * computations inside of computations.
 *
 * A module is a number of steps; each adds an operation, or a pattern of several, to values that are there already.
 * Floats are small whole numbers throughout (what grows is clamped), so sums have no rounding and every order of
 * evaluation gives the same bits; what is not exact (exponentials, quotients) leaves the module at once and is marked
 * as rough. Bodies of loops, branches, calls and fusions are made by the same steps.
 *
 * A failing module can be made smaller: a step draws from a stream of its own, named by its key, and picks among values
 * by the hashes of their names. So a step that is left out (see `skip`) changes the steps that used its values, and no
 * other. */
#ifndef XLAGPU_TESTS_MEDLEY_H
#define XLAGPU_TESTS_MEDLEY_H

enum {
    VALUES = 1500,
    TEXT = 1 << 18,
    MOST_RANK = 8,
    SCOPES = 4,
    STEPS = 400,
    PARAMS = 64,
    RESULTS = 24
};
typedef struct value {
    xlagpu_type t;
    int rank, step;
    int64_t d[MOST_RANK], limit; /* limit: an index, of an argument near 0 .. limit; 0: any number */
    uint64_t id;
    bool kept, rough; /* may be used; only leaves */
    char name[24], shape[128];
} value;
/* first: values before it are not seen; outer: the key of the step that opened it */
typedef struct scope {
    char text[TEXT];
    size_t n;
    int first, step;
    uint64_t outer;
} scope;
typedef struct medley {
    uint64_t seed, state, key;
    scope s[SCOPES]; /* the last one is written to; s[0]: the entry */
    int depth;
    char comps[TEXT], whole[3 * TEXT];
    size_t comps_n;
    value v[VALUES];
    int count, params[PARAMS], n_params, results[RESULTS], n_results, names;
    int64_t most;
    xlagpu_type types[6];
    int weight[64];
    bool layouts;
    /* keys of the steps that were taken, and of those to leave out; the value that alone leaves, if not 0 */
    uint64_t done[STEPS], skip[STEPS], only;
    int n_done, n_skip;
} medley;

/* ---- chance ---- */

static uint64_t mixed(uint64_t x) { /* the finaliser of splitmix64 */
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}
static uint64_t draw_bits(medley *g) { return mixed(g->state++); }
static int draw(medley *g, int below) { return (int)(draw_bits(g) % (uint64_t)below); }
static int64_t between(medley *g, int64_t least, int64_t most) {
    return least + (int64_t)(draw_bits(g) % (uint64_t)(most - least + 1));
}
static bool percent(medley *g, int p) { return draw(g, 100) < p; }
static const char *one_of(medley *g, const char *words) { /* of words between blanks */
    static char word[32];
    const char *p;
    int n = 1, k;
    for (p = words; *p; p++) n += *p == ' ';
    for (k = draw(g, n), p = words; k; p++) k -= *p == ' ';
    for (k = 0; p[k] && p[k] != ' '; k++) word[k] = p[k];
    word[k] = 0;
    return word;
}

/* ---- writing ---- */

static void put(medley *g, const char *format, ...) XG_PRINTF(2, 3);
static void put(medley *g, const char *format, ...) {
    scope *s = &g->s[g->depth];
    va_list a;
    va_start(a, format);
    s->n += xg_vformat(s->text + s->n, sizeof s->text - s->n, format, a);
    va_end(a);
}
static void put_comp(medley *g, const char *format, ...) XG_PRINTF(2, 3);
static void put_comp(medley *g, const char *format, ...) {
    va_list a;
    va_start(a, format);
    g->comps_n += xg_vformat(g->comps + g->comps_n, sizeof g->comps - g->comps_n, format, a);
    va_end(a);
}
static void put_list(medley *g, const char *name, const int64_t *p, int n) {
    int k;
    put(g, "%s={", name);
    for (k = 0; k < n; k++) put(g, "%s%lld", k ? "," : "", (long long)p[k]);
    put(g, "}");
}
static const char *type_text(xlagpu_type t) { return xlagpu_type_text(t); }
static bool is(xlagpu_type t, int mask) { return (xg_type_class(t) & mask) != 0; }
static bool is_unsigned(xlagpu_type t) { return is(t, XGT_I) && type_text(t)[0] == 'u'; }
static bool sums_exactly(xlagpu_type t) { return is(t, XGT_I | XGT_C) || t == XLAGPU_F32 || t == XLAGPU_F64; }
static int64_t product(const int64_t *d, int n) {
    int64_t p = 1;
    int k;
    for (k = 0; k < n; k++) p *= d[k];
    return p;
}
static int64_t elements(const value *v) { return product(v->d, v->rank); }
static void shape_text(medley *g, value *v, bool any_layout) {
    int order[MOST_RANK], k, j;
    char *p = v->shape;
    size_t left = sizeof v->shape, n = xg_format(p, left, "%s[", type_text(v->t));
    for (k = 0; k < v->rank; k++) n += xg_format(p + n, left - n, "%s%lld", k ? "," : "", (long long)v->d[k]);
    n += xg_format(p + n, left - n, "]");
    if (!any_layout || !g->layouts || v->rank < 2) return;
    for (k = 0; k < v->rank; k++) order[k] = v->rank - 1 - k;
    if (percent(g, 40))
        for (k = v->rank - 1; k > 0; k--) {
            int t = order[k];
            j = draw(g, k + 1);
            order[k] = order[j];
            order[j] = t;
        }
    for (k = 0; k < v->rank; k++) n += xg_format(p + n, left - n, "%s%d", k ? "," : "{", order[k]);
    xg_format(p + n, left - n, "}");
}
static value of(xlagpu_type t, int rank, const int64_t *d) {
    value v;
    memset(&v, 0, sizeof v);
    v.t = t;
    v.rank = rank;
    if (rank) memcpy(v.d, d, (size_t)rank * sizeof *d);
    return v;
}
static value as(xlagpu_type t, const value *v) { return of(t, v->rank, v->d); }
/* A value that nobody has written yet. */
static int fresh(medley *g, value v, bool any_layout) {
    value *p = &g->v[g->count];
    *p = v;
    p->step = g->s[g->depth].step;
    p->id = mixed(g->key + (uint64_t)++g->names * 77);
    p->kept = p->rough = false;
    p->limit = 0;
    xg_format(p->name, sizeof p->name, "v%d", g->count);
    shape_text(g, p, any_layout);
    return g->count++;
}
static int op(medley *g, value v, const char *format, ...) XG_PRINTF(3, 4);
static int op(medley *g, value v, const char *format, ...) {
    int x = fresh(g, v, true);
    scope *s = &g->s[g->depth];
    va_list a;
    put(g, "  %s = %s ", g->v[x].name, g->v[x].shape);
    va_start(a, format);
    s->n += xg_vformat(s->text + s->n, sizeof s->text - s->n, format, a);
    va_end(a);
    put(g, "\n");
    return x;
}
/* For an operation whose text is longer: the caller writes what is behind the shape, and the end of the line. */
static int begin(medley *g, value v) {
    int x = fresh(g, v, true);
    put(g, "  %s = %s ", g->v[x].name, g->v[x].shape);
    return x;
}
#define N(x) (g->v[x].name)
#define V(x) (&g->v[x])

static int constant(medley *g, xlagpu_type t, int64_t x) {
    value s = of(t, 0, NULL);
    if (t == XLAGPU_PRED) return op(g, s, "constant(%s)", x ? "true" : "false");
    return is(t, XGT_C) ? op(g, s, "constant((%lld, 0))", (long long)x) : op(g, s, "constant(%lld)", (long long)x);
}
static int spread(medley *g, int x, int rank, const int64_t *d) {
    return rank ? op(g, of(V(x)->t, rank, d), "broadcast(%s), dimensions={}", N(x)) : x;
}
static int parameter(medley *g, value v, int64_t limit) {
    int x;
    if (g->depth || g->n_params == PARAMS) { /* inside of a computation: numbers made of their places */
        int i = v.rank ? op(g, as(XLAGPU_S32, &v), "iota(), iota_dimension=%d", draw(g, v.rank))
                       : constant(g, XLAGPU_S32, between(g, 0, 9)),
            m = constant(g, XLAGPU_S32, limit ? limit + 2 : 5);
        m = spread(g, m, v.rank, v.d);
        i = op(g, as(XLAGPU_S32, &v), "remainder(%s, %s)", N(i), N(m));
        if (v.t == XLAGPU_S32) return i;
        if (v.t == XLAGPU_S2 || v.t == XLAGPU_U2 || v.t == XLAGPU_S4) {
            m = spread(g, constant(g, XLAGPU_S32, 1), v.rank, v.d);
            i = op(g, as(XLAGPU_S32, &v), "minimum(%s, %s)", N(i), N(m));
        }
        return op(g, v, "convert(%s)", N(i));
    }
    x = op(g, v, "parameter(%d)", g->n_params);
    V(x)->limit = limit;
    g->params[g->n_params++] = x;
    return x;
}
/* Floats between -8 and 8, or -4 and 4. */
static int calm(medley *g, int x) {
    xlagpu_type t = V(x)->t;
    int64_t most = t == XLAGPU_F4E2M1FN ? 4 : 8;
    int low, high, parts[2], k;
    if (is(t, XGT_C)) {
        for (k = 0; k < 2; k++) {
            int p = op(g, as(xg_type_real(t), V(x)), "%s(%s)", k ? "imag" : "real", N(x));
            parts[k] = calm(g, p);
        }
        x = op(g, as(t, V(x)), "complex(%s, %s)", N(parts[0]), N(parts[1]));
    } else if (is(t, XGT_F)) {
        low = constant(g, t, -most);
        high = constant(g, t, most);
        x = op(g, as(t, V(x)), "clamp(%s, %s, %s)", N(low), N(x), N(high));
    }
    return x;
}
static void keep(medley *g, int x) { V(x)->kept = true; }
static void keep_calm(medley *g, int x) { keep(g, calm(g, x)); }
static void leave_rough(medley *g, int x) {
    if (g->depth == 0) V(x)->rough = true;
}

/* ---- picking ---- */

static bool any(const value *v) {
    (void)v;
    return true;
}
static bool has_dims(const value *v) { return v->rank > 0; }
static bool has_elements(const value *v) { return v->rank > 0 && elements(v) > 0; }
static bool is_whole_number(const value *v) { return is(v->t, XGT_I); }
static bool is_ordered(const value *v) { return has_elements(v) && !is(v->t, XGT_C); }
/* Recent ones rather than old ones. */
static int pick(medley *g, bool (*fits)(const value *v)) {
    uint64_t r = draw_bits(g), h, best = 0;
    const scope *s = &g->s[g->depth];
    bool recent = percent(g, 70);
    int k, at = -1;
    for (k = s->first; k < g->count; k++) {
        if (!V(k)->kept || !fits(V(k))) continue;
        h = mixed(r ^ V(k)->id) >> (recent && V(k)->step + 5 < s->step ? 8 : 0);
        if (at < 0 || h > best) {
            at = k;
            best = h;
        }
    }
    return at;
}
/* A value of the same dimensions, and of the same type if asked; perhaps x itself. */
static int like(medley *g, int x, bool type) {
    uint64_t r = draw_bits(g), h, best = 0;
    int k, at = x;
    for (k = g->s[g->depth].first; k < g->count; k++) {
        const value *v = V(k);
        if (!v->kept || v->rank != V(x)->rank || (type && v->t != V(x)->t) ||
            memcmp(v->d, V(x)->d, (size_t)v->rank * sizeof *v->d) != 0)
            continue;
        h = mixed(r ^ v->id);
        if (h > best) {
            at = k;
            best = h;
        }
    }
    return at;
}
static int64_t draw_size(medley *g) {
    static const int64_t sizes[] = {
        1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 200, 255, 257, 300};
    static const int64_t odd[] = {0, 1, 513, 1000, 2049};
    return percent(g, 2) ? odd[draw(g, 5)] : sizes[draw(g, sizeof sizes / sizeof *sizes)];
}
static value draw_shape(medley *g, xlagpu_type t) {
    static const int ranks[] = {1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 0};
    static const int64_t none[MOST_RANK] = {0, 0, 0, 0, 0, 0, 0, 0};
    value v = of(t, ranks[draw(g, 12)], none);
    int tries, k;
    for (tries = 0; tries < 40; tries++) {
        for (k = 0; k < v.rank; k++) v.d[k] = draw_size(g);
        if (elements(&v) <= g->most) return v;
    }
    for (k = 0; k < v.rank; k++) v.d[k] = 2;
    return v;
}
static xlagpu_type draw_type(medley *g) { return g->types[draw(g, 6)]; }

/* ---- computations ---- */

/* KIND(x, y) on scalars of type t; written once. */
static void computation(medley *g, const char *kind, xlagpu_type t, char *name, size_t bytes) {
    char head[48];
    const char *n = type_text(t);
    xg_format(name, bytes, "%s_%s", kind, n);
    xg_format(head, sizeof head, "\n%s {", name);
    if (strstr(g->comps, head)) return;
    put_comp(g, "%s\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n", head, n, n);
    if (strcmp(kind, "take") == 0)
        put_comp(g, "  ROOT r = %s[] copy(y)\n}\n", n);
    else if (strcmp(kind, "ge") == 0)
        put_comp(g, "  ROOT r = pred[] compare(x, y), direction=GE\n}\n");
    else
        put_comp(g, "  ROOT r = %s[] %s(x, y)\n}\n", n, kind);
}
static const char *sum_of(xlagpu_type t) { return t == XLAGPU_PRED ? "or" : "add"; }
static const char *draw_kind(medley *g, xlagpu_type t) {
    if (t == XLAGPU_PRED) return percent(g, 50) ? "or" : "and";
    if (is(t, XGT_C)) return "add";
    if (!sums_exactly(t)) return percent(g, 50) ? "maximum" : "minimum";
    return draw(g, 2) ? "add" : percent(g, 50) ? "maximum" : "minimum";
}
/* Where a fold starts: mostly what changes nothing. */
static int start_of(medley *g, xlagpu_type t, const char *kind) {
    bool most = strcmp(kind, "minimum") == 0, extreme = most || strcmp(kind, "maximum") == 0;
    value s = of(t, 0, NULL);
    int bits = xg_type_bits(t);
    if (t == XLAGPU_PRED) return constant(g, t, strcmp(kind, "and") == 0);
    if (!extreme || percent(g, 30)) return constant(g, t, 0);
    if (is(t, XGT_I)) {
        bool is_signed = !is_unsigned(t);
        uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        if (!is_signed) return op(g, s, "constant(%llu)", (unsigned long long)(most ? all : 0));
        return op(g, s, "constant(%s%llu)", most ? "" : "-", (unsigned long long)(most ? all >> 1 : (all >> 1) + 1));
    }
    if (t == XLAGPU_F32 || t == XLAGPU_F64 || t == XLAGPU_BF16 || t == XLAGPU_F16)
        return op(g, s, "constant(%sinf)", most ? "" : "-");
    return constant(g, t, most ? 4 : -4);
}
static void scope_open(medley *g) {
    scope *s = &g->s[++g->depth];
    s->n = 0;
    s->text[0] = 0;
    s->first = g->count;
    s->step = 0;
    s->outer = g->key;
    g->key = mixed(g->key ^ (uint64_t)++g->names);
}
static void scope_close(medley *g, const char *name, const char *root_shape, const char *root) {
    scope *s = &g->s[g->depth--];
    int k;
    put_comp(g, "\n%s {\n%s  ROOT root = %s %s\n}\n", name, s->text, root_shape, root);
    for (k = s->first; k < g->count; k++) g->v[k].kept = false;
    g->key = s->outer;
}
/* "(shape, shape)" and "(name, name)" */
static void tuple_texts(medley *g, const int *x, int n, char *shape, char *names, size_t bytes) {
    size_t a = xg_format(shape, bytes, "("), b = xg_format(names, bytes, "(");
    int k;
    for (k = 0; k < n; k++) {
        a += xg_format(shape + a, bytes - a, "%s%s", k ? ", " : "", V(x[k])->shape);
        b += xg_format(names + b, bytes - b, "%s%s", k ? ", " : "", N(x[k]));
    }
    xg_format(shape + a, bytes - a, ")");
    xg_format(names + b, bytes - b, ")");
}
static void take_steps(medley *g, int n);

#include "medley_steps.h"

/* ---- a module ---- */

static bool is_skipped(const medley *g, uint64_t key) {
    int k;
    for (k = 0; k < g->n_skip; k++)
        if (g->skip[k] == key) return true;
    return false;
}
/* Each with a stream of its own. */
static void take_steps(medley *g, int n) {
    uint64_t key = g->key, state = g->state;
    int k, total = 0, at, names = g->names;
    for (k = 0; k < STEP_KINDS; k++) total += g->weight[k];
    for (k = 0; k < n; k++) {
        if (g->count > VALUES - 400 || g->s[g->depth].n > TEXT - 40000 || g->comps_n > TEXT - 40000 ||
            g->n_done == STEPS)
            break;
        g->key = mixed(key * 3 + (uint64_t)k);
        g->names = 0;
        g->s[g->depth].step = k + 1;
        if (is_skipped(g, g->key)) continue;
        g->done[g->n_done++] = g->key;
        g->state = g->key;
        at = draw(g, total);
        {
            int j;
            for (j = 0; at >= g->weight[j]; j++) at -= g->weight[j];
            at = j;
        }
        all_steps[at].take(g);
    }
    g->key = key;
    g->state = state;
    g->names = names;
}
static void draw_types(medley *g) {
    static const xlagpu_type all[] = {XLAGPU_F32, XLAGPU_S32, XLAGPU_F32, XLAGPU_S32, XLAGPU_BF16, XLAGPU_F16,
        XLAGPU_F64, XLAGPU_S8, XLAGPU_U8, XLAGPU_S16, XLAGPU_U16, XLAGPU_S64, XLAGPU_U32, XLAGPU_U64, XLAGPU_C64,
        XLAGPU_C128, XLAGPU_S4, XLAGPU_U4, XLAGPU_S2, XLAGPU_U2, XLAGPU_PRED, XLAGPU_F8E4M3FN, XLAGPU_F8E5M2,
        XLAGPU_F8E4M3FNUZ, XLAGPU_F8E5M2FNUZ, XLAGPU_F8E4M3B11FNUZ, XLAGPU_F8E3M4, XLAGPU_F8E4M3, XLAGPU_F4E2M1FN};
    int k, few = 1 + draw(g, 6);
    for (k = 0; k < 6; k++) g->types[k] = k < few ? all[draw(g, sizeof all / sizeof *all)] : g->types[draw(g, few)];
    if (percent(g, 60)) g->types[5] = XLAGPU_F32;
    if (percent(g, 40)) g->types[4] = XLAGPU_S32;
}
/* The text is in g->whole. `skip` and `only` are kept from before. */
static void make_medley(medley *g, uint64_t seed, int64_t most) {
    static const int64_t sizes[] = {200, 200, 600, 600, 3000, 12000, 40000, 150000};
    static const int weights[] = {0, 0, 1, 1, 2, 5};
    char shape[RESULTS * 130], names[RESULTS * 130];
    int k, total = 0;
    g->seed = seed;
    g->key = g->state = mixed(seed);
    g->depth = g->count = g->n_params = g->n_results = g->names = g->n_done = 0;
    g->comps_n = g->s[0].n = 0;
    g->comps[0] = g->s[0].text[0] = 0;
    g->s[0].first = g->s[0].step = 0;
    g->most = sizes[draw(g, 8)];
    if (g->most > most) g->most = most;
    g->layouts = percent(g, 25);
    draw_types(g);
    for (k = 0; k < STEP_KINDS; k++) total += g->weight[k] = weights[draw(g, 6)];
    if (!total)
        for (k = 0; k < STEP_KINDS; k++) g->weight[k] = 1;
    for (k = 1 + draw(g, 4); k > 0; k--) {
        value v = draw_shape(g, draw_type(g));
        keep(g, parameter(g, v, 0));
    }
    take_steps(g, 2 + draw(g, percent(g, 30) ? 60 : 16));
    for (k = g->count - 1; k >= 0 && g->n_results < RESULTS; k--) {
        const value *v = V(k);
        if (!v->kept && !v->rough) continue;
        if (g->only ? v->id == g->only : !g->n_results || v->rough || mixed(v->id) % 8 == 0)
            g->results[g->n_results++] = k;
    }
    tuple_texts(g, g->results, g->n_results, shape, names, sizeof shape);
    xg_format(g->whole, sizeof g->whole, "HloModule medley_%llu\n%s\nENTRY main {\n%s  ROOT all = %s tuple%s\n}\n",
        (unsigned long long)seed, g->comps, g->s[0].text, shape, names);
}

#endif
