/* Random loop nests and random schedules of them. */
typedef struct sched_random {
    xg_stage *io;
    uint64_t state;
    xg_buf text;
    char script[8192];
    size_t n_script;
} sched_random;
static uint32_t sched_pick(sched_random *x, uint32_t n) {
    x->state = x->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((x->state >> 33) % n);
}
/* A nest as text: inputs, perhaps something done to them first, a contraction, reduction or neither, something done to
 * the result, perhaps more than one stage. */
static void sched_random_nest(sched_random *x) {
    static const char *const unary[] = {"negate", "abs", "sign", "copy"},
                             *const binary[] = {"add", "multiply", "maximum", "subtract"},
                             *const combine[] = {"add", "maximum", "minimum"}, *const init[] = {"0", "-inf", "inf"};
    xg_buf *b = &x->text;
    int i = 1 + (int)sched_pick(x, 9), j = 1 + (int)sched_pick(x, 9), k = 1 + (int)sched_pick(x, 9),
        c = (int)sched_pick(x, 3);
    const char *u = unary[sched_pick(x, 4)], *v = unary[sched_pick(x, 4)], *f = binary[sched_pick(x, 4)];
    xg_buf_init(b, x->io->arena);
    switch (sched_pick(x, 5)) {
    case 0: /* P = u(A); C = P . B; D = f(v(C), bias) */
        xg_printf(b,
            "nest n(A: f32[%d,%d], B: f32[%d,%d], bias: f32[%d]) -> (D: f32[%d,%d]) {\n alloc P: f32[%d,%d] in global "
            "alloc C: f32[%d,%d] in global\n",
            i, k, k, j, j, i, j, i, k, i, j);
        xg_printf(b,
            " for p in %d { for q in %d { block P(S v0: %d = p, S v1: %d = q) { a = A[v0, v1] t = %s(a) P[v0, v1] = t "
            "} } }\n",
            i, k, i, k, u);
        xg_printf(b,
            " for i in %d { for j in %d { for k in %d { block C(S vi: %d = i, S vj: %d = j, R vk: %d = k) { init %s a "
            "= P[vi, vk] b = B[vk, vj] m = multiply(a, b) C[vi, vj] %s= m } } } }\n",
            i, j, k, i, j, k, init[c], combine[c]);
        xg_printf(b,
            " for r in %d { for s in %d { block D(S v0: %d = r, S v1: %d = s) { a = C[v0, v1] t = %s(a) b = bias[v1] d "
            "= %s(t, b) D[v0, v1] = d } } }\n}\n",
            i, j, i, j, v, f);
        break;
    case 1: /* a maximum, what is left, a sum, a quotient: rows */
        xg_printf(b,
            "nest n(A: f32[%d,%d]) -> (Y: f32[%d,%d]) {\n alloc M: f32[%d] in global alloc E: f32[%d,%d] in global "
            "alloc T: f32[%d] in global\n",
            i, k, i, k, i, i, k, i);
        xg_printf(b,
            " for i in %d { for k in %d { block M(S vi: %d = i, R vk: %d = k) { init -inf a = A[vi, vk] M[vi] maximum= "
            "a } } }\n",
            i, k, i, k);
        xg_printf(b,
            " for i1 in %d { for k1 in %d { block E(S vi: %d = i1, S vk: %d = k1) { a = A[vi, vk] m = M[vi] d = "
            "subtract(a, m) e = %s(d) E[vi, vk] = e } } }\n",
            i, k, i, k, u);
        xg_printf(b,
            " for i2 in %d { for k2 in %d { block T(S vi: %d = i2, R vk: %d = k2) { init 0 a = E[vi, vk] T[vi] add= a "
            "} } }\n",
            i, k, i, k);
        xg_printf(b,
            " for i3 in %d { for k3 in %d { block Y(S vi: %d = i3, S vk: %d = k3) { a = E[vi, vk] m = T[vi] d = %s(a, "
            "m) Y[vi, vk] = d } } }\n}\n",
            i, k, i, k, f);
        break;
    case 2: /* a chain with a transpose in it */
        xg_printf(b,
            "nest n(A: f32[%d,%d]) -> (Z: f32[%d,%d]) {\n alloc X: f32[%d,%d] in global alloc Y: f32[%d,%d] in "
            "global\n",
            i, j, i, j, j, i, j, i);
        xg_printf(b,
            " for a in %d { for b in %d { block X(S v0: %d = a, S v1: %d = b) { x = A[v1, v0] y = %s(x) X[v0, v1] = y "
            "} } }\n",
            j, i, j, i, u);
        xg_printf(b,
            " for c in %d { for d in %d { block Y(S v0: %d = c, S v1: %d = d) { x = X[v0, v1] n = index s32 (v0 * %d + "
            "v1) m = f32[] convert(n) y = %s(x, m) Y[v0, v1] = y } } }\n",
            j, i, j, i, i, f);
        xg_printf(b,
            " for e in %d { for f in %d { block Z(S v0: %d = e, S v1: %d = f) { x = Y[v1, v0] w = X[v1, v0] y = %s(x, "
            "w) Z[v0, v1] = y } } }\n}\n",
            i, j, i, j, f);
        break;
    case 3: /* sliding windows of a padded row, then a sum over columns */
        xg_printf(b, "nest n(A: f32[%d,%d]) -> (S: f32[%d]) {\n alloc W: f32[%d,%d] in global\n", i, j, j, i, j);
        xg_printf(b,
            " for i in %d { for j in %d { for w in 3 { block W(S vi: %d = i, S vj: %d = j, R vw: 3 = w) { init 0 a = "
            "A[vi, vj + vw - 1] if vj + vw in [1, %d] else 2 b = %s(a) W[vi, vj] add= b } } } }\n",
            i, j, i, j, j, u);
        xg_printf(b,
            " for j1 in %d { for i1 in %d { block S(S vj: %d = j1, R vi: %d = i1) { init %s a = W[vi, vj] S[vj] %s= a "
            "} } }\n}\n",
            j, i, j, i, init[c], combine[c]);
        break;
    default: /* where the largest is */
        xg_puts(b, "most { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3) "
                   "g = pred[] compare(b, a), direction=GT e = pred[] compare(b, a), direction=EQ l = pred[] "
                   "compare(j, i), direction=LT\n el = pred[] and(e, l) t = pred[] or(g, el) v = f32[] select(t, b, a) "
                   "w = s32[] select(t, j, i) ROOT r = (f32[], s32[]) tuple(v, w) }\n");
        xg_printf(b,
            "nest n(A: f32[%d,%d]) -> (N: s32[%d]) {\n alloc M: f32[%d] in global alloc I: s32[%d] in global\n", i,
            k * 5, i, i, i);
        xg_printf(b,
            " for i in %d { for k in %d { block M(S vi: %d = i, R vk: %d = k) { init -inf, 1000 a = A[vi, vk] n = "
            "index s32 (vk) M[vi], I[vi] most= a, n } } }\n",
            i, k * 5, i, k * 5);
        xg_printf(b,
            " for j in %d { block N(S vi: %d = j) { a = I[vi] b = M[vi] c = s32[] convert(b) d = add(a, c) N[vi] = d } "
            "}\n}\n",
            i, i);
    }
}
/* Something of the nest by kind: a loop's variable, a block, a buffer. */
static const char *sched_random_loop(sched_random *x, const xg_loopnest *n) {
    const xg_nstmt *s;
    uint32_t count = 0, which;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) count += s->op == XG_N_LOOP;
    if (!count) return "none";
    which = sched_pick(x, count);
    for (s = n->root;; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_LOOP && which-- == 0) return n->vars.p[s->var].name.p;
}
static const char *sched_random_block(sched_random *x, const xg_loopnest *n) {
    const xg_nstmt *s;
    uint32_t count = 0, which;
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) count += s->op == XG_N_BLOCK;
    which = sched_pick(x, count);
    for (s = n->root;; s = xg_nstmt_next(s, n->root))
        if (s->op == XG_N_BLOCK && which-- == 0) return s->block->name.p;
}
static const char *sched_random_buf(sched_random *x, const xg_loopnest *n) {
    return n->bufs.p[sched_pick(x, n->bufs.n)]->name.p;
}
/* A loop around the block, its inner neighbour: so that most steps are taken. */
static const char *sched_random_around(sched_random *x, xg_loopnest *n, const char *block) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    uint32_t count = xg_nest_loops(xg_nest_find(n, xg_str_z(block)), loops, XG_COUNT(loops));
    return count ? n->vars.p[loops[sched_pick(x, count)]->var].name.p : "none";
}
static size_t sched_random_step(sched_random *x, xg_loopnest *n, char *line, size_t cap) {
    static const char *const scopes[] = {"shared", "local", "global"},
                             *const axes[] = {"blockIdx.x", "threadIdx.x", "threadIdx.y", "vthread.x"},
                             *const kinds[] = {"vectorize", "unroll", "parallel"};
    static const char *const maps2[] = {"(a, b) -> (b, a)", "(a, b) -> (a floordiv 2, b, a mod 2)",
        "(a, b) -> (b floordiv 3, a, b mod 3)", "(a, b) -> (a * 9 + b)", "(a, b) -> (a)"};
    /* A draw a statement: the order in which arguments are evaluated is the compiler's affair. */
    const char *block = sched_random_block(x, n), *loop = sched_random_loop(x, n);
    const char *around = sched_random_around(x, n, block), *other = sched_random_around(x, n, block);
    const char *buf = sched_random_buf(x, n), *scope = scopes[sched_pick(x, 3)];
    int primitive = (int)sched_pick(x, 20), f = 1 + (int)sched_pick(x, 5), g = 1 + (int)sched_pick(x, 4);
    uint32_t which = sched_pick(x, 60);
    bool coin = which % 2 != 0;
    switch (primitive) {
    case 0:
    case 1:
    case 2: return xg_format(line, cap, coin ? "split %s _ %d" : "split %s %d _", loop, f);
    case 3: return xg_format(line, cap, "fuse %s %s", around, other);
    case 4:
    case 5: return xg_format(line, cap, "reorder %s %s", around, other);
    case 6: return xg_format(line, cap, "bind %s %s", loop, axes[which % 4]);
    case 7: return xg_format(line, cap, "%s %s", kinds[which % 3], loop);
    case 8: return xg_format(line, cap, "cache_read %s %s %s", block, buf, scope);
    case 9: return xg_format(line, cap, "cache_write %s %s %s", block, buf, scope);
    case 10: return xg_format(line, cap, "reindex %s %s %s", block, buf, coin ? "read" : "write");
    case 11: return xg_format(line, cap, "compute_inline %s", block);
    case 12: return xg_format(line, cap, "reverse_compute_inline %s", block);
    case 13:
    case 14: return xg_format(line, cap, "compute_at %s %s", block, loop);
    case 15: return xg_format(line, cap, "reverse_compute_at %s %s", block, loop);
    case 16: return xg_format(line, cap, "decompose_reduction %s %s", block, around);
    case 17: return xg_format(line, cap, "rfactor %s %s %d", block, around, (int)(which % 3));
    case 18:
        return xg_format(line, cap, "%s %s \"%s\"%s", coin ? "transform_layout" : "transform_block_layout",
            which % 4 < 2 ? buf : block, maps2[which % 5], which % 3 ? " pad" : "");
    default:
        return coin ? xg_format(line, cap, "pad_einsum %s %d %d %d", block, f, g, 1 + (int)(which % 4))
                    : xg_format(line, cap, "blockize %s", loop);
    }
}
/* Takes the step, or not: then the nest must be as it was. */
static bool sched_random_try(sched_run *r, const char *line, size_t n_line, const char **why) {
    xg_stage *io = r->io;
    xg_buf before, after;
    jmp_buf here;
    jmp_buf *const outer = io->ctx->guard;
    xg_buf_init(&before, io->arena);
    xg_nest_print(&before, r->n);
    if (setjmp(here)) {
        io->ctx->guard = outer;
        *why = NULL;
        if (io->ctx->status == XLAGPU_ERROR_USAGE) {
            xg_buf_init(&after, io->arena);
            xg_nest_print(&after, r->n);
            if (after.n == before.n && memcmp(after.p, before.p, after.n) == 0) return false;
            *why = "a refused step changed the nest";
            return false;
        }
        *why = xg_str_copy(io->arena, xg_str_z(io->ctx->message)).p;
        return false;
    }
    (void)xg_try(io->ctx, &here);
    sched_line(r, line, line + n_line);
    xg_end(io->ctx, outer);
    *why = NULL;
    return true;
}
static const char *sched_random_check(sched_run *r, const xg_literal *const *want) {
    xg_stage *io = r->io;
    const xg_literal **got;
    jmp_buf here;
    jmp_buf *const outer = io->ctx->guard;
    uint32_t k;
    if (setjmp(here)) {
        io->ctx->guard = outer;
        return xg_str_copy(io->arena, xg_str_z(io->ctx->message)).p;
    }
    (void)xg_try(io->ctx, &here);
    got = sched_results(io, r->n, false);
    xg_end(io->ctx, outer);
    for (k = 0; want[k]; k++)
        if (!xg_literal_equal(want[k], got[k])) return "the results differ";
    return NULL;
}
/* The same as kernels on the simulator: NULL also where such a nest cannot be one (*runs false). */
static const char *sched_random_host_run(sched_run *r, const xg_literal *const *want, bool *runs) {
    xg_stage *io = r->io;
    size_t out = io->out.n;
    jmp_buf here;
    jmp_buf *const outer = io->ctx->guard;
    *runs = true;
    if (setjmp(here)) {
        io->ctx->guard = outer;
        *runs = false;
        return io->ctx->status == XLAGPU_ERROR_INTERNAL ? xg_str_copy(io->arena, xg_str_z(io->ctx->message)).p : NULL;
    }
    (void)xg_try(io->ctx, &here);
    sched_finish(r->n);
    sched_compare(io, want, sched_simulate(io, r->n, false, false));
    xg_end(io->ctx, outer);
    return io->out.n == out ? NULL : "the simulator says otherwise";
}
static const char *sched_random_host(sched_run *r, const xg_literal *const *want) {
    bool runs;
    const char *why = sched_random_host_run(r, want, &runs);
    return runs || why ? why : r->io->ctx->message;
}
static void stage_schedule_random(xg_stage *io) {
    sched_random x;
    int seed = 1, count = 1, steps = 8, sample = 0, k, taken = 0, refused = 0, hosts = 0;
    memset(&x, 0, sizeof x);
    x.io = io;
    (void)sscanf(io->args, "%d %d %d %d", &seed, &count, &steps, &sample);
    for (k = 0; k < count; k++) {
        xg_mark mark = xg_arena_mark(io->arena);
        sched_run *r = XG_NEW(io->arena, sched_run);
        const xg_literal **want;
        const char *why = NULL;
        xg_source src;
        size_t at = 0;
        int step;
        x.state = (uint64_t)seed * 1000003u + (uint64_t)k;
        (void)sched_pick(&x, 2);
        x.n_script = 0;
        sched_random_nest(&x);
        src.name = "nest";
        src.text = x.text.p;
        src.size = x.text.n;
        r->io = io;
        r->n = xg_nest_parse(io->ctx, io->arena, xg_aff_new(io->arena), &src, &at);
        r->reader = xg_trace_reader(r->n, &src);
        xg_nest_verify(r->n);
        want = sched_results(io, r->n, false);
        for (step = 0; step < steps && !why; step++) {
            char line[256];
            size_t n = sched_random_step(&x, r->n, line, sizeof line);
            bool done = sched_random_try(r, line, n, &why);
            *(done ? &taken : &refused) += 1;
            if (done || why) {
                x.n_script += xg_format(x.script + x.n_script, sizeof x.script - x.n_script, "%s\n", line);
                if (!why) why = sched_random_check(r, want);
            }
        }
        if (!why && sample && k % sample == 0) {
            bool runs;
            xg_loopnest *copy = xg_nest_copy(r->n);
            why = sched_random_host_run(r, want, &runs);
            hosts += runs;
            r->n = copy;
        }
        if (why) {
            xg_printf(&io->out, "FAILED %d: %s\n%s%s", k, why, x.text.p, x.script);
            xg_nest_print(&io->out, r->n);
            return;
        }
        if (io->out.p && io->out.n) continue;
        xg_arena_reset(io->arena, mark);
    }
    xg_printf(&io->out, "%d nests, none differs\n", count);
    if (sample && hosts * 4 * sample < count)
        xg_printf(&io->out, "only %d of %d were run on the simulator\n", hosts, count / sample);
    if (taken < refused / 8) xg_printf(&io->out, "only %d of %d steps were taken\n", taken, taken + refused);
}
