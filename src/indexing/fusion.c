/* indexing/fusion.c -- maps through a computation, and so through a fusion.
 *
 * Going back, instructions are visited in reverse program order: by the time one is reached, all its users have said
 * through which maps they read it, and each of its operands gets every one of these composed with its own. Going
 * forward is the mirror image. Equal maps are kept once, in the order found. An instruction that is reached through
 * more than XG_INDEXING_MAPS_MAX maps, or through one that is not known, has the one map UNDEFINED, which composition
 * carries on; so the work stays proportional to the uses. A computation that is called several times is walked once for
 * each depth at which it is asked about: calls that double at each level are as many walks as levels. */
#ifndef XG_INDEXING_FUSION_C
#define XG_INDEXING_FUSION_C
#include "indexing.h"

enum {
    XG_INDEXING_MAPS_MAX = 64,
    XG_INDEXING_CALLS_MAX = 16
};

/* The computations that one question leads into, and how deep it is in them. */
typedef struct xg_index_calls {
    uint32_t depth;
    xg_map64 walked;
} xg_index_calls;
enum {
    XG_INDEXING_OUTPUTS_MAX = 1 << 26
};

typedef struct xg_map_set {
    XG_VEC(const xg_imap *) maps;
    bool unknown;
} xg_map_set;

/* What an instruction with several outputs is reached through is kept for each of them. */
XG_FN uint64_t xg_map_set_key(const xg_inst *i, uint32_t output) { return ((uint64_t)output << 32) | i->id; }
XG_FN xg_map_set *xg_map_set_at(const xg_indexing_group *g, const xg_inst *i, uint32_t output) {
    return (xg_map_set *)xg_map64_get(&g->sets, xg_map_set_key(i, output));
}

XG_FN xg_map_set *xg_map_set_of(xg_indexing_group *g, const xg_inst *i, uint32_t output) {
    xg_map_set *s = xg_map_set_at(g, i, output);
    if (s) return s;
    s = XG_NEW(g->x->arena, xg_map_set);
    xg_map64_put(&g->sets, xg_map_set_key(i, output), s);
    return s;
}

XG_FN void xg_map_set_add(xg_aff_ctx *x, xg_map_set *s, const xg_imap *m) {
    uint32_t k;
    if (s->unknown || m->state == XG_IMAP_EMPTY) return;
    for (k = 0; k < s->maps.n; k++)
        if (xg_imap_equal(s->maps.p[k], m)) return;
    if (m->state == XG_IMAP_UNDEFINED || s->maps.n == XG_INDEXING_MAPS_MAX) {
        s->unknown = true;
        s->maps.n = 0;
        m = xg_imap_undefined(x);
    }
    xg_push(x->arena, const xg_imap *, &s->maps, m);
}

XG_FN xg_imaps xg_map_set_maps(const xg_map_set *s) {
    xg_imaps maps;
    maps.n = s ? s->maps.n : 0;
    maps.p = s ? s->maps.p : NULL;
    return maps;
}

XG_FN xg_imaps xg_indexing_group_maps(const xg_indexing_group *g, const xg_inst *i, uint32_t output) {
    return xg_map_set_maps(xg_map_set_at(g, i, output));
}

XG_FN xg_indexing_group *xg_indexing_group_new(
    xg_aff_ctx *x, const xg_inst *from, uint32_t output, const xg_imap *start) {
    xg_indexing_group *g = XG_NEW(x->arena, xg_indexing_group);
    const xg_shape *s = xg_indexing_output_shape(from, output);
    g->x = x;
    g->comp = from->comp;
    xg_map64_init(&g->sets, x->arena);
    if (!start) start = xg_index_is_plain_array(s) ? xg_imap_identity(x, s->dims, s->rank) : xg_imap_undefined(x);
    xg_map_set_add(x, xg_map_set_of(g, from, output), start);
    return g;
}

XG_FN xg_imaps xg_index_set(
    xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand, bool back, xg_index_calls *calls);

/* Every map of `set` followed by every map of `next`. */
XG_FN void xg_map_set_compose(xg_aff_ctx *x, xg_map_set *to, const xg_map_set *set, xg_imaps next) {
    uint32_t a, b;
    for (a = 0; a < set->maps.n; a++)
        for (b = 0; b < next.n && !to->unknown; b++)
            xg_map_set_add(x, to, xg_imap_compose(x, set->maps.p[a], next.p[b]));
}

/* Which output of an operand output o is made of: the one that a get-tuple-element names, or the same; another use of a
 * tuple means its first, which has no map then. */
XG_APART XG_FN uint32_t xg_index_operand_output(const xg_inst *i, uint32_t o) {
    return i->op == XG_GET_TUPLE_ELEMENT ? (uint32_t)xg_attr_index(i) : xg_index_hands_on(i) ? o : 0;
}

XG_FN xg_index_calls xg_index_calls_of(xg_aff_ctx *x) {
    xg_index_calls c;
    c.depth = 0;
    xg_map64_init(&c.walked, x->arena);
    return c;
}

XG_FN xg_indexing_group *xg_index_walk_back(
    xg_aff_ctx *x, const xg_inst *from, uint32_t output, const xg_imap *start, xg_index_calls *calls) {
    xg_indexing_group *g = xg_indexing_group_new(x, from, output, start);
    const xg_inst *i;
    for (i = from; i; i = i->prev) {
        uint32_t n = xg_indexing_n_outputs(i), o, k;
        for (o = 0; o < n; o++) {
            const xg_map_set *s = xg_map_set_at(g, i, o);
            if (!s || !s->maps.n) continue;
            for (k = 0; k < i->n_operands; k++) {
                if (i->op == XG_TUPLE && k != o) continue;
                xg_map_set_compose(x, xg_map_set_of(g, XG_OPERAND(i, k), xg_index_operand_output(i, o)), s,
                    xg_index_set(x, i, o, k, true, calls));
            }
        }
    }
    return g;
}
XG_FN xg_indexing_group *xg_indexing_group_back(xg_aff_ctx *x, const xg_inst *from, const xg_imap *start) {
    xg_index_calls calls = xg_index_calls_of(x);
    return xg_index_walk_back(x, from, 0, start, &calls);
}

XG_FN xg_indexing_group *xg_index_walk_forward(
    xg_aff_ctx *x, const xg_inst *from, const xg_imap *start, xg_index_calls *calls) {
    xg_indexing_group *g = xg_indexing_group_new(x, from, 0, start);
    const xg_inst *i;
    for (i = from->next; i; i = i->next) {
        uint32_t n = xg_indexing_n_outputs(i), o, k;
        for (k = 0; k < i->n_operands; k++)
            for (o = 0; o < n; o++) {
                const xg_map_set *s = xg_map_set_at(g, XG_OPERAND(i, k), xg_index_operand_output(i, o));
                if (!s || !s->maps.n || (i->op == XG_TUPLE && k != o)) continue;
                xg_map_set_compose(x, xg_map_set_of(g, i, o), s, xg_index_set(x, i, o, k, false, calls));
            }
    }
    return g;
}

/* ---- sets for one instruction ---- */

XG_FN xg_imaps xg_index_just(xg_aff_ctx *x, const xg_imap *m) {
    xg_map_set s;
    memset(&s, 0, sizeof s);
    xg_map_set_add(x, &s, m);
    return xg_map_set_maps(&s);
}

/* The walk through a computation from its root's output, or forward from a parameter. */
XG_FN const xg_indexing_group *xg_index_walk(
    xg_aff_ctx *x, const xg_inst *from, uint32_t output, bool back, xg_index_calls *calls) {
    uint64_t key = (uint64_t)from->id << 32 | (uint64_t)output << 6 | calls->depth << 1 | (back ? 1 : 0);
    const xg_indexing_group *g = (const xg_indexing_group *)xg_map64_get(&calls->walked, key);
    if (g) return g;
    calls->depth++;
    g = back ? xg_index_walk_back(x, from, output, NULL, calls) : xg_index_walk_forward(x, from, NULL, calls);
    calls->depth--;
    xg_map64_put(&calls->walked, key, (void *)g);
    return g;
}
XG_FN xg_imaps xg_index_fusion_set(
    xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand, bool back, xg_index_calls *calls) {
    const xg_comp *c = xg_attr_comp(i, i->op == XG_CALL ? XG_A_to_apply : XG_A_calls);
    if (!c || !c->root || operand >= c->n_params || output >= XG_INDEXING_OUTPUTS_MAX ||
        calls->depth > XG_INDEXING_CALLS_MAX)
        return xg_index_just(x, xg_imap_undefined(x));
    if (back) return xg_indexing_group_maps(xg_index_walk(x, c->root, output, true, calls), c->params[operand], 0);
    return xg_indexing_group_maps(xg_index_walk(x, c->params[operand], 0, false, calls), c->root, output);
}

XG_FN xg_imaps xg_index_set(
    xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand, bool back, xg_index_calls *calls) {
    if (i->op == XG_FUSION || i->op == XG_CALL) return xg_index_fusion_set(x, i, output, operand, back, calls);
    return xg_index_just(x, xg_index_ask(x, i, output, operand, back));
}
XG_FN xg_imaps xg_indexing_output_to_operand_set(xg_aff_ctx *x, const xg_inst *i, uint32_t output, uint32_t operand) {
    xg_index_calls calls = xg_index_calls_of(x);
    return xg_index_set(x, i, output, operand, true, &calls);
}
XG_FN xg_imaps xg_indexing_operand_to_output_set(xg_aff_ctx *x, const xg_inst *i, uint32_t operand, uint32_t output) {
    xg_index_calls calls = xg_index_calls_of(x);
    return xg_index_set(x, i, output, operand, false, &calls);
}

/* As one map, when one is enough. */
XG_FN const xg_imap *xg_index_fusion(const xg_index_query *q) {
    xg_index_calls calls = xg_index_calls_of(q->x);
    xg_imaps set = xg_index_fusion_set(q->x, q->i, q->output, q->operand, q->back, &calls);
    return set.n == 0 ? xg_index_nothing(q) : set.n == 1 ? set.p[0] : xg_imap_undefined(q->x);
}
XG_FN const xg_imap *xg_index_call(const xg_index_query *q) { return xg_index_fusion(q); }

#endif /* XG_INDEXING_FUSION_C */
