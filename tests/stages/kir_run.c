/* stage kir_run: args are passes, as of kir_pass. Interprets the entry function before and after each pass, over all threads and blocks, on made-up inputs, and
 * compares every byte of every buffer: a pass that changes what a kernel does is named. Ends with a checksum of the results.
 * All levels of kernel IR are understood. Memory accesses outside a buffer or not aligned are errors; an indexing map outside its domain gives poison, -1e9.
 * Barriers stand at the top level of the entry. */
enum { KR_LANES = 32 };
typedef struct kr_val { int64_t i; double f, im; int buf; struct kr_val *lanes; } kr_val; /* of a pointer: buffer and byte offset i */
typedef struct kr_buf { unsigned char *p; int64_t size; } kr_buf;
typedef struct kr {
    xg_stage *io;
    const xg_kmodule *m;
    XG_VEC(kr_buf) bufs;
    kr_val *vals, *given; /* by value id; given: what a terminator gave */
    uint32_t thread[3], block[3];
} kr;
XG_NORETURN static void kr_fail(kr *r, const xg_kop *op, const char *what) { xg_fail(r->io->ctx, XLAGPU_ERROR_INVALID, "interpreter: %s at %s (id %u), thread %u, block %u", what, op ? xg_kop_name(op->op) : "?", op ? op->id : 0, r->thread[0], r->block[0]); }
static kr_val *kr_of(kr *r, const xg_kval *v) { return &r->vals[v->id]; }
static kr_val *kr_arg(kr *r, const xg_kop *op, uint32_t k) { return kr_of(r, op->operands[k].value); }
static double kr_round(xg_kelem e, double v) { return xg_float_decode(xg_kelem_format(e), xg_float_encode(xg_kelem_format(e), v)); }

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
    if (e == XG_E_C64) { memcpy(&f, p, 4); v->f = f; memcpy(&f, p + 4, 4); v->im = f; return; }
    if (e == XG_E_C128) { memcpy(&v->f, p, 8); memcpy(&v->im, p + 8, 8); return; }
    memcpy(&bits, p, (size_t)xg_kelem_bytes(e));
    if (xg_kelem_is_int(e)) v->i = xg_kint_wrap(e, (int64_t)bits);
    else v->f = xg_float_decode(xg_kelem_format(e), bits);
}
static void kr_store(kr *r, xg_kelem e, int buf, int64_t at, const kr_val *v) {
    unsigned char *p = r->bufs.p[buf].p + at;
    uint64_t bits;
    float f;
    if (e == XG_E_C64) { f = (float)v->f; memcpy(p, &f, 4); f = (float)v->im; memcpy(p + 4, &f, 4); return; }
    if (e == XG_E_C128) { memcpy(p, &v->f, 8); memcpy(p + 8, &v->im, 8); return; }
    bits = xg_kelem_is_int(e) ? (uint64_t)v->i : xg_float_encode(xg_kelem_format(e), v->f);
    memcpy(p, &bits, (size_t)xg_kelem_bytes(e));
}
static kr_val kr_vector(kr *r) { kr_val v; memset(&v, 0, sizeof v); v.lanes = XG_NEW_N(r->io->arena, kr_val, KR_LANES); return v; }
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
static kr_val kr_move(kr *r, const xg_kop *op, const xg_ktype *t, int buf, int64_t at, int64_t align, const kr_val *store) {
    int64_t bytes = xg_kelem_bytes(t->elem), n = t->kind == XG_TK_VECTOR ? t->elements : 1, k;
    kr_val v;
    memset(&v, 0, sizeof v);
    kr_access(r, op, buf, at, n * bytes, align);
    if (t->kind == XG_TK_VECTOR) {
        if (!store) v = kr_vector(r);
        for (k = 0; k < n; k++) if (store) kr_store(r, t->elem, buf, at + k * bytes, &store->lanes[k]); else kr_load(r, t->elem, buf, at + k * bytes, &v.lanes[k]);
    } else if (store) kr_store(r, t->elem, buf, at, store);
    else kr_load(r, t->elem, buf, at, &v);
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
static void kr_region(kr *r, const xg_kregion *g, const xg_kop *from, const xg_kop *until);
static void kr_yielded(kr *r, kr_val *to, uint32_t n) { uint32_t k; for (k = 0; k < n; k++) to[k] = r->given[k]; }
static void kr_set_args(kr *r, const xg_kregion *g, uint32_t first, const kr_val *v, uint32_t n) { uint32_t k; for (k = 0; k < n; k++) *kr_of(r, &g->args[first + k]) = v[k]; }
static void kr_loop_symbols(kr *r, const xg_kop *op, const xg_imap *map, uint32_t level, int64_t *dims, int64_t *syms, kr_val *carried) {
    const xg_kregion *g = op->regions[0];
    uint32_t k;
    int64_t results[64];
    if (level < map->n_syms) {
        for (syms[level] = map->syms[level].range.lo; syms[level] <= map->syms[level].range.hi; syms[level]++) kr_loop_symbols(r, op, map, level + 1, dims, syms, carried);
        return;
    }
    if (!xg_imap_in_domain(map, dims, syms) || !xg_imap_eval(map, dims, syms, results)) return;
    for (k = 0; k < map->n_syms; k++) kr_of(r, &g->args[k])->i = syms[k];
    for (k = 0; k < map->n_results; k++) kr_of(r, &g->args[map->n_syms + k])->i = results[k];
    kr_set_args(r, g, map->n_syms + map->n_results, carried, op->n_results);
    kr_region(r, g, NULL, NULL);
    kr_yielded(r, carried, op->n_results);
}
static void kr_flow(kr *r, const xg_kop *op) {
    kr_val *carried = XG_NEW_N(r->io->arena, kr_val, op->n_results + 1);
    uint32_t k, n = op->n_results;
    if (op->op == XG_K_OP_IF) { kr_region(r, op->regions[kr_arg(r, op, 0)->i ? 0 : 1], NULL, NULL); kr_yielded(r, carried, n); }
    else if (op->op == XG_K_OP_FOR) {
        int64_t i, hi = kr_arg(r, op, 1)->i, step = kr_arg(r, op, 2)->i;
        for (k = 0; k < n; k++) carried[k] = *kr_arg(r, op, k + 3);
        for (i = kr_arg(r, op, 0)->i; i < hi; i += step) {
            kr_of(r, &op->regions[0]->args[0])->i = i;
            kr_set_args(r, op->regions[0], 1, carried, n);
            kr_region(r, op->regions[0], NULL, NULL);
            kr_yielded(r, carried, n);
        }
    } else if (op->op == XG_K_OP_WHILE) {
        for (k = 0; k < n; k++) carried[k] = *kr_arg(r, op, k);
        for (;;) {
            kr_set_args(r, op->regions[0], 0, carried, n);
            kr_region(r, op->regions[0], NULL, NULL);
            for (k = 0; k < n; k++) carried[k] = r->given[k + 1];
            if (!r->given[0].i) break;
            kr_set_args(r, op->regions[1], 0, carried, n);
            kr_region(r, op->regions[1], NULL, NULL);
            kr_yielded(r, carried, n);
        }
    } else {
        const xg_imap *map = (const xg_imap *)op->p;
        int64_t dims[16], syms[16];
        for (k = 0; k < map->n_dims; k++) dims[k] = kr_arg(r, op, k)->i;
        for (k = 0; k < n; k++) carried[k] = *kr_arg(r, op, map->n_dims + k);
        if (map->state == XG_IMAP_OK) kr_loop_symbols(r, op, map, 0, dims, syms, carried);
    }
    for (k = 0; k < n; k++) r->vals[op->results[k].id] = carried[k];
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
static void kr_call(kr *r, const xg_kop *op) {
    const xg_kfunc *f = (const xg_kfunc *)op->p;
    uint32_t k;
    for (k = 0; k < op->n_operands; k++) *kr_of(r, &f->body->args[k]) = *kr_arg(r, op, k);
    kr_region(r, f->body, NULL, NULL);
    for (k = 0; k < op->n_results; k++) r->vals[op->results[k].id] = r->given[k];
}
/* One thread after the other: every change is one step. */
static void kr_atomic(kr *r, const xg_kop *op) {
    const xg_ktype *t = op->operands[0].value->type, *elem = op->regions[0]->args[0].type;
    int64_t at = kr_linear(r, op, 1, t) * xg_kelem_bytes(t->elem);
    int buf = kr_arg(r, op, 0)->buf;
    kr_val v = kr_move(r, op, elem, buf, at, 1, NULL);
    kr_set_args(r, op->regions[0], 0, &v, 1);
    kr_region(r, op->regions[0], NULL, NULL);
    v = r->given[0];
    kr_move(r, op, elem, buf, at, 1, &v);
    r->vals[op->results[0].id] = *kr_arg(r, op, 0);
}
static void kr_op(kr *r, const xg_kop *op);
/* llvm.atomicrmw.*: as the operation that it combines with, on what is there. */
static void kr_red(kr *r, const xg_kop *op) {
    kr_val *p = kr_arg(r, op, 1), now = kr_move(r, op, op->operands[0].value->type, p->buf, p->i, op->a, NULL);
    xg_kval result = *op->operands[0].value;
    xg_kuse both[2];
    xg_kop combine = *op;
    kr_val kept = *kr_of(r, &result), other;
    xg_kval current = result;
    current.id = op->operands[1].value->id;
    other = *kr_of(r, &current);
    both[0] = op->operands[0];
    both[1] = op->operands[1];
    both[1].value = &current;
    *kr_of(r, &current) = now;
    combine.op = xg_katomic_combiner(op->op);
    combine.operands = both;
    combine.results = &result;
    combine.n_results = 1;
    kr_op(r, &combine);
    now = *kr_of(r, &result);
    *kr_of(r, &result) = kept;
    *kr_of(r, &current) = other;
    kr_move(r, op, op->operands[0].value->type, p->buf, p->i, op->a, &now);
}
static void kr_op(kr *r, const xg_kop *op) {
    kr_val *x = op->n_operands > 0 ? kr_arg(r, op, 0) : NULL, *y = op->n_operands > 1 ? kr_arg(r, op, 1) : NULL, *z = op->n_operands > 2 ? kr_arg(r, op, 2) : NULL, out;
    const xg_ktype *t = op->n_results ? op->results[0].type : NULL;
    xg_kelem e = t ? t->elem : XG_E_I32, from = op->n_operands ? op->operands[0].value->type->elem : e;
    bool yes;
    uint32_t k;
    memset(&out, 0, sizeof out);
    if (xg_kop_flags(op->op) & KF_TERM) { for (k = 0; k < op->n_operands; k++) r->given[k] = *kr_arg(r, op, k); return; }
    if (op->op == XG_K_OP_ATOMIC_RMW) { kr_atomic(r, op); return; }
    if (xg_katomic_combiner(op->op) != XG_K_OP_COUNT) { kr_red(r, op); return; }
    if (op->n_regions) { kr_flow(r, op); return; }
    switch (op->op) {
    case XG_K_OP_CALL: kr_call(r, op); return;
    case XG_K_OP_APPLY: kr_apply(r, op); return;
    case XG_K_OP_THREAD_ID: out.i = r->thread[op->flags]; break;
    case XG_K_OP_BLOCK_ID: out.i = r->block[op->flags]; break;
    case XG_K_OP_SYNC: case XG_K_OP_BARRIER: for (k = 0; k < op->n_results; k++) r->vals[op->results[k].id] = *kr_arg(r, op, k); return;
    case XG_K_OP_ALLOC_SHARED: case XG_K_OP_SHARED_PTR: { kr_buf s; s.size = op->op == XG_K_OP_ALLOC_SHARED ? t->elements * xg_kelem_bytes(e) : op->a;
        if (r->thread[0] == 0) { s.p = (unsigned char *)xg_alloc(r->io->arena, (size_t)s.size + 1); xg_push(r->io->arena, kr_buf, &r->bufs, s); }
        out.buf = (int)r->bufs.n - 1; break; }
    case XG_K_OP_EXTRACT: out = kr_move(r, op, t, x->buf, kr_linear(r, op, 1, op->operands[0].value->type) * xg_kelem_bytes(e), 1, NULL); break;
    case XG_K_OP_READ: out = kr_move(r, op, t, x->buf, y->i * xg_kelem_bytes(e), XG_MIN(16, t->elements * xg_kelem_bytes(e)), NULL); break;
    case XG_K_OP_INSERT: kr_move(r, op, op->operands[0].value->type, y->buf, kr_linear(r, op, 2, t) * xg_kelem_bytes(e), 1, x); out = *y; break;
    case XG_K_OP_WRITE: kr_move(r, op, op->operands[0].value->type, y->buf, z->i * xg_kelem_bytes(e), XG_MIN(16, op->operands[0].value->type->elements * xg_kelem_bytes(e)), x); out = *y; break;
    case XG_K_OP_LOAD: out = kr_move(r, op, t, x->buf, x->i, op->a, NULL); break;
    case XG_K_OP_ATOM_CAS:
        out = kr_move(r, op, t, y->buf, y->i, xg_kelem_bytes(e), NULL);
        if (xg_kelem_is_int(e) ? out.i == x->i : out.f == x->f) kr_move(r, op, t, y->buf, y->i, xg_kelem_bytes(e), z);
        break;
    case XG_K_OP_STORE: kr_move(r, op, op->operands[0].value->type, y->buf, y->i, op->a, x); return;
    case XG_K_OP_PTR_ADD: out = *x; out.i += (op->operands[1].value->type->elem == XG_E_I32 ? (int64_t)(uint32_t)y->i : y->i) * (op->a ? op->a : 1) + op->b; break;
    case XG_K_OP_VEXTRACT: out = x->lanes[y->i]; break;
    case XG_K_OP_VINSERT: out = kr_vector(r); memcpy(out.lanes, y->lanes, KR_LANES * sizeof *out.lanes); out.lanes[z->i] = *x; break;
    case XG_K_OP_CONST:
        out.i = op->a;
        if (xg_kelem_is_float(e)) out.f = xg_float_decode(xg_kelem_format(e), (uint64_t)op->a);
        if (xg_kelem_is_complex(e)) { xg_kelem p = e == XG_E_C64 ? XG_E_F32 : XG_E_F64; out.f = xg_float_decode(xg_kelem_format(p), (uint64_t)op->a); out.im = xg_float_decode(xg_kelem_format(p), (uint64_t)op->b); }
        if (t->kind == XG_TK_VECTOR) { kr_val v = kr_vector(r); for (k = 0; k < KR_LANES; k++) v.lanes[k] = out; out = v; }
        break;
    case XG_K_OP_SELECT: out = x->i ? *y : *z; break;
    case XG_K_OP_CMPI: if (!xg_kfold_cmpi(op->flags, from == XG_E_INDEX ? XG_E_I64 : from, x->i, y->i, &yes)) kr_fail(r, op, "not interpreted"); out.i = yes; break;
    case XG_K_OP_CMPF: xg_kfold_cmpf(op->flags, x->f, y->f, &yes); out.i = yes; break;
    case XG_K_OP_COMPLEX: out.f = x->f; out.im = y->f; break;
    case XG_K_OP_RE: out.f = x->f; break;
    case XG_K_OP_IM: out.f = x->im; break;
    case XG_K_OP_SITOFP: out.f = kr_round(e, (double)x->i); break;
    case XG_K_OP_UITOFP: out.f = kr_round(e, (double)xg_kfold_unsigned(from, x->i)); break;
    case XG_K_OP_FPTOSI: out.i = (int64_t)x->f; break;
    case XG_K_OP_EXTF: case XG_K_OP_TRUNCF: out.f = kr_round(e, x->f); break;
    case XG_K_OP_EXTSI: case XG_K_OP_EXTUI: case XG_K_OP_TRUNCI: if (!xg_kfold_cast(r->m, op->op, from, e, x->i, &out.i)) kr_fail(r, op, "not interpreted"); break;
    case XG_K_OP_INDEX_CAST: out.i = e == XG_E_INDEX ? x->i : xg_kint_wrap(e, x->i); break;
    default:
        if (xg_kelem_is_float(e)) out.f = kr_round(e, kr_math(r, op, x->f, y ? y->f : 0, z ? z->f : 0));
        else if (!xg_kfold_int(op->op, e == XG_E_INDEX ? XG_E_I64 : e, x->i, y ? y->i : 0, &out.i)) out.i = -1000000000; /* undefined: poison */
    }
    r->vals[op->results[0].id] = out;
}
/* From an operation (NULL: the first) up to but not with another (NULL: all). */
static void kr_region(kr *r, const xg_kregion *g, const xg_kop *from, const xg_kop *until) {
    const xg_kop *op;
    for (op = from ? from : g->first; op && op != until; op = op->next) kr_op(r, op);
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
typedef struct kr_shape { xg_kelem e; int64_t elements; int32_t slice; bool out; } kr_shape;
static void kr_run(kr *r, const xg_kmodule *m, const kr_shape *shapes, uint32_t n) {
    const xg_kfunc *f = m->entry;
    uint32_t threads = f->threads[0] * f->threads[1] * f->threads[2], blocks = f->blocks[0] * f->blocks[1], t, b, k, n_bufs;
    kr_val *state = XG_NEW_N(r->io->arena, kr_val, (size_t)(m->n_ids + 1) * threads);
    r->m = m;
    r->bufs.n = 0;
    r->given = XG_NEW_N(r->io->arena, kr_val, 256);
    for (k = 0; k < n; k++) {
        kr_buf buf;
        buf.size = shapes[k].elements * xg_kelem_bytes(shapes[k].e);
        buf.p = (unsigned char *)xg_alloc(r->io->arena, (size_t)buf.size + 1);
        kr_fill(r, &buf, shapes[k].e, shapes[k].out ? 0 : shapes[k].elements, (int)k);
    }
    n_bufs = r->bufs.n;
    for (b = 0; b < blocks; b++) {
        const xg_kop *from = NULL, *op;
        r->bufs.n = n_bufs;
        do {
            for (op = from ? from->next : f->body->first; op && op->op != XG_K_OP_SYNC && op->op != XG_K_OP_BARRIER; op = op->next) {}
            for (t = 0; t < threads; t++) {
                xg_mark mark = xg_arena_mark(r->io->arena);
                (void)mark;
                r->vals = state + (size_t)(m->n_ids + 1) * t;
                r->thread[0] = t % f->threads[0]; r->thread[1] = t / f->threads[0] % f->threads[1]; r->thread[2] = t / f->threads[0] / f->threads[1];
                r->block[0] = b % f->blocks[0]; r->block[1] = b / f->blocks[0];
                if (!from) { uint32_t p = 0; int32_t seen[64]; /* parameters of one slice are one buffer; lowered modules have the first only */
                    for (k = 0; k < n && p < f->body->n_args; k++) {
                        uint32_t j, first = k;
                        for (j = 0; j < k; j++) if (shapes[j].slice == shapes[k].slice) { first = j; break; }
                        seen[k] = (int32_t)first;
                        if (first != k && f->body->n_args != n) continue;
                        r->vals[f->body->args[p].id].buf = (int)first;
                        p++;
                    }
                    (void)seen; }
                kr_region(r, f->body, from, op);
            }
            from = op;
            if (from) for (t = 0; t < threads; t++) { r->vals = state + (size_t)(m->n_ids + 1) * t; r->thread[0] = t; kr_op(r, from); }
        } while (from);
    }
    r->bufs.n = n_bufs;
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
    for (k = 0; k < n; k++) { const xg_ktype *t = m->entry->body->args[k].type; shapes[k].e = t->elem; shapes[k].elements = t->elements; shapes[k].slice = m->entry->args[k].slice; shapes[k].out = k >= m->entry->n_inputs; }
    memset(&first, 0, sizeof first);
    memset(&now, 0, sizeof now);
    first.io = now.io = io;
    kr_run(&first, m, shapes, n);
    while (*at) {
        const char *end = at;
        size_t p;
        while (*end && *end != ' ') end++;
        for (p = 0; p < XG_COUNT(kir_pass_rows) && !xg_str_is(xg_str_of(at, (size_t)(end - at)), kir_pass_rows[p].name); p++) {}
        if (p == XG_COUNT(kir_pass_rows)) xg_fail(io->ctx, XLAGPU_ERROR_USAGE, "no pass is called '%.*s'", (int)(end - at), at);
        kir_pass_rows[p].run(m);
        xg_kir_verify(m);
        passes++;
        kr_run(&now, m, shapes, n);
        for (k = 0; k < n; k++) if (memcmp(first.bufs.p[k].p, now.bufs.p[k].p, (size_t)first.bufs.p[k].size) != 0) {
            xg_printf(&io->out, "pass %d, %s, changed buffer %u\n", passes, kir_pass_rows[p].name, k);
            xg_kir_print(&io->out, m);
            return;
        }
        for (at = end; *at == ' '; at++) {}
    }
    for (k = 0; k < n; k++) if (shapes[k].out) hash = xg_hash_mix(hash, xg_hash(first.bufs.p[k].p, (size_t)first.bufs.p[k].size));
    xg_printf(&io->out, "the same after each of %d passes; checksum ", passes);
    xg_put_hex(&io->out, hash, 8);
    xg_putc(&io->out, '\n');
}
