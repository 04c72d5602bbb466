/* plan/thunks.c -- the walk over the schedule that makes the steps of the program.
 *
 * A computation becomes a sequence of steps. Steps of all sequences lie in one array; a loop or conditional names its
 * sequences. A kernel's step names the buffer of each operand and each result leaf, as they come; the executable names
 * each buffer once. Kernels are made afterwards, from the steps alone, so that a plan read from text goes on from
 * there. */
#ifndef XG_PLAN_THUNKS_C
#define XG_PLAN_THUNKS_C
#include "plan.h"

/* Where steps are appended. */
typedef struct xg_plan_writer {
    xg_plan *p;
    xg_plan_sequence *to;
} xg_plan_writer;

XG_FN xg_plan_step *xg_plan_step_new(
    xg_plan *p, xg_plan_sequence *to, xg_exe_thunk_kind kind, const xg_inst *i, uint32_t n_links) {
    xg_plan_step s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.inst = i;
    s.n_links = n_links;
    s.links = XG_NEW_N(p->arena, uint32_t, n_links + (size_t)1);
    xg_push(p->arena, uint32_t, &to->steps, p->steps.n);
    xg_push(p->arena, xg_plan_step, &p->steps, s);
    return &p->steps.p[p->steps.n - 1];
}

XG_FN void xg_plan_fill(xg_plan_writer *w, const xg_inst *i, const xg_buffer *to, uint32_t pattern) {
    xg_plan_step *s = xg_plan_step_new(w->p, w->to, XG_EXE_THUNK_MEMSET, i, 1);
    s->value = pattern;
    s->links[0] = to->slice;
}
XG_FN void xg_plan_move_step(xg_plan_writer *w, const xg_inst *i, const xg_buffer *from, const xg_buffer *to) {
    xg_plan_step *s;
    uint32_t pattern;
    if (!to->bytes || from == to) return;
    if (from->kind == XG_EXE_ALLOC_CONSTANT && xg_fuse_pattern(from->values.p[0]->inst, to->bytes, &pattern)) {
        xg_plan_fill(w, i, to, pattern);
        return;
    }
    s = xg_plan_step_new(w->p, w->to, XG_EXE_THUNK_COPY, i, 2);
    s->links[0] = from->slice;
    s->links[1] = to->slice;
}
XG_FN void xg_plan_moves_at(xg_plan_writer *w, const xg_inst *i, const xg_plan_moves *list) {
    uint32_t k;
    for (k = 0; k < list->n; k++) xg_plan_move_step(w, i, list->p[k].from, list->p[k].to);
}

/* ---- fusions ---- */

/* A fusion that is one copy of a parameter with the same layout moves bytes only. */
XG_FN const xg_inst *xg_plan_is_memcpy(const xg_inst *fusion) {
    const xg_inst *root = xg_attr_calls(fusion)->root;
    if ((root->op != XG_COPY && root->op != XG_BITCAST) || XG_OPERAND(root, 0)->op != XG_PARAMETER) return NULL;
    if (root->op == XG_COPY && !xg_in_place_same_shape(root->shape, XG_OPERAND(root, 0)->shape)) return NULL;
    return XG_OPERAND(fusion, XG_OPERAND(root, 0)->number);
}
/* Operand leaves, then result leaves, then memory to work in; what takes no memory is left out. */
XG_FN xg_plan_step *xg_plan_call(xg_plan_writer *w, xg_exe_thunk_kind kind, const xg_inst *i) {
    xg_plan *p = w->p;
    uint32_t n = 0, k, j, leaves = (uint32_t)xg_shape_leaves(i->shape);
    xg_plan_step *s;
    for (k = 0; k < i->n_operands; k++) n += (uint32_t)xg_shape_leaves(XG_OPERAND(i, k)->shape);
    s = xg_plan_step_new(p, w->to, kind, i, n + leaves + 2);
    s->n_links = 0;
    for (k = 0; k < i->n_operands; k++)
        for (j = 0; j < (uint32_t)xg_shape_leaves(XG_OPERAND(i, k)->shape); j++) {
            const xg_buffer *b = xg_plan_operand_buffer(p, i, k, j);
            if (b) s->links[s->n_links++] = b->slice;
        }
    n = s->n_links;
    for (k = 0; k < leaves; k++) {
        const xg_plan_value *v = xg_plan_value_of(p, i, k);
        if (v) s->links[s->n_links++] = v->buffer->slice;
    }
    for (k = 1; k <= 2; k++) { /* memory to work in, counters */
        const xg_plan_value *v = (const xg_plan_value *)xg_map64_get(&p->workspaces, 2 * (uint64_t)i->id + k);
        if (v) s->links[s->n_links++] = v->buffer->slice;
    }
    s->n_written = s->n_links - n;
    return s;
}

XG_FN void xg_plan_fusion(xg_plan_writer *w, const xg_inst *i) {
    const xg_inst *source = xg_plan_is_memcpy(i);
    const xg_plan_site *site = xg_plan_site_of(w->p, i);
    uint32_t leaves = (uint32_t)xg_shape_leaves(i->shape), k, pattern;
    int64_t bytes = 0;
    for (k = 0; k < leaves; k++) bytes += xg_plan_value_of(w->p, i, k)->buffer->bytes;
    if (!bytes) return;
    if (source) {
        xg_plan_move_step(w, i, xg_plan_value_of(w->p, source, 0)->buffer, xg_plan_value_of(w->p, i, 0)->buffer);
        return;
    }
    if (leaves == 1 && xg_fuse_is_fill(xg_attr_calls(i)->root, &pattern)) {
        xg_plan_fill(w, i, xg_plan_value_of(w->p, i, 0)->buffer, pattern);
        return;
    }
    if (site) xg_plan_moves_at(w, i, &site->moves[0]);
    xg_plan_call(
        w, xg_library_makes(xg_records_of(w->p->records, i)) ? XG_EXE_THUNK_LIBRARY_CALL : XG_EXE_THUNK_KERNEL, i);
}

/* ---- control ---- */

XG_FN xg_plan_writer xg_plan_open(const xg_plan_writer *w, const xg_comp *c, uint32_t *number) {
    xg_plan_writer in = *w;
    xg_plan_sequence *s = XG_NEW(w->p->arena, xg_plan_sequence);
    s->comp = c;
    *number = w->p->sequences.n;
    xg_push(w->p->arena, xg_plan_sequence *, &w->p->sequences, s);
    in.to = s;
    return in;
}
XG_FN void xg_plan_steps(xg_plan_writer *w, const xg_comp *c);

XG_FN xg_plan_step *xg_plan_control(xg_plan_writer *w, xg_exe_thunk_kind kind, const xg_inst *i, const xg_inst *decider,
    const uint32_t *children, uint32_t n) {
    xg_plan_step *s = xg_plan_step_new(w->p, w->to, kind, i, decider ? 1 : 0);
    if (decider) s->links[0] = xg_plan_value_of(w->p, decider, 0)->buffer->slice;
    s->n_children = n;
    s->children = XG_NEW_N(w->p->arena, uint32_t, n + (size_t)1);
    memcpy(s->children, children, n * sizeof *children);
    return s;
}

/* backend_config={"known_trip_count":{"n":"10"}}: the module's word that the condition holds that often. */
XG_FN bool xg_plan_trip_count(const xg_inst *i, uint32_t *out) {
    XG_TABLE const char key[] = "known_trip_count", number[] = "\"n\"";
    xg_str s = xg_attr_str(i, XG_A_backend_config);
    uint64_t n = 0;
    uint32_t k, digits = 0;
    for (k = 0; k + sizeof key <= s.n && memcmp(s.p + k, key, sizeof key - 1) != 0; k++) {}
    for (; k + sizeof number <= s.n && memcmp(s.p + k, number, sizeof number - 1) != 0; k++) {}
    if (k + sizeof number > s.n) return false;
    for (k += sizeof number - 1; k < s.n && (s.p[k] == ':' || s.p[k] == ' ' || s.p[k] == '"'); k++) {}
    for (; k < s.n && s.p[k] >= '0' && s.p[k] <= '9' && digits < 10; k++, digits++)
        n = 10 * n + (uint64_t)(s.p[k] - '0');
    *out = (uint32_t)n;
    return digits && n <= UINT32_MAX;
}

XG_FN void xg_plan_while_step(xg_plan_writer *w, const xg_inst *i) {
    const xg_comp *cond = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    const xg_plan_site *site = xg_plan_site_of(w->p, i);
    xg_plan_writer in;
    uint32_t children[2], trips = 0;
    bool known = !w->p->asks && xg_plan_trip_count(i, &trips);
    xg_plan_moves_at(w, i, &site->moves[0]);
    if (!known) {
        in = xg_plan_open(w, cond, &children[0]);
        xg_plan_steps(&in, cond);
    }
    in = xg_plan_open(w, body, &children[1]);
    xg_plan_steps(&in, body);
    xg_plan_moves_at(&in, body->root, &site->moves[1]);
    if (known)
        xg_plan_control(w, XG_EXE_THUNK_FOR, i, NULL, children + 1, 1)->value = trips;
    else
        xg_plan_control(w, XG_EXE_THUNK_WHILE, i, cond->root, children, 2);
}

XG_FN void xg_plan_conditional_step(xg_plan_writer *w, const xg_inst *i) {
    xg_comps branches = xg_opt_control_comps(w->p->arena, i);
    const xg_plan_site *site = xg_plan_site_of(w->p, i);
    uint32_t *children = XG_NEW_N(w->p->arena, uint32_t, branches.n + (size_t)1), k;
    for (k = 0; k < branches.n; k++) {
        xg_plan_writer in = xg_plan_open(w, branches.p[k], &children[k]);
        xg_plan_steps(&in, branches.p[k]);
        xg_plan_moves_at(&in, branches.p[k]->root, &site->moves[k]);
    }
    xg_plan_control(w, XG_EXE_THUNK_CONDITIONAL, i, XG_OPERAND(i, 0), children, branches.n);
}

XG_FN void xg_plan_steps(xg_plan_writer *w, const xg_comp *c) {
    XG_FOR_INSTS(i, c) {
        const xg_plan_site *site;
        switch (i->op) {
        case XG_FUSION: xg_plan_fusion(w, i); break;
        case XG_WHILE: xg_plan_while_step(w, i); break;
        case XG_CONDITIONAL: xg_plan_conditional_step(w, i); break;
        case XG_COPY_START:
            xg_plan_move_step(
                w, i, xg_plan_value_of(w->p, XG_OPERAND(i, 0), 0)->buffer, xg_plan_value_of(w->p, i, 0)->buffer);
            break;
        case XG_REPLICA_ID: xg_plan_call(w, XG_EXE_THUNK_REPLICA_ID, i); break;
        case XG_PARTITION_ID: xg_plan_call(w, XG_EXE_THUNK_PARTITION_ID, i); break;
        case XG_RNG_GET_AND_UPDATE_STATE:
            if (xg_attr_or_0(i, XG_A_delta) < 0 || xg_attr_or_0(i, XG_A_delta) > UINT32_MAX)
                xg_hlo_fail(i, XLAGPU_ERROR_UNSUPPORTED, "draw fewer at a time",
                    "a delta of more than 32 bits is not supported");
            xg_plan_call(w, XG_EXE_THUNK_RANDOM_STATE, i);
            break;
        case XG_INFEED: xg_plan_call(w, XG_EXE_THUNK_INFEED, i); break;
        case XG_OUTFEED: xg_plan_call(w, XG_EXE_THUNK_OUTFEED, i); break;
        case XG_CUSTOM_CALL:
            site = xg_plan_site_of(w->p, i);
            if (site) xg_plan_moves_at(w, i, &site->moves[0]);
            xg_plan_call(w, xg_library_is_target(i) ? XG_EXE_THUNK_LIBRARY_CALL : XG_EXE_THUNK_CUSTOM_CALL, i);
            break;
        default:
            if (xg_opt_is_collective(i)) xg_plan_call(w, XG_EXE_THUNK_COLLECTIVE, i);
            break; /* names */
        }
    }
}

XG_FN void xg_plan_thunks(xg_plan *p) {
    xg_plan_writer w, entry;
    uint32_t number;
    w.p = p;
    w.to = NULL;
    p->steps.cap = p->n_made + 1; /* a list that grows leaves the smaller ones behind */
    p->steps.p = (xg_plan_step *)xg_alloc_raw(p->arena, xg_mul(p->m->ctx, p->steps.cap, sizeof *p->steps.p));
    entry = xg_plan_open(&w, p->m->entry, &number);
    xg_plan_steps(&entry, p->m->entry);
    xg_plan_moves_at(&entry, p->m->entry->root, &p->at_end);
}

/* In a walk over the steps: those to come, and their buffers. */
XG_FN void xg_plan_steps_ahead(const xg_plan *p, uint32_t at) {
    enum {
        FAR_AHEAD = 6, /* steps in which memory brings a line: by time, 100,000 instructions */
        AHEAD = 2,     /* ... in which it brings what such a line names */
        LINKS = 8      /* of a step that are worth asking for: most have fewer */
    };
    const xg_plan_step *s = &p->steps.p[XG_MIN(at + FAR_AHEAD, p->steps.n - 1)];
    uint32_t k;
    XG_PREFETCH(s->links);
    xg_inst_bring((uintptr_t)s->inst);
    s = &p->steps.p[XG_MIN(at + AHEAD, p->steps.n - 1)];
    for (k = 0; k < s->n_links && k < LINKS; k++) XG_PREFETCH(&p->buffers.p[s->links[k]]->slice);
}
XG_APART XG_FN void xg_plan_kernels(xg_plan *p, xg_plan_kernel_fn kernel, void *user) {
    uint32_t q, k;
    for (q = 0; q < p->sequences.n; q++)
        for (k = 0; k < p->sequences.p[q]->steps.n; k++) { /* in the order of the text of the plan */
            uint32_t at = p->sequences.p[q]->steps.p[k], number;
            xg_plan_steps_ahead(p, at);
            if (p->steps.p[at].kind != XG_EXE_THUNK_KERNEL) continue;
            number = kernel(user, p, at);
            p->steps.p[at].kernel = number;
        }
}

/* ---- what a step costs, for profiles ---- */

XG_FN uint64_t xg_plan_inst_flops(const xg_inst *i) {
    uint64_t n = xg_shape_is_array(i->shape) ? (uint64_t)i->shape->elements : 0;
    switch (i->op) {
    case XG_DOT:
    case XG_RAGGED_DOT:
    case XG_CONVOLUTION: return 2 * n * xg_inst_terms(i);
    case XG_REDUCE:
    case XG_SORT:
    case XG_SCATTER:
        return (uint64_t)(xg_shape_is_array(XG_OPERAND(i, 0)->shape) ? XG_OPERAND(i, 0)->shape->elements : 0);
    case XG_REDUCE_WINDOW: return n * xg_inst_terms(i);
    case XG_WHILE: /* in one kernel */
        XG_FOR_INSTS(x, xg_attr_comp(i, XG_A_body)) n += xg_plan_inst_flops(x);
        return n * (uint64_t)XG_MAX(xg_fuse_trips(i), (int64_t)1);
    case XG_FFT: return xg_fft_flops(XG_OPERAND(i, 0)->shape, i->shape, xg_attr_ints(i, XG_A_fft_length).n);
    case XG_CHOLESKY: return n * (uint64_t)i->shape->dims[i->shape->rank - 1] / 3;
    case XG_TRIANGULAR_SOLVE: return n * (uint64_t)XG_OPERAND(i, 0)->shape->dims[i->shape->rank - 1];
    case XG_COPY: return 0;
    default: return xg_op_flags(i->op) & XGF_EW ? n : 0;
    }
}
XG_FN void xg_plan_cost(const xg_plan *p, const xg_plan_step *s, uint64_t *flops, uint64_t *bytes) {
    uint64_t *known = s->kind == XG_EXE_THUNK_KERNEL ? &p->kernels.p[s->kernel].flops : NULL; /* of all its steps */
    uint32_t k;
    *flops = known && *known ? *known - 1 : 0;
    *bytes = 0;
    for (k = 0; k < s->n_links; k++) *bytes += (uint64_t)p->buffers.p[s->links[k]]->bytes;
    if (s->kind == XG_EXE_THUNK_LIBRARY_CALL && s->inst->op == XG_CUSTOM_CALL)
        *flops = xg_library_call_flops(s->inst);
    else if (known ? !*known : s->kind == XG_EXE_THUNK_LIBRARY_CALL)
        XG_FOR_INSTS(i, xg_attr_calls(s->inst)) *flops += xg_plan_inst_flops(i);
    if (known) *known = *flops + 1;
}

#endif /* XG_PLAN_THUNKS_C */
