/* opt/conditional_sinking.c -- ConditionalCodeMotion, the other way: what all branches do at their end is done once,
 * behind the conditional.
 *
 *     conditional(p, x, x), true={ relu(dot(sin(x), w)) }, false={ relu(dot(cos(x), w)) }
 * ==> s = conditional(p, x, x), true={ sin(x) }, false={ cos(x) }; relu(dot(s, w))
 *
 * Only what reads memory anyway goes (contractions, transforms, factorisations), with the elementwise operations behind
 * it: then a branch writes what it would have written for it. What it reads has to be made in the branch: an array that
 * is only chosen would be copied. Values are those of conditional_hoisting.c: an operand is the same everywhere, or an
 * end of the branches. */
#ifndef XG_OPT_CONDITIONAL_SINKING_C
#define XG_OPT_CONDITIONAL_SINKING_C
#include "opt.h"
#include "conditional_hoisting.c"

enum {
    XG_SINK_STEPS = 16,
    XG_SINK_ENDS = 2
};

/* steps[d * branches + b]: what branch b does d-th from its end; on the way to it operand way[d]. The last step reads
 * the ends. */
typedef struct xg_sink {
    xg_hoist *h;
    uint32_t element, n_steps, n_ends, way[XG_SINK_STEPS], ends[XG_SINK_ENDS];
    xg_inst *steps[(int)XG_SINK_STEPS * (int)XG_HOIST_BRANCHES];
} xg_sink;

XG_FN bool xg_sink_is_worth_it(const xg_inst *i) {
    switch (i->op) {
    case XG_DOT:
    case XG_CONVOLUTION:
    case XG_FFT:
    case XG_CHOLESKY:
    case XG_TRIANGULAR_SOLVE: return xg_while_may_move(i);
    default: return false;
    }
}
XG_FN bool xg_sink_is_common(const xg_hoist *h, xg_inst *const *at, uint32_t operand) {
    uint32_t number = h->cse.place[XG_OPERAND(at[0], operand)->id], b;
    for (b = 1; b < h->branches.n; b++)
        if (h->cse.place[XG_OPERAND(at[b], operand)->id] != number) return false;
    return number && h->branches_with[number] == h->branches.n;
}
XG_FN bool xg_sink_is_made(const xg_inst *x) {
    switch (x->op) {
    case XG_PARAMETER:
    case XG_GET_TUPLE_ELEMENT:
    case XG_CONSTANT:
    case XG_RESHAPE:
    case XG_TRANSPOSE:
    case XG_SLICE:
    case XG_BROADCAST:
    case XG_CONVERT: return false;
    default: return xg_shape_is_array(x->shape) && !x->shape->dynamic;
    }
}
/* The same operation in all branches, of which only the end has need. */
XG_FN bool xg_sink_is_alike(const xg_hoist *h, xg_inst *const *at) {
    uint32_t b;
    for (b = 0; b < h->branches.n; b++) {
        if (at[b]->op != at[0]->op || at[b]->shape != at[0]->shape || at[b]->n_operands != at[0]->n_operands ||
            !xg_while_may_move(at[b]))
            return false;
        if (!at[b]->first_use || at[b]->first_use->next || !xg_cse_same_attrs(&h->cse, at[0], at[b])) {
            if (at[b]->first_use || at[b] != at[b]->comp->root || !xg_cse_same_attrs(&h->cse, at[0], at[b]))
                return false;
        }
    }
    return true;
}
XG_FN bool xg_sink_find(xg_sink *s, xg_inst *const *last) {
    const xg_hoist *h = s->h;
    uint32_t n = h->branches.n, b, k;
    for (b = 0; b < n; b++) s->steps[b] = last[b];
    for (s->n_steps = 1; s->n_steps <= XG_SINK_STEPS; s->n_steps++) {
        xg_inst *const *at = s->steps + (s->n_steps - 1) * n;
        if (!xg_sink_is_alike(h, at) || at[0]->op == XG_CONSTANT || at[0]->op == XG_IOTA) return false;
        s->n_ends = 0;
        for (k = 0; k < at[0]->n_operands; k++) {
            if (xg_sink_is_common(h, at, k)) continue;
            if (s->n_ends == XG_SINK_ENDS) return false;
            s->ends[s->n_ends++] = k;
        }
        if (xg_sink_is_worth_it(at[0])) break;
        if (s->n_ends != 1 || !(xg_op_flags(at[0]->op) & XGF_EW) || s->n_steps == XG_SINK_STEPS) return false;
        s->way[s->n_steps - 1] = s->ends[0];
        for (b = 0; b < n; b++) s->steps[s->n_steps * n + b] = XG_OPERAND(at[b], s->ends[0]);
    }
    for (k = 0; k < s->n_ends; k++)
        for (b = 0; b < n; b++) {
            const xg_inst *x = XG_OPERAND(s->steps[(s->n_steps - 1) * n + b], s->ends[k]);
            if (!xg_sink_is_made(x) || x->shape != XG_OPERAND(s->steps[(s->n_steps - 1) * n], s->ends[k])->shape)
                return false;
        }
    return s->n_ends > 0;
}

/* The branch with the ends instead of the element; the others stay where they are. */
XG_FN xg_comp *xg_sink_branch(const xg_sink *s, uint32_t branch) {
    const xg_comp *from = s->h->branches.p[branch];
    const xg_inst *last = s->steps[(s->n_steps - 1) * s->h->branches.n + branch];
    xg_comp *to = xg_opt_clone_comp(from, s->h->i->comp);
    xg_inst *root = to->root, *copy = to->first,
            **out = XG_NEW_N(to->module->work, xg_inst *, root->n_operands + (size_t)XG_SINK_ENDS + 1);
    uint32_t n = 1, k;
    xg_hb b = xg_hb_end(to, root);
    out[0] = NULL;
    if (root->op == XG_TUPLE)
        for (n = 0; n < root->n_operands; n++) out[n] = XG_OPERAND(root, n);
    XG_FOR_INSTS(i, from) {
        for (k = 0; k < s->n_ends; k++)
            if (i == XG_OPERAND(last, s->ends[k])) out[k ? n + k - 1 : s->element] = copy;
        copy = copy->next;
    }
    to->root = xg_hb_tuple(&b, out, n + s->n_ends - 1);
    if (root->op == XG_TUPLE) xg_inst_remove(root);
    return to;
}
XG_FN void xg_sink_rebuild(xg_sink *s) {
    xg_hoist *h = s->h;
    xg_inst *i = h->i, **operands = XG_NEW_N(h->m->work, xg_inst *, i->n_operands + (size_t)1), *made, *value = NULL,
            **all;
    uint32_t elements = i->shape->type == XLAGPU_TUPLE ? i->shape->n_elems : 1, n = h->branches.n, d, k;
    xg_hb b = xg_hb_at(i);
    for (k = 0; k < i->n_operands; k++) operands[k] = XG_OPERAND(i, k);
    made = xg_inst_clone(i, i->comp, operands, i);
    for (k = 0; k < n; k++) h->branches.p[k] = xg_sink_branch(s, k);
    xg_opt_set_control_comps(made, &h->branches);
    made->shape = h->branches.p[0]->root->shape;
    for (d = s->n_steps; d-- > 0;) {
        xg_inst *step = s->steps[d * n], **in = XG_NEW_N(h->m->work, xg_inst *, step->n_operands + (size_t)1);
        for (k = 0; k < step->n_operands; k++) {
            bool end = d + 1 == s->n_steps ? k == s->ends[0] || (s->n_ends > 1 && k == s->ends[1]) : k == s->way[d];
            if (!end)
                in[k] = xg_hoist_out(h, &b, h->cse.place[XG_OPERAND(step, k)->id]);
            else if (d + 1 < s->n_steps)
                in[k] = value;
            else
                in[k] = xg_hb_element(&b, made, k == s->ends[0] ? s->element : elements);
        }
        value = xg_inst_clone(step, i->comp, in, i);
    }
    if (i->shape->type != XLAGPU_TUPLE) {
        xg_inst_replace(i, value);
        xg_inst_remove(i);
        return;
    }
    all = XG_NEW_N(h->m->work, xg_inst *, elements + (size_t)1);
    for (k = 0; k < elements; k++) all[k] = k == s->element ? value : xg_hb_element(&b, made, k);
    xg_inst_replace(i, xg_hb_tuple(&b, all, elements));
    xg_inst_remove(i);
}
/* Of a conditional whose values are numbered. */
XG_FN bool xg_sink_from(xg_hoist *h) {
    xg_inst *last[XG_HOIST_BRANCHES] = {NULL};
    bool tuple = h->i->shape->type == XLAGPU_TUPLE;
    uint32_t elements = tuple ? h->i->shape->n_elems : 1, k, b;
    xg_sink *s = XG_NEW(h->m->work, xg_sink);
    s->h = h;
    for (b = 0; b < h->branches.n; b++)
        if ((h->branches.p[b]->root->op == XG_TUPLE) != tuple || h->branches.p[b]->root->first_use ||
            h->branches.p[b]->root->op == XG_PARAMETER)
            return false;
    for (k = 0; k < elements; k++) {
        for (b = 0; b < h->branches.n; b++)
            last[b] = tuple ? XG_OPERAND(h->branches.p[b]->root, k) : h->branches.p[b]->root;
        s->element = k;
        if (xg_sink_find(s, last)) {
            xg_sink_rebuild(s);
            return true;
        }
    }
    return false;
}

#endif /* XG_OPT_CONDITIONAL_SINKING_C */
