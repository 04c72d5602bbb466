/* kir/vectorize.c -- elements that a loop reads or writes side by side become one vector, read before the loop or
 * written after it.
 *
 * For loops `for v = 0 to N step 1` with N a power of two in 2..32:
 * - tensor.extract directly in the loop, of a tensor from outside, at `rest + v` with rest a multiple of N:
 *   vector.transfer_read of N elements in front, a vector.extract of lane v in its place; at `rest + s * v` (reversed,
 *   every other one), if all of them lie in one aligned vector: that, and lane s * v;
 * - the same under branches of scf.if whose conditions come from outside the loop, or are the same in all rounds: the
 *   read is in front, under the same conditions;
 * - tensor.insert directly in the loop into a carried tensor that is used for nothing else: vector.insert into a
 *   carried vector, vector.transfer_write behind the loop;
 * - xla_gpu.atomic_rmw in the same place that adds a float: what is added is the carried vector, and one atomic_rmw of
 *   a vector adds it behind the loop. Where all that a loop changes lies under conditions from outside of it, they go
 *   around the loop first.
 * The memory must be aligned to the vector, or to 16 bytes; a vector may be wider than one access (lower_tensors cuts
 * it). Tensors are values, so reading early and writing late change nothing.
 * Leaves lanes numbered by the loop's variable: xg_kir_unroll must follow. */
#ifndef XG_KIR_VECTORIZE_C
#define XG_KIR_VECTORIZE_C
#include "kir.h"
#include "rules.c"

enum {
    XG_KVECTOR_LANES_MAX = 32,
    XG_KVECTOR_BYTES_MAX = 32,
    XG_KVECTOR_CONDITIONS = 16 /* that are true together: two of each dimension of an array */
};

typedef struct xg_kvectorizer {
    xg_kmodule *m;
    xg_kop *loop;
    int64_t lanes;
} xg_kvectorizer;

XG_FN bool xg_kvector_outside(const xg_kvectorizer *z, const xg_kval *v) {
    return !xg_kregion_inside(v->def ? v->def->parent : v->region, z->loop->regions[0]);
}

/* What the rounds of a loop access: element `first` + `scale` * v of `width` side by side, which begin at a multiple of
 * `width`. */
typedef struct xg_kvector_span {
    int64_t width, first, scale;
} xg_kvector_span;

/* The index is rest + scale * v, with rest made of what is outside, and no round leaves the aligned piece of memory of
 * the first. */
XG_FN bool xg_kvector_spans(const xg_kvectorizer *z, const xg_kval *index, xg_kvector_span *span) {
    const xg_kval *v = &z->loop->regions[0]->args[0];
    xg_aff_ctx *aff = z->m->aff;
    const xg_imap *map;
    const xg_aff *var = NULL, *rest;
    int64_t reach;
    uint32_t k;
    span->width = z->lanes;
    span->first = 0;
    span->scale = 1;
    if (index == v) return true;
    if (!xg_kval_by(index, XG_K_OP_APPLY)) return false;
    map = (const xg_imap *)index->def->p;
    if (!xg_imap_ok(map)) return false;
    for (k = 0; k < index->def->n_operands; k++) {
        const xg_kval *o = index->def->operands[k].value;
        if (o == v && var) return false;
        if (o == v)
            var = k < map->n_dims ? xg_aff_dim(aff, k) : xg_aff_sym(aff, k - map->n_dims);
        else if (!xg_kvector_outside(z, o))
            return false;
    }
    if (!var) return false;
    span->scale = xg_aff_scale_of(map->results[index->index], var);
    if (!span->scale || span->scale < -XG_KVECTOR_LANES_MAX || span->scale > XG_KVECTOR_LANES_MAX) return false;
    rest = xg_aff_sub(aff, map->results[index->index], xg_aff_mul(aff, var, span->scale));
    if (!rest || xg_aff_uses(rest, var)) return false;
    reach = (z->lanes - 1) * XG_MAX(span->scale, -span->scale) + 1;
    while (span->width < reach) span->width *= 2;
    for (k = 0; k <= span->width - reach; k++) {
        span->first = span->scale < 0 ? reach - 1 + k : k;
        if (xg_aff_divisor(xg_aff_add_k(aff, rest, -span->first)) % span->width == 0) return true;
    }
    return false;
}
/* Side by side, in the order of the rounds. */
XG_FN bool xg_kvector_contiguous(const xg_kvectorizer *z, const xg_kval *index) {
    xg_kvector_span span;
    return xg_kvector_spans(z, index, &span) && span.scale == 1;
}
XG_FN bool xg_kvector_fits(xg_kval *tensor, int64_t lanes) {
    int64_t bytes = lanes * xg_kelem_bytes(tensor->type->elem);
    return tensor->type->rank == 1 && bytes <= XG_KVECTOR_BYTES_MAX && xg_ktensor_align(tensor) >= XG_MIN(bytes, 16);
}
/* Where the span of an index begins, in front of the loop. It is simplified at once: what unroll-loops then puts into
 * it are constants that are only added, and copies keep sharing one index, whatever their conditions say of it. */
XG_FN xg_kval *xg_kvector_start(xg_kvectorizer *z, xg_kb *b, const xg_kval *index, int64_t first) {
    const xg_kval *v = &z->loop->regions[0]->args[0];
    xg_kval *zero = z->loop->operands[0].value, **vars, *r;
    const xg_kop *op = index->def;
    const xg_imap *map;
    const xg_aff *at;
    uint32_t k;
    if (index == v) return zero;
    map = (const xg_imap *)op->p;
    vars = XG_NEW_N(z->m->temp, xg_kval *, op->n_operands + 1);
    for (k = 0; k < op->n_operands; k++) vars[k] = op->operands[k].value == v ? zero : op->operands[k].value;
    if (first) {
        at = xg_aff_add_k(z->m->aff, map->results[index->index], -first);
        r = xg_kapply(b, xg_imap_with_results(z->m->aff, map, &at, 1), vars)->results;
    } else
        r = &xg_kapply(b, map, vars)->results[index->index];
    r->name = index->name;
    return xg_kir_simplify_index(z->m, r);
}

/* ---- reads ---- */

/* The condition under which op is reached in a round of the loop, made in front of the loop: *cond NULL: always; *side
 * 1: when it is false. The answer is false if it depends on the round, or if something else than scf.if is around. */
XG_FN bool xg_kvector_condition(const xg_kvectorizer *z, xg_kb *b, const xg_kop *op, xg_kval **cond, uint32_t *side) {
    const xg_kregion *r, *body = z->loop->regions[0];
    for (r = op->parent; r != body; r = r->owner->parent)
        if (r->owner->op != XG_K_OP_IF || !xg_kvector_outside(z, r->owner->operands[0].value)) return false;
    *cond = NULL;
    *side = 0;
    r = op->parent;
    if (r != body && r->owner->parent == body) {
        *cond = r->owner->operands[0].value;
        *side = r == r->owner->regions[1];
        return true;
    }
    for (; r != body; r = r->owner->parent) {
        xg_kval *c = r->owner->operands[0].value;
        if (r == r->owner->regions[1]) c = xg_k2_int(b, XG_K_OP_XORI, c, 1);
        *cond = *cond ? xg_kandi(b, *cond, c) : c;
    }
    return true;
}
/* The result of the branch around op that is op's element on its side and a constant on the other; NULL: there is
 * none. */
XG_FN xg_kval *xg_kvector_filled(const xg_kvectorizer *z, const xg_kop *op, uint32_t side, int64_t *fill) {
    const xg_kop *branch = op->parent->owner;
    uint32_t k;
    *fill = 0;
    if (op->parent == z->loop->regions[0] || branch->parent != z->loop->regions[0]) return NULL;
    for (k = 0; k < branch->n_results; k++) {
        const xg_kval *other = XG_KOPERAND(branch->regions[1 - side]->last, k);
        if (XG_KOPERAND(branch->regions[side]->last, k) == op->results && other->type->kind == XG_TK_SCALAR &&
            !xg_kelem_is_complex(other->type->elem) && xg_kval_is_const(other, fill))
            return &branch->results[k];
    }
    return NULL;
}
/* The vector, or on the other side of the condition so many times `fill`. */
XG_FN xg_kval *xg_kvector_guarded(xg_kvectorizer *z, xg_kb *b, xg_kval *cond, uint32_t side, xg_kval *tensor,
    const xg_ktype *t, const xg_kval *index, int64_t first, int64_t fill) {
    xg_kop *branch = xg_kif(b, cond, &t, 1);
    xg_kb yes = xg_kb_end(z->m, branch->regions[side]), no = xg_kb_end(z->m, branch->regions[1 - side]);
    xg_kval *from[2], *r;
    from[0] = tensor;
    from[1] = xg_kvector_start(z, &yes, index, first);
    r = xg_kir_value(&yes, XG_K_OP_READ, from, 2, t);
    xg_kyield(&yes, &r, 1);
    r = xg_kconst_bits(&no, t, (uint64_t)fill);
    xg_kyield(&no, &r, 1);
    return branch->results;
}
/* The lane of this round. */
XG_FN xg_kval *xg_kvector_lane_of(xg_kvectorizer *z, xg_kb *b, const xg_kvector_span *span) {
    xg_aff_ctx *aff = z->m->aff;
    xg_kval *v = &z->loop->regions[0]->args[0];
    xg_imap *map;
    if (span->scale == 1 && !span->first) return v;
    map = xg_imap_of_dims(aff, 1, 1);
    map->dims[0].range = xg_range_of(0, z->lanes - 1);
    map->results[0] = xg_aff_add_k(aff, xg_aff_mul(aff, xg_aff_dim_0(aff), span->scale), span->first);
    return xg_kapply(b, map, &v)->results;
}
XG_APART XG_FN void xg_kvector_read(xg_kvectorizer *z, xg_kop *op) {
    xg_kval *v[2], *vector, *lane, *cond, *filled = NULL;
    const xg_ktype *t;
    uint32_t side;
    int64_t fill = 0;
    xg_kvector_span span;
    xg_kb b = xg_kb_before(z->m, z->loop), in = xg_kb_before(z->m, op);
    v[0] = op->operands[0].value;
    v[1] = op->operands[1].value;
    if (!xg_kvector_outside(z, v[0]) || !xg_kvector_spans(z, v[1], &span) || !xg_kvector_fits(v[0], span.width)) return;
    /* the bytes between may belong to no array, or to one that is written */
    if (span.width != z->lanes && (v[0]->type->dims[0] % span.width || !xg_ktensor_is_constant(v[0]))) return;
    b.loc = op->loc;
    if (!xg_kvector_condition(z, &b, op, &cond, &side)) return;
    t = xg_kir_vector(z->m, v[0]->type->elem, span.width);
    if (cond) {
        filled = xg_kvector_filled(z, op, side, &fill);
        vector = xg_kvector_guarded(z, &b, cond, side, v[0], t, v[1], span.first, fill);
    } else {
        v[1] = xg_kvector_start(z, &b, v[1], span.first);
        vector = xg_kir_value(&b, XG_K_OP_READ, v, 2, t);
    }
    if (filled) in = xg_kb_before(z->m, filled->def); /* the lane is right on both sides */
    v[0] = vector;
    v[1] = xg_kvector_lane_of(z, &in, &span);
    lane = xg_kir_value(&in, XG_K_OP_VEXTRACT, v, 2, op->results[0].type);
    lane->name = op->results[0].name;
    if (filled) xg_kval_replace(filled, lane);
    xg_kval_replace(op->results, lane);
    xg_kop_remove(op);
}
/* The condition, made in front of the loop, if all rounds have the same: comparisons that ranges decide, and those of
 * elements beside each other with what none of their vectors lies across. NULL: it depends on the round. */
XG_FN xg_kval *xg_kvector_lifted(xg_kvectorizer *z, xg_kval *v, uint32_t depth) {
    xg_kop *op = v->def;
    xg_kval *x, *y;
    int64_t bound, last;
    xg_kb b = xg_kb_before(z->m, z->loop);
    if (xg_kvector_outside(z, v)) return v;
    if (!op || depth == 0 || (op->op != XG_K_OP_ANDI && op->op != XG_K_OP_CMPI)) return NULL;
    if (op->op == XG_K_OP_ANDI) {
        x = xg_kvector_lifted(z, XG_KOPERAND(op, 0), depth - 1);
        y = x ? xg_kvector_lifted(z, XG_KOPERAND(op, 1), depth - 1) : NULL;
        return y ? xg_kandi(&b, x, y) : NULL;
    }
    if ((x = xg_krule_cmpi_range(&b, op)) != NULL) return x;
    if (!xg_kval_is_const(XG_KOPERAND(op, 1), &bound) || !xg_kvector_contiguous(z, XG_KOPERAND(op, 0))) return NULL;
    last = op->flags == XG_CI_SLE || op->flags == XG_CI_SGT;
    if ((!last && op->flags != XG_CI_SGE && op->flags != XG_CI_SLT) || (bound + last) % z->lanes) return NULL;
    return xg_kcompare(&b, XG_K_OP_CMPI, op->flags, xg_kvector_start(z, &b, XG_KOPERAND(op, 0), 0), XG_KOPERAND(op, 1));
}
XG_FN void xg_kvector_reads(xg_kvectorizer *z, xg_kregion *r) {
    xg_kop *op, *next;
    uint32_t k;
    for (op = r->first; op; op = next) {
        next = op->next;
        if (op->op == XG_K_OP_EXTRACT && op->n_operands == 2)
            xg_kvector_read(z, op);
        else if (op->op == XG_K_OP_IF) {
            /* where both sides read, one load of a chosen address is less than a vector for each */
            xg_kval *cond = op->regions[1]->first == op->regions[1]->last
                                ? xg_kvector_lifted(z, XG_KOPERAND(op, 0), XG_KVECTOR_CONDITIONS)
                                : NULL;
            if (cond) xg_kop_set_operand(op, 0, cond);
            for (k = 0; k < 2; k++) xg_kvector_reads(z, op->regions[k]);
        }
    }
}

/* ---- writes ---- */

/* What a write does in a round: this value goes to, or is added at, this index of the tensor. */
typedef struct xg_kvector_written {
    xg_kval *value, *tensor, *index;
} xg_kvector_written;
XG_FN xg_kvector_written xg_kvector_written_by(const xg_kop *op) {
    bool added = op->op == XG_K_OP_ATOMIC_RMW;
    xg_kvector_written w;
    w.value = added ? xg_katomic_addend(op->regions[0]) : op->operands[0].value;
    w.tensor = op->operands[added ? 0 : 1].value;
    w.index = op->operands[added ? 1 : 2].value;
    return w;
}
/* The write that makes carried value k, if it is all that happens to it. */
XG_APART XG_FN xg_kop *xg_kvector_write_of(const xg_kvectorizer *z, uint32_t k) {
    xg_kregion *r = z->loop->regions[0];
    xg_kval *arg = &r->args[k + 1], *y = xg_kregion_end(r)->operands[k].value;
    xg_kop *op = y->def;
    xg_kvector_written w;
    if (!op || op->parent != r || (op->op != XG_K_OP_INSERT && (op->op != XG_K_OP_ATOMIC_RMW || op->n_operands != 2)))
        return NULL;
    w = xg_kvector_written_by(op);
    if (!w.value || w.tensor != arg || !xg_kused_once(arg) || !xg_kused_once(y)) return NULL;
    if (!xg_kvector_fits(z->loop->operands[k + 3].value, z->lanes) || !xg_kvector_contiguous(z, w.index)) return NULL;
    if (op->op == XG_K_OP_ATOMIC_RMW && z->lanes * xg_kelem_bytes(arg->type->elem) > 16) return NULL;
    return op;
}
/* The vector added to the tensor. */
XG_FN xg_kval *xg_kvector_add(xg_kvectorizer *z, xg_kb *b, xg_kval *vector, xg_kval *tensor, xg_kval *index) {
    xg_kval *v[2], *sum;
    xg_kop *op;
    xg_kb in;
    v[0] = tensor;
    v[1] = index;
    op = xg_kir_op(b, XG_K_OP_ATOMIC_RMW, v, 2, &tensor->type, 1, 1);
    xg_kir_region_args(b, op, 0, &vector->type, 1);
    op->regions[0]->args[0].name = XG_STR("current");
    in = xg_kb_end(z->m, op->regions[0]);
    in.loc = b->loc;
    sum = xg_k2(&in, XG_K_OP_ADDF, &op->regions[0]->args[0], vector);
    xg_kyield(&in, &sum, 1);
    return op->results;
}
/* The loop with a vector carried beside each tensor that found[] names the write of. */
XG_FN xg_kop *xg_kvector_widen_loop(xg_kvectorizer *z, xg_kop *const *found, uint32_t more) {
    xg_kop *loop = z->loop, *to, *end = xg_kregion_end(loop->regions[0]);
    xg_arena *a = z->m->temp;
    uint32_t n = loop->n_results, k, at;
    const xg_ktype **types = XG_NEW_N(a, const xg_ktype *, n + more + 1);
    xg_kval **operands = XG_NEW_N(a, xg_kval *, n + more + 3), **yields = XG_NEW_N(a, xg_kval *, n + more + 1),
            *old = loop->regions[0]->args;
    xg_kb b = xg_kb_before(z->m, loop), tail;
    types[0] = old[0].type;
    for (k = 0; k < 3; k++) operands[k] = loop->operands[k].value;
    for (k = 0; k < n; k++) {
        operands[k + 3] = loop->operands[k + 3].value;
        types[k + 1] = operands[k + 3]->type;
    }
    for (at = n, k = 0; k < n; k++)
        if (found[k]) {
            types[at + 1] = xg_kir_vector(z->m, types[k + 1]->elem, z->lanes);
            operands[at + 3] = xg_kconst_bits(&b, types[at + 1], 0);
            at++;
        }
    xg_kregion_set_args(z->m, loop->regions[0], types, n + more + 1);
    for (k = 0; k <= n; k++) {
        xg_kval_copy_facts(&loop->regions[0]->args[k], &old[k]);
        xg_kval_replace(&old[k], &loop->regions[0]->args[k]);
    }
    for (k = n; k < n + more; k++) loop->regions[0]->args[k + 1].name = XG_STR("iter_vector");
    for (at = n, k = 0; k < n; k++) {
        xg_kval *arg = &loop->regions[0]->args[k + 1], *v[3];
        yields[k] = end->operands[k].value;
        if (!found[k]) continue;
        tail = xg_kb_before(z->m, found[k]);
        v[0] = xg_kvector_written_by(found[k]).value;
        v[1] = &loop->regions[0]->args[at + 1];
        v[2] = &loop->regions[0]->args[0];
        yields[at] = xg_kir_value(&tail, XG_K_OP_VINSERT, v, 3, v[1]->type);
        yields[k] = arg;
        at++;
    }
    tail = xg_kb_before(z->m, end);
    xg_kyield(&tail, yields, n + more);
    xg_kop_remove(end);
    to = xg_kop_rebuild(z->m, loop, operands, n + more + 3, types + 1, n + more);
    z->loop = to;
    return to;
}
XG_APART XG_FN void xg_kvector_writes(xg_kvectorizer *z) {
    xg_kop *old = z->loop, *to, **found = XG_NEW_N(z->m->temp, xg_kop *, old->n_results + 1);
    uint32_t n = old->n_results, more = 0, k, at;
    xg_kb b;
    for (k = 0; k < n; k++)
        if ((found[k] = xg_kvector_write_of(z, k)) != NULL) more++;
    if (!more) return;
    to = xg_kvector_widen_loop(z, found, more);
    b = xg_kb_after(z->m, old);
    for (at = n, k = 0; k < n; k++) {
        xg_kval *v[3], *written;
        xg_kb front = xg_kb_before(z->m, to);
        xg_kval_copy_facts(&to->results[k], &old->results[k]);
        if (!found[k]) {
            xg_kval_replace(&old->results[k], &to->results[k]);
            continue;
        }
        v[0] = &to->results[at++];
        v[1] = to->operands[k + 3].value;
        v[2] = xg_kvector_start(z, &front, xg_kvector_written_by(found[k]).index, 0);
        b.loc = found[k]->loc;
        written = found[k]->op == XG_K_OP_ATOMIC_RMW ? xg_kvector_add(z, &b, v[0], v[1], v[2])
                                                     : xg_kir_value(&b, XG_K_OP_WRITE, v, 3, v[1]->type);
        xg_kval_replace(&old->results[k], written);
        xg_kop_remove(found[k]);
    }
    xg_kop_remove(old);
}

/* ---- conditions of all rounds ---- */

/* The branch under which all lies that the loop changes, decided outside of it; *side: the region that changes
 * something. NULL: there is none. */
XG_FN xg_kop *xg_kvector_switch(const xg_kvectorizer *z, uint32_t *side) {
    xg_kregion *r = z->loop->regions[0];
    const xg_kop *end = xg_kregion_end(r), *o;
    uint32_t n = z->loop->n_results, k;
    xg_kop *branch = n ? end->operands[0].value->def : NULL;
    if (!branch || branch->op != XG_K_OP_IF || branch->parent != r || branch->n_results != n ||
        !xg_kvector_outside(z, branch->operands[0].value))
        return NULL;
    for (k = 0; k < n; k++)
        if (end->operands[k].value != &branch->results[k] || !xg_kused_once(&branch->results[k])) return NULL;
    for (o = r->first; o; o = o->next)
        if (o != branch && o != end && xg_kop_has_effects(o)) return NULL;
    for (*side = 0; *side < 2; ++*side) {
        const xg_kregion *other = branch->regions[1 - *side];
        for (k = 0; k < n && other->first == other->last && XG_KOPERAND(other->last, k) == &r->args[k + 1]; k++) {}
        if (k == n) return branch;
    }
    return NULL;
}
/* The branch goes around the loop: what was under it can be a vector then. */
XG_APART XG_FN bool xg_kvector_unswitch(xg_kvectorizer *z) {
    uint32_t side, n = z->loop->n_results, k;
    xg_kop *loop = z->loop, *inner = xg_kvector_switch(z, &side), *outer, *end;
    const xg_ktype **types;
    xg_kval **v;
    xg_kb b;
    if (!inner) return false;
    types = XG_NEW_N(z->m->temp, const xg_ktype *, n + 1);
    v = XG_NEW_N(z->m->temp, xg_kval *, n + 1);
    for (k = 0; k < n; k++) types[k] = loop->results[k].type;
    b = xg_kb_before(z->m, loop);
    b.loc = inner->loc;
    outer = xg_kif(&b, inner->operands[0].value, types, n);
    for (k = 0; k < n; k++) {
        xg_kval_copy_facts(&outer->results[k], &loop->results[k]);
        xg_kval_replace(&loop->results[k], &outer->results[k]);
        v[k] = loop->operands[k + 3].value;
    }
    b = xg_kb_end(z->m, outer->regions[1 - side]);
    xg_kyield(&b, v, n);
    for (k = 0; k < n; k++) v[k] = &loop->results[k];
    b = xg_kb_end(z->m, outer->regions[side]);
    xg_kyield(&b, v, n);
    xg_kop_move_before(loop, outer->regions[side]->last);
    end = xg_kregion_end(inner->regions[side]);
    for (k = 0; k < n; k++) xg_kval_replace(&inner->results[k], end->operands[k].value);
    xg_kop_remove(end);
    xg_kregion_take(inner->regions[side], inner);
    xg_kop_remove(inner);
    return true;
}

XG_FN void xg_kvectorize_loop(xg_kmodule *m, xg_kop *loop) {
    xg_kvectorizer z;
    int64_t lo, step;
    z.m = m;
    z.loop = loop;
    z.lanes = loop->flags & KL_LANES ? 0 : xg_kfor_trips(loop);
    if (z.lanes < 2 || z.lanes > XG_KVECTOR_LANES_MAX || (z.lanes & (z.lanes - 1)) ||
        loop->operands[0].value->type->elem != XG_E_INDEX)
        return;
    if (!xg_kval_is_const(loop->operands[0].value, &lo) || lo != 0 ||
        !xg_kval_is_const(loop->operands[2].value, &step) || step != 1)
        return;
    while (xg_kvector_unswitch(&z)) {}
    xg_kvector_reads(&z, loop->regions[0]);
    xg_kvector_writes(&z);
}
XG_FN void xg_kir_vectorize(xg_kmodule *m) { xg_kops_each_of(m, XG_K_OP_FOR, xg_kvectorize_loop); }

#endif /* XG_KIR_VECTORIZE_C */
