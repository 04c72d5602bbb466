/* kir/estimate.c -- counts what a low-level kernel will execute, for the model of time (cost/time.c), without running
 * it.
 *
 * The walk follows two warps of a block in the middle of the grid through the code: the first, and one that represents
 * all others.
 * - Integers that do not depend on memory are computed for all 32 lanes, so the sectors and banks of an access are
 *   those of its addresses.
 * - A value has the clock at which it is ready, and an operation begins when its operands are.
 * - Of a loop two rounds are walked, the first and one in the middle; the others take as long as the latter.
 * - A condition that depends on memory counts as true.
 * - Of integers loaded from memory only this is known: lanes that load from one place have equal numbers. Different
 *   ones count as far apart. So an address computed from the row's number has the row's sectors, one from each lane's
 *   own number has 32. */
#ifndef XG_KIR_ESTIMATE_C
#define XG_KIR_ESTIMATE_C
#include "estimate_values.c"
#include "kir.h"

/* ---- memory ---- */

/* True if the first cache holds the sector, which it does from now on. */
XG_FN bool xg_kest_seen(xg_kest *e, uint64_t sector) {
    uint64_t *x = &e->seen[sector * 0x9E3779B97F4A7C15u >> 54];
    bool hit = *x == sector + 1;
    *x = sector + 1;
    return hit;
}
XG_FN int64_t xg_kest_bytes(const xg_ktype *t) {
    return (t->kind == XG_TK_VECTOR ? t->elements : 1) * XG_MAX(xg_kelem_bytes(t->elem), (int64_t)1);
}
/* The latency of an access to global memory, in clocks; counts its sectors. */
XG_FN int64_t xg_kest_global(xg_kest *e, const xg_kest_value *p, int64_t bytes, bool write, bool cached) {
    uint64_t before[8] = {0};
    int64_t sectors = 0, missed = 0, n = e->times * e->weight;
    uint32_t l, k;
    if (!p->known || p->arg < 0) sectors = missed = XG_WARP_LANES;
    for (l = 0; l < XG_WARP_LANES && p->known && p->arg >= 0; l++) {
        uint64_t from = (uint64_t)p->at[l] / XG_SECTOR_BYTES, last = (uint64_t)(p->at[l] + bytes - 1) / XG_SECTOR_BYTES;
        if (!(e->mask >> l & 1)) continue;
        for (; from <= last; from++) {
            uint64_t tag = (from << 8 | (uint64_t)(p->arg & 127) << 1 | write) + 1;
            for (k = 0; k < 8 && before[k] != tag; k++) {}
            if (k < 8) continue;
            before[sectors++ % 8] = tag;
            missed += !(cached && xg_kest_seen(e, tag));
        }
    }
    if (p->arg >= 0) {
        int64_t *t = &e->touched[p->arg + (write ? (int32_t)e->n_args : 0)];
        *t = xg_cost_add_mul(*t, missed * XG_SECTOR_BYTES, n);
    }
    e->c->l2_sectors = xg_cost_add_mul(e->c->l2_sectors, missed, n);
    e->c->l1_passes = xg_cost_add_mul(e->c->l1_passes, XG_MAX((sectors + 3) / 4, (int64_t)1), n);
    if (missed && !write && p->arg >= (int32_t)e->m->entry->n_inputs) return e->d->l2_latency; /* blocks wrote it */
    return missed ? e->d->memory_latency : e->d->l1_latency;
}
/* True if every lane accesses the address of its neighbour, or every lane that of the lane two further. Then a pass
 * serves twice as many lanes of a load of 8 or 16 bytes (NVIDIA's answer to "Unexpected shared memory bank conflict",
 * developer forum 77228). */
XG_FN bool xg_kest_in_pairs(const xg_kest *e, const xg_kest_value *p) {
    uint32_t apart, l, differ;
    for (apart = 1; apart <= 2; apart *= 2) {
        for (differ = l = 0; l < XG_WARP_LANES; l++)
            differ |= (e->mask >> l & e->mask >> (l ^ apart) & 1) && p->at[l] != p->at[l ^ apart];
        if (!differ) return true;
    }
    return false;
}
/* Passes if each serves `lanes` lanes: the largest number of different words that these access in one bank. */
XG_FN int64_t xg_kest_passes_by(const xg_kest *e, const xg_kest_value *p, int64_t lanes) {
    int64_t base, most, sum = 0;
    uint32_t l, j;
    for (base = 0; base < XG_WARP_LANES; base += lanes) {
        for (most = 1, l = (uint32_t)base; l < base + lanes; l++) {
            int64_t same = 0;
            if (!(e->mask >> l & 1)) continue;
            for (j = (uint32_t)base; j < l; j++)
                same += (e->mask >> j & 1) && p->at[j] / 4 % 32 == p->at[l] / 4 % 32 && p->at[j] / 4 != p->at[l] / 4;
            most = XG_MAX(most, same + 1);
        }
        sum += most;
    }
    return sum;
}
/* Passes of an access to shared memory. */
XG_FN int64_t xg_kest_passes(const xg_kest *e, const xg_kest_value *p, int64_t bytes, bool write) {
    int64_t wide = XG_MAX(bytes / 4, (int64_t)1), lanes = XG_MAX(XG_WARP_LANES / wide, (int64_t)1), paired;
    if (!p->known) return wide;
    if (wide > 1 && !write && xg_kest_in_pairs(e, p)) {
        paired = xg_kest_passes_by(e, p, 2 * lanes);
        if (paired == XG_WARP_LANES / (2 * lanes)) return paired;
    }
    return xg_kest_passes_by(e, p, lanes);
}
XG_FN int64_t xg_kest_access(xg_kest *e, const xg_kval *pointer, int64_t bytes, bool write, bool cached) {
    const xg_kest_value *p = xg_kest_of(e, pointer);
    if (!XG_KSPACE_IS_SHORT(pointer->type->space)) return xg_kest_global(e, p, bytes, write, cached);
    e->c->shared_passes =
        xg_cost_add_mul(e->c->shared_passes, xg_kest_passes(e, p, bytes, write), e->times * e->weight);
    return pointer->type->space == XG_SPACE_CLUSTER ? (int64_t)XG_COST_PEER_CLOCKS : e->d->shared_latency;
}

/* ---- operations ---- */

typedef struct xg_kest_price {
    xg_cost_pipe pipe; /* XG_PIPE_COUNT: none */
    int64_t weight, latency;
} xg_kest_price;
XG_FN xg_kest_price xg_kest_make_price(xg_cost_pipe pipe, int64_t weight, int64_t latency) {
    xg_kest_price p;
    p.pipe = pipe;
    p.weight = weight;
    p.latency = latency;
    return p;
}
XG_FN xg_kest_price xg_kest_float_price(xg_kelem e, int64_t weight) {
    int bits = xg_kelem_bits(e);
    xg_cost_pipe pipe = bits == 64 ? XG_PIPE_F64 : bits == 32 ? XG_PIPE_F32 : XG_PIPE_HALF;
    return xg_kest_make_price(pipe, weight, weight * XG_KEST_ALU_CLOCKS * (bits == 64 ? 2 : 1));
}
/* A pointer plus a constant is folded into the loads and stores that use it, unless a loop carries it. */
XG_FN bool xg_kest_is_address(const xg_kop *op) {
    const xg_kuse *u = op->results[0].first_use;
    if (op->op != XG_K_OP_PTR_ADD || !xg_kval_is_const(XG_KOPERAND(op, 1), NULL)) return false;
    while (u && u->user->op != XG_K_OP_YIELD) u = u->next;
    return !u;
}
/* A byte of a word that ptx/legalize.c converts to a float of up to 32 bits by arithmetic. */
XG_FN bool xg_kest_is_byte(const xg_kop *op) {
#ifdef XLAGPU_SMALL
    (void)op;
    return false;
#else
    const xg_kval *x = op->operands[0].value;
    xg_kelem to = op->results[0].type->elem;
    return x->type->elem == XG_E_I8 && xg_kval_by(x, XG_K_OP_VEXTRACT) &&
           (to == XG_E_F32 || to == XG_E_F16 || to == XG_E_BF16);
#endif
}
XG_APART XG_FN xg_kest_price xg_kest_price_of(const xg_kop *op) {
    const xg_ktype *t = op->n_operands ? op->operands[0].value->type : NULL;
    bool wide = t && t->kind == XG_TK_SCALAR && xg_kelem_bits(t->elem) == 64;
    int64_t integer = wide ? XG_KEST_WIDE : 1;
    switch (op->op) {
    case XG_K_OP_CONST:
    case XG_K_OP_VEXTRACT:
    case XG_K_OP_VINSERT:
    case XG_K_OP_BITCAST:
    case XG_K_OP_YIELD:
    case XG_K_OP_RETURN:
    case XG_K_OP_CONDITION:
    case XG_K_OP_SHARED_PTR: return xg_kest_make_price(XG_PIPE_COUNT, 0, 0);
    case XG_K_OP_THREAD_ID:
    case XG_K_OP_BLOCK_ID: return xg_kest_make_price(XG_PIPE_COUNT, 1, XG_KEST_SPECIAL_CLOCKS);
    case XG_K_OP_EX2A:
    case XG_K_OP_LG2A:
    case XG_K_OP_RCPA:
    case XG_K_OP_RSQRTA:
    case XG_K_OP_CTPOP:
    case XG_K_OP_CTLZ: return xg_kest_make_price(XG_PIPE_SPECIAL, 1, XG_KEST_SPECIAL_CLOCKS);
    case XG_K_OP_VOTEANY:
    case XG_K_OP_SHFLDOWN:
    case XG_K_OP_SHFLUP:
    case XG_K_OP_SHFLBFLY:
    case XG_K_OP_SHFLIDX: return xg_kest_make_price(XG_PIPE_COUNT, 1, XG_KEST_WARP_CLOCKS);
    case XG_K_OP_SITOFP:
    case XG_K_OP_UITOFP:
        if (xg_kest_is_byte(op)) return xg_kest_make_price(XG_PIPE_INTEGER, 2, 2 * (int64_t)XG_KEST_ALU_CLOCKS);
        return xg_kest_make_price(XG_PIPE_CONVERT, 1, XG_KEST_SPECIAL_CLOCKS);
    case XG_K_OP_FPTOSI:
    case XG_K_OP_FPTOUI: return xg_kest_make_price(XG_PIPE_CONVERT, 1, XG_KEST_SPECIAL_CLOCKS);
    case XG_K_OP_EXTF:
    case XG_K_OP_TRUNCF:
        if (XG_MIN(xg_kelem_bits(t->elem), xg_kelem_bits(op->results[0].type->elem)) > 8) break;
        return xg_kest_make_price(XG_PIPE_CONVERT, 1, XG_KEST_SPECIAL_CLOCKS);
    case XG_K_OP_DIVSI:
    case XG_K_OP_DIVUI:
    case XG_K_OP_REMSI:
    case XG_K_OP_REMUI:
        integer = wide ? XG_KEST_DIVIDE_WIDE : XG_KEST_DIVIDE;
        return xg_kest_make_price(XG_PIPE_INTEGER, integer, XG_KEST_ALU_CLOCKS * integer);
    case XG_K_OP_DIVF:
    case XG_K_OP_SQRT: return xg_kest_float_price(t->elem, XG_KEST_DIVIDE_FLOAT);
    case XG_K_OP_WGMMA:
    case XG_K_OP_TENSOR_MMA:
    case XG_K_OP_TENSOR_READ:
    case XG_K_OP_TENSOR_WRITE:
    case XG_K_OP_STMATRIX:
    case XG_K_OP_LDMATRIX: return xg_kest_make_price(XG_PIPE_COUNT, 1, XG_KEST_ALU_CLOCKS);
    case XG_K_OP_MMA: return xg_kest_make_price(XG_PIPE_COUNT, 1, XG_KEST_MMA_CLOCKS);
    case XG_K_OP_FMAF2: return xg_kest_make_price(XG_PIPE_F32, 1, XG_KEST_ALU_CLOCKS);
    case XG_K_OP_BARRIER:
        return xg_kest_make_price(XG_PIPE_COUNT, 1,
            op->a == XG_KTEAM_CLUSTER ? (int64_t)XG_COST_MEET_CLOCKS : (int64_t)XG_KEST_BARRIER_CLOCKS);
    default: break;
    }
    if (!op->n_results) return xg_kest_make_price(XG_PIPE_COUNT, 1, XG_KEST_ALU_CLOCKS);
    if (op->op >= XG_K_OP_SUBBF2 && op->op <= XG_K_OP_FMABF2) /* on pairs in a word */
        return xg_kest_make_price(XG_PIPE_HALF, 1, XG_KEST_ALU_CLOCKS);
    if (xg_kest_is_address(op)) return xg_kest_make_price(XG_PIPE_COUNT, 0, 0);
    t = op->results[0].type;
    if (t->kind == XG_TK_SCALAR && xg_kelem_is_float(t->elem)) return xg_kest_float_price(t->elem, 1);
    return xg_kest_make_price(XG_PIPE_INTEGER, integer, XG_KEST_ALU_CLOCKS);
}
/* The latency of an operation that accesses memory; 0: it does not. */
XG_APART XG_FN int64_t xg_kest_memory(xg_kest *e, const xg_kop *op) {
    switch (op->op) {
    case XG_K_OP_LOAD: return xg_kest_access(e, op->operands[0].value, xg_kest_bytes(op->results[0].type), false, true);
    case XG_K_OP_STORE:
        return xg_kest_access(e, op->operands[1].value, xg_kest_bytes(op->operands[0].value->type), true, false);
    case XG_K_OP_LDMATRIX: return xg_kest_access(e, op->operands[0].value, XG_KEST_MATRIX_ROW, false, false);
    case XG_K_OP_STMATRIX: return xg_kest_access(e, op->operands[0].value, XG_KEST_MATRIX_ROW, true, false);
    case XG_K_OP_ASYNC_COPY:
        (void)xg_kest_access(e, op->operands[0].value, op->a ? op->a : 16, true, false);
        return xg_kest_access(e, op->operands[1].value, op->a ? op->a : 16, false, false);
    default: break;
    }
    if (op->op < XG_K_OP_RED_ADDI || op->op > XG_K_OP_ATOM_CAS) return 0;
    return xg_kest_access(e, op->operands[1].value, 4, true, false) + XG_KEST_ATOMIC_CLOCKS;
}
XG_FN void xg_kest_region(xg_kest *e, const xg_kregion *r);

/* Ends a stretch of straight-line code: all its operations have begun, and each pipe has executed its share. */
XG_FN void xg_kest_settle(xg_kest *e) {
    uint32_t k;
    e->clock = XG_MAX(e->clock, e->latest);
    for (k = 0; k < XG_PIPE_COUNT; k++) e->clock = XG_MAX(e->clock, e->since - 1 + e->piped[k]);
    memset(e->piped, 0, sizeof e->piped);
    e->since = e->stored = e->awaited = 0;
    e->n_flight = 0;
}

/* Copies values to a region's arguments or an operation's results. */
XG_FN void xg_kest_copy(xg_kest *e, const xg_kval *to, const xg_kval *from) {
    *xg_kest_of(e, to) = *xg_kest_of(e, from);
}
XG_FN void xg_kest_pass(xg_kest *e, const xg_kval *to, uint32_t n, const xg_kop *from, uint32_t first) {
    uint32_t k;
    for (k = 0; k < n && first + k < from->n_operands; k++) xg_kest_copy(e, &to[k], from->operands[first + k].value);
}
/* Walks one round of a loop and counts it `times` times; gives the clocks of one. */
XG_FN int64_t xg_kest_round(xg_kest *e, const xg_kregion *r, int64_t times) {
    int64_t before = e->times, began;
    xg_kest_settle(e);
    began = e->clock;
    e->times = xg_cost_mul(before, times);
    xg_kest_region(e, r);
    xg_kest_settle(e);
    e->times = before;
    return e->clock - began;
}
/* For a persistent loop (from the block's number on, in steps of the number of blocks): the rounds of the block that
 * has most; 0: another loop. All blocks together do one round for each number, so *weight is set to the average of
 * rounds after the first. */
XG_FN int64_t xg_kest_stays(const xg_kest *e, const xg_kop *op, int64_t last, int64_t by, int64_t *weight) {
    const xg_kop *first = op->operands[0].value->def;
    int64_t trips;
    if (!first || first->op != XG_K_OP_BLOCK_ID || by != e->c->blocks || last <= by) return 0;
    trips = (last + by - 1) / by;
    *weight = XG_MAX(xg_cost_scale(e->weight, last - by, by * (trips - 1)), (int64_t)1);
    return trips;
}
XG_ONE_COPY XG_FN void xg_kest_commit(xg_kest_queue *q) { q->groups[q->n++ % XG_KEST_GROUPS] = q->done; }
/* Waits until all groups but the last `but` are done. */
XG_APART XG_FN int64_t xg_kest_await(xg_kest_queue *q, int64_t but, int64_t clock) {
    q->but = but;
    if (but >= 0 && but < XG_MIN((int64_t)q->n, (int64_t)XG_KEST_GROUPS))
        clock = XG_MAX(clock, q->groups[(q->n - 1 - (uint32_t)but) % XG_KEST_GROUPS]);
    return q->waited = clock;
}
/* The time of each of `rounds` pipelined rounds, of which one was walked: it took `took` clocks, after n groups had
 * been committed. A group that a round commits is awaited as many rounds later as groups may be in flight. Few rounds,
 * as in a prologue, leave all their groups in flight. */
XG_APART XG_FN int64_t xg_kest_pipeline(xg_kest_queue *q, uint32_t n, int64_t took, int64_t rounds) {
    uint32_t each = q->n - n;
    int64_t waits, k = rounds <= XG_KEST_GROUPS ? (rounds - 1) * each : 0;
    if (!each) return took;
    waits = q->but < 0 ? 0 : xg_cost_scale(rounds, each, q->but + each);
    took = XG_MAX(took, xg_cost_scale(q->groups[(q->n - 1) % XG_KEST_GROUPS] - q->waited, waits, rounds));
    for (; k > 0; k--, q->n++) q->groups[q->n % XG_KEST_GROUPS] = q->groups[(q->n - each) % XG_KEST_GROUPS] + took;
    return took;
}
XG_APART XG_FN void xg_kest_for(xg_kest *e, const xg_kop *op) {
    const xg_kregion *r = op->regions[0];
    const xg_kop *outer = e->loop;
    int64_t weight = e->weight, stays;
    const xg_kest_value *lo = xg_kest_in(e, op, 0), *hi = xg_kest_in(e, op, 1), *step = xg_kest_in(e, op, 2);
    int64_t trips = XG_KEST_UNKNOWN_TRIPS, first = 0, by = 1, of = 1, rest, took, units;
    bool known = xg_kest_is_sure(lo) && xg_kest_is_sure(step);
    xg_kest_rounds all, around;
    uint32_t l, groups;
    if (known) {
        first = lo->at[0];
        by = step->at[0];
        known = xg_kest_is_sure(hi);
    }
    if (known)
        for (trips = 0, l = 0; l < XG_WARP_LANES; l++)
            if (e->mask >> l & 1 && step->at[l] > 0)
                trips = XG_MAX(trips, (hi->at[l] - lo->at[l] + step->at[l] - 1) / step->at[l]);
    stays = (op->b || xg_kest_is_sure(hi)) && xg_kest_is_sure(step)
                ? xg_kest_stays(e, op, op->b ? op->b : hi->at[0], step->at[0], &weight)
                : 0;
    known = known && !stays && (!op->a || op->a == trips);
    if (stays) trips = stays;
    if (op->a) trips = op->a; /* the emitter's annotation: a rounds, or a / b on average */
    if (op->a && op->b && !stays) of = op->b;
    xg_kest_pass(e, r->args + 1, r->n_args - 1, op, 3);
    xg_kest_pass(e, op->results, op->n_results, op, 3);
    if (trips <= 0) return;
    if (lo->known) *xg_kest_of(e, &r->args[0]) = *lo;
    e->loop = op;
    (void)xg_kest_round(e, r, 1);
    e->loop = outer;
    xg_kest_pass(e, op->results, op->n_results, r->last, 0);
    if ((rest = trips - of) <= 0) return;
    xg_kest_pass(e, r->args + 1, r->n_args - 1, r->last, 0);
    xg_kest_splat(xg_kest_of(e, &r->args[0]), first + (stays ? 1 : trips / of / 2) * by);
    all.counter = &r->args[0];
    all.number = known ? all.counter : NULL;
    all.last = XG_KOPERAND(op, 1);
    all.some = rest;
    all.of = of;
    all.n = XG_MAX(rest / of, (int64_t)1);
    all.second = first + by;
    all.by = by;
    all.under = NULL;
    stays = e->weight;
    around = e->middle;
    e->weight = XG_MAX(xg_cost_scale(weight, rest, of * all.n), (int64_t)1);
    e->middle = all;
    units = XG_MAX(e->products.done, e->clock); /* rounds that were not walked have moved only the clock */
    groups = e->copies.n;
    e->copies.but = -1;
    e->loop = op;
    took = xg_kest_round(e, r, all.n);
    e->loop = outer;
    e->clock -= took;
    took = xg_kest_pipeline(&e->copies, groups, took, all.n);
    units = e->products.done - units;
    e->middle = around;
    e->weight = stays;
    e->clock = xg_cost_add(e->clock, xg_cost_scale(took, rest, of));
    if (units > 0 && e->m->entry->pairs) units = XG_MAX(units, took);
    if (units > took || e->m->entry->pairs) { /* no round waits for the matrix units, which lag behind */
        e->products.done = xg_cost_add(e->products.done, xg_cost_scale(units, rest - of, of));
        e->unit = XG_MAX(e->unit, e->products.done - XG_KEST_UNIT_CLOCKS);
    }
    xg_kest_pass(e, op->results, op->n_results, r->last, 0);
    for (l = 0; l < op->n_results; l++) xg_kest_of(e, &op->results[l])->ready = e->clock;
}
XG_APART XG_FN void xg_kest_while(xg_kest *e, const xg_kop *op) {
    int64_t took;
    xg_kest_pass(e, op->regions[0]->args, op->regions[0]->n_args, op, 0);
    if (op->a) { /* annotated as seldom repeated */
        xg_kest_region(e, op->regions[0]);
        xg_kest_settle(e);
        xg_kest_pass(e, op->results, op->n_results, op->regions[0]->last, 1);
        return;
    }
    took = xg_kest_round(e, op->regions[0], XG_KEST_UNKNOWN_TRIPS);
    if (op->regions[0]->last) xg_kest_pass(e, op->regions[1]->args, op->regions[1]->n_args, op->regions[0]->last, 1);
    took += xg_kest_round(e, op->regions[1], XG_KEST_UNKNOWN_TRIPS);
    e->clock += took * (XG_KEST_UNKNOWN_TRIPS - 1);
}
/* Recomputes what depends on a number, or (NULL) on the thread's number; false: this value does not. */
XG_FN bool xg_kest_again_in(xg_kest *e, const xg_kval *v, const xg_kval *number, uint32_t depth) {
    xg_kop *op = v->def;
    bool thread = op && !number && op->op == XG_K_OP_THREAD_ID, again = v == number || thread;
    uint32_t k;
    if (v == number || !op || !depth || op->n_results != 1 || op->n_regions) return again;
    for (k = 0; k < op->n_operands; k++) again |= xg_kest_again_in(e, op->operands[k].value, number, depth - 1);
    if (again && op->op != XG_K_OP_LOAD) xg_kest_compute(e, op);
    return again;
}
enum {
    XG_KEST_DEPTH = 12 /* operations from a number to its condition */,
    XG_KEST_SHORT = 8 /* instructions that no branch goes around */
};
XG_FN bool xg_kest_again(xg_kest *e, const xg_kval *v) {
    return xg_kest_again_in(e, v, e->middle.number, XG_KEST_DEPTH);
}
/* How many of the represented warps have lanes for which the condition holds: not all, if it tests the thread's number
 * (of a warp group's first thread, say). */
XG_APART XG_FN int64_t xg_kest_warps(xg_kest *e, const xg_kval *c) {
    int64_t own = e->thread[0], n = 0, k;
    uint32_t l, any;
    if (e->stands == 1 || !xg_kest_again_in(e, c, NULL, XG_KEST_DEPTH)) return e->stands;
    for (k = 1; k <= e->stands; k++, n += any) {
        e->thread[0] = k * XG_WARP_LANES;
        (void)xg_kest_again_in(e, c, NULL, XG_KEST_DEPTH);
        for (any = l = 0; l < XG_WARP_LANES; l++) any |= xg_kest_of(e, c)->at[l] != 0;
    }
    e->thread[0] = own;
    (void)xg_kest_again_in(e, c, NULL, XG_KEST_DEPTH);
    return XG_MAX(n, (int64_t)1);
}
/* The lanes for which a condition holds in round k of the innermost loop. */
XG_FN uint32_t xg_kest_lanes(xg_kest *e, const xg_kval *c, int64_t k) {
    uint32_t lanes = 0, l;
    xg_kest_splat(xg_kest_of(e, e->middle.number), e->middle.second + k * e->middle.by);
    (void)xg_kest_again(e, c);
    for (l = 0; l < XG_WARP_LANES; l++) lanes |= (uint32_t)(xg_kest_of(e, c)->at[l] != 0) << l;
    return lanes & e->mask;
}
/* How often the code under a condition runs. A condition on a loop's round (prefetch while there is a next step, say)
 * holds in some of the rounds that the middle one represents, or of those in which the surrounding code runs. *yes: the
 * lanes for which it holds. */
XG_FN int64_t xg_kest_held(xg_kest *e, const xg_kval *c, uint32_t *yes) {
    enum {
        MOST = 64 /* rounds that are tested */
    };
    const xg_kop *op = c->def;
    const xg_kest_rounds *r = &e->middle;
    const xg_kest_under *u;
    xg_kest_value now;
    const xg_kval *x;
    int64_t held = 0, all = 0, on = 0, k, n = XG_MIN(r->n, (int64_t)MOST);
    uint32_t any = 0, lanes;
    if (!r->n || !xg_kest_is_sure(xg_kest_of(e, c)) || !op) return e->times;
    x = op->n_operands ? op->operands[0].value : NULL;
    if (x && xg_kval_by(x, XG_K_OP_ADDI) && xg_kval_is_const(XG_KOPERAND(x->def, 1), &on)) x = XG_KOPERAND(x->def, 0);
    if (op->op == XG_K_OP_CMPI && op->flags == XG_CI_SLT && x == r->counter && !r->number && r->by > 0 && on >= 0 &&
        XG_KOPERAND(op, 1) == r->last && r->some > on / r->by * r->of) {
        *yes = e->mask;
        return xg_cost_scale(e->times, r->some - on / r->by * r->of, r->some);
    }
    if (!r->number) return e->times;
    if (op->op == XG_K_OP_CMPI && op->flags == XG_CI_SLT && x == r->number) {
        held = (xg_kest_in(e, op, 1)->at[0] - on - r->second + r->by - 1) / r->by;
        if (held > 0) *yes = e->mask; /* though perhaps not in the middle round */
        return held > 0 && held < r->n ? xg_cost_scale(e->times, held, r->n) : e->times;
    }
    if (!xg_kest_again(e, c)) return e->times;
    now = *xg_kest_of(e, r->number);
    for (k = 0; k < n; k++) {
        for (u = r->under; u && xg_kest_lanes(e, u->condition, k * r->n / n); u = u->outer) {}
        if (u) continue;
        lanes = xg_kest_lanes(e, c, k * r->n / n);
        any |= lanes;
        held += lanes != 0;
        all++;
    }
    *xg_kest_of(e, r->number) = now;
    for (u = r->under; u; u = u->outer) (void)xg_kest_again(e, u->condition);
    (void)xg_kest_again(e, c);
    if (!(*yes & e->mask)) *yes = any;
    return held > 0 && held < all ? xg_cost_scale(e->times, held, all) : e->times;
}
/* True if the assembler predicates the branch's instructions instead of branching (the load of an element that may be
 * padding, say): then the branch does not delay what follows. */
XG_FN bool xg_kest_is_short(const xg_kest *e, const xg_kop *op, const xg_kest_value *condition) {
    int64_t n = condition->ready < e->clock + e->d->l1_latency ? 0 : XG_KEST_SHORT + 1;
    uint32_t k;
    for (k = 0; k < op->n_regions && n <= XG_KEST_SHORT; k++) {
        const xg_kop *o;
        for (o = op->regions[k]->first; o; o = o->next)
            n += o->op == XG_K_OP_YIELD                                     ? 0
                 : (xg_kop_flags(o->op) & KF_PURE) || o->op == XG_K_OP_LOAD ? xg_kest_price_of(o).weight
                                                                            : XG_KEST_SHORT + 1;
    }
    return n <= XG_KEST_SHORT && !op->a && !op->b;
}
XG_APART XG_FN void xg_kest_if(xg_kest *e, const xg_kop *op) {
    const xg_kest_value *c = xg_kest_in(e, op, 0);
    bool sure = xg_kest_is_sure(c), is_short = xg_kest_is_short(e, op, c);
    uint32_t all = e->mask, yes = sure ? 0 : all, l, k;
    int64_t times = e->times, stands = e->stands, weight = e->weight, base, begun;
    xg_kest_under own;
    if (!is_short) xg_kest_settle(e);
    base = op->b ? XG_MAX(weight / op->b, (int64_t)1) : weight;
    begun = e->clock;
    if (op->a == 1) { /* annotated: 1: seldom; else: once in so many times */
        xg_kest_pass(e, op->results, op->n_results, op->regions[1]->last, 0);
        return;
    }
    for (l = 0; l < XG_WARP_LANES && sure; l++) yes |= (uint32_t)(c->at[l] != 0) << l;
    if (op->n_regions < 2 || op->regions[1]->first == op->regions[1]->last)
        e->times = xg_kest_held(e, op->operands[0].value, &yes);
    if (op->a) e->times = times / op->a;
    own.condition = op->operands[0].value;
    own.outer = e->middle.under;
    if (e->times != times) e->middle.under = &own;
    for (k = 0; k < 2 && k < op->n_regions; k++) {
        const xg_kregion *r = op->regions[k];
        e->mask = all & (k ? ~yes : yes);
        if (!e->mask || !r->first) continue;
        if (!(e->mask & (e->mask - 1)) && sure && !k) e->stands = xg_kest_warps(e, op->operands[0].value);
        e->weight = base / stands * e->stands;
        xg_kest_region(e, r);
        if (!is_short) xg_kest_settle(e);
        if (!k || !is_short || !yes) xg_kest_pass(e, op->results, op->n_results, r->last, 0);
        e->stands = stands;
    }
    e->mask = all;
    e->weight = weight;
    if (op->b) { /* runs after all other blocks */
        e->tail += e->clock - begun;
        e->latest = e->clock = begun;
    }
    if (e->times != times) e->clock = begun + xg_cost_scale(e->clock - begun, e->times, times); /* on average */
    for (l = 0; op->a && l < op->n_results; l++) xg_kest_of(e, &op->results[l])->ready = e->clock;
    if (op->a) e->latest = e->clock;
    e->times = times;
    e->middle.under = own.outer;
}
/* A warp's mma, which waits for its scheduler's matrix unit; gives the clock at which the result is ready. */
XG_FN int64_t xg_kest_multiply(xg_kest *e, const xg_kop *op, int64_t begin) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags);
    int64_t macs = (int64_t)XG_KMMA_M * XG_KMMA_N * (XG_KMMA_K_BYTES / row->bytes), clocks,
            *sum = &e->c->warp_macs[row->tensor];
    *sum = xg_cost_add_mul(*sum, macs, e->times * e->weight);
    clocks = xg_cost_scale(macs * XG_KEST_WARPS, 1000, XG_MAX(e->d->mma_permille, (int64_t)1));
    clocks /= xg_cost_tensor_rate(e->d, row->tensor);
    e->clock = XG_MAX(begin, e->unit);
    e->unit = e->clock + clocks;
    e->tensor = xg_cost_add_mul(e->tensor, clocks, e->times);
    return XG_MAX(e->clock + XG_KEST_MMA_CLOCKS, e->unit + XG_KEST_UNIT_CLOCKS);
}
/* Passes through shared memory that the units make, not the threads. */
XG_FN void xg_kest_unit_passes(xg_kest *e, int64_t n) {
    e->c->shared_passes = xg_cost_add(e->c->shared_passes, n);
    e->c->unit_passes = xg_cost_add(e->c->unit_passes, n);
}
/* A warp's part of a wgmma: 16 of the rows. It begins when the previous one is done, and accounts for a quarter of the
 * group's reads of shared memory. */
XG_FN void xg_kest_group_multiply(xg_kest *e, const xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    int64_t columns = (int64_t)op->n_results * XG_KMMA_N, *sum = &e->c->macs[row->tensor], n = e->times * e->weight;
    int64_t macs = XG_KMMA_M * columns * (XG_KMMA_K_BYTES / row->bytes), clocks, lines;
    int64_t rows = op->operands[0].value->type->kind == XG_TK_VECTOR ? 0 : XG_KWGMMA_M; /* 0: from registers */
    clocks = macs * XG_KEST_WARPS / xg_cost_tensor_rate(e->d, row->tensor);
    lines = (columns + rows) * XG_KMMA_K_BYTES / XG_KWGMMA_LINE_BYTES / XG_KEST_WARPS;
    *sum = xg_cost_add_mul(*sum, macs, n);
    xg_kest_unit_passes(e, xg_cost_mul(lines, n));
    e->unit = XG_MAX(e->unit, e->clock) + clocks;
    e->tensor = xg_cost_add_mul(e->tensor, clocks, e->times);
    e->products.done = e->unit + XG_KEST_UNIT_CLOCKS;
}
/* A copy by a tensor map: the box's sectors, and the passes through shared memory of all blocks that receive it, or of
 * the one that stores it. */
XG_APART XG_FN void xg_kest_tensor_copy(xg_kest *e, const xg_kop *op) {
    const xg_kmap *m = &e->m->entry->maps[op->b];
    bool store = op->op == XG_K_OP_TENSOR_STORE;
    int64_t bytes = m->bytes, n = e->times * e->weight, sectors, blocks = 0, bits;
    int64_t *touched = &e->touched[m->arg + (store ? e->n_args : 0)];
    uint32_t k;
    for (k = 0; k < m->rank; k++) bytes *= m->box[k];
    for (bits = op->a; bits; bits &= bits - 1) blocks++;
    blocks = XG_MAX(blocks, (int64_t)1);
    *touched = xg_cost_add_mul(*touched, bytes, n);
    if (store) e->stores_to = m->arg + 1;
    sectors = xg_cost_mul(bytes / XG_SECTOR_BYTES, n);
    e->c->l2_sectors = xg_cost_add(e->c->l2_sectors, sectors);
    e->c->bulk_sectors = xg_cost_add(e->c->bulk_sectors, sectors);
    e->c->multicast_sectors = xg_cost_add_mul(e->c->multicast_sectors, sectors, blocks - 1);
    xg_kest_unit_passes(e, xg_cost_mul(bytes / XG_KWGMMA_LINE_BYTES * blocks, n));
}
/* Tensor stores write only the part of a box that lies in the array. */
XG_FN void xg_kest_clip(xg_kest *e, const xg_karg *to) {
    int64_t more = (e->touched[e->n_args + e->stores_to - 1] - to->bytes) / XG_SECTOR_BYTES;
    if (more <= 0) return;
    e->c->l2_sectors -= more;
    e->c->bulk_sectors -= more;
}
/* A multiplication in tensor memory, of all rows at once, by the multiprocessor's four units. The issuing warp works
 * for the others and represents only itself. */
XG_FN void xg_kest_tensor_multiply(xg_kest *e, const xg_kop *op) {
    const xg_kmma_row *row = xg_kmma_row_of(op->flags & XG_KWGMMA_TYPES);
    int64_t macs = (int64_t)XG_KTENSOR_M * op->b * (XG_KMMA_K_BYTES / row->bytes), *sum = &e->c->macs[row->tensor];
    int64_t clocks = macs / xg_cost_tensor_rate(e->d, row->tensor), n = e->times * (e->weight / e->stands);
    int64_t rows = op->operands[1].value->type->elem == XG_E_I32 ? 0 : XG_KTENSOR_M; /* 0: from tensor memory */
    int64_t columns = op->b / (e->m->entry->pairs ? 2 : 1); /* the pair's other block has the other half */
    int64_t lines = (rows + columns) * XG_KMMA_K_BYTES / XG_KWGMMA_LINE_BYTES;
    *sum = xg_cost_add_mul(*sum, macs, n);
    xg_kest_unit_passes(e, xg_cost_mul(lines, n));
    e->unit = XG_MAX(e->unit, e->clock) + XG_MAX(clocks, lines);
    e->batch += XG_MAX(clocks, lines);
    e->tensor = xg_cost_add_mul(e->tensor, clocks, e->times);
    e->products.done = e->unit + XG_KEST_UNIT_CLOCKS;
}
/* Waits for a copy. The buffers (two barriers each) overlap the latency of memory, except for the one that is being
 * read; the first wait takes the whole latency. */
XG_FN void xg_kest_await_copies(xg_kest *e) {
    int64_t buffers = XG_MAX(e->mbarriers / 2 - 1, (int64_t)1), way = e->d->memory_latency;
    if (!e->mbarriers || !e->m->entry->n_maps || e->thread[0] == e->c->threads - (int64_t)e->m->entry->producers)
        return;
    e->clock = XG_MAX(e->clock, e->awaited_copy + (e->awaited_copy ? way / buffers : way)) + XG_KEST_MBARRIER_CLOCKS;
    e->awaited_copy = e->clock;
}
XG_FN uint32_t xg_kest_barrier(xg_kest *e, const xg_kop *op) {
    return (uint32_t)((uint64_t)xg_kest_in(e, op, 0)->at[0] / 8 % XG_KEST_TOLD);
}
/* The number of the current walk: the last loop that was entered. */
XG_ONE_COPY XG_FN uint32_t xg_kest_walk(xg_kest *e) {
    if (e->loop && e->loop != e->walking) {
        e->walk = XG_MIN(e->walk + 1, (uint32_t)XG_KEST_WALKS - 1);
        e->walking = e->loop;
    }
    return e->walk;
}
/* Waits for products that another warp issues after this one's signal. */
XG_FN void xg_kest_await_products(xg_kest *e, uint32_t barrier) {
    uint32_t walk = xg_kest_walk(e), behind = e->behind[walk][barrier];
    int64_t told = behind ? e->told[behind - 1] : 0;
    if (!told) xg_kest_await_copies(e);
    if (!told || told != e->counted[barrier])
        e->unit = XG_MAX(e->unit, told ? told + e->later[walk][barrier] : e->clock) + e->work[walk][barrier];
    e->counted[barrier] = told;
    e->clock = XG_MAX(e->clock, e->unit + XG_KEST_UNIT_CLOCKS) + XG_KEST_MBARRIER_CLOCKS;
}
XG_FN void xg_kest_await_barrier(xg_kest *e, uint32_t barrier) {
    uint32_t behind = e->m->entry->pairs ? e->behind[0][barrier] : 0;
    if (e->told[barrier])
        e->clock = XG_MAX(e->clock, e->told[barrier]) + XG_KEST_MBARRIER_CLOCKS;
    else if (behind && e->told[behind - 1]) /* another warp answers this one's signal */
        e->clock = XG_MAX(e->clock, e->told[behind - 1] + e->later[0][barrier]) + XG_KEST_MBARRIER_CLOCKS;
    else if (e->work[1][barrier])
        xg_kest_await_products(e, barrier);
    else
        xg_kest_await_copies(e);
    if ((barrier + 1 - e->first) % XG_KEST_TOLD < e->m->entry->brought) return;
    e->batch = 0;
    e->awaited_barrier = barrier;
    e->awaited_at = e->clock;
    e->awaited_issued = e->c->issued;
}
/* Signals a barrier. Warps with the same work share schedulers, so the time since the wait includes theirs. */
XG_FN void xg_kest_arrive(xg_kest *e, uint32_t barrier) {
    int64_t issued;
    e->told[barrier] = e->clock;
    e->behind[0][barrier] = e->awaited_barrier + 1;
    issued = (e->c->issued - e->awaited_issued) / XG_MAX(xg_cost_mul(e->weight, e->times), (int64_t)1);
    issued = issued * (e->c->threads - e->m->entry->producers) / XG_WARP_LANES / XG_KEST_WARPS;
    e->later[0][barrier] = XG_MAX(e->clock - e->awaited_at, issued);
}
XG_FN void xg_kest_tensor_commit(xg_kest *e, uint32_t barrier) {
    uint32_t walk;
    e->told[barrier] = e->products.done;
    if (!e->m->entry->askers) return;
    walk = xg_kest_walk(e);
    if (!e->loop && e->work[walk][barrier]) return; /* these belong to the next walk */
    e->behind[walk][barrier] = e->awaited_barrier + 1;
    e->later[walk][barrier] = e->clock - e->awaited_at + XG_KEST_MBARRIER_CLOCKS;
    e->work[walk][barrier] = e->batch;
}
/* Copies and multiplications run asynchronously, from their issue until the warp waits for them. */
XG_APART XG_FN void xg_kest_beside(xg_kest *e, const xg_kop *op, int64_t memory) {
    switch (op->op) {
    case XG_K_OP_ASYNC_COPY: e->copies.done = XG_MAX(e->copies.done, e->clock + memory); break;
    case XG_K_OP_ASYNC_COMMIT: xg_kest_commit(&e->copies); break;
    case XG_K_OP_ASYNC_WAIT: e->clock = XG_MAX(e->clock, e->copies.done); break;
    case XG_K_OP_ASYNC_WAIT_GROUP: e->clock = xg_kest_await(&e->copies, op->b, e->clock); break;
    case XG_K_OP_MBARRIER_INIT: e->mbarriers++; break;
    case XG_K_OP_MBARRIER_WAIT: xg_kest_await_barrier(e, xg_kest_barrier(e, op)); break;
    case XG_K_OP_MBARRIER_ARRIVE: xg_kest_arrive(e, xg_kest_barrier(e, op)); break;
    case XG_K_OP_TENSOR_COMMIT: xg_kest_tensor_commit(e, xg_kest_barrier(e, op)); break;
    case XG_K_OP_MBARRIER_EXPECT: e->first = e->first ? e->first : xg_kest_barrier(e, op) + 1; break;
    case XG_K_OP_TENSOR_COPY:
    case XG_K_OP_TENSOR_STORE: xg_kest_tensor_copy(e, op); break;
    case XG_K_OP_WGMMA: xg_kest_group_multiply(e, op); break;
    case XG_K_OP_TENSOR_MMA: xg_kest_tensor_multiply(e, op); break;
    case XG_K_OP_TENSOR_READ: e->clock += xg_kop_reads_on(op) ? 0 : XG_KEST_WARP_CLOCKS; break;
    case XG_K_OP_WGMMA_COMMIT: xg_kest_commit(&e->products); break;
    case XG_K_OP_WGMMA_WAIT: e->clock = xg_kest_await(&e->products, op->b, e->clock); break;
    default: break;
    }
}
/* Operations that the assembler does not move. */
XG_FN bool xg_kest_is_fixed(const xg_kop *op) {
    return (xg_kop_flags(op->op) & KF_CONV) || op->op == XG_K_OP_ASYNC_COPY ||
           (op->op >= XG_K_OP_RED_ADDI && op->op <= XG_K_OP_ATOM_CAS);
}
/* A load waits for free registers, and for earlier stores that may write what it reads. */
XG_FN int64_t xg_kest_load_begins(const xg_kest *e, const xg_kop *op, int64_t begin) {
    if (!(op->flags & KM_INVARIANT)) begin = XG_MAX(begin, e->stored);
    return e->n_flight < e->most_flight ? begin : XG_MAX(begin, e->flight[e->n_flight % e->most_flight]);
}
XG_FN void xg_kest_flies(xg_kest *e, const xg_kop *op, int64_t ready) {
    int64_t n = xg_kest_bytes(op->results[0].type) / XG_KEST_REGISTER;
    do e->flight[e->n_flight++ % e->most_flight] = ready;
    while (--n > 0);
}
/* Operations that wait for the same clock begin one after the other. */
XG_FN int64_t xg_kest_in_turn(xg_kest *e, int64_t at, int64_t weight) {
    if (at != e->awaited) e->turns = 0;
    e->awaited = at;
    e->turns += weight;
    return at + e->turns;
}
/* When the operation begins; the warp's own clock is its slot to issue. */
XG_FN int64_t xg_kest_begin(xg_kest *e, const xg_kop *op, int64_t weight) {
    int64_t begin;
    uint32_t k;
    if (xg_kest_is_fixed(op)) xg_kest_settle(e);
    begin = e->clock;
    for (k = 0; k < op->n_operands; k++) begin = XG_MAX(begin, xg_kest_in(e, op, k)->ready);
    if (op->op == XG_K_OP_LOAD) begin = xg_kest_load_begins(e, op, begin);
    begin = begin > e->clock ? xg_kest_in_turn(e, begin, weight) : begin + weight;
    e->clock += weight;
    if (op->op == XG_K_OP_STORE) e->stored = XG_MAX(e->stored, begin);
    if (xg_kest_is_fixed(op)) e->clock = begin;
    if (weight) e->latest = XG_MAX(e->latest, begin); /* an operation without instructions delays nothing */
    return begin;
}
/* Counts instructions of a pipe, and the clocks that they occupy the warp's quarter of it. */
XG_FN void xg_kest_pipe(xg_kest *e, xg_cost_pipe pipe, int64_t weight) {
    if (pipe == XG_PIPE_COUNT || !weight) return;
    e->c->pipes[pipe] = xg_cost_add_mul(e->c->pipes[pipe], weight, e->times * e->weight);
    if (!e->since) e->since = e->clock + 1;
    e->piped[pipe] += xg_cost_scale(weight, XG_WARP_LANES * (int64_t)XG_KEST_WARPS, xg_cost_rate(e->d, pipe));
}
XG_APART XG_FN void xg_kest_plain(xg_kest *e, const xg_kop *op) {
    xg_kest_price p = xg_kest_price_of(op);
    int64_t n = e->times * e->weight, memory, begin = xg_kest_begin(e, op, p.weight), ready;
    uint32_t k;
    e->c->issued = xg_cost_add_mul(e->c->issued, p.weight, n);
    xg_kest_pipe(e, p.pipe, p.weight << (op->op == XG_K_OP_FMAF2)); /* counts as two */
    if (p.latency == XG_KEST_WARP_CLOCKS) e->c->shared_passes = xg_cost_add(e->c->shared_passes, n);
    memory = xg_kest_memory(e, op);
    ready = begin + (memory ? memory : p.latency);
    if (op->op == XG_K_OP_ATOM_INC) { /* the last block waits for its stores and for the counter */
        e->tail += 2 * e->d->l2_latency;
        ready = begin;
    }
    if (op->op == XG_K_OP_MMA) ready = xg_kest_multiply(e, op, begin);
    if (op->op == XG_K_OP_BARRIER) {
        e->clock += p.latency;
        if (!e->thread[0]) e->c->barriers += e->times;
    }
    xg_kest_beside(e, op, memory);
    for (k = 0; k < op->n_results; k++) {
        if (k == 0) xg_kest_compute(e, op);
        xg_kest_of(e, &op->results[k])->ready = ready;
    }
    if (op->op == XG_K_OP_LOAD) xg_kest_flies(e, op, begin + memory);
}
XG_FN void xg_kest_region(xg_kest *e, const xg_kregion *r) {
    const xg_kop *op;
    for (op = r->first; op; op = op->next) {
        if (op->op == XG_K_OP_FOR)
            xg_kest_for(e, op);
        else if (op->op == XG_K_OP_IF)
            xg_kest_if(e, op);
        else if (op->op == XG_K_OP_WHILE)
            xg_kest_while(e, op);
        else
            xg_kest_plain(e, op);
    }
}

/* ---- a kernel ---- */

/* Small arrays that all blocks read stay in the first cache, which outlives a block: each multiprocessor loads them
 * from the second cache once. */
XG_FN void xg_kest_share_l1(const xg_kest *e, const xg_karg *args) {
    int64_t room = e->d->l1_bytes / 2 - e->c->shared_bytes, copies = XG_MIN(e->c->blocks, e->d->sm_count);
    uint32_t k;
    for (k = 0; k < e->n_args && args; k++) {
        int64_t most = xg_cost_mul(args[k].bytes, copies);
        if (args[k].bytes > room || e->touched[k] <= most) continue;
        room -= args[k].bytes;
        e->c->l2_sectors -= (e->touched[k] - most) / XG_SECTOR_BYTES;
    }
}

XG_FN void xg_kest_warp(xg_kest *e, int64_t first_thread, int64_t weight, uint32_t threads) {
    const xg_kfunc *f = e->m->entry;
    int64_t issued = e->c->issued, blocks = e->c->blocks;
    uint32_t k;
    memset(e->values, 0, (size_t)e->m->n_ids * sizeof *e->values);
    memset(e->seen, 0, XG_KEST_SEEN * sizeof *e->seen);
    e->thread[0] = first_thread;
    e->mask = threads - first_thread >= XG_WARP_LANES ? 0xFFFFFFFFu : (1u << (threads - first_thread)) - 1;
    e->awaited_barrier = e->walk = 0;
    e->walking = NULL;
    memset(e->counted, 0, sizeof e->counted);
    e->clock = e->tail = e->unit = e->tensor = e->latest = e->stored = e->awaited = e->awaited_copy = 0;
    e->since = e->n_flight = 0;
    memset(e->piped, 0, sizeof e->piped);
    memset(&e->copies, 0, sizeof e->copies);
    memset(&e->products, 0, sizeof e->products);
    memset(e->told, 0, sizeof e->told);
    e->times = 1;
    e->stands = weight;
    e->weight = xg_cost_mul(weight, blocks);
    for (k = 0; k < f->body->n_args; k++) {
        xg_kest_value *v = xg_kest_of(e, &f->body->args[k]);
        xg_kest_splat(v, 0);
        v->arg = (int32_t)k;
    }
    xg_kest_region(e, f->body);
    xg_kest_settle(e);
    e->clock = XG_MAX(e->clock, e->products.done); /* other warps wait for the products that it issued */
    e->c->warp_clocks = XG_MAX(e->c->warp_clocks, e->clock);
    e->c->tail_clocks = XG_MAX(e->c->tail_clocks, e->tail);
    e->c->warp_tensor = XG_MAX(e->c->warp_tensor, e->tensor);
    e->c->warp_issued = XG_MAX(e->c->warp_issued, (e->c->issued - issued) / XG_MAX(e->weight, (int64_t)1));
}
/* How many registers may be the targets of loads in flight: a part of a thread's. */
XG_FN uint32_t xg_kest_most_flight(const xg_device *d, uint32_t threads) {
    int64_t own = XG_MIN(d->registers_per_sm / XG_MAX((int64_t)threads, (int64_t)1), d->registers_per_thread);
    return (uint32_t)XG_MAX(XG_MIN(own / XG_KEST_FLIGHT_SHARE, (int64_t)XG_KEST_FLIGHT), (int64_t)1);
}
XG_APART XG_FN void xg_kir_estimate(const xg_kmodule *m, const xg_device *d, xg_arena *a, xg_cost_counts *c) {
    const xg_kfunc *f = m->entry;
    xg_mark mark = xg_arena_mark(a);
    uint32_t threads = f->threads[0] * f->threads[1] * f->threads[2],
             warps = (threads - f->producers + XG_WARP_LANES - 1) / XG_WARP_LANES, k;
    xg_kest e;
    memset(&e, 0, sizeof e);
    memset(c, 0, sizeof *c);
    e.m = m;
    e.d = d;
    e.a = a;
    e.c = c;
    e.n_args = f->body->n_args;
    e.most_flight = xg_kest_most_flight(d, threads);
    e.values = XG_NEW_N(a, xg_kest_value *, (size_t)m->n_ids + 1);
    e.seen = XG_NEW_N(a, uint64_t, XG_KEST_SEEN);
    e.touched = XG_NEW_N(a, int64_t, 2 * (size_t)e.n_args + 1);
    for (k = 0; k < 3; k++) e.block[k] = f->blocks[k] / 2;
    if (f->pairs) e.block[0] -= e.block[0] % f->cluster; /* the block of a pair that issues the products */
    c->blocks = (int64_t)f->blocks[0] * f->blocks[1] * f->blocks[2] - f->idle;
    c->longest = f->longest;
    c->threads = threads;
    c->shared_bytes = m->shared_bytes;
    if (f->resident) /* the bound that the launch sets; a thread never has more than registers_per_thread */
        c->registers = xg_cost_registers(d, f->resident, (int64_t)threads);
    if (f->askers) xg_kest_warp(&e, threads - f->producers, 1, threads);
    for (k = 1; k <= f->askers; k++) xg_kest_warp(&e, threads - f->producers + k * XG_WARP_LANES, 1, threads);
    xg_kest_warp(&e, 0, 1, threads);
    if (warps > 1) xg_kest_warp(&e, (int64_t)(warps / 2) * XG_WARP_LANES, warps - 1, threads);
    if (f->producers && !f->askers) xg_kest_warp(&e, threads - f->producers, 1, threads);
    if (f->producers == 2 * XG_WARP_LANES) xg_kest_warp(&e, threads - XG_WARP_LANES, 1, threads);
    xg_kest_share_l1(&e, f->args);
    if (e.stores_to && f->args) xg_kest_clip(&e, &f->args[e.stores_to - 1]);
    for (k = 0; k < e.n_args && f->args; k++) {
        /* what the kernel has written itself is read from the second cache */
        if (k < f->n_inputs || f->args[k].bytes > d->l2_bytes) c->read_bytes += XG_MIN(e.touched[k], f->args[k].bytes);
        c->written_bytes += XG_MIN(e.touched[e.n_args + k], f->args[k].bytes);
    }
    xg_arena_reset(a, mark);
}

#endif /* XG_KIR_ESTIMATE_C */
