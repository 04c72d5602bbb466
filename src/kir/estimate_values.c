/* kir/estimate_values.c -- what the estimate of a kernel (estimate.c) knows of the two warps that it follows, and the
 * integers and pointers that they compute. */
#ifndef XG_KIR_ESTIMATE_VALUES_C
#define XG_KIR_ESTIMATE_VALUES_C
#include "kir.h"

enum {
    XG_KEST_SEEN = 1 << 10,   /* sectors that a warp remembers: its share of the first cache, 32 KiB */
    XG_KEST_GROUPS = 8,       /* of asynchronous copies, or multiplications, that are remembered */
    XG_KEST_UNIT_CLOCKS = 20, /* behind the last multiplication of a warp group: sim/trace.c */
    XG_KEST_WARPS = 4,        /* of a warp group, and quarters of a multiprocessor with matrix units of their own */
    XG_KEST_ALU_CLOCKS = 4,   /* latencies: see sim/trace.c */
    XG_KEST_SPECIAL_CLOCKS = 20,
    XG_KEST_WARP_CLOCKS = 24,
    XG_KEST_BARRIER_CLOCKS = 30,
    XG_KEST_MBARRIER_CLOCKS = 30, /* a try that succeeds reads shared memory */
    XG_KEST_ATOMIC_CLOCKS = 30,
    XG_KEST_MMA_CLOCKS = 33,
    XG_KEST_FLIGHT = 64,      /* registers that loads of straight code wait for at a time (SASS of ptxas 13: 65) */
    XG_KEST_FLIGHT_SHARE = 2, /* ... and at most this part of what a thread has */
    XG_KEST_REGISTER = 4,     /* bytes */
    XG_KEST_TOLD = 64,        /* barriers */
    XG_KEST_WALKS = 4,        /* of attention's gradients three at most; and what is in front of them */
    XG_KEST_MATRIX_ROW = 16,  /* bytes that a lane points at */
    XG_KEST_WIDE = 2,         /* instructions of 64-bit integers, in 32-bit ones */
    XG_KEST_DIVIDE = 18,
    XG_KEST_DIVIDE_WIDE = 70,
    XG_KEST_DIVIDE_FLOAT = 10,
    XG_KEST_APART = 4099,      /* numbers from one in memory to its neighbour */
    XG_KEST_UNKNOWN_TRIPS = 16 /* of a loop whose end depends on memory */
};

typedef struct xg_kest_value {
    bool known;
    bool guessed;  /* ... but for a number of memory's: no condition on it is */
    int32_t arg;   /* of a pointer: the kernel's argument, -1 shared memory */
    int64_t ready; /* clocks */
    int64_t at[XG_WARP_LANES];
} xg_kest_value;
/* What is on its way beside a warp, in groups. */
typedef struct xg_kest_queue {
    int64_t done;                   /* the clock at which all of it is done */
    int64_t but, waited;            /* at the last wait: groups that might be on their way, and its clock */
    int64_t groups[XG_KEST_GROUPS]; /* the same of the last groups that were committed */
    uint32_t n;
} xg_kest_queue;
/* Conditions under which code of a loop's round runs. */
typedef struct xg_kest_under {
    const xg_kval *condition;
    const struct xg_kest_under *outer;
} xg_kest_under;
/* What the middle round of the innermost loop stands for: rounds whose number goes from `second` on by `by`. */
typedef struct xg_kest_rounds {
    const xg_kval *number; /* NULL: they are not known */
    int64_t n, second, by;
    /* Those of a loop from its number on up to `last`, of which there are some / of on average. */
    const xg_kval *counter, *last;
    int64_t some, of;
    const xg_kest_under *under;
} xg_kest_rounds;
typedef struct xg_kest {
    int64_t clock, tail; /* tail: behind all that other blocks do */
    xg_cost_counts *c;
    int64_t times, weight; /* times: that the code here runs in a warp; weight: warps that this one stands for */
    int64_t unit, tensor;  /* the clock until which matrix units work for the warp; clocks that they did */
    uint32_t n_args, mask;
    const xg_kmodule *m;
    const xg_device *d;
    uint32_t stores_to;                  /* the argument that tensor stores write, and one */
    int64_t *touched;                    /* by argument: bytes of sectors that all warps ask for, read; then written */
    int64_t mbarriers, awaited_copy;     /* so many there are; when the last one was waited for */
    int64_t latest, stored;              /* of the straight code here: the last begin of an operation, and of a store */
    int64_t since, piped[XG_PIPE_COUNT]; /* 1 + when it began to use pipes; clocks of each that it takes */
    int64_t awaited, turns; /* when the value was ready that the last one waited for; slots that it gave out */
    uint32_t n_flight, most_flight;
    xg_kest_queue copies, products; /* cp.async; wgmma */
    xg_kest_rounds middle;
    int64_t stands;              /* warps that this one stands for, itself among them */
    int64_t block[3], thread[3]; /* thread: of lane 0, as one number in [0] */
    int64_t told[XG_KEST_TOLD];  /* by a barrier's address: when what the warp told it of is done */
    /* Of all warps so far, likewise: the barrier behind which one told it, and 1, and how many clocks later. */
    uint32_t behind[XG_KEST_WALKS][XG_KEST_TOLD];
    int64_t later[XG_KEST_WALKS][XG_KEST_TOLD], awaited_at, awaited_issued;
    /* Where a warp asks for the products of others: 1 + the first barrier; clocks of the products behind the last wait
     * for those, and of those that a barrier tells of; which arrival of the warp's own they were counted for. Each loop
     * that asks for some, and each one that waits for some, is a walk. */
    uint32_t first, walk;
    const xg_kop *loop, *walking;
    int64_t batch, work[XG_KEST_WALKS][XG_KEST_TOLD], counted[XG_KEST_TOLD];
    uint32_t awaited_barrier;       /* the last one, and when that was */
    int64_t flight[XG_KEST_FLIGHT]; /* when the last registers that loads set are ready, a ring */
    xg_kest_value **values;         /* by id */
    uint64_t *seen;
    xg_arena *a;
} xg_kest;

XG_FN xg_kest_value *xg_kest_of(xg_kest *e, const xg_kval *v) {
    xg_kest_value **x = &e->values[v->id];
    if (!*x) {
        *x = XG_NEW(e->a, xg_kest_value);
        (*x)->arg = -1;
    }
    return *x;
}
XG_FN const xg_kest_value *xg_kest_in(xg_kest *e, const xg_kop *op, uint32_t k) {
    return xg_kest_of(e, op->operands[k].value);
}
XG_FN bool xg_kest_is_sure(const xg_kest_value *v) { return v->known && !v->guessed; }
XG_FN void xg_kest_splat(xg_kest_value *v, int64_t x) {
    uint32_t l;
    v->known = true;
    v->guessed = false;
    for (l = 0; l < XG_WARP_LANES; l++) v->at[l] = x;
}
/* An integer of this type, sign-extended. */
XG_FN int64_t xg_kest_wrap(const xg_kval *v, int64_t x) {
    int bits = v->type->kind == XG_TK_SCALAR ? xg_kelem_bits(v->type->elem) : 64;
    if (bits == 1) return x & 1;
    if (bits <= 0 || bits >= 64) return x;
    return (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits);
}
XG_FN uint64_t xg_kest_unsigned(const xg_kval *v, int64_t x) {
    int bits = v->type->kind == XG_TK_SCALAR ? xg_kelem_bits(v->type->elem) : 64;
    return bits > 0 && bits < 64 ? (uint64_t)x & (((uint64_t)1 << bits) - 1) : (uint64_t)x;
}

/* ---- integers ---- */

XG_FN bool xg_kest_compare(uint32_t how, int64_t x, int64_t y, uint64_t ux, uint64_t uy) {
    switch (how) {
    case XG_CI_EQ: return x == y;
    case XG_CI_NE: return x != y;
    case XG_CI_SLT: return x < y;
    case XG_CI_SLE: return x <= y;
    case XG_CI_SGT: return x > y;
    case XG_CI_SGE: return x >= y;
    case XG_CI_ULT: return ux < uy;
    case XG_CI_ULE: return ux <= uy;
    case XG_CI_UGT: return ux > uy;
    default: return ux >= uy;
    }
}
/* One lane of an operation on two integers; false: it is none, or undefined. */
XG_FN bool xg_kest_lane(const xg_kop *op, int64_t x, int64_t y, int64_t *out) {
    const xg_kval *a = op->operands[0].value;
    uint64_t ux = xg_kest_unsigned(a, x), uy = xg_kest_unsigned(a, y);
    switch (op->op) {
    case XG_K_OP_ADDI: *out = (int64_t)((uint64_t)x + (uint64_t)y); return true;
    case XG_K_OP_SUBI: *out = (int64_t)((uint64_t)x - (uint64_t)y); return true;
    case XG_K_OP_MULI:
    case XG_K_OP_MULWIDES: *out = (int64_t)((uint64_t)x * (uint64_t)y); return true;
    case XG_K_OP_MULWIDEU: *out = (int64_t)(ux * uy); return true;
    case XG_K_OP_MULHUI: *out = (int64_t)(ux * uy >> 32); return xg_kelem_bits(a->type->elem) == 32;
    case XG_K_OP_MULHSI: *out = x * y >> 32; return xg_kelem_bits(a->type->elem) == 32;
    case XG_K_OP_DIVSI:
        if (!y || y == -1) return false;
        *out = x / y;
        return true;
    case XG_K_OP_REMSI:
        if (!y || y == -1) return false;
        *out = x % y;
        return true;
    case XG_K_OP_DIVUI:
        if (!uy) return false;
        *out = (int64_t)(ux / uy);
        return true;
    case XG_K_OP_REMUI:
        if (!uy) return false;
        *out = (int64_t)(ux % uy);
        return true;
    case XG_K_OP_ANDI: *out = x & y; return true;
    case XG_K_OP_ORI: *out = x | y; return true;
    case XG_K_OP_XORI: *out = x ^ y; return true;
    case XG_K_OP_SHLI: *out = (int64_t)(ux << (uy & 63)); return true;
    case XG_K_OP_SHRUI: *out = (int64_t)(ux >> (uy & 63)); return true;
    case XG_K_OP_SHRSI: *out = x >> (uy & 63); return true;
    case XG_K_OP_MAXSI: *out = XG_MAX(x, y); return true;
    case XG_K_OP_MINSI: *out = XG_MIN(x, y); return true;
    case XG_K_OP_MAXUI: *out = ux > uy ? x : y; return true;
    case XG_K_OP_MINUI: *out = ux < uy ? x : y; return true;
    case XG_K_OP_CMPI: *out = xg_kest_compare(op->flags, x, y, ux, uy); return true;
    default: return false;
    }
}
XG_FN void xg_kest_pair(xg_kest *e, const xg_kop *op, xg_kest_value *r) {
    const xg_kest_value *x = xg_kest_in(e, op, 0), *y = xg_kest_in(e, op, 1);
    uint32_t l;
    r->known = x->known && y->known;
    r->guessed = x->guessed || y->guessed;
    if (r->guessed && op->op == XG_K_OP_CMPI) r->known = false;
    if (r->known && r->guessed && op->op >= XG_K_OP_MAXSI && op->op <= XG_K_OP_MINUI) { /* within bounds, it is taken */
        memcpy(r->at, x->guessed ? x->at : y->at, sizeof r->at);
        return;
    }
    for (l = 0; l < XG_WARP_LANES && r->known; l++) {
        r->known = xg_kest_lane(op, x->at[l], y->at[l], &r->at[l]);
        r->at[l] = xg_kest_wrap(&op->results[0], r->at[l]);
    }
}
XG_FN void xg_kest_cast(xg_kest *e, const xg_kop *op, xg_kest_value *r) {
    const xg_kest_value *x = xg_kest_in(e, op, 0);
    uint32_t l;
    r->known = x->known;
    r->guessed = x->guessed;
    for (l = 0; l < XG_WARP_LANES && r->known; l++)
        r->at[l] = op->op == XG_K_OP_EXTUI ? (int64_t)xg_kest_unsigned(op->operands[0].value, x->at[l])
                                           : xg_kest_wrap(&op->results[0], x->at[l]);
}
XG_FN void xg_kest_thread(xg_kest *e, const xg_kop *op, xg_kest_value *r) {
    const uint32_t *n = e->m->entry->threads;
    uint32_t l;
    r->known = true;
    r->guessed = false;
    for (l = 0; l < XG_WARP_LANES; l++) {
        int64_t t = e->thread[0] + l;
        r->at[l] = op->flags == 0 ? t % n[0] : op->flags == 1 ? t / n[0] % n[1] : t / n[0] / n[1];
    }
}
/* A number that memory has. */
XG_FN void xg_kest_guess(xg_kest *e, const xg_kop *op, xg_kest_value *r) {
    const xg_kest_value *p = xg_kest_in(e, op, 0);
    const xg_ktype *t = op->results[0].type;
    uint32_t l;
    if (!p->known || !xg_kelem_is_int(t->elem) || xg_kelem_bits(t->elem) < 16) return;
    r->known = r->guessed = true;
    for (l = 0; l < XG_WARP_LANES; l++)
        r->at[l] = xg_kest_wrap(&op->results[0], p->at[l] / xg_kelem_bytes(t->elem) * XG_KEST_APART);
}
/* The operation's result, as far as it is an integer or a pointer. */
XG_FN void xg_kest_compute(xg_kest *e, const xg_kop *op) {
    xg_kest_value *r = xg_kest_of(e, &op->results[0]);
    uint32_t l;
    r->known = r->guessed = false;
    switch (op->op) {
    case XG_K_OP_LOAD: xg_kest_guess(e, op, r); return;
    case XG_K_OP_CONST:
        if (op->results[0].type->kind == XG_TK_SCALAR && xg_kelem_is_int(op->results[0].type->elem))
            xg_kest_splat(r, op->a);
        return;
    case XG_K_OP_THREAD_ID: xg_kest_thread(e, op, r); return;
    case XG_K_OP_BLOCK_ID: xg_kest_splat(r, e->block[op->flags % 3]); return;
    case XG_K_OP_SHARED_PTR:
        xg_kest_splat(r, 0);
        r->arg = -1;
        return;
    case XG_K_OP_VEXTRACT: /* numbers side by side in memory are guessed alike */
    case XG_K_OP_MAPA: *r = *xg_kest_in(e, op, 0); return;
    case XG_K_OP_PTR_ADD: {
        const xg_kest_value *p = xg_kest_in(e, op, 0), *i = xg_kest_in(e, op, 1);
        r->known = p->known && i->known;
        r->guessed = p->guessed || i->guessed;
        r->arg = p->arg;
        for (l = 0; l < XG_WARP_LANES && r->known; l++)
            r->at[l] =
                (int64_t)((uint64_t)p->at[l] + (uint64_t)i->at[l] * (uint64_t)(op->a ? op->a : 1) + (uint64_t)op->b);
        return;
    }
    case XG_K_OP_SELECT: {
        const xg_kest_value *c = xg_kest_in(e, op, 0), *x = xg_kest_in(e, op, 1), *y = xg_kest_in(e, op, 2);
        bool sure = xg_kest_is_sure(c);
        r->known = x->known && (y->known || !sure);
        r->guessed = !sure || x->guessed || y->guessed;
        r->arg = x->arg;
        for (l = 0; l < XG_WARP_LANES && r->known; l++) r->at[l] = !sure || c->at[l] ? x->at[l] : y->at[l];
        return;
    }
    case XG_K_OP_EXTSI:
    case XG_K_OP_EXTUI:
    case XG_K_OP_TRUNCI:
    case XG_K_OP_INDEX_CAST: xg_kest_cast(e, op, r); return;
    default:
        if (op->n_operands == 2) xg_kest_pair(e, op, r);
        return;
    }
}

#endif /* XG_KIR_ESTIMATE_VALUES_C */
