/* fuse/double_buffer.c -- DoubleBufferLoopUnrolling: two rounds of a loop in one, so that no copies stand between them.
 *
 * Where a round makes an element of the state that cannot be written over the old one (a stencil reads the
 * neighbours, a contraction all of it, something reads both), or hands one element on as another, its end copies. Two
 * rounds written one behind the other need none: the first writes into a second buffer, the second writes back into the
 * first.
 *
 *     body(s) = f(s), n rounds   ==>   body(s) = f(f(s)), n / 2 rounds; behind one f where n is odd
 *
 * It comes after fusion, when it is known what is written over what; the kernels of both rounds are the same code. The
 * number of rounds has to be known (backend_config), and bodies with loops or branches inside stay as they are. The
 * launches of a body are listed twice: many of them beside a copy, or any where memory is limited, are left as they
 * are, unless the user asks for it (xla_gpu_enable_while_loop_double_buffering). */
#ifndef XG_FUSE_DOUBLE_BUFFER_C
#define XG_FUSE_DOUBLE_BUFFER_C
#include "fuse.h"

enum {
    XG_DOUBLE_KERNELS = 8, /* for each copy that is spared: beside more of them it is hardly seen */
    XG_DOUBLE_INSTS = 2000
};

/* The operand of the maker of element k that is the same element of the old state; -1: it does not read it. */
XG_FN int64_t xg_double_operand(const xg_inst *maker, const xg_inst *in, int64_t k) {
    uint32_t j;
    for (j = 0; j < maker->n_operands; j++) {
        const xg_inst *o = XG_OPERAND(maker, j);
        if (o->op == XG_GET_TUPLE_ELEMENT && XG_OPERAND(o, 0) == in && xg_attr_index(o) == k) return j;
    }
    return -1;
}
/* Has the new element k to be made beside the old one? */
XG_FN bool xg_double_moves(const xg_comp *body, int64_t k) {
    const xg_inst *in = body->params[0], *next = XG_OPERAND(body->root, k), *maker = next;
    uint32_t leaf = 0;
    int64_t operand;
    if (!xg_shape_is_array(next->shape)) return false;
    if (next->op == XG_GET_TUPLE_ELEMENT) {
        maker = XG_OPERAND(next, 0);
        leaf = (uint32_t)xg_attr_index(next);
        if (maker == in) return leaf != (uint32_t)k;
    }
    operand = xg_double_operand(maker, in, k);
    if (operand >= 0 &&
        (maker->op != XG_FUSION || !xg_fuse_may_share(body->module->work, maker, (uint32_t)operand, leaf)))
        return true;
    XG_FOR_USES(u, next) /* as what keeps both for a gradient */
        if (xg_double_operand(u->user, in, k) >= 0) return true;
    return false;
}
XG_APART XG_FN bool xg_double_wants(const xg_inst *i) {
    const xg_comp *body;
    int64_t kernels = 0;
    uint32_t k;
    if (i->op != XG_WHILE || i->shape->type != XLAGPU_TUPLE || xg_inst_order(i) || xg_fuse_trips(i) < 2) return false;
    body = xg_attr_comp(i, XG_A_body);
    if (body->root->op != XG_TUPLE || body->n_insts > XG_DOUBLE_INSTS) return false;
    XG_FOR_INSTS(s, body) {
        if (xg_opt_is_control(s) || (xg_op_flags(s->op) & XGF_EFFECT) || s->op == XG_CUSTOM_CALL || xg_inst_order(s))
            return false;
        kernels += s->op == XG_FUSION && !body->module->double_buffering;
    }
    for (k = 0; k < i->shape->n_elems; k++)
        if (xg_double_moves(body, k) && (kernels -= XG_DOUBLE_KERNELS) <= 0) return true;
    return false;
}

/* A round in front of `at`, with fused computations of its own. */
XG_FN xg_inst *xg_double_round(const xg_comp *body, xg_comp *to, xg_inst *at, xg_inst *state) {
    xg_inst *before = at ? at->prev : to->last, *root = xg_opt_inline(body, to, at, &state), *i;
    for (i = before ? before->next : to->first; i && i != at; i = i->next)
        if (i->op == XG_FUSION) xg_inst_set_comp(i, XG_A_calls, xg_opt_clone_comp(xg_attr_calls(i), to));
    return root;
}
XG_FN void xg_double_loop(xg_inst *loop) {
    xg_module *m = loop->comp->module;
    const xg_comp *body = xg_attr_comp(loop, XG_A_body);
    xg_comp *twice = xg_comp_new(m, body->name, loop->comp);
    xg_inst *state = xg_comp_add_param(twice, body->params[0]->shape, body->params[0]->name);
    int64_t trips = xg_fuse_trips(loop);
    char text[80];
    state = xg_double_round(body, twice, NULL, state);
    twice->root = xg_double_round(body, twice, NULL, state);
    if (trips % 2) xg_inst_set_operand(loop, 0, xg_double_round(body, loop->comp, loop, XG_OPERAND(loop, 0)));
    xg_inst_set_comp(loop, XG_A_body, twice);
    xg_format(text, sizeof text, "{\"known_trip_count\":{\"n\":\"%lld\"}}", (long long)(trips / 2));
    xg_inst_set_text(loop, XG_A_backend_config, text);
}
XG_FN bool xg_fuse_double_buffer(xg_module *m) {
    bool changed = false;
    xg_comps all;
    uint32_t k;
    if (!m->made[XG_WHILE]) return false;
    if (!m->double_buffering && m->memory_limit > 0 && !m->limit_is_wish) return false; /* rather less memory */
    all = xg_opt_sequences(m);
    for (k = 0; k < all.n; k++)
        XG_FOR_INSTS(i, all.p[k])
            if (xg_double_wants(i)) {
                xg_double_loop(i);
                changed = true;
            }
    return changed;
}

#endif /* XG_FUSE_DOUBLE_BUFFER_C */
