/* sched/trace_write.c -- a nest's trace: a line for each primitive that was applied to it (trace.c says how lines look,
 * and reads them). */
#ifndef XG_SCHED_TRACE_WRITE_C
#define XG_SCHED_TRACE_WRITE_C
#include "sched.h"
#include "loops.c"

XG_FN void xg_trace_begin(xg_loopnest *n) {
    xg_nstmt *s;
    n->trace = XG_NEW(n->arena, xg_ntrace);
    xg_buf_init(&n->trace->text, n->arena);
    xg_dict_init(&n->trace->names, n->arena);
    for (s = n->root; s; s = xg_nstmt_next(s, n->root)) s->label = NULL;
}
XG_FN xg_str xg_trace_text(const xg_loopnest *n) {
    return n->trace ? xg_str_of(n->trace->text.p, n->trace->text.n) : XG_STR("");
}
/* A name for the statement that the trace has not given yet. */
XG_FN void xg_trace_give(xg_loopnest *n, xg_nstmt *s) {
    xg_str wish = s->op == XG_N_LOOP ? n->vars.p[s->var].name : s->block->name, name = wish;
    uint32_t k;
    if (s->label) return;
    for (k = 1; xg_dict_get(&n->trace->names, name); k++) {
        xg_buf b;
        xg_buf_init(&b, n->arena);
        xg_printf(&b, "%.*s_%u", (int)wish.n, wish.p, k);
        name = xg_str_of(b.p, b.n);
    }
    name = xg_str_copy(n->arena, name);
    (void)xg_dict_put(&n->trace->names, name, s);
    s->label = name.p;
}
XG_FN void xg_trace_get_loops(xg_loopnest *n, xg_nstmt *block) {
    xg_nstmt *loops[XG_NEST_DEPTH_MAX];
    uint32_t count = xg_nest_loops(block, loops, XG_COUNT(loops)), k;
    xg_buf *b = &n->trace->text;
    const char *of = xg_trace_label(n, block);
    for (k = 0; k < count && k < XG_COUNT(loops); k++) {
        xg_trace_give(n, loops[k]);
        xg_printf(b, "%s%s", loops[k]->label, k + 1 < count ? ", " : " = get_loops ");
    }
    xg_printf(b, "%s\n", of);
}
XG_FN const char *xg_trace_label(xg_loopnest *n, xg_nstmt *s) {
    xg_nstmt *t;
    if (!n->trace || !s || s == n->root) return "";
    if (s->label || s->gone) return s->label;
    if (s->op == XG_N_BLOCK) {
        xg_trace_give(n, s);
        xg_printf(&n->trace->text, "%s = get_block %.*s\n", s->label, (int)s->block->name.n, s->block->name.p);
        return s->label;
    }
    for (t = s; t->op != XG_N_BLOCK; t = t->first) {}
    xg_trace_get_loops(n, t);
    return s->label;
}
XG_FN const char *xg_trace_labels(xg_loopnest *n, xg_nstmt *const *s, uint32_t count) {
    xg_buf b;
    uint32_t k;
    if (!n->trace) return "";
    xg_buf_init(&b, n->arena);
    for (k = 0; k < count; k++) xg_printf(&b, " %s", xg_trace_label(n, s[k]));
    return xg_str_copy(n->arena, xg_str_of(b.p, b.n)).p;
}
XG_FN const char *xg_trace_ints(xg_loopnest *n, const int64_t *v, uint32_t count) {
    xg_buf b;
    uint32_t k;
    if (!n->trace) return "";
    xg_buf_init(&b, n->arena);
    for (k = 0; k < count; k++) {
        if (v[k] == -1)
            xg_puts(&b, " _");
        else
            xg_printf(&b, " %lld", (long long)v[k]);
    }
    return xg_str_copy(n->arena, xg_str_of(b.p, b.n)).p;
}
XG_FN const char *xg_trace_map(xg_loopnest *n, const xg_imap *map) {
    xg_buf b;
    uint32_t k;
    if (!n->trace) return "";
    xg_buf_init(&b, n->arena);
    xg_puts(&b, "\"(");
    for (k = 0; k < map->n_dims; k++) xg_printf(&b, "%sd%u", k ? ", " : "", k);
    xg_puts(&b, ") -> (");
    for (k = 0; k < map->n_results; k++) {
        if (k) xg_puts(&b, ", ");
        xg_aff_print(&b, map->results[k], NULL);
    }
    xg_puts(&b, ")\"");
    return xg_str_copy(n->arena, xg_str_of(b.p, b.n)).p;
}
XG_FN void xg_trace_step(xg_loopnest *n, xg_nstmt *const *made, uint32_t n_made, const char *format, ...) {
    char text[2048];
    va_list args;
    uint32_t k;
    if (!n->trace) return;
    va_start(args, format);
    (void)xg_vformat(text, sizeof text, format, args);
    va_end(args);
    for (k = 0; k < n_made; k++) {
        xg_trace_give(n, made[k]);
        xg_printf(&n->trace->text, "%s%s", made[k]->label, k + 1 < n_made ? ", " : " = ");
    }
    xg_printf(&n->trace->text, "%s\n", text);
}

#endif /* XG_SCHED_TRACE_WRITE_C */
