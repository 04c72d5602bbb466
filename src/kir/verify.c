/* kir/verify.c -- what every module must keep, whatever pass it comes from.
 *
 * Structure: numbers of operands, results and regions as the table says; a terminator ends each region and stands
 * nowhere else; each operand is defined before, in the same region or one around it; use lists and parents agree. Then
 * the rule of each operation's row, xg_kir_check_<types>: it answers NULL or what is wrong. Last the entry law: a
 * destination is used by one insert, loop or branch of a chain that the function returns.
 * A failure is a bug of the pass that came before, so it names function, operation and rule. */
#ifndef XG_KIR_VERIFY_C
#define XG_KIR_VERIFY_C
#include "kir.h"
#include "build.c"

typedef struct xg_kverifier {
    const xg_kmodule *m;
    const xg_kfunc *f;
    uint8_t *defined;
    uint32_t depth;
} xg_kverifier;

XG_NORETURN XG_FN void xg_kverify_fail(const xg_kverifier *v, const xg_kop *op, const char *rule) {
    xg_fail(v->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR, function @%.*s, operation %s (id %u): %s", (int)v->f->name.n,
        v->f->name.p, op ? xg_kop_name(op->op) : "(none)", op ? op->id : 0, rule);
}

/* ---- rules of types: X(word) has xg_kir_check_<word> ---- */

XG_FN const xg_ktype *xg_kt(const xg_kop *op, uint32_t k) { return op->operands[k].value->type; }
XG_FN const xg_ktype *xg_kr(const xg_kop *op) { return op->results[0].type; }
XG_FN bool xg_kt_value(const xg_ktype *t) { return t->kind == XG_TK_SCALAR || t->kind == XG_TK_VECTOR; }
XG_FN bool xg_kt_int(const xg_ktype *t) { return xg_kt_value(t) && xg_kelem_is_int(t->elem); }
XG_FN bool xg_kt_float(const xg_ktype *t) { return xg_kt_value(t) && xg_kelem_is_float(t->elem); }
XG_FN bool xg_kt_computes(const xg_ktype *t) { return xg_kt_float(t) && t->elem <= XG_E_F64; }
XG_FN bool xg_kt_index(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_INDEX; }
XG_FN bool xg_kt_bool(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I1; }
XG_FN bool xg_kt_same_lanes(const xg_ktype *a, const xg_ktype *b) {
    return a->kind == b->kind && a->elements == b->elements;
}
XG_FN bool xg_kt_all_same(const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++)
        if (xg_kt(op, k) != xg_kr(op)) return false;
    return true;
}
/* n indices of type index behind the first `from` operands, as many as the tensor has dims. */
XG_FN bool xg_kt_indices(const xg_kop *op, uint32_t from, const xg_ktype *tensor) {
    uint32_t k;
    if (tensor->kind != XG_TK_TENSOR || op->n_operands - from != tensor->rank) return false;
    for (k = from; k < op->n_operands; k++)
        if (!xg_kt_index(xg_kt(op, k))) return false;
    return true;
}
/* The operands of an operation, or of none, from `first` on have exactly these values' types. */
XG_FN bool xg_kt_fit(const xg_kval *v, uint32_t n, const xg_kop *from, uint32_t first) {
    uint32_t k;
    if (!from || from->n_operands != first + n) return false;
    for (k = 0; k < n; k++)
        if (xg_kt(from, first + k) != v[k].type) return false;
    return true;
}
XG_FN bool xg_kt_yields(const xg_kop *op, uint32_t r, xg_kopcode code, uint32_t from) {
    const xg_kop *end = xg_kregion_end(op->regions[r]);
    return xg_kt_fit(op->results, op->n_results, end, from) && end->op == code;
}
XG_FN bool xg_kt_carries(const xg_kop *op, uint32_t first_operand, const xg_kregion *r, uint32_t first_arg) {
    return xg_kt_fit(op->results, op->n_results, op, first_operand) && r->n_args == first_arg + op->n_results &&
           xg_kt_fit(r->args + first_arg, op->n_results, op, first_operand);
}

XG_FN const char *xg_kir_check_any(const xg_kop *op) {
    (void)op;
    return NULL;
}
XG_FN const char *xg_kir_check_call(const xg_kop *op) {
    const xg_kfunc *f = (const xg_kfunc *)op->p;
    uint32_t k;
    if (!f || op->n_operands != f->body->n_args || op->n_results != f->n_results)
        return "the call does not fit the function";
    for (k = 0; k < op->n_operands; k++)
        if (xg_kt(op, k) != f->body->args[k].type) return "an argument has not the parameter's type";
    for (k = 0; k < op->n_results; k++)
        if (op->results[k].type != f->results[k]) return "a result has not the function's type";
    return NULL;
}
XG_FN const char *xg_kir_check_for(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t->kind != XG_TK_SCALAR || !xg_kelem_is_int(t->elem) || t->elem == XG_E_I1 || xg_kt(op, 1) != t ||
        xg_kt(op, 2) != t)
        return "bounds and step are integers of one type";
    if (op->regions[0]->n_args == 0 || op->regions[0]->args[0].type != t || !xg_kt_carries(op, 3, op->regions[0], 1))
        return "carried values, arguments and results differ";
    if (!xg_kt_yields(op, 0, XG_K_OP_YIELD, 0)) return "the body does not yield the results";
    return NULL;
}
XG_FN const char *xg_kir_check_if(const xg_kop *op) {
    if (!xg_kt_bool(xg_kt(op, 0))) return "the condition is i1";
    if (op->regions[0]->n_args || op->regions[1]->n_args) return "the regions have no arguments";
    if (!xg_kt_yields(op, 0, XG_K_OP_YIELD, 0) || !xg_kt_yields(op, 1, XG_K_OP_YIELD, 0))
        return "both regions yield the results";
    return NULL;
}
XG_FN const char *xg_kir_check_while(const xg_kop *op) {
    const xg_kregion *before = op->regions[0], *after = op->regions[1];
    if (!xg_kt_fit(before->args, before->n_args, op, 0) || after->n_args != op->n_results)
        return "carried values, arguments and results differ";
    if (!xg_kt_yields(op, 0, XG_K_OP_CONDITION, 1) || !xg_kt_fit(after->args, after->n_args, before->last, 1) ||
        !xg_kt_bool(xg_kt(before->last, 0)))
        return "the first region ends in scf.condition of an i1 and the results";
    if (!xg_kt_fit(before->args, before->n_args, xg_kregion_end(after), 0))
        return "the second region yields the carried values";
    return NULL;
}
XG_FN const char *xg_kir_check_loop(const xg_kop *op) {
    const xg_imap *map = (const xg_imap *)op->p;
    uint32_t k, n;
    if (!map || map->state == XG_IMAP_UNDEFINED || op->a != (int64_t)map->n_dims)
        return "the map is missing, undefined or of other dims";
    n = map->n_syms + map->n_rts + map->n_results;
    if (!xg_kt_carries(op, map->n_dims, op->regions[0], n)) return "carried values, arguments and results differ";
    for (k = 0; k < map->n_dims; k++)
        if (!xg_kt_index(xg_kt(op, k))) return "dims are of type index";
    for (k = 0; k < n; k++)
        if (!xg_kt_index(op->regions[0]->args[k].type)) return "symbols and map results are of type index";
    if (!xg_kt_yields(op, 0, XG_K_OP_YIELD, 0)) return "the body does not yield the results";
    return NULL;
}
XG_FN const char *xg_kir_check_id(const xg_kop *op) {
    if (xg_kr(op)->kind != XG_TK_SCALAR ||
        (xg_kr(op)->elem != XG_E_INDEX && xg_kr(op)->elem != XG_E_I32 && xg_kr(op)->elem != XG_E_I64))
        return "an id is index, i32 or i64";
    return op->flags > 2 || op->a != 0 || op->b < 0 ? "bad axis or range" : NULL;
}
XG_FN const char *xg_kir_check_apply(const xg_kop *op) {
    const xg_imap *map = (const xg_imap *)op->p;
    uint32_t k;
    if (!map || map->state == XG_IMAP_UNDEFINED || map->n_results == 0 || op->n_results != map->n_results ||
        op->n_operands != map->n_dims + map->n_syms + map->n_rts)
        return "the map does not fit";
    for (k = 0; k < op->n_operands; k++)
        if (!xg_kt_index(xg_kt(op, k))) return "operands are of type index";
    return NULL;
}
XG_FN const char *xg_kir_check_extract(const xg_kop *op) {
    if (!xg_kt_indices(op, 1, xg_kt(op, 0))) return "a tensor and one index for each of its dims";
    return xg_kr(op)->kind != XG_TK_SCALAR || xg_kr(op)->elem != xg_kt(op, 0)->elem ? "the result is an element" : NULL;
}
XG_FN const char *xg_kir_check_insert(const xg_kop *op) {
    if (!xg_kt_indices(op, 2, xg_kt(op, 1))) return "a tensor and one index for each of its dims";
    if (xg_kt(op, 0)->kind != XG_TK_SCALAR || xg_kt(op, 0)->elem != xg_kt(op, 1)->elem)
        return "the value is not an element of the tensor";
    return xg_kr(op) != xg_kt(op, 1) ? "the result has the tensor's type" : NULL;
}
XG_FN const char *xg_kir_check_atomic_rmw(const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    const xg_kop *end = xg_kregion_end(r);
    if (!xg_kt_indices(op, 1, xg_kt(op, 0))) return "a tensor and one index for each of its dims";
    if (r->n_args != 1 || !xg_kt_value(r->args[0].type) || r->args[0].type->elem != xg_kt(op, 0)->elem)
        return "the region takes an element, or a vector of elements";
    if (r->args[0].type->kind == XG_TK_VECTOR &&
        (xg_kt(op, 0)->rank != 1 || !end ||
            (end->n_operands == 1 && end->operands[0].value != &r->args[0] && !xg_katomic_addend(r))))
        return "the region of a vector yields its sum with another one";
    if (r->args[0].type->kind == XG_TK_VECTOR && r->args[0].type->elements & (r->args[0].type->elements - 1))
        return "memory adds up two, four or eight elements, or one";
    if (!end || end->op != XG_K_OP_YIELD || end->n_operands != 1 || end->operands[0].value->type != r->args[0].type)
        return "the region yields an element";
    return xg_kr(op) != xg_kt(op, 0) ? "the result has the tensor's type" : NULL;
}
XG_FN const char *xg_kir_check_transfer_read(const xg_kop *op) {
    if (xg_kt(op, 0)->rank != 1 || !xg_kt_indices(op, 1, xg_kt(op, 0))) return "a flat tensor and an index";
    return xg_kr(op)->kind != XG_TK_VECTOR || xg_kr(op)->elem != xg_kt(op, 0)->elem
               ? "the result is a vector of elements"
               : NULL;
}
XG_FN const char *xg_kir_check_transfer_write(const xg_kop *op) {
    if (xg_kt(op, 1)->kind != XG_TK_TENSOR || !xg_kt_index(xg_kt(op, 2))) return "a vector, a tensor and an index";
    if (xg_kt(op, 0)->kind != XG_TK_VECTOR || xg_kt(op, 0)->elem != xg_kt(op, 1)->elem)
        return "the value is not a vector of elements";
    return xg_kr(op) != xg_kt(op, 1) ? "the result has the tensor's type" : NULL;
}
XG_FN const char *xg_kir_check_lane(const xg_kop *op, uint32_t vector, const xg_ktype *elem) {
    const xg_ktype *t = xg_kt(op, vector), *i = xg_kt(op, vector + 1);
    int64_t lane;
    if (t->kind != XG_TK_VECTOR || elem->kind != XG_TK_SCALAR || elem->elem != t->elem)
        return "a vector and its element";
    if (i->kind != XG_TK_SCALAR || !xg_kelem_is_int(i->elem)) return "the lane is an integer";
    return xg_kval_is_const(op->operands[vector + 1].value, &lane) && (lane < 0 || lane >= t->elements)
               ? "there is no such lane"
               : NULL;
}
XG_FN const char *xg_kir_check_vextract(const xg_kop *op) { return xg_kir_check_lane(op, 0, xg_kr(op)); }
XG_FN const char *xg_kir_check_vinsert(const xg_kop *op) {
    return xg_kr(op) != xg_kt(op, 1) ? "the result has the vector's type" : xg_kir_check_lane(op, 1, xg_kt(op, 0));
}
XG_FN const char *xg_kir_check_broadcast(const xg_kop *op) {
    const xg_ktype *from = xg_kt(op, 0), *to = xg_kr(op);
    return from->kind != XG_TK_SCALAR || to->kind != XG_TK_VECTOR || from->elem != to->elem
               ? "a scalar, and a vector of such"
               : NULL;
}
XG_FN const char *xg_kir_check_tensor_result(const xg_kop *op) {
    return xg_kr(op)->kind != XG_TK_TENSOR ? "the result is a tensor" : NULL;
}
XG_FN const char *xg_kir_check_sync(const xg_kop *op) {
    uint32_t k;
    if (op->n_operands != op->n_results) return "as many results as operands";
    for (k = 0; k < op->n_operands; k++)
        if (xg_kt(op, k) != op->results[k].type || xg_kt(op, k)->kind != XG_TK_TENSOR)
            return "tensors, and the same types as results";
    return NULL;
}
XG_FN const char *xg_kir_check_shuffle_reduce(const xg_kop *op) {
    const xg_kfunc *f = (const xg_kfunc *)op->p;
    uint32_t n = op->n_operands, k;
    if (op->a < 1 || op->a > 16 || (op->a & (op->a - 1))) return "the distance is a power of two up to 16";
    if (!f || op->n_results != n || f->n_results != n || f->body->n_args != 2 * n)
        return "the combiner takes two of each value and gives one of each";
    for (k = 0; k < n; k++) {
        const xg_ktype *t = xg_kt(op, k);
        if (t->kind != XG_TK_SCALAR || t->elem == XG_E_INDEX || xg_kelem_is_complex(t->elem))
            return "scalars, neither index nor complex";
        if (op->results[k].type != t || f->results[k] != t || f->body->args[k].type != t ||
            f->body->args[n + k].type != t)
            return "operands, results and the combiner's types differ";
    }
    return NULL;
}
XG_FN const char *xg_kir_check_shuffle(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t != xg_kr(op) || t->kind != XG_TK_SCALAR || (t->elem != XG_E_I32 && t->elem != XG_E_F32))
        return "a value of 32 bits";
    return xg_kt(op, 1)->kind != XG_TK_SCALAR || xg_kt(op, 1)->elem != XG_E_I32 ? "the lane is i32" : NULL;
}
XG_FN const char *xg_kir_check_select(const xg_kop *op) {
    if (xg_kt(op, 1) != xg_kr(op) || xg_kt(op, 2) != xg_kr(op)) return "both values have the result's type";
    if (xg_kr(op)->kind == XG_TK_TENSOR) return "tensors cannot be selected";
    if (xg_kt(op, 0)->elem != XG_E_I1 ||
        (xg_kt(op, 0)->kind != XG_TK_SCALAR && !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op))))
        return "the condition is i1, or a vector of as many";
    return NULL;
}
XG_FN const char *xg_kir_check_comparison(const xg_kop *op) {
    if (xg_kt(op, 0) != xg_kt(op, 1)) return "operands of one type";
    return xg_kr(op)->elem != XG_E_I1 || !xg_kt_same_lanes(xg_kr(op), xg_kt(op, 0)) ? "the result is i1" : NULL;
}
XG_FN const char *xg_kir_check_cmpi(const xg_kop *op) {
    return !xg_kt_int(xg_kt(op, 0))   ? "integers"
           : op->flags >= XG_CI_COUNT ? "bad predicate"
                                      : xg_kir_check_comparison(op);
}
XG_FN const char *xg_kir_check_cmpf(const xg_kop *op) {
    return !xg_kt_computes(xg_kt(op, 0)) ? "floats that compute"
           : op->flags >= XG_CF_COUNT    ? "bad predicate"
                                         : xg_kir_check_comparison(op);
}
XG_FN const char *xg_kir_check_ints(const xg_kop *op) {
    return !xg_kt_int(xg_kr(op)) || !xg_kt_all_same(op) ? "integers of one type" : NULL;
}
XG_FN const char *xg_kir_check_int1(const xg_kop *op) { return xg_kir_check_ints(op); }
XG_FN const char *xg_kir_check_int2(const xg_kop *op) { return xg_kir_check_ints(op); }
XG_FN const char *xg_kir_check_int3(const xg_kop *op) { return xg_kir_check_ints(op); }
XG_FN const char *xg_kir_check_floats(const xg_kop *op) {
    return !xg_kt_computes(xg_kr(op)) || !xg_kt_all_same(op) ? "floats of one type that computes" : NULL;
}
XG_FN const char *xg_kir_check_float1(const xg_kop *op) { return xg_kir_check_floats(op); }
XG_FN const char *xg_kir_check_float2(const xg_kop *op) { return xg_kir_check_floats(op); }
XG_FN const char *xg_kir_check_float3(const xg_kop *op) { return xg_kir_check_floats(op); }
XG_FN int xg_kt_bits(const xg_ktype *t) {
    return t->kind == XG_TK_POINTER ? 64 : xg_kelem_bits(t->elem) * (int)(t->kind == XG_TK_VECTOR ? t->elements : 1);
}
XG_FN const char *xg_kir_check_ext(const xg_kop *op) {
    if (!xg_kt_int(xg_kt(op, 0)) || !xg_kt_int(xg_kr(op)) || !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op)) ||
        xg_kr(op)->elem == XG_E_INDEX || xg_kt(op, 0)->elem == XG_E_INDEX)
        return "integers";
    return xg_kt_bits(xg_kr(op)) <= xg_kt_bits(xg_kt(op, 0)) ? "the result is wider" : NULL;
}
XG_FN const char *xg_kir_check_trunc(const xg_kop *op) {
    if (!xg_kt_int(xg_kt(op, 0)) || !xg_kt_int(xg_kr(op)) || !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op)) ||
        xg_kr(op)->elem == XG_E_INDEX || xg_kt(op, 0)->elem == XG_E_INDEX)
        return "integers";
    return xg_kt_bits(xg_kr(op)) >= xg_kt_bits(xg_kt(op, 0)) ? "the result is narrower" : NULL;
}
XG_FN const char *xg_kir_check_index_cast(const xg_kop *op) {
    if (!xg_kt_int(xg_kt(op, 0)) || !xg_kt_int(xg_kr(op)) || !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op)))
        return "integers";
    return (xg_kt(op, 0)->elem == XG_E_INDEX) == (xg_kr(op)->elem == XG_E_INDEX) ? "one of the two is index" : NULL;
}
XG_FN const char *xg_kir_check_int_to_float(const xg_kop *op) {
    return !xg_kt_int(xg_kt(op, 0)) || xg_kt(op, 0)->elem == XG_E_INDEX || !xg_kt_computes(xg_kr(op)) ||
                   !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op))
               ? "an integer to a float"
               : NULL;
}
XG_FN const char *xg_kir_check_float_to_int(const xg_kop *op) {
    return !xg_kt_computes(xg_kt(op, 0)) || !xg_kt_int(xg_kr(op)) || xg_kr(op)->elem == XG_E_INDEX ||
                   !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op))
               ? "a float to an integer"
               : NULL;
}
XG_FN const char *xg_kir_check_extf(const xg_kop *op) {
    return !xg_kt_float(xg_kt(op, 0)) || !xg_kt_float(xg_kr(op)) || !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op)) ||
                   xg_kt_bits(xg_kr(op)) <= xg_kt_bits(xg_kt(op, 0))
               ? "a float to a wider one"
               : NULL;
}
XG_FN const char *xg_kir_check_truncf(const xg_kop *op) {
    return !xg_kt_float(xg_kt(op, 0)) || !xg_kt_float(xg_kr(op)) || !xg_kt_same_lanes(xg_kt(op, 0), xg_kr(op)) ||
                   xg_kt_bits(xg_kr(op)) > xg_kt_bits(xg_kt(op, 0)) || xg_kr(op) == xg_kt(op, 0)
               ? "a float to another that is not wider"
               : NULL;
}
/* The bits a value takes: floats of four and six bits lie in bytes, alone or in vectors, with zeros above them. */
XG_FN int xg_kt_held(const xg_ktype *t) {
    return xg_kt_float(t) && xg_kelem_bits(t->elem) < 8 ? xg_kt_bits(t) / xg_kelem_bits(t->elem) * 8 : xg_kt_bits(t);
}
XG_FN const char *xg_kir_check_bitcast(const xg_kop *op) {
    const xg_ktype *x = xg_kt(op, 0), *y = xg_kr(op);
    return !xg_kt_value(x) || !xg_kt_value(y) || x->elem == XG_E_INDEX || y->elem == XG_E_INDEX ||
                   xg_kt_held(x) != xg_kt_held(y)
               ? "values of equal width"
               : NULL;
}
XG_FN xg_kelem xg_kpart_of(xg_kelem pair) { return pair == XG_E_C128 ? XG_E_F64 : XG_E_F32; }
XG_FN const char *xg_kir_check_complex_create(const xg_kop *op) {
    return xg_kr(op)->kind != XG_TK_SCALAR || !xg_kelem_is_complex(xg_kr(op)->elem) || xg_kt(op, 0) != xg_kt(op, 1) ||
                   xg_kt(op, 0)->kind != XG_TK_SCALAR || xg_kt(op, 0)->elem != xg_kpart_of(xg_kr(op)->elem)
               ? "two parts make a complex"
               : NULL;
}
XG_FN const char *xg_kir_check_complex_part(const xg_kop *op) {
    return xg_kt(op, 0)->kind != XG_TK_SCALAR || !xg_kelem_is_complex(xg_kt(op, 0)->elem) ||
                   xg_kr(op)->kind != XG_TK_SCALAR || xg_kr(op)->elem != xg_kpart_of(xg_kt(op, 0)->elem)
               ? "a part of a complex"
               : NULL;
}
XG_FN const char *xg_kir_check_wide(const xg_kop *op) {
    bool packs = op->op == XG_K_OP_CVTBF2 || op->op == XG_K_OP_CVTH2;
    return xg_kt(op, 0) != xg_kt(op, 1) || xg_kt(op, 0)->kind != XG_TK_SCALAR || xg_kr(op)->kind != XG_TK_SCALAR ||
                   xg_kt(op, 0)->elem != (packs ? XG_E_F32 : XG_E_I32) ||
                   xg_kr(op)->elem != (packs ? XG_E_I32 : XG_E_I64)
               ? "two i32 give an i64; two f32 an i32"
               : NULL;
}
XG_FN const char *xg_kir_check_ptr_add(const xg_kop *op) {
    const xg_ktype *i = xg_kt(op, 1);
    if (xg_kt(op, 0)->kind != XG_TK_POINTER || xg_kr(op) != xg_kt(op, 0))
        return "a pointer gives a pointer of its space";
    return i->kind != XG_TK_SCALAR || (i->elem != XG_E_I32 && i->elem != XG_E_I64 && i->elem != XG_E_INDEX)
               ? "the index is i32, i64 or index"
               : NULL;
}
XG_FN bool xg_kir_is_rank(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I32; }
XG_FN const char *xg_kir_check_peer(const xg_kop *op) {
    return xg_kt(op, 0)->kind != XG_TK_TENSOR || xg_kr(op) != xg_kt(op, 0) || !xg_kir_is_rank(xg_kt(op, 1))
               ? "a tensor and an i32 give a tensor of that type"
               : NULL;
}
XG_FN const char *xg_kir_check_view(const xg_kop *op) {
    const xg_ktype *from = xg_kt(op, 0), *to = xg_kr(op);
    if (from->kind != XG_TK_TENSOR || to->kind != XG_TK_TENSOR || to->rank != 1) return "a tensor gives a flat tensor";
    return to->elements * xg_kelem_bytes(to->elem) > from->elements * xg_kelem_bytes(from->elem)
               ? "what is seen lies in the tensor"
               : NULL;
}
/* Four of them. */
XG_FN bool xg_kir_is_words(const xg_ktype *t, xg_kelem e) {
    return t->kind == XG_TK_VECTOR && t->elem == e && t->elements == 4;
}
XG_FN const char *xg_kir_check_load_matrix(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t->kind != XG_TK_TENSOR || t->rank != 1 || !xg_kt_index(xg_kt(op, 1))) return "a flat tensor and an index";
    if ((op->flags & XG_KMATRIX_TRANSPOSED) && xg_kelem_bytes(t->elem) != 2) return "16 bits are transposed";
    return xg_kir_is_words(xg_kr(op), XG_E_I32) ? NULL : "four words";
}
XG_FN const char *xg_kir_check_ldmatrix(const xg_kop *op) {
    if (xg_kt(op, 0)->kind != XG_TK_POINTER || xg_kt(op, 0)->space != XG_SPACE_SHARED)
        return "a pointer to shared memory";
    return xg_kir_is_words(xg_kr(op), XG_E_I32) ? NULL : "four words";
}
XG_FN const char *xg_kir_check_mma(const xg_kop *op) {
    xg_kelem sum;
    if (op->flags >= XG_KMMA_COUNT) return "no such types";
    sum = xg_kmma_row_of(op->flags)->sum;
    if (!xg_kir_is_words(xg_kt(op, 0), XG_E_I32) || !xg_kir_is_words(xg_kt(op, 1), XG_E_I32))
        return "the factors are four words each";
    if (xg_kt(op, 2) != xg_kr(op) || !xg_kir_is_words(xg_kr(op), sum)) return "four sums give four sums";
    return op->a < 0 || op->a > 1 ? "the half is 0 or 1" : NULL;
}
XG_FN bool xg_kir_is_descriptor(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I64; }
XG_FN const char *xg_kir_check_strides(const xg_kop *op) {
    enum {
        MOST = 1 << 18 /* bytes: a descriptor has 14 bits for sixteenths */
    };
    if (!xg_kir_is_descriptor(xg_kr(op))) return "a descriptor is an i64";
    return op->a < 0 || op->a % 16 || op->a >= MOST || op->b < 0 || op->b % 16 || op->b >= MOST
               ? "strides are multiples of 16 bytes below 256 KiB"
               : NULL;
}
XG_FN const char *xg_kir_check_describe_matrix(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t->kind != XG_TK_TENSOR || t->rank != 1 || !xg_kt_index(xg_kt(op, 1))) return "a flat tensor and an index";
    return xg_kir_check_strides(op);
}
XG_FN const char *xg_kir_check_descriptor(const xg_kop *op) {
    if (xg_kt(op, 0)->kind != XG_TK_POINTER || xg_kt(op, 0)->space != XG_SPACE_SHARED)
        return "a pointer to shared memory";
    return xg_kir_check_strides(op);
}
XG_FN bool xg_kir_is_shared(const xg_ktype *t) { return t->kind == XG_TK_POINTER && XG_KSPACE_IS_SHORT(t->space); }
XG_FN const char *xg_kir_check_shared_at(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t->kind != XG_TK_TENSOR || t->rank != 1 || !xg_kt_index(xg_kt(op, 1))) return "a flat tensor and an index";
    return xg_kr(op)->kind == XG_TK_POINTER ? NULL : "a pointer";
}
XG_FN const char *xg_kir_check_mbarrier(const xg_kop *op) {
    enum {
        MOST = (1 << 20) - 1 /* arrivals, or bytes, of a phase */
    };
    if (!xg_kir_is_shared(xg_kt(op, 0))) return "a pointer to shared memory";
    return op->b < 0 || op->b > MOST ? "a barrier counts to 2^20 - 1" : NULL;
}
XG_FN bool xg_kir_is_word(const xg_ktype *t) { return t->kind == XG_TK_SCALAR && t->elem == XG_E_I32; }
XG_FN const char *xg_kir_check_mbarrier_wait(const xg_kop *op) {
    return xg_kir_is_word(xg_kt(op, 1)) ? xg_kir_check_mbarrier(op) : "the parity is an i32";
}
XG_FN const char *xg_kir_check_tensor_copy(const xg_kop *op) {
    uint32_t k;
    if (!xg_kir_is_shared(xg_kt(op, 0)) || !xg_kir_is_shared(xg_kt(op, 1))) return "two pointers to shared memory";
    for (k = 2; k < op->n_operands; k++)
        if (!xg_kir_is_word(xg_kt(op, k))) return "coordinates are i32";
    return op->b < 0 || op->a < 0 || op->a > UINT16_MAX ? "the number of a tensor map, and 16 bits for blocks" : NULL;
}
XG_FN const char *xg_kir_check_tensor_store(const xg_kop *op) {
    uint32_t k;
    if (!xg_kir_is_shared(xg_kt(op, 0))) return "a pointer to shared memory";
    for (k = 1; k < op->n_operands; k++)
        if (!xg_kir_is_word(xg_kt(op, k))) return "coordinates are i32";
    return op->b < 0 ? "the number of a tensor map" : NULL;
}
XG_FN const char *xg_kir_check_stmatrix(const xg_kop *op) {
    if (xg_kt(op, 0)->kind != XG_TK_POINTER || xg_kt(op, 0)->space != XG_SPACE_SHARED)
        return "a pointer to shared memory";
    return xg_kir_is_words(xg_kt(op, 1), XG_E_I32) ? NULL : "four words";
}
XG_FN const char *xg_kir_check_wgmma(const xg_kop *op) {
    const xg_kmma_row *row;
    uint32_t k;
    if ((op->flags & XG_KWGMMA_TYPES) >= XG_KMMA_COUNT) return "no such types";
    row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    if (op->flags & (XG_KWGMMA_A_ROWS | XG_KWGMMA_B_ROWS) && row->bytes != 2) return "rows of 16 bits lie side by side";
    if (!xg_kir_is_words(xg_kt(op, 0), XG_E_I32) && !xg_kir_is_descriptor(xg_kt(op, 0)))
        return "four words or a descriptor come first";
    if (op->flags & XG_KWGMMA_A_ROWS && !xg_kir_is_descriptor(xg_kt(op, 0))) return "registers have k side by side";
    if (!xg_kir_is_descriptor(xg_kt(op, 1))) return "the second matrix is a descriptor";
    if (op->n_results != op->n_operands - 2 || op->n_results > XG_KWGMMA_SUMS_MAX)
        return "as many sums come out as go in, of at most 256 columns";
    for (k = 0; k < op->n_results; k++)
        if (xg_kt(op, k + 2) != op->results[k].type || !xg_kir_is_words(op->results[k].type, row->sum))
            return "sums are vectors of four";
    return NULL;
}
XG_FN const char *xg_kir_check_tensor_place(const xg_kop *op) {
    bool good = op->b >= XG_KTENSOR_COLUMNS_LEAST && op->b <= XG_KTENSOR_COLUMNS && !(op->b & (op->b - 1));
    if (!xg_kir_is_word(xg_kt(op, 0))) return "an address of tensor memory is an i32";
    return good ? NULL : "a power of two of columns, from 32 to 512";
}
XG_FN const char *xg_kir_check_tensor_mma(const xg_kop *op) {
    const xg_kmma_row *row;
    if ((op->flags & XG_KWGMMA_TYPES) >= XG_KMMA_COUNT) return "no such types";
    row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    if (op->flags & (XG_KWGMMA_A_ROWS | XG_KWGMMA_B_ROWS) && row->bytes != 2) return "rows of 16 bits lie side by side";
    if (!xg_kir_is_word(xg_kt(op, 0))) return "an address of tensor memory is an i32";
    if (!(xg_kir_is_descriptor(xg_kt(op, 1)) || xg_kir_is_word(xg_kt(op, 1))) || !xg_kir_is_descriptor(xg_kt(op, 2)))
        return "a descriptor, or an address of tensor memory, and a descriptor";
    if (op->flags & XG_KWGMMA_A_ROWS && xg_kir_is_word(xg_kt(op, 1))) return "tensor memory has k side by side";
    if (xg_kt(op, 3)->kind != XG_TK_SCALAR || xg_kt(op, 3)->elem != XG_E_I1) return "an i1 says whether it is added";
    return op->b < XG_KTENSOR_N_STEP || op->b > XG_KWGMMA_N_MAX || op->b % XG_KTENSOR_N_STEP
               ? "16 to 256 columns, a multiple of 16"
               : NULL;
}
XG_FN const char *xg_kir_check_tensor_read(const xg_kop *op) {
    uint32_t k;
    if (!xg_kir_is_word(xg_kt(op, 0))) return "an address of tensor memory is an i32";
    if (op->b < XG_KMMA_N || op->b > XG_KWGMMA_N_MAX || op->b & (op->b - 1) || op->n_results != op->b / XG_KMMA_N)
        return "a power of two of columns, from 8 to 256, and a vector for each eight";
    for (k = 0; k < op->n_results; k++)
        if (!xg_kir_is_words(op->results[k].type, XG_E_F32) && !xg_kir_is_words(op->results[k].type, XG_E_I32))
            return "vectors of four words";
    return NULL;
}
XG_FN const char *xg_kir_check_tensor_write(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 1);
    uint32_t n = op->n_operands - 1, k;
    if (!xg_kir_is_word(xg_kt(op, 0))) return "an address of tensor memory is an i32";
    for (k = 0; k < n; k++)
        if (xg_kt(op, k + 1) != t || !(xg_kir_is_words(t, XG_E_F32) || xg_kir_is_words(t, XG_E_I32)))
            return "vectors of four words";
    return n > XG_KWGMMA_SUMS_MAX || n & (n - 1) ? "a power of two of vectors, up to 32" : NULL;
}
XG_FN const char *xg_kir_check_mapa(const xg_kop *op) {
    if (xg_kt(op, 0)->kind != XG_TK_POINTER || xg_kt(op, 0)->space != XG_SPACE_SHARED || !xg_kir_is_rank(xg_kt(op, 1)))
        return "a pointer to shared memory and an i32";
    return xg_kr(op)->kind != XG_TK_POINTER || xg_kr(op)->space != XG_SPACE_CLUSTER
               ? "a pointer to a cluster's shared memory"
               : NULL;
}
XG_FN const char *xg_kir_check_access(const xg_kop *op, const xg_ktype *pointer, const xg_ktype *value) {
    int bits = xg_kt_bits(value);
    if (pointer->kind != XG_TK_POINTER) return "the address is a pointer";
    if (!xg_kt_value(value) || value->elem == XG_E_INDEX || xg_kelem_is_complex(value->elem) || value->elem == XG_E_I1)
        return "memory holds scalars and vectors of i8 to i64 and floats";
    if (bits > 128 && !xg_ktype_is_whole(value)) return "at most 128 bits at once, or a whole register of a processor";
    return op->a < 1 || (op->a & (op->a - 1)) ? "the alignment is a power of two" : NULL;
}
XG_FN const char *xg_kir_check_load(const xg_kop *op) { return xg_kir_check_access(op, xg_kt(op, 0), xg_kr(op)); }
XG_FN const char *xg_kir_check_store(const xg_kop *op) { return xg_kir_check_access(op, xg_kt(op, 1), xg_kt(op, 0)); }
XG_FN const char *xg_kir_check_async_copy(const xg_kop *op) {
    const xg_ktype *to = xg_kt(op, 0), *from = xg_kt(op, 1);
    if (to->kind != XG_TK_POINTER || to->space != XG_SPACE_SHARED) return "to shared memory";
    if (from->kind != XG_TK_POINTER || from->space != XG_SPACE_GLOBAL) return "from global memory";
    if (op->n_operands > 2 && (xg_kt(op, 2)->kind != XG_TK_SCALAR || xg_kt(op, 2)->elem != XG_E_I32))
        return "how many bytes are read: an i32";
    return op->a == 4 || op->a == 8 || op->a == 16 ? NULL : "4, 8 or 16 bytes";
}
XG_FN const char *xg_kir_check_cmpxchg(const xg_kop *op) {
    const xg_ktype *t = xg_kt(op, 0);
    if (t->kind != XG_TK_SCALAR || (op->n_operands > 2 && xg_kt(op, 2) != t) || xg_kr(op) != t ||
        xg_kt(op, 1)->kind != XG_TK_POINTER)
        return "a value, a pointer, a value of the same type";
    return t->elem != XG_E_I32 && t->elem != XG_E_I64 && t->elem != XG_E_F16 ? "i32, i64, or 16 bits as f16" : NULL;
}
XG_FN const char *xg_kir_check_ptr_result(const xg_kop *op) {
    return xg_kr(op)->kind != XG_TK_POINTER || xg_kr(op)->space != XG_SPACE_SHARED || op->a < 0 || op->b < 1
               ? "a shared pointer with size and alignment"
               : NULL;
}

XG_FN const char *xg_kverify_types(const xg_kop *op) {
    switch (xg_kop_rows[op->op].check) {
#define X(word) \
    case XG_KCHECK_##word: return xg_kir_check_##word(op);
        XG_KIR_CHECKS(X)
#undef X
    default: return "no such operation";
    }
}

/* ---- structure ---- */

XG_FN void xg_kverify_region(xg_kverifier *v, const xg_kregion *r);

XG_FN void xg_kverify_op(xg_kverifier *v, const xg_kregion *r, const xg_kop *op) {
    const xg_kop_row *row;
    const char *wrong;
    uint32_t k;
    if ((uint32_t)op->op >= XG_K_OP_COUNT) xg_kverify_fail(v, NULL, "no such operation");
    row = &xg_kop_rows[op->op];
    if (op->parent != r || (op->next && op->next->prev != op))
        xg_kverify_fail(v, op, "the list of operations is broken");
    if (op->n_operands < row->lo || (row->hi != 255 && op->n_operands > row->hi))
        xg_kverify_fail(v, op, "wrong number of operands");
    if (row->results >= 0 && op->n_results != (uint32_t)row->results) xg_kverify_fail(v, op, "wrong number of results");
    if (op->n_regions != (uint32_t)row->regions) xg_kverify_fail(v, op, "wrong number of regions");
    if (((row->flags & KF_TERM) != 0) != (op == r->last))
        xg_kverify_fail(v, op, "a terminator ends a region and stands nowhere else");
    for (k = 0; k < op->n_operands; k++) {
        const xg_kuse *u = &op->operands[k];
        if (!u->value || u->user != op) xg_kverify_fail(v, op, "an operand is broken");
        if ((u->prev ? u->prev->next : u->value->first_use) != u) xg_kverify_fail(v, op, "a list of uses is broken");
        if (!(v->defined[u->value->id >> 3] >> (u->value->id & 7) & 1))
            xg_kverify_fail(v, op, "an operand is not defined before, or not in a region around");
    }
    for (k = 0; k < op->n_regions; k++)
        if (op->regions[k]->owner != op || op->regions[k]->func != v->f)
            xg_kverify_fail(v, op, "a region has another owner");
    for (k = 0; k < op->n_regions; k++)
        if (!xg_kregion_end(op->regions[k])) xg_kverify_fail(v, op, "a region has no terminator");
    if ((wrong = xg_kverify_types(op)) != NULL) xg_kverify_fail(v, op, wrong);
    for (k = 0; k < op->n_regions; k++) xg_kverify_region(v, op->regions[k]);
}

XG_FN void xg_kverify_mark(xg_kverifier *v, const xg_kval *vals, uint32_t n, bool on) {
    uint32_t k;
    for (k = 0; k < n; k++) {
        uint8_t bit = (uint8_t)(1u << (vals[k].id & 7));
        if (on)
            v->defined[vals[k].id >> 3] |= bit;
        else
            v->defined[vals[k].id >> 3] &= (uint8_t)~bit;
    }
}
XG_FN void xg_kverify_region(xg_kverifier *v, const xg_kregion *r) {
    const xg_kop *op;
    xg_kverify_mark(v, r->args, r->n_args, true);
    for (op = r->first; op; op = op->next) {
        xg_kverify_op(v, r, op);
        xg_kverify_mark(v, op->results, op->n_results, true);
    }
    for (op = r->first; op; op = op->next) xg_kverify_mark(v, op->results, op->n_results, false);
    xg_kverify_mark(v, r->args, r->n_args, false);
}

/* ---- the entry law ---- */

XG_FN bool xg_kchain_user(const xg_kuse *u) {
    switch (u->user->op) {
    case XG_K_OP_INSERT: return XG_KUSE_INDEX(u) == 1;
    case XG_K_OP_WRITE: return XG_KUSE_INDEX(u) == 1;
    case XG_K_OP_ATOMIC_RMW: return XG_KUSE_INDEX(u) == 0;
    case XG_K_OP_FOR:
    case XG_K_OP_WHILE:
    case XG_K_OP_LOOP:
    case XG_K_OP_YIELD:
    case XG_K_OP_CONDITION:
    case XG_K_OP_RETURN:
    case XG_K_OP_SYNC: return true;
    default: return false;
    }
}
/* Tensor copies name maps that the entry has, by as many coordinates. */
XG_FN void xg_kverify_copies(xg_kverifier *v, const xg_kfunc *f, const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        for (k = 0; k < op->n_regions; k++) xg_kverify_copies(v, f, op->regions[k]);
        if (op->op != XG_K_OP_TENSOR_COPY && op->op != XG_K_OP_TENSOR_STORE) continue;
        if (op->b >= (int64_t)f->n_maps ||
            f->maps[op->b].rank != op->n_operands - (op->op == XG_K_OP_TENSOR_COPY ? 2 : 1))
            xg_kverify_fail(v, op, "the entry has no such tensor map");
    }
}
XG_FN void xg_kverify_entry(xg_kverifier *v, const xg_kfunc *f) {
    uint32_t k;
    const xg_kuse *u;
    for (k = 0; k < f->n_maps; k++)
        if (f->maps[k].arg >= f->body->n_args) xg_kverify_fail(v, NULL, "a tensor map of no parameter");
    xg_kverify_copies(v, f, f->body);
    if (f->cluster && f->blocks[0] % f->cluster) xg_kverify_fail(v, NULL, "the blocks are no whole clusters");
    if (f->pairs && (!f->cluster || f->cluster % 2)) xg_kverify_fail(v, NULL, "pairs of blocks want clusters of them");
    if (f->n_inputs > f->body->n_args) xg_kverify_fail(v, NULL, "more inputs than parameters");
    for (k = f->n_inputs; k < XG_MIN(f->body->n_args, f->n_inputs + f->n_results); k++) {
        if (f->body->args[k].type->kind != XG_TK_TENSOR) continue;
        for (u = f->body->args[k].first_use; u; u = u->next)
            if (!xg_kchain_user(u))
                xg_kverify_fail(v, u->user, "a destination may only be inserted into, carried and returned");
    }
}

XG_FN void xg_kverify_func(xg_kverifier *v, const xg_kfunc *f) {
    const xg_kop *end = xg_kregion_end(f->body);
    uint32_t k;
    v->f = f;
    if (!end || end->op != XG_K_OP_RETURN || end->n_operands != f->n_results)
        xg_kverify_fail(v, end, "the function returns its results at its end");
    for (k = 0; k < f->n_results; k++)
        if (end->operands[k].value->type != f->results[k])
            xg_kverify_fail(v, end, "a result has not the function's type");
    xg_kverify_region(v, f->body);
    if (f->entry) xg_kverify_entry(v, f);
}

XG_FN void xg_kir_verify(const xg_kmodule *m) {
    xg_kverifier v;
    const xg_kfunc *f;
    memset(&v, 0, sizeof v);
    v.m = m;
    v.defined = (uint8_t *)xg_alloc(m->arena, m->n_ids / 8 + 1);
    for (f = m->first; f; f = f->next) xg_kverify_func(&v, f);
}

/* ---- the low level ---- */

XG_FN bool xg_kt_low(const xg_ktype *t) {
    return t->kind == XG_TK_POINTER || (xg_kt_value(t) && t->elem != XG_E_INDEX && !xg_kelem_is_complex(t->elem));
}
XG_FN void xg_kverify_low_region(const xg_kverifier *v, const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (k = 0; k < r->n_args; k++)
        if (!xg_kt_low(r->args[k].type)) xg_kverify_fail(v, r->owner, "an argument has a type that no backend knows");
    for (op = r->first; op; op = op->next) {
        if (op->op == XG_K_OP_CALL || op->op == XG_K_OP_LOOP || op->op == XG_K_OP_APPLY || op->op == XG_K_OP_SYNC ||
            op->op == XG_K_OP_PEER || op->op == XG_K_OP_VIEW || op->op == XG_K_OP_LOAD_MATRIX ||
            op->op == XG_K_OP_DESCRIBE_MATRIX || op->op == XG_K_OP_SHARED_AT)
            xg_kverify_fail(v, op, "the operation had to be lowered");
        for (k = 0; k < op->n_results; k++)
            if (!xg_kt_low(op->results[k].type)) xg_kverify_fail(v, op, "a result has a type that no backend knows");
        for (k = 0; k < op->n_regions; k++) xg_kverify_low_region(v, op->regions[k]);
    }
}
XG_FN void xg_kir_verify_low(xg_kmodule *m) {
    xg_kverifier v;
    memset(&v, 0, sizeof v);
    v.m = m;
    v.f = m->entry;
    if (m->entry) xg_kverify_low_region(&v, m->entry->body);
}

#endif /* XG_KIR_VERIFY_C */
