/* The primitives of a script: given are names for what it makes, and its arguments. */
#define SCHED_ROW(name) \
    static void sched_do_##name(sched_run *r, const xg_str *out, uint32_t n_out, const xg_str *in, uint32_t n_in)
#define SCHED_NEED(count) \
    do { \
        if (n_in < (count)) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "too few arguments"); \
    } while (0)

SCHED_ROW(loops) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    uint32_t n, k;
    SCHED_NEED(1);
    n = xg_nest_loops(sched_stmt(r, in[0]), loops, XG_COUNT(loops));
    for (k = 0; k < n && k < n_out; k++) sched_give(r, out[k], loops[k]);
}
SCHED_ROW(split) {
    int64_t factors[32];
    xg_nstmt *loops[32], *loop;
    uint32_t k;
    SCHED_NEED(1);
    loop = sched_stmt(r, in[0]);
    for (k = 1; k < n_in && k < 32; k++) factors[k - 1] = sched_int(r, in[k]);
    xg_sched_split(r->n, loop, factors, k - 1, loops);
    for (k = 0; k < n_out && k + 1 < n_in; k++) sched_give(r, out[k], loops[k]);
}
static uint32_t sched_list(sched_run *r, const xg_str *in, uint32_t n, xg_nstmt **list) {
    uint32_t k;
    for (k = 0; k < n && k < XG_NEST_DEPTH_MAX; k++) list[k] = sched_stmt(r, in[k]);
    return k;
}
SCHED_ROW(fuse) {
    xg_nstmt *list[XG_NEST_DEPTH_MAX], *fused = xg_sched_fuse(r->n, list, sched_list(r, in, n_in, list));
    if (n_out) sched_give(r, out[0], fused);
}
SCHED_ROW(reorder) {
    xg_nstmt *list[XG_NEST_DEPTH_MAX];
    uint32_t n = sched_list(r, in, n_in, list);
    (void)out;
    (void)n_out;
    xg_sched_reorder(r->n, list, n);
}
static void sched_kind_of(sched_run *r, const xg_str *in, xg_nkind kind) {
    xg_sched_kind(r->n, sched_stmt(r, in[0]), kind);
}
SCHED_ROW(bind) {
    uint32_t k;
    (void)out;
    (void)n_out;
    SCHED_NEED(2);
    for (k = 0; k < XG_NK_COUNT && !(xg_nkind_is_axis((xg_nkind)k) && xg_str_is(in[1], xg_nkind_text((xg_nkind)k)));
         k++) {}
    if (k == XG_NK_COUNT) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "no axis is called '%.*s'", (int)in[1].n, in[1].p);
    sched_kind_of(r, in, (xg_nkind)k);
}
SCHED_ROW(vectorize) {
    (void)out;
    (void)n_out;
    SCHED_NEED(1);
    sched_kind_of(r, in, XG_NK_VECTORIZED);
}
SCHED_ROW(unroll) {
    (void)out;
    (void)n_out;
    SCHED_NEED(1);
    sched_kind_of(r, in, XG_NK_UNROLLED);
}
SCHED_ROW(parallel) {
    (void)out;
    (void)n_out;
    SCHED_NEED(1);
    sched_kind_of(r, in, XG_NK_PARALLEL);
}
SCHED_ROW(annotate) {
    (void)out;
    (void)n_out;
    SCHED_NEED(3);
    xg_sched_annotate(r->n, sched_stmt(r, in[0]), in[1], in[2]);
}
SCHED_ROW(unannotate) {
    (void)out;
    (void)n_out;
    SCHED_NEED(2);
    xg_sched_unannotate(r->n, sched_stmt(r, in[0]), in[1]);
}
SCHED_ROW(add_unit_loop) {
    xg_nstmt *unit;
    SCHED_NEED(1);
    unit = xg_sched_add_unit_loop(r->n, sched_stmt(r, in[0]));
    if (n_out) sched_give(r, out[0], unit);
}

static xg_nbuf *sched_buf(sched_run *r, xg_str word) {
    xg_nbuf *b = xg_nest_find_buf(r->n, word);
    if (!b) xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "no buffer is called '%.*s'", (int)word.n, word.p);
    return b;
}
static xg_nscope sched_scope(sched_run *r, xg_str word) {
    uint32_t k;
    for (k = 0; k < XG_NS_COUNT; k++)
        if (xg_str_is(word, xg_nscope_text((xg_nscope)k))) return (xg_nscope)k;
    xg_fail(r->io->ctx, XLAGPU_ERROR_USAGE, "no scope is called '%.*s'", (int)word.n, word.p);
}
#define SCHED_GIVE(made) \
    do { \
        xg_nstmt *given = (made); \
        if (n_out) sched_give(r, out[0], given); \
    } while (0)
#define SCHED_NOTHING ((void)out, (void)n_out)
SCHED_ROW(cache_read) {
    SCHED_NEED(3);
    SCHED_GIVE(xg_sched_cache_read(r->n, sched_stmt(r, in[0]), sched_buf(r, in[1]), sched_scope(r, in[2])));
}
SCHED_ROW(cache_write) {
    SCHED_NEED(3);
    SCHED_GIVE(xg_sched_cache_write(r->n, sched_stmt(r, in[0]), sched_buf(r, in[1]), sched_scope(r, in[2])));
}
SCHED_ROW(reindex) {
    SCHED_NEED(3);
    SCHED_GIVE(xg_sched_reindex(r->n, sched_stmt(r, in[0]), sched_buf(r, in[1]), xg_str_is(in[2], "write")));
}
SCHED_ROW(set_scope) {
    SCHED_NOTHING;
    SCHED_NEED(2);
    xg_sched_set_scope(r->n, sched_buf(r, in[0]), sched_scope(r, in[1]));
}
SCHED_ROW(storage_align) {
    SCHED_NOTHING;
    SCHED_NEED(4);
    xg_sched_storage_align(
        r->n, sched_buf(r, in[0]), (uint32_t)sched_int(r, in[1]), sched_int(r, in[2]), sched_int(r, in[3]));
}
SCHED_ROW(compute_inline) {
    SCHED_NOTHING;
    SCHED_NEED(1);
    xg_sched_compute_inline(r->n, sched_stmt(r, in[0]));
}
SCHED_ROW(reverse_compute_inline) {
    SCHED_NOTHING;
    SCHED_NEED(1);
    xg_sched_reverse_compute_inline(r->n, sched_stmt(r, in[0]));
}
SCHED_ROW(compute_at) {
    SCHED_NOTHING;
    SCHED_NEED(2);
    xg_sched_compute_at(r->n, sched_stmt(r, in[0]), sched_stmt(r, in[1]), n_in > 2);
}
SCHED_ROW(reverse_compute_at) {
    SCHED_NOTHING;
    SCHED_NEED(2);
    xg_sched_reverse_compute_at(r->n, sched_stmt(r, in[0]), sched_stmt(r, in[1]), n_in > 2);
}
SCHED_ROW(decompose_reduction) {
    SCHED_NEED(2);
    SCHED_GIVE(xg_sched_decompose_reduction(r->n, sched_stmt(r, in[0]), sched_stmt(r, in[1])));
}
SCHED_ROW(rfactor) {
    SCHED_NEED(3);
    SCHED_GIVE(xg_sched_rfactor(r->n, sched_stmt(r, in[0]), sched_stmt(r, in[1]), (uint32_t)sched_int(r, in[2])));
}

/* A map without its domain: the ranges of its variables follow from what it is used for. */
static const xg_imap *sched_map(sched_run *r, xg_str word) {
    xg_buf b;
    xg_source src;
    size_t at = 0;
    const char *p;
    uint32_t names = 0;
    xg_buf_init(&b, r->io->arena);
    xg_put_str(&b, word);
    for (p = word.p; p < word.p + word.n && *p != ')'; p++) {
        const char *from = p;
        while (p < word.p + word.n && (*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9'))) p++;
        if (p > from) xg_printf(&b, "%s%.*s in [0, 1000000]", names++ ? ", " : ", domain: ", (int)(p - from), from);
        if (p > from) p--;
    }
    src.name = "map";
    src.text = b.p;
    src.size = b.n;
    return xg_imap_parse(r->n->aff, &src, &at);
}
SCHED_ROW(transform_layout) {
    SCHED_NOTHING;
    SCHED_NEED(2);
    xg_sched_transform_layout(r->n, sched_buf(r, in[0]), sched_map(r, in[1]), n_in > 2);
}
SCHED_ROW(transform_block_layout) {
    SCHED_NOTHING;
    SCHED_NEED(2);
    xg_sched_transform_block_layout(r->n, sched_stmt(r, in[0]), sched_map(r, in[1]));
}
SCHED_ROW(pad_einsum) {
    int64_t multiples[32];
    uint32_t k;
    xg_nstmt *block;
    SCHED_NOTHING;
    SCHED_NEED(1);
    block = sched_stmt(r, in[0]);
    for (k = 1; k < n_in && k < 32; k++) multiples[k - 1] = sched_int(r, in[k]);
    xg_sched_pad_einsum(r->n, block, multiples, k - 1);
}
SCHED_ROW(blockize) {
    SCHED_NEED(1);
    SCHED_GIVE(xg_sched_blockize(r->n, sched_stmt(r, in[0])));
}

/* clang-format off */
#define SCHED_PRIMITIVES(X) \
    X(loops) \
    X(split) \
    X(fuse) \
    X(reorder) \
    X(bind) \
    X(vectorize) \
    X(unroll) \
    X(parallel) \
    X(annotate) \
    X(unannotate) \
    X(add_unit_loop) \
    X(cache_read) \
    X(cache_write) \
    X(reindex) \
    X(set_scope) \
    X(storage_align) \
    X(compute_inline) \
    X(reverse_compute_inline) \
    X(compute_at) \
    X(reverse_compute_at) \
    X(decompose_reduction) \
    X(rfactor) \
    X(transform_layout) \
    X(transform_block_layout) \
    X(pad_einsum) \
    X(blockize)
/* clang-format on */
static const struct sched_row {
    const char *name;
    void (*run)(sched_run *r, const xg_str *out, uint32_t n_out, const xg_str *in, uint32_t n_in);
} sched_rows[] = {
#define X(name) {#name, sched_do_##name},
    SCHED_PRIMITIVES(X)
#undef X
};
