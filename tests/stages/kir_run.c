/* stage kir_run: args are passes, as of kir_pass. Interprets the entry function before and after each pass, over all
 * threads and blocks, on made-up inputs, and compares every byte of every buffer: a pass that changes what a kernel
 * does is named. Ends with a checksum of the results. All levels of kernel IR are understood. Memory accesses outside a
 * buffer or not aligned are errors; an indexing map outside its domain gives poison, -1e9. The threads of a block go in
 * step: each operation is done by all that are there before the next one. So barriers mean nothing, and a lane can be
 * asked for its value; asking one that is not there, or is not of the warp, gives poison. */
enum {
    KR_LANES = 32
};
typedef struct kr_val {
    int64_t i;
    double f, im;
    int buf;
    struct kr_val *lanes;
} kr_val; /* of a pointer: buffer and byte offset i */
typedef struct kr_buf {
    unsigned char *p;
    int64_t size;
} kr_buf;
typedef struct kr {
    xg_stage *io;
    const xg_kmodule *m;
    XG_VEC(kr_buf) bufs;
    kr_val **state;          /* by thread: values by id, behind them what a terminator gave */
    uint32_t n_threads, now; /* the thread whose turn it is */
    kr_val *vals, *given;    /* its own */
    uint32_t thread[3], block[3];
} kr;
enum {
    KR_GIVEN = 256
};
static void kr_turn(kr *r, uint32_t t) {
    const uint32_t *n = r->m->entry->threads;
    r->now = t;
    r->vals = r->state[t];
    r->given = r->vals + r->m->n_ids + 1;
    r->thread[0] = t % n[0];
    r->thread[1] = t / n[0] % n[1];
    r->thread[2] = t / n[0] / n[1];
}
/* For all threads of a mask. */
#define KR_EACH(r, mask) \
    for (uint32_t t_ = 0; t_ < (r)->n_threads; t_++) \
        if ((mask)[t_] && (kr_turn(r, t_), true))
static uint8_t *kr_mask(kr *r) { return (uint8_t *)xg_alloc(r->io->arena, r->n_threads + 1); }
XG_NORETURN static void kr_fail(kr *r, const xg_kop *op, const char *what) {
    xg_fail(r->io->ctx, XLAGPU_ERROR_INVALID, "interpreter: %s at %s (id %u), thread %u, block %u", what,
        op ? xg_kop_name(op->op) : "?", op ? op->id : 0, r->thread[0], r->block[0]);
}
static kr_val *kr_of(kr *r, const xg_kval *v) { return &r->vals[v->id]; }
static kr_val *kr_arg(kr *r, const xg_kop *op, uint32_t k) { return kr_of(r, op->operands[k].value); }
static double kr_round(xg_kelem e, double v) {
    return xg_float_decode(xg_kelem_format(e), xg_float_encode(xg_kelem_format(e), v));
}

/* A NaN that was loaded or made of bits keeps them in i. */
static uint64_t kr_bits(xg_kelem e, const kr_val *v) {
    uint64_t all = xg_kelem_bytes(e) >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * xg_kelem_bytes(e)) - 1;
    return xg_kelem_is_int(e) || (v->f != v->f && v->i) ? (uint64_t)v->i & all
                                                        : xg_float_encode(xg_kelem_format(e), v->f);
}

/* ---- memory ---- */
static void kr_access(kr *r, const xg_kop *op, int buf, int64_t at, int64_t bytes, int64_t align) {
    if (buf < 0 || buf >= (int)r->bufs.n || at < 0 || at + bytes > r->bufs.p[buf].size) kr_fail(r, op, "out of bounds");
    if (at % align) kr_fail(r, op, "misaligned");
}
static void kr_load(kr *r, xg_kelem e, int buf, int64_t at, kr_val *v) {
    const unsigned char *p = r->bufs.p[buf].p + at;
    uint64_t bits = 0;
    float f;
    memset(v, 0, sizeof *v);
    if (e == XG_E_C64) {
        memcpy(&f, p, 4);
        v->f = f;
        memcpy(&f, p + 4, 4);
        v->im = f;
        return;
    }
    if (e == XG_E_C128) {
        memcpy(&v->f, p, 8);
        memcpy(&v->im, p + 8, 8);
        return;
    }
    memcpy(&bits, p, (size_t)xg_kelem_bytes(e));
    if (xg_kelem_is_int(e))
        v->i = xg_kint_wrap(e, (int64_t)bits);
    else {
        v->f = xg_float_decode(xg_kelem_format(e), bits);
        v->i = (int64_t)bits;
    }
}
static void kr_store(kr *r, xg_kelem e, int buf, int64_t at, const kr_val *v) {
    unsigned char *p = r->bufs.p[buf].p + at;
    uint64_t bits;
    float f;
    if (e == XG_E_C64) {
        f = (float)v->f;
        memcpy(p, &f, 4);
        f = (float)v->im;
        memcpy(p + 4, &f, 4);
        return;
    }
    if (e == XG_E_C128) {
        memcpy(p, &v->f, 8);
        memcpy(p + 8, &v->im, 8);
        return;
    }
    bits = kr_bits(e, v);
    memcpy(p, &bits, (size_t)xg_kelem_bytes(e));
}
static kr_val kr_vector(kr *r) {
    kr_val v;
    memset(&v, 0, sizeof v);
    v.lanes = XG_NEW_N(r->io->arena, kr_val, KR_LANES);
    return v;
}
static int64_t kr_linear(kr *r, const xg_kop *op, uint32_t from, const xg_ktype *t) {
    int64_t at = 0;
    uint32_t k;
    for (k = 0; k < t->rank; k++) {
        int64_t i = kr_arg(r, op, from + k)->i;
        if (i < 0 || i >= t->dims[k]) kr_fail(r, op, "index outside the tensor");
        at = at * t->dims[k] + i;
    }
    return at;
}
static kr_val kr_move(
    kr *r, const xg_kop *op, const xg_ktype *t, int buf, int64_t at, int64_t align, const kr_val *store) {
    int64_t bytes = xg_kelem_bytes(t->elem), n = t->kind == XG_TK_VECTOR ? t->elements : 1, k;
    kr_val v;
    memset(&v, 0, sizeof v);
    kr_access(r, op, buf, at, n * bytes, align);
    if (t->kind == XG_TK_VECTOR) {
        if (!store) v = kr_vector(r);
        for (k = 0; k < n; k++)
            if (store)
                kr_store(r, t->elem, buf, at + k * bytes, &store->lanes[k]);
            else
                kr_load(r, t->elem, buf, at + k * bytes, &v.lanes[k]);
    } else if (store)
        kr_store(r, t->elem, buf, at, store);
    else
        kr_load(r, t->elem, buf, at, &v);
    return v;
}

/* ---- arithmetic ---- */
static double kr_math(kr *r, const xg_kop *op, double x, double y, double z) {
    switch (op->op) {
    case XG_K_OP_ADDF: return x + y;
    case XG_K_OP_SUBF: return x - y;
    case XG_K_OP_MULF: return x * y;
    case XG_K_OP_DIVF: return x / y;
    case XG_K_OP_NEGF: return -x;
    case XG_K_OP_ABSF: return fabs(x);
    case XG_K_OP_MAXF: return x != x || y != y ? x + y : x > y ? x : y;
    case XG_K_OP_MINF: return x != x || y != y ? x + y : x < y ? x : y;
    case XG_K_OP_TANH: return tanh(x);
    case XG_K_OP_EXP: return exp(x);
    case XG_K_OP_SQRT: return sqrt(x);
    case XG_K_OP_FMA: return x * y + z;
    default: kr_fail(r, op, "not interpreted");
    }
}
static void kr_region(kr *r, const xg_kregion *g, const uint8_t *mask);
/* What thread t_ carries into a region, and what its terminator gave. */
static void kr_enter(kr *r, const xg_kregion *g, uint32_t first, const kr_val *v, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) *kr_of(r, &g->args[first + k]) = v[k];
}
static void kr_leave(kr *r, uint32_t from, kr_val *v, uint32_t n) {
    uint32_t k;
    for (k = 0; k < n; k++) v[k] = r->given[from + k];
}
typedef struct kr_nest {
    const xg_kop *op;
    const xg_imap *map;
    int64_t (*dims)[16], syms[16];
    kr_val **carried;
    const uint8_t *mask;
} kr_nest;
static void kr_loop_symbols(kr *r, kr_nest *n, uint32_t level) {
    const xg_kregion *g = n->op->regions[0];
    const xg_imap *map = n->map;
    uint8_t *mask;
    uint32_t k, any = 0;
    int64_t results[64];
    if (level < map->n_syms) {
        for (n->syms[level] = map->syms[level].range.lo; n->syms[level] <= map->syms[level].range.hi; n->syms[level]++)
            kr_loop_symbols(r, n, level + 1);
        return;
    }
    mask = kr_mask(r);
    KR_EACH(r, n->mask) {
        if (!xg_imap_in_domain(map, n->dims[t_], n->syms) || !xg_imap_eval(map, n->dims[t_], n->syms, results))
            continue;
        any += mask[t_] = 1;
        for (k = 0; k < map->n_syms; k++) kr_of(r, &g->args[k])->i = n->syms[k];
        for (k = 0; k < map->n_results; k++) kr_of(r, &g->args[map->n_syms + k])->i = results[k];
        kr_enter(r, g, map->n_syms + map->n_results, n->carried[t_], n->op->n_results);
    }
    if (!any) return;
    kr_region(r, g, mask);
    KR_EACH(r, mask) kr_leave(r, 0, n->carried[t_], n->op->n_results);
}
static void kr_for(kr *r, const xg_kop *op, kr_val **carried, const uint8_t *all) {
    uint8_t *mask = kr_mask(r);
    int64_t *i = XG_NEW_N(r->io->arena, int64_t, r->n_threads + 1);
    uint32_t any;
    memcpy(mask, all, r->n_threads);
    KR_EACH(r, mask) i[t_] = kr_arg(r, op, 0)->i;
    for (;;) {
        any = 0;
        KR_EACH(r, mask) {
            if (i[t_] >= kr_arg(r, op, 1)->i) {
                mask[t_] = 0;
                continue;
            }
            any = 1;
            kr_of(r, &op->regions[0]->args[0])->i = i[t_];
            kr_enter(r, op->regions[0], 1, carried[t_], op->n_results);
        }
        if (!any) return;
        kr_region(r, op->regions[0], mask);
        KR_EACH(r, mask) {
            kr_leave(r, 0, carried[t_], op->n_results);
            i[t_] += kr_arg(r, op, 2)->i;
        }
    }
}
static void kr_while(kr *r, const xg_kop *op, kr_val **carried, const uint8_t *all) {
    uint8_t *mask = kr_mask(r);
    uint32_t any;
    memcpy(mask, all, r->n_threads);
    for (;;) {
        any = 0;
        KR_EACH(r, mask) kr_enter(r, op->regions[0], 0, carried[t_], op->n_results);
        kr_region(r, op->regions[0], mask);
        KR_EACH(r, mask) {
            kr_leave(r, 1, carried[t_], op->n_results);
            if (!r->given[0].i) {
                mask[t_] = 0;
                continue;
            }
            any = 1;
            kr_enter(r, op->regions[1], 0, carried[t_], op->n_results);
        }
        if (!any) return;
        kr_region(r, op->regions[1], mask);
        KR_EACH(r, mask) kr_leave(r, 0, carried[t_], op->n_results);
    }
}
static void kr_flow(kr *r, const xg_kop *op, const uint8_t *mask) {
    kr_val **carried = XG_NEW_N(r->io->arena, kr_val *, r->n_threads + 1);
    uint32_t k, n = op->n_results, first = op->op == XG_K_OP_FOR ? 3 : op->op == XG_K_OP_LOOP ? (uint32_t)op->a : 0;
    KR_EACH(r, mask) {
        carried[t_] = XG_NEW_N(r->io->arena, kr_val, n + 1);
        if (op->op != XG_K_OP_IF)
            for (k = 0; k < n; k++) carried[t_][k] = *kr_arg(r, op, first + k);
    }
    if (op->op == XG_K_OP_IF) {
        for (k = 0; k < 2; k++) {
            uint8_t *side = kr_mask(r);
            KR_EACH(r, mask) side[t_] = (kr_arg(r, op, 0)->i != 0) == (k == 0);
            kr_region(r, op->regions[k], side);
            KR_EACH(r, side) kr_leave(r, 0, carried[t_], n);
        }
    } else if (op->op == XG_K_OP_FOR)
        kr_for(r, op, carried, mask);
    else if (op->op == XG_K_OP_WHILE)
        kr_while(r, op, carried, mask);
    else {
        kr_nest nest;
        memset(&nest, 0, sizeof nest);
        nest.op = op;
        nest.map = (const xg_imap *)op->p;
        nest.dims = (int64_t(*)[16])xg_alloc(r->io->arena, sizeof *nest.dims * (r->n_threads + 1));
        nest.carried = carried;
        nest.mask = mask;
        KR_EACH(r, mask) for (k = 0; k < nest.map->n_dims; k++) nest.dims[t_][k] = kr_arg(r, op, k)->i;
        if (nest.map->state == XG_IMAP_OK) kr_loop_symbols(r, &nest, 0);
    }
    KR_EACH(r, mask) for (k = 0; k < n; k++) r->vals[op->results[k].id] = carried[t_][k];
}
/* The value that lane `lane` of this thread's warp has; poison if it is not there. */
static kr_val kr_lane(kr *r, const xg_kop *op, const uint8_t *mask, int64_t lane) {
    int64_t own = r->now % 32;
    uint32_t from;
    kr_val poison;
    memset(&poison, 0, sizeof poison);
    poison.i = -1000000000;
    poison.f = -1e9;
    if (lane < 0 || lane > 31) lane = own;
    from = (uint32_t)(r->now - own + lane);
    return from < r->n_threads && mask[from] ? r->state[from][op->operands[0].value->id] : poison;
}
static void kr_shuffle(kr *r, const xg_kop *op, const uint8_t *mask) {
    kr_val *got = XG_NEW_N(r->io->arena, kr_val, r->n_threads + 1);
    KR_EACH(r, mask) {
        int64_t own = t_ % 32, by = kr_arg(r, op, 1)->i;
        got[t_] = kr_lane(r, op, mask,
            op->op == XG_K_OP_SHFLDOWN   ? own + by
            : op->op == XG_K_OP_SHFLUP   ? own - by
            : op->op == XG_K_OP_SHFLBFLY ? own ^ by
                                         : by);
    }
    KR_EACH(r, mask) r->vals[op->results[0].id] = got[t_];
}
static void kr_call(kr *r, const xg_kop *op, const xg_kfunc *f, const uint8_t *mask, const kr_val *const *more) {
    uint32_t k, n = op->n_operands;
    KR_EACH(r, mask) {
        for (k = 0; k < n; k++) *kr_of(r, &f->body->args[k]) = *kr_arg(r, op, k);
        for (k = n; k < f->body->n_args; k++) *kr_of(r, &f->body->args[k]) = more[k - n][t_];
    }
    kr_region(r, f->body, mask);
    KR_EACH(r, mask) for (k = 0; k < op->n_results; k++) r->vals[op->results[k].id] = r->given[k];
}
/* As it is defined: each lane combines those of its group in their order. */
static void kr_shuffle_reduce(kr *r, const xg_kop *op, const uint8_t *mask) {
    uint32_t n = op->n_operands, k;
    int64_t distance;
    kr_val **old = XG_NEW_N(r->io->arena, kr_val *, n + 1), **other = XG_NEW_N(r->io->arena, kr_val *, n + 1);
    for (k = 0; k < n; k++) {
        old[k] = XG_NEW_N(r->io->arena, kr_val, r->n_threads + 1);
        other[k] = XG_NEW_N(r->io->arena, kr_val, r->n_threads + 1);
        KR_EACH(r, mask) old[k][t_] = *kr_arg(r, op, k);
    }
    for (distance = op->a; distance; distance /= 2) {
        for (k = 0; k < n; k++) KR_EACH(r, mask) {
                uint32_t from = t_ % 32 + distance > 31 ? t_ : (uint32_t)(t_ + distance);
                if (from < r->n_threads && mask[from])
                    other[k][t_] = r->state[from][op->operands[k].value->id];
                else
                    other[k][t_].f = other[k][t_].i = -1000000000;
            }
        kr_call(r, op, (const xg_kfunc *)op->p, mask, (const kr_val *const *)other);
        for (k = 0; k < n; k++) KR_EACH(r, mask) * kr_arg(r, op, k) = r->vals[op->results[k].id];
    }
    for (k = 0; k < n; k++) KR_EACH(r, mask) * kr_arg(r, op, k) = old[k][t_];
}
static void kr_apply(kr *r, const xg_kop *op) {
    const xg_imap *map = (const xg_imap *)op->p;
    int64_t dims[64], out[64];
    uint32_t k;
    bool ok;
    for (k = 0; k < op->n_operands; k++) dims[k] = kr_arg(r, op, k)->i;
    ok = xg_imap_ok(map) && xg_imap_eval(map, dims, dims + map->n_dims, out);
    for (k = 0; k < op->n_results; k++) r->vals[op->results[k].id].i = ok ? out[k] : -1000000000;
}
/* The same bits as another type, by way of memory. */
static kr_val kr_bitcast(kr *r, const xg_kop *op, const kr_val *x) {
    const xg_ktype *from = op->operands[0].value->type, *to = op->results[0].type;
    kr_buf b;
    b.size = 32;
    b.p = (unsigned char *)xg_alloc(r->io->arena, 32);
    xg_push(r->io->arena, kr_buf, &r->bufs, b);
    kr_move(r, op, from, (int)r->bufs.n - 1, 0, 1, x);
    {
        kr_val v = kr_move(r, op, to, (int)r->bufs.n - 1, 0, 1, NULL);
        r->bufs.n--;
        return v;
    }
}
/* One thread after the other: every change is one step. */
static void kr_atomic(kr *r, const xg_kop *op, const uint8_t *mask) {
    const xg_ktype *t = op->operands[0].value->type, *elem = op->regions[0]->args[0].type;
    uint8_t *one = kr_mask(r);
    KR_EACH(r, mask) {
        int64_t at = kr_linear(r, op, 1, t) * xg_kelem_bytes(t->elem);
        int buf = kr_arg(r, op, 0)->buf;
        kr_val v = kr_move(r, op, elem, buf, at, 1, NULL);
        memset(one, 0, r->n_threads);
        one[t_] = 1;
        kr_enter(r, op->regions[0], 0, &v, 1);
        kr_region(r, op->regions[0], one);
        kr_leave(r, 0, &v, 1);
        kr_move(r, op, elem, buf, at, 1, &v);
        r->vals[op->results[0].id] = *kr_arg(r, op, 0);
    }
}
/* llvm.atomicrmw.*: what it combines with, done on the element that is there. */
static void kr_op(kr *r, const xg_kop *op);
static void kr_red(kr *r, const xg_kop *op) {
    const xg_ktype *t = op->operands[0].value->type;
    kr_val *p = kr_arg(r, op, 1), address = *p, v = *kr_arg(r, op, 0),
           now = kr_move(r, op, t, p->buf, p->i, op->a, NULL);
    xg_kval current = *op->operands[1].value, result = *op->operands[0].value;
    xg_kuse both[2];
    xg_kop combine = *op;
    both[0] = op->operands[0];
    both[1] = op->operands[1];
    both[1].value = &current;
    combine.op = xg_katomic_combiner(op->op);
    combine.operands = both;
    combine.results = &result;
    combine.n_results = 1;
    *kr_of(r, &current) = now;
    kr_op(r, &combine);
    now = *kr_of(r, &result);
    *kr_of(r, &current) = address;
    *kr_of(r, &result) = v;
    kr_move(r, op, t, address.buf, address.i, op->a, &now);
}
static void kr_op(kr *r, const xg_kop *op) {
    kr_val *x = op->n_operands > 0 ? kr_arg(r, op, 0) : NULL, *y = op->n_operands > 1 ? kr_arg(r, op, 1) : NULL,
           *z = op->n_operands > 2 ? kr_arg(r, op, 2) : NULL, out;
    const xg_ktype *t = op->n_results ? op->results[0].type : NULL;
    xg_kelem e = t ? t->elem : XG_E_I32, from = op->n_operands ? op->operands[0].value->type->elem : e;
    bool yes;
    uint32_t k;
    memset(&out, 0, sizeof out);
    if (xg_kop_flags(op->op) & KF_TERM) {
        for (k = 0; k < op->n_operands; k++) r->given[k] = *kr_arg(r, op, k);
        return;
    }
    if (xg_katomic_combiner(op->op) != XG_K_OP_COUNT) {
        kr_red(r, op);
        return;
    }
    switch (op->op) {
    case XG_K_OP_ATOM_CAS:
        out = kr_move(r, op, t, y->buf, y->i, xg_kelem_bytes(e), NULL);
        if (kr_bits(e, &out) == kr_bits(e, x)) kr_move(r, op, t, y->buf, y->i, xg_kelem_bytes(e), z);
        break;
    case XG_K_OP_APPLY: kr_apply(r, op); return;
    case XG_K_OP_THREAD_ID: out.i = r->thread[op->flags]; break;
    case XG_K_OP_BLOCK_ID: out.i = r->block[op->flags]; break;
    case XG_K_OP_SYNC:
    case XG_K_OP_BARRIER:
        for (k = 0; k < op->n_results; k++) r->vals[op->results[k].id] = *kr_arg(r, op, k);
        return;
    case XG_K_OP_ALLOC_SHARED:
    case XG_K_OP_SHARED_PTR: {
        kr_buf s;
        s.size = op->op == XG_K_OP_ALLOC_SHARED ? t->elements * xg_kelem_bytes(e) : op->a;
        if (r->now == 0) {
            s.p = (unsigned char *)xg_alloc(r->io->arena, (size_t)s.size + 1);
            xg_push(r->io->arena, kr_buf, &r->bufs, s);
        }
        out.buf = (int)r->bufs.n - 1;
        break;
    }
    case XG_K_OP_EXTRACT:
        out = kr_move(r, op, t, x->buf, kr_linear(r, op, 1, op->operands[0].value->type) * xg_kelem_bytes(e), 1, NULL);
        break;
    case XG_K_OP_READ:
        out = kr_move(r, op, t, x->buf, y->i * xg_kelem_bytes(e), XG_MIN(16, t->elements * xg_kelem_bytes(e)), NULL);
        break;
    case XG_K_OP_INSERT:
        kr_move(r, op, op->operands[0].value->type, y->buf, kr_linear(r, op, 2, t) * xg_kelem_bytes(e), 1, x);
        out = *y;
        break;
    case XG_K_OP_WRITE:
        kr_move(r, op, op->operands[0].value->type, y->buf, z->i * xg_kelem_bytes(e),
            XG_MIN(16, op->operands[0].value->type->elements * xg_kelem_bytes(e)), x);
        out = *y;
        break;
    case XG_K_OP_LOAD: out = kr_move(r, op, t, x->buf, x->i, op->a, NULL); break;
    case XG_K_OP_STORE: kr_move(r, op, op->operands[0].value->type, y->buf, y->i, op->a, x); return;
    case XG_K_OP_PTR_ADD:
        out = *x;
        out.i +=
            (op->operands[1].value->type->elem == XG_E_I32 ? (int64_t)(uint32_t)y->i : y->i) * (op->a ? op->a : 1) +
            op->b;
        break;
    case XG_K_OP_VEXTRACT: out = x->lanes[y->i]; break;
    case XG_K_OP_VINSERT:
        out = kr_vector(r);
        memcpy(out.lanes, y->lanes, KR_LANES * sizeof *out.lanes);
        out.lanes[z->i] = *x;
        break;
    case XG_K_OP_CONST:
        out.i = op->a;
        if (xg_kelem_is_float(e)) out.f = xg_float_decode(xg_kelem_format(e), (uint64_t)op->a);
        if (xg_kelem_is_complex(e)) {
            xg_kelem p = e == XG_E_C64 ? XG_E_F32 : XG_E_F64;
            out.f = xg_float_decode(xg_kelem_format(p), (uint64_t)op->a);
            out.im = xg_float_decode(xg_kelem_format(p), (uint64_t)op->b);
        }
        if (t->kind == XG_TK_VECTOR) {
            kr_val v = kr_vector(r);
            for (k = 0; k < KR_LANES; k++) v.lanes[k] = out;
            out = v;
        }
        break;
    case XG_K_OP_SELECT: out = x->i ? *y : *z; break;
    case XG_K_OP_CMPI:
        if (!xg_kfold_cmpi(op->flags, from == XG_E_INDEX ? XG_E_I64 : from, x->i, y->i, &yes))
            kr_fail(r, op, "not interpreted");
        out.i = yes;
        break;
    case XG_K_OP_CMPF:
        xg_kfold_cmpf(op->flags, x->f, y->f, &yes);
        out.i = yes;
        break;
    case XG_K_OP_COMPLEX:
        out.f = x->f;
        out.im = y->f;
        break;
    case XG_K_OP_RE: out.f = x->f; break;
    case XG_K_OP_IM: out.f = x->im; break;
    case XG_K_OP_SITOFP: out.f = kr_round(e, (double)x->i); break;
    case XG_K_OP_UITOFP: out.f = kr_round(e, (double)xg_kfold_unsigned(from, x->i)); break;
    case XG_K_OP_FPTOSI: out.i = (int64_t)x->f; break;
    case XG_K_OP_EXTF:
    case XG_K_OP_TRUNCF: out.f = kr_round(e, x->f); break;
    case XG_K_OP_EXTSI:
    case XG_K_OP_EXTUI:
    case XG_K_OP_TRUNCI:
        if (!xg_kfold_cast(r->m, op->op, from, e, x->i, &out.i)) kr_fail(r, op, "not interpreted");
        break;
    case XG_K_OP_BITCAST: out = kr_bitcast(r, op, x); break;
    case XG_K_OP_INDEX_CAST: out.i = e == XG_E_INDEX ? x->i : xg_kint_wrap(e, x->i); break;
    default:
        if (xg_kelem_is_float(e))
            out.f = kr_round(e, kr_math(r, op, x->f, y ? y->f : 0, z ? z->f : 0));
        else if (!xg_kfold_int(op->op, e == XG_E_INDEX ? XG_E_I64 : e, x->i, y ? y->i : 0, &out.i))
            out.i = -1000000000; /* undefined: poison */
    }
    r->vals[op->results[0].id] = out;
}
static void kr_region(kr *r, const xg_kregion *g, const uint8_t *mask) {
    const xg_kop *op;
    for (op = g->first; op; op = op->next) {
        if (op->op == XG_K_OP_ATOMIC_RMW)
            kr_atomic(r, op, mask);
        else if (op->n_regions)
            kr_flow(r, op, mask);
        else if (op->op == XG_K_OP_CALL)
            kr_call(r, op, (const xg_kfunc *)op->p, mask, NULL);
        else if (op->op == XG_K_OP_SHUFFLE_REDUCE)
            kr_shuffle_reduce(r, op, mask);
        else if (op->op >= XG_K_OP_SHFLDOWN && op->op <= XG_K_OP_SHFLIDX)
            kr_shuffle(r, op, mask);
        else
            KR_EACH(r, mask) kr_op(r, op);
    }
}

/* ---- a launch ---- */
static void kr_fill(kr *r, kr_buf *b, xg_kelem e, int64_t elements, int salt) {
    int64_t k, bytes = xg_kelem_bytes(e);
    kr_val v;
    memset(&v, 0, sizeof v);
    xg_push(r->io->arena, kr_buf, &r->bufs, *b);
    for (k = 0; k < elements; k++) {
        v.i = e == XG_E_I1 ? (k + salt) % 3 == 0 : (k * 7 + salt * 3) % 23 - 11;
        v.f = (double)((k * 7 + salt * 3) % 23 - 11) / 4;
        v.im = (double)((k * 5 + salt) % 19 - 9) / 2;
        kr_store(r, e, (int)r->bufs.n - 1, k * bytes, &v);
    }
}
typedef struct kr_shape {
    xg_kelem e;
    int64_t elements;
    int32_t slice;
    bool out;
} kr_shape;
static void kr_run(kr *r, const xg_kmodule *m, const kr_shape *shapes, uint32_t n) {
    const xg_kfunc *f = m->entry;
    uint32_t blocks = f->blocks[0] * f->blocks[1], t, b, k, n_bufs;
    uint8_t *mask;
    r->m = m;
    r->n_threads = f->threads[0] * f->threads[1] * f->threads[2];
    r->bufs.n = 0;
    r->state = XG_NEW_N(r->io->arena, kr_val *, r->n_threads + 1);
    for (t = 0; t < r->n_threads; t++) r->state[t] = XG_NEW_N(r->io->arena, kr_val, (size_t)m->n_ids + 1 + KR_GIVEN);
    mask = kr_mask(r);
    memset(mask, 1, r->n_threads);
    for (k = 0; k < n; k++) {
        kr_buf buf;
        buf.size = shapes[k].elements * xg_kelem_bytes(shapes[k].e);
        buf.p = (unsigned char *)xg_alloc(r->io->arena, (size_t)buf.size + 1);
        kr_fill(r, &buf, shapes[k].e, shapes[k].out ? 0 : shapes[k].elements, (int)k);
    }
    n_bufs = r->bufs.n;
    for (b = 0; b < blocks; b++) {
        r->bufs.n = n_bufs;
        r->block[0] = b % f->blocks[0];
        r->block[1] = b / f->blocks[0];
        KR_EACH(r, mask) { /* parameters of one slice are one buffer; lowered modules have the first only */
            uint32_t p = 0, j, first;
            for (k = 0; k < n && p < f->body->n_args; k++) {
                for (first = k, j = k; j-- > 0;)
                    if (shapes[j].slice == shapes[k].slice) first = j;
                if (first == k || f->body->n_args == n) r->vals[f->body->args[p++].id].buf = (int)first;
            }
        }
        kr_region(r, f->body, mask);
    }
    r->bufs.n = n_bufs;
}
/* Of the results; it has to stay what it is for as long as tests expect it. */
static uint32_t kr_mix(uint32_t h, uint64_t x) {
    uint64_t v = ((uint64_t)h + 0x9E3779B97F4A7C15u) ^ x;
    v *= 0xD6E8FEB86659FD93u;
    v ^= v >> 32;
    v *= 0xD6E8FEB86659FD93u;
    return (uint32_t)(v >> 32);
}
static uint32_t kr_checksum(const void *data, size_t n) {
    const char *p = (const char *)data;
    uint32_t h = (uint32_t)n;
    uint64_t w;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&w, p, 8);
        h = kr_mix(h, w);
    }
    w = 0;
    if (n) memcpy(&w, p, n);
    return kr_mix(h, w);
}

static void stage_kir_run(xg_stage *io) {
    xg_kmodule *m = xg_kir_parse(io->ctx, io->arena, xg_aff_new(io->arena), &io->in);
    const char *at = io->args;
    uint32_t n = m->entry->body->n_args, k;
    kr_shape *shapes = XG_NEW_N(io->arena, kr_shape, n + 1);
    kr first, now;
    int passes = 0;
    uint32_t hash = 0;
    xg_kir_verify(m);
    for (k = 0; k < n; k++) {
        const xg_ktype *t = m->entry->body->args[k].type;
        shapes[k].e = t->elem;
        shapes[k].elements = t->elements;
        shapes[k].slice = m->entry->args[k].slice;
        shapes[k].out = k >= m->entry->n_inputs;
    }
    memset(&first, 0, sizeof first);
    memset(&now, 0, sizeof now);
    first.io = now.io = io;
    kr_run(&first, m, shapes, n);
    while (*at) {
        const char *end = at;
        size_t p;
        while (*end && *end != ' ') end++;
        for (p = 0; p < XG_COUNT(kir_pass_rows) && !xg_str_is(xg_str_of(at, (size_t)(end - at)), kir_pass_rows[p].name);
             p++) {}
        if (p == XG_COUNT(kir_pass_rows))
            xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no pass is called '%.*s'", (int)(end - at), at);
        kir_pass_rows[p].run(m);
        xg_kir_verify(m);
        passes++;
        kr_run(&now, m, shapes, n);
        for (k = 0; k < n; k++)
            if (memcmp(first.bufs.p[k].p, now.bufs.p[k].p, (size_t)first.bufs.p[k].size) != 0) {
                xg_printf(&io->out, "pass %d, %s, changed buffer %u\n", passes, kir_pass_rows[p].name, k);
                xg_kir_print(&io->out, m);
                return;
            }
        for (at = end; *at == ' '; at++) {}
    }
    for (k = 0; k < n; k++)
        if (shapes[k].out) hash = kr_mix(hash, kr_checksum(first.bufs.p[k].p, (size_t)first.bufs.p[k].size));
    xg_printf(&io->out, "the same after each of %d passes; checksum ", passes);
    xg_put_hex(&io->out, hash, 8);
    xg_putc(&io->out, '\n');
}
