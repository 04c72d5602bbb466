/* tests/programs/graphs.c -- random graphs of integer operations: evaluated, compiled with all passes, run on the
 * simulator, compared exactly.
 *
 *     graphs [--n COUNT] [--seed FIRST] [--without PASSES|some] [--verbose]       some: each optional pass is off for
 *         half of the graphs, drawn by chance
 *
 * A graph is a handful of parameters and up to fifty operations, each on values that are there already: elementwise
 * ones, moves of every kind, windows, reductions, dots, updates in place, in several layouts; a few values leave.
 * Integers wrap, so every order of evaluation gives the same bits, and what fusion, layouts or buffers get wrong is
 * seen. A failure prints the module; its number is the seed. Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include "expect.h"

enum {
    VALUES = 64,
    TEXT = 1 << 16,
    BYTES = 1 << 16,
    MOST = 4000,
    RESULTS = 8
};
typedef struct value {
    int rank;
    int64_t dims[4];
    int layout;
} value; /* layout 0: descending, 1: ascending */
typedef struct graph {
    uint64_t state;
    char text[TEXT];
    size_t n;
    value v[VALUES];
    int count, params;
} graph;

static uint32_t draw(graph *g, uint32_t below) {
    g->state = g->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((g->state >> 33) % below);
}
static void put(graph *g, const char *format, ...) XG_PRINTF(2, 3);
static void put(graph *g, const char *format, ...) {
    va_list a;
    va_start(a, format);
    g->n += xg_vformat(g->text + g->n, sizeof g->text - g->n, format, a);
    va_end(a);
}
static void put_shape(graph *g, const value *v, const char *type) {
    int k;
    put(g, "%s[", type);
    for (k = 0; k < v->rank; k++) put(g, "%s%lld", k ? "," : "", (long long)v->dims[k]);
    put(g, "]{");
    for (k = 0; k < v->rank; k++) put(g, "%s%d", k ? "," : "", v->layout ? k : v->rank - 1 - k);
    put(g, "}");
}
static void put_list(graph *g, const int64_t *p, int n) {
    int k;
    put(g, "{");
    for (k = 0; k < n; k++) put(g, "%s%lld", k ? "," : "", (long long)p[k]);
    put(g, "}");
}
static int64_t elements(const value *v) {
    int64_t n = 1;
    int k;
    for (k = 0; k < v->rank; k++) n *= v->dims[k];
    return n;
}
/* "  vN = shape " of a new value; the caller writes the rest of the line. */
static int begin(graph *g, value v) {
    g->v[g->count] = v;
    if (draw(g, 12) == 0) g->v[g->count].layout = 1;
    put(g, "  v%d = ", g->count);
    put_shape(g, &g->v[g->count], "s32");
    put(g, " ");
    return g->count++;
}
static int find_like(graph *g, const value *v) {
    int k, from = (int)draw(g, (uint32_t)g->count);
    for (k = 0; k < g->count; k++) {
        const value *o = &g->v[(from + k) % g->count];
        if (o->rank == v->rank && memcmp(o->dims, v->dims, sizeof o->dims) == 0) return (from + k) % g->count;
    }
    return -1;
}
static int find_scalar(graph *g) {
    value s;
    memset(&s, 0, sizeof s);
    return find_like(g, &s);
}

/* ---- operations; each may decline by writing nothing ---- */

static void binary(graph *g, int x) {
    static const char *const ops[] = {"add", "subtract", "multiply", "maximum", "minimum", "xor", "and"};
    value v = g->v[x];
    int y = find_like(g, &v);
    (void)begin(g, v);
    put(g, "%s(v%d, v%d)\n", ops[draw(g, 7)], x, y);
}
static void unary(graph *g, int x) {
    static const char *const ops[] = {"negate", "abs", "not", "sign", "copy"};
    (void)begin(g, g->v[x]);
    put(g, "%s(v%d)\n", ops[draw(g, 5)], x);
}
static void choose(graph *g, int x) {
    value v = g->v[x];
    int y = find_like(g, &v), n = g->count;
    put(g, "  less%d = ", n);
    put_shape(g, &v, "pred");
    put(g, " compare(v%d, v%d), direction=LT\n", x, y);
    y = find_like(g, &v);
    (void)begin(g, v);
    put(g, "select(less%d, v%d, v%d)\n", n, x, y);
}
static void widen(graph *g, int x) {
    int n = g->count;
    put(g, "  narrow%d = ", n);
    put_shape(g, &g->v[x], "s8");
    put(g, " convert(v%d)\n", x);
    (void)begin(g, g->v[x]);
    put(g, "convert(narrow%d)\n", n);
}
static void transpose(graph *g, int x) {
    value v = g->v[x];
    int64_t perm[4];
    int k;
    for (k = 0; k < v.rank; k++) perm[k] = k;
    for (k = v.rank - 1; k > 0; k--) {
        int j = (int)draw(g, (uint32_t)k + 1);
        int64_t t = perm[k];
        perm[k] = perm[j];
        perm[j] = t;
    }
    for (k = 0; k < v.rank; k++) v.dims[k] = g->v[x].dims[perm[k]];
    (void)begin(g, v);
    put(g, "transpose(v%d), dimensions=", x);
    put_list(g, perm, v.rank);
    put(g, "\n");
}
static void reshape(graph *g, int x) {
    value v = g->v[x];
    int64_t n = elements(&v), d;
    memset(&v, 0, sizeof v);
    v.rank = 1;
    v.dims[0] = n;
    for (d = 2; d * d <= n && v.rank < 3; d++)
        if (v.dims[v.rank - 1] % d == 0 && draw(g, 2)) {
            v.dims[v.rank] = d;
            v.dims[v.rank - 1] /= d;
            v.rank++;
        }
    (void)begin(g, v);
    put(g, "reshape(v%d)\n", x);
}
static void broadcast(graph *g, int x) {
    value v = g->v[x];
    int64_t dims[4];
    int at, k, n = 0;
    if (v.rank > 2 || elements(&v) > MOST / 5) return;
    at = (int)draw(g, (uint32_t)v.rank + 1);
    for (k = v.rank; k > at; k--) v.dims[k] = v.dims[k - 1];
    v.dims[at] = 2 + draw(g, 4);
    v.rank++;
    for (k = 0; k < v.rank; k++)
        if (k != at) dims[n++] = k;
    (void)begin(g, v);
    put(g, "broadcast(v%d), dimensions=", x);
    put_list(g, dims, n);
    put(g, "\n");
}
static void slice(graph *g, int x) {
    value v = g->v[x];
    char text[160];
    size_t n = 0;
    int k;
    for (k = 0; k < v.rank; k++) {
        int64_t start = draw(g, (uint32_t)v.dims[k]), limit = start + 1 + draw(g, (uint32_t)(v.dims[k] - start)),
                stride = 1 + draw(g, 2);
        n += xg_format(text + n, sizeof text - n, "%s[%lld:%lld:%lld]", k ? ", " : "", (long long)start,
            (long long)limit, (long long)stride);
        v.dims[k] = (limit - start + stride - 1) / stride;
    }
    text[n] = 0;
    (void)begin(g, v);
    put(g, "slice(v%d), slice={%s}\n", x, text);
}
static void pad(graph *g, int x) {
    value v = g->v[x];
    char text[160];
    size_t n = 0;
    int k, s = find_scalar(g);
    if (!v.rank || s < 0) return;
    for (k = 0; k < v.rank; k++) {
        int low = (int)draw(g, 3), high = (int)draw(g, 3), inside = (int)draw(g, 2);
        n += xg_format(text + n, sizeof text - n, "%s%d_%d_%d", k ? "x" : "", low, high, inside);
        v.dims[k] = low + high + v.dims[k] + (v.dims[k] - 1) * inside;
    }
    text[n] = 0;
    if (elements(&v) > MOST) return;
    (void)begin(g, v);
    put(g, "pad(v%d, v%d), padding=%s\n", x, s, text);
}
static void concatenate(graph *g, int x) {
    value v = g->v[x];
    int y = find_like(g, &v), d = v.rank ? (int)draw(g, (uint32_t)v.rank) : 0;
    if (!v.rank || elements(&v) > MOST / 2) return;
    v.dims[d] *= 2;
    (void)begin(g, v);
    put(g, "concatenate(v%d, v%d), dimensions={%d}\n", x, y, d);
}
static void reverse(graph *g, int x) {
    if (!g->v[x].rank) return;
    (void)begin(g, g->v[x]);
    put(g, "reverse(v%d), dimensions={%d}\n", x, (int)draw(g, (uint32_t)g->v[x].rank));
}
static void reduce(graph *g, int x) {
    value v = g->v[x];
    int64_t dims[4];
    int k, n = 0, kept = 0;
    uint32_t mask;
    if (!v.rank) return;
    mask = 1 + draw(g, (1u << v.rank) - 1);
    for (k = 0; k < v.rank; k++)
        if (mask >> k & 1)
            dims[n++] = k;
        else
            v.dims[kept++] = v.dims[k];
    for (k = kept; k < 4; k++) v.dims[k] = 0;
    v.rank = kept;
    (void)begin(g, v);
    put(g, "reduce(v%d, zero), dimensions=", x);
    put_list(g, dims, n);
    put(g, ", to_apply=%s\n", draw(g, 2) ? "sum" : "most");
}
/* What a reduction gives goes back to each element that it was made of: a row program, if rows are reduced. */
static void normalise(graph *g, int x) {
    value v = g->v[x], row = v;
    int64_t dims[4], kept[4];
    int k, n = 0, m = 0, r, b;
    uint32_t mask;
    if (!v.rank || g->count > VALUES - 4) return;
    mask = draw(g, 2) ? 1u << (v.rank - 1) : 1 + draw(g, (1u << v.rank) - 1);
    for (k = 0; k < v.rank; k++)
        if (mask >> k & 1)
            dims[n++] = k;
        else {
            row.dims[m] = v.dims[k];
            kept[m++] = k;
        }
    for (k = m; k < 4; k++) row.dims[k] = 0;
    row.rank = m;
    r = begin(g, row);
    put(g, "reduce(v%d, zero), dimensions=", x);
    put_list(g, dims, n);
    put(g, ", to_apply=%s\n", draw(g, 2) ? "sum" : "most");
    b = begin(g, v);
    put(g, "broadcast(v%d), dimensions=", r);
    put_list(g, kept, m);
    put(g, "\n");
    (void)begin(g, v);
    put(g, "subtract(v%d, v%d)\n", x, b);
}
static void window(graph *g, int x) {
    value v = g->v[x];
    int k;
    if (!v.rank) return;
    (void)begin(g, v);
    put(g, "reduce-window(v%d, zero), window={size=", x);
    for (k = 0; k < v.rank; k++) put(g, "%s%d", k ? "x" : "", k ? 1 : 3);
    put(g, " pad=");
    for (k = 0; k < v.rank; k++) put(g, "%s%d_%d", k ? "x" : "", k ? 0 : 1, k ? 0 : 1);
    put(g, "}, to_apply=sum\n");
}
static void dynamic(graph *g, int x) {
    value v = g->v[x];
    int64_t sizes[4];
    int k, s = find_scalar(g), update = (int)draw(g, 2), piece = g->count;
    if (!v.rank || s < 0) return;
    for (k = 0; k < v.rank; k++) sizes[k] = 1 + draw(g, (uint32_t)v.dims[k]);
    for (k = 0; k < v.rank; k++) v.dims[k] = sizes[k];
    (void)begin(g, v);
    put(g, "dynamic-slice(v%d", x);
    for (k = 0; k < v.rank; k++) put(g, ", v%d", s);
    put(g, "), dynamic_slice_sizes=");
    put_list(g, sizes, v.rank);
    put(g, "\n");
    if (!update || g->count == VALUES) return;
    (void)begin(g, g->v[x]);
    put(g, "dynamic-update-slice(v%d, v%d", x, piece);
    for (k = 0; k < v.rank; k++) put(g, ", v%d", s);
    put(g, ")\n");
}
static void dot(graph *g, int x) {
    value v = g->v[x];
    int y, k;
    for (y = 0; y < g->count; y++) {
        const value *o = &g->v[y];
        if (v.rank != 2 || o->rank != 2 || o->dims[0] != v.dims[1] || v.dims[0] * o->dims[1] > MOST) continue;
        k = (int)o->dims[1];
        v.dims[1] = k;
        (void)begin(g, v);
        put(g, "dot(v%d, v%d), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", x, y);
        return;
    }
}
static void iota(graph *g, int x) {
    if (!g->v[x].rank) return;
    (void)begin(g, g->v[x]);
    put(g, "iota(), iota_dimension=%d\n", (int)draw(g, (uint32_t)g->v[x].rank));
}
static void rows(graph *g, int x) { /* gather of rows by the values of a vector, clamped */
    value v = g->v[x];
    int y;
    for (y = 0; y < g->count; y++) {
        if (v.rank != 2 || g->v[y].rank != 1 || g->v[y].dims[0] * v.dims[1] > MOST) continue;
        put(g, "  at%d = s32[%lld,1]{1,0} reshape(v%d)\n", g->count, (long long)g->v[y].dims[0], y);
        v.dims[0] = g->v[y].dims[0];
        (void)begin(g, v);
        put(g,
            "gather(v%d, at%d), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
            "slice_sizes={1,%lld}\n",
            x, g->count - 1, (long long)v.dims[1]);
        return;
    }
}
static void scatter(graph *g, int x) { /* adds a vector at the places that another one names */
    value v = g->v[x];
    int y;
    for (y = 0; y < g->count; y++) {
        if (v.rank != 1 || g->v[y].rank != 1) continue;
        put(g, "  at%d = s32[%lld,1]{1,0} reshape(v%d)\n", g->count, (long long)g->v[y].dims[0], y);
        (void)begin(g, v);
        put(g,
            "scatter(v%d, at%d, v%d), update_window_dims={}, inserted_window_dims={0}, "
            "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n",
            x, g->count - 1, y);
        return;
    }
}

/* ---- a module ---- */

static void make(graph *g, uint64_t seed) {
    typedef void (*operation)(graph * g, int x);
    static const operation all[] = {binary, binary, binary, binary, unary, unary, choose, widen, transpose, transpose,
        reshape, reshape, broadcast, broadcast, slice, pad, concatenate, reverse, reduce, reduce, normalise, normalise,
        window, dynamic, dot, dot, iota, rows, scatter};
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 33, 64};
    int ops, k, n, outs;
    memset(g, 0, sizeof *g);
    g->state = seed * 2654435761u + 12345;
    put(g,
        "HloModule graph_%llu\nsum { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] add(x, y) }\n"
        "most { x = s32[] parameter(0) y = s32[] parameter(1) ROOT r = s32[] maximum(x, y) }\nENTRY main {\n  zero = "
        "s32[] constant(0)\n",
        (unsigned long long)seed);
    g->params = 2 + (int)draw(g, 3);
    for (k = 0; k < g->params; k++) {
        value v;
        memset(&v, 0, sizeof v);
        v.rank = k == 0 ? 0 : 1 + (int)draw(g, 3);
        for (n = 0; n < v.rank; n++) {
            v.dims[n] = sizes[draw(g, 8)];
            if (elements(&v) > MOST / 4) v.dims[n] = 2;
        }
        (void)begin(g, v);
        put(g, "parameter(%d)\n", k);
    }
    ops = 3 + (int)draw(g, 45);
    for (k = 0; k < ops && g->count < VALUES - 2 && g->n < TEXT - 4096; k++)
        all[draw(g, sizeof all / sizeof *all)](
            g, (int)(draw(g, 3) ? (uint32_t)g->count - 1 - draw(g, (uint32_t)g->count < 5 ? (uint32_t)g->count : 5)
                                : draw(g, (uint32_t)g->count)));
    outs = 1 + (int)draw(g, 5);
    put(g, "  ROOT t = (");
    {
        int out[RESULTS];
        for (k = 0; k < outs; k++) out[k] = k == 0 ? g->count - 1 : (int)draw(g, (uint32_t)g->count);
        for (k = 0; k < outs; k++) {
            if (k) put(g, ", ");
            put_shape(g, &g->v[out[k]], "s32");
        }
        put(g, ") tuple(");
        for (k = 0; k < outs; k++) put(g, "%sv%d", k ? ", " : "", out[k]);
    }
    put(g, ")\n}\n");
}

/* Each optional pass with a probability of one half. */
static const char *some_passes(graph *g) {
    static char list[2000];
    const char *name;
    uint32_t k;
    list[0] = 0;
    for (k = 0; (name = xg_driver_pass_name(k)) != NULL; k++)
        if (!xg_driver_pass_is_required(name) && draw(g, 2))
            xg_format(list + strlen(list), sizeof list - strlen(list), "%s%s", list[0] ? "," : "", name);
    return list;
}
static bool run(xlagpu_device *device, graph *g, uint64_t seed, const char *without) {
    static unsigned char data[8][BYTES], want[RESULTS][BYTES], got[RESULTS][BYTES];
    xlagpu_context *x = xlagpu_create(NULL);
    xlagpu_tensor in[8], out[RESULTS];
    xlagpu_rt_tensor rin[8], rout[RESULTS];
    xlagpu_value_info v;
    xlagpu_compile_desc d;
    xlagpu_bytes exe;
    xlagpu_program *p;
    xlagpu_module *m;
    uint32_t k, n_in, n_out;
    size_t j;
    bool good = false;
    make(g, seed);
    m = xlagpu_parse(x, "graph", g->text, g->n);
    if (!m) {
        printf("not a module: %s\n", xlagpu_error(x));
        xlagpu_destroy(x);
        return false;
    }
    n_in = xlagpu_parameter_count(m);
    n_out = xlagpu_result_count(m);
    for (k = 0; k < n_in; k++) {
        xlagpu_parameter_info(m, k, &v);
        for (j = 0; j < v.bytes / 4; j++) {
            int32_t e = (int32_t)draw(g, 41) - 20;
            if (v.bytes > 4 && draw(g, 20) == 0) e = (int32_t)(draw(g, 1u << 31) * 2 + draw(g, 2));
            memcpy(data[k] + 4 * j, &e, 4);
        }
        in[k].data = rin[k].data = data[k];
        in[k].bytes = rin[k].bytes = v.bytes;
    }
    for (k = 0; k < n_out; k++) {
        xlagpu_result_info(m, k, &v);
        out[k].data = want[k];
        rout[k].data = got[k];
        out[k].bytes = rout[k].bytes = v.bytes;
    }
    memset(got, 0x5A, sizeof got);
    memset(&d, 0, sizeof d);
    d.target.name = "sm_90a";
    d.disable_passes = without && strcmp(without, "some") == 0 ? some_passes(g) : without;
    if (xlagpu_evaluate(m, in, n_in, out, n_out, false) != XLAGPU_OK)
        printf("evaluate: %s\n", xlagpu_error(x));
    else if (exe = xlagpu_compile(m, &d), !exe.data)
        printf("compile: %s\n", xlagpu_error(x));
    else {
        p = xlagpu_rt_load(device, exe.data, exe.size);
        if (!p || xlagpu_rt_run(p, rin, n_in, rout, n_out) != XLAGPU_OK)
            printf("run: %s\n", xlagpu_rt_error(device));
        else {
            good = true;
            for (k = 0; k < n_out; k++)
                if (memcmp(want[k], got[k], out[k].bytes) != 0) {
                    printf("result %u differs\n", k);
                    good = false;
                }
        }
        xlagpu_rt_unload(p);
    }
    xlagpu_destroy(x);
    return good;
}

int main(int argc, char **argv) {
    static graph g;
    xlagpu_device *device;
    xlagpu_device_desc d;
    unsigned long n = 400, first = 1, k;
    const char *without = NULL;
    bool verbose = false;
    int a;
    for (a = 1; a < argc; a++) {
        if (strcmp(argv[a], "--n") == 0 && a + 1 < argc)
            n = strtoul(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--seed") == 0 && a + 1 < argc)
            first = strtoul(argv[++a], NULL, 10);
        else if (strcmp(argv[a], "--without") == 0 && a + 1 < argc)
            without = argv[++a];
        else if (strcmp(argv[a], "--verbose") == 0)
            verbose = true;
        else {
            fprintf(stderr, "usage: graphs [--n COUNT] [--seed FIRST] [--without PASSES|some] [--verbose]\n");
            return 2;
        }
    }
    memset(&d, 0, sizeof d);
    d.platform = "host";
    d.threads = 1;
    if (xlagpu_rt_open(&d, &device) != XLAGPU_OK) {
        fprintf(stderr, "%s\n", xlagpu_rt_error(device));
        return 1;
    }
    for (k = first; k < first + n; k++) {
        bool good = run(device, &g, k, without);
        char what[40];
        xg_format(what, sizeof what, "seed %lu", k);
        if (!EXPECT_IN(good, what) || verbose) printf("%s", g.text);
    }
    xlagpu_rt_close(device);
    return finish();
}
