/* tests/programs/interpret.h -- an interpreter of low-level kernel IR, one operation at a time over a block of threads,
 * for the tests of what is made of it.
 *
 * The approximate instructions get an error of their documented size, in a direction that depends on the operand, so
 * that a bound holds for any hardware that keeps its promise; with `interpret_exact` they are correctly rounded
 * instead. */
#ifndef TESTS_INTERPRET_H
#define TESTS_INTERPRET_H
#include <math.h>
#include <stdio.h>
enum {
    LANES = 256
};
/* A block of LANES threads. A value has `width` lanes (of a vector) of LANES items (one a thread) each. Pointers are
 * host addresses. */
typedef struct machine {
    const xg_kmodule *m;
    uint64_t *vals, params[4];
    unsigned char *shared;
    uint32_t width;
} machine;
static uint64_t *lane(machine *v, const xg_kval *x, uint32_t j) {
    return v->vals + ((size_t)x->id * v->width + j) * LANES;
}
static uint64_t *lanes(machine *v, const xg_kval *x) { return lane(v, x, 0); }
static uint32_t width_of(const xg_ktype *t) { return t->kind == XG_TK_VECTOR ? (uint32_t)t->elements : 1; }

static double number_of(xg_kelem e, uint64_t b) {
    return e == XG_E_F64   ? xg_f64_of_bits(b)
           : e == XG_E_F32 ? (double)xg_f32_of_bits((uint32_t)b)
                           : xg_float_decode(xg_kelem_format(e), b);
}
static uint64_t number_to(xg_kelem e, double d) { return xg_float_encode(xg_kelem_format(e), d); }
static uint64_t mask_of(xg_kelem e) {
    int n = e == XG_E_INDEX ? 32 : xg_kelem_bits(e);
    return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1;
}
static int64_t sext(xg_kelem e, uint64_t b) {
    int n = xg_kelem_bits(e);
    return n >= 64 ? (int64_t)b : (int64_t)(b << (64 - n)) >> (64 - n);
}

/* The exact value off by up to `rel`, then rounded: what a machine that just keeps the promise might give. */
/* The upper 64 bits of a product, by halves: not every compiler has integers of 128 bits. */
static uint64_t high_product(uint64_t a, uint64_t b) {
    uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
    uint64_t low = al * bl, one = ah * bl + (low >> 32), two = al * bh + (one & 0xFFFFFFFFu);
    return ah * bh + (one >> 32) + (two >> 32);
}
static bool interpret_exact;
static float approximate(long double exact, double rel, uint64_t salt) {
    static const double part[4] = {1, -1, 0, 0.5};
    if (interpret_exact || exact != exact || exact == 0 || isinf(exact)) return (float)exact;
    { /* never more than two units in the last place, rounding included */
        long double error = fabsl(exact) * (long double)rel, most = 1.5L * ldexpl(1, ilogbl(exact) - 23);
        return (float)(exact + (error < most ? error : most) * (long double)part[(salt * 0x9E3779B97F4A7C15u) >> 62]);
    }
}
static float flush(float f) { return fabsf(f) < FLT_MIN ? copysignf(0, f) : f; }
static uint64_t approx_op(const xg_kop *op, xg_kelem e, uint64_t a) {
    float x = xg_f32_of_bits((uint32_t)a), r = 0;
    bool ftz = (op->flags & XG_KA_FTZ) != 0;
    if (e == XG_E_F64) {
        double given = xg_f64_of_bits(a),
               d = fabs(given) < 2.2250738585072014e-308 ? copysign(0, given) : given; /* .ftz */
        double v = op->op == XG_K_OP_RCPA ? 1 / d : 1 / sqrt(d);
        uint64_t b = xg_f64_bits(v * (1 + 4e-7 * ((a >> 7 & 1) ? 1 : -1))); /* f32 quality, upper word only */
        if (v != v || isinf(v) || v == 0) b = xg_f64_bits(v);
        if (op->op == XG_K_OP_RCPA && fabs(v) < 2.2250738585072014e-308) b = xg_f64_bits(copysign(0, v));
        return b;
    }
    if (ftz) x = flush(x);
    switch (op->op) {
    case XG_K_OP_EX2A: r = approximate(exp2l((long double)x), 1.7e-7, a); break;
    case XG_K_OP_LG2A: {
        long double l = log2l((long double)x);
        r = !interpret_exact && x > 0.5f && x < 2 ? (float)(l + (a & 1 ? 2.3e-7L : -2.3e-7L) * (l != 0))
                                                  : approximate(l, 2.3e-7, a);
        break;
    }
    case XG_K_OP_RCPA: r = approximate(1 / (long double)x, 0.6e-7, a); break;
    default: r = approximate(1 / sqrtl((long double)x), 1.3e-7, a); break;
    }
    return xg_f32_bits(ftz ? flush(r) : r);
}
static bool compare_f(uint32_t p, double x, double y) {
    bool un = x != x || y != y;
    switch (p) {
    case XG_CF_OEQ: return x == y;
    case XG_CF_OGT: return x > y;
    case XG_CF_OGE: return x >= y;
    case XG_CF_OLT: return x < y;
    case XG_CF_OLE: return x <= y;
    case XG_CF_ONE: return !un && x != y;
    case XG_CF_ORD: return !un;
    case XG_CF_UEQ: return un || x == y;
    case XG_CF_UGT: return un || x > y;
    case XG_CF_UGE: return un || x >= y;
    case XG_CF_ULT: return un || x < y;
    case XG_CF_ULE: return un || x <= y;
    case XG_CF_UNE: return un || x != y;
    default: return un;
    }
}
static bool compare_i(uint32_t p, xg_kelem e, uint64_t x, uint64_t y) {
    int64_t a = sext(e, x), b = sext(e, y);
    switch (p) {
    case XG_CI_EQ: return x == y;
    case XG_CI_NE: return x != y;
    case XG_CI_SLT: return a < b;
    case XG_CI_SLE: return a <= b;
    case XG_CI_SGT: return a > b;
    case XG_CI_SGE: return a >= b;
    case XG_CI_ULT: return x < y;
    case XG_CI_ULE: return x <= y;
    case XG_CI_UGT: return x > y;
    default: return x >= y;
    }
}
static uint64_t float_to_int(double x, xg_kelem to, bool is_signed) {
    int n = xg_kelem_bits(to);
    double lo = is_signed ? -ldexp(1, n - 1) : 0, hi = is_signed ? ldexp(1, n - 1) : ldexp(1, n);
    if (x != x) return n == 64 ? (uint64_t)1 << 63 : 0;
    x = trunc(x);
    if (x <= lo) return is_signed ? (uint64_t)1 << (n - 1) : 0;
    if (x >= hi) return is_signed ? ((uint64_t)1 << (n - 1)) - 1 : mask_of(to);
    return is_signed ? (uint64_t)(int64_t)x & mask_of(to) : (uint64_t)x;
}
static double maximum(double x, double y, bool is_max, bool nan) {
    if (x != x || y != y) return nan ? (double)NAN : x != x ? y : x;
    if (x == y) return (signbit(x) != 0) == is_max ? y : x;
    return (x > y) == is_max ? x : y;
}
static uint64_t one(const xg_kop *op, xg_kelem e, xg_kelem r, uint64_t a, uint64_t b, uint64_t c) {
    double x = 0, y = 0, z = 0;
    bool is32 = e == XG_E_F32;
    if (xg_kelem_is_float(e) && op->op != XG_K_OP_BITCAST && op->op != XG_K_OP_SELECT) {
        x = number_of(e, a);
        y = number_of(e, b);
        z = number_of(e, c);
    }
    switch (op->op) {
    case XG_K_OP_ADDI: return a + b;
    case XG_K_OP_SUBI: return a - b;
    case XG_K_OP_MULI: return a * b;
    case XG_K_OP_MULHSI:
        return e == XG_E_I64 ? high_product(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0)
                             : (uint64_t)(sext(e, a) * sext(e, b) >> xg_kelem_bits(e));
    case XG_K_OP_MULHUI: return e == XG_E_I64 ? high_product(a, b) : a * b >> xg_kelem_bits(e);
    case XG_K_OP_MULWIDES: return (uint64_t)(sext(e, a) * sext(e, b));
    case XG_K_OP_MULWIDEU: return a * b;
    case XG_K_OP_ANDI: return a & b;
    case XG_K_OP_ORI: return a | b;
    case XG_K_OP_XORI: return a ^ b;
    case XG_K_OP_SHLI: return b >= (uint64_t)xg_kelem_bits(e) ? 0 : a << b;
    case XG_K_OP_SHRUI: return b >= (uint64_t)xg_kelem_bits(e) ? 0 : a >> b;
    case XG_K_OP_SHRSI:
        return (uint64_t)(sext(e, a) >> (b >= (uint64_t)xg_kelem_bits(e) ? (uint64_t)xg_kelem_bits(e) - 1 : b));
    case XG_K_OP_MAXSI: return sext(e, a) > sext(e, b) ? a : b;
    case XG_K_OP_MINSI: return sext(e, a) < sext(e, b) ? a : b;
    case XG_K_OP_MAXUI: return a > b ? a : b;
    case XG_K_OP_MINUI: return a < b ? a : b;
    case XG_K_OP_DIVSI: return b == 0 ? ~(uint64_t)0 : sext(e, b) == -1 ? 0 - a : (uint64_t)(sext(e, a) / sext(e, b));
    case XG_K_OP_DIVUI: return b == 0 ? ~(uint64_t)0 : a / b;
    case XG_K_OP_REMSI: return b == 0 ? a : sext(e, b) == -1 ? 0 : (uint64_t)(sext(e, a) % sext(e, b));
    case XG_K_OP_REMUI: return b == 0 ? a : a % b;
    case XG_K_OP_CTPOP: {
        uint64_t n = 0;
        for (; a; a &= a - 1) n++;
        return n;
    }
    case XG_K_OP_CTLZ: {
        uint64_t n = 0;
        int w = xg_kelem_bits(e);
        while (n < (uint64_t)w && !(a >> (w - 1 - (int)n) & 1)) n++;
        return n;
    }
    case XG_K_OP_SHFL3: return (a << 32 | b) >> (c & 31);
    case XG_K_OP_CMPI: return compare_i(op->flags, e, a, b);
    case XG_K_OP_CMPF: return compare_f(op->flags, x, y);
    case XG_K_OP_SELECT: return a & 1 ? b : c;
    case XG_K_OP_EXTSI: return (uint64_t)sext(e, a);
    case XG_K_OP_EXTUI:
    case XG_K_OP_TRUNCI:
    case XG_K_OP_BITCAST:
    case XG_K_OP_INDEX_CAST: return a;
    case XG_K_OP_SITOFP: return r == XG_E_F32 ? xg_f32_bits((float)sext(e, a)) : xg_f64_bits((double)sext(e, a));
    case XG_K_OP_UITOFP: return r == XG_E_F32 ? xg_f32_bits((float)a) : xg_f64_bits((double)a);
    case XG_K_OP_FPTOSI: return float_to_int(x, r, true);
    case XG_K_OP_FPTOUI: return float_to_int(x, r, false);
    case XG_K_OP_TRUNCF:
        if (op->flags == XG_PTX_SATURATES) { /* the machine's conversion to f8 */
            uint64_t top = xg_float_format_of(xg_kelem_format(r))->max_bits, q = number_to(r, x);
            return x != x ? 0x7F : (q & 0x7F) > top ? (q & 0x80) | top : q;
        }
        return number_to(r, x);
    case XG_K_OP_EXTF: return number_to(r, x);
    case XG_K_OP_ADDF:
        return is32 ? xg_f32_bits(xg_f32_of_bits((uint32_t)a) + xg_f32_of_bits((uint32_t)b)) : number_to(e, x + y);
    case XG_K_OP_SUBF:
        return is32 ? xg_f32_bits(xg_f32_of_bits((uint32_t)a) - xg_f32_of_bits((uint32_t)b)) : number_to(e, x - y);
    case XG_K_OP_MULF:
        return is32 ? xg_f32_bits(xg_f32_of_bits((uint32_t)a) * xg_f32_of_bits((uint32_t)b)) : number_to(e, x * y);
    case XG_K_OP_DIVF:
        return is32 ? xg_f32_bits(xg_f32_of_bits((uint32_t)a) / xg_f32_of_bits((uint32_t)b)) : number_to(e, x / y);
    case XG_K_OP_DIVFULL:
        return xg_f32_bits(approximate(
            (long double)xg_f32_of_bits((uint32_t)a) / (long double)xg_f32_of_bits((uint32_t)b), 1e-7, a ^ b));
    case XG_K_OP_SQRT: return is32 ? xg_f32_bits(sqrtf(xg_f32_of_bits((uint32_t)a))) : number_to(e, sqrt(x));
    /* 16 bits: x * y + z is exact in f64 or nearly */
    case XG_K_OP_FMA:
        return is32 ? xg_f32_bits(
                          fmaf(xg_f32_of_bits((uint32_t)a), xg_f32_of_bits((uint32_t)b), xg_f32_of_bits((uint32_t)c)))
                    : number_to(e, fma(x, y, z));
    case XG_K_OP_NEGF: return a ^ (mask_of(e) / 2 + 1);
    case XG_K_OP_ABSF: return a & (mask_of(e) / 2);
    case XG_K_OP_COPYSIGN: return (a & (mask_of(e) / 2)) | (b & (mask_of(e) / 2 + 1));
    case XG_K_OP_MAXF: return number_to(e, maximum(x, y, true, true));
    case XG_K_OP_MINF: return number_to(e, maximum(x, y, false, true));
    case XG_K_OP_MAXNUMF: return number_to(e, maximum(x, y, true, false));
    case XG_K_OP_MINNUMF: return number_to(e, maximum(x, y, false, false));
    case XG_K_OP_TRUNC: return number_to(e, trunc(x));
    case XG_K_OP_FLOOR: return number_to(e, floor(x));
    case XG_K_OP_CEIL: return number_to(e, ceil(x));
    case XG_K_OP_ROUNDEVEN: return number_to(e, rint(x));
    case XG_K_OP_EX2A:
    case XG_K_OP_LG2A:
    case XG_K_OP_RCPA:
    case XG_K_OP_RSQRTA: return approx_op(op, e, a);
    default: fprintf(stderr, "the interpreter lacks %s\n", xg_kop_name(op->op)); exit(2);
    }
}
static void region(machine *v, const xg_kregion *r, const bool *active);
static bool any(const bool *a) {
    int k;
    for (k = 0; k < LANES; k++)
        if (a[k]) return true;
    return false;
}
static void assign(machine *v, const xg_kval *to, const xg_kval *from, const bool *when) {
    uint32_t j, n = width_of(to->type);
    int k;
    for (j = 0; j < n; j++) {
        uint64_t *t = lane(v, to, j), *f = lane(v, from, j);
        for (k = 0; k < LANES; k++)
            if (when[k]) t[k] = f[k];
    }
}
/* What an edge carries, all at once: sources are read before any destination is written. */
static void assign_all(
    machine *v, const xg_kval *to, const xg_kop *from, uint32_t first, uint32_t n, const bool *when) {
    uint64_t *copy = (uint64_t *)malloc((size_t)n * v->width * LANES * sizeof *copy + 1);
    uint32_t i, j;
    int k;
    for (i = 0; i < n; i++)
        memcpy(copy + (size_t)i * v->width * LANES, lanes(v, from->operands[first + i].value),
            (size_t)width_of(to[i].type) * LANES * sizeof *copy);
    for (i = 0; i < n; i++)
        for (j = 0; j < width_of(to[i].type); j++) {
            uint64_t *t = lane(v, &to[i], j);
            for (k = 0; k < LANES; k++)
                if (when[k]) t[k] = copy[((size_t)i * v->width + j) * LANES + (size_t)k];
        }
    free(copy);
}
static void run_for(machine *v, const xg_kop *op, const bool *active) {
    const xg_kregion *r = op->regions[0];
    bool now[LANES];
    uint64_t *iv = lanes(v, &r->args[0]), *hi = lanes(v, op->operands[1].value),
             *step = lanes(v, op->operands[2].value);
    uint32_t i;
    int k;
    assign(v, &r->args[0], op->operands[0].value, active);
    assign_all(v, r->args + 1, op, 3, op->n_results, active);
    for (;;) {
        for (k = 0; k < LANES; k++) now[k] = active[k] && sext(XG_E_I32, iv[k]) < sext(XG_E_I32, hi[k]);
        if (!any(now)) break;
        region(v, r, now);
        assign_all(v, r->args + 1, r->last, 0, op->n_results, now);
        for (k = 0; k < LANES; k++)
            if (now[k]) iv[k] += step[k];
    }
    for (i = 0; i < op->n_results; i++) assign(v, &op->results[i], &r->args[1 + i], active);
}
static void run_while(machine *v, const xg_kop *op, const bool *active) {
    const xg_kregion *before = op->regions[0], *after = op->regions[1];
    bool now[LANES];
    uint32_t i;
    int k;
    memcpy(now, active, sizeof now);
    assign_all(v, before->args, op, 0, before->n_args, now);
    while (any(now)) {
        const uint64_t *go;
        region(v, before, now);
        assign_all(v, op->results, before->last, 1, op->n_results, now);
        go = lanes(v, before->last->operands[0].value);
        for (k = 0; k < LANES; k++) now[k] = now[k] && (go[k] & 1);
        for (i = 0; i < after->n_args; i++) assign(v, &after->args[i], &op->results[i], now);
        region(v, after, now);
        assign_all(v, before->args, after->last, 0, before->n_args, now);
    }
}
static void run_if(machine *v, const xg_kop *op, const bool *active) {
    const uint64_t *c = lanes(v, op->operands[0].value);
    bool yes[LANES], no[LANES];
    int k;
    for (k = 0; k < LANES; k++) {
        yes[k] = active[k] && (c[k] & 1);
        no[k] = active[k] && !(c[k] & 1);
    }
    if (any(yes)) {
        region(v, op->regions[0], yes);
        assign_all(v, op->results, op->regions[0]->last, 0, op->n_results, yes);
    }
    if (any(no)) {
        region(v, op->regions[1], no);
        assign_all(v, op->results, op->regions[1]->last, 0, op->n_results, no);
    }
}
static void run_memory(machine *v, const xg_kop *op, const bool *active) {
    bool is_load = op->op == XG_K_OP_LOAD;
    const xg_kval *x = is_load ? op->results : op->operands[0].value, *ptr = op->operands[is_load ? 0 : 1].value;
    const uint64_t *at = lanes(v, ptr);
    size_t bytes = (size_t)xg_kelem_bytes(x->type->elem);
    uint32_t j;
    int k;
    for (j = 0; j < width_of(x->type); j++)
        for (k = 0; k < LANES; k++)
            if (active[k]) {
                char *p = (char *)(uintptr_t)at[k] + j * bytes;
                if (is_load) {
                    lane(v, x, j)[k] = 0;
                    memcpy(&lane(v, x, j)[k], p, bytes);
                    lane(v, x, j)[k] &= mask_of(x->type->elem);
                } else
                    memcpy(p, &lane(v, x, j)[k], bytes);
            }
}
static void run_bitcast(machine *v, const xg_kop *op) {
    const xg_kval *x = op->operands[0].value, *r = op->results;
    uint32_t n = width_of(x->type), m = width_of(r->type), j;
    int bits = xg_kelem_bits(x->type->elem), to = xg_kelem_bits(r->type->elem), k, i;
    for (k = 0; k < LANES; k++) {
        unsigned char bytes[128];
        if (n == m) {
            for (j = 0; j < n; j++) lane(v, r, j)[k] = lane(v, x, j)[k];
            continue;
        }
        for (j = 0; j < n; j++)
            for (i = 0; i < bits / 8; i++)
                bytes[j * (uint32_t)bits / 8 + (uint32_t)i] = (unsigned char)(lane(v, x, j)[k] >> (8 * i));
        for (j = 0; j < m; j++) {
            uint64_t b = 0;
            memcpy(&b, bytes + j * (uint32_t)to / 8, (size_t)to / 8);
            lane(v, r, j)[k] = b;
        }
    }
}
static void run_vector(machine *v, const xg_kop *op) {
    bool insert = op->op == XG_K_OP_VINSERT;
    const xg_kval *vec = op->operands[insert ? 1 : 0].value, *index = op->operands[insert ? 2 : 1].value;
    uint32_t n = width_of(vec->type), j;
    int k;
    for (k = 0; k < LANES; k++) {
        uint64_t at = lanes(v, index)[k];
        if (insert)
            for (j = 0; j < n; j++)
                lane(v, op->results, j)[k] = j == at ? lanes(v, op->operands[0].value)[k] : lane(v, vec, j)[k];
        else
            lanes(v, op->results)[k] = at < n ? lane(v, vec, (uint32_t)at)[k] : 0;
    }
}
static void region(machine *v, const xg_kregion *r, const bool *active) {
    const xg_kop *op;
    int k;
    uint32_t i, j;
    for (op = r->first; op; op = op->next) {
        uint64_t *d = op->n_results ? lanes(v, op->results) : NULL, *s[3];
        xg_kelem e, t;
        switch (op->op) {
        case XG_K_OP_YIELD:
        case XG_K_OP_RETURN:
        case XG_K_OP_CONDITION:
        case XG_K_OP_BARRIER: continue;
        case XG_K_OP_CONST:
            for (j = 0; j < width_of(op->results->type); j++)
                for (k = 0; k < LANES; k++)
                    lane(v, op->results, j)[k] = (uint64_t)op->a & mask_of(op->results[0].type->elem);
            continue;
        case XG_K_OP_THREAD_ID:
            for (k = 0; k < LANES; k++) d[k] = (uint64_t)k;
            continue;
        case XG_K_OP_SHARED_PTR:
            for (k = 0; k < LANES; k++) d[k] = (uint64_t)(uintptr_t)v->shared;
            continue;
        case XG_K_OP_PTR_ADD: {
            const xg_kval *p = op->operands[0].value, *x = op->operands[1].value;
            for (k = 0; k < LANES; k++)
                d[k] = (p->def ? lanes(v, p)[k] : v->params[p->index]) +
                       lanes(v, x)[k] * (uint64_t)(op->a ? op->a : 1) + (uint64_t)op->b;
            continue;
        }
        case XG_K_OP_LOAD:
        case XG_K_OP_STORE: run_memory(v, op, active); continue;
        case XG_K_OP_FOR: run_for(v, op, active); continue;
        case XG_K_OP_WHILE: run_while(v, op, active); continue;
        case XG_K_OP_IF: run_if(v, op, active); continue;
        case XG_K_OP_BITCAST: run_bitcast(v, op); continue;
        case XG_K_OP_VEXTRACT:
        case XG_K_OP_VINSERT: run_vector(v, op); continue;
        default: break;
        }
        e = op->operands[0].value->type->elem;
        if (op->op == XG_K_OP_SELECT) e = op->operands[1].value->type->elem;
        t = op->results[0].type->elem;
        for (j = 0; j < width_of(op->results->type); j++) {
            for (i = 0; i < 3; i++) {
                const xg_kval *x = op->operands[i < op->n_operands ? i : 0].value;
                s[i] = lane(v, x, width_of(x->type) > 1 ? j : 0);
            }
            d = lane(v, op->results, j);
            for (k = 0; k < LANES; k++) d[k] = one(op, e, t, s[0][k], s[1][k], s[2][k]) & mask_of(t);
        }
    }
}
static void machine_begin(machine *v, const xg_kmodule *m, uint32_t width) {
    memset(v, 0, sizeof *v);
    v->m = m;
    v->width = width;
    v->vals = (uint64_t *)calloc(((size_t)m->n_ids + 1) * width, LANES * sizeof *v->vals);
}
static void machine_run(machine *v) {
    bool active[LANES];
    int k;
    for (k = 0; k < LANES; k++) active[k] = true;
    region(v, v->m->entry->body, active);
}
static void machine_end(machine *v) { free(v->vals); }
#endif
