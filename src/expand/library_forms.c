/* expand/library_forms.c -- what calls of XLA's libraries have in common: operands, results, options. */
#ifndef XG_EXPAND_LIBRARY_FORMS_C
#define XG_EXPAND_LIBRARY_FORMS_C
#include "expand.h"
#include "../base/number.h"
#include "../eval/eval.h"
#include "linear_expander.c"

/* The array that is the first result. */
XG_FN const xg_shape *xg_library_result(const xg_inst *i) {
    return i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems ? i->shape->elems[0] : NULL : i->shape;
}
XG_FN bool xg_library_is_dense(const xg_shape *s) { return s && xg_shape_is_array(s) && !s->dynamic && s->elements; }
/* Operands first .. and the first result are arrays without dynamic dimensions. */
XG_FN bool xg_library_is_given(const xg_inst *i, uint32_t least, uint32_t most) {
    uint32_t k;
    if (i->n_operands < least || i->n_operands > most || !xg_library_is_dense(xg_library_result(i))) return false;
    for (k = 0; k < i->n_operands; k++)
        if (!xg_library_is_dense(XG_OPERAND(i, k)->shape)) return false;
    return true;
}
/* The same, and further results are at most one workspace. */
XG_FN bool xg_library_is_plain(const xg_inst *i, uint32_t least, uint32_t most) {
    return xg_library_is_given(i, least, most) &&
           (i->shape->type != XLAGPU_TUPLE || i->shape->n_elems == 1 ||
               (i->shape->n_elems == 2 && xg_shape_is_array(i->shape->elems[1]) && i->shape->elems[1]->rank == 1));
}
/* The first result, up to two more, and a workspace, as the call has them. */
XG_FN xg_inst *xg_library_results(const xg_hb *b, const xg_inst *i, xg_inst **out, uint32_t n) {
    uint32_t k;
    for (k = 0; k < i->shape->n_elems; k++) {
        const xg_shape *s = i->shape->elems[k];
        out[k] = k < n ? xg_hb_as(b, xg_hb_convert(b, out[k], s->type), s)
                       : xg_linear_number(b, s->type, 0, s->dims, s->rank);
    }
    return xg_hb_tuple(b, out, i->shape->n_elems);
}
XG_FN xg_inst *xg_library_done(const xg_hb *b, const xg_inst *i, xg_inst *x) {
    const xg_shape *s = xg_library_result(i);
    xg_inst *out[2];
    out[0] = xg_hb_convert(b, x, s->type);
    if (i->shape->type != XLAGPU_TUPLE) return out[0];
    out[0] = xg_hb_as(b, out[0], s);
    if (i->shape->n_elems == 2) out[1] = xg_linear_number(b, i->shape->elems[1]->type, 0, i->shape->elems[1]->dims, 1);
    return xg_hb_tuple(b, out, i->shape->n_elems);
}
XG_FN double xg_library_number(const xg_inst *i, const char *name, double otherwise) {
    xg_str v = xg_call_option(i, name);
    double d = otherwise;
    bool overflow = false;
    return v.n && xg_float_parse(v.p, v.n, &d, &overflow) ? d : otherwise;
}
/* A list of numbers, in quotes or not. */
XG_FN xg_ints xg_library_list(const xg_hb *b, xg_str v) {
    int64_t *p = XG_NEW_N(b->comp->module->arena, int64_t, XG_RANK_MAX);
    xg_ints list;
    uint32_t k;
    list.p = p;
    list.n = 0;
    for (k = 0; k < v.n && v.p[k] != ']' && list.n < XG_RANK_MAX; k++) {
        if (v.p[k] < '0' || v.p[k] > '9') continue;
        for (p[list.n] = 0; k < v.n && v.p[k] >= '0' && v.p[k] <= '9'; k++)
            p[list.n] = XG_MIN(p[list.n] * 10 + (v.p[k] - '0'), (int64_t)XG_RANK_MAX);
        list.n++;
        k--;
    }
    return list;
}
XG_FN xg_ints xg_library_ints(const xg_hb *b, const xg_inst *i, const char *name) {
    return xg_library_list(b, xg_call_option(i, name));
}
XG_FN bool xg_library_is(const xg_inst *i, const char *name, const char *value) {
    xg_str v = xg_call_option(i, name);
    size_t n = strlen(value);
    if (v.n && v.p[0] == '"') v = xg_str_of(v.p + 1, v.n - 1);
    return v.n > n && memcmp(v.p, value, n) == 0 && v.p[n] == '"';
}
XG_FN xg_inst *xg_library_scale(const xg_hb *b, xg_inst *x, double by) {
    return by == 1 ? x : xg_hb_mul(b, x, xg_linear_number(b, x->shape->type, by, x->shape->dims, x->shape->rank));
}
XG_FN xg_inst *xg_library_at_least_zero(const xg_hb *b, xg_inst *x) {
    return xg_hb_2(b, XG_MAXIMUM, x, xg_linear_number(b, x->shape->type, 0, x->shape->dims, x->shape->rank));
}

#endif /* XG_EXPAND_LIBRARY_FORMS_C */
