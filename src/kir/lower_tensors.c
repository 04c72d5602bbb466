/* kir/lower_tensors.c -- tensors become memory: parameters are pointers, extracts are loads, inserts are stores,
 * results of inserts vanish.
 *
 * - Parameters of one buffer slice are one pointer; the first stands for all, and only these are left, in order. Where
 *   each block has a part, it adds its own to the pointer.
 * - i1 lies in memory as a byte 0 or 1, complex as two floats, f4 and f6 in a byte each. Complex values and vectors
 *   that no instruction moves at once become parts: a vector of at most 16 bytes each. if, for and while carry the
 *   parts.
 * - A load is invariant when nothing in the kernel writes to its slice.
 * - A shared array is a static array of its own, aligned to 16 bytes; sync_threads is a barrier.
 * - The constant part of an index goes into the bytes of the address at once. What unrolled loops and vectors access
 *   differs in nothing else, so the rest of the map and of the address is made once.
 * Requires: one-dimensional tensors (flatten_tensors), no loops over maps, no calls. Breaks: value semantics; from here
 * on the order of memory operations counts. Each operation is visited once. */
#ifndef XG_KIR_LOWER_TENSORS_C
#define XG_KIR_LOWER_TENSORS_C
#include "kir.h"
#include "rules.c"

/* What stands for a value that has no register of its own; kept in the value's scratch. */
typedef struct xg_klow {
    xg_kval **parts; /* complex: real and imaginary part; vector: pieces */
    uint32_t n;
    xg_kval *pointer; /* of a tensor */
    bool invariant;
    int64_t align;
} xg_klow;
typedef struct xg_kleveller {
    xg_kmodule *m;
    xg_kops dead;
    uint32_t n_shared;
    xg_set rests; /* of maps, without their constants */
    xg_set bases; /* of addresses, likewise */
} xg_kleveller;

/* ---- types ---- */

XG_FN xg_kelem xg_klow_elem(xg_kelem e) { return e == XG_E_I1 ? XG_E_I8 : xg_kelem_is_complex(e) ? xg_kpart_of(e) : e; }
XG_FN int64_t xg_klow_factor(xg_kelem e) { return xg_kelem_is_complex(e) ? 2 : 1; }
/* Lanes of one piece of a vector, and the pieces' number. */
XG_FN int64_t xg_klow_piece(const xg_ktype *t, uint32_t *n) {
    int64_t lanes = t->elements * xg_klow_factor(t->elem), most = 16 / xg_kelem_bytes(xg_klow_elem(t->elem));
    if (xg_ktype_is_whole(t)) most = lanes;
    int64_t piece = lanes % most == 0 || lanes < most ? XG_MIN(lanes, most) : 1;
    *n = (uint32_t)(lanes / piece);
    return piece;
}
XG_FN bool xg_klow_is_high(const xg_ktype *t) {
    uint32_t n;
    if (t->kind == XG_TK_TENSOR) return true;
    if (t->kind == XG_TK_SCALAR) return xg_kelem_is_complex(t->elem);
    if (t->kind != XG_TK_VECTOR) return false;
    (void)xg_klow_piece(t, &n);
    return n > 1 || xg_klow_elem(t->elem) != t->elem;
}
/* Types of the parts that carry a value of type t; *n of them. Tensors have none. */
XG_FN const xg_ktype *xg_klow_part_type(xg_kmodule *m, const xg_ktype *t, uint32_t *n) {
    int64_t piece;
    *n = 1;
    if (!xg_klow_is_high(t)) return t;
    if (t->kind == XG_TK_TENSOR) {
        *n = 0;
        return t;
    }
    if (t->kind == XG_TK_SCALAR) {
        *n = 2;
        return xg_kir_scalar(m, xg_kpart_of(t->elem));
    }
    piece = xg_klow_piece(t, n);
    return xg_kir_vector(m, xg_klow_elem(t->elem), piece);
}

XG_FN xg_klow *xg_klow_new(xg_kleveller *z, xg_kval *v) {
    xg_klow *l = XG_NEW(z->m->temp, xg_klow);
    const xg_ktype *t = xg_klow_part_type(z->m, v->type, &l->n);
    (void)t;
    l->parts = XG_NEW_N(z->m->temp, xg_kval *, l->n + 1);
    v->scratch = l;
    return l;
}
XG_FN xg_klow *xg_klow_of(xg_kleveller *z, xg_kval *v) {
    if (!v->scratch)
        xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR: a value of %s (id %u) has no lowered form",
            v->def ? xg_kop_name(v->def->op) : "a region", v->id);
    return (xg_klow *)v->scratch;
}
/* The parts that a value consists of; itself if it is low. */
XG_FN xg_kval **xg_klow_parts(xg_kleveller *z, xg_kval **v, uint32_t *n) {
    xg_klow *l;
    if (!xg_klow_is_high((*v)->type)) {
        *n = 1;
        return v;
    }
    l = xg_klow_of(z, *v);
    *n = l->n;
    return l->parts;
}
XG_FN void xg_klow_dead(xg_kleveller *z, xg_kop *op) { xg_push(z->m->temp, xg_kop *, &z->dead, op); }

/* ---- memory ---- */

/* What is left of the map of operation `of` when its constant is gone; made in region `at`. */
typedef struct xg_klow_rest {
    const xg_kop *of;
    const xg_kregion *at;
    xg_kval *value;
} xg_klow_rest;
XG_FN const xg_aff *xg_klow_map_result(const xg_kop *op) { return ((const xg_imap *)op->p)->results[0]; }
XG_FN bool xg_klow_rest_same(const void *node, const void *key) {
    const xg_kop *a = ((const xg_klow_rest *)node)->of, *b = ((const xg_klow_rest *)key)->of;
    const xg_aff *x = xg_klow_map_result(a), *y = xg_klow_map_result(b);
    uint32_t k;
    if (x->n != y->n || a->n_operands != b->n_operands) return false;
    for (k = 0; k < x->n; k++)
        if (x->terms[k].of != y->terms[k].of || x->terms[k].scale != y->terms[k].scale) return false;
    for (k = 0; k < a->n_operands; k++)
        if (a->operands[k].value != b->operands[k].value) return false;
    return true;
}
XG_FN uint32_t xg_klow_rest_hash(const xg_kop *op) {
    const xg_aff *e = xg_klow_map_result(op);
    uint32_t h = e->n, k;
    for (k = 0; k < e->n; k++) h = xg_hash_mix(h + e->terms[k].of->id, (uint64_t)e->terms[k].scale);
    for (k = 0; k < op->n_operands; k++) h = xg_hash_mix(h, op->operands[k].value->id);
    return h;
}
XG_FN xg_kval *xg_klow_rest_make(xg_kleveller *z, xg_kop *op) {
    const xg_aff *e = xg_klow_map_result(op), *rest = xg_aff_from_terms(z->m->aff, 0, e->terms, e->n);
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval **vars;
    xg_imap *map;
    uint32_t k;
    if (!rest) return NULL;
    if (rest->kind == XG_AFF_DIM) return op->operands[rest->n].value;
    vars = XG_NEW_N(z->m->temp, xg_kval *, op->n_operands + 1);
    for (k = 0; k < op->n_operands; k++) vars[k] = op->operands[k].value;
    map = xg_imap_copy(z->m->aff, (const xg_imap *)op->p, 0);
    map->results[0] = rest;
    return xg_kapply(&b, map, vars)->results;
}
/* index = the answer + *c; itself and 0 where nothing is gained. What was made before stands in front of what is
 * lowered now; it must be seen from there. */
XG_FN xg_kval *xg_klow_without_constant(xg_kleveller *z, const xg_kregion *from, xg_kval *index, int64_t *c) {
    xg_kop *op = index->def;
    const xg_aff *e;
    xg_klow_rest key, *r;
    void **slot;
    *c = 0;
    if (!op || op->op != XG_K_OP_APPLY || op->n_results != 1 || !xg_imap_ok((const xg_imap *)op->p)) return index;
    e = xg_klow_map_result(op);
    if (e->kind != XG_AFF_SUM || !e->k) return index;
    key.of = op;
    key.at = op->parent;
    key.value = NULL;
    slot = xg_set_find(&z->rests, xg_klow_rest_hash(op), xg_klow_rest_same, &key);
    r = (xg_klow_rest *)*slot;
    if (!r || !xg_kregion_inside(from, r->at)) {
        if (!r) *slot = r = XG_NEW(z->m->temp, xg_klow_rest);
        *r = key;
        r->value = xg_klow_rest_make(z, op);
    }
    if (!r->value) return index;
    *c = e->k;
    return r->value;
}
typedef struct xg_klow_base {
    const xg_kval *p, *index;
    int64_t scale;
    uint32_t flags;
} xg_klow_base;
XG_FN bool xg_klow_base_same(const void *node, const void *key) {
    const xg_kop *op = (const xg_kop *)node;
    const xg_klow_base *k = (const xg_klow_base *)key;
    return op->operands[0].value == k->p && op->operands[1].value == k->index && op->a == k->scale &&
           op->flags == k->flags;
}
/* p + index * scale, which may have been made before. */
XG_FN xg_kval *xg_klow_base_of(xg_kleveller *z, xg_kb *b, xg_kval *p, xg_kval *index, int64_t scale, uint32_t flags) {
    xg_klow_base key;
    void **slot;
    xg_kval *v;
    key.p = p;
    key.index = index;
    key.scale = scale;
    key.flags = flags;
    slot = xg_set_find(&z->bases, xg_hash_mix((uint32_t)scale * 2 + flags, (uint64_t)p->id << 32 | index->id),
        xg_klow_base_same, &key);
    if (*slot && xg_kregion_inside(b->region, ((const xg_kop *)*slot)->parent)) return ((xg_kop *)*slot)->results;
    v = xg_kptr(b, p, index, scale, 0);
    v->def->flags = flags;
    *slot = v->def;
    return v;
}
/* An i32 index is unsigned. What is left of it without its constant may be negative, and is extended by its sign then,
 * where its range tells. */
XG_FN xg_kval *xg_klow_address(xg_kleveller *z, xg_kb *b, const xg_kval *tensor, xg_kval *index) {
    xg_kval *p = ((const xg_klow *)tensor->scratch)->pointer, *rest;
    int64_t scale = xg_kelem_bytes(tensor->type->elem), c, bytes;
    uint32_t flags = tensor->type->elements <= INT32_MAX ? KP_INBOUNDS : 0; /* an access is where it may be */
    rest = xg_klow_without_constant(z, b->region, index, &c);
    if (c && ((!flags && !xg_kval_nonnegative(index)) || !xg_mul64(c, scale, &bytes))) c = 0;
    if (c && !xg_kval_nonnegative(rest)) {
        bool extended =
            p->type->space == XG_SPACE_GLOBAL && rest->lo >= INT32_MIN && rest->lo <= rest->hi && rest->hi <= INT32_MAX;
        if (extended)
            flags = 0;
        else
            c = 0;
    }
    p = xg_klow_base_of(z, b, p, c ? rest : index, scale, flags);
    return c ? xg_kptr(b, p, xg_kconst_int(b, XG_E_INDEX, 0), 1, bytes) : p;
}
XG_FN xg_kval *xg_klow_load(xg_kb *b, const xg_klow *t, xg_kval *p, const xg_ktype *type, int64_t align) {
    xg_kval *v = xg_kir_of(b, XG_K_OP_LOAD, p, type);
    v->def->a = align;
    v->def->flags = t->invariant ? KM_INVARIANT : 0;
    return v;
}
XG_FN void xg_klow_store(xg_kb *b, xg_kval *v, xg_kval *p, int64_t align) {
    xg_kval *o[2];
    o[0] = v;
    o[1] = p;
    xg_kir_do(b, XG_K_OP_STORE, o, 2)->a = align;
}
XG_FN xg_kval *xg_klow_offset(xg_kb *b, xg_kval *p, int64_t bytes) {
    return bytes ? xg_kptr(b, p, xg_kconst_int(b, XG_E_INDEX, 0), 1, bytes) : p;
}
XG_FN xg_kval *xg_kir_lane(xg_kb *b, xg_kval *vector, xg_kval *lane) {
    xg_kval *v[2];
    v[0] = vector;
    v[1] = lane;
    return xg_kir_value(b, XG_K_OP_VEXTRACT, v, 2, xg_kir_scalar(b->m, vector->type->elem));
}
XG_FN xg_kval *xg_klow_lane(xg_kb *b, xg_kval *vector, int64_t lane) {
    return xg_kir_lane(b, vector, xg_kconst_int(b, XG_E_INDEX, lane));
}
XG_FN xg_kval *xg_kir_with_lane(xg_kb *b, xg_kval *x, xg_kval *vector, xg_kval *lane) {
    xg_kval *v[3];
    v[0] = x;
    v[1] = vector;
    v[2] = lane;
    return xg_kir_value(b, XG_K_OP_VINSERT, v, 3, vector->type);
}
XG_FN xg_kval *xg_klow_with_lane(xg_kb *b, xg_kval *x, xg_kval *vector, int64_t lane) {
    return xg_kir_with_lane(b, x, vector, xg_kconst_int(b, XG_E_INDEX, lane));
}
XG_FN xg_kval *xg_klow_from_byte(xg_kb *b, xg_kval *v) { return xg_kcmpi_int(b, XG_CI_NE, v, 0); }
XG_FN void xg_klow_need_flat(xg_kleveller *z, const xg_ktype *t) {
    if (t->rank != 1)
        xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL,
            "lower-tensors needs one-dimensional tensors; run flatten-tensors before");
}

/* ---- elements ---- */

XG_FN void xg_klow_extract(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *t = xg_klow_of(z, op->operands[0].value), *to;
    xg_kelem e = op->results[0].type->elem;
    const xg_ktype *mem = xg_kir_scalar(z->m, xg_klow_elem(e));
    xg_kval *p, *v;
    int64_t bytes = xg_kelem_bytes(e), k;
    xg_klow_need_flat(z, op->operands[0].value->type);
    p = xg_klow_address(z, &b, op->operands[0].value, op->operands[1].value);
    if (xg_kelem_is_complex(e)) {
        v = xg_klow_load(&b, t, p, xg_kir_vector(z->m, mem->elem, 2), bytes);
        to = xg_klow_new(z, op->results);
        for (k = 0; k < 2; k++) to->parts[k] = xg_klow_lane(&b, v, k);
        xg_klow_dead(z, op);
        return;
    }
    v = xg_klow_load(&b, t, p, mem, bytes);
    if (e == XG_E_I1) v = xg_klow_from_byte(&b, v);
    v->name = op->results[0].name;
    xg_kval_replace(op->results, v);
    xg_kop_remove(op);
}
XG_FN void xg_klow_insert(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval *v = op->operands[0].value, *p;
    xg_kelem e = v->type->elem;
    (void)xg_klow_of(z, op->operands[1].value);
    xg_klow_need_flat(z, op->operands[1].value->type);
    p = xg_klow_address(z, &b, op->operands[1].value, op->operands[2].value);
    if (e == XG_E_I1)
        v = xg_kextui(&b, v, XG_E_I8);
    else if (xg_kelem_is_complex(e)) {
        xg_klow *parts = xg_klow_of(z, v);
        v = xg_kconst_bits(&b, xg_kir_vector(z->m, xg_kpart_of(e), 2), 0);
        v = xg_klow_with_lane(&b, parts->parts[0], v, 0);
        v = xg_klow_with_lane(&b, parts->parts[1], v, 1);
    }
    xg_klow_store(&b, v, p, xg_kelem_bytes(e));
    xg_kval_replace(op->results, op->operands[1].value);
    xg_kop_remove(op);
}

/* Read, changed and written as one. Bytes have no instruction of their own: a word is exchanged, and the memory must
 * consist of words. */
XG_FN void xg_klow_region(xg_kleveller *z, xg_kregion *r);
XG_FN void xg_klow_atomic(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval *tensor = op->operands[0].value, *index = op->operands[1].value, *p, *shift = NULL;
    int64_t bytes = xg_kelem_bytes(tensor->type->elem);
    (void)xg_klow_of(z, tensor);
    xg_klow_need_flat(z, tensor->type);
    if (bytes > 8 || xg_kelem_is_complex(tensor->type->elem) || (bytes == 1 && tensor->type->elements % 4))
        xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL, "an atomic change of %s", xg_kelem_name(tensor->type->elem));
    xg_klow_region(z, op->regions[0]);
    if (bytes == 1) {
        p = xg_kptr(&b, xg_klow_of(z, tensor)->pointer, xg_k2_int(&b, XG_K_OP_SHRUI, index, 2), 4, 0);
        shift = xg_kcast_index(&b, xg_k2_int(&b, XG_K_OP_ANDI, index, 3), XG_E_I32);
        shift = xg_k2_int(&b, XG_K_OP_MULI, shift, 8);
    } else
        p = xg_klow_address(z, &b, tensor, index);
    xg_katomic_region(&b, op->regions[0], tensor->type->elem, p, shift);
    xg_kval_replace(op->results, tensor);
    xg_kop_remove(op);
}

/* ---- vectors ---- */

XG_FN void xg_klow_read(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *t = xg_klow_of(z, op->operands[0].value), *to = NULL;
    const xg_ktype *type = op->results[0].type, *part;
    uint32_t n, k;
    int64_t whole = type->elements * xg_kelem_bytes(type->elem), bytes, align;
    xg_kval *p = xg_klow_address(z, &b, op->operands[0].value, op->operands[1].value), *v = NULL;
    part = xg_klow_part_type(z->m, type, &n);
    bytes = whole / n;
    align = XG_MIN(XG_MIN(whole, t->align), bytes);
    if (xg_klow_is_high(type)) to = xg_klow_new(z, op->results);
    for (k = 0; k < n; k++) {
        v = xg_klow_load(&b, t, xg_klow_offset(&b, p, k * bytes), part, align);
        if (to) to->parts[k] = v;
    }
    if (to) {
        xg_klow_dead(z, op);
        return;
    }
    xg_kval_replace(op->results, v);
    xg_kop_remove(op);
}
XG_FN void xg_klow_write(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *t = xg_klow_of(z, op->operands[1].value);
    xg_kval *v = op->operands[0].value, **parts, *p;
    uint32_t n, k;
    int64_t whole = v->type->elements * xg_kelem_bytes(v->type->elem), bytes;
    p = xg_klow_address(z, &b, op->operands[1].value, op->operands[2].value);
    parts = xg_klow_parts(z, &v, &n);
    bytes = whole / n;
    for (k = 0; k < n; k++)
        xg_klow_store(&b, parts[k], xg_klow_offset(&b, p, k * bytes), XG_MIN(XG_MIN(whole, t->align), bytes));
    xg_kval_replace(op->results, op->operands[1].value);
    xg_kop_remove(op);
}
XG_FN int64_t xg_klow_lane_of(xg_kleveller *z, const xg_kval *v) {
    int64_t lane = 0;
    if (!xg_kval_is_const(v, &lane))
        xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL,
            "a lane of a wide vector is numbered by a variable; unroll must run before lower-tensors");
    return lane;
}
XG_FN void xg_klow_vextract(xg_kleveller *z, xg_kop *op) {
    xg_kval *from = op->operands[0].value, *v;
    xg_kelem e = from->type->elem;
    xg_kb b = xg_kb_before(z->m, op);
    int64_t lane, piece;
    uint32_t n;
    xg_klow *l;
    if (!xg_klow_is_high(from->type)) return;
    l = xg_klow_of(z, from);
    piece = xg_klow_piece(from->type, &n);
    lane = xg_klow_lane_of(z, op->operands[1].value) * xg_klow_factor(e);
    v = xg_klow_lane(&b, l->parts[lane / piece], lane % piece);
    if (xg_kelem_is_complex(e)) {
        xg_klow *to = xg_klow_new(z, op->results);
        to->parts[0] = v;
        to->parts[1] = xg_klow_lane(&b, l->parts[(lane + 1) / piece], (lane + 1) % piece);
        xg_klow_dead(z, op);
        return;
    }
    if (e == XG_E_I1) v = xg_klow_from_byte(&b, v);
    xg_kval_replace(op->results, v);
    xg_kop_remove(op);
}
XG_FN void xg_klow_vinsert(xg_kleveller *z, xg_kop *op) {
    xg_kval *x = op->operands[0].value, *into = op->operands[1].value, **parts;
    xg_kelem e = into->type->elem;
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *from, *to;
    int64_t lane, piece;
    uint32_t n, k;
    if (!xg_klow_is_high(into->type)) return;
    from = xg_klow_of(z, into);
    to = xg_klow_new(z, op->results);
    for (k = 0; k < from->n; k++) to->parts[k] = from->parts[k];
    piece = xg_klow_piece(into->type, &n);
    lane = xg_klow_lane_of(z, op->operands[2].value) * xg_klow_factor(e);
    if (e == XG_E_I1) x = xg_kextui(&b, x, XG_E_I8);
    parts = xg_klow_parts(z, &x, &n);
    for (k = 0; k < n; k++, lane++)
        to->parts[lane / piece] = xg_klow_with_lane(&b, parts[k], to->parts[lane / piece], lane % piece);
    xg_klow_dead(z, op);
}

/* ---- complex and wide values ---- */

XG_FN void xg_klow_constant(xg_kleveller *z, xg_kop *op) {
    const xg_ktype *t = op->results[0].type, *part;
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *to;
    uint32_t k, n;
    if (!xg_klow_is_high(t)) return;
    to = xg_klow_new(z, op->results);
    part = xg_klow_part_type(z->m, t, &n);
    for (k = 0; k < n; k++) {
        if (t->kind == XG_TK_VECTOR && xg_kelem_is_complex(t->elem)) {
            int64_t lane;
            to->parts[k] = xg_kconst_bits(&b, part, (uint64_t)op->a);
            if (op->b != op->a)
                for (lane = 1; lane < part->elements; lane += 2)
                    to->parts[k] = xg_klow_with_lane(
                        &b, xg_kconst_bits(&b, xg_kir_scalar(z->m, part->elem), (uint64_t)op->b), to->parts[k], lane);
        } else
            to->parts[k] = xg_kconst_bits(&b, part, (uint64_t)(k && t->kind == XG_TK_SCALAR ? op->b : op->a));
    }
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_select(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *x, *y, *to;
    uint32_t k;
    if (!xg_klow_is_high(op->results[0].type)) return;
    x = xg_klow_of(z, op->operands[1].value);
    y = xg_klow_of(z, op->operands[2].value);
    if (op->operands[0].value->type->kind != XG_TK_SCALAR)
        xg_fail(z->m->ctx, XLAGPU_ERROR_UNSUPPORTED, "a lane-wise choice between vectors of %s",
            xg_kelem_name(op->results[0].type->elem));
    to = xg_klow_new(z, op->results);
    for (k = 0; k < to->n; k++) to->parts[k] = xg_kselect(&b, op->operands[0].value, x->parts[k], y->parts[k]);
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_create(xg_kleveller *z, xg_kop *op) {
    xg_klow *to = xg_klow_new(z, op->results);
    uint32_t k;
    for (k = 0; k < 2; k++) to->parts[k] = op->operands[k].value;
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_part(xg_kleveller *z, xg_kop *op) {
    xg_kval_replace(op->results, xg_klow_of(z, op->operands[0].value)->parts[op->op == XG_K_OP_IM]);
    xg_kop_remove(op);
}

/* ---- shared memory ---- */

XG_FN void xg_klow_shared(xg_kleveller *z, xg_kop *op) {
    xg_kmodule *m = z->m;
    xg_kb b = xg_kb_before(m, op);
    const xg_ktype *t = op->results[0].type;
    xg_klow *l = xg_klow_new(z, op->results);
    xg_str *name = XG_NEW(m->arena, xg_str);
    xg_buf text;
    int64_t bytes;
    xg_kval *p = xg_kir_value(&b, XG_K_OP_SHARED_PTR, NULL, 0, xg_kir_pointer(m, XG_SPACE_SHARED));
    if (!xg_mul64(t->elements, xg_kelem_bytes(t->elem), &bytes) || bytes > (int64_t)1 << 24)
        xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "a shared array of %lld elements", (long long)t->elements);
    xg_buf_init(&text, m->arena);
    xg_printf(&text, "shared_%u", z->n_shared++);
    *name = xg_str_of(text.p, text.n);
    p->def->p = name;
    p->def->a = bytes;
    p->def->b = XG_MAX(op->b, (int64_t)XG_SHARED_GRAIN_BYTES);
    p->name = op->results[0].name.n ? op->results[0].name : XG_STR("shmem");
    m->shared_bytes += (uint32_t)xg_shared_whole(bytes);
    l->pointer = p;
    l->align = XG_SHARED_GRAIN_BYTES;
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_sync(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kop *barrier = xg_kir_do_0(&b, XG_K_OP_BARRIER);
    uint32_t k;
    barrier->a = op->a;
    barrier->b = op->b;
    for (k = 0; k < op->n_results; k++) xg_kval_replace(&op->results[k], op->operands[k].value);
    xg_kop_remove(op);
}

XG_FN void xg_klow_peer(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_klow *l = xg_klow_new(z, op->results);
    xg_kval *v[2];
    v[0] = xg_klow_of(z, op->operands[0].value)->pointer;
    v[1] = op->operands[1].value;
    l->pointer = xg_kir_value(&b, XG_K_OP_MAPA, v, 2, xg_kir_pointer(z->m, XG_SPACE_CLUSTER));
    l->align = 16;
    xg_klow_dead(z, op);
}

XG_FN void xg_klow_view(xg_kleveller *z, xg_kop *op) {
    op->results[0].scratch = xg_klow_of(z, op->operands[0].value);
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_load_matrix(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval *p = xg_klow_address(z, &b, op->operands[0].value, op->operands[1].value);
    xg_kval *v = xg_kir_of(&b, XG_K_OP_LDMATRIX, p, op->results[0].type);
    v->def->flags = op->flags;
    xg_kval_replace(op->results, v);
    xg_kop_remove(op);
}

XG_FN void xg_klow_describe_matrix(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval *p = xg_klow_address(z, &b, op->operands[0].value, op->operands[1].value);
    xg_kval *v = xg_kir_of(&b, XG_K_OP_DESCRIPTOR, p, op->results[0].type);
    v->def->a = op->a;
    v->def->b = op->b;
    xg_kval_replace(op->results, v);
    xg_kop_remove(op);
}

XG_FN void xg_klow_shared_at(xg_kleveller *z, xg_kop *op) {
    xg_kb b = xg_kb_before(z->m, op);
    xg_kval_replace(op->results, xg_klow_address(z, &b, op->operands[0].value, op->operands[1].value));
    xg_kop_remove(op);
}

/* ---- control flow: carried values become their parts ---- */

XG_FN void xg_klow_region(xg_kleveller *z, xg_kregion *r);

typedef XG_VEC(xg_kval *) xg_klow_list;
XG_FN void xg_klow_flatten(xg_kleveller *z, xg_klow_list *out, const xg_kuse *uses, uint32_t n) {
    uint32_t k, i, parts;
    for (k = 0; k < n; k++) {
        xg_kval *v = uses[k].value, **p = xg_klow_parts(z, &v, &parts);
        for (i = 0; i < parts; i++) xg_push(z->m->temp, xg_kval *, out, p[i]);
    }
}
XG_FN bool xg_klow_any_high(const xg_kuse *uses, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++)
        if (xg_klow_is_high(uses[k].value->type)) return true;
    return false;
}
/* Old values (results or arguments) stand for parts among the new ones. Tensors are what `inits` are. */
XG_FN void xg_klow_bind(xg_kleveller *z, xg_kval *old, uint32_t n, xg_kval *parts, const xg_kuse *inits) {
    uint32_t k, i, at = 0;
    for (k = 0; k < n; k++) {
        xg_klow *l;
        if (old[k].type->kind == XG_TK_TENSOR) {
            if (inits) old[k].scratch = xg_klow_of(z, inits[k].value);
            continue;
        }
        if (!xg_klow_is_high(old[k].type)) {
            xg_kval_copy_facts(&parts[at], &old[k]);
            xg_kval_replace(&old[k], &parts[at++]);
            continue;
        }
        l = xg_klow_new(z, &old[k]);
        for (i = 0; i < l->n; i++) l->parts[i] = &parts[at++];
    }
}
XG_FN void xg_klow_types(xg_kleveller *z, const xg_kval *vals, uint32_t n, const xg_ktype ***out, uint32_t *count) {
    XG_VEC(const xg_ktype *) v;
    uint32_t k, i, parts;
    memset(&v, 0, sizeof v);
    for (k = 0; k < n; k++) {
        const xg_ktype *t = xg_klow_part_type(z->m, vals[k].type, &parts);
        for (i = 0; i < parts; i++) xg_push(z->m->temp, const xg_ktype *, &v, t);
    }
    *out = v.p;
    *count = v.n;
}
XG_FN void xg_klow_end(xg_kleveller *z, xg_kregion *r) {
    xg_kop *end = xg_kregion_end(r);
    xg_kb b = xg_kb_before(z->m, end);
    xg_klow_list v;
    if (!xg_klow_any_high(end->operands, end->n_operands)) return;
    memset(&v, 0, sizeof v);
    xg_klow_flatten(z, &v, end->operands, end->n_operands);
    xg_kir_do(&b, end->op, v.p, v.n);
    xg_kop_remove(end);
}
XG_FN bool xg_klow_results_high(const xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_results; k++)
        if (xg_klow_is_high(op->results[k].type)) return true;
    return false;
}
/* for and while: `first` operands and arguments come before the carried ones. */
XG_FN void xg_klow_loop(xg_kleveller *z, xg_kop *op, uint32_t first_operand, uint32_t first_arg) {
    xg_kop *to = op;
    uint32_t k, n, i, had = op->n_results;
    const xg_ktype **types;
    xg_klow_list v;
    if (!xg_klow_results_high(op)) {
        for (k = 0; k < op->n_regions; k++) xg_klow_region(z, op->regions[k]);
        return;
    }
    memset(&v, 0, sizeof v);
    for (k = 0; k < first_operand; k++) xg_push(z->m->temp, xg_kval *, &v, op->operands[k].value);
    xg_klow_flatten(z, &v, op->operands + first_operand, had);
    xg_klow_types(z, op->results, had, &types, &n);
    to = xg_kop_rebuild(z->m, op, v.p, v.n, types, n);
    for (i = 0; i < to->n_regions; i++) {
        xg_kregion *r = to->regions[i];
        xg_kval *old = r->args;
        const xg_ktype **args = XG_NEW_N(z->m->temp, const xg_ktype *, n + first_arg + 1);
        for (k = 0; k < first_arg; k++) args[k] = old[k].type;
        for (k = 0; k < n; k++) args[first_arg + k] = types[k];
        xg_kregion_set_args(z->m, r, args, n + first_arg);
        for (k = 0; k < first_arg; k++) {
            xg_kval_copy_facts(&r->args[k], &old[k]);
            xg_kval_replace(&old[k], &r->args[k]);
        }
        xg_klow_bind(z, old + first_arg, had, r->args + first_arg, op->operands + first_operand);
    }
    xg_klow_bind(z, op->results, had, to->results, op->operands + first_operand);
    for (i = 0; i < to->n_regions; i++) {
        xg_klow_region(z, to->regions[i]);
        xg_klow_end(z, to->regions[i]);
    }
    xg_klow_dead(z, op);
}
XG_FN void xg_klow_if(xg_kleveller *z, xg_kop *op) {
    uint32_t k, n, had = op->n_results;
    const xg_ktype **types;
    xg_kval *cond = op->operands[0].value;
    xg_kop *to;
    for (k = 0; k < 2; k++) xg_klow_region(z, op->regions[k]);
    if (!xg_klow_results_high(op)) return;
    for (k = 0; k < had; k++)
        if (op->results[k].type->kind == XG_TK_TENSOR) {
            xg_kval *x = xg_kregion_end(op->regions[0])->operands[k].value,
                    *y = xg_kregion_end(op->regions[1])->operands[k].value;
            if (xg_klow_of(z, x)->pointer != xg_klow_of(z, y)->pointer)
                xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL, "the branches of an scf.if give tensors in different memory");
            op->results[k].scratch = x->scratch;
        }
    for (k = 0; k < 2; k++) xg_klow_end(z, op->regions[k]);
    xg_klow_types(z, op->results, had, &types, &n);
    to = xg_kop_rebuild(z->m, op, &cond, 1, types, n);
    xg_klow_bind(z, op->results, had, to->results, NULL);
    xg_klow_dead(z, op);
}

XG_FN void xg_klow_op(xg_kleveller *z, xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_EXTRACT: xg_klow_extract(z, op); break;
    case XG_K_OP_INSERT: xg_klow_insert(z, op); break;
    case XG_K_OP_ATOMIC_RMW: xg_klow_atomic(z, op); break;
    case XG_K_OP_READ: xg_klow_read(z, op); break;
    case XG_K_OP_WRITE: xg_klow_write(z, op); break;
    case XG_K_OP_VEXTRACT: xg_klow_vextract(z, op); break;
    case XG_K_OP_VINSERT: xg_klow_vinsert(z, op); break;
    case XG_K_OP_CONST: xg_klow_constant(z, op); break;
    case XG_K_OP_SELECT: xg_klow_select(z, op); break;
    case XG_K_OP_COMPLEX: xg_klow_create(z, op); break;
    case XG_K_OP_RE:
    case XG_K_OP_IM: xg_klow_part(z, op); break;
    case XG_K_OP_ALLOC_SHARED: xg_klow_shared(z, op); break;
    case XG_K_OP_SYNC: xg_klow_sync(z, op); break;
    case XG_K_OP_PEER: xg_klow_peer(z, op); break;
    case XG_K_OP_VIEW: xg_klow_view(z, op); break;
    case XG_K_OP_LOAD_MATRIX: xg_klow_load_matrix(z, op); break;
    case XG_K_OP_DESCRIBE_MATRIX: xg_klow_describe_matrix(z, op); break;
    case XG_K_OP_SHARED_AT: xg_klow_shared_at(z, op); break;
    case XG_K_OP_FOR: xg_klow_loop(z, op, 3, 1); break;
    case XG_K_OP_WHILE: xg_klow_loop(z, op, 0, 0); break;
    case XG_K_OP_IF: xg_klow_if(z, op); break;
    case XG_K_OP_CALL:
    case XG_K_OP_LOOP:
        xg_fail(z->m->ctx, XLAGPU_ERROR_INTERNAL, "lower-tensors comes after inline and lower-loops; it met %s",
            xg_kop_name(op->op));
    default: break;
    }
}
XG_FN void xg_klow_clear(xg_kval *v, uint32_t n) {
    for (; n--; v++) v->scratch = NULL;
}
/* All but the terminator, which is the business of the operation around. */
XG_FN void xg_klow_region(xg_kleveller *z, xg_kregion *r) {
    xg_kop *op, *next;
    uint32_t k;
    for (op = r->first; op; op = next) {
        next = op->next;
        xg_klow_clear(op->results, op->n_results);
        for (k = 0; k < op->n_regions; k++) xg_klow_clear(op->regions[k]->args, op->regions[k]->n_args);
        xg_klow_op(z, op);
    }
}

/* ---- the entry ---- */

/* The block's part of a buffer, which has the tensor's size. */
XG_FN void xg_klow_own_part(xg_kleveller *z, xg_kfunc *f, const xg_ktype *t, xg_klow *l) {
    xg_kb b = f->body->first ? xg_kb_before(z->m, f->body->first) : xg_kb_end(z->m, f->body);
    int64_t bytes = t->elements * xg_kelem_bytes(t->elem);
    l->pointer = xg_kptr(&b, l->pointer, xg_kblock_id(&b, 0, f->blocks[0]), bytes, 0);
    while (l->align > 1 && bytes % l->align) l->align /= 2;
}
/* The first parameter of each slice becomes a pointer and knows the most of all of them. */
XG_APART XG_FN void xg_klow_params(xg_kleveller *z, xg_kfunc *f) {
    xg_kmodule *m = z->m;
    xg_kval *old = f->body->args;
    uint32_t n_old = f->body->n_args, n = 0, k, inputs = 0;
    xg_map64 first;
    uint32_t *to = XG_NEW_N(m->temp, uint32_t, n_old + 1);
    const xg_ktype **types = XG_NEW_N(m->temp, const xg_ktype *, n_old + 1);
    xg_karg *args = XG_NEW_N(m->arena, xg_karg, n_old + 1);
    xg_map64_init(&first, m->temp);
    for (k = 0; k < n_old; k++) {
        const xg_karg *a = &f->args[k];
        uint64_t key = (uint64_t)(uint32_t)a->slice;
        uint32_t *found = old[k].type->kind == XG_TK_TENSOR ? (uint32_t *)xg_map64_get(&first, key) : NULL;
        if (found) {
            to[k] = *found;
            args[to[k]].bytes = XG_MAX(args[to[k]].bytes, a->bytes);
            args[to[k]].align = XG_MAX(args[to[k]].align, a->align);
            args[to[k]].written |= a->written;
            args[to[k]].aliased |= a->aliased;
            continue;
        }
        to[k] = n;
        args[n] = *a;
        args[n].parted = false;
        types[n] = old[k].type->kind == XG_TK_TENSOR ? xg_kir_pointer(m, XG_SPACE_GLOBAL) : old[k].type;
        if (old[k].type->kind == XG_TK_TENSOR) xg_map64_put(&first, key, &to[k]);
        inputs += k < f->n_inputs;
        n++;
    }
    for (k = 0; k < f->n_maps; k++) f->maps[k].arg = to[f->maps[k].arg];
    xg_kregion_set_args(m, f->body, types, n);
    for (k = 0; k < n_old; k++) {
        xg_kval *p = &f->body->args[to[k]];
        if (!p->name.n) p->name = old[k].name;
        if (old[k].type->kind == XG_TK_TENSOR) {
            xg_klow *l = xg_klow_new(z, &old[k]);
            l->pointer = p;
            l->invariant = !args[to[k]].written && !args[to[k]].aliased;
            l->align = XG_MAX(args[to[k]].align, 1);
            if (f->args[k].parted) xg_klow_own_part(z, f, old[k].type, l);
        } else
            xg_kval_replace(&old[k], p);
    }
    f->args = args;
    f->n_inputs = inputs;
}
XG_FN void xg_kir_lower_tensors(xg_kmodule *m) {
    xg_kleveller z;
    xg_kfunc *f = m->entry;
    xg_kop *end;
    xg_kb b;
    if (!f) return;
    memset(&z, 0, sizeof z);
    z.m = m;
    m->shared_bytes = 0;
    xg_set_init(&z.rests, m->temp);
    xg_set_init(&z.bases, m->temp);
    xg_klow_clear(f->body->args, f->body->n_args);
    xg_klow_params(&z, f);
    xg_klow_region(&z, f->body);
    end = xg_kregion_end(f->body);
    b = xg_kb_before(m, end);
    xg_kreturn(&b, NULL, 0);
    xg_kop_remove(end);
    f->n_results = 0;
    while (z.dead.n) xg_kop_remove(z.dead.p[--z.dead.n]);
}

#endif /* XG_KIR_LOWER_TENSORS_C */
