/* plan/thunks.c -- the steps of the program: kernels, copies, loops and branches; and their text.
 *
 * A computation becomes a sequence of steps. Steps of all sequences lie in one array; a while or conditional names its sequences. */
#ifndef XG_PLAN_THUNKS_C
#define XG_PLAN_THUNKS_C
#include "plan.h"


/* Where steps are appended. */
typedef struct xg_plan_writer { xg_plan *p; xg_plan_sequence *to; xg_plan_kernel_fn kernel; void *user; } xg_plan_writer;

XG_FN uint32_t xg_plan_sequence_of(xg_plan_writer *w, const xg_comp *c);

XG_FN xg_plan_step *xg_plan_step_new(xg_plan_writer *w, xg_exe_thunk_kind kind, const xg_inst *i, uint32_t n_links) {
    xg_plan *p = w->p;
    xg_plan_step s;
    memset(&s, 0, sizeof s);
    s.kind = kind;
    s.inst = i;
    s.n_links = n_links;
    s.links = XG_NEW_N(p->arena, uint32_t, n_links + 1);
    xg_push(p->arena, uint32_t, &w->to->steps, p->steps.n);
    xg_push(p->arena, xg_plan_step, &p->steps, s);
    return &p->steps.p[p->steps.n - 1];
}

XG_FN void xg_plan_copy(xg_plan_writer *w, const xg_inst *i, const xg_buffer *from, const xg_buffer *to) {
    xg_plan_step *s;
    if (!to->bytes || from == to) return;
    s = xg_plan_step_new(w, XG_EXE_THUNK_COPY, i, 2);
    s->links[0] = from->slice;
    s->links[1] = to->slice;
}

/* A fusion that is one copy of a parameter with the same layout moves bytes only. */
XG_FN const xg_inst *xg_plan_is_memcpy(const xg_inst *fusion) {
    const xg_inst *root = xg_attr_comp(fusion, XG_A_calls)->root;
    if ((root->op != XG_COPY && root->op != XG_BITCAST) || XG_OPERAND(root, 0)->op != XG_PARAMETER) return NULL;
    if (root->op == XG_COPY && root->shape != XG_OPERAND(root, 0)->shape) return NULL;
    return XG_OPERAND(fusion, XG_OPERAND(root, 0)->number);
}

XG_FN void xg_plan_link(xg_plan_step *s, uint32_t slice) {
    uint32_t k;
    for (k = 0; k < s->n_links; k++) if (s->links[k] == slice) return;
    s->links[s->n_links++] = slice;
}

XG_FN void xg_plan_fusion(xg_plan_writer *w, const xg_inst *i) {
    xg_plan *p = w->p;
    const xg_inst *source = xg_plan_is_memcpy(i);
    uint32_t n = i->n_operands, leaves = (uint32_t)xg_shape_leaves(i->shape), k, number;
    int64_t bytes = 0;
    xg_plan_step *s;
    for (k = 0; k < leaves; k++) bytes += xg_plan_value(p, i, k)->bytes;
    if (!bytes) return;
    if (source) { xg_plan_copy(w, i, xg_plan_value(p, source, 0), xg_plan_value(p, i, 0)); return; }
    for (k = 0; k < n; k++) if (xg_plan_operand(p, i, k) != xg_plan_value(p, XG_OPERAND(i, k), 0)) xg_plan_copy(w, i, xg_plan_value(p, XG_OPERAND(i, k), 0), xg_plan_operand(p, i, k));
    number = w->kernel(w->user, p, i);
    s = xg_plan_step_new(w, XG_EXE_THUNK_KERNEL, i, n + leaves);
    s->kernel = number;
    s->n_links = 0; /* a kernel takes each buffer once, where it first appears */
    for (k = 0; k < n; k++) xg_plan_link(s, xg_plan_operand(p, i, k)->slice);
    for (k = 0; k < leaves; k++) xg_plan_link(s, xg_plan_value(p, i, k)->slice);
}

/* Copies the leaves of a value into those of another. */
XG_FN void xg_plan_copy_value(xg_plan_writer *w, const xg_inst *i, const xg_inst *from, const xg_inst *to) {
    uint32_t n = (uint32_t)xg_shape_leaves(to->shape), k;
    for (k = 0; k < n; k++) {
        const xg_buffer *a = xg_plan_value(w->p, from, k), *b = xg_plan_value(w->p, to, k);
        if (a && b) xg_plan_copy(w, i, a, b);
    }
}

XG_FN uint32_t xg_plan_add_sequence(xg_plan_writer *w, const xg_comp *c) {
    xg_plan_sequence *s = XG_NEW(w->p->arena, xg_plan_sequence);
    s->comp = c;
    xg_push(w->p->arena, xg_plan_sequence *, &w->p->sequences, s);
    w->to = s;
    return w->p->sequences.n - 1;
}

XG_FN xg_plan_step *xg_plan_control(xg_plan_writer *w, xg_exe_thunk_kind kind, const xg_inst *i, const xg_inst *decider, const uint32_t *children, uint32_t n) {
    xg_plan_step *s = xg_plan_step_new(w, kind, i, 1);
    s->links[0] = xg_plan_value(w->p, decider, 0)->slice;
    s->n_children = n;
    s->children = XG_NEW_N(w->p->arena, uint32_t, n + 1);
    memcpy(s->children, children, n * sizeof *children);
    return s;
}

XG_FN void xg_plan_while_step(xg_plan_writer *w, const xg_inst *i) {
    const xg_comp *cond = xg_attr_comp(i, XG_A_condition), *body = xg_attr_comp(i, XG_A_body);
    uint32_t n = (uint32_t)xg_shape_leaves(i->shape), children[2], k;
    xg_plan_writer in = *w;
    xg_plan_copy_value(w, i, XG_OPERAND(i, 0), i);
    children[0] = xg_plan_sequence_of(&in, cond);
    children[1] = xg_plan_sequence_of(&in, body);
    for (k = 0; k < n; k++) if (xg_plan_value(w->p, i, n + k)) xg_plan_copy(&in, i, xg_plan_value(w->p, body->root, k), xg_plan_value(w->p, i, n + k)); /* into the spare ones */
    for (k = 0; k < n; k++) {
        const xg_buffer *spare = xg_plan_value(w->p, i, n + k), *from = spare ? spare : xg_plan_value(w->p, body->root, k), *to = xg_plan_value(w->p, i, k);
        if (from && to) xg_plan_copy(&in, i, from, to);
    }
    xg_plan_control(w, XG_EXE_THUNK_WHILE, i, cond->root, children, 2);
}

XG_FN void xg_plan_conditional_step(xg_plan_writer *w, const xg_inst *i) {
    xg_comps branches = xg_opt_control_comps(w->p->arena, i);
    uint32_t *children = XG_NEW_N(w->p->arena, uint32_t, branches.n + 1), k;
    xg_plan_writer in = *w;
    for (k = 0; k < branches.n; k++) {
        children[k] = xg_plan_sequence_of(&in, branches.p[k]);
        xg_plan_copy_value(&in, i, branches.p[k]->root, i);
    }
    xg_plan_control(w, XG_EXE_THUNK_CONDITIONAL, i, XG_OPERAND(i, 0), children, branches.n);
}

/* The steps of a computation, as a sequence of their own, left open in w for what follows. */
XG_FN uint32_t xg_plan_sequence_of(xg_plan_writer *w, const xg_comp *c) {
    uint32_t number = xg_plan_add_sequence(w, c);
    XG_FOR_INSTS(i, c) {
        if (i->op == XG_FUSION) xg_plan_fusion(w, i);
        if (i->op == XG_WHILE) xg_plan_while_step(w, i);
        if (i->op == XG_CONDITIONAL) xg_plan_conditional_step(w, i);
    }
    return number;
}

XG_FN void xg_plan_thunks(xg_plan *p, xg_plan_kernel_fn kernel, void *user) {
    const xg_inst *root = p->m->entry->root;
    xg_plan_writer w;
    uint32_t k;
    memset(&w, 0, sizeof w);
    w.p = p;
    w.kernel = kernel;
    w.user = user;
    for (k = 0; k < p->buffers.n; k++) p->buffers.p[k]->slice = k;
    xg_plan_sequence_of(&w, p->m->entry);
    for (k = 0; k < p->n_results; k++) {
        const xg_buffer *from = xg_plan_value(p, root, k);
        if (from) xg_plan_copy(&w, root, from, p->results[k]);
    }
}

/* ---- text ---- */

XG_FN const char *xg_exe_thunk_name(uint32_t kind) {
    static const char *const names[] = {
#define X(name, text) text,
        XG_EXE_THUNKS_KINDS(X)
#undef X
    };
    return kind < XG_COUNT(names) ? names[kind] : "?";
}
XG_FN const char *xg_exe_allocation_name(uint32_t kind) {
    static const char *const names[] = {
#define X(name, text) text,
        XG_EXE_ALLOCATIONS_KINDS(X)
#undef X
    };
    return kind < XG_COUNT(names) ? names[kind] : "?";
}

XG_FN void xg_plan_print_slice(xg_buf *b, const xg_buffer *s) {
    if (s->kind == XG_EXE_ALLOC_TEMP) xg_printf(b, "temp[%lld+%lld]", (long long)s->offset, (long long)s->bytes);
    else if (s->kind == XG_EXE_ALLOC_CONSTANT) xg_printf(b, "constant(%s)[%lld]", s->owner->name.p, (long long)s->bytes);
    else xg_printf(b, "%s%u[%lld]", xg_exe_allocation_name(s->kind), s->index, (long long)s->bytes);
}

XG_FN void xg_plan_print_sequence(xg_buf *b, const xg_plan *p, uint32_t number, uint32_t depth) {
    const xg_plan_sequence *q = p->sequences.p[number];
    uint32_t k, j;
    for (k = 0; k < q->steps.n; k++) {
        const xg_plan_step *s = &p->steps.p[q->steps.p[k]];
        for (j = 0; j < depth; j++) xg_puts(b, "  ");
        xg_printf(b, "%03u: %s %s", q->steps.p[k], xg_exe_thunk_name(s->kind), s->inst->name.p);
        if (s->kind == XG_EXE_THUNK_KERNEL) {
            const xg_plan_kernel *r = &p->kernels.p[s->kernel];
            xg_printf(b, ", kernel=%s, grid=%ux%ux%u, block=%ux%ux%u", r->name.p, r->blocks[0], r->blocks[1], r->blocks[2], r->threads[0], r->threads[1], r->threads[2]);
        }
        xg_puts(b, " (");
        for (j = 0; j < s->n_links; j++) { if (j) xg_puts(b, ", "); xg_plan_print_slice(b, p->buffers.p[s->links[j]]); }
        xg_puts(b, ")\n");
        for (j = 0; j < s->n_children; j++) {
            uint32_t d;
            for (d = 0; d <= depth; d++) xg_puts(b, "  ");
            xg_printf(b, "%s:\n", p->sequences.p[s->children[j]]->comp->name.p);
            xg_plan_print_sequence(b, p, s->children[j], depth + 2);
        }
    }
}
XG_FN void xg_plan_print(xg_buf *b, const xg_plan *p) { xg_plan_print_sequence(b, p, 0, 0); }

XG_FN void xg_plan_print_buffers(xg_buf *b, const xg_plan *p) {
    int64_t total = p->temp_bytes;
    uint32_t k;
    xg_puts(b, "BufferAssignment:\n");
    for (k = 0; k < p->buffers.n; k++) {
        const xg_buffer *s = p->buffers.p[k];
        if (s->kind != XG_EXE_ALLOC_TEMP) total += s->bytes;
        xg_printf(b, "  value %s{%u}: ", s->owner->name.p, s->leaf);
        xg_plan_print_slice(b, s);
        xg_printf(b, ", live %u-%u\n", s->first, s->last);
    }
    xg_printf(b, "Temporary bytes: %lld\nTotal bytes: %lld\n", (long long)p->temp_bytes, (long long)total);
}

#endif /* XG_PLAN_THUNKS_C */
