/* opt/cse.c -- HloCSE: of instructions of a computation that compute the same value, the first is kept.
 *
 * The same: opcode, shape with layout, operands (in either order where they commute), literal, and every attribute but
 * those that only describe. Computations that instructions carry are the same when they are written the same way:
 * callees come before callers, so one walk over the module sorts computations into classes. What has effects, talks to
 * other devices, begins or ends something asynchronous, or stands in an order by control edges is left alone.
 *
 * One walk is the fixed point: the operands of an instruction have been merged before it is looked at. What alone reads
 * one of its operands has no equal, and is put into the table only when that operand is about to get more readers. */
#ifndef XG_OPT_CSE_C
#define XG_OPT_CSE_C
#include "opt.h"

typedef struct xg_cse {
    xg_module *m;
    const xg_comp **class_of; /* by computation id: the first computation that is written like it */
    uint32_t *place;          /* by instruction id: its place in its computation, while computations are compared */
    bool inside;              /* operands are compared by place, not by identity */
    xg_set seen;              /* of what the walk has been at: all that may have an equal */
    unsigned char *waits;     /* by instruction id: the walk has been there, and it is not among those */
} xg_cse;
typedef struct xg_cse_key {
    const xg_cse *s;
    const xg_inst *i;
} xg_cse_key;

/* ---- attributes ---- */

/* Attributes that say nothing about the value. */
XG_FN bool xg_cse_describes(xg_attr_key k) { return k == XG_A_metadata || k == XG_A_origin || k == XG_A_statistics; }

XG_FN uint32_t xg_cse_hash_ints(uint32_t h, xg_ints v) {
    return xg_hash_mix(xg_hash_mix(h, v.n), v.n ? xg_hash(v.p, v.n * sizeof *v.p) : 0);
}

XG_FN uint32_t xg_cse_hash_attr(const xg_cse *s, uint32_t h, const xg_attr *a) {
    uint32_t k;
    h = xg_hash_mix(h, a->key);
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_INT:
    case XG_K_BOOL: return xg_hash_mix(h, (uint64_t)a->v.i);
    case XG_K_FLOAT: return xg_hash_mix(h, xg_hash(&a->v.d, sizeof a->v.d));
    case XG_K_WORD:
    case XG_K_STR:
    case XG_K_RAW:
    case XG_K_SHARDING:
    case XG_K_CONFIG: return xg_hash_mix(h, xg_hash(a->v.str->p, a->v.str->n));
    case XG_K_INTS: return xg_cse_hash_ints(h, *a->v.ints);
    case XG_K_INTLISTS:
        for (k = 0; k < a->v.lists->n; k++) h = xg_cse_hash_ints(h, a->v.lists->p[k]);
        return h;
    case XG_K_COMP: return xg_hash_mix(h, s->class_of[a->v.comp->id]->id);
    case XG_K_COMPS:
        for (k = 0; k < a->v.comps->n; k++) h = xg_hash_mix(h, s->class_of[a->v.comps->p[k]->id]->id);
        return h;
    case XG_K_SLICE:
        for (k = 0; k < a->v.slices->n; k++)
            h = xg_hash_mix(xg_hash_mix(h, (uint64_t)a->v.slices->p[k].start), (uint64_t)a->v.slices->p[k].limit);
        return h;
    case XG_K_PADDING:
        for (k = 0; k < a->v.pads->n; k++)
            h = xg_hash_mix(xg_hash_mix(h, (uint64_t)a->v.pads->p[k].low), (uint64_t)a->v.pads->p[k].high);
        return h;
    default: return h; /* the rest is told apart by xg_cse_same_attr */
    }
}

XG_FN bool xg_cse_same_window(const xg_window *a, const xg_window *b) {
    uint32_t k;
    if (a->n != b->n) return false;
    for (k = 0; k < a->n; k++) {
        const xg_window_dim *p = &a->p[k], *q = &b->p[k];
        if (p->size != q->size || p->stride != q->stride || p->pad_low != q->pad_low || p->pad_high != q->pad_high ||
            p->base_dilation != q->base_dilation || p->window_dilation != q->window_dilation ||
            p->reversal != q->reversal)
            return false;
    }
    return true;
}
XG_FN bool xg_cse_same_lists(const xg_int_lists *a, const xg_int_lists *b) {
    uint32_t k;
    if (a->n != b->n || a->flat != b->flat) return false;
    for (k = 0; k < a->n; k++)
        if (!xg_ints_equal(a->p[k], b->p[k])) return false;
    return true;
}
XG_FN bool xg_cse_same_slices(const xg_slices *a, const xg_slices *b) {
    uint32_t k;
    if (a->n != b->n) return false;
    for (k = 0; k < a->n; k++)
        if (a->p[k].start != b->p[k].start || a->p[k].limit != b->p[k].limit || a->p[k].stride != b->p[k].stride)
            return false;
    return true;
}
XG_FN bool xg_cse_same_pads(const xg_pads *a, const xg_pads *b) {
    uint32_t k;
    if (a->n != b->n) return false;
    for (k = 0; k < a->n; k++)
        if (a->p[k].low != b->p[k].low || a->p[k].high != b->p[k].high || a->p[k].interior != b->p[k].interior)
            return false;
    return true;
}
XG_FN bool xg_cse_same_words(const xg_words *a, const xg_words *b) {
    uint32_t k;
    if (a->n != b->n) return false;
    for (k = 0; k < a->n; k++)
        if (!xg_str_eq(a->p[k], b->p[k])) return false;
    return true;
}
XG_FN bool xg_cse_same_comps(const xg_cse *s, const xg_comps *a, const xg_comps *b) {
    uint32_t k;
    if (a->n != b->n) return false;
    for (k = 0; k < a->n; k++)
        if (s->class_of[a->p[k]->id] != s->class_of[b->p[k]->id]) return false;
    return true;
}
XG_FN bool xg_cse_same_attr(const xg_cse *s, const xg_attr *a, const xg_attr *b) {
    if (a->key != b->key) return false;
    if (a->v.any == b->v.any && xg_attr_kind_of(a->key) != XG_K_FLOAT && xg_attr_kind_of(a->key) != XG_K_INT &&
        xg_attr_kind_of(a->key) != XG_K_BOOL)
        return true;
    switch (xg_attr_kind_of(a->key)) {
    case XG_K_INT:
    case XG_K_BOOL: return a->v.i == b->v.i;
    case XG_K_FLOAT: return memcmp(&a->v.d, &b->v.d, sizeof a->v.d) == 0;
    case XG_K_WORD:
    case XG_K_STR:
    case XG_K_RAW:
    case XG_K_SHARDING:
    case XG_K_CONFIG: return xg_str_eq(*a->v.str, *b->v.str);
    case XG_K_INTS: return xg_ints_equal(*a->v.ints, *b->v.ints);
    case XG_K_INTLISTS: return xg_cse_same_lists(a->v.lists, b->v.lists);
    case XG_K_WORDS: return xg_cse_same_words(a->v.words, b->v.words);
    case XG_K_COMP: return s->class_of[a->v.comp->id] == s->class_of[b->v.comp->id];
    case XG_K_COMPS: return xg_cse_same_comps(s, a->v.comps, b->v.comps);
    case XG_K_SLICE: return xg_cse_same_slices(a->v.slices, b->v.slices);
    case XG_K_PADDING: return xg_cse_same_pads(a->v.pads, b->v.pads);
    case XG_K_WINDOW: return xg_cse_same_window(a->v.window, b->v.window);
    case XG_K_DIM_LABELS: return xg_str_eq(a->v.labels->text, b->v.labels->text);
    case XG_K_SHAPE: return a->v.shape == b->v.shape;
    case XG_K_METADATA: return true;
    default: return false; /* lists of instructions, aliases, groups, literals: told the same only when shared */
    }
}
/* Both arrays are sorted by key. */
XG_FN bool xg_cse_same_attrs(const xg_cse *s, const xg_inst *a, const xg_inst *b) {
    uint32_t j = 0, k = 0;
    for (;;) {
        while (j < a->n_attrs && xg_cse_describes(a->attrs[j].key)) j++;
        while (k < b->n_attrs && xg_cse_describes(b->attrs[k].key)) k++;
        if (j == a->n_attrs || k == b->n_attrs) return j == a->n_attrs && k == b->n_attrs;
        if (!xg_cse_same_attr(s, &a->attrs[j++], &b->attrs[k++])) return false;
    }
}

/* ---- instructions ---- */

XG_FN uint32_t xg_cse_operand(const xg_cse *s, const xg_inst *i, uint32_t k) {
    return s->inside ? s->place[XG_OPERAND(i, k)->id] : XG_OPERAND(i, k)->id;
}

/* Of large constants the ends. */
XG_FN uint32_t xg_cse_hash_literal(const xg_literal *l) {
    enum {
        END = 1 << 12
    };
    size_t n = l->data ? (size_t)l->shape->elements * (size_t)xg_type_bytes(l->shape->type) : 0;
    if (n <= 2 * END) return n ? xg_hash(l->data, n) : 0;
    return xg_hash_mix(xg_hash(l->data, END), xg_hash((const char *)l->data + n - END, END));
}
XG_FN uint32_t xg_cse_hash(const xg_cse *s, const xg_inst *i) {
    uint32_t h = xg_hash_mix(xg_hash_mix((uint32_t)i->op, i->shape->id), i->n_operands), k;
    if ((xg_op_flags(i->op) & XGF_COMM) && i->n_operands == 2) {
        uint32_t p = xg_cse_operand(s, i, 0), q = xg_cse_operand(s, i, 1);
        h = xg_hash_mix(xg_hash_mix(h, XG_MIN(p, q)), XG_MAX(p, q));
    } else
        for (k = 0; k < i->n_operands; k++) h = xg_hash_mix(h, xg_cse_operand(s, i, k));
    for (k = 0; k < i->n_attrs; k++)
        if (!xg_cse_describes(i->attrs[k].key)) h = xg_cse_hash_attr(s, h, &i->attrs[k]);
    return i->op == XG_CONSTANT    ? xg_hash_mix(h, xg_cse_hash_literal(i->literal))
           : i->op == XG_PARAMETER ? xg_hash_mix(h, (uint64_t)i->number)
                                   : h;
}
XG_FN bool xg_cse_same_operands(const xg_cse *s, const xg_inst *a, const xg_inst *b) {
    uint32_t k;
    if ((xg_op_flags(a->op) & XGF_COMM) && a->n_operands == 2 && xg_cse_operand(s, a, 0) == xg_cse_operand(s, b, 1) &&
        xg_cse_operand(s, a, 1) == xg_cse_operand(s, b, 0))
        return true;
    for (k = 0; k < a->n_operands; k++)
        if (xg_cse_operand(s, a, k) != xg_cse_operand(s, b, k)) return false;
    return true;
}
XG_FN bool xg_cse_same(const xg_cse *s, const xg_inst *a, const xg_inst *b) {
    if (a->op != b->op || a->shape != b->shape || a->n_operands != b->n_operands || a->number != b->number ||
        (!s->inside && a->comp != b->comp))
        return false;
    if (!xg_cse_same_operands(s, a, b) || !xg_cse_same_attrs(s, a, b)) return false;
    return a->op != XG_CONSTANT || a->literal == b->literal ||
           (!a->literal->elided && !b->literal->elided && xg_literal_equal(a->literal, b->literal));
}
XG_FN bool xg_cse_eq(const void *node, const void *key) {
    const xg_cse_key *k = (const xg_cse_key *)key;
    return xg_cse_same(k->s, (const xg_inst *)node, k->i);
}
XG_FN bool xg_cse_may_merge(const xg_inst *i) {
    if (xg_op_flags(i->op) & (XGF_COLL | XGF_START | XGF_DONE)) return false;
    if ((xg_op_flags(i->op) & XGF_EFFECT) && i->op != XG_CUSTOM_CALL) return false;
    if (i->op == XG_CUSTOM_CALL && xg_attr_or_0(i, XG_A_custom_call_has_side_effect)) return false;
    if (i->op == XG_PARAMETER || i->op == XG_OPT_BARRIER || i->op == XG_AFTER_ALL || i->op == XG_ASYNC_UPDATE)
        return false;
    return !xg_inst_order(i);
}

/* ---- computations ---- */

/* Are they the same text but for names? Places in `place` are those of both. */
XG_FN bool xg_cse_same_comp(xg_cse *s, const xg_comp *a, const xg_comp *b) {
    const xg_inst *p = a->first, *q = b->first;
    if (a->n_insts != b->n_insts || s->place[a->root->id] != s->place[b->root->id]) return false;
    for (; p && q; p = p->next, q = q->next)
        if (!xg_cse_same(s, p, q)) return false;
    return !p && !q;
}
typedef struct xg_cse_comp_key {
    xg_cse *s;
    const xg_comp *c;
} xg_cse_comp_key;
XG_FN bool xg_cse_comp_eq(const void *node, const void *key) {
    const xg_cse_comp_key *k = (const xg_cse_comp_key *)key;
    return xg_cse_same_comp(k->s, (const xg_comp *)node, k->c);
}
XG_FN bool xg_cse_acts(const xg_comp *c) {
    XG_FOR_INSTS(i, c)
        if (i->op != XG_PARAMETER && !xg_cse_may_merge(i)) return true;
    return false;
}
/* Of all that may be called: what is at work in the entry no attribute names. Gives the number of all instructions. */
XG_FN uint32_t xg_cse_classes(xg_cse *s) {
    xg_set known;
    xg_comp *c;
    uint32_t all = 0;
    xg_set_init(&known, s->m->work);
    s->inside = true;
    for (c = s->m->first; c; c = xg_comp_behind(c)) {
        xg_cse_comp_key key;
        uint32_t h = c->n_insts, n = 0;
        void **slot;
        key.s = s;
        key.c = c;
        all += c->n_insts;
        s->class_of[c->id] = c;
        if (c == s->m->entry || xg_cse_acts(c)) continue;
        XG_FOR_INSTS(i, c) {
            s->place[i->id] = n++;
            h = xg_hash_mix(h, xg_cse_hash(s, i));
        }
        slot = xg_set_find(&known, h, xg_cse_comp_eq, &key);
        if (*slot)
            s->class_of[c->id] = (const xg_comp *)*slot;
        else
            *slot = c;
    }
    s->inside = false;
    return all;
}

XG_FN xg_inst **xg_cse_find(xg_cse *s, xg_inst *i) {
    xg_cse_key key;
    key.s = s;
    key.i = i;
    return (xg_inst **)xg_set_find(&s->seen, xg_hash_mix(xg_cse_hash(s, i), i->comp->id), xg_cse_eq,
        &key); /* a thousand loops have a thousand ones */
}
XG_FN bool xg_cse_is_alone(const xg_inst *i) {
    uint32_t k;
    for (k = 0; k < i->n_operands; k++)
        if (i->operands[k].prev == &i->operands[k]) return true;
    return false;
}
XG_FN bool xg_cse_inst(xg_cse *s, xg_inst *i) {
    xg_inst **slot, *first, *reader;
    if (xg_cse_is_alone(i)) {
        s->waits[i->id] = 1;
        return false;
    }
    slot = xg_cse_find(s, i);
    first = *slot;
    if (!first) {
        *slot = i;
        return false;
    }
    reader = first->first_use && !first->first_use->next ? first->first_use->user : NULL;
    if (reader && s->waits[reader->id]) {
        s->waits[reader->id] = 0;
        *xg_cse_find(s, reader) = reader;
    }
    xg_inst_replace(i, first);
    xg_inst_remove(i);
    return true;
}

XG_FN bool xg_opt_cse(xg_module *m) {
    xg_cse s;
    xg_comp *c;
    bool changed = false;
    uint32_t n;
    memset(&s, 0, sizeof s);
    s.m = m;
    s.class_of = XG_NEW_N(m->work, const xg_comp *, m->n_comp_ids + 1);
    s.place = XG_NEW_N(m->work, uint32_t, m->n_ids + 1);
    n = xg_cse_classes(&s);
    s.waits = XG_NEW_N(m->work, unsigned char, m->n_ids + 1);
    xg_set_init(&s.seen, m->work);
    xg_set_reserve(&s.seen, n / 4);
    for (c = m->first; c; c = xg_comp_behind(c)) {
        xg_inst *i = c->first, *next;
        for (; i; i = next) {
            next = xg_inst_behind(i);
            if (xg_cse_may_merge(i)) changed = xg_cse_inst(&s, i) || changed;
        }
    }
    return changed;
}

#endif /* XG_OPT_CSE_C */
