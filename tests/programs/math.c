/* tests/programs/math.c -- how good is the arithmetic that legalisation writes? Every expansion is made for a target,
 * then interpreted here (one operation at a time over a batch of inputs, with exact fma), and compared with the C
 * library in long double.
 *
 *     math            quick: some ten thousand inputs a function; fails when a bound of the table is exceeded
 *     math -n N       N inputs a function
 *     math -t         prints the table of docs/numerics.md
 *     math -f NAME    only this row (or "convert")
 *     math -e         with approximate instructions that round correctly, to see the expansion's own share
 *
 * Conversions are compared bit by bit with xg_float_encode. */
#include "../../src/xlagpu.h"

#include "interpret.h"

/* ---- what is tested ---- */
static xg_ctx ctx;
static xg_arena arena;

/* A kernel of one operation: loads from its first one or two parameters, stores to the last. */
static xg_kmodule *kernel_of(xg_kopcode code, xg_kelem from, xg_kelem to, int operands, const char *target) {
    xg_kmodule *m = xg_kir_module(&ctx, &arena, xg_aff_new(&arena));
    const xg_ktype *ptr = xg_kir_pointer(m, XG_SPACE_GLOBAL), *params[3], *t = xg_kir_scalar(m, from),
                   *rt = xg_kir_scalar(m, to);
    xg_kfunc *f;
    xg_kb b;
    xg_kval *v[2], *st[2], *tid, *at[2];
    const xg_ktype *i32 = xg_kir_scalar(m, XG_E_I32);
    int k;
    params[0] = params[1] = params[2] = ptr;
    f = xg_kir_func(m, XG_STR("f"), params, (uint32_t)operands + 1, NULL, 0);
    m->entry = f;
    f->entry = true;
    b = xg_kb_end(m, f->body);
    tid = xg_kir_op(&b, XG_K_OP_THREAD_ID, NULL, 0, &i32, 1, 0)->results;
    at[1] = tid;
    for (k = 0; k < operands; k++) {
        xg_kval *p;
        at[0] = &f->body->args[k];
        p = xg_kir_op(&b, XG_K_OP_PTR_ADD, at, 2, &ptr, 1, 0)->results;
        p->def->a = 8;
        v[k] = xg_kir_op(&b, XG_K_OP_LOAD, &p, 1, &t, 1, 0)->results;
    }
    st[0] = xg_kir_op(&b, code, v, (uint32_t)operands, &rt, 1, 0)->results;
    at[0] = &f->body->args[operands];
    st[1] = xg_kir_op(&b, XG_K_OP_PTR_ADD, at, 2, &ptr, 1, 0)->results;
    st[1]->def->a = 8;
    xg_kir_op(&b, XG_K_OP_STORE, st, 2, NULL, 0, 0);
    xg_kreturn(&b, NULL, 0);
    m->target = xg_target_find(&ctx, xg_str_z(target));
    xg_ptx_legalize(m);
    return m;
}
static uint32_t count_ops(const xg_kregion *r) {
    const xg_kop *op;
    uint32_t n = 0, i;
    for (op = r->first; op; op = op->next) {
        if (op->op != XG_K_OP_CONST && op->op != XG_K_OP_YIELD && op->op != XG_K_OP_RETURN && op->op != XG_K_OP_LOAD &&
            op->op != XG_K_OP_STORE && op->op != XG_K_OP_BITCAST && op->op != XG_K_OP_PTR_ADD &&
            op->op != XG_K_OP_THREAD_ID)
            n++;
        for (i = 0; i < op->n_regions; i++) n += count_ops(op->regions[i]);
    }
    return n;
}
static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}

static const double special[] = {0.0, 1, 2, 0.5, 0.25, 1e-3, 3, 4, 10, 100, 1000, 88.7, 89, 104, 709.7, 710, 745, 1e-10,
    1e-30, 1e10, 1e22, 1e30, 0.7853981633974483, 1.5707963267948966, 3.141592653589793, 11, 22, 355, 0.6931471805599453,
    65536, 65535, 105615, 2147483648.0};
static uint64_t input(xg_kelem e, uint64_t i) {
    const xg_float_format *f = xg_float_format_of(xg_kelem_format(e));
    uint64_t sign = (uint64_t)1 << (f->bits - 1), r = next_random(), inf = f->max_bits + 1;
    static const int edges[] = {0, 1, 2, 3};
    if (i < 2 * XG_COUNT(special)) return number_to(e, special[i / 2]) | (i & 1 ? sign : 0);
    i -= 2 * XG_COUNT(special);
    if (i < 32) { /* around zero, the smallest normal, one, the largest, infinity, NaN */
        uint64_t bases[4], b;
        bases[0] = 0;
        bases[1] = (uint64_t)1 << f->mantissa_bits;
        bases[2] = number_to(e, 1) - 2;
        bases[3] = inf - 2;
        b = bases[i / 8] + (uint64_t)edges[i / 2 % 4];
        return b | (i & 1 ? sign : 0);
    }
    switch (r >> 60) { /* any bits; else an exponent near that of 1 */
    case 0:
    case 1:
    case 2:
    case 3: return next_random() & (sign | (sign - 1));
    case 4:
    case 5: return number_to(e, (double)(int64_t)(next_random() >> 40) / 4096 - 2048);
    case 6: return number_to(e, (double)(int64_t)(next_random() >> 11) * ldexp(1, -52) * 3 - 3);
    default:
        return number_to(e, ldexp(1 + (double)(next_random() >> 12) * ldexp(1, -52), (int)(next_random() % 26) - 16)) |
               (r & 1 ? sign : 0);
    }
}
typedef long double ref_fn(long double, long double);
#define R(name, expr) \
    static long double ref_##name(long double x, long double y) { \
        (void)y; \
        return expr; \
    }
R(exp, expl(x))
R(expm1, expm1l(x))
R(log, logl(x))
R(log1p, log1pl(x))
R(sin, sinl(x))
R(cos, cosl(x))
R(tan, tanl(x))
R(tanh, tanhl(x))
R(sinh, sinhl(x))
R(cosh, coshl(x))
R(asin, asinl(x))
R(acos, acosl(x))
R(atan, atanl(x))
R(atan2, atan2l(x, y))
R(asinh, asinhl(x))
R(acosh, acoshl(x))
R(atanh, atanhl(x))
R(erf, erfl(x))
R(cbrt, cbrtl(x))
R(rsqrt, 1 / sqrtl(x))
R(pow, powl(x, y))
R(rem, fmodl(x, y))
R(round, roundl(x))
R(max, (long double)maximum((double)x, (double)y, true, true))
R(min, (long double)maximum((double)x, (double)y, false, true))
R(div, x / y)
R(sqrt, sqrtl(x))
R(mul, x *y)
#undef R
/* name, opcode, operands, bound in ulp for f32, f64, bf16, f16; 0.5 and a little: rounded correctly; negative: not
 * tested */
typedef struct math_row {
    const char *name;
    xg_kopcode op;
    int operands;
    ref_fn *ref;
    double f32, f64, bf16, f16;
} math_row;
static const math_row rows[] = {
    {"exp", XG_K_OP_EXP, 1, ref_exp, 2.9, 1, 0.51, 0.6},
    {"expm1", XG_K_OP_EXPM1, 1, ref_expm1, 1.6, 2, 0.51, 0.53},
    {"log", XG_K_OP_LOG, 1, ref_log, 1.5, 1, 0.6, 0.51},
    {"log1p", XG_K_OP_LOG1P, 1, ref_log1p, 1.7, 1.7, 0.51, 0.51},
    {"pow", XG_K_OP_POW, 2, ref_pow, 3, 2, 0.51, 0.51},
    {"sin", XG_K_OP_SIN, 1, ref_sin, 2, 1, 0.51, 0.51},
    {"cos", XG_K_OP_COS, 1, ref_cos, 2, 1, 0.51, 0.51},
    {"tan", XG_K_OP_TAN, 1, ref_tan, 2.5, 2, 0.51, 0.51},
    {"tanh", XG_K_OP_TANH, 1, ref_tanh, 2, 2, 0.55, 0.6},
    {"sinh", XG_K_OP_SINH, 1, ref_sinh, 2.5, 2, 0.51, 0.51},
    {"cosh", XG_K_OP_COSH, 1, ref_cosh, 2.5, 2, 0.51, 0.51},
    {"asin", XG_K_OP_ASIN, 1, ref_asin, 2.3, 1.5, 0.51, 0.51},
    {"acos", XG_K_OP_ACOS, 1, ref_acos, 2, 1.5, 0.51, 0.51},
    {"atan", XG_K_OP_ATAN, 1, ref_atan, 2, 2, 0.51, 0.51},
    {"atan2", XG_K_OP_ATAN2, 2, ref_atan2, 2.5, 2, 0.51, 0.51},
    {"asinh", XG_K_OP_ASINH, 1, ref_asinh, 2.5, 2.5, 0.51, 0.51},
    {"acosh", XG_K_OP_ACOSH, 1, ref_acosh, 2.5, 2.5, 0.51, 0.51},
    {"atanh", XG_K_OP_ATANH, 1, ref_atanh, 3, 3, 0.51, 0.51},
    {"erf", XG_K_OP_ERF, 1, ref_erf, 2, 2, 0.51, 0.51},
    {"cbrt", XG_K_OP_CBRT, 1, ref_cbrt, 1, 1, 0.51, 0.51},
    {"rsqrt", XG_K_OP_RSQRT, 1, ref_rsqrt, 2.5, 1.5, 0.51, 0.51},
    {"rem", XG_K_OP_REMF, 2, ref_rem, 0, 0, 0, 0},
    {"round", XG_K_OP_ROUND, 1, ref_round, 0, 0, 0, 0},
    {"maximum", XG_K_OP_MAXF, 2, ref_max, 0, 0, 0, 0},
    {"minimum", XG_K_OP_MINF, 2, ref_min, 0, 0, 0, 0},
    {"div", XG_K_OP_DIVF, 2, ref_div, 0.5001, 0.5001, 0.5001, 0.5001},
    {"sqrt", XG_K_OP_SQRT, 1, ref_sqrt, 0.5001, 0.5001, 0.5001, 0.5001},
    {"mul", XG_K_OP_MULF, 2, ref_mul, 0.5001, 0.5001, 0.5001, 0.5001},
};
/* The distance of got from the exact value, in units in the last place of the format. */
static double ulps(xg_kelem e, uint64_t got, long double want) {
    const xg_float_format *f = xg_float_format_of(xg_kelem_format(e));
    double g = number_of(e, got), max = xg_float_decode(xg_kelem_format(e), f->max_bits);
    int exponent;
    long double unit;
    if (want != want) return g != g ? 0 : 1e30;
    if (g != g) return 1e30;
    if (want == 0) return g == 0 && !signbit(g) == !signbit(want) ? 0 : 1e30;
    exponent = ilogbl(want);
    if (isinf(want)) exponent = 1000000;
    if (exponent > f->bias) exponent = f->bias;
    if (exponent < 1 - f->bias) exponent = 1 - f->bias;
    unit = ldexpl(1, exponent - f->mantissa_bits);
    if (isinf(g) || isinf(want)) { /* infinity stands for what is just beyond the largest */
        long double bound = (long double)max + unit;
        long double w = isinf(want) ? (want > 0 ? bound : -bound) : want,
                    h = isinf(g) ? (g > 0 ? bound : -bound) : (long double)g;
        if (isinf(g) && fabsl(w) >= bound && (g > 0) == (w > 0)) return 0;
        return (double)(fabsl(h - w) / unit);
    }
    return (double)(fabsl((long double)g - want) / unit);
}
static double measure(const math_row *row, xg_kelem e, const char *target, uint64_t n, uint64_t worst[2]) {
    xg_kmodule *m = kernel_of(row->op, e, e, row->operands, target);
    static uint64_t in0[LANES], in1[LANES], out[LANES];
    machine v;
    double max = 0;
    uint64_t i;
    int k;
    machine_begin(&v, m, 1);
    v.params[0] = (uint64_t)(uintptr_t)in0;
    v.params[1] = (uint64_t)(uintptr_t)in1;
    v.params[row->operands] = (uint64_t)(uintptr_t)out;
    for (i = 0; i < n; i += LANES) {
        for (k = 0; k < LANES; k++) {
            in0[k] = input(e, row->operands == 2 && i < 8192 ? (i + (uint64_t)k) / 90 : i + (uint64_t)k);
            in1[k] = input(e, (i + (uint64_t)k) % 90 + (i < 8192 ? 0 : 1000));
            if (e <= XG_E_F16 && n >= 65536 && row->operands == 1) in0[k] = (i + (uint64_t)k) & 0xFFFF;
        }
        memset(out, 0, sizeof out);
        machine_run(&v);
        for (k = 0; k < LANES; k++) {
            long double want = row->ref((long double)number_of(e, in0[k]), (long double)number_of(e, in1[k]));
            double d = ulps(e, out[k], want);
            if (d > max) {
                max = d;
                worst[0] = in0[k];
                worst[1] = in1[k];
            }
        }
    }
    machine_end(&v);
    return max;
}
static int failures, tests;
static void test_math(const math_row *row, uint64_t n, bool table) {
    static const xg_kelem elems[4] = {XG_E_F32, XG_E_F64, XG_E_BF16, XG_E_F16};
    static const char *const targets[2] = {"sm_75", "sm_90"};
    double bounds[4], got[4] = {0, 0, 0, 0};
    uint32_t ops[4];
    int i, t;
    bounds[0] = row->f32;
    bounds[1] = row->f64;
    bounds[2] = row->bf16;
    bounds[3] = row->f16;
    for (i = 0; i < 4; i++) {
        xg_mark mark = xg_arena_mark(&arena);
        ops[i] = count_ops(kernel_of(row->op, elems[i], elems[i], row->operands, "sm_90")->first->body);
        for (t = 0; t < 2; t++) {
            uint64_t worst[2] = {0, 0};
            double d;
            tests++;
            d = measure(row, elems[i], targets[t], n, worst);
            got[i] = XG_MAX(got[i], d);
            if (d > bounds[i]) {
                failures++;
                printf("FAIL %s.%s %s: %.3g ulp, allowed %.3g, at %.17g (0x%llx)", row->name, xg_kelem_name(elems[i]),
                    targets[t], d, bounds[i], number_of(elems[i], worst[0]), (unsigned long long)worst[0]);
                if (row->operands == 2)
                    printf(", %.17g (0x%llx)", number_of(elems[i], worst[1]), (unsigned long long)worst[1]);
                printf("\n");
            }
        }
        xg_arena_reset(&arena, mark);
    }
    if (table)
        printf("| %s | %.2f | %u | %.2f | %u | %.3f | %u | %.3f | %u |\n", row->name, got[0], ops[0], got[1], ops[1],
            got[2], ops[2], got[3], ops[3]);
}

/* Conversions, bit by bit. */
/* one NaN of the wider formats is as good as another */
static uint64_t nan_form(xg_kelem e, uint64_t b) {
    return number_of(e, b) != number_of(e, b) && xg_kelem_bits(e) > 8 ? 1 : b;
}
static void test_convert(xg_kelem from, xg_kelem to, const char *target, uint64_t n) {
    bool widen = xg_kelem_bits(from) < xg_kelem_bits(to);
    xg_mark mark = xg_arena_mark(&arena);
    xg_kmodule *m = kernel_of(widen ? XG_K_OP_EXTF : XG_K_OP_TRUNCF, from, to, 1, target);
    static uint64_t in[LANES], out[LANES];
    machine v;
    uint64_t i, space = xg_kelem_bits(from) <= 16 ? (uint64_t)1 << xg_kelem_bits(from) : 0;
    int k;
    tests++;
    machine_begin(&v, m, 1);
    v.params[0] = (uint64_t)(uintptr_t)in;
    v.params[1] = (uint64_t)(uintptr_t)out;
    for (i = 0; i < (space ? space : n); i += LANES) {
        for (k = 0; k < LANES; k++) {
            if (space)
                in[k] = (i + (uint64_t)k) & (space - 1);
            else if (i & LANES && xg_kelem_bits(to) <= 16) { /* next to a tie of the narrower format */
                double step = xg_float_decode(xg_kelem_format(to), next_random() & mask_of(to)), other;
                uint64_t b;
                other = xg_float_decode(xg_kelem_format(to), (number_to(to, step) ^ 1) & mask_of(to));
                b = number_to(from, (step + other) / 2);
                in[k] = (b + next_random() % 3 - 1) & mask_of(from);
            } else
                in[k] = input(from, i + (uint64_t)k);
        }
        memset(out, 0, sizeof out);
        machine_run(&v);
        for (k = 0; k < LANES; k++) {
            uint64_t want = number_to(to, number_of(from, in[k]));
            if (nan_form(to, want) != nan_form(to, out[k])) {
                failures++;
                printf("FAIL %s to %s %s: 0x%llx (%.17g) gives 0x%llx, not 0x%llx\n", xg_kelem_name(from),
                    xg_kelem_name(to), target, (unsigned long long)in[k], number_of(from, in[k]),
                    (unsigned long long)out[k], (unsigned long long)want);
                i = n + space;
                break;
            }
        }
    }
    machine_end(&v);
    xg_arena_reset(&arena, mark);
}
/* Integers to floats and back, against 80-bit arithmetic rounded once. */
static uint64_t once(xg_kelem to, long double x) {
    double d = (double)x;
    if ((long double)d != x) { /* to odd */
        uint64_t b = xg_f64_bits(d);
        if (!(b & 1)) b += fabsl(x) > fabsl((long double)d) ? 1 : (uint64_t)-1;
        d = xg_f64_of_bits(b);
        if (to == XG_E_F64) return xg_f64_bits((double)x);
    }
    return number_to(to, d);
}
static void test_int(xg_kopcode code, xg_kelem from, xg_kelem to, const char *target, uint64_t n) {
    xg_mark mark = xg_arena_mark(&arena);
    xg_kmodule *m = kernel_of(code, from, to, 1, target);
    static uint64_t in[LANES], out[LANES];
    bool is_signed = code == XG_K_OP_SITOFP || code == XG_K_OP_FPTOSI,
         to_int = code == XG_K_OP_FPTOSI || code == XG_K_OP_FPTOUI;
    machine v;
    uint64_t i;
    int k;
    tests++;
    machine_begin(&v, m, 1);
    v.params[0] = (uint64_t)(uintptr_t)in;
    v.params[1] = (uint64_t)(uintptr_t)out;
    for (i = 0; i < n; i += LANES) {
        for (k = 0; k < LANES; k++)
            in[k] = to_int ? input(from, i + (uint64_t)k)
                           : ((next_random() >> (next_random() % 64)) + (next_random() % 5 - 2)) & mask_of(from);
        memset(out, 0, sizeof out);
        machine_run(&v);
        for (k = 0; k < LANES; k++) {
            double x = to_int ? number_of(from, in[k]) : 0;
            uint64_t want = to_int ? (x != x ? 0 : float_to_int(x, to, is_signed))
                                   : once(to, is_signed ? (long double)sext(from, in[k]) : (long double)in[k]);
            if (want != out[k]) {
                failures++;
                printf("FAIL %s %s to %s %s: 0x%llx gives 0x%llx, not 0x%llx\n", xg_kop_name(code), xg_kelem_name(from),
                    xg_kelem_name(to), target, (unsigned long long)in[k], (unsigned long long)out[k],
                    (unsigned long long)want);
                i = n;
                break;
            }
        }
    }
    machine_end(&v);
    xg_arena_reset(&arena, mark);
}
int main(int argc, char **argv) {
    static const char *const targets[3] = {"sm_75", "sm_80", "sm_90"};
    static const xg_kelem ints[4] = {XG_E_I8, XG_E_I16, XG_E_I32, XG_E_I64};
    static uint64_t n = 20000;
    static const char *only;
    static bool table;
    size_t i;
    int t, a, b;
    jmp_buf here;
    for (t = 1; t < argc; t++) {
        if (strcmp(argv[t], "-n") == 0 && t + 1 < argc)
            n = (uint64_t)strtod(argv[++t], NULL);
        else if (strcmp(argv[t], "-f") == 0 && t + 1 < argc)
            only = argv[++t];
        else if (strcmp(argv[t], "-t") == 0)
            table = true;
        else if (strcmp(argv[t], "-e") == 0)
            interpret_exact = true;
    }
    xg_ctx_init(&ctx, NULL, 0);
    xg_arena_init(&arena, &ctx);
    if (setjmp(here)) {
        printf("FAIL %s\n", ctx.message);
        return 1;
    }
    (void)xg_try(&ctx, &here);
    if (table)
        printf("| function | f32 ulp | ops | f64 ulp | ops | bf16 ulp | ops | f16 ulp | ops "
               "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (i = 0; i < XG_COUNT(rows); i++)
        if (!only || strcmp(only, rows[i].name) == 0) test_math(&rows[i], n, table);
    if (!only || strcmp(only, "convert") == 0)
        for (t = 0; t < 3; t++) {
            for (a = XG_E_BF16; a <= XG_E_F6E3M2FN; a++)
                for (b = XG_E_BF16; b <= XG_E_F6E3M2FN; b++)
                    if (a != b) test_convert((xg_kelem)a, (xg_kelem)b, targets[t], n);
            for (a = 0; a < 4; a++)
                for (b = XG_E_BF16; b <= XG_E_F64; b++) {
                    test_int(XG_K_OP_SITOFP, ints[a], (xg_kelem)b, targets[t], n);
                    test_int(XG_K_OP_UITOFP, ints[a], (xg_kelem)b, targets[t], n);
                    test_int(XG_K_OP_FPTOSI, (xg_kelem)b, ints[a], targets[t], n);
                    test_int(XG_K_OP_FPTOUI, (xg_kelem)b, ints[a], targets[t], n);
                }
        }
    if (!table) printf("%d passed, %d failed\n", tests - failures, failures);
    xg_arena_free(&arena);
    return failures != 0;
}
