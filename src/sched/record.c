/* sched/record.c -- the primitives under their own names: each does its work and writes its line of the trace.
 *
 * The names of loops and blocks are asked for before the work, which may take them away. */
#ifndef XG_SCHED_RECORD_C
#define XG_SCHED_RECORD_C
#include "sched.h"

XG_FN void xg_sched_split(xg_loopnest *n, xg_nstmt *loop, const int64_t *factors, uint32_t count, xg_nstmt **out) {
    const char *of = xg_trace_label(n, loop);
    xg_do_split(n, loop, factors, count, out);
    xg_trace_step(n, out, count, "split %s%s", of, xg_trace_ints(n, factors, count));
}
XG_FN xg_nstmt *xg_sched_fuse(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count) {
    const char *of = xg_trace_labels(n, loops, count);
    xg_nstmt *made = xg_do_fuse(n, loops, count);
    if (count > 1) xg_trace_step(n, &made, 1, "fuse%s", of);
    return made;
}
XG_FN void xg_sched_reorder(xg_loopnest *n, xg_nstmt *const *loops, uint32_t count) {
    const char *of = xg_trace_labels(n, loops, count);
    xg_do_reorder(n, loops, count);
    xg_trace_step(n, NULL, 0, "reorder%s", of);
}
XG_FN void xg_sched_kind(xg_loopnest *n, xg_nstmt *loop, xg_nkind kind) {
    static const char *const plain[] = {"serial", "parallel", "vectorize", "unroll"}; /* by kind, up to the axes */
    const char *of = xg_trace_label(n, loop);
    xg_do_kind(n, loop, kind);
    if (xg_nkind_is_axis(kind))
        xg_trace_step(n, NULL, 0, "bind %s %s", of, xg_nkind_text(kind));
    else
        xg_trace_step(n, NULL, 0, "%s %s", plain[kind], of);
}
XG_FN void xg_sched_annotate(xg_loopnest *n, xg_nstmt *s, xg_str key, xg_str value) {
    const char *of = xg_trace_label(n, s);
    xg_do_annotate(n, s, key, value);
    xg_trace_step(n, NULL, 0, "annotate %s \"%.*s\" \"%.*s\"", of, (int)key.n, key.p, (int)value.n, value.p);
}
XG_FN void xg_sched_unannotate(xg_loopnest *n, xg_nstmt *s, xg_str key) {
    const char *of = xg_trace_label(n, s);
    xg_do_unannotate(n, s, key);
    xg_trace_step(n, NULL, 0, "unannotate %s \"%.*s\"", of, (int)key.n, key.p);
}
XG_FN xg_nstmt *xg_sched_add_unit_loop(xg_loopnest *n, xg_nstmt *s) {
    const char *of = xg_trace_label(n, s);
    xg_nstmt *made = xg_do_add_unit_loop(n, s);
    xg_trace_step(n, &made, 1, "add_unit_loop %s", of);
    return made;
}
XG_FN xg_nstmt *xg_sched_cache_read(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope) {
    const char *of = xg_trace_label(n, block);
    xg_nstmt *made = xg_do_cache_read(n, block, buf, scope);
    xg_trace_step(n, &made, 1, "cache_read %s %s %s", of, buf->name.p, xg_nscope_text(scope));
    return made;
}
XG_FN xg_nstmt *xg_sched_cache_write(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, xg_nscope scope) {
    const char *of = xg_trace_label(n, block);
    xg_nstmt *made = xg_do_cache_write(n, block, buf, scope);
    xg_trace_step(n, &made, 1, "cache_write %s %s %s", of, buf->name.p, xg_nscope_text(scope));
    return made;
}
XG_FN xg_nstmt *xg_sched_reindex(xg_loopnest *n, xg_nstmt *block, xg_nbuf *buf, bool write) {
    const char *of = xg_trace_label(n, block);
    xg_nstmt *made = xg_do_reindex(n, block, buf, write);
    xg_trace_step(n, &made, 1, "reindex %s %s %s", of, buf->name.p, write ? "write" : "read");
    return made;
}
XG_FN void xg_sched_set_scope(xg_loopnest *n, xg_nbuf *buf, xg_nscope scope) {
    xg_do_set_scope(n, buf, scope);
    xg_trace_step(n, NULL, 0, "set_scope %s %s", buf->name.p, xg_nscope_text(scope));
}
XG_FN void xg_sched_storage_align(xg_loopnest *n, xg_nbuf *buf, uint32_t axis, int64_t factor, int64_t offset) {
    xg_do_storage_align(n, buf, axis, factor, offset);
    xg_trace_step(n, NULL, 0, "storage_align %s %u %lld %lld", buf->name.p, axis, (long long)factor, (long long)offset);
}
XG_FN void xg_sched_compute_inline(xg_loopnest *n, xg_nstmt *producer) {
    const char *of = xg_trace_label(n, producer);
    xg_do_compute_inline(n, producer);
    xg_trace_step(n, NULL, 0, "compute_inline %s", of);
}
XG_FN void xg_sched_reverse_compute_inline(xg_loopnest *n, xg_nstmt *consumer) {
    const char *of = xg_trace_label(n, consumer);
    xg_do_reverse_compute_inline(n, consumer);
    xg_trace_step(n, NULL, 0, "reverse_compute_inline %s", of);
}
XG_FN void xg_sched_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit, bool reverse) {
    const char *of = xg_trace_label(n, block), *at = xg_trace_label(n, loop);
    (reverse ? xg_do_reverse_compute_at : xg_do_compute_at)(n, block, loop, keep_unit);
    xg_trace_step(n, NULL, 0, "%scompute_at %s %s%s", reverse ? "reverse_" : "", of, at, keep_unit ? " keep_unit" : "");
}
XG_FN void xg_sched_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit) {
    xg_sched_at(n, block, loop, keep_unit, false);
}
XG_FN void xg_sched_reverse_compute_at(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, bool keep_unit) {
    xg_sched_at(n, block, loop, keep_unit, true);
}
XG_FN xg_nstmt *xg_sched_decompose_reduction(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop) {
    const char *of = xg_trace_label(n, block), *at = xg_trace_label(n, loop);
    xg_nstmt *made = xg_do_decompose_reduction(n, block, loop);
    xg_trace_step(n, &made, 1, "decompose_reduction %s %s", of, at);
    return made;
}
XG_FN xg_nstmt *xg_sched_rfactor(xg_loopnest *n, xg_nstmt *block, xg_nstmt *loop, uint32_t axis) {
    const char *of = xg_trace_label(n, block), *at = xg_trace_label(n, loop);
    xg_nstmt *made = xg_do_rfactor(n, block, loop, axis);
    xg_trace_step(n, &made, 1, "rfactor %s %s %u", of, at, axis);
    return made;
}
XG_FN void xg_sched_transform_layout(xg_loopnest *n, xg_nbuf *buf, const xg_imap *map, bool padded) {
    const char *name = buf ? buf->name.p : "";
    xg_do_transform_layout(n, buf, map, padded);
    xg_trace_step(n, NULL, 0, "transform_layout %s %s%s", name, xg_trace_map(n, map), padded ? " pad" : "");
}
XG_FN void xg_sched_transform_block_layout(xg_loopnest *n, xg_nstmt *block, const xg_imap *map) {
    const char *of = xg_trace_label(n, block);
    xg_do_transform_block_layout(n, block, map);
    xg_trace_step(n, NULL, 0, "transform_block_layout %s %s", of, xg_trace_map(n, map));
}
XG_FN void xg_sched_pad_einsum(xg_loopnest *n, xg_nstmt *block, const int64_t *multiples, uint32_t count) {
    const char *of = xg_trace_label(n, block);
    xg_do_pad_einsum(n, block, multiples, count);
    xg_trace_step(n, NULL, 0, "pad_einsum %s%s", of, xg_trace_ints(n, multiples, count));
}
XG_FN xg_nstmt *xg_sched_blockize(xg_loopnest *n, xg_nstmt *loop) {
    const char *of = xg_trace_label(n, loop);
    xg_nstmt *made = xg_do_blockize(n, loop);
    xg_trace_step(n, &made, 1, "blockize %s", of);
    return made;
}
XG_FN xg_nstmt *xg_sched_tensorize(xg_loopnest *n, xg_nstmt *loop, xg_str intrinsic) {
    const char *of = xg_trace_label(n, loop);
    xg_nstmt *made = xg_do_tensorize(n, loop, intrinsic);
    xg_trace_step(n, &made, 1, "tensorize %s %.*s", of, (int)intrinsic.n, intrinsic.p);
    return made;
}

#endif /* XG_SCHED_RECORD_C */
