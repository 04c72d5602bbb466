/* sched/trace.c -- schedules as text: what was done to a nest, a line for each primitive, and reading that back.
 *
 *   trace    = {[line] newline}
 *   line     = "#" anything | [name {name} "="] primitive {argument}
 *   argument = name | number | "_" | word | quoted text | bracketed text         blanks and commas stand between words
 *
 * get_block and get_loops give names to what the nest has; other primitives give names to what they make. A name that
 * the trace did not give is looked up in the nest: a block first, then a loop's variable. Buffers go by their names in
 * the nest.
 *
 * A nest records while it has a trace (xg_trace_begin; record.c). A refused primitive writes no line of its own. A
 * recorded trace, applied to the nest as it was, gives the same nest. */
#ifndef XG_SCHED_TRACE_C
#define XG_SCHED_TRACE_C
#include "sched.h"
#include "loops.c"
#include "../hlo/text.h"

/* ---- reading ---- */

enum {
    XG_TREAD_WORDS = 96
}; /* a line of more is an error: no primitive takes so many */
typedef struct xg_tname {
    xg_str name;
    xg_nstmt *s;
} xg_tname;
typedef struct xg_tread {
    xg_loopnest *n;
    const xg_source *src;
    XG_VEC(xg_tname) names;  /* the last one of a name counts */
    uint32_t n_words, n_out; /* words: names given, primitive, arguments */
    const xg_str *in;
    uint32_t n_in;
    xg_str words[XG_TREAD_WORDS];
} xg_tread;

XG_NORETURN XG_FN void xg_tread_fail(const xg_tread *r, xg_str at, const char *hint, const char *format, ...)
    XG_PRINTF(4, 5);
XG_NORETURN XG_FN void xg_tread_fail(const xg_tread *r, xg_str at, const char *hint, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    (void)xg_vformat(text, sizeof text, format, args);
    va_end(args);
    xg_fail_at(r->n->ctx, XLAGPU_ERROR_USAGE, r->src, (size_t)(at.p - r->src->text), hint, "%s", text);
}
XG_FN xg_str xg_tread_word(const xg_tread *r, uint32_t k) { return r->in[k]; }
XG_FN xg_nstmt *xg_tread_stmt(const xg_tread *r, uint32_t k) {
    xg_str word = xg_tread_word(r, k);
    xg_nstmt *s = NULL;
    uint32_t j;
    for (j = r->names.n; j-- > 0 && !s;)
        if (xg_str_eq(r->names.p[j].name, word)) s = r->names.p[j].s;
    if (!s) s = xg_nest_find(r->n, word);
    if (!s) s = xg_nest_find_loop(r->n, word);
    if (!s) xg_tread_fail(r, word, NULL, "no loop or block is called '%.*s'", (int)word.n, word.p);
    return s;
}
XG_FN int64_t xg_tread_int(const xg_tread *r, uint32_t k) {
    xg_str word = xg_tread_word(r, k);
    int64_t v = 0;
    if (xg_str_is(word, "_")) return -1;
    if (!xg_lex_to_int(word, &v)) xg_tread_fail(r, word, NULL, "'%.*s' is no number", (int)word.n, word.p);
    return v;
}
XG_FN uint32_t xg_tread_axis_number(const xg_tread *r, uint32_t k) {
    int64_t v = xg_tread_int(r, k);
    if (v < 0 || v > XG_RANK_MAX) xg_tread_fail(r, r->in[k], NULL, "%lld is no axis", (long long)v);
    return (uint32_t)v;
}
XG_FN xg_nbuf *xg_tread_buf(const xg_tread *r, uint32_t k) {
    xg_str word = xg_tread_word(r, k);
    xg_nbuf *b = xg_nest_find_buf(r->n, word);
    if (!b) xg_tread_fail(r, word, NULL, "no buffer is called '%.*s'", (int)word.n, word.p);
    return b;
}
XG_FN xg_nscope xg_tread_scope(const xg_tread *r, uint32_t k) {
    xg_str word = xg_tread_word(r, k);
    uint32_t s;
    for (s = 0; s < XG_NS_COUNT; s++)
        if (xg_str_is(word, xg_nscope_text((xg_nscope)s))) return (xg_nscope)s;
    xg_tread_fail(r, word, "global, shared, warp or local", "no scope is called '%.*s'", (int)word.n, word.p);
}
XG_FN xg_nkind xg_tread_axis(const xg_tread *r, uint32_t k) {
    xg_str word = xg_tread_word(r, k);
    uint32_t a;
    for (a = 0; a < XG_NK_COUNT; a++)
        if (xg_nkind_is_axis((xg_nkind)a) && xg_str_is(word, xg_nkind_text((xg_nkind)a))) return (xg_nkind)a;
    xg_tread_fail(r, word, "blockIdx.x, threadIdx.x, vthread.x, ...", "no axis is called '%.*s'", (int)word.n, word.p);
}
/* A map without its domain: the ranges of its variables follow from what it is used for. */
XG_FN const xg_imap *xg_tread_map(const xg_tread *r, uint32_t k) {
    enum {
        MOST = 1 << 20
    }; /* any bound: each use puts its own in its place */
    xg_str word = xg_tread_word(r, k);
    const char *p, *end = word.p + word.n;
    uint32_t names = 0;
    xg_source src;
    size_t at = 0;
    xg_buf b;
    xg_buf_init(&b, r->n->arena);
    xg_put_str(&b, word);
    for (p = word.p; p < end && *p != ')'; p++) {
        const char *from = p;
        while (
            p < end && (*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
            p++;
        if (p == from) continue;
        xg_printf(&b, "%s%.*s in [0, %d]", names++ ? ", " : ", domain: ", (int)(p - from), from, MOST);
        p--;
    }
    src.name = "map";
    src.text = xg_str_copy(r->n->arena, xg_str_of(b.p, b.n)).p;
    src.size = b.n;
    return xg_imap_parse(r->n->aff, &src, &at);
}
XG_FN void xg_tread_give(xg_tread *r, uint32_t k, xg_nstmt *s) {
    xg_tname name;
    if (k >= r->n_out) return;
    name.name = xg_str_copy(r->n->arena, r->words[k]);
    name.s = s;
    xg_push(r->n->arena, xg_tname, &r->names, name);
}
/* The loops or blocks from argument k on. */
XG_FN uint32_t xg_tread_list(const xg_tread *r, uint32_t k, xg_nstmt **list) {
    uint32_t count = 0;
    for (; k < r->n_in; k++) list[count++] = xg_tread_stmt(r, k);
    return count;
}
XG_FN uint32_t xg_tread_ints(const xg_tread *r, uint32_t k, int64_t *list) {
    uint32_t count = 0;
    for (; k < r->n_in; k++) list[count++] = xg_tread_int(r, k);
    return count;
}

/* ---- the primitives ---- */

#define XG_TROW(name) XG_FN void xg_trow_##name(xg_tread *r)
XG_TROW(get_block) {
    xg_str word = xg_tread_word(r, 0);
    xg_nstmt *s = xg_nest_find(r->n, word);
    if (!s) xg_tread_fail(r, word, NULL, "get_block: no block is called '%.*s'", (int)word.n, word.p);
    xg_tread_give(r, 0, s);
}
XG_TROW(get_loops) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    uint32_t count = xg_nest_loops(xg_tread_stmt(r, 0), loops, XG_COUNT(loops)), k;
    if (r->n_out > count)
        xg_tread_fail(r, r->words[0], NULL, "get_loops: %u loops are around '%.*s', and there are %u names", count,
            (int)r->in[0].n, r->in[0].p, r->n_out);
    for (k = 0; k < r->n_out; k++) xg_tread_give(r, k, loops[k]);
}
XG_TROW(get_child_blocks) {
    xg_nstmt *top = r->n_in ? xg_tread_stmt(r, 0) : r->n->root, *s;
    uint32_t k = 0;
    for (s = xg_nstmt_next_block(top, top); s; s = xg_nstmt_next_block(s, top)) xg_tread_give(r, k++, s);
    if (r->n_out > k) xg_tread_fail(r, r->words[0], NULL, "get_child_blocks: %u blocks for %u names", k, r->n_out);
}
XG_TROW(split) {
    int64_t factors[XG_TREAD_WORDS] = {0};
    xg_nstmt *loops[XG_TREAD_WORDS], *loop = xg_tread_stmt(r, 0);
    uint32_t count = xg_tread_ints(r, 1, factors), k;
    xg_sched_split(r->n, loop, factors, count, loops);
    for (k = 0; k < count; k++) xg_tread_give(r, k, loops[k]);
}
XG_TROW(fuse) {
    xg_nstmt *list[XG_TREAD_WORDS];
    uint32_t count = xg_tread_list(r, 0, list);
    xg_tread_give(r, 0, xg_sched_fuse(r->n, list, count));
}
XG_TROW(reorder) {
    xg_nstmt *list[XG_TREAD_WORDS];
    uint32_t count = xg_tread_list(r, 0, list);
    xg_sched_reorder(r->n, list, count);
}
XG_TROW(bind) {
    xg_nstmt *loop = xg_tread_stmt(r, 0);
    xg_sched_kind(r->n, loop, xg_tread_axis(r, 1));
}
XG_TROW(vectorize) { xg_sched_kind(r->n, xg_tread_stmt(r, 0), XG_NK_VECTORIZED); }
XG_TROW(unroll) { xg_sched_kind(r->n, xg_tread_stmt(r, 0), XG_NK_UNROLLED); }
XG_TROW(parallel) { xg_sched_kind(r->n, xg_tread_stmt(r, 0), XG_NK_PARALLEL); }
XG_TROW(annotate) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_str key = xg_tread_word(r, 1);
    xg_sched_annotate(r->n, s, key, xg_tread_word(r, 2));
}
XG_TROW(unannotate) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_sched_unannotate(r->n, s, xg_tread_word(r, 1));
}
XG_TROW(add_unit_loop) { xg_tread_give(r, 0, xg_sched_add_unit_loop(r->n, xg_tread_stmt(r, 0))); }
XG_TROW(cache_read) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_nbuf *buf = xg_tread_buf(r, 1);
    xg_tread_give(r, 0, xg_sched_cache_read(r->n, s, buf, xg_tread_scope(r, 2)));
}
XG_TROW(cache_write) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_nbuf *buf = xg_tread_buf(r, 1);
    xg_tread_give(r, 0, xg_sched_cache_write(r->n, s, buf, xg_tread_scope(r, 2)));
}
XG_TROW(reindex) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_nbuf *buf = xg_tread_buf(r, 1);
    xg_str way = xg_tread_word(r, 2);
    if (xg_word_in("read write", way) < 0)
        xg_tread_fail(r, way, "read or write", "reindex: '%.*s' is neither", (int)way.n, way.p);
    xg_tread_give(r, 0, xg_sched_reindex(r->n, s, buf, xg_str_is(way, "write")));
}
XG_TROW(set_scope) {
    xg_nbuf *buf = xg_tread_buf(r, 0);
    xg_sched_set_scope(r->n, buf, xg_tread_scope(r, 1));
}
XG_TROW(storage_align) {
    xg_nbuf *buf = xg_tread_buf(r, 0);
    uint32_t axis = xg_tread_axis_number(r, 1);
    int64_t factor = xg_tread_int(r, 2);
    xg_sched_storage_align(r->n, buf, axis, factor, xg_tread_int(r, 3));
}
XG_TROW(compute_inline) { xg_sched_compute_inline(r->n, xg_tread_stmt(r, 0)); }
XG_TROW(reverse_compute_inline) { xg_sched_reverse_compute_inline(r->n, xg_tread_stmt(r, 0)); }
XG_FN bool xg_tread_keeps_unit(const xg_tread *r) {
    if (r->n_in > 2 && !xg_str_is(r->in[2], "keep_unit"))
        xg_tread_fail(r, r->in[2], "keep_unit", "'%.*s' is no option", (int)r->in[2].n, r->in[2].p);
    return r->n_in > 2;
}
XG_TROW(compute_at) {
    xg_nstmt *s = xg_tread_stmt(r, 0), *loop = xg_tread_stmt(r, 1);
    xg_sched_compute_at(r->n, s, loop, xg_tread_keeps_unit(r));
}
XG_TROW(reverse_compute_at) {
    xg_nstmt *s = xg_tread_stmt(r, 0), *loop = xg_tread_stmt(r, 1);
    xg_sched_reverse_compute_at(r->n, s, loop, xg_tread_keeps_unit(r));
}
XG_TROW(decompose_reduction) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_tread_give(r, 0, xg_sched_decompose_reduction(r->n, s, xg_tread_stmt(r, 1)));
}
XG_TROW(rfactor) {
    xg_nstmt *s = xg_tread_stmt(r, 0), *loop = xg_tread_stmt(r, 1);
    xg_tread_give(r, 0, xg_sched_rfactor(r->n, s, loop, xg_tread_axis_number(r, 2)));
}
XG_TROW(transform_layout) {
    xg_nbuf *buf = xg_tread_buf(r, 0);
    const xg_imap *map = xg_tread_map(r, 1);
    if (r->n_in > 2 && !xg_str_is(r->in[2], "pad"))
        xg_tread_fail(r, r->in[2], "pad", "'%.*s' is no option", (int)r->in[2].n, r->in[2].p);
    xg_sched_transform_layout(r->n, buf, map, r->n_in > 2);
}
XG_TROW(transform_block_layout) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_sched_transform_block_layout(r->n, s, xg_tread_map(r, 1));
}
XG_TROW(pad_einsum) {
    int64_t multiples[XG_TREAD_WORDS];
    xg_nstmt *s = xg_tread_stmt(r, 0);
    uint32_t count = xg_tread_ints(r, 1, multiples);
    xg_sched_pad_einsum(r->n, s, multiples, count);
}
XG_TROW(blockize) { xg_tread_give(r, 0, xg_sched_blockize(r->n, xg_tread_stmt(r, 0))); }
XG_TROW(tensorize) {
    xg_nstmt *s = xg_tread_stmt(r, 0);
    xg_tread_give(r, 0, xg_sched_tensorize(r->n, s, xg_tread_word(r, 1)));
}
#undef XG_TROW

/* THE table of primitives. X(NAME, least, most arguments; most 0: any number) */
#define XG_SCHED_PRIMITIVES(X) \
    X(get_block, 1, 1) \
    X(get_loops, 1, 1) \
    X(get_child_blocks, 0, 1) \
    X(split, 2, 17) \
    X(fuse, 1, 0) \
    X(reorder, 1, 0) \
    X(bind, 2, 2) \
    X(vectorize, 1, 1) \
    X(unroll, 1, 1) \
    X(parallel, 1, 1) \
    X(annotate, 3, 3) \
    X(unannotate, 2, 2) \
    X(add_unit_loop, 1, 1) \
    X(cache_read, 3, 3) \
    X(cache_write, 3, 3) \
    X(reindex, 3, 3) \
    X(set_scope, 2, 2) \
    X(storage_align, 4, 4) \
    X(compute_inline, 1, 1) \
    X(reverse_compute_inline, 1, 1) \
    X(compute_at, 2, 3) \
    X(reverse_compute_at, 2, 3) \
    X(decompose_reduction, 2, 2) \
    X(rfactor, 3, 3) \
    X(transform_layout, 2, 3) \
    X(transform_block_layout, 2, 2) \
    X(pad_einsum, 2, 0) \
    X(blockize, 1, 1) \
    X(tensorize, 2, 2)
static void (*const xg_trow_runs[])(xg_tread *r) = {
#define X(name, least, most) xg_trow_##name,
    XG_SCHED_PRIMITIVES(X)
#undef X
};
static const uint8_t xg_trow_least[] = {
#define X(name, least, most) least,
    XG_SCHED_PRIMITIVES(X)
#undef X
};
static const uint8_t xg_trow_most[] = {
#define X(name, least, most) most,
    XG_SCHED_PRIMITIVES(X)
#undef X
};
static const char xg_trow_names[] =
#define X(name, least, most) #name "\0"
    XG_SCHED_PRIMITIVES(X)
#undef X
    ;

/* ---- lines ---- */

XG_FN xg_tread *xg_trace_reader(xg_loopnest *n, const xg_source *src) {
    xg_tread *r = XG_NEW(n->arena, xg_tread);
    r->n = n;
    r->src = src;
    return r;
}
XG_FN bool xg_tread_is_blank(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\r'; }
/* Words from p to the line's end. What stands in brackets or quotes is one word without them. */
XG_FN void xg_tread_split(xg_tread *r, const char *p, const char *end) {
    r->n_words = 0;
    for (;;) {
        const char *from;
        char close = 0;
        while (p < end && xg_tread_is_blank(*p)) p++;
        if (p == end || *p == '#') return;
        if (r->n_words == XG_TREAD_WORDS) xg_tread_fail(r, xg_str_of(p, 1), NULL, "the line has too many words");
        if (*p == '[') close = ']';
        if (*p == '"') close = '"';
        from = close ? ++p : p;
        while (p < end && (close ? *p != close : !xg_tread_is_blank(*p))) p++;
        if (close && p == end) xg_tread_fail(r, xg_str_of(from, 1), NULL, "'%c' is missing in this line", close);
        r->words[r->n_words++] = xg_str_of(from, (size_t)(p - from));
        if (close) p++;
    }
}
XG_APART XG_FN void xg_trace_line(xg_tread *r, const char *p, const char *end) {
    const char *name;
    uint32_t k, at = 0;
    xg_tread_split(r, p, end);
    if (!r->n_words) return;
    r->n->line = (size_t)(r->words[0].p - r->src->text);
    for (k = 0; k < r->n_words; k++)
        if (xg_str_is(r->words[k], "=")) at = k + 1;
    if (at == r->n_words) xg_tread_fail(r, r->words[at - 1], NULL, "a primitive is missing behind '='");
    r->n_out = at ? at - 1 : 0;
    for (k = 0; (name = xg_text_nth(xg_trow_names, k)) != NULL && !xg_str_is(r->words[at], name); k++) {}
    if (!name)
        xg_tread_fail(r, r->words[at], xg_nearest(r->words[at], xg_text_nth, xg_trow_names),
            "no primitive is called '%.*s'", (int)r->words[at].n, r->words[at].p);
    r->in = r->words + at + 1;
    r->n_in = r->n_words - at - 1;
    if (r->n_in < xg_trow_least[k] || (xg_trow_most[k] && r->n_in > xg_trow_most[k]))
        xg_tread_fail(r, r->words[at], NULL, "'%s' does not take %u arguments", name, r->n_in);
    xg_trow_runs[k](r);
}
XG_FN void xg_trace_apply(xg_loopnest *n, const xg_source *src, size_t at) {
    xg_tread *r = xg_trace_reader(n, src);
    while (at < src->size) {
        size_t end = at;
        while (end < src->size && src->text[end] != '\n') end++;
        xg_trace_line(r, src->text + at, src->text + end);
        at = end + 1;
    }
}

#endif /* XG_SCHED_TRACE_C */
