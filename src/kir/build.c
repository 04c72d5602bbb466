/* kir/build.c -- types, functions, operations and their uses: everything that creates or changes kernel IR.
 *
 * An operation is one block of the arena: header, operands, results, pointers to regions. The operands are also the
 * links of their value's list of uses, in the order of creation. Nothing is freed. */
#ifndef XG_KIR_BUILD_C
#define XG_KIR_BUILD_C
#include "kir.h"
#include "../base/number.h"
#include "ranges.c"

/* ---- elements ---- */

typedef enum xg_kclass {
    XG_KCLASS_INT,
    XG_KCLASS_INDEX,
    XG_KCLASS_FLOAT,
    XG_KCLASS_COMPLEX
} xg_kclass;
typedef struct xg_kelem_row {
    const char *text;
    uint8_t bits, cls, format; /* an xg_kclass, an xlagpu_type */
} xg_kelem_row;
#define XG_KFORMAT_INT(name) XLAGPU_INVALID
#define XG_KFORMAT_INDEX(name) XLAGPU_INVALID
#define XG_KFORMAT_FLOAT(name) XLAGPU_##name
#define XG_KFORMAT_COMPLEX(name) XLAGPU_INVALID
XG_TABLE const xg_kelem_row xg_kelem_rows[] = {
#define X(name, text, bits, cls) {text, bits, XG_KCLASS_##cls, XG_KFORMAT_##cls(name)},
    XG_KIR_ELEMS(X)
#undef X
        {"?", 0, XG_KCLASS_INT, XLAGPU_INVALID},
};
#undef XG_KFORMAT_INT
#undef XG_KFORMAT_INDEX
#undef XG_KFORMAT_FLOAT
#undef XG_KFORMAT_COMPLEX

XG_ONE_COPY XG_FN int xg_kelem_bits(xg_kelem e) { return xg_kelem_rows[e].bits; }
XG_FN int64_t xg_kelem_bytes(xg_kelem e) { return e == XG_E_INDEX ? 8 : XG_MAX(xg_kelem_rows[e].bits / 8, 1); }
XG_ONE_COPY XG_FN bool xg_kelem_is_int(xg_kelem e) { return xg_kelem_rows[e].cls <= XG_KCLASS_INDEX; }
XG_ONE_COPY XG_FN bool xg_kelem_is_float(xg_kelem e) { return xg_kelem_rows[e].cls == XG_KCLASS_FLOAT; }
XG_ONE_COPY XG_FN bool xg_kelem_is_complex(xg_kelem e) { return xg_kelem_rows[e].cls == XG_KCLASS_COMPLEX; }
XG_ONE_COPY XG_FN const char *xg_kelem_name(xg_kelem e) { return xg_kelem_rows[e].text; }
XG_ONE_COPY XG_FN xlagpu_type xg_kelem_format(xg_kelem e) { return (xlagpu_type)xg_kelem_rows[e].format; }

XG_FN xg_kelem xg_kelem_of(xlagpu_type t) {
    switch (t) {
    case XLAGPU_PRED: return XG_E_I1;
    case XLAGPU_S1:
    case XLAGPU_S2:
    case XLAGPU_S4:
    case XLAGPU_S8:
    case XLAGPU_U1:
    case XLAGPU_U2:
    case XLAGPU_U4:
    case XLAGPU_U8: return XG_E_I8;
    case XLAGPU_S16:
    case XLAGPU_U16: return XG_E_I16;
    case XLAGPU_S32:
    case XLAGPU_U32: return XG_E_I32;
    case XLAGPU_S64:
    case XLAGPU_U64: return XG_E_I64;
    case XLAGPU_C64: return XG_E_C64;
    case XLAGPU_C128: return XG_E_C128;
    default: {
        int e;
        for (e = 0; e < (int)XG_E_COUNT; e++)
            if (t != XLAGPU_INVALID && (xlagpu_type)xg_kelem_rows[e].format == t) return (xg_kelem)e;
        return XG_E_COUNT;
    }
    }
}

/* ---- operations' table ---- */

/* All names in one string: a row has the offset of its name, in two bytes instead of a pointer's eight. */
typedef struct xg_kop_names {
#define X(name, text, lo, hi, results, regions, flags, types, attrs) char of_##name[sizeof(text)];
    XG_KIR_OPS(X)
#undef X
} xg_kop_names;
static const xg_kop_names xg_kop_texts = {
#define X(name, text, lo, hi, results, regions, flags, types, attrs) text,
    XG_KIR_OPS(X)
#undef X
};
typedef struct xg_kop_row {
    uint16_t text;
    uint8_t lo, hi;
    int8_t results, regions;
    uint8_t flags, check, form;
} xg_kop_row;
XG_TABLE const xg_kop_row xg_kop_rows[] = {
#define X(name, text, lo, hi, results, regions, flags, types, attrs) \
    {offsetof(xg_kop_names, of_##name), lo, hi, results, regions, flags, XG_KCHECK_##types, XG_KFORM_##attrs},
    XG_KIR_OPS(X)
#undef X
};
XG_TABLE const xg_kmma_row xg_kmma_rows[] = {
#define X(name, a, b, sum, bytes, tensor) {a, b, bytes, XG_E_##sum, XG_TENSOR_##tensor},
    XG_KIR_MMA(X)
#undef X
};
XG_ONE_COPY XG_FN const xg_kmma_row *xg_kmma_row_of(uint32_t kind) { return &xg_kmma_rows[kind % XG_KMMA_COUNT]; }
XG_ONE_COPY XG_FN const char *xg_kop_name(xg_kopcode op) { return (const char *)&xg_kop_texts + xg_kop_rows[op].text; }
XG_ONE_COPY XG_FN uint32_t xg_kop_flags(xg_kopcode op) { return xg_kop_rows[op].flags; }

/* ---- types ---- */

XG_FN bool xg_ktype_same(const void *node, const void *key) {
    const xg_ktype *a = (const xg_ktype *)node, *b = (const xg_ktype *)key;
    return a->kind == b->kind && a->elem == b->elem && a->space == b->space && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

XG_FN const xg_ktype *xg_ktype_make(
    xg_kmodule *m, xg_kkind kind, xg_kelem e, xg_kspace space, const int64_t *dims, uint32_t rank) {
    xg_ktype key, *t;
    uint32_t h, k;
    void **slot;
    int64_t n = 1, *copy = NULL;
    if (e == XG_E_COUNT) xg_fail(m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR has no element for this type");
    for (k = 0; k < rank; k++)
        if (dims[k] < 0 || !xg_mul64(n, dims[k], &n))
            xg_fail(m->ctx, XLAGPU_ERROR_LIMIT, "a tensor of kernel IR has more than 2^63-1 elements");
    memset(&key, 0, sizeof key);
    key.kind = kind;
    key.elem = e;
    key.space = space;
    key.rank = rank;
    key.dims = dims;
    h = xg_hash_mix((uint32_t)kind * 64 + (uint32_t)e, (uint64_t)space * 64 + rank);
    for (k = 0; k < rank; k++) h = xg_hash_mix(h, (uint64_t)dims[k]);
    slot = xg_set_find(&m->types, h, xg_ktype_same, &key);
    if (*slot) return (const xg_ktype *)*slot;
    t = XG_NEW(m->arena, xg_ktype);
    *slot = t;
    *t = key;
    if (rank) {
        copy = XG_NEW_N(m->arena, int64_t, rank);
        memcpy(copy, dims, rank * sizeof *copy);
    }
    t->dims = copy;
    t->elements = n;
    t->id = m->n_types++;
    return t;
}

XG_FN const xg_ktype *xg_kir_scalar(xg_kmodule *m, xg_kelem e) {
    if (e < XG_E_COUNT && m->scalars[e]) return m->scalars[e];
    m->scalars[e < XG_E_COUNT ? e : XG_E_I1] = xg_ktype_make(m, XG_TK_SCALAR, e, XG_SPACE_GLOBAL, NULL, 0);
    return m->scalars[e];
}
XG_FN const xg_ktype *xg_kir_vector(xg_kmodule *m, xg_kelem e, int64_t lanes) {
    return xg_ktype_make(m, XG_TK_VECTOR, e, XG_SPACE_GLOBAL, &lanes, 1);
}
XG_FN bool xg_ktype_is_whole(const xg_ktype *t) {
    return t->kind == XG_TK_VECTOR && (t->elem == XG_E_F32 || t->elem == XG_E_F64) &&
           t->elements * xg_kelem_bytes(t->elem) == XG_KWHOLE_BYTES;
}
XG_FN const xg_ktype *xg_kir_tensor(xg_kmodule *m, xg_kelem e, const int64_t *dims, uint32_t rank) {
    return xg_ktype_make(m, XG_TK_TENSOR, e, XG_SPACE_GLOBAL, dims, rank);
}
XG_FN const xg_ktype *xg_kir_pointer(xg_kmodule *m, xg_kspace space) {
    return xg_ktype_make(m, XG_TK_POINTER, XG_E_I8, space, NULL, 0);
}
/* The same shape (scalar or vector) with another element. */
XG_FN const xg_ktype *xg_ktype_with_elem(xg_kmodule *m, const xg_ktype *t, xg_kelem e) {
    return t->kind == XG_TK_VECTOR ? xg_kir_vector(m, e, t->elements) : xg_kir_scalar(m, e);
}

/* ---- modules and functions ---- */

XG_FN xg_kmodule *xg_kir_module(xg_ctx *c, xg_arena *a, xg_aff_ctx *aff) {
    xg_kmodule *m = XG_NEW(a, xg_kmodule);
    m->ctx = c;
    m->arena = m->temp = a;
    m->aff = aff;
    xg_set_init(&m->types, a);
    return m;
}

XG_FN void xg_kval_init(xg_kmodule *m, xg_kval *v, const xg_ktype *t, uint32_t index) {
    v->def = NULL;
    v->type = t;
    v->first_use = v->last_use = NULL;
    v->scratch = NULL;
    v->region = NULL;
    v->name = xg_str_of(NULL, 0);
    v->index = index;
    v->id = m->n_ids++;
    v->lo = 1; /* unknown */
    v->hi = 0;
}

XG_FN void xg_kregion_set_args(xg_kmodule *m, xg_kregion *r, const xg_ktype *const *types, uint32_t n) {
    uint32_t k;
    r->args = n ? (xg_kval *)xg_alloc_raw(m->arena, xg_mul(m->ctx, sizeof *r->args, n)) : NULL;
    r->n_args = n;
    for (k = 0; k < n; k++) {
        xg_kval_init(m, &r->args[k], types[k], k);
        r->args[k].region = r;
    }
}

XG_FN xg_kfunc *xg_kir_func(xg_kmodule *m, xg_str name, const xg_ktype *const *params, uint32_t n,
    const xg_ktype *const *results, uint32_t nr) {
    xg_kfunc *f = XG_NEW(m->arena, xg_kfunc);
    int d;
    f->module = m;
    f->name = xg_str_copy(m->arena, name);
    f->body = XG_NEW(m->arena, xg_kregion);
    f->body->func = f;
    xg_kregion_set_args(m, f->body, params, n);
    f->args = XG_NEW_N(m->arena, xg_karg, n + 1);
    f->n_results = nr;
    f->results = XG_NEW_N(m->arena, const xg_ktype *, nr + 1);
    if (nr) memcpy((void *)f->results, (const void *)results, nr * sizeof *results);
    for (d = 0; d < 3; d++) f->threads[d] = f->blocks[d] = 1;
    f->prev = m->last;
    if (m->last)
        m->last->next = f;
    else
        m->first = f;
    m->last = f;
    return f;
}

XG_FN uint32_t xg_kregion_depth(const xg_kregion *r) {
    uint32_t n = 0;
    for (; r->owner; r = r->owner->parent) n++;
    return n;
}
XG_FN uint64_t xg_kregion_count(const xg_kregion *r) {
    uint64_t n = 0;
    const xg_kop *op;
    uint32_t k;
    for (op = r->first; op; op = op->next) {
        n++;
        for (k = 0; k < op->n_regions; k++) n += xg_kregion_count(op->regions[k]);
    }
    return n;
}
XG_FN void xg_kir_func_remove(xg_kfunc *f) {
    xg_kmodule *m = f->module;
    m->n_ops -= (uint32_t)xg_kregion_count(f->body);
    if (f->prev)
        f->prev->next = f->next;
    else
        m->first = f->next;
    if (f->next)
        f->next->prev = f->prev;
    else
        m->last = f->prev;
    if (m->entry == f) m->entry = NULL;
}

/* ---- places ---- */

XG_FN xg_kb xg_kb_make(xg_kmodule *m, xg_kregion *r, xg_kop *before, uint32_t loc) {
    xg_kb b;
    b.m = m;
    b.region = r;
    b.before = before;
    b.loc = loc;
    return b;
}
XG_FN void xg_kb_move(xg_kb *b, xg_kop *op) {
    b->region = op->parent;
    b->before = op;
    b->loc = op->loc;
}
XG_FN xg_kb xg_kb_end(xg_kmodule *m, xg_kregion *r) { return xg_kb_make(m, r, NULL, 0); }
XG_FN xg_kb xg_kb_before(xg_kmodule *m, xg_kop *op) {
    xg_kb b;
    b.m = m;
    xg_kb_move(&b, op);
    return b;
}
XG_FN xg_kb xg_kb_after(xg_kmodule *m, xg_kop *op) { return xg_kb_make(m, op->parent, op->next, op->loc); }

/* ---- lists: operations of a region, uses of a value ---- */

XG_FN void xg_kop_link(xg_kop *op, xg_kregion *r, xg_kop *before) {
    op->parent = r;
    op->next = before;
    op->prev = before ? before->prev : r->last;
    if (op->prev)
        op->prev->next = op;
    else
        r->first = op;
    if (before)
        before->prev = op;
    else
        r->last = op;
}
XG_FN void xg_kop_unlink(xg_kop *op) {
    if (op->prev)
        op->prev->next = op->next;
    else
        op->parent->first = op->next;
    if (op->next)
        op->next->prev = op->prev;
    else
        op->parent->last = op->prev;
    op->prev = op->next = NULL;
}
XG_FN void xg_kuse_link(xg_kuse *u, xg_kval *v) {
    u->user->changed = true;
    u->value = v;
    u->next = NULL;
    u->prev = v->last_use;
    if (v->last_use)
        v->last_use->next = u;
    else
        v->first_use = u;
    v->last_use = u;
}
XG_FN void xg_kuse_unlink(xg_kuse *u) {
    xg_kval *v = u->value;
    if (v->def) v->def->changed = true;
    if (u->prev)
        u->prev->next = u->next;
    else
        v->first_use = u->next;
    if (u->next)
        u->next->prev = u->prev;
    else
        v->last_use = u->prev;
    u->prev = u->next = NULL;
}

/* ---- creating operations ---- */

/* Ends the compilation with the operation's name if an operand or type is missing: another room could not build it (an
 * undefined map, a value that is no array). */
XG_NORETURN XG_FN void xg_kir_refuse(const xg_kb *b, xg_kopcode code, const char *what, uint32_t k) {
    xg_fail(b->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR, function @%s: operation %s is made without %s %u",
        b->region->func->name.p, xg_kop_name(code), what, k);
}

XG_FN xg_kop *xg_kir_op(xg_kb *b, xg_kopcode code, xg_kval *const *operands, uint32_t n, const xg_ktype *const *results,
    uint32_t nr, uint32_t n_regions) {
    size_t at_operands = sizeof(xg_kop), at_results = at_operands + n * sizeof(xg_kuse),
           at_regions = at_results + nr * sizeof(xg_kval), at_region = at_regions + n_regions * sizeof(xg_kregion *);
    char *block;
    xg_kop *op;
    uint32_t k;
    if (XG_UNLIKELY((n | nr | n_regions) >> 20))
        xg_fail(b->m->ctx, XLAGPU_ERROR_LIMIT, "an operation of kernel IR with more than 2^20 operands or results");
    block = (char *)xg_alloc_raw(b->m->arena, at_region + n_regions * sizeof(xg_kregion));
    op = (xg_kop *)(void *)block;
    op->op = code;
    b->m->made[code]++;
    if (code == XG_K_OP_FOR || code == XG_K_OP_WHILE) xg_push(b->m->arena, xg_kop *, &b->m->loops, op);
    b->m->n_ops++;
    op->changed = true;
    op->flags = 0;
    op->a = op->b = 0;
    op->p = op->scratch = NULL;
    op->id = b->m->n_ids++;
    op->loc = b->loc;
    op->n_operands = n;
    op->n_results = nr;
    op->n_regions = n_regions;
    op->operands = (xg_kuse *)(void *)(block + at_operands);
    op->results = (xg_kval *)(void *)(block + at_results);
    op->regions = (xg_kregion **)(void *)(block + at_regions);
    for (k = 0; k < n; k++) {
        op->operands[k].user = op;
        if (XG_UNLIKELY(!operands[k])) xg_kir_refuse(b, code, "operand", k);
        xg_kuse_link(&op->operands[k], operands[k]);
    }
    for (k = 0; k < nr; k++) {
        if (XG_UNLIKELY(!results[k])) xg_kir_refuse(b, code, "the type of result", k);
        xg_kval_init(b->m, &op->results[k], results[k], k);
        op->results[k].def = op;
    }
    for (k = 0; k < n_regions; k++) {
        xg_kregion *r = (xg_kregion *)(void *)(block + at_region) + k;
        memset(r, 0, sizeof *r);
        r->owner = op;
        r->func = b->region->func;
        op->regions[k] = r;
    }
    xg_kop_link(op, b->region, b->before);
    if (n && nr == 1 && xg_ktype_has_range(results[0])) xg_kop_infer_range(op);
    return op;
}

XG_ONE_COPY XG_FN xg_kop *xg_kir_do(xg_kb *b, xg_kopcode op, xg_kval *const *operands, uint32_t n) {
    return xg_kir_op(b, op, operands, n, NULL, 0, 0);
}
XG_ONE_COPY XG_FN xg_kop *xg_kir_do_0(xg_kb *b, xg_kopcode op) { return xg_kir_do(b, op, NULL, 0); }

XG_FN xg_kregion *xg_kir_region_args(xg_kb *b, xg_kop *op, uint32_t which, const xg_ktype *const *types, uint32_t n) {
    xg_kregion_set_args(b->m, op->regions[which], types, n);
    return op->regions[which];
}

/* One result of the given type. */
XG_FN xg_kval *xg_kir_value(xg_kb *b, xg_kopcode op, xg_kval *const *operands, uint32_t n, const xg_ktype *t) {
    return xg_kir_op(b, op, operands, n, &t, 1, 0)->results;
}
XG_ONE_COPY XG_FN xg_kval *xg_kir_of(xg_kb *b, xg_kopcode op, xg_kval *x, const xg_ktype *t) {
    return xg_kir_value(b, op, &x, 1, t);
}

XG_FN xg_kval *xg_k1(xg_kb *b, xg_kopcode op, xg_kval *x) {
    return xg_kfolded(b, xg_kir_of(b, op, x, x ? x->type : NULL));
}
XG_FN xg_kval *xg_k2(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y) {
    xg_kval *v[2];
    v[0] = x;
    v[1] = y;
    return xg_kfolded(b, xg_kir_value(b, op, v, 2, x ? x->type : NULL));
}
/* Those that are made most, at hundreds of places. */
#define X(name, op) \
    XG_ONE_COPY XG_FN xg_kval *xg_k##name(xg_kb *b, xg_kval *x, xg_kval *y) { return xg_k2(b, op, x, y); }
X(addi, XG_K_OP_ADDI)
X(subi, XG_K_OP_SUBI)
X(mulf, XG_K_OP_MULF)
X(andi, XG_K_OP_ANDI)
#undef X
#define X(name, op) \
    XG_ONE_COPY XG_FN xg_kval *xg_k##name(xg_kb *b, xg_kval *x, xg_kelem to) { return xg_kcast(b, op, x, to); }
X(cast_index, XG_K_OP_INDEX_CAST)
X(bitcast, XG_K_OP_BITCAST)
X(extui, XG_K_OP_EXTUI)
#undef X
XG_FN xg_kval *xg_k3(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kval *y, xg_kval *z) {
    xg_kval *v[3];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return xg_kfolded(b, xg_kir_value(b, op, v, 3, op == XG_K_OP_SELECT ? y->type : x->type));
}
XG_FN xg_kval *xg_kcast(xg_kb *b, xg_kopcode op, xg_kval *x, xg_kelem to) {
    return xg_kfolded(b, xg_kir_of(b, op, x, xg_ktype_with_elem(b->m, x->type, to)));
}

/* ---- constants ---- */

/* The canonical form of an integer element's bits: sign-extended; i1 is 0 or 1. */
XG_FN int64_t xg_kint_wrap(xg_kelem e, int64_t v) {
    int bits = xg_kelem_bits(e);
    uint64_t u = (uint64_t)v;
    if (e == XG_E_I1) return v & 1;
    if (bits == 0 || bits >= 64) return v;
    u &= ((uint64_t)1 << bits) - 1;
    if (u >> (bits - 1)) u |= ~(uint64_t)0 << bits;
    return (int64_t)u;
}

/* The pool holds the constants at the head of the entry. An entry may have been removed or have changed its type since,
 * so a hit compares everything. */
typedef struct xg_kconst_key {
    const xg_ktype *type;
    int64_t a, b;
    const xg_kregion *at;
} xg_kconst_key;
XG_FN bool xg_kconst_same(const void *node, const void *key) {
    const xg_kop *op = (const xg_kop *)node;
    const xg_kconst_key *k = (const xg_kconst_key *)key;
    return op->a == k->a && op->b == k->b && op->results[0].type == k->type && op->parent == k->at;
}
/* The slot of the constant of this type and these bits in region `at`. */
XG_FN void **xg_kconst_slot(xg_set *pool, const xg_ktype *t, int64_t a, int64_t b, const xg_kregion *at) {
    xg_kconst_key key;
    key.type = t;
    key.a = a;
    key.b = b;
    key.at = at;
    return xg_set_find(pool, xg_hash_mix(t->id + (uint32_t)b, (uint64_t)a), xg_kconst_same, &key);
}
/* The place behind the last constant at the head of the entry; the entry's start, if that constant was removed. */
XG_FN xg_kb xg_kconst_place(xg_kmodule *m) {
    xg_kregion *body = m->entry->body;
    return xg_kb_make(
        m, body, m->last_constant && m->last_constant->parent == body ? m->last_constant->next : body->first, 0);
}
/* Predicates and 16-bit constants take a register, so they are created at each use instead of pooled. */
XG_FN bool xg_kconst_is_pooled(const xg_kb *b, const xg_ktype *t) {
    int bits = xg_kelem_bits(t->elem);
    return b->m->constants.arena && bits != 1 && bits != 16 && b->region->func == b->m->entry;
}

XG_FN xg_kop *xg_kconst_make(xg_kb *b, const xg_ktype *t, int64_t a) {
    xg_kop *op = xg_kir_op(b, XG_K_OP_CONST, NULL, 0, &t, 1, 0);
    op->a = a;
    if (xg_kelem_is_int(t->elem)) xg_kval_set_range(op->results, xg_range_of(a, a));
    return op;
}
XG_FN xg_kval *xg_kconst_bits(xg_kb *b, const xg_ktype *t, uint64_t bits) {
    int width = xg_kelem_bits(t->elem);
    int64_t a = xg_kelem_is_int(t->elem) ? xg_kint_wrap(t->elem, (int64_t)bits)
                                         : (int64_t)(width < 64 ? bits & (((uint64_t)1 << width) - 1) : bits);
    void **slot;
    xg_kb head;
    if (!xg_kconst_is_pooled(b, t)) return xg_kconst_make(b, t, a)->results;
    slot = xg_kconst_slot(&b->m->constants, t, a, 0, b->m->entry->body);
    if (!*slot) {
        head = xg_kconst_place(b->m);
        *slot = b->m->last_constant = xg_kconst_make(&head, t, a);
    }
    return ((xg_kop *)*slot)->results;
}
XG_FN xg_kval *xg_kconst_int(xg_kb *b, xg_kelem e, int64_t v) {
    return xg_kconst_bits(b, xg_kir_scalar(b->m, e), (uint64_t)v);
}
XG_ONE_COPY XG_FN xg_kval *xg_kconst_i32(xg_kb *b, int64_t v) { return xg_kconst_int(b, XG_E_I32, v); }
XG_FN xg_kval *xg_kconst_float(xg_kb *b, xg_kelem e, double v) {
    XLAGPU_ASSERT(xg_kelem_is_float(e));
    return xg_kconst_bits(b, xg_kir_scalar(b->m, e), xg_float_encode(xg_kelem_format(e), v));
}
XG_FN bool xg_kval_is_const(const xg_kval *v, int64_t *bits) {
    if (!v->def || v->def->op != XG_K_OP_CONST || xg_kelem_is_complex(v->type->elem)) return false;
    if (bits) *bits = v->def->a;
    return true;
}
XG_FN bool xg_kused_once(const xg_kval *v) { return v->first_use && v->first_use == v->last_use; }

/* ---- the usual operations ---- */

XG_FN xg_kval *xg_kcompare(xg_kb *b, xg_kopcode op, uint32_t predicate, xg_kval *x, xg_kval *y) {
    xg_kval *v[2], *r;
    v[0] = x;
    v[1] = y;
    r = xg_kir_value(b, op, v, 2, xg_ktype_with_elem(b->m, x->type, XG_E_I1));
    r->def->flags = predicate;
    return xg_kfolded(b, r);
}
XG_FN xg_kval *xg_kcmpi_(xg_kb *b, xg_kcmpi p, xg_kval *x, xg_kval *y) {
    return xg_kcompare(b, XG_K_OP_CMPI, (uint32_t)p, x, y);
}
XG_FN xg_kval *xg_k2_int(xg_kb *b, xg_kopcode op, xg_kval *x, int64_t y) {
    return xg_k2(b, op, x, xg_kconst_int(b, x->type->elem, y));
}
XG_ONE_COPY XG_FN xg_kval *xg_kaddi_int(xg_kb *b, xg_kval *x, int64_t y) { return xg_k2_int(b, XG_K_OP_ADDI, x, y); }
XG_FN xg_kval *xg_kcmpi_int(xg_kb *b, xg_kcmpi p, xg_kval *x, int64_t y) {
    return xg_kcmpi_(b, p, x, xg_kconst_int(b, x->type->elem, y));
}
XG_FN xg_kval *xg_kcmpf_(xg_kb *b, xg_kcmpf p, xg_kval *x, xg_kval *y) {
    return xg_kcompare(b, XG_K_OP_CMPF, (uint32_t)p, x, y);
}
XG_FN xg_kval *xg_kselect(xg_kb *b, xg_kval *c, xg_kval *x, xg_kval *y) { return xg_k3(b, XG_K_OP_SELECT, c, x, y); }

/* ---- held operands ---- */

XG_FN void xg_khold(xg_kb *b, xg_kval *v) {
    if (b->m->n_held == XG_COUNT(b->m->held))
        xg_fail(b->m->ctx, XLAGPU_ERROR_INTERNAL, "kernel IR: an expression is nested too deeply");
    b->m->held[b->m->n_held++] = v;
}
XG_FN xg_kval *xg_kheld(xg_kb *b) { return b->m->held[--b->m->n_held]; }
XG_FN xg_kval *xg_k2_held(xg_kb *b, xg_kopcode op, xg_kval *x) { return xg_k2(b, op, x, xg_kheld(b)); }
XG_FN xg_kval *xg_k3_held(xg_kb *b, xg_kopcode op, xg_kval *x) {
    xg_kval *y = xg_kheld(b);
    return xg_k3(b, op, x, y, xg_kheld(b));
}
XG_FN xg_kval *xg_kcmpi_held(xg_kb *b, xg_kcmpi p, xg_kval *x) { return xg_kcmpi_(b, p, x, xg_kheld(b)); }
XG_FN xg_kval *xg_kcmpf_held(xg_kb *b, xg_kcmpf p, xg_kval *x) { return xg_kcmpf_(b, p, x, xg_kheld(b)); }

/* A list of up to two values, then the indices, in scratch memory. */
XG_FN xg_kval **xg_kindexed(xg_kb *b, xg_kval *first, xg_kval *second, xg_kval *const *indices, uint32_t n) {
    xg_kval **v = XG_NEW_N(b->m->temp, xg_kval *, n + 2);
    uint32_t k, at = 0;
    v[at++] = first;
    if (second) v[at++] = second;
    for (k = 0; k < n; k++) v[at++] = indices[k];
    return v;
}
XG_FN xg_kval *xg_kextract(xg_kb *b, xg_kval *tensor, xg_kval *const *indices, uint32_t n) {
    xg_kval *few[9];
    uint32_t k;
    if (n > 8)
        return xg_kir_value(b, XG_K_OP_EXTRACT, xg_kindexed(b, tensor, NULL, indices, n), n + 1,
            xg_kir_scalar(b->m, tensor->type->elem));
    few[0] = tensor;
    for (k = 0; k < n; k++) few[k + 1] = indices[k];
    return xg_kir_value(b, XG_K_OP_EXTRACT, few, n + 1, xg_kir_scalar(b->m, tensor->type->elem));
}
XG_FN xg_kval *xg_kinsert(xg_kb *b, xg_kval *value, xg_kval *tensor, xg_kval *const *indices, uint32_t n) {
    return xg_kir_value(b, XG_K_OP_INSERT, xg_kindexed(b, value, tensor, indices, n), n + 2, tensor->type);
}
XG_ONE_COPY XG_FN xg_kval *xg_kinsert_at(xg_kb *b, xg_kval *value, xg_kval *tensor, xg_kval *index) {
    return xg_kinsert(b, value, tensor, &index, 1);
}

XG_FN xg_kval *xg_kid(xg_kb *b, xg_kopcode code, int axis, int64_t count) {
    xg_kval *v = xg_kir_value(b, code, NULL, 0, xg_kir_scalar(b->m, XG_E_INDEX));
    v->def->flags = (uint32_t)axis;
    v->def->b = count - 1;
    xg_kval_set_range(v, xg_range_of(0, count - 1));
    return v;
}
XG_FN xg_kval *xg_kthread_id(xg_kb *b, int axis, int64_t count) { return xg_kid(b, XG_K_OP_THREAD_ID, axis, count); }
XG_FN xg_kval *xg_kblock_id(xg_kb *b, int axis, int64_t count) { return xg_kid(b, XG_K_OP_BLOCK_ID, axis, count); }

XG_FN const xg_ktype **xg_ktypes_of(xg_kb *b, xg_kval *const *vals, uint32_t n) {
    const xg_ktype **t = XG_NEW_N(b->m->temp, const xg_ktype *, n + 1);
    uint32_t k;
    for (k = 0; k < n; k++) t[k] = vals[k]->type;
    return t;
}
XG_FN const xg_ktype **xg_ktypes_index(xg_kb *b, uint32_t n) {
    const xg_ktype **t = XG_NEW_N(b->m->temp, const xg_ktype *, n + 1);
    uint32_t k;
    for (k = 0; k < n; k++) t[k] = xg_kir_scalar(b->m, XG_E_INDEX);
    return t;
}

/* Fails at an undefined map, which has no dimensions. */
XG_FN void xg_kir_check_map(const xg_kb *b, xg_kopcode code, const xg_imap *map) {
    if (map->state == XG_IMAP_UNDEFINED)
        xg_fail(b->m->ctx, XLAGPU_ERROR_INTERNAL,
            "kernel IR, function @%s: operation %s is made with a map that is not defined", b->region->func->name.p,
            xg_kop_name(code));
}

XG_FN xg_kop *xg_kapply(xg_kb *b, const xg_imap *map, xg_kval *const *dims_and_symbols) {
    const xg_ktype *one[1];
    const xg_ktype *const *types = one;
    uint32_t n = map->n_dims + map->n_syms + map->n_rts, k;
    xg_kop *op;
    xg_kir_check_map(b, XG_K_OP_APPLY, map);
    one[0] = xg_kir_scalar(b->m, XG_E_INDEX);
    if (map->n_results > 1) types = xg_ktypes_index(b, map->n_results);
    op = xg_kir_op(b, XG_K_OP_APPLY, dims_and_symbols, n, types, map->n_results, 0);
    op->p = map;
    for (k = 0; k < map->n_results; k++)
        xg_kval_set_range(
            &op->results[k], xg_imap_ok(map) ? xg_imap_result_range(b->m->aff, map, k) : xg_krange_none());
    return op;
}

XG_FN xg_kop *xg_kcall(xg_kb *b, xg_kfunc *callee, xg_kval *const *args, uint32_t n) {
    xg_kop *op = xg_kir_op(b, XG_K_OP_CALL, args, n, callee->results, callee->n_results, 0);
    op->p = callee;
    return op;
}

XG_FN xg_kop *xg_kif(xg_kb *b, xg_kval *cond, const xg_ktype *const *results, uint32_t n) {
    return xg_kir_op(b, XG_K_OP_IF, &cond, 1, results, n, 2);
}

XG_FN xg_kop *xg_kfor(xg_kb *b, xg_kval *lo, xg_kval *hi, xg_kval *step, xg_kval *const *inits, uint32_t n) {
    xg_kval **v = XG_NEW_N(b->m->temp, xg_kval *, n + 3);
    const xg_ktype **types;
    xg_range from = xg_kval_range(lo), to = xg_kval_range(hi);
    xg_kop *op;
    v[0] = lo;
    v[1] = hi;
    v[2] = step;
    if (n) memcpy((void *)(v + 3), (const void *)inits, n * sizeof *v);
    types = xg_ktypes_of(b, v + 2, n + 1);
    types[0] = lo->type;
    op = xg_kir_op(b, XG_K_OP_FOR, v, n + 3, types + 1, n, 1);
    xg_kir_region_args(b, op, 0, types, n + 1);
    if (from.lo != INT64_MIN && to.hi != INT64_MAX && to.hi != INT64_MIN)
        xg_kval_set_range(&op->regions[0]->args[0], xg_range_of(from.lo, XG_MAX(to.hi - 1, from.lo)));
    return op;
}

XG_FN xg_kop *xg_kloop(xg_kb *b, const xg_imap *map, xg_kval *const *dims, xg_kval *const *inits, uint32_t n) {
    uint32_t syms = map->n_syms + map->n_rts, k;
    xg_kval **v = XG_NEW_N(b->m->temp, xg_kval *, map->n_dims + n + 1);
    const xg_ktype **types = xg_ktypes_index(b, syms + map->n_results + n);
    xg_kregion *r;
    xg_kop *op;
    xg_kir_check_map(b, XG_K_OP_LOOP, map);
    for (k = 0; k < map->n_dims; k++) v[k] = dims[k];
    for (k = 0; k < n; k++) {
        v[map->n_dims + k] = inits[k];
        types[syms + map->n_results + k] = inits[k]->type;
    }
    op = xg_kir_op(b, XG_K_OP_LOOP, v, map->n_dims + n, types + syms + map->n_results, n, 1);
    op->a = map->n_dims;
    op->p = map;
    r = xg_kir_region_args(b, op, 0, types, syms + map->n_results + n);
    for (k = 0; k < syms; k++) {
        r->args[k].name = map->syms[k].name;
        xg_kval_set_range(&r->args[k], map->syms[k].range);
    }
    for (k = 0; k < map->n_results; k++)
        xg_kval_set_range(
            &r->args[syms + k], xg_imap_ok(map) ? xg_imap_result_range(b->m->aff, map, k) : xg_krange_none());
    return op;
}

XG_FN void xg_kyield(xg_kb *b, xg_kval *const *vals, uint32_t n) { xg_kir_do(b, XG_K_OP_YIELD, vals, n); }
XG_FN void xg_kreturn(xg_kb *b, xg_kval *const *vals, uint32_t n) { xg_kir_do(b, XG_K_OP_RETURN, vals, n); }

/* ---- changing ---- */

XG_FN void xg_kop_set_operand(xg_kop *op, uint32_t i, xg_kval *v) {
    if (op->operands[i].value == v) return;
    xg_kuse_unlink(&op->operands[i]);
    xg_kuse_link(&op->operands[i], v);
}

XG_FN void xg_kop_shorten(xg_kop *op, uint32_t n) {
    while (op->n_operands > n) xg_kuse_unlink(&op->operands[--op->n_operands]);
}

XG_FN void xg_kval_replace(xg_kval *from, xg_kval *to) {
    xg_kuse *u, *next;
    if (from == to) return;
    if (from->def) from->def->changed = true;
    for (u = from->first_use; u; u = next) {
        next = u->next;
        xg_kuse_link(u, to);
    }
    from->first_use = from->last_use = NULL;
    /* constants print as numbers, and one may replace many values */
    if (to->name.n == 0 && (!to->def || to->def->op != XG_K_OP_CONST)) to->name = from->name;
}

/* Removes the operands of an operation, and of everything in its regions, from their lists of uses. */
XG_FN void xg_kop_drop_uses(xg_kop *op) {
    uint32_t k;
    xg_kop *o;
    for (k = 0; k < op->n_operands; k++) xg_kuse_unlink(&op->operands[k]);
    op->parent->func->module->n_ops--;
    op->parent->func->module->made[op->op]--;
    op->parent = NULL; /* marks it as removed, for worklists */
    for (k = 0; k < op->n_regions; k++)
        for (o = op->regions[k]->last; o; o = o->prev) xg_kop_drop_uses(o);
}
XG_FN void xg_kop_remove(xg_kop *op) {
    uint32_t k;
    for (k = 0; k < op->n_results; k++) XLAGPU_ASSERT(!op->results[k].first_use);
    xg_kop_unlink(op);
    xg_kop_drop_uses(op);
}
XG_FN void xg_kop_move_before(xg_kop *op, xg_kop *before) {
    xg_kop_unlink(op);
    xg_kop_link(op, before->parent, before);
}

XG_ONE_COPY XG_FN void xg_kval_copy_facts(xg_kval *to, const xg_kval *from) {
    to->name = from->name;
    to->lo = from->lo;
    to->hi = from->hi;
}
XG_FN void xg_kclone_begin(const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k;
    for (k = 0; k < r->n_args; k++) r->args[k].scratch = NULL;
    for (op = r->first; op; op = op->next) {
        for (k = 0; k < op->n_operands; k++) op->operands[k].value->scratch = NULL;
        for (k = 0; k < op->n_results; k++) op->results[k].scratch = NULL;
        for (k = 0; k < op->n_regions; k++) xg_kclone_begin(op->regions[k]);
    }
}
XG_FN void xg_kclone_put(xg_kval *v, xg_kval *copy) { v->scratch = copy; }
XG_ONE_COPY XG_FN xg_kval *xg_kclone_value(xg_kval *v) { return v->scratch ? (xg_kval *)v->scratch : v; }
/* The inserted value of a vector's lane, if the insertions in front of it show it. */
XG_FN xg_kval *xg_kvector_lane(xg_kval *v, const xg_kval *index) {
    int64_t lane, at;
    if (!xg_kval_is_const(index, &lane)) return NULL;
    for (; v->def && v->def->op == XG_K_OP_VINSERT && xg_kval_is_const(v->def->operands[2].value, &at);
         v = v->def->operands[1].value)
        if (at == lane) return v->def->operands[0].value;
    return NULL;
}
/* Folds an operation whose operands became constants in the copy; NULL: they are not. */
XG_FN xg_kval *xg_kclone_folded(xg_kb *b, const xg_kop *op) {
    const xg_ktype *t = op->n_results == 1 ? op->results[0].type : NULL;
    int64_t x, y = 0, r;
    if (!t || t->kind != XG_TK_SCALAR || !op->n_operands || op->n_operands > 2) return NULL;
    if (!xg_kval_is_const(xg_kclone_value(op->operands[0].value), &x) ||
        (op->n_operands == 2 && !xg_kval_is_const(xg_kclone_value(op->operands[1].value), &y)))
        return NULL;
    return xg_kfold_int(op->op, t->elem, x, y, &r) ? xg_kconst_bits(b, t, (uint64_t)r) : NULL;
}
/* Copies the operation's block; names, places and uses become the copy's own. */
XG_FN xg_kop *xg_kop_copy(xg_kb *b, const xg_kop *op) {
    size_t bytes = sizeof *op + op->n_operands * sizeof(xg_kuse) + op->n_results * sizeof(xg_kval);
    char *block = (char *)xg_alloc_raw(b->m->arena, bytes);
    xg_kop *to = (xg_kop *)(void *)block;
    bool same = true;
    uint32_t k;
    memcpy(block, op, sizeof *op);
    to->id = b->m->n_ids++;
    b->m->n_ops++;
    b->m->made[to->op]++;
    to->changed = true;
    to->scratch = NULL;
    to->operands = (xg_kuse *)(void *)(block + sizeof *op);
    to->results = (xg_kval *)(void *)(to->operands + op->n_operands);
    to->regions = NULL;
    for (k = 0; k < op->n_operands; k++) {
        xg_kval *v = xg_kclone_value(op->operands[k].value);
        same = same && v == op->operands[k].value;
        to->operands[k].user = to;
        xg_kuse_link(&to->operands[k], v);
    }
    for (k = 0; k < op->n_results; k++) {
        xg_kval *r = &to->results[k];
        *r = op->results[k];
        r->def = to;
        r->id = b->m->n_ids++;
        r->first_use = r->last_use = NULL;
        r->scratch = NULL;
        xg_kclone_put(&op->results[k], r);
    }
    xg_kop_link(to, b->region, b->before);
    if (same || op->n_results != 1 || !xg_ktype_has_range(op->results[0].type)) return to;
    xg_kop_infer_range(to);
    if (to->results[0].lo > to->results[0].hi) {
        to->results[0].lo = op->results[0].lo;
        to->results[0].hi = op->results[0].hi;
    } /* otherwise the new operands may have narrower ranges */
    return to;
}
/* The same for an operation with regions, and for their operations. */
XG_FN void xg_kop_copy_regions(xg_kb *b, const xg_kop *op) {
    xg_arena *a = b->m->temp;
    xg_kval **operands = XG_NEW_N(a, xg_kval *, op->n_operands);
    const xg_ktype **types = XG_NEW_N(a, const xg_ktype *, op->n_results);
    uint32_t k, i;
    xg_kop *to, *o;
    for (k = 0; k < op->n_operands; k++) operands[k] = xg_kclone_value(op->operands[k].value);
    for (k = 0; k < op->n_results; k++) types[k] = op->results[k].type;
    to = xg_kir_op(b, op->op, operands, op->n_operands, types, op->n_results, op->n_regions);
    to->a = op->a;
    to->b = op->b;
    to->flags = op->flags;
    to->p = op->p;
    to->loc = op->loc;
    for (k = 0; k < op->n_results; k++) {
        xg_kval_copy_facts(&to->results[k], &op->results[k]);
        xg_kclone_put(&op->results[k], &to->results[k]);
    }
    for (k = 0; k < op->n_regions; k++) {
        const xg_kregion *r = op->regions[k];
        const xg_ktype **args = XG_NEW_N(a, const xg_ktype *, r->n_args);
        xg_kb inner = xg_kb_end(b->m, to->regions[k]);
        for (i = 0; i < r->n_args; i++) args[i] = r->args[i].type;
        xg_kir_region_args(b, to, k, args, r->n_args);
        for (i = 0; i < r->n_args; i++) {
            xg_kval_copy_facts(&to->regions[k]->args[i], &r->args[i]);
            xg_kclone_put(&r->args[i], &to->regions[k]->args[i]);
        }
        for (o = r->first; o; o = o->next) xg_kop_clone(&inner, o);
    }
}
XG_FN void xg_kop_clone(xg_kb *b, const xg_kop *op) {
    xg_kop *to;
    xg_kval *v = NULL;
    if (op->op == XG_K_OP_CONST && !op->b && xg_kconst_is_pooled(b, op->results[0].type))
        v = xg_kconst_bits(b, op->results[0].type, (uint64_t)op->a);
    else if (op->op == XG_K_OP_VEXTRACT)
        v = xg_kvector_lane(xg_kclone_value(op->operands[0].value), xg_kclone_value(op->operands[1].value));
    else if (b->m->inliner && xg_kclone_instead(b, op))
        return;
    else if (!op->n_regions)
        v = xg_kclone_folded(b, op);
    if (v)
        xg_kclone_put(&op->results[0], v);
    else if (op->n_regions)
        xg_kop_copy_regions(b, op);
    else {
        to = xg_kop_copy(b, op);
        if (b->m->inliner) xg_kclone_merge(b, op, to);
    }
}

/* ---- queries ---- */

XG_FN xg_kop *xg_kregion_end(const xg_kregion *r) {
    return r->last && (xg_kop_flags(r->last->op) & KF_TERM) ? r->last : NULL;
}
XG_FN bool xg_kregion_inside(const xg_kregion *r, const xg_kregion *outer) {
    for (; r && r != outer; r = r->owner ? r->owner->parent : NULL) {}
    return r == outer;
}

#endif /* XG_KIR_BUILD_C */
