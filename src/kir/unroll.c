/* kir/unroll.c -- loops of few known trips become straight code, others a few iterations at once; inner loops first.
 *
 * All of a loop if it has at most 32 trips (8 if threads wait for each other in them) and the result is small, and
 * whenever its variable numbers lanes of a vector (registers cannot be indexed). Else by 8, 4 or 2 if the body is small
 * and cheap: an operation of the math dialect counts for 20. Such a loop, and one that is too large for that, is
 * marked: the assembler would take four of its steps at once, or all of them, and need two or three times as long.
 *
 * Straight code is long, and what is long is dear to lower. So a loop all of whose steps shall be written out is only
 * marked, where the variable is added up into indices and nothing else: lowered, its steps differ in constants, and
 * these are folded after the copies are made. */
#ifndef XG_KIR_UNROLL_C
#define XG_KIR_UNROLL_C
#include "kir.h"
#include "build.c"

enum {
    XG_KUNROLL_TRIPS_MAX = 32,
    XG_KUNROLL_FULL_COST = 1000,
    XG_KUNROLL_PART_COST = 400,
    XG_KUNROLL_MATH_COST = 20,
    XG_KUNROLL_COST_MAX = 1 << 28
};

XG_FN bool xg_kunroll_is_math(xg_kopcode op) {
    return (op >= XG_K_OP_RSQRT && op <= XG_K_OP_ERF) || op == XG_K_OP_SQRT || op == XG_K_OP_REMF || op == XG_K_OP_DIVF;
}
XG_FN bool xg_kunroll_waits_for(const xg_kop *op) {
    return op && op->op == XG_K_OP_FOR && (op->flags & KL_UNROLL_LOWERED);
}
/* A loop that waits counts as the straight code that it will be, where lanes that were put in are known. What nothing
 * reads, and parts of complex values, which get names alone, do not count. */
XG_FN int64_t xg_kunroll_cost(const xg_kregion *r, bool *plain) {
    const xg_kop *op;
    int64_t sum = 0;
    uint32_t k;
    bool straight = xg_kunroll_waits_for(r->owner);
    for (op = r->first; op; op = op->next) {
        bool math = xg_kunroll_is_math(op->op), waits = xg_kunroll_waits_for(op),
             name = straight &&
                    (op->op == XG_K_OP_YIELD ||
                        (op->op == XG_K_OP_VEXTRACT && xg_kvector_lane(op->operands[0].value, op->operands[1].value)));
        if (math || (op->n_regions && !waits) || (xg_kop_flags(op->op) & KF_CONV)) *plain = false;
        name = name || op->op == XG_K_OP_COMPLEX || op->op == XG_K_OP_RE || op->op == XG_K_OP_IM;
        sum += math ? XG_KUNROLL_MATH_COST : op->op == XG_K_OP_CONST || waits || name || xg_kop_is_dead(op) ? 0 : 1;
        for (k = 0; k < op->n_regions; k++) {
            int64_t trips = op->op == XG_K_OP_FOR ? xg_kfor_trips(op) : 1;
            sum += xg_kunroll_cost(op->regions[k], plain) * (trips > XG_KUNROLL_TRIPS_MAX ? 1 : XG_MAX(trips, 1));
        }
        if (sum > XG_KUNROLL_COST_MAX) return XG_KUNROLL_COST_MAX;
    }
    return sum;
}
XG_FN bool xg_kunroll_is_lane(const xg_kuse *u) {
    return (u->user->op == XG_K_OP_VEXTRACT && XG_KUSE_INDEX(u) == 1) ||
           (u->user->op == XG_K_OP_VINSERT && XG_KUSE_INDEX(u) == 2);
}
/* By itself, or through an indexing map. */
XG_FN bool xg_kunroll_numbers_lanes(const xg_kval *v) {
    const xg_kuse *u, *w;
    uint32_t k;
    for (u = v->first_use; u; u = u->next) {
        if (xg_kunroll_is_lane(u)) return true;
        if (u->user->op == XG_K_OP_APPLY)
            for (k = 0; k < u->user->n_results; k++)
                for (w = u->user->results[k].first_use; w; w = w->next)
                    if (xg_kunroll_is_lane(w)) return true;
    }
    return false;
}

typedef struct xg_kunroll_trips {
    uint32_t loops[XG_KUNROLL_TRIPS_MAX + 1];
} xg_kunroll_trips; /* how many loops there are, by trips */

/* Where the variable is only added up into indices and nothing branches, the copies differ in constants: then code is
 * copied that is lowered already, which is far less to lower. But rounds of two loops may have elements in common, and
 * this is seen while tensors are values. */
XG_FN bool xg_kunroll_is_added(const xg_kuse *u) {
    const xg_kop *op = u->user;
    const xg_imap *map = (const xg_imap *)op->p;
    const xg_aff *var;
    uint32_t k, i;
    if (op->op != XG_K_OP_APPLY || !xg_imap_ok(map)) return false;
    k = XG_KUSE_INDEX(u);
    var = k < map->n_dims ? xg_aff_dim(op->parent->func->module->aff, k)
                          : xg_aff_sym(op->parent->func->module->aff, k - map->n_dims);
    for (k = 0; k < map->n_results; k++) {
        xg_linear l;
        xg_aff_linear(map->results[k], &l);
        for (i = 0; i < l.n; i++)
            if (l.terms[i].of != var && xg_aff_uses(l.terms[i].of, var)) return false;
    }
    return true;
}
XG_FN bool xg_kunroll_may_wait(const xg_kop *loop) {
    const xg_kregion *r = loop->regions[0];
    const xg_kuse *u;
    const xg_kop *op;
    if (r->args[0].type->elem != XG_E_INDEX || r->args[0].lo > r->args[0].hi) return false;
    for (op = r->first; op; op = op->next) {
        if (op->n_regions) return false;
        if (op->op == XG_K_OP_VEXTRACT && xg_klow_is_high(op->operands[0].value->type) &&
            !xg_kval_is_const(op->operands[1].value, NULL))
            return false;
        if (op->op == XG_K_OP_VINSERT && xg_klow_is_high(op->results->type) &&
            !xg_kval_is_const(op->operands[2].value, NULL))
            return false;
    }
    for (u = r->args[0].first_use; u; u = u->next)
        if (!xg_kunroll_is_added(u)) return false;
    return true;
}

/* One more copy of the body at b: the variable is `v`; carried are what came before and become what the copy yields. */
XG_FN void xg_kunroll_copy(xg_kb *b, const xg_kregion *r, xg_kval *v, xg_kval **carried) {
    const xg_kop *op, *end = xg_kregion_end(r);
    uint32_t k;
    xg_kclone_put(&r->args[0], v);
    for (k = 1; k < r->n_args; k++) xg_kclone_put(&r->args[k], carried[k - 1]);
    for (op = r->first; op != end; op = op->next) {
        b->loc = op->loc;
        xg_kop_clone(b, op);
    }
    for (k = 0; k < end->n_operands; k++) carried[k] = xg_kclone_value(end->operands[k].value);
}

/* ---- reads ahead ---- */

/* Loads wait long for what is needed at once. What a copy makes of its number alone, early, comes in front of what the
 * copy before adds to what is carried, late. */
typedef struct xg_kunroll_parts {
    bool *late; /* by place in the body */
    xg_kval **early, **copies[2];
    uint32_t n; /* early results; what stands for them in the copies of even and odd numbers */
} xg_kunroll_parts;

XG_FN bool xg_kunroll_is_late(const xg_kop *op, const xg_kregion *r) {
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) {
        const xg_kval *v = op->operands[k].value;
        if (v->def ? v->def->parent == r && v->def->scratch : v->region == r && v->index) return true;
    }
    return false;
}
/* Elements go into what is carried, and into nothing else: the order of these follows from their values. */
XG_FN bool xg_kunroll_puts(const xg_kop *op) {
    return (op->op == XG_K_OP_INSERT || op->op == XG_K_OP_WRITE) && op->scratch;
}
/* What a condition guards comes late, if it writes as a step does. */
XG_FN bool xg_kunroll_is_guard(const xg_kop *guard) {
    const xg_kop *op;
    uint32_t k;
    for (k = 0; k < guard->n_regions; k++)
        for (op = guard->regions[k]->first; op; op = op->next)
            if (op->n_regions ? !xg_kunroll_is_guard(op)
                              : (xg_kop_flags(op->op) & (KF_WRITE | KF_CONV)) && op->op != XG_K_OP_INSERT &&
                                    op->op != XG_K_OP_WRITE)
                return false;
    return guard->op == XG_K_OP_IF;
}
/* False: something writes, and order counts; or a condition guards all that is read. */
XG_FN bool xg_kunroll_part_of(xg_kmodule *m, xg_kregion *r, xg_kunroll_parts *y) {
    uint32_t n = 0, results = 0, k;
    bool pure = true, guarded = false, reads = false;
    xg_kop *op;
    for (op = r->first; op; op = op->next, n++) {
        op->scratch = op->n_regions || xg_kunroll_is_late(op, r) ? (void *)op : NULL;
        pure = pure &&
               (op->n_regions ? xg_kunroll_is_guard(op) : !(xg_kop_flags(op->op) & KF_WRITE) || xg_kunroll_puts(op));
        guarded = guarded || op->n_regions;
        reads = reads || (!op->scratch && xg_kop_flags(op->op) & KF_READ);
        results += op->n_results;
    }
    y->n = 0;
    y->late = XG_NEW_N(m->temp, bool, n + (size_t)1);
    y->early = XG_NEW_N(m->temp, xg_kval *, results + (size_t)1);
    for (op = r->first, n = 0; op; op = op->next, n++) {
        y->late[n] = op->scratch != NULL;
        for (k = 0; k < op->n_results && !op->scratch; k++) y->early[y->n++] = &op->results[k];
    }
    for (op = r->first; op; op = op->next) op->scratch = NULL;
    for (k = 0; k < 2; k++) y->copies[k] = XG_NEW_N(m->temp, xg_kval *, y->n + (size_t)1);
    return pure && (reads || !guarded);
}
XG_FN void xg_kunroll_copy_part(xg_kb *b, const xg_kregion *r, const xg_kunroll_parts *y, bool late) {
    const xg_kop *op, *end = xg_kregion_end(r);
    uint32_t n = 0;
    for (op = r->first; op != end; op = op->next, n++) {
        if (y->late[n] != late) continue;
        b->loc = op->loc;
        xg_kop_clone(b, op);
    }
}
/* The number of the i-th copy. */
XG_FN xg_kval *xg_kunroll_number(xg_kb *b, const xg_kop *loop, int64_t i) {
    int64_t lo = 0, step = 1;
    (void)xg_kval_is_const(loop->operands[0].value, &lo);
    (void)xg_kval_is_const(loop->operands[2].value, &step);
    return xg_kconst_int(b, loop->operands[0].value->type->elem, lo + i * step);
}
/* All copies, each one's early part in front of the late part of the one before. */
XG_FN void xg_kunroll_copy_ahead(xg_kb *b, const xg_kop *loop, int64_t trips, xg_kunroll_parts *y, xg_kval **carried) {
    const xg_kregion *r = loop->regions[0];
    const xg_kop *end = xg_kregion_end(r);
    xg_kval *numbers[2] = {NULL, NULL};
    int64_t i;
    uint32_t k;
    for (i = 0; i <= trips; i++) {
        if (i < trips) {
            numbers[i % 2] = xg_kunroll_number(b, loop, i);
            xg_kclone_put(&r->args[0], numbers[i % 2]);
            xg_kunroll_copy_part(b, r, y, false);
            for (k = 0; k < y->n; k++) y->copies[i % 2][k] = xg_kclone_value(y->early[k]);
        }
        if (i == 0) continue;
        xg_kclone_put(&r->args[0], numbers[(i - 1) % 2]);
        for (k = 1; k < r->n_args; k++) xg_kclone_put(&r->args[k], carried[k - 1]);
        for (k = 0; k < y->n; k++) xg_kclone_put(y->early[k], y->copies[(i - 1) % 2][k]);
        xg_kunroll_copy_part(b, r, y, true);
        for (k = 0; k < end->n_operands; k++) carried[k] = xg_kclone_value(end->operands[k].value);
    }
}

/* ---- all of a loop ---- */

XG_FN void xg_kunroll_all(xg_kmodule *m, xg_kop *loop, int64_t trips) {
    xg_kval **carried = XG_NEW_N(m->temp, xg_kval *, loop->n_results + 1);
    xg_kb b = xg_kb_before(m, loop);
    xg_kunroll_parts y;
    int64_t i;
    uint32_t k;
    for (k = 0; k < loop->n_results; k++) carried[k] = loop->operands[k + 3].value;
    xg_kclone_begin(loop->regions[0]);
    if ((loop->flags & KL_READS_AHEAD) && xg_kunroll_part_of(m, loop->regions[0], &y))
        xg_kunroll_copy_ahead(&b, loop, trips, &y, carried);
    else
        for (i = 0; i < trips; i++) xg_kunroll_copy(&b, loop->regions[0], xg_kunroll_number(&b, loop, i), carried);
    for (k = 0; k < loop->n_results; k++) xg_kval_replace(&loop->results[k], carried[k]);
    xg_kop_remove(loop);
}

/* v + c, as an indexing map where that composes with others. */
XG_FN xg_kval *xg_kunroll_shifted(xg_kb *b, xg_kval *v, int64_t c) {
    if (v->type->elem == XG_E_INDEX || !c) return xg_kir_index_plus(b, v, c, xg_str_of(NULL, 0));
    return xg_kaddi_int(b, v, c);
}
/* `factor` steps from v on as a loop of their own, which waits. */
XG_FN void xg_kunroll_later(xg_kb *b, const xg_kop *loop, xg_kval *v, int64_t step, int64_t factor, xg_kval **carried) {
    xg_aff_ctx *aff = b->m->aff;
    xg_imap *map = xg_imap_of_dims(aff, 2, 1);
    xg_kval *from = xg_kconst_int(b, XG_E_INDEX, 0), *to = xg_kconst_int(b, XG_E_INDEX, factor), *both[2];
    xg_kop *steps = xg_kfor(b, from, to, xg_kconst_int(b, XG_E_INDEX, 1), carried, loop->n_results);
    xg_kregion *r = steps->regions[0];
    xg_kb in = xg_kb_end(b->m, r);
    uint32_t k;
    steps->flags |= KL_UNROLL_LOWERED;
    both[0] = v;
    both[1] = &r->args[0];
    for (k = 0; k < 2; k++) map->dims[k].range = xg_kval_range(both[k]);
    map->dims[0].name = v->name;
    map->results[0] = xg_aff_add_dim(aff, xg_aff_dim_0(aff), 1, step);
    for (k = 0; k < loop->n_results; k++) carried[k] = &r->args[k + 1];
    xg_kunroll_copy(&in, loop->regions[0], xg_kapply(&in, map, both)->results, carried);
    xg_kyield(&in, carried, loop->n_results);
    for (k = 0; k < loop->n_results; k++) carried[k] = &steps->results[k];
}
/* `factor` steps from v on: what all of them make of their numbers alone, then what they add to what is carried. */
XG_FN void xg_kunroll_together(xg_kb *b, const xg_kop *loop, xg_kval *v, int64_t step, int64_t factor,
    const xg_kunroll_parts *y, xg_kval **carried) {
    const xg_kregion *r = loop->regions[0];
    const xg_kop *end = xg_kregion_end(r);
    xg_kval *numbers[XG_KUNROLL_TOGETHER], **early = XG_NEW_N(b->m->temp, xg_kval *, (size_t)factor * y->n + 1);
    int64_t i;
    uint32_t k;
    for (i = 0; i < factor; i++) {
        numbers[i] = xg_kunroll_shifted(b, v, i * step);
        xg_kclone_put(&r->args[0], numbers[i]);
        xg_kunroll_copy_part(b, r, y, false);
        for (k = 0; k < y->n; k++) early[i * y->n + k] = xg_kclone_value(y->early[k]);
    }
    for (i = 0; i < factor; i++) {
        xg_kclone_put(&r->args[0], numbers[i]);
        for (k = 1; k < r->n_args; k++) xg_kclone_put(&r->args[k], carried[k - 1]);
        for (k = 0; k < y->n; k++) xg_kclone_put(y->early[k], early[i * y->n + k]);
        xg_kunroll_copy_part(b, r, y, true);
        for (k = 0; k < end->n_operands; k++) carried[k] = xg_kclone_value(end->operands[k].value);
    }
}
/* How the steps that a loop takes at once are written out. */
typedef enum xg_kunroll_way {
    XG_KUNROLL_EACH,  /* one after the other */
    XG_KUNROLL_LATER, /* by a loop of their own, once they are lowered */
    XG_KUNROLL_READS  /* with what they read in front of what they write */
} xg_kunroll_way;

/* The loop takes `factor` steps at once; factor divides its trips. y: for XG_KUNROLL_READS. */
XG_FN void xg_kunroll_part(xg_kmodule *m, xg_kop *loop, int64_t factor, xg_kunroll_way way, const xg_kunroll_parts *y) {
    xg_kval **carried = XG_NEW_N(m->temp, xg_kval *, loop->n_results + 1);
    xg_kb b = xg_kb_before(m, loop), in;
    int64_t step = 1, i;
    uint32_t k;
    xg_kop *to;
    (void)xg_kval_is_const(loop->operands[2].value, &step);
    for (k = 0; k < loop->n_results; k++) carried[k] = loop->operands[k + 3].value;
    to = xg_kfor(&b, loop->operands[0].value, loop->operands[1].value,
        xg_kconst_int(&b, loop->operands[0].value->type->elem, step * factor), carried, loop->n_results);
    to->flags |= KL_UNROLLED | (loop->flags & KL_STEP_POINTERS);
    for (k = 0; k < to->regions[0]->n_args; k++) to->regions[0]->args[k].name = loop->regions[0]->args[k].name;
    if (to->regions[0]->args[0].lo <= to->regions[0]->args[0].hi)
        to->regions[0]->args[0].hi -= step * factor - 1; /* the last round starts there */
    for (k = 0; k < loop->n_results; k++) carried[k] = &to->regions[0]->args[k + 1];
    in = xg_kb_end(m, to->regions[0]);
    xg_kclone_begin(loop->regions[0]);
    if (way == XG_KUNROLL_LATER)
        xg_kunroll_later(&in, loop, &to->regions[0]->args[0], step, factor, carried);
    else if (way == XG_KUNROLL_READS)
        xg_kunroll_together(&in, loop, &to->regions[0]->args[0], step, factor, y, carried);
    else
        for (i = 0; i < factor; i++)
            xg_kunroll_copy(
                &in, loop->regions[0], xg_kunroll_shifted(&in, &to->regions[0]->args[0], i * step), carried);
    xg_kyield(&in, carried, loop->n_results);
    for (k = 0; k < loop->n_results; k++) {
        xg_kval_copy_facts(&to->results[k], &loop->results[k]);
        xg_kval_replace(&loop->results[k], &to->results[k]);
    }
    xg_kop_remove(loop);
}

/* Rounds in which threads wait for each other cannot be mixed, so many of them are only more code, and what hoisting
 * takes out of all of them lives all the time. */
XG_FN bool xg_kunroll_waits(const xg_kregion *r) {
    const xg_kop *op;
    for (op = r->first; op; op = op->next)
        if (xg_kop_flags(op->op) & KF_CONV) return true;
    return false;
}
/* Steps whose reads stand together, where order does not count otherwise; loops inside are written out first. */
XG_FN bool xg_kunroll_reads(xg_kmodule *m, xg_kop *loop, int64_t trips) {
    int64_t factor = XG_KUNROLL_TOGETHER, inner;
    xg_kop *op, *next;
    xg_kunroll_parts y;
    while (factor > 1 && trips % factor) factor--;
    for (op = loop->regions[0]->first; op; op = next) {
        next = op->next;
        if (op->op != XG_K_OP_FOR) continue;
        inner = xg_kfor_trips(op);
        if (inner >= 1 && inner <= XG_KUNROLL_TRIPS_MAX && !op->regions[0]->first->n_regions)
            xg_kunroll_all(m, op, inner);
    }
    if (factor == 1 || !xg_kunroll_part_of(m, loop->regions[0], &y)) return false;
    xg_kunroll_part(m, loop, factor, XG_KUNROLL_READS, &y);
    return true;
}
XG_APART XG_FN void xg_kunroll_loop(xg_kmodule *m, xg_kop *loop, const xg_kunroll_trips *t) {
    int64_t trips = xg_kfor_trips(loop), cost, factor;
    bool plain = true, lanes = xg_kunroll_numbers_lanes(&loop->regions[0]->args[0]);
    if ((loop->flags & KL_UNROLL_LOWERED) && !lanes) return; /* its emitter knows that it may wait */
    if ((loop->flags & KL_READS_TOGETHER) && trips > 1 && xg_kunroll_reads(m, loop, trips)) return;
    if (trips < 1 || ((loop->flags & KL_UNROLLED) && !lanes) ||
        (trips > XG_KUNROLL_WAITS_MAX && xg_kunroll_waits(loop->regions[0])))
        return;
    cost = XG_MAX(xg_kunroll_cost(loop->regions[0], &plain), 1);
    XG_ESTIMATED(cost);
    if (trips <= XG_KUNROLL_TRIPS_MAX && (lanes || (loop->flags & KL_WHOLE) || cost * trips <= XG_KUNROLL_FULL_COST)) {
        if (t->loops[trips] < 2 && xg_kunroll_may_wait(loop))
            loop->flags |= KL_UNROLL_LOWERED;
        else
            xg_kunroll_all(m, loop, trips);
        return;
    }
    if (!plain) return;
    for (factor = 8; factor > 1; factor /= 2)
        if (trips % factor == 0 && trips > factor && cost * factor <= XG_KUNROLL_PART_COST) {
            xg_kunroll_part(m, loop, factor, xg_kunroll_may_wait(loop) ? XG_KUNROLL_LATER : XG_KUNROLL_EACH, NULL);
            return;
        }
    if (cost * 2 > XG_KUNROLL_PART_COST) loop->flags |= KL_UNROLLED;
}
XG_FN void xg_kir_unroll(xg_kmodule *m) {
    xg_kfunc *f;
    for (f = m->first; f; f = f->next) {
        xg_kops loops;
        xg_kunroll_trips t;
        uint32_t k;
        memset(&loops, 0, sizeof loops);
        xg_kops_collect_of(m->temp, &loops, f->body, XG_K_OP_FOR, XG_K_OP_FOR);
        memset(&t, 0, sizeof t);
        for (k = 0; k < loops.n; k++) {
            int64_t trips = xg_kfor_trips(loops.p[k]);
            if (trips > 0 && trips <= XG_KUNROLL_TRIPS_MAX) t.loops[trips]++;
        }
        for (k = 0; k < loops.n; k++) xg_kunroll_loop(m, loops.p[k], &t);
    }
}
XG_FN void xg_kunroll_waiting(xg_kmodule *m, xg_kop *loop) {
    int64_t trips = xg_kfor_trips(loop);
    if (!(loop->flags & KL_UNROLL_LOWERED) || trips < 1 || trips > XG_KUNROLL_TRIPS_MAX) return;
    xg_kunroll_all(m, loop, trips);
}
XG_FN void xg_kir_unroll_lowered(xg_kmodule *m) { xg_kops_each_of(m, XG_K_OP_FOR, xg_kunroll_waiting); }

#endif /* XG_KIR_UNROLL_C */
