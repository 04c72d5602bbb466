/* fuse/fusions.c -- when all is decided: each kernel that computes more than one operation becomes a fusion
 * instruction, and what only kernels needed goes away.
 *
 * Names are XLA's: the kind, then the operations that shape the kernel. A kernel of one operation is left to the
 * wrapper. */
#ifndef XG_FUSE_FUSIONS_C
#define XG_FUSE_FUSIONS_C
#include "fuse.h"
#include "kernels.c"

XG_FN int xg_fusions_by_place(const void *a, const void *b) {
    const xg_kernel *x = *(xg_kernel *const *)a, *y = *(xg_kernel *const *)b;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* What the kernel computes, in program order, into g->order. */
XG_FN void xg_fusions_members(xg_kernels *g, xg_kernel *k) {
    uint32_t j;
    g->epoch++;
    g->order.n = 0;
    for (j = 0; j < xg_kernel_n_outputs(k); j++) xg_kernel_members(g, k, xg_kernel_root(k, j));
    xg_sort(g->order.p, g->order.n, sizeof *g->order.p, xg_fusions_by_place);
}

/* ---- names ---- */

XG_FN xg_opcode xg_fusions_hero(const xg_kernel *root) {
    const xg_inst *i = root->inst, *hero = root->leader->hero;
    if (hero && !root->leader->rows && root->leader->roots.n <= 1 && (hero->op == XG_REDUCE || hero->op == XG_SCATTER))
        return hero->op;
    while ((i->op == XG_BITCAST || i->op == XG_RESHAPE) && xg_kernel_of(XG_OPERAND(i, 0))->kind == XG_FUSE_KERNEL &&
           !xg_kernel_of(XG_OPERAND(i, 0))->live)
        i = XG_OPERAND(i, 0);
    return i->op;
}

XG_FN bool xg_fusions_is_input(const xg_kernel *k) {
    xg_opcode op = xg_fusions_hero(k);
    return k->rows || op == XG_REDUCE || op == XG_SCATTER || op == XG_TRANSPOSE || op == XG_CONCATENATE;
}

/* The opcodes of the heroes, sorted and each once, joined by '_'. */
XG_FN void xg_fusions_heroes(const xg_kernel *k, char *text, size_t cap) {
    const char *last = "", *next;
    size_t n = 0;
    uint32_t j;
    do {
        next = NULL;
        for (j = 0; j < xg_kernel_n_outputs(k); j++) {
            const char *name = xg_op_name(xg_fusions_hero(xg_kernel_root(k, j)));
            if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0)) next = name;
        }
        if (next && n + strlen(next) + 2 < cap) n += xg_format(text + n, cap - n, "%s%s", n ? "_" : "", next);
        last = next;
    } while (next);
    text[n] = 0;
    for (n = 0; text[n]; n++)
        if (text[n] == '-') text[n] = '_';
}

/* ---- one fusion ---- */

XG_FN xg_inst *xg_fusions_param(const xg_kernels *g, xg_comp *c, const xg_kernel *o, xg_inst **outside) {
    outside[c->n_params] = g->values[o->place] ? g->values[o->place] : o->inst;
    return xg_comp_add_numbered_param(c, o->shape);
}

/* Which members no other kernel computes: all of their users are such, or values that this kernel gives and that others
 * read (what is free they make again). */
XG_FN void xg_fusions_own(xg_kernels *g, const xg_kernel *k) {
    uint32_t j;
    for (j = g->order.n; j-- > 0;) {
        xg_kernel *o = g->order.p[j];
        o->moves = !o->live && o->inst->op != XG_PARAMETER && o->inst != g->comp->root;
        XG_FOR_USES(u, o->inst) {
            const xg_kernel *user = xg_kernel_of(u->user);
            if (!o->moves) break;
            o->moves = user->epoch == g->epoch && u->user == user->inst &&
                       (user->moves || (user->live && user->leader == k && user->kind == XG_FUSE_KERNEL));
        }
    }
}

/* The members as a computation of their own; what it takes goes to `outside`. Those that nothing else computes move
 * into it, the others are copied. */
XG_APART XG_FN xg_comp *xg_fusions_comp(xg_kernels *g, xg_kernel *k, const char *heroes, xg_inst **outside) {
    char name[200];
    xg_comp *c;
    uint32_t j, n, most = 0;
    xg_inst **operands;
    xg_format(name, sizeof name, "fused_%s", heroes);
    c = xg_comp_new(g->m, xg_str_z(name), g->comp);
    xg_dict_reserve(&c->names, g->order.n + k->n_inputs + (k->roots.n > 1));
    for (j = 0; j < g->order.n; j++) most = XG_MAX(most, g->order.p[j]->inst->n_operands);
    operands = XG_NEW_N(g->arena, xg_inst *, (size_t)most + 1);
    xg_fusions_own(g, k);
    for (j = 0; j < g->order.n; j++) { /* operands first */
        const xg_kernel *member = g->order.p[j];
        xg_inst *i = member->inst;
        for (n = 0; n < i->n_operands; n++) {
            xg_kernel *o = xg_kernel_of(XG_OPERAND(i, n));
            if (o->epoch != g->epoch) {
                o->epoch = g->epoch;
                g->inner[o->place] = xg_fusions_param(g, c, o, outside);
            }
            operands[n] = g->inner[o->place];
        }
        if (member->moves) {
            xg_inst_move(i, c, operands);
            g->inner[member->place] = i;
        } else
            g->inner[member->place] = xg_inst_clone(i, c, operands, NULL);
    }
    c->root = g->inner[k->place];
    return c;
}

/* Values that a root gives: the elements of its tuple, or itself. */
XG_FN uint32_t xg_fusions_n_values(const xg_kernel *root) {
    return root->inst->shape->type == XLAGPU_TUPLE ? root->inst->shape->n_elems : 1;
}

XG_FN xg_inst *xg_fusions_element(xg_inst *tuple, uint32_t k, xg_inst *before) {
    xg_inst *made = xg_inst_new(
        tuple->comp, XG_GET_TUPLE_ELEMENT, tuple->shape->elems[k], &tuple, 1, before, XG_STR("get-tuple-element"));
    xg_inst_set_int(made, XG_A_index, k);
    return made;
}

/* The root tuple of a computation of several outputs: all values of all roots. */
XG_FN void xg_fusions_finish_outputs(xg_kernels *g, xg_kernel *k, xg_comp *c) {
    uint32_t n = 0, j, e;
    const xg_shape **shapes;
    xg_inst **inner;
    for (j = 0; j < k->roots.n; j++) n += xg_fusions_n_values(k->roots.p[j]);
    shapes = XG_NEW_N(g->arena, const xg_shape *, n);
    inner = XG_NEW_N(g->arena, xg_inst *, n);
    for (n = 0, j = 0; j < k->roots.n; j++) {
        const xg_kernel *root = k->roots.p[j];
        if (root->inst->shape->type != XLAGPU_TUPLE)
            inner[n++] = g->inner[root->place];
        else
            for (e = 0; e < root->inst->shape->n_elems; e++)
                inner[n++] = xg_fusions_element(g->inner[root->place], e, NULL);
    }
    for (j = 0; j < n; j++) shapes[j] = inner[j]->shape;
    c->root = xg_inst_new(c, XG_TUPLE, xg_shape_tuple(g->m, shapes, n), inner, n, NULL, XG_STR("tuple"));
}

/* What read the root reads output `first` (and those behind it) of the fusion. */
XG_FN void xg_fusions_output(xg_kernels *g, xg_kernel *root, xg_inst *fusion, uint32_t first, xg_inst *before) {
    uint32_t n = xg_fusions_n_values(root), e;
    xg_inst **elems, *value;
    if (root->inst->shape->type != XLAGPU_TUPLE)
        value = xg_fusions_element(fusion, first, before);
    else {
        elems = XG_NEW_N(g->arena, xg_inst *, n + 1);
        for (e = 0; e < n; e++) {
            elems[e] = xg_fusions_element(fusion, first + e, before);
            elems[e]->scratch = root;
        }
        value = xg_inst_new(g->comp, XG_TUPLE, root->inst->shape, elems, n, before, XG_STR("tuple"));
    }
    value->scratch = root;
    xg_inst_replace(root->inst, value);
    g->values[root->place] = value;
}

XG_FN xg_inst *xg_fusions_last_root(const xg_kernel *k) {
    const xg_kernel *last = k;
    uint32_t j;
    for (j = 0; j < k->roots.n; j++)
        if (last->place < k->roots.p[j]->place) last = k->roots.p[j];
    return last->inst;
}

XG_FN void xg_fusions_make(xg_kernels *g, xg_kernel *k) {
    char heroes[160], name[200];
    bool input = xg_fusions_is_input(k);
    uint32_t most = 0, j, n = 0;
    xg_inst **outside, *fusion, *last = xg_fusions_last_root(k);
    xg_comp *c;
    for (j = 0; j < g->order.n; j++) most += g->order.p[j]->inst->n_operands;
    outside = XG_NEW_N(g->arena, xg_inst *, (size_t)most + 1);
    xg_fusions_heroes(k, heroes, sizeof heroes);
    c = xg_fusions_comp(g, k, heroes, outside);
    if (k->roots.n > 1) xg_fusions_finish_outputs(g, k, c);
    xg_format(name, sizeof name, "%s_%s_fusion", input ? "input" : "loop", heroes);
    fusion = xg_inst_new(g->comp, XG_FUSION, c->root->shape, outside, c->n_params, last, xg_str_z(name));
    xg_inst_set_str(fusion, XG_A_kind, input ? XG_STR("kInput") : XG_STR("kLoop"));
    xg_inst_set_comp(fusion, XG_A_calls, c);
    if (xg_inst_attr(k->inst, XG_A_metadata)) xg_inst_set_attr(fusion, *xg_inst_attr(k->inst, XG_A_metadata));
    fusion->scratch = k; /* its readers find the kernel */
    if (k->roots.n <= 1) {
        xg_inst_replace(k->inst, fusion);
        g->values[k->place] = fusion;
        return;
    }
    for (j = 0; j < k->roots.n; j++) {
        xg_fusions_output(g, k->roots.p[j], fusion, n, last);
        n += xg_fusions_n_values(k->roots.p[j]);
    }
}

/* ---- order ---- */

/* Fusions of several outputs may stand behind a reader of one of them: puts operands before users again, and else keeps
 * the order, also of those that draw random numbers: these have no operands. */
XG_FN void xg_fusions_sort(xg_arena *a, xg_comp *c) {
    static const char waiting = 0, placed = 0; /* two addresses */
    XG_VEC(xg_inst *) stack = {NULL, 0, 0}, draws = {NULL, 0, 0};
    xg_inst *i, *next;
    uint32_t k, drawn = 0;
    xg_trail trail;
    memset(&trail, 0, sizeof trail);
    XG_FOR_INSTS(j, c) {
        j->scratch = NULL;
        if (j->op == XG_RNG_GET_AND_UPDATE_STATE) xg_push(a, xg_inst *, &draws, j);
    }
    for (i = c->first; i; i = next) {
        next = xg_inst_behind(i);
        if (i->scratch) continue;
        xg_push(a, xg_inst *, &stack, i);
        while (stack.n) {
            xg_inst *top = stack.p[stack.n - 1], *need = NULL;
            top->scratch = (void *)(uintptr_t)&waiting;
            for (k = 0; k < top->n_operands && !need; k++)
                if (XG_OPERAND(top, k)->scratch != &placed) need = XG_OPERAND(top, k);
            if (need && need->scratch)
                xg_fail(c->module->ctx, XLAGPU_ERROR_INTERNAL, "fusion made a cycle through %s", need->name.p);
            if (need) {
                xg_push(a, xg_inst *, &stack, need);
                continue;
            }
            if (top->op == XG_RNG_GET_AND_UPDATE_STATE && draws.p[drawn] != top) {
                xg_push(a, xg_inst *, &stack, draws.p[drawn]);
                continue;
            }
            drawn += top->op == XG_RNG_GET_AND_UPDATE_STATE;
            stack.n--;
            xg_trail_on(&trail, top);
            top->scratch = (void *)(uintptr_t)&placed;
            if (top == i) continue;
            if (top == next) next = top->next;
            xg_inst_move_before(top, i);
        }
    }
}

enum {
    XG_KERNELS_AHEAD = 8,
    XG_KERNELS_BEHIND = 24
};
XG_FN bool xg_kernels_close(xg_kernels *g) {
    bool changed = false, several = false;
    xg_inst *i, *before;
    uint32_t k, j;
    xg_trail trail;
    xg_mark mark; /* what one fusion is made with, the next one is made with */
    g->values = XG_NEW_N(g->arena, xg_inst *, (size_t)g->n + 1);
    g->inner = (xg_inst **)xg_alloc_raw(g->arena, xg_mul(g->m->ctx, (size_t)g->n + 1, sizeof *g->inner));
    for (k = 0; k < g->kernels.n; k++) {
        xg_kernel *node = g->kernels.p[k];
        uint32_t count = 0;
        if (k + XG_KERNELS_AHEAD < g->kernels.n) {
            const xg_kernel *next = g->kernels.p[k + XG_KERNELS_AHEAD / 2];
            const xg_kernel *last = next;
            xg_kernel_bring(g->kernels.p[k + XG_KERNELS_AHEAD]);
            xg_inst_bring((uintptr_t)next->inst);
            for (j = 0; j < next->roots.n; j++) {
                last = XG_MAX(last, next->roots.p[j]);
                xg_kernel_bring(next->roots.p[j]);
            }
            for (j = 1; j < next->members && j < XG_KERNELS_BEHIND; j++) /* what it computes, mostly */
                xg_inst_bring((uintptr_t)last - j * sizeof *last);
        }
        if (!node->live || node->leader != node) continue;
        xg_fusions_members(g, node);
        for (j = 0; j < g->order.n; j++)
            count += !(g->order.p[j]->shape->rank == 0 && g->order.p[j]->inst->op == XG_CONSTANT);
        if (count < 2) continue;
        mark = xg_arena_mark(g->arena);
        xg_fusions_make(g, node);
        xg_arena_reset(g->arena, mark);
        several = several || node->roots.n > 1;
        changed = true;
    }
    if (!changed) return false;
    memset(&trail, 0, sizeof trail);
    for (i = g->comp->last; i; i = before) {
        const xg_kernel *node = (const xg_kernel *)i->scratch;
        before = xg_inst_before(i);
        if (!i->first_use && i != g->comp->root && node->kind != XG_FUSE_OTHER)
            xg_inst_reuse(i);
        else
            xg_trail_back(&trail, i);
    }
    if (several) xg_fusions_sort(g->arena, g->comp);
    return true;
}

#endif /* XG_FUSE_FUSIONS_C */
