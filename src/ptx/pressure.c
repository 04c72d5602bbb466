/* ptx/pressure.c -- how many registers a kernel asks for, and what the assembler is told of it.
 *
 * Left alone, the assembler holds more blocks on a multiprocessor than the registers of a kernel allow, and makes up
 * for it by spilling: a step of occupancy for a few words in local memory. Where a kernel may come to that, it says how
 * many blocks are to fit (.minnctapersm), so that the registers it needs are its own; one where each has a
 * multiprocessor to itself. Small kernels say nothing: for them the assembler's choice is the best.
 *
 * Idea: code is straight but for loops and branches, and every value has one definition; so its life is one interval of
 * the program's order, up to its last use, or to the end of the outermost loop that it is used in and was not made in.
 * The answer is the most words that live at one place. What only gives registers another name has no life of its own:
 * its uses are those of its operands. Quotients and square roots are sequences that the assembler writes, or calls;
 * what these hold besides operands and results was read off its register counts for a kernel with one of them (sm_75,
 * sm_80, sm_90a). The assembler moves loads ahead and address arithmetic behind; so this is an estimate, and a bound
 * for no reader. */
#ifndef XG_PTX_PRESSURE_C
#define XG_PTX_PRESSURE_C
#include "print.c"

enum {
    XG_PTX_PRESSURE_LEAST = 72 /* words: with fewer nothing is spilled */,
    XG_PTX_PRESSURE_FEW =
        24 /* but now and then a word, or predicates, to no use where there is a multiprocessor for each block */,
    XG_PTX_PRESSURE_MORE = 3,
    XG_PTX_PRESSURE_PER =
        2 /* registers for so many words: what the assembler makes itself, for divisions, or ahead of time */
};

/* By position: the last operation inside of it, and the last one that needs its result. */
typedef struct xg_ptx_lives {
    size_t *end, *last;
    int64_t *change;
} xg_ptx_lives;

/* Of an operation whose place in the order is known. */
static size_t xg_ptx_position(const xg_kop *op) { return (size_t)op->scratch; }
static int64_t xg_ptx_words(const xg_ktype *t) {
    if (t->kind == XG_TK_POINTER) return XG_KSPACE_IS_SHORT(t->space) ? 1 : 2;
    if (t->elem == XG_E_I1) return 0;
    return ((int64_t)xg_ptx_lanes_of(t) * xg_ptx_elem_bits(t) + 31) / 32;
}
static bool xg_ptx_is_name(const xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_VEXTRACT:
    case XG_K_OP_VINSERT:
    case XG_K_OP_BITCAST:
    case XG_K_OP_CONST:
    case XG_K_OP_SHARED_PTR: return true;
    case XG_K_OP_PTR_ADD: return XG_KOPERAND(op, 1)->def && XG_KOPERAND(op, 1)->def->op == XG_K_OP_CONST;
    default: return false;
    }
}
/* The assembler makes several instructions of it. */
static bool xg_ptx_is_sequence(const xg_kop *op) {
    return op->op == XG_K_OP_DIVF || op->op == XG_K_OP_SQRT || (op->op >= XG_K_OP_DIVSI && op->op <= XG_K_OP_REMUI);
}
/* Words that live inside of the sequence only. */
static int64_t xg_ptx_inner_words(const xg_kop *op) {
    int bits =
        op->n_results == 1 && op->results[0].type->kind == XG_TK_SCALAR ? xg_kelem_bits(op->results[0].type->elem) : 0;
    if (bits < 32) return 0;
    switch (op->op) {
    case XG_K_OP_DIVF: return bits == 64 ? 16 : 8;
    case XG_K_OP_SQRT: return bits == 64 ? 10 : 4;
    case XG_K_OP_DIVSI:
    case XG_K_OP_REMSI:
        return xg_kval_is_const(XG_KOPERAND(op, 1), NULL) ? 0
               : bits == 64                               ? 14
                                                          : 6; /* by constants they are products */
    case XG_K_OP_DIVUI:
    case XG_K_OP_REMUI: return xg_kval_is_const(XG_KOPERAND(op, 1), NULL) ? 0 : bits == 64 ? 10 : 4;
    default: return 0;
    }
}
static size_t xg_ptx_life(const xg_ptx_lives *l, const xg_kval *v) {
    const xg_kregion *home = v->def ? v->def->parent : v->region, *r;
    const xg_kuse *u;
    size_t last = 0, at;
    for (u = v->first_use; u; u = u->next) {
        at = xg_ptx_is_name(u->user) ? l->last[xg_ptx_position(u->user)] : xg_ptx_position(u->user);
        for (r = u->user->parent; r != home && r->owner; r = r->owner->parent)
            if (r->owner->op != XG_K_OP_IF) at = XG_MAX(at, l->end[xg_ptx_position(r->owner)]);
        last = XG_MAX(last, at);
    }
    return last;
}
static void xg_ptx_lives_from(xg_ptx_lives *l, const xg_kval *v, size_t from) {
    size_t last = xg_ptx_life(l, v);
    int64_t words;
    if (last <= from) return;
    words = xg_ptx_words(v->type);
    l->change[from] += words;
    l->change[last] -= words;
}
static size_t xg_ptx_ends(xg_ptx_lives *l, const xg_kregion *r) {
    size_t last = 0;
    uint32_t k;
    XG_FOR_KOPS(op, r) {
        last = xg_ptx_position(op);
        for (k = 0; k < op->n_regions; k++) {
            size_t inner = xg_ptx_ends(l, op->regions[k]); /* once: XG_MAX asks twice */
            last = XG_MAX(last, inner);
        }
        l->end[xg_ptx_position(op)] = last;
    }
    return last;
}
/* From the last operation to the first, so that uses are known before what is used. */
static void xg_ptx_lives_of(xg_ptx_lives *l, const xg_kregion *r) {
    const xg_kop *op;
    uint32_t k, j;
    for (op = r->last; op; op = op->prev) {
        size_t at = xg_ptx_position(op);
        if (xg_ptx_is_sequence(op)) {
            int64_t inner = xg_ptx_inner_words(op);
            l->change[at - 1] += inner; /* positions begin at 1; beside the operands, which live up to here */
            l->change[at] -= inner;
        }
        for (k = op->n_regions; k-- > 0;) {
            xg_ptx_lives_of(l, op->regions[k]);
            for (j = 0; j < op->regions[k]->n_args; j++) xg_ptx_lives_from(l, &op->regions[k]->args[j], at);
        }
        if (xg_ptx_is_name(op))
            l->last[at] = xg_ptx_life(l, &op->results[0]);
        else
            for (k = 0; k < op->n_results; k++) xg_ptx_lives_from(l, &op->results[k], l->end[at]);
    }
}
/* Requires the positions of the entry's n operations. */
static int64_t xg_ptx_pressure(xg_arena *a, const xg_kfunc *f, size_t n) {
    xg_ptx_lives l;
    int64_t most = 0, now = 0;
    size_t k;
    l.end = XG_NEW_N(a, size_t, n + 1);
    l.last = XG_NEW_N(a, size_t, n + 1);
    l.change = XG_NEW_N(a, int64_t, n + 1);
    (void)xg_ptx_ends(&l, f->body);
    xg_ptx_lives_of(&l, f->body);
    for (k = 0; k <= n; k++) {
        now += l.change[k];
        most = XG_MAX(most, now);
    }
    return most;
}
/* Blocks that a multiprocessor shall hold; 0: the assembler may choose. */
static uint32_t xg_ptx_resident(const xg_ptx *p, const xg_kfunc *f, size_t n) {
    int64_t words = xg_ptx_pressure(p->arena, f, n),
            threads = (int64_t)f->threads[0] * XG_MAX(f->threads[1], 1u) * XG_MAX(f->threads[2], 1u);
    int64_t blocks = (int64_t)f->blocks[0] * XG_MAX(f->blocks[1], 1u) * XG_MAX(f->blocks[2], 1u);
    if (words >= XG_PTX_PRESSURE_FEW && blocks <= p->device->sm_count) return 1;
    if (words < XG_PTX_PRESSURE_LEAST) return 0;
    words = (words * XG_PTX_PRESSURE_MORE / XG_PTX_PRESSURE_PER + 7) / 8 * 8;
    return (uint32_t)XG_MAX(p->device->registers_per_sm / (words * ((threads + 31) / 32 * 32)), (int64_t)1);
}

#endif /* XG_PTX_PRESSURE_C */
