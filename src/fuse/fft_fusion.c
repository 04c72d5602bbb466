/* fuse/fft_fusion.c -- small transforms that do not wait for each other become one kernel, in which each of them has
 * blocks of its own (block/fft.c).
 *
 * The depth of an instruction is the number of transforms on the longest way to it, itself included. Transforms of one
 * depth never wait for each other, and making one kernel of them changes no depth; so no search is needed. Together
 * they must be so small that the shared memory of one block would hold all of them twice, since the kernel reserves
 * what each of them needs. */
#ifndef XG_FUSE_FFT_FUSION_C
#define XG_FUSE_FFT_FUSION_C
#include "fuse.h"
#include "fusions.c"

enum {
    XG_FFT_TOGETHER_MAX = 16
};

typedef struct xg_fft_group {
    xg_inst *p[XG_FFT_TOGETHER_MAX];
    uint32_t n;
    int64_t bytes;
} xg_fft_group;

/* Twice the memory of its elements, as complex numbers, and that of a table of roots. */
XG_FN int64_t xg_fft_memory(const xg_inst *i) {
    const xg_shape *in = XG_OPERAND(i, 0)->shape;
    return xg_cost_mul(3 * XG_MAX(in->elements, i->shape->elements), xg_type_bits(xg_type_real(i->shape->type)) / 4);
}

XG_APART XG_FN void xg_fft_fuse_group(xg_comp *c, const xg_fft_group *g) {
    xg_module *m = c->module;
    xg_inst *last = g->p[g->n - 1], *outside[XG_FFT_TOGETHER_MAX], *inside[XG_FFT_TOGETHER_MAX],
            *roots[XG_FFT_TOGETHER_MAX], *fusion;
    const xg_shape *shapes[XG_FFT_TOGETHER_MAX];
    xg_comp *to = xg_comp_new(m, XG_STR("fused_fft"), c);
    xg_hb b = xg_hb_at(last);
    uint32_t k, j, n = 0;
    for (k = 0; k < g->n; k++) {
        xg_inst *o = XG_OPERAND(g->p[k], 0);
        for (j = 0; j < n && outside[j] != o; j++) {}
        if (j == n) {
            inside[n] = xg_inst_new(to, XG_PARAMETER, o->shape, NULL, 0, NULL, XG_STR("param_fft"));
            inside[n]->number = n;
            outside[n++] = o;
        }
        roots[k] = inside[j]; /* its operand, for the moment */
    }
    to->params = XG_NEW_N(m->arena, xg_inst *, n + 1);
    to->n_params = n;
    for (k = 0; k < n; k++) to->params[k] = inside[k];
    for (k = 0; k < g->n; k++) {
        roots[k] = xg_inst_clone(g->p[k], to, &roots[k], NULL);
        shapes[k] = roots[k]->shape;
    }
    to->root = xg_inst_new(to, XG_TUPLE, xg_shape_tuple(m, shapes, g->n), roots, g->n, NULL, XG_STR("tuple"));
    fusion = xg_inst_new(c, XG_FUSION, to->root->shape, outside, n, last, XG_STR("fft_fusion"));
    xg_inst_set_text(fusion, XG_A_kind, "kLoop");
    xg_inst_set_comp(fusion, XG_A_calls, to);
    for (k = 0; k < g->n; k++) {
        xg_inst_replace(g->p[k], xg_hb_element(&b, fusion, k));
        xg_inst_remove(g->p[k]);
    }
}

/* Is it made of what lies in memory anyway, for the result alone? Then it goes with the last transforms, and until then
 * its memory is free for others. */
XG_FN bool xg_fft_may_wait(const xg_inst *i) {
    const xg_inst *o = XG_OPERAND(i, 0);
    while (o->op == XG_BITCAST) o = XG_OPERAND(o, 0);
    if (!xg_fuse_lasts(o)) return false;
    XG_FOR_USES(u, i)
        if (u->user != i->comp->root || u->user->op != XG_TUPLE) return false;
    return true;
}
XG_FN bool xg_fft_join(xg_fft_group *g, xg_inst *i) {
    if (g->n == XG_FFT_TOGETHER_MAX || g->bytes + xg_fft_memory(i) > XG_SHARED_STATIC_BYTES) return false;
    g->bytes += xg_fft_memory(i);
    g->p[g->n++] = i;
    return true;
}

XG_FN bool xg_fft_fuse_comp(xg_comp *c) {
    xg_arena *a = c->module->arena;
    XG_VEC(xg_fft_group) groups = {NULL, 0, 0}; /* by depth */
    XG_VEC(xg_inst *) waiting = {NULL, 0, 0};
    xg_fft_group none;
    bool changed = false;
    uint32_t k, j;
    memset(&none, 0, sizeof none);
    XG_FOR_INSTS(i, c) {
        uintptr_t depth = 0;
        for (k = 0; k < i->n_operands; k++) depth = XG_MAX(depth, (uintptr_t)XG_OPERAND(i, k)->scratch);
        i->scratch = (void *)(depth + (i->op == XG_FFT));
        if (i->op != XG_FFT || i->shape->dynamic) continue;
        while (groups.n <= depth) xg_push(a, xg_fft_group, &groups, none);
        if (xg_fft_may_wait(i))
            xg_push(a, xg_inst *, &waiting, i);
        else
            (void)xg_fft_join(&groups.p[depth], i);
    }
    for (k = 0; k < waiting.n; k++) {
        for (j = groups.n; j && (!groups.p[j - 1].n || !xg_fft_join(&groups.p[j - 1], waiting.p[k])); j--) {}
        if (!j) (void)xg_fft_join(&groups.p[0], waiting.p[k]);
    }
    for (k = 0; k < groups.n; k++) {
        if (groups.p[k].n < 2) continue;
        xg_fft_fuse_group(c, &groups.p[k]);
        changed = true;
    }
    if (changed) xg_fusions_sort(a, c);
    return changed;
}
XG_FN bool xg_fuse_ffts(xg_module *m) {
    return m->made[XG_FFT] && !xg_opt_has_control(m) && xg_opt_each_sequence(m, xg_fft_fuse_comp);
}

#endif /* XG_FUSE_FFT_FUSION_C */
