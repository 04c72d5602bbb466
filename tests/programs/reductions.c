/* tests/programs/reductions.c -- reductions of many forms and odd sizes: evaluated, compiled, run on the simulator with
 * its checks on, compared bit for bit.
 *
 *     reductions [--quick] [--verbose], and the flags of platform.h
 *
 * Arguments are small multiples of one half, so that sums are exact in any order; init values are such that it matters
 * that they come in once. A form is a shape, a layout and the reduced dimensions; a kind is what is done: one sum, a
 * maximum, argmax, a fusion with producers, epilogues, several results and a side output, running sums, row programs.
 * Ends with "N passed, N failed". */
#include "../../src/xlagpu.h"
#include "../../src/xlagpu_runtime.h"
#include <stdio.h>
#include "platform.h"

typedef struct text {
    char p[16384];
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

enum {
    RANK = 6,
    KINDS = 9,
    RUNNING = 9 /* and the other way round */,
    ROWS = 11
};
typedef struct form {
    int rank, layout;
    int64_t dims[RANK];
    unsigned reduced;
} form; /* reduced: by bit */
static unsigned passed, failed;
static bool verbose;

/* Layout 0: descending; 1: ascending; 2: descending rotated by one. */
static void put_shape(text *t, xlagpu_type type, const form *f, unsigned without) {
    int64_t dims[RANK];
    int rank = 0, k;
    for (k = 0; k < f->rank; k++)
        if (!(without >> k & 1)) dims[rank++] = f->dims[k];
    put(t, "%s[", xlagpu_type_text(type));
    for (k = 0; k < rank; k++) put(t, "%s%lld", k ? "," : "", (long long)dims[k]);
    put(t, "]{");
    for (k = 0; k < rank; k++)
        put(t, "%s%d", k ? "," : "", f->layout == 1 ? k : f->layout == 2 ? (rank - k) % rank : rank - 1 - k);
    put(t, "}");
}
static void put_dims(text *t, const form *f, unsigned which) {
    int k, n = 0;
    put(t, "dimensions={");
    for (k = 0; k < f->rank; k++)
        if (which >> k & 1) put(t, "%s%d", n++ ? "," : "", k);
    put(t, "}");
}
static void put_reducer(text *t, const char *name, xlagpu_type type, const char *op) {
    const char *n = xlagpu_type_text(type);
    put(t, "%s {\n  x = %s[] parameter(0)\n  y = %s[] parameter(1)\n  ROOT s = %s[] %s(x, y)\n}\n\n", name, n, n, n,
        op);
}
/* reduce(operand, init) named so */
static void put_reduce(text *t, const char *name, xlagpu_type type, const form *f, const char *operand,
    const char *init, const char *reducer) {
    put(t, "  %s = ", name);
    put_shape(t, type, f, f->reduced);
    put(t, " reduce(%s, %s), ", operand, init);
    put_dims(t, f, f->reduced);
    put(t, ", to_apply=%s\n", reducer);
}
static void put_line(text *t, const char *name, xlagpu_type type, const form *f, unsigned without, const char *rest) {
    put(t, "  %s = ", name);
    put_shape(t, type, f, without);
    put(t, " %s\n", rest);
}

/* name = broadcast of what a reduction gives */
static void put_back(text *t, const char *name, xlagpu_type type, const form *f, const char *from) {
    put(t, "  %s = ", name);
    put_shape(t, type, f, 0);
    put(t, " broadcast(%s), ", from);
    put_dims(t, f, ~f->reduced & ((1u << f->rank) - 1));
    put(t, "\n");
}

/* A fusion: x * broadcast(bias), its sum and its maximum, the sum halved and negated, and the product itself. */
static void put_fused(text *t, xlagpu_type type, const form *f, bool with_side) {
    const char *n = xlagpu_type_text(type);
    put_reducer(t, "add_", type, "add");
    put_reducer(t, "max_", type, "maximum");
    put(t, "fused {\n");
    put_line(t, "x", type, f, 0, "parameter(0)");
    put_line(t, "b", type, f, f->reduced, "parameter(1)");
    put(t, "  zero = %s[] constant(0)\n  low = %s[] constant(-100)\n  half = %s[] constant(0.5)\n", n, n, n);
    put_back(t, "w", type, f, "b");
    put_line(t, "y", type, f, 0, "multiply(x, w)");
    put_reduce(t, "s", type, f, "y", "zero", "add_");
    put_reduce(t, "m", type, f, "y", "low", "max_");
    put_line(t, "h", type, f, f->reduced, "broadcast(half), dimensions={}");
    put_line(t, "sh", type, f, f->reduced, "multiply(s, h)");
    put_line(t, "sm", type, f, f->reduced, "subtract(sh, m)");
    put_line(t, "e", type, f, f->reduced, "negate(sm)");
    put(t, "  ROOT r = (");
    put_shape(t, type, f, f->reduced);
    put(t, ", ");
    put_shape(t, type, f, f->reduced);
    if (with_side) {
        put(t, ", ");
        put_shape(t, type, f, 0);
    }
    put(t, ") tuple(e, m%s)\n}\n\nENTRY main {\n", with_side ? ", y" : "");
    put_line(t, "x", type, f, 0, "parameter(0)");
    put_line(t, "b", type, f, f->reduced, "parameter(1)");
    put(t, "  ROOT r = (");
    put_shape(t, type, f, f->reduced);
    put(t, ", ");
    put_shape(t, type, f, f->reduced);
    if (with_side) {
        put(t, ", ");
        put_shape(t, type, f, 0);
    }
    put(t, ") fusion(x, b), kind=kInput, calls=fused\n}\n");
}
static void put_argmax(text *t, xlagpu_type type, const form *f) {
    const char *n = xlagpu_type_text(type);
    put(t,
        "argmax {\n  v = %s[] parameter(0)\n  i = s32[] parameter(1)\n  w = %s[] parameter(2)\n  j = s32[] "
        "parameter(3)\n  gt = pred[] compare(v, w), direction=GT\n"
        "  eq = pred[] compare(v, w), direction=EQ\n  lt = pred[] compare(i, j), direction=LT\n  both = pred[] and(eq, "
        "lt)\n  more = pred[] or(gt, both)\n"
        "  value = %s[] select(more, v, w)\n  index = s32[] select(more, i, j)\n  ROOT r = (%s[], s32[]) tuple(value, "
        "index)\n}\n\nENTRY main {\n",
        n, n, n, n);
    put_line(t, "x", type, f, 0, "parameter(0)");
    put_line(t, "at", XLAGPU_S32, f, 0, "parameter(1)");
    put(t, "  low = %s[] constant(%d)\n  none = s32[] constant(0)\n  ROOT r = (", n, xg_type_signed(type) ? -8 : 0);
    put_shape(t, type, f, f->reduced);
    put(t, ", ");
    put_shape(t, XLAGPU_S32, f, f->reduced);
    put(t, ") reduce(x, at, low, none), ");
    put_dims(t, f, f->reduced);
    put(t, ", to_apply=argmax\n}\n");
}
/* Running sums along the first reduced dimension, or backwards; of two arrays at once, a sum and a maximum. */
static void put_running(text *t, xlagpu_type type, const form *f, bool backwards) {
    const char *n = xlagpu_type_text(type);
    int dim = 0, k;
    while (!(f->reduced >> dim & 1)) dim++;
    put(t,
        "both {\n  v = %s[] parameter(0)\n  i = s32[] parameter(1)\n  w = %s[] parameter(2)\n  j = s32[] "
        "parameter(3)\n  s = %s[] %s(v, w)\n  m = s32[] maximum(i, j)\n  ROOT r = (%s[], s32[]) tuple(s, "
        "m)\n}\n\nENTRY main {\n",
        n, n, n, type == XLAGPU_PRED ? "or" : "add", n);
    put_line(t, "x", type, f, 0, "parameter(0)");
    put_line(t, "y", XLAGPU_S32, f, 0, "parameter(1)");
    if (xg_type_class(type) == XGT_C)
        put(t, "  zero = %s[] constant((0, 0))\n", n);
    else
        put(t, "  zero = %s[] constant(%s)\n", n, type == XLAGPU_PRED ? "false" : "0");
    put(t, "  low = s32[] constant(-2)\n  ROOT r = (");
    put_shape(t, type, f, 0);
    put(t, ", ");
    put_shape(t, XLAGPU_S32, f, 0);
    put(t, ") reduce-window(x, y, zero, low), window={size=");
    for (k = 0; k < f->rank; k++) put(t, "%s%lld", k ? "x" : "", k == dim ? (long long)f->dims[k] : 1);
    put(t, " pad=");
    for (k = 0; k < f->rank; k++)
        put(t, "%s%lld_%lld", k ? "x" : "", k == dim && !backwards ? (long long)f->dims[k] - 1 : 0,
            k == dim && backwards ? (long long)f->dims[k] - 1 : 0);
    put(t, "}, to_apply=both\n}\n");
}
/* What is left of x over its maximum, times x, summed; then both together: two stages of a row program where rows are
 * reduced. The sum and the maximum are results too. */
static void put_rows(text *t, xlagpu_type type, const form *f) {
    const char *n = xlagpu_type_text(type);
    put_reducer(t, "add_", type, "add");
    put_reducer(t, "max_", type, "maximum");
    put(t, "ENTRY main {\n  low = %s[] constant(-8)\n  three = %s[] constant(3)\n", n, n);
    put_line(t, "x", type, f, 0, "parameter(0)");
    put_reduce(t, "m", type, f, "x", "low", "max_");
    put_back(t, "mb", type, f, "m");
    put_line(t, "d", type, f, 0, "subtract(x, mb)");
    put_line(t, "q", type, f, 0, "multiply(d, x)");
    put_reduce(t, "s", type, f, "q", "three", "add_");
    put_line(t, "h", type, f, f->reduced, "add(s, m)");
    put_back(t, "hb", type, f, "h");
    put_line(t, "y", type, f, 0, "add(hb, d)");
    put(t, "  ROOT r = (");
    put_shape(t, type, f, 0);
    put(t, ", ");
    put_shape(t, type, f, f->reduced);
    put(t, ", ");
    put_shape(t, type, f, f->reduced);
    put(t, ") tuple(y, s, m)\n}\n");
}
static void put_module(text *t, xlagpu_type type, const form *f, int kind) {
    static const char *const ops[] = {"add", "add", "maximum", "minimum", "xor", "multiply"};
    static const char *const inits[] = {"0", "3", "-2", "2", "5", "2"};
    const char *n = xlagpu_type_text(type);
    bool pred = type == XLAGPU_PRED, complex = xg_type_class(type) == XGT_C;
    put(t, "HloModule reductions\n\n");
    if (kind == ROWS) {
        put_rows(t, type, f);
        return;
    }
    if (kind >= RUNNING) {
        put_running(t, type, f, kind > RUNNING);
        return;
    }
    if (kind == 6) {
        put_argmax(t, type, f);
        return;
    }
    if (kind >= 7) {
        put_fused(t, type, f, kind == 8);
        return;
    }
    put_reducer(t, "fold", type, pred ? (kind & 1 ? "or" : "and") : ops[kind]);
    put(t, "ENTRY main {\n");
    put_line(t, "x", type, f, 0, "parameter(0)");
    if (complex)
        put(t, "  init = %s[] constant((%s, %s))\n", n, inits[kind], inits[kind]);
    else
        put(t, "  init = %s[] constant(%s)\n", n,
            pred                                             ? (kind & 1 ? "false" : "true")
            : inits[kind][0] == '-' && !xg_type_signed(type) ? "1"
                                                             : inits[kind]);
    put_reduce(t, "ROOT r", type, f, "x", "init", "fold");
    put(t, "}\n");
}

/* ---- running ---- */

static void fill(xlagpu_type t, unsigned char *p, size_t n, unsigned seed, bool product) {
    size_t size = (size_t)xg_type_bytes(t), k;
    xlagpu_type r = xg_type_real(t);
    for (k = 0; k < n; k++) {
        uint64_t z = (seed + k) * 0x9E3779B97F4A7C15u >> 40;
        int64_t v = product ? (z % 2 ? 1 : -1) : (int64_t)(z % 7) - 3;
        if (t == XLAGPU_PRED)
            p[k] = z % 5 != 0;
        else if (xg_type_class(t) == XGT_I)
            xg_eval_store_int(t, p + k * size, v);
        else {
            xlagpu_set_element(r, p + k * size, (double)v / (product ? 1 : 2));
            if (r != t) xlagpu_set_element(r, p + k * size + size / 2, product ? 0 : (double)((z >> 8) % 5) - 2);
        }
    }
}
static bool same(xlagpu_type t, const unsigned char *x, const unsigned char *y, size_t bytes, size_t *where) {
    size_t size = (size_t)xg_type_bytes(t), k;
    xlagpu_type r = xg_type_real(t);
    for (k = 0; k * size < bytes; k++) {
        *where = k;
        if (memcmp(x + k * size, y + k * size, size) == 0) continue;
        if (xg_type_class(t) == XGT_F && isnan(xlagpu_get_element(t, x + k * size)) &&
            isnan(xlagpu_get_element(t, y + k * size)))
            continue;
        if (r == t || xlagpu_get_element(r, x + k * size) != xlagpu_get_element(r, y + k * size) ||
            xlagpu_get_element(r, x + k * size + size / 2) != xlagpu_get_element(r, y + k * size + size / 2))
            return false;
    }
    return true;
}
static void fail(const char *what, const char *message, const text *src) {
    failed++;
    printf("FAIL %s (case %lu): %s\n%s", what, platform.number, message, src->p);
}

static void run(xlagpu_type type, const form *f, int kind) {
    xlagpu_context *c;
    xlagpu_tensor in[2], out[3];
    xlagpu_rt_tensor rin[2], rout[3];
    unsigned char *memory[8];
    xlagpu_value_info v;
    xlagpu_compile_desc d;
    xlagpu_program *p = NULL;
    xlagpu_bytes exe;
    xlagpu_module *m;
    static text src;
    uint32_t n_in, n_out, k, n = 0;
    size_t where;
    bool ran = true;
    if (!platform_takes()) return;
    c = xlagpu_create(NULL);
    src.n = 0;
    put_module(&src, type, f, kind);
    if (verbose) printf("%s", src.p);
    m = xlagpu_parse(c, "reductions", src.p, src.n);
    if (!m) {
        fail("parse", xlagpu_error(c), &src);
        xlagpu_destroy(c);
        return;
    }
    n_in = xlagpu_parameter_count(m);
    n_out = xlagpu_result_count(m);
    for (k = 0; k < n_in; k++) {
        xlagpu_parameter_info(m, k, &v);
        in[k].data = rin[k].data = memory[n++] = (unsigned char *)malloc(v.bytes + 1);
        in[k].bytes = rin[k].bytes = v.bytes;
        fill(v.type, memory[n - 1], v.bytes / (size_t)xg_type_bytes(v.type), 31 * k, kind == 5);
    }
    for (k = 0; k < n_out; k++) {
        xlagpu_result_info(m, k, &v);
        out[k].data = memory[n++] = (unsigned char *)calloc(1, v.bytes + 1);
        rout[k].data = memory[n++] = (unsigned char *)calloc(1, v.bytes + 1);
        out[k].bytes = rout[k].bytes = v.bytes;
    }
    memset(&d, 0, sizeof d);
    d.target.name = platform.target;
    if (xlagpu_evaluate(m, in, n_in, out, n_out, false) != XLAGPU_OK)
        fail("evaluate", xlagpu_error(c), &src);
    else if (!(exe = xlagpu_compile(m, &d)).data)
        fail("compile", xlagpu_error(c), &src);
    else if (!(p = xlagpu_rt_load(platform.device, exe.data, exe.size)) ||
             xlagpu_rt_run(p, rin, n_in, rout, n_out) != XLAGPU_OK) {
        fail("run", xlagpu_rt_error(platform.device), &src);
        ran = false;
    } else {
        for (k = 0; k < n_out; k++) {
            xlagpu_result_info(m, k, &v);
            if (!same(v.type, (unsigned char *)out[k].data, (unsigned char *)rout[k].data, v.bytes, &where)) break;
        }
        if (k == n_out)
            passed++;
        else {
            char message[160];
            size_t at = where * (size_t)xg_type_bytes(v.type);
            snprintf(message, sizeof message, "result %u, element %zu: want %g, got %g", k, where,
                xlagpu_get_element(xg_type_real(v.type), (unsigned char *)out[k].data + at),
                xlagpu_get_element(xg_type_real(v.type), (unsigned char *)rout[k].data + at));
            fail("differs", message, &src);
        }
    }
    xlagpu_rt_unload(p);
    if (!ran) platform_check("a reduction");
    while (n) free(memory[--n]);
    xlagpu_destroy(c);
}

static form form_of(int64_t a, int64_t b, int64_t c, unsigned reduced, int layout) {
    form f;
    memset(&f, 0, sizeof f);
    f.dims[0] = a;
    f.dims[1] = b;
    f.dims[2] = c;
    f.rank = c ? 3 : b ? 2 : 1;
    f.reduced = reduced;
    f.layout = layout;
    return f;
}

int main(int argc, char **argv) {
    static const int64_t lengths[] = {1, 2, 3, 5, 7, 8, 12, 16, 20, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255,
        257, 509, 1000, 1024, 1031, 4095, 4097, 8192, 16411, 65537},
                         widths[] = {1, 2, 3, 4, 8, 13, 31, 32, 33, 96, 129, 260, 1028};
    static const xlagpu_type types[] = {XLAGPU_PRED, XLAGPU_S8, XLAGPU_U16, XLAGPU_S32, XLAGPU_U64, XLAGPU_BF16,
        XLAGPU_F16, XLAGPU_F8E4M3FN, XLAGPU_F8E5M2, XLAGPU_F64, XLAGPU_C64, XLAGPU_C128, XLAGPU_S4, XLAGPU_U4};
    bool quick = false;
    size_t i, j, t;
    int k, layout;
    form f;
    for (k = 1; k < argc; k++) {
        if (platform_flag(argc, argv, &k)) continue;
        if (strcmp(argv[k], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[k], "--verbose") == 0)
            verbose = true;
    }
    (void)platform_open(1);
    /* rows and columns of every length by a few widths */
    for (i = 0; i < XG_COUNT(lengths); i++)
        for (j = 0; j < XG_COUNT(widths); j++) {
            if (lengths[i] * widths[j] > (quick ? 40000 : 300000) || (quick && (i + j) % 3)) continue;
            for (k = 0; k < KINDS; k += quick ? 2 + (int)(i % 2) : 1) {
                if (k == 4 || k == 5) continue;
                f = form_of(widths[j], lengths[i], 0, 2, 0);
                run(XLAGPU_F32, &f, k);
                f = form_of(lengths[i], widths[j], 0, 1, 0);
                run(XLAGPU_F32, &f, k);
            }
        }
    /* all types */
    for (t = 0; t < XG_COUNT(types); t++)
        for (i = 3; i < XG_COUNT(lengths) - 3; i += quick ? 6 : 2)
            for (k = 0; k < KINDS; k++) {
                int cls = xg_type_class(types[t]);
                if ((cls != XGT_F && k >= 7) || (cls == XGT_F && k == 4) ||
                    (cls == XGT_C && (k >= 2 || (k == 1 && quick))) || (cls == XGT_P && k > 1) ||
                    (cls == XGT_F && k == 5 && i > 12))
                    continue;
                f = form_of(5, lengths[i], 0, 2, 0);
                run(types[t], &f, k);
                f = form_of(lengths[i], 37, 0, 1, 0);
                run(types[t], &f, k);
                f = form_of(3, lengths[i] / 4 + 1, 8, 2, 0);
                run(types[t], &f, k);
            }
    /* three dimensions, any of them reduced, any layout; and more */
    for (layout = 0; layout < 3; layout++)
        for (i = 1; i < 8; i++)
            for (k = 0; k < KINDS; k += quick ? 3 : 1) {
                if (k == 4 || k == 5) continue;
                f = form_of(7, 33, 20, (unsigned)i, layout);
                run(XLAGPU_F32, &f, k);
                f = form_of(129, 6, 128, (unsigned)i, layout);
                run(XLAGPU_F32, &f, k);
                f = form_of(1, 65, 64, (unsigned)i, layout);
                run(XLAGPU_BF16, &f, k);
            }
    for (layout = 0; layout < 3; layout++)
        for (i = 1; i < 32; i += quick ? 4 : 1)
            for (k = 0; k < KINDS; k += 4) {
                static const int64_t five[] = {3, 5, 4, 7, 6};
                if (k == 4) continue;
                memset(&f, 0, sizeof f);
                f.rank = 5;
                memcpy(f.dims, five, sizeof five);
                f.reduced = (unsigned)i;
                f.layout = layout;
                run(XLAGPU_F32, &f, k);
            }
    /* few results of much: two kernels */
    for (i = 0; i < (quick ? 2u : 6u); i++)
        for (k = 0; k < KINDS; k += quick ? 3 : 1) {
            static const int64_t big[] = {1 << 18, 200003, 131072, 99991, 262147, 1 << 20};
            if (k == 4 || k == 5) continue;
            f = form_of(big[i], 0, 0, 1, 0);
            run(XLAGPU_F32, &f, k);
            f = form_of(big[i] / 8, 9, 0, 1, 0);
            run(i & 1 ? XLAGPU_BF16 : XLAGPU_F32, &f, k);
            f = form_of(3, big[i] / 4, 0, 2, 0);
            run(XLAGPU_F32, &f, k);
            f = form_of(63, 2, big[i] / 128, 5, 0);
            run(XLAGPU_F32, &f, k);
            f = form_of(big[i] / 64, 64, 0, 1, 1);
            run(i & 1 ? XLAGPU_F32 : XLAGPU_F16, &f, k);
        }
    /* running sums; what is longer is slow to evaluate */
    for (i = 1; i < XG_COUNT(lengths) - 1; i += quick ? 3 : 1)
        for (k = RUNNING; k <= RUNNING + 1; k++) {
            f = form_of(3, lengths[i], 0, 2, 0);
            if (lengths[i] <= (quick ? 1100 : 5000)) run(XLAGPU_F32, &f, k);
            f = form_of(lengths[i], 65, 0, 1, 0);
            if (lengths[i] <= 1100) run(XLAGPU_S32, &f, k);
            f = form_of(66, lengths[i], 2, 2, 1);
            if (lengths[i] <= 260) run(XLAGPU_F64, &f, k);
        }
    for (t = 0; t < XG_COUNT(types); t++)
        for (k = RUNNING; k <= RUNNING + 1; k++)
            for (layout = 0; layout < 3; layout++) {
                if (xg_type_class(types[t]) == XGT_F && xg_type_bits(types[t]) <= 8) continue; /* every step rounds */
                f = form_of(2, 9, 40, 1u << (layout + (int)t) % 3, layout);
                run(types[t], &f, k);
            }
    /* several reductions over the same rows */
    for (i = 0; i < XG_COUNT(lengths); i++)
        for (j = 0; j < XG_COUNT(widths); j += quick ? 3 : 1) {
            if (lengths[i] * widths[j] > (quick ? 40000 : 300000)) continue;
            f = form_of(widths[j], lengths[i], 0, 2, 0);
            run((i + j) % 4 == 1   ? XLAGPU_BF16
                : (i + j) % 4 == 2 ? XLAGPU_F64
                : (i + j) % 4 == 3 ? XLAGPU_F16
                                   : XLAGPU_F32,
                &f, ROWS);
        }
    for (i = 0; i < 2; i++) {
        f = form_of(67 + 3 * (int64_t)i, i ? 17001 : 16640, 0, 2, 0);
        run(XLAGPU_F32, &f, ROWS);
    } /* too long for registers */
    for (layout = 0; layout < 3; layout++)
        for (i = 1; i < 8; i++) {
            f = form_of(7, 33, 20, (unsigned)i, layout);
            run(XLAGPU_F32, &f, ROWS);
            f = form_of(1, 65, 64, (unsigned)i, layout);
            run(XLAGPU_S32, &f, ROWS);
        }
    /* nothing to reduce, or nothing to make */
    for (k = 0; k < KINDS; k++) {
        if (k == 4 || k == 5) continue;
        f = form_of(0, 0, 0, 1, 0);
        run(XLAGPU_F32, &f, k);
        f = form_of(4, 1, 3, 2, 0);
        f.dims[1] = 0;
        run(XLAGPU_F32, &f, k);
        f.dims[0] = 0;
        f.dims[1] = 5;
        run(XLAGPU_F32, &f, k);
    }
    platform_close();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
