/* kir/widen_loads.c -- loads of neighbouring elements become one load of a vector.
 *
 *     a = load p;  b = load p + 4;  c = load p + 8;  d = load p + 12        p a multiple of 16
 * ==> v = load p : vector<4>;  a, b, c, d = its lanes
 *
 * vectorize.c does that for a loop over the lanes. Here are the other ones, above all the rounds of a loop that stand
 * side by side once it is unrolled: a thread that walks along its own row asks memory a quarter as often, and the lanes
 * of a warp meet in fewer transactions. LLVM's LoadStoreVectorizer does the same.
 *
 * Requires: pointers, constant offsets as canonicalize leaves them. Only of memory that the kernel does not write; what
 * is loaded just to be stored (async_copies.c) stays as it is. The alignment follows from that of the parameter and
 * from the factors of the index. */
#ifndef XG_KIR_WIDEN_LOADS_C
#define XG_KIR_WIDEN_LOADS_C
#include "kir.h"
#include "rules.c"

enum {
    XG_KWIDE_BYTES = 16, /* the widest access */
    XG_KWIDE_LANES = 4,
    XG_KWIDE_WINDOW = 32, /* loads, so that what is loaded early does not hold registers for long */
    XG_KWIDE_DEPTH = 8
};

/* A load, as root + index * scale + offset. */
typedef struct xg_kwide {
    xg_kop *load;
    const xg_kval *root, *index; /* index NULL: there is none */
    int64_t scale, offset;
    uint32_t place; /* among the loads of the region */
} xg_kwide;
typedef struct xg_kwider {
    xg_kmodule *m;
    XG_VEC(xg_kwide) loads;
} xg_kwider;

/* ---- addresses ---- */

/* The largest power of two, at most 16, that v is always a multiple of. */
XG_FN int64_t xg_kwide_factor(const xg_kval *v, uint32_t depth) {
    int64_t c, x, y;
    if (xg_kval_is_const(v, &c)) {
        for (x = 1; x < XG_KWIDE_BYTES && c % (2 * x) == 0; x *= 2) {}
        return x;
    }
    if (depth == 0) return 1;
    if (!v->def) { /* a loop's variable */
        const xg_kop *loop = v->region->owner;
        if (!loop || loop->op != XG_K_OP_FOR || v->index) return 1;
        x = xg_kwide_factor(XG_KOPERAND(loop, 0), depth - 1);
        y = xg_kwide_factor(XG_KOPERAND(loop, 2), depth - 1);
        return XG_MIN(x, y);
    }
    if (v->def->n_operands == 0) return 1;
    x = xg_kwide_factor(XG_KOPERAND(v->def, 0), depth - 1);
    switch (v->def->op) {
    case XG_K_OP_EXTSI:
    case XG_K_OP_EXTUI:
    case XG_K_OP_TRUNCI: return x;
    case XG_K_OP_ADDI:
    case XG_K_OP_SUBI: y = xg_kwide_factor(XG_KOPERAND(v->def, 1), depth - 1); return XG_MIN(x, y);
    case XG_K_OP_ANDI: y = xg_kwide_factor(XG_KOPERAND(v->def, 1), depth - 1); return XG_MAX(x, y);
    case XG_K_OP_MULI:
        y = xg_kwide_factor(XG_KOPERAND(v->def, 1), depth - 1);
        return XG_MIN(x * y, (int64_t)XG_KWIDE_BYTES);
    case XG_K_OP_SHLI:
        if (!xg_kval_is_const(XG_KOPERAND(v->def, 1), &c) || c < 0 || c >= 31) return 1;
        return c > 4 ? (int64_t)XG_KWIDE_BYTES : XG_MIN(x << c, (int64_t)XG_KWIDE_BYTES);
    default: return 1;
    }
}
XG_APART XG_FN int64_t xg_kwide_of_number(int64_t n) {
    int64_t x = 1;
    while (x < XG_KWIDE_BYTES && n % (2 * x) == 0) x *= 2;
    return x;
}
/* What a pointer is a multiple of. */
XG_FN int64_t xg_kwide_align(const xg_kval *p, uint32_t depth) {
    int64_t x, y;
    if (!p->def) {
        const xg_kfunc *f = p->region->func;
        return !p->region->owner && f && f->args ? xg_kwide_of_number(f->args[p->index].align) : 1;
    }
    if (p->def->op != XG_K_OP_PTR_ADD || depth == 0) return 1;
    x = xg_kwide_align(XG_KOPERAND(p->def, 0), depth - 1);
    y = xg_kwide_factor(XG_KOPERAND(p->def, 1), XG_KWIDE_DEPTH) * xg_kwide_of_number(p->def->a ? p->def->a : 1);
    x = XG_MIN(x, y);
    y = xg_kwide_of_number(p->def->b);
    return XG_MIN(x, y);
}
/* Constant parts of an address go into its offset; false: it does not fit in 64 bits. */
XG_FN const xg_kval *xg_kwide_strip(const xg_kval *p, int64_t *offset, bool *fits) {
    int64_t c;
    while (p->def && p->def->op == XG_K_OP_PTR_ADD && xg_kval_is_const(XG_KOPERAND(p->def, 1), &c)) {
        if (XG_KOPERAND(p->def, 1)->type->elem == XG_E_I32) c = (int64_t)(uint32_t)(uint64_t)c;
        *fits = *fits && xg_mul64(c, p->def->a ? p->def->a : 1, &c) && xg_add64(*offset, c, offset) &&
                xg_add64(*offset, p->def->b, offset);
        p = XG_KOPERAND(p->def, 0);
    }
    return p;
}
XG_FN bool xg_kwide_read(xg_kop *op, xg_kwide *w) {
    const xg_kval *p = XG_KOPERAND(op, 0);
    bool fits = true;
    memset(w, 0, sizeof *w);
    w->load = op;
    w->root = xg_kwide_strip(p, &w->offset, &fits);
    if (w->root->def && w->root->def->op == XG_K_OP_PTR_ADD) {
        const xg_kop *add = w->root->def;
        w->index = XG_KOPERAND(add, 1);
        w->scale = add->a ? add->a : 1;
        fits = fits && xg_add64(w->offset, add->b, &w->offset);
        w->root = xg_kwide_strip(XG_KOPERAND(add, 0), &w->offset, &fits);
    }
    return fits;
}
XG_FN bool xg_kwide_takes(const xg_kop *op) {
    const xg_kval *v = op->results;
    int64_t bytes;
    if (op->op != XG_K_OP_LOAD || !(op->flags & KM_INVARIANT) || (op->flags & KM_VOLATILE)) return false;
    if (v->type->kind != XG_TK_SCALAR || XG_KOPERAND(op, 0)->type->space != XG_SPACE_GLOBAL) return false;
    bytes = xg_kelem_bytes(v->type->elem);
    if (bytes != 2 && bytes != 4 && bytes != 8) return false;
    return v->first_use && !(v->first_use == v->last_use && v->first_use->user->op == XG_K_OP_STORE);
}

/* ---- groups ---- */

XG_FN bool xg_kwide_same(const xg_kwide *a, const xg_kwide *b) {
    return a->root == b->root && a->index == b->index && a->scale == b->scale &&
           a->load->results->type == b->load->results->type && a->load->flags == b->load->flags;
}
/* By address, then by place. */
XG_FN bool xg_kwide_before(const xg_kwide *a, const xg_kwide *b) {
    uint32_t x = a->index ? a->index->id + 1 : 0, y = b->index ? b->index->id + 1 : 0;
    if (a->root->id != b->root->id) return a->root->id < b->root->id;
    if (x != y) return x < y;
    if (a->scale != b->scale) return a->scale < b->scale;
    if (a->load->results->type->id != b->load->results->type->id)
        return a->load->results->type->id < b->load->results->type->id;
    if (a->load->flags != b->load->flags) return a->load->flags < b->load->flags;
    return a->offset != b->offset ? a->offset < b->offset : a->place < b->place;
}
XG_FN void xg_kwide_sort(xg_kmodule *m, xg_kwide *p, uint32_t n) {
    xg_kwide *from = p, *to = XG_NEW_N(m->temp, xg_kwide, n + (size_t)1), *swap;
    uint32_t width, lo, a, b, mid, hi, k;
    for (width = 1; width < n; width *= 2) {
        for (lo = 0; lo < n; lo = hi) {
            mid = n - lo < width ? n : lo + width;
            hi = n - mid < width ? n : mid + width;
            for (a = lo, b = mid, k = lo; k < hi; k++)
                to[k] = a < mid && (b == hi || !xg_kwide_before(&from[b], &from[a])) ? from[a++] : from[b++];
        }
        swap = from;
        from = to;
        to = swap;
    }
    if (from != p) memcpy(p, from, n * sizeof *p);
}
/* How many of the loads from w on are neighbours that one access may bring. */
XG_FN uint32_t xg_kwide_group(const xg_kwide *w, uint32_t n) {
    int64_t bytes = xg_kelem_bytes(w->load->results->type->elem), align;
    uint32_t most = (uint32_t)XG_MIN((int64_t)XG_KWIDE_LANES, XG_KWIDE_BYTES / bytes), k, lo = w->place, hi = w->place;
    for (k = 1; k < most && k < n; k++) {
        if (!xg_kwide_same(w, &w[k]) || w[k].offset != w->offset + (int64_t)k * bytes) break;
        lo = XG_MIN(lo, w[k].place);
        hi = XG_MAX(hi, w[k].place);
        if (hi - lo > XG_KWIDE_WINDOW) break;
    }
    align = xg_kwide_align(XG_KOPERAND(w->load, 0), XG_KWIDE_DEPTH);
    while (k > 1 && ((k & (k - 1)) || align < (int64_t)k * bytes)) k--;
    return k;
}
/* The load, and the address that nothing else uses. */
XG_FN void xg_kwide_remove(xg_kop *load) {
    xg_kop *address = XG_KOPERAND(load, 0)->def, *next;
    xg_kop_remove(load);
    for (; address && address->op == XG_K_OP_PTR_ADD && !address->results->first_use; address = next) {
        next = XG_KOPERAND(address, 0)->def;
        xg_kop_remove(address);
    }
}
XG_FN void xg_kwide_merge(xg_kmodule *m, xg_kwide *w, uint32_t n) {
    const xg_ktype *t = w->load->results->type, *wide = xg_kir_vector(m, t->elem, (int64_t)n);
    const xg_kwide *first = w;
    xg_kval *p, *v;
    xg_kop *load;
    uint32_t k;
    xg_kb b;
    for (k = 1; k < n; k++)
        if (w[k].place < first->place) first = &w[k];
    b = xg_kb_before(m, first->load);
    b.loc = first->load->loc;
    p = XG_KOPERAND(first->load, 0);
    if (first != w) p = xg_kptr(&b, p, xg_kconst_i32(&b, 0), 1, w->offset - first->offset);
    load = xg_kir_op(&b, XG_K_OP_LOAD, &p, 1, &wide, 1, 0);
    load->a = (int64_t)n * xg_kelem_bytes(t->elem);
    load->flags = first->load->flags;
    for (k = 0; k < n; k++) {
        xg_kval *o[2];
        o[0] = load->results;
        o[1] = xg_kconst_i32(&b, (int64_t)k);
        v = xg_kir_value(&b, XG_K_OP_VEXTRACT, o, 2, t);
        xg_kval_replace(w[k].load->results, v);
    }
    for (k = 0; k < n; k++) xg_kwide_remove(w[k].load);
}
XG_FN void xg_kwide_region(xg_kwider *z, xg_kregion *r) {
    xg_kwide w;
    xg_kops nested;
    uint32_t k, n;
    memset(&nested, 0, sizeof nested);
    z->loads.n = 0;
    XG_FOR_KOPS(op, r) {
        if (op->n_regions) xg_push(z->m->temp, xg_kop *, &nested, op);
        if (!xg_kwide_takes(op) || !xg_kwide_read(op, &w)) continue;
        w.place = z->loads.n;
        xg_push(z->m->temp, xg_kwide, &z->loads, w);
    }
    if (z->loads.n > 1) {
        xg_kwide_sort(z->m, z->loads.p, z->loads.n);
        for (k = 0; k < z->loads.n; k += n) {
            n = xg_kwide_group(&z->loads.p[k], z->loads.n - k);
            if (n > 1) xg_kwide_merge(z->m, &z->loads.p[k], n);
        }
    }
    for (n = 0; n < nested.n; n++)
        for (k = 0; k < nested.p[n]->n_regions; k++) xg_kwide_region(z, nested.p[n]->regions[k]);
}
XG_FN void xg_kir_widen_loads(xg_kmodule *m) {
    xg_kwider z;
    memset(&z, 0, sizeof z);
    z.m = m;
    if (m->made[XG_K_OP_LOAD] > 1) xg_kwide_region(&z, m->entry->body);
}

#endif /* XG_KIR_WIDEN_LOADS_C */
