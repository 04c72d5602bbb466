/* plan/buffers.c -- which memory each array lives in.
 *
 * Best fit by decreasing size: the largest value is placed first, each at the lowest offset where nothing that lives at the same time lies.
 * A value lives from the step that makes it to the last step that reads it under any of its names. Offsets are multiples of 256. */
#ifndef XG_PLAN_BUFFERS_C
#define XG_PLAN_BUFFERS_C
#include "plan.h"

enum { XG_PLAN_ALIGN = 256 };

XG_FN int64_t xg_plan_bytes(const xg_shape *s) { return xg_shape_is_array(s) ? s->elements * xg_type_bytes(s->type) : 0; }

XG_FN uint64_t xg_plan_key(const xg_inst *i, uint32_t leaf) { return ((uint64_t)i->id << 32 | leaf) + 1; }
XG_FN xg_buffer *xg_plan_value(const xg_plan *p, const xg_inst *i, uint32_t leaf) { return (xg_buffer *)xg_map64_get(&p->of, xg_plan_key(i, leaf)); }

XG_FN xg_buffer *xg_plan_operand(const xg_plan *p, const xg_inst *fusion, uint32_t operand) {
    uint32_t leaves = (uint32_t)xg_shape_leaves(fusion->shape), k;
    for (k = 0; k < leaves; k++) if (xg_fuse_in_place(p->arena, fusion, k) == (int64_t)operand) return xg_plan_value(p, fusion, k);
    return xg_plan_value(p, XG_OPERAND(fusion, operand), 0);
}

XG_FN void xg_plan_leaf_shapes(const xg_shape *s, const xg_shape **out, uint32_t *n) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) { out[(*n)++] = s; return; }
    for (k = 0; k < s->n_elems; k++) xg_plan_leaf_shapes(s->elems[k], out, n);
}
XG_FN const xg_shape **xg_plan_leaves(xg_arena *a, const xg_shape *s, uint32_t *n) {
    const xg_shape **out = XG_NEW_N(a, const xg_shape *, xg_shape_leaves(s) + 1);
    *n = 0;
    xg_plan_leaf_shapes(s, out, n);
    return out;
}

XG_FN xg_buffer *xg_plan_new(xg_plan *p, const xg_inst *i, uint32_t leaf, const xg_shape *s, xg_exe_allocation_kind kind, uint32_t at) {
    xg_buffer *b = XG_NEW(p->arena, xg_buffer);
    b->owner = i;
    b->leaf = leaf;
    b->kind = kind;
    b->bytes = xg_plan_bytes(s);
    b->first = b->last = at;
    xg_push(p->arena, xg_buffer *, &p->buffers, b);
    xg_map64_put(&p->of, xg_plan_key(i, leaf), b);
    return b;
}

XG_FN void xg_plan_alias(xg_plan *p, const xg_inst *i, uint32_t leaf, xg_buffer *b) { if (b) xg_map64_put(&p->of, xg_plan_key(i, leaf), b); }

/* The first leaf of the k-th element of a tuple shape. */
XG_FN uint32_t xg_plan_leaf_offset(const xg_shape *s, int64_t k) {
    uint32_t n = 0;
    int64_t j;
    for (j = 0; j < k; j++) n += (uint32_t)xg_shape_leaves(s->elems[j]);
    return n;
}

XG_FN void xg_plan_define(xg_plan *p, const xg_inst *i, uint32_t at) {
    uint32_t n, k, j, base;
    const xg_shape **leaves = xg_plan_leaves(p->arena, i->shape, &n);
    switch (i->op) {
    case XG_TUPLE:
        for (k = 0, base = 0; k < i->n_operands; k++) for (j = 0; j < (uint32_t)xg_shape_leaves(XG_OPERAND(i, k)->shape); j++) xg_plan_alias(p, i, base++, xg_plan_value(p, XG_OPERAND(i, k), j));
        break;
    case XG_GET_TUPLE_ELEMENT:
        base = xg_plan_leaf_offset(XG_OPERAND(i, 0)->shape, xg_attr_int(i, XG_A_index, 0));
        for (k = 0; k < n; k++) xg_plan_alias(p, i, k, xg_plan_value(p, XG_OPERAND(i, 0), base + k));
        break;
    case XG_BITCAST: case XG_OPT_BARRIER: case XG_DOMAIN: case XG_ADD_DEPENDENCY:
        for (k = 0; k < n; k++) xg_plan_alias(p, i, k, xg_plan_value(p, XG_OPERAND(i, 0), k));
        break;
    case XG_CONSTANT: case XG_FUSION:
        for (k = 0; k < n; k++) xg_plan_new(p, i, k, leaves[k], i->op == XG_CONSTANT ? XG_EXE_ALLOC_CONSTANT : XG_EXE_ALLOC_TEMP, at);
        break;
    case XG_PARAMETER: case XG_AFTER_ALL: case XG_WHILE: case XG_CONDITIONAL: break;
    default: xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter", "%s: %s is not supported on a device yet", i->name.p, xg_op_name(i->op));
    }
}

XG_FN void xg_plan_use(xg_plan *p, const xg_inst *i, uint32_t at) {
    uint32_t k, j;
    for (k = 0; k < i->n_operands; k++) for (j = 0; j < (uint32_t)xg_shape_leaves(XG_OPERAND(i, k)->shape); j++) {
        xg_buffer *b = xg_plan_value(p, XG_OPERAND(i, k), j);
        if (b && b->last < at) b->last = at;
    }
}

/* ---- loops and branches: their computations are walked in place, so that lifetimes are positions on one line ---- */

XG_FN void xg_plan_walk(xg_plan *p, const xg_comp *c, uint32_t *at);

/* Leaves of one value must have one layout wherever they are copied. */
XG_FN void xg_plan_same_layout(const xg_inst *i, const xg_shape *a, const xg_shape *b) {
    if (a != b) xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL, "%s: a value changes its layout between the operand, the parameter and the root of a computation", i->name.p);
}

XG_FN void xg_plan_keep(xg_plan *p, const xg_inst *i, uint32_t at) {
    uint32_t k, n = (uint32_t)xg_shape_leaves(i->shape);
    for (k = 0; k < n; k++) { xg_buffer *b = xg_plan_value(p, i, k); if (b && b->last < at) b->last = at; }
}

/* The state has buffers of its own, which the condition's and the body's parameter share; the init is copied in, the body's root copied back. A root leaf that is
 * another leaf of the state goes through a spare buffer, so that leaves may change places. */
XG_FN void xg_plan_while(xg_plan *p, const xg_inst *i, uint32_t *at) {
    const xg_comp *cond = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    uint32_t n, k;
    const xg_shape **leaves = xg_plan_leaves(p->arena, i->shape, &n);
    xg_plan_same_layout(i, i->shape, XG_OPERAND(i, 0)->shape);
    xg_plan_same_layout(i, i->shape, cond->params[0]->shape);
    xg_plan_same_layout(i, i->shape, body->params[0]->shape);
    xg_plan_same_layout(i, i->shape, body->root->shape);
    for (k = 0; k < n; k++) {
        xg_buffer *b = xg_plan_new(p, i, k, leaves[k], XG_EXE_ALLOC_TEMP, *at);
        xg_plan_alias(p, cond->params[0], k, b);
        xg_plan_alias(p, body->params[0], k, b);
    }
    xg_plan_walk(p, cond, at);
    xg_plan_walk(p, body, at);
    ++*at;
    xg_plan_keep(p, cond->root, *at);
    xg_plan_keep(p, body->root, *at);
    for (k = 0; k < n; k++) {
        xg_buffer *from = xg_plan_value(p, body->root, k);
        if (from && from->owner == i && from->leaf != k) xg_plan_new(p, i, n + k, leaves[k], XG_EXE_ALLOC_TEMP, *at);
    }
    ++*at;
    xg_plan_keep(p, i, *at);
}

/* The branches' roots are copied into the result's buffers. */
XG_FN void xg_plan_conditional(xg_plan *p, const xg_inst *i, uint32_t *at) {
    xg_comps branches = xg_opt_control_comps(p->arena, i);
    uint32_t n, k, b;
    const xg_shape **leaves = xg_plan_leaves(p->arena, i->shape, &n);
    for (k = 0; k < n; k++) xg_plan_new(p, i, k, leaves[k], XG_EXE_ALLOC_TEMP, *at);
    for (b = 0; b < branches.n; b++) {
        const xg_inst *operand = XG_OPERAND(i, b + 1), *param = branches.p[b]->params[0];
        uint32_t m = (uint32_t)xg_shape_leaves(operand->shape);
        xg_plan_same_layout(i, operand->shape, param->shape);
        xg_plan_same_layout(i, i->shape, branches.p[b]->root->shape);
        for (k = 0; k < m; k++) xg_plan_alias(p, param, k, xg_plan_value(p, operand, k));
        xg_plan_walk(p, branches.p[b], at);
        ++*at;
        xg_plan_keep(p, branches.p[b]->root, *at);
    }
    ++*at;
    for (k = 0; k < i->n_operands; k++) xg_plan_keep(p, XG_OPERAND(i, k), *at);
    xg_plan_keep(p, i, *at);
}

XG_FN void xg_plan_walk(xg_plan *p, const xg_comp *c, uint32_t *at) {
    XG_FOR_INSTS(i, c) {
        ++*at;
        xg_plan_use(p, i, *at);
        xg_plan_define(p, i, *at);
        if (i->op == XG_WHILE) xg_plan_while(p, i, at);
        if (i->op == XG_CONDITIONAL) xg_plan_conditional(p, i, at);
    }
}

XG_FN void xg_plan_parameters(xg_plan *p) {
    const xg_comp *e = p->m->entry;
    uint32_t k, j, n, total = 0;
    for (k = 0; k < e->n_params; k++) total += (uint32_t)xg_shape_leaves(e->params[k]->shape);
    p->params = XG_NEW_N(p->arena, xg_buffer *, total + 1);
    for (k = 0; k < e->n_params; k++) {
        const xg_shape **leaves = xg_plan_leaves(p->arena, e->params[k]->shape, &n);
        for (j = 0; j < n; j++) {
            xg_buffer *b = xg_plan_new(p, e->params[k], j, leaves[j], XG_EXE_ALLOC_PARAMETER, 0);
            b->index = p->n_params;
            p->params[p->n_params++] = b;
        }
    }
}

/* Result leaves: a temporary that leaves becomes the result; anything else will be copied into a buffer of its own. */
XG_FN void xg_plan_results(xg_plan *p, uint32_t end) {
    const xg_inst *root = p->m->entry->root;
    uint32_t n, k;
    const xg_shape **leaves = xg_plan_leaves(p->arena, root->shape, &n);
    p->results = XG_NEW_N(p->arena, xg_buffer *, n + 1);
    p->n_results = n;
    for (k = 0; k < n; k++) {
        xg_buffer *b = xg_plan_value(p, root, k);
        if (b && b->kind == XG_EXE_ALLOC_TEMP && b->bytes == xg_plan_bytes(leaves[k])) { b->kind = XG_EXE_ALLOC_RESULT; b->last = end; }
        else {
            xg_buffer *copy = XG_NEW(p->arena, xg_buffer);
            copy->owner = root;
            copy->leaf = k;
            copy->kind = XG_EXE_ALLOC_RESULT;
            copy->bytes = xg_plan_bytes(leaves[k]);
            copy->first = copy->last = end;
            xg_push(p->arena, xg_buffer *, &p->buffers, copy);
            if (b) b->last = end;
            b = copy;
        }
        b->index = k;
        p->results[k] = b;
    }
}

XG_FN int xg_plan_larger_first(const xg_buffer *a, const xg_buffer *b) {
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->leaf != b->leaf) return a->leaf < b->leaf ? -1 : 1;
    return a->owner->id < b->owner->id ? -1 : a->owner->id > b->owner->id;
}
XG_FN int xg_plan_compare_size(const void *a, const void *b) { return xg_plan_larger_first(*(xg_buffer *const *)a, *(xg_buffer *const *)b); }
XG_FN int xg_plan_compare_offset(const void *a, const void *b) {
    const xg_buffer *x = *(xg_buffer *const *)a, *y = *(xg_buffer *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

XG_FN int64_t xg_plan_round(int64_t n) { return (n + XG_PLAN_ALIGN - 1) / XG_PLAN_ALIGN * XG_PLAN_ALIGN; }

/* Who is placed already, by time: nodes is a tree over the steps (node k has children 2k and 2k + 1, the leaf of step t is steps + t), and each buffer stands
 * in the few nodes that make up its life; by_first is all buffers in the order of their first steps, those of step t from start[t] on. So whoever lives
 * at the same time is found without asking the others. ordered: by offset, for values that meet nearly everybody. */
typedef XG_VEC(xg_buffer *) xg_buffers;
typedef struct xg_plan_packer {
    xg_arena *arena;
    uint32_t steps, *start, n_ordered;
    xg_buffers *nodes;
    xg_buffer **by_first, **ordered, **met;
} xg_plan_packer;

XG_FN void xg_plan_packer_init(xg_plan_packer *q, xg_arena *a, xg_buffer *const *temps, uint32_t n) {
    uint32_t end = 0, k;
    memset(q, 0, sizeof *q);
    q->arena = a;
    for (k = 0; k < n; k++) end = XG_MAX(end, temps[k]->last + 1);
    for (q->steps = 1; q->steps < end; q->steps *= 2) {}
    q->nodes = XG_NEW_N(a, xg_buffers, (size_t)2 * q->steps);
    q->start = XG_NEW_N(a, uint32_t, (size_t)end + 2);
    q->by_first = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    q->ordered = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    q->met = XG_NEW_N(a, xg_buffer *, (size_t)n + 1);
    for (k = 0; k < n; k++) q->start[temps[k]->first + 1]++;
    for (k = 1; k <= end; k++) q->start[k] += q->start[k - 1];
    for (k = 0; k < n; k++) q->by_first[q->start[temps[k]->first]++] = temps[k];
    for (k = end; k > 0; k--) q->start[k] = q->start[k - 1];
    q->start[0] = 0;
}

XG_FN void xg_plan_placed(xg_plan_packer *q, xg_buffer *b) {
    uint32_t l = b->first + q->steps, r = b->last + q->steps + 1, k = q->n_ordered++;
    b->placed = true;
    for (; l < r; l /= 2, r /= 2) {
        if (l & 1) { xg_push(q->arena, xg_buffer *, &q->nodes[l], b); l++; }
        if (r & 1) { r--; xg_push(q->arena, xg_buffer *, &q->nodes[r], b); }
    }
    for (; k > 0 && q->ordered[k - 1]->offset > b->offset; k--) q->ordered[k] = q->ordered[k - 1];
    q->ordered[k] = b;
}

/* Those placed whose lives meet b's, by offset, in met; their number. */
XG_FN uint32_t xg_plan_meet(xg_plan_packer *q, const xg_buffer *b) {
    uint32_t k, n = 0, node;
    for (node = b->first + q->steps; node; node /= 2) for (k = 0; k < q->nodes[node].n; k++) q->met[n++] = q->nodes[node].p[k]; /* alive when b begins */
    for (k = q->start[b->first + 1]; k < q->start[b->last + 1]; k++) if (q->by_first[k]->placed) q->met[n++] = q->by_first[k]; /* begin later */
    if (n < q->n_ordered / 16 || n < 2) { if (n > 1) qsort(q->met, n, sizeof *q->met, xg_plan_compare_offset); return n; }
    for (k = 0, n = 0; k < q->n_ordered; k++) if (q->ordered[k]->first <= b->last && b->first <= q->ordered[k]->last) q->met[n++] = q->ordered[k];
    return n;
}

/* The lowest gap beside them. */
XG_FN int64_t xg_plan_find_gap(xg_plan_packer *q, const xg_buffer *b) {
    uint32_t k, n = xg_plan_meet(q, b);
    int64_t at = 0;
    for (k = 0; k < n; k++) {
        if (q->met[k]->offset - at >= xg_plan_round(b->bytes)) break;
        at = XG_MAX(at, q->met[k]->offset + xg_plan_round(q->met[k]->bytes));
    }
    return at;
}

XG_FN void xg_plan_pack(xg_plan *p) {
    xg_buffer **temps = XG_NEW_N(p->arena, xg_buffer *, (size_t)p->buffers.n + 1);
    xg_plan_packer q;
    uint32_t n = 0, k;
    for (k = 0; k < p->buffers.n; k++) if (p->buffers.p[k]->kind == XG_EXE_ALLOC_TEMP && p->buffers.p[k]->bytes) temps[n++] = p->buffers.p[k];
    if (n > 1) qsort(temps, n, sizeof *temps, xg_plan_compare_size);
    xg_plan_packer_init(&q, p->arena, temps, n);
    for (k = 0; k < n; k++) {
        int64_t end;
        if (temps[k]->bytes > INT64_MAX / 4) xg_fail(p->arena->ctx, XLAGPU_ERROR_LIMIT, "temporary memory overflows 64 bits");
        temps[k]->offset = xg_plan_find_gap(&q, temps[k]);
        if (!xg_add64(temps[k]->offset, xg_plan_round(temps[k]->bytes), &end) || end > INT64_MAX / 4) xg_fail(p->arena->ctx, XLAGPU_ERROR_LIMIT, "temporary memory overflows 64 bits");
        p->temp_bytes = XG_MAX(p->temp_bytes, end);
        xg_plan_placed(&q, temps[k]);
    }
}

XG_FN xg_plan *xg_plan_buffers(xg_arena *a, xg_module *m) {
    xg_plan *p = XG_NEW(a, xg_plan);
    uint32_t at = 0;
    p->m = m;
    p->arena = a;
    xg_map64_init(&p->of, a);
    xg_plan_parameters(p);
    xg_plan_walk(p, m->entry, &at);
    xg_plan_results(p, at + 1);
    xg_plan_pack(p);
    return p;
}

#endif /* XG_PLAN_BUFFERS_C */
