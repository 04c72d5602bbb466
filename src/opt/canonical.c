/* opt/canonical.c -- one text for modules of one structure: what `xlagpu diff` compares.
 *
 * canonical-order: instructions stand in the order in which a walk from the root needs them (operands, then control
 * predecessors, then what the computations that they call need), computations in the order in which their callers do.
 * Parameters stand first, by number; what the root does not need comes last, in the order of the program. A schedule is
 * forgotten. canonical-names: a name is the opcode and a number by place. strip-metadata: without where operations come
 * from. */
#ifndef XG_OPT_CANONICAL_C
#define XG_OPT_CANONICAL_C
#include "opt.h"

typedef enum xg_canon_state {
    XG_CANON_NEW,
    XG_CANON_OPEN, /* what it needs is above it on the stack */
    XG_CANON_DONE
} xg_canon_state;
typedef struct xg_canon_walk {
    xg_module *m;
    unsigned char *state;     /* by instruction id */
    unsigned char *comp_done; /* by computation id: it has its place */
    xg_inst **stack;
    uint32_t n, cap;
} xg_canon_walk;

XG_FN void xg_canon_push(xg_canon_walk *w, xg_inst *i) {
    if (w->state[i->id] != XG_CANON_NEW) return;
    if (w->n == w->cap)
        w->stack = (xg_inst **)xg_vec_grow(w->m->work, (const void *)w->stack, &w->cap, sizeof *w->stack);
    w->stack[w->n++] = i;
}
/* Last first: what is pushed last is walked first. */
XG_FN void xg_canon_push_comp(xg_canon_walk *w, const xg_comp *c) {
    uint32_t k;
    xg_inst *i;
    for (i = c->last; i; i = i->prev)
        if (!i->first_use && i != c->root && i->op != XG_PARAMETER) xg_canon_push(w, i);
    xg_canon_push(w, c->root);
    for (k = c->n_params; k-- > 0;) xg_canon_push(w, c->params[k]);
}
XG_APART XG_FN void xg_canon_push_needs(xg_canon_walk *w, const xg_inst *i) {
    const xg_attr *after = xg_inst_order(i);
    uint32_t k, j;
    for (k = i->n_attrs; k-- > 0;) {
        const xg_attr *a = &i->attrs[k];
        if (xg_attr_kind_of(a->key) == XG_K_COMP) xg_canon_push_comp(w, a->v.comp);
        if (xg_attr_kind_of(a->key) == XG_K_COMPS)
            for (j = a->v.comps->n; j-- > 0;) xg_canon_push_comp(w, a->v.comps->p[j]);
    }
    for (k = after ? after->v.insts->n : 0; k-- > 0;) xg_canon_push(w, after->v.insts->p[k]);
    for (k = i->n_operands; k-- > 0;) xg_canon_push(w, XG_OPERAND(i, k));
}
XG_FN void xg_canon_place_comp(xg_canon_walk *w, xg_comp *c) {
    if (w->comp_done[c->id]) return;
    w->comp_done[c->id] = 1;
    xg_comp_remove(c);
    xg_comp_link(c, NULL);
}
/* All that it needs has its place: it comes behind that, its computations in front of its own. */
XG_FN void xg_canon_place(xg_canon_walk *w, xg_inst *i) {
    uint32_t k, j;
    for (k = 0; k < i->n_attrs; k++) {
        const xg_attr *a = &i->attrs[k];
        if (xg_attr_kind_of(a->key) == XG_K_COMP) xg_canon_place_comp(w, a->v.comp);
        if (xg_attr_kind_of(a->key) == XG_K_COMPS)
            for (j = 0; j < a->v.comps->n; j++) xg_canon_place_comp(w, a->v.comps->p[j]);
    }
    xg_inst_move_before(i, NULL);
    w->state[i->id] = XG_CANON_DONE;
}

XG_FN bool xg_opt_canonical_order(xg_module *m) {
    xg_canon_walk w;
    memset(&w, 0, sizeof w);
    w.m = m;
    w.state = XG_NEW_N(m->work, unsigned char, m->n_ids + 1);
    w.comp_done = XG_NEW_N(m->work, unsigned char, m->n_comp_ids + 1);
    m->is_scheduled = false;
    xg_canon_push_comp(&w, m->entry);
    while (w.n) {
        xg_inst *i = w.stack[w.n - 1];
        if (w.state[i->id] == XG_CANON_NEW) {
            w.state[i->id] = XG_CANON_OPEN;
            xg_canon_push_needs(&w, i);
            continue;
        }
        w.n--;
        if (w.state[i->id] == XG_CANON_OPEN) xg_canon_place(&w, i);
    }
    xg_canon_place_comp(&w, m->entry);
    return true;
}

XG_FN bool xg_opt_canonical_names(xg_module *m) {
    char name[64];
    xg_comp *c;
    uint32_t comps = 0;
    xg_dict_init(&m->comp_names, m->arena);
    m->name = XG_STR("module");
    for (c = m->first; c; c = c->next) {
        uint32_t insts = 0;
        xg_format(name, sizeof name, c == m->entry ? "entry" : "computation.%u", comps++);
        xg_comp_give_name(c, xg_str_copy(m->arena, xg_str_z(name)));
        xg_dict_init(&c->names, m->arena);
        XG_FOR_INSTS(i, c) {
            xg_format(name, sizeof name, "%s.%u", xg_op_name(i->op), insts++);
            xg_inst_give_name(i, xg_str_copy(m->arena, xg_str_z(name)));
        }
    }
    return true;
}

XG_FN bool xg_opt_strip_metadata(xg_module *m) {
    bool changed = m->stack.text.n > 0;
    xg_comp *c;
    uint32_t k;
    m->stack.text = XG_STR("");
    for (c = m->first; c; c = c->next)
        XG_FOR_INSTS(i, c)
            for (k = i->n_attrs; k-- > 0;)
                if (xg_cse_describes(i->attrs[k].key)) {
                    xg_inst_remove_attr(i, i->attrs[k].key);
                    changed = true;
                }
    return changed;
}

#endif /* XG_OPT_CANONICAL_C */
