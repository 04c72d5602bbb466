/* hlo/verify.c -- what makes a module a module: structure, order, attributes, shapes, computations, pairs, the entry's
 * interface.
 *
 * Runs in linear time over the module, in program order, so the first error reported is the first in the text. Shapes
 * are checked by inferring each again (infer.c) and comparing. What is required of an instruction is checked before its
 * users rely on it.
 *
 * Laws
 * - A called computation is defined before its caller: the call graph has no cycles. A fusion owns its computation.
 * - Operands come before users, in one computation; control predecessors too, so there are no control cycles.
 * - Each instruction's `scratch` is its computation once it was seen; verifying leaves it so. */
#ifndef XG_HLO_VERIFY_C
#define XG_HLO_VERIFY_C
#include "infer.c"
#include "verify_attr.c"

static void xg_verify_comp_fail(const xg_comp *c, const char *what) {
    xg_module *m = c->module;
    if (m->source && c->source_at)
        xg_fail_at(m->ctx, XLAGPU_ERROR_INVALID, m->source, c->source_at - 1, NULL, "computation %.*s: %s",
            (int)XG_MIN(c->name.n, 200u), c->name.p, what);
    xg_fail(m->ctx, XLAGPU_ERROR_INVALID, "computation %.*s: %s", (int)XG_MIN(c->name.n, 200u), c->name.p, what);
}

typedef struct xg_verify_comp_state {
    uint32_t order;
    const xg_inst *fusion;
    bool called;
} xg_verify_comp_state; /* order: 1-based place in the module */
typedef struct xg_verifier {
    xg_module *m;
    xg_verify_comp_state *comps; /* by id */
    uint8_t *shape_seen;         /* by id: its layouts were checked */
    uint32_t n_shapes;
    xg_map64 channels;         /* channel to xg_verify_channel */
    const xg_inst *all_reduce; /* the first, for constrain_layout */
} xg_verifier;
typedef struct xg_verify_channel {
    const xg_inst *first;
    uint32_t count[4];
    bool piped;
} xg_verify_channel; /* count: send, send-done, recv, recv-done */

/* ---- shapes and layouts ---- */

static void xg_verify_layout(const xg_inst *i, const xg_shape *s) {
    const xg_layout *l = s->layout;
    uint64_t seen = 0;
    uint32_t k;
    if (!l) return;
    XG_RULE(i, l->rank == s->rank, "the layout of %s has %u dimensions", xg_infer_text(i, s), l->rank);
    for (k = 0; k < l->rank; k++) {
        int32_t d = l->minor_to_major[k];
        XG_RULE(i, d >= 0 && d < (int32_t)l->rank && !(seen >> d & 1),
            "the layout of %s must be a permutation of 0 to %u", xg_infer_text(i, s), l->rank - 1);
        seen |= (uint64_t)1 << d;
    }
    XG_RULE(i,
        l->element_bits >= 0 && (l->element_bits == 0 || l->element_bits == xg_type_bits(s->type) ||
                                    l->element_bits == 8 * (int64_t)xg_type_bytes(s->type)),
        "the layout of %s says E(%lld), but its elements have %d bits", xg_infer_text(i, s), (long long)l->element_bits,
        xg_type_bits(s->type));
}
static void xg_verify_shape(xg_verifier *v, const xg_inst *i, const xg_shape *s) {
    uint32_t k;
    if (s->id < v->n_shapes) {
        if (v->shape_seen[s->id]) return;
        v->shape_seen[s->id] = 1;
    }
    xg_verify_layout(i, s);
    for (k = 0; k < s->n_elems; k++) xg_verify_shape(v, i, s->elems[k]);
}
static void xg_verify_constraints(xg_verifier *v, const xg_inst *i) { /* layouts that a call asks for */
    const xg_attr *a = xg_inst_attr(i, XG_A_operand_layout_constraints);
    uint32_t k;
    for (k = 0; a && k < a->v.shapes->n; k++) xg_verify_shape(v, i, a->v.shapes->p[k]);
}

/* ---- one instruction ---- */

static void xg_verify_operands(const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++) {
        const xg_use *u = &i->operands[k];
        XG_RULE(i, u->value != NULL, "operand %u is missing", k);
        XG_RULE(i, u->value->comp == i->comp, "operand %u, %.*s, is in another computation", k, (int)u->value->name.n,
            u->value->name.p);
        XG_RULE(i, u->value->scratch == (void *)i->comp, "operand %u, %.*s, must come before it", k,
            (int)u->value->name.n, u->value->name.p);
        if (u->user != i) xg_hlo_fail(i, XLAGPU_ERROR_INTERNAL, NULL, "the use of operand %u is not linked to it", k);
    }
}
/* The uses of a value name it, and are linked both ways. Returns how many there are. */
static size_t xg_verify_uses(const xg_inst *i) {
    const xg_use *u, *before = NULL;
    size_t n = 0;
    for (u = i->first_use; u; before = u, u = u->next, n++)
        if (u->value != i || (before && u->prev != before) || u->user->comp != i->comp)
            xg_hlo_fail(i, XLAGPU_ERROR_INTERNAL, NULL, "its list of uses is broken");
    if (before && i->first_use->prev != before)
        xg_hlo_fail(i, XLAGPU_ERROR_INTERNAL, NULL, "its list of uses does not end where it should");
    return n;
}
static const char *xg_verify_thread(xg_str s, int *n) { /* no thread is the main thread */
    *n = s.n ? (int)s.n : 4;
    return s.n ? s.p : "main";
}
static void xg_verify_threads(const xg_inst *i, const xg_comp *callee) {
    bool async = i->op == XG_ASYNC_START || i->op == XG_ASYNC_UPDATE || i->op == XG_ASYNC_DONE;
    int a, b;
    const char *want, *got = xg_verify_thread(callee->execution_thread, &b);
    if (async && (!callee->execution_thread.n || !xg_inst_attr(i, XG_A_async_execution_thread)))
        return;                              /* one of them says it */
    if (!callee->execution_thread.n) return; /* it runs where it is called */
    want = xg_verify_thread(async ? xg_attr_str(i, XG_A_async_execution_thread) : i->comp->execution_thread, &a);
    XG_RULE(i, a == b && memcmp(want, got, (size_t)a) == 0,
        "it runs %.*s on thread \"%.*s\", but that is for thread \"%.*s\"", (int)callee->name.n, callee->name.p, a,
        want, b, got);
}
static void xg_verify_callee(xg_verifier *v, const xg_inst *i, const xg_comp *callee) {
    xg_verify_comp_state *s, *own = &v->comps[i->comp->id];
    XG_RULE(i, callee && callee->module == v->m && callee->id < v->m->n_comp_ids,
        "it calls a computation that is not in this module");
    s = &v->comps[callee->id];
    XG_RULE(i, s->order && s->order < own->order, "it calls %.*s, which must be defined before it", (int)callee->name.n,
        callee->name.p);
    XG_RULE(i, callee != v->m->entry, "it calls the entry computation %.*s", (int)callee->name.n, callee->name.p);
    XG_RULE_HINT(i, !s->fusion && !(i->op == XG_FUSION && s->called), "give each fusion a computation of its own",
        "%.*s belongs to a fusion and cannot be called from elsewhere", (int)callee->name.n, callee->name.p);
    s->called = true;
    if (i->op == XG_FUSION) s->fusion = i;
    xg_verify_threads(i, callee);
}
static void xg_verify_callees(xg_verifier *v, const xg_inst *i) {
    uint32_t k, j;
    for (k = 0; k < i->n_attrs; k++) {
        const xg_attr *a = &i->attrs[k];
        xg_attr_kind kind = xg_attr_kind_of(a->key);
        if (kind == XG_K_COMP) xg_verify_callee(v, i, a->v.comp);
        if (kind == XG_K_COMPS)
            for (j = 0; j < a->v.comps->n; j++) xg_verify_callee(v, i, a->v.comps->p[j]);
    }
}

/* What nothing in a fused computation uses is allowed: it is left out of the kernel. */
static void xg_verify_fused(const xg_inst *fusion) {
    const xg_comp *c = xg_attr_calls(fusion);
    XG_RULE(fusion, !c->root->first_use, "the root %.*s of %.*s has users", (int)c->root->name.n, c->root->name.p,
        (int)c->name.n, c->name.p);
}

XG_APART static void xg_verify_inst(xg_verifier *v, const xg_inst *i) {
    const xg_shape *s;
    XG_RULE(i, (uint32_t)i->op < (uint32_t)XG_OPCODE_COUNT && i->id < v->m->n_ids, "it has an unknown opcode or id");
    xg_verify_operands(i);
    xg_verify_attrs(i);
    xg_verify_callees(v, i);
    XG_RULE(i, i->shape != NULL, "it has no shape");
    XG_RULE(i, i->op != XG_CONSTANT || i->literal, "it has no value");
    xg_verify_shape(v, i, i->shape);
    if (i->op == XG_CUSTOM_CALL) xg_verify_constraints(v, i);
    s = xg_hlo_infer(v->m, i);
    XG_RULE(i, xg_shape_agrees(i->shape, s), "the result is stated as %s, but the operands and attributes give %s",
        xg_infer_text(i, i->shape), xg_infer_text(i, s));
    if (i->op == XG_FUSION) xg_verify_fused(i);
}

/* ---- pairs and channels ---- */

/* What must follow a start, and what a done must follow. An async-start is a tuple, which may go anywhere. */
static int xg_verify_pair_of(xg_opcode op) {
    switch (op) {
    case XG_ALL_REDUCE_START: return XG_ALL_REDUCE_DONE;
    case XG_ALL_GATHER_START: return XG_ALL_GATHER_DONE;
    case XG_COLLECTIVE_PERMUTE_START: return XG_COLLECTIVE_PERMUTE_DONE;
    case XG_COPY_START: return XG_COPY_DONE;
    case XG_ALL_REDUCE_DONE: return XG_ALL_REDUCE_START;
    case XG_ALL_GATHER_DONE: return XG_ALL_GATHER_START;
    case XG_COLLECTIVE_PERMUTE_DONE: return XG_COLLECTIVE_PERMUTE_START;
    case XG_COPY_DONE: return XG_COPY_START;
    default: return -1;
    }
}
static void xg_verify_pair(const xg_inst *i) {
    int pair = xg_verify_pair_of(i->op);
    bool start = (xg_op_flags(i->op) & XGF_START) != 0;
    const xg_inst *user = i->first_use ? i->first_use->user : NULL;
    if (pair < 0) return;
    if (start) {
        XG_RULE(i, user && !i->first_use->next, "it must have exactly one user, the operation that completes it");
        XG_RULE(i, (int)user->op == pair, "its user must be %s, but is %s", xg_op_name((xg_opcode)pair),
            xg_op_name(user->op));
    } else
        XG_RULE(i, (int)XG_OPERAND(i, 0)->op == pair, "its operand must be %s, but is %s", xg_op_name((xg_opcode)pair),
            xg_op_name(XG_OPERAND(i, 0)->op));
}

static bool xg_verify_is_transfer(xg_opcode op) {
    return op == XG_SEND || op == XG_SEND_DONE || op == XG_RECV || op == XG_RECV_DONE;
}

/* A send and its send-done are one transfer over one channel. Pipelined ones, marked with frontend_attributes, may be
 * apart. */
XG_APART static void xg_verify_transfer(const xg_inst *i) {
    bool piped = xg_inst_attr(i, XG_A_frontend_attributes) != NULL, start = i->op == XG_SEND || i->op == XG_RECV;
    xg_opcode pair = i->op == XG_SEND        ? XG_SEND_DONE
                     : i->op == XG_RECV      ? XG_RECV_DONE
                     : i->op == XG_SEND_DONE ? XG_SEND
                                             : XG_RECV;
    const xg_inst *other = !start ? XG_OPERAND(i, 0) : i->first_use && !i->first_use->next ? i->first_use->user : NULL;
    if (!other || other->op != pair) {
        XG_RULE(i, piped, "it must be paired with one %s", xg_op_name(pair));
        return;
    }
    if (start) return; /* its done compares */
    XG_RULE(i,
        !xg_inst_attr(i, XG_A_channel_id) || xg_attr_or_0(i, XG_A_channel_id) == xg_attr_or_0(other, XG_A_channel_id),
        "it must have the channel_id of its %s, %lld", xg_op_name(pair),
        (long long)xg_attr_or_0(other, XG_A_channel_id));
    XG_RULE(i, xg_attr_or_0(i, XG_A_is_host_transfer) == xg_attr_or_0(other, XG_A_is_host_transfer),
        "it must have the is_host_transfer of its %s", xg_op_name(pair));
}
/* A channel is one send and one receive with their ends, or any number of collectives: JAX gives all of a module the
 * same. */
static void xg_verify_channel_use(xg_verifier *v, const xg_inst *i) {
    uint64_t id = (uint64_t)xg_attr_or_0(i, XG_A_channel_id);
    xg_verify_channel *c = (xg_verify_channel *)xg_map64_get(&v->channels, id);
    if (!c) {
        c = XG_NEW(v->m->arena, xg_verify_channel);
        c->first = i;
        c->piped = true;
        xg_map64_put(&v->channels, id, c);
    }
    XG_RULE(i, xg_verify_is_transfer(i->op) == xg_verify_is_transfer(c->first->op),
        "channel %lld is already used by %s %.*s", (long long)id, xg_op_name(c->first->op), (int)c->first->name.n,
        c->first->name.p);
    if (xg_verify_is_transfer(i->op)) {
        uint32_t *count = &c->count[i->op == XG_SEND ? 0 : i->op == XG_SEND_DONE ? 1 : i->op == XG_RECV ? 2 : 3];
        if (!xg_inst_attr(i, XG_A_frontend_attributes)) c->piped = false;
        XG_RULE(i, ++*count == 1 || c->piped, "channel %lld already has a %s", (long long)id, xg_op_name(i->op));
    }
}
static void xg_verify_devices(xg_verifier *v, const xg_inst *i) {
    if (xg_verify_is_transfer(i->op)) xg_verify_transfer(i);
    if (xg_inst_attr(i, XG_A_channel_id)) xg_verify_channel_use(v, i);
    if (i->op == XG_ALL_REDUCE || i->op == XG_ALL_REDUCE_START) {
        if (!v->all_reduce) v->all_reduce = i;
        XG_RULE(i, xg_attr_or_0(i, XG_A_constrain_layout) == xg_attr_or_0(v->all_reduce, XG_A_constrain_layout),
            "all all-reduce operations must agree in constrain_layout");
    }
}

/* ---- one computation ---- */

static void xg_verify_param(const xg_comp *c, const xg_inst *i) {
    XG_RULE_HINT(i, i->number >= 0 && i->number < (int64_t)c->n_params, "number them 0, 1, 2 ... without gaps",
        "parameter(%lld) in a computation of %u parameters", (long long)i->number, c->n_params);
    XG_RULE(i, c->params[i->number] == i, "there are two parameters with the number %lld", (long long)i->number);
}
static void xg_verify_comp(xg_verifier *v, const xg_comp *c) {
    size_t uses = 0, operands = 0;
    uint32_t n = 0, found = 0, k;
    const xg_inst *before = NULL;
    bool talks = false;
    XG_FOR_INSTS(i, c) {
        if (i->comp != c || i->prev != before)
            xg_hlo_fail(i, XLAGPU_ERROR_INTERNAL, NULL, "the list of instructions is broken");
        i->scratch = NULL;
        before = i;
        n++;
        if (i->op != XG_PARAMETER) continue;
        xg_verify_param(c, i);
        found++;
    }
    if (!c->root) xg_verify_comp_fail(c, "it has no instructions");
    if (c->last != before || c->n_insts != n || c->root->comp != c)
        xg_verify_comp_fail(c, "its list of instructions is broken");
    if (found != c->n_params) xg_verify_comp_fail(c, "its list of parameters names one that is not in it");
    for (k = 0; k < c->n_params; k++)
        if (!c->params[k]) xg_verify_comp_fail(c, "its parameters must be numbered 0, 1, 2 ... without gaps");
    XG_FOR_INSTS(j, c) {
        xg_verify_inst(v, j);
        j->scratch = (void *)j->comp;
        operands += j->n_operands;
        uses += xg_verify_uses(j);
        talks = talks || (xg_op_flags(j->op) & (XGF_EFFECT | XGF_COLL | XGF_START | XGF_DONE)) ||
                xg_inst_attr(j, XG_A_channel_id);
    }
    if (c->root->scratch != (void *)c->root->comp) xg_verify_comp_fail(c, "its root is not one of its instructions");
    for (before = talks ? c->first : NULL; before; before = before->next) {
        xg_verify_pair(before);
        xg_verify_devices(v, before);
    }
    if (uses != operands) xg_verify_comp_fail(c, "the lists of uses do not match the operands");
}

/* ---- the module ---- */

static const char *xg_verify_shape_text(const xg_module *m, const xg_shape *s) {
    xg_buf b;
    xg_buf_init(&b, m->arena);
    xg_shape_print(&b, s, false);
    if (b.n > XG_INFER_TEXT) memcpy(b.p + XG_INFER_TEXT - 3, "...", 4);
    return b.p;
}
static const char *xg_verify_index_text(const xg_module *m, xg_ints v) {
    xg_buf b;
    uint32_t k;
    xg_buf_init(&b, m->arena);
    xg_putc(&b, '{');
    for (k = 0; k < v.n && b.n < XG_INFER_TEXT; k++) {
        if (k) xg_putc(&b, ',');
        xg_put_i64(&b, v.p[k]);
    }
    xg_putc(&b, '}');
    return b.p;
}

static void xg_verify_entry_layout(xg_module *m) {
    const xg_comp *e = m->entry;
    uint32_t k;
    if (m->entry_result && !xg_shape_agrees(m->entry_result, e->root->shape))
        xg_fail(m->ctx, XLAGPU_ERROR_INVALID,
            "entry_computation_layout gives the result as %s, but the root %.*s is %s",
            xg_verify_shape_text(m, m->entry_result), (int)e->root->name.n, e->root->name.p,
            xg_verify_shape_text(m, e->root->shape));
    if (!m->entry_params) return;
    if (m->entry_params->n_elems != e->n_params)
        xg_fail(m->ctx, XLAGPU_ERROR_INVALID,
            "entry_computation_layout has %u parameters, but the entry computation has %u", m->entry_params->n_elems,
            e->n_params);
    for (k = 0; k < e->n_params; k++)
        if (!xg_shape_agrees(m->entry_params->elems[k], e->params[k]->shape))
            xg_fail(m->ctx, XLAGPU_ERROR_INVALID, "entry_computation_layout gives parameter %u as %s, but it is %s", k,
                xg_verify_shape_text(m, m->entry_params->elems[k]), xg_verify_shape_text(m, e->params[k]->shape));
}

/* A set of index paths: each (node, index) leads to a node, made when first taken. True when the whole path was there
 * before. */
typedef struct xg_verify_paths {
    xg_map64 edges;
    uint32_t n;
} xg_verify_paths;
static bool xg_verify_paths_add(xg_module *m, xg_verify_paths *p, int64_t first, xg_ints index) {
    uint32_t at = 0, k, *next;
    bool known = true;
    for (k = 0; k <= index.n + 1; k++) {
        int64_t step = k == 0         ? first
                       : k <= index.n ? index.p[k - 1]
                                      : INT32_MAX; /* the last one marks the end of a path */
        uint64_t key = (uint64_t)at << 32 | (uint32_t)step;
        next = (uint32_t *)xg_map64_get(&p->edges, key);
        if (!next) {
            next = XG_NEW(m->arena, uint32_t);
            *next = ++p->n;
            xg_map64_put(&p->edges, key, next);
            known = false;
        }
        at = *next;
    }
    return known;
}
static int64_t xg_verify_bits(const xg_shape *s) {
    int64_t bits = s->layout && s->layout->element_bits ? s->layout->element_bits : 8 * (int64_t)xg_type_bytes(s->type),
            r = -1;
    xg_mul64(s->elements, bits, &r);
    return r;
}
#define XG_ALIAS_RULE(ok, ...) \
    do { \
        if (ok) break; \
        xg_alias_fail(m, a, __VA_ARGS__); \
    } while (0)
XG_NORETURN XG_FN void xg_alias_fail(const xg_module *m, const xg_io_alias *a, const char *format, ...) XG_PRINTF(3, 4);
XG_NORETURN XG_FN void xg_alias_fail(const xg_module *m, const xg_io_alias *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    xg_error_set(m->ctx, XLAGPU_ERROR_INVALID, a->source_at ? m->source : NULL, a->source_at - 1, NULL, format, args);
    va_end(args);
    xg_jump(m->ctx);
}
static void xg_verify_io_aliases(xg_module *m) {
    xg_verify_paths outputs, inputs;
    uint32_t k;
    memset(&outputs, 0, sizeof outputs);
    memset(&inputs, 0, sizeof inputs);
    xg_map64_init(&outputs.edges, m->arena);
    xg_map64_init(&inputs.edges, m->arena);
    for (k = 0; k < m->n_aliases; k++) {
        const xg_io_alias *a = &m->aliases[k];
        const xg_shape *out = xg_infer_shape_at(m->entry_result ? m->entry_result : m->entry->root->shape, a->output),
                       *in;
        const char *index = xg_verify_index_text(m, a->output);
        XG_ALIAS_RULE(out, "input_output_alias names output %s, but the result is %s", index,
            xg_verify_shape_text(m, m->entry->root->shape));
        XG_ALIAS_RULE(a->param >= 0 && a->param < (int64_t)m->entry->n_params,
            "input_output_alias of output %s names parameter %lld, but there are %u", index, (long long)a->param,
            m->entry->n_params);
        in = xg_infer_shape_at(
            m->entry_params ? m->entry_params->elems[a->param] : m->entry->params[a->param]->shape, a->param_index);
        XG_ALIAS_RULE(in, "input_output_alias of output %s names index %s of parameter %lld, which is %s", index,
            xg_verify_index_text(m, a->param_index), (long long)a->param,
            xg_verify_shape_text(m, m->entry->params[a->param]->shape));
        XG_ALIAS_RULE(xg_shape_is_array(in) && xg_shape_is_array(out) && xg_verify_bits(in) == xg_verify_bits(out) &&
                          (!a->must || in == out || xg_shape_agrees(in, out)),
            "input_output_alias of output %s: %s and %s of parameter %lld cannot share a buffer", index,
            xg_verify_shape_text(m, out), xg_verify_shape_text(m, in), (long long)a->param);
        XG_ALIAS_RULE(
            !xg_verify_paths_add(m, &outputs, 0, a->output), "input_output_alias names output %s twice", index);
        XG_ALIAS_RULE(!xg_verify_paths_add(m, &inputs, a->param, a->param_index),
            "input_output_alias names index %s of parameter %lld twice", xg_verify_index_text(m, a->param_index),
            (long long)a->param);
    }
    for (k = 0; k < m->n_donors; k++) {
        const xg_io_alias *a = &m->donors[k];
        const xg_shape *in;
        XG_ALIAS_RULE(a->param >= 0 && a->param < (int64_t)m->entry->n_params,
            "buffer_donor names parameter %lld, but there are %u", (long long)a->param, m->entry->n_params);
        in = xg_infer_shape_at(m->entry->params[a->param]->shape, a->param_index);
        XG_ALIAS_RULE(in && xg_shape_is_array(in), "buffer_donor names index %s of parameter %lld, which is %s",
            xg_verify_index_text(m, a->param_index), (long long)a->param,
            xg_verify_shape_text(m, m->entry->params[a->param]->shape));
        XG_ALIAS_RULE(!xg_verify_paths_add(m, &inputs, a->param, a->param_index),
            "buffer_donor names index %s of parameter %lld, which is named before, there or in input_output_alias",
            xg_verify_index_text(m, a->param_index), (long long)a->param);
    }
}
#undef XG_ALIAS_RULE

/* The order of computations, and that the list is sound. */
static void xg_verify_comp_list(xg_verifier *v) {
    xg_module *m = v->m;
    const xg_comp *c, *before = NULL;
    uint32_t n = 0;
    for (c = m->first; c; before = c, c = xg_comp_behind(c)) {
        if (c->module != m || c->prev != before || c->id >= m->n_comp_ids || v->comps[c->id].order)
            xg_fail(
                m->ctx, XLAGPU_ERROR_INTERNAL, "the list of computations is broken at %.*s", (int)c->name.n, c->name.p);
        v->comps[c->id].order = ++n;
    }
    if (m->last != before || m->n_comps != n)
        xg_fail(m->ctx, XLAGPU_ERROR_INTERNAL, "the list of computations is broken");
    if (!m->entry || m->entry->module != m || m->entry->id >= m->n_comp_ids || !v->comps[m->entry->id].order)
        xg_fail(m->ctx, XLAGPU_ERROR_INVALID, "the module has no entry computation");
}

XG_FN void xg_hlo_verify(xg_module *m) {
    xg_verifier v;
    const xg_comp *c;
    memset(&v, 0, sizeof v);
    v.m = m;
    v.comps = XG_NEW_N(m->arena, xg_verify_comp_state, (size_t)m->n_comp_ids + 1);
    v.n_shapes = m->n_shapes;
    v.shape_seen = XG_NEW_N(m->arena, uint8_t, (size_t)m->n_shapes + 1);
    xg_map64_init(&v.channels, m->arena);
    xg_verify_comp_list(&v);
    for (c = m->first; c; c = xg_comp_behind(c)) xg_verify_comp(&v, c);
    xg_verify_entry_layout(m);
    xg_verify_io_aliases(m);
}

#undef XG_RULE
#endif /* XG_HLO_VERIFY_C */
