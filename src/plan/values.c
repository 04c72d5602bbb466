/* plan/values.c -- dataflow and liveness: which instruction leaf is which value, and from where to where each value
 * lives.
 *
 * Loops and branches are walked in place, so that positions are on one line: of a loop first its start, then the
 * condition, the body and the end of a turn; of a conditional each branch and its end, then where they join. What
 * stands later on the line may run earlier in a loop; therefore the state of a loop lives as IN from the start to its
 * last use by the condition or the body, and as OUT from the end of a turn on; between the two its memory is free for
 * the next turn's value. A leaf that the body only passes on is no state: it is the initial value, needed to the
 * end. */
#ifndef XG_PLAN_VALUES_C
#define XG_PLAN_VALUES_C
#include "plan.h"

XG_FN int64_t xg_plan_bytes(const xg_shape *s) {
    return xg_shape_is_array(s) ? s->elements * xg_type_bytes(s->type) : 0;
}

XG_FN xg_plan_value *xg_plan_value_of(const xg_plan *p, const xg_inst *i, uint32_t leaf) {
    uint32_t first = i->id < p->n_first ? p->first_name[i->id] : 0;
    return first ? p->names.p[first - 1 + leaf] : NULL;
}

XG_FN xg_plan_site *xg_plan_site_of(const xg_plan *p, const xg_inst *i) {
    return i->id < p->n_first ? p->sites[i->id] : NULL;
}

/* The k-th value; what those a few further on point to is asked for. */
XG_FN xg_plan_value *xg_plan_value_at(const xg_plan *p, uint32_t k) {
    const xg_plan_value *later = p->values.p[XG_MIN(k + 6, p->values.n - 1)];
    xg_inst_bring((uintptr_t)later->inst);
    xg_inst_bring((uintptr_t)later->buffer);
    XG_PREFETCH(later->from);
    return p->values.p[k];
}

/* ---- the values of a buffer, in the order in which they begin ---- */

/* The place of the first value that begins at `first` or later. */
XG_FN uint32_t xg_alias_place(const xg_buffer *b, uint32_t first) {
    uint32_t lo = 0, hi = b->values.n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (b->values.p[mid]->first < first)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}
XG_FN void xg_alias_insert(xg_plan *p, xg_buffer *b, xg_plan_value *v) {
    uint32_t k = xg_alias_place(b, v->first);
    xg_push(p->arena, xg_plan_value *, &b->values, v);
    memmove(b->values.p + k + 1, b->values.p + k, (b->values.n - 1 - k) * sizeof *b->values.p);
    b->values.p[k] = v;
    v->buffer = b;
}
XG_FN void xg_alias_pour(xg_plan *p, xg_buffer *from, xg_buffer *to) {
    uint32_t k;
    if (to->kind == XG_EXE_ALLOC_TEMP) {
        to->kind = from->kind;
        to->index = from->index;
        to->donated = from->donated;
    }
    if (to->kind == XG_EXE_ALLOC_RESULT) p->results[to->index] = to;
    if (to->kind == XG_EXE_ALLOC_PARAMETER) {
        p->params[to->index] = to;
        if (to->donated) p->results[to->donated - 1] = to;
    }
    for (k = 0; k < from->values.n; k++) xg_alias_insert(p, to, from->values.p[k]);
    from->values.n = from->values.cap = 0;
}
XG_FN void xg_plan_unite(xg_plan *p, xg_plan_value *a, xg_plan_value *b) {
    if (a->buffer == b->buffer) return;
    if (a->buffer->values.n < b->buffer->values.n)
        xg_alias_pour(p, a->buffer, b->buffer);
    else
        xg_alias_pour(p, b->buffer, a->buffer);
}

/* ---- leaves ---- */

XG_FN void xg_plan_leaf_shapes(const xg_shape *s, const xg_shape **out, uint32_t *n) {
    uint32_t k;
    if (s->type != XLAGPU_TUPLE) {
        out[(*n)++] = s;
        return;
    }
    for (k = 0; k < s->n_elems; k++) xg_plan_leaf_shapes(s->elems[k], out, n);
}
/* In memory of their own only where tuples stand in tuples. */
XG_FN const xg_shape *const *xg_plan_leaves(xg_arena *a, const xg_shape *const *shape, uint32_t *n) {
    const xg_shape *s = *shape, **out;
    *n = (uint32_t)xg_shape_leaves(s);
    if (s->type != XLAGPU_TUPLE) return shape;
    if (s->flat) return s->elems;
    out = XG_NEW_N(a, const xg_shape *, *n + (size_t)1);
    *n = 0;
    xg_plan_leaf_shapes(s, out, n);
    return out;
}
/* A value with a buffer of its own; most buffers never get another one, and their list is its place among all values.
 * OUT lies where its IN does, which is `in`. */
typedef struct xg_plan_made {
    xg_plan_value value;
    xg_buffer buffer;
} xg_plan_made;
XG_FN xg_plan_value *xg_plan_value_in(xg_plan *p, const xg_inst *i, uint32_t leaf, xg_value_role role,
    const xg_shape *s, uint32_t first, const xg_plan_value *in) {
    size_t bytes = in ? sizeof(xg_plan_value) : sizeof(xg_plan_made);
    xg_plan_value **place = (xg_plan_value **)xg_vec_slot(p->arena, &p->values, sizeof *place);
    xg_plan_made *made = (xg_plan_made *)xg_alloc_lines(p->arena, bytes);
    xg_plan_value *v = *place = &made->value;
    xg_buffer *b = &made->buffer;
    memset(made, 0, bytes);
    v->inst = i;
    v->leaf = leaf;
    v->role = role;
    v->shape = s;
    v->first = v->last = first;
    if (in) {
        xg_alias_insert(p, in->buffer, v);
        return v;
    }
    v->buffer = b;
    b->kind = (uint8_t)(role == XG_VALUE_PARAMETER  ? XG_EXE_ALLOC_PARAMETER
                        : role == XG_VALUE_CONSTANT ? XG_EXE_ALLOC_CONSTANT
                        : role == XG_VALUE_RESULT   ? XG_EXE_ALLOC_RESULT
                                                    : XG_EXE_ALLOC_TEMP);
    b->space = s->layout ? (int32_t)XG_MIN(s->layout->memory_space, (int64_t)INT32_MAX - 1) : 0;
    b->bytes = xg_plan_bytes(s);
    b->values.p = place;
    b->values.n = b->values.cap = 1;
    return v;
}
XG_FN xg_plan_value *xg_plan_value_new(
    xg_plan *p, const xg_inst *i, uint32_t leaf, xg_value_role role, const xg_shape *s, uint32_t first) {
    return xg_plan_value_in(p, i, leaf, role, s, first, NULL);
}
XG_FN void xg_plan_name(xg_plan *p, const xg_inst *i, uint32_t leaf, xg_plan_value *v) {
    uint32_t n;
    if (!v) return;
    XLAGPU_ASSERT(i->id < p->n_first && leaf < (uint32_t)xg_shape_leaves(i->shape));
    if (!p->first_name[i->id]) {
        p->first_name[i->id] = p->names.n + 1;
        for (n = (uint32_t)xg_shape_leaves(i->shape); n; n--) xg_push(p->arena, xg_plan_value *, &p->names, NULL);
    }
    p->names.p[p->first_name[i->id] - 1 + leaf] = v;
}
XG_FN void xg_plan_lives(xg_plan_value *v, uint32_t at) {
    if (v && v->last < at) v->last = at;
}
XG_FN void xg_plan_keep(xg_plan *p, const xg_inst *i, uint32_t at) {
    uint32_t k, n = (uint32_t)xg_shape_leaves(i->shape);
    for (k = 0; k < n; k++) xg_plan_lives(xg_plan_value_of(p, i, k), at);
}

/* ---- forwarding ---- */

XG_FN bool xg_plan_forwards(const xg_inst *i) {
    switch (i->op) {
    case XG_TUPLE:
    case XG_GET_TUPLE_ELEMENT:
    case XG_BITCAST:
    case XG_OPT_BARRIER:
    case XG_DOMAIN:
    case XG_ADD_DEPENDENCY:
    case XG_COPY_DONE: return true;
    default: return false;
    }
}
/* Where a leaf of a forwarding instruction comes from: its operand number, and there the leaf. */
XG_FN uint32_t xg_plan_forwarded(const xg_inst *i, uint32_t leaf, uint32_t *operand) {
    *operand = 0;
    if (i->op == XG_GET_TUPLE_ELEMENT) return leaf + xg_shape_leaf_at(XG_OPERAND(i, 0)->shape, xg_attr_index(i));
    if (i->op != XG_TUPLE) return leaf;
    *operand = xg_shape_element_of(i->shape, leaf);
    return leaf - xg_shape_leaf_at(i->shape, *operand);
}

/* Does the body hand on the k-th leaf of its parameter as the k-th leaf of its root, through names and loops that hand
 * it on themselves? */
XG_FN bool xg_plan_hands_on(const xg_comp *body, uint32_t k) {
    const xg_inst *i = body->root;
    uint32_t leaf = k, operand;
    for (;;) {
        if (xg_plan_forwards(i)) {
            leaf = xg_plan_forwarded(i, leaf, &operand);
            i = XG_OPERAND(i, operand);
        } else if (i->op == XG_WHILE && xg_plan_hands_on(xg_attr_comp(i, XG_A_body), leaf))
            i = XG_OPERAND(i, 0);
        else
            return i == body->params[0] && leaf == k;
    }
}

/* ---- the walk ---- */

XG_FN void xg_plan_walk(xg_plan *p, const xg_comp *c, uint32_t *at);

/* Leaves of one value must have one layout wherever they are moved. */
XG_FN void xg_plan_same_layout(const xg_inst *i, const xg_shape *a, const xg_shape *b) {
    if (a != b)
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, NULL,
            "%s: a value changes its layout between the operand, the parameter and the root of a computation",
            i->name.p);
}

XG_FN xg_plan_site *xg_plan_site_new(xg_plan *p, const xg_inst *i, uint32_t n) {
    xg_plan_site *s = XG_NEW(p->arena, xg_plan_site);
    s->inst = i;
    s->n = n;
    s->moves = XG_NEW_N(p->arena, xg_plan_moves, n + (size_t)1);
    s->at = XG_NEW_N(p->arena, uint32_t, n + (size_t)1);
    p->sites[i->id] = s;
    xg_push(p->arena, const xg_inst *, &p->joins, i);
    return s;
}

XG_FN void xg_plan_walk_while(xg_plan *p, const xg_inst *i, uint32_t *at) {
    const xg_comp *cond = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    uint32_t n, k, start = *at;
    const xg_shape *const *leaves = xg_plan_leaves(p->arena, &i->shape, &n);
    xg_plan_value **in = XG_NEW_N(p->arena, xg_plan_value *, n + (size_t)1);
    xg_plan_same_layout(i, i->shape, XG_OPERAND(i, 0)->shape);
    xg_plan_same_layout(i, i->shape, cond->params[0]->shape);
    xg_plan_same_layout(i, i->shape, body->params[0]->shape);
    xg_plan_same_layout(i, i->shape, body->root->shape);
    xg_plan_site_new(p, i, 2);
    for (k = 0; k < n; k++) {
        xg_plan_value *init = xg_plan_value_of(p, XG_OPERAND(i, 0), k), *v = init;
        if (!init) continue;
        if (!xg_plan_hands_on(body, k)) {
            v = in[k] = xg_plan_value_new(p, i, k, XG_VALUE_IN, leaves[k], start);
            v->from = init;
        }
        xg_plan_name(p, cond->params[0], k, v);
        xg_plan_name(p, body->params[0], k, v);
    }
    xg_plan_walk(p, cond, at);
    ++*at;
    xg_plan_keep(p, cond->root, *at);
    for (k = 0; k < n; k++) xg_plan_lives(in[k], *at); /* it is what is left when the condition says no */
    xg_plan_walk(p, body, at);
    ++*at;
    xg_plan_keep(p, body->root, *at);
    for (k = 0; k < n; k++) {
        xg_plan_value *v = xg_plan_value_of(p, body->params[0], k);
        if (in[k]) {
            v = xg_plan_value_in(p, i, k, XG_VALUE_OUT, leaves[k], *at, in[k]);
            v->from = xg_plan_value_of(p, body->root, k);
        } else
            xg_plan_lives(v, *at); /* the next turn reads it again */
        xg_plan_name(p, i, k, v);
    }
}

XG_FN void xg_plan_walk_conditional(xg_plan *p, const xg_inst *i, uint32_t *at) {
    xg_comps branches = xg_opt_control_comps(p->arena, i);
    uint32_t n, k, b;
    const xg_shape *const *leaves = xg_plan_leaves(p->arena, &i->shape, &n);
    xg_plan_value **joined = XG_NEW_N(p->arena, xg_plan_value *, n + (size_t)1);
    xg_plan_site_new(p, i, branches.n);
    for (k = 0; k < n; k++)
        if (xg_shape_is_array(leaves[k]))
            joined[k] = xg_plan_value_new(p, i, k, XG_VALUE_JOINED, leaves[k], UINT32_MAX);
    for (b = 0; b < branches.n; b++) {
        const xg_inst *operand = XG_OPERAND(i, b + 1), *param = branches.p[b]->params[0];
        uint32_t m = (uint32_t)xg_shape_leaves(operand->shape);
        xg_plan_same_layout(i, operand->shape, param->shape);
        xg_plan_same_layout(i, i->shape, branches.p[b]->root->shape);
        for (k = 0; k < m; k++) xg_plan_name(p, param, k, xg_plan_value_of(p, operand, k));
        xg_plan_walk(p, branches.p[b], at);
        ++*at;
        xg_plan_keep(p, branches.p[b]->root, *at);
        for (k = 0; k < n; k++) {
            xg_plan_value *v = xg_plan_value_of(p, branches.p[b]->root, k), *landed;
            if (!joined[k]) continue;
            landed = xg_plan_value_new(p, i, k, XG_VALUE_LANDED, leaves[k], *at);
            landed->from = v;
            landed->branch = b;
            xg_plan_unite(p, landed, joined[k]);
        }
    }
    ++*at;
    for (k = 0; k < n; k++)
        if (joined[k]) {
            joined[k]->first = joined[k]->last = *at;
            xg_plan_name(p, i, k, joined[k]);
        }
}

XG_FN int64_t xg_plan_workspace_bytes(const xg_record *r, bool counters) {
    if (!r) return 0;
    return counters ? 4 * r->launch.counters : r->launch.scratch ? r->launch.scratch : xg_library_workspace(r);
}
/* Memory beside its operands and results, while it runs; what of it counts is nobody else's. */
XG_FN void xg_plan_workspace(xg_plan *p, const xg_inst *i, uint32_t leaf, uint32_t at) {
    const xg_record *r = xg_records_of(p->records, i);
    uint32_t k;
    for (k = 0; k < 2; k++) {
        int64_t bytes = xg_plan_workspace_bytes(r, k == 1);
        xg_plan_value *v;
        if (!bytes) continue;
        v = xg_plan_value_new(p, i, leaf + k, XG_VALUE_SPARE, xg_shape_plain(p->m, XLAGPU_U8, &bytes, 1), at);
        if (k) v->buffer->kind = XG_EXE_ALLOC_COUNTERS;
        xg_map64_put(&p->workspaces, 2 * (uint64_t)i->id + 1 + k, v);
    }
}
XG_FN void xg_plan_define(xg_plan *p, const xg_inst *i, uint32_t *at) {
    uint32_t n, k, operand;
    const xg_shape *const *leaves = xg_plan_leaves(p->arena, &i->shape, &n);
    if (xg_plan_forwards(i)) {
        for (k = 0; k < n; k++) {
            uint32_t leaf = xg_plan_forwarded(i, k, &operand);
            xg_plan_name(p, i, k, xg_plan_value_of(p, XG_OPERAND(i, operand), leaf));
        }
        return;
    }
    switch (i->op) {
    case XG_FUSION: xg_plan_workspace(p, i, n, *at); /* fall through */
    case XG_CONSTANT:
    case XG_REPLICA_ID:
    case XG_PARTITION_ID:
    case XG_RNG_GET_AND_UPDATE_STATE:
    case XG_CUSTOM_CALL:
    case XG_INFEED:
    case XG_OUTFEED:
        for (k = 0; k < n; k++)
            if (xg_shape_is_array(leaves[k]))
                xg_plan_name(p, i, k,
                    xg_plan_value_new(p, i, k, i->op == XG_CONSTANT ? XG_VALUE_CONSTANT : XG_VALUE_MADE, leaves[k],
                        i->op == XG_CONSTANT ? 0 : *at));
        break;
    case XG_COPY_START: /* (to, from, context); nothing reads a context: opt/entry_layout.c */
        xg_plan_name(p, i, 0, xg_plan_value_new(p, i, 0, XG_VALUE_MADE, leaves[0], *at));
        if (n > 1) xg_plan_name(p, i, 1, xg_plan_value_of(p, XG_OPERAND(i, 0), 0));
        break;
    case XG_PARAMETER:
    case XG_AFTER_ALL: break;
    case XG_WHILE: xg_plan_walk_while(p, i, at); break;
    case XG_CONDITIONAL: xg_plan_walk_conditional(p, i, at); break;
    default:
        if (xg_opt_is_collective(i)) {
            for (k = 0; k < n; k++) xg_plan_name(p, i, k, xg_plan_value_new(p, i, k, XG_VALUE_MADE, leaves[k], *at));
            return;
        }
        xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "run it with --platform=interpreter",
            "%s is not supported on a device yet", xg_op_name(i->op));
    }
}

/* At the first use of what a collective gives: until then it may run beside the steps behind it, and reads. */
XG_FN void xg_plan_meets(xg_plan *p, const xg_inst *operand, uint32_t at) {
    uint32_t k, j, n = (uint32_t)xg_shape_leaves(operand->shape), all;
    for (k = 0; k < n; k++) {
        const xg_plan_value *v = xg_plan_value_of(p, operand, k);
        if (!v || v->role != XG_VALUE_MADE || v->first + 1 >= at || !xg_opt_is_collective(v->inst)) continue;
        all = (uint32_t)xg_shape_leaves(v->inst->shape);
        for (j = 0; j < all; j++) {
            const xg_plan_value *other = xg_plan_value_of(p, v->inst, j);
            if (other && other->last != other->first) break; /* it was waited for before */
        }
        if (j < all) continue;
        for (j = 0; j < v->inst->n_operands; j++) xg_plan_keep(p, XG_OPERAND(v->inst, j), at);
    }
}
/* A copy that runs beside others reads until it is done. */
XG_FN void xg_plan_walk(xg_plan *p, const xg_comp *c, uint32_t *at) {
    bool many = p->m->replica_count > 1 || p->m->num_partitions > 1;
    XG_FOR_INSTS(i, c) {
        uint32_t k;
        ++*at;
        i->scratch = (void *)(uintptr_t)*at; /* for passes that ask where it is: rematerialize.c */
        p->n_made += i->op != XG_PARAMETER && i->op != XG_CONSTANT && !xg_plan_forwards(i);
        for (k = 0; many && k < i->n_operands && !xg_plan_forwards(i); k++) xg_plan_meets(p, XG_OPERAND(i, k), *at);
        if (!xg_plan_forwards(i))
            for (k = 0; k < i->n_operands; k++)
                if (i->op != XG_CONDITIONAL || !k) xg_plan_keep(p, XG_OPERAND(i, k), *at);
        if (i->op == XG_COPY_DONE) xg_plan_keep(p, XG_OPERAND(i, 0), *at);
        xg_plan_define(p, i, at);
    }
}

XG_FN void xg_plan_parameters(xg_plan *p) {
    const xg_comp *e = p->m->entry;
    uint32_t k, j, n, total = 0;
    for (k = 0; k < e->n_params; k++) total += (uint32_t)xg_shape_leaves(e->params[k]->shape);
    p->params = XG_NEW_N(p->arena, xg_buffer *, total + (size_t)1);
    for (k = 0; k < e->n_params; k++) {
        const xg_shape *const *leaves = xg_plan_leaves(p->arena, &e->params[k]->shape, &n);
        for (j = 0; j < n; j++) {
            xg_plan_value *v = xg_plan_value_new(p, e->params[k], j, XG_VALUE_PARAMETER, leaves[j], 0);
            xg_plan_name(p, e->params[k], j, v);
            v->buffer->index = p->n_params;
            p->params[p->n_params++] = v->buffer;
        }
    }
}

XG_FN void xg_plan_results(xg_plan *p) {
    const xg_inst *root = p->m->entry->root;
    uint32_t n, k;
    const xg_shape *const *leaves = xg_plan_leaves(p->arena, &root->shape, &n);
    p->results = XG_NEW_N(p->arena, xg_buffer *, n + (size_t)1);
    p->n_results = n;
    xg_plan_keep(p, root, p->end);
    for (k = 0; k < n; k++) {
        xg_plan_value *v = xg_plan_value_new(p, root, k, XG_VALUE_RESULT, leaves[k], p->end);
        v->from = xg_plan_value_of(p, root, k);
        v->buffer->index = k;
        p->results[k] = v->buffer;
    }
}

/* Room for what the entry's instructions have: lists that grow leave the smaller ones behind. */
XG_FN void xg_plan_reserve(xg_plan *p) {
    size_t names = 0, values = (size_t)p->m->entry->root->shape->leaves;
    XG_FOR_INSTS(i, p->m->entry) {
        names = xg_add(p->arena->ctx, names, (size_t)i->shape->leaves);
        if (!xg_plan_forwards(i)) values = xg_add(p->arena->ctx, values, (size_t)i->shape->leaves);
    }
    if (names + values > UINT32_MAX) return;
    p->names.p = (xg_plan_value **)xg_alloc_raw(p->arena, names * sizeof *p->names.p);
    p->names.cap = (uint32_t)names;
    p->values.p = (xg_plan_value **)xg_alloc_raw(p->arena, values * sizeof *p->values.p);
    p->values.cap = (uint32_t)values;
}

XG_FN xg_plan *xg_plan_values(xg_arena *a, xg_module *m) {
    xg_plan *p = XG_NEW(a, xg_plan);
    uint32_t at = 0;
    p->m = m;
    p->arena = a;
    p->records = XG_NEW(a, xg_records);
    xg_records_open(p->records, a);
    p->n_first = m->n_ids;
    p->first_name = XG_NEW_N(a, uint32_t, (size_t)m->n_ids + 1);
    p->sites = XG_NEW_N(a, xg_plan_site *, (size_t)m->n_ids + 1);
    xg_map64_init(&p->workspaces, a);
    xg_plan_reserve(p);
    xg_plan_parameters(p);
    xg_plan_walk(p, m->entry, &at);
    p->end = at + 1;
    xg_plan_results(p);
    return p;
}

XG_FN void xg_report_value_name(xg_buf *b, const xg_plan_value *v) {
    XG_TABLE const char roles[][10] = {
#define X(name) #name,
        XG_PLAN_VALUES(X)
#undef X
    };
    const char *r;
    xg_put_str(b, v->inst->name);
    xg_printf(b, "{%u}", v->leaf);
    if (v->role < XG_VALUE_IN) return;
    xg_putc(b, '.');
    for (r = roles[v->role]; *r; r++) xg_putc(b, (char)(*r - 'A' + 'a'));
}

#endif /* XG_PLAN_VALUES_C */
