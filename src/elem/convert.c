/* elem/convert.c -- element type conversions as HLO defines them.
 *
 * Laws: float to integer truncates toward zero, saturates, and NaN gives 0; to pred is "is not zero" (NaN is true);
 * integers wrap when they narrow and widen by the source's signedness; floats round once to nearest even. */
#ifndef XG_ELEM_CONVERT_C
#define XG_ELEM_CONVERT_C
#include "elem.h"
#include "scalar.c"

/* Does every value of `from` exist in `to`? */
XG_FN bool xg_convert_is_exact(xlagpu_type from, xlagpu_type to) {
    const xg_float_format *f = xg_float_format_of(from), *t = xg_float_format_of(to);
    return t->bits > f->bits && xg_float_holds(t, f);
}

XG_FN xg_kval *xg_convert_float(xg_kb *b, xg_kval *x, xlagpu_type from, xlagpu_type to) {
    xg_kelem te = xg_kelem_of(to);
    if (from == to) return x;
    if (xg_convert_is_exact(from, to)) return xg_kcast(b, XG_K_OP_EXTF, x, te);
    if (xg_type_bits(from) <= 16 && from != XLAGPU_F32)
        x = xg_kcast(b, XG_K_OP_EXTF, x, XG_E_F32); /* exact; then one rounding */
    return x->type->elem == te ? x : xg_kcast(b, XG_K_OP_TRUNCF, x, te);
}

XG_FN xg_kval *xg_convert_int(xg_kb *b, xg_kval *x, xlagpu_type from, xlagpu_type to) {
    xg_kelem fe = xg_kelem_of(from), te = xg_kelem_of(to);
    int fb = xg_kelem_bits(fe), tb = xg_kelem_bits(te);
    if (from == to) return x;
    if (tb < fb)
        x = xg_kcast(b, XG_K_OP_TRUNCI, x, te);
    else if (tb > fb)
        x = xg_kcast(b, xg_type_signed(from) ? XG_K_OP_EXTSI : XG_K_OP_EXTUI, x, te);
    return xg_scalar_wrap(b, x, to);
}

XG_FN xg_kval *xg_convert_float_to_int(xg_kb *b, xg_kval *x, xlagpu_type to) {
    bool is_signed = xg_type_signed(to);
    int bits = xg_type_bits(to);
    xg_kval *v = xg_kcast(b, is_signed ? XG_K_OP_FPTOSI : XG_K_OP_FPTOUI, xg_scalar_widen(b, x), xg_kelem_of(to));
    if (bits >= 8) return v;
    if (!is_signed) return xg_k2_int(b, XG_K_OP_MINUI, v, (1 << bits) - 1);
    v = xg_k2_int(b, XG_K_OP_MINSI, v, (1 << (bits - 1)) - 1);
    return xg_k2_int(b, XG_K_OP_MAXSI, v, -(1 << (bits - 1)));
}

/* Integers to f8 and smaller go through f32, where all that do not overflow the small format are exact enough: a value
 * that f32 rounds lies far beyond its largest finite number. The others round once in the target's own conversion. */
XG_FN xg_kval *xg_convert_int_to_float(xg_kb *b, xg_kval *x, xlagpu_type from, xlagpu_type to) {
    xg_kelem te = xg_kelem_of(to);
    xg_kopcode op = xg_type_signed(from) ? XG_K_OP_SITOFP : XG_K_OP_UITOFP;
    if (xg_type_bits(to) > 8) return xg_kcast(b, op, x, te);
    return xg_kcast(b, XG_K_OP_TRUNCF, xg_kcast(b, op, x, XG_E_F32), te);
}

XG_FN xg_kval *xg_scalar_convert(xg_kb *b, xg_kval *x, xlagpu_type from, xlagpu_type to) {
    int fc = xg_type_class(from), tc = xg_type_class(to);
    if (from == to) return x;
    if (tc == XGT_P) {
        if (fc == XGT_I) return xg_kcmpi_int(b, XG_CI_NE, x, 0);
        x = xg_scalar_widen(b, x);
        return xg_kcmpf_(b, XG_CF_UNE, x, xg_kconst_float(b, x->type->elem, 0));
    }
    if (fc == XGT_P) {
        if (tc == XGT_I) return xg_scalar_wrap(b, xg_kextui(b, x, xg_kelem_of(to)), to);
        if (xg_type_bits(to) <= 8)
            return xg_kcast(b, XG_K_OP_TRUNCF, xg_kcast(b, XG_K_OP_UITOFP, x, XG_E_F32), xg_kelem_of(to));
        return xg_kcast(b, XG_K_OP_UITOFP, x, xg_kelem_of(to));
    }
    if (fc == XGT_I) return tc == XGT_I ? xg_convert_int(b, x, from, to) : xg_convert_int_to_float(b, x, from, to);
    return tc == XGT_I ? xg_convert_float_to_int(b, x, to) : xg_convert_float(b, x, from, to);
}

/* stochastic-convert: |x| truncated, plus one with the probability of its fraction: the random bits, read as a fraction
 * of 2^width, are compared with the fraction. Saturates; NaN gives 0. */
XG_FN xg_kval *xg_scalar_stochastic(xg_kb *b, xg_kval *x, xg_kval *random, xlagpu_type to) {
    xg_kelem e = x->type->elem, work = e == XG_E_F64 ? XG_E_F64 : XG_E_F32, te = xg_kelem_of(to);
    int width = xg_kelem_bits(random->type->elem), bits = xg_type_bits(to);
    double top = ldexp(1.0, bits - 1);
    xg_kval *w = e == work ? x : xg_kcast(b, XG_K_OP_EXTF, x, work), *a = xg_k1(b, XG_K_OP_ABSF, w),
            *whole = xg_k1(b, XG_K_OP_FLOOR, a);
    xg_kval *fraction =
        XG_KOP2(b, XG_K_OP_MULF, XG_KOP2(b, XG_K_OP_SUBF, a, whole), xg_kconst_float(b, work, ldexp(1.0, width)));
    xg_kval *up = xg_kcmpi_(b, XG_CI_ULT, random, xg_kcast(b, XG_K_OP_FPTOUI, fraction, random->type->elem));
    xg_kval *n = xg_kcast(b, XG_K_OP_FPTOSI, a, te),
            *negative = xg_kcmpf_(b, XG_CF_OLT, w, xg_kconst_float(b, work, 0)), *r;
    n = xg_kaddi(b, n, xg_kextui(b, up, te));
    r = xg_kselect(b, negative, xg_ksubi(b, xg_kconst_int(b, te, 0), n), n);
    r = XG_KSELECT(b, XG_KCMPF(b, XG_CF_OGE, w, xg_kconst_float(b, work, top)),
        xg_kconst_int(b, te, bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1), r);
    return XG_KSELECT(
        b, XG_KCMPF(b, XG_CF_OLE, w, xg_kconst_float(b, work, -top)), xg_kconst_int(b, te, xg_scalar_min_int(to)), r);
}

#endif /* XG_ELEM_CONVERT_C */
