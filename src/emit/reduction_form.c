/* emit/reduction_form.c -- what the reduction emitter has to know of a fusion before it writes code: heroes, epilogues,
 * side outputs, the form of the operand.
 *
 * - A hero is a reduce that a root reaches through an epilogue only: elementwise operations and renamings of indices.
 *   All heroes read arrays of the same dims and layout and reduce the same dims, so one walk over these serves them
 *   all. A root without a hero in its epilogue is a side output: it has as many elements as what is reduced, and is
 *   written along.
 * - In memory order, the dims of the operand are kept or reduced. Two numbers say where an element is: `kept` counts
 *   the kept dims, `lin` the reduced ones, each in memory order. If the innermost dim is reduced, the walk is by rows,
 *   else by columns; any mixture of dims further out is only arithmetic on the two numbers.
 * - What a pad adds to an array that is reduced is the value that partial results start from, if TreeReductionRewriter
 *   made it. Then the walk goes over the array inside: `pad` maps indices of the operand to those of the array, and
 *   where it is not defined nothing is read.
 * - opt/reducer.c says what partial results start from. Where it does not know, the loop emitter has to do it. */
#ifndef XG_EMIT_REDUCTION_FORM_C
#define XG_EMIT_REDUCTION_FORM_C
#include "emit.h"

enum {
    XG_REDUCTION_REGISTERS_SM = 65536, /* of a multiprocessor */
    XG_REDUCTION_LITTLE = 16           /* a reduce of so small a part of the elements is the epilogue's */
};

typedef struct xg_hero {
    uint32_t n, first; /* values; where they stand among those of all heroes */
    const xg_inst *i;
    const xg_comp *comp;
    xlagpu_type wide; /* sums of narrow floats; INVALID: the reducer's own types */
    /* partial results start from the neutral element; so do sums of floats in any case: -0 + x needs no instruction, 0
     * + x does */
    bool late;
    bool pads; /* the init value may be taken in any number of times */
    xg_kfunc *combiner;
    const xg_inst **sources; /* what is read, one for each value: the operand, or the array in its pad */
} xg_hero;

typedef struct xg_reduction {
    xg_fusion_emission *e;
    const xg_shape *in; /* what is reduced, without its type */
    uint32_t n_heroes, n_values;
    xg_hero *heroes;
    uint8_t *epilogue;                /* by place: depends on a hero, and is made from its result */
    uint32_t minor_dims;              /* the innermost run of dims of one kind: how many of them, */
    int64_t n_kept, n_reduced, minor; /* and their product */
    bool row;
    const xg_imap *pad;    /* NULL: the operands are read as they are */
    int64_t vector, bytes; /* elements that fit one access of what is read; bytes of one */
    bool gathered;         /* no array has each element once: they are gathered or spread */
    xg_scope s;
    uint32_t before;      /* heroes of earlier stages, where there are stages */
    const xg_imap **maps; /* by place, of epilogues: a hero's output index to the instruction's */
    /* While code is written. */
    xg_kval *thread, *block, **dest;
    int64_t threads, blocks;
    /* a loop around everything, whose variable maps take as a third dimension; NULL: there is none */
    xg_kval *round;
    int64_t rounds;
    xg_index_order kept, reduced; /* dims of the operand, minor first */
} xg_reduction;

/* ---- heroes and epilogues ---- */

/* What may stand between a hero and a root: one element of the result comes from one of each operand, and the index of
 * the one gives that of the other. */
XG_FN bool xg_reduction_passes(const xg_inst *i) {
    switch (i->op) {
    case XG_BITCAST:
    case XG_RESHAPE:
    case XG_TRANSPOSE:
    case XG_COPY:
    case XG_GET_TUPLE_ELEMENT:
    case XG_TUPLE: return true;
    default: return (xg_op_flags(i->op) & XGF_EW) != 0;
    }
}
XG_FN bool xg_reduction_same_walk(const xg_inst *x, const xg_inst *y) {
    const xg_shape *p = XG_OPERAND(x, 0)->shape, *q = XG_OPERAND(y, 0)->shape;
    xg_ints a = xg_attr_dims(x), b = xg_attr_dims(y);
    uint32_t k;
    if (!xg_shape_same_dims(p, q) || a.n != b.n) return false;
    for (k = 0; k < a.n; k++)
        if (!xg_ints_at(b, a.p[k], NULL)) return false;
    for (k = 0; k < p->rank; k++)
        if (xg_shape_minor(p, k) != xg_shape_minor(q, k)) return false;
    return true;
}
/* Of the reduces that roots reach, the one that reads most. One of another walk that reads little beside it (what
 * TreeReductionRewriter has left of a sum that the epilogue takes) is no hero: the epilogue makes its elements. */
XG_FN bool xg_reduction_leads(const xg_inst *lead, const xg_inst *i) {
    return xg_reduction_same_walk(lead, i) ||
           XG_OPERAND(i, 0)->shape->elements > XG_OPERAND(lead, 0)->shape->elements / XG_REDUCTION_LITTLE;
}
/* Marks what roots reach through epilogues, collects the heroes in program order, then what depends on them in any
 * way. */
XG_APART XG_FN bool xg_reduction_find(xg_reduction *r) {
    const xg_partition *p = r->e->parts;
    xg_arena *a = r->e->arena;
    uint8_t *reached = (uint8_t *)xg_alloc(a, p->n_insts + 1), *touched = (uint8_t *)xg_alloc(a, p->n_insts + 1);
    const xg_inst *lead = NULL;
    uint32_t k, j;
    r->heroes = XG_NEW_N(a, xg_hero, p->n_insts + 1);
    r->epilogue = (uint8_t *)xg_alloc(a, p->n_insts + 1);
    for (k = 0; k < p->n_roots; k++) reached[xg_partition_place(p, p->roots[k])] = 1;
    for (k = p->n_insts; k-- > 0;) {
        const xg_inst *i = p->insts[k];
        if (!reached[k]) continue;
        for (j = 0; xg_reduction_passes(i) && j < i->n_operands; j++)
            reached[xg_partition_place(p, XG_OPERAND(i, j))] = 1;
        if (i->op == XG_REDUCE && (!lead || XG_OPERAND(i, 0)->shape->elements > XG_OPERAND(lead, 0)->shape->elements))
            lead = i;
    }
    for (k = 0; k < p->n_insts; k++) {
        const xg_inst *i = p->insts[k];
        bool on_the_way = false;
        for (j = 0; j < i->n_operands; j++) {
            uint32_t from = xg_partition_place(p, XG_OPERAND(i, j));
            on_the_way = on_the_way || r->epilogue[from];
            touched[k] |= touched[from];
        }
        if (i->op == XG_REDUCE && reached[k] && xg_reduction_leads(lead, i)) {
            if (touched[k]) return false; /* a reduction of what another gives */
            r->heroes[r->n_heroes++].i = i;
            r->epilogue[k] = touched[k] = 1;
        } else if (on_the_way && reached[k] && xg_reduction_passes(i) && i->op != XG_TUPLE) {
            for (j = 0; j < i->n_operands; j++) { /* no operand of an epilogue may need a hero's elements elsewhere */
                uint32_t from = xg_partition_place(p, XG_OPERAND(i, j));
                if (touched[from] && !r->epilogue[from]) return false;
            }
            r->epilogue[k] = 1;
        }
    }
    for (k = 0; k < p->n_roots; k++) {
        uint32_t place = xg_partition_place(p, p->roots[k]);
        if (touched[place] && !r->epilogue[place]) return false;
    }
    return r->n_heroes > 0;
}

/* The map from a hero's output index to that of each instruction of an epilogue; false if there are two different ones,
 * or none. */
XG_APART XG_FN bool xg_reduction_maps(xg_reduction *r) {
    const xg_partition *p = r->e->parts;
    xg_aff_ctx *x = r->e->m->aff;
    const xg_imap **maps = XG_NEW_N(r->e->arena, const xg_imap *, p->n_insts + 1), *own = NULL, *m;
    uint32_t k, j;
    r->maps = maps;
    for (k = 0; k < p->n_insts; k++) {
        const xg_inst *i = p->insts[k];
        if (!r->epilogue[k]) continue;
        if (i->op == XG_REDUCE) {
            const xg_shape *s = xg_indexing_output_shape(i, 0);
            maps[k] = own = own ? own : xg_imap_identity(x, s->dims, s->rank);
            continue;
        }
        for (j = 0; j < i->n_operands; j++) {
            uint32_t from = xg_partition_place(p, XG_OPERAND(i, j));
            if (!r->epilogue[from]) continue;
            m = (xg_op_flags(i->op) & XGF_EW) || i->op == XG_GET_TUPLE_ELEMENT || i->op == XG_COPY
                    ? maps[from]
                    : xg_imap_compose(x, maps[from], xg_indexing_operand_to_output(x, i, j, 0));
            if (!xg_imap_ok(m) || m->n_syms || m->n_rts || m->n_constraints || (maps[k] && !xg_imap_equal(maps[k], m)))
                return false;
            maps[k] = m;
        }
    }
    for (k = 0; k < p->n_roots; k++)
        if (!maps[xg_partition_place(p, p->roots[k])] && p->roots[k]->shape->elements != r->in->elements) return false;
    return true;
}

/* ---- the form ---- */

/* Bytes of an element of what is reduced, where all of it is gathered or spread from less. */
XG_FN int64_t xg_reduction_width(const xg_reduction *r) {
    return XG_MAX(xg_type_bytes(r->heroes[0].sources[0]->shape->type), 1);
}
/* The widest access that suits all arrays that are read once for each element, in elements; *bytes: of the narrowest
 * ones. */
XG_FN int64_t xg_reduction_vector(xg_reduction *r, int64_t *bytes) {
    int64_t least = 16, most = 1, v;
    uint32_t k;
    for (k = 0; k < r->e->comp->n_params; k++) {
        const xg_shape *s = r->e->comp->params[k]->shape;
        if (s->elements < r->heroes[0].sources[0]->shape->elements) continue;
        least = XG_MIN(least, (int64_t)xg_type_bytes(s->type));
        most = XG_MAX(most, (int64_t)xg_type_bytes(s->type));
    }
    r->gathered = least == 16 && most == 1;
    if (r->gathered && r->row) least = most = xg_reduction_width(r);
    *bytes = least;
    for (v = XG_ACCESS_BYTES / least; v > 1 && v * most > 32; v /= 2) {}
    return XG_MAX(v, 1);
}
/* The same of threads that have columns of their own. */
XG_FN int64_t xg_reduction_columns(const xg_reduction *r) {
    return r->bytes == 16 ? XG_ACCESS_BYTES / xg_reduction_width(r) : r->vector;
}
XG_FN void xg_reduction_order(xg_reduction *r, xg_ints dims) {
    const xg_shape *s = r->in;
    bool open = true;
    uint32_t k;
    r->n_kept = r->n_reduced = r->minor = 1;
    for (k = 0; k < s->rank; k++) {
        uint32_t d = xg_shape_minor(s, k);
        bool reduced = xg_ints_at(dims, d, NULL);
        xg_index_order_push(reduced ? &r->reduced : &r->kept, d, s->dims[d]);
        *(reduced ? &r->n_reduced : &r->n_kept) *= s->dims[d];
        if (s->dims[d] == 1) continue;
        if (r->minor == 1 && open) r->row = reduced;
        open = open && r->row == reduced;
        if (!open) continue;
        r->minor *= s->dims[d];
        r->minor_dims = reduced ? r->reduced.n : r->kept.n;
    }
}

/* In memory: columns, then all that is reduced, then the rest of what is kept. */
XG_FN bool xg_reduction_is_stack(const xg_reduction *r) {
    uint32_t k, runs = 0;
    bool was = false;
    for (k = 0; k < r->in->rank; k++) {
        uint32_t d = xg_shape_minor(r->in, k), j;
        bool reduced = false;
        if (r->in->dims[d] == 1) continue;
        for (j = 0; j < r->reduced.n; j++) reduced = reduced || r->reduced.dim[j] == d;
        runs += reduced && !was;
        was = reduced;
    }
    return runs == 1;
}

/* ---- pads ---- */

XG_FN bool xg_reduction_same_scalar(const xg_inst *x, const xg_inst *y) {
    if (x == y) return true;
    if (x->op != XG_CONSTANT || y->op != XG_CONSTANT || x->shape->type != y->shape->type || !x->literal->data ||
        !y->literal->data)
        return false;
    return memcmp(x->literal->data, y->literal->data, (size_t)xg_type_bytes(x->shape->type)) == 0;
}
/* The array in a pad by the init value; NULL if there is none. */
XG_FN const xg_inst *xg_reduction_padded(const xg_reduction *r, const xg_hero *h, uint32_t k, const xg_imap **map) {
    xg_aff_ctx *x = r->e->m->aff;
    const xg_inst *i = XG_OPERAND(h->i, k);
    *map = xg_imap_identity(x, i->shape->dims, i->shape->rank);
    for (; i->op == XG_BITCAST || i->op == XG_RESHAPE; i = XG_OPERAND(i, 0))
        *map = xg_imap_compose(x, *map, xg_indexing_operand(x, i, 0));
    if (i->op != XG_PAD || !h->pads || !xg_reduction_same_scalar(XG_OPERAND(i, 1), XG_OPERAND(h->i, h->n + k)))
        return NULL;
    *map = xg_imap_compose(x, *map, xg_indexing_operand(x, i, 0));
    return xg_imap_ok(*map) && (*map)->n_syms + (*map)->n_rts == 0 ? XG_OPERAND(i, 0) : NULL;
}
XG_FN bool xg_reduction_has_sides(const xg_reduction *r) {
    uint32_t k;
    for (k = 0; k < r->e->n_roots; k++)
        if (!r->epilogue[xg_partition_place(r->e->parts, r->e->roots[k])]) return true;
    return false;
}
XG_FN void xg_reduction_sources(xg_reduction *r) {
    bool all = !xg_reduction_has_sides(r);
    const xg_imap *map, *pad = NULL;
    uint32_t h, k;
    for (h = 0; h < r->n_heroes; h++) {
        r->heroes[h].sources = XG_NEW_N(r->e->arena, const xg_inst *, r->heroes[h].n + 1);
        for (k = 0; k < r->heroes[h].n; k++) {
            r->heroes[h].sources[k] = all ? xg_reduction_padded(r, &r->heroes[h], k, &map) : NULL;
            all = all && r->heroes[h].sources[k] && (!pad || xg_imap_equal(pad, map));
            if (all) pad = map;
        }
    }
    if (all) {
        r->pad = pad;
        return;
    }
    for (h = 0; h < r->n_heroes; h++)
        for (k = 0; k < r->heroes[h].n; k++) r->heroes[h].sources[k] = XG_OPERAND(r->heroes[h].i, k);
}

/* How the reduction is carried; false if partial results cannot start from anything that is known. */
XG_FN bool xg_hero_set(xg_hero *h, const xg_inst *i, uint32_t first, xg_arena *a) {
    xg_reducer_start start = xg_reducer_start_of(i, a);
    h->i = i;
    h->comp = xg_attr_to_apply(i);
    h->n = i->n_operands / 2;
    h->first = first;
    h->wide = h->n == 1 ? xg_reducer_wide(h->comp, i->shape->type) : XLAGPU_INVALID;
    h->pads = start == XG_REDUCER_FROM_INIT;
    h->late = !h->pads || (xg_reducer_is_sum(h->comp) && xg_type_class(i->shape->type) == XGT_F);
    return start != XG_REDUCER_UNKNOWN;
}

XG_APART XG_FN bool xg_reduction_of(xg_reduction *r, const xg_fusion_emission *e) {
    uint32_t k;
    memset(r, 0, sizeof *r);
    r->e = (xg_fusion_emission *)e;
    if (!xg_reduction_find(r)) return false;
    r->in = XG_OPERAND(r->heroes[0].i, 0)->shape;
    if (r->in->elements == 0) return false;
    for (k = 0; k < r->n_heroes; k++) {
        xg_hero *h = &r->heroes[k];
        if (!xg_fuse_reduce_has_values(h->i) || !xg_reduction_same_walk(h->i, r->heroes[0].i) ||
            !xg_hero_set(h, h->i, r->n_values, e->arena))
            return false;
        r->n_values += h->n;
    }
    xg_reduction_order(r, xg_attr_dims(r->heroes[0].i));
    xg_reduction_sources(r);
    r->vector = xg_reduction_vector(r, &r->bytes);
    return xg_reduction_maps(r);
}

/* ---- elements of heroes ---- */

XG_FN xlagpu_type xg_hero_type(const xg_hero *h, uint32_t k) {
    return h->wide != XLAGPU_INVALID ? h->wide : xg_indexing_output_shape(h->i, k)->type;
}

/* acc = reducer(acc, x), both as they are carried. */
XG_FN void xg_hero_merge(xg_scope *s, const xg_hero *h, xg_elem *acc, const xg_elem *x) {
    xg_elem *args;
    if (h->wide != XLAGPU_INVALID) {
        acc[0].v = xg_k2(&s->b, XG_K_OP_ADDF, acc[0].v, x[0].v);
        return;
    }
    args = XG_NEW_N(s->e->arena, xg_elem, 2 * h->n + 1);
    memcpy(args, acc, h->n * sizeof *acc);
    memcpy(args + h->n, x, h->n * sizeof *x);
    xg_elem_call_comp(s, h->comp, args, acc, h->n);
}
/* An element of what is reduced, as it is carried; at: indices of the source. */
XG_FN xg_elem xg_hero_element(xg_scope *s, const xg_hero *h, uint32_t k, xg_kval *const *at) {
    xg_elem x = xg_elem_of(s, h->sources[k], at);
    return h->wide != XLAGPU_INVALID ? xg_elem_convert_to(s, x, XG_OPERAND(h->i, k)->shape->type, h->wide) : x;
}
XG_FN xg_elem xg_hero_init(xg_scope *s, const xg_hero *h, uint32_t k) {
    xg_elem x = xg_elem_of(s, XG_OPERAND(h->i, h->n + k), NULL);
    return h->wide != XLAGPU_INVALID ? xg_elem_convert_to(s, x, XG_OPERAND(h->i, h->n + k)->shape->type, h->wide) : x;
}
XG_FN xg_kval *xg_hero_neutral(xg_scope *s, const xg_hero *h) {
    xlagpu_type t = xg_type_real(xg_hero_type(h, 0));
    xg_kelem e = xg_kelem_of(t);
    double v = xg_reducer_neutral(h->comp);
    return xg_kelem_is_float(e) ? xg_kconst_float(&s->b, e, v) : xg_kconst_int(&s->b, e, (int64_t)v);
}
/* What partial results start from. */
XG_FN void xg_hero_start(xg_scope *s, const xg_hero *h, xg_elem *acc) {
    uint32_t k;
    for (k = 0; k < h->n; k++) {
        if (!h->late) {
            acc[k] = xg_hero_init(s, h, k);
            continue;
        }
        acc[k] = xg_elem_real(xg_hero_neutral(s, h));
        if (xg_type_class(xg_hero_type(h, k)) == XGT_C) acc[k].im = acc[k].v;
    }
}
/* The result of all partial ones: the init value where it is still missing, the type that the hero has. */
XG_FN void xg_hero_end(xg_scope *s, const xg_hero *h, xg_elem *acc) {
    if (h->late) {
        xg_elem x = acc[0];
        acc[0] = xg_hero_init(s, h, 0);
        xg_hero_merge(s, h, acc, &x);
    }
    if (h->wide != XLAGPU_INVALID) acc[0] = xg_elem_convert_to(s, acc[0], h->wide, h->i->shape->type);
}

/* The reducer as a function of two sets of values, complex ones as pairs. */
XG_FN xg_kfunc *xg_hero_combiner(xg_reduction *r, const xg_hero *h) {
    xg_arena *a = r->e->arena;
    const xg_ktype **types = XG_NEW_N(a, const xg_ktype *, 4 * h->n + 1);
    xg_kval **out = XG_NEW_N(a, xg_kval *, 2 * h->n + 1);
    xg_elem *acc = XG_NEW_N(a, xg_elem, 2 * h->n + 1);
    uint32_t n = 0, k, at = 0;
    xg_buf name;
    xg_scope s;
    xg_kfunc *f;
    xg_buf_init(&name, a);
    xg_printf(&name, "combine%u_%s", r->before + (unsigned)(h - r->heroes), h->comp->name.p);
    for (k = 0; k < h->n; k++) {
        xlagpu_type t = xg_hero_type(h, k);
        types[n++] = xg_kir_scalar(r->e->m, xg_kelem_of(xg_type_real(t)));
        if (xg_type_class(t) == XGT_C) {
            types[n] = types[n - 1];
            n++;
        }
    }
    memcpy((void *)(types + n), (const void *)types, n * sizeof *types);
    f = xg_kir_func(r->e->m, xg_str_of(name.p, name.n), types, 2 * n, types, n);
    s = xg_emit_scope(r->e, f, UINT32_MAX);
    for (k = 0; k < 2 * h->n; k++) {
        acc[k].v = &f->body->args[at++];
        if (xg_type_class(xg_hero_type(h, k % h->n)) == XGT_C) acc[k].im = &f->body->args[at++];
    }
    xg_hero_merge(&s, h, acc, acc + h->n);
    n = xg_carry_values(acc, h->n, out);
    xg_kreturn(&s.b, out, n);
    return f;
}
/* Of one place of all of the hero's partial results. */
XG_FN int64_t xg_hero_bytes(const xg_hero *h) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < h->n; k++) bytes += xg_type_bytes(xg_hero_type(h, k));
    return bytes;
}
/* Bytes of sets of arrays in shared memory, with so many places each. */
XG_FN int64_t xg_hero_shared(const xg_hero *h, int64_t places) {
    int64_t bytes = 0;
    uint32_t k;
    for (k = 0; k < h->n; k++) {
        xlagpu_type t = xg_hero_type(h, k), part = xg_type_real(t);
        bytes += xg_shared_whole(places * xg_type_bytes(part)) * (part == t ? 1 : 2);
    }
    return bytes;
}
XG_FN int64_t xg_reduction_shared(const xg_reduction *r, int64_t places) {
    int64_t bytes = 0;
    uint32_t h;
    for (h = 0; h < r->n_heroes; h++) bytes += xg_hero_shared(&r->heroes[h], places);
    return bytes;
}
XG_FN int64_t xg_reduction_bytes(const xg_reduction *r) {
    int64_t bytes = 0;
    uint32_t h;
    for (h = 0; h < r->n_heroes; h++) bytes += xg_hero_bytes(&r->heroes[h]);
    return bytes;
}

#endif /* XG_EMIT_REDUCTION_FORM_C */
