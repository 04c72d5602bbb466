/* sim/classes.c -- how often each record ran, and what that makes for each class of instructions.
 *
 * Rows of records that whole warps execute are counted at their two ends only: one more from here, one less from there;
 * what each record ran follows when the run is over. Partly active and guarded ones are counted one by one. A record's
 * class is read off the PTX text. */
#ifndef XG_SIM_CLASSES_C
#define XG_SIM_CLASSES_C
#include "worker.c"

/* X(instruction, CLASS): those whose class does not follow from a type. */
/* clang-format off */
#define XG_SIM_CLASSED(X) \
    X("ex2", APPROXIMATION) \
    X("lg2", APPROXIMATION) \
    X("sin", APPROXIMATION) \
    X("cos", APPROXIMATION) \
    X("tanh", APPROXIMATION) \
    X("rsqrt", APPROXIMATION) \
    X("rcp", APPROXIMATION) \
    X("sqrt", APPROXIMATION) \
    X("cvt", CONVERSION) \
    X("cvta", CONVERSION) \
    X("mov", MOVE) \
    X("selp", MOVE) \
    X("slct", MOVE) \
    X("prmt", MOVE) \
    X("cp", GLOBAL) \
    X("tex", GLOBAL) \
    X("atom", ATOMIC) \
    X("red", ATOMIC) \
    X("bra", CONTROL) \
    X("brx", CONTROL) \
    X("call", CONTROL) \
    X("ret", CONTROL) \
    X("exit", CONTROL) \
    X("trap", CONTROL) \
    X("nanosleep", CONTROL) \
    X("bar", BARRIER) \
    X("barrier", BARRIER) \
    X("membar", BARRIER) \
    X("fence", BARRIER) \
    X("mbarrier", BARRIER) \
    X("griddepcontrol", BARRIER) \
    X("shfl", WARP) \
    X("vote", WARP) \
    X("match", WARP) \
    X("redux", WARP) \
    X("activemask", WARP) \
    X("elect", WARP) \
    X("mma", TENSOR) \
    X("wmma", TENSOR) \
    X("wgmma", TENSOR) \
    X("tcgen05", TENSOR) \
    X("ldmatrix", SHARED) \
    X("stmatrix", SHARED) \
    X("movmatrix", WARP)
/* clang-format on */

XG_TABLE const char xg_sim_class_words[] =
#define X(text, name) text "\0"
    XG_SIM_CLASSED(X)
#undef X
    ;
XG_TABLE const uint8_t xg_sim_classes[] = {
#define X(text, name) XLAGPU_CLASS_##name,
    XG_SIM_CLASSED(X)
#undef X
};

/* The class of the statement at an offset of the text, "add.rn.f32 ...". */
XG_APART XG_FN uint8_t xg_sim_class_of(const xg_source *s, uint32_t at) {
    size_t end = at, i, from;
    const char *known = xg_sim_class_words;
    xg_str op, word;
    bool memory;
    uint8_t cls = XLAGPU_CLASS_INTEGER;
    while (end < s->size && xg_sim_is_word(s->text[end])) end++;
    op = xg_str_of(s->text + at, end - at);
    for (i = 0; *known; i++, known += strlen(known) + 1)
        if (xg_str_is(op, known)) return xg_sim_classes[i];
    memory = xg_word_in("ld ldu st", op) >= 0;
    if (memory) cls = XLAGPU_CLASS_GLOBAL;
    while (end < s->size && s->text[end] == '.') { /* its modifiers */
        for (from = ++end; end < s->size && (xg_sim_is_word(s->text[end]) || s->text[end] == ':'); end++) {}
        word = xg_str_of(s->text + from, end - from);
        if (memory) {
            if (xg_sim_prefix(word, "shared")) return XLAGPU_CLASS_SHARED;
            if (xg_word_in("local const", word) >= 0 || xg_sim_prefix(word, "param")) return XLAGPU_CLASS_OTHER_MEMORY;
        } else if (xg_word_in("f32 f32x2", word) >= 0)
            cls = XLAGPU_CLASS_F32;
        else if (xg_str_is(word, "f64"))
            cls = XLAGPU_CLASS_F64;
        else if (xg_sim_prefix(word, "f16") || xg_sim_prefix(word, "bf16"))
            cls = XLAGPU_CLASS_HALF;
    }
    return cls;
}

/* What a worker's records ran, into its counters; the marks begin anew. */
XG_APART XG_FN void xg_sim_fold_classes(xg_sim_worker *w, xg_sim_stats *to) {
    const xg_sim_module *m = w->m;
    uint64_t whole = 0;
    uint32_t i;
    for (i = 0; i < m->n_code; i++) {
        xg_sim_runs *r = &w->runs[i];
        whole += r->whole; /* a difference: it may wrap on the way */
        if (m->code[i].flags & XG_SIM_FIRST) {
            to->class_warps[m->classes[i]] += whole + r->warps;
            to->class_lanes[m->classes[i]] += whole * XG_SIM_WARP + r->lanes;
            if (w->l->ran) {
                w->l->ran[2 * i] += whole + r->warps;
                w->l->ran[2 * i + 1] += whole * XG_SIM_WARP + r->lanes;
            }
            if (w->tracer) xg_sim_trace_fold(w, i, whole + r->warps);
        }
        memset(r, 0, sizeof *r);
    }
    memset(&w->runs[i], 0, sizeof *w->runs);
}
XG_INLINE void xg_sim_ran(xg_sim_worker *w, uint32_t from, uint32_t to, uint32_t warps) {
    w->runs[from].whole += warps;
    w->runs[to].whole -= warps;
}

#endif /* XG_SIM_CLASSES_C */
